/* Records of a core that does what a test says, one thing at a time: what happens to memory, and when, is
 * the test's business; all else happens at once, as a model of the test's own says. */
#ifndef SCENE_H
#define SCENE_H

#include "synthetic_core.h"

/* The part of one warp, 0 or another one, in a program that both run: what comes between the two. x7 is
 * the warp's number. */
uint32_t put_part(program *p, uint32_t warp);
void put_end_part(program *p, uint32_t part, uint32_t warp);
/* Of SM 0, epoch 0. */
record make_record(uint32_t slot, uint8_t kind, uint32_t seq);
/* In a cycle of its own. */
void say(stream *s, uint64_t *cycle, const record *r);
/* Copy a commit's values, for tests that keep it; the copies last as long as fewer than KEPT_COMMITS
 * others are made. */
#define KEPT_COMMITS 256
void keep_values(const karat_model *model, karat_commit *commit);
/* ISSUE of an instruction and, but for MEM and the results of memory accesses, all that it expects. slots:
 * of its workgroup. */
void say_step(stream *s, uint64_t *cycle, uint32_t slot, uint32_t seq, const karat_commit *m, uint64_t slots);
/* HELLO to LAUNCH of one kernel of that program; a warp's slot is its number in the grid. Returns a model
 * in which they are launched. head: NULL, or these records, to say them again. */
karat_model *say_launches(stream *s, uint64_t *cycle, stream *head, const program *p, const core_options *o);
karat_model *say_again(stream *s, uint64_t *cycle, const stream *head, const core_options *o);

#endif
