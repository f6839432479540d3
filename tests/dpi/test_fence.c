/* FENCE, .aq and .rl: what they order, and what is remembered of them. */
#include "judge.h"
#include "mcm.h"
#include "two_warps.h"

#include <stdio.h>
#include <string.h>

/* The report names that rule, and the place of it; the JSON names it, and no other. */
static void names_rule(const outcome *o, mcm_rule rule, const char *place) {
    const json_t *names = json_object_get(json_object_get(o->json, "failure"), "rule");
    char said[80];
    snprintf(said, sizeof said, ", which is ordered before it (rule: %s%s)", mcm_rule_name(rule), place);
    if (!strstr(o->text, said))
        fail_msg("'%s' is not in\n%s", said, o->text);
    assert_int_equal(json_array_size(names), 1);
    assert_string_equal(json_string_value(json_array_get(names, 0)), mcm_rule_name(rule));
}

/* Two accesses of one warp, the younger performed first, and an instruction between them. rule: orders the
 * two. */
static void put_before(insn older, insn between, insn younger, mcm_rule rule) {
    const bool barrier = strcmp(between.row, "barrier") == 0;
    const insn first[MAX_INSN] = {older, between, younger};
    const insn second[MAX_INSN] = {between};
    scene t = two_parts(first, second);
    const uint32_t old = take(&t, 0, older.row);
    if (barrier) {
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
    }
    const uint32_t young = take(&t, 0, younger.row);
    perform(&t, 0, young);
    perform(&t, 0, old);
    for (uint32_t n = old; n <= young; n++)
        if (t.warp[0].pending[n].commit.num_writes)
            result(&t, 0, n, n == old);
    scoped_outcome o = finish(&t, rule ? &out_of_order : &pass);
    if (rule)
        names_rule(&o, rule, rule == MCM_FENCE ? " at 0x80000074" : "");
}

/* Several FENCEs between a store and what is performed before it: the last that orders the two is named,
 * and none of those after it that do not; nor any where so many come after that it is not remembered. */
static void names_fences(const insn *between, uint32_t num, bool loads, uint32_t named) {
    insn first[MAX_INSN] = {INSN("sw", 22, 0, 20)};
    const insn none[MAX_INSN] = {{0}};
    memcpy(first + 1, between, num * sizeof *first);
    first[1 + num] = loads ? (insn)INSN("lw", 27, FLAG, 20) : (insn)INSN("sw", 21, FLAG, 20);
    scene t = two_parts(first, none);
    const uint32_t old = take(&t, 0, "sw"), young = take(&t, 0, loads ? "lw" : "sw");
    uint32_t at = 0; /* The first FENCE */
    while (at < t.p.num && (t.p.word[at] & 0x707f) != 0x0f)
        at++;
    perform(&t, 0, young);
    perform(&t, 0, old);
    scoped_outcome o = finish(&t, &out_of_order);
    char place[24] = "";
    if (named < num)
        snprintf(place, sizeof place, " at 0x%08x", CODE_BASE + 4 * (at + named));
    names_rule(&o, MCM_FENCE, place);
}

TEST(fences_that_are_named) {
    const insn all = INSN("fence", 0, READ | WRITE, READ | WRITE, 0, 0),
               reads = INSN("fence", 0, READ, READ, 0, 0),
               tso = INSN("fence", 8, READ | WRITE, READ | WRITE, 0, 0);
    mem_order = KARAT_ORDER_PERFORMED;
    names_fences((insn[]){all, reads}, 2, false, 0);
    names_fences((insn[]){reads, all}, 2, false, 1);
    names_fences((insn[]){all, tso}, 2, true, 0); /* Which a load passes */
    names_fences((insn[]){all, tso}, 2, false, 1);
    insn many[10] = {all, reads, reads, reads, reads, reads, reads, reads, reads, reads};
    names_fences(many, 8, false, 0);
    names_fences(many, 9, false, 9);
    names_fences(many, 10, false, 10);
}

