/* The retire port: order across SMs, flush, stop, counts, and the DPI functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include <sys/wait.h>
#include <unistd.h>

#include "port.h"

#define MAX_SEEN 4096

typedef struct seen {
    karat_rec_header h[MAX_SEEN];
    size_t size[MAX_SEEN];
    uint64_t last_records; /* Of the last BYE */
    uint32_t num, stop_at; /* stop_at: ask to stop at that record; 0: never */
} seen;

static bool see(void *context, const void *record, size_t size) {
    seen *s = context;
    assert_true(s->num < MAX_SEEN);
    assert_int_equal((uintptr_t)record % 8, 0);
    memcpy(&s->h[s->num], record, sizeof *s->h);
    if (s->h[s->num].kind == KARAT_REC_BYE)
        s->last_records = ((const karat_rec_bye *)record)->records;
    s->size[s->num++] = size;
    return s->num == s->stop_at;
}

static void receive(karat_port *port, uint8_t kind, uint8_t sm, uint64_t cycle, uint32_t epoch) {
    uint64_t bytes[KARAT_REC_MAX_SIZE / 8] = {0};
    karat_rec_header h = {.kind = kind, .sm = sm, .cycle = cycle, .epoch = epoch};
    memcpy(bytes, &h, sizeof h);
    karat_port_receive(port, bytes);
    memset(bytes, 0xee, sizeof bytes); /* The port keeps no pointer to it */
}

static void send_bye(karat_port *port, uint64_t records) {
    karat_rec_bye bye = {.h = {.kind = KARAT_REC_BYE, .cycle = 99}, .records = records};
    karat_port_send(port, &bye);
}

/* Epoch numbers what each SM says, in its order. */
static void expect(const seen *s, uint32_t i, uint8_t sm, uint64_t cycle, uint32_t epoch) {
    assert_true(i < s->num);
    assert_int_equal(s->h[i].sm, sm);
    assert_int_equal(s->h[i].cycle, cycle);
    assert_int_equal(s->h[i].epoch, epoch);
}

TEST(sms_in_order) {
    seen s = {.num = 0};
    karat_port *port = karat_port_create(3);
    assert_true(karat_port_add_sink(port, see, &s));
    receive(port, KARAT_REC_EXIT, 2, 5, 0);
    receive(port, KARAT_REC_EXIT, 0, 5, 0);
    receive(port, KARAT_REC_EXIT, 2, 5, 1);
    receive(port, KARAT_REC_EXIT, 1, 5, 0);
    receive(port, KARAT_REC_EXIT, 0, 5, 1);
    assert_int_equal(s.num, 0); /* The cycle is not over */
    receive(port, KARAT_REC_EXIT, 1, 6, 0);
    assert_int_equal(s.num, 5);
    expect(&s, 0, 0, 5, 0);
    expect(&s, 1, 0, 5, 1);
    expect(&s, 2, 1, 5, 0);
    expect(&s, 3, 2, 5, 0);
    expect(&s, 4, 2, 5, 1);
    karat_port_flush(port);
    assert_int_equal(s.num, 6);
    expect(&s, 5, 1, 6, 0);
    karat_port_flush(port); /* Nothing is held */
    assert_int_equal(s.num, 6);
    /* An SM that there is not, and a kind that there is not, are passed on for the sinks to reject: last, and
     * as a header. */
    receive(port, KARAT_REC_EXIT, 200, 7, 0);
    receive(port, KARAT_REC_EXIT, 2, 7, 0);
    receive(port, 99, 1, 7, 0);
    receive(port, KARAT_REC_EXIT, 1, 3, 0); /* An earlier cycle ends the one that is held, too */
    assert_int_equal(s.num, 9);
    expect(&s, 6, 1, 7, 0);
    assert_int_equal(s.h[6].kind, 99);
    assert_int_equal(s.size[6], sizeof(karat_rec_header));
    expect(&s, 7, 2, 7, 0);
    expect(&s, 8, 200, 7, 0);
    karat_port_destroy(port); /* With something held */
}

