/* Coverage of a run, from its first launch to the file. */
#include "cov.h"

#include <stdio.h>

void karat_cov_on_launch(void *collector, const karat_model *model, uint32_t warp,
                         const karat_launch_desc *desc, uint32_t warps) {
    karat_cov_collector *c = collector;
    if (!c->cov && !c->no_memory) {
        const karat_config *config = karat_get_config(model);
        c->cov = karat_cov_create(config->profile, config->num_thread, config->max_warp);
        c->no_memory = !c->cov;
    }
    if (c->cov)
        karat_cov_launch(c->cov, warp, desc, warps);
}

void karat_cov_on_step(void *collector, const karat_model *model, uint32_t warp, const karat_commit *commit) {
    karat_cov_collector *c = collector;
    if (c->cov)
        karat_cov_step(c->cov, model, warp, commit);
}

bool karat_cov_finish(karat_cov_collector *collector, const char *path, karat_diag *diag) {
    const bool there = collector->cov && karat_cov_end(collector->cov);
    const bool ok = there && karat_cov_save(collector->cov, path, diag);
    if (!there)
        snprintf(diag->text, sizeof diag->text, "%s: not written: %s", path,
                 collector->cov || collector->no_memory ? "out of memory" : "no warp was launched");
    karat_cov_destroy(collector->cov);
    *collector = (karat_cov_collector){0};
    return ok;
}
