/* Where a wrong value may have come from: from the instruction at fault back over those that wrote what it
 * reads.
 *
 * A value is right where its WRITE was equal, or a READ of it, by whichever instruction: all comparisons
 * before the failure were. A right value needs no explanation, so the walk continues only from registers
 * that no record has shown to be right: those that the core provides no WRITE of, or that were forwarded
 * before their WRITE. It ends at instructions all of whose inputs are right; with those on the way there
 * they are the ones that can have gone wrong.
 *
 * It is made for a report, out of what the checker has at hand: flights, of which all is known; the
 * history, where the word says what an instruction read; the last writer of each register, where neither
 * reaches so far back. */
#include "report.h"
#include "any.h"
#include "names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 12

/* A register operand of an instruction. */
typedef struct operand {
    karat_source is;
    bool has_value, matched, wrong;
    bool addresses;        /* The operand makes addresses, which were compared */
    const uint32_t *value; /* has_value: by lane */
} operand;

typedef struct walker {
    const karat_checker *c;
    const failure *x;
    const slot *s;
    karat_producers *w;
    uint32_t spare; /* Entries that only those at depth 0 may take */
    /* Of a CSR that the instruction at fault depends on: instructions that can have set it; what of it may
     * be as it was before the first of these; where the search has ended. */
    uint32_t num_setters, since;
    unsigned left;
} walker;

static bool gives_write(const karat_checker *c) {
    return karat_gives(c, KARAT_REC_WRITE);
}

/* --- Knowledge of an instruction --- */

static uint32_t operands_of_commit(const karat_commit *m, uint32_t matched, operand *out) {
    for (uint32_t i = 0; i < m->num_reads; i++) {
        const karat_reg_read *r = &m->read[i];
        out[i] = (operand){.is = {r->source, r->cls, r->reg},
                           .has_value = true,
                           .matched = matched >> i & 1,
                           .value = r->value};
    }
    return m->num_reads;
}

static uint32_t find_operands(const walker *k, uint32_t seq, uint32_t word, uint32_t prefix, operand *out) {
    const failure *x = k->x;
    if (seq == x->seq && x->commit.num_reads) {
        uint32_t num = operands_of_commit(&x->commit, x->read_matched, out);
        for (uint32_t i = 0; i < num && x->kind == FAIL_READ; i++)
            out[i].wrong = !out[i].matched && out[i].is.cls == x->cls && out[i].is.reg == x->reg;
        return num;
    }
    const flight *f = karat_flight_recent(k->s, x->epoch, seq);
    if (f)
        return operands_of_commit(&f->commit, f->read_matched, out);
    const past *p = karat_past(k->s, seq);
    karat_source sources[KARAT_MAX_SOURCE];
    const uint32_t num =
        karat_sources(k->c->config.model.profile, k->c->config.model.deviations, prefix, word, sources);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < num; i++)
        if (sources[i].cls != KARAT_CLASS_X || sources[i].reg < KARAT_NUM_X) /* Else the program is wrong */
            out[kept++] =
                (operand){.is = sources[i], .matched = p && p->num_reads == num && p->read_matched >> i & 1};
    return kept;
}

/* Whether the core has accessed memory where that instruction should. */
static bool addresses_compared(const walker *k, uint32_t seq, const karat_row *row) {
    if (!(row->owes & KARAT_OWES_MEM) || !karat_gives(k->c, KARAT_REC_MEM))
        return false;
    if (seq == k->x->seq)
        return k->x->kind == FAIL_MEM_DATA ||
               k->x->kind == FAIL_MEM_TRANSLATION; /* Of this lane, which was compared first */
    const flight *f = karat_flight_recent(k->s, k->x->epoch, seq);
    return !f || !f->mem_bytes;
}

