/* The log's index by lines of memory, and who owns a line, of the memory model by itself (dpi/mcm/log.c).
 *
 * What a query finds is compared with a walk over all parts of all writes. Of ownership, the value that a
 * load has in the image is looked at again exactly where a second writer may have given it another. */
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite.h"

enum {
    SIZE = 0x4000, /* Of device memory, of each workgroup's local memory, and where that begins */
    LANES = 32,
    PARTS = 4 * LANES,
    WARPS = 4,
    WG_SIZE = 2,
    FAR = 16, /* A workgroup whose lines have the hashes of workgroup 0's */
    KEPT = 64 /* Events that a test has under way */
};

typedef struct world {
    karat_mcm *m;
    uint8_t memory[2 + FAR][SIZE]; /* Device memory, local memories */
    mcm_event event[KEPT];
    mcm_part part[KEPT][PARTS];
    uint32_t num;
} world;

static uint8_t *bytes_at(void *context, const mcm_place *at) {
    return &((world *)context)->memory[at->lds][at->addr % SIZE];
}

static void image_load(void *context, const mcm_place *at, void *bytes, size_t size) {
    memcpy(bytes, bytes_at(context, at), size);
}

static void image_store(void *context, const mcm_place *at, const void *bytes, size_t size) {
    memcpy(bytes_at(context, at), bytes, size);
}

static uint32_t swap(unsigned funct5, uint32_t value, uint32_t operand) {
    (void)funct5, (void)value;
    return operand;
}

static bool unreported(void *context, const mcm_event *e, uint64_t addr) {
    (void)context, (void)e, (void)addr;
    return false;
}

/* Warps 0 to 3, two a workgroup, in slots of the same numbers. */
static void begin_kernel(world *w) {
    mcm_kernel(w->m, WG_SIZE, WARPS, true);
    for (uint32_t i = 0; i < WARPS; i++)
        mcm_launch(w->m, i, i);
}

static world *begin(void) {
    static world w;
    mcm_destroy(w.m);
    memset(&w, 0, sizeof w);
    const mcm_core core = {.num_warp = WARPS,
                           .num_part = PARTS,
                           .reports = true,
                           .reports_order = true,
                           .coherent = true,
                           .ascending = true,
                           .answers = true,
                           .lds_base = SIZE,
                           .lds_size = SIZE};
    const mcm_env env = {&w, image_load, image_store, swap, unreported};
    w.m = mcm_create(&core, &env);
    assert_non_null(w.m);
    begin_kernel(&w);
    return &w;
}

static void end(world *w) {
    mcm_destroy(w->m);
    w->m = NULL;
}

static mcm_event *next_event(world *w, uint32_t slot, mcm_kind kind) {
    mcm_event *e = &w->event[w->num % KEPT];
    *e = (mcm_event){.at = mcm_step(w->m, slot),
                     .warp = slot,
                     .kind = kind,
                     .answers = kind != MCM_STORE,
                     .part = w->part[w->num % KEPT]};
    w->num++;
    return e;
}

/* The parts are there: the image performs them. */
static void issue(world *w, mcm_event *e) {
    for (uint32_t k = 0; k < e->num; k++) {
        mcm_part *a = &e->part[k];
        const mcm_place p = mcm_place_of(w->m, e, a->addr);
        a->old = 0;
        image_load(w, &p, &a->old, a->bytes);
        if (e->kind == MCM_STORE || e->kind == MCM_AMO)
            image_store(w, &p, &a->value, a->bytes);
        else
            a->value = a->old;
    }
    assert_true(mcm_issue(w->m, e));
}

static void perform(world *w, mcm_event *e) {
    mcm_violation wrong;
    uint64_t lane_races = 0;
    mcm_reported(w->m);
    for (uint32_t first = 0; first < e->num; first += 64) {
        const uint32_t num = e->num - first < 64 ? e->num - first : 64;
        const bool last = first + num == e->num;
        assert_true(mcm_performed(w->m, e, (mcm_parts){first, UINT64_MAX >> (64 - num)}, last, 0, &wrong,
                                  &lane_races));
    }
}

