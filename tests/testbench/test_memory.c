/* Device memory: pages at any physical address, against a list of words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "splitmix.h"
#include "suite.h"
#include "traffic.h"

#define PAGE  UINT64_C(4096)
#define PAGES 3000
#define END   (UINT64_C(1) << 56)

static uint64_t seed = 1;

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Page numbers below and above 4 GiB, some of them neighbours. */
static void draw_pages(uint64_t *random, uint64_t pages[PAGES]) {
    for (unsigned i = 0; i < PAGES; i++) {
        const uint64_t z = karat_random(random), end = z >> 62 ? END : UINT64_C(1) << 32;
        pages[i] = i && z >> 61 & 1 ? (pages[i - 1] + PAGE) % END : z % end & ~(PAGE - 1);
    }
}

static karat_ram_req one_lane(uint8_t op, unsigned lane, uint64_t addr, uint32_t data) {
    karat_ram_req req = {.id = 3, .op = op, .lanes = 1u << lane};
    req.addr[lane] = addr;
    req.be[lane] = 15;
    req.data[lane] = data;
    return req;
}

TEST(sparse) {
    static uint64_t pages[PAGES], sorted[PAGES];
    uint64_t random = seed;
    draw_pages(&random, pages);
    karat_ram *memory = karat_ram_create();
    for (unsigned i = 0; i < PAGES; i++)
        assert_true(karat_ram_map(memory, pages[i] + 17, 1));
    memcpy(sorted, pages, sizeof pages);
    qsort(sorted, PAGES, sizeof *sorted, compare);
    for (unsigned i = 0; i < PAGES; i++) {
        uint8_t byte = 1;
        assert_true(karat_ram_read(memory, pages[i] + 4095, &byte, 1));
        const uint64_t next = pages[i] + PAGE;
        const bool has_next = bsearch(&next, sorted, PAGES, sizeof *sorted, compare) != NULL;
        assert_int_equal(karat_ram_read(memory, next, &byte, 1), has_next && next < END);
        assert_int_equal(karat_ram_write(memory, next - 1, "ab", 2), has_next && next < END);
    }
    /* Each page has a word of its own, by every way to memory. */
    for (unsigned i = 0; i < PAGES; i++) {
        const uint64_t addr = pages[i] + 8 * (i % 512);
        karat_ram_rsp rsp;
        karat_ram_req req = one_lane(KARAT_RAM_STORE, i % 32, addr, (uint32_t)(addr >> 12));
        karat_ram_perform_lanes(memory, &req, &rsp);
        assert_false(rsp.error);
    }
    for (unsigned i = 0; i < PAGES; i++) {
        const uint64_t addr = pages[i] + 8 * (i % 512);
        karat_ram_req req = one_lane(KARAT_RAM_LOAD, 0, addr + 4, 0);
        karat_ram_rsp rsp;
        karat_ram_perform_entry(memory, &req, &rsp);
        assert_true(!rsp.error && rsp.id == 3);
        assert_int_equal(rsp.data[0], (uint32_t)(addr >> 12));
        karat_ram_perform_line(memory, &req, &rsp);
        assert_int_equal(rsp.data[addr / 4 % 4], (uint32_t)(addr >> 12));
        uint8_t bytes[4];
        assert_true(karat_ram_read(memory, addr, bytes, 4));
        assert_int_equal(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24,
                         (uint32_t)(addr >> 12));
    }
    karat_ram_destroy(memory);
}

/* Equal in their low halves, and in nothing else. */
TEST(halves) {
    karat_ram *memory = karat_ram_create();
    const uint64_t low = 0x90000000, high = low | UINT64_C(0x12) << 32;
    assert_true(karat_ram_map(memory, low, PAGE));
    karat_ram_rsp rsp;
    karat_ram_req req = one_lane(KARAT_RAM_LOAD, 5, high, 0);
    karat_ram_perform_lanes(memory, &req, &rsp);
    assert_true(rsp.error && rsp.error_lane == 5);
    karat_ram_perform_entry(memory, &(karat_ram_req){.addr = {high}}, &rsp);
    assert_true(rsp.error);
    assert_true(karat_ram_map(memory, high, PAGE));
    /* A reservation is of one of the two. */
    req = one_lane(KARAT_RAM_LR, 0, high, 0);
    karat_ram_perform_lanes(memory, &req, &rsp);
    req = one_lane(KARAT_RAM_SC, 0, low, 1);
    karat_ram_perform_lanes(memory, &req, &rsp);
    assert_int_equal(rsp.data[0], 1);
    req = one_lane(KARAT_RAM_LR, 0, high, 0);
    karat_ram_perform_lanes(memory, &req, &rsp);
    assert_true(karat_ram_write(memory, low, "x", 1));
    req = one_lane(KARAT_RAM_SC, 0, high, 7);
    karat_ram_perform_lanes(memory, &req, &rsp);
    assert_int_equal(rsp.data[0], 0);
    uint8_t byte;
    assert_true(karat_ram_read(memory, high, &byte, 1) && byte == 7);
    assert_true(karat_ram_read(memory, low, &byte, 1) && byte == 'x');
    karat_ram_destroy(memory);
}

