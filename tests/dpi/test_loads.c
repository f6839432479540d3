/* Loads that race with stores: what each may get. */
#include "judge.h"
#include "two_warps.h"
#include "scene.h"

#include <string.h>

typedef enum between { NOTHING, BARRIERS, FENCES, AQ_RL, AQ, RL } between;

/* At the store, and at the load. */
static scene store_and_load(between how) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put_code(&t.p, "lui 20 SHARED; addi 21 0 1; addi 22 0 5");
    put(&t.p, "addi", 23, 20, FLAG);
    uint32_t skip = put_part(&t.p, 0);
    put(&t.p, "sw", 21, 0, 20);
    put(&t.p, "sw", 0, FLAG, 20);
    put_code(&t.p, "barrier 0; sw 22 0 20");
    if (how == FENCES)
        put(&t.p, "fence", 0, 15, 15, 0, 0);
    if (how >= FENCES)
        put(&t.p, "amoswap_w", 24, 21, 23, how == AQ_RL || how == RL ? 1 : 0);
    if (how == BARRIERS)
        put(&t.p, "barrier", 0);
    put_end_part(&t.p, skip, 0);
    skip = put_part(&t.p, 1);
    put(&t.p, "barrier", 0);
    if (how >= FENCES)
        put(&t.p, "lr_w", 25, 23, how == AQ_RL || how == AQ ? 2 : 0);
    if (how == FENCES)
        put(&t.p, "fence", 0, 15, 15, 0, 0);
    if (how == BARRIERS)
        put(&t.p, "barrier", 0);
    put(&t.p, "lw", 26, 0, 20);
    put_end_part(&t.p, skip, 1);
    begin(&t);
    perform(&t, 0, take(&t, 0, "sw"));
    perform(&t, 0, take(&t, 0, "sw"));
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    return t;
}

/* The load is issued when the store has been, which is performed before or after it; what the load gets. */
static void load_behind(between how, bool performed, uint32_t value, const wanted *want) {
    scene t = store_and_load(how);
    uint32_t store = take(&t, 0, "sw"), flag = 0;
    if (performed)
        perform(&t, 0, store);
    if (how >= FENCES) {
        flag = take(&t, 0, "amoswap_w");
        perform(&t, 0, flag);
        result(&t, 0, flag, 0);
        uint32_t lr = take(&t, 1, "lr_w");
        perform(&t, 1, lr);
        result(&t, 1, lr, 1);
    }
    if (how == BARRIERS) {
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
    }
    uint32_t load = take(&t, 1, "lw");
    perform(&t, 1, load);
    result(&t, 1, load, value);
    if (!performed)
        perform(&t, 0, store);
    ends(&t, want);
}

/* A cache that nobody keeps coherent may hold what was there before, until the program orders the two. */
TEST(stale_in_a_cache) {
    mem_order = KARAT_ORDER_PERFORMED;
    for (uint32_t value = 0; value < 6; value++) {
        props = KARAT_PROP_FLUSHED;
        load_behind(NOTHING, true, value, value == 5 ? &pass : value == 1 ? &unordered : &wrong_value);
        load_behind(BARRIERS, true, value, value == 5 ? &pass : &wrong_value);
        props = PROPS;
        load_behind(NOTHING, true, value, value == 5 ? &pass : &wrong_value);
    }
}

/* The load's value is none of those that the report lists. */
static void names_writes(between how, bool performed, uint32_t value, const char *const lines[], size_t num) {
    scene t = store_and_load(how);
    const uint32_t store = take(&t, 0, "sw");
    if (performed)
        perform(&t, 0, store);
    if (how == BARRIERS) {
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
    }
    const uint32_t load = take(&t, 1, "lw");
    perform(&t, 1, load);
    result(&t, 1, load, value);
    if (!performed)
        perform(&t, 0, store);
    scoped_outcome o = finish(&t, &wrong_value);
    for (size_t i = 0; i < num; i++)
        if (!strstr(o.text, lines[i]))
            fail_msg("'%s' is not in\n%s", lines[i], o.text);
}

