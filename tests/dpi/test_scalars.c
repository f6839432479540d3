/* Scalar registers that one path of a divergence has written and another one reads (scalars.h,
 * docs/triage.md): situations by hand, and random programs against an oracle that knows nothing but what
 * threads are. */
#include "judge.h"

#include "scalars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REG        20 /* The register of the situations */
#define CONDITION  10 /* v10 and on: a bit of the lane's number for each level */
#define COUNTER    20 /* v20 and on: of loops */
#define NUM_THREAD 32

/* --- Programs from a few letters ---
 *
 *  w      REG gets a number that it did not have yet
 *  k      REG gets 42
 *  r      REG is read, by a vector instruction
 *  m      the same, with no lane active
 *  s      the same by a scalar instruction
 *  {A|B}  half of the lanes go to A, which runs first, the others to B
 *  <A|B>  the same where they meet with those of the divergence around: at the end of a path
 *  [A/B]  a loop of one to four trips of A by lane; who leaves it does B before the lanes meet
 *  !      after a letter: that instruction reads what another path has written, as the first one
 */
typedef struct maker {
    program p;
    const char *at;
    int32_t number;
    uint32_t depth;
    uint32_t expected; /* Pc; 0: none */
} maker;

static void put_at(program *p, uint32_t at, const char *row, int32_t a, int32_t b, int32_t to) {
    const uint32_t num = p->num;
    p->num = at;
    put(p, row, a, b, 4 * (to - (int32_t)at));
    p->num = num;
}

typedef struct pending {
    uint32_t at[32], num; /* Jumps to where lanes meet */
} pending;

static void sequence(maker *m, pending *to_join);

static void expect_char(maker *m, char c) {
    if (*m->at++ != c)
        fail_msg("%c expected before '%s'", c, m->at - 1);
}

static uint32_t put_rpc(program *p) {
    put_code(p, "auipc 5 0; setrpc 0 5 0");
    return p->num - 2;
}

static void put_join(program *p, uint32_t rpc, const pending *to) {
    const uint32_t num = p->num;
    p->num = rpc + 1;
    put(p, "setrpc", 0, 5, 4 * ((int32_t)num - (int32_t)rpc));
    p->num = num;
    for (uint32_t i = 0; i < to->num; i++)
        put_jump(p, to->at[i], num);
    put0(p, "join");
}

static void diverge(maker *m, pending *around) {
    program *p = &m->p;
    const char first = m->at[-1];
    pending own = {0}, *to = first == '<' ? around : &own;
    const uint32_t rpc = first == '<' ? 0 : put_rpc(p), d = m->depth++;
    const uint32_t over = put_forward(p),
                   first_path = p->num; /* The path that runs first stands first, for it is read first */
    sequence(m, to);
    to->at[to->num++] = put_forward(p);
    expect_char(m, '|');
    const uint32_t branch = p->num;
    put_jump(p, over, branch);
    put(p, "vbne", CONDITION + (int32_t)d, 9, 4 * ((int32_t)first_path - (int32_t)branch));
    sequence(m, to);
    expect_char(m, first == '<' ? '>' : '}');
    if (first == '<')
        to->at[to->num++] = put_forward(p);
    else
        put_join(p, rpc, to);
    m->depth--;
}

static void loop(maker *m) {
    program *p = &m->p;
    pending to = {0};
    const int32_t counter = COUNTER + (int32_t)m->depth;
    put(p, "vand_vi", counter, 8, 3, 1);
    const uint32_t rpc = put_rpc(p), branch = p->num;
    put(p, "vbeq", counter, 9, 4);
    sequence(m, &to);
    put(p, "vadd_vi", counter, counter, -1, 1);
    put(p, "jal", 0, 4 * ((int32_t)rpc - (int32_t)p->num));
    put_at(p, branch, "vbeq", counter, 9, (int32_t)p->num);
    if (*m->at == '/') {
        m->at++;
        sequence(m, &to);
    }
    expect_char(m, ']');
    put_join(p, rpc, &to);
}

static void sequence(maker *m, pending *to_join) {
    program *p = &m->p;
    while (*m->at && !strchr("|}>/]", *m->at)) {
        switch (*m->at++) {
        case 'w': put(p, "addi", REG, 0, m->number++); break;
        case 'k': put(p, "addi", REG, 0, 42); break;
        case 'r': put(p, "vmv_v_x", 30, REG); break;
        case 'm': put(p, "vadd_vx", 30, 30, REG, 0); break;
        case 's': put(p, "add", 21, REG, 0); break;
        case '{':
        case '<': diverge(m, to_join); break;
        case '[': loop(m); break;
        case '!': m->expected = HERE(p) - 4; break;
        default: fail_msg("what is '%s'?", m->at - 1);
        }
    }
}

