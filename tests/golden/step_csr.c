/* CSRs (section 3.2; decisions, "Registers, CSRs, launch") and vector configuration. */
#include "step.h"

enum { FFLAGS = 1, FRM, FCSR, VSTART = 8, VXSAT, VXRM, VCSR = 15, VL = 0xc20, VTYPE, VLENB };

static bool exists(uint32_t csr) {
    static const uint32_t others[] = {1, 2, 3, 8, 9, 0xa, 0xf, 0x300, 0x305, 0x340, 0xc20, 0xc21, 0xc22};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (csr == others[i])
            return true;
    return csr >= 0x800 && csr <= 0x80c;
}

static bool is_read_only(uint32_t csr) {
    return (csr >= 0x800 && csr <= 0x80a) || csr >= 0xc20;
}

static void which_exist(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    for (uint32_t csr = 0; csr < 4096; csr++) {
        uint32_t value;
        assert_int_equal(karat_csr_read(r.model, 0, csr, &value),
                         exists(csr) ? KARAT_OK : KARAT_BAD_ARGUMENT);
        if (exists(csr)) {
            DO(&r, "csrrs", 5, (int32_t)csr, 0);
            assert_int_equal(get_x(&r, 5), value);
            assert_int_equal(r.commit.csr_written, 0);
        } else if (csr % 16 == 0 || exists(csr - 1) || exists(csr + 1)) { /* a failure costs a launch */
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrs", 5, (int32_t)csr, 0);
            ILLEGAL_BY(&r, CSR);
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrwi", 0, (int32_t)csr, 0);
        }
        if (exists(csr) && is_read_only(csr)) {
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrw", 5, (int32_t)csr, 0); /* the same value, but a write */
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrs", 5, (int32_t)csr, 6); /* of x6 = 0: a write anyway */
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrc", 5, (int32_t)csr, 6);
            ILLEGAL_BY(&r, CSR_WRITE);
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrwi", 0, (int32_t)csr, 0);
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrsi", 0, (int32_t)csr, 1);
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrci", 0, (int32_t)csr, 1);
            DO(&r, "csrrc", 5, (int32_t)csr, 0);
            DO(&r, "csrrsi", 5, (int32_t)csr, 0);
            DO(&r, "csrrci", 5, (int32_t)csr, 0);
            assert_int_equal(r.commit.csr_written, 0);
            assert_int_equal(karat_csr_write(r.model, 0, csr, 0), KARAT_BAD_ARGUMENT);
        }
    }
    rig_close(&r);
}

static void launch_gives_them(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 16);
    for (uint32_t i = 0; i < KARAT_NUM_CUSTOM_CSR; i++)
        r.desc.csr[i] = 0x11000000u * (i + 1) + i;
    karat_workgroup_close(r.model, 0);
    assert_int_equal(karat_workgroup_open(r.model, 0, 1), KARAT_OK);
    assert_int_equal(karat_launch(r.model, 0, &r.desc), KARAT_OK);
    for (uint32_t i = 0; i < KARAT_NUM_CUSTOM_CSR; i++) {
        DO(&r, "csrrs", 7, (int32_t)(0x800 + i), 0);
        assert_int_equal(get_x(&r, 7), 0x11000000u * (i + 1) + i);
    }
    for (uint32_t csr = 0; csr < 0x800; csr++)
        if (exists(csr))
            assert_int_equal(get_csr(&r, csr), 0);
    assert_int_equal(get_csr(&r, VL), 16);
    assert_int_equal(get_csr(&r, VTYPE), 2 << 3);
    assert_int_equal(get_csr(&r, VLENB), 64);
    rig_close(&r);
}

