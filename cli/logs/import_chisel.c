/* Format chisel: output of the Chisel Ventus core.  A line names the warp slot, pc and word of its
 * instruction; its forms are in chisel_lines.c.  Lines that begin otherwise are the test bench's.
 *
 * Instructions complete out of order, some print nothing, and no line says that a warp was launched or what
 * it is.  So the model steps along: a line belongs to the oldest instruction at its pc and word that has not
 * printed it yet, stepping on to where there is one.  What the model steps over becomes ISSUE, which HELLO
 * says that the core does not provide; where the instruction before has printed its outcome, pc and mask are
 * the printed ones. */
#include "chisel.h"
#include "results.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Opening --- */

static bool open_chisel(importer *imp) {
    const session *s = &imp->session;
    chisel_log *p = imp->parsed = cli_alloc(sizeof *p);
    p->text = imp->lines[0];
    imp->lines[0] = (log_lines){0};
    p->threads = (uint32_t)s->options.threads;
    if (!chisel_check(p))
        return false;
    imp->num_sm = imp->num_warp = 1;
    for (uint32_t i = 0; i < s->num_kernels; i++)
        if (s->kernels[i]->wg_size > imp->num_warp)
            imp->num_warp = s->kernels[i]->wg_size;
    if (imp->num_warp > CHISEL_WARP) {
        cli_error("expected workgroups of at most 64 warps, found %" PRIu32, imp->num_warp);
        return false;
    }
    for (uint32_t sm = 0; sm < CHISEL_SM; sm++)
        for (uint32_t warp = 0; warp < CHISEL_WARP; warp++)
            if (p->last[sm][warp]) {
                imp->num_sm = sm + 1;
                imp->num_warp = warp >= imp->num_warp ? warp + 1 : imp->num_warp;
            }
    p->slots = cli_alloc(imp->num_sm * imp->num_warp * sizeof *p->slots);
    p->pending = cli_alloc(CHISEL_AHEAD * sizeof *p->pending);
    p->ahead = cli_alloc(CHISEL_AHEAD * sizeof *p->ahead);
    return true;
}

static void close_chisel(importer *imp) {
    chisel_log *p = imp->parsed;
    for (uint32_t i = 0; p && p->slots && i < imp->num_sm * imp->num_warp; i++)
        free(p->slots[i].steps);
    if (p) {
        log_lines_close(&p->text);
        free(p->slots);
        free(p->lives);
        free(p->places);
        free(p->use);
        free(p->groups);
        free(p->pending);
        free(p->ahead);
    }
    free(p);
}

/* --- Steps --- */

static chisel_step *step_at(const chisel_slot *sl, uint64_t n) {
    return &sl->steps[n % CHISEL_STEPS];
}

/* BASE+OFFSET of a vector access: its operands, which are its address unless it is private, or of adjacent
 * lanes. */
static void note_parts(const importer *imp, const karat_commit *k, chisel_step *s) {
    karat_insn insn;
    const karat_row *row = karat_row_info(karat_decode(imp->session.options.profile, k->word, &insn));
    const karat_reg_read *base = NULL, *second = NULL;
    uint32_t offset = 0;
    bool has_offset = false;
    for (uint32_t i = 0; i < k->num_reads; i++) {
        if (k->read[i].part == 0 && k->read[i].source == 1)
            base = &k->read[i];
        else if (k->read[i].part == 0 && k->read[i].source == 2)
            second = &k->read[i];
    }
    for (uint32_t i = 0; row && i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (kind->is_reg || kind->bits < 2)
            continue;
        has_offset = true;
        offset = (uint32_t)insn.value[i];
    }
    if (!base)
        return;
    const bool indexed = base->cls == KARAT_CLASS_X && second && second->cls == KARAT_CLASS_V && !has_offset;
    if (indexed || (base->cls == KARAT_CLASS_V && k->mem.space != KARAT_PRIVATE))
        return; /* SUM_ADDRESS */
    s->form = has_offset ? SUM_PARTS : SUM_BASE;
    for (uint32_t lane = 0; lane < (uint32_t)imp->session.options.threads; lane++)
        s->parts[lane] = base->value[base->cls == KARAT_CLASS_X ? 0 : lane] + offset;
}