/* --- The index --- */

static uint64_t state;

/* Below n; 0: any word. */
static uint32_t draw(uint32_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t value = (uint32_t)(state >> 32);
    return n ? (uint32_t)((uint64_t)value * n >> 32) : value;
}

/* Parts in a shape of some kind: consecutive, at a distance, backwards, all at one address, scattered in a
 * few lines, of some lanes alone, across lines and pages, of 1, 2 or 4 bytes, of different ones, and
 * several words a lane. */
static uint32_t draw_parts(mcm_part *part, bool lds) {
    static const uint8_t sizes[] = {1, 2, 4, 4};
    const uint32_t bytes = sizes[draw(4)], words = draw(8) ? 1 : 1 + draw(4),
                   mask = draw(3) ? UINT32_MAX : draw(0);
    const uint32_t kind = draw(6), room = draw(2) ? 512 : SIZE - 1024;
    const uint32_t base = 512 + draw(room) / bytes * bytes, step = bytes * (kind == 0 ? 1 : 1 + draw(12));
    const bool mixed = !draw(6);
    uint32_t num = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t word = 0; word < words && mask >> lane & 1; word++) {
            uint32_t addr = base + word * bytes;
            if (kind <= 2)
                addr += lane * step % 512;
            else if (kind == 3)
                addr -= lane * bytes;
            else if (kind == 4)
                addr += draw(400) / bytes * bytes;
            if (mixed)
                addr &= ~3u;
            const uint32_t some = mixed ? sizes[draw(4)] : bytes;
            part[num++] = (mcm_part){.addr = (lds ? SIZE : 0) + addr % SIZE,
                                     .value = draw(0) & mcm_low_bytes(some),
                                     .bytes = (uint8_t)some,
                                     .lane = (uint8_t)lane};
        }
    return num;
}

/* The part before part k of entry n, in descending order, that has some of these bytes. */
static bool older_part(const karat_mcm *m, const mcm_place *p, uint32_t bytes, uint64_t from, uint64_t *n,
                       uint32_t *k) {
    const mcm_ring *r = &m->log.writes;
    for (;;) {
        if (*k == 0) {
            if (*n == r->first || *n <= from)
                return false;
            *k = mcm_ring_at(r, --*n)->num;
            continue;
        }
        const mcm_event *e = mcm_ring_at(r, *n);
        const mcm_part *a = &e->part[--*k];
        const uint32_t lds = mcm_place_of(m, e, a->addr).lds;
        if (a->addr < p->addr + bytes && p->addr < a->addr + a->bytes && lds == p->lds)
            return true;
    }
}

static void compare_writes(const karat_mcm *m, const mcm_place *p, uint32_t bytes, uint64_t from) {
    uint64_t n = m->log.writes.num;
    uint32_t k = 0;
    mcm_write found = {.from = from};
    while (older_part(m, p, bytes, from, &n, &k)) {
        assert_true(mcm_next_write(m, p, bytes, &found));
        assert_int_equal(found.number, n);
        assert_ptr_equal(found.part, &mcm_ring_at(&m->log.writes, n)->part[k]);
        assert_ptr_equal(found.event, mcm_ring_at(&m->log.writes, n));
    }
    const mcm_write before = found;
    assert_false(mcm_next_write(m, p, bytes, &found));
    assert_memory_equal(&before, &found, sizeof found);
}

/* Whether a younger entry has some byte of that one. */
static bool is_overlapped(const karat_mcm *m, uint64_t n) {
    const mcm_event *e = mcm_ring_at(&m->log.writes, n);
    for (uint32_t k = 0; k < e->num; k++) {
        const mcm_place p = mcm_place_of(m, e, e->part[k].addr);
        mcm_write newest = {.from = n + 1};
        if (mcm_next_write(m, &p, e->part[k].bytes, &newest))
            return true;
    }
    return false;
}

