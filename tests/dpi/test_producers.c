/* Where a wrong value may have come from: random programs in which one record is wrong, and the walk back
 * from there against one that knows every commit, and which READ, WRITE and MEM came before the failure.
 *
 * Private things of the checker that are used here:
 *
 *   functions: karat_find_producers(), karat_flight_recent(), karat_failure_name()
 *   of karat_checker: failure, slots
 *   types and sizes: failure, karat_producers, producer; NUM_HISTORY, NUM_PRODUCERS, NUM_COMPLETED */
#include "inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_INSN = 400, NUM_CASES = 2500, MAX_DEPTH = 12 };

/* An instruction of the warp, and what the records have reported of it. */
typedef struct known {
    karat_commit commit;
    karat_commit_values values;
    uint32_t matched; /* Bit i: a READ of read[i] was equal */
    uint32_t written[KARAT_MAX_WRITE];
    uint32_t mem_bytes; /* Performed */
} known;

static known insn[MAX_INSN];
static uint32_t num_insn;

typedef struct oracle {
    const failure *x;
    const slot *s;
    uint32_t gives, all_lanes, first; /* First: the oldest that is remembered */
    uint32_t spare;
    karat_producers w;
} oracle;

static bool gives(const oracle *o, unsigned kind) {
    return o->gives >> kind & 1;
}

static uint32_t written_by(uint32_t seq, const producer *p) {
    const karat_commit *m = &insn[seq].commit;
    for (uint32_t i = 0; i < m->num_writes; i++)
        if (m->write[i].cls == p->cls && m->write[i].reg == p->reg)
            return m->write[i].mask;
    return 0;
}

/* Whether all of an instruction is at hand; of others the word says what they read, and the history what
 * they wrote: no second register of a group, and that it has the lanes of the first. */
static bool is_whole(const oracle *o, uint32_t seq) {
    return seq == o->x->seq || karat_flight_recent(o->s, o->x->epoch, seq);
}

static bool has_parts(uint32_t seq) {
    bool parts = false;
    for (uint32_t i = 0; i < insn[seq].commit.num_reads; i++)
        parts |= insn[seq].commit.read[i].part;
    return parts;
}

static uint32_t still_remembered(const oracle *o, uint32_t seq, const producer *p) {
    const uint32_t exact = written_by(seq, p), reg = insn[seq].commit.write[0].reg;
    return exact && p->reg != reg && !karat_flight_recent(o->s, o->x->epoch, seq)
               ? insn[seq].commit.write[0].mask
               : exact;
}

static bool reported_equal(const oracle *o, uint32_t seq, uint32_t i) {
    return (seq >= o->first || seq == o->x->seq) && insn[seq].matched >> i & 1 &&
           (is_whole(o, seq) || !has_parts(seq));
}

/* Whether read i of that instruction makes an address at which the core has accessed memory. */
static bool right_as_address(const oracle *o, uint32_t seq, uint32_t i) {
    const karat_commit *m = &insn[seq].commit;
    if (!m->has_mem || !gives(o, KARAT_REC_MEM) || m->read[i].source == 0)
        return false;
    uint32_t expected = 0, data = 0;
    for (uint32_t k = 0; k < m->mem.num; k++)
        expected += karat_mem_access(&m->mem, k).bytes;
    if (seq == o->x->seq ? o->x->kind != FAIL_MEM_DATA : insn[seq].mem_bytes < expected)
        return false;
    for (uint32_t k = 0; m->mem.op != KARAT_LOAD && k < m->num_reads; k++)
        data = m->read[k].source > data ? m->read[k].source : data;
    return m->read[i].source != data;
}

static evidence reading(const oracle *o, uint32_t seq, uint32_t i) {
    const karat_reg_read *r = &insn[seq].commit.read[i];
    const failure *x = o->x;
    if (reported_equal(o, seq, i))
        return EVIDENCE_READ;
    if (seq == x->seq && x->kind == FAIL_READ && x->lanes && r->cls == x->cls && r->reg == x->reg)
        return EVIDENCE_WRONG;
    return right_as_address(o, seq, i) ? EVIDENCE_MEM : EVIDENCE_NONE;
}

