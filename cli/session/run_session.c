#include "run_session.h"
#include "interrupt.h"
#include "run_where.h"

#include "launch_argp.h"
#include "array.h"

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
        o->schedule = KARAT_ROUND_ROBIN, o->single_steps = true;
    else if (strcmp(arg, "warp") == 0)
        o->schedule = KARAT_WARP_BY_WARP;
    else if (strncmp(arg, "seed=", 5) == 0 && cli_number(arg + 5, UINT64_MAX, &o->seed))
        o->schedule = KARAT_RANDOM_WARP;
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

/* Simt-order is not among them: it results from --simt-order. */
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
    if (!karat_grow(&o->files, o->num_files, sizeof *o->files))
        return ENOMEM;
    o->files[o->num_files++] = path;
    return 0;
}

static error_t parse_device(int key, char *arg, struct argp_state *state) {
    session_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->launch; return 0;
    case OPT_THREADS: return cli_threads(arg, &o->threads);
    case OPT_SIMT_ORDER: return parse_simt_order(o, arg);
    case OPT_DEVIATION: return parse_deviation(o, arg);
    case OPT_PROFILE: o->has_profile = true; return cli_profile(arg, &o->profile);
    case ARGP_KEY_ARG: return add_file(o, arg);
    case ARGP_KEY_END:
        if (!o->num_files && !o->may_lack_files)
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
     "(docs/run.md)",
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
    if (!karat_grow(&o->pages, o->num_pages, sizeof *o->pages))
        return ENOMEM;
    o->sv39 = true;
    return karat_page_parse(arg, strlen(arg), &o->pages[o->num_pages], &diag)
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
    if (kernel->pds_slots && wanted > kernel->pds_slots)
        wanted = kernel->pds_slots;
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

/* The address spaces of the kernels. */
static bool open_paging(session *s) {
    const session_options *o = &s->options;
    const karat_space_memory memory = karat_space_of_model(s->model);
    s->paging = karat_paging_create(&memory, (uint32_t)o->threads, o->sv39, o->drawn ? &o->sv39_seed : NULL);
    if (!s->paging)
        cli_error("not enough memory");
    return s->paging;
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
    return s->model && open_paging(s);
}

void session_close(session *s) {
    karat_sched_destroy(s->sched);
    karat_paging_destroy(s->paging);
    karat_destroy(s->model);
    for (uint32_t i = 0; s->kernels && i < s->num_kernels; i++)
        karat_kernel_free(s->kernels[i]);
    free(s->kernels);
    session_options_free(&s->options);
    *s = (session){0};
}

karat_status session_read(const session *s, uint64_t addr, void *bytes, size_t size) {
    return karat_paging_look(s->paging, addr, bytes, size);
}

karat_status session_write(session *s, uint64_t addr, const void *bytes, size_t size) {
    return karat_paging_write(s->paging, addr, bytes, size);
}

/* --- One kernel --- */

/* Place it; in an address space, with the changes of the command line. False: it cannot be, and s->unplaced
 * says why. */
static bool place(session *s, karat_kernel *kernel) {
    karat_status status = karat_paging_place(s->paging, kernel);
    s->unplaced = (karat_sched_result){
        .end = KARAT_SCHED_FAILED, .failed = "its buffers cannot be placed", .status = status};
    for (uint32_t i = 0; status == KARAT_OK && i < s->options.num_pages; i++) {
        karat_diag diag;
        status = karat_space_change(karat_paging_space(s->paging), &s->options.pages[i], &diag);
        snprintf(s->failure.text, sizeof s->failure.text, "--page: %.140s", diag.text);
        s->unplaced.failed = s->failure.text;
    }
    if (status == KARAT_OK && s->options.sv39)
        kernel->ptbr = karat_space_ptbr(karat_paging_space(s->paging));
    return status == KARAT_OK;
}

static bool read_device(void *context, uint64_t addr, void *bytes, size_t size) {
    return session_read(context, addr, bytes, size) == KARAT_OK;
}

static bool write_device(void *context, uint64_t addr, const void *bytes, size_t size) {
    session *s = context;
    if (session_write(s, addr, bytes, size) != KARAT_OK)
        return false;
    if (s->hooks->host_write)
        s->hooks->host_write(s->hooks->sched.context, addr, bytes, size);
    return true;
}

static bool on_tick(void *context, const karat_sched_progress *progress) {
    (void)context, (void)progress;
    return !karat_interrupted();
}

/* Dispatch the first workgroups of a placed kernel. False: memory is short. */
static bool dispatch(session *s, const karat_kernel *kernel) {
    const session_options *o = &s->options;
    karat_sched_config config = {.model = s->model,
                                 .kernel = kernel,
                                 .memory = {s, read_device, write_device},
                                 .resident = resident_workgroups(o, kernel),
                                 .schedule = o->schedule,
                                 .seed = o->seed,
                                 .max_steps = o->max_steps ? o->max_steps - s->steps : UINT64_MAX,
                                 .single_steps = o->single_steps,
                                 .counts_unwritten = true,
                                 .hooks = s->hooks->sched};
    if (!config.hooks.tick)
        config.hooks.tick = on_tick;
    s->unplaced = (karat_sched_result){.end = KARAT_SCHED_FAILED, .failed = "it cannot be run"};
    s->sched = karat_sched_create(&config, &s->unplaced.status);
    return s->sched != NULL;
}

const karat_sched_result *session_run(session *s, karat_kernel *kernel, const session_hooks *hooks) {
    karat_sched_destroy(s->sched);
    s->sched = NULL;
    s->hooks = hooks;
    if (!place(s, kernel))
        return &s->unplaced;
    if (hooks->placed && !hooks->placed(hooks->sched.context)) {
        s->unplaced = (karat_sched_result){
            .end = KARAT_SCHED_FAILED, .failed = "it cannot be recorded", .status = KARAT_NO_MEMORY};
        return &s->unplaced;
    }
    if (!dispatch(s, kernel))
        return &s->unplaced;
    const karat_sched_result *result = karat_sched_run(s->sched);
    s->steps += result->steps;
    return result;
}

/* Whether it ended by an event that concerns all warps, or others than the one that it names. */
static bool is_of_all(const karat_sched_result *r) {
    return r->end == KARAT_SCHED_DEADLOCK || r->end == KARAT_SCHED_MAX_STEPS ||
           r->end == KARAT_SCHED_ENDLESS || r->end == KARAT_SCHED_INTERRUPTED ||
           (r->end == KARAT_SCHED_PROGRAM_ERROR && r->commit.error.kind == KARAT_ERR_BARRIER_EXIT);
}

void session_places(const session *s, const karat_kernel *kernel, karat_places *places) {
    *places = (karat_places){.wg_size = kernel->wg_size};
    const karat_sched_result *r = s->sched ? karat_sched_get(s->sched) : &s->unplaced;
    if (!is_of_all(r))
        return;
    for (uint32_t handle = 0; handle < karat_get_config(s->model)->max_warp; handle++) {
        karat_sched_warp warp;
        karat_warp_view view;
        const uint32_t *trail;
        uint64_t num;
        if (!karat_sched_find(s->sched, handle, &warp, &trail, &num) ||
            karat_view(s->model, handle, &view) != KARAT_OK)
            continue;
        const uint32_t last = num ? trail[(num - 1) % KARAT_TRAIL] : 0;
        karat_warp_place *w = karat_places_add(places, s->model, &view, num ? &last : NULL);
        if (!w)
            break;
        if (view.stopped && r->commit.error.kind == KARAT_ERR_BARRIER_EXIT &&
            karat_row_info(r->commit.row)->owes & KARAT_OWES_BARRIER)
            w->at_barrier = true; /* It has come after another had ended */
        w->workgroup = warp.workgroup;
        w->warp = warp.warp;
        w->loop = karat_loop_of_trail(trail, num);
    }
    karat_places_sort(places);
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

const char *session_describe(const session *s, const karat_kernel *kernel, const karat_sched_result *r,
                             char text[SCHED_TEXT_SIZE]) {
    char place[CLI_PLACE_SIZE], insn[CLI_INSN_SIZE], known[CLI_KNOWN_SIZE];
    const karat_error *e = &r->commit.error;
    int n;
    switch (r->end) {
    case KARAT_SCHED_RUNS: /* No end of a run */
    case KARAT_SCHED_DONE: snprintf(text, SCHED_TEXT_SIZE, "%.200s: done", kernel->name); break;
    case KARAT_SCHED_STOPPED: snprintf(text, SCHED_TEXT_SIZE, "%.200s: stopped", kernel->name); break;
    case KARAT_SCHED_FAILED:
        snprintf(text, SCHED_TEXT_SIZE, "%.200s: %s%s%s", kernel->name, r->failed,
                 r->failed == s->failure.text ? "" : ": ",
                 r->failed == s->failure.text ? "" : cli_status_name(r->status));
        break;
    case KARAT_SCHED_PRINT_ERROR:
        snprintf(text, SCHED_TEXT_SIZE,
                 "%.200s: program error: %s: %s, workgroup %" PRIu32 " warp %" PRIu32 " at pc %s (%s)",
                 kernel->name, r->failed, cli_status_name(r->status), r->at.workgroup, r->at.warp,
                 session_place(s, kernel, r->commit.pc, place),
                 cli_insn(s->options.profile, r->commit.pc, r->commit.prefix, r->commit.word, insn));
        break;
    case KARAT_SCHED_MAX_STEPS:
        snprintf(text, SCHED_TEXT_SIZE, "%.200s: not finished after %" PRIu64 " steps (--max-steps)",
                 kernel->name, s->options.max_steps);
        break;
    case KARAT_SCHED_ENDLESS:
        snprintf(text, SCHED_TEXT_SIZE,
                 "%.200s: it never ends: all registers and memory after step %" PRIu64
                 " are what they were after step %" PRIu64,
                 kernel->name, r->again[1], r->again[0]);
        break;
    case KARAT_SCHED_INTERRUPTED:
        snprintf(text, SCHED_TEXT_SIZE, "%.200s: not finished after %" PRIu64 " steps: ended by %s",
                 kernel->name, r->steps, karat_interrupt_name());
        break;
    case KARAT_SCHED_DEADLOCK:
        snprintf(text, SCHED_TEXT_SIZE,
                 "%.200s: deadlock: all %" PRIu32 " live warps wait at a barrier, workgroup %" PRIu32
                 " warp %" PRIu32 " among them",
                 kernel->name, r->waiting, r->at.workgroup, r->at.warp);
        break;
    case KARAT_SCHED_PROGRAM_ERROR:
        n = snprintf(text, SCHED_TEXT_SIZE,
                     "%.200s: program error: %s in workgroup %" PRIu32 " warp %" PRIu32, kernel->name,
                     karat_error_name(e->kind), r->at.workgroup, r->at.warp);
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

const char *session_flagged(const session *s, const karat_kernel *kernel, const karat_sched_result *r,
                            char text[SCHED_TEXT_SIZE]) {
    char place[CLI_PLACE_SIZE];
    if (!r->flagged.kind)
        return NULL;
    snprintf(text, SCHED_TEXT_SIZE,
             "%.200s: undefined: %s, first in workgroup %" PRIu32 " warp %" PRIu32 " lane %" PRId32
             " at pc %s",
             kernel->name, karat_error_name(r->flagged.kind), r->flagged_at.workgroup, r->flagged_at.warp,
             r->flagged.lane, session_place(s, kernel, r->flagged.pc, place));
    return text;
}
