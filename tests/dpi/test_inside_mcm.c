/* The memory model's own functions, one at a time.
 *
 * Private things of the checker that are used here:
 *
 *   functions: mcm_evicted_kernel(), mcm_may_be_evicted(), mcm_summarise(), mcm_hash(), mcm_find_word(),
 *     mcm_log_add(), mcm_ring_at();
 *     karat_bridge_step()
 *   of karat_checker: config, kernel, mcm
 *   types and sizes: flight, karat_mcm, mcm_ring, mcm_word, slot; MCM_NUM_READ, MCM_NUM_VALUE */
#include "inside.h"
#include "two_warps.h"

#include <stdio.h>
#include <string.h>

/* --- The last value of a word, against all writes to it --- */

enum { MAX_WRITES = 24, WARPS = 4, GROUP = 2 };
#define WORD UINT64_C(0x90003000)

typedef struct issued {
    mcm_moment at;
    mcm_part access;
    bool atomic, sc, sc_succeeded, sc_failed, tainted;
} issued;

/* Writes in order of issue; those before 'left' have left the log. Several of one moment are lanes. */
typedef struct history {
    issued at[MAX_WRITES];
    uint32_t num, left;
    bool before[MAX_WRITES][MAX_WRITES];
    bool none, one, lanes; /* MEM's order is not reported; a load has one value; lanes have an order */
} history;

static bool comes_before(const mcm_moment *a, const mcm_moment *b) {
    if (a->uid == b->uid || a->uid == MCM_HOST_UID || b->uid == MCM_HOST_UID)
        return a->step < b->step;
    return a->uid / GROUP == b->uid / GROUP && a->barrier_phase < b->barrier_phase;
}

static bool writes_byte(const issued *x, uint64_t addr) {
    return !x->sc_failed && addr - x->access.addr < x->access.bytes;
}

static uint8_t byte_of(uint32_t value, const issued *x, uint64_t addr) {
    return (uint8_t)(value >> 8 * (addr - x->access.addr));
}

/* Of two writes after each other in the log, whether they are known to have been performed so; here: of a
 * byte, which both write. */
static bool in_turn(const history *h, const issued *a, const issued *b, bool here) {
    for (const issued *x = h->at; h->one && x <= a; x++)
        if (!x->sc_failed && (!x->access.performed || x->access.performed >= b->access.performed))
            return false;
    if (h->one)
        return true;
    const bool coherence = a->access.coherence && b->access.coherence;
    if (coherence && a->access.coherence > b->access.coherence)
        return false;
    return comes_before(&a->at, &b->at) || (coherence && here);
}

/* Whether what was left of that byte is not one value for those that come after all writes to its word. */
static bool is_doubtful(const history *h, uint64_t addr) {
    bool doubt = false, written_before = false, in_lanes = false;
    const issued *last = NULL;
    for (uint32_t i = 0; i < h->left; i++) {
        const issued *x = &h->at[i];
        const bool here = writes_byte(x, addr);
        if (x->sc_failed)
            continue;
        const bool lane = last && last->at.step == x->at.step, last_here = in_lanes;
        in_lanes &= lane;
        if (x->at.uid == MCM_HOST_UID)
            doubt = !here && (lane ? doubt : written_before);
        else if (lane)
            doubt |= here && in_lanes && !h->lanes;
        else if (last && !in_turn(h, last, x, here && last_here))
            doubt |= here || written_before;
        else if (last && here && h->one)
            doubt = false;
        doubt |= here && ((!h->none && !x->access.performed) || (x->sc && !x->sc_succeeded));
        written_before |= here;
        in_lanes |= here;
        last = x;
    }
    return doubt;
}

static bool is_known(const history *h, const issued *x) {
    return !x->tainted && (h->none ? !x->atomic || x->access.coherence : x->access.performed != 0);
}