static bool right(evidence e) {
    return e == EVIDENCE_READ || e == EVIDENCE_MEM || e == EVIDENCE_WRITE;
}

/* Of a producer: its WRITE came, or what it wrote was read right before the register was written again. */
static evidence result(const oracle *o, const producer *p) {
    const known *k = &insn[p->seq];
    for (uint32_t i = 0; gives(o, KARAT_REC_WRITE) && i < k->commit.num_writes; i++)
        if (k->commit.write[i].cls == p->cls && k->commit.write[i].reg == p->reg &&
            (k->written[i] >> p->lane & 1 || !(k->commit.write[i].mask >> p->lane & 1)))
            return EVIDENCE_WRITE; /* The WRITE has come, or the lane was none of its */
    for (uint32_t seq = p->seq < o->first ? o->first : p->seq + 1; seq < num_insn; seq++) {
        const karat_commit *m = &insn[seq].commit;
        for (uint32_t i = 0; i < m->num_reads; i++)
            if (reported_equal(o, seq, i) && m->read[i].cls == p->cls && m->read[i].reg == p->reg &&
                (p->cls == KARAT_CLASS_X || m->mask_before >> p->lane & 1))
                return EVIDENCE_READ;
        if (still_remembered(o, seq, p) >> p->lane & 1)
            break;
    }
    return gives(o, KARAT_REC_WRITE) ? EVIDENCE_PENDING : EVIDENCE_NONE;
}

static void find_origin(const oracle *o, uint32_t reader, uint32_t lanes, producer *p) {
    uint32_t seq = reader, last = UINT32_MAX;
    bool found = false;
    while (!found && seq > o->first)
        found = (still_remembered(o, --seq, p) & lanes) != 0;
    for (uint32_t i = 0; i < num_insn; i++)
        last = written_by(i, p) ? i : last;
    if (!found) { /* Too old: of these the last writer alone is known */
        p->origin = o->first && last != UINT32_MAX ? ORIGIN_FORGOTTEN : ORIGIN_LAUNCH;
        if (last >= reader || !(written_by(last, p) & lanes))
            return;
        seq = last;
    }
    p->origin = ORIGIN_INSN;
    p->seq = seq;
    p->lane = (uint32_t)__builtin_ctz((found ? still_remembered(o, seq, p) : written_by(seq, p)) & lanes);
}

static void add_suspect(karat_producers *w, uint32_t seq) {
    uint32_t i = 0;
    while (i < w->num_suspects && w->suspect[i] < seq)
        i++;
    if (i < w->num_suspects && w->suspect[i] == seq)
        return;
    for (uint32_t k = w->num_suspects++; k > i; k--)
        w->suspect[k] = w->suspect[k - 1];
    w->suspect[i] = seq;
}

static void expand(oracle *o, uint32_t seq, uint32_t lane, uint32_t depth, bool sets);

static bool is_print(uint32_t seq) {
    return strncmp(karat_row_info(insn[seq].commit.row)->name, "csrr", 4) == 0 &&
           insn[seq].commit.word >> 20 == 0x80b;
}

static bool swaps(uint32_t seq) {
    return strcmp(karat_row_info(insn[seq].commit.row)->name, "csrrw") == 0;
}

/* Once, where there is room. */
static void list_print(karat_producers *w, const producer *p) {
    for (uint32_t k = 0; k < w->num; k++)
        if (w->at[k].reader == p->reader && w->at[k].cls == CLASS_CSR)
            return;
    if (w->num < NUM_PRODUCERS)
        w->at[w->num++] = *p;
}

