/* The function fopencookie() is GNU's. */
#define _GNU_SOURCE
#include "packed.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>
#include <zstd.h>

enum { ROOM = 1 << 16 };

typedef struct packer {
    FILE *out;
    z_stream gzip;
    ZSTD_CStream *zstd; /* NULL: gzip */
    char room[ROOM];
} packer;

static bool put(packer *p, size_t size) {
    return fwrite(p->room, 1, size, p->out) == size;
}

/* The flush is Z_NO_FLUSH or Z_FINISH. */
static bool pack_gzip(packer *p, int flush) {
    do {
        p->gzip.next_out = (Bytef *)p->room;
        p->gzip.avail_out = ROOM;
        deflate(&p->gzip, flush);
        if (!put(p, ROOM - p->gzip.avail_out))
            return false;
    } while (!p->gzip.avail_out);
    return true;
}

static bool pack_zstd(packer *p, ZSTD_inBuffer *in, ZSTD_EndDirective end) {
    size_t left;
    do {
        ZSTD_outBuffer out = {p->room, ROOM, 0};
        left = ZSTD_compressStream2(p->zstd, &out, in, end);
        if (ZSTD_isError(left) || !put(p, out.pos))
            return false;
    } while (in->pos < in->size || (end == ZSTD_e_end && left));
    return true;
}

static ssize_t take(void *cookie, const char *bytes, size_t size) {
    packer *p = cookie;
    if (p->zstd)
        return pack_zstd(p, &(ZSTD_inBuffer){bytes, size, 0}, ZSTD_e_continue) ? (ssize_t)size : 0;
    p->gzip.next_in = (Bytef *)(uintptr_t)bytes; /* Bytes that zlib does not write to */
    p->gzip.avail_in = (uInt)size;
    return pack_gzip(p, Z_NO_FLUSH) ? (ssize_t)size : 0;
}

static int finish(void *cookie) {
    packer *p = cookie;
    bool good;
    if (p->zstd) {
        good = pack_zstd(p, &(ZSTD_inBuffer){NULL, 0, 0}, ZSTD_e_end);
        ZSTD_freeCStream(p->zstd);
    } else {
        good = pack_gzip(p, Z_FINISH);
        deflateEnd(&p->gzip);
    }
    free(p);
    return good ? 0 : EOF;
}

static bool ends_with(const char *name, const char *end) {
    const size_t length = strlen(name), last = strlen(end);
    return length > last && !strcmp(name + length - last, end);
}

FILE *packed_open(FILE *out, const char *name) {
    const bool gzip = ends_with(name, ".gz"), zstd = ends_with(name, ".zst");
    if (!gzip && !zstd)
        return out;
    packer *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->out = out;
    if (gzip ? deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
                            Z_DEFAULT_STRATEGY) != Z_OK
             : !(p->zstd = ZSTD_createCStream())) {
        free(p);
        return NULL;
    }
    const cookie_io_functions_t functions = {.write = take, .close = finish};
    FILE *stream = fopencookie(p, "w", functions);
    if (!stream)
        finish(p);
    return stream;
}

int packed_close(FILE *stream, FILE *out) {
    const bool failed = ferror(stream);
    return (stream == out ? 0 : fclose(stream)) || failed ? EOF : 0;
}
