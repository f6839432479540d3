/* Compares karat_f32_exp with GNU MPFR: a slice of what the target exhaustive_vfexp compares. Two oracles:
 * that of f32_exp_oracle.h, for all five modes at once, and MPFR with binary32's precision and exponent
 * range, which does the rounding itself. The first has to agree with the second, ours with both.
 *
 * KARAT_SEED repeats a run; KARAT_FP_CASES is the number of random comparisons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "suite.h"

#include "f32_exp_oracle.h"
#include "f32_operands.h"
#include "fp/f32_round.h"

static struct exp_oracle oracle;
static mpfr_t operand, result;
static uint64_t compared;

/* The bits of a number >= 0 that is representable in binary32. */
static uint32_t store(mpfr_t from) {
    if (mpfr_inf_p(from))
        return 0x7f800000;
    if (mpfr_zero_p(from))
        return 0;
    mpfr_exp_t exp; /* From = integer * 2^exp, with an integer of 24 bits */
    mpz_t integer;
    mpz_init(integer);
    exp = mpfr_get_z_2exp(integer, from);
    if (exp < -149)
        mpz_tdiv_q_2exp(integer, integer, (mp_bitcnt_t)(-149 - exp));
    uint32_t n = (uint32_t)mpz_get_ui(integer);
    mpz_clear(integer);
    return exp < -149 ? n : (uint32_t)(exp + 150) << 23 | (n & 0x7fffff);
}

/* MPFR's own rounding, for an operand that is no NaN. Both nearest modes are MPFR_RNDN, as there is no tie.
 */
static void direct(uint32_t a, unsigned rm, uint32_t *value, uint32_t *flags) {
    static const mpfr_rnd_t modes[MODES] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU, MPFR_RNDN};
    exp_load(operand, a);
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    mpfr_clear_flags();
    int ternary = mpfr_exp(result, operand, modes[rm]);
    ternary = mpfr_check_range(result, ternary, modes[rm]);
    ternary = mpfr_subnormalize(result, ternary, modes[rm]);
    *value = store(result);
    *flags = (ternary != 0 ? KARAT_NX : 0) | (mpfr_overflow_p() ? KARAT_OF : 0);
    mpfr_set_emin(-2000);
    mpfr_set_emax(2000);
    /* Tiny and inexact: below 2^-126 also if rounded with an unbounded exponent. */
    if (ternary != 0 && *value <= 0x00800000) {
        mpfr_exp(result, operand, modes[rm]);
        if (mpfr_zero_p(result) || mpfr_get_exp(result) <= -126)
            *flags |= KARAT_UF;
    }
}

static void check_direct(uint32_t a, unsigned rm, const struct exp_outcomes *want) {
    uint32_t value, flags;
    direct(a, rm, &value, &flags);
    compared++;
    if (value != want->value[rm] || flags != want->flags[rm])
        fail_msg("exp rm=%u %08x: MPFR rounds to %08x flags %02x, from 64 bits we derive %08x flags %02x", rm,
                 a, value, flags, want->value[rm], want->flags[rm]);
}

static void check(uint32_t a, struct exp_outcomes *want) {
    struct exp_outcomes got;
    exp_oracle(&oracle, a, want);
    exp_ours(a, &got);
    compared += MODES;
    for (unsigned rm = 0; rm < MODES; rm++)
        if (got.value[rm] != want->value[rm] || got.flags[rm] != want->flags[rm])
            fail_msg("exp rm=%u %08x: got %08x flags %02x, MPFR says %08x flags %02x", rm, a, got.value[rm],
                     got.flags[rm], want->value[rm], want->flags[rm]);
}

static void check_both(uint32_t a) {
    struct exp_outcomes want;
    check(a, &want);
    for (unsigned rm = 0; rm < MODES && (a & 0x7fffffff) <= 0x7f800000; rm++)
        check_direct(a, rm, &want);
}

static void report(const char *what) {
    print_message("%llu comparisons of %s\n", (unsigned long long)compared, what);
    compared = 0;
}

