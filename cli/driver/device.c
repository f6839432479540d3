#include "device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "check.h"
#include "run_strict.h"
#include "staged_file.h"

enum { MAX_FREED = 4096 };

/* --- Messages, and what the process shares --- */

static pthread_mutex_t process = PTHREAD_MUTEX_INITIALIZER;
static FILE *trace_file;
static uint32_t trace_users;
static bool trace_began; /* The file has lines of this process */

void driver_lock(void) {
    pthread_mutex_lock(&process);
    cli_set_name("karat driver");
}

void driver_unlock(void) {
    pthread_mutex_unlock(&process);
}

void driver_say(const char *format, ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    driver_lock();
    cli_error("%s", text);
    driver_unlock();
}

/* --- Environment --- */

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool take_threads(device *d) {
    const char *text = setting("KARAT_THREADS");
    uint64_t n;
    if (!text)
        return true;
    if (!cli_number(text, KARAT_MAX_THREAD, &n) || !n || n & (n - 1)) {
        driver_say("KARAT_THREADS: expected 1, 2, 4, 8, 16 or 32, found '%s'", text);
        return false;
    }
    d->threads = (uint32_t)n;
    return true;
}

static bool take_profile(device *d) {
    const char *text = setting("KARAT_PROFILE");
    d->has_profile = text != NULL;
    if (!text || karat_profile_find(text, strlen(text), &d->profile))
        return true;
    driver_say("KARAT_PROFILE: expected %s, found '%s'", karat_profile_names(), text);
    return false;
}

static bool take_strict(device *d) {
    const char *text = setting("KARAT_STRICT");
    if (!text || karat_check_strict(text, &d->strict))
        return true;
    driver_say("KARAT_STRICT: expected a list of " KARAT_STRICT_WORDS ", found '%s'", text);
    return false;
}

static bool take_limit(device *d) {
    const char *text = setting("KARAT_LIMIT");
    if (!text || (cli_number(text, UINT64_MAX, &d->limit) && d->limit))
        return true;
    driver_say("KARAT_LIMIT: expected a number of instructions, from 1 on, found '%s'", text);
    return false;
}

static bool take_record(device *d) {
    const char *text = setting("KARAT_RECORD");
    struct stat s;
    if (!text)
        return true;
    if (mkdir(text, 0777) != 0 && (errno != EEXIST || stat(text, &s) != 0 || !S_ISDIR(s.st_mode))) {
        driver_say("KARAT_RECORD: %s: cannot be made a folder: %s", text,
                   errno == EEXIST ? "it is none" : strerror(errno));
        return false;
    }
    return (d->record = strdup(text)) != NULL;
}

static bool take_core(device *d) {
    const char *text = setting("KARAT_CORE"), *strict = setting("KARAT_STRICT"), *where = setting("TMPDIR");
    if (!text)
        return true;
    if (!text[strspn(text, " ")]) {
        driver_say("KARAT_CORE: expected the command of a harness, found '%s'", text);
        return false;
    }
    if (!d->record) {
        const int length =
            snprintf(d->folder, sizeof d->folder, "%s/karat-driver-XXXXXX", where ? where : P_tmpdir);
        if (length >= (int)sizeof d->folder) {
            driver_say("TMPDIR: expected a name of at most %zu bytes", sizeof d->folder - 21);
            d->folder[0] = 0;
            return false;
        }
        if (karat_temporary_make(d->folder, true) < 0) { /* Hosts need not close their devices */
            driver_say("KARAT_CORE: %s: cannot be made a folder: %s", d->folder, strerror(errno));
            d->folder[0] = 0;
            return false;
        }
    }
    return (d->core = strdup(text)) && (!strict || (d->strict_words = strdup(strict)));
}

static bool take_trace(device *d) {
    const char *text = setting("KARAT_TRACE");
    if (!text)
        return true;
    pthread_mutex_lock(&process);
    if (!trace_file && (trace_file = fopen(text, trace_began ? "a" : "w")) != NULL)
        trace_began = true;
    const int error = errno;
    trace_users += trace_file != NULL;
    d->trace = trace_file;
    pthread_mutex_unlock(&process);
    if (!d->trace)
        driver_say("KARAT_TRACE: %s: cannot be opened: %s", text, strerror(error));
    return d->trace;
}

static void give_trace_back(device *d) {
    if (!d->trace)
        return;
    pthread_mutex_lock(&process);
    if (--trace_users == 0) {
        fclose(trace_file);
        trace_file = NULL;
    }
    pthread_mutex_unlock(&process);
}

