/* Lanes: the thread mask at ISSUE, and the lanes of results and accesses. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

TEST(issue_mask_kind) {
    FIXTURE;
    size_t i = issue_of(&s, 0, "vadd_vi", 0);
    s.at[i].issue.mask = 15; /* under divergence */
    FAILS(&s, ISSUE_MASK, &s.at[i]);
}

TEST(write_lanes_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vadd_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    assert_int_equal(s.at[write].write.mask, 5); /* masked by v0 */
    s.at[write].write.mask = 7;
    FAILS(&s, WRITE_LANES, &s.at[issue]);
    s.at[write].write.mask = 15; /* the mask is ignored */
    FAILS(&s, WRITE_LANES, &s.at[issue]);
    s.at[write].write.mask = 10; /* or inverted */
    FAILS(&s, WRITE_LANES, &s.at[issue]);
}

TEST(mem_lanes_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "sw", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.mask = 3;
    s.at[mem].mem.addr[1] = s.at[mem].mem.addr[0];
    s.at[mem].mem.bytes[0] = 0xff;
    FAILS(&s, MEM_LANES, &s.at[issue]);
    s.at[mem].mem.bytes[0] = 0x0f; /* in the mask, without a byte */
    FAILS(&s, MEM_LANES, &s.at[issue]);
}

/* An access by a lane that makes none, to where another one's goes. */
TEST(access_by_the_lane_before) {
    program p = begin_program("vand_vi 6 1 1 1; vmseq_vi 0 6 0 1");
    put(&p, "vlse32_v", 20, 10, 0, 0); /* even lanes, the same word */
    put0(&p, "endprg");
    core_options o = fixture_options();
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    karat_rec_mem *r = &s.at[of(&s, issue_of(&s, 0, "vlse32_v", 0), KARAT_REC_MEM, 0)].mem;
    assert_int_equal(r->mask, 5);
    r->mask = 3;
    r->addr[1] = r->addr[2];
    r->bytes[0] = 0xff;
    SAYS(&s, MEM_LANES, "lane 1 accesses");
    scoped_outcome out = judge(&s);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(out.json, "failure"), "lanes")), 2);
}

/* A result's own lane decides: of an SC 0 or 1, of an AUDIT the lanes that it reports. */
TEST(results_and_lanes) {
    program p = begin_program("lr_w 15 10 0; sc_w 16 7 10 0; addi 13 16 5; endprg");
    core_options o = one_warp_options();
    o.audit_percent = 0;
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    const size_t sc = issue_of(&s, 0, "sc_w", 0);
    record *r = &s.at[of(&s, sc, KARAT_REC_WRITE, 0)];
    r->write.data[0] = 5;
    FAILS(&s, WRITE_VALUE, &s.at[sc]);
    assert_int_equal(lanes_of(&s), 1);
    r->write.data[0] = 0;
    record audit = {.audit = {.h = s.at[s.num - 3].h, .regno = 13, .cls = KARAT_X}};
    audit.h.kind = KARAT_REC_AUDIT;
    for (unsigned cls = KARAT_X; cls <= KARAT_V; cls++) /* of no lane */
        for (unsigned data = 0; data < 2; data++) {
            audit.audit.cls = (uint8_t)cls;
            audit.audit.data[0] = data;
            stream_insert(&s, s.num - 3, &audit);
            PASSES(&s);
        }
    audit.audit.mask = 1;
    audit.audit.cls = 3;
    stream_insert(&s, s.num - 3, &audit);
    SAYS(&s, AUDIT, "class 3 register 13 does not exist");
    s.at[s.num - 4].h.kind = KARAT_REC_WRITE;
    s.at[s.num - 4].write = (karat_rec_write){.h = s.at[s.num - 4].h, .cls = 2, .regno = 13, .mask = 1};
    SAYS(&s, WRITE_REGISTER, "class 2 register 13 does not exist");
}

/* Of many lanes that differ eight are shown. */
TEST(many_lanes) {
    program p = begin_program("vadd_vi 8 1 1 1; endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.num_thread = 16;
    o.uncounted = true;
    scoped_stream s = run_program(&p, &o);
    const size_t write = of(&s, issue_of(&s, 0, "vadd_vi", 0), KARAT_REC_WRITE, 0);
    for (uint32_t n = 1; n <= 16; n++) {
        s.at[write].write.data[n - 1] ^= 2;
        scoped_outcome out = judge(&s);
        char said[40];
        snprintf(said, sizeof said, n == 16 ? "and %u more lanes" : "lane %2u  core",
                 n < 8     ? n - 1
                 : n == 16 ? 8
                           : 7);
        assert_non_null(strstr(out.text, said));
        assert_null(strstr(out.text, "lane  8  core"));
        assert_int_equal(strstr(out.text, " more lanes\n") != NULL, n > 8);
    }
}

RUN_TESTS("masks")
