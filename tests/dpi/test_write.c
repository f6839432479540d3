/* WRITE: value, register and order of results; those that are missing, and those that no instruction
 * expects. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

TEST(write_value_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "mul", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    ONCE(s.at[write].write.data[0] ^= 1u << 31, WRITE_VALUE, &s.at[issue]);
    issue = issue_of(&s, 1, "vlw12_v", 1), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.data[3] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    s.at[write].write.mask = 7; /* In two parts: the first is right, the second is wrong */
    record rest = record_at(&s, write);
    rest.write.mask = 8;
    stream_insert(&s, write + 1, &rest);
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    s.at[write + 1].write.data[3] ^= 1;
    PASSES(&s);
    s.at[write].write.data[0] ^= 1;
    s.at[write].write.match = s.at[write + 1].write.match = KARAT_MATCH_OTHER; /* The core provides no id */
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    FIXTURE_AGAIN;
    issue = issue_of(&s, 0, "vle32_v", 0), write = of(&s, issue, KARAT_REC_WRITE, 1); /* Second of a group */
    s.at[write].write.data[1] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    stream_free(&s);
    /* The report names the lanes, as many as fit. */
    core_options o = fixture_options();
    o.num_thread = 32;
    s = run_fixture(&o);
    PASSES(&s);
    issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    for (unsigned lane = 1; lane < 32; lane += 2)
        s.at[write].write.data[lane] = ~s.at[write].write.data[lane];
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    scoped_outcome out = judge(&s);
    assert_non_null(strstr(out.text, "lane  1  core "));
    assert_non_null(strstr(out.text, "lane 15  core "));
    assert_null(strstr(out.text, "lane 17  core "));
    assert_non_null(strstr(out.text, "xor ffffffff"));
    assert_non_null(strstr(out.text, "and 8 more lanes"));
}

TEST(write_register_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "mul", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.regno = 14;
    FAILS(&s, WRITE_REGISTER, &s.at[issue]);
    s.at[write].write.regno = 5;
    s.at[write].write.cls = KARAT_V;
    FAILS(&s, WRITE_REGISTER, &s.at[issue]);
    s.at[write].write.cls = KARAT_X;
    s.at[write].write.regno = 64; /* No such register */
    FAILS(&s, WRITE_REGISTER, &s.at[issue]);
    FIXTURE_AGAIN;
    size_t i = 0; /* The prefix is lost: v8 instead of v40 */
    while (s.at[i].h.kind != KARAT_REC_ISSUE || !s.at[i].issue.prefix)
        i++;
    s.at[of(&s, i, KARAT_REC_WRITE, 0)].write.regno = 8;
    FAILS(&s, WRITE_REGISTER, &s.at[i]);
}

TEST(write_unexpected_kind) {
    FIXTURE;
    size_t store = issue_of(&s, 0, "vsw12_v", 0);
    record r = record_at(&s, of(&s, issue_of(&s, 0, "vadd_vv", 0), KARAT_REC_WRITE, 0));
    r.h.cycle = s.at[store].h.cycle;
    r.write.seq = s.at[store].issue.seq;
    stream_insert(&s, store + 1, &r);
    FAILS(&s, WRITE_UNEXPECTED, &s.at[store]); /* A store writes no register */
    s.at[store + 1].write.seq += 1;
    FAILS(&s, WRITE_UNEXPECTED, &r); /* Not issued yet */
    s.at[store + 1].write.match = KARAT_MATCH_OTHER;
    FAILS(&s, WRITE_UNEXPECTED, &s.at[store]);
    s.at[store + 1].write.mask = 0; /* Writes no lane: counted, no more */
    PASSES(&s);
    s.at[store + 1].write.mask = 1;
    s.at[store + 1].write.cls = KARAT_X;
    s.at[store + 1].write.regno = 0; /* x0 */
    PASSES(&s);
    stream_free(&s);
    /* An instruction without an active lane expects nothing. */
    program p = begin_program("vmv_v_i 0 0; vadd_vv 8 1 1 0; endprg");
    core_options o = fixture_options();
    o.idle_writes = false;
    s = run_program(&p, &o);
    PASSES(&s);
    size_t issue = issue_of(&s, 0, "vadd_vv", 0);
    record all = record_at(&s, of(&s, issue_of(&s, 0, "vmv_v_i", 1), KARAT_REC_WRITE, 0));
    all.h.cycle = s.at[issue].h.cycle;
    all.write.seq = s.at[issue].issue.seq;
    all.write.regno = 8;
    stream_insert(&s, issue + 1, &all);
    FAILS(&s, WRITE_UNEXPECTED, &s.at[issue]);
    s.at[issue + 1].write.mask = 0;
    PASSES(&s);
}

