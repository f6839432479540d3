/* What a record will most likely be, from those before it: writer and reader of a recording keep the same state, and the file has the
 * differences only (predict.c). */
#ifndef KARAT_TRACE_PREDICT_H
#define KARAT_TRACE_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat_port.h"

/* The columns of a block of records. */
enum trace_column {
    COLUMN_KINDS,  /* of entries, one byte each */
    COLUMN_CODES,  /* of a record: what is not as predicted (predict.c) */
    COLUMN_PLACES, /* of such a word: words after the one before it; not of those that the code names */
    COLUMN_SMALL,  /* its difference, in zigzag order; or its number of bytes, which are */
    COLUMN_WIDE,   /* here; raw values; and the cycles and texts of other entries */
    NUM_COLUMN
};

enum {
    MAX_WORDS = KARAT_REC_MAX_SIZE / 4,
    RECORD_ROOM = 4 * (MAX_WORDS + KARAT_PORT_MAX_THREAD) + 8, /* no column gets more of one record */
    PLAIN_BYTE = 255, /* a count or place from there on: one byte of 255, and the rest in the next */
    SMALL_BYTES = 240 /* a difference from there on: SMALL_BYTES + its bytes - 1 */
};

/* Bytes that are written to or read from. */
typedef struct column {
    uint8_t *at;
    size_t used, size;
} column;

typedef struct predictor predictor;

predictor *karat_predictor_create(void); /* NULL: out of memory */
void karat_predictor_destroy(predictor *p);

/* Append a record of that kind, which there is, to the columns. Each has room for RECORD_ROOM bytes more. words: it stays as it is. */
void karat_predict_pack(predictor *p, column *to, uint8_t kind, uint32_t *words);
/* The next record of that kind, into words, after its kind was taken. False: the columns have no such record. RECORD_ROOM bytes after
 * each column can be read. */
bool karat_predict_unpack(predictor *p, column *from, uint8_t kind, uint32_t *words);

#endif