/* The model takes a step: its instruction and its ISSUE. False: it cannot. */
static bool take_step(importer *imp, import_slot *slot, chisel_slot *sl, chisel_step *s, karat_rec_issue *r) {
    karat_status status = import_step(imp, slot);
    const karat_commit *k = &imp->commit;
    if (status != KARAT_OK && status != KARAT_PROGRAM_ERROR)
        return false;
    const uint32_t fetched = k->prefix ? k->pc - 4 : k->pc;
    *r = (karat_rec_issue){
        .h = import_header(imp, KARAT_REC_ISSUE, slot),
        .seq = slot->seq,
        .pc = sl->says_pc ? k->pc + (sl->pc - fetched) : k->pc,
        .word = k->word,
        .prefix_kind = KARAT_PREFIX_UNKNOWN,
        .mask = sl->says_mask ? sl->mask : k->mask_before,
    };
    sl->says_pc = sl->says_mask = false;
    *s = (chisel_step){.seq = slot->seq++, .epoch = slot->epoch, .pc = k->pc, .word = k->word};
    if (status != KARAT_OK || k->row == KARAT_NO_ROW)
        return true;
    const karat_row *row = karat_row_info(k->row);
    s->owes = row->owes;
    s->unit = row->unit;
    s->ended = k->ended;
    s->has_mem = k->has_mem;
    if (k->has_mem)
        s->mem = k->mem;
    if (k->has_mem)
        note_parts(imp, k, s);
    s->num_writes = k->num_writes;
    for (uint32_t i = 0; i < k->num_writes; i++) {
        s->cls[i] = k->write[i].cls;
        s->reg[i] = k->write[i].reg;
    }
    return true;
}

/* Whether a step may still print that line; exact: a write of that very register. */
static bool prints(const chisel_step *s, const chisel_line *l, bool exact) {
    if (s->pc != l->pc || s->word != l->word)
        return false;
    const bool simt = s->owes & KARAT_OWES_SIMT;
    switch (l->kind) {
    case LINE_X:
        if (!l->reg)
            return true; /* Jumps and CSR instructions do write x0 */
        /* Fall through */
    case LINE_V:
        for (uint32_t i = 0; i < s->num_writes; i++)
            if (!s->wrote[i] &&
                (!exact || (s->reg[i] == l->reg && (s->cls[i] == KARAT_CLASS_V) == (l->kind == LINE_V))))
                return true;
        return l->kind == LINE_V && !l->mask && !exact; /* There is no lane: nothing is written */
    case LINE_MEM_X:
    case LINE_MEM_V: return s->has_mem && !s->accessed;
    case LINE_JUMP: return !s->jumped && (s->unit == KARAT_UNIT_BRANCH || simt);
    case LINE_VBRANCH: return simt && !s->jumped && !s->showed;
    /* In every cycle in which it waits; in the last of them perhaps after its Jump? */
    case LINE_JOIN: return simt && !(s->jumped && s->showed);
    case LINE_BARRIER: return s->owes & KARAT_OWES_BARRIER;
    case LINE_ENDPRG: return s->ended;
    default: return true;
    }
}

/* A warp prints a branch's lines, a barrier's and its end before it issues anything else. */
static bool of_youngest(const chisel_line *l) {
    return l->kind >= LINE_JUMP;
}

static chisel_step *find_printed(chisel_slot *sl, uint32_t epoch, const chisel_line *l, bool exact) {
    const uint64_t num = sl->num_steps, oldest = num > CHISEL_STEPS ? num - CHISEL_STEPS : 0;
    for (uint64_t n = of_youngest(l) && num ? num - 1 : oldest; n < num; n++) {
        chisel_step *s = step_at(sl, n);
        if (s->epoch == epoch && prints(s, l, exact))
            return s;
    }
    return NULL;
}

