/* karat import: the log of another simulator as a trace that karat check judges. */
#include "import.h"
#include "log.h"
#include "interrupt.h"
#include "progress.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "meta.h"
#include "port.h"
#include "whole.h"

static const import_format *const formats[] = {&import_log, &import_chisel};

enum { OPT_LOG = 512, OPT_PARTIAL, OPT_JSON };

typedef struct import_options {
    session_options session;
    const import_format *format;
    const char *out;
    char **logs;
    uint32_t num_logs;
    bool partial;
} import_options;

static const struct argp_option options[] = {
    {"output", 'o', "TRACE", 0, "Write the trace to this file", 2},
    {"log", OPT_LOG, "FILE", 0,
     "The log; format log: that of the first kernel, repeat for the next (default: NAME.log in the same "
     "folder)",
     2},
    {"partial", OPT_PARTIAL, NULL, 0,
     "Where a line of a log is not understood, make a trace of the lines before it, and report that in the "
     "last "
     "line",
     2},
    RESULTS_OPTION(OPT_JSON, 2),
    {0},
};

static error_t take_format(import_options *o, const char *name) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(name, formats[i]->name) == 0)
            o->format = formats[i];
    return o->format ? 0 : cli_bad_option("expected the format, log or chisel, found '%s'", name);
}

static error_t add_log(import_options *o, char *arg) {
    char **logs = realloc(o->logs, (o->num_logs + 1) * sizeof *logs);
    if (!logs)
        return ENOMEM;
    logs[o->num_logs++] = arg;
    o->logs = logs;
    return 0;
}

static error_t check_options(const import_options *o) {
    if (!o->format)
        return cli_bad_option("expected the format, log or chisel, and kernel files");
    if (!o->out)
        return cli_bad_option("expected the trace to write (-o TRACE)");
    if (o->format->one_each && o->num_logs > o->session.num_files)
        return cli_bad_option("--log: more logs than kernels");
    if (!o->format->one_each && o->num_logs != 1)
        return cli_bad_option("format %s: expected one --log", o->format->name);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    import_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        cli_one_line(state);
        state->child_inputs[0] = &o->session;
        return 0;
    case 'o': o->out = arg; return 0;
    case OPT_LOG: return add_log(o, arg);
    case OPT_PARTIAL: o->partial = true; return 0;
    case OPT_JSON: results_as_json(); return 0;
    case ARGP_KEY_ARG: return o->format ? ARGP_ERR_UNKNOWN : take_format(o, arg);
    case ARGP_KEY_END: return check_options(o);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&device_argp, 0, NULL, 0}, {0}};
const struct argp cmd_import_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FORMAT KERNEL...",
    .doc =
        "Make a trace of another simulator's log, for karat check to judge. KERNEL is the program that was "
        "run: "
        ".metadata with "
        ".data in the same folder, or ELF; several ran one after the other on one memory."
        "\vFormats:\n"
        "  log     register log of an instruction-set simulator, as karat compare-log reads it\n"
        "  chisel  the Chisel Ventus core's output of writebacks, loads, stores and branches\n"
        "\nIn the report of karat check, a cycle is a line of the log; where there is a log for each kernel, "
        "the lines "
        "of the next continue at the next full million. Information that a format lacks is named in the "
        "verdict as "
        "unchecked. Exit status: 0; 2 where an input cannot be used, and no trace is written; 5 at SIGINT or "
        "SIGTERM, "
        "and the trace has the lines up to there.",
    .children = children,
};

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
                            imp->session->num_kernels, imp->cycle);
    if (karat_interrupted() && !imp->interrupted) {
        imp->interrupted = imp->gave_up = true;
        results_note("partial: ended by %s: the trace ends with line %" PRIu64, karat_interrupt_name(),
                     imp->cycle);
    }
    return imp->interrupted;
}

void import_put(importer *imp, const void *record) {
    imp->records++;
    karat_trace_record(imp->writer, record, karat_rec_size(((const karat_rec_header *)record)->kind));
}

