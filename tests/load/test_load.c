/* The loaders: what they accept, what they say about what they do not, and that no file can make them read
 * where they must not (run this under the address sanitizer). */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

#include "karat/image.h"
#include "karat/karat.h"

/* --- Files --- */

static char folder[] = "karat-load-XXXXXX";
static char metadata_path[64], data_path[64], elf_path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(metadata_path, sizeof metadata_path, "%s/kernel.one.metadata", folder);
    snprintf(data_path, sizeof data_path, "%s/kernel.one.data", folder);
    snprintf(elf_path, sizeof elf_path, "%s/kernel.elf", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    remove(metadata_path);
    remove(data_path);
    remove(elf_path);
    return rmdir(folder);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* --- Pairs --- */

/* Fields of a `.metadata` file, by number. */
enum {
    START,
    ID,
    GRID,
    WF_SIZE = GRID + 3,
    WG_SIZE,
    KNL,
    LDS_SIZE,
    PDS_SIZE,
    SGPRS,
    VGPRS,
    PDS_BASE,
    NUM_BUFFER,
    BASE,
    SIZE = BASE + 3,
    ALLOC = SIZE + 3,
    FIELDS = ALLOC + 3
};

static const uint64_t good_fields[FIELDS] = {
    [START] = 0x80000000,    [ID] = 0x123456789, [GRID] = 3,          [GRID + 1] = 2,
    [GRID + 2] = 2,          [WF_SIZE] = 4,      [WG_SIZE] = 2,       [KNL] = 0x90001000,
    [LDS_SIZE] = 0x1000,     [PDS_SIZE] = 16,    [SGPRS] = 64,        [VGPRS] = 32,
    [PDS_BASE] = 0x90002000, [NUM_BUFFER] = 3,   [BASE] = 0x80000000, [BASE + 1] = 0x90001004,
    [BASE + 2] = 0x90002000, [SIZE] = 8,         [SIZE + 1] = 5,      [SIZE + 2] = 0,
    [ALLOC] = 0x100,         [ALLOC + 1] = 8,    [ALLOC + 2] = 1536,
};
static const uint32_t good_data[4] = {0x0000400b, 0xdeadbeef, 0x03020100, 0x07060504};
#define DATA_WORDS 4

static void write_pair_ending(const uint64_t fields[FIELDS], const char *ending) {
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < FIELDS; i++)
        n += (size_t)sprintf(text + n, "%08" PRIx32 "%s%08" PRIx32 "%s", (uint32_t)fields[i], ending,
                             (uint32_t)(fields[i] >> 32), ending);
    write_file(metadata_path, text, n);
    n = 0;
    for (int i = 0; i < DATA_WORDS; i++)
        n += (size_t)sprintf(text + n, "%08" PRIX32 "%s", good_data[i], ending);
    write_file(data_path, text, n);
}

static void write_pair(const uint64_t fields[FIELDS]) {
    write_pair_ending(fields, "\n");
}

static void check_good_pair(void) {
    karat_diag diag;
    karat_kernel *k = karat_kernel_load(metadata_path, NULL, &diag);
    if (!k)
        fail_msg("%s", diag.text);
    assert_string_equal(diag.text, "");
    assert_string_equal(k->name, "kernel.one");
    assert_int_equal(k->start_addr, 0x80000000);
    assert_int_equal(k->grid[0], 3);
    assert_int_equal(k->grid[1], 2);
    assert_int_equal(k->grid[2], 2);
    assert_int_equal(karat_kernel_workgroups(k), 12);
    assert_int_equal(k->wf_size, 4);
    assert_int_equal(k->wg_size, 2);
    assert_int_equal(k->knl, 0x90001000);
    assert_int_equal(k->lds_base, 0x70000000);
    assert_int_equal(k->lds_size, 0x1000);
    assert_int_equal(k->pds_base, 0x90002000);
    assert_int_equal(k->pds_size, 16);
    assert_int_equal(k->sgprs, 64);
    assert_int_equal(k->vgprs, 32);
    assert_int_equal(k->num_buffers, 3);
    assert_int_equal(k->buffers[1].base, 0x90001004);
    assert_int_equal(k->buffers[1].size, 5);
    assert_memory_equal(k->buffers[0].data, "\x0b\x40\0\0\xef\xbe\xad\xde", 8);
    assert_memory_equal(k->buffers[1].data, "\0\1\2\3\4", 5);
    assert_int_equal(k->num_symbols, 0);
    karat_kernel_free(k);
}

TEST(test_pair) {
    write_pair(good_fields);
    check_good_pair();
    write_pair_ending(good_fields, "\r\n");
    check_good_pair();
    karat_kernel_free(NULL);
}

