/* No public function of the C API falls over what its caller has not got: NULL for each pointer, and
 * indices from far outside. Each says so as its header has it, or does nothing; what it was given stays as
 * it was.
 *
 * Usage: test_null KERNEL.elf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core_desc.h"
#include "karat/image.h"
#include "karat/kernel.h"
#include "karat/model.h"
#include "karat/notes.h"
#include "meta.h"
#include "port.h"
#include "scalars.h"
#include "suite.h"
#include "trace.h"

#define CODE 0x80000000u
#define LDS  0x70000000u
#define WILD 0xfffffff0u

static char *elf;
static const uint32_t wild[] = {2, 64, 255, 256, 65536, INT32_MAX, INT32_MIN, WILD, UINT32_MAX};
#define EACH_WILD(i) for (size_t i = 0; i < sizeof wild / sizeof *wild; i++)

static karat_model *make(void) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    config.max_warp = config.max_workgroup = 2;
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    assert_int_equal(karat_map(model, CODE, 4096), KARAT_OK);
    assert_int_equal(karat_workgroup_open(model, 0, 2), KARAT_OK);
    const karat_launch_desc desc = {.pc = CODE, .mask = 15};
    assert_int_equal(karat_launch(model, 0, &desc), KARAT_OK);
    return model;
}

TEST(models) {
    uint32_t value[KARAT_MAX_THREAD] = {0};
    uint8_t bytes[8] = {0};
    uint64_t addr = 0;
    static karat_commit commit;
    const karat_launch_desc desc = {.pc = CODE, .mask = 15};
    karat_warp_view view;
    karat_config_default(NULL);
    karat_status status = KARAT_OK;
    assert_null(karat_create(NULL, &status));
    assert_int_equal(status, KARAT_BAD_ARGUMENT);
    assert_null(karat_create(NULL, NULL));
    karat_destroy(NULL);
    karat_set_mem_port(NULL, NULL, NULL);
    karat_set_shape_port(NULL, NULL, NULL);
    karat_set_read_port(NULL, NULL, NULL);
    karat_ask_again(NULL, 0, KARAT_CLASS_X, 0);
    assert_null(karat_get_config(NULL));
    assert_null(karat_next_page(NULL, &addr));
    assert_null(karat_next_written_page(NULL, &addr, UINT64_MAX));
    assert_int_equal(karat_save_size(NULL), 0);
    assert_int_equal(karat_map(NULL, CODE, 4096), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_read(NULL, CODE, bytes, 4), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_write(NULL, CODE, bytes, 4), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_lds_read(NULL, 0, LDS, bytes, 4), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_lds_write(NULL, 0, LDS, bytes, 4), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_workgroup_open(NULL, 0, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_workgroup_close(NULL, 0), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_launch(NULL, 0, &desc), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_step(NULL, 0, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_read_lanes(NULL, 0, &commit, 0), 0);
    assert_int_equal(karat_adopt(NULL, 0, 0, 1, 1, value), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt_vl(NULL, 0, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_csr_read(NULL, 0, 0x800, value), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_csr_write(NULL, 0, 0x340, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_save(NULL, bytes, sizeof bytes), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_view(NULL, 0, &view), KARAT_BAD_ARGUMENT);
    status = KARAT_OK;
    assert_null(karat_restore(NULL, 100, &status));
    assert_int_equal(status, KARAT_BAD_SNAPSHOT);

    karat_model *model = make();
    const size_t size = karat_save_size(model);
    uint8_t *before = malloc(size), *behind = malloc(size);
    assert_int_equal(karat_save(model, before, size), KARAT_OK);
    assert_null(karat_next_page(model, NULL));
    assert_null(karat_next_written_page(model, NULL, UINT64_MAX));
    assert_int_equal(karat_read(model, CODE, NULL, 4), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_write(model, CODE, NULL, 4), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_read(model, CODE, NULL, 0), KARAT_OK);
    assert_int_equal(karat_write(model, CODE, NULL, 0), KARAT_OK);
    assert_int_equal(karat_lds_read(model, 0, LDS, NULL, 4), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_lds_write(model, 0, LDS, NULL, 4), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_launch(model, 1, NULL), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_step(model, 0, NULL), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt(model, 0, 0, 1, 1, NULL), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_csr_read(model, 0, 0x800, NULL), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_save(model, NULL, size), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_view(model, 0, NULL), KARAT_BAD_ARGUMENT);
    EACH_WILD(i) {
        const uint32_t w = wild[i];
        assert_int_equal(karat_lds_read(model, w, LDS, bytes, 4), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_lds_write(model, w, LDS, bytes, 4), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_workgroup_open(model, w, 1), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_workgroup_close(model, w), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_launch(model, w, &desc), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_step(model, w, &commit), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_adopt(model, w, 0, 1, 1, value), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_adopt(model, 0, w, 1, 1, value), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_adopt(model, 0, 1, w < 256 ? 256 : w, 1, value), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_adopt_vl(model, w, 1), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_csr_read(model, w, 0x800, value), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_csr_read(model, 0, w > 65535 ? w : 0x123, value), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_csr_write(model, w, 0x340, 1), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_view(model, w, &view), KARAT_BAD_ARGUMENT);
    }
    assert_int_equal(karat_save(model, behind, size), KARAT_OK);
    assert_memory_equal(before, behind, size);
    free(before);
    free(behind);
    karat_destroy(model);
}

/* karat_read_lanes() of what a step has read; of any other operand, warp or commit: 0. */
TEST(lanes_of_operands) {
    const uint32_t add = 0x02208157; /* Vadd.vv v2, v2, v1 */
    karat_model *model = make();
    static karat_commit commit, none;
    assert_int_equal(karat_write(model, CODE, &add, 4), KARAT_OK);
    assert_int_equal(karat_step(model, 0, &commit), KARAT_OK);
    assert_int_equal(commit.num_reads, 2);
    assert_int_equal(karat_read_lanes(model, 0, &commit, 0), 15);
    assert_int_equal(karat_read_lanes(model, 0, &commit, 1), 15);
    EACH_WILD(i) {
        assert_int_equal(karat_read_lanes(model, 0, &commit, wild[i]), 0);
        assert_int_equal(karat_read_lanes(model, wild[i], &commit, 0), 0);
        none = commit;
        none.row = (int32_t)wild[i];
        if (!karat_row_info(none.row))
            assert_int_equal(karat_read_lanes(model, 0, &none, 0), 0);
        none = commit;
        none.num_reads = wild[i];
        if (wild[i] > KARAT_MAX_READ)
            assert_int_equal(karat_read_lanes(model, 0, &none, wild[i] - 1), 0);
    }
    /* Without a commit no values are kept. */
    static karat_commit_values values;
    karat_commit_keep(NULL, &commit, &values);
    karat_commit_keep(model, NULL, &values);
    karat_commit_keep(model, &commit, NULL);
    none = commit;
    none.num_reads = KARAT_MAX_READ + 1;
    karat_commit_keep(model, &none, &values);
    none.num_reads = 2;
    none.num_writes = KARAT_MAX_WRITE + 1;
    karat_commit_keep(model, &none, &values);
    assert_ptr_equal(none.read[0].value, commit.read[0].value);
    karat_commit_keep(model, &commit, &values);
    assert_ptr_equal(commit.read[0].value, values.read[0]);
    none = commit;
    none.row = KARAT_NO_ROW;
    assert_int_equal(karat_read_lanes(model, 0, &none, 0), 0);
    assert_int_equal(karat_read_lanes(model, 0, NULL, 0), 0);
    karat_destroy(model);
}

