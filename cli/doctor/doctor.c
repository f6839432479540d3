/* Command karat doctor: which tools are installed, and which jobs lack one. */
#include "subcommands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "closest_name.h"
#include "results.h"

enum { OPT_JSON = 256 };

/* In PATH; of pkg-config; of Debian's Python, which the scripts run with; of the python3 in PATH, which may
 * be that of a virtual environment. */
typedef enum kind { PROGRAM, LIBRARY, MODULE, OWN_MODULE, NUM_KIND } kind;

typedef struct need {
    kind kind;
    const char *name;
    const char *package; /* The package of Debian 12; NULL: it has none */
    const char *source;  /* Where it is from, then */
    const char *gain;    /* Gain of a job that does without it too; NULL: the job wants it */
} need;

#define MAX_NEED 10
typedef struct job {
    const char *name, *about;
    need needs[MAX_NEED];
} job;

#define WANTS(kind, name, package)                                                                           \
    { kind, name, package, NULL, NULL }
static const job jobs[] = {
    {"lockstep",
     "build a core's harness with Verilator",
     {WANTS(PROGRAM, "verilator", "verilator"), WANTS(PROGRAM, "c++", "g++"),
      WANTS(PROGRAM, "cmake", "cmake"), WANTS(PROGRAM, "ninja", "ninja-build"),
      WANTS(PROGRAM, "pkg-config", "pkg-config"), WANTS(LIBRARY, "jansson", "libjansson-dev"),
      WANTS(LIBRARY, "libxxhash", "libxxhash-dev"), WANTS(LIBRARY, "libzstd", "libzstd-dev")}},
    {"programs",
     "assemble programs with the macros of vectors/karat.inc",
     {WANTS(PROGRAM, "clang", "clang"), WANTS(PROGRAM, "ld.lld", "lld")}},
    {"library",
     "call the model from C",
     {WANTS(PROGRAM, "cc", "gcc"), WANTS(PROGRAM, "pkg-config", "pkg-config")}},
    {"systemc",
     "run a core in a SystemC platform",
     {WANTS(PROGRAM, "pkg-config", "pkg-config"), WANTS(LIBRARY, "systemc", "libsystemc-dev")}},
    {"scripts",
     "run scripts/: regress, streams, matrix, bug_report",
     {WANTS(PROGRAM, "/usr/bin/python3", "python3"), WANTS(MODULE, "jinja2", "python3-jinja2")}},
    {"campaign",
     "run karat campaign",
     {WANTS(PROGRAM, "/usr/bin/python3", "python3"),
      WANTS(MODULE, "jinja2", "python3-jinja2"),
      {MODULE, "rich", "python3-rich", .gain = "a live display"},
      {PROGRAM, "sbatch", "slurm-wlm", .gain = "campaigns on Slurm"}}},
    {"python",
     "call the model from Python",
     {WANTS(PROGRAM, "python3", "python3"),
      {OWN_MODULE, "karat", .source = "build/release/python in PYTHONPATH, or python3-karat of cpack -G DEB"},
      {OWN_MODULE, "numpy", "python3-numpy", .gain = "lanes as arrays, not as lists"}}},
    {"cocotb",
     "check a core that cocotb drives",
     {WANTS(PROGRAM, "python3", "python3"),
      {OWN_MODULE, "karat", .source = "build/release/python in PYTHONPATH, or python3-karat of cpack -G DEB"},
      {OWN_MODULE, "cocotb",
       .source = "pip install 'cocotb<2' in a virtual environment (docs/simulators.md)"},
      WANTS(PROGRAM, "verilator", "verilator"),
      WANTS(PROGRAM, "c++", "g++"),
      WANTS(PROGRAM, "make", "make"),
      {PROGRAM, "iverilog", "iverilog", .gain = "Icarus Verilog in place of Verilator"}}},
    {"waves", "look at waveforms (FST)", {WANTS(PROGRAM, "gtkwave", "gtkwave")}},
};
#define NUM_JOB (sizeof jobs / sizeof *jobs)

typedef struct doctor_options {
    bool wanted[NUM_JOB], any;
} doctor_options;

static error_t take_job(doctor_options *o, const char *name) {
    karat_closest_name near = {.word = name, .length = strlen(name)};
    for (size_t i = 0; i < NUM_JOB; i++) {
        karat_closest_offer(&near, jobs[i].name);
        if (strcmp(jobs[i].name, name) == 0) {
            o->wanted[i] = o->any = true;
            return 0;
        }
    }
    return near.name ? cli_bad_option("unknown job '%s': did you mean '%s'?", name, near.name)
                     : cli_bad_option("unknown job '%s' (karat doctor lists them)", name);
}

