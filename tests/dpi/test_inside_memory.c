/* The checker's own functions, one at a time: regions, accesses, and stores under way.
 *
 * Private things of the checker that are used here:
 *
 *   functions: karat_check_region(), karat_late_store()
 *   of karat_checker: config, done, failure, gives, num_pages, num_regions, slots, tainted_memory
 *   types and sizes: flight, slot; KARAT_PORT_PAGES, NUM_FAILED_SC, NUM_COMPLETED */
#include "inside.h"

#include <stdio.h>
#include <string.h>

/* Which store a wrong load may have missed: one of device memory by any warp, of local memory by a warp of
 * its workgroup, that was issued before it and shares a byte, and that came later or not yet. */
static bool names_store(karat_checker *c, flight *store, flight *load, uint32_t wg, bool completed) {
    char text[400];
    slot *other = &c->slots[1];
    assert_true(other->launched);
    const uint32_t kept = wg ? NUM_COMPLETED - 1 : 0; /* The first or the last */
    other->wg = wg;
    if (completed)
        other->completed[kept] = store;
    else
        other->oldest = store;
    karat_late_store(c, &c->slots[0], load, text, sizeof text);
    const bool named = strstr(text, " stores there, issued in cycle 5, and ") != NULL;
    assert_int_equal(named, text[0] != 0);
    if (named)
        assert_non_null(strstr(text, store->mem_bytes ? ", and has not been performed yet"
                                                      : ", and was performed in cycle 9"));
    if (named && store->commit.word)
        assert_non_null(strstr(text, " 0x80000010 sw x37, 0(x6)  {regext} stores there"));
    other->oldest = other->completed[kept] = NULL;
    return named;
}

TEST(late_stores) {
    static flight store, load;
    scoped_stream s = fixture();
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 1) + 1);
    scoped_checker *c = replay(&s, NULL);
    static const struct {
        uint32_t store_at, store_bytes, load_at, load_bytes;
        bool share;
    } places[] = {{0, 4, 0, 4, true},  {0, 1, 0, 4, true}, {3, 1, 0, 4, true},  {4, 1, 0, 4, false},
                  {4, 1, 5, 1, false}, {4, 2, 5, 1, true}, {6, 2, 4, 2, false}, {4, 4, 7, 1, true}};
    for (size_t i = 0; i < 32 * sizeof places / sizeof *places; i++) {
        const bool lds = i & 1, same_group = i & 2, completed = i & 4, pending = i & 8, early = i & 16;
        memset(&store, 0, sizeof store);
        memset(&load, 0, sizeof load);
        store.commit.has_mem = load.commit.has_mem = true;
        store.commit.mem.op = KARAT_STORE;
        store.commit.mem.space = load.commit.mem.space = lds ? KARAT_LDS : KARAT_GLOBAL;
        store.commit.mem.num = load.commit.mem.num = 2; /* The second ones meet */
        store.commit.mem.access[0] = (karat_access){.addr = 0x100, .bytes = 4};
        load.commit.mem.access[0] = (karat_access){.addr = 0x200, .bytes = 4};
        store.commit.mem.access[1] = (karat_access){.addr = 0x300 + places[i / 32].store_at,
                                                    .bytes = (uint8_t)places[i / 32].store_bytes};
        load.commit.mem.access[1] = (karat_access){.addr = 0x300 + places[i / 32].load_at,
                                                   .bytes = (uint8_t)places[i / 32].load_bytes};
        store.commit.mem.access[2] = load.commit.mem.access[1]; /* None of theirs */
        load.commit.mem.access[2] = store.commit.mem.access[1];
        store.cycle = load.cycle = 5;
        store.mem_bytes = pending;
        store.mem_cycle = pending ? 0 : 9;
        load.mem_cycle = early ? 10 : 9;
        const bool want = places[i / 32].share && (!lds || same_group) && (pending || !early);
        if (names_store(c, &store, &load, same_group ? 0 : 2, completed) != want)
            fail_msg("case %zu: %s", i, want ? "not named" : "named");
    }
    memset(&load.commit.mem, 0, sizeof load.commit.mem);
    load.commit.mem = store.commit.mem;
    load.commit.mem.op = KARAT_LOAD;
    store.commit.mem.space = load.commit.mem.space = KARAT_GLOBAL;
    store.mem_bytes = 1;
    assert_true(names_store(c, &store, &load, 2, false));
    static flight first; /* Of two slots that have one, the first */
    first = store;
    store.seq = 77;
    c->slots[0].oldest = &first;
    c->slots[1].oldest = &store;
    c->slots[0].wg = c->slots[1].wg;
    for (first.seq = 33; first.seq <= 34; first.seq++) {
        char text[400];
        karat_late_store(c, &c->slots[0], &load, text, sizeof text);
        assert_non_null(strstr(text, first.seq == 33 ? " seq 33 " : " seq 77 "));
        first.cycle = 6;
    }
    c->slots[1].oldest = NULL;
    first.cycle = 5; /* Of a warp's, what is under way */
    first.seq = 33;
    c->slots[0].completed[0] = &store;
    char both[400];
    karat_late_store(c, &c->slots[0], &load, both, sizeof both);
    assert_non_null(strstr(both, " seq 33 "));
    c->slots[0].oldest = c->slots[0].completed[0] = NULL;
    store.commit.pc = 0x80000010;
    store.commit.prefix = 0x0400200b; /* The second source is 32 higher */
    store.commit.word = 0x00532023;
    assert_true(names_store(c, &store, &load, 2, false));
    const uint32_t given = c->gives;
    c->gives &= ~(1u << KARAT_REC_MEM);
    assert_false(names_store(c, &store, &load, 2, false));
    c->gives = 1u << KARAT_REC_MEM;
    assert_true(names_store(c, &store, &load, 2, false));
    c->gives = given;
    store.cycle = 6; /* Younger */
    assert_false(names_store(c, &store, &load, 2, false));
    store.cycle = 5;
    store.commit.mem.op = KARAT_LOAD;
    assert_false(names_store(c, &store, &load, 2, false));
    store.commit.mem.op = KARAT_STORE;
    load.commit.mem.op = KARAT_AMO;
    assert_false(names_store(c, &store, &load, 2, false));
    load.commit.mem.op = KARAT_LOAD;
    load.commit.has_mem = false;
    assert_false(names_store(c, &store, &load, 2, false));
}

