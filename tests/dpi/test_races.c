/* Accesses of warps that nothing orders, where such races are errors. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

static outcome judge_strict(const stream *s, uint32_t strict) {
    karat_check_config config = judge_config();
    config.strict = strict;
    return conclude(replay(s, &config));
}

/* Such a core's order of accesses has to be known; then another warp's store to the word is a race, and
 * none after a barrier. */
TEST(races) {
    for (int barrier = 0; barrier < 2; barrier++) {
        program p = begin_program("lui 20 SHARED; bne 7 0 8; sw 25 0 20");
        if (barrier)
            put(&p, "barrier", 0);
        put_code(&p, "beq 7 0 8; lw 26 0 20; endprg");
        core_options o = core_default();
        o.workgroups = 1;
        scoped_stream s = run_program(&p, &o);
        scoped_outcome refused = judge_strict(&s, KARAT_STRICT_RACES);
        assert_int_equal(refused.verdict, KARAT_BAD_INPUT);
        assert_non_null(strstr(refused.text, "races cannot be errors"));
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED; /* As the model performs them */
        scoped_outcome strict = judge_strict(&s, KARAT_STRICT_RACES);
        assert_int_equal(strict.verdict, barrier ? KARAT_PASS : KARAT_VERDICT_PROGRAM_ERROR);
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
        put(&p, "beq", 21, 0, 8); /* Not in the first */
        put(&p, "sw", 7, SHOWN, 20);
        put(&p, "barrier", 0);
        put(&p, "addi", 22, 0, 100); /* More of them than the first kernel's memory of one warp */
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
    put(&p, "bne", 21, 0, 8); /* Only in the first */
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
    put(&p, "csrrs", 5, 0x808, 0); /* The workgroup */
    put(&p, "addi", 13, 0, 1);
    put(&p, "bne", 5, 0, 16); /* The first */
    put_code(&p, "sw 13 0 20; fence 0 3 3 0 0; endprg");
    put(&p, "bne", 5, 13, 20); /* The second, beside it and the third */
    put(&p, "amoor_w", 14, 0, 21, AQ);
    put_code(&p, "beq 14 0 -4; lw 15 0 20; endprg");
    put(&p, "sw", 13, FLAG, 20); /* The third, in the first one's place */
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

/* Words that two warps race for by scalar accesses; of some an AMO comes after. Whether it is a race is
 * known when the kernel has ended: the first word that no atomic has used. */
typedef struct racing_words {
    uint32_t num, times,
        atomic;    /* Words from SHARED on, each raced for so often; bit i: an AMO uses word i */
    uint32_t late; /* Words after these that are raced for after the AMOs */
    int32_t found; /* The word at fault; -1: none */
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
        const bool waits = n & 2; /* No AMO comes before the other warp's last access to these words */
        const bool local = n % 2; /* In the memory of each of two workgroups */
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

/* --- Flags of plain accesses: what they order is no race, and they themselves have a word of their own
 * --- */

static void expect(const stream *s, uint32_t strict, const char *text, const char *what) {
    karat_check_config config = judge_config();
    config.strict = strict;
    scoped_outcome o = conclude(replay(s, &config));
    if (o.verdict != (text ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS) || (text && !strstr(o.text, text)))
        fail_msg("%s, strict %u: expected %s\n%s\n%s", what, strict, text ? text : "PASS", o.line, o.text);
}

/* A program of two warps, and of what a judge of both words has to find. */
typedef struct part {
    const char *row;
    int32_t operand[5];
    size_t num;
} part;
#define PART(row, ...)                                                                                       \
    { row, {__VA_ARGS__}, sizeof((int32_t[]){__VA_ARGS__}) / 4 }
#define FENCE PART("fence", 0, 3, 3, 0, 0)

static stream run_parts(const part *first, const part *second, uint32_t repeat) {
    program p = begin_program("lui 20 SHARED");
    put(&p, "vadd_vx", 8, 2, 20, 1); /* A word for each lane */
    put(&p, "vmv_v_i", 9, 1);
    for (uint32_t warp = 0; warp < 2; warp++) {
        const part *parts = warp ? second : first;
        for (uint32_t n = 0; n < repeat; n++)
            for (uint32_t i = 0; i < 8 && parts[i].row; i++) {
                part now = parts[i];
                if (now.num == 3 && strcmp(now.row, "bne") != 0)
                    now.operand[1] += 8 * (int32_t)n; /* The next word */
                put(&p, warp ? "beq" : "bne", 7, 0, 8);
                put_row(&p, now.row, now.operand, now.num);
            }
    }
    put0(&p, "endprg");
    core_options o = core_default();
    o.workgroups = 1;
    stream s = run_program(&p, &o);
    s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
    return s;
}

/* Straight code: warp 0 is ahead, for it has fewer instructions before. */
TEST(by_hand) {
    static const struct {
        const char *what, *race, *flag;
        part first[8], second[8];
        uint32_t repeat;
    } cases[] = {
        /* Lanes that each have a flag: look-back over many warps is written so. */
        {"vectors",
         NULL,
         "synchronisation by plain accesses to byte 0x90003000",
         {PART("sw", 7, 256, 20), FENCE, PART("vsw12_v", 9, 0, 8)},
         {PART("vlw12_v", 10, 0, 8), FENCE, PART("lw", 21, 256, 20)},
         1},
        {"vectors without a FENCE",
         "a race on byte 0x90003000",
         NULL,
         {PART("vsw12_v", 9, 0, 8)},
         {PART("vlw12_v", 10, 0, 8), FENCE},
         1},
        {"one FENCE",
         "a race on byte 0x90003000",
         NULL,
         {FENCE, PART("vsw12_v", 9, 0, 8)},
         {PART("vlw12_v", 10, 0, 8)},
         1},
        /* The released value is read after a barrier: no flag. */
        {"a barrier",
         NULL,
         NULL,
         {FENCE, PART("sw", 7, 0, 20), PART("barrier", 0)},
         {PART("barrier", 0), PART("lw", 21, 0, 20), FENCE},
         1},
        /* A store after that is no release: nothing is acquired. */
        {"overwritten", NULL, NULL, {FENCE, PART("sw", 7, 0, 20)}, {PART("sw", 7, 512, 20), FENCE}, 1},
        /* More flags than wait for their FENCE at once. */
        {"many flags",
         NULL,
         "synchronisation by plain accesses to byte 0x90003000",
         {FENCE, PART("sw", 6, 0, 20)},
         {PART("lw", 21, 0, 20)},
         80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scoped_stream s = run_parts(cases[i].first, cases[i].second, cases[i].repeat);
        expect(&s, 0, NULL, cases[i].what);
        if (cases[i].repeat == 1) { /* Else the last ones wait for ever, and race */
            expect(&s, KARAT_STRICT_RACES, cases[i].race, cases[i].what);
            expect(&s, KARAT_STRICT_FLAGS, cases[i].flag, cases[i].what);
        } else {
            expect(&s, KARAT_STRICT_FLAGS, cases[i].flag, cases[i].what);
        }
    }
}

/* Such a core's order of accesses has to be known. */
TEST(without_order) {
    scoped_stream s = fixture();
    karat_check_config config = judge_config();
    config.strict = KARAT_STRICT_FLAGS;
    scoped_outcome o = conclude(replay(&s, &config));
    assert_int_equal(o.verdict, KARAT_BAD_INPUT);
    assert_non_null(
        strstr(o.text, "flags cannot be errors: the core does not provide MEM in the order of performance"));
}

/* --- Races of a core that provides no WRITE: what a load or an atomic has returned is not known --- */

/* Of a core that provides no WRITE: what a load or an atomic has returned is not reported where warps
 * race; elsewhere it is the model's. */
static void unreported_race(const char *what, karat_verdict want) {
    program p = begin_program("");
    put(&p, "lui", 20, (DATA_BASE + 0x3000) >> 12);
    put_code(&p, "sub 21 20 10; mul 21 21 7");
    put(&p, "add", 21, 21, 10); /* Shared data in warp 1, own data in warp 0 */
    if (strcmp(what, "store") == 0) {
        put_code(&p, "sw 7 0 20; lw 13 0 20");
    } else if (strcmp(what, "own") == 0) {
        put_code(&p, "sw 7 0 10; lw 13 0 10");
    } else if (strcmp(what, "barrier") == 0) {
        put_code(&p, "sw 7 0 21; barrier 0; lw 13 0 20");
    } else if (strcmp(what, "amo") == 0) {
        put(&p, "amoadd_w", 13, 7, 20, 0);
    } else if (strcmp(what, "lds") == 0) { /* At the same addresses, of another workgroup */
        put_code(&p, "sw 7 0 11; lw 13 0 11");
    } else if (strncmp(what, "lanes", 5) ==
               0) { /* Of warp 1 from the last lane of warp 0 on, or from after it */
        put(&p, "addi", 22, 0, what[5] - '0');
        put_code(&p, "mul 22 22 7; add 22 22 20; vadd_vx 4 2 22 1; vsw12_v 1 0 4; vlw12_v 6 0 4; "
                     "vmv_x_s 13 1");
    } else if (strcmp(what, "loads") == 0) {
        put(&p, "lw", 13, 0, 20);
    } else { /* The load is issued before the store */
        put(&p, "lw", 13, 0, 20);
        put(&p, "sw", 7, strcmp(what, "behind") == 0 ? 0 : 4, 21);
    }
    put(&p, "barrier", 0); /* Whatever it is, it has happened */
    put_code(&p, "addi 14 13 1; endprg");
    for (int mem = 0; mem < 2; mem++) {
        core_options o = core_default();
        o.audit_percent = 0;
        o.workgroups = strcmp(what, "lds") == 0 ? 2 : 1;
        o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
        o.gives &= mem ? ~0u : ~(1u << KARAT_REC_MEM);
        scoped_stream s = run_program(&p, &o);
        PASSES(&s);
        s.at[of(&s, issue_of(&s, 0, "addi", strncmp(what, "lanes", 5) == 0), KARAT_REC_READ, 0)]
            .read.data[0] ^= 4;
        scoped_outcome out = judge(&s);
        if (out.verdict != want ||
            !strstr(out.text, "this may result from a value") != (want == KARAT_MISMATCH))
            fail_msg("%s: %s\n%s", what, out.line, out.text);
        assert_null(strstr(out.text, "has landed")); /* None is reported */
    }
}

TEST(unreported_races) {
    unreported_race("store", KARAT_INCOMPLETE);
    unreported_race("amo", KARAT_INCOMPLETE);
    unreported_race("behind", KARAT_INCOMPLETE);
    unreported_race("beside", KARAT_MISMATCH);
    unreported_race("loads", KARAT_MISMATCH);
    unreported_race("own", KARAT_MISMATCH);
    unreported_race("barrier", KARAT_MISMATCH);
    unreported_race("lds", KARAT_MISMATCH);
    unreported_race("lanes<", KARAT_INCOMPLETE); /* 12 */
    unreported_race("lanes@", KARAT_MISMATCH);   /* 16 */
}

RUN_TESTS("races")
