/* The C functions that a test bench in SystemVerilog calls, called from here: arguments, ports, memory,
 * verdicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite.h"

#include "karat/karat.h"
#include "karat_port.h"
#include "karat_sv.h"
#include "memory.h"

enum { PASSES_NOTHING = 0, MISMATCH = 1, BAD_INPUT = 2, INCOMPLETE = 5 };
enum { FETCH, DATA };

static int open_bench(void) {
    return karat_sv_open(1, 8, 8, 65536, 512, 1024, 8);
}

void karat_port_hello(const uint32_t *record);

/* A run whose memory answers in the next cycle, with its first workgroup on offer. */
static void begin(void) {
    uint32_t wg[KARAT_SV_WORKGROUP_WORDS];
    karat_sv_argument("+kernel=" KERNEL);
    karat_sv_argument("+latency=1");
    karat_sv_argument("+stall=0");
    assert_int_equal(open_bench(), KARAT_SV_RUNS);
    assert_false(karat_sv_offer(wg));
    union {
        karat_rec_hello record;
        uint32_t words[sizeof(karat_rec_hello) / 4];
    } hello = {.record = {.h = {.kind = KARAT_REC_HELLO},
                          .version = KARAT_PORT_VERSION,
                          .stack_depth = 8,
                          .num_sm = 1,
                          .num_warp = 8,
                          .num_thread = 8,
                          .mem_order = KARAT_ORDER_PERFORMED,
                          .gives = 1u << KARAT_REC_LAUNCH | 1u << KARAT_REC_ISSUE,
                          .name = "test"}};
    karat_port_hello(hello.words);
    assert_false(karat_sv_after_edge(0, 0, 0, 0, 0, 0));
}

static int end_with(const char *objection) {
    karat_sv_object(objection);
    karat_sv_object("a second one does not count");
    assert_true(karat_sv_after_edge(0, 0, 0, 0, 0, 0));
    return karat_sv_finish();
}

TEST(test_names) {
    bool kernel = false, quiet = false;
    unsigned i = 0;
    for (const char *name; *(name = karat_sv_argument_name(i)); i++) {
        assert_int_not_equal(name[0], '+');
        kernel |= !strcmp(name, "kernel=");
        quiet |= !strcmp(name, "quiet");
    }
    assert_true(kernel && quiet && i > 15);
}

TEST(test_nothing_to_run) {
    static const char *const wrong[] = {"+quiet", "+kernel=" KERNEL ",none.elf",
                                        "+kernel=" KERNEL "\t+seed=1", "+latency=2:1"};
    assert_int_equal(open_bench(), BAD_INPUT);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        karat_sv_argument(wrong[i]);
        assert_int_equal(open_bench(), BAD_INPUT);
    }
    karat_sv_argument("+kernel=" KERNEL);
    karat_sv_argument("+record=/dev/full");
    assert_int_equal(open_bench(), BAD_INPUT);
    karat_sv_argument("+kernel=" KERNEL);
    karat_sv_argument("+init=zero");
    assert_int_equal(open_bench(), BAD_INPUT);
    karat_sv_argument("+kernel=" KERNEL);
    karat_sv_argument("+fault=two");
    assert_int_equal(open_bench(), BAD_INPUT); /* A core without faults */
    karat_sv_fault("one");
    karat_sv_argument("+kernel=" KERNEL);
    karat_sv_argument("+fault=two");
    assert_int_equal(open_bench(), BAD_INPUT);
    karat_sv_argument("+core=" KERNEL); /* An ELF file is no description */
    karat_sv_argument("+kernel=" KERNEL);
    assert_int_equal(open_bench(), BAD_INPUT);
    karat_sv_argument("+kernel=" KERNEL);
    assert_int_equal(karat_sv_open(1, 8, 4, 65536, 512, 0, 8), BAD_INPUT); /* No registers for it */
    karat_sv_argument("+help");
    assert_int_equal(open_bench(), PASSES_NOTHING);
    karat_sv_fault("one");
    karat_sv_argument("+faults");
    assert_int_equal(open_bench(), PASSES_NOTHING);
}

TEST(test_workgroup) {
    karat_diag diag;
    karat_kernel *kernel = karat_kernel_load(KERNEL, NULL, &diag);
    assert_non_null(kernel);
    begin();
    uint32_t wg[KARAT_SV_WORKGROUP_WORDS];
    assert_true(karat_sv_offer(wg));
    karat_launch_desc desc;
    karat_kernel_launch(kernel, 8, 0, 0, &desc);
    /* As karat_sv_workgroup_t has it, the last field first. */
    const uint32_t expected[KARAT_SV_WORKGROUP_WORDS] = {0,
                                                         kernel->wg_size,
                                                         karat_kernel_wf_size(kernel, 8),
                                                         kernel->start_addr,
                                                         kernel->knl,
                                                         desc.csr[KARAT_CSR_WGID],
                                                         desc.csr[KARAT_CSR_LDS],
                                                         desc.csr[KARAT_CSR_PDS],
                                                         desc.csr[KARAT_CSR_GDX],
                                                         desc.csr[KARAT_CSR_GDY],
                                                         desc.csr[KARAT_CSR_GDZ],
                                                         kernel->lds_size,
                                                         kernel->sgprs,
                                                         kernel->vgprs,
                                                         0, /* No translation */
                                                         0,
                                                         0,
                                                         0,
                                                         0,
                                                         kernel->wg_size}; /* All start */
    assert_memory_equal(wg, expected, sizeof wg);
    karat_kernel_free(kernel);
    assert_int_equal(end_with("enough"), MISMATCH);
}

