/* ISSUE: pc, word, prefix, sequence, and the registers that a core with interlocks waits for. */
#include "judge.h"

#include <stdio.h>

TEST(issue_pc_kind) {
    FIXTURE;
    size_t branch = issue_of(&s, 0, "bne", 0), next = after(&s, branch, KARAT_REC_ISSUE);
    record at = record_at(&s, branch); /* The instruction that went to the wrong place */
    ONCE(s.at[next].issue.pc -= 4, ISSUE_PC, &at);
    size_t first = nth(&s, KARAT_REC_ISSUE, 0); /* None before it: the instruction itself */
    at = record_at(&s, first);
    s.at[first].issue.pc += 4;
    FAILS(&s, ISSUE_PC, &at);
}

TEST(issue_word_kind) {
    FIXTURE;
    size_t i = issue_of(&s, 1, "vadd_vx", 2);
    s.at[i].issue.word ^= 1u << 7;
    record at = record_at(&s, i);
    at.issue.word ^= 1u << 7;
    FAILS(&s, ISSUE_WORD, &at);
}

TEST(issue_prefix_kind) {
    FIXTURE;
    size_t i = 0;
    while (s.at[i].h.kind != KARAT_REC_ISSUE || s.at[i].issue.prefix_kind != KARAT_PREFIX_WORD)
        i++;
    record at = record_at(&s, i);
    s.at[i].issue.prefix ^= 1u << 20;
    FAILS(&s, ISSUE_PREFIX, &at);
    s.at[i] = at;
    s.at[i].issue.prefix_kind = KARAT_PREFIX_NONE;
    FAILS(&s, ISSUE_PREFIX, &at);
    s.at[i].issue.prefix_kind = KARAT_PREFIX_UNKNOWN;
    PASSES(&s);
    FIXTURE_AGAIN;
    i = nth(&s, KARAT_REC_ISSUE, 4);
    s.at[i].issue.prefix_kind = KARAT_PREFIX_WORD; /* A prefix where there is none */
    FAILS(&s, ISSUE_PREFIX, &s.at[i]);
    s.at[i].issue.prefix = 0x0000200b;
    FAILS(&s, ISSUE_PREFIX, &s.at[i]);
    s.at[i].issue.prefix_kind = KARAT_PREFIX_NONE; /* The field says nothing then */
    PASSES(&s);
}

TEST(issue_seq_kind) {
    FIXTURE;
    size_t i = issue_of(&s, 0, "vadd_vx", 2);
    record before = record_at(&s, issue_of(&s, 0, "bne", 0));
    ONCE(s.at[i].issue.seq++, ISSUE_SEQ, &before);
    record again = before;
    again.h.cycle = s.at[i].h.cycle;
    stream_insert(&s, i, &again);
    FAILS(&s, ISSUE_SEQ, &before);
}

TEST(issue_ended_kind) {
    FIXTURE;
    size_t exit = nth(&s, KARAT_REC_EXIT, 0), last = issue_of(&s, s.at[exit].h.slot, "endprg", 0);
    record at = record_at(&s, last), more = at;
    more.issue.seq++;
    more.issue.pc += 4;
    stream_insert(&s, exit + 1, &more); /* After EXIT */
    FAILS(&s, ISSUE_ENDED, &at);
    stream_remove(&s, exit + 1);
    stream_insert(&s, exit, &more); /* After ENDPRG */
    FAILS(&s, ISSUE_ENDED, &at);
}

TEST(issue_barrier_kind) {
    FIXTURE;
    size_t barrier = issue_of(&s, 0, "barrier", 0);
    size_t release = barrier;
    while (s.at[release].h.kind != KARAT_REC_BARRIER || s.at[release].barrier.action != KARAT_BARRIER_RELEASE)
        release++;
    record at = record_at(&s, barrier), gone = record_at(&s, release);
    stream_remove(&s, release);
    size_t next = barrier;
    while (s.at[next].h.kind != KARAT_REC_ISSUE || s.at[next].h.cycle < gone.h.cycle)
        next++;
    at = record_at(&s, issue_of(&s, s.at[next].h.slot, "barrier", 0));
    FAILS(&s, ISSUE_BARRIER, &at);
    stream_free(&s);
    /* Where the core does not say when it releases: the model knows who waits. */
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_BARRIER);
    s = run_fixture(&o);
    PASSES(&s);
    barrier = issue_of(&s, 0, "barrier", 0);
    at = record_at(&s, barrier);
    move(&s, after(&s, barrier, KARAT_REC_ISSUE), barrier + 1);
    FAILS(&s, ISSUE_BARRIER, &at);
}

/* A core that says it waits for pending writes: others may be pending, those of the instruction's
 * registers not. */
TEST(interlocked) {
    for (int forwards = 0; forwards < 2; forwards++) {
        core_options o = fixture_options();
        o.max_delay = 9;
        o.forwards = forwards != 0;
        scoped_stream s = run_fixture(&o);
        PASSES(&s);
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
        if (forwards)
            SAYS(&s, WRITE_MISSING, "is still pending where seq");
        else
            PASSES(&s);
    }
}

/* A core that waits for the registers of an instruction: for each that it names, and for no other. */
TEST(interlocked_by_each_operand) {
    static const struct {
        const char *row;
        int32_t operands[4], num;
        bool names; /* x13 */
    } users[] = {{"add", {14, 13, 5}, 3, true}, {"add", {14, 5, 13}, 3, true},
                 {"add", {13, 5, 5}, 3, true},  {"add", {14, 5, 5}, 3, false},
                 {"vmv_v_x", {8, 13}, 2, true}, {"vadd_vv", {13, 13, 13, 1}, 4, false}};
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        program p = begin_program("add 5 0 0; vadd_vv 13 1 1 1; mul 13 7 7");
        put_row(&p, users[i].row, users[i].operands, (size_t)users[i].num);
        put0(&p, "endprg");
        core_options o = one_warp_options();
        o.audit_percent = 0;
        o.gives &= ~(1u << KARAT_REC_READ);
        o.max_delay = 9;
        scoped_stream s = run_program(&p, &o);
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
        PASSES(&s);
        const size_t mul = issue_of(&s, ANY, "mul", 1), next = after(&s, mul, KARAT_REC_ISSUE);
        record at = s.at[mul];
        move(&s, of(&s, mul, KARAT_REC_WRITE, 0), next + 1);
        if (users[i].names)
            FAILS(&s, WRITE_MISSING, &at);
        else
            PASSES(&s);
    }
}

RUN_TESTS("issue")