/* Text at the end of both files. */
static void append(const char *path, const char *text) {
    FILE *f = fopen(path, "ab");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

TEST(test_trailing_blank_lines) {
    write_pair(good_fields);
    append(metadata_path, "\n\r\n  \n");
    append(data_path, "\r\n\n\t\n");
    check_good_pair();
}

TEST(test_no_newline_at_end) {
    write_pair(good_fields);
    assert_int_equal(truncate(metadata_path, FIELDS * 18 - 1), 0);
    assert_int_equal(truncate(data_path, DATA_WORDS * 9 - 1), 0);
    check_good_pair();
}

/* Loading must fail with one line that begins with "path:line: " (no line where it is 0) and contains text.
 */
static void expect_complaint(const char *load, const char *path, unsigned line, const char *text) {
    karat_diag diag;
    char begin[128];
    karat_kernel *k = karat_kernel_load(load, NULL, &diag);
    if (k)
        fail_msg("loaded, expected '%s'", text);
    snprintf(begin, sizeof begin, line ? "%s:%u: " : "%s: ", path, line);
    if (strncmp(diag.text, begin, strlen(begin)) != 0 || !strstr(diag.text, text) || strchr(diag.text, '\n'))
        fail_msg("said '%s', expected '%s...%s'", diag.text, begin, text);
    assert_null(karat_kernel_load(load, NULL, NULL));
}

TEST(test_missing) {
    remove(metadata_path);
    expect_complaint(metadata_path, metadata_path, 0, "cannot be opened: No such file");
    expect_complaint(folder, folder, 0, "cannot be read");
    write_pair(good_fields);
    remove(data_path);
    expect_complaint(metadata_path, data_path, 0, "cannot be opened: No such file");
    /* Another name */
    char other[80];
    snprintf(other, sizeof other, "%s/other", folder);
    write_pair(good_fields);
    assert_int_equal(rename(data_path, other), 0);
    karat_diag diag;
    karat_kernel *k = karat_kernel_load(metadata_path, other, &diag);
    assert_non_null(k);
    karat_kernel_free(k);
    remove(other);
}

/* One wrong field each: the line that is complained about. */
TEST(test_wrong_fields) {
    static const struct {
        int field;
        uint64_t value;
        int line; /* Line of the file; 0: of the field's low word, -1: of its high word */
        const char *text;
    } cases[] = {
        {START, 0x180000000, -1, "high word of start_addr"},
        {START, 0x80000002, 0, "multiple of 4"},
        {START, 0x80000100, 0, "start_addr 0x80000100 to lie in a buffer"},
        {GRID, 0, 0, "kernel_size[0] from 1"},
        {GRID + 1, 0, 0, "kernel_size[1] from 1"},
        {GRID + 2, 1ull << 32, -1, "high word of kernel_size[2]"},
        {GRID + 2, 0x80000000, 0, "fewer than 2^32 workgroups"},
        {WF_SIZE, 0, 0, "wf_size from 1 to 32, found 0"},
        {WF_SIZE, 33, 0, "wf_size from 1 to 32, found 33"},
        {WG_SIZE, 0, 0, "wg_size from 1"},
        {WG_SIZE, 0xffffffff, 0, "wg_size from 1"},
        {KNL, 1ull << 32, -1, "high word of metaDataBaseAddr"},
        {LDS_SIZE, 1ull << 63, -1, "high word of ldsSize"},
        {PDS_SIZE, 1ull << 32, -1, "high word of pdsSize"},
        {SGPRS, 65, 0, "sgprUsage from 0 to 64"},
        {VGPRS, 257, 0, "vgprUsage from 0 to 256"},
        {PDS_BASE, 1ull << 32, -1, "high word of pdsBaseAddr"},
        {NUM_BUFFER, 0, 0, "num_buffer from 1"},
        {NUM_BUFFER, 0xffffffff, 0, "num_buffer from 1"},
        {NUM_BUFFER, 2, 2 * (BASE + 4) + 1,
         "buffer 0 (base 0x80000000) to end within the 32-bit"}, /* The arrays are not where they were */
        {NUM_BUFFER, 4, 2 * FIELDS + 1, "expected buffer_allocsize, found the end of the file"},
        {BASE, 1ull << 32, -1, "high word of buffer_base"},
        {BASE + 1, 0x90002001, 2 * (BASE + 2) + 1, "buffer 2 (base 0x90002000) not to overlap buffer 1"},
        {BASE + 2, 0x80000010, 0, "buffer 2 (base 0x80000010) not to overlap buffer 0"},
        {BASE + 2, 0xfffffff0, 2 * (ALLOC + 2) + 1, "buffer 2 (base 0xfffffff0) to end within the 32-bit"},
        {SIZE, 1ull << 32, -1, "high word of buffer_size"},
        {ALLOC + 1, 0xffffffff, 0, "end within the 32-bit"},
        {ALLOC + 1, 1ull << 40, -1, "high word of buffer_allocsize"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t fields[FIELDS];
        memcpy(fields, good_fields, sizeof fields);
        fields[cases[i].field] = cases[i].value;
        write_pair(fields);
        int line = cases[i].line > 0 ? cases[i].line : 2 * cases[i].field + 1 - cases[i].line;
        expect_complaint(metadata_path, metadata_path, (unsigned)line, cases[i].text);
    }
}

/* The good pair, with bytes of one line of a file exchanged. */
static void replace_line(const char *path, unsigned line, const char *text) {
    char old[4096], new[4200];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(old, 1, sizeof old, f);
    fclose(f);
    size_t from = 9 * (line - 1), length = strlen(text);
    memcpy(new, old, from);
    memcpy(new + from, text, length);
    memcpy(new + from + length, old + from + 9, size - from - 9);
    write_file(path, new, size - 9 + length);
}

TEST(test_wrong_lines) {
    static const char *const wrong[] = {
        "8000000\n",   "800000000\n",  "0x800000\n",     "8000000g\n",    "80000000 \n",
        " 80000000\n", "80000000 1\n", "-8000000\n",     "80000000 # \n", "80000000\r\r\n",
        "8000 000\n",  "80000000\t\n", "80000000\x01\n", "\xff\xfe\n",    "80000000",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_pair(good_fields);
        replace_line(metadata_path, 19, wrong[i]);
        expect_complaint(metadata_path, metadata_path, 19,
                         "expected pdsSize: a line of exactly 8 hex digits");
        write_pair(good_fields);
        replace_line(data_path, 3, wrong[i]);
        expect_complaint(metadata_path, data_path, 3,
                         "expected buffer 1 (base 0x90001004, 5 bytes): a line of exactly 8 hex digits");
    }
    write_pair(good_fields);
    append(metadata_path, "\n0000000\n");
    expect_complaint(metadata_path, metadata_path, 2 * FIELDS + 2,
                     "expected the end of the file or a spare word");
    write_pair(good_fields);
    append(data_path, "0000000g\n");
    expect_complaint(metadata_path, data_path, DATA_WORDS + 1,
                     "expected the end of the file or a spare word");
}

/* Inputs accepted with a note of one line. */
static void expect_note(const char *text) {
    karat_diag diag;
    karat_kernel *k = karat_kernel_load(metadata_path, NULL, &diag);
    if (!k)
        fail_msg("refused: %s", diag.text);
    if (!k->note || !strstr(k->note, text) || strchr(k->note, '\n') ||
        strncmp(k->note, folder, strlen(folder)) != 0)
        fail_msg("noted '%s', expected '%s'", k->note ? k->note : "nothing", text);
    assert_memory_equal(k->buffers[0].data, "\x0b\x40\0\0\xef\xbe\xad\xde", 8);
    assert_memory_equal(k->buffers[1].data, "\0\1\2\3\4", 5);
    karat_kernel_free(k);
}

TEST(test_accepted) {
    write_pair(good_fields);
    replace_line(metadata_path, 19, "\n \r\n00000010\n");
    expect_note("2 blank lines ignored");
    write_pair(good_fields);
    replace_line(data_path, 3, "\n03020100\n");
    expect_note("1 blank line ignored");
    write_pair(good_fields);
    append(metadata_path, "00000000\n\n00000001\n");
    expect_note("2 spare words after the last buffer_allocsize ignored (line 47)");
    write_pair(good_fields);
    append(data_path, "00000000\n");
    expect_note("1 spare word after the last buffer's words ignored (line 5)");
    write_pair(good_fields);
    replace_line(metadata_path, 19, "// a line of words\n00000010 \t// pdsSize\n");
    replace_line(data_path, 2, "deadbeef // a word\n");
    expect_note("2 comments ignored");
    write_pair(good_fields);
    replace_line(metadata_path, 19, "00000010 / pdsSize\n");
    expect_complaint(metadata_path, metadata_path, 19, "expected pdsSize: a line of exactly 8 hex digits");
    write_pair(good_fields);
    replace_line(metadata_path, 19, "// only this\n0000001\n");
    expect_complaint(metadata_path, metadata_path, 20, "expected pdsSize");
    /* A line that is wrong after a blank one: its own number. */
    write_pair(good_fields);
    replace_line(metadata_path, 19, "\n0000001\n");
    expect_complaint(metadata_path, metadata_path, 20, "expected pdsSize");

    uint64_t fields[FIELDS];
    memcpy(fields, good_fields, sizeof fields);
    fields[ALLOC + 1] = 4;
    write_pair(fields);
    expect_note("buffer 1 (base 0x90001004): buffer_allocsize 0x4 is taken for 0x5, its buffer_size");
    karat_kernel *k = karat_kernel_load(metadata_path, NULL, NULL);
    assert_int_equal(k->buffers[1].alloc_size, 5);
    karat_kernel_free(k);
}

/* Buffers inside the LDS window: what every workgroup's LDS holds first. */
/* Layouts with other fields: as many words as each has. */
static void write_layout(unsigned from, unsigned extra) {
    write_pair(good_fields);
    char text[4096];
    size_t n = 0;
    for (unsigned i = from; i < FIELDS; i++) {
        for (unsigned k = 0; i == NUM_BUFFER && k < extra; k++)
            n += (size_t)sprintf(text + n, "%08x\n00000000\n", k + 1);
        n += (size_t)sprintf(text + n, "%08" PRIx32 "\n%08" PRIx32 "\n", (uint32_t)good_fields[i],
                             (uint32_t)(good_fields[i] >> 32));
    }
    write_file(metadata_path, text, n);
}

TEST(test_layouts) {
    static const struct {
        unsigned from, extra;
        const char *note;
    } layouts[] = {{1, 0, "an older .metadata without start_addr, which is taken for 0x80000000"},
                   {0, 10, "work-items (dimensions, global and local sizes, offsets) ignored: expected"}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        write_layout(layouts[i].from, layouts[i].extra);
        karat_diag diag;
        karat_kernel *k = karat_kernel_load(metadata_path, NULL, &diag);
        if (!k)
            fail_msg("%s", diag.text);
        assert_non_null(strstr(k->note, layouts[i].note));
        assert_int_equal(k->start_addr, 0x80000000);
        assert_int_equal(karat_kernel_workgroups(k), 12);
        assert_int_equal(k->pds_base, 0x90002000);
        assert_int_equal(k->num_buffers, 3);
        karat_kernel_free(k);
        append(metadata_path,
               "00000000\n"); /* Another number of words is of the first layout, and wrong there */
        assert_null(karat_kernel_load(metadata_path, NULL, &diag));
    }
}

TEST(test_local_buffers) {
    uint64_t fields[FIELDS];
    memcpy(fields, good_fields, sizeof fields);
    fields[BASE + 1] = 0x7fffeffe;
    fields[ALLOC + 1] = 0x1000;
    write_pair(fields);
    karat_kernel *k = karat_kernel_load(metadata_path, NULL, NULL);
    assert_non_null(k);
    assert_null(k->note);
    assert_int_equal(k->num_buffers, 2);
    assert_int_equal(k->buffers[1].base, 0x90002000);
    assert_int_equal(k->buffers[1].number, 2);
    assert_int_equal(k->num_locals, 1);
    assert_int_equal(k->locals[0].number, 1);
    karat_model *m = karat_create(&(karat_config){0}, NULL);
    assert_null(m);
    karat_config config;
    karat_config_default(&config);
    m = karat_create(&config, NULL);
    assert_int_equal(karat_kernel_place(k, m), KARAT_OK);
    uint8_t bytes[7];
    for (uint32_t handle = 0; handle < 2; handle++) {
        assert_int_equal(karat_kernel_open(k, m, handle, 0), KARAT_OK);
        assert_int_equal(karat_lds_read(m, handle, 0x7fffeffd, bytes, 7), KARAT_OK);
        assert_memory_equal(bytes, "\0\0\1\2\3\4\0", 7);
        assert_int_equal(karat_lds_write(m, handle, 0x7fffeffe, "\7\7\7\7\7", 5), KARAT_OK);
        assert_int_equal(karat_kernel_open(k, m, handle, 0), KARAT_BAD_ARGUMENT); /* It is open */
    }
    /* A pool of LDS pages that does not hold them. */
    karat_destroy(m);
    config.lds_pool = 4096;
    m = karat_create(&config, NULL);
    assert_int_equal(karat_kernel_open(k, m, 0, 0), KARAT_NO_MEMORY);
    karat_destroy(m);
    karat_kernel_free(k);
    /* Across an edge of the window: the buffer is named. */
    fields[START] = fields[BASE] = 0x80001000;
    fields[BASE + 1] = 0x7ffff800;
    write_pair(fields);
    expect_complaint(metadata_path, metadata_path, 0,
                     "expected buffer 1 (base 0x7ffff800, 0x1000 bytes) to lie inside the LDS window");
    fields[BASE + 1] = 0x6ffff800;
    write_pair(fields);
    expect_complaint(metadata_path, metadata_path, 0,
                     "expected buffer 1 (base 0x6ffff800, 0x1000 bytes) to lie inside the LDS window");
    /* Code is no local memory. */
    memcpy(fields, good_fields, sizeof fields);
    fields[START] = fields[BASE] = 0x70000000;
    write_pair(fields);
    expect_complaint(metadata_path, metadata_path, 1,
                     "start_addr 0x70000000 to lie in a buffer of device memory");
}

/* Every shorter version of both files: one line each, but where only the last newline is missing. */
TEST(test_truncated_pair) {
    write_pair(good_fields);
    for (long size = FIELDS * 18 - 2; size >= 0; size--) {
        assert_int_equal(truncate(metadata_path, size), 0);
        expect_complaint(metadata_path, metadata_path, size ? (unsigned)(size + 1) / 9 + 1 : 0, "expected ");
    }
    write_pair(good_fields);
    for (long size = DATA_WORDS * 9 - 2; size >= 0; size--) {
        assert_int_equal(truncate(data_path, size), 0);
        expect_complaint(metadata_path, data_path, (unsigned)(size + 1) / 9 + 1, "expected buffer ");
    }
}

/* A vector's program is named as its folder. */
TEST(test_names) {
    static const struct {
        const char *path, *name;
    } cases[] = {{"program.elf", "program"},      {"./program.elf", "program"},
                 {"a/program.elf", "a"},          {"b/a.b//program.elf", "a.b"},
                 {"a/../program.elf", "program"}, {"a/program.metadata", "program"},
                 {"a/programs.elf", "programs"}};
    write_pair(good_fields);
    char from[256], data[256], to[256];
    assert_non_null(realpath(metadata_path, from));
    assert_non_null(realpath(data_path, data));
    char *old = getcwd(NULL, 0);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("a", 0777) | mkdir("b", 0777) | mkdir("b/a.b", 0777), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(to, sizeof to, "%s", cases[i].path);
        assert_int_equal(symlink(from, to), 0);
        karat_kernel *k = karat_kernel_load(to, data, NULL);
        assert_non_null(k);
        assert_string_equal(k->name, cases[i].name);
        karat_kernel_free(k);
        remove(to);
    }
    assert_int_equal(rmdir("b/a.b") | rmdir("b") | rmdir("a"), 0);
    assert_int_equal(chdir(old), 0);
    free(old);
}

/* --- Regions, placing, launch --- */

static void expect_region(const karat_kernel *k, uint32_t i, uint64_t base, uint64_t size) {
    uint64_t b, s;
    karat_kernel_region(k, i, 8, &b, &s);
    assert_int_equal(b, base);
    assert_int_equal(s, size);
}

TEST(test_place_and_launch) {
    write_pair(good_fields);
    karat_kernel *k = karat_kernel_load(metadata_path, NULL, NULL);
    assert_non_null(k);
    assert_int_equal(karat_kernel_num_regions(k), 3); /* Buffer 2 holds all private memory */
    expect_region(k, 0, 0x80000000, KARAT_CODE_WINDOW);
    expect_region(k, 1, 0x90001000, 0x1000);
    expect_region(k, 2, 0x90002000, 0x1000);

    karat_config config;
    karat_config_default(&config);
    config.num_thread = 8;
    karat_model *m = karat_create(&config, NULL);
    assert_non_null(m);
    assert_int_equal(karat_kernel_place(k, m), KARAT_OK);
    uint8_t bytes[12];
    assert_int_equal(karat_read(m, 0x90001000, bytes, 12), KARAT_OK);
    assert_memory_equal(bytes, "\0\0\0\0\0\1\2\3\4\0\0\0", 12);
    assert_int_equal(karat_read(m, 0x80fffffc, bytes, 4), KARAT_OK);
    assert_int_equal(karat_read(m, 0x81000000, bytes, 1), KARAT_NOT_MAPPED);

    assert_int_equal(karat_kernel_wf_size(k, 8), 4);
    karat_launch_desc d;
    karat_kernel_launch(k, 8, 10, 1, &d);
    assert_int_equal(d.pc, 0x80000000);
    assert_int_equal(d.mask, 0xf);
    assert_int_equal(d.sgprs, 64);
    assert_int_equal(d.vgprs, 32);
    assert_null(d.x);
    assert_null(d.v);
    static const uint32_t csr[KARAT_NUM_CUSTOM_CSR] = {
        [KARAT_CSR_TID] = 4,          [KARAT_CSR_NUMW] = 2,
        [KARAT_CSR_NUMT] = 4,         [KARAT_CSR_KNL] = 0x90001000,
        [KARAT_CSR_WGID] = 10,        [KARAT_CSR_WID] = 1,
        [KARAT_CSR_LDS] = 0x70000000, [KARAT_CSR_PDS] = 0x90002000 + 10 * 8 * 16,
        [KARAT_CSR_GDX] = 1,          [KARAT_CSR_GDY] = 1,
        [KARAT_CSR_GDZ] = 1,
    };
    assert_memory_equal(d.csr, csr, sizeof csr);
    assert_null(karat_kernel_symbol(k, 0x80000000, NULL));

    /* The descriptor is one that the model takes, and the code runs. */
    assert_int_equal(karat_workgroup_open(m, 0, 2), KARAT_OK);
    d.workgroup = 0;
    assert_int_equal(karat_launch(m, 0, &d), KARAT_OK);
    karat_commit commit;
    assert_int_equal(karat_step(m, 0, &commit), KARAT_OK);
    assert_int_equal(commit.word, 0x0000400b);
    assert_int_equal(commit.ended, 1);
    karat_destroy(m);
    karat_kernel_free(k);
}

/* The zeros of a large buffer take no memory, and replace what another kernel left there. */
TEST(test_cleared_pages) {
    enum { SIZE = 0x10000000, CONTENTS = 5000 };
    const uint32_t base = 0x90000000, at = base + 0x5000123;
    static uint8_t contents[CONTENTS];
    memset(contents, 0x5a, sizeof contents);
    karat_buffer buffer = {
        .base = base, .data = contents, .size = CONTENTS, .alloc_size = SIZE, .cleared = SIZE - CONTENTS};
    const karat_kernel kernel = {.buffers = &buffer, .num_buffers = 1, .wg_size = 1};
    karat_config config;
    karat_config_default(&config);
    karat_model *m = karat_create(&config, NULL);
    for (unsigned round = 0; round < 2; round++) {
        uint8_t bytes[2] = {1, 2};
        assert_int_equal(karat_kernel_place(&kernel, m), KARAT_OK);
        assert_int_equal(karat_read(m, at, bytes, 2), KARAT_OK);
        assert_memory_equal(bytes, "\0\0", 2);
        assert_int_equal(karat_read(m, base + CONTENTS - 1, bytes, 2), KARAT_OK);
        assert_memory_equal(bytes, "\x5a\0", 2);
        uint64_t addr = base + 0x2000; /* After the contents */
        const uint8_t *page = karat_next_written_page(m, &addr, base + SIZE - 1);
        assert_true(round ? page && addr == (at & ~0xfffu) : !page);
        assert_int_equal(karat_write(m, at, "\1\1", 2), KARAT_OK);
    }
    karat_destroy(m);
}

TEST(test_region_corners) {
    uint64_t fields[FIELDS];
    /* Code below the LDS window, which cannot be mapped; a buffer at the end of the address space. */
    memcpy(fields, good_fields, sizeof fields);
    fields[START] = fields[BASE] = 0x6ffff000;
    fields[BASE + 1] = 0xffffff00;
    fields[ALLOC + 1] = 0x100;
    fields[PDS_BASE] = 0xa0000800;
    write_pair(fields);
    karat_kernel *k = karat_kernel_load(metadata_path, NULL, NULL);
    assert_non_null(k);
    assert_int_equal(karat_kernel_num_regions(k), 3); /* Private memory is in no buffer */
    assert_non_null(strstr(k->note, "private memory at 0xa0000800 is in no buffer: it is not mapped"));
    expect_region(k, 0, 0x6ffff000, 0x1000);
    expect_region(k, 1, 0xfffff000, 0x1000);
    karat_kernel_free(k);
    /* An empty buffer maps nothing; a code buffer larger than the window keeps its size. */
    memcpy(fields, good_fields, sizeof fields);
    fields[ALLOC] = 0x10000000;
    fields[ALLOC + 2] = fields[PDS_SIZE] = 0;
    write_pair(fields);
    k = karat_kernel_load(metadata_path, NULL, NULL);
    assert_non_null(k);
    assert_int_equal(karat_kernel_num_regions(k), 3);
    expect_region(k, 0, 0x80000000, 0x10000000);
    expect_region(k, 2, 0x90002000, 0);
    karat_kernel_free(k);
}

/* --- ELF --- */

#define TEXT_WORDS 4
static const char section_names[] = "\0.text\0.karat.launch\0.symtab\0.strtab\0.shstrtab\0.note.karat";
static const char symbol_names[] = "\0start\0middle\0$x\0.Lx\0table\0abs\0undefined\0section";

typedef struct image {
    Elf32_Ehdr header;
    Elf32_Phdr segments[3];
    uint32_t text[TEXT_WORDS];
    uint8_t data[8];
    uint32_t launch[14];
    Elf32_Sym symbols[9];
    char symbol_names[sizeof symbol_names];
    char section_names[sizeof section_names];
    char pad[4];
    uint32_t notes[14]; /* Two, of seven words each */
    Elf32_Shdr sections[7];
} image;

static uint32_t name_at(const char *names, size_t size, const char *name) {
    for (size_t i = 1; i < size; i++)
        if (names[i - 1] == 0 && strcmp(names + i, name) == 0)
            return (uint32_t)i;
    fail_msg("no name %s", name);
    return 0;
}

#define AT(member)     ((uint32_t)offsetof(image, member))
#define LENGTH(member) ((uint32_t)sizeof(((image *)0)->member))

static Elf32_Sym symbol(const char *name, uint32_t addr, uint32_t size, int type, uint16_t section) {
    return (Elf32_Sym){name_at(symbol_names, sizeof symbol_names, name),
                       addr,
                       size,
                       ELF32_ST_INFO(STB_LOCAL, type),
                       0,
                       section};
}

static Elf32_Shdr section(const char *name, uint32_t type, uint32_t offset, uint32_t size) {
    return (Elf32_Shdr){.sh_name = name_at(section_names, sizeof section_names, name),
                        .sh_type = type,
                        .sh_offset = offset,
                        .sh_size = size};
}

/* A good executable: code at 0x80000000, 8 bytes of data and as many of .bss at 0x80002000. */
static image good_image(void) {
    image i = {
        .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_RISCV,
                   .e_version = 1,
                   .e_entry = 0x80000000,
                   .e_phoff = AT(segments),
                   .e_shoff = AT(sections),
                   .e_ehsize = sizeof(Elf32_Ehdr),
                   .e_phentsize = sizeof(Elf32_Phdr),
                   .e_phnum = 3,
                   .e_shentsize = sizeof(Elf32_Shdr),
                   .e_shnum = 7,
                   .e_shstrndx = 5},
        .segments = {{.p_type = PT_LOAD,
                      .p_offset = AT(text),
                      .p_vaddr = 0x80000000,
                      .p_filesz = LENGTH(text),
                      .p_memsz = LENGTH(text),
                      .p_flags = PF_R | PF_X},
                     {.p_type = PT_NOTE, .p_offset = 0xffffffff, .p_filesz = 0xffffffff},
                     {.p_type = PT_LOAD,
                      .p_offset = AT(data),
                      .p_vaddr = 0x80002000,
                      .p_filesz = 8,
                      .p_memsz = 16,
                      .p_flags = PF_R | PF_W}},
        .text = {0x13, 0x13, 0x13, 0x400b},
        .data = {1, 2, 3, 4, 5, 6, 7, 8},
        /* The second one is another's: its name is "karat". */
        .notes = {6, 5, 1, 0x6172614b, 0x74, 0x302e3276, 0x33, 6, 5, 1, 0x6172616b, 0x74, 0x302e3276, 0x32},
        .launch = {0x3154524b, 0x80000004, 2, 3, 1, 4, 0, 0x80002000, 0x70001000, 256, 0xa0000000, 64, 32,
                   128},
    };
    memcpy(i.symbol_names, symbol_names, sizeof symbol_names);
    memcpy(i.section_names, section_names, sizeof section_names);
    i.symbols[1] = symbol("table", 0x80002000, 8, STT_OBJECT, 2);
    i.symbols[2] = symbol("middle", 0x80000008, 0, STT_NOTYPE, 1);
    i.symbols[3] = symbol("start", 0x80000000, 16, STT_FUNC, 1);
    i.symbols[4] = symbol("$x", 0x80000000, 0, STT_NOTYPE, 1);
    i.symbols[5] = symbol(".Lx", 0x80000004, 0, STT_NOTYPE, 1);
    i.symbols[6] = symbol("abs", 0x80000004, 0, STT_NOTYPE, SHN_ABS);
    i.symbols[7] = symbol("undefined", 0x80000004, 0, STT_NOTYPE, SHN_UNDEF);
    i.symbols[8] = symbol("section", 0x80000004, 0, STT_SECTION, 1);
    i.sections[1] = section(".text", SHT_PROGBITS, AT(text), LENGTH(text));
    i.sections[2] = section(".karat.launch", SHT_PROGBITS, AT(launch), LENGTH(launch));
    i.sections[3] = section(".symtab", SHT_SYMTAB, AT(symbols), LENGTH(symbols));
    i.sections[3].sh_link = 4;
    i.sections[3].sh_entsize = sizeof(Elf32_Sym);
    i.sections[4] = section(".strtab", SHT_STRTAB, AT(symbol_names), LENGTH(symbol_names));
    i.sections[5] = section(".shstrtab", SHT_STRTAB, AT(section_names), LENGTH(section_names));
    i.sections[6] = section(".note.karat", SHT_NOTE, AT(notes), LENGTH(notes));
    return i;
}

