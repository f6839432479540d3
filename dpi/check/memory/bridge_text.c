/* The memory model's answers in words: accesses, the rules that forbid a value, the witnesses. */
#include "checker.h"
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void karat_put_access(const karat_checker *c, uint32_t uid, const mcm_name *name, char *text, size_t size) {
    const uint32_t wg_size = c->kernel.wg_size;
    karat_append(
        text, size, "%s %s", karat_warp_name(uid / wg_size, uid % wg_size).text,
        karat_step_text(c->config.model.profile, name->seq, name->pc, name->prefix, name->word).text);
}

/* An access with its cycle; or the host. False: it is the host. */
static bool put_who(const karat_checker *c, uint32_t uid, const mcm_name *name, char *text, size_t size) {
    const bool host = uid == MCM_HOST_UID;
    if (host)
        karat_append(text, size, "the host, in");
    else
        karat_put_access(c, uid, name, text, size);
    karat_append(text, size, "%s cycle %" PRIu64, host ? "" : ", issued in", name->cycle);
    return !host;
}

static const char *refusal_text(mcm_refusal why) {
    switch (why) {
    case MCM_LEGAL: return "legal";
    case MCM_NOT_THERE_YET: return "performed after the read";
    case MCM_NOT_THE_LAST: return "not the last one performed before the read";
    case MCM_AFTER_LOAD: return "ordered after the read";
    case MCM_AFTER_LATER: return "ordered after a write that is ordered after the read";
    case MCM_HIDDEN: break;
    }
    return "that one is ordered before the read";
}

const char *karat_bridge_rule_name(unsigned rule) {
    return mcm_rule_name((mcm_rule)rule);
}

/* The rule that orders two accesses, where one does, and more of it. Appended. */
static void put_rule(reasons *why, mcm_rule rule, const char *more) {
    if (rule == MCM_NO_RULE)
        return;
    why->rules |= 1u << rule;
    karat_append(why->text, sizeof why->text, " (rule: %s%s)", mcm_rule_name(rule), more);
}

void karat_put_witness(const karat_checker *c, const mcm_witness *w, char *text, size_t size) {
    const mcm_event *e = w->event;
    karat_append(text, size, "\n    %02x  ", w->value);
    if (!e) {
        karat_append(text, size, "there before");
    } else if (put_who(c, e->at.uid, &e->name, text, size)) {
        if (w->part->performed)
            karat_append(text, size, ", performed as MEM %" PRIu64, w->part->performed);
        else
            karat_append(text, size, ", not performed yet");
    }
}

void karat_list_witnesses(const karat_checker *c, const mcm_answer *x, reasons *why) {
    for (uint32_t i = 0; i < x->num; i++) {
        const mcm_witness *w = &x->witness[i];
        karat_put_witness(c, w, why->text, sizeof why->text);
        if (w->why == MCM_HIDDEN) {
            karat_append(why->text, sizeof why->text, "; hidden by a later write");
            put_rule(why, w->older, "");
        }
        karat_append(why->text, sizeof why->text, "; %s", refusal_text(w->why));
        put_rule(why, w->rule, "");
    }
}

void karat_list_considered(const karat_checker *c, const mcm_atomic *x, char *text, size_t size) {
    for (uint32_t i = 0; i < x->num_considered && i < MCM_NUM_CONSIDERED; i++) {
        const mcm_considered *a = &x->considered[i];
        karat_append(text, size, "\n    ");
        if (!put_who(c, a->uid, &a->name, text, size))
            continue;
        if (a->has_old)
            karat_append(text, size, ", returned %08" PRIx32, a->old);
        if (a->has_value)
            karat_append(text, size, ", wrote %08" PRIx32, a->value);
    }
    if (x->num_considered > MCM_NUM_CONSIDERED)
        karat_append(text, size, "\n    and %" PRIu32 " more", x->num_considered - MCM_NUM_CONSIDERED);
}

bool karat_fail_violation(karat_checker *c, slot *s, const flight *f, const void *r,
                          const mcm_violation *wrong) {
    const mcm_event *other = wrong->other;
    char name[200] = "", place[24] = "";
    reasons why = {0};
    karat_put_access(c, other->at.uid, &other->name, name, sizeof name);
    if (wrong->has_fence)
        snprintf(place, sizeof place, " at 0x%08" PRIx32, wrong->fence_pc);
    put_rule(&why, wrong->rule, place);
    const blame *x = BLAME(FAIL_MEM_ORDER, s, f, r, .rules = why.rules);
    if (wrong->overtaken)
        return karat_fail(
            c, x, "lane %" PRIu32 " byte 0x%08" PRIx64 ": performed after %s%s, which is ordered after it%s",
            wrong->lane, wrong->addr, wrong->lanes ? "a higher lane of " : "", name, why.text);
    const char *own = strstr(name, other->at.uid == f->event.at.uid ? "seq " : "warp ");
    return karat_fail(c, x, "performed before %s, which is ordered before it%s", own, why.text);
}

void karat_bridge_explain_sc(const karat_checker *c, const flight *sc, reasons *why) {
    const mcm_since x = mcm_written_since(c->mcm, &sc->event);
    const mcm_event *e = x.first;
    char *text = why->text;
    const size_t size = sizeof why->text;
    put_rule(why, x.rule, "");
    if (x.last)
        karat_append(text, size, "; its last LR, seq %" PRIu32 ", %s", x.last->name.seq,
                     x.other_word ? "was of another word" : "was followed by another SC");
    if (!e)
        return;
    karat_append(text, size, "; since its LR, seq %" PRIu32 " issued in cycle %" PRIu64 ", ", x.lr->name.seq,
                 x.lr->name.cycle);
    if (e->at.uid == MCM_HOST_UID) {
        karat_append(text, size, "the host has written that word in cycle %" PRIu64, e->name.cycle);
    } else {
        karat_put_access(c, e->at.uid, &e->name, text, size);
        karat_append(text, size, " has written that word, issued in cycle %" PRIu64, e->name.cycle);
        if (e->last_cycle)
            karat_append(text, size, ", performed in cycle %" PRIu64, e->last_cycle);
    }
    if (x.num > 1)
        karat_append(text, size, ", and %" PRIu32 " later write%s", x.num - 1, x.num > 2 ? "s" : "");
}
