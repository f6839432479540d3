/* Random programs: an instruction stream over all rows of the table, with structured control flow. The parts
 * are in random/.
 *
 * A program ends all its warps with ENDPRG, reads no register before it writes it, and does nothing undefined
 * or forbidden. It has no race: each warp has its own region of device memory and of local memory, and reads
 * its neighbour's only between barriers. With races, all warps also use a few shared words in any order, and
 * some programs combine registers that nothing has written into registers that nothing else reads. */
#ifndef KARAT_RANDOM_H
#define KARAT_RANDOM_H

#include "prog.h"
#include "rows.h"

/* The kinds of items in a program, their default weights, and texts for --kinds. The weights of a profile use
 * these names. Each kind has a function kind_NAME() in random/: see random/gen.h. */
#define RANDOM_KINDS(DO)                                                                                     \
    DO(plain, 24, "an instruction of the units, by their own weights")                                       \
    DO(probe, 30, "instructions of the units on corners of their operands, and their flags")                 \
    DO(memory, 26, "a load or store")                                                                        \
    DO(atomic, 6, "an AMO, or LR and SC")                                                                    \
    DO(race, 30, "an access to a word that all warps use (with races)")                                      \
    DO(burst, 6, "loads and stores of a kind, one after the other")                                          \
    DO(far, 2, "a stride from one memory to the other")                                                      \
    DO(sub_word, 2, "a byte or half into local memory, then loads of the other bytes of its word")           \
    DO(odd_jump, 1, "JALR whose target has bit 0 set")                                                       \
    DO(csr, 4, "a CSR access")                                                                               \
    DO(print, 2, "writes of CSR_PRINT")                                                                      \
    DO(sync, 4, "FENCE and the like")                                                                        \
    DO(splat, 2, "a vector element into a scalar register")                                                  \
    DO(setrpc, 1, "SETRPC that no divergence uses")                                                          \
    DO(join, 1, "JOINs where nothing reconverges")                                                           \
    DO(vset, 5, "vl and vtype")                                                                              \
    DO(vill, 1, "an unsupported vtype, and instructions that do not depend on it")                           \
    DO(addresses, 3, "new vector addresses")                                                                 \
    DO(skip, 4, "a branch over some instructions")                                                           \
    DO(part, 3, "warps that take one way or another by their number, both ways instructions of few kinds")   \
    DO(jump, 2, "JAL or JALR over words that never run")                                                     \
    DO(call, 2, "a function, called and returned from")                                                      \
    DO(edge, 2, "a call of a function at the end of memory")                                                 \
    DO(loop, 1, "a loop with a scalar counter")                                                              \
    DO(diamond, 3, "VBRANCH, one path or two, JOIN")                                                         \
    DO(diverge_loop, 1, "a loop whose trips differ by thread")                                               \
    DO(barrier, 2, "BARRIER, where all warps come")                                                          \
    DO(neighbour, 2, "reads of another warp's memory between two barriers")                                  \
    DO(reserve, 4, "LR, a store of another warp to that word between two barriers, and SC")                  \
    DO(leave, 1, "some workgroups go to the end of the program")                                             \
    DO(matrix, 6, "matrix products, in all lanes (profile public, 32 threads)")

/* The max_vgprs of a device that has enough registers for any launch: the launch then does not state how
 * many, which means 256 per warp. */
#define RANDOM_ANY_VGPRS 65536

/* Bytes of a warp's region of device memory, and the place of its signature there: a word for each thread (of
 * 32), and one for the scalar registers. */
enum { RANDOM_REGION = 8192, RANDOM_SIGNATURE_AT = RANDOM_REGION / 2 - 2048, RANDOM_SIGNATURE_WORDS = 33 };

enum {
#define DO(name, weight, about) RANDOM_##name,
    RANDOM_KINDS(DO)
#undef DO
        RANDOM_NUM_KINDS
};

typedef struct random_params {
    uint64_t seed;
    uint32_t length;     /* Instructions, about */
    uint32_t num_thread; /* Threads of the device's warps */
    uint32_t warps;      /* Warps in a workgroup, 1 to 32; 0: drawn, at most max_warps */
    uint32_t max_warps;  /* Warps that the device holds */
    uint32_t workgroups; /* 0: drawn */
    uint32_t threads;    /* Threads of a warp; 0: mostly all, else drawn */
    uint32_t
        max_vgprs; /* Registers that a workgroup can have; 0: 1,024, or 64 for each warp where that is more */
    bool races;
    bool partial;  /* Some threads have no work-item */
    uint32_t vary; /* Percent of programs that draw weights of their own, around these */
    uint32_t weight[RANDOM_NUM_KINDS], unit[KARAT_NUM_UNIT]; /* Relative; units 0: not used at all */
} random_params;

/* The defaults: 10,000 instructions, 8 warps of 32 threads, the default weights. */
void random_defaults(random_params *params);
const char *random_kind_name(uint32_t kind); /* NULL where out of range */
const char *random_kind_about(uint32_t kind);

/* Make the program in *p; the caller frees it with prog_free(), also after an error. False: p->why says why
 * not. The same parameters make the same program on every host. */
bool random_make(const row_table *table, const random_params *params, prog *p);

#endif
