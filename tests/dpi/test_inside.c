/* The checker's own functions, one at a time.
 *
 * Private things of the checker that are used here:
 *
 *   functions: karat_describe_further(), karat_note_defect(), karat_fail(); karat_exclude_warp(),
 *     karat_note_excluded_use(); karat_flight_find();
 *     karat_take_early_result(), karat_within_bound()
 *   of karat_checker: config, counts, defects, defects_lost, done, hello, num_defects, num_failed,
 *     num_mismatches, slots
 *   types and sizes: fault, flight, group, slot; NUM_DEFECT */
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
    karat_note_excluded_use(c, &s, &f);
    *at = s.follows_addr;
    return s.follows;
}

/* A load or an atomic of local memory follows where its workgroup is excluded; without MEM, any does. */
TEST(who_follows) {
    static slot s, other;
    static flight f;
    for (int mem = 0; mem < 2; mem++) {
        scoped_checker *c = begun(mem ? GIVES_ALL : GIVES_ALL & ~(1u << KARAT_REC_MEM));
        const uint64_t lds = c->config.model.lds_base, size = c->config.model.lds_size;
        const uint64_t last = lds + size - 4, behind = lds + size;
        uint64_t at;
        assert_true(karat_exclude_warp(c, &c->slots[0], NULL, NULL));
        assert_true(follows(c, &lds, 1, &at) &&
                    follows(c, &last, 1, &at)); /* Of group 0, which is excluded */
        assert_int_equal(follows(c, &behind, 1, &at), !mem);
        memset(&s, 0, sizeof s);
        s.wg = 1;
        set_accesses(&f, KARAT_LOAD, 4, &last, 1);
        karat_note_excluded_use(c, &s, &f);
        assert_false(s.follows);
        static const uint64_t here = 0x90000100;
        set_accesses(&f, KARAT_STORE, 4, &here, 1);
        karat_note_excluded_use(c, &s, &f);
        assert_false(s.follows);
        set_accesses(&f, KARAT_AMO, 4, &here, 1);
        karat_note_excluded_use(c, &s, &f);
        assert_int_equal(s.follows, !mem);
        set_accesses(&f, KARAT_LOAD, 4, &lds, 1); /* The first that it has loaded stays */
        s.wg = 0;
        karat_note_excluded_use(c, &s, &f);
        assert_true(s.follows && s.follows_addr == (mem ? lds : here));
        memset(&other, 0, sizeof other);
        memset(&f, 0, sizeof f); /* No access at all */
        karat_note_excluded_use(c, &other, &f);
        assert_false(other.follows);
    }
}

/* Entries without room are counted. */
TEST(more_than_are_kept) {
    karat_check_config config = judge_config();
    config.keep_going = true;
    scoped_checker *c = karat_checker_create(&config);
    c->hello.num_thread = 4;
    flight f = {.commit = {.row = karat_find_row("fence"), .mask_before = 1}};
    for (uint32_t i = 0; i < NUM_DEFECT + 5; i++) {
        f.commit.row = (int)(i / 4);
        karat_note_defect(c, BLAME((failure_kind)(FAIL_READ + i % 4), NULL, &f), "detail");
    }
    assert_int_equal(c->num_defects, NUM_DEFECT < 4 * karat_num_rows() ? NUM_DEFECT : 4 * karat_num_rows());
    assert_int_equal(c->num_mismatches, NUM_DEFECT + 5);
    assert_int_equal(c->defects_lost, 5);
    f.commit.row = 0;
    karat_note_defect(c, BLAME(FAIL_READ, NULL, &f), "detail");
    assert_int_equal(c->defects[0].count, 2);
    assert_int_equal(c->defects_lost, 5);
}

/* Of which lanes of which register a READ may report a result: those that the youngest instruction in
 * flight writes there, that only approximates, within its bound, once. */
TEST(what_a_read_may_tell) {
    program p = begin_program("vfcvt_f_x_v 8 1 1; vmseq_vi 0 1 2 1; vfexp_v 9 8 1");
    put(&p, "vadd_vi", 9, 1, 3, 0); /* Lane 2 */
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
        scoped_checker *c = replay(&s, &config);
        slot *slot = &c->slots[s.at[exp].h.slot];
        uint32_t value[KARAT_MAX_THREAD];
        for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
            value[i] = result.data[i % 4] + (uint32_t)by;
        const uint32_t good = by >= -2 && by <= 2 ? 0xb : 0;
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_V, 9, 0, value), 0);
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_V, 8, 0xf, value), 0);
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_V, 10, 0xf, value), 0);
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_V, 11, 0xf, value), 0);
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_X, 9, 1, value), 0);
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_V, 9, 4, value), 0);
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_V, 9, 6, value), good & 6);
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_V, 9, 0xf, value), good & 9);
        assert_int_equal(karat_take_early_result(c, slot, KARAT_CLASS_V, 9, 0xf, value), 0);
        const flight *f = karat_flight_find(slot, slot->epoch, s.at[exp].issue.seq);
        assert_int_equal(f->approximated, good && by);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(f->commit.write[0].value[i],
                             result.data[i] + (good >> i & 1 ? (uint32_t)by : 0));
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
        {0x7f800000, 0x7f7ffffe, 1, false}, /* Infinity, the largest number */
        {0x7fc00000, 0x7f800000, 9, false},
        {0x7f800000, 0x7fc00000, 9, false}, /* NaN */
        {0x7f800000, 0x7f800001, 9, false},
        {0x7fc00001, 0x7fc00000, 9, false},
        {0x7f800001, 0x7f800000, 9, false},
        {0x00000001, 0x00000000, 1, true},
        {0x80000000, 0x00000000, 1, true}, /* About 0 */
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
        assert_int_equal(karat_within_bound(core, model, 1u << 31, cases[i].ulp, KARAT_NO_HALVES),
                         cases[i].within ? 1u << 31 : 0);
    }
    uint32_t core[KARAT_MAX_THREAD], model[KARAT_MAX_THREAD];
    for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
        model[i] = bits(1.0f + (float)i), core[i] = model[i] + i;
    assert_int_equal(karat_within_bound(core, model, 0xfffffff5, 4, KARAT_NO_HALVES), 0x15);
}

RUN_TESTS("inside")
