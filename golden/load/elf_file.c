/* Reading ELF32 files of unknown origin. */
#include "elf_file.h"

#include <stddef.h>
#include <string.h>

const uint8_t *elf_view(const elf_file *e, uint64_t offset, uint64_t size) {
    if (offset > e->size || size > e->size - offset)
        return NULL;
    return e->bytes + offset;
}

uint16_t elf_get16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}
uint32_t elf_get32(const uint8_t *p) {
    return elf_get16(p) | (uint32_t)elf_get16(p + 2) << 16;
}

/* Fields of a header at p that follow one another from that offset on, of 16 or 32 bits each. */
static void take_halves(void *header, size_t offset, const uint8_t *p, size_t num) {
    for (size_t at = offset; at < offset + num * sizeof(Elf32_Half); at += sizeof(Elf32_Half)) {
        const Elf32_Half half = elf_get16(p + at);
        memcpy((uint8_t *)header + at, &half, sizeof half);
    }
}
static void take_words(void *header, size_t offset, const uint8_t *p, size_t num) {
    for (size_t at = offset; at < offset + num * sizeof(Elf32_Word); at += sizeof(Elf32_Word)) {
        const Elf32_Word word = elf_get32(p + at);
        memcpy((uint8_t *)header + at, &word, sizeof word);
    }
}

bool elf_complain(const elf_file *e, const char *text) {
    return load_complain(e->diag, e->path, 0, "%s", text);
}

static bool read_names(elf_file *e) {
    if (!e->header.e_shnum)
        return true;
    if (e->header.e_shstrndx >= e->header.e_shnum)
        return elf_complain(e, "expected a section of section names (e_shstrndx)");
    e->names = elf_section_header(e, e->header.e_shstrndx);
    if (!elf_contents(e, &e->names))
        return elf_complain(e, "expected the section names within the file");
    return true;
}

bool elf_read_header(elf_file *e) {
    const uint8_t *p = elf_view(e, 0, EI_NIDENT);
    if (!p)
        return elf_complain(e, "expected an ELF header, found the end of the file");
    if (p[EI_CLASS] != ELFCLASS32)
        return elf_complain(e, p[EI_CLASS] == ELFCLASS64 ? "expected ELF32, found ELF64" : "expected ELF32");
    if (p[EI_DATA] != ELFDATA2LSB)
        return elf_complain(e, "expected little-endian ELF32");
    p = elf_view(e, 0, sizeof(Elf32_Ehdr));
    if (!p)
        return elf_complain(e, "expected an ELF header, found the end of the file");
    Elf32_Ehdr *h = &e->header;
    take_halves(h, offsetof(Elf32_Ehdr, e_type), p, 2);
    take_words(h, offsetof(Elf32_Ehdr, e_version), p, 5);
    take_halves(h, offsetof(Elf32_Ehdr, e_ehsize), p, 6);
    if (h->e_machine != EM_RISCV)
        return load_complain(e->diag, e->path, 0,
                             "expected an ELF file for RISC-V (machine %d), found machine %d", EM_RISCV,
                             h->e_machine);
    if (h->e_phnum && h->e_phentsize != sizeof(Elf32_Phdr))
        return elf_complain(e, "expected program headers of 32 bytes (e_phentsize)");
    if (!elf_view(e, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf32_Phdr)))
        return elf_complain(e, "expected program headers within the file (e_phoff, e_phnum)");
    if (h->e_shnum && h->e_shentsize != sizeof(Elf32_Shdr))
        return elf_complain(e, "expected section headers of 40 bytes (e_shentsize)");
    if (!elf_view(e, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf32_Shdr)))
        return elf_complain(e, "expected section headers within the file (e_shoff, e_shnum)");
    return read_names(e);
}

Elf32_Phdr elf_program_header(const elf_file *e, uint32_t i) {
    const uint8_t *p = elf_view(e, e->header.e_phoff + (uint64_t)i * sizeof(Elf32_Phdr), sizeof(Elf32_Phdr));
    Elf32_Phdr h;
    take_words(&h, 0, p, sizeof h / sizeof(Elf32_Word));
    return h;
}

Elf32_Shdr elf_section_header(const elf_file *e, uint32_t i) {
    const uint8_t *p = elf_view(e, e->header.e_shoff + (uint64_t)i * sizeof(Elf32_Shdr), sizeof(Elf32_Shdr));
    Elf32_Shdr h;
    take_words(&h, 0, p, sizeof h / sizeof(Elf32_Word));
    return h;
}

const uint8_t *elf_contents(const elf_file *e, const Elf32_Shdr *section) {
    return section->sh_type == SHT_NOBITS ? NULL : elf_view(e, section->sh_offset, section->sh_size);
}

const char *elf_string_at(const elf_file *e, const Elf32_Shdr *table, uint32_t offset) {
    const uint8_t *bytes = elf_contents(e, table);
    if (!bytes || offset >= table->sh_size || bytes[table->sh_size - 1])
        return NULL;
    return (const char *)bytes + offset;
}

bool elf_symbol_table(const elf_file *e, Elf32_Shdr *table, Elf32_Shdr *strings) {
    *strings = (Elf32_Shdr){0};
    for (uint32_t i = 0; i < e->header.e_shnum; i++) {
        *table = elf_section_header(e, i);
        if (table->sh_type != SHT_SYMTAB)
            continue;
        if (table->sh_entsize != sizeof(Elf32_Sym) || !elf_contents(e, table) ||
            table->sh_link >= e->header.e_shnum)
            return elf_complain(e, "expected a symbol table of 16-byte symbols within the file");
        *strings = elf_section_header(e, table->sh_link);
        if (!elf_contents(e, strings))
            return elf_complain(e, "expected the symbol names within the file");
        return true; /* There is at most one */
    }
    *table = (Elf32_Shdr){0};
    return true;
}