/* The values that a reading may have got besides those in the log. */
static mcm_verdict expected(const history *h, uint64_t addr, const mcm_moment *at, uint8_t value) {
    const issued *last = NULL;
    uint8_t values[2 * MAX_WRITES];
    uint32_t num = 0;
    bool any = false, all_known = true, has = false;
    for (uint32_t i = 0; i < h->left; i++) {
        const issued *x = &h->at[i];
        last = x->sc_failed ? last : x;
        if (!writes_byte(x, addr))
            continue;
        any = true;
        all_known &= is_known(h, x);
        const uint8_t both[] = {byte_of(x->access.old, x, addr), byte_of(x->access.value, x, addr)};
        for (int k = 0; k < 2; k++)
            if (!memchr(values, both[k], num))
                values[num++] = both[k];
    }
    has = memchr(values, value, num) != NULL;
    const bool doubt = is_doubtful(h, addr);
    if (!any || (!doubt && (h->one || comes_before(&last->at, at))))
        return MCM_FORBIDDEN;
    for (uint32_t i = h->left; i < h->num; i++) {
        const issued *x = &h->at[i];
        if (writes_byte(x, addr) && !(x->sc && !x->sc_succeeded) && comes_before(&x->at, at) && !doubt &&
            comes_before(&last->at, &x->at))
            return MCM_FORBIDDEN;
    }
    return num > MCM_NUM_VALUE || !all_known ? MCM_UNKNOWN : has ? MCM_ALLOWED : MCM_FORBIDDEN;
}

/* Which writes come before which, by the program and by where they stand among those of their word; and
 * what follows from that. */
static void put_in_order(history *h) {
    for (uint32_t i = 0; i < h->num; i++)
        for (uint32_t k = 0; k < h->num; k++) {
            const issued *x = &h->at[i], *y = &h->at[k];
            const bool coherence = x->access.coherence && y->access.coherence && i < h->left && k < h->left &&
                                   x->access.coherence < y->access.coherence;
            h->before[i][k] =
                comes_before(&x->at, &y->at) || coherence || (h->lanes && k > i && y->at.step == x->at.step);
        }
    for (uint32_t by = 0; by < h->num; by++)
        for (uint32_t i = 0; i < h->num; i++)
            for (uint32_t k = 0; k < h->num && h->before[i][by]; k++)
                h->before[i][k] |= h->before[by][k];
}

/* No value of an older write is refused that some order gives: nothing that is not hidden from the reading
 * by a write between. */
static bool may_have_got(const history *h, uint32_t i, uint64_t addr, const mcm_moment *at) {
    if (comes_before(at, &h->at[i].at))
        return false;
    for (uint32_t k = 0; k < h->num; k++) {
        const issued *y = &h->at[k];
        if (k != i && writes_byte(y, addr) && !(y->sc && !y->sc_succeeded) && h->before[i][k] &&
            comes_before(&y->at, at))
            return false;
    }
    return true;
}

