/* One of the formats against GNU MPFR: results and flags, every rounding mode.
 *
 * The oracle never looks at our code. MPFR with the format's precision and exponent range gives the value,
 * its ternary value NX, its own flags OF and DZ. MPFR does not have:
 *  - UF: the operation is done once more with an unbounded exponent; tiny is what is below the least normal
 * number after that.
 *  - NV: a NaN result from operands that are not NaNs, or a signaling operand.
 *  - ties away from zero (MPFR_RNDA rounds everything away): the operation is done exactly, or cut off with
 * the ternary value as sticky bit; on a tie RNDA's result is the right one, else that of RNDN.
 *  - to odd: of the two neighbours of what is inexact, the one whose pattern is odd.
 *  - the 7-bit estimates: see oracle_estimate.
 * The exponential function has a test of its own, test_f32_exp.
 *
 * Usage: test_fp_mpfr <16, 32 or 64> [lanes] With 'lanes', the functions for many elements at once (lanes.h)
 * are compared, at the level that this is compiled for; a level that the machine does not have is skipped.
 * KARAT_SEED repeats a run; KARAT_FP_CASES is the number of random operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "suite.h"
#include <mpfr.h>

#include "fp/fp.h"
#include "fp/lanes.h"
#include "operands.h"
#include "runnable.h"

/* clang-format off */
#define OPERATIONS(X) \
    X(ADD) X(SUB) X(MUL) X(DIV) X(SQRT) X(FMA) X(FROM_I) X(FROM_U) X(NARROW) X(WIDEN) \
    X(TO_I8) X(TO_U8) X(TO_I16) X(TO_U16) X(TO_I32) X(TO_U32) X(TO_I64) X(TO_U64) \
    X(MIN) X(MAX) X(EQ) X(LT) X(LE) X(SGNJ) X(SGNJN) X(SGNJX) X(NEG) X(CLASS) X(REC7) X(RSQRT7)
/* clang-format on */
#define OP_NUMBER(name) name,
#define OP_NAME(name)   #name,
enum op { OPERATIONS(OP_NUMBER) OPS };

static const char *const op_names[OPS] = {OPERATIONS(OP_NAME)};

/* Every tie between two neighbours is exact then. */
enum { EXACT_BITS = 128 };

static struct format format; /* Format of the operands */
static struct format target; /* Format of the result: another one for NARROW and WIDEN */
static mpfr_t operand[3], result, other, exact, middle, first_bits, estimate;

struct outcome {
    uint64_t value;
    uint32_t flags;
};

static bool is_nan(uint64_t a) {
    return (a & ~sign_bit(format)) > infinity(format);
}
static bool is_snan(uint64_t a) {
    return is_nan(a) && !(a & quiet_bit(format));
}
static uint64_t canonical_nan(struct format f) {
    return infinity(f) | quiet_bit(f);
}

/* MPFR's exponent of the least normal number: 0.1xxx * 2^exp. */
static int least_normal(struct format f) {
    return 2 - exponent_bias(f);
}

static void target_range(void) {
    mpfr_set_emin(least_normal(target) - target.fraction);
    mpfr_set_emax(exponent_bias(target) + 1);
}

static void unbounded_range(void) {
    mpfr_set_emin(-10000);
    mpfr_set_emax(10000);
}

static void set_target(struct format f) {
    target = f;
    mpfr_set_prec(result, f.fraction + 1);
    mpfr_set_prec(other, f.fraction + 1);
}

static void load(mpfr_t to, uint64_t a) {
    const struct format f = format;
    uint64_t fraction = a & fraction_mask(f);
    int exp = exponent_of(f, a), scale = exponent_bias(f) + f.fraction;
    if (exp == exponent_max(f) && fraction != 0)
        mpfr_set_nan(to);
    else if (exp == exponent_max(f))
        mpfr_set_inf(to, 1);
    else if (exp == 0)
        mpfr_set_ui_2exp(to, fraction, 1 - scale, MPFR_RNDN);
    else
        mpfr_set_ui_2exp(to, fraction | (fraction_mask(f) + 1), exp - scale, MPFR_RNDN);
    mpfr_setsign(to, to, (a & sign_bit(f)) != 0, MPFR_RNDN);
}

