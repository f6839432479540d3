/* binary32 against GNU MPFR: results and flags, every rounding mode.
 *
 * The oracle never looks at our code. MPFR with precision 24 and binary32's exponent range gives the value,
 * its ternary value NX, its own flags OF and DZ. What MPFR does not have:
 *  - UF: the operation is done once more with an unbounded exponent; tiny is what is below 2^-126 after that.
 *  - NV: a NaN result from operands that are not NaNs, or a signaling operand.
 *  - ties away from zero (MPFR_RNDA rounds everything away): the operation is done exactly, or cut off with
 * the ternary value as sticky bit; on a tie RNDA's result is the right one, else that of RNDN.
 *  - the 7-bit estimates: see oracle_estimate.
 * The exponential function has a test of its own, test_f32_exp.
 *
 * KARAT_SEED repeats a run; KARAT_FP_CASES is the number of random operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <mpfr.h>

#include "f32_operands.h"
#include "fp/f32.h"

/* clang-format off */
#define OPERATIONS(X) \
    X(ADD) X(SUB) X(MUL) X(DIV) X(SQRT) X(FMA) X(FROM_I32) X(FROM_U32) X(TO_I32) X(TO_U32) \
    X(MIN) X(MAX) X(EQ) X(LT) X(LE) X(CLASS) X(REC7) X(RSQRT7)
/* clang-format on */
#define OP_NUMBER(name) name,
#define OP_NAME(name)   #name,
enum op { OPERATIONS(OP_NUMBER) OPS };

static const char *const op_names[OPS] = {OPERATIONS(OP_NAME)};

/* Enough for every sum, product and fused sum of binary32 values to be exact. */
enum { EXACT_BITS = 700 };

static mpfr_t operand[3], result, other, exact, middle, first_bits, estimate;

struct outcome {
    uint32_t value, flags;
};

static bool is_nan(uint32_t a) {
    return (a & 0x7fffffff) > 0x7f800000;
}
static bool is_snan(uint32_t a) {
    return is_nan(a) && !(a & 0x00400000);
}

static void binary32_range(void) {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
}

static void unbounded_range(void) {
    mpfr_set_emin(-10000);
    mpfr_set_emax(10000);
}

static void load(mpfr_t to, uint32_t a) {
    uint32_t frac = a & 0x7fffff;
    int exp = exponent(a);
    if (exp == 0xff && frac != 0)
        mpfr_set_nan(to);
    else if (exp == 0xff)
        mpfr_set_inf(to, 1);
    else if (exp == 0)
        mpfr_set_ui_2exp(to, frac, -149, MPFR_RNDN);
    else
        mpfr_set_ui_2exp(to, frac | 0x800000, exp - 150, MPFR_RNDN);
    mpfr_setsign(to, to, (int)(a >> 31), MPFR_RNDN);
}

/* The bits of a value that is representable in binary32. */
static uint32_t store(mpfr_t from) {
    if (mpfr_nan_p(from))
        return 0x7fc00000;
    uint32_t sign = mpfr_signbit(from) ? 0x80000000 : 0;
    if (mpfr_inf_p(from))
        return sign | 0x7f800000;
    if (mpfr_zero_p(from))
        return sign;
    /* The significand's 24 bits, as an integer; exponents below the normal range shorten it. */
    mpfr_exp_t exp = mpfr_get_exp(from); /* 0.1xxx * 2^exp */
    unbounded_range();
    mpfr_set(middle, from, MPFR_RNDN);
    int scale = exp < -125 ? 149 : 24 - (int)exp;
    mpfr_mul_2si(middle, middle, scale, MPFR_RNDN);
    uint32_t integer = (uint32_t)labs(mpfr_get_si(middle, MPFR_RNDZ));
    return sign | (exp < -125 ? integer : (uint32_t)(exp + 126) << 23 | (integer & 0x7fffff));
}

static int compute(mpfr_t to, enum op op, mpfr_rnd_t rnd) {
    switch (op) {
    case ADD: return mpfr_add(to, operand[0], operand[1], rnd);
    case SUB: return mpfr_sub(to, operand[0], operand[1], rnd);
    case MUL: return mpfr_mul(to, operand[0], operand[1], rnd);
    case DIV: return mpfr_div(to, operand[0], operand[1], rnd);
    case SQRT: return mpfr_sqrt(to, operand[0], rnd);
    case FMA: return mpfr_fma(to, operand[0], operand[1], operand[2], rnd);
    default: /* FROM_I32, FROM_U32: operand 0 holds the integer */ return mpfr_set(to, operand[0], rnd);
    }
}

