/* Hash tables of words of memory: those that atomics use (atomic_word.h), flags (flags.h), those with
 * evicted writes (evicted.h). */
#ifndef KARAT_MCM_WORD_TABLE_H
#define KARAT_MCM_WORD_TABLE_H

#include "mcm.h"

/* The beginning of each entry: its word. */
typedef struct mcm_entry {
    mcm_place place; /* The group does not matter */
    bool used;
} mcm_entry;

typedef struct mcm_table {
    void *at;            /* Room entries of that size; NULL: none yet */
    uint32_t room, used; /* A quarter stays free */
    uint32_t size, max;  /* Given by the owner; most entries that there is ever room for */
} mcm_table;

/* The entry of that word; NULL: it has none. */
void *mcm_table_find(const mcm_table *t, const mcm_place *p);
/* The entry of that word, made where there is none, of zeros but for its beginning. NULL: there is no
 * room. Others may move. */
void *mcm_table_enter(mcm_table *t, const mcm_place *p);
/* The next used entry from number *i on, and the number after it; NULL: there is no more. *i: 0 before the
 * first call. */
void *mcm_table_next(const mcm_table *t, uint32_t *i);
/* Empty the table and free its memory. */
void mcm_table_clear(mcm_table *t);

#endif
