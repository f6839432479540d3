/* Races, where they are errors by policy (KARAT_STRICT_RACES, KARAT_STRICT_FLAGS).
 *
 * The memory model finds the two accesses. Scalar accesses, and vector accesses to a word that may be a
 * flag, are judged at the kernel's end: only then the use of the word is known. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checker.h"
#include "names.h"

/* The first one that is of that kind. */
static bool fail_first(karat_checker *c, mcm_sync kind, const char *before, const char *after) {
    for (uint32_t i = 0; i < c->num_possible_races; i++) {
        possible_race *x = &c->possible_races[i];
        if (mcm_synchronises(c->mcm, &x->word, x->scalar) != kind)
            continue;
        char text[400];
        snprintf(text, sizeof text, "%s%.200s%s", before, x->what.detail, after);
        snprintf(x->what.detail, sizeof x->what.detail, "%s", text);
        return karat_fail_as(c, &x->what);
    }
    return false;
}

bool karat_bridge_end(karat_checker *c) {
    const uint32_t strict = c->config.strict;
    return (strict & KARAT_STRICT_RACES &&
            fail_first(c, MCM_DATA, "a race on ", ", and nothing orders the two")) ||
           (strict & KARAT_STRICT_FLAGS &&
            fail_first(c, MCM_FLAG, "synchronisation by plain accesses to ",
                       ": a flag, by whose value and FENCEs warps order their accesses"));
}

static void note_possible_race(karat_checker *c, const slot *s, const flight *f, const mcm_race *race,
                               const char *text) {
    const bool wants_flags = c->config.strict & KARAT_STRICT_FLAGS;
    mcm_place word = race->byte;
    word.addr &= ~UINT64_C(3);
    uint32_t kept = 0;
    bool known = false;
    for (uint32_t i = 0; i < c->num_possible_races; i++) {
        const possible_race *x = &c->possible_races[i];
        const mcm_sync now = mcm_synchronises(c->mcm, &x->word, x->scalar);
        if (now == MCM_ATOMIC_WORD || (now == MCM_FLAG && !wants_flags))
            continue;
        known |= x->word.addr == word.addr && x->word.lds == word.lds && x->scalar <= race->scalar;
        if (kept != i) {
            c->possible_races[kept] = *x;
            karat_commit_keep(c->model, &c->possible_races[kept].what.commit,
                              &c->possible_races[kept].what.values);
        }
        kept++;
    }
    c->num_possible_races = kept;
    if (known || kept == NUM_POSSIBLE_RACES)
        return;
    possible_race *x = &c->possible_races[c->num_possible_races++];
    x->word = word;
    x->scalar = race->scalar;
    karat_describe_failure(c, &x->what, FAIL_PROGRAM, s, f, text);
}

bool karat_find_races(karat_checker *c, slot *s, flight *f) {
    for (mcm_race race = {0}; mcm_next_race(c->mcm, &f->event, &race);) {
        char text[256];
        snprintf(text, sizeof text, "byte 0x%08" PRIx64 ": ", race.byte.addr);
        karat_put_access(c, race.with->at.uid, &race.with->name, text, sizeof text);
        karat_append(text, sizeof text, " accesses it too");
        if (race.scalar || race.flag)
            note_possible_race(c, s, f, &race, text);
        else if (c->config.strict & KARAT_STRICT_RACES)
            return karat_fail(c, BLAME(FAIL_PROGRAM, s, f), "a race on %s, and nothing orders the two", text);
    }
    mcm_remember(c->mcm, &f->event);
    return false;
}