static void draw_history(history *h, rng *r, bool wide) {
    uint32_t barrier_phase[2] = {0}, step = 0, coherence = 0, performed = 0;
    h->num = 1 + rng_below(r, MAX_WRITES - 4);
    const uint32_t hosts = rng_chance(r, 40) ? 20 : 0, barrier = rng_below(r, 60), pending = rng_below(r, 15);
    const uint32_t atomics = rng_chance(r, 30) ? 50 : 10;
    const bool searched = h->none && rng_chance(r, 50);
    for (uint32_t i = 0; i < h->num; i++) {
        issued *x = &h->at[i];
        *x = (issued){0};
        const bool lane = i && rng_chance(r, 25) && !h->at[i - 1].atomic && !h->at[i - 1].sc_failed &&
                          (h->at[i - 1].at.uid != MCM_HOST_UID || h->at[i - 1].access.addr < WORD + 3);
        if (lane) {
            x->at = h->at[i - 1].at;
            x->tainted = h->at[i - 1].tainted;
        } else {
            const uint32_t warp = rng_below(r, WARPS);
            barrier_phase[warp / GROUP] += rng_chance(r, barrier);
            x->at = mcm_access_at(rng_chance(r, hosts) ? MCM_HOST_UID : warp, barrier_phase[warp / GROUP],
                                  step += 2, MCM_WRITES);
            if (x->at.uid == MCM_HOST_UID)
                x->at.barrier_phase = 0;
            x->atomic = x->at.uid != MCM_HOST_UID && rng_chance(r, atomics);
            x->sc = x->atomic && rng_chance(r, 50);
            x->sc_succeeded = rng_chance(r, 50);
            x->sc_failed = x->sc && rng_chance(r, 20);
            x->tainted = x->at.uid != MCM_HOST_UID && rng_chance(r, 2);
        }
        const bool host = x->at.uid == MCM_HOST_UID; /* Byte by byte, upwards */
        x->access.bytes = host ? 1 : x->atomic || rng_chance(r, 40) ? 4 : (uint8_t)(1u << rng_below(r, 2));
        x->access.addr = host && lane ? h->at[i - 1].access.addr + 1
                                      : WORD + x->access.bytes * rng_below(r, 4 / x->access.bytes);
        x->access.old = wide ? rng_next(r) : 0x01010101u * rng_below(r, 4);
        x->access.value = wide ? rng_next(r) : 0x01010101u * rng_below(r, 4);
        if (lane)
            x->access.coherence = h->at[i - 1].access.coherence;
        else if (searched && rng_chance(r, 80) && x->at.uid != MCM_HOST_UID)
            x->access.coherence = ++coherence + (rng_chance(r, 10) ? 5 : 0);
        if (x->at.uid == MCM_HOST_UID || !rng_chance(r, pending))
            x->access.performed = ++performed + (x->at.uid != MCM_HOST_UID && rng_chance(r, 15) ? 4 : 0);
    }
    h->left = rng_below(r, h->num + 1);
    while (h->left && h->left < h->num && h->at[h->left].at.step == h->at[h->left - 1].at.step)
        h->left++;
}

/* The writes as entries of the log, and those that have left it. */
static void enter(karat_checker *c, const history *h) {
    mcm_ring *r = &c->mcm->log.writes;
    mcm_part part[MAX_WRITES];
    r->first = r->num;
    for (uint32_t i = 0, num = 0; i < h->num; i++) {
        const issued *x = &h->at[i];
        part[num++] = x->access;
        if (i + 1 < h->num && h->at[i + 1].at.step == x->at.step)
            continue;
        mcm_event e = {.at = x->at,
                       .low = UINT64_MAX,
                       .kind = x->sc       ? MCM_SC
                               : x->atomic ? MCM_AMO
                                           : MCM_STORE,
                       .amo = x->sc ? KARAT_AMO_SC : 0,
                       .sc_succeeded = x->sc_succeeded,
                       .sc_failed = x->sc_failed,
                       .unreported = x->tainted,
                       .num = num,
                       .part = part};
        for (uint32_t k = 0; k < num; k++) {
            e.low = e.low < part[k].addr ? e.low : part[k].addr;
            e.high = e.high > part[k].addr + part[k].bytes ? e.high : part[k].addr + part[k].bytes;
        }
        mcm_log_add(c->mcm, &e);
        num = 0;
    }
    while (r->first < r->num &&
           mcm_ring_at(r, r->first)->at.step <= (h->left ? h->at[h->left - 1].at.step : 0))
        mcm_summarise(c->mcm, mcm_ring_at(r, r->first++));
}

static void disagree(const history *h, uint64_t seed, const mcm_moment *at, uint64_t addr, uint8_t value,
                     mcm_verdict found, const char *want) {
    for (uint32_t i = 0; i < h->num; i++)
        printf("%s warp %x barrier phase %u step %u at %u bytes %u old %x value %x performed %u coherence "
               "%u%s%s%s\n",
               i < h->left ? "left" : "log ", h->at[i].at.uid, h->at[i].at.barrier_phase,
               (unsigned)h->at[i].at.step, (unsigned)(h->at[i].access.addr & 3), h->at[i].access.bytes,
               h->at[i].access.old, h->at[i].access.value, (unsigned)h->at[i].access.performed,
               (unsigned)h->at[i].access.coherence, h->at[i].atomic ? " atomic" : "",
               h->at[i].sc_failed ? " failed" : "", h->at[i].tainted ? " tainted" : "");
    fail_msg("seed %u, order %s%s: byte %u, %x, warp %x barrier phase %u step %u: %d; it should be %s",
             (unsigned)seed, h->none ? "none" : "told", h->one ? " one" : "", (unsigned)(addr & 3), value,
             at->uid, at->barrier_phase, (unsigned)at->step, (int)found, want);
}

