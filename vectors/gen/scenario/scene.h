/* The program of one scenario: its registers and memory, and the instructions that most scenarios need. All of scenario/ and
 * scenario.c use it. scenario.c owns the scene, on its stack; the program, the table and the parameters belong to its caller. */
#ifndef KARAT_SCENARIO_SCENE_H
#define KARAT_SCENARIO_SCENE_H

#include "../directed.h"
#include "../hazard.h"

/* Registers. x1 to x10 and v0 to v7 are those of hazard.h; x16 to x23 and v16 to v23 are for its results. */
enum {
    X_BASE = 1, /* the warp's own device memory */
    X_RPC = 2,
    X_TEMP = 3,
    X_WARP = 11, /* number in the workgroup */
    X_WARPS = 12,
    X_GROUP = 13,
    X_COUNT = 14,
    X_LDS = 15, /* the warp's own part of local memory */
    X_SHARED = 24,
    X_RESULT = 25,
    V_LANE = 2,
    V_ADDRESS = 3, /* X_BASE + 4 * lane */
    V_SUM = 10,    /* stored at the end */
    V_OTHER = 11,
    V_COUNT = 12,
    V_ZERO = 13,
    V_PLACE = 14
};

enum {
    REGION = 1024, /* bytes of device memory and of local memory per warp: results, then free */
    WORK = 512,    /* the free part begins here */
    SHARED = 4096  /* bytes of device memory that all warps share: the first ones */
};

typedef struct scene {
    const row_table *table;
    const directed_params *params;
    prog *p;
    uint32_t depth; /* 0: the scenario's own */
    uint32_t more;  /* bytes of device memory after the warps' regions */
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
/* A load to reg or a store of it by lane, with the addresses in V_PLACE; two words: 64-bit addresses, whose upper halves are in the
 * next register, and two registers of 32-bit data. */
void scene_put_access(scene *s, const char *name, int32_t reg, int32_t offset, uint32_t words);

#endif
