/* Warps that get no further, and waiting that is no hang. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* All warps have ended, and neither BYE nor a further KERNEL comes: the core has not said that it is done. */
static void end_not_reported(void) {
    FIXTURE;
    cut(&s, s.num - 1);
    uint64_t last = 0;
    for (size_t i = 0; i < s.num; i++)
        if (s.at[i].h.kind == KARAT_REC_EXIT)
            last = s.at[i].h.cycle;
    karat_checker *c = replay(&s, NULL);
    assert_false(karat_checker_tick(c, last + HANG_CYCLES));
    assert_int_equal(karat_checker_verdict(c), KARAT_INCOMPLETE);
    karat_checker_destroy(c);
    FAILS_AT(&s, last + HANG_CYCLES + 1, HANG, NULL);
    FIXTURE_AGAIN;
    s.at[s.num - 1].h.cycle +=
        2 * HANG_CYCLES; /* Reported late, but reported: nothing is wrong with the core's work */
    PASSES(&s);
}

TEST(hang_kind) {
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    scoped_stream s = run_fixture(&o);
    size_t issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    uint64_t cycle = s.at[issue].h.cycle;
    record at = record_at(&s, issue);
    cut(&s, write); /* Its write is pending */
    FAILS_AT(&s, cycle + HANG_CYCLES + 5, HANG, &at);
    end_not_reported();
}

/* Who says nothing else waits for 100,000 cycles. */
TEST(default_patience) {
    scoped_stream s = fixture();
    cut(&s, issue_of(&s, 0, "vadd_vx", 2));
    karat_check_config config = judge_config();
    karat_check_config usual;
    karat_check_config_default(&usual);
    config.hang_cycles = usual.hang_cycles;
    scoped_checker *c = replay(&s, &config);
    const uint64_t last = s.at[s.num - 1].h.cycle;
    assert_false(karat_checker_tick(c, 100000));
    assert_true(karat_checker_tick(c, last + 100001));
    assert_int_equal(karat_checker_verdict(c), KARAT_HANG);
}

static stream one_warp(void) {
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    return run_fixture(&o);
}

static uint64_t last_cycle(const stream *s) {
    return s->at[s->num - 1].h.cycle;
}

static void expect_text(const stream *s, uint64_t tick, const char *text) {
    karat_checker *c = replay(s, NULL);
    karat_checker_tick(c, tick);
    scoped_outcome o = conclude(c);
    if (!strstr(o.text, text))
        fail_msg("no '%s' in\n%s", text, o.text);
}

static void expect_no_verdict(const stream *s, uint64_t tick) {
    scoped_checker *c = replay(s, NULL);
    assert_false(karat_checker_tick(c, tick));
    assert_int_equal(karat_checker_verdict(c), KARAT_INCOMPLETE);
}

TEST(warp_with_pending) {
    static const struct {
        const char *row;
        unsigned kind;
        const char *waits;
    } pending[] = {
        {"mul", KARAT_REC_WRITE, "waits for the write of x5"},
        {"vsw12_v", KARAT_REC_MEM,
         "waits for 16 bytes of its memory accesses, lanes 0000000f, first lane 0 at 0x9000"},
        {"vblt", KARAT_REC_SIMT, "waits for its SIMT outcome"},
        {"csrrw", KARAT_REC_CSR, "its write of CSR print"},
        {"barrier", KARAT_REC_BARRIER, "its arrival at the barrier"},
    };
    for (size_t i = 0; i < sizeof pending / sizeof *pending; i++) {
        scoped_stream s = one_warp();
        size_t issue = issue_of(&s, 0, pending[i].row, 0);
        record at = s.at[issue];
        cut(&s, of(&s, issue, pending[i].kind, 0));
        if (s.at[s.num - 1].h.kind == KARAT_REC_WRITE) /* Csrrw: either comes first */
            at = s.at[issue];
        uint64_t cycle = last_cycle(&s);
        expect_no_verdict(&s, cycle + HANG_CYCLES); /* The bound itself is not too long */
        FAILS_AT(&s, cycle + HANG_CYCLES + 1, HANG, &at);
        expect_text(&s, cycle + HANG_CYCLES + 1, pending[i].waits);
    }
    scoped_stream s = one_warp(); /* The end of the warp */
    record at = s.at[issue_of(&s, 0, "endprg", 0)];
    cut(&s, nth(&s, KARAT_REC_EXIT, 0));
    FAILS_AT(&s, last_cycle(&s) + HANG_CYCLES + 1, HANG, &at);
    expect_text(&s, last_cycle(&s) + HANG_CYCLES + 1, "the end of the warp");
}

