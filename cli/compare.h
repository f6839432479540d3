/* karat compare-log: one kernel on the model against its register log. */
#ifndef KARAT_COMPARE_H
#define KARAT_COMPARE_H

#include "log.h"
#include "sched.h"
#include "signature.h"

enum compare_count {
    COUNT_STEPS,
    COUNT_X,      /* scalar register writes */
    COUNT_V,      /* vector register writes */
    COUNT_MASKS,  /* thread masks */
    COUNT_SIMT,   /* SIMT-stack states: depth, entries, and next pc where the log's is valid */
    COUNT_MEM,    /* lane accesses */
    COUNT_CSR,    /* CSR values */
    COUNT_CONFIG, /* SEW, LMUL and vl of a vector instruction */
    COUNT_COMPARED,
    SKIP_BOOT = COUNT_COMPARED, /* commits of the simulator's boot ROM */
    SKIP_STUB,                  /* commits of the exit stub */
    SKIP_MSTATUS,               /* values of mstatus */
    SKIP_MSTATUS_READ,          /* registers that mstatus was read into: the log's value is adopted */
    SKIP_STALE_NPC,             /* next pcs that the simulator does not keep up to date */
    SKIP_BARRIER,               /* repeated lines of a waiting warp */
    SKIP_SIMT,                  /* SIMT states that a log without any does not have */
    SKIP_PAST_TRAP,             /* commits after a trap */
    SKIP_ALONE,                 /* steps of the model of warps that the log does not have, or no longer */
    COUNT_ALL
};

typedef struct warp_cursor {
    const log_run *run; /* NULL: the log does not have this warp */
    uint32_t next;      /* the commit to compare with the next step, or LOG_NONE */
    bool over;          /* nothing more of it is compared: it runs on alone, or is set aside at its trap */
    uint64_t steps;
} warp_cursor;

/* Differences of one signature (--continue). */
typedef struct difference {
    const char *kind;
    karat_signature signature;
    uint64_t count;
    char first[512]; /* the first line of its report */
} difference;
#define NUM_DIFFERENCE 512 /* signatures that are kept */

/* Of all kernels. */
typedef struct differences {
    uint64_t num, lost; /* differences; those of further signatures */
    uint32_t num_kept;
    difference *kept; /* NUM_DIFFERENCE */
} differences;

typedef struct comparer {
    session *session;
    karat_kernel *kernel;
    uint32_t lanes;
    bool last;                /* no kernel comes after it */
    differences *differences; /* with --continue, or NULL */
    log_file log;
    warp_cursor *warps; /* by workgroup * wg_size + warp */
    uint32_t num_open;  /* runs of the log that are not over */
    uint32_t num_aside; /* warps set aside at their trap */
    uint32_t num_given_up;
    log_fields fields;
    uint64_t counts[COUNT_ALL];
    int status;
    /* the step being compared */
    const sched_event *event;
    const log_commit *line;
    warp_cursor *cursor;
    bool differs;
} comparer;

/* Hooks of sched_run(); the context is the comparer. */
bool compare_step(void *context, const sched_event *event);
bool compare_goes_on(void *context, uint32_t workgroup, uint32_t warp, uint32_t handle);

#endif