static maker make(const char *text) {
    maker m = {.at = text, .number = 100};
    pending none = {0};
    put_code(&m.p, "vid_v 8 1; vmv_v_i 9 0; vmv_v_i 0 0");
    for (int32_t d = 0; d < 5; d++) { /* The lowest two bits are the loops' */
        put(&m.p, "vsrl_vi", CONDITION + d, 8, (d + 2) % 5, 1);
        put(&m.p, "vand_vi", CONDITION + d, CONDITION + d, 1, 1);
    }
    sequence(&m, &none);
    assert_int_equal(*m.at, 0);
    put0(&m.p, "endprg");
    return m;
}

/* --- Running --- */

static karat_model *load(const program *p, karat_simt_order order) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = NUM_THREAD;
    config.max_warp = 2;
    config.max_workgroup = 1;
    config.simt_order = order;
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    assert_int_equal(karat_map(model, CODE_BASE, sizeof p->word), KARAT_OK);
    assert_int_equal(karat_map(model, DATA_BASE, DATA_SIZE), KARAT_OK);
    assert_int_equal(karat_write(model, CODE_BASE, p->word, sizeof p->word), KARAT_OK);
    assert_int_equal(karat_workgroup_open(model, 0, 1), KARAT_OK);
    assert_int_equal(karat_map(model, PRIVATE_BASE, PRIVATE_SIZE), KARAT_OK);
    karat_launch_desc desc = {.pc = CODE_BASE, .mask = UINT32_MAX};
    desc.csr[KARAT_CSR_NUMW] = 1;
    desc.csr[KARAT_CSR_NUMT] = NUM_THREAD;
    desc.csr[KARAT_CSR_LDS] = config.lds_base;
    desc.csr[KARAT_CSR_PDS] = PRIVATE_BASE;
    assert_int_equal(karat_launch(model, 1, &desc), KARAT_OK);
    return model;
}

/* The pc of the first such read, and what is said of it; 0: none. */
static uint32_t first_use(const program *p, karat_simt_order order, karat_scalar_use *use) {
    karat_model *model = load(p, order);
    karat_scalars *s = karat_scalars_create(2, NUM_THREAD);
    static karat_commit commit;
    uint32_t pc = 0;
    assert_non_null(s);
    karat_scalars_launch(s, 1);
    do {
        assert_int_equal(karat_step(model, 1, &commit), KARAT_OK);
        const karat_scalar_answer answer = karat_scalars_step(s, 1, &commit, use);
        assert_int_not_equal(answer, KARAT_SCALARS_NO_MEMORY);
        if (answer == KARAT_SCALARS_USED)
            pc = commit.pc;
    } while (!commit.ended && !pc);
    karat_scalars_destroy(s);
    karat_destroy(model);
    return pc;
}

