/* The subcommands of `karat`, and what it says of itself. */
#ifndef KARAT_CLI_SUBCOMMANDS_H
#define KARAT_CLI_SUBCOMMANDS_H

#include "cli.h"

typedef struct cli_subcommand {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
    const struct argp *argp;
} cli_subcommand;

/* In the order of CLI_SUBCOMMANDS; ends with one without a name. */
extern const cli_subcommand cli_subcommands[];

/* NULL: there is none of that name, which was reported. */
const cli_subcommand *cli_subcommand_find(const char *name);

/* Options and text of `karat` itself. Its input is an int: the index of the subcommand in argv, 0: none. */
extern const struct argp cli_argp;

/* The version of this build, in lines: release, commit, versions of API, profiles and retire port. */
void cli_print_version(FILE *out, struct argp_state *state);

/* In commit.c, which the build makes: the commit that was built, or "unknown". */
extern const char cli_commit[];

/* A manual page of a subcommand, or of karat where it is NULL. */
void man_print(FILE *out, const cli_subcommand *subcommand);

/* The rows of a subcommand ("": karat itself) in the table for completion, each after a newline. */
void completion_put(FILE *out, const char *subcommand, const struct argp *argp);
/* A script of that shell (bash, zsh, fish) that completes the command. False: there is none for it. */
bool completion_print(FILE *out, const char *shell);

#endif
