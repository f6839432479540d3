/* Instructions of fixed rows, with the operands that the structure of a program needs. All modules that make instructions use it.
 * Vector instructions here are unmasked. */
#ifndef KARAT_RANDOM_INSN_H
#define KARAT_RANDOM_INSN_H

#include "../csr.h"
#include "emit.h"

/* --- CSRs --- */

void insn_csr_read(gen *g, uint32_t reg, uint32_t csr);
/* csrrwi x0, csr, value */
void insn_csr_set(gen *g, uint32_t csr, int32_t value);
/* An access of row u to that CSR, unless the CSR forbids it; source PROG_NONE: any. Results that may differ from run to run go to
 * gen.sink. */
void insn_csr(gen *g, const row_use *u, uint32_t csr, int32_t source);

/* --- Scalar memory, jumps, barriers --- */

void insn_lw(gen *g, uint32_t reg, uint32_t base, int32_t offset);
void insn_sw(gen *g, uint32_t data, uint32_t base, int32_t offset);
int32_t insn_jal(gen *g, uint32_t rd);
void insn_jalr(gen *g, uint32_t rd, uint32_t base);
/* BEQ or BNE of that register and x0. */
int32_t insn_branch_zero(gen *g, const row_use *u, uint32_t reg);
/* One that waits: of any scope but 'work_item'. */
void insn_barrier(gen *g);

/* --- Vectors --- */

/* rd = second op first, as v and v, or v and x. */
void insn_vector(gen *g, const row_use *u, uint32_t rd, uint32_t second, uint32_t first);
/* rd = source op value */
void insn_vector_i(gen *g, const row_use *u, uint32_t rd, uint32_t source, int32_t value);
/* rd = x register, in all lanes */
void insn_vmv_x(gen *g, uint32_t rd, uint32_t from);
/* rd = 0 */
void insn_vzero(gen *g, uint32_t rd);
void insn_vid(gen *g, uint32_t rd);
void insn_vlw12(gen *g, uint32_t reg, uint32_t base, int32_t offset);
void insn_vsw12(gen *g, uint32_t reg, uint32_t base, int32_t offset);
/* Vector addresses: from scalar register start on, the lanes, whose numbers are in vector register lane, so many words apart. */
void insn_addresses(gen *g, uint32_t reg, uint32_t lane, uint32_t start, int32_t apart);
/* reg = an index made of the bits of from. all: bits for 32-bit indices; else for 16-bit ones, with any upper half. */
void insn_index(gen *g, bool all, uint32_t reg, uint32_t from);
/* x[reg] = a base for 32-bit indices, where it was the address of index 0. */
void insn_below_index(gen *g, uint32_t reg);
/* A reduction to a scalar register, for which all lanes must hold the same value: that of scalar register from. */
void insn_splat(gen *g, const row_use *u, uint32_t from);

#endif
