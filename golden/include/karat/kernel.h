/* Kernels on disk, and the launch descriptors of their warps. */
#ifndef KARAT_KERNEL_H
#define KARAT_KERNEL_H

#include "karat/model.h"
#include "karat/page_change.h"
#include "karat/quote.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* One line about an error in an input: file, position, expectation. */
typedef struct karat_diag {
    char text[512];
} karat_diag;

typedef struct karat_buffer {
    uint32_t base;
    uint32_t size;       /* Initialised bytes: data[] */
    uint32_t alloc_size; /* Bytes to map, at least size + cleared */
    const uint8_t *data;
    uint32_t cleared; /* Bytes after data[] that are 0 at the kernel's start (.bss) */
    uint32_t number;  /* In the file's list: of a .metadata its buffer, of an ELF file its segment */
} karat_buffer;

typedef struct karat_symbol {
    const char *name;
    uint32_t addr, size;
} karat_symbol;

/* A kernel as loaded.  Everything that the pointers name belongs to the kernel. */
typedef struct karat_kernel {
    const char *name; /* File name without folder and suffix */
    uint32_t start_addr;
    uint32_t grid[3];            /* Workgroups in x, y, z */
    uint32_t wf_size;            /* Threads per warp; 0: as many as the device has */
    uint32_t wg_size;            /* Warps per workgroup */
    uint32_t knl;                /* CSR_KNL */
    uint32_t lds_base;           /* CSR_LDS of every workgroup */
    uint32_t lds_size;           /* Bytes per workgroup, for allocation only */
    uint32_t pds_base, pds_size; /* Private memory of workgroup 0; bytes per thread */
    /* Where that of the others is. 0: each has its own, after that of the one before. Else it goes by
     * resident slot, of so many: workgroups that run at the same time have different slots. 1 is one base for
     * all, which run one after the other. */
    uint32_t pds_slots;
    bool maps_private; /* Private memory is mapped wherever it lies; else where a buffer is */
    /* Work-items of a workgroup and of the grid, and the first global id, in x, y, z. local 0: not said, and
     * all threads of all warps run. Else thread t of a workgroup is work-item (t % x, t / x % y, t / x / y)
     * of it, and one that is outside of the workgroup or of the grid starts inactive; a warp without any
     * other does not start. Each workgroup has at least work-item (0, 0, 0). */
    uint32_t local[3], global[3], offset[3];
    uint32_t sgprs, vgprs; /* Usage; 0: all */
    uint32_t num_buffers;
    const karat_buffer *buffers; /* Buffers of device memory */
    uint32_t num_locals;
    const karat_buffer *locals; /* Inside the LDS window: the first contents of every workgroup's LDS */
    uint32_t num_symbols;       /* ELF: sorted by address; .metadata has none */
    const karat_symbol *symbols;
    uint64_t ptbr; /* Root of the address space that it was placed in (space.h); 0: none, as it is loaded */
    uint32_t asid; /* ASID of that address space */
    const char *note; /* One line about an oddity in the file that was accepted; NULL: none */
    bool names_profile;
    /* Of the ISA, that its code is for; where it names none, KARAT_DEFAULT_PROFILE or, of an ELF file with
     * instructions of it alone, KARAT_PUBLIC. */
    karat_profile profile;
    uint32_t num_pages; /* Changes of page tables; with any, its launches need translation */
    const karat_page_change *pages;
} karat_kernel;

/* How a `.metadata` begins that names its profile; "v2.03" follows, and the line's end. */
#define KARAT_PROFILE_LINE "// ISA profile "
/* Name and type of the ELF note that does so; its contents are "v2.03". vectors/karat.inc has them for
 * programs. */
#define KARAT_NOTE_NAME    "Karat"
#define KARAT_NOTE_PROFILE 1

/* Changes of page tables are named likewise: further first lines of a `.metadata`, one a change, and a note
 * of that type for each, whose contents are the change (karat_page_parse()). */
#define KARAT_PAGE_LINE "// page "
/* The line of a note on private memory by resident slot (pds_slots): the number of slots follows. */
#define KARAT_SLOTS_LINE "// slots of private memory: "
#define KARAT_NOTE_PAGE  2

/* The name of the `.data` file beside a `.metadata` file: suffix .data. The caller frees it; NULL where
 * memory is short. */
char *karat_data_name(const char *path);

/* Load a `.metadata` file and the `.data` file beside it (data_path NULL: same name, suffix .data), or an
 * ELF32 file with a `.karat.launch` section (see vectors/karat.inc), or a text of words (image.h), which are
 * one warp from the first word on. The file's first bytes and its name determine the kind. Returns NULL on
 * bad input, with one line in *diag. Free with karat_kernel_free(). */
karat_kernel *karat_kernel_load(const char *path, const char *data_path, karat_diag *diag);
void karat_kernel_free(karat_kernel *kernel);

/* Load the image of a linked ELF file, or of words, for callers that launch it themselves: segments,
 * symbols and notes, the entry point as start_addr, and a grid of 0 workgroups. bytes: the file's
 * contents, under that name; NULL: they are read. As karat_kernel_load() otherwise. */
karat_kernel *karat_kernel_load_image(const char *path, const void *bytes, size_t size, karat_diag *diag);

/* The profile of kernels that share a model: the one that files name, or wanted (NULL: none) of the source by
 * ("--profile"), or the default. False where they differ: one line in *diag. */