TEST(order_does_not_depend_on_the_simulator) {
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static seen first, again;
    for (int o = 0; o < 6; o++) {
        seen *s = o ? &again : &first;
        *s = (seen){.num = 0};
        karat_port *port = karat_port_create(3);
        karat_port_add_sink(port, see, s);
        for (uint64_t cycle = 1; cycle < 50; cycle++)
            for (int k = 0; k < 3; k++)
                for (uint32_t n = 0; n < (cycle * 7 + orders[o][k]) % 4; n++)
                    receive(port, n & 1 ? KARAT_REC_MEM : KARAT_REC_CSR, orders[o][k], cycle, n);
        karat_port_flush(port);
        karat_port_destroy(port);
        assert_int_equal(s->num, first.num);
        assert_memory_equal(s->h, first.h, sizeof first.h);
        assert_memory_equal(s->size, first.size, sizeof first.size);
    }
}

/* More records in a cycle than there was room for. */
TEST(crowded_cycle) {
    static seen s;
    s = (seen){.num = 0};
    karat_port *port = karat_port_create(2);
    karat_port_add_sink(port, see, &s);
    for (uint32_t n = 0; n < 1500; n++)
        for (uint8_t sm = 2; sm-- > 0;)
            receive(port, KARAT_REC_MEM, sm, 1, n);
    karat_port_flush(port);
    assert_int_equal(s.num, 3000);
    for (uint32_t n = 0; n < 1500; n++) {
        expect(&s, n, 0, 1, n);
        expect(&s, 1500 + n, 1, 1, n);
        assert_int_equal(s.size[n], karat_rec_size(KARAT_REC_MEM));
    }
    karat_port_destroy(port);
}

TEST(one_sm_does_not_wait) {
    for (uint32_t num_sm = 0; num_sm < 2; num_sm++) {
        seen s = {.num = 0};
        karat_port *port = karat_port_create(num_sm);
        karat_port_add_sink(port, see, &s);
        receive(port, KARAT_REC_EXIT, 0, 1, 0);
        receive(port, KARAT_REC_EXIT, 0, 1, 1);
        assert_int_equal(s.num, 2);
        expect(&s, 1, 0, 1, 1);
        karat_port_batch(port, 1000); /* In a batch, too, records stay in the order of arrival */
        receive(port, KARAT_REC_EXIT, 3, 2, 0);
        receive(port, KARAT_REC_EXIT, 0, 2, 1);
        assert_int_equal(s.num, 2);
        karat_port_flush(port);
        assert_int_equal(s.num, 4);
        expect(&s, 2, 3, 2, 0);
        expect(&s, 3, 0, 2, 1);
        karat_port_destroy(port);
    }
}

TEST(bench_records_flush_first) {
    seen s = {.num = 0};
    karat_port *port = karat_port_create(2);
    karat_port_add_sink(port, see, &s);
    receive(port, KARAT_REC_EXIT, 1, 4, 0);
    receive(port, KARAT_REC_EXIT, 0, 4, 0);
    karat_rec_host host = {.h = {.kind = KARAT_REC_HOST, .cycle = 4}};
    karat_port_send(port, &host);
    assert_int_equal(s.num, 3);
    expect(&s, 0, 0, 4, 0);
    expect(&s, 1, 1, 4, 0);
    assert_int_equal(s.h[2].kind, KARAT_REC_HOST);
    assert_int_equal(s.size[2], karat_rec_size(KARAT_REC_HOST));
    receive(port, KARAT_REC_MEM, 1, 5, 0);
    send_bye(port, 0); /* Counted by the port: what came before it */
    assert_int_equal(s.num, 5);
    assert_int_equal(s.last_records, 4);
    send_bye(port, 77); /* Already counted: left alone */
    assert_int_equal(s.last_records, 77);
    assert_int_equal(karat_port_count(port, KARAT_REC_EXIT), 2);
    assert_int_equal(karat_port_count(port, KARAT_REC_HOST), 1);
    assert_int_equal(karat_port_count(port, KARAT_REC_MEM), 1);
    assert_int_equal(karat_port_count(port, KARAT_REC_BYE), 2);
    assert_int_equal(karat_port_count(port, KARAT_REC_ISSUE), 0);
    assert_int_equal(karat_port_count(port, 1000), 0);
    karat_port_destroy(port);
}

