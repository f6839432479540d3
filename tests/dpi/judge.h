/* What the tests of the checker share: replay a stream, and say what must come of it. */
#ifndef JUDGE_H
#define JUDGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "compare.h"
#include "fixture.h"
#include "freeze.h"
#include "held.h"
#include "memory.h"
#include "producers.h"
#include "records.h"
#include "ulp.h"
#include "words.h"

#define HANG_CYCLES 1000

typedef struct outcome {
    karat_verdict verdict;
    char line[1024];
    char *text;
    json_t *json;
} outcome;

karat_check_config judge_config(void);
karat_check_config bounded_config(void); /* with 2 ulp for vfexp.v */

/* How many of that many random cases run: KARAT_CHECK_SHARE percent of them, or all. */
uint32_t share_of(uint32_t num);
/* As if that many stores to nothing had been issued and performed meanwhile: what is remembered of writes may become full. */
void age_log(karat_checker *c, uint32_t num);
/* The log of writes forgets all but the last so many. */
void shorten_log(karat_checker *c, uint64_t kept);
/* Behind HELLO: a slot and a group behind the last, which nobody may look at. */
void guard_slots(karat_checker *c);
/* Behind that record: what lies behind the lists of the instruction that it issues, where nobody may look. */
void spoil_rest(karat_checker *c, const record *r);
bool feed(karat_checker *c, const record *r);                             /* karat_checker_record() */
karat_checker *replay(const stream *s, const karat_check_config *config); /* NULL: judge_config() */
outcome conclude(karat_checker *c);                                       /* destroys c */
outcome judge(const stream *s);
/* Where the environment names a folder in KARAT_REPORTS, write the JSON there, for what validates it: conclude() does so
 * with the first ones of each kind of failure. */
void keep(const outcome *o);
void outcome_free(outcome *o);

/* The verdict, its line, the report and the JSON all say that kind of failure.  at: NULL where no warp is to
 * blame; an ISSUE where that instruction is; else any record of the warp. tick: 0, or a cycle for
 * karat_checker_tick(). */
void check_fails(const char *file, int line, const stream *s, uint64_t tick, failure_kind kind,
                 const record *at);
#define FAILS(s, kind, at)           check_fails(__FILE__, __LINE__, s, 0, FAIL_##kind, at)
#define FAILS_AT(s, cycle, kind, at) check_fails(__FILE__, __LINE__, s, cycle, FAIL_##kind, at)
void check_passes(const char *file, int line, const stream *s);
#define PASSES(s) check_passes(__FILE__, __LINE__, s)
int64_t count_of(const outcome *o, const char *name);
/* That kind of failure, and that text in the report. */
void fails_saying(const char *file, int line, const stream *s, failure_kind kind, const char *text);
#define SAYS(s, kind, text) fails_saying(__FILE__, __LINE__, s, FAIL_##kind, text)
int64_t lanes_of(const stream *s); /* of the failure, by the report */

/* A copy of the fixture to be edited, and another one. */
#define FIXTURE                                                                                              \
    stream s = fixture();                                                                                    \
    PASSES(&s)
#define FIXTURE_AGAIN                                                                                        \
    stream_free(&s);                                                                                         \
    s = fixture()
#define FIXTURE_END stream_free(&s)

#endif
