/* Elements of 8 and 16 bits, binary16, widening, and conversions between widths (v2.03). Values by hand; all rows against V 1.0:
 * test_qemu64. */
#include "step.h"

enum { E8 = 0x00, E16 = 0x08, E32 = 0x10, FRM = 2 };

static void set_sew(rig *r, int32_t vtype) {
    DO(r, "vsetvli", 31, 0, vtype);
}

/* VLMAX does not depend on SEW: an element is a register's lane. */
static void vset(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 8);
    for (int32_t sew = 0; sew < 8; sew++)
        for (int32_t lmul = 0; lmul < 8; lmul++) {
            DO(&r, "vsetvli", 1, 0, sew << 3 | lmul);
            const bool legal = sew <= 2 && lmul <= 1;
            assert_int_equal(get_x(&r, 1), legal ? 8 << lmul : 0);
            assert_int_equal(get_csr(&r, 0xc21), legal ? (uint32_t)(sew << 3 | lmul) : 0x80000000);
            assert_int_equal(get_csr(&r, 0xc20), legal ? 8 << lmul : 0);
        }
    rig_close(&r);
    rig_open(&r, 8); /* v2.02 has 32 bits alone */
    for (int32_t sew = 0; sew < 2; sew++) {
        DO(&r, "vsetvli", 1, 0, sew << 3);
        assert_int_equal(get_csr(&r, 0xc21), 0x80000000);
    }
    rig_close(&r);
}

