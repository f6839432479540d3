/* Command karat debug: a run in both directions, by commands or by gdb. */
#include "debug.h"
#include "subcommands.h"

#include <string.h>
#include <sys/stat.h>

#include "live_core.h"
#include "meta.h"
#include "trace.h"

typedef struct debug_options {
    session_options session; /* The files; the rest is of a run of the model */
    bool is_check;           /* A recording, else kernels */
    bool sourced;            /* The first argument has come: run or check */
    karat_debug_options how;
} debug_options;

enum { OPT_BATCH = 1024, OPT_GDB, OPT_PORT, OPT_SOCKET, OPT_ALL, OPT_LANES, OPT_SNAPSHOTS };

static const struct argp_option options[] = {
    {"batch", OPT_BATCH, "COMMANDS", 0,
     "Carry out these commands, between ';', and end: with status 2 at the first that fails", 4},
    {"gdb", OPT_GDB, 0, 0, "Start gdb-multiarch on the run, and end with it", 4},
    {"port", OPT_PORT, "N", 0, "Wait for gdb at that port of the loopback interface; 0: any free one", 4},
    {"socket", OPT_SOCKET, "PATH", 0, "Wait for gdb at a Unix socket", 4},
    {"all-interfaces", OPT_ALL, 0, 0,
     "With --port: on all interfaces. Anybody who reaches the port can read the run", 4},
    {"lanes", OPT_LANES, 0, 0, "With gdb: a thread of gdb is a lane of a warp, not a warp", 4},
    {"snapshots", OPT_SNAPSHOTS, "N", 0,
     "Snapshots at most, 2 to 64 (24): more make going back quicker and take more memory", 4},
    {0},
};

/* The first argument says which source. */
static error_t set_source(debug_options *o, const char *arg) {
    o->sourced = true;
    o->is_check = strcmp(arg, "check") == 0;
    return o->is_check || strcmp(arg, "run") == 0
               ? 0
               : cli_bad_option("expected 'run' or 'check', found '%s'", arg);
}

static error_t end_options(const debug_options *o) {
    const karat_debug_options *how = &o->how;
    if (!o->sourced)
        return cli_bad_option("expected 'run' or 'check', and files");
    if ((how->batch != NULL) + how->gdb + how->serve + (how->socket != NULL) > 1)
        return cli_bad_option("expected one of --batch, --gdb, --port and --socket");
    if (how->everywhere && !how->serve)
        return cli_bad_option("--all-interfaces: expected --port, too");
    if (how->lanes && !how->gdb && !how->serve && !how->socket)
        return cli_bad_option("--lanes: expected --gdb, --port or --socket, too");
    if (o->is_check && o->session.num_files > 1)
        return cli_bad_option("expected one trace file, found '%s' as well", o->session.files[1]);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    debug_options *o = state->input;
    uint64_t number;
    switch (key) {
    case ARGP_KEY_INIT:
        cli_one_line(state);
        state->child_inputs[0] = state->child_inputs[1] = &o->session;
        return 0;
    case ARGP_KEY_ARG: return o->sourced ? ARGP_ERR_UNKNOWN : set_source(o, arg); /* The others are files */
    case OPT_BATCH: o->how.batch = arg; return 0;
    case OPT_GDB: o->how.gdb = true; return 0;
    case OPT_PORT:
        o->how.serve = cli_number(arg, UINT16_MAX, &number);
        o->how.port = (uint16_t)number;
        return o->how.serve ? 0 : cli_bad_option("--port: expected a number below 65536, found '%s'", arg);
    case OPT_SOCKET: o->how.socket = arg; return 0;
    case OPT_ALL: o->how.everywhere = true; return 0;
    case OPT_LANES: o->how.lanes = true; return 0;
    case OPT_SNAPSHOTS:
        if (cli_number(arg, 64, &number) && number >= 2) {
            o->how.snapshots = (unsigned)number;
            return 0;
        }
        return cli_bad_option("--snapshots: expected a number from 2 to 64, found '%s'", arg);
    case ARGP_KEY_END: return end_options(o);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&session_argp, 0, "Runs of the model, as karat run:", 0}, {&space_argp, 0, NULL, 0}, {0}};
