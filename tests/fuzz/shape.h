/* The meaning of an instruction, apart from its values: whether it is legal, the width of its elements, the
 * registers that it reads and writes, and its accesses. Stated from the documents' tables by opcode and name,
 * without the table's columns widths and span, which are the model's own. Prefixes and widths:
 * tests/golden/prefix_spec.h. */
#ifndef KARAT_TESTS_FUZZ_SHAPE_H
#define KARAT_TESTS_FUZZ_SHAPE_H

#include "mirror.h"

typedef enum shape_result {
    RESULT_ANY,
    RESULT_SIGNED_8,
    RESULT_SIGNED_16,
    RESULT_BOXED,
    RESULT_MASK
} shape_result;
typedef enum shape_form {
    FORM_NONE,
    FORM_SCALAR,
    FORM_LANE,
    FORM_UNIT,
    FORM_STRIDED,
    FORM_INDEXED
} shape_form;

typedef struct shape_read {
    uint8_t source, cls, part;
    uint16_t reg;
} shape_read;

typedef struct shape {
    bool bad_prefix, illegal, beyond; /* Errors that it has, whichever is reported */
    bool is_void;                     /* PRE_M_* before another instruction than an access */
    uint32_t width;                   /* Width of an element, in bits */
    shape_result result;
    uint32_t dest;       /* Register number; 0 where there is none */
    uint32_t dest_words; /* Registers that take one lane's result */
    /* Accesses. */
    shape_form form;
    uint32_t words, bytes, index_bytes, hint;
    uint8_t space; /* A karat_prefix_space */
    bool wide, is_signed, is_store;
    int64_t offset;
    int data_source; /* Operand of a store's data */
    uint32_t num_reads;
    shape_read read[KARAT_MAX_READ];
} shape;

shape shape_of(karat_profile profile, const mirror_warp *w, uint32_t prefix, uint32_t word);

/* A value as that result has to be. */
uint32_t shape_extend(shape_result result, uint32_t value);

/* The low 64 bits of the value that source had in that lane, by the commit's reads; a pair where wide. */
uint64_t shape_source(const karat_commit *c, int source, bool wide, uint32_t lane);

/* The address of a word of element i, as the commit's reads make it. */
uint64_t shape_address(const shape *s, const mirror_warp *w, const karat_commit *c, uint32_t num_thread,
                       uint32_t i, uint32_t word);

#endif
