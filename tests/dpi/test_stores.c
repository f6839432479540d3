/* Stores of several warps, or several lanes, to one place: in which order they may be performed. */
#include "judge.h"
#include "two_warps.h"
#include "scene.h"

#include <string.h>

/* Both store to one word, warp 0 first, with or without a barrier between; then both load it. */
static scene storers(bool barrier) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put_code(&t.p, "lui 20 SHARED; addi 22 7 5");
    if (barrier) {
        put_code(&t.p, "bne 7 0 12; sw 22 0 20; sb 22 1 20; barrier 0; beq 7 0 8");
    }
    put_code(&t.p, "sh 22 0 20; barrier 0; lhu 27 0 20");
    begin(&t);
    return t;
}

static void load_both(scene *t, uint32_t value) {
    take(t, 0, "barrier");
    take(t, 1, "barrier");
    for (uint32_t warp = 0; warp < 2; warp++) {
        uint32_t load = take(t, warp, "lhu");
        perform(t, warp, load);
        result(t, warp, load, value);
    }
}

/* A store and a load on both sides of a FENCE with those sets, performed in the other order. */
static void across_fence(int32_t mode, int32_t before, int32_t behind, bool load_first, const wanted *want) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put_code(&t.p, "lui 20 SHARED; sw 0 64 20");
    uint32_t skip = put_part(&t.p, 0);
    put(&t.p, load_first ? "lw" : "sw", load_first ? 26 : 20, 0, 20);
    put(&t.p, "fence", mode, before, behind, 0, 0);
    put(&t.p, load_first ? "sw" : "lw", load_first ? 20 : 26, 64, 20);
    put_end_part(&t.p, skip, 0);
    begin(&t);
    for (uint32_t warp = 0; warp < 2; warp++)
        perform(&t, warp, take(&t, warp, "sw"));
    uint32_t first = take(&t, 0, load_first ? "lw" : "sw");
    uint32_t second = take(&t, 0, load_first ? "sw" : "lw"), load = load_first ? first : second;
    uint32_t held = 0;
    karat_read(t.model, SHARED + (load_first ? 0 : 64), &held, 4);
    perform(&t, 0, second);
    perform(&t, 0, first);
    result(&t, 0, load, held);
    ends(&t, want);
}

static void fences(void) {
    mem_order = KARAT_ORDER_PERFORMED;
    across_fence(0, 15, 15, false, &out_of_order);
    across_fence(0, 15, 15, true, &out_of_order);
    across_fence(0, WRITE, READ, false, &out_of_order);
    across_fence(0, READ, WRITE, true, &out_of_order);
    across_fence(0, READ, READ, false, &pass);
    across_fence(0, WRITE, WRITE, false, &pass);
    across_fence(0, WRITE, WRITE, true, &pass);
    across_fence(0, READ | WRITE, READ, true, &pass);
    across_fence(8, READ | WRITE, READ | WRITE, false, &pass); /* FENCE.TSO lets loads pass stores */
    mem_order = KARAT_ORDER_NONE;
    across_fence(0, 15, 15, false, &pass);
}

/* Stores that the program orders are performed in that order. */
TEST(mem_order_kind) {
    fences();
    mem_order = KARAT_ORDER_PERFORMED;
    for (int wrong = 0; wrong < 3; wrong++) {
        scene t = storers(true);
        uint32_t word = take(&t, 0, "sw"), byte = take(&t, 0, "sb");
        if (wrong == 1)
            perform(&t, 0, byte);
        if (wrong != 2)
            perform(&t, 0, word);
        if (!wrong)
            perform(&t, 0, byte);
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
        perform(&t, 1, take(&t, 1, "sh"));
        if (wrong == 2)
            perform(&t, 0, word), perform(&t, 0, byte);
        load_both(&t, 6);
        ends(&t, wrong ? &out_of_order : &pass);
    }
    mem_order = KARAT_ORDER_NONE; /* It is not known */
    scene t = storers(true);
    uint32_t word = take(&t, 0, "sw"), byte = take(&t, 0, "sb");
    perform(&t, 0, byte);
    perform(&t, 0, word);
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    perform(&t, 1, take(&t, 1, "sh"));
    load_both(&t, 6);
    ends(&t, &pass);
}

