/* Random instruction words and the state that lets them get somewhere: drawn from the table's rows, near
 * them, or from all words; operands biased so that accesses are often mapped and aligned, CSR numbers exist,
 * register numbers are within the launch's usage and groups are even. */
#ifndef KARAT_TESTS_FUZZ_GEN_H
#define KARAT_TESTS_FUZZ_GEN_H

#include "fp/f32_operands.h"
#include "mirror.h"

enum { GEN_MAX_ROWS = MIRROR_MAX_ROWS, GEN_MAX_CSR = 64, GEN_POOL = 1 << 15 };

/* Where a word was drawn from. */
typedef enum gen_source { GEN_ROW, GEN_NEAR, GEN_ANY, GEN_SOURCES } gen_source;

/* Constant over all cases. */
typedef struct gen {
    uint16_t rows[KARAT_NUM_PROFILE][GEN_MAX_ROWS],
        prefixes[KARAT_NUM_PROFILE][GEN_MAX_ROWS];      /* Row numbers, by profile */
    uint16_t left_out[KARAT_NUM_PROFILE][GEN_MAX_ROWS]; /* Rows that are illegal by name */
    uint32_t num_rows[KARAT_NUM_PROFILE], num_prefixes[KARAT_NUM_PROFILE], num_left_out[KARAT_NUM_PROFILE];
    uint16_t csrs[GEN_MAX_CSR], writable[GEN_MAX_CSR];
    uint32_t num_csrs, num_writable;
    /* Values to fill registers and memory with: corners of integers and of binary32, addresses, anything. */
    uint32_t pool[GEN_POOL];
} gen;

/* Returns NULL where it worked, else what did not. */
const char *gen_init(gen *g, uint64_t seed);

/* One instruction, and with what it stands. */
typedef struct gen_insn {
    uint32_t prefix, word; /* Prefix 0: none */
    int row;               /* The row of the word; KARAT_NO_ROW: no instruction */
    gen_source source;
} gen_insn;

/* Draw one for that warp, and give the registers that it reads values that suit it. */
gen_insn gen_draw(const gen *g, struct rng *rng, mirror *m, uint32_t warp);

/* An address that is mapped and aligned more often than not. */
uint32_t gen_address(struct rng *rng);

static inline uint32_t rng_word(struct rng *rng) {
    return (uint32_t)(rng_next(rng) >> 32);
}
/* N cases in of. */
static inline bool rng_chance(struct rng *rng, uint32_t n, uint32_t of) {
    return rng_below(rng, of) < n;
}

#endif