TEST(test_elf) {
    image i = good_image();
    write_file(elf_path, &i, sizeof i);
    karat_diag diag;
    karat_kernel *k = karat_kernel_load(elf_path, NULL, &diag);
    if (!k)
        fail_msg("%s", diag.text);
    assert_string_equal(k->name, "kernel");
    assert_int_equal(k->start_addr, 0x80000004);
    assert_int_equal(karat_kernel_workgroups(k), 6);
    assert_int_equal(k->wg_size, 4);
    assert_int_equal(k->wf_size, 0);
    assert_int_equal(karat_kernel_wf_size(k, 16), 16);
    assert_int_equal(k->knl, 0x80002000);
    assert_int_equal(k->lds_base, 0x70001000);
    assert_int_equal(k->lds_size, 256);
    assert_int_equal(k->pds_base, 0xa0000000);
    assert_int_equal(k->pds_size, 64);
    assert_int_equal(k->sgprs, 32);
    assert_int_equal(k->vgprs, 128);
    assert_int_equal(k->num_buffers, 2);
    assert_int_equal(k->buffers[1].size, 8);
    assert_int_equal(k->buffers[1].alloc_size, 16);
    assert_memory_equal(k->buffers[1].data, i.data, 8);
    assert_int_equal(karat_kernel_num_regions(k), 3);
    expect_region(k, 0, 0x80000000, 0x2000); /* Grown, but not past the next segment */
    expect_region(k, 1, 0x80002000, 0x1000);
    expect_region(k, 2, 0xa0000000, 6 * 4 * 8 * 64);

    assert_int_equal(k->num_symbols, 3);
    assert_string_equal(k->symbols[0].name, "start");
    assert_string_equal(k->symbols[1].name, "middle");
    assert_string_equal(k->symbols[2].name, "table");
    static const struct {
        uint32_t addr;
        const char *name;
        uint32_t offset;
    } places[] = {
        {0x80000000, "start", 0},  {0x80000004, "start", 4}, {0x80000008, "middle", 0},
        {0x8000000c, "middle", 4}, {0x80002000, "table", 0}, {0x80002007, "table", 7},
        {0x80002008, NULL, 0},     {0x7fffffff, NULL, 0},    {0xffffffff, NULL, 0},
    };
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        uint32_t offset = 0;
        const karat_symbol *s = karat_kernel_symbol(k, places[p].addr, &offset);
        if (!places[p].name) {
            assert_null(s);
            continue;
        }
        assert_non_null(s);
        assert_string_equal(s->name, places[p].name);
        assert_int_equal(offset, places[p].offset);
    }

    assert_true(k->names_profile);
    assert_int_equal(k->profile, KARAT_V203);

    karat_launch_desc d;
    karat_kernel_launch(k, 32, 5, 3, &d);
    assert_int_equal(d.mask, 0xffffffff);
    assert_int_equal(d.csr[KARAT_CSR_TID], 96);
    assert_int_equal(d.csr[KARAT_CSR_NUMT], 32);
    assert_int_equal(d.csr[KARAT_CSR_GDX], 1);
    assert_int_equal(d.csr[KARAT_CSR_GDY], 2);
    assert_int_equal(d.csr[KARAT_CSR_GDZ], 0);
    assert_int_equal(d.csr[KARAT_CSR_PDS], 0xa0000000 + 5 * 4 * 32 * 64);
    karat_kernel_free(k);
}

