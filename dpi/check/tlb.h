/* TLBs of the core, as TLB records show them, and physical addresses that they have led to (tlb.c). */
#ifndef KARAT_CHECK_TLB_H
#define KARAT_CHECK_TLB_H

#include "checker.h"

void karat_tlb_free(karat_checker *c);
/* FAIL_MEM_TRANSLATION: the core has that physical address for that virtual one. Tells of the model's walk and of the entry that the core has
 * used. */
bool karat_fail_translation(karat_checker *c, const fault *x, uint64_t virt, uint64_t core, uint64_t model);

#endif