TEST(instructions) {
    const uint32_t add = 0x02208157;
    const int32_t operands[KARAT_MAX_OPERAND] = {0};
    const int row = karat_find_row("vadd.vv");
    uint32_t word = 7;
    char text[40];
    karat_insn insn;
    karat_source sources[KARAT_MAX_SOURCE];
    assert_int_equal(karat_decode(KARAT_V202, add, NULL), row);
    assert_int_equal(karat_decode_prefixed(KARAT_V202, 0, add, NULL, NULL), row);
    assert_int_equal(karat_sources(KARAT_V202, 0, 0, add, NULL), 0);
    assert_true(karat_destination(KARAT_V202, 0, add, NULL));
    assert_false(karat_encode(row, NULL, &word));
    assert_false(karat_encode(row, operands, NULL));
    assert_int_equal(word, 7);
    assert_int_equal(karat_find_row(NULL), KARAT_NO_ROW);
    assert_false(karat_row_uses_vtype(NULL));
    assert_false(karat_row_is_grouped(NULL));
    assert_int_equal(karat_disassemble(KARAT_V202, 0, 0, add, NULL, 100), row);
    assert_int_equal(karat_disassemble(KARAT_V202, 0, 0, 0xffffffff, NULL, 100), KARAT_NO_ROW);
    karat_row_syntax(row, NULL, 100);
    karat_profile profile = KARAT_V203;
    assert_true(karat_profile_find("v2.02", 5, NULL));
    assert_false(karat_profile_find(NULL, 5, &profile));
    assert_false(karat_profile_find("v2.02", 6, &profile));
    assert_int_equal(profile, KARAT_V203);
    assert_true(karat_overlap(KARAT_V203, 0x0000000a, NULL, 100) > 0);
    assert_int_equal(karat_overlap(KARAT_V203, 0x0000000a, text, 1),
                     karat_overlap(KARAT_V203, 0x0000000a, NULL, 0));
    assert_string_equal(text, "");
    assert_int_equal(karat_overlap(KARAT_V203, add, text, sizeof text), 0);
    assert_int_equal(karat_overlap(KARAT_V202, 0x0000000a, text, sizeof text), 0);
    assert_true(karat_kernels_profile(NULL, 3, NULL, NULL, &profile, NULL));
    assert_int_equal(profile, KARAT_V202);
    EACH_WILD(i) {
        if (wild[i] >= KARAT_NUM_PROFILE)
            assert_null(karat_profile_name((karat_profile)wild[i]));
        const int w = (int)wild[i] >= 0 && (int)wild[i] < karat_num_rows() ? karat_num_rows() : (int)wild[i];
        assert_null(karat_row_info(w));
        assert_false(karat_encode(w, operands, &word) || word != 7);
        assert_false(karat_prefix_fits(w, 0x200b));
        assert_false(karat_decision_concerns(w, row));
        assert_false(karat_decision_concerns(0, w));
        assert_null(karat_decision_info(w));
        assert_null(karat_chapter_info(w));
        assert_int_equal(karat_row_chapter(w), -1);
        assert_null(karat_row_definition(w).text);
        text[0] = 'x';
        karat_row_syntax(w, text, sizeof text);
        assert_string_equal(text, "");
        const unsigned n = wild[i] == 2 ? 1000 : wild[i];
        assert_null(karat_csr_name(n == 256 ? 0x123 : n));
        assert_null(karat_deviation_name(n));
        assert_null(karat_warning_name(n));
        assert_null(karat_unit_name(n));
        assert_string_equal(karat_error_name((karat_error_kind)n), "?");
        const karat_profile profile = (karat_profile)n;
        assert_int_equal(karat_decode(profile, add, &insn), KARAT_NO_ROW);
        assert_int_equal(karat_decode_prefixed(profile, 0, add, &insn, NULL), KARAT_NO_ROW);
        assert_int_equal(karat_sources(profile, 0, 0, add, sources), 0);
        assert_false(karat_destination(profile, 0, add, sources));
        assert_false(karat_is_prefix(profile, 0x200b));
        assert_int_equal(karat_disassemble(profile, 0, 0, add, text, sizeof text), KARAT_NO_ROW);
    }
}

