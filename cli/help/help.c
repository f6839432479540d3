/* Command karat help: the help of a subcommand, a manual page, or the completion of a shell. */
#include "subcommands.h"

enum { OPT_MAN = 256, OPT_COMPLETION };

typedef struct help_options {
    bool man;
    const char *shell, *subcommand;
} help_options;

static const struct argp_option options[] = {
    {"man", OPT_MAN, NULL, 0, "Print it as a manual page: man -l <(karat help --man run)", 0},
    {"completion", OPT_COMPLETION, "SHELL", 0,
     "Print a script that completes the command in bash, zsh or fish: source <(karat help --completion=bash)",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    help_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case OPT_MAN: o->man = true; return 0;
    case OPT_COMPLETION: o->shell = arg; return 0;
    case ARGP_KEY_ARG:
        if (o->subcommand)
            return cli_bad_option("expected one subcommand, found '%s' and '%s'", o->subcommand, arg);
        o->subcommand = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_help_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[SUBCOMMAND]",
    .doc = "Print the help of a subcommand, or the list of all.",
};

/* As --help prints it, after which argp ends the process. */
static int print_help(const cli_subcommand *subcommand) {
    static char name[64] = "karat", option[] = "--help";
    char *argv[] = {name, option, NULL};
    int index = 0;
    if (!subcommand)
        return cli_parse_first(&cli_argp, 2, argv, &index) ? CLI_OK : CLI_BAD_INPUT;
    snprintf(name, sizeof name, "karat %s", subcommand->name);
    return subcommand->run(2, argv);
}

int cmd_help(int argc, char **argv) {
    help_options o = {0};
    if (!cli_parse(&cmd_help_argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    if (o.shell) {
        if (completion_print(stdout, o.shell))
            return CLI_OK;
        cli_error("--completion: expected bash, zsh or fish, found '%s'", o.shell);
        return CLI_BAD_INPUT;
    }
    const cli_subcommand *subcommand = o.subcommand ? cli_subcommand_find(o.subcommand) : NULL;
    if (o.subcommand && !subcommand)
        return CLI_BAD_INPUT;
    if (!o.man)
        return print_help(subcommand);
    man_print(stdout, subcommand);
    return CLI_OK;
}
