#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "cli.h"

#define MOST (1u << 30) /* bytes: a device that never ends is no input, and a packed file may be a bomb */

typedef struct bytes {
    char *at;
    size_t size, room;
    const char *wrong; /* NULL: nothing */
} bytes;

/* Room for more, and for a zero. */
static bool grow(bytes *b) {
    if (b->size + 1 < b->room)
        return true;
    if (b->size >= MOST) {
        b->wrong = "expected less than 1 GiB";
        return false;
    }
    const size_t room = b->room ? 2 * b->room : 1u << 16;
    char *more = realloc(b->at, room);
    if (!more) {
        b->wrong = "not enough memory";
        return false;
    }
    b->at = more;
    b->room = room;
    return true;
}

static void read_all(bytes *b, FILE *stream) {
    while (grow(b)) {
        errno = 0;
        const size_t got = fread(b->at + b->size, 1, b->room - 1 - b->size, stream);
        b->size += got;
        if (ferror(stream))
            b->wrong = errno ? strerror(errno) : "an error of the device";
        if (!got)
            break;
    }
}

static void unpack_gzip(bytes *b, const bytes *packed) {
    z_stream z = {.next_in = (Bytef *)packed->at, .avail_in = (uInt)packed->size};
    int status = inflateInit2(&z, 16 + MAX_WBITS);
    while (status == Z_OK && grow(b)) {
        z.next_out = (Bytef *)b->at + b->size;
        z.avail_out = (uInt)(b->room - 1 - b->size);
        status = inflate(&z, Z_NO_FLUSH);
        b->size = (size_t)(z.next_out - (Bytef *)b->at);
        if (status == Z_STREAM_END && z.avail_in) /* files put together */
            status = inflateReset(&z);
    }
    if (!b->wrong && status != Z_STREAM_END)
        b->wrong = status == Z_MEM_ERROR ? "not enough memory" : "damaged, or cut off, as a file of gzip";
    inflateEnd(&z);
}

static void unpack_zstd(bytes *b, const bytes *packed) {
    ZSTD_DStream *z = ZSTD_createDStream();
    ZSTD_inBuffer in = {packed->at, packed->size, 0};
    size_t left = z ? 1 : 0;
    if (!z)
        b->wrong = "not enough memory";
    while (z && (in.pos < in.size || left) && grow(b)) {
        ZSTD_outBuffer out = {b->at, b->room - 1, b->size};
        const size_t before = in.pos;
        left = ZSTD_decompressStream(z, &out, &in);
        const bool stuck = out.pos == b->size && in.pos == before;
        b->size = out.pos;
        if (ZSTD_isError(left) || (stuck && left)) {
            b->wrong = "damaged, or cut off, as a file of zstd";
            break;
        }
    }
    ZSTD_freeDStream(z);
}

static bool begins(const bytes *b, const char *magic, size_t size) {
    return b->size >= size && memcmp(b->at, magic, size) == 0;
}

const char *input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

char *input_read(const char *path, size_t *size) {
    errno = 0;
    FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!stream) {
        cli_error("%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    bytes file = {0};
    read_all(&file, stream);
    if (stream != stdin)
        fclose(stream);
    if (!file.wrong && (begins(&file, "\x1f\x8b", 2) || begins(&file, "\x28\xb5\x2f\xfd", 4))) {
        bytes whole = {0};
        (file.at[0] == 0x1f ? unpack_gzip : unpack_zstd)(&whole, &file);
        free(file.at);
        file = whole;
    }
    if (file.wrong) {
        cli_error("%s: cannot be read: %s", input_name(path), file.wrong);
        free(file.at);
        return NULL;
    }
    file.at[file.size] = '\0';
    *size = file.size;
    return file.at;
}
