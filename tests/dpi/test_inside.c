/* The checker's own functions, one at a time.
 *
 * Private things of the checker that are used here:
 *
 *   functions: karat_check_record(), karat_define(), karat_lose(), karat_register(), karat_unknown_lanes(); karat_describe_further(),
 *     karat_note_further(), karat_note_defect(), karat_suspect(), karat_fail(); karat_freeze(), karat_freeze_use(), karat_frozen_record();
 *     karat_flight_debt(), _find(), _owes(), _recent(); karat_tell_result(), karat_within_bound()
 *   of karat_checker: config, counts, cycle, defects, defects_lost, done, failure, further, groups, hello, num_defects, num_failed,
 *     num_frozen, num_further, num_holding, num_mismatches, slots, unjudged
 *   types and sizes: defect, failure, fault, flight, further_failure, group, register_state, slot; NUM_DEFECT, NUM_HISTORY, NUM_SETTLED */
#include "inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- One function at a time: a checker of four slots, whose first is live --- */

static karat_checker *begun(uint32_t gives) {
    core_options o = core_default();
    stream s = run_fixture(&o);
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
TEST(what_is_touched) {
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
TEST(who_follows) {
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

TEST(what_is_frozen) {
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
TEST(what_the_first_keeps) {
    karat_checker *c = begun(GIVES_ALL);
    c->num_failed = 0;
    assert_int_equal(karat_fail(c,
                                FAULT(FAIL_READ, &c->slots[0], NULL, NULL, .lanes = 0xf6 /* of four */,
                                      .cls = KARAT_CLASS_V, .reg = 7),
                                "one"),
                     STOPS);
    assert_int_equal(karat_fail(c, FAULT(FAIL_CSR, &c->slots[1], NULL, NULL, .lanes = 1, .reg = 3), "two"),
                     STOPS);
    const failure *x = &c->failure;
    assert_true(c->num_failed == 2 && x->kind == FAIL_READ && strcmp(x->detail, "one") == 0);
    assert_true(x->cls == KARAT_CLASS_V && x->reg == 7 && x->lanes == 6);
    karat_checker_destroy(c);
}

/* All that is kept of a further one; no more than were asked for. */
TEST(what_is_noted) {
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
    karat_note_further(c, FAULT(FAIL_READ, &s, &f), "one\ntwo");
    karat_note_further(c, FAULT(FAIL_CSR, &s), "three");
    karat_note_further(c, FAULT(FAIL_STREAM), "four");
    karat_note_further(c, FAULT(FAIL_HANG, &s, &f), "too many");
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

/* A suspected failure is described from scratch, whatever was suspected there before. */
TEST(what_is_suspected) {
    static failure x;
    karat_checker *c = begun(GIVES_ALL);
    memset(&x, 0xff, sizeof x);
    karat_suspect(c, &x, FAIL_PROGRAM, &c->slots[0], NULL, "a race");
    assert_true(x.kind == FAIL_PROGRAM && x.has_warp && !x.has_insn && !x.has_record);
    assert_true(!x.lanes && !x.read_alike && !x.depth && x.cycle == c->cycle);
    assert_string_equal(x.detail, "a race");
    karat_checker_destroy(c);
}

/* Entries without room are counted. */
TEST(more_than_are_kept) {
    karat_check_config config = judge_config();
    config.keep_going = true;
    karat_checker *c = karat_checker_create(&config);
    c->hello.num_thread = 4;
    flight f = {.commit = {.row = karat_find_row("fence"), .mask_before = 1}};
    for (uint32_t i = 0; i < NUM_DEFECT + 5; i++) {
        f.commit.row = (int)(i / 4);
        karat_note_defect(c, FAULT((failure_kind)(FAIL_READ + i % 4), NULL, &f), "detail");
    }
    assert_int_equal(c->num_defects, NUM_DEFECT < 4 * karat_num_rows() ? NUM_DEFECT : 4 * karat_num_rows());
    assert_int_equal(c->num_mismatches, NUM_DEFECT + 5);
    assert_int_equal(c->defects_lost, 5);
    f.commit.row = 0;
    karat_note_defect(c, FAULT(FAIL_READ, NULL, &f), "detail");
    assert_int_equal(c->defects[0].count, 2);
    assert_int_equal(c->defects_lost, 5);
    karat_checker_destroy(c);
}

/* Where no lane is known to differ the first active one counts, or lane 0 of none; an instruction that is none has no operands. What is after the
 * last of the list is not of it. */
TEST(noted_one_by_one) {
    static flight f;
    static const struct {
        const char *row; /* NULL: none */
        uint32_t kept, active;
        const char *operands;
    } cases[] = {{"vadd_vv", 0, 0xc, "positive"}, {"vadd_vv", 0, 0x9, "zero"},     {"vadd_vv", 0, 0, "zero"},
                 {"vadd_vv", 2, 0xf, "negative"}, {"vadd_vv", 8, 0xf, "smallest"}, {NULL, 2, 0xf, ""}};
    core_options o = core_default();
    scoped_stream s = run_fixture(&o);
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 0) + 1);
    karat_check_config config = judge_config();
    config.keep_going = true;
    karat_checker *c = replay(&s, &config);
    static const uint32_t values[KARAT_MAX_THREAD] = {0, UINT32_MAX, 5, 1u << 31};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f.commit.row = cases[i].row ? karat_find_row(cases[i].row) : KARAT_NO_ROW;
        f.commit.mask_before = cases[i].active;
        f.commit.num_reads = 1;
        f.commit.read[0] = (karat_reg_read){.source = 1, .cls = KARAT_CLASS_V, .reg = 1, .value = values};
        const failure_kind kind = (failure_kind)(FAIL_READ + i); /* each another */
        karat_describe_further(c, &c->defects[i].first, FAULT(kind, &c->slots[0], &f), "another");
        c->defects[i].signature.row = f.commit.row;
        c->defects[i].signature.lanes = "";
        strcpy(c->defects[i].signature.operands, cases[i].operands);
        karat_note_defect(c, FAULT(kind, &c->slots[0], &f, NULL, .lanes = cases[i].kept, .may_go_on = true),
                          "this");
        assert_int_equal(c->num_defects, i + 1);
        assert_int_equal(c->defects[i].count, 1);
        assert_string_equal(c->defects[i].first.detail, "this");
        assert_string_equal(c->defects[i].signature.operands, cases[i].operands);
    }
    /* Nothing is taken from the core any more where all is over. */
    c->num_failed = 2;
    const fault *x = FAULT(FAIL_WRITE_VALUE, &c->slots[0], &f, NULL, .may_go_on = true);
    assert_int_equal(karat_fail(c, x, "one more"), GOES_ON);
    c->done = true;
    assert_int_equal(karat_fail(c, x, "none"), STOPS);
    karat_checker_destroy(c);
}

/* Of which lanes of which register a READ may report a result: those that the youngest instruction in flight writes there, that
 * only approximates, within its bound, once. */
TEST(what_a_read_may_tell) {
    program p = begin_program("vfcvt_f_x_v 8 1 1; vmseq_vi 0 1 2 1; vfexp_v 9 8 1");
    put(&p, "vadd_vi", 9, 1, 3, 0); /* lane 2 */
    put_code(&p, "vadd_vi 10 1 3 1; endprg");
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    scoped_stream s = run_program(&p, &o);
    const size_t exp = issue_of(&s, ANY, "vfexp_v", 0), write = of(&s, exp, KARAT_REC_WRITE, 0);
    const karat_rec_write result = s.at[write].write;
    const size_t end = issue_of(&s, ANY, "vadd_vi", 1) + 1;
    cut(&s, end);
    stream_remove(&s, of(&s, issue_of(&s, ANY, "vadd_vi", 0), KARAT_REC_WRITE, 0));
    stream_remove(&s, write);
    for (int by = -3; by <= 3; by++) {
        karat_check_config config = bounded_config();
        karat_checker *c = replay(&s, &config);
        slot *slot = &c->slots[s.at[exp].h.slot];
        uint32_t value[KARAT_MAX_THREAD];
        for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
            value[i] = result.data[i % 4] + (uint32_t)by;
        const uint32_t good = by >= -2 && by <= 2 ? 0xb : 0;
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_V, 9, 0, value), 0);
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_V, 8, 0xf, value), 0);
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_V, 10, 0xf, value), 0);
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_V, 11, 0xf, value), 0);
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_X, 9, 1, value), 0);
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_V, 9, 4, value), 0);
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_V, 9, 6, value), good & 6);
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_V, 9, 0xf, value), good & 9);
        assert_int_equal(karat_tell_result(c, slot, KARAT_CLASS_V, 9, 0xf, value), 0);
        const flight *f = karat_flight_find(slot, slot->epoch, s.at[exp].issue.seq);
        assert_int_equal(f->approximated, good && by);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(f->commit.write[0].value[i],
                             result.data[i] + (good >> i & 1 ? (uint32_t)by : 0));
        karat_checker_destroy(c);
    }
}

