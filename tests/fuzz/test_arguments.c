/* Calls that libkarat refuses: bad arguments and missing objects are reported, and leave everything as it
 * was.
 *
 * Usage: test_arguments KERNEL.elf FOLDER   an image to load, and a folder to take for a file */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp/f32_operands.h"
#include "karat/karat.h"
#include "suite.h"

enum { PAGE = 4096 };
#define CODE 0x80000000u
#define LDS  0x70000000u

static char *elf, *folder;

static karat_model *make(void) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    config.max_warp = config.max_workgroup = 2;
    config.lds_size = 8 * PAGE;
    config.lds_pool = 2 * PAGE;
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    assert_int_equal(karat_map(model, CODE, PAGE), KARAT_OK);
    assert_int_equal(karat_workgroup_open(model, 0, 2), KARAT_OK);
    return model;
}

/* The snapshot of a model, to see that a call changed nothing. */
static uint8_t *state_of(const karat_model *model, size_t *size) {
    *size = karat_save_size(model);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(karat_save(model, bytes, *size), KARAT_OK);
    return bytes;
}

#define REFUSED(model, status, call)                                                                         \
    do {                                                                                                     \
        size_t before_size_, after_size_;                                                                    \
        uint8_t *before_ = state_of(model, &before_size_);                                                   \
        assert_int_equal(call, status);                                                                      \
        uint8_t *after_ = state_of(model, &after_size_);                                                     \
        assert_int_equal(after_size_, before_size_);                                                         \
        assert_memory_equal(after_, before_, before_size_);                                                  \
        free(before_);                                                                                       \
        free(after_);                                                                                        \
    } while (0)

TEST(launches) {
    karat_model *model = make();
    const karat_launch_desc good = {.pc = CODE, .mask = 15};
    karat_launch_desc desc = good;
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 2, &desc));
    desc.workgroup = 2;
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 0, &desc));
    desc.workgroup = 1; /* It is not open */
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 0, &desc));
    assert_int_equal(karat_workgroup_open(model, 1, 2), KARAT_OK);
    assert_int_equal(karat_workgroup_close(model, 1), KARAT_OK); /* Before its warps came */
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 0, &desc));
    desc = good;
    desc.mask = 16;
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 0, &desc));
    desc = good;
    desc.sgprs = KARAT_NUM_X + 1;
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 0, &desc));
    desc = good;
    desc.vgprs = KARAT_NUM_V + 1;
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 0, &desc));
    assert_int_equal(karat_launch(model, 0, &good), KARAT_OK);
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 0, &good)); /* It is live */
    assert_int_equal(karat_launch(model, 1, &good), KARAT_OK);
    karat_destroy(model);

    /* No more warps than the workgroup has, even where one of them has ended. */
    model = make();
    assert_int_equal(karat_workgroup_open(model, 1, 1), KARAT_OK);
    desc = good;
    desc.workgroup = 1;
    desc.pc = 2; /* A fetch error */
    karat_commit commit;
    assert_int_equal(karat_launch(model, 0, &desc), KARAT_OK);
    assert_int_equal(karat_step(model, 0, &commit), KARAT_PROGRAM_ERROR);
    assert_int_equal(commit.error.kind, KARAT_ERR_FETCH);
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_launch(model, 0, &desc));
    karat_destroy(model);
}

TEST(workgroups_and_warps) {
    karat_model *model = make();
    karat_commit commit;
    karat_warp_view view;
    const uint32_t lanes[KARAT_MAX_THREAD] = {1, 2, 3, 4};
    uint32_t value = 0;
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_workgroup_open(model, 0, 1)); /* It is open */
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_workgroup_open(model, 2, 1));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_workgroup_open(model, 1, 0));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_workgroup_close(model, 1));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_workgroup_close(model, 2));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_step(model, 2, &commit));
    REFUSED(model, KARAT_ENDED, karat_step(model, 0, &commit));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_view(model, 2, &view));
    const karat_launch_desc desc = {.pc = CODE, .mask = 15};
    assert_int_equal(karat_launch(model, 0, &desc), KARAT_OK);
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_adopt(model, 2, KARAT_CLASS_X, 1, 1, lanes));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_adopt(model, 0, KARAT_CLASS_V + 1, 1, 1, lanes));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_adopt(model, 0, KARAT_CLASS_X, KARAT_NUM_X, 1, lanes));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_adopt(model, 0, KARAT_CLASS_V, KARAT_NUM_V, 1, lanes));
    REFUSED(model, KARAT_OK, karat_adopt(model, 0, KARAT_CLASS_X, 0, 1, lanes)); /* x0 stays 0 */
    REFUSED(model, KARAT_OK, karat_adopt(model, 0, KARAT_CLASS_V, 1, 0, lanes)); /* There is no lane */
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_csr_read(model, 2, 0x800, &value));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_csr_read(model, 0, 0x123, &value));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_csr_write(model, 2, 0x80c, 1));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_csr_write(model, 0, 0x800, 1)); /* Read-only */
    karat_destroy(model);
    karat_destroy(NULL);
}