/* So many AMOs of warp 1, each of which one of warp 0 reads; then the scene goes on as from here. */
static void pair_up(scene *t, int32_t times) {
    const uint32_t done[2] = {t->warp[0].num, t->warp[1].num};
    while (times--) {
        perform(t, 1, take(t, 1, "amoor_w"));
        const uint32_t n = take(t, 0, "amoor_w");
        perform(t, 0, n);
        result(t, 0, n, 1);
        t->warp[0].num = done[0];
        t->warp[1].num = done[1];
    }
}

/* One warp acquires what the other has released, or only reads it, and then releases 'more' times what the
 * other acquires. Of these pairs the last 1024 are remembered; what is forgotten makes no race of what the
 * first one ordered. */
static void many_pairs(int32_t more, bool acquires, const wanted *want) {
    enum { RELAXED, OF_RL, OF_AQ };
    const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20),     INSN("amoor_w", 0, 21, 23, OF_RL),
                                  INSN("addi", 28, 0, more), INSN("amoor_w", 29, 0, 23, OF_AQ),
                                  INSN("addi", 28, 28, -1),  INSN("bne", 28, 0, -8)};
    const insn second[MAX_INSN] = {INSN("amoor_w", 29, 0, 23, acquires ? OF_AQ : RELAXED),
                                   INSN("addi", 28, 0, more),
                                   INSN("amoor_w", 0, 21, 23, OF_RL),
                                   INSN("addi", 28, 28, -1),
                                   INSN("bne", 28, 0, -8),
                                   INSN("lw", 26, 0, 20)};
    scene t = two_parts(first, second);
    perform(&t, 0, take(&t, 0, "sw"));
    perform(&t, 0, take(&t, 0, "amoor_w"));
    uint32_t n = take(&t, 1, "amoor_w");
    perform(&t, 1, n);
    result(&t, 1, n, 1);
    pair_up(&t, more);
    n = take(&t, 1, "lw");
    perform(&t, 1, n);
    result(&t, 1, n, 5);
    ends(&t, want);
}

/* After so many pairs of a release and its acquire the last one still orders what is before it before what
 * is after it; without it the two race. */
static void recent_pair(int32_t pairs, bool acquires) {
    enum { RELAXED, OF_RL, OF_AQ };
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    const insn first[MAX_INSN] = {INSN("addi", 28, 0, pairs),
                                  INSN("amoor_w", 29, 0, 23, OF_AQ),
                                  INSN("addi", 28, 28, -1),
                                  INSN("bne", 28, 0, -8),
                                  INSN("amoor_w", 29, 0, 23, acquires ? OF_AQ : RELAXED),
                                  INSN("lw", 26, 128, 20)};
    const insn second[MAX_INSN] = {INSN("addi", 28, 0, pairs), INSN("amoor_w", 0, 21, 23, OF_RL),
                                   INSN("addi", 28, 28, -1),   INSN("bne", 28, 0, -8),
                                   INSN("sw", 22, 128, 20),    INSN("amoor_w", 0, 21, 23, OF_RL)};
    scene t = two_parts(first, second);
    uint32_t n;
    pair_up(&t, pairs);
    perform(&t, 1, take(&t, 1, "sw"));
    perform(&t, 1, take(&t, 1, "amoor_w"));
    n = take(&t, 0, "amoor_w");
    perform(&t, 0, n);
    result(&t, 0, n, 1);
    n = take(&t, 0, "lw");
    perform(&t, 0, n);
    result(&t, 0, n, 5);
    ends(&t, acquires ? &pass : &race);
}

TEST(pairs_are_forgotten) {
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    mem_order = KARAT_ORDER_PERFORMED;
    strict = KARAT_STRICT_RACES;
    many_pairs(1, true, &pass);
    many_pairs(1, false, &race);
    many_pairs(200, true, &pass);
    many_pairs(200, false, &race);
    many_pairs(1023, true, &pass);
    many_pairs(1024, true, &pass);
    many_pairs(1024, false, &race);
    many_pairs(1025, false, &pass); /* Not remembered any more */
    recent_pair(3, true);
    recent_pair(3, false);
    recent_pair(1025, true);
    strict = 0;
}

