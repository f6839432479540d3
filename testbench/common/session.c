#include "session.h"

#include "live_core.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "colour.h"
#include "cov.h"
#include "interrupt.h"
#include "meta.h"
#include "closest_name.h"
#include "outputs.h"
#include "paging.h"
#include "port.h"
#include "progress.h"
#include "snapshots.h"
#include "trace.h"
#include "staged_file.h"

#define TICK_CYCLES     1024
#define BATCH_BYTES     32768 /* Bytes of records held before the checker takes them */
#define DRAIN_CYCLES    8     /* After the last workgroup and the last answer, for the last records */
#define FAULT_CYCLES    2000  /* After a page fault, for instructions of other warps before it */
#define MOST_NAMES      6     /* Most kernels that the verdict line names */
#define SNAPSHOT_CYCLES 65536 /* From one snapshot to the next, at least */

/* A snapshot is woken for this: a waveform of these cycles, and of that warp. */
typedef struct replay {
    uint64_t from, to;
    bool has_warp;
    uint32_t sm, slot;
} replay;
KARAT_PORT_ASSERT(sizeof(replay) <= KARAT_SNAPSHOTS_ORDER, "an order");

struct karat_session {
    karat_session_config config;
    const karat_args *args;
    karat_launch_spec
        launch;  /* The arguments', which own its list; with addresses once the kernel is loaded */
    char *error; /* The first */
    uint32_t num_kernels;
    karat_kernel **kernels;
    karat_core_desc *description; /* NULL: none */
    karat_lines **lines;          /* NULL: that kernel has none */
    char *program;
    char *rerun;
    size_t rerun_size;
    karat_port *port;
    karat_checker *checker;
    karat_paging *paging; /* Address spaces of the kernels */
    karat_host *host;
    karat_trace_writer *recording; /* +record */
    karat_cov_collector coverage;  /* +coverage */
    karat_check_watch watch;       /* The checker is fed by it */
    karat_check_config check;      /* The checker's */
    karat_live_core *live;         /* +debug; else NULL */
    karat_debugger *debugger;      /* +debug; else NULL */
    karat_staged_file wave;        /* +trace, where wave_begun */
    bool wave_begun, wave_broken;
    karat_snapshots *snapshots;    /* +wave-window; else NULL */
    char *saves[KARAT_WAVE_FORMS]; /* +wave-window; else NULL: names of save files */
    bool replays;                  /* This process is a snapshot that has been woken */
    replay replay;                 /* With replays: the part of the run to repeat */
    karat_wave_warp *warp;         /* Replays, and replay.has_warp */
    uint64_t cycle;
    uint64_t end;   /* Cycle to stop in */
    uint64_t fault; /* Cycle of the first page fault; UINT64_MAX: none */
    uint32_t bye_reason;
    bool objected;
    struct {
        bool any, store;
        uint64_t cycle, addr;
        uint32_t lane;
    } bad_access;
};

/* Keeps the error, which it frees later; NULL: memory is short. False. */
static bool fail_with(karat_session *session, char *error) {
    if (session->error)
        free(error);
    else
        session->error = error ? error : strdup("out of memory");
    return false;
}

static bool fail(karat_session *session, const char *error) {
    return fail_with(session, strdup(error));
}

const char *karat_session_error(const karat_session *session) {
    return session->error ? session->error : "out of memory";
}

/* --- Without a session --- */

void karat_wave_text(const char *profile, uint32_t pc, uint32_t prefix, uint32_t word,
                     uint32_t text[KARAT_WAVE_CHARS / 4]) {
    char line[KARAT_WAVE_CHARS + 1];
    karat_profile of = KARAT_DEFAULT_PROFILE;
    karat_profile_find(profile, strlen(profile), &of);
    karat_disassemble(of, pc, prefix, word, line, sizeof line);
    const size_t length = strlen(line);
    memset(text, 0, KARAT_WAVE_CHARS);
    for (size_t i = 0; i < KARAT_WAVE_CHARS; i++) {
        const size_t place = KARAT_WAVE_CHARS - 1 - i;
        text[place / 4] |= (uint32_t)(unsigned char)(i < length ? line[i] : ' ') << place % 4 * 8;
    }
}

