/* The correctly rounded exponential function, for vfexp.v. See f32.h for the number format and format.h
 * for the rounding.
 *
 * e^x is irrational for every rational x except 0 (Lindemann). So the result of a finite non-zero operand is
 * inexact, and lies strictly between two neighbouring rounding boundaries: values of 24 significant bits and
 * the midpoints between them. An approximation that lies between the same two rounds the same in every mode,
 * and it does if its error is less than the distance from e^x to the nearest boundary. The least distances,
 * as parts of e^x (the target exhaustive_vfexp finds them with MPFR):
 *
 *  - |x| < 2^-26: no distance is needed, as e^x is between 1 and the first boundary above or below 1.
 *  - 2^-26 <= |x| < 2^-9: 2^-70.6, of 0x33ffffff. 1 + x + x^2/2 almost is a boundary there; x^3/6 decides.
 *  - 2^-9 <= |x|: 2^-52.7, of 0xc16912cd.
 *
 * Everything is fixed point: "of 2^n" means an integer that counts units of 2^-n. Each product and each shift
 * to the right is cut off, which costs less than one unit.
 *
 * From 2^-9 on, with c = ln2/128 = 2^-7.53:
 *
 *     x = k c + r,  0 <= r < c (1 + 2^-14)
 *     e^x = 2^(k div 128) * 2^((k mod 128)/128) * e^r
 *
 *  - k is the integer part of an approximation of x/c - 2^-15. That is off by less than 2^-16: cutting x off
 *    to a multiple of 2^-24 makes 2^-16.4, and rounding 1/c 2^-18. So r is never negative.
 *  - r, of 2^71, is off by less than 1.1 units, as it is the difference of x and two cut-off multiples of c.
 *  - e^r - 1 is a Taylor polynomial of degree 6. The remainder, r^7/5040, is below 2^-64.9. The factor of r^4
 *    is off by 1.6 units of 2^-36, which makes 2^-65.4; cutting off r to a multiple of 2^-39 before it is
 *    multiplied by that factor makes 2^-66.1; everything else together makes less than 2^-69. The sum is less
 *    than 2^-63.7.
 *  - The power of two, of 2^62, is off by half a unit at most, and e^r < 1.006. The product is between 1 and
 *    2.02 and is off by less than 0.51 + 2 * 2^-1.7 + 1.01 units, which is less than 2^-60.8: what is needed
 *    is 2^-52.7.
 *
 * Below 2^-9, k = 0 and e^x = 1 + x + x^2 h with h = 1/2 + x/6 + x^2/24 + x^3/120 + x^4/720. 1 + x is exact.
 * h, of 2^64, is off by less than 1.6 units, and x^2 h, of 2^82, by less than 4 units, 2^-80; what h lacks
 * makes x^7/5040, below 2^-75. What is needed is 2^-70.6 (and only near 2^-23, where x^7/5040 is nothing).
 */
#include "fp/f32_round.h"

/* 2^(j/128), of 2^62, rounded to nearest. Made with 80 decimal digits; test_f32_exp computes it again with
 * MPFR. */
