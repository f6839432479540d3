/* The assignment of the warps in a core's slots to warps of a grid, from the log of each. */
#ifndef KARAT_SLOT_LIVES_H
#define KARAT_SLOT_LIVES_H

#include <stdbool.h>
#include <stdint.h>

enum { SLOT_LIFE_LABELS = 2, SLOT_LIFE_WARPS = 64 };
#define SLOT_LIFE_NONE UINT32_MAX

/* A warp's life in a slot. */
typedef struct slot_life {
    /* Its identification. */
    uint32_t sm;
    uint64_t warps;                   /* Warps of its workgroup that it may be, a bit each */
    uint8_t labelled;                 /* Bit i: label[i] */
    uint32_t label[SLOT_LIFE_LABELS]; /* Labels, which are the same in all warps of a workgroup */
    /* The result. */
    uint32_t workgroup, warp; /* SLOT_LIFE_NONE: no warp that is consistent with the others */
    bool sure;                /* The identification permits no other warp */
    uint32_t below;           /* During the search: the life that joined the workgroup before */
} slot_life;

/* Whether that life's identification fits that workgroup. */
typedef bool slot_life_fits(const void *context, uint32_t life, uint32_t workgroup);

/* Find a warp for each life, so that no two have the same, their identifications hold, and those of a
 * workgroup are on one SM with its labels. Lives with equal identification are taken in their order. A life
 * that is inconsistent with all places of the others (the core is wrong) is left out.  False: memory is
 * short. */
bool assign_slot_lives(slot_life *lives, uint32_t num_lives, uint32_t num_groups, uint32_t group_size,
                       slot_life_fits *fits, const void *context);

#endif
