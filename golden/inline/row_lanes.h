/* How rows of the table use the lanes of a warp: for the model, for generators and for coverage. */
#ifndef KARAT_ROW_LANES_H
#define KARAT_ROW_LANES_H

#include "karat/isa.h"

enum {
    KARAT_TENSOR_THREADS = 4,  /* VFTTA is illegal where warps have fewer */
    KARAT_MATRIX_THREADS = 32, /* So are matrix products, or where not all of these lanes are active */
    KARAT_MATRIX_REGISTERS = 8
};

/* Registers one after the other of the operand with that role, 1 for others; a destination that is read is
 * also the third source. */
static inline unsigned karat_row_registers(const karat_row *row, karat_role role) {
    unsigned most = 1;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        const unsigned num = karat_operand_registers(kind);
        if ((kind->role == role || (role == KARAT_ROLE_SRC3 && kind->is_read)) && num > most)
            most = num;
    }
    return most;
}

/* Whether it is a matrix product: A has several registers in each shape. */
static inline bool karat_row_is_matrix(const karat_row *row) {
    return karat_row_registers(row, KARAT_ROLE_SRC1) > 1;
}

/* Threads that the warps of a device have at least where the row is legal. */
static inline uint32_t karat_row_threads(const karat_row *row) {
    return karat_row_is_matrix(row)         ? KARAT_MATRIX_THREADS
           : row->unit == KARAT_UNIT_TENSOR ? KARAT_TENSOR_THREADS
                                            : 1;
}

/* The types of A and B, and of C and D. */
typedef enum karat_product_types {
    KARAT_TF32_TO_F32,
    KARAT_F16_TO_F16,
    KARAT_F16_TO_F32,
    KARAT_BF16_TO_F32
} karat_product_types;

/* The fields of a matrix product: its shape, as the word numbers it, with K = 8 from the fourth on; bit 1 of
 * layouts: A stands column by column; bit 0: B row by row. */
typedef struct karat_product {
    uint32_t shape, types, layouts;
} karat_product;

static inline karat_product karat_product_of(uint32_t word) {
    const uint32_t type = word >> 28, single = word >> 12 & 1;
    return (karat_product){word >> 25 & 7,
                           !type       ? KARAT_TF32_TO_F32
                           : type == 2 ? KARAT_BF16_TO_F32
                           : single    ? KARAT_F16_TO_F32
                                       : KARAT_F16_TO_F16,
                           word >> 13 & 3};
}

/* --- 16-bit floats --- */

/* The format of the 16-bit floats in a source, 1 to 3, of a row in that profile; *both: in both halves of a
 * lane, else in the lower one. */
static inline karat_halves karat_source_halves(const karat_row *row, karat_profile profile, unsigned source,
                                               bool *both) {
    enum { CONVERSION = 0x7a, FROM_BF16 = 2 };
    const karat_halves halves = karat_row_halves(row);
    const uint32_t function = row->match >> 26, types = karat_product_of(row->match).types;
    *both = true;
    if (halves != KARAT_NO_HALVES)
        return halves;
    if (karat_row_is_matrix(row))
        return types == KARAT_TF32_TO_F32 || (source == 3 && types != KARAT_F16_TO_F16) ? KARAT_NO_HALVES
               : types == KARAT_BF16_TO_F32                                             ? KARAT_HALVES_BF16
                                                                                        : KARAT_HALVES_F16;
    *both = false;
    if ((row->match & 0x7f) == CONVERSION)
        return function & 1 ? KARAT_NO_HALVES : function == FROM_BF16 ? KARAT_HALVES_BF16 : KARAT_HALVES_F16;
    /* Those that widen go by SEW, where elements have several widths. */
    return karat_row_is_single(row, profile) && row->left_out ? KARAT_HALVES_F16 : KARAT_NO_HALVES;
}

#endif