/* Sources are low bits, whatever is above; results are sign-extended, of unsigned rows as well. */
static void bytes(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_sew(&r, E8);
    static const uint32_t a[] = {0x1234567f, 0xffffff80, 0x000000ff, 0xabcdef02},
                          b[] = {1, 0x55555501, 0xff, 3};
    set_v(&r, 2, a);
    set_v(&r, 4, b);
    DO(&r, "vadd.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0xffffff80, 0xffffff81, 0xfffffffe, 5);
    assert_int_equal(r.commit.width, 8);
    assert_int_equal(r.commit.elements, 4);
    assert_int_equal(r.commit.read[1].value[0], 0x1234567f); /* the registers as they are */
    DO(&r, "vmaxu.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0x7f, 0xffffff80, 0xffffffff, 3);
    DO(&r, "vmax.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0x7f, 1, 0xffffffff, 3);
    DO(&r, "vsrl.vi", 6, 2, 1, 1);
    EXPECT_V(&r, 6, 0x3f, 0x40, 0x7f, 1);
    DO(&r, "vsll.vi", 6, 4, 15, 1); /* amounts have 3 bits */
    EXPECT_V(&r, 6, 0xffffff80, 0xffffff80, 0xffffff80, 0xffffff80);
    DO(&r, "vsra.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0x3f, 0xffffffc0, 0xffffffff, 0);
    DO(&r, "vmulhu.vv", 6, 2, 2, 1);
    EXPECT_V(&r, 6, 0x3f, 0x40, 0xfffffffe, 0);
    DO(&r, "vmulhsu.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0, 0xffffffff, 0xffffffff, 0);
    DO(&r, "vdiv.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0x7f, 0xffffff80, 1, 0);
    DO(&r, "vdivu.vx", 6, 2, 0, 1); /* by zero */
    EXPECT_V(&r, 6, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    set_x(&r, 5, 0x123480ff);
    DO(&r, "vdiv.vx", 6, 2, 5, 1); /* by -1, with overflow */
    EXPECT_V(&r, 6, 0xffffff81, 0xffffff80, 1, 0xfffffffe);
    DO(&r, "vadd.vx", 6, 2, 5, 1);
    EXPECT_V(&r, 6, 0x7e, 0x7f, 0xfffffffe, 1);
    DO(&r, "vmseq.vx", 6, 2, 5, 1); /* masks are 0 or 1 */
    EXPECT_V(&r, 6, 0, 0, 1, 0);
    DO(&r, "vmsltu.vv", 6, 4, 2, 1);
    EXPECT_V(&r, 6, 1, 1, 0, 0);
    DO(&r, "vmadc.vv", 6, 2, 4);
    EXPECT_V(&r, 6, 0, 0, 1, 0);
    DO(&r, "vmsbc.vv", 6, 2, 4);
    EXPECT_V(&r, 6, 0, 0, 0, 1);
    DO(&r, "vmsgtu.vi", 6, 2, 16, 1);
    EXPECT_V(&r, 6, 1, 1, 1, 0);
    /* Moves and merges, too: of a source in a register nothing but the low bits is left. */
    DO(&r, "vmv.v.v", 6, 2);
    EXPECT_V(&r, 6, 0x7f, 0xffffff80, 0xffffffff, 2);
    DO(&r, "vmv.v.x", 6, 5);
    EXPECT_V(&r, 6, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    DO(&r, "vmv.s.x", 6, 5);
    EXPECT_V(&r, 6, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    do_prefixed(&r, regexti(7, 0, 0), OP("vmv.v.i", 6, -1)); /* 0x0ff */
    EXPECT_V(&r, 6, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    static const uint32_t m[] = {1, 0, 1, 0};
    set_v(&r, 0, m);
    DO(&r, "vmerge.vvm", 6, 2, 4);
    EXPECT_V(&r, 6, 1, 0xffffff80, 0xffffffff, 2);
    DO(&r, "vadc.vvm", 6, 2, 4);
    EXPECT_V(&r, 6, 0xffffff81, 0xffffff81, 0xffffffff, 5);
    DO(&r, "vadd.vv", 6, 2, 2, 0); /* masked: the others keep all their bits */
    EXPECT_V(&r, 6, 0xfffffffe, 0xffffff81, 0xfffffffe, 5);
    DO(&r, "vid.v", 6, 1);
    EXPECT_V(&r, 6, 0, 1, 2, 3);
    splat_v(&r, 8, 0x12345680);
    DO(&r, "vmv.x.s", 5, 8);
    assert_int_equal(get_x(&r, 5), 0xffffff80);
    static const uint32_t alike[] = {0x1280, 0x80, 0x3480, 0xffffff80};
    set_v(&r, 8, alike);
    DO(&r, "vmv.x.s", 5, 8); /* the elements do not differ */
    assert_int_equal(r.commit.warnings, 0);
    splat_v(&r, 6, 0x7fff0001);
    DO(&r, "vmacc.vv", 6, 4, 4, 1); /* 1 + b * b */
    EXPECT_V(&r, 6, 2, 2, 2, 10);
    rig_close(&r);
}

static void halves(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_sew(&r, E16);
    static const uint32_t a[] = {0x12347fff, 0xffff8000, 0x0000ffff, 0xabcd0002},
                          b[] = {1, 0x55550001, 0xffff, 3};
    set_v(&r, 2, a);
    set_v(&r, 4, b);
    DO(&r, "vadd.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0xffff8000, 0xffff8001, 0xfffffffe, 5);
    assert_int_equal(r.commit.width, 16);
    DO(&r, "vsll.vi", 6, 4, 31, 1); /* 4 bits */
    EXPECT_V(&r, 6, 0xffff8000, 0xffff8000, 0xffff8000, 0xffff8000);
    DO(&r, "vmulhu.vv", 6, 2, 2, 1);
    EXPECT_V(&r, 6, 0x3fff, 0x4000, 0xfffffffe, 0);
    DO(&r, "vmulh.vv", 6, 2, 2, 1);
    EXPECT_V(&r, 6, 0x3fff, 0x4000, 0, 0);
    DO(&r, "vrem.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0, 0, 0, 2);
    DO(&r, "vmslt.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0, 1, 0, 1);
    do_prefixed(&r, regexti(0x20, 0, 0), OP("vadd.vi", 6, 2, 0, 1)); /* -1024 */
    EXPECT_V(&r, 6, 0x7bff, 0x7c00, 0xfffffbff, 0xfffffc02);
    splat_v(&r, 8, 0x12348001);
    DO(&r, "vmv.x.s", 5, 8);
    assert_int_equal(get_x(&r, 5), 0xffff8001);
    /* Rows without SEW: mask logic, Ventus' own, exp, scalars. */
    DO(&r, "vmxor.mm", 6, 2, 4);
    EXPECT_V(&r, 6, 0x12347ffe, 0xaaaa8001, 0, 0xabcd0001);
    assert_int_equal(r.commit.width, 32);
    DO(&r, "vadd12.vi", 6, 2, 1);
    EXPECT_V(&r, 6, 0x12348000, 0xffff8001, 0x10000, 0xabcd0003);
    splat_v(&r, 8, 0x3f800000);
    DO(&r, "vfexp.v", 6, 8, 1);
    EXPECT_V(&r, 6, 0x402df854, 0x402df854, 0x402df854, 0x402df854);
    splat_v(&r, 6, 0);
    DO(&r, "vftta.vv", 6, 8, 8, 1);
    EXPECT_V(&r, 6, 0x40000000, 0x40000000, 0x40000000, 0x40000000);
    DO(&r, "add", 5, 5, 5);
    assert_int_equal(get_x(&r, 5), 0xffff0002);
    DO(&r, "vblt", 2, 4,
       64); /* 0x12347fff < 1 is false, the others as words: 1, 1, 0x0000ffff < 0x0000ffff, 1 */
    assert_int_equal(r.commit.simt, KARAT_SIMT_DIVERGE);
    assert_int_equal(mask_of(&r), 0xa);
    rig_close(&r);
}

/* Groups of two are groups at every SEW. */
static void groups(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_sew(&r, E8 | 1);
    assert_int_equal(get_x(&r, 31), 8);
    ramp_v(&r, 2, 0x7e, 1);
    ramp_v(&r, 3, 0xfe, 1);
    DO(&r, "vadd.vi", 4, 2, 1, 1);
    EXPECT_V(&r, 4, 0x7f, 0xffffff80, 0xffffff81, 0xffffff82);
    EXPECT_V(&r, 5, 0xffffffff, 0, 1, 2);
    assert_int_equal(r.commit.elements, 8);
    DO(&r, "vid.v", 4, 1);
    EXPECT_V(&r, 5, 4, 5, 6, 7);
    set_sew(&r, E16 | 1);
    splat_v(&r, 2, 0x3c00);
    splat_v(&r, 3, 0x4000);
    DO(&r, "vfadd.vv", 4, 2, 2, 1);
    EXPECT_V(&r, 4, 0xffff4000, 0xffff4000);
    EXPECT_V(&r, 5, 0xffff4400, 0xffff4400);
    rig_close(&r);
}

static void fixed_point(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_sew(&r, E8);
    static const uint32_t a[] = {0x7f, 0x80, 0xffffffff, 3}, ones[] = {1, 0xff, 1, 0};
    set_v(&r, 2, a);
    set_v(&r, 4, ones);
    DO(&r, "vsadd.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0x7f, 0xffffff80, 0, 3);
    assert_int_equal(r.commit.vxsat_raised, 1);
    DO(&r, "vsaddu.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0xffffff80, 0xffffffff, 0xffffffff, 3);
    assert_int_equal(r.commit.vxsat_raised, 1);
    DO(&r, "vssubu.vv", 6, 4, 2, 1);
    EXPECT_V(&r, 6, 0, 0x7f, 0, 0);
    DO(&r, "vaaddu.vv", 6, 2, 4, 1); /* ties up */
    EXPECT_V(&r, 6, 0x40, 0xffffffc0, 0xffffff80, 2);
    DO(&r, "vsmul.vv", 6, 2, 2, 1); /* 127 * 127 / 128 = 126.0, -128 * -128 saturates */
    EXPECT_V(&r, 6, 0x7e, 0x7f, 0, 0);
    assert_int_equal(r.commit.vxsat_raised, 1);
    DO(&r, "vssrl.vi", 6, 2, 9, 1); /* by 1 */
    EXPECT_V(&r, 6, 0x40, 0x40, 0xffffff80, 2);
    assert_int_equal(r.commit.vxsat_raised, 0);
    set_sew(&r, E16);
    DO(&r, "vsadd.vv", 6, 2, 4, 1); /* 0x80 + 0xff */
    EXPECT_V(&r, 6, 0x80, 0x17f, 0, 3);
    assert_int_equal(r.commit.vxsat_raised, 0);
    splat_v(&r, 2, 0x8000);
    DO(&r, "vsmul.vv", 6, 2, 2, 1);
    EXPECT_V(&r, 6, 0x7fff, 0x7fff, 0x7fff, 0x7fff);
    assert_int_equal(r.commit.vxsat_raised, 1);
    rig_close(&r);
}

static void binary16(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_sew(&r, E16);
    /* 1, -2, the least subnormal, the greatest; above them anything, which no NaN box has to be. */
    static const uint32_t a[] = {0x12343c00, 0xffffc000, 0x00000001, 0xabcd7bff},
                          b[] = {0x3c00, 0x4000, 0x0001, 0x7bff};
    set_v(&r, 2, a);
    set_v(&r, 4, b);
    DO(&r, "vfadd.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0xffff4000, 0xffff0000, 0xffff0002, 0xffff7c00);
    assert_int_equal(r.commit.flags_raised, 5); /* overflow, inexact */
    assert_int_equal(r.commit.width, 16);
    DO(&r, "vfmul.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0xffff3c00, 0xffffc400, 0xffff0000, 0xffff7c00);
    assert_int_equal(r.commit.flags_raised, 7);
    DO(&r, "vfsqrt.v", 6, 2, 1);
    EXPECT_V(&r, 6, 0xffff3c00, 0xffff7e00, 0xffff0c00, 0xffff5bff); /* 2^-12 */
    DO(&r, "vfsgnjn.vv", 6, 2, 2, 1);
    EXPECT_V(&r, 6, 0xffffbc00, 0xffff4000, 0xffff8001, 0xfffffbff);
    DO(&r, "vfmin.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0xffff3c00, 0xffffc000, 0xffff0001, 0xffff7bff);
    splat_v(&r, 6, 0x3c00);
    DO(&r, "vfmacc.vv", 6, 2, 4, 1); /* 1 + a * b: 2^-48 is less than half an ulp */
    EXPECT_V(&r, 6, 0xffff4000, 0xffffc200, 0xffff3c00, 0xffff7c00);
    set_x(&r, 5, 0x3f804000); /* low 16 bits: 2 */
    DO(&r, "vfsub.vf", 6, 2, 5, 1);
    EXPECT_V(&r, 6, 0xffffbc00, 0xffffc400, 0xffffc000, 0xffff7bff);
    DO(&r, "vfmv.v.f", 6, 5);
    EXPECT_V(&r, 6, 0xffff4000, 0xffff4000, 0xffff4000, 0xffff4000);
    DO(&r, "vfmv.s.f", 6, 0);
    EXPECT_V(&r, 6, 0xffff0000, 0xffff0000, 0xffff0000, 0xffff0000);
    static const uint32_t m[] = {1, 0, 1, 0};
    set_v(&r, 0, m);
    DO(&r, "vfmerge.vfm", 6, 2, 5);
    EXPECT_V(&r, 6, 0xffff4000, 0xffffc000, 0xffff4000, 0xffff7bff);
    splat_v(&r, 8, 0x12343c00);
    DO(&r, "vfmv.f.s", 7, 8);
    assert_int_equal(get_x(&r, 7), 0xffff3c00);
    /* Masks, classes and integers are no binary16. */
    DO(&r, "vmflt.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 0, 1, 0, 0);
    DO(&r, "vfclass.v", 6, 2, 1);
    EXPECT_V(&r, 6, 1 << 6, 1 << 1, 1 << 5, 1 << 6);
    DO(&r, "vfcvt.x.f.v", 6, 2, 1);
    EXPECT_V(&r, 6, 1, 0xfffffffe, 0, 0x7fff); /* 65504 is beyond int16_t */
    assert_int_equal(r.commit.flags_raised, 17);
    DO(&r, "vfcvt.xu.f.v", 6, 2, 1);
    EXPECT_V(&r, 6, 1, 0, 0, 0xffffffe0);
    splat_v(&r, 2, 0x1234ffff);
    DO(&r, "vfcvt.f.x.v", 6, 2, 1);
    EXPECT_V(&r, 6, 0xffffbc00, 0xffffbc00);
    DO(&r, "vfcvt.f.xu.v", 6, 2, 1);
    EXPECT_V(&r, 6, 0xffff7c00, 0xffff7c00);
    assert_int_equal(r.commit.flags_raised, 5);
    splat_v(&r, 2, 0x4000);
    DO(&r, "vfrec7.v", 6, 2, 1);
    EXPECT_V(&r, 6, 0xffff37f8); /* about 1 / 2, from the table of V 1.0 */
    /* A signalling NaN. */
    splat_v(&r, 2, 0x7c01);
    DO(&r, "vfadd.vv", 6, 2, 2, 1);
    EXPECT_V(&r, 6, 0xffff7e00);
    assert_int_equal(r.commit.flags_raised, 16);
    rig_close(&r);
}

/* Every floating-point row of the V extension, and no integer one. */
static void no_float_at_sew_8(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    unsigned illegal = 0;
    for (int row = 0; row < karat_num_rows(); row++) {
        const karat_row *info = karat_row_info(row);
        if (!karat_row_is_legal(info, KARAT_V203) || (info->match & 0x7f) != 0x57 ||
            info->unit == KARAT_UNIT_CONFIG)
            continue;
        int32_t value[KARAT_MAX_OPERAND] = {0};
        for (unsigned i = 0; i < info->num_operands; i++)
            if (karat_operand_info(info->operands[i])->is_reg)
                value[i] = 2 + 2 * (int32_t)i;
        uint32_t word;
        assert_true(karat_encode(row, value, &word));
        for (int32_t sew = 0; sew < 3; sew++) {
            const bool conversion = strstr(info->name, "vfwcvt_f_x") || strstr(info->name, "vfncvt_x") ||
                                    strstr(info->name, "vfncvt_rtz_x");
            const bool is_illegal = sew == 0 && info->mnemonic[1] == 'f' && !conversion;
            const bool compare = sew == 0 && strncmp(info->name, "vmf", 3) == 0;
            set_sew(&r, sew << 3);
            illegal += is_illegal || compare;
            rows_pause(); /* values have tests of their own */
            if (is_illegal || compare) {
                fail_word(&r, word, KARAT_ERR_ILLEGAL);
                ILLEGAL_BY(&r, WIDTH);
            } else {
                do_word(&r, word);
            }
            rows_resume();
        }
    }
    assert_true(illegal > 60);
    rig_close(&r);
}

static void widening(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    /* 8 to 16 bits, in one register. */
    set_sew(&r, E8);
    static const uint32_t a[] = {0x1234567f, 0x80, 0xff, 2}, b[] = {1, 0xffffff80, 0xff, 0xfe};
    set_v(&r, 3, a);
    set_v(&r, 5, b);
    DO(&r, "vwaddu.vv", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x80, 0x100, 0x1fe, 0x100);
    assert_int_equal(r.commit.width, 8);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.num_reads, 2);
    DO(&r, "vwadd.vv", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x80, 0xffffff00, 0xfffffffe, 0);
    DO(&r, "vwsubu.vv", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x7e, 0, 0, 0xffffff04);
    DO(&r, "vwsub.vv", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x7e, 0, 0, 4);
    DO(&r, "vwmulu.vv", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x7f, 0x4000, 0xfffffe01, 0x1fc); /* 0xfe01 is sign-extended */
    DO(&r, "vwmul.vv", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x7f, 0x4000, 1, 0xfffffffc);
    DO(&r, "vwmulsu.vv", 7, 3, 5, 1); /* vs2 is the signed one */
    EXPECT_V(&r, 7, 0x7f, 0xffffc000, 0xffffff01, 0x1fc);
    set_x(&r, 5, 0x123480fe);
    DO(&r, "vwadd.vx", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x7d, 0xffffff7e, 0xfffffffd, 0);
    DO(&r, "vwmulsu.vx", 7, 3, 5, 1); /* 254 * a */
    EXPECT_V(&r, 7, 0x7e02, 0xffff8100, 0xffffff02, 0x1fc);
    DO(&r, "vwaddu.vx", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x17d, 0x17e, 0x1fd, 0x100);
    DO(&r, "vwsubu.vx", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0xffffff81, 0xffffff82, 1, 0xffffff04);
    DO(&r, "vwmulu.vx", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x7e02, 0x7f00, 0xfffffd02, 0x1fc);
    DO(&r, "vwmul.vx", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0xffffff02, 0x100, 2, 0xfffffffc);
    splat_v(&r, 7, 1);
    DO(&r, "vwmaccu.vx", 7, 5, 3, 1);
    EXPECT_V(&r, 7, 0x7e03, 0x7f01, 0xfffffd03, 0x1fd);
    splat_v(&r, 7, 1);
    DO(&r, "vwmacc.vx", 7, 5, 3, 1);
    EXPECT_V(&r, 7, 0xffffff03, 0x101, 3, 0xfffffffd);
    static const uint32_t wide[] = {0x1234ffff, 0x8000, 0x100, 0};
    set_v(&r, 9, wide);
    DO(&r, "vwaddu.wv", 7, 9, 9, 1); /* both sources are wide */
    EXPECT_V(&r, 7, 0xfffffffe, 0, 0x200, 0);
    DO(&r, "vwaddu.wx", 7, 9, 5, 1);
    EXPECT_V(&r, 7, 0xfd, 0xffff80fe, 0x1fe, 0xfe);
    DO(&r, "vwadd.wx", 7, 9, 5, 1);
    EXPECT_V(&r, 7, 0xfffffffd, 0x7ffe, 0xfe, 0xfffffffe);
    DO(&r, "vwsubu.wx", 7, 9, 5, 1);
    EXPECT_V(&r, 7, 0xffffff01, 0x7f02, 2, 0xffffff02);
    DO(&r, "vwsub.wx", 7, 9, 5, 1);
    EXPECT_V(&r, 7, 1, 0xffff8002, 0x102, 2);
    DO(&r, "vwsub.wv", 7, 9, 3, 1); /* vs1 has 16 bits: 0x567f */
    EXPECT_V(&r, 7, 0xffffa980, 0x7f80, 1, 0xfffffffe);
    splat_v(&r, 7, 0xabcd0001);
    DO(&r, "vwmacc.vv", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x80, 0x4001, 2, 0xfffffffd);
    splat_v(&r, 7, 0);
    DO(&r, "vwmaccsu.vv", 7, 3, 5, 1); /* vs1 signed, vs2 unsigned */
    EXPECT_V(&r, 7, 0x7f, 0xffffc000, 0xffffff01, 0x1fc);
    splat_v(&r, 7, 0);
    DO(&r, "vwmaccus.vx", 7, 5, 3, 1); /* rs1 unsigned, vs2 signed */
    EXPECT_V(&r, 7, 0x7e02, 0xffff8100, 0xffffff02, 0x1fc);
    splat_v(&r, 7, 0);
    DO(&r, "vwmaccu.vv", 7, 3, 5, 1);
    EXPECT_V(&r, 7, 0x7f, 0x4000, 0xfffffe01, 0x1fc);
    /* 16 to 32 bits: all of a register. */
    set_sew(&r, E16);
    splat_v(&r, 3, 0xffff8000);
    DO(&r, "vwmulu.vv", 7, 3, 3, 1);
    EXPECT_V(&r, 7, 0x40000000, 0x40000000);
    DO(&r, "vwaddu.vv", 7, 3, 3, 1);
    EXPECT_V(&r, 7, 0x10000, 0x10000);
    DO(&r, "vwadd.wv", 7, 3, 3, 1);
    EXPECT_V(&r, 7, 0xffff0000, 0xffff0000);
    assert_int_equal(r.commit.num_writes, 1);
    /* 32 to 64 bits: a pair. */
    set_sew(&r, E32);
    static const uint32_t c[] = {0xffffffff, 0x80000000, 1, 0};
    set_v(&r, 3, c);
    DO(&r, "vwaddu.vv", 8, 3, 3, 1);
    EXPECT_V64(&r, 8, 0x1fffffffe, 0x100000000, 2, 0);
    assert_int_equal(r.commit.width, 32);
    assert_int_equal(r.commit.elements, 4);
    assert_int_equal(r.commit.num_writes, 2);
    assert_int_equal(r.commit.num_reads, 2);
    DO(&r, "vwmulsu.vv", 8, 3, 3, 1);
    EXPECT_V64(&r, 8, -0xffffffffll, 0xc000000000000000, 1, 0);
    set_x(&r, 5, 0x80000000);
    DO(&r, "vwsub.vx", 8, 3, 5, 1);
    EXPECT_V64(&r, 8, 0x7fffffff, 0, 0x80000001, 0x80000000);
    splat_v64(&r, 10, 0x100000000);
    DO(&r, "vwadd.wx", 8, 10, 5, 1);
    EXPECT_V64(&r, 8, 0x80000000, 0x80000000);
    assert_int_equal(r.commit.num_reads, 3);
    DO(&r, "vwaddu.wx", 8, 10, 5, 1);
    EXPECT_V64(&r, 8, 0x180000000, 0x180000000);
    DO(&r, "vwsubu.wv", 8, 10, 10, 1);
    EXPECT_V64(&r, 8, 0, 0);
    assert_int_equal(r.commit.num_reads, 4);
    splat_v64(&r, 8, 5);
    DO(&r, "vwmaccsu.vx", 8, 5, 3, 1); /* -2^31 times unsigned */
    EXPECT_V64(&r, 8, 5 - 0x7fffffff80000000, 5 - 0x4000000000000000, 5 - 0x80000000ll, 5);
    assert_int_equal(r.commit.num_reads, 4); /* rs1, vs2, vd twice */
    /* The result may overlap a source; the wide operands must be even, the others need not. */
    set_v(&r, 8, c);
    DO(&r, "vwadd.vv", 8, 8, 8, 1);
    EXPECT_V64(&r, 8, -2, -0x100000000ll, 2, 0);
    /* Masked lanes keep both words. */
    static const uint32_t m[] = {0, 1, 0, 1};
    set_v(&r, 0, m);
    splat_v64(&r, 8, 0x700000007);
    DO(&r, "vwadd.vv", 8, 3, 3, 0);
    EXPECT_V64(&r, 8, 0x700000007, -0x100000000ll, 0x700000007, 0);
    assert_int_equal(r.commit.write[1].mask, 0xa);
    FAIL(&r, KARAT_ERR_ILLEGAL, "vwadd.vv", 7, 2, 4, 1);
    ILLEGAL_BY(&r, ODD_PAIR);
    FAIL(&r, KARAT_ERR_ILLEGAL, "vwadd.wv", 8, 3, 4, 1);
    FAIL(&r, KARAT_ERR_ILLEGAL, "vwadd.wv", 8, 4, 3, 1);
    FAIL(&r, KARAT_ERR_ILLEGAL, "vwsubu.wx", 8, 3, 5, 1);
    FAIL(&r, KARAT_ERR_ILLEGAL, "vwmacc.vv", 9, 3, 5, 1);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vwadd.vv", 8, 3, 3, 1));
    assert_int_equal(r.commit.write[1].reg, 41);
    rig_close(&r);
}

/* All at SEW 8, 16 and 32, where they exist. */
static void conversions(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_sew(&r, E8); /* 8-bit integers and binary16 */
    static const uint32_t i8[] = {0x12345680, 0x7f, 0xff, 0};
    set_v(&r, 3, i8);
    DO(&r, "vfwcvt.f.x.v", 7, 3, 1);
    EXPECT_V(&r, 7, 0xffffd800, 0xffff57f0, 0xffffbc00, 0xffff0000);
    assert_int_equal(r.commit.width, 8);
    DO(&r, "vfwcvt.f.xu.v", 7, 3, 1);
    EXPECT_V(&r, 7, 0xffff5800, 0xffff57f0, 0xffff5bf8, 0xffff0000);
    static const uint32_t f16[] = {0x1234d840, 0x57f4, 0x3e00, 0xbc00}; /* -136, 127.25, 1.5, -1 */
    set_v(&r, 3, f16);
    DO(&r, "vfncvt.x.f.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0xffffff80, 0x7f, 2, 0xffffffff);
    assert_int_equal(r.commit.flags_raised, 17);
    DO(&r, "vfncvt.rtz.x.f.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0xffffff80, 0x7f, 1, 0xffffffff);
    DO(&r, "vfncvt.xu.f.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0, 0x7f, 2, 0);
    DO(&r, "vfncvt.rtz.xu.f.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0, 0x7f, 1, 0);
    set_sew(&r, E16); /* binary16 and 16-bit integers; binary32 and 32-bit integers */
    DO(&r, "vfwcvt.f.f.v", 7, 3, 1);
    EXPECT_V(&r, 7, 0xc3080000, 0x42fe8000, 0x3fc00000, 0xbf800000);
    assert_int_equal(r.commit.flags_raised, 0);
    DO(&r, "vfwcvt.x.f.v", 7, 3, 1);
    EXPECT_V(&r, 7, -136u, 127, 2, -1u);
    DO(&r, "vfwcvt.rtz.x.f.v", 7, 3, 1);
    EXPECT_V(&r, 7, -136u, 127, 1, -1u);
    DO(&r, "vfwcvt.xu.f.v", 7, 3, 1);
    EXPECT_V(&r, 7, 0, 127, 2, 0);
    DO(&r, "vfwcvt.rtz.xu.f.v", 7, 3, 1);
    EXPECT_V(&r, 7, 0, 127, 1, 0);
    splat_v(&r, 3, 0xffff8001);
    DO(&r, "vfwcvt.f.x.v", 7, 3, 1);
    EXPECT_V(&r, 7, 0xc6fffe00);
    DO(&r, "vfwcvt.f.xu.v", 7, 3, 1);
    EXPECT_V(&r, 7, 0x47000100);
    static const uint32_t f32[] = {0x3f801000, 0x477ff000, 0x33000000,
                                   0x7fc00001}; /* ties at 1, overflow, 2^-25 */
    set_v(&r, 3, f32);
    DO(&r, "vfncvt.f.f.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0xffff3c00, 0xffff7c00, 0xffff0000, 0xffff7e00);
    assert_int_equal(r.commit.flags_raised, 7);
    DO(&r, "vfncvt.rod.f.f.w", 7, 3, 1); /* to odd */
    EXPECT_V(&r, 7, 0xffff3c01, 0xffff7bff, 0xffff0001, 0xffff7e00);
    static const uint32_t i32[] = {100000, -3u, 0x80000000, 2049};
    set_v(&r, 3, i32);
    DO(&r, "vfncvt.f.x.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0xffff7c00, 0xffffc200, 0xfffffc00, 0xffff6800);
    DO(&r, "vfncvt.f.xu.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0xffff7c00, 0xffff7c00, 0xffff7c00, 0xffff6800);
    static const uint32_t g32[] = {0x47800000, 0xc7000000, 0x3fc00000,
                                   0xbf000000}; /* 65536, -32768, 1.5, -0.5 */
    set_v(&r, 3, g32);
    DO(&r, "vfncvt.x.f.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0x7fff, 0xffff8000, 2, 0);
    DO(&r, "vfncvt.xu.f.w", 7, 3, 1);
    EXPECT_V(&r, 7, 0xffffffff, 0, 2, 0);
    assert_int_equal(r.commit.num_writes, 1);
    set_sew(&r, E32); /* binary32 and 32-bit integers; pairs of binary64 and of 64-bit integers */
    DO(&r, "vfwcvt.f.f.v", 8, 3, 1);
    EXPECT_V64(&r, 8, 0x40f0000000000000, 0xc0e0000000000000, 0x3ff8000000000000, 0xbfe0000000000000);
    assert_int_equal(r.commit.num_writes, 2);
    assert_int_equal(r.commit.width, 32);
    DO(&r, "vfncvt.f.f.w", 7, 8, 1);
    EXPECT_V(&r, 7, 0x47800000, 0xc7000000, 0x3fc00000, 0xbf000000);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.num_reads, 2);
    DO(&r, "vfwcvt.x.f.v", 8, 3, 1);
    EXPECT_V64(&r, 8, 65536, -32768, 2, 0);
    DO(&r, "vfwcvt.rtz.xu.f.v", 8, 3, 1);
    EXPECT_V64(&r, 8, 65536, 0, 1, 0);
    splat_v(&r, 3, 0xffffffff);
    DO(&r, "vfwcvt.f.x.v", 8, 3, 1);
    EXPECT_V64(&r, 8, 0xbff0000000000000);
    DO(&r, "vfwcvt.f.xu.v", 8, 3, 1);
    EXPECT_V64(&r, 8, 0x41efffffffe00000);
    DO(&r, "vfncvt.rtz.xu.f.w", 7, 8, 1);
    EXPECT_V(&r, 7, 0xffffffff);
    DO(&r, "vfncvt.x.f.w", 7, 8, 1);
    EXPECT_V(&r, 7, 0x7fffffff);
    assert_int_equal(r.commit.flags_raised, 16);
    splat_v64(&r, 8, 0xffffff8000000000); /* -2^39 */
    DO(&r, "vfncvt.f.x.w", 7, 8, 1);
    EXPECT_V(&r, 7, 0xd3000000);
    DO(&r, "vfncvt.f.xu.w", 7, 8, 1);
    EXPECT_V(&r, 7, 0x5f800000);
    splat_v64(&r, 8, 0x3ff0000000000001);
    DO(&r, "vfncvt.rod.f.f.w", 7, 8, 1);
    EXPECT_V(&r, 7, 0x3f800001);
    DO(&r, "csrrwi", 0, FRM, 3); /* up; rod and rtz do not care */
    DO(&r, "vfncvt.f.f.w", 7, 8, 1);
    EXPECT_V(&r, 7, 0x3f800001);
    DO(&r, "vfncvt.rtz.x.f.w", 7, 8, 1);
    EXPECT_V(&r, 7, 1);
    DO(&r, "vfncvt.x.f.w", 7, 8, 1);
    EXPECT_V(&r, 7, 2);
    /* Not even pairs: illegal; of 8 and 16 bits there are none. */
    FAIL(&r, KARAT_ERR_ILLEGAL, "vfwcvt.f.f.v", 7, 4, 1);
    FAIL(&r, KARAT_ERR_ILLEGAL, "vfncvt.f.f.w", 8, 3, 1);
    set_sew(&r, E16);
    DO(&r, "vfwcvt.f.f.v", 7, 3, 1);
    DO(&r, "vfncvt.f.f.w", 7, 3, 1);
    /* A reserved rounding mode is illegal, whatever mode the row has. */
    DO(&r, "csrrwi", 0, FRM, 5);
    FAIL(&r, KARAT_ERR_ILLEGAL, "vfncvt.rod.f.f.w", 7, 3, 1);
    rig_close(&r);
}

static void indexed_accesses(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_x(&r, 5, DATA);
    set_word(&r, DATA, 0x8899aabb);
    set_word(&r, DATA + 0x10c, 0xccddeeff);
    static const uint32_t index[] = {0x100, 0x10e, 2, 0x10c};
    set_v(&r, 2, index);
    set_sew(&r, E8); /* the data has SEW bits, zero-extended; the index is the instruction's */
    DO(&r, "vluxei32.v", 3, 5, 2, 1);
    EXPECT_V(&r, 3, 0, 0xdd, 0x99, 0xff);
    assert_int_equal(karat_mem_access(&r.commit.mem, 0).bytes, 1);
    DO(&r, "vloxei8.v", 3, 5, 2, 1);
    EXPECT_V(&r, 3, 0xbb, 0, 0x99, 0);
    splat_v(&r, 4, 0x12345677);
    DO(&r, "vsuxei16.v", 4, 5, 2, 1);
    assert_int_equal(get_word(&r, DATA + 0x10c), 0xcc77ee77);
    assert_int_equal(get_word(&r, DATA), 0x8877aabb);
    set_sew(&r, E16);
    DO(&r, "vluxei16.v", 3, 5, 2, 1);
    EXPECT_V(&r, 3, 0x77, 0xcc77, 0x8877, 0xee77);
    DO(&r, "vsoxei32.v", 4, 5, 2, 1);
    assert_int_equal(get_word(&r, DATA + 0x10c), 0x56775677);
    /* Others have their own width whatever SEW is. */
    DO(&r, "vle32.v", 3, 5, 1);
    assert_int_equal(get_v(&r, 3)[0], 0x5677aabb);
    DO(&r, "vle8.v", 3, 5, 1);
    EXPECT_V(&r, 3, 0xbb, 0xaa, 0x77, 0x56);
    /* An index that is odd is misaligned for 16 bits, not for 8. */
    ramp_v(&r, 2, 1, 1);
    set_sew(&r, E8);
    DO(&r, "vluxei32.v", 3, 5, 2, 1);
    set_sew(&r, E16);
    FAIL(&r, KARAT_ERR_MISALIGNED, "vluxei32.v", 3, 5, 2, 1);
    rig_close(&r);
}

/* SEW is part of a snapshot. */
static void snapshots(void **unused) {
    (void)unused;
    for (int32_t sew = 0; sew < 3; sew++) {
        rig r;
        rig_open_v203(&r, 4);
        set_sew(&r, sew << 3);
        splat_v(&r, 2, 0x7fff7f7f);
        set_word(&r, pc_of(&r), OP("vadd.vi", 3, 2, 1, 1));
        const size_t size = karat_save_size(r.model);
        uint8_t *saved = test_malloc(size);
        assert_int_equal(karat_save(r.model, saved, size), KARAT_OK);
        static karat_commit commit;
        karat_status status;
        karat_model *again = karat_restore(saved, size, &status);
        assert_non_null(again);
        assert_int_equal(karat_step(again, 0, &commit), KARAT_OK);
        assert_int_equal(commit.width, 8 << sew);
        static const uint32_t expected[] = {0xffffff80, 0x7f80, 0x7fff7f80};
        assert_int_equal(commit.write[0].value[0], expected[sew]);
        uint32_t vtype;
        assert_int_equal(karat_csr_read(again, 0, 0xc21, &vtype), KARAT_OK);
        assert_int_equal(vtype, sew << 3);
        karat_destroy(again);
        test_free(saved);
        rig_close(&r);
    }
}

int v203_widths_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vset),
        cmocka_unit_test(bytes),
        cmocka_unit_test(halves),
        cmocka_unit_test(groups),
        cmocka_unit_test(fixed_point),
        cmocka_unit_test(binary16),
        cmocka_unit_test(no_float_at_sew_8),
        cmocka_unit_test(widening),
        cmocka_unit_test(conversions),
        cmocka_unit_test(indexed_accesses),
        cmocka_unit_test(snapshots),
    };
    return cmocka_run_group_tests_name("v2.03: widths", tests, NULL, NULL);
}
