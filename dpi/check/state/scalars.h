/* Scalar registers across the paths of a divergence: what one path has written and another one reads
 * before they meet again.
 *
 * A thread sees a program of its own: the instructions of its paths.  A scalar register that another path
 * has written since the two parted, and its own has not, holds for that program what it held before.  The
 * warp has one register for all, and so the path that runs second reads what the first has left.  That is
 * legal, and what a compiler has to avoid: the rule is in docs/triage.md, "Scalar registers and paths". */
#ifndef KARAT_SCALARS_H
#define KARAT_SCALARS_H

#include "karat/karat.h"

typedef struct karat_scalars karat_scalars;

/* An instruction of the warp; seq: its number since the launch. */
typedef struct karat_scalar_place {
    uint32_t seq, pc, word, prefix;
} karat_scalar_place;

/* A register that was read so. */
typedef struct karat_scalar_use {
    uint16_t reg;
    uint32_t lanes;           /* Lanes that read it and whose paths have not written its value */
    uint32_t value;           /* Value that the lanes read */
    uint32_t meant;           /* Value that the paths of the lowest of the lanes have left */
    karat_scalar_place write; /* The instruction of another path that wrote the value */
    karat_scalar_place apart; /* The VBRANCH that parted the two paths */
} karat_scalar_use;

typedef enum karat_scalar_answer {
    KARAT_SCALARS_RIGHT,
    KARAT_SCALARS_USED, /* The step reads such a register */
    KARAT_SCALARS_NO_MEMORY
} karat_scalar_answer;

/* For warp handles 0 to num_warp - 1 of a model with that many threads a warp. NULL: out of memory. */
karat_scalars *karat_scalars_create(uint32_t num_warp, uint32_t num_thread);
void karat_scalars_destroy(karat_scalars *scalars); /* May be NULL */
/* A warp is launched under that handle. */
void karat_scalars_launch(karat_scalars *scalars, uint32_t warp);
/* It has taken a step: to be called for every one since its launch. KARAT_SCALARS_USED: *use says of the
 * first such register. */
karat_scalar_answer karat_scalars_step(karat_scalars *scalars, uint32_t warp, const karat_commit *commit,
                                       karat_scalar_use *use);
/* A use in words, one line that begins with "it reads"; 320 bytes hold it. */
void karat_scalars_describe(const karat_scalar_use *use, karat_profile profile, char *text, size_t size);

#endif
