/* The instruction table: decode, encode, disassembly and facts about rows.  Everything here is derived from
 * golden/isa/ventus.def; all functions are pure. */
#ifndef KARAT_ISA_H
#define KARAT_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

const char *karat_profile_name(karat_profile profile); /* "v2.02"; NULL where out of range */
const char *karat_profile_names(void); /* All of them, for messages: "v2.02 or v2.03 or public" */
/* The profile with that name, of so many bytes. False: there is none, and *profile (may be NULL) stays. */
bool karat_profile_find(const char *name, size_t size, karat_profile *profile);
/* Whether that profile has the feature; false where it is out of range. */
bool karat_profile_has(karat_profile profile, karat_feature feature);

/* Named deviations (bits): differences from the ISA that a core's description permits. */
enum {
    /* Deviation vadd12-signed: VADD12.VI and VSUB12.VI sign-extend their immediate */
    KARAT_DEV_VADD12_SIGNED = 1 << 0,
    /* Deviation simt-order: karat_config.simt_order is not smaller-first */
    KARAT_DEV_SIMT_ORDER = 1 << 1,
    /* Deviation machine-csrs: mstatus is MIE, MPIE and MPP = 3, mtvec is 0 */
    KARAT_DEV_MACHINE_CSRS = 1 << 2,
    /* Deviation third-operand-apart: a third operand that is tied to vd is read at {x3, vd} */
    KARAT_DEV_THIRD_OPERAND_APART = 1 << 3,
    /* Deviation compare-immediate-signed: VMSLEU.VI and VMSGTU.VI sign-extend their immediate, as V 1.0 has
     * it */
    KARAT_DEV_COMPARE_IMMEDIATE_SIGNED = 1 << 4,
    /* Deviation usage-too-small: registers beyond the launch's usage exist and may be used */
    KARAT_DEV_USAGE_TOO_SMALL = 1 << 5,
    /* ended-warps-arrive: a barrier does not wait for warps that have ended */
    KARAT_DEV_ENDED_WARPS_ARRIVE = 1 << 6,
    /* Deviation prefix-last-wins: a prefix before a prefix is a step of its own, without effect */
    KARAT_DEV_PREFIX_LAST_WINS = 1 << 7,
    /* Deviation packed-fma-twice: VFMA of 16-bit floats rounds product and sum to binary32, and that to its
     * format */
    KARAT_DEV_PACKED_FMA_TWICE = 1 << 8,
    /* Deviation bf16-nan-kept: conversions between bfloat16 and binary32 treat a NaN as any other number */
    KARAT_DEV_BF16_NAN_KEPT = 1 << 9,
    /* Deviation diverged-warps-arrive: a warp arrives at a barrier under divergence, too */
    KARAT_DEV_DIVERGED_WARPS_ARRIVE = 1 << 10
};

#define KARAT_MAX_OPERAND 8

/* Register classes of operands and of register writes. */
enum { KARAT_CLASS_X, KARAT_CLASS_V };

/* Role of an operand. */
typedef enum karat_role {
    KARAT_ROLE_DEST,   /* Operands rd and vd */
    KARAT_ROLE_SRC1,   /* Operands rs1 and vs1 */
    KARAT_ROLE_SRC2,   /* Operands rs2 and vs2 */
    KARAT_ROLE_SRC3,   /* Operands rs3 and vs3 (store data of a V store) */
    KARAT_ROLE_IMM,    /* Immediate, offset, shift amount, CSR number, rounding mode ... */
    KARAT_ROLE_VM,     /* The vm bit: 1 unmasked */
    KARAT_ROLE_IGNORED /* An unused field of the instruction */
} karat_role;

/* Completions that an instruction owes after its ISSUE, as far as its row determines them (bits). */
enum {
    KARAT_OWES_X = 1,        /* One scalar register write, unless rd is x0 */
    KARAT_OWES_V = 2,        /* One vector register write per register of the group */
    KARAT_OWES_SIMT = 4,     /* One SIMT outcome */
    KARAT_OWES_MEM = 8,      /* All memory accesses of the instruction */
    KARAT_OWES_CSR = 16,     /* May write a CSR */
    KARAT_OWES_BARRIER = 32, /* A workgroup barrier: arrival, then release */
    KARAT_OWES_EXIT = 64     /* The end of the warp */
};

