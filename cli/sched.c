#include "sched.h"
#include "endless.h"
#include "interrupt.h"
#include "run_where.h"

#include "launch_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Options --- */

enum {
    OPT_THREADS = 256,
    OPT_WARPS,
    OPT_RESIDENT,
    OPT_SCHEDULE,
    OPT_SIMT_ORDER,
    OPT_DEVIATION,
    OPT_MAX_STEPS,
    OPT_PROFILE,
    OPT_SV39,
    OPT_PAGE
};

static const struct argp_option device_options[] = {
    {"threads", OPT_THREADS, "N", 0,
     "Threads per warp of the device: 1, 2, 4, 8, 16 or 32 (default: the first kernel's wf_size, or 32)", 1},
    {"simt-order", OPT_SIMT_ORDER, "HOW", 0,
     "Which path of a divergence runs first: smaller-first (default), if-first, else-first", 1},
    {"deviation", OPT_DEVIATION, "NAME", 0,
     "Let the model deviate from the ISA, by name (may be repeated); uses are counted", 1},
    CLI_PROFILE_OPTION(OPT_PROFILE, "ISA profile (the one that the files name, or the first)", 1),
    {0},
};

static const struct argp_option schedule_options[] = {
    {"warps", OPT_WARPS, "N", 0, "Warps resident at once, at most (default: as many as --resident needs)", 1},
    {"resident", OPT_RESIDENT, "N", 0,
     "Workgroups resident at once, at most (default: 1; with --warps, as many as fit)", 1},
    {"schedule", OPT_SCHEDULE, "HOW", 0,
     "Which warp steps next: rr (each in turn, one instruction at a time; the default has the same results, "
     "faster), warp (one until it ends or waits), seed=N (any, "
     "by "
     "a random sequence)",
     1},
    {"max-steps", OPT_MAX_STEPS, "N", 0, "Stop with status 5 after N steps in all", 1},
    {0},
};

static error_t parse_schedule(session_options *o, const char *arg) {
    if (strcmp(arg, "rr") == 0)
        o->kind = SCHED_ROUND_ROBIN, o->single_steps = true;
    else if (strcmp(arg, "warp") == 0)
        o->kind = SCHED_WARP;
    else if (strncmp(arg, "seed=", 5) == 0 && cli_number(arg + 5, UINT64_MAX, &o->seed))
        o->kind = SCHED_RANDOM;
    else
        return cli_bad_option("--schedule: expected rr, warp or seed=N, found '%s'", arg);
    return 0;
}

static error_t parse_simt_order(session_options *o, const char *arg) {
    if (strcmp(arg, "smaller-first") == 0)
        o->simt_order = KARAT_SMALLER_FIRST;
    else if (strcmp(arg, "if-first") == 0)
        o->simt_order = KARAT_IF_FIRST;
    else if (strcmp(arg, "else-first") == 0)
        o->simt_order = KARAT_ELSE_FIRST;
    else
        return cli_bad_option("--simt-order: expected smaller-first, if-first or else-first, found '%s'",
                              arg);
    o->deviations &= ~(uint32_t)KARAT_DEV_SIMT_ORDER;
    if (o->simt_order != KARAT_SMALLER_FIRST)
        o->deviations |= KARAT_DEV_SIMT_ORDER;
    return 0;
}

/* simt-order is not among them: it results from --simt-order. */
static error_t parse_deviation(session_options *o, const char *arg) {
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        if (1u << i != KARAT_DEV_SIMT_ORDER && strcmp(arg, karat_deviation_name(i)) == 0) {
            o->deviations |= 1u << i;
            return 0;
        }
    return cli_bad_option(
        "--deviation: expected the name of a deviation ('karat isa --decisions' lists them; simt-order: "
        "use --simt-order), found '%s'",
        arg);
}

static error_t parse_count(const char *option, const char *arg, uint64_t max, uint64_t *value) {
    if (cli_number(arg, max, value) && *value)
        return 0;
    return cli_bad_option("%s: expected a number from 1 to %" PRIu64 ", found '%s'", option, max, arg);
}

static error_t add_file(session_options *o, char *path) {
    char **files = realloc(o->files, (o->num_files + 1) * sizeof *files);
    if (!files)
        return ENOMEM;
    files[o->num_files++] = path;
    o->files = files;
    return 0;
}

