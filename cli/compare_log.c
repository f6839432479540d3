/* karat compare-log: kernels on the model, every step compared with a register log. */
#include "compare.h"
#include "interrupt.h"
#include "progress.h"
#include "results.h"
#include "run_where.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Options --- */

enum { OPT_LOG = 512, OPT_PARTIAL, OPT_CONTINUE, OPT_JSON };

typedef struct compare_options {
    session_options session;
    char **logs;
    uint32_t num_logs;
    bool partial, keep_going;
} compare_options;

static const struct argp_option options[] = {
    {"log", OPT_LOG, "FILE", 0,
     "Log of the first kernel; repeat for the next (default: NAME.log in the same folder)", 2},
    {"partial", OPT_PARTIAL, NULL, 0,
     "Where a line of a log is not understood, compare the lines before it, and report that in the last line",
     2},
    {"continue", OPT_CONTINUE, NULL, 0,
     "After a difference continue with the log's value, or without that warp where there is no such value, "
     "and list the "
     "differences by their signatures",
     2},
    RESULTS_OPTION(OPT_JSON, 2),
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    compare_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        cli_one_line(state);
        state->child_inputs[0] = &o->session;
        return 0;
    case OPT_LOG: {
        char **logs = realloc(o->logs, (o->num_logs + 1) * sizeof *logs);
        if (!logs)
            return ENOMEM;
        logs[o->num_logs++] = arg;
        o->logs = logs;
        return 0;
    }
    case OPT_PARTIAL: o->partial = true; return 0;
    case OPT_CONTINUE: o->keep_going = true; return 0;
    case OPT_JSON: results_as_json(); return 0;
    case ARGP_KEY_END:
        if (o->num_logs > o->session.num_files)
            return cli_bad_option("--log: more logs than kernels");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&session_argp, 0, NULL, 0}, {0}};
const struct argp cmd_compare_log_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FILE...",
    .doc = "Run kernels on the model, one after the other on one memory, and compare every step of every "
           "warp with "
           "the register log of an instruction-set simulator."
           "\vPrints the dialect of each log in a separate line. Stops at the first difference (except with "
           "--continue). Exit status: "
           "0 all equal, 1 a difference, or nothing compared, 2 bad input, 4 equal up to a trap of the log "
           "which is an error in "
           "the model, too, 5 --max-steps reached, SIGINT or SIGTERM.",
    .children = children,
};

/* --- Counts --- */

static const char *const count_names[COUNT_ALL] = {
    "steps",           "x",          "v",           "masks",   "simt",         "mem",       "csr",
    "config",          "boot",       "exit-stub",   "mstatus", "mstatus-read", "stale-npc", "barrier-repeat",
    "simt-not-logged", "after-trap", "model-alone",
};

static json_t *counts_json(const uint64_t *counts, int from, int to) {
    json_t *all = json_object();
    for (int i = from; i < to; i++)
        json_object_set_new(all, count_names[i], json_integer((json_int_t)counts[i]));
    return all;
}

static void print_counts(const char *title, const uint64_t *counts, int from, int to) {
    printf("%s:", title);
    for (int i = from; i < to; i++)
        printf(" %s=%" PRIu64, count_names[i], counts[i]);
    putchar('\n');
}

static json_t *differences_json(const differences *all) {
    char text[256];
    json_t *list = json_array();
    for (uint32_t i = 0; i < all->num_kept; i++) {
        const difference *d = &all->kept[i];
        karat_signature_text(&d->signature, d->kind, text, sizeof text);
        json_array_append_new(list, json_pack("{s:I, s:s, s:o}", "count", (json_int_t)d->count, "signature",
                                              text, "first", results_name(d->first)));
    }
    return list;
}