static bool no_read(void *context, uint64_t addr, void *bytes, size_t size) {
    (void)context, (void)addr, (void)bytes, (void)size;
    return false;
}

TEST(kernels) {
    karat_diag diag;
    size_t length = 1, line;
    uint64_t base = 1, size = 1;
    uint32_t offset = 0;
    karat_launch_desc desc;
    memset(&desc, 0xff, sizeof desc);
    assert_null(karat_data_name(NULL));
    assert_null(karat_kernel_load(NULL, NULL, &diag));
    assert_non_null(strstr(diag.text, "expected a file's name"));
    assert_null(karat_kernel_load(NULL, NULL, NULL));
    karat_kernel_free(NULL);
    assert_int_equal(karat_kernel_workgroups(NULL), 0);
    assert_int_equal(karat_kernel_wf_size(NULL, 8), 8);
    assert_int_equal(karat_kernel_num_regions(NULL), 0);
    karat_kernel_region(NULL, 0, 8, &base, &size);
    assert_true(!base && !size);
    assert_null(karat_kernel_symbol(NULL, 0, NULL));
    karat_kernel_launch(NULL, 8, 0, 0, &desc);
    assert_int_equal(desc.mask, 0);
    karat_model *model = make();
    karat_kernel *kernel = karat_kernel_load(elf, NULL, &diag);
    assert_non_null(kernel);
    assert_int_equal(karat_kernel_place(NULL, model), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_kernel_place(kernel, NULL), KARAT_BAD_ARGUMENT);
    karat_kernel_region(kernel, 0, 8, NULL, &size);
    karat_kernel_region(kernel, 0, 8, &base, NULL);
    karat_kernel_launch(kernel, 8, 0, 0, NULL);
    EACH_WILD(i) {
        base = size = 1;
        const uint32_t num = karat_kernel_num_regions(kernel);
        karat_kernel_region(kernel, wild[i] < num ? num : wild[i], 8, &base, &size);
        assert_true(!base && !size);
        karat_kernel_launch(kernel, 8, wild[i], wild[i], &desc);
        assert_int_equal(desc.pc, kernel->start_addr);
    }
    karat_print print;
    const karat_print_memory nowhere = {NULL, NULL, NULL}, empty = {NULL, no_read, NULL};
    assert_int_equal(karat_print_take(NULL, 0, &print), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_print_take(&nowhere, 0, &print), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_print_take(&empty, 0, &print), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_print_read(NULL, 0, &print), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_print_read(&empty, 0, NULL), KARAT_BAD_ARGUMENT);
    const char *at = "a\nb";
    length = 3;
    assert_null(karat_print_line(NULL, &length, &line));
    assert_null(karat_print_line(&at, NULL, &line));
    assert_null(karat_print_line(&at, &length, NULL));
    assert_non_null(karat_print_line(&at, &length, &line));

    assert_false(karat_is_elf(NULL, 100));
    assert_null(karat_image_read(NULL, NULL, 100, &diag));
    assert_true(diag.text[0]);
    assert_null(karat_image_read(NULL, NULL, 100, NULL));
    assert_false(karat_is_words(NULL));
    assert_null(karat_image_read_words(NULL, NULL, 100, 0, NULL));
    karat_image_free(NULL);
    assert_null(karat_image_label(NULL, 0, 0, &offset));
    assert_null(karat_image_fixup(NULL, 0, 0));
    FILE *file = fopen(elf, "rb");
    static uint8_t bytes[1 << 20];
    const size_t used = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    karat_image *image = karat_image_read(elf, bytes, used, &diag);
    assert_non_null(image);
    EACH_WILD(i) {
        assert_null(
            karat_image_label(image, wild[i] < image->num_codes ? image->num_codes : wild[i], CODE, &offset));
        assert_null(karat_image_fixup(image, wild[i], CODE));
    }
    assert_non_null(karat_image_label(image, 0, kernel->start_addr, NULL));
    karat_image_free(image);
    karat_kernel_free(kernel);
    karat_destroy(model);
}

