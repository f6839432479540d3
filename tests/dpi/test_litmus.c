/* The checker's verdict on warps that race against that of an oracle of its own (litmus_judge.c): random tiny programs, in
 * orders that are allowed, and with something changed.
 *
 *     KARAT_LITMUS=4711 KARAT_LITMUS_NUM=100000 test_litmus    # other seeds; a failure names its own
 */
#include "judge.h"
#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t programs = 12000, plays = 3;

typedef struct tally {
    uint32_t right, wrong, open, unjudged;
} tally;

/* The event at whose record the checker stops; NOT_YET: it does not. *verdict: in the end. */
static uint32_t find_failure(const play *p, uint32_t strict, karat_checker **checker) {
    karat_check_config config = judge_config();
    config.strict = strict;
    karat_checker *c = *checker = karat_checker_create(&config);
    assert_non_null(c);
    for (size_t i = 0; i < p->s.num; i++)
        if (karat_checker_record(c, &p->s.at[i], karat_rec_size(p->s.at[i].h.kind)) &&
            c->failure.kind != FAIL_NONE) {
            uint32_t n = p->num;
            while (n-- > 0 && p->at[n].record > i)
                ;
            return n;
        }
    return NOT_YET;
}

static void disagree(const play *p, karat_checker *c, uint64_t seed, judgement want, uint32_t found) {
    char line[1024];
    litmus_show(p);
    karat_checker_report(c, stdout);
    karat_checker_line(c, line, sizeof line);
    fail_msg("KARAT_LITMUS=%llu: it fails at %u; it may at %u, and has to at %u (%u: not at all)\n%s",
             (unsigned long long)seed, found, want.may, want.must, (unsigned)NOT_YET, line);
}

/* The failure at that event is of its instruction, and of a kind that its record can have. */
static bool blames_right(const play *p, const karat_checker *c, uint32_t found) {
    const event *e = &p->at[found];
    const failure *x = &c->failure;
    if (karat_checker_verdict(c) != KARAT_MISMATCH)
        return false;
    if (e->kind == EV_LEFT) /* or an SC's MEM never came */
        return x->kind == FAIL_MEMORY || x->kind == FAIL_MEM_MISSING;
    if (e->kind == EV_MEM && x->kind == FAIL_MEM_UNEXPECTED &&
        !x->has_insn) /* it has completed: that text names it */
        return x->workgroup * p->l->wg_size + x->warp == e->warp;
    if (!x->has_insn || x->workgroup * p->l->wg_size + x->warp != e->warp || x->seq != p->seq[e->warp][e->op])
        return false;
    if (e->kind == EV_RESULT)
        return x->kind == FAIL_WRITE_VALUE ||
               x->kind == FAIL_MEM_UNEXPECTED; /* an SC that says that it has stored */
    return x->kind == FAIL_MEM_DATA || x->kind == FAIL_MEM_ORDER || x->kind == FAIL_MEM_UNEXPECTED;
}

static void play_one(uint64_t seed, litmus *l, rng *r, tally *t) {
    play p;
    const wrong what = rng_chance(r, 40) ? WRONG_NOTHING : (wrong)(1 + rng_below(r, NUM_WRONG - 1));
    litmus_play(l, &p, r, what);
    const judgement want = litmus_judge(&p);
    karat_checker *c;
    const uint32_t found = find_failure(&p, 0, &c);
    if (c->counts.unjudged && l->mem_order != KARAT_ORDER_PERFORMED) {
        assert_int_equal(karat_checker_verdict(c),
                         found == NOT_YET || p.at[found].kind == EV_LEFT ? KARAT_INCOMPLETE : KARAT_MISMATCH);
        t->unjudged++;
        karat_checker_destroy(c);
        stream_free(&p.s);
        return;
    }
    if (found < want.may || found > want.must)
        disagree(&p, c, seed, want, found);
    if (found != NOT_YET && !blames_right(&p, c, found))
        disagree(&p, c, seed, want, found);
    if (!p.changed && what != WRONG_ORDER && want.may != NOT_YET)
        disagree(&p, c, seed, want, found); /* what the core did is allowed */
    t->right += want.may == NOT_YET;
    t->wrong += want.must != NOT_YET;
    t->open += want.may != NOT_YET && want.must == NOT_YET;
    karat_checker_destroy(c);
    stream_free(&p.s);
}