TEST(situations) {
    static const struct {
        const char *text;
        karat_simt_order order;
    } cases[] = {
        {"w{w|r!}", 0},                   /* The case that the rule is for */
        {"w{w|s!}", 0},                   /* By a scalar instruction */
        {"{w|r!}", 0},                    /* Nobody had written it before: it held what the launch gave */
        {"w{wr|r!}", 0},                  /* The path that has written it may read it */
        {"w{r|w}", 0},                    /* Who reads runs first */
        {"w{w|wr}", 0},                   /* Overwritten before it is read */
        {"w{r|rr}r", 0},                  /* Written before only */
        {"w{w|}r", 0},                    /* Read where they have met */
        {"w{w|w}r", 0},                   /**/
        {"w{w|}{r|r}", 0},                /* In a divergence after that one */
        {"w{w|}{wr|r!}", 0},              /* Written again in the later one */
        {"k{wk|r}", 0},                   /* The value from before is there again: saved and restored */
        {"k{wkw|r!}", 0},                 /**/
        {"w{w|m}", 0},                    /* Read for no lane */
        {"w{w|mr!}", 0},                  /**/
        {"w{{w|r!}|}", 0},                /* Nested: in the path that runs first */
        {"w{{w|}r|}", 0},                 /* The inner paths have met */
        {"w{{w|}|r!}", 0},                /* The outer ones have not */
        {"w{{w|w}|{r!|}}", 0},            /* Both are nested */
        {"w{{w|w}|{|r!}}", 0},            /**/
        {"w{w|{wr|r!}}", 0},              /* One half of the second path writes it, the other does not */
        {"w{w|w{wr|wr}r}r", 0},           /**/
        {"w{|{w|}r}r", 0},                /* The inner paths of the second path have met */
        {"w{w|{|}r!}", 0},                /* A meeting of others changes nothing */
        {"w{w|{w|}r}", 0},                /* That of who has written it since does */
        {"w{w|{w|w}r}", 0},               /**/
        {"w{k|{kr|r!}}", 0},              /* The wrong value twice is as wrong */
        {"w{w{r|r}|w{r|r}}", 0},          /**/
        {"w{{{{w|}|}|}|r!}", 0},          /* Deep */
        {"w{{{{w|}r|}r|}r|}r", 0},        /**/
        {"w{<w|r!>|}", 0},                /* The inner paths meet where the outer ones do */
        {"w{<w|>|r!}", 0},                /**/
        {"w{<w|wr>|wr}r", 0},             /**/
        {"w{|<w|r!>}", 0},                /**/
        {"w{<w|<w|w>>|<wr|<wr|r!>>}", 0}, /**/
        {"w[r]r", 0},                     /* Loops: the lanes that go on are those that were there */
        {"w[wr]r", 0},                    /**/
        {"w[rw]r", 0},                    /* Carried from trip to trip */
        {"w[rw]r", KARAT_IF_FIRST},       /* The others leave afterwards */
        {"w[w/r]r", 0},                   /* Who leaves runs first, and has made all trips so far */
        {"w[w/r!]", KARAT_IF_FIRST},      /* Who leaves runs last: others have made more */
        {"w[w/wr]r", KARAT_IF_FIRST},     /**/
        {"w[/w]r", KARAT_IF_FIRST},       /**/
        {"w[r!/w]", 0},                   /* Who has left writes it, and the others go on */
        {"w[{w|r!}]", 0},                 /* A divergence in a loop */
        {"w[{|r}{w|}]r", 0},              /* Written in the trip before, in another divergence */
        {"w[{|r}{w|}]r", KARAT_IF_FIRST}, /**/
        {"w[{w|w}r]r", 0},                /**/
        {"w{[w]|r!}", 0},                 /* A loop in a divergence */
        {"w{[wr]|[wr]}r", 0},             /**/
        {"w{w|r}", KARAT_IF_FIRST},       /* The other order: who reads runs first */
        {"w{r!|w}", KARAT_IF_FIRST},      /**/
        {"w{r|w}", KARAT_ELSE_FIRST},     /**/
        {"w{w|r!}", KARAT_ELSE_FIRST},    /**/
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const maker m = make(cases[i].text);
        karat_scalar_use use;
        const uint32_t pc = first_use(&m.p, cases[i].order, &use);
        if (pc != m.expected)
            fail_msg("%s, order %d: at 0x%08x, expected 0x%08x", cases[i].text, (int)cases[i].order, pc,
                     m.expected);
    }
}

/* The text names the register, both instructions, the divergence, the values, the lanes. */
TEST(what_is_reported) {
    const maker m = make("w{w|r!}");
    karat_scalar_use use;
    char text[320];
    assert_int_equal(first_use(&m.p, KARAT_SMALLER_FIRST, &use), m.expected);
    karat_scalars_describe(&use, KARAT_V202, text, sizeof text);
    assert_string_equal(
        text,
        "it reads x20 = 00000065 of seq 18 0x80000044 addi x20, x0, 101, which is on another path of the "
        "divergence of seq 17 0x8000004c vbne v10, v9, 0x80000044; for lanes 0f0f0f0f it was 00000064");
}

/* --- Random programs, against an oracle --- */

enum { MAX_STEP = 3000 }; /* Of a program; the oracle looks back at all of them */

typedef struct step {
    uint32_t mask, active;
    uint8_t num_reads, read[4], written; /* 0: none */
    uint32_t value, read_value[4];
    int32_t met; /* The step of the divergence whose paths meet here; -1: none */
} step;

static step steps[MAX_STEP];

/* A thread's view of a register before step n: written by itself, or by others on paths that have met with
 * its own. */