void karat_core_describe(const char *core, const karat_core_info *info) {
    printf("{\"core\": \"%s\", \"sms\": %u, \"warps\": %u, \"threads\": %u, \"sgprs\": %u, \"vgprs\": %u, "
           "\"lds\": %u, "
           "\"translates\": %s, \"rtl_coverage\": %s, \"description\": ",
           core, info->num_sm, info->num_warp, info->num_thread, info->num_sgpr, info->num_vgpr,
           info->lds_bytes, info->translates ? "true" : "false", info->counts_rtl ? "true" : "false");
    for (const char *c = info->description ? info->description : "{}"; *c; c++)
        putchar(*c == '\n' ? ' ' : *c);
    puts("}");
}

/* --- Begin --- */

static bool check_fault(karat_session *session, const char *fault) {
    const karat_core_info *core = &session->config.core;
    if (!core->has_faults)
        return fail_with(session, karat_format("+fault=%s: this core was built without faults", fault));
    karat_closest_name near = {.word = fault, .length = strlen(fault)};
    for (uint32_t i = 0; i < core->num_faults; i++) {
        if (!strcmp(fault, core->faults[i].name))
            return true;
        karat_closest_offer(&near, core->faults[i].name);
    }
    if (near.name)
        return fail_with(session, karat_format("unknown fault '%s': did you mean '%s'?", fault, near.name));
    return fail_with(session, karat_format("unknown fault '%s' (+faults lists those of this core)", fault));
}

static bool check_faults(karat_session *session) {
    for (uint32_t i = 0; i < session->args->num_faults; i++)
        if (!check_fault(session, session->args->faults[i]))
            return false;
    return true;
}

static bool check_translation(karat_session *session) {
    return !session->args->sv39 || session->config.core.translates ||
           fail(session, "+sv39: this core has no MMU");
}

/* NULL: there is no waveform. */
static const char *wave_file(const karat_session *session) {
    const karat_args *args = session->args;
    return args->trace || !args->wave_window ? args->trace : session->config.wave;
}

static bool name_saves(karat_session *session) {
    bool good = true;
    for (unsigned form = 0; session->args->wave_window && form < KARAT_WAVE_FORMS; form++) {
        session->saves[form] = karat_wave_save_name(wave_file(session), (karat_wave_form)form);
        good &= session->saves[form] != NULL;
    }
    return good;
}

static bool check_window(karat_session *session) {
    return !session->args->wave_window || session->config.signals ||
           fail(session, "+wave-window is of the harnesses of Verilator and SystemC: +trace, with a rerun, "
                         "is the way here");
}

static bool check_rtl_coverage(karat_session *session) {
    return !session->args->rtl_coverage || !session->config.simulator_traces ||
           fail(session,
                "+rtl-coverage is of the harnesses of Verilator and SystemC: the simulator's own coverage "
                "is the way here");
}

/* Said before the run, not after it. */
static bool begin_outputs(karat_session *session) {
    const karat_args *args = session->args;
    karat_outputs outputs = {0};
    karat_diag diag;
    karat_outputs_write(&outputs, args->record);
    karat_outputs_text(&outputs, args->json);
    karat_outputs_write(&outputs, args->memory);
    karat_outputs_write(&outputs, args->coverage);
    karat_outputs_write(&outputs, args->rtl_coverage);
    karat_outputs_write(&outputs, wave_file(session));
    for (unsigned form = 0; form < KARAT_WAVE_FORMS; form++)
        karat_outputs_write(&outputs, session->saves[form]);
    karat_outputs_read(&outputs, args->core);
    for (uint32_t i = 0; i < args->num_kernels; i++)
        karat_outputs_read_kernel(&outputs, args->kernels[i]);
    for (uint32_t i = 0; i < args->num_dumps; i++)
        karat_outputs_write(&outputs, args->dumps[i].path);
    for (uint32_t i = 0; i < args->launch.num_args; i++)
        karat_outputs_read(&outputs, args->launch.args[i].path);
    return karat_outputs_begin(&outputs, &diag) || fail(session, diag.text);
}

/* A waveform writer may first remove an existing file: never a device or a folder. */
static bool begin_trace(karat_session *session) {
    const char *file = wave_file(session);
    struct stat status;
    karat_diag diag;
    if (!file)
        return true;
    if (!stat(file, &status) && !S_ISREG(status.st_mode))
        return fail_with(session, karat_format("%s: not a regular file", file));
    if (session->config.simulator_traces)
        return true;
    if (!karat_staged_reserve(&session->wave, file, &diag))
        return fail(session, diag.text);
    session->wave_begun = true;
    char *hierarchy = karat_format("%s.hier", session->wave.next); /* A file of fstapi's, until the end */
    const bool good = hierarchy && karat_temporary_add(hierarchy);
    free(hierarchy);
    return good;
}

