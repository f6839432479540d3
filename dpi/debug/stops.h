/* Places and events at which a run stops: breakpoints, watchpoints and catchpoints, with conditions. All
 * in fixed room, since they are kept in memory that several processes share (timeline.h). */
#ifndef KARAT_DEBUG_STOPS_H
#define KARAT_DEBUG_STOPS_H

#include "machine.h"

enum { STOPS_MAX = 128, STOPS_TERMS = 6, STOPS_TEXT = 160, STOPS_PASSED = 64, STOPS_ALSO = 8 };
#define STOPS_ALL_LANES UINT32_MAX

typedef enum stop_kind {
    STOP_BREAK,        /* A warp's next instruction is at addr */
    STOP_WATCH,        /* A warp changes memory */
    STOP_READ_WATCH,   /* Loads it */
    STOP_ACCESS_WATCH, /* Loads or stores it, whatever the value */
    STOP_REGISTER,     /* A warp's register changes */
    STOP_CATCH         /* An event: caught */
} stop_kind;

/* Events, as bits of karat_stop.caught. */
enum {
    CATCH_DIVERGE = 1,    /* A VBRANCH has divided the threads */
    CATCH_RECONVERGE = 2, /* A JOIN has popped */
    CATCH_BARRIER = 4,    /* A warp has arrived at a barrier */
    CATCH_RELEASE = 8,    /* The last warp has arrived at a barrier: all go on */
    CATCH_LAUNCH = 16,    /* A warp was launched */
    CATCH_END = 32,       /* A warp has ended */
    CATCH_ERROR = 64,     /* A program error */
    CATCH_MISMATCH = 128  /* The checker has found a mismatch */
};
/* The word of an event's bit number; NULL: there is no such. */
const char *karat_stops_event(unsigned bit);

/* A condition: all of its terms hold. */
typedef struct stop_term {
    machine_register reg;
    uint32_t lane, value;
    enum { TERM_LESS = 1, TERM_EQUAL = 2, TERM_MORE = 4 } how; /* Any of these */
} stop_term;

typedef struct karat_stop {
    uint32_t number; /* 0: free */
    stop_kind kind;
    bool once;            /* Goes away after the first stop */
    bool from_gdb;        /* Gdb's: not in lists, and removed by place */
    bool lifted;          /* It does not stop: karat_stops.passed has the threads that come by */
    uint32_t addr;        /* STOP_BREAK */
    machine_place place;  /* A watchpoint of memory */
    uint32_t size;        /* Bytes from place on */
    uint32_t workgroup;   /* Whose local memory is watched */
    uint32_t thread;      /* Whose private memory or register is watched; of a register 0: of any */
    machine_register reg; /* STOP_REGISTER */
    uint32_t lanes;       /* STOP_REGISTER: lanes that are watched */
    uint32_t caught;
    uint32_t num_terms;
    stop_term term[STOPS_TERMS];
    char text[STOPS_TEXT]; /* As it was entered */
} karat_stop;

typedef struct karat_stops {
    uint32_t num_passed;
    struct {
        uint32_t thread, addr;
    } passed[STOPS_PASSED]; /* Threads that have come to a lifted breakpoint */
    uint32_t last;          /* Number of the stop that was added last */
    uint32_t num;           /* Entries of at[] that may be in use */
    karat_stop at[STOPS_MAX];
} karat_stops;

/* A new one, a copy of *stop with a number of its own; NULL: there are too many. */
karat_stop *karat_stops_add(karat_stops *stops, const karat_stop *stop);
/* False: there is none of that number. */
bool karat_stops_remove(karat_stops *stops, uint32_t number);

/* --- Text. False with one line in *diag. --- */

/* A number that is all of the text, decimal or with 0x; false: it is none, without a line. */
bool karat_stops_number(const char *text, uint64_t *value);
/* A number as that, or one below 0, that fits into bits bits, 8 to 32: *value is modulo 2^64. */
bool karat_stops_value(const char *text, unsigned bits, uint64_t *value);
/* An address of code: 0x80000010, a symbol with or without +OFFSET, FILE:LINE, or LINE of the only file. */
bool karat_stops_location(const machine_kernel *kernel, const char *text, uint32_t *addr, karat_diag *diag);
/* Memory: [global:|lds:|private[LANE]:]ADDRESS, where ADDRESS is a number, or a symbol with or without
 * +OFFSET. *place has the space of an address without one. */
bool karat_stops_memory(const machine_kernel *kernel, const char *text, machine_place *place,
                        karat_diag *diag);
/* Whether the kernel's warps have that lane. text: what names it. */
bool karat_stops_lane(const machine_kernel *kernel, const char *text, uint64_t lane, karat_diag *diag);
/* A register with or without a lane: x5, v3, v3[2], mask. *lanes: that lane, or STOPS_ALL_LANES. */
bool karat_stops_register(const machine_kernel *kernel, const char *text, machine_register *reg,
                          uint32_t *lanes, karat_diag *diag);
/* A condition: TERM [and TERM]..., of registers, wg, warp and thread, compared with == != < > <= >= to a
 * number, and lane=NUMBER: it runs. */
bool karat_stops_condition(const machine_kernel *kernel, const char *text, karat_stop *stop,
                           karat_diag *diag);

/* --- Events --- */

/* The reason of a stop. */
typedef enum stop_reason_kind {
    REASON_START,     /* Of the session */
    REASON_STOP,      /* A karat_stop */
    REASON_STEP,      /* A number of steps was taken */
    REASON_INTERRUPT, /* Of the user */
    REASON_ARRIVED,   /* At the position that was asked for */
    REASON_BEGIN,     /* Of the run, going back */
    REASON_END        /* Of the run */
} stop_reason_kind;
typedef struct stop_reason {
    stop_reason_kind kind;
    uint32_t stop; /* Number of the stop */
    stop_kind of;  /* Kind of the stop */
    uint32_t caught;
    bool from_gdb;
    uint32_t thread;       /* Thread of the event; 0: it has none */
    uint32_t lane;         /* 1 more than the lane of the event; 0: it is of no single lane */
    uint64_t addr;         /* Memory watchpoints: what is watched, as it was given */
    char name[STOPS_TEXT]; /* Of the stop */
    bool before;           /* Going back, the run stops before the event: watchpoints */
    char text[2 * STOPS_TEXT];
    uint32_t num_also;
    uint32_t also[STOPS_ALSO]; /* Numbers of further stops at the place, as many as there is room for */
} stop_reason;

/* A further stop is at the place of *reason. */
void karat_stops_also(stop_reason *reason, const stop_reason *further);
/* Those that are for once, and that this reason has, go away. */
void karat_stops_spend(karat_stops *stops, const stop_reason *reason);
/* The events that a step is. */
uint32_t karat_stops_caught(const karat_commit *commit);
/* The next of the stops that an event of that warp is, from number *i on (at first 0): false: none is.
 * commit: of the step; the model is in the state after it. NULL: an event without a step, CATCH_LAUNCH
 * (where a breakpoint may be at the warp's first instruction) or CATCH_MISMATCH. */
bool karat_stops_next(karat_stops *stops, const karat_machine *machine, const machine_warp *w,
                      const karat_commit *commit, uint32_t caught, uint32_t *i, stop_reason *reason);

#endif