bool karat_kernels_profile(const karat_kernel *const *kernels, uint32_t num, const karat_profile *wanted,
                           const char *by, karat_profile *profile, karat_diag *diag);

/* Bytes mapped from the code buffer's base on, for the image's .bss (decisions, "Memory"). */
#define KARAT_CODE_WINDOW (16u << 20)

/* Number of workgroups of the grid, and threads per warp on that device. */
uint32_t karat_kernel_workgroups(const karat_kernel *kernel);
uint32_t karat_kernel_wf_size(const karat_kernel *kernel, uint32_t num_thread);

/* The regions that the kernel maps, page-aligned, in the order of its buffers (the code buffer's grown to
 * KARAT_CODE_WINDOW). Region i of karat_kernel_num_regions(). num_thread sizes the private memory of an ELF
 * kernel. */
uint32_t karat_kernel_num_regions(const karat_kernel *kernel);
void karat_kernel_region(const karat_kernel *kernel, uint32_t i, uint32_t num_thread, uint64_t *base,
                         uint64_t *size);

/* Map the regions and write the buffers' bytes, including those to be cleared. KARAT_BAD_ARGUMENT where a
 * region goes beyond 4 GiB or meets the LDS window, and for a model with translation or a kernel with changes
 * of pages: karat_space_place(). */
karat_status karat_kernel_place(const karat_kernel *kernel, karat_model *model);

/* Open that workgroup of the grid (karat_workgroup_open()) under a handle, with the first contents of its LDS
 * and as many warps as start. KARAT_NO_MEMORY where the pool of LDS pages is too small for them. */
karat_status karat_kernel_open(const karat_kernel *kernel, karat_model *model, uint32_t handle,
                               uint32_t workgroup);

/* The threads of that warp that start, one bit each; 0: the warp does not start. And the warps of that
 * workgroup that start; of all. */
uint32_t karat_kernel_mask(const karat_kernel *kernel, uint32_t num_thread, uint32_t workgroup,
                           uint32_t warp);
uint32_t karat_kernel_group_warps(const karat_kernel *kernel, uint32_t num_thread, uint32_t workgroup);
uint64_t karat_kernel_warps(const karat_kernel *kernel, uint32_t num_thread);

/* Whether there are threads that do not start. */
bool karat_kernel_is_partial(const karat_kernel *kernel, uint32_t num_thread);

/* The ids of a thread of that warp, in x, y, z: within its workgroup, and in the grid from the offset on.
 * False where it has none: local is not said, or the thread starts inactive. */
bool karat_kernel_thread(const karat_kernel *kernel, uint32_t num_thread, uint32_t workgroup, uint32_t warp,
                         uint32_t lane, uint32_t local[3], uint32_t global[3]);

/* An expectation that the kernel's work-items and slots of private memory do not meet, for a message; NULL:
 * they are right. */
const char *karat_kernel_wrong_items(const karat_kernel *kernel);

/* CSR_PDS of that workgroup; of one that has this slot, where private memory goes by slot. */
uint32_t karat_kernel_pds(const karat_kernel *kernel, uint32_t num_thread, uint32_t index);

/* The launch descriptor of one warp: workgroup = linear index in the grid, warp within it. desc->workgroup is
 * set to 0 for the caller to overwrite with a handle; x and v are NULL. CSR_WGID is the workgroup's linear
 * index. ptbr and asid are the kernel's. CSR_PDS is that of slot 0 where private memory goes by slot:
 * karat_kernel_pds() has the others. */
void karat_kernel_launch(const karat_kernel *kernel, uint32_t num_thread, uint32_t workgroup, uint32_t warp,
                         karat_launch_desc *desc);

/* Device memory as seen by a host; both return false, without effect, where a byte is not mapped. */
typedef struct karat_print_memory {
    void *context;
    bool (*read)(void *context, uint64_t addr, void *bytes, size_t size);
    bool (*write)(void *context, uint64_t addr, const void *bytes, size_t size);
} karat_print_memory;

/* A text that the host reads for a warp. */
typedef struct karat_print {
    uint32_t addr, size; /* The print buffer: byte address and bytes; 0 where there is none */
    char *text;          /* The caller frees it, not terminated; NULL where length is 0 */
    size_t length;       /* Bytes */
} karat_print;

/* The host's part of printing, after a warp has written a value other than 0 to CSR_PRINT (section 3.2;
 * decisions, "Registers, CSRs, launch"): read the text of the print buffer that the block at knl (CSR_KNL)
 * names, up to the first 0 or the buffer's end, and clear the buffer's first byte. The caller then sets that
 * warp's CSR_PRINT to 0. KARAT_NOT_MAPPED where there is no such buffer: the text is the readable part, and
 * nothing is cleared. KARAT_NO_MEMORY: there is no text. */
karat_status karat_print_take(const karat_print_memory *memory, uint32_t knl, karat_print *print);

/* As karat_print_take(), without clearing. */
karat_status karat_print_read(const karat_print_memory *memory, uint32_t knl, karat_print *print);

/* Cut the first line off a printed text: its first byte, its length without the newline in *line, and the
 * rest in *text and *length. NULL at the end. */
const char *karat_print_line(const char **text, size_t *length, size_t *line);

/* The symbol that contains addr, and the offset in *offset; NULL where none does. */
const karat_symbol *karat_kernel_symbol(const karat_kernel *kernel, uint32_t addr, uint32_t *offset);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