/* The address of a lane in the line; the model's access of a lane (NULL: it has none). */
static uint32_t address_of(const chisel_step *s, const chisel_line *l, uint32_t lane,
                           const karat_access *model) {
    if (l->kind == LINE_MEM_X)
        return l->base + (s->mem.amo || s->mem.op == KARAT_AMO ? 0 : l->offset);
    const uint32_t *addr = l->rows[l->store];
    if (!l->sums || s->form == SUM_ADDRESS || !model)
        return addr[lane];
    const uint32_t printed = s->form == SUM_PARTS ? addr[lane] : l->rows[l->store + 1][lane];
    return (uint32_t)model->addr + (printed - s->parts[lane]);
}

/* The line has the model's addresses and, with data, the stored values. */
static bool is_access(const chisel_step *s, const chisel_line *l, bool data) {
    const bool vector = l->kind == LINE_MEM_V;
    for (uint32_t i = 0; i < s->mem.num; i++) {
        const karat_access m = karat_mem_access(&s->mem, i);
        const uint32_t shown = vector ? l->rows[0][m.lane] : l->target;
        const uint32_t bits = m.bytes < 4 ? (1u << 8 * m.bytes) - 1 : UINT32_MAX;
        if (address_of(s, l, m.lane, &m) != (uint32_t)m.addr)
            return false;
        if (data && l->store && s->mem.op == KARAT_STORE && ((shown ^ m.value) & bits))
            return false;
    }
    return true;
}

/* Instructions that an access could be of. */
typedef struct candidates {
    chisel_step *fits;        /* An access whose addresses, and data, it has */
    chisel_step *next, *late; /* The first that is younger, and older, than all whose access was printed */
    uint32_t nexts, lates;    /* How many there are */
} candidates;

/* Which instruction an access is of.  The load-store unit need not take a warp's accesses in program order:
 * one may wait for its operands while a younger one proceeds. So of several it is the one with these
 * addresses; where none has them, the next one in program order.  Accesses may come when the slot has its
 * next warp. */
static candidates find_access(const chisel_slot *sl, const chisel_line *l) {
    const uint64_t num = sl->num_steps, oldest = num > CHISEL_STEPS ? num - CHISEL_STEPS : 0;
    candidates c = {0};
    chisel_step *fits = NULL;
    for (uint64_t n = oldest; n < num; n++) {
        chisel_step *s = step_at(sl, n);
        if (!prints(s, l, false))
            continue;
        const bool late = n < sl->next_access;
        if (!*(late ? &c.late : &c.next))
            *(late ? &c.late : &c.next) = s;
        ++*(late ? &c.lates : &c.nexts);
        if (!fits && is_access(s, l, false))
            fits = s;
        if (!c.fits && is_access(s, l, true))
            c.fits = s;
    }
    if (!c.fits)
        c.fits = fits;
    return c;
}

/* A JOIN prints in every cycle in which it waits, also after its Jump?; a branch may, too; and a jump that
 * waits for its Jump? may write the same link again. */
static bool is_repeated(const chisel_slot *sl, uint32_t epoch, const chisel_line *l) {
    const chisel_step *s = sl->num_steps ? step_at(sl, sl->num_steps - 1) : NULL;
    if (!s || s->epoch != epoch || s->pc != l->pc || s->word != l->word)
        return false;
    if (l->kind == LINE_X)
        return s->unit == KARAT_UNIT_BRANCH && !s->jumped && s->num_writes == 1 && s->wrote[0] &&
               s->reg[0] == l->reg && s->link == l->target;
    return (l->kind == LINE_JOIN || l->kind == LINE_VBRANCH) && s->showed && s->popped == l->taken &&
           s->mask == l->mask && s->target == l->target;
}