TEST(checkers) {
    const uint64_t record[KARAT_REC_MAX_SIZE / 8] = {0};
    karat_check_config config;
    uint32_t strict = 0, line;
    char text[100] = "x";
    const char *file;
    karat_diag diag;
    karat_check_config_default(NULL);
    assert_null(karat_checker_create(NULL));
    karat_checker_destroy(NULL);
    assert_true(karat_checker_record(NULL, record, sizeof record));
    assert_true(karat_checker_tick(NULL, 0));
    assert_true(karat_checker_bench_error(NULL, 0, "text"));
    karat_checker_cut(NULL, "text");
    assert_int_equal(karat_checker_verdict(NULL), KARAT_BAD_INPUT);
    assert_int_equal(karat_checker_look_at(NULL), 0);
    karat_checker_line(NULL, text, sizeof text);
    assert_string_equal(text, "");
    karat_checker_report(NULL, stdout);
    assert_false(karat_checker_report_json(NULL, stdout));
    assert_false(karat_check_strict(NULL, &strict));
    assert_false(karat_check_strict("lanes", NULL));
    assert_null(karat_check_strict_warning(UINT32_MAX, NULL));
    EACH_WILD(i)
    assert_null(karat_check_strict_word(wild[i] < 64 ? 64 : wild[i]));
    assert_null(karat_check_bad_bound(NULL));
    assert_non_null(karat_known_bug_wrong(NULL));
    karat_check_config_default(&config);
    for (int i = 0; i < 3; i++) {
        karat_checker *c = karat_checker_create(&config);
        assert_non_null(c);
        if (i == 0)
            assert_true(karat_checker_record(c, NULL, 64));
        else if (i == 1)
            assert_true(karat_checker_bench_error(c, 0, NULL));
        else
            karat_checker_cut(c, NULL);
        karat_checker_line(c, NULL, 100);
        karat_checker_report(c, NULL);
        assert_false(karat_checker_report_json(c, NULL));
        assert_int_not_equal(karat_checker_verdict(c), KARAT_PASS);
        karat_checker_destroy(c);
    }
    assert_null(karat_core_desc_load(NULL, &diag));
    assert_true(diag.text[0]);
    assert_null(karat_core_desc_load(NULL, NULL));
    assert_null(karat_core_desc_parse(NULL, 10, NULL, &diag));
    assert_null(karat_core_desc_parse("{", 1, "name", NULL));
    karat_core_desc_free(NULL);
    karat_core_desc_use(NULL, &config);
    assert_null(karat_lines_load(NULL));
    karat_lines_free(NULL);
    assert_false(karat_lines_find(NULL, 0, &file, &line));

    static karat_commit commit;
    karat_scalar_use use;
    karat_scalars *s = karat_scalars_create(1, 4);
    karat_scalars_destroy(NULL);
    karat_scalars_launch(NULL, 0);
    karat_scalars_launch(s, 1);
    assert_int_equal(karat_scalars_step(NULL, 0, &commit, &use), KARAT_SCALARS_RIGHT);
    assert_int_equal(karat_scalars_step(s, WILD, &commit, &use), KARAT_SCALARS_RIGHT);
    assert_int_equal(karat_scalars_step(s, 0, NULL, &use), KARAT_SCALARS_RIGHT);
    assert_int_equal(karat_scalars_step(s, 0, &commit, NULL), KARAT_SCALARS_RIGHT);
    karat_scalars_describe(NULL, KARAT_V202, text, sizeof text);
    karat_scalars_describe(&use, KARAT_V202, NULL, 100);
    karat_scalars_destroy(s);
}