/* The bits of a value that is representable in the target. */
static uint64_t store(mpfr_t from) {
    if (mpfr_nan_p(from))
        return canonical_nan(target);
    uint64_t sign = mpfr_signbit(from) ? sign_bit(target) : 0;
    if (mpfr_inf_p(from))
        return sign | infinity(target);
    if (mpfr_zero_p(from))
        return sign;
    /* The significand as an integer; exponents below the normal range shorten it. */
    int exp = (int)mpfr_get_exp(from), precision = target.fraction + 1;
    bool subnormal = exp < least_normal(target);
    unbounded_range();
    mpfr_set(middle, from, MPFR_RNDN);
    mpfr_mul_2si(middle, middle, precision - (subnormal ? least_normal(target) : exp), MPFR_RNDN);
    uint64_t integer = (uint64_t)labs(mpfr_get_si(middle, MPFR_RNDZ));
    if (subnormal)
        return sign | integer;
    return sign | (uint64_t)(exp - least_normal(target) + 1) << target.fraction |
           (integer & fraction_mask(target));
}

static int compute(mpfr_t to, enum op op, mpfr_rnd_t rnd) {
    switch (op) {
    case ADD: return mpfr_add(to, operand[0], operand[1], rnd);
    case SUB: return mpfr_sub(to, operand[0], operand[1], rnd);
    case MUL: return mpfr_mul(to, operand[0], operand[1], rnd);
    case DIV: return mpfr_div(to, operand[0], operand[1], rnd);
    case SQRT: return mpfr_sqrt(to, operand[0], rnd);
    case FMA: return mpfr_fma(to, operand[0], operand[1], operand[2], rnd);
    default: /* Conversions: operand 0 holds the value */ return mpfr_set(to, operand[0], rnd);
    }
}