/* An instruction of which the core need not print anything. */
static bool is_silent(const chisel_step *s) {
    return !s->num_writes && !s->has_mem && !s->ended;
}

/* A line that no instruction can print any more, of one that has printed such a line: a second write. */
static chisel_step *find_past(chisel_slot *sl, uint32_t epoch, const chisel_line *l) {
    for (uint64_t n = sl->num_steps; n-- > 0 && sl->num_steps - n <= CHISEL_STEPS;) {
        chisel_step *s = step_at(sl, n);
        if (s->epoch == epoch && s->pc == l->pc && s->word == l->word)
            return l->kind <= LINE_V ? s : NULL;
    }
    return NULL;
}

/* Step the model on to an instruction that prints the line.  NULL: there is none; then it is late's, or,
 * without one, the line itself is the warp's next ISSUE, for the checker to report the fault. */
static chisel_step *step_on(importer *imp, chisel_log *p, import_slot *slot, chisel_slot *sl,
                            const chisel_line *l, const chisel_step *late) {
    enum { SEARCHING, FOUND, WRONG_WORD, WRONG_PROGRAM } end = SEARCHING;
    const uint32_t first = slot->seq;
    uint32_t num = 0;
    bool silent = true; /* The core need not have printed the instructions in between */
    while (end == SEARCHING && num < CHISEL_AHEAD &&
           take_step(imp, slot, sl, &p->ahead[num], &p->pending[num])) {
        const chisel_step *s = &p->ahead[num++];
        bool same = s->pc == l->pc && s->word == l->word;
        if (imp->commit.error.kind) {
            if (same || silent)
                end = WRONG_PROGRAM;
            break;
        }
        if (prints(s, l, false))
            end = FOUND;
        else if (silent && s->pc == l->pc && s->word != l->word)
            end = WRONG_WORD;
        silent = silent && is_silent(s);
    }
    if (end == WRONG_WORD)
        p->pending[num - 1].word = l->word;
    chisel_step *past = end == SEARCHING ? find_past(sl, slot->epoch, l) : NULL;
    for (uint32_t i = 0; end != SEARCHING && i < num; i++) {
        import_put(imp, &p->pending[i]);
        *step_at(sl, sl->num_steps++) = p->ahead[i];
    }
    if (end == FOUND)
        return step_at(sl, sl->num_steps - 1);
    sl->lost = p->lost = true;
    if (end == SEARCHING && !past && !late) {
        karat_rec_issue r =
            num ? p->pending[0] : (karat_rec_issue){.seq = first, .prefix_kind = KARAT_PREFIX_UNKNOWN};
        r.h = import_header(imp, KARAT_REC_ISSUE, slot);
        r.pc = l->pc;
        r.word = l->word;
        import_put(imp, &r);
    }
    return past;
}

/* --- The contents of a line --- */

/* The model follows the core: a load may have got another legal value, and registers start unknown. */
static void believe(importer *imp, const import_slot *slot, const chisel_slot *sl, const chisel_step *s,
                    unsigned cls, const karat_rec_write *r) {
    if (s->epoch != slot->epoch || slot->ended)
        return;
    for (uint64_t n = sl->num_steps; n-- > 0 && step_at(sl, n) != s;)
        for (uint32_t i = 0; i < step_at(sl, n)->num_writes; i++)
            if (step_at(sl, n)->cls[i] == cls && step_at(sl, n)->reg[i] == r->regno)
                return;
    karat_adopt(imp->model, slot->handle, cls, r->regno, r->mask, r->data);
}

