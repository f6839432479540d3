/* Command karat gen mutate: programs made of two others, that run on the model; and how one runs there. */
#include "gen.h"
#include "interrupt.h"
#include "mutate.h"
#include "output.h"
#include "progress.h"
#include "results.h"
#include "run_session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool gen_take_program(const char *path, karat_profile profile, prog *p) {
    karat_diag diag;
    karat_kernel *kernel = karat_kernel_load(path, NULL, &diag);
    const bool good = kernel && prog_of_kernel(p, profile, kernel, &diag);
    if (!good)
        cli_error("%s", diag.text);
    karat_kernel_free(kernel);
    return good;
}

/* --- On the model --- */

/* Whether memory has the program's code as it was. */
static bool has_code(const session *s, prog *p) {
    uint32_t num, found, *words = prog_link(p, &num);
    bool same = words != NULL;
    for (uint32_t i = 0; same && i < num; i++)
        same = session_read(s, PROG_CODE + 4 * i, &found, sizeof found) == KARAT_OK && found == words[i];
    free(words);
    return same;
}

static unsigned uncertain_of(const karat_sched_result *r) {
    unsigned found = r->unwritten.uses ? GEN_UNWRITTEN_REGISTER : 0;
    for (unsigned i = 0; i < KARAT_NUM_WARNING; i++)
        if (r->warnings[i])
            found |= 1u << i == KARAT_WARN_LDS_UNWRITTEN ? GEN_UNWRITTEN_LDS : GEN_WARNED;
    return found;
}

uint64_t gen_model_steps(prog *p, char *file, karat_profile profile, uint32_t threads, uint64_t limit,
                         unsigned *uncertain) {
    session on = {0};
    session_options run = {.has_profile = true,
                           .profile = profile,
                           .threads = threads,
                           .max_steps = limit,
                           .files = malloc(sizeof *run.files),
                           .num_files = 1};
    uint64_t steps = 0;
    if (run.files)
        run.files[0] = file;
    if (run.files && session_open(&on, &run)) {
        const karat_sched_result *r = session_run(&on, on.kernels[0], &(session_hooks){0});
        if (r->end == KARAT_SCHED_DONE && !r->flagged.kind)
            steps = r->steps;
        *uncertain = uncertain_of(r) | (has_code(&on, p) ? 0 : GEN_STORES_CODE);
    }
    session_close(&on);
    return steps;
}

/* --- Mutations --- */

enum { TRIES = 100, GROWTH = 4 }; /* Steps of a mutation, relative to those of the two together */

typedef struct parents {
    prog p, other;
    uint64_t steps; /* Of both */
} parents;

/* One try: it is written to the file, and stays there where it runs and nothing about it is uncertain but
 * local memory, which is 0 where nothing has been written. */
static bool try_one(const row_table *table, const recipe *r, const parents *from, uint32_t warps,
                    uint64_t *state, char *file, bool *broken) {
    prog c;
    karat_diag diag;
    unsigned uncertain = 0;
    if (!prog_copy(&c, &from->p) || !mutate(&c, &from->other, table, warps, state)) {
        cli_error("not enough memory");
        *broken = true;
    } else if (!output_elf(&c, file, &diag)) {
        *broken = !c.failed; /* Else an address is out of reach */
        if (*broken)
            cli_error("%s", diag.text);
    } else if (gen_model_steps(&c, file, r->profile, r->device.num_thread, GROWTH * from->steps,
                               &uncertain) &&
               !(uncertain & ~(unsigned)GEN_UNWRITTEN_LDS)) {
        prog_free(&c);
        return true;
    } else
        remove(file);
    prog_free(&c);
    return false;
}

/* Whether those two run on the model. */
static bool take_parents(const recipe *r, char *const file[2], parents *from) {
    prog *const p[2] = {&from->p, &from->other};
    for (unsigned i = 0; i < 2; i++) {
        unsigned uncertain;
        if (!gen_take_program(file[i], r->profile, p[i]))
            return false;
        const uint64_t steps =
            gen_model_steps(p[i], file[i], r->profile, r->device.num_thread, UINT64_C(100000000), &uncertain);
        if (!steps) {
            cli_error("%s: does not run on the model", file[i]);
            return false;
        }
        from->steps += steps;
    }
    return true;
}

int gen_mutate(const row_table *table, const recipe *r, char *const file[2], uint64_t count,
               const char *out) {
    enum { MAX_NAME = 32, DEFAULT_WARPS = 8 };
    parents from = {0};
    json_t *made = json_array();
    char *name = cli_alloc(strlen(out) + MAX_NAME);
    bool ok = take_parents(r, file, &from), broken = false;
    if (ok && mkdir(out, 0777) && errno != EEXIST) {
        cli_error("%s: cannot be made: %s", out, strerror(errno));
        ok = false;
    }
    for (uint64_t i = 0; ok && i < count; i++) {
        const uint64_t seed = r->random.seed + i;
        uint64_t state = seed * UINT64_C(0xd1342543de82ef95);
        bool found = false;
        snprintf(name, strlen(out) + MAX_NAME, "%s/mutant-%" PRIu64 ".elf", out, seed);
        if (karat_progress_due())
            karat_progress_show("%" PRIu64 " of %" PRIu64 " programs tried", i, count);
        for (unsigned n = 0; n < TRIES && !found && !broken && !karat_interrupted(); n++)
            found = try_one(table, r, &from, r->device.warps ? r->device.warps : DEFAULT_WARPS, &state, name,
                            &broken);
        if (found)
            json_array_append_new(made, results_name(name));
        ok = !broken && !karat_interrupted();
    }
    karat_progress_hide();
    if (karat_interrupted())
        cli_error("ended by %s after %zu programs, which are whole", karat_interrupt_name(),
                  json_array_size(made));
    const int status = ok ? CLI_OK : karat_interrupted() ? CLI_INCOMPLETE : CLI_BAD_INPUT;
    free(name);
    prog_free(&from.p);
    prog_free(&from.other);
    if (results_are_json() && status != CLI_BAD_INPUT)
        return results_put(json_pack("{s:o}", "vectors", made)) ? status : CLI_BAD_INPUT;
    json_decref(made);
    return status;
}
