/* Launches on the command line, for every subcommand that takes kernels (docs/run.md). */
#ifndef KARAT_CLI_LAUNCH_OPTIONS_H
#define KARAT_CLI_LAUNCH_OPTIONS_H

#include "cli.h"
#include "dump_arg.h"

/* Parser of the launch's options: a child of a subcommand's parser. Its input is a karat_launch_spec, zeroed.
 * karat_launch_spec_free(). */
extern const struct argp launch_argp;

/* Load a kernel of the list that the command line names: with the launch, if there is one, on a device of
 * that many threads. An oddity that was accepted is reported in one line. False: an error was reported. */
karat_kernel *launch_load(const char *path, karat_launch_spec *launch, uint32_t num_files, uint64_t threads);

/* Write a kernel's launch, for warps of that many threads, to the two files. False: an error was reported. */
bool launch_write(const karat_kernel *kernel, uint32_t threads, const char *metadata, const char *data);

/* A final buffer, for --dump-arg. False: an error was reported. launch_dump_check(): the launch has that
 * argument, and it is a buffer. */
bool launch_dump_parse(const char *text, karat_dump_arg *dump);
bool launch_dump_check(const karat_dump_arg *dump, const karat_launch_spec *launch);
bool launch_dump_write(const karat_dump_arg *dump, const karat_launch_spec *launch, karat_dump_read read,
                       const void *context);

#endif
