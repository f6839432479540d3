/* Recordings: the record stream of a run on disk, to be judged again (`karat check`) or examined.
 *
 *    +--------+----------+-----------+-----------+ ... +---------+
 *    | header | META     | RECORDS   | RECORDS   |     | END     |
 *    +--------+----------+-----------+-----------+ ... +---------+
 *     16 bytes  blocks: a header of 32 bytes, then a zstd frame
 *
 *  header   "KARATTR\n", version (u32), 0 (u32)
 *  block    check (u32), kind (u32), bytes of the frame (u32), bytes when unpacked (u32), entries (u64),
 *           hash (u64): XXH3_64 of the frame, the seed that of the 24 bytes before. check is the lower half
 *           of the XXH3_64 of the 20 bytes after it, the seed the hash of the block before, 0 for META: no
 *           block can be left out, doubled or exchanged. All numbers are little-endian.
 *  META     JSON: further data for a verdict and its report (meta.h)
 *  RECORDS  records, ticks and objects as columns (columns.c): differences to what is expected after all
 *           before them, in earlier blocks too
 *  END      JSON: data known only at the end of the run. Without it the run was cut off.
 *
 * A block is written whole and flushed, by a thread of its own: a run that dies leaves everything readable
 * except data that this thread had not written yet, at most a block and three chunks of 64 KiB.
 */
#ifndef KARAT_TRACE_H
#define KARAT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat/kernel.h"
#include "karat_port.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define KARAT_TRACE_VERSION 1

/* --- Writing --- */

typedef struct karat_trace_writer karat_trace_writer;

/* Make the file, and write its META block. Returns NULL with one line in *diag where that cannot be done. */
karat_trace_writer *karat_trace_create(const char *path, const char *meta, karat_diag *diag);
/* Opens a file for which messages are to have another name of the file: it gets that one later. */
karat_trace_writer *karat_trace_create_as(const char *path, const char *name, const char *meta,
                                          karat_diag *diag);

/* Append a record: a karat_port_sink (context: the writer) that never requests a stop. Errors are kept for
 * karat_trace_close(). size has to be that of the record's kind: else it is no record, and is left out. */
bool karat_trace_record(void *writer, const void *record, size_t size);
/* Append that karat_checker_tick() or karat_checker_bench_error() was called. */
void karat_trace_tick(karat_trace_writer *writer, uint64_t cycle);
void karat_trace_bench_error(karat_trace_writer *writer, uint64_t cycle, const char *text);

/* Write the rest and the END block, and free the writer. False with one line in *diag where the file is
 * not complete. */
bool karat_trace_close(karat_trace_writer *writer, const char *end, karat_diag *diag);

/* --- Reading --- */

typedef struct karat_trace_reader karat_trace_reader;

typedef enum karat_trace_kind {
    KARAT_TRACE_RECORD,
    KARAT_TRACE_TICK,
    KARAT_TRACE_BENCH_ERROR,
    KARAT_TRACE_END, /* The file is whole */
    KARAT_TRACE_CUT, /* The file ends inside a block, or without END: everything before has been read */
    KARAT_TRACE_BAD  /* It is damaged here; see *diag */
} karat_trace_kind;

/* Pointers hold until the next call. */
typedef struct karat_trace_entry {
    karat_trace_kind kind;
    const void *record; /* RECORD, of size bytes */
    size_t size;
    uint64_t cycle;   /* TICK, OBJECT */
    const char *text; /* OBJECT; END: its JSON */
} karat_trace_entry;

/* Returns NULL with one line in *diag where the file is no trace of this version, or its META is damaged. */
karat_trace_reader *karat_trace_open(const char *path, karat_diag *diag);
void karat_trace_reader_free(karat_trace_reader *reader);
/* From now on a thread of its own reads ahead of the caller, where it is an ordinary file: the entries are
 * the same. It ends with the file, or with karat_trace_reader_free(). Before the first karat_trace_next(). */
void karat_trace_read_ahead(karat_trace_reader *reader);
/* Entries are no longer wanted, but for the last: blocks that were not unpacked yet are only looked at for
 * damage. Any time, also more than once. */
void karat_trace_skip(karat_trace_reader *reader);
/* The META block's JSON; it belongs to the reader. */
const char *karat_trace_meta(const karat_trace_reader *reader);
/* The next entry. After END, CUT or BAD the same comes again. */
void karat_trace_next(karat_trace_reader *reader, karat_trace_entry *entry, karat_diag *diag);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
