/* Reading trace files: nothing in them is believed before its hash is right, and little after that.
 * Entries are unpacked into batches, by the caller's thread or by one that reads ahead of it. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "format.h"
#include "interrupt.h"

/* An entry in a batch; a record or a text follows. */
typedef struct unpacked {
    uint32_t kind, size; /* karat_trace_kind; of what follows */
    uint64_t cycle;
} unpacked;

enum {
    NUM_BATCH = 3,
    PATIENCE = 200,        /* Ms: a signal may come just before a wait for a writer begins */
    BATCH_WORDS = 1 << 15, /* Of 8 bytes */
    LARGEST_UNPACKED =
        (sizeof(unpacked) +
         ((size_t)KARAT_REC_MAX_SIZE > MAX_TEXT + 1 ? (size_t)KARAT_REC_MAX_SIZE : MAX_TEXT + 1) + 7) /
        8
};

typedef struct batch {
    size_t used; /* Of its words */
    bool last;   /* The reader's last comes after it */
    uint64_t words[BATCH_WORDS];
} batch;

struct karat_trace_reader {
    /* The caller's. */
    batch *batches;
    const batch *batch; /* Batch that entries are taken from; NULL: none was asked for */
    size_t taken, used; /* Words of the batch: taken, and in all */
    bool ahead;         /* A thread reads ahead */
    pthread_t thread;
    pthread_mutex_t lock; /* Guards the batches that the thread passes on */
    pthread_cond_t changed;
    uint64_t num_filled, num_taken; /* Batches, ever */
    bool closing;
    atomic_bool skips; /* Entries are not wanted */

    /* The thread's; where there is none, or after the last batch, the caller's. */
    int file;
    int error;  /* Errno of what could not be read */
    bool waits; /* For a writer: no regular file */
    ZSTD_DCtx *zstd;
    columns *columns; /* Of the block */
    char *path;
    uint64_t block; /* Number of the block that was read last, from 0 */
    uint64_t hash;  /* Hash of the block that was read last */
    uint8_t *frame; /* As in the file; kept as long as it needs to be */
    uint8_t *raw;   /* Unpacked, with a NUL after it */
    size_t room_frame, room_raw;
    size_t size; /* Of raw */
    uint64_t entries;
    char *meta;
    karat_trace_entry last; /* END, CUT or BAD: comes again */
    bool over;
    karat_diag diag;
};

typedef enum outcome { READ, CUT, BAD, SKIPPED } outcome;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static outcome
bad(karat_trace_reader *r, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(r->diag.text, sizeof r->diag.text, "%.250s: block %llu: %s", r->path,
             (unsigned long long)r->block, what);
    return BAD;
}

static bool make_room(uint8_t **bytes, size_t *room, size_t wanted) {
    if (wanted <= *room)
        return true;
    uint8_t *larger = realloc(*bytes, wanted);
    if (!larger)
        return false;
    *bytes = larger;
    *room = wanted;
    return true;
}

/* So many bytes, or as many as there are: to the end of the file, an error, or a signal while a writer is
 * waited for, which read() itself would not return from. */
static size_t read_bytes(karat_trace_reader *r, void *bytes, size_t size) {
    size_t num = 0;
    while (num < size && !r->error) {
        struct pollfd file = {.fd = r->file, .events = POLLIN};
        const bool waits = r->waits && poll(&file, 1, PATIENCE) == 0;
        if (r->waits && karat_interrupted())
            break;
        if (waits)
            continue;
        const ssize_t got = read(r->file, (char *)bytes + num, size - num);
        if (got == 0)
            break;
        if (got > 0)
            num += (size_t)got;
        else if (errno != EINTR && errno != EAGAIN)
            r->error = errno;
    }
    return num;
}

/* The next block, unpacked into raw; SKIPPED: not unpacked. */
static outcome read_block(karat_trace_reader *r, enum block_kind *kind) {
    uint8_t header[BLOCK_HEADER];
    const size_t got = read_bytes(r, header, sizeof header);
    if (r->error)
        return bad(r, "%s", strerror(r->error));
    if (got < sizeof header)
        return CUT;
    uint64_t packed = get_le(header + 8, 4), raw = get_le(header + 12, 4);
    if (get_le(header, 4) != block_check(header, r->hash))
        return bad(r, "its header is damaged, or is that of another block");
    if (raw > BLOCK_ROOM || packed > ZSTD_compressBound(BLOCK_ROOM))
        return bad(r, "of %llu bytes: none is so large", (unsigned long long)(raw > packed ? raw : packed));
    if (!make_room(&r->frame, &r->room_frame, packed) || !make_room(&r->raw, &r->room_raw, raw + 1))
        return bad(r, "out of memory");
    if (read_bytes(r, r->frame, packed) != packed)
        return r->error ? bad(r, "%s", strerror(r->error)) : CUT;
    r->hash = block_hash(header, r->frame, packed);
    if (r->hash != get_le(header + BLOCK_HASHED, 8))
        return bad(r, "its checksum is wrong");
    *kind = (enum block_kind)get_le(header + 4, 4);
    r->size = r->entries = 0;
    if (*kind == BLOCK_RECORDS && r->skips)
        return SKIPPED;
    if (ZSTD_decompressDCtx(r->zstd, r->raw, raw, r->frame, packed) != raw)
        return bad(r, "it cannot be unpacked to the size in its header");
    r->raw[raw] = 0;
    r->size = raw;
    r->entries = get_le(header + 16, 8);
    return READ;
}

