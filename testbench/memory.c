#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#define PAGE_BITS  12
#define PAGE_SIZE  (1u << PAGE_BITS)
#define TABLE_BITS 10 /* pages in a table */
#define NUM_TABLES (1u << (32 - PAGE_BITS - TABLE_BITS))

typedef struct page_table {
    uint8_t *page[1u << TABLE_BITS];
} page_table;

typedef struct pending {
    karat_ram_req req;
    uint64_t due;
} pending;

typedef struct port_state {
    uint32_t num;
    uint32_t order[KARAT_RAM_PENDING]; /* slots, oldest first */
    uint32_t free[KARAT_RAM_PENDING];  /* a stack of the others */
    pending slot[KARAT_RAM_PENDING];
    uint64_t next_due; /* nothing is due before */
    bool stalled;
} port_state;

typedef struct reservation {
    bool stands;
    uint32_t addr;
} reservation;

struct karat_ram {
    karat_ram_config config;
    uint64_t random;
    uint64_t cycle;
    page_table *tables[NUM_TABLES];
    port_state ports[KARAT_RAM_PORTS];
    karat_ram_fault fault;
    reservation reserved[KARAT_RAM_REQUESTERS];
    uint32_t num_reserved; /* that stand */
};

/* splitmix64: the same numbers everywhere. */
static uint64_t next_random(karat_ram *memory) {
    uint64_t z = memory->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t random_below(karat_ram *memory, uint32_t n) {
    return (uint32_t)((next_random(memory) >> 32) * n >> 32);
}

karat_ram *karat_ram_create(const karat_ram_config *config) {
    if (config->latency_min < 1 || config->latency_max < config->latency_min || config->stall_percent > 99)
        return NULL;
    karat_ram *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->config = *config;
    memory->random = config->seed;
    for (int p = 0; p < KARAT_RAM_PORTS; p++)
        for (uint32_t i = 0; i < KARAT_RAM_PENDING; i++)
            memory->ports[p].free[i] = i;
    return memory;
}

void karat_ram_destroy(karat_ram *memory) {
    if (!memory)
        return;
    for (uint32_t t = 0; t < NUM_TABLES; t++) {
        if (!memory->tables[t])
            continue;
        for (uint32_t p = 0; p < 1u << TABLE_BITS; p++)
            free(memory->tables[t]->page[p]);
        free(memory->tables[t]);
    }
    free(memory);
}

/* --- Bytes --- */

static uint8_t *find_page(const karat_ram *memory, uint32_t addr) {
    const page_table *table = memory->tables[addr >> (PAGE_BITS + TABLE_BITS)];
    return table ? table->page[addr >> PAGE_BITS & ((1u << TABLE_BITS) - 1)] : NULL;
}

static bool make_page(karat_ram *memory, uint32_t addr) {
    page_table **table = &memory->tables[addr >> (PAGE_BITS + TABLE_BITS)];
    if (!*table)
        *table = calloc(1, sizeof **table);
    if (!*table)
        return false;
    uint8_t **page = &(*table)->page[addr >> PAGE_BITS & ((1u << TABLE_BITS) - 1)];
    if (!*page)
        *page = calloc(1, PAGE_SIZE);
    return *page != NULL;
}

bool karat_ram_map(karat_ram *memory, uint64_t base, uint64_t size) {
    if (base > UINT32_MAX || size > (1ull << 32) - base)
        return false;
    uint64_t end = base + size;
    for (uint64_t addr = base & ~(uint64_t)(PAGE_SIZE - 1); addr < end; addr += PAGE_SIZE)
        if (!make_page(memory, (uint32_t)addr))
            return false;
    return true;
}

static bool mapped(const karat_ram *memory, uint64_t addr, size_t size) {
    if (addr > UINT32_MAX || size > (1ull << 32) - addr)
        return false;
    uint64_t end = addr + size;
    for (uint64_t page = addr & ~(uint64_t)(PAGE_SIZE - 1); page < end; page += PAGE_SIZE)
        if (!find_page(memory, (uint32_t)page))
            return false;
    return true;
}

bool karat_ram_read(const karat_ram *memory, uint64_t addr, void *bytes, size_t size) {
    if (!mapped(memory, addr, size))
        return false;
    for (uint8_t *to = bytes; size;) {
        size_t offset = addr & (PAGE_SIZE - 1), n = PAGE_SIZE - offset < size ? PAGE_SIZE - offset : size;
        memcpy(to, find_page(memory, (uint32_t)addr) + offset, n);
        addr += n, to += n, size -= n;
    }
    return true;
}

static void end_reservation(karat_ram *memory, uint32_t requester) {
    reservation *r = &memory->reserved[requester];
    memory->num_reserved -= r->stands;
    r->stands = false;
}

/* Bytes are written: the reservations of all but one requester on their words end. */
static void break_reservations(karat_ram *memory, uint64_t addr, size_t size, uint32_t but) {
    for (uint32_t i = 0; memory->num_reserved && i < KARAT_RAM_REQUESTERS; i++) {
        const reservation *r = &memory->reserved[i];
        if (r->stands && i != but && r->addr < addr + size && addr < (uint64_t)r->addr + 4)
            end_reservation(memory, i);
    }
}

bool karat_ram_write(karat_ram *memory, uint64_t addr, const void *bytes, size_t size) {
    if (!mapped(memory, addr, size))
        return false;
    break_reservations(memory, addr, size, KARAT_RAM_REQUESTERS);
    for (const uint8_t *from = bytes; size;) {
        size_t offset = addr & (PAGE_SIZE - 1), n = PAGE_SIZE - offset < size ? PAGE_SIZE - offset : size;
        memcpy(find_page(memory, (uint32_t)addr) + offset, from, n);
        addr += n, from += n, size -= n;
    }
    return true;
}

uint64_t karat_ram_hash(const karat_ram *memory, uint64_t base, uint64_t size) {
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return 0;
    XXH3_64bits_reset(state);
    for (uint64_t addr = base; addr < base + size; addr += PAGE_SIZE) {
        const uint8_t *page = find_page(memory, (uint32_t)addr);
        if (page)
            XXH3_64bits_update(state, page, PAGE_SIZE);
    }
    uint64_t hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return hash;
}

/* --- Ports --- */

bool karat_ram_idle(const karat_ram *memory) {
    for (int p = 0; p < KARAT_RAM_PORTS; p++)
        if (memory->ports[p].num)
            return false;
    return true;
}

bool karat_ram_ready(const karat_ram *memory, enum karat_ram_port port) {
    const port_state *p = &memory->ports[port];
    return !p->stalled && p->num < KARAT_RAM_PENDING;
}

void karat_ram_request(karat_ram *memory, enum karat_ram_port port, const karat_ram_req *req) {
    port_state *p = &memory->ports[port];
    if (p->num == KARAT_RAM_PENDING)
        return; /* the caller did not ask karat_ram_ready() */
    uint32_t spread = memory->config.latency_max - memory->config.latency_min;
    uint32_t latency = memory->config.latency_min + (spread ? random_below(memory, spread + 1) : 0);
    uint32_t slot = p->free[KARAT_RAM_PENDING - 1 - p->num];
    p->slot[slot].req = *req;
    p->slot[slot].due = memory->cycle + latency;
    if (!p->num || p->slot[slot].due < p->next_due)
        p->next_due = p->slot[slot].due;
    p->order[p->num++] = slot;
}

static uint32_t load_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void perform_line(const karat_ram *memory, const karat_ram_req *req, karat_ram_rsp *rsp) {
    const uint8_t *page = find_page(memory, req->addr[0]);
    uint32_t offset = req->addr[0] & (PAGE_SIZE - 1) & ~(KARAT_RAM_LINE_WORDS * 4u - 1);
    rsp->error = !page;
    for (uint32_t i = 0; i < KARAT_RAM_LINE_WORDS; i++)
        rsp->data[i] = page ? load_word(page + offset + 4 * i) : 0;
}

static void store_word(uint8_t *bytes, uint32_t value, uint8_t enable) {
    for (uint32_t b = 0; b < 4; b++)
        if (enable >> b & 1)
            bytes[b] = (uint8_t)(value >> 8 * b);
}

static uint32_t amo_result(uint8_t op, uint32_t old, uint32_t operand) {
    switch (op) {
    case KARAT_RAM_ADD: return old + operand;
    case KARAT_RAM_XOR: return old ^ operand;
    case KARAT_RAM_AND: return old & operand;
    case KARAT_RAM_OR: return old | operand;
    case KARAT_RAM_MIN: return (int32_t)old < (int32_t)operand ? old : operand;
    case KARAT_RAM_MAX: return (int32_t)old < (int32_t)operand ? operand : old;
    case KARAT_RAM_MINU: return old < operand ? old : operand;
    case KARAT_RAM_MAXU: return old < operand ? operand : old;
    default: return operand;
    }
}

/* One lane's access; returns its answer. */
static uint32_t perform_word(karat_ram *memory, const karat_ram_req *req, uint32_t lane, uint8_t *word) {
    const uint32_t addr = req->addr[lane] & ~3u, old = load_word(word);
    reservation *own = &memory->reserved[req->requester];
    if (req->op == KARAT_RAM_LOAD)
        return old;
    if (req->op == KARAT_RAM_LR) {
        memory->num_reserved += !own->stands;
        *own = (reservation){true, addr};
        return old;
    }
    if (req->op == KARAT_RAM_SC) {
        bool succeeds = own->stands && own->addr == addr && req->be[lane];
        end_reservation(memory, req->requester);
        if (!succeeds)
            return 1;
    }
    if (req->be[lane])
        break_reservations(memory, addr, 4, req->requester);
    store_word(word, req->op < KARAT_RAM_SWAP ? req->data[lane] : amo_result(req->op, old, req->data[lane]),
               req->be[lane]);
    return req->op < KARAT_RAM_SWAP ? 0 : old;
}

/* Lanes in ascending order: of two that store to one byte, the higher one's value stays. */
static void perform_lanes(karat_ram *memory, const karat_ram_req *req, karat_ram_rsp *rsp) {
    uint8_t *word[KARAT_RAM_LANES];
    for (uint32_t lane = 0; lane < KARAT_RAM_LANES; lane++) {
        if (!(req->lanes >> lane & 1))
            continue;
        uint8_t *page = find_page(memory, req->addr[lane]);
        if (!page) {
            rsp->error = true;
            if (!memory->fault.any)
                memory->fault = (karat_ram_fault){true, req->op != KARAT_RAM_LOAD && req->op != KARAT_RAM_LR,
                                                  memory->cycle, lane, req->addr[lane]};
            return;
        }
        word[lane] = page + (req->addr[lane] & (PAGE_SIZE - 1) & ~3u);
    }
    for (uint32_t lane = 0; lane < KARAT_RAM_LANES; lane++)
        if (req->lanes >> lane & 1)
            rsp->data[lane] = perform_word(memory, req, lane, word[lane]);
}

bool karat_ram_respond(karat_ram *memory, enum karat_ram_port port, karat_ram_rsp *rsp) {
    port_state *p = &memory->ports[port];
    if (!p->num || p->next_due > memory->cycle)
        return false;
    /* The one due first; of several, the oldest. */
    uint32_t best = 0;
    for (uint32_t i = 1; i < p->num; i++)
        if (p->slot[p->order[i]].due < p->slot[p->order[best]].due)
            best = i;
    uint32_t slot = p->order[best];
    if (p->slot[slot].due > memory->cycle) {
        p->next_due = p->slot[slot].due;
        return false;
    }
    const karat_ram_req *req = &p->slot[slot].req;
    memset(rsp, 0, sizeof *rsp);
    rsp->id = req->id;
    if (port == KARAT_RAM_FETCH)
        perform_line(memory, req, rsp);
    else
        perform_lanes(memory, req, rsp);
    p->num--;
    for (uint32_t i = best; i < p->num; i++)
        p->order[i] = p->order[i + 1];
    p->free[KARAT_RAM_PENDING - 1 - p->num] = slot;
    p->next_due = 0; /* the next call finds out */
    return true;
}

void karat_ram_tick(karat_ram *memory) {
    memory->cycle++;
    for (int port = 0; port < KARAT_RAM_PORTS; port++)
        memory->ports[port].stalled =
            memory->config.stall_percent && random_below(memory, 100) < memory->config.stall_percent;
}

karat_ram_fault karat_ram_first_fault(const karat_ram *memory) {
    return memory->fault;
}