TEST(sinks_and_stop) {
    seen s[5] = {{.num = 0}, {.stop_at = 2}};
    karat_port *port = karat_port_create(2);
    for (int i = 0; i < 4; i++)
        assert_true(karat_port_add_sink(port, see, &s[i]));
    assert_false(karat_port_add_sink(port, see, &s[4]));
    receive(port, KARAT_REC_EXIT, 0, 1, 0);
    receive(port, KARAT_REC_EXIT, 0, 2, 0);
    assert_false(karat_port_stopped(port));
    karat_port_flush(port);
    assert_true(karat_port_stopped(port));  /* One sink asked for it */
    receive(port, KARAT_REC_EXIT, 0, 3, 0); /* The others see on: a trace goes to the end */
    karat_port_flush(port);
    assert_true(karat_port_stopped(port));
    for (int i = 0; i < 4; i++)
        assert_int_equal(s[i].num, 3);
    assert_int_equal(s[4].num, 0);
    karat_port_destroy(port);
}

/* Several cycles held: delivered in the same order when there is more than the batch, and where asked. */
TEST(batch) {
    seen s = {.num = 0};
    karat_port *port = karat_port_create(2);
    karat_port_add_sink(port, see, &s);
    const uint32_t size = (uint32_t)karat_rec_size(KARAT_REC_EXIT);
    karat_port_batch(port, 4 * size);
    for (uint32_t cycle = 1; cycle <= 2; cycle++)
        for (uint8_t sm = 2; sm-- > 0;)
            receive(port, KARAT_REC_EXIT, sm, cycle, 0);
    receive(port, KARAT_REC_EXIT, 1, 3, 0); /* Four are held: no more than the batch */
    assert_int_equal(s.num, 0);
    receive(port, KARAT_REC_EXIT, 0, 3, 0); /* The fifth's cycle is not over */
    assert_int_equal(s.num, 0);
    receive(port, KARAT_REC_EXIT, 0, 4, 0);
    assert_int_equal(s.num, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(s.h[i].cycle, 1 + i / 2);
        assert_int_equal(s.h[i].sm, i % 2);
    }
    karat_port_flush(port);
    assert_int_equal(s.num, 7);
    karat_port_destroy(port);
    /* One SM: the same, and many more than there was room for. */
    s.num = 0;
    port = karat_port_create(1);
    karat_port_add_sink(port, see, &s);
    karat_port_batch(port, 1 << 20);
    for (uint32_t cycle = 0; cycle < 200; cycle++)
        receive(port, KARAT_REC_MEM, 0, cycle, cycle);
    assert_int_equal(s.num, 0);
    send_bye(port, 0);
    assert_int_equal(s.num, 201);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(s.h[i].epoch, i);
    karat_port_destroy(port);
}

/* --- The thread --- */

/* All that a sink gets, ticks as kind 255: written by the thread, read by the test. */
static bool see_tick(void *context, uint64_t cycle) {
    seen *s = context;
    assert_true(s->num < MAX_SEEN);
    s->h[s->num] = (karat_rec_header){.kind = 255, .cycle = cycle};
    return ++s->num == s->stop_at;
}

/* The cycle in which the simulation learns that record number stop_at has asked for its end. All of 400 are
 * run. */
static uint64_t run_batches(seen *s, bool thread, uint32_t stop_at) {
    uint64_t stopped = 0;
    karat_port *port = karat_port_create(2);
    *s = (seen){.stop_at = stop_at};
    karat_port_add_sink(port, see, s);
    karat_port_on_tick(port, see_tick, s);
    karat_port_batch(port, 2000);
    assert_true(!thread || karat_port_thread(port));
    for (uint64_t cycle = 1; cycle <= 400; cycle++) {
        for (uint32_t n = 0; n < cycle * 5 % 4; n++)
            receive(port, n & 1 ? KARAT_REC_MEM : KARAT_REC_CSR, n % 3 == 0, cycle, n);
        if (cycle % 64 == 0)
            karat_port_tick(port, cycle);
        if (cycle == 150)
            karat_port_flush(port);
        if (!stopped && karat_port_stopped(port))
            stopped = cycle;
    }
    send_bye(port, 0);
    karat_port_destroy(port);
    return stopped;
}

/* With the thread and without: the same records and ticks in the same order, and the end is known in the same
 * cycle, which is at most two ticks after the one in question. */