static bool sink(void *context, const void *record, size_t size) {
    (void)record, (void)size;
    ++*(uint32_t *)context;
    return false;
}

TEST(ports) {
    const uint64_t record[KARAT_REC_MAX_SIZE / 8] = {KARAT_REC_HELLO};
    uint32_t count = 0;
    karat_port_destroy(NULL);
    karat_port_batch(NULL, 0);
    assert_false(karat_port_thread(NULL));
    karat_port_rest(NULL);
    karat_port_forked(NULL);
    karat_port_on_tick(NULL, NULL, NULL);
    karat_port_tick(NULL, 0);
    assert_false(karat_port_add_sink(NULL, sink, &count));
    karat_port_receive(NULL, record);
    karat_port_send(NULL, record);
    karat_port_flush(NULL);
    assert_false(karat_port_stopped(NULL));
    assert_int_equal(karat_port_count(NULL, KARAT_REC_HELLO), 0);
    karat_port *port = karat_port_create(1);
    assert_false(karat_port_add_sink(port, NULL, NULL));
    assert_true(karat_port_add_sink(port, sink, &count));
    karat_port_receive(port, NULL);
    karat_port_send(port, NULL);
    karat_port_flush(port);
    karat_port_tick(port, 7); /* Nobody takes it */
    assert_int_equal(count, 0);
    EACH_WILD(i)
    assert_int_equal(karat_port_count(port, wild[i]), 0);
    karat_port_destroy(port);
    karat_port_attach(NULL);
}

