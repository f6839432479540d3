/* Address spaces: the page tables are in that memory only, and every look-up reads them there. */
#include "karat/space.h"

#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "paging.h"
#include "tables.h"
#include "array.h"

/* End of the lower half of virtual addresses; the tables of the identity begin here, too. */
#define LOWER_END (UINT64_C(1) << 38)
/* Ends of the physical addresses that are drawn: half of the pages are below the first, a quarter below the
 * next. */
#define LOW_END  (UINT64_C(1) << 32)
#define PHYS_END (UINT64_C(1) << 38)
#define WIDE_END (UINT64_C(1) << 56) /* End of all that a page table entry can have */

#define TRIES 4096 /* Attempts to find a place by chance */
#define FEW   16   /* Attempts that may draw below PHYS_END */

/* The generator xorshift64* */
uint64_t table_draw(karat_space *space) {
    uint64_t z = space->state;
    z ^= z >> 12;
    z ^= z << 25;
    z ^= z >> 27;
    space->state = z;
    return z * UINT64_C(0x2545f4914f6cdd1d);
}

/* --- Entries --- */

static uint64_t entry_addr(uint64_t table, uint64_t virt, int level) {
    return table + (virt >> (PAGE_BITS + VPN_BITS * level) & (ENTRIES - 1)) * 8;
}

static uint64_t read_entry(const karat_space *space, uint64_t addr) {
    uint8_t b[8] = {0};
    space->memory.read(space->memory.context, addr, b, sizeof b); /* Outside of memory: not valid */
    uint64_t entry = 0;
    for (unsigned i = 0; i < 8; i++)
        entry |= (uint64_t)b[i] << 8 * i;
    return entry;
}

void table_write(karat_space *space, uint64_t addr, uint64_t entry) {
    uint8_t b[8];
    for (unsigned i = 0; i < 8; i++)
        b[i] = (uint8_t)(entry >> 8 * i);
    space->memory.write(space->memory.context, addr, b, sizeof b);
}

static bool is_table(uint64_t entry) {
    return entry & PTE_V && !(entry & PTE_RIGHTS);
}

static bool is_page(uint64_t entry) {
    return entry & PTE_V && !(entry & PTE_ALIAS);
}

/* Downwards, past tables that are shared. */
static table_place find(const karat_space *space, uint64_t virt, int least, bool down) {
    uint64_t table = space->root;
    for (int level = LEVELS - 1;; level--) {
        const uint64_t addr = entry_addr(table, virt, level), entry = read_entry(space, addr);
        if (level <= least || !is_table(entry) || (entry & PTE_ALIAS && !down))
            return (table_place){level, addr, entry};
        table = table_phys(entry);
    }
}

table_place table_find(const karat_space *space, uint64_t virt) {
    return find(space, virt, 0, false);
}

table_place table_find_at(const karat_space *space, uint64_t virt, int level) {
    return find(space, virt, level, true);
}

/* --- Physical memory --- */

static bool meets_window(const karat_space *space, uint64_t base, uint64_t size) {
    const karat_space_memory *m = &space->memory;
    return base < (uint64_t)m->lds_base + m->lds_size && base + (size - 1) >= m->lds_base && m->lds_size;
}

static karat_status map_memory(const karat_space *space, uint64_t base, uint64_t size) {
    return space->memory.map(space->memory.context, base, size);
}

bool table_is_mapped(const karat_space *space, uint64_t addr) {
    uint8_t byte;
    return space->memory.read(space->memory.context, addr, &byte, 1) == KARAT_OK;
}

static bool is_free(const karat_space *space, uint64_t base, uint64_t size) {
    uint64_t at = 0;
    while (at < size && !table_is_mapped(space, base + at))
        at += table_bytes(0);
    return at >= size && !meets_window(space, base, size);
}

