/* The common part of all mismatches of one defect, besides their kind: instruction, classes of its
 * operands, lanes. */
#ifndef KARAT_SIGNATURE_H
#define KARAT_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat/karat.h"

typedef struct karat_signature {
    int row;           /* KARAT_NO_ROW: of no instruction */
    char operands[64]; /* Classes of its operands; empty: they do not matter */
    const char *lanes; /* One of three words; empty: no vector result */
} karat_signature;

/* Of an instruction (NULL: of none) whose lanes (0: none are meant) differ; all are those that a warp has. */
void karat_signature_of(const karat_commit *commit, uint32_t lanes, uint32_t all, karat_signature *s);
bool karat_signature_same(const karat_signature *a, const karat_signature *b);
/* "wrong value written, vfadd.vv (normal, inf), one lane" */
void karat_signature_text(const karat_signature *s, const char *kind, char *text, size_t size);

#endif
