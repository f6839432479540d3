/* Shared by the verdict line and the reports, as text and as JSON. */
#ifndef KARAT_CHECK_REPORT_H
#define KARAT_CHECK_REPORT_H

#include "checker.h"
#include "producers.h"

struct json_t;

/* Make the report of the first failure now: its warp goes on. Where memory is short it is made in the end. */
void karat_report_first(karat_checker *c);
void karat_report_drop(karat_checker *c);

/* The first failure, from what its warp has done up to now. */
void karat_put_first(FILE *out, const karat_checker *c);
struct json_t *karat_json_failure(const karat_checker *c);

const char *karat_verdict_name(karat_verdict verdict);
/* Name, symbols and lines of the kernel that runs, where they are known. */
karat_naming karat_naming_of(const karat_checker *c);
/* Parts not compared: record kinds that this core does not provide, and omissions in the others. Returns their number. */
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
