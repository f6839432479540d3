/* Kernels that the command line launches, laid out as by the public driver and OpenCL runtime
 * (docs/run.md). */
#include "karat/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

#define PAGE        4096u
#define CODE_WINDOW 0x10000000u /* Bytes that the driver allocates for the image */
#define FIRST_BASE  0x90000000u /* Where the driver's buffers begin */
#define LDS_BYTES   0x1000u     /* Of a workgroup, as the driver declares them for every kernel */
#define PDS_BYTES   0x1000u     /* Of a thread, as the driver declares them */
#define REGISTERS   64u         /* Of each kind, as the driver declares them */

#define OTHER_BUFFERS 4 /* Buffers of arguments, print, private memory, metadata */

/* Words of the metadata buffer. */
enum {
    KNL_ENTRY,
    KNL_ARG_BASE,
    KNL_WORK_DIM,
    KNL_GLOBAL_SIZE,
    KNL_LOCAL_SIZE = KNL_GLOBAL_SIZE + 3,
    KNL_GLOBAL_OFFSET = KNL_LOCAL_SIZE + 3,
    KNL_PRINT_ADDR = KNL_GLOBAL_OFFSET + 3,
    KNL_PRINT_SIZE,
    KNL_WORDS = 16
};

typedef struct builder {
    elf_file *elf;
    load_kernel *loaded;
    karat_launch_spec *spec;
    karat_buffer *segments; /* The image */
    uint32_t num_segments;
    uint64_t next;    /* Where the next buffer may begin */
    uint32_t number;  /* Number of the next buffer in the list */
    uint64_t lds_end; /* Where the lowest local argument so far begins */
    uint8_t *bytes;   /* The next of loaded->argument_bytes */
} builder;

static bool complain(const builder *b, const char *text) {
    return elf_complain(b->elf, text);
}

/* --- Addresses --- */

/* A range of whole pages that meets no segment and no buffer before it. */
static bool take_range(builder *b, uint64_t size, uint32_t *base) {
    const uint64_t bytes = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < b->num_segments; i++) {
            const karat_buffer *s = &b->segments[i];
            const uint64_t end = (uint64_t)s->base + s->alloc_size;
            if (b->next < end && b->next + bytes > s->base) {
                b->next = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
                moved = true;
            }
        }
        if (b->next < (uint64_t)LOAD_METADATA_LDS + LOAD_LDS_SIZE && b->next + bytes > LOAD_METADATA_LDS) {
            b->next = (uint64_t)LOAD_METADATA_LDS + LOAD_LDS_SIZE;
            moved = true;
        }
    }
    if (b->next + bytes > (uint64_t)UINT32_MAX + 1)
        return false;
    *base = (uint32_t)b->next;
    b->next += bytes;
    return true;
}

static karat_buffer *add_buffer(builder *b, uint32_t base, uint32_t alloc_size) {
    karat_kernel *k = &b->loaded->kernel;
    karat_buffer *buffer = &b->loaded->buffers[k->num_buffers++];
    *buffer = (karat_buffer){.base = base, .alloc_size = alloc_size, .data = b->bytes, .number = b->number++};
    return buffer;
}

/* Bytes that are there from the start, written by the caller. */
static uint8_t *fill(builder *b, karat_buffer *buffer, uint32_t size) {
    uint8_t *to = b->bytes;
    buffer->data = to;
    buffer->size = size;
    b->bytes += size;
    return to;
}

static void put_word(uint8_t *to, uint32_t word) {
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(word >> 8 * i);
}

/* --- Arguments --- */

static bool complain_argument(const builder *b, uint32_t i, const char *what) {
    return load_complain(b->elf->diag, b->elf->path, 0, "argument %" PRIu32 ": %s", i, what);
}

