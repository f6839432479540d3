/* Command karat run: kernels on the model alone. */
#include "cov.h"
#include "run_strict.h"
#include "launch_argp.h"
#include "interrupt.h"
#include "progress.h"
#include "run_record.h"
#include "run_where.h"
#include "run_session.h"
#include "subcommands.h"
#include "trace.h"
#include "trace_text.h"
#include "trace_window.h"
#include "array.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_DUMP = 512, OPT_TRACE, OPT_JSON, OPT_COVERAGE, OPT_STRICT, OPT_DUMP_ARG, OPT_RECORD };

typedef struct dump {
    char *place;        /* An address or a symbol */
    uint64_t size;      /* Bytes; 0: all of the symbol */
    uint32_t addr, num; /* Words */
} dump;

typedef struct run_options {
    session_options session;
    dump *dumps;
    uint32_t num_dumps;
    karat_dump_arg *dump_args;
    uint32_t num_dump_args;
    bool trace;
    trace_window window;
    const char *trace_path; /* NULL: standard output */
    const char *json_path;
    const char *coverage_path;
    uint32_t strict; /* KARAT_STRICT_* */
    const char *record_path;
} run_options;

static const struct argp_option options[] = {
    {"dump", OPT_DUMP, "PLACE[,LEN]", 0,
     "Print LEN bytes of memory at the end, in whole words, from an address or a symbol on; without LEN all "
     "of the symbol; may be "
     "repeated",
     2},
    {"dump-arg", OPT_DUMP_ARG, "N[:FILE]", 0,
     "Print the buffer of argument N (from 0) at the end, or write its bytes to FILE; may be "
     "repeated",
     2},
    {"trace", OPT_TRACE, "FILE", OPTION_ARG_OPTIONAL, "Print one line per step (to FILE)", 2},
    {"json", OPT_JSON, "FILE", 0, "Write the summary to FILE as JSON", 2},
    {"coverage", OPT_COVERAGE, "FILE", 0, "Write the coverage of the kernels to FILE (see 'karat cov')", 2},
    {"strict", OPT_STRICT, "LIST", 0,
     "Undefined behaviour and likely mistakes of a program that are an error: a list "
     "of " KARAT_STRICT_WORDS " (docs/triage.md)",
     2},
    {"record", OPT_RECORD, "FILE", 0,
     "Write the run to FILE as a recording of a core 'model' (see 'karat check')", 2},
    {0},
};

static error_t add_dump(run_options *o, const char *arg) {
    const char *comma = strchr(arg, ',');
    dump d = {0};
    uint64_t addr;
    const bool good = comma ? comma > arg && cli_number(comma + 1, UINT32_MAX, &d.size) && d.size
                            : *arg && !cli_number(arg, UINT64_MAX, &addr);
    if (!good)
        return cli_bad_option("--dump: expected ADDRESS,LEN or SYMBOL or SYMBOL,LEN, found '%s'", arg);
    if (!karat_grow(&o->dumps, o->num_dumps, sizeof *o->dumps))
        return ENOMEM;
    if (!(d.place = comma ? strndup(arg, (size_t)(comma - arg)) : strdup(arg)))
        return ENOMEM;
    o->dumps[o->num_dumps++] = d;
    return 0;
}

/* False: an error was reported. Symbols are those of the first kernel that has them. */
static bool find_dump(const session *s, dump *d) {
    bool found = false;
    uint32_t first = 0, last = 0;
    for (uint32_t i = 0; i < s->num_kernels && !found; i++)
        found = cli_find_place(s->kernels[i], d->place, &first, &last);
    if (!found) {
        cli_error("--dump: expected an address, or a symbol of one of the kernels, found '%s'", d->place);
        return false;
    }
    const uint64_t end = d->size ? first + d->size : (uint64_t)last + 1;
    if (end > (uint64_t)UINT32_MAX + 1 || (!d->size && last == UINT32_MAX)) {
        if (d->size)
            cli_error("--dump: %s,%" PRIu64 " is beyond the 32-bit address space", d->place, d->size);
        else
            cli_error("--dump: %s has no size: expected %s,LEN", d->place, d->place);
        return false;
    }
    d->addr = first & ~UINT32_C(3);
    d->num = (uint32_t)((end + 3 - d->addr) / 4);
    return true;
}

