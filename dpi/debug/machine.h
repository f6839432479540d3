/* The machine as the debugger shows it: warps, registers, memory and names, of a model that runs alone or
 * beside a core.
 *
 * The run reports launches and steps, and of a core the values that its records show. All of this goes
 * back with the run (timeline.h). A thread, in the sense of gdb, is one launch of a warp: threads are
 * numbered from 1 in the order of their launches. */
#ifndef KARAT_DEBUG_MACHINE_H
#define KARAT_DEBUG_MACHINE_H

#include "karat/karat.h"
#include "karat_port.h"
#include "warp_places.h"

/* The kernel that runs; names.kernel is NULL before the first. */
typedef struct machine_kernel {
    uint32_t index; /* From 0 */
    karat_naming names;
    uint32_t grid[3], wg_size, start; /* Workgroups; warps of each; first instruction */
    uint32_t num_thread;              /* Of a warp; 0: none was launched */
} machine_kernel;

/* The last warp that was launched under a handle of the model. */
typedef struct machine_warp {
    uint32_t handle, thread; /* Thread 0: none was */
    bool ended;
    uint32_t workgroup, warp; /* In the grid; in the workgroup */
    bool in_slot;             /* Of a core: in that slot */
    uint32_t sm, slot;
    uint64_t steps;                        /* Steps taken */
    uint64_t lane_steps[KARAT_MAX_THREAD]; /* Steps taken in which that lane's thread ran */
    uint32_t last_pc;                      /* Of the last instruction taken; valid where steps is not 0 */
    struct machine_trail *trail;           /* The last instructions; NULL: none */
    struct machine_reported *reported;     /* The core's registers; NULL: nothing was reported */
} machine_warp;

typedef struct karat_machine {
    const karat_model *model; /* NULL before the first launch */
    karat_model *writable;    /* The model where the user may write to it; NULL: it is compared with a core */
    machine_kernel kernel;
    uint32_t num_warp, launched; /* Handles of the model; launches so far */
    uint64_t steps;              /* Steps of all warps */
    uint32_t stepped;            /* The thread that took the last step */
    machine_warp *warps;         /* By handle */
} karat_machine;

/* NULL: memory is short. num_warp: warp handles of the model. */
karat_machine *karat_machine_create(uint32_t num_warp);
void karat_machine_destroy(karat_machine *machine);

/* --- Reports of the run --- */

/* A warp is launched under that handle. Returns its entry, for the caller to fill in sm and slot. */
machine_warp *karat_machine_launch(karat_machine *machine, const karat_model *model, uint32_t handle,
                                   uint32_t workgroup, uint32_t warp);
/* The model has taken that step, the one with that number of the run. */
void karat_machine_step(karat_machine *machine, uint32_t handle, const karat_commit *commit,
                        uint64_t position);
/* A record of the core with values of that warp's registers. Where memory is short, fewer are known. */
void karat_machine_record(karat_machine *machine, uint32_t handle, const void *record);

/* --- State --- */

/* The warp of that thread, which may have ended; NULL: another has its handle, or there never was one. */
const machine_warp *karat_machine_thread(const karat_machine *machine, uint32_t thread);
/* The warp of that thread, if it is live; NULL where it has ended, too. */
const machine_warp *karat_machine_live(const karat_machine *machine, uint32_t thread);
/* The live warp of that place in the grid; NULL: there is none. */
const machine_warp *karat_machine_in_grid(const karat_machine *machine, uint32_t workgroup, uint32_t warp);
/* The state of a live warp; false: it is not live. w may be NULL. */
bool karat_machine_view(const karat_machine *machine, const machine_warp *w, karat_warp_view *view);
/* Where a lane's thread goes on: at pc where it runs, else where the entry of the SIMT stack that has it
 * says. */
uint32_t karat_machine_lane_pc(const karat_warp_view *view, uint32_t lane);
/* "workgroup 0 warp 1", of a core " (sm 0 slot 5)", too */
void karat_machine_put_warp(FILE *out, const machine_warp *w);

