/* Address spaces: the page tables are in the model's memory only, and every look-up reads them there. */
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
#define PTE_DATA (PTE_V | PTE_R | PTE_W | PTE_A | PTE_D)

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
    karat_model *model;
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
    karat_read(space->model, addr, b, sizeof b);
    uint64_t entry = 0;
    for (unsigned i = 0; i < 8; i++)
        entry |= (uint64_t)b[i] << 8 * i;
    return entry;
}

static void write_entry(karat_space *space, uint64_t addr, uint64_t entry) {
    uint8_t b[8];
    for (unsigned i = 0; i < 8; i++)
        b[i] = (uint8_t)(entry >> 8 * i);
    karat_write(space->model, addr, b, sizeof b);
}

static uint64_t phys_of(uint64_t entry) {
    return entry >> 10 << PAGE_BITS;
}

static bool is_table(uint64_t entry) {
    return entry & PTE_V && !(entry & (PTE_R | PTE_W | PTE_X));
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
    const karat_config *c = karat_get_config(space->model);
    return base < (uint64_t)c->lds_base + c->lds_size && base + (size - 1) >= c->lds_base && c->lds_size;
}

static bool is_free(const karat_space *space, uint64_t base, uint64_t size) {
    uint64_t at = base;
    return !meets_window(space, base, size) && (!karat_next_page(space->model, &at) || at - base >= size);
}

/* Physical memory for a page of that level, mapped, anywhere. */
static karat_status draw_frame(karat_space *space, int level, uint64_t *phys) {
    const uint64_t size = bytes_of(level);
    for (int i = 0; i < TRIES; i++) {
        const uint64_t z = draw(space), end = z >> 63 ? LOW_END : PHYS_END;
        *phys = z % end & ~(size - 1);
        if (*phys && is_free(space, *phys, size))
            return karat_map(space->model, *phys, size);
    }
    return KARAT_NO_MEMORY;
}

