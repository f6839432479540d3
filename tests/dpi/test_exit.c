/* EXIT, and the end of a run: BYE, the word of the test bench, and too little. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

TEST(exit_unexpected_kind) {
    FIXTURE;
    size_t exit = nth(&s, KARAT_REC_EXIT, 0);
    record early = record_at(&s, exit);
    size_t issue = issue_of(&s, early.h.slot, "vmul_vv", 0);
    early.h.cycle = s.at[issue].h.cycle;
    stream_insert(&s, issue + 1, &early);
    FAILS(&s, EXIT_UNEXPECTED, &s.at[issue]);
    FIXTURE_AGAIN;
    stream_insert(&s, exit, &s.at[exit]);
    FAILS(&s, EXIT_UNEXPECTED, &s.at[issue_of(&s, early.h.slot, "endprg", 0)]);
}

TEST(exit_missing_kind) {
    FIXTURE;
    size_t exit = nth(&s, KARAT_REC_EXIT, 3);
    record at = record_at(&s, issue_of(&s, ANY, "endprg", 3));
    assert_int_equal(at.h.slot, s.at[exit].h.slot);
    stream_remove(&s, exit);
    FAILS(&s, EXIT_MISSING, &at); /* The test bench says that all is done */
    ONCE(s.at[s.num - 1].bye.reason = KARAT_BYE_CYCLE_LIMIT, INCOMPLETE, NULL);
    exit = nth(&s, KARAT_REC_EXIT, 0); /* Earlier, its slot's next LAUNCH finds it first */
    stream_remove(&s, exit);
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 0)]);
}

TEST(bench_kind) {
    FIXTURE;
    record bye = record_at(&s, s.num - 1);
    cut(&s, s.num - 1);
    karat_checker *c = replay(&s, NULL);
    assert_true(karat_checker_bench_error(c, bye.h.cycle, "assertion failed: a.sv:7"));
    assert_true(karat_checker_record(c, &bye, sizeof bye.bye)); /* The verdict stands */
    scoped_outcome o = conclude(c);
    assert_int_equal(o.verdict, KARAT_MISMATCH);
    assert_non_null(strstr(o.text, "assertion failed: a.sv:7"));
    assert_non_null(strstr(o.line, text_of_kind("BENCH")));
    c = replay(&s, NULL);
    assert_true(karat_checker_record(c, &bye, sizeof bye.bye));
    karat_checker_bench_error(c, bye.h.cycle, "too late");
    assert_int_equal(karat_checker_verdict(c), KARAT_PASS); /* A verdict that stands is not changed */
    karat_checker_destroy(c);
}

TEST(incomplete_kind) {
    FIXTURE;
    record bye = record_at(&s, s.num - 1);
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 2));
    stream_add(&s, &bye, sizeof bye);
    s.at[s.num - 1].h.cycle = s.at[s.num - 2].h.cycle; /* The second workgroup never ran */
    FAILS(&s, INCOMPLETE, NULL);
    FIXTURE_AGAIN;
    ONCE(s.at[s.num - 1].bye.reason = KARAT_BYE_ABORT, INCOMPLETE, NULL);
    size_t store =
        nth(&s, KARAT_REC_MEM, 0); /* A result that is pending where a run stops is no error of the core's */
    for (size_t i = store + 1; i < s.num; i++)
        if (s.at[i].h.kind == KARAT_REC_MEM && s.at[i].mem.op == KARAT_MEM_STORE)
            store = i;
    record owing = record_at(&s, store);
    for (size_t i = 0; i < s.num; i++)
        if (s.at[i].h.kind == KARAT_REC_ISSUE && s.at[i].h.slot == owing.h.slot &&
            s.at[i].h.epoch == owing.h.epoch && s.at[i].issue.seq == owing.mem.seq)
            owing = record_at(&s, i);
    stream_remove(&s, store);
    FAILS(&s, MEM_MISSING, &owing);
    for (uint32_t reason = KARAT_BYE_CYCLE_LIMIT; reason <= KARAT_BYE_ABORT + 1; reason++) {
        s.at[s.num - 1].bye.reason = reason;
        FAILS(&s, INCOMPLETE, NULL);
    }
    FIXTURE_AGAIN;
    ONCE(s.at[s.num - 1].bye.reason = KARAT_BYE_CYCLE_LIMIT, INCOMPLETE,
         NULL); /* Nothing is pending, and yet */
    cut(&s, 1);
    stream_add(&s, &bye, sizeof bye); /* No kernel */
    FAILS(&s, INCOMPLETE, NULL);
}

