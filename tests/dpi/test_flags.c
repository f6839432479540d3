/* Flags of plain accesses, where races are errors: what they order is no race, and they themselves have a word of their own. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

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
    put(&p, "vadd_vx", 8, 2, 20, 1); /* a word for each lane */
    put(&p, "vmv_v_i", 9, 1);
    for (uint32_t warp = 0; warp < 2; warp++) {
        const part *parts = warp ? second : first;
        for (uint32_t n = 0; n < repeat; n++)
            for (uint32_t i = 0; i < 8 && parts[i].row; i++) {
                part now = parts[i];
                if (now.num == 3 && strcmp(now.row, "bne") != 0)
                    now.operand[1] += 8 * (int32_t)n; /* the next word */
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
        if (cases[i].repeat == 1) { /* else the last ones wait for ever, and race */
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

RUN_TESTS("flags")
