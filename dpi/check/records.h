/* The handlers of records, one file for a kind, and what these files share with others. */
#ifndef KARAT_CHECK_RECORDS_H
#define KARAT_CHECK_RECORDS_H

#include "checker.h"

/* Before any of the handlers: a record of this version that may come at this place of the stream (stream.c). True after a failure. */
bool karat_check_form(karat_checker *c, const void *record, size_t size);
/* Any of them. */
bool karat_check_record(karat_checker *c, const void *record);

/* True where a verdict stands. */
bool karat_check_hello(karat_checker *c, const karat_rec_hello *r);
bool karat_check_region(karat_checker *c, const karat_rec_region *r);
bool karat_check_host(karat_checker *c, const karat_rec_host *r);
bool karat_check_contents(karat_checker *c, const karat_rec_contents *r);
bool karat_check_hostcsr(karat_checker *c, const karat_rec_hostcsr *r);
bool karat_check_print(karat_checker *c, const karat_rec_print *r);
bool karat_check_kernel(karat_checker *c, const karat_rec_kernel *r);
bool karat_check_launch(karat_checker *c, const karat_rec_launch *r);
bool karat_check_issue(karat_checker *c, const karat_rec_issue *r);
bool karat_check_read(karat_checker *c, const karat_rec_read *r);
bool karat_check_write(karat_checker *c, const karat_rec_write *r);
bool karat_check_audit(karat_checker *c, const karat_rec_audit *r);
bool karat_check_simt(karat_checker *c, const karat_rec_simt *r);
bool karat_check_csr(karat_checker *c, const karat_rec_csr *r);
bool karat_check_mem(karat_checker *c, const karat_rec_mem *r);
bool karat_check_barrier(karat_checker *c, const karat_rec_barrier *r);
bool karat_check_exit(karat_checker *c, const karat_rec_exit *r);
bool karat_check_bye(karat_checker *c, const karat_rec_bye *r);
bool karat_check_access(karat_checker *c, const karat_rec_access *r);
bool karat_check_pair(karat_checker *c, const karat_rec_pair *r);
bool karat_check_tlb(karat_checker *c, const karat_rec_tlb *r);
bool karat_check_paging(karat_checker *c, const karat_rec_paging *r);

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
bool karat_check_stack_held(karat_checker *c, slot *s, const karat_rec_audit *r);

/* BARRIER, EXIT: warps of its workgroup that have arrived at the barrier that a warp waits at, or is to arrive at next. */
uint32_t karat_arrived(const karat_checker *c, const slot *s);
/* The warp has ended: at EXIT, or at its ENDPRG where the core provides no EXIT. */
void karat_end_warp(karat_checker *c, slot *s);

#endif