/* --- Stores of what no record has reported that are under way, made by hand --- */

static uint32_t bits(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

TEST(distances) {
    static const struct {
        uint32_t core, model, ulp;
        bool within;
    } cases[] = {
        {0x7f800000, 0x7f7fffff, 1, true},
        {0x7f800000, 0x7f7ffffe, 1, false}, /* infinity, the largest number */
        {0x7fc00000, 0x7f800000, 9, false},
        {0x7f800000, 0x7fc00000, 9, false}, /* NaN */
        {0x7f800000, 0x7f800001, 9, false},
        {0x7fc00001, 0x7fc00000, 9, false},
        {0x7f800001, 0x7f800000, 9, false},
        {0x00000001, 0x00000000, 1, true},
        {0x80000000, 0x00000000, 1, true}, /* about 0 */
        {0x80000001, 0x00000000, 1, false},
        {0x80000001, 0x00000000, 2, true},
        {0x00800000, 0x007fffff, 1, true},
        {0x00000000, 0xff800000, 65536, false},
        {0xbf800001, 0xbf800000, 1, true},
        {0xbf7fffff, 0xbf800000, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t core[KARAT_MAX_THREAD] = {0}, model[KARAT_MAX_THREAD] = {0};
        core[31] = cases[i].core, model[31] = cases[i].model;
        assert_int_equal(karat_within_bound(core, model, 1u << 31, cases[i].ulp),
                         cases[i].within ? 1u << 31 : 0);
    }
    uint32_t core[KARAT_MAX_THREAD], model[KARAT_MAX_THREAD];
    for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
        model[i] = bits(1.0f + (float)i), core[i] = model[i] + i;
    assert_int_equal(karat_within_bound(core, model, 0xfffffff5, 4), 0x15);
}

/* Each register has a state of its own. */
TEST(states_of_registers) {
    static slot s;
    for (unsigned i = 0; i < KARAT_NUM_X + KARAT_NUM_V; i++) {
        register_state *r = karat_register(&s, i < KARAT_NUM_X ? KARAT_CLASS_X : KARAT_CLASS_V,
                                           i < KARAT_NUM_X ? i : i - KARAT_NUM_X);
        assert_true(r >= s.regs && r < s.regs + KARAT_NUM_X + KARAT_NUM_V && !r->landed);
        r->landed = true;
    }
}

/* Flights that are remembered are of one owner of the slot. */
TEST(flights_of_an_epoch) {
    static slot s;
    static flight f[3];
    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < 3; i++) {
        f[i].epoch = i;
        f[i].seq = 5;
    }
    s.oldest = &f[1];
    s.settled[NUM_SETTLED - 1] = &f[0];
    for (uint32_t epoch = 0; epoch < 3; epoch++) {
        assert_true(karat_flight_find(&s, epoch, 5) == (epoch == 1 ? &f[1] : NULL));
        assert_true(karat_flight_recent(&s, epoch, 5) == (epoch < 2 ? &f[epoch] : NULL));
        assert_null(karat_flight_recent(&s, epoch, 4));
    }
}

/* A result that could not be judged is no PASS. */
TEST(not_judged) {
    scoped_stream s = fixture();
    const record bye = s.at[s.num - 1];
    cut(&s, s.num - 1);
    karat_checker *c = replay(&s, NULL);
    c->counts.unjudged = 2;
    snprintf(c->unjudged, sizeof c->unjudged, "a test");
    assert_true(karat_check_record(c, &bye));
    scoped_outcome o = conclude(c);
    assert_int_equal(o.verdict, KARAT_INCOMPLETE);
    assert_non_null(strstr(o.text, "2 results could not be judged, the first of a test\n"));
}

/* Each kind of debt has its kind of failure and its words. */
TEST(each_debt) {
    static flight f;
    char text[160];
#define OWES(set, kind, words)                                                                               \
    do {                                                                                                     \
        memset(&f, 0, sizeof f);                                                                             \
        assert_false(karat_flight_owes(&f));                                                                 \
        set;                                                                                                 \
        assert_true(karat_flight_owes(&f));                                                                  \
        assert_int_equal(karat_flight_debt(&f, text, sizeof text), FAIL_##kind);                             \
        assert_string_equal(text, words);                                                                    \
    } while (0)
    OWES(f.owes_simt = true, SIMT_MISSING, "its SIMT outcome");
    OWES((f.owes_csr = true, f.commit.csr = 0x80b), CSR_MISSING, "its write of CSR print");
    OWES(f.owes_arrive = true, BARRIER_MISSING, "its arrival at the barrier");
    OWES(f.owes_exit = true, EXIT_MISSING, "the end of the warp (EXIT)");
    OWES((f.commit.num_writes = 2, f.owes_write[1] = 6,
          f.commit.write[1] = (karat_reg_write){.cls = KARAT_CLASS_V, .reg = 77}),
         WRITE_MISSING, "the write of v77, lanes 00000006");
    OWES((f.commit.num_writes = 1, f.owes_write[0] = 1,
          f.commit.write[0] = (karat_reg_write){.cls = KARAT_CLASS_X, .reg = 63}),
         WRITE_MISSING, "the write of x63, lanes 00000001");
    OWES((f.commit.mem.num = 3, f.mem_bytes = 6, f.mem_left[1] = 15, f.mem_left[2] = 3,
          f.commit.mem.access[1] = (karat_access){.lane = 4, .addr = 0x90000010},
          f.commit.mem.access[2] = (karat_access){.lane = 9, .addr = 0x90000020}),
         MEM_MISSING, "6 bytes of its memory accesses, lanes 00000210, first lane 4 at 0x90000010");
}

/* --- The registers that a word names --- */

static void check_sources(const karat_commit *m) {
    karat_source sources[KARAT_MAX_SOURCE];
    uint32_t num = karat_sources(KARAT_V202, 0, m->prefix, m->word, sources), found = 0;
    for (uint32_t i = 0; i < m->num_reads; i++) {
        if (m->read[i].part)
            continue;
        if (found == num || sources[found].source != m->read[i].source ||
            sources[found].cls != m->read[i].cls || sources[found].reg != m->read[i].reg)
            fail_msg("%08" PRIx32 " behind %08" PRIx32 ": source %u", m->word, m->prefix, found);
        found++;
    }
    if (found != num)
        fail_msg("%08" PRIx32 " behind %08" PRIx32 ": %u sources, of which the step reads %u", m->word,
                 m->prefix, num, found);
}

/* They are those that a step reads, in that order. */
TEST(sources_are_what_is_read) {
    uint32_t prefixed = 0, steps = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        core_options o = core_default();
        o.seed = seed;
        rng r = {seed};
        program p = {.num = 0};
        put_everything(&p, &r, 14, true);
        scoped_stream s = run_program(&p, &o);
        karat_check_config config = judge_config();
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i < s.num; i++) {
            karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
            if (s.at[i].h.kind != KARAT_REC_ISSUE)
                continue;
            const flight *f = c->slots[s.at[i].h.sm * c->hello.num_warp + s.at[i].h.slot].youngest;
            check_sources(&f->commit);
            prefixed += f->commit.prefix != 0;
            steps++;
        }
        assert_int_equal(karat_checker_verdict(c), KARAT_PASS);
        karat_checker_destroy(c);
    }
    assert_true(steps > 5000 && prefixed > 100);
}

