/* Launches that the command line describes: an ELF file without a launch of its own, its kernel, grid and
 * arguments.
 *
 * The layout is that of the public driver and OpenCL runtime (docs/run.md): the buffers of the arguments, the
 * argument buffer, private memory, and the metadata buffer that CSR_KNL names.
 */
#ifndef KARAT_LAUNCH_H
#define KARAT_LAUNCH_H

#include "karat/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum karat_arg_kind {
    KARAT_ARG_BUFFER, /* As buffer:SIZE, zeros */
    KARAT_ARG_FILE,   /* As file:PATH, a buffer with the file's bytes */
    KARAT_ARG_WORD,   /* As u32:V or f32:V, the value itself */
    KARAT_ARG_LOCAL   /* As local:SIZE, inside the LDS window */
} karat_arg_kind;

typedef struct karat_arg {
    karat_arg_kind kind;
    uint32_t size;    /* Bytes; of a file: once it is loaded; of a word: 4 */
    uint32_t word;    /* KARAT_ARG_WORD */
    const char *path; /* KARAT_ARG_FILE: points into the text that was parsed */
    uint32_t addr; /* Of a buffer, once the kernel is loaded; of a word: its place in the argument buffer */
} karat_arg;

/* All zeros: no option was given. */
typedef struct karat_launch_spec {
    bool given;                     /* An option was given */
    const char *kernel;             /* Its symbol or address; points into the text that was parsed */
    uint32_t grid[3], local[3];     /* Workgroups; work-items of a workgroup */
    uint32_t items[3], offset[3];   /* Work-items of the grid; the first global id */
    uint32_t grid_dims, local_dims; /* Numbers given; 0: none, which is one workgroup or one warp */
    uint32_t items_dims;            /* 0: as many as fit into the workgroups */
    uint32_t slots;                 /* Of private memory; 0: it goes by workgroup */
    uint32_t threads;               /* Of a warp; the caller sets it before the kernel is loaded */
    uint32_t base;                  /* Of the first buffer */
    uint32_t lds, pds, sgprs, vgprs;
    uint32_t print; /* Bytes of a print buffer; 0: none */
    bool has_base, has_lds, has_pds, has_sgprs, has_vgprs;
    karat_arg *args;
    uint32_t num_args;
} karat_launch_spec;

/* The options: X(id, name without dashes, name as a plusarg of the harnesses, form of the value, expectation
 * in a message, purpose). */
#define KARAT_LAUNCH_OPTIONS(X)                                                                              \
    X(KERNEL, "kernel", "entry", "SYMBOL", "the symbol of a kernel, or its address",                         \
      "Launch this kernel of an ELF file, with the arguments that 'arg' gives (docs/run.md)")                \
    X(GRID, "grid", "grid", "X[,Y[,Z]]", "X[,Y[,Z]], each 1 or more", "Workgroups in every direction (1)")   \
    X(WORKGROUP, "workgroup", "workgroup", "X[,Y[,Z]]", "X[,Y[,Z]], each 1 or more",                         \
      "Work-items of a workgroup in every direction (the threads of a warp)")                                \
    X(ITEMS, "items", "items", "X[,Y[,Z]]", "X[,Y[,Z]], each 1 or more",                                     \
      "Work-items of the grid in every direction (grid x workgroup); gives the grid, too")                   \
    X(OFFSET, "offset", "offset", "X[,Y[,Z]]", "X[,Y[,Z]]", "First global id in every direction (0)")        \
    X(ARG, "arg", "arg", "KIND:VALUE", "buffer:SIZE, file:PATH, u32:V, f32:V or local:SIZE",                 \
      "The kernel's next argument: buffer:SIZE (zeros), file:PATH (a buffer with the file's bytes), u32:V, " \
      "f32:V, local:SIZE")                                                                                   \
    X(BASE, "base", "base", "ADDR", "an address of 32 bits, a multiple of 4096",                             \
      "Where the launch's buffers begin (0x90000000)")                                                       \
    X(LDS, "lds", "lds", "SIZE", "a number of bytes",                                                        \
      "Bytes of local memory that a workgroup declares (0x1000)")                                            \
    X(PDS, "pds", "pds", "SIZE", "a number of bytes", "Bytes of private memory of a thread (0x1000)")        \
    X(SLOTS, "pds-slots", "pds-slots", "N", "a number from 0 to 65536",                                      \
      "Private memory by resident slot, of so many; 1: one base for all workgroups; 0: by workgroup (0)")    \
    X(SGPRS, "sgprs", "sgprs", "N", "a number from 0 to 64",                                                 \
      "Scalar registers that the kernel declares; 0: all (64)")                                              \
    X(VGPRS, "vgprs", "vgprs", "N", "a number from 0 to 256",                                                \
      "Vector registers that the kernel declares; 0: all (64)")                                              \
    X(PRINT, "print", "print", "SIZE", "a number of bytes", "Bytes of a print buffer (0: none)")

typedef enum karat_launch_option {
#define KARAT_LAUNCH_ID(id, name, plusarg, value, expected, text) KARAT_LAUNCH_##id,
    KARAT_LAUNCH_OPTIONS(KARAT_LAUNCH_ID)
#undef KARAT_LAUNCH_ID
        KARAT_LAUNCH_NUM_OPTION
} karat_launch_option;

/* Take one option's value, which must outlive the specification. False with one line in *diag: "expected ...,
 * found '...'". */
bool karat_launch_take(karat_launch_spec *spec, karat_launch_option option, const char *value,
                       karat_diag *diag);
/* Whether the options given suffice; false with one line in *diag. */
bool karat_launch_check(const karat_launch_spec *spec, karat_diag *diag);
void karat_launch_spec_free(karat_launch_spec *spec);

/* Load an ELF file or words with that launch, and fill in the places of its arguments. As karat_kernel_load()
 * otherwise. */
karat_kernel *karat_kernel_load_launched(const char *path, karat_launch_spec *spec, karat_diag *diag);

#define KARAT_UNKNOWN 0xffffffffffffffff

/* The needs of a kernel, as the section .ventus.resource.KERNEL of its ELF file states them: registers, and
 * bytes of local memory of a workgroup and of private memory of a thread. KARAT_UNKNOWN: a launch has to
 * say. */
typedef struct karat_needs {
    char kernel[256];
    uint32_t version; /* Of the record; 0: the first, without one */
    uint64_t vgprs, sgprs, lds, pds, lds_stack, pds_stack;
} karat_needs;

/* The record of that number, from 0 on. False: there is no more, and diag->text is empty; or one line in
 * *diag. */
bool karat_needs_read(const char *path, uint32_t index, karat_needs *needs, karat_diag *diag);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
