/* The search for an order of a word's accesses (dpi/check/serial.h) against one that tries every order, by random
 * histories of a few warps: right answers, and answers that are wrong. */
#include "serial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MAX_ACCESS 7
#define WARPS      3

typedef struct history {
    serial_access at[MAX_ACCESS]; /* as issued */
    uint32_t when[MAX_ACCESS];    /* number of the access's answer among all events; 0: none yet */
    uint32_t issued[MAX_ACCESS];  /* and of its issue */
    bool failed[MAX_ACCESS];      /* SCs */
    uint32_t num, begin;
} history;

static uint64_t state;

static uint32_t random_below(uint32_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

/* Warps order their own accesses, and nothing else is ordered. */
static bool is_before(const void *context, const karat_moment *a, const karat_moment *b) {
    (void)context;
    return a->uid == b->uid && a->step < b->step;
}

/* --- Every order --- */

static bool stands(const serial_access *a, uint32_t value, bool broken, uint32_t *next) {
    *next = value;
    if (a->kind == SERIAL_STORE)
        *next = (value & ~a->mask) | (a->operand & a->mask);
    if (a->kind == SERIAL_AMO)
        *next = karat_amo_result(a->amo, value, a->operand);
    if (a->kind == SERIAL_SC) {
        *next = a->operand;
        return !broken;
    }
    if (a->kind == SERIAL_LOAD)
        return (value & a->mask) == (a->old & a->mask);
    return (!a->knows_old || a->old == value) && !((a->value ^ *next) & a->knows);
}

/* Whether the SC's reservation is broken in that sequence of accesses. */
static bool is_broken(const history *h, const uint32_t *order, uint32_t num, uint32_t sc) {
    bool found = false, broken = false;
    for (uint32_t i = 0; i < num; i++) {
        const serial_access *a = &h->at[order[i]], *s = &h->at[sc];
        if (a->kind == SERIAL_LR && a->at.uid == s->at.uid && a->seq + 1 == s->reserved_by)
            found = true, broken = false;
        else if (a->kind >= SERIAL_STORE && a->at.uid != s->at.uid)
            broken = true;
    }
    return !found || broken;
}

static bool any_order(const history *h, uint32_t *order, uint32_t num, uint32_t value) {
    uint32_t placed = 0, missing = 0;
    for (uint32_t i = 0; i < num; i++)
        placed |= 1u << order[i];
    for (uint32_t i = 0; i < h->num; i++)
        missing += h->at[i].answered && !(placed >> i & 1);
    if (!missing)
        return true;
    for (uint32_t i = 0; i < h->num; i++) {
        uint32_t next;
        bool ready = !(placed >> i & 1) && !h->failed[i];
        for (uint32_t k = 0; k < h->num; k++) {
            bool ahead =
                (h->at[k].at.uid == h->at[i].at.uid && k < i) || (h->when[k] && h->when[k] < h->issued[i]);
            const bool may_fail = h->at[k].kind == SERIAL_SC && !h->at[k].answered;
            ready &= k == i || !ahead || h->failed[k] || may_fail || placed >> k & 1;
            ready &=
                k <= i || h->at[k].at.uid != h->at[i].at.uid || !(placed >> k & 1); /* it has failed then */
        }
        if (!ready || !stands(&h->at[i], value, is_broken(h, order, num, i), &next))
            continue;
        order[num] = i;
        if (any_order(h, order, num + 1, next))
            return true;
    }
    return false;
}

static bool has_order(const history *h) {
    uint32_t order[MAX_ACCESS + 1];
    return any_order(h, order, 0, h->begin);
}

/* --- Histories --- */

static const uint8_t functions[] = {0, 1, 4, 8, 12, 16}; /* add, swap, xor, or, and, min */

static serial_access random_access(uint32_t *last_lr, uint32_t step) {
    const uint32_t uid = random_below(WARPS);
    serial_access a = {.at = {uid, 0, step, 3, 3}, .seq = step, .mask = 0xffffffffu};
    const uint32_t pick = random_below(10);
    a.kind = pick < 5 ? SERIAL_AMO : pick < 6 ? SERIAL_STORE : pick < 8 ? SERIAL_LR : SERIAL_SC;
    a.amo = functions[random_below(sizeof functions)];
    a.operand = random_below(3);
    a.silent = a.kind == SERIAL_STORE;
    if (a.kind == SERIAL_STORE && random_below(2))
        a.mask = 1;
    if (a.kind == SERIAL_LR)
        last_lr[uid] = a.seq + 1;
    if (a.kind == SERIAL_SC) {
        a.reserved_by = last_lr[uid];
        last_lr[uid] = 0;
        if (!a.reserved_by)
            a.kind = SERIAL_AMO;
    }
    return a;
}

/* What an order of what is there, taken at random, returns for that access. */
static uint32_t likely_value(const history *h, uint32_t i) {
    uint32_t value = h->begin;
    for (uint32_t k = 0; k < h->num; k++)
        if (k != i && (h->when[k] || random_below(2)) && !h->failed[k])
            stands(&h->at[k], value, false, &value);
    return value;
}

static void show(const history *h, uint32_t last) {
    printf("from %u on; the last answer is of access %u\n", h->begin, last);
    for (uint32_t k = 0; k < h->num; k++) {
        const serial_access *a = &h->at[k];
        printf("%u: warp %u kind %u amo %u operand %u mask %x reserved by %u, issued %u, answered %u%s", k,
               a->at.uid, (unsigned)a->kind, a->amo, a->operand, a->mask, a->reserved_by, h->issued[k],
               h->when[k], h->failed[k] ? " (failed)" : "");
        printf(a->knows_old ? ", returned %u" : "", a->old);
        printf(a->knows ? ", wrote %u (bits %x)\n" : "\n", a->value, a->knows);
    }
}

/* A load of some warp that orders it with nothing, of a byte or the whole word. */
static void load(const karat_serial *s, serial_search *x, const history *h, uint32_t *right,
                 uint32_t *wrong) {
    history with = *h;
    serial_access *a = &with.at[with.num];
    *a = (serial_access){.kind = SERIAL_LOAD, .answered = true, .at = {WARPS, 0, 1, 3, 3}};
    a->mask = random_below(2) ? 1 : 0xffffffffu;
    a->old = random_below(2) ? likely_value(h, MAX_ACCESS) : random_below(6);
    with.issued[with.num] = with.when[with.num] = 0;
    with.failed[with.num++] = false;
    const bool legal = has_order(&with);
    assert_int_equal(karat_serial_loaded(s, x, &a->at, a->mask, a->old, is_before, NULL),
                     legal ? SERIAL_ORDER : SERIAL_NONE);
    ++*(legal ? right : wrong);
}

/* One history, to its end or the first answer that no order gives. Returns whether that came. */
static bool run(serial_search *x, uint32_t *right, uint32_t *wrong) {
    history h = {.begin = random_below(3)};
    karat_serial *s = karat_serial_create(h.begin);
    assert_non_null(s);
    uint32_t last_lr[WARPS] = {0};
    bool stopped = false;
    for (uint32_t event = 1; event < 40 && !stopped; event++) {
        if (h.num < MAX_ACCESS && random_below(2)) {
            h.at[h.num] = random_access(last_lr, event);
            h.issued[h.num] = event;
            assert_true(karat_serial_issue(s, x, &h.at[h.num], is_before, NULL));
            h.num++;
            continue;
        }
        if (h.num < MAX_ACCESS && s->num == h.num && random_below(8) == 0) {
            load(s, x, &h, right + 1, wrong + 1);
            continue;
        }
        const uint32_t i = h.num ? random_below(h.num) : 0;
        serial_access *a = &h.at[i];
        if (!h.num || a->answered || a->silent || h.failed[i])
            continue;
        serial_access *open = karat_serial_find(s, &a->at);
        assert_true(open || a->kind == SERIAL_SC);
        serial_answer answer;
        if (a->kind == SERIAL_SC && random_below(2)) {
            h.failed[i] = true;
            if (!open)
                continue;
            answer = karat_serial_failed(s, x, open);
            const bool legal = has_order(&h);
            assert_int_equal(answer, legal ? SERIAL_ORDER : SERIAL_NONE);
            stopped = !legal;
            ++*(legal ? right : wrong);
            continue;
        }
        a->answered = true;
        h.when[i] = event;
        if (!open) {
            answer = SERIAL_NONE; /* it cannot have stored */
        } else if (a->kind == SERIAL_SC) {
            answer = karat_serial_wrote(s, x, open, a->operand, 0xffffffffu, true);
        } else if (a->kind == SERIAL_AMO && random_below(4) == 0) {
            a->knows = random_below(2) ? 1 : 0xffffffffu;
            a->value = karat_amo_result(a->amo, likely_value(&h, i), a->operand);
            answer = karat_serial_wrote(s, x, open, a->value, a->knows, true);
        } else {
            a->knows_old = true;
            a->old = likely_value(&h, i);
            answer = karat_serial_returned(s, x, open, a->old, true);
        }
        const bool legal = has_order(&h);
        if (answer != (legal ? SERIAL_ORDER : SERIAL_NONE))
            show(&h, i);
        assert_int_equal(answer, legal ? SERIAL_ORDER : SERIAL_NONE);
        ++*(legal ? right : wrong);
        stopped = !legal;
    }
    karat_serial_destroy(s);
    return stopped;
}

static void same_as_every_order(void **unused) {
    (void)unused;
    uint32_t right[2] = {0}, wrong[2] = {0}, stopped = 0; /* answers, loads */
    state = 20261122;
    serial_search *x = karat_serial_search_create();
    assert_non_null(x);
    for (uint32_t n = 0; n < 20000; n++)
        stopped += run(x, right, wrong);
    karat_serial_search_destroy(x);
    printf("seed 20261122: %u right answers, %u wrong ones; %u right loads, %u wrong ones\n", right[0],
           wrong[0], right[1], wrong[1]);
    assert_true(right[0] > 20000 && wrong[0] > 2000 && stopped == wrong[0] && right[1] > 2000 &&
                wrong[1] > 2000);
}

/* --- Long ones --- */

enum { AGENTS = 24, LONG = 3000 };

/* Warps that count: every value is returned once. skew: one returns that much more than it should, near the end. */
static serial_answer count_up(uint32_t skew, bool silent_ones) {
    karat_serial *s = karat_serial_create(0);
    serial_search *x = karat_serial_search_create();
    karat_moment pending[AGENTS] = {{0}};
    uint32_t value = 0;
    serial_answer answer = SERIAL_ORDER;
    for (uint32_t step = 1; step < LONG && answer == SERIAL_ORDER; step++) {
        const uint32_t uid = random_below(AGENTS);
        if (!pending[uid].step) {
            pending[uid] = (karat_moment){uid, 0, step, 3, 3};
            serial_access a = {.kind = SERIAL_AMO, .operand = 1, .at = pending[uid], .seq = step};
            a.silent = silent_ones && uid == 0;
            assert_true(karat_serial_issue(s, x, &a, is_before, NULL));
            if (a.silent) {
                value++;
                pending[uid].step = 0;
            }
            continue;
        }
        serial_access *a = karat_serial_find(s, &pending[uid]);
        assert_non_null(a);
        answer = karat_serial_returned(s, x, a, value + (step > LONG - 200 ? skew : 0), true);
        value++;
        pending[uid].step = 0;
    }
    karat_serial_destroy(s);
    karat_serial_search_destroy(x);
    return answer;
}

static void long_histories(void **unused) {
    (void)unused;
    state = 7;
    assert_int_equal(count_up(0, false), SERIAL_ORDER);
    assert_int_equal(count_up(0, true), SERIAL_ORDER);
    assert_int_equal(count_up(1000, false), SERIAL_NONE);
}

/* More warps than fit: no PASS can come of it, and no failure. */
static void too_many(void **unused) {
    (void)unused;
    karat_serial *s = karat_serial_create(0);
    serial_search *x = karat_serial_search_create();
    for (uint32_t uid = 0; uid <= SERIAL_MAX; uid++) {
        serial_access a = {.kind = SERIAL_AMO, .operand = 1, .at = {uid, 0, uid + 1, 3, 3}};
        assert_true(karat_serial_issue(s, x, &a, is_before, NULL));
    }
    serial_access *first = karat_serial_find(s, &(karat_moment){0, 0, 1, 3, 3});
    assert_non_null(first);
    assert_int_equal(karat_serial_returned(s, x, first, 12345, true), SERIAL_UNKNOWN);
    karat_serial_destroy(s);

    /* Stores that nobody sees: the oldest are settled by guess, and what contradicts that proves nothing. */
    s = karat_serial_create(0);
    for (uint32_t n = 0; n <= SERIAL_MAX; n++) {
        serial_access a = {.kind = SERIAL_STORE,
                           .silent = true,
                           .operand = n,
                           .mask = 0xffffffffu,
                           .at = {n, 0, n + 1, 3, 3}};
        assert_true(karat_serial_issue(s, x, &a, is_before, NULL));
    }
    serial_access swap = {.kind = SERIAL_AMO, .amo = 1, .at = {99, 0, 99, 3, 3}};
    assert_true(karat_serial_issue(s, x, &swap, is_before, NULL));
    assert_int_equal(
        karat_serial_loaded(s, x, &(karat_moment){100, 0, 100, 3, 3}, 0xffffffffu, 40, is_before, NULL),
        SERIAL_ORDER);
    assert_int_equal(
        karat_serial_loaded(s, x, &(karat_moment){100, 0, 100, 3, 3}, 0xffffffffu, 4711, is_before, NULL),
        SERIAL_UNKNOWN);
    karat_serial_restart(s, 5);
    assert_int_equal(karat_serial_returned(s, x, karat_serial_find(s, &swap.at), 5, true), SERIAL_ORDER);
    karat_serial_destroy(s);
    karat_serial_search_destroy(x);
}

/* So many different outcomes that the search does not come to an end: it claims nothing. */
static void too_many_outcomes(void **unused) {
    (void)unused;
    serial_search *x = karat_serial_search_create();
    for (uint32_t num = 8; num <= 20; num += 12) {
        karat_serial *s = karat_serial_create(0);
        for (uint32_t uid = 0; uid < num; uid++) {
            const serial_access a = {.kind = SERIAL_AMO, .operand = 2u << uid, .at = {uid, 0, uid + 1, 3, 3}};
            assert_true(karat_serial_issue(s, x, &a, is_before, NULL));
        }
        const karat_moment load = {99, 0, 99, 3, 3};
        assert_int_equal(karat_serial_loaded(s, x, &load, 0xffffffffu, 6, is_before, NULL), SERIAL_ORDER);
        assert_int_equal(karat_serial_loaded(s, x, &load, 0xffffffffu, 1, is_before, NULL),
                         num == 8 ? SERIAL_NONE : SERIAL_UNKNOWN);
        s->lost = true;
        assert_int_equal(karat_serial_loaded(s, x, &load, 0xffffffffu, 6, is_before, NULL), SERIAL_UNKNOWN);
        assert_int_equal(karat_serial_left(s, x, 0xffffffffu, 6), SERIAL_UNKNOWN);
        karat_serial_destroy(s);
    }
    karat_serial_search_destroy(x);
}

/* What has answered for good, and what all others come behind, is no longer kept. */
static void settled_at_once(void **unused) {
    (void)unused;
    enum { NUM = 5 };
    serial_search *x = karat_serial_search_create();
    for (uint32_t final = 0; final < 2; final++)
        for (uint32_t other = 0; other < 2; other++) { /* of another warp, which nothing orders */
            karat_serial *s = karat_serial_create(7);
            for (uint32_t n = 0; n < NUM + other; n++) {
                const serial_access a = {.kind = SERIAL_AMO, .operand = 1, .at = {n == NUM, 0, n + 1, 3, 3}};
                assert_true(karat_serial_issue(s, x, &a, is_before, NULL));
            }
            for (uint32_t n = 0; n < NUM; n++) {
                serial_access *a = karat_serial_find(s, &(karat_moment){0, 0, n + 1, 3, 3});
                assert_int_equal(karat_serial_returned(s, x, a, 7 + n, final), SERIAL_ORDER);
                assert_int_equal(s->num, final && !other ? NUM - 1 - n : NUM + other);
            }
            assert_int_equal(karat_serial_final(s), 7 + NUM + other);
            karat_serial_destroy(s);
        }
    karat_serial_search_destroy(x);
}

/* The search starts again: what has answered for good is gone, and of the others nothing is known but that they are there. */
static void starts_again(void **unused) {
    (void)unused;
    serial_search *x = karat_serial_search_create();
    karat_serial *s = karat_serial_create(7);
    for (uint32_t uid = 0; uid < 4; uid++) {
        const serial_access a = {.kind = SERIAL_AMO, .operand = 1u << uid, .at = {uid, 0, uid + 1, 3, 3}};
        assert_true(karat_serial_issue(s, x, &a, is_before, NULL));
    }
    const karat_moment at[] = {{0, 0, 1, 3, 3}, {1, 0, 2, 3, 3}, {2, 0, 3, 3, 3}, {3, 0, 4, 3, 3}};
    assert_int_equal(karat_serial_returned(s, x, karat_serial_find(s, &at[1]), 7, false), SERIAL_ORDER);
    assert_int_equal(karat_serial_returned(s, x, karat_serial_find(s, &at[2]), 9, true), SERIAL_ORDER);
    assert_int_equal(karat_serial_wrote(s, x, karat_serial_find(s, &at[3]), 21, 0xffffffffu, false),
                     SERIAL_ORDER);
    karat_serial_restart(s, 100);
    assert_int_equal(s->num, 3);
    assert_null(karat_serial_find(s, &at[2]));
    assert_int_equal(karat_serial_final(s), 111);
    const karat_moment load = {99, 0, 99, 3, 3};
    assert_int_equal(karat_serial_loaded(s, x, &load, 0xffffffffu, 100, is_before, NULL), SERIAL_ORDER);
    assert_int_equal(karat_serial_loaded(s, x, &load, 0xffffffffu, 109, is_before, NULL), SERIAL_ORDER);
    assert_int_equal(karat_serial_loaded(s, x, &load, 0xffffffffu, 104, is_before, NULL), SERIAL_UNKNOWN);
    assert_int_equal(karat_serial_returned(s, x, karat_serial_find(s, &at[1]), 108, true), SERIAL_ORDER);
    assert_int_equal(karat_serial_returned(s, x, karat_serial_find(s, &at[0]), 110, true), SERIAL_ORDER);
    assert_int_equal(karat_serial_final(s), 111);
    karat_serial_destroy(s);
    karat_serial_search_destroy(x);
}

/* Many accesses that do the same: the search does not go through all their orders, and says NONE where it is. */
static karat_serial *many_alike(serial_search *x, uint32_t operand, bool answer) {
    karat_serial *s = karat_serial_create(0);
    for (uint32_t uid = 0; uid < 24; uid++) {
        const serial_access a = {
            .kind = SERIAL_AMO, .operand = operand, .silent = !answer, .at = {uid, 0, uid + 1, 3, 3}};
        assert_true(karat_serial_issue(s, x, &a, is_before, NULL));
    }
    for (uint32_t uid = 0; uid < 24 && answer; uid++)
        assert_int_equal(karat_serial_returned(
                             s, x, karat_serial_find(s, &(karat_moment){uid, 0, uid + 1, 3, 3}), 0, uid % 2),
                         SERIAL_ORDER);
    return s;
}

static void alike_ones(void **unused) {
    (void)unused;
    serial_search *x = karat_serial_search_create();
    const karat_moment load = {99, 0, 99, 3, 3};
    for (uint32_t value = 0; value < 60; value++) {
        karat_serial *s = many_alike(x, 2, false); /* add 2, and say nothing */
        assert_int_equal(karat_serial_loaded(s, x, &load, 0xffffffffu, value, is_before, NULL),
                         value % 2 == 0 && value <= 48 ? SERIAL_ORDER : SERIAL_NONE);
        assert_int_equal(karat_serial_left(s, x, 0xffffffffu, value),
                         value == 48 ? SERIAL_ORDER : SERIAL_NONE);
        karat_serial_destroy(s);
    }
    for (uint32_t value = 0; value < 3; value++) {
        karat_serial *s = many_alike(x, 0, true); /* add nothing, and say so */
        const serial_access odd = {.kind = SERIAL_AMO, .operand = 1, .at = {98, 0, 98, 3, 3}};
        assert_true(karat_serial_issue(s, x, &odd, is_before, NULL));
        assert_int_equal(karat_serial_returned(s, x, karat_serial_find(s, &odd.at), value, true),
                         value ? SERIAL_NONE : SERIAL_ORDER);
        karat_serial_destroy(s);
    }
    karat_serial_search_destroy(x);
}

/* What every order begins with is settled where room gets short, and nothing else: all of it can still be seen. */
static void long_rows(void **unused) {
    (void)unused;
    serial_search *x = karat_serial_search_create();
    for (uint32_t value = 0; value < 4; value++) {
        karat_serial *s = karat_serial_create(0);
        uint64_t logged;
        uint32_t held, settled = 0;
        for (uint32_t n = 1; n <= 200; n++) { /* of one warp, each of which but every tenth answers */
            const serial_access a = {.kind = n % 10 ? SERIAL_STORE : SERIAL_AMO,
                                     .silent = n % 10 != 0,
                                     .operand = n,
                                     .mask = 0xffffffffu,
                                     .logged = n,
                                     .at = {1, 0, n, 3, 3}};
            assert_true(karat_serial_issue(s, x, &a, is_before, NULL));
            if (n % 10 == 0)
                assert_int_equal(karat_serial_returned(s, x, karat_serial_find(s, &a.at), n - 1, true),
                                 SERIAL_ORDER);
            while (karat_serial_settled(x, &logged, &held)) {
                assert_int_equal(logged, ++settled); /* in order, none left out */
                assert_int_equal(held, settled % 10 ? settled : 2 * settled - 1);
            }
        }
        assert_true(settled >= 200 - SERIAL_MAX && s->num == 200 - settled && !s->guessed);
        /* Another warp's load sees the last, or, not being ordered, an earlier one that is open. */
        const karat_moment load = {2, 0, 300, 3, 3};
        assert_int_equal(karat_serial_loaded(s, x, &load, 0xffffffffu, 399 + value, is_before, NULL),
                         value ? SERIAL_NONE : SERIAL_ORDER);
        karat_serial_destroy(s);
    }
    karat_serial_search_destroy(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_every_order),
                                       cmocka_unit_test(long_histories),
                                       cmocka_unit_test(too_many),
                                       cmocka_unit_test(too_many_outcomes),
                                       cmocka_unit_test(settled_at_once),
                                       cmocka_unit_test(starts_again),
                                       cmocka_unit_test(alike_ones),
                                       cmocka_unit_test(long_rows)};
    return cmocka_run_group_tests_name("order of a word's accesses", tests, NULL, NULL);
}
