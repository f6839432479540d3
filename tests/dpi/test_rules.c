/* Every order rule of the memory model (dpi/mcm/rules.def): a program whose answer needs it. With the rule
 * the value is FORBIDDEN, without it ALLOWED. The memory model is called by itself: no checker is here. */
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "suite.h"

enum { A = 0x100, F = 0x104, ADD = 0, SWAP = 1, OR = 8 };

typedef struct world {
    karat_mcm *m;
    uint8_t memory[0x200];
    mcm_event event[16];
    mcm_part part[16][2];
    uint32_t num;
} world;

static void image_load(void *context, const mcm_place *at, void *bytes, size_t size) {
    memcpy(bytes, ((const world *)context)->memory + at->addr, size);
}

static void image_store(void *context, const mcm_place *at, const void *bytes, size_t size) {
    memcpy(((world *)context)->memory + at->addr, bytes, size);
}

static uint32_t amo(unsigned funct5, uint32_t value, uint32_t operand) {
    return funct5 == ADD ? value + operand : funct5 == OR ? value | operand : operand;
}

static bool unreported(void *context, const mcm_event *e, uint64_t addr) {
    (void)context, (void)e, (void)addr;
    return false;
}

/* Two warps of one workgroup. The one before is over. */
static world *begin(mcm_rule off, bool in_order, bool coherent) {
    static world w;
    mcm_destroy(w.m);
    memset(&w, 0, sizeof w);
    const mcm_core core = {.num_warp = 2,
                           .num_part = 4,
                           .reports = true,
                           .reports_order = in_order,
                           .coherent = coherent,
                           .ascending = true,
                           .answers = true,
                           .lds_base = 0x1000};
    const mcm_env env = {&w, image_load, image_store, amo, unreported};
    w.m = mcm_create(&core, &env);
    assert_non_null(w.m);
    if (off)
        mcm_switch_off(w.m, off);
    mcm_kernel(w.m, 2, 2, true);
    mcm_launch(w.m, 0, 0);
    mcm_launch(w.m, 1, 1);
    return &w;
}

/* An access of a word, which the image performs at once. */
static mcm_event *issue(world *w, uint32_t warp, mcm_kind kind, uint32_t addr, unsigned funct5,
                        uint32_t operand, bool aq, bool rl) {
    mcm_event *e = &w->event[w->num];
    uint32_t old;
    memcpy(&old, w->memory + addr, 4);
    const uint32_t value = kind <= MCM_LR ? old : kind == MCM_AMO ? amo(funct5, old, operand) : operand;
    *e = (mcm_event){.at = mcm_step(w->m, warp),
                     .warp = warp,
                     .kind = kind,
                     .amo = (uint8_t)funct5,
                     .acquires = aq,
                     .releases = rl,
                     .answers = kind != MCM_STORE,
                     .stores_in_image = kind == MCM_SC,
                     .operand = operand,
                     .num = 1,
                     .part = w->part[w->num++]};
    e->part[0] = (mcm_part){.addr = addr, .old = old, .value = value, .bytes = 4};
    memcpy(w->memory + addr, &value, 4);
    assert_true(mcm_issue(w->m, e));
    return e;
}

static void perform(world *w, mcm_event *e) {
    mcm_violation wrong;
    uint64_t lane_races = 0;
    mcm_reported(w->m);
    if (e->kind == MCM_AMO)
        mcm_amo_performed(w->m, e, e->part[0].old, false, 0);
    assert_true(mcm_performed(w->m, e, (mcm_parts){0, 1}, true, 0, &wrong, &lane_races));
}

/* May the load have returned that value of its word? */
static mcm_verdict returns(world *w, const mcm_event *load, uint32_t value) {
    bool lanes;
    return mcm_loaded(w->m, load, 0, value, &lanes).is;
}

static mcm_verdict by_program(mcm_rule off) {
    world *w = begin(off, false, false);
    issue(w, 0, MCM_STORE, A, 0, 1, false, false);
    return returns(w, issue(w, 0, MCM_LOAD, A, 0, 0, false, false), 0);
}

