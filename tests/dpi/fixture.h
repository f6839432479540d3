/* Streams that the tests of the checker edit: how to find records in one and to move them, and the
 * programs that many tests use. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "synthetic_core.h"

/* --- Finding records --- */

/* The nth record of that kind, from 0. Fails the test where there is none. */
size_t nth(const stream *s, unsigned kind, uint32_t n);
/* The nth ISSUE of an instruction of that row, in that slot of SM 0; or any slot where slot is ANY. */
#define ANY UINT32_MAX
size_t issue_of(const stream *s, uint32_t slot, const char *row, uint32_t n);
/* The nth record of that kind that belongs to the instruction of s->at[issue]. */
size_t of(const stream *s, size_t issue, unsigned kind, uint32_t n);
/* The first record of that kind after i of the same slot and epoch. */
size_t after(const stream *s, size_t i, unsigned kind);
/* Move record i to just before record to, and give it that cycle. */
void move(stream *s, size_t i, size_t to);
/* End the stream before record i: no BYE. */
void cut(stream *s, size_t i);
uint32_t seq_of(const record *r); /* UINT32_MAX where it has none */
record record_at(const stream *s, size_t i);

/* --- A small stream in which everything happens once --- */

void fixture_program(program *p);
core_options fixture_options(void);
stream fixture(void);
stream run_fixture(const core_options *o);
stream run_program(const program *p, const core_options *o);

/* --- Options and programs that several files of tests use --- */

core_options one_warp_options(void);                  /* BYE does not count the records */
core_options one_workgroup_options(uint32_t wg_size); /* BYE does not count the records; no AUDITs */
core_options undefined_options(void); /* One warp on a core that leaves registers as they are */
program unwritten_program(void);      /* v0, v6 and up, x13 and up are not written */
/* One warp that goes round and round, and a core that never says what it has written. */
stream silent(void);

#endif
