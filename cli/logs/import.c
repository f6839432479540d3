/* Logs of other simulators as record streams: files, records, a model that runs along. */
#include "import.h"
#include "array.h"
#include "interrupt.h"
#include "progress.h"
#include "results.h"
#include "retire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "karat/image.h"
#include "port.h"

static const import_format *const formats[] = {&import_log, &import_chisel};
enum { NUM_FORMAT = sizeof formats / sizeof *formats };

/* --- Files --- */

enum { OPT_PARTIAL = 512, OPT_STRICT_LINES };

static const struct argp_option input_options[] = {
    {"partial", OPT_PARTIAL, NULL, 0,
     "Where a line of a log is not understood, use the lines before it, and name that line", 1},
    {"strict-lines", OPT_STRICT_LINES, NULL, 0,
     "Lines of other programs in a log are not passed over, but not understood", 1},
    {0},
};

/* Whether it is a regular file that begins so: others can be read once only. */
static bool begins_with(const char *path, const char *magic) {
    char first[8] = "";
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    const bool good = file && fread(first, 1, strlen(magic), file) == strlen(magic);
    if (file)
        fclose(file);
    return good && memcmp(first, magic, strlen(magic)) == 0;
}

static bool is_kernel(const char *path) {
    const char *dot = strrchr(path, '.');
    return (dot && (strcmp(dot, ".metadata") == 0 || strcmp(dot, ".elf") == 0)) || karat_is_words(path) ||
           begins_with(path, "\177ELF");
}

/* NAME.metadata beside NAME.log: the caller's to free(). */
static char *kernel_beside(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    char *name = malloc(stem + sizeof ".metadata");
    if (name)
        sprintf(name, "%.*s.metadata", (int)stem, path);
    return name;
}

static bool add(char ***files, uint32_t *num, char *file) {
    if (!file || !karat_grow(files, *num, sizeof **files))
        return false;
    (*files)[(*num)++] = file;
    return true;
}

/* Where no kernel is named, those beside the logs; a file alone without one is no log. */
static error_t find_kernels(import_options *o) {
    struct stat info;
    const bool magic = o->num_logs && begins_with(o->logs[0], "KARATTR\n");
    if (magic && o->num_logs + o->session.num_files > 1)
        return cli_bad_option("%s: a recording: expected no further file", o->logs[0]);
    if (!o->num_logs)
        return cli_bad_option("expected a recording or a log%s",
                              o->session.num_files ? ", found only kernels" : "");
    if (o->session.num_files)
        return 0;
    for (uint32_t i = 0; i < o->num_logs; i++) {
        char *name = kernel_beside(o->logs[i]);
        if (!add(&o->beside, &o->num_beside, name) || !add(&o->session.files, &o->session.num_files, name))
            return ENOMEM;
    }
    o->recording = o->num_logs == 1 && (magic || stat(o->beside[0], &info) != 0);
    o->lacks_kernel = o->recording && !magic && begins_with(o->logs[0], "");
    return 0;
}

