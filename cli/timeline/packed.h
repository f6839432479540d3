/* Output files that are packed by gzip or zstd where their names end so. */
#ifndef KARAT_CLI_PACKED_H
#define KARAT_CLI_PACKED_H

#include <stdio.h>

/* A stream whose bytes arrive in out, packed where name ends with .gz or .zst: packed_close() ends it, out
 * stays open. NULL: memory is short. */
FILE *packed_open(FILE *out, const char *name);
/* 0, or EOF: not all of it arrived. */
int packed_close(FILE *stream, FILE *out);

#endif
