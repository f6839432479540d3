/* Beyond the first failure: its warp is excluded (its records are not looked at any more), and the others
 * are compared on, up to the kernel's end or config.max_failures.
 *
 * The model has stopped where a warp is excluded, so that memory and barriers of the two part from there
 * on. A warp of its workgroup that comes to a barrier is excluded as well, without a failure: the state
 * after it is not known. A warp that loads what an excluded one may have stored goes on; a failure of it
 * is reported as one that may follow from the first.  Which bytes those are is kept by lines of 64,
 * hashed: too many now and then, never too few.  In the same way is kept which bytes hold what no record
 * has reported, of a core that provides no MEM (values.c). */
#include "records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum { TOUCHED_BITS = 1 << 16 };

static uint32_t touched_bit(uint64_t addr) {
    return (uint32_t)((addr >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 48) & (TOUCHED_BITS - 1);
}

static bool make_set(uint8_t **set) {
    if (!*set)
        *set = calloc(1, TOUCHED_BITS / 8);
    return *set;
}

bool karat_put_in(uint8_t **set, uint64_t addr, uint32_t bytes) {
    if (!make_set(set))
        return false;
    for (uint64_t line = addr >> 6; line <= (addr + bytes - 1) >> 6; line++)
        (*set)[touched_bit(line << 6) / 8] |= (uint8_t)(1u << touched_bit(line << 6) % 8);
    return true;
}

bool karat_is_in(const uint8_t *set, uint64_t addr) {
    return set && set[touched_bit(addr) / 8] >> touched_bit(addr) % 8 & 1;
}

static void taint_record(karat_checker *c, const karat_any *r) {
    const bool wide = r->h.kind == KARAT_REC_ACCESS;
    for (uint32_t m = r->mem.op == KARAT_MEM_LOAD ? 0 : r->mem.mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        karat_put_in(&c->tainted_memory, wide ? r->access.phys[lane] : karat_addr_of(&r->mem, lane),
                     wide ? 16 : 4);
    }
}

static void taint_stored(karat_checker *c, const flight *f) {
    const karat_mem *m = &f->commit.mem;
    for (uint32_t k = 0; m->op != KARAT_LOAD && k < m->num; k++)
        karat_put_in(&c->tainted_memory, m->access[k].addr, m->access[k].bytes);
}

bool karat_exclude_warp(karat_checker *c, const slot *which, const flight *f, const void *record) {
    if ((!c->config.keep_going && c->config.max_failures <= c->num_failed) || !which ||
        (f && f->epoch != which->epoch))
        return false;
    if (!make_set(&c->tainted_memory))
        return false;
    slot *s = &c->slots[which - c->slots];
    for (const flight *g = s->oldest; g; g = g->next)
        taint_stored(c, g);
    if (f)
        taint_stored(c, f);
    if (record && karat_is_mem(((const karat_rec_header *)record)->kind))
        taint_record(c, record);
    if (s->live)
        c->groups[s->wg].excluded = true;
    if (s->step_waits)
        karat_stop_waiting(c, s);
    s->excluded = true;
    c->num_excluded++;
    karat_bridge_ignore_warp(c, s);
    return true;
}

bool karat_excluded_record(karat_checker *c, const karat_any *r) {
    if (karat_is_mem(r->h.kind))
        taint_record(c, r);
    c->done |= karat_rec_about(r) == KARAT_ABOUT_RUN && r->h.kind != KARAT_REC_CONTENTS;
    return true;
}

void karat_note_excluded_use(karat_checker *c, slot *s, const flight *f) {
    const karat_mem *m = &f->commit.mem;
    if (m->op == KARAT_STORE)
        return;
    for (uint32_t k = 0; k < m->num && !s->follows; k++) {
        const uint64_t addr = m->access[k].addr;
        if (karat_is_lds(c, addr) ? !c->groups[s->wg].excluded
                                  : karat_gives(c, KARAT_REC_MEM) && !karat_is_in(c->tainted_memory, addr))
            continue;
        s->follows = true;
        s->follows_addr = addr;
    }
}
