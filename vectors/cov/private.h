/* Shared by cov.c, exclude.c and file.c. */
#ifndef KARAT_COV_PRIVATE_H
#define KARAT_COV_PRIVATE_H

#include "cov.h"

typedef enum axis_id {
#define AXIS(id, ...) AXIS_##id,
#define GROUP(...)
#include "groups.def"
#undef GROUP
    NUM_AXIS
} axis_id;

typedef enum group_id {
#define GROUP(id, ...) GROUP_##id,
#undef AXIS
#define AXIS(...)
#include "groups.def"
#undef AXIS
#undef GROUP
    NUM_GROUP
} group_id;

/* Points of axes that the code names. */
enum {
    PREFIX_NONE,
    PREFIX_REGEXT,
    PREFIX_REGEXTI,
    PREFIX_REGPAIR,
    PREFIX_REGPAIRI,
    PREFIX_PRE_M,
    NUM_PREFIX
};
enum { PREFIX_PREFIX = PREFIX_REGPAIR, PREFIX_PREFIXI }; /* Profile v2.03 */
enum { FORM_SCALAR, FORM_LANE, FORM_UNIT, FORM_STRIDED, FORM_INDEXED, FORM_ATOMIC, FORM_NONE };
enum { NUM_ELEMENT = 4 }; /* A karat_width */
enum { MASK_FULL, MASK_EMPTY, MASK_SINGLE, MASK_ALTERNATING, MASK_OTHER };
enum {
    CLASS_ZERO,
    CLASS_ONE,
    CLASS_MINUS_ONE,
    CLASS_LARGEST,
    CLASS_SMALLEST,
    CLASS_SMALL,
    CLASS_POSITIVE,
    CLASS_NEGATIVE,
    NUM_INT_CLASS
};
enum {
    FP_PLUS_ZERO,
    FP_MINUS_ZERO,
    FP_PLUS_SUBNORMAL,
    FP_MINUS_SUBNORMAL,
    FP_PLUS_NORMAL,
    FP_MINUS_NORMAL,
    FP_PLUS_INF,
    FP_MINUS_INF,
    FP_QUIET,
    FP_SIGNALING,
    NUM_CLASS
};
enum { EVENT_TAKEN, EVENT_NOT_TAKEN, EVENT_DIVERGE, EVENT_OTHER_PATH, EVENT_JOIN, EVENT_PASS };
enum { OP_LOAD, OP_STORE, OP_LR, OP_SC, OP_SC_FAILS, OP_AMO };
enum { PATTERN_ONE, PATTERN_WORD, PATTERN_FREE, PATTERN_TWO, PATTERN_MORE, PATTERN_BANK };
enum { HAZARD_RAW, HAZARD_WAW, HAZARD_WAR };
enum { MODE_RNE, MODE_RTZ, MODE_RDN, MODE_RUP, MODE_RMM };
enum { FLAG_NONE, FLAG_NX, FLAG_UF, FLAG_OF, FLAG_DZ, FLAG_NV };
enum { EFFECT_NONE, EFFECT_SAME, EFFECT_CHANGED };
enum { TAKES_OWN, TAKES_OTHER, TAKES_BEYOND, TAKES_INACTIVE };
enum { TOUCH_LOAD, TOUCH_STORE, TOUCH_LR, TOUCH_SC, TOUCH_AMO };
enum { BY_SCALAR, BY_VECTOR, BY_PRIVATE, BY_VECTOR_LOCAL };
enum { FETCH_FIRST, FETCH_SECOND, FETCH_NEXT_PAGE };
enum { RIGHTS_R, RIGHTS_RW, RIGHTS_X, RIGHTS_RX, RIGHTS_RWX };
enum { FLAGS_CLEAN = 4 };

enum { RECENT = 8 }; /* Steps of a warp that a hazard may reach back to */

typedef struct registers {
    uint64_t x;
    uint64_t v[4];
} registers;

typedef struct recent {
    uint8_t unit;
    registers written, read;
} recent;

/* The last steps of a warp, the last one in the lowest 16 bits: an instruction with certain registers that it
 * reads and writes has a number; 0: not known. */
typedef struct path {
    uint64_t recent, old;
} path;
_Static_assert(16 * RECENT == 8 * sizeof(path), "a number for each step");

typedef struct warp_state {
    uint32_t initial, warps, workgroup;
    uint64_t ptbr;
    uint64_t launches, steps;
    recent recent[RECENT];
    path path;
} warp_state;

typedef struct barrier_state {
    uint32_t arrived;
    uint64_t last; /* Cov->steps of the last arrival */
} barrier_state;

/* Of a physical page: the last store to it. */
typedef struct page_state {
    bool is_stored;
    uint8_t stored; /* STORED_* */
    uint32_t warp;
    uint64_t phys, virt; /* Page numbers */
} page_state;

enum { NUM_PAGES = 1024 };

/* Facts of a row that stepping and rules want, made once from the table. */
typedef struct row_facts {
    int row;
    uint8_t unit;        /* A karat_unit */
    bool vector;         /* Some operand is a vector */
    bool fp;             /* The sources are classed as FP */
    bool source[4];      /* 1..3: it has that source, and its value is data */
    int8_t imm[4];       /* The operand that stands in that place; -1: a register */
    bool twice[4];       /* 1..3: its elements have twice the width of the instruction's */
    uint8_t form, bytes; /* FORM_*; of a memory access; 0: by SEW */
    bool stores;
    bool fits[NUM_PREFIX];
    bool groups[NUM_PREFIX]; /* After that prefix it works on groups of two */
    bool matrix;             /* Its sources are matrices */
    uint8_t halves[4];       /* 1..3: karat_halves of the floats in each lane */
    bool both[4];            /* 1..3: in both halves of it, else in the lower one */
} row_facts;

