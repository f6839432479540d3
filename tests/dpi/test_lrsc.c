/* LR and SC: which SCs store, which fail, and for how long they may. */
#include "judge.h"
#include "two_warps.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

/* An SC may fail without need, and many may; one that is tried again and again has to store some time. */
TEST(scs_that_never_store) {
    program p = begin_program("addi 16 0 70; lr_w 14 10 0; sc_w 13 14 10 0; addi 16 16 -1; bne 16 0 -12; "
                              "endprg");
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    for (size_t i = 0; i < s.num; i++)
        s.at[i].h.cycle *= 40;
    for (uint32_t n = 0; n < 70; n++) {
        size_t issue = issue_of(&s, 0, "sc_w", n);
        s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[0] = 1;
        stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
    }
    s.at[s.num - 1].bye.records = 0;
    SAYS(&s, HANG, " the SC has failed 64 times though nothing else was written to its word");
    for (size_t i = 0; i < s.num; i++)
        s.at[i].h.cycle /= 40;
    PASSES(&s); /* Not as long as a hang takes */
}

/* Sixty-four failures in a row have to take longer than a hang, from the first one's cycle on. */
TEST(scs_that_fail_for_long) {
    enum { TIMES = 64 };
    program p = begin_program("");
    put(&p, "addi", 16, 0, TIMES + 1);
    put_code(&p, "lr_w 14 10 0; sc_w 13 14 10 0; addi 16 16 -1; bne 16 0 -12; endprg");
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    o.uncounted = true;
    for (uint64_t more = 0; more < 2; more++) {
        scoped_stream s = run_program(&p, &o);
        size_t first = 0, last = 0;
        for (uint32_t n = 0; n < TIMES; n++) {
            const size_t issue = issue_of(&s, 0, "sc_w", n);
            stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
            last = of(&s, issue, KARAT_REC_WRITE, 0);
            first = n ? first : last;
            s.at[last].write.data[0] = 1;
        }
        const uint64_t takes = s.at[last].h.cycle - s.at[first].h.cycle;
        assert_true(takes < HANG_CYCLES);
        for (size_t i = last; i < s.num; i++)
            s.at[i].h.cycle += HANG_CYCLES + more - takes;
        if (more)
            SAYS(&s, HANG, " the SC has failed 64 times though nothing else was written to its word");
        else
            PASSES(&s);
    }
}

/* An SC that has no register, or of whose register no WRITE reports, and whose MEM never comes has failed:
 * it is not missing, however long its warp goes on; nor where its workgroup's memory has gone with it. */
TEST(scs_without_an_answer) {
    for (int kind = 0; kind < 4; kind++) {
        const int local = kind & 1, silent = kind & 2;
        program p = begin_program("add 20 10 0");
        if (local)
            put(&p, "csrrs", 20, 0x806, 0);
        put(&p, "lr_w", 14, 20, 0);
        put(&p, "sc_w", silent ? 15 : 0, 14, 20, 0);
        put_code(&p, "addi 13 0 5; addi 13 13 5; endprg");
        core_options o = one_workgroup_options(1);
        o.num_warp = 1;
        o.workgroups = 2;
        if (silent)
            o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
        scoped_stream s = run_program(&p, &o);
        for (uint32_t order = 0; order < 3; order++) {
            scoped_stream copy = stream_copy(&s);
            copy.at[0].hello.mem_order = (uint8_t)order;
            PASSES(&copy);
            size_t sc = issue_of(&copy, 0, "sc_w", 0);
            stream_remove(&copy, of(&copy, sc, KARAT_REC_MEM, 0));
            scoped_outcome out = judge(&copy);
            assert_int_equal(out.verdict, KARAT_PASS);
            assert_int_equal(count_of(&out, "sc_failed"), 1);
            /* The warp goes on much later. */
            sc = issue_of(&copy, 0, "addi", 2);
            for (size_t i = sc; i < copy.num; i++)
                copy.at[i].h.cycle += HANG_CYCLES - 5;
            cut(&copy, after(&copy, sc, KARAT_REC_ISSUE));
            scoped_checker *c = replay(&copy, NULL);
            assert_false(karat_checker_tick(c, copy.at[copy.num - 1].h.cycle + 20));
            assert_int_equal(count_in(c, "sc_failed"), 1);
            assert_string_equal(kind_of(c), "NONE");
        }
    }
}

/* LR and SC of both on a word that holds 1. */

static scene reservers(void) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put_code(&t.p, "lui 20 SHARED; addi 21 0 1; addi 22 7 5; bne 7 0 8; sw 21 0 20; barrier 0; lr_w 25 20 0");
    put(&t.p, "sc_w", 26, 22, 20, 0);
    put_code(&t.p, "barrier 0; lw 27 0 20");
    begin(&t);
    perform(&t, 0, take(&t, 0, "sw"));
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    for (uint32_t warp = 0; warp < 2; warp++) {
        uint32_t lr = take(&t, warp, "lr_w");
        perform(&t, warp, lr);
        result(&t, warp, lr, 1);
    }
    return t;
}