static bool add_local(builder *b, uint32_t i) {
    karat_arg *arg = &b->spec->args[i];
    const uint64_t bytes = ((uint64_t)arg->size / PAGE + 1) * PAGE; /* The driver's rounding */
    if (bytes > b->lds_end - LOAD_METADATA_LDS)
        return complain_argument(b, i, "expected local memory that fits into the LDS window of 256 MiB");
    b->lds_end -= bytes;
    arg->addr = (uint32_t)b->lds_end;
    karat_buffer *buffer = &b->loaded->locals[b->loaded->kernel.num_locals++];
    *buffer = (karat_buffer){.base = arg->addr, .alloc_size = (uint32_t)bytes, .number = b->number++};
    memset(fill(b, buffer, arg->size), 0, arg->size);
    return true;
}

static bool add_argument(builder *b, uint32_t i, const load_file *file) {
    karat_arg *arg = &b->spec->args[i];
    if (arg->kind == KARAT_ARG_WORD)
        return true;
    if (arg->kind == KARAT_ARG_LOCAL)
        return add_local(b, i);
    if (!take_range(b, arg->size, &arg->addr))
        return complain_argument(b, i, "expected buffers that fit into the 32-bit address space");
    karat_buffer *buffer = add_buffer(b, arg->addr, arg->size);
    if (arg->kind == KARAT_ARG_FILE)
        memcpy(fill(b, buffer, arg->size), file->bytes, arg->size);
    else
        buffer->cleared = arg->size;
    return true;
}

/* Every argument takes a word: an address, or the value. */
static bool add_argument_buffer(builder *b, uint32_t *base) {
    karat_launch_spec *spec = b->spec;
    *base = 0;
    if (!spec->num_args)
        return true;
    if (!take_range(b, 4ull * spec->num_args, base))
        return complain(b, "expected arguments that fit into the 32-bit address space");
    uint8_t *words = fill(b, add_buffer(b, *base, 4 * spec->num_args), 4 * spec->num_args);
    for (uint32_t i = 0; i < spec->num_args; i++) {
        karat_arg *arg = &spec->args[i];
        put_word(words + 4 * (size_t)i, arg->kind == KARAT_ARG_WORD ? arg->word : arg->addr);
        if (arg->kind == KARAT_ARG_WORD)
            arg->addr = *base + 4 * i;
    }
    return true;
}

static void free_files(load_file *files, uint32_t num) {
    for (uint32_t i = 0; files && i < num; i++)
        free(files[i].bytes);
    free(files);
}

/* The files of the arguments, and the size of all contents. NULL: the reason was reported. */
static load_file *read_files(builder *b, uint64_t *bytes) {
    karat_launch_spec *spec = b->spec;
    load_file *files = calloc(spec->num_args + (size_t)1, sizeof *files);
    if (!files)
        complain(b, "not enough memory");
    *bytes = 4ull * spec->num_args + 4 * KNL_WORDS;
    for (uint32_t i = 0; files && i < spec->num_args; i++) {
        karat_arg *arg = &spec->args[i];
        bool good = true;
        if (arg->kind == KARAT_ARG_FILE) {
            good = load_read(&files[i], arg->path, b->elf->diag);
            arg->size = good ? (uint32_t)files[i].size : 0;
            if (good && !arg->size)
                good = load_complain(b->elf->diag, arg->path, 0,
                                     "expected a file that is not empty, argument %" PRIu32, i);
        }
        *bytes += arg->kind == KARAT_ARG_FILE || arg->kind == KARAT_ARG_LOCAL ? arg->size : 0;
        if (!good) {
            free_files(files, spec->num_args);
            files = NULL;
        }
    }
    return files;
}

/* --- The rest of the launch --- */

static bool check_kernel(const builder *b, uint32_t addr) {
    return (!(addr % 4) && load_elf_executable(b->elf, &b->loaded->kernel, addr) >= 0) ||
           load_complain(
               b->elf->diag, b->elf->path, 0,
               "expected kernel %s at a multiple of 4 in an executable segment, found it at 0x%08" PRIx32,
               b->spec->kernel, addr);
}