/* The test bench may object later than the last record, and earlier; and cut the stream. */
TEST(reported_by_the_bench) {
    for (int how = 0; how < 3; how++) {
        scoped_stream s = fixture();
        cut(&s, s.num / 2);
        const uint64_t last = s.at[s.num - 1].h.cycle;
        karat_checker *c = replay(&s, NULL);
        if (how == 2)
            karat_checker_cut(c, "the simulator died");
        else
            assert_true(karat_checker_bench_error(c, how ? last + 7 : last - 3, "an assertion"));
        assert_true(karat_checker_bench_error(c, 0, "too late"));
        scoped_outcome o = conclude(c);
        char found[40];
        snprintf(found, sizeof found, " cycles=%llu", (unsigned long long)(how == 1 ? last + 7 : last));
        assert_int_equal(o.verdict, how == 2 ? KARAT_INCOMPLETE : KARAT_MISMATCH);
        assert_non_null(strstr(o.text, how == 2 ? "the simulator died" : "an assertion"));
        assert_non_null(strstr(o.line, found));
    }
}

/* The bench gives up long after the last warp has ended: the core has not said that it is done. */
TEST(gives_up_late) {
    scoped_stream s = fixture();
    record *bye = &s.at[s.num - 1];
    const uint64_t last = bye->h.cycle;
    bye->bye.reason = KARAT_BYE_CYCLE_LIMIT;
    FAILS(&s, INCOMPLETE, NULL);
    bye->h.cycle = last + 2 * HANG_CYCLES;
    FAILS(&s, HANG, NULL);
    bye->bye.reason = KARAT_BYE_DONE;
    PASSES(&s);
}

/* An EXIT of a warp that has issued nothing. */
TEST(exit_at_once) {
    scoped_stream s = fixture();
    const size_t launch = nth(&s, KARAT_REC_LAUNCH, 1);
    record end = {.exit = {.h = s.at[launch].h}};
    end.h.kind = KARAT_REC_EXIT;
    stream_insert(&s, launch + 1, &end);
    SAYS(&s, EXIT_UNEXPECTED, "its last instruction is no ENDPRG");
}

/* A core that shows no result of any instruction is not right by that; one kind of record is enough for a
 * PASS, and so is a program that has no result. */
TEST(nothing_compared) {
    enum {
        RESULTS = 1 << KARAT_REC_READ | 1 << KARAT_REC_WRITE | 1 << KARAT_REC_AUDIT | 1 << KARAT_REC_SIMT |
                  1 << KARAT_REC_CSR | 1 << KARAT_REC_MEM
    };
    static const unsigned kinds[] = {KARAT_REC_READ, KARAT_REC_WRITE, KARAT_REC_MEM};
    program p = {.num = 0}, none = {.num = 0};
    put_prologue(&p);
    put_code(&p, "sw 7 0 10; lw 13 0 10; endprg");
    put0(&none, "endprg");
    core_options o = core_default();
    o.gives &= ~(uint32_t)RESULTS;
    o.audit_percent = 0;
    o.regs = KARAT_REGS_CLEARED;
    stream s = run_program(&p, &o);
    FAILS(&s, NOTHING, NULL);
    SAYS(&s, NOTHING, "there are only their pcs, words and masks");
    stream_free(&s);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        core_options more = o;
        more.gives |= 1u << kinds[i];
        s = run_program(&p, &more);
        PASSES(&s);
        stream_free(&s);
    }
    s = run_program(&none, &o);
    PASSES(&s);
    stream_free(&s);
}

/* The report says what the machine did last: of a PASS, the end of a warp. */
TEST(last_of_all) {
    scoped_stream s = fixture();
    const record *end = &s.at[s.num - 1];
    while (end->h.kind != KARAT_REC_EXIT)
        end--;
    for (int hangs = 0; hangs < 2; hangs++) {
        if (hangs) { /* The warp that was to end last issues no ENDPRG */
            const size_t issue = issue_of(&s, end->h.slot, "endprg", 0);
            cut(&s, issue);
        }
        scoped_checker *c = replay(&s, NULL);
        if (hangs)
            karat_checker_tick(c, s.at[s.num - 1].h.cycle + 2 * HANG_CYCLES);
        assert_int_equal(karat_checker_verdict(c), hangs ? KARAT_HANG : KARAT_PASS);
        json_t *report = json_of(c);
        const json_t *last = json_object_get(report, "last");
        const uint64_t cycle = (uint64_t)json_integer_value(json_object_get(last, "cycle"));
        const char *text = json_string_value(json_object_get(last, "text"));
        assert_non_null(text);
        if (hangs) {
            assert_true(cycle <= s.at[s.num - 1].h.cycle && cycle + HANG_CYCLES > s.at[s.num - 1].h.cycle);
        } else {
            assert_int_equal(cycle, end->h.cycle);
            assert_int_equal(json_integer_value(json_object_get(last, "slot")), end->h.slot);
            assert_true(json_is_true(json_object_get(last, "ended")) && strstr(text, "endprg"));
        }
        json_decref(report);
    }
}

RUN_TESTS("exit")
