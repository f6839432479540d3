/* Trace files: what is written is read back, a file that was cut gives what is whole, one that was damaged is
 * refused, and a stream judged from a file gives the verdict and report of the stream itself. */
#include "judge.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "format.h"
#include "meta.h"
#include "trace.h"

static char path[] = "karat-trace-XXXXXX"; /* In the folder in which the test runs */

static int make_path(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

/* --- Files as bytes --- */

typedef struct bytes {
    uint8_t *at;
    size_t size;
} bytes;

static bytes read_file(void) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes b = {malloc(1 << 22), 0};
    b.size = fread(b.at, 1, 1 << 22, file);
    fclose(file);
    return b;
}

static void write_file(const uint8_t *at, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(at, 1, size, file), size);
    fclose(file);
}

/* --- Writing and reading whole streams --- */

static void write_trace(const stream *s, const char *meta, uint64_t events, const char *end) {
    karat_diag diag;
    karat_trace_writer *w = karat_trace_create(path, meta, &diag);
    assert_non_null(w);
    for (size_t i = 0; i < s->num; i++) {
        assert_false(karat_trace_record(w, &s->at[i], karat_rec_size(s->at[i].h.kind)));
        if (events && i % events == 0)
            karat_trace_tick(w, i);
        if (events && i % events == 1)
            karat_trace_bench_error(w, UINT64_MAX - i, "what is wrong");
    }
    assert_true(karat_trace_close(w, end, &diag));
}

/* Read entries and compare them with the stream, as far as the file goes. Returns how it ends. */
static karat_trace_kind read_in(bool ahead, const stream *s, uint64_t events, size_t *records,
                                karat_diag *diag) {
    karat_trace_reader *r = karat_trace_open(path, diag);
    *records = 0;
    if (!r)
        return KARAT_TRACE_BAD;
    if (ahead)
        karat_trace_read_ahead(r);
    karat_trace_entry e;
    size_t i = 0;
    for (;; i++) {
        karat_trace_next(r, &e, diag);
        if (e.kind != KARAT_TRACE_RECORD)
            break;
        assert_true(i < s->num);
        assert_int_equal(e.size, karat_rec_size(s->at[i].h.kind));
        assert_memory_equal(e.record, &s->at[i], e.size);
        if (events && i % events == 0) {
            karat_trace_next(r, &e, diag);
            if (e.kind != KARAT_TRACE_TICK)
                break;
            assert_int_equal(e.cycle, i);
        }
        if (events && i % events == 1) {
            karat_trace_next(r, &e, diag);
            if (e.kind != KARAT_TRACE_BENCH_ERROR)
                break;
            assert_int_equal(e.cycle, UINT64_MAX - i);
            assert_string_equal(e.text, "what is wrong");
        }
    }
    *records = i;
    karat_trace_kind kind = e.kind;
    if (kind == KARAT_TRACE_END)
        assert_string_equal(e.text, "the end");
    karat_trace_next(r, &e, diag); /* It comes again */
    assert_int_equal(e.kind, kind);
    karat_trace_reader_free(r);
    return kind;
}

/* In one thread and in two, in turns. */
static karat_trace_kind read_back(const stream *s, uint64_t events, size_t *records, karat_diag *diag) {
    static bool ahead;
    ahead = !ahead;
    return read_in(ahead, s, events, records, diag);
}

TEST(streams_come_back) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        core_options o = core_random(seed);
        program p = {.num = 0};
        rng r = {seed};
        put_everything(&p, &r, 13, true);
        scoped_stream s = {0};
        core_run(&p, &o, &s, NULL);
        write_trace(&s, "{}", seed % 5, "the end");
        size_t records;
        karat_diag diag;
        assert_int_equal(read_back(&s, seed % 5, &records, &diag), KARAT_TRACE_END);
        assert_int_equal(records, s.num);
    }
}

/* Many blocks: a stream longer than one. */
static stream long_stream(void) {
    stream s = fixture(), all = {0};
    for (int i = 0; i < 6; i++)
        for (size_t k = 0; k < s.num; k++)
            stream_add(&all, &s.at[k], karat_rec_size(s.at[k].h.kind));
    for (size_t i = 0; i < all.num; i++) /* Nothing to leave out */
        for (size_t w = 2; w < karat_rec_size(all.at[i].h.kind) / 8; w++)
            all.at[i].words[w] = i * 0x9e3779b97f4a7c15 + w + 1;
    stream_free(&s);
    return all;
}