TEST(traces) {
    const uint64_t record[KARAT_REC_MAX_SIZE / 8] = {KARAT_REC_HELLO};
    karat_diag diag;
    karat_trace_entry entry;
    char path[] = "/tmp/karat-null-XXXXXX";
    close(mkstemp(path));
    assert_null(karat_trace_create(NULL, "{}", &diag));
    assert_null(karat_trace_create(path, NULL, &diag));
    assert_null(karat_trace_create(NULL, NULL, NULL));
    assert_false(karat_trace_record(NULL, record, 64));
    karat_trace_tick(NULL, 0);
    karat_trace_bench_error(NULL, 0, "text");
    assert_true(karat_trace_close(NULL, "{}", NULL));
    karat_trace_writer *w = karat_trace_create(path, "{}", &diag);
    assert_non_null(w);
    assert_false(karat_trace_record(w, NULL, 64));
    static const size_t sizes[] = {0, 1, 8, 9, sizeof(karat_rec_hello) - 8, sizeof(karat_rec_hello) + 8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) /* None is that of a HELLO */
        assert_false(karat_trace_record(w, record, sizes[i]));
    karat_trace_bench_error(w, 0, NULL);
    assert_true(karat_trace_close(w, NULL, NULL));
    karat_trace_reader *empty = karat_trace_open(path, &diag);
    assert_non_null(empty);
    karat_trace_next(empty, &entry, &diag);
    assert_int_equal(entry.kind, KARAT_TRACE_END);
    karat_trace_reader_free(empty);
    assert_null(karat_trace_open(NULL, &diag));
    assert_true(diag.text[0]);
    assert_null(karat_trace_open(NULL, NULL));
    karat_trace_reader_free(NULL);
    assert_null(karat_trace_meta(NULL));
    karat_trace_next(NULL, &entry, &diag);
    assert_int_equal(entry.kind, KARAT_TRACE_BAD);
    karat_trace_reader *r = karat_trace_open(path, &diag);
    assert_non_null(r);
    karat_trace_next(r, NULL, &diag);
    karat_trace_next(r, &entry, NULL);
    assert_int_equal(entry.kind, KARAT_TRACE_END);
    karat_trace_reader_free(r);
    unlink(path);

    assert_null(karat_trace_meta_make(NULL, 0));
    karat_trace_put_word(NULL, "word");
    karat_trace_put_word(stdout, NULL);
    karat_trace_put_window(NULL, "wave", 0);
    karat_trace_put_window(stdout, NULL, 0);
    assert_null(karat_trace_setup_make(NULL, &diag));
    assert_null(karat_trace_setup_make("{}", NULL));
    karat_trace_setup_free(NULL);
    assert_false(karat_trace_setup_add(NULL, "more"));
    assert_false(karat_trace_setup_replace(NULL, "command"));
    assert_false(karat_trace_setup_look_at(NULL, 0));
    char *end = karat_trace_end_make(NULL);
    assert_non_null(end);
    free(end);
    assert_false(karat_trace_end_take(NULL, "{}", &diag));
    karat_check_config config;
    karat_check_config_default(&config);
    char *meta = karat_trace_meta_make(&config, 10);
    karat_trace_setup *setup = karat_trace_setup_make(meta, &diag);
    assert_non_null(setup);
    assert_false(karat_trace_setup_add(setup, NULL));
    assert_false(karat_trace_setup_replace(setup, NULL));
    assert_false(karat_trace_end_take(setup, NULL, NULL));
    karat_trace_setup_free(setup);
    free(meta);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: test_null KERNEL.elf\n");
        return 2;
    }
    elf = argv[1];
    return run_suite("null arguments", NULL, NULL);
}