/* Seeds that the environment names, or the usual ones. */
static uint64_t first_seed(uint32_t *num) {
    const char *one = getenv("KARAT_LITMUS"), *many = getenv("KARAT_LITMUS_NUM");
    *num = many ? (uint32_t)strtoul(many, NULL, 10) : one ? 1 : share_of(programs);
    return one ? strtoull(one, NULL, 10) : 1;
}

static void play_program(uint64_t seed, tally *t) {
    rng r = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    litmus l;
    litmus_draw(&l, &r);
    for (uint32_t n = 0; n < plays; n++)
        play_one(seed, &l, &r, t);
    litmus_free(&l);
}

static void same_verdict(void **state) {
    (void)state;
    tally t = {0};
    uint32_t num;
    const uint64_t first = first_seed(&num);
    for (uint32_t n = 0; n < num; n++)
        play_program(first + n, &t);
    printf("seeds %llu to %llu: %u right, %u wrong, %u neither, %u not judged\n", (unsigned long long)first,
           (unsigned long long)(first + num - 1), t.right, t.wrong, t.open, t.unjudged);
    if (num > 100)
        assert_true(t.right > num && t.wrong > num / 3);
}

/* Whether the failure names an access that races, by the oracle. */
static bool names_race(const play *p, const litmus *l, const karat_checker *c, const races *wanted) {
    for (uint32_t i = 0; i < wanted->num; i++) {
        const uint32_t warp = wanted->with[i] / MAX_OP, o = wanted->with[i] % MAX_OP;
        char text[80];
        snprintf(text, sizeof text, ": workgroup %u warp %u seq %u 0x%08x ", warp / l->wg_size,
                 warp % l->wg_size, p->seq[warp][o], l->warp[warp].at[o].pc);
        if (strstr(c->failure.detail, text))
            return true;
        if (wanted->with[i] == wanted->sure && wanted->num_sure)
            break;
    }
    return false;
}

/* Races as errors: the first, and with whom. */
static bool race_one(uint64_t seed) {
    rng r = {seed * UINT64_C(0x9e3779b97f4a7c15) + 2};
    litmus l;
    play p;
    do
        litmus_draw(&l, &r);
    while (l.mem_order != KARAT_ORDER_PERFORMED);
    litmus_play(&l, &p, &r, WRONG_NOTHING);
    karat_checker *c;
    races wanted;
    const uint32_t found = find_failure(&p, KARAT_STRICT_RACES, &c), last = p.num - 1;
    uint32_t at = litmus_races(&p, 0, false, &wanted);
    while (at < found && !wanted.num_sure)
        at = litmus_races(&p, at + 1, false, &wanted);
    bool named = found == NOT_YET || names_race(&p, &l, c, &wanted);
    if (at == NOT_YET || (!wanted.num_sure && at != found)) { /* of scalar accesses, told at the end */
        at = NOT_YET;
        named = found == NOT_YET;
        for (uint32_t n = 0; n <= last && at == NOT_YET;) {
            n = litmus_races(&p, n, true, &wanted) + 1;
            named |= names_race(&p, &l, c, &wanted);
            if (wanted.num_sure || (named && found == last && n <= last))
                at = last;
        }
    }
    const bool right = c->failure.kind == (found == NOT_YET ? FAIL_NONE : FAIL_PROGRAM);
    if (found != at || !named || !right)
        disagree(&p, c, seed, (judgement){at, at}, found);
    karat_checker_destroy(c);
    stream_free(&p.s);
    litmus_free(&l);
    return found != NOT_YET;
}

static void same_races(void **state) {
    (void)state;
    uint32_t num, raced = 0;
    const uint64_t first = first_seed(&num);
    for (uint32_t n = 0; n < num; n++)
        raced += race_one(first + n);
    printf("seeds %llu to %llu: %u of %u race\n", (unsigned long long)first,
           (unsigned long long)(first + num - 1), raced, num);
    if (num > 100)
        assert_true(raced > num / 4 && raced < num);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_verdict), cmocka_unit_test(same_races)};
    return cmocka_run_group_tests_name("litmus", tests, NULL, NULL);
}
