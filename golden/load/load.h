/* Private to golden/load: the common part of the two loaders. */
#ifndef KARAT_LOAD_H
#define KARAT_LOAD_H

#include "karat/image.h"
#include "karat/kernel.h"
#include "karat/launch.h"

/* Limits of a kernel. An input beyond them counts as damaged, not as large. */
#define LOAD_MAX_FILE    (1u << 30) /* Bytes of one file */
#define LOAD_MAX_BUFFERS 4096u
#define LOAD_MAX_WARPS   1024u /* Warps per workgroup */

/* LDS window of the `.metadata` convention (decisions, "Memory"). */
#define LOAD_METADATA_LDS 0x70000000u
/* Where the code of a `.metadata` without start_addr begins. */
#define LOAD_METADATA_START 0x80000000u
#define LOAD_LDS_SIZE       0x10000000u /* Bytes of the window, from CSR_LDS on */
#define LOAD_MAX_SLOTS      65536u      /* Of private memory */

/* A kernel and its memory. The public part comes first: karat_kernel_free() relies on it. */
typedef struct load_kernel {
    karat_kernel kernel;
    char *name;
    karat_buffer *buffers, *locals;
    uint8_t *bytes;          /* Memory that buffers[].data point into */
    uint8_t *argument_bytes; /* Memory of arguments from the command line */
    karat_diag note;         /* The text of kernel.note, where it is not empty */
    karat_symbol *symbols;
    char *strings; /* Memory that symbols[].name point into */
    karat_page_change *pages;
    bool is_image; /* An ELF file without a launch */
} load_kernel;

/* A file in memory, followed by a 0 byte. */
typedef struct load_file {
    const char *path;
    uint8_t *bytes;
    size_t size;
} load_file;

#if defined(__GNUC__)
#define LOAD_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define LOAD_PRINTF(f, a)
#endif

/* Put one line into *diag (NULL: nowhere): "PATH:LINE: text", or "PATH: text" where line is 0. Returns
 * false. */
bool load_complain(karat_diag *diag, const char *path, uint32_t line, const char *format, ...)
    LOAD_PRINTF(4, 5);

/* Add an oddity of the file that was accepted: one line in all, "PATH:LINE: text; text". */
void load_note(load_kernel *loaded, const char *path, uint32_t line, const char *format, ...)
    LOAD_PRINTF(4, 5);

/* Read a whole file; false and a line in *diag where that fails. */
bool load_read(load_file *file, const char *path, karat_diag *diag);

/* Add a change of page tables, from its text in that line (0: none) of the file. False and one line: it is
 * none, or memory is short. */
bool load_add_page(load_kernel *loaded, const char *path, uint32_t line, const char *text, size_t size,
                   karat_diag *diag);

/* Two buffers whose mapped bytes overlap: true, and their indices, the lower one first.  False: none do. */
bool load_overlap(const karat_buffer *buffers, uint32_t num, uint32_t *first, uint32_t *second,
                  bool *no_memory);

/* The buffer that contains addr, or -1. */
int32_t load_buffer_of(const karat_kernel *kernel, uint32_t addr);

/* Where the window of that code buffer must end: at the next buffer, or at private memory. */
uint64_t load_code_limit(const karat_kernel *kernel, uint32_t code);

/* Grow buffer i to KARAT_CODE_WINDOW, up to the limit, LDS or the end of the address space. */
void load_grow_code(load_kernel *loaded, uint32_t i, uint64_t limit);

/* Bytes of private memory of the whole grid, or of all slots; at most UINT64_MAX. */
uint64_t load_private_size(const karat_kernel *kernel, uint32_t num_thread);

/* Memory to place a kernel in, for so many threads a warp. */
typedef struct load_memory {
    void *context;
    uint32_t num_thread;
    karat_status (*map)(void *context, uint64_t base, uint64_t size, bool executable);
    karat_status (*write)(void *context, uint64_t addr, const void *bytes, size_t size);
    /* Fails where bytes cannot be read, which may be written all the same. */
    karat_status (*read)(void *context, uint64_t addr, void *bytes, size_t size);
} load_memory;

/* As karat_kernel_place(), there. */
karat_status load_place(const karat_kernel *kernel, const load_memory *memory);

/* The loaders.  *loaded is zeroed, except for the kernel's name; it owns all that they allocate. */
bool load_metadata(load_kernel *loaded, const load_file *file, const char *data_path, karat_diag *diag);
/* The spec is the launch, where the file does not describe its own; else NULL. */
bool load_elf(load_kernel *loaded, const load_file *file, karat_launch_spec *spec, karat_diag *diag);
/* Words: code begins at the first one; without a launch it is one warp. */
bool load_words_kernel(load_kernel *loaded, const load_file *file, karat_launch_spec *spec, karat_diag *diag);

/* Words of a text, by the ranges of addresses that they fill, in the text's order. */
typedef struct load_words {
    karat_code *parts;
    uint32_t num;
    uint8_t *bytes; /* Memory that parts[].data point into */
} load_words;

/* Read a text of words, those before the first address from addr on. False and one line in *diag. The caller
 * frees parts and bytes in either case. */
bool load_read_words(load_words *words, const char *path, const uint8_t *bytes, size_t size, uint32_t addr,
                     karat_diag *diag);

#endif
