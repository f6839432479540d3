/* The registers that each warp has written, for karat_sched_result.unwritten. */
#ifndef KARAT_UNWRITTEN_H
#define KARAT_UNWRITTEN_H

#include "karat/model.h"
#include "karat/sched.h"

typedef struct unwritten {
    uint32_t (*written)[KARAT_NUM_X + KARAT_NUM_V]; /* By warp handle: lanes of each register */
    karat_reg_set
        *whole; /* By warp handle: registers all lanes of which are written, whatever *written says */
} unwritten;

/* For the warp handles of that model. False: memory is short. */
bool unwritten_begin(unwritten *u, const karat_model *model);
void unwritten_end(unwritten *u);
/* Registers all lanes of which are written, as karat_slice.written has them: further ones may be entered. */
static inline karat_reg_set *unwritten_set(const unwritten *u, uint32_t handle) {
    return &u->whole[handle];
}
void unwritten_launch(unwritten *u, uint32_t handle);
/* Adds the uses of a step to *uses. */
void unwritten_step(unwritten *u, const karat_model *model, uint32_t handle, const karat_commit *commit,
                    karat_unwritten_uses *uses);

#endif
