/* Which line of which source file an instruction comes from, as the DWARF line tables of an ELF file say
 * it. */
#ifndef KARAT_LINES_H
#define KARAT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* No entry of the table says which line this is of: it is after that one. An assembler makes no entries for
 * directives, such as the .insn and .4byte that custom instructions are spelled with, so that the entry
 * before would be taken for theirs. */
#define KARAT_LINE_AFTER 0x80000000u

typedef struct karat_line {
    uint32_t addr; /* From here to the next one */
    uint32_t file;
    uint32_t line; /* 0: of no source; may have KARAT_LINE_AFTER */
} karat_line;

typedef struct karat_lines {
    uint32_t num_files, num_lines;
    const char *const *files; /* As the compiler named them; bytes that are not printable ASCII are '?' */
    const karat_line *lines;  /* Sorted by address */
} karat_lines;

/* Read a file's line tables. NULL where there are none, or they cannot be read: what is wrong with them is
 * nobody's concern here. Free with karat_lines_free(). */
karat_lines *karat_lines_load(const char *path);
void karat_lines_free(karat_lines *lines);

/* The line of an address, or where karat_lines_after() the one before it; false where none is known. */
bool karat_lines_find(const karat_lines *lines, uint32_t addr, const char **file, uint32_t *line);
/* Whether all that is known is which line an address comes after. */
bool karat_lines_after(const karat_lines *lines, uint32_t addr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