static uint32_t seen(uint32_t n, uint32_t lane, uint8_t reg) {
    for (uint32_t i = n; i-- > 0;) {
        if (steps[i].written != reg)
            continue;
        bool own = steps[i].mask >> lane & 1;
        for (uint32_t k = i + 1; k < n && !own; k++)
            own = steps[k].met >= 0 && (uint32_t)steps[k].met < i && steps[k].mask >> lane & 1;
        if (own)
            return steps[i].value;
    }
    return 0;
}

static bool is_wrong(uint32_t n) {
    for (uint32_t i = 0; i < steps[n].num_reads; i++)
        for (uint32_t lane = 0; lane < NUM_THREAD; lane++)
            if (steps[n].active >> lane & 1 && seen(n, lane, steps[n].read[i]) != steps[n].read_value[i])
                return true;
    return false;
}

/* The stack as the oracle has it: entries of the divergence's step, the lower of its two. */
static void note(uint32_t n, const karat_commit *m, int32_t *stack, uint32_t *depth) {
    step *s = &steps[n];
    *s = (step){.mask = m->mask_before, .met = -1};
    s->active = m->elements == 1 ? m->mask_before : (uint32_t)m->active;
    for (uint32_t i = 0; i < m->num_reads; i++)
        if (m->read[i].cls == KARAT_CLASS_X && m->read[i].reg) {
            s->read[s->num_reads] = (uint8_t)m->read[i].reg;
            s->read_value[s->num_reads++] = m->read[i].value[0];
        }
    for (uint32_t i = 0; i < m->num_writes; i++)
        if (m->write[i].cls == KARAT_CLASS_X) {
            s->written = (uint8_t)m->write[i].reg;
            s->value = m->write[i].value[0];
        }
    if (m->depth > *depth) {
        stack[*depth] = (int32_t)n;
        stack[*depth + 1] = -1;
    } else if (m->depth < *depth && stack[m->depth] >= 0) {
        s->met = stack[m->depth];
        s->mask = m->mask_after; /* It writes nothing */
    }
    *depth = m->depth;
}

static uint32_t num_right, num_wrong;

static void against_oracle(const program *p, karat_simt_order order, uint64_t seed) {
    karat_model *model = load(p, order);
    karat_scalars *s = karat_scalars_create(2, NUM_THREAD);
    static karat_commit commit;
    int32_t stack[KARAT_MAX_STACK];
    uint32_t depth = 0, n = 0;
    karat_scalars_launch(s, 1);
    do {
        karat_scalar_use use;
        assert_int_equal(karat_step(model, 1, &commit), KARAT_OK);
        note(n, &commit, stack, &depth);
        const bool reported = karat_scalars_step(s, 1, &commit, &use) == KARAT_SCALARS_USED,
                   wrong = is_wrong(n);
        if (reported != wrong)
            fail_msg("seed %llu step %u at 0x%08x: %s", (unsigned long long)seed, n, commit.pc,
                     reported ? "said, and right" : "wrong, and not said");
        num_right += !wrong && commit.depth && steps[n].num_reads;
        num_wrong += wrong;
    } while (++n < MAX_STEP && !commit.ended);
    karat_scalars_destroy(s);
    karat_destroy(model);
}

static void add_letter(char *text, char letter) {
    const size_t length = strlen(text);
    text[length] = letter;
    text[length + 1] = 0;
}

/* Letters at random; at most three levels. */
static void random_text(rng *r, char *text, size_t size, uint32_t level) {
    for (uint32_t n = 1 + rng_below(r, 4); n--;) {
        const uint32_t kind = rng_below(r, level < 3 ? 12 : 6);
        if (strlen(text) + 40 > size)
            return;
        if (kind < 6) {
            add_letter(text, "wwkrsm"[kind]);
            continue;
        }
        const char *form = kind < 10 ? "{|}" : "[/]";
        add_letter(text, form[0]);
        random_text(r, text, size, level + 1);
        add_letter(text, form[1]);
        random_text(r, text, size, level + 1);
        add_letter(text, form[2]);
    }
}

TEST(random_letters) {
    num_right = num_wrong = 0;
    for (uint64_t seed = 1; seed <= share_of(400); seed++) {
        rng r = {seed};
        char text[200] = "";
        random_text(&r, text, sizeof text, 0);
        const maker m = make(text);
        against_oracle(&m.p, (karat_simt_order)(seed % 3), seed);
    }
    print_message("%u reads under divergence right, %u of another path's values\n", num_right, num_wrong);
    assert_true(num_right > share_of(1000) && num_wrong > share_of(500));
}

