/* binary32 arithmetic of many elements at once: bits and flags are those of the functions for one, which test_fp_mpfr and
 * test_fp_qemu compare with MPFR and QEMU. KARAT_SEED repeats a run; KARAT_FP_CASES is the number of random blocks. A level that the machine
 * does not have is skipped. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "f32_operands.h"
#include "fp/f32.h"
#include "fp/f32_lanes.h"
#include "karat/model.h"

enum { LANES = 64 };

typedef struct operation {
    const char *name;
    karat_lanes_function *many;
    uint32_t signs; /* KARAT_LANES_NEG_A ... */
    uint32_t (*one)(uint32_t a, uint32_t b, uint32_t c, unsigned rm, uint32_t *flags);
    bool unrounded;
} operation;

/* The functions for one element, with one signature. */
#define ONE(name, expr)                                                                                      \
    static uint32_t one_##name(uint32_t x, uint32_t y, uint32_t z, unsigned rm, uint32_t *flags) {           \
        (void)y, (void)z, (void)rm, (void)flags;                                                             \
        return (uint32_t)(expr);                                                                             \
    }
ONE(add, karat_f32_add(x, y, rm, flags))
ONE(mul, karat_f32_mul(x, y, rm, flags))
ONE(div, karat_f32_div(x, y, rm, flags))
ONE(sqrt, karat_f32_sqrt(x, rm, flags))
ONE(fma, karat_f32_fma(x, y, z, rm, flags))
ONE(min, karat_f32_min(x, y, flags))
ONE(max, karat_f32_max(x, y, flags))
ONE(eq, karat_f32_eq(x, y, flags))
ONE(ne, !karat_f32_eq(x, y, flags))
ONE(lt, karat_f32_lt(x, y, flags))
ONE(le, karat_f32_le(x, y, flags))
ONE(class, karat_f32_class(x))
ONE(to_i32, karat_f32_to_i32(x, rm, flags))
ONE(to_u32, karat_f32_to_u32(x, rm, flags))
ONE(from_i32, karat_f32_from_i32((int32_t)x, rm, flags))
ONE(from_u32, karat_f32_from_u32(x, rm, flags))