/* Without its launch, from the file and from its bytes; a launch is not looked for, but an entry point is
 * needed. */
TEST(test_image) {
    image i = good_image();
    i.launch[0] = 0;
    write_file(elf_path, &i, sizeof i);
    karat_diag diag;
    for (int from_bytes = 0; from_bytes < 2; from_bytes++) {
        karat_kernel *k =
            karat_kernel_load_image(elf_path, from_bytes ? &i : NULL, from_bytes ? sizeof i : 0, &diag);
        if (!k)
            fail_msg("%s", diag.text);
        assert_string_equal(k->name, "kernel");
        assert_int_equal(k->start_addr, 0x80000000);
        assert_int_equal(karat_kernel_workgroups(k), 0);
        assert_int_equal(k->num_buffers, 2);
        assert_int_equal(k->buffers[1].cleared, 8);
        assert_memory_equal(k->buffers[0].data, i.text, sizeof i.text);
        assert_int_equal(karat_kernel_num_regions(k), 2);
        expect_region(k, 0, 0x80000000, 0x2000);
        assert_int_equal(k->num_symbols, 3);
        assert_int_equal(k->profile, KARAT_V203);
        karat_kernel_free(k);
    }
    assert_null(karat_kernel_load_image("bytes", "no ELF", 6, &diag));
    assert_string_equal(diag.text, "bytes: expected an ELF file");
    assert_null(karat_kernel_load_image(NULL, NULL, 0, &diag));
    assert_null(karat_kernel_load_image("/no-such-file", NULL, 0, &diag));
    assert_non_null(strstr(diag.text, "cannot be opened"));
    i.header.e_entry = 0x80002000; /* Data */
    assert_null(karat_kernel_load_image("bytes", &i, sizeof i, &diag));
    assert_non_null(strstr(diag.text, "expected an entry point (e_entry)"));
}

