/* The code of any ELF32 file for RISC-V, for listings. */
#include "karat/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

/* An image and its memory. The public part comes first: karat_image_free() relies on it. */
typedef struct image {
    karat_image image;
    karat_code *codes;
    karat_label *labels;
    karat_fixup *fixups;
    uint32_t *code_of; /* Per section: its index in codes[], or NO_CODE */
    uint8_t *words;    /* Of a text; NULL: an ELF file */
} image;

#define NO_CODE UINT32_MAX

bool karat_is_elf(const uint8_t *bytes, size_t size) {
    return bytes && size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static bool no_memory(const elf_file *e) {
    return elf_complain(e, "not enough memory");
}

/* Add a part; false and a line where it cannot be listed. kind and i name it in messages. */
static bool add_code(const elf_file *e, image *m, const char *kind, uint32_t i, const char *name,
                     uint32_t addr, const uint8_t *data, uint32_t size, uint64_t *bytes) {
    const char *wrong = NULL;
    if (!data)
        wrong = "contents within the file";
    else if ((uint64_t)addr + size > (uint64_t)UINT32_MAX + 1)
        wrong = "an end within the 32-bit address space";
    else if ((*bytes += size) > e->size) /* Otherwise a small file would make an endless listing */
        wrong = "code that is in no other part";
    if (wrong)
        return load_complain(e->diag, e->path, 0, "%s %" PRIu32 ": expected %s", kind, i, wrong);
    m->codes[m->image.num_codes++] = (karat_code){name, addr, size, data};
    return true;
}

static bool read_codes(const elf_file *e, image *m) {
    uint64_t bytes = 0;
    m->codes = calloc((size_t)e->header.e_shnum + e->header.e_phnum + 1, sizeof *m->codes);
    m->code_of = malloc(((size_t)e->header.e_shnum + 1) * sizeof *m->code_of);
    if (!m->codes || !m->code_of)
        return no_memory(e);
    for (uint32_t i = 0; i < e->header.e_shnum; i++) {
        Elf32_Shdr h = elf_section_header(e, i);
        m->code_of[i] = NO_CODE;
        if (!(h.sh_flags & SHF_EXECINSTR) || h.sh_type == SHT_NOBITS || !h.sh_size)
            continue;
        m->code_of[i] = m->image.num_codes;
        const char *name = elf_string_at(e, &e->names, h.sh_name);
        if (!add_code(e, m, "section", i, name ? name : "", h.sh_addr, elf_contents(e, &h), h.sh_size,
                      &bytes))
            return false;
    }
    for (uint32_t i = 0; !m->image.num_codes && i < e->header.e_phnum; i++) {
        Elf32_Phdr h = elf_program_header(e, i);
        if (h.p_type == PT_LOAD && h.p_flags & PF_X && h.p_filesz &&
            !add_code(e, m, "program header", i, NULL, h.p_vaddr, elf_view(e, h.p_offset, h.p_filesz),
                      h.p_filesz, &bytes))
            return false;
    }
    return m->image.num_codes ||
           elf_complain(e, "expected an executable section or segment with contents, found none");
}

static int compare_places(uint32_t code_a, uint32_t addr_a, uint32_t code_b, uint32_t addr_b) {
    if (code_a != code_b)
        return code_a < code_b ? -1 : 1;
    return addr_a < addr_b ? -1 : addr_a > addr_b;
}

static int compare_labels(const void *a, const void *b) {
    const karat_label *x = a, *y = b;
    int order = compare_places(x->code, x->addr, y->code, y->addr);
    return order ? order : strcmp(x->name, y->name);
}

static int compare_fixups(const void *a, const void *b) {
    const karat_fixup *x = a, *y = b;
    return compare_places(x->code, x->addr, y->code, y->addr);
}

/* The part that a symbol is in, or NO_CODE. Segments have no number: the address decides. */
static uint32_t code_of_symbol(const elf_file *e, const image *m, const Elf32_Sym *symbol) {
    if (m->image.codes[0].name)
        return symbol->st_shndx < e->header.e_shnum ? m->code_of[symbol->st_shndx] : NO_CODE;
    for (uint32_t i = 0; i < m->image.num_codes; i++)
        if (symbol->st_value - m->codes[i].addr < m->codes[i].size)
            return i;
    return NO_CODE;
}

static bool read_labels(const elf_file *e, image *m) {
    Elf32_Shdr table, strings;
    if (!elf_symbol_table(e, &table, &strings))
        return false;
    uint32_t num = table.sh_size / sizeof(Elf32_Sym);
    m->labels = malloc((num + 1) * sizeof *m->labels);
    if (!m->labels)
        return no_memory(e);
    for (uint32_t i = 0; i < num; i++) {
        Elf32_Sym symbol = elf_symbol_at(e, &table, i);
        const char *name = elf_place_name(e, &strings, &symbol);
        uint32_t code = name ? code_of_symbol(e, m, &symbol) : NO_CODE;
        if (code != NO_CODE)
            m->labels[m->image.num_labels++] = (karat_label){code, symbol.st_value, symbol.st_size, name};
    }
    qsort(m->labels, m->image.num_labels, sizeof *m->labels, compare_labels);
    m->image.labels = m->labels;
    return true;
}

/* The target of a relocation: a symbol's own name, or that of its section; NULL: none (a hint to the
 * linker). */
static const char *fixup_name(const elf_file *e, const Elf32_Shdr *table, const Elf32_Shdr *strings,
                              uint32_t i) {
    if (i == 0 || i >= table->sh_size / sizeof(Elf32_Sym))
        return NULL;
    Elf32_Sym symbol = elf_symbol_at(e, table, i);
    const char *name = elf_string_at(e, strings, symbol.st_name);
    if ((!name || !*name) && symbol.st_shndx < e->header.e_shnum) {
        Elf32_Shdr section = elf_section_header(e, symbol.st_shndx);
        name = elf_string_at(e, &e->names, section.sh_name);
    }
    return name && *name ? name : NULL;
}

/* Relocations of the code of a relocatable object. */
static bool read_fixups(const elf_file *e, image *m) {
    Elf32_Shdr table, strings;
    if (!m->image.relocatable || !elf_symbol_table(e, &table, &strings))
        return !m->image.relocatable;
    uint64_t room = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < e->header.e_shnum; i++) {
            Elf32_Shdr h = elf_section_header(e, i);
            if (h.sh_type != SHT_RELA || h.sh_info >= e->header.e_shnum || m->code_of[h.sh_info] == NO_CODE)
                continue;
            const uint8_t *p = elf_contents(e, &h);
            if (!p || h.sh_entsize != sizeof(Elf32_Rela))
                return elf_complain(e, "expected relocations of 12 bytes within the file");
            uint32_t num = h.sh_size / sizeof(Elf32_Rela);
            room += pass ? 0 : num;
            for (uint32_t r = 0; pass && r < num; r++, p += sizeof(Elf32_Rela)) {
                uint32_t symbol = ELF32_R_SYM(elf_get32(p + offsetof(Elf32_Rela, r_info)));
                const char *name = fixup_name(e, &table, &strings, symbol);
                if (name)
                    m->fixups[m->image.num_fixups++] =
                        (karat_fixup){m->code_of[h.sh_info], elf_get32(p + offsetof(Elf32_Rela, r_offset)),
                                      name, (int32_t)elf_get32(p + offsetof(Elf32_Rela, r_addend))};
            }
        }
        if (room > e->size) /* Sections that share bytes */
            return elf_complain(e, "expected fewer relocations");
        if (!pass && !(m->fixups = malloc((room + 1) * sizeof *m->fixups)))
            return no_memory(e);
    }
    qsort(m->fixups, m->image.num_fixups, sizeof *m->fixups, compare_fixups);
    m->image.fixups = m->fixups;
    return true;
}

