#include "trail.h"

#include <xxhash.h>

#include "order.h"

enum { ROOM = 4096, FEW = 48 };

/* Numbers to be hashed: those that fit. */
typedef struct trail {
    uint64_t at[ROOM];
    uint32_t num;
} trail;

static void note(trail *t, uint64_t number) {
    if (t->num < ROOM)
        t->at[t->num++] = number;
}

static void note_moment(trail *t, const karat_moment *at) {
    note(t, (uint64_t)at->uid << 32 | at->generation);
    note(t, at->step << 16 | (uint64_t)at->before << 8 | at->behind);
}

/* --- Instructions under way --- */

static void note_flight(trail *t, const karat_checker *c, const flight *f, uint32_t num_doubt) {
    note(t, (uint64_t)f->epoch << 32 | f->seq);
    note(t, f->cycle << 20 ^ f->mem_cycle);
    for (uint32_t i = 0; i < f->commit.num_writes; i++) {
        const uint32_t unknown = f->unknown_old[i], approximate = f->approximate[i];
        note(t, (uint64_t)f->owes_write[i] << 32 | f->overtaken[i]);
        note(t, (uint64_t)unknown << 32 | approximate);
        for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
            if (f->commit.write[i].mask >> lane & 1)
                note(t, f->commit.write[i].value[lane]);
    }
    const bool owes[] = {f->owes_simt, f->owes_csr,   f->owes_arrive, f->owes_exit, f->adopted_mem,
                         f->kept_mem,  f->gave_vtype, f->serial,      f->said,      f->reordered};
    uint64_t bits = 0;
    for (uint32_t i = 0; i < sizeof owes / sizeof *owes; i++)
        bits = bits << 1 | owes[i];
    note(t, bits);
    note(t, (uint64_t)f->tainted << 32 | f->read_alike);
    note(t, (uint64_t)f->undefined << 1 | f->approximated);
    for (uint32_t i = 0; i < 2; i++)
        if (f->near[i])
            note(t, (uint64_t)f->near[i] << 32 | f->near_ulp[i] << 16 | f->near_reg[i]);
    note_moment(t, &f->at);
    note(t, f->logged);
    if (!f->commit.has_mem)
        return;
    for (uint32_t i = 0; i < f->commit.num_writes; i++)
        if (f->used[i] | f->told[i])
            note(t, (uint64_t)f->used[i] << 32 | f->told[i]);
    if (f->changed || f->impatient)
        note(t, (uint64_t)f->changed << 1 | f->impatient);
    note(t, (uint64_t)f->mem_bytes << 32 | (is_sc(&f->commit) ? f->reserved_by : 0));
    note(t, f->ahead[0] << 32 ^ f->ahead[1] << 8 ^ f->ahead_acquires << 2 ^ (uint64_t)f->acquires << 1 ^
                f->releases);
    note(t, (uint64_t)f->num_fence << 32 | num_doubt);
    const karat_mem *m = &f->commit.mem;
    note(t, m->num);
    if (m->op == KARAT_AMO)
        note(t, (uint64_t)(m->num ? m->old : 0) << 32 | (m->amo == KARAT_AMO_SC && m->succeeded));
    for (uint32_t k = 0; k < m->num; k++) {
        const karat_access *a = &m->access[k];
        note(t, (uint64_t)(m->op == KARAT_LOAD ? 0 : a->old) << 32 | a->value);
        if (c->doubted)
            note(t, karat_is_doubted(c, a->addr));
        if (!is_sc(&f->commit))
            note(t, f->performed[k] << 8 | (f->mem_bytes ? f->mem_left[k] : 0));
    }
}

/* --- Registers, and what reports say of a warp's past --- */

static void note_register(trail *t, const slot *s, unsigned cls, unsigned reg, unsigned room) {
    if (cls > KARAT_CLASS_V || reg >= room)
        return;
    const register_state *at = karat_register_const(s, cls, reg);
    note(t, (uint64_t)at->written << 32 | at->known);
    note(t, (uint64_t)at->lost << 32 | (at->written & ~at->known & ~at->lost ? at->near_row : 0));
    if (at->wrote_lanes)
        note(t, (uint64_t)at->wrote_lanes << 32 | (at->wrote_seq << 16 ^ at->wrote_pc));
    if (at->landed)
        note(t, (uint64_t)at->audited << 32 | at->landed_seq);
}

