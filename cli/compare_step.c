/* One step of the model against one commit of a register log, in every field. */
#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CSR_FFLAGS  0x001u
#define CSR_MSTATUS 0x300u
#define CSR_VL      0xc20u
#define CSR_VTYPE   0xc21u
#define SETRPC      0x0000305bu /* under mask 0x707f: the log has its SIMT state, too */

/* --- Differences --- */

static void note_difference(comparer *c, const char *kind, uint32_t lanes, const char *first) {
    differences *all = c->differences;
    difference new = {.kind = kind, .count = 1};
    all->num++;
    karat_signature_of(c->event->commit, lanes, 0xffffffffu >> (32 - c->lanes), &new.signature);
    for (uint32_t i = 0; i < all->num_kept; i++) {
        difference *d = &all->kept[i];
        if (strcmp(d->kind, kind) != 0 || !karat_signature_same(&d->signature, &new.signature))
            continue;
        d->count++;
        return;
    }
    if (all->num_kept == NUM_DIFFERENCE) {
        all->lost++;
        return;
    }
    snprintf(new.first, sizeof new.first, "%s", first);
    all->kept[all->num_kept++] = new;
}

/* A difference of that kind, in those lanes (0: none are meant).  False: it ends the comparison; true: the log's value is to be
 * taken now. */