/* Words of two ranges, of which the first has no address: as an image, a kernel, and parts of a listing. */
TEST(test_words) {
    static const char text[] = "\xef\xbb\xbf"
                               "00100093 0000_400B // one, two\n/* @0 */ @24000001 DEADBEEF\n@24000002\nc0de";
    karat_diag diag;
    karat_image *image = karat_image_read_words("x", (const uint8_t *)text, sizeof text - 1, 0x40, &diag);
    if (!image)
        fail_msg("%s", diag.text);
    assert_int_equal(image->num_codes, 2);
    assert_int_equal(image->codes[0].addr, 0x40);
    assert_int_equal(image->codes[0].size, 8);
    assert_int_equal(image->codes[1].addr, 0x90000004);
    assert_memory_equal(image->codes[1].data, "\xef\xbe\xad\xde\xde\xc0\0\0", 8);
    karat_image_free(image);
    karat_kernel *k = karat_kernel_load_image("a.hex", text, sizeof text - 1, &diag);
    if (!k)
        fail_msg("%s", diag.text);
    assert_int_equal(karat_kernel_workgroups(k), 0);
    assert_int_equal(k->start_addr, 0x80000000);
    assert_int_equal(k->num_buffers, 2);
    expect_region(k, 0, 0x80000000, KARAT_CODE_WINDOW);
    expect_region(k, 1, 0x90000000, 0x1000);
    karat_kernel_free(k);
    assert_null(karat_kernel_load_image("a.hexx", text, sizeof text - 1, &diag));
    assert_null(karat_image_read_words("x", (const uint8_t *)text, sizeof text - 1, 0x42, &diag));
    assert_null(karat_image_read_words("x", NULL, 1, 0, &diag));
    assert_null(karat_image_read_words("x", (const uint8_t *)text, 0, 0, &diag));
    assert_string_equal(diag.text, "x: expected words of up to 8 hex digits, found none");
    assert_false(karat_is_words(NULL) || karat_is_words(".hex") || karat_is_words("a.hex.elf"));
    assert_true(karat_is_words("a.mem") && karat_is_words("a/b.vmem") && karat_is_words("x.hex"));
}

