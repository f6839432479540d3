/* Beyond the first failure: what is told of other warps, what is not, and what may follow from the first. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

#define SHARED (DATA_BASE + 0x3000) /* in x20 */

/* Four warps of two workgroups: each stores 5 to one word and loads it, meets its neighbour, and goes on. (The rows are none of the prologue's.) */
static stream four_warps(void) {
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&p, "xori", 21, 0, 5);
    put(&p, "sw", 21, 0, 20);
    put(&p, "lw", 26, 0, 20);
    put(&p, "or", 27, 26, 26);
    put(&p, "barrier", 0);
    put(&p, "ori", 28, 27, 64);
    put(&p, "vmv_v_i", 9, 3);
    put0(&p, "endprg");
    core_options o = core_default();
    o.uncounted = true;
    o.audit_percent = 0;
    stream s = run_program(&p, &o);
    PASSES(&s);
    return s;
}

/* The result of the nth instruction of that row in that slot is wrong. */
static void spoil(stream *s, uint32_t slot, const char *row, uint32_t n) {
    s->at[of(s, issue_of(s, slot, row, n), KARAT_REC_WRITE, 0)].write.data[0] ^= 0x10;
}

/* The slot of the nth ISSUE of that row. */
static uint32_t nth_slot(const stream *s, const char *row, uint32_t n) {
    return s->at[issue_of(s, ANY, row, n)].h.slot;
}

static outcome judge_all(const stream *s, uint32_t most) {
    karat_check_config config = judge_config();
    config.max_failures = most;
    outcome o = conclude(replay(s, &config));
    keep(&o);
    assert_int_equal(o.verdict, KARAT_MISMATCH);
    return o;
}

static json_t *further(const outcome *o, size_t n) {
    return json_array_get(json_object_get(o->json, "further"), n);
}