#define OPERATION(op)                                                                                        \
    { #op, KARAT_LEVEL(karat_f32_lanes_##op), 0, one_##op, false }
#define SIGNED(op, signs)                                                                                    \
    { #op " " #signs, KARAT_LEVEL(karat_f32_lanes_##op), signs, one_##op, false }
#define OPERATION_UNROUNDED(op)                                                                              \
    { #op, KARAT_LEVEL(karat_f32_lanes_##op), 0, one_##op, true }
static const operation operations[] = {
    OPERATION(add),
    SIGNED(add, KARAT_LANES_NEG_B),
    OPERATION(mul),
    OPERATION(div),
    OPERATION(fma),
    SIGNED(fma, KARAT_LANES_NEG_A),
    SIGNED(fma, KARAT_LANES_NEG_C),
    SIGNED(fma, KARAT_LANES_NEG_A | KARAT_LANES_NEG_C),
    OPERATION(sqrt),
    OPERATION_UNROUNDED(min),
    OPERATION_UNROUNDED(max),
    OPERATION_UNROUNDED(eq),
    OPERATION_UNROUNDED(ne),
    OPERATION_UNROUNDED(lt),
    OPERATION_UNROUNDED(le),
    OPERATION_UNROUNDED(class),
    OPERATION(to_i32),
    OPERATION(to_u32),
    OPERATION(from_i32),
    OPERATION(from_u32),
};
enum { OPERATIONS = sizeof operations / sizeof *operations, MODES = KARAT_RMM + 1 };

static uint32_t a[LANES], b[LANES], c[LANES];
static uint64_t easy, all;

static uint32_t signed_as(const operation *o, uint32_t x, uint32_t sign) {
    return o->signs & sign ? x ^ KARAT_F32_SIGN : x;
}

/* One block: each easy element's bits, and the flags of all of them. Elements that are returned, and those beyond num, stay as they were. */
static void compare(const operation *o, unsigned rm, uint32_t num, uint64_t active) {
    const uint32_t before = 0x5eed5eed;
    uint32_t r[LANES + 1], want = 0;
    for (uint32_t i = 0; i <= LANES; i++)
        r[i] = before;
    const karat_lanes done = o->many(a, b, c, KARAT_LANES_HOW(num, rm) | o->signs, active, r);
    const uint64_t hard = done.left;
    const uint32_t flags = (uint32_t)done.flags;
    assert_int_equal(hard & ~active, 0);
    assert_int_equal(r[num], before);
    for (uint32_t i = 0; i < num; i++) {
        if (hard >> i & 1)
            assert_int_equal(r[i], before);
        if (!((active & ~hard) >> i & 1))
            continue;
        uint32_t raised = 0;
        const uint32_t one =
            o->one(signed_as(o, a[i], KARAT_LANES_NEG_A), signed_as(o, b[i], KARAT_LANES_NEG_B),
                   signed_as(o, c[i], KARAT_LANES_NEG_C), rm, &raised);
        if (r[i] != one || raised & ~flags)
            fail_msg("%s, mode %u, of %08x, %08x, %08x: %08x, flags %x; of many %08x, flags %x", o->name, rm,
                     (unsigned)a[i], (unsigned)b[i], (unsigned)c[i], (unsigned)one, (unsigned)raised,
                     (unsigned)r[i], (unsigned)flags);
        want |= raised;
        easy++;
    }
    all += (uint64_t)__builtin_popcountll(active);
    if (flags != want)
        fail_msg("%s, mode %u: flags %x of many, %x of one by one", o->name, rm, (unsigned)flags,
                 (unsigned)want);
}

/* Each element by itself as well, so that no other one's flag hides its own. */
static void compare_each(const operation *o, unsigned rm, uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        compare(o, rm, num, UINT64_C(1) << i);
}

/* In every mode that is a matter of the operation. */
static void compare_modes(const operation *o, uint32_t num, uint64_t active) {
    for (unsigned rm = 0; rm < (o->unrounded ? 1 : MODES); rm++)
        compare(o, rm, num, active);
}

/* All pairs of exponents and signs, with fractions at which rounding carries, ties and cancels; c, too, around the product. The modes in
 * turn; all of them in a run of many cases. */
static void exponents(void **state) {
    (void)state;
    static const uint32_t fractions[] = {0, 1, 0x400000, 0x7fffff};
    struct rng rng = {1};
    unsigned turn = 0;
    const bool every_mode = env_number("KARAT_FP_CASES", 0) > 100000;
    for (uint32_t i = 0; i < 512; i++)
        for (uint32_t k = 0; k < 512; k += 4) {
            for (uint32_t n = 0; n < LANES; n++) {
                a[n] = i << 23 | fractions[n & 3];
                b[n] = (k + (n >> 4 & 3)) << 23 | fractions[n >> 2 & 3];
                const int product = (int)((i & 255) + ((k + (n >> 4 & 3)) & 255)) - 127;
                c[n] = with_exponent(random_operand(&rng), product - 30 + (int)rng_below(&rng, 60));
            }
            turn++;
            for (unsigned o = 0; o < OPERATIONS; o++)
                if (every_mode)
                    compare_modes(&operations[o], LANES, ~UINT64_C(0));
                else
                    compare(&operations[o], operations[o].unrounded ? 0 : (turn + o) % MODES, LANES,
                            ~UINT64_C(0));
            compare_each(&operations[turn % OPERATIONS], turn / OPERATIONS % MODES, 16);
        }
}

/* Results around the bounds of the range, in every mode, each by itself: overflow, underflow, and ties of subnormal results. */
static void bounds(void **state) {
    (void)state;
    struct rng rng = {4};
    static const int bound[] = {0, 1, 2, 24, 253, 254, 255};
    for (uint32_t n = 0; n < 600; n++) {
        for (uint32_t i = 0; i < 8; i++) {
            const int e = bound[rng_below(&rng, sizeof bound / sizeof *bound)] + (int)rng_below(&rng, 3) -
                          25 * (int)rng_below(&rng, 2);
            const int first = 1 + (int)rng_below(&rng, 254);
            const uint32_t few = 0xffffffffu << rng_below(&rng, 24); /* short products tie */
            a[i] = with_exponent(random_operand(&rng) & (few | KARAT_F32_INF), first);
            b[i] = with_exponent(random_operand(&rng) & (few | KARAT_F32_INF),
                                 n & 1 ? e + 127 - first : first + 127 - e);
            c[i] = n & 2 ? 0 : random_operand(&rng) & 0x80000003;
        }
        for (unsigned o = 0; o < OPERATIONS; o++)
            for (unsigned rm = 0; rm < MODES; rm++)
                compare_each(&operations[o], rm, 8);
    }
}

/* Integers, and numbers around them and half-way between them. */
static void integers(void **state) {
    (void)state;
    struct rng rng = {5};
    for (uint32_t n = 0; n < 3000; n++) {
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t flags = 0;
            const uint32_t integer = (uint32_t)(rng_next(&rng) >> (32 + rng_below(&rng, 32)));
            a[i] = rng_below(&rng, 2) ? integer : 0 - integer;
            if (n & 1) {
                a[i] = karat_f32_from_i32((int32_t)a[i], KARAT_RTZ, &flags);
                a[i] = karat_f32_add(a[i], rng_below(&rng, 2) ? 0x3f000000 : 0xbf000000, KARAT_RTZ, &flags);
                a[i] += rng_below(&rng, 3) - 1;
            }
        }
        for (unsigned o = 0; o < OPERATIONS; o++)
            if (operations[o].one == one_to_i32 || operations[o].one == one_to_u32 ||
                operations[o].one == one_from_i32 || operations[o].one == one_from_u32)
                for (unsigned rm = 0; rm < MODES; rm++)
                    compare_each(&operations[o], rm, 8);
    }
}

static void any_operands(struct rng *rng, uint32_t num) {
    for (uint32_t i = 0; i < num; i++) {
        uint32_t x[3];
        random_operands(rng, x);
        a[i] = x[0], b[i] = x[1], c[i] = x[2];
    }
}

static void random_blocks(void **state) {
    (void)state;
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
static void in_place(void **state) {
    (void)state;
    struct rng rng = {6};
    for (uint32_t n = 0; n < 200; n++) {
        any_operands(&rng, LANES);
        for (unsigned o = 0; o < OPERATIONS; o++) {
            uint32_t apart[LANES], in[LANES];
            const uint32_t how = KARAT_LANES_HOW(LANES, KARAT_RNE);
            const karat_lanes want = operations[o].many(a, b, c, how, ~UINT64_C(0), apart);
            memcpy(in, a, sizeof in);
            const karat_lanes done = operations[o].many(in, b, c, how, ~UINT64_C(0), in);
            assert_int_equal(done.left, want.left);
            assert_int_equal(done.flags, want.flags);
            for (uint32_t i = 0; i < LANES; i++)
                assert_int_equal(in[i], want.left >> i & 1 ? a[i] : apart[i]);
        }
    }
}

/* All finite operands are easy, where the host has the arithmetic at all, but for a divisor of 0 and the root of a negative number. */
static void most_are_easy(void **state) {
    (void)state;
    struct rng rng = {2};
    easy = all = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        for (uint32_t i = 0; i < LANES; i++) {
            a[i] = (uint32_t)rng_next(&rng) & 0x7f7fffff;
            b[i] = (uint32_t)(rng_next(&rng) & 0xff7fffff) | 1;
            c[i] = i % 5 ? (uint32_t)rng_next(&rng) & 0xff7fffff : 0;
        }
        for (unsigned o = 0; o < OPERATIONS; o++)
            compare_modes(&operations[o], LANES, ~UINT64_C(0));
    }
#ifdef __SSE2__
    assert_true(easy == all);
#endif
}

/* The caller's rounding mode changes no result, and its flags stay. */
static void environment(void **state) {
    (void)state;
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
    struct rng rng = {3};
    for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
        assert_int_equal(fesetround(modes[m]), 0);
        for (uint32_t n = 0; n < 100; n++) {
            any_operands(&rng, LANES);
            for (unsigned o = 0; o < OPERATIONS; o++) {
                feclearexcept(FE_ALL_EXCEPT);
                compare_modes(&operations[o], LANES, ~UINT64_C(0));
                assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
                assert_int_equal(fegetround(), modes[m]);
            }
        }
    }
}

/* Whether the machine has the level that the functions are compiled for. */
static bool is_runnable(void) {
#ifdef KARAT_AT
#define TEXT(x)     #x
#define EXPANDED(x) TEXT(x)
    const char *name;
    for (unsigned i = 0; (name = karat_level_name(i)); i++)
        if (strcmp(name, "x86-64-" EXPANDED(KARAT_AT)) == 0)
            return true;
    printf("skipped: this machine has no x86-64-%s\n", EXPANDED(KARAT_AT));
    return false;
#else
    return true;
#endif
}

int main(void) {
    if (!is_runnable())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponents),     cmocka_unit_test(bounds),   cmocka_unit_test(integers),
        cmocka_unit_test(random_blocks), cmocka_unit_test(in_place), cmocka_unit_test(most_are_easy),
        cmocka_unit_test(environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
