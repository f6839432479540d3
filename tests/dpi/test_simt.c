/* SIMT: outcomes of branches and joins, and the stack. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

TEST(simt_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vblt", 0), simt = of(&s, issue, KARAT_REC_SIMT, 0);
    karat_rec_simt good = s.at[simt].simt;
    record at = record_at(&s, issue);
    assert_int_equal(good.depth, 2);
#define WRONG(change)                                                                                        \
    s.at[simt].simt = good;                                                                                  \
    change;                                                                                                  \
    FAILS(&s, SIMT, &at)
    WRONG(s.at[simt].simt.mask ^= 15); /* The other path first */
    WRONG(s.at[simt].simt.next_pc += 4);
    WRONG(s.at[simt].simt.depth = 1);
    WRONG(s.at[simt].simt.top_rpc += 4);
    WRONG(s.at[simt].simt.top_next += 4);
    WRONG(s.at[simt].simt.top_mask ^= 1);
#undef WRONG
    s.at[simt].simt.top_valid = 0; /* The entry is not given */
    PASSES(&s);
    FIXTURE_AGAIN;
    issue = issue_of(&s, 0, "vbeq", 0), simt = of(&s, issue, KARAT_REC_SIMT, 0);
    s.at[simt].simt.top_valid = 1; /* An entry of an empty stack */
    FAILS(&s, SIMT, &s.at[issue]);
}

TEST(simt_unexpected_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "join", 0), simt = of(&s, issue, KARAT_REC_SIMT, 0);
    stream_insert(&s, simt, &s.at[simt]);
    FAILS(&s, SIMT_UNEXPECTED, &s.at[issue]);
    s.at[simt + 1].simt.seq += 50;
    record warp = record_at(&s, simt);
    FAILS(&s, SIMT_UNEXPECTED, &warp);
    FIXTURE_AGAIN;
    issue = issue_of(&s, 0, "setrpc", 0);
    record r = record_at(&s, simt);
    r.h = s.at[issue].h;
    r.h.kind = KARAT_REC_SIMT;
    r.simt.seq = s.at[issue].issue.seq;
    stream_insert(&s, issue + 1, &r);
    FAILS(&s, SIMT_UNEXPECTED, &s.at[issue]);
}

TEST(simt_missing_kind) {
    FIXTURE;
    for (uint32_t slot = 0; slot <= 2;
         slot += 2) { /* A uniform one, too; found at the next LAUNCH, or at BYE */
        size_t issue = issue_of(&s, slot, "vbeq", 0);
        record at = record_at(&s, issue);
        ONCE(stream_remove(&s, of(&s, issue, KARAT_REC_SIMT, 0)), SIMT_MISSING, &at);
    }
}

/* A core that uses more of its SIMT stack than it has is counted. */
TEST(deep_stack_is_counted) {
    scoped_stream s = fixture();
    s.at[0].hello.stack_depth = 1;
    outcome o = judge(&s);
    assert_int_equal(o.verdict, KARAT_PASS);
    assert_true(count_of(&o, "deep") > 0);
    assert_non_null(strstr(o.line, " stack-overflow="));
    outcome_free(&o);
    for (uint16_t depth = 0; depth <= 2; depth += 2) { /* 0: it is not known */
        s.at[0].hello.stack_depth = depth;
        o = judge(&s);
        assert_int_equal(count_of(&o, "deep"), 0);
        outcome_free(&o);
    }
    const size_t issue = issue_of(&s, 0, "vblt", 0);
    s.at[0].hello.stack_depth = 1;
    s.at[of(&s, issue, KARAT_REC_SIMT, 0)].simt.top_rpc += 4; /* It is to blame, and not who set that pc */
    o = judge(&s);
    if (!strstr(o.text,
                "\n  cause     the SIMT stack: the program has made it 2 entries deep, and the core's has "
                "room for 1\n"))
        fail_msg("another cause in\n%s", o.text);
    outcome_free(&o);
}

/* AUDITs of the stack: each word that is given, of each entry; and what was right where it was pushed is
 * the JOIN's that shows it wrong. */
TEST(audited_stack) {
    FIXTURE;
    const size_t branch = issue_of(&s, 0, "vblt", 0), simt = of(&s, branch, KARAT_REC_SIMT, 0);
    const record at = record_at(&s, branch);
    const karat_rec_simt top = s.at[simt].simt;
    record entry = {.h = s.at[simt].h};
    entry.h.kind = KARAT_REC_AUDIT;
    entry.audit.cls = KARAT_STACK;
    static const char *const lines[] = {"rpc         core ", "next pc     core ", "mask        core ",
                                        "depth       core ", "thread mask core "};
    for (uint16_t i = 0; i < 2; i++) {
        const uint32_t words[] = {top.top_rpc, i ? top.top_rpc : top.top_next,
                                  i ? at.issue.mask : top.top_mask, top.depth, top.mask};
        entry.audit.regno = i;
        entry.audit.mask = 0x1f;
        memcpy(entry.audit.data, words, sizeof words);
        stream_insert(&s, simt + 1, &entry);
        karat_rec_audit *audit = &s.at[simt + 1].audit;
        PASSES(&s);
        for (unsigned word = 0; word < 5; word++) {
            audit->data[word] ^= 4;
            FAILS(&s, SIMT, &at);
            scoped_outcome o = judge(&s); /* That word alone is named, and lanes where threads differ */
            for (unsigned other = 0; other < 5; other++)
                assert_int_equal(strstr(o.text, lines[other]) != NULL, other == word);
            const json_t *failure = json_object_get(o.json, "failure");
            assert_int_equal(json_integer_value(json_object_get(failure, "lanes")), word == 4 ? 4 : 0);
            audit->mask ^= 1u << word; /* It is not given */
            PASSES(&s);
            audit->mask ^= 1u << word;
            audit->data[word] ^= 4;
        }
    }
    karat_rec_audit *audit = &s.at[simt + 1].audit;
    audit->regno = 2; /* There is no such entry */
    FAILS(&s, SIMT, &at);
    audit->mask = 0x18; /* No word of an entry is given */
    PASSES(&s);
    audit->mask = 0x38;
    FAILS(&s, AUDIT, &at);
    audit->mask = 0x1f;
    audit->regno = 1;
    const size_t join = issue_of(&s, 0, "join", 0);
    s.at[of(&s, join, KARAT_REC_SIMT, 0)].simt.top_next ^= 4;
    const record shows = s.at[join];
    FAILS(&s, SIMT, &shows);
}