TEST(ranges) {
    karat_ram *memory = karat_ram_create();
    const uint64_t base = (UINT64_C(1) << 32) - 2 * PAGE; /* Across 4 GiB */
    assert_true(karat_ram_map(memory, base + PAGE, 2 * PAGE));
    assert_true(karat_ram_write(memory, base + 2 * PAGE - 2, "kept", 4));
    assert_true(karat_ram_map(memory, base, 4 * PAGE)); /* Around it */
    char text[5] = {0};
    assert_true(karat_ram_read(memory, base + 2 * PAGE - 2, text, 4));
    assert_string_equal(text, "kept");
    assert_false(karat_ram_read(memory, base - 1, text, 2));
    assert_false(karat_ram_read(memory, base + 4 * PAGE - 1, text, 2));
    assert_true(karat_ram_map(memory, UINT64_C(1) << 40, UINT64_C(1) << 30)); /* More than is touched */
    assert_true(karat_ram_write(memory, (UINT64_C(1) << 40) + (UINT64_C(1) << 30) - 3, "end", 3));
    assert_true(karat_ram_map(memory, END - PAGE, PAGE));
    assert_false(karat_ram_map(memory, END - PAGE, PAGE + 1));
    assert_false(karat_ram_map(memory, END, 1));
    assert_false(karat_ram_map(memory, UINT64_MAX, 2));
    assert_false(karat_ram_read(memory, END - 1, text, 2));
    assert_false(karat_ram_read(memory, UINT64_MAX, text, 1));
    karat_ram_destroy(memory);
}

/* The walker's port takes nothing from the numbers of the others. */
TEST(own_numbers) {
    karat_traffic_config config = {seed, 1, 50, 40, false};
    karat_traffic *traffic[2] = {karat_traffic_create(&config)};
    config.walks = true;
    traffic[1] = karat_traffic_create(&config);
    const karat_ram_req req = {.id = 1};
    unsigned stalled = 0, walked = 0, latest = 0;
    for (unsigned cycle = 0; cycle < 5000; cycle++) {
        for (enum karat_traffic_port port = KARAT_TRAFFIC_FETCH; port <= KARAT_TRAFFIC_DATA; port++) {
            assert_int_equal(karat_traffic_ready(traffic[0], port), karat_traffic_ready(traffic[1], port));
            const bool due = karat_traffic_due(traffic[0], port);
            assert_int_equal(due, karat_traffic_due(traffic[1], port) != NULL);
            for (int i = 0; i < 2 && karat_traffic_ready(traffic[i], port); i++)
                karat_traffic_request(traffic[i], port, &req);
        }
        const karat_ram_req *walk = karat_traffic_due(traffic[1], KARAT_TRAFFIC_WALK);
        if (walk)
            latest = cycle - walk->id > latest ? cycle - walk->id : latest, walked++;
        stalled += !karat_traffic_ready(traffic[1], KARAT_TRAFFIC_WALK);
        assert_true(karat_traffic_ready(traffic[0], KARAT_TRAFFIC_WALK));
        if (cycle % 3 == 0 && karat_traffic_ready(traffic[1], KARAT_TRAFFIC_WALK))
            karat_traffic_request(traffic[1], KARAT_TRAFFIC_WALK, &(karat_ram_req){.id = cycle});
        karat_traffic_tick(traffic[0]);
        karat_traffic_tick(traffic[1]);
    }
    assert_true(walked > 500 && latest >= 45 && stalled > 1500 && stalled < 2500);
    karat_traffic_destroy(traffic[0]);
    karat_traffic_destroy(traffic[1]);
}

/* Each request is performed once, at any moment from the cycle after it to that of its answer, which does not
 * depend on it; one call a cycle is enough. Orders of performance and of answers differ. */
