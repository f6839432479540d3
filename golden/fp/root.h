/* Private to golden/fp: the square root that arith.h asks for, of formats with an even number of fraction
 * bits.
 *
 * A template, see common.h. */

/* One digit of the root for every two of the radicand, from the left. The remainder never exceeds twice the
 * root, so a word holds it. */
static inline FP_WORD F(root)(FP_WORD sig, unsigned odd) {
    enum { DIGITS = FP_FRAC_BITS + 2 };
    FP_WORD radicand = sig << odd, remainder = 0, root = 0;
    for (int i = 0; i < DIGITS; i++) {
        remainder = remainder << 2 | (radicand >> FP_FRAC_BITS & 3);
        radicand <<= 2;
        FP_WORD trial = root << 2 | 1;
        bool one = remainder >= trial;
        remainder -= one ? trial : 0;
        root = root << 1 | one;
    }
    return root << (FP_BITS - 1 - DIGITS) | (remainder != 0);
}
