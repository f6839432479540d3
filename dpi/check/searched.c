/* Words of atomic instructions whose order MEM does not tell: an order of the accesses to each that gives every value which
 * was returned is searched (serial.h). */
#include "order.h"

#include <inttypes.h>
#include <string.h>

/* --- What is issued --- */

/* Accesses of one moment are the lanes of a store, entered in ascending order. */
static bool is_before(const void *checker, const karat_moment *a, const karat_moment *b) {
    if (a->step == b->step)
        return ascending(checker);
    return karat_order_before(checker, a, b);
}

/* The log learns where accesses to that word stand, and what AMOs have written. */
static void log_settled(karat_order *o, const karat_word *w) {
    uint64_t logged;
    uint32_t value;
    while (karat_serial_settled(o->search, &logged, &value)) {
        if (!logged || logged - 1 < o->first)
            continue; /* a load, or forgotten */
        karat_logged *e = entry(o, logged - 1);
        o->settled++;
        for (uint32_t k = 0; k < e->num; k++) {
            written *a = &e->access[k];
            if (!is_of_word(a, w))
                continue;
            a->settled = o->settled;
            if (e->atomic)
                a->value = value;
        }
    }
}

static bool issue_access(karat_checker *c, karat_word *w, const serial_access *a) {
    if (!karat_serial_issue(w->serial, c->order->search, a, is_before, c))
        return false;
    log_settled(c->order, w);
    return true;
}

/* A lane's part in a store, of an entry of that number. */
static serial_access store_part(const karat_logged *e, const written *a, uint64_t number) {
    return (serial_access){.kind = SERIAL_STORE,
                           .silent = true,
                           .mask = bits_in_word(a),
                           .operand = value_in_word(a, a->value, 0),
                           .at = e->at,
                           .seq = e->seq,
                           .pc = e->pc,
                           .word = e->word,
                           .prefix = e->prefix,
                           .cycle = e->cycle,
                           .logged = number + 1};
}

/* Whether lanes of a store write to one byte of that word. */
static bool lanes_meet(const karat_logged *e, const karat_word *w) {
    uint32_t seen = 0;
    for (uint32_t k = 0; k < e->num; k++) {
        const uint32_t bits = is_of_word(&e->access[k], w) ? bits_in_word(&e->access[k]) : 0;
        if (seen & bits)
            return true;
        seen |= bits;
    }
    return false;
}

/* Whether all that the kernel's warps will issue comes behind that write. */
static bool is_past(const karat_checker *c, const karat_moment *at) {
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *s = &c->slots[i];
        const karat_moment now = {s->workgroup * c->kernel.wg_size + s->warp, s->barriers,
                                  c->order->steps + 1, 3, 3};
        if (s->live && !karat_order_before(c, at, &now))
            return false;
    }
    return c->num_started == c->num_expected;
}

/* The log's first entry from which on the writes to that word may have been performed in another order than that of
 * issue, or behind what is still to be issued. *many: some older ones were not looked at. */
static uint64_t first_unordered(const karat_checker *c, const karat_word *w, bool *many) {
    enum { LOOKED_AT = SERIAL_MAX / 2 };
    const karat_order *o = c->order;
    const karat_logged *newer[LOOKED_AT];
    uint32_t num = 0;
    uint64_t first = o->num, n = o->num;
    for (; n > o->first && num < LOOKED_AT; n--) {
        const karat_logged *e = entry(o, n - 1);
        if (!touches(c, e, &w->at, 4))
            continue;
        bool ordered = is_past(c, &e->at) && (ascending(c) || !lanes_meet(e, w));
        for (uint32_t i = 0; i < num && ordered; i++)
            ordered = karat_order_before(c, &e->at, &newer[i]->at);
        if (!ordered)
            first = n - 1;
        newer[num++] = e;
    }
    *many = num == LOOKED_AT;
    return first;
}

/* Whether writes to that word that are forgotten may have been performed in another order than that of issue, or behind others. */
static bool may_be_unordered(const karat_checker *c, place p) {
    const karat_order *o = c->order;
    const place word = p;
    bool any = o->lost;
    for (uint32_t b = 0; b < 4; b++, p.addr++) {
        const karat_forgotten *old = karat_forgotten_of(o, p);
        if (!old)
            continue;
        any |= old->doubtful >> b & 1 || !is_past(c, &old->last);
        for (uint64_t n = o->first; n < o->num; n++)
            any |= touches(c, entry(o, n), &word, 4) && !karat_order_before(c, &old->last, &entry(o, n)->at);
    }
    return any;
}

