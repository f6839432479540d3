/* karat compare-log: kernels on the model, every step compared with a register log. */
#include "log.h"
#include "sched.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Options --- */

enum { OPT_LOG = 512 };

typedef struct compare_options {
    session_options session;
    char **logs;
    uint32_t num_logs;
} compare_options;

static const struct argp_option options[] = {
    {"log", OPT_LOG, "FILE", 0,
     "Log of the first kernel; once more for the next (default: NAME.log beside it)", 2},
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
    case ARGP_KEY_END:
        if (o->num_logs > o->session.num_files)
            return cli_bad_option("--log: more logs than kernels");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&session_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FILE...",
    .doc = "Run kernels on the model, one after the other on one memory, and compare every step of every "
           "warp with "
           "the register log of an instruction-set simulator."
           "\vStops at the first difference. Exit status: 0 all equal, 1 a difference, or nothing compared, "
           "2 bad "
           "input, 5 --max-steps reached.",
    .children = children,
};

/* --- Counts --- */

enum count {
    COUNT_STEPS,
    COUNT_X,      /* scalar register writes */
    COUNT_V,      /* vector register writes */
    COUNT_MASKS,  /* thread masks */
    COUNT_SIMT,   /* SIMT-stack states: depth, entries, and next pc where the log's is valid */
    COUNT_MEM,    /* lane accesses */
    COUNT_CSR,    /* CSR values */
    COUNT_CONFIG, /* SEW, LMUL and vl of a vector instruction */
    COUNT_COMPARED,
    SKIP_BOOT = COUNT_COMPARED, /* commits of the simulator's boot ROM */
    SKIP_STUB,                  /* commits of the exit stub */
    SKIP_MSTATUS,               /* values of mstatus */
    SKIP_MSTATUS_READ,          /* registers that mstatus was read into: the log's value is adopted */
    SKIP_STALE_NPC,             /* next pcs that the simulator does not keep up to date */
    SKIP_BARRIER,               /* repeated lines of a waiting warp */
    COUNT_ALL
};

static const char *const count_names[COUNT_ALL] = {
    "steps",  "x",    "v",         "masks",   "simt",         "mem",       "csr",
    "config", "boot", "exit-stub", "mstatus", "mstatus-read", "stale-npc", "barrier-repeat",
};

static void print_counts(const char *title, const uint64_t *counts, int from, int to) {
    printf("%s:", title);
    for (int i = from; i < to; i++)
        printf(" %s=%" PRIu64, count_names[i], counts[i]);
    putchar('\n');
}

/* --- One kernel against its log --- */

#define CSR_FFLAGS  0x001u
#define CSR_MSTATUS 0x300u
#define CSR_VL      0xc20u
#define CSR_VTYPE   0xc21u
#define SETRPC      0x0000305bu /* under mask 0x707f: the log has its SIMT state, too */

typedef struct warp_cursor {
    const log_run *run;
    uint32_t next; /* the commit to compare with the next step, or LOG_NONE */
    uint64_t steps;
} warp_cursor;

typedef struct comparer {
    session *session;
    const karat_kernel *kernel;
    uint32_t lanes;
    log_file log;
    warp_cursor *warps; /* by workgroup * wg_size + warp */
    log_fields fields;
    uint64_t counts[COUNT_ALL];
    int status;
    /* the step being compared */
    const sched_event *event;
    const log_commit *line;
    warp_cursor *cursor;
} comparer;