static int compute_binary32(mpfr_t to, enum op op, mpfr_rnd_t rnd) {
    binary32_range();
    mpfr_clear_flags();
    int ternary = compute(to, op, rnd);
    ternary = mpfr_check_range(to, ternary, rnd);
    return mpfr_subnormalize(to, ternary, rnd);
}

static int compute_unbounded(mpfr_t to, enum op op, mpfr_rnd_t rnd) {
    unbounded_range();
    return compute(to, op, rnd);
}

typedef int (*compute_fn)(mpfr_t, enum op, mpfr_rnd_t);

/* Round to nearest with ties away, given how to round in MPFR's modes. */
static int compute_rmm(compute_fn round_with, enum op op) {
    round_with(other, op, MPFR_RNDZ);
    int away = round_with(result, op, MPFR_RNDA);
    if (mpfr_regular_p(result) && away != 0) {
        unbounded_range();
        int cut = compute(exact, op, MPFR_RNDZ);
        mpfr_add(middle, other, result, MPFR_RNDN);
        mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
        if (cut == 0 && mpfr_equal_p(exact, middle))
            return away;
    }
    return round_with(result, op, MPFR_RNDN);
}

static const mpfr_rnd_t mpfr_modes[4] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};

static int compute_mode(compute_fn round_with, enum op op, unsigned rm) {
    return rm == KARAT_RMM ? compute_rmm(round_with, op) : round_with(result, op, mpfr_modes[rm]);
}

static struct outcome oracle_float(enum op op, const uint32_t x[3], unsigned rm) {
    struct outcome out = {0, 0};
    int operands = op == FMA ? 3 : op == SQRT ? 1 : op <= DIV ? 2 : 0;
    bool nan_operand = false, snan_operand = false;
    unbounded_range();
    for (int i = 0; i < operands; i++) {
        load(operand[i], x[i]);
        nan_operand |= is_nan(x[i]);
        snan_operand |= is_snan(x[i]);
    }
    if (op == FROM_I32)
        mpfr_set_si(operand[0], (int32_t)x[0], MPFR_RNDN);
    if (op == FROM_U32)
        mpfr_set_ui(operand[0], x[0], MPFR_RNDN);

    int ternary = compute_mode(compute_binary32, op, rm);
    if (mpfr_overflow_p())
        out.flags |= KARAT_OF;
    if (mpfr_divby0_p())
        out.flags |= KARAT_DZ;
    bool inexact = ternary != 0;
    if (inexact)
        out.flags |= KARAT_NX;
    /* RISC-V: infinity times zero plus a quiet NaN is invalid as well. */
    bool invalid_product = op == FMA && ((mpfr_inf_p(operand[0]) && mpfr_zero_p(operand[1])) ||
                                         (mpfr_zero_p(operand[0]) && mpfr_inf_p(operand[1])));
    if (snan_operand || invalid_product || (mpfr_nan_p(result) && !nan_operand))
        out.flags |= KARAT_NV;
    bool may_be_tiny =
        inexact && !mpfr_inf_p(result) && (mpfr_zero_p(result) || mpfr_get_exp(result) <= -125);
    out.value = store(result);
    if (may_be_tiny) {
        compute_mode(compute_unbounded, op, rm);
        if (mpfr_get_exp(result) <= -126)
            out.flags |= KARAT_UF;
    }
    return out;
}

static struct outcome oracle_to_integer(enum op op, uint32_t a, unsigned rm) {
    int64_t lowest = op == TO_I32 ? INT32_MIN : 0;
    int64_t highest = op == TO_I32 ? INT32_MAX : UINT32_MAX;
    unbounded_range();
    load(operand[0], a);
    if (mpfr_nan_p(operand[0]))
        return (struct outcome){(uint32_t)highest, KARAT_NV};
    int ternary =
        rm == KARAT_RMM ? mpfr_round(exact, operand[0]) : mpfr_rint(exact, operand[0], mpfr_modes[rm]);
    if (mpfr_cmp_si(exact, lowest) < 0)
        return (struct outcome){(uint32_t)lowest, KARAT_NV};
    if (mpfr_cmp_si(exact, highest) > 0)
        return (struct outcome){(uint32_t)highest, KARAT_NV};
    return (struct outcome){(uint32_t)mpfr_get_si(exact, MPFR_RNDN), ternary != 0 ? KARAT_NX : 0};
}

