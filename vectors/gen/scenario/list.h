/* The list of scenarios: name, text, workgroups, warps. scenario.c makes its table of it.
 *
 * A new scenario is a line here and a function play_NAME() in the file of its subject. */
#ifndef KARAT_SCENARIO_LIST_H
#define KARAT_SCENARIO_LIST_H

#include "scene.h"

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
    DO(lds_turnover, "short workgroups that take all local memory, over and over", 400, 1)

/* Append the scenario's instructions: play_nested() and so on, one for each. */
#define DO(name, about, groups, warps) void play_##name(scene *s);
SCENARIOS(DO)
#undef DO

#endif
