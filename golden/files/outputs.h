/* The files that a command reads and writes, before it opens any of them.
 *
 * An output is a file of its own: no input, and no other output, under any name (another spelling, a symbolic
 * or a hard link). After that check, a file of an earlier run under an output's name is removed: a command
 * that fails leaves nothing that could be mistaken for its own. Devices and pipes are written to directly. */
#ifndef KARAT_OUTPUTS_H
#define KARAT_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "karat/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero it before. */
typedef struct karat_outputs {
    struct karat_output_name *names;
    size_t num;
    bool no_memory;
} karat_outputs;

/* Names, which must live until karat_outputs_begin(). NULL: none. */
void karat_outputs_read(karat_outputs *o, const char *path);
/* A kernel's file, and the .data file beside it. */
void karat_outputs_read_kernel(karat_outputs *o, const char *path);
void karat_outputs_write(karat_outputs *o, const char *path);
/* An output of text: a program or a recording under that name is refused, since it was meant as an input
 * ('--json a.elf'). */
void karat_outputs_text(karat_outputs *o, const char *path);
/* An output whose existing file is not removed: the command continues with it. */
void karat_outputs_continue(karat_outputs *o, const char *path);

/* An output that may be an input: it is replaced once the new one is whole. */
void karat_outputs_update(karat_outputs *o, const char *path);

/* False with one line in *diag: an output has another use as well, or cannot be written; then nothing has
 * been touched. *o is freed in any case. */
bool karat_outputs_begin(karat_outputs *o, karat_diag *diag);

/* The file that a path names: symbolic links are followed, also to a file that is not there yet. */
typedef struct karat_target {
    char *path;        /* Where it is; for the caller to free */
    bool there, plain; /* Where plain, a regular file, or none yet; else a device, a pipe or a folder */
    int fd;            /* The one of this process that the path names (/dev/stdout, /dev/fd/N); -1: none */
} karat_target;
/* False: errno has the reason. */
bool karat_target_find(karat_target *t, const char *path);

#ifdef __cplusplus
}
#endif
#endif