static uint32_t operands_of(const walker *k, uint32_t seq, uint32_t word, uint32_t prefix, operand *out) {
    uint32_t num = find_operands(k, seq, word, prefix, out);
    karat_insn insn;
    int row = karat_decode(k->c->config.model.profile, word, &insn);
    if (row == KARAT_NO_ROW || !addresses_compared(k, seq, karat_row_info(row)))
        return num;
    const karat_row *info = karat_row_info(row);
    uint8_t data = 0; /* The source that is stored: the last one after an address, where anything is */
    for (uint32_t i = 1; i < num && !(info->owes & KARAT_OWES_V); i++)
        data = out[i].is.source > data ? out[i].is.source : data;
    for (uint32_t i = 0; i < num; i++)
        out[i].addresses = out[i].is.source != 0 && out[i].is.source != data;
    return num;
}

/* The lanes of a register that a remembered instruction has written. */
static uint32_t lanes_written(const walker *k, uint32_t seq, const past *p, unsigned cls, unsigned reg) {
    const flight *f = karat_flight_recent(k->s, k->x->epoch, seq);
    if (f) {
        const uint32_t i = karat_find_write(&f->commit, cls, reg);
        return i < f->commit.num_writes ? f->commit.write[i].mask : 0;
    }
    bool hit = p->cls == cls && reg - p->reg < p->num_writes;
    return hit ? p->write_mask : 0;
}

static uint32_t first_remembered(const slot *s) {
    return s->num_history > NUM_HISTORY ? s->num_history - NUM_HISTORY : 0;
}

/* The youngest instruction before that one which has written some of these lanes of p's register. */
static void find_origin(const walker *k, uint32_t before, uint32_t lanes, producer *p) {
    const slot *s = k->s;
    const uint32_t first = first_remembered(s);
    for (uint32_t seq = before; seq-- > first;) {
        const past *at = karat_past(s, seq);
        uint32_t hit = lanes_written(k, seq, at, p->cls, p->reg) & lanes;
        if (!hit)
            continue;
        p->origin = ORIGIN_INSN;
        p->lane = (uint32_t)__builtin_ctz(hit);
        p->seq = seq;
        p->pc = at->pc;
        p->word = at->word;
        p->prefix = at->prefix;
        return;
    }
    const register_state *w = karat_register_const(s, p->cls, p->reg);
    p->origin = first && w->wrote_lanes ? ORIGIN_FORGOTTEN : ORIGIN_LAUNCH;
    if (w->wrote_seq >= before || !(w->wrote_lanes & lanes) ||
        karat_read(k->c->model, w->wrote_pc, &p->word, 4) != KARAT_OK)
        return;
    p->origin = ORIGIN_INSN;
    p->lane = (uint32_t)__builtin_ctz(w->wrote_lanes & lanes);
    p->seq = w->wrote_seq;
    p->pc = w->wrote_pc;
    uint32_t word;
    if (karat_read(k->c->model, (uint64_t)w->wrote_pc - 4, &word, 4) == KARAT_OK &&
        karat_is_prefix(k->c->config.model.profile, word))
        p->prefix = word;
}

/* The value of the register that p's reader read, where it is still known. */
static void find_value(const walker *k, const operand *o, producer *p) {
    const slot *s = k->s;
    const flight *f = karat_flight_recent(s, k->x->epoch, p->seq);
    const past *at = karat_past(s, p->seq);
    const register_state *w = karat_register_const(s, p->cls, p->reg);
    karat_warp_view view;
    p->has_value = true;
    if (o->has_value) {
        p->value = o->value[p->lane];
        return;
    }
    if (f) {
        p->value = f->commit.write[karat_find_write(&f->commit, p->cls, p->reg)].value[p->lane];
        return;
    }
    if (at && at->reg == p->reg && p->lane == (uint32_t)__builtin_ctz(at->write_mask)) {
        p->value = at->value0;
        return;
    }
    /* It is there still where that was the last write. */
    bool last = p->origin == ORIGIN_INSN ? w->wrote_seq == p->seq : !w->wrote_lanes;
    p->has_value = last && karat_view(k->c->model, s->handle, &view) == KARAT_OK;
    if (p->has_value)
        p->value = p->cls == KARAT_CLASS_X ? view.x[p->reg] : view.v[p->reg][p->lane];
}