static void note_registers(trail *t, const slot *s, const record *r) {
    const unsigned cls = r->h.kind == KARAT_REC_WRITE   ? r->write.cls
                         : r->h.kind == KARAT_REC_AUDIT ? r->audit.cls
                                                        : 0xff;
    const unsigned reg = r->h.kind == KARAT_REC_WRITE ? r->write.regno : r->audit.regno;
    const unsigned room = cls == KARAT_CLASS_X ? KARAT_NUM_X : KARAT_NUM_V;
    if (cls != 0xff)
        note_register(t, s, cls, reg, room);
    const flight *f = s->youngest;
    for (uint32_t i = 0; f && i < f->commit.num_writes; i++)
        note_register(t, s, f->commit.write[i].cls, f->commit.write[i].reg,
                      f->commit.write[i].cls == KARAT_CLASS_X ? KARAT_NUM_X : KARAT_NUM_V);
    for (uint32_t i = 0; f && i < f->commit.num_reads; i++)
        note_register(t, s, f->commit.read[i].cls, f->commit.read[i].reg,
                      f->commit.read[i].cls == KARAT_CLASS_X ? KARAT_NUM_X : KARAT_NUM_V);
}

static void note_past(trail *t, const slot *s) {
    note(t, s->num_history);
    note(t, (uint64_t)s->empty.given << 48 |
                (s->empty.given ? (uint64_t)s->empty.cls << 40 | (uint64_t)s->empty.reg << 20 : 0));
    if (!s->num_history)
        return;
    const past *p = &s->history[(s->num_history - 1) % NUM_HISTORY];
    note(t, (uint64_t)p->pc << 32 | p->word);
    note(t, (uint64_t)p->prefix << 32 | p->mask);
    note(t, (uint64_t)p->num_writes << 48 | (uint64_t)p->num_reads << 40 | (uint64_t)p->taken << 32 |
                p->read_alike);
    if (p->num_writes)
        note(t, (uint64_t)p->write_mask << 32 | p->value0);
    if (p->num_writes)
        note(t, (uint64_t)p->reg << 8 | p->cls);
}

static void note_slot(trail *t, const karat_checker *c, const slot *s) {
    note(t, (uint64_t)s->epoch << 32 | s->next_seq);
    note(t, s->last_event);
    note(t, (uint64_t)s->barriers << 32 | (uint64_t)s->generation << 8 | (uint64_t)s->live << 4 |
                (uint64_t)s->at_barrier << 3 | (uint64_t)s->reserves << 2 | (uint64_t)s->frozen << 1 |
                s->holding);
    note(t, (uint64_t)s->num_fence << 32 | s->num_reservation);
    note(t, (uint64_t)s->num_acquired << 32 | s->in_flight);
    note(t, s->ahead[0][0] << 32 ^ s->ahead[0][1]);
    note(t, s->ahead[1][0] << 32 ^ s->ahead[1][1]);
    note(t, s->ahead_acquires << 32 ^ ((uint64_t)s->num_settled << 16 | s->num_failed_sc));
    note(t, (uint64_t)s->sc_fails.pc << 32 | s->sc_fails.times);
    if (s->live) {
        for (uint32_t i = 0; i < KARAT_NUM_RESERVATION && i < s->num_reservation; i++)
            note(t, s->reservation[i].addr ^ (uint64_t)s->reservation[i].seq << 40 ^
                        s->reservation[i].performed << 20);
        for (uint32_t i = 0; i < KARAT_NUM_ACQUIRED && i < s->num_acquired; i++)
            note_moment(t, &s->acquired[i]);
    }
    uint32_t num = 0;
    for (const flight *f = s->oldest; f && num < FEW; f = f->next, num++)
        note_flight(t, c, f, f->commit.has_mem ? karat_order_doubt(c, s, f) : 0);
    const group *g = &c->groups[s->wg];
    if (s->launched)
        note(t, (uint64_t)g->launched << 48 ^ (uint64_t)g->exited << 40 ^ (uint64_t)g->open << 33 ^
                    (uint64_t)g->frozen << 32 ^ g->workgroup);
    if (s->launched)
        note_past(t, s);
    if (s->launched)
        note(t, (uint64_t)g->generation << 32 | g->arrived << 24 | g->arrived_next << 16 | g->releasing << 8 |
                    (g->quiet & 0xff));
}