static bool is_negative(uint32_t a) {
    return a >> 31 != 0;
}

static uint32_t oracle_class(uint32_t a) {
    load(operand[0], a);
    if (mpfr_nan_p(operand[0]))
        return is_snan(a) ? 0x100 : 0x200;
    if (mpfr_inf_p(operand[0]))
        return is_negative(a) ? 0x001 : 0x080;
    if (mpfr_zero_p(operand[0]))
        return is_negative(a) ? 0x008 : 0x010;
    if (mpfr_get_exp(operand[0]) <= -126) /* below 2^-126 */
        return is_negative(a) ? 0x004 : 0x020;
    return is_negative(a) ? 0x002 : 0x040;
}

/* MPFR's min and max are those of RISC-V: -0 < +0, and a number wins against a NaN. */
static struct outcome oracle_order(enum op op, uint32_t a, uint32_t b) {
    struct outcome out = {0, 0};
    unbounded_range();
    load(operand[0], a);
    load(operand[1], b);
    bool signals = op == LT || op == LE ? is_nan(a) || is_nan(b) : is_snan(a) || is_snan(b);
    switch (op) {
    case MIN: mpfr_min(result, operand[0], operand[1], MPFR_RNDN); break;
    case MAX: mpfr_max(result, operand[0], operand[1], MPFR_RNDN); break;
    case EQ: out.value = mpfr_equal_p(operand[0], operand[1]) != 0; break;
    case LT: out.value = mpfr_less_p(operand[0], operand[1]) != 0; break;
    case LE: out.value = mpfr_lessequal_p(operand[0], operand[1]) != 0; break;
    default: return (struct outcome){oracle_class(a), 0};
    }
    if (op == MIN || op == MAX)
        out.value = store(result);
    out.flags = signals ? KARAT_NV : 0;
    return out;
}

/* Without the specification's tables. It lets 1/x depend on the first 8 significant bits of x, and 1/sqrt(x)
 * on the first 7; in all the operands that share them, it wants the estimate of 8 significant bits that is
 * nearest to the function's value in the middle. */
static struct outcome oracle_estimate(enum op op, uint32_t a, unsigned rm) {
    uint32_t sign = a & 0x80000000;
    unbounded_range();
    load(operand[0], a);
    if (mpfr_nan_p(operand[0]))
        return (struct outcome){0x7fc00000, is_snan(a) ? KARAT_NV : 0};
    if (mpfr_zero_p(operand[0]))
        return (struct outcome){sign | 0x7f800000, KARAT_DZ};
    if (op == RSQRT7 && sign != 0)
        return (struct outcome){0x7fc00000, KARAT_NV};
    if (mpfr_inf_p(operand[0]))
        return (struct outcome){sign, 0};
    if (op == REC7 && mpfr_get_exp(operand[0]) <= -128) { /* below 2^-128 */
        bool to_zero = rm == KARAT_RTZ || rm == (sign != 0 ? KARAT_RUP : KARAT_RDN);
        return (struct outcome){sign | (to_zero ? 0x7f7fffff : 0x7f800000), KARAT_OF | KARAT_NX};
    }
    mpfr_prec_t kept = op == REC7 ? 8 : 7;
    mpfr_set_prec(first_bits, kept);
    mpfr_set(first_bits, operand[0], MPFR_RNDZ);
    mpfr_set_si_2exp(middle, sign != 0 ? -1 : 1, mpfr_get_exp(first_bits) - kept - 1, MPFR_RNDN);
    mpfr_add(middle, middle, first_bits, MPFR_RNDN);
    if (op == REC7)
        mpfr_ui_div(estimate, 1, middle, MPFR_RNDN);
    else
        mpfr_rec_sqrt(estimate, middle, MPFR_RNDN);
    return (struct outcome){store(estimate), 0};
}

static struct outcome oracle(enum op op, const uint32_t x[3], unsigned rm) {
    if (op == TO_I32 || op == TO_U32)
        return oracle_to_integer(op, x[0], rm);
    if (op >= REC7)
        return oracle_estimate(op, x[0], rm);
    return op >= MIN ? oracle_order(op, x[0], x[1]) : oracle_float(op, x, rm);
}