TEST(write_duplicate_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "mul", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    ONCE(stream_insert(&s, write, &s.at[write]), WRITE_DUPLICATE, &s.at[issue]);
    issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    record part = record_at(&s, write);
    part.write.mask = 4;
    stream_insert(&s, write, &part); /* One lane, then all */
    FAILS(&s, WRITE_DUPLICATE, &s.at[issue]);
    s.at[write + 1].write.mask = 11; /* The others: disjoint parts are legal */
    PASSES(&s);
    FIXTURE_AGAIN;
    size_t later = after(&s, after(&s, write, KARAT_REC_ISSUE), KARAT_REC_ISSUE); /* Long after it is done */
    record late = record_at(&s, write);
    late.h.cycle = s.at[later].h.cycle;
    stream_insert(&s, later, &late);
    FAILS(&s, WRITE_DUPLICATE, &s.at[issue]);
}

TEST(write_order_kind) {
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_READ);
    scoped_stream s = run_fixture(&o);
    size_t old = issue_of(&s, 0, "addi", 0), new = issue_of(&s, 0, "addi", 1);
    record at = record_at(&s, old);
    size_t first = of(&s, old, KARAT_REC_WRITE, 0), second = of(&s, new, KARAT_REC_WRITE, 0);
    move(&s, first, second); /* Both pending, in order: legal */
    PASSES(&s);
    s.at[second - 1].write.match = KARAT_MATCH_OTHER; /* But then it must say which it is */
    FAILS(&s, WRITE_ORDER, &at);
    stream_free(&s);
    s = run_fixture(&o);
    move(&s, first, second + 1);
    FAILS(&s, WRITE_ORDER, &at);
    stream_free(&s);
    /* Lane by lane: v9 is written whole, then in its even lanes. */
    s = run_fixture(&o);
    old = issue_of(&s, 0, "vmul_vv", 0), new = issue_of(&s, 0, "vadd_vv", 0);
    at = record_at(&s, old);
    first = of(&s, old, KARAT_REC_WRITE, 0);
    record odd = record_at(&s, first), even = odd;
    odd.write.mask = 10;
    even.write.mask = 5;
    second = of(&s, new, KARAT_REC_WRITE, 0) - 1;
    stream_remove(&s, first);
    odd.h.cycle = even.h.cycle = s.at[second].h.cycle;
    stream_insert(&s, second + 1, &odd);
    stream_insert(&s, second, &even);
    PASSES(&s); /* The even ones before, the odd ones after */
    move(&s, second, second + 3);
    FAILS(&s, WRITE_ORDER, &at);
}

TEST(write_missing_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    record at = record_at(&s, issue);
    s.at[write].write.mask = 11; /* A lane is left over when the slot's next warp comes */
    FAILS(&s, WRITE_MISSING, &at);
    ONCE(stream_remove(&s, write), WRITE_MISSING, &at);
    record late = record_at(
        &s, write); /* After the slot's next LAUNCH it is too late, and LAUNCH is where that shows */
    size_t next = nth(&s, KARAT_REC_LAUNCH, 2);
    late.h.cycle = s.at[next].h.cycle;
    stream_insert(&s, next + 1, &late);
    stream_remove(&s, write);
    FAILS(&s, WRITE_MISSING, &at);
    FIXTURE_AGAIN;
    size_t launch = nth(&s, KARAT_REC_LAUNCH, 2); /* Before the slot's next LAUNCH: legal; after it: not */
    issue = issue_of(&s, s.at[launch].h.slot, "vmul_vv", 0);
    at = record_at(&s, issue);
    write = of(&s, issue, KARAT_REC_WRITE, 0);
    /* Nothing audits or writes that register again but vadd.vv, whose WRITE comes after it. */
    size_t again = of(&s, issue_of(&s, s.at[launch].h.slot, "vadd_vv", 0), KARAT_REC_WRITE, 0);
    record over = record_at(&s, again);
    stream_remove(&s, again);
    move(&s, write, launch - 1);
    over.h.cycle = s.at[launch - 2].h.cycle;
    stream_insert(&s, launch - 1, &over);
    PASSES(&s);
    stream_free(&s);
    /* A core that waits for pending writes: at the ISSUE of the instruction that reads the register, or
     * writes it. */
    s = fixture();
    s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
    PASSES(&s);
    static const char *const pairs[][2] = {{"vand_vi", "vmseq_vi"}, {"vmul_vv", "vadd_vv"}};
    for (int i = 0; i < 2; i++) {
        issue = issue_of(&s, 0, pairs[i][0], 0);
        at = record_at(&s, issue);
        move(&s, of(&s, issue, KARAT_REC_WRITE, 0), issue_of(&s, 0, pairs[i][1], 0) + 1);
        FAILS(&s, WRITE_MISSING, &at);
        FIXTURE_AGAIN;
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
    }
    stream_free(&s);
    /* The last warp: at BYE. */
    s = fixture();
    issue = issue_of(&s, 2, "vle32_v", 0);
    at = record_at(&s, issue);
    stream_remove(&s, of(&s, issue, KARAT_REC_WRITE, 1));
    FAILS(&s, WRITE_MISSING, &at);
}