/* Releases of several words, read one after the other and then ordered by one FENCE: the last sixteen
 * count, and of more nothing is claimed. missing: one that is none. */
static void many_acquired(uint32_t num, uint32_t missing) {
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    enum { DATA_AT = 128 };
    insn first[MAX_INSN] = {{0}}, second[MAX_INSN] = {{0}};
    uint32_t a = 0, b = 0;
    for (uint32_t k = 0; k < num; k++) {
        const int32_t at = DATA_AT + 4 * (int32_t)k;
        first[a++] = (insn)INSN("sw", 22, at, 20);
        first[a++] = (insn)INSN("amoor_w", 0, 21, 23, k != missing);
        first[a++] = (insn)INSN("addi", 23, 23, 4);
        second[b++] = (insn)INSN("amoor_w", 29, 0, 23, 0);
        second[b++] = (insn)INSN("addi", 23, 23, 4);
    }
    second[b++] = (insn)INSN("fence", 0, 3, 3, 0, 0);
    for (uint32_t k = 0; k < num; k++)
        second[b++] = (insn)INSN("lw", 26, DATA_AT + 4 * (int32_t)k, 20);
    scene t = two_parts(first, second);
    uint32_t n = 0;
    for (uint32_t k = 0; k < num; k++) {
        perform(&t, 0, take(&t, 0, "sw"));
        perform(&t, 0, take(&t, 0, "amoor_w"));
    }
    for (uint32_t k = 0; k < num; k++) {
        perform(&t, 1, n = take(&t, 1, "amoor_w"));
        result(&t, 1, n, 1);
    }
    for (uint32_t k = 0; k < num; k++) {
        perform(&t, 1, n = take(&t, 1, "lw"));
        result(&t, 1, n, 5);
    }
    /* A later release takes along what is before it; where more were acquired than fit, nothing is
     * claimed. */
    ends(&t, missing == num - 1 && num <= remembered.acquired + 1 ? &race : &pass);
}

/* A plain store to the flag behind its release: who reads that acquires nothing. */
static void release_is_over(void) {
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    for (int over = 0; over < 2; over++) {
        const insn first[MAX_INSN] = {INSN("sw", 22, 128, 20), INSN("amoor_w", 0, 21, 23, 1),
                                      INSN("sw", 21, FLAG, 20)};
        const insn second[MAX_INSN] = {INSN("amoor_w", 29, 0, 23, 2), INSN("lw", 26, 128, 20)};
        scene t = two_parts(first, second);
        perform(&t, 0, take(&t, 0, "sw"));
        perform(&t, 0, take(&t, 0, "amoor_w"));
        if (over)
            perform(&t, 0, take(&t, 0, "sw"));
        uint32_t n;
        perform(&t, 1, n = take(&t, 1, "amoor_w"));
        result(&t, 1, n, 1);
        perform(&t, 1, n = take(&t, 1, "lw"));
        result(&t, 1, n, 5);
        if (!over)
            perform(&t, 0, take(&t, 0, "sw"));
        ends(&t, over ? &race : &pass);
    }
}

/* FENCEs after a flag's store, issued before it is performed, release nothing with it; early: what the
 * FENCE before it does, as long as it is remembered. */