/* CSR_PRINT is the one that these programs read, and only with instructions that set it as well. */
static void expand_print(oracle *o, uint32_t seq, uint32_t depth, bool sets) {
    karat_producers *w = &o->w;
    const bool at_fault = o->x->kind == FAIL_WRITE_VALUE ||
                          (o->x->kind == FAIL_CSR && !swaps(seq)); /* The old value is in the new one */
    if (!is_print(seq) || (depth ? sets : !at_fault))
        return;
    producer p = {.reader = seq, .depth = depth, .cls = CLASS_CSR, .reg = 0x80b};
    p.origin = o->first ? ORIGIN_FORGOTTEN : ORIGIN_LAUNCH;
    bool left = true;
    for (uint32_t i = seq; left && i > o->first;) {
        if (!is_print(--i))
            continue;
        if (p.origin != ORIGIN_INSN) {
            p.origin = ORIGIN_INSN;
            p.seq = i;
            list_print(w, &p);
        }
        add_suspect(w, i);
        if (!gives(o, KARAT_REC_WRITE) && depth + 1 < MAX_DEPTH)
            expand(o, i, (uint32_t)__builtin_ctz(insn[i].commit.mask_before), depth + 1, true);
        const producer got = {.seq = i, .cls = KARAT_CLASS_X, .reg = insn[i].commit.write[0].reg};
        left = !swaps(i) && !right(result(o, &got));
    }
    if (p.origin != ORIGIN_INSN)
        list_print(w, &p);
    w->open |= left && o->first;
}

static void expand(oracle *o, uint32_t seq, uint32_t lane, uint32_t depth, bool sets) {
    karat_producers *w = &o->w;
    const karat_commit *m = &insn[seq].commit;
    const karat_row *row = karat_row_info(m->row);
    if (!depth)
        o->spare = m->num_reads;
    for (uint32_t i = 0; i < m->num_reads; i++) {
        const karat_reg_read *r = &m->read[i];
        if (r->part && !is_whole(o, seq))
            continue;
        producer p = {.reader = seq, .depth = depth, .source = r->source, .cls = r->cls, .reg = r->reg};
        p.read = reading(o, seq, i);
        o->spare -= !depth;
        bool listed = p.cls == KARAT_CLASS_X && !p.reg;
        for (uint32_t k = 0; k < w->num; k++)
            listed |= w->at[k].reader == seq && w->at[k].cls == p.cls && w->at[k].reg == p.reg &&
                      w->at[k].read == p.read;
        if (listed)
            continue;
        if (w->num + o->spare >= NUM_PRODUCERS || depth == MAX_DEPTH) {
            w->open = true;
            return;
        }
        const uint32_t lanes = p.cls == KARAT_CLASS_X           ? 1
                               : row->unit == KARAT_UNIT_TENSOR ? o->all_lanes
                               : !(row->owes & KARAT_OWES_X)    ? 1u << lane
                               : seq < o->first && depth        ? o->all_lanes
                                                                : m->mask_before;
        p.lane = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
        find_origin(o, seq, lanes, &p);
        p.value = r->value[p.lane];
        if (p.origin == ORIGIN_INSN)
            p.result = result(o, &p);
        w->at[w->num++] = p;
        if (right(p.read) || p.origin == ORIGIN_LAUNCH || (p.origin == ORIGIN_INSN && right(p.result)))
            continue;
        if (p.origin == ORIGIN_FORGOTTEN) {
            w->open = true;
            continue;
        }
        add_suspect(w, p.seq);
        expand(o, p.seq, p.lane, depth + 1, false);
    }
    expand_print(o, seq, depth, sets);
}

/* --- Comparing --- */

static uint32_t num_deep, num_open, num_forgotten, num_many, num_of[FAIL_KINDS];

static bool of_results(const failure *x) {
    return x->kind == FAIL_WRITE_VALUE || x->kind == FAIL_SIMT || x->kind == FAIL_CSR ||
           x->kind == FAIL_MEM_DATA || x->kind == FAIL_MEM_ADDRESS;
}

