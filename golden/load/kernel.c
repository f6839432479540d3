/* Kernels on disk: the part that does not depend on the file's format. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "array.h"

#define PAGE 4096u

bool load_complain(karat_diag *diag, const char *path, uint32_t line, const char *format, ...) {
    char said[sizeof diag->text];
    if (!diag)
        return false;
    int n = line ? snprintf(said, sizeof said, "%s:%u: ", path, (unsigned)line)
                 : snprintf(said, sizeof said, "%s: ", path);
    if (n >= 0 && (size_t)n < sizeof said) {
        va_list args;
        va_start(args, format);
        vsnprintf(said + n, sizeof said - (size_t)n, format, args);
        va_end(args);
    }
    karat_quote(said, diag->text, sizeof diag->text); /* A path may hold anything; the message is one line */
    return false;
}

void load_note(load_kernel *loaded, const char *path, uint32_t line, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    karat_diag *note = &loaded->note;
    const size_t used = strlen(note->text);
    if (!used)
        load_complain(note, path, line, "%s", text);
    else
        snprintf(note->text + used, sizeof note->text - used, "; %s", text);
}

bool load_add_page(load_kernel *loaded, const char *path, uint32_t line, const char *text, size_t size,
                   karat_diag *diag) {
    karat_kernel *k = &loaded->kernel;
    karat_page_change change;
    karat_diag why;
    if (!karat_page_parse(text, size, &change, &why))
        return load_complain(diag, path, line, "change of a page: %s", why.text);
    if (k->num_pages >= LOAD_MAX_BUFFERS || !karat_grow(&loaded->pages, k->num_pages, sizeof *loaded->pages))
        return load_complain(diag, path, line, "not enough memory for that many changes of pages");
    loaded->pages[k->num_pages++] = change;
    k->pages = loaded->pages;
    return true;
}

static bool read_stream(load_file *file, FILE *stream, karat_diag *diag) {
    size_t room = 1u << 16;
    file->bytes = malloc(room);
    while (file->bytes) {
        file->size += fread(file->bytes + file->size, 1, room - 1 - file->size, stream);
        if (ferror(stream))
            return load_complain(diag, file->path, 0, "cannot be read: %s", strerror(errno));
        if (file->size < room - 1) {
            file->bytes[file->size] = 0;
            return true;
        }
        if (room >= LOAD_MAX_FILE)
            return load_complain(diag, file->path, 0, "expected a file of less than %u bytes", LOAD_MAX_FILE);
        room *= 2;
        uint8_t *more = realloc(file->bytes, room);
        if (!more)
            break;
        file->bytes = more;
    }
    return load_complain(diag, file->path, 0, "not enough memory to read it");
}

bool load_read(load_file *file, const char *path, karat_diag *diag) {
    *file = (load_file){.path = path};
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return load_complain(diag, path, 0, "cannot be opened: %s", strerror(errno));
    bool good = read_stream(file, stream, diag);
    fclose(stream);
    if (!good) {
        free(file->bytes);
        file->bytes = NULL;
    }
    return good;
}

typedef struct range {
    uint64_t base, end;
    uint32_t index;
} range;

