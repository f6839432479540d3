/* Directed programs: every row of the table with the corners of its operands.
 *
 * The set is a list of programs, each for some rows and one purpose; together they are made to fill the coverage groups that go
 * by row (vectors/cov): operand classes and pairs behind each prefix under each shape of active elements, register numbers,
 * rounding modes and flags, accesses, CSRs, vector settings. */
#ifndef KARAT_DIRECTED_H
#define KARAT_DIRECTED_H

#include "prog.h"
#include "rows.h"

typedef struct directed_params {
    uint32_t num_thread; /* of the device */
} directed_params;

#define DIRECTED_NAME 64

/* How many programs there are. */
uint32_t directed_num(const row_table *table);
/* Make program 'index' in *p, which the caller frees in any case, and its name. False: p->why. */
bool directed_make(const row_table *table, const directed_params *params, uint32_t index, prog *p,
                   char name[DIRECTED_NAME]);

#endif
