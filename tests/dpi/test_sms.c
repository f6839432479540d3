/* A core of several SMs: their slots, barriers and ranges are apart, and a failure names the right one. */
#include "judge.h"

#include <string.h>

/* Two SMs with one workgroup of the fixture's program each, both at the same time. */
static stream two_sms(void) {
    core_options o = fixture_options();
    o.num_sm = 2;
    stream s = run_fixture(&o);
    PASSES(&s);
    return s;
}

/* The nth record of that kind on that SM. */
static size_t on(const stream *s, uint8_t sm, unsigned kind, uint32_t n) {
    for (size_t i = 0; i < s->num; i++)
        if (s->at[i].h.kind == kind && s->at[i].h.sm == sm && n-- == 0)
            return i;
    fail_msg("SM %u has no such %s", sm, karat_rec_name(kind));
    return 0;
}

/* The nth BARRIER of that action on that SM. */
static size_t barrier_on(const stream *s, uint8_t sm, uint32_t action, uint32_t n) {
    for (size_t i = 0; i < s->num; i++)
        if (s->at[i].h.kind == KARAT_REC_BARRIER && s->at[i].h.sm == sm &&
            s->at[i].barrier.action == action && n-- == 0)
            return i;
    fail_msg("no such BARRIER on SM %u", sm);
    return 0;
}

TEST(ranges_are_of_an_sm) {
    scoped_stream s = two_sms();
    /* Both SMs use the same slots and registers; let their workgroups have the same LDS and number as well.
     */
    uint32_t lds = s.at[on(&s, 0, KARAT_REC_LAUNCH, 0)].launch.lds_base;
    uint32_t wgid = s.at[on(&s, 0, KARAT_REC_LAUNCH, 0)].launch.csr[KARAT_CSR_WGID];
    for (uint32_t n = 0; n < 2; n++) {
        karat_rec_launch *first = &s.at[on(&s, 0, KARAT_REC_LAUNCH, n)].launch;
        karat_rec_launch *second = &s.at[on(&s, 1, KARAT_REC_LAUNCH, n)].launch;
        assert_int_equal(first->h.slot, second->h.slot);
        assert_int_equal(first->vgpr_base, second->vgpr_base);
        assert_int_not_equal(first->workgroup, second->workgroup);
        second->lds_base = lds;
        second->csr[KARAT_CSR_WGID] = wgid;
    }
    assert_true(on(&s, 1, KARAT_REC_LAUNCH, 1) < on(&s, 0, KARAT_REC_EXIT, 0)); /* All at the same time */
    PASSES(&s);
    size_t i = on(&s, 1, KARAT_REC_LAUNCH, 1);
    s.at[i].launch.vgpr_base = s.at[on(&s, 1, KARAT_REC_LAUNCH, 0)].launch.vgpr_base + 1;
    FAILS(&s, LAUNCH, &s.at[i]);
}

TEST(barriers_are_of_an_sm) {
    scoped_stream s = two_sms();
    size_t release = barrier_on(&s, 1, KARAT_BARRIER_RELEASE, 0);
    record other = s.at[release], at = s.at[on(&s, 0, KARAT_REC_LAUNCH, 0)];
    /* The warps with those numbers on the other SM are released as well, and wait at nothing. */
    other.h.sm = 0;
    size_t left = barrier_on(&s, 0, KARAT_BARRIER_RELEASE, 0);
    assert_true(release < barrier_on(&s, 0, KARAT_BARRIER_ARRIVE, 0) ||
                (left < release && release < barrier_on(&s, 0, KARAT_BARRIER_ARRIVE, 2)));
    stream_insert(&s, release, &other);
    FAILS(&s, BARRIER_UNEXPECTED, &at);
    /* An arrival there does not count here. */
    stream_free(&s);
    s = two_sms();
    size_t second = barrier_on(&s, 1, KARAT_BARRIER_ARRIVE, 1);
    release = barrier_on(&s, 1, KARAT_BARRIER_RELEASE, 0);
    assert_true(second < release);
    record early = s.at[release];
    early.h.cycle = s.at[second].h.cycle;
    early.barrier.warps = 1u << s.at[barrier_on(&s, 1, KARAT_BARRIER_ARRIVE, 0)].h.slot;
    stream_insert(&s, second, &early);
    scoped_outcome o = judge(&s);
    assert_int_equal(o.verdict, KARAT_MISMATCH);
    assert_non_null(strstr(o.line, text_of_kind("BARRIER_EARLY")));
    assert_non_null(strstr(o.text, "(sm 1 slot"));
    assert_non_null(strstr(o.text, "1 of 2 warps have arrived"));
}

/* The host writes a CSR of that slot on that SM, in front of an instruction that reads it. */
TEST(host_csr_of_an_sm) {
    scoped_stream s = two_sms();
    size_t issue = on(&s, 1, KARAT_REC_ISSUE, 0);
    while (s.at[issue].h.kind != KARAT_REC_ISSUE || s.at[issue].h.sm != 1 ||
           (s.at[issue].issue.word & 0xfff0707f) != 0x80b01073) /* Csrrw x15, print, x13 */
        issue++;
    record host = {.hostcsr = {.h = s.at[issue].h, .addr = 0x80b, .value = 123}};
    host.h.kind = KARAT_REC_HOSTCSR;
    stream_insert(&s, issue, &host);
    record at = s.at[issue + 1];
    FAILS(&s, WRITE_VALUE, &at); /* The core says 0 */
    stream_remove(&s, issue);
    for (size_t i = 0; i < s.num; i++) /* The other SM's warp has read it already */
        if (s.at[i].h.kind == KARAT_REC_EXIT && s.at[i].h.sm == 0 && s.at[i].h.slot == host.h.slot) {
            host.h = s.at[i].h;
            host.h.kind = KARAT_REC_HOSTCSR;
            stream_insert(&s, issue = i, &host);
            break;
        }
    assert_int_equal(s.at[issue].h.sm, 0);
    PASSES(&s);
    s.at[issue].h.sm = 2;
    FAILS(&s, STREAM, NULL);
}

RUN_TESTS("sms")