device *device_create(void) {
    device *d = calloc(1, sizeof *d);
    karat_config config;
    karat_config_default(&config);
    config.max_warp = config.max_workgroup = 1;
    if (!d || pthread_mutex_init(&d->lock, NULL) != 0) {
        driver_say("vt_dev_open: not enough memory");
        free(d);
        return NULL;
    }
    d->next_base = DEVICE_FIRST;
    if (!take_threads(d) || !take_profile(d) || !take_strict(d) || !take_limit(d) || !take_record(d) ||
        !take_core(d) || !take_trace(d)) {
        device_destroy(d);
        return NULL;
    }
    karat_status status;
    if ((d->model = karat_create(&config, &status)) != NULL)
        return d;
    driver_say("vt_dev_open: cannot make a model: %s", cli_status_name(status));
    device_destroy(d);
    return NULL;
}

void device_destroy(device *d) {
    give_trace_back(d);
    karat_destroy(d->model);
    karat_kernel_free(d->image);
    pthread_mutex_destroy(&d->lock);
    free(d->image_path);
    free(d->record);
    if (d->folder[0] && rmdir(d->folder) == 0) /* It stays where a kernel has failed */
        karat_temporary_remove(d->folder);
    free(d->core);
    free(d->strict_words);
    device_drop_locals(d);
    free(d->locals);
    free(d->buffers);
    free(d->freed);
    free(d);
}

/* --- Buffers --- */

static uint64_t pages_of(uint64_t size) {
    return (size + DEVICE_PAGE - 1) & ~(uint64_t)(DEVICE_PAGE - 1);
}

/* The first buffer that does not end at or before addr. */
static uint32_t index_of(const device *d, uint64_t addr) {
    uint32_t low = 0, high = d->num_buffers;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (d->buffers[middle].base + pages_of(d->buffers[middle].size) <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const device_buffer *device_find(const device *d, uint64_t addr) {
    const uint32_t i = index_of(d, addr);
    return i < d->num_buffers && addr >= d->buffers[i].base ? &d->buffers[i] : NULL;
}

const device_buffer *device_find_freed(const device *d, uint64_t addr) {
    for (uint32_t i = d->num_freed; i-- > 0;)
        if (addr >= d->freed[i].base && addr - d->freed[i].base < pages_of(d->freed[i].size))
            return &d->freed[i];
    return NULL;
}

/* The end of what is in the way of [base, base + bytes); 0: nothing is. */
static uint64_t obstacle(const device *d, uint64_t base, uint64_t bytes) {
    const uint32_t i = index_of(d, base);
    if (i < d->num_buffers && d->buffers[i].base < base + bytes)
        return d->buffers[i].base + pages_of(d->buffers[i].size);
    for (uint32_t k = 0; d->image && k < d->image->num_buffers; k++) {
        const karat_buffer *b = &d->image->buffers[k];
        const uint64_t first = b->base & ~(uint64_t)(DEVICE_PAGE - 1),
                       end = pages_of((uint64_t)b->base + b->alloc_size);
        if (b->alloc_size && first < base + bytes && end > base)
            return end;
    }
    return 0;
}

/* A place from that address on, below the limit. */
static bool find_place(const device *d, uint64_t from, uint64_t bytes, uint64_t *base) {
    uint64_t end;
    for (*base = from; (end = obstacle(d, *base, bytes)) != 0; *base = end)
        ;
    return *base <= DEVICE_END && bytes <= DEVICE_END - *base;
}

static uint64_t bytes_in_use(const device *d) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < d->num_buffers; i++)
        bytes += pages_of(d->buffers[i].size);
    return bytes;
}

bool device_alloc(device *d, const char *function, uint64_t size, uint64_t *addr) {
    uint64_t base;
    if (!addr || !size) {
        driver_say("%s: expected a size of 1 byte or more, and a place for the address", function);
        return false;
    }
    if (size > DEVICE_END - DEVICE_FIRST || !(find_place(d, d->next_base, pages_of(size), &base) ||
                                              find_place(d, DEVICE_FIRST, pages_of(size), &base))) {
        driver_say("%s: no room for %" PRIu64 " bytes in a piece: %" PRIu32 " buffers have %" PRIu64
                   " of %" PRIu64 " bytes",
                   function, size, d->num_buffers, bytes_in_use(d), DEVICE_END - DEVICE_FIRST);
        return false;
    }
    if (!karat_grow(&d->buffers, d->num_buffers, sizeof *d->buffers) ||
        karat_map(d->model, base, pages_of(size)) != KARAT_OK) {
        driver_say("%s: the machine has no memory for %" PRIu64 " bytes", function, size);
        return false;
    }
    const uint32_t i = index_of(d, base);
    memmove(d->buffers + i + 1, d->buffers + i, (d->num_buffers - i) * sizeof *d->buffers);
    d->buffers[i] = (device_buffer){.base = base, .size = size};
    d->num_buffers++;
    d->next_base = base + pages_of(size);
    *addr = base;
    return true;
}