TEST(memory) {
    karat_model *model = make();
    uint8_t bytes[2 * PAGE] = {0};
    REFUSED(model, KARAT_NOT_MAPPED, karat_write(model, CODE + PAGE - 1, bytes, 2));
    REFUSED(model, KARAT_NOT_MAPPED, karat_write(model, CODE - 1, bytes, 2));
    REFUSED(model, KARAT_NOT_MAPPED, karat_write(model, UINT64_MAX, bytes, 2));
    REFUSED(model, KARAT_OK, karat_write(model, 0, bytes, 0)); /* Nothing, anywhere */
    REFUSED(model, KARAT_NOT_MAPPED, karat_read(model, CODE + PAGE, bytes, 1));
    REFUSED(model, KARAT_OK, karat_read(model, 0, bytes, 0));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_map(model, UINT64_MAX, 2));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_map(model, LDS, 1));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_map(model, LDS - PAGE, PAGE + 1));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_map(model, LDS + 8 * PAGE - 1, 1));
    REFUSED(model, KARAT_OK, karat_map(model, CODE, PAGE));                       /* It is there already */
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_lds_write(model, 1, LDS, bytes, 1)); /* It is not open */
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_lds_write(model, 2, LDS, bytes, 1));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_lds_write(model, 0, LDS + 8 * PAGE - 1, bytes, 2));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_lds_write(model, 0, LDS - 1, bytes, 1));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_lds_read(model, 1, LDS, bytes, 1));
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_lds_read(model, 0, LDS + 8 * PAGE, bytes, 1));
    REFUSED(model, KARAT_OK, karat_lds_read(model, 0, 0, bytes, 0));
    /* Around the end of a page, every byte is where it belongs. */
    assert_int_equal(karat_map(model, 5 * PAGE, PAGE), KARAT_OK);
    assert_int_equal(karat_map(model, 4 * PAGE, PAGE), KARAT_OK);
    for (uint32_t size = 6; size < 11; size++) {
        uint8_t to[16], from[16];
        for (uint32_t i = 0; i < size; i++)
            to[i] = (uint8_t)(16 * size + i);
        assert_int_equal(karat_write(model, 5 * PAGE - 8, to, size), KARAT_OK);
        for (uint32_t i = 0; i < size; i++) {
            assert_int_equal(karat_read(model, 5 * PAGE - 8 + i, from, 1), KARAT_OK);
            assert_int_equal(from[0], to[i]);
        }
        assert_int_equal(karat_read(model, 5 * PAGE - 8, from, size), KARAT_OK);
        assert_memory_equal(from, to, size);
    }
    /* The pool has two pages: a third is refused, whoever asks. */
    bytes[0] = 7;
    assert_int_equal(karat_lds_write(model, 0, LDS + PAGE - 1, bytes, 2), KARAT_OK);
    REFUSED(model, KARAT_NO_MEMORY, karat_lds_write(model, 0, LDS + 3 * PAGE, bytes, 1));
    assert_int_equal(karat_lds_read(model, 0, LDS + PAGE - 1, bytes + 8, 1), KARAT_OK);
    assert_int_equal(bytes[8], 7);
    karat_destroy(model);
}