/* An access that overtakes, one that was passed, and writes considered for a load are named with their
 * prefixes. */
TEST(prefixed_are_named) {
    enum { OVERTAKES, PASSED, CONSIDERED };
    static const char *const expected[] = {
        " sw x53, 0(x20)  {regext}, which is ordered after it (rule: program order)",
        " sw x53, 0(x20)  {regext}, which is ordered before it (rule: FENCE",
        " sw x53, 0(x20)  {regext}, issued in cycle "};
    const insn none[MAX_INSN] = {{0}}, prefix = INSN("regext", 0, 1, 0, 0), store = INSN("sw", 21, 0, 20);
    mem_order = KARAT_ORDER_PERFORMED;
    for (int how = OVERTAKES; how <= CONSIDERED; how++) {
        const insn over[MAX_INSN] = {INSN("sw", 22, 0, 20), prefix, store};
        const insn under[MAX_INSN] = {prefix, store, INSN("fence", 0, READ | WRITE, READ | WRITE, 0, 0),
                                      INSN("sw", 22, FLAG, 20)};
        const insn load[MAX_INSN] = {INSN("lw", 27, 0, 20)};
        scene t = two_parts(how == OVERTAKES ? over : under, how == CONSIDERED ? load : none);
        const uint32_t old = how == OVERTAKES ? take(&t, 0, "sw") : take(&t, 0, "regext");
        if (how == CONSIDERED) {
            perform(&t, 0, old);
            const uint32_t n = take(&t, 1, "lw");
            perform(&t, 1, n);
            result(&t, 1, n, 77);
        } else {
            perform(&t, 0, take(&t, 0, how == OVERTAKES ? "regext" : "sw"));
            perform(&t, 0, old);
        }
        scoped_outcome o = finish(&t, how == CONSIDERED ? &wrong_value : &out_of_order);
        if (!strstr(o.text, expected[how]))
            fail_msg("%s", o.text);
    }
}

/* More stores than are remembered: of a core that reports their order memory is exact anyway. */
TEST(memory_behind_many_stores) {
    mem_order = KARAT_ORDER_PERFORMED;
    const insn first[MAX_INSN] = {INSN("addi", 28, 0, 1030), INSN("slli", 28, 28, 2), INSN("sw", 28, 0, 20),
                                  INSN("addi", 28, 28, -1), INSN("bne", 28, 0, -8)};
    const insn none[MAX_INSN] = {{0}};
    for (uint32_t left = 1; left < 3; left++) {
        scene t = two_parts(first, none);
        const uint32_t done = t.warp[0].num;
        for (uint32_t i = 0; i < 4120; i++) {
            perform(&t, 0, take(&t, 0, "sw"));
            t.warp[0].num = done;
        }
        t.left = left;
        t.mask = 0xffffffffu;
        ends(&t, left == 1 ? &pass : &wrong_memory);
    }
}

/* Pending completions of a failed warp order nothing. */
TEST(excluded_puts_nothing_first) {
    mem_order = KARAT_ORDER_PERFORMED;
    failures = 2;
    for (int fails = 0; fails < 2; fails++) {
        const insn first[MAX_INSN] = {INSN("lw", 25, FLAG, 20), INSN("sw", 22, 0, 20), INSN("barrier", 0)};
        const insn second[MAX_INSN] = {INSN("barrier", 0), INSN("lw", 26, FLAG, 20)};
        scene t = two_parts(first, second);
        uint32_t load = take(&t, 0, "lw");
        perform(&t, 0, load);
        result(&t, 0, load, fails ? 77 : 0);
        const uint32_t store = take(&t, 0, "sw");
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
        load = take(&t, 1, "lw");
        perform(&t, 1, load);
        result(&t, 1, load, 0);
        perform(&t, 0, store);
        scoped_outcome o = finish(&t, fails ? &wrong_value : &out_of_order);
        if (strstr(o.text, "\n  also "))
            fail_msg("%s", o.text);
    }
    failures = 1;
}

RUN_TESTS("stores")
