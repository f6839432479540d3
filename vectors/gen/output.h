/* A program as files that cores and simulators take. Each function returns false with one line in *diag where
 * the file cannot be written, or where the program cannot be linked; a file is never left half written. */
#ifndef KARAT_OUTPUT_H
#define KARAT_OUTPUT_H

#include "prog.h"

/* An ELF32 executable with .karat.launch (vectors/karat.inc). */
bool output_elf(prog *p, const char *path, karat_diag *diag);
/* .metadata and the .data that belongs to it, for a device of that many threads per warp. */
bool output_metadata(prog *p, uint32_t num_thread, const char *metadata, const char *data, karat_diag *diag);
/* Code and data for Verilog's $readmemh: 32-bit words, addresses in words. */
bool output_hex(prog *p, const char *path, karat_diag *diag);
/* Device memory in the same form, what the kernel left: num areas of so many bytes, from base on, 'apart'
 * bytes from one to the next. */
bool output_memory(const karat_model *model, uint32_t base, uint32_t bytes, uint32_t apart, uint32_t num,
                   const char *path, karat_diag *diag);
/* The program as assembly: address, words, instruction, a label at each target. */
bool output_listing(prog *p, const char *path, karat_diag *diag);

#endif
