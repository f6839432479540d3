/* Where the warps of a run are that has not come to its end: one maker of text and JSON, for `karat run`
 * and for the checker's report.  Who has the warps fills in a karat_places; what their programs are called
 * comes from a karat_naming. */
#ifndef KARAT_WARP_PLACES_H
#define KARAT_WARP_PLACES_H

#include <stdio.h>

#include "karat/karat.h"
#include "karat/lines.h"

struct json_t;

/* The instruction there, with its prefix (0: none), after which *pc is then; ptbr: of the warp's address
 * space, in a model with translation. False: no memory is there. */
bool karat_fetch_insn(const karat_model *model, uint64_t ptbr, uint32_t *pc, uint32_t *prefix,
                      uint32_t *word);

/* The loop that a warp goes round, as its last instructions show it. */
typedef struct karat_loop {
    uint32_t
        /* Whole ones that were seen, all alike; 1: it has come by its place before; 0: no loop is known */
        turns;
    uint32_t length;      /* Instructions of one turn */
    uint32_t first, last; /* Lowest and highest pc of one turn */
} karat_loop;

/* In pc are those of the last num instructions, the oldest first. */
karat_loop karat_loop_of(const uint32_t *pc, uint32_t num);
/* The loop in a ring of the last KARAT_TRAIL instructions, where instruction i is at i % KARAT_TRAIL, of
 * num ever. */
karat_loop karat_loop_of_trail(const uint32_t ring[KARAT_TRAIL], uint64_t num);

/* A live warp. */
typedef struct karat_warp_place {
    uint32_t workgroup, warp; /* Of the grid; within the workgroup */
    bool in_slot;             /* Of a core: in that slot, last heard of in that cycle */
    uint32_t sm, slot;
    uint64_t heard;
    uint32_t pc, prefix,
        word; /* Of the instruction that it waits in, or that is its next; fetched: there is one */
    bool fetched;
    uint32_t mask, depth;
    karat_simt_entry top; /* Where depth is not 0 */
    bool at_barrier;      /* The warp waits at a barrier for others */
    char *waits; /* All else that it waits for, in words; NULL: nothing is known. Owned by karat_places */
    karat_loop loop;
    uint32_t kind; /* karat_places_sort(): the first that is in the same place */
} karat_warp_place;

/* Of one kernel. Zeros: none. */
typedef struct karat_places {
    karat_warp_place *at;
    uint32_t num;
    uint32_t wg_size;
    bool lost; /* Memory was short: there are more */
} karat_places;

void karat_places_free(karat_places *places);

/* Add a warp: pc, mask, stack and whether it waits at a barrier come from its view of the model, with the
 * instruction there. barrier_pc: of the BARRIER, which pc is after. The caller fills in the rest. NULL:
 * memory is short. */
karat_warp_place *karat_places_add(karat_places *places, const karat_model *model,
                                   const karat_warp_view *view, const uint32_t *barrier_pc);

/* All are there: put them in order of workgroup and warp, and find those that are in the same place. */
void karat_places_sort(karat_places *places);

/* Symbols and source lines of the kernel that runs; either may be NULL. */
typedef struct karat_naming {
    const karat_kernel *kernel;
    const karat_lines *lines;
    karat_profile profile;
} karat_naming;

/* "vecadd.c:42 in vecadd  ", or nothing where the line is not known. */
void karat_put_line(FILE *out, const karat_naming *names, uint32_t pc);
/* Symbol and source line as members of an object, as far as they are known; the line alone. */
void karat_json_names(struct json_t *object, const karat_naming *names, uint32_t pc);
void karat_json_line(struct json_t *object, const karat_naming *names, uint32_t pc);
/* "0x80000010 <main+0x8>" */
void karat_put_place(FILE *out, const karat_naming *names, uint32_t pc);

/* A block for each warp, or for all that are in the same place: workgroup, warp, source line, pc,
 * instruction, mask, stack, the barrier and who has arrived, what it waits for, its loop.  The first line
 * begins with first, the others with indent. At most num lines, the last of which says how much is left
 * out. */
void karat_places_put(FILE *out, const karat_places *places, const karat_naming *names, const char *first,
                      const char *indent, uint32_t num);
/* How many lines that takes where there is room for all. */
uint32_t karat_places_lines(const karat_places *places);

/* Every warp by itself (docs/report.schema.json, "warp"): an array, the caller's. */
struct json_t *karat_places_json(const karat_places *places, const karat_naming *names);

#endif
