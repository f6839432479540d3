/* Floating point: what the rounding mode forbids, and what Ventus changes (section 4.1; decisions, "Vector results"). Values and flags:
 * tests/fp, test_qemu. */
#include "support.h"

enum { E32M1 = 0x10, E32M2 = 0x11 };
enum { FRM = 2 };
enum { RNE, RMM = 4, DYN = 7 };
#define SIGNALING 0x7f800001u

#define F(x)                                                                                                 \
    ((union {                                                                                                \
         float f;                                                                                            \
         uint32_t u;                                                                                         \
     }){x}                                                                                                   \
         .u)

/* vfmv.f.s is like vmv.x.s: from the active lanes, flagged where they differ, nothing from none. */
TEST(vfmv_f_s) {
    RIG(r, rig_open, 8);
    splat_v(&r, 2, SIGNALING);
    DO(&r, "vfmv.f.s", 5, 2); /* moves bits */
    assert_int_equal(get_x(&r, 5), SIGNALING);
    assert_int_equal(r.commit.warnings, 0);
    assert_int_equal(r.commit.flags_raised, 0);
    assert_int_equal(r.commit.write[0].cls, KARAT_CLASS_X);
    assert_int_equal(r.commit.write[0].mask, 1);
    ramp_v(&r, 2, 10, 1);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 17);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    narrow(&r, 0x24);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 15);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    const uint32_t same[KARAT_MAX_THREAD] = {1, 2, 33, 4, 5, 33, 7, 8};
    set_v(&r, 2, same);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 33);
    assert_int_equal(r.commit.warnings, 0);
    /* Zeros of both signs differ: bits count. */
    const uint32_t zeros[KARAT_MAX_THREAD] = {[2] = 0, [5] = 0x80000000};
    set_v(&r, 2, zeros);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 0x80000000);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    DO(&r, "vsetivli", 0, 5, E32M1); /* vl leaves lane 2 */
    ramp_v(&r, 2, 40, 1);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 42);
    assert_int_equal(r.commit.warnings, 0);
    DO(&r, "vsetivli", 0, 2, E32M1); /* and none */
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 42);
    assert_int_equal(r.commit.num_writes, 0);
    assert_int_equal(r.commit.warnings, 0);
    /* Any register of a group, x0, and numbers after the 31st. */
    DO(&r, "vsetivli", 0, 16, E32M2);
    splat_v(&r, 3, 9);
    splat_v(&r, 4, 8);
    DO(&r, "vfmv.f.s", 5, 3);
    assert_int_equal(get_x(&r, 5), 9);
    assert_int_equal(r.commit.warnings, 0);
    DO(&r, "vfmv.f.s", 0, 3);
    assert_int_equal(r.commit.num_writes, 0);
    splat_v(&r, 99, 77);
    do_prefixed(&r, regext(0, 3, 0, 1), OP("vfmv.f.s", 5, 3));
    assert_int_equal(get_x(&r, 37), 77);
    fail_prefixed(&r, regext(0, 0, 0, 2), OP("vfmv.f.s", 5, 3), KARAT_ERR_REGISTER);
}

/* --- Scalar --- */

/* 1/3 = 0.0101..b rounds up and down by mode. */
static const uint32_t third[5] = {0x3eaaaaab, 0x3eaaaaaa, 0x3eaaaaaa, 0x3eaaaaab, 0x3eaaaaab};

TEST(scalar_rounding) {
    RIG(r, rig_open, 8);
    set_x(&r, 1, F(1));
    set_x(&r, 2, F(3));
    for (int32_t rm = RNE; rm <= RMM; rm++) {
        for (int32_t frm = 0; frm < 8;
             frm++) { /* a mode in the word: frm does not matter, nor is it looked at */
            DO(&r, "csrrwi", 0, FRM, frm);
            DO(&r, "fdiv.s", 3, 1, 2, rm);
            assert_int_equal(get_x(&r, 3), third[rm]);
        }
        DO(&r, "csrrwi", 0, FRM, rm);
        DO(&r, "fdiv.s", 3, 1, 2, DYN);
        assert_int_equal(get_x(&r, 3), third[rm]);
    }
    /* Reserved modes, in the word and in frm. */
    unsigned rounding = 0, others = 0;
    rows_pause();
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        const uint32_t opcode = row->match & 0x7f, mode = 7u << 12;
        if ((opcode & 0x73) != 0x43 && opcode != 0x53)
            continue;
        if (row->mask & mode) { /* no such field: frm does not matter */
            DO(&r, "csrrwi", 0, FRM, 7);
            do_word(&r, row->match);
            DO(&r, "csrrwi", 0, FRM, 0);
            others++;
            continue;
        }
        fail_word(&r, row->match | 5u << 12, KARAT_ERR_ILLEGAL);
        ILLEGAL_BY(&r, ROUNDING);
        fail_word(&r, row->match | 6u << 12, KARAT_ERR_ILLEGAL);
        for (int32_t frm = 5; frm < 8; frm++) {
            DO(&r, "csrrwi", 0, FRM, frm);
            fail_word(&r, row->match | mode, KARAT_ERR_ILLEGAL);
        }
        do_word(&r, row->match | mode);
        rounding++;
    }
    rows_resume();
    assert_int_equal(rounding, 13);
    assert_int_equal(others, 9);
}

/* Zfinx has no loads, stores and moves of its own; there is one format; fields are fixed. */
TEST(not_in_zfinx) {
    RIG(r, rig_open, 8);
    static const uint32_t words[] = {
        0x0000a007, /* flw */
        0x0010a027, /* fsw */
        0xe0000053, /* fmv.x.w */
        0xf0000053, /* fmv.w.x */
        0x02000053, /* fadd.d */
        0x02000043, /* fmadd.d */
        0xc0200053, /* fcvt.l.s */
        0xd0300053, /* fcvt.s.lu */
        0x20003053, /* fsgnj with funct3 3 */
        0x28002053, /* fmin with funct3 2 */
        0xa0003053, /* feq with funct3 3 */
        0x58100053, /* fsqrt with an rs2 */
        0xe0101053, /* fclass with an rs2 */
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fail_word(&r, words[i], KARAT_ERR_ILLEGAL);
}
