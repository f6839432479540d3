/* ELF32 executables with a `.karat.launch` section.  All offsets and sizes come from the file and none is
 * believed: every access goes through view(), which knows the file's length. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

#define LAUNCH_SECTION ".karat.launch"
#define LAUNCH_MAGIC   0x3154524bu /* "KRT1" */

/* Words of the launch section. */
enum {
    LAUNCH_WORD_MAGIC,
    LAUNCH_WORD_PC,
    LAUNCH_WORD_GRID,
    LAUNCH_WORD_WG_SIZE = LAUNCH_WORD_GRID + 3,
    LAUNCH_WORD_WF_SIZE,
    LAUNCH_WORD_KNL,
    LAUNCH_WORD_LDS_BASE,
    LAUNCH_WORD_LDS_SIZE,
    LAUNCH_WORD_PDS_BASE,
    LAUNCH_WORD_PDS_SIZE,
    LAUNCH_WORD_SGPRS,
    LAUNCH_WORD_VGPRS,
    LAUNCH_WORDS
};

typedef struct elf_file {
    const load_file *file;
    karat_diag *diag;
    Elf32_Ehdr header;
    Elf32_Shdr names; /* section names; sh_size 0: none */
} elf_file;

/* The file's bytes [offset, offset + size), or NULL. */
static const uint8_t *view(const elf_file *e, uint64_t offset, uint64_t size) {
    if (offset > e->file->size || size > e->file->size - offset)
        return NULL;
    return e->file->bytes + offset;
}

static uint16_t get16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}
static uint32_t get32(const uint8_t *p) {
    return get16(p) | (uint32_t)get16(p + 2) << 16;
}

#define FIELD16(to, p, type, field) ((to)->field = get16((p) + offsetof(type, field)))
#define FIELD32(to, p, type, field) ((to)->field = get32((p) + offsetof(type, field)))

static bool complain(const elf_file *e, const char *text) {
    load_complain(e->diag, e->file->path, 0, "%s", text);
    return false;
}

static bool read_header(elf_file *e) {
    const uint8_t *p = view(e, 0, EI_NIDENT);
    if (!p)
        return complain(e, "expected an ELF header, found the end of the file");
    if (p[EI_CLASS] != ELFCLASS32)
        return complain(e, p[EI_CLASS] == ELFCLASS64 ? "expected ELF32, found ELF64" : "expected ELF32");
    if (p[EI_DATA] != ELFDATA2LSB)
        return complain(e, "expected little-endian ELF32");
    p = view(e, 0, sizeof(Elf32_Ehdr));
    if (!p)
        return complain(e, "expected an ELF header, found the end of the file");
    Elf32_Ehdr *h = &e->header;
    FIELD16(h, p, Elf32_Ehdr, e_type);
    FIELD16(h, p, Elf32_Ehdr, e_machine);
    FIELD32(h, p, Elf32_Ehdr, e_phoff);
    FIELD32(h, p, Elf32_Ehdr, e_shoff);
    FIELD16(h, p, Elf32_Ehdr, e_phentsize);
    FIELD16(h, p, Elf32_Ehdr, e_phnum);
    FIELD16(h, p, Elf32_Ehdr, e_shentsize);
    FIELD16(h, p, Elf32_Ehdr, e_shnum);
    FIELD16(h, p, Elf32_Ehdr, e_shstrndx);
    if (h->e_machine != EM_RISCV) {
        load_complain(e->diag, e->file->path, 0,
                      "expected an ELF file for RISC-V (machine %d), found machine %d", EM_RISCV,
                      h->e_machine);
        return false;
    }
    if (h->e_type == ET_REL)
        return complain(e, "expected a linked executable, found a relocatable object");
    if (h->e_type != ET_EXEC)
        return complain(e, "expected a linked executable (ET_EXEC)");
    if (h->e_phnum && h->e_phentsize != sizeof(Elf32_Phdr))
        return complain(e, "expected program headers of 32 bytes (e_phentsize)");
    if (!view(e, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf32_Phdr)))
        return complain(e, "expected program headers within the file (e_phoff, e_phnum)");
    if (h->e_shnum && h->e_shentsize != sizeof(Elf32_Shdr))
        return complain(e, "expected section headers of 40 bytes (e_shentsize)");
    if (!view(e, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf32_Shdr)))
        return complain(e, "expected section headers within the file (e_shoff, e_shnum)");
    return true;
}