/* Physical memory for a page of that level, mapped, anywhere. */
static karat_status draw_frame(karat_space *space, int level, uint64_t *phys) {
    const uint64_t size = table_bytes(level);
    for (int i = 0; i < TRIES; i++) {
        const uint64_t z = table_draw(space), end = z >> 63 ? LOW_END : z >> 62 ? PHYS_END : WIDE_END;
        *phys = z % end & ~(size - 1);
        if (i >= FEW && end != WIDE_END) /* Small pages may be everywhere there */
            *phys += PHYS_END;
        if (*phys && is_free(space, *phys, size))
            return map_memory(space, *phys, size);
    }
    return KARAT_NO_MEMORY;
}

karat_status table_new(karat_space *space, uint64_t *table) {
    if (!space->drawn) {
        while (!is_free(space, space->next_table, table_bytes(0)))
            space->next_table += table_bytes(0);
        *table = space->next_table;
        return map_memory(space, *table, table_bytes(0));
    }
    const karat_status status = draw_frame(space, 0, table);
    for (unsigned i = 0; status == KARAT_OK && i < ENTRIES; i++)
        table_write(space, *table + 8 * i, table_draw(space) & ~(uint64_t)PTE_V);
    return status;
}

/* --- Virtual memory --- */

karat_status table_enter(karat_space *space, uint64_t virt, int level, uint64_t leaf) {
    for (;;) {
        const table_place at = table_find(space, virt);
        if (at.level == level) {
            const uint64_t any = PTE_ANY | PTE_G | (table_is_leaf(leaf) ? PTE_U : 0);
            table_write(space, at.addr, leaf | (space->drawn ? table_draw(space) & any : 0));
            return KARAT_OK;
        }
        uint64_t table;
        const karat_status status = table_new(space, &table);
        if (status != KARAT_OK)
            return status;
        table_write(space, at.addr,
                    table_entry(table, PTE_V) | (space->drawn ? table_draw(space) & (PTE_ANY | PTE_G) : 0));
    }
}

static bool is_canonical(uint64_t virt) {
    return virt < LOWER_END || virt >= -LOWER_END;
}

/* The level of a new page at virt, in a range up to last: at most highest. In wide layouts a superpage may
 * reach beyond the range, where nothing is. */
static int choose_level(karat_space *space, uint64_t virt, uint64_t last, int highest) {
    for (int level = highest; space->drawn && level > 0; level--) {
        const uint64_t bytes = table_bytes(level), base = virt & ~(bytes - 1);
        const bool fits = base == virt && last - virt >= bytes - 1,
                   reaches = space->wide && !meets_window(space, base, bytes);
        if ((fits || reaches) && table_draw(space) >> (fits || level == 1 ? 63 : 62) == 0)
            return level;
    }
    return 0;
}

karat_status table_frame(karat_space *space, uint64_t virt, int level, uint64_t *phys) {
    const uint64_t size = table_bytes(level);
    if (space->drawn)
        return draw_frame(space, level, phys);
    *phys = virt & ~(size - 1);
    if (*phys < LOWER_END && !meets_window(space, *phys, size))
        return map_memory(space, *phys, size);
    do {
        *phys = (space->next_frame + size - 1) & ~(size - 1);
        space->next_frame = *phys + size;
    } while (!is_free(space, *phys, size));
    return map_memory(space, *phys, size);
}

/* Where another space of the family has a page at virt: true, and its physical address. *level: the highest
 * of a page that does not hide one. */
static bool find_shared(const karat_space *space, uint64_t virt, int *level, uint64_t *phys) {
    for (const karat_space *other = space->family->newest; other; other = other->older) {
        if (other == space)
            continue;
        const table_place at = table_find(other, virt);
        *level = at.level < *level ? at.level : *level;
        if (is_page(at.entry)) {
            *phys = table_phys(at.entry) | (virt & (table_bytes(at.level) - 1));
            return true;
        }
    }
    return false;
}

/* Whether a page that another space has is to be in other memory here: a translation that outlives its kernel
 * is wrong then. */
static bool moves(karat_space *space) {
    return table_draw(space) >> 63;
}