static void zicsr(void **unused) {
    (void)unused;
    const int32_t mscratch = 0x340;
    rig r;
    rig_open(&r, 8);
    set_x(&r, 1, 0xffff0f0f);
    set_x(&r, 2, 0x000ff0f0);
    DO(&r, "csrrw", 3, mscratch, 1);
    assert_int_equal(get_x(&r, 3), 0);
    assert_int_equal(r.commit.csr_written, 1);
    assert_int_equal(r.commit.csr, mscratch);
    assert_int_equal(r.commit.csr_old, 0);
    assert_int_equal(r.commit.csr_value, 0xffff0f0f);
    DO(&r, "csrrc", 3, mscratch, 2);
    assert_int_equal(get_x(&r, 3), 0xffff0f0f);
    assert_int_equal(get_csr(&r, mscratch), 0xfff00f0f);
    DO(&r, "csrrs", 4, mscratch, 2);
    assert_int_equal(get_x(&r, 4), 0xfff00f0f);
    assert_int_equal(get_csr(&r, mscratch), 0xffffffff);
    assert_int_equal(r.commit.csr_old, 0xfff00f0f);
    DO(&r, "csrrci", 4, mscratch, 0x11);
    assert_int_equal(get_csr(&r, mscratch), 0xffffffee);
    DO(&r, "csrrwi", 4, mscratch, 0x1f); /* zero-extended */
    assert_int_equal(get_x(&r, 4), 0xffffffee);
    assert_int_equal(get_csr(&r, mscratch), 0x1f);
    DO(&r, "csrrsi", 0, mscratch, 0x00);
    assert_int_equal(r.commit.csr_written, 0);
    assert_int_equal(r.commit.num_writes, 0);
    DO(&r, "csrrsi", 1, mscratch, 0);
    assert_int_equal(get_x(&r, 1), 0x1f);
    DO(&r, "csrrw", 2, mscratch, 2); /* rd = rs1: a swap */
    assert_int_equal(get_x(&r, 2), 0x1f);
    assert_int_equal(get_csr(&r, mscratch), 0x000ff0f0);
    DO(&r, "csrrw", 0, mscratch, 0); /* x0 as a source is a write of 0 */
    assert_int_equal(get_csr(&r, mscratch), 0);
    rig_close(&r);
}

/* The bits that each writable CSR keeps of ones. */
static void kept_bits(void **unused) {
    (void)unused;
    static const struct {
        int32_t csr;
        uint32_t kept;
    } rows[] = {{FFLAGS, 0x1f}, {FRM, 7},     {FCSR, 0xff}, {VXSAT, 1},   {VXRM, 3},   {VCSR, 7},
                {0x300, ~0u},   {0x305, ~0u}, {0x340, ~0u}, {0x80b, ~0u}, {0x80c, ~0u}};
    rig r;
    rig_open(&r, 8);
    set_x(&r, 1, 0xffffffff);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        DO(&r, "csrrw", 0, rows[i].csr, 1);
        assert_int_equal(r.commit.csr_value, rows[i].kept);
        assert_int_equal(get_csr(&r, (uint32_t)rows[i].csr), rows[i].kept);
    }
    /* Two views of one state: fcsr = frm << 5 | fflags, vcsr = vxrm << 1 | vxsat. */
    DO(&r, "csrrwi", 0, FRM, 3);
    DO(&r, "csrrwi", 0, FFLAGS, 0x11);
    assert_int_equal(get_csr(&r, FCSR), 0x71);
    DO(&r, "csrrwi", 0, FCSR, 0);
    assert_int_equal(get_csr(&r, FRM), 0);
    assert_int_equal(get_csr(&r, FFLAGS), 0);
    set_x(&r, 1, 0xa5);
    DO(&r, "csrrw", 0, FCSR, 1);
    assert_int_equal(get_csr(&r, FRM), 5);
    assert_int_equal(get_csr(&r, FFLAGS), 5);
    DO(&r, "csrrwi", 0, VXRM, 2);
    DO(&r, "csrrwi", 0, VXSAT, 0);
    assert_int_equal(get_csr(&r, VCSR), 4);
    DO(&r, "csrrwi", 0, VCSR, 3);
    assert_int_equal(get_csr(&r, VXRM), 1);
    assert_int_equal(get_csr(&r, VXSAT), 1);
    rig_close(&r);
}