TEST(test_fetch) {
    karat_diag diag;
    karat_kernel *kernel = karat_kernel_load(KERNEL, NULL, &diag);
    assert_non_null(kernel);
    begin();
    unsigned id;
    unsigned char error;
    uint32_t line[KARAT_RAM_LINE_WORDS];
    assert_true(karat_sv_ready(FETCH) && karat_sv_ready(DATA));
    assert_false(karat_sv_ready(3));
    karat_sv_fetch_request(3, kernel->start_addr + 20);
    assert_false(karat_sv_fetch_answer(&id, &error, line));
    karat_sv_tick();
    assert_true(karat_sv_fetch_answer(&id, &error, line));
    assert_int_equal(id, 3);
    assert_false(error);
    assert_int_equal(kernel->buffers[0].base, kernel->start_addr);
    assert_memory_equal(line, kernel->buffers[0].data + 16, sizeof line);
    karat_sv_fetch_request(2, 16);
    karat_sv_tick();
    assert_true(karat_sv_fetch_answer(&id, &error, line));
    assert_int_equal(id, 2);
    assert_true(error);
    karat_kernel_free(kernel);
    assert_int_equal(end_with("enough"), MISMATCH);
}

TEST(test_data) {
    begin();
    uint32_t wg[KARAT_SV_WORKGROUP_WORDS];
    assert_true(karat_sv_offer(wg));
    const uint32_t base = wg[3], lanes = 1u << 1 | 1u << 9 | 1u << 31;
    uint32_t addr[KARAT_RAM_LANES], high[KARAT_RAM_LANES] = {0}, be[KARAT_RAM_LANES / 8] = {0},
                                    data[KARAT_RAM_LANES], old[KARAT_RAM_LANES];
    for (uint32_t lane = 0; lane < KARAT_RAM_LANES; lane++) {
        addr[lane] = base + 4 * lane;
        data[lane] = 0x01020304 * (lane + 1);
    }
    be[0] = 3u << 4;
    be[1] = 8u << 4;
    be[3] = 15u << 28;
    unsigned id;
    unsigned char error;
    karat_sv_data_request(4, 0, KARAT_RAM_LOAD, &lanes, addr, high, be, data);
    karat_sv_tick();
    assert_true(karat_sv_data_answer(&id, &error, old));
    assert_int_equal(id, 4);
    karat_sv_data_request(5, 0, KARAT_RAM_STORE, &lanes, addr, high, be, data);
    karat_sv_tick();
    uint32_t now[KARAT_RAM_LANES];
    assert_true(karat_sv_data_answer(&id, &error, now));
    karat_sv_data_request(6, 0, KARAT_RAM_LOAD, &lanes, addr, high, be, data);
    karat_sv_tick();
    assert_true(karat_sv_data_answer(&id, &error, now));
    assert_int_equal(id, 6);
    assert_false(error);
    assert_int_equal(now[1], (old[1] & 0xffff0000) | (data[1] & 0xffff));
    assert_int_equal(now[9], (old[9] & 0x00ffffff) | (data[9] & 0xff000000));
    assert_int_equal(now[31], data[31]);
    /* The probe is told of a performance, which is not repeated at the answer, and of none that fails. */
    const uint32_t lane_0 = 1;
    be[0] |= 15;
    data[0] = 7;
    karat_sv_data_request(7, 0, KARAT_RAM_ADD, &lane_0, addr, high, be, data);
    karat_sv_tick();
    uint32_t before;
    assert_true(karat_sv_data_performed(&id, &before));
    assert_int_equal(id, 7);
    assert_false(karat_sv_data_performed(&id, &before));
    uint32_t after;
    assert_true(karat_sv_read(base, &after));
    assert_int_equal(after, before + 7);
    assert_true(karat_sv_data_answer(&id, &error, now));
    assert_true(!error && now[0] == before);
    assert_true(karat_sv_read(base, &after));
    assert_int_equal(after, before + 7);
    addr[9] = 64;
    karat_sv_data_request(7, 0, KARAT_RAM_LOAD, &lanes, addr, high, be, data);
    karat_sv_tick();
    assert_false(karat_sv_data_performed(&id, &before));
    assert_true(karat_sv_data_answer(&id, &error, now));
    assert_true(error);
    assert_int_equal(end_with("enough"), MISMATCH);
}

TEST(test_ends) {
    karat_sv_argument("+max-cycles=2");
    begin();
    assert_true(karat_sv_after_edge(0, 0, 0, 0, 0, 0));
    assert_int_equal(karat_sv_finish(), INCOMPLETE);
    begin(); /* An end that never began */
    assert_true(karat_sv_after_edge(0, 1, 7, 0, 0, 0));
    assert_int_equal(karat_sv_finish(), MISMATCH);
    begin(); /* A print of no warp */
    assert_true(karat_sv_after_edge(0, 0, 0, 1, 0, 0));
    assert_int_equal(karat_sv_finish(), MISMATCH);
}

RUN_TESTS("sv")
