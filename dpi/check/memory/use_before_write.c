/* Loads and atomics whose result an instruction uses before its WRITE, as a core that forwards results
 * may, where other warps write to the same place: the core need not have got what the model has.
 *
 * The READ of the instruction that uses it shows it, and comes after its ISSUE: so the step waits until
 * then, as for a register never written (values.c). The value in the READ is checked against the orders
 * that the program allows, as the WRITE would be; it is then the load's result, and the WRITE has to agree
 * with it. If no order leads to that value, the READ is wrong.
 *
 * Where no READ comes the step is taken with the model's value. Until the WRITE has reported that this was
 * the core's, too, differences in the warp's later instructions are neither right nor wrong; where it
 * reports another value, the comparison ends: INCOMPLETE. */
#include <inttypes.h>

#include "records.h"

flight *karat_youngest_writer(const slot *s, unsigned cls, unsigned reg, uint32_t lanes, uint32_t *index) {
    flight *found = NULL;
    for (flight *g = s->oldest; g; g = g->next)
        for (uint32_t i = 0; i < g->commit.num_writes; i++) {
            const karat_reg_write *w = &g->commit.write[i];
            if (w->cls == cls && w->reg == reg && w->mask & lanes) {
                found = g;
                *index = i;
            }
        }
    return found;
}

/* Lanes of what that flight's WRITE number i will report for the first time, and that may be another value
 * than the model's. */
static uint32_t unreported_lanes(const karat_checker *c, const flight *g, uint32_t i) {
    const uint32_t pending = g->pending_write[i] & ~g->reported[i] & ~g->result.unreported;
    return karat_bridge_may_differ(c, g) ? pending : 0;
}

/* A READ reports these lanes of a result: those that it may be. */
static void tell(karat_checker *c, slot *s, flight *g, uint32_t i, uint32_t lanes, const uint32_t *value) {
    const uint32_t *model = g->commit.write[i].value;
    const uint32_t different = karat_differing(c, g->commit.write[i].cls, value, model, lanes, 0xffffffffu);
    reasons why = {0};
    const uint64_t failed = c->counts.sc_failed;
    if (different && !karat_bridge_read_before_write(c, s, g, value[0]) &&
        !karat_bridge_other_order(c, s, g, i, value, different, 0, &why))
        lanes &= ~different;
    g->read_as_failed |= c->counts.sc_failed != failed;
    g->reported[i] |= lanes;
}

bool karat_waits_for_early(karat_checker *c, slot *s, const karat_reg_read *read) {
    const karat_rec_read *r = karat_waiting_read(s, read);
    uint32_t lanes = karat_all_lanes(c), i = 0;
    for (flight *g; (g = karat_youngest_writer(s, read->cls, read->reg, lanes, &i));
         lanes &= ~g->commit.write[i].mask) {
        const uint32_t early = lanes & unreported_lanes(c, g, i),
                       told = r && r->bits % 32 == 0 ? early & r->mask : 0;
        if (early && !r && !s->forced && karat_gives(c, KARAT_REC_READ))
            return true;
        if (told)
            tell(c, s, g, i, told, r->data);
        g->used[i] |= early & ~told;
    }
    return false;
}

static bool is_used_early(const slot *s, const flight *before) {
    for (const flight *g = s->oldest; g && g != before; g = g->next)
        for (uint32_t i = 0; i < g->commit.num_writes; i++)
            if (g->used[i] & g->pending_write[i])
                return true;
    return false;
}

bool karat_is_used_early(const karat_checker *c, const slot *s, const flight *f, bool by_others) {
    bool used = is_used_early(s, f);
    for (uint32_t i = 0; by_others && i < c->num_slots; i++)
        used |= &c->slots[i] != s && is_used_early(&c->slots[i], NULL);
    return used;
}
