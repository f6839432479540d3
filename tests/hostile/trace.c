/* Trace files into karat check: the reader, META, the records, the verdict, the report.
 *
 * An input is a file as it is, or its blocks before they are packed and hashed: kind, entries (2 bytes), what of its header is a lie,
 * size (2 bytes), contents.  So that what lies behind the hash is reached. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "cli.h"
#include "format.h"
#include "hostile.h"

enum { MAX_FILE = 1 << 20 };
enum { LIE_HASH = 1, LIE_RAW = 2, LIE_PACKED = 4, LIE_FRAME = 8 };

static uint8_t file[MAX_FILE];
static size_t size_of_file;

static void put_block(input *in) {
    const uint8_t kind = (uint8_t)take(in, 1);
    const uint16_t entries = (uint16_t)take(in, 2);
    const uint8_t lies = (uint8_t)take(in, 1);
    size_t raw = (size_t)take(in, 2);
    if (raw > in->left)
        raw = in->left;
    uint8_t *header = file + size_of_file, *frame = header + BLOCK_HEADER;
    const size_t room = MAX_FILE - size_of_file;
    if (room < BLOCK_HEADER + ZSTD_compressBound(raw)) {
        in->left = 0;
        return;
    }
    size_t packed = ZSTD_compress(frame, room - BLOCK_HEADER, in->at, raw, 1);
    MUST(!ZSTD_isError(packed));
    in->at += raw;
    in->left -= raw;
    if (lies & LIE_FRAME && packed > 9)
        frame[packed - 9] ^= 0x55;
    memcpy(header, BLOCK_MAGIC, 4);
    put_le(header + 4, kind, 4);
    put_le(header + 8, packed + (lies & LIE_PACKED ? 1u << (lies >> 4) : 0), 4);
    put_le(header + 12, raw + (lies & LIE_RAW ? 1u << (lies >> 3) : 0), 4);
    put_le(header + 16, entries, 8);
    put_le(header + 24,
           XXH3_64bits_withSeed(frame, packed, XXH3_64bits(header, BLOCK_HASHED)) + (lies & LIE_HASH), 8);
    size_of_file += BLOCK_HEADER + packed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    const bool as_it_is = take(&in, 1) & 1;
    if (as_it_is) {
        size_of_file = in.left < MAX_FILE ? in.left : MAX_FILE;
        memcpy(file, in.at, size_of_file);
    } else {
        memcpy(file, TRACE_MAGIC, 8);
        put_le(file + 8, 1, 8); /* the version */
        size_of_file = TRACE_HEADER;
        while (in.left)
            put_block(&in);
    }
    const char *path = hostile_file("run.ktr", file, size_of_file);
    hostile_run(cmd_check, "check", "--peer", "--json", hostile_path("report.json"), path, (char *)NULL);
    return 0;
}
