/* Beyond the first failure: what is reported of other warps, what is not, and what may follow from the
 * first. */
#include "judge.h"

#include <string.h>

/* Four warps of two workgroups: each stores 5 to one word and loads it, meets its neighbour, and goes on.
 * (The rows are none of the prologue's.) */
static stream four_warps(void) {
    program p = begin_program("lui 20 SHARED; xori 21 0 5; sw 21 0 20; lw 26 0 20; or 27 26 26; barrier 0; "
                              "ori 28 27 64; vmv_v_i 9 3; endprg");
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

TEST(every_warp_once) {
    scoped_stream s = four_warps();
    for (uint32_t slot = 0; slot < 4; slot++) {
        spoil(&s, slot, "lw", 0);
        spoil(&s, slot, "or", 0); /* Of an excluded warp: not looked at */
    }
    for (uint32_t most = 1; most <= 6; most++) {
        scoped_outcome o = judge_all(&s, most);
        const size_t want = most > 4 ? 3 : most - 1;
        assert_int_equal(json_array_size(json_object_get(o.json, "further")), want);
        for (size_t i = 0; i < want; i++) {
            assert_string_equal(json_string_value(json_object_get(further(&o, i), "kind")),
                                "wrong value written");
            assert_string_equal(json_string_value(json_object_get(further(&o, i), "text")), "lw x26, 0(x20)");
            assert_int_equal(field(further(&o, i), "follows"), -1);
        }
        assert_int_equal(strstr(o.text, "  also      wrong value written: workgroup ") != NULL, most > 1);
    }
}

/* The first failure's report is the same, but for what comes after it. */
TEST(the_first_stays) {
    scoped_stream s = four_warps();
    const uint32_t last = nth_slot(&s, "or", 3);
    spoil(&s, nth_slot(&s, "lw", 0), "lw", 0);
    spoil(&s, last, "or", 0);
    for (uint32_t slot = 0; slot < 4; slot++) /* Of more lanes, of another register */
        s.at[of(&s, issue_of(&s, slot, "vmv_v_i", 1), KARAT_REC_WRITE, 0)].write.data[2] ^= 1;
    scoped_outcome one = judge_all(&s, 1), all = judge_all(&s, 9);
    const json_t *a = json_object_get(one.json, "failure"), *b = json_object_get(all.json, "failure");
    assert_true(json_equal(a, b));
    const size_t num = json_array_size(json_object_get(all.json, "further"));
    size_t there = 0;
    for (size_t i = 0; i < num; i++)
        there += field(further(&all, i), "slot") == last;
    assert_int_equal(num, 3); /* Each of the others */
    assert_int_equal(there, 1);
    outcome_free(&all);
}

/* That the stream ends early is a verdict where nothing has failed, and else nothing new. */
TEST(cut_behind_a_failure) {
    for (int failed = 0; failed < 2; failed++) {
        scoped_stream s = four_warps();
        if (failed)
            spoil(&s, 0, "lw", 0);
        cut(&s, nth(&s, KARAT_REC_BYE, 0));
        karat_check_config config = judge_config();
        config.max_failures = 9;
        karat_checker *c = replay(&s, &config);
        karat_checker_cut(c, "the simulator died");
        scoped_outcome o = conclude(c);
        assert_int_equal(o.verdict, failed ? KARAT_MISMATCH : KARAT_INCOMPLETE);
        assert_int_equal(json_array_size(json_object_get(o.json, "further")), 0);
    }
}

/* Nobody knows what is after a barrier that an excluded warp does not reach. */
TEST(behind_a_barrier) {
    scoped_stream s = four_warps();
    spoil(&s, 0, "lw", 0);
    const uint8_t neighbour = s.at[issue_of(&s, 0, "lw", 0)].h.slot ^ 1;
    for (uint32_t slot = 1; slot < 4; slot++)
        spoil(&s, slot, "ori", 0); /* All after theirs */
    scoped_outcome o = judge_all(&s, 9);
    assert_int_equal(json_array_size(json_object_get(o.json, "further")), 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_not_equal(field(further(&o, i), "slot"), neighbour);
    outcome_free(&o);
    /* A core that says nothing of barriers. */
    for (size_t i = s.num; i > 0; i--)
        if (s.at[i - 1].h.kind == KARAT_REC_BARRIER)
            stream_remove(&s, i - 1);
    s.at[0].hello.gives &= ~(1u << KARAT_REC_BARRIER);
    o = judge_all(&s, 9);
    assert_int_equal(json_array_size(json_object_get(o.json, "further")), 2);
}

/* A failure after a load of an excluded warp's store is reported as one that may follow; without MEM,
 * after any load. */
TEST(what_may_follow) {
    uint32_t alone = 0;
    for (int gives_mem = 0; gives_mem < 2; gives_mem++) {
        scoped_stream s = four_warps();
        const char *first_row = gives_mem ? "sw" : "xori";
        const uint32_t first = nth_slot(&s, first_row, 0), last = nth_slot(&s, "lw", 3);
        assert_int_not_equal(first, last);
        uint32_t other = 0; /* That has loaded nothing: its xori is after the first failure */
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
        scoped_outcome o = judge_all(&s, 9);
        alone += behind;
        const size_t num = json_array_size(json_object_get(o.json, "further"));
        assert_int_equal(num, 1 + behind);
        for (size_t i = 0; i < num; i++)
            assert_int_equal(field(further(&o, i), "follows"),
                             field(further(&o, i), "slot") == last ? (int64_t)SHARED : -1);
        assert_non_null(strstr(o.text, "; may follow: it has loaded 0x90003000"));
    }
    assert_int_not_equal(alone, 0);
}

/* Where it is not of a warp, there is nothing to go on with. */
TEST(the_end) {
    scoped_stream s = four_warps();
    spoil(&s, nth_slot(&s, "lw", 0), "lw", 0);
    const size_t i = issue_of(&s, ANY, "or", 3);
    record bad = s.at[i];
    bad.h.flags = 1;
    spoil(&s, bad.h.slot, "or", 0);
    stream_insert(&s, i, &bad);
    scoped_outcome o = judge_all(&s, 9);
    assert_int_equal(json_array_size(json_object_get(o.json, "further")), 1);
    assert_string_equal(json_string_value(json_object_get(further(&o, 0), "kind")), "bad record stream");
}

RUN_TESTS("excluded")
