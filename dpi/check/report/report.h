/* Shared by the verdict line and the reports, as text and as JSON. */
#ifndef KARAT_CHECK_REPORT_H
#define KARAT_CHECK_REPORT_H

#include "checker.h"

struct json_t;

/* --- Where a wrong value may have come from (producers.c) --- */

#define NUM_PRODUCERS 48

/* Evidence in the records for a value: none; that it is right, by kind of record; that it is wrong. */
typedef enum evidence {
    EVIDENCE_NONE,
    EVIDENCE_PENDING, /* The WRITE of the value is still to come */
    EVIDENCE_TAKEN,   /* A value of the core's, or computed from such: right by definition */
    EVIDENCE_WRITE,   /* The WRITE of the value was equal */
    EVIDENCE_READ,    /* A READ of the value was equal */
    EVIDENCE_MEM,     /* The access whose address it makes was where it should be */
    EVIDENCE_WRONG    /* A READ of the value was not equal */
} evidence;

typedef enum origin {
    ORIGIN_LAUNCH, /* No instruction has written it since */
    ORIGIN_INSN,
    ORIGIN_FORGOTTEN /* An instruction before all that are remembered has written it */
} origin;

enum { CLASS_CSR = KARAT_CSR }; /* Besides KARAT_CLASS_X and _V */

/* A register that an instruction reads, in one lane, and who wrote it; or a CSR, and who has set it last. */
typedef struct producer {
    uint32_t reader; /* Seq of the instruction that reads it */
    uint32_t depth;  /* 0: the reader is the one at fault */
    uint8_t source, cls;
    uint16_t reg;
    uint32_t lane;
    bool has_value;
    uint32_t value; /* In the model */
    evidence read;  /* Evidence for the value that the reader has read */
    origin origin;
    uint32_t seq, pc, word, prefix; /* ORIGIN_INSN: the producer */
    evidence result;                /* ORIGIN_INSN: evidence for the producer's result */
} producer;

/* From the instruction at fault back: every register that it reads, and after those that nothing has shown
 * to be right, what their producers read. Depth first. */
typedef struct karat_producers {
    uint32_t num, num_suspects;
    producer at[NUM_PRODUCERS];
    uint32_t suspect[NUM_PRODUCERS]; /* Seqs, ascending: it went wrong in one of these */
    bool open;                       /* An instruction that is no longer remembered may be at fault, too */
    char cause[600]; /* Where it went wrong, in words; empty where the failure is not one of values */
} karat_producers;

void karat_find_producers(const karat_checker *c, karat_producers *w);

/* --- Reports --- */

/* Make the report of the first failure now: its warp goes on. Where memory is short it is made in the end. */
void karat_report_first(karat_checker *c);
void karat_report_drop(karat_checker *c);

/* The first failure, from what its warp has done up to now. */
void karat_put_first(FILE *out, const karat_checker *c);
struct json_t *karat_json_failure(const karat_checker *c);

const char *karat_verdict_name(karat_verdict verdict);
/* Name, symbols and lines of the kernel that runs, where they are known. */
karat_naming karat_naming_of(const karat_checker *c);
/* Parts not compared: record kinds that this core does not provide, and omissions in the others. Returns
 * their number. */
enum { MAX_UNCHECKED = KARAT_REC_KINDS + NUM_GAP };
unsigned karat_list_unchecked(const karat_checker *c, const char *list[MAX_UNCHECKED]);
/* NULL: it is of no warp. */
const slot *karat_slot_of_failure(const karat_checker *c);
/* The warp that was heard of last; NULL: none was. */
const slot *karat_last_heard(const karat_checker *c);
/* "rs1", "vs2" ... */
const char *karat_source_name(unsigned source, unsigned cls);
/* The evidence that the value is right. */
const char *karat_evidence_text(const producer *p);
/* In a recording it comes at the end. */
bool karat_has_rerun(const karat_checker *c);

static inline uint32_t at_most(uint32_t n, uint32_t most) {
    return n < most ? n : most;
}

#endif