static bool name_program(karat_session *session) {
    size_t size;
    FILE *out = open_memstream(&session->program, &size);
    if (!out)
        return false;
    for (uint32_t i = 0; i < session->num_kernels && i < MOST_NAMES; i++)
        fprintf(out, "%s%s", i ? "," : "", session->kernels[i]->name);
    if (session->num_kernels > MOST_NAMES)
        fprintf(out, ",+%" PRIu32, session->num_kernels - MOST_NAMES);
    return !fclose(out);
}

static bool load_description(karat_session *session) {
    const char *file = session->args->core, *text = session->config.core.description;
    karat_diag diag;
    if (file)
        session->description = karat_core_desc_load(file, &diag);
    else if (text)
        session->description = karat_core_desc_parse(text, strlen(text), "the core's own description", &diag);
    else
        return true;
    return session->description || fail(session, diag.text);
}

static bool load_kernels(karat_session *session) {
    const uint32_t num = session->args->num_kernels;
    session->kernels = calloc(num + 1, sizeof *session->kernels);
    session->lines = calloc(num + 1, sizeof *session->lines);
    if (!session->kernels || !session->lines)
        return false;
    for (uint32_t i = 0; i < num; i++) {
        const char *file = session->args->kernels[i];
        karat_diag diag;
        session->kernels[i] = session->launch.given
                                  ? karat_kernel_load_launched(file, &session->launch, &diag)
                                  : karat_kernel_load(file, NULL, &diag);
        if (!session->kernels[i])
            return fail(session, diag.text);
        session->num_kernels++;
        if (session->kernels[i]->num_pages && !session->args->sv39)
            return fail_with(session, karat_format(session->config.core.translates
                                                       ? "%s: it changes page tables: expected +sv39, too"
                                                       : "%s: it changes page tables: this core has no MMU",
                                                   file));
        if (session->kernels[i]->note && !session->args->quiet)
            fprintf(stderr, "%s: note: %s\n", session->config.name, session->kernels[i]->note);
        session->lines[i] = karat_lines_load(file);
    }
    return name_program(session);
}

/* The checker keeps a pointer to the command and prints it at the end, when the cycle is known. */
static bool set_rerun(karat_session *session, uint64_t cycle) {
    char *command = karat_args_rerun(session->config.argc, session->config.argv, session->config.wave, cycle);
    if (command)
        snprintf(session->rerun, session->rerun_size, "%s", command);
    free(command);
    return command != NULL;
}

static bool make_rerun(karat_session *session) {
    char *longest =
        karat_args_rerun(session->config.argc, session->config.argv, session->config.wave, UINT64_MAX / 2);
    session->rerun_size = longest ? strlen(longest) + 1 : 0;
    free(longest);
    session->rerun = calloc(1, session->rerun_size + 1);
    return session->rerun_size && session->rerun && set_rerun(session, 0);
}

static bool create_recording(karat_session *session, const karat_check_config *config) {
    char *meta = karat_trace_meta_make(config, session->rerun_size);
    if (!meta)
        return false;
    karat_diag diag;
    session->recording = karat_trace_create(session->args->record, meta, &diag);
    free(meta);
    return session->recording || fail(session, diag.text);
}

static bool create_checker(karat_session *session) {
    if (!make_rerun(session))
        return false;
    karat_check_config config;
    karat_check_config_default(&config);
    config.hang_cycles = session->args->hang;
    config.program = session->program;
    config.rerun = session->rerun;
    config.seed = session->args->seed;
    config.has_seed = true;
    config.kernels = (const karat_kernel *const *)session->kernels;
    config.lines = (const karat_lines *const *)session->lines;
    config.num_kernels = session->num_kernels;
    config.strict = session->args->strict;
    config.keep_going = session->args->keep_going;
    session->watch = (karat_check_watch){&session->coverage, karat_cov_on_launch, karat_cov_on_step};
    if (session->args->coverage)
        config.watch = &session->watch;
    if (session->description)
        karat_core_desc_use(session->description, &config);
    const karat_core_desc *d = session->description;
    karat_diag diag;
    if (!karat_kernels_profile(config.kernels, config.num_kernels, d && d->has_profile ? &d->profile : NULL,
                               "the core", &config.model.profile, &diag))
        return fail(session, diag.text);
    if (session->args->debug) {
        session->live = karat_live_core_create(&session->check);
        if (!session->live)
            return false;
        config.watch = karat_live_core_watch(session->live);
    }
    session->check = config;
    session->checker = karat_checker_create(&config);
    return session->checker && (!session->args->record || create_recording(session, &config));
}

