/* Coverage of a run, from its first launch to the file. */
#include "cov.h"
#include "staged_file.h"

#include <stdio.h>

void karat_cov_on_launch(void *collector, const karat_model *model, uint32_t warp,
                         const karat_launch_desc *desc, uint32_t warps) {
    karat_cov_collector *c = collector;
    if (!c->cov && !c->no_memory) {
        const karat_config *config = karat_get_config(model);
        c->cov = karat_cov_create(config->profile, config->num_thread, config->max_warp);
        c->no_memory =
            !c->cov || (config->translation != KARAT_TRANSLATION_NONE && !karat_cov_translate(c->cov));
    }
    if (c->cov)
        karat_cov_launch(c->cov, warp, desc, warps);
}

void karat_cov_on_step(void *collector, const karat_model *model, uint32_t warp, const karat_commit *commit) {
    karat_cov_collector *c = collector;
    if (c->cov)
        karat_cov_step(c->cov, model, warp, commit);
}

static bool save(const karat_cov_collector *c, const char *path, karat_diag *diag) {
    if (c->cov && karat_cov_end(c->cov))
        return karat_cov_save(c->cov, path, diag);
    snprintf(diag->text, sizeof diag->text, "%s: not written: %s", path,
             c->cov || c->no_memory ? "out of memory" : "no warp was launched");
    return false;
}

static bool save_both(const karat_cov_collector *c, const char *path, const char *other, karat_cov_put *put,
                      const void *context, karat_diag *diag) {
    karat_staged_file w;
    if (!other)
        return !path || save(c, path, diag);
    if (!karat_staged_begin(&w, other, diag))
        return false;
    const bool is_put = put(context, w.file);
    if (!is_put)
        snprintf(diag->text, sizeof diag->text, "%s: cannot be written", other);
    if (is_put && (!path || save(c, path, diag)))
        return karat_staged_end(&w, diag);
    karat_staged_drop(&w);
    return false;
}

bool karat_cov_finish(karat_cov_collector *collector, const char *path, const char *other, karat_cov_put *put,
                      const void *context, karat_diag *diag) {
    const bool ok = save_both(collector, path, other, put, context, diag);
    karat_cov_destroy(collector->cov);
    *collector = (karat_cov_collector){0};
    return ok;
}
