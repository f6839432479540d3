#include "shared_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checker.h"
#include "words.h"

void karat_put_access(const karat_checker *c, uint32_t uid, const mcm_name *name, char *text, size_t size) {
    char insn[96];
    karat_disassemble(c->config.model.profile, name->pc, name->prefix, name->word, insn, sizeof insn);
    karat_append(text, size, "workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " 0x%08" PRIx32 " %s",
                 uid / c->kernel.wg_size, uid % c->kernel.wg_size, name->seq, name->pc, insn);
}

const char *karat_refusal_text(mcm_refusal why) {
    switch (why) {
    case MCM_LEGAL: return "legal";
    case MCM_NOT_THERE_YET: return "not there yet";
    case MCM_NOT_THE_LAST: return "not the last before the load";
    case MCM_AFTER_LOAD: return "ordered behind the load";
    case MCM_AFTER_LATER: return "behind one that is ordered behind the load";
    case MCM_HIDDEN: break;
    }
    return "hidden by a later one that is ordered before the load";
}

void karat_put_witness(const karat_checker *c, const mcm_witness *w, const char *why, char *text,
                       size_t size) {
    const mcm_event *e = w->event;
    karat_append(text, size, "\n    %02x  ", w->value);
    if (!e) {
        karat_append(text, size, "there before; %s", why);
    } else if (e->at.uid == MCM_HOST_UID) {
        karat_append(text, size, "the host, in cycle %" PRIu64 "; %s", e->name.cycle, why);
    } else {
        karat_put_access(c, e->at.uid, &e->name, text, size);
        karat_append(text, size, ", issued in cycle %" PRIu64 ", ", e->name.cycle);
        if (w->part->performed)
            karat_append(text, size, "performed as MEM %" PRIu64 "; %s", w->part->performed, why);
        else
            karat_append(text, size, "not performed yet; %s", why);
    }
}

void karat_list_witnesses(const karat_checker *c, const mcm_answer *x, char *text, size_t size) {
    if (!x->num)
        return; /* nobody else writes there */
    karat_append(text, size, "\n  byte 0x%08" PRIx64 ": %02x in the core; considered:", x->addr, x->value);
    for (uint32_t i = 0; i < x->num; i++)
        karat_put_witness(c, &x->witness[i], karat_refusal_text(x->witness[i].why), text, size);
}

void karat_list_considered(const karat_checker *c, const mcm_atomic *x, char *text, size_t size) {
    for (uint32_t i = 0; i < x->num_considered && i < MCM_NUM_CONSIDERED; i++) {
        const mcm_considered *a = &x->considered[i];
        karat_append(text, size, "\n    ");
        if (a->uid == MCM_HOST_UID) {
            karat_append(text, size, "the host, in cycle %" PRIu64, a->name.cycle);
            continue;
        }
        karat_put_access(c, a->uid, &a->name, text, size);
        karat_append(text, size, ", issued in cycle %" PRIu64, a->name.cycle);
        if (a->has_old)
            karat_append(text, size, ", returned %08" PRIx32, a->old);
        if (a->has_value)
            karat_append(text, size, ", wrote %08" PRIx32, a->value);
    }
    if (x->num_considered > MCM_NUM_CONSIDERED)
        karat_append(text, size, "\n    and %" PRIu32 " more", x->num_considered - MCM_NUM_CONSIDERED);
}

/* What puts the one before the other. */
static void put_rule(const mcm_violation *wrong, char *text, size_t size) {
    switch (wrong->rule) {
    case MCM_ACQUIRE: karat_append(text, size, "its .aq"); break;
    case MCM_RELEASE: karat_append(text, size, "the younger one's .rl"); break;
    case MCM_BARRIER: karat_append(text, size, "a BARRIER"); break;
    default:
        karat_append(text, size, wrong->has_fence ? "the FENCE at 0x%08" PRIx32 : "a FENCE", wrong->fence_pc);
    }
}

bool karat_fail_violation(karat_checker *c, slot *s, const flight *f, const void *r,
                          const mcm_violation *wrong) {
    const mcm_event *other = wrong->other;
    char name[200] = "", rule[48] = "";
    karat_put_access(c, other->at.uid, &other->name, name, sizeof name);
    if (wrong->overtaken)
        return karat_fail(c, FAULT(FAIL_MEM_ORDER, s, f, r),
                          "lane %" PRIu32 " byte 0x%08" PRIx64
                          ": performed after %s%s, which the program orders behind it",
                          wrong->lane, wrong->addr, wrong->lanes ? "a higher lane of " : "", name);
    put_rule(wrong, rule, sizeof rule);
    const char *own = strstr(name, other->at.uid == f->event.at.uid ? "seq " : "warp ");
    return karat_fail(c, FAULT(FAIL_MEM_ORDER, s, f, r), "performed before %s, which %s puts before it", own,
                      rule);
}

void karat_shared_explain_sc(const karat_checker *c, const flight *sc, char *text, size_t size) {
    const mcm_since x = mcm_written_since(c->mcm, &sc->event);
    const mcm_event *e = x.first;
    if (x.last)
        karat_append(text, size, "; its last LR, seq %" PRIu32 ", %s", x.last->name.seq,
                     x.other_word ? "was of another word"
                                  : "is not the last access of these: another SC has come since");
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
        karat_append(text, size, ", and %" PRIu32 " more writes have come behind that", x.num - 1);
}
