/* Records that must come and do not (hang.c). */
#ifndef KARAT_CHECK_HANG_H
#define KARAT_CHECK_HANG_H

#include "checker.h"

/* Whether a warp waits at a barrier, as the core says, or as only the model knows. */
bool karat_is_at_barrier(const karat_checker *c, const slot *s);
/* The reason why a warp waits, in words; false: it waits for nothing, and could issue. */
bool karat_describe_wait(const karat_checker *c, const slot *s, char *text, size_t size);
/* It is that cycle now; at_end: BYE has come, so nothing waits for the core any more. True where a verdict stands. */
bool karat_check_time(karat_checker *c, uint64_t cycle, bool at_end);
/* Completions still owed when a kernel has ended, as the stream or the next kernel shows. True where anything is. */
bool karat_check_debts(karat_checker *c, const char *when);

#endif
