/* BARRIER and EXIT. */
#include "records.h"

#include <inttypes.h>

static bool arrive(karat_checker *c, slot *s, const karat_rec_barrier *r) {
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (!f || !f->pending_arrive) {
        s->stray_arrival = true;
        return karat_fail(c, BLAME(FAIL_BARRIER_UNEXPECTED, s, f, r, .may_go_on = true),
                          "arrival under seq %" PRIu32 ", which is no BARRIER that waits", r->seq);
    }
    f->pending_arrive = false;
    s->at_barrier = true;
    group *g = &c->groups[s->wg];
    /* Where others are still to be released, this one has been already, and is here again. */
    s->barrier_phase = g->barrier_phase + (g->releasing != 0);
    g->arrived_next += g->releasing != 0;
    g->arrived += g->releasing == 0;
    c->counts.arrive++;
    karat_flight_complete(c, s, f);
    return false;
}

uint32_t karat_arrived(const karat_checker *c, const slot *s) {
    const group *g = &c->groups[s->wg];
    return (s->barrier_phase != g->barrier_phase ? g->arrived_next : g->arrived) +
           (c->config.model.deviations & KARAT_DEV_ENDED_WARPS_ARRIVE ? g->ended : 0);
}

static void let_go(karat_checker *c, slot *s, group *g) {
    if (!g->releasing)
        g->releasing = c->config.model.deviations & KARAT_DEV_ENDED_WARPS_ARRIVE ? g->arrived : g->warps;
    s->at_barrier = false;
    karat_bridge_released(c, s);
    s->last_event = c->cycle;
    if (--g->releasing == 0) {
        g->arrived = g->arrived_next;
        g->arrived_next = 0;
        g->barrier_phase++;
    }
    c->counts.release++;
}

static void release(karat_checker *c, slot *s, const void *r) {
    group *g = &c->groups[s->wg];
    const uint32_t arrived = karat_arrived(c, s);
    const bool same = s->stray_arrival && s->live && !s->at_barrier; /* As its arrival: one mismatch */
    if (s->excluded)
        return;
    if (s->live && g->excluded)
        karat_exclude_warp(c, s, NULL, NULL); /* It is not known whether all have arrived */
    else if (same)
        s->stray_arrival = false;
    else if (!s->at_barrier)
        karat_fail(c, BLAME(FAIL_BARRIER_UNEXPECTED, s, NULL, r),
                   "slot %u is released and waits at no barrier", s->index);
    else if (arrived < g->warps)
        karat_fail(c, BLAME(FAIL_BARRIER_EARLY, s, s->youngest, r),
                   "workgroup %" PRIu32 ": %" PRIu32 " of %" PRIu32 " warps have arrived", s->workgroup,
                   arrived, g->warps);
    else
        let_go(c, s, g);
}

bool karat_check_barrier(karat_checker *c, const karat_rec_barrier *r) {
    if (r->action == KARAT_BARRIER_ARRIVE) {
        slot *s = karat_slot_of(c, &r->h, true);
        return !s || arrive(c, s, r);
    }
    const bool none = c->hello.num_warp < 64 && r->warps >> c->hello.num_warp;
    if (r->h.sm >= c->hello.num_sm || none)
        return karat_fail(c, BLAME(FAIL_STRAY, NULL, NULL, r),
                          "BARRIER releases warps %" PRIx64 " of sm %u; HELLO says %u SMs of %u slots",
                          r->warps, r->h.sm, c->hello.num_sm, c->hello.num_warp);
    if (!r->warps)
        return karat_fail(c, BLAME(FAIL_STREAM, NULL, NULL, r),
                          "BARRIER: action %" PRIu32 " sm %u warps %" PRIx64, r->action, r->h.sm, r->warps);
    for (uint32_t i = 0; i < c->hello.num_warp && !c->done; i++)
        if (r->warps >> i & 1)
            release(c, &c->slots[r->h.sm * c->hello.num_warp + i], r);
    return c->done;
}

void karat_end_warp(karat_checker *c, slot *s) {
    s->live = false;
    karat_bridge_warp_ended(c, s);
    c->num_exited++;
    c->last_event = c->cycle;
    group *g = &c->groups[s->wg];
    if (++g->exited == g->warps) {
        karat_workgroup_close(c->model, s->wg);
        g->open = false;
    }
}

bool karat_check_exit(karat_checker *c, const karat_rec_exit *r) {
    slot *s = karat_slot_of(c, &r->h, true);
    if (!s)
        return true;
    flight *f = s->youngest;
    if (!f || !f->pending_exit)
        return karat_fail(c, BLAME(FAIL_EXIT_UNEXPECTED, s, f, r),
                          s->live ? "its last instruction is no ENDPRG" : "it has ended before");
    f->pending_exit = false;
    c->counts.exits++;
    karat_end_warp(c, s);
    return false;
}
