/* Which warps of a grid the warps in a core's slots are, from what the log of each tells. */
#ifndef KARAT_PLACE_H
#define KARAT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

enum { PLACE_LABELS = 2, PLACE_WARPS = 64 };
#define PLACE_NONE UINT32_MAX

/* A warp's life in a slot. */
typedef struct place_life {
    /* What is known of it. */
    uint32_t sm;
    uint64_t warps;               /* of its workgroup, a bit each: which of them it may be */
    uint8_t labelled;             /* bit i: label[i] */
    uint32_t label[PLACE_LABELS]; /* the same in all warps of a workgroup */
    /* What was found. */
    uint32_t workgroup, warp; /* PLACE_NONE: nothing that goes with the others */
    bool sure;                /* what it tells itself leaves no other */
    uint32_t below;           /* while it is looked for: who joined the workgroup before */
} place_life;

/* Whether what that life tells goes with that workgroup. */
typedef bool place_fits(const void *context, uint32_t life, uint32_t workgroup);

/* Find a warp for each life, so that no two have the same, that what they tell holds, and that a workgroup's are on one
 * SM and have its labels.  Lives that tell the same are taken in their order.  Where a life goes with none of the others' places
 * (the core is wrong), it is left out.  False: memory is short. */
bool place_lives(place_life *lives, uint32_t num_lives, uint32_t num_groups, uint32_t group_size,
                 place_fits *fits, const void *context);

#endif