static bool find_dumps(const session *s, run_options *o) {
    for (uint32_t i = 0; i < o->num_dumps; i++)
        if (!find_dump(s, &o->dumps[i]))
            return false;
    return true;
}

static error_t add_dump_arg(run_options *o, const char *arg) {
    if (!karat_grow(&o->dump_args, o->num_dump_args, sizeof *o->dump_args))
        return ENOMEM;
    return launch_dump_parse(arg, &o->dump_args[o->num_dump_args]) ? (o->num_dump_args++, 0) : EINVAL;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    run_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        cli_one_line(state);
        state->child_inputs[0] = &o->session;
        state->child_inputs[1] = &o->window;
        state->child_inputs[2] = &o->session;
        return 0;
    case ARGP_KEY_END:
        return o->trace || !o->window.given
                   ? 0
                   : cli_bad_option("--warp, --from, --to and --pc: expected --trace as well");
    case OPT_DUMP: return add_dump(o, arg);
    case OPT_DUMP_ARG: return add_dump_arg(o, arg);
    case OPT_TRACE:
        o->trace = true;
        o->trace_path = arg;
        return 0;
    case OPT_JSON: o->json_path = arg; return 0;
    case OPT_COVERAGE: o->coverage_path = arg; return 0;
    case OPT_STRICT:
        return karat_check_strict(arg, &o->strict)
                   ? 0
                   : cli_bad_option("--strict=%s: expected a list of " KARAT_STRICT_WORDS, arg);
    case OPT_RECORD: o->record_path = arg; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&session_argp, 0, NULL, 0}, {&trace_window_argp, 0, NULL, 0}, {&space_argp, 0, NULL, 0}, {0}};
const struct argp cmd_run_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FILE...",
    .doc =
        "Run kernels (.metadata with .data in the same folder, ELF, or .vmem, .hex or .mem, words as for "
        "$readmemh) on the model, one after the other on one memory."
        "\vPrints one line per kernel, and, of a run that does not come to its end, where each warp is. Exit "
        "status: 0 all have ended, 2 bad input, 3 it would never end (its whole state has occurred before), "
        "4 "
        "program error, 5 --max-steps reached, SIGINT or SIGTERM.",
    .children = children,
};

/* --- Trace --- */

/* The effects of a kernel's steps, by kind: the comparisons of a lockstep run of it. */
typedef struct tally {
    uint64_t x, v, simt, mem, csr, barrier, exit;
} tally;

typedef struct tracer {
    FILE *stream; /* NULL: no trace */
    trace_window *window;
    const session *session;
    karat_kernel *kernel;
    karat_cov_collector *cov; /* NULL: none */
    run_strict *strict;       /* NULL: none */
    recorder *record;         /* NULL: none */
    bool counts;              /* The tally, for JSON */
    tally tally;
    uint32_t num; /* The kernel's */
} tracer;

static void count_commit(tally *t, const karat_commit *c) {
    for (uint32_t i = 0; i < c->num_writes; i++)
        c->write[i].cls == KARAT_CLASS_X ? t->x++ : t->v++;
    t->simt += c->simt != KARAT_SIMT_NONE;
    t->mem += c->has_mem ? c->mem.num : 0;
    t->csr += c->csr_written;
    t->barrier += c->barrier && !c->ended ? 2 : 0; /* An arrival and a release */
    t->exit += c->ended;
}

static bool on_commit(void *context, const karat_sched_warp *warp, const karat_commit *commit) {
    tracer *t = context;
    if (t->counts)
        count_commit(&t->tally, commit);
    if (t->record)
        recorder_step(t->record, warp, commit);
    if (t->cov)
        karat_cov_on_step(t->cov, t->session->model, warp->handle, commit);
    if (t->stream && trace_window_shows(t->window, warp, commit))
        trace_step(t->stream, t->session, t->kernel->name, warp, commit);
    return !t->strict || run_strict_step(t->strict, warp, commit);
}

static void on_launch(void *context, const karat_sched_warp *warp, karat_launch_desc *desc) {
    tracer *t = context;
    if (t->record)
        recorder_launch(t->record, warp, desc);
    if (t->cov)
        karat_cov_on_launch(t->cov, t->session->model, warp->handle, desc, t->kernel->wg_size);
    if (t->strict)
        run_strict_launch(t->strict, warp->handle);
}

