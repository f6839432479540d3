/* The signature that each warp makes of its registers, and the last instructions of a random program. Only random.c uses it. */
#ifndef KARAT_RANDOM_END_H
#define KARAT_RANDOM_END_H

#include "gen.h"

/* Add some results to the signature, the last ones among them: later instructions may overwrite them. */
void end_fold_some(gen *g);
/* Fold all registers into the signature and store it: vector registers thread by thread, scalar registers into one word. */
void end_signature(gen *g);
/* End the warp, with results and stores under way and settings that differ from those at launch: the next warp in the slot must not
 * see them. */
void end_warp(gen *g);

#endif