static bool differ(comparer *c, const char *kind, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool differ(comparer *c, const char *kind, uint32_t lanes, const char *format, ...) {
    char text[256], first[512], insn[CLI_INSN_SIZE], place[CLI_PLACE_SIZE];
    const karat_commit *k = c->event->commit;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(first, sizeof first,
             "%.180s:%" PRIu32 ": step %" PRIu64 " of workgroup %" PRIu32 " warp %" PRIu32 " differs: %s",
             c->log.path, c->line ? c->line->line : c->cursor->run->line, c->cursor->steps,
             c->event->workgroup, c->event->warp, text);
    c->differs = true;
    if (c->status != CLI_MISMATCH) {
        cli_error("%s", first);
        fprintf(stderr, "  model at %s: %s\n", cli_place(c->kernel, k->pc, place),
                cli_insn(c->session->options.profile, k->pc, k->prefix, k->word, insn));
    }
    c->status = CLI_MISMATCH;
    if (c->differences)
        note_difference(c, kind, lanes, first);
    return c->differences != NULL;
}

/* Nothing more of this warp is compared. */
static void end_warp(comparer *c) {
    c->cursor->over = true;
    c->num_open--;
}

/* After a difference without a value to take: the warp is dropped. */
static bool give_up(comparer *c, bool goes_on) {
    if (goes_on) {
        end_warp(c);
        c->num_given_up++;
    }
    return goes_on;
}

static void adopt(comparer *c, unsigned cls, uint32_t reg, uint32_t mask, const uint32_t *value) {
    uint32_t all[KARAT_MAX_THREAD] = {0};
    memcpy(all, value, (cls == KARAT_CLASS_X ? 1 : c->lanes) * sizeof *all);
    karat_adopt(c->session->model, c->event->handle, cls, reg, mask, all);
}

/* --- Registers --- */

static const karat_reg_write *find_write(const karat_commit *k, unsigned cls, uint32_t reg) {
    for (uint32_t i = 0; i < k->num_writes; i++)
        if (k->write[i].cls == cls && k->write[i].reg == reg && k->write[i].mask)
            return &k->write[i];
    return NULL;
}

static bool reads_mstatus(uint32_t word) {
    return (word & 0x7f) == 0x73 && (word >> 12 & 3) != 0 && word >> 20 == CSR_MSTATUS;
}

/* A scalar register that the log writes. */
static bool compare_one_x(comparer *c, const log_x *x) {
    const karat_commit *k = c->event->commit;
    const karat_reg_write *w = find_write(k, KARAT_CLASS_X, x->reg);
    if (w && reads_mstatus(k->word)) {
        adopt(c, KARAT_CLASS_X, x->reg, 1, &x->value);
        c->counts[SKIP_MSTATUS_READ]++;
        return true;
    }
    if (w && w->value[0] == x->value) {
        c->counts[COUNT_X]++;
        return true;
    }
    const bool goes_on =
        w ? differ(c, "x register", 0, "x%" PRIu32 ": log 0x%08" PRIx32 ", model 0x%08" PRIx32, x->reg,
                   x->value, w->value[0])
          : differ(c, "x register", 0, "x%" PRIu32 ": log 0x%08" PRIx32 ", the model does not write it",
                   x->reg, x->value);
    if (goes_on)
        adopt(c, KARAT_CLASS_X, x->reg, 1, &x->value);
    return goes_on;
}

static bool compare_x(comparer *c) {
    const karat_commit *k = c->event->commit;
    const log_fields *f = &c->fields;
    for (uint32_t i = 0; i < f->num_x; i++)
        if (!compare_one_x(c, &f->x[i]))
            return false;
    for (uint32_t i = 0; i < k->num_writes; i++) {
        const karat_reg_write *w = &k->write[i];
        bool logged = w->cls != KARAT_CLASS_X || !w->reg || !w->mask;
        for (uint32_t j = 0; j < f->num_x; j++)
            logged = logged || f->x[j].reg == w->reg;
        if (!logged && !differ(c, "x register", 0, "x%u: model 0x%08" PRIx32 ", the log does not write it",
                               w->reg, w->value[0]))
            return false;
    }
    return true;
}

static bool compare_lanes(comparer *c, const log_v *v, const uint32_t *model) {
    uint32_t different = 0;
    for (uint32_t lane = 0; lane < c->lanes && lane < KARAT_MAX_THREAD; lane++)
        different |= (uint32_t)(v->value[lane] != model[lane]) << lane;
    if (!different)
        return true;
    const bool first = c->status != CLI_MISMATCH;
    const bool goes_on =
        differ(c, "v register", different, "v%" PRIu32 " in lanes 0x%08" PRIx32, v->reg, different);
    for (uint32_t lane = 0; first && lane < c->lanes; lane++)
        if (different >> lane & 1)
            fprintf(stderr, "  lane %" PRIu32 ": log 0x%08" PRIx32 ", model 0x%08" PRIx32 "\n", lane,
                    v->value[lane], model[lane]);
    if (goes_on)
        adopt(c, KARAT_CLASS_V, v->reg, different, v->value);
    return goes_on;
}

static bool compare_mask(comparer *c, uint32_t mask) {
    const uint32_t model = c->event->commit->mask_after;
    if (mask == model) {
        c->counts[COUNT_MASKS]++;
        return true;
    }
    return give_up(
        c, differ(c, "thread mask", 0, "thread mask: log 0x%08" PRIx32 ", model 0x%08" PRIx32, mask, model));
}

static bool compare_v(comparer *c) {
    const karat_commit *k = c->event->commit;
    const log_fields *f = &c->fields;
    for (uint32_t i = 0; i < f->num_v; i++) {
        const log_v *v = &f->v[i];
        const karat_reg_write *w = find_write(k, KARAT_CLASS_V, v->reg);
        karat_warp_view view;
        if (karat_view(c->session->model, c->event->handle, &view) != KARAT_OK)
            return differ(c, "v register", 0, "the model has no such warp");
        /* The log has the whole register, also where no lane was written. */
        if (!compare_lanes(c, v, w ? w->value : view.v[v->reg]) || (v->has_mask && !compare_mask(c, v->mask)))
            return false;
        c->counts[COUNT_V]++;
    }
    for (uint32_t i = 0; i < k->num_writes; i++) {
        const karat_reg_write *w = &k->write[i];
        bool logged = w->cls != KARAT_CLASS_V || !w->mask;
        for (uint32_t j = 0; j < f->num_v; j++)
            logged = logged || f->v[j].reg == w->reg;
        if (!logged && !differ(c, "v register", w->mask,
                               "v%u: the model writes lanes 0x%08" PRIx32 ", the log does not write it",
                               w->reg, w->mask))
            return false;
    }
    return true;
}

/* --- CSRs --- */

static bool compare_config(comparer *c) {
    const log_fields *f = &c->fields;
    karat_model *model = c->session->model;
    uint32_t vl, vtype;
    if (!f->has_config)
        return true;
    if (karat_csr_read(model, c->event->handle, CSR_VL, &vl) != KARAT_OK ||
        karat_csr_read(model, c->event->handle, CSR_VTYPE, &vtype) != KARAT_OK)
        return differ(c, "configuration", 0, "the model has no vl and vtype");
    const uint32_t sew = 8u << (vtype >> 3 & 7), code = vtype & 7;
    const uint32_t lmul = code < 4 ? 1u << code : 0, fraction = code > 4 ? 1u << (8 - code) : 0;
    if (f->vl == vl && f->sew == sew && f->lmul == lmul && f->fraction == fraction) {
        c->counts[COUNT_CONFIG]++;
        return true;
    }
    const bool goes_on = differ(c, "configuration", 0,
                                "configuration: log e%" PRIu32 " m%s%" PRIu32 " l%" PRIu32 ", model e%" PRIu32
                                " m%s%" PRIu32 " l%" PRIu32,
                                f->sew, f->fraction ? "f" : "", f->fraction ? f->fraction : f->lmul, f->vl,
                                sew, fraction ? "f" : "", fraction ? fraction : lmul, vl);
    if (goes_on)
        karat_adopt_vl(model, c->event->handle, f->vl);
    return goes_on;
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
        if (karat_csr_read(c->session->model, c->event->handle, csr->csr, &value) != KARAT_OK) {
            if (!differ(c, "CSR", 0, "csr %s: log 0x%08" PRIx32 ", the model has no such CSR", csr->name,
                        csr->value))
                return false;
            continue;
        }
        if (value == csr->value) {
            c->counts[COUNT_CSR]++;
            continue;
        }
        if (!differ(c, "CSR", 0, "%s: log 0x%08" PRIx32 ", model 0x%08" PRIx32, csr->name, csr->value, value))
            return false;
        if (csr->csr == CSR_VL)
            karat_adopt_vl(c->session->model, c->event->handle, csr->value);
        else
            karat_csr_write(c->session->model, c->event->handle, csr->csr, csr->value);
    }
    if (!written &&
        !differ(c, "CSR", 0, "csr 0x%03" PRIx32 ": model 0x%08" PRIx32 ", the log does not write it", k->csr,
                k->csr_value))
        return false;
    if (!flags && !differ(c, "flags", 0, "fflags: the model raises 0x%02x, the log none", k->flags_raised))
        return false;
    return compare_config(c);
}