static bool on_placed(void *context) {
    const tracer *t = context;
    return !t->record || recorder_placed(t->record);
}

static void on_host_write(void *context, uint64_t addr, const void *bytes, size_t size) {
    const tracer *t = context;
    if (t->record)
        recorder_host_write(t->record, addr, bytes, size);
}

static void on_host_csr(void *context, const karat_sched_warp *warp, uint32_t csr, uint32_t value) {
    const tracer *t = context;
    if (t->record)
        recorder_host_csr(t->record, warp->handle, csr, value);
}

static bool on_tick(void *context, const karat_sched_progress *progress) {
    const tracer *t = context;
    run_show_progress(t->kernel, progress);
    return !karat_interrupted();
}

/* --- Results --- */

static void print_text(void *context, const karat_sched_warp *warp, const char *text, size_t size) {
    (void)context;
    size_t n;
    for (const char *line; (line = karat_print_line(&text, &size, &n)) != NULL;) {
        printf("print wg=%" PRIu32 " warp=%" PRIu32 ": ", warp->workgroup, warp->warp);
        fwrite(line, 1, n, stdout);
        putchar('\n');
    }
}

static void print_summary(const session *s, const tracer *t, const karat_sched_result *r) {
    const karat_kernel *kernel = t->kernel;
    printf("%s: workgroups=%" PRIu64 " warps=%" PRIu64 " threads=%" PRIu32 " instructions=%" PRIu64,
           kernel->name, r->workgroups, r->warps, karat_kernel_wf_size(kernel, (uint32_t)s->options.threads),
           r->steps);
    for (unsigned i = 0; i < KARAT_NUM_WARNING; i++)
        if (r->warnings[i])
            printf(" %s=%" PRIu64, karat_warning_name(i), r->warnings[i]);
    if (r->unwritten.uses)
        printf(" undefined=%" PRIu64, r->unwritten.uses);
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        if (r->deviations[i] || s->options.deviations >> i & 1)
            printf(" deviation:%s=%" PRIu64, karat_deviation_name(i), r->deviations[i]);
    putchar('\n');
    char text[SCHED_TEXT_SIZE];
    if (session_flagged(s, kernel, r, text))
        cli_error("%s", text);
}

/* The places that use registers which were never written. */
static json_t *json_undefined(const karat_unwritten_uses *u) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < u->num_places; i++)
        json_array_append_new(list, json_pack("{s:I s:s s:i s:I}", "pc", (json_int_t)u->place[i].pc, "class",
                                              u->place[i].cls ? "v" : "x", "register", u->place[i].reg,
                                              "uses", (json_int_t)u->place[i].count));
    return list;
}

static json_t *json_summary(const tracer *tracer, const karat_sched_result *r) {
    const tally *t = &tracer->tally;
    json_t *warnings = json_object();
    for (unsigned i = 0; i < KARAT_NUM_WARNING; i++)
        json_object_set_new(warnings, karat_warning_name(i), json_integer((json_int_t)r->warnings[i]));
    json_t *deviations = json_object();
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        json_object_set_new(deviations, karat_deviation_name(i), json_integer((json_int_t)r->deviations[i]));
    json_t *counts = json_object();
#define COUNT(name) json_object_set_new(counts, #name, json_integer((json_int_t)t->name))
    COUNT(x), COUNT(v), COUNT(simt), COUNT(mem), COUNT(csr), COUNT(barrier), COUNT(exit);
#undef COUNT
    return json_pack("{s:s s:I s:I s:I s:o s:o s:o s:o}", "name", tracer->kernel->name, "workgroups",
                     (json_int_t)r->workgroups, "warps", (json_int_t)r->warps, "instructions",
                     (json_int_t)r->steps, "counts", counts, "warnings", warnings, "undefined",
                     json_undefined(&r->unwritten), "deviations", deviations);
}