/* That an operand was read as it is, is remembered as long as its instruction is. */
TEST(late_reads_of_the_past) {
    program p = begin_program("addi 13 7 77");
    for (uint32_t i = 0; i < NUM_HISTORY + 3; i++)
        put(&p, "addi", 14, 6, 1);
    put0(&p, "endprg");
    core_options o = one_warp_options();
    o.audit_percent = 0;
    for (uint32_t behind = NUM_HISTORY - 2; behind <= NUM_HISTORY; behind++) {
        scoped_stream s = run_program(&p, &o);
        size_t first = 0;
        while (s.at[first].h.kind != KARAT_REC_ISSUE ||
               s.at[first].issue.pc != CODE_BASE + 4 * (p.num - NUM_HISTORY - 5))
            first++;
        const uint32_t seq = s.at[first].issue.seq;
        size_t last = first;
        for (uint32_t n = 0; n < behind; n++)
            last = after(&s, last, KARAT_REC_ISSUE);
        move(&s, of(&s, first, KARAT_REC_WRITE, 0), last + 1);
        move(&s, of(&s, first, KARAT_REC_READ, 0), last--);
        karat_check_config config = judge_config();
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i < last; i++)
            assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
        const slot *slot = &c->slots[0];
        assert_int_equal(slot->num_history, seq + behind + 1);
        assert_int_equal(s.at[last - 1].h.kind, KARAT_REC_ISSUE);
        assert_int_equal(slot->history[seq % NUM_HISTORY].read_alike, 0);
        assert_false(karat_checker_record(c, &s.at[last], karat_rec_size(s.at[last].h.kind)));
        assert_int_equal(slot->history[seq % NUM_HISTORY].read_alike, behind < NUM_HISTORY);
        karat_checker_destroy(c);
    }
}

