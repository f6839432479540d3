/* Steps that wait for the READs of operands that the warp never wrote: what comes meanwhile. */
#include "judge.h"

#include <string.h>

/* READs of an older instruction that come while a step waits for its own are not its own. */
TEST(older_reads) {
    core_options o = undefined_options();
    program p = unwritten_program();
    put_code(&p, "vadd_vv 9 2 1 1; vsub_vv 8 20 21 1; endprg");
    scoped_stream s = run_program(&p, &o);
    const size_t older = issue_of(&s, 0, "vadd_vv", 0);
    const size_t younger = issue_of(&s, 0, "vsub_vv", 0);
    move(&s, of(&s, older, KARAT_REC_WRITE, 0), of(&s, younger, KARAT_REC_READ, 1) + 1);
    for (uint32_t n = 0; n < 2; n++)
        move(&s, of(&s, older, KARAT_REC_READ, 0), issue_of(&s, 0, "vsub_vv", 0) + 1);
    PASSES(&s);
    s.at[of(&s, older, KARAT_REC_READ, 0)].read.data[1] ^= 4;
    FAILS(&s, READ, &s.at[older]);
}

/* A step that waits for READs is no hang as long as they come. */
TEST(waiting_for_reads) {
    core_options o = undefined_options();
    program p = unwritten_program();
    put_code(&p, "vadd_vv 8 20 21 1; endprg");
    scoped_stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, 0, "vadd_vv", 0), read = of(&s, issue, KARAT_REC_READ, 0);
    assert_true(of(&s, issue, KARAT_REC_READ, 1) == read + 1);
    const uint64_t start = s.at[issue].h.cycle;
    for (size_t i = read; i < s.num; i++)
        s.at[i].h.cycle += HANG_CYCLES;
    for (size_t i = read + 1; i < s.num; i++)
        s.at[i].h.cycle += HANG_CYCLES;
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    for (size_t i = 0; i < s.num; i++) {
        if (i == read + 1) /* The first has come in time */
            assert_false(karat_checker_tick(c, start + 2 * HANG_CYCLES));
        karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
    }
    scoped_outcome out = conclude(c);
    assert_int_equal(out.verdict, KARAT_PASS);
}

/* --- Records during a wait, one by one --- */

/* A checker after the ISSUE of the vadd_vv in that slot, which waits for its READs; the number of that
 * record. */
static karat_checker *held_at(const stream *s, uint32_t slot, const karat_check_config *config,
                              size_t *issue) {
    karat_checker *c = karat_checker_create(config);
    assert_non_null(c);
    *issue = issue_of(s, slot, "vadd_vv", 0);
    for (size_t i = 0; i <= *issue; i++)
        assert_false(karat_checker_record(c, &s->at[i], karat_rec_size(s->at[i].h.kind)));
    assert_int_equal(num_waiting(c), 1);
    return c;
}

/* Two workgroups of one warp, in slots 0 and 1; what waits is an instruction with an operand that was
 * never written. */
static stream two_warps(uint64_t first_cycle) {
    program p = unwritten_program();
    put_code(&p, "sw 7 512 10; addi 13 7 5; vadd_vv 8 20 1 1; barrier 0; vsub_vv 9 8 1 1; endprg");
    core_options o = undefined_options();
    o.workgroups = o.num_warp = 2;
    stream s = run_program(&p, &o);
    for (size_t i = 0; i < s.num; i++)
        s.at[i].h.cycle += first_cycle;
    return s;
}

/* A MEM of an instruction before the one that waits is of that one, and now; one that may be of what
 * waits, waits. Errors after it is said where the stream is cut. */