static void print_differences(const differences *all) {
    char text[256];
    for (uint32_t i = 0; i < all->num_kept; i++) {
        const difference *d = &all->kept[i];
        karat_signature_text(&d->signature, d->kind, text, sizeof text);
        printf("%-11s %7" PRIu64 " x %s; first %s\n", i ? "" : "differences", d->count, text, d->first);
    }
    if (all->lost)
        printf("            and %" PRIu64 " of further signatures\n", all->lost);
}

/* --- One kernel against its log --- */

static void take_boot_registers(void *context, uint32_t workgroup, uint32_t warp, uint32_t handle,
                                karat_launch_desc *desc) {
    (void)handle;
    comparer *c = context;
    const log_run *run = c->warps[(size_t)workgroup * c->kernel->wg_size + warp].run;
    if (run)
        desc->x = run->x;
}

/* Which run of the log is which warp. */
static bool assign_runs(comparer *c) {
    const uint64_t wg_size = c->kernel->wg_size, num = karat_kernel_workgroups(c->kernel) * wg_size;
    c->status = CLI_MISMATCH;
    if (!log_assign(&c->log, c->kernel, (uint32_t)c->session->options.threads))
        return false;
    log_say(&c->log);
    if (c->log.num_runs != num && !c->log.cut && !(c->log.forms & (LOG_ONE_WARP | LOG_ONE_WORKGROUP))) {
        cli_error("%s: expected the logs of %" PRIu64 " warps, found %" PRIu32, c->log.path, num,
                  c->log.num_runs);
        return false;
    }
    c->warps = calloc(num, sizeof *c->warps);
    if (!c->warps) {
        cli_error("not enough memory");
        c->status = CLI_BAD_INPUT;
        return false;
    }
    for (uint32_t i = 0; i < c->log.num_runs; i++) {
        const log_run *run = &c->log.runs[i];
        c->warps[run->workgroup * wg_size + run->warp] = (warp_cursor){.run = run, .next = run->first};
        c->num_open++;
        c->counts[SKIP_BOOT] += run->boot;
        c->counts[SKIP_STUB] += run->stub;
        c->counts[SKIP_PAST_TRAP] += run->past_trap;
    }
    c->status = CLI_OK;
    return true;
}

/* Ended from outside: what has been compared is known. */
static bool is_early(sched_end end) {
    return end == SCHED_MAX_STEPS || end == SCHED_SIGNAL;
}

/* The model ended otherwise than with all of its warps at their ends. */
static void check_other_end(comparer *c, const sched_result *r) {
    char text[SCHED_TEXT_SIZE];
    const warp_cursor *w = &c->warps[(size_t)r->workgroup * c->kernel->wg_size + r->warp];
    if (r->end == SCHED_DEADLOCK && c->num_aside)
        return; /* they wait for a warp that has ended in a trap */
    cli_error("%s", sched_describe(c->session, c->kernel, r, text));
    const bool alone = (!w->run || w->over) && r->end == SCHED_PROGRAM_ERROR;
    if (alone)
        fprintf(stderr, "  a warp that the log does not have%s\n", w->run ? " there" : "");
    if (r->end == SCHED_FAILED)
        c->status = CLI_BAD_INPUT;
    else if (c->status == CLI_OK || c->status == CLI_PROGRAM_ERROR)
        c->status = is_early(r->end) ? CLI_INCOMPLETE : alone ? CLI_PROGRAM_ERROR : CLI_MISMATCH;
    if (is_early(r->end) || r->end == SCHED_FAILED || alone || w->next == LOG_NONE)
        return;
    const log_commit *line = &c->log.commits[w->next];
    fprintf(stderr, "  the log goes on at %s:%" PRIu32 "%s\n", c->log.path, line->line,
            line->is_short ? ", with a word of 16 bits: compressed code, which this ISA does not have" : "");
}

