/* Vector instructions: scalars read from lanes, and what is no instruction. Ventus' own additions (section
 * 4.2.5): step_params.c. The others are compared with QEMU in test_qemu; which lanes and registers are
 * written is in tests/fuzz. */
#include "support.h"

enum { E32M1 = 0x10, E32M2 = 0x11 };

/* Takes vmv.x.s, or vfmv.f.s: both move bits. */
static void moves_to_scalar(const char *name) {
    RIG(r, rig_open, 8);
    splat_v(&r, 2, 123);
    DO(&r, name, 5, 2);
    assert_int_equal(get_x(&r, 5), 123);
    assert_int_equal(r.commit.warnings, 0);
    assert_int_equal(r.commit.flagged.kind, KARAT_ERR_NONE);
    assert_int_equal(r.commit.write[0].cls, KARAT_CLASS_X);
    assert_int_equal(r.commit.write[0].mask, 1);
    /* Differing lanes: the highest active one, flagged. */
    ramp_v(&r, 2, 10, 1);
    DO(&r, name, 5, 2);
    assert_int_equal(get_x(&r, 5), 17);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    assert_int_equal(r.commit.error.kind, KARAT_ERR_NONE);
    assert_int_equal(r.commit.flagged.kind, KARAT_ERR_LANES_DIFFER);
    assert_int_equal(r.commit.flagged.pc, r.commit.pc);
    assert_int_equal(r.commit.flagged.lane, 0);
    /* Only active lanes count, for the value and for the flag. */
    narrow(&r, 0x24);
    DO(&r, name, 5, 2);
    assert_int_equal(get_x(&r, 5), 15);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    assert_int_equal(r.commit.flagged.lane, 2);
    const uint32_t same[KARAT_MAX_THREAD] = {1, 2, 33, 4, 5, 33, 7, 8};
    set_v(&r, 2, same);
    DO(&r, name, 5, 2);
    assert_int_equal(get_x(&r, 5), 33);
    assert_int_equal(r.commit.warnings, 0);
    /* With this vl lane 2 is left. */
    DO(&r, "vsetivli", 0, 5, E32M1);
    ramp_v(&r, 2, 40, 1);
    DO(&r, name, 5, 2);
    assert_int_equal(get_x(&r, 5), 42);
    assert_int_equal(r.commit.warnings, 0);
    /* No lane: nothing is written. */
    DO(&r, "vsetivli", 0, 2, E32M1);
    DO(&r, name, 5, 2);
    assert_int_equal(get_x(&r, 5), 42);
    assert_int_equal(r.commit.num_writes, 0);
    DO(&r, name, 0, 2);
    assert_int_equal(get_x(&r, 0), 0);
    /* It does not work on groups: any register, and the lanes of one. */
    DO(&r, "vsetvli", 6, 0, E32M2);
    assert_int_equal(get_x(&r, 6), 16);
    splat_v(&r, 3, 9);
    splat_v(&r, 4, 8);
    DO(&r, name, 5, 3);
    assert_int_equal(get_x(&r, 5), 9);
    assert_int_equal(r.commit.warnings, 0);
    /* Bits count: zeros of both signs differ, and a signaling NaN raises nothing. Register numbers after the
     * 31st. */
    splat_v(&r, 99, 0x7f800001);
    do_prefixed(&r, regext(0, 3, 0, 1), OP(name, 5, 3));
    assert_int_equal(get_x(&r, 37), 0x7f800001);
    assert_int_equal(r.commit.flags_raised, 0);
    assert_int_equal(r.commit.warnings, 0);
    const uint32_t zeros[KARAT_MAX_THREAD] = {[5] = 0x80000000};
    set_v(&r, 2, zeros);
    DO(&r, name, 5, 2);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
}

TEST(vmv_x_s) {
    moves_to_scalar("vmv.x.s");
}

TEST(vfmv_f_s) {
    moves_to_scalar("vfmv.f.s");
}

TEST(left_out_by_name) {
    RIG(r, rig_open, 8);
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        if (row->left_out >> KARAT_V202 & 1)
            fail_word(&r, row->match, KARAT_ERR_LEFT_OUT);
    }
    fail_word(&r, 0, KARAT_ERR_ILLEGAL);
    fail_word(&r, 0xffffffff, KARAT_ERR_ILLEGAL);
    ILLEGAL_BY(&r, WORD);
    fail_word(&r, 0x00000001, KARAT_ERR_ILLEGAL); /* There are no 16-bit instructions */
}

/* Zfinx has no loads, stores and moves of its own; there is one format; fields are fixed. */
TEST(not_in_zfinx) {
    RIG(r, rig_open, 8);
    static const uint32_t words[] = {
        0x0000a007, /* Instruction flw */
        0x0010a027, /* Instruction fsw */
        0xe0000053, /* fmv.x.w */
        0xf0000053, /* fmv.w.x */
        0x02000053, /* fadd.d */
        0x02000043, /* fmadd.d */
        0xc0200053, /* fcvt.l.s */
        0xd0300053, /* fcvt.s.lu */
        0x20003053, /* Instruction fsgnj with funct3 3 */
        0x28002053, /* Instruction fmin with funct3 2 */
        0xa0003053, /* Instruction feq with funct3 3 */
        0x58100053, /* Instruction fsqrt with an rs2 */
        0xe0101053, /* Instruction fclass with an rs2 */
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fail_word(&r, words[i], KARAT_ERR_ILLEGAL);
}