/* At is the entry that decides about virt now. */
static karat_status new_page(karat_space *space, uint64_t virt, uint64_t last, const table_place *at,
                             uint64_t rights, uint64_t *size) {
    int level = at->level;
    uint64_t phys = 0;
    const bool shared =
        find_shared(space, virt, &level, &phys) && !(space->places && space->drawn && moves(space));
    level = choose_level(space, virt, last, level);
    *size = table_bytes(level) - (virt & (table_bytes(level) - 1));
    const karat_status status = shared ? KARAT_OK : table_frame(space, virt, level, &phys);
    phys &= ~(table_bytes(level) - 1);
    return status == KARAT_OK ? table_enter(space, virt, level, table_entry(phys, rights)) : status;
}

bool table_can_map(const karat_space *space, uint64_t virt, uint64_t last) {
    return last >= virt && is_canonical(virt) && is_canonical(last) &&
           !meets_window(space, virt, last - virt + 1);
}

/* *news: a page was entered. */
static karat_status map_pages(karat_space *space, uint64_t virt, uint64_t last, uint64_t rights, bool *news) {
    for (uint64_t size; virt <= last; virt += size) {
        const table_place at = table_find(space, virt);
        if (is_page(at.entry)) {
            size = table_bytes(at.level) - (virt & (table_bytes(at.level) - 1));
            if ((at.entry & rights) != rights)
                table_write(space, at.addr, at.entry | rights);
        } else {
            const karat_status status = new_page(space, virt, last, &at, rights, &size);
            if (status != KARAT_OK)
                return status;
            *news = true;
        }
        if (size > last - virt)
            break; /* The end, virt + size, may be 0 */
    }
    return KARAT_OK;
}

karat_status karat_space_map(karat_space *space, uint64_t virt, uint64_t size, bool executable) {
    if (!space)
        return KARAT_BAD_ARGUMENT;
    if (!size)
        return KARAT_OK;
    const uint64_t first = virt & ~(table_bytes(0) - 1), last = (virt + (size - 1)) | (table_bytes(0) - 1);
    if (virt + (size - 1) < virt || !table_can_map(space, first, last) ||
        (last >= LOWER_END && (first < LOWER_END || !space->drawn)))
        return KARAT_BAD_ARGUMENT;
    bool news = false;
    karat_status status = map_pages(space, first, last, PTE_DATA | (executable ? PTE_X : 0), &news);
    uint64_t alias;
    if (status == KARAT_OK && space->drawn && news)
        status = karat_space_alias(space, first + table_draw(space) % (last - first + 1), &alias);
    return status;
}

/* A page of virtual addresses without a leaf. */
static bool find_hole(karat_space *space, uint64_t *virt) {
    for (int i = 0; i < TRIES; i++) {
        *virt = space->next_alias;
        if (space->drawn) {
            const uint64_t z = table_draw(space), end = z >> 63 ? LOW_END : LOWER_END;
            *virt = (z % end & ~(table_bytes(0) - 1)) | (z >> 62 == 1 ? -LOWER_END : 0);
        } else {
            space->next_alias += table_bytes(0);
        }
        if (is_canonical(*virt) && !meets_window(space, *virt, table_bytes(0)) &&
            !(table_find(space, *virt).entry & PTE_V))
            return true;
    }
    return false;
}

/* Where an access of the host with these rights finds virt. */
static bool translate(const karat_space *space, uint64_t virt, uint64_t rights, uint64_t *phys) {
    if (!is_canonical(virt) || meets_window(space, virt, 1))
        return false;
    const table_place at = table_find_at(space, virt, 0);
    *phys = table_phys(at.entry) | (virt & (table_bytes(at.level) - 1));
    return (at.entry & rights) == rights && table_is_mapped(space, *phys);
}

/* Share the last table on the way to virt at that page, where no table is yet. False: there is no such table,
 * or no room. */
static bool share_table(karat_space *space, uint64_t virt, uint64_t page, karat_status *status) {
    const table_place to = table_find(space, page), from = table_find_at(space, virt, 1);
    const uint64_t base = page & ~(table_bytes(1) - 1);
    if (to.level < 1 || from.level != 1 || !is_table(from.entry) || meets_window(space, base, table_bytes(1)))
        return false;
    *status = table_enter(space, page, 1, table_entry(table_phys(from.entry), PTE_V | PTE_ALIAS));
    return true;
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
    const uint64_t rights = table_find_at(space, virt, 0).entry & (PTE_DATA | PTE_X);
    karat_status status;
    uint64_t size = table_bytes(1);
    if (!space->drawn || table_draw(space) >> 62 || !share_table(space, virt, page, &status)) {
        status = table_enter(space, page, 0, table_entry(phys, rights | PTE_ALIAS));
        size = table_bytes(0);
    }
    if (status == KARAT_OK)
        *alias = (page & ~(size - 1)) | (virt & (size - 1));
    return status;
}