/* A step for all groups that depend on the instruction and its values alone. */
typedef union outcome {
    struct {
        uint16_t set[3][2]; /* Bits of the classes in a source, and in its upper halves */
        /* Of the first two sources: by the class of the first, those of the second */
        uint16_t pairs[NUM_CLASS];
        uint16_t row, mask, width, mode, flags;
    };
    uint64_t word[6]; /* All of it, to be compared */
} outcome;

/* A register that is a source or a part of one, in all commits of an instruction that have one shape. */
typedef struct piece {
    uint8_t read, high;    /* Numbers of the reads: of it, and of the upper half of its pair; NO_READ: none */
    uint8_t source, width; /* 1..3; the karat_width of the values */
    uint8_t at, num;       /* The first of its elements, and how many: of a scalar 1, for all of them */
    const uint32_t *live;  /* Which of these count */
} piece;

enum { NO_READ = KARAT_MAX_READ };

/* The last instruction of its words, where prefix or word is not 0. Most steps of an instruction hit the same
 * bins as its step before: they are counted, and added to the bins when another one comes. */
typedef struct decoded {
    uint32_t prefix, word;
    int row; /* KARAT_NO_ROW: it is none */
    int32_t apart;
    uint8_t prefix_at; /* PREFIX_* */
    uint8_t mode;      /* Rounding, by the instruction; 7: by frm */
    bool shuffles;
    karat_insn insn;
    karat_prefix says;
    outcome outcome; /* Of the last step, and how often it came again */
    uint32_t again;
    uint64_t shape;         /* Of the last step; it decides on all that follows up to the number */
    const row_facts *facts; /* NULL: nothing counts it */
    outcome common;         /* To all outcomes of that shape */
    uint32_t num_pieces;
    piece piece[KARAT_MAX_READ];
    bool has_pairs,
        product;     /* It has two sources or more; product: one of these two is the same everywhere */
    unsigned two[2]; /* The first two sources */
    recent registers;
    uint16_t number;
    path path; /* Before it, how often it came again, and the bins of its hazards */
    uint32_t path_again, num_bins;
    uint16_t bins[RECENT * 2 * 3];
} decoded;

enum { DECODED_BITS = 10, NUM_DECODED = 1 << DECODED_BITS };

struct karat_cov {
    /* The classes of a step's operands: a function by the level of the processor */
    void (*take)(karat_cov *cov, uint64_t active, const karat_commit *commit, const decoded *d, outcome *o);
    karat_profile profile;
    axis_id prefixes; /* Of the rows of the profile */
    bool translates;
    uint32_t num_thread, max_warp, num_rows;
    uint32_t devices; /* Merged: every num_thread, each of which is a bit */
    row_facts *rows;
    int16_t *row_at; /* Index by the table's number; -1: none of the profile */
    uint32_t *hits[NUM_GROUP];
    uint32_t bins[NUM_GROUP];
    uint32_t stride[NUM_GROUP][KARAT_COV_AXES]; /* Bins from one point of an axis to the next */
    decoded decoded[NUM_DECODED];               /* By a hash of the words */
    uint32_t times;                             /* That a hit counts */
    uint16_t last_number;                       /* Of decoded.number */
    uint64_t active;                            /* Of live: 0 or all ones, by element */
    uint32_t live[2 * KARAT_MAX_THREAD], all[KARAT_MAX_THREAD];
    uint64_t runs, steps, hit; /* Bins of all groups that were hit */
    uint32_t num_points;
    karat_cov_point *points;
    warp_state *warps;
    barrier_state *barriers; /* Indexed by the model's workgroup handle: at most as many as warps */
    page_state *pages;       /* With translation: NUM_PAGES, by a hash of their physical page */
    uint64_t ptbr;           /* With translation: root of the last launch */
    uint32_t asid;
    bool has_space;
};

/* Whether the immediates after a prefix have more bits. */
static inline bool cov_prefix_extends(uint32_t prefix) {
    return prefix == PREFIX_REGEXTI || prefix == PREFIX_REGPAIRI;
}
const axis_id *cov_axes(uint32_t group); /* There are num_axes of them */
uint32_t cov_axis_points(const karat_cov *cov, axis_id axis);
uint32_t cov_csr_number(uint32_t at);
bool cov_add_point(karat_cov *cov, karat_cov_point point); /* False: memory is short */
void cov_add(karat_cov *cov, uint32_t group, uint32_t bin, uint32_t hits);
/* The class of an immediate of that range, and the range of one: after REGEXTI and REGPAIRI some are
 * wider. */
uint32_t cov_imm_class(int64_t value, int64_t least, int64_t most);
void cov_imm_range(const karat_operand_kind *kind, bool extended, int64_t *least, int64_t *most);

/* The source that an operand is, 1..3; 0: none. A destination that is read as well is the third. */
unsigned cov_source(const karat_operand_kind *kind);
/* The first two sources that are there; false: there are fewer. */
bool cov_two_sources(const bool has[4], unsigned sources[2]);

/* Which operand of group 'number' it is: destination, first, second or third source. */
static inline uint32_t cov_number_operand(const karat_operand_kind *kind) {
    return kind->role == KARAT_ROLE_DEST   ? 0
           : kind->role == KARAT_ROLE_SRC1 ? 1
           : kind->role == KARAT_ROLE_SRC2 ? 2
                                           : 3;
}

static inline bool cov_touch_stores(uint32_t touch) {
    return touch == TOUCH_STORE || touch == TOUCH_SC || touch == TOUCH_AMO;
}

#endif
