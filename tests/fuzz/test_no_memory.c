/* Every allocation of libkarat fails once: the reported error is "no memory", nothing is left allocated, and
 * what was there before still works.
 *
 * Usage: test_no_memory KERNEL.elf FOLDER   an image to load, and a folder for files */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../no_memory.h"
#include "karat/karat.h"
#include "suite.h"

enum { PAGE = 4096 };
#define CODE 0x80000000u

/* Try it with the first allocation failing, then the second, until it makes do without the one that fails.
 * The attempt returns whether it worked, and checks the error where it did not. Returns how many
 * allocations it takes. */
typedef bool attempt(void *context);
static long each_allocation_fails(attempt *try, void *context) {
    for (long n = 1; n < 1000; n++) {
        long before = live;
        fail_at = n;
        bool worked = try(context);
        bool failed = fail_at == 0;
        fail_at = 0;
        if (live != before)
            fail_msg("%ld blocks are left when allocation %ld fails", live - before, n);
        if (worked == failed)
            fail_msg("allocation %ld %s, and it %s", n, failed ? "failed" : "did not fail",
                     worked ? "worked" : "did not work");
        if (worked)
            return n - 1;
    }
    fail_msg("there is no end of allocations");
    return 0;
}

/* --- Attempts --- */

static karat_config small(void) {
    karat_config config;
    karat_config_default(&config);
    config.max_warp = config.max_workgroup = 2;
    config.lds_size = config.lds_pool = 4 * PAGE;
    return config;
}

static karat_model *small_model(void) {
    const karat_config config = small();
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    return model;
}

static bool create(void *unused) {
    (void)unused;
    const karat_config config = small();
    karat_status status = KARAT_BAD_ARGUMENT;
    karat_model *model = karat_create(&config, &status);
    assert_int_equal(status, model ? KARAT_OK : KARAT_NO_MEMORY);
    karat_destroy(model);
    return model != NULL;
}

/* Pages on either side of a table of 4 MiB, then such as lie beyond 4 GiB, around some that are there
 * already. */
static bool map(void *unused) {
    (void)unused;
    long failing = fail_at;
    fail_at = 0;
    karat_model *model = small_model();
    const uint32_t word = 0x12345678;
    uint32_t read = 0;
    assert_int_equal(karat_map(model, UINT64_C(0x180000000), PAGE), KARAT_OK);
    assert_int_equal(karat_map(model, CODE, PAGE), KARAT_OK);
    assert_int_equal(karat_write(model, CODE, &word, 4), KARAT_OK);
    fail_at = failing;
    karat_status status = karat_map(model, CODE - 0x400000, 0x800000);
    if (status == KARAT_OK)
        status = karat_map(model, UINT64_C(0x17ffff000), 3 * PAGE);
    assert_true(status == KARAT_OK || status == KARAT_NO_MEMORY);
    /* Mapped pages stay, and once there is memory the rest can be mapped. */
    assert_int_equal(karat_read(model, CODE, &read, 4), KARAT_OK);
    assert_int_equal(read, word);
    if (status == KARAT_NO_MEMORY) {
        assert_int_equal(karat_map(model, CODE - 0x400000, 0x800000), KARAT_OK);
        assert_int_equal(karat_map(model, UINT64_C(0x17ffff000), 3 * PAGE), KARAT_OK);
    }
    assert_int_equal(karat_read(model, CODE + 0x3ffffc, &read, 4), KARAT_OK);
    assert_int_equal(karat_read(model, UINT64_C(0x180001ffc), &read, 4), KARAT_OK);
    assert_int_equal(karat_read(model, UINT64_C(0x180002000), &read, 4), KARAT_NOT_MAPPED);
    assert_int_equal(karat_read(model, UINT64_C(0x17ffff000), &read, 4), KARAT_OK);
    karat_destroy(model);
    return status == KARAT_OK;
}

typedef struct snapshot {
    uint8_t *bytes;
    size_t size;
} snapshot;

static bool restore(void *context) {
    const snapshot *s = context;
    karat_status status = KARAT_BAD_ARGUMENT;
    karat_model *model = karat_restore(s->bytes, s->size, &status);
    assert_int_equal(status, model ? KARAT_OK : KARAT_NO_MEMORY);
    karat_destroy(model);
    return model != NULL;
}

static bool load(void *context) {
    karat_diag diag = {""};
    karat_kernel *kernel = karat_kernel_load(context, NULL, &diag);
    if (kernel)
        assert_string_equal(diag.text, "");
    else if (!strstr(diag.text, "memory"))
        fail_msg("no memory, and the message is '%s'", diag.text);
    karat_kernel_free(kernel);
    return kernel != NULL;
}

static bool place(void *context) {
    const karat_kernel *kernel = context;
    long failing = fail_at;
    fail_at = 0;
    karat_model *model = small_model();
    fail_at = failing;
    karat_status status = karat_kernel_place(kernel, model);
    assert_true(status == KARAT_OK || status == KARAT_NO_MEMORY);
    karat_destroy(model);
    return status == KARAT_OK;
}

/* --- Tests --- */

static char *elf, *folder;

TEST(creating_a_model) {
    assert_true(each_allocation_fails(create, NULL) >= 2);
}

TEST(mapping_memory) {
    assert_true(each_allocation_fails(map, NULL) >= 3);
}