/* --- Accesses that race --- */

static void note_serial(trail *t, const karat_serial *s) {
    note(t, (uint64_t)s->value << 32 | s->num << 16 | (uint64_t)s->guessed << 1 | s->lost);
    note(t, (uint64_t)s->num_reservation << 32 | s->num_order);
    for (uint32_t i = 0; i < s->num; i++) {
        const serial_access *a = &s->at[i];
        note_moment(t, &a->at);
        note(t, (uint64_t)a->kind << 32 | a->amo << 8 | (uint64_t)a->believed << 3 |
                    (uint64_t)a->silent << 2 | (uint64_t)a->answered << 1 | a->knows_old);
        note(t, (uint64_t)a->operand << 32 | a->mask);
        note(t, a->behind);
        note(t, (uint64_t)(a->value & a->knows) << 32 | a->knows);
        note(t, a->knows_old ? a->old : 0);
        note(t, a->logged << 32 | (a->kind == SERIAL_SC ? a->reserved_by : 0));
    }
    for (uint32_t n = 0; n < s->num_order; n++)
        note(t, s->order[n]);
}

static void note_word(trail *t, const karat_word *w) {
    note(t, (uint64_t)w->value << 32 | w->writer);
    note(t, w->written << 32 | w->written_by_others);
    note(t, w->num_release);
    for (uint32_t i = 0; i < w->num_release; i++)
        note_moment(t, &w->release[i]);
    if (w->serial)
        note_serial(t, w->serial);
}

static void note_entry(trail *t, const karat_logged *e) {
    note_moment(t, &e->at);
    note(t, e->low << 8 ^ e->high);
    note(t, e->begun << 8 | (uint64_t)e->atomic << 3 | (uint64_t)e->tainted << 2 | (uint64_t)e->gone << 1 |
                e->stored);
    note(t, (uint64_t)e->operand << 32 | (e->atomic ? e->reserved_by : 0));
    for (uint32_t k = 0; k < e->num; k++) {
        const written *a = &e->access[k];
        note(t, (uint64_t)a->old << 32 | a->value);
        note(t, a->performed << 32 | a->settled);
    }
}

static void note_forgotten(trail *t, const karat_forgotten *w) {
    note(t, w->at.addr << 20 ^ w->at.lds);
    note_moment(t, &w->last);
    note(t, w->place);
    note(t, (uint64_t)w->bytes << 24 | w->by_last << 16 | w->doubtful << 8 | w->earlier);
    for (uint32_t b = 0; b < 4; b++) {
        note(t, w->num_value[b]);
        for (uint32_t i = 0; i < w->num_value[b] && i < NUM_FORGOTTEN_VALUE; i++)
            note(t, w->value[b][i]);
    }
}