/* A load without an answer: which lanes memory has not served, and what the instruction after it waits
 * for, as source, as destination and with a prefix before it. */
TEST(account_of_a_load) {
    static const struct {
        const char *row;
        bool prefix;
        const char *next;
    } behind[] = {
        {"vadd_vi", false, "; next is seq 17 0x80000044 vadd.vi v11, v10, 3, which waits for v10 of seq 16"},
        {"vadd_vi", true,
         "; next is seq 17 0x80000048 vadd.vi v43, v10, 3  {regext}, which waits for v10 of seq 16"},
        {"vmv_v_i", false, "; next is seq 17 0x80000044 vmv.v.i v10, 3, which waits for v10 of seq 16"},
        {"addi", false,
         "; next is seq 17 0x80000044 addi x11, x10, 3, whose registers have no write pending"},
    };
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        program p = begin_program("vlw12_v 10 0 3");
        if (behind[i].prefix)
            put(&p, "regext", 0, 0, 0, 1);
        if (strcmp(behind[i].row, "vmv_v_i") == 0)
            put(&p, "vmv_v_i", 10, 3);
        else if (strcmp(behind[i].row, "addi") == 0)
            put(&p, "addi", 11, 10, 3);
        else
            put(&p, "vadd_vi", 11, 10, 3, 1);
        put0(&p, "endprg");
        core_options o = fixture_options();
        o.workgroups = o.wg_size = 1;
        o.split = false;
        scoped_stream s = run_program(&p, &o);
        size_t issue = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
        char text[200];
        cut(&s, mem + 1);
        stream_remove(&s, of(&s, issue, KARAT_REC_WRITE, 0));
        mem = of(&s, issue, KARAT_REC_MEM, 0);
        uint64_t late = last_cycle(&s) + HANG_CYCLES + 1;
        snprintf(text, sizeof text,
                 " waits for the write of v10, lanes 0000000f; its memory accesses were performed, the last "
                 "in cycle %" PRIu64 "%s",
                 s.at[mem].h.cycle, behind[i].next);
        expect_text(&s, late, text);
        s.at[mem].mem.mask = 5;
        snprintf(
            text, sizeof text,
            ", and memory for 8 bytes of its memory accesses, lanes 0000000a, first lane 1 at 0x%08" PRIx32
            "%s",
            s.at[mem].mem.addr[1], behind[i].next);
        expect_text(&s, late, text);
    }
}

/* The oldest pending completion is named, not the instruction that came last. */
TEST(warp_with_old_pending) {
    scoped_stream s = one_warp();
    size_t issue = issue_of(&s, 0, "vsw12_v", 0);
    record at = s.at[issue];
    stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
    cut(&s, issue_of(&s, 0, "vmv_v_i", 1) + 1);
    FAILS_AT(&s, last_cycle(&s) + HANG_CYCLES + 1, HANG, &at);
}

TEST(warp_that_could_issue) {
    scoped_stream s = one_warp();
    size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    record at = s.at[issue];
    cut(&s, after(&s, issue, KARAT_REC_ISSUE));
    uint64_t late = last_cycle(&s) + HANG_CYCLES + 1;
    FAILS_AT(&s, late, HANG, &at);
    expect_text(&s, late, "has nothing pending and could issue seq ");
    char found[64];
    snprintf(found, sizeof found, ", found in cycle %" PRIu64 ",", late);
    expect_text(&s, late, found);
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 0) + 1); /* Not even its first */
    FAILS_AT(&s, late, HANG, &s.at[s.num - 1]);
}

/* Its registers' contents, an empty result and an access to nothing are no progress of a warp: it hangs
 * anyway. A READ is of an instruction. */