TEST(snapshots) {
    karat_model *model = make();
    size_t size;
    uint8_t *bytes = state_of(model, &size);
    uint8_t guard = 0xa5;
    assert_int_equal(karat_save(model, &guard, 0), KARAT_BAD_ARGUMENT);
    assert_int_equal(guard, 0xa5);
    assert_int_equal(karat_save(model, bytes, size - 1), KARAT_BAD_ARGUMENT);
    karat_status status = KARAT_OK;
    assert_null(karat_restore(bytes, 0, &status));
    assert_int_equal(status, KARAT_BAD_SNAPSHOT);
    assert_null(karat_restore(bytes, size - 1, NULL));
    karat_model *again = karat_restore(bytes, size, NULL);
    assert_non_null(again);
    karat_destroy(again);
    free(bytes);
    karat_destroy(model);
}

/* The level is no part of the state: another one at any time, and none that the machine does not have. */
TEST(levels) {
    karat_model *model = make();
    unsigned num = 0;
    for (const char *name; (name = karat_level_name(num)); num++) {
        REFUSED(model, KARAT_OK, karat_set_level(model, name));
        assert_string_equal(karat_level(model), name);
        REFUSED(model, KARAT_NO_LEVEL, karat_set_level(model, "x86-64"));
        assert_string_equal(karat_level(model), name);
    }
    assert_string_equal(karat_level_name(0), "portable");
    assert_null(karat_level_name(~0u));
    assert_int_equal(karat_set_level(model, NULL), KARAT_OK);
    assert_string_equal(karat_level(model), karat_level_name(num - 1));
    assert_int_equal(karat_set_level(NULL, NULL), KARAT_BAD_ARGUMENT);
    karat_destroy(model);

    assert_int_equal(setenv("KARAT_LEVEL", "portable", 1), 0);
    assert_string_equal(karat_level(NULL), "portable");
    model = make();
    assert_string_equal(karat_level(model), "portable");
    karat_destroy(model);
    assert_int_equal(setenv("KARAT_LEVEL", "Portable", 1), 0);
    assert_null(karat_level(NULL));
    karat_config config;
    karat_config_default(&config);
    karat_status status;
    assert_null(karat_create(&config, &status));
    assert_int_equal(status, KARAT_NO_LEVEL);
    assert_int_equal(unsetenv("KARAT_LEVEL"), 0);
}

TEST(table) {
    const int32_t zeros[KARAT_MAX_OPERAND] = {0};
    uint32_t word = 0xa5a5a5a5;
    assert_null(karat_row_info(-1));
    assert_null(karat_row_info(karat_num_rows()));
    assert_null(karat_operand_info(255));
    assert_false(karat_encode(-1, zeros, &word));
    assert_false(karat_encode(karat_num_rows(), zeros, &word));
    assert_int_equal(word, 0xa5a5a5a5);
    assert_int_equal(karat_find_row(""), KARAT_NO_ROW);
    assert_int_equal(karat_find_row("vadd"), KARAT_NO_ROW);
    assert_null(karat_csr_name(0x123));
    assert_false(karat_is_prefix(KARAT_V202, 0));
    for (int kind = KARAT_ERR_NONE; kind < KARAT_ERR_KINDS; kind++)
        assert_true(karat_error_name((karat_error_kind)kind)[0]);
}

/* Prefixes, widths and pairs (profile v2.03). */
TEST(widths) {
    const karat_row *add = karat_row_info(karat_find_row("vadd.vv"));
    const karat_row *load = karat_row_info(karat_find_row("lw"));
    const uint32_t pair = 1u << 19 | 2; /* PREFIX */
    const karat_prefix none = {.words = 1};
    karat_prefix p = karat_prefix_of(add->match); /* No prefix */
    assert_memory_equal(&p, &none, sizeof p);
    p = karat_prefix_of(0);
    assert_memory_equal(&p, &none, sizeof p);
    assert_int_equal(karat_row_width(NULL, 0, KARAT_W32), -1);
    assert_int_equal(karat_row_width(add, 0, (karat_width)(KARAT_W64 + 1)), -1);
    assert_int_equal(karat_row_width(load, 0, (karat_width)(KARAT_W64 + 1)),
                     KARAT_W32); /* Does not depend on it */
    assert_int_equal(karat_row_width(load, pair, KARAT_W32), -1);
    assert_int_equal(karat_row_width(add, pair, KARAT_W8), KARAT_W64);
    assert_false(karat_operand_is_pair(NULL, KARAT_W64));
    assert_false(karat_row_is_float(NULL));
    assert_false(karat_row_follows_sew(NULL));
    assert_false(karat_row_is_legal(NULL, KARAT_V203));
    assert_false(karat_prefix_fits(-1, pair));
    assert_false(karat_prefix_fits(karat_num_rows(), pair));
    assert_false(karat_prefix_fits(karat_find_row("prefix"), 0));
    assert_false(karat_is_prefix(KARAT_V202, pair));
    assert_true(karat_is_prefix(KARAT_V203, pair));
    assert_false(karat_is_prefix(KARAT_NUM_PROFILE, pair));
    assert_int_equal(karat_decode_prefixed(KARAT_V203, pair, load->match, NULL, NULL), KARAT_NO_ROW);
}