TEST(test_wrong_elf) {
    image i;
#define WRONG(change, text)                                                                                  \
    do {                                                                                                     \
        i = good_image();                                                                                    \
        change;                                                                                              \
        write_file(elf_path, &i, sizeof i);                                                                  \
        expect_complaint(elf_path, elf_path, 0, text);                                                       \
    } while (0)
    WRONG(i.header.e_ident[EI_CLASS] = ELFCLASS64, "expected ELF32, found ELF64");
    WRONG(i.header.e_ident[EI_CLASS] = 7, "expected ELF32");
    WRONG(i.header.e_ident[EI_DATA] = ELFDATA2MSB, "little-endian");
    WRONG(i.header.e_machine = EM_386, "found machine 3");
    WRONG(i.header.e_type = ET_REL, "found a relocatable object");
    WRONG(i.header.e_type = ET_DYN, "expected a linked executable");
    WRONG(i.header.e_phentsize = 31, "e_phentsize");
    WRONG(i.header.e_phoff = sizeof i - 95, "program headers within the file");
    WRONG(i.header.e_phoff = 0xffffffff, "program headers within the file");
    WRONG(i.header.e_phnum = 0xffff, "program headers within the file");
    WRONG(i.header.e_phnum = 0, "at least one loadable segment");
    WRONG(i.header.e_shentsize = 41, "e_shentsize");
    WRONG(i.header.e_shoff = 0xfffffff0, "section headers within the file");
    WRONG(i.header.e_shnum = 8, "section headers within the file");
    WRONG(i.header.e_shnum = 0, "expected a section .karat.launch that describes its launch, found none");
    WRONG(i.header.e_shstrndx = 7, "e_shstrndx");
    WRONG(i.sections[5].sh_size = 0xffffffff, "section names within the file");
    WRONG(i.section_names[sizeof section_names - 1] = 'x', "expected a section .karat.launch");
    WRONG(i.sections[2].sh_name = 0xffffffff, "expected a section .karat.launch");
    WRONG(i.sections[2].sh_size = 52, "14 or 24 words");
    WRONG(i.sections[2].sh_size = 60, "14 or 24 words");
    WRONG(i.sections[2].sh_type = SHT_NOBITS, "14 or 24 words");
    WRONG(i.sections[2].sh_offset = sizeof i - 40, "14 or 24 words");
    WRONG(i.segments[0].p_filesz = 0x20, "program header 0: expected p_filesz of at most p_memsz");
    WRONG(i.segments[2].p_offset = sizeof i - 7, "program header 2: expected contents within the file");
    WRONG(i.segments[2].p_offset = 0xfffffffc, "program header 2: expected contents within the file");
    WRONG(i.segments[2].p_vaddr = 0xfffffff8, "program header 2: expected an end within the 32-bit");
    WRONG(i.segments[2].p_memsz = 0xffffffff, "program header 2: expected an end within the 32-bit");
    WRONG(i.segments[2].p_vaddr = 0x8000000c, "not to overlap (0x80000000 and 0x8000000c)");
    WRONG(i.segments[0].p_flags = PF_R, "entry pc (word 1)");
    WRONG(i.launch[0]++, "magic 0x3154524b");
    WRONG(i.launch[1] = 0x80000002, "entry pc (word 1)");
    WRONG(i.launch[1] = 0x80000010, "entry pc (word 1)");
    WRONG(i.launch[1] = 0x80002000, "entry pc (word 1)");
    WRONG(i.launch[2] = 0, "at least one workgroup");
    WRONG(i.launch[4] = 0, "at least one workgroup");
    WRONG(i.launch[3] = 0x80000000, "fewer than 2^32 workgroups");
    WRONG(i.launch[5] = 0, "warps a workgroup (word 5)");
    WRONG(i.launch[5] = 1025, "warps a workgroup (word 5)");
    WRONG(i.launch[6] = 33, "threads a warp (word 6)");
    WRONG(i.launch[12] = 65, "sGPRs (word 12)");
    WRONG(i.launch[13] = 257, "vGPRs (word 13)");
    WRONG(i.sections[3].sh_entsize = 15, "symbol table");
    WRONG(i.sections[3].sh_link = 7, "symbol table");
    WRONG(i.sections[3].sh_size = 0xffffffff, "symbol table");
    WRONG(i.sections[4].sh_offset = 0xffffffff, "symbol names within the file");
    WRONG(i.notes[6] = 0x34, "note of Karat: expected ISA profile v2.02 or v2.03 or public, found 'v2.04'");
    WRONG(i.notes[1] = 4, "found 'v2.0'");
    WRONG(i.notes[1] = 6, "found 'v2.03"); /* The 0 counts */
    WRONG(i.notes[1] = 0, "found ''");
    WRONG(i.notes[0] = 0xffffffff, "notes that lie within their section");
    WRONG(i.notes[1] = 0xffffffff, "notes that lie within their section");
    WRONG(i.notes[8] = 9, "notes that lie within their section");
    WRONG(i.notes[10] = 0x6172614b, "expected one ISA profile, found v2.03 and v2.02");
    WRONG(i.sections[6].sh_size = 24, "notes that lie within their section");
    WRONG(i.sections[6].sh_offset = sizeof i - 55, "notes within the file");
    WRONG(i.sections[6].sh_size = 0xffffffff, "notes within the file");
#undef WRONG
    /* Symbols whose names cannot be had are left out. */
    i = good_image();
    i.symbols[1].st_name = 0xffffffff;
    write_file(elf_path, &i, sizeof i);
    karat_kernel *k = karat_kernel_load(elf_path, NULL, NULL);
    assert_non_null(k);
    assert_int_equal(k->num_symbols, 2);
    karat_kernel_free(k);
}