static int64_t field(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static void every_warp_once(void **state) {
    (void)state;
    stream s = four_warps();
    for (uint32_t slot = 0; slot < 4; slot++) {
        spoil(&s, slot, "lw", 0);
        spoil(&s, slot, "or", 0); /* of a frozen warp: not looked at */
    }
    for (uint32_t most = 1; most <= 6; most++) {
        outcome o = judge_all(&s, most);
        const size_t want = most > 4 ? 3 : most - 1;
        assert_int_equal(json_array_size(json_object_get(o.json, "further")), want);
        for (size_t i = 0; i < want; i++) {
            assert_string_equal(json_string_value(json_object_get(further(&o, i), "kind")),
                                "wrong value written");
            assert_string_equal(json_string_value(json_object_get(further(&o, i), "text")), "lw x26, 0(x20)");
            assert_int_equal(field(further(&o, i), "follows"), -1);
        }
        assert_int_equal(strstr(o.text, "  also      wrong value written: workgroup ") != NULL, most > 1);
        outcome_free(&o);
    }
    stream_free(&s);
}

/* The first failure's report is the same, but for what comes after it. */
static void the_first_stays(void **state) {
    (void)state;
    stream s = four_warps();
    const uint32_t last = nth_slot(&s, "or", 3);
    spoil(&s, nth_slot(&s, "lw", 0), "lw", 0);
    spoil(&s, last, "or", 0);
    for (uint32_t slot = 0; slot < 4; slot++) /* of more lanes, of another register */
        s.at[of(&s, issue_of(&s, slot, "vmv_v_i", 1), KARAT_REC_WRITE, 0)].write.data[2] ^= 1;
    outcome one = judge_all(&s, 1), all = judge_all(&s, 9);
    const json_t *a = json_object_get(one.json, "failure"), *b = json_object_get(all.json, "failure");
    assert_true(json_equal(a, b));
    const size_t num = json_array_size(json_object_get(all.json, "further"));
    size_t there = 0;
    for (size_t i = 0; i < num; i++)
        there += field(further(&all, i), "slot") == last;
    assert_int_equal(num, 3); /* each of the others */
    assert_int_equal(there, 1);
    outcome_free(&one);
    outcome_free(&all);
    stream_free(&s);
}

/* That the stream ends early is a verdict where nothing has failed, and else nothing new. */
static void cut_behind_a_failure(void **state) {
    (void)state;
    for (int failed = 0; failed < 2; failed++) {
        stream s = four_warps();
        if (failed)
            spoil(&s, 0, "lw", 0);
        cut(&s, nth(&s, KARAT_REC_BYE, 0));
        karat_check_config config = judge_config();
        config.max_failures = 9;
        karat_checker *c = replay(&s, &config);
        karat_checker_cut(c, "the simulator died");
        outcome o = conclude(c);
        assert_int_equal(o.verdict, failed ? KARAT_MISMATCH : KARAT_INCOMPLETE);
        assert_int_equal(json_array_size(json_object_get(o.json, "further")), 0);
        outcome_free(&o);
        stream_free(&s);
    }
}

/* Nobody knows what is behind a barrier that a frozen warp does not reach. */
static void behind_a_barrier(void **state) {
    (void)state;
    stream s = four_warps();
    spoil(&s, 0, "lw", 0);
    const uint8_t neighbour = s.at[issue_of(&s, 0, "lw", 0)].h.slot ^ 1;
    for (uint32_t slot = 1; slot < 4; slot++)
        spoil(&s, slot, "ori", 0); /* all behind theirs */
    outcome o = judge_all(&s, 9);
    assert_int_equal(json_array_size(json_object_get(o.json, "further")), 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_not_equal(field(further(&o, i), "slot"), neighbour);
    outcome_free(&o);
    /* The same of a core that says nothing of barriers. */
    for (size_t i = s.num; i > 0; i--)
        if (s.at[i - 1].h.kind == KARAT_REC_BARRIER)
            stream_remove(&s, i - 1);
    s.at[0].hello.gives &= ~(1u << KARAT_REC_BARRIER);
    o = judge_all(&s, 9);
    assert_int_equal(json_array_size(json_object_get(o.json, "further")), 2);
    outcome_free(&o);
    stream_free(&s);
}

/* What a frozen warp has stored is told to be perhaps why a later one differs; without MEM, whatever is loaded. */
static void what_may_follow(void **state) {
    (void)state;
    uint32_t alone = 0;
    for (int gives_mem = 0; gives_mem < 2; gives_mem++) {
        stream s = four_warps();
        const char *first_row = gives_mem ? "sw" : "xori";
        const uint32_t first = nth_slot(&s, first_row, 0), last = nth_slot(&s, "lw", 3);
        assert_int_not_equal(first, last);
        uint32_t other = 0; /* that has loaded nothing: its xori is behind the first failure */
        while (other == first || other == last)
            other++;
        const size_t failing =
            of(&s, issue_of(&s, first, first_row, 0), gives_mem ? KARAT_REC_MEM : KARAT_REC_WRITE, 0);
        const bool behind = of(&s, issue_of(&s, other, "xori", 0), KARAT_REC_WRITE, 0) > failing;
        if (gives_mem)
            s.at[failing].mem.data[0] ^= 1;
        else
            s.at[failing].write.data[0] ^= 1;
        if (behind)
            spoil(&s, other, "xori", 0);
        spoil(&s, last, "or", 0);
        if (!gives_mem) {
            s.at[0].hello.gives &= ~(1u << KARAT_REC_MEM);
            for (size_t i = s.num; i > 0; i--)
                if (s.at[i - 1].h.kind == KARAT_REC_MEM)
                    stream_remove(&s, i - 1);
        }
        outcome o = judge_all(&s, 9);
        alone += behind;
        const size_t num = json_array_size(json_object_get(o.json, "further"));
        assert_int_equal(num, 1 + behind);
        for (size_t i = 0; i < num; i++)
            assert_int_equal(field(further(&o, i), "follows"),
                             field(further(&o, i), "slot") == last ? (int64_t)SHARED : -1);
        assert_non_null(strstr(o.text, "; may follow: it has loaded 0x90003000"));
        outcome_free(&o);
        stream_free(&s);
    }
    assert_int_not_equal(alone, 0);
}

/* Where it is not of a warp, there is nothing to go on with. */
static void the_end(void **state) {
    (void)state;
    stream s = four_warps();
    spoil(&s, nth_slot(&s, "lw", 0), "lw", 0);
    const size_t i = issue_of(&s, ANY, "or", 3);
    record bad = s.at[i];
    bad.h.flags = 1;
    spoil(&s, bad.h.slot, "or", 0);
    stream_insert(&s, i, &bad);
    outcome o = judge_all(&s, 9);
    assert_int_equal(json_array_size(json_object_get(o.json, "further")), 1);
    assert_string_equal(json_string_value(json_object_get(further(&o, 0), "kind")), "bad record stream");
    outcome_free(&o);
    stream_free(&s);
}

/* --- One function at a time: a checker of four slots, whose first is live --- */

static karat_checker *begun(uint32_t gives) {
    stream s = four_warps();
    s.at[0].hello.gives = gives;
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 0) + 1);
    karat_check_config config = judge_config();
    config.max_failures = 4;
    karat_checker *c = replay(&s, &config);
    assert_false(c->done);
    c->num_failed = 1;
    stream_free(&s);
    return c;
}