Elf32_Sym elf_symbol_at(const elf_file *e, const Elf32_Shdr *table, uint32_t i) {
    const uint8_t *p = elf_contents(e, table) + (size_t)i * sizeof(Elf32_Sym);
    Elf32_Sym s = {0};
    take_words(&s, 0, p, 3);
    take_halves(&s, offsetof(Elf32_Sym, st_shndx), p, 1);
    s.st_info = p[offsetof(Elf32_Sym, st_info)];
    return s;
}

const char *elf_place_name(const elf_file *e, const Elf32_Shdr *strings, const Elf32_Sym *symbol) {
    unsigned type = ELF32_ST_TYPE(symbol->st_info);
    if ((type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT) || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_shndx >= SHN_LORESERVE)
        return NULL;
    const char *name = elf_string_at(e, strings, symbol->st_name);
    return name && *name && *name != '$' && strncmp(name, ".L", 2) != 0 ? name : NULL;
}

/* --- Notes --- */

enum { NOTE_SHOWN = 16 };

/* The profile that notes name; another one than that of an earlier note is wrong. */
typedef struct named_profile {
    bool *named;
    karat_profile *profile;
} named_profile;

static bool take_profile(const elf_file *e, const char *text, uint32_t size, void *context) {
    const named_profile *into = context;
    karat_profile found;
    const int shown = size < NOTE_SHOWN ? (int)size : NOTE_SHOWN;
    if (!karat_profile_find(text, size, &found))
        return load_complain(e->diag, e->path, 0,
                             "note of " KARAT_NOTE_NAME ": expected ISA profile %s, found '%.*s'",
                             karat_profile_names(), shown, text);
    if (*into->named && *into->profile != found)
        return load_complain(e->diag, e->path, 0,
                             "notes of " KARAT_NOTE_NAME ": expected one ISA profile, found %s and %s",
                             karat_profile_name(*into->profile), karat_profile_name(found));
    *into->named = true;
    *into->profile = found;
    return true;
}

/* Called with the contents of a note; false: an error was reported. */
typedef bool take_note(const elf_file *e, const char *text, uint32_t size, void *context);

static bool read_notes(const elf_file *e, const uint8_t *p, uint64_t size, uint32_t wanted, take_note *take,
                       void *context) {
    for (uint64_t at = 0; size - at >= sizeof(Elf32_Nhdr);) {
        const uint32_t name_size = elf_get32(p + at + offsetof(Elf32_Nhdr, n_namesz));
        const uint32_t desc_size = elf_get32(p + at + offsetof(Elf32_Nhdr, n_descsz));
        const uint32_t type = elf_get32(p + at + offsetof(Elf32_Nhdr, n_type));
        const uint64_t name = at + sizeof(Elf32_Nhdr),
                       desc = name + (((uint64_t)name_size + 3) & ~UINT64_C(3));
        const uint64_t next = desc + (((uint64_t)desc_size + 3) & ~UINT64_C(3));
        if (desc + desc_size > size)
            return elf_complain(e, "expected notes that lie within their section");
        if (type == wanted && name_size == sizeof KARAT_NOTE_NAME &&
            memcmp(p + name, KARAT_NOTE_NAME, name_size) == 0 &&
            !take(e, (const char *)p + desc, desc_size, context))
            return false;
        at = next < size ? next : size;
    }
    return true;
}

/* All of Karat that are of that type. */
static bool each_note(const elf_file *e, uint32_t type, take_note *take, void *context) {
    for (uint32_t i = 0; i < e->header.e_shnum; i++) {
        const Elf32_Shdr section = elf_section_header(e, i);
        if (section.sh_type != SHT_NOTE)
            continue;
        const uint8_t *p = elf_contents(e, &section);
        if (!p)
            return elf_complain(e, "expected notes within the file");
        if (!read_notes(e, p, section.sh_size, type, take, context))
            return false;
    }
    return true;
}

/* Whether that word is an instruction of that profile and of no other. */
static bool is_of_alone(karat_profile profile, uint32_t word) {
    for (karat_profile p = 0; p < KARAT_NUM_PROFILE; p++) {
        const int row = karat_decode(p, word, NULL);
        if (karat_row_is_legal(karat_row_info(row), p) != (p == profile))
            return false;
    }
    return true;
}

/* The profile for code that names none: the default one, or one that has all of its instructions and further
 * ones of which there are some. */
static karat_profile find_profile(const elf_file *e) {
    for (uint32_t i = 0; i < e->header.e_shnum; i++) {
        const Elf32_Shdr section = elf_section_header(e, i);
        const uint8_t *p = section.sh_flags & SHF_EXECINSTR && section.sh_type == SHT_PROGBITS
                               ? elf_contents(e, &section)
                               : NULL;
        for (uint32_t at = 0; p && section.sh_size - at >= 4; at += 4)
            if (is_of_alone(KARAT_PUBLIC, elf_get32(p + at)))
                return KARAT_PUBLIC;
    }
    return KARAT_DEFAULT_PROFILE;
}

bool elf_read_profile(const elf_file *e, bool *named, karat_profile *profile) {
    named_profile into = {named, profile};
    *named = false;
    if (!each_note(e, KARAT_NOTE_PROFILE, take_profile, &into))
        return false;
    if (!*named)
        *profile = find_profile(e);
    return true;
}

static bool take_page(const elf_file *e, const char *text, uint32_t size, void *context) {
    return load_add_page(context, e->path, 0, text, size, e->diag);
}

bool elf_read_pages(const elf_file *e, load_kernel *loaded) {
    return each_note(e, KARAT_NOTE_PAGE, take_page, loaded);
}