/* Where an address lies that is in no buffer, as a clause. */
static const char *describe(const device *d, uint64_t addr, char text[160]) {
    const device_buffer *freed = device_find_freed(d, addr);
    if (freed)
        snprintf(text, 160,
                 "it is in the buffer of %" PRIu64 " bytes at 0x%08" PRIx64 " that was freed after %" PRIu64
                 " kernels",
                 freed->size, freed->base, freed->kernels);
    else
        snprintf(text, 160, "it is in no buffer");
    return text;
}

/* Keeps the last ones; for a message, so that one may be lost where memory is short. */
static void remember_freed(device *d, device_buffer buffer) {
    buffer.kernels = d->kernels;
    if (d->num_freed == MAX_FREED)
        memmove(d->freed, d->freed + 1, --d->num_freed * sizeof *d->freed);
    if (karat_grow(&d->freed, d->num_freed, sizeof *d->freed))
        d->freed[d->num_freed++] = buffer;
}

bool device_free(device *d, const char *function, uint64_t addr, uint64_t size) {
    char text[160];
    const device_buffer *b = device_find(d, addr);
    if (!b) {
        driver_say("%s: 0x%08" PRIx64 ": expected the address of a buffer: %s", function, addr,
                   describe(d, addr, text));
        return false;
    }
    if (b->base != addr || pages_of(size) != pages_of(b->size)) {
        driver_say("%s: 0x%08" PRIx64 ", %" PRIu64
                   " bytes: expected address and size of a buffer, 0x%08" PRIx64 " and %" PRIu64,
                   function, addr, size, b->base, b->size);
        return false;
    }
    if (karat_unmap(d->model, b->base, pages_of(b->size)) != KARAT_OK) {
        driver_say("%s: not enough memory", function);
        return false;
    }
    const uint32_t i = index_of(d, addr);
    remember_freed(d, *b);
    memmove(d->buffers + i, d->buffers + i + 1, (--d->num_buffers - i) * sizeof *d->buffers);
    return true;
}

bool device_is_local(const device *d, uint64_t addr, uint64_t size) {
    const karat_config *config = karat_get_config(d->model);
    return addr - config->lds_base < config->lds_size && size <= config->lds_size - (addr - config->lds_base);
}

/* Runtimes clear a kernel's local buffers so, with bytes of the host behind them: what they write is no
 * contents. */
bool device_take_local(device *d, const char *function, uint64_t addr, uint64_t size) {
    for (uint32_t i = 0; i < d->num_locals; i++)
        if (addr < (uint64_t)d->locals[i].base + d->locals[i].size && d->locals[i].base < addr + size)
            return true; /* Once more */
    if (!karat_grow(&d->locals, d->num_locals, sizeof *d->locals)) {
        driver_say("%s: not enough memory", function);
        return false;
    }
    uint8_t *zeros = calloc(1, (size_t)size);
    if (!zeros) {
        driver_say("%s: not enough memory", function);
        return false;
    }
    d->locals[d->num_locals++] = (karat_buffer){
        .base = (uint32_t)addr, .size = (uint32_t)size, .alloc_size = (uint32_t)size, .data = zeros};
    return true;
}

void device_drop_locals(device *d) {
    while (d->num_locals)
        free((void *)d->locals[--d->num_locals].data);
}

bool device_may_copy(const device *d, const char *function, uint64_t addr, uint64_t size) {
    char text[160];
    const device_buffer *b = device_find(d, addr);
    if (b) {
        const uint64_t room = addr - b->base < b->size ? b->size - (addr - b->base) : 0;
        if (size <= room)
            return true;
        driver_say("%s: 0x%08" PRIx64 ", %" PRIu64 " bytes: %" PRIu64
                   " beyond the end of the buffer of %" PRIu64 " bytes at 0x%08" PRIx64,
                   function, addr, size, size - room, b->size, b->base);
        return false;
    }
    for (uint32_t i = 0; d->image && i < d->image->num_buffers; i++) {
        const karat_buffer *s = &d->image->buffers[i];
        if (addr >= s->base && addr - s->base < s->alloc_size && size <= s->alloc_size - (addr - s->base))
            return true;
    }
    driver_say("%s: 0x%08" PRIx64 ", %" PRIu64 " bytes: expected an address in a buffer: %s", function, addr,
               size, describe(d, addr, text));
    return false;
}

/* --- Image --- */

