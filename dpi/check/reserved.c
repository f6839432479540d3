/* Why an SC may not store, in words: who has written its word since the LR, and when. */
#include "order.h"

#include <inttypes.h>
#include <string.h>

/* Whether an entry has written the word behind the LR: as MEM tells, or in the order of issue. */
static bool is_since(const karat_checker *c, const karat_logged *e, const karat_reservation *lr,
                     const flight *sc) {
    if (!in_order_of_performance(c) || e->at.uid == HOST)
        return e->at.step > lr->step && e->at.step < sc->at.step;
    for (uint32_t k = 0; k < e->num; k++)
        if (e->access[k].performed > lr->performed && (e->access[k].addr ^ sc->commit.mem.access[0].addr) < 4)
            return true;
    return false;
}

static bool is_earlier(const karat_logged *a, const karat_logged *b) {
    return a->begun && b->begun ? a->begun < b->begun : a->at.step < b->at.step;
}

static void describe(const karat_checker *c, const karat_logged *e, char *text, size_t size) {
    char insn[96];
    if (e->at.uid == HOST) {
        karat_append(text, size, "the host has written that word in cycle %" PRIu64, e->cycle);
        return;
    }
    karat_disassemble(c->config.model.profile, e->pc, e->prefix, e->word, insn, sizeof insn);
    karat_append(text, size,
                 "workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " 0x%08" PRIx32
                 " %s has written that word, issued in cycle %" PRIu64,
                 e->at.uid / c->kernel.wg_size, e->at.uid % c->kernel.wg_size, e->seq, e->pc, insn, e->cycle);
    if (e->performed_cycle)
        karat_append(text, size, ", performed in cycle %" PRIu64, e->performed_cycle);
}

void karat_order_explain_sc(const karat_checker *c, const slot *s, const flight *sc, char *text,
                            size_t size) {
    const karat_order *o = c->order;
    const karat_reservation *lr = sc->epoch == s->epoch ? karat_order_reservation(s, sc->reserved_by) : NULL;
    const place word = word_at(place_of(c, s, sc, sc->commit.mem.access[0].addr));
    const karat_logged *first = NULL;
    uint32_t num = 0;
    if (!sc->reserved_by && s->num_reservation && sc->epoch == s->epoch) {
        const karat_reservation *last = &s->reservation[(s->num_reservation - 1) % KARAT_NUM_RESERVATION];
        karat_append(text, size, "; its last LR, seq %" PRIu32 ", %s", last->seq,
                     last->addr == word.addr ? "is not the last access of these: another SC has come since"
                                             : "was of another word");
        return;
    }
    if (!lr)
        return;
    for (uint64_t n = o->first; n < o->num; n++) {
        const karat_logged *e = entry(o, n);
        if (!touches(c, e, &word, 4) || e->at.uid == sc->at.uid || !is_since(c, e, lr, sc))
            continue;
        first = !first || is_earlier(e, first) ? e : first;
        num++;
    }
    if (!first)
        return;
    karat_append(text, size, "; since its LR, seq %" PRIu32 " issued in cycle %" PRIu64 ", ", lr->seq,
                 lr->cycle);
    describe(c, first, text, size);
    if (num > 1)
        karat_append(text, size, ", and %" PRIu32 " more writes have come behind that", num - 1);
}
