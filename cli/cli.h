/* The common part of the subcommands of `karat`. */
#ifndef KARAT_CLI_H
#define KARAT_CLI_H

#include <argp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "karat/karat.h"
#include "outputs.h"

/* Exit statuses: the verdicts of every subcommand. */
enum {
    CLI_OK = 0,
    CLI_MISMATCH = 1,
    CLI_BAD_INPUT = 2,
    CLI_HANG = 3,
    CLI_PROGRAM_ERROR = 4,
    CLI_INCOMPLETE = 5
};

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
    DO(campaign, "campaign", "run many programs on many cores, and sort the failures by bug")                \
    DO(cov, "cov", "report or merge the coverage of runs")                                                   \
    DO(isa, "isa", "print the instruction table, or all about one instruction")                              \
    DO(doctor, "doctor", "report which tools are installed, and which jobs lack one")                        \
    DO(help, "help", "print help, a manual page, or the completion of a shell")

/* argv[0] is "karat NAME".  They return an exit status. */
#define DECLARE(id, name, summary)                                                                           \
    int cmd_##id(int argc, char **argv);                                                                     \
    extern const struct argp cmd_##id##_argp;
CLI_SUBCOMMANDS(DECLARE)
#undef DECLARE

/* One line on stderr, "karat NAME: ...". */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The first such line of this process, without the command's name; NULL: none. */
const char *cli_first_error(void);
void cli_set_name(const char *name);

/* Parse a command line.  False where it must not be carried out: an error was reported, the status is CLI_BAD_INPUT.  --help
 * and the like end the process. */
bool cli_parse(const struct argp *argp, int argc, char **argv, void *input);
/* The same up to the first argument: the rest are a subcommand's. */
bool cli_parse_first(const struct argp *argp, int argc, char **argv, void *input);

/* Calls that with each option of a parser and its children, aliases and group headers (without a name) included. */
void cli_each_option(const struct argp *argp, void (*each)(const struct argp_option *option, void *context),
                     void *context);
/* Those that argp adds to every parser; ends with a zero. */
extern const struct argp_option cli_builtin[];

/* At ARGP_KEY_INIT, in every parser: getopt's line about a wrong option is enough, argp adds no second one.
 */
void cli_one_line(struct argp_state *state);
/* In a parser: cli_error() and the error that makes cli_parse() return false. */
error_t cli_bad_option(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* In a parser, for keys that are not its own: the one argument is a trace. */
error_t cli_one_trace(int key, const char *arg, const char **file);

/* Zeroed memory. Where there is none, the process ends with one line and status CLI_BAD_INPUT; in `karat` that holds for what jansson
 * allocates as well. */
void *cli_alloc(size_t size);

/* A number, decimal or 0x hex, at most max; false where text is none. */
bool cli_number(const char *text, uint64_t max, uint64_t *value);
/* In a parser, for --threads: of a warp. */
error_t cli_threads(const char *arg, uint64_t *threads);
/* An instruction's word in hex, with or without 0x. */
bool cli_word(const char *text, uint32_t *word);
/* The option --profile, and its argument in a parser: 0, or as cli_bad_option(). */
#define CLI_OR_NAME(with, id, name, features) " or " name
#define CLI_PROFILE_OPTION(key, text, group)                                                                 \
    { "profile", key, "P", 0, &(KARAT_PROFILES(CLI_OR_NAME, ) ": " text)[sizeof " or " - 1], group }
error_t cli_profile(const char *text, karat_profile *profile);

/* The instruction whose name is near that one, or NULL. */
const char *cli_near_instruction(const char *name);

/* An address with its symbol, "0x80000010 <main+0x8>". */
#define CLI_PLACE_SIZE 256
const char *cli_place(const karat_kernel *kernel, uint32_t pc, char text[CLI_PLACE_SIZE]);
/* First and last byte of the place that a text names, an address or a symbol; a symbol without a size extends to the next one. False: the
 * kernel has no such symbol. */
bool cli_find_place(const karat_kernel *kernel, const char *text, uint32_t *first, uint32_t *last);
/* An instruction with its prefix: "0010200b 02310c5b  vadd.vi ...". */
#define CLI_INSN_SIZE 192
const char *cli_insn(karat_profile profile, uint32_t pc, uint32_t prefix, uint32_t word,
                     char text[CLI_INSN_SIZE]);

/* Room for the text of karat_elsewhere(). */
#define CLI_KNOWN_SIZE 256

/* Name of a status of the model, for messages. */
const char *cli_status_name(karat_status status);

/* karat_outputs_begin(), with one line on stderr where that is false. */
bool cli_begin_outputs(karat_outputs *outputs);

/* Close a stream that was written to; false and one line where not all of it could be written. */
bool cli_close_output(FILE *stream, const char *path);

#endif
