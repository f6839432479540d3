/* Private side of the instruction table: enums of rows and operand kinds, and the data of a decode beyond
 * karat_insn. */
#ifndef KARAT_ISA_PRIVATE_H
#define KARAT_ISA_PRIVATE_H

#include "karat/isa.h"

enum {
#define OPERAND(kind, ...) KARAT_OP_##kind,
#include "operands.def"
#undef OPERAND
    KARAT_OP_KINDS
};

enum {
#define ROW(id, ...) KARAT_ROW_##id,
#include "ventus.def"
#undef ROW
    KARAT_ROWS
};

/* Sets of profiles, as bits: SET_ALL, of each feature those with it, SET_<ID>, and those without it,
 * SET_NO_<ID>. */
#define KARAT_PROFILE_WITH(feature, id, name, features) | ((features) >> (feature)&1u) << KARAT_##id
enum {
    SET_ALL = (1 << KARAT_NUM_PROFILE) - 1,
#define KARAT_SET(id, without)                                                                               \
    SET_##id = 0 KARAT_PROFILES(KARAT_PROFILE_WITH, KARAT_FEATURE_##id), SET_NO_##id = SET_ALL & ~SET_##id,
    KARAT_FEATURES(KARAT_SET)
#undef KARAT_SET
};

typedef enum karat_syntax {
    KARAT_SYN_REG,
    KARAT_SYN_FREG,
    KARAT_SYN_BASE,
    KARAT_SYN_OFFSET,
    KARAT_SYN_DEC,
    KARAT_SYN_HEX,
    KARAT_SYN_ROUND,
    KARAT_SYN_ORDER,
    KARAT_SYN_TARGET,
    KARAT_SYN_CSRNAME,
    KARAT_SYN_LANECSR,
    KARAT_SYN_MASK,
    KARAT_SYN_CARRY,
    KARAT_SYN_VTYPE,
    KARAT_SYN_FENCESET,
    KARAT_SYN_HIDDEN
} karat_syntax;

/* A piece of an operand's value: width bits at value_bit come from word_bit of the instruction. */
typedef struct karat_piece {
    uint8_t word_bit, value_bit, width;
} karat_piece;

#define KARAT_MAX_PIECE 5 /* The last one has width 0 */

typedef struct karat_operand_def {
    karat_operand_kind info;
    bool ext5;      /* REGEXTI extends it */
    uint8_t syntax; /* A karat_syntax */
    karat_piece pieces[KARAT_MAX_PIECE];
} karat_operand_def;

extern const karat_operand_def karat_operand_defs[KARAT_OP_KINDS];
extern const karat_row karat_rows[KARAT_ROWS];

/* Rows that a word with those opcode and funct3 bits can be: karat_index_rows[karat_index[key] ..
 * karat_index[key + 1]). Generated at build time by gen_index.c, which also refuses tables whose rows
 * overlap. */
#define KARAT_INDEX_KEYS   256
#define KARAT_INDEX_KEY(w) ((((w) >> 2) & 31u) | ((((w) >> 12) & 7u) << 5))
extern const uint16_t karat_index[KARAT_INDEX_KEYS + 1];
extern const int16_t karat_index_rows[];

/* Apply a prefix to a decoded instruction. Where the destination is also the third operand, x3 has no effect,
 * and *apart becomes the number {x3, vd} that it would name; else *apart stays. Returns false where the
 * prefix does not fit the instruction: a field that the instruction does not have, a width that it does not
 * compute on, REGPAIR before another than a memory access. PRE_M_* before another than a memory access has no
 * effect at all. */
bool karat_extend(karat_insn *insn, const karat_prefix *prefix, int32_t *apart);

#endif
