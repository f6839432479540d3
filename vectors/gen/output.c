#include "output.h"
#include "staged_file.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program and its words. */
typedef struct image {
    const prog *p;
    uint32_t *words, num, num_thread;
} image;

/* Many small files, which can be made again. */
static bool begin(karat_staged_file *o, const char *path, karat_diag *diag) {
    const bool ok = karat_staged_begin(o, path, diag);
    o->no_sync = true;
    return ok;
}

/* Member put writes what is in the file; false where memory is short. */
static bool write_file(prog *p, uint32_t num_thread, bool (*put)(const image *i, FILE *f), const char *path,
                       karat_diag *diag) {
    image i = {.p = p, .num_thread = num_thread};
    karat_staged_file o;
    i.words = prog_link(p, &i.num);
    if (!i.words)
        snprintf(diag->text, sizeof diag->text, "%s: %s", path, p->why);
    bool ok = i.words && begin(&o, path, diag);
    if (ok && !(ok = put(&i, o.file))) {
        snprintf(diag->text, sizeof diag->text, "%s: out of memory", path);
        karat_staged_drop(&o);
    }
    ok = ok && karat_staged_end(&o, diag);
    free(i.words);
    return ok;
}

/* Eight digits; most of what a vector's files are, so without fprintf(). Returns what follows them. */
static char *hex(char *to, uint32_t word) {
    for (int shift = 28; shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[word >> shift & 15];
    return to;
}

/* --- ELF --- */

typedef struct elf_image {
    Elf32_Ehdr header;
    Elf32_Phdr segment[2];
    Elf32_Shdr section[5];
    uint32_t launch[24];
    char names[40];
} elf_image;

enum { SECTION_NONE, SECTION_TEXT, SECTION_DATA, SECTION_LAUNCH, SECTION_NAMES };

/* The notes of a file (docs/run.md), after the rest of it. */
typedef struct notes {
    uint32_t num; /* Bytes */
    uint8_t bytes[(PROG_PAGES + 1) * (sizeof(Elf32_Nhdr) + 8 + KARAT_PAGE_TEXT)];
} notes;

static void add_note(notes *n, uint32_t type, const char *text) {
    const Elf32_Nhdr header = {
        .n_namesz = sizeof KARAT_NOTE_NAME, .n_descsz = (Elf32_Word)strlen(text), .n_type = type};
    memcpy(n->bytes + n->num, &header, sizeof header);
    memcpy(n->bytes + n->num + sizeof header, KARAT_NOTE_NAME, sizeof KARAT_NOTE_NAME);
    memcpy(n->bytes + n->num + sizeof header + 8, text, strlen(text));
    n->num += (uint32_t)(sizeof header + 8 + (strlen(text) + 3) / 4 * 4);
}

/* The profile, where it is not the default, and the changes of pages. */
static void add_notes(notes *n, const prog *p) {
    if (p->profile != KARAT_DEFAULT_PROFILE)
        add_note(n, KARAT_NOTE_PROFILE, karat_profile_name(p->profile));
    for (uint32_t i = 0; i < p->num_pages; i++) {
        char text[KARAT_PAGE_TEXT];
        karat_page_text(&p->pages[i], text);
        add_note(n, KARAT_NOTE_PAGE, text);
    }
}

static bool put_elf(const image *i, FILE *f) {
    static const char names[40] = "\0.text\0.data\0.karat.launch\0.shstrtab";
    const prog *p = i->p;
    const uint32_t num = i->num;
    const struct prog_launch *l = &p->launch;
    const uint32_t code = sizeof(elf_image), data = code + 4 * num;
    elf_image e = {
        .header = {.e_type = ET_EXEC,
                   .e_machine = EM_RISCV,
                   .e_version = EV_CURRENT,
                   .e_entry = PROG_CODE,
                   .e_phoff = offsetof(elf_image, segment),
                   .e_shoff = offsetof(elf_image, section),
                   .e_ehsize = sizeof(Elf32_Ehdr),
                   .e_phentsize = sizeof(Elf32_Phdr),
                   .e_phnum = p->data_size ? 2 : 1,
                   .e_shentsize = sizeof(Elf32_Shdr),
                   .e_shnum = 5,
                   .e_shstrndx = SECTION_NAMES},
        .segment = {{PT_LOAD, code, PROG_CODE, PROG_CODE, 4 * num, 4 * num, PF_R | PF_X, 4},
                    {PT_LOAD, data, PROG_DATA, PROG_DATA, p->data_size, p->data_size, PF_R | PF_W, 4}},
        .section = {[SECTION_TEXT] = {1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PROG_CODE, code, 4 * num, 0,
                                      0, 4, 0},
                    [SECTION_DATA] = {7, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, PROG_DATA, data, p->data_size,
                                      0, 0, 4, 0},
                    [SECTION_LAUNCH] = {13, SHT_PROGBITS, 0, 0, offsetof(elf_image, launch),
                                        (l->local[0] || l->slots ? 24 : 14) * sizeof *e.launch, 0, 0, 4, 0},
                    [SECTION_NAMES] = {27, SHT_STRTAB, 0, 0, offsetof(elf_image, names), sizeof names, 0, 0,
                                       1, 0}},
        .launch = {0x3154524b,  PROG_CODE,   l->grid[0],  l->grid[1],  l->grid[2],  l->warps,
                   l->threads,  l->knl,      PROG_LDS,    l->lds,      PROG_PDS,    l->pds,
                   l->sgprs,    l->vgprs,    l->local[0], l->local[1], l->local[2], l->items[0],
                   l->items[1], l->items[2], 0,           0,           0,           l->slots}};
    memcpy(e.header.e_ident, ELFMAG, SELFMAG);
    e.header.e_ident[EI_CLASS] = ELFCLASS32;
    e.header.e_ident[EI_DATA] = ELFDATA2LSB;
    e.header.e_ident[EI_VERSION] = EV_CURRENT;
    memcpy(e.names, names, sizeof names);
    const uint32_t end = (data + p->data_size + 3) & ~3u;
    notes n = {0};
    Elf32_Shdr section[6];
    add_notes(&n, p);
    if (n.num) { /* Symbols need their section, and the sections' headers after it */
        e.header.e_shoff = end + n.num;
        e.header.e_shnum = 6;
        memcpy(section, e.section, sizeof e.section);
        section[5] = (Elf32_Shdr){.sh_type = SHT_NOTE, .sh_offset = end, .sh_size = n.num, .sh_addralign = 4};
    }
    fwrite(&e, sizeof e, 1, f);
    fwrite(i->words, 4, num, f);
    if (p->data_size)
        fwrite(p->data, 1, p->data_size, f);
    if (n.num) {
        fwrite("\0\0", 1, end - (data + p->data_size), f);
        fwrite(n.bytes, n.num, 1, f);
        fwrite(section, sizeof section, 1, f);
    }
    return true;
}

bool output_elf(prog *p, const char *path, karat_diag *diag) {
    return write_file(p, 0, put_elf, path, diag);
}

/* --- .metadata and .data --- */

static void put64(FILE *f, uint64_t value) {
    fprintf(f, "%08" PRIx32 "\n%08" PRIx32 "\n", (uint32_t)value, (uint32_t)(value >> 32));
}

static void put_bytes(FILE *f, const uint8_t *bytes, uint32_t size) {
    char text[9 * 512], *to = text;
    for (uint32_t i = 0; i < size; i += 4) {
        uint32_t word = 0;
        for (uint32_t k = 0; k < 4 && i + k < size; k++)
            word |= (uint32_t)bytes[i + k] << 8 * k;
        to = hex(to, word);
        *to++ = '\n';
        if (to == text + sizeof text || i + 4 >= size) {
            fwrite(text, 1, (size_t)(to - text), f);
            to = text;
        }
    }
}

static bool put_metadata(const image *of, FILE *f) {
    const prog *p = of->p;
    const struct prog_launch *l = &p->launch;
    const uint32_t threads = l->threads ? l->threads : of->num_thread;
    const uint64_t groups = l->slots ? l->slots : (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
                   private = groups * l->warps * threads * l->pds, code = 4 * (uint64_t)of->num;
    /* Base, size and room of the buffers; those without room are left out. */
    const uint64_t buffer[3][3] = {
        {PROG_CODE, PROG_DATA, PROG_PDS}, {code, p->data_size, 0}, {code, p->data_size, private}};
    const uint64_t head[] = {PROG_CODE, 0,      l->grid[0], l->grid[1], l->grid[2], threads, l->warps,
                             l->knl,    l->lds, l->pds,     l->sgprs,   l->vgprs,   PROG_PDS};
    const uint64_t items[] = {1,           l->items[0], l->items[1], l->items[2], l->local[0],
                              l->local[1], l->local[2], 0,           0,           0};
    if (p->profile != KARAT_DEFAULT_PROFILE)
        fprintf(f, KARAT_PROFILE_LINE "%s\n", karat_profile_name(p->profile));
    for (uint32_t i = 0; i < p->num_pages; i++) {
        char text[KARAT_PAGE_TEXT];
        karat_page_text(&p->pages[i], text);
        fprintf(f, KARAT_PAGE_LINE "%s\n", text);
    }
    if (l->slots)
        fprintf(f, KARAT_SLOTS_LINE "%" PRIu32 "\n", l->slots);
    for (uint32_t i = 0; i < sizeof head / sizeof *head; i++)
        put64(f, head[i]);
    for (uint32_t i = 0; l->local[0] && i < sizeof items / sizeof *items; i++)
        put64(f, items[i]);
    put64(f, (code > 0) + (p->data_size > 0) + (private > 0));
    for (uint32_t i = 0; i < 9; i++)
        if (buffer[2][i % 3])
            put64(f, buffer[i / 3][i % 3]);
    return true;
}

static bool put_data(const image *i, FILE *f) {
    put_bytes(f, (const uint8_t *)i->words, 4 * i->num);
    put_bytes(f, i->p->data, i->p->data_size);
    return true;
}

bool output_metadata(prog *p, uint32_t num_thread, const char *metadata, const char *data, karat_diag *diag) {
    return write_file(p, num_thread, put_metadata, metadata, diag) && write_file(p, 0, put_data, data, diag);
}

/* --- Words in hex --- */

static bool put_hex(const image *i, FILE *f) {
    fprintf(f, "@%08x\n", PROG_CODE / 4);
    put_bytes(f, (const uint8_t *)i->words, 4 * i->num);
    if (i->p->data_size)
        fprintf(f, "@%08x\n", PROG_DATA / 4);
    put_bytes(f, i->p->data, i->p->data_size);
    return true;
}

bool output_hex(prog *p, const char *path, karat_diag *diag) {
    return write_file(p, 0, put_hex, path, diag);
}

bool output_memory(const karat_model *model, uint32_t base, uint32_t bytes, uint32_t apart, uint32_t num,
                   const char *path, karat_diag *diag) {
    uint8_t *memory = malloc(bytes ? bytes : 1);
    karat_staged_file o = {0};
    bool ok = memory && begin(&o, path, diag);
    if (!memory)
        snprintf(diag->text, sizeof diag->text, "%s: out of memory", path);
    for (uint32_t i = 0; ok && i < num; i++) {
        const uint32_t at = base + i * apart;
        if (karat_read(model, at, memory, bytes) == KARAT_OK) {
            fprintf(o.file, "@%08" PRIx32 "\n", at / 4);
            put_bytes(o.file, memory, bytes);
            continue;
        }
        snprintf(diag->text, sizeof diag->text, "%s: memory that is not mapped: 0x%08" PRIx32, path, at);
        karat_staged_drop(&o);
        ok = false;
    }
    ok = ok && karat_staged_end(&o, diag);
    free(memory);
    return ok;
}

/* --- Listing --- */

static bool put_listing(const image *of, FILE *f) {
    const prog *p = of->p;
    bool *is_target = calloc(p->num + 1, sizeof *is_target);
    if (!is_target)
        return false;
    for (uint32_t i = 0; i < p->num; i++)
        if (p->insn[i].target != PROG_NONE)
            is_target[p->insn[i].target] = true;
    const uint32_t *words = of->words;
    for (uint32_t i = 0; i < p->num; i++) {
        const prog_insn *insn = &p->insn[i];
        char text[160], to[24] = "";
        const uint32_t at = PROG_CODE + 4 * (uint32_t)(words - of->words),
                       prefix = insn->prefix ? *words++ : 0, word = *words++;
        if (is_target[i])
            fprintf(f, "L%" PRIu32 ":\n", i);
        if (insn->data)
            snprintf(text, sizeof text, ".4byte 0x%08" PRIx32, word);
        else
            karat_disassemble(p->profile, at + (prefix ? 4 : 0), prefix, word, text, sizeof text);
        if (insn->target != PROG_NONE)
            snprintf(to, sizeof to, "  # L%" PRId32, insn->target);
        char words_text[] = "  --------           --------  ";
        hex(words_text + 2, at);
        if (prefix)
            hex(words_text + 12, prefix);
        hex(words_text + 21, word);
        fputs(words_text, f);
        fputs(text, f);
        fputs(to, f);
        putc('\n', f);
    }
    if (is_target[p->num])
        fprintf(f, "L%" PRIu32 ":\n", p->num);
    free(is_target);
    return true;
}

bool output_listing(prog *p, const char *path, karat_diag *diag) {
    return write_file(p, 0, put_listing, path, diag);
}