static bool begin(karat_session *session) {
    if (!check_window(session) || !check_rtl_coverage(session) || !name_saves(session) ||
        !begin_outputs(session) || !check_faults(session) || !check_translation(session) ||
        !load_description(session) || !load_kernels(session) || !begin_trace(session))
        return false;
    session->port = karat_port_create(session->config.core.num_sm);
    if (!session->port || !create_checker(session))
        return false;
    karat_port_batch(session->port, BATCH_BYTES);
    return true;
}

karat_session *karat_session_create(const karat_session_config *config, char **error) {
    karat_session *session = calloc(1, sizeof *session);
    *error = NULL;
    if (!session)
        return NULL;
    session->config = *config;
    session->args = config->args;
    session->launch = config->args->launch;
    session->launch.threads = config->core.num_thread;
    session->end = session->fault = UINT64_MAX;
    session->bye_reason = KARAT_BYE_DONE;
    karat_interrupt_catch();
    karat_progress_begin();
    if (begin(session))
        return session;
    *error = session->error;
    session->error = NULL;
    karat_session_destroy(session);
    return NULL;
}

void karat_session_destroy(karat_session *session) {
    if (!session)
        return;
    if (session->wave_begun)
        karat_staged_drop(&session->wave);
    karat_snapshots_destroy(session->snapshots);
    for (unsigned form = 0; form < KARAT_WAVE_FORMS; form++)
        free(session->saves[form]);
    free(session->warp);
    karat_port_attach(NULL);
    karat_port_destroy(session->port); /* Its thread ends before what it delivers to */
    karat_host_destroy(session->host);
    karat_paging_destroy(session->paging);
    karat_checker_destroy(session->checker);
    karat_debugger_destroy(session->debugger);
    karat_live_core_destroy(session->live);
    karat_cov_destroy(session->coverage.cov);
    for (uint32_t i = 0; i < session->num_kernels; i++) {
        karat_kernel_free(session->kernels[i]);
        karat_lines_free(session->lines[i]);
    }
    karat_core_desc_free(session->description);
    free(session->kernels);
    free(session->lines);
    free(session->program);
    free(session->rerun);
    free(session->error);
    free(session);
}

karat_traffic *karat_session_traffic(const karat_session *session) {
    const karat_args *args = session->args;
    return karat_traffic_create(&(karat_traffic_config){args->seed, args->latency_min, args->latency_max,
                                                        args->stall_percent, args->sv39});
}

/* As karat_checker_record, and the simulation continues after the verdict. */
static bool judge_and_go_on(void *checker, const void *record, size_t size) {
    karat_checker_record(checker, record, size);
    return false;
}

/* +debug: what follows is in a process of its own, and in others that it leaves as snapshots; this one waits,
 * and ends as the run does. */
static bool start_debugger(karat_session *session) {
    const karat_args *args = session->args;
    const karat_debug_config config = karat_live_core_config(session->live, "core");
    const karat_debug_options options = {.batch = args->debug_batch,
                                         .serve = args->debug_serve,
                                         .port = args->debug_port,
                                         .socket = args->debug_socket};
    karat_diag diag;
    int status;
    if (session->config.simulator_traces)
        return fail(session, "+debug is of the harnesses of Verilator and SystemC");
    session->debugger = karat_debug_open(&options, &config, NULL, &diag);
    if (!session->debugger)
        return fail(session, diag.text);
    if (!karat_debugger_start(session->debugger, &status)) {
        karat_debugger_destroy(session->debugger);
        exit(status < 0 ? KARAT_BAD_INPUT : status);
    }
    karat_live_core_begin(session->live, session->checker, session->debugger);
    return true;
}

/* Going back, a run comes by what it has printed before. */
static bool is_replay(const karat_session *session) {
    return session->debugger && karat_debugger_is_replay(session->debugger);
}

/* +wave-window: recording and checker are the run's; a stretch that is run again has records of its warp for
 * the waveform. */
static bool unless_replay(void *context, const void *record, size_t size) {
    karat_session *session = context;
    if (session->replays)
        return session->warp && karat_wave_warp_record(session->warp, record, size);
    if (session->recording)
        karat_trace_record(session->recording, record, size);
    return karat_checker_record(session->checker, record, size);
}