static void fences_behind_a_flag(int32_t ahead, int32_t num, bool early, bool stale) {
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    insn first[MAX_INSN] = {{0}};
    for (int32_t i = 0; i < ahead; i++) /* Of which nothing depends on any */
        first[i] = (insn)INSN("fence", 0, 3, 3, 0, 0);
    const insn flagged[] = {INSN("sw", 22, 128, 20), INSN("fence", 0, 3, 3, 0, 0), INSN("sw", 21, FLAG, 20),
                            INSN("sw", 22, 132, 20)};
    memcpy(&first[ahead], flagged, sizeof flagged);
    for (int32_t i = 0; i < num; i++)
        first[ahead + 4 + i] = (insn)INSN("fence", 0, 3, 3, 0, 0);
    const insn second[MAX_INSN] = {INSN("amoor_w", 29, 0, 23, 0), INSN("amoor_w", 29, 0, 23, 2),
                                   INSN("lw", 26, early ? 128 : 132, 20)};
    scene t = two_parts(first, second);
    uint32_t n, before;
    karat_read(t.model, SHARED + (early ? 128 : 132), &before, 4);
    perform(&t, 1, n = take(&t, 1, "amoor_w"));
    result(&t, 1, n, 0);
    perform(&t, 0, take(&t, 0, "sw"));
    const uint32_t flag = take(&t, 0, "sw");
    perform(&t, 0, take(&t, 0, "sw"));
    for (int32_t i = 0; i < num; i++)
        take(&t, 0, "fence");
    perform(&t, 0, flag);
    perform(&t, 1, n = take(&t, 1, "amoor_w"));
    result(&t, 1, n, 1);
    perform(&t, 1, n = take(&t, 1, "lw"));
    result(&t, 1, n, stale ? before : 5);
    if (stale) /* In a cache that nobody keeps coherent */
        ends(&t, early && num < 8 ? &wrong_value : &unordered);
    else
        ends(&t, early || num >= 8 ? &pass : &race);
}

/* A store, then so many loads of other words, then another warp's load of the first word: the last 4095
 * are looked at. */
static void far_apart(int32_t rounds, int32_t more, const wanted *want) {
    const insn first[MAX_INSN] = {INSN("sw", 22, 128, 20), INSN("addi", 28, 0, rounds),
                                  INSN("slli", 28, 28, 2), INSN("addi", 28, 28, more),
                                  INSN("lw", 26, 0, 10),   INSN("addi", 28, 28, -1),
                                  INSN("bne", 28, 0, -8)};
    const insn second[MAX_INSN] = {INSN("lw", 26, 128, 20)};
    scene t = two_parts(first, second);
    perform(&t, 0, take(&t, 0, "sw"));
    uint32_t n, held;
    karat_read(t.model, DATA_BASE, &held, 4);
    for (int32_t i = 0; i < 4 * rounds + more; i++) {
        perform(&t, 0, n = take(&t, 0, "lw"));
        result(&t, 0, n, held);
        t.warp[0].num = n;
    }
    perform(&t, 1, n = take(&t, 1, "lw"));
    result(&t, 1, n, 5);
    ends(&t, want);
}

TEST(what_is_remembered) {
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    mem_order = KARAT_ORDER_PERFORMED;
    strict = KARAT_STRICT_RACES;
    static const uint32_t nums[] = {1, 2, 15, 16, 17, 18, 19};
    for (size_t i = 0; i < sizeof nums / sizeof *nums; i++)
        for (uint32_t missing = 0; missing <= nums[i]; missing++)
            many_acquired(nums[i], missing);
    release_is_over();
    static const int32_t fences[] = {0, 1, 2, 6, 7, 8, 9, 10, 16, 19}; /* The last eight are remembered */
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
        for (int early = 0; early < 2; early++)
            for (int32_t ahead = 0; ahead < 20; ahead += 9)
                fences_behind_a_flag(ahead, fences[i], early, false);
    far_apart(1023, 1, &race);
    far_apart(1023, 2, &race);
    far_apart(1023, 3, &pass);
    strict = 0;
    props = KARAT_PROP_FLUSHED;
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
        for (int early = 0; early < 2; early++)
            for (int32_t ahead = 0; ahead < 20; ahead += 9)
                fences_behind_a_flag(ahead, fences[i], early, true);
    props = PROPS;
}

