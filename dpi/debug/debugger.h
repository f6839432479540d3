/* The debugger of a run that goes on in both directions.
 *
 *  1. The program that runs something makes one (open.h) and calls karat_debugger_start(). What follows is
 *     in a process of its own (timeline.h).
 *  2. It reports launches, steps, records and the end of each event. karat_debugger_event() returns when
 *     the run is to go on.
 *  3. Where the run has to stop, the front end is asked what next (karat_front.next): the commands of a
 *     person or a script, or gdb.
 *  4. Going back wakes an earlier process of the run, which takes the same steps again, up to where it is
 *     to stop.
 *
 *  5. The user may write to registers and memory of a model that runs alone: a branch of the run
 *     (writes.h). */
#ifndef KARAT_DEBUGGER_H
#define KARAT_DEBUGGER_H

#include "packet.h"
#include "stops.h"
#include "timeline.h"
#include "writes.h"

typedef struct karat_debugger karat_debugger;

/* How to go on. */
typedef struct karat_resume {
    enum {
        RESUME_CONTINUE,
        RESUME_STEP,         /* Until that thread has taken count steps; the others run as well */
        RESUME_REVERSE,      /* To the last stop before this place */
        RESUME_REVERSE_STEP, /* To before the last count steps of that thread */
        RESUME_GO_TO,        /* Position count */
        RESUME_QUIT          /* With status count, or, where that is 0, that of the run */
    } how;
    uint32_t thread; /* Of the steps; going back: or KARAT_ANY_THREAD */
    uint64_t count;
    uint32_t lane; /* 1 more than the lane whose steps are meant; 0: the warp's */
} karat_resume;
#define KARAT_ANY_THREAD UINT32_MAX

/* The front end: it asks and answers. */
typedef struct karat_front {
    void (*begin)(void); /* Before the start; NULL: nothing is to be done */
    /* The run has stopped: show it, and take orders until one makes it go on. */
    void (*next)(karat_debugger *debugger, const stop_reason *reason, karat_resume *resume);
    /* Whether the user wants it to stop; called now and then while it runs. */
    bool (*interrupted)(karat_debugger *debugger);
    /* At a watchpoint, stop on the near side of the access, seen in the direction of travel: the front end
     * then takes a step over it, as gdb does for RISC-V. Else on the far side. */
    bool steps_over;
} karat_front;
/* Commands of a person at a terminal, of a pipe, or of a list: prompt.c. */
extern const karat_front karat_prompt_front;
/* Gdb's remote protocol, for one client: gdb.c. */
extern const karat_front karat_gdb_front;

typedef struct karat_debug_config {
    uint32_t num_warp;  /* Warp handles of the model */
    unsigned snapshots; /* At most; 0: 24 */
    const char *source; /* Of the run: "model", "recording", "core" */
    /* Write the report of a failure that has been found, if any; NULL: there is no checker. */
    void (*report)(void *context, FILE *out);
    void *context; /* Of report */
    const char *
        /* Commands between ';' or newlines: at their end, or at one that fails, the run ends; NULL: of
         * standard input */
        batch;
    bool lanes; /* A thread of gdb is a lane of a warp, else a warp */
    int client; /* Of gdb, a connected socket; -1: a prompt or a batch */
} karat_debug_config;

/* State that does not go back with the run: memory of all its processes. Zeros at first. */
typedef struct debug_shared {
    enum {
        MODE_STOPPED,
        MODE_CONTINUE,
        MODE_STEP, /* Until `thread` has taken `steps` in all, or has ended */
        MODE_GO,   /* To `goal`, where `reason` is that of the stop */
        MODE_SCAN, /* Over (low, high], for the last stop before `from` */
        MODE_BACK  /* From `low` to before step number `steps` of `thread` */
    } mode;
    uint32_t thread, step_lane; /* As in karat_resume */
    uint64_t steps, goal, from, low, high;
    uint64_t found; /* MODE_SCAN: the last place, where `reason` is of one */
    stop_reason reason;
    uint64_t furthest;   /* The run has been there */
    uint32_t selected;   /* The thread that commands are about; live, or 0 where none is */
    machine_space space; /* Space of addresses that name none */
    uint32_t lane;       /* Lane whose private memory is meant where an address names none */
    karat_stops stops;
    debug_writes writes;
    struct {
        size_t done; /* Of the batch */
        size_t used;
        char history[1 << 16]; /* Lines that were entered, each with its NUL */
    } prompt;
    struct {
        bool no_ack, running;
        uint32_t lane;     /* Lane of the selected thread */
        uint32_t focus;    /* The thread that the user has selected last */
        uint32_t ahead;    /* Lanes of the thread ahead_of that have taken the step, others have not */
        uint32_t ahead_of; /* Thread whose lanes are stepped one by one */
        stop_reason reason;
        karat_packets in;
    } gdb;
} debug_shared;

struct karat_debugger {
    karat_debug_config config;
    karat_timeline *timeline;
    debug_shared *shared;
    karat_machine *machine;
    const karat_front *front;
    bool hit;           /* This event is a stop */
    stop_reason reason; /* The reason of this event's stop, with hit */
    bool near;          /* The event just over was one that the front end steps over */
    uint32_t launched;  /* Launches before this event */
    const char *ended;  /* How the run has ended, in one line; NULL: it has not */
    int status;
};

/* NULL: memory is short, and config->client is the caller's still. */
karat_debugger *karat_debugger_create(const karat_debug_config *config);
void karat_debugger_destroy(karat_debugger *debugger);

/* As karat_timeline_start(): true in the run, false with *status once it is over. */
bool karat_debugger_start(karat_debugger *debugger, int *status);

/* --- Reports of the run, beside those to d->machine of kernels, launches and records --- */

void karat_debugger_step(karat_debugger *debugger, uint32_t handle, const karat_commit *commit);
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

/* Make that write here. False with one line in *diag. */
bool karat_debugger_write(karat_debugger *debugger, debug_write write, const void *bytes, karat_diag *diag);
/* Flush the output; false: it cannot be written, and the run is to end. */
bool karat_debugger_flush(void);
/* Let commands be about that thread, or where it is not live, about the first that is. */
void karat_debugger_select(karat_debugger *debugger, uint32_t thread);

#endif