karat_image *karat_image_read(const char *path, const uint8_t *bytes, size_t size, karat_diag *diag) {
    elf_file e = {.path = path ? path : "(no name)", .bytes = bytes, .size = bytes ? size : 0, .diag = diag};
    if (diag)
        diag->text[0] = 0;
    if (!elf_read_header(&e))
        return NULL;
    image *m = calloc(1, sizeof *m);
    if (!m) {
        no_memory(&e);
        return NULL;
    }
    m->image.relocatable = e.header.e_type == ET_REL;
    m->image.compressed = e.header.e_flags & EF_RISCV_RVC;
    bool good = elf_read_profile(&e, &m->image.names_profile, &m->image.profile) && read_codes(&e, m);
    m->image.codes = m->codes;
    if (good && read_labels(&e, m) && read_fixups(&e, m))
        return &m->image;
    karat_image_free(&m->image);
    return NULL;
}

karat_image *karat_image_read_words(const char *path, const uint8_t *bytes, size_t size, uint32_t addr,
                                    karat_diag *diag) {
    load_words words = {0};
    path = path ? path : "(no name)";
    image *m = calloc(1, sizeof *m);
    if (!m)
        load_complain(diag, path, 0, "not enough memory");
    else if (!bytes || addr % 4)
        load_complain(diag, path, 0, "expected a text, and an address that is a multiple of 4");
    else if (load_read_words(&words, path, bytes, size, addr, diag)) {
        m->image.profile = KARAT_DEFAULT_PROFILE;
        m->image.num_codes = words.num;
        m->image.codes = m->codes = words.parts;
        m->words = words.bytes;
        return &m->image;
    }
    free(words.parts);
    free(words.bytes);
    free(m);
    return NULL;
}

void karat_image_free(karat_image *public) {
    if (!public)
        return;
    image *m = (image *)public; /* Public is its first member */
    free(m->codes);
    free(m->labels);
    free(m->fixups);
    free(m->code_of);
    free(m->words);
    free(m);
}

/* How many labels before the nearest one are asked whether they reach an address: functions hold labels. */
#define NEAR 64

const karat_label *karat_image_label(const karat_image *image, uint32_t code, uint32_t addr,
                                     uint32_t *offset) {
    if (!image || code >= image->num_codes)
        return NULL;
    const karat_code *at = &image->codes[code];
    for (uint32_t i = 0; !image->relocatable && addr - at->addr >= at->size && i < image->num_codes; i++)
        if (addr - image->codes[i].addr < image->codes[i].size)
            at = &image->codes[code = i];
    if (addr - at->addr >= at->size)
        return NULL;
    uint32_t low = 0, high = image->num_labels;
    while (low < high) { /* The number of labels at or before the address */
        uint32_t middle = low + (high - low) / 2;
        const karat_label *l = &image->labels[middle];
        if (compare_places(l->code, l->addr, code, addr) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = 0; i < NEAR && low-- > 0 && image->labels[low].code == code; i++) {
        const karat_label *l = &image->labels[low];
        if (l->size && addr - l->addr >= l->size)
            continue;
        if (offset)
            *offset = addr - l->addr;
        return l;
    }
    return NULL;
}

const karat_fixup *karat_image_fixup(const karat_image *image, uint32_t code, uint32_t addr) {
    const karat_fixup key = {.code = code, .addr = addr};
    return image && image->num_fixups
               ? bsearch(&key, image->fixups, image->num_fixups, sizeof key, compare_fixups)
               : NULL;
}
