/* REGION and CONTENTS: memory at the end of a kernel and of a run. */
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "page_hash.h"

/* A piece of memory before BYE. */
static void add_contents(stream *s, uint64_t addr, uint32_t length) {
    record r = {.contents = {.h = {.kind = KARAT_REC_CONTENTS}, .addr = addr, .length = length}};
    size_t end = s->num - 1;
    r.h.cycle = s->at[end].h.cycle;
    stream_insert(s, end, &r);
    s->at[end + 1].bye.records = 0;
}

static void contents(void) {
    static const struct {
        uint64_t addr;
        uint32_t length, flushed;
        bool bad;
    } cases[] = {{DATA_BASE, 0, 1, true}, {DATA_BASE, 257, 1, true},   {DATA_BASE, 256, 0, false},
                 {0x100, 16, 1, true},    {DATA_BASE - 1, 2, 1, true}, {DATA_BASE - 1, 2, 0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FIXTURE;
        s.at[0].hello.props = cases[i].flushed ? KARAT_PROP_FLUSHED : 0;
        add_contents(&s, cases[i].addr, cases[i].length);
        if (cases[i].bad)
            FAILS(&s, STREAM, NULL);
        else
            PASSES(&s); /* Memory holds anything there */
    }
}

TEST(memory_kind) {
    contents();
    FIXTURE;
    s.at[nth(&s, KARAT_REC_REGION, 1)].region.hash ^= 1;
    FAILS(&s, MEMORY, NULL);
    s.at[nth(&s, KARAT_REC_REGION, 1)].region.hash_valid = 0; /* Not given: not compared */
    PASSES(&s);
    FIXTURE_AGAIN;
    ONCE(s.at[nth(&s, KARAT_REC_HOST, 0)].host.data[17] ^= 4, MEMORY, NULL);
    stream_remove(&s, nth(&s, KARAT_REC_HOST, 3));
    FAILS(&s, MEMORY, NULL);
    /* A second kernel finds what the first has left. */
    core_options o = fixture_options();
    o.kernels = 2;
    stream_free(&s);
    s = run_fixture(&o);
    PASSES(&s);
    size_t other = nth(&s, KARAT_REC_REGION, 4);
    s.at[other].region.hash ^= 1ull << 63;
    FAILS(&s, MEMORY, NULL);
}

/* An AMO has stored, and its result is missing: memory is compared anyway. */
TEST(contents_behind_an_amo) {
    program p = begin_program("amoadd_w 13 7 10 0; endprg");
    core_options o = one_warp_options();
    scoped_stream s = run_program(&p, &o);
    s.at[0].hello.props |= KARAT_PROP_FLUSHED;
    const size_t amo = issue_of(&s, 0, "amoadd_w", 0);
    const karat_rec_mem *mem = &s.at[of(&s, amo, KARAT_REC_MEM, 0)].mem;
    record r = {.contents = {.h = s.at[s.num - 1].h, .addr = mem->addr[0], .length = 4}};
    r.h.kind = KARAT_REC_CONTENTS;
    memcpy(r.contents.data, mem->data, 4);
    stream_remove(&s, of(&s, amo, KARAT_REC_WRITE, 0));
    stream_insert(&s, s.num - 1, &r);
    record at = s.at[amo];
    FAILS(&s, WRITE_MISSING, &at);
    s.at[s.num - 2].contents.data[3] ^= 1;
    FAILS(&s, MEMORY, NULL);
}

/* CONTENTS belong to a kernel: they come after one. */
TEST(contents_before_a_kernel) {
    scoped_stream s = fixture();
    const size_t kernel = nth(&s, KARAT_REC_KERNEL, 0);
    record r = {.contents = {.h = s.at[kernel].h, .addr = DATA_BASE, .length = 4}};
    r.h.kind = KARAT_REC_CONTENTS;
    stream_insert(&s, kernel, &r);
    FAILS(&s, STREAM, NULL);
}

/* REGIONs before BYE are compared where the core says that all has been written back. */
TEST(regions_at_the_end) {
    for (uint32_t flushed = 0; flushed < 2; flushed++) {
        scoped_stream s = fixture();
        s.at[0].hello.props = flushed ? KARAT_PROP_FLUSHED : 0;
        record r = s.at[nth(&s, KARAT_REC_REGION, 1)];
        r.h.cycle = s.at[s.num - 1].h.cycle;
        assert_true(r.region.hash_valid); /* Of memory before the kernel, which has stored there */
        stream_insert(&s, s.num - 1, &r);
        if (flushed)
            SAYS(&s, MEMORY, "after kernel 0: region 0x90000000");
        else
            PASSES(&s);
    }
}

static uint64_t hash_in(karat_model *model, const karat_rec_region *r) {
    uint8_t *bytes = malloc(r->size);
    assert_non_null(bytes);
    assert_int_equal(karat_read(model, r->base, bytes, r->size), KARAT_OK);
    const uint64_t hash = XXH3_64bits(bytes, r->size);
    free(bytes);
    return hash;
}

/* Memory at the end counts as compared where each page that was mapped has a hash. */
TEST(every_region_has_a_hash) {
    enum { FIRST = 1, SECOND = 2, IS_FLUSHED = 4, ALL_THREE = 8, LAST_FIRST = 16, TWICE = 32, NUM = 64 };
    for (uint32_t how = 0; how < NUM; how++) {
        scoped_stream s = fixture();
        const size_t first = nth(&s, KARAT_REC_REGION, 0);
        uint32_t mapped = 0;
        while (s.at[first + mapped].h.kind == KARAT_REC_REGION)
            mapped++;
        assert_true(mapped > 2);
        karat_checker *end = replay(&s, NULL);
        s.at[0].hello.props = how & IS_FLUSHED ? KARAT_PROP_FLUSHED : 0;
        const uint32_t given = how & ALL_THREE ? mapped : mapped - 1;
        for (uint32_t n = 0; n < given + (how & TWICE ? 1 : 0); n++) {
            const uint32_t which = n % given;
            record r = s.at[first + (how & LAST_FIRST ? given - 1 - which : which)];
            r.h.cycle = s.at[s.num - 1].h.cycle;
            r.region.hash_valid = n > 1 || (how >> n & 1);
            r.region.hash = hash_in(model_of(end), &r.region);
            stream_insert(&s, s.num - 1, &r);
        }
        karat_checker_destroy(end);
        PASSES(&s);
        scoped_checker *c = replay(&s, NULL);
        assert_int_equal(is_unchecked(c, "final-memory"), (how & (FIRST | SECOND | IS_FLUSHED | ALL_THREE)) !=
                                                              (FIRST | SECOND | IS_FLUSHED | ALL_THREE));
    }
}

/* Regions of one size that are 0 but for few pages, or for more than are remembered: only those with the
 * same bytes have one hash. */
TEST(hashes_of_sparse_regions) {
    static const struct {
        uint32_t pages, first; /* So many from there on have a byte */
        uint8_t value;
    } contents[] = {{0, 0, 0}, {0, 0, 0}, {1, 5, 1},  {1, 5, 1}, {1, 5, 2},
                    {1, 6, 1}, {2, 5, 1}, {16, 0, 1}, {17, 0, 1}};
    enum { NUM = sizeof contents / sizeof *contents, PAGES = 64 };
    const uint64_t base = 0xa0000000;
    static uint8_t bytes[PAGES * 4096];
    scoped_stream s = fixture();
    const size_t first = nth(&s, KARAT_REC_REGION, 0);
    uint64_t hash[NUM];
    for (uint32_t i = 0; i < NUM; i++) {
        memset(bytes, 0, sizeof bytes);
        record host = s.at[nth(&s, KARAT_REC_HOST, 0)];
        for (uint32_t n = 0; n < contents[i].pages; n++) {
            const uint64_t at = (contents[i].first + n) * 4096 + 17;
            bytes[at] = contents[i].value;
            host.host.addr = base + i * sizeof bytes + at;
            host.host.length = 1;
            host.host.data[0] = contents[i].value;
            stream_insert(&s, nth(&s, KARAT_REC_HOST, 0), &host);
        }
        hash[i] = XXH3_64bits(bytes, sizeof bytes);
    }
    for (uint32_t i = 0; i < NUM; i++) {
        record region = s.at[first];
        region.region.base = base + i * sizeof bytes;
        region.region.size = sizeof bytes;
        region.region.hash = hash[i];
        region.region.hash_valid = 1;
        stream_insert(&s, first + i, &region);
    }
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.num_region += NUM;
    s.at[s.num - 1].bye.records = 0;
    PASSES(&s);
    for (uint32_t i = 0; i < NUM; i++) {
        for (uint32_t k = 0; k < NUM; k++) {
            s.at[first + i].region.hash = hash[k];
            if (hash[i] == hash[k])
                PASSES(&s);
            else
                FAILS(&s, MEMORY, NULL);
        }
        s.at[first + i].region.hash = hash[i];
    }
}

/* The hash of memory that was written in a few places is that of the library over all its bytes. */
TEST(hashes_of_pages) {
    static uint8_t bytes[64 * 4096];
    karat_config config;
    karat_config_default(&config);
    config.max_warp = config.max_workgroup = 1;
    config.lds_pool = 4096;
    for (uint32_t seed = 0; seed < 300; seed++) {
        rng r = {seed};
        karat_status status;
        karat_model *model = karat_create(&config, &status);
        assert_non_null(model);
        const uint64_t size = 4096 * (1 + (uint64_t)rng_below(&r, 64));
        /* Anywhere, across 4 MiB, across 4 GiB, beyond it, and at the end of all addresses. */
        const uint64_t bases[] = {DATA_BASE, 0x80400000 - size / 8192 * 4096,
                                  0x100000000 - size / 8192 * 4096, 0x723456000, -size};
        const uint64_t base = bases[seed % 5];
        assert_int_equal(karat_map(model, base, size), KARAT_OK);
        memset(bytes, 0, sizeof bytes);
        for (uint32_t writes = rng_below(&r, 6); writes; writes--) {
            const uint32_t at = rng_below(&r, (uint32_t)size - 3) & ~(rng_chance(&r, 50) ? 0xfffu : 0);
            const uint32_t value = rng_next(&r);
            memcpy(bytes + at, &value, 4);
            assert_int_equal(karat_write(model, base + at, &value, 4), KARAT_OK);
        }
        if (karat_hash_memory(model, base, size) != XXH3_64bits(bytes, size))
            fail_msg("seed %u", seed);
        karat_destroy(model);
    }
}

RUN_TESTS("contents")