TEST(report_names_the_writes) {
    mem_order = KARAT_ORDER_PERFORMED;
    static const char *const stale[] = {
        "byte 0x90003000: 01 in the core; considered:",
        "05  workgroup 0 warp 0 seq ",
        "01  workgroup 0 warp 0 seq ",
        "not the last one performed before the read (rule: performed)",
    };
    names_writes(BARRIERS, true, 1, stale, sizeof stale / sizeof *stale);
    static const char *const early[] = {
        "byte 0x90003000: 02 in the core; considered:",
        "05  workgroup 0 warp 0 seq ",
        "not performed yet; ",
        "01  workgroup 0 warp 0 seq ",
    };
    names_writes(NOTHING, false, 2, early, sizeof early / sizeof *early);
    mem_order = KARAT_ORDER_NONE;
    static const char *const hidden[] = {
        "01  workgroup 0 warp 0 seq ",
        "hidden by a later write (rule: program order); that one is ordered before the read (rule: BARRIER)"};
    names_writes(BARRIERS, true, 1, hidden, sizeof hidden / sizeof *hidden);
}

/* A store that a barrier puts after the load; and memory at the end. */
TEST(report_names_what_comes_later) {
    mem_order = KARAT_ORDER_NONE;
    const insn first[MAX_INSN] = {INSN("barrier", 0), INSN("sw", 22, 0, 20)};
    const insn second[MAX_INSN] = {INSN("lw", 26, 0, 20), INSN("barrier", 0)};
    for (int end = 0; end < 2; end++) {
        scene t = two_parts(first, second);
        const uint32_t load = take(&t, 1, "lw");
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
        perform(&t, 0, take(&t, 0, "sw"));
        perform(&t, 1, load);
        result(&t, 1, load, end ? 1 : 5);
        t.left = 77;
        t.mask = end ? UINT32_MAX : 0;
        scoped_outcome o = finish(&t, end ? &wrong_memory : &wrong_value);
        const char *said =
            end ? "    05  workgroup 0 warp 0 seq " : "; ordered after the read (rule: BARRIER)";
        if (!strstr(o.text, said))
            fail_msg("%s", o.text);
    }
}

/* MEM and WRITE of a vector load, of the lanes that go into the nth register that it writes. */
static void load_lanes(scene *t, uint32_t warp, const access *x, uint32_t n) {
    record r = make_record(warp, KARAT_REC_MEM, x->seq);
    const uint32_t part = x->commit.write[n].reg % 2;
    r.mem.op = KARAT_MEM_LOAD;
    for (uint32_t k = 0; k < x->commit.mem.num; k++)
        if (karat_mem_access(&x->commit.mem, k).reg == part) {
            const uint32_t lane = karat_mem_access(&x->commit.mem, k).lane;
            r.mem.mask |= 1u << lane;
            r.mem.addr[lane] = (uint32_t)karat_mem_access(&x->commit.mem, k).addr;
            r.mem.bytes[lane / 2] |= (uint8_t)(15u << lane % 2 * 4);
        }
    add(t, &r);
}

/* In lanes are those that get value, the others what the model has. */
static void give_lanes(scene *t, uint32_t warp, const access *x, uint32_t n, uint32_t lanes, uint32_t value) {
    record r = make_record(warp, KARAT_REC_WRITE, x->seq);
    r.write.cls = KARAT_V;
    r.write.regno = x->commit.write[n].reg;
    r.write.mask = x->commit.write[n].mask;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
        r.write.data[lane] = lanes >> lane & 1 ? value : x->commit.write[n].value[lane];
    add(t, &r);
}

/* With a stride of 0 a lane loads one word into both registers of a group, and MEM does not say for which:
 * of two, with a store between them, each register may have either; after the store, neither what was
 * there before. */
TEST(one_word_in_both_registers) {
    mem_order = KARAT_ORDER_PERFORMED;
    tells = TELLS_DATA;
    for (uint32_t at = 0; at < 3; at++) /* How many MEMs come before the store */
        for (uint32_t values = 0; values < 9; values++)
            for (uint32_t order = 0; order < 2; order++) {
                const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20)};
                const insn second[MAX_INSN] = {INSN("vsetvli", 24, 0, 0xd1), INSN("vlse32_v", 20, 20, 0, 1)};
                scene t = two_parts(first, second);
                const uint32_t load = take(&t, 1, "vlse32_v"), store = take(&t, 0, "sw");
                const access *x = &t.warp[1].pending[load];
                const uint32_t before = x->commit.write[0].value[0], behind = 5;
                const uint32_t got[] = {before, behind, 77};
                for (uint32_t n = 0; n < 3; n++) {
                    if (n == at)
                        perform(&t, 0, store);
                    if (n < 2)
                        load_lanes(&t, 1, x, n ^ order);
                }
                const uint32_t value[2] = {got[values % 3], got[values / 3]};
                bool good = true;
                wanted legal = pass;
                for (uint32_t n = 0; n < 2; n++) {
                    give_lanes(&t, 1, x, n, UINT32_MAX, value[n]);
                    good &= at == 0 ? value[n] == behind : at == 2 ? value[n] == before : value[n] != 77;
                    legal.unordered += value[n] != before;
                }
                ends(&t, good ? &legal : &wrong_value);
            }
}

