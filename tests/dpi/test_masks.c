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

RUN_TESTS("masks")