/* Registers, as commands and gdb name them. */
typedef enum machine_class {
    MACHINE_X = KARAT_CLASS_X, /* x0 to x63 */
    MACHINE_V = KARAT_CLASS_V, /* v0 to v255: a value of each lane */
    MACHINE_CSR,               /* By its address */
    MACHINE_PC,
    MACHINE_MASK,  /* Thread mask */
    MACHINE_DEPTH, /* Entries of the SIMT stack */
    /* The top entry of the SIMT stack; 0 where there is none. */
    MACHINE_TOP_RPC,
    MACHINE_TOP_NEXT,
    MACHINE_TOP_MASK,
    MACHINE_LANE, /* In gdb: the selected thread's; in a condition: a lane that runs. No value of a warp's */
    MACHINE_WORKGROUP, /* Number in the grid */
    MACHINE_WARP,      /* Number in the workgroup */
    MACHINE_THREAD     /* Number of all launches */
} machine_class;
typedef struct machine_register {
    machine_class cls;
    uint32_t number;
} machine_register;

/* A register by name, without a lane: "x5", "v3", "vl", "pc", "mask". False: there is none. */
bool karat_machine_register(const char *name, machine_register *reg);
/* Its name; of a CSR without one "csr0x123". */
void karat_machine_register_name(machine_register reg, char text[32]);
/* Values: of MACHINE_V one for each lane, else one. Returns their number; 0: it cannot be read, as a CSR
 * that the ISA does not have. The warp may have ended; w may be NULL. */
uint32_t karat_machine_read_register(const karat_machine *machine, const machine_warp *w,
                                     machine_register reg, uint32_t value[KARAT_MAX_THREAD]);
/* The core's values, as its records have reported them last, in the lanes of the mask that is returned. */
uint32_t karat_machine_reported(const machine_warp *w, machine_register reg,
                                uint32_t value[KARAT_MAX_THREAD]);

/* Spaces of memory. */
typedef enum machine_space {
    MACHINE_AUTO,   /* LDS window: the workgroup's local memory; else device memory */
    MACHINE_GLOBAL, /* Device memory, by virtual address where there is translation */
    MACHINE_LDS,
    MACHINE_PRIVATE /* Of one thread: as an instruction for private memory has the address */
} machine_space;
typedef struct machine_place {
    machine_space space;
    uint32_t lane; /* MACHINE_PRIVATE */
    uint64_t addr;
} machine_place;
/* Whether the place is in memory of a warp or its workgroup, for which the warp must be live. */
bool karat_machine_of_warp(const karat_machine *machine, const machine_place *place);
/* False where a byte is not mapped. Device memory is there after the warps have ended, too. w may be NULL. */
bool karat_machine_read(const karat_machine *machine, const machine_warp *w, const machine_place *place,
                        void *bytes, size_t size);

/* Write to lanes of a register of a live warp, UINT32_MAX: to all; a scalar is lane 0. False: it cannot be
 * written, as pc, and CSRs that no instruction writes. */
bool karat_machine_write_register(karat_machine *machine, const machine_warp *w, machine_register reg,
                                  uint32_t mask, const uint32_t value[KARAT_MAX_THREAD]);
enum { MACHINE_MAX_WRITE = 4096 };
/* As karat_machine_read(), of that many bytes at most; without effect where a byte is not mapped. Pages
 * that a program must not store to are written, too. */
bool karat_machine_write(karat_machine *machine, const machine_warp *w, const machine_place *place,
                         const void *bytes, size_t size);

/* --- Who wrote a register: the producers of a value --- */

/* An instruction of a warp. */
typedef struct machine_producer {
    uint64_t position; /* Of the run, after it */
    uint32_t pc, prefix, word;
    bool is_load;                    /* The result comes from memory */
    uint64_t addr[KARAT_MAX_THREAD]; /* Of a load: where each lane's first access is */
    uint32_t num_source, num_result;
    struct {
        machine_register reg;
        uint32_t mask; /* Of a result */
    } source[KARAT_MAX_READ], result[KARAT_MAX_WRITE];
} machine_producer;

/* Instructions of a warp that are kept. */
#define KARAT_MACHINE_TRAIL 1024
/* The last instruction before instruction number `before` of that warp (0: of all) that wrote the register
 * in that lane (of a scalar: 0); its number in *number. NULL: there is none among those that are kept;
 * *all then says whether that is all of the warp's. */
const machine_producer *karat_machine_producer(const machine_warp *w, uint64_t before, machine_register reg,
                                               uint32_t lane, uint64_t *number, bool *all);

#endif
