/* A stretch of a recording as a timeline: what each warp slot did in which cycle. */
#ifndef KARAT_RECORDED_TIMELINE_H
#define KARAT_RECORDED_TIMELINE_H

#include "karat/isa.h"
#include "meta.h"
#include "trace.h"

/* Cycles from, to: both included. Nothing here is open: what had not ended when the recording did ends with
 * it. */
typedef struct timeline_insn {
    uint64_t issue, last;       /* Of its ISSUE; of the last of its records, its completion */
    uint64_t memory, performed; /* Of its first and last access; valid where has_memory */
    uint64_t write;             /* Of its first register write; valid where has_write */
    uint32_t warp;              /* Index of timeline.warps */
    uint32_t seq, pc, word, prefix, mask;
    bool has_memory, has_write;
} timeline_insn;

typedef struct timeline_warp {
    uint64_t from, to;
    uint32_t sm, slot, epoch, workgroup, warp, kernel;
} timeline_warp;

typedef struct timeline_wait { /* At a barrier */
    uint64_t from, to;
    uint32_t warp;
} timeline_wait;

typedef struct timeline_depth { /* Of a warp's SIMT stack, from that cycle on */
    uint64_t cycle;
    uint32_t warp, depth;
} timeline_depth;

typedef struct timeline_access { /* Pieces of accesses that an SM performs in a cycle */
    uint64_t cycle;
    uint32_t sm, num;
} timeline_access;

/* What to show: instructions that are issued from first to last, of these numbers, of that warp. */
typedef struct timeline_window {
    uint64_t from, to; /* Cycles */
    uint32_t seq_from, seq_to;
    bool one_warp;
    uint32_t workgroup, warp;
} timeline_window;

typedef struct timeline {
    timeline_window window;
    const karat_check_config *config; /* Names of the kernels, profile */
    char core[33];
    uint64_t end;     /* The last cycle */
    uint64_t unnamed; /* Results that name no instruction */
    bool cut;
    timeline_insn *insns;
    timeline_warp *warps;
    timeline_wait *waits;
    timeline_depth *depths;
    timeline_access *accesses;
    size_t num_insns, num_warps, num_waits, num_depths, num_accesses;
} timeline;

/* All of them in the order of their cycles. False with one line in *diag: the recording is damaged, or memory
 * is short. */
bool timeline_read(timeline *t, karat_trace_reader *reader, karat_diag *diag);
void timeline_free(timeline *t);

/* The row of an instruction; NULL: it is none. */
const karat_row *timeline_row(const timeline *t, const timeline_insn *insn);
#define TIMELINE_TEXT 192
const char *timeline_text(const timeline *t, const timeline_insn *insn, char text[TIMELINE_TEXT]);
/* The name of a warp's kernel; "" where the recording has none. */
const char *timeline_kernel(const timeline *t, const timeline_warp *warp);

/* The formats. False: memory is short, and nothing was written. */
bool timeline_put_chrome(const timeline *t, FILE *out);
bool timeline_put_kanata(const timeline *t, FILE *out);

#endif
