/* Input files. */
#ifndef KARAT_CLI_INPUT_H
#define KARAT_CLI_INPUT_H

#include <stddef.h>
#include <stdio.h>

/* A whole file ("-": standard input), or what gzip or zstd has packed in it, with a zero after it; the caller
 * frees it. NULL: an error was reported. */
char *input_read(const char *path, size_t *size);
/* The file as a stream that can be read again from its start: of standard input, a pipe or a packed file a
 * copy of its contents. */
FILE *input_open(const char *path);
/* The name of such a file, for messages. */
const char *input_name(const char *path);

#endif