TEST(restoring_a_snapshot) {
    karat_model *model = small_model();
    const uint8_t byte = 1;
    assert_int_equal(karat_map(model, CODE, PAGE), KARAT_OK);
    assert_int_equal(karat_map(model, UINT64_C(0x100000000), PAGE), KARAT_OK);
    assert_int_equal(karat_workgroup_open(model, 1, 1), KARAT_OK);
    assert_int_equal(karat_lds_write(model, 1, karat_get_config(model)->lds_base, &byte, 1), KARAT_OK);
    snapshot s = {.size = karat_save_size(model)};
    s.bytes = malloc(s.size);
    assert_non_null(s.bytes);
    assert_int_equal(karat_save(model, s.bytes, s.size), KARAT_OK);
    assert_true(each_allocation_fails(restore, &s) >= 5);
    free(s.bytes);
    karat_destroy(model);
}

TEST(loading_an_elf_file) {
    assert_true(each_allocation_fails(load, elf) >= 4);
}

/* The fields of a .metadata file, a 64-bit number in two lines each; two buffers with more words than one
 * allocation is made for at first. */
TEST(loading_a_metadata_file) {
    enum { WORDS = 20000 };
    char path[4096], data[4096];
    snprintf(path, sizeof path, "%s/no_memory.metadata", folder);
    snprintf(data, sizeof data, "%s/no_memory.data", folder);
    const uint64_t fields[] = {CODE, 0,  1, 1, 1,    4,          1,         0, 0x1000,    0,
                               32,   32, 0, 2, CODE, 0x90000000, 4 * WORDS, 4, 4 * WORDS, 4};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        fprintf(file, "%08x\n%08x\n", (unsigned)fields[i], (unsigned)(fields[i] >> 32));
    assert_int_equal(fclose(file), 0);
    file = fopen(data, "w");
    assert_non_null(file);
    for (unsigned i = 0; i < WORDS + 1; i++)
        fprintf(file, "%08x\n", i);
    assert_int_equal(fclose(file), 0);
    assert_true(each_allocation_fails(load, path) >= 6);
}

TEST(placing_a_kernel) {
    karat_diag diag;
    karat_kernel *kernel = karat_kernel_load(elf, NULL, &diag);
    assert_non_null(kernel);
    assert_true(each_allocation_fails(place, kernel) >= 2);
    karat_kernel_free(kernel);
}

/* --- Nothing reaches beyond what was allocated --- */

static uint32_t code_of(const char *name, const int32_t value[KARAT_MAX_OPERAND]) {
    uint32_t word = 0;
    assert_true(karat_encode(karat_find_row(name), value, &word));
    return word;
}
#define OP(name, ...) code_of(name, (const int32_t[KARAT_MAX_OPERAND]){__VA_ARGS__})

TEST(blocks_of_a_model) {
    const uint32_t last = 0x1c70200bu; /* REGEXT: v31 is v255 */
    const uint32_t code[] = {
        last,           OP("vadd.vi", 31, 31, 7, 1), last, OP("vmslt.vx", 31, 31, 0, 0), OP("barrier", 0),
        OP("endprg", 0)};
    for (uint32_t threads = 1; threads <= 32; threads *= 2) {
        karat_config config = small();
        config.num_thread = threads;
        guarded = true;
        karat_model *model = karat_create(&config, NULL);
        assert_non_null(model);
        assert_int_equal(karat_map(model, CODE, PAGE), KARAT_OK);
        assert_int_equal(karat_write(model, CODE, code, sizeof code), KARAT_OK);
        assert_int_equal(karat_workgroup_open(model, 1, 2), KARAT_OK);
        const uint32_t base = config.lds_base + 3 * PAGE, ones[KARAT_MAX_THREAD] = {1, 1};
        uint8_t bytes[PAGE] = {1};
        assert_int_equal(karat_lds_write(model, 1, base, bytes, PAGE), KARAT_OK);
        assert_int_equal(karat_lds_read(model, 1, base, bytes, PAGE), KARAT_OK);
        const karat_launch_desc desc = {.workgroup = 1, .pc = CODE, .mask = threads > 1 ? 2 : 1};
        for (uint32_t warp = 0; warp < 2; warp++) {
            assert_int_equal(karat_launch(model, warp, &desc), KARAT_OK);
            assert_int_equal(karat_adopt(model, warp, KARAT_CLASS_V, 255, 0xffffffffu, ones), KARAT_OK);
        }
        karat_commit *commit = malloc(sizeof *commit);
        assert_non_null(commit);
        for (unsigned step = 0; step < 4; step++)
            for (uint32_t warp = 0; warp < 2; warp++)
                assert_int_equal(karat_step(model, warp, commit), KARAT_OK);
        free(commit);
        /* A snapshot, and the first bytes of it. */
        const size_t size = karat_save_size(model);
        uint8_t *whole = malloc(size);
        assert_non_null(whole);
        assert_int_equal(karat_save(model, whole, size), KARAT_OK);
        for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 509) {
            uint8_t *part = malloc(cut);
            assert_true(part || !cut);
            memcpy(part, whole, cut);
            assert_null(karat_restore(part, cut, NULL));
            free(part);
        }
        karat_model *again = karat_restore(whole, size, NULL);
        assert_non_null(again);
        karat_destroy(again);
        free(whole);
        assert_int_equal(karat_workgroup_close(model, 1), KARAT_OK);
        karat_destroy(model);
        guarded = false;
        assert_int_equal(num_blocks, 0);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: test_no_memory KERNEL.elf FOLDER\n");
        return 2;
    }
    elf = argv[1];
    folder = argv[2];
    return run_suite("no_memory", NULL, NULL);
}
