/* Flags of plain accesses, where races are errors: what they order is no race, and they themselves have a word of their own. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

enum { WRITE = 1, READ = 2, BOTH = 3, DATA = 64, OTHER = 128 };

typedef enum setter { SET_PLAIN, SET_BYTE, SET_AMO, NUM_SETTER } setter;
typedef enum getter { GET_WORD, GET_BYTE, GET_VECTOR, GET_AMO, GET_LR, NUM_GETTER } getter;

/* Warp 0 stores data and sets a flag, warp 1 waits for it and loads the data. Sets of the FENCEs; 0: no FENCE. */
typedef struct passing {
    setter set;
    getter get;
    int32_t before1, behind1, before2, behind2;
    bool rl, aq, races; /* and both store to another word after all that */
} passing;

static void put_fence(program *p, int32_t before, int32_t behind) {
    if (before)
        put(p, "fence", 0, before, behind, 0, 0);
}

static void put_get(program *p, const passing *t) {
    switch (t->get) {
    case GET_WORD: put(p, "lw", 26, 0, 20); break;
    case GET_BYTE: put(p, "lbu", 26, 0, 20); break;
    case GET_VECTOR: /* all lanes the same */ put_code(p, "vlw12_v 31 0 30; vmv_x_s 26 31"); break;
    case GET_AMO: put(p, "amoor_w", 26, 0, 20, t->aq << 1); break;
    default: put(p, "lr_w", 26, 20, t->aq << 1); break;
    }
}

static stream pass_message(const passing *t, uint64_t seed) {
    program p = begin_program("lui 20 SHARED; vmv_v_x 30 20");
    /* Memory is random at first. */
    put_code(&p, "bne 7 0 8; sw 0 0 20; barrier 0; addi 22 0 7");
    const uint32_t waits = p.num;
    put(&p, "bne", 7, 0, 0);
    put(&p, "sw", 22, DATA, 20);
    put_fence(&p, t->before1, t->behind1);
    if (t->set == SET_AMO)
        put(&p, "amoswap_w", 0, 22, 20, t->rl);
    else
        put(&p, t->set == SET_BYTE ? "sb" : "sw", 22, 0, 20);
    const uint32_t over = put_forward(&p), top = p.num;
    p.num = waits;
    put(&p, "bne", 7, 0, 4 * ((int32_t)top - (int32_t)waits));
    p.num = top;
    put_get(&p, t);
    put(&p, "beq", 26, 0, 4 * ((int32_t)top - (int32_t)p.num));
    put_fence(&p, t->before2, t->behind2);
    put(&p, "lw", 27, DATA, 20);
    put_jump(&p, over, p.num);
    if (t->races)
        put(&p, "sw", 7, OTHER, 20);
    put0(&p, "endprg");
    core_options o = core_default();
    o.seed = seed;
    o.workgroups = 1;
    o.kernels = 2; /* the second knows nothing of the first */
    stream s = run_program(&p, &o);
    s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED; /* as the model performs them */
    return s;
}

static void expect(const stream *s, uint32_t strict, const char *text, const char *what) {
    karat_check_config config = judge_config();
    config.strict = strict;
    scoped_outcome o = conclude(replay(s, &config));
    if (o.verdict != (text ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS) || (text && !strstr(o.text, text)))
        fail_msg("%s, strict %u: expected %s\n%s\n%s", what, strict, text ? text : "PASS", o.line, o.text);
}

static void judge_message(const passing *t, uint64_t seed) {
    const bool releases = t->rl || (t->before1 && t->behind1 & WRITE), acquires = t->aq || t->before2 & READ;
    const bool ordered = (t->rl || (t->before1 & WRITE && t->behind1 & WRITE)) &&
                         (t->aq || (t->before2 & READ && t->behind2 & READ));
    const bool atomic = t->get != GET_VECTOR && (t->set == SET_AMO || t->get == GET_AMO || t->get == GET_LR);
    const bool is_flag = releases && acquires && !atomic;
    char what[120];
    snprintf(what, sizeof what, "set %d get %d fences %d,%d %d,%d rl %d aq %d seed %u", t->set, t->get,
             t->before1, t->behind1, t->before2, t->behind2, t->rl, t->aq, (unsigned)seed);
    scoped_stream s = pass_message(t, seed);
    expect(&s, 0, NULL, what);
    const char *race = !ordered   ? "a race on byte 0x900030"
                       : t->races ? "a race on byte 0x90003080: workgroup 0 warp "
                                  : NULL;
    const char *flag =
        is_flag ? "synchronisation by plain accesses to byte 0x90003000: workgroup 0 warp " : NULL;
    expect(&s, KARAT_STRICT_RACES, race, what);
    expect(&s, KARAT_STRICT_FLAGS, flag, what);
    expect(&s, KARAT_STRICT_RACES | KARAT_STRICT_FLAGS, race ? race : flag, what);
}

/* Message passing by every kind of access to the flag, with all sets of FENCEs or .rl and .aq. */
TEST(messages) {
    rng r = {1};
    for (int set = 0; set < NUM_SETTER; set++)
        for (int get = 0; get < NUM_GETTER; get++)
            for (int32_t n = 0; n < 32; n++) {
                passing t = {.set = (setter)set, .get = (getter)get, .races = rng_chance(&r, 20)};
                t.rl = set == SET_AMO && rng_chance(&r, 50);
                t.aq = get >= GET_AMO && rng_chance(&r, 50);
                t.before1 = t.rl || n == 0 ? 0 : n == 1 ? BOTH : (int32_t)rng_below(&r, 4);
                t.before2 = t.aq || n == 0 ? 0 : n == 1 ? BOTH : (int32_t)rng_below(&r, 4);
                t.behind1 = n == 1 ? BOTH : 1 + (int32_t)rng_below(&r, 3);
                t.behind2 = n == 1 ? BOTH : 1 + (int32_t)rng_below(&r, 3);
                judge_message(&t, 1 + rng_below(&r, 8));
            }
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
