/* Writing trace files. */
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "format.h"

#define LEVEL -5 /* records are repetitive: more costs time and wins little */

struct karat_trace_writer {
    FILE *file;
    char *path;
    ZSTD_CCtx *zstd;
    uint8_t *frame; /* room for any block of records, packed */
    uint8_t *raw;   /* entries not written yet */
    size_t used;
    uint64_t entries;
    int error; /* errno of the first failure; 0: none */
};

enum { LARGEST_ENTRY = 1 + 8 + KARAT_REC_MAX_SIZE, LARGEST_TEXT = 1 + 8 + 2 + MAX_TEXT };
#define RAW_ROOM (BLOCK_FULL + LARGEST_TEXT)
_Static_assert(LARGEST_ENTRY <= LARGEST_TEXT, "room behind a full block");

static void fail(karat_trace_writer *w, int error) {
    if (!w->error)
        w->error = error ? error : EIO;
}

static void write_block(karat_trace_writer *w, enum block_kind kind, const void *raw, size_t size,
                        uint64_t entries) {
    if (w->error)
        return;
    uint8_t *frame = w->frame, *larger = NULL;
    size_t room = ZSTD_compressBound(size);
    if (room > ZSTD_compressBound(RAW_ROOM) && !(frame = larger = malloc(room))) {
        fail(w, ENOMEM);
        return;
    }
    size_t packed = size > BLOCK_ROOM ? 0 : ZSTD_compressCCtx(w->zstd, frame, room, raw, size, LEVEL);
    if (size > BLOCK_ROOM || ZSTD_isError(packed)) {
        fail(w, size > BLOCK_ROOM ? EFBIG : ENOMEM);
    } else {
        uint8_t header[BLOCK_HEADER];
        memcpy(header, BLOCK_MAGIC, 4);
        put_le(header + 4, kind, 4);
        put_le(header + 8, packed, 4);
        put_le(header + 12, size, 4);
        put_le(header + 16, entries, 8);
        put_le(header + 24, XXH3_64bits_withSeed(frame, packed, XXH3_64bits(header, BLOCK_HASHED)), 8);
        errno = 0;
        if (fwrite(header, sizeof header, 1, w->file) != 1 || fwrite(frame, packed, 1, w->file) != 1 ||
            fflush(w->file))
            fail(w, errno);
    }
    free(larger);
}

static void write_records(karat_trace_writer *w) {
    if (w->used)
        write_block(w, BLOCK_RECORDS, w->raw, w->used, w->entries);
    w->used = 0;
    w->entries = 0;
}

karat_trace_writer *karat_trace_create(const char *path, const char *meta, karat_diag *diag) {
    karat_trace_writer *w = calloc(1, sizeof *w);
    const char *why = "out of memory";
    if (w) {
        w->path = strdup(path);
        w->zstd = ZSTD_createCCtx();
        w->frame = malloc(ZSTD_compressBound(RAW_ROOM));
        w->raw = malloc(RAW_ROOM);
    }
    if (w && w->path && w->zstd && w->frame && w->raw) {
        w->file = fopen(path, "wb");
        why = w->file ? NULL : strerror(errno);
    }
    if (!why) {
        uint8_t header[TRACE_HEADER] = TRACE_MAGIC;
        put_le(header + 8, KARAT_TRACE_VERSION, 4);
        put_le(header + 12, 0, 4);
        if (fwrite(header, sizeof header, 1, w->file) != 1)
            fail(w, errno);
        write_block(w, BLOCK_META, meta, strlen(meta), 1);
        why = w->error ? strerror(w->error) : NULL;
    }
    if (!why)
        return w;
    snprintf(diag->text, sizeof diag->text, "%s: cannot be written: %s", path, why);
    if (w) {
        if (w->file)
            fclose(w->file);
        ZSTD_freeCCtx(w->zstd);
        free(w->frame);
        free(w->raw);
        free(w->path);
        free(w);
    }
    return NULL;
}

bool karat_trace_record(void *writer, const void *record, size_t size) {
    karat_trace_writer *w = writer;
    const size_t words = size / 8, mask_bytes = (words + 7) / 8;
    uint8_t *at = w->raw + w->used, *mask = at + 1, *next = mask + mask_bytes;
    *at = ((const karat_rec_header *)record)->kind;
    memset(mask, 0, mask_bytes);
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)record + 8 * i, 8);
        memcpy(next, &word, 8);
        mask[i / 8] |= (uint8_t)((word != 0) << i % 8);
        next += word ? 8 : 0;
    }
    w->used = (size_t)(next - w->raw);
    w->entries++;
    if (w->used >= BLOCK_FULL)
        write_records(w);
    return false;
}

static void add_event(karat_trace_writer *w, uint8_t kind, uint64_t cycle, const char *text, size_t length) {
    uint8_t *at = w->raw + w->used;
    *at = kind;
    put_le(at + 1, cycle, 8);
    w->used += 9;
    if (text) {
        put_le(at + 9, length, 2);
        memcpy(at + 11, text, length);
        w->used += 2 + length;
    }
    w->entries++;
    if (w->used >= BLOCK_FULL)
        write_records(w);
}

void karat_trace_tick(karat_trace_writer *w, uint64_t cycle) {
    add_event(w, ENTRY_TICK, cycle, NULL, 0);
}

void karat_trace_object(karat_trace_writer *w, uint64_t cycle, const char *text) {
    size_t length = strlen(text);
    add_event(w, ENTRY_OBJECT, cycle, text, length < MAX_TEXT ? length : MAX_TEXT);
}

bool karat_trace_close(karat_trace_writer *w, const char *end, karat_diag *diag) {
    if (!w)
        return true;
    write_records(w);
    write_block(w, BLOCK_END, end, strlen(end), 1);
    errno = 0;
    if (fclose(w->file))
        fail(w, errno);
    bool ok = !w->error;
    if (!ok)
        snprintf(diag->text, sizeof diag->text, "%s: cannot be written: %s", w->path, strerror(w->error));
    ZSTD_freeCCtx(w->zstd);
    free(w->frame);
    free(w->raw);
    free(w->path);
    free(w);
    return ok;
}