/* Of two registers that an instruction writes, the one that is still pending is named. */
TEST(second_register) {
    program p = begin_program("vsetvli 13 0 0xd1; vmv_v_i 8 3; endprg");
    core_options o = one_warp_options();
    o.audit_percent = 0;
    scoped_stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, ANY, "vmv_v_i", 1);
    for (uint32_t n = 0; n < 2; n++) {
        record *r = &s.at[of(&s, issue, KARAT_REC_WRITE, n)];
        const uint16_t was = r->write.regno;
        r->write.regno = 30;
        SAYS(&s, WRITE_REGISTER,
             n ? "v30 is written; the instruction writes v9" : "v30 is written; the instruction writes v8");
        r->write.regno = was;
    }
    /* Something has become of the second one. */
    const size_t write = of(&s, issue, KARAT_REC_WRITE, 1);
    record wrong = {.audit = {.h = s.at[write].h, .cls = KARAT_V, .regno = 9, .mask = 15}};
    wrong.h.kind = KARAT_REC_AUDIT;
    size_t behind = nth(&s, KARAT_REC_EXIT, 0);
    wrong.h.cycle = s.at[behind].h.cycle;
    for (uint32_t lane = 0; lane < 4; lane++)
        wrong.audit.data[lane] = 3 + (lane == 2);
    stream_insert(&s, behind, &wrong);
    SAYS(&s, AUDIT, "which wrote v9 right: another write has hit it, or it was not kept");
}

/* --- Lanes: the thread mask at ISSUE, and the lanes of results and accesses --- */

TEST(issue_mask_kind) {
    FIXTURE;
    size_t i = issue_of(&s, 0, "vadd_vi", 0);
    s.at[i].issue.mask = 15; /* Under divergence */
    FAILS(&s, ISSUE_MASK, &s.at[i]);
}

TEST(write_lanes_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vadd_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    assert_int_equal(s.at[write].write.mask, 5); /* Masked by v0 */
    s.at[write].write.mask = 7;
    FAILS(&s, WRITE_LANES, &s.at[issue]);
    s.at[write].write.mask = 15; /* The mask is ignored */
    FAILS(&s, WRITE_LANES, &s.at[issue]);
    s.at[write].write.mask = 10; /* The mask inverted */
    FAILS(&s, WRITE_LANES, &s.at[issue]);
}

TEST(mem_lanes_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "sw", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.mask = 3;
    s.at[mem].mem.addr[1] = s.at[mem].mem.addr[0];
    s.at[mem].mem.bytes[0] = 0xff;
    FAILS(&s, MEM_LANES, &s.at[issue]);
    s.at[mem].mem.bytes[0] = 0x0f; /* In the mask, without a byte */
    FAILS(&s, MEM_LANES, &s.at[issue]);
}

/* An access by a lane that makes none, to where another one's goes. */
TEST(access_by_the_lane_before) {
    program p = begin_program("vand_vi 6 1 1 1; vmseq_vi 0 6 0 1");
    put(&p, "vlse32_v", 20, 10, 0, 0); /* Even lanes, the same word */
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

RUN_TESTS("write")
