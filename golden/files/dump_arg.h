/* Final buffers of a launch, selected on the command line: N, or N:FILE, N the number of an argument from 0
 * on (docs/run.md). */
#ifndef KARAT_DUMP_ARG_H
#define KARAT_DUMP_ARG_H

#include "karat/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_DUMP_ARG_EXPECTED "N or N:FILE, N the number of an argument from 0 on"

typedef struct karat_dump_arg {
    uint32_t arg;
    const char *path; /* NULL: standard output. Points into the text that was parsed */
} karat_dump_arg;

/* False: the text has not the form of KARAT_DUMP_ARG_EXPECTED. */
bool karat_dump_arg_parse(const char *text, karat_dump_arg *dump);
/* Whether the launch has that argument, and it is a buffer of device memory; false with one line in *diag. */
bool karat_dump_arg_check(const karat_dump_arg *dump, const karat_launch_spec *launch, karat_diag *diag);

/* Reads device memory; false where a byte is not mapped. */
typedef bool (*karat_dump_read)(const void *context, uint32_t addr, void *bytes, size_t size);
/* Write the buffer to its file, or as words in hex to standard output; false with one line in *diag. The
 * launch is loaded. */
bool karat_dump_arg_write(const karat_dump_arg *dump, const karat_launch_spec *launch, karat_dump_read read,
                          const void *context, karat_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