TEST(moments) {
    enum { CYCLES = 20000, LATEST = 30 };
    static unsigned asked[CYCLES], performed[CYCLES]; /* By id: cycles; 0: not yet */
    const karat_traffic_config config = {seed, 1, LATEST, 20, true};
    karat_traffic *traffic = karat_traffic_create(&config), *unasked = karat_traffic_create(&config);
    unsigned answers = 0, at_once = 0, at_answer = 0, others = 0;
    for (enum karat_traffic_port port = 0; port < KARAT_TRAFFIC_PORTS; port++) {
        unsigned newest = 0; /* Of the performances that have been answered */
        memset(performed, 0, sizeof performed);
        for (unsigned cycle = 1; cycle < CYCLES; cycle++) {
            karat_ram_rsp *rsp;
            const karat_ram_req *req = karat_traffic_perform(traffic, port, &rsp);
            if (req) {
                assert_true(asked[req->id] < cycle && !performed[req->id]);
                performed[req->id] = cycle;
                rsp->data[7] = req->id;
                at_once += cycle == asked[req->id] + 1;
            }
            req = karat_traffic_due(traffic, port);
            const karat_ram_req *same = karat_traffic_due(unasked, port);
            assert_int_equal(req ? req->id : 0, same ? same->id : 0);
            if (req) {
                assert_true(performed[req->id] && cycle - asked[req->id] >= 1);
                assert_int_equal(karat_traffic_answer(req)->data[7], req->id);
                assert_null(karat_traffic_answer(same));
                at_answer += performed[req->id] == cycle;
                others += performed[req->id] < newest;
                newest = performed[req->id] > newest ? performed[req->id] : newest;
                answers++;
            }
            assert_int_equal(karat_traffic_ready(traffic, port), karat_traffic_ready(unasked, port));
            if (cycle % 4 && karat_traffic_ready(traffic, port)) {
                asked[cycle] = cycle;
                karat_traffic_request(traffic, port, &(karat_ram_req){.id = cycle});
                karat_traffic_request(unasked, port, &(karat_ram_req){.id = cycle});
            }
            karat_traffic_tick(traffic);
            karat_traffic_tick(unasked);
        }
        while (karat_traffic_due(traffic, port) || karat_traffic_due(unasked, port) ||
               !karat_traffic_idle(traffic)) {
            karat_ram_rsp *rsp;
            (void)karat_traffic_perform(traffic, port, &rsp);
            karat_traffic_tick(traffic);
            karat_traffic_tick(unasked);
        }
        assert_true(karat_traffic_idle(unasked));
    }
    if (answers < 30000 || at_once < answers / 20 || at_answer < answers / 20 || others < answers / 4)
        fail_msg("%u answers: %u at once, %u at their answer, %u in another order", answers, at_once,
                 at_answer, others);
    karat_traffic_destroy(traffic);
    karat_traffic_destroy(unasked);
}

/* Pages that requests and the host have written count as written, and no others; those that only loads have
 * met do not. */
TEST(written) {
    enum { NUM = 2000 }; /* Pages, across 4 MiB and across 4 GiB */
    static const uint64_t bases[] = {0x803ff000 - 500 * PAGE, (UINT64_C(1) << 32) - 700 * PAGE};
    static const uint8_t ops[] = {KARAT_RAM_LOAD, KARAT_RAM_LR, KARAT_RAM_STORE, KARAT_RAM_SWAP};
    uint64_t random = seed;
    for (unsigned b = 0; b < 2; b++) {
        karat_ram *memory = karat_ram_create();
        assert_true(karat_ram_map(memory, bases[b], NUM * PAGE));
        bool want[NUM] = {false};
        for (unsigned i = 0; i < 300; i++) {
            const uint64_t z = karat_random(&random), page = (z >> 32) % NUM,
                           addr = bases[b] + page * PAGE + 8;
            if (z & 1) {
                karat_ram_rsp rsp;
                const karat_ram_req req = one_lane(ops[z >> 1 & 3], 5, addr, 0);
                karat_ram_perform_lanes(memory, &req, &rsp);
                assert_false(rsp.error);
                want[page] |= (z >> 1 & 3) >= 2;
            } else {
                assert_true(karat_ram_write(memory, addr, &z, 8));
                want[page] = true;
            }
        }
        for (unsigned i = 0; i < 2000; i++) {
            const uint64_t z = karat_random(&random);
            uint64_t first = (z >> 32) % NUM, last = first + z % NUM % (NUM - first),
                     addr = bases[b] + first * PAGE;
            while (first <= last && !want[first])
                first++;
            const bool found = karat_ram_next_written(memory, &addr, bases[b] + last * PAGE);
            if (found != (first <= last) || (found && addr != bases[b] + first * PAGE))
                fail_msg("base %u, query %u: 0x%llx", b, i, (unsigned long long)addr);
        }
        karat_ram_destroy(memory);
    }
}

int main(void) {
    const char *given = getenv("KARAT_SEED");
    seed = given ? strtoull(given, NULL, 0) : seed;
    printf("test_memory: KARAT_SEED=%llu\n", (unsigned long long)seed);
    return run_suite("memory", NULL, NULL);
}
