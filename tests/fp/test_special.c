/* The special functions of profile public, and bfloat16, against GNU MPFR.
 *
 * Every operand of binary16 and bfloat16, and operands of binary32: the special values, powers of two and
 * their neighbours, and random ones. Results and flags.
 *
 * Usage: test_special [FUNCTION]  KARAT_SPECIAL_CASES random operands of binary32 a function; KARAT_SEED
 *                                 repeats a run. */
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fp/bf16.h"
#include "fp/f16.h"
#include "fp/special.h"

#include "splitmix.h"

enum { PRECISION = 420, SHOWN = 10 };

typedef struct format {
    const char *name;
    int precision, emin, emax; /* Of normal numbers, as MPFR counts: a significand from 1/2 to 1 */
    uint32_t nan;
} format;

static const format f32 = {"f32", 24, -125, 128, KARAT_F32_NAN}, f16 = {"f16", 11, -13, 16, KARAT_F16_NAN},
                    bf16 = {"bf16", 8, -125, 128, KARAT_BF16_NAN};

static const char *const names[KARAT_NUM_FUNCTION] = {"ex2", "lg2", "rcp",  "sqrt", "rsqrt",
                                                      "sin", "cos", "tanh", "gelu", "silu"};

static uint64_t wrong, checked;

static void differs(const char *what, const format *f, const uint32_t *operand, unsigned num, uint32_t got,
                    uint32_t flags, uint32_t expected, uint32_t expected_flags) {
    if (wrong++ >= SHOWN)
        return;
    printf("%s.%s of", what, f->name);
    for (unsigned i = 0; i < num; i++)
        printf(" 0x%08" PRIx32, operand[i]);
    printf(": 0x%08" PRIx32 ", flags %02" PRIx32 "; MPFR 0x%08" PRIx32 ", flags %02" PRIx32 "\n", got, flags,
           expected, expected_flags);
}

/* A value of the format, exactly. */
static void load(mpfr_t x, const format *f, uint32_t bits) {
    const int width = f == &f32 ? 32 : 16, fraction_bits = f->precision - 1;
    const uint32_t fraction = bits & ((1u << fraction_bits) - 1), sign = bits >> (width - 1) & 1;
    const int exp = (int)(bits >> fraction_bits & ((1u << (width - 1 - fraction_bits)) - 1));
    if (exp == (1 << (width - 1 - fraction_bits)) - 1) {
        if (fraction)
            mpfr_set_nan(x);
        else
            mpfr_set_inf(x, sign ? -1 : 1);
        return;
    }
    mpfr_set_ui_2exp(x, exp ? fraction | 1u << fraction_bits : fraction,
                     (exp ? exp : 1) - 1 + f->emin - f->precision, MPFR_RNDN);
    if (sign)
        mpfr_neg(x, x, MPFR_RNDN);
}

static bool is_signaling(const format *f, uint32_t bits) {
    mpfr_t x;
    mpfr_init2(x, 32);
    load(x, f, bits);
    const bool signaling = mpfr_nan_p(x) && !(bits >> (f->precision - 2) & 1);
    mpfr_clear(x);
    return signaling;
}

/* Round to the format's nearest number; the flags for that. lost: x itself is not exact. */
static uint32_t store(mpfr_t x, const format *f, bool lost, uint32_t *flags) {
    const int fraction_bits = f->precision - 1, width = f == &f32 ? 32 : 16;
    const uint32_t sign = mpfr_signbit(x) ? 1u << (width - 1) : 0;
    const uint32_t inf = ((1u << (width - 1 - fraction_bits)) - 1) << fraction_bits;
    if (mpfr_nan_p(x))
        return f->nan;
    if (mpfr_inf_p(x))
        return sign | inf;
    if (mpfr_zero_p(x))
        return sign;
    mpfr_t y;
    mpfr_init2(y, f->precision);
    int direction = mpfr_set(y, x, MPFR_RNDN);
    const bool tiny = mpfr_get_exp(y) < f->emin;
    mpfr_exp_t emin = mpfr_get_emin();
    mpfr_set_emin(f->emin - f->precision + 1);
    direction = mpfr_check_range(y, direction, MPFR_RNDN);
    mpfr_subnormalize(y, direction, MPFR_RNDN);
    mpfr_set_emin(emin);
    const bool inexact = lost || mpfr_cmp(x, y) != 0;
    uint32_t result;
    if (!mpfr_zero_p(y) && mpfr_get_exp(y) > f->emax) {
        *flags |= KARAT_OF | KARAT_NX;
        result = sign | inf;
    } else {
        *flags |= inexact ? tiny ? KARAT_UF | KARAT_NX : KARAT_NX : 0;
        mpfr_abs(y, y, MPFR_RNDN);
        const int exp = mpfr_zero_p(y) || mpfr_get_exp(y) < f->emin ? f->emin : (int)mpfr_get_exp(y);
        mpfr_mul_2si(y, y, f->precision - exp, MPFR_RNDN);
        const uint32_t sig = (uint32_t)mpfr_get_ui(y, MPFR_RNDN); /* With its leading one */
        result = sign | (((uint32_t)(exp - f->emin) << fraction_bits) + sig);
    }
    mpfr_clear(y);
    return result;
}

