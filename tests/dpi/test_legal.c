/* Legal streams of a core with any options: all pass, and are counted exactly. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NUM_SEEDS 400

static void random_program(program *p, uint64_t seed) {
    rng r = {seed};
    *p = (program){.num = 0};
    const bool barriers = rng_chance(&r, 70);
    put_everything(p, &r, 13 + rng_below(&r, 6), barriers);
}

static void expected_unchecked(const core_options *o, char *text, size_t size) {
    static const unsigned kinds[] = {KARAT_REC_READ, KARAT_REC_WRITE, KARAT_REC_AUDIT,   KARAT_REC_SIMT,
                                     KARAT_REC_CSR,  KARAT_REC_MEM,   KARAT_REC_BARRIER, KARAT_REC_EXIT};
    size_t used = (size_t)snprintf(text, size, " unchecked=");
    const char *separator = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!(o->gives >> kinds[i] & 1)) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", separator, karat_rec_name(kinds[i]));
            separator = ",";
        }
    /* The core reports no order of its accesses, and not that they all are in memory at the end. */
    const struct {
        bool missing;
        const char *word;
    } gaps[] = {{(o->gives >> KARAT_REC_MEM & 1) != 0, "mem-order"},
                {(o->write_match == KARAT_MATCH_OTHER && o->gives >> KARAT_REC_WRITE & 1) ||
                     (o->mem_match == KARAT_MATCH_OTHER && o->gives >> KARAT_REC_MEM & 1),
                 "seq"},
                {o->prefix_unknown, "prefix"},
                {o->space_unknown && o->gives >> KARAT_REC_MEM & 1, "space"},
                {o->csr_unknown, "launch-csr"},
                {!o->allocation, "ranges"},
                {true, "final-memory"}};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (gaps[i].missing) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", separator, gaps[i].word);
            separator = ",";
        }
    snprintf(text + used, size - used, " ");
}

static void expect_counts(uint64_t seed, const outcome *o, const core_counts *n,
                          const core_options *options) {
    char line[1024], unchecked[200], want[1024];
    expected_unchecked(options, unchecked, sizeof unchecked);
    snprintf(want, sizeof want,
             "karat: PASS core=synthetic program=program warps=%" PRIu64 " instructions=%" PRIu64
             " x=%" PRIu64 " v=%" PRIu64 " simt=%" PRIu64 " mem=%" PRIu64 " csr=%" PRIu64 " barrier=%" PRIu64
             " exit=%" PRIu64 " read=%" PRIu64 " audit=%" PRIu64 "%s",
             n->warps, n->instructions, n->x, n->v, n->simt, n->mem, n->csr, n->arrive + n->release, n->exits,
             n->read, n->audit, unchecked);
    snprintf(line, sizeof line, "%.*s", (int)strlen(want), o->line);
    if (strcmp(line, want) != 0)
        fail_msg("seed %" PRIu64 ":\n%s\nexpected\n%s\n%s", seed, o->line, want, o->text);
    snprintf(want, sizeof want, " cycles=%" PRIu64, n->cycle);
    assert_non_null(strstr(o->line, want));
    if (n->exits) /* The run ends with the end of a warp */
        assert_non_null(strstr(o->line, ":endprg@0x"));
    assert_int_equal(count_of(o, "x0"), n->x0);
    assert_int_equal(count_of(o, "empty"), n->empty);
    assert_int_equal(count_of(o, "arrive"), n->arrive);
    assert_int_equal(count_of(o, "release"), n->release);
    assert_int_equal(count_of(o, "records"), n->records);
    assert_int_equal(count_of(o, "deep"), 0);
    assert_int_equal(count_of(o, "lds_unwritten"), n->lds_unwritten);
    assert_int_equal(count_of(o, "skipped_prefix"), n->skipped_prefix);
    if (options->regs !=
        KARAT_REGS_UNKNOWN) /* Values adopted late may differ from lane to lane in one model only */
        assert_int_equal(count_of(o, "lanes_differ"), n->lanes_differ);
    if (options->regs != KARAT_REGS_UNKNOWN) {
        assert_int_equal(count_of(o, "adopted"), 0);
        assert_int_equal(count_of(o, "undefined"), 0);
    }
}