static int compare_ranges(const void *a, const void *b) {
    const range *x = a, *y = b;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

bool load_overlap(const karat_buffer *buffers, uint32_t num, uint32_t *first, uint32_t *second,
                  bool *no_memory) {
    *no_memory = false;
    range *ranges = malloc((num + 1) * sizeof *ranges);
    if (!ranges) {
        *no_memory = true;
        return false;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < num; i++)
        if (buffers[i].alloc_size)
            ranges[used++] = (range){buffers[i].base, (uint64_t)buffers[i].base + buffers[i].alloc_size, i};
    qsort(ranges, used, sizeof *ranges, compare_ranges);
    bool found = false;
    for (uint32_t i = 1; i < used && !found; i++) {
        /* Ranges before i are disjoint, so the one just before it reaches furthest. */
        uint32_t a = ranges[i - 1].index, b = ranges[i].index;
        found = ranges[i].base < ranges[i - 1].end;
        *first = a < b ? a : b;
        *second = a < b ? b : a;
    }
    free(ranges);
    return found;
}

int32_t load_buffer_of(const karat_kernel *kernel, uint32_t addr) {
    for (uint32_t i = 0; i < kernel->num_buffers; i++) {
        const karat_buffer *b = &kernel->buffers[i];
        if (addr >= b->base && addr - b->base < b->alloc_size)
            return (int32_t)i;
    }
    return -1;
}

uint64_t load_code_limit(const karat_kernel *k, uint32_t code) {
    uint64_t limit = UINT64_MAX;
    uint32_t base = k->buffers[code].base;
    for (uint32_t i = 0; i < k->num_buffers; i++)
        if (k->buffers[i].base > base && k->buffers[i].base < limit)
            limit = k->buffers[i].base;
    if (k->pds_size && k->pds_base > base && k->pds_base < limit)
        limit = k->pds_base;
    return limit;
}

void load_grow_code(load_kernel *loaded, uint32_t i, uint64_t limit) {
    karat_buffer *code = &loaded->buffers[i];
    uint64_t end = (uint64_t)code->base + KARAT_CODE_WINDOW;
    if (code->base < loaded->kernel.lds_base && limit > loaded->kernel.lds_base)
        limit = loaded->kernel.lds_base;
    if (limit > (uint64_t)UINT32_MAX + 1)
        limit = (uint64_t)UINT32_MAX + 1;
    if (end > limit)
        end = limit;
    if (end > (uint64_t)code->base + code->alloc_size)
        code->alloc_size = (uint32_t)(end - code->base);
}

/* File name without folder and suffix, quoted. A vector's program is named as its folder. */
static char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *from = slash ? slash + 1 : path;
    const char *dot = strrchr(from, '.');
    size_t length = dot && dot != from ? (size_t)(dot - from) : strlen(from);
    if (strcmp(from, "program.elf") == 0) {
        const char *end = slash;
        while (end && end > path && end[-1] == '/')
            end--;
        const char *folder = end;
        while (folder && folder > path && folder[-1] != '/')
            folder--;
        const size_t size = (size_t)(end - folder);
        if (size && !(size == 1 && *folder == '.') && !(size == 2 && memcmp(folder, "..", 2) == 0)) {
            from = folder;
            length = size;
        }
    }
    char *name = malloc(length + 1), *quoted = NULL;
    if (name) {
        memcpy(name, from, length);
        name[length] = 0;
        quoted = karat_quoted(name);
    }
    free(name);
    return quoted;
}

static bool is_packed(const load_file *file) {
    return (file->size >= 2 && memcmp(file->bytes, "\x1f\x8b", 2) == 0) ||
           (file->size >= 4 && memcmp(file->bytes, "\x28\xb5\x2f\xfd", 4) == 0);
}

karat_kernel *karat_kernel_load_image(const char *path, const void *bytes, size_t size, karat_diag *diag) {
    load_file file = {.path = path, .size = size};
    load_kernel *loaded = NULL;
    if (!path) {
        load_complain(diag, "(no name)", 0, "expected a file's name");
        return NULL;
    }
    if (!bytes && !load_read(&file, path, diag))
        return NULL;
    const load_file contents = {path, bytes ? (uint8_t *)(uintptr_t)bytes : file.bytes,
                                file.size}; /* For reading */
    bool good = false;
    const bool is_elf = karat_is_elf(contents.bytes, contents.size);
    if (!is_elf && !karat_is_words(path))
        load_complain(diag, path, 0, "expected an ELF file");
    else if (!(loaded = calloc(1, sizeof *loaded)) || !(loaded->name = name_of(path)))
        load_complain(diag, path, 0, "not enough memory");
    else {
        loaded->kernel.name = loaded->name;
        loaded->is_image = true;
        good = (is_elf ? load_elf : load_words_kernel)(loaded, &contents, NULL, diag);
    }
    free(file.bytes);
    if (good)
        return &loaded->kernel;
    if (loaded)
        karat_kernel_free(&loaded->kernel);
    return NULL;
}