static mcm_verdict by_lanes(mcm_rule off) {
    world *w = begin(off, false, false);
    mcm_event *e = &w->event[w->num++];
    *e = (mcm_event){.at = mcm_step(w->m, 0), .kind = MCM_STORE, .num = 2, .part = w->part[0]};
    for (uint32_t lane = 0; lane < 2; lane++)
        e->part[lane] =
            (mcm_part){.addr = A, .old = lane, .value = 1 + lane, .bytes = 4, .lane = (uint8_t)lane};
    w->memory[A] = 2;
    assert_true(mcm_issue(w->m, e));
    return returns(w, issue(w, 0, MCM_LOAD, A, 0, 0, false, false), 1);
}

/* A message from warp 0 to warp 1 through the flag F. */
static mcm_verdict by_message(mcm_rule off, bool rl, bool aq) {
    world *w = begin(off, true, false);
    perform(w, issue(w, 0, MCM_STORE, A, 0, 1, false, false));
    if (!rl) {
        mcm_moment at = mcm_step(w->m, 0);
        mcm_fence(w->m, 0, &at, MCM_ALL, MCM_ALL, true, 0);
    }
    perform(w, issue(w, 0, MCM_AMO, F, SWAP, 1, false, rl));
    perform(w, issue(w, 1, MCM_AMO, F, OR, 0, aq, false));
    if (!aq) {
        mcm_moment at = mcm_step(w->m, 1);
        mcm_fence(w->m, 1, &at, MCM_ALL, MCM_ALL, true, 0);
    }
    return returns(w, issue(w, 1, MCM_LOAD, A, 0, 0, false, false), 0);
}

static mcm_verdict by_fence(mcm_rule off) {
    return by_message(off, false, false);
}

static mcm_verdict by_acquire(mcm_rule off) {
    return by_message(off, false, true);
}

static mcm_verdict by_release(mcm_rule off) {
    return by_message(off, true, false);
}

static mcm_verdict by_barrier(mcm_rule off) {
    world *w = begin(off, false, false);
    issue(w, 0, MCM_STORE, A, 0, 1, false, false);
    for (uint32_t warp = 0; warp < 2; warp++) {
        mcm_step(w->m, warp);
        mcm_barrier(w->m, warp);
        mcm_released(w->m, warp);
    }
    return returns(w, issue(w, 1, MCM_LOAD, A, 0, 0, false, false), 0);
}

static mcm_verdict by_kernel(mcm_rule off) {
    world *w = begin(off, false, false);
    issue(w, 0, MCM_STORE, A, 0, 1, false, false);
    mcm_end(w->m, 0);
    mcm_end(w->m, 1);
    mcm_kernel(w->m, 2, 2, true);
    mcm_launch(w->m, 0, 0);
    mcm_launch(w->m, 1, 1);
    return returns(w, issue(w, 1, MCM_LOAD, A, 0, 0, false, false), 0);
}

static mcm_verdict by_host(mcm_rule off) {
    world *w = begin(off, false, false);
    mcm_host_write(w->m, A, (const uint8_t[]){1, 0, 0, 0}, 4, false, 0);
    w->memory[A] = 1;
    return returns(w, issue(w, 1, MCM_LOAD, A, 0, 0, false, false), 0);
}

/* Another warp's AMO has answered between an LR and its SC, which says that it has stored. */
static mcm_verdict by_reservation(mcm_rule off) {
    world *w = begin(off, false, false);
    mcm_atomic found;
    assert_int_equal(mcm_returned(w->m, issue(w, 0, MCM_LR, F, 0, 0, false, false), 0, true).answer.is,
                     MCM_ALLOWED);
    mcm_event *add = issue(w, 1, MCM_AMO, F, ADD, 1, false, false);
    assert_int_equal(mcm_returned(w->m, add, 0, true).answer.is, MCM_ALLOWED);
    mcm_event *sc = issue(w, 0, MCM_SC, F, 3, 7, false, false);
    assert_int_equal(mcm_sc_may_store(w->m, sc), MCM_SC_STORES);
    return mcm_sc_stored(w->m, sc, &found) == MCM_SC_STORES ? MCM_ALLOWED : MCM_FORBIDDEN;
}

/* An AMO that is issued after another one has answered cannot have been before it. */
static mcm_verdict by_answer(mcm_rule off) {
    world *w = begin(off, false, false);
    mcm_event *add = issue(w, 0, MCM_AMO, F, ADD, 1, false, false);
    assert_int_equal(mcm_returned(w->m, add, 0, false).answer.is, MCM_ALLOWED);
    return mcm_returned(w->m, issue(w, 1, MCM_AMO, F, OR, 0, false, false), 0, true).answer.is;
}

