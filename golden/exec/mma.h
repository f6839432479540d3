/* Matrices of a matrix product (profile public) in registers, and the fields of its word. */
#ifndef KARAT_MMA_H
#define KARAT_MMA_H

#include <stdbool.h>
#include <stdint.h>

#include "fp/bf16.h"
#include "fp/f16.h"
#include "row_lanes.h"

enum { MMA_TF32, MMA_F16, MMA_BF16 }; /* Types of A and B, bits 31:28 */
enum {
    MMA_LANES = KARAT_MATRIX_THREADS, /* Of a register */
    MMA_MAX = 16,                     /* Rows and columns */
    MMA_REGS = KARAT_MATRIX_REGISTERS
};

/* A word: A has m x k elements, B k x n, C and D m x n. */
typedef struct karat_mma {
    uint32_t m, n, k, words;    /* words: registers of C and D */
    bool a_by_column, b_by_row; /* A stands as k * M + m, else m * K + k; B as n * K + k, else k * N + n */
    bool half;                  /* C and D are binary16, else binary32 */
    unsigned type;              /* MMA_* */
} karat_mma;

static inline karat_mma karat_mma_fields(uint32_t word) {
    karat_mma f = {.m = word >> 25 & 1 ? 16 : 8,
                   .n = word >> 26 & 1 ? 16 : 8,
                   .k = word >> 27 & 1 ? 8 : 16,
                   .a_by_column = word >> 14 & 1,
                   .b_by_row = word >> 13 & 1,
                   .half = !(word >> 12 & 1),
                   .type = word >> 28};
    f.words = f.m * f.n / (f.half ? 2 * MMA_LANES : MMA_LANES);
    return f;
}

/* A matrix in consecutive registers. */
typedef struct karat_matrix {
    const uint32_t *reg[MMA_REGS];
    bool half; /* Of 16-bit elements, two in a lane */
} karat_matrix;

/* Element number i: they stand one after the other over lanes and registers. */
static inline uint32_t karat_element(const karat_matrix *m, uint32_t i) {
    if (!m->half)
        return m->reg[i / MMA_LANES][i % MMA_LANES];
    const uint32_t pair = m->reg[i / (2 * MMA_LANES)][i / 2 % MMA_LANES];
    return i % 2 ? pair >> 16 : pair & 0xffff;
}

/* An element of A or B as binary32, exactly. */
static inline uint32_t karat_factor(uint32_t value, unsigned type, uint32_t *flags) {
    switch (type) {
    case MMA_F16: return karat_f32_from_f16((uint16_t)value, KARAT_RNE, flags);
    case MMA_BF16: return karat_f32_from_bf16((uint16_t)value, flags);
    default: return value & ~UINT32_C(0x1fff);
    }
}

#endif