/* The checker, or what asks it. */
static bool add_checker(karat_session *session) {
    if (session->live)
        return karat_port_add_sink(session->port, karat_live_core_record, session->live);
    return karat_port_add_sink(session->port, session->args->go_on ? judge_and_go_on : karat_checker_record,
                               session->checker);
}

/* A karat_port_ticked, after the records so far. */
static bool look_around(void *context, uint64_t cycle) {
    karat_session *session = context;
    if (session->recording)
        karat_trace_tick(session->recording, cycle);
    return !session->args->no_check && karat_checker_tick(session->checker, cycle) && !session->args->go_on;
}

/* A thread that checks, beside the simulation. The debugger's processes have none. */
static bool wants_thread(const karat_session *session) {
    const karat_args *args = session->args;
    cpu_set_t may;
    if (args->no_check || args->debug)
        return false;
    if (args->checker_thread >= 0)
        return args->checker_thread;
    return !sched_getaffinity(0, sizeof may, &may) && CPU_COUNT(&may) > 1;
}

bool karat_session_connect(karat_session *session, const karat_host_memory *memory) {
    const karat_core_info *core = &session->config.core;
    const karat_args *args = session->args;
    session->paging = karat_paging_create(&memory->bytes, core->num_thread, args->sv39,
                                          args->drawn ? &args->sv39_seed : NULL);
    if (!session->paging)
        return false;
    const karat_host_config config = {
        .kernels = session->kernels,
        .num_kernels = session->num_kernels,
        .num_sm = core->num_sm,
        .num_warp = core->num_warp,
        .num_thread = core->num_thread,
        .lds_bytes = core->lds_bytes,
        .num_sgpr = core->num_sgpr,
        .num_vgpr = core->num_vgpr,
        .reg_granule = core->reg_granule,
        .starts_partial = core->starts_partial,
        .memory = *memory,
        .paging = session->paging,
        .port = session->port,
    };
    karat_diag diag;
    session->host = karat_host_create(&config, &diag);
    if (!session->host)
        return fail(session, diag.text);
    if (!karat_port_add_sink(session->port, karat_host_record, session->host) ||
        (args->wave_window ? !karat_port_add_sink(session->port, unless_replay, session)
                           : (session->recording &&
                              !karat_port_add_sink(session->port, karat_trace_record, session->recording)) ||
                                 (!args->no_check && !add_checker(session))))
        return fail(session, "the retire port takes no more sinks");
    karat_port_on_tick(session->port, look_around, session);
    if (wants_thread(session))
        karat_port_thread(session->port); /* Without one the run is the same, and takes longer */
    karat_port_attach(session->port);
    return !session->live || start_debugger(session);
}

/* --- Snapshots --- */

/* With this distance the window is behind the older of two, for a HANG as well, which is found late. */
static uint64_t snapshot_interval(const karat_args *args) {
    const uint64_t wanted = args->wave_before + args->hang + 2 * TICK_CYCLES;
    return args->snapshots ? args->snapshots : wanted > SNAPSHOT_CYCLES ? wanted : SNAPSHOT_CYCLES;
}

/* Whether something has failed, as far as the checker has its records: what happens after it is not to be run
 * again. Records are not flushed for that, since the run would then end, and its recording, in another cycle
 * than without snapshots. */
static bool has_failed(const karat_session *session) {
    karat_check_place place;
    return session->objected || karat_checker_place(session->checker, &place);
}

/* Out of karat_snapshots_pass() in a snapshot that was woken. */
static void begin_replay(karat_session *session) {
    const replay *r = &session->replay;
    session->replays = true;
    const int null = open("/dev/null", O_WRONLY); /* The run has printed already what it prints */
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
        _exit(KARAT_BAD_INPUT);
    karat_port_forked(session->port);
    karat_port_batch(session->port, 0);
    session->warp = r->has_warp ? malloc(sizeof *session->warp) : NULL;
    if (session->warp)
        karat_wave_warp_begin(session->warp, session->checker, r->sm, r->slot,
                              session->config.core.num_thread);
}

bool karat_session_snapshot(karat_session *session, uint64_t *from, uint64_t *to) {
    if (session->replays || !session->args->wave_window)
        return false;
    if (!session->snapshots)
        session->snapshots = karat_snapshots_create(snapshot_interval(session->args));
    if (!session->snapshots || session->cycle < karat_snapshots_next(session->snapshots))
        return false;
    karat_port_rest(session->port); /* Its thread does not come along */
    if (has_failed(session) ||
        !karat_snapshots_pass(session->snapshots, session->cycle, &session->replay, sizeof session->replay))
        return false;
    begin_replay(session);
    *from = session->replay.from;
    *to = session->replay.to;
    return true;
}

