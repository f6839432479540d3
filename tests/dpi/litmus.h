/* Tiny programs whose warps race, by seed; a core that runs one in some order that is allowed, or not; and
 * what the design page and docs/triage.md ("Races and the order of memory") make of that, by brute force.
 * None of it is the checker's own reasoning.
 *
 *  1. litmus_draw() makes a program of a few accesses to two words of device memory and two of local
 *     memory.
 *  2. litmus_play() performs them in a drawn order, and leaves records for a checker and the events that
 *     they stand for. It changes something where it is asked to.
 *  3. litmus_judge() says from the events alone before which a failure may not come, and by which one has
 *     to. */
#ifndef LITMUS_H
#define LITMUS_H

#include "scene.h"

enum {
    MAX_WARP = 4,
    MAX_OP = 10,         /* Of a warp */
    LANES = 4,           /* num_thread */
    AREA = 8,            /* Bytes of each space that are raced for */
    MAX_BYTE = 5 * AREA, /* Device memory, then each workgroup's local memory */
    MAX_EVENT = 160,
    NOT_YET = MAX_EVENT
};

#define LITMUS_BASE (DATA_BASE + 0x3000)

typedef enum op_kind { OP_LOAD, OP_STORE, OP_AMO, OP_LR, OP_SC, OP_FENCE, OP_BARRIER, OP_USE } op_kind;

typedef struct op {
    op_kind kind;
    bool vector, sign, aq, rl, tso;
    uint8_t bytes, num;     /* Of a lane; lanes */
    uint8_t amo;            /* funct5 */
    uint8_t before, behind; /* FENCE: bit 1 reads, bit 0 writes */
    uint8_t at[LANES];      /* The first byte, of all MAX_BYTE */
    uint32_t value[LANES];  /* Stored; operand */
    uint8_t reg;            /* Of the result; 0: none */
    uint8_t source;         /* USE: number of the op whose result it reads */
    uint8_t barrier_phase;  /* Barriers before it */
    uint32_t pc;
} op;

typedef struct litmus {
    program code;
    core_options options;
    stream head; /* Of every play */
    uint32_t num_warp, wg_size;
    struct {
        op at[MAX_OP];
        uint32_t num;
    } warp[MAX_WARP];
    /* The core. */
    uint8_t mem_order;
    bool tells, tells_data, ascending;
    uint8_t initial[MAX_BYTE];
} litmus;

/* The input of the checker. */
typedef enum event_kind {
    EV_ISSUE,
    EV_MEM, /* Lanes; value: what an AMO has written; in the order of performance that is when it happens */
    EV_RESULT, /* Value */
    EV_LEFT    /* Value: bytes 0 to 7 of device memory at the end, as two words */
} event_kind;

typedef struct event {
    event_kind kind;
    uint8_t warp, op;
    uint32_t lanes, value[LANES];
    size_t record; /* In the stream */
} event;

typedef enum wrong {
    WRONG_NOTHING,
    WRONG_RESULT,
    WRONG_DATA,
    WRONG_ORDER,
    WRONG_SC,
    WRONG_LEFT,
    NUM_WRONG
} wrong;

typedef struct play {
    const litmus *l;
    stream s;
    event at[MAX_EVENT];
    uint32_t num;
    uint32_t seq[MAX_WARP][MAX_OP];
    uint32_t racing; /* Results of loads, and memory at the end, that are not those of the order of issue */
    bool changed;
} play;

void litmus_draw(litmus *l, rng *r);
void litmus_free(litmus *l);
void litmus_play(litmus *l, play *p, rng *r, wrong what);
void litmus_show(const play *p);

/* Events: no failure may come before 'may'; there has to be one by 'must'. NOT_YET: none at all. */
typedef struct judgement {
    uint32_t may, must;
    bool gave_up; /* 'may' is where an order was not found, though there may be one: too many */
} judgement;

judgement litmus_judge(const play *p);

/* In the order of performance: accesses that race with the one whose last MEM is that event, the newest
 * first; as warp * MAX_OP + op. Of some the documents do not say: num_sure race by any reading, the newest
 * of which is sure. */
typedef struct races {
    uint32_t num, num_sure;
    uint8_t sure, with[MAX_WARP * MAX_OP];
} races;

/* The first such event of a legal play from that one on; late: of all, as they are judged at the end.
 * Scalar ones race unless some atomic, be it a later one, uses their word, and none race by a word by
 * which warps synchronise. Else of vector accesses, and sure where their word can not be such a one. */
uint32_t litmus_races(const play *p, uint32_t from, bool late, races *found);

/* Judged one event after the other, in the order of performance: what memory holds. */
typedef struct course course;
course *litmus_replay(const play *p); /* To free() */
void litmus_replay_event(course *r);
/* A word, named by its first byte, as it was performed; and when all that was issued is, in the order of
 * issue. False: whether an SC of these stores is open. */
uint32_t litmus_replay_word(const course *r, uint32_t base);
bool litmus_replay_pending(const course *r, uint32_t base, uint32_t *value);
/* Which ops the program puts before which, as warp * MAX_OP + op: by a warp's own order, barriers, and
 * releases that were acquired so far. */
typedef bool order_of_ops[MAX_WARP * MAX_OP][MAX_WARP * MAX_OP];
void litmus_replay_order(const course *r, order_of_ops before);

static inline bool op_accesses(const op *o) {
    return o->kind <= OP_SC;
}
static inline bool op_reads(const op *o) {
    return o->kind == OP_LOAD || o->kind == OP_LR || o->kind == OP_AMO || o->kind == OP_SC;
}
static inline bool op_writes(const op *o) {
    return o->kind == OP_STORE || o->kind == OP_AMO || o->kind == OP_SC;
}
static inline bool op_is_atomic(const op *o) {
    return o->kind == OP_AMO || o->kind == OP_LR || o->kind == OP_SC;
}
/* Lanes i of a and k of b have a byte in common. */
static inline bool lanes_share(const op *a, uint32_t i, const op *b, uint32_t k) {
    return a->at[i] < b->at[k] + b->bytes && b->at[k] < a->at[i] + a->bytes;
}
static inline bool ops_share(const op *a, const op *b) {
    for (uint32_t i = 0; i < a->num; i++)
        for (uint32_t k = 0; k < b->num; k++)
            if (lanes_share(a, i, b, k))
                return true;
    return false;
}
/* The program's demand on one warp's accesses: y, the older, is performed before x; between: FENCEs and
 * BARRIERs. */
bool litmus_ordered(const litmus *l, uint32_t warp, uint32_t y, uint32_t x);
/* Of that, what FENCE, .aq, .rl and BARRIER say. */
bool litmus_demanded(const litmus *l, uint32_t warp, uint32_t y, uint32_t x);

#endif
