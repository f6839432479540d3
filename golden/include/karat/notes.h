/* Notes on the instruction table: syntax, definition and chapter of each row, and the decisions on the ISA
 * documents that concern it. They are for people: nothing here is needed to run programs.
 */
#ifndef KARAT_NOTES_H
#define KARAT_NOTES_H

#include "karat/isa.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Scope of a decision. */
typedef enum karat_reach {
    KARAT_REACH_ROWS,    /* The rows that karat_decision_concerns() names */
    KARAT_REACH_EVERY,   /* Every instruction */
    KARAT_REACH_MACHINE, /* No instruction: launch, host, memory map */
    KARAT_REACH_LATER    /* Instructions that the table does not have yet */
} karat_reach;

/* A decision on a gap of the ISA documents, or a named deviation. */
typedef struct karat_decision {
    const char *id;   /* Stable; the anchor on its page */
    const char *page; /* In docs/, e.g. "decisions.md" */
    const char *text; /* One sentence */
    karat_reach reach;
    bool is_deviation; /* The id is the deviation's name */
} karat_decision;

/* Decisions run from 0 to karat_num_decisions() - 1, in the order of their pages; NULL where out of range. */
int karat_num_decisions(void);
const karat_decision *karat_decision_info(int decision);
/* Whether a decision concerns that row; one that concerns every instruction does. */
bool karat_decision_concerns(int decision, int row);

/* Chapters of the notes, in their order. */
typedef struct karat_chapter {
    const char *id, *title, *text;
} karat_chapter;
int karat_num_chapters(void);
const karat_chapter *karat_chapter_info(int chapter);
/* The chapter of a row, or -1 where no chapter selects it. */
int karat_row_chapter(int row);

/* The definition of an instruction: the semantic's name, which rows share, and its text in golden/exec. */
typedef struct karat_row_text {
    const char *semantic;
    const char *text; /* NULL: not found */
    const char *kind; /* "expression", "macro" (its parameters), "comment" or "function" (its body) */
    const char *file; /* In golden/exec */
} karat_row_text;
karat_row_text karat_row_definition(int row);

/* The assembly syntax of a row, with the names of its operands: "vadd.vi vd, vs2, simm5[, v0.t]". NUL
 * terminated, at most size bytes. */
void karat_row_syntax(int row, char *text, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
