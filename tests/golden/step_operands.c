/* The read port: what it is shown, what it may change, and that a held step has done nothing. How long the
 * values of a commit stay; what is in it: tests/fuzz. */
#include "support.h"

typedef struct script {
    unsigned asked, hold_at, change_at; /* The nth question; 0: none */
    uint32_t value;
    karat_reg_read seen[KARAT_MAX_READ];
    uint32_t was[KARAT_MAX_READ]; /* The value[0] of each */
    uint32_t pc, mask;
    int32_t row;
} script;

static karat_read_answer answer(void *context, uint32_t warp, const karat_commit *commit,
                                uint32_t value[KARAT_MAX_THREAD]) {
    script *s = context;
    assert_int_equal(warp, 0);
    const uint32_t last = commit->num_reads - 1;
    s->seen[last] = commit->read[last];
    s->was[last] = commit->read[last].value[0];
    s->pc = commit->pc;
    s->mask = commit->mask_before;
    s->row = commit->row;
    s->asked++;
    if (s->asked != s->hold_at && s->asked != s->change_at)
        return KARAT_READ_KEEP;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD;
         lane++) /* Who holds a step may have written there, too */
        value[lane] = s->value + lane;
    return s->asked == s->hold_at ? KARAT_READ_HOLD : KARAT_READ_CHANGED;
}

static void put_code(rig *r, uint32_t prefix, uint32_t word) {
    uint32_t pc = pc_of(r);
    if (prefix) {
        set_word(r, pc, prefix);
        pc += 4;
    }
    set_word(r, pc, word);
}

TEST(shown_and_changed) {
    RIG(r, rig_open, 4);
    set_x(&r, 5, 7);
    ramp_v(&r, 2, 10, 1);
    script s = {.change_at = 2, .value = 100};
    karat_set_read_port(r.model, answer, &s);
    DO(&r, "vadd.vx", 3, 2, 5, 1);
    assert_int_equal(s.asked, 2);
    assert_int_equal(s.pc, CODE);
    assert_int_equal(s.mask, 0xf);
    assert_int_equal(s.row, karat_find_row("vadd.vx"));
    assert_int_equal(s.seen[0].cls, KARAT_CLASS_X);
    assert_int_equal(s.was[0], 7);
    assert_int_equal(s.seen[1].reg, 2);
    assert_int_equal(s.was[1], 10);
    EXPECT_V(&r, 3, 107, 108, 109, 110);              /* Computed with the port's values */
    EXPECT_V(&r, 2, 100, 101, 102, 103);              /* The register has the port's values */
    assert_int_equal(r.commit.read[1].value[2], 102); /* The commit has the port's values */
    s = (script){.change_at = 1, .value = 1000};
    DO(&r, "addi", 6, 5, 1);
    assert_int_equal(get_x(&r, 6), 1001);
    assert_int_equal(get_x(&r, 5), 1000);
    s = (script){.change_at = 1, .value = 1000};
    DO(&r, "addi", 6, 0, 1);
    assert_int_equal(get_x(&r, 0), 0); /* Register x0 stays 0 */
    karat_set_read_port(r.model, NULL, NULL);
    s.asked = 0;
    DO(&r, "addi", 6, 5, 2);
    assert_int_equal(s.asked, 0);
}

static karat_read_answer known(void *context, uint32_t warp, const karat_commit *commit,
                               uint32_t value[KARAT_MAX_THREAD]) {
    answer(context, warp, commit, value);
    return KARAT_READ_KNOWN;
}

/* A step with one operand that is not known asks for all of them. */
TEST(known_is_not_asked_for) {
    RIG(r, rig_open, 4);
    script s = {0};
    karat_set_read_port(r.model, known, &s);
    DO(&r, "vadd.vx", 3, 2, 5, 1);
    assert_int_equal(s.asked, 2);
    DO(&r, "vadd.vx", 3, 2, 5, 1);
    assert_int_equal(s.asked, 2);
    assert_int_equal(r.commit.num_reads, 2);
    DO(&r, "addi", 6, 5, 1);
    assert_int_equal(s.asked, 2);
    DO(&r, "add", 6, 5, 7);
    assert_int_equal(s.asked, 4);
    karat_ask_again(r.model, 0, KARAT_CLASS_V, 2);
    DO(&r, "addi", 6, 5, 1);
    assert_int_equal(s.asked, 4);
    DO(&r, "vadd.vx", 3, 2, 5, 1);
    assert_int_equal(s.asked, 6);
    karat_set_read_port(r.model, answer, &s);
    DO(&r, "vadd.vx", 3, 2, 5, 1);
    assert_int_equal(s.asked, 8);
}

