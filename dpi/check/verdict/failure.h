/* Failures: their kinds, the first one with all that its report needs, those after it, and where the warps
 * were (failure.c). */
#ifndef KARAT_CHECK_FAILURE_H
#define KARAT_CHECK_FAILURE_H

#include "check.h"
#include "port.h"
#include "signature.h"
#include "page_walk.h"

typedef struct flight flight;
typedef struct slot slot;

/* Flags of kinds of failures. OF_VALUES: it may result from a value that a race has made another than the
 * model's: of what is done with values, not of what an instruction expects whatever they are. OF_RESULTS:
 * the instruction at fault did the wrong thing, as far as its inputs were right. */
enum { OF_VALUES = 1, OF_RESULTS = 2 };

/* Kinds of failures: each with its verdict, with flags, and with its name in reports. */
#define FAILURES(DO)                                                                                         \
    DO(STREAM, BAD_INPUT, 0, "bad record stream")                                                            \
    DO(NO_MEMORY, BAD_INPUT, 0, "not enough memory")                                                         \
    DO(LAUNCH, MISMATCH, 0, "wrong launch")                                                                  \
    DO(STRAY, MISMATCH, 0, "record of a warp that is not there")                                             \
    DO(ISSUE_PC, MISMATCH, OF_VALUES, "wrong pc issued")                                                     \
    DO(ISSUE_WORD, MISMATCH, 0, "wrong instruction word issued")                                             \
    DO(ISSUE_PREFIX, MISMATCH, 0, "wrong prefix")                                                            \
    DO(ISSUE_MASK, MISMATCH, OF_VALUES, "wrong thread mask at issue")                                        \
    DO(ISSUE_SEQ, MISMATCH, 0, "issue out of sequence")                                                      \
    DO(ISSUE_ENDED, MISMATCH, 0, "issue by a warp that has ended")                                           \
    DO(ISSUE_BARRIER, MISMATCH, 0, "issue by a warp that waits at a barrier")                                \
    DO(READ, MISMATCH, OF_VALUES, "wrong operand read")                                                      \
    DO(WRITE_VALUE, MISMATCH, OF_RESULTS, "wrong value written")                                             \
    DO(WRITE_REGISTER, MISMATCH, 0, "wrong register written")                                                \
    DO(WRITE_LANES, MISMATCH, OF_RESULTS, "wrong lanes written")                                             \
    DO(WRITE_UNEXPECTED, MISMATCH, 0, "write that no instruction expects")                                   \
    DO(WRITE_DUPLICATE, MISMATCH, 0, "lanes written twice")                                                  \
    DO(WRITE_ORDER, MISMATCH, 0, "older write landed on a newer one")                                        \
    DO(WRITE_MISSING, MISMATCH, 0, "register write missing")                                                 \
    DO(AUDIT, MISMATCH, 0, "wrong register file contents")                                                   \
    DO(SIMT, MISMATCH, OF_VALUES | OF_RESULTS, "wrong SIMT outcome")                                         \
    DO(SIMT_UNEXPECTED, MISMATCH, 0, "SIMT outcome that no instruction expects")                             \
    DO(SIMT_MISSING, MISMATCH, 0, "SIMT outcome missing")                                                    \
    DO(CSR, MISMATCH, OF_VALUES | OF_RESULTS, "wrong CSR value")                                             \
    DO(CSR_UNEXPECTED, MISMATCH, 0, "CSR write that no instruction expects")                                 \
    DO(CSR_MISSING, MISMATCH, 0, "CSR write missing")                                                        \
    DO(PRINT, MISMATCH, OF_VALUES, "wrong text printed")                                                     \
    DO(PRINT_UNEXPECTED, MISMATCH, OF_VALUES, "print that no instruction asked for")                         \
    DO(PRINT_MISSING, MISMATCH, OF_VALUES, "print missing")                                                  \
    DO(MEM_DATA, MISMATCH, OF_VALUES | OF_RESULTS, "wrong data stored")                                      \
    DO(MEM_ADDRESS, MISMATCH, OF_VALUES | OF_RESULTS, "wrong memory address")                                \
    DO(MEM_TRANSLATION, MISMATCH, 0, "wrong physical address")                                               \
    DO(MEM_LANES, MISMATCH, OF_VALUES | OF_RESULTS, "memory access by a wrong lane")                         \
    DO(MEM_SPACE, MISMATCH, OF_VALUES | OF_RESULTS, "wrong address space")                                   \
    DO(MEM_ORDER, MISMATCH, 0, "memory access performed out of order")                                       \
    DO(MEM_DUPLICATE, MISMATCH, 0, "memory access performed twice")                                          \
    DO(MEM_UNEXPECTED, MISMATCH, 0, "memory access that no instruction expects")                             \
    DO(MEM_MISSING, MISMATCH, 0, "memory access missing")                                                    \
    DO(TLB_FILL, MISMATCH, 0, "wrong TLB entry filled")                                                      \
    DO(PAGE_FAULT, MISMATCH, OF_VALUES, "wrong page fault")                                                  \
    DO(PAGE_FAULT_UNEXPECTED, MISMATCH, OF_VALUES, "page fault that the model does not have")                \
    DO(PAGE_FAULT_MISSING, MISMATCH, OF_VALUES, "page fault missing")                                        \
    DO(BARRIER_EARLY, MISMATCH, 0, "barrier released before all warps arrived")                              \
    DO(BARRIER_UNEXPECTED, MISMATCH, 0, "barrier event that no instruction expects")                         \
    DO(BARRIER_MISSING, MISMATCH, 0, "barrier event missing")                                                \
    DO(EXIT_UNEXPECTED, MISMATCH, 0, "warp declared ended before its ENDPRG")                                \
    DO(EXIT_MISSING, MISMATCH, 0, "end of the warp missing")                                                 \
    DO(MEMORY, MISMATCH, 0, "device memory differs")                                                         \
    DO(PROGRAM, VERDICT_PROGRAM_ERROR, OF_VALUES, "undefined or forbidden by the ISA")                       \
    DO(UNDEFINED, VERDICT_PROGRAM_ERROR, 0, "control or address depends on a register never written")        \
    DO(BENCH, MISMATCH, 0, "error found by the test bench")                                                  \
    DO(HANG, HANG, 0, "no progress")                                                                         \
    DO(NOTHING, INCOMPLETE, 0, "nothing compared")                                                           \
    DO(INCOMPLETE, INCOMPLETE, 0, "ended early")

