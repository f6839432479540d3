/* Uses of registers that a warp has never written, counted as the checker counts them for a core whose registers are not
 * cleared (docs/port.md, "Registers never written"): once for each operand register of an instruction that has such lanes,
 * which count as written from then on. */
#ifndef KARAT_UNWRITTEN_H
#define KARAT_UNWRITTEN_H

#include "karat/karat.h"

enum { UNWRITTEN_PLACES = 32 }; /* the first ones are kept; others are counted only in total */

typedef struct unwritten_use {
    uint32_t pc;
    uint8_t cls;
    uint16_t reg;
    uint64_t count;
} unwritten_use;

typedef struct unwritten {
    uint32_t (*written)[KARAT_NUM_X + KARAT_NUM_V]; /* by warp handle: lanes of each register */
    karat_reg_set
        *whole; /* by warp handle: registers all lanes of which are written, whatever *written says */
    uint64_t uses;
    uint32_t num_places;
    unwritten_use place[UNWRITTEN_PLACES];
} unwritten;

/* For the warp handles of that model. False: memory is short. */
bool unwritten_begin(unwritten *u, const karat_model *model);
void unwritten_end(unwritten *u);
/* Registers all lanes of which are written, as karat_slice.written has them: further ones may be entered. */
static inline karat_reg_set *unwritten_set(const unwritten *u, uint32_t handle) {
    return &u->whole[handle];
}
void unwritten_launch(unwritten *u, uint32_t handle);
void unwritten_step(unwritten *u, const karat_model *model, uint32_t handle, const karat_commit *commit);

#endif