/* Notes that name no profile: of another type, of another name, and none. */
TEST(test_no_profile) {
    for (unsigned n = 0; n < 5; n++) {
        image i = good_image();
        switch (n) {
        case 0: i.notes[2] = 3; break;
        case 1: i.notes[3] ^= 0x20; break;
        case 2: i.sections[6].sh_type = SHT_PROGBITS; break;
        case 3: i.sections[6].sh_size = 0; break;
        default: i.notes[0] = 7; break;
        }
        write_file(elf_path, &i, sizeof i);
        karat_kernel *k = karat_kernel_load(elf_path, NULL, NULL);
        assert_non_null(k);
        assert_false(k->names_profile);
        karat_kernel_free(k);
    }
    /* The last note need not be padded. */
    image i = good_image();
    i.sections[6].sh_size = 25;
    write_file(elf_path, &i, sizeof i);
    karat_kernel *k = karat_kernel_load(elf_path, NULL, NULL);
    assert_true(k && k->names_profile && k->profile == KARAT_V203);
    karat_kernel_free(k);
}

/* The text of a change as a note. */
static void put_page_note(image *i, const char *text) {
    i->notes[1] = (Elf32_Word)strlen(text);
    i->notes[2] = 2;
    memcpy(&i->notes[5], text, strlen(text));
    i->sections[6].sh_size = (Elf32_Word)(20 + strlen(text));
}

