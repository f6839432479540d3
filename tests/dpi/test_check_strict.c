/* What is undefined and only counted, unless it is an error by policy. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

#define SHARED (DATA_BASE + 0x3000) /* in x20 */

static outcome judge_strict(const stream *s, uint32_t strict) {
    karat_check_config config = judge_config();
    config.strict = strict;
    return conclude(replay(s, &config));
}

/* A PASS that counts, but for that policy: PROGRAM ERROR at the row, with that text. */
static void strict_only(const stream *s, uint32_t policy, const char *count, const char *row,
                        const char *text) {
    for (uint32_t strict = 0; strict < 16; strict++) {
        if (strict & KARAT_STRICT_RACES && policy != KARAT_STRICT_RACES)
            continue; /* these cores do not give MEM's order */
        outcome o = judge_strict(s, strict);
        if (strict & policy) {
            assert_int_equal(o.verdict, KARAT_VERDICT_PROGRAM_ERROR);
            assert_non_null(strstr(o.text, text));
            assert_non_null(strstr(o.line, karat_failure_name(FAIL_PROGRAM)));
            assert_non_null(strstr(o.text, row));
        } else {
            assert_int_equal(o.verdict, KARAT_PASS);
            if (count)
                assert_int_not_equal(count_of(&o, count), 0);
        }
        outcome_free(&o);
    }
}

static void registers(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "or", 27, 30, 0);
    put0(&p, "endprg");
    core_options o = core_default();
    o.regs = KARAT_REGS_UNKNOWN;
    stream s = run_program(&p, &o);
    strict_only(&s, KARAT_STRICT_REGISTERS, "undefined", "or x27, x30, x0",
                "it reads x30, which the warp never wrote");
    stream_free(&s);
}

static void lanes(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vid_v", 9, 1);
    put(&p, "vmv_x_s", 27, 9);
    put0(&p, "endprg");
    core_options o = core_default();
    stream s = run_program(&p, &o);
    strict_only(&s, KARAT_STRICT_LANES, "lanes_differ", "vmv.x.s x27, v9",
                "lanes of the register that it moves differ");
    stream_free(&s);
}

static void lds(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lw", 27, 64, 11);
    put0(&p, "endprg");
    core_options o = core_default();
    stream s = run_program(&p, &o);
    strict_only(&s, KARAT_STRICT_LDS, "lds_unwritten", "lw x27, 64(x11)",
                "local memory that nothing has written");
    stream_free(&s);
}

/* Warps 0 and 1 of a workgroup access one word, with a barrier between or not. */
static void races(void **state) {
    (void)state;
    static const struct {
        const char *first, *second;
        int32_t offset;
        bool barrier, races, atomic; /* an AMO to the word comes behind all that */
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
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "lui", 20, (int32_t)(SHARED >> 12));
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
        stream s = run_program(&p, &o);
        outcome refused = judge_strict(&s, KARAT_STRICT_RACES);
        assert_int_equal(refused.verdict, KARAT_BAD_INPUT);
        assert_non_null(strstr(refused.text, "races cannot be errors"));
        outcome_free(&refused);
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED; /* as the model performs them */
        outcome plain =
            judge_strict(&s, KARAT_STRICT_REGISTERS | KARAT_STRICT_LANES | (local ? 0 : KARAT_STRICT_LDS));
        assert_int_equal(plain.verdict, KARAT_PASS);
        outcome_free(&plain);
        outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
        assert_int_equal(strict.verdict, cases[i].races ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS);
        if (cases[i].races)
            assert_non_null(strstr(strict.text, local ? "a race on byte 0x70000000: workgroup 0 warp "
                                                      : "a race on byte 0x90003000: workgroup 0 warp "));
        outcome_free(&strict);
        stream_free(&s);
    }
}

