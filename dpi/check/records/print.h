/* Printing (print.c). */
#ifndef KARAT_CHECK_PRINT_H
#define KARAT_CHECK_PRINT_H

#include "bridge.h"

/* The prints that a warp has asked the host for.  Part of its slot; written by print.c. */
typedef struct prints {
    uint32_t due;       /* Writes of CSR_PRINT since the host last came */
    uint32_t open;      /* Writes that may have been of CSR_PRINT, and need not */
    uint32_t early;     /* Prints that the host took before their CSR record had come */
    mcm_moment at;      /* Moment of the first write that is due */
    uint32_t seq;       /* Instruction of the first write that is due */
    uint64_t cycle;     /* Cycle of the last write that is due */
    bool reads;         /* The host reads the text */
    bool hostcsr_due;   /* The host has read the text, and its HOSTCSR is to come */
    mcm_moment taken;   /* Moment at which the host began to read */
    uint32_t taken_seq; /* Instruction whose print the host reads */
    uint64_t next;      /* Address of the next piece of text */
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
