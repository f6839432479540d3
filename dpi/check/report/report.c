#include "report.h"

#include <jansson.h>
#include <stdlib.h>

const char *karat_verdict_name(karat_verdict verdict) {
    static const char *const names[] = {[KARAT_PASS] = "PASS",
                                        [KARAT_MISMATCH] = "MISMATCH",
                                        [KARAT_BAD_INPUT] = "BAD INPUT",
                                        [KARAT_HANG] = "HANG",
                                        [KARAT_VERDICT_PROGRAM_ERROR] = "PROGRAM ERROR",
                                        [KARAT_INCOMPLETE] = "INCOMPLETE"};
    return names[verdict];
}

karat_naming karat_naming_of(const karat_checker *c) {
    const karat_check_config *config = &c->config;
    const uint32_t index = c->kernel.index;
    const karat_kernel *kernel =
        c->kernel_seen && config->kernels && index < config->num_kernels ? config->kernels[index] : NULL;
    return (karat_naming){kernel, kernel && config->lines ? config->lines[index] : NULL,
                          config->model.profile};
}

unsigned karat_list_unchecked(const karat_checker *c, const char *list[MAX_UNCHECKED]) {
    static const char *const gaps[NUM_GAP] = {
#define DO(gap, word) word,
        KARAT_GAPS(DO)
#undef DO
    };
    /* Optional kinds that HELLO promises, in a whole run: others would be missed. */
    const bool no_read = c->verdict == KARAT_PASS && !c->counts.read;
    const bool no_audit = c->verdict == KARAT_PASS && !c->counts.audit;
    unsigned num = 0;
    if (!c->hello_seen)
        list[num++] = "all";
    for (unsigned kind = KARAT_REC_HELLO + 1; c->hello_seen && kind < KARAT_REC_KINDS; kind++) {
        const bool of_core = !((KARAT_RECS_OF_BENCH | KARAT_RECS_LIKE) >> kind & 1),
                   tlb = kind == KARAT_REC_TLB;
        if (of_core && ((!karat_gives(c, kind) && (!tlb || karat_translates(c))) ||
                        (no_read && kind == KARAT_REC_READ) || (no_audit && kind == KARAT_REC_AUDIT)))
            list[num++] = karat_rec_name(kind);
    }
    for (unsigned i = 0; i < NUM_GAP; i++)
        if (c->gaps >> i & 1)
            list[num++] = gaps[i];
    return num;
}

const slot *karat_slot_of_failure(const karat_checker *c) {
    return c->failure.has_warp ? &c->slots[c->failure.sm * c->hello.num_warp + c->failure.slot] : NULL;
}

const slot *karat_last_heard(const karat_checker *c) {
    const slot *last = NULL;
    for (uint32_t i = 0; c->slots && i < c->num_slots; i++) /* None where memory ran out */
        if (c->slots[i].launched && (!last || c->slots[i].last_event > last->last_event))
            last = &c->slots[i];
    return last;
}

bool karat_checker_failed_warp(const karat_checker *c, uint32_t *warp) {
    const slot *s = karat_slot_of_failure(c);
    if (s)
        *warp = (uint32_t)(s - c->slots);
    return s != NULL;
}

const char *karat_source_name(unsigned source, unsigned cls) {
    static const char *const names[2][4] = {{"v0", "rs1", "rs2", "rs3"}, {"v0.t", "vs1", "vs2", "vs3/vd"}};
    return cls == CLASS_CSR ? "csr" : names[cls & 1][source & 3];
}

const char *karat_evidence_text(const producer *p) {
    static const char *const texts[] = {[EVIDENCE_NONE] = "not compared",
                                        [EVIDENCE_PENDING] = "not written yet",
                                        [EVIDENCE_TAKEN] = "taken from the core",
                                        [EVIDENCE_WRITE] = "written right",
                                        [EVIDENCE_READ] = "read right",
                                        [EVIDENCE_MEM] = "wrong",
                                        [EVIDENCE_WRONG] = "wrong"};
    return texts[p->result];
}

bool karat_has_rerun(const karat_checker *c) {
    return c->config.rerun && *c->config.rerun;
}

void karat_report_first(karat_checker *c) {
    size_t size;
    FILE *out = open_memstream(&c->first_text, &size);
    if (!out)
        return;
    karat_put_first(out, c);
    if (fclose(out)) {
        free(c->first_text);
        c->first_text = NULL;
    }
    c->first_json = karat_json_failure(c);
}

void karat_report_drop(karat_checker *c) {
    free(c->first_text);
    json_decref(c->first_json);
}