static void set_accesses(flight *f, karat_mem_op op, uint32_t bytes, const uint64_t *addr, uint32_t num) {
    memset(f, 0, sizeof *f);
    f->commit.has_mem = true;
    f->commit.mem.op = op;
    f->commit.mem.num = num;
    for (uint32_t k = 0; k < num; k++)
        f->commit.mem.access[k] =
            (karat_access){.lane = (uint8_t)k, .bytes = (uint8_t)bytes, .addr = addr[k]};
}

/* Whether a load of these follows; at which address. */
static bool follows(karat_checker *c, const uint64_t *addr, uint32_t num, uint64_t *at) {
    static slot s;
    static flight f;
    memset(&s, 0, sizeof s);
    set_accesses(&f, KARAT_LOAD, 4, addr, num);
    karat_freeze_use(c, &s, &f);
    *at = s.follows_addr;
    return s.follows;
}

static void expect_touched(karat_checker *c, uint64_t addr, bool want) {
    uint64_t at;
    if (follows(c, &addr, 1, &at) != want || (want && at != addr))
        fail_msg("0x%llx: %s", (unsigned long long)addr, want ? "not touched" : "touched");
}

/* By lines of 64: all that its stores in flight, that instruction and that record write, and nothing else. */
static void what_is_touched(void **state) {
    (void)state;
    karat_checker *c = begun(GIVES_ALL);
    slot *s = &c->slots[0];
    static flight f[4];
    static const uint64_t first[] = {0x90000004, 0x90000200, 0x9000033c}, loads[] = {0x90000500, 0x90000540},
                          amo[] = {0x90000623}, last[] = {0x9000073e, 0x90000800, 0x900008ff, 0x90000900};
    set_accesses(&f[0], KARAT_STORE, 4, first, 3);
    set_accesses(&f[1], KARAT_LOAD, 4, loads, 2);
    set_accesses(&f[2], KARAT_AMO, 4, amo, 1);
    set_accesses(&f[3], KARAT_STORE, 2, last, 3);
    f[0].next = &f[1];
    f[1].next = &f[2];
    s->oldest = &f[0];
    record mem = {.mem = {.op = KARAT_MEM_STORE, .mask = 0xb, .addr_hi = 0}};
    mem.h.kind = KARAT_REC_MEM;
    static const uint32_t addr[] = {0x90000a3d, 0x90000b00, 0x90000c00, 0x90000d3c};
    memcpy(mem.mem.addr, addr, sizeof addr);
    assert_true(karat_freeze(c, s, &f[3], &mem));
    for (uint64_t line = 0x90000000; line < 0x90001000; line += 64) {
        static const uint64_t touched[] = {0x90000000, 0x90000200, 0x90000300, 0x90000600,
                                           0x90000700, 0x90000800, 0x900008c0, 0x90000900,
                                           0x90000a00, 0x90000a40, 0x90000b00, 0x90000d00};
        bool want = false;
        for (size_t i = 0; i < sizeof touched / sizeof *touched; i++)
            want |= touched[i] == line;
        for (uint32_t byte = 0; byte < 64; byte += 9)
            expect_touched(c, line + byte, want);
    }
    /* Any of several, and the first that is. */
    uint64_t at;
    assert_true(follows(c, (const uint64_t[]){0x90000100, 0x90000500, 0x90000204, 0x90000d00}, 4, &at));
    assert_true(at == 0x90000204);
    /* Its records later on; loads touch nothing. */
    mem.mem.mask = 8;
    mem.mem.addr[3] = 0x90000e00;
    mem.mem.op = KARAT_MEM_LOAD;
    assert_true(karat_frozen_record(c, &mem));
    expect_touched(c, 0x90000e00, false);
    mem.mem.op = KARAT_MEM_AMO;
    mem.mem.addr_hi = 1;
    assert_true(karat_frozen_record(c, &mem));
    expect_touched(c, 0x90000e00, false);
    expect_touched(c, 0x190000e00, true);
    expect_touched(c, 0x190000e40, false);
    s->oldest = NULL;
    mem.h.kind = KARAT_REC_AUDIT; /* no access, whatever it holds */
    mem.mem.addr_hi = 2;
    assert_true(karat_freeze(c, &c->slots[1], NULL, &mem)); /* what the first has touched stays */
    expect_touched(c, 0x290000e00, false);
    expect_touched(c, 0x190000e00, true);
    karat_checker_destroy(c);
}

