/* The correctly rounded exponential function, for vfexp.v. See f32.h for the number format and f32_round.h
 * for the rounding.
 *
 * No e^x with a rational x other than 0 is rational (Lindemann), so the result of every finite non-zero
 * operand is inexact, and lies strictly between two neighbouring rounding boundaries: values of 24
 * significant bits, and the midpoints between them. An approximation lies between the same two, and then
 * rounds the same in every mode, if its error is less than the distance to the nearest boundary.
 *
 * How it is computed, all in fixed point:
 *
 *     x = k ln2/128 + r,  0 <= r < ln2/128 (1 + 2^-14)
 *     e^x = 2^(k div 128) * 2^((k mod 128)/128) * e^r
 *
 * The second factor comes from a table, the third is 1 + r + r^2/2 + ... + r^6/720.
 */
#include "fp/f32_round.h"

/* 2^(j/128) as a fraction of 2^62. */
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

/* e^r - 1; argument and result are fractions of 2^71, r < 2^-7.5. */
static inline uint64_t exp_minus_1(uint64_t r) {
    uint64_t r32 = r >> 32;                                                /* of 2^39 */
    uint64_t t = UINT64_C(2290649225) + (r32 * UINT64_C(381774871) >> 39); /* 1/120 + r/720, of 2^38 */
    t = UINT64_C(2863311531) + (r32 * t >> 41);                            /* 1/24 + r t, of 2^36 */
    t = UINT64_C(0x2aaaaaaaaaaaaaab) + (r32 * t >> 11);                    /* 1/6 + r t, of 2^64 */
    t = (UINT64_C(1) << 63) + (mul_high(r, t) >> 7);                       /* 1/2 + r t, of 2^64 */
    return r + (mul_high(mul_high(r, r), t) >> 7);
}

/* k ln2/128 as a fraction of 2^71, modulo 2^64; k < 2^16. */
static inline uint64_t steps(uint64_t k) {
    return k * UINT64_C(0xb17217f7d1cf79ab) + (k * UINT64_C(0xc9e3b398) >> 32);
}

/* k starts here, so that it is positive. */
enum { K_BIAS = 192 * 128 };

uint32_t karat_f32_exp(uint32_t a, unsigned rm, uint32_t *flags) {
    uint32_t sign = f32_sign(a);
    int exp = f32_exp(a);
    if (F32_UNLIKELY(exp >= 127 + 7)) {
        if (f32_is_nan(a))
            return f32_nan_result(f32_is_snan(a), flags);
        if (f32_is_inf(a))
            return sign ? 0 : KARAT_F32_INF;
        /* From 128 on, the result is far outside the range. */
        return f32_round64(0, sign ? -200 : 400, UINT64_C(1) << 62, rm, flags);
    }
    if (F32_UNLIKELY(exp < 127 - 26)) {
        if (f32_is_zero(a))
            return UINT32_C(127) << 23;
        /* Next to 1: closer to it than any boundary. */
        uint64_t sig = sign ? (UINT64_C(1) << 63) - 1 : (UINT64_C(1) << 62) + 1;
        return f32_round64(0, 127 - (int)sign, sig, rm, flags);
    }
    /* |x| as a fraction of 2^56, and -1 or 0 to give it its sign. */
    uint64_t x = (uint64_t)(f32_frac(a) | F32_HIDDEN) << (exp - (127 - 33));
    uint64_t negate = 0 - (uint64_t)sign;
    /* x * 128/ln2, less 2^-15 so that r does not become negative. */
    uint64_t quotient = (x >> 32) * UINT64_C(3098164009);
    uint64_t k = (((uint64_t)K_BIAS << 48) - (UINT64_C(1) << 33) + ((quotient ^ negate) - negate)) >> 48;
    uint64_t r = (((x << 15) ^ negate) - negate) - (steps(k) - steps(K_BIAS));
    uint64_t power = f32_exp2_table[k & 127];
    uint64_t sig = power + (mul_high(power, exp_minus_1(r)) >> 7);
    int carry = (int)(sig >> 63);
    return f32_round64(0, 127 + (int)(k >> 7) - K_BIAS / 128 + carry, f32_shift_jam64(sig, carry), rm, flags);
}
