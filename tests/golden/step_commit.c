/* The commit: every field of a few steps, exactly; scalar control flow as it is seen there. */
#include "step.h"

static void expect_plain(const rig *r, const char *name, uint32_t pc) {
    const karat_commit *c = &r->commit;
    assert_int_equal(c->pc, pc);
    assert_int_equal(c->word, get_word(r, pc));
    assert_int_equal(c->prefix, 0);
    assert_int_equal(c->row, karat_find_row(name));
    assert_int_equal(c->warnings, 0);
    assert_int_equal(c->deviated, 0);
    assert_int_equal(c->simt, KARAT_SIMT_NONE);
    assert_int_equal(c->barrier, 0);
    assert_int_equal(c->ended, 0);
    assert_int_equal(c->csr_written, 0);
    assert_int_equal(c->flags_raised, 0);
    assert_int_equal(c->vxsat_raised, 0);
    assert_int_equal(c->error.kind, KARAT_ERR_NONE);
}

static void expect_read(const rig *r, unsigned i, unsigned source, unsigned cls, unsigned reg,
                        unsigned part) {
    const karat_reg_read *read = &r->commit.read[i];
    assert_int_equal(read->source, source);
    assert_int_equal(read->cls, cls);
    assert_int_equal(read->reg, reg);
    assert_int_equal(read->part, part);
}

static void scalar(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    set_x(&r, 1, 100);
    set_x(&r, 2, 30);
    set_x(&r, 3, 9);
    DO(&r, "sub", 3, 1, 2);
    expect_plain(&r, "sub", CODE);
    assert_int_equal(r.commit.next_pc, CODE + 4);
    assert_int_equal(r.commit.mask_before, 0xff);
    assert_int_equal(r.commit.mask_after, 0xff);
    assert_int_equal(r.commit.depth, 0);
    assert_false(r.commit.has_mem);
    assert_int_equal(r.commit.mem.num, 0);
    assert_int_equal(r.commit.num_reads, 2);
    expect_read(&r, 0, 1, KARAT_CLASS_X, 1, 0);
    expect_read(&r, 1, 2, KARAT_CLASS_X, 2, 0);
    assert_int_equal(r.commit.read[0].value[0], 100);
    assert_int_equal(r.commit.read[1].value[0], 30);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.write[0].cls, KARAT_CLASS_X);
    assert_int_equal(r.commit.write[0].reg, 3);
    assert_int_equal(r.commit.write[0].mask, 1);
    assert_int_equal(r.commit.write[0].old[0], 9);
    assert_int_equal(r.commit.write[0].value[0], 70);
    DO(&r, "addi", 1, 1, -1); /* rd = rs1: the read is the old value */
    assert_int_equal(r.commit.num_reads, 1);
    assert_int_equal(r.commit.read[0].value[0], 100);
    assert_int_equal(r.commit.write[0].old[0], 100);
    assert_int_equal(r.commit.write[0].value[0], 99);
    rig_close(&r);
}