/* How the cause begins: all of them where they are few. */
static void name_suspects(const karat_producers *w, char *text, size_t size) {
    if (w->num_suspects > 6) {
        snprintf(text, size, "one of %u instructions from seq %u to seq %u", w->num_suspects, w->suspect[0],
                 w->suspect[w->num_suspects - 1]);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "seq %u", w->suspect[0]);
    for (uint32_t i = 1; i < w->num_suspects; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%u", i + 1 < w->num_suspects ? ", " : " or ",
                                 w->suspect[i]);
}

static void compare(uint64_t seed, karat_checker *c, const oracle *o) {
    karat_producers w;
    memset(&w, 0xff, sizeof w);
    karat_find_producers(c, &w);
    karat_find_producers(c, &w);
    char cause[sizeof w.cause];
    memcpy(cause, w.cause, sizeof cause);
    for (uint32_t i = 0; i < NUM_PRODUCERS; i++) /* Its contents before do not matter */
        w.at[i] = (producer){.read = seed & 1 ? EVIDENCE_WRONG : EVIDENCE_NONE};
    karat_find_producers(c, &w);
    assert_string_equal(w.cause, cause);
    if (strstr(cause, ", or the path of "))
        assert_int_equal(strstr(cause, ", or an earlier instruction") != NULL, w.open);
    bool same = w.num == o->w.num && w.num_suspects == o->w.num_suspects && w.open == o->w.open;
    for (uint32_t i = 0; same && i < w.num; i++) {
        const producer *a = &w.at[i], *b = &o->w.at[i];
        const known *k = &insn[b->seq];
        same = a->reader == b->reader && a->depth == b->depth && a->source == b->source && a->cls == b->cls &&
               a->reg == b->reg && a->lane == b->lane && a->read == b->read && a->origin == b->origin &&
               (!a->has_value || a->value == b->value);
        if (same && a->origin == ORIGIN_INSN)
            same = a->seq == b->seq && a->result == b->result && a->pc == k->commit.pc &&
                   a->word == k->commit.word && a->prefix == k->commit.prefix;
        bool last = true; /* It is in the register still */
        for (uint32_t seq = b->origin == ORIGIN_INSN ? b->seq + 1 : 0; seq < num_insn; seq++)
            last &= !written_by(seq, b);
        const karat_reg_write *write = &k->commit.write[0];
        last |= karat_flight_recent(&c->slots[0], o->x->epoch, b->reader) != NULL;
        last |= b->origin == ORIGIN_INSN && karat_flight_recent(&c->slots[0], o->x->epoch, b->seq);
        last |= b->origin == ORIGIN_INSN && b->seq >= o->first && write->cls == b->cls &&
                write->reg == b->reg && b->lane == (uint32_t)__builtin_ctz(write->mask);
        same &= a->has_value || b->cls == CLASS_CSR || !(last || !b->depth);
        num_deep += b->depth > 2;
        num_forgotten += b->origin == ORIGIN_FORGOTTEN;
    }
    for (uint32_t i = 0; same && i < w.num_suspects; i++)
        same = w.suspect[i] == o->w.suspect[i];
    num_open += w.open;
    if (same && of_results(o->x)) {
        char text[200];
        name_suspects(&o->w, text, sizeof text);
        same = strncmp(w.cause, text, strlen(text)) == 0;
        num_many += w.num_suspects > 6;
    }
    if (same)
        return;
    for (uint32_t i = 0; i < w.num || i < o->w.num; i++)
        for (int k = 0; k < 2; k++) {
            const producer *p = k ? &o->w.at[i] : &w.at[i];
            print_error(
                "%s reader %u depth %u %c%u lane %u read %u origin %u seq %u result %u value %d %08" PRIx32
                "\n",
                k ? "expected" : "        ", p->reader, p->depth, p->cls ? 'v' : 'x', p->reg, p->lane,
                p->read, p->origin, p->seq, p->result, p->has_value, p->value);
        }
    outcome out = conclude(c);
    fail_msg("seed %" PRIu64 ": %u suspects, %u expected; open %d, %d expected\n%s", seed, w.num_suspects,
             o->w.num_suspects, w.open, o->w.open, out.text);
}

/* --- Random programs --- */

