/* A kernel on a model, from launch to end: workgroups are dispatched in the order of the grid, warps are
 * scheduled, and CSR_PRINT is served (V2.02 section 2.3; decisions, "Registers, CSRs, launch").
 *
 *  1. The caller places the kernel (karat_kernel_place() or karat_space_place()).
 *  2. karat_sched_create() launches the first workgroups.
 *  3. karat_sched_run() takes steps until every warp has ended, or something else ends the run;
 *     karat_sched_step() takes one of a warp that the caller chooses.
 *
 * A warp is named by its handle in the model: workgroup handle g has the warp handles g * wg_size and the
 * following.
 */
#ifndef KARAT_SCHED_H
#define KARAT_SCHED_H

#include "karat/kernel.h"
#include "karat/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef struct karat_sched karat_sched;

typedef enum karat_schedule {
    KARAT_ROUND_ROBIN,  /* One step of every runnable warp in turn */
    KARAT_WARP_BY_WARP, /* The lowest runnable warp, until it ends or waits */
    KARAT_RANDOM_WARP   /* Any runnable warp, by seed */
} karat_schedule;

/* A warp of the grid: its workgroup's linear index, its number there, and its handle in the model. */
typedef struct karat_sched_warp {
    uint32_t workgroup, warp, handle;
} karat_sched_warp;

/* How far a run is: steps taken, workgroups ended, and all of the grid. */
typedef struct karat_sched_progress {
    uint64_t steps, workgroups, num_workgroups;
} karat_sched_progress;

/* Callbacks; every function may be NULL. Without goes_on and commit the warps run in slices
 * (karat_run_slice()), with the same results. */
typedef struct karat_sched_hooks {
    void *context;
    /* Before a warp's launch: may change the descriptor. */
    void (*launch)(void *context, const karat_sched_warp *warp, karat_launch_desc *desc);
    /* Before every step of a warp; false: it takes no step any more, and waits for ever. */
    bool (*goes_on)(void *context, const karat_sched_warp *warp);
    /* After every step; false: stop here. */
    bool (*commit)(void *context, const karat_sched_warp *warp, const karat_commit *commit);
    /* A warp printed that text of length bytes. */
    void (*print)(void *context, const karat_sched_warp *warp, const char *text, size_t length);
    /* The host has set that warp's CSR to value, for printing. */
    void (*host_csr)(void *context, const karat_sched_warp *warp, uint32_t csr, uint32_t value);
    /* Every 65,536 steps; false: end the run here. */
    bool (*tick)(void *context, const karat_sched_progress *progress);
} karat_sched_hooks;

typedef struct karat_sched_config {
    karat_model *model;
    const karat_kernel *kernel; /* Placed in the model's memory; must outlive the run */
    karat_print_memory memory;  /* As the kernel addresses it */
    uint32_t resident;          /* Workgroups at once, from 1 to the model's max_workgroup */
    karat_schedule schedule;
    uint64_t seed;         /* Seed of KARAT_RANDOM_WARP */
    uint64_t max_steps;    /* UINT64_MAX: no limit */
    bool single_steps;     /* No slices */
    bool counts_unwritten; /* As karat_sched_result.unwritten */
    karat_sched_hooks hooks;
} karat_sched_config;

typedef enum karat_sched_end {
    KARAT_SCHED_RUNS,          /* The run has not ended */
    KARAT_SCHED_DONE,          /* Every warp has ended */
    KARAT_SCHED_STOPPED,       /* By the commit hook */
    KARAT_SCHED_PROGRAM_ERROR, /* See commit.error */
    KARAT_SCHED_DEADLOCK,      /* Every live warp waits */
    KARAT_SCHED_MAX_STEPS,
    KARAT_SCHED_ENDLESS,     /* The whole state is that of an earlier step: it would never end */
    KARAT_SCHED_INTERRUPTED, /* By the tick hook */
    KARAT_SCHED_PRINT_ERROR, /* CSR_PRINT was written without a print buffer */
    KARAT_SCHED_FAILED       /* Failed and status */
} karat_sched_end;

/* A place that uses a register lanes of which the warp had never written. */
typedef struct karat_unwritten_use {
    uint32_t pc;
    uint8_t cls;
    uint16_t reg;
    uint64_t count;
} karat_unwritten_use;

#define KARAT_UNWRITTEN_PLACES 32

/* Uses of registers that a warp has never written, counted as the checker counts them for a core whose
 * registers are not cleared (docs/port.md, "Registers never written"): once for each operand register of an
 * instruction that has such lanes, which count as written from then on. The first places are kept; others are
 * in uses alone. */
typedef struct karat_unwritten_uses {
    uint64_t uses;
    uint32_t num_places;
    karat_unwritten_use place[KARAT_UNWRITTEN_PLACES];
} karat_unwritten_uses;

typedef struct karat_sched_result {
    karat_sched_end end;
    uint64_t steps, warps, workgroups;        /* Taken; ended */
    uint64_t warnings[KARAT_NUM_WARNING];     /* Steps that raised each */
    uint64_t deviations[KARAT_NUM_DEVIATION]; /* Steps that each changed */
    karat_unwritten_uses unwritten;
    karat_error flagged; /* The first one: karat_commit.flagged */
    karat_sched_warp flagged_at;
    karat_sched_warp at; /* Where it ended, unless it is done */
    uint32_t waiting;    /* Deadlock: warps that wait */
    uint64_t again[2];   /* Endless: the steps after which the state is the same */
    const char *failed;  /* Failed: the action that failed, as a clause; static */
    karat_status status; /* Failed, print error: why */
    karat_commit commit; /* The last one */
} karat_sched_result;

/* Dispatch the first workgroups of the kernel. *config is copied. NULL, with the reason in *status (may be
 * NULL), where memory is short or an argument is missing or out of range; a launch that fails is a result.
 * The caller's, for karat_sched_destroy(). */
karat_sched *karat_sched_create(const karat_sched_config *config, karat_status *status);
void karat_sched_destroy(karat_sched *sched);

/* Take steps until the run has ended. The result is karat_sched_get()'s. */
const karat_sched_result *karat_sched_run(karat_sched *sched);

/* Take one step of that warp handle; the result's commit has it. Returns karat_step()'s status:
 * KARAT_WAITING, KARAT_HELD and KARAT_ENDED change nothing; KARAT_PROGRAM_ERROR, or a print or launch that
 * fails, ends the run. KARAT_BAD_ARGUMENT: the run has ended already. */
karat_status karat_sched_step(karat_sched *sched, uint32_t handle);

/* The result so far; valid until the scheduler is destroyed. */
const karat_sched_result *karat_sched_get(const karat_sched *sched);

#define KARAT_TRAIL 64 /* Kept pcs of a warp */

/* The live warp of that handle, and the ring of its last pcs in *trail, of *num ever: that of step i is at i
 * % KARAT_TRAIL. Each may be NULL. False: there is no live warp. */
bool karat_sched_find(const karat_sched *sched, uint32_t handle, karat_sched_warp *warp,
                      const uint32_t **trail, uint64_t *num);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
