/* ACCESS: its addresses, by the instruction's virtual ones; then compared as the MEMs of one word that it is
 * made of. */
#include "records.h"

#include <inttypes.h>

/* Parts of an ACCESS as MEMs: at most a word of each lane, all in one half of memory of 4 GiB, in order of
 * lane and word. */
typedef struct parts {
    const karat_rec_access *r;
    uint32_t lane, word; /* The next one to look at */
} parts;

static uint32_t bytes_of(const karat_rec_access *r, uint32_t lane, uint32_t word) {
    return r->bytes[lane] >> 4 * word & 15;
}

/* False: there is no further part. */
static bool next_part(parts *p, karat_rec_mem *mem) {
    const karat_rec_access *r = p->r;
    *mem = (karat_rec_mem){
        .h = r->h, .seq = r->seq, .match = r->match, .op = r->op, .space = r->space, .no_data = r->no_data};
    mem->h.kind = KARAT_REC_MEM;
    for (; p->lane < KARAT_PORT_MAX_THREAD; p->lane++, p->word = 0) {
        const uint32_t lane = p->lane;
        if (!(r->mask >> lane & 1))
            continue;
        for (; p->word < 4; p->word++) {
            const uint32_t bytes = bytes_of(r, lane, p->word);
            if (!bytes && (r->bytes[lane] || p->word))
                continue; /* Of a lane without a byte the first word says so */
            const uint64_t addr = r->phys[lane] + 4 * p->word;
            if (mem->mask && (mem->mask >> lane & 1 || mem->addr_hi != addr >> 32))
                return true;
            mem->mask |= 1u << lane;
            mem->addr_hi = (uint32_t)(addr >> 32);
            mem->addr[lane] = (uint32_t)addr;
            mem->bytes[lane / 2] |= (uint8_t)(bytes << 4 * (lane & 1));
            mem->data[lane] = r->data[4 * lane + p->word];
        }
    }
    return mem->mask != 0;
}

/* The model's access of that lane at that virtual address; num: there is none. *any: one of the lane,
 * wherever; num: it has none. */
static uint32_t access_at(const karat_mem *mem, uint32_t lane, uint64_t virt, uint32_t *any) {
    *any = mem->num;
    for (uint32_t k = 0; k < mem->num; k++) {
        if (mem->access[k].lane != lane)
            continue;
        if (virt - mem->virt[k] < mem->access[k].bytes)
            return k;
        if (*any == mem->num)
            *any = k;
    }
    return mem->num;
}

/* Byte i of a lane is at another address than the model's, which is that of access k. */
static bool wrong_address(karat_checker *c, slot *s, flight *f, const karat_rec_access *r, uint32_t lane,
                          uint32_t i, uint32_t k, bool virt) {
    const karat_mem *mem = &f->commit.mem;
    const uint64_t model = virt ? mem->virt[k] : mem->access[k].addr + (r->virt[lane] + i - mem->virt[k]),
                   phys = r->phys[lane] + i;
    const blame x = {.kind = virt ? FAIL_MEM_ADDRESS : FAIL_MEM_TRANSLATION,
                     .slot = s,
                     .flight = f,
                     .record = r,
                     .lanes = 1u << lane,
                     .may_go_on = mem->op != KARAT_AMO};
    if (virt)
        return karat_fail(c, &x,
                          "lane %" PRIu32 ": core 0x%08" PRIx64 "  model 0x%08" PRIx64
                          " (%u bytes); the core's physical address is 0x%08" PRIx64,
                          lane, r->virt[lane] + i, model, mem->access[k].bytes, phys);
    return karat_fail_translation(c, &x, r->virt[lane] + i, phys, model);
}

/* With translation: virtual addresses against the instruction's, and physical ones against the model's
 * walks. */
static bool check_addresses(karat_checker *c, slot *s, flight *f, const karat_rec_access *r) {
    const karat_mem *mem = &f->commit.mem;
    for (uint32_t m = r->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        for (uint32_t b = r->bytes[lane]; b; b &= b - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(b);
            uint32_t any;
            const uint32_t k = access_at(mem, lane, r->virt[lane] + i, &any);
            if (any == mem->num && k == mem->num)
                break; /* It accesses nothing: of that the physical address is enough */
            const bool virt = k == mem->num;
            if (!virt && r->phys[lane] + i == mem->access[k].addr + (r->virt[lane] + i - mem->virt[k]))
                continue;
            if (f->kept_mem)
                return false;
            if (wrong_address(c, s, f, r, lane, i, virt ? any : k, virt))
                return true;
            f->kept_mem = true; /* The rest of that instruction is of the same mismatch */
        }
    }
    return false;
}

static bool check_parts(karat_checker *c, const karat_rec_access *r) {
    karat_note_mem_gaps(c, (const karat_rec_mem *)r);
    slot *s = karat_slot_of(c, &r->h, r->mask);
    if (!s)
        return true;
    if (r->mask == 0) {
        c->counts.empty++;
        return false;
    }
    parts p = {.r = r};
    karat_rec_mem mem;
    next_part(&p, &mem);
    flight *f = NULL;
    if (karat_begin_mem(c, s, &mem, &f) || (karat_translates(c) && check_addresses(c, s, f, r)))
        return true;
    do {
        if (karat_check_lanes(c, s, f, &mem))
            return true;
    } while (next_part(&p, &mem));
    karat_flight_complete(c, s, f);
    return false;
}

bool karat_check_access(karat_checker *c, const karat_rec_access *r) {
    c->whole = r;
    const bool stop = check_parts(c, r);
    c->whole = NULL;
    return stop;
}