/* A text that is cut off is the beginning of the whole, ends with a NUL and stays in its buffer. */
TEST(short_texts) {
    struct rng rng = {test_seed()};
    for (int i = 0; i < 20000; i++) {
        char whole[200], cut[200];
        const karat_row *row = karat_row_info((int)rng_below(&rng, (uint32_t)karat_num_rows()));
        uint32_t word = row->match | ((uint32_t)rng_next(&rng) & ~row->mask);
        static const uint32_t prefixes[4] = {0, 0x200b, 0x2, 0x6};
        const karat_profile profile = i & 2 ? KARAT_V203 : KARAT_V202;
        uint32_t prefix = prefixes[i & 3];
        if (prefix)
            prefix |= (uint32_t)rng_next(&rng) << 20;
        size_t size = rng_below(&rng, 60);
        memset(cut, '#', sizeof cut);
        int known = karat_disassemble(profile, CODE, prefix, word, whole, sizeof whole);
        assert_int_equal(karat_disassemble(profile, CODE, prefix, word, cut, size), known);
        for (size_t at = size; at < sizeof cut; at++)
            assert_int_equal(cut[at], '#');
        if (size) {
            assert_true(strlen(cut) < size);
            assert_int_equal(strncmp(whole, cut, strlen(cut)), 0);
            assert_true(strlen(cut) == (strlen(whole) < size ? strlen(whole) : size - 1));
        }
    }
}

TEST(kernels) {
    karat_diag diag;
    char path[600];
    assert_null(karat_kernel_load(folder, NULL, &diag)); /* Can be opened, not read */
    assert_non_null(strstr(diag.text, "cannot be read"));
    assert_null(karat_kernel_load(folder, NULL, NULL));
    /* A message that does not fit is cut off, and one line anyway. */
    memset(path, 'p', sizeof path);
    path[3] = '\n';
    path[sizeof path - 1] = '\0';
    assert_null(karat_kernel_load(path, NULL, &diag));
    assert_true(strlen(diag.text) > 0 && strlen(diag.text) < sizeof diag.text);
    assert_null(strchr(diag.text, '\n'));
    karat_kernel_free(NULL);

    karat_kernel *kernel = karat_kernel_load(elf, NULL, &diag);
    assert_non_null(kernel);
    /* A model whose LDS window lies on the kernel's code takes nothing of it. */
    karat_config config;
    karat_config_default(&config);
    config.max_warp = config.max_workgroup = 1;
    config.lds_base = kernel->start_addr & ~(uint32_t)(PAGE - 1);
    config.lds_size = config.lds_pool = PAGE;
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    REFUSED(model, KARAT_BAD_ARGUMENT, karat_kernel_place(kernel, model));
    karat_destroy(model);
    assert_null(karat_kernel_symbol(kernel, 0, NULL));
    assert_non_null(karat_kernel_symbol(kernel, kernel->start_addr, NULL));
    karat_kernel_free(kernel);
}

/* --- The scheduler --- */

typedef struct seen {
    uint64_t launches, commits, stop_after;
} seen;

static void on_launch(void *context, const karat_sched_warp *warp, karat_launch_desc *desc) {
    assert_true(warp->handle < 2 && desc->mask);
    ((seen *)context)->launches++;
}

static bool on_commit(void *context, const karat_sched_warp *warp, const karat_commit *commit) {
    assert_true(warp->handle < 2 && commit->pc >= CODE);
    return ++((seen *)context)->commits != ((seen *)context)->stop_after;
}