/* The first line of a difference's report, and where it is. */
static bool differ(comparer *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool differ(comparer *c, const char *format, ...) {
    char text[256], insn[CLI_INSN_SIZE], place[CLI_PLACE_SIZE];
    const karat_commit *k = c->event->commit;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_error("%s:%" PRIu32 ": step %" PRIu64 " of workgroup %" PRIu32 " warp %" PRIu32 " differs: %s",
              c->log.path, c->line ? c->line->line : c->cursor->run->line, c->cursor->steps,
              c->event->workgroup, c->event->warp, text);
    fprintf(stderr, "  model at %s: %s\n", cli_place(c->kernel, k->pc, place),
            cli_insn(c->session->options.profile, k->pc, k->prefix, k->word, insn));
    c->status = CLI_MISMATCH;
    return false;
}

static bool differ_value(comparer *c, const char *what, uint32_t log, uint32_t model) {
    return differ(c, "%s: log 0x%08" PRIx32 ", model 0x%08" PRIx32, what, log, model);
}

static const karat_reg_write *find_write(const karat_commit *k, unsigned cls, uint32_t reg) {
    for (uint32_t i = 0; i < k->num_writes; i++)
        if (k->write[i].cls == cls && k->write[i].reg == reg && k->write[i].mask)
            return &k->write[i];
    return NULL;
}

static bool reads_mstatus(uint32_t word) {
    return (word & 0x7f) == 0x73 && (word >> 12 & 3) != 0 && word >> 20 == CSR_MSTATUS;
}

static bool compare_x(comparer *c) {
    const karat_commit *k = c->event->commit;
    const log_fields *f = &c->fields;
    for (uint32_t i = 0; i < f->num_x; i++) {
        const log_x *x = &f->x[i];
        const karat_reg_write *w = find_write(k, KARAT_CLASS_X, x->reg);
        if (!w)
            return differ(c, "x%" PRIu32 ": log 0x%08" PRIx32 ", the model does not write it", x->reg,
                          x->value);
        if (reads_mstatus(k->word)) {
            const uint32_t adopted[KARAT_MAX_THREAD] = {x->value};
            karat_adopt(c->session->model, c->event->handle, KARAT_CLASS_X, x->reg, 1, adopted);
            c->counts[SKIP_MSTATUS_READ]++;
            continue;
        }
        if (w->value[0] != x->value)
            return differ(c, "x%" PRIu32 ": log 0x%08" PRIx32 ", model 0x%08" PRIx32, x->reg, x->value,
                          w->value[0]);
        c->counts[COUNT_X]++;
    }
    for (uint32_t i = 0; i < k->num_writes; i++) {
        const karat_reg_write *w = &k->write[i];
        bool logged = w->cls != KARAT_CLASS_X || !w->reg || !w->mask;
        for (uint32_t j = 0; j < f->num_x; j++)
            logged = logged || f->x[j].reg == w->reg;
        if (!logged)
            return differ(c, "x%u: model 0x%08" PRIx32 ", the log does not write it", w->reg, w->value[0]);
    }
    return true;
}

static bool compare_lanes(comparer *c, const log_v *v, const uint32_t *model) {
    uint32_t different = 0;
    for (uint32_t lane = 0; lane < c->lanes && lane < KARAT_MAX_THREAD; lane++)
        different |= (uint32_t)(v->value[lane] != model[lane]) << lane;
    if (!different)
        return true;
    differ(c, "v%" PRIu32 " in lanes 0x%08" PRIx32, v->reg, different);
    for (uint32_t lane = 0; lane < c->lanes; lane++)
        if (different >> lane & 1)
            fprintf(stderr, "  lane %" PRIu32 ": log 0x%08" PRIx32 ", model 0x%08" PRIx32 "\n", lane,
                    v->value[lane], model[lane]);
    return false;
}

static bool compare_v(comparer *c) {
    const karat_commit *k = c->event->commit;
    const log_fields *f = &c->fields;
    for (uint32_t i = 0; i < f->num_v; i++) {
        const log_v *v = &f->v[i];
        const karat_reg_write *w = find_write(k, KARAT_CLASS_V, v->reg);
        karat_warp_view view;
        if (karat_view(c->session->model, c->event->handle, &view) != KARAT_OK)
            return differ(c, "the model has no such warp");
        /* The log has the whole register, also where no lane was written. */
        if (!compare_lanes(c, v, w ? w->value : view.v + (size_t)v->reg * c->session->options.threads))
            return false;
        if (v->mask != k->mask_after)
            return differ_value(c, "thread mask", v->mask, k->mask_after);
        c->counts[COUNT_V]++;
        c->counts[COUNT_MASKS]++;
    }
    for (uint32_t i = 0; i < k->num_writes; i++) {
        const karat_reg_write *w = &k->write[i];
        bool logged = w->cls != KARAT_CLASS_V || !w->mask;
        for (uint32_t j = 0; j < f->num_v; j++)
            logged = logged || f->v[j].reg == w->reg;
        if (!logged)
            return differ(c, "v%u: the model writes lanes 0x%08" PRIx32 ", the log does not write it", w->reg,
                          w->mask);
    }
    return true;
}

static bool compare_csr(comparer *c) {
    const karat_commit *k = c->event->commit;
    const log_fields *f = &c->fields;
    bool written = !k->csr_written || k->csr == CSR_MSTATUS, flags = !k->flags_raised;
    for (uint32_t i = 0; i < f->num_csr; i++) {
        const log_csr *csr = &f->csr[i];
        uint32_t value;
        written = written || csr->csr == k->csr;
        flags = flags || csr->csr == CSR_FFLAGS;
        if (csr->csr == CSR_MSTATUS) {
            c->counts[SKIP_MSTATUS]++;
            continue;
        }
        if (karat_csr_read(c->session->model, c->event->handle, csr->csr, &value) != KARAT_OK)
            return differ(c, "csr %s: log 0x%08" PRIx32 ", the model has no such CSR", csr->name, csr->value);
        if (value != csr->value)
            return differ_value(c, csr->name, csr->value, value);
        c->counts[COUNT_CSR]++;
    }
    if (!written)
        return differ(c, "csr 0x%03" PRIx32 ": model 0x%08" PRIx32 ", the log does not write it", k->csr,
                      k->csr_value);
    if (!flags)
        return differ(c, "fflags: the model raises 0x%02x, the log none", k->flags_raised);
    if (!f->has_config)
        return true;
    uint32_t vl, vtype;
    if (karat_csr_read(c->session->model, c->event->handle, CSR_VL, &vl) != KARAT_OK ||
        karat_csr_read(c->session->model, c->event->handle, CSR_VTYPE, &vtype) != KARAT_OK)
        return differ(c, "the model has no vl and vtype");
    uint32_t sew = 8u << (vtype >> 3 & 7), lmul = 1u << (vtype & 7);
    if (f->vl != vl || f->sew != sew || f->lmul != lmul)
        return differ(c,
                      "configuration: log e%" PRIu32 " m%" PRIu32 " l%" PRIu32 ", model e%" PRIu32
                      " m%" PRIu32 " l%" PRIu32,
                      f->sew, f->lmul, f->vl, sew, lmul, vl);
    c->counts[COUNT_CONFIG]++;
    return true;
}

/* The loads, or the stores, of a step in the log's order, which is that of the lanes. */
static bool compare_accesses(comparer *c, bool store) {
    const karat_commit *k = c->event->commit;
    const log_fields *f = &c->fields;
    uint32_t expected = 0;
    if (k->has_mem && k->mem.op == KARAT_AMO) {
        expected = store || k->mem.amo != KARAT_AMO_SC ? k->mem.num : 0;
    } else if (k->has_mem) {
        expected = (k->mem.op == KARAT_STORE) == store ? k->mem.num : 0;
    }
    const char *what = store ? "stores" : "loads";
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->num_mem; i++) {
        const log_access *a = &f->mem[i];
        if ((a->stored != 0) != store)
            continue;
        if (at == expected)
            return differ(c, "%s: log more than the model's %" PRIu32 ", next at 0x%08" PRIx32, what,
                          expected, a->addr);
        const karat_access *m = &k->mem.access[at++];
        if (m->addr != a->addr)
            return differ(c, "%s, lane %u: log address 0x%08" PRIx32 ", model 0x%08" PRIx64, what, m->lane,
                          a->addr, m->addr);
        if (store && m->value != a->value)
            return differ(c, "store to 0x%08" PRIx32 ", lane %u: log 0x%08" PRIx32 ", model 0x%08" PRIx32,
                          a->addr, m->lane, a->value, m->value);
        c->counts[COUNT_MEM]++;
    }
    if (at != expected)
        return differ(c, "%s: log %" PRIu32 ", model %" PRIu32, what, at, expected);
    return true;
}