/* SCs with a register of a core that provides no WRITE: MEM alone shows it, and what memory holds at the
 * end. */
static void scs_without_writes(void) {
    if (tells == TELLS_NOTHING)
        return;
    for (int stored = 0; stored < 4; stored++)
        for (uint32_t value = 0; value < 8; value++) {
            scene t = reservers();
            uint32_t sc[2] = {take(&t, 0, "sc_w"), take(&t, 1, "sc_w")};
            for (uint32_t warp = 2; warp-- > 0;)
                if (stored >> warp & 1)
                    perform_as(&t, warp, sc[warp], KARAT_MEM_AMO, 5 + warp);
            t.left = value;
            t.mask = 0xffffffffu;
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            for (uint32_t warp = 0; warp < 2; warp++)
                perform(&t, warp, take(&t, warp, "lw"));
            /* Both may have stored where the LR that MEM reports first may have been performed last. */
            const bool legal = stored == 3 ? mem_order != KARAT_ORDER_PERFORMED && (value == 5 || value == 6)
                                           : value == (stored == 1   ? 5
                                                       : stored == 2 ? 6
                                                                     : 1);
            without_writes = true;
            scoped_outcome o = judge_scene(&t);
            without_writes = false;
            if (o.verdict != (legal ? KARAT_PASS : KARAT_MISMATCH))
                fail_msg("order %u tells %d stored %d value %u: %s\n%s", mem_order, (int)tells, stored, value,
                         o.line, o.text);
        }
}

TEST(order_of_unwritten_scs) {
    with_less(scs_without_writes);
}

/* An LR reserves its own word: an SC to another one does not store. */
static void sc_to_another_word(void) {
    static const wanted unexpected = {"karat: MISMATCH (memory access that no instruction expects)", 0, 0, 0};
    for (int32_t other = 0; other < 2; other++) {
        const insn first[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, other ? 23 : 20, 0)};
        const insn none[MAX_INSN] = {{0}};
        scene t = two_parts(first, none);
        uint32_t n = take(&t, 0, "lr_w");
        perform(&t, 0, n);
        result(&t, 0, n, 1);
        n = take(&t, 0, "sc_w");
        perform_as(&t, 0, n, KARAT_MEM_AMO, 5);
        result(&t, 0, n, 0);
        scoped_outcome o = judge_scene(&t);
        const char *line = other ? tells == TELLS_NOTHING ? "karat: MISMATCH" : unexpected.line : pass.line;
        if (strncmp(o.line, line, strlen(line)) != 0)
            fail_msg("order %u tells %d: %s\n%s", mem_order, (int)tells, o.line, o.text);
    }
}

/* An SC after another warp's AMO cannot store: the AMO's place is known before the SC says that it has. */
static void sc_behind_a_write(void) {
    const insn first[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, 20, 0)};
    const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0), INSN("amoadd_w", 27, 22, 20, 0)};
    scene t = two_parts(first, second);
    uint32_t n = take(&t, 0, "lr_w");
    perform(&t, 0, n);
    result(&t, 0, n, 1);
    n = take(&t, 1, "amoadd_w");
    perform_as(&t, 1, n, KARAT_MEM_AMO, 6);
    result(&t, 1, n, 1);
    const uint32_t sc = take(&t, 0, "sc_w");
    n = take(&t, 1, "amoadd_w");
    perform_as(&t, 1, n, KARAT_MEM_AMO, 11);
    result(&t, 1, n, 6);
    perform_as(&t, 0, sc, KARAT_MEM_AMO, 5);
    result(&t, 0, sc, 0);
    static const wanted unexpected = {"karat: MISMATCH (memory access that no instruction expects)", 0, 0, 0};
    scoped_outcome o = finish(&t, &unexpected);
    if (!strstr(o.text, "that word has been written since its LR"))
        fail_msg("order %u tells %d: %s", mem_order, (int)tells, o.text);
}