/* Whether another instruction that reads the same value has read it right. */
static bool read_right(const walker *k, const producer *p) {
    const slot *s = k->s;
    operand o[KARAT_MAX_READ];
    const uint32_t first = first_remembered(s); /* Where p is older, nothing has written the register since */
    for (uint32_t seq = p->seq < first ? first : p->seq + 1; seq < s->num_history; seq++) {
        const past *at = karat_past(s, seq);
        uint32_t num = operands_of(k, seq, at->word, at->prefix, o);
        const bool in_lane = p->cls == KARAT_CLASS_X || at->mask >> p->lane & 1;
        for (uint32_t i = 0; i < num && in_lane; i++)
            if (o[i].matched && o[i].is.cls == p->cls && o[i].is.reg == p->reg)
                return true;
        if (lanes_written(k, seq, at, p->cls, p->reg) >> p->lane & 1)
            return false;
    }
    return false;
}

static evidence result_of(const walker *k, const producer *p) {
    const past *at = karat_past(k->s, p->seq);
    const flight *f = karat_flight_recent(k->s, k->x->epoch, p->seq);
    if (f ? f->result.unreported >> p->lane & 1 : at && at->taken)
        return EVIDENCE_TAKEN;
    evidence result = gives_write(k->c) ? EVIDENCE_WRITE : EVIDENCE_NONE;
    if (f && f->pending_write[karat_find_write(&f->commit, p->cls, p->reg)] >> p->lane & 1)
        result = EVIDENCE_PENDING;
    return result != EVIDENCE_WRITE && read_right(k, p) ? EVIDENCE_READ : result;
}

/* The lanes of an operand on which lane of an instruction's result depends. */
static uint32_t lanes_needed(const walker *k, uint32_t seq, uint32_t word, const operand *o, uint32_t lane) {
    if (o->is.cls == KARAT_CLASS_X)
        return 1;
    karat_insn insn;
    const karat_row *row = karat_row_info(karat_decode(k->c->config.model.profile, word, &insn));
    if (karat_row_crosses_lanes(row))
        return karat_all_lanes(k->c);
    if (row->owes & KARAT_OWES_X) {
        const past *at = karat_past(k->s, seq);
        return seq == k->x->seq ? k->x->commit.mask_before : at ? at->mask : karat_all_lanes(k->c);
    }
    return 1u << lane;
}

/* --- The walk --- */

static bool is_right(evidence e) {
    return e != EVIDENCE_NONE && e != EVIDENCE_PENDING && e != EVIDENCE_WRONG;
}

/* Nothing has shown that the register had the right value; where the reading itself was wrong, only its
 * producer's result counts. */
static bool is_suspect(const producer *p) {
    return !is_right(p->read) && p->origin != ORIGIN_LAUNCH && !is_right(p->result);
}

static void add_suspect(karat_producers *w, uint32_t seq) {
    uint32_t i = w->num_suspects;
    while (i && w->suspect[i - 1] > seq)
        i--;
    if ((i && w->suspect[i - 1] == seq) || w->num_suspects == NUM_PRODUCERS)
        return;
    memmove(&w->suspect[i + 1], &w->suspect[i], (w->num_suspects - i) * sizeof *w->suspect);
    w->suspect[i] = seq;
    w->num_suspects++;
}

/* One register twice is one entry, unless the core read it differently. */
static bool listed(const karat_producers *w, const producer *p) {
    for (uint32_t i = 0; i < w->num; i++) {
        const producer *q = &w->at[i];
        if (q->reader == p->reader && q->cls == p->cls && q->reg == p->reg && q->read == p->read)
            return true;
    }
    return false;
}

static void expand(walker *k, uint32_t seq, uint32_t word, uint32_t prefix, uint32_t lane, uint32_t depth,
                   bool sets);

/* --- CSRs as operands --- */

/* The contents of CSRs, piece by piece: fcsr and vcsr are two each, vl and vtype are set together. */
enum {
    STATE_FFLAGS = 1,
    STATE_FRM = 2,
    STATE_VXSAT = 4,
    STATE_VXRM = 8,
    STATE_VTYPE = 16,
    STATE_RPC = 32,
    STATE_PRINT = 64,
    STATE_MSTATUS = 128,
    STATE_MTVEC = 256,
    STATE_MSCRATCH = 512
};