/* By its symbol or, where none has that name, by the address that the text is. */
static bool find_kernel(const builder *b, uint32_t *addr) {
    const karat_kernel *k = &b->loaded->kernel;
    for (uint32_t i = 0; i < k->num_symbols; i++)
        if (strcmp(k->symbols[i].name, b->spec->kernel) == 0) {
            *addr = k->symbols[i].addr;
            return check_kernel(b, *addr);
        }
    char *end;
    const unsigned long long value = strtoull(b->spec->kernel, &end, 0);
    if (b->spec->kernel[0] < '0' || b->spec->kernel[0] > '9' || *end || value > UINT32_MAX)
        return load_complain(b->elf->diag, b->elf->path, 0, "expected a symbol %s, the kernel to launch",
                             b->spec->kernel);
    *addr = (uint32_t)value;
    return check_kernel(b, *addr);
}

/* One of the kernel's resources: as the launch gives it; else as the record says; else, without a record, as
 * the driver declares it. What a record says without the stack is at least that. */
static bool take_need(const builder *b, const karat_needs *n, bool given, uint32_t value, const char *option,
                      uint64_t need, uint64_t stack, uint32_t usual, uint32_t *result) {
    *result = given ? value : usual;
    if (given || !n)
        return true;
    const bool has_stack = n->version >= 3;
    if (need == KARAT_UNKNOWN || (has_stack && stack == KARAT_UNKNOWN))
        return load_complain(b->elf->diag, b->elf->path, 0,
                             "%s: the kernel's record (version %" PRIu32
                             ") does not say how much it needs: expected %s",
                             b->spec->kernel, n->version, option);
    need += has_stack ? stack : 0;
    if (need > UINT32_MAX)
        return load_complain(b->elf->diag, b->elf->path, 0,
                             "%s: expected a record that needs less than 4 GiB, of %s", b->spec->kernel,
                             option);
    *result = has_stack || need > usual ? (uint32_t)need : usual;
    return true;
}

/* Registers are exact: a record that has fewer than the code uses is that error. */
static bool set_needs(builder *b) {
    karat_kernel *k = &b->loaded->kernel;
    const karat_launch_spec *s = b->spec;
    karat_needs needs, *n = elf_find_needs(b->elf, s->kernel, &needs) ? &needs : NULL;
    if (!n && b->elf->diag->text[0])
        return false;
    if (n && ((n->sgprs != KARAT_UNKNOWN && n->sgprs > KARAT_NUM_X) ||
              (n->vgprs != KARAT_UNKNOWN && n->vgprs > KARAT_NUM_V)))
        return load_complain(b->elf->diag, b->elf->path, 0,
                             "%s: expected a record of at most 64 scalar and 256 vector registers",
                             s->kernel);
    const uint64_t sgprs = n ? n->sgprs : 0, vgprs = n ? n->vgprs : 0;
    return take_need(b, n, s->has_lds, s->lds, "lds", n ? n->lds : 0, n ? n->lds_stack : 0, LDS_BYTES,
                     &k->lds_size) &&
           take_need(b, n, s->has_pds, s->pds, "pds", n ? n->pds : 0, n ? n->pds_stack : 0, PDS_BYTES,
                     &k->pds_size) &&
           take_need(b, n, s->has_sgprs, s->sgprs, "sgprs", sgprs, 0, n && sgprs ? 0 : REGISTERS,
                     &k->sgprs) &&
           take_need(b, n, s->has_vgprs, s->vgprs, "vgprs", vgprs, 0, n && vgprs ? 0 : REGISTERS, &k->vgprs);
}