/* The frequent parts of a program. */
typedef struct taste {
    uint32_t bias, favourite[2]; /* Percent: one of these, in put_some() */
    bool deep;                   /* Long chains, of which nothing but stores is compared */
} taste;

static void put_some(program *p, rng *r, const taste *k, uint32_t num) {
    static const char *const scalar[] = {"add", "sub", "mul", "xor"};
    static const char *const vector[] = {"vadd_vv", "vsub_vv", "vmul_vv", "vmacc_vv"};
    for (; num; num--) {
        const int32_t xd = 12 + (int32_t)rng_below(r, 4), x1 = 12 + (int32_t)rng_below(r, 4),
                      x2 = 12 + (int32_t)rng_below(r, 4), vd = 8 + (int32_t)rng_below(r, 4),
                      v1 = 8 + (int32_t)rng_below(r, 4), v2 = 7 + (int32_t)rng_below(r, 5);
        const int32_t vm = rng_chance(r, 70), lane = (int32_t)rng_below(r, 4);
        switch (rng_chance(r, k->bias) ? k->favourite[rng_below(r, 2)] : rng_below(r, 22)) {
        case 0: put(p, scalar[lane], xd, x1, x2); break;
        case 1: put(p, "addi", xd, rng_chance(r, 70) ? x1 : 0, 3); break;
        case 2:
        case 3: put(p, vector[lane], vd, v2, v1, vm); break;
        case 4: put(p, "vadd_vx", vd, v2, x1, vm); break;
        case 5: put(p, "vmv_x_s", xd, v2); break;
        case 6: put(p, "vmv_v_x", vd, x1); break;
        case 7: put(p, "sw", x2, 512 + 4 * lane, 10); break;
        case 8: put(p, "lw", xd, 512 + 4 * lane, 10); break;
        case 9: put(p, "vsw12_v", v1, 0, 3); break;
        case 10: put(p, "vlw12_v", vd, 0, 3); break;
        case 11: put(p, lane ? "csrrw" : "csrrs", xd, 0x80b, x1); break;
        case 14:
            put(p, "vsetivli", 0, 1 + (int32_t)rng_below(r, 8), 0xd1); /* e32, m2 */
            put(p, vector[lane], vd & ~1, v2 & ~1, v1 & ~1, vm);
            put(p, "vsetvli", 0, 0, 0xd0);
            break;
        case 13: put(p, lane ? "amoadd_w" : "amoswap_w", xd, x1, 10, 0); break;
        case 12:
            if (lane) {
                put(p, "regext", 0, 0, 0, 1); /* The destination is 32 higher: v40 and up */
                put(p, "vadd_vv", vd, v2, v1, vm);
            }
            put(p, "regext", 0, 1, 0, 0);
            put(p, "vadd_vv", vd, lane ? vd : 8, v1, vm);
            break;
        case 15: put(p, "lr_w", xd, 10, 0); break;
        case 16: put(p, lane & 1 ? "vle32_v" : "vse32_v", vd, 10, vm); break;
        case 17: put(p, lane & 1 ? "vloxei32_v" : "vsoxei32_v", vd, 10, 2, vm); break;
        case 18: put(p, "vftta_vv", vd, v2, v1, vm); break;
        default:
            put_code(p, "auipc 5 0; addi 5 5 24; setrpc 0 5 0");
            put(p, "vbne", 6, v1, 12);
            if (lane & 2)
                put(p, "vmv_x_s", xd, v2);
            else
                put(p, lane & 1 ? "vadd_vv" : "vadd_vx", vd, v2, lane & 1 ? v1 : x1, 1);
            put(p, "add", x2, x1, xd);
            put0(p, "join");
        }
    }
}

