#include "input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "cli.h"

#define MOST (1u << 30) /* Bytes: a device that never ends is no input, and a packed file may be a bomb */

enum { ROOM = 1 << 16 };

/* A file, and what is packed in it. */
typedef struct source {
    FILE *file;
    bool is_gzip;
    ZSTD_DStream *zstd; /* NULL: gzip, or not packed */
    z_stream gzip;
    char read[ROOM];   /* Bytes as read from the file */
    size_t at, size;   /* Bytes of it that are not used yet */
    bool whole;        /* Packed: no more of it is expected */
    const char *wrong; /* NULL: nothing */
} source;

/* The next bytes of the file, where all have been used. */
static bool fill(source *s) {
    if (s->at < s->size)
        return true;
    errno = 0;
    s->at = 0;
    s->size = fread(s->read, 1, ROOM, s->file);
    if (ferror(s->file))
        s->wrong = errno ? strerror(errno) : "an error of the device";
    return s->size > 0;
}

static bool begins(const source *s, const char *magic, size_t size) {
    return s->size >= size && memcmp(s->read, magic, size) == 0;
}

static bool source_open(source *s, const char *path) {
    *s = (source){0};
    errno = 0;
    s->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!s->file) {
        cli_error("%s: cannot be opened: %s", path, strerror(errno));
        return false;
    }
    fill(s);
    s->is_gzip = begins(s, "\x1f\x8b", 2);
    if (s->is_gzip && inflateInit2(&s->gzip, 16 + MAX_WBITS) != Z_OK)
        s->wrong = "not enough memory";
    if (begins(s, "\x28\xb5\x2f\xfd", 4) && !(s->zstd = ZSTD_createDStream()))
        s->wrong = "not enough memory";
    return true;
}

static void source_close(source *s) {
    if (s->is_gzip)
        inflateEnd(&s->gzip);
    ZSTD_freeDStream(s->zstd);
    if (s->file && s->file != stdin)
        fclose(s->file);
}

/* Unpack what was read.  Returns the number of bytes. */
static size_t unpack_gzip(source *s, char *out, size_t room) {
    z_stream *z = &s->gzip;
    if (s->whole) /* Files put together */
        inflateReset(z);
    z->next_in = (Bytef *)s->read + s->at;
    z->avail_in = (uInt)(s->size - s->at);
    z->next_out = (Bytef *)out;
    z->avail_out = (uInt)room;
    const int status = inflate(z, Z_NO_FLUSH);
    s->at = s->size - z->avail_in;
    s->whole = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR)
        s->wrong = "not enough memory";
    else if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        s->wrong = "damaged, or cut off, as a file of gzip";
    return room - z->avail_out;
}

static size_t unpack_zstd(source *s, char *out, size_t room) {
    ZSTD_inBuffer in = {s->read, s->size, s->at};
    ZSTD_outBuffer to = {out, room, 0};
    const size_t left = ZSTD_decompressStream(s->zstd, &to, &in);
    s->at = in.pos;
    s->whole = left == 0;
    if (ZSTD_isError(left))
        s->wrong = "damaged, or cut off, as a file of zstd";
    return to.pos;
}

/* The next bytes of the contents; 0: their end, or something is wrong. */
static size_t source_read(source *s, char *out, size_t room) {
    while (!s->wrong) {
        if (!s->is_gzip && !s->zstd) {
            const size_t size = !fill(s) ? 0 : s->size - s->at < room ? s->size - s->at : room;
            memcpy(out, s->read + s->at, size);
            s->at += size;
            return size;
        }
        if (s->whole && !fill(s))
            return 0;
        const size_t size = (s->is_gzip ? unpack_gzip : unpack_zstd)(s, out, room);
        if (size)
            return size;
        if (!s->whole && !s->wrong && !fill(s) && !s->wrong)
            s->wrong = s->is_gzip ? "damaged, or cut off, as a file of gzip"
                                  : "damaged, or cut off, as a file of zstd";
    }
    return 0;
}

const char *input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Nothing was wrong.  False: an error was reported. */
static bool is_good(const source *s, const char *path) {
    if (s->wrong)
        cli_error("%s: cannot be read: %s", input_name(path), s->wrong);
    return !s->wrong;
}

char *input_read(const char *path, size_t *size) {
    source s;
    if (!source_open(&s, path))
        return NULL;
    char *all = NULL, *more;
    size_t room = ROOM / 2;
    *size = 0;
    for (size_t got = 1; got && !s.wrong; *size += got) {
        if (!all || *size + 1 == room) {
            s.wrong = *size >= MOST ? "expected less than 1 GiB" : NULL;
            more = s.wrong ? NULL : realloc(all, room *= 2);
            if (!more && !s.wrong)
                s.wrong = "not enough memory";
            all = more ? more : all;
        }
        got = source_read(&s, all + *size, room - 1 - *size);
    }
    const bool good = is_good(&s, path);
    source_close(&s);
    if (good) {
        all[*size] = '\0';
        return all;
    }
    free(all);
    return NULL;
}

/* The contents in a file without a name. */
static FILE *unpack(source *s) {
    char bytes[ROOM];
    uint64_t all = 0;
    FILE *file = tmpfile();
    for (size_t got = 1; file && got && !s->wrong; all += got) {
        got = source_read(s, bytes, sizeof bytes);
        if (fwrite(bytes, 1, got, file) != got)
            s->wrong = "no room for a temporary file";
        if (all >= MOST)
            s->wrong = "expected less than 1 GiB";
    }
    if (!file)
        s->wrong = "a temporary file cannot be made";
    return file;
}

FILE *input_open(const char *path) {
    source s;
    struct stat info;
    FILE *file;
    if (!source_open(&s, path))
        return NULL;
    if (s.file == stdin || s.is_gzip || s.zstd || fstat(fileno(s.file), &info) != 0 ||
        !S_ISREG(info.st_mode)) {
        file = unpack(&s);
    } else {
        file = s.file;
        s.file = NULL;
    }
    const bool good = is_good(&s, path);
    source_close(&s);
    if (!good && file)
        fclose(file);
    if (good)
        rewind(file);
    return good ? file : NULL;
}