static void ask(const karat_checker *c, const history *h, uint64_t seed, const mcm_moment *at, uint64_t addr,
                uint8_t value) {
    static const char *const names[] = {"an order", "none", "unknown"};
    const mcm_verdict found = mcm_may_be_evicted(c->mcm, (mcm_place){.addr = addr}, at, value);
    const mcm_verdict want = expected(h, addr, at, value);
    if (found != want)
        disagree(h, seed, at, addr, value, found, names[want]);
}

static void ask_all(const karat_checker *c, const history *h, uint64_t seed, rng *r, uint32_t *old) {
    for (uint32_t n = 0; n < 3; n++) {
        const uint32_t near = rng_below(r, h->num), warp = rng_below(r, WARPS);
        mcm_moment at = mcm_access_at(warp, 0, h->at[near].at.step + 1, MCM_READS);
        for (uint32_t i = 0; i <= near; i++)
            if (h->at[i].at.uid != MCM_HOST_UID && h->at[i].at.uid / GROUP == warp / GROUP)
                at.barrier_phase = h->at[i].at.barrier_phase;
        if (rng_chance(r, 30))
            at = mcm_access_at(MCM_HOST_UID, 0, UINT64_MAX, 0);
        for (uint64_t addr = WORD; addr < WORD + 4; addr++) {
            ask(c, h, seed, &at, addr, (uint8_t)rng_next(r));
            for (uint32_t i = 0; i < h->num; i++) {
                if (!writes_byte(&h->at[i], addr))
                    continue;
                const uint8_t value = byte_of(h->at[i].access.value, &h->at[i], addr);
                ask(c, h, seed, &at, addr, value);
                ask(c, h, seed, &at, addr, byte_of(h->at[i].access.old, &h->at[i], addr));
                bool newest = i < h->left;
                for (uint32_t k = i + 1; k < h->left; k++)
                    newest &= !writes_byte(&h->at[k], addr);
                if (!h->none || i >= h->left || newest || !may_have_got(h, i, addr, &at))
                    continue;
                ++*old;
                if (mcm_may_be_evicted(c->mcm, (mcm_place){.addr = addr}, &at, value) == MCM_FORBIDDEN)
                    disagree(h, seed, &at, addr, value, MCM_FORBIDDEN, "another: it is legal");
            }
        }
    }
}

static karat_checker *idle_checker(void) {
    program p = {.num = 0};
    put0(&p, "endprg");
    const core_options o = core_default();
    stream s = run_program(&p, &o);
    karat_checker *c = replay(&s, NULL);
    stream_free(&s);
    return c;
}

TEST(words_by_hand) {
    scoped_checker *c = idle_checker();
    uint32_t old = 0;
    assert_int_equal(c->kernel.wg_size, GROUP);
    for (uint64_t seed = 1; seed <= 600 + share_of(5000); seed++) {
        rng r = {seed * 7919 + 21};
        history h = {.none = seed % 4 < 2, .one = seed % 4 == 2, .lanes = rng_chance(&r, 50)};
        draw_history(&h, &r, seed % 7 == 0);
        put_in_order(&h);
        c->mcm->core.reports_order = !h.none;
        c->mcm->core.coherent = h.one;
        c->mcm->core.ascending = h.lanes;
        mcm_evicted_kernel(c->mcm, true);
        enter(c, &h);
        ask_all(c, &h, seed, &r, &old);
    }
    assert_true(old > 50);
}