/* Element widths, as numbers (8 << karat_width bits) and as bits of karat_row.widths (1 << karat_width). */
typedef enum karat_width { KARAT_W8, KARAT_W16, KARAT_W32, KARAT_W64 } karat_width;

/* How the checker compares the results of an instruction. */
typedef enum karat_policy {
    KARAT_EXACT, /* Bit for bit */
    KARAT_ULP,   /* Bit for bit unless the core's description has a bound in ulp */
    KARAT_SUM    /* Bit for bit unless there is a bound for the distance from the exact sum */
} karat_policy;

/* The unit class of a row, for coverage, generator weights and statistics. */
typedef enum karat_unit {
    KARAT_UNIT_ALU,
    KARAT_UNIT_MUL,
    KARAT_UNIT_DIV,
    KARAT_UNIT_BRANCH,
    KARAT_UNIT_CSR,
    KARAT_UNIT_MEM,
    KARAT_UNIT_AMO,
    KARAT_UNIT_FP,
    KARAT_UNIT_FDIV,
    KARAT_UNIT_SFU,
    KARAT_UNIT_TENSOR,
    KARAT_UNIT_SIMT,
    KARAT_UNIT_SYNC,
    KARAT_UNIT_CONFIG,
    KARAT_UNIT_PREFIX
} karat_unit;
#define KARAT_NUM_UNIT 15
const char *karat_unit_name(unsigned unit); /* "alu"; NULL where out of range */

/* One row of the table, as users of the library see it. */
typedef struct karat_row {
    const char *name;     /* Identifier, e.g. "vadd_vv" */
    const char *mnemonic; /* As assembled, e.g. "vadd.vv" */
    uint32_t match, mask; /* A word w is this row's when (w & mask) == match */
    uint8_t profiles;     /* Bit p set: present in karat_profile p */
    uint8_t owes;         /* KARAT_OWES_* */
    uint8_t policy;       /* A karat_policy */
    uint8_t unit;         /* A karat_unit */
    uint8_t num_operands;
    uint8_t operands[KARAT_MAX_OPERAND]; /* Private operand kinds; see karat_operand_info() */
    bool rounds;                         /* Vector floating point: illegal where frm holds a reserved mode */
    bool illegal;     /* Known by name, left out of every profile that knows it: an illegal instruction */
    uint8_t left_out; /* Bit p set: left out in karat_profile p */
    /* Widths of the elements that it computes on (1 << karat_width): those other than 64 by vtype where there
     * are several, or 32; 64 after a prefix with pair, or always where it is the only one. 0: no
     * computation. */
    uint8_t widths;
    /* Bytes of an access to memory (after PRE_M_* and REGPAIR, of each word), and of an index. 0 and not 0:
     * the access has SEW bits. Both 0: no access. */
    uint8_t access_bytes, index_bytes;
    const char *section; /* Section of the ISA manual, or of the RISC-V specification */
} karat_row;

/* Row numbers run from 0 to karat_num_rows() - 1; KARAT_NO_ROW where a word is no instruction. */
#define KARAT_NO_ROW (-1)
int karat_num_rows(void);
const karat_row *karat_row_info(int row); /* NULL where out of range */

/* Width of a register operand, relative to the elements of its instruction. */
typedef enum karat_span {
    KARAT_SPAN_OWN,     /* Width of the elements */
    KARAT_SPAN_TWICE,   /* Twice the width of the elements: widening and narrowing rows */
    KARAT_SPAN_MASK,    /* A mask: one register of 32-bit elements, whatever the width */
    KARAT_SPAN_ADDRESS, /* A 64-bit address, a pair of registers */
    KARAT_SPAN_TWO,     /* Two registers of 32-bit elements: of a matrix */
    KARAT_SPAN_FOUR,
    KARAT_SPAN_EIGHT
} karat_span;

