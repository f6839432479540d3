/* AUDIT: what registers hold. */
#include "judge.h"

#include <string.h>

static record audit_of(const stream *s, size_t write) {
    record r = {
        .audit = {.h = s->at[write].h, .regno = s->at[write].write.regno, .cls = s->at[write].write.cls}};
    r.h.kind = KARAT_REC_AUDIT;
    r.audit.mask = r.audit.cls == KARAT_X ? 1 : 15;
    memcpy(r.audit.data, s->at[write].write.data, sizeof r.audit.data);
    return r;
}

/* A WRITE of no lane, and the register has changed: its instruction is at fault, unless the one before it
 * may be, whose result no AUDIT has shown, or no record says whose that WRITE was, or it was of another
 * register. */
static void audit_behind_an_empty_write(void) {
    for (int how = 0; how < 4; how++) {
        const bool seen = how != 0, named = how == 1;
        FIXTURE;
        size_t issue = issue_of(&s, 0, "vand_vi", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
        size_t next = after(&s, write, KARAT_REC_ISSUE);
        record audit = audit_of(&s, write), empty = record_at(&s, write),
               at = record_at(&s, named ? next : issue);
        empty.write.mask = 0;
        empty.write.seq = s.at[next].issue.seq;
        empty.write.cls = how == 3 ? KARAT_X : KARAT_V; /* x6 is not v6 */
        empty.write.match = how == 2 ? KARAT_MATCH_OTHER : KARAT_MATCH_SEQ;
        empty.h.cycle = audit.h.cycle = s.at[next].h.cycle;
        stream_insert(&s, next + 1, &audit);
        stream_insert(&s, next + 1, &empty);
        stream_insert(&s, next + 1, &audit);
        for (size_t i = s.num; i-- > write && !seen;) /* AUDITs of that register before the empty WRITE */
            if (i <= next + 1 && s.at[i].h.kind == KARAT_REC_AUDIT && s.at[i].audit.cls == audit.audit.cls &&
                s.at[i].audit.regno == audit.audit.regno) {
                stream_remove(&s, i);
                next -= i <= next;
            }
        PASSES(&s);
        size_t last = next + (seen ? 3 : 2);
        assert_int_equal(s.at[last].h.kind, KARAT_REC_AUDIT);
        s.at[last].audit.data[3] ^= 1;
        FAILS(&s, AUDIT, &at);
        scoped_outcome o = judge(&s);
        assert_non_null(strstr(o.text, named ? "was of no lane" : "which wrote v6 right"));
    }
}

TEST(audit_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    record at = record_at(&s, issue), audit = audit_of(&s, write);
    stream_insert(&s, write + 1, &audit);
    PASSES(&s);
    ONCE(s.at[write + 1].audit.data[3] ^= 1, AUDIT, &at);
    memset(audit.audit.data, 0, sizeof audit.audit.data);
    stream_insert(&s, write, &audit); /* The write is pending: the old value is right */
    PASSES(&s);
    memcpy(s.at[write].audit.data, s.at[write + 1].write.data, sizeof audit.audit.data);
    record warp = record_at(&s, write);
    FAILS(&s, AUDIT,
          &warp); /* The new value is wrong; nothing has landed there yet, so no instruction is named */
    FIXTURE_AGAIN;
    record part = record_at(&s, write); /* Two lanes have landed, two have not */
    part.write.mask = 3;
    s.at[write].write.mask = 12;
    audit.audit.data[0] = part.write.data[0];
    audit.audit.data[1] = part.write.data[1];
    stream_insert(&s, write, &audit);
    stream_insert(&s, write, &part);
    PASSES(&s);
    FIXTURE_AGAIN;
    audit.audit = (karat_rec_audit){.h = audit.h, .mask = 1}; /* x0 */
    stream_insert(&s, write, &audit);
    PASSES(&s);
    s.at[write].audit.data[0] = 1;
    FAILS(&s, AUDIT, &warp);
    s.at[write].audit.data[0] = 0;
    s.at[write].audit.mask = 3;
    FAILS(&s, AUDIT, &warp);
    s.at[write].audit.mask = 1;
    s.at[write].audit.regno = 64;
    FAILS(&s, AUDIT, &warp);
    stream_free(&s);
    audit_behind_an_empty_write();
    /* A LAUNCH whose registers AUDIT reports: all but x0, which is 0 whatever it says. */
    core_options o = fixture_options();
    o.regs = KARAT_REGS_AUDIT;
    s = run_fixture(&o);
    PASSES(&s);
    warp = record_at(&s, nth(&s, KARAT_REC_AUDIT, 0));
    assert_int_equal(warp.audit.regno, 0);
    s.at[nth(&s, KARAT_REC_AUDIT, 0)].audit.data[0] = 1;
    FAILS(&s, AUDIT, &warp);
}

/* An AUDIT may report the first contents of registers. */
TEST(registers_by_audit) {
    core_options o = fixture_options();
    o.regs = KARAT_REGS_AUDIT;
    scoped_stream s = run_fixture(&o);
    PASSES(&s);
}

RUN_TESTS("audit")