/* A load or an atomic of local memory follows where its workgroup is frozen; without MEM, any does. */
static void who_follows(void **state) {
    (void)state;
    static slot s, other;
    static flight f;
    for (int mem = 0; mem < 2; mem++) {
        karat_checker *c = begun(mem ? GIVES_ALL : GIVES_ALL & ~(1u << KARAT_REC_MEM));
        const uint64_t lds = c->config.model.lds_base, size = c->config.model.lds_size;
        const uint64_t last = lds + size - 4, behind = lds + size;
        uint64_t at;
        assert_true(karat_freeze(c, &c->slots[0], NULL, NULL));
        assert_true(follows(c, &lds, 1, &at) && follows(c, &last, 1, &at)); /* of group 0, which is frozen */
        assert_int_equal(follows(c, &behind, 1, &at), !mem);
        memset(&s, 0, sizeof s);
        s.wg = 1;
        set_accesses(&f, KARAT_LOAD, 4, &last, 1);
        karat_freeze_use(c, &s, &f);
        assert_false(s.follows);
        static const uint64_t here = 0x90000100;
        set_accesses(&f, KARAT_STORE, 4, &here, 1);
        karat_freeze_use(c, &s, &f);
        assert_false(s.follows);
        set_accesses(&f, KARAT_AMO, 4, &here, 1);
        karat_freeze_use(c, &s, &f);
        assert_int_equal(s.follows, !mem);
        set_accesses(&f, KARAT_LOAD, 4, &lds, 1); /* the first that it has loaded stays */
        s.wg = 0;
        karat_freeze_use(c, &s, &f);
        assert_true(s.follows && s.follows_addr == (mem ? lds : here));
        memset(&other, 0, sizeof other);
        memset(&f, 0, sizeof f); /* no access at all */
        karat_freeze_use(c, &other, &f);
        assert_false(other.follows);
        karat_checker_destroy(c);
    }
}