static bool set_shape(builder *b) {
    karat_kernel *k = &b->loaded->kernel;
    karat_launch_spec *spec = b->spec;
    uint64_t groups = 1, items = 1;
    for (int i = 0; i < 3; i++) {
        if (!spec->local_dims)
            spec->local[i] = i ? 1 : spec->threads;
        k->grid[i] = spec->grid_dims    ? spec->grid[i]
                     : spec->items_dims ? (spec->items[i] - 1) / spec->local[i] + 1
                                        : 1;
        groups *= k->grid[i];
        items *= spec->local[i];
        if (groups > UINT32_MAX || items > UINT32_MAX)
            return complain(b, "expected fewer than 2^32 workgroups, and work-items in one");
        if ((uint64_t)k->grid[i] * spec->local[i] > UINT32_MAX)
            return complain(b, "expected fewer than 2^32 work-items in every direction");
    }
    const uint64_t warps = (items + spec->threads - 1) / spec->threads;
    if (warps > LOAD_MAX_WARPS)
        return complain(b, "expected workgroups of at most 1024 warps");
    k->wf_size = spec->threads;
    k->wg_size = (uint32_t)warps;
    k->lds_base = LOAD_METADATA_LDS;
    if (!set_needs(b))
        return false;
    k->pds_slots = spec->slots;
    for (int i = 0; i < 3; i++) {
        k->local[i] = spec->local[i];
        k->global[i] = spec->items_dims ? spec->items[i] : k->grid[i] * spec->local[i];
        k->offset[i] = spec->offset[i];
    }
    const char *wrong = karat_kernel_wrong_items(k);
    return !wrong || load_complain(b->elf->diag, b->elf->path, 0, "expected %s", wrong);
}

static bool take_private(builder *b, uint64_t group_bytes, uint64_t groups) {
    karat_kernel *k = &b->loaded->kernel;
    if (groups > ((uint64_t)1 << 32) / group_bytes || !take_range(b, group_bytes * groups, &k->pds_base))
        return false;
    add_buffer(b, k->pds_base, (uint32_t)(group_bytes * groups));
    return true;
}

/* Private memory goes by workgroup; where that does not fit, and the launch does not say how, by as many
 * resident slots as a quarter of the address space holds. */
static bool add_private(builder *b) {
    karat_kernel *k = &b->loaded->kernel;
    const uint64_t threads = (uint64_t)k->wf_size * k->wg_size, bytes = threads * k->pds_size,
                   groups = k->pds_slots ? k->pds_slots : karat_kernel_workgroups(k);
    if (!bytes || take_private(b, bytes, groups))
        return true;
    const uint64_t slots = k->pds_slots ? 0 : ((uint64_t)1 << 30) / bytes;
    k->pds_slots = slots < LOAD_MAX_SLOTS ? (uint32_t)slots : LOAD_MAX_SLOTS;
    return (slots && take_private(b, bytes, k->pds_slots)) ||
           load_complain(b->elf->diag, b->elf->path, 0,
                         "expected private memory that fits into the 32-bit address space: 0x%" PRIx32
                         " bytes for each of %" PRIu64 " threads of each of %" PRIu64 " workgroups",
                         k->pds_size, threads, groups);
}

static bool add_metadata(builder *b, uint32_t entry, uint32_t args) {
    karat_kernel *k = &b->loaded->kernel;
    const karat_launch_spec *spec = b->spec;
    uint32_t print = 0;
    if (spec->print) {
        if (!take_range(b, spec->print, &print))
            return complain(b, "expected a print buffer that fits into the 32-bit address space");
        add_buffer(b, print, spec->print)->cleared = spec->print;
    }
    if (!take_range(b, 4 * KNL_WORDS, &k->knl))
        return complain(b, "expected buffers that fit into the 32-bit address space");
    uint8_t *to = fill(b, add_buffer(b, k->knl, 4 * KNL_WORDS), 4 * KNL_WORDS);
    uint32_t word[KNL_WORDS] = {
        [KNL_ENTRY] = entry, [KNL_ARG_BASE] = args, [KNL_PRINT_ADDR] = print, [KNL_PRINT_SIZE] = spec->print};
    word[KNL_WORK_DIM] = spec->grid_dims > spec->local_dims ? spec->grid_dims : spec->local_dims;
    if (word[KNL_WORK_DIM] < spec->items_dims)
        word[KNL_WORK_DIM] = spec->items_dims;
    if (!word[KNL_WORK_DIM])
        word[KNL_WORK_DIM] = 1;
    for (int i = 0; i < 3; i++) {
        word[KNL_GLOBAL_SIZE + i] = k->global[i];
        word[KNL_GLOBAL_OFFSET + i] = k->offset[i];
        word[KNL_LOCAL_SIZE + i] = spec->local[i];
    }
    for (int i = 0; i < KNL_WORDS; i++)
        put_word(to + 4 * i, word[i]);
    return true;
}