static void segment_pages(const karat_buffer *b, uint64_t *base, uint64_t *bytes) {
    *base = b->base & ~(uint64_t)(DEVICE_PAGE - 1);
    *bytes = b->alloc_size ? pages_of((uint64_t)b->base + b->alloc_size) - *base : 0;
}

/* Whether it is clear of the buffers and of local memory; false: an error was reported. */
static bool image_fits(const device *d, const char *function, const karat_kernel *image) {
    const karat_config *config = karat_get_config(d->model);
    for (uint32_t i = 0; i < image->num_buffers; i++) {
        uint64_t base, bytes;
        segment_pages(&image->buffers[i], &base, &bytes);
        const uint32_t k = index_of(d, base);
        if (bytes && k < d->num_buffers && d->buffers[k].base < base + bytes) {
            driver_say("%s: %s: the segment at 0x%08" PRIx32 " is where the buffer of %" PRIu64
                       " bytes at 0x%08" PRIx64 " is",
                       function, image->name, image->buffers[i].base, d->buffers[k].size, d->buffers[k].base);
            return false;
        }
        if (bytes && base < (uint64_t)config->lds_base + config->lds_size &&
            base + bytes > config->lds_base) {
            driver_say("%s: %s: the segment at 0x%08" PRIx32 " is in local memory", function, image->name,
                       image->buffers[i].base);
            return false;
        }
    }
    return true;
}

static void drop_image(device *d) {
    for (uint32_t i = 0; d->image && i < d->image->num_buffers; i++) {
        uint64_t base, bytes;
        segment_pages(&d->image->buffers[i], &base, &bytes);
        karat_unmap(d->model, base, bytes);
    }
    karat_kernel_free(d->image);
    free(d->image_path);
    d->image = NULL;
    d->image_path = NULL;
}

bool device_upload(device *d, const char *function, const char *path, const void *bytes, size_t size) {
    karat_diag diag;
    karat_kernel *image = karat_kernel_load_image(path, bytes, size, &diag);
    char *name = strdup(path);
    if (!image)
        driver_say("%s: %s", function, diag.text);
    if (!image || !name || !image_fits(d, function, image)) {
        karat_kernel_free(image);
        free(name);
        return false;
    }
    drop_image(d);
    d->image = image;
    d->image_path = name;
    if (karat_kernel_place(image, d->model) == KARAT_OK)
        return true;
    driver_say("%s: %s: its segments cannot be placed", function, image->name);
    drop_image(d);
    return false;
}

/* --- All of it --- */

karat_buffer *device_list(const device *d, uint32_t *num) {
    const uint32_t segments = d->image ? d->image->num_buffers : 0;
    karat_buffer *list = calloc(segments + d->num_buffers + 1, sizeof *list);
    *num = 0;
    if (!list)
        return NULL;
    for (uint32_t i = 0; i < segments; i++, ++*num)
        list[*num] = (karat_buffer){
            .base = d->image->buffers[i].base, .alloc_size = d->image->buffers[i].alloc_size, .number = *num};
    for (uint32_t i = 0; i < d->num_buffers; i++, ++*num)
        list[*num] = (karat_buffer){.base = (uint32_t)d->buffers[i].base,
                                    .alloc_size = (uint32_t)pages_of(d->buffers[i].size),
                                    .number = *num};
    return list;
}

/* The pages of that range, with all that was ever written there. */
static karat_status copy_pages(const karat_model *from, karat_model *to, uint64_t base, uint64_t bytes) {
    karat_status status = karat_map(to, base, bytes);
    const uint8_t *page;
    for (uint64_t at = base; status == KARAT_OK && bytes && at < base + bytes &&
                             (page = karat_next_written_page(from, &at, base + bytes - 1)) != NULL;
         at += DEVICE_PAGE)
        status = karat_write(to, at, page, DEVICE_PAGE);
    return status;
}

karat_model *device_move(const device *d, const karat_config *config, bool is_empty, karat_status *status) {
    karat_model *model = karat_create(config, status);
    for (uint32_t i = 0; model && !is_empty && *status == KARAT_OK && i < d->num_buffers; i++)
        *status = copy_pages(d->model, model, d->buffers[i].base, pages_of(d->buffers[i].size));
    for (uint32_t i = 0; model && !is_empty && *status == KARAT_OK && d->image && i < d->image->num_buffers;
         i++) {
        uint64_t base, bytes;
        segment_pages(&d->image->buffers[i], &base, &bytes);
        *status = copy_pages(d->model, model, base, bytes);
    }
    if (*status == KARAT_OK)
        return model;
    karat_destroy(model);
    return NULL;
}
