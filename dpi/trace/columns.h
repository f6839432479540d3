/* Records as columns: what a block of a recording holds (trace.h). Writer and reader keep the same state,
 * the last record of each instruction and the values of registers, and the columns have the differences to
 * what that leads to expect (columns.c). */
#ifndef KARAT_TRACE_COLUMNS_H
#define KARAT_TRACE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat_port.h"

enum {
    MAX_WORDS = KARAT_REC_MAX_SIZE / 4,
    MAX_TEXT = 4096,         /* Bytes of an OBJECT's */
    BLOCK_FULL = 1 << 18,    /* Bytes of columns from which on a block is written */
    BLOCK_ENTRIES = 1 << 14, /* Entries from which on a block is written: a run that dies loses no more */
    COLUMNS_ROOM = BLOCK_FULL + 8 * MAX_WORDS + MAX_TEXT + 64, /* Most bytes of columns, ever */
    ENTRY_TICK = 0x7e,
    ENTRY_BENCH_ERROR = 0x7f,
    ENTRY_SAME = 0x80 /* Added to the kind of a record that is as expected: it has nothing in the columns */
};

typedef struct columns columns;

columns *karat_columns_create(void); /* NULL: out of memory */
void karat_columns_destroy(columns *c);

/* Writing: append an entry. words: a record of a kind that there is. */
void karat_columns_put(columns *c, uint32_t *words);
/* The kind is ENTRY_TICK or ENTRY_BENCH_ERROR, which has a text of at most MAX_TEXT bytes. */
void karat_columns_put_event(columns *c, uint8_t kind, uint64_t cycle, const void *text, size_t length);
/* Bytes and entries that were appended since karat_columns_take(). */
size_t karat_columns_size(const columns *c);
uint64_t karat_columns_entries(const columns *c);
/* Write these bytes to raw, aligned to 4. */
void karat_columns_take(columns *c, uint8_t *raw);

/* Reading: raw, aligned to 4, has so many entries, and is not changed until the last one was taken. False:
 * they do not fit into it. */
bool karat_columns_open(columns *c, const uint8_t *raw, size_t size, uint64_t entries);
/* Entries that were not taken yet. */
uint64_t karat_columns_left(const columns *c);
/* Take the next entry, where there is one: a record, of which the bytes are returned; 0: it is none, or
 * the columns have no such record. */
size_t karat_columns_get(columns *c, uint32_t *words);
/* Unpacks an event. text: room for MAX_TEXT bytes and a NUL; *size: of an OBJECT's, with its NUL; 0 of
 * a TICK. */
bool karat_columns_get_event(columns *c, uint64_t *cycle, char *text, size_t *size);
/* Whether the entries have used all of the columns. */
bool karat_columns_empty(const columns *c);

#endif