/* --- Memory --- */

/* The model's memory gets the log's stored data. */
static void adopt_store(comparer *c, const log_access *a) {
    karat_model *model = c->session->model;
    const uint32_t group = c->event->handle / c->kernel->wg_size;
    const uint8_t bytes[4] = {(uint8_t)a->value, (uint8_t)(a->value >> 8), (uint8_t)(a->value >> 16),
                              (uint8_t)(a->value >> 24)};
    if (karat_write(model, a->addr, bytes, a->stored) != KARAT_OK)
        karat_lds_write(model, group, a->addr, bytes, a->stored);
}

static bool compare_access(comparer *c, const log_access *a, const karat_access *m, bool store) {
    const uint32_t lane = 1u << m->lane;
    bool goes_on = true;
    if (m->addr != a->addr)
        goes_on = differ(c, store ? "store address" : "load address", lane,
                         "%s, lane %u: log address 0x%08" PRIx32 ", model 0x%08" PRIx64,
                         store ? "stores" : "loads", m->lane, a->addr, m->addr);
    else if (store && m->value != a->value)
        goes_on = differ(c, "store data", lane,
                         "store to 0x%08" PRIx32 ", lane %u: log 0x%08" PRIx32 ", model 0x%08" PRIx32,
                         a->addr, m->lane, a->value, m->value);
    else
        c->counts[COUNT_MEM]++;
    if (goes_on && store && (m->addr != a->addr || m->value != a->value))
        adopt_store(c, a);
    return goes_on;
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
            return differ(c, what, 0, "%s: log more than the model's %" PRIu32 ", next at 0x%08" PRIx32, what,
                          expected, a->addr);
        const karat_access m = karat_mem_access(&k->mem, at++);
        if (!compare_access(c, a, &m, store))
            return false;
    }
    return at == expected || differ(c, what, 0, "%s: log %" PRIu32 ", model %" PRIu32, what, at, expected);
}

static bool compare_loads(comparer *c) {
    return compare_accesses(c, false);
}

static bool compare_stores(comparer *c) {
    return compare_accesses(c, true);
}