static struct outcome ours(enum op op, const uint32_t x[3], unsigned rm) {
    struct outcome out = {0, 0};
    switch (op) {
    case ADD: out.value = karat_f32_add(x[0], x[1], rm, &out.flags); break;
    case SUB: out.value = karat_f32_sub(x[0], x[1], rm, &out.flags); break;
    case MUL: out.value = karat_f32_mul(x[0], x[1], rm, &out.flags); break;
    case DIV: out.value = karat_f32_div(x[0], x[1], rm, &out.flags); break;
    case SQRT: out.value = karat_f32_sqrt(x[0], rm, &out.flags); break;
    case FMA: out.value = karat_f32_fma(x[0], x[1], x[2], rm, &out.flags); break;
    case FROM_I32: out.value = karat_f32_from_i32((int32_t)x[0], rm, &out.flags); break;
    case FROM_U32: out.value = karat_f32_from_u32(x[0], rm, &out.flags); break;
    case TO_I32: out.value = (uint32_t)karat_f32_to_i32(x[0], rm, &out.flags); break;
    case TO_U32: out.value = karat_f32_to_u32(x[0], rm, &out.flags); break;
    case MIN: out.value = karat_f32_min(x[0], x[1], &out.flags); break;
    case MAX: out.value = karat_f32_max(x[0], x[1], &out.flags); break;
    case EQ: out.value = karat_f32_eq(x[0], x[1], &out.flags); break;
    case LT: out.value = karat_f32_lt(x[0], x[1], &out.flags); break;
    case LE: out.value = karat_f32_le(x[0], x[1], &out.flags); break;
    case CLASS: out.value = karat_f32_class(x[0]); break;
    case REC7: out.value = karat_f32_rec7(x[0], rm, &out.flags); break;
    default: out.value = karat_f32_rsqrt7(x[0], &out.flags); break;
    }
    return out;
}

static uint64_t compared;

static void check(enum op op, const uint32_t x[3], unsigned rm) {
    struct outcome want = oracle(op, x, rm), got = ours(op, x, rm);
    compared++;
    if (got.value != want.value || got.flags != want.flags)
        fail_msg("%s rm=%u %08x %08x %08x: got %08x flags %02x, MPFR says %08x flags %02x", op_names[op], rm,
                 x[0], x[1], x[2], got.value, got.flags, want.value, want.flags);
}

