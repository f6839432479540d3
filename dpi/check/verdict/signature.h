/* The common part of all mismatches of one defect, besides their kind: instruction, classes of its operands,
 * lanes, how the values differ, and the instruction that made the value. */
#ifndef KARAT_SIGNATURE_H
#define KARAT_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat/karat.h"

/* A value that differs, of the first lane that does. */
typedef struct karat_two_values {
    bool is_known; /* Lane, model and core */
    uint32_t lane; /* 0 of a scalar */
    uint32_t model, core;
    /* Has stored or written it in the model; NULL: not known, or the instruction at fault itself */
    const karat_row *producer;
} karat_two_values;

typedef struct karat_signature {
    int row;                   /* KARAT_NO_ROW: of no instruction */
    char operands[64];         /* Classes of its operands; empty: they do not matter */
    const char *lanes;         /* One of three words; empty: no vector result */
    char differs[48];          /* "inf for normal", "sign"; empty: no value is known */
    const karat_row *producer; /* As in karat_two_values */
} karat_signature;

/* Of an instruction (NULL: of none) whose lanes (0: none are meant) differ; all are those that a warp has. */
void karat_signature_of(const karat_commit *commit, uint32_t lanes, uint32_t all, const karat_two_values *v,
                        karat_signature *s);
bool karat_signature_same(const karat_signature *a, const karat_signature *b);
/* "wrong value written, vfadd.vv (normal, inf), one lane, inf for normal"; "wrong value written, lhu, low
 * half, from sb" */
void karat_signature_text(const karat_signature *s, const char *kind, char *text, size_t size);

#endif