const struct argp cmd_debug_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "run FILE...\ncheck TRACE",
    .doc = "Stop, look at the warps, and go back: in a run of kernels on the model, or in a recorded run of "
           "a core with the model beside it "
           "(docs/debug.md)."
           "\vWithout --batch, --gdb, --port and --socket, commands come from standard input: 'help' lists "
           "them. Exit status: that of the run "
           "or of its verdict where it has come to its end, 0 where it was left before, 2 for bad input and "
           "for a batch that fails; with --gdb that of gdb.",
    .children = children,
};

int debug_status(int status) {
    if (status >= 0)
        return status;
    cli_error("the run has ended unexpectedly");
    return CLI_BAD_INPUT;
}

/* --- A recorded run of a core, live the model --- */

static _Noreturn void follow(karat_live_core *live, karat_checker *checker, karat_debugger *d,
                             karat_trace_reader *reader) {
    karat_diag diag = {""};
    karat_live_core_begin(live, checker, d);
    for (;;) {
        karat_trace_entry entry;
        karat_trace_next(reader, &entry, &diag);
        switch (entry.kind) {
        case KARAT_TRACE_RECORD: karat_live_core_record(live, entry.record, entry.size); break;
        case KARAT_TRACE_TICK: karat_checker_tick(checker, entry.cycle); break;
        case KARAT_TRACE_BENCH_ERROR: karat_checker_bench_error(checker, entry.cycle, entry.text); break;
        case KARAT_TRACE_CUT:
            karat_checker_cut(checker,
                              "the trace was cut off: the run that wrote it did not end"); /* Fall through */
        case KARAT_TRACE_END: karat_live_core_end(live);
        case KARAT_TRACE_BAD: karat_debugger_end(d, CLI_BAD_INPUT, diag.text);
        }
    }
}

/* False: a line in *diag. */
static bool live(const debug_options *o, karat_trace_reader *reader, karat_trace_setup *setup, int *status,
                 karat_diag *diag) {
    karat_live_core *live = karat_live_core_create(&setup->config);
    karat_checker *checker = NULL;
    karat_debugger *d = NULL;
    snprintf(diag->text, sizeof diag->text, "not enough memory");
    if (live) {
        const karat_debug_config config = karat_live_core_config(live, "recording");
        setup->config.watch = karat_live_core_watch(live);
        checker = karat_checker_create(&setup->config);
        d = checker ? karat_debug_open(&o->how, &config, NULL, diag) : NULL;
    }
    if (d && karat_debugger_start(d, status))
        follow(live, checker, d, reader);
    const bool good = d;
    karat_debugger_destroy(d);
    karat_checker_destroy(checker);
    karat_live_core_destroy(live);
    return good;
}

/* False: a line was written. */
static bool debug_check(const debug_options *o, int *status) {
    const char *file = o->session.files[0];
    bool good = false;
    karat_diag diag;
    struct stat about;
    /* A pipe cannot be read again, for the way back */
    const bool is_stream = !stat(file, &about) && !S_ISREG(about.st_mode);
    snprintf(diag.text, sizeof diag.text, "%s: expected a file, not a pipe or a folder", file);
    karat_trace_reader *reader = is_stream ? NULL : karat_trace_open(file, &diag);
    karat_trace_setup *setup = reader ? karat_trace_setup_make(karat_trace_meta(reader), &diag) : NULL;
    if (reader && !setup)
        cli_error("%s: %s", file, diag.text);
    else if (!setup || !(good = live(o, reader, setup, status, &diag)))
        cli_error("%s", diag.text);
    karat_trace_setup_free(setup);
    karat_trace_reader_free(reader);
    return good;
}

int cmd_debug(int argc, char **argv) {
    debug_options o = {0};
    int status = CLI_BAD_INPUT;
    const bool parsed = cli_parse(&cmd_debug_argp, argc, argv, &o);
    if (parsed && !o.is_check)
        return debug_run(&o.session, &o.how);
    if (parsed && debug_check(&o, &status))
        status = debug_status(status);
    session_options_free(&o.session);
    return status;
}