static int compute_target(mpfr_t to, enum op op, mpfr_rnd_t rnd) {
    target_range();
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

static int compute_odd(compute_fn round_with, enum op op) {
    if (round_with(other, op, MPFR_RNDA) == 0)
        return round_with(result, op, MPFR_RNDZ);
    bool away = store(other) & 1;
    return round_with(result, op, away ? MPFR_RNDA : MPFR_RNDZ);
}

static int compute_mode(compute_fn round_with, enum op op, unsigned rm) {
    if (rm == KARAT_ROD)
        return compute_odd(round_with, op);
    return rm == KARAT_RMM ? compute_rmm(round_with, op) : round_with(result, op, mpfr_modes[rm]);
}

static struct outcome oracle_float(enum op op, const uint64_t x[3], unsigned rm) {
    struct outcome out = {0, 0};
    int operands = op == FMA ? 3 : op == SQRT || op == NARROW || op == WIDEN ? 1 : op <= DIV ? 2 : 0;
    bool nan_operand = false, snan_operand = false;
    unbounded_range();
    for (int i = 0; i < operands; i++) {
        load(operand[i], x[i]);
        nan_operand |= is_nan(x[i]);
        snan_operand |= is_snan(x[i]);
    }
    if (op == FROM_I)
        mpfr_set_si(operand[0], (int64_t)x[0], MPFR_RNDN);
    if (op == FROM_U)
        mpfr_set_ui(operand[0], x[0], MPFR_RNDN);

    int ternary = compute_mode(compute_target, op, rm);
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
    bool may_be_tiny = inexact && !mpfr_inf_p(result) &&
                       (mpfr_zero_p(result) || mpfr_get_exp(result) <= least_normal(target));
    out.value = store(result);
    if (may_be_tiny) {
        /* Rounding to odd never reaches the least normal number, as rounding towards zero does not. */
        compute_mode(compute_unbounded, op, rm == KARAT_ROD ? KARAT_RTZ : rm);
        if (mpfr_get_exp(result) < least_normal(target))
            out.flags |= KARAT_UF;
    }
    return out;
}

static struct outcome oracle_format(enum op op, const uint64_t x[3], unsigned rm) {
    set_target(format.bits != 32 ? binary32 : op == WIDEN ? binary64 : binary16);
    struct outcome out = oracle_float(op, x, rm);
    set_target(format);
    return out;
}

/* TO_I8 to TO_U64. */
static unsigned integer_bits(enum op op) {
    return 8u << (op - TO_I8) / 2;
}
static bool integer_signed(enum op op) {
    return (op - TO_I8) % 2 == 0;
}

static struct outcome oracle_to_integer(enum op op, uint64_t a, unsigned rm) {
    uint64_t all = UINT64_MAX >> (64 - integer_bits(op));
    uint64_t highest = integer_signed(op) ? all >> 1 : all, lowest = integer_signed(op) ? ~highest : 0;
    unbounded_range();
    load(operand[0], a);
    if (mpfr_nan_p(operand[0]))
        return (struct outcome){highest, KARAT_NV};
    int ternary =
        rm == KARAT_RMM ? mpfr_round(exact, operand[0]) : mpfr_rint(exact, operand[0], mpfr_modes[rm]);
    if (mpfr_cmp_si(exact, (int64_t)lowest) < 0)
        return (struct outcome){lowest, KARAT_NV};
    if (mpfr_cmp_ui(exact, highest) > 0)
        return (struct outcome){highest, KARAT_NV};
    uint64_t value =
        integer_signed(op) ? (uint64_t)mpfr_get_si(exact, MPFR_RNDN) : mpfr_get_ui(exact, MPFR_RNDN);
    return (struct outcome){value, ternary != 0 ? KARAT_NX : 0};
}

static bool is_negative(uint64_t a) {
    return (a & sign_bit(format)) != 0;
}

static uint32_t oracle_class(uint64_t a) {
    load(operand[0], a);
    if (mpfr_nan_p(operand[0]))
        return is_snan(a) ? 0x100 : 0x200;
    if (mpfr_inf_p(operand[0]))
        return is_negative(a) ? 0x001 : 0x080;
    if (mpfr_zero_p(operand[0]))
        return is_negative(a) ? 0x008 : 0x010;
    if (mpfr_get_exp(operand[0]) < least_normal(format))
        return is_negative(a) ? 0x004 : 0x020;
    return is_negative(a) ? 0x002 : 0x040;
}

/* MPFR's min and max are those of RISC-V: -0 < +0, and a number wins against a NaN. */
static struct outcome oracle_order(enum op op, uint64_t a, uint64_t b) {
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
static struct outcome oracle_estimate(enum op op, uint64_t a, unsigned rm) {
    uint64_t sign = a & sign_bit(format);
    unbounded_range();
    load(operand[0], a);
    if (mpfr_nan_p(operand[0]))
        return (struct outcome){canonical_nan(format), is_snan(a) ? KARAT_NV : 0};
    if (mpfr_zero_p(operand[0]))
        return (struct outcome){sign | infinity(format), KARAT_DZ};
    if (op == RSQRT7 && sign != 0)
        return (struct outcome){canonical_nan(format), KARAT_NV};
    if (mpfr_inf_p(operand[0]))
        return (struct outcome){sign, 0};
    if (op == REC7 &&
        mpfr_get_exp(operand[0]) < least_normal(format) - 2) { /* The reciprocal is out of range */
        bool to_zero = rm == KARAT_RTZ || rm == (sign != 0 ? KARAT_RUP : KARAT_RDN);
        return (struct outcome){sign | (infinity(format) - to_zero), KARAT_OF | KARAT_NX};
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

/* SGNJ to NEG: whether the result is negative. NaNs have a sign, which MPFR does not see. */
static bool oracle_sign(enum op op, uint64_t a, uint64_t b) {
    switch (op) {
    case SGNJ: return is_negative(b);
    case SGNJN: return !is_negative(b);
    case SGNJX: return is_negative(a) != is_negative(b);
    default: return !is_negative(a);
    }
}

static struct outcome oracle(enum op op, const uint64_t x[3], unsigned rm) {
    if (op == NARROW || op == WIDEN)
        return oracle_format(op, x, rm);
    if (op >= TO_I8 && op <= TO_U64)
        return oracle_to_integer(op, x[0], rm);
    if (op >= REC7)
        return oracle_estimate(op, x[0], rm);
    if (op >= SGNJ && op <= NEG)
        return (struct outcome){
            (x[0] & ~sign_bit(format)) | (oracle_sign(op, x[0], x[1]) ? sign_bit(format) : 0), 0};
    return op >= MIN ? oracle_order(op, x[0], x[1]) : oracle_float(op, x, rm);
}

/* One definition for three widths, by the selectors of fp.h. convert(a) selects NARROW and WIDEN. */
#define OURS(type, convert)                                                                                  \
    static struct outcome ours_##type(enum op op, const uint64_t x[3], unsigned rm) {                        \
        const type a = (type)x[0], b = (type)x[1], c = (type)x[2];                                           \
        struct outcome out = {0, 0};                                                                         \
        switch (op) {                                                                                        \
        case ADD: out.value = karat_fp(a, add)(a, b, rm, &out.flags); break;                                 \
        case SUB: out.value = karat_fp(a, sub)(a, b, rm, &out.flags); break;                                 \
        case MUL: out.value = karat_fp(a, mul)(a, b, rm, &out.flags); break;                                 \
        case DIV: out.value = karat_fp(a, div)(a, b, rm, &out.flags); break;                                 \
        case SQRT: out.value = karat_fp(a, sqrt)(a, rm, &out.flags); break;                                  \
        case FMA: out.value = karat_fp(a, fma)(a, b, c, rm, &out.flags); break;                              \
        case FROM_I: out.value = karat_fp(a, from_int)(x[0], true, rm, &out.flags); break;                   \
        case FROM_U: out.value = karat_fp(a, from_int)(x[0], false, rm, &out.flags); break;                  \
        case NARROW:                                                                                         \
        case WIDEN: convert; break;                                                                          \
        case MIN: out.value = karat_fp(a, min)(a, b, &out.flags); break;                                     \
        case MAX: out.value = karat_fp(a, max)(a, b, &out.flags); break;                                     \
        case EQ: out.value = karat_fp(a, eq)(a, b, &out.flags); break;                                       \
        case LT: out.value = karat_fp(a, lt)(a, b, &out.flags); break;                                       \
        case LE: out.value = karat_fp(a, le)(a, b, &out.flags); break;                                       \
        case SGNJ: out.value = karat_fp(a, sgnj)(a, b); break;                                               \
        case SGNJN: out.value = karat_fp(a, sgnjn)(a, b); break;                                             \
        case SGNJX: out.value = karat_fp(a, sgnjx)(a, b); break;                                             \
        case NEG: out.value = karat_fp_neg(a); break;                                                        \
        case CLASS: out.value = karat_fp(a, class)(a); break;                                                \
        case REC7: out.value = karat_fp(a, rec7)(a, rm, &out.flags); break;                                  \
        case RSQRT7: out.value = karat_fp(a, rsqrt7)(a, &out.flags); break;                                  \
        default:                                                                                             \
            out.value = karat_fp(a, to_int)(a, integer_bits(op), integer_signed(op), rm, &out.flags);        \
            break;                                                                                           \
        }                                                                                                    \
        return out;                                                                                          \
    }
OURS(uint16_t, out.value = karat_fp_widen(a)(a, rm, &out.flags))
OURS(uint32_t,
     out.value = op == WIDEN ? karat_fp_widen(a)(a, rm, &out.flags) : karat_fp_narrow(a)(a, rm, &out.flags))
OURS(uint64_t, out.value = karat_fp_narrow(a)(a, rm, &out.flags))

static struct outcome ours(enum op op, const uint64_t x[3], unsigned rm) {
    switch (format.bits) {
    case 16: return ours_uint16_t(op, x, rm);
    case 32: return ours_uint32_t(op, x, rm);
    default: return ours_uint64_t(op, x, rm);
    }
}

/* There is nothing next to the narrowest and the widest format. */
static bool exists(enum op op) {
    return !(op == NARROW && format.bits == 16) && !(op == WIDEN && format.bits == 64);
}

/* Rounding modes of op: those of frm, and to odd. */
static unsigned modes(enum op op) {
    return op == NARROW ? 6 : 5;
}

static uint64_t compared;

static void check(enum op op, const uint64_t x[3], unsigned rm) {
    struct outcome want = oracle(op, x, rm), got = ours(op, x, rm);
    compared++;
    if (got.value != want.value || got.flags != want.flags)
        fail_msg("%s of binary%d, rm=%u %016llx %016llx %016llx: got %016llx flags %02x, MPFR says %016llx "
                 "flags %02x",
                 op_names[op], format.bits, rm, (unsigned long long)x[0], (unsigned long long)x[1],
                 (unsigned long long)x[2], (unsigned long long)got.value, got.flags,
                 (unsigned long long)want.value, want.flags);
}

/* Compares an op of one operand, in all modes if they matter. */
static void check_unary(enum op op, uint64_t a) {
    uint64_t x[3] = {a, 0, 0};
    bool rounds = op < MIN || op == REC7;
    for (unsigned rm = 0; rm < (rounds ? modes(op) : 1); rm++)
        check(op, x, rm);
}

static void check_all_unary(uint64_t a) {
    check_unary(SQRT, a);
    for (enum op op = NARROW; op <= TO_U64; op++)
        if (exists(op))
            check_unary(op, a);
    for (enum op op = CLASS; op <= RSQRT7; op++)
        check_unary(op, a);
}

static void print_compared(const char *what) {
    print_message("%llu %s of binary%d compared\n", (unsigned long long)compared, what, format.bits);
}

static int set_up(void **state) {
    (void)state;
    unbounded_range();
    mpfr_inits2(64, operand[0], operand[1], operand[2], (mpfr_ptr)NULL); /* An integer has up to 64 bits */
    mpfr_inits2(EXACT_BITS, result, other, exact, middle, (mpfr_ptr)NULL);
    mpfr_inits2(8, first_bits, estimate, (mpfr_ptr)NULL);
    set_target(format);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    mpfr_clears(operand[0], operand[1], operand[2], result, other, exact, middle, first_bits, estimate,
                (mpfr_ptr)NULL);
    mpfr_free_cache();
    return 0;
}

TEST(test_corner_pairs) {
    compared = 0;
    for (unsigned i = 0; i < 2 * CORNERS; i++)
        for (unsigned j = 0; j < 2 * CORNERS; j++)
            for (unsigned rm = 0; rm < 5; rm++) {
                uint64_t x[3] = {format_corner(format, i), format_corner(format, j), 0};
                for (enum op op = ADD; op <= DIV; op++)
                    check(op, x, rm);
                for (enum op op = MIN; op <= NEG && rm == 0; op++)
                    check(op, x, rm);
            }
    for (unsigned i = 0; i < 2 * CORNERS; i++) {
        check_all_unary(format_corner(format, i));
        check_unary(FROM_I, format_corner(format, i));
        check_unary(FROM_U, format_corner(format, i));
    }
    print_compared("corner operations");
}

/* All of them if KARAT_FP_CASES is large, else some in equal distances. */
TEST(test_corner_triples) {
    const unsigned all = CORNERS * CORNERS * 2 * CORNERS;
    unsigned distance = env_number("KARAT_FP_CASES", 0) < 4 * all ? 5 : 1;
    compared = 0;
    for (unsigned n = 0; n < all; n += distance) {
        /* Two signs are enough: that of the product and that of c. */
        uint64_t x[3] = {format_corner(format, n / (2 * CORNERS) / CORNERS),
                         format_corner(format, n / (2 * CORNERS) % CORNERS),
                         format_corner(format, n % (2 * CORNERS))};
        for (unsigned rm = 0; rm < 10; rm++) {
            check(FMA, x, rm % 5);
            x[1] ^= rm == 4 ? sign_bit(format) : 0;
        }
    }
    print_compared("fma corner operations");
}

TEST(test_random) {
    struct rng rng = {test_seed()};
    uint64_t cases = env_number("KARAT_FP_CASES", 2000000);
    for (compared = 0; compared < cases;) {
        uint64_t x[3];
        format_random_operands(format, &rng, x);
        enum op op = (enum op)rng_below(&rng, OPS);
        if (!exists(op))
            continue;
        unsigned rm = rng_below(&rng, modes(op));
        if (op == FROM_I || op == FROM_U)
            x[0] = format_random_integer(format, &rng);
        if (op >= TO_I8 && op <= TO_U64 && (x[1] & 3) != 0)
            x[0] = format_random_near_integer(format, &rng);
        check(op, x, rm);
    }
    print_compared("random operations");
}

/* Significands in equal distances, for both parities of the exponent: all that there are of binary16, and of
 * binary32 if KARAT_FP_CASES is 2^24 * 5 or more. */
TEST(test_roots) {
    uint64_t one = (uint64_t)exponent_bias(format) << format.fraction,
             four = one + (fraction_mask(format) + 1) * 2;
    uint64_t distance = (four - one) / (env_number("KARAT_FP_CASES", 500000) / 5 + 1) | 1;
    compared = 0;
    for (uint64_t a = one; a < four; a += distance)
        check_unary(SQRT, a);
    print_compared("roots");
}

TEST(test_estimate_tables) {
    compared = 0;
    for (uint32_t n = 0; n < estimate_operands(format); n++) {
        uint64_t x[3] = {format_estimate_operand(format, n), 0, 0};
        /* The mode matters to reciprocals that are out of range, of subnormal numbers. */
        if (exponent_of(format, x[0]) == 0)
            check_unary(REC7, x[0]);
        else
            check(REC7, x, n % 5);
        check(RSQRT7, x, KARAT_RNE);
    }
    print_compared("estimates");
}

/* The specification promises a relative error below 2^-7 for both estimates. */
static void check_error(uint64_t estimate_bits, uint64_t a, bool root) {
    load(operand[0], a);
    load(result, estimate_bits);
    if (root)
        mpfr_sqr(exact, result, MPFR_RNDN);
    mpfr_mul(exact, operand[0], root ? exact : result, MPFR_RNDN);
    if (root)
        mpfr_sqrt(exact, exact, MPFR_RNDN);
    mpfr_sub_ui(exact, exact, 1, MPFR_RNDN);
    mpfr_abs(exact, exact, MPFR_RNDN);
    assert_true(mpfr_cmp_ui_2exp(exact, 1, -7) < 0);
}

TEST(test_estimates) {
    unbounded_range();
    uint64_t first = (fraction_mask(format) + 1) / 4, distance = (infinity(format) - first) / 130000 | 1;
    for (uint64_t a = first; a < infinity(format); a += distance) {
        const uint64_t x[3] = {a, 0, 0};
        struct outcome reciprocal = ours(REC7, x, KARAT_RNE), root = ours(RSQRT7, x, KARAT_RNE);
        check_error(reciprocal.value, a, false);
        check_error(root.value, a, true);
        assert_int_equal(reciprocal.flags | root.flags, 0);
    }
}

/* Every operand of every operation that has one operand; binary16 only. */
TEST(test_all_operands) {
    if (format.bits != 16)
        return;
    compared = 0;
    for (uint64_t a = 0; a < 0x10000; a++)
        check_all_unary(a);
    print_compared("operations of one operand");
}

/* The format binary32 has functions of its own for integers of 32 bits. */
TEST(test_short_conversions) {
    if (format.bits != 32)
        return;
    struct rng rng = {test_seed()};
    for (int n = 0; n < 100000; n++) {
        uint32_t a = (uint32_t)format_random_near_integer(format, &rng), integer = (uint32_t)rng_next(&rng);
        integer >>= rng_below(&rng, 32);
        integer = n & 1 ? 0 - integer : integer;
        const uint64_t x[3] = {a, 0, 0}, i[3] = {(uint64_t)(int64_t)(int32_t)integer, 0, 0},
                       u[3] = {integer, 0, 0};
        for (unsigned rm = 0; rm < 5; rm++) {
            uint32_t flags = 0;
            struct outcome want = ours(TO_I32, x, rm);
            assert_int_equal(karat_f32_to_i32(a, rm, &flags), (int32_t)want.value);
            assert_int_equal(flags, want.flags);
            want = ours(TO_U32, x, rm);
            flags = 0;
            assert_int_equal(karat_f32_to_u32(a, rm, &flags), want.value);
            assert_int_equal(flags, want.flags);
            want = ours(FROM_I, i, rm);
            flags = 0;
            assert_int_equal(karat_f32_from_i32((int32_t)integer, rm, &flags), want.value);
            assert_int_equal(flags, want.flags);
            want = ours(FROM_U, u, rm);
            flags = 0;
            assert_int_equal(karat_f32_from_u32(integer, rm, &flags), want.value);
            assert_int_equal(flags, want.flags);
        }
    }
}

/* An operation of lanes.h, or NULL. */
#define LANES_OF(op)                                                                                         \
    (format.bits == 16   ? KARAT_LANES((uint16_t)0, op)                                                      \
     : format.bits == 32 ? KARAT_LANES((uint32_t)0, op)                                                      \
                         : KARAT_LANES((uint64_t)0, op))
static karat_lanes_function *lanes_of(enum op op) {
    if (op >= TO_I8 && op <= TO_U64 && integer_bits(op) == (unsigned)format.bits)
        return integer_signed(op) ? LANES_OF(to_i) : LANES_OF(to_u);
    switch (op) {
    case ADD:
    case SUB: return LANES_OF(add);
    case MUL: return LANES_OF(mul);
    case DIV: return LANES_OF(div);
    case SQRT: return LANES_OF(sqrt);
    case FMA: return LANES_OF(fma);
    case FROM_I: return LANES_OF(from_i);
    case FROM_U: return LANES_OF(from_u);
    case MIN: return LANES_OF(min);
    case MAX: return LANES_OF(max);
    case EQ: return LANES_OF(eq);
    case LT: return LANES_OF(lt);
    case LE: return LANES_OF(le);
    case CLASS: return LANES_OF(class);
    default: return NULL;
    }
}

enum { LANES = 8, WORDS = 2 * LANES };

static uint64_t cut(uint64_t x) {
    return x & UINT64_MAX >> (64 - format.bits);
}

static uint64_t easy;

/* All elements with their flags together, then each one by itself. */
static void check_lanes(enum op op, uint64_t x[LANES][3], unsigned rm) {
    uint32_t v[3][WORDS] = {{0}}, r[WORDS], flags = 0;
    struct outcome want[LANES];
    for (unsigned i = 0; i < LANES; i++)
        for (unsigned k = 0; k < 3; k++)
            v[k][i] = (uint32_t)x[i][k], v[k][i + LANES] = (uint32_t)(x[i][k] >> 32);
    const uint32_t how = KARAT_LANES_HOW(LANES, rm, LANES) | (op == SUB ? KARAT_LANES_NEG_B : 0);
    const karat_lanes all = lanes_of(op)(v[0], v[1], v[2], how, (1u << LANES) - 1, r);
    for (unsigned i = 0; i < LANES; i++) {
        if (all.left >> i & 1)
            continue;
        /* An integer is one of the format's width. */
        const bool is_signed = op == FROM_I && x[i][0] & sign_bit(format);
        const uint64_t y[3] = {is_signed ? x[i][0] | ~cut(UINT64_MAX) : x[i][0], x[i][1], x[i][2]};
        uint32_t one[WORDS];
        want[i] = oracle(op, y, rm);
        flags |= want[i].flags;
        const karat_lanes done = lanes_of(op)(v[0], v[1], v[2], how, UINT64_C(1) << i, one);
        const uint64_t got = cut(r[i] | (uint64_t)(format.bits == 64 ? r[i + LANES] : 0) << 32);
        const uint64_t alone = cut(one[i] | (uint64_t)(format.bits == 64 ? one[i + LANES] : 0) << 32);
        easy++;
        if (got != cut(want[i].value) || alone != got || done.flags != want[i].flags || done.left)
            fail_msg("%s of binary%d, rm=%u %016llx %016llx %016llx: got %016llx, alone %016llx flags %02x, "
                     "MPFR says %016llx flags %02x",
                     op_names[op], format.bits, rm, (unsigned long long)y[0], (unsigned long long)y[1],
                     (unsigned long long)y[2], (unsigned long long)got, (unsigned long long)alone,
                     (unsigned)done.flags, (unsigned long long)cut(want[i].value), want[i].flags);
    }
    assert_int_equal(all.flags, flags);
    compared += LANES;
}

TEST(test_lanes) {
    struct rng rng = {test_seed()};
    const uint64_t cases = env_number("KARAT_FP_CASES", 1000000);
    easy = 0;
    for (compared = 0; compared < cases;) {
        const enum op op = (enum op)rng_below(&rng, OPS);
        if (!lanes_of(op))
            continue;
        uint64_t x[LANES][3];
        for (unsigned i = 0; i < LANES; i++) {
            format_random_operands(format, &rng, x[i]);
            if (op == FROM_I || op == FROM_U)
                x[i][0] = cut(format_random_integer(format, &rng));
            if (op >= TO_I8 && op <= TO_U64 && (x[i][1] & 3) != 0)
                x[i][0] = format_random_near_integer(format, &rng);
        }
        check_lanes(op, x, rng_below(&rng, 5));
    }
    print_compared("random elements");
    /* Below v3, binary64 is computed one by one. */
    if (format.bits != 64 || strcmp(level_of_test(), "v3") == 0 || strcmp(level_of_test(), "v4") == 0)
        assert_true(easy > compared / 2);
    print_message("%llu of them by vectors, at level %s\n", (unsigned long long)easy, level_of_test());
}

int main(int argc, char **argv) {
    const struct CMUnitTest lanes[] = {cmocka_unit_test(test_lanes)};
    const bool of_lanes = argc == 3 && strcmp(argv[2], "lanes") == 0;
    switch (argc == 2 || of_lanes ? atoi(argv[1]) : 0) {
    case 16: format = binary16; break;
    case 32: format = binary32; break;
    case 64: format = binary64; break;
    default: fprintf(stderr, "usage: %s 16|32|64 [lanes]\n", argv[0]); return 2;
    }
    if (!of_lanes)
        return run_suite("fp_mpfr", set_up, tear_down);
    return is_runnable() ? cmocka_run_group_tests_name("fp_mpfr lanes", lanes, set_up, tear_down) : 77;
}