static int status_of(karat_sched_end end) {
    switch (end) {
    case KARAT_SCHED_DONE: return CLI_OK;
    case KARAT_SCHED_STOPPED: /* An error by --strict */
    case KARAT_SCHED_PROGRAM_ERROR:
    case KARAT_SCHED_PRINT_ERROR:
    case KARAT_SCHED_DEADLOCK: return CLI_PROGRAM_ERROR;
    case KARAT_SCHED_MAX_STEPS:
    case KARAT_SCHED_INTERRUPTED: return CLI_INCOMPLETE;
    case KARAT_SCHED_ENDLESS: return CLI_HANG;
    case KARAT_SCHED_RUNS:
    case KARAT_SCHED_FAILED: break;
    }
    return CLI_BAD_INPUT;
}

static bool read_memory(const void *context, uint32_t addr, void *bytes, size_t size) {
    return session_read(context, addr, bytes, size) == KARAT_OK;
}

static bool print_dump(const session *s, const dump *d) {
    for (uint32_t i = 0; i < d->num; i++) {
        uint8_t b[4];
        uint32_t addr = d->addr + 4 * i;
        karat_status status = session_read(s, addr, b, 4);
        if (status != KARAT_OK) {
            if (i % 4)
                putchar('\n');
            cli_error("--dump: 0x%08" PRIx32 " is not mapped", addr);
            return false;
        }
        if (i % 4 == 0)
            printf("0x%08" PRIx32 ":", addr);
        printf(" %08" PRIx32, b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
        if (i % 4 == 3 || i + 1 == d->num)
            putchar('\n');
    }
    return true;
}

static bool put_json(const void *all, FILE *file) {
    return json_dumpf(all, file, JSON_INDENT(2)) == 0;
}

/* False: an error was reported. */
static bool begin_outputs(const run_options *o) {
    karat_outputs outputs = {0};
    karat_outputs_write(&outputs, o->trace_path);
    karat_outputs_text(&outputs, o->json_path);
    karat_outputs_write(&outputs, o->coverage_path);
    karat_outputs_write(&outputs, o->record_path);
    for (uint32_t i = 0; i < o->num_dump_args; i++)
        karat_outputs_write(&outputs, o->dump_args[i].path);
    for (uint32_t i = 0; i < o->session.num_files; i++)
        karat_outputs_read_kernel(&outputs, o->session.files[i]);
    for (uint32_t i = 0; i < o->session.launch.num_args; i++)
        karat_outputs_read(&outputs, o->session.launch.args[i].path);
    return cli_begin_outputs(&outputs);
}

/* Reports that a kernel has not come to its end, or not to a good one, and the places of its warps. */
static void say_why(const session *s, const tracer *t, const karat_sched_result *r, json_t *all) {
    char text[SCHED_TEXT_SIZE];
    if (r->end == KARAT_SCHED_STOPPED || r->end == KARAT_SCHED_DONE)
        run_strict_describe(t->strict, s, t->kernel, r, text);
    else
        session_describe(s, t->kernel, r, text);
    cli_error("%s", text);
    karat_places places;
    session_places(s, t->kernel, &places);
    json_t *where = places.num ? run_where(s, t->kernel, &places, stdout) : NULL;
    if (all)
        json_object_set_new(all, "error", json_string(text));
    if (all && where)
        json_object_set(all, "where", where);
    json_decref(where);
    karat_places_free(&places);
}

/* Run the kernel of *t. Returns the status. all: the summary in JSON, which it adds to; NULL: none. */
static int run_kernel(session *s, tracer *t, json_t *all) {
    const bool sees_all = t->stream || t->cov || t->strict || t->record || all;
    const session_hooks hooks = {.sched = {.context = t,
                                           .launch = on_launch,
                                           .commit = sees_all ? on_commit : NULL,
                                           .print = print_text,
                                           .host_csr = on_host_csr,
                                           .tick = on_tick},
                                 .placed = on_placed,
                                 .host_write = on_host_write};
    if (t->record && !recorder_kernel(t->record, t->num))
        return CLI_BAD_INPUT;
    const karat_sched_result *r = session_run(s, t->kernel, &hooks);
    karat_progress_hide();
    if (t->cov && r->end == KARAT_SCHED_PROGRAM_ERROR)
        karat_cov_on_step(t->cov, s->model, r->commit.error.warp, &r->commit);
    if (t->record)
        recorder_end(t->record, r);
    print_summary(s, t, r);
    if (all)
        json_array_append_new(json_object_get(all, "kernels"), json_summary(t, r));
    if (t->record && t->num + 1 == s->num_kernels)
        recorder_bye(t->record);
    const int status =
        r->end == KARAT_SCHED_DONE && run_strict_stands(t->strict) ? CLI_PROGRAM_ERROR : status_of(r->end);
    if (status != CLI_OK)
        say_why(s, t, r, all);
    return status;
}

static int run(run_options *o, session *s, FILE *trace, recorder *record, run_strict *strict,
               karat_cov_collector *cov) {
    int status = CLI_OK;
    json_t *all = o->json_path ? json_pack("{s:n s:[]}", "error", "kernels") : NULL;
    for (uint32_t i = 0; status == CLI_OK && i < s->num_kernels; i++) {
        tracer t = {.stream = trace,
                    .window = &o->window,
                    .session = s,
                    .kernel = s->kernels[i],
                    .record = record,
                    .cov = o->coverage_path ? cov : NULL,
                    .strict = strict,
                    .counts = all,
                    .num = i};
        trace_window_begin(&o->window, s->kernels[i]);
        status = run_kernel(s, &t, all);
    }
    for (uint32_t i = 0; i < o->num_dump_args; i++)
        if (!launch_dump_write(&o->dump_args[i], &s->options.launch, read_memory, s) && status == CLI_OK)
            status = CLI_BAD_INPUT;
    for (uint32_t i = 0; i < o->num_dumps; i++)
        if (!print_dump(s, &o->dumps[i]) && status == CLI_OK)
            status = CLI_BAD_INPUT;
    if (all)
        json_object_set_new(all, "status", json_integer(status));
    karat_diag diag;
    if (!karat_cov_finish(cov, o->coverage_path, o->json_path, put_json, all, &diag)) {
        cli_error("%s", diag.text);
        status = CLI_BAD_INPUT;
    }
    json_decref(all);
    return status;
}

static int run_traced(run_options *o, session *s) {
    FILE *trace = o->trace ? stdout : NULL;
    if (o->trace_path && !(trace = fopen(o->trace_path, "w"))) {
        cli_error("%s: cannot be opened: %s", o->trace_path, strerror(errno));
        return CLI_BAD_INPUT;
    }
    karat_cov_collector cov = {0};
    run_strict *strict = o->strict ? run_strict_create(o->strict, s) : NULL;
    const bool judged = run_strict_wants_records(o->strict), records = o->record_path || judged;
    recorder *record = NULL;
    int status = CLI_BAD_INPUT;
    if (o->strict && !strict)
        cli_error("not enough memory");
    else if (!records || (record = recorder_open(s, o->record_path, judged ? strict : NULL)))
        status = run(o, s, trace, record, strict, &cov);
    if (!recorder_close(record) && status == CLI_OK)
        status = CLI_BAD_INPUT;
    run_strict_destroy(strict);
    if (trace)
        trace_window_end(&o->window);
    if (o->trace_path && !cli_close_output(trace, o->trace_path)) {
        karat_outputs outputs = {0}; /* A trace that ends anywhere could be taken for a whole one */
        karat_diag diag;
        karat_outputs_write(&outputs, o->trace_path);
        karat_outputs_begin(&outputs, &diag);
        status = status == CLI_OK ? CLI_BAD_INPUT : status;
    }
    return status;
}

static bool dump_args_exist(const run_options *o) {
    for (uint32_t i = 0; i < o->num_dump_args; i++)
        if (!launch_dump_check(&o->dump_args[i], &o->session.launch))
            return false;
    return true;
}

int cmd_run(int argc, char **argv) {
    run_options o = {0};
    session s = {0};
    int status = CLI_BAD_INPUT;
    if (!cli_parse(&cmd_run_argp, argc, argv, &o) || !begin_outputs(&o))
        session_options_free(&o.session);
    else {
        karat_interrupt_catch();
        if (session_open(&s, &o.session) && dump_args_exist(&o) && find_dumps(&s, &o) &&
            trace_window_check(&o.window, &s))
            status = run_traced(&o, &s);
        session_close(&s);
    }
    for (uint32_t i = 0; i < o.num_dumps; i++)
        free(o.dumps[i].place);
    free(o.dumps);
    free(o.dump_args);
    trace_window_free(&o.window);
    return status;
}