/* Each with a CSR that is named for it. */
static const struct {
    uint16_t csr, state;
} csrs[] = {{0x001, STATE_FFLAGS}, {0x002, STATE_FRM},      {0x003, STATE_FFLAGS | STATE_FRM},
            {0x009, STATE_VXSAT},  {0x00a, STATE_VXRM},     {0x00f, STATE_VXSAT | STATE_VXRM},
            {0x80b, STATE_PRINT},  {0x80c, STATE_RPC},      {0x300, STATE_MSTATUS},
            {0x305, STATE_MTVEC},  {0x340, STATE_MSCRATCH}, {0xc20, STATE_VTYPE},
            {0xc21, STATE_VTYPE}};

static unsigned state_of_csr(uint32_t csr) {
    for (size_t i = 0; i < sizeof csrs / sizeof *csrs; i++)
        if (csrs[i].csr == csr)
            return csrs[i].state;
    return 0;
}

/* Of that state, what an instruction does: reads it into a register, sets some of it, sets all of it; and
 * what its results depend on. */
typedef struct csr_use {
    unsigned reads, sets, replaces, depends;
} csr_use;

static bool begins(const karat_row *row, const char *name) {
    return strncmp(row->name, name, strlen(name)) == 0;
}

/* Whether it rounds by frm: vector rows do, scalar ones where their rm says so. */
static bool rounds_by_frm(const karat_row *row, const karat_insn *insn) {
    enum { DYNAMIC = 7 };
    for (unsigned i = 0; i < row->num_operands; i++)
        if (strcmp(karat_operand_info(row->operands[i])->name, "rm") == 0)
            return insn->value[i] == DYNAMIC;
    return row->rounds;
}

static csr_use csr_use_of(const karat_checker *c, uint32_t word, uint32_t prefix) {
    const karat_profile profile = c->config.model.profile;
    karat_insn insn;
    const karat_row *row = karat_row_info(karat_decode(profile, word, &insn));
    if (!row)
        return (csr_use){0};
    const unsigned frm = rounds_by_frm(row, &insn) ? STATE_FRM : 0;
    switch (row->unit) {
    case KARAT_UNIT_FP:
    case KARAT_UNIT_FDIV:
    case KARAT_UNIT_SFU:
    case KARAT_UNIT_TENSOR: return (csr_use){.sets = STATE_FFLAGS, .depends = frm};
    case KARAT_UNIT_CONFIG: return (csr_use){.sets = STATE_VTYPE, .replaces = STATE_VTYPE};
    case KARAT_UNIT_CSR: {
        const unsigned state = state_of_csr((uint32_t)insn.value[1]);
        const bool swaps = begins(row, "csrrw");
        karat_source from[KARAT_MAX_SOURCE], to; /* With a prefix x32 is not x0 */
        const uint32_t num = karat_sources(profile, c->config.model.deviations, prefix, word, from);
        const bool sets = swaps || (num ? from[0].reg : insn.value[2]),
                   reads = karat_destination(profile, prefix, word, &to) && to.reg;
        return (csr_use){reads ? state : 0, sets ? state : 0, swaps ? state : 0, 0};
    }
    default: break;
    }
    if (strcmp(row->name, "setrpc") == 0)
        return (csr_use){.sets = STATE_RPC, .replaces = STATE_RPC};
    if (begins(row, "vsmul"))
        return (csr_use){.sets = STATE_VXSAT, .depends = STATE_VXRM};
    if (begins(row, "vaadd") || begins(row, "vasub") || begins(row, "vssrl") || begins(row, "vssra"))
        return (csr_use){.depends = STATE_VXRM};
    return (csr_use){.sets = begins(row, "vsadd") || begins(row, "vssub") ? STATE_VXSAT : 0};
}

/* Whether what was written differs as by another rounding: a number by its neighbour, or zeros by their
 * signs. Of results that are rounded more than once it may be more. */
