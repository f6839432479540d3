/* Scenes of two warps: what their accesses may see of each other.
 *
 * A scene is a program for each of two warps of a workgroup and an order in which things happen: issue()
 * takes a warp's next instruction, perform() says that a memory access of it was performed, result() that
 * its register was written, with that value. */
#ifndef TWO_WARPS_H
#define TWO_WARPS_H

#include "judge.h"
#include "scene.h"

#define FLAG        4 /* Of a second word, after SHARED */
#define MAX_PENDING 96

typedef struct access {
    uint32_t seq;
    karat_commit commit;
} access;

typedef struct scene {
    uint32_t left, mask; /* SHARED in the end, in the bits of mask; 0: CONTENTS does not say */
    program p;
    stream s;
    karat_model *model;
    uint64_t cycle;
    struct {
        uint32_t seq, num;
        access pending[MAX_PENDING]; /* Memory instructions, in order of issue */
    } warp[2];
} scene;

/* The properties of the next scene's core, and its judgement. */
extern uint32_t mem_order; /* KARAT_ORDER_* */
#define PROPS (KARAT_PROP_FLUSHED | KARAT_PROP_COHERENT)
extern uint32_t props;  /* PROPS at first */
extern uint32_t strict; /* KARAT_STRICT_* */
extern bool without_writes;
extern uint32_t failures; /* 1 at first */

/* The core's records of AMOs besides their results: MEM with what they wrote, MEM alone, nothing. */
enum { TELLS_DATA, TELLS_MEM, TELLS_NOTHING };
extern int tells;

/* So many other stores come before that record. */
extern size_t age_at;
extern uint32_t age_by;

void add(scene *t, const record *r);
void issue(scene *t, uint32_t warp);
/* The nth memory instruction of a warp is performed; stored: what it writes, where it does. */
void perform_as(scene *t, uint32_t warp, uint32_t n, uint8_t op, uint32_t stored);
void perform(scene *t, uint32_t warp, uint32_t n);
/* The nth memory instruction's result is written. */
void result(scene *t, uint32_t warp, uint32_t n, uint32_t value);
/* Both warps up to their parts. */
void begin(scene *t);
/* Issue up to and including the next instruction of that row. Returns the number of the memory
 * instruction. */
uint32_t take(scene *t, uint32_t warp, const char *row);

/* The sets of a FENCE. */
enum { WRITE = 1, READ = 2 };

typedef struct wanted {
    const char *line;
    int64_t unordered, reordered, sc_failed;
} wanted;
extern const wanted pass, unordered, wrong_memory, wrong_value, out_of_order;

/* Whatever is left, and the verdict. */
outcome judge_scene(scene *t);
outcome finish(scene *t, const wanted *want);
void ends(scene *t, const wanted *want); /* finish(), and no more of it */

/* Every core that provides less than all in the order of performance has to be judged as well as it can
 * be. */
typedef void scenes(void);
void with_less(scenes *play);

/* Each warp adds to a word that holds 1: warp 0 5, warp 1 6. */
scene adders(const char *row);

typedef struct insn {
    const char *row;
    int32_t operand[5];
    size_t num;
} insn;
#define INSN(row, ...)                                                                                       \
    { row, {__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / 4 }
#define MAX_INSN 64

/* Two words at x20 hold 1 and 0. Then each warp does its part: x21 is 1, x22 5, x23 the second word's
 * address; lane i has i * 0x101 in v9, and the first word's address in v8. */
scene two_parts(const insn *first, const insn *second);
/* Some lanes of a vector store in one MEM. */
void perform_some(scene *t, uint32_t warp, uint32_t n, uint32_t lanes);
void perform_lanes(scene *t, uint32_t warp, uint32_t n); /* All of them */
/* The host writes some bytes of two words after one AMO and before another. */
void say_host(scene *t, uint64_t addr, const uint8_t *bytes, uint32_t length);

#endif