static bool compare_simt(comparer *c) {
    const karat_commit *k = c->event->commit;
    const log_fields *f = &c->fields;
    if (!f->has_simt)
        return (k->simt == KARAT_SIMT_NONE && (k->word & 0x707f) != SETRPC) ||
               differ(c, "SIMT: the log has no outcome of this instruction");
    karat_warp_view view;
    if (karat_view(c->session->model, c->event->handle, &view) != KARAT_OK)
        return differ(c, "the model has no such warp");
    if (f->mask != k->mask_after)
        return differ_value(c, "thread mask", f->mask, k->mask_after);
    c->counts[COUNT_MASKS]++;
    if (f->depth != k->depth || f->depth != view.depth)
        return differ(c, "SIMT stack: log %" PRIu32 " entries, model %u", f->depth, k->depth);
    for (uint32_t i = 0; i < f->depth; i++) {
        const log_stack_line *l = &c->log.stack[c->line->stack + i];
        const karat_simt_entry *m = &view.stack[f->depth - 1 - i];
        if (l->entry.rpc != m->rpc || l->entry.next != m->next || l->entry.mask != m->mask) {
            differ(c, "SIMT stack entry %" PRIu32 " from the top (line %" PRIu32 ")", i, l->line);
            fprintf(stderr, "  log:   rpc %08" PRIx32 " next %08" PRIx32 " mask %08" PRIx32 "\n",
                    l->entry.rpc, l->entry.next, l->entry.mask);
            fprintf(stderr, "  model: rpc %08" PRIx32 " next %08" PRIx32 " mask %08" PRIx32 "\n", m->rpc,
                    m->next, m->mask);
            return false;
        }
    }
    if (k->simt == KARAT_SIMT_UNIFORM || k->simt == KARAT_SIMT_DIVERGE || k->simt == KARAT_SIMT_POP) {
        if (f->npc != k->next_pc)
            return differ_value(c, "next pc", f->npc, k->next_pc);
    } else {
        c->counts[SKIP_STALE_NPC]++;
    }
    c->counts[COUNT_SIMT]++;
    return true;
}