/* The steps of the checker's tests, with its scalar registers. */
TEST(random_programs) {
    num_right = num_wrong = 0;
    for (uint64_t seed = 1; seed <= share_of(300); seed++) {
        rng r = {seed};
        program p = {.num = 0};
        put_everything(&p, &r, 12, false);
        against_oracle(&p, (karat_simt_order)(seed % 3), seed);
    }
    print_message("%u reads under divergence right, %u of another path's values\n", num_right, num_wrong);
    assert_true(num_right > share_of(200));
}

/* --- The checker --- */

TEST(by_the_checker) {
    const maker wrong = make("w{w|r!}"), right = make("w{w|wr}r");
    core_options o = core_default();
    o.num_thread = NUM_THREAD;
    o.kernels = 2; /* The second begins anew */
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        scoped_stream s = run_program(is_wrong ? &wrong.p : &right.p, &o);
        for (uint32_t strict = 0; strict <= KARAT_STRICT_ALL; strict++) {
            if (strict & KARAT_STRICT_ORDER)
                continue; /* This core does not provide MEM's order */
            karat_check_config config = judge_config();
            config.strict = strict;
            scoped_outcome out = conclude(replay(&s, &config));
            const bool fails = is_wrong && strict & KARAT_STRICT_SCALARS;
            assert_int_equal(out.verdict, fails ? KARAT_VERDICT_PROGRAM_ERROR : KARAT_PASS);
            if (fails) {
                assert_non_null(strstr(out.text, "vmv.v.x v30, x20"));
                assert_non_null(strstr(
                    out.text, "it reads x20 = 00000065 of seq 18 0x80000044 addi x20, x0, 101, which is on "
                              "another path of the divergence of seq 17 0x8000004c vbne v10, v9, "));
                assert_non_null(strstr(out.text, "for lanes 0f0f0f0f it was 00000064"));
                assert_int_equal(
                    json_integer_value(json_object_get(json_object_get(out.json, "failure"), "lanes")),
                    0x0f0f0f0f);
            }
        }
    }
}

static karat_scalar_answer tell(karat_scalars *s, const karat_commit *commit) {
    karat_scalar_use use;
    return karat_scalars_step(s, 1, commit, &use);
}

/* A core's load may have got another value than the model's, which the model then takes: who has loaded it
 * reads it rightly anyway , and who has not does not. */
TEST(values_that_come_later) {
    static const uint32_t one = 1, two = 2, nine = 9;
    static const karat_reg_read read = {.source = 1, .cls = KARAT_CLASS_X, .reg = 7, .value = &two};
    static karat_commit parts, loads, reads, joins;
    karat_scalars *s = karat_scalars_create(2, NUM_THREAD);
    karat_scalars_launch(s, 1);
    parts = (karat_commit){.mask_before = 15, .mask_after = 3, .simt = KARAT_SIMT_DIVERGE, .depth = 2};
    loads = (karat_commit){.mask_before = 3, .mask_after = 3, .depth = 2, .elements = 1, .num_writes = 1};
    loads.write[0] =
        (karat_reg_write){.cls = KARAT_CLASS_X, .reg = 7, .mask = 1, .value = &one, .old = &nine};
    reads = (karat_commit){.mask_before = 3, .mask_after = 3, .depth = 2, .elements = 1, .num_reads = 1};
    reads.read[0] = read;
    joins = (karat_commit){.mask_before = 3, .mask_after = 12, .simt = KARAT_SIMT_POP, .depth = 1};
    assert_int_equal(tell(s, &reads),
                     KARAT_SCALARS_RIGHT); /* Nothing is kept of a warp that has not diverged */
    assert_int_equal(tell(s, &parts), KARAT_SCALARS_RIGHT);
    assert_int_equal(tell(s, &loads), KARAT_SCALARS_RIGHT);
    assert_int_equal(tell(s, &reads), KARAT_SCALARS_RIGHT);
    assert_int_equal(tell(s, &joins), KARAT_SCALARS_RIGHT);
    reads.mask_before = reads.mask_after = 12;
    reads.depth = 1;
    assert_int_equal(tell(s, &reads), KARAT_SCALARS_USED);
    karat_scalars_launch(s, 1);
    assert_int_equal(tell(s, &reads), KARAT_SCALARS_RIGHT);
    karat_scalars_destroy(s);
    karat_scalars_destroy(NULL);
}

RUN_TESTS("scalar registers and paths")