/* A load is under way when another warp stores to what one of its lanes loads, and more stores come than
 * are remembered, before its MEM or after it, or nearly so many: which lanes may have got what nobody
 * remembers. */
TEST(loads_that_wait_for_long) {
    mem_order = KARAT_ORDER_PERFORMED;
    tells = TELLS_DATA;
    for (uint32_t n = 0; n < 2 * 3 * 2 * 3; n++) {
        const bool coherent = n & 1, before = n / 2 & 1; /* MEM */
        const uint32_t lane = 1 + n / 4 % 3, age = remembered.accesses - 1 + n / 12 % 3 % 2;
        const bool told = n / 12 == 2; /* The value that was stored */
        const insn first[MAX_INSN] = {INSN("sw", 22, 8, 20)};
        const insn second[MAX_INSN] = {INSN("vsetvli", 24, 0, 0xd0), INSN("vle32_v", 20, 20, 1)};
        props = coherent ? PROPS : KARAT_PROP_FLUSHED;
        scene t = two_parts(first, second);
        const uint32_t load = take(&t, 1, "vle32_v"), store = take(&t, 0, "sw");
        perform(&t, 0, store);
        const access *x = &t.warp[1].pending[load];
        age_at = before ? t.s.num : t.s.num + 1;
        age_by = age;
        load_lanes(&t, 1, x, 0);
        give_lanes(&t, 1, x, 0, 1u << lane, told ? 5 : 77);
        const bool forgotten = age == remembered.accesses, raced = lane == 2 || before;
        const bool stored = told && lane == 2 && !forgotten;
        scoped_outcome o = judge_scene(&t);
        const karat_verdict want = coherent && forgotten && raced               ? KARAT_INCOMPLETE
                                   : stored || (told && lane == 2 && !coherent) ? KARAT_PASS
                                                                                : KARAT_MISMATCH;
        if (o.verdict != want || count_of(&o, "unjudged") != (want == KARAT_INCOMPLETE))
            fail_msg("%u: %s\n%s", n, o.line, o.text);
        if (want == KARAT_PASS)
            assert_int_equal(count_of(&o, "unordered"), 1);
    }
    age_by = 0;
    props = PROPS;
}

/* Warp 1 stores to a shared word (or its lowest byte), later than both warps have loaded it; then warp 0
 * loads it again. */
static stream store_then_load(const char *store) {
    program p = begin_program("lui 20 SHARED; lw 15 0 20; barrier 0; beq 7 0 8");
    put(&p, store, 7, 0, 20);
    for (unsigned i = 0; i < 6; i++)
        put(&p, "addi", 16, 16, 1);
    put_code(&p, "lw 13 0 20; addi 13 0 7; add 14 13 0; endprg");
    core_options o = fixture_options();
    o.workgroups = 1;
    o.gives &= ~(1u << KARAT_REC_READ);
    stream s = run_program(&p, &o);
    assert_true(issue_of(&s, 1, store, 0) < issue_of(&s, 0, "lw", 1));
    return s;
}

/* The other warp's store comes late: of the byte that is wrong nobody says anything, but the report names
 * the store. */
TEST(store_comes_late) {
    scoped_stream s = store_then_load("sb");
    PASSES(&s);
    size_t load = issue_of(&s, 0, "lw", 1);
    s.at[of(&s, load, KARAT_REC_WRITE, 0)].write.data[0] ^= 1u << 31;
    move(&s, of(&s, issue_of(&s, 1, "sb", 0), KARAT_REC_MEM, 0), of(&s, load, KARAT_REC_WRITE, 0) + 1);
    SAYS(&s, WRITE_VALUE, "warp 1 seq 20 0x80000050 sb x7, 0(x20) stores there");
    SAYS(&s, WRITE_VALUE, "has not been performed yet");
}

RUN_TESTS("loads")