/* --- SIMT state --- */

static bool compare_entry(comparer *c, uint32_t i, const log_stack_line *l, const karat_simt_entry *m) {
    if (l->entry.rpc == m->rpc && l->entry.next == m->next && l->entry.mask == m->mask)
        return true;
    const bool first = c->status != CLI_MISMATCH;
    const bool goes_on = differ(c, "SIMT stack", 0,
                                "SIMT stack entry %" PRIu32 " from the top (line %" PRIu32 ")", i, l->line);
    if (first) {
        fprintf(stderr, "  log:   rpc %08" PRIx32 " next %08" PRIx32 " mask %08" PRIx32 "\n", l->entry.rpc,
                l->entry.next, l->entry.mask);
        fprintf(stderr, "  model: rpc %08" PRIx32 " next %08" PRIx32 " mask %08" PRIx32 "\n", m->rpc, m->next,
                m->mask);
    }
    return give_up(c, goes_on);
}

static bool compare_simt(comparer *c) {
    const karat_commit *k = c->event->commit;
    const log_fields *f = &c->fields;
    if (!f->has_simt) {
        if (k->simt == KARAT_SIMT_NONE && (k->word & 0x707f) != SETRPC)
            return true;
        if (c->log.forms & LOG_NO_SIMT) {
            c->counts[SKIP_SIMT]++;
            return true;
        }
        return differ(c, "SIMT", 0, "SIMT: the log has no outcome of this instruction");
    }
    karat_warp_view view;
    if (karat_view(c->session->model, c->event->handle, &view) != KARAT_OK)
        return differ(c, "SIMT", 0, "the model has no such warp");
    if (!compare_mask(c, f->mask))
        return false;
    if (c->cursor->over)
        return true;
    if (f->depth != k->depth || f->depth != view.depth)
        return give_up(c, differ(c, "SIMT stack", 0, "SIMT stack: log %" PRIu32 " entries, model %u",
                                 f->depth, k->depth));
    for (uint32_t i = 0; i < f->depth && !c->cursor->over; i++)
        if (!compare_entry(c, i, log_entry(&c->log, c->line, i), &view.stack[f->depth - 1 - i]))
            return false;
    if (c->cursor->over)
        return true;
    if (k->simt == KARAT_SIMT_UNIFORM || k->simt == KARAT_SIMT_DIVERGE || k->simt == KARAT_SIMT_POP) {
        if (f->npc != k->next_pc)
            return give_up(c, differ(c, "next pc", 0, "next pc: log 0x%08" PRIx32 ", model 0x%08" PRIx32,
                                     f->npc, k->next_pc));
    } else {
        c->counts[SKIP_STALE_NPC]++;
    }
    c->counts[COUNT_SIMT]++;
    return true;
}

/* --- Steps --- */

/* Take the warp's next commit of the log, which must be of that word at that pc, and its fields.  The warp may be over then. */
static bool next_commit(comparer *c, uint32_t pc, uint32_t word) {
    if (c->cursor->next == LOG_NONE) {
        c->line = NULL;
        if (c->log.cut) {
            end_warp(c);
            return true;
        }
        return give_up(c,
                       differ(c, "end of the log", 0, "the log of this warp ends here, the model goes on"));
    }
    c->line = &c->log.commits[c->cursor->next];
    c->cursor->next = c->line->next;
    if (c->line->pc != pc)
        return give_up(c, differ(c, "pc", 0, "pc: log 0x%08" PRIx32 ", model 0x%08" PRIx32, c->line->pc, pc));
    if (c->line->word != word)
        return give_up(c, differ(c, "instruction", 0, "instruction: log 0x%0*" PRIx32 ", model 0x%08" PRIx32,
                                 c->line->is_short ? 4 : 8, c->line->word, word));
    log_parse(&c->log, c->line, &c->fields);
    return true;
}

static bool compare_prefix(comparer *c) {
    const karat_commit *k = c->event->commit;
    if (!next_commit(c, k->pc - 4, k->prefix))
        return false;
    const log_fields *f = &c->fields;
    if (!c->cursor->over &&
        (f->num_x || f->num_v || f->num_csr || f->num_mem || f->has_config || f->has_simt))
        return differ(c, "prefix", 0, "the log has fields at a prefix");
    return true;
}

