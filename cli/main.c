/* `karat`: one command, one subcommand per task. */
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "progress.h"
#include "subcommands.h"

/* Argp prints and ends with exit() by itself: a full disk is only seen here. */
static void end_output(void) {
    if (!cli_close_output(stdout, "standard output"))
        _exit(CLI_BAD_INPUT);
}

int main(int argc, char **argv) {
    static char name[64];
    static char plain[] = "karat";
    int chosen = 0;
    argp_program_version_hook = cli_print_version;
    argp_err_exit_status = CLI_BAD_INPUT;
    if (argc < 1)
        return CLI_BAD_INPUT;
    argv[0] = plain;
    json_set_alloc_funcs(cli_alloc, free);
    karat_progress_begin();
    atexit(end_output);
    if (!cli_parse_first(&cli_argp, argc, argv, &chosen))
        return CLI_BAD_INPUT;
    if (!chosen) {
        cli_error("expected a subcommand (see 'karat --help')");
        return CLI_BAD_INPUT;
    }
    const cli_subcommand *subcommand = cli_subcommand_find(argv[chosen]);
    if (!subcommand)
        return CLI_BAD_INPUT;
    snprintf(name, sizeof name, "karat %s", subcommand->name);
    cli_set_name(name);
    argv[chosen] = name;
    return subcommand->run(argc - chosen, argv + chosen);
}
