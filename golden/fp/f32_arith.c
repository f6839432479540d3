/* The arithmetic of binary32, with a square root that is faster than that of root.h. */
#include "fp/f32_round.h"

static inline uint32_t f32_root(uint32_t sig, unsigned odd) {
    /* 1 / sqrt(m) from the 7-bit estimate, as a fraction of 2^31, then one Newton step y (3 - m y^2) / 2. */
    uint32_t index = (odd ? 0 : 64) | (sig >> 17 & 63);
    uint64_t y = (uint64_t)(128 | fp_rsqrt7_table[index]) << 23;
    uint64_t m = (uint64_t)sig << (7 + odd);   /* A fraction of 2^30 */
    uint64_t m_y2 = ((m * y) >> 31) * y >> 31; /* About 2^30 */
    y = y * ((UINT64_C(3) << 30) - m_y2) >> 31;
    /* The integer root of m * 2^50 as a fraction of 2^25: first m * y, off by about 2^-14, then a step
     * towards the exact root, off by at most one or two units, which the loops remove. */
    uint64_t square = m << 20;
    uint64_t root = (m * y) >> 36;
    int64_t error = (int64_t)(square - root * root);
    root += (uint64_t)(error / (1 << 25) * (int64_t)(y >> 6) / (1 << 26));
    while (root * root > square)
        root--;
    while ((root + 1) * (root + 1) <= square)
        root++;
    return (uint32_t)root << 5 | (root * root != square);
}

#include "fp/arith.h"
