/* Instructions of a unit that write or read a register of choice: dependences between any two units, and
 * results that come back together. */
#ifndef KARAT_HAZARD_H
#define KARAT_HAZARD_H

#include "prog.h"
#include "rows.h"

typedef enum hazard_kind { HAZARD_RAW, HAZARD_WAW, HAZARD_WAR, NUM_HAZARD_KIND } hazard_kind;

/* Registers that these instructions leave alone, besides those that they are given: from HAZARD_X and
 * HAZARD_V on. */
#define HAZARD_X 16
#define HAZARD_V 16
/* Bytes that they use of device memory, from x1 on, and of a thread's private memory. */
#define HAZARD_BYTES 256
#define HAZARD_PDS   256

/* Write what these instructions need: from x1, the base of the memory that the warp may use. */
void hazard_begin(prog *p);
/* Append an instruction of that unit that writes, or reads as data, that register; variant: which of those
 * that can, where all threads of the warps run, so many. False: there is none. A VBRANCH never diverges; a
 * jump goes to what comes next. A matrix is the aligned group that has the register, of the eight from
 * HAZARD_V on, which are all written before; its result goes to such a group, too. */
typedef struct hazards {
    const row_table *table;
    prog *p;
    uint32_t threads;
} hazards;
bool hazard_write(const hazards *h, karat_unit unit, uint32_t cls, int32_t reg, uint32_t variant);
bool hazard_read(const hazards *h, karat_unit unit, uint32_t cls, int32_t reg, uint32_t variant);
/* Append two instructions that depend on each other, so many instructions apart (1: neighbours). False: there
 * are none. */
bool hazard_put(const hazards *h, karat_unit older, karat_unit younger, hazard_kind kind, uint32_t cls,
                uint32_t distance, uint32_t variant);

/* Append the row's instruction with each register operand at the numbers where extensions begin and end;
 * after hazard_begin(). */
void hazard_numbers(prog *p, const row_use *u);

#endif
