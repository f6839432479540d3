/* Accesses of warps that nothing orders, where such races are errors. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

static outcome judge_strict(const stream *s, uint32_t strict) {
    karat_check_config config = judge_config();
    config.strict = strict;
    return conclude(replay(s, &config));
}

/* Warps 0 and 1 of a workgroup access one word, with a barrier between or not. */
TEST(races) {
    static const struct {
        const char *first, *second;
        int32_t offset;
        bool barrier, races, atomic; /* an AMO to the word comes after all that */
    } cases[] = {
        {"sw", "lw", 0, false, true, false},
        {"lw", "sw", 0, false, true, false},
        {"sw", "sw", 0, false, true, false},
        {"lw", "lw", 0, false, false, false},
        {"sw", "lw", 4, false, false, false},
        {"sw", "lw", 0, true, false, false},
        {"lw", "sw", 0, true, false, false},
        {"amoadd_w", "lw", 0, false, false, false},
        {"amoadd_w", "amoadd_w", 0, false, false, false},
        {"sw", "lw", 0, false, false, true},
        {"sw", "sw", 0, false, false, true},
    };
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        const size_t i = k / 2;
        const bool local = k % 2; /* the same in the workgroup's own memory */
        program p = begin_program("lui 20 SHARED");
        if (local)
            put(&p, "csrrs", 20, 0x806, 0);
        put(&p, "addi", 23, 20, cases[i].offset);
        put(&p, "bne", 7, 0, 8);
        if (strcmp(cases[i].first, "amoadd_w") == 0)
            put(&p, "amoadd_w", 0, 20, 20, 0);
        else
            put(&p, cases[i].first, 25, 0, 20);
        if (cases[i].barrier)
            put(&p, "barrier", 0);
        put(&p, "beq", 7, 0, 8);
        if (strcmp(cases[i].second, "amoadd_w") == 0)
            put(&p, "amoadd_w", 0, 20, 23, 0);
        else
            put(&p, cases[i].second, 26, 0, 23);
        if (cases[i].atomic)
            put(&p, "amoadd_w", 0, 20, 20, 0);
        put0(&p, "endprg");
        core_options o = core_default();
        o.workgroups = 1;
        o.kernels = i % 2 ? 2 : 1; /* the first one's end is where the second begins */
        scoped_stream s = run_program(&p, &o);
        scoped_outcome refused = judge_strict(&s, KARAT_STRICT_RACES);
        assert_int_equal(refused.verdict, KARAT_BAD_INPUT);
        assert_non_null(strstr(refused.text, "races cannot be errors"));
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED; /* as the model performs them */
        outcome plain =
            judge_strict(&s, KARAT_STRICT_REGISTERS | KARAT_STRICT_LANES | (local ? 0 : KARAT_STRICT_LDS));
        assert_int_equal(plain.verdict, KARAT_PASS);
        outcome_free(&plain);
        scoped_outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
        assert_int_equal(strict.verdict, cases[i].races ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS);
        if (cases[i].races)
            assert_non_null(strstr(strict.text, local ? "a race on byte 0x70000000: workgroup 0 warp "
                                                      : "a race on byte 0x90003000: workgroup 0 warp "));
    }
}

/* The end of a program that counts its kernels in memory: x21 has how many there were. */
static void put_count(program *p, int32_t place) {
    put_code(p, "addi 21 21 1; bne 7 0 8");
    put(p, "sw", 21, place, 20);
    put0(p, "endprg");
}

