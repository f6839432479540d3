/* The debugger of a run that goes on in both directions.
 *
 *  1. The program that runs something calls karat_debugger_start(). What follows is in a process of its own (timeline.h).
 *  2. It reports launches, steps, records and the end of each event. karat_debugger_event() returns when the run is to go on.
 *  3. Where the run has to stop, the front end is asked what next (karat_front.next): the commands of a person or a script, or gdb.
 *  4. Going back wakes an earlier process of the run, which takes the same steps again, up to where it is to stop.
 *
 * The debugger looks at registers and memory and changes neither: what happened stays what happened.
 */
#ifndef KARAT_DEBUGGER_H
#define KARAT_DEBUGGER_H

#include "stops.h"
#include "timeline.h"

typedef struct karat_debugger karat_debugger;

/* How to go on. */
typedef struct karat_resume {
    enum {
        RESUME_CONTINUE,
        RESUME_STEP,         /* until that thread has taken count steps; the others run as well */
        RESUME_REVERSE,      /* to the last stop before this place */
        RESUME_REVERSE_STEP, /* to before the last count steps of that thread */
        RESUME_GO_TO,        /* position */
        RESUME_QUIT          /* with status count, or, where that is 0, that of the run */
    } how;
    uint32_t thread; /* of the steps; going back: or KARAT_ANY_THREAD */
    uint64_t count, position;
} karat_resume;
#define KARAT_ANY_THREAD UINT32_MAX

/* Who asks and answers. */
typedef struct karat_front {
    void *context;
    /* The run has stopped: show it, and take orders until one makes it go on. */
    void (*next)(void *context, karat_debugger *debugger, const stop_reason *reason, karat_resume *resume);
    /* Whether the user wants it to stop; called now and then while it runs. NULL: never. */
    bool (*interrupted)(void *context, karat_debugger *debugger);
    /* At a watchpoint, stop on the near side of the access, seen in the direction of travel: the front end then takes a step over it, as gdb
     * does for RISC-V. Else on the far side. */
    bool steps_over;
} karat_front;

typedef struct karat_debug_config {
    uint32_t num_warp;  /* warp handles of the model */
    unsigned snapshots; /* at most; 0: 24 */
    uint64_t interval;  /* events from one to the next, at first; 0: 65536 */
    const char *source; /* of the run: "model", "recording", "core" */
    /* Write the report of a failure that has been found, if any; NULL: there is no checker. */
    void (*report)(void *context, FILE *out);
    void *context;      /* of report */
    size_t shared_size; /* of memory for the front end that does not go back: karat_debugger_shared() */
} karat_debug_config;

/* NULL: memory is short. */
karat_debugger *karat_debugger_create(const karat_debug_config *config);
void karat_debugger_destroy(karat_debugger *debugger);
/* All zeros at first. */
void *karat_debugger_shared(const karat_debugger *debugger);

/* As karat_timeline_start(). The front end must exist by now, and its descriptors. */
bool karat_debugger_start(karat_debugger *debugger, const karat_front *front, int *status);

/* --- Reports of the run --- */

/* A kernel begins. What its names point to must live as long as it runs. */
void karat_debugger_kernel(karat_debugger *debugger, const machine_kernel *kernel);
/* As karat_machine_launch(). */
machine_warp *karat_debugger_launch(karat_debugger *debugger, const karat_model *model, uint32_t handle,
                                    uint32_t workgroup, uint32_t warp, const karat_launch_desc *desc);
void karat_debugger_step(karat_debugger *debugger, uint32_t handle, const karat_commit *commit);
void karat_debugger_record(karat_debugger *debugger, uint32_t handle, const void *record);
/* The checker has found a mismatch; text: one line. */
void karat_debugger_mismatch(karat_debugger *debugger, uint32_t handle, const char *text);
/* All is ready for the first event: the first stop. */
void karat_debugger_begin(karat_debugger *debugger);
/* An event is over. May go back, and may end the process. */
void karat_debugger_event(karat_debugger *debugger);
/* The run has come to its end, with that status; text says how, in one line. Does not return. */
_Noreturn void karat_debugger_end(karat_debugger *debugger, int status, const char *text);
/* Whether the run has been here before: what it prints, it has printed. */
bool karat_debugger_is_replay(const karat_debugger *debugger);

/* --- For front ends --- */

karat_machine *karat_debugger_machine(const karat_debugger *debugger);
karat_stops *karat_debugger_stops(const karat_debugger *debugger);
uint64_t karat_debugger_position(const karat_debugger *debugger);
const karat_timeline *karat_debugger_timeline(const karat_debugger *debugger);
/* The thread that commands are about; live, or 0 where none is. */
uint32_t karat_debugger_thread(const karat_debugger *debugger);
void karat_debugger_select(karat_debugger *debugger, uint32_t thread);
const karat_debug_config *karat_debugger_config(const karat_debugger *debugger);
/* How the run has ended, in one line; NULL: it has not. */
const char *karat_debugger_ended(const karat_debugger *debugger);

#endif