static int set_up(void **state) {
    (void)state;
    exp_oracle_open(&oracle);
    mpfr_inits2(24, operand, result, (mpfr_ptr)NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    mpfr_clears(operand, result, (mpfr_ptr)NULL);
    exp_oracle_close(&oracle);
    return 0;
}

/* The promises of the decisions and of f32.h, written out; flags stay as they were and are only added to. */
TEST(test_special) {
    static const struct {
        uint32_t operand, value, flags;
    } cases[] = {
        {0x00000000, 0x3f800000, 0},        {0x80000000, 0x3f800000, 0},
        {0x7f800000, 0x7f800000, 0},        {0xff800000, 0x00000000, 0},
        {0x7fc00000, 0x7fc00000, 0},        {0xffc00000, 0x7fc00000, 0},
        {0x7fffffff, 0x7fc00000, 0},        {0xffd12345, 0x7fc00000, 0},
        {0x7f800001, 0x7fc00000, KARAT_NV}, {0xff800001, 0x7fc00000, KARAT_NV},
        {0x7fbfffff, 0x7fc00000, KARAT_NV}, {0xffbfffff, 0x7fc00000, KARAT_NV},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned rm = 0; rm < MODES; rm++) {
            uint32_t flags = KARAT_DZ;
            assert_int_equal(karat_f32_exp(cases[i].operand, rm, &flags), cases[i].value);
            assert_int_equal(flags, cases[i].flags | KARAT_DZ);
        }
        check_both(cases[i].operand);
    }
    report("special values");
}

TEST(test_every_exponent) {
    struct rng rng = {test_seed()};
    static const uint32_t fractions[] = {0, 1, 2, 0x3fffff, 0x400000, 0x400001, 0x7ffffe, 0x7fffff};
    for (uint32_t upper = 0; upper < 512; upper++) {
        for (unsigned i = 0; i < sizeof fractions / sizeof fractions[0]; i++)
            check_both(upper << 23 | fractions[i]);
        for (unsigned i = 0; i < 56; i++)
            check_both(upper << 23 | random_fraction(&rng));
    }
    report("every exponent");
}

/* Operands next to where something changes. */
TEST(test_boundaries) {
    static const uint32_t edges[] = {
        0x42b17218,             /* The result overflows: ln 2^128 */
        0xc2aeac50,             /* Becomes subnormal: ln 2^-126 */
        0xc2ce8ed0,             /* Less than the least subnormal: ln 2^-149 */
        0xc2cff1b5,             /* Less than half of it: ln 2^-150 */
        0x33800000, 0xb3000000, /* 1 + half an ulp, 1 - half an ulp */
        0x34000000, 0xb3800000, /* 1 + an ulp, 1 - an ulp */
        0x32800000, 0xb2800000, /* Below 2^-26 karat_f32_exp takes a short path */
        0x43000000, 0xc3000000, /* From 128 on it does so, too */
    };
    for (unsigned i = 0; i < sizeof edges / sizeof edges[0]; i++)
        for (uint32_t a = edges[i] - 2000; a <= edges[i] + 2000; a++)
            check_both(a);
    report("boundaries");
}

/* Of the multiples of ln2/128, where the reduction changes from one step to the next: operands next to them.
 */
TEST(test_steps) {
    mpfr_t step;
    mpfr_init2(step, 100);
    for (long k = -192 * 128; k <= 185 * 128; k++) {
        mpfr_const_log2(step, MPFR_RNDN);
        mpfr_mul_si(step, step, k, MPFR_RNDN);
        mpfr_div_2ui(step, step, 7, MPFR_RNDN);
        mpfr_set(operand, step, MPFR_RNDN);
        uint32_t negative = mpfr_signbit(operand) ? 0x80000000 : 0;
        mpfr_abs(operand, operand, MPFR_RNDN);
        uint32_t near = store(operand) | negative;
        struct exp_outcomes want;
        for (uint32_t a = near - 3; a != near + 4; a++)
            check(a, &want);
    }
    mpfr_clear(step);
    report("ends of steps");
}