static bool may_round(const failure *x) {
    const karat_any *r = (const karat_any *)x->record;
    const uint32_t i = karat_find_write(&x->commit, x->cls, x->reg);
    const bool pair = r->h.kind == KARAT_REC_PAIR;
    if (!karat_is_write(r->h.kind))
        return false;
    if (karat_row_info(x->commit.row)->unit == KARAT_UNIT_TENSOR)
        return true;
    for (uint32_t m = i < x->commit.num_writes ? x->lanes : 0; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const uint32_t core = pair ? (uint32_t)(r->pair.data[lane] >> 32 * (x->reg - r->pair.regno))
                                   : r->write.data[lane],
                       model = x->commit.write[i].value[lane];
        if (core - model != 1 && model - core != 1 && (core | model) << 1)
            return false;
    }
    return i < x->commit.num_writes;
}

/* The reconvergence pc of an entry that the instruction at fault has pushed, as the core shows it. */
static uint32_t shown_rpc(const failure *x) {
    const karat_any *r = (const karat_any *)x->record;
    const bool audit = r->h.kind == KARAT_REC_AUDIT;
    const bool valid = audit ? r->audit.mask & 1 && r->audit.regno < 2 : r->simt.top_valid;
    return !valid ? x->commit.top.rpc : audit ? r->audit.data[0] : r->simt.top_rpc;
}

/* The state that can have made the instruction at fault go wrong. */
static unsigned state_at_fault(const walker *k) {
    const failure *x = k->x;
    const csr_use use = csr_use_of(k->c, x->commit.word, x->commit.prefix);
    switch (x->kind) {
    case FAIL_WRITE_VALUE: return use.reads | (use.depends && may_round(x) ? use.depends : 0);
    case FAIL_WRITE_LANES:
    case FAIL_MEM_LANES: return x->commit.elements > 1 ? STATE_VTYPE : 0; /* Vl */
    case FAIL_CSR: return use.sets & ~use.replaces;
    case FAIL_SIMT:
        return !karat_overflowed(k->c, k->s) && x->commit.simt == KARAT_SIMT_DIVERGE &&
                       shown_rpc(x) != x->commit.top.rpc
                   ? STATE_RPC
                   : 0;
    default: return 0;
    }
}

/* Whether the register into which an instruction has read a CSR was right. */
static bool was_read_right(const walker *k, uint32_t seq) {
    const producer p = {.seq = seq, .cls = KARAT_CLASS_X, .reg = karat_past(k->s, seq)->reg};
    return is_right(result_of(k, &p));
}

/* An entry for the youngest instruction that has set some of it, where there is room. */
static void list_csr(karat_producers *w, uint32_t reader, uint32_t depth, unsigned state, origin from,
                     uint32_t seq, const past *at) {
    producer p = {.seq = seq, .reader = reader, .depth = depth, .cls = CLASS_CSR, .origin = from};
    for (size_t i = sizeof csrs / sizeof *csrs; i-- > 0;) /* The one that is named for just that */
        if (csrs[i].state == state)
            p.reg = csrs[i].csr;
    for (size_t i = 0; i < sizeof csrs / sizeof *csrs && !p.reg; i++)
        if (csrs[i].state & state)
            p.reg = csrs[i].csr;
    if (at) {
        p.pc = at->pc;
        p.word = at->word;
        p.prefix = at->prefix;
    }
    if (w->num < NUM_PRODUCERS && !listed(w, &p))
        w->at[w->num++] = p;
}

/* An instruction depends on that state: every one that can have set it since it was last shown to be
 * right, or replaced, is to be suspected. implied: it does so without naming the CSR, of which only what
 * instructions have set is of interest. */
