/* CSR: what instructions write; HOSTCSR: what the host does; AUDIT of a CSR. */
#include "records.h"

#include <inttypes.h>

enum { CSR_VL = 0xc20, CSR_VTYPE = 0xc21 };

/* A CSR has another value than the model's. take: the core's of the whole register. */
static bool fail_csr(karat_checker *c, const blame *x, uint32_t addr, const char *holds, uint32_t core,
                     uint32_t model, uint32_t take) {
    blame f = *x;
    f.value = (karat_two_values){.is_known = true, .model = model, .core = core};
    f.may_go_on = karat_takes_values(c) &&
                  (addr == CSR_VL ? karat_adopt_vl(c->model, x->slot->handle, take)
                                  : karat_csr_write(c->model, x->slot->handle, addr, take)) == KARAT_OK;
    return karat_fail(c, &f, "CSR 0x%03" PRIx32 "%s: core %08" PRIx32 "  model %08" PRIx32, addr, holds, core,
                      model);
}

/* When all that the warp has issued is done, the core's CSR must equal the model's. */
bool karat_audit_csr(karat_checker *c, slot *s, const karat_rec_audit *r) {
    const flight *f = s->issued ? karat_flight_recent(s, s->epoch, s->next_seq - 1) : NULL;
    uint32_t model;
    if (karat_csr_read(c->model, s->handle, r->regno, &model) != KARAT_OK)
        return karat_fail(c, BLAME(FAIL_AUDIT, s, f, r), "CSR 0x%03x does not exist", r->regno);
    c->counts.csr++;
    const uint32_t core = r->data[0] & r->mask;
    return core != (model & r->mask) && fail_csr(c, BLAME(FAIL_CSR, s, f, r), r->regno, " holds", core,
                                                 model & r->mask, core | (model & ~r->mask));
}

bool karat_check_csr(karat_checker *c, const karat_rec_csr *r) {
    slot *s = karat_slot_of(c, &r->h, true);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (!f || !f->commit.csr_written)
        return karat_fail(c, BLAME(FAIL_CSR_UNEXPECTED, s, f, r),
                          "CSR 0x%03" PRIx32 " under seq %" PRIu32 ", which writes none", r->addr, r->seq);
    const bool vtype = r->addr == CSR_VTYPE && f->commit.csr == CSR_VL; /* vset* writes two */
    if (vtype ? f->gave_vtype : r->addr != f->commit.csr || !f->pending_csr)
        return karat_fail(c, BLAME(FAIL_CSR_UNEXPECTED, s, f, r),
                          "CSR 0x%03" PRIx32 " is written; the instruction writes 0x%03" PRIx32 "%s", r->addr,
                          f->commit.csr, vtype || r->addr == f->commit.csr ? " once" : "");
    const uint32_t value = vtype ? f->vtype : f->commit.csr_value;
    if (r->value != value && fail_csr(c, BLAME(FAIL_CSR, s, f, r), r->addr, "", r->value, value, r->value))
        return true;
    c->counts.csr++;
    f->gave_vtype |= vtype;
    f->pending_csr &= vtype;
    if (!vtype)
        karat_print_written(c, s, f);
    karat_flight_complete(c, s, f);
    return false;
}

bool karat_write_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r) {
    return karat_csr_write(c->model, s->handle, r->addr, r->value) != KARAT_OK &&
           karat_fail(c, BLAME(FAIL_STREAM, s), "HOSTCSR writes CSR 0x%" PRIx32 ", which cannot be written",
                      r->addr);
}

bool karat_check_hostcsr(karat_checker *c, const karat_rec_hostcsr *r) {
    slot *s = karat_slot_of(c, &r->h, true);
    return !s || karat_write_hostcsr(c, s, r) || karat_print_hostcsr(c, s, r);
}
