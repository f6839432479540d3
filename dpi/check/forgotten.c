/* What is left of writes that the log no longer holds (order.c), for cores where a load's value is one of several; for others, of those
 * that were still under way, or whose lanes have no order.
 *
 * Of each word there is: the last of its forgotten writes, behind which all others are, unless its bytes are in doubt; and of each
 * byte the values that these writes found and left.  A load behind that last write, of a byte that is not in doubt, gets what the log
 * says was there before its own writes.  Any other may get one of the values: some of them may be hidden from it, but none
 * that is legal is missing. */
#include "order.h"

#include <stdlib.h>
#include <string.h>

static karat_forgotten *bucket(const karat_order *o, const place *p) {
    uint32_t i = hash_of_place(p) & (o->room_forgotten - 1);
    while (o->forgotten[i].bytes && (o->forgotten[i].at.addr != p->addr || o->forgotten[i].at.lds != p->lds))
        i = (i + 1) & (o->room_forgotten - 1);
    return &o->forgotten[i];
}

const karat_forgotten *karat_forgotten_of(const karat_order *o, place p) {
    const unsigned byte = p.addr & 3;
    p = word_at(p);
    const karat_forgotten *w = o->room_forgotten ? bucket(o, &p) : NULL;
    return w && w->bytes >> byte & 1 ? w : NULL;
}

/* Room for one more word. False: there is none. */
static bool make_room(karat_order *o) {
    if (4 * (o->used_forgotten + 1) <= 3 * o->room_forgotten)
        return true;
    const uint32_t room = o->room_forgotten, more = room ? 2 * room : 1024;
    karat_forgotten *old = o->forgotten, *all = more > MAX_FORGOTTEN ? NULL : calloc(more, sizeof *all);
    if (!all)
        return false;
    o->forgotten = all;
    o->room_forgotten = more;
    for (uint32_t i = 0; i < room; i++)
        if (old[i].bytes)
            *bucket(o, &old[i].at) = old[i];
    free(old);
    return true;
}

static void add_value(karat_forgotten *w, unsigned byte, uint8_t value) {
    const uint8_t num = w->num_value[byte];
    if (num > NUM_FORGOTTEN_VALUE || memchr(w->value[byte], value, num))
        return;
    if (num < NUM_FORGOTTEN_VALUE)
        w->value[byte][num] = value;
    w->num_value[byte]++; /* one more than there is room for: any */
}

/* Bytes of a word of which a write comes behind all that were forgotten. Where only their places in the word say so, other accesses to
 * other bytes do not: a warp's own have no order by that alone. */
static uint8_t bytes_in_turn(const karat_checker *c, const karat_forgotten *w, const karat_logged *e,
                             const written *a, uint8_t bytes) {
    if (has_one_value(c))
        return a->performed > w->place ? 15 : 0;
    if (a->settled && w->place && a->settled < w->place)
        return 0;
    if (karat_order_before(c, &w->last, &e->at))
        return 15;
    return a->settled && w->place ? bytes & w->by_last : 0;
}