static void expand_state(walker *k, uint32_t reader, unsigned state, bool implied, uint32_t depth) {
    karat_producers *w = k->w;
    const uint32_t first = first_remembered(k->s);
    unsigned left = state;
    uint32_t seq = reader;
    bool any = false;
    while (left && seq > first) {
        const past *at = karat_past(k->s, --seq);
        const csr_use use = csr_use_of(k->c, at->word, at->prefix);
        if (use.sets & left) {
            if (!any)
                list_csr(w, reader, depth, state, ORIGIN_INSN, seq, at);
            any = true;
            add_suspect(w, seq);
            k->num_setters += depth == 0;
            if (!gives_write(k->c) && depth + 1 < MAX_DEPTH) /* Else what it read was right */
                expand(k, seq, at->word, at->prefix, at->mask ? (uint32_t)__builtin_ctz(at->mask) : 0,
                       depth + 1, true);
        }
        left &= ~(use.replaces | (use.reads & left && was_read_right(k, seq) ? use.reads : 0));
    }
    if (depth == 0) {
        k->left = left;
        k->since = seq;
    }
    if (implied && !any)
        return;
    if (!any)
        list_csr(w, reader, depth, state, first ? ORIGIN_FORGOTTEN : ORIGIN_LAUNCH, UINT32_MAX, NULL);
    w->open |= left && first && !implied;
}

/* Of an instruction whose result is in doubt, or (sets) the state that it has set. */
static void expand_csrs(walker *k, uint32_t seq, uint32_t word, uint32_t prefix, uint32_t depth, bool sets) {
    const csr_use use = csr_use_of(k->c, word, prefix);
    const unsigned state = depth == 0 ? state_at_fault(k) : (sets ? 0 : use.reads) | use.depends;
    const unsigned implied = state & ~use.reads;
    if (state & use.reads)
        expand_state(k, seq, state & use.reads, false, depth);
    if (implied)
        expand_state(k, seq, implied, !(depth == 0 && k->x->kind == FAIL_CSR), depth);
}

/* Sets: not its result is in doubt, but a CSR that it has set. */
static void expand(walker *k, uint32_t seq, uint32_t word, uint32_t prefix, uint32_t lane, uint32_t depth,
                   bool sets) {
    karat_producers *w = k->w;
    operand o[KARAT_MAX_READ];
    uint32_t num = operands_of(k, seq, word, prefix, o);
    if (depth == 0)
        k->spare = num;
    for (uint32_t i = 0; i < num; i++) {
        producer p = {.seq = UINT32_MAX, /* None */
                      .reader = seq,
                      .depth = depth,
                      .source = o[i].is.source,
                      .cls = o[i].is.cls,
                      .reg = o[i].is.reg,
                      .read = o[i].wrong       ? EVIDENCE_WRONG
                              : o[i].matched   ? EVIDENCE_READ
                              : o[i].addresses ? EVIDENCE_MEM
                                               : EVIDENCE_NONE};
        k->spare -= depth == 0;
        if ((p.cls == KARAT_CLASS_X && p.reg == 0) || listed(w, &p))
            continue;
        if (w->num + k->spare >= NUM_PRODUCERS || depth == MAX_DEPTH) {
            w->open = true;
            return;
        }
        uint32_t lanes = lanes_needed(k, seq, word, &o[i], lane);
        p.lane = (uint32_t)__builtin_ctz(lanes);
        find_origin(k, seq, lanes, &p);
        find_value(k, &o[i], &p);
        if (p.origin == ORIGIN_INSN)
            p.result = result_of(k, &p);
        w->at[w->num++] = p;
        if (!is_suspect(&p))
            continue;
        if (p.origin == ORIGIN_FORGOTTEN) {
            w->open = true;
            continue;
        }
        add_suspect(w, p.seq);
        expand(k, p.seq, p.word, p.prefix, p.lane, depth + 1, false);
    }
    expand_csrs(k, seq, word, prefix, depth, sets);
}

static void name_suspects(const walker *k, char *text, size_t size) {
    const karat_producers *w = k->w;
    if (w->num_suspects > 6) {
        snprintf(text, size, "one of %" PRIu32 " instructions from seq %" PRIu32 " to seq %" PRIu32,
                 w->num_suspects, w->suspect[0], w->suspect[w->num_suspects - 1]);
        return;
    }
    snprintf(text, size, "seq ");
    for (uint32_t i = 0; i < w->num_suspects; i++)
        karat_append(text, size, "%s%" PRIu32,
                     !i                         ? ""
                     : i + 1 == w->num_suspects ? " or "
                                                : ", ",
                     w->suspect[i]);
}

