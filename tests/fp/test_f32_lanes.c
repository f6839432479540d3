/* binary32 arithmetic of many elements at once: bits and flags are those of the functions for one, which test_fp_mpfr and
 * test_fp_qemu compare with MPFR and QEMU. KARAT_SEED repeats a run; KARAT_FP_CASES is the number of random blocks. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "f32_operands.h"
#include "fp/f32.h"
#include "fp/f32_lanes.h"

enum { LANES = 64 };

typedef enum op { ADD, SUB, MUL, DIV, FMA, FNMA, FMS, FNMS, OPS } op;
static const char *const names[OPS] = {"add", "sub", "mul", "div", "fma", "-fma", "fma-", "-fma-"};

static uint32_t a[LANES], b[LANES], c[LANES];
static uint64_t easy, all;

static uint64_t of_many(op o, uint32_t num, uint64_t active, uint32_t *r, uint32_t *flags) {
    switch (o) {
    case ADD: return karat_f32_lanes_add(a, b, 0, num, active, r, flags);
    case SUB: return karat_f32_lanes_add(a, b, KARAT_F32_SIGN, num, active, r, flags);
    case MUL: return karat_f32_lanes_mul(a, b, num, active, r, flags);
    case DIV: return karat_f32_lanes_div(a, b, num, active, r, flags);
    default:
        return karat_f32_lanes_fma(a, o == FNMA || o == FNMS ? KARAT_F32_SIGN : 0, b, c,
                                   o == FMS || o == FNMS ? KARAT_F32_SIGN : 0, num, active, r, flags);
    }
}

static uint32_t of_one(op o, uint32_t i, uint32_t *flags) {
    switch (o) {
    case ADD: return karat_f32_add(a[i], b[i], KARAT_RNE, flags);
    case SUB: return karat_f32_sub(a[i], b[i], KARAT_RNE, flags);
    case MUL: return karat_f32_mul(a[i], b[i], KARAT_RNE, flags);
    case DIV: return karat_f32_div(a[i], b[i], KARAT_RNE, flags);
    default:
        return karat_f32_fma(o == FNMA || o == FNMS ? a[i] ^ KARAT_F32_SIGN : a[i], b[i],
                             o == FMS || o == FNMS ? c[i] ^ KARAT_F32_SIGN : c[i], KARAT_RNE, flags);
    }
}

/* One block: each easy element's bits, and the flags of all of them. */
static void compare(op o, uint32_t num, uint64_t active) {
    uint32_t r[LANES], flags = 0, want = 0;
    const uint64_t hard = of_many(o, num, active, r, &flags);
    assert_int_equal(hard & ~active, 0);
    for (uint32_t i = 0; i < num; i++) {
        if (!((active & ~hard) >> i & 1))
            continue;
        uint32_t raised = 0;
        const uint32_t one = of_one(o, i, &raised);
        if (r[i] != one || raised & ~flags)
            fail_msg("%s of %08x, %08x, %08x: %08x, flags %x; of many %08x, flags %x", names[o],
                     (unsigned)a[i], (unsigned)b[i], (unsigned)c[i], (unsigned)one, (unsigned)raised,
                     (unsigned)r[i], (unsigned)flags);
        want |= raised;
        easy++;
    }
    all += (uint64_t)__builtin_popcountll(active);
    if (flags != want)
        fail_msg("%s: flags %x of many, %x of one by one", names[o], (unsigned)flags, (unsigned)want);
}

/* Each element by itself as well, so that no other one's flag hides its own. */
static void compare_each(op o, uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        compare(o, num, UINT64_C(1) << i);
}

/* All pairs of exponents and signs, with fractions at which rounding carries, ties and cancels; c, too, around the product. */
static void exponents(void **state) {
    (void)state;
    static const uint32_t fractions[] = {0, 1, 0x400000, 0x7fffff};
    struct rng rng = {1};
    for (uint32_t i = 0; i < 512; i++)
        for (uint32_t k = 0; k < 512; k += 4) {
            for (uint32_t n = 0; n < LANES; n++) {
                a[n] = i << 23 | fractions[n & 3];
                b[n] = (k + (n >> 4 & 3)) << 23 | fractions[n >> 2 & 3];
                const int product = (int)((i & 255) + ((k + (n >> 4 & 3)) & 255)) - 127;
                c[n] = with_exponent(random_operand(&rng), product - 30 + (int)rng_below(&rng, 60));
            }
            for (op o = 0; o < OPS; o++)
                compare(o, LANES, ~UINT64_C(0));
            compare_each((op)(k / 4 % OPS), 16);
        }
}

static void random_blocks(void **state) {
    (void)state;
    struct rng rng = {test_seed()};
    const uint64_t cases = env_number("KARAT_FP_CASES", 20000);
    static const uint32_t numbers[] = {1, 2, 4, 8, 16, 32, 64};
    for (uint64_t n = 0; n < cases; n++) {
        const uint32_t num = numbers[rng_below(&rng, 7)];
        for (uint32_t i = 0; i < num; i++) {
            uint32_t x[3];
            random_operands(&rng, x);
            a[i] = x[0], b[i] = x[1], c[i] = x[2];
        }
        const uint64_t lanes = ~UINT64_C(0) >> (64 - num);
        for (op o = 0; o < OPS; o++)
            compare(o, num, rng_below(&rng, 2) ? lanes : rng_next(&rng) & lanes);
        compare_each((op)rng_below(&rng, OPS), num);
    }
}

/* Ordinary operands are easy where the host has the arithmetic at all. */
static void most_are_easy(void **state) {
    (void)state;
    struct rng rng = {2};
    easy = all = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        for (uint32_t i = 0; i < LANES; i++) {
            a[i] = 0x3f800000 | (uint32_t)(rng_next(&rng) >> 41);
            b[i] = i % 8 ? 0x40000000 | (uint32_t)(rng_next(&rng) >> 41) : 0;
            c[i] = i % 5 ? 0xbf800000 | (uint32_t)(rng_next(&rng) >> 41) : 0;
        }
        for (op o = 0; o < OPS; o++)
            if (o != DIV) /* by 0 */
                compare(o, LANES, ~UINT64_C(0));
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
        for (uint32_t n = 0; n < 500; n++) {
            for (uint32_t i = 0; i < LANES; i++) {
                uint32_t x[3];
                random_operands(&rng, x);
                a[i] = x[0], b[i] = x[1], c[i] = x[2];
            }
            for (op o = 0; o < OPS; o++) {
                feclearexcept(FE_ALL_EXCEPT);
                compare(o, LANES, ~UINT64_C(0));
                assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
                assert_int_equal(fegetround(), modes[m]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponents),
        cmocka_unit_test(random_blocks),
        cmocka_unit_test(most_are_easy),
        cmocka_unit_test(environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