static error_t parse_device(int key, char *arg, struct argp_state *state) {
    session_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->launch; return 0;
    case OPT_THREADS:
        if (!cli_number(arg, KARAT_MAX_THREAD, &o->threads) || !o->threads || o->threads & (o->threads - 1))
            return cli_bad_option("--threads: expected 1, 2, 4, 8, 16 or 32, found '%s'", arg);
        return 0;
    case OPT_SIMT_ORDER: return parse_simt_order(o, arg);
    case OPT_DEVIATION: return parse_deviation(o, arg);
    case OPT_PROFILE:
        o->has_profile = true;
        return cli_profile(arg, &o->profile);
    case ARGP_KEY_ARG: return add_file(o, arg);
    case ARGP_KEY_END:
        if (!o->num_files)
            return cli_bad_option("expected at least one file");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child device_children[] = {{&launch_argp, 0, "Launch of an ELF file:", 3}, {0}};
const struct argp device_argp = {
    .options = device_options, .parser = parse_device, .children = device_children};

void session_options_free(session_options *options) {
    karat_launch_spec_free(&options->launch);
    free(options->files);
    free(options->pages);
    options->files = NULL;
    options->pages = NULL;
}

static error_t parse_session(int key, char *arg, struct argp_state *state) {
    session_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = o; return 0;
    case OPT_WARPS: return parse_count("--warps", arg, 65536, &o->warps);
    case OPT_RESIDENT: return parse_count("--resident", arg, 65536, &o->resident);
    case OPT_SCHEDULE: return parse_schedule(o, arg);
    case OPT_MAX_STEPS: return parse_count("--max-steps", arg, UINT64_MAX, &o->max_steps);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child session_children[] = {{&device_argp, 0, NULL, 0}, {0}};
const struct argp session_argp = {
    .options = schedule_options, .parser = parse_session, .children = session_children};

static const struct argp_option space_options[] = {
    {"sv39", OPT_SV39, "SEED", OPTION_ARG_OPTIONAL,
     "Translate addresses by SV39 page tables: those of the public driver's layout, each page at its own "
     "address, or a layout drawn "
     "from SEED (docs/run.md)",
     2},
    {"page", OPT_PAGE, KARAT_PAGE_FORM, 0,
     "Change the page tables of one virtual address, such as 0x90001000:no-write; translates; may be "
     "repeated "
     "(docs/launch.md)",
     2},
    {0},
};

static error_t set_sv39(session_options *o, const char *arg) {
    o->sv39 = true;
    o->drawn = arg != NULL;
    return !arg || cli_number(arg, UINT64_MAX, &o->sv39_seed)
               ? 0
               : cli_bad_option("--sv39: expected a number, the seed of the layout, found '%s'", arg);
}

static error_t add_page(session_options *o, const char *arg) {
    karat_diag diag;
    karat_page_change *pages = realloc(o->pages, (o->num_pages + 1) * sizeof *pages);
    if (!pages)
        return ENOMEM;
    o->pages = pages;
    o->sv39 = true;
    return karat_page_parse(arg, strlen(arg), &pages[o->num_pages], &diag)
               ? (o->num_pages++, 0)
               : cli_bad_option("--page: %s", diag.text);
}

static error_t parse_space(int key, char *arg, struct argp_state *state) {
    session_options *o = state->input;
    switch (key) {
    case OPT_PAGE: return add_page(o, arg);
    case OPT_SV39: return set_sv39(o, arg);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp space_argp = {.options = space_options, .parser = parse_space};

/* --- Session --- */

/* Workgroups of that kernel that are resident at once. */
static uint32_t resident_workgroups(const session_options *o, const karat_kernel *kernel) {
    uint64_t most = karat_kernel_workgroups(kernel);
    uint64_t wanted = o->resident ? o->resident : o->warps ? most : 1;
    if (wanted > most)
        wanted = most;
    if (o->warps && wanted > o->warps / kernel->wg_size)
        wanted = o->warps / kernel->wg_size;
    return wanted < 65536 ? (uint32_t)wanted : 65536;
}

static bool load_all(session *s) {
    session_options *o = &s->options;
    s->kernels = calloc(o->num_files, sizeof *s->kernels);
    if (!s->kernels) {
        cli_error("not enough memory");
        return false;
    }
    for (; s->num_kernels < o->num_files; s->num_kernels++) {
        s->kernels[s->num_kernels] =
            launch_load(o->files[s->num_kernels], &o->launch, o->num_files, o->threads);
        if (!s->kernels[s->num_kernels])
            return false;
    }
    return true;
}

/* The address space of the next kernel. Where layouts are drawn, two of three have tables of their own, for the memory of the earlier
 * ones as well, and two of three another ASID. */
static bool open_space(session *s) {
    karat_status status = KARAT_NO_MEMORY;
    karat_space *last = s->space;
    const uint64_t way = last ? (s->options.sv39_seed + s->num_placed) % 3 : 0;
    const uint32_t asid = karat_space_asid(last);
    if (way == 2) {
        karat_space_set_asid(last, (asid + 1) & 0xffff);
        return true;
    }
    karat_space **spaces = realloc(s->spaces, (s->num_spaces + 1) * sizeof *spaces);
    if (spaces) {
        s->spaces = spaces;
        spaces[s->num_spaces] =
            last ? karat_space_create_after(last, &status)
                 : karat_space_create(s->model, s->options.drawn ? &s->options.sv39_seed : NULL, &status);
        if (spaces[s->num_spaces]) {
            if (way == 1)
                karat_space_set_asid(spaces[s->num_spaces], asid);
            s->space = spaces[s->num_spaces++];
            return true;
        }
    }
    cli_error("cannot make page tables: %s", cli_status_name(status));
    return false;
}

bool session_open(session *s, const session_options *options) {
    *s = (session){.options = *options};
    if (!load_all(s))
        return false;
    session_options *o = &s->options;
    if (!o->threads) {
        /* The narrowest device that the first kernel fits: its wf_size need not be a power of two. */
        uint32_t wanted = karat_kernel_wf_size(s->kernels[0], KARAT_MAX_THREAD);
        for (o->threads = 1; o->threads < wanted; o->threads *= 2)
            ;
    }
    karat_config config;
    karat_config_default(&config);
    const karat_profile wanted = o->profile;
    karat_diag diag;
    if (!karat_kernels_profile((const karat_kernel *const *)s->kernels, s->num_kernels,
                               o->has_profile ? &wanted : NULL, "--profile", &o->profile, &diag)) {
        cli_error("%s", diag.text);
        return false;
    }
    config.profile = o->profile;
    config.simt_order = o->simt_order;
    config.deviations = o->deviations;
    config.num_thread = (uint32_t)o->threads;
    config.max_warp = config.max_workgroup = 1;
    for (uint32_t i = 0; i < s->num_kernels; i++)
        o->sv39 |= s->kernels[i]->num_pages != 0;
    config.translation = o->sv39 ? KARAT_TRANSLATION_SV39 : KARAT_TRANSLATION_NONE;
    for (uint32_t i = 0; i < s->num_kernels; i++) {
        const karat_kernel *k = s->kernels[i];
        if (karat_kernel_wf_size(k, config.num_thread) > config.num_thread) {
            cli_error("%s: needs %" PRIu32 " threads a warp, the device has %" PRIu32, o->files[i],
                      k->wf_size, config.num_thread);
            return false;
        }
        if (o->warps && k->wg_size > o->warps) {
            cli_error("%s: needs %" PRIu32 " warps a workgroup, the device has %" PRIu64, o->files[i],
                      k->wg_size, o->warps);
            return false;
        }
        uint32_t groups = resident_workgroups(o, k);
        if (groups > config.max_workgroup)
            config.max_workgroup = groups;
        if (groups * k->wg_size > config.max_warp)
            config.max_warp = groups * k->wg_size;
    }
    karat_status status;
    s->model = karat_create(&config, &status);
    if (!s->model)
        cli_error("cannot make a model of %" PRIu32 " warps with %" PRIu32 " threads: %s", config.max_warp,
                  config.num_thread, cli_status_name(status));
    return s->model && (!o->sv39 || open_space(s));
}

void session_close(session *s) {
    while (s->num_spaces)
        karat_space_destroy(s->spaces[--s->num_spaces]);
    free(s->spaces);
    karat_destroy(s->model);
    for (uint32_t i = 0; s->kernels && i < s->num_kernels; i++)
        karat_kernel_free(s->kernels[i]);
    free(s->kernels);
    session_options_free(&s->options);
    *s = (session){0};
}

karat_status session_read(const session *s, uint64_t addr, void *bytes, size_t size) {
    karat_status status = s->num_spaces ? KARAT_NOT_MAPPED : karat_read(s->model, addr, bytes, size);
    for (uint32_t i = s->num_spaces; i-- > 0 && status == KARAT_NOT_MAPPED;)
        status = karat_space_read(s->spaces[i], addr, bytes, size);
    return status;
}

karat_status session_write(session *s, uint64_t addr, const void *bytes, size_t size) {
    return s->space ? karat_space_write(s->space, addr, bytes, size)
                    : karat_write(s->model, addr, bytes, size);
}

/* Place a kernel; in an address space, with the changes of the command line. False: an error in text. */
static bool place(session *s, karat_kernel *kernel, char *text, size_t size) {
    karat_status status =
        s->space ? karat_space_place(s->space, kernel) : karat_kernel_place(kernel, s->model);
    if (status != KARAT_OK)
        snprintf(text, size, "its buffers cannot be placed: %s", cli_status_name(status));
    for (uint32_t i = 0; status == KARAT_OK && i < s->options.num_pages; i++) {
        karat_diag diag;
        status = karat_space_change(s->space, &s->options.pages[i], &diag);
        if (status != KARAT_OK)
            snprintf(text, size, "--page: %.140s", diag.text);
    }
    if (status == KARAT_OK && s->space)
        kernel->ptbr = karat_space_ptbr(s->space);
    return status == KARAT_OK;
}

/* --- One kernel --- */

typedef enum slot_state { SLOT_FREE, SLOT_RUNNABLE, SLOT_WAITING } slot_state;

/* Workgroup handle g has the warp handles ("slots") g * wg_size and the following. */
typedef struct group {
    uint32_t workgroup;
    uint32_t live; /* warps */
} group;

typedef struct sched {
    session *session;
    karat_model *model;
    const karat_kernel *kernel;
    const sched_hooks *hooks;
    sched_result *result;
    uint32_t num_thread, num_groups, num_slots;
    group *groups;
    uint8_t *state;     /* slot_state of each slot */
    uint32_t *runnable; /* slots in ascending order */
    uint32_t num_runnable;
    uint64_t next_workgroup, num_workgroups;
    uint64_t live; /* warps */
    uint64_t random;
    uint32_t (*trail)[KARAT_TRAIL]; /* by slot: the pcs of its last instructions, a ring; */
    karat_slice *slices;            /* by slot; num_trail counts the pcs */
    karat_turn *turns;              /* of the runnable slots */
    endless endless;
    uint64_t steps;        /* of this kernel */
    uint64_t limit, pause; /* steps: at which to stop; at which to look around */
} sched;

/* splitmix64 */
static uint64_t next_random(sched *s) {
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void list_runnable(sched *s) {
    s->num_runnable = 0;
    for (uint32_t slot = 0; slot < s->num_slots; slot++)
        if (s->state[slot] == SLOT_RUNNABLE) {
            s->turns[s->num_runnable] = (karat_turn){slot, &s->slices[slot]};
            s->runnable[s->num_runnable++] = slot;
        }
}

/* The index of the first runnable slot after that one, or of the first of all. */
static uint32_t first_behind(const sched *s, uint32_t slot) {
    for (uint32_t i = 0; i < s->num_runnable; i++)
        if (s->runnable[i] > slot)
            return i;
    return 0;
}

static void fail(sched *s, const char *what, karat_status status) {
    s->result->end = SCHED_FAILED;
    snprintf(s->result->failure, sizeof s->result->failure, "%s: %s", what, cli_status_name(status));
}

/* Make the next workgroup of the grid live under that handle. */
static bool open_group(sched *s, uint32_t handle) {
    const karat_kernel *k = s->kernel;
    uint32_t workgroup = (uint32_t)s->next_workgroup++;
    karat_status status = karat_kernel_open(k, s->model, handle);
    s->groups[handle] = (group){workgroup, k->wg_size};
    s->result->workgroup = workgroup;
    if (status != KARAT_OK) {
        fail(s, "a workgroup cannot be opened", status);
        return false;
    }
    for (uint32_t warp = 0; warp < k->wg_size; warp++) {
        karat_launch_desc desc;
        karat_kernel_launch(k, s->num_thread, workgroup, warp, &desc);
        desc.workgroup = handle;
        if (s->hooks->unwritten)
            unwritten_launch(s->hooks->unwritten, handle * k->wg_size + warp);
        if (s->hooks->launch)
            s->hooks->launch(s->hooks->context, workgroup, warp, handle * k->wg_size + warp, &desc);
        status = karat_launch(s->model, handle * k->wg_size + warp, &desc);
        if (status != KARAT_OK) {
            s->result->warp = warp;
            fail(s, "a warp cannot be launched", status);
            return false;
        }
        s->state[handle * k->wg_size + warp] = SLOT_RUNNABLE;
        s->slices[handle * k->wg_size + warp].num_trail = 0;
        s->live++;
    }
    return true;
}

static bool read_device(void *context, uint64_t addr, void *bytes, size_t size) {
    return session_read(((sched *)context)->session, addr, bytes, size) == KARAT_OK;
}
static bool write_device(void *context, uint64_t addr, const void *bytes, size_t size) {
    const sched *s = context;
    if (session_write(s->session, addr, bytes, size) != KARAT_OK)
        return false;
    if (s->hooks->host_write)
        s->hooks->host_write(s->hooks->context, addr, bytes, size);
    return true;
}

/* A warp has written CSR_PRINT: hand its text over and clear both (decisions, "Registers, CSRs, launch"). */
static bool serve_print(sched *s, uint32_t slot) {
    const karat_print_memory memory = {s, read_device, write_device};
    uint32_t warp = slot % s->kernel->wg_size, workgroup = s->groups[slot / s->kernel->wg_size].workgroup;
    karat_print print;
    karat_status status = karat_print_take(&memory, s->kernel->knl, &print);
    if (status == KARAT_OK && s->hooks->print && print.length)
        s->hooks->print(s->hooks->context, workgroup, warp, print.text, print.length);
    free(print.text);
    if (status == KARAT_OK)
        status = karat_csr_write(s->model, slot, KARAT_CSR_BASE + KARAT_CSR_PRINT, 0);
    if (status == KARAT_OK && s->hooks->host_csr)
        s->hooks->host_csr(s->hooks->context, slot, KARAT_CSR_BASE + KARAT_CSR_PRINT, 0);
    if (status != KARAT_OK)
        fail(s, "CSR_PRINT was written, but there is no print buffer to read", status);
    if (status == KARAT_NOT_MAPPED)
        s->result->end = SCHED_PRINT_ERROR;
    return status == KARAT_OK;
}

/* Updates the set of runnable warps after a step.  False: the run is over. */
static bool after_step(sched *s, uint32_t slot) {
    const karat_commit *c = &s->result->commit;
    const uint32_t wg_size = s->kernel->wg_size;
    for (unsigned i = 0; i < KARAT_NUM_WARNING; i++)
        s->result->warnings[i] += c->warnings >> i & 1;
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        s->result->deviations[i] += c->deviated >> i & 1;
    if (c->flagged.kind && !s->result->flagged.kind) {
        s->result->flagged = c->flagged;
        s->result->flagged_workgroup = s->groups[slot / wg_size].workgroup;
        s->result->flagged_warp = slot % wg_size;
    }
    if (c->csr_written && c->csr == KARAT_CSR_BASE + KARAT_CSR_PRINT && c->csr_value && !serve_print(s, slot))
        return false;
    if (!c->barrier && !c->ended)
        return true;
    uint32_t handle = slot / wg_size;
    group *g = &s->groups[handle];
    if (c->barrier && s->session->options.kind == SCHED_RANDOM)
        endless_forget(&s->endless, s->steps); /* more warps to draw from */
    if (c->barrier >= 2) {
        for (uint32_t w = handle * wg_size; w < (handle + 1) * wg_size; w++)
            if (s->state[w] == SLOT_WAITING)
                s->state[w] = SLOT_RUNNABLE;
    } else if (c->barrier) {
        s->state[slot] = SLOT_WAITING;
    }
    if (c->ended) {
        endless_forget(&s->endless, s->steps);
        s->state[slot] = SLOT_FREE;
        s->live--;
        s->result->warps++;
        if (--g->live == 0) {
            s->result->workgroups++;
            karat_status status = karat_workgroup_close(s->model, handle);
            if (status != KARAT_OK) {
                fail(s, "a workgroup cannot be closed", status);
                return false;
            }
            if (s->next_workgroup < s->num_workgroups && !open_group(s, handle))
                return false;
        }
    }
    list_runnable(s);
    return true;
}

static void at(sched *s, uint32_t slot, sched_end end) {
    s->result->end = end;
    s->result->workgroup = s->groups[slot / s->kernel->wg_size].workgroup;
    s->result->warp = slot % s->kernel->wg_size;
}

static bool goes_on(const sched *s, uint32_t slot) {
    const uint32_t wg_size = s->kernel->wg_size;
    const sched_hooks *hooks = s->hooks;
    return !hooks->goes_on ||
           hooks->goes_on(hooks->context, s->groups[slot / wg_size].workgroup, slot % wg_size, slot);
}

/* Whether which warp steps next follows from the model's state. */
static bool is_determined(const sched *s) {
    return s->session->options.kind != SCHED_RANDOM || s->num_runnable == 1;
}

/* So many steps are done, the last of that slot, and the next is to be that of another. False: stop here. */
static bool look_around(sched *s, uint32_t last, uint32_t next) {
    if (s->steps == s->limit) {
        at(s, next, SCHED_MAX_STEPS);
        return false;
    }
    if (karat_interrupted()) {
        at(s, next, SCHED_SIGNAL);
        return false;
    }
    if (is_determined(s))
        endless_mark(&s->endless, s->steps, last, s->result->commit.pc);
    const sched_progress progress = {s->steps, s->result->workgroups, s->num_workgroups};
    if (s->hooks->tick)
        s->hooks->tick(s->hooks->context, &progress);
    s->pause = s->limit - s->steps > ENDLESS_PACE ? s->steps + ENDLESS_PACE : s->limit;
    return true;
}

/* Steps were taken, the last of which left that commit; whole: with all of its effects. False: the run is over. */
static bool took_steps(sched *s, uint32_t slot, bool whole) {
    const karat_commit *commit = &s->result->commit;
    if (whole && s->hooks->unwritten)
        unwritten_step(s->hooks->unwritten, s->model, slot, commit);
    if (s->hooks->commit) {
        const uint32_t wg_size = s->kernel->wg_size;
        const sched_event event = {s->groups[slot / wg_size].workgroup, slot % wg_size, slot, commit};
        if (!s->hooks->commit(s->hooks->context, &event)) {
            at(s, slot, SCHED_STOPPED);
            return false;
        }
    }
    const bool more =
        commit->ended | commit->barrier | commit->csr_written | ((commit->warnings | commit->deviated) != 0);
    if (more && !after_step(s, slot)) {
        at(s, slot, s->result->end);
        return false;
    }
    if (endless_step(&s->endless, s->steps, slot, commit->pc)) {
        s->result->again[0] = s->endless.marked;
        s->result->again[1] = s->endless.again;
        at(s, slot, SCHED_ENDLESS);
        return false;
    }
    return true;
}

/* Steps in slices: of that runnable warp, or from it on of all in turn. *i: the one that has stepped last. */
static karat_status take_slices(sched *s, uint32_t *i, bool in_turn, bool *whole) {
    karat_slice *slice = &s->slices[s->runnable[*i]];
    karat_commit *commit = &s->result->commit;
    karat_slice *marked = s->endless.slot < s->num_slots ? &s->slices[s->endless.slot] : NULL;
    uint64_t steps;
    karat_status status;
    if (marked)
        marked->until_x = s->endless.x, marked->until_pc = s->endless.pc;
    if (in_turn && s->num_runnable > 1) {
        status = karat_run_turns(s->model, s->turns, s->num_runnable, i, s->pause - s->steps, &steps, commit);
        slice = &s->slices[s->runnable[*i]];
    } else {
        slice->max = s->session->options.kind == SCHED_RANDOM ? 1 : s->pause - s->steps;
        status = karat_run_slice(s->model, s->runnable[*i], slice, commit);
        steps = slice->steps;
    }
    if (marked)
        marked->until_x = NULL;
    s->steps += steps;
    *whole = slice->whole;
    return status;
}

static karat_status take_step(sched *s, uint32_t slot) {
    const karat_status status = karat_step(s->model, slot, &s->result->commit);
    if (status == KARAT_OK) {
        s->steps++;
        s->trail[slot][s->slices[slot].num_trail++ % KARAT_TRAIL] = s->result->commit.pc;
    }
    return status;
}

/* Step until all has ended, or something else has. */
static void run_loop(sched *s) {
    karat_commit *commit = &s->result->commit;
    const sched_kind kind = s->session->options.kind;
    const bool sliced = !s->hooks->commit && !s->hooks->goes_on && !s->session->options.single_steps;
    uint32_t i = 0, slot = 0;
    while (s->num_runnable) {
        if (kind == SCHED_RANDOM)
            i = (uint32_t)((next_random(s) >> 32) * s->num_runnable >> 32);
        if (s->steps >= s->pause && !look_around(s, slot, s->runnable[i]))
            break;
        slot = s->runnable[i];
        if (!goes_on(s, slot)) {
            s->state[slot] = SLOT_WAITING;
            list_runnable(s);
            i = first_behind(s, slot);
            continue;
        }
        bool whole = true;
        const karat_status status =
            sliced ? take_slices(s, &i, kind == SCHED_ROUND_ROBIN, &whole) : take_step(s, slot);
        slot = s->runnable[i];
        if (status != KARAT_OK) {
            at(s, slot, SCHED_PROGRAM_ERROR);
            if (status != KARAT_PROGRAM_ERROR)
                fail(s, "a warp cannot step", status);
            break;
        }
        if (!took_steps(s, slot, whole))
            break;
        if (commit->ended | commit->barrier)
            i = kind == SCHED_WARP ? 0 : first_behind(s, slot);
        else if (kind == SCHED_ROUND_ROBIN && ++i == s->num_runnable)
            i = 0;
    }
    s->result->steps = s->steps;
    s->session->steps += s->steps;
    if (s->result->end == SCHED_DONE && s->live) {
        for (uint32_t w = s->num_slots; w-- > 0;)
            if (s->state[w] == SLOT_WAITING) {
                s->result->waiting++;
                at(s, w, SCHED_DEADLOCK);
            }
    }
}

/* Whether it ended by an event that concerns all warps, or others than the one that it names. */
static bool is_of_all(const sched_result *r) {
    return r->end == SCHED_DEADLOCK || r->end == SCHED_MAX_STEPS || r->end == SCHED_ENDLESS ||
           r->end == SCHED_SIGNAL ||
           (r->end == SCHED_PROGRAM_ERROR && r->commit.error.kind == KARAT_ERR_BARRIER_EXIT);
}

/* Tell where the live warps are. */
static void tell_places(sched *s) {
    const uint32_t wg_size = s->kernel->wg_size;
    karat_places places = {.wg_size = wg_size};
    for (uint32_t slot = 0; slot < s->num_slots; slot++) {
        karat_warp_view view;
        if (s->state[slot] == SLOT_FREE || karat_view(s->model, slot, &view) != KARAT_OK)
            continue;
        const uint64_t num = s->slices[slot].num_trail;
        const uint32_t last = num ? s->trail[slot][(num - 1) % KARAT_TRAIL] : 0;
        karat_warp_place *w = karat_places_add(&places, s->model, &view, num ? &last : NULL);
        if (w && view.stopped && s->result->commit.error.kind == KARAT_ERR_BARRIER_EXIT &&
            karat_row_info(s->result->commit.row)->owes & KARAT_OWES_BARRIER)
            w->at_barrier = true; /* it has come after another had ended */
        if (!w)
            break;
        w->workgroup = s->groups[slot / wg_size].workgroup;
        w->warp = slot % wg_size;
        w->loop = karat_loop_of_trail(s->trail[slot], num);
    }
    karat_places_sort(&places);
    s->hooks->where(s->hooks->context, &places);
    karat_places_free(&places);
}

void sched_run(session *on, karat_kernel *kernel, const sched_hooks *hooks, sched_result *result) {
    static const sched_hooks none = {0};
    memset(result, 0, sizeof *result);
    sched s = {
        .session = on,
        .model = on->model,
        .kernel = kernel,
        .hooks = hooks ? hooks : &none,
        .result = result,
        .num_thread = karat_get_config(on->model)->num_thread,
        .num_groups = resident_workgroups(&on->options, kernel),
        .num_workgroups = karat_kernel_workgroups(kernel),
        .random = on->options.seed,
    };
    s.num_slots = s.num_groups * kernel->wg_size;
    if ((on->num_placed++ && on->options.drawn && !open_space(on)) ||
        !place(on, kernel, result->failure, sizeof result->failure)) {
        result->end = SCHED_FAILED;
        return;
    }
    if (s.hooks->placed && !s.hooks->placed(s.hooks->context)) {
        fail(&s, "it cannot be recorded", KARAT_NO_MEMORY);
        return;
    }
    s.groups = calloc(s.num_groups, sizeof *s.groups);
    s.state = calloc(s.num_slots, sizeof *s.state);
    s.runnable = calloc(s.num_slots, sizeof *s.runnable);
    s.trail = calloc(s.num_slots, sizeof *s.trail);
    s.slices = calloc(s.num_slots, sizeof *s.slices);
    s.turns = calloc(s.num_slots, sizeof *s.turns);
    bool good = s.groups && s.state && s.runnable && s.trail && s.slices && s.turns;
    for (uint32_t slot = 0; good && slot < s.num_slots; slot++)
        s.slices[slot] =
            (karat_slice){.written = s.hooks->unwritten ? unwritten_set(s.hooks->unwritten, slot) : NULL,
                          .trail = s.trail[slot],
                          .trail_size = KARAT_TRAIL};
    if (!good)
        fail(&s, "it cannot be run", KARAT_NO_MEMORY);
    for (uint32_t handle = 0; good && handle < s.num_groups; handle++)
        good = open_group(&s, handle);
    if (good) {
        list_runnable(&s);
        endless_begin(&s.endless, s.model);
        s.limit = on->options.max_steps ? on->options.max_steps - on->steps : UINT64_MAX;
        s.pause = s.limit < ENDLESS_PACE ? s.limit : ENDLESS_PACE;
        run_loop(&s);
        endless_end(&s.endless);
        if (s.hooks->where && is_of_all(result))
            tell_places(&s);
    }
    free(s.groups);
    free(s.state);
    free(s.runnable);
    free(s.trail);
    free(s.slices);
    free(s.turns);
}

static bool is_fetch_fault(const karat_commit *c) {
    return c->error.kind == KARAT_ERR_PAGE && c->fault.use == KARAT_USE_FETCH;
}

static void describe_fault(const karat_page_fault *f, char *text, size_t size) {
    static const char *const uses[] = {"fetch", "load", "store"};
    int n = snprintf(text, size, ": %s of 0x%08" PRIx64 ": %s", uses[f->use], f->virt,
                     karat_fault_name(f->reason));
    if (f->reason != KARAT_FAULT_NOT_CANONICAL)
        n += snprintf(text + n, size - (size_t)n, ", level %u, entry 0x%016" PRIx64 " at 0x%09" PRIx64,
                      f->level, f->entry, f->entry_addr);
    if (f->phys)
        snprintf(text + n, size - (size_t)n, ", physical address 0x%09" PRIx64, f->phys);
}

const char *sched_describe(const session *s, const karat_kernel *kernel, const sched_result *r,
                           char text[SCHED_TEXT_SIZE]) {
    char place[CLI_PLACE_SIZE], insn[CLI_INSN_SIZE], known[CLI_KNOWN_SIZE];
    const karat_error *e = &r->commit.error;
    int n;
    switch (r->end) {
    case SCHED_DONE: snprintf(text, SCHED_TEXT_SIZE, "%.200s: done", kernel->name); break;
    case SCHED_STOPPED: snprintf(text, SCHED_TEXT_SIZE, "%.200s: stopped", kernel->name); break;
    case SCHED_FAILED: snprintf(text, SCHED_TEXT_SIZE, "%.200s: %s", kernel->name, r->failure); break;
    case SCHED_PRINT_ERROR:
        snprintf(text, SCHED_TEXT_SIZE,
                 "%.200s: program error: %s, workgroup %" PRIu32 " warp %" PRIu32 " at pc %s (%s)",
                 kernel->name, r->failure, r->workgroup, r->warp,
                 session_place(s, kernel, r->commit.pc, place),
                 cli_insn(s->options.profile, r->commit.pc, r->commit.prefix, r->commit.word, insn));
        break;
    case SCHED_MAX_STEPS:
        snprintf(text, SCHED_TEXT_SIZE, "%.200s: not finished after %" PRIu64 " steps (--max-steps)",
                 kernel->name, s->options.max_steps);
        break;
    case SCHED_ENDLESS:
        snprintf(text, SCHED_TEXT_SIZE,
                 "%.200s: it never ends: all registers and memory after step %" PRIu64
                 " are what they were after step %" PRIu64,
                 kernel->name, r->again[1], r->again[0]);
        break;
    case SCHED_SIGNAL:
        snprintf(text, SCHED_TEXT_SIZE, "%.200s: not finished after %" PRIu64 " steps: ended by %s",
                 kernel->name, r->steps, karat_interrupt_name());
        break;
    case SCHED_DEADLOCK:
        snprintf(text, SCHED_TEXT_SIZE,
                 "%.200s: deadlock: all %" PRIu32 " live warps wait at a barrier, workgroup %" PRIu32
                 " warp %" PRIu32 " among them",
                 kernel->name, r->waiting, r->workgroup, r->warp);
        break;
    case SCHED_PROGRAM_ERROR:
        n = snprintf(text, SCHED_TEXT_SIZE,
                     "%.200s: program error: %s in workgroup %" PRIu32 " warp %" PRIu32, kernel->name,
                     karat_error_name(e->kind), r->workgroup, r->warp);
        if (e->lane >= 0)
            n += snprintf(text + n, SCHED_TEXT_SIZE - (size_t)n, " lane %" PRId32, e->lane);
        n += snprintf(text + n, SCHED_TEXT_SIZE - (size_t)n, " at pc %s",
                      session_place(s, kernel, e->pc, place));
        if (e->kind != KARAT_ERR_FETCH && !is_fetch_fault(&r->commit))
            n += snprintf(text + n, SCHED_TEXT_SIZE - (size_t)n, " (%s)",
                          cli_insn(s->options.profile, r->commit.pc, r->commit.prefix, r->commit.word, insn));
        if ((e->kind == KARAT_ERR_ILLEGAL || e->kind == KARAT_ERR_LEFT_OUT) &&
            karat_elsewhere(s->options.profile, r->commit.word, known, sizeof known))
            snprintf(text + n, SCHED_TEXT_SIZE - (size_t)n, ": %s", known);
        else if (e->kind == KARAT_ERR_ILLEGAL)
            snprintf(text + n, SCHED_TEXT_SIZE - (size_t)n, ": %s", karat_illegal_name(e->illegal));
        if (e->kind == KARAT_ERR_MISALIGNED || e->kind == KARAT_ERR_UNMAPPED || e->kind == KARAT_ERR_LDS_POOL)
            snprintf(text + n, SCHED_TEXT_SIZE - (size_t)n, ", address 0x%08" PRIx64, e->addr);
        if (e->kind == KARAT_ERR_PAGE)
            describe_fault(&r->commit.fault, text + n, SCHED_TEXT_SIZE - (size_t)n);
        /* Code of another profile: words that both have, with different meanings. */
        n = (int)strlen(text);
        if (r->commit.row != KARAT_NO_ROW &&
            karat_overlap(s->options.profile, r->commit.word, known, sizeof known))
            snprintf(text + n, SCHED_TEXT_SIZE - (size_t)n, "; the word is also %s", known);
        break;
    }
    return text;
}