/* The model's further counts, beside the steps compared. */
static void check_end(comparer *c, const sched_result *r) {
    const uint32_t wg_size = c->kernel->wg_size;
    if (r->end == SCHED_STOPPED && c->num_open)
        return; /* reported already */
    if (r->end != SCHED_DONE && r->end != SCHED_STOPPED) {
        check_other_end(c, r);
        if (c->status != CLI_OK && c->status != CLI_PROGRAM_ERROR)
            return;
    }
    for (uint32_t i = 0; !c->num_aside && c->status == CLI_OK && i < c->log.num_runs; i++) {
        const log_run *run = &c->log.runs[i];
        const warp_cursor *w = &c->warps[(size_t)run->workgroup * wg_size + run->warp];
        if (w->over || (w->next == LOG_NONE && run->ended))
            continue;
        cli_error("%s:%" PRIu32 ": workgroup %" PRIu32 " warp %" PRIu32
                  " has ended in the model, the log goes on",
                  c->log.path, w->next == LOG_NONE ? run->line : c->log.commits[w->next].line, run->workgroup,
                  run->warp);
        c->status = CLI_MISMATCH;
        return;
    }
    if (!c->counts[COUNT_STEPS] && c->status == CLI_OK) {
        cli_error("%s: nothing was compared", c->log.path);
        c->status = CLI_MISMATCH;
    }
}

static void put_warps(FILE *out, const char *path, uint32_t num, const char *one, const char *more) {
    if (num)
        fprintf(out, "%s: %" PRIu32 " %s; ", path, num, num == 1 ? one : more);
}

/* Omissions of the comparison, for the last line. */
static void put_limits(const comparer *c, FILE *out) {
    const log_file *log = &c->log;
    if (log->cut)
        fprintf(out,
                "partial: %s:%" PRIu32 " is not understood (expected %s): compared up to line %" PRIu32 "; ",
                log->path, log->cut, log->expected, log->cut - 1);
    if (log->forms & LOG_ONE_WARP)
        fprintf(out, "%s: one warp alone was compared; ", log->path);
    else if (log->forms & LOG_ONE_WORKGROUP)
        fprintf(out, "%s: one workgroup alone was compared; ", log->path);
    put_warps(out, log->path, c->num_aside, "warp ends in a trap", "warps end in a trap");
    put_warps(out, log->path, c->num_aside ? c->num_open : 0, "warp was not compared to its end",
              "warps were not compared to their ends");
    put_warps(out, log->path, c->num_given_up, "warp was abandoned at a difference",
              "warps were abandoned at a difference");
}

typedef struct comparison {
    const compare_options *options;
    session *session;
    differences differences;
    uint64_t totals[COUNT_ALL];
    FILE *limits;    /* a text for the last line */
    json_t *kernels; /* NULL: the results are text */
} comparison;

static void report_kernel(comparison *all, const comparer *c) {
    if (all->kernels)
        json_array_append_new(all->kernels,
                              json_pack("{s:s, s:i, s:o}", "name", c->kernel->name, "status", c->status,
                                        "compared", counts_json(c->counts, 0, COUNT_COMPARED)));
    else if (c->status != CLI_BAD_INPUT && c->status != CLI_INCOMPLETE)
        print_counts(c->kernel->name, c->counts, 0, COUNT_COMPARED);
}

static void show_progress(void *context, const sched_progress *progress) {
    const comparer *c = context;
    run_show_progress(c->kernel, progress);
}