TEST(signs_of_no_life) {
    scoped_stream s = one_warp();
    const size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    record r[5] = {[4] = s.at[of(&s, issue, KARAT_REC_READ, 0)]};
    cut(&s, after(&s, issue, KARAT_REC_ISSUE));
    for (uint32_t i = 0; i < 4; i++)
        r[i].h = s.at[s.num - 1].h;
    r[0].h.kind = KARAT_REC_AUDIT; /* x0 is 0 */
    r[0].audit.mask = 1;
    r[1].h.kind = KARAT_REC_WRITE; /* Of x0 */
    r[1].write.mask = 1;
    r[2].h.kind = KARAT_REC_WRITE; /* Of no lane */
    r[2].write.regno = 5;
    r[3].h.kind = KARAT_REC_MEM;
    const uint64_t last = last_cycle(&s);
    for (uint32_t i = 0; i < 5; i++) {
        karat_check_config config = judge_config();
        scoped_checker *c = replay(&s, &config);
        r[i].h.cycle = last + HANG_CYCLES;
        assert_false(karat_checker_record(c, &r[i], karat_rec_size(r[i].h.kind)));
        assert_int_equal(karat_checker_tick(c, last + HANG_CYCLES + 1), i < 4);
        assert_string_equal(kind_of(c), i < 4 ? "HANG" : "NONE");
    }
}

static size_t release_of(const stream *s) {
    size_t i = nth(s, KARAT_REC_BARRIER, 0);
    while (s->at[i].h.kind != KARAT_REC_BARRIER || s->at[i].barrier.action != KARAT_BARRIER_RELEASE)
        i++;
    return i;
}

TEST(barrier_never_released) {
    scoped_stream s = fixture();
    size_t first = nth(&s, KARAT_REC_BARRIER, 0);
    record at = s.at[issue_of(&s, s.at[first].h.slot, "barrier", 0)];
    cut(&s, release_of(&s));
    uint64_t late = last_cycle(&s) + HANG_CYCLES + 1;
    FAILS_AT(&s, late, HANG, &at);
    expect_text(&s, late, "waits to be released from a barrier at which all have arrived");
}

/* A warp waits at a barrier for longer than the bound, while the other runs: no hang. */
TEST(waiting_is_no_hang) {
    for (int given = 0; given < 2; given++) {
        core_options o = fixture_options();
        o.workgroups = 1;
        if (!given)
            o.gives &= ~(1u << KARAT_REC_BARRIER);
        scoped_stream s = run_fixture(&o);
        size_t here = issue_of(&s, 0, "barrier", 0), there = issue_of(&s, 1, "barrier", 0);
        size_t from = here < there ? here : there, to = here < there ? there : here;
        uint32_t waiting = s.at[from].h.slot;
        /* The other one's last instructions before the barrier take their time. */
        for (size_t i = to; i < s.num; i++)
            s.at[i].h.cycle += 20 * HANG_CYCLES;
        karat_check_config config = judge_config();
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i < s.num; i++) {
            if (i == to) {
                size_t again =
                    to; /* A sign of life of the other warp: its last instruction reads once more */
                while (s.at[again].h.kind != KARAT_REC_READ || s.at[again].h.slot != s.at[to].h.slot ||
                       s.at[again].h.sm != s.at[to].h.sm)
                    again--;
                record touch = s.at[again];
                assert_int_equal(touch.read.seq + 1, s.at[to].issue.seq);
                for (uint64_t cycle = s.at[to - 1].h.cycle; cycle < s.at[to].h.cycle; cycle += HANG_CYCLES) {
                    touch.h.cycle = cycle;
                    assert_false(karat_checker_record(c, &touch, karat_rec_size(KARAT_REC_READ)));
                    assert_false(karat_checker_tick(c, cycle));
                }
            }
            karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
        }
        scoped_outcome out = conclude(c);
        assert_int_not_equal(waiting, s.at[to].h.slot);
        if (out.verdict != KARAT_PASS)
            fail_msg("%s\n%s", out.line, out.text);
    }
}

TEST(never_launched) {
    core_options o = fixture_options();
    o.num_warp = 2;
    scoped_stream s = run_fixture(&o);
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 2)); /* The second workgroup, the first having ended */
    FAILS_AT(&s, last_cycle(&s) + HANG_CYCLES + 1, HANG, NULL);
    expect_text(&s, last_cycle(&s) + HANG_CYCLES + 1, "2 of 4 warps were never launched");
    expect_no_verdict(&s, last_cycle(&s) + HANG_CYCLES);
    stream_free(&s);

    o.workgroups = 1; /* One warp of a workgroup: the other waits for it at a barrier */
    s = run_fixture(&o);
    for (size_t k = s.num; k-- > 0;)
        if (s.at[k].h.slot == 1)
            stream_remove(&s, k);
    cut(&s, nth(&s, KARAT_REC_BARRIER, 0) + 1);
    FAILS_AT(&s, last_cycle(&s) + HANG_CYCLES + 1, HANG, NULL);
    expect_text(&s, last_cycle(&s) + HANG_CYCLES + 1, "1 of 2 warps were never launched");
    expect_text(&s, last_cycle(&s) + HANG_CYCLES + 1,
                "waits at a barrier: of workgroup 0 warp 0 arrived, warp 1 missing");
    expect_no_verdict(&s, last_cycle(&s) + HANG_CYCLES);
}

