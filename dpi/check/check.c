/* The checker as others see it: configuration, beginning and end. */
#include "records.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

void karat_check_config_default(karat_check_config *config) {
    if (!config)
        return;
    memset(config, 0, sizeof *config);
    karat_config_default(&config->model);
    config->hang_cycles = 100000;
    config->max_failures = 1;
}

const char *karat_check_strict_word(unsigned i) {
    static const char *const words[] = {"registers", "lanes", "lds",      "races",
                                        "scalars",   "flags", "lds-size", "pds-size"};
    _Static_assert((1 << sizeof words / sizeof *words) - 1 == KARAT_STRICT_ALL, "words go by bit");
    return i < sizeof words / sizeof *words ? words[i] : NULL;
}

bool karat_check_strict(const char *list, uint32_t *strict) {
    if (!list || !strict)
        return false;
    for (const char *word = list;; word++) {
        const size_t length = strcspn(word, ",");
        unsigned i = 0;
        const char *known;
        while ((known = karat_check_strict_word(i)) &&
               (strlen(known) != length || strncmp(known, word, length) != 0))
            i++;
        if (!known)
            return false;
        *strict |= 1u << i;
        word += length;
        if (!*word)
            return true;
    }
}

const char *karat_check_strict_warning(uint32_t strict, const karat_commit *commit) {
    if (!commit)
        return NULL;
    if (commit->warnings & KARAT_WARN_LANES_DIFFER && strict & KARAT_STRICT_LANES)
        return "the lanes of the register that it moves differ";
    if (commit->warnings & KARAT_WARN_LDS_UNWRITTEN && strict & KARAT_STRICT_LDS)
        return "it loads local memory that nothing has written";
    if (commit->warnings & KARAT_WARN_LDS_BEYOND && strict & KARAT_STRICT_LDS_SIZE)
        return "it uses local memory that the launch does not declare (ldsSize, and its local buffers)";
    if (commit->warnings & KARAT_WARN_PDS_BEYOND && strict & KARAT_STRICT_PDS_SIZE)
        return "it uses private memory beyond the bytes of a thread that the launch declares (pdsSize)";
    return NULL;
}

karat_checker *karat_checker_create(const karat_check_config *config) {
    karat_checker *c = config ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    c->config = *config;
    c->verdict = KARAT_INCOMPLETE;
    c->fence_row = karat_find_row("fence");
    if (!karat_make_bounds(c) ||
        (config->keep_going && !(c->defects = calloc(NUM_DEFECT, sizeof *c->defects))) ||
        (config->num_known && !(c->known = calloc(config->num_known, sizeof *c->known)))) {
        karat_checker_destroy(c);
        return NULL;
    }
    return c;
}

void karat_checker_destroy(karat_checker *c) {
    if (!c)
        return;
    karat_destroy(c->model);
    karat_bridge_destroy(c);
    karat_scalars_destroy(c->scalars);
    for (uint32_t i = 0; c->slots && i < c->num_slots; i++)
        free(c->slots[i].waiting);
    free(c->ulp);
    free(c->slots);
    free(c->groups);
    free(c->started);
    free(c->locals);
    free(c->local_bytes);
    free(c->regions);
    karat_sparse_hashes_free(&c->sparse);
    free(c->further);
    free(c->tainted_memory);
    free(c->unreported_memory);
    free(c->defects);
    free(c->known);
    karat_places_free(&c->places);
    karat_report_drop(c);
    free(c->tlbs);
    karat_flight_blocks_free(c);
    free(c);
}

bool karat_checker_bench_error(karat_checker *c, uint64_t cycle, const char *text) {
    if (!c)
        return true;
    if (cycle > c->cycle)
        c->cycle = cycle;
    char quoted[512]; /* Messages of simulators have names in them */
    karat_quote(text ? text : "(no text)", quoted, sizeof quoted);
    return karat_fail(c, BLAME(FAIL_BENCH), "%s", quoted);
}

void karat_checker_cut(karat_checker *c, const char *text) {
    if (!c || (!c->done && karat_take_waiting_steps(c, c->cycle, true)))
        return; /* Records that wait after a step are still judged */
    if (!karat_unshown_fault(c))
        karat_fail(c, BLAME(FAIL_INCOMPLETE), "%s", text ? text : "(no text)");
}

uint64_t karat_checker_look_at(const karat_checker *c) {
    return !c ? 0 : c->failure.kind ? c->failure.look_at : c->cycle;
}

bool karat_checker_place(const karat_checker *c, karat_check_place *place) {
    const failure *x = &c->failure;
    *place = (karat_check_place){.found = x->cycle,
                                 .has_warp = x->has_warp,
                                 .sm = x->sm,
                                 .slot = x->slot,
                                 .workgroup = x->workgroup,
                                 .warp = x->warp,
                                 .what = x->detail,
                                 .has_record = x->has_record,
                                 .commit = x->has_insn && !x->is_past ? &x->commit : NULL,
                                 .issued = x->issue_cycle};
    if (x->has_record)
        place->recorded = ((const karat_rec_header *)x->record)->cycle;
    return x->kind;
}

bool karat_checker_view(const karat_checker *c, uint32_t sm, uint32_t slot, karat_warp_view *view) {
    const karat_rec_header at = {.sm = (uint8_t)sm, .slot = (uint8_t)slot};
    const struct slot *s = c->slots ? karat_slot_at(c, &at) : NULL;
    return s && s->live && karat_view(c->model, s->handle, view) == KARAT_OK;
}

karat_verdict karat_checker_verdict(const karat_checker *c) {
    return c ? c->verdict : KARAT_BAD_INPUT;
}
