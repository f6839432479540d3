/* VFEXP and VFTTA (section 4.2.5; decisions, "VFTTA"). The results of VFEXP are tests/fp's subject. */
#include "support.h"

#define F_ONE 0x3f800000u

/* A small integer as binary32. */
static uint32_t f32(int value) {
    uint32_t magnitude = (uint32_t)(value < 0 ? -value : value), exp = 127 + 23;
    if (!magnitude)
        return 0;
    while (magnitude < 1u << 23)
        magnitude *= 2, exp--;
    while (magnitude >= 1u << 24)
        magnitude /= 2, exp++;
    return (value < 0 ? 0x80000000u : 0) | exp << 23 | (magnitude & 0x7fffff);
}

static const struct shape {
    uint32_t threads, m, n;
} shapes[] = {{4, 2, 2}, {8, 2, 4}, {16, 4, 4}, {32, 4, 8}};

/* Small integers, so that no order of sums matters: the plain matrix product. */
TEST(matrix_product) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const struct shape *s = &shapes[k];
        RIG(r, rig_open, s->threads);
        uint32_t a[32], b[32], d[32];
        int ia[32], ib[32], expected[32];
        for (uint32_t i = 0; i < s->threads; i++) {
            ia[i] = (int)(i * 7 % 13) - 6;
            ib[i] = (int)(i * 5 % 11) - 4;
            expected[i] = 100 + (int)i;
            a[i] = f32(ia[i]), b[i] = f32(ib[i]), d[i] = f32(expected[i]);
        }
        for (uint32_t i = 0; i < s->m; i++)
            for (uint32_t j = 0; j < s->m; j++)
                for (uint32_t n = 0; n < s->n; n++)
                    expected[i * s->m + j] += ia[i * s->n + n] * ib[j * s->n + n];
        set_v(&r, 1, a);
        set_v(&r, 2, b);
        set_v(&r, 3, d);
        DO(&r, "vftta.vv", 3, 2, 1, 1);
        for (uint32_t i = 0; i < s->threads; i++)
            assert_int_equal(get_v(&r, 3)[i], f32(expected[i]));
        uint32_t written = s->m * s->m == 32 ? 0xffffffff : (1u << s->m * s->m) - 1;
        assert_int_equal(r.commit.num_writes, 1);
        assert_int_equal(r.commit.write[0].mask, written); /* The lanes after keep their value */
        assert_int_equal(r.commit.flags_raised, 0);
    }
}

/* Row 0 of vs1 times column 0 of vs2 with values where the order of the sums shows. */
TEST(sums_form_a_balanced_tree) {
    const int big = 1 << 24;
    RIG(r, rig_open, 32);
    /* ((2^24 + 1) + (1 + 1)) + ((-2^24 + 1) + (1 + 1)) = (2^24 + 2) - (2^24 - 3) = 5; one by one it would
     * be 3. */
    const int a[8] = {big, 1, 1, 1, -big, 1, 1, 1};
    uint32_t v[32] = {0};
    for (int i = 0; i < 8; i++)
        v[i] = f32(a[i]);
    set_v(&r, 1, v);
    splat_v(&r, 2, F_ONE);
    splat_v(&r, 3, 0);
    DO(&r, "vftta.vv", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[0], f32(5));
    assert_int_equal(r.commit.flags_raised, 1); /* NX */
    /* The old vd comes last: 2^24 + (1 + ... + 1) is exact, 2^24 + 1 + 1 ... one by one would stay. */
    for (int i = 0; i < 8; i++)
        v[i] = F_ONE;
    set_v(&r, 1, v);
    splat_v(&r, 3, f32(big));
    DO(&r, "vftta.vv", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[0], f32(big + 8));
    /* Products are rounded before they are added: (2^12 + 1)^2 = 2^24 + 2^13 + 1 is not a binary32. */
    for (int i = 0; i < 8; i++)
        v[i] = i == 0 ? f32(4097) : i == 1 ? f32(-big) : i == 2 ? f32(-8192) : 0;
    set_v(&r, 1, v);
    uint32_t b[32] = {0};
    b[0] = f32(4097), b[1] = F_ONE, b[2] = F_ONE;
    set_v(&r, 2, b);
    splat_v(&r, 3, 0);
    DO(&r, "vftta.vv", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[0], 0);
    DO(&r, "csrrwi", 0, 0x002, 3); /* Upwards by frm: the product becomes 2^24 + 2^13 + 2 */
    splat_v(&r, 3, 0);
    DO(&r, "vftta.vv", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[0], f32(2));
}