TEST(hang_at_bye) {
    scoped_stream s = one_warp();
    size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    record at = s.at[issue], bye = s.at[s.num - 1];
    cut(&s, of(&s, issue, KARAT_REC_WRITE, 0));
    bye.h.cycle = last_cycle(&s) + HANG_CYCLES + 1;
    bye.bye.reason = KARAT_BYE_CYCLE_LIMIT;
    stream_add(&s, &bye, sizeof bye);
    FAILS(&s, HANG, &at);
    s.at[s.num - 1].h.cycle--; /* Not yet */
    FAILS(&s, INCOMPLETE, NULL);
}

/* Twenty warps that hang: sixteen lines, and how many more there are. */
TEST(many_hang) {
    for (uint32_t num = 15; num <= 20; num++) {
        program p = begin_program("endprg");
        core_options o = core_default();
        o.num_warp = 20;
        o.workgroups = num;
        o.wg_size = 1;
        o.uncounted = true;
        scoped_stream s = run_program(&p, &o);
        cut(&s, nth(&s, KARAT_REC_EXIT, 0));
        karat_checker *c = replay(&s, NULL);
        assert_true(karat_checker_tick(c, s.at[s.num - 1].h.cycle + HANG_CYCLES + 1));
        uint32_t lines = 1;
        for (const char *t = detail_of(c); *t; t++)
            lines += *t == '\n';
        char more[40];
        snprintf(more, sizeof more, "\nand %u more live warps", num - 16);
        assert_int_equal(lines, num <= 16 ? num : 17);
        assert_int_equal(strstr(detail_of(c), more) != NULL, num > 16);
        scoped_outcome out = conclude(c);
    }
}

/* The stream up to record i, then nothing: the words of the hang, which hold that text; or that it holds
 * it not. */
static void hangs_saying(const char *file, int line, const stream *s, size_t i, bool says, const char *text) {
    scoped_stream copy = stream_copy(s);
    cut(&copy, i);
    scoped_checker *c = replay(&copy, NULL);
    const bool stops = karat_checker_tick(c, copy.at[copy.num - 1].h.cycle + HANG_CYCLES + 1);
    if (!stops || strcmp(kind_of(c), "HANG") != 0 || (strstr(detail_of(c), text) != NULL) != says) {
        print_error("%s:%d: %s'%s':\n%s\n", file, line, says ? "not " : "", text, detail_of(c));
        _fail(file, line);
    }
}
#define HANGS(s, i, text)     hangs_saying(__FILE__, __LINE__, s, i, true, text)
#define HANGS_NOT(s, i, text) hangs_saying(__FILE__, __LINE__, s, i, false, text)

/* Of a load whose result is pending: whether memory has performed it, where MEM reports that. */
TEST(load_hangs) {
    for (uint32_t k = 0; k < 4; k++) {
        const bool mem = k & 1, barrier = k & 2;
        program p = begin_program("vlw12_v 10 0 3; vadd_vv 11 10 1 1; endprg");
        core_options o = one_workgroup_options(1);
        o.gives &= ~(mem ? 0 : 1u << KARAT_REC_MEM) & ~(barrier ? 0 : 1u << KARAT_REC_BARRIER);
        scoped_stream s = run_program(&p, &o);
        const size_t load = issue_of(&s, 0, "vlw12_v", 0);
        char text[200];
        snprintf(text, sizeof text, "vlw12.v v10, 0(v3) waits for the write of v10, lanes 0000000f%s",
                 mem ? ", and memory for 16 bytes of its memory accesses, lanes 0000000f, first lane 0 at 0x9"
                     : "; next is seq ");
        HANGS(&s, load + 1, text);
        HANGS(&s, load + 1, "vadd.vv v11, v10, v1, which waits for v10 of seq ");
        if (mem) {
            stream_remove(&s, of(&s, load, KARAT_REC_WRITE, 0));
            const size_t performed = of(&s, load, KARAT_REC_MEM, 0);
            snprintf(text, sizeof text,
                     "lanes 0000000f; its memory accesses were performed, the last in cycle %llu; next is ",
                     (unsigned long long)s.at[performed].h.cycle);
            HANGS(&s, performed + 1, text);
        } else
            HANGS_NOT(&s, load + 1, "memory");
    }
}