karat_trace_reader *karat_trace_open(const char *path, karat_diag *diag) {
    karat_diag unused;
    diag = diag ? diag : &unused;
    path = path ? path : "";
    karat_trace_reader *r = calloc(1, sizeof *r);
    if (r) {
        r->file = -1;
        pthread_mutex_init(&r->lock, NULL);
        pthread_cond_init(&r->changed, NULL);
        r->path = strdup(path);
        r->zstd = ZSTD_createDCtx();
        r->columns = karat_columns_create();
        r->batches = malloc(NUM_BATCH * sizeof *r->batches);
    }
    if (!r || !r->path || !r->zstd || !r->columns || !r->batches) {
        karat_trace_reader_free(r);
        snprintf(diag->text, sizeof diag->text, "%.200s: out of memory", path);
        return NULL;
    }
    uint8_t header[TRACE_HEADER] = {0};
    enum block_kind kind;
    outcome o = READ;
    struct stat is;
    r->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* A pipe may have no writer yet */
    if (r->file < 0 || fstat(r->file, &is)) {
        snprintf(diag->text, sizeof diag->text, "%.200s: cannot be opened: %s", path, strerror(errno));
    } else if (r->waits = !S_ISREG(is.st_mode),
               read_bytes(r, header, sizeof header) < sizeof header && r->error) {
        snprintf(diag->text, sizeof diag->text, "%.200s: %s", path, strerror(r->error));
    } else if (karat_interrupted() && r->waits) {
        snprintf(diag->text, sizeof diag->text, "%.200s: ended by %s before anything came", path,
                 karat_interrupt_name());
    } else if (memcmp(header, TRACE_MAGIC, 8) != 0) {
        snprintf(diag->text, sizeof diag->text, "%.200s: not a Karat recording", path);
    } else if (get_le(header + 8, 8) != KARAT_TRACE_VERSION) {
        snprintf(diag->text, sizeof diag->text,
                 "%.200s: a recording of version %llu; this karat reads version %d", path,
                 (unsigned long long)get_le(header + 8, 8), KARAT_TRACE_VERSION);
    } else if ((o = read_block(r, &kind)) != READ || kind != BLOCK_META ||
               strlen((char *)r->raw) != r->size) {
        if (o != BAD)
            bad(r, o == CUT ? "the file ends in it, before anything to judge" : "no META block");
        *diag = r->diag;
    } else if (!(r->meta = strdup((char *)r->raw))) {
        snprintf(diag->text, sizeof diag->text, "%.200s: out of memory", path);
    } else {
        return r;
    }
    karat_trace_reader_free(r);
    return NULL;
}

void karat_trace_reader_free(karat_trace_reader *r) {
    if (!r)
        return;
    if (r->ahead) {
        pthread_mutex_lock(&r->lock);
        r->closing = true;
        pthread_cond_signal(&r->changed);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
    }
    if (r->file >= 0)
        close(r->file);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->changed);
    ZSTD_freeDCtx(r->zstd);
    karat_columns_destroy(r->columns);
    free(r->batches);
    free(r->frame);
    free(r->raw);
    free(r->meta);
    free(r->path);
    free(r);
}

void karat_trace_skip(karat_trace_reader *r) {
    if (r)
        r->skips = true;
}

const char *karat_trace_meta(const karat_trace_reader *r) {
    return r ? r->meta : NULL;
}

/* --- Entries --- */

/* The next entry of the block. */
static FOR_EACH_USE bool take_entry(karat_trace_reader *r, batch *b) {
    unpacked *to = (unpacked *)&b->words[b->used];
    size_t size = karat_columns_get(r->columns, (uint32_t *)(to + 1));
    uint64_t cycle = 0;
    const bool is_record = size;
    if (!is_record && !karat_columns_get_event(r->columns, &cycle, (char *)(to + 1), &size))
        return false;
    *to = (unpacked){is_record ? KARAT_TRACE_RECORD
                     : size    ? KARAT_TRACE_BENCH_ERROR
                               : KARAT_TRACE_TICK,
                     (uint32_t)size, cycle};
    b->used += (sizeof *to + to->size + 7) / 8;
    return true;
}

/* Entries of the block, as many as fit. False: its columns have no such entry. */
static bool take_entries(karat_trace_reader *r, batch *b) {
    for (uint64_t left = karat_columns_left(r->columns); left && b->used + LARGEST_UNPACKED <= BATCH_WORDS;
         left--)
        if (!take_entry(r, b))
            return false;
    return true;
}

