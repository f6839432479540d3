/* Line tables by libdw, which is loaded with the first one. A kernel's are read once, before it runs, and
 * kept as one sorted table. */
#include "karat/lines.h"
#include "karat/quote.h"
#include "array.h"
#include "late.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

// clang-format off
#define LIBDW(X)                                                                                             \
    X(dwarf_begin) X(dwarf_end) X(dwarf_getelf) X(dwarf_getsrclines) X(dwarf_lineaddr)                       \
    X(dwarf_lineendsequence) X(dwarf_lineno) X(dwarf_linesrc) X(dwarf_nextcu) X(dwarf_offdie)                \
    X(dwarf_onesrcline) X(dwarf_srclang) X(elf_nextscn) X(gelf_getshdr) X(elf_rawdata)
// clang-format on

typedef struct libdw {
    LIBDW(KARAT_LATE_POINTER)
} libdw;

#define MAX_LINES (1u << 22)
#define MAX_FILES (1u << 16)

typedef struct loaded {
    karat_lines public; /* Comes first: karat_lines_free() relies on it */
    char **files;
    karat_line *lines;
    libdw dw;
} loaded;

/* The number of a file's name; MAX_FILES where there is no room for it. */
static uint32_t file_number(loaded *l, const char *name) {
    const uint32_t num = l->public.num_files;
    char *quoted =
        karat_quoted(name); /* Whatever a damaged table holds is printed on one line, and in JSON */
    uint32_t i = quoted ? num : MAX_FILES;
    while (quoted && i > 0 && strcmp(l->files[i - 1], quoted) != 0) /* Nearly always the last one */
        i--;
    if (quoted && i > 0) {
        free(quoted);
        return i - 1;
    }
    if (!quoted || num >= MAX_FILES || !karat_grow(&l->files, num, sizeof *l->files)) {
        free(quoted);
        return MAX_FILES;
    }
    l->files[num] = quoted;
    return l->public.num_files++;
}

/* Room for one more row. */
static bool room_for_line(loaded *l) {
    return l->public.num_lines < MAX_LINES && karat_grow(&l->lines, l->public.num_lines, sizeof *l->lines);
}

static bool add_line(loaded *l, Dwarf_Line *row) {
    const libdw *dw = &l->dw;
    Dwarf_Addr addr;
    bool end = false;
    int number = 0;
    if (dw->dwarf_lineaddr(row, &addr) || addr > UINT32_MAX)
        return true;
    if (dw->dwarf_lineendsequence(row, &end) || (!end && dw->dwarf_lineno(row, &number)))
        return true;
    const char *name = end || number <= 0 ? NULL : dw->dwarf_linesrc(row, NULL, NULL);
    uint32_t file = name ? file_number(l, name) : 0;
    if (!room_for_line(l) || file == MAX_FILES)
        return false;
    l->lines[l->public.num_lines++] = (karat_line){(uint32_t)addr, file, name ? (uint32_t)number : 0};
    return true;
}

/* The first custom instruction of [from, to), in the opcode space that the base ISA leaves free (custom-0 to
 * custom-3); 'to' where there is none, or no code. */
static uint32_t first_custom(const libdw *dw, Elf *elf, uint32_t from, uint32_t to) {
    for (Elf_Scn *section = dw->elf_nextscn(elf, NULL); section; section = dw->elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!dw->gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
            !(header.sh_flags & SHF_EXECINSTR) || from < header.sh_addr ||
            from - header.sh_addr >= header.sh_size)
            continue;
        const Elf_Data *data = dw->elf_rawdata(section, NULL);
        for (uint32_t at = from; data && data->d_buf && at < to && at - header.sh_addr < data->d_size;
             at += 4) {
            const uint32_t opcode = ((const uint8_t *)data->d_buf)[at - header.sh_addr] & 0x7f;
            if (opcode == 0x0b || opcode == 0x2b || opcode == 0x5b || opcode == 0x7b)
                return at;
        }
    }
    return to;
}

/* An instruction for which an assembler has made no entry comes after the line of the entry before it. An
 * entry's own instruction may be custom (GNU as makes entries for .insn), and what follows of one line is
 * what a pseudo-instruction becomes, which is never custom. */
