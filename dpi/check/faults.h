/* Page faults (faults.c): the model's, and the core's as TLB records show them. */
#ifndef KARAT_CHECK_FAULTS_H
#define KARAT_CHECK_FAULTS_H

#include "any.h"
#include "checker.h"

/* The model's step of f ends with a page fault. Of a core that provides TLB it is kept as s->fault until the core shows what it does. True. */
bool karat_page_fault_at(karat_checker *c, slot *s, flight *f);
/* TLB: FAULT. */
bool karat_check_fault(karat_checker *c, const karat_rec_tlb *r);
/* A record about a warp whose fault is not shown yet, or (RUN) about all: whether nothing more is to be done with it. It is of a younger
 * instruction of that warp, or it shows that the core has gone on, which is a failure. */
bool karat_faulting_record(karat_checker *c, slot *s, const karat_any *r);
bool karat_faulting_end(karat_checker *c, const karat_any *r);
/* A slot has waited too long for its fault. True after that failure. */
bool karat_fault_lost(karat_checker *c, uint64_t cycle);
/* The run ends early: the program error that the model has found and the core has not shown, if there is one. */
bool karat_unshown_fault(karat_checker *c);

#endif
