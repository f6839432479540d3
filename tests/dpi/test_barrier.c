/* BARRIER: arrivals and releases. */
#include "judge.h"

static size_t release_after(const stream *s, size_t i) {
    while (s->at[i].h.kind != KARAT_REC_BARRIER || s->at[i].barrier.action != KARAT_BARRIER_RELEASE)
        i++;
    return i;
}

/* Many barriers one after the other: each is released when all have come to it, not before. */
static void barrier_after_barrier(void) {
    program p = {.num = 0};
    for (int i = 0; i < 6; i++)
        put(&p, "barrier", 0);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.workgroups = 1;
    o.wg_size = o.num_warp = 3;
    stream s = run_program(&p, &o);
    PASSES(&s);
    stream_free(&s);
    for (uint32_t i = 0; i < 6; i++) {
        s = run_program(&p, &o);
        size_t last = 0;
        for (uint32_t slot = 0; slot < 3; slot++) {
            size_t arrive = of(&s, issue_of(&s, slot, "barrier", i), KARAT_REC_BARRIER, 0);
            last = arrive > last ? arrive : last;
        }
        size_t release = last;
        while (s.at[release].barrier.action != KARAT_BARRIER_RELEASE ||
               s.at[release].h.kind != KARAT_REC_BARRIER)
            release++;
        uint32_t early = s.at[last].h.slot ? 0 : 1;
        record at = record_at(&s, issue_of(&s, early, "barrier", i)), r = record_at(&s, release);
        r.h.cycle = s.at[last].h.cycle;
        r.barrier.warps = 1u << early;
        stream_insert(&s, last, &r);
        FAILS(&s, BARRIER_EARLY, &at);
        stream_free(&s);
    }
    o.release_singly = true; /* The first come again while the last wait to be let go */
    o.max_delay = 3;
    for (o.seed = 1; o.seed < 30; o.seed++) {
        s = run_program(&p, &o);
        PASSES(&s);
        stream_free(&s);
    }
}

TEST(barrier_early_kind) {
    barrier_after_barrier();
    FIXTURE;
    size_t first = nth(&s, KARAT_REC_BARRIER, 0), release = release_after(&s, first);
    record early = record_at(&s, release), at = record_at(&s, issue_of(&s, s.at[first].h.slot, "barrier", 0));
    early.h.cycle = s.at[first].h.cycle;
    early.barrier.warps = 1u << s.at[first].h.slot;
    stream_insert(&s, first + 1, &early);
    FAILS(&s, BARRIER_EARLY, &at);
    FIXTURE_AGAIN;
    record half = record_at(&s, release); /* One by one: legal */
    half.barrier.warps = 1;
    s.at[release].barrier.warps = 2;
    stream_insert(&s, release, &half);
    PASSES(&s);
    /* Warp 0 is released, comes to the next barrier and is released from it, all before warp 1 has been let
     * go. */
    scoped_stream early_bird = stream_copy(&s);
    cut(&early_bird, release + 1);
    size_t arrive = of(&s, issue_of(&s, 0, "barrier", 1), KARAT_REC_BARRIER, 0);
    for (size_t i = release + 2; i <= arrive; i++)
        if (s.at[i].h.slot == 0)
            stream_add(&early_bird, &s.at[i], sizeof s.at[i]);
    at = record_at(&s, issue_of(&s, 0, "barrier", 1));
    half.h.cycle = s.at[arrive].h.cycle;
    stream_add(&early_bird, &half, sizeof half);
    FAILS(&early_bird, BARRIER_EARLY, &at);
}

TEST(barrier_unexpected_kind) {
    FIXTURE;
    size_t arrive = nth(&s, KARAT_REC_BARRIER, 0), issue = issue_of(&s, s.at[arrive].h.slot, "barrier", 0);
    ONCE(stream_insert(&s, arrive, &s.at[arrive]), BARRIER_UNEXPECTED, &s.at[issue]);
    size_t release = release_after(&s, arrive);
    record warp = record_at(&s, nth(&s, KARAT_REC_LAUNCH, 0));
    ONCE(stream_insert(&s, release, &s.at[release]), BARRIER_UNEXPECTED, &warp);
    size_t load = issue_of(&s, 0, "vlw12_v", 0);
    record r = record_at(&s, arrive);
    r.h = s.at[load].h;
    r.h.kind = KARAT_REC_BARRIER;
    r.barrier.seq = s.at[load].issue.seq;
    stream_insert(&s, load + 1, &r);
    FAILS(&s, BARRIER_UNEXPECTED, &s.at[load]);
}

TEST(barrier_missing_kind) {
    FIXTURE;
    for (size_t i = s.num; i-- > 0;) /* A core whose BARRIER does nothing at all */
        if (s.at[i].h.kind == KARAT_REC_BARRIER)
            stream_remove(&s, i);
    size_t last = issue_of(&s, 1, "barrier", 0), first = issue_of(&s, 0, "barrier", 0);
    record at =
        record_at(&s, after(&s, last, KARAT_REC_ISSUE) < after(&s, first, KARAT_REC_ISSUE) ? last : first);
    FAILS(&s, BARRIER_MISSING, &at);
}

/* A store after a BARRIER and one of the other warp before it, both performed when their slots have other
 * warps. */
TEST(barrier_of_an_earlier_warp) {
    program p = begin_program("");
    put(&p, "bne", 7, 0, 8); /* Warp 0 stores before the barrier */
    put_code(&p, "sw 7 0 10; barrier 0");
    put(&p, "beq", 7, 0, 8); /* Warp 1 stores after the barrier */
    put_code(&p, "sw 7 4 10; endprg");
    core_options o = core_default();
    o.num_warp = 2;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    for (uint32_t late = 0; late < 2; late++) { /* The older store */
        scoped_stream s = run_program(&p, &o);
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
        PASSES(&s);
        const size_t older = of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0);
        move(&s, older, nth(&s, KARAT_REC_LAUNCH, 3) + 1);
        const size_t younger = of(&s, issue_of(&s, 1, "sw", 0), KARAT_REC_MEM, 0);
        move(&s, younger, nth(&s, KARAT_REC_LAUNCH, 3) + (late ? 1 : 2));
        if (late)
            SAYS(&s, MEM_ORDER, "which is ordered before it (rule: BARRIER)");
        else
            PASSES(&s);
    }
}

RUN_TESTS("barrier")