static bool add_after(loaded *l, Elf *elf, uint32_t first) {
    for (uint32_t i = first, num = l->public.num_lines; i + 1 < num; i++) {
        const karat_line row = l->lines[i];
        const uint32_t end = l->lines[i + 1].addr;
        if (!row.line || end <= row.addr || end - row.addr <= 4)
            continue;
        const uint32_t at = first_custom(&l->dw, elf, row.addr + 4, end);
        if (at == end)
            continue;
        if (!room_for_line(l))
            return false;
        l->lines[l->public.num_lines++] = (karat_line){at, row.file, row.line | KARAT_LINE_AFTER};
    }
    return true;
}

static bool is_assembler(const libdw *dw, Dwarf_Die *unit) {
    return dw->dwarf_srclang(unit) == DW_LANG_Mips_Assembler;
}

static bool read_unit(loaded *l, Dwarf *dwarf, Dwarf_Die *unit) {
    const libdw *dw = &l->dw;
    Dwarf_Lines *rows;
    size_t num;
    const uint32_t first = l->public.num_lines;
    if (dw->dwarf_getsrclines(unit, &rows, &num))
        return true; /* This unit has none, or they are damaged: others may be whole */
    for (size_t i = 0; i < num; i++)
        if (!add_line(l, dw->dwarf_onesrcline(rows, i)))
            return false;
    return !is_assembler(dw, unit) || add_after(l, dw->dwarf_getelf(dwarf), first);
}

/* By address; of rows at one address, the end of what came before is first, and the others keep their
 * order. */
typedef struct sorted {
    karat_line row;
    uint32_t index;
} sorted;

static int compare(const void *a, const void *b) {
    const sorted *x = a, *y = b;
    if (x->row.addr != y->row.addr)
        return x->row.addr < y->row.addr ? -1 : 1;
    if (!x->row.line != !y->row.line)
        return x->row.line ? 1 : -1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool sort(loaded *l) {
    uint32_t num = l->public.num_lines;
    sorted *rows = malloc((num + (size_t)1) * sizeof *rows);
    if (!rows)
        return false;
    for (uint32_t i = 0; i < num; i++)
        rows[i] = (sorted){l->lines[i], i};
    qsort(rows, num, sizeof *rows, compare);
    for (uint32_t i = 0; i < num; i++)
        l->lines[i] = rows[i].row;
    free(rows);
    return true;
}

static bool read_all(loaded *l, Dwarf *dwarf) {
    const libdw *dw = &l->dw;
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dw->dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dw->dwarf_offdie(dwarf, offset + header, &unit) && !read_unit(l, dwarf, &unit))
            return false;
        if (next <= offset)
            break;
        offset = next;
    }
    return l->public.num_lines && sort(l);
}

karat_lines *karat_lines_load(const char *path) {
    static const char *const names[] = {LIBDW(KARAT_LATE_NAME)};
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    libdw dw = {0};
    const bool can = fd >= 0 && karat_load_late("libdw.so.1", names, sizeof names / sizeof *names, &dw);
    Dwarf *dwarf = can ? dw.dwarf_begin(fd, DWARF_C_READ) : NULL;
    loaded *l = dwarf ? calloc(1, sizeof *l) : NULL;
    if (l)
        l->dw = dw;
    if (l && !read_all(l, dwarf)) {
        karat_lines_free(&l->public);
        l = NULL;
    }
    if (dwarf)
        dw.dwarf_end(dwarf);
    if (fd >= 0)
        close(fd);
    if (!l)
        return NULL;
    l->public.files = (const char *const *)l->files;
    l->public.lines = l->lines;
    return &l->public;
}

void karat_lines_free(karat_lines *public) {
    loaded *l = (loaded *)public;
    for (uint32_t i = 0; l && i < l->public.num_files; i++)
        free(l->files[i]);
    if (l) {
        free(l->files);
        free(l->lines);
    }
    free(l);
}

/* NULL: none is known. */
static const karat_line *find(const karat_lines *l, uint32_t addr) {
    uint32_t low = 0, high = l ? l->num_lines : 0;
    while (low < high) { /* The number of rows at or before the address */
        uint32_t middle = low + (high - low) / 2;
        if (l->lines[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low && l->lines[low - 1].line ? &l->lines[low - 1] : NULL;
}

bool karat_lines_find(const karat_lines *l, uint32_t addr, const char **file, uint32_t *line) {
    const karat_line *row = find(l, addr);
    if (row) {
        *file = l->files[row->file];
        *line = row->line & ~KARAT_LINE_AFTER;
    }
    return row;
}

bool karat_lines_after(const karat_lines *l, uint32_t addr) {
    const karat_line *row = find(l, addr);
    return row && row->line & KARAT_LINE_AFTER;
}