static karat_kernel *load_kernel_file(const char *path, const char *data_path, karat_launch_spec *spec,
                                      karat_diag *diag) {
    if (diag)
        diag->text[0] = 0;
    load_file file;
    if (!path) {
        load_complain(diag, "(no name)", 0, "expected a file's name");
        return NULL;
    }
    if (!load_read(&file, path, diag))
        return NULL;
    load_kernel *loaded = calloc(1, sizeof *loaded);
    bool good = false;
    if (loaded && (loaded->name = name_of(path))) {
        loaded->kernel.name = loaded->name;
        if (karat_is_elf(file.bytes, file.size))
            good = load_elf(loaded, &file, spec, diag);
        else if (!file.size)
            load_complain(diag, path, 0, "it is empty: expected an ELF file or .metadata");
        else if (is_packed(&file))
            load_complain(diag, path, 0, "it is packed (gzip or zstd): expected an ELF file or .metadata");
        else if (karat_is_words(path))
            good = load_words_kernel(loaded, &file, spec, diag);
        else if (spec)
            load_complain(diag, path, 0, "expected an ELF file: the command line describes its launch");
        else
            good = load_metadata(loaded, &file, data_path, diag);
    } else {
        load_complain(diag, path, 0, "not enough memory");
    }
    free(file.bytes);
    if (good && loaded->note.text[0])
        loaded->kernel.note = loaded->note.text;
    if (good)
        return &loaded->kernel;
    if (loaded)
        karat_kernel_free(&loaded->kernel);
    return NULL;
}

karat_kernel *karat_kernel_load(const char *path, const char *data_path, karat_diag *diag) {
    return load_kernel_file(path, data_path, NULL, diag);
}

karat_kernel *karat_kernel_load_launched(const char *path, karat_launch_spec *spec, karat_diag *diag) {
    return load_kernel_file(path, NULL, spec, diag);
}

bool karat_kernels_profile(const karat_kernel *const *kernels, uint32_t num, const karat_profile *wanted,
                           const char *by, karat_profile *profile, karat_diag *diag) {
    const char *source = wanted ? by : NULL; /* Of *profile; NULL: nothing has named it */
    *profile = wanted ? *wanted : KARAT_DEFAULT_PROFILE;
    for (uint32_t i = 0; i < num; i++) {
        if (!kernels || !kernels[i])
            continue;
        if (!kernels[i]->names_profile) {
            if (!source && kernels[i]->profile != KARAT_DEFAULT_PROFILE)
                *profile = kernels[i]->profile;
            continue;
        }
        if (source && kernels[i]->profile != *profile) {
            if (diag)
                snprintf(diag->text, sizeof diag->text,
                         "%.200s: its code is for profile %s of the ISA; %.200s: %s", kernels[i]->name,
                         karat_profile_name(kernels[i]->profile), source, karat_profile_name(*profile));
            return false;
        }
        if (!source)
            source = kernels[i]->name;
        *profile = kernels[i]->profile;
    }
    return true;
}

void karat_kernel_free(karat_kernel *kernel) {
    if (!kernel)
        return;
    load_kernel *loaded = (load_kernel *)kernel; /* Kernel is its first member */
    free(loaded->name);
    free(loaded->buffers);
    free(loaded->locals);
    free(loaded->bytes);
    free(loaded->argument_bytes);
    free(loaded->symbols);
    free(loaded->strings);
    free(loaded->pages);
    free(loaded);
}

uint32_t karat_kernel_workgroups(const karat_kernel *kernel) {
    return kernel ? kernel->grid[0] * kernel->grid[1] * kernel->grid[2] : 0;
}

uint32_t karat_kernel_wf_size(const karat_kernel *kernel, uint32_t num_thread) {
    return kernel && kernel->wf_size ? kernel->wf_size : num_thread;
}

uint64_t load_private_size(const karat_kernel *kernel, uint32_t num_thread) {
    uint64_t threads = (uint64_t)karat_kernel_wf_size(kernel, num_thread) * kernel->wg_size;
    uint64_t groups = kernel->pds_slots ? kernel->pds_slots : karat_kernel_workgroups(kernel);
    if (!threads || !groups || !kernel->pds_size)
        return 0;
    if (threads > UINT64_MAX / groups || threads * groups > UINT64_MAX / kernel->pds_size)
        return UINT64_MAX;
    return threads * groups * kernel->pds_size;
}

/* Whether private memory needs a region of its own: not where one buffer holds all of it. */
static bool has_private_region(const karat_kernel *kernel) {
    uint64_t size = load_private_size(kernel, KARAT_MAX_THREAD);
    if (!size || !kernel->maps_private)
        return false;
    for (uint32_t i = 0; i < kernel->num_buffers; i++) {
        const karat_buffer *b = &kernel->buffers[i];
        if (kernel->pds_base >= b->base && kernel->pds_base - b->base < b->alloc_size &&
            size <= b->alloc_size - (kernel->pds_base - b->base))
            return false;
    }
    return true;
}