karat_wave_warp *karat_session_wave_warp(karat_session *session) {
    return session->warp;
}

/* A failure's waveform, by a snapshot, and its save files. */
static bool write_window(karat_session *session, karat_verdict verdict) {
    const karat_args *args = session->args;
    karat_check_place place;
    karat_diag diag;
    uint64_t since;
    if (!session->wave_begun)
        return true;
    if (verdict == KARAT_PASS || verdict == KARAT_BAD_INPUT || karat_interrupted() ||
        !karat_checker_place(session->checker, &place)) {
        session->wave_begun = false;
        karat_staged_drop(&session->wave);
        return true;
    }
    const uint64_t at = karat_checker_look_at(session->checker);
    replay order = {.from = at > args->wave_before ? at - args->wave_before : 0,
                    .to = at + args->wave_after,
                    .has_warp = place.has_warp,
                    .sm = place.sm,
                    .slot = place.slot};
    fflush(stdout); /* The report is there while the waveform is made */
    const int status = session->snapshots ? karat_snapshots_wake(session->snapshots, order.from, at, &order,
                                                                 sizeof order, karat_interrupted, &since)
                                          : -1;
    if (status) {
        session->wave_begun = false;
        karat_staged_drop(&session->wave);
        if (status > 0)
            return fail_with(session, karat_format("%s: cannot be written completely (is the disk full?)",
                                                   wave_file(session)));
        fprintf(stderr, "%s: no waveform: %s (rerun, in the report, makes one)\n", session->config.name,
                karat_interrupted() ? "interrupted" : "no snapshot of this run could make it");
        return true;
    }
    session->wave_begun = false;
    if (!karat_staged_end(&session->wave, &diag))
        return fail(session, diag.text);
    const karat_wave_state state = {.wave = wave_file(session),
                                    .signals = session->config.signals,
                                    .from = order.from > since ? order.from : since,
                                    .to = order.to,
                                    .scale = session->config.wave_scale,
                                    .place = &place,
                                    .names = args->wave_signals,
                                    .num_names = args->num_wave_signals};
    for (unsigned form = 0; form < KARAT_WAVE_FORMS; form++)
        if (!karat_wave_save(&state, session->saves[form], (karat_wave_form)form, &diag))
            return fail(session, diag.text);
    if (!args->quiet)
        fprintf(stderr, "%s: %s: cycles %" PRIu64 " to %" PRIu64 ", run again from cycle %" PRIu64 "\n",
                session->config.name, wave_file(session), state.from, state.to, since);
    return true;
}

/* --- Run --- */

uint64_t karat_session_cycle(const karat_session *session) {
    return session->cycle;
}

const karat_workgroup *karat_session_offer(const karat_session *session) {
    return karat_host_offer(session->host);
}

void karat_session_object(karat_session *session, const char *what) {
    if (session->replays)
        return;
    karat_port_flush(session->port); /* Earlier records of the core come first */
    if (session->recording)
        karat_trace_bench_error(session->recording, session->cycle, what);
    karat_checker_bench_error(session->checker, session->cycle, what);
    session->objected = true;
}

void karat_session_performed(karat_session *session, const karat_ram_req *req) {
    const bool stores = session->host && karat_ram_stores(req->op);
    for (uint32_t lanes = stores ? req->lanes : 0; lanes; lanes &= lanes - 1)
        karat_host_stored(session->host, req->addr[__builtin_ctz(lanes)]);
}

void karat_session_bad_access(karat_session *session, bool store, uint32_t lane, uint64_t addr) {
    if (session->bad_access.any)
        return;
    session->bad_access.any = true;
    session->bad_access.store = store;
    session->bad_access.cycle = session->cycle;
    session->bad_access.lane = lane;
    session->bad_access.addr = addr;
}

/* A line that is written over on a terminal; elsewhere a line now and then. */
static void show_progress(karat_session *session) {
    const bool now_and_then = session->cycle % (1 << 22) == 0 && !isatty(STDERR_FILENO);
    if (session->args->quiet || !(now_and_then || karat_progress_due()))
        return;
    uint32_t kernel, done, total;
    char text[160];
    karat_host_progress(session->host, &kernel, &done, &total);
    snprintf(text, sizeof text, "cycle %" PRIu64 ": %s, workgroup %u of %u, %" PRIu64 " instructions",
             session->cycle, session->kernels[kernel]->name, done, total,
             karat_port_count(session->port, KARAT_REC_ISSUE));
    if (now_and_then)
        fprintf(stderr, "%s\n", text);
    else
        karat_progress_show("%s", text);
}