/* A register that takes another value is the only one that does, however few lanes it has. */
TEST(its_neighbours_keep_theirs) {
    for (uint32_t n = 1; n <= KARAT_MAX_THREAD; n *= 2) {
        RIG(r, rig_open, n);
        for (unsigned reg = 1; reg < 8; reg++)
            splat_v(&r, reg, reg);
        script s = {.change_at = 1, .value = 100};
        karat_set_read_port(r.model, answer, &s);
        DO(&r, "vadd.vi", 9, 3, 0, 1);
        for (unsigned reg = 1; reg < 8; reg++)
            for (uint32_t lane = 0; lane < n; lane++)
                assert_int_equal(get_v(&r, reg)[lane], reg == 3 ? 100 + lane : reg);
    }
}

/* Hold each operand in turn of that instruction: the whole state is as before. Then let it go. */
static void held_everywhere(rig *r, unsigned operands, uint32_t prefix, uint32_t word) {
    put_code(r, prefix, word);
    size_t size = karat_save_size(r->model);
    uint8_t *before = malloc(size), *after = malloc(size);
    assert_true(before && after);
    assert_int_equal(karat_save(r->model, before, size), KARAT_OK);
    script s;
    karat_set_read_port(r->model, answer, &s);
    for (unsigned i = 1; i <= operands; i++) {
        s = (script){.hold_at = i, .value = 0x1234};
        assert_int_equal(step_warp(r, 0), KARAT_HELD);
        assert_true(s.asked >= i);
        assert_int_equal(karat_save_size(r->model), size);
        assert_int_equal(karat_save(r->model, after, size), KARAT_OK);
        assert_memory_equal(before, after, size);
    }
    s = (script){.hold_at = operands + 1};
    assert_int_equal(step_warp(r, 0), KARAT_OK);
    assert_int_equal(s.asked, operands);
    assert_int_equal(r->commit.num_reads, operands);
    if (karat_save_size(r->model) == size) { /* Taken, it shows */
        assert_int_equal(karat_save(r->model, after, size), KARAT_OK);
        assert_memory_not_equal(before, after, size);
    }
    karat_set_read_port(r->model, NULL, NULL);
    free(before);
    free(after);
}

TEST(held_step_does_nothing) {
    RIG(r, rig_open, 4);
    set_x(&r, 4, DATA);
    set_x(&r, 5, 0);
    set_x(&r, 6, DATA + 64);
    set_x(&r, 7, 77);
    splat_v(&r, 0, 1);
    ramp_v(&r, 1, DATA, 4);
    ramp_v(&r, 2, 1, 1);
    ramp_v(&r, 3, 5, 2);
    held_everywhere(&r, 2, 0, OP("add", 8, 4, 7));
    held_everywhere(&r, 2, 0, OP("sw", 7, 0, 4));
    held_everywhere(&r, 2, 0, OP("amoadd.w", 8, 7, 4, 0));
    held_everywhere(&r, 1, 0, OP("lr.w", 8, 4, 0));
    held_everywhere(&r, 2, 0, OP("sc.w", 8, 7, 4, 0));
    held_everywhere(&r, 1, 0, OP("csrrw", 8, 0x340, 7));
    held_everywhere(&r, 1, 0, OP("setrpc", 0, 7, 0));
    held_everywhere(&r, 1, 0, OP("vsetvli", 8, 7, 0xd0));
    held_everywhere(&r, 2, 0, OP("beq", 4, 4, 8));
    held_everywhere(&r, 3, 0, OP("vadd.vv", 4, 2, 3, 0));
    held_everywhere(&r, 3, 0, OP("vmacc.vv", 4, 2, 3, 1));
    held_everywhere(&r, 2, 0, OP("vsw12.v", 2, 0, 1));
    /* Upper halves of pairs are read by the instruction itself: {x5, x4} and {v3, v2}. */
    held_everywhere(&r, 4, regpair(0, 0, 0, 0), OP("sw", 6, 0, 4));
    held_everywhere(&r, 2, regpair(0, 0, 0, 0), OP("lw", 10, 0, 4));
    held_everywhere(&r, 2, regpair(0, 0, 0, 0), OP("lr.w", 9, 4, 0));
    held_everywhere(&r, 4, regpair(0, 0, 0, 0), OP("vse32.v", 2, 4, 1));
    held_everywhere(&r, 2, 0, OP("vbeq", 2, 3, 8));
    /* Groups: each register is asked for. */
    held_everywhere(&r, 0, 0, OP("vsetivli", 8, 8, 0xd1));
    held_everywhere(&r, 6, 0, OP("vadd.vv", 8, 2, 2, 0));
}

