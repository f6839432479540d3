/* The state of one random program. random_make() owns it, on its stack; all modules of random/ read and change it. It points to
 * the parameters, the table and the program of random_make()'s caller, and owns no other memory. */
#ifndef KARAT_RANDOM_GEN_H
#define KARAT_RANDOM_GEN_H

#include "../random.h"
#include "named.h"

enum {
    MAX_X = 24, /* registers that all instructions may use */
    MAX_V = 48,
    HOT_X = 6, /* some of them, which are used more often */
    HOT_V = 8,
    MOST_UNWRITTEN = 12,
    FRESH = 3, /* registers that hold operands loaded from the table */
    SPOTS = 4,
    FAVOURITES = 8, /* rows that the program uses more often; the next seed has others */
    MOST_LEAVE = 3,
    MOST_FUNCTIONS = 8,
    FEW_LENGTH = 400 /* instructions of a short program */
};

/* Memory that a base register points to. */
typedef enum space {
    GLOBAL, /* the warp's own region of device memory */
    LDS,
    NEIGHBOUR, /* the next warp's regions, which this warp reads only between barriers */
    LDS_NEIGHBOUR,
    SHARED_GLOBAL, /* words that all warps use (with races) */
    SHARED_LDS,
    PRIVATE,
    NUM_SPACE
} space;

typedef struct rng {
    uint64_t state;
} rng;

typedef struct gen {
    const random_params *params;
    const row_table *table;
    prog *p;
    rng r;
    named_rows row;

    /* The launch (random.c) */
    uint32_t warps, groups, threads, max_vgprs;
    uint32_t lds_apart; /* bytes of local memory from one warp's region to the next one's */

    /* Weights (random.c): of the kinds, of the units in "plain", and their sum */
    uint32_t weight[RANDOM_NUM_KINDS], plain_weight[KARAT_NUM_UNIT], plain_sum;
    const row_use *favourite[FAVOURITES];
    int32_t spot[SPOTS]; /* offsets of many accesses */

    /* Registers with a fixed use (registers.c) */
    uint32_t num_x, num_v; /* that a warp has */
    uint32_t base[NUM_SPACE];
    uint32_t address, address_pair,
        stride;                     /* addresses and strides of one access; the pair's upper half is 0 */
    uint32_t sink;                  /* results that nothing reads */
    uint32_t mask_global, mask_lds; /* bits of an offset in a region */
    uint32_t counter[3], link[2];   /* by depth: of loops and calls */
    uint32_t rpc;
    uint32_t vbase[3][2]; /* vector addresses: of GLOBAL, LDS and private memory */
    uint32_t index[2];    /* pairs of vector registers: indices of 32 bits and of less */
    uint32_t zero, vcounter[3];
    uint32_t vmixed;       /* vector addresses: some lanes in device memory, others in local memory */
    uint32_t vlocal;       /* 64-bit ones of local memory, from CSR_LDS on, local_below too low; v2.03 */
    uint32_t vwide;        /* addresses in the table of values by width; v2.03 */
    uint32_t run_x, run_v; /* four registers of the pools one after the other, the first even; v2.03 */
    uint32_t local_below; /* offsets in local memory are added to vlocal by 64-bit arithmetic that passes 0 */
    uint32_t
        index_above; /* what 32-bit indices have above the bits of an offset: bases are as much lower, below 0; v2.03 */
    uint32_t vbelow; /* 64-bit addresses of private memory (of the workgroup before, if any); 0: none */
    uint32_t table_base, vtable; /* addresses in the table of operands */
    uint32_t fold, vfold;        /* the signature so far */
    /* Even vector registers, two each. Nothing writes the unwritten ones; their values go to unread alone. */
    uint32_t unwritten[MOST_UNWRITTEN], num_unwritten, next_unwritten, unread;

    /* Registers that all instructions may use (registers.c) */
    uint32_t x[MAX_X], v[MAX_V], x_hot[HOT_X], v_hot[HOT_V], num_pool_x, num_pool_v;
    uint32_t last_x, last_v;                             /* written last */
    uint32_t fresh_x[FRESH], fresh_v[FRESH], next_fresh; /* loaded last from the table of operands */

    uint32_t lmul, sew; /* in effect at this place; sew: karat_width */

    /* Operands (operand.c). In THEME_PRODUCTS: exponents of one factor and of the product, and that factor's significand. */
    int32_t of_one, of_both;
    uint32_t significand;
    bool many_products; /* each triple draws its own */
    bool invalid;       /* THEME_SPECIAL: this triple is zero, infinity, NaN */
    uint32_t classes;   /* THEME_SPECIAL: bit i: class i is in use */

    /* Control flow (flow.c) */
    int32_t leave[MOST_LEAVE]; /* JALs to the end */
    uint32_t num_leave, dead;  /* dead: words that never run */
    struct function {
        int32_t at;
        uint32_t lmul, arms;
    } functions[MOST_FUNCTIONS]; /* for later calls */
    uint32_t num_functions;
    uint32_t edge;  /* address of the function at the end of memory */
    int32_t endprg; /* the ENDPRG at the beginning; PROG_NONE: the last instruction is the only one */
} gen;

#endif
