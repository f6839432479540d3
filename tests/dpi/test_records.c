/* One wrong record in a legal stream: for every record and every field of it, one bit; every record left out;
 * every record sent twice.  The verdict may be PASS only where a policy below says why. */
#include "judge.h"

/* The required result of a changed field. */
typedef enum policy {
    MUST_FAIL,
    IGNORED, /* The field means nothing here: the stream must still PASS, so that this list stays honest */
    MAY_PASS /* The record claims less than before, or something else that is true as well */
} policy;

typedef struct field {
    const char *name;
    size_t offset;
    unsigned bits, count;
    policy (*is)(const record *was, const record *now, uint32_t element); /* NULL: MUST_FAIL */
} field;

#define ONE(rec, member, is)                                                                                 \
    { #member, offsetof(karat_rec_##rec, member), 8 * sizeof(((karat_rec_##rec *)0)->member), 1, is }
#define ALL(rec, member, is)                                                                                 \
    {                                                                                                        \
#member, offsetof(karat_rec_##rec, member), 8 * sizeof(((karat_rec_##rec *)0)->member[0]),           \
            sizeof(((karat_rec_##rec *)0)->member) / sizeof(((karat_rec_##rec *)0)->member[0]), is           \
    }

#define NUM_THREAD 4 /* Of every stream below */

/* --- Policies --- */

/* Of a record that was changed, in that element of a field that is an array. */
#define POLICY(name, result)                                                                                 \
    static policy name(const record *was, const record *now, uint32_t element) {                             \
        (void)was, (void)now, (void)element;                                                                 \
        return result;                                                                                       \
    }

static bool is_x0(const record *r) {
    return r->write.cls == KARAT_X && r->write.regno == 0;
}

/* A WRITE to x0 or of no lane writes nothing: who sent it and what it says is not compared. */
static bool writes(const record *r) {
    return !is_x0(r) && r->write.mask;
}

POLICY(ignored, IGNORED)
POLICY(may_pass, MAY_PASS)

/* HELLO and the release of a barrier belong to no warp: slot and epoch mean nothing.  READ and AUDIT state a
 * fact, and of another warp it may be a fact as well; so it is with a WRITE of nothing. */
static policy place(const record *was, const record *now, uint32_t element) {
    (void)element;
    bool idle = was->h.kind == KARAT_REC_WRITE && !writes(was);
    if ((was->h.kind == KARAT_REC_READ || was->h.kind == KARAT_REC_AUDIT || idle) &&
        was->h.slot != now->h.slot)
        return MAY_PASS;
    if (was->h.kind == KARAT_REC_TLB)
        return IGNORED; /* A FILL: of no warp */
    bool release = was->h.kind == KARAT_REC_BARRIER && was->barrier.action == KARAT_BARRIER_RELEASE;
    return was->h.kind == KARAT_REC_HELLO || release ? IGNORED : MUST_FAIL;
}

/* Whichever probe says hello. */
POLICY(sm, was->h.kind == KARAT_REC_HELLO ? IGNORED : MUST_FAIL)

/* To give READ or AUDIT and send none is legal; so is to give a kind of the test bench's. LAUNCH and ISSUE
 * may come though the core does not provide them: somebody has made them of its log. */
static policy gives(const record *was, const record *now, uint32_t element) {
    (void)element;
    uint32_t changed = was->hello.gives ^ now->hello.gives;
    uint32_t probes = GIVES_ALL & ~(1u << KARAT_REC_HELLO);
    uint32_t optional = 1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT;
    if (changed & (1u << KARAT_REC_LAUNCH | 1u << KARAT_REC_ISSUE))
        return MAY_PASS;
    if (changed & probes)
        return now->hello.gives & optional & changed ? MAY_PASS : MUST_FAIL;
    return now->hello.gives >> KARAT_REC_KINDS || now->hello.gives & 1 ? MUST_FAIL : MAY_PASS;
}

/* Any wider machine holds what ran on this one. */
static policy at_least(const record *was, const record *now, uint32_t element) {
    (void)element;
    bool wider = now->hello.num_sm >= was->hello.num_sm && now->hello.num_warp >= was->hello.num_warp;
    return wider ? MAY_PASS : MUST_FAIL;
}

POLICY(mem_order, now->hello.mem_order > KARAT_ORDER_PERFORMED ? MUST_FAIL : MAY_PASS)

static policy props(const record *was, const record *now, uint32_t element) {
    (void)element;
    const uint32_t none = KARAT_PROP_COHERENT | KARAT_PROP_FLUSHED | KARAT_PROP_INTERLOCKED |
                          KARAT_PROP_ASCENDING | KARAT_PROP_READS_MORE |
                          KARAT_PROP_PRINTS; /* These do not change the run */
    return (now->hello.props ^ was->hello.props) & ~none ? MUST_FAIL : MAY_PASS;
}

/* Claims less. */
POLICY(csr_given, now->launch.csr_given & ~was->launch.csr_given ? MUST_FAIL : MAY_PASS)

/* The program reads it. */
POLICY(mstatus, was->launch.csr_given >> 11 & 1 ? MUST_FAIL : IGNORED)

/* 'unknown' claims less. */
POLICY(regs, now->launch.regs > KARAT_REGS_UNKNOWN ? MUST_FAIL : MAY_PASS)
POLICY(prefix, was->issue.prefix_kind == KARAT_PREFIX_WORD ? MUST_FAIL : IGNORED)

/* Claims less. */
POLICY(prefix_kind, now->issue.prefix_kind == KARAT_PREFIX_UNKNOWN ? IGNORED : MUST_FAIL)

/* Another instruction in flight may have used the same value. */
POLICY(read_seq, MAY_PASS)

/* Fewer bits claim less; more may be 0 as well. */
POLICY(read_bits, now->read.bits > 32 ? MUST_FAIL : MAY_PASS)

static policy read_mask(const record *was, const record *now, uint32_t element) {
    (void)element;
    uint32_t lanes = was->read.cls == KARAT_X ? 1 : (1u << NUM_THREAD) - 1;
    return now->read.mask & ~lanes ? MUST_FAIL : MAY_PASS;
}

static policy read_data(const record *was, const record *now, uint32_t lane) {
    uint32_t bits = was->read.bits ? (1u << was->read.bits) - 1 : 0xffffffffu;
    bool given = was->read.mask >> lane & 1 && (was->read.data[lane] ^ now->read.data[lane]) & bits;
    return given ? MUST_FAIL : IGNORED;
}

/* Two operands of an instruction, or two registers of a group, may hold one value: then READ of the one is
 * true of the other. */
POLICY(read_part, now->read.part > 1 ? MUST_FAIL : MAY_PASS)
POLICY(read_source, now->read.source > 3 ? MUST_FAIL : MAY_PASS)

/* READ and WRITE are of one size.  A READ of x0 that calls itself a WRITE is a WRITE to x0, and READ is never
 * pending. */
POLICY(kind,
       was->h.kind == KARAT_REC_READ && now->h.kind == KARAT_REC_WRITE && !writes(now) ? MAY_PASS : MUST_FAIL)
POLICY(write_seq, writes(was) && was->write.match == KARAT_MATCH_SEQ ? MUST_FAIL : IGNORED)

static policy write_match(const record *was, const record *now, uint32_t element) {
    (void)element;
    if (now->write.match > KARAT_MATCH_OTHER)
        return MUST_FAIL;
    /* Without its seq a WRITE claims less; seq 0, which it does not mean, may be the right one by chance. */
    return writes(was) ? MAY_PASS : IGNORED;
}

POLICY(write_register, !was->write.mask || (is_x0(now) && is_x0(was)) ? IGNORED : MUST_FAIL)
POLICY(write_mask, is_x0(was) ? IGNORED : MUST_FAIL)
POLICY(write_data, !is_x0(was) && was->write.mask >> element & 1 ? MUST_FAIL : IGNORED)

static policy audit_mask(const record *was, const record *now, uint32_t element) {
    (void)element;
    uint32_t lanes = was->audit.cls == KARAT_X ? 1 : (1u << NUM_THREAD) - 1;
    return now->audit.mask & ~lanes ? MUST_FAIL : MAY_PASS;
}

/* Another register, a CSR or an entry of the stack may hold the same. */
static policy audit_register(const record *was, const record *now, uint32_t element) {
    (void)was, (void)element;
    if (now->audit.cls >= KARAT_CSR)
        return now->audit.cls <= KARAT_STACK ? MAY_PASS : MUST_FAIL;
    return now->audit.regno >= (now->audit.cls == KARAT_X ? KARAT_NUM_X : KARAT_NUM_V) ? MUST_FAIL : MAY_PASS;
}

POLICY(audit_data, was->audit.mask >> element & 1 ? MUST_FAIL : IGNORED)

/* Not given claims less. */
POLICY(top_valid, now->simt.top_valid == 0 ? IGNORED : MUST_FAIL)
POLICY(top, was->simt.top_valid ? MUST_FAIL : IGNORED)
POLICY(mem_seq, was->mem.match == KARAT_MATCH_SEQ ? MUST_FAIL : IGNORED)
POLICY(mem_match, now->mem.match > KARAT_MATCH_OTHER ? MUST_FAIL : MAY_PASS)
POLICY(mem_space, now->mem.space == KARAT_SPACE_UNKNOWN ? IGNORED : MUST_FAIL)
POLICY(mem_addr, was->mem.mask >> element & 1 ? MUST_FAIL : IGNORED)

/* Two lanes in each byte. */
static policy mem_bytes(const record *was, const record *now, uint32_t pair) {
    bool high = (was->mem.bytes[pair] ^ now->mem.bytes[pair]) & 0xf0;
    return was->mem.mask >> (2 * pair + high) & 1 ? MUST_FAIL : IGNORED;
}

static policy mem_data(const record *was, const record *now, uint32_t lane) {
    uint32_t bytes = was->mem.bytes[lane / 2] >> lane % 2 * 4 & 15,
             changed = was->mem.data[lane] ^ now->mem.data[lane];
    uint32_t used = 0;
    for (uint32_t i = 0; i < 4; i++)
        used |= bytes >> i & 1 ? 0xffu << 8 * i : 0;
    return was->mem.op != KARAT_MEM_LOAD && was->mem.mask >> lane & 1 && changed & used ? MUST_FAIL : IGNORED;
}

POLICY(access_lane, was->access.mask >> element & 1 ? MUST_FAIL : IGNORED)

/* Four words of each lane. */
static policy access_data(const record *was, const record *now, uint32_t element) {
    const uint32_t lane = element / 4, bytes = was->access.bytes[lane] >> 4 * (element % 4) & 15,
                   changed = was->access.data[element] ^ now->access.data[element];
    uint32_t used = 0;
    for (uint32_t i = 0; i < 4; i++)
        used |= bytes >> i & 1 ? 0xffu << 8 * i : 0;
    return was->access.op != KARAT_MEM_LOAD && was->access.mask >> lane & 1 && changed & used ? MUST_FAIL
                                                                                              : IGNORED;
}

/* All TLBs here are FILLs: an INVALIDATE says less, a FAULT is one that the model does not have. */
POLICY(tlb_action, now->tlb.action == KARAT_TLB_INVALIDATE ? MAY_PASS : MUST_FAIL)

/* Another TLB may have it as well. */
POLICY(tlb_which, now->tlb.tlb > KARAT_TLB_SHARED ? MUST_FAIL : MAY_PASS)
POLICY(barrier_seq, was->barrier.action == KARAT_BARRIER_ARRIVE ? MUST_FAIL : IGNORED)
POLICY(barrier_warps, was->barrier.action == KARAT_BARRIER_RELEASE ? MUST_FAIL : IGNORED)

/* --- Every field of every record that a probe sends --- */

static const field header_fields[] = {
    ONE(header, kind, kind),   ONE(header, sm, sm),
    ONE(header, slot, place),  ONE(header, flags, NULL),
    ONE(header, epoch, place), ONE(header, cycle, may_pass), /* Time is not compared */
};
static const field hello_fields[] = {
    ONE(hello, version, NULL),        ONE(hello, stack_depth, ignored), /* Less than needed is a counted
                                                                           warning */
    ONE(hello, num_sm, at_least),     ONE(hello, num_warp, at_least),   ONE(hello, num_thread, NULL),
    ONE(hello, mem_order, mem_order), ONE(hello, gives, gives),         ONE(hello, props, props),
    ALL(hello, name, ignored),
};
static const field launch_fields[] = {
    ONE(launch, workgroup, NULL),     ONE(launch, warp, NULL),          ONE(launch, pc, NULL),
    ONE(launch, mask, NULL),          ALL(launch, csr, NULL),           ONE(launch, csr_given, csr_given),
    ONE(launch, sgpr_base, may_pass), ONE(launch, sgpr_size, may_pass), /* Another place may be free as well
                                                                         */
    ONE(launch, vgpr_base, may_pass), ONE(launch, vgpr_size, may_pass), ONE(launch, lds_base, NULL),
    ONE(launch, lds_size, NULL), /* Both warps of a workgroup say the same */
    ONE(launch, regs, regs),          ONE(launch, mstatus, mstatus),
};
static const field issue_fields[] = {
    ONE(issue, seq, NULL),      ONE(issue, pc, NULL),   ONE(issue, word, NULL),
    ONE(issue, prefix, prefix), ONE(issue, mask, NULL), ONE(issue, prefix_kind, prefix_kind),
};
static const field read_fields[] = {
    ONE(read, seq, read_seq),   ONE(read, source, read_source), ONE(read, cls, NULL),
    ONE(read, part, read_part), ONE(read, bits, read_bits),     ONE(read, mask, read_mask),
    ONE(read, pad1, ignored),   ALL(read, data, read_data),
};
static const field write_fields[] = {
    ONE(write, seq, write_seq),        ONE(write, match, write_match), ONE(write, cls, write_register),
    ONE(write, regno, write_register), ONE(write, mask, write_mask),   ONE(write, pad0, ignored),
    ALL(write, data, write_data),
};
static const field audit_fields[] = {
    ONE(audit, regno, audit_register), ONE(audit, cls, audit_register), ONE(audit, pad0, ignored),
    ONE(audit, mask, audit_mask),      ALL(audit, data, audit_data),
};
static const field simt_fields[] = {
    ONE(simt, seq, NULL),     ONE(simt, mask, NULL),           ONE(simt, next_pc, NULL),
    ONE(simt, depth, NULL),   ONE(simt, top_valid, top_valid), ONE(simt, top_rpc, top),
    ONE(simt, top_next, top), ONE(simt, top_mask, top),        ONE(simt, pad0, ignored),
};
static const field csr_fields[] = {
    ONE(csr, seq, NULL),
    ONE(csr, addr, NULL),
    ONE(csr, value, NULL),
    ONE(csr, pad0, ignored),
};
static const field mem_fields[] = {
    ONE(mem, seq, mem_seq),     ONE(mem, match, mem_match), ONE(mem, op, NULL),
    ONE(mem, space, mem_space), ONE(mem, no_data, NULL),    ONE(mem, mask, NULL),
    ONE(mem, addr_hi, NULL),    ALL(mem, addr, mem_addr),   ALL(mem, bytes, mem_bytes),
    ALL(mem, data, mem_data),
};
static const field barrier_fields[] = {
    ONE(barrier, seq, barrier_seq),
    ONE(barrier, action, NULL),
    ONE(barrier, warps, barrier_warps),
};

static const field access_fields[] = {
    ONE(access, seq, mem_seq),       ONE(access, match, mem_match),  ONE(access, op, NULL),
    ONE(access, space, mem_space),   ONE(access, no_data, NULL),     ONE(access, mask, NULL),
    ONE(access, pad0, ignored),      ALL(access, virt, access_lane), ALL(access, phys, access_lane),
    ALL(access, bytes, access_lane), ALL(access, data, access_data),
};
static const field pair_fields[] = {
    ONE(pair, seq, write_seq),        ONE(pair, match, write_match), ONE(pair, cls, write_register),
    ONE(pair, regno, write_register), ONE(pair, mask, write_mask),   ONE(pair, pad0, ignored),
    ALL(pair, data, write_data),
};
static const field tlb_fields[] = {
    ONE(tlb, seq, ignored),    ONE(tlb, action, tlb_action), ONE(tlb, tlb, tlb_which),
    ONE(tlb, level, NULL),     ONE(tlb, access, ignored),    ONE(tlb, asid, NULL),
    ONE(tlb, reason, ignored), ONE(tlb, virt, NULL),         ONE(tlb, phys, NULL),
    ONE(tlb, entry, NULL),     ONE(tlb, entry_addr, NULL),
};

/* Records of the test bench: of those kinds one bit after the other is tried (every_bit()). */
POLICY(hash, was->region.hash_valid ? MUST_FAIL : IGNORED)

/* Claims less. */
POLICY(hash_valid, now->region.hash_valid ? IGNORED : MAY_PASS)

/* REGIONs have hashes */
POLICY(host_data, element < was->host.length ? MUST_FAIL : IGNORED)

/* A core may give more local memory than the kernel asks for, and not less. */
POLICY(lds_size, now->kernel.lds_size > was->kernel.lds_size ? MAY_PASS : IGNORED)

/* The second workgroup's private memory is where the first one's ends, modulo 2^32. */
static policy pds_size(const record *was, const record *now, uint32_t element) {
    (void)element;
    const uint32_t threads = was->kernel.wf_size * was->kernel.wg_size;
    return (now->kernel.pds_size - was->kernel.pds_size) * threads != 0 ? MUST_FAIL : MAY_PASS;
}

/* As many as the program uses, or more; there are 64, and 256. */
POLICY(usage, now->kernel.sgprs > KARAT_NUM_X || now->kernel.vgprs > KARAT_NUM_V ? MUST_FAIL : MAY_PASS)
static const field region_fields[] = {
    ONE(region, base, NULL),
    ONE(region, size, NULL),
    ONE(region, hash, hash),
    ONE(region, pad0, ignored),
    ONE(region, hash_valid, hash_valid),
};
static const field host_fields[] = {
    ONE(host, addr, NULL),
    ONE(host, length, NULL),
    ONE(host, pad0, ignored),
    ALL(host, data, host_data),
};
static const field kernel_fields[] = {
    ONE(kernel, index, NULL),        ONE(kernel, grid[0], NULL),  ONE(kernel, grid[1], NULL),
    ONE(kernel, grid[2], NULL),      ONE(kernel, wg_size, NULL),  ONE(kernel, wf_size, NULL),
    ONE(kernel, pc, NULL),           ONE(kernel, knl, NULL),      ONE(kernel, lds_base, NULL),
    ONE(kernel, lds_size, lds_size), ONE(kernel, pds_base, NULL), ONE(kernel, pds_size, pds_size),
    ONE(kernel, sgprs, usage),       ONE(kernel, vgprs, usage),   ONE(kernel, num_region, NULL),
};
static const field bye_fields[] = {
    ONE(bye, reason, NULL),
    ONE(bye, pad0, ignored),
    ONE(bye, records, NULL),
};

static const field paging_fields[] = {
    ONE(paging, ptbr, NULL),
    ONE(paging, asid, NULL),
    ONE(paging, pad0, ignored),
};

/* Slots are how the bases of a launch are to be understood: other numbers may name the same ones. */
POLICY(items_slots, now->items.pds_slots > 65536 ? MUST_FAIL : MAY_PASS)
static const field items_fields[] = {
    ONE(items, group_items[0], NULL),   ONE(items, group_items[1], NULL), ONE(items, group_items[2], NULL),
    ONE(items, grid_items[0], NULL),    ONE(items, grid_items[1], NULL),  ONE(items, grid_items[2], NULL),
    ONE(items, first_id[0], ignored),   ONE(items, first_id[1], ignored), ONE(items, first_id[2], ignored),
    ONE(items, pds_slots, items_slots),
};

typedef struct layout {
    const field *fields;
    size_t num;
} layout;
#define LAYOUT(rec)                                                                                          \
    { rec##_fields, sizeof rec##_fields / sizeof *rec##_fields }
static const layout header = LAYOUT(header);
static const layout layouts[KARAT_REC_KINDS] = {
    [KARAT_REC_HELLO] = LAYOUT(hello),   [KARAT_REC_LAUNCH] = LAYOUT(launch),
    [KARAT_REC_ISSUE] = LAYOUT(issue),   [KARAT_REC_READ] = LAYOUT(read),
    [KARAT_REC_WRITE] = LAYOUT(write),   [KARAT_REC_AUDIT] = LAYOUT(audit),
    [KARAT_REC_SIMT] = LAYOUT(simt),     [KARAT_REC_CSR] = LAYOUT(csr),
    [KARAT_REC_MEM] = LAYOUT(mem),       [KARAT_REC_BARRIER] = LAYOUT(barrier),
    [KARAT_REC_REGION] = LAYOUT(region), [KARAT_REC_HOST] = LAYOUT(host),
    [KARAT_REC_KERNEL] = LAYOUT(kernel), [KARAT_REC_BYE] = LAYOUT(bye),
    [KARAT_REC_ACCESS] = LAYOUT(access), [KARAT_REC_PAIR] = LAYOUT(pair),
    [KARAT_REC_TLB] = LAYOUT(tlb),       [KARAT_REC_PAGING] = LAYOUT(paging),
    [KARAT_REC_ITEMS] = LAYOUT(items),
};

static bool from_probe(unsigned kind) {
    return (GIVES_ALL | GIVES_SV39) >> kind & 1;
}

/* The tables name every byte of every record once: a field added to the port shows here. */
TEST(every_byte_is_in_a_field) {
    for (unsigned kind = 1; kind < KARAT_REC_KINDS; kind++) {
        if (!from_probe(kind))
            continue;
        uint8_t seen[KARAT_REC_MAX_SIZE] = {0};
        const layout *all[] = {&header, &layouts[kind]};
        for (size_t k = 0; k < 2; k++)
            for (size_t i = 0; i < all[k]->num; i++)
                for (size_t b = 0; b < all[k]->fields[i].bits / 8 * all[k]->fields[i].count; b++)
                    seen[all[k]->fields[i].offset + b]++;
        for (size_t b = 0; b < karat_rec_size(kind); b++)
            if (seen[b] != 1)
                fail_msg("%s: byte %zu is in %u fields", karat_rec_name(kind), b, seen[b]);
    }
}

/* --- Replaying with one record changed --- */

typedef enum edit { CHANGE, DROP, TWICE } edit;

static karat_checker *play(const stream *s, size_t at, edit what, const record *now, bool keep_going) {
    karat_check_config config = judge_config();
    config.hang_cycles = 100000;
    config.keep_going = keep_going;
    karat_checker *c = karat_checker_create(&config);
    for (size_t i = 0; i < s->num; i++) {
        const record *r = i == at && what == CHANGE ? now : &s->at[i];
        size_t size = karat_rec_size(s->at[i].h.kind);
        if (i == at && what == DROP)
            continue;
        if (karat_checker_record(c, r, size) ||
            (i == at && what == TWICE && karat_checker_record(c, r, size)))
            break;
    }
    return c;
}

static karat_verdict verdict_of(const stream *s, size_t at, edit what, const record *now, size_t *reports) {
    karat_checker *c = play(s, at, what, now, false);
    karat_verdict verdict = karat_checker_verdict(c);
    if ((*reports + at) % 8 == 0) { /* To go on after a mismatch makes no other verdict of it */
        karat_checker *on = play(s, at, what, now, true);
        assert_int_equal(karat_checker_verdict(on), verdict);
        scoped_outcome o = conclude(on);
        assert_int_equal(json_array_size(json_object_get(o.json, "defects")) > 0, verdict == KARAT_MISMATCH);
    }
    /* Whatever went wrong, the report must be able to say it. */
    if (verdict != KARAT_PASS && (*reports)++ % 16 == 0) {
        scoped_outcome o = conclude(c);
    } else {
        karat_checker_destroy(c);
    }
    return verdict;
}

static size_t num_must, num_ignored, num_may, num_may_failed;

static void flip(const stream *s, size_t at, const field *f, uint32_t element, uint32_t bit,
                 size_t *reports) {
    record now = s->at[at];
    ((uint8_t *)&now)[f->offset + element * (f->bits / 8) + bit / 8] ^= (uint8_t)(1u << bit % 8);
    policy p = f->is ? f->is(&s->at[at], &now, element) : MUST_FAIL;
    karat_verdict verdict = verdict_of(s, at, CHANGE, &now, reports);
    num_must += p == MUST_FAIL;
    num_ignored += p == IGNORED;
    num_may += p == MAY_PASS;
    num_may_failed += p == MAY_PASS && verdict != KARAT_PASS;
    if (p != MAY_PASS && (p == IGNORED) != (verdict == KARAT_PASS))
        fail_msg("record %zu (%s, sm %u slot %u seq %u): %s[%u] bit %u: %s", at,
                 karat_rec_name(s->at[at].h.kind), s->at[at].h.sm, s->at[at].h.slot, seq_of(&s->at[at]),
                 f->name, element, bit, verdict == KARAT_PASS ? "passes" : "fails");
}

static void flip_all(const stream *s, size_t at, const layout *l, rng *r, size_t *reports) {
    for (size_t i = 0; i < l->num; i++) {
        const field *f = &l->fields[i];
        for (uint32_t element = 0; element < f->count; element++) {
            /* Arrays by lane: the lanes that there are, and one that there is not. */
            const uint32_t each = f->count / KARAT_PORT_MAX_THREAD;
            if (each && element > NUM_THREAD * each)
                break;
            flip(s, at, f, element, rng_below(r, f->bits), reports);
            if (f->count > 1)
                continue;
            flip(s, at, f, element, 0, reports);
            flip(s, at, f, element, f->bits - 1, reports);
        }
    }
}

static void flip_stream(const stream *s, uint64_t seed) {
    rng r = {seed};
    size_t reports = 0;
    const uint32_t one_in = (uint32_t)s->num / share_of((uint32_t)s->num);
    PASSES(s);
    num_must = num_ignored = num_may = num_may_failed = 0;
    for (size_t i = 0; i < s->num; i++) {
        if (!from_probe(s->at[i].h.kind) || rng_below(&r, one_in))
            continue;
        flip_all(s, i, &header, &r, &reports);
        flip_all(s, i, &layouts[s->at[i].h.kind], &r, &reports);
    }
    print_message(
        "%zu records, %zu changes that must fail, %zu that say nothing, %zu of %zu that may pass failed\n",
        s->num, num_must, num_ignored, num_may_failed, num_may);
    assert_true(num_must > num_may && num_must > share_of(1000));
}

/* --- The streams --- */

/* Every completion at once, by seq. */
static stream prompt_stream(void) {
    core_options o = fixture_options();
    o.audit_percent = 10;
    return run_fixture(&o);
}

/* Every completion late, out of order and in parts. */
static stream late_stream(uint32_t match) {
    core_options o = fixture_options();
    o.seed = 3;
    o.workgroups = 1;
    o.max_delay = 6;
    o.max_mem_delay = 9;
    o.write_match = o.mem_match = match;
    o.split = true;
    o.audit_percent = 5;
    o.release_singly = true;
    return run_fixture(&o);
}

/* Streams with translation, ACCESS, PAIR and TLB. */
static stream translated_stream(void) {
    core_options o = fixture_options();
    o.seed = 4;
    o.sv39 = true;
    o.items = true;
    o.layout = 2;
    o.gives = GIVES_SV39;
    o.audit_percent = 5;
    return run_fixture(&o);
}

TEST(translated_stream_flipped) {
    scoped_stream s = translated_stream();
    flip_stream(&s, 4);
}

TEST(prompt_stream_flipped) {
    scoped_stream s = prompt_stream();
    flip_stream(&s, 1);
}

TEST(late_stream_flipped) {
    scoped_stream s = late_stream(KARAT_MATCH_SEQ);
    flip_stream(&s, 2);
}

TEST(late_stream_without_ids_flipped) {
    scoped_stream s = late_stream(KARAT_MATCH_OTHER);
    flip_stream(&s, 3);
}

/* One record of that kind in which a bit of that field has to be right, the next from *at on; false: there
 * is none. Its change fails. */
static bool flip_one(const stream *s, unsigned kind, const field *f, uint32_t element, uint32_t bit,
                     size_t *at, size_t *reports) {
    for (size_t n = 0; n < s->num; n++) {
        const size_t i = (*at + n) % s->num;
        if (s->at[i].h.kind != kind)
            continue;
        record now = s->at[i];
        ((uint8_t *)&now)[f->offset + element * (f->bits / 8) + bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (f->is && f->is(&s->at[i], &now, element) != MUST_FAIL)
            continue;
        flip(s, i, f, element, bit, reports);
        *at = i + 1;
        return true;
    }
    return false;
}

/* Whether all of a field is compared, in some record at least. Of others some values mean less, or as
 * much. */
static bool is_whole(const field *f, uint32_t element) {
    static policy (*const some[])(const record *was, const record *now, uint32_t element) = {
        ignored,   may_pass,   at_least,    gives,     mem_order, props,       csr_given,      regs,
        read_seq,  read_part,  read_source, read_bits, read_mask, write_match, audit_register, audit_mask,
        mem_match, hash_valid, lds_size,    pds_size,  usage,     tlb_action,  tlb_which,      items_slots,
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (f->is == some[i])
            return false;
    if (f->is == access_data)
        return element % 4 == 0 && element < 4 * NUM_THREAD; /* No access here is wider */
    return f->is != mem_bytes || element < NUM_THREAD / 2;
}

/* Every bit of every field that is compared, once: no compare leaves out a part of it. Of these kinds.
 * Returns their number. */
static size_t flip_every_bit(const stream *s, unsigned first, unsigned last) {
    size_t reports = 0, at = 0, tried = 0;
    const uint32_t step = 100 / share_of(100);
    PASSES(s);
    for (unsigned kind = first; kind <= last; kind++)
        for (size_t i = 0; i < layouts[kind].num; i++) {
            const field *f = &layouts[kind].fields[i];
            const uint32_t count = f->count == KARAT_PORT_MAX_THREAD ? NUM_THREAD
                                   : f->count > 64                   ? 64
                                                                     : f->count;
            for (uint32_t n = 0; n < count * f->bits; n += step) {
                const uint32_t element = n / f->bits, bit = n % f->bits;
                if (flip_one(s, kind, f, element, bit, &at, &reports))
                    tried++;
                else if (is_whole(f, element))
                    fail_msg("%s.%s[%u]: no record in which bit %u counts", karat_rec_name(kind), f->name,
                             element, bit);
            }
        }
    print_message("%zu bits\n", tried);
    return tried;
}

TEST(every_bit) {
    scoped_stream s = prompt_stream(), translated = translated_stream();
    assert_true(flip_every_bit(&s, 1, KARAT_REC_PRINT) > share_of(3500));
    assert_true(flip_every_bit(&translated, KARAT_REC_PRINT + 1, KARAT_REC_KINDS - 1) > share_of(1200));
    stream_free(&translated);
}

/* READ and AUDIT are never expected; ITEMS of all threads says what its absence does; a WRITE of nothing says
 * nothing; vset* may add vtype. */
static bool may_be_dropped(const record *r) {
    return r->h.kind == KARAT_REC_ITEMS || r->h.kind == KARAT_REC_READ || r->h.kind == KARAT_REC_AUDIT ||
           r->h.kind == KARAT_REC_TLB || (r->h.kind == KARAT_REC_WRITE && !writes(r)) ||
           (r->h.kind == KARAT_REC_CSR && r->csr.addr == 0xc21);
}

/* READ and AUDIT may come twice; the host may write the same bytes again; after BYE the
 * verdict stands. */
static bool may_come_twice(const record *r) {
    return r->h.kind == KARAT_REC_READ || r->h.kind == KARAT_REC_AUDIT || r->h.kind == KARAT_REC_TLB ||
           (r->h.kind == KARAT_REC_WRITE && !writes(r)) || r->h.kind == KARAT_REC_HOST ||
           r->h.kind == KARAT_REC_BYE;
}

static void drop_and_repeat(const stream *s) {
    size_t reports = 0;
    const bool translated = s->at[0].hello.props & KARAT_PROP_SV39;
    for (size_t i = 0; i < s->num; i += s->num / share_of((uint32_t)s->num)) {
        if (translated && s->at[i].h.kind == KARAT_REC_HOST)
            continue; /* It may write zeros where there are zeros */
        bool passed = verdict_of(s, i, DROP, NULL, &reports) == KARAT_PASS;
        if (passed != may_be_dropped(&s->at[i]))
            fail_msg("record %zu (%s) left out: %s", i, karat_rec_name(s->at[i].h.kind),
                     passed ? "passes" : "fails");
        passed = verdict_of(s, i, TWICE, NULL, &reports) == KARAT_PASS;
        if (passed != may_come_twice(&s->at[i]))
            fail_msg("record %zu (%s) twice: %s", i, karat_rec_name(s->at[i].h.kind),
                     passed ? "passes" : "fails");
    }
}

TEST(records_dropped_and_repeated) {
    stream streams[] = {prompt_stream(), late_stream(KARAT_MATCH_SEQ), late_stream(KARAT_MATCH_OTHER),
                        translated_stream()};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        drop_and_repeat(&streams[i]);
        stream_free(&streams[i]);
    }
}

/* A stream that is cut off anywhere has no BYE: never PASS. */
TEST(truncated_anywhere) {
    scoped_stream s = prompt_stream();
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    for (size_t i = 0; i + 1 < s.num; i++) {
        assert_int_equal(karat_checker_verdict(c), KARAT_INCOMPLETE);
        assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
    }
    scoped_outcome o = conclude(c);
    assert_int_equal(o.verdict, KARAT_INCOMPLETE);
}

RUN_TESTS("records")