/* At a barrier, by BARRIER or by what the model knows; the next barrier while the others have still to
 * leave the last. */
TEST(barriers_hang) {
    program p = begin_program("barrier 0; barrier 0; endprg");
    core_options o = one_workgroup_options(2);
    o.gives &= ~(1u << KARAT_REC_BARRIER);
    scoped_stream s = run_program(&p, &o);
    size_t first = issue_of(&s, 0, "barrier", 0), second = issue_of(&s, 1, "barrier", 0);
    const size_t last = first > second ? first : second;
    HANGS(&s, last, "waits at a barrier for at least 1 of its workgroup's 2 warps");
    HANGS(&s, last, "has nothing pending and could issue seq ");
    stream_free(&s);
    o = one_workgroup_options(2);
    s = run_program(&p, &o);
    first = of(&s, issue_of(&s, 0, "barrier", 0), KARAT_REC_BARRIER, 0);
    second = of(&s, issue_of(&s, 1, "barrier", 0), KARAT_REC_BARRIER, 0);
    size_t release = first > second ? first : second;
    HANGS(&s, release, "waits at a barrier for 1 of its workgroup's 2 warps");
    while (s.at[release].h.kind != KARAT_REC_BARRIER || s.at[release].barrier.action != KARAT_BARRIER_RELEASE)
        release++;
    HANGS(&s, release, "waits to be released from a barrier at which all have arrived");
    /* Warp 0 is released alone, and comes to the next. */
    assert_int_equal(s.at[release].barrier.warps, 3);
    s.at[release].barrier.warps = 1;
    scoped_stream alone = stream_copy(&s);
    cut(&alone, release + 1);
    const size_t again = of(&s, issue_of(&s, 0, "barrier", 1), KARAT_REC_BARRIER, 0);
    for (size_t i = release + 1; i <= again; i++)
        if (s.at[i].h.slot == 0)
            stream_add(&alone, &s.at[i], karat_rec_size(s.at[i].h.kind));
    HANGS(&alone, alone.num, "workgroup 0 warp 1 (sm 0 slot 1");
    HANGS(&alone, alone.num, "waits to be released from a barrier at which all have arrived");
    HANGS(&alone, alone.num, "waits at a barrier for 1 of its workgroup's 2 warps");
}

/* More than fits: whole lines, and how many are left out. */
TEST(much_hangs) {
    program p = begin_program("vsetvli 13 0 0xd1; addi 12 0 4; regext 0 0 0 1; vlse32_v 8 10 12 1; "
                              "regext 0 1 1 1; vadd_vv 8 8 8 1; endprg");
    core_options o = one_workgroup_options(1);
    o.num_warp = o.workgroups = 16;
    scoped_stream s = run_program(&p, &o);
    size_t last = 0;
    for (uint32_t slot = 0; slot < 16; slot++) {
        const size_t at = issue_of(&s, slot, "vlse32_v", 0);
        last = at > last ? at : last;
    }
    scoped_stream some = {0};
    for (size_t i = 0; i <= last; i++) /* None goes on after that load */
        if (s.at[i].h.slot >= 16 || s.at[i].h.kind == KARAT_REC_HELLO || i < nth(&s, KARAT_REC_LAUNCH, 0) ||
            i <= issue_of(&s, s.at[i].h.slot, "vlse32_v", 0))
            stream_add(&some, &s.at[i], karat_rec_size(s.at[i].h.kind));
    karat_checker *c = replay(&some, NULL);
    assert_true(karat_checker_tick(c, some.at[some.num - 1].h.cycle + HANG_CYCLES + 1));
    assert_string_equal(kind_of(c), "HANG");
    uint32_t lines = 1;
    for (const char *t = detail_of(c); *t; t++)
        lines += *t == '\n';
    char more[40];
    snprintf(more, sizeof more, "\nand %u more live warps", 16 - (lines - 1));
    const char *tail = strrchr(detail_of(c), '\n');
    if (lines >= 16 || !tail || strcmp(tail, more) != 0)
        fail_msg("%u lines: %s", lines, detail_of(c));
    scoped_outcome out = conclude(c);
}

RUN_TESTS("hang")
