/* karat debug: a run in both directions, by commands or by gdb. */
#include "debug.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OPT_BATCH = 1024, OPT_GDB, OPT_PORT, OPT_SOCKET, OPT_ALL, OPT_SNAPSHOTS };

static const struct argp_option options[] = {
    {"batch", OPT_BATCH, "COMMANDS", 0,
     "Carry out these commands, between ';', and end: with status 2 at the first that fails", 4},
    {"gdb", OPT_GDB, 0, 0, "Start gdb-multiarch on the run", 4},
    {"port", OPT_PORT, "N", 0, "Wait for gdb at that port of the loopback interface; 0: any free one", 4},
    {"socket", OPT_SOCKET, "PATH", 0, "Wait for gdb at a Unix socket", 4},
    {"all-interfaces", OPT_ALL, 0, 0,
     "With --port: on all interfaces. Anybody who reaches the port can read the run", 4},
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
    if (!o->sourced)
        return cli_bad_option("expected 'run' or 'check', and files");
    if ((o->batch != NULL) + o->gdb + o->serve + (o->socket != NULL) > 1)
        return cli_bad_option("expected one of --batch, --gdb, --port and --socket");
    if (o->everywhere && !o->serve)
        return cli_bad_option("--all-interfaces: expected --port, too");
    if (o->is_check && o->session.num_files > 1)
        return cli_bad_option("expected one trace file, found '%s' as well", o->session.files[1]);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    debug_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        cli_one_line(state);
        state->child_inputs[0] = &o->session;
        return 0;
    case ARGP_KEY_ARG: return o->sourced ? ARGP_ERR_UNKNOWN : set_source(o, arg); /* the others are files */
    case OPT_BATCH: o->batch = arg; return 0;
    case OPT_GDB: o->gdb = true; return 0;
    case OPT_PORT:
        o->serve = true;
        return cli_number(arg, UINT16_MAX, &o->port)
                   ? 0
                   : cli_bad_option("--port: expected a number below 65536, found '%s'", arg);
    case OPT_SOCKET: o->socket = arg; return 0;
    case OPT_ALL: o->everywhere = true; return 0;
    case OPT_SNAPSHOTS:
        return cli_number(arg, 64, &o->snapshots) && o->snapshots >= 2
                   ? 0
                   : cli_bad_option("--snapshots: expected a number from 2 to 64, found '%s'", arg);
    case ARGP_KEY_END: return end_options(o);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&session_argp, 0, "Runs of the model, as karat run:", 0}, {0}};
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
           "for a batch that fails.",
    .children = children,
};

/* Start gdb on that port. */
static bool start_gdb(uint16_t port, const char *elf) {
    char target[64];
    snprintf(target, sizeof target, "target remote localhost:%u", port);
    const pid_t pid = fork();
    if (pid < 0) {
        cli_error("gdb cannot be started: %s", strerror(errno));
        return false;
    }
    if (pid)
        return true;
    execlp("gdb-multiarch", "gdb-multiarch", "-q", "-ex", target, elf, (char *)NULL);
    fprintf(stderr, "karat debug: gdb-multiarch cannot be started: %s (Debian: apt install gdb-multiarch)\n",
            strerror(errno));
    _exit(1);
}

/* The one client. */
static bool wait_for_client(debug_front *f, const debug_options *o, const char *elf) {
    karat_diag diag;
    uint16_t port = (uint16_t)o->port;
    const int fd = karat_gdb_listen(&port, o->socket, o->everywhere, &diag);
    if (fd < 0) {
        cli_error("%s", diag.text);
        return false;
    }
    if (o->socket && !(f->path = strdup(o->socket))) {
        cli_error("not enough memory");
        close(fd);
        return false;
    }
    if (o->gdb) {
        signal(SIGINT, SIG_IGN); /* of the terminal: gdb's */
        if (!start_gdb(port, elf)) {
            close(fd);
            return false;
        }
    } else {
        const char *file = elf ? elf : "FILE";
        o->socket ? printf("waiting for: gdb-multiarch %s -ex 'target remote %s'\n", file, o->socket)
                  : printf("waiting for: gdb-multiarch %s -ex 'target remote localhost:%u'\n", file, port);
        fflush(stdout);
    }
    while ((f->gdb.client = accept(fd, NULL, NULL)) < 0 && errno == EINTR)
        ;
    close(fd);
    if (f->gdb.client < 0)
        cli_error("gdb does not come: %s", strerror(errno));
    return f->gdb.client >= 0;
}

bool debug_open(debug_front *f, const debug_options *o, const karat_debug_config *rest, const char *elf) {
    *f = (debug_front){.prompt = {o->batch, stdout}, .gdb = {-1}};
    const bool by_gdb = o->gdb || o->serve || o->socket;
    karat_debug_config config = *rest;
    config.snapshots = (unsigned)o->snapshots;
    config.shared_size = by_gdb ? karat_gdb_shared_size() : karat_prompt_shared_size();
    if (by_gdb && !wait_for_client(f, o, elf))
        return false;
    f->debugger = karat_debugger_create(&config);
    if (!f->debugger)
        cli_error("not enough memory");
    f->front = by_gdb ? karat_gdb_front(&f->gdb) : karat_prompt_front(&f->prompt);
    return f->debugger != NULL;
}

void debug_close(debug_front *f) {
    karat_debugger_destroy(f->debugger);
    if (f->gdb.client >= 0)
        close(f->gdb.client);
    if (f->path)
        unlink(f->path);
    free(f->path);
}

int debug_status(int status) {
    if (status >= 0)
        return status;
    cli_error("the run has ended unexpectedly");
    return CLI_BAD_INPUT;
}

int cmd_debug(int argc, char **argv) {
    debug_options o = {0};
    if (!cli_parse(&cmd_debug_argp, argc, argv, &o)) {
        session_options_free(&o.session);
        return CLI_BAD_INPUT;
    }
    return o.is_check ? debug_check(&o) : debug_run(&o);
}