uint32_t karat_kernel_num_regions(const karat_kernel *kernel) {
    return kernel ? kernel->num_buffers + has_private_region(kernel) : 0;
}

void karat_kernel_region(const karat_kernel *kernel, uint32_t i, uint32_t num_thread, uint64_t *base,
                         uint64_t *size) {
    if (!base || !size)
        return;
    *base = *size = 0;
    if (i >= karat_kernel_num_regions(kernel))
        return;
    uint64_t from = kernel->pds_base, bytes;
    if (i < kernel->num_buffers) {
        from = kernel->buffers[i].base;
        bytes = kernel->buffers[i].alloc_size;
    } else {
        bytes = load_private_size(kernel, num_thread);
        if (bytes > (uint64_t)1 << 62) /* Too much for any address space: keep the sum from wrapping */
            bytes = (uint64_t)1 << 62;
    }
    uint64_t end = bytes ? (from + bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1) : 0;
    *base = from & ~(uint64_t)(PAGE - 1);
    *size = bytes ? end - *base : 0;
}

/* Any buffer may hold code, the data of a program included; private memory does not. */
static karat_status map_regions(const karat_kernel *kernel, const load_memory *memory) {
    const uint32_t regions = karat_kernel_num_regions(kernel);
    for (uint32_t i = 0; i < regions; i++) {
        uint64_t base, size;
        karat_kernel_region(kernel, i, memory->num_thread, &base, &size);
        if (!size)
            continue;
        if (size > (UINT64_C(1) << 32) - base) /* CSRs and the code's own addresses have 32 bits */
            return KARAT_BAD_ARGUMENT;
        const karat_status status = memory->map(memory->context, base, size, i < kernel->num_buffers);
        if (status != KARAT_OK)
            return status;
    }
    return KARAT_OK;
}

/* Zeros after a buffer's contents. What holds zeros is not written, so that pages which nobody writes take no
 * memory. */
static karat_status clear(const karat_buffer *b, const load_memory *memory) {
    static const uint8_t zeros[PAGE];
    const uint64_t end = (uint64_t)b->base + b->size + b->cleared;
    karat_status status = KARAT_OK;
    for (uint64_t at = end - b->cleared, size; status == KARAT_OK && at < end; at += size) {
        uint8_t old[PAGE];
        size = PAGE - at % PAGE < end - at ? PAGE - at % PAGE : end - at;
        if (memory->read(memory->context, at, old, size) != KARAT_OK || memcmp(old, zeros, size) != 0)
            status = memory->write(memory->context, at, zeros, size);
    }
    return status;
}

karat_status load_place(const karat_kernel *kernel, const load_memory *memory) {
    karat_status status = map_regions(kernel, memory);
    for (uint32_t i = 0; status == KARAT_OK && i < kernel->num_buffers; i++) {
        const karat_buffer *b = &kernel->buffers[i];
        if (b->size)
            status = memory->write(memory->context, b->base, b->data, b->size);
    }
    for (uint32_t i = 0; status == KARAT_OK && i < kernel->num_buffers; i++)
        status = clear(&kernel->buffers[i], memory);
    return status;
}

static karat_status map_physical(void *context, uint64_t base, uint64_t size, bool executable) {
    (void)executable;
    return karat_map(context, base, size);
}

static karat_status read_physical(void *context, uint64_t addr, void *bytes, size_t size) {
    return karat_read(context, addr, bytes, size);
}

static karat_status write_physical(void *context, uint64_t addr, const void *bytes, size_t size) {
    return karat_write(context, addr, bytes, size);
}

karat_status karat_kernel_place(const karat_kernel *kernel, karat_model *model) {
    const karat_config *config = karat_get_config(model);
    if (!kernel || !config || config->translation != KARAT_TRANSLATION_NONE || kernel->num_pages)
        return KARAT_BAD_ARGUMENT;
    const load_memory memory = {model, config->num_thread, map_physical, write_physical, read_physical};
    return load_place(kernel, &memory);
}