/* The next block of records, or the end. */
static OUT_OF_LINE outcome next_block(karat_trace_reader *r, enum block_kind *kind) {
    outcome o = karat_columns_empty(r->columns) ? READ : bad(r, "its columns have more than its entries");
    r->block++;
    if (o == READ)
        o = read_block(r, kind);
    if (o == SKIPPED)
        return READ;
    if (o == READ && *kind == BLOCK_END && read_bytes(r, &(uint8_t){0}, 1))
        o = bad(r, "there is data after the END block");
    else if (o == READ && *kind != BLOCK_END && *kind != BLOCK_RECORDS)
        o = bad(r, "kind %u is unknown", (unsigned)*kind);
    else if (o == READ && *kind == BLOCK_RECORDS &&
             !karat_columns_open(r->columns, r->raw, r->size, r->entries))
        o = bad(r, "its columns do not fit into it");
    return o;
}

static void end(karat_trace_reader *r, outcome o) {
    r->last = (karat_trace_entry){.kind = o == READ  ? KARAT_TRACE_END
                                          : o == CUT ? KARAT_TRACE_CUT
                                                     : KARAT_TRACE_BAD,
                                  .text = o == READ ? (const char *)r->raw : NULL};
    r->over = true;
}

/* As many entries as fit. */
static void fill(karat_trace_reader *r, batch *b) {
    b->used = 0;
    while (!r->over && b->used + LARGEST_UNPACKED <= BATCH_WORDS) {
        enum block_kind kind = BLOCK_RECORDS;
        const bool more = karat_columns_left(r->columns);
        const outcome o = more ? READ : next_block(r, &kind);
        if (o != READ || kind == BLOCK_END)
            end(r, o);
        else if (more && !take_entries(r, b))
            end(r, bad(r, "its columns hold no entry of the last %llu",
                       (unsigned long long)karat_columns_left(r->columns)));
    }
    b->last = r->over;
}

static void *read_ahead(void *reader) {
    karat_trace_reader *r = reader;
    bool last = false;
    pthread_mutex_lock(&r->lock);
    while (!last) {
        while (r->num_filled - r->num_taken == NUM_BATCH && !r->closing)
            pthread_cond_wait(&r->changed, &r->lock);
        if (r->closing)
            break;
        pthread_mutex_unlock(&r->lock);
        batch *b = &r->batches[r->num_filled % NUM_BATCH];
        fill(r, b);
        last = b->last;
        pthread_mutex_lock(&r->lock);
        r->num_filled++;
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

void karat_trace_read_ahead(karat_trace_reader *r) {
    sigset_t all, before;
    if (!r || r->ahead || r->batch || r->waits)
        return; /* The signal that ends the wait for a writer is the caller's */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* Signals are the caller's */
    r->ahead = pthread_create(&r->thread, NULL, read_ahead, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The batch that the caller takes from, after it has taken all of the one before. */
static const batch *next_batch(karat_trace_reader *r) {
    r->taken = 0;
    if (!r->ahead) {
        fill(r, r->batches);
        return r->batches;
    }
    pthread_mutex_lock(&r->lock);
    r->num_taken += r->batch != NULL;
    pthread_cond_signal(&r->changed);
    while (r->num_filled == r->num_taken)
        pthread_cond_wait(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
    return &r->batches[r->num_taken % NUM_BATCH];
}

/* Further entries to take. False: there are none any more. */
static bool turn_over(karat_trace_reader *r) {
    while (!r->batch || (r->taken == r->batch->used && !r->batch->last))
        r->batch = next_batch(r);
    r->used = r->batch->used;
    return r->taken < r->used;
}

/* The next entry where the batch has none: its first one of the next batch, or how the file ends. */
static OUT_OF_LINE bool turn_over_or_end(karat_trace_reader *r, karat_trace_entry *entry, karat_diag *diag) {
    if (!r) {
        *entry = (karat_trace_entry){.kind = KARAT_TRACE_BAD};
        return false;
    }
    if (turn_over(r))
        return true;
    *entry = r->last;
    if (entry->kind == KARAT_TRACE_BAD && diag)
        *diag = r->diag;
    return false;
}

void karat_trace_next(karat_trace_reader *r, karat_trace_entry *entry, karat_diag *diag) {
    if (!entry || ((!r || r->taken == r->used) && !turn_over_or_end(r, entry, diag)))
        return;
    const unpacked *from = (const unpacked *)&r->batch->words[r->taken];
    entry->kind = (karat_trace_kind)from->kind;
    r->taken += (sizeof *from + from->size + 7) / 8;
    if (from->kind == KARAT_TRACE_RECORD) {
        entry->record = from + 1;
        entry->size = from->size;
    } else {
        entry->cycle = from->cycle;
        entry->text = from->kind == KARAT_TRACE_BENCH_ERROR ? (const char *)(from + 1) : NULL;
    }
}