TEST(legal_streams_pass) {
    core_counts all = {0};
    int64_t adopted = 0;
    uint32_t never_given = 0;
    const uint32_t num = share_of(NUM_SEEDS), some = num == NUM_SEEDS ? num / 4 : 0;
    for (uint64_t seed = 0; seed < num; seed++) {
        core_options o = core_random(seed);
        program p;
        stream s;
        core_counts n;
        random_program(&p, seed);
        core_run(&p, &o, &s, &n);
        scoped_outcome out = judge(&s);
        expect_counts(seed, &out, &n, &o);
        adopted += count_of(&out, "adopted");
        stream_free(&s);
        all.mem_passed_wait += n.mem_passed_wait;
        all.early_exit += n.early_exit;
        all.x0 += n.x0;
        all.empty += n.empty;
        all.release += n.release;
        all.lanes_differ += n.lanes_differ;
        all.lds_unwritten += n.lds_unwritten;
        all.skipped_prefix += n.skipped_prefix;
        never_given |= GIVES_ALL & ~o.gives;
    }
    /* The options have met what they are there for. */
    assert_true(all.mem_passed_wait >= some && all.early_exit >= some && all.x0 >= some &&
                all.empty >= some && all.release >= some);
    assert_true(adopted >= some && (!some || (all.lanes_differ && all.lds_unwritten && all.skipped_prefix)));
    if (num == NUM_SEEDS)
        assert_int_equal(never_given | 1u << KARAT_REC_HELLO | 1u << KARAT_REC_LAUNCH | 1u << KARAT_REC_ISSUE,
                         GIVES_ALL);
}

/* A record's data in lanes outside of its mask does not count. */
TEST(lanes_not_given_do_not_matter) {
    karat_check_config config = bounded_config();
    for (uint64_t seed = 0; seed < share_of(NUM_SEEDS / 8); seed++) {
        core_options o = core_random(seed);
        o.split = true;
        program p;
        random_program(&p, seed);
        scoped_stream s = run_program(&p, &o);
        scoped_outcome was = conclude(replay(&s, &config));
        uint32_t noise = 0x9e3779b9u;
        for (size_t i = 0; i < s.num; i++) {
            record *r = &s.at[i];
            uint32_t given = 0xffffffffu, *data = NULL;
            switch (r->h.kind) {
            case KARAT_REC_READ: given = r->read.mask, data = r->read.data; break;
            case KARAT_REC_WRITE: given = r->write.mask, data = r->write.data; break;
            case KARAT_REC_AUDIT: given = r->audit.mask, data = r->audit.data; break;
            case KARAT_REC_MEM: given = r->mem.mask, data = r->mem.data; break;
            default: break;
            }
            for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++) {
                if (given >> lane & 1)
                    continue;
                data[lane] = noise = noise * 1664525u + 1013904223u;
                if (r->h.kind != KARAT_REC_MEM)
                    continue;
                r->mem.addr[lane] = noise * 3;
                r->mem.bytes[lane / 2] ^= (uint8_t)((noise >> 8 & 15) << lane % 2 * 4);
            }
        }
        scoped_outcome is = conclude(replay(&s, &config));
        assert_int_equal(was.verdict, KARAT_PASS);
        assert_string_equal(is.line, was.line);
    }
}

TEST(same_options_same_stream) {
    core_options o = core_random(5);
    program p;
    stream a, b;
    random_program(&p, 5);
    core_run(&p, &o, &a, NULL);
    core_run(&p, &o, &b, NULL);
    assert_int_equal(a.num, b.num);
    assert_memory_equal(a.at, b.at, a.num * sizeof *a.at);
    stream_free(&a);
    stream_free(&b);
}

/* A core of 64 warps: a release may name the last. */
TEST(sixty_four_warps) {
    scoped_stream s = fixture();
    s.at[0].hello.num_warp = 64;
    PASSES(&s);
    const size_t i = nth(&s, KARAT_REC_BARRIER, 2);
    assert_int_equal(s.at[i].barrier.action, KARAT_BARRIER_RELEASE);
    s.at[i].barrier.warps |= UINT64_C(1) << 63;
    SAYS(&s, BARRIER_UNEXPECTED, "slot 63 is released and waits at no barrier");
    s.at[0].hello.num_warp = 63;
    SAYS(&s, STRAY, "BARRIER releases warps 8000000000000003 of sm 0; HELLO says 1 SMs of 63 slots");
}