/* An operand kind. */
typedef struct karat_operand_kind {
    const char *name; /* "rd", "vs2", "simm5" ... */
    uint8_t role;     /* A karat_role */
    uint8_t cls;      /* KARAT_CLASS_X or _V for registers */
    uint8_t bits;     /* Number of its bits in the word, without extension */
    bool is_reg;
    bool is_signed;  /* immediates: sign-extended when decoded */
    uint8_t shift;   /* immediates: the value is a multiple of 1 << shift */
    bool extends;    /* 5-bit immediates: REGEXTI makes 11 bits of it */
    uint8_t source;  /* immediates: the source, 1 or 2, in whose place the value stands; 0: in none */
    bool is_read;    /* destinations: also the third operand */
    uint8_t span;    /* registers: karat_span */
    uint8_t written; /* Fields that the instruction ignores: encoders write it there */
} karat_operand_kind;
const karat_operand_kind *karat_operand_info(uint8_t operand);

/* A decoded instruction. value[i] belongs to the row's operand i: register numbers after extension,
 * immediates sign-extended as the row requires (REGEXTI: 11 bits). */
typedef struct karat_insn {
    int row; /* KARAT_NO_ROW: not an instruction */
    uint32_t word;
    uint32_t prefix; /* 0: none */
    int32_t value[KARAT_MAX_OPERAND];
} karat_insn;

/* Decode one word of that profile, without prefix.  Returns the row, or KARAT_NO_ROW. */
int karat_decode(karat_profile profile, uint32_t word, karat_insn *insn);

/* Decode a word after a prefix (0: none), which must fit it: else KARAT_NO_ROW. Where the row's
 * destination is also its third operand, *apart (may be NULL) becomes the number {x3, vd}: the ISA ignores
 * it, and a core with the deviation third-operand-apart reads it; 0 for other rows. */
int karat_decode_prefixed(karat_profile profile, uint32_t prefix, uint32_t word, karat_insn *insn,
                          int32_t *apart);

/* A register that an instruction reads: source 1, 2, 3, or 0 for v0 as mask or operand, as in
 * karat_reg_read. */
typedef struct karat_source {
    uint8_t source, cls;
    uint16_t reg;
} karat_source;

/* The registers that a word names as sources, with its prefix (0: none), in the order in which a step reads
 * them. The second registers of groups and pairs, which the word does not name, are left out. deviations:
 * KARAT_DEV_*; only third-operand-apart matters. Returns their number. */
#define KARAT_MAX_SOURCE 7
uint32_t karat_sources(karat_profile profile, uint32_t deviations, uint32_t prefix, uint32_t word,
                       karat_source sources[KARAT_MAX_SOURCE]);

/* The register that a word names as its destination, with its prefix (0: none). False where it names none. */
bool karat_destination(karat_profile profile, uint32_t prefix, uint32_t word, karat_source *destination);

/* Put operand values back into a word: the inverse of karat_decode for unprefixed instructions.  Returns
 * false where a value does not fit its field. */
bool karat_encode(int row, const int32_t value[KARAT_MAX_OPERAND], uint32_t *word);

/* The row with that identifier or mnemonic, or KARAT_NO_ROW. */
int karat_find_row(const char *name);

/* Whether that profile has the row, and does not leave it out. */
bool karat_row_is_legal(const karat_row *row, karat_profile profile);

/* Whether its effect depends on vtype: the V extension's own opcodes (V 1.0, chapter 5), except vset*, and
 * the rows of profile public alone. */
bool karat_row_uses_vtype(const karat_row *row);
/* Whether it is illegal in that profile where LMUL is 2: what profile public has and v2.02 has not. */
bool karat_row_is_single(const karat_row *row, karat_profile profile);
/* Whether its registers are groups where LMUL is 2: all of those rows that write no scalar. */
bool karat_row_is_grouped(const karat_row *row);

/* Whether a lane of its result may depend on other lanes of its sources: tensor rows and shuffles. */
bool karat_row_crosses_lanes(const karat_row *row);
/* The lane that a lane of a shuffle by that immediate reads; it need not exist, nor be active.
 * KARAT_NO_LANE: the row is no shuffle. */
#define KARAT_NO_LANE 256u
uint32_t karat_shuffle_lane(int row, uint32_t lane, uint32_t by);

/* The format of the two 16-bit floats in each lane on which a row of profile public computes. */
typedef enum karat_halves { KARAT_NO_HALVES, KARAT_HALVES_F16, KARAT_HALVES_BF16 } karat_halves;
karat_halves karat_row_halves(const karat_row *row);

/* Whether it computes on floating point, so that ABS and NEG of a prefix act on sign bits; else they are |x|
 * and two's-complement negation (decisions, "Prefixes"). */