TEST(cut_anywhere) {
    scoped_stream s = long_stream();
    write_trace(&s, "{}", 0, "the end");
    bytes whole = read_file();
    size_t last = 0, blocks = 0, records;
    karat_diag diag;
    for (size_t size = 0; size < whole.size; size += size < 200 || size + 1100 > whole.size ? 7 : 997) {
        write_file(whole.at, size);
        karat_trace_kind kind = read_back(&s, 0, &records, &diag);
        assert_int_equal(kind,
                         size < 16 + 32 + 11 ? KARAT_TRACE_BAD : KARAT_TRACE_CUT); /* META is 11 bytes */
        assert_true(records >= last && records <= s.num);
        blocks += records > last;
        last = records;
    }
    assert_true(blocks >= 2);
    assert_int_equal(last, s.num);
    free(whole.at);
}

TEST(damage_anywhere) {
    scoped_stream s = fixture();
    write_trace(&s, "{}", 0, "the end");
    bytes whole = read_file();
    for (size_t at = 0; at < whole.size; at += at < 300 ? 1 : 13)
        for (unsigned bit = 0; bit < 8; bit += 3) {
            whole.at[at] ^= (uint8_t)(1u << bit);
            write_file(whole.at, whole.size);
            whole.at[at] ^= (uint8_t)(1u << bit);
            size_t records;
            karat_diag diag = {""};
            karat_trace_kind kind = read_back(&s, 0, &records, &diag);
            assert_int_equal(kind, KARAT_TRACE_BAD); /* Not CUT, wherever the bit is */
            assert_non_null(strstr(diag.text, path));
        }
    free(whole.at);
}

/* Blocks that are whole, in another order than they were written in. */
TEST(blocks_keep_their_order) {
    scoped_stream s = long_stream();
    write_trace(&s, "{}", 0, "the end");
    bytes whole = read_file();
    size_t at[64], num = 0, end = TRACE_HEADER;
    for (; end < whole.size; end += BLOCK_HEADER + get_le(whole.at + end + 8, 4)) {
        assert_true(num + 1 < sizeof at / sizeof *at);
        at[num++] = end;
    }
    at[num] = end;
    assert_true(num >= 4); /* META, some of records, END */
    uint8_t *file = malloc(2 * whole.size);
    assert_non_null(file);
    enum { LEFT_OUT, TWICE, EXCHANGED, HOW };
    for (size_t i = 1; i + 1 < num; i++)
        for (unsigned how = 0; how < HOW; how++) {
            size_t order[80], blocks = 0, size = TRACE_HEADER;
            for (size_t k = 0; k < num; k++) {
                if (how != LEFT_OUT || k != i)
                    order[blocks++] = k;
                if (how == TWICE && k == i)
                    order[blocks++] = k;
            }
            if (how == EXCHANGED && i + 2 < num) {
                order[i] = i + 1;
                order[i + 1] = i;
            } else if (how == EXCHANGED) {
                continue;
            }
            memcpy(file, whole.at, TRACE_HEADER);
            for (size_t k = 0; k < blocks; k++) {
                const size_t from = at[order[k]], bytes = at[order[k] + 1] - from;
                memcpy(file + size, whole.at + from, bytes);
                size += bytes;
            }
            write_file(file, size);
            size_t records;
            karat_diag diag = {""};
            assert_int_equal(read_back(&s, 0, &records, &diag), KARAT_TRACE_BAD);
            assert_non_null(strstr(diag.text, "that of another block"));
        }
    free(file);
    free(whole.at);
}

/* --- Blocks with a right checksum that say something wrong --- */

static size_t put_block(uint8_t *at, uint64_t *hash, unsigned kind, const void *raw, size_t size,
                        uint64_t says, uint64_t entries) {
    size_t packed = ZSTD_compress(at + BLOCK_HEADER, ZSTD_compressBound(size), raw, size, 1);
    put_le(at + 4, kind, 4);
    put_le(at + 8, packed, 4);
    put_le(at + 12, says, 4);
    put_le(at + 16, entries, 8);
    *hash = seal_block(at, *hash, at + BLOCK_HEADER, packed);
    return BLOCK_HEADER + packed;
}