/* Inactive lanes are read and not written; their results raise nothing. */
TEST(sources_whatever_the_masks) {
    scoped_rig r;
    rig_open(&r, 8);                                                   /* M = 2, N = 4 */
    uint32_t a[8] = {F_ONE, F_ONE, F_ONE, F_ONE, 0x7f800001, 0, 0, 0}; /* Row 1 has a signaling NaN */
    set_v(&r, 1, a);
    splat_v(&r, 2, F_ONE);
    splat_v(&r, 3, f32(10));
    narrow(&r, 0x02); /* Lane 1: row 0, column 1 */
    DO(&r, "vftta.vv", 3, 2, 1, 1);
    EXPECT_V(&r, 3, f32(10), f32(14), f32(10), f32(10), f32(10));
    assert_int_equal(r.commit.write[0].mask, 2);
    assert_int_equal(r.commit.flags_raised, 0);
    launch(&r);
    set_v(&r, 1, a);
    splat_v(&r, 2, F_ONE);
    DO(&r, "vftta.vv", 3, 2, 1, 1);
    EXPECT_V(&r, 3, f32(4), f32(4), 0x7fc00000, 0x7fc00000, 0);
    assert_int_equal(r.commit.flags_raised, 0x10); /* NV */
    /* With v0.t, and only lanes after the result are left: no write is expected. */
    const uint32_t mask[8] = {0, 1, 0, 0, 1, 1, 1, 1};
    set_v(&r, 0, mask);
    DO(&r, "vftta.vv", 4, 2, 1, 0);
    EXPECT_V(&r, 4, 0, f32(4), 0, 0, 0);
    const uint32_t behind[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    set_v(&r, 0, behind);
    DO(&r, "vftta.vv", 4, 2, 1, 0);
    assert_int_equal(r.commit.num_writes, 0);
    assert_int_equal(r.commit.flags_raised, 0);
}

TEST(accumulator_is_the_destination) {
    RIG(r, rig_open, 4);
    splat_v(&r, 33, F_ONE);
    splat_v(&r, 66, F_ONE);
    splat_v(&r, 99, f32(5));  /* {x3, vd}: not read */
    splat_v(&r, 131, f32(9)); /* {xd, vd} */
    do_prefixed(&r, regext(3, 2, 1, 4), OP("vftta.vv", 3, 2, 1, 1));
    EXPECT_V(&r, 131, f32(11), f32(11), f32(11), f32(11));
    EXPECT_V(&r, 99, f32(5));
}

TEST(illegal_where_it_has_no_shape) {
    for (uint32_t n = 1; n <= 2; n *= 2) {
        RIG(r, rig_open, n);
        FAIL(&r, KARAT_ERR_ILLEGAL, "vftta.vv", 3, 2, 1, 1);
        ILLEGAL_BY(&r, THREADS);
    }
    RIG(r, rig_open, 4);
    for (unsigned frm = 5; frm < 8; frm++) {
        karat_csr_write(r.model, 0, 2, frm);
        FAIL(&r, KARAT_ERR_ILLEGAL, "vftta.vv", 3, 2, 1, 1);
        karat_csr_write(r.model, 0, 2, frm);
        FAIL(&r, KARAT_ERR_ILLEGAL, "vfexp.v", 3, 2, 1);
    }
}

TEST(exponential) {
    RIG(r, rig_open, 8);
    const uint32_t a[8] = {0, 0x80000000, F_ONE, 0x7f800000, 0xff800000, 0x7fc12345, 0x7f800001, 0x42b17218};
    set_v(&r, 2, a);
    DO(&r, "vfexp.v", 3, 2, 1);
    /* The number e = 2.71828182845..., which is 0x402df854 to nearest; 88.72284 overflows. */
    EXPECT_V(&r, 3, F_ONE, F_ONE, 0x402df854, 0x7f800000, 0, 0x7fc00000, 0x7fc00000, 0x7f800000);
    assert_int_equal(r.commit.flags_raised, 0x10 | 0x04 | 0x01);
    DO(&r, "csrrwi", 0, 0x002, 3);
    DO(&r, "csrrwi", 0, 0x001, 0);
    narrow(&r, 0x07);
    DO(&r, "vfexp.v", 4, 2, 1);
    EXPECT_V(&r, 4, F_ONE, F_ONE, 0x402df855, 0, 0, 0, 0, 0); /* Upwards */
    assert_int_equal(r.commit.flags_raised, 0x01);
    assert_int_equal(get_csr(&r, 1), 0x01);
}
