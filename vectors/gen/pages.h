/* Programs about translation, for devices that have it: each page fault that can be, and pages that permit
 * just enough, of each size, next to one another, with aliases. A program has the changes of page tables that
 * it needs (prog.pages). */
#ifndef KARAT_PAGES_H
#define KARAT_PAGES_H

#include "cov.h"
#include "directed.h"

/* The bins of the coverage groups 'fault' and 'unfetched' decide which faults there are: cov is empty
 * coverage of the device, with translation. */
uint32_t pages_num(const karat_cov *cov);
/* Write a program's name; returns its text for --list, or NULL for a fault. */
const char *pages_about(const karat_cov *cov, uint32_t index, char name[DIRECTED_NAME]);
/* Make program 'index' in *p; the caller frees it, also after an error. False: p->why. */
bool pages_make(const row_table *table, const directed_params *params, const karat_cov *cov, uint32_t index,
                prog *p);

#endif
