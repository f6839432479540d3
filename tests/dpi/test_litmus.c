/* The checker's verdict on warps that race against that of an oracle of its own (litmus_judge.c): random
 * tiny programs, in orders that are allowed, and with something changed.
 *
 *     KARAT_LITMUS=4711 KARAT_LITMUS_NUM=100000 test_litmus    # other seeds; a failure names its own
 *
 * Private things of the checker that are used here:
 *
 *   functions: mcm_before(), mcm_find_word(), mcm_load(), mcm_serial_final()
 *   of karat_checker: counts, done, failure, groups, order, slots
 *   types and sizes: mcm_moment, mcm_word, slot */
#include "inside.h"
#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t programs = 12000, plays = 3;

typedef struct tally {
    uint32_t right, wrong, open, unjudged;
} tally;

/* When other stores come between, and how many: before the first access, and then at most so many that
 * what this play writes is still remembered. */
typedef struct aging {
    uint32_t before, between;
    size_t at;        /* Record */
    uint64_t forgets; /* Seed: now and then all but a few writes are forgotten; 0: never */
} aging;

static uint32_t num_writes(const play *p) {
    uint32_t num = 0;
    for (uint32_t n = 0; n < p->num; n++)
        num += p->at[n].kind == EV_ISSUE && op_writes(&p->l->warp[p->at[n].warp].at[p->at[n].op]);
    return num;
}

static aging draw_aging(const play *p, uint64_t seed) {
    rng r = {seed * UINT64_C(0x9e3779b97f4a7c15) + 4};
    const uint32_t room = MCM_NUM_LOG - num_writes(p);
    return (aging){.before = MCM_NUM_LOG - 1 - rng_below(&r, 24),
                   .between = rng_chance(&r, 50) ? room : rng_below(&r, room),
                   .at = p->at[rng_below(&r, p->num)].record};
}

static bool has_atomics(const litmus *l) {
    bool any = false;
    for (uint32_t w = 0; w < l->num_warp; w++)
        for (uint32_t i = 0; i < l->warp[w].num; i++)
            any |= op_is_atomic(&l->warp[w].at[i]);
    return any;
}