/* One that is forgotten at once. */
static void forget_word(karat_checker *c, mcm_moment at, uint64_t addr, uint32_t old, uint32_t value) {
    mcm_part part = {.addr = addr, .old = old, .value = value, .bytes = 4};
    mcm_summarise(
        c->mcm,
        &(mcm_event){.at = at, .kind = MCM_STORE, .num = 1, .low = addr, .high = addr + 4, .part = &part});
}

/* More words than there is room for at first, of device memory and of two workgroups' local memory; and
 * which of them the next kernel still knows. */
TEST(many_words_of_all_kinds) {
    enum { WORDS = 3000 };
    scoped_checker *c = idle_checker();
    karat_mcm *o = c->mcm;
    const uint64_t local = c->config.model.lds_base;
    const mcm_moment other = mcm_access_at(1, 0, 1000000, MCM_READS);
    o->core.reports_order = false;
    o->core.ascending = true;
    mcm_evicted_kernel(o, true);
    for (uint32_t n = 0; n < WORDS; n++)
        for (uint32_t kind = 0; kind < 3; kind++) { /* Device memory, local memory */
            const uint64_t addr = 4 * (uint64_t)n + (kind ? local : WORD);
            const uint32_t uid = kind == 2 ? GROUP : n % 5 ? 0 : MCM_HOST_UID;
            const uint32_t old = 0x01010101u * kind, value = 0x10101010u * (1 + kind);
            if (kind == 1 && uid == MCM_HOST_UID)
                continue; /* The host has none */
            forget_word(c, mcm_access_at(uid, 0, 1 + 3 * n + kind, MCM_WRITES), addr, old, value);
            if (n % 3 == 0 && uid != MCM_HOST_UID && kind < 2) /* Others, in no order with that */
                forget_word(c, mcm_access_at(kind ? 1 : 2, 0, 3 * WORDS + n, MCM_WRITES), addr, old, value);
        }
    assert_false(o->evicted.lost);
    o->evicted.lost = true; /* Some may be missing */
    assert_int_equal(mcm_may_be_evicted(c->mcm, (mcm_place){.addr = 4}, &other, 0), MCM_UNKNOWN);
    o->evicted.lost = false;
    for (int kernel = 0; kernel < 3;
         kernel++) { /* This one, the next, and one after an end that was compared */
        for (uint32_t n = 0; n < WORDS; n++)
            for (uint32_t kind = 0; kind < 3; kind++)
                for (uint32_t value = 0; value < 4; value++) {
                    const bool host = n % 5 == 0 && kind < 2, doubtful = n % 3 == 0 && kind == 0 && !host;
                    const mcm_place p = {4 * (uint64_t)n + (kind ? local : WORD) + n % 4, kind, 0};
                    const bool left = kernel == 0 ? !host : kernel == 1 && doubtful; /* No local memory */
                    const bool is = left && value == kind;
                    assert_int_equal(mcm_may_be_evicted(c->mcm, p, &other, (uint8_t)value),
                                     is ? MCM_ALLOWED : MCM_FORBIDDEN);
                }
        mcm_evicted_kernel(o, kernel == 1);
        for (uint32_t n = WORDS; kernel == 0 && n < 2 * WORDS; n++) /* More of them */
            forget_word(c, mcm_access_at(0, 0, 4 * WORDS + n, MCM_WRITES), WORD + 4 * (uint64_t)n, 0, 0);
    }
}

/* Words that all belong into every other place of their table: more than these are, or all of these taken. */
TEST(crowded_tables) {
    scoped_checker *c = idle_checker();
    karat_mcm *o = c->mcm;
    const mcm_moment other = mcm_access_at(1, 0, 1000000, MCM_READS);
    o->core.reports_order = false;
    mcm_evicted_kernel(o, true);
    mcm_place p = {.addr = 0};
    for (uint32_t n = 0; n < 600; p.addr += 4) {
        if (mcm_hash(&p) % 2)
            continue;
        assert_int_equal(mcm_may_be_evicted(c->mcm, p, &other, 0x10), MCM_FORBIDDEN);
        forget_word(c, mcm_access_at(0, 0, 1 + n++, MCM_WRITES), p.addr, 0x10101010, 0);
        assert_int_equal(mcm_may_be_evicted(c->mcm, p, &other, 0x10), MCM_ALLOWED);
    }
    assert_int_equal(o->evicted.words.room, 1024);
    for (uint32_t n = 0; n < 600; n++, p.addr += 4)
        assert_null(mcm_summary_of(o, p));
}