static int compare_kernel(comparison *all, uint32_t index, const char *path) {
    session *s = all->session;
    comparer *c = calloc(1, sizeof *c);
    sched_result *r = calloc(1, sizeof *r);
    int status = CLI_BAD_INPUT;
    if (!c || !r) {
        cli_error("not enough memory");
    } else {
        c->session = s;
        c->kernel = s->kernels[index];
        c->last = index + 1 == s->num_kernels;
        c->differences = all->options->keep_going ? &all->differences : NULL;
        c->lanes = karat_kernel_wf_size(c->kernel, (uint32_t)s->options.threads);
        c->status = log_open(&c->log, path, c->lanes, all->options->partial) ? CLI_OK : CLI_BAD_INPUT;
        if (c->status == CLI_OK && assign_runs(c)) {
            sched_hooks hooks = {.context = c,
                                 .launch = take_boot_registers,
                                 .goes_on = compare_goes_on,
                                 .commit = compare_step,
                                 .tick = show_progress};
            sched_run(s, c->kernel, &hooks, r);
            karat_progress_hide();
            check_end(c, r);
        }
        report_kernel(all, c);
        for (int i = 0; i < COUNT_ALL; i++)
            all->totals[i] += c->counts[i];
        put_limits(c, all->limits);
        status = c->status;
        log_close(&c->log);
        free(c->warps);
    }
    free(c);
    free(r);
    return status;
}

static int compare_kernels(comparison *all) {
    const compare_options *o = all->options;
    session *s = all->session;
    int status = CLI_OK;
    for (uint32_t i = 0; i < s->num_kernels; i++) {
        char *beside = i < o->num_logs ? NULL : log_beside(s->options.files[i]);
        const char *path = i < o->num_logs ? o->logs[i] : beside;
        int one = CLI_BAD_INPUT;
        if (path)
            one = compare_kernel(all, i, path);
        else
            cli_error("not enough memory");
        free(beside);
        if (one != CLI_OK)
            status = one;
        if (one != CLI_OK && !(one == CLI_MISMATCH && o->keep_going))
            break;
    }
    return status;
}

static void report_all(const comparison *all, int status) {
    if (status == CLI_OK || status == CLI_PROGRAM_ERROR ||
        (status == CLI_MISMATCH && all->options->keep_going)) {
        print_counts("total", all->totals, 0, COUNT_COMPARED);
        print_counts("skipped", all->totals, COUNT_COMPARED, COUNT_ALL);
    }
    print_differences(&all->differences);
}

/* NULL: there was not enough memory. */
static json_t *report_json(const comparison *all, int status) {
    return json_pack("{s:i, s:O, s:o, s:o, s:o, s:I}", "status", status, "kernels", all->kernels, "compared",
                     counts_json(all->totals, 0, COUNT_COMPARED), "skipped",
                     counts_json(all->totals, COUNT_COMPARED, COUNT_ALL), "differences",
                     differences_json(&all->differences), "lost", (json_int_t)all->differences.lost);
}

static int compare_all(const compare_options *o, session *s) {
    char *text = NULL;
    size_t size = 0;
    int status = CLI_BAD_INPUT;
    comparison *all = calloc(1, sizeof *all);
    if (all) {
        *all = (comparison){.options = o, .session = s, .limits = open_memstream(&text, &size)};
        all->kernels = results_are_json() ? json_array() : NULL;
        all->differences.kept = calloc(NUM_DIFFERENCE, sizeof *all->differences.kept);
    }
    if (!all || !all->limits || !all->differences.kept) {
        cli_error("not enough memory");
    } else {
        status = compare_kernels(all);
        if (!all->kernels)
            report_all(all, status);
    }
    if (all && all->limits) {
        fclose(all->limits);
        if (size > 2)
            results_note("%.*s", (int)(size - 2), text);
    }
    if (all && all->kernels && status != CLI_BAD_INPUT && !results_put(report_json(all, status)))
        status = CLI_BAD_INPUT;
    free(text);
    if (all) {
        free(all->differences.kept);
        json_decref(all->kernels);
    }
    free(all);
    return status;
}

int cmd_compare_log(int argc, char **argv) {
    compare_options o = {0};
    session s = {0};
    int status = CLI_BAD_INPUT;
    if (!cli_parse(&cmd_compare_log_argp, argc, argv, &o))
        session_options_free(&o.session);
    else {
        karat_interrupt_catch();
        if (session_open(&s, &o.session))
            status = compare_all(&o, &s);
        session_close(&s);
    }
    free(o.logs);
    return status;
}
