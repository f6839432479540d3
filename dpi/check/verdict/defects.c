/* Beyond mismatches with the same warp (config.keep_going): one run lists many.
 *
 * Where a value is wrong the core's is taken: it is compared with itself from there on, so that what follows from it is not
 * wrong again. Where that cannot be done (another pc, another stack, something missing) the warp is frozen (freeze.c).
 * Each mismatch is entered in a list by its signature: kind, instruction, classes of the operands, lanes, values. The first of
 * that signature is remembered with its place, the others are counted. */
#include "checker.h"
#include "report.h"

/* The model's and the core's value of a register that the record shows. */
static karat_two_values value_of(const fault *x) {
    karat_two_values v = {0};
    const karat_rec_header *h = x->record;
    const karat_commit *commit = x->flight ? &x->flight->commit : NULL;
    const uint32_t *model = NULL, *core = NULL;
    if (!h || !commit)
        return v;
    if (x->kind == FAIL_WRITE_VALUE && h->kind == KARAT_REC_WRITE) {
        const karat_rec_write *r = x->record;
        core = r->data;
        for (uint32_t i = 0; i < commit->num_writes; i++)
            if (commit->write[i].cls == r->cls && commit->write[i].reg == r->regno)
                model = commit->write[i].value;
    } else if (x->kind == FAIL_READ && h->kind == KARAT_REC_READ) {
        const karat_rec_read *r = x->record;
        core = r->data;
        for (uint32_t i = 0; i < commit->num_reads; i++)
            if (commit->read[i].source == r->source && commit->read[i].part == r->part)
                model = commit->read[i].value;
    } else if (x->kind == FAIL_CSR && h->kind == KARAT_REC_CSR) {
        core = &((const karat_rec_csr *)x->record)->value;
        model = &commit->csr_value;
    }
    if (model && x->cls == KARAT_CLASS_V && x->lanes)
        v.lane = (uint32_t)__builtin_ctz(x->lanes);
    if (!model || model[v.lane] == core[v.lane]) /* it may differ in another part */
        return v;
    v.model = model[v.lane];
    v.core = core[v.lane];
    v.is_known = true;
    return v;
}

void karat_note_defect(karat_checker *c, const fault *x, const char *detail) {
    c->num_mismatches++;
    defect new = {.count = 1};
    karat_describe_further(c, &new.first, x, detail);
    new.value = value_of(x);
    karat_signature_of(x->flight ? &x->flight->commit : NULL, x->may_go_on ? x->lanes : 0,
                       c->hello_seen ? karat_all_lanes(c) : 0, &new.value, &new.signature);
    for (uint32_t i = 0; i < c->num_defects; i++) {
        defect *d = &c->defects[i];
        if (d->first.kind != x->kind || !karat_signature_same(&d->signature, &new.signature))
            continue;
        d->count++;
        return;
    }
    if (c->num_defects < NUM_DEFECT)
        c->defects[c->num_defects++] = new;
    else
        c->defects_lost++;
}
