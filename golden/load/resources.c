/* Sections .ventus.resource.KERNEL: the needs of kernels, as compilers of several years state them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

#define PREFIX ".ventus.resource."
#define MAGIC  0x53455256u /* "VRES" */

static uint64_t get64(const uint8_t *p) {
    return elf_get32(p) | (uint64_t)elf_get32(p + 4) << 32;
}

/* Flags of the versions with flags: fields that are a lower bound alone, as calls go to where the compiler
 * does not see. A launch has to know more than that. */
enum { STACK_UNKNOWN = 1u << 4, REGISTERS_UNKNOWN = 1u << 5 };

/* Two words, version and flags, then so many fields; what they do not have is unknown. */
static void read_fields(const uint8_t *p, uint32_t num, karat_needs *n) {
    uint64_t *const fields[] = {&n->vgprs, &n->sgprs, &n->lds, &n->pds, &n->lds_stack, &n->pds_stack};
    const uint32_t flags = elf_get32(p + 4);
    for (uint32_t i = 0; i < num; i++)
        *fields[i] = get64(p + 8 + 8 * i);
    if (flags & REGISTERS_UNKNOWN)
        n->vgprs = n->sgprs = KARAT_UNKNOWN;
    if (flags & STACK_UNKNOWN)
        n->lds_stack = n->pds_stack = KARAT_UNKNOWN;
}

/* Version 4 goes on with ten words for ray tracing, of which two say where in a thread's private memory its
 * continuations are. False: that is beyond what the record has of private memory. */
static bool holds_continuations(const uint8_t *p, const karat_needs *n) {
    const uint64_t end = (uint64_t)elf_get32(p + 76) + elf_get32(p + 80);
    return end <= n->pds;
}

static bool read_record(const elf_file *e, const uint8_t *p, uint32_t size, karat_needs *n) {
    const uint32_t first = size >= 4 ? elf_get32(p) : 0;
    n->vgprs = n->sgprs = n->lds = n->pds = n->lds_stack = n->pds_stack = KARAT_UNKNOWN;
    if (size == 8) {
        *n = (karat_needs){.vgprs = elf_get16(p),
                           .sgprs = elf_get16(p + 2),
                           .lds = elf_get16(p + 4),
                           .pds = elf_get16(p + 6)};
        return true;
    }
    if (size == 24 && first == MAGIC && elf_get16(p + 4) == 1) {
        *n = (karat_needs){.version = 1,
                           .vgprs = elf_get32(p + 8),
                           .sgprs = elf_get32(p + 12),
                           .lds = elf_get32(p + 16),
                           .pds = elf_get32(p + 20)};
        return true;
    }
    n->version = first;
    if ((size == 40 && first == 2) || (size == 56 && (first == 2 || first == 3))) {
        read_fields(p, (size - 8) / 8, n);
        return true;
    }
    if (size == 96 && first == 4) {
        read_fields(p, 6, n);
        return holds_continuations(p, n) ||
               load_complain(e->diag, e->path, 0,
                             "a record of a kernel's needs: expected private memory up to the end of its "
                             "continuations, found %" PRIu64 " bytes",
                             n->pds);
    }
    return load_complain(
        e->diag, e->path, 0,
        "a record of a kernel's needs: expected 8 bytes, 24 of version 1, 40 or 56 of version 2 or 3, or 96 "
        "of version 4, found %" PRIu32 " bytes that begin with 0x%08" PRIx32,
        size, first);
}

/* The record of that kernel, or (NULL) of that number; false, with one line where it is damaged, and without
 * where there is none. */
static bool find_record(const elf_file *e, const char *kernel, uint32_t index, karat_needs *n) {
    for (uint32_t i = 0; i < e->header.e_shnum; i++) {
        const Elf32_Shdr section = elf_section_header(e, i);
        const char *name = elf_string_at(e, &e->names, section.sh_name);
        if (!name || strncmp(name, PREFIX, sizeof PREFIX - 1) != 0 ||
            (kernel ? strcmp(name + sizeof PREFIX - 1, kernel) != 0 : index-- != 0))
            continue;
        const uint8_t *p = elf_contents(e, &section);
        if (!p)
            return elf_complain(e, PREFIX "*: expected contents within the file");
        if (!read_record(e, p, section.sh_size, n))
            return false;
        karat_quote(name + sizeof PREFIX - 1, n->kernel, sizeof n->kernel);
        return true;
    }
    return false;
}

bool elf_find_needs(const elf_file *e, const char *kernel, karat_needs *needs) {
    e->diag->text[0] = 0;
    return find_record(e, kernel, 0, needs);
}

bool karat_needs_read(const char *path, uint32_t index, karat_needs *needs, karat_diag *diag) {
    load_file file;
    karat_diag ignored;
    if (!diag)
        diag = &ignored;
    diag->text[0] = 0;
    if (!path || !needs)
        return load_complain(diag, path ? path : "(no name)", 0,
                             "expected a file's name, and a place for the needs");
    if (!load_read(&file, path, diag))
        return false;
    elf_file e = {.path = path, .bytes = file.bytes, .size = file.size, .diag = diag};
    const bool good = elf_read_header(&e) && find_record(&e, NULL, index, needs);
    free(file.bytes);
    return good;
}