static void put_random(program *p, rng *r, const taste *k) {
    const bool reaches_back = !k->deep && rng_chance(r, 25);
    put_prologue(p);
    put_code(p, "vand_vi 6 1 1 1; vmseq_vi 0 6 0 1; vmv_v_x 8 7; regext 0 0 0 1");
    put(p, "vadd_vv", 8, 1, 8, 1); /* v40 */
    if (reaches_back) {            /* These are not written for a long time */
        put_some(p, r, k, rng_below(r, 6));
        for (uint32_t n = 0; n < 60; n++)
            put(p, "addi", 30, 30, 1);
    }
    put_some(p, r, k, k->deep ? 60 : 8 + rng_below(r, 24));
    put_code(p, "sw 12 512 10; vsw12_v 8 0 3; endprg");
}

/* A bit of what that record says; false where it says nothing that is compared for certain. */
static bool spoil(record *r, rng *random) {
    const uint32_t mask = 15 & (r->h.kind == KARAT_REC_READ    ? r->read.mask
                                : r->h.kind == KARAT_REC_WRITE ? r->write.mask
                                : r->h.kind == KARAT_REC_MEM   ? r->mem.mask
                                                               : 0);
    uint32_t lane = rng_below(random, 4);
    while (mask && !(mask >> lane & 1))
        lane = (lane + 1) % 4;
    switch (r->h.kind) {
    case KARAT_REC_READ: r->read.data[lane] ^= 1; return r->read.mask && (r->read.cls || !lane);
    case KARAT_REC_WRITE:
        r->write.data[lane] ^= 1u << rng_below(random, 32);
        return r->write.mask && (r->write.cls || r->write.regno);
    case KARAT_REC_MEM:
        if (rng_chance(random, 30))
            r->mem.addr[lane] ^= 0x1000;
        else if (r->mem.op != KARAT_MEM_LOAD)
            r->mem.data[lane] ^= 1u << rng_below(random, 32);
        else
            return false;
        return true;
    case KARAT_REC_SIMT: r->simt.mask ^= 1; return true;
    case KARAT_REC_CSR: r->csr.value ^= 2; return true;
    default: return false;
    }
}

/* The evidence of a right record. */
static void note(const karat_checker *c, const record *r) {
    if (r->h.kind == KARAT_REC_MEM && r->h.epoch != c->slots[0].epoch)
        return;
    known *k = insn;
    switch (r->h.kind) {
    case KARAT_REC_LAUNCH: num_insn = 0; return;
    case KARAT_REC_ISSUE:
        assert_true(r->issue.seq < MAX_INSN);
        insn[r->issue.seq] = (known){.commit = c->slots[0].youngest->commit};
        karat_commit_keep(c->model, &insn[r->issue.seq].commit, &insn[r->issue.seq].values);
        num_insn = r->issue.seq + 1;
        return;
    case KARAT_REC_READ:
        k += r->read.seq;
        for (uint32_t i = 0; i < k->commit.num_reads; i++)
            if (k->commit.read[i].source == r->read.source && k->commit.read[i].cls == r->read.cls &&
                k->commit.read[i].part == r->read.part)
                k->matched |= 1u << i;
        return;
    case KARAT_REC_WRITE:
        k += r->write.seq;
        for (uint32_t i = 0; i < k->commit.num_writes; i++)
            if (k->commit.write[i].cls == r->write.cls && k->commit.write[i].reg == r->write.regno)
                k->written[i] |= r->write.mask;
        return;
    case KARAT_REC_MEM:
        for (uint32_t lane = 0; lane < 4; lane++)
            insn[r->mem.seq].mem_bytes +=
                r->mem.mask >> lane & 1
                    ? (uint32_t)__builtin_popcount(r->mem.bytes[lane / 2] >> lane % 2 * 4 & 15)
                    : 0;
        return;
    default: return;
    }
}

/* Replays a stream of one warp at a time, in which record at is wrong: the checker's walk and the
 * oracle's. */