bool karat_row_is_float(const karat_row *row);

/* The fields of a prefix (sections 4.2.2 and 4.2.3; v2.03, "prefix instructions"). */
typedef struct karat_prefix {
    uint8_t x3, x2, x1, xd; /* Three more high bits of each register number */
    uint8_t imm;            /* Immediate bits 10:5 */
    bool has_imm;           /* REGEXTI, REGPAIRI, PREFIXI */
    bool regpair;           /* REGPAIR, REGPAIRI: even registers of a memory access are pairs */
    bool memory;            /* PRE_M_*: the fields space, words and hint hold */
    bool pair;              /* PREFIX, PREFIXI: 64-bit operands; PRE_M_*: a 64-bit address */
    uint8_t abs, neg;       /* Bit 0: source 1, bit 1: source 2, bit 2: source 3 */
    uint8_t space;          /* A karat_prefix_space */
    uint8_t words;          /* 32-bit words that each lane moves, 1 to 4 */
    uint8_t hint;           /* Cache hint, of no effect */
} karat_prefix;
typedef enum karat_prefix_space {
    KARAT_PREFIX_DEFAULT,
    KARAT_PREFIX_GLOBAL,
    KARAT_PREFIX_PRIVATE,
    KARAT_PREFIX_LOCAL
} karat_prefix_space;
/* Take a prefix word apart. All fields are 0, but words 1, where it is no prefix. */
karat_prefix karat_prefix_of(uint32_t word);

/* Whether the width of its elements follows vtype's SEW. */
bool karat_row_follows_sew(const karat_row *row);
/* The width of the elements of an instruction of that row after that prefix (0: none), where vtype has that
 * SEW: KARAT_W32 where the row does not depend on either. -1: the row has no such width there, and is
 * illegal. */
int karat_row_width(const karat_row *row, uint32_t prefix, karat_width sew);
/* Registers that follow one another in an operand of a matrix, the first included; 1 for all others. */
unsigned karat_operand_registers(const karat_operand_kind *operand);
/* Whether an operand takes a pair of registers in an instruction of that width. */
bool karat_operand_is_pair(const karat_operand_kind *operand, karat_width width);

/* Whether that prefix may stand before an instruction of that row (sections 4.2.2 and 4.2.3; decisions,
 * "Prefixes"). */
bool karat_prefix_fits(int row, uint32_t prefix);

/* Whether that word is a prefix (section 4.2.2 and 4.2.3). */
bool karat_is_prefix(karat_profile profile, uint32_t word);

/* Disassemble a word, with its prefix where prefix is not 0, at that pc (for branch targets). Writes a NUL
 * terminated text of at most size bytes; an unknown word becomes ".4byte 0x...". Returns the row or
 * KARAT_NO_ROW. */
int karat_disassemble(karat_profile profile, uint32_t pc, uint32_t prefix, uint32_t word, char *text,
                      size_t size);

/* Words that are instructions only elsewhere. */
typedef struct karat_known {
    const char *name, *of; /* "flw", "RV32F (this ISA has ...)" */
    uint32_t match, mask;
    uint8_t profiles; /* Bit p set: reported where a word is no instruction of karat_profile p */
    bool block;       /* Words of it may be instructions of those profiles */
    bool overlaps; /* Words of it are instructions of those profiles, and it is reported for them as well */
} karat_known;
int karat_num_known(void);
const karat_known *karat_known_info(int i); /* NULL where out of range */

/* The meaning elsewhere of a word that is no instruction of that profile, or a left-out one: "flw of RV32F
 * (this ISA has ...)", with ", or " between several. As snprintf(): the length; 0: none is known, or it is an
 * instruction. */
size_t karat_elsewhere(karat_profile profile, uint32_t word, char *text, size_t size);
/* The meaning elsewhere of a word that is an instruction of that profile; 0: none is known, or it is no
 * instruction. */
size_t karat_overlap(karat_profile profile, uint32_t word, char *text, size_t size);

/* Name of a CSR, e.g. "rpc", or NULL. */
const char *karat_csr_name(uint32_t csr);
/* Name of a CSR of lanes, e.g. "gid_x" (profile public), or NULL. */
const char *karat_lane_csr_name(uint32_t csr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
