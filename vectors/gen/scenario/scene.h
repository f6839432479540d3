/* Scenarios: the program of one, its registers and memory, the instructions that most of them need, and the
 * list of them. scenario.c owns the scene, on its stack; the program, the table and the parameters belong to
 * its caller. */
#ifndef KARAT_SCENARIO_SCENE_H
#define KARAT_SCENARIO_SCENE_H

#include "../directed.h"
#include "../hazard.h"

/* Registers. x1 to x10 and v0 to v7 are those of hazard.h; x16 to x23 and v16 to v23 are for its results. */
enum {
    X_BASE = 1, /* The warp's own device memory */
    X_RPC = 2,
    X_TEMP = 3,
    X_WARP = 11, /* Number in the workgroup */
    X_WARPS = 12,
    X_GROUP = 13,
    X_COUNT = 14,
    X_LDS = 15, /* The warp's own part of local memory */
    X_SHARED = 24,
    X_RESULT = 25,
    V_LANE = 2,
    V_ADDRESS = 3, /* X_BASE + 4 * lane */
    V_SUM = 10,    /* Stored at the end */
    V_OTHER = 11,
    V_COUNT = 12,
    V_ZERO = 13,
    V_PLACE = 14
};

enum {
    REGION = 1024, /* Bytes of device memory and of local memory per warp: results, then free */
    WORK = 512,    /* The free part begins here */
    SHARED = 4096  /* Bytes of device memory that all warps share: the first */
};

typedef struct scene {
    const row_table *table;
    const directed_params *params;
    prog *p;
    uint32_t depth; /* 0: the scenario's own */
    uint32_t more;  /* Bytes of device memory after the warps' regions */
} scene;

/* --- Begin and end --- */

/* Launch so many workgroups of so many warps; parameters may give another number of warps. */
void scene_launch(scene *s, uint32_t groups, uint32_t warps);
/* Write the registers above. */
void scene_begin(scene *s);
/* Store the results, end, and fill device memory. False: the program has failed. */
bool scene_finish(scene *s);
/* Bytes of device memory. */
uint32_t scene_data_size(const scene *s);
uint32_t scene_threads(const scene *s);
/* Of the scenario's warps. */
hazards scene_hazards(const scene *s);
/* Write the registers for results of hazard.h; add them to the results of the scenario. */
void scene_clear_registers(scene *s);
void scene_fold_registers(scene *s);

/* --- Instructions --- */

/* Set CSR_RPC to a place that prog_lead() of the returned instruction names. */
int32_t scene_set_rpc(scene *s);
/* That branch leads to the next instruction. */
void scene_here(scene *s, int32_t insn);
/* A VBRANCH that this thread alone takes. */
int32_t scene_part_with(scene *s, uint32_t lane);
/* V_SUM += amount, from -16 to 15 */
void scene_add(scene *s, int32_t amount);
/* A loop of X_COUNT rounds; none where it is 0. */
void scene_delay(scene *s);
/* The prefix for that many words in that space: PRE_M_* where there are such; else REGPAIR or none. */
prog_prefix scene_prefix(const scene *s, karat_prefix_space space, uint32_t words);
/* A load to reg or a store of it by lane, with the addresses in V_PLACE; two words: 64-bit addresses, whose
 * upper halves are in the next register, and two registers of 32-bit data. */
void scene_put_access(scene *s, const char *name, int32_t reg, int32_t offset, uint32_t words);

/* --- units.c --- */

/* Instructions of this unit after those of every unit, with all dependences. */
void units_hazards(scene *s, karat_unit younger);
/* Results of a slow unit, then of faster units, so many instructions later that some arrive together. */
void units_collisions(scene *s, karat_unit slow);

/* --- diverge.c --- */

/* Trees whose shape the seed decides, and uniform VBRANCHes in them. */
void diverge_forest(scene *s, uint64_t seed);

/* --- The list ---
 *
 * Name, text, workgroups, warps: scenario.c makes its table of it. A new scenario is a line here and a
 * function play_NAME() in the file of its subject. */

enum { DEFAULT_WARPS = 4 };