/* A kernel's releases and acquires order nothing in the next, though its warps come by fewer barriers. */
TEST(races_of_the_next_kernel) {
    enum { RUNS = 8, SHOWN = 12, AQRL = 3 };
    for (int early = 0; early < 2; early++) {
        program p = begin_program("lui 20 SHARED");
        put(&p, "lw", 21, RUNS, 20);
        if (!early)
            put(&p, "barrier", 0);
        put(&p, "beq", 21, 0, 8); /* not in the first */
        put(&p, "sw", 7, SHOWN, 20);
        put(&p, "barrier", 0);
        put(&p, "addi", 22, 0, 100); /* more of them than the first kernel's memory of one warp */
        put(&p, "amoadd_w", 0, 20, 20, AQRL);
        put_code(&p, "addi 22 22 -1; bne 22 0 -8; barrier 0");
        put_count(&p, RUNS);
        core_options o = core_default();
        o.workgroups = 1;
        o.wg_size = 3;
        for (o.kernels = 1; o.kernels <= 2; o.kernels++) {
            scoped_stream s = run_program(&p, &o);
            s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
            scoped_outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
            if (strict.verdict != (o.kernels == 2 ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS))
                fail_msg("%s\n%s", strict.line, strict.text);
            if (o.kernels == 2)
                assert_non_null(strstr(strict.text, "a race on byte 0x9000300c: workgroup 0 warp "));
        }
    }
}

/* A race of the first kernel alone is reported at its end. */
TEST(races_of_the_first_kernel) {
    enum { RUNS = 8, SHOWN = 12 };
    program p = begin_program("lui 20 SHARED");
    put(&p, "lw", 21, RUNS, 20);
    put(&p, "barrier", 0);
    put(&p, "bne", 21, 0, 8); /* only in the first */
    put(&p, "sw", 7, SHOWN, 20);
    put(&p, "barrier", 0);
    put_count(&p, RUNS);
    core_options o = core_default();
    o.workgroups = 1;
    o.wg_size = 3;
    for (o.kernels = 1; o.kernels <= 2; o.kernels++) {
        scoped_stream s = run_program(&p, &o);
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
        scoped_outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
        assert_int_equal(strict.verdict, KARAT_VERDICT_PROGRAM_ERROR);
        assert_non_null(strstr(strict.text, "a race on byte 0x9000300c: workgroup 0 warp "));
    }
}

/* The other access is shown as it was run. */
TEST(race_with_a_prefixed_store) {
    program p = begin_program("lui 20 SHARED; vadd_vx 9 2 20 1; regext 0 1 0 0; vsw12_v 1 0 9; endprg");
    core_options o = core_default();
    o.workgroups = 1;
    scoped_stream s = run_program(&p, &o);
    s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
    scoped_outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
    assert_int_equal(strict.verdict, KARAT_VERDICT_PROGRAM_ERROR);
    if (!strstr(strict.text, "vsw12.v v33, 0(v9)  {regext} accesses it too, "))
        fail_msg("%s", strict.text);
}

/* The FENCE of a warp whose slot the next one has taken releases nothing with that one's store. */
TEST(fence_of_an_earlier_warp) {
    enum { FLAG = 4, AQ = 2 };
    program p = begin_program("lui 20 SHARED");
    put(&p, "addi", 21, 20, FLAG);
    put(&p, "csrrs", 5, 0x808, 0); /* the workgroup */
    put(&p, "addi", 13, 0, 1);
    put(&p, "bne", 5, 0, 16); /* the first */
    put_code(&p, "sw 13 0 20; fence 0 3 3 0 0; endprg");
    put(&p, "bne", 5, 13, 20); /* the second, beside it and the third */
    put(&p, "amoor_w", 14, 0, 21, AQ);
    put_code(&p, "beq 14 0 -4; lw 15 0 20; endprg");
    put(&p, "sw", 13, FLAG, 20); /* the third, in the first one's place */
    put0(&p, "endprg");
    core_options o = core_default();
    o.num_warp = 2;
    o.wg_size = 1;
    o.workgroups = 3;
    scoped_stream s = run_program(&p, &o);
    s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
    scoped_outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
    assert_int_equal(strict.verdict, KARAT_VERDICT_PROGRAM_ERROR);
    assert_non_null(strstr(strict.text, "a race on byte 0x90003000: workgroup 0 warp 0 "));
}

/* Words that two warps race for by scalar accesses; of some an AMO comes after. Whether it is a race is known when the kernel has ended: the
 * first word that no atomic has used. */
typedef struct racing_words {
    uint32_t num, times,
        atomic;    /* words from SHARED on, each raced for so often; bit i: an AMO uses word i */
    uint32_t late; /* words after these that are raced for after the AMOs */
    int32_t found; /* the word at fault; -1: none */
} racing_words;

