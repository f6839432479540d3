/* The most that a stream may ask for: docs/port.md, "Limits". */
#include "judge.h"

#include <string.h>

static const char *words_of(const outcome *o) {
    return json_string_value(json_object_get(json_object_get(o->json, "failure"), "detail"));
}

static void refused(const stream *s, const char *words) {
    scoped_outcome o = judge(s);
    if (o.verdict != KARAT_BAD_INPUT || !strstr(words_of(&o), words) || strchr(words_of(&o), '\n'))
        fail_msg("%s\nexpected %s", o.text, words);
}

static stream hello_of(uint8_t num_sm, uint8_t num_warp) {
    stream s = fixture();
    cut(&s, nth(&s, KARAT_REC_HELLO, 0) + 1);
    s.at[0].hello.num_sm = num_sm;
    s.at[0].hello.num_warp = num_warp;
    return s;
}

TEST(slots) {
    stream s = hello_of(64, 64);
    scoped_outcome o = judge(&s);
    assert_int_equal(o.verdict, KARAT_INCOMPLETE); /* No kernel ran: nothing else is wrong */
    stream_free(&s);
    static const uint8_t many[][2] = {{65, 64}, {255, 64}, {1, 65}, {255, 255}, {0, 4}, {4, 0}};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        s = hello_of(many[i][0], many[i][1]);
        refused(&s, "warps, 4 threads: out of range");
        stream_free(&s);
    }
}

TEST(regions) {
    static const uint64_t wrong[][2] = {{0x90000001, 4096},
                                        {0x90000000, 4095},
                                        {0x90000000, UINT64_C(1) << 32},
                                        {0, UINT64_MAX - 4095},
                                        {UINT64_MAX - 4095, 8192}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        scoped_stream s = fixture();
        karat_rec_region *r = &s.at[nth(&s, KARAT_REC_REGION, 1)].region;
        r->base = wrong[i][0];
        r->size = wrong[i][1];
        refused(&s, (r->base | r->size) % 4096 ? "whole pages of 4096 bytes are possible"
                    : r->size == 8192          ? "cannot be mapped"
                                               : "more than the 1048576 that are possible");
    }
}

/* Round the end of the addresses, the last page of which is there. */
TEST(region_that_wraps) {
    scoped_stream s = fixture();
    size_t i = nth(&s, KARAT_REC_REGION, 1);
    s.at[i].region.base = UINT64_MAX - 4095;
    s.at[i].region.size = 4096;
    s.at[i].region.hash_valid = 0;
    record r = s.at[i];
    r.region.size = 8192;
    stream_insert(&s, i + 1, &r);
    refused(&s, "cannot be mapped");
}

TEST(warps_of_a_kernel) {
    static const uint32_t many[][4] = {
        {1 << 23, 1, 1, 3},        {(1 << 24) + 1, 1, 1, 1},   {UINT32_MAX, UINT32_MAX, UINT32_MAX, 1},
        {65536, 65536, 65536, 1},  {1u << 31, 1u << 31, 4, 1}, /* 2 to the 64 */
        {1u << 31, 1u << 31, 1, 4}};                           /* 2 to the 64 */
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        scoped_stream s = fixture();
        s.at[0].hello.num_warp = 4;
        karat_rec_kernel *k = &s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel;
        memcpy(k->grid, many[i], sizeof k->grid);
        k->wg_size = many[i][3];
        refused(&s, "16777216 warps are possible");
    }
    /* As many as there may be, a workgroup each. */
    scoped_stream s = fixture();
    karat_rec_kernel *k = &s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel;
    k->grid[0] = 1u << 24;
    k->grid[1] = k->grid[2] = k->wg_size = 1;
    cut(&s, nth(&s, KARAT_REC_KERNEL, 0) + 1);
    karat_checker *c = replay(&s, NULL);
    assert_string_equal(kind_of(c), "NONE");
    assert_true(karat_checker_tick(c, s.at[s.num - 1].h.cycle + HANG_CYCLES + 1));
    scoped_outcome o = conclude(c);
    if (!strstr(o.text, " of 16777216 warps were never launched"))
        fail_msg("%s", o.text);
}

TEST(in_flight) {
    scoped_stream s = silent();
    FAILS(&s, WRITE_MISSING, &s.at[nth(&s, KARAT_REC_ISSUE, 0)]);
    scoped_outcome o = judge(&s);
    assert_non_null(
        strstr(o.text, "1024 later instructions have been issued; still pending is the write of x12"));
    uint32_t owing = 0, taken = 0; /* As many as that, and the one after them is too much */
    for (size_t i = 0; i < s.num && owing < 1024; i++)
        if (s.at[i].h.kind == KARAT_REC_ISSUE) {
            owing += (s.at[i].issue.word & 0x7f) == 0x13;
            taken++;
        }
    assert_int_equal(count_of(&o, "instructions"), taken);
}

RUN_TESTS("limits")
