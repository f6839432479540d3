/* Reading trace files: nothing in them is believed before its hash is right, and little after that. */
#include "trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "format.h"

struct karat_trace_reader {
    FILE *file;
    char *path;
    uint64_t block; /* that was read last, from 0 */
    uint8_t *frame; /* as it is in the file; kept as long as it needs to be */
    uint8_t *raw;   /* unpacked, with a NUL after it */
    size_t room_frame, room_raw;
    size_t size, at; /* of raw */
    uint64_t entries;
    char *meta;
    karat_trace_entry last; /* END, CUT or BAD: comes again */
    bool over;
    karat_diag diag;
    uint64_t record[KARAT_REC_MAX_SIZE / 8];
    char text[MAX_TEXT + 1];
};

typedef enum outcome { READ, CUT, BAD } outcome;

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

/* The next block, unpacked into raw. */
static outcome read_block(karat_trace_reader *r, enum block_kind *kind) {
    uint8_t header[BLOCK_HEADER];
    size_t got = fread(header, 1, sizeof header, r->file);
    if (ferror(r->file))
        return bad(r, "%s", strerror(errno));
    if (got < sizeof header)
        return CUT;
    uint64_t packed = get_le(header + 8, 4), raw = get_le(header + 12, 4);
    if (memcmp(header, BLOCK_MAGIC, 4) != 0)
        return bad(r, "it does not start with " BLOCK_MAGIC);
    if (raw > BLOCK_ROOM || packed > ZSTD_compressBound(BLOCK_ROOM))
        return bad(r, "of %llu bytes: none is so large", (unsigned long long)(raw > packed ? raw : packed));
    if (!make_room(&r->frame, &r->room_frame, packed) || !make_room(&r->raw, &r->room_raw, raw + 1))
        return bad(r, "out of memory");
    if (fread(r->frame, 1, packed, r->file) != packed)
        return ferror(r->file) ? bad(r, "%s", strerror(errno)) : CUT;
    uint64_t hash = XXH3_64bits_withSeed(r->frame, packed, XXH3_64bits(header, BLOCK_HASHED));
    if (hash != get_le(header + 24, 8))
        return bad(r, "its checksum is wrong");
    if (ZSTD_decompress(r->raw, raw, r->frame, packed) != raw)
        return bad(r, "it cannot be unpacked to the size in its header");
    r->raw[raw] = 0;
    r->size = raw;
    r->at = 0;
    r->entries = get_le(header + 16, 8);
    *kind = (enum block_kind)get_le(header + 4, 4);
    return READ;
}

karat_trace_reader *karat_trace_open(const char *path, karat_diag *diag) {
    karat_diag unused;
    diag = diag ? diag : &unused;
    path = path ? path : "";
    karat_trace_reader *r = calloc(1, sizeof *r);
    if (!r || !(r->path = strdup(path))) {
        free(r);
        snprintf(diag->text, sizeof diag->text, "%.200s: out of memory", path);
        return NULL;
    }
    uint8_t header[TRACE_HEADER];
    enum block_kind kind;
    outcome o = READ;
    r->file = fopen(path, "rb");
    if (!r->file) {
        snprintf(diag->text, sizeof diag->text, "%.200s: %s", path, strerror(errno));
    } else if (fread(header, sizeof header, 1, r->file) != 1 || memcmp(header, TRACE_MAGIC, 8) != 0) {
        snprintf(diag->text, sizeof diag->text, "%.200s: not a Karat trace", path);
    } else if (get_le(header + 8, 8) != KARAT_TRACE_VERSION) {
        snprintf(diag->text, sizeof diag->text, "%.200s: a trace of version %u; this is for version %d", path,
                 (unsigned)get_le(header + 8, 4), KARAT_TRACE_VERSION);
    } else if ((o = read_block(r, &kind)) != READ || kind != BLOCK_META ||
               strlen((char *)r->raw) != r->size) {
        if (o != BAD)
            bad(r, o == CUT ? "the file ends in it" : "no META block");
        *diag = r->diag;
    } else if (!(r->meta = strdup((char *)r->raw))) {
        snprintf(diag->text, sizeof diag->text, "%.200s: out of memory", path);
    } else {
        r->at = r->size;
        r->entries = 0;
        return r;
    }
    karat_trace_reader_free(r);
    return NULL;
}