/* --- Accesses made by hand, against every pair of bytes --- */

typedef struct made {
    uint32_t warp, barrier_phase, num, bytes;
    bool writes;
    uint64_t addr[KARAT_MAX_ACCESS];
} made;

static uint32_t lds_of(const karat_checker *c, const made *m, uint64_t addr) {
    return addr >= c->config.model.lds_base &&
                   addr < (uint64_t)c->config.model.lds_base + c->config.model.lds_size
               ? 1 + m->warp / c->kernel.wg_size
               : 0;
}

/* The first byte, in the order of b's accesses and then of a's, that both access. */
static bool meet(const karat_checker *c, const made *a, const made *b, uint64_t *byte) {
    for (uint32_t i = 0; i < a->num; i++)
        for (uint32_t k = 0; k < b->num; k++)
            for (uint32_t n = 0; n < a->bytes; n++) {
                *byte = a->addr[i] + n;
                if (*byte >= b->addr[k] && *byte < b->addr[k] + b->bytes &&
                    lds_of(c, a, a->addr[i]) == lds_of(c, b, b->addr[k]))
                    return true;
            }
    return false;
}

static made draw_access(const karat_checker *c, rng *r) {
    static const uint32_t nums[] = {1, 1, 2, 4, 4, 2 * KARAT_MAX_THREAD}; /* Most of profile v2.02 */
    made m = {.warp = rng_below(r, 4)};
    m.barrier_phase = rng_below(r, 2);
    m.num = nums[rng_below(r, 6)];
    m.bytes = 1u << rng_below(r, 3);
    m.writes = rng_chance(r, 50);
    const uint64_t lds = c->config.model.lds_base, size = c->config.model.lds_size;
    const uint64_t bases[] = {0, lds, lds + size - 16, lds + size, lds - 16, SHARED};
    const uint64_t base = bases[rng_below(r, 6)];
    const uint32_t spread = rng_chance(r, 50) ? 8 : 64;
    for (uint32_t k = 0; k < m.num; k++)
        m.addr[k] = base + m.bytes * rng_below(r, spread / m.bytes);
    return m;
}

static void make_flight(flight *to, const made *m) {
    flight f = {.workgroup = m->warp / 2};
    f.commit.has_mem = true;
    f.commit.mem.op = m->writes ? KARAT_STORE : KARAT_LOAD;
    f.commit.mem.num = m->num;
    for (uint32_t k = 0; k < m->num; k++)
        f.commit.mem.access[k] = (karat_access){
            .addr = m->addr[k], .bytes = (uint8_t)m->bytes, .lane = (uint8_t)(k % KARAT_MAX_THREAD)};
    f.event = (mcm_event){.kind = m->writes ? MCM_STORE : MCM_LOAD, .num = m->num, .low = UINT64_MAX};
    for (uint32_t k = 0; k < m->num; k++) {
        f.part[k] = (mcm_part){.addr = m->addr[k], .bytes = (uint8_t)m->bytes};
        f.event.low = f.event.low < m->addr[k] ? f.event.low : m->addr[k];
        f.event.high = f.event.high > m->addr[k] + m->bytes ? f.event.high : m->addr[k] + m->bytes;
    }
    *to = f;
    to->event.part = to->part;
}

/* --- The same of a core that provides no WRITE: whether it cannot be known what some warp has read --- */

/* After the parts of an entry: all that it covers. Nobody may look there. */
static void spoil_entry(const mcm_ring *r, uint64_t n) {
    const mcm_event *e = mcm_ring_at(r, n);
    if (e->num < r->room_part)
        e->part[e->num] = (mcm_part){.addr = e->low, .bytes = (uint8_t)(e->high - e->low)};
}