static void put_write(importer *imp, const import_slot *slot, const chisel_slot *sl, chisel_step *s,
                      const chisel_line *l) {
    const unsigned cls = l->kind == LINE_V ? KARAT_V : KARAT_X;
    karat_rec_write r = {.h = import_header(imp, KARAT_REC_WRITE, slot),
                         .seq = s->seq,
                         .cls = (uint8_t)cls,
                         .regno = (uint16_t)l->reg,
                         .mask = 1};
    r.h.epoch = s->epoch;
    if (cls == KARAT_V) {
        r.mask = l->mask;
        memcpy(r.data, l->rows[0], sizeof r.data);
    } else {
        r.data[0] = l->target;
    }
    import_put(imp, &r);
    bool exact = false;
    for (uint32_t i = 0; i < s->num_writes && !exact; i++) {
        exact = s->cls[i] == cls && s->reg[i] == l->reg;
        if (exact)
            s->wrote[i] = true;
        if (exact && cls == KARAT_X)
            s->link = l->target;
    }
    if (exact)
        believe(imp, slot, sl, s, cls, &r);
}

/* The core shows the operand of an atomic access, not the value written; the address is the base alone. */
static void put_access(importer *imp, const import_slot *slot, chisel_slot *sl, chisel_step *s,
                       const chisel_line *l) {
    const karat_mem *m = &s->mem;
    karat_rec_mem r;
    s->accessed = true;
    for (uint64_t n = sl->num_steps; n-- > sl->next_access && sl->num_steps - n <= CHISEL_STEPS;)
        if (step_at(sl, n) == s)
            sl->next_access = n + 1;
    if (m->op == KARAT_AMO && !m->num)
        return; /* An SC that fails accesses nothing */
    import_mem(imp, slot, s->seq, l->store ? KARAT_MEM_STORE : KARAT_MEM_LOAD, &r);
    r.h.epoch = s->epoch;
    if (m->op == KARAT_AMO && l->store) {
        r.op = KARAT_MEM_AMO;
        r.no_data = 1;
    }
    const unsigned bytes = m->num ? karat_mem_access(m, 0).bytes : 4;
    if (l->kind == LINE_MEM_X) {
        import_mem_lane(&r, 0, address_of(s, l, 0, NULL), l->target, bytes);
    } else {
        const uint32_t *data = l->rows[0];
        uint32_t lanes = l->store ? l->mask : 0;
        for (uint32_t k = 0; !l->store && k < m->num; k++)
            lanes |= 1u << karat_mem_access(m, k).lane; /* A load's mask is not printed */
        for (uint32_t left = lanes; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            karat_access access = {0};
            bool found = false;
            for (uint32_t k = 0; k < m->num && !found; k++) {
                access = karat_mem_access(m, k);
                found = access.lane == lane;
            }
            import_mem_lane(&r, lane, address_of(s, l, lane, found ? &access : NULL),
                            l->store ? data[lane] : 0, bytes);
        }
    }
    import_put(imp, &r);
}

static void take_line(importer *imp, const import_slot *slot, chisel_slot *sl, chisel_step *s,
                      const chisel_line *l) {
    switch (l->kind) {
    case LINE_X:
    case LINE_V: put_write(imp, slot, sl, s, l); break;
    case LINE_MEM_X:
    case LINE_MEM_V: put_access(imp, slot, sl, s, l); break;
    case LINE_JUMP:
        s->jumped = true;
        sl->says_pc = true;
        sl->pc = l->taken ? l->target : l->pc + 4;
        break;
    case LINE_VBRANCH:
    case LINE_JOIN: /* Mask and pc are nothing's without a pop */
        s->showed = true;
        s->popped = l->taken;
        s->mask = l->mask;
        s->target = l->target;
        if (l->kind == LINE_JOIN && !l->taken)
            break;
        sl->says_pc = sl->says_mask = true;
        sl->pc = l->target;
        sl->mask = l->mask;
        break;
    default: break;
    }
}

/* Nothing is claimed of the warp from here on. */
static bool lose(importer *imp, chisel_log *p, chisel_slot *sl, const chisel_line *l, uint32_t open) {
    sl->lost = p->lost = imp->gave_up = true;
    results_note("%s:%" PRIu32 ": nothing more of sm %" PRIu32 " warp %" PRIu32
                 ": it is not known which of %" PRIu32 " accesses at pc 0x%08" PRIx32 " this one is",
                 p->text.path, l->line, l->sm, l->warp, open, l->pc);
    return true;
}