/* Eight warps, each a workgroup: what is wrong with the last one, or between it and the one before, is
 * found as with any other. */
TEST(the_last_of_all) {
    program p = begin_program("sw 7 512 10; addi 13 7 5; endprg");
    core_options o = fixture_options();
    o.num_warp = o.workgroups = 8;
    o.wg_size = 1;
    o.lds_size = 0x100;
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    const size_t launch = nth(&s, KARAT_REC_LAUNCH, 7);
    assert_true(launch < nth(&s, KARAT_REC_EXIT, 0)); /* All at the same time */
    for (uint32_t n = 0; n < 7; n++) {
        const karat_rec_launch *other = &s.at[nth(&s, KARAT_REC_LAUNCH, n)].launch;
        record *r = &s.at[launch];
        const record was = *r;
        char text[60];
        r->launch.csr[KARAT_CSR_WGID] = other->csr[KARAT_CSR_WGID];
        snprintf(text, sizeof text, "as that of workgroup %u, ", other->workgroup);
        SAYS(&s, LAUNCH, text);
        *r = was;
        r->launch.lds_base = other->lds_base;
        snprintf(text, sizeof text, "that of live workgroup %u (", other->workgroup);
        SAYS(&s, LAUNCH, text);
        *r = was;
        r->launch.vgpr_base = other->vgpr_base;
        snprintf(text, sizeof text, "overlap those of live slot %u (", other->h.slot);
        SAYS(&s, LAUNCH, text);
        *r = was;
        r->launch.sgpr_base = other->sgpr_base;
        SAYS(&s, LAUNCH, text);
        *r = was;
    }
    for (uint32_t n = 0; n < 8; n++) { /* Something of one of them is missing */
        const uint8_t slot = s.at[nth(&s, KARAT_REC_LAUNCH, n)].h.slot;
        const size_t store = issue_of(&s, slot, "sw", 0), mem = of(&s, store, KARAT_REC_MEM, 0);
        record at = s.at[store];
        scoped_stream copy = stream_copy(&s);
        record r = {.contents = {.h = s.at[s.num - 1].h, .addr = s.at[mem].mem.addr[0], .length = 4}};
        r.h.kind = KARAT_REC_CONTENTS;
        copy.at[0].hello.props = KARAT_PROP_FLUSHED;
        stream_insert(&copy, s.num - 1, &r);
        for (uint32_t i = 0; i < 4; i++)
            copy.at[s.num - 1].contents.data[i] = 0x5a; /* The bytes that were there before the store */
        SAYS(&copy, MEMORY, "core 5a");
        stream_remove(&copy, mem);
        FAILS(&copy, MEM_MISSING, &at);
        copy.at[copy.num - 1].bye.reason = KARAT_BYE_CYCLE_LIMIT;
        FAILS(&copy, INCOMPLETE, NULL); /* It may come yet */
        cut(&copy, copy.num - 2);
        FAILS_AT(&copy, copy.at[copy.num - 1].h.cycle + HANG_CYCLES + 1, MEM_MISSING, &at);
        stream_free(&copy);
        copy = stream_copy(&s); /* Its end */
        size_t exit = 0;
        while (copy.at[exit].h.kind != KARAT_REC_EXIT || copy.at[exit].h.slot != slot)
            exit++;
        stream_remove(&copy, exit);
        cut(&copy, copy.num - 1);
        at = copy.at[issue_of(&copy, slot, "endprg", 0)];
        FAILS_AT(&copy, copy.at[copy.num - 1].h.cycle + HANG_CYCLES + 1, HANG, &at);
        record next = copy.at[nth(&copy, KARAT_REC_KERNEL, 0)];
        next.kernel.index = 1;
        next.kernel.num_region = 0;
        next.h.cycle = copy.at[copy.num - 1].h.cycle;
        stream_add(&copy, &next, sizeof next.kernel);
        FAILS(&copy, EXIT_MISSING, &at);
    }
}

RUN_TESTS("legal")
