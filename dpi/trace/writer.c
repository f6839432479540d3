/* Writing trace files, most of it in a thread of its own: the simulator's thread only copies entries into
 * chunks, which the writer's thread takes one after the other, packs, compresses and writes. */
#include "trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "format.h"

#define LEVEL 1 /* More costs time and wins little */

enum {
    NUM_CHUNK = 3,
    CHUNK = 1 << 16 /* Bytes: still in the cache when the other thread takes them */
};

/* An entry in a chunk; its bytes follow: a record's, without the zeros at its end; or a cycle, and an
 * OBJECT's text. */
typedef struct given {
    uint8_t kind;
    uint16_t size; /* Of the bytes that follow */
} given;

typedef struct chunk {
    size_t used;
    uint8_t at[CHUNK];
} chunk;

struct karat_trace_writer {
    chunk *chunks;
    chunk *filling; /* The simulator's thread's */
    pthread_t thread;
    pthread_mutex_t lock; /* Guards the chunks passed between the threads */
    pthread_cond_t changed;
    uint64_t num_filled, num_taken; /* Chunks, ever */
    bool closing;

    /* The writer's thread's, and after it has ended karat_trace_close()'s. */
    FILE *file;
    char *name; /* Of the file, in messages */
    ZSTD_CCtx *zstd;
    uint8_t *frame;   /* Room for the frame of any block of records */
    columns *columns; /* Of the entries that have not been written yet */
    uint8_t *raw;     /* Room for them as a block */
    uint64_t hash;    /* Of the last block */
    int error;        /* Errno of the first failure; 0: none */
};

static void fail(karat_trace_writer *w, int error) {
    if (!w->error)
        w->error = error ? error : EIO;
}

static void write_block(karat_trace_writer *w, enum block_kind kind, const uint8_t *raw, size_t size,
                        uint64_t entries) {
    if (w->error)
        return;
    uint8_t *frame = w->frame, *larger = NULL;
    const size_t room = ZSTD_compressBound(size);
    if (size > BLOCK_ROOM) {
        fail(w, EFBIG);
        return;
    }
    if (size > COLUMNS_ROOM && !(frame = larger = malloc(room))) {
        fail(w, ENOMEM);
        return;
    }
    const size_t packed = ZSTD_compressCCtx(w->zstd, frame, room, raw, size, LEVEL);
    if (ZSTD_isError(packed)) {
        fail(w, ENOMEM);
    } else {
        uint8_t header[BLOCK_HEADER];
        put_le(header + 4, kind, 4);
        put_le(header + 8, packed, 4);
        put_le(header + 12, size, 4);
        put_le(header + 16, entries, 8);
        w->hash = seal_block(header, w->hash, frame, packed);
        errno = 0;
        if (fwrite(header, sizeof header, 1, w->file) != 1 || fwrite(frame, packed, 1, w->file) != 1 ||
            fflush(w->file))
            fail(w, errno);
    }
    free(larger);
}

static void write_records(karat_trace_writer *w) {
    const size_t size = karat_columns_size(w->columns);
    const uint64_t entries = karat_columns_entries(w->columns);
    if (!entries)
        return;
    karat_columns_take(w->columns, w->raw);
    write_block(w, BLOCK_RECORDS, w->raw, size, entries);
}

/* --- The writer's thread --- */

static void pack(karat_trace_writer *w, const given *g, const uint8_t *bytes) {
    uint32_t words[MAX_WORDS];
    uint64_t cycle;
    if (g->kind < ENTRY_TICK) {
        memcpy(words, bytes, g->size);
        memset((uint8_t *)words + g->size, 0, karat_rec_size(g->kind) - g->size);
        karat_columns_put(w->columns, words);
    } else {
        memcpy(&cycle, bytes, sizeof cycle);
        karat_columns_put_event(w->columns, g->kind, cycle, bytes + sizeof cycle, g->size - sizeof cycle);
    }
}

static void write_chunk(karat_trace_writer *w, const chunk *c) {
    for (size_t at = 0; at < c->used;) {
        given g;
        memcpy(&g, c->at + at, sizeof g);
        pack(w, &g, c->at + at + sizeof g);
        at += sizeof g + g.size;
        if (karat_columns_size(w->columns) >= BLOCK_FULL ||
            karat_columns_entries(w->columns) == BLOCK_ENTRIES)
            write_records(w);
    }
}