/* --- In words --- */

__attribute__((format(printf, 2, 3))) static void say(karat_producers *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->cause, sizeof w->cause, format, args);
    va_end(args);
}

/* A CSR was read wrong. False: that is not what has failed. */
static bool explain_csr(const walker *k) {
    const failure *x = k->x;
    karat_producers *w = k->w;
    const csr_use use = csr_use_of(k->c, x->commit.word, x->commit.prefix);
    if (x->kind == FAIL_WRITE_VALUE ? !use.reads : x->kind != FAIL_CSR || !state_at_fault(k))
        return false;
    const char *name = karat_csr_name(x->commit.word >> 20);
    char seqs[200], since[64] = "the launch";
    const flight *f;
    name_suspects(k, seqs, sizeof seqs);
    if (!k->left)
        snprintf(since, sizeof since, "seq %" PRIu32 ", where it was last read or written", k->since);
    if (w->open)
        say(w, "%s%s, which reads %s, or an earlier instruction", seqs, w->num_suspects > 1 ? "" : " itself",
            name);
    else if (w->num_suspects > k->num_setters + 1)
        say(w,
            "%s: the last one reads %s, the others may have set it since %s%s, or led to the value it "
            "was set to",
            seqs, name, since, k->left ? ", and so may that one" : "");
    else if (w->num_suspects > 1)
        say(w, "%s: the last one reads %s, the others may have set it since %s%s", seqs, name, since,
            k->left ? ", and so may that one" : "");
    else if (k->left)
        say(w, "seq %" PRIu32 " itself, or the launch: no other can have made %s wrong", x->seq, name);
    else
        say(w, "seq %" PRIu32 " itself: no instruction can have set %s since %s", x->seq, name, since);
    for (uint32_t i = 0; i < w->num_suspects && w->suspect[i] < x->seq; i++)
        if ((f = karat_flight_recent(k->s, x->epoch, w->suspect[i])) && f->pending_csr)
            karat_append(w->cause, sizeof w->cause,
                         "; the core has not reported the write of %s by seq %" PRIu32,
                         karat_csr_name(f->commit.csr), f->seq);
    return true;
}

/* The core has lost an entry of its SIMT stack, which the program has made deeper than it is. */
static bool explain_overflow(const walker *k) {
    if (k->x->kind != FAIL_SIMT || !karat_overflowed(k->c, k->s))
        return false;
    say(k->w,
        "the SIMT stack: the program has made it %" PRIu32 " entries deep, and the core's has room for %u",
        k->s->deepest, k->c->hello.stack_depth);
    return true;
}

/* A wrong pc is of the instruction before, which chose the way. */
static bool is_of_results(const failure *x) {
    return karat_failure_flags(x->kind) & OF_RESULTS ||
           (x->kind == FAIL_ISSUE_PC && ((const karat_rec_issue *)x->record)->seq != x->seq);
}

/* One that was read so by the instruction at fault. Reads by other instructions do not matter: none has
 * read it wrong, and where there are others there are more suspects than one. */
static const producer *find_read(const karat_producers *w, evidence read) {
    for (uint32_t i = 0; i < w->num; i++)
        if (w->at[i].read == read && w->at[i].cls != CLASS_CSR)
            return &w->at[i];
    return NULL;
}

static const char *or_older(const karat_producers *w) {
    return w->open ? ", or an earlier instruction" : "";
}