/* A write to some bytes of a word leaves the log, before all that were issued behind it. */
static void add_write(const karat_checker *c, karat_forgotten *w, const karat_logged *e, const written *a) {
    const uint8_t bytes = (uint8_t)(((1u << a->bytes) - 1) << (a->addr & 3));
    const bool told = in_order_of_performance(c), pending = told && !a->performed;
    const bool same = w->last.step == e->at.step; /* another lane */
    if (e->at.uid == HOST && !e->at.generation) {
        w->doubtful = (uint8_t)((same ? w->doubtful : w->bytes) & ~bytes);
    } else if (same) {
        if (!ascending(c))
            w->doubtful |= bytes & w->by_last;
    } else if (w->bytes) {
        const uint8_t in_turn = bytes_in_turn(c, w, e, a, bytes);
        if (w->earlier || has_one_value(c))
            w->doubtful &= (uint8_t)~bytes;
        w->doubtful |= (w->bytes | bytes) & ~in_turn;
    }
    if (pending || may_fail(e)) /* whatever comes before it, and behind it */
        w->doubtful |= bytes;
    const bool known = !e->tainted && !pending && (!e->atomic || a->settled || told);
    for (unsigned i = 0; i < a->bytes; i++) {
        const unsigned byte = (a->addr & 3) + i;
        add_value(w, byte, (uint8_t)(a->old >> 8 * i));
        add_value(w, byte, (uint8_t)(a->value >> 8 * i));
        if (!known)
            w->num_value[byte] = NUM_FORGOTTEN_VALUE + 1;
    }
    w->bytes |= bytes;
    w->by_last = (uint8_t)(same ? w->by_last | bytes : bytes);
    w->last = e->at;
    w->earlier = false;
    const uint64_t place = pending ? UINT64_MAX : has_one_value(c) ? a->performed : a->settled;
    if (!has_one_value(c) || place > w->place) /* else the last is that of all */
        w->place = place;
}

void karat_log_forget(const karat_checker *c, const karat_logged *e) {
    karat_order *o = c->order;
    for (uint32_t k = 0; k < e->num && !e->gone; k++) {
        const written *a = &e->access[k];
        const bool lds = e->at.uid != HOST && karat_is_lds(c, a->addr);
        const place p = word_at((place){a->addr, lds ? 1 + e->at.uid / c->kernel.wg_size : 0, 0});
        if (!make_room(o)) {
            o->lost = true;
            return;
        }
        karat_forgotten *w = bucket(o, &p);
        o->used_forgotten += !w->bytes;
        w->at = p;
        add_write(c, w, e, a);
    }
}

/* Whether a write in the log is behind all that is forgotten of a byte, and before that moment. */
static bool is_hidden(const karat_checker *c, const karat_forgotten *w, bool doubtful, const place *p,
                      const karat_moment *at) {
    const karat_order *o = c->order;
    for (uint64_t n = o->first; n < o->num; n++) {
        const karat_logged *e = entry(o, n);
        bool writes = false;
        for (uint32_t k = 0; k < e->num && touches(c, e, p, 1) && !may_fail(e); k++)
            writes |= p->addr - e->access[k].addr < e->access[k].bytes;
        if (writes && karat_order_before(c, &e->at, at) &&
            (w->earlier || (!doubtful && karat_order_before(c, &w->last, &e->at))))
            return true;
    }
    return false;
}

serial_answer karat_forgotten_value(const karat_checker *c, place p, const karat_moment *at, uint8_t value) {
    const karat_forgotten *w = karat_forgotten_of(c->order, p);
    if (c->order->lost)
        return SERIAL_UNKNOWN;
    const unsigned byte = p.addr & 3;
    const bool doubtful = w && w->doubtful >> byte & 1;
    if (!w || (!doubtful && (has_one_value(c) || karat_order_before(c, &w->last, at))) ||
        is_hidden(c, w, doubtful, &p, at))
        return SERIAL_NONE;
    if (w->num_value[byte] > NUM_FORGOTTEN_VALUE)
        return SERIAL_UNKNOWN;
    return memchr(w->value[byte], value, w->num_value[byte]) ? SERIAL_ORDER : SERIAL_NONE;
}

void karat_forgotten_kernel(karat_order *o, bool known) {
    karat_forgotten *old = o->forgotten;
    const uint32_t room = o->room_forgotten;
    o->forgotten = NULL;
    o->room_forgotten = o->used_forgotten = 0;
    for (uint32_t i = 0; i < room && !known; i++) {
        karat_forgotten *w = &old[i];
        if (!w->doubtful || w->at.lds) /* else it is known, or gone */
            continue;
        if (!make_room(o)) {
            o->lost = true;
            break;
        }
        w->last = (karat_moment){.uid = HOST, .step = o->steps};
        w->place = 0;
        w->earlier = true;
        *bucket(o, &w->at) = *w;
        o->used_forgotten++;
    }
    free(old);
    o->lost &= !known;
}