/* Operands whose exact results are closest to a rounding boundary: 24 from 2^-26 to 2^-9, and 56 from there
 * on, the closest ones first. */
TEST(test_closest) {
    static const uint32_t closest[] = {
        0x33ffffff, 0x347ffffe, 0xb4800001, 0x34fffffc, 0xb5000002, 0x357ffff8, 0xb5800004, 0x35bffff7,
        0xb5c00009, 0x35fffff0, 0xb6000008, 0x363fffee, 0xb6400012, 0x367fffe0, 0xb6800010, 0x369fffe7,
        0xb6a00019, 0x36bfffdc, 0xb6c00024, 0x36dfffcf, 0xb6e00031, 0x36ffffc0, 0xb7000020, 0x3ab13d4f,
        0xc16912cd, 0xbb32cf64, 0xbbf0edf1, 0xc236bd8c, 0xbed67f95, 0x40315b33, 0x4001b249, 0xbecbb365,
        0x42a28a1b, 0x3b730a7d, 0xbc2a461a, 0x3d1a274e, 0x4288942b, 0xbbc3941f, 0xbea82076, 0xbbb70ee8,
        0x3ffe02ee, 0xbba3ec4a, 0x41b7ee9a, 0x3fe67199, 0x4195bc36, 0xc13d6631, 0xbca55088, 0x41cbf87b,
        0x4025c4e1, 0x3d0d2596, 0xbcb8f40f, 0xc0781533, 0x3d6dab65, 0x40dd70cb, 0xbfcd4607, 0xbfbfa14b,
        0x4071a3d1, 0xc2b9473f, 0xbdb393eb, 0x4034d02b, 0xbf76fd92, 0xbf81eadf, 0xc0382e72, 0xbb089368,
        0xbf4677b7, 0x3c971aaa, 0x3caffe2e, 0x3f5bc24c, 0x4283070f, 0x4178966e, 0x3c608a0e, 0x4222e0a3,
        0x3b18f346, 0xc0171d89, 0xc159fa1e, 0x3b8c972e, 0x3c8eb99b, 0xbee0e6cd, 0x3dfb09d6, 0x3d7010de};
    for (unsigned i = 0; i < sizeof closest / sizeof closest[0]; i++)
        check_both(closest[i]);
    report("results next to a rounding boundary");
}

/* Both signs, and mostly exponents for which the result is neither constant nor out of range. */
TEST(test_random) {
    struct rng rng = {test_seed()};
    uint64_t cases = env_number("KARAT_FP_CASES", 3000000);
    while (compared < cases) {
        uint64_t r = rng_next(&rng);
        uint32_t a = (uint32_t)(r >> 32);
        if (r & 15)
            a = (a & 0x807fffff) | (127 - 27 + rng_below(&rng, 34)) << 23;
        struct exp_outcomes want;
        check(a, &want);
        if ((a & 0x7fffffff) <= 0x7f800000)
            check_direct(a, (uint32_t)r % MODES, &want);
    }
    report("random operands");
}

TEST(test_table) {
    mpfr_t power;
    mpfr_init2(power, 63);
    for (unsigned j = 0; j < 128; j++) {
        mpfr_set_ui_2exp(power, j, -7, MPFR_RNDN);
        mpfr_exp2(power, power, MPFR_RNDN);
        mpfr_mul_2ui(power, power, 62, MPFR_RNDN);
        uint64_t want = mpfr_get_uj(power, MPFR_RNDN);
        if (f32_exp2_table[j] != want)
            fail_msg("f32_exp2_table[%u] is 0x%016llx, MPFR says 0x%016llx", j,
                     (unsigned long long)f32_exp2_table[j], (unsigned long long)want);
    }
    mpfr_clear(power);
}

RUN_TESTS_BETWEEN("f32_exp", set_up, tear_down)