static Elf32_Phdr program_header(const elf_file *e, uint32_t i) {
    const uint8_t *p = view(e, e->header.e_phoff + (uint64_t)i * sizeof(Elf32_Phdr), sizeof(Elf32_Phdr));
    Elf32_Phdr h = {0};
    FIELD32(&h, p, Elf32_Phdr, p_type);
    FIELD32(&h, p, Elf32_Phdr, p_offset);
    FIELD32(&h, p, Elf32_Phdr, p_vaddr);
    FIELD32(&h, p, Elf32_Phdr, p_filesz);
    FIELD32(&h, p, Elf32_Phdr, p_memsz);
    FIELD32(&h, p, Elf32_Phdr, p_flags);
    return h;
}

static Elf32_Shdr section_header(const elf_file *e, uint32_t i) {
    const uint8_t *p = view(e, e->header.e_shoff + (uint64_t)i * sizeof(Elf32_Shdr), sizeof(Elf32_Shdr));
    Elf32_Shdr h = {0};
    FIELD32(&h, p, Elf32_Shdr, sh_name);
    FIELD32(&h, p, Elf32_Shdr, sh_type);
    FIELD32(&h, p, Elf32_Shdr, sh_offset);
    FIELD32(&h, p, Elf32_Shdr, sh_size);
    FIELD32(&h, p, Elf32_Shdr, sh_link);
    FIELD32(&h, p, Elf32_Shdr, sh_entsize);
    return h;
}

/* A section's bytes; NULL where they are not all in the file. */
static const uint8_t *contents(const elf_file *e, const Elf32_Shdr *section) {
    return section->sh_type == SHT_NOBITS ? NULL : view(e, section->sh_offset, section->sh_size);
}

/* The string at that offset of a string table, or NULL where it does not lie within it. */
static const char *string_at(const elf_file *e, const Elf32_Shdr *table, uint32_t offset) {
    const uint8_t *bytes = contents(e, table);
    if (!bytes || offset >= table->sh_size || bytes[table->sh_size - 1])
        return NULL;
    return (const char *)bytes + offset;
}

/* --- Segments --- */

static bool read_segments(elf_file *e, load_kernel *loaded) {
    karat_kernel *k = &loaded->kernel;
    uint64_t bytes = 0;
    uint32_t num = 0;
    for (uint32_t i = 0; i < e->header.e_phnum; i++) {
        Elf32_Phdr h = program_header(e, i);
        if (h.p_type != PT_LOAD || !h.p_memsz)
            continue;
        const char *wrong = NULL;
        if (h.p_filesz > h.p_memsz)
            wrong = "p_filesz of at most p_memsz";
        else if (!view(e, h.p_offset, h.p_filesz))
            wrong = "contents within the file";
        else if ((uint64_t)h.p_vaddr + h.p_memsz > (uint64_t)UINT32_MAX + 1)
            wrong = "an end within the 32-bit address space";
        if (wrong) {
            load_complain(e->diag, e->file->path, 0, "program header %" PRIu32 ": expected %s", i, wrong);
            return false;
        }
        bytes += h.p_filesz;
        num++;
    }
    if (!num)
        return complain(e, "expected at least one loadable segment");
    if (num > LOAD_MAX_BUFFERS || bytes > LOAD_MAX_FILE)
        return complain(e, "expected fewer or smaller loadable segments");
    loaded->buffers = calloc(num, sizeof *loaded->buffers);
    uint8_t *to = loaded->bytes = malloc(bytes + 1);
    if (!loaded->buffers || !to)
        return complain(e, "not enough memory");
    for (uint32_t i = 0; i < e->header.e_phnum; i++) {
        Elf32_Phdr h = program_header(e, i);
        if (h.p_type != PT_LOAD || !h.p_memsz)
            continue;
        loaded->buffers[k->num_buffers++] = (karat_buffer){h.p_vaddr, h.p_filesz, h.p_memsz, to};
        memcpy(to, view(e, h.p_offset, h.p_filesz), h.p_filesz);
        to += h.p_filesz;
    }
    k->buffers = loaded->buffers;
    uint32_t first = 0, second = 0;
    bool no_memory;
    if (load_overlap(k->buffers, num, &first, &second, &no_memory)) {
        load_complain(e->diag, e->file->path, 0,
                      "expected loadable segments not to overlap (0x%08" PRIx32 " and 0x%08" PRIx32 ")",
                      k->buffers[first].base, k->buffers[second].base);
        return false;
    }
    return no_memory ? complain(e, "not enough memory") : true;
}

