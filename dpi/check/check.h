/* The lockstep checker: a record stream in, a verdict out.  It knows the model and no simulator.
 *
 *  1. HELLO sizes it; REGION and HOST lay out the model's memory; KERNEL says what LAUNCH must say.
 *  2. Each ISSUE steps the model by one and compares pc, word, prefix and mask at once.  The instruction's
 *     row and the commit say which completions must come: they are pending from then on.
 *  3. WRITE, SIMT, MEM, CSR, BARRIER and EXIT complete them: each is compared with the commit, bit for
 *     bit.  What comes twice, unasked, too late or never is an error of its own kind.  Nothing is 'don't
 *     care'. Addresses of a core that translates are compared with the instruction's, and with the model's
 *     walk of the page tables; a page fault has to be on both sides (docs/port.md, "Translation").
 *  4. READ is compared with the step's operands, AUDIT with the registers as of the completions so far.
 *  5. The first failure is the verdict and ends the comparison, or, where more are asked for, that of its
 *     warp; or, with keep_going, nothing.  It names the instruction at fault, which is not always the one
 *     at which it shows. */
#ifndef KARAT_CHECK_H
#define KARAT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "karat/karat.h"
#include "karat_port.h"
#include "karat/lines.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct karat_checker karat_checker;

typedef enum karat_verdict {
    KARAT_PASS = 0,
    KARAT_MISMATCH = 1,
    KARAT_BAD_INPUT = 2,
    KARAT_HANG = 3,
    KARAT_VERDICT_PROGRAM_ERROR = 4,
    KARAT_INCOMPLETE = 5
} karat_verdict;

/* Undefined behaviour of a program, which is no fault of the core: counted, or, of these kinds, PROGRAM
 * ERROR at the first. */
enum {
    KARAT_STRICT_REGISTERS = 1, /* To use a register that was never written */
    KARAT_STRICT_LANES = 2,     /* Moves of a lane to a scalar (vmv.x.s) of lanes that differ */
    KARAT_STRICT_LDS = 4,       /* To load local memory that was never written */
    KARAT_STRICT_RACES =
        8, /* To access a byte that another warp writes, with nothing that orders the two: wants
                                   MEM in the order of performance */
    KARAT_STRICT_SCALARS = 16, /* To read a scalar register that another path of a divergence has written */
    /* To synchronise warps with plain accesses and FENCEs: what such a flag orders is no race. Wants the
     * same */
    KARAT_STRICT_FLAGS = 32,
    KARAT_STRICT_LDS_SIZE = 64,  /* To use local memory that the launch does not declare */
    KARAT_STRICT_PDS_SIZE = 128, /* To use private memory beyond what the launch declares */
    KARAT_STRICT_ALL = 255
};

/* Strict words from a list of them, for programs that take options. False where it has another word. */
#define KARAT_STRICT_WORDS "registers, lanes, lds, races, scalars, flags, lds-size, pds-size"
bool karat_check_strict(const char *list, uint32_t *strict);
const char *karat_check_strict_word(unsigned i); /* Of bit i; NULL: there is no such */
/* Those of them that want MEM in the order of performance. */
#define KARAT_STRICT_ORDER (KARAT_STRICT_RACES | KARAT_STRICT_FLAGS)
/* Those of them that a step of the model shows by itself, and of these in words what the step of that commit
 * does; NULL: nothing. */
#define KARAT_STRICT_WARNINGS                                                                                \
    (KARAT_STRICT_LANES | KARAT_STRICT_LDS | KARAT_STRICT_LDS_SIZE | KARAT_STRICT_PDS_SIZE)
const char *karat_check_strict_warning(uint32_t strict, const karat_commit *commit);

/* How far the core's results of one instruction may be from the model's, in units in the last place: 1
 * admits the two neighbours of the model's number.  A NaN is compared exactly, and so are flags. */
typedef struct karat_ulp_bound {
    const char
        *row;     /* Identifier or mnemonic; KARAT_BOUND_OF_SUMS: all matrix products of profile public, whose
                        distance from the exact sum is bounded (karat_sum_distance()) */
    uint32_t ulp; /* At most KARAT_MAX_ULP: a bound beyond it accepts anything */
} karat_ulp_bound;
#define KARAT_MAX_ULP       65536u
#define KARAT_BOUND_OF_SUMS "mma"

/* A known bug of the core: mismatches whose signature matches are counted under its name, and are no
 * failures. */
typedef struct karat_known_bug {
    const char *name;    /* A word of the verdict line */
    const char *pattern; /* As of fnmatch(), of the signature's text (docs/triage.md) */
} karat_known_bug;
#define KARAT_MAX_KNOWN 64 /* Of a core description: the verdict line has each */
/* NULL: it names a kind of mismatch and instructions; else what is wrong with it. */
const char *karat_known_bug_wrong(const char *pattern);

/* Called for every warp that the model launches and for every instruction that it takes: coverage is
 * collected so. */