/* What the word held before it, and before the stores whose order nobody knows. */
bool karat_searched_begin(karat_checker *c, const flight *f, karat_word *w) {
    karat_order *o = c->order;
    bool many;
    const uint64_t first = first_unordered(c, w, &many);
    uint32_t value = f->commit.mem.access[0].old;
    if (!f->commit.mem.num || f->commit.mem.op == KARAT_LOAD)
        karat_order_read(c, &w->at, &value, 4); /* else the model has performed it already */
    for (uint64_t n = o->num; n > first; n--) {
        const karat_logged *e = entry(o, n - 1);
        for (uint32_t k = touches(c, e, &w->at, 4) ? e->num : 0; k > 0; k--)
            if (is_of_word(&e->access[k - 1], w))
                value = value_in_word(&e->access[k - 1], e->access[k - 1].old, value);
    }
    if (!o->search)
        o->search = karat_serial_search_create();
    w->serial = karat_serial_create(value);
    if (!o->search || !w->serial)
        return false;
    w->serial->guessed = many || may_be_unordered(c, w->at);
    for (uint64_t n = o->first; n < o->num; n++) {
        karat_logged *e = entry(o, n);
        if (!touches(c, e, &w->at, 4))
            continue;
        o->settled++;
        for (uint32_t k = 0; k < e->num; k++) {
            written *a = &e->access[k];
            if (!is_of_word(a, w))
                continue;
            if (n < first) {
                a->settled = o->settled;
                continue;
            }
            const serial_access part = store_part(e, a, n);
            if (!issue_access(c, w, &part))
                return false;
        }
    }
    return true;
}

bool karat_searched_atomic(karat_checker *c, flight *f, karat_word *w) {
    const karat_commit *m = &f->commit;
    const bool load = m->mem.op == KARAT_LOAD;
    serial_access a = {.kind = load       ? SERIAL_LR
                               : is_sc(m) ? SERIAL_SC
                                          : SERIAL_AMO,
                       .amo = m->mem.amo,
                       .operand = operand_of(f),
                       .reserved_by = f->reserved_by,
                       .believed = m->mem.succeeded,
                       .at = f->at,
                       .seq = f->seq,
                       .pc = m->pc,
                       .word = m->word,
                       .prefix = m->prefix,
                       .cycle = f->cycle,
                       .logged = f->logged};
    const bool writes_back = m->num_writes && karat_gives(c, KARAT_REC_WRITE);
    a.silent = !writes_back && (load || !karat_gives(c, KARAT_REC_MEM));
    if (a.kind == SERIAL_SC && !a.reserved_by)
        return true;                    /* it cannot store */
    w->serial->lost |= f->tainted != 0; /* nobody knows its operand yet */
    f->serial = true;
    return issue_access(c, w, &a);
}

bool karat_searched_store(karat_checker *c, const slot *s, const flight *f) {
    const karat_logged *e = entry_of(c->order, f);
    for (uint32_t k = 0; k < e->num; k++) {
        karat_word *w = karat_order_find_word(c->order, place_of(c, s, f, e->access[k].addr));
        if (!w)
            continue;
        const serial_access part = store_part(e, &e->access[k], f->logged - 1);
        w->serial->lost |= f->tainted != 0;
        if (!issue_access(c, w, &part))
            return false;
    }
    return true;
}

void karat_searched_host(karat_checker *c, karat_word *w, const serial_access *write, const uint8_t *bytes,
                         uint64_t addr, uint32_t size) {
    serial_access part = *write;
    for (uint32_t b = 0; b < 4; b++)
        if (w->at.addr + b - addr < size) {
            part.mask |= 0xffu << 8 * b;
            part.operand |= (uint32_t)bytes[w->at.addr + b - addr] << 8 * b;
        }
    w->value = (w->value & ~part.mask) | part.operand;
    if (w->serial && !issue_access(c, w, &part))
        w->serial->lost = true;
}

/* --- Answers --- */

static void list_accesses(const karat_checker *c, const karat_serial *s, char *text, size_t size) {
    enum { SHOWN = 6 };
    for (uint32_t i = 0; i < s->num; i++) {
        const serial_access *a = &s->at[i];
        char insn[96], old[32] = "", value[32] = "";
        if (i == SHOWN) {
            karat_append(text, size, "\n    and %" PRIu32 " more", s->num - SHOWN);
            return;
        }
        if (a->at.uid == HOST) {
            karat_append(text, size, "\n    the host, in cycle %" PRIu64, a->cycle);
            continue;
        }
        karat_disassemble(c->config.model.profile, a->pc, a->prefix, a->word, insn, sizeof insn);
        if (a->knows_old)
            snprintf(old, sizeof old, ", returned %08" PRIx32, a->old);
        if (a->knows == 0xffffffffu)
            snprintf(value, sizeof value, ", wrote %08" PRIx32, a->value);
        karat_append(text, size,
                     "\n    workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " 0x%08" PRIx32
                     " %s, issued in cycle %" PRIu64 "%s%s",
                     a->at.uid / c->kernel.wg_size, a->at.uid % c->kernel.wg_size, a->seq, a->pc, insn,
                     a->cycle, old, value);
    }
}