/* The second register of a group, too, is a younger instruction's. */
TEST(result_below_a_group) {
    program p = begin_program("vfcvt_f_x_v 12 1 1; vfexp_v 9 12 1; vsetvli 13 0 0xd1");
    put(&p, "vadd_vv", 8, 14, 14, 1); /* v8 and v9 */
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    o.audit_percent = 0;
    for (int group = 0; group < 2; group++) {
        scoped_stream s = run_program(&p, &o);
        const size_t exp = issue_of(&s, ANY, "vfexp_v", 0);
        const record write = s.at[of(&s, exp, KARAT_REC_WRITE, 0)];
        cut(&s, issue_of(&s, ANY, "vadd_vv", 0) + group);
        stream_remove(&s, of(&s, exp, KARAT_REC_WRITE, 0));
        karat_check_config config = bounded_config();
        karat_checker *c = replay(&s, &config);
        assert_false(is_done(c));
        assert_int_equal(
            karat_tell_result(c, &c->slots[s.at[exp].h.slot], KARAT_CLASS_V, 9, 0xf, write.write.data),
            group ? 0 : 0xf);
        karat_checker_destroy(c);
    }
}

/* A scalar result of a vector depends on all lanes of it: on the last one, which alone was never written. */
TEST(scalar_of_one_lane) {
    program p = unwritten_program();
    put_code(&p, "vsetivli 0 3 0xd0; vmv_v_i 20 5; vsetvli 12 0 0xd0; vmv_x_s 13 20; addi 14 13 1; endprg");
    core_options o = undefined_options();
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT);
    scoped_stream s = run_program(&p, &o);
    scoped_outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "undefined"), 1);
    assert_int_equal(count_of(&out, "adopted"), 1);
    const record *result = &s.at[of(&s, issue_of(&s, 0, "vmv_x_s", 0), KARAT_REC_WRITE, 0)];
    for (int told = 0; told < 2;
         told++) { /* x13 is not known, nor written, until its WRITE says what it is */
        karat_checker *c = karat_checker_create(&(karat_check_config){.model = judge_config().model});
        assert_non_null(c);
        for (const record *r = s.at; r < result + told; r++)
            assert_false(feed(c, r));
        assert_int_equal(karat_register(&c->slots[0], KARAT_CLASS_X, 13)->is.unwritten & 1, !told);
        karat_checker_destroy(c);
    }
}

/* Lanes whose write was given up are lost until they are written again. */
TEST(lost_until_written) {
    program p = unwritten_program();
    put(&p, "vmseq_vi", 0, 1, 2, 1);
    put(&p, "vadd_vv", 22, 1, 1, 0); /* lane 2 */
    put_code(&p, "vadd_vv 22 1 1 1; endprg");
    core_options o = undefined_options();
    scoped_stream s = run_program(&p, &o);
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    const size_t first = issue_of(&s, 0, "vadd_vv", 0), second = issue_of(&s, 0, "vadd_vv", 1);
    for (size_t i = 0; i <= second; i++) {
        if (i == first) {
            karat_define(&c->slots[0], KARAT_CLASS_V, 22,
                         0xf); /* else nothing is known of it before, either */
            karat_lose(&karat_register(&c->slots[0], KARAT_CLASS_V, 22)->is, 0xe);
        }
        assert_false(feed(c, &s.at[i]));
        if (i >= first)
            assert_int_equal(karat_unknown_lanes(c, &c->slots[0], KARAT_CLASS_V, 22), i < second ? 0xa : 0);
    }
    karat_checker_destroy(c);
}

RUN_TESTS("inside")
