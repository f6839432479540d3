/* Exact sums of products of binary32 numbers, in fixed point that has room for every product: what a
 * matrix product is before any rounding. */
#ifndef KARAT_FP_DOT_H
#define KARAT_FP_DOT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_DOT_WORDS 9 /* Of 64 bits, the lowest first; bit 0 of the first is 2^-298 */

/* Begins as {0}. */
typedef struct karat_dot {
    uint64_t sum[KARAT_DOT_WORDS];       /* Of the finite terms, in two's complement */
    uint64_t magnitude[KARAT_DOT_WORDS]; /* The sum of their absolute values */
    bool nan, infinite[2];               /* A term is a NaN, or plus or minus infinity */
} karat_dot;

/* Add a times b, of binary32; up to a million terms. */
void karat_dot_add(karat_dot *dot, uint32_t a, uint32_t b);

/* Formats of a result, whose last place is the unit of a distance. */
typedef enum karat_dot_format { KARAT_DOT_F16, KARAT_DOT_F32 } karat_dot_format;

#define KARAT_DOT_FAR UINT64_MAX /* A distance beyond all others */

/* How far a number of that format is from the sum, in hundredths of a unit, rounded up. A unit is the last
 * place, in the format, of the sum of the terms' absolute values. An infinity counts as the number after
 * the largest one, unless the sum is that infinity; what is or meets a NaN, or an infinity of the other
 * side, is far. */
uint64_t karat_dot_distance(const karat_dot *dot, uint32_t number, karat_dot_format format);

/* The sum in hexadecimal, as C has it, in full where it has at most 128 bits, else cut and "..." behind
 * it: 0x1.8p+1, -inf, nan, 0. */
#define KARAT_DOT_TEXT 64
void karat_dot_text(const karat_dot *dot, char text[KARAT_DOT_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
