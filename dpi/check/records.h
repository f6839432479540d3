/* The handlers of records, one file for a kind, and what these files share with others. */
#ifndef KARAT_CHECK_RECORDS_H
#define KARAT_CHECK_RECORDS_H

#include "checker.h"

/* Before any of the handlers: a record of this version that may come at this place of the stream (stream.c). True after a failure. */
bool karat_check_form(karat_checker *c, const void *record, size_t size);
/* A field has a value that is not possible. Returns STOPS. */
bool karat_fail_field(karat_checker *c, const karat_rec_header *h, const char *field);
/* Where some warps wait, or are not compared, now or any more: true where the record has been dealt with, and goes to no handler. */
bool karat_set_aside(karat_checker *c, const void *record);
/* Any of them. */
bool karat_check_record(karat_checker *c, const void *record);

/* karat_check_issue(c, r) and so on: true where a verdict stands. */
#define HANDLER(name, NAME, kind, bytes) bool karat_check_##name(karat_checker *c, const karat_rec_##name *r);
KARAT_REC_EACH(HANDLER)
#undef HANDLER

/* ISSUE: take the step of that ISSUE; *waits: not yet, its READs have to come first. */
bool karat_take_step(karat_checker *c, slot *s, const karat_rec_issue *r, bool *waits);
/* Under keep_going, of a core that waits for pending writes: those that this instruction's operands wait for do not come. The
 * core's READs then report what it uses instead. */
void karat_check_owed(karat_checker *c, slot *s, const karat_commit *user);

/* WRITE: who has written what it says, or NULL; *ambiguous: the core names no instruction, and several could be meant. */
flight *karat_writer(const slot *s, const karat_rec_write *r, bool *ambiguous);

/* CSR: write it in the model alone, as HOSTCSR says; compare the one that an AUDIT reports. */
bool karat_write_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r);
bool karat_check_csr_held(karat_checker *c, slot *s, const karat_rec_audit *r);

/* BARRIER, EXIT: warps of its workgroup that have arrived at the barrier that a warp waits at, or is to arrive at next. */
uint32_t karat_arrived(const karat_checker *c, const slot *s);
/* The warp has ended: at EXIT, or at its ENDPRG where the core provides no EXIT. */
void karat_end_warp(karat_checker *c, slot *s);

#endif