TEST(older_accesses) {
    const karat_check_config config = judge_config();
    scoped_stream s = two_warps(0);
    for (uint32_t slot = 0; slot < 2; slot++)
        for (uint32_t n = 0; n < 5; n++) {
            size_t issue = issue_of(&s, slot, "sw", 0);
            scoped_stream late = stream_copy(&s);
            const size_t mem = of(&late, issue, KARAT_REC_MEM, 0);
            record store = late.at[mem];
            stream_remove(&late, mem);
            scoped_checker *c = held_at(&late, slot, &config, &issue);
            const uint64_t mems = count_in(c, "mem");
            store.h.cycle = late.at[issue].h.cycle;
            store.mem.match = n == 1 || n == 2 ? KARAT_MATCH_OTHER : KARAT_MATCH_SEQ;
            if (n == 2) /* No instruction expects a load */
                store.mem.op = KARAT_MEM_LOAD;
            if (n == 3)
                store.mem.seq = late.at[issue].issue.seq;
            if (n == 4) /* Wrong at once */
                store.mem.data[0] ^= 1;
            assert_int_equal(feed(c, &store), n == 4);
            assert_int_equal(count_in(c, "mem"), mems + (n < 2 || n == 4));
            assert_int_equal(num_waiting(c), 1);
            if (n == 4)
                assert_string_equal(kind_of(c), "MEM_DATA");
            if (n != 4) {
                assert_string_equal(kind_of(c), "NONE");
                karat_checker_cut(c, "the simulator died");
                assert_int_equal(num_waiting(c), 0);
                assert_string_equal(kind_of(c), n < 2 ? "INCOMPLETE" : "MEM_UNEXPECTED");
            }
        }
}

