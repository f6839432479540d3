/* Beyond mismatches with the same warp (config.keep_going): one run lists many.
 *
 * Where a value is wrong the core's is taken: it is compared with itself from there on, so that what follows from it is not
 * wrong again. Where that cannot be done (another pc, another stack, something missing) the warp is frozen (freeze.c).
 * Each mismatch is entered in a list by its signature: kind, instruction, classes of the operands, lanes. The first of
 * that signature is remembered with its place, the others are counted. */
#include "checker.h"
#include "report.h"

#include <stdlib.h>

bool karat_defects_init(karat_checker *c) {
    c->defects = calloc(NUM_DEFECT, sizeof *c->defects);
    return c->defects;
}

void karat_keep(karat_checker *c, uint32_t lanes) {
    c->keeps = c->config.keep_going;
    c->kept_lanes = lanes;
}

bool karat_kept(karat_checker *c) {
    const bool kept = c->config.keep_going && !c->done;
    if (kept && c->num_failed == 1)
        karat_report_first(c);
    return kept;
}

void karat_note_defect(karat_checker *c, failure_kind kind, const slot *s, const flight *f,
                       const char *detail) {
    c->num_mismatches++;
    defect new = {.count = 0};
    karat_describe_further(c, &new.first, kind, s, f, detail);
    karat_signature_of(f ? &f->commit : NULL, c->kept_lanes, c->hello_seen ? karat_all_lanes(c) : 0,
                       &new.signature);
    for (uint32_t i = 0; i < c->num_defects; i++) {
        defect *d = &c->defects[i];
        if (d->first.kind != kind || !karat_signature_same(&d->signature, &new.signature))
            continue;
        d->count++;
        return;
    }
    if (c->num_defects == NUM_DEFECT) {
        c->defects_lost++;
        return;
    }
    new.count = 1;
    c->defects[c->num_defects++] = new;
}