static bool compare_walks(uint64_t seed, const stream *s, size_t at, uint32_t gives) {
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    size_t i = 0;
    while (i < s->num && !karat_checker_record(c, &s->at[i], karat_rec_size(s->at[i].h.kind)))
        note(c, &s->at[i++]);
    const failure *x = &c->failure;
    bool failed = at < s->num && x->kind;
    if (failed && x->epoch != c->slots[0].epoch) { /* Of the owner before: nothing is left of it */
        karat_producers w;
        karat_find_producers(c, &w);
        assert_true(!w.num && !w.num_suspects && !w.open && !w.cause[0]);
        failed = false;
    }
    if (failed) {
        if (i != at || !x->has_insn || num_insn <= x->seq)
            fail_msg("seed %" PRIu64 ": %s at record %zu, spoilt %u", seed, karat_failure_name(x->kind), i,
                     at);
        oracle k = {.x = x,
                    .s = &c->slots[0],
                    .gives = gives,
                    .all_lanes = 15,
                    .first = num_insn > 64 ? num_insn - 64 : 0};
        const uint32_t lanes = x->lanes ? x->lanes : x->commit.mask_before;
        if (of_results(x))
            add_suspect(&k.w, x->seq);
        expand(&k, x->seq, (uint32_t)__builtin_ctz(lanes), 0, false);
        num_of[x->kind]++;
        compare(seed, c, &k);
    }
    karat_checker_destroy(c);
    return failed;
}

static bool one_case(uint64_t seed) {
    rng r = {seed};
    program p = {.num = 0};
    taste k = {.deep = rng_chance(&r, 8)};
    k.bias = k.deep ? 95 : 40;
    k.favourite[0] = rng_below(&r, k.deep ? 4 : 22);
    k.favourite[1] = rng_below(&r, k.deep ? 2 : 22);
    put_random(&p, &r, &k);
    core_options o = core_default();
    o.seed = seed;
    o.workgroups = 1 + rng_below(&r, 2); /* One after the other, in one slot */
    o.wg_size = o.num_warp = 1;
    o.uncounted = true;
    o.audit_percent = 0;
    o.max_delay = rng_below(&r, 9);
    o.forwards = rng_chance(&r, 70);
    o.split = rng_chance(&r, 30);
    o.max_mem_delay = rng_chance(&r, 30) ? rng_below(&r, 20) : 0;
    const uint32_t left_out = k.deep || rng_chance(&r, 30) ? 3 : rng_below(&r, 4);
    o.gives &= ~((left_out & 1 ? 1u << KARAT_REC_READ : 0) |
                 (left_out & 2 ? 1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT : 0));
    if (!k.deep && rng_chance(&r, 20))
        o.gives &= ~(1u << KARAT_REC_MEM);
    stream s = run_program(&p, &o);
    const uint32_t unseen = rng_chance(&r, 50) ? 30 : 80; /* Percent of the READs */
    for (size_t i = s.num; i-- > 0;)
        if (s.at[i].h.kind == KARAT_REC_READ && rng_chance(&r, unseen))
            stream_remove(&s, i);
    uint32_t at = rng_below(&r, (uint32_t)s.num);
    at += k.deep || rng_chance(&r, 50) ? ((uint32_t)s.num - at) / 2 : 0; /* Rather late */
    while (at < s.num && (rng_chance(&r, 70) || !spoil(&s.at[at], &r)))
        at++;
    const bool failed = compare_walks(seed, &s, at, o.gives);
    stream_free(&s);
    return failed;
}

/* Rare cases: a register that a prefixed instruction has written long ago, a READ in lanes that are not
 * active. */
TEST(against_full_knowledge) {
    static const uint64_t rare[] = {320, 461, 785, 823, 954, 1525, 2108, 2165, 2332};
    uint32_t failed = 0;
    const uint32_t num = share_of(NUM_CASES) < 250 ? 250 : share_of(NUM_CASES);
    for (uint64_t seed = 0; seed < num; seed++)
        failed += one_case(seed);
    for (size_t i = 0; i < sizeof rare / sizeof *rare && num < NUM_CASES; i++)
        one_case(rare[i]);
    assert_true(failed > num / 2);
    print_message("%u walks, %u open; %u producers deeper than 2, %u forgotten\n", failed, num_open, num_deep,
                  num_forgotten);
    assert_true(num_deep > failed / 4);
    if (num == NUM_CASES)
        assert_true(num_open && num_forgotten && num_many && num_of[FAIL_WRITE_VALUE] && num_of[FAIL_READ] &&
                    num_of[FAIL_SIMT] && num_of[FAIL_CSR] && num_of[FAIL_MEM_DATA] &&
                    num_of[FAIL_MEM_ADDRESS]);
}

