/* READ: operands as the core has read them. */
#include "judge.h"

TEST(read_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vmul_vv", 0), read = of(&s, issue, KARAT_REC_READ, 0);
    record at = record_at(&s, issue);
    s.at[read].read.data[2] ^= 1;
    FAILS(&s, READ, &at);
    s.at[read].read.mask = ~4u & 15; /* A lane that is not given is not compared */
    PASSES(&s);
    s.at[read].read.mask = 4;
    FAILS(&s, READ, &at);
    s.at[read].read.bits = 1;
    FAILS(&s, READ, &at);
    s.at[read].read.data[2] ^= 3;
    PASSES(&s);
    ONCE(s.at[read].read.mask = 31, READ, &at); /* More lanes than there are */
    s.at[read].read.source = 3;
    FAILS(&s, READ, &at);
    s.at[0].hello.props |= KARAT_PROP_READS_MORE;
    PASSES(&s);
    s.at[read].read.source = 1; /* An operand that the instruction has is compared anyway */
    s.at[read].read.data[0] ^= 1;
    FAILS(&s, READ, &at);
    FIXTURE_AGAIN;
    ONCE(s.at[read].read.part = 1, READ, &at);
    ONCE(s.at[read].read.cls = KARAT_X, READ, &at);
    size_t x0 = of(&s, issue_of(&s, 0, "addi", 0), KARAT_REC_READ, 0); /* x0 reads as 0 */
    at = record_at(&s, issue_of(&s, 0, "addi", 0));
    s.at[x0].read.data[0] = 1;
    FAILS(&s, READ, &at);
    FIXTURE_AGAIN;
    s.at[read].read.seq -= 3; /* An instruction that has completed */
    uint32_t seq = s.at[read].read.seq;
    size_t named = 0;
    while (s.at[named].h.kind != KARAT_REC_ISSUE || s.at[named].h.slot != s.at[read].h.slot ||
           s.at[named].issue.seq != seq)
        named++;
    FAILS(&s, READ, &s.at[named]);
}

/* A wrong operand of which some lanes were written and others are pending: whoever expects them, of that
 * register and no other. */
TEST(operand_in_parts) {
    program p = begin_program("vsetvli 13 0 0xd1; vmv_v_i 8 3; vadd_vv 12 8 8 1; addi 9 0 5; sub 14 9 0; "
                              "endprg");
    core_options o = one_warp_options();
    o.audit_percent = 0;
    scoped_stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, ANY, "vmv_v_i", 1), write = of(&s, issue, KARAT_REC_WRITE, 1);
    assert_int_equal(s.at[write].write.regno, 9);
    record owing = s.at[issue], rest = s.at[write];
    s.at[write].write.mask = 8;
    rest.write.mask = 7;
    rest.h.cycle = s.at[nth(&s, KARAT_REC_EXIT, 0)].h.cycle;
    stream_insert(&s, nth(&s, KARAT_REC_EXIT, 0), &rest);
    PASSES(&s);
    size_t user = issue_of(&s, ANY, "vadd_vv", 0);
    for (uint32_t n = 0; n < 4; n++) {
        karat_rec_read *r = &s.at[of(&s, user, KARAT_REC_READ, n)].read;
        r->data[2] ^= 1;
        record at = r->part ? owing : s.at[user];
        if (r->part) {
            FAILS(&s, WRITE_MISSING, &at);
            SAYS(&s, WRITE_MISSING, "lane  2  core 00000002  model 00000003  xor 00000001");
        } else {
            FAILS(&s, READ, &at);
        }
        r->data[2] ^= 1;
        r->data[2] ^= 1u << 31; /* The highest bit is none of 31 */
        r->bits = 31;
        PASSES(&s);
        r->bits = 0;
        r->data[2] ^= 1u << 31;
    }
    user = issue_of(&s, ANY, "sub", 0); /* x9 is not v9 */
    s.at[of(&s, user, KARAT_REC_READ, 0)].read.data[0] ^= 1;
    record at = s.at[user];
    FAILS(&s, READ, &at);
    s.at[of(&s, user, KARAT_REC_READ, 0)].read.mask = 0; /* It says nothing of it */
    PASSES(&s);
}

RUN_TESTS("read")