/* --- The host's accesses --- */

/* The bytes from virt on that are on its page. */
static size_t part_of(uint64_t virt, size_t size) {
    const size_t left = table_bytes(0) - (virt & (table_bytes(0) - 1));
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
    if (!table_is_mapped(space, table)) /* After a change */
        return true;
    bool good = visit(context, table, table_bytes(0), true);
    for (unsigned i = 0; good && i < ENTRIES; i++) {
        const uint64_t entry = read_entry(space, table + 8 * i);
        if (entry & PTE_ALIAS)
            continue;
        if (level && is_table(entry))
            good = visit_table(space, table_phys(entry), level - 1, visit, context);
        else if (is_page(entry))
            good = visit(context, table_phys(entry) & ~(table_bytes(level) - 1), table_bytes(level), false);
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
        table_draw(space);
        space->asid = table_draw(space) >> 48;
    }
    *status = table_new(space, &space->root);
    space->ptbr = space->root;
    if (*status != KARAT_OK) {
        free(space);
        return NULL;
    }
    space->older = space->family->newest;
    space->family->newest = space;
    space->family->num++;
    return space;
}

static void leave(table_family *family) {
    if (family->num)
        return;
    free(family->ranges);
    free(family);
}

karat_space *karat_space_create_in(const karat_space_memory *memory, const uint64_t *seed,
                                   karat_status *status) {
    karat_status ignored;
    if (!status)
        status = &ignored;
    *status = KARAT_BAD_ARGUMENT;
    if (!memory)
        return NULL;
    table_family *family = calloc(1, sizeof *family);
    if (!family) {
        *status = KARAT_NO_MEMORY;
        return NULL;
    }
    karat_space start = {.memory = *memory,
                         .family = family,
                         .drawn = seed != NULL,
                         .wide = seed && *seed % 4 == 0,
                         .next_table = LOWER_END,
                         .next_alias = LOWER_END / 2,
                         .next_frame = 2 * LOWER_END};
    if (seed) {
        /* The state must not be 0, and near seeds are to differ at once. */
        start.state = (*seed ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd1342543de82ef95);
        start.state += !start.state;
    }
    karat_space *space = finish(&start, status);
    leave(family);
    return space;
}