/* As many REGIONs as pages, and no more. */
TEST(number_of_regions) {
    scoped_stream s = fixture();
    scoped_checker *c = replay(&s, NULL);
    const record r = {.region = {.base = DATA_BASE, .size = 4096}};
    const uint32_t was = c->num_regions;
    c->done = false;
    assert_false(karat_check_region(c, &r.region));
    assert_int_equal(c->num_regions, was + 1);
    c->num_regions = KARAT_PORT_PAGES;
    assert_true(karat_check_region(c, &r.region));
    assert_non_null(
        strstr(detail_of(c), "1048576 REGIONs before it, more than the 1048576 that are possible"));
}

/* As many pages as there may be, and no more. */
TEST(number_of_pages) {
    scoped_stream s = fixture();
    karat_checker *c = replay(&s, NULL);
    karat_rec_region r = {.base = 0xa0000000u, .size = 4096};
    c->done = false;
    c->num_pages = KARAT_PORT_PAGES - 1;
    assert_false(karat_check_region(c, &r));
    assert_int_equal(c->num_pages, KARAT_PORT_PAGES);
    assert_false(karat_check_region(c, &r)); /* Once more */
    r.base += 4096;
    assert_true(karat_check_region(c, &r));
    assert_non_null(strstr(detail_of(c), "more than the 1048576 that are possible"));
    karat_checker_destroy(c);
    /* A core that translates has more. */
    c = replay(&s, NULL);
    c->done = false;
    c->num_pages = KARAT_PORT_PAGES;
    c->config.model.translation = KARAT_TRANSLATION_SV39;
    assert_false(karat_check_region(c, &r));
    c->num_pages = KARAT_PORT_PAGES_SV39;
    r.base += 4096;
    assert_true(karat_check_region(c, &r));
    assert_non_null(strstr(detail_of(c), "more than the 2097152 that are possible"));
    karat_checker_destroy(c);
}

/* REGIONs hash all pages in whichever order they come, and however they overlap; not where one has no
 * hash, or a page has no REGION. */
TEST(all_is_hashed) {
    enum { MOST = 4 };
    static const uint64_t orders[][MOST][2] = {
        {{0x10000, 0x1000}, {0x11000, 0x2000}, {0x13000, 0x1000}, {0x14000, 0x1000}}, /* Neighbours */
        {{0x14000, 0x1000}, {0x13000, 0x1000}, {0x12000, 0x1000}, {0x11000, 0x1000}},
        {{0x11000, 0x1000}, {0x12000, 0x1000}, {0x10000, 0x1000}, {0x13000, 0x1000}},
        {{0x10000, 0x1000}, {0x11000, 0x1000}, {0x20000, 0x1000}, {0x21000, 0x1000}}, /* A gap */
        {{0x20000, 0x2000}, {0x22000, 0x1000}, {0x10000, 0x4000}, {0x12000, 0x4000}}, /* Pages twice */
        {{0x10000, 0x4000}, {0x11000, 0x1000}, {0x14000, 0x1000}, {0x12000, 0x1000}},
    };
    for (size_t n = 0; n < sizeof orders / sizeof *orders; n++)
        for (uint32_t none = 0; none <= MOST; none++) { /* That one has no hash; MOST: all have */
            karat_check_config config = judge_config();
            scoped_checker *c = karat_checker_create(&config);
            scoped_stream s = fixture();
            assert_false(
                karat_checker_record(c, &s.at[nth(&s, KARAT_REC_HELLO, 0)], sizeof(karat_rec_hello)));
            for (uint32_t i = 0; i < MOST; i++) {
                const karat_rec_region r = {.h = {.kind = KARAT_REC_REGION},
                                            .base = orders[n][i][0],
                                            .size = orders[n][i][1],
                                            .hash_valid = i != none};
                assert_false(karat_checker_record(c, &r, sizeof r));
            }
            assert_int_equal(karat_is_all_hashed(c), none == MOST);
            c->num_pages++;
            assert_false(karat_is_all_hashed(c));
        }
}

/* A byte stored at a wrong address: of its line and the model's, and of no other, others may load what is
 * not right. */
TEST(lines_of_a_wrong_address) {
    program p = begin_program("sb 7 512 10; endprg");
    core_options o = one_warp_options();
    scoped_stream s = run_program(&p, &o);
    const size_t mem = of(&s, issue_of(&s, 0, "sb", 0), KARAT_REC_MEM, 0);
    for (uint32_t at = 0; at < 64; at += 21) {
        s.at[mem].mem.addr[0] = DATA_BASE + 0x2000 + at;
        karat_check_config config = judge_config();
        config.keep_going = true;
        scoped_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i <= mem; i++)
            assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
        uint32_t lines = 0;
        for (uint32_t i = 0; i < (1 << 16) / 8; i++)
            lines += (uint32_t)__builtin_popcount(c->tainted_memory[i]);
        assert_int_equal(lines, 2);
    }
}

RUN_TESTS("inside: memory")
