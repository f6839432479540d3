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
#include "freeze.h"
#include "held.h"
#include "memory.h"
#include "producers.h"
#include "records.h"
#include "ulp.h"
#include "synthetic_core.h"

#define HANG_CYCLES 1000

typedef struct outcome {
    karat_verdict verdict;
    char line[1024];
    char *text;
    json_t *json;
} outcome;

karat_check_config judge_config(void);

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

/* --- A small stream in which everything happens once --- */

void fixture_program(program *p);
core_options fixture_options(void);
stream fixture(void);
stream run_fixture(const core_options *o);
stream run_program(const program *p, const core_options *o);

int run_kind_tests(void);
int run_limit_tests(void);
int run_corner_tests(void);
int run_mutation_tests(void);
int run_sm_tests(void);
int run_undefined_tests(void);
int run_ulp_tests(void);
int run_early_tests(void);
int run_order_tests(void);
int run_print_tests(void);
int run_forgotten_tests(void);
int run_freeze_tests(void);
int run_defect_tests(void);
int run_strict_tests(void);
int run_flag_tests(void);
int run_csr_tests(void);
int run_report_tests(void);
int run_places_tests(void);
int run_walk_tests(void);
void mem_order_kind(void); /* of FAIL_MEM_ORDER; and so on */
void print_kind(void);
void print_unexpected_kind(void);
void print_missing_kind(void);

#endif
