/* The subcommands of `karat`, and what it says of itself. */
#ifndef KARAT_CLI_SUBCOMMANDS_H
#define KARAT_CLI_SUBCOMMANDS_H

#include "cli.h"

/* Subcommands in the order in which help lists them: function, name, summary. */
#define CLI_SUBCOMMANDS(DO)                                                                                  \
    DO(run, "run", "run kernels on the model")                                                               \
    DO(launch, "launch", "write the launch of an ELF file as .metadata and .data")                           \
    DO(check, "check", "judge recorded runs of a core, and logs of other simulators")                        \
    DO(debug, "debug", "stop, look and go back in a run or a recording, also by gdb")                        \
    DO(timeline, "timeline", "write a recording as a timeline, for Perfetto or Konata")                      \
    DO(import, "import", "make a recording of another simulator's log")                                      \
    DO(disasm, "disasm", "disassemble words, an ELF file, a kernel or a file of words")                      \
    DO(gen, "gen", "make test vectors: random, directed, or for holes in coverage")                          \
    DO(shrink, "shrink", "find the smallest program that still fails")                                       \
    DO(locate, "locate", "rank the lines of a core's RTL that may be at fault")                              \
    DO(campaign, "campaign", "run many programs on many cores, and sort the failures by bug")                \
    DO(cov, "cov", "report or merge the coverage of runs")                                                   \
    DO(isa, "isa", "print the instruction table, or all about one instruction")                              \
    DO(doctor, "doctor", "report which tools are installed, and which jobs lack one")                        \
    DO(help, "help", "print help, a manual page, or the completion of a shell")

/* Their argv[0] is "karat NAME".  They return an exit status. */
#define DECLARE(id, name, summary)                                                                           \
    int cmd_##id(int argc, char **argv);                                                                     \
    extern const struct argp cmd_##id##_argp;
CLI_SUBCOMMANDS(DECLARE)
#undef DECLARE

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
