/* ACCESS and PAIR: records of several words, taken as the MEMs and WRITEs of one word that they are made of. */
#include "records.h"

bool karat_check_pair(karat_checker *c, const karat_rec_pair *r) {
    karat_rec_write half = {.h = r->h, .seq = r->seq, .match = r->match, .cls = r->cls, .mask = r->mask};
    half.h.kind = KARAT_REC_WRITE;
    for (unsigned part = 0; part < 2; part++) {
        half.regno = (uint16_t)(r->regno + part);
        for (uint32_t lane = 0; lane < KARAT_PORT_MAX_THREAD; lane++)
            half.data[lane] = (uint32_t)(r->data[lane] >> 32 * part);
        if (karat_check_write(c, &half))
            return true;
    }
    return false;
}

/* The lanes of mask that have bytes of that word in that half of memory of 4 GiB, as a MEM. */
static bool check_word(karat_checker *c, const karat_rec_access *r, uint32_t mask, uint32_t word) {
    while (mask) {
        karat_rec_mem mem = {.h = r->h,
                             .seq = r->seq,
                             .match = r->match,
                             .op = r->op,
                             .space = r->space,
                             .no_data = r->no_data};
        mem.h.kind = KARAT_REC_MEM;
        mem.addr_hi = (uint32_t)((r->phys[__builtin_ctz(mask)] + 4 * word) >> 32);
        for (uint32_t m = mask; m; m &= m - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(m);
            const uint64_t addr = r->phys[lane] + 4 * word;
            if (addr >> 32 != mem.addr_hi)
                continue;
            mem.mask |= 1u << lane;
            mem.addr[lane] = (uint32_t)addr;
            mem.bytes[lane / 2] |= (uint8_t)((r->bytes[lane] >> 4 * word & 0xf) << 4 * (lane & 1));
            mem.data[lane] = r->data[4 * lane + word];
        }
        mask &= ~mem.mask;
        if (karat_check_mem(c, &mem))
            return true;
    }
    return false;
}

bool karat_check_access(karat_checker *c, const karat_rec_access *r) {
    for (uint32_t word = 0; word < 4; word++) {
        uint32_t mask = 0;
        for (uint32_t m = r->mask; m; m &= m - 1)
            /* a lane without a byte is refused with the first word */
            mask |= (r->bytes[__builtin_ctz(m)] >> 4 * word & 0xf) || (!word && !r->bytes[__builtin_ctz(m)])
                        ? m & -m
                        : 0;
        if (mask && check_word(c, r, mask, word))
            return true;
    }
    return false;
}