/* The model's memory follows the order that was found. */
static void follow_serial(karat_checker *c, const karat_word *w) {
    log_settled(c->order, w);
    uint32_t value = karat_serial_final(w->serial), model = 0;
    karat_order_read(c, &w->at, &model, 4);
    if (model != value)
        karat_order_write(c, &w->at, &value, 4);
}

/* The search has found an order, or has given up; after: what the word then holds. */
static void go_on_from(karat_checker *c, const slot *s, const flight *f, karat_word *w, serial_answer found,
                       uint32_t after) {
    if (found == SERIAL_UNKNOWN) {
        karat_unjudged(c, s, f, "too many accesses of other warps to that word are under way");
        karat_serial_restart(w->serial, after);
    }
    follow_serial(c, w);
}

/* What the search says to an answer of f; after: what the word then holds.  True after a failure. */
static bool judge_answer(karat_checker *c, const slot *s, const flight *f, karat_word *w, serial_answer found,
                         failure_kind kind, const void *r, uint32_t told, uint32_t after) {
    if (found == SERIAL_NONE) {
        char text[1600] = ""; /* of 7 lines */
        list_accesses(c, w->serial, text, sizeof text);
        return karat_fail(c, kind, s, f, r,
                          "%s %08" PRIx32 ": no order of the accesses to 0x%08" PRIx64
                          ", which held %08" PRIx32 " before them, gives that; considered:%s",
                          kind == FAIL_WRITE_VALUE ? "it returned" : "it wrote", told, w->at.addr,
                          w->serial->value, text);
    }
    go_on_from(c, s, f, w, found, after);
    return false;
}

static void count_reordered(karat_checker *c, flight *f) {
    c->counts.reordered += !f->reordered;
    f->reordered = true;
}

/* What it has written is known now. */
static void take_access(karat_checker *c, flight *f, uint32_t value) {
    karat_logged *e = entry_of(c->order, f);
    if (f->commit.mem.access[0].value != value)
        count_reordered(c, f);
    f->commit.mem.access[0].value = value;
    if (e)
        e->access[0].value = value;
}

/* Whether accesses may be missing: that one is not there says nothing. */
static bool is_doubtful(const karat_word *w) {
    return w->serial->guessed || w->serial->lost;
}

/* An SC says that it has stored. */
static bool sc_stored(karat_checker *c, slot *s, flight *f, karat_word *w, const void *r) {
    const uint32_t operand = operand_of(f);
    if (karat_order_check_sc(c, s, f, w, operand, r))
        return true;
    if (f->said)
        return false;
    f->said = true;
    serial_access *a = karat_serial_find(w->serial, &f->at);
    if (!a && is_doubtful(w))
        return judge_answer(c, s, f, w, SERIAL_UNKNOWN, FAIL_MEM_UNEXPECTED, r, operand, operand);
    if (!a) {
        char why[400] = "";
        karat_order_explain_sc(c, s, f, why, sizeof why);
        return karat_fail(c, FAIL_MEM_UNEXPECTED, s, f, r,
                          "the SC has stored; that word has been written since its LR%s", why);
    }
    return judge_answer(c, s, f, w,
                        karat_serial_wrote(w->serial, c->order->search, a, operand, 0xffffffffu, true),
                        FAIL_MEM_UNEXPECTED, r, operand, operand);
}

karat_word *karat_searched_word(const karat_checker *c, const slot *s, const flight *f) {
    if (!f->serial)
        return NULL;
    place p = word_at(place_of(c, s, f, f->commit.mem.access[0].addr));
    karat_word *w = word_of(c, s, f, p);
    return w;
}

/* What the search says to an AMO or LR that has returned that. */
static serial_answer returned(const karat_checker *c, const flight *f, karat_word *w, uint32_t value,
                              bool final) {
    serial_access *a = karat_serial_find(w->serial, &f->at);
    return a ? karat_serial_returned(w->serial, c->order->search, a, value, final) : SERIAL_UNKNOWN;
}

/* What the word holds behind an AMO or LR that returns that. */
static uint32_t value_behind(const flight *f, uint32_t value) {
    const karat_mem *m = &f->commit.mem;
    return m->op == KARAT_LOAD ? value : karat_amo_result(m->amo, value, operand_of(f));
}

