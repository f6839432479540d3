/* ELF32 executables with a `.karat.launch` section. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

#define LAUNCH_SECTION ".karat.launch"
#define LAUNCH_MAGIC   0x3154524bu /* "KRT1" */
enum { NUM_WORDS = 14, NUM_MORE = 10 /* Work-items, and slots of private memory */ };

/* --- Segments --- */

static bool load_segments(elf_file *e, load_kernel *loaded) {
    karat_kernel *k = &loaded->kernel;
    uint64_t bytes = 0;
    uint32_t num = 0;
    for (uint32_t i = 0; i < e->header.e_phnum; i++) {
        Elf32_Phdr h = elf_program_header(e, i);
        if (h.p_type != PT_LOAD || !h.p_memsz)
            continue;
        const char *wrong = NULL;
        if (h.p_filesz > h.p_memsz)
            wrong = "p_filesz of at most p_memsz";
        else if (!elf_view(e, h.p_offset, h.p_filesz))
            wrong = "contents within the file";
        else if ((uint64_t)h.p_vaddr + h.p_memsz > (uint64_t)UINT32_MAX + 1)
            wrong = "an end within the 32-bit address space";
        if (wrong)
            return load_complain(e->diag, e->path, 0, "program header %" PRIu32 ": expected %s", i, wrong);
        bytes += h.p_filesz;
        num++;
    }
    if (!num)
        return elf_complain(e, "expected at least one loadable segment");
    if (num > LOAD_MAX_BUFFERS || bytes > LOAD_MAX_FILE)
        return elf_complain(e, "expected fewer or smaller loadable segments");
    loaded->buffers = calloc(num, sizeof *loaded->buffers);
    uint8_t *to = loaded->bytes = malloc(bytes + 1);
    if (!loaded->buffers || !to)
        return elf_complain(e, "not enough memory");
    for (uint32_t i = 0; i < e->header.e_phnum; i++) {
        Elf32_Phdr h = elf_program_header(e, i);
        if (h.p_type != PT_LOAD || !h.p_memsz)
            continue;
        loaded->buffers[k->num_buffers++] =
            (karat_buffer){h.p_vaddr, h.p_filesz, h.p_memsz, to, h.p_memsz - h.p_filesz, i};
        memcpy(to, elf_view(e, h.p_offset, h.p_filesz), h.p_filesz);
        to += h.p_filesz;
    }
    k->buffers = loaded->buffers;
    uint32_t first = 0, second = 0;
    bool no_memory;
    if (load_overlap(k->buffers, num, &first, &second, &no_memory))
        return load_complain(e->diag, e->path, 0,
                             "expected loadable segments not to overlap (0x%08" PRIx32 " and 0x%08" PRIx32
                             ")",
                             k->buffers[first].base, k->buffers[second].base);
    return no_memory ? elf_complain(e, "not enough memory") : true;
}

int32_t load_elf_executable(const elf_file *e, const karat_kernel *k, uint32_t addr) {
    int32_t buffer = load_buffer_of(k, addr);
    if (!e->header.e_phnum)
        return buffer;
    for (uint32_t i = 0; buffer >= 0 && i < e->header.e_phnum; i++) {
        Elf32_Phdr h = elf_program_header(e, i);
        if (h.p_type == PT_LOAD && h.p_memsz && h.p_vaddr == k->buffers[buffer].base)
            return h.p_flags & PF_X ? buffer : -1;
    }
    return -1;
}

/* --- Launch section --- */

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
    else if (k->start_addr % 4 || load_elf_executable(e, k, k->start_addr) < 0)
        wrong = "the entry pc (word 1) at a multiple of 4 in an executable segment";
    else
        wrong = karat_kernel_wrong_items(k);
    return !wrong || load_complain(e->diag, e->path, 0, LAUNCH_SECTION ": expected %s", wrong);
}