static void vstart(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    DO(&r, "csrrs", 5, VSTART, 0);
    assert_int_equal(get_x(&r, 5), 0);
    DO(&r, "csrrw", 0, VSTART, 0);
    DO(&r, "csrrwi", 5, VSTART, 0);
    DO(&r, "csrrci", 0, VSTART, 1); /* 0 & ~1 */
    FAIL(&r, KARAT_ERR_ILLEGAL, "csrrwi", 0, VSTART, 1);
    FAIL(&r, KARAT_ERR_ILLEGAL, "csrrsi", 0, VSTART, 4);
    rig_close(&r);
}

static void from_outside(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    DO(&r, "csrrwi", 0, 0x80b, 9); /* CSR_PRINT, which the host resets */
    assert_int_equal(get_csr(&r, 0x80b), 9);
    assert_int_equal(karat_csr_write(r.model, 0, 0x80b, 0), KARAT_OK);
    DO(&r, "csrrs", 5, 0x80b, 0);
    assert_int_equal(get_x(&r, 5), 0);
    uint32_t value;
    assert_int_equal(karat_csr_read(r.model, 999, 0x80b, &value), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_csr_write(r.model, 999, 0x80b, 0), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_csr_write(r.model, 0, 0x7ff, 0), KARAT_BAD_ARGUMENT);
    rig_close(&r);
}

/* --- vsetvli, vsetivli, vsetvl (decisions) --- */

enum { E32M1 = 0x10, E32M2 = 0x11 };

static void expect_vset(rig *r, unsigned rd, uint32_t vl, uint32_t vtype) {
    assert_int_equal(get_csr(r, VL), vl);
    assert_int_equal(get_csr(r, VTYPE), vtype);
    if (rd)
        assert_int_equal(get_x(r, rd), vl);
    assert_int_equal(r->commit.csr_written, 1);
    assert_int_equal(r->commit.csr, VL);
    assert_int_equal(r->commit.csr_value, vl);
}

static void vset(void **unused) {
    (void)unused;
    for (uint32_t n = 1; n <= 32; n *= 2) {
        rig r;
        rig_open(&r, n);
        const uint32_t avl[] = {0,     1,         n - 1, n,          n + 1,     2 * n - 1,
                                2 * n, 2 * n + 1, 31,    0x7fffffff, 0xffffffff};
        for (size_t i = 0; i < sizeof avl / sizeof *avl; i++)
            for (uint32_t m2 = 0; m2 < 2; m2++)
                for (uint32_t policy = 0; policy < 4; policy++) { /* tu/ta and mu/ma are kept in vtype */
                    uint32_t vtype = (E32M1 + m2) | policy << 6;
                    uint32_t vlmax = n << m2, vl = avl[i] < vlmax ? avl[i] : vlmax;
                    set_x(&r, 1, avl[i]);
                    set_x(&r, 2, vtype);
                    DO(&r, "vsetvli", 5, 1, (int32_t)vtype);
                    expect_vset(&r, 5, vl, vtype);
                    DO(&r, "vsetvli", 6, 0, E32M1); /* rs1 = x0: VLMAX */
                    expect_vset(&r, 6, n, E32M1);
                    DO(&r, "vsetvl", 5, 1, 2);
                    expect_vset(&r, 5, vl, vtype);
                    assert_int_equal(r.commit.csr_old, n);
                    if (avl[i] < 32) {
                        DO(&r, "vsetivli", 7, (int32_t)avl[i], (int32_t)vtype);
                        expect_vset(&r, 7, vl, vtype);
                    }
                }
        /* rs1 = x0 and rd = x0: vl stays; where it is more than the new VLMAX, it is that. */
        DO(&r, "vsetivli", 0, 1, E32M1);
        DO(&r, "vsetvli", 0, 0, E32M2);
        expect_vset(&r, 0, 1, E32M2);
        DO(&r, "vsetvli", 5, 0, E32M2);
        expect_vset(&r, 5, 2 * n, E32M2);
        DO(&r, "vsetvli", 0, 0, E32M1);
        expect_vset(&r, 0, n, E32M1);
        assert_int_equal(r.commit.num_writes, 0);
        /* vsetivli's 0 is an AVL, not a register. */
        DO(&r, "vsetivli", 5, 0, E32M1);
        expect_vset(&r, 5, 0, E32M1);
        rig_close(&r);
    }
}