/* Take the warp's next commit of the log, which must be of that word at that pc, and its fields. */
static bool next_commit(comparer *c, uint32_t pc, uint32_t word) {
    if (c->cursor->next == LOG_NONE) {
        c->line = NULL;
        return differ(c, "the log of this warp ends here, the model goes on");
    }
    c->line = &c->log.commits[c->cursor->next];
    c->cursor->next = c->line->next;
    if (c->line->pc != pc)
        return differ_value(c, "pc", c->line->pc, pc);
    if (c->line->word != word)
        return differ_value(c, "instruction", c->line->word, word);
    if (log_parse(&c->log, c->line, c->lanes, &c->fields))
        return true;
    c->status = CLI_BAD_INPUT;
    return false;
}

static bool compare_prefix(comparer *c) {
    const karat_commit *k = c->event->commit;
    if (!next_commit(c, k->pc - 4, k->prefix))
        return false;
    const log_fields *f = &c->fields;
    if (f->num_x || f->num_v || f->num_csr || f->num_mem || f->has_config || f->has_simt)
        return differ(c, "the log has fields at a prefix");
    return true;
}

static bool compare_step(void *context, const sched_event *event) {
    comparer *c = context;
    const karat_commit *k = event->commit;
    c->event = event;
    c->cursor = &c->warps[(size_t)event->workgroup * c->kernel->wg_size + event->warp];
    c->cursor->steps++;
    if ((k->prefix && !compare_prefix(c)) || !next_commit(c, k->pc, k->word))
        return false;
    if (!compare_x(c) || !compare_v(c) || !compare_csr(c) || !compare_accesses(c, false) ||
        !compare_accesses(c, true) || !compare_simt(c))
        return false;
    c->counts[COUNT_STEPS]++;
    while (k->barrier && c->cursor->next != LOG_NONE && c->log.commits[c->cursor->next].pc == k->pc) {
        c->cursor->next = c->log.commits[c->cursor->next].next;
        c->counts[SKIP_BARRIER]++;
    }
    return true;
}

static void take_boot_registers(void *context, uint32_t workgroup, uint32_t warp, uint32_t handle,
                                karat_launch_desc *desc) {
    (void)handle;
    comparer *c = context;
    desc->x = c->warps[(size_t)workgroup * c->kernel->wg_size + warp].run->x;
}

/* Which run of the log is which warp: core N is warp N, its n-th run that of workgroup n. */
static bool assign_runs(comparer *c) {
    uint64_t wg_size = c->kernel->wg_size, num = karat_kernel_workgroups(c->kernel) * wg_size;
    if (c->log.num_runs != num) {
        cli_error("%s: expected the logs of %" PRIu64 " warps, found %" PRIu32, c->log.path, num,
                  c->log.num_runs);
        c->status = CLI_MISMATCH;
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
        uint64_t at = (uint64_t)run->index * wg_size + run->core;
        if (run->core >= wg_size || at >= num) {
            cli_error("%s:%" PRIu32 ": expected %" PRIu64 " warps in each of %" PRIu32
                      " workgroups, found more",
                      c->log.path, run->line, wg_size, karat_kernel_workgroups(c->kernel));
            c->status = CLI_MISMATCH;
            return false;
        }
        c->warps[at] = (warp_cursor){run, run->first, 0};
        c->counts[SKIP_BOOT] += run->boot;
        c->counts[SKIP_STUB] += run->stub;
    }
    return true; /* as many runs as places, none taken twice: every place has one */
}