/* The core's messages to the host. False: the host cannot continue. */
static bool tell_host(karat_session *session, const karat_edge *edge) {
    karat_diag diag;
    if (edge->accepted)
        karat_host_accepted(session->host);
    if (edge->print)
        karat_progress_hide();
    if (edge->print && !karat_host_print(session->host, edge->print_sm, edge->print_slot, session->cycle,
                                         session->args->quiet || is_replay(session) ? NULL : stdout, &diag))
        karat_session_object(session, diag.text);
    if (edge->done && !karat_host_workgroup_done(session->host, edge->done_index)) {
        snprintf(diag.text, sizeof diag.text,
                 "the core reports the end of workgroup %u, which is not running", edge->done_index);
        karat_session_object(session, diag.text);
    }
    return karat_host_step(session->host, session->cycle, &diag) || fail(session, diag.text);
}

karat_session_state karat_session_after_edge(karat_session *session, const karat_edge *edge,
                                             bool memory_idle) {
    const karat_args *args = session->args;
    session->cycle++;
    if (!tell_host(session, edge))
        return session->replays ? KARAT_SESSION_OVER : KARAT_SESSION_FAILED;
    if (session->replays) {
        karat_port_flush(session->port);
        return session->cycle > session->replay.to ? KARAT_SESSION_OVER : KARAT_SESSION_RUNS;
    }
    if (edge->objection)
        karat_session_object(session, edge->objection);
    if ((session->objected && !args->go_on) || karat_port_stopped(session->port))
        return KARAT_SESSION_OVER;
    if (!karat_host_finished(session->host))
        session->end = UINT64_MAX;
    else if (session->end == UINT64_MAX || !memory_idle)
        session->end = session->cycle + DRAIN_CYCLES;
    if (edge->fault && session->fault == UINT64_MAX)
        session->fault = session->cycle;
    if (session->fault != UINT64_MAX && session->cycle - session->fault >= FAULT_CYCLES && !args->go_on) {
        session->bye_reason = KARAT_BYE_ABORT;
        return KARAT_SESSION_OVER;
    }
    if (args->max_cycles && session->cycle >= args->max_cycles && session->end == UINT64_MAX) {
        session->bye_reason = KARAT_BYE_CYCLE_LIMIT;
        return KARAT_SESSION_OVER;
    }
    if (karat_interrupted()) {
        session->bye_reason = KARAT_BYE_ABORT;
        return KARAT_SESSION_OVER;
    }
    if (session->cycle % TICK_CYCLES == 0) {
        karat_port_tick(session->port, session->cycle);
        show_progress(session);
    }
    return session->cycle >= session->end ? KARAT_SESSION_OVER : KARAT_SESSION_RUNS;
}

/* --- End --- */

const char *karat_session_trace(const karat_session *session) {
    return session->wave_begun && (session->replays || !session->args->wave_window) ? session->wave.next
                                                                                    : NULL;
}

void karat_session_trace_broken(karat_session *session) {
    session->wave_broken = true;
}

static bool end_trace(karat_session *session) {
    karat_diag diag;
    if (!session->wave_begun)
        return true;
    session->wave_begun = false;
    if (!session->wave_broken)
        return karat_staged_end(&session->wave, &diag) || fail(session, diag.text);
    karat_staged_drop(&session->wave);
    return fail_with(
        session, karat_format("%s: cannot be written completely (is the disk full?)", wave_file(session)));
}

static bool end_recording(karat_session *session) {
    if (!session->recording)
        return true;
    char *end = karat_trace_end_make(session->rerun);
    karat_diag diag = {0};
    if (!end)
        return false;
    const bool closed = karat_trace_close(session->recording, end, &diag);
    session->recording = NULL;
    free(end);
    return closed || fail(session, diag.text);
}

static bool read_memory(const void *host, uint32_t addr, void *bytes, size_t size) {
    return karat_host_read(host, addr, bytes, size);
}