static void gelu(mpfr_t y, mpfr_t x) {
    mpfr_t u, c;
    mpfr_inits2(PRECISION, u, c, (mpfr_ptr)0);
    mpfr_sqr(u, x, MPFR_RNDN);
    mpfr_mul(u, u, x, MPFR_RNDN);
    mpfr_set_str(c, "0.044715", 10, MPFR_RNDN);
    mpfr_mul(u, u, c, MPFR_RNDN);
    mpfr_add(u, u, x, MPFR_RNDN);
    mpfr_const_pi(c, MPFR_RNDN);
    mpfr_ui_div(c, 2, c, MPFR_RNDN);
    mpfr_sqrt(c, c, MPFR_RNDN);
    mpfr_mul(u, u, c, MPFR_RNDN);
    mpfr_tanh(u, u, MPFR_RNDN);
    mpfr_add_ui(u, u, 1, MPFR_RNDN);
    mpfr_mul(y, u, x, MPFR_RNDN);
    mpfr_div_2ui(y, y, 1, MPFR_RNDN);
    mpfr_clears(u, c, (mpfr_ptr)0);
}

/* The function, with PRECISION bits; at zeros and infinities as special.h has it. Returns whether that is not
 * exact. */
static bool function_of(mpfr_t y, karat_function function, mpfr_t x, uint32_t *flags) {
    const bool zero = mpfr_zero_p(x), infinite = mpfr_inf_p(x), negative = mpfr_signbit(x);
    if (mpfr_nan_p(x)) {
        mpfr_set_nan(y);
        return false;
    }
    int lost = 0;
    switch (function) {
    case KARAT_EX2: lost = mpfr_exp2(y, x, MPFR_RNDN); break;
    case KARAT_LG2: lost = mpfr_log2(y, x, MPFR_RNDN); break;
    case KARAT_RCP: lost = mpfr_ui_div(y, 1, x, MPFR_RNDN); break;
    case KARAT_SQRT: lost = mpfr_sqrt(y, x, MPFR_RNDN); break;
    case KARAT_RSQRT:
        lost = mpfr_rec_sqrt(y, x, MPFR_RNDN);
        if (zero)
            mpfr_set_inf(y, negative ? -1 : 1);
        break;
    case KARAT_SIN: lost = mpfr_sin(y, x, MPFR_RNDN); break;
    case KARAT_COS: lost = mpfr_cos(y, x, MPFR_RNDN); break;
    case KARAT_TANH: lost = mpfr_tanh(y, x, MPFR_RNDN); break;
    case KARAT_GELU:
    case KARAT_SILU:
        lost = !infinite && !zero;
        if (!lost) {
            if (infinite && !negative)
                mpfr_set_inf(y, 1);
            else
                mpfr_set_zero(y, negative ? -1 : 1);
        } else if (function == KARAT_GELU) {
            gelu(y, x);
            if (mpfr_zero_p(y)) /* All bits of 1 + tanh are lost: far below any format */
                mpfr_set_si_2exp(y, -1, -2000, MPFR_RNDN);
        } else {
            mpfr_neg(y, x, MPFR_RNDN);
            mpfr_exp(y, y, MPFR_RNDN);
            mpfr_add_ui(y, y, 1, MPFR_RNDN);
            mpfr_div(y, x, y, MPFR_RNDN);
            if (mpfr_zero_p(y))
                mpfr_set_si_2exp(y, -1, -2000, MPFR_RNDN);
        }
        break;
    default: abort();
    }
    if (mpfr_nan_p(y))
        *flags |= KARAT_NV;
    else if (zero && mpfr_inf_p(y))
        *flags |= KARAT_DZ;
    else if (mpfr_zero_p(y) && !zero && !infinite && function != KARAT_LG2 &&
             function != KARAT_COS) /* Below MPFR's own range */
        mpfr_set_si_2exp(y, mpfr_signbit(y) ? -1 : 1, -2000, MPFR_RNDN);
    else if (mpfr_inf_p(y) && !infinite)
        mpfr_set_ui_2exp(y, 1, 2000, MPFR_RNDN);
    return lost != 0;
}