/* Who has written the word since the LR, and when: of an SC that has stored, and of one that says so. */
TEST(who_has_written) {
    enum { STORE, AMO, BYTE, TWO, HOST_WRITES, BEFORE, NUM };
    static const char *const rows[] = {"sw", "amoadd_w", "sb", "sw", "sw", "sw"};
    mem_order = KARAT_ORDER_PERFORMED;
    tells = TELLS_DATA;
    for (int by = 0; by < NUM; by++)
        for (int stores = 0; stores < 2; stores++) {
            const insn first[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, 20, 0)};
            insn second[MAX_INSN] = {INSN("sw", 22, 0, 20), INSN("sw", 21, 0, 20)};
            if (by == AMO)
                second[0] = (insn)INSN("amoadd_w", 26, 22, 20, 0);
            if (by == BYTE)
                second[0] = (insn)INSN("sb", 22, 2, 20);
            scene t = two_parts(first, second);
            uint32_t lr, n;
            if (by == BEFORE)
                perform(&t, 1, take(&t, 1, "sw"));
            lr = take(&t, 0, "lr_w");
            perform(&t, 0, lr);
            result(&t, 0, lr, by == BEFORE ? 5 : 1);
            for (int k = 0; k < (by == HOST_WRITES || by == BEFORE ? 0 : 1 + (by == TWO)); k++) {
                n = take(&t, 1, rows[by]);
                perform(&t, 1, n);
                if (by == AMO)
                    result(&t, 1, n, 1);
            }
            if (by == HOST_WRITES) {
                record r = make_record(0, KARAT_REC_HOST, 0);
                r.host.addr = SHARED;
                r.host.length = 4;
                r.host.data[0] = 9;
                add(&t, &r);
                karat_write(t.model, SHARED, r.host.data, 4);
            }
            n = take(&t, 0, "sc_w");
            if (stores)
                perform_as(&t, 0, n, KARAT_MEM_AMO, 5);
            else
                result(&t, 0, n, by == BEFORE ? 2 : 0);
            char since[80];
            snprintf(since, sizeof since, " (rule: reservation); since its LR, seq %u issued in cycle ",
                     t.warp[0].pending[lr].seq);
            scoped_outcome o = judge_scene(&t);
            const bool named = by != BEFORE;
            if (named != (strstr(o.text, since) != NULL))
                fail_msg("by %d stores %d:\n%s", by, stores, o.text);
            static const char *const who[] = {
                " sw x22, 0(x20) has written that word, issued in cycle ",
                " amoadd.w x26, x22, (x20) has written that word, issued in cycle ",
                " sb x22, 2(x20) has written that word, issued in cycle ", ", and 1 later write",
                ", the host has written that word in cycle "};
            if (named && !strstr(o.text, who[by]))
                fail_msg("by %d stores %d, no '%s':\n%s", by, stores, who[by], o.text);
        }
}

/* Another warp's result shows that the SC has stored, and then the SC reports that it has not. */
static void sc_that_was_seen(void) {
    const insn first[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, 20, 0)};
    const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0)};
    for (uint32_t failed = 0; failed < 2 && mem_order != KARAT_ORDER_PERFORMED; failed++) {
        scene t = two_parts(first, second);
        uint32_t n = take(&t, 0, "lr_w");
        perform(&t, 0, n);
        result(&t, 0, n, 1);
        const uint32_t sc = take(&t, 0, "sc_w");
        n = take(&t, 1, "amoadd_w");
        perform_as(&t, 1, n, KARAT_MEM_AMO, 10);
        result(&t, 1, n, 5);
        if (!failed)
            perform_as(&t, 0, sc, KARAT_MEM_AMO, 5);
        result(&t, 0, sc, failed);
        t.left = 10;
        t.mask = 0xffffffffu;
        scoped_outcome o = finish(&t, failed ? &wrong_value : &pass);
        const json_t *lanes = json_object_get(json_object_get(o.json, "failure"), "lanes");
        if (failed && (!strstr(o.text, "it returned 00000001: no order of the accesses") || !lanes))
            fail_msg("order %u tells %d: %s", mem_order, (int)tells, o.text);
    }
}

TEST(scs_to_other_words) {
    with_less(sc_that_was_seen);
    with_less(sc_behind_a_write);
    with_less(sc_to_another_word);
}

/* SCs that only MEM would report, and that have failed in the model: another warp's stores, which the core
 * performs later, were issued before them. The last ones may all have stored. */
TEST(many_failed_scs) {
    enum { NUM = 9 };
    assert_int_equal(NUM, remembered.failed_scs + 1);
    mem_order = KARAT_ORDER_PERFORMED;
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put_code(&t.p, "lui 20 SHARED; addi 22 0 5");
    uint32_t skip = put_part(&t.p, 0);
    for (int32_t n = 0; n < NUM; n++) {
        put(&t.p, "addi", 23, 20, 4 * n);
        put_code(&t.p, "lr_w 25 23 0; sc_w 0 22 23 0");
    }
    put(&t.p, "xor", 24, 22, 22);
    put_end_part(&t.p, skip, 0);
    skip = put_part(&t.p, 1);
    for (int32_t n = 0; n < NUM; n++)
        put(&t.p, "sw", 22, 4 * n, 20);
    put_end_part(&t.p, skip, 1);
    begin(&t);
    uint32_t sc[NUM], store[NUM];
    for (uint32_t n = 0; n < NUM; n++) {
        uint32_t there;
        assert_int_equal(karat_read(t.model, SHARED + 4 * n, &there, 4), KARAT_OK);
        const uint32_t lr = take(&t, 0, "lr_w");
        perform(&t, 0, lr);
        result(&t, 0, lr, there);
        store[n] = take(&t, 1, "sw");
        sc[n] = take(&t, 0, "sc_w");
    }
    take(&t, 0, "xor");
    for (uint32_t n = 1; n < NUM; n++)
        perform_as(&t, 0, sc[n], KARAT_MEM_AMO, 5);
    for (uint32_t n = 0; n < NUM; n++)
        perform(&t, 1, store[n]);
    static const wanted reordered = {"karat: PASS ", 0, NUM - 1, 0};
    ends(&t, &reordered);
}

RUN_TESTS("lrsc")