static mcm_verdict by_performance(mcm_rule off) {
    world *w = begin(off, true, true);
    mcm_event *load = issue(w, 1, MCM_LOAD, A, 0, 0, false, false);
    perform(w, issue(w, 0, MCM_STORE, A, 0, 1, false, false));
    perform(w, load);
    return returns(w, load, 0);
}

TEST(every_rule_is_needed) {
    static mcm_verdict (*const programs[MCM_NUM_RULE])(mcm_rule off) = {[MCM_PROGRAM] = by_program,
                                                                        [MCM_LANES] = by_lanes,
                                                                        [MCM_FENCE] = by_fence,
                                                                        [MCM_ACQUIRE] = by_acquire,
                                                                        [MCM_RELEASE] = by_release,
                                                                        [MCM_BARRIER] = by_barrier,
                                                                        [MCM_KERNEL] = by_kernel,
                                                                        [MCM_HOST] = by_host,
                                                                        [MCM_RESERVATION] = by_reservation,
                                                                        [MCM_ANSWERED] = by_answer,
                                                                        [MCM_PERFORMED] = by_performance};
    for (mcm_rule rule = MCM_NO_RULE + 1; rule < MCM_NUM_RULE; rule++)
        for (int off = 0; off < 2; off++) {
            const mcm_verdict is = programs[rule](off ? rule : MCM_NO_RULE);
            if (is != (off ? MCM_ALLOWED : MCM_FORBIDDEN))
                fail_msg("%s, %s: %d", mcm_rule_name(rule), off ? "off" : "on", (int)is);
        }
}

/* Two accesses of one warp to different words, performed the wrong way round: the rule that is broken;
 * off: without it. */
static mcm_rule broken(mcm_rule by, bool off) {
    world *w = begin(off ? by : MCM_NO_RULE, true, true);
    mcm_violation wrong;
    uint64_t lane_races = 0;
    issue(w, 0, by == MCM_ACQUIRE ? MCM_AMO : MCM_STORE, F, OR, 1, by == MCM_ACQUIRE, false);
    mcm_moment at = mcm_step(w->m, 0);
    if (by == MCM_FENCE)
        mcm_fence(w->m, 0, &at, MCM_WRITES, MCM_WRITES, true, 0x44);
    if (by == MCM_BARRIER)
        mcm_barrier(w->m, 0);
    issue(w, 0, MCM_LOAD, A, 0, 0, false, false); /* A FENCE of writes does not wait for it */
    mcm_event *later =
        issue(w, 0, by == MCM_RELEASE ? MCM_AMO : MCM_STORE, A, OR, 1, false, by == MCM_RELEASE);
    mcm_reported(w->m);
    const bool right = mcm_performed(w->m, later, (mcm_parts){0, 1}, true, 0, &wrong, &lane_races);
    assert_int_equal(right, !wrong.rule);
    assert_int_equal(wrong.has_fence ? wrong.fence_pc : 0, wrong.rule == MCM_FENCE ? 0x44 : 0);
    assert_true(right || wrong.other == &w->event[0]);
    return wrong.rule;
}

/* An access waits for all that these rules order before it, and for nothing else. */
TEST(every_rule_is_waited_for) {
    static const mcm_rule rules[] = {MCM_FENCE, MCM_ACQUIRE, MCM_RELEASE, MCM_BARRIER};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(broken(rules[i], false), rules[i]);
        assert_int_equal(broken(rules[i], true), MCM_NO_RULE);
    }
    assert_int_equal(broken(MCM_PROGRAM, false), MCM_NO_RULE);
}

static int end(void **state) {
    (void)state;
    mcm_destroy(begin(MCM_NO_RULE, false, false)->m);
    return 0;
}

TEST(rules_have_names) {
    for (mcm_rule rule = MCM_NO_RULE + 1; rule < MCM_NUM_RULE; rule++) {
        assert_int_equal(mcm_find_rule(mcm_rule_name(rule)), rule);
    }
    assert_int_equal(mcm_find_rule("no such rule"), MCM_NO_RULE);
}

RUN_TESTS_BETWEEN("rules", NULL, end)