/* As many accesses as an instruction can have, and another warp's to what the last of them accesses, or just behind it. */
static void races_of_many(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 8; k++) {
        const int32_t at = k & 1 ? 252 : 256;
        const bool group_first = k & 2, stores = k & 4;
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "lui", 20, (int32_t)(SHARED >> 12));
        put(&p, "vsetvli", 13, 0, 0xd1);
        for (uint32_t warp = 0; warp < 2; warp++) {
            put(&p, warp == 0 ? "bne" : "beq", 7, 0, 8);
            if ((warp == 0) != group_first)
                put(&p, stores ? "lw" : "sw", 14, at, 20);
            else if (stores)
                put(&p, "vse32_v", 20, 20, 1);
            else
                put(&p, "vle32_v", 20, 20, 1);
        }
        put0(&p, "endprg");
        core_options o = core_default();
        o.workgroups = 1;
        o.num_thread = 32;
        stream s = run_program(&p, &o);
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
        outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
        if (strict.verdict != (k & 1 ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS))
            fail_msg("%u: %s\n%s", k, strict.line, strict.text);
        outcome_free(&strict);
        stream_free(&s);
    }
}

/* What a kernel's releases and acquires have ordered orders nothing in the next, though its warps come by fewer barriers. */
static void races_of_the_next_kernel(void **state) {
    (void)state;
    enum { RUNS = 8, SHOWN = 12, AQRL = 3 };
    for (int early = 0; early < 2; early++) {
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "lui", 20, (int32_t)(SHARED >> 12));
        put(&p, "lw", 21, RUNS, 20);
        if (!early)
            put(&p, "barrier", 0);
        put(&p, "beq", 21, 0, 8); /* not in the first */
        put(&p, "sw", 7, SHOWN, 20);
        put(&p, "barrier", 0);
        put(&p, "addi", 22, 0, 100); /* more of them than the first kernel's memory of one warp */
        put(&p, "amoadd_w", 0, 20, 20, AQRL);
        put(&p, "addi", 22, 22, -1);
        put(&p, "bne", 22, 0, -8);
        put(&p, "barrier", 0);
        put(&p, "addi", 21, 21, 1);
        put(&p, "bne", 7, 0, 8);
        put(&p, "sw", 21, RUNS, 20);
        put0(&p, "endprg");
        core_options o = core_default();
        o.workgroups = 1;
        o.wg_size = 3;
        for (o.kernels = 1; o.kernels <= 2; o.kernels++) {
            stream s = run_program(&p, &o);
            s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
            outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
            if (strict.verdict != (o.kernels == 2 ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS))
                fail_msg("%s\n%s", strict.line, strict.text);
            if (o.kernels == 2)
                assert_non_null(strstr(strict.text, "a race on byte 0x9000300c: workgroup 0 warp "));
            outcome_free(&strict);
            stream_free(&s);
        }
    }
}

/* The FENCE of a warp whose slot the next one has taken releases nothing with that one's store. */
static void fence_of_an_earlier_warp(void **state) {
    (void)state;
    enum { FLAG = 4, AQ = 2 };
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&p, "addi", 21, 20, FLAG);
    put(&p, "csrrs", 5, 0x808, 0); /* the workgroup */
    put(&p, "addi", 13, 0, 1);
    put(&p, "bne", 5, 0, 16); /* the first */
    put(&p, "sw", 13, 0, 20);
    put(&p, "fence", 0, 3, 3, 0, 0);
    put0(&p, "endprg");
    put(&p, "bne", 5, 13, 20); /* the second, beside it and the third */
    put(&p, "amoor_w", 14, 0, 21, AQ);
    put(&p, "beq", 14, 0, -4);
    put(&p, "lw", 15, 0, 20);
    put0(&p, "endprg");
    put(&p, "sw", 13, FLAG, 20); /* the third, in the first one's place */
    put0(&p, "endprg");
    core_options o = core_default();
    o.num_warp = 2;
    o.wg_size = 1;
    o.workgroups = 3;
    stream s = run_program(&p, &o);
    s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
    outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
    assert_int_equal(strict.verdict, KARAT_VERDICT_PROGRAM_ERROR);
    assert_non_null(strstr(strict.text, "a race on byte 0x90003000: workgroup 0 warp 0 "));
    outcome_free(&strict);
    stream_free(&s);
}