karat_status karat_kernel_open(const karat_kernel *kernel, karat_model *model, uint32_t handle,
                               uint32_t workgroup) {
    const karat_config *config = karat_get_config(model);
    if (!kernel || !config)
        return KARAT_BAD_ARGUMENT;
    karat_status status =
        karat_workgroup_open(model, handle, karat_kernel_group_warps(kernel, config->num_thread, workgroup));
    for (uint32_t i = 0; status == KARAT_OK && i < kernel->num_locals; i++) {
        const karat_buffer *b = &kernel->locals[i];
        if (b->size)
            status = karat_lds_write(model, handle, b->base, b->data, b->size);
    }
    return status;
}

/* --- Work-items --- */

/* That workgroup's place in the grid. */
static void find_group(const karat_kernel *kernel, uint32_t workgroup, uint32_t place[3]) {
    for (int i = 0; i < 3; i++) {
        place[i] = kernel->grid[i] ? workgroup % kernel->grid[i] : 0;
        workgroup = kernel->grid[i] ? workgroup / kernel->grid[i] : 0;
    }
}

bool karat_kernel_thread(const karat_kernel *kernel, uint32_t num_thread, uint32_t workgroup, uint32_t warp,
                         uint32_t lane, uint32_t local[3], uint32_t global[3]) {
    if (!kernel || !local || !global)
        return false;
    const uint32_t threads = karat_kernel_wf_size(kernel, num_thread);
    uint64_t item = (uint64_t)warp * threads + lane;
    uint32_t place[3];
    find_group(kernel, workgroup, place);
    if (!kernel->local[0] || lane >= threads || warp >= kernel->wg_size)
        return false;
    for (int i = 0; i < 3; i++) {
        const uint64_t at = i < 2 ? item % kernel->local[i] : item;
        const uint64_t id = (uint64_t)place[i] * kernel->local[i] + at;
        item /= kernel->local[i];
        if (at >= kernel->local[i] || id >= kernel->global[i])
            return false;
        local[i] = (uint32_t)at;
        global[i] = kernel->offset[i] + (uint32_t)id;
    }
    return true;
}

uint32_t karat_kernel_mask(const karat_kernel *kernel, uint32_t num_thread, uint32_t workgroup,
                           uint32_t warp) {
    if (!kernel)
        return 0;
    const uint32_t threads = karat_kernel_wf_size(kernel, num_thread);
    const uint32_t all = threads >= 32 ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
    uint32_t mask = 0, local[3], global[3];
    for (uint32_t lane = 0; kernel->local[0] && lane < threads && lane < 32; lane++)
        mask |= (uint32_t)karat_kernel_thread(kernel, num_thread, workgroup, warp, lane, local, global)
                << lane;
    return kernel->local[0] ? mask : all;
}

uint32_t karat_kernel_group_warps(const karat_kernel *kernel, uint32_t num_thread, uint32_t workgroup) {
    uint32_t num = 0;
    if (!kernel || !kernel->local[0])
        return kernel ? kernel->wg_size : 0;
    for (uint32_t warp = 0; warp < kernel->wg_size; warp++)
        num += karat_kernel_mask(kernel, num_thread, workgroup, warp) != 0;
    return num;
}

bool karat_kernel_is_partial(const karat_kernel *kernel, uint32_t num_thread) {
    uint64_t items = 1;
    bool ragged = false;
    if (!kernel || !kernel->local[0])
        return false;
    for (int i = 0; i < 3; i++) {
        items *= kernel->local[i];
        ragged |= kernel->global[i] != kernel->grid[i] * kernel->local[i];
    }
    return ragged || items != (uint64_t)kernel->wg_size * karat_kernel_wf_size(kernel, num_thread);
}

uint64_t karat_kernel_warps(const karat_kernel *kernel, uint32_t num_thread) {
    const uint32_t groups = karat_kernel_workgroups(kernel);
    uint64_t num = 0;
    if (!kernel || !kernel->local[0])
        return kernel ? (uint64_t)groups * kernel->wg_size : 0;
    for (uint32_t workgroup = 0; workgroup < groups; workgroup++)
        num += karat_kernel_group_warps(kernel, num_thread, workgroup);
    return num;
}