/* Changes of page tables: notes, and lines of a `.metadata`. */
TEST(test_pages) {
    image i = good_image();
    put_page_note(&i, "0x1000:no-write+not-dirty@1");
    write_file(elf_path, &i, sizeof i);
    karat_kernel *k = karat_kernel_load(elf_path, NULL, NULL);
    assert_non_null(k);
    assert_false(k->names_profile);
    assert_int_equal(k->num_pages, 1);
    assert_int_equal(k->pages[0].virt, 0x1000);
    assert_int_equal(k->pages[0].words, 1u << KARAT_CHANGE_NO_WRITE | 1u << KARAT_CHANGE_NOT_DIRTY);
    assert_int_equal(k->pages[0].level, 1);
    karat_kernel_free(k);
    i = good_image();
    put_page_note(&i, "0x1000:no-sense");
    write_file(elf_path, &i, sizeof i);
    expect_complaint(elf_path, elf_path, 0, "change of a page: expected a change: page, ");

    char text[4096] = "// ISA profile v2.03\n// page 0x2000:alias=0x80000000\n// page 0x3000:invalid@2\n";
    size_t n = strlen(text);
    write_pair(good_fields);
    for (int f = 0; f < FIELDS; f++)
        n += (size_t)sprintf(text + n, "%08" PRIx32 "\n%08" PRIx32 "\n", (uint32_t)good_fields[f],
                             (uint32_t)(good_fields[f] >> 32));
    for (int profile = 0; profile < 2; profile++) {
        const size_t from = profile ? 0 : strlen("// ISA profile v2.03\n");
        write_file(metadata_path, text + from, n - from);
        k = karat_kernel_load(metadata_path, NULL, NULL);
        assert_non_null(k);
        assert_int_equal(k->names_profile, profile);
        assert_null(k->note);
        assert_int_equal(k->num_pages, 2);
        assert_int_equal(k->pages[0].to, 0x80000000);
        assert_int_equal(k->pages[1].virt, 0x3000);
        karat_kernel_free(k);
    }
    memcpy(strstr(text, "@2"), "@x", 2);
    write_file(metadata_path, text, n);
    expect_complaint(metadata_path, metadata_path, 3,
                     "change of a page: expected level 0, 1 or 2, found 'x'");
}

/* The first line of a `.metadata`. */
TEST(test_profile_line) {
    static const struct {
        const char *line;
        int profile; /* -1: refused, -2: none */
        const char *text;
    } cases[] = {
        {"// ISA profile v2.03\n", KARAT_V203, NULL},
        {"// ISA profile v2.02\r\n", KARAT_V202, NULL},
        {"// ISA profile v2.03\n// ISA profile v2.04\n", KARAT_V203, NULL}, /* A comment as any other */
        {"\n// ISA profile v2.04\n", -2, NULL},
        {"// ISA profile\n", -2, NULL},
        {"// ISA profile v2.04\n", -1, "expected ISA profile v2.02 or v2.03 or public, found 'v2.04'"},
        {"// ISA profile v2.03 \n", -1, "found 'v2.03 '"},
        {"// ISA profile \n", -1, "found ''"},
        {"// ISA profile of an unknown device\n", -1, "found 'of an unknown de'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        size_t n = (size_t)sprintf(text, "%s", cases[i].line);
        write_pair(good_fields);
        for (int f = 0; f < FIELDS; f++)
            n += (size_t)sprintf(text + n, "%08" PRIx32 "\n%08" PRIx32 "\n", (uint32_t)good_fields[f],
                                 (uint32_t)(good_fields[f] >> 32));
        write_file(metadata_path, text, n);
        if (cases[i].profile == -1) {
            expect_complaint(metadata_path, metadata_path, 1, cases[i].text);
            continue;
        }
        karat_kernel *k = karat_kernel_load(metadata_path, NULL, NULL);
        assert_non_null(k);
        assert_int_equal(k->start_addr, 0x80000000);
        assert_int_equal(k->names_profile, cases[i].profile >= 0);
        if (k->names_profile)
            assert_int_equal(k->profile, cases[i].profile);
        if (i < 2)
            assert_null(k->note); /* No comment was passed over */
        karat_kernel_free(k);
    }
    /* Lines count on. */
    write_pair(good_fields);
    write_file(metadata_path, "// ISA profile v2.03\n80000000\n0000000x\n", 39);
    expect_complaint(metadata_path, metadata_path, 3, "start_addr");
}

TEST(test_kernels_profile) {
    const karat_kernel none = {.name = "none"},
                       old = {.name = "old", .names_profile = true, .profile = KARAT_V202},
                       new = {.name = "new", .names_profile = true, .profile = KARAT_V203};
    const karat_kernel *const lists[][2] = {
        {&none, &none}, {&none, &new}, {&old, &none}, {&new, &old}, {&new, &new}};
    static const struct {
        unsigned list;
        int wanted, profile; /* -1: none; refused */
        const char *text;
    } cases[] = {
        {0, -1, KARAT_V202, NULL},
        {0, KARAT_V203, KARAT_V203, NULL},
        {1, -1, KARAT_V203, NULL},
        {1, KARAT_V203, KARAT_V203, NULL},
        {1, KARAT_V202, -1, "new: its code is for profile v2.03 of the ISA; --profile: v2.02"},
        {2, -1, KARAT_V202, NULL},
        {2, KARAT_V203, -1, "old: its code is for profile v2.02 of the ISA; --profile: v2.03"},
        {3, -1, -1, "old: its code is for profile v2.02 of the ISA; new: v2.03"},
        {3, KARAT_V203, -1, "old: its code is for profile v2.02 of the ISA; --profile: v2.03"},
        {4, -1, KARAT_V203, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const karat_profile wanted = (karat_profile)cases[i].wanted;
        karat_profile profile;
        karat_diag diag;
        const bool good = karat_kernels_profile(lists[cases[i].list], 2, cases[i].wanted < 0 ? NULL : &wanted,
                                                "--profile", &profile, &diag);
        assert_int_equal(good, cases[i].profile >= 0);
        if (good)
            assert_int_equal(profile, cases[i].profile);
        else
            assert_string_equal(diag.text, cases[i].text);
    }
}

/* Whatever a file holds: a kernel, or one line. */
static void load_anything(const char *path) {
    karat_diag diag;
    karat_kernel *k = karat_kernel_load(path, NULL, &diag);
    if (!k) {
        assert_true(strlen(diag.text) > strlen(path));
        assert_null(strchr(diag.text, '\n'));
        return;
    }
    uint64_t base, size;
    for (uint32_t r = 0; r < karat_kernel_num_regions(k); r++)
        karat_kernel_region(k, r, 32, &base, &size);
    karat_kernel_symbol(k, k->start_addr, NULL);
    karat_kernel_free(k);
}

TEST(test_truncated_elf) {
    image i = good_image();
    write_file(elf_path, &i, sizeof i);
    for (long size = sizeof i - 1; size >= 4; size--) {
        assert_int_equal(truncate(elf_path, size), 0);
        /* The section headers come last, so every truncation is seen. */
        expect_complaint(elf_path, elf_path, 0, "expected ");
    }
}

/* Every byte of the headers, sections and symbols with some other values. */
TEST(test_damaged_elf) {
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    image good = good_image();
    write_file(elf_path, &good, sizeof good);
    int fd = open(elf_path, O_WRONLY);
    assert_true(fd >= 0);
    for (off_t at = 4; at < (off_t)sizeof good; at++) {
        for (size_t v = 0; v < sizeof values; v++) {
            assert_int_equal(pwrite(fd, &values[v], 1, at), 1);
            load_anything(elf_path);
        }
        assert_int_equal(pwrite(fd, (const uint8_t *)&good + at, 1, at), 1);
    }
    close(fd);
}

RUN_TESTS_BETWEEN("load", make_folder, remove_folder)
