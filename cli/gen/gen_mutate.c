/* Command karat gen mutate: programs made of two others, that run on the model; and how one runs there. */
#include "gen.h"
#include "interrupt.h"
#include "mutate.h"
#include "output.h"
#include "progress.h"
#include "results.h"
#include "run_record.h"

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

/* Who judges a run by policy. */
typedef struct judges {
    recorder *record; /* NULL: none, and no *strict */
    run_strict *strict;
} judges;

static bool on_placed(void *context) {
    return recorder_placed(((const judges *)context)->record);
}

static void on_launch(void *context, const karat_sched_warp *warp, karat_launch_desc *desc) {
    const judges *j = context;
    recorder_launch(j->record, warp, desc);
    run_strict_launch(j->strict, warp->handle);
}

static bool on_commit(void *context, const karat_sched_warp *warp, const karat_commit *commit) {
    const judges *j = context;
    recorder_step(j->record, warp, commit);
    return run_strict_step(j->strict, warp, commit);
}

static void on_host_write(void *context, uint64_t addr, const void *bytes, size_t size) {
    recorder_host_write(((const judges *)context)->record, addr, bytes, size);
}

static void on_host_csr(void *context, const karat_sched_warp *warp, uint32_t csr, uint32_t value) {
    recorder_host_csr(((const judges *)context)->record, warp->handle, csr, value);
}

/* Run the session's kernel; its steps, 0: it does not come to its end, or does what *strict forbids. */
static uint64_t run_judged(session *on, uint32_t strict, const karat_sched_result **result) {
    judges j = {0};
    session_hooks hooks = {0};
    uint64_t steps = 0;
    if (strict) {
        j.strict = run_strict_create(strict, on);
        j.record = j.strict ? recorder_open(on, NULL, j.strict) : NULL;
        hooks = (session_hooks){
            .sched = {.context = &j, .launch = on_launch, .commit = on_commit, .host_csr = on_host_csr},
            .placed = on_placed,
            .host_write = on_host_write};
    }
    if (!strict || (j.record && recorder_kernel(j.record, 0))) {
        *result = session_run(on, on->kernels[0], &hooks);
        if (j.record)
            recorder_end(j.record, *result);
        recorder_bye(j.record);
        if ((*result)->end == KARAT_SCHED_DONE && !(*result)->flagged.kind && !run_strict_stands(j.strict))
            steps = (*result)->steps;
    }
    recorder_close(j.record);
    run_strict_destroy(j.strict);
    return steps;
}

uint64_t gen_model_steps(prog *p, char *file, const gen_limits *limits, unsigned *uncertain) {
    session on = {0};
    session_options run = {.has_profile = true,
                           .profile = limits->profile,
                           .threads = limits->threads,
                           .max_steps = limits->steps,
                           .files = malloc(sizeof *run.files),
                           .num_files = 1};
    const karat_sched_result *r = NULL;
    uint64_t steps = 0;
    if (run.files)
        run.files[0] = file;
    if (run.files && session_open(&on, &run))
        steps = run_judged(&on, limits->strict, &r);
    if (r)
        *uncertain = uncertain_of(r) | (has_code(&on, p) ? 0 : GEN_STORES_CODE);
    session_close(&on);
    return steps;
}

/* --- Mutations --- */

enum {
    TRIES = 100,
    GROWTH = 4, /* Steps of a mutation, relative to those of the two together */
    LEGAL = KARAT_STRICT_REGISTERS | KARAT_STRICT_LANES | KARAT_STRICT_RACES
};

typedef struct parents {
    prog p, other;
    uint64_t steps; /* Of both */
} parents;

/* One try: it is written to the file, and stays there where it runs, breaks no policy of LEGAL, and nothing
 * about it is uncertain but local memory, which is 0 where nothing has been written. */
static bool try_one(const row_table *table, const recipe *r, const parents *from, uint32_t warps,
                    uint64_t *state, char *file, bool *broken) {
    prog c;
    karat_diag diag;
    unsigned uncertain = 0;
    const gen_limits limits = {r->profile, r->device.num_thread, GROWTH * from->steps, LEGAL};
    if (!prog_copy(&c, &from->p) || !mutate(&c, &from->other, table, warps, state)) {
        cli_error("not enough memory");
        *broken = true;
    } else if (!output_elf(&c, file, &diag)) {
        *broken = !c.failed; /* Else an address is out of reach */
        if (*broken)
            cli_error("%s", diag.text);
    } else if (gen_model_steps(&c, file, &limits, &uncertain) &&
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
    const gen_limits limits = {r->profile, r->device.num_thread, UINT64_C(100000000), 0};
    for (unsigned i = 0; i < 2; i++) {
        unsigned uncertain;
        if (!gen_take_program(file[i], r->profile, p[i]))
            return false;
        const uint64_t steps = gen_model_steps(p[i], file[i], &limits, &uncertain);
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
