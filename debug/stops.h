/* Places and events at which a run stops: breakpoints, watchpoints and catchpoints, with conditions. All in fixed room, since they are kept
 * in memory that several processes share (timeline.h). */
#ifndef KARAT_DEBUG_STOPS_H
#define KARAT_DEBUG_STOPS_H

#include "machine.h"

enum { STOPS_MAX = 128, STOPS_TERMS = 6, STOPS_TEXT = 160, STOPS_PASSED = 64 };

typedef enum stop_kind {
    STOP_BREAK,        /* a warp's next instruction is at addr */
    STOP_WATCH,        /* a warp changes memory */
    STOP_READ_WATCH,   /* loads it */
    STOP_ACCESS_WATCH, /* loads or stores it, whatever the value */
    STOP_REGISTER,     /* a warp's register changes */
    STOP_CATCH         /* an event: caught */
} stop_kind;

/* Events, as bits of karat_stop.caught. */
enum {
    CATCH_DIVERGE = 1,    /* a VBRANCH has divided the threads */
    CATCH_RECONVERGE = 2, /* a JOIN has popped */
    CATCH_BARRIER = 4,    /* a warp has arrived at a barrier */
    CATCH_RELEASE = 8,    /* the last one has: all go on */
    CATCH_LAUNCH = 16,    /* a warp was launched */
    CATCH_END = 32,       /* a warp has ended */
    CATCH_ERROR = 64,     /* a program error */
    CATCH_MISMATCH = 128  /* the checker has found one */
};
/* The word of an event's bit number; NULL: there is no such. */
const char *karat_stops_event(unsigned bit);

/* A condition: all of its terms hold. */
typedef struct stop_term {
    enum { TERM_WORKGROUP, TERM_WARP, TERM_THREAD, TERM_REGISTER } of;
    machine_register reg;
    uint32_t lane;
    enum { TERM_EQUAL, TERM_OTHER, TERM_LESS, TERM_MORE, TERM_AT_MOST, TERM_AT_LEAST } how;
    uint32_t value;
} stop_term;

typedef struct karat_stop {
    uint32_t number; /* 0: free */
    stop_kind kind;
    bool once;           /* goes away after the first stop */
    bool from_gdb;       /* gdb's: not in lists, and removed by place */
    bool lifted;         /* does not stop: who comes by is noted in karat_stops.passed */
    uint32_t addr;       /* STOP_BREAK */
    machine_place place; /* memory: */
    uint32_t size,
        workgroup; /* bytes; of local memory: of which workgroup. Private memory: of which thread, too */
    uint32_t thread;
    machine_register reg; /* STOP_REGISTER: of that thread, or 0: of any; */
    uint32_t lanes;       /* in any of these */
    uint32_t caught;
    uint32_t num_terms;
    stop_term term[STOPS_TERMS];
    char text[STOPS_TEXT]; /* as it was entered */
} karat_stop;

/* A thread that has come to a lifted breakpoint. */
typedef struct stop_passed {
    uint32_t thread, addr;
} stop_passed;

typedef struct karat_stops {
    uint32_t num_passed;
    stop_passed passed[STOPS_PASSED];
    uint32_t last; /* number */
    uint32_t num;  /* entries of at[] that may be in use */
    karat_stop at[STOPS_MAX];
} karat_stops;

/* A new one, a copy of *stop with a number of its own; NULL: there are too many. */
karat_stop *karat_stops_add(karat_stops *stops, const karat_stop *stop);
/* False: there is none of that number. */
bool karat_stops_remove(karat_stops *stops, uint32_t number);

/* --- Text. False with one line in *diag. --- */

/* An address of code: 0x80000010, a symbol with or without +OFFSET, FILE:LINE, or LINE of the only file. */
bool karat_stops_location(const machine_kernel *kernel, const char *text, uint32_t *addr, karat_diag *diag);
/* A number, or a symbol with or without +OFFSET. */
bool karat_stops_address(const machine_kernel *kernel, const char *text, uint64_t *addr, karat_diag *diag);
/* Memory: [global:|lds:|private[LANE]:]ADDRESS. */
bool karat_stops_memory(const machine_kernel *kernel, const char *text, machine_place *place,
                        karat_diag *diag);
/* A register with or without a lane: x5, v3, v3[2], mask. *lanes: that lane, or all. */
bool karat_stops_register(const char *text, machine_register *reg, uint32_t *lanes, karat_diag *diag);
/* A condition: TERM [and TERM]..., of workgroup=, warp=, thread=, and registers compared with == != < > <= >= to a number. */
bool karat_stops_condition(const machine_kernel *kernel, const char *text, karat_stop *stop,
                           karat_diag *diag);

/* --- Events --- */

/* The reason of a stop. */
typedef enum stop_reason_kind {
    REASON_START,     /* of the session */
    REASON_STOP,      /* a karat_stop */
    REASON_STEP,      /* a number of steps was taken */
    REASON_INTERRUPT, /* of the user */
    REASON_ARRIVED,   /* at the position that was asked for */
    REASON_BEGIN,     /* of the run, going back */
    REASON_END        /* of the run */
} stop_reason_kind;
typedef struct stop_reason {
    stop_reason_kind kind;
    uint32_t stop; /* number; */
    stop_kind of;
    uint32_t caught;
    uint32_t thread;       /* of the event; 0: of none */
    uint64_t addr;         /* memory watchpoints: what is watched, as it was given */
    char name[STOPS_TEXT]; /* of the stop */
    bool before;           /* the place for it, going back, is before the event: watchpoints */
    char text[2 * STOPS_TEXT];
} stop_reason;

/* The first of the stops that the step of that warp is; false: none is. The model is in the state after it. */
bool karat_stops_step(karat_stops *stops, const karat_machine *machine, uint32_t handle,
                      const karat_commit *commit, stop_reason *reason);
/* The same of an event without a step: CATCH_LAUNCH (where a breakpoint may be at the warp's first instruction), CATCH_MISMATCH. */
bool karat_stops_event_is(karat_stops *stops, const karat_machine *machine, uint32_t handle, uint32_t caught,
                          stop_reason *reason);

#endif