/* A model with the kernel placed in it, and a configuration to run it there. */
static karat_sched_config placed(karat_kernel *kernel) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 8;
    config.max_warp = kernel->wg_size;
    config.max_workgroup = 1;
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    assert_int_equal(karat_kernel_place(kernel, model), KARAT_OK);
    return (karat_sched_config){.model = model, .kernel = kernel, .resident = 1, .max_steps = UINT64_MAX};
}

/* Runs of one kernel in all ways have the same end, steps and memory; each way to end one early is
 * reported. */
TEST(schedules) {
    karat_kernel *kernel = karat_kernel_load(elf, NULL, NULL);
    assert_non_null(kernel);
    assert_true(kernel->wg_size <= 2);
    enum { SLICES, STEPS, COMMITS, BY_HAND, STOPPED, LIMITED, WAYS };
    size_t size = 0;
    uint8_t *first = NULL;
    uint64_t steps = 0;
    for (unsigned way = SLICES; way < WAYS; way++) {
        seen s = {.stop_after = way == STOPPED ? 5 : 0};
        karat_sched_config config = placed(kernel);
        config.hooks = (karat_sched_hooks){.context = &s, .launch = on_launch};
        config.single_steps = way == STEPS;
        config.max_steps = way == LIMITED ? 7 : UINT64_MAX;
        config.hooks.commit = way == COMMITS || way == STOPPED ? on_commit : NULL;
        karat_sched *sched = karat_sched_create(&config, NULL);
        assert_non_null(sched);
        const karat_sched_result *r = karat_sched_get(sched);
        if (way == BY_HAND)
            for (uint32_t warp = 0; r->end == KARAT_SCHED_RUNS; warp = (warp + 1) % kernel->wg_size) {
                const karat_status status = karat_sched_step(sched, warp);
                assert_true(status == KARAT_OK || status == KARAT_WAITING || status == KARAT_ENDED);
            }
        assert_ptr_equal(karat_sched_run(sched), r);
        if (way >= STOPPED) {
            assert_int_equal(r->end, way == STOPPED ? KARAT_SCHED_STOPPED : KARAT_SCHED_MAX_STEPS);
            assert_int_equal(r->steps, way == STOPPED ? 5 : 7);
            assert_true(karat_sched_find(sched, r->at.handle, NULL, NULL, NULL));
        } else {
            size_t now;
            uint8_t *bytes = state_of(config.model, &now);
            assert_int_equal(r->end, KARAT_SCHED_DONE);
            assert_false(karat_sched_find(sched, 0, NULL, NULL, NULL));
            assert_int_equal(s.launches, r->warps);
            if (!first) {
                first = bytes, size = now, steps = r->steps;
            } else {
                assert_int_equal(r->steps, steps);
                assert_true(now == size && memcmp(bytes, first, size) == 0);
                free(bytes);
            }
        }
        assert_int_equal(karat_sched_step(sched, 0), KARAT_BAD_ARGUMENT); /* It has ended */
        karat_sched_destroy(sched);
        karat_destroy((karat_model *)config.model);
    }
    assert_true(steps > 7);
    free(first);

    karat_sched_config config = placed(kernel), bad[4] = {config, config, config, config};
    bad[0].model = NULL;
    bad[1].kernel = NULL;
    bad[2].resident = 0;
    bad[3].resident = 2;
    for (unsigned i = 0; i < 4; i++) {
        karat_status status = KARAT_OK;
        assert_null(karat_sched_create(&bad[i], &status));
        assert_int_equal(status, KARAT_BAD_ARGUMENT);
    }
    assert_null(karat_sched_create(NULL, NULL));
    assert_int_equal(karat_sched_step(NULL, 0), KARAT_BAD_ARGUMENT);
    assert_false(karat_sched_find(NULL, 0, NULL, NULL, NULL));
    karat_sched_destroy(NULL);
    karat_destroy(config.model);
    karat_kernel_free(kernel);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: test_arguments KERNEL.elf FOLDER\n");
        return 2;
    }
    elf = argv[1];
    folder = argv[2];
    return run_suite("arguments", NULL, NULL);
}
