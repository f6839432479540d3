/* The code of any ELF32 file for RISC-V, linked or not, for listings.  To run one, see kernel.h. */
#ifndef KARAT_IMAGE_H
#define KARAT_IMAGE_H

#include "karat/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A part of the file that holds code: an executable section, or, where the file has none, an executable
 * segment. */
typedef struct karat_code {
    const char *name; /* Name of the section; NULL: a segment */
    uint32_t addr;    /* Address of data[0]; in a relocatable object usually 0 */
    uint32_t size;    /* Bytes in the file */
    const uint8_t *data;
} karat_code;

/* A name for a place in the code. */
typedef struct karat_label {
    uint32_t code; /* Index of the part that it is in */
    uint32_t addr, size;
    const char *name;
} karat_label;

/* A place in a relocatable object's code whose value the linker sets. */
typedef struct karat_fixup {
    uint32_t code, addr;
    const char *symbol; /* Symbol, or the section that it is in */
    int32_t addend;
} karat_fixup;

typedef struct karat_image {
    bool relocatable; /* Addresses are offsets within their part */
    bool compressed;  /* The file declares 16-bit instructions, which this ISA does not have */
    bool names_profile;
    /* Of the ISA, that its code is for; where it names none, KARAT_DEFAULT_PROFILE or, of an ELF file with
     * instructions of it alone, KARAT_PUBLIC. */
    karat_profile profile;
    uint32_t num_codes, num_labels, num_fixups;
    const karat_code *codes;   /* Sections in the file's order */
    const karat_label *labels; /* Sorted by code, addr, name */
    const karat_fixup *fixups; /* Sorted by code, addr */
} karat_image;

/* Whether a file begins like an ELF file. */
bool karat_is_elf(const uint8_t *bytes, size_t size);

/* Read an ELF file that is in memory; path is its name in messages.  Data and names of the image point into
 * bytes, which must outlive it.  Returns NULL on bad input, with one line in *diag.  Free with
 * karat_image_free(). */
karat_image *karat_image_read(const char *path, const uint8_t *bytes, size_t size, karat_diag *diag);

/* Whether a file's name is that of words in hex, as for Verilog's $readmemh: it ends in .vmem, .hex or .mem.
 * Kernels of such names are read as words (karat_kernel_load()). */
bool karat_is_words(const char *path);
/* Read such a text, which is in memory: a part for each range of addresses, in the text's order; words before
 * the first address are from addr on, a multiple of 4. As karat_image_read() otherwise. */
karat_image *karat_image_read_words(const char *path, const uint8_t *bytes, size_t size, uint32_t addr,
                                    karat_diag *diag);
void karat_image_free(karat_image *image);

/* The label at or before addr that reaches it, seen from that part (in a relocatable object: within it), and
 * the offset in *offset; NULL where none does. */
const karat_label *karat_image_label(const karat_image *image, uint32_t code, uint32_t addr,
                                     uint32_t *offset);

/* The fixup at addr of that part, or NULL. */
const karat_fixup *karat_image_fixup(const karat_image *image, uint32_t code, uint32_t addr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
