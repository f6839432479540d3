/* Address spaces: the page tables are in that memory only, and every look-up reads them there. */
#include "karat/space.h"

#include <stdlib.h>

#include "load.h"

/* Bits of an entry. The two of RSW are the host's: one marks aliases, the other has no meaning and is drawn. */
enum {
    PTE_V = 1 << 0,
    PTE_R = 1 << 1,
    PTE_W = 1 << 2,
    PTE_X = 1 << 3,
    PTE_A = 1 << 6,
    PTE_D = 1 << 7,
    PTE_ALIAS = 1 << 8,
    PTE_ANY = 1 << 9
};
#define PTE_LOAD (PTE_V | PTE_R | PTE_A)
#define PTE_DATA (PTE_LOAD | PTE_W | PTE_D)

#define PAGE_BITS 12
#define VPN_BITS  9
#define ENTRIES   (1u << VPN_BITS)
#define LEVELS    3

#define LOWER_END                                                                                            \
    (UINT64_C(1)                                                                                             \
     << 38) /* of the lower half of virtual addresses; the tables of the identity begin here, too */
#define PHYS_END (UINT64_C(1) << 38) /* of the pages that are drawn */
#define LOW_END  (UINT64_C(1) << 32) /* of those of a 32-bit physical address: about half */

#define TRIES 4096 /* to find a place by chance */

struct karat_space {
    karat_space_memory memory;
    const karat_space *older; /* whose pages it shares; NULL: none */
    bool drawn;
    uint64_t state;      /* of the generator */
    uint64_t next_table; /* of the identity */
    uint64_t next_alias; /* the same */
    uint64_t root;
    uint32_t asid;
};