/* The executable segment that holds addr, as an index of buffers, or -1. */
static int32_t executable_buffer(const elf_file *e, const karat_kernel *k, uint32_t addr) {
    int32_t buffer = load_buffer_of(k, addr);
    for (uint32_t i = 0; buffer >= 0 && i < e->header.e_phnum; i++) {
        Elf32_Phdr h = program_header(e, i);
        if (h.p_type == PT_LOAD && h.p_memsz && h.p_vaddr == k->buffers[buffer].base)
            return h.p_flags & PF_X ? buffer : -1;
    }
    return -1;
}

/* Where the code window must end: at the next segment, or at private memory. */
static uint64_t code_limit(const karat_kernel *k, uint32_t code) {
    uint64_t limit = UINT64_MAX;
    uint32_t base = k->buffers[code].base;
    for (uint32_t i = 0; i < k->num_buffers; i++)
        if (k->buffers[i].base > base && k->buffers[i].base < limit)
            limit = k->buffers[i].base;
    if (k->pds_size && k->pds_base > base && k->pds_base < limit)
        limit = k->pds_base;
    return limit;
}

/* --- Launch section --- */

static bool read_names(elf_file *e) {
    if (!e->header.e_shnum)
        return true;
    if (e->header.e_shstrndx >= e->header.e_shnum)
        return complain(e, "expected a section of section names (e_shstrndx)");
    e->names = section_header(e, e->header.e_shstrndx);
    if (!contents(e, &e->names))
        return complain(e, "expected the section names within the file");
    return true;
}

static bool check_launch(const elf_file *e, const karat_kernel *k) {
    const char *wrong = NULL;
    uint64_t groups = 1;
    for (int i = 0; i < 3; i++) {
        if (!k->grid[i])
            wrong = "at least one workgroup in every direction (words 2 to 4)";
        else if ((groups *= k->grid[i]) > UINT32_MAX)
            wrong = "fewer than 2^32 workgroups (words 2 to 4)";
        if (wrong)
            break;
    }
    if (wrong)
        ;
    else if (!k->wg_size || k->wg_size > LOAD_MAX_WARPS)
        wrong = "1 to 1024 warps a workgroup (word 5)";
    else if (k->wf_size > KARAT_MAX_THREAD)
        wrong = "at most 32 threads a warp (word 6)";
    else if (k->sgprs > KARAT_NUM_X)
        wrong = "at most 64 sGPRs (word 12)";
    else if (k->vgprs > KARAT_NUM_V)
        wrong = "at most 256 vGPRs (word 13)";
    else if (k->start_addr % 4 || executable_buffer(e, k, k->start_addr) < 0)
        wrong = "the entry pc (word 1) at a multiple of 4 in an executable segment";
    if (wrong)
        load_complain(e->diag, e->file->path, 0, LAUNCH_SECTION ": expected %s", wrong);
    return !wrong;
}