static void what_is_frozen(void **state) {
    (void)state;
    karat_checker *c = begun(GIVES_ALL);
    slot *s = &c->slots[0];
    static flight f;
    memset(&f, 0, sizeof f);
    f.epoch = s->epoch + 1; /* of an owner before */
    assert_false(karat_freeze(c, s, &f, NULL));
    assert_false(karat_freeze(c, NULL, NULL, NULL));
    c->num_failed = 4;
    assert_false(karat_freeze(c, s, NULL, NULL));
    assert_true(!s->frozen && !c->num_frozen && !c->groups[s->wg].frozen);
    c->num_failed = 3;
    f.epoch--;
    s->holding = s->forced = true;
    c->num_holding = 2;
    assert_true(karat_freeze(c, s, &f, NULL));
    assert_true(s->frozen && c->num_frozen == 1 && c->groups[s->wg].frozen);
    assert_true(!s->holding && !s->forced && c->num_holding == 1);
    c->slots[1].wg = 2; /* ended, or never begun: its workgroup goes on */
    assert_true(karat_freeze(c, &c->slots[1], NULL, NULL));
    assert_true(!c->groups[2].frozen && c->num_frozen == 2 && c->num_holding == 1);
    static const struct {
        unsigned kind, sm, slot, action;
        bool taken, ends;
    } records[] = {
        {KARAT_REC_KERNEL, 0, 0, 0, true, true},
        {KARAT_REC_BYE, 0, 0, 0, true, true},
        {KARAT_REC_REGION, 0, 0, 0, false, false},
        {KARAT_REC_HOST, 0, 0, 0, false, false},
        {KARAT_REC_HELLO, 0, 0, 0, false, false},
        {KARAT_REC_CONTENTS, 0, 3, 0, true, false},
        {KARAT_REC_ISSUE, 0, 0, 0, true, false},
        {KARAT_REC_ISSUE, 0, 1, 0, true, false},
        {KARAT_REC_ISSUE, 0, 2, 0, false, false},
        {KARAT_REC_WRITE, 0, 0, 0, true, false},
        {KARAT_REC_MEM, 0, 2, 0, false, false},
        {KARAT_REC_LAUNCH, 0, 0, 0, true, false},
        {KARAT_REC_ISSUE, 1, 0, 0, false, false},
        {KARAT_REC_ISSUE, 255, 0, 0, false, false},
        {KARAT_REC_ISSUE, 0, 4, 0, false, false},
        {KARAT_REC_ISSUE, 0, 255, 0, false, false},
        {KARAT_REC_BARRIER, 0, 0, KARAT_BARRIER_ARRIVE, true, false},
        {KARAT_REC_BARRIER, 0, 2, KARAT_BARRIER_ARRIVE, false, false},
        {KARAT_REC_BARRIER, 0, 0, KARAT_BARRIER_RELEASE, false, false},
    };
    c->slots[3].frozen = false;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        record r;
        memset(&r, 0, sizeof r);
        r.h.kind = (uint8_t)records[i].kind;
        r.h.sm = (uint8_t)records[i].sm;
        r.h.slot = (uint8_t)records[i].slot;
        r.barrier.action = records[i].kind == KARAT_REC_BARRIER ? records[i].action : r.barrier.action;
        c->done = false;
        if (karat_frozen_record(c, &r) != records[i].taken || c->done != records[i].ends)
            fail_msg("%s of sm %u slot %u", karat_rec_name(r.h.kind), r.h.sm, r.h.slot);
    }
    karat_checker_destroy(c);
}

/* Lanes and register are those of the first. */
static void what_the_first_keeps(void **state) {
    (void)state;
    karat_checker *c = begun(GIVES_ALL);
    c->num_failed = 0;
    karat_fail(c, FAIL_READ, &c->slots[0], NULL, NULL, "one");
    assert_true(karat_fail_lanes(c, KARAT_CLASS_V, 7, 0xf6)); /* of four lanes */
    karat_fail(c, FAIL_CSR, &c->slots[1], NULL, NULL, "two");
    assert_true(karat_fail_lanes(c, KARAT_CLASS_X, 3, 1) && karat_fail_in(c, 8));
    const failure *x = &c->failure;
    assert_true(c->num_failed == 2 && x->kind == FAIL_READ && strcmp(x->detail, "one") == 0);
    assert_true(x->cls == KARAT_CLASS_V && x->reg == 7 && x->lanes == 6);
    karat_checker_destroy(c);
}

