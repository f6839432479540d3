/* Figures of the verdict line. */
#ifndef KARAT_CHECK_COUNTS_H
#define KARAT_CHECK_COUNTS_H

#include "karat/karat.h"

/* Records and events since HELLO; written by whoever handles them. */
typedef struct checker_counts {
    uint64_t warps, instructions, x, v, x0, empty, simt, mem, csr, read, audit, arrive, release, exits,
        adopted, unordered, reordered, lane_race, sc_failed, unjudged, undefined, lanes_differ, lds_unwritten,
        skipped_prefix, lds_beyond, records, deep, deviations, ulp;
    uint64_t deviated[KARAT_NUM_DEVIATION]; /* the same by name */
} checker_counts;

/* Parts that records of a provided kind leave out, and that were not compared: named in the verdict. */
#define KARAT_GAPS(DO)                                                                                       \
    DO(MEM_ORDER, "mem-order")       /* MEM comes in another order than that of performance */               \
    DO(AMO_DATA, "amo-data")         /* what an AMO wrote */                                                 \
    DO(SEQ, "seq")                   /* which instruction a WRITE or MEM is of */                            \
    DO(PREFIX, "prefix")             /* which prefix an instruction had */                                   \
    DO(SPACE, "space")               /* in which address space an access was */                              \
    DO(TOP, "top")                   /* the SIMT stack's top entry */                                        \
    DO(LAUNCH_CSR, "launch-csr")     /* some CSRs at launch */                                               \
    DO(RANGES, "ranges")             /* which registers and local memory a warp has */                       \
    DO(FINAL_MEMORY, "final-memory") /* memory at the end */
enum {
#define DO(gap, word) GAP_##gap,
    KARAT_GAPS(DO)
#undef DO
        NUM_GAP
};

#endif
