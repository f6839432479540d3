/* CSRs (section 3.2; decisions, "Registers, CSRs, launch") and vector configuration. */
#include "support.h"

enum { VL = 0xc20, VTYPE, VLENB };

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

TEST(which_exist) {
    RIG(r, rig_open, 8);
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
}

TEST(launch_gives_them) {
    RIG(r, rig_open, 16);
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
}

TEST(from_outside) {
    RIG(r, rig_open, 8);
    DO(&r, "csrrwi", 0, 0x80b, 9); /* CSR_PRINT, which the host resets */
    assert_int_equal(get_csr(&r, 0x80b), 9);
    assert_int_equal(karat_csr_write(r.model, 0, 0x80b, 0), KARAT_OK);
    DO(&r, "csrrs", 5, 0x80b, 0);
    assert_int_equal(get_x(&r, 5), 0);
    uint32_t value;
    assert_int_equal(karat_csr_read(r.model, 999, 0x80b, &value), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_csr_write(r.model, 999, 0x80b, 0), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_csr_write(r.model, 0, 0x7ff, 0), KARAT_BAD_ARGUMENT);
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

TEST(every_other_setting_is_vill) {
    RIG(r, rig_open, 8);
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
}