const uint64_t f32_exp2_table[128] = {
    0x4000000000000000, 0x4058f6a7ecccd5b6, 0x40b268f9de0183ba, 0x410c57a1b9fe12f6, 0x4166c34c5615d0ec,
    0x41c1aca777db771b, 0x421d1461d66f2023, 0x4278fb2b1bce0d15, 0x42d561b3e6243d8a, 0x433248adc91fdd02,
    0x438fb0cb4f468808, 0x43ed9abffb4c6bc9, 0x444c0740496d4294, 0x44aaf701b0c72fee, 0x450a6abaa4b77ecd,
    0x456a632296394492, 0x45cae0f1f545eb73, 0x462be4e23237a6ef, 0x468d6fadbf2dd4f3, 0x46ef821011734e6b,
    0x47521cc5a2e6a9e0, 0x47b5408bf36472e2, 0x4818ee218a3358ee, 0x487d2645f7725895, 0x48e1e9b9d588e19b,
    0x4947393eca98fcd6, 0x49ad159789f37496, 0x4a137f87d58e025b, 0x4a7a77d47f7b84b1, 0x4ae1ff436b663ff7,
    0x4b4a169b900c2d00, 0x4bb2bea4f8bd5847, 0x4c1bf828c6dc54b8, 0x4c85c3f13360c4d5, 0x4cf022c9905bfd32,
    0x4d5b157e4a7fc325, 0x4dc69cdceaa72a9c, 0x4e32b9b417619617, 0x4e9f6cd3967fdba8, 0x4f0cb70c4ea39210,
    0x4f7a993048d088d7, 0x4fe91412b2006e83, 0x50582887dcb8a7e1, 0x50c7d76542a25b72, 0x513821818624b40c,
    0x51a907b474015dc9, 0x521a8ad704f3404f, 0x528cabc35f4f799d, 0x52ff6b54d8a89c75, 0x5372ca67f774358f,
    0x53e6c9da74b29ab5, 0x545b6a8b3d990704, 0x54d0ad5a753e077c, 0x5546932976483b15, 0x55bd1cdad49f699c,
    0x56344b525f1ff495, 0x56ac1f752150a563, 0x57249a29651adc07, 0x579dbc56b48521ba, 0x581786e5db7022c2,
    0x5891fac0e95612c8, 0x590d18d3330c7f1e, 0x5988e20954889245, 0x5a05575132a5cc20, 0x5a827999fcef3242,
    0x5b0049d42f6afbb6, 0x5b7ec8f19468bbc9, 0x5bfdf7e546520f3e, 0x5c7dd7a3b17dcf75, 0x5cfe69229605cef5,
    0x5d7fad59099f22fe, 0x5e01a53f7974fd86, 0x5e8451cfac061b5f, 0x5f07b404c304c9f1, 0x5f8bccdb3d398841,
    0x60109d50f86846d8, 0x6096266533384a2b, 0x611c69188f1eb339, 0x61a3666d124bb204, 0x622b1f66299a6599,
    0x62b39508aa836d6f, 0x633cc85ad5122fbd, 0x63c6ba6455dcd8ae, 0x64516c2e47ff1623, 0x64dcdec3371793d1,
    0x6569132f21483ba7, 0x65f60a7f79393e2e, 0x6683c5c3281ee6e9, 0x6712460a8fc24072, 0x67a18c678c8c8c61,
    0x683199ed779592ca, 0x68c26fb128b4cd63, 0x69540ec8f895722d, 0x69e6784cc2cd61bd, 0x6a79ad55e7f6fd10,
    0x6b0daeff4fcde703, 0x6ba27e656b4eb57a, 0x6c381ca636d99642, 0x6cce8ae13c57ebdb, 0x6d65ca379564e639,
    0x6dfddbcbed791bab, 0x6e96c0c284192610, 0x6f307a412f074892, 0x6fcb096f5c782210, 0x70666f76154a7089,
    0x7102ad7fff41e9b4, 0x719fc4b95f452d29, 0x723db6501b9ed447, 0x72dc8373be41a454, 0x737c2d55770fe711,
    0x741cb5281e25ee34, 0x74be1c203627c62b, 0x75606373ee921c97, 0x76038c5b260e5eee, 0x76a7980f6cca15c2,
    0x774c87cc06d1812e, 0x77f25ccdee6d7ae6, 0x78991853d684a285, 0x7940bb9e2cffd89d, 0x79e947ef1d320d2d,
    0x7a92be8a92436616, 0x7b3d20b6399fc237, 0x7be86fb985689ddc, 0x7c94acddaeea5d3a, 0x7d41d96db915019d,
    0x7deff6b672f84e24, 0x7e9f06067a4360ba, 0x7f4f08ae3dc7c426,
};

/* The upper half of a product. */
static inline uint64_t mul_high(uint64_t a, uint64_t b) {
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t carried = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (carried >> 32);
}

/* Computes e^r - 1, of 2^71, for r of 2^71 and less than 2^-7.5. */
static inline uint64_t exp_minus_1(uint64_t r) {
    uint64_t r32 = r >> 32;                                                /* In units of 2^-39 */
    uint64_t t = UINT64_C(2290649225) + (r32 * UINT64_C(381774871) >> 39); /* 1/120 + r/720, of 2^38 */
    t = UINT64_C(2863311531) + (r32 * t >> 41);                            /* 1/24 + r t, of 2^36 */
    t = UINT64_C(0x2aaaaaaaaaaaaaab) + (r32 * t >> 11);                    /* 1/6 + r t, of 2^64 */
    t = (UINT64_C(1) << 63) + (mul_high(r, t) >> 7);                       /* 1/2 + r t, of 2^64 */
    return r + (mul_high(mul_high(r, r), t) >> 7);
}

