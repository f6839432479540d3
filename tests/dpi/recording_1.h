/* Records as recordings of version 1 have them (dpi/trace/trace.h): nothing writes them any more, and they are read. */
#ifndef KARAT_RECORDING_1_H
#define KARAT_RECORDING_1_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "karat_port.h"

/* The bytes of a record, of which there are at most 1 + 9/8 of its size. Returns their number. */
static inline size_t put_record_1(uint8_t *at, const void *record) {
    const uint8_t kind = ((const karat_rec_header *)record)->kind;
    const size_t words = karat_rec_size(kind) / 8, mask_bytes = (words + 7) / 8;
    uint8_t *mask = at + 1, *next = mask + mask_bytes;
    *at = kind;
    memset(mask, 0, mask_bytes);
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)record + 8 * i, 8);
        if (!word)
            continue;
        memcpy(next, &word, 8);
        mask[i / 8] |= (uint8_t)(1u << i % 8);
        next += 8;
    }
    return (size_t)(next - at);
}

#endif
