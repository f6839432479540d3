/* karat doctor: which tools are installed, and which jobs lack one. */
#include "subcommands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "near.h"

typedef enum kind { PROGRAM, LIBRARY, MODULE } kind; /* in PATH; of pkg-config; of Python */

typedef struct need {
    kind kind;
    const char *name, *package; /* package: of Debian 12 */
} need;

#define MAX_NEED 10
typedef struct job {
    const char *name, *about;
    need needs[MAX_NEED];
} job;

static const job jobs[] = {
    {"lockstep",
     "build a core's harness with Verilator",
     {{PROGRAM, "verilator", "verilator"},
      {PROGRAM, "c++", "g++"},
      {PROGRAM, "cmake", "cmake"},
      {PROGRAM, "ninja", "ninja-build"},
      {PROGRAM, "pkg-config", "pkg-config"},
      {LIBRARY, "libdw", "libdw-dev"},
      {LIBRARY, "libedit", "libedit-dev"},
      {LIBRARY, "jansson", "libjansson-dev"},
      {LIBRARY, "libxxhash", "libxxhash-dev"},
      {LIBRARY, "libzstd", "libzstd-dev"}}},
    {"programs",
     "assemble programs with the macros of vectors/karat.inc",
     {{PROGRAM, "clang", "clang"}, {PROGRAM, "ld.lld", "lld"}}},
    {"library", "call the model from C", {{PROGRAM, "cc", "gcc"}, {PROGRAM, "pkg-config", "pkg-config"}}},
    {"systemc",
     "run a core in a SystemC platform",
     {{PROGRAM, "pkg-config", "pkg-config"}, {LIBRARY, "systemc", "libsystemc-dev"}}},
    {"scripts",
     "run scripts/: regress, streams, matrix, bug_report",
     {{PROGRAM, "/usr/bin/python3", "python3"}, {MODULE, "jinja2", "python3-jinja2"}}},
    {"campaign",
     "run karat campaign: with a live display, and on Slurm",
     {{PROGRAM, "/usr/bin/python3", "python3"},
      {MODULE, "jinja2", "python3-jinja2"},
      {MODULE, "rich", "python3-rich"},
      {PROGRAM, "sbatch", "slurm-wlm"}}},
    {"waves", "look at waveforms (FST)", {{PROGRAM, "gtkwave", "gtkwave"}}},
};
#define NUM_JOB (sizeof jobs / sizeof *jobs)

typedef struct doctor_options {
    bool wanted[NUM_JOB], any;
} doctor_options;

static error_t take_job(doctor_options *o, const char *name) {
    karat_near near = {.word = name, .length = strlen(name)};
    for (size_t i = 0; i < NUM_JOB; i++) {
        karat_near_offer(&near, jobs[i].name);
        if (strcmp(jobs[i].name, name) == 0) {
            o->wanted[i] = o->any = true;
            return 0;
        }
    }
    return near.name ? cli_bad_option("unknown job '%s': did you mean '%s'?", name, near.name)
                     : cli_bad_option("unknown job '%s' (karat doctor lists them)", name);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case ARGP_KEY_ARG: return take_job(state->input, arg);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_doctor_argp = {
    .parser = parse,
    .args_doc = "[JOB...]",
    .doc =
        "Report for each job, or those named, which of the tools that it wants are installed, and the Debian "
        "packages of those that are not.\v"
        "run, check, gen and all other subcommands want nothing but karat itself. Exit status: 0 every "
        "tool is installed, 1 one is missing, 2 bad usage.",
};

#define FOUND_SIZE (PATH_MAX + 1)

static bool find_program(const char *name, char found[FOUND_SIZE]) {
    if (name[0] == '/') {
        snprintf(found, FOUND_SIZE, "%s", name);
        return access(name, X_OK) == 0;
    }
    for (const char *path = getenv("PATH"); path; path = strchr(path, ':')) {
        path += *path == ':';
        const int length = snprintf(found, FOUND_SIZE, "%.*s/%s", (int)strcspn(path, ":"), path, name);
        if (length < FOUND_SIZE && access(found, X_OK) == 0)
            return true;
    }
    return false;
}

/* The first line that a command prints; false where it fails. */
static bool ask(const char *command, char found[FOUND_SIZE]) {
    FILE *pipe = popen(command, "r");
    found[0] = '\0';
    if (!pipe)
        return false;
    if (fgets(found, FOUND_SIZE, pipe))
        found[strcspn(found, "\n")] = '\0';
    return pclose(pipe) == 0;
}

static bool find(const need *n, char found[FOUND_SIZE]) {
    char command[256];
    switch (n->kind) {
    case PROGRAM: return find_program(n->name, found);
    case LIBRARY: snprintf(command, sizeof command, "pkg-config --modversion %s 2>/dev/null", n->name); break;
    case MODULE:
        snprintf(command, sizeof command, "/usr/bin/python3 -c 'import %s; print(%s.__file__)' 2>/dev/null",
                 n->name, n->name);
        break;
    }
    return ask(command, found);
}

/* False: a tool is missing. Its package is added to the list. */
static bool report(const job *j, FILE *packages) {
    bool ready = true;
    char found[MAX_NEED][FOUND_SIZE];
    bool there[MAX_NEED];
    for (size_t i = 0; i < MAX_NEED && j->needs[i].name; i++) {
        there[i] = find(&j->needs[i], found[i]);
        ready = ready && there[i];
    }
    printf("%-9s %-6s  %s\n", j->name, ready ? "ready" : "lacks", j->about);
    for (size_t i = 0; i < MAX_NEED && j->needs[i].name; i++)
        if (there[i]) {
            printf("  %-11s %s\n", j->needs[i].name, found[i]);
        } else {
            printf("  %-11s missing: Debian package %s\n", j->needs[i].name, j->needs[i].package);
            fprintf(packages, " %s", j->needs[i].package);
        }
    return ready;
}

int cmd_doctor(int argc, char **argv) {
    doctor_options o = {0};
    char *packages = NULL;
    size_t size;
    if (!cli_parse(&cmd_doctor_argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    FILE *list = open_memstream(&packages, &size);
    if (!list) {
        cli_error("not enough memory");
        return CLI_BAD_INPUT;
    }
    bool ready = true;
    cli_print_version(stdout, NULL);
    for (size_t i = 0; i < NUM_JOB; i++)
        if (!o.any || o.wanted[i])
            ready &= report(&jobs[i], list);
    fclose(list);
    if (!ready)
        printf("to install what is missing: apt-get install%s\n", packages);
    free(packages);
    return ready ? CLI_OK : CLI_MISMATCH;
}