TEST(finds_all_parts) {
    const char *seed = getenv("KARAT_SEED");
    state = seed ? strtoull(seed, NULL, 0) : 20261127;
    printf("seed %llu\n", (unsigned long long)state);
    uint32_t entries = 0, lone = 0;
    for (uint32_t round = 0; round < 6; round++) {
        world *w = begin();
        karat_mcm *m = w->m;
        for (uint32_t i = 0; i < 200 + draw(6000); i++) {
            const bool host = !draw(12);
            if (host) {
                uint8_t bytes[80];
                const uint32_t size = 1 + draw(sizeof bytes);
                for (uint32_t k = 0; k < size; k++)
                    bytes[k] = (uint8_t)draw(0);
                mcm_host_write(m, draw(2000), bytes, size, true, 0);
            } else {
                mcm_event *e = next_event(w, draw(WARPS), MCM_STORE);
                e->num = draw_parts(e->part, draw(2));
                if (!e->num)
                    continue;
                issue(w, e);
                perform(w, e);
            }
        }
        for (uint32_t i = 0; i < 60; i++) {
            const uint32_t bytes = 1u << draw(3);
            mcm_place p = {.addr = draw(3000) / bytes * bytes, .lds = draw(1 + WARPS / WG_SIZE)};
            p.addr += p.lds ? SIZE : 0;
            const uint64_t num = m->log.writes.num;
            compare_writes(m, &p, bytes, draw(2) ? 0 : num - draw(num < 50 ? (uint32_t)num : 50));
        }
        for (uint64_t n = m->log.writes.num - 20; n < m->log.writes.num; n++, entries++) {
            const bool met = mcm_may_be_overlapped(m, n);
            assert_true(met || !is_overlapped(m, n));
            lone += !met;
        }
    }
    assert_in_range(lone, entries / 20, entries - 1);
}

/* --- Ownership --- */

enum { A = 0x400, NEXT = A + MCM_LINE, L = SIZE + 0x400 };

/* A warp's access of eight lanes from there on, one word after the other. */
static mcm_event *access(world *w, uint32_t slot, mcm_kind kind, uint32_t addr, uint32_t value) {
    mcm_event *e = next_event(w, slot, kind);
    e->num = kind == MCM_AMO ? 1 : 8;
    e->operand = value;
    for (uint32_t k = 0; k < e->num; k++)
        e->part[k] = (mcm_part){
            .addr = addr + 4 * k, .value = value + (kind == MCM_AMO ? 0 : k), .bytes = 4, .lane = (uint8_t)k};
    issue(w, e);
    return e;
}

/* Lanes of a load, performed now, whose value of the image is one of several. */
static uint32_t doubtful(world *w, mcm_event *load) {
    perform(w, load);
    return mcm_doubtful(w->m, load);
}

static mcm_verdict returns(world *w, const mcm_event *load, uint32_t lane, uint32_t value) {
    bool lanes;
    return mcm_loaded(w->m, load, lane, value, &lanes).is;
}

/* Its own stores alone are under way: the load has one value, and that is the image's. */
TEST(own_stores) {
    world *w = begin();
    mcm_event *first = access(w, 0, MCM_STORE, A, 10), *second = access(w, 0, MCM_STORE, A + 16, 50);
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0);
    assert_int_equal(doubtful(w, load), 0);
    for (uint32_t k = 0; k < 8; k++) {
        assert_int_equal(load->part[k].value, k < 4 ? 10 + k : 50 + k - 4);
        assert_int_equal(returns(w, load, k, load->part[k].value), MCM_ALLOWED);
        assert_int_equal(returns(w, load, k, k < 4 ? 0 : 10 + k), MCM_FORBIDDEN);
    }
    perform(w, first);
    perform(w, second);
    load = access(w, 0, MCM_LOAD, A, 0); /* Nothing is under way */
    assert_int_equal(doubtful(w, load), 0);
    end(w);
}