static int set_up(void **state) {
    (void)state;
    unbounded_range();
    mpfr_inits2(24, operand[1], operand[2], result, other, (mpfr_ptr)NULL);
    mpfr_inits2(64, operand[0], (mpfr_ptr)NULL); /* an integer has up to 32 bits */
    mpfr_inits2(EXACT_BITS, exact, middle, (mpfr_ptr)NULL);
    mpfr_inits2(8, first_bits, estimate, (mpfr_ptr)NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    mpfr_clears(operand[0], operand[1], operand[2], result, other, exact, middle, first_bits, estimate,
                (mpfr_ptr)NULL);
    mpfr_free_cache();
    return 0;
}

static void test_corner_pairs(void **state) {
    (void)state;
    compared = 0;
    for (unsigned i = 0; i < 2 * F32_CORNERS; i++)
        for (unsigned j = 0; j < 2 * F32_CORNERS; j++)
            for (unsigned rm = 0; rm < 5; rm++) {
                uint32_t x[3] = {f32_corner(i), f32_corner(j), 0};
                for (enum op op = ADD; op <= DIV; op++)
                    check(op, x, rm);
                for (enum op op = MIN; op <= LE && rm == 0; op++)
                    check(op, x, rm);
            }
    for (unsigned i = 0; i < 2 * F32_CORNERS; i++)
        for (unsigned rm = 0; rm < 5; rm++) {
            uint32_t x[3] = {f32_corner(i), 0, 0};
            check(SQRT, x, rm);
            for (enum op op = FROM_I32; op <= TO_U32; op++)
                check(op, x, rm);
            for (enum op op = CLASS; op <= RSQRT7; op++)
                check(op, x, rm);
        }
    print_message("%llu corner operations compared\n", (unsigned long long)compared);
}

static void test_corner_triples(void **state) {
    (void)state;
    compared = 0;
    /* Two signs are enough: that of the product and that of c. */
    for (unsigned i = 0; i < F32_CORNERS; i++)
        for (unsigned j = 0; j < F32_CORNERS; j++)
            for (unsigned k = 0; k < 2 * F32_CORNERS; k++) {
                uint32_t x[3] = {f32_corner(i), f32_corner(j), f32_corner(k)};
                for (unsigned rm = 0; rm < 5; rm++)
                    check(FMA, x, rm);
                x[1] ^= 0x80000000;
                for (unsigned rm = 0; rm < 5; rm++)
                    check(FMA, x, rm);
            }
    print_message("%llu fma corner operations compared\n", (unsigned long long)compared);
}

static void test_random(void **state) {
    (void)state;
    struct rng rng = {test_seed()};
    uint64_t cases = env_number("KARAT_FP_CASES", 4000000);
    for (compared = 0; compared < cases;) {
        uint32_t x[3];
        random_operands(&rng, x);
        unsigned rm = rng_below(&rng, 5);
        enum op op = (enum op)rng_below(&rng, OPS);
        if (op == FROM_I32 || op == FROM_U32)
            x[0] = (uint32_t)rng_next(&rng) >> rng_below(&rng, 32);
        if (op == FROM_I32 && (x[1] & 1))
            x[0] = 0 - x[0];
        check(op, x, rm);
    }
    print_message("%llu random operations compared\n", (unsigned long long)compared);
}

/* Significands in equal distances, for both parities of the exponent: all that there are if KARAT_FP_CASES is
 * 2^24 * 5 or more. */
static void test_roots(void **state) {
    (void)state;
    uint64_t cases = env_number("KARAT_FP_CASES", 500000);
    uint32_t distance = cases < UINT64_C(5) << 24 ? (uint32_t)((UINT64_C(5) << 24) / (cases + 1)) | 1 : 1;
    compared = 0;
    for (uint32_t a = 0x3f800000; a < 0x40800000; a += distance)
        for (unsigned rm = 0; rm < 5; rm++) {
            uint32_t x[3] = {a, 0, 0};
            check(SQRT, x, rm);
        }
    print_message("%llu roots compared\n", (unsigned long long)compared);
}

static void test_estimate_tables(void **state) {
    (void)state;
    compared = 0;
    for (uint32_t n = 0; n < ESTIMATE_OPERANDS; n++) {
        uint32_t x[3] = {estimate_operand(n), 0, 0};
        for (unsigned rm = 0; rm < 5; rm++)
            check(REC7, x, rm);
        check(RSQRT7, x, KARAT_RNE);
    }
    print_message("%llu estimates compared\n", (unsigned long long)compared);
}

/* The specification promises a relative error below 2^-7 for both estimates. */
static void test_estimates(void **state) {
    (void)state;
    unbounded_range();
    for (uint32_t a = 0x00200000; a < 0x7f800000; a += 0x3fff) {
        uint32_t flags = 0;
        load(operand[0], a);
        load(result, karat_f32_rec7(a, KARAT_RNE, &flags));
        mpfr_mul(exact, operand[0], result, MPFR_RNDN);
        mpfr_sub_ui(exact, exact, 1, MPFR_RNDN);
        mpfr_abs(exact, exact, MPFR_RNDN);
        assert_true(mpfr_cmp_ui_2exp(exact, 1, -7) < 0);

        load(result, karat_f32_rsqrt7(a, &flags));
        mpfr_sqr(exact, result, MPFR_RNDN);
        mpfr_mul(exact, exact, operand[0], MPFR_RNDN);
        mpfr_sqrt(exact, exact, MPFR_RNDN);
        mpfr_sub_ui(exact, exact, 1, MPFR_RNDN);
        mpfr_abs(exact, exact, MPFR_RNDN);
        assert_true(mpfr_cmp_ui_2exp(exact, 1, -7) < 0);
        assert_int_equal(flags, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corner_pairs),    cmocka_unit_test(test_corner_triples),
        cmocka_unit_test(test_random),          cmocka_unit_test(test_roots),
        cmocka_unit_test(test_estimate_tables), cmocka_unit_test(test_estimates),
    };
    return cmocka_run_group_tests_name("f32_mpfr", tests, set_up, tear_down);
}