static void put_hello(importer *imp, const import_format *format) {
    karat_rec_hello r = {
        .h = import_header(imp, KARAT_REC_HELLO, NULL),
        .version = KARAT_PORT_VERSION,
        .num_sm = (uint8_t)imp->num_sm,
        .num_warp = (uint8_t)imp->num_warp,
        .num_thread = (uint8_t)imp->session->options.threads,
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
    return imp->session->kernels[imp->next_kernel - 1];
}

bool import_kernel(importer *imp) {
    const karat_kernel *k = imp->session->kernels[imp->next_kernel];
    const uint32_t threads = (uint32_t)imp->session->options.threads;
    imp->expected = (uint64_t)karat_kernel_workgroups(k) * k->wg_size;
    if (imp->expected > KARAT_PORT_WARPS) {
        cli_error("%s: expected at most %d warps in all workgroups, found %" PRIu64, k->name,
                  KARAT_PORT_WARPS, imp->expected);
        return false;
    }
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
    karat_rec_kernel r = {
        .h = import_header(imp, KARAT_REC_KERNEL, NULL),
        .index = imp->next_kernel,
        .grid = {k->grid[0], k->grid[1], k->grid[2]},
        .wg_size = k->wg_size,
        .wf_size = karat_kernel_wf_size(k, threads),
        .pc = k->start_addr,
        .knl = k->knl,
        .lds_base = k->lds_base,
        .lds_size = k->lds_size,
        .pds_base = k->pds_base,
        .pds_size = k->pds_size,
        .sgprs = (uint16_t)k->sgprs,
        .vgprs = (uint16_t)k->vgprs,
        .num_region = num_region,
    };
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
        *g = (import_group){.open = true, .workgroup = workgroup, .sm = slot->sm, .left = k->wg_size};
        status = karat_kernel_open(k, imp->model, (uint32_t)(g - imp->groups));
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

void import_mem(const importer *imp, const import_slot *slot, uint32_t seq, const karat_mem *mem, unsigned op,
                karat_rec_mem *record) {
    memset(record, 0, sizeof *record);
    record->h = import_header(imp, KARAT_REC_MEM, slot);
    record->seq = seq;
    record->op = (uint8_t)(mem ? mem->op : op);
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

/* --- The command --- */

/* The slots, and a model that has them all. */
static bool make_device(importer *imp) {
    const uint32_t num = imp->num_sm * imp->num_warp;
    if (num > KARAT_PORT_SLOTS) {
        cli_error("expected at most %d warp slots, found %" PRIu32 " SMs of %" PRIu32, KARAT_PORT_SLOTS,
                  imp->num_sm, imp->num_warp);
        return false;
    }
    karat_config config = *karat_get_config(imp->session->model);
    config.max_warp = config.max_workgroup = num;
    karat_destroy(imp->session->model);
    karat_status status;
    imp->session->model = imp->model = karat_create(&config, &status);
    imp->slots = calloc(num, sizeof *imp->slots);
    imp->groups = calloc(num, sizeof *imp->groups);
    if (!imp->model || !imp->slots || !imp->groups) {
        cli_error("not enough memory");
        return false;
    }
    for (uint32_t i = 0; i < num; i++)
        imp->slots[i] = (import_slot){.sm = i / imp->num_warp, .index = i % imp->num_warp, .handle = i};
    return true;
}

static char *make_meta(const importer *imp) {
    const session *s = imp->session;
    char program[256] = "";
    for (uint32_t i = 0; i < s->num_kernels; i++) {
        size_t used = strlen(program);
        snprintf(program + used, sizeof program - used, "%s%s", i ? "," : "", s->kernels[i]->name);
    }
    karat_check_config config;
    karat_check_config_default(&config);
    config.model = *karat_get_config(imp->model);
    config.hang_cycles = INT64_MAX; /* lines are no time */
    config.program = program;
    config.kernels = (const karat_kernel *const *)s->kernels;
    config.num_kernels = s->num_kernels;
    return karat_trace_meta_make(&config, 0);
}

static bool is_complete(const importer *imp) {
    return imp->next_kernel == imp->session->num_kernels && imp->ended == imp->expected && !imp->gave_up;
}

static bool write_records(importer *imp, const import_format *format) {
    put_hello(imp, format);
    if (!format->run(imp))
        return false;
    const bool done = is_complete(imp);
    karat_rec_bye bye = {.h = import_header(imp, KARAT_REC_BYE, NULL),
                         .reason = done ? KARAT_BYE_DONE : KARAT_BYE_ABORT};
    import_put(imp, &bye);
    return true;
}

static bool write_trace(importer *imp, const import_format *format, const char *out) {
    char *meta = make_meta(imp), *end = karat_trace_end_make(NULL);
    karat_diag diag = {.text = "not enough memory"};
    karat_whole whole;
    bool good = meta && end && karat_whole_reserve(&whole, out, &diag);
    if (good && !(imp->writer = karat_trace_create_as(whole.next, out, meta, &diag))) {
        karat_whole_drop(&whole);
        good = false;
    }
    if (!good)
        cli_error("%s", diag.text);
    if (imp->writer) {
        good = write_records(imp, format);
        const bool closed = karat_trace_close(imp->writer, end, &diag);
        const bool done = good && closed && karat_whole_end(&whole, &diag);
        if (good && !done)
            cli_error("%s", diag.text);
        if (!good || !closed)
            karat_whole_drop(&whole);
        good = done;
    }
    free(meta);
    free(end);
    return good;
}

static bool name_logs(importer *imp, const import_options *o) {
    imp->num_logs = o->format->one_each ? o->session.num_files : 1;
    imp->logs = calloc(imp->num_logs, sizeof *imp->logs);
    for (uint32_t i = 0; imp->logs && i < imp->num_logs; i++) {
        imp->logs[i] = i < o->num_logs ? strdup(o->logs[i]) : log_beside(o->session.files[i]);
        if (!imp->logs[i])
            break;
        if (i + 1 == imp->num_logs)
            return true;
    }
    cli_error("not enough memory");
    return false;
}

/* False: an error was reported. */
static bool begin_output(const importer *imp, const import_options *o) {
    karat_outputs outputs = {0};
    karat_outputs_write(&outputs, o->out);
    for (uint32_t i = 0; i < imp->num_logs; i++)
        karat_outputs_read(&outputs, imp->logs[i]);
    for (uint32_t i = 0; i < o->session.num_files; i++)
        karat_outputs_read_kernel(&outputs, o->session.files[i]);
    return cli_begin_outputs(&outputs);
}

static int report(const importer *imp, const import_options *o) {
    const int status = imp->interrupted ? CLI_INCOMPLETE : CLI_OK;
    karat_progress_hide();
    if (!results_are_json())
        return status;
    return results_put(json_pack("{s:s, s:o, s:I, s:I, s:I, s:b}", "format", o->format->name, "trace",
                                 results_name(o->out), "kernels", (json_int_t)imp->next_kernel, "warps",
                                 (json_int_t)imp->warps, "records", (json_int_t)imp->records, "complete",
                                 is_complete(imp)))
               ? status
               : CLI_BAD_INPUT;
}

int cmd_import(int argc, char **argv) {
    import_options o = {0};
    session s = {0};
    importer imp = {.session = &s};
    int status = CLI_BAD_INPUT;
    if (!cli_parse(&cmd_import_argp, argc, argv, &o) || !name_logs(&imp, &o) || !begin_output(&imp, &o)) {
        session_options_free(&o.session);
    } else {
        imp.partial = o.partial;
        karat_interrupt_catch();
        if (session_open(&s, &o.session) && o.format->open(&imp) && make_device(&imp) &&
            write_trace(&imp, o.format, o.out))
            status = report(&imp, &o);
        if (s.num_kernels)
            o.format->close(&imp);
        session_close(&s);
    }
    for (uint32_t i = 0; imp.logs && i < imp.num_logs; i++)
        free(imp.logs[i]);
    free(imp.logs);
    free(imp.slots);
    free(imp.groups);
    free(o.logs);
    return status;
}
