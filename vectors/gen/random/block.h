/* Blocks of instructions: which kind of item comes next, and where which kind may stand.
 *
 * A new kind is a line in RANDOM_KINDS (random.h) and a function kind_NAME() in the file of its subject. It has a line in may_stand()
 * (block.c) where it may not stand everywhere, and one in block_is_region() where it has other items inside. Users: random.c fills the
 * program, kinds with items inside fill their blocks. */
#ifndef KARAT_RANDOM_BLOCK_H
#define KARAT_RANDOM_BLOCK_H

#include "gen.h"

/* A place in the program. */
typedef struct context {
    bool uniform;  /* all warps come here equally often, with all threads: barriers may stand here */
    bool vset;     /* vl and vtype may change */
    bool stores;   /* memory may change */
    uint32_t arms; /* divergent regions around this place */
    uint32_t loops;
    uint32_t calls;
    uint32_t end; /* nothing begins at this instruction or later; 0: no limit */
} context;

/* Append an item of that kind: kind_plain() and so on, one for each kind. */
#define DO(name, weight, about) void kind_##name(gen *g, const context *c);
RANDOM_KINDS(DO)
#undef DO

/* Whether a kind has other items inside. */
bool block_is_region(uint32_t kind);
/* Append so many items. */
void block_fill(gen *g, uint32_t items, context c);
/* Append one item, if any may stand here. */
void block_item(gen *g, const context *c);
/* The sum of the weights of all kinds that may stand here. */
uint32_t block_weight(const gen *g, const context *c);
/* The context within a region that some threads or warps do not enter. */
context block_inner(const gen *g, const context *c);

#endif
