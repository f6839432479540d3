/* HOST records in the LDS window: what each workgroup of the next kernel, and of no other, finds in its
 * LDS. */
#include "judge.h"

#include <string.h>

#define LDS_BASE 0x70000000u
#define BYTES    600u /* Three HOST records, and what both warps of a workgroup read */

/* Every warp reads its first word of LDS, and stores another one for whoever has that LDS next. */
static stream run(uint64_t seed, uint32_t kernels) {
    uint8_t bytes[BYTES];
    rng r = {seed};
    for (uint32_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(rng_next(&r) | 1);
    const karat_buffer locals[] = {{.base = LDS_BASE, .size = 100, .data = bytes},
                                   {.base = LDS_BASE + 100, .size = BYTES - 100, .data = bytes + 100}};
    program p = begin_program("lw 13 0 11; xori 14 13 -1; sw 14 0 11; endprg");
    core_options o = core_default();
    o.seed = seed;
    o.workgroups = 6;
    o.kernels = kernels;
    o.locals = locals;
    o.num_locals = 2;
    stream s;
    core_run(&p, &o, &s, NULL);
    return s;
}

static size_t host_of_lds(const stream *s, uint32_t n) {
    for (size_t i = 0; i < s->num; i++)
        if (s->at[i].h.kind == KARAT_REC_HOST && s->at[i].host.addr >= LDS_BASE &&
            s->at[i].host.addr < LDS_BASE + BYTES && !n--)
            return i;
    fail_msg("no such HOST record");
    return 0;
}

/* Six workgroups on a core that has room for two, and a kernel after it that finds zeros. */
TEST(found_by_each) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        scoped_stream s = run(seed, 1 + seed % 3);
        PASSES(&s);
    }
}

TEST(other_contents) {
    scoped_stream s = run(1, 2);
    const size_t host = host_of_lds(&s, 0), next = host_of_lds(&s, 2);
    s.at[host].host.data[3] ^= 0x40; /* Of each workgroup's warp 0 */
    SAYS(&s, WRITE_VALUE, "  lw x13, 0(x11)  ");
    s.at[host].host.data[3] ^= 0x40;
    const uint32_t second = LDS_BASE + 256 - (uint32_t)s.at[next - 1].host.addr;
    s.at[next - 1].host.data[second] ^= 1; /* Of warp 1 */
    SAYS(&s, WRITE_VALUE, "  lw x13, 0(x11)  ");
    s.at[next - 1].host.data[second] ^= 1;
    PASSES(&s);
    for (int n = 0; n < 3; n++)
        stream_remove(&s, host);
    s.at[nth(&s, KARAT_REC_BYE, 0)].bye.records -= 3;
    SAYS(&s, WRITE_VALUE, "  lw x13, 0(x11)  "); /* Zeros */
}

/* A list of kernels: the second one's contents are its own. */
TEST(of_the_next_kernel) {
    scoped_stream s = run(7, 2);
    const record host = s.at[host_of_lds(&s, 0)];
    const size_t kernel = nth(&s, KARAT_REC_KERNEL, 1);
    record r = host;
    r.h.cycle = s.at[kernel].h.cycle;
    stream_insert(&s, kernel, &r);
    s.at[nth(&s, KARAT_REC_BYE, 0)].bye.records++;
    SAYS(&s, WRITE_VALUE, "  lw x13, 0(x11)  "); /* The core had zeros there */
    memset(s.at[kernel].host.data, 0, sizeof host.host.data);
    PASSES(&s);
}

TEST(bad_records) {
    scoped_stream s = run(3, 1);
    const size_t first = host_of_lds(&s, 0), issue = nth(&s, KARAT_REC_ISSUE, 5);
    record r = s.at[first];
    r.h.cycle = s.at[issue].h.cycle;
    stream_insert(&s, issue, &r);
    SAYS(&s, STREAM, "HOST writes 0x70000000, in the LDS window, while a kernel runs");
    stream_remove(&s, issue);
    s.at[first].host.addr = LDS_BASE + core_model_config().lds_size - 1;
    SAYS(&s, STREAM, "HOST writes 0x7000ffff and beyond the LDS window");
}

RUN_TESTS("locals")