static void every_other_setting_is_vill(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    set_x(&r, 1, 5);
    for (int32_t vtype = 0; vtype < 2048; vtype++) {
        bool good = (vtype & 0x3f) == E32M1 || (vtype & 0x3f) == E32M2;
        if (vtype >> 8) /* reserved bits */
            good = false;
        set_x(&r, 5, 99);
        DO(&r, "vsetvli", 5, 1, vtype);
        expect_vset(&r, 5, good ? 5 : 0, good ? (uint32_t)vtype : 0x80000000u);
        DO(&r, "vsetivli", 5, 5, E32M1);
        if (vtype < 1024) {
            DO(&r, "vsetivli", 5, 6, vtype);
            expect_vset(&r, 5, good ? 6 : 0, good ? (uint32_t)vtype : 0x80000000u);
        }
    }
    /* vsetvl takes all 32 bits: vill itself, and any other. */
    for (unsigned bit = 8; bit < 32; bit++) {
        set_x(&r, 2, 1u << bit | E32M1);
        DO(&r, "vsetvl", 5, 1, 2);
        expect_vset(&r, 5, 0, 0x80000000u);
        DO(&r, "vsetvli", 0, 0, E32M1); /* vl stays 0 */
        expect_vset(&r, 0, 0, E32M1);
    }
    rig_close(&r);
}

/* Every row of the V extension depends on vtype; Ventus' own do not, nor do scalars and vset*. */
static void vill_makes_vector_rows_illegal(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    unsigned illegal = 0, custom = 0;
    rows_pause();
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        uint32_t opcode = row->match & 0x7f;
        uint32_t word = row->match | (1u << 25 & ~row->mask); /* unmasked, where there is a vm bit */
        if (!karat_row_is_legal(row, KARAT_V202))
            continue;
        bool v = (opcode == 0x57 && row->unit != KARAT_UNIT_CONFIG) || opcode == 0x07 || opcode == 0x27;
        if (v) {
            DO(&r, "vsetivli", 0, 5, 0);
            fail_word(&r, word, KARAT_ERR_ILLEGAL);
            ILLEGAL_BY(&r, VILL);
            illegal++;
        } else if (opcode == 0x0b && row->owes & KARAT_OWES_V) {
            DO(&r, "vsetivli", 0, 5, 0);
            do_word(&r, row->match | 3u << 7);
            assert_int_equal(r.commit.num_writes, 0); /* vl is 0 */
            custom++;
        }
    }
    rows_resume();
    assert_true(illegal > 100);
    assert_true(custom >= 2);
    /* A legal setting ends it. */
    DO(&r, "vsetivli", 0, 5, 0);
    DO(&r, "vsetvli", 5, 0, E32M1);
    DO(&r, "vid.v", 3, 1);
    assert_int_equal(get_v(&r, 3)[7], 7);
    rig_close(&r);
}

int csr_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_exist),
        cmocka_unit_test(launch_gives_them),
        cmocka_unit_test(zicsr),
        cmocka_unit_test(kept_bits),
        cmocka_unit_test(vstart),
        cmocka_unit_test(from_outside),
        cmocka_unit_test(vset),
        cmocka_unit_test(every_other_setting_is_vill),
        cmocka_unit_test(vill_makes_vector_rows_illegal),
    };
    return cmocka_run_group_tests_name("csr", tests, NULL, NULL);
}
