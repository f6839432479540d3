/* Private to golden/load: reading ELF32 files of unknown origin.  All offsets and sizes come from the file
 * and none is believed: every access goes through elf_view(), which knows the file's length. */
#ifndef KARAT_ELF_FILE_H
#define KARAT_ELF_FILE_H

#include <elf.h>

#include "load.h"

typedef struct elf_file {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    karat_diag *diag;
    Elf32_Ehdr header;
    Elf32_Shdr names; /* Section names; sh_size 0: none */
} elf_file;

/* The file's bytes [offset, offset + size), or NULL. */
const uint8_t *elf_view(const elf_file *e, uint64_t offset, uint64_t size);

uint16_t elf_get16(const uint8_t *p);
uint32_t elf_get32(const uint8_t *p);

/* One line about the file; returns false. */
bool elf_complain(const elf_file *e, const char *text);

/* Read the header of a little-endian ELF32 file for RISC-V, of any type, and the place of the section names.
 * Afterwards the tables of program and section headers lie within the file. */
bool elf_read_header(elf_file *e);

/* Header i of e_phnum, e_shnum. */
Elf32_Phdr elf_program_header(const elf_file *e, uint32_t i);
Elf32_Shdr elf_section_header(const elf_file *e, uint32_t i);

/* A section's bytes; NULL where they are not all in the file. */
const uint8_t *elf_contents(const elf_file *e, const Elf32_Shdr *section);

/* The string at that offset of a string table, or NULL where it does not lie within it. */
const char *elf_string_at(const elf_file *e, const Elf32_Shdr *table, uint32_t offset);

/* The file's symbol table and its strings.  True where they lie within the file, or where there is none:
 * table->sh_size is 0 then. */
bool elf_symbol_table(const elf_file *e, Elf32_Shdr *table, Elf32_Shdr *strings);

/* Symbol i of a table that elf_symbol_table() found. */
Elf32_Sym elf_symbol_at(const elf_file *e, const Elf32_Shdr *table, uint32_t i);

/* The symbol's name where it names a place in the program, else NULL. */
const char *elf_place_name(const elf_file *e, const Elf32_Shdr *strings, const Elf32_Sym *symbol);

/* The profile of the ISA that the file's code is for: a note of "Karat" of type 1, with the profile's name
 * (vectors/karat.inc, PROFILE). False and one line: a note is damaged, or names no profile, or two are named.
 * *named: there is one. */
bool elf_read_profile(const elf_file *e, bool *named, karat_profile *profile);

/* The changes of page tables: notes of "Karat" of type 2, with their texts (vectors/karat.inc, PAGE). False
 * and one line: a note is damaged, or is no change. */
bool elf_read_pages(const elf_file *e, load_kernel *loaded);

/* The executable segment that holds addr, as an index of buffers, or -1: while they are the segments
 * alone. Words, which have no program headers, are all executable. */
int32_t load_elf_executable(const elf_file *e, const karat_kernel *k, uint32_t addr);

/* The launch of the command line, of a file whose segments, symbols and notes are loaded (launch.c). Fills in
 * the places of the arguments. */
bool load_launch(elf_file *e, load_kernel *loaded, karat_launch_spec *spec);

/* The needs of that kernel, by its record. False: it has none, and diag->text is empty; or one line in
 * *diag. */
bool elf_find_needs(const elf_file *file, const char *kernel, karat_needs *needs);

#endif