const char *karat_kernel_wrong_items(const karat_kernel *k) {
    uint64_t items = 1;
    if (!k)
        return "a kernel";
    if (k->pds_slots > LOAD_MAX_SLOTS)
        return "at most 65536 slots of private memory";
    if (!k->local[0] && !k->local[1] && !k->local[2])
        return k->global[0] || k->global[1] || k->global[2] || k->offset[0] || k->offset[1] || k->offset[2]
                   ? "work-items of a workgroup too, as those of the grid or its first ids are said"
                   : NULL;
    for (int i = 0; i < 3; i++) {
        const uint64_t most = (uint64_t)k->grid[i] * k->local[i];
        items *= k->local[i];
        if (!k->local[i] || items > UINT32_MAX)
            return "from 1 to 2^32 - 1 work-items of a workgroup";
        if (k->global[i] > most || k->global[i] + (uint64_t)k->local[i] <= most)
            return "work-items of the grid in its last workgroup of every direction, and none beyond it";
    }
    if (!k->wf_size || items > (uint64_t)k->wf_size * k->wg_size)
        return "warps with as many threads as a workgroup has work-items, or more";
    return NULL;
}

/* The range of all local buffers. */
static void declare_locals(const karat_kernel *kernel, karat_launch_desc *desc) {
    uint64_t base = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < kernel->num_locals; i++) {
        const karat_buffer *b = &kernel->locals[i];
        base = b->base < base ? b->base : base;
        end = (uint64_t)b->base + b->size > end ? (uint64_t)b->base + b->size : end;
    }
    if (end <= base)
        return;
    desc->local_base = (uint32_t)base;
    desc->local_size = (uint32_t)(end - base);
}

uint32_t karat_kernel_pds(const karat_kernel *kernel, uint32_t num_thread, uint32_t index) {
    return kernel ? kernel->pds_base +
                        index * karat_kernel_wf_size(kernel, num_thread) * kernel->wg_size * kernel->pds_size
                  : 0;
}

void karat_kernel_launch(const karat_kernel *kernel, uint32_t num_thread, uint32_t workgroup, uint32_t warp,
                         karat_launch_desc *desc) {
    if (!desc)
        return;
    *desc = (karat_launch_desc){0};
    if (!kernel)
        return;
    uint32_t threads = karat_kernel_wf_size(kernel, num_thread), place[3];
    find_group(kernel, workgroup, place);
    *desc = (karat_launch_desc){
        .pc = kernel->start_addr,
        .mask = karat_kernel_mask(kernel, num_thread, workgroup, warp),
        .sgprs = kernel->sgprs,
        .vgprs = kernel->vgprs,
        .ptbr = kernel->ptbr,
        .asid = kernel->asid,
    };
    desc->lds_size = kernel->lds_size;
    desc->pds_size = kernel->pds_size;
    declare_locals(kernel, desc);
    desc->csr[KARAT_CSR_TID] = warp * threads;
    desc->csr[KARAT_CSR_NUMW] = kernel->wg_size;
    desc->csr[KARAT_CSR_NUMT] = threads;
    desc->csr[KARAT_CSR_KNL] = kernel->knl;
    desc->csr[KARAT_CSR_WGID] = workgroup;
    desc->csr[KARAT_CSR_WID] = warp;
    desc->csr[KARAT_CSR_LDS] = kernel->lds_base;
    desc->csr[KARAT_CSR_PDS] = karat_kernel_pds(kernel, num_thread, kernel->pds_slots ? 0 : workgroup);
    for (int i = 0; i < 3; i++)
        desc->csr[KARAT_CSR_GDX + i] = place[i];
}

const karat_symbol *karat_kernel_symbol(const karat_kernel *kernel, uint32_t addr, uint32_t *offset) {
    /* The last symbol at or below addr ... */
    uint32_t low = 0, high = kernel ? kernel->num_symbols : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kernel->symbols[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    /* ... that reaches it.  One without a size, a label, reaches to the end of its buffer. */
    while (low-- > 0) {
        const karat_symbol *s = &kernel->symbols[low];
        bool reaches = s->size ? addr - s->addr < s->size
                               : load_buffer_of(kernel, s->addr) >= 0 &&
                                     load_buffer_of(kernel, s->addr) == load_buffer_of(kernel, addr);
        if (reaches) {
            if (offset)
                *offset = addr - s->addr;
            return s;
        }
    }
    return NULL;
}
