/* Trace files into karat check: the reader, META, the records, the verdict, the report.
 *
 * An input is a byte that says how to judge, and what the rest is:
 *
 *   AS_IT_IS  a file.
 *   EDITS     which legal run (one byte; META, records and END as Karat writes them), and what is done to the
 *             contents of its blocks and to their headers, seven bytes each time: operation, block, where
 *             (2), value (3).
 *   BLOCKS    blocks: kind, entries (2 bytes), what of the header is a lie, size (2 bytes), contents.
 *
 * A block's contents are packed and hashed after that, so that code after the hash check is reached. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "check.h"
#include "subcommands.h"
#include "format.h"
#include "hostile.h"
#include "legal.h"
#include "meta.h"
#include "trace.h"

enum { AS_IT_IS, EDITS, BLOCKS, NUM_FORMS };
enum { MAX_FILE = 1 << 20, MAX_BLOCKS = 64 };
enum { LIE_HASH = 1, LIE_RAW = 2, LIE_PACKED = 4, LIE_FRAME = 8 };

typedef struct block {
    uint32_t kind;
    uint64_t entries;
    uint8_t lies;
    uint8_t *raw;
    size_t size;
} block;

static uint8_t file[MAX_FILE];
static size_t size_of_file;
static uint64_t last_hash;

static void put_header(void) {
    last_hash = 0;
    memcpy(file, TRACE_MAGIC, 8);
    put_le(file + 8, KARAT_TRACE_VERSION, 8);
    size_of_file = TRACE_HEADER;
}

/* False: there is no room for it. */
static bool put_block(const block *b) {
    uint8_t *header = file + size_of_file, *frame = header + BLOCK_HEADER;
    const size_t room = MAX_FILE - size_of_file;
    if (room < BLOCK_HEADER + ZSTD_compressBound(b->size))
        return false;
    size_t packed = ZSTD_compress(frame, room - BLOCK_HEADER, b->raw, b->size, 1);
    MUST(!ZSTD_isError(packed));
    if (b->lies & LIE_FRAME && packed > 9)
        frame[packed - 9] ^= 0x55;
    put_le(header + 4, b->kind, 4);
    put_le(header + 8, packed + (b->lies & LIE_PACKED ? 1u << (b->lies >> 4) : 0), 4);
    put_le(header + 12, b->size + (b->lies & LIE_RAW ? 1u << (b->lies >> 3) : 0), 4);
    put_le(header + 16, b->entries, 8);
    last_hash = seal_block(header, last_hash, frame, packed);
    if (b->lies & LIE_HASH)
        header[BLOCK_HASHED] ^= 1;
    size_of_file += BLOCK_HEADER + packed;
    return true;
}

/* --- Blocks of the input's own --- */

static void put_blocks(input *in) {
    block b = {.kind = 0};
    put_header();
    do {
        in->at += b.size;
        in->left -= b.size;
        b.kind = (uint8_t)take(in, 1);
        b.entries = (uint16_t)take(in, 2);
        b.lies = (uint8_t)take(in, 1);
        b.size = (size_t)take(in, 2);
        if (b.size > in->left)
            b.size = in->left;
        b.raw = (uint8_t *)in->at;
    } while (in->left && put_block(&b));
}

/* --- A legal run --- */

typedef struct run {
    block blocks[MAX_BLOCKS];
    uint32_t num;
} run;

static int check(const char *path, unsigned how) {
    static const char *const without[] = {"--without=exit",     "--without=order", "--without=mem",
                                          "--without=seq",      "--without=read",  "--without=write",
                                          "--without=simt,csr", "--without=audit"};
    return hostile_run(cmd_check, "check", "--json", hostile_path("report.json"), without[how & 7],
                       how & 8 ? "--continue" : "--records",
                       how & 16  ? "--strict=registers,lanes,lds,races"
                       : how & 8 ? "--quiet"
                                 : "--failures=3",
                       path, (char *)NULL);
}

/* Whatever a kernel may have is in META. */
static char *make_meta(void) {
    static const karat_symbol symbols[] = {{"begin", CODE_BASE, 64}, {"rest", CODE_BASE + 64, 4096}};
    static const karat_buffer buffers[] = {{.base = CODE_BASE, .alloc_size = 4096}};
    static const char *files[] = {"first.S", "second.c"};
    static const karat_line rows[] = {{CODE_BASE, 0, 3}, {CODE_BASE + 16, 1, 7}, {CODE_BASE + 4096, 0, 0}};
    static const karat_lines lines = {2, 3, files, rows};
    static const karat_ulp_bound bound = {"vfexp.v", 2};
    karat_kernel kernel = {.name = "synthetic"};
    kernel.symbols = (karat_symbol *)symbols;
    kernel.num_symbols = 2;
    kernel.buffers = (karat_buffer *)buffers;
    kernel.num_buffers = 1;
    const karat_kernel *kernels[] = {&kernel};
    const karat_lines *each[] = {&lines};
    karat_check_config config;
    karat_check_config_default(&config);
    config.model = core_model_config();
    config.core = "synthetic";
    config.program = "synthetic.elf";
    config.rerun = "run again";
    config.kernels = kernels;
    config.num_kernels = 1;
    config.lines = each;
    config.bounds = &bound;
    config.num_bounds = 1;
    return karat_trace_meta_make(&config, 64);
}