static void check(karat_function function, const format *f, uint32_t operand) {
    static mpfr_t x, y;
    static bool ready;
    if (!ready)
        mpfr_inits2(PRECISION, x, y, (mpfr_ptr)0);
    ready = true;
    uint32_t flags = 0, expected_flags = is_signaling(f, operand) ? KARAT_NV : 0;
    const uint32_t got = f == &f32   ? karat_f32_special(function, operand, &flags)
                         : f == &f16 ? karat_f16_special(function, (uint16_t)operand, &flags)
                                     : karat_bf16_special(function, (uint16_t)operand, &flags);
    load(x, f, operand);
    const bool lost = function_of(y, function, x, &expected_flags);
    const uint32_t expected = store(y, f, lost, &expected_flags);
    checked++;
    if (got != expected || flags != expected_flags)
        differs(names[function], f, &operand, 1, got, flags, expected, expected_flags);
}

/* Only these are packed in public code; the others' 16-bit forms are no instructions. */
static bool is_packed(karat_function function) {
    return function != KARAT_LG2 && function != KARAT_SIN && function != KARAT_COS;
}

static void check_function(karat_function function, uint64_t cases, uint64_t *random) {
    const uint64_t before = checked, before_wrong = wrong;
    static const uint32_t values[] = {0,          1,          2,          0x007fffff, 0x00800000, 0x3f800000,
                                      0x3f7fffff, 0x3f800001, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001,
                                      0x3f000000, 0x40000000, 0x42b17218, 0x43160000, 0x00000003, 0x3fb504f3,
                                      0x3fb504f4, 0x3f3504f3, 0x3f3504f4};
    for (uint32_t operand = 0; is_packed(function) && operand <= 0xffff; operand++) {
        check(function, &f16, operand);
        check(function, &bf16, operand);
    }
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        check(function, &f32, values[i]);
        check(function, &f32, values[i] | KARAT_F32_SIGN);
    }
    for (uint32_t exp = 0; exp < 512; exp++) { /* Powers of two, and next to them */
        check(function, &f32, exp << 23);
        check(function, &f32, (exp << 23) + 1);
        check(function, &f32, (exp << 23) - 1);
    }
    for (uint64_t i = 0; i < cases; i++) {
        const uint64_t bits = karat_random(random);
        uint32_t operand = (uint32_t)bits;
        if (bits >> 32 & 3) /* Where the function is neither its limit nor its leading term */
            operand = (operand & 0x807fffff) | (uint32_t)(112 + (bits >> 34) % 24) << 23;
        check(function, &f32, operand);
    }
    printf("%s: %" PRIu64 " operands, %" PRIu64 " differences\n", names[function], checked - before,
           wrong - before_wrong);
}

/* --- bfloat16 --- */

typedef uint16_t binary(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);