void karat_trace_reader_free(karat_trace_reader *r) {
    if (!r)
        return;
    if (r->file)
        fclose(r->file);
    free(r->frame);
    free(r->raw);
    free(r->meta);
    free(r->path);
    free(r);
}

const char *karat_trace_meta(const karat_trace_reader *r) {
    return r ? r->meta : NULL;
}

/* Take bytes of the block; NULL where it has not so many. */
static const uint8_t *take(karat_trace_reader *r, size_t bytes) {
    if (r->size - r->at < bytes)
        return NULL;
    const uint8_t *at = r->raw + r->at;
    r->at += bytes;
    return at;
}

static bool take_record(karat_trace_reader *r, uint8_t kind, karat_trace_entry *entry) {
    const size_t size = karat_rec_size(kind), words = size / 8;
    const uint8_t *mask = size ? take(r, (words + 7) / 8) : NULL;
    if (!mask)
        return false;
    memset(r->record, 0, size);
    for (size_t i = 0; i < words; i += 8)
        for (unsigned set = mask[i / 8]; set; set &= set - 1) {
            const size_t at = i + (size_t)__builtin_ctz(set);
            const uint8_t *word = at < words ? take(r, 8) : NULL;
            if (!word)
                return false;
            memcpy(&r->record[at], word, 8);
        }
    *entry = (karat_trace_entry){.kind = KARAT_TRACE_RECORD, .record = r->record, .size = size};
    return ((const karat_rec_header *)r->record)->kind == kind;
}

static bool take_event(karat_trace_reader *r, uint8_t kind, karat_trace_entry *entry) {
    const uint8_t *cycle = take(r, 8);
    if (!cycle)
        return false;
    *entry = (karat_trace_entry){.kind = KARAT_TRACE_TICK, .cycle = get_le(cycle, 8)};
    if (kind == ENTRY_TICK)
        return true;
    const uint8_t *length = take(r, 2);
    size_t bytes = length ? (size_t)get_le(length, 2) : 0;
    const uint8_t *text = length && bytes <= MAX_TEXT ? take(r, bytes) : NULL;
    if (!text)
        return false;
    memcpy(r->text, text, bytes);
    r->text[bytes] = 0;
    entry->kind = KARAT_TRACE_OBJECT;
    entry->text = r->text;
    return true;
}

static void end(karat_trace_reader *r, outcome o, karat_trace_entry *entry) {
    r->last = (karat_trace_entry){.kind = o == READ  ? KARAT_TRACE_END
                                          : o == CUT ? KARAT_TRACE_CUT
                                                     : KARAT_TRACE_BAD,
                                  .text = o == READ ? (const char *)r->raw : NULL};
    r->over = true;
    *entry = r->last;
}

void karat_trace_next(karat_trace_reader *r, karat_trace_entry *entry, karat_diag *diag) {
    if (!entry)
        return;
    *entry = (karat_trace_entry){.kind = KARAT_TRACE_BAD};
    if (!r)
        return;
    karat_diag unused;
    diag = diag ? diag : &unused;
    while (!r->over && r->at == r->size) {
        enum block_kind kind = BLOCK_RECORDS;
        outcome o = r->entries ? bad(r, "%llu entries are missing", (unsigned long long)r->entries) : READ;
        r->block++;
        if (o == READ)
            o = read_block(r, &kind);
        if (o == READ && kind == BLOCK_END && fgetc(r->file) != EOF)
            o = bad(r, "there is data after the END block");
        else if (o == READ && kind != BLOCK_END && kind != BLOCK_RECORDS)
            o = bad(r, "kind %u is unknown", (unsigned)kind);
        if (o != READ || kind == BLOCK_END)
            end(r, o, entry);
    }
    if (!r->over) {
        uint8_t kind = *take(r, 1);
        bool ok =
            r->entries > 0 && (kind == ENTRY_TICK || kind == ENTRY_OBJECT ? take_event(r, kind, entry)
                                                                          : take_record(r, kind, entry));
        r->entries -= ok;
        if (!ok)
            end(r, bad(r, "byte %zu of its contents is in no entry", r->at), entry);
    }
    if (r->over) {
        *entry = r->last;
        if (entry->kind == KARAT_TRACE_BAD)
            *diag = r->diag;
    }
}