/* The line that was taken last. */
static bool put_line(importer *imp, chisel_log *p, const chisel_line *l) {
    const uint32_t at = l->sm * imp->num_warp + l->warp;
    import_slot *slot = &imp->slots[at];
    chisel_slot *sl = &p->slots[at];
    imp->cycle = l->line;
    if (!sl->steps)
        sl->steps = cli_alloc(CHISEL_STEPS * sizeof *sl->steps);
    if (l->kind == LINE_FIN || sl->lost || is_repeated(sl, slot->epoch, l))
        return true;
    candidates c = {0};
    chisel_step *s = NULL;
    if (l->kind == LINE_MEM_X || l->kind == LINE_MEM_V) {
        c = find_access(sl, l);
        s = c.fits ? c.fits : c.nexts == 1 && !c.lates ? c.next : NULL;
        if (!s && c.nexts)
            return lose(imp, p, sl, l, c.nexts + c.lates);
    } else {
        s = find_printed(sl, slot->epoch, l, true);
        if (!s)
            s = find_printed(sl, slot->epoch, l, false);
    }
    if (!s && !c.lates && (!slot->launched || slot->ended)) {
        if (imp->launched == imp->expected && imp->ended == imp->expected) {
            if (imp->gave_up)
                return true;
            if (imp->next_kernel == imp->session.num_kernels)
                return log_lines_refuse(&p->text, l->line,
                                        "the end: every warp of the kernels named has ended");
            if (!chisel_begin_kernel(imp, p))
                return false;
        }
        if (imp->launched < imp->expected && !chisel_launch(imp, p, slot, sl, l))
            return false;
        if (!slot->launched && p->lost)
            return true; /* The kernel before has not ended, as far as is known */
        if (!slot->launched)
            return log_lines_refuse(&p->text, l->line,
                                    "a line of one of the kernel's warps, which have all begun");
    }
    if (!s)
        s = step_on(imp, p, slot, sl, l, c.late);
    if (c.lates && (s ? !is_access(s, l, false) : c.lates > 1))
        return lose(imp, p, sl, l, c.lates + (s != NULL));
    if (!s && c.late && prints(c.late, l, false))
        s = c.late; /* No younger one is of that pc: its addresses are wrong */
    if (s)
        take_line(imp, slot, sl, s, l);
    return true;
}

static bool put_lines(importer *imp) {
    chisel_log *p = imp->parsed;
    chisel_line l;
    if (!log_lines_go(&p->text, (log_place){0}) || !chisel_begin_kernel(imp, p))
        return false;
    while (chisel_next(p, &l) && !import_stops(imp))
        if (!put_line(imp, p, &l))
            return false;
    if (p->text.failed)
        return false;
    if (p->by_order)
        results_note("%s: %" PRIu64 " of %" PRIu64
                     " warps are taken in the order in which they begin: the values that they "
                     "read do not identify them",
                     p->text.path, p->by_order, p->placed);
    log_lines_say_foreign(&p->text);
    log_lines_say_stopped(&p->text);
    return true;
}

static bool begins_chisel(const char *line) {
    text_cursor at;
    return chisel_begins(line, &at);
}

const import_format import_chisel = {
    .name = "chisel",
    .begins = begins_chisel,
    .gives = KARAT_PORT_BIT(HELLO) | KARAT_PORT_BIT(WRITE) | KARAT_PORT_BIT(MEM),
    .props =
        KARAT_PROP_INTERLOCKED, /* Its scoreboard holds an instruction back until its registers are written */
    .mem_order = KARAT_ORDER_REQUEST,
    .open = open_chisel,
    .run = put_lines,
    .close = close_chisel,
};