/* All that is kept of a further one; no more than were asked for. */
static void what_is_noted(void **state) {
    (void)state;
    karat_checker *c = begun(GIVES_ALL);
    static slot s;
    static flight f;
    memset(&s, 0, sizeof s);
    memset(&f, 0, sizeof f);
    s.sm = 3;
    s.index = 5;
    s.workgroup = 7;
    s.warp = 9;
    s.next_seq = 11;
    s.follows = true;
    s.follows_addr = 0x123456789;
    f.seq = 13;
    f.commit.pc = 0x80000010;
    f.commit.word = 0x17;
    f.commit.prefix = 0x19;
    c->cycle = 21;
    karat_note_further(c, FAIL_READ, &s, &f, "one\ntwo");
    karat_note_further(c, FAIL_CSR, &s, NULL, "three");
    karat_note_further(c, FAIL_STREAM, NULL, NULL, "four");
    karat_note_further(c, FAIL_HANG, &s, &f, "too many");
    assert_int_equal(c->num_further, 3);
    const further_failure *x = c->further;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(x[i].kind, i == 0 ? FAIL_READ : i == 1 ? FAIL_CSR : FAIL_STREAM);
        assert_int_equal(x[i].cycle, 21);
        assert_string_equal(x[i].detail, i == 0 ? "one" : i == 1 ? "three" : "four");
        assert_true(x[i].has_warp == (i < 2) && x[i].has_insn == !i && x[i].follows == (i < 2));
        assert_true(x[i].follows_addr == (i < 2 ? 0x123456789 : 0));
        assert_true(x[i].sm == (i < 2 ? 3 : 0) && x[i].slot == (i < 2 ? 5 : 0));
        assert_true(x[i].workgroup == (i < 2 ? 7 : 0) && x[i].warp == (i < 2 ? 9 : 0));
        assert_int_equal(x[i].seq, i == 0 ? 13 : i == 1 ? 11 : 0);
        assert_true(x[i].pc == (i ? 0 : 0x80000010) && x[i].word == (i ? 0 : 0x17) &&
                    x[i].prefix == (i ? 0 : 0x19));
    }
    karat_checker_destroy(c);
}

/* What may be a failure is described anew, whatever was suspected there before. */
static void what_is_suspected(void **state) {
    (void)state;
    static failure x;
    karat_checker *c = begun(GIVES_ALL);
    memset(&x, 0xff, sizeof x);
    karat_suspect(c, &x, FAIL_PROGRAM, &c->slots[0], NULL, "a race");
    assert_true(x.kind == FAIL_PROGRAM && x.has_warp && !x.has_insn && !x.has_record);
    assert_true(!x.lanes && !x.read_alike && !x.depth && x.cycle == c->cycle);
    assert_string_equal(x.detail, "a race");
    karat_checker_destroy(c);
}

int run_freeze_tests(void) {
    const struct CMUnitTest list[] = {
        cmocka_unit_test(every_warp_once),
        cmocka_unit_test(the_first_stays),
        cmocka_unit_test(behind_a_barrier),
        cmocka_unit_test(what_may_follow),
        cmocka_unit_test(the_end),
        cmocka_unit_test(cut_behind_a_failure),
        cmocka_unit_test(what_is_touched),
        cmocka_unit_test(who_follows),
        cmocka_unit_test(what_is_frozen),
        cmocka_unit_test(what_is_noted),
        cmocka_unit_test(what_the_first_keeps),
        cmocka_unit_test(what_is_suspected),
    };
    return _cmocka_run_group_tests("beyond the first failure", list, sizeof list / sizeof *list, NULL, NULL);
}
