/* `karat`: one command, one subcommand per task. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommand;

static const subcommand subcommands[] = {
    {"run", cmd_run},       {"check", cmd_check},   {"compare-log", cmd_compare_log},
    {"import", cmd_import}, {"disasm", cmd_disasm}, {"isa", cmd_isa},
    {"cov", cmd_cov},       {"gen", cmd_gen},       {"shrink", cmd_shrink},
    {"launch", cmd_launch},
};

typedef struct choice {
    int index; /* of the subcommand's name in argv; 0: none */
} choice;

static error_t parse(int key, char *arg, struct argp_state *state) {
    choice *c = state->input;
    (void)arg;
    if (key == ARGP_KEY_INIT)
        cli_one_line(state);
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    c->index = state->next - 1;
    state->next = state->argc; /* the rest is the subcommand's */
    return 0;
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "SUBCOMMAND [ARGUMENT...]",
    .doc =
        "Karat, a golden model for the Ventus RISC-V GPGPU.\v"
        "Subcommands:\n"
        "  run          run kernels on the model\n"
        "  launch       write the launch of an ELF file as .metadata and .data\n"
        "  check        judge recorded runs of a core again\n"
        "  compare-log  run kernels and compare every step with a register log\n"
        "  import       make a trace of another simulator's log, for check to judge\n"
        "  disasm       disassemble words, an ELF file, a kernel's code or a text file of words\n"
        "  gen          test vectors: random programs\n"
        "  shrink       the smallest program that still fails\n"
        "  cov          coverage of the ISA and of the model's state by runs\n"
        "  isa          the instruction table, and all about one instruction: text, JSON, Markdown\n"
        "\n'karat SUBCOMMAND --help' says more. Exit status: 0 as it should be, 1 mismatch, 2 bad input or "
        "usage, 3 hang, 4 program error, 5 incomplete.",
};

int main(int argc, char **argv) {
    static char name[64];
    static char plain[] = "karat";
    choice chosen = {0};
    argp_program_version = "karat " KARAT_VERSION;
    argp_err_exit_status = CLI_BAD_INPUT;
    if (argc < 1)
        return CLI_BAD_INPUT;
    argv[0] = plain;
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &chosen))
        return CLI_BAD_INPUT;
    if (!chosen.index) {
        cli_error("expected a subcommand (see 'karat --help')");
        return CLI_BAD_INPUT;
    }
    const char *wanted = argv[chosen.index];
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++) {
        if (strcmp(wanted, subcommands[i].name) != 0)
            continue;
        snprintf(name, sizeof name, "karat %s", wanted);
        cli_set_name(name);
        argv[chosen.index] = name;
        int status = subcommands[i].run(argc - chosen.index, argv + chosen.index);
        if (!cli_close_output(stdout, "standard output") && status == CLI_OK)
            status = CLI_BAD_INPUT;
        return status;
    }
    cli_error("unknown subcommand '%s' (see 'karat --help')", wanted);
    return CLI_BAD_INPUT;
}