/* Another warp's store to its line drops the tag, whichever of the three comes first; one to the next line
 * does not. */
TEST(second_warp) {
    for (uint32_t order = 0; order < 4; order++) {
        world *w = begin();
        mcm_event *load = NULL;
        if (order == 3)
            access(w, 1, MCM_STORE, NEXT, 90);
        if (order == 0)
            access(w, 1, MCM_STORE, A, 90);
        access(w, 0, MCM_STORE, A, 10);
        if (order == 1)
            access(w, 1, MCM_STORE, A, 90);
        load = access(w, 0, MCM_LOAD, A, 0);
        if (order == 2)
            access(w, 1, MCM_STORE, A, 90);
        assert_int_equal(doubtful(w, load), order == 3 ? 0 : 0xff);
        end(w);
    }
    /* The other's lanes alone are in doubt, and its line's. */
    world *w = begin();
    access(w, 1, MCM_STORE, A + 16, 90);
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0);
    assert_int_equal(doubtful(w, load), 0xf0);
    end(w);
}

/* A load of two lines, of which another warp has stored to the second. */
TEST(two_lines) {
    world *w = begin();
    access(w, 0, MCM_STORE, NEXT - 16, 10);
    access(w, 1, MCM_STORE, NEXT, 90);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, NEXT - 16, 0)), 0xf0);
    end(w);
}

/* Without the rules that the proof needs, a store of the load's own warp does not settle its value. */
TEST(without_rules) {
    world *w = begin();
    mcm_switch_off(w->m, MCM_PROGRAM);
    access(w, 0, MCM_STORE, A, 10);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, A, 0)), 0xff);
    end(w);
    w = begin();
    mcm_switch_off(w->m, MCM_LANES);
    mcm_event *e = next_event(w, 0, MCM_STORE); /* Two lanes, one address */
    e->num = 2;
    for (uint32_t k = 0; k < 2; k++)
        e->part[k] = (mcm_part){.addr = A, .value = 10 + k, .bytes = 4, .lane = (uint8_t)k};
    issue(w, e);
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0);
    perform(w, e);
    assert_int_equal(doubtful(w, load), 1);
    assert_int_equal(returns(w, load, 0, 10), MCM_ALLOWED);
    end(w);
}

/* A tag comes back when the other's stores have been performed. */
TEST(tag_comes_back) {
    world *w = begin();
    mcm_event *other = access(w, 1, MCM_STORE, A, 90);
    perform(w, other);
    access(w, 0, MCM_STORE, A, 10);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, A, 0)), 0);
    other = access(w, 1, MCM_STORE, A, 90);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, A, 0)), 0xff);
    end(w);
}

TEST(host_touches) {
    world *w = begin();
    const uint8_t bytes[4] = {1, 2, 3, 4};
    access(w, 0, MCM_STORE, A, 10);
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0);
    mcm_host_write(w->m, A + 4, bytes, 4, true, 0);
    memcpy(w->memory[0] + A + 4, bytes, 4);
    assert_int_equal(doubtful(w, load) & 2, 2);
    assert_int_equal(returns(w, load, 1, 0x04030201), MCM_ALLOWED);
    end(w);
}

/* Local memory is another in each workgroup, also where a later one has got the same slot. */
TEST(local_memory) {
    world *w = begin();
    access(w, 2, MCM_STORE, L, 90); /* Another workgroup's */
    access(w, 0, MCM_STORE, L, 10);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, L, 0)), 0);
    access(w, 1, MCM_STORE, L, 20);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, L, 0)), 0xff);
    mcm_end(w->m, 0);
    mcm_end(w->m, 1);
    mcm_launch(w->m, 0, 4);
    mcm_launch(w->m, 1, 5); /* Workgroup 2, in the slots of workgroup 0 */
    memset(w->memory[3], 0, SIZE);
    access(w, 0, MCM_STORE, L, 30);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, L, 0)), 0);
    access(w, 1, MCM_STORE, L, 40);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, L, 0)), 0xff);
    mcm_end(w->m, 0);
    mcm_launch(w->m, 0, FAR * WG_SIZE);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, L, 0)), 0);
    end(w);
}