#define SCENARIOS(DO)                                                                                        \
    DO(nested, "nested divergence, one thread leaving at each level (--depth levels)", 1, 1)                 \
    DO(join_chain, "the same with one reconvergence point for all levels (--depth levels)", 1, 1)            \
    DO(halves, "nested divergence of both paths (--depth levels, up to 6)", 1, 1)                            \
    DO(forest, "trees of divergence of many shapes, with uniform VBRANCHes in them", 1, 1)                   \
    DO(comb, "each thread in turn against the rest", 1, 1)                                                   \
    DO(staggered, "a loop that threads leave one after the other (--depth trips)", 1, 1)                     \
    DO(uniform, "VBRANCH with all active threads of one mind, JOIN where nothing waits", 1, 1)               \
    DO(slots, "slots used again after ENDPRG: many workgroups of different lengths", 40, 2)                  \
    DO(barriers, "barriers at which warps arrive early and late, with an exchange of data", 2,               \
       DEFAULT_WARPS)                                                                                        \
    DO(barrier_loads, "barriers to which warps come with loads on their way", 1, DEFAULT_WARPS)              \
    DO(exits, "workgroups that end with loads, stores and results on their way", 48, 2)                      \
    DO(fences, "FENCE with loads and stores on their way", 2, DEFAULT_WARPS)                                 \
    DO(private_memory, "private memory of this workgroup and of the one before", 3, 2)                       \
    DO(resources, "workgroups that registers and local memory limit", 12, 2)                                 \
    DO(ends, "workgroups that end as soon as they have begun", 96, 1)                                        \
    DO(registers, "workgroups that take whole register files", 12, 1)                                        \
    DO(local_memory, "workgroups that take all local memory, and leave some of it alone", 24, 2)             \
    DO(few_threads, "fewer threads than the device has", 2, 2)                                               \
    DO(prints, "all warps write CSR_PRINT at once", 16, DEFAULT_WARPS)                                       \
    DO(two_flags, "flags of a vector and of a scalar at once", 1, 3)                                         \
    DO(modes, "rounding modes of warps that differ", 2, DEFAULT_WARPS)                                       \
    DO(exponentials, "VFEXP all over a period of its mantissa", 1, 1)                                        \
    DO(settings, "warps that end with other settings than they began with", 40, 2)                           \
    DO(group_masks, "masks of groups, by element and by warp, just written", 1, DEFAULT_WARPS)               \
    DO(late_masks, "masks and carries that are on their way", 1, 2)                                          \
    DO(late_scalars, "third operands and flags that are on their way", 1, 2)                                 \
    DO(prefixes, "addresses of pairs below their base, wide immediates beside high registers", 1, 2)         \
    DO(estimates, "VFREC7 and VFRSQRT7 all over their tables", 1, 1)                                         \
    DO(conversions, "conversions at the ends of the integers' ranges", 1, 1)                                 \
    DO(overlaps, "lanes that store two registers where others do", 1, 2)                                     \
    DO(flags, "flags of several units at once", 2, DEFAULT_WARPS)                                            \
    DO(far_jumps, "code that is pages apart", 2, DEFAULT_WARPS)                                              \
    DO(memory_end, "code in the last words of memory", 2, DEFAULT_WARPS)                                     \
    DO(banks, "conflicts of banks in local memory", 2, DEFAULT_WARPS)                                        \
    DO(same_address, "lanes that store to one address and load from it", 2, DEFAULT_WARPS)                   \
    DO(atomics, "atomics of all warps at the same words", 2, DEFAULT_WARPS)                                  \
    DO(reserved, "LR, accesses of other warps to the word, and SC", 2, DEFAULT_WARPS)                        \
    DO(far_apart, "threads in both memories, in one bank, and far apart", 1, 1)                              \
    DO(lds_window, "threads whose places in local memory differ in one high bit of the address", 1, 1)       \
    DO(lds_turnover, "short workgroups that take all local memory, over and over", 400, 1)                   \
    DO(ignored_bits, "odd targets of JALR, wide shift amounts, reserved bits of CSRs and of vtype", 1, 2)    \
    DO(sub_words, "parts of words of local memory: a store, and loads of the other parts", 1, 2)             \
    DO(binades, "each lane in turn with numbers at the ends of the range, the others ordinary", 1, 1)        \
    DO(csr_exchange, "CSRs that one warp writes and the others read", 1, DEFAULT_WARPS)

/* Append the scenario's instructions: play_nested() and so on, one for each. */
#define DO(name, about, groups, warps) void play_##name(scene *s);
SCENARIOS(DO)
#undef DO

#endif