/* What the model came to, besides the steps compared. */
static void check_end(comparer *c, const sched_result *r) {
    char text[SCHED_TEXT_SIZE];
    uint32_t wg_size = c->kernel->wg_size;
    if (r->end == SCHED_STOPPED)
        return; /* said already */
    if (r->end != SCHED_DONE) {
        cli_error("%s", sched_describe(c->session, c->kernel, r, text));
        c->status = r->end == SCHED_MAX_STEPS ? CLI_INCOMPLETE
                    : r->end == SCHED_FAILED  ? CLI_BAD_INPUT
                                              : CLI_MISMATCH;
        const warp_cursor *w = &c->warps[(size_t)r->workgroup * wg_size + r->warp];
        if (c->status == CLI_MISMATCH && w->next != LOG_NONE)
            fprintf(stderr, "  the log goes on at %s:%" PRIu32 "\n", c->log.path,
                    c->log.commits[w->next].line);
        return;
    }
    for (uint32_t i = 0; i < c->log.num_runs; i++) {
        const warp_cursor *w = &c->warps[i];
        if (w->next == LOG_NONE && w->run->ended)
            continue;
        cli_error("%s:%" PRIu32 ": workgroup %" PRIu32 " warp %" PRIu32
                  " has ended in the model, the log goes on",
                  c->log.path, w->next == LOG_NONE ? w->run->line : c->log.commits[w->next].line, i / wg_size,
                  i % wg_size);
        c->status = CLI_MISMATCH;
        return;
    }
    if (!c->counts[COUNT_STEPS]) {
        cli_error("%s: nothing was compared", c->log.path);
        c->status = CLI_MISMATCH;
    }
}

static int compare_kernel(session *s, const karat_kernel *kernel, const char *path, uint64_t *totals) {
    comparer *c = calloc(1, sizeof *c);
    sched_result *r = calloc(1, sizeof *r);
    int status = CLI_BAD_INPUT;
    if (!c || !r) {
        cli_error("not enough memory");
    } else {
        c->session = s;
        c->kernel = kernel;
        c->lanes = karat_kernel_wf_size(kernel, (uint32_t)s->options.threads);
        c->status = log_open(&c->log, path) ? CLI_OK : CLI_BAD_INPUT;
        if (c->status == CLI_OK && assign_runs(c)) {
            sched_hooks hooks = {.context = c, .launch = take_boot_registers, .commit = compare_step};
            sched_run(s, kernel, &hooks, r);
            check_end(c, r);
        }
        if (c->status == CLI_OK || c->status == CLI_MISMATCH)
            print_counts(kernel->name, c->counts, 0, COUNT_COMPARED);
        for (int i = 0; i < COUNT_ALL; i++)
            totals[i] += c->counts[i];
        status = c->status;
        log_close(&c->log);
        free(c->warps);
    }
    free(c);
    free(r);
    return status;
}

static int compare_all(const compare_options *o, session *s) {
    uint64_t totals[COUNT_ALL] = {0};
    int status = CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < s->num_kernels; i++) {
        char *beside = i < o->num_logs ? NULL : log_beside(s->options.files[i]);
        const char *path = i < o->num_logs ? o->logs[i] : beside;
        if (path) {
            status = compare_kernel(s, s->kernels[i], path, totals);
        } else {
            cli_error("not enough memory");
            status = CLI_BAD_INPUT;
        }
        free(beside);
    }
    if (status == CLI_OK) {
        print_counts("total", totals, 0, COUNT_COMPARED);
        print_counts("skipped", totals, COUNT_COMPARED, COUNT_ALL);
    }
    return status;
}

int cmd_compare_log(int argc, char **argv) {
    compare_options o = {0};
    session s = {0};
    int status = CLI_BAD_INPUT;
    if (!cli_parse(&argp, argc, argv, &o))
        free(o.session.files);
    else {
        if (session_open(&s, &o.session))
            status = compare_all(&o, &s);
        session_close(&s);
    }
    free(o.logs);
    return status;
}
