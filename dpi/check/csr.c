/* CSR: what instructions write; HOSTCSR: what the host does; AUDIT of a CSR. */
#include "records.h"
#include "defects.h"

#include <inttypes.h>

static bool take_csr(karat_checker *c, const slot *s, uint32_t addr, uint32_t value) {
    return addr == 0xc20 ? karat_adopt_vl(c->model, s->handle, value) == KARAT_OK
                         : karat_csr_write(c->model, s->handle, addr, value) == KARAT_OK;
}

/* What the core's CSR holds when all that the warp has issued is done: what the model's does. */
bool karat_check_csr_held(karat_checker *c, slot *s, const karat_rec_audit *r) {
    const flight *f = s->issued ? karat_flight_recent(s, s->epoch, s->next_seq - 1) : NULL;
    uint32_t model;
    if (karat_csr_read(c->model, s->handle, r->regno, &model) != KARAT_OK)
        return karat_fail(c, FAIL_AUDIT, s, f, r, "CSR 0x%03x does not exist", r->regno);
    c->counts.csr++;
    if (!((r->data[0] ^ model) & r->mask))
        return false;
    if (c->config.keep_going && take_csr(c, s, r->regno, (r->data[0] & r->mask) | (model & ~r->mask)))
        karat_keep(c, 0);
    const bool keeps = c->keeps;
    karat_fail(c, FAIL_CSR, s, f, r, "CSR 0x%03x holds: core %08" PRIx32 "  model %08" PRIx32, r->regno,
               r->data[0] & r->mask, model & r->mask);
    return !keeps || !karat_kept(c);
}

bool karat_check_csr(karat_checker *c, const karat_rec_csr *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (!f || !f->commit.csr_written)
        return karat_fail(c, FAIL_CSR_UNEXPECTED, s, f, r,
                          "CSR 0x%03" PRIx32 " under seq %" PRIu32 ", which writes none", r->addr, r->seq);
    bool vtype = r->addr == 0xc21 && f->commit.csr == 0xc20; /* vset* writes two */
    if (vtype ? f->gave_vtype : r->addr != f->commit.csr || !f->owes_csr)
        return karat_fail(c, FAIL_CSR_UNEXPECTED, s, f, r,
                          "CSR 0x%03" PRIx32 " is written; the instruction writes 0x%03" PRIx32 "%s", r->addr,
                          f->commit.csr, vtype || r->addr == f->commit.csr ? " once" : "");
    uint32_t value = vtype ? f->vtype : f->commit.csr_value;
    if (r->value != value) {
        if (c->config.keep_going && take_csr(c, s, r->addr, r->value))
            karat_keep(c, 0);
        const bool keeps = c->keeps;
        karat_fail(c, FAIL_CSR, s, f, r, "CSR 0x%03" PRIx32 ": core %08" PRIx32 "  model %08" PRIx32, r->addr,
                   r->value, value);
        if (!keeps || !karat_kept(c))
            return true;
    }
    c->counts.csr++;
    if (vtype)
        f->gave_vtype = true;
    else
        f->owes_csr = false;
    if (!vtype)
        karat_print_written(c, s, f);
    karat_flight_settle(c, s, f);
    return false;
}

bool karat_write_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r) {
    if (karat_csr_write(c->model, s->handle, r->addr, r->value) != KARAT_OK)
        return karat_fail(c, FAIL_STREAM, s, NULL, NULL,
                          "HOSTCSR writes CSR 0x%" PRIx32 ", which cannot be written", r->addr);
    return false;
}

bool karat_check_hostcsr(karat_checker *c, const karat_rec_hostcsr *r) {
    slot *s = karat_slot_of(c, &r->h);
    return !s || karat_write_hostcsr(c, s, r) || karat_print_hostcsr(c, s, r);
}
