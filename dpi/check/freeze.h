/* Warps that are not compared any more, and memory that may not be right (freeze.c). */
#ifndef KARAT_CHECK_FREEZE_H
#define KARAT_CHECK_FREEZE_H

#include "any.h"
#include "checker.h"

/* Freeze the warp of a failure that was just counted, and go on; false: nothing goes on. f and record may be NULL. */
bool karat_freeze(karat_checker *c, const slot *s, const flight *f, const void *record);
/* A record about a frozen warp, or (RUN) about all: it has been dealt with, true. */
bool karat_frozen_record(karat_checker *c, const karat_any *r);
bool karat_frozen_end(karat_checker *c, const karat_any *r);
/* A byte may hold what is not right (with config.keep_going). False: memory is short. */
bool karat_touch(karat_checker *c, uint64_t addr, uint32_t bytes);
/* The same of memory that holds what no record has reported. */
bool karat_doubt(karat_checker *c, uint64_t addr, uint32_t bytes);
bool karat_is_doubted(const karat_checker *c, uint64_t addr);
/* f is issued while warps are frozen, or bytes touched: note what it loads of theirs. */
void karat_freeze_use(karat_checker *c, slot *s, const flight *f);

#endif
