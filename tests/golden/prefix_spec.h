/* The effect of a prefix on the instruction after it, and the widths of elements: worked out once more from
 * the documents (sections 4.2.2 and 4.2.3; v2.03's chapters on prefixes), decisions "Prefixes" and "v2.03's
 * further claims", and "Profile v2.03" of docs/isa-notes.md, by encodings. */
#ifndef KARAT_TEST_PREFIX_SPEC_H
#define KARAT_TEST_PREFIX_SPEC_H

#include "karat/isa.h"

static inline uint32_t bits_of(uint32_t word, unsigned high, unsigned low) {
    return word >> low & ((2u << (high - low)) - 1);
}

/* The widths that an instruction computes on. */
typedef enum compute {
    NOTHING,    /* No computation */
    WORDS,      /* 32 bits */
    BY_PAIR,    /* 32 bits, 64 after a prefix with pair */
    ALWAYS_64,  /* Register pairs */
    BY_SEW,     /* 8, 16 or 32 bits by vtype, 64 by pair */
    BY_SEW_FP,  /* 16 or 32 bits by vtype, 64 by pair */
    WIDENING,   /* 8, 16 or 32 bits, and twice that */
    WIDENING_FP /* 16 or 32 bits, and twice that */
} compute;

/* The properties of a row that a prefix depends on. */
typedef struct row_spec {
    compute computes;
    bool accesses_memory;
    bool has_imm5;     /* An immediate that REGEXTI extends */
    bool has_field[4]; /* Registers that extensions apply to: destination, sources 1, 2, 3 */
    bool reads_vd;     /* The destination is also the third operand */
    unsigned sources;  /* As ABS and NEG name them */
} row_spec;
row_spec spec_of(const karat_row *row);

/* The fields of a prefix; all 0 but words where the word is none. */
karat_prefix fields_of(uint32_t word);

/* Whether the prefix may stand before the instruction. */
bool spec_fits(const row_spec *spec, const karat_prefix *prefix);

/* The instruction with its registers and its immediate extended. */
typedef struct expected {
    bool legal;
    int32_t value[KARAT_MAX_OPERAND], apart;
    karat_source source[KARAT_MAX_SOURCE], destination;
    uint32_t num_source;
    bool writes;
} expected;
expected expect_behind(const row_spec *spec, const karat_row *row, karat_prefix prefix,
                       const karat_insn *plain);

/* The width of its elements, by vtype's SEW and the prefix's pair, or -1. */
int expect_width(compute kind, bool pair, karat_width sew);

#endif