static bool read_launch(elf_file *e, karat_kernel *k) {
    Elf32_Shdr section = {0};
    const char *name = NULL;
    for (uint32_t i = 0; i < e->header.e_shnum; i++) {
        section = section_header(e, i);
        name = string_at(e, &e->names, section.sh_name);
        if (name && strcmp(name, LAUNCH_SECTION) == 0)
            break;
        name = NULL;
    }
    if (!name)
        return complain(e, "expected a section " LAUNCH_SECTION " that says how to launch it, found none");
    const uint8_t *p = contents(e, &section);
    if (!p || section.sh_size != 4 * LAUNCH_WORDS)
        return complain(e, LAUNCH_SECTION ": expected 14 words within the file");
    uint32_t word[LAUNCH_WORDS];
    for (int i = 0; i < LAUNCH_WORDS; i++)
        word[i] = get32(p + 4 * i);
    if (word[LAUNCH_WORD_MAGIC] != LAUNCH_MAGIC)
        return complain(e, LAUNCH_SECTION ": expected magic 0x3154524b in word 0");
    k->start_addr = word[LAUNCH_WORD_PC];
    for (int i = 0; i < 3; i++)
        k->grid[i] = word[LAUNCH_WORD_GRID + i];
    k->wg_size = word[LAUNCH_WORD_WG_SIZE];
    k->wf_size = word[LAUNCH_WORD_WF_SIZE];
    k->knl = word[LAUNCH_WORD_KNL];
    k->lds_base = word[LAUNCH_WORD_LDS_BASE];
    k->lds_size = word[LAUNCH_WORD_LDS_SIZE];
    k->pds_base = word[LAUNCH_WORD_PDS_BASE];
    k->pds_size = word[LAUNCH_WORD_PDS_SIZE];
    k->sgprs = word[LAUNCH_WORD_SGPRS];
    k->vgprs = word[LAUNCH_WORD_VGPRS];
    return check_launch(e, k);
}

/* --- Symbols --- */

static int compare_symbols(const void *a, const void *b) {
    const karat_symbol *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The symbol at p, where it names a place in the program: true, and its name. */
static bool usable_symbol(const elf_file *e, const Elf32_Shdr *strings, const uint8_t *p, const char **name) {
    unsigned type = ELF32_ST_TYPE(p[offsetof(Elf32_Sym, st_info)]);
    uint16_t section = get16(p + offsetof(Elf32_Sym, st_shndx));
    *name = string_at(e, strings, get32(p + offsetof(Elf32_Sym, st_name)));
    return (type == STT_FUNC || type == STT_NOTYPE || type == STT_OBJECT) && section != SHN_UNDEF &&
           section < SHN_LORESERVE && *name && **name && **name != '$' && strncmp(*name, ".L", 2) != 0;
}

static bool read_symbols(elf_file *e, load_kernel *loaded) {
    for (uint32_t i = 0; i < e->header.e_shnum; i++) {
        Elf32_Shdr table = section_header(e, i);
        if (table.sh_type != SHT_SYMTAB)
            continue;
        if (table.sh_entsize != sizeof(Elf32_Sym) || !contents(e, &table) ||
            table.sh_link >= e->header.e_shnum)
            return complain(e, "expected a symbol table of 16-byte symbols within the file");
        Elf32_Shdr strings = section_header(e, table.sh_link);
        const uint8_t *names = contents(e, &strings);
        if (!names)
            return complain(e, "expected the symbol names within the file");
        const uint8_t *p = contents(e, &table);
        uint32_t num = table.sh_size / sizeof(Elf32_Sym);
        loaded->symbols = malloc((num + 1) * sizeof *loaded->symbols);
        loaded->strings = malloc((size_t)strings.sh_size + 1);
        if (!loaded->symbols || !loaded->strings)
            return complain(e, "not enough memory");
        memcpy(loaded->strings, names, strings.sh_size);
        uint32_t used = 0;
        for (uint32_t s = 0; s < num; s++, p += sizeof(Elf32_Sym)) {
            const char *name;
            if (usable_symbol(e, &strings, p, &name))
                loaded->symbols[used++] = (karat_symbol){
                    loaded->strings + (name - (const char *)names),
                    get32(p + offsetof(Elf32_Sym, st_value)),
                    get32(p + offsetof(Elf32_Sym, st_size)),
                };
        }
        qsort(loaded->symbols, used, sizeof *loaded->symbols, compare_symbols);
        loaded->kernel.symbols = loaded->symbols;
        loaded->kernel.num_symbols = used;
        return true; /* an executable has at most one symbol table */
    }
    return true;
}

bool load_elf(load_kernel *loaded, const load_file *file, karat_diag *diag) {
    elf_file e = {.file = file, .diag = diag};
    karat_kernel *k = &loaded->kernel;
    if (!read_header(&e) || !read_names(&e) || !read_segments(&e, loaded) || !read_launch(&e, k) ||
        !read_symbols(&e, loaded))
        return false;
    uint32_t code = (uint32_t)load_buffer_of(k, k->start_addr);
    load_grow_code(loaded, code, code_limit(k, code));
    return true;
}
