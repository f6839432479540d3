/* Printing (print.c). */
#ifndef KARAT_CHECK_PRINT_H
#define KARAT_CHECK_PRINT_H

#include "bridge.h"

/* The prints that a warp has asked the host for.  Part of its slot; written by print.c. */
typedef struct prints {
    uint32_t due;   /* Writes of CSR_PRINT since the host last came */
    uint32_t open;  /* That may be such, and need not */
    uint32_t early; /* That were taken before their CSR record */
    mcm_moment at;  /* The first of those that are due: */
    uint32_t seq;
    uint64_t cycle;     /* Of the last */
    bool reads;         /* The host reads the text */
    bool hostcsr_due;   /* It has read it, and its HOSTCSR is to come */
    mcm_moment taken;   /* When; */
    uint32_t taken_seq; /* For which instruction; */
    uint64_t next;      /* Address of the next piece */
} prints;

/* Printing (print.c). An instruction was issued; its CSR record has come; the host writes a CSR; the
 * slot's warp, or the kernel, is over. True after a failure. */
void karat_print_step(karat_checker *c, slot *s, const flight *f);
void karat_print_written(karat_checker *c, slot *s, const flight *f);
bool karat_print_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r);
bool karat_print_missing(karat_checker *c, const slot *s, const char *when);
/* Whether the host may come for that warp. */
bool karat_print_asked(const slot *s);

#endif