/* The warp that has got the slot of one that ended is another. */
TEST(slot_is_used_again) {
    world *w = begin();
    access(w, 0, MCM_STORE, A, 10); /* Its MEM is late */
    mcm_end(w->m, 0);
    mcm_launch(w->m, 0, 4);
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0);
    assert_int_equal(doubtful(w, load), 0xff);
    assert_int_equal(returns(w, load, 0, 0), MCM_ALLOWED);
    access(w, 0, MCM_STORE, A, 30);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, A, 0)), 0xff);
    end(w);
}

/* A warp of the next kernel has the same uid; what the first one has written is in memory then. */
TEST(next_kernel) {
    world *w = begin();
    perform(w, access(w, 1, MCM_STORE, A, 90));
    perform(w, access(w, 0, MCM_STORE, A, 10));
    begin_kernel(w);
    access(w, 1, MCM_STORE, A, 20);
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0);
    assert_int_equal(doubtful(w, load), 0xff);
    assert_int_equal(returns(w, load, 2, 12), MCM_ALLOWED);
    assert_int_equal(returns(w, load, 2, 92), MCM_FORBIDDEN);
    end(w);
}

/* An atomic of the warp itself, data that is not known, and data that turns out to be other than the
 * image's. */
TEST(not_plain) {
    world *w = begin();
    access(w, 0, MCM_AMO, A, 10);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, A, 0)) & 1, 1);
    end(w);
    w = begin();
    mcm_event *e = next_event(w, 0, MCM_STORE);
    e->num = 1;
    e->unreported = true;
    e->part[0] = (mcm_part){.addr = A, .value = 7, .bytes = 4};
    issue(w, e);
    assert_int_equal(doubtful(w, access(w, 0, MCM_LOAD, A, 0)), 1);
    end(w);
    w = begin();
    e = access(w, 0, MCM_STORE, A, 10);
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0);
    mcm_adopt_byte(w->m, e, 3, 0, 0xee);
    assert_int_equal(doubtful(w, load), 0xff);
    assert_int_equal(returns(w, load, 3, 0xee), MCM_ALLOWED);
    assert_int_equal(returns(w, load, 3, 13), MCM_FORBIDDEN);
    end(w);
}

/* Its own store was issued after the load, and performed before it: the image's value is wrong. */
TEST(younger_store) {
    world *w = begin();
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0), *store = access(w, 0, MCM_STORE, A, 10);
    perform(w, store);
    assert_int_equal(doubtful(w, load), 0xff);
    assert_int_equal(returns(w, load, 0, 0), MCM_FORBIDDEN);
    assert_int_equal(returns(w, load, 0, 10), MCM_FORBIDDEN);
    end(w);
}

/* Another warp's older store is performed after this one's, which the image has until then. */
TEST(disorder) {
    world *w = begin();
    mcm_event *other = access(w, 1, MCM_STORE, A, 90);
    mcm_event *open = access(w, 1, MCM_STORE, NEXT, 0); /* The log from here on is under way */
    mcm_event *own = access(w, 0, MCM_STORE, A, 10);
    perform(w, own);
    perform(w, other);
    mcm_event *load = access(w, 0, MCM_LOAD, A, 0);
    assert_int_equal(load->part[0].value, 90);
    assert_int_equal(doubtful(w, load), 0xff);
    assert_int_equal(returns(w, load, 0, 90), MCM_ALLOWED);
    assert_int_equal(returns(w, load, 0, 10), MCM_FORBIDDEN);
    perform(w, open);
    end(w);
}

RUN_TESTS("lines")