static bool dump_arguments(karat_session *session) {
    const karat_args *args = session->args;
    karat_diag diag;
    for (uint32_t i = 0; i < args->num_dumps; i++)
        if (!karat_dump_arg_write(&args->dumps[i], &session->launch, read_memory, session->host, &diag))
            return fail_with(session, karat_format("+dump-arg: %s", diag.text));
    return true;
}

/* Pages as the kernels address them. */
static void put_memory(const karat_session *session, FILE *file) {
    static const uint8_t zeros[4096];
    const karat_ranges *all = karat_paging_memory(session->paging);
    for (uint32_t i = 0; i < all->num; i++)
        for (uint64_t at = all->at[i].base; at < all->at[i].base + all->at[i].size; at += sizeof zeros) {
            uint8_t page[sizeof zeros], addr[8];
            if (!karat_host_read(session->host, at, page, sizeof page) || !memcmp(page, zeros, sizeof page))
                continue;
            for (unsigned byte = 0; byte < sizeof addr; byte++)
                addr[byte] = (uint8_t)(at >> 8 * byte);
            fwrite(addr, 1, sizeof addr, file);
            fwrite(page, 1, sizeof page, file);
        }
}

static bool dump_memory(karat_session *session) {
    karat_staged_file whole;
    karat_diag diag;
    if (!session->args->memory)
        return true;
    if (!karat_staged_begin(&whole, session->args->memory, &diag))
        return fail(session, diag.text);
    put_memory(session, whole.file);
    return karat_staged_end(&whole, &diag) || fail(session, diag.text);
}

static bool put_json(const void *checker, FILE *file) {
    return karat_checker_report_json(checker, file);
}

static bool write_files(karat_session *session) {
    const karat_args *args = session->args;
    karat_diag diag;
    return karat_cov_finish(&session->coverage, args->coverage, args->json, put_json, session->checker,
                            &diag) ||
           fail(session, diag.text);
}

/* A run that stops at a verdict is not complete: results still under way are not missed. */
static uint32_t bye_reason(const karat_session *session) {
    return session->bye_reason == KARAT_BYE_DONE && session->cycle < session->end ? KARAT_BYE_ABORT
                                                                                  : session->bye_reason;
}

static void print_verdict(const karat_session *session, karat_verdict verdict) {
    const karat_args *args = session->args;
    if (session->bad_access.any && !args->quiet)
        fprintf(stderr,
                "%s: memory: cycle %" PRIu64 ": %s of lane %u at 0x%08" PRIx64 ", which is not mapped\n",
                session->config.name, session->bad_access.cycle, session->bad_access.store ? "store" : "load",
                session->bad_access.lane, session->bad_access.addr);
    if (session->fault != UINT64_MAX && verdict == KARAT_INCOMPLETE && !args->quiet)
        fprintf(stderr, "%s: cycle %" PRIu64 ": a page fault has stopped a warp of the core\n",
                session->config.name, session->fault);
    karat_coloured text;
    FILE *out = karat_colour_begin(&text, stdout);
    if (verdict != KARAT_PASS && !args->quiet)
        karat_checker_report(session->checker, out);
    char line[KARAT_LINE_ROOM];
    karat_checker_line(session->checker, line, sizeof line);
    fprintf(out, "%s\n", line);
    karat_colour_end(&text);
}

bool karat_session_finish(karat_session *session, karat_verdict *verdict) {
    const karat_args *args = session->args;
    if (session->replays)
        _exit(session->wave_broken ? KARAT_BAD_INPUT : 0);
    karat_port_flush(session->port);
    const char *lost = session->bye_reason == KARAT_BYE_DONE ? karat_host_lost_print(session->host) : NULL;
    if (lost && session->end != UINT64_MAX)
        karat_session_object(session, lost);
    karat_host_bye(session->host, session->cycle, bye_reason(session));
    karat_progress_hide();
    if (session->live)
        karat_live_core_end(session->live);
    if (karat_interrupted())
        fprintf(stderr, "%s: ended by %s in cycle %" PRIu64 "\n", session->config.name,
                karat_interrupt_name(), session->cycle);
    if (!set_rerun(session, karat_checker_look_at(session->checker)) || !end_recording(session))
        return false;
    *verdict = karat_checker_verdict(session->checker);
    print_verdict(session, *verdict);
    const bool traced = args->wave_window ? write_window(session, *verdict) : end_trace(session),
               dumped = dump_arguments(session) && dump_memory(session);
    if (!write_files(session) || !traced || !dumped)
        return false;
    return (!fflush(stdout) && !ferror(stdout)) || fail(session, "standard output cannot be written");
}