/* --- All --- */

/* The segments come after the argument buffer in the list, as the driver writes its image. */
static void add_segments(builder *b) {
    karat_kernel *k = &b->loaded->kernel;
    for (uint32_t i = 0; i < b->num_segments; i++) {
        b->loaded->buffers[k->num_buffers] = b->segments[i];
        b->loaded->buffers[k->num_buffers++].number = b->number++;
    }
}

/* The image's place is memory up to the window's end, as the driver allocates it. */
static void grow_image(builder *b, uint32_t first) {
    karat_kernel *k = &b->loaded->kernel;
    const uint64_t code = k->buffers[load_buffer_of(k, k->start_addr)].base, window = code + CODE_WINDOW;
    for (uint32_t i = first; i < first + b->num_segments; i++) {
        karat_buffer *s = &b->loaded->buffers[i];
        uint64_t end = load_code_limit(k, i);
        if (end > window)
            end = window;
        if (s->base < LOAD_METADATA_LDS && end > LOAD_METADATA_LDS)
            end = LOAD_METADATA_LDS;
        if (s->base >= code && end > (uint64_t)s->base + s->alloc_size)
            s->alloc_size = (uint32_t)(end - s->base);
    }
}

static bool allocate(builder *b, uint64_t bytes) {
    load_kernel *loaded = b->loaded;
    const size_t args = b->spec->num_args;
    b->segments = loaded->buffers;
    b->num_segments = loaded->kernel.num_buffers;
    loaded->kernel.num_buffers = 0;
    loaded->kernel.buffers = loaded->buffers =
        calloc(b->num_segments + args + OTHER_BUFFERS, sizeof *loaded->buffers);
    loaded->kernel.locals = loaded->locals = calloc(args + 1, sizeof *loaded->locals);
    b->bytes = loaded->argument_bytes = malloc(bytes);
    return (loaded->buffers && loaded->locals && loaded->argument_bytes) || complain(b, "not enough memory");
}

static bool add_all(builder *b, uint32_t entry, const load_file *files) {
    uint32_t args;
    for (uint32_t i = 0; i < b->spec->num_args; i++)
        if (!add_argument(b, i, &files[i]))
            return false;
    if (!add_argument_buffer(b, &args))
        return false;
    const uint32_t first = b->loaded->kernel.num_buffers;
    add_segments(b);
    if (!add_private(b) || !add_metadata(b, entry, args))
        return false;
    grow_image(b, first);
    return true;
}

static bool build(builder *b) {
    karat_kernel *k = &b->loaded->kernel;
    uint32_t entry = 0;
    k->start_addr = b->elf->header.e_entry;
    if (!find_kernel(b, &entry))
        return false;
    if (k->start_addr % 4 || load_elf_executable(b->elf, k, k->start_addr) < 0)
        return complain(b, "expected start-up code (_start) at the entry pc (e_entry), a multiple of 4 in an "
                           "executable segment");
    if (!set_shape(b))
        return false;
    uint64_t bytes;
    load_file *files = read_files(b, &bytes);
    const bool good = files && allocate(b, bytes) && add_all(b, entry, files);
    free_files(files, b->spec->num_args);
    free(b->segments);
    return good;
}

bool load_launch(elf_file *e, load_kernel *loaded, karat_launch_spec *spec) {
    builder b = {.elf = e,
                 .loaded = loaded,
                 .spec = spec,
                 .next = spec->has_base ? spec->base : FIRST_BASE,
                 .lds_end = (uint64_t)LOAD_METADATA_LDS + LOAD_LDS_SIZE};
    return build(&b);
}