TEST(no_record_of_the_warp) {
    const karat_check_config config = judge_config();
    scoped_stream s = two_warps(0);
    for (uint32_t slot = 0; slot < 2; slot++) {
        size_t issue;
        scoped_checker *c = held_at(&s, slot, &config, &issue);
        record host = {.host = {.h = s.at[issue].h, .addr = DATA_BASE + 0x2000, .length = 1, .data = {0x77}}};
        host.h.kind = KARAT_REC_HOST;
        record region = {.region = {.h = s.at[issue].h, .base = 0xa0000000, .size = 4096}};
        region.h.kind = KARAT_REC_REGION;
        assert_false(feed(c, &host) || feed(c, &region));
        uint8_t byte = 0;
        assert_int_equal(karat_read(model_of(c), host.host.addr, &byte, 1), KARAT_OK);
        assert_int_equal(byte, 0x77); /* They are done at once: other warps may see them */
        assert_int_equal(karat_read(model_of(c), region.region.base, &byte, 1), KARAT_OK);
        assert_int_equal(num_waiting(c), 1);
    }
    /* All of the second warp up to its barrier, then the first up to the step that waits; the second is
     * released and ends. */
    scoped_stream mixed = {0};
    const size_t first = issue_of(&s, 0, "vadd_vv", 0), barrier = issue_of(&s, 1, "barrier", 0);
    const size_t arrive = of(&s, barrier, KARAT_REC_BARRIER, 0), launch = nth(&s, KARAT_REC_LAUNCH, 1);
    static const struct {
        bool head;
        uint8_t slot;
        int from, to;
    } parts[] = {{true, 0, 0, 0}, {false, 1, 0, 1}, {false, 0, 0, 2}, {false, 1, 1, 9}, {false, 0, 2, 9}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (size_t i = 0; i < s.num; i++) {
            const record *r = &s.at[i];
            const bool release = r->h.kind == KARAT_REC_BARRIER && r->barrier.action == KARAT_BARRIER_RELEASE;
            const uint8_t whose = release ? (uint8_t)(r->barrier.warps == 2) : r->h.slot;
            const int part = i <= launch ? -1 : whose ? (i <= arrive ? 0 : 1) : (i <= first ? 0 : 2);
            if (r->h.kind == KARAT_REC_BYE ||
                (parts[k].head ? part >= 0
                               : part < parts[k].from || part >= parts[k].to || whose != parts[k].slot))
                continue;
            stream_add(&mixed, r, karat_rec_size(r->h.kind));
        }
    stream_add(&mixed, &s.at[s.num - 1], sizeof s.at[0].bye);
    assert_int_equal(mixed.num, s.num);
    for (size_t i = 0; i < mixed.num; i++)
        mixed.at[i].h.cycle = i;
    PASSES(&mixed);
}

/* Records of the warp wait, in order, but for an AUDIT and the MEM of an older instruction; a READ of
 * another epoch is none of its, and is refused before the step is taken. */
TEST(records_wait) {
    const karat_check_config config = judge_config();
    scoped_stream s = two_warps(0);
    for (uint32_t slot = 0; slot < 2; slot++) {
        size_t issue = issue_of(&s, slot, "sw", 0);
        scoped_stream late = stream_copy(&s);
        const size_t mem = of(&late, issue, KARAT_REC_MEM, 0);
        const record store = late.at[mem];
        stream_remove(&late, mem);
        karat_checker *c = held_at(&late, slot, &config, &issue);
        const uint64_t mems = count_in(c, "mem"), audits = count_in(c, "audit");
        record r = store;
        r.h.cycle = late.at[issue].h.cycle;
        assert_false(feed(c, &r));
        record audit = {.audit = {.h = r.h, .mask = 1}};
        audit.h.kind = KARAT_REC_AUDIT;
        assert_false(feed(c, &audit));
        assert_int_equal(count_in(c, "mem"), mems + 1);
        assert_int_equal(count_in(c, "audit"), audits + 1); /* Of what is there now */
        record flags = audit;                               /* Of what is there after the step */
        flags.audit.cls = KARAT_CSR;
        flags.audit.regno = 0x001;
        flags.audit.mask = 0x1f;
        flags.h.cycle += 9;
        const uint64_t csrs = count_in(c, "csr");
        assert_false(feed(c, &flags));
        assert_int_equal(count_in(c, "csr"), csrs);
        assert_int_equal(num_waiting(c), 1);
        for (size_t i = issue + 1; num_waiting(c); i++)
            if (late.at[i].h.kind == KARAT_REC_READ && late.at[i].h.slot == slot) {
                record read = late.at[i];
                read.h.cycle = flags.h.cycle;
                assert_false(feed(c, &read));
            }
        assert_int_equal(count_in(c, "mem"), mems + 1);
        assert_int_equal(count_in(c, "audit"), audits + 1);
        assert_int_equal(count_in(c, "csr"), csrs + 1);
        karat_checker_destroy(c);
        c = held_at(&s, slot, &config, &issue); /* The warp is heard of meanwhile: it does not hang */
        flags.h.cycle = s.at[issue].h.cycle + HANG_CYCLES;
        assert_false(feed(c, &flags));
        for (size_t i = issue + 1; i < s.num; i++) /* The other warp is heard of, too */
            if (s.at[i].h.slot != slot) {
                record other = s.at[i];
                other.h.cycle = flags.h.cycle;
                assert_false(feed(c, &other));
                break;
            }
        assert_false(karat_checker_tick(c, flags.h.cycle + HANG_CYCLES));
        assert_int_equal(num_waiting(c), 1);
        karat_checker_destroy(c);
        c = held_at(&late, slot, &config, &issue);
        const uint64_t instructions = count_in(c, "instructions");
        record read = late.at[of(&late, issue, KARAT_REC_READ, 0)];
        read.h.epoch = 1;
        assert_true(feed(c, &read));
        assert_string_equal(kind_of(c), "STRAY");
        assert_int_equal(count_in(c, "instructions"), instructions);
        karat_checker_destroy(c);
    }
}

/* An AUDIT of lane 0 of a register, as the model has it now: whether it is compared at once. */
static bool audited_at_once(karat_checker *c, const record *like, unsigned cls, unsigned reg) {
    karat_warp_view view;
    karat_view(model_of(c), warp_in(c, like->h.slot), &view);
    record audit = {.audit = {.h = like->h, .cls = (uint8_t)cls, .regno = (uint16_t)reg, .mask = 1}};
    audit.h.kind = KARAT_REC_AUDIT;
    audit.audit.data[0] = cls == KARAT_X ? view.x[reg] : view.v[reg][0];
    const uint64_t audits = count_in(c, "audit");
    assert_false(feed(c, &audit));
    assert_true(count_in(c, "audit") - audits <= 1);
    return count_in(c, "audit") > audits;
}

/* The value in an AUDIT was there before the step that waits, unless a WRITE of the same register waits as
 * well. */
TEST(audits_beside_a_result) {
    static const struct {
        unsigned cls, reg;
    } of_reg[] = {{KARAT_V, 8}, {KARAT_V, 9}, {KARAT_X, 8}, {KARAT_V, 2}, {KARAT_V, KARAT_SPACE_GLOBAL}};
    static const char *const waiting[] = {"", "r", "m", "mr", "rm", "o", "om", "mo"};
    const karat_check_config config = judge_config();
    program p = unwritten_program();
    put_code(&p, "sw 7 512 10; vadd_vv 8 20 1 1; vsub_vv 9 21 1 1; endprg");
    const core_options o = undefined_options();
    scoped_stream s = run_program(&p, &o);
    size_t issue = issue_of(&s, 0, "sw", 0);
    const record store = s.at[of(&s, issue, KARAT_REC_MEM, 0)];
    assert_int_equal(store.mem.op, KARAT_V); /* Of a MEM that is taken for a WRITE */
    stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
    issue = issue_of(&s, 0, "vadd_vv", 0);
    const record read = s.at[of(&s, issue, KARAT_REC_READ, 0)],
                 result = s.at[of(&s, issue, KARAT_REC_WRITE, 0)];
    for (size_t w = 0; w < sizeof waiting / sizeof *waiting; w++)
        for (size_t k = 0; k < sizeof of_reg / sizeof *of_reg; k++) {
            scoped_checker *c = held_at(&s, 0, &config, &issue);
            bool waits = false;
            for (const char *at = waiting[w]; *at; at++) {
                record r = *at == 'm' ? store : result;
                r.h.cycle = s.at[issue].h.cycle;
                r.write.cls =
                    *at == 'o' ? KARAT_X : r.write.cls; /* Of the other class: it would be wrong in the end */
                assert_false(feed(c, &r));
                waits |= *at == 'r' && of_reg[k].cls == KARAT_V && of_reg[k].reg == 8;
                waits |= *at == 'o' && of_reg[k].cls == KARAT_X && of_reg[k].reg == 8;
            }
            if (audited_at_once(c, &s.at[issue], of_reg[k].cls, of_reg[k].reg) == waits)
                fail_msg("'%s' before an AUDIT of %u, %u", waiting[w], of_reg[k].cls, of_reg[k].reg);
        }
    /* Records that waited after an earlier step wait no more. */
    scoped_checker *c = held_at(&s, 0, &config, &issue);
    const record next[] = {result, read, s.at[issue_of(&s, 0, "vsub_vv", 0)]};
    for (size_t i = 0; i < 3; i++) {
        record r = next[i];
        r.h.cycle = next[2].h.cycle;
        assert_int_equal(num_waiting(c), 1);
        assert_false(feed(c, &r));
    }
    assert_int_equal(num_waiting(c), 1);
    assert_true(audited_at_once(c, &next[2], KARAT_V, 8));
}

/* The result of an older instruction is taken at once: the step waits on where it still needs a READ, and
 * where it was that result that it needed it is taken. */
TEST(older_results) {
    static const karat_ulp_bound bounds[] = {{"vfexp.v", 2}};
    karat_check_config config = judge_config();
    config.bounds = bounds;
    config.num_bounds = 1;
    for (int needed = 0; needed < 2; needed++) {
        program p = unwritten_program();
        put(&p, "vfexp_v", 9, 1, 1);
        put(&p, "vadd_vv", 8, needed ? 9 : 20, 1, 1);
        put0(&p, "endprg");
        core_options o = undefined_options();
        scoped_stream s = run_program(&p, &o);
        const size_t older = issue_of(&s, 0, "vfexp_v", 0), younger = issue_of(&s, 0, "vadd_vv", 0);
        const record write = s.at[of(&s, older, KARAT_REC_WRITE, 0)];
        stream_remove(&s, of(&s, older, KARAT_REC_WRITE, 0));
        size_t issue;
        karat_checker *c = held_at(&s, 0, &config, &issue);
        assert_int_equal(issue, younger - 1);
        const uint64_t instructions = count_in(c, "instructions"), v = count_in(c, "v");
        record r = write;
        r.h.cycle = s.at[issue].h.cycle;
        assert_false(feed(c, &r));
        assert_int_equal(count_in(c, "v"), v + 1);
        assert_int_equal(num_waiting(c), !needed);
        assert_int_equal(count_in(c, "instructions"), instructions + needed);
        stream_insert(&s, issue + 1, &r); /* The step's own result is compared, not taken */
        s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[2] ^= 4;
        karat_checker_destroy(c);
        scoped_outcome out = conclude(replay(&s, &config));
        assert_int_equal(out.verdict, KARAT_MISMATCH);
        assert_non_null(strstr(out.line, text_of_kind("WRITE_VALUE")));
    }
}

/* READs that take more than 4000 cycles do not come; till then the step waits, wherever the cycles begin,
 * and in whatever slot. */
TEST(how_long_it_waits) {
    karat_check_config config = judge_config();
    config.hang_cycles = 100000;
    for (uint64_t first = 0; first <= 1000000; first += 1000000) {
        scoped_stream s = two_warps(first);
        for (uint32_t slot = 0; slot < 2; slot++) {
            size_t issue;
            karat_checker *c = held_at(&s, slot, &config, &issue);
            const uint64_t start = s.at[issue].h.cycle, instructions = count_in(c, "instructions");
            static const uint64_t waits[] = {1, 3999, 4000, 4001};
            for (size_t i = 0; i < 4; i++) {
                assert_false(karat_checker_tick(c, start + waits[i]));
                assert_int_equal(num_waiting(c), i < 3);
                assert_int_equal(count_in(c, "instructions"), instructions + (i == 3));
            }
            karat_checker_destroy(c);
            /* A warp hangs while one waits. */
            stream copy = stream_copy(&s);
            cut(&copy, issue + 1);
            c = replay(&copy, NULL);
            assert_true(karat_checker_tick(c, start + HANG_CYCLES + 1));
            assert_string_equal(kind_of(c), "HANG");
            assert_int_equal(num_waiting(c), 0); /* The step is taken first, and what is pending is named */
            karat_checker_destroy(c);
            stream_free(&copy);
            /* The end comes in cycle 0, or later: the step is taken first, and what is wrong with it said. */
            for (int zero = 0; zero < 2; zero++) {
                static const uint8_t ends[] = {KARAT_REC_BYE, KARAT_REC_CONTENTS, KARAT_REC_KERNEL};
                for (size_t k = 0; k < 3; k++) {
                    copy = stream_copy(&s);
                    cut(&copy, issue + 1);
                    record end = {.contents = {.addr = DATA_BASE, .length = 4}};
                    if (ends[k] != KARAT_REC_CONTENTS)
                        memset(&end, 0, sizeof end);
                    end.h.kind = ends[k];
                    end.h.cycle = start;
                    if (ends[k] == KARAT_REC_BYE)
                        end.bye.reason = KARAT_BYE_ABORT;
                    stream_add(&copy, &end, karat_rec_size(ends[k]));
                    for (size_t i = 0; i < copy.num && zero; i++)
                        copy.at[i].h.cycle = 0;
                    copy.at[issue].issue.mask ^= 1;
                    FAILS(&copy, ISSUE_MASK, &copy.at[issue]);
                    stream_free(&copy);
                }
            }
        }
    }
}

RUN_TESTS("undefined waits")