static void take_returned(karat_checker *c, slot *s, flight *f, uint32_t value) {
    if (f->commit.write[0].value[0] != value)
        count_reordered(c, f);
    if (f->commit.mem.op != KARAT_LOAD)
        take_access(c, f, value_behind(f, value));
    f->commit.mem.old = value;
    karat_order_take_result(c, s, f, value);
}

bool karat_order_returned(karat_checker *c, slot *s, flight *f, const karat_rec_write *r) {
    karat_word *w = karat_searched_word(c, s, f);
    const karat_reg_write *to = &f->commit.write[0];
    if (!w)
        return false;
    const uint32_t value = r->data[0];
    if (is_sc(&f->commit)) {
        serial_access *a = karat_serial_find(w->serial, &f->at);
        if (value == 0)
            return sc_stored(c, s, f, w, r);
        if (value == 1 && a && karat_serial_failed(w->serial, c->order->search, a) == SERIAL_NONE)
            return judge_answer(c, s, f, w, SERIAL_NONE, FAIL_WRITE_VALUE, r, value, 0) &&
                   karat_fail_in(c, 1);
        return false;
    }
    const serial_answer found = returned(c, f, w, value, f->commit.mem.op == KARAT_LOAD || !f->mem_bytes);
    if (found == SERIAL_NONE && w->serial->num == 1 && to->value[0] != value)
        return false; /* nobody else is there: no order to speak of */
    if (judge_answer(c, s, f, w, found, FAIL_WRITE_VALUE, r, value, value_behind(f, value)))
        return karat_fail_in(c, 1);
    take_returned(c, s, f, value);
    return false;
}

bool karat_searched_told(karat_checker *c, slot *s, flight *f, uint32_t value) {
    karat_word *w = karat_searched_word(c, s, f);
    if (!w)
        return false;
    if (is_sc(&f->commit))
        return value == 0 && !sc_stored(c, s, f, w, NULL);
    const serial_answer found = returned(c, f, w, value, false);
    if (found == SERIAL_NONE)
        return false;
    go_on_from(c, s, f, w, found, value_behind(f, value));
    take_returned(c, s, f, value);
    return true;
}

/* An AMO says what it has written, some bytes of it, or, without data, that it was performed. */
static bool amo_stored(karat_checker *c, slot *s, flight *f, karat_word *w, const karat_rec_mem *r) {
    const karat_access *m = &f->commit.mem.access[0];
    const uint32_t from = r->addr[0] - (uint32_t)m->addr; /* of a wrong place nothing is believed later */
    serial_access *a = karat_serial_find(w->serial, &f->at);
    uint32_t bits = 0, value = 0, after = m->value;
    for (uint32_t i = 0; i < 4; i++)
        if (r->bytes[0] >> i & 1 && from + i < 4) { /* lane 0: an AMO is scalar */
            bits |= 0xffu << 8 * (from + i);
            value |= (r->data[0] >> 8 * i & 0xff) << 8 * (from + i);
        }
    if (!bits || (!a && !is_doubtful(w)))
        return false;
    const bool final = bits == 0xffffffffu && !karat_flight_owes_write(f);
    if (r->no_data) {
        if (a)
            a->silent |= final;
        return false;
    }
    after = (after & ~bits) | value;
    serial_answer found = SERIAL_UNKNOWN;
    if (a)
        found = karat_serial_wrote(w->serial, c->order->search, a, value, bits, final);
    if (found == SERIAL_NONE && w->serial->num == 1 && m->value != after)
        return false;
    if (judge_answer(c, s, f, w, found, FAIL_MEM_DATA, r, after, after))
        return true;
    take_access(c, f, after);
    return false;
}

bool karat_searched_performed(karat_checker *c, slot *s, flight *f, karat_word *w, const karat_rec_mem *r) {
    return is_sc(&f->commit) ? sc_stored(c, s, f, w, r) : amo_stored(c, s, f, w, r);
}

void karat_searched_failed(karat_checker *c, const flight *f, karat_word *w) {
    serial_access *a = karat_serial_find(w->serial, &f->at);
    if (a)
        karat_serial_failed(w->serial, c->order->search, a);
    follow_serial(c, w);
}

serial_answer karat_searched_loaded(const karat_checker *c, const karat_word *w, const karat_moment *at,
                                    uint64_t addr, uint8_t value) {
    const unsigned shift = 8 * (unsigned)(addr & 3);
    return karat_serial_loaded(w->serial, c->order->search, at, 0xffu << shift, (uint32_t)value << shift,
                               is_before, c);
}

serial_answer karat_searched_left(const karat_checker *c, const karat_word *w, uint64_t addr, uint8_t value) {
    const unsigned shift = 8 * (unsigned)(addr & 3);
    return karat_serial_left(w->serial, c->order->search, 0xffu << shift, (uint32_t)value << shift);
}