/* The event at whose record the checker stops; NOT_YET: it does not. *verdict: in the end. */
static uint32_t find_failure(const play *p, uint32_t strict, const aging *age, karat_checker **checker) {
    karat_check_config config = judge_config();
    config.strict = strict;
    karat_checker *c = *checker = karat_checker_create(&config);
    assert_non_null(c);
    rng forget = {age ? age->forgets : 0};
    const uint32_t percent = forget.state ? rng_below(&forget, 60) : 0;
    for (size_t i = 0; i < p->s.num; i++) {
        if (i == 1)
            guard_slots(c);
        if (percent && i > p->at[0].record && rng_chance(&forget, percent))
            shorten_log(c, rng_below(&forget, 4));
        if (age && i == p->at[0].record) {
            age_log(c, age->before);
            c->mcm->log.writes.first = c->mcm->log.writes.num; /* Those were of earlier kernels */
        }
        if (age && i == age->at)
            age_log(c, age->between);
        if (karat_checker_record(c, &p->s.at[i], karat_rec_size(p->s.at[i].h.kind)) &&
            c->failure.kind != FAIL_NONE) {
            uint32_t n = p->num;
            while (n-- > 0 && p->at[n].record > i)
                ;
            return n;
        }
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
    if (e->kind == EV_LEFT) /* Memory is wrong in the end, or an SC's MEM never came */
        return x->kind == FAIL_MEMORY || x->kind == FAIL_MEM_MISSING;
    if (!x->has_insn || x->workgroup * p->l->wg_size + x->warp != e->warp || x->seq != p->seq[e->warp][e->op])
        return false;
    if (e->kind == EV_RESULT)
        return x->kind == FAIL_WRITE_VALUE ||
               x->kind == FAIL_MEM_UNEXPECTED; /* An SC that says that it has stored */
    return x->kind == FAIL_MEM_DATA || x->kind == FAIL_MEM_ORDER || x->kind == FAIL_MEM_UNEXPECTED;
}

static void play_one(uint64_t seed, litmus *l, rng *r, tally *t) {
    play p;
    const wrong what = rng_chance(r, 40) ? WRONG_NOTHING : (wrong)(1 + rng_below(r, NUM_WRONG - 1));
    litmus_play(l, &p, r, what);
    const judgement want = litmus_judge(&p);
    karat_checker *c;
    const aging age = draw_aging(&p, seed);
    const uint32_t found = find_failure(&p, 0, seed % 8 == 3 ? &age : NULL, &c);
    if (c->counts.unjudged && l->mem_order != KARAT_ORDER_PERFORMED) {
        const bool incomplete = karat_checker_verdict(c) == KARAT_INCOMPLETE;
        if (found < want.may ? !incomplete : incomplete && found != NOT_YET && p.at[found].kind != EV_LEFT)
            disagree(&p, c, seed, want, found);
        t->unjudged++;
        karat_checker_destroy(c);
        stream_free(&p.s);
        return;
    }
    if (found < want.may || found > want.must)
        disagree(&p, c, seed, want, found);
    if (found != NOT_YET && !blames_right(&p, c, found))
        disagree(&p, c, seed, want, found);
    if (!p.changed && what != WRONG_ORDER && want.may != NOT_YET && !want.gave_up)
        disagree(&p, c, seed, want, found); /* The core did something that is allowed */
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

TEST(same_verdict) {
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

/* Where the log holds few writes, nothing that is allowed is called wrong: all else may be passed over. */
static void forget_one(uint64_t seed, litmus *l, rng *r, tally *t) {
    play p;
    const wrong what = rng_chance(r, 50) ? WRONG_NOTHING : (wrong)(1 + rng_below(r, NUM_WRONG - 1));
    litmus_play(l, &p, r, what);
    const judgement want = litmus_judge(&p);
    karat_checker *c;
    const aging age = {.at = SIZE_MAX, .forgets = rng_next(r) | 1};
    const uint32_t found = find_failure(&p, 0, &age, &c);
    const bool unjudged = c->counts.unjudged && karat_checker_verdict(c) == KARAT_INCOMPLETE;
    if (found < want.may && !unjudged)
        disagree(&p, c, seed, want, found);
    t->right += want.may == NOT_YET;
    t->wrong += want.must != NOT_YET && found <= want.must;
    t->open += want.must != NOT_YET && found > want.must;
    t->unjudged += unjudged;
    karat_checker_destroy(c);
    stream_free(&p.s);
}

TEST(forgetful) {
    tally t = {0};
    uint32_t num;
    const uint64_t first = first_seed(&num);
    for (uint32_t n = 0; n < num; n++) {
        rng r = {(first + n) * UINT64_C(0x9e3779b97f4a7c15) + 5};
        litmus l;
        litmus_draw(&l, &r);
        if (l.mem_order != KARAT_ORDER_PERFORMED ||
            !has_atomics(&l)) /* Where the order is reported, atomics are worked out from the log alone */
            forget_one(first + n, &l, &r, &t);
        litmus_free(&l);
    }
    printf("seeds %llu to %llu: %u right, %u wrong, %u passed over, %u not judged\n",
           (unsigned long long)first, (unsigned long long)(first + num - 1), t.right, t.wrong, t.open,
           t.unjudged);
    if (num > 100)
        assert_true(t.right > num / 8 && t.wrong > 2 * t.open);
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
    const uint32_t found = find_failure(&p, KARAT_STRICT_RACES, NULL, &c), last = p.num - 1;
    uint32_t at = litmus_races(&p, 0, false, &wanted);
    while (at < found && !wanted.num_sure)
        at = litmus_races(&p, at + 1, false, &wanted);
    bool named = found == NOT_YET || names_race(&p, &l, c, &wanted);
    if (at == NOT_YET || (!wanted.num_sure && (at != found || !named))) { /* Reported at the end */
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
        disagree(&p, c, seed, (judgement){.may = at, .must = at}, found);
    karat_checker_destroy(c);
    stream_free(&p.s);
    litmus_free(&l);
    return found != NOT_YET;
}

TEST(same_races) {
    uint32_t num, raced = 0;
    const uint64_t first = first_seed(&num);
    for (uint32_t n = 0; n < num; n++)
        raced += race_one(first + n);
    printf("seeds %llu to %llu: %u of %u race\n", (unsigned long long)first,
           (unsigned long long)(first + num - 1), raced, num);
    if (num > 100)
        assert_true(raced > num / 4 && raced < num);
}

/* --- On the way --- */

/* All fences order everything: else the documents leave it open what is before what. */
static bool is_plain(const litmus *l) {
    for (uint32_t w = 0; w < l->num_warp; w++)
        for (uint32_t i = 0; i < l->warp[w].num; i++) {
            const op *o = &l->warp[w].at[i];
            if (o->kind == OP_FENCE && (o->before != 3 || o->behind != 3 || o->tso))
                return false;
        }
    return true;
}

typedef struct watch {
    uint64_t seed;
    const play *p;
    karat_checker *c;
    course *r;
    mcm_moment at[MAX_WARP][MAX_OP]; /* When each op was issued; step 0: not yet */
    uint32_t words, pairs;
} watch;

static void lost(const watch *t, uint32_t event, const char *what, uint32_t where, uint32_t is,
                 uint32_t want) {
    litmus_show(t->p);
    fail_msg("KARAT_LITMUS=%llu: behind event %u: %s %x: %x, and not %x", (unsigned long long)t->seed, event,
             what, where, is, want);
}

/* Something is performed that the model's word has to follow. */
static bool writes_word(const play *p, uint32_t n, uint32_t base) {
    const event *e = &p->at[n];
    const op *o = &p->l->warp[e->warp].at[e->op];
    bool any = false;
    for (uint32_t k = 0; k < o->num && e->kind == EV_MEM && op_writes(o); k++)
        any |= e->lanes >> k & 1 && o->at[k] / 4 == base / 4;
    return any;
}

/* The words that atomics use, as performed, and as the model has them: with all that is under way. */
static void watch_words(watch *t, uint32_t n) {
    const litmus *l = t->p->l;
    for (uint32_t base = 0; base < AREA * (1 + l->num_warp / l->wg_size); base += 4) {
        const uint32_t workgroup = base / AREA - 1;
        mcm_place p = {.addr = LITMUS_BASE + base};
        if (base >= AREA) {
            const slot *first = &t->c->slots[workgroup * l->wg_size];
            if (!first->live)
                continue;
            p = (mcm_place){t->c->groups[first->wg].lds_csr + base % AREA, 1 + workgroup, first->wg};
        }
        const mcm_word *w = mcm_find_word(t->c->mcm, p);
        if (!w)
            continue;
        uint32_t want, model;
        mcm_load(t->c->mcm, &p, &model, 4);
        if (w->serial) { /* An answer was found in some order: the model goes on with that */
            const event *e = &t->p->at[n];
            const op *o = &l->warp[e->warp].at[e->op];
            if (e->kind == EV_RESULT && (o->kind == OP_AMO || o->kind == OP_LR) && o->at[0] == base &&
                model != (want = mcm_serial_final(w->serial, t->c->mcm->words.search)))
                lost(t, n, "model's word", base, model, want);
            t->words++;
            continue;
        }
        if (w->value != litmus_replay_word(t->r, base))
            lost(t, n, "word", base, w->value, litmus_replay_word(t->r, base));
        if (writes_word(t->p, n, base) && litmus_replay_pending(t->r, base, &want) && model != want)
            lost(t, n, "model's word", base, model, want);
        t->words++;
    }
}

static void watch_order(watch *t, uint32_t n) {
    const litmus *l = t->p->l;
    order_of_ops before;
    litmus_replay_order(t->r, before);
    for (uint32_t x = 0; x < MAX_WARP * MAX_OP; x++)
        for (uint32_t y = 0; y < MAX_WARP * MAX_OP; y++) {
            const mcm_moment *a = &t->at[x / MAX_OP][x % MAX_OP], *b = &t->at[y / MAX_OP][y % MAX_OP];
            if (!a->step || !b->step || x == y || !op_accesses(&l->warp[x / MAX_OP].at[x % MAX_OP]) ||
                !op_accesses(&l->warp[y / MAX_OP].at[y % MAX_OP]))
                continue;
            if ((mcm_before(t->c->mcm, a, b) != MCM_NO_RULE) != before[x][y])
                lost(t, n, "order of ops", x << 8 | y, !before[x][y], before[x][y]);
            t->pairs++;
        }
}

/* The moments before a moment do not depend on the queries just before: of the same step, and otherwise
 * not the same. */
static void watch_others(watch *t, rng *r, uint32_t n) {
    for (uint32_t k = 0; k < 40; k++) {
        const mcm_moment a = t->at[rng_below(r, MAX_WARP)][rng_below(r, MAX_OP)];
        mcm_moment b = t->at[rng_below(r, MAX_WARP)][rng_below(r, MAX_OP)];
        if (!a.step || !b.step)
            continue;
        mcm_before(t->c->mcm, &a, &b);
        switch (rng_below(r, 4)) {
        case 0: b.uid ^= 1 + rng_below(r, 3); break;
        case 1: b.before ^= (uint8_t)(1 + rng_below(r, 3)); break;
        case 2: b.barrier_phase ^= 1; break;
        default: b.step++;
        }
        const bool found = mcm_before(t->c->mcm, &a, &b);
        memset(t->c->mcm->order.reach, 0xff, sizeof t->c->mcm->order.reach); /* All of other times */
        if ((mcm_before(t->c->mcm, &a, &b) != MCM_NO_RULE) != found)
            lost(t, n, "order of other moments", k, found, !found);
    }
}

/* The checker's state of words, and of the program's order, after every record of a core that does no
 * wrong. */
static bool watch_one(uint64_t seed, uint32_t *words, uint32_t *pairs) {
    rng r = {seed * UINT64_C(0x9e3779b97f4a7c15) + 3};
    litmus l;
    play p;
    litmus_draw(&l, &r);
    const bool performed = l.mem_order == KARAT_ORDER_PERFORMED;
    litmus_play(&l, &p, &r, WRONG_NOTHING);
    karat_check_config config = judge_config();
    watch t = {.seed = seed, .p = &p, .c = karat_checker_create(&config), .r = litmus_replay(&p)};
    assert_non_null(t.c);
    uint32_t n = 0;
    for (size_t i = 0; i < p.s.num && !t.c->done; i++) {
        karat_checker_record(t.c, &p.s.at[i], karat_rec_size(p.s.at[i].h.kind));
        if (n == p.num || p.at[n].record != i)
            continue;
        const event *e = &p.at[n];
        if (e->kind == EV_ISSUE)
            t.at[e->warp][e->op] = t.c->slots[e->warp].youngest->event.at;
        litmus_replay_event(t.r);
        if (e->kind != EV_LEFT) {
            watch_words(&t, n);
            if (performed && is_plain(&l) && (rng_chance(&r, 5) || n + 2 == p.num))
                watch_order(&t, n);
            if (t.c->mcm->order.num_edges && n + 2 == p.num)
                watch_others(&t, &r, n);
        }
        n++;
    }
    assert_true(n == p.num);
    *words += t.words;
    *pairs += t.pairs;
    karat_checker_destroy(t.c);
    free(t.r);
    stream_free(&p.s);
    litmus_free(&l);
    return true;
}

TEST(same_on_the_way) {
    uint32_t num, words = 0, pairs = 0;
    const uint64_t first = first_seed(&num);
    if (num == programs)
        num /= 4; /* They look at everything after every record */
    for (uint32_t n = 0; n < num; n++)
        watch_one(first + n, &words, &pairs);
    printf("seeds %llu to %llu: %u words, %u pairs\n", (unsigned long long)first,
           (unsigned long long)(first + num - 1), words, pairs);
    if (num > 100)
        assert_true(words > num && pairs > num);
}

RUN_TESTS("litmus")
