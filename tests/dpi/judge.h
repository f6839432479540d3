/* Shared by the tests of the checker: replay a stream, and say what must come of it.
 *
 * Nothing here needs the checker's private headers. A kind of failure is named by its identifier there,
 * without FAIL_: FAILS(&s, WRITE_VALUE, at). Tests of internals include inside.h. */
#ifndef JUDGE_H
#define JUDGE_H

#include <jansson.h>

#include "check.h"
#include "fixture.h"
#include "suite.h"

#define HANG_CYCLES 1000

typedef struct outcome {
    karat_verdict verdict;
    char line[1024];
    char *text;
    json_t *json;
} outcome;
void outcome_free(outcome *o);
#define scoped_outcome __attribute__((cleanup(outcome_free), unused)) outcome /* Freed where its block ends */
void checker_free(karat_checker **c);
#define scoped_checker __attribute__((cleanup(checker_free))) karat_checker

karat_check_config judge_config(void);
karat_check_config bounded_config(void); /* With 2 ulp for vfexp.v */

/* How many of that many random cases run: KARAT_CHECK_SHARE percent of them, or all. */
uint32_t share_of(uint32_t num);
/* As if that many stores to nothing had been issued and performed meanwhile: what is remembered of writes
 * may become full. */
void age_log(karat_checker *c, uint32_t num);
/* The log of writes forgets all but the last so many. */
void shorten_log(karat_checker *c, uint64_t kept);
/* After HELLO: a slot and a group after the last, which nobody may look at. */
void guard_slots(karat_checker *c);
/* After that record: what lies after the lists of the instruction that it issues, where nobody may look. */
void spoil_rest(karat_checker *c, const record *r);
bool feed(karat_checker *c, const record *r);                             /* karat_checker_record() */
karat_checker *replay(const stream *s, const karat_check_config *config); /* NULL: judge_config() */
outcome conclude(karat_checker *c);                                       /* Destroys c */
outcome judge(const stream *s);
/* Where the environment names a folder in KARAT_REPORTS, write the JSON there, for what validates it:
 * conclude() does so with the first ones of each kind of failure. */
void keep(const outcome *o);

/* The verdict, its line, the report and the JSON all say that kind of failure.  at: NULL where no warp is to
 * blame; an ISSUE where that instruction is; else any record of the warp. tick: 0, or a cycle for
 * karat_checker_tick(). */
void check_fails(const char *file, int line, const stream *s, uint64_t tick, const char *kind,
                 const record *at);
#define FAILS(s, kind, at)           check_fails(__FILE__, __LINE__, s, 0, #kind, at)
#define FAILS_AT(s, cycle, kind, at) check_fails(__FILE__, __LINE__, s, cycle, #kind, at)
void check_passes(const char *file, int line, const stream *s);
#define PASSES(s) check_passes(__FILE__, __LINE__, s)
int64_t count_of(const outcome *o, const char *name);

/* --- The checker's state during a run --- */

bool is_done(const karat_checker *c);          /* A verdict stands */
const char *kind_of(const karat_checker *c);   /* Of the first failure; "NONE" */
const char *nth_kind(uint32_t n);              /* As reports print it; NULL: there are no more */
const char *text_of_kind(const char *kind);    /* As reports print it */
const char *detail_of(const karat_checker *c); /* The report's words for the first failure */
json_t *json_of(const karat_checker *c);       /* The report */
uint64_t count_in(const karat_checker *c, const char *name);
bool is_unchecked(const karat_checker *c, const char *what); /* A word after unchecked= */
uint32_t num_waiting(const karat_checker *c);                /* Warps whose step waits for READs */
uint64_t num_mismatches(const karat_checker *c);
uint32_t num_failed(const karat_checker *c);
uint32_t num_excluded(const karat_checker *c);
uint32_t num_owing(const karat_checker *c); /* Instructions under way, but for the youngest of each warp */
bool is_doubted(const karat_checker *c, uint64_t addr); /* Memory holds there what no record has reported */
karat_model *model_of(const karat_checker *c);
uint32_t warp_in(const karat_checker *c, uint32_t slot); /* Its number in the model */

/* How much a checker remembers. */
extern const struct remembered {
    uint32_t instructions, reservations, failed_scs, fences; /* Of a warp */
    uint32_t accesses;                                       /* Of all, in the log */
    uint32_t acquired;                                       /* Releases, by a warp */
    uint32_t suspects, undefined_uses;                       /* In a report */
} remembered;
/* That kind of failure, and that text in the report. */
void fails_saying(const char *file, int line, const stream *s, const char *kind, const char *text);
#define SAYS(s, kind, text) fails_saying(__FILE__, __LINE__, s, #kind, text)
int64_t lanes_of(const stream *s); /* Of the failure, by the report */

/* A copy of the fixture to be edited, and another one. */
#define FIXTURE                                                                                              \
    scoped_stream s = fixture();                                                                             \
    PASSES(&s)
#define FIXTURE_AGAIN                                                                                        \
    stream_free(&s);                                                                                         \
    s = fixture()
/* The copy fails so with that edit, and is then a copy again. */
#define ONCE(edit, kind, at)                                                                                 \
    do {                                                                                                     \
        edit;                                                                                                \
        FAILS(&s, kind, at);                                                                                 \
        FIXTURE_AGAIN;                                                                                       \
    } while (0)

#endif