/* xorshift64* */
static uint64_t draw(karat_space *space) {
    uint64_t z = space->state;
    z ^= z >> 12;
    z ^= z << 25;
    z ^= z >> 27;
    space->state = z;
    return z * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t bytes_of(int level) {
    return UINT64_C(1) << (PAGE_BITS + VPN_BITS * level);
}

/* --- Entries --- */

static uint64_t entry_addr(uint64_t table, uint64_t virt, int level) {
    return table + (virt >> (PAGE_BITS + VPN_BITS * level) & (ENTRIES - 1)) * 8;
}

static uint64_t read_entry(const karat_space *space, uint64_t addr) {
    uint8_t b[8] = {0};
    space->memory.read(space->memory.context, addr, b, sizeof b); /* outside of memory: not valid */
    uint64_t entry = 0;
    for (unsigned i = 0; i < 8; i++)
        entry |= (uint64_t)b[i] << 8 * i;
    return entry;
}

static void write_entry(karat_space *space, uint64_t addr, uint64_t entry) {
    uint8_t b[8];
    for (unsigned i = 0; i < 8; i++)
        b[i] = (uint8_t)(entry >> 8 * i);
    space->memory.write(space->memory.context, addr, b, sizeof b);
}

static uint64_t phys_of(uint64_t entry) {
    return entry >> 10 << PAGE_BITS;
}

static bool is_table(uint64_t entry) {
    return entry & PTE_V && !(entry & (PTE_R | PTE_W | PTE_X));
}

static bool is_page(uint64_t entry) {
    return entry & PTE_V && !(entry & PTE_ALIAS);
}

/* The entry that decides about an address: the leaf, or the one that is not valid. Its level, its place, and its value. */
typedef struct place {
    int level;
    uint64_t addr, entry;
} place;

static place find(const karat_space *space, uint64_t virt) {
    uint64_t table = space->root;
    for (int level = LEVELS - 1;; level--) {
        const uint64_t addr = entry_addr(table, virt, level), entry = read_entry(space, addr);
        if (!level || !is_table(entry))
            return (place){level, addr, entry};
        table = phys_of(entry);
    }
}

/* --- Physical memory --- */

static bool meets_window(const karat_space *space, uint64_t base, uint64_t size) {
    const karat_space_memory *m = &space->memory;
    return base < (uint64_t)m->lds_base + m->lds_size && base + (size - 1) >= m->lds_base && m->lds_size;
}

static karat_status map_memory(const karat_space *space, uint64_t base, uint64_t size) {
    return space->memory.map(space->memory.context, base, size);
}

static bool is_mapped(const karat_space *space, uint64_t addr) {
    uint8_t byte;
    return space->memory.read(space->memory.context, addr, &byte, 1) == KARAT_OK;
}

static bool is_free(const karat_space *space, uint64_t base, uint64_t size) {
    uint64_t at = 0;
    while (at < size && !is_mapped(space, base + at))
        at += bytes_of(0);
    return at >= size && !meets_window(space, base, size);
}

/* Physical memory for a page of that level, mapped, anywhere. */
static karat_status draw_frame(karat_space *space, int level, uint64_t *phys) {
    const uint64_t size = bytes_of(level);
    for (int i = 0; i < TRIES; i++) {
        const uint64_t z = draw(space), end = z >> 63 ? LOW_END : PHYS_END;
        *phys = z % end & ~(size - 1);
        if (*phys && is_free(space, *phys, size))
            return map_memory(space, *phys, size);
    }
    return KARAT_NO_MEMORY;
}

static karat_status new_table(karat_space *space, uint64_t *table) {
    if (!space->drawn) {
        while (!is_free(space, space->next_table, bytes_of(0)))
            space->next_table += bytes_of(0);
        *table = space->next_table;
        return map_memory(space, *table, bytes_of(0));
    }
    const karat_status status = draw_frame(space, 0, table);
    for (unsigned i = 0; status == KARAT_OK && i < ENTRIES; i++)
        write_entry(space, *table + 8 * i, draw(space) & ~(uint64_t)PTE_V);
    return status;
}

/* --- Virtual memory --- */

/* Enter a leaf of that level; tables on the way are made. */
static karat_status enter(karat_space *space, uint64_t virt, int level, uint64_t leaf) {
    for (;;) {
        const place at = find(space, virt);
        if (at.level == level) {
            write_entry(space, at.addr, leaf | (space->drawn ? draw(space) & PTE_ANY : 0));
            return KARAT_OK;
        }
        uint64_t table;
        const karat_status status = new_table(space, &table);
        if (status != KARAT_OK)
            return status;
        write_entry(space, at.addr, table >> PAGE_BITS << 10 | PTE_V);
    }
}

/* The level of a new page at virt, in a range up to last: at most highest. */
static int choose_level(karat_space *space, uint64_t virt, uint64_t last, int highest) {
    for (int level = highest; space->drawn && level > 0; level--)
        if (!(virt & (bytes_of(level) - 1)) && last - virt >= bytes_of(level) - 1 && draw(space) >> 63)
            return level;
    return 0;
}

/* Where an older space has a page at virt: true, and its physical address. *level: the highest of a page that does not hide one. */
static bool find_older(const karat_space *space, uint64_t virt, int *level, uint64_t *phys) {
    for (const karat_space *older = space->older; older; older = older->older) {
        const place at = find(older, virt);
        *level = at.level < *level ? at.level : *level;
        if (is_page(at.entry)) {
            *phys = phys_of(at.entry) | (virt & (bytes_of(at.level) - 1));
            return true;
        }
    }
    return false;
}

/* at is the entry that decides about virt now. */
static karat_status new_page(karat_space *space, uint64_t virt, uint64_t last, const place *at,
                             uint64_t rights, uint64_t *size) {
    int level = at->level;
    uint64_t phys = virt;
    const bool shared = find_older(space, virt, &level, &phys);
    level = choose_level(space, virt, last, level);
    *size = bytes_of(level);
    karat_status status = KARAT_OK;
    if (!shared)
        status = space->drawn ? draw_frame(space, level, &phys) : map_memory(space, phys, *size);
    return status == KARAT_OK ? enter(space, virt, level, phys >> PAGE_BITS << 10 | rights) : status;
}

static bool is_canonical(uint64_t virt) {
    return virt < LOWER_END || virt >= -LOWER_END;
}

/* Whether all of these addresses can be mapped. */
static bool is_range(const karat_space *space, uint64_t virt, uint64_t last) {
    return last >= virt && is_canonical(virt) && is_canonical(last) &&
           (last < LOWER_END || (virt >= LOWER_END && space->drawn)) &&
           !meets_window(space, virt, last - virt + 1);
}

/* *news: a page was entered. */
static karat_status map_pages(karat_space *space, uint64_t virt, uint64_t last, uint64_t rights, bool *news) {
    for (uint64_t size; virt <= last; virt += size) {
        place at = find(space, virt);
        if (is_page(at.entry)) {
            size = bytes_of(at.level) - (virt & (bytes_of(at.level) - 1));
            if ((at.entry & rights) != rights)
                write_entry(space, at.addr, at.entry | rights);
        } else {
            const karat_status status = new_page(space, virt, last, &at, rights, &size);
            if (status != KARAT_OK)
                return status;
            *news = true;
        }
        if (size > last - virt)
            break; /* virt + size may be 0 */
    }
    return KARAT_OK;
}

karat_status karat_space_map(karat_space *space, uint64_t virt, uint64_t size, bool executable) {
    if (!space)
        return KARAT_BAD_ARGUMENT;
    if (!size)
        return KARAT_OK;
    const uint64_t first = virt & ~(bytes_of(0) - 1), last = (virt + (size - 1)) | (bytes_of(0) - 1);
    if (virt + (size - 1) < virt || !is_range(space, first, last))
        return KARAT_BAD_ARGUMENT;
    bool news = false;
    karat_status status = map_pages(space, first, last, PTE_DATA | (executable ? PTE_X : 0), &news);
    uint64_t alias;
    if (status == KARAT_OK && space->drawn && news)
        status = karat_space_alias(space, first + draw(space) % (last - first + 1), &alias);
    return status;
}

/* A page of virtual addresses without a leaf. */
static bool find_hole(karat_space *space, uint64_t *virt) {
    for (int i = 0; i < TRIES; i++) {
        *virt = space->next_alias;
        if (space->drawn) {
            const uint64_t z = draw(space), end = z >> 63 ? LOW_END : LOWER_END;
            *virt = (z % end & ~(bytes_of(0) - 1)) | (z >> 62 == 1 ? -LOWER_END : 0);
        } else {
            space->next_alias += bytes_of(0);
        }
        if (is_canonical(*virt) && !meets_window(space, *virt, bytes_of(0)) &&
            !(find(space, *virt).entry & PTE_V))
            return true;
    }
    return false;
}

/* Where an access of the host with these rights finds virt. */
static bool translate(const karat_space *space, uint64_t virt, uint64_t rights, uint64_t *phys) {
    if (!is_canonical(virt) || meets_window(space, virt, 1))
        return false;
    const place at = find(space, virt);
    *phys = phys_of(at.entry) | (virt & (bytes_of(at.level) - 1));
    return (at.entry & rights) == rights && is_mapped(space, *phys);
}

karat_status karat_space_alias(karat_space *space, uint64_t virt, uint64_t *alias) {
    uint64_t phys;
    if (!space || !alias)
        return KARAT_BAD_ARGUMENT;
    if (!translate(space, virt, PTE_LOAD, &phys))
        return KARAT_NOT_MAPPED;
    uint64_t page;
    if (!find_hole(space, &page))
        return KARAT_NO_MEMORY;
    const uint64_t rights = find(space, virt).entry & (PTE_DATA | PTE_X), offset = phys & (bytes_of(0) - 1);
    const karat_status status = enter(space, page, 0, phys >> PAGE_BITS << 10 | rights | PTE_ALIAS);
    if (status == KARAT_OK)
        *alias = page | offset;
    return status;
}

/* --- The host's accesses --- */

/* The bytes from virt on that are on its page. */
static size_t part_of(uint64_t virt, size_t size) {
    const size_t left = bytes_of(0) - (virt & (bytes_of(0) - 1));
    return size < left ? size : left;
}

size_t karat_space_find(const karat_space *space, uint64_t virt, size_t size, uint64_t *phys) {
    return space && phys && translate(space, virt, PTE_LOAD, phys) ? part_of(virt, size) : 0;
}

static karat_status check(const karat_space *space, uint64_t virt, const void *bytes, size_t size,
                          uint64_t rights) {
    if (!space || (!bytes && size))
        return KARAT_BAD_ARGUMENT;
    if (size && virt + (size - 1) < virt)
        return KARAT_NOT_MAPPED;
    uint64_t phys;
    for (size_t part; size; virt += part, size -= part) {
        part = part_of(virt, size);
        if (!translate(space, virt, rights, &phys))
            return KARAT_NOT_MAPPED;
    }
    return KARAT_OK;
}

karat_status karat_space_read(const karat_space *space, uint64_t virt, void *bytes, size_t size) {
    karat_status status = check(space, virt, bytes, size, PTE_LOAD);
    uint8_t *to = bytes;
    for (size_t part; status == KARAT_OK && size; virt += part, to += part, size -= part) {
        uint64_t phys = 0;
        part = part_of(virt, size);
        translate(space, virt, PTE_LOAD, &phys);
        status = space->memory.read(space->memory.context, phys, to, part);
    }
    return status;
}

karat_status karat_space_write(karat_space *space, uint64_t virt, const void *bytes, size_t size) {
    karat_status status = check(space, virt, bytes, size, PTE_DATA);
    const uint8_t *from = bytes;
    for (size_t part; status == KARAT_OK && size; virt += part, from += part, size -= part) {
        uint64_t phys = 0;
        part = part_of(virt, size);
        translate(space, virt, PTE_DATA, &phys);
        status = space->memory.write(space->memory.context, phys, from, part);
    }
    return status;
}

/* --- The space itself --- */

static bool visit_table(const karat_space *space, uint64_t table, int level, karat_space_visit *visit,
                        void *context) {
    bool good = visit(context, table, bytes_of(0), true);
    for (unsigned i = 0; good && i < ENTRIES; i++) {
        const uint64_t entry = read_entry(space, table + 8 * i);
        if (level && is_table(entry))
            good = visit_table(space, phys_of(entry), level - 1, visit, context);
        else if (is_page(entry))
            good = visit(context, phys_of(entry), bytes_of(level), false);
    }
    return good;
}

bool karat_space_each(const karat_space *space, karat_space_visit *visit, void *context) {
    return !space || visit_table(space, space->root, LEVELS - 1, visit, context);
}

/* The rest of a new space, which has its root and ASID from here on. */
static karat_space *finish(const karat_space *start, karat_status *status) {
    karat_space *space = malloc(sizeof *space);
    *status = KARAT_NO_MEMORY;
    if (!space)
        return NULL;
    *space = *start;
    if (space->drawn) {
        draw(space);
        space->asid = draw(space) >> 48;
    }
    *status = new_table(space, &space->root);
    if (*status == KARAT_OK)
        return space;
    free(space);
    return NULL;
}

karat_space *karat_space_create_in(const karat_space_memory *memory, const uint64_t *seed,
                                   karat_status *status) {
    karat_status ignored;
    if (!status)
        status = &ignored;
    *status = KARAT_BAD_ARGUMENT;
    if (!memory)
        return NULL;
    karat_space start = {
        .memory = *memory, .drawn = seed != NULL, .next_table = LOWER_END, .next_alias = LOWER_END / 2};
    if (seed) {
        /* The state must not be 0, and near seeds are to differ at once. */
        start.state = (*seed ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd1342543de82ef95);
        start.state += !start.state;
    }
    return finish(&start, status);
}

karat_space *karat_space_create_after(karat_space *older, karat_status *status) {
    karat_status ignored;
    if (!status)
        status = &ignored;
    *status = KARAT_BAD_ARGUMENT;
    if (!older)
        return NULL;
    karat_space start = *older;
    start.older = older;
    if (start.drawn)
        start.state = draw(older);
    return finish(&start, status);
}

static karat_status map_model(void *model, uint64_t base, uint64_t size) {
    return karat_map(model, base, size);
}
static karat_status read_model(void *model, uint64_t addr, void *bytes, size_t size) {
    return karat_read(model, addr, bytes, size);
}
static karat_status write_model(void *model, uint64_t addr, const void *bytes, size_t size) {
    return karat_write(model, addr, bytes, size);
}

karat_space *karat_space_create(karat_model *model, const uint64_t *seed, karat_status *status) {
    const karat_config *config = karat_get_config(model);
    if (!config || config->translation != KARAT_TRANSLATION_SV39)
        return karat_space_create_in(NULL, seed, status);
    const karat_space_memory memory = {model,     config->lds_base, config->lds_size, config->num_thread,
                                       map_model, read_model,       write_model};
    return karat_space_create_in(&memory, seed, status);
}

void karat_space_destroy(karat_space *space) {
    free(space);
}

uint64_t karat_space_ptbr(const karat_space *space) {
    return space ? space->root : 0;
}

uint32_t karat_space_asid(const karat_space *space) {
    return space ? space->asid : 0;
}

void karat_space_set_asid(karat_space *space, uint32_t asid) {
    if (space)
        space->asid = asid;
}

static karat_status map(void *context, uint64_t base, uint64_t size, bool executable) {
    return karat_space_map(context, base, size, executable);
}

static karat_status write(void *context, uint64_t addr, const void *bytes, size_t size) {
    return karat_space_write(context, addr, bytes, size);
}

karat_status karat_space_place(karat_space *space, karat_kernel *kernel) {
    if (!space || !kernel)
        return KARAT_BAD_ARGUMENT;
    const load_memory memory = {space, space->memory.num_thread, map, write};
    const karat_status status = load_place(kernel, &memory);
    if (status == KARAT_OK) {
        kernel->ptbr = space->root;
        kernel->asid = space->asid;
    }
    return status;
}
