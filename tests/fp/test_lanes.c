/* Arithmetic of many elements at once, of one format: bits and flags are those of the functions for one,
 * which test_fp_mpfr and test_fp_qemu compare with MPFR and QEMU; test_fp_mpfr compares these ones with MPFR,
 * too. A level that the machine does not have is skipped.
 *
 * Usage: test_lanes_LEVEL <16, 32 or 64>
 * KARAT_SEED repeats a run; KARAT_FP_CASES is the number of random blocks. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "suite.h"

#include "fp/fp.h"
#include "fp/lanes.h"
#include "operands.h"
#include "runnable.h"

enum { LANES = 64, WORDS = 2 * LANES };

typedef struct operation {
    const char *name;
    karat_lanes_function *many[3]; /* Functions of binary16, binary32 and binary64 */
    uint64_t (*one[3])(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint32_t *flags);
    uint32_t signs; /* KARAT_LANES_NEG_A ... */
    unsigned kind;  /* Some of the following */
} operation;
enum { UNROUNDED = 1, TO_INTEGER = 2 /* To an integer or a mask */, FROM_INTEGER = 4, OF_ONE = 8 };

/* The functions for one element, with one signature. */
#define ONE_AT(name, bits, type, expr)                                                                       \
    static uint64_t one_##name##_##bits(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint32_t *flags) {  \
        enum { BITS = bits };                                                                                \
        const type x = (type)a, y = (type)b, z = (type)c;                                                    \
        (void)x, (void)y, (void)z, (void)rm, (void)flags, (void)BITS;                                        \
        return (uint64_t)(expr);                                                                             \
    }
#define ONE(name, expr)                                                                                      \
    ONE_AT(name, 16, uint16_t, expr)                                                                         \
    ONE_AT(name, 32, uint32_t, expr)                                                                         \
    ONE_AT(name, 64, uint64_t, expr)
/* Takes x as a signed integer of its width. */
#define SIGNED_INTEGER(x) ((uint64_t)((int64_t)((uint64_t)(x) << (64 - BITS)) >> (64 - BITS)))
ONE(add, karat_fp(x, add)(x, y, rm, flags))
ONE(mul, karat_fp(x, mul)(x, y, rm, flags))
ONE(div, karat_fp(x, div)(x, y, rm, flags))
ONE(sqrt, karat_fp(x, sqrt)(x, rm, flags))
ONE(fma, karat_fp(x, fma)(x, y, z, rm, flags))
ONE(min, karat_fp(x, min)(x, y, flags))
ONE(max, karat_fp(x, max)(x, y, flags))
ONE(eq, karat_fp(x, eq)(x, y, flags))
ONE(ne, !karat_fp(x, eq)(x, y, flags))
ONE(lt, karat_fp(x, lt)(x, y, flags))
ONE(le, karat_fp(x, le)(x, y, flags))
ONE(class, karat_fp(x, class)(x))
ONE(to_i, karat_fp(x, to_int)(x, BITS, true, rm, flags))
ONE(to_u, karat_fp(x, to_int)(x, BITS, false, rm, flags))
ONE(from_i, karat_fp(x, from_int)(SIGNED_INTEGER(x), true, rm, flags))
ONE(from_u, karat_fp(x, from_int)(x, false, rm, flags))