static void note_order(trail *t, const karat_order *o) {
    note(t, o->first << 32 | o->num);
    note(t, o->pending << 32 | o->settled);
    note(t, o->num_edges << 32 | o->horizon);
    note(t, o->performed << 32 | o->used);
    note(t, o->num_read);
    if (o->next_reach) /* how often it was worked out what comes before something, and how much that was */
        note(t, (uint64_t)o->next_reach << 32 | o->reach[(o->next_reach - 1) % NUM_REACH].num);
    for (uint64_t n = o->num_edges; n > 0 && o->num_edges - n < 4; n--) {
        note_moment(t, &o->edges[(n - 1) % NUM_EDGE].from);
        note_moment(t, &o->edges[(n - 1) % NUM_EDGE].to);
    }
    for (uint64_t n = o->num; n > o->first && o->num - n < FEW; n--)
        note_entry(t, entry(o, n - 1));
    static trail one;
    uint64_t words = 0; /* wherever they are in their table */
    for (uint32_t i = 0; i < o->room && o->used < FEW; i++)
        if (o->words[i].used) {
            one.num = 0;
            note(&one, o->words[i].at.addr << 20 ^ o->words[i].at.lds);
            note_word(&one, &o->words[i]);
            words += XXH3_64bits(one.at, one.num * sizeof *one.at);
        }
    note(t, words);
    uint64_t forgotten = 0;
    for (uint32_t i = 0; i < o->room_forgotten && o->used_forgotten < FEW; i++)
        if (o->forgotten[i].bytes) {
            one.num = 0;
            note_forgotten(&one, &o->forgotten[i]);
            forgotten += XXH3_64bits(one.at, one.num * sizeof *one.at);
        }
    note(t, forgotten);
    note(t, (uint64_t)o->used_forgotten << 1 | o->lost);
}

/* --- The model --- */

static void note_model(trail *t, const karat_checker *c, const record *r, const slot *s) {
    karat_warp_view view;
    if (!s->launched || karat_view(c->model, s->handle, &view) != KARAT_OK)
        return;
    note(t, (uint64_t)view.pc << 32 | view.mask);
    if (r->h.kind == KARAT_REC_WRITE && r->write.cls == KARAT_CLASS_X && r->write.regno < KARAT_NUM_X)
        note(t, view.x[r->write.regno]);
    if (r->h.kind == KARAT_REC_WRITE && r->write.cls == KARAT_CLASS_V && r->write.regno < KARAT_NUM_V)
        for (uint32_t lane = 0; lane < c->hello.num_thread; lane++)
            note(t, view.v[r->write.regno * c->hello.num_thread + lane]);
    for (uint32_t lane = 0; r->h.kind == KARAT_REC_MEM && lane < c->hello.num_thread; lane++) {
        uint32_t word = 0;
        if (r->mem.mask >> lane & 1)
            karat_read(c->model, r->mem.addr[lane] & ~3u, &word, sizeof word);
        note(t, word);
        note(t, karat_is_doubted(c, karat_addr_of(&r->mem, lane)));
    }
}

uint64_t trail_behind(uint64_t so_far, const karat_checker *c, const record *r) {
    static trail t;
    t.num = 0;
    note(&t, so_far);
    note(&t, (uint64_t)c->num_frozen << 32 | c->counts.records);
    note(&t, c->counts.adopted << 48 ^ c->counts.unordered << 32 ^ c->counts.reordered << 16 ^
                 c->counts.lane_race);
    note(&t, c->counts.sc_failed << 32 ^ c->counts.unjudged << 16 ^ c->sc_stored);
    note(&t, c->last_event << 32 ^ c->cycle);
    const uint64_t *counts = &c->counts.warps;
    for (uint32_t i = 0; i < sizeof c->counts / sizeof *counts; i++)
        note(&t, counts[i]);
    note(&t, (uint64_t)c->gaps << 32 | c->num_undefined << 16 | c->num_holding << 8 | c->num_further);
    note(&t, c->num_started << 40 ^ c->num_exited << 20 ^ c->num_pages);
    note(&t, c->num_mismatches << 32 | c->num_defects);
    note(&t, (uint64_t)c->raced << 1 | c->untold_stored);
    if (c->slots && r->h.sm < c->hello.num_sm && r->h.slot < c->hello.num_warp)
        note_slot(&t, c, &c->slots[r->h.sm * c->hello.num_warp + r->h.slot]);
    if (c->slots && r->h.sm < c->hello.num_sm && r->h.slot < c->hello.num_warp)
        note_model(&t, c, r, &c->slots[r->h.sm * c->hello.num_warp + r->h.slot]);
    if (c->slots && r->h.sm < c->hello.num_sm && r->h.slot < c->hello.num_warp)
        note_registers(&t, &c->slots[r->h.sm * c->hello.num_warp + r->h.slot], r);
    if (c->order)
        note_order(&t, c->order);
    return XXH3_64bits(t.at, t.num * sizeof *t.at);
}
