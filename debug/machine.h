/* The machine as the debugger shows it: warps, registers, memory and names, of a model that runs alone or beside a core.
 *
 * The run reports launches and steps, and of a core the values that its records show. All of this goes back with the run
 * (timeline.h). A thread, in the sense of gdb, is one launch of a warp: threads are numbered from 1 in the order of their launches.
 */
#ifndef KARAT_DEBUG_MACHINE_H
#define KARAT_DEBUG_MACHINE_H

#include "karat/karat.h"
#include "karat_port.h"
#include "where.h"

typedef struct karat_machine karat_machine;

/* The kernel that runs; names.kernel is NULL before the first. */
typedef struct machine_kernel {
    uint32_t index; /* from 0 */
    karat_naming names;
    uint32_t grid[3], wg_size, start; /* workgroups; warps of each; first instruction */
} machine_kernel;

typedef struct machine_warp {
    uint32_t thread; /* 0: nothing was ever launched under this handle */
    bool ended;
    uint32_t workgroup, warp; /* in the grid; in the workgroup */
    bool in_slot;             /* of a core: in that slot */
    uint32_t sm, slot;
    uint64_t steps;   /* taken */
    uint64_t ptbr;    /* with translation */
    uint32_t last_pc; /* of the last instruction taken; valid where steps is not 0 */
} machine_warp;

/* NULL: memory is short. num_warp: warp handles of the model. */
karat_machine *karat_machine_create(uint32_t num_warp);
void karat_machine_destroy(karat_machine *machine);

/* --- Reports of the run --- */

void karat_machine_kernel(karat_machine *machine, const machine_kernel *kernel);
/* A warp is launched under that handle. Returns its entry, for the caller to fill in sm and slot. */
machine_warp *karat_machine_launch(karat_machine *machine, const karat_model *model, uint32_t handle,
                                   uint32_t workgroup, uint32_t warp, const karat_launch_desc *desc);
/* The model has taken that step, the one with that number of the run. */
void karat_machine_step(karat_machine *machine, uint32_t handle, const karat_commit *commit,
                        uint64_t position);
/* A record of the core with values of that warp's registers. False: memory is short. */
bool karat_machine_record(karat_machine *machine, uint32_t handle, const void *record);

/* --- State --- */

const karat_model *karat_machine_model(const karat_machine *machine); /* NULL before the first launch */
const machine_kernel *karat_machine_of_kernel(const karat_machine *machine);
uint32_t karat_machine_num_warp(const karat_machine *machine);
const machine_warp *karat_machine_warp(const karat_machine *machine, uint32_t handle);
/* Launches so far. */
uint32_t karat_machine_launched(const karat_machine *machine);
/* The handle of a thread that is live; false: it is not. */
bool karat_machine_find(const karat_machine *machine, uint32_t thread, uint32_t *handle);
/* The same, or of one that has ended and whose handle no other has since. */
bool karat_machine_find_ended(const karat_machine *machine, uint32_t thread, uint32_t *handle);
/* The handle of a warp of the grid that is live. */
bool karat_machine_find_warp(const karat_machine *machine, uint32_t workgroup, uint32_t warp,
                             uint32_t *handle);
/* The state of a live warp; false: it is not live. */
bool karat_machine_view(const karat_machine *machine, uint32_t handle, karat_warp_view *view);

/* Registers, as commands and gdb name them. */
typedef enum machine_class {
    MACHINE_X,   /* x0 to x63 */
    MACHINE_V,   /* v0 to v255: a value of each lane */
    MACHINE_CSR, /* by its address */
    MACHINE_PC,
    MACHINE_MASK,  /* thread mask */
    MACHINE_DEPTH, /* entries of the SIMT stack; of the top one (0 where there is none): */
    MACHINE_TOP_RPC,
    MACHINE_TOP_NEXT,
    MACHINE_TOP_MASK
} machine_class;
typedef struct machine_register {
    machine_class cls;
    uint32_t number;
} machine_register;

/* A register by name, without a lane: "x5", "v3", "vl", "pc", "mask". False: there is none. */
bool karat_machine_register(const char *name, machine_register *reg);
/* Its name; of a CSR without one "csr0x123". */
void karat_machine_register_name(machine_register reg, char text[32]);
/* Values: of MACHINE_V one for each lane, else one. Returns their number; 0: it cannot be read, as a CSR that the ISA does not have. The
 * warp may have ended. */
uint32_t karat_machine_read_register(const karat_machine *machine, uint32_t handle, machine_register reg,
                                     uint32_t value[KARAT_MAX_THREAD]);
/* The core's values, as its records have reported them last, in the lanes of *mask. False: none of that register's. */
bool karat_machine_core_value(const karat_machine *machine, uint32_t handle, machine_register reg,
                              uint32_t value[KARAT_MAX_THREAD], uint32_t *mask);

/* Spaces of memory. */
typedef enum machine_space {
    MACHINE_AUTO,   /* LDS window: the workgroup's local memory; else device memory */
    MACHINE_GLOBAL, /* device memory, by virtual address where there is translation */
    MACHINE_LDS,
    MACHINE_PRIVATE /* of one thread: as an instruction for private memory has the address */
} machine_space;
typedef struct machine_place {
    machine_space space;
    uint32_t lane; /* MACHINE_PRIVATE */
    uint64_t addr;
} machine_place;
/* Whether the place is in memory of a warp or its workgroup, for which the warp must be live. */
bool karat_machine_of_warp(const karat_machine *machine, const machine_place *place);
/* False where a byte is not mapped. Device memory is there after the warps have ended, too. */
bool karat_machine_read(const karat_machine *machine, uint32_t handle, const machine_place *place,
                        void *bytes, size_t size);

/* --- Who wrote a register: the producers of a value --- */

/* An instruction of a warp. */
typedef struct machine_producer {
    uint64_t position; /* of the run, after it */
    uint32_t pc, prefix, word;
    bool is_load;                    /* its result comes from memory */
    uint64_t addr[KARAT_MAX_THREAD]; /* of a load: where each lane's first access is */
    uint32_t num_source, num_result;
    struct {
        uint8_t cls;
        uint16_t reg;
    } source[KARAT_MAX_READ];
    struct {
        uint8_t cls;
        uint16_t reg;
        uint32_t mask;
    } result[KARAT_MAX_WRITE];
} machine_producer;

/* Instructions of a warp that are kept. */
#define KARAT_MACHINE_TRAIL 1024
/* The last instruction before instruction number `before` of that warp (0: of all) that wrote the register in that lane (of a scalar: 0);
 * its number in *number. NULL: there is none among those that are kept; *all then says whether that is all of the warp's. */
const machine_producer *karat_machine_producer(const karat_machine *machine, uint32_t handle, uint64_t before,
                                               unsigned cls, unsigned reg, uint32_t lane, uint64_t *number,
                                               bool *all);

#endif
