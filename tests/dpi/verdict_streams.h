/* The streams of test_verdicts.c, drawn from a seed: of several kinds of programs, whole and broken. */
#ifndef VERDICT_STREAMS_H
#define VERDICT_STREAMS_H

#include "synthetic_core.h"

enum family { PLAIN, RACING, ATOMIC, WORDS, LITMUS, DAMAGED, SCALAR, LEGAL, CROWDED, AGED, NEAR, MIXED };

stream racing_stream(uint64_t seed, enum family of);
stream plain_stream(uint64_t seed);
stream mixed_stream(uint64_t seed);
/* A core whose numbers are within its bound, whatever it gives of them. */
stream near_stream(uint64_t seed);
/* One edit; *tick: no BYE comes, but so much time passes. */
void edit(stream *s, rng *r, bool racing, char *done, uint64_t *tick);
/* Bits of values, all over the stream: where it goes on after each, one run meets many mismatches. Returns how many. */
uint32_t damage(stream *s, rng *r);

#endif