static void put_both(program *p, uint32_t word) {
    put(p, "bne", 7, 0, 8);
    put(p, "sw", 25, 4 * (int32_t)word, 20);
    put(p, "beq", 7, 0, 8);
    put(p, "lw", 26, 4 * (int32_t)word, 20);
}

TEST(races_of_words) {
    static const racing_words cases[] = {
        {1, 1, 1, 0, -1},        {2, 1, 1, 0, 1},        {2, 1, 2, 0, 0},        {3, 1, 3, 0, 2},
        {16, 1, 0xffff, 0, -1},  {16, 1, 0xffff, 1, 16}, {16, 1, 0x7fff, 1, 15}, {17, 1, 0xff, 0, 8},
        {15, 1, 0x7fff, 3, 15},  {2, 20, 1, 0, 1},       {1, 20, 1, 1, 1},       {20, 1, 0xfffff, 0, -1},
        {20, 1, 0xfffff, 1, 20},
    };
    for (size_t n = 0; n < 4 * sizeof cases / sizeof *cases; n++) {
        const size_t i = n / 4;
        const bool waits = n & 2; /* no AMO comes before the other warp's last access to these words */
        const bool local = n % 2; /* in the memory of each of two workgroups */
        const racing_words *x = &cases[i];
        program p = begin_program("lui 20 SHARED");
        if (local)
            put(&p, "csrrs", 20, 0x806, 0);
        for (uint32_t word = 0; word < x->num; word++)
            for (uint32_t k = 0; k < x->times; k++)
                put_both(&p, word);
        if (waits)
            put(&p, "barrier", 0);
        for (uint32_t word = 0; word < x->num; word++)
            if (x->atomic >> word & 1) {
                put(&p, "addi", 23, 20, 4 * (int32_t)word);
                put(&p, "amoadd_w", 0, 20, 23, 0);
            }
        for (uint32_t word = 0; word < x->late; word++)
            put_both(&p, x->num + word);
        put0(&p, "endprg");
        core_options o = core_default();
        o.workgroups = 1 + local;
        scoped_stream s = run_program(&p, &o);
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
        scoped_outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
        char text[60];
        if (local)
            snprintf(text, sizeof text, "a race on byte 0x70000%03x: ", 4 * (unsigned)x->found);
        else
            snprintf(text, sizeof text, "a race on byte 0x%08x: ", SHARED + 4 * (unsigned)x->found);
        if (strict.verdict != (x->found < 0 ? KARAT_PASS : KARAT_VERDICT_PROGRAM_ERROR) ||
            (x->found >= 0 && !strstr(strict.text, text)))
            fail_msg("case %zu: %s\n%s", i, strict.line, strict.text);
    }
}

/* A race that is reported in the end is no first failure where there was one. */
TEST(race_behind_a_failure) {
    program p = begin_program("lui 20 SHARED; addi 13 0 5");
    put_both(&p, 0);
    put0(&p, "endprg");
    core_options o = core_default();
    o.workgroups = 1;
    o.audit_percent = 0;
    scoped_stream s = run_program(&p, &o);
    s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
    for (size_t i = 0; i < s.num; i++)
        if (s.at[i].h.kind == KARAT_REC_AUDIT)
            stream_remove(&s, i--);
    s.at[s.num - 1].bye.records = 0;
    for (int wrong = 0; wrong < 2; wrong++) {
        karat_check_config config = judge_config();
        config.strict = KARAT_STRICT_RACES;
        config.keep_going = true;
        const size_t addi = issue_of(&s, 0, "addi", 0);
        assert_int_equal(s.at[addi].issue.word, p.word[p.num - 6]);
        s.at[of(&s, addi, KARAT_REC_WRITE, 0)].write.data[0] += (uint32_t)wrong;
        karat_checker *c = replay(&s, &config);
        assert_string_equal(kind_of(c), wrong ? "WRITE_VALUE" : "PROGRAM");
        assert_int_equal(num_failed(c), 1 + wrong);
        assert_int_equal(karat_checker_verdict(c), wrong ? KARAT_MISMATCH : KARAT_VERDICT_PROGRAM_ERROR);
        scoped_outcome out = conclude(c);
    }
}

RUN_TESTS("races")