/* A file of one block between META and END. why: it is bad, and diag says so. */
static void judge_block(unsigned kind, const void *raw, size_t size, uint64_t says, uint64_t entries,
                        const char *why) {
    uint8_t file[1024] = TRACE_MAGIC;
    put_le(file + 8, KARAT_TRACE_VERSION, 8);
    size_t end = TRACE_HEADER;
    uint64_t hash = 0;
    end += put_block(file + end, &hash, BLOCK_META, "{}", 2, 2, 1);
    end += put_block(file + end, &hash, kind, raw, size, says, entries);
    end += put_block(file + end, &hash, BLOCK_END, "{}", 2, 2, 1);
    write_file(file, end);
    for (int ahead = 0; ahead < 2; ahead++) {
        karat_diag diag = {""};
        karat_trace_reader *r = karat_trace_open(path, &diag);
        assert_non_null(r);
        if (ahead)
            karat_trace_read_ahead(r);
        karat_trace_entry e;
        for (int k = 0; k < 3; k++)
            karat_trace_next(r, &e, &diag);
        assert_int_equal(e.kind, why ? KARAT_TRACE_BAD : KARAT_TRACE_END);
        if (why && !strstr(diag.text, why))
            fail_msg("%s: expected '%s'", diag.text, why);
        karat_trace_reader_free(r);
    }
}

/* Blocks that nobody wants are not unpacked: what is wrong in them is not seen, damage is. */
TEST(skipped_blocks) {
    static const uint8_t raw[1] = {0};
    for (unsigned damaged = 0; damaged < 2; damaged++) {
        uint8_t file[1024] = TRACE_MAGIC;
        put_le(file + 8, KARAT_TRACE_VERSION, 8);
        size_t end = TRACE_HEADER;
        uint64_t hash = 0;
        end += put_block(file + end, &hash, BLOCK_META, "{}", 2, 2, 1);
        for (int i = 0; i < 3; i++)
            end += put_block(file + end, &hash, BLOCK_RECORDS, raw, sizeof raw, sizeof raw, 7);
        file[end - 1] ^= (uint8_t)damaged;
        end += put_block(file + end, &hash, BLOCK_END, "{}", 2, 2, 1);
        write_file(file, end);
        for (int skips = 0; skips < 2; skips++) {
            karat_diag diag = {""};
            karat_trace_reader *r = karat_trace_open(path, &diag);
            assert_non_null(r);
            if (skips)
                karat_trace_skip(r);
            karat_trace_entry e;
            karat_trace_next(r, &e, &diag);
            assert_int_equal(e.kind, skips && !damaged ? KARAT_TRACE_END : KARAT_TRACE_BAD);
            if (skips && damaged)
                assert_non_null(strstr(diag.text, "block 3: its checksum is wrong"));
            karat_trace_reader_free(r);
        }
    }
}