static karat_status new_table(karat_space *space, uint64_t *table) {
    if (!space->drawn) {
        while (!is_free(space, space->next_table, bytes_of(0)))
            space->next_table += bytes_of(0);
        *table = space->next_table;
        return karat_map(space->model, *table, bytes_of(0));
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

/* The level of a new page at virt, in a range up to last: at is the entry that decides about virt now. */
static int choose_level(karat_space *space, uint64_t virt, uint64_t last, const place *at) {
    for (int level = at->level; space->drawn && level > 0; level--)
        if (!(virt & (bytes_of(level) - 1)) && last - virt >= bytes_of(level) - 1 && draw(space) >> 63)
            return level;
    return 0;
}

static karat_status new_page(karat_space *space, uint64_t virt, uint64_t last, const place *at,
                             uint64_t rights, uint64_t *size) {
    const int level = choose_level(space, virt, last, at);
    uint64_t phys = virt;
    *size = bytes_of(level);
    const karat_status status =
        space->drawn ? draw_frame(space, level, &phys) : karat_map(space->model, phys, *size);
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

static karat_status map_pages(karat_space *space, uint64_t virt, uint64_t last, uint64_t rights) {
    for (uint64_t size; virt <= last; virt += size) {
        place at = find(space, virt);
        if (at.entry & PTE_V && !(at.entry & PTE_ALIAS)) {
            size = bytes_of(at.level) - (virt & (bytes_of(at.level) - 1));
            if ((at.entry & rights) != rights)
                write_entry(space, at.addr, at.entry | rights);
        } else {
            const karat_status status = new_page(space, virt, last, &at, rights, &size);
            if (status != KARAT_OK)
                return status;
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
    karat_status status = map_pages(space, first, last, PTE_DATA | (executable ? PTE_X : 0));
    uint64_t alias;
    if (status == KARAT_OK && space->drawn)
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

karat_status karat_space_alias(karat_space *space, uint64_t virt, uint64_t *alias) {
    uint64_t phys;
    if (!space || !alias)
        return KARAT_BAD_ARGUMENT;
    if (karat_translate(space->model, space->root, virt, KARAT_USE_LOAD, &phys, NULL) != KARAT_OK)
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

static bool translate(const karat_space *space, uint64_t virt, karat_page_use use, uint64_t *phys) {
    uint8_t byte;
    return !meets_window(space, virt, 1) &&
           karat_translate(space->model, space->root, virt, use, phys, NULL) == KARAT_OK &&
           karat_read(space->model, *phys, &byte, 1) == KARAT_OK;
}

static karat_status check(const karat_space *space, uint64_t virt, const void *bytes, size_t size,
                          karat_page_use use) {
    if (!space || (!bytes && size))
        return KARAT_BAD_ARGUMENT;
    if (size && virt + (size - 1) < virt)
        return KARAT_NOT_MAPPED;
    uint64_t phys;
    for (size_t part; size; virt += part, size -= part) {
        part = part_of(virt, size);
        if (!translate(space, virt, use, &phys))
            return KARAT_NOT_MAPPED;
    }
    return KARAT_OK;
}

karat_status karat_space_read(const karat_space *space, uint64_t virt, void *bytes, size_t size) {
    karat_status status = check(space, virt, bytes, size, KARAT_USE_LOAD);
    uint8_t *to = bytes;
    for (size_t part; status == KARAT_OK && size; virt += part, to += part, size -= part) {
        uint64_t phys = 0;
        part = part_of(virt, size);
        translate(space, virt, KARAT_USE_LOAD, &phys);
        status = karat_read(space->model, phys, to, part);
    }
    return status;
}

karat_status karat_space_write(karat_space *space, uint64_t virt, const void *bytes, size_t size) {
    karat_status status = check(space, virt, bytes, size, KARAT_USE_STORE);
    const uint8_t *from = bytes;
    for (size_t part; status == KARAT_OK && size; virt += part, from += part, size -= part) {
        uint64_t phys = 0;
        part = part_of(virt, size);
        translate(space, virt, KARAT_USE_STORE, &phys);
        status = karat_write(space->model, phys, from, part);
    }
    return status;
}

/* --- The space itself --- */

karat_space *karat_space_create(karat_model *model, const uint64_t *seed, karat_status *status) {
    karat_status ignored;
    if (!status)
        status = &ignored;
    *status = KARAT_BAD_ARGUMENT;
    if (!model || karat_get_config(model)->translation != KARAT_TRANSLATION_SV39)
        return NULL;
    *status = KARAT_NO_MEMORY;
    karat_space *space = malloc(sizeof *space);
    if (!space)
        return NULL;
    *space = (karat_space){
        .model = model, .drawn = seed != NULL, .next_table = LOWER_END, .next_alias = LOWER_END / 2};
    if (seed) {
        /* The state must not be 0, and near seeds are to differ at once. */
        space->state = (*seed ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd1342543de82ef95);
        space->state += !space->state;
        draw(space);
        space->asid = draw(space) >> 48;
    }
    *status = new_table(space, &space->root);
    if (*status == KARAT_OK)
        return space;
    free(space);
    return NULL;
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

static karat_status map(void *context, uint64_t base, uint64_t size, bool executable) {
    return karat_space_map(context, base, size, executable);
}

static karat_status write(void *context, uint64_t addr, const void *bytes, size_t size) {
    return karat_space_write(context, addr, bytes, size);
}

karat_status karat_space_place(karat_space *space, karat_kernel *kernel) {
    if (!space || !kernel)
        return KARAT_BAD_ARGUMENT;
    const load_memory memory = {space, karat_get_config(space->model)->num_thread, map, write};
    const karat_status status = load_place(kernel, &memory);
    if (status == KARAT_OK) {
        kernel->ptbr = space->root;
        kernel->asid = space->asid;
    }
    return status;
}