typedef struct karat_check_watch {
    void *context;
    void (*launch)(void *context, const karat_model *model, uint32_t warp, const karat_launch_desc *desc,
                   uint32_t warps); /* Of its workgroup */
    void (*step)(void *context, const karat_model *model, uint32_t warp, const karat_commit *commit);
} karat_check_watch;

typedef struct karat_check_config {
    karat_config model;   /* num_thread, max_warp and max_workgroup are taken from HELLO */
    uint64_t hang_cycles; /* Bound after which a warp that gets nothing hangs; default 100000 */
    const char *program;  /* For the verdict line; may be NULL. All pointers must outlive the checker. */
    const char *rerun;    /* Command that runs the same again, for the report; may be NULL */
    uint64_t seed;        /* For the verdict line */
    bool has_seed;
    const karat_kernel *const *kernels; /* For symbols, by KERNEL.index; may be NULL */
    const karat_lines *const *lines;    /* Source lines, by KERNEL.index; may be NULL, and so may each */
    uint32_t num_kernels;
    const char *core; /* The only one that is judged by this, as its HELLO names it; NULL: any */
    const karat_ulp_bound
        *bounds; /* Of the core's approximating units; everything else is compared exactly */
    uint32_t num_bounds;
    uint32_t bugs; /* Deviations (config.model) that are defects of the core: the verdict says so of each */
    const karat_known_bug *known;
    uint32_t num_known;
    uint32_t strict; /* KARAT_STRICT_*: these are errors */
    /* 1, the default: the first ends the comparison; else that many, see docs/triage.md */
    uint32_t max_failures;
    /* Go on with the same warp as well, wherever the core's value can be taken; list the mismatches by their
     * signatures (docs/triage.md, "Many mismatches in one run"). max_failures does not count then. */
    bool keep_going;
    const karat_check_watch *watch; /* NULL: nobody */
} karat_check_config;

void karat_check_config_default(karat_check_config *config);

/* The first bound that names no instruction that may approximate (policy ulp in `karat isa`), or is too
 * wide; NULL where all are right. */
const char *karat_check_bad_bound(const karat_check_config *config);

/* Returns NULL where memory is short, or a bound is bad.  Copies *config. */
karat_checker *karat_checker_create(const karat_check_config *config);
void karat_checker_destroy(karat_checker *checker);

/* Take the next record.  Returns true where there is nothing more to compare (a verdict stands): a
 * karat_port_sink. */
bool karat_checker_record(void *checker, const void *record, size_t size);

/* Time has passed without records: look for warps that hang.  Call it now and then (every thousand cycles),
 * after karat_port_flush(). Returns true where a verdict stands. */
bool karat_checker_tick(karat_checker *checker, uint64_t cycle);

/* The test bench has found something wrong with the core by itself (a failed assertion, an answer to
 * nothing): MISMATCH with that text, unless a verdict stands already. Returns true. */
bool karat_checker_bench_error(karat_checker *checker, uint64_t cycle, const char *text);

/* The stream ends here without BYE, and that text says why: INCOMPLETE, unless a verdict stands already. */
void karat_checker_cut(karat_checker *checker, const char *text);

/* The verdict as it stands: final after BYE, or once a call returned true. */
karat_verdict karat_checker_verdict(const karat_checker *checker);

/* The cycle around which to look at a waveform: where the failure was found; for a HANG, where the warp was
 * last heard of. */
uint64_t karat_checker_look_at(const karat_checker *checker);

/* Where the failure is, for a waveform. */
typedef struct karat_check_place {
    uint64_t found; /* Cycle */
    bool has_warp, has_record;
    uint32_t sm, slot;          /* has_warp */
    uint64_t recorded;          /* has_record: cycle of the core's record that shows it */
    uint32_t workgroup, warp;   /* has_warp */
    const char *what;           /* The failure in words: one line or more */
    const karat_commit *commit; /* The instruction at fault, as the model ran it; NULL: not at hand */
    uint64_t issued;            /* Cycle of the ISSUE of the instruction at fault */
} karat_check_place;
/* False: nothing has failed. */
bool karat_checker_place(const karat_checker *checker, karat_check_place *place);
/* The model's state of the warp in that slot, now. False: there is none. */
bool karat_checker_view(const karat_checker *checker, uint32_t sm, uint32_t slot, karat_warp_view *view);

/* The verdict line, without newline, into text. */
#define KARAT_LINE_ROOM 8192 /* For any */
void karat_checker_line(const karat_checker *checker, char *text, size_t size);

/* The report of what went wrong: text for one screen, and the same as JSON (docs/triage.md). Nothing for PASS
 * but the line. */
void karat_checker_report(const karat_checker *checker, FILE *out);
bool karat_checker_report_json(const karat_checker *checker, FILE *out);
/* The warp that the first failure is of, as the handle of the model; false: of none. */
bool karat_checker_failed_warp(const karat_checker *checker, uint32_t *warp);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