static void step_made(karat_checker *c, const made *m, uint32_t space) {
    static flight f;
    karat_mcm *o = c->mcm;
    slot s = {.workgroup = m->warp / 2, .warp = m->warp % 2};
    make_flight(&f, m);
    f.commit.mem.space = (uint8_t)space;
    o->warps[0] = (mcm_warp){.uid = m->warp, .barriers = m->barrier_phase, .live = true};
    const uint64_t reads = o->log.reads.num, writes = o->log.writes.num;
    mcm_event *none =
        mcm_ring_at(&o->log.writes, writes); /* After the last write: another warp's, were it one */
    mcm_part *part = o->log.writes.part + (writes & o->log.writes.mask) * o->log.writes.room_part;
    *none = f.event;
    none->at = (mcm_moment){.uid = m->warp ^ 1, .barrier_phase = UINT32_MAX};
    none->part = part;
    memcpy(part, f.part, m->num * sizeof *part);
    assert_true(karat_bridge_step(c, &s, &f));
    if (o->log.reads.num > reads)
        spoil_entry(&o->log.reads, reads);
    if (o->log.writes.num > writes)
        spoil_entry(&o->log.writes, writes);
}

TEST(unreported_by_hand) {
    enum { NUM = 5 };
    core_options o = fixture_options();
    o.num_thread = KARAT_MAX_THREAD;
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    scoped_stream s = run_fixture(&o);
    cut(&s, nth(&s, KARAT_REC_KERNEL, 0) + 1);
    scoped_checker *c = replay(&s, NULL);
    assert_int_equal(c->kernel.wg_size, 2);
    uint32_t found = 0;
    for (uint32_t seed = 0; seed < 600; seed++) {
        rng r = {seed};
        made all[NUM];
        bool is_private[NUM], raced = false;
        mcm_kernel(c->mcm, 2, 100, true);
        /* So many loads of nothing that the reads before them are remembered still, or not. */
        const uint32_t until = rng_chance(&r, 15) ? 1 + rng_below(&r, NUM - 1) : 0;
        const uint32_t many =
            rng_chance(&r, 70) ? MCM_NUM_READ - 5 + rng_below(&r, 6) : 40 + rng_below(&r, 100);
        for (uint32_t n = 0; n < NUM; n++) {
            all[n] = draw_access(c, &r);
            if (until) /* All of one word */
                all[n] = (made){.warp = n % 4, .num = 1, .bytes = 4, .writes = n >= until};
            is_private[n] = rng_chance(&r, 30);
            uint32_t since = 0; /* Reads after that one */
            for (uint32_t k = n; k-- > 0;) {
                uint64_t byte;
                const bool barrier =
                    all[k].warp / 2 == all[n].warp / 2 && all[k].barrier_phase < all[n].barrier_phase;
                if (k + 1 == until)
                    since += many;
                const bool remembered = all[k].writes || since < MCM_NUM_READ;
                raced |= all[k].warp != all[n].warp && !barrier && (all[k].writes || all[n].writes) &&
                         !(is_private[k] && is_private[n]) && remembered && meet(c, &all[k], &all[n], &byte);
                since += !all[k].writes;
            }
            step_made(c, &all[n], is_private[n] ? KARAT_PRIVATE : KARAT_GLOBAL);
            if (mcm_raced(c->mcm) != raced)
                fail_msg("seed %u: %u: %s", seed, n, raced ? "no race" : "a race");
            const made nothing = {
                .warp = 3, .barrier_phase = all[n].barrier_phase, .num = 1, .bytes = 4, .addr = {1 << 20}};
            for (uint32_t k = 0; n + 1 == until && k < many; k++)
                step_made(c, &nothing, KARAT_GLOBAL);
        }
        found += raced;
    }
    assert_true(found > 100 && found < 500);
}

RUN_TESTS("inside mcm")