/* The blocks of a file that Karat has written, their contents unpacked. */
static void take_apart(const char *path, run *r) {
    FILE *from = fopen(path, "rb");
    MUST(from);
    size_of_file = fread(file, 1, MAX_FILE, from);
    MUST(fclose(from) == 0 && size_of_file < MAX_FILE);
    for (size_t at = TRACE_HEADER; at < size_of_file;) {
        const uint8_t *header = file + at;
        const size_t packed = (size_t)get_le(header + 8, 4), size = (size_t)get_le(header + 12, 4);
        MUST(r->num < MAX_BLOCKS);
        block *b = &r->blocks[r->num++];
        *b =
            (block){.kind = (uint32_t)get_le(header + 4, 4), .entries = get_le(header + 16, 8), .size = size};
        MUST(b->raw = malloc(size + 1));
        MUST(ZSTD_decompress(b->raw, size, header + BLOCK_HEADER, packed) == size);
        at += BLOCK_HEADER + packed;
    }
}

/* Made when first asked for; as it is, it passes. */
static const run *legal_run(uint8_t which) {
    static run made[64];
    which %= 64;
    if (made[which].num)
        return &made[which];
    const char *path = hostile_path("legal.ktr");
    const stream *s = legal_stream(which);
    karat_diag diag;
    char *meta = make_meta(), *end = karat_trace_end_make("run again");
    MUST(meta && end);
    karat_trace_writer *w = karat_trace_create(path, meta, &diag);
    MUST(w);
    for (size_t i = 0; i < s->num; i++) {
        karat_trace_record(w, &s->at[i], karat_rec_size(s->at[i].h.kind));
        if (i % 64 == 63)
            karat_trace_tick(w, s->at[i].h.cycle);
    }
    MUST(karat_trace_close(w, end, &diag));
    free(meta);
    free(end);
    MUST(check(path, 0) == CLI_OK);
    take_apart(path, &made[which]);
    MUST(made[which].num >= 3);
    return &made[which];
}

/* Change the contents of a block, or what its header says. */
static void change(block *b, uint8_t op, size_t at, uint32_t value) {
    const size_t length = value >> 8 & 63;
    at = b->size ? at % b->size : 0;
    switch (op % 10) {
    case 0: /* A byte */
        if (b->size)
            b->raw[at] = (uint8_t)value;
        return;
    case 1: /* A bit */
        if (b->size)
            b->raw[at] ^= (uint8_t)(1u << (value & 7));
        return;
    case 2: /* One value for a while */
        memset(b->raw + at, (int)(value & 255), length < b->size - at ? length : b->size - at);
        return;
    case 3: /* Bytes behind come nearer */
        if (b->size - at > length) {
            memmove(b->raw + at, b->raw + at + length, b->size - at - length);
            b->size -= length;
        }
        return;
    case 4: /* Bytes behind go farther, for which there is room of 64 bytes for each edit */
        memmove(b->raw + at + length, b->raw + at, b->size - at);
        b->size += length;
        return;
    case 5: b->size = at; return;
    case 6: b->lies = (uint8_t)value; return;
    case 7: b->kind = value & 7; return;
    case 8: b->entries = value & 0x80 ? value : b->entries + (value & 3) - 1; return;
    default: /* A digit of META, so that numbers stay numbers */
        while (at < b->size && (b->raw[at] < '0' || b->raw[at] > '9'))
            at++;
        if (at < b->size)
            b->raw[at] = (uint8_t)('0' + value % 10);
        return;
    }
}

static void put_edited(input *in) {
    const uint8_t which = (uint8_t)take(in, 1);
    const run *legal = legal_run(which); /* For which the file has been in use */
    put_header();
    const size_t edits = (in->left + 6) / 7;
    block edited[MAX_BLOCKS];
    for (uint32_t i = 0; i < legal->num; i++) {
        edited[i] = legal->blocks[i];
        MUST(edited[i].raw = malloc(edited[i].size + 64 * edits + 1));
        memcpy(edited[i].raw, legal->blocks[i].raw, edited[i].size);
    }
    uint32_t order[MAX_BLOCKS + 1], num = legal->num;
    for (uint32_t i = 0; i < num; i++)
        order[i] = i;
    while (in->left) {
        const uint8_t op = (uint8_t)take(in, 1);
        const uint32_t which = (uint32_t)take(in, 1) % num;
        const size_t at = (size_t)take(in, 2);
        const uint32_t value = (uint32_t)take(in, 3);
        if (op < 250) {
            change(&edited[order[which]], op, at, value);
        } else if (op < 252 && num > 1) { /* Lost */
            memmove(order + which, order + which + 1, (--num - which) * sizeof *order);
        } else { /* One in place of another */
            order[which] = order[value % num];
        }
    }
    for (uint32_t i = 0; i < num && put_block(&edited[order[i]]); i++)
        ;
    for (uint32_t i = 0; i < legal->num; i++)
        free(edited[i].raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    const unsigned first = (unsigned)take(&in, 1), form = first / NUM_FORMS;
    switch (first % NUM_FORMS) {
    case AS_IT_IS:
        size_of_file = in.left < MAX_FILE ? in.left : MAX_FILE;
        memcpy(file, in.at, size_of_file);
        break;
    case EDITS: put_edited(&in); break;
    default: put_blocks(&in); break;
    }
    check(hostile_file("run.ktr", file, size_of_file), form);
    return 0;
}
