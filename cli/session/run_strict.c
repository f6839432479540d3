#include "run_strict.h"

#include "scalars.h"

#include <inttypes.h>
#include <stdlib.h>

struct run_strict {
    uint32_t words;
    karat_profile profile;
    karat_scalars *scalars; /* NULL: they are no error */
    char what[400];
};

int run_strict_words(const char *list, uint32_t *strict) {
    uint32_t words = 0;
    if (!karat_check_strict(list, &words) || words & ~(uint32_t)RUN_STRICT)
        return cli_bad_option("--strict=%s: expected a list of " RUN_STRICT_WORDS
                              " ('karat check' of a core's recording accepts more)",
                              list);
    *strict |= words;
    return 0;
}

run_strict *run_strict_create(uint32_t strict, const karat_model *model) {
    const karat_config *config = karat_get_config(model);
    run_strict *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->words = strict;
    s->profile = config->profile;
    if (!(strict & KARAT_STRICT_SCALARS) ||
        (s->scalars = karat_scalars_create(config->max_warp, config->num_thread)))
        return s;
    free(s);
    return NULL;
}

void run_strict_destroy(run_strict *s) {
    if (s)
        karat_scalars_destroy(s->scalars);
    free(s);
}

void run_strict_launch(run_strict *s, uint32_t handle) {
    if (s->scalars)
        karat_scalars_launch(s->scalars, handle);
}

bool run_strict_step(run_strict *s, const karat_sched_warp *warp, const karat_commit *commit) {
    const char *warning = karat_check_strict_warning(s->words, commit);
    karat_scalar_use use;
    switch (s->scalars ? karat_scalars_step(s->scalars, warp->handle, commit, &use) : KARAT_SCALARS_RIGHT) {
    case KARAT_SCALARS_RIGHT: break;
    case KARAT_SCALARS_USED: karat_scalars_describe(&use, s->profile, s->what, sizeof s->what); return false;
    case KARAT_SCALARS_NO_MEMORY: snprintf(s->what, sizeof s->what, "not enough memory"); return false;
    }
    if (warning)
        snprintf(s->what, sizeof s->what, "%s", warning);
    return !warning;
}

const char *run_strict_describe(const run_strict *s, const session *on, const karat_kernel *kernel,
                                const karat_sched_result *r, char text[SCHED_TEXT_SIZE]) {
    char place[CLI_PLACE_SIZE], insn[CLI_INSN_SIZE];
    const karat_commit *m = &r->commit;
    snprintf(text, SCHED_TEXT_SIZE,
             "%.200s: program error by --strict in workgroup %" PRIu32 " warp %" PRIu32 " at pc %s (%s): %s",
             kernel->name, r->at.workgroup, r->at.warp, cli_place(kernel, m->pc, place),
             cli_insn(on->options.profile, m->pc, m->prefix, m->word, insn), s->what);
    return text;
}
