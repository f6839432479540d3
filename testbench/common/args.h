/* The command line of karat-<core>: +name=value arguments. */
#ifndef KARAT_TESTBENCH_ARGS_H
#define KARAT_TESTBENCH_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dump_arg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Texts point into argv, or live until karat_args_free(); NULL: absent. */
typedef struct karat_args {
    char **kernels;
    uint32_t num_kernels;
    karat_launch_spec launch; /* Launch of the one kernel, if any */
    karat_dump_arg *dumps;
    uint32_t num_dumps;
    char **parts; /* Parts of lists, which texts of argv and launch point into */
    uint32_t num_parts;
    uint64_t seed;
    uint32_t latency_min, latency_max;
    uint32_t stall_percent;
    int init; /* 0 zero, 1 one, 2 random: as VerilatedContext::randReset() takes it */
    const char *trace;
    uint64_t trace_from, trace_to;
    bool wave_window;                            /* +wave-window */
    uint64_t wave_before, wave_after, snapshots; /* Cycles; snapshots is 0 where the window decides */
    char **wave_signals;                         /* +wave-signals */
    uint32_t num_wave_signals;
    char **faults; /* +fault */
    uint32_t num_faults;
    bool sv39, drawn; /* +sv39, +sv39=SEED */
    uint64_t sv39_seed;
    uint64_t max_cycles; /* 0: no limit */
    uint64_t hang;
    int checker_thread; /* 0, 1; -1: where the process may use two processors */
    const char *record, *coverage, *json, *memory;
    const char *rtl_coverage;
    uint64_t *rtl_cycles; /* +rtl-coverage-at, in ascending order */
    uint32_t num_rtl_cycles;
    const char *core; /* NULL: the description that the core brings along */
    uint32_t strict;  /* KARAT_STRICT_* */
    bool debug;       /* +debug, +debug=COMMANDS, +debug-port=N, +debug-socket=PATH */
    const char *debug_batch, *debug_socket;
    bool debug_serve;
    uint16_t debug_port;
    bool quiet, no_check, no_assert, go_on, keep_going, help, list_faults, describe;
} karat_args;

/* Take argv[1] and on. False with one line in *error, for the caller to free (NULL: memory is short). */
bool karat_args_parse(karat_args *args, int argc, char *const *argv, char **error);
void karat_args_free(karat_args *args);

/* The names of all arguments one by one, "+kernel" and so on; NULL: no more. */
const char *karat_args_name(unsigned i, bool *takes_value);

/* The command of the run with a waveform around that cycle in the file wave: without the files that it
 * writes, +quiet and +go-on. The caller frees it; NULL: memory is short. */
char *karat_args_rerun(int argc, char *const *argv, const char *wave, uint64_t cycle);

/* The text that +help prints. */
void karat_args_print_usage(FILE *out);

/* The text that printf would print. The caller frees it; NULL: memory is short. */
char *karat_format(const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
