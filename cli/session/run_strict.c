#include "run_strict.h"

#include "meta.h"
#include "scalars.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A step shows these by itself, or with those of its warp before. */
enum { OF_STEPS = KARAT_STRICT_WARNINGS | KARAT_STRICT_SCALARS };

struct run_strict {
    uint32_t words;
    karat_profile profile;
    karat_scalars *scalars;   /* NULL: they are no error */
    karat_trace_setup *setup; /* Of the checker */
    karat_checker *checker;   /* NULL: none is needed */
    bool stands;              /* The checker's verdict stands */
    char what[400];           /* Error of a step: the checker then only finds that the run ends early */
};

/* With the errors that need the records. */
static bool make_checker(run_strict *s, const session *on) {
    karat_diag diag;
    char *meta = session_meta(on);
    s->setup = meta ? karat_trace_setup_make(meta, &diag) : NULL;
    free(meta);
    if (!s->setup)
        return false;
    s->setup->config.strict = s->words & ~(uint32_t)OF_STEPS;
    return (s->checker = karat_checker_create(&s->setup->config)) != NULL;
}

run_strict *run_strict_create(uint32_t strict, const session *on) {
    const karat_config *config = karat_get_config(on->model);
    run_strict *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->words = strict;
    s->profile = config->profile;
    if ((!(strict & KARAT_STRICT_SCALARS) ||
         (s->scalars = karat_scalars_create(config->max_warp, config->num_thread))) &&
        (!run_strict_wants_records(strict) || make_checker(s, on)))
        return s;
    run_strict_destroy(s);
    return NULL;
}

void run_strict_destroy(run_strict *s) {
    if (!s)
        return;
    karat_scalars_destroy(s->scalars);
    karat_checker_destroy(s->checker);
    karat_trace_setup_free(s->setup);
    free(s);
}

bool run_strict_wants_records(uint32_t strict) {
    return strict & ~(uint32_t)OF_STEPS;
}

bool run_strict_record(void *strict, const void *record, size_t size) {
    run_strict *s = strict;
    return s->stands = karat_checker_record(s->checker, record, size);
}

bool run_strict_stands(const run_strict *s) {
    return s && !s->what[0] && s->stands && karat_checker_verdict(s->checker) != KARAT_PASS;
}

void run_strict_launch(run_strict *s, uint32_t handle) {
    if (s->scalars)
        karat_scalars_launch(s->scalars, handle);
}

bool run_strict_step(run_strict *s, const karat_sched_warp *warp, const karat_commit *commit) {
    if (run_strict_stands(s))
        return false;
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
    char place[CLI_PLACE_SIZE], insn[CLI_INSN_SIZE], at[CLI_PLACE_SIZE + CLI_INSN_SIZE + 80] = "";
    karat_check_place shown = {.has_warp = true,
                               .workgroup = r->at.workgroup,
                               .warp = r->at.warp,
                               .what = s->what,
                               .commit = &r->commit};
    if (run_strict_stands(s))
        karat_checker_place(s->checker, &shown);
    const karat_commit *m = shown.commit;
    if (m)
        snprintf(at, sizeof at, " at pc %s (%s)", cli_place(kernel, m->pc, place),
                 cli_insn(on->options.profile, m->pc, m->prefix, m->word, insn));
    snprintf(text, SCHED_TEXT_SIZE,
             "%.200s: program error by --strict in workgroup %" PRIu32 " warp %" PRIu32 "%s: %.*s",
             kernel->name, shown.workgroup, shown.warp, at, (int)strcspn(shown.what, "\n"), shown.what);
    return text;
}