TEST(thread_changes_nothing) {
    static seen alone, beside;
    uint64_t last = 0;
    for (uint32_t stop_at = 1; stop_at < 500; stop_at += 31) {
        const uint64_t stopped = run_batches(&alone, false, stop_at);
        assert_int_equal(run_batches(&beside, true, stop_at), stopped);
        assert_int_equal(beside.num, alone.num);
        assert_memory_equal(beside.h, alone.h, alone.num * sizeof *alone.h);
        assert_int_equal(beside.last_records, alone.last_records);
        const uint64_t at = alone.h[stop_at - 1].cycle;
        assert_true(stopped > at && stopped <= at + 2 * 64 && stopped >= last);
        last = stopped;
    }
    assert_true(alone.num > 600 && alone.h[alone.num - 2].kind == KARAT_REC_CSR);
}

/* To look at a sink, which does not show that it has asked for the end; and in a child of fork(). */
TEST(rest_and_fork) {
    seen s = {.stop_at = 1};
    karat_port *port = karat_port_create(1);
    karat_port_add_sink(port, see, &s);
    karat_port_batch(port, 1);
    assert_true(karat_port_thread(port));
    receive(port, KARAT_REC_EXIT, 0, 1, 0);
    receive(port, KARAT_REC_EXIT, 0, 2, 0);
    karat_port_rest(port);
    assert_int_equal(s.num, 1);
    assert_false(karat_port_stopped(port));
    assert_int_equal(karat_port_count(port, KARAT_REC_EXIT), 1);
    const pid_t child = fork();
    if (!child) {
        karat_port_forked(port);
        karat_port_batch(port, 0);
        receive(port, KARAT_REC_EXIT, 0, 3, 0);
        _exit(s.num == 3 && karat_port_stopped(port) && s.h[2].cycle == 3 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    karat_port_flush(port);
    assert_int_equal(s.num, 2);
    assert_true(karat_port_stopped(port));
    karat_port_destroy(port);
}

/* --- The DPI functions --- */

#define DO(name, NAME, kind, size) void karat_port_##name(const uint32_t *record);
KARAT_REC_EACH(DO)
#undef DO

/* A simulator's packed structure: 32-bit words, least significant first, aligned to 32 bits only. */
TEST(dpi_functions) {
    seen s = {.num = 0};
    karat_port *port = karat_port_create(1);
    karat_port_add_sink(port, see, &s);
    uint32_t words[1 + KARAT_REC_MAX_SIZE / 4 + 1];
    for (uint32_t shift = 0; shift < 2; shift++) {
        uint32_t *record = words + shift;
        memset(words, 0, sizeof words);
        record[2] = 7; /* Cycle */
        karat_port_attach(port);
        uint32_t before = s.num;
#define DO(name, NAME, number, bytes)                                                                        \
    record[0] = number;                                                                                      \
    karat_port_##name(record);                                                                               \
    assert_int_equal(s.h[s.num - 1].kind, KARAT_REC_##NAME);                                                 \
    assert_int_equal(s.h[s.num - 1].cycle, 7);                                                               \
    assert_int_equal(s.size[s.num - 1], bytes);
        KARAT_REC_EACH(DO)
#undef DO
        assert_int_equal(s.num - before, KARAT_REC_KINDS - 1);
        karat_port_attach(NULL); /* Then they are dropped */
        karat_port_exit(record);
        assert_int_equal(s.num - before, KARAT_REC_KINDS - 1);
    }
    karat_port_destroy(port);
}

/* Sizes and names of all kinds, and of none. */
TEST(sizes_and_names) {
    size_t largest = 0;
#define DO(name, NAME, number, bytes)                                                                        \
    assert_int_equal(karat_rec_size(number), bytes);                                                         \
    assert_int_equal(sizeof(karat_rec_##name), bytes);                                                       \
    assert_string_equal(karat_rec_name(number), #name);                                                      \
    largest = bytes > largest ? bytes : largest;
    KARAT_REC_EACH(DO)
#undef DO
    assert_int_equal(largest, KARAT_REC_MAX_SIZE);
    assert_int_equal(karat_rec_size(0), 0);
    assert_int_equal(karat_rec_size(KARAT_REC_KINDS), 0);
    assert_string_equal(karat_rec_name(KARAT_REC_KINDS), "?");
}

RUN_TESTS("port")
