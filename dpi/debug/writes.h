/* Writes of the user to registers and memory of the model. A write belongs to the position at which it was
 * made: what follows is a branch of the run, and going there again makes it again. Going back to before it
 * drops it. The list is kept in memory that the processes of a run share (timeline.h), so that it has
 * fixed room. */
#ifndef KARAT_DEBUG_WRITES_H
#define KARAT_DEBUG_WRITES_H

#include "machine.h"

enum { WRITES_MAX = 256, WRITES_BYTES = 1 << 16 };

typedef struct debug_write {
    uint64_t position;
    uint32_t thread; /* Of the registers, or whose memory it is; 0: none was live */
    bool is_register;
    machine_register reg;
    uint32_t mask; /* Lanes of a vector register */
    machine_place place;
    uint32_t begin, size; /* In debug_writes.bytes: bytes of memory, or a value of each lane */
} debug_write;

typedef struct debug_writes {
    uint32_t num, used;
    uint32_t dropped; /* By the last way back */
    debug_write at[WRITES_MAX];
    uint8_t bytes[WRITES_BYTES];
} debug_writes;

/* Make that write, of which begin is not set, and note it. False with one line in *diag. */
bool karat_writes_make(debug_writes *writes, karat_machine *machine, const debug_write *write,
                       const void *bytes, karat_diag *diag);
/* Make those of that position again. */
void karat_writes_again(const debug_writes *writes, karat_machine *machine, uint64_t position);
/* Drop those after that position. Returns their number. */
uint32_t karat_writes_drop(debug_writes *writes, uint64_t position);
/* The last write to that lane of a register of a thread (of a scalar: 0), at positions from first to last;
 * NULL: there is none. */
const debug_write *karat_writes_find(const debug_writes *writes, uint32_t thread, machine_register reg,
                                     uint32_t lane, uint64_t first, uint64_t last);
/* One line for each. */
void karat_writes_put(const debug_writes *writes, FILE *out);

#endif