/* --- One thing at a time --- */

static stream run_alone(program *p, uint32_t gives) {
    put0(p, "endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = o.num_warp = 1;
    o.uncounted = true;
    o.audit_percent = 0;
    o.gives = gives;
    return run_program(p, &o);
}

/* The walk from that record on, were it wrong in that lane. */
static void compare_at(stream *s, size_t at, uint32_t lane, uint32_t gives) {
    record *r = &s->at[at], right = *r;
    if (r->h.kind == KARAT_REC_MEM)
        r->mem.data[lane] ^= 1;
    else
        r->write.data[lane] ^= 1;
    assert_true(compare_walks(lane, s, at, gives));
    s->at[at] = right;
}

enum {
    NO_WRITE = GIVES_ALL & ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT),
    ONLY_MEM = NO_WRITE & ~(1u << KARAT_REC_READ)
};

static void fill(program *p, uint32_t num) {
    for (; num; num--)
        put(p, "addi", 30, 30, 1);
}

/* Operands of the first instruction that is remembered, of the last one that is not, and of none. */
TEST(edge_of_history) {
    for (uint32_t num = NUM_HISTORY - 20; num < NUM_HISTORY - 14; num++) {
        program p = {.num = 0};
        put(&p, "addi", 29, 0, 1);
        put_prologue(&p);
        fill(&p, num);
        put(&p, "xor", 13, 31, 29);
        scoped_stream s = run_alone(&p, GIVES_ALL);
        compare_at(&s, of(&s, issue_of(&s, 0, "xor", 0), KARAT_REC_WRITE, 0), 0, GIVES_ALL);
    }
}

/* Who has read a load's result before it came is forgotten; the load is not. */
TEST(value_of_what_is_under_way) {
    program p = begin_program("vlw12_v 8 0 3; vadd_vv 9 8 8 1; vadd_vv 8 1 1 1");
    fill(&p, 2 * NUM_COMPLETED);
    put(&p, "vsw12_v", 9, 16, 3);
    scoped_stream s = run_alone(&p, ONLY_MEM);
    const size_t store = of(&s, issue_of(&s, 0, "vsw12_v", 0), KARAT_REC_MEM, 0);
    move(&s, of(&s, issue_of(&s, 0, "vlw12_v", 0), KARAT_REC_MEM, 0), store + 1);
    compare_at(&s, store - 1, 2, ONLY_MEM);
}

/* Where no instruction is at fault there is nowhere to walk from. */
TEST(no_instruction) {
    scoped_stream s = fixture();
    s.at[nth(&s, KARAT_REC_ISSUE, 60)].h.flags = 1;
    scoped_checker *c = replay(&s, NULL);
    karat_producers w;
    memset(&w, 0xff, sizeof w);
    karat_find_producers(c, &w);
    assert_true(c->failure.kind == FAIL_STREAM && !w.num && !w.num_suspects && !w.open && !w.cause[0]);
}

/* A scalar made of lanes: after it the walk goes on with all lanes that ran. */
TEST(walk_through_lanes) {
    program p = begin_program("addi 13 0 5; vmv_v_x 8 13; vmv_x_s 14 8; sw 14 512 10; endprg");
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    s.at[of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0)].mem.data[0] ^= 1;
    SAYS(&s, MEM_DATA, "seq 18  0x80000048  vmv.x.s x14, v8  00000005");
    SAYS(&s, MEM_DATA, "seq 17  0x80000044  vmv.v.x v8, x13  00000005 in lane 0");
    SAYS(&s, MEM_DATA, "seq 16  0x80000040  addi x13, x0, 5  00000005");
}

RUN_TESTS("producers")
