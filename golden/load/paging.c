/* The choice of address spaces and ASIDs by the seed; the page tables of one space: space.c. */
#include "paging.h"

#include <stdlib.h>

#include "load.h"
#include "splitmix.h"
#include "array.h"

#define MOST_SEEN 1024 /* ASIDs between two invalidations */

struct karat_paging {
    karat_space_memory memory;
    karat_space_memory physical; /* As memory, by way of the list of what is mapped */
    uint64_t seed, random;
    bool sv39, drawn;
    karat_space **spaces; /* From the first to the newest, each made after the one before it */
    uint32_t num_spaces;
    karat_space *space; /* Space of the last kernel */
    karat_ranges mapped;
    bool invalidates;
    uint32_t
        seen[MOST_SEEN]; /* ASIDs of kernels since the last invalidation; the last kernel's is the last */
    uint32_t num_seen;
};

static int compare_ranges(const void *a, const void *b) {
    const karat_range *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

/* In ascending order, each page once, and adjacent ranges as one. */
static void merge_ranges(karat_ranges *list) {
    uint32_t num = 0;
    if (list->num)
        qsort(list->at, list->num, sizeof *list->at, compare_ranges);
    for (uint32_t i = 0; i < list->num; i++) {
        const karat_range *r = &list->at[i];
        karat_range *last = num ? &list->at[num - 1] : NULL;
        if (!last || r->base > last->base + last->size)
            list->at[num++] = *r;
        else if (r->base + r->size > last->base + last->size)
            last->size = r->base + r->size - last->base;
    }
    list->num = num;
}

static karat_status map(void *context, uint64_t base, uint64_t size) {
    karat_paging *paging = context;
    karat_ranges *mapped = &paging->mapped;
    const karat_status status = paging->memory.map(paging->memory.context, base, size);
    if (status != KARAT_OK)
        return status;
    if (!karat_grow(&mapped->at, mapped->num, sizeof *mapped->at))
        return KARAT_NO_MEMORY;
    mapped->at[mapped->num++] = (karat_range){base, size};
    return KARAT_OK;
}
static karat_status map_any(void *context, uint64_t base, uint64_t size, bool executable) {
    (void)executable;
    return map(context, base, size);
}
static karat_status read(void *context, uint64_t addr, void *bytes, size_t size) {
    const karat_space_memory *memory = &((karat_paging *)context)->memory;
    return memory->read(memory->context, addr, bytes, size);
}
static karat_status write(void *context, uint64_t addr, const void *bytes, size_t size) {
    const karat_space_memory *memory = &((karat_paging *)context)->memory;
    return memory->write(memory->context, addr, bytes, size);
}

karat_paging *karat_paging_create(const karat_space_memory *memory, uint32_t num_thread, bool sv39,
                                  const uint64_t *seed) {
    karat_paging *paging = calloc(1, sizeof *paging);
    if (!paging)
        return NULL;
    karat_config config;
    karat_config_default(&config);
    paging->memory = *memory;
    paging->physical =
        (karat_space_memory){paging, config.lds_base, config.lds_size, num_thread, map, read, write};
    paging->sv39 = sv39;
    paging->drawn = seed != NULL;
    paging->seed = paging->random = seed ? *seed : 0;
    return paging;
}

void karat_paging_destroy(karat_paging *paging) {
    if (!paging)
        return;
    for (uint32_t i = paging->num_spaces; i-- > 0;)
        karat_space_destroy(paging->spaces[i]);
    free(paging->spaces);
    free(paging->mapped.at);
    free(paging);
}

static karat_status add_space(karat_paging *paging) {
    if (!karat_grow(&paging->spaces, paging->num_spaces, sizeof *paging->spaces))
        return KARAT_NO_MEMORY;
    karat_space **spaces = paging->spaces;
    karat_status status;
    paging->space = paging->num_spaces ? karat_space_create_after(spaces[paging->num_spaces - 1], &status)
                                       : karat_space_create_in(&paging->physical,
                                                               paging->drawn ? &paging->seed : NULL, &status);
    if (paging->space)
        spaces[paging->num_spaces++] = paging->space;
    return status;
}

static karat_status choose_space(karat_paging *paging) {
    if (!paging->num_spaces)
        return add_space(paging);
    if (!paging->drawn)
        return KARAT_OK;
    switch (karat_random_below(&paging->random, 4)) {
    case 0: return KARAT_OK;
    case 1:
        paging->space = paging->spaces[karat_random_below(&paging->random, paging->num_spaces)];
        return KARAT_OK;
    default: return add_space(paging);
    }
}

static bool is_seen(const karat_paging *paging, uint32_t asid) {
    for (uint32_t i = 0; i < paging->num_seen; i++)
        if (paging->seen[i] == asid)
            return true;
    return false;
}

static void choose_asid(karat_paging *paging) {
    uint32_t asid = paging->num_seen ? paging->seen[paging->num_seen - 1] : 0;
    bool fresh = false;
    paging->invalidates = true;
    if (paging->drawn) {
        paging->invalidates = karat_random_below(&paging->random, 2) || paging->num_seen == MOST_SEEN;
        fresh = !paging->invalidates || karat_random_below(&paging->random, 2);
    }
    while (fresh && (asid = karat_random_below(&paging->random, 1 << 16), is_seen(paging, asid)))
        ;
    if (paging->invalidates)
        paging->num_seen = 0;
    paging->seen[paging->num_seen++] = asid;
    karat_space_set_asid(paging->space, asid);
}

static karat_status place_physical(karat_paging *paging, const karat_kernel *kernel) {
    const load_memory memory = {paging, paging->physical.num_thread, map_any, write, read};
    return kernel->num_pages ? KARAT_BAD_ARGUMENT : load_place(kernel, &memory);
}

static karat_status place_virtual(karat_paging *paging, karat_kernel *kernel) {
    const karat_status status = choose_space(paging);
    if (status != KARAT_OK)
        return status;
    choose_asid(paging);
    return karat_space_place(paging->space, kernel);
}

karat_status karat_paging_place(karat_paging *paging, karat_kernel *kernel) {
    const karat_status status = paging->sv39 ? place_virtual(paging, kernel) : place_physical(paging, kernel);
    merge_ranges(&paging->mapped);
    return status;
}

const karat_ranges *karat_paging_memory(const karat_paging *paging) {
    return &paging->mapped;
}

karat_status karat_paging_read(const karat_paging *paging, uint64_t addr, void *bytes, size_t size) {
    const karat_space_memory *memory = &paging->memory;
    return paging->sv39 ? karat_space_read(paging->space, addr, bytes, size)
                        : memory->read(memory->context, addr, bytes, size);
}

karat_status karat_paging_write(karat_paging *paging, uint64_t addr, const void *bytes, size_t size) {
    const karat_space_memory *memory = &paging->memory;
    return paging->sv39 ? karat_space_write(paging->space, addr, bytes, size)
                        : memory->write(memory->context, addr, bytes, size);
}

karat_status karat_paging_look(const karat_paging *paging, uint64_t addr, void *bytes, size_t size) {
    karat_status status = karat_paging_read(paging, addr, bytes, size);
    for (uint32_t i = paging->num_spaces; i-- > 0 && status == KARAT_NOT_MAPPED;)
        status = karat_space_read(paging->spaces[i], addr, bytes, size);
    return status;
}

size_t karat_paging_find(const karat_paging *paging, uint64_t addr, size_t size, uint64_t *phys) {
    if (paging->sv39)
        return karat_space_find(paging->space, addr, size, phys);
    *phys = addr;
    return size;
}

bool karat_paging_translates(const karat_paging *paging) {
    return paging->sv39;
}

karat_space *karat_paging_space(const karat_paging *paging) {
    return paging->space;
}

bool karat_paging_invalidates(const karat_paging *paging) {
    return paging->invalidates;
}
