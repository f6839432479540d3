/* Command karat locate: reads its options and starts the Python beside it. */
#include "subcommands.h"
#include "python_part.h"

typedef struct locate_options {
    cli_python python;
    const char *core, *wave;
} locate_options;

enum { OPT_JSON = 256, OPT_MUTANTS, OPT_WAVE };

static const struct argp_option options[] = {
    {"core", 'c', "HARNESS", 0,
     "The core in its harness, built with coverage: karat_add_core(... COVERAGE line)", 0},
    {"json", OPT_JSON, NULL, 0, "The suspects as JSON", 0},
    {"mutants", OPT_MUTANTS, "HARNESS", 0,
     "Run mutants of the suspects, too: the core in its harness, built with karat_add_core(... MUTABLE)", 0},
    {"wave", OPT_WAVE, "FILE", 0,
     "Write the waveform of the failing window to FILE (FST), with save files of GTKWave and Surfer, in "
     "which their signals come first",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    static char word[] = "locate";
    locate_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return cli_python_word(&o->python, word);
    case 'c': o->core = arg; return cli_python_option(&o->python, "core", arg);
    case OPT_JSON: return cli_python_option(&o->python, "json", NULL);
    case OPT_MUTANTS: return cli_python_option(&o->python, "mutants", arg);
    case OPT_WAVE: o->wave = arg; return cli_python_option(&o->python, "wave", arg);
    case ARGP_KEY_ARG:
        if (*arg != '+')
            return cli_bad_option("expected arguments of the harness, +NAME, found '%s'", arg);
        return cli_python_word(&o->python, arg);
    case ARGP_KEY_END: return o->core ? 0 : cli_bad_option("expected --core=HARNESS");
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_locate_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "+kernel=FILE [+ARGUMENT...]",
    .doc = "Rank the lines of a core's RTL by how suspicious a run that fails makes them: at most ten. The "
           "run is made by HARNESS with these arguments, as in the line 'rerun' of its report.\v"
           "docs/triage.md says what the list is made of, and what it cannot say. Exit status: 0 there are "
           "suspects, 1 none, 2 bad input, or a run that does not fail.",
};

int cmd_locate(int argc, char **argv) {
    locate_options o = {0};
    bool good = cli_parse(&cmd_locate_argp, argc, argv, &o);
    if (good && o.wave) {
        karat_outputs outputs = {0};
        karat_outputs_write(&outputs, o.wave);
        good = cli_begin_outputs(&outputs);
    }
    return cli_python_start(&o.python, good ? "rtl" : NULL);
}
