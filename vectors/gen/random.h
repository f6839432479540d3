/* Random programs: an instruction stream over all rows of the table, with structured control flow.
 *
 * They end all their warps with ENDPRG, read no register that they have not written, do nothing undefined or forbidden, and have
 * no race: each warp has a region of device memory and of local memory, and reads its neighbour's only between barriers. With
 * races, all warps also use a few shared words, in nobody's order, and some programs combine registers that nobody has written into
 * others that nothing reads. */
#ifndef KARAT_RANDOM_H
#define KARAT_RANDOM_H

#include "prog.h"
#include "rows.h"

/* What a program is made of; the weights of a profile go by these names. */
#define RANDOM_KINDS(DO)                                                                                     \
    DO(plain, 24, "an instruction of the units, by their own weights")                                       \
    DO(probe, 30, "instructions of the units on corners of their operands, and their flags")                 \
    DO(memory, 26, "a load or store")                                                                        \
    DO(atomic, 6, "an AMO, or LR and SC")                                                                    \
    DO(race, 30, "an access to a word that all warps use (with races)")                                      \
    DO(burst, 6, "loads and stores of a kind, one behind the other")                                         \
    DO(far, 2, "a stride from one memory to the other")                                                      \
    DO(csr, 4, "a CSR access")                                                                               \
    DO(print, 2, "writes of CSR_PRINT")                                                                      \
    DO(sync, 4, "FENCE and the like")                                                                        \
    DO(splat, 2, "a vector element into a scalar register")                                                  \
    DO(setrpc, 1, "SETRPC that no divergence uses")                                                          \
    DO(join, 1, "JOINs where nothing reconverges")                                                           \
    DO(vset, 5, "vl and vtype")                                                                              \
    DO(vill, 1, "an unsupported vtype, and what does not depend on it")                                      \
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
    DO(reserve, 4, "LR, what another warp stores there between two barriers, and SC")                        \
    DO(leave, 1, "some workgroups go to the end of the program")

/* max_vgprs of a device that has enough whatever a launch asks for: then it does not say, which means 256 for each warp. */
#define RANDOM_ANY_VGPRS 65536

/* A warp's region of device memory, and where in it are the words that its registers are folded into: one for each thread (of 32), one
 * for the scalar registers. */
enum { RANDOM_REGION = 8192, RANDOM_SIGNATURE_AT = RANDOM_REGION / 2 - 2048, RANDOM_SIGNATURE_WORDS = 33 };

enum {
#define DO(name, weight, about) RANDOM_##name,
    RANDOM_KINDS(DO)
#undef DO
        RANDOM_NUM_KINDS
};

typedef struct random_params {
    uint64_t seed;
    uint32_t length;     /* instructions, about */
    uint32_t num_thread; /* of the device */
    uint32_t warps;      /* in a workgroup, 1 to 32; 0: drawn, at most max_warps */
    uint32_t max_warps;  /* that the device holds */
    uint32_t workgroups; /* 0: drawn */
    uint32_t threads;    /* of a warp; 0: mostly all, else drawn */
    uint32_t max_vgprs;  /* that a workgroup can have; 0: 1,024, or 64 for each warp where that is more */
    bool races;
    uint32_t vary; /* percent of programs that draw weights of their own, around these */
    uint32_t weight[RANDOM_NUM_KINDS], unit[KARAT_NUM_UNIT]; /* relative; units 0: not used at all */
} random_params;

/* What every profile begins with: 10,000 instructions, 8 warps of 32 threads, all units alike. */
void random_defaults(random_params *params);
const char *random_kind_name(uint32_t kind); /* NULL where out of range */
const char *random_kind_about(uint32_t kind);

/* Make the program in *p, which the caller frees with prog_free() in any case. False: p->why. The same parameters give the same
 * program, on every host. */
bool random_make(const row_table *table, const random_params *params, prog *p);

#endif