static void *write_chunks(void *writer) {
    karat_trace_writer *w = writer;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->num_taken == w->num_filled && !w->closing)
            pthread_cond_wait(&w->changed, &w->lock);
        if (w->num_taken == w->num_filled)
            break;
        pthread_mutex_unlock(&w->lock);
        write_chunk(w, &w->chunks[w->num_taken % NUM_CHUNK]);
        pthread_mutex_lock(&w->lock);
        w->num_taken++;
        pthread_cond_signal(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* --- The simulator's thread --- */

static void hand_over(karat_trace_writer *w, bool last) {
    pthread_mutex_lock(&w->lock);
    w->num_filled++;
    w->closing = last;
    pthread_cond_signal(&w->changed);
    while (w->num_filled - w->num_taken == NUM_CHUNK)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    w->filling = &w->chunks[w->num_filled % NUM_CHUNK];
    w->filling->used = 0;
}

/* Where the bytes of an entry go. */
static uint8_t *give(karat_trace_writer *w, uint8_t kind, size_t size) {
    const given g = {kind, (uint16_t)size};
    if (sizeof g + size > CHUNK - w->filling->used)
        hand_over(w, false);
    uint8_t *at = w->filling->at + w->filling->used;
    memcpy(at, &g, sizeof g);
    w->filling->used += sizeof g + size;
    return at + sizeof g;
}

static void free_writer(karat_trace_writer *w) {
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    ZSTD_freeCCtx(w->zstd);
    free(w->chunks);
    free(w->frame);
    free(w->raw);
    karat_columns_destroy(w->columns);
    free(w->name);
    free(w);
}

karat_trace_writer *karat_trace_create(const char *path, const char *meta, karat_diag *diag) {
    return karat_trace_create_as(path, path, meta, diag);
}

karat_trace_writer *karat_trace_create_as(const char *path, const char *name, const char *meta,
                                          karat_diag *diag) {
    karat_diag unused;
    diag = diag ? diag : &unused;
    if (!path || !meta) {
        snprintf(diag->text, sizeof diag->text, "%.200s: expected a file's name, and what the run is",
                 path ? path : "(no name)");
        return NULL;
    }
    karat_trace_writer *w = calloc(1, sizeof *w);
    const char *why = "out of memory";
    if (w) {
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->changed, NULL);
        w->name = strdup(name);
        w->zstd = ZSTD_createCCtx();
        w->frame = malloc(ZSTD_compressBound(COLUMNS_ROOM));
        w->raw = malloc(COLUMNS_ROOM);
        w->columns = karat_columns_create();
        w->chunks = malloc(NUM_CHUNK * sizeof *w->chunks);
    }
    if (w && w->name && w->zstd && w->frame && w->raw && w->columns && w->chunks) {
        w->filling = w->chunks;
        w->filling->used = 0;
        w->file = fopen(path, "wb");
        why = w->file ? NULL : strerror(errno);
    }
    if (!why) {
        uint8_t header[TRACE_HEADER] = TRACE_MAGIC;
        put_le(header + 8, KARAT_TRACE_VERSION, 4);
        put_le(header + 12, 0, 4);
        if (fwrite(header, sizeof header, 1, w->file) != 1)
            fail(w, errno);
        write_block(w, BLOCK_META, (const uint8_t *)meta, strlen(meta), 1);
        if (!w->error)
            w->error = pthread_create(&w->thread, NULL, write_chunks, w);
        why = w->error ? strerror(w->error) : NULL;
    }
    if (!why)
        return w;
    snprintf(diag->text, sizeof diag->text, "%.300s: cannot be written: %s", name, why);
    if (w) {
        if (w->file)
            fclose(w->file);
        free_writer(w);
    }
    return NULL;
}

bool karat_trace_record(void *writer, const void *record, size_t size) {
    uint64_t last = 0;
    if (!writer || !record || !size || size != karat_rec_size(((const karat_rec_header *)record)->kind))
        return false;
    size_t used = size;
    while (memcpy(&last, (const uint8_t *)record + used - 8, 8), !last) /* Lanes that the core has not */
        used -= 8;
    memcpy(give(writer, ((const karat_rec_header *)record)->kind, used), record, used);
    return false;
}

void karat_trace_tick(karat_trace_writer *w, uint64_t cycle) {
    if (w)
        memcpy(give(w, ENTRY_TICK, sizeof cycle), &cycle, sizeof cycle);
}

void karat_trace_bench_error(karat_trace_writer *w, uint64_t cycle, const char *text) {
    if (!w || !text)
        return;
    const size_t whole = strlen(text), length = whole < MAX_TEXT ? whole : MAX_TEXT;
    uint8_t *at = give(w, ENTRY_BENCH_ERROR, sizeof cycle + length);
    memcpy(at, &cycle, sizeof cycle);
    memcpy(at + sizeof cycle, text, length);
}

bool karat_trace_close(karat_trace_writer *w, const char *end, karat_diag *diag) {
    karat_diag unused;
    diag = diag ? diag : &unused;
    if (!w)
        return true;
    hand_over(w, true);
    pthread_join(w->thread, NULL);
    write_records(w);
    end = end ? end : "{}";
    write_block(w, BLOCK_END, (const uint8_t *)end, strlen(end), 1);
    errno = 0;
    if (fclose(w->file))
        fail(w, errno);
    bool ok = !w->error;
    if (!ok)
        snprintf(diag->text, sizeof diag->text, "%.300s: cannot be written: %s", w->name, strerror(w->error));
    free_writer(w);
    return ok;
}