#define OPERATION_AS(name, op, signs, kind)                                                                  \
    {                                                                                                        \
        name,                                                                                                \
            {KARAT_LEVEL(karat_f16_lanes_##op), KARAT_LEVEL(karat_f32_lanes_##op),                           \
             KARAT_LEVEL(karat_f64_lanes_##op)},                                                             \
            {one_##op##_16, one_##op##_32, one_##op##_64}, signs, kind                                       \
    }
#define OPERATION(op, kind) OPERATION_AS(#op, op, 0, kind)
#define SIGNED(op, signs)   OPERATION_AS(#op " " #signs, op, signs, 0)
static const operation operations[] = {
    OPERATION(add, 0),
    SIGNED(add, KARAT_LANES_NEG_B),
    OPERATION(mul, 0),
    OPERATION(div, 0),
    OPERATION(fma, 0),
    SIGNED(fma, KARAT_LANES_NEG_A),
    SIGNED(fma, KARAT_LANES_NEG_C),
    SIGNED(fma, KARAT_LANES_NEG_A | KARAT_LANES_NEG_C),
    OPERATION(sqrt, OF_ONE),
    OPERATION(min, UNROUNDED),
    OPERATION(max, UNROUNDED),
    OPERATION(eq, UNROUNDED | TO_INTEGER),
    OPERATION(ne, UNROUNDED | TO_INTEGER),
    OPERATION(lt, UNROUNDED | TO_INTEGER),
    OPERATION(le, UNROUNDED | TO_INTEGER),
    OPERATION(class, OF_ONE | UNROUNDED | TO_INTEGER),
    OPERATION(to_i, OF_ONE | TO_INTEGER),
    OPERATION(to_u, OF_ONE | TO_INTEGER),
    OPERATION(from_i, OF_ONE | FROM_INTEGER),
    OPERATION(from_u, OF_ONE | FROM_INTEGER),
};
enum { OPERATIONS = sizeof operations / sizeof *operations, MODES = KARAT_RMM + 1 };

static struct format format;
static unsigned which; /* The format's place in an operation */
static uint32_t a[WORDS], b[WORDS], c[WORDS];
static uint64_t easy, all;

/* Elements. Above a number or an integer of 16 bits a source has anything. */
static uint64_t get(const uint32_t *v, uint32_t i) {
    switch (format.bits) {
    case 16: return v[i] & 0xffff;
    case 32: return v[i];
    default: return v[i] | (uint64_t)v[i + LANES] << 32;
    }
}

static void set(uint32_t *v, uint32_t i, uint64_t x) {
    v[i] = (uint32_t)x ^ (format.bits == 16 ? i * 0x3c5a0000 : 0);
    v[i + LANES] = format.bits == 64 ? (uint32_t)(x >> 32) : 0;
}

/* All words of an element of a result. */
static uint64_t words(const uint32_t *r, uint32_t i) {
    return format.bits == 64 ? get(r, i) : r[i];
}

/* Whether it converts from or to an integer. */
static bool is_conversion(const operation *o) {
    return o->kind & FROM_INTEGER || (o->kind & (TO_INTEGER | UNROUNDED)) == TO_INTEGER;
}

/* The words that a result has. */
static uint64_t as_result(const operation *o, uint64_t one) {
    if (format.bits == 16)
        return o->kind & TO_INTEGER ? (uint32_t)(int16_t)one : 0xffff0000 | (uint32_t)one;
    return format.bits == 32 ? (uint32_t)one : one;
}

static uint64_t signed_as(const operation *o, uint64_t x, uint32_t sign) {
    return o->signs & sign ? x ^ sign_bit(format) : x;
}

static karat_lanes run(const operation *o, unsigned rm, uint32_t num, uint64_t active, uint32_t *r) {
    return o->many[which](a, b, c, KARAT_LANES_HOW(num, rm, LANES) | o->signs, active, r);
}

/* One block: each easy element's bits, and the flags of all of them. Elements that are returned, and those
 * beyond num, stay as they were. */
static void compare(const operation *o, unsigned rm, uint32_t num, uint64_t active) {
    const uint32_t before = 0x5eed5eed;
    uint32_t r[WORDS + 1], want = 0;
    for (uint32_t i = 0; i <= WORDS; i++)
        r[i] = before;
    const karat_lanes done = run(o, rm, num, active, r);
    const uint64_t hard = done.left;
    const uint32_t flags = (uint32_t)done.flags;
    assert_int_equal(hard & ~active, 0);
    for (uint32_t i = num; i < (format.bits == 64 ? LANES : WORDS); i++)
        assert_int_equal(r[i], before);
    for (uint32_t i = LANES + num; i <= WORDS; i++)
        assert_int_equal(r[i], before);
    for (uint32_t i = 0; i < num; i++) {
        if (hard >> i & 1) {
            assert_int_equal(r[i], before);
            assert_int_equal(r[i + LANES], before);
        }
        if (!((active & ~hard) >> i & 1))
            continue;
        uint32_t raised = 0;
        const uint64_t one =
            as_result(o, o->one[which](signed_as(o, get(a, i), KARAT_LANES_NEG_A),
                                       signed_as(o, get(b, i), KARAT_LANES_NEG_B),
                                       signed_as(o, get(c, i), KARAT_LANES_NEG_C), rm, &raised));
        if (words(r, i) != one || raised & ~flags)
            fail_msg("%s of binary%d, mode %u, of %016llx, %016llx, %016llx: %016llx, flags %x; of many "
                     "%016llx, flags %x",
                     o->name, format.bits, rm, (unsigned long long)get(a, i), (unsigned long long)get(b, i),
                     (unsigned long long)get(c, i), (unsigned long long)one, (unsigned)raised,
                     (unsigned long long)words(r, i), (unsigned)flags);
        want |= raised;
        easy++;
    }
    all += (uint64_t)__builtin_popcountll(active);
    if (flags != want)
        fail_msg("%s of binary%d, mode %u: flags %x of many, %x of one by one", o->name, format.bits, rm,
                 (unsigned)flags, (unsigned)want);
}

/* Each element by itself as well, so that no other one's flag hides its own. */
static void compare_each(const operation *o, unsigned rm, uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        compare(o, rm, num, UINT64_C(1) << i);
}

/* In every mode that is a matter of the operation. */
static void compare_modes(const operation *o, uint32_t num, uint64_t active) {
    for (unsigned rm = 0; rm < (o->kind & UNROUNDED ? 1 : MODES); rm++)
        compare(o, rm, num, active);
}

/* All pairs of exponents and signs, with fractions at which rounding carries, ties and cancels; c, too,
 * around the product. Of binary64, some of the pairs, with all differences and sums of exponents. The modes
 * in turn; all of them in a run of many cases. */
TEST(exponents) {
    const uint64_t fractions[] = {0, 1, quiet_bit(format), fraction_mask(format)};
    struct rng rng = {1};
    unsigned turn = 0;
    const bool every_mode = env_number("KARAT_FP_CASES", 0) > 100000;
    const uint32_t top = 2 * ((uint32_t)exponent_max(format) + 1), distance = format.bits < 64 ? 1
                                                                              : every_mode     ? 3
                                                                                               : 7;
    for (uint32_t i = 0; i < top; i += distance)
        for (uint32_t k = 0; k < top; k += 4 * distance) {
            for (uint32_t n = 0; n < LANES; n++) {
                const uint32_t other = (k + (n >> 4 & 3) + i / distance % (4 * distance)) % top;
                const int product = (int)(i % (top / 2) + other % (top / 2)) - exponent_bias(format);
                set(a, n, (uint64_t)i << format.fraction | fractions[n & 3]);
                set(b, n, (uint64_t)other << format.fraction | fractions[n >> 2 & 3]);
                set(c, n,
                    move_exponent(format, format_random_operand(format, &rng),
                                  product - format.fraction - 7 +
                                      (int)rng_below(&rng, 2 * (uint32_t)format.fraction + 14)));
            }
            turn++;
            for (unsigned o = 0; o < OPERATIONS; o++)
                if (every_mode)
                    compare_modes(&operations[o], LANES, ~UINT64_C(0));
                else
                    compare(&operations[o], operations[o].kind & UNROUNDED ? 0 : (turn + o) % MODES, LANES,
                            ~UINT64_C(0));
            compare_each(&operations[turn % OPERATIONS], turn / OPERATIONS % MODES, 16);
        }
}

/* Results around the bounds of the range, and around those beyond which binary64 is left, in every mode, each
 * by itself: overflow, underflow, and ties of subnormal results. */
TEST(bounds) {
    struct rng rng = {4};
    const int max = exponent_max(format), bias = exponent_bias(format), precision = format.fraction + 1;
    const int bound[] = {0, 1, 2, precision, 2 * precision, max - 2, max - 1, max};
    for (uint32_t n = 0; n < 600; n++) {
        for (uint32_t i = 0; i < 8; i++) {
            const int e = bound[rng_below(&rng, sizeof bound / sizeof *bound)] + (int)rng_below(&rng, 3) -
                          (precision + 1) * (int)rng_below(&rng, 2);
            const int first = 1 + (int)rng_below(&rng, (uint32_t)max - 1);
            /* Short products tie */
            const uint64_t few = infinity(format) | sign_bit(format) |
                                 fraction_mask(format) << rng_below(&rng, (uint32_t)precision);
            set(a, i, move_exponent(format, format_random_operand(format, &rng) & few, first));
            set(b, i,
                move_exponent(format, format_random_operand(format, &rng) & few,
                              n & 1 ? e + bias - first : first + bias - e));
            set(c, i, n & 2 ? 0 : format_random_operand(format, &rng) & (sign_bit(format) | 3));
        }
        for (unsigned o = 0; o < OPERATIONS; o++)
            for (unsigned rm = 0; rm < MODES; rm++)
                compare_each(&operations[o], rm, 8);
    }
}

/* Integers, and numbers around them and half-way between them. */
TEST(integers) {
    struct rng rng = {5};
    for (uint32_t n = 0; n < 3000; n++) {
        for (uint32_t i = 0; i < 8; i++) {
            const uint64_t x = n & 1 ? format_random_near_integer(format, &rng) + rng_below(&rng, 3) - 1
                                     : format_random_integer(format, &rng) >> rng_below(&rng, 64);
            set(a, i, rng_below(&rng, 2) || n & 1 ? x : 0 - x);
        }
        for (unsigned o = 0; o < OPERATIONS; o++)
            for (unsigned rm = 0; rm < MODES && is_conversion(&operations[o]); rm++)
                compare_each(&operations[o], rm, 8);
    }
}

/* Of binary16, every operand of the operations that have one, in every mode. */
TEST(all_operands) {
    for (uint32_t first = 0; first < 0x10000 && format.bits == 16; first += LANES) {
        for (uint32_t i = 0; i < LANES; i++)
            set(a, i, first + i);
        for (unsigned o = 0; o < OPERATIONS; o++)
            if (operations[o].kind & OF_ONE)
                for (unsigned rm = 0; rm < MODES; rm++) {
                    compare(&operations[o], rm, LANES, ~UINT64_C(0));
                    if (first % (LANES * 16) == 0)
                        compare_each(&operations[o], rm, LANES);
                }
    }
}

static void any_operands(struct rng *rng, uint32_t num) {
    for (uint32_t i = 0; i < num; i++) {
        uint64_t x[3];
        format_random_operands(format, rng, x);
        set(a, i, x[0]), set(b, i, x[1]), set(c, i, x[2]);
    }
}

TEST(random_blocks) {
    struct rng rng = {test_seed()};
    const uint64_t cases = env_number("KARAT_FP_CASES", 6000);
    for (uint64_t n = 0; n < cases; n++) {
        const uint32_t num = 1u << rng_below(&rng, 7);
        any_operands(&rng, num);
        const uint64_t lanes = ~UINT64_C(0) >> (64 - num);
        for (unsigned o = 0; o < OPERATIONS; o++)
            compare_modes(&operations[o], num, rng_below(&rng, 2) ? lanes : rng_next(&rng) & lanes);
        compare_each(&operations[rng_below(&rng, OPERATIONS)], rng_below(&rng, MODES), num);
    }
}

/* The result takes the place of a source. */
TEST(in_place) {
    struct rng rng = {6};
    for (uint32_t n = 0; n < 200; n++) {
        any_operands(&rng, LANES);
        for (unsigned o = 0; o < OPERATIONS; o++) {
            uint32_t apart[WORDS], in[WORDS];
            const uint32_t how = KARAT_LANES_HOW(LANES, KARAT_RNE, LANES);
            const karat_lanes want = operations[o].many[which](a, b, c, how, ~UINT64_C(0), apart);
            memcpy(in, a, sizeof in);
            const karat_lanes done = operations[o].many[which](in, b, c, how, ~UINT64_C(0), in);
            assert_int_equal(done.left, want.left);
            assert_int_equal(done.flags, want.flags);
            for (uint32_t i = 0; i < LANES; i++)
                assert_int_equal(words(in, i), words(want.left >> i & 1 ? a : apart, i));
        }
    }
}

/* All finite operands are easy, where the host has the arithmetic at all, but for a divisor of 0 and the root
 * of a negative number; of binary64, all whose results and products are far from the bounds of the range. */
TEST(most_are_easy) {
    struct rng rng = {2};
    const bool is_64 = format.bits == 64;
    easy = all = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint64_t x[3];
            for (unsigned k = 0; k < 3; k++) {
                x[k] = rng_next(&rng) & (sign_bit(format) | (infinity(format) - 1));
                if (is_64)
                    x[k] = move_exponent(format, x[k], 560 + (int)rng_below(&rng, 926));
            }
            set(a, i, x[0] & ~sign_bit(format)), set(b, i, x[1] | 1), set(c, i, i % 5 ? x[2] : 0);
        }
        /* Integers of binary64 have bounds of their own. */
        for (unsigned o = 0; o < OPERATIONS; o++)
            if (!is_64 || !is_conversion(&operations[o]))
                compare_modes(&operations[o], LANES, ~UINT64_C(0));
    }
    for (uint32_t n = 0; n < 100 && is_64; n++) {
        for (uint32_t i = 0; i < LANES; i++)
            set(a, i,
                move_exponent(format, rng_next(&rng) >> 1, 900 + (int)rng_below(&rng, 1023 + 51 - 900)));
        for (unsigned o = 0; o < OPERATIONS; o++)
            if (is_conversion(&operations[o]))
                compare_modes(&operations[o], LANES, ~UINT64_C(0));
    }
#ifdef __SSE2__
    if (!is_64 || strcmp(level_of_test(), "v3") == 0 || strcmp(level_of_test(), "v4") == 0)
        assert_true(easy == all);
#endif
}

/* No mode of the caller changes a result, and the modes stay: rounding, and on x86-64 traps, and subnormal
 * numbers taken as 0. */
TEST(environment) {
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
    struct rng rng = {3};
#ifdef __SSE2__
    const unsigned before = _mm_getcsr(), more[] = {0, 0x8000, 0x0040, 0x8040, 0x1f80};
#else
    const unsigned more[] = {0};
#endif
    for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++)
        for (unsigned k = 0; k < sizeof more / sizeof *more; k++) {
            assert_int_equal(fesetround(modes[m]), 0);
            for (uint32_t n = 0; n < 20; n++) {
                any_operands(&rng, LANES);
                for (unsigned o = 0; o < OPERATIONS; o++) {
#ifdef __SSE2__
                    const unsigned mode = (_mm_getcsr() & ~0x3fu) ^ more[k];
                    _mm_setcsr(mode);
                    compare_modes(&operations[o], LANES, ~UINT64_C(0));
                    assert_int_equal(_mm_getcsr() & ~0x3fu, mode);
                    _mm_setcsr(mode ^ more[k]);
#else
                    compare_modes(&operations[o], LANES, ~UINT64_C(0));
#endif
                    assert_int_equal(fegetround(), modes[m]);
                }
            }
        }
#ifdef __SSE2__
    _mm_setcsr(before);
#endif
}

int main(int argc, char **argv) {
    if (!is_runnable())
        return 77;
    switch (argc == 2 ? atoi(argv[1]) : 0) {
    case 16: format = binary16, which = 0; break;
    case 32: format = binary32, which = 1; break;
    case 64: format = binary64, which = 2; break;
    default: fprintf(stderr, "usage: %s 16|32|64\n", argv[0]); return 2;
    }
    return run_suite("lanes", NULL, NULL);
}