typedef enum failure_kind {
    FAIL_NONE,
#define DO(id, verdict, flags, text) FAIL_##id,
    FAILURES(DO)
#undef DO
        FAIL_KINDS
} failure_kind;

/* The first failure, as reports need it. */
typedef struct failure {
    failure_kind kind;
    bool has_warp, has_insn, has_record;
    bool is_past; /* Of the instruction no more is known than the history has: no operands, results, cycle */
    uint64_t cycle;
    uint32_t sm, slot, workgroup, warp, epoch, seq;
    uint64_t look_at;      /* Where a waveform shows it */
    uint32_t read_matched; /* As in flight */
    uint32_t rules;        /* Of the memory model that the detail names: bit r for rule r */
    uint32_t lanes;        /* Lanes that differ; 0: not known */
    uint8_t cls;           /* Class of the register that differs, where it is one */
    uint16_t reg;          /* Number of the register that differs, where it is one */
    bool has_walk, has_phys;
    page_walk walk; /* With has_walk: the model's walk for the address */
    uint64_t phys;  /* With has_phys: the core's physical address */
    char detail[4096];
    karat_commit commit; /* has_insn: the instruction at fault, as the model ran it */
    karat_commit_values values;
    uint64_t issue_cycle;
    uint64_t record[KARAT_REC_MAX_SIZE / 8]; /* has_record: what the core said */
    karat_simt_entry stack[KARAT_MAX_STACK]; /* The model's, now */
    uint32_t depth;
} failure;

/* One after the first. */
typedef struct further_failure {
    failure_kind kind;
    bool has_warp, has_insn, follows;
    uint64_t cycle, follows_addr;
    uint32_t workgroup, warp, sm, slot, seq, pc, word, prefix;
    char detail[160]; /* First line of its text */
} further_failure;

/* The instruction and record that have failed, for karat_fail(). */
typedef struct blame {
    failure_kind kind;
    const slot *slot;       /* NULL: of no warp */
    const flight *flight;   /* NULL: of no instruction that is at hand */
    const void *record;     /* NULL: no record shows it */
    uint32_t lanes;         /* Lanes that are concerned; 0: none, or not known which */
    uint32_t rules;         /* Of the memory model that the text names: bit r for rule r */
    uint8_t cls;            /* Class of the register whose values differ, where it is one */
    uint16_t reg;           /* Number of the register whose values differ, where it is one */
    const page_walk *walk;  /* The model's walk for an address that was translated; NULL: there is none */
    const uint64_t *phys;   /* The core's physical address of that walk; NULL: not known */
    bool may_go_on;         /* A mismatch after which the core's value can be taken */
    karat_two_values value; /* For its signature */
} blame;
#define BLAME(...) (&(blame){.kind = __VA_ARGS__})

/* Why something is not legal, for a failure's text. */
typedef struct reasons {
    uint32_t rules;            /* As in blame */
    const karat_row *producer; /* A load: has stored the value that is legal; NULL: none, or not known */
    char text[1600];
} reasons;

/* Whether the comparison of the warp ends with a failure. Where it goes on (karat_takes_values() alone), the
 * core's value has to be taken. */
enum { GOES_ON = false, STOPS = true };

/* Count a failure; the first one makes the verdict.  The text is what differs, one or more lines. Returns
 * STOPS, unless it may go on and does. */
__attribute__((cold, format(printf, 3, 4))) bool karat_fail(karat_checker *c, const blame *x,
                                                            const char *format, ...);

/* The checker's own memory is short: neither the core's fault nor the stream's. */
bool karat_no_memory(karat_checker *c, const slot *s);

/* Describe a failure of f that may be one, now; text: the difference. */
void karat_describe_failure(const karat_checker *c, failure *x, failure_kind kind, const slot *s,
                            const flight *f, const char *text);
/* It is one: the first failure, of the cycle in which it was suspected. */
bool karat_fail_as(karat_checker *c, const failure *x);

const char *karat_failure_name(failure_kind kind);
unsigned karat_failure_flags(failure_kind kind); /* OF_VALUES, OF_RESULTS */

void karat_describe_further(const karat_checker *c, further_failure *out, const blame *x, const char *detail);

/* --- Many mismatches in one run, by their signatures (defects.c) --- */

/* Mismatches of one signature.  Written by defects.c. */
typedef struct defect {
    karat_signature signature; /* Mismatches of one defect agree in it and in first.kind */
    uint64_t count;
    karat_two_values value; /* Of the first */
    further_failure first;
} defect;
#define NUM_DEFECT 512 /* Signatures that are kept */

#define SIGNATURE_ROOM 256 /* For the text of one */

/* A mismatch that may go on: whether it is of a bug that the core's description lists (config.known). Counts
 * it then. */
bool karat_is_known(karat_checker *c, const blame *x);
/* A mismatch: count it under its signature. */
void karat_note_defect(karat_checker *c, const blame *x, const char *detail);

#endif
