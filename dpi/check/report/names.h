/* Words that several messages have.  Each function returns its text by value, for use within one call of
 * printf(). */
#ifndef KARAT_CHECK_NAMES_H
#define KARAT_CHECK_NAMES_H

#include "check.h"

typedef struct phrase {
    char text[128];
} phrase;

/* "x5", "v12"; of class KARAT_CSR the name of the CSR. */
phrase karat_register_name(unsigned cls, unsigned reg);
/* "workgroup 2 warp 1" */
phrase karat_warp_name(uint32_t workgroup, uint32_t warp);
/* "vadd.vv v1, v2, v3" */
phrase karat_insn_text(karat_profile profile, uint32_t pc, uint32_t prefix, uint32_t word);
/* "seq 7 0x80000010 vadd.vv v1, v2, v3" */
phrase karat_step_text(karat_profile profile, uint32_t seq, uint32_t pc, uint32_t prefix, uint32_t word);
/* A step of the model, as karat_step_text() has it. */
phrase karat_commit_text(karat_profile profile, uint32_t seq, const karat_commit *m);

/* More of a text that ends in its room; what does not fit is left out. */
__attribute__((format(printf, 3, 4))) void karat_append(char *text, size_t size, const char *format, ...);

#endif