/* The warning of a jump over a prefix comes with the step, however often it was held. */
TEST(held_after_jump) {
    RIG(r, rig_open, 4);
    set_word(&r, CODE, OP("jal", 0, 8));
    set_word(&r, CODE + 4, regext(0, 0, 0, 1));
    set_word(&r, CODE + 8, OP("addi", 8, 7, 1));
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    script s = {.hold_at = 1};
    karat_set_read_port(r.model, answer, &s);
    assert_int_equal(step_warp(&r, 0), KARAT_HELD);
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    assert_int_equal(r.commit.warnings, KARAT_WARN_SKIPPED_PREFIX);
}

#ifdef __SANITIZE_ADDRESS__
int __asan_address_is_poisoned(const volatile void *at);
/* Old values that are used too late are an error there. */
static void expect_gone(const uint32_t *old) {
    assert_true(__asan_address_is_poisoned(old));
}
#else
static void expect_gone(const uint32_t *old) {
    (void)old;
}
#endif

/* Values are right until the warp's next step, whatever other warps do, and copies of them beyond it. */
TEST(values_stay) {
    static karat_commit first, other;
    static karat_commit_values kept;
    for (uint32_t n = 1; n <= KARAT_MAX_THREAD; n *= 2) {
        RIG(r, rig_open, n);
        launch_warps(&r, 2);
        ramp_v(&r, 1, 100, 1);
        ramp_v(&r, 2, 1000, 10);
        set_x(&r, 3, 7);
        for (uint32_t step = 0; step < 8; step++) {
            if (step % 2) {
                const uint32_t *old = r.commit.write[0].old;
                DO(&r, "add", 3, 3, 3);
                expect_gone(old);
            } else {
                DO(&r, "vadd.vv", 1, 1, 2, 1);
            }
            assert_int_equal(karat_step(r.model, 1, &other), KARAT_OK);
            if (step == 0) {
                first = r.commit;
                karat_commit_keep(r.model, &first, &kept);
                assert_ptr_equal(first.read[1].value, kept.read[1]);
                assert_ptr_equal(first.write[0].old, kept.old[0]);
                karat_commit_keep(r.model, &first, &kept); /* Once more: the same */
            }
            const karat_commit *c = &r.commit;
            for (uint32_t lane = 0; lane < (step % 2 ? 1 : n); lane++) {
                const uint32_t by = step % 2 ? 7u << step / 2 : 1000 + 10 * lane;
                const uint32_t old = step % 2 ? by : 100 + lane + step / 2 * by;
                assert_int_equal(c->read[0].value[lane], by);
                assert_int_equal(c->read[1].value[lane], old);
                assert_int_equal(c->write[0].old[lane], old);
                assert_int_equal(c->write[0].value[lane], old + by);
            }
        }
        for (uint32_t lane = 0; lane < n; lane++) {
            assert_int_equal(first.read[0].value[lane], 1000 + 10 * lane);
            assert_int_equal(first.read[1].value[lane], 100 + lane);
            assert_int_equal(first.write[0].old[lane], 100 + lane);
            assert_int_equal(first.write[0].value[lane], 1100 + 11 * lane);
        }
    }
}