static void explain_result(const walker *k) {
    const failure *x = k->x;
    karat_producers *w = k->w;
    char seqs[200];
    const producer *unreported = find_read(w, EVIDENCE_NONE);
    const char *memory =
        x->kind == FAIL_WRITE_VALUE && x->commit.has_mem ? " or the value that memory returned" : "";
    name_suspects(k, seqs, sizeof seqs);
    if (w->open)
        say(w, "%s, or an earlier instruction: the operands of the later ones were not compared", seqs);
    else if (w->num_suspects > 1) /* The oldest reads nothing that is in doubt */
        say(w, "%s: the inputs of seq %" PRIu32 " were right, and its effects were not compared", seqs,
            w->suspect[0]);
    else if (!w->num)
        say(w, "seq %" PRIu32 " itself%s: it reads no register", x->seq, memory);
    else if (!unreported)
        say(w, "seq %" PRIu32 " itself%s: it read its operands right", x->seq, memory);
    else
        say(w, "seq %" PRIu32 " itself%s, or its read of %s, which held the right value", x->seq, memory,
            karat_register_name(unreported->cls, unreported->reg).text);
}

/* Where a READ was wrong. */
static void explain_read(const walker *k) {
    karat_producers *w = k->w;
    const producer *p = find_read(w, EVIDENCE_WRONG);
    char seqs[200];
    if (!p)
        return;
    const phrase name = karat_register_name(p->cls, p->reg);
    const char *reg = name.text;
    name_suspects(k, seqs, sizeof seqs);
    const register_state *l = karat_register_const(k->s, p->cls, p->reg);
    if (is_suspect(p) && w->num_suspects)
        say(w, "%s%s, or the path of %s to seq %" PRIu32 ": %s", seqs, or_older(w), reg, k->x->seq,
            p->result == EVIDENCE_PENDING ? "it was read before it was written"
                                          : "the core does not report the value written");
    else if (p->origin == ORIGIN_LAUNCH)
        say(w, "the read by seq %" PRIu32 ", or the value of %s at the launch", k->x->seq, reg);
    else if (p->origin == ORIGIN_FORGOTTEN)
        say(w, "the read by seq %" PRIu32 ", or an instruction that wrote %s too long ago to be remembered",
            k->x->seq, reg);
    else if (p->result == EVIDENCE_READ)
        say(w, "the read by seq %" PRIu32 ": another READ of %s was right", k->x->seq, reg);
    else if (l->landed_seq == p->seq && l->audited >> p->lane & 1)
        say(w, "the read by seq %" PRIu32 ": seq %" PRIu32 " wrote %s right, and an AUDIT showed it there",
            k->x->seq, p->seq, reg);
    else
        say(w, "between the write of %s by seq %" PRIu32 ", which was right, and its read by seq %" PRIu32,
            reg, p->seq, k->x->seq);
}

void karat_find_producers(const karat_checker *c, karat_producers *w) {
    const failure *x = &c->failure;
    w->num = w->num_suspects = 0;
    w->open = false;
    w->cause[0] = 0;
    if (!x->has_insn)
        return;
    walker k = {.c = c, .x = x, .s = &c->slots[x->sm * c->hello.num_warp + x->slot], .w = w};
    if (x->epoch != k.s->epoch)
        return; /* The slot has a new owner */
    const karat_rec_audit *held = (const karat_rec_audit *)x->record;
    if (x->kind == FAIL_CSR &&
        held->h.kind == KARAT_REC_AUDIT) { /* Seen after it; the write that set it is not known */
        say(w, "seq %" PRIu32 ", or the instruction that set CSR 0x%03x before it", x->seq, held->regno);
        return;
    }
    if (x->kind == FAIL_AUDIT) { /* Not of what it reads, but of what became of its result */
        const bool wrote = karat_find_write(&x->commit, x->cls, x->reg) < x->commit.num_writes;
        say(w,
            wrote ? "after seq %" PRIu32
                    ", which wrote %s right: another write has hit it, or it was not kept"
                  : "seq %" PRIu32 ", whose write of %s was of no lane and has changed it anyway",
            x->seq, karat_register_name(x->cls, x->reg).text);
        return;
    }
    uint32_t lanes = x->lanes ? x->lanes : x->commit.mask_before;
    if (is_of_results(x))
        add_suspect(w, x->seq);
    expand(&k, x->seq, x->commit.word, x->commit.prefix, (uint32_t)__builtin_ctz(lanes), 0, false);
    if (is_of_results(x) && !explain_overflow(&k) && !explain_csr(&k))
        explain_result(&k);
    explain_read(&k);
}