/* Lanes of a store with gaps between them, and another warp's bytes in a gap or not. */
static void races_of_lanes(void **state) {
    (void)state;
    for (int32_t at = -4; at < 32; at++) {
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "lui", 20, (int32_t)(SHARED >> 12));
        put(&p, "vsll_vi", 8, 1, 3, 1);
        put(&p, "vadd_vx", 8, 8, 20, 1); /* a word every eight bytes */
        put(&p, "bne", 7, 0, 8);
        put(&p, "vsw12_v", 1, 0, 8);
        put(&p, "beq", 7, 0, 8);
        put(&p, "lbu", 26, at, 20);
        put0(&p, "endprg");
        core_options o = core_default();
        o.workgroups = 1;
        stream s = run_program(&p, &o);
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
        outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
        const bool races = at >= 0 && at % 8 < 4 && at < 28;
        char text[80];
        snprintf(text, sizeof text, "a race on byte 0x%08x: workgroup 0 warp ", SHARED + (unsigned)at);
        if (strict.verdict != (races ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS) ||
            (races && !strstr(strict.text, text)))
            fail_msg("at %d: %s\n%s", at, strict.line, strict.text);
        outcome_free(&strict);
        stream_free(&s);
    }
}

/* A store of which one lane is in device memory, where each warp has its own place, and the others are in local memory,
 * where all warps store to one: those of one workgroup race, those of two have each their own. */
static void mixed_spaces(void **state) {
    (void)state;
    for (int local_first = 0; local_first < 2; local_first++)
        for (uint32_t workgroups = 1; workgroups <= 2; workgroups++) {
            program p = {.num = 0};
            put_prologue(&p);
            put(&p, "csrrs", 20, 0x806, 0); /* lds */
            put(&p, "sub", 20, 20, 10);
            if (local_first) /* the last lane is in device memory, else the first */
                put(&p, "vmsne_vi", 9, 1, 3, 1);
            else
                put(&p, "vmsne_vi", 9, 1, 0, 1);
            put(&p, "vmul_vx", 9, 9, 20, 1);
            put(&p, "vadd_vv", 9, 9, 3, 1);
            put(&p, "vsw12_v", 1, 0, 9);
            put0(&p, "endprg");
            core_options o = core_default();
            o.workgroups = workgroups;
            o.wg_size = 3 - workgroups;
            stream s = run_program(&p, &o);
            s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
            outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
            assert_int_equal(strict.verdict, workgroups == 1 ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS);
            if (workgroups == 1)
                assert_non_null(strstr(strict.text, local_first ? "a race on byte 0x70000000"
                                                                : "a race on byte 0x70000004"));
            outcome_free(&strict);
            stream_free(&s);
        }
}

static void words(void **state) {
    (void)state;
    uint32_t strict = 0;
    assert_true(karat_check_strict("lanes", &strict));
    assert_int_equal(strict, KARAT_STRICT_LANES);
    assert_true(karat_check_strict("races,registers,lds", &strict));
    assert_int_equal(strict, 15);
    static const char *const bad[] = {"", "lane", "lanes,", ",lanes", "lanesx", "races lds"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(karat_check_strict(bad[i], &strict));
}

int run_strict_tests(void) {
    const struct CMUnitTest list[] = {cmocka_unit_test(registers),
                                      cmocka_unit_test(lanes),
                                      cmocka_unit_test(lds),
                                      cmocka_unit_test(races),
                                      cmocka_unit_test(races_of_many),
                                      cmocka_unit_test(fence_of_an_earlier_warp),
                                      cmocka_unit_test(races_of_the_next_kernel),
                                      cmocka_unit_test(races_of_lanes),
                                      cmocka_unit_test(mixed_spaces),
                                      cmocka_unit_test(words)};
    return _cmocka_run_group_tests("policy", list, sizeof list / sizeof *list, NULL, NULL);
}