TEST(lies) {
    static const uint8_t tick[12] = {ENTRY_TICK, 0, 0, 0, 1};
    static const struct {
        unsigned kind;
        uint64_t says;
        const char *why;
    } cases[] = {
        {BLOCK_RECORDS, sizeof tick, NULL}, /* Nothing is wrong */
        {BLOCK_RECORDS, sizeof tick - 1, "cannot be unpacked"},
        {BLOCK_RECORDS, sizeof tick + 1, "cannot be unpacked"},
        {BLOCK_RECORDS, UINT32_MAX, "none is so large"},
        {9, sizeof tick, "kind 9 is unknown"},
        {BLOCK_META, sizeof tick, "kind 1 is unknown"},
        {BLOCK_END, sizeof tick, "data after the END"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        judge_block(cases[i].kind, tick, sizeof tick, cases[i].says, 1, cases[i].why);
}

/* Blocks of a few entries: words of a block, and why it is bad. */
TEST(columns_that_lie) {
    enum { SAME = ENTRY_SAME, EXIT = KARAT_REC_EXIT, WRITE = KARAT_REC_WRITE, HOST = KARAT_REC_HOST };
    /* The differences of a WRITE of lanes 0 and 2, of class X; the last is the source of its row. */
#define A_WRITE(source) WRITE, WRITE, 0, 0, 0, 1, 0, 5, 0, source
    static const struct {
        uint32_t words[24];
        size_t size; /* In words */
        uint64_t entries;
        const char *why;
    } cases[] = {
        {{ENTRY_TICK, 1, 0}, 3, 1, NULL}, /* Nothing is wrong */
        {{ENTRY_TICK, 1, 0, 0}, 4, 1, "more than its entries"},
        {{ENTRY_TICK, 1}, 2, 1, "no entry of the last 1"},
        {{ENTRY_TICK, 1, 0}, 3, 0, "more than its entries"},
        {{ENTRY_TICK | ENTRY_TICK << 8, 1, 0}, 3, 2, "no entry of the last 1"},
        {{ENTRY_TICK, 1, 0}, 3, 13, "do not fit"},
        {{ENTRY_TICK, 1, 0}, 3, UINT64_MAX, "do not fit"},
        {{ENTRY_BENCH_ERROR, 1, 0, 5, 'x', 'y'}, 6, 1, NULL},
        {{ENTRY_BENCH_ERROR, 1, 0, 5, 'x'}, 5, 1, "no entry of the last"},
        {{ENTRY_BENCH_ERROR, 1, 0, MAX_TEXT + 1, 'x'}, 5, 1, "no entry of the last"},
        {{ENTRY_BENCH_ERROR, 1, 0, UINT32_MAX, 'x'}, 5, 1, "no entry of the last"},
        {{ENTRY_BENCH_ERROR, 1}, 2, 1, "no entry of the last"},
        {{ENTRY_TICK | SAME, 1, 0}, 3, 1, "do not fit"},
        {{77}, 1, 1, "do not fit"}, /* No such kind */
        {{KARAT_REC_KINDS}, 1, 1, "do not fit"},
        {{0}, 1, 1, "do not fit"},
        {{SAME}, 1, 1, "do not fit"},
        {{EXIT, EXIT, 0, 7, 0}, 5, 1, NULL},
        {{EXIT, EXIT, 0, 7}, 4, 1, "do not fit"},
        {{EXIT, EXIT, 0, 7, 0, 0}, 6, 1, "more than its entries"},
        {{EXIT | (EXIT | SAME) << 8, EXIT, 0, 7, 0},
         5,
         2,
         "no entry of the last 1"},                    /* Nothing is known of it */
        {{EXIT | SAME}, 1, 1, "no entry of the last"}, /* The first one is of no kind */
        {{EXIT, EXIT + 1, 0, 7, 0}, 5, 1, "no entry of the last"},
        {{A_WRITE(0)}, 10, 1, NULL},
        {{A_WRITE(3), 1, 1, 1}, 13, 1, NULL}, /* Three values */
        {{A_WRITE(3), 1, 1}, 12, 1, "no entry of the last"},
        {{A_WRITE(33), 1}, 11, 1, "no entry of the last"}, /* More than it has lanes */
        {{A_WRITE(512)}, 10, 1, NULL},                     /* A register */
        {{A_WRITE(UINT32_MAX)}, 10, 1, NULL},              /* They are few: another one */
        {{A_WRITE(511)}, 10, 1, "no entry of the last"},
        {{HOST, HOST, 0, 0, 0, 0, 0, 0, 0, 512}, 10, 1, "no entry of the last"}, /* Its row is of no lanes */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        judge_block(BLOCK_RECORDS, cases[i].words, 4 * cases[i].size, 4 * cases[i].size, cases[i].entries,
                    cases[i].why);
    judge_block(BLOCK_RECORDS, cases->words, 11, 11, 1, "do not fit");
}

TEST(other_versions) {
    for (unsigned version = 0; version <= KARAT_TRACE_VERSION + 1; version += KARAT_TRACE_VERSION + 1) {
        uint8_t file[256] = TRACE_MAGIC;
        put_le(file + 8, version, 8);
        uint64_t hash = 0;
        write_file(file, TRACE_HEADER + put_block(file + TRACE_HEADER, &hash, BLOCK_META, "{}", 2, 2, 1));
        karat_diag diag = {""};
        assert_null(karat_trace_open(path, &diag));
        assert_non_null(strstr(diag.text, version ? "a recording of version 2; this karat reads version 1"
                                                  : "a recording of version 0; this karat reads version 1"));
    }
}

/* Threads of this process. */
static unsigned num_threads(void) {
    unsigned num = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *d; (d = readdir(tasks));)
        num += d->d_name[0] != '.';
    closedir(tasks);
    return num;
}

/* Reading ahead ends wherever the caller does. */
TEST(no_thread_is_left) {
    scoped_stream s = long_stream();
    write_trace(&s, "{}", 0, "the end");
    const unsigned before = num_threads();
    for (size_t entries = 0; entries <= s.num + 2; entries += entries < 3 ? 1 : s.num / 3) {
        karat_diag diag;
        karat_trace_reader *r = karat_trace_open(path, &diag);
        assert_non_null(r);
        karat_trace_read_ahead(r);
        karat_trace_read_ahead(r); /* It does already */
        karat_trace_entry e;
        for (size_t i = 0; i < entries; i++)
            karat_trace_next(r, &e, &diag);
        karat_trace_reader_free(r);
        assert_int_equal(num_threads(), before);
    }
    karat_trace_read_ahead(NULL);
}

TEST(cannot_be_written) {
    karat_diag diag;
    assert_null(karat_trace_create("/nowhere/trace", "{}", &diag));
    assert_string_equal(diag.text, "/nowhere/trace: cannot be written: No such file or directory");
    assert_null(karat_trace_create("/dev/full", "{}", &diag));
    assert_string_equal(diag.text, "/dev/full: cannot be written: No space left on device");
    assert_null(karat_trace_open("/nowhere/trace", &diag));
    assert_string_equal(diag.text, "/nowhere/trace: cannot be opened: No such file or directory");
    assert_null(karat_trace_open("/dev/null", &diag));
    assert_string_equal(diag.text, "/dev/null: not a Karat recording");
}

/* --- META --- */

static const karat_symbol symbols[] = {{"start", 0x80000000, 0}, {"main", 0x80000040, 64}};
static const karat_buffer buffers[] = {{.base = 0x80000000, .size = 16, .alloc_size = 4096}};
static const karat_kernel kernel = {
    .name = "kernel", .num_symbols = 2, .symbols = symbols, .num_buffers = 1, .buffers = buffers};
static const karat_kernel *const kernels[] = {&kernel};
static const char *const files[] = {"src/a.c", "b.c"};
static const karat_line rows[] = {{0x80000000, 0, 3}, {0x80000008, 1, 5}, {0x80000010, 0, 0}};
static const karat_lines lines = {2, 3, files, rows};
static const karat_lines *const line_list[] = {&lines};
static const karat_ulp_bound bounds[] = {{"vfexp.v", 3}};
static const karat_known_bug known[] = {{"a", "wrong value written, vfdiv.vv (\"*\\*"}};

static karat_check_config full_config(void) {
    karat_check_config c = judge_config();
    c.seed = UINT64_MAX - 5;
    c.has_seed = true;
    c.kernels = kernels;
    c.lines = line_list;
    c.num_kernels = 1;
    c.bounds = bounds;
    c.num_bounds = 1;
    c.known = known;
    c.num_known = 1;
    c.core = "synthetic";
    c.keep_going = true;
    c.bugs = 2;
    c.model.deviations = 3;
    c.model.simt_order = KARAT_ELSE_FIRST;
    return c;
}

TEST(meta_comes_back) {
    karat_check_config c = full_config();
    char *text = karat_trace_meta_make(&c, 100);
    karat_diag diag;
    karat_trace_setup *s = karat_trace_setup_make(text, &diag);
    assert_non_null(s);
    const karat_check_config *d = &s->config;
    assert_int_equal(d->seed, c.seed);
    assert_true(d->has_seed);
    assert_int_equal(d->hang_cycles, c.hang_cycles);
    assert_true(d->keep_going);
    assert_int_equal(d->bugs, 2);
    assert_string_equal(d->core, c.core);
    assert_string_equal(d->program, c.program);
    assert_int_equal(d->model.profile, c.model.profile);
    assert_int_equal(d->model.simt_order, c.model.simt_order);
    assert_int_equal(d->model.deviations, c.model.deviations);
    assert_int_equal(d->model.lds_base, c.model.lds_base);
    assert_int_equal(d->model.lds_size, c.model.lds_size);
    assert_int_equal(d->model.lds_pool, c.model.lds_pool);
    assert_int_equal(d->num_bounds, 1);
    assert_string_equal(d->bounds[0].row, "vfexp.v");
    assert_int_equal(d->bounds[0].ulp, 3);
    assert_int_equal(d->num_known, 1);
    assert_string_equal(d->known[0].name, known[0].name);
    assert_string_equal(d->known[0].pattern, known[0].pattern);
    assert_int_equal(d->num_kernels, 1);
    assert_string_equal(d->kernels[0]->name, "kernel");
    uint32_t offset;
    assert_string_equal(karat_kernel_symbol(d->kernels[0], 0x80000044, &offset)->name, "main");
    assert_int_equal(offset, 4);
    assert_string_equal(karat_kernel_symbol(d->kernels[0], 0x80000008, &offset)->name, "start");
    const char *file;
    uint32_t line;
    assert_true(karat_lines_find(d->lines[0], 0x80000004, &file, &line));
    assert_string_equal(file, "src/a.c");
    assert_int_equal(line, 3);
    assert_true(karat_lines_find(d->lines[0], 0x8000000c, &file, &line) && line == 5 && *file == 'b');
    assert_false(karat_lines_find(d->lines[0], 0x80000010, &file, &line));
    assert_string_equal(d->rerun, "");
    char *end = karat_trace_end_make("again");
    assert_true(karat_trace_end_take(s, end, &diag));
    assert_string_equal(d->rerun, "again");
    assert_false(karat_trace_end_take(s, "{}", &diag));
    assert_false(karat_trace_end_take(s, "", &diag));
    free(end);
    karat_trace_setup_free(s);
    free(text);
}

/* Without any of its fields, or with another type in its place, META is refused. */
TEST(meta_must_be_whole) {
    karat_check_config c = full_config();
    char *text = karat_trace_meta_make(&c, 100);
    json_t *meta = json_loads(text, 0, NULL);
    free(text);
    const char *key;
    json_t *value;
    size_t tried = 0;
    void *next;
    json_t *copy_of_keys = json_deep_copy(meta);
    json_object_foreach_safe(copy_of_keys, next, key, value) {
        for (int broken = 0; broken < 2; broken++) {
            json_t *copy = json_deep_copy(meta);
            if (!broken)
                json_object_del(copy, key);
            else if (strcmp(key, "program") == 0 || strcmp(key, "core") == 0)
                json_object_set_new(copy, key, json_integer(1)); /* May be a text or null */
            else
                json_object_set_new(copy, key, json_string("x"));
            text = json_dumps(copy, 0);
            karat_diag diag = {""};
            if (karat_trace_setup_make(text, &diag))
                fail_msg("taken: %s", text);
            assert_non_null(strstr(diag.text, "META"));
            free(text);
            json_decref(copy);
            tried++;
        }
    }
    assert_true(tried >= 16);
    json_decref(copy_of_keys);
    json_decref(meta);
    static const char *const no[] = {"", "[]", "{", "null", "{\"model\":1}"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        karat_diag diag;
        assert_null(karat_trace_setup_make(no[i], &diag));
    }
}

/* LDS has a limit (docs/port.md, "Limits"): a model is made of what META says. */
TEST(meta_asks_for_much) {
    for (uint32_t i = 0; i < 3; i++) {
        karat_check_config c = full_config();
        c.model.lds_size = (1u << 28) + (i == 1 ? 4096 : 0);
        c.model.lds_pool = (1u << 28) + (i == 2 ? 4096 : 0);
        char *text = karat_trace_meta_make(&c, 100);
        karat_diag diag = {""};
        karat_trace_setup *s = karat_trace_setup_make(text, &diag);
        assert_true((s != NULL) == (i == 0));
        assert_string_equal(diag.text, i ? "META block: model is missing or wrong" : "");
        karat_trace_setup_free(s);
        free(text);
    }
}

/* A kernel need not have line tables; where it has, they are whole. */
TEST(meta_with_lines) {
    karat_check_config c = full_config();
    karat_diag diag;
    c.lines = NULL;
    char *text = karat_trace_meta_make(&c, 100);
    assert_null(strstr(text, "lines"));
    karat_trace_setup *s = karat_trace_setup_make(text, &diag);
    assert_non_null(s);
    assert_null(s->config.lines[0]);
    karat_trace_setup_free(s);
    free(text);
    static const char *const wrong[] = {"{}", "[[1, 2]]", "[[1, 2, 3]]", "[[-1, 0, 3]]", "7"};
    for (size_t i = 0; i <= sizeof wrong / sizeof *wrong; i++) {
        c = full_config();
        text = karat_trace_meta_make(&c, 100);
        json_t *meta = json_loads(text, 0, NULL);
        free(text);
        json_t *object = json_array_get(json_object_get(meta, "kernels"), 0);
        if (i < sizeof wrong / sizeof *wrong)
            json_object_set_new(object, "lines", json_loads(wrong[i], JSON_DECODE_ANY, NULL));
        else
            json_object_set_new(object, "files", json_loads("[\"a\", 7]", 0, NULL));
        text = json_dumps(meta, 0);
        assert_null(karat_trace_setup_make(text, &diag));
        assert_non_null(strstr(diag.text, "META block: "));
        free(text);
        json_decref(meta);
    }
}

RUN_TESTS_BETWEEN("trace files", make_path, remove_path)
