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
    uint32_t sm, slot, workgroup, warp;
    uint32_t seq, pc, word, prefix, mask;
    bool has_memory, has_write;
} timeline_insn;

typedef struct timeline_warp {
    uint64_t from, to;
    uint32_t sm, slot, epoch, workgroup, warp, kernel;
} timeline_warp;

/* The part to show: instructions that are issued from first to last, of these numbers, of that warp. */
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
    uint32_t num_sm, num_slot; /* As HELLO has them; no warp is given before */
    uint64_t end;              /* The last cycle so far */
    uint64_t num_insns;        /* Shown so far */
    uint64_t unnamed;          /* Results that name no instruction */
    uint64_t late;             /* Results that came after their instruction was shown */
    bool cut;
} timeline;

/* A format. The recording is read once, and the format writes while it is: what it keeps does not grow with
 * the recording. Each function but the first gets what begin() has returned; false: memory is short. */
typedef struct timeline_format {
    const char *name;
    void *(*begin)(const timeline *t, FILE *out);
    bool (*insn)(void *f, const timeline_insn *insn); /* In the order of their issue */
    /* All instructions issued before that cycle have been given. */
    bool (*insns_until)(void *f, uint64_t cycle);
    /* Where a format does not show these, they are NULL. A warp or a wait is given when it ends; a change of
     * the number that waits, a piece of an access and a depth in the cycle in which they happen. */
    bool (*warp)(void *f, const timeline_warp *warp);
    bool (*wait)(void *f, uint32_t sm, uint32_t slot, uint64_t from, uint64_t to);
    bool (*waiting)(void *f, uint32_t sm, uint64_t cycle, int by);
    bool (*access)(void *f, uint32_t sm, uint64_t cycle);
    bool (*depth)(void *f, uint32_t sm, uint32_t slot, uint64_t cycle, uint32_t depth);
    bool (*end)(void *f);
    void (*free)(void *f);
} timeline_format;
extern const timeline_format timeline_chrome, timeline_kanata;

/* Write the recording from the reader on. t: its window and config are set, the rest is zero. False with one
 * line in *diag: the recording is damaged, or memory is short; what was written then is of no use. */
bool timeline_write(timeline *t, const timeline_format *format, karat_trace_reader *reader, FILE *out,
                    karat_diag *diag);

/* The row of an instruction; NULL: it is none. */
const karat_row *timeline_row(const timeline *t, const timeline_insn *insn);
#define TIMELINE_TEXT 192
const char *timeline_text(const timeline *t, const timeline_insn *insn, char text[TIMELINE_TEXT]);
/* The name of a warp's kernel; "" where the recording has none. */
const char *timeline_kernel(const timeline *t, const timeline_warp *warp);

#endif