static const struct argp_option options[] = {RESULTS_OPTION(OPT_JSON, 0), {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case OPT_JSON: results_as_json(); return 0;
    case ARGP_KEY_ARG: return take_job(state->input, arg);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_doctor_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[JOB...]",
    .doc =
        "Report for each job, or those named, which of the tools that it wants are installed, and the Debian "
        "packages of those that are not.\v"
        "run, check, gen and all other subcommands want nothing but karat itself. Exit status: 0 every "
        "tool that a job wants is installed, 1 one is missing, 2 bad usage.",
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
    case OWN_MODULE:
        snprintf(command, sizeof command,
                 "%s -c 'import %s as m; m.__file__ or exit(1); print(m.__file__)' 2>/dev/null",
                 n->kind == MODULE ? "/usr/bin/python3" : "python3", n->name);
        break;
    case NUM_KIND: return false;
    }
    return ask(command, found);
}

typedef struct finding {
    const need *need;
    bool there;
    char found[FOUND_SIZE]; /* Its place or its version */
} finding;

/* Where a need is from that has no package: of an installed prefix the Python package is in that. */
static const char *source_of(const need *n) {
    static char text[PATH_MAX + 64];
    char prefix[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
    if (length <= 0 || n->kind != OWN_MODULE || strcmp(n->name, "karat") != 0)
        return n->source;
    prefix[length] = '\0';
    for (unsigned up = 0; up < 2 && strrchr(prefix, '/'); up++)
        *strrchr(prefix, '/') = '\0';
    const int folder = snprintf(text, sizeof text, "%s/lib/python3/dist-packages", prefix);
    char module[sizeof text + 32];
    snprintf(module, sizeof module, "%s/karat/__init__.py", text);
    if (access(module, R_OK))
        return n->source;
    snprintf(text + folder, sizeof text - (size_t)folder, " in PYTHONPATH");
    return text;
}

static void print_finding(const finding *f) {
    const need *n = f->need;
    const char *from = n->package ? "Debian package " : "", *name = n->package ? n->package : source_of(n);
    if (f->there)
        printf("  %-11s %s\n", n->name, f->found);
    else if (n->gain)
        printf("  %-11s optional, for %s: %s%s\n", n->name, n->gain, from, name);
    else
        printf("  %-11s missing: %s%s\n", n->name, from, name);
}

static json_t *finding_json(const finding *f) {
    static const char *const kinds[NUM_KIND] = {"program", "library", "module", "module"};
    const need *n = f->need;
    return json_pack("{s:s, s:s, s:o, s:s?, s:s?, s:s?}", "name", n->name, "kind", kinds[n->kind], "found",
                     f->there ? results_name(f->found) : json_null(), "package", n->package, "source",
                     source_of(n), "gain", n->gain);
}

typedef struct package_list {
    const char *names[NUM_JOB * MAX_NEED];
    size_t num;
} package_list;

static void add_package(package_list *p, const char *name) {
    for (size_t i = 0; i < p->num; i++)
        if (strcmp(p->names[i], name) == 0)
            return;
    p->names[p->num++] = name;
}

/* False: a tool that the job wants is missing. Packages that are not there are added to *missing. */
static bool report(const job *j, package_list *missing, json_t *list) {
    static finding findings[MAX_NEED];
    bool ready = true;
    size_t num = 0;
    for (; num < MAX_NEED && j->needs[num].name; num++) {
        finding *f = &findings[num];
        f->need = &j->needs[num];
        f->there = find(f->need, f->found);
        ready = ready && (f->there || f->need->gain);
        if (!f->there && !f->need->gain && f->need->package)
            add_package(missing, f->need->package);
    }
    if (list) {
        json_t *tools = json_array();
        for (size_t i = 0; i < num; i++)
            json_array_append_new(tools, finding_json(&findings[i]));
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:o}", "job", j->name, "about", j->about,
                                              "ready", ready, "tools", tools));
        return ready;
    }
    printf("%-9s %-6s  %s\n", j->name, ready ? "ready" : "lacks", j->about);
    for (size_t i = 0; i < num; i++)
        print_finding(&findings[i]);
    return ready;
}

int cmd_doctor(int argc, char **argv) {
    doctor_options o = {0};
    package_list missing = {0};
    if (!cli_parse(&cmd_doctor_argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    json_t *list = results_are_json() ? json_array() : NULL;
    bool ready = true, good = true;
    if (!list)
        cli_print_version(stdout, NULL);
    for (size_t i = 0; i < NUM_JOB; i++)
        if (!o.any || o.wanted[i])
            ready &= report(&jobs[i], &missing, list);
    if (list)
        good = results_put(json_pack("{s:s, s:s, s:b, s:o}", "version", karat_version(), "commit", cli_commit,
                                     "ready", ready, "jobs", list));
    else if (missing.num) {
        fputs("to install what is missing: apt-get install", stdout);
        for (size_t i = 0; i < missing.num; i++)
            printf(" %s", missing.names[i]);
        putchar('\n');
    }
    return !good ? CLI_BAD_INPUT : ready ? CLI_OK : CLI_MISMATCH;
}
