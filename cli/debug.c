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

static error_t parse(int key, char *arg, struct argp_state *state) {
    debug_options *o = state->input;
    switch (key) {
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
    case ARGP_KEY_END:
        if ((o->batch != NULL) + o->gdb + o->serve + (o->socket != NULL) > 1)
            return cli_bad_option("expected one of --batch, --gdb, --port and --socket");
        if (o->everywhere && !o->serve)
            return cli_bad_option("--all-interfaces: expected --port, too");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp debug_argp = {.options = options, .parser = parse};

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

int cmd_debug(int argc, char **argv) {
    static char names[][24] = {"karat debug run", "karat debug check"};
    static int (*const sources[])(int, char **) = {debug_run, debug_check};
    for (unsigned i = 0; argc > 1 && i < sizeof sources / sizeof *sources; i++)
        if (strcmp(argv[1], strrchr(names[i], ' ') + 1) == 0) {
            cli_set_name(names[i]);
            argv[1] = names[i];
            return sources[i](argc - 1, argv + 1);
        }
    const bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0);
    fputs("Usage: karat debug run [OPTION...] FILE...\n"
          "       karat debug check [OPTION...] TRACE\n"
          "Stop, look at and go back in a run of the model, or a recorded run of a core (docs/debug.md).\n",
          help ? stdout : stderr);
    return help ? CLI_OK : CLI_BAD_INPUT;
}
