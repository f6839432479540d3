/* Beyond mismatches with the same warp (config.keep_going): one run lists many.
 *
 * Where a value is wrong the core's is taken: it is compared with itself from there on, so that what follows
 * from it is not wrong again. Where that cannot be done (another pc, another stack, something missing) the
 * warp is excluded (excluded.c). Each mismatch is entered in a list by its signature: kind, instruction,
 * classes of the operands, lanes, values. The first of that signature is remembered with its place, the
 * others are counted. One that the core's description lists as known is counted under that name alone, and
 * is no failure. */
#include "checker.h"
#include "report.h"

#include <fnmatch.h>

static void sign(const karat_checker *c, const blame *x, karat_signature *s) {
    karat_signature_of(x->flight ? &x->flight->commit : NULL, x->may_go_on ? x->lanes : 0,
                       c->hello_seen ? karat_all_lanes(c) : 0, &x->value, s);
}

bool karat_is_known(karat_checker *c, const blame *x) {
    if (!c->config.num_known)
        return false;
    char text[SIGNATURE_ROOM];
    karat_signature s;
    sign(c, x, &s);
    karat_signature_text(&s, karat_failure_name(x->kind), text, sizeof text);
    bool found = false; /* Of every name that fits: none that counts 0 is alive */
    for (uint32_t i = 0; i < c->config.num_known; i++)
        if (fnmatch(c->config.known[i].pattern, text, 0) == 0) {
            c->known[i]++;
            found = true;
        }
    return found;
}

void karat_note_defect(karat_checker *c, const blame *x, const char *detail) {
    c->num_mismatches++;
    defect new = {.count = 1};
    karat_describe_further(c, &new.first, x, detail);
    new.value = x->value;
    sign(c, x, &new.signature);
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