static error_t parse_input(int key, char *arg, struct argp_state *state) {
    import_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        o->session.may_lack_files = true;
        state->child_inputs[0] = &o->session;
        return 0;
    case OPT_PARTIAL: o->rules.partial = true; return 0;
    case OPT_STRICT_LINES: o->rules.strict = true; return 0;
    case ARGP_KEY_ARG:
        return is_kernel(arg) ? ARGP_ERR_UNKNOWN : add(&o->logs, &o->num_logs, arg) ? 0 : ENOMEM;
    case ARGP_KEY_END: return find_kernels(o);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child input_children[] = {{&device_argp, 0, NULL, 0}, {0}};
const struct argp import_argp = {.options = input_options, .parser = parse_input, .children = input_children};

void import_options_free(import_options *o) {
    session_options_free(&o->session);
    for (uint32_t i = 0; i < o->num_beside; i++)
        free(o->beside[i]);
    free(o->beside);
    free(o->logs);
    *o = (import_options){0};
}

void import_inputs(const import_options *o, karat_outputs *outputs) {
    for (uint32_t i = 0; i < o->num_logs; i++)
        karat_outputs_read(outputs, o->logs[i]);
    for (uint32_t i = 0; i < o->session.num_files && !o->recording; i++)
        karat_outputs_read_kernel(outputs, o->session.files[i]);
}

/* --- Records --- */

karat_rec_header import_header(const importer *imp, unsigned kind, const import_slot *slot) {
    karat_rec_header h = {.kind = (uint8_t)kind, .cycle = imp->cycle};
    if (slot) {
        h.sm = (uint8_t)slot->sm;
        h.slot = (uint8_t)slot->index;
        h.epoch = slot->epoch;
    }
    return h;
}

bool import_stops(importer *imp) {
    if (karat_progress_due())
        karat_progress_show("kernel %" PRIu32 " of %" PRIu32 ", line %" PRIu64, imp->next_kernel,
                            imp->session.num_kernels, imp->cycle);
    if (karat_interrupted() && !imp->interrupted) {
        imp->interrupted = imp->gave_up = true;
        results_note("partial: ended by %s: the log ends with line %" PRIu64, karat_interrupt_name(),
                     imp->cycle);
    }
    return imp->interrupted;
}

void import_put(importer *imp, const void *record) {
    imp->records++;
    imp->sink(imp->context, record, karat_rec_size(((const karat_rec_header *)record)->kind));
}

static void put_hello(importer *imp) {
    const import_format *format = imp->format;
    karat_rec_hello r = {
        .h = import_header(imp, KARAT_REC_HELLO, NULL),
        .version = KARAT_PORT_VERSION,
        .num_sm = (uint8_t)imp->num_sm,
        .num_warp = (uint8_t)imp->num_warp,
        .num_thread = (uint8_t)imp->session.options.threads,
        .mem_order = format->mem_order,
        .gives = format->gives & ~imp->withheld,
        .props = format->props,
    };
    snprintf((char *)r.name, sizeof r.name, "%s", format->name);
    import_put(imp, &r);
}

static void put_buffer(importer *imp, const karat_buffer *buffer) {
    for (uint32_t at = 0; at < buffer->size;) {
        karat_rec_host r = {.h = import_header(imp, KARAT_REC_HOST, NULL),
                            .addr = (uint64_t)buffer->base + at};
        r.length = buffer->size - at < sizeof r.data ? buffer->size - at : sizeof r.data;
        memcpy(r.data, buffer->data + at, r.length);
        import_put(imp, &r);
        at += r.length;
    }
}

const karat_kernel *import_current(const importer *imp) {
    return imp->session.kernels[imp->next_kernel - 1];
}

bool import_kernel(importer *imp) {
    const karat_kernel *k = imp->session.kernels[imp->next_kernel];
    const uint32_t threads = (uint32_t)imp->session.options.threads;
    imp->numbers = (uint64_t)karat_kernel_workgroups(k) * k->wg_size;
    if (imp->numbers > KARAT_PORT_WARPS) {
        cli_error("%s: expected at most %d warps in all workgroups, found %" PRIu64, k->name,
                  KARAT_PORT_WARPS, imp->numbers);
        return false;
    }
    imp->expected = karat_kernel_warps(k, threads);
    karat_status status = karat_kernel_place(k, imp->model);
    if (status != KARAT_OK) {
        cli_error("%s: its buffers cannot be placed: %s", k->name, cli_status_name(status));
        return false;
    }
    uint32_t num_region = karat_kernel_num_regions(k);
    for (uint32_t i = 0; i < num_region; i++) {
        karat_rec_region r = {.h = import_header(imp, KARAT_REC_REGION, NULL)};
        karat_kernel_region(k, i, threads, &r.base, &r.size);
        import_put(imp, &r);
    }
    for (uint32_t i = 0; i < k->num_buffers; i++)
        put_buffer(imp, &k->buffers[i]);
    for (uint32_t i = 0; i < k->num_locals; i++)
        put_buffer(imp, &k->locals[i]);
    karat_rec_items items = {.h = import_header(imp, KARAT_REC_ITEMS, NULL)};
    if (karat_retire_items(k, &items))
        import_put(imp, &items);
    karat_rec_kernel r = {.h = import_header(imp, KARAT_REC_KERNEL, NULL)};
    karat_retire_kernel(k, threads, imp->next_kernel, num_region, &r);
    import_put(imp, &r);
    imp->next_kernel++;
    imp->launched = imp->ended = 0;
    return true;
}

/* The workgroup's handle in the model, opened where it is not. */
static import_group *find_group(importer *imp, uint32_t workgroup) {
    const uint32_t num = imp->num_sm * imp->num_warp;
    for (uint32_t i = 0; i < num; i++)
        if (imp->groups[i].open && imp->groups[i].workgroup == workgroup)
            return &imp->groups[i];
    for (uint32_t i = 0; i < num; i++)
        if (!imp->groups[i].open)
            return &imp->groups[i];
    return NULL;
}

bool import_launch(importer *imp, import_slot *slot, uint32_t workgroup, uint32_t warp,
                   karat_launch_desc *desc, karat_rec_launch *r) {
    const karat_kernel *k = import_current(imp);
    import_group *g = find_group(imp, workgroup);
    karat_status status = g ? KARAT_OK : KARAT_BAD_ARGUMENT;
    if (g && !g->open) {
        *g = (import_group){.open = true, .workgroup = workgroup, .sm = slot->sm};
        g->left = karat_kernel_group_warps(k, (uint32_t)imp->session.options.threads, workgroup);
        status = karat_kernel_open(k, imp->model, (uint32_t)(g - imp->groups), workgroup);
    }
    slot->epoch += slot->launched;
    slot->launched = true;
    slot->ended = false;
    slot->seq = 0;
    slot->workgroup = workgroup;
    slot->warp = warp;
    slot->group = g ? (uint32_t)(g - imp->groups) : 0;
    desc->workgroup = slot->group;
    if (status == KARAT_OK)
        status = karat_launch(imp->model, slot->handle, desc);
    if (status == KARAT_OK && r->csr_given >> KARAT_LAUNCH_MSTATUS & 1)
        status = karat_csr_write(imp->model, slot->handle, 0x300, r->mstatus);
    if (status != KARAT_OK) {
        cli_error("workgroup %" PRIu32 " warp %" PRIu32 " cannot be launched in sm %" PRIu32 " slot %" PRIu32
                  ": more workgroups under way at once than the device has slots",
                  workgroup, warp, slot->sm, slot->index);
        return false;
    }
    r->h = import_header(imp, KARAT_REC_LAUNCH, slot);
    r->workgroup = workgroup;
    r->warp = warp;
    r->pc = desc->pc;
    r->mask = desc->mask;
    import_put(imp, r);
    imp->launched++;
    imp->warps++;
    return true;
}

karat_status import_step(importer *imp, import_slot *slot) {
    karat_status status = karat_step(imp->model, slot->handle, &imp->commit);
    if (status != KARAT_OK || !imp->commit.ended)
        return status;
    slot->ended = true;
    imp->ended++;
    import_group *g = &imp->groups[slot->group];
    if (--g->left == 0) {
        karat_workgroup_close(imp->model, slot->group);
        g->open = false;
    }
    return status;
}

void import_mem(const importer *imp, const import_slot *slot, uint32_t seq, unsigned op,
                karat_rec_mem *record) {
    memset(record, 0, sizeof *record);
    record->h = import_header(imp, KARAT_REC_MEM, slot);
    record->seq = seq;
    record->op = (uint8_t)op;
}

void import_mem_lane(karat_rec_mem *r, uint32_t lane, uint32_t addr, uint32_t data, unsigned bytes) {
    r->mask |= 1u << lane;
    r->addr[lane] = addr;
    r->data[lane] = data;
    r->bytes[lane / 2] |= (uint8_t)(((1u << bytes) - 1) << lane % 2 * 4);
}

int32_t import_csr_read(uint32_t word) {
    bool reads = (word & 0x7f) == 0x73 && (word >> 12 & 3) && word >> 7 & 31;
    return reads ? (int32_t)(word >> 20) : -1;
}

/* The first values count. */
void import_reported(reported_csrs *t, uint32_t word, uint32_t value) {
    const int32_t csr = import_csr_read(word);
    const uint32_t bit = csr == 0x300 ? KARAT_LAUNCH_MSTATUS : (uint32_t)csr - KARAT_CSR_BASE;
    if (csr < 0 || (csr != 0x300 && bit > KARAT_CSR_GDZ) || t->given >> bit & 1)
        return;
    t->given |= 1u << bit;
    *(csr == 0x300 ? &t->mstatus : &t->csr[bit]) = value;
}

bool import_fits(const reported_csrs *t, uint32_t csrs, const karat_kernel *kernel, uint32_t threads,
                 uint32_t workgroup, uint32_t warp) {
    karat_launch_desc desc;
    karat_kernel_launch(kernel, threads, workgroup, warp, &desc);
    for (uint32_t left = t->given & csrs; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        if (t->csr[i] != desc.csr[i])
            return false;
    }
    return true;
}

/* --- A stream --- */

/* The format of which the log's first known line is; NULL: of none, or an error was reported. */
static const import_format *format_of(log_lines *log) {
    for (const char *line; (line = log_lines_next(log));)
        for (unsigned i = 0; i < NUM_FORMAT; i++)
            if (formats[i]->begins(line))
                return formats[i];
    return NULL;
}

static bool find_format(importer *imp, const import_options *o) {
    log_lines *first = &imp->lines[0];
    imp->format = format_of(first);
    if (first->failed)
        return false;
    if (!imp->format)
        cli_error(
            "%s: expected a register log (lines 'core N: ...'), or output of the Chisel core (lines 'sm S "
            "warp W 0xPC 0xWORD ...')",
            first->path);
    else if (imp->format->one_each && o->num_logs > imp->session.num_kernels)
        cli_error("%s: expected a kernel for each log", o->logs[imp->session.num_kernels]);
    else if (imp->format->one_each && o->num_logs < imp->session.num_kernels)
        cli_error("%s: expected a log for each kernel", imp->session.options.files[o->num_logs]);
    else if (!imp->format->one_each && o->num_logs != 1)
        cli_error("%s: output of the Chisel core: expected one log for all kernels", first->path);
    else
        return true;
    return false;
}

static bool read_logs(importer *imp, const import_options *o) {
    imp->lines = cli_alloc(o->num_logs * sizeof *imp->lines);
    for (; imp->num_logs < o->num_logs; imp->num_logs++)
        if (!log_lines_open(&imp->lines[imp->num_logs], o->logs[imp->num_logs], o->rules)) {
            log_lines_close(&imp->lines[imp->num_logs]);
            return false;
        }
    return find_format(imp, o) && imp->format->open(imp);
}

/* The slots, and a model that has them all. */
static bool make_device(importer *imp) {
    session *s = &imp->session;
    const uint32_t num = imp->num_sm * imp->num_warp;
    if (num > KARAT_PORT_SLOTS) {
        cli_error("expected at most %d warp slots, found %" PRIu32 " SMs of %" PRIu32, KARAT_PORT_SLOTS,
                  imp->num_sm, imp->num_warp);
        return false;
    }
    karat_config config = *karat_get_config(s->model);
    config.max_warp = config.max_workgroup = num;
    karat_destroy(s->model);
    karat_status status;
    s->model = imp->model = karat_create(&config, &status);
    imp->slots = cli_alloc(num * sizeof *imp->slots);
    imp->groups = cli_alloc(num * sizeof *imp->groups);
    if (!imp->model) {
        cli_error("not enough memory");
        return false;
    }
    for (uint32_t i = 0; i < num; i++)
        imp->slots[i] = (import_slot){.sm = i / imp->num_warp, .index = i % imp->num_warp, .handle = i};
    return true;
}

bool import_open(importer *imp, import_options *o) {
    *imp = (importer){0};
    const bool good = session_open(&imp->session, &o->session);
    o->session = (session_options){0};
    return good && read_logs(imp, o) && make_device(imp);
}

void import_close(importer *imp) {
    if (imp->parsed)
        imp->format->close(imp);
    for (uint32_t i = 0; i < imp->num_logs; i++)
        log_lines_close(&imp->lines[i]);
    free(imp->lines);
    free(imp->slots);
    free(imp->groups);
    session_close(&imp->session);
    *imp = (importer){0};
}

bool import_is_complete(const importer *imp) {
    return imp->next_kernel == imp->session.num_kernels && imp->ended == imp->expected && !imp->gave_up;
}

bool import_run(importer *imp, karat_port_sink *sink, void *context) {
    imp->sink = sink;
    imp->context = context;
    put_hello(imp);
    if (!imp->format->run(imp))
        return false;
    karat_rec_bye bye = {.h = import_header(imp, KARAT_REC_BYE, NULL),
                         .reason = import_is_complete(imp) ? KARAT_BYE_DONE : KARAT_BYE_ABORT};
    import_put(imp, &bye);
    return true;
}