/* FENCEs of stores alone release beside each other: more of them than a word remembers. */
TEST(many_releases) {
    mem_order = KARAT_ORDER_PERFORMED;
    strict = KARAT_STRICT_RACES;
    insn first[MAX_INSN] = {{0}};
    const insn second[MAX_INSN] = {INSN("amoor_w", 29, 0, 23, 0), INSN("fence", 0, 3, 3, 0, 0),
                                   INSN("lw", 26, 128, 20)};
    uint32_t num = 0;
    first[num++] = (insn)INSN("sw", 22, 128, 20);
    for (uint32_t n = 0; n < 4; n++) {
        for (uint32_t k = 0; k < remembered.fences; k++)
            first[num++] = (insn)INSN("fence", 0, WRITE, WRITE, 0, 0);
        first[num++] = (insn)INSN("amoadd_w", 25, 21, 23, 0);
    }
    scene t = two_parts(first, second);
    perform(&t, 0, take(&t, 0, "sw"));
    for (uint32_t n = 0; n < 4; n++) {
        const uint32_t amo = take(&t, 0, "amoadd_w");
        perform(&t, 0, amo);
        result(&t, 0, amo, n);
    }
    uint32_t n = take(&t, 1, "amoor_w");
    perform(&t, 1, n);
    result(&t, 1, n, 4);
    perform(&t, 1, n = take(&t, 1, "lw"));
    result(&t, 1, n, 5);
    ends(&t, &pass);
    strict = 0;
}

TEST(what_comes_first) {
    mem_order = KARAT_ORDER_PERFORMED;
    const insn load = INSN("lw", 25, 0, 20), store = INSN("sw", 21, 0, 20),
               next_load = INSN("lw", 26, FLAG, 20), next_store = INSN("sw", 22, FLAG, 20),
               nothing = INSN("addi", 28, 0, 0), barrier = INSN("barrier", 0),
               tso = INSN("fence", 8, READ | WRITE, READ | WRITE, 0, 0),
               reads = INSN("fence", 0, READ, READ | WRITE, 0, 0), loads = INSN("fence", 0, READ, READ, 0, 0);
    put_before(load, nothing, next_load, MCM_NO_RULE);
    put_before(load, loads, next_load, MCM_FENCE);
    put_before(load, loads, next_store, MCM_NO_RULE);
    put_before(store, reads, next_load, MCM_NO_RULE);
    put_before(load, reads, next_store, MCM_FENCE);
    put_before(store, tso, next_load, MCM_NO_RULE);
    put_before(store, tso, next_store, MCM_FENCE);
    put_before(load, tso, next_load, MCM_FENCE);
    put_before(load, tso, next_store, MCM_FENCE);
    put_before(store, barrier, next_load, MCM_BARRIER);
    put_before(load, barrier, next_store, MCM_BARRIER);
    enum { RELAXED, OF_RL, OF_AQ };
    static const mcm_rule older[] = {[OF_AQ] = MCM_ACQUIRE},
                          younger[] = {[OF_RL] = MCM_RELEASE, [OF_AQ] = MCM_NO_RULE};
    for (int32_t bits = RELAXED; bits <= OF_AQ; bits++) {
        const insn amo = INSN("amoor_w", 27, 0, 20, bits), next_amo = INSN("amoor_w", 27, 0, 23, bits);
        put_before(amo, nothing, next_load, older[bits]);
        put_before(amo, nothing, next_store, older[bits]);
        put_before(load, nothing, next_amo, younger[bits]);
        put_before(store, nothing, next_amo, younger[bits]);
    }
}

/* A FENCE of writes releases no loads: one before it may get what is stored after the acquire. A FENCE of
 * both does. */
TEST(fence_releases_its_set) {
    mem_order = KARAT_ORDER_PERFORMED;
    for (int reads = 0; reads < 2; reads++) {
        const insn first[MAX_INSN] = {INSN("lw", 25, 0, 20), INSN("fence", 0, reads ? 3 : 1, 1, 0, 0),
                                      INSN("amoswap_w", 0, 21, 23, 0)};
        const insn second[MAX_INSN] = {INSN("amoswap_w", 26, 21, 23, 2), INSN("sw", 22, 0, 20)};
        scene t = two_parts(first, second);
        uint32_t load = take(&t, 0, "lw"), flag = take(&t, 0, "amoswap_w");
        if (reads)
            perform(&t, 0, load);
        perform(&t, 0, flag);
        uint32_t got = take(&t, 1, "amoswap_w");
        perform(&t, 1, got);
        result(&t, 1, got, 1);
        perform(&t, 1, take(&t, 1, "sw"));
        if (!reads)
            perform(&t, 0, load);
        result(&t, 0, load, 5);
        ends(&t, reads ? &wrong_value : &unordered);
    }
}

RUN_TESTS("fence")