/* A step that nothing is compared with.  False: nothing more will be compared. */
static bool step_alone(comparer *c) {
    c->counts[SKIP_ALONE]++;
    return c->num_open || !c->last;
}

bool compare_step(void *context, const sched_event *event) {
    static bool (*const parts[])(comparer *) = {compare_x,     compare_v,      compare_csr,
                                                compare_loads, compare_stores, compare_simt};
    comparer *c = context;
    const karat_commit *k = event->commit;
    c->event = event;
    c->cursor = &c->warps[(size_t)event->workgroup * c->kernel->wg_size + event->warp];
    c->cursor->steps++;
    c->differs = false;
    if (!c->cursor->run || c->cursor->over)
        return step_alone(c);
    if (k->prefix && !compare_prefix(c))
        return false;
    if (!c->cursor->over && !next_commit(c, k->pc, k->word))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !c->cursor->over; i++)
        if (!parts[i](c))
            return false;
    if (c->cursor->over)
        return c->differs || step_alone(c);
    c->counts[COUNT_STEPS] += !c->differs;
    while (k->barrier && c->cursor->next != LOG_NONE && c->log.commits[c->cursor->next].pc == k->pc) {
        c->cursor->next = c->log.commits[c->cursor->next].next;
        c->counts[SKIP_BARRIER]++;
    }
    if (k->ended && c->cursor->next == LOG_NONE)
        end_warp(c);
    return true;
}

/* --- Traps --- */

/* The log has nothing of this warp but a trap: at the model's next step, or at the instruction after its prefix. */
static bool at_trap(const comparer *c, const warp_cursor *w) {
    if (!w->run || w->over || !w->run->trap.line)
        return false;
    if (w->next == LOG_NONE)
        return true;
    const log_commit *line = &c->log.commits[w->next];
    karat_insn insn;
    const int row = karat_decode(c->session->options.profile, line->word, &insn);
    return line->next == LOG_NONE && line->pc + 4 == w->run->trap.pc && row != KARAT_NO_ROW &&
           karat_row_info(row)->unit == KARAT_UNIT_PREFIX;
}

/* The trap, and the model's result for that instruction: an error as well, or not. */
static void judge_trap(comparer *c, const warp_cursor *w, uint32_t workgroup, uint32_t warp,
                       uint32_t handle) {
    const log_trap *trap = &w->run->trap;
    char place[CLI_PLACE_SIZE], insn[CLI_INSN_SIZE], value[32] = "";
    karat_commit *k = calloc(1, sizeof *k);
    if (!k) {
        cli_error("not enough memory");
        c->status = CLI_BAD_INPUT;
        return;
    }
    const karat_status status = karat_step(c->session->model, handle, k);
    const bool error = status == KARAT_PROGRAM_ERROR, same = k->pc == trap->pc;
    if (trap->has_value)
        snprintf(value, sizeof value, ", tval 0x%08" PRIx32, trap->value);
    cli_error("%s:%" PRIu32 ": workgroup %" PRIu32 " warp %" PRIu32 " ends in %s at pc %s%s%s", c->log.path,
              trap->line, workgroup, warp, trap->name, cli_place(c->kernel, trap->pc, place), value,
              c->status == CLI_MISMATCH ? "" : ", equal up to there");
    if (!same)
        fprintf(stderr, "  the model is at pc %s\n", cli_place(c->kernel, k->pc, place));
    fprintf(stderr, "  the model: %s%s%s\n", error ? karat_error_name(k->error.kind) : "it executes ",
            error ? ": " : "", cli_insn(c->session->options.profile, k->pc, k->prefix, k->word, insn));
    if (!error || !same)
        c->status = CLI_MISMATCH;
    else if (c->status == CLI_OK)
        c->status = CLI_PROGRAM_ERROR;
    free(k);
}

bool compare_goes_on(void *context, uint32_t workgroup, uint32_t warp, uint32_t handle) {
    comparer *c = context;
    warp_cursor *w = &c->warps[(size_t)workgroup * c->kernel->wg_size + warp];
    if (!at_trap(c, w))
        return true;
    judge_trap(c, w, workgroup, warp, handle);
    w->next = LOG_NONE;
    w->over = true;
    c->num_open--;
    c->num_aside++;
    return false;
}