static void check_bf16(const char *name, binary *operation,
                       int (*oracle)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t), uint32_t a,
                       uint32_t b) {
    mpfr_t x, y, z;
    mpfr_inits2(PRECISION, x, y, z, (mpfr_ptr)0);
    load(x, &bf16, a);
    load(y, &bf16, b);
    const bool lost = oracle(z, x, y, MPFR_RNDN) != 0;
    uint32_t flags = 0, expected_flags = 0;
    if (is_signaling(&bf16, a) || is_signaling(&bf16, b) ||
        (mpfr_nan_p(z) && !mpfr_nan_p(x) && !mpfr_nan_p(y)))
        expected_flags |= KARAT_NV;
    if (operation == karat_bf16_div && mpfr_zero_p(y) && mpfr_regular_p(x))
        expected_flags |= KARAT_DZ;
    const uint32_t expected = store(z, &bf16, lost, &expected_flags);
    const uint32_t got = operation((uint16_t)a, (uint16_t)b, KARAT_RNE, &flags);
    checked++;
    if (got != expected || flags != expected_flags)
        differs(name, &bf16, (uint32_t[]){a, b}, 2, got, flags, expected, expected_flags);
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

static void check_bf16_fma(uint32_t a, uint32_t b, uint32_t c) {
    mpfr_t x, y, z, product;
    mpfr_inits2(PRECISION, x, y, z, product, (mpfr_ptr)0);
    load(x, &bf16, a);
    load(y, &bf16, b);
    load(z, &bf16, c);
    mpfr_mul(product, x, y, MPFR_RNDN);
    const bool invalid = mpfr_nan_p(product) && !mpfr_nan_p(x) && !mpfr_nan_p(y);
    const bool any_nan = mpfr_nan_p(x) || mpfr_nan_p(y) || mpfr_nan_p(z);
    const bool lost = mpfr_fma(product, x, y, z, MPFR_RNDN) != 0;
    uint32_t flags = 0, expected_flags = 0;
    if (is_signaling(&bf16, a) || is_signaling(&bf16, b) || is_signaling(&bf16, c) || invalid ||
        (mpfr_nan_p(product) && !any_nan))
        expected_flags |= KARAT_NV;
    const uint32_t expected = store(product, &bf16, lost, &expected_flags);
    const uint32_t got = karat_bf16_fma((uint16_t)a, (uint16_t)b, (uint16_t)c, KARAT_RNE, &flags);
    checked++;
    if (got != expected || flags != expected_flags)
        differs("fma", &bf16, (uint32_t[]){a, b, c}, 3, got, flags, expected, expected_flags);
    mpfr_clears(x, y, z, product, (mpfr_ptr)0);
}

static void check_conversions(uint64_t cases, uint64_t *random) {
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    for (uint32_t a = 0; a <= 0xffff; a++) {
        uint32_t flags = 0;
        load(x, &bf16, a);
        uint32_t expected_flags = is_signaling(&bf16, a) ? KARAT_NV : 0;
        const uint32_t expected = store(x, &f32, false, &expected_flags),
                       got = karat_f32_from_bf16((uint16_t)a, &flags);
        checked++;
        if (got != expected || flags != expected_flags)
            differs("from bf16", &f32, &a, 1, got, flags, expected, expected_flags);
    }
    for (uint64_t i = 0; i < cases + (1u << 17); i++) {
        /* Every sign, exponent and upper bits with a tail that is a tie or next to one; then random ones. */
        static const uint32_t tails[] = {0x8000, 0x7fff, 0x8001, 0};
        const uint32_t a = i < 1u << 17 ? (uint32_t)(i >> 1) << 16 | tails[(i & 1) * 2 + (i >> 1 & 1)]
                                        : (uint32_t)karat_random(random);
        uint32_t flags = 0;
        load(x, &f32, a);
        uint32_t expected_flags = is_signaling(&f32, a) ? KARAT_NV : 0;
        const uint32_t expected = store(x, &bf16, false, &expected_flags),
                       got = karat_bf16_from_f32(a, KARAT_RNE, &flags);
        checked++;
        if (got != expected || flags != expected_flags)
            differs("to bf16", &bf16, &a, 1, got, flags, expected, expected_flags);
    }
    mpfr_clear(x);
}

static void check_arithmetic(uint64_t cases, uint64_t *random) {
    const uint64_t before = checked, before_wrong = wrong;
    check_conversions(cases, random);
    for (uint64_t i = 0; i < cases; i++) {
        const uint64_t bits = karat_random(random);
        uint32_t a = (uint32_t)bits & 0xffff, b = (uint32_t)(bits >> 16) & 0xffff,
                 c = (uint32_t)(bits >> 32) & 0xffff;
        if (bits >> 48 & 1) /* Of similar magnitude */
            b = (b & 0x80ff) | (((a & 0x7f00) + ((bits >> 49 & 7) << 8) - 0x300) & 0x7f00);
        check_bf16("add", karat_bf16_add, mpfr_add, a, b);
        check_bf16("mul", karat_bf16_mul, mpfr_mul, a, b);
        check_bf16("div", karat_bf16_div, mpfr_div, a, b);
        check_bf16_fma(a, b, c);
        /* An addend next to the product. */
        uint32_t flags = 0;
        c = karat_bf16_mul((uint16_t)a, (uint16_t)b, KARAT_RTZ, &flags) ^ 0x8000u ^
            (uint32_t)(bits >> 52 & 3);
        check_bf16_fma(a, b, c);
    }
    printf("bf16: %" PRIu64 " operations, %" PRIu64 " differences\n", checked - before, wrong - before_wrong);
}

int main(int argc, char **argv) {
    const char *seed_text = getenv("KARAT_SEED"), *cases_text = getenv("KARAT_SPECIAL_CASES");
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : (uint64_t)time(NULL),
             cases = cases_text ? strtoull(cases_text, NULL, 0) : 20000;
    printf("KARAT_SEED=%" PRIu64 "\n", seed);
    for (unsigned function = 0; function < KARAT_NUM_FUNCTION; function++)
        if (argc < 2 || strcmp(argv[1], names[function]) == 0)
            check_function((karat_function)function, cases, &seed);
    if (argc < 2 || strcmp(argv[1], "bf16") == 0)
        check_arithmetic(cases, &seed);
    mpfr_free_cache();
    return wrong != 0 || checked == 0;
}