/* Paths within a path, of eight lanes: 3 to 7 wait while 0 runs, then 1 and 2. Each JOIN that shows a
 * wrong entry leads to the VBRANCH that has pushed it, the inner one after a prefix. */
TEST(entries_of_nested_branches) {
    program p = begin_program("vadd_vi 6 1 5 1");
    put(&p, "vsrl_vi", 6, 6, 3, 1); /* Lanes from 3 on */
    put_code(&p, "vadd_vi 7 1 7 1; regext 0 0 0 1");
    put(&p, "vsrl_vi", 7, 7, 3, 1); /* v39: lanes from 1 on */
    put_code(&p, "vmv_v_i 10 0; auipc 5 0");
    put(&p, "addi", 5, 5, 4 * 11);
    put(&p, "setrpc", 0, 5, 0);
    put(&p, "vbne", 6, 10, 4 * 8);
    put(&p, "auipc", 5, 0);
    put(&p, "addi", 5, 5, 4 * 6);
    put_code(&p, "setrpc 0 5 0; regext 0 1 0 0; vbne 7 10 8; vadd_vi 8 1 1 1");
    put0(&p, "join"); /* Inner */
    put0(&p, "join"); /* Outer */
    put0(&p, "endprg");
    core_options o = core_default();
    o.wg_size = o.num_warp = 1;
    o.workgroups = 2; /* One after the other, in one slot */
    o.num_thread = 8;
    o.uncounted = true;
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t n = k % 2;
        uint32_t joins = 0, branches = 0; /* Of the first warp */
        while (k > 1 && !s.at[issue_of(&s, 0, "join", joins)].h.epoch)
            joins++;
        while (k > 1 && !s.at[issue_of(&s, 0, "vbne", branches)].h.epoch)
            branches++;
        const size_t join = issue_of(&s, 0, "join", joins + n),
                     branch = issue_of(&s, 0, "vbne", branches + 1 - n);
        record *r = &s.at[of(&s, join, KARAT_REC_SIMT, 0)];
        const record was = *r;
        assert_int_equal(r->simt.depth, 3 - n);
        r->simt.top_mask ^= 0x10;
        FAILS(&s, SIMT, &s.at[branch]);
        char said[100];
        snprintf(said, sizeof said, "\n  at        0x%08x  %s, v10, 0x", s.at[branch].issue.pc,
                 n ? "vbne v6" : "vbne v39");
        SAYS(&s, SIMT, said);
        snprintf(said, sizeof said, "issued in cycle %llu)", (unsigned long long)s.at[branch].h.cycle);
        SAYS(&s, SIMT, said);
        r->simt.mask ^= 0x21;
        FAILS(&s, SIMT, &s.at[join]);
        assert_int_equal(lanes_of(&s), 0x21);
        *r = was;
    }
}

/* A wrong pc after a JOIN: of the JOIN where nothing has shown where it goes to; else of whoever fetches. */
TEST(pc_behind_a_join) {
    for (int gives = 0; gives < 2; gives++) {
        core_options o = fixture_options();
        if (!gives)
            o.gives &= ~(1u << KARAT_REC_SIMT);
        scoped_stream s = run_fixture(&o);
        const size_t join = issue_of(&s, 0, "join", 0), next = after(&s, join, KARAT_REC_ISSUE);
        record right = s.at[next], at = s.at[gives ? next : join];
        s.at[next].issue.pc ^= 0x40;
        FAILS(&s, ISSUE_PC, &at);
        s.at[next] = right;
        const size_t second =
            after(&s, nth(&s, KARAT_REC_ISSUE, 0), KARAT_REC_ISSUE); /* Of the prologue: no branch */
        right = s.at[second];
        s.at[second].issue.pc ^= 0x40;
        FAILS(&s, ISSUE_PC, &right);
        s.at[second] = right;
        if (gives) { /* Its outcome comes later */
            move(&s, of(&s, join, KARAT_REC_SIMT, 0), next + 1);
            PASSES(&s);
            s.at[next - 1].issue.pc ^= 0x40;
            at = s.at[join];
            FAILS(&s, ISSUE_PC, &at);
        }
    }
}

RUN_TESTS("simt")