/* Computes e^x for 2^-26 <= |x| < 2^-9, of 2^63 with bit 0 sticky; |x| is of 2^73, negate as below. */
static inline uint64_t exp_near_1(uint64_t x, uint64_t negate) {
    uint64_t t = UINT64_C(0x005b05b05b05b05b);                                    /* 1/720, of 2^64 */
    t = UINT64_C(0x0222222222222222) + ((mul_high(x, t) >> 9 ^ negate) - negate); /* 1/120 + x t */
    t = UINT64_C(0x0aaaaaaaaaaaaaab) + ((mul_high(x, t) >> 9 ^ negate) - negate); /* 1/24 + x t */
    t = UINT64_C(0x2aaaaaaaaaaaaaab) + ((mul_high(x, t) >> 9 ^ negate) - negate); /* 1/6 + x t */
    t = UINT64_C(0x8000000000000000) + ((mul_high(x, t) >> 9 ^ negate) - negate); /* 1/2 + x t */
    uint64_t above = mul_high(mul_high(x, x), t); /* The excess of e^x over 1 + x, of 2^82 */
    return (UINT64_C(1) << 63) + ((x >> 10 ^ negate) - negate) + f32_shift_jam_wide(above, 19);
}

/* Computes k ln2/128, of 2^71, modulo 2^64; k < 2^16. */
static inline uint64_t steps(uint64_t k) {
    return k * UINT64_C(0xb17217f7d1cf79ab) + (k * UINT64_C(0xc9e3b398) >> 32);
}

/* Here k starts, so that it is positive. */
enum { K_BIAS = 192 * 128 };

uint32_t karat_f32_exp(uint32_t a, unsigned rm, uint32_t *flags) {
    uint32_t sign = f32_sign(a);
    int exp = f32_exp(a);
    if (FP_UNLIKELY(exp >= 127 + 7)) {
        if (f32_is_nan(a))
            return f32_nan_result(f32_is_snan(a), flags);
        if (f32_is_inf(a))
            return sign ? 0 : KARAT_F32_INF;
        /* The result is far outside the range. */
        return f32_round_wide(0, sign ? -200 : 400, UINT64_C(1) << 62, rm, flags);
    }
    if (FP_UNLIKELY(exp < 127 - 26)) {
        if (f32_is_zero(a))
            return UINT32_C(127) << 23;
        /* Between 1 and the boundary next to it. */
        uint64_t sig = sign ? (UINT64_C(1) << 63) - 1 : (UINT64_C(1) << 62) + 1;
        return f32_round_wide(0, 127 - (int)sign, sig, rm, flags);
    }
    uint64_t x = f32_frac(a) | FP_HIDDEN;
    uint64_t negate = 0 - (uint64_t)sign; /* (v ^ negate) - negate is v or -v */
    uint64_t sig;                         /* The result's significand, its leading one at bit 62 or 63 */
    int scale;                            /* The result's exponent where its leading one is at bit 62 */
    if (exp < 127 - 9) {
        sig = exp_near_1(x << (exp - (127 - 50)), negate);
        scale = 126;
    } else {
        x <<= exp - (127 - 33);                               /* Now of 2^56 */
        uint64_t quotient = (x >> 32) * UINT64_C(3098164009); /* This is x * 128/ln2, of 2^48 */
        uint64_t k = (((uint64_t)K_BIAS << 48) - (UINT64_C(1) << 33) + ((quotient ^ negate) - negate)) >> 48;
        uint64_t r = ((x << 15 ^ negate) - negate) - (steps(k) - steps(K_BIAS));
        uint64_t power = f32_exp2_table[k & 127];
        sig = power + (mul_high(power, exp_minus_1(r)) >> 7);
        scale = 127 + (int)(k >> 7) - K_BIAS / 128;
    }
    int carry = (int)(sig >> 63);
    return f32_round_wide(0, scale + carry, f32_shift_jam_wide(sig, carry), rm, flags);
}