karat_space *karat_space_create_after(karat_space *older, karat_status *status) {
    karat_status ignored;
    if (!status)
        status = &ignored;
    *status = KARAT_BAD_ARGUMENT;
    if (!older)
        return NULL;
    karat_space start = *older;
    start.num_ranges = 0;
    if (start.drawn)
        start.state = table_draw(older);
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

karat_space_memory karat_space_of_model(karat_model *model) {
    const karat_config *config = karat_get_config(model);
    return (karat_space_memory){model,     config->lds_base, config->lds_size, config->num_thread,
                                map_model, read_model,       write_model};
}

karat_space *karat_space_create(karat_model *model, const uint64_t *seed, karat_status *status) {
    const karat_config *config = karat_get_config(model);
    if (!config || config->translation != KARAT_TRANSLATION_SV39)
        return karat_space_create_in(NULL, seed, status);
    const karat_space_memory memory = karat_space_of_model(model);
    return karat_space_create_in(&memory, seed, status);
}

void karat_space_destroy(karat_space *space) {
    if (!space)
        return;
    table_family *family = space->family;
    if (family->last == space)
        family->last = NULL;
    karat_space **at = &family->newest;
    while (*at != space)
        at = &(*at)->older;
    *at = space->older;
    family->num--;
    leave(family);
    free(space);
}

uint64_t karat_space_ptbr(const karat_space *space) {
    return space ? space->ptbr : 0;
}

uint32_t karat_space_asid(const karat_space *space) {
    return space ? space->asid : 0;
}

void karat_space_set_asid(karat_space *space, uint32_t asid) {
    if (space)
        space->asid = asid;
}

/* A range of a kernel, which the others of the family get with their next kernel. */
static karat_status map(void *context, uint64_t base, uint64_t size, bool executable) {
    karat_space *space = context;
    table_family *family = space->family;
    const karat_status status = karat_space_map(space, base, size, executable);
    for (size_t i = 0; i < family->num_ranges; i++) {
        const struct table_range *r = &family->ranges[i];
        if (r->virt == base && r->size == size && r->executable == executable)
            return status;
    }
    if (status != KARAT_OK)
        return status;
    if (!karat_grow(&family->ranges, family->num_ranges, sizeof *family->ranges))
        return KARAT_NO_MEMORY;
    family->ranges[family->num_ranges++] = (struct table_range){base, size, executable};
    return KARAT_OK;
}

/* Map the ranges of kernels that other spaces of the family have got since the last kernel here: their memory
 * is this one's, too. */
static karat_status map_others(karat_space *space) {
    const table_family *family = space->family;
    karat_status status = KARAT_OK;
    for (; status == KARAT_OK && space->num_ranges < family->num_ranges;
         space->num_ranges += status == KARAT_OK) {
        const struct table_range *r = &family->ranges[space->num_ranges];
        status = karat_space_map(space, r->virt, r->size, r->executable);
    }
    return status;
}

/* The page of the leaf that maps virt; false: there is none, or it is outside of memory. */
static bool page_of(const karat_space *space, uint64_t virt, uint64_t *phys) {
    const table_place at = table_find_at(space, virt, 0);
    *phys = table_phys(at.entry) | (virt & (table_bytes(at.level) - 1));
    return table_is_leaf(at.entry) && table_is_mapped(space, *phys);
}

/* Copy to the pages of these kernels what the last one has left in its own. */
static karat_status take_over(karat_space *space) {
    const table_family *family = space->family;
    const karat_space_memory *m = &space->memory;
    karat_status status = KARAT_OK;
    uint8_t from[4096], to[sizeof from];
    for (size_t i = 0; family->last && family->last != space && i < family->num_ranges; i++) {
        const struct table_range *r = &family->ranges[i];
        const uint64_t first = r->virt & ~(table_bytes(0) - 1);
        for (uint64_t at = 0; status == KARAT_OK && at < r->size + (r->virt - first); at += sizeof from) {
            uint64_t old, here;
            if (!page_of(family->last, first + at, &old) || !page_of(space, first + at, &here) || old == here)
                continue;
            status = m->read(m->context, old, from, sizeof from);
            if (status == KARAT_OK)
                status = m->read(m->context, here, to, sizeof to);
            if (status == KARAT_OK && memcmp(from, to, sizeof to) != 0)
                status = m->write(m->context, here, from, sizeof from);
        }
    }
    return status;
}

static karat_status read(void *context, uint64_t addr, void *bytes, size_t size) {
    return karat_space_read(context, addr, bytes, size);
}

static karat_status write(void *context, uint64_t addr, const void *bytes, size_t size) {
    return karat_space_write(context, addr, bytes, size);
}

karat_status karat_space_place(karat_space *space, karat_kernel *kernel) {
    if (!space || !kernel)
        return KARAT_BAD_ARGUMENT;
    const load_memory memory = {space, space->memory.num_thread, map, write, read};
    space->ptbr = space->root; /* Without the changes of the kernel before */
    space->places = true;
    karat_status status = map_others(space);
    if (status == KARAT_OK)
        status = take_over(space);
    if (status == KARAT_OK)
        status = load_place(kernel, &memory);
    space->places = false;
    if (status == KARAT_OK)
        space->family->last = space;
    for (uint32_t i = 0; status == KARAT_OK && i < kernel->num_pages; i++)
        status = karat_space_change(space, &kernel->pages[i], NULL);
    if (status == KARAT_OK) {
        kernel->ptbr = space->ptbr;
        kernel->asid = space->asid;
    }
    return status;
}
