/* The common part of writer and reader of the file format (trace.h). */
#ifndef KARAT_TRACE_FORMAT_H
#define KARAT_TRACE_FORMAT_H

#include <stdint.h>
#include <string.h>

#include <xxhash.h>

#include "columns.h"

enum {
    TRACE_HEADER = 16,
    BLOCK_HEADER = 32,
    BLOCK_HASHED = 24,   /* Bytes of the block's header that its hash covers */
    BLOCK_CHECKED = 4,   /* From here on its first word covers them */
    BLOCK_ROOM = 1 << 24 /* No block unpacks to more: META's symbols of large programs */
};

enum block_kind { BLOCK_META = 1, BLOCK_RECORDS, BLOCK_END };

#define TRACE_MAGIC "KARATTR\n"

/* Code that runs for each record is compiled into its loop; code that seldom runs is kept out of it. */
#if defined(__GNUC__)
#define FOR_EACH_USE inline __attribute__((always_inline))
#define OUT_OF_LINE  __attribute__((noinline))
#else
#define FOR_EACH_USE inline
#define OUT_OF_LINE
#endif

static inline void put_le(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static inline uint64_t get_le(const uint8_t *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* The first word of a block's header: it is that block, and it follows the one with that hash (of META:
 * 0). */
static inline uint32_t block_check(const uint8_t *header, uint64_t before) {
    return (uint32_t)XXH3_64bits_withSeed(header + BLOCK_CHECKED, BLOCK_HASHED - BLOCK_CHECKED, before);
}

static inline uint64_t block_hash(const uint8_t *header, const uint8_t *frames, size_t packed) {
    return XXH3_64bits_withSeed(frames, packed, XXH3_64bits(header, BLOCK_HASHED));
}

/* Complete a header whose other fields are there. Returns the block's hash. */
static inline uint64_t seal_block(uint8_t *header, uint64_t before, const uint8_t *frames, size_t packed) {
    put_le(header, block_check(header, before), 4);
    const uint64_t hash = block_hash(header, frames, packed);
    put_le(header + BLOCK_HASHED, hash, 8);
    return hash;
}

#endif