static bool read_launch(elf_file *e, karat_kernel *k) {
    Elf32_Shdr section = {0};
    const char *name = NULL;
    for (uint32_t i = 0; i < e->header.e_shnum; i++) {
        section = elf_section_header(e, i);
        name = elf_string_at(e, &e->names, section.sh_name);
        if (name && strcmp(name, LAUNCH_SECTION) == 0)
            break;
        name = NULL;
    }
    if (!name)
        return elf_complain(e, "expected a section " LAUNCH_SECTION
                               " that describes its launch, found none; or on the command line: "
                               "kernel, grid, workgroup, arg");
    uint32_t magic;
    uint32_t *const words[NUM_WORDS + NUM_MORE] = {
        &magic,        &k->start_addr, &k->grid[0],   &k->grid[1],   &k->grid[2],   &k->wg_size,
        &k->wf_size,   &k->knl,        &k->lds_base,  &k->lds_size,  &k->pds_base,  &k->pds_size,
        &k->sgprs,     &k->vgprs,      &k->local[0],  &k->local[1],  &k->local[2],  &k->global[0],
        &k->global[1], &k->global[2],  &k->offset[0], &k->offset[1], &k->offset[2], &k->pds_slots};
    const uint8_t *p = elf_contents(e, &section);
    if (!p || (section.sh_size != 4 * NUM_WORDS && section.sh_size != 4 * (NUM_WORDS + NUM_MORE)))
        return elf_complain(e, LAUNCH_SECTION ": expected 14 or 24 words within the file");
    for (size_t i = 0; i < section.sh_size / 4; i++)
        *words[i] = elf_get32(p + 4 * i);
    k->maps_private = true;
    if (magic != LAUNCH_MAGIC)
        return elf_complain(e, LAUNCH_SECTION ": expected magic 0x3154524b in word 0");
    return check_launch(e, k);
}

/* A launch of the file is known later; code begins at the entry point. */
static bool set_entry(const elf_file *e, karat_kernel *k) {
    k->start_addr = e->header.e_entry;
    k->lds_base = LOAD_METADATA_LDS;
    return (k->start_addr % 4 == 0 && load_elf_executable(e, k, k->start_addr) >= 0) ||
           elf_complain(e, "expected an entry point (e_entry) at a multiple of 4 in an executable segment");
}

/* --- Symbols --- */

static int compare_symbols(const void *a, const void *b) {
    const karat_symbol *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool load_symbols(elf_file *e, load_kernel *loaded) {
    Elf32_Shdr table, strings;
    if (!elf_symbol_table(e, &table, &strings))
        return false;
    if (!table.sh_size)
        return true;
    const uint32_t num = table.sh_size / sizeof(Elf32_Sym);
    uint32_t used = 0;
    size_t room = 1;
    for (uint32_t i = 0; i < num; i++) {
        const Elf32_Sym symbol = elf_symbol_at(e, &table, i);
        const char *name = elf_place_name(e, &strings, &symbol);
        room += name ? karat_quote(name, NULL, 0) + 1 : 0;
    }
    loaded->symbols = malloc((num + 1) * sizeof *loaded->symbols);
    char *text = loaded->strings = malloc(room);
    if (!loaded->symbols || !loaded->strings)
        return elf_complain(e, "not enough memory");
    for (uint32_t i = 0; i < num; i++) {
        const Elf32_Sym symbol = elf_symbol_at(e, &table, i);
        const char *name = elf_place_name(e, &strings, &symbol);
        if (!name)
            continue;
        loaded->symbols[used++] = (karat_symbol){text, symbol.st_value, symbol.st_size};
        text += karat_quote(name, text, room - (size_t)(text - loaded->strings)) + 1;
    }
    qsort(loaded->symbols, used, sizeof *loaded->symbols, compare_symbols);
    loaded->kernel.symbols = loaded->symbols;
    loaded->kernel.num_symbols = used;
    return true;
}

bool load_elf(load_kernel *loaded, const load_file *file, karat_launch_spec *spec, karat_diag *diag) {
    elf_file e = {.path = file->path, .bytes = file->bytes, .size = file->size, .diag = diag};
    karat_kernel *k = &loaded->kernel;
    if (!elf_read_header(&e))
        return false;
    if (e.header.e_type == ET_REL)
        return elf_complain(&e, "expected a linked executable, found a relocatable object");
    if (e.header.e_type != ET_EXEC)
        return elf_complain(&e, "expected a linked executable (ET_EXEC)");
    if (!load_segments(&e, loaded) || !(spec || (loaded->is_image ? set_entry(&e, k) : read_launch(&e, k))) ||
        !load_symbols(&e, loaded) || !elf_read_profile(&e, &k->names_profile, &k->profile) ||
        !elf_read_pages(&e, loaded))
        return false;
    if (spec)
        return load_launch(&e, loaded, spec);
    const uint32_t code = (uint32_t)load_buffer_of(k, k->start_addr);
    load_grow_code(loaded, code, load_code_limit(k, code));
    return true;
}
