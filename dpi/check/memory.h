/* Accesses to memory, as MEM and the model have them (memory.c). */
#ifndef KARAT_CHECK_MEMORY_H
#define KARAT_CHECK_MEMORY_H

#include "checker.h"

/* The instruction in flight that accesses memory as that MEM says: the one named, or the oldest that owes such an access; or NULL. */
flight *karat_accessing(const slot *s, const karat_rec_mem *r);
/* A MEM, or the first part of an ACCESS, has come: the instruction that it is of; NULL after a failure. */
flight *karat_begin_mem(karat_checker *c, slot *s, const karat_rec_mem *r);
/* Parts that a MEM leaves out, or an ACCESS, which has these fields, too. */
static inline void karat_note_mem_gaps(karat_checker *c, const karat_rec_mem *r) {
    karat_note_gap(c, GAP_SEQ, r->match != KARAT_MATCH_SEQ);
    karat_note_gap(c, GAP_SPACE, r->space == KARAT_SPACE_UNKNOWN);
    karat_note_gap(c, GAP_AMO_DATA, r->no_data != 0);
}
/* Its lanes are compared, and performed. True after a failure. */
bool karat_check_lanes(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r);
/* Whether a store to one of these bytes is under way with what no record has reported: its MEM will. */
bool karat_stores_untold(const karat_checker *c, const slot *s, const karat_access *a);
/* Where a load got a wrong value: a store to one of its bytes that was issued before it, and that the core
 * performed after it or not yet, in words; of several warps' stores, of the first slot's; empty where there is none. */
void karat_late_store(const karat_checker *c, const slot *s, const flight *load, char *text, size_t size);

/* Whether two accesses have a byte in common. */
static inline bool karat_meets(const karat_access *a, const karat_access *b) {
    return a->addr < b->addr + b->bytes && b->addr < a->addr + a->bytes;
}

/* Where a lane's bytes are, and which: bit i: byte i. */
static inline uint64_t karat_addr_of(const karat_rec_mem *r, uint32_t lane) {
    return (uint64_t)r->addr_hi << 32 | r->addr[lane];
}

static inline uint32_t karat_bytes_of(const karat_rec_mem *r, uint32_t lane) {
    return r->bytes[lane / 2] >> (lane % 2 * 4) & 15;
}

#endif
