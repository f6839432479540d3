/* Private to golden/load: the tables of an address space (space.c), for the changes of page.c. */
#ifndef KARAT_TABLES_H
#define KARAT_TABLES_H

#include "../mem/pte.h"
#include "karat/space.h"

/* The two bits of RSW are the host's: one marks aliases, the other has no meaning and is drawn. */
enum { PTE_ALIAS = 1 << 8, PTE_ANY = 1 << 9 };
#define PTE_RIGHTS (PTE_R | PTE_W | PTE_X)
#define PTE_LOAD   (PTE_V | PTE_R | PTE_A)
#define PTE_DATA   (PTE_LOAD | PTE_W | PTE_D)

#define PAGE_BITS 12
#define ENTRIES   (1u << VPN_BITS)

/* Spaces that were made one after the other: they share pages. */
typedef struct table_family {
    karat_space *newest;
    karat_space
        *last;    /* Space of the last kernel: its pages have what kernels have written; NULL: none yet */
    unsigned num; /* Spaces */
    struct table_range {
        uint64_t virt, size;
        bool executable;
    } * ranges; /* Ranges of all kernels that were placed in one of them */
    size_t num_ranges;
} table_family;

struct karat_space {
    karat_space_memory memory;
    table_family *family;
    karat_space *older; /* Next of the family; NULL: none */
    size_t num_ranges;  /* Of the family's ranges, so many are mapped here */
    bool drawn, wide;
    bool places;         /* A kernel is being placed: pages may get memory of their own */
    uint64_t state;      /* State of the generator */
    uint64_t next_table; /* Place of the next table of the identity */
    uint64_t next_alias; /* Place of the identity's next alias */
    uint64_t next_frame; /* Place of its next page that cannot be at its own address */
    uint64_t root;
    uint64_t ptbr; /* PTBR of the launches: the root, but for a change */
    uint32_t asid;
};

/* The entry that decides about an address: the leaf, or the one that is not valid; or the one through which a
 * table is shared. Its level, its place, and its value. */
typedef struct table_place {
    int level;
    uint64_t addr, entry;
} table_place;

static inline uint64_t table_bytes(int level) {
    return UINT64_C(1) << (PAGE_BITS + VPN_BITS * level);
}

static inline uint64_t table_phys(uint64_t entry) {
    return entry << 10 >> 20 << PAGE_BITS; /* 44 bits */
}

static inline uint64_t table_entry(uint64_t phys, uint64_t flags) {
    return phys >> PAGE_BITS << 10 | flags;
}

static inline bool table_is_leaf(uint64_t entry) {
    return entry & PTE_V && entry & PTE_RIGHTS;
}

/* A number that the seed determines; 0 without a seed. */
uint64_t table_draw(karat_space *space);
table_place table_find(const karat_space *space, uint64_t virt);
/* As table_find(), but at a table's entry of that level, if the walk comes there. */
table_place table_find_at(const karat_space *space, uint64_t virt, int level);
void table_write(karat_space *space, uint64_t addr, uint64_t entry);
/* A new table, without an entry that is valid. */
karat_status table_new(karat_space *space, uint64_t *table);
/* Enter a leaf of that level; tables on the way are made. */
karat_status table_enter(karat_space *space, uint64_t virt, int level, uint64_t leaf);
/* New physical memory for the page of that level at virt, mapped. */
karat_status table_frame(karat_space *space, uint64_t virt, int level, uint64_t *phys);
/* Whether a physical address is in memory. */
bool table_is_mapped(const karat_space *space, uint64_t addr);
/* Whether these addresses can be mapped. */
bool table_can_map(const karat_space *space, uint64_t virt, uint64_t last);

#endif