static void vector(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    narrow(&r, 0x0f);
    const uint32_t v0[KARAT_MAX_THREAD] = {1, 0, 1, 0, 1, 1, 1, 1};
    set_v(&r, 0, v0);
    ramp_v(&r, 1, 10, 1);
    ramp_v(&r, 2, 20, 2);
    ramp_v(&r, 3, 1000, 1);
    uint32_t pc = pc_of(&r);
    DO(&r, "vmacc.vv", 3, 1, 2, 0);
    expect_plain(&r, "vmacc.vv", pc);
    assert_int_equal(r.commit.mask_before, 0x0f);
    assert_int_equal(r.commit.mask_after, 0x0f);
    assert_int_equal(r.commit.depth, 2);
    assert_int_equal(r.commit.top.mask, 0xf0);
    assert_int_equal(r.commit.num_reads, 4);
    expect_read(&r, 0, 1, KARAT_CLASS_V, 1, 0);
    expect_read(&r, 1, 2, KARAT_CLASS_V, 2, 0);
    expect_read(&r, 2, 3, KARAT_CLASS_V, 3, 0);
    expect_read(&r, 3, 0, KARAT_CLASS_V, 0, 0);
    assert_int_equal(r.commit.num_writes, 1);
    const karat_reg_write *w = &r.commit.write[0];
    assert_int_equal(w->cls, KARAT_CLASS_V);
    assert_int_equal(w->reg, 3);
    assert_int_equal(w->mask, 0x05);
    for (unsigned i = 0; i < 8; i++) { /* right for every lane, also those not written */
        assert_int_equal(r.commit.read[0].value[i], 10 + i);
        assert_int_equal(r.commit.read[2].value[i], 1000 + i);
        assert_int_equal(r.commit.read[3].value[i], v0[i]);
        assert_int_equal(w->old[i], 1000 + i);
        assert_int_equal(w->value[i], 0x05 >> i & 1 ? 1000 + i + (10 + i) * (20 + 2 * i) : 1000 + i);
    }
    rig_close(&r);
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
static void values_stay(void **unused) {
    (void)unused;
    static karat_commit first, other;
    static karat_commit_values kept;
    for (uint32_t n = 1; n <= KARAT_MAX_THREAD; n *= 2) {
        rig r;
        rig_open(&r, n);
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
                karat_commit_keep(r.model, &first, &kept); /* once more: the same */
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
        rig_close(&r);
    }
}

static void memory(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    ramp_v(&r, 1, DATA, 16);
    ramp_v(&r, 2, 0xaabbcc00, 1);
    DO(&r, "vsh12.v", 2, 6, 1);
    expect_plain(&r, "vsh12.v", CODE);
    assert_int_equal(r.commit.num_reads, 2);
    assert_int_equal(r.commit.num_writes, 0);
    assert_true(r.commit.has_mem);
    const karat_mem *m = &r.commit.mem;
    assert_int_equal(m->op, KARAT_STORE);
    assert_int_equal(m->space, KARAT_GLOBAL);
    assert_int_equal(m->amo, 0);
    assert_int_equal(m->succeeded, 0);
    assert_int_equal(m->num, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(karat_mem_access(m, i).addr, DATA + 6 + 16 * i);
        assert_int_equal(karat_mem_access(m, i).value, 0xcc00 + i);
        assert_int_equal(karat_mem_access(m, i).lane, i);
        assert_int_equal(karat_mem_access(m, i).bytes, 2);
        assert_int_equal(karat_mem_access(m, i).reg, 0);
    }
    DO(&r, "vlh12.v", 3, 6, 1);
    assert_int_equal(m->op, KARAT_LOAD);
    assert_int_equal(karat_mem_access(m, 3).value, 0xcc03); /* bytes read, zero-extended */
    assert_int_equal(r.commit.write[0].value[3], 0xffffcc03);
    assert_int_equal(m->sign_extends, 1);
    DO(&r, "vlhu12.v", 3, 6, 1);
    assert_int_equal(m->sign_extends, 0);
    DO(&r, "vlw12.v", 3, 8, 1); /* of a whole word nothing is extended */
    assert_int_equal(m->sign_extends, 0);
    rig_close(&r);
}

/* Leftovers of a step must not show in the next. */
static void nothing_is_left_over(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    set_x(&r, 1, LDS);
    DO(&r, "lw", 2, 0, 1);
    assert_true(r.commit.has_mem && r.commit.warnings);
    karat_commit *again = &r.commit;
    set_word(&r, CODE + 4, OP("lui", 5, 0xfffff));
    assert_int_equal(karat_step(r.model, 0, again), KARAT_OK); /* not cleared in between */
    expect_plain(&r, "lui", CODE + 4);
    assert_false(again->has_mem);
    assert_int_equal(again->mem.num, 0);
    assert_int_equal(again->num_reads, 0);
    assert_int_equal(get_x(&r, 5), 0xfffff000);
    rig_close(&r);
}

static void scalar_branches(void **unused) {
    (void)unused;
    /* x1 = -1 against x2 = 1, both ways round, and equal. */
    static const struct {
        const char *name;
        bool less, greater, equal; /* taken for (-1, 1), (1, -1), (1, 1) */
    } rows[] = {{"beq", false, false, true}, {"bne", true, true, false},   {"blt", true, false, false},
                {"bge", false, true, true},  {"bltu", false, true, false}, {"bgeu", true, false, true}};
    rig r;
    rig_open(&r, 4);
    set_x(&r, 1, (uint32_t)-1);
    set_x(&r, 2, 1);
    DO(&r, "jal", 3, 0x1000); /* room for backward branches */
    assert_int_equal(get_x(&r, 3), CODE + 4);
    assert_int_equal(pc_of(&r), CODE + 0x1000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int32_t offset = -0x20; offset <= 0x20; offset += 0x40) {
            const bool taken[3] = {rows[i].less, rows[i].greater, rows[i].equal};
            static const int32_t operands[3][2] = {{1, 2}, {2, 1}, {2, 2}};
            for (int k = 0; k < 3; k++) {
                uint32_t pc = pc_of(&r);
                do_word(&r, OP(rows[i].name, operands[k][0], operands[k][1], offset));
                expect_plain(&r, rows[i].name, pc);
                assert_int_equal(pc_of(&r), taken[k] ? pc + (uint32_t)offset : pc + 4);
                assert_int_equal(r.commit.num_writes, 0);
                assert_int_equal(r.commit.mask_after, 0xf);
            }
        }
    uint32_t pc = pc_of(&r);
    DO(&r, "auipc", 4, 0x80000); /* wraps */
    assert_int_equal(get_x(&r, 4), pc + 0x80000000u);
    DO(&r, "jal", 5, -0x1000);
    assert_int_equal(get_x(&r, 5), pc + 8);
    assert_int_equal(pc_of(&r), pc + 4 - 0x1000);
    rig_close(&r);
}

int commit_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar),
        cmocka_unit_test(vector),
        cmocka_unit_test(values_stay),
        cmocka_unit_test(memory),
        cmocka_unit_test(nothing_is_left_over),
        cmocka_unit_test(scalar_branches),
    };
    return cmocka_run_group_tests_name("commit", tests, NULL, NULL);
}
