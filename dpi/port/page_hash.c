/* XXH3_64bits of memory of which most was never written.
 *
 * A region may have 256 MiB and three pages that are not zero. In XXH3, a stripe of zeros adds to each of
 * the eight accumulators a product of two halves of the secret, which is the same in each block; after a
 * block, the accumulators are scrambled. So a block of zeros takes 8 additions and 8 scramblings, where
 * the library reads 1 KiB. All else is the library's: the accumulators in its state are the only thing
 * that is changed. */
#include "page_hash.h"

#define XXH_STATIC_LINKING_ONLY /* The state's fields */
#include <xxhash.h>

#define ZERO_PAGE_HASH UINT64_C(0x93d76fe148c689ba)

enum { PAGE = 4096, STRIPE = 64, LANES = 8, LANE_SECRET = 8 };

static uint64_t secret_at(const uint8_t *secret, size_t lane) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)secret[8 * lane + i] << 8 * i;
    return value;
}

/* Add the stripes [from, to) of a block of zeros. */
static void add_stripes(uint64_t acc[LANES], const uint8_t *secret, size_t from, size_t to) {
    for (size_t stripe = from; stripe < to; stripe++)
        for (size_t i = 0; i < LANES; i++) {
            const uint64_t key = secret_at(secret + stripe * LANE_SECRET, i);
            acc[i] += (key & 0xffffffff) * (key >> 32);
        }
}

/* So many blocks of zeros after at least a page of zeros: what the state buffers is zero and stays as it
 * is. */
static void skip_blocks(XXH3_state_t *s, uint64_t num) {
    const uint8_t *secret = s->extSecret ? s->extSecret : s->customSecret;
    uint64_t rest[LANES] = {0}, block[LANES] = {0}, key[LANES], acc[LANES];
    add_stripes(rest, secret, s->nbStripesSoFar,
                s->nbStripesPerBlock); /* To the end of the block that has begun */
    add_stripes(block, secret, 0, s->nbStripesPerBlock);
    for (size_t i = 0; i < LANES; i++) {
        key[i] = secret_at(secret + s->secretLimit, i);
        acc[i] = s->acc[i] + rest[i];
    }
    for (uint64_t n = 0; n < num; n++)
        for (size_t i = 0; i < LANES; i++)
            acc[i] = ((acc[i] ^ acc[i] >> 47 ^ key[i]) * UINT64_C(0x9e3779b1)) + block[i];
    for (size_t i = 0; i < LANES; i++)
        s->acc[i] = acc[i] - rest[i];
    s->totalLen += num * s->nbStripesPerBlock * STRIPE;
}

static void update_zeros(XXH3_state_t *s, uint64_t size) {
    static const uint8_t zeros[PAGE];
    for (unsigned pages = 0; size; pages++) { /* One by one, but for the blocks after the first page */
        XXH3_64bits_update(s, zeros, PAGE);
        size -= PAGE;
        const uint64_t block = s->nbStripesPerBlock * STRIPE;
        if (pages == 0 && PAGE % block == 0) {
            skip_blocks(s, size / block);
            size = 0;
        }
    }
}

uint64_t karat_hash_pages(const karat_pages *pages, uint64_t base, uint64_t size) {
    uint64_t addr = base, at = 0;
    const uint8_t *page = size ? pages->next(pages->context, &addr, base + (size - 1)) : NULL;
    if (!page && size == PAGE)
        return ZERO_PAGE_HASH;
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    while (page) {
        update_zeros(&state, addr - base - at);
        XXH3_64bits_update(&state, page, PAGE);
        at = addr - base + PAGE;
        addr = base + at;
        page = at < size ? pages->next(pages->context, &addr, base + (size - 1)) : NULL;
    }
    update_zeros(&state, size - at);
    return XXH3_64bits_digest(&state);
}

static const uint8_t *next_of_model(void *model, uint64_t *addr, uint64_t last) {
    return karat_next_written_page(model, addr, last);
}

uint64_t karat_hash_memory(const karat_model *model, uint64_t base, uint64_t size) {
    return karat_hash_pages(&(karat_pages){(karat_model *)model, next_of_model}, base, size);
}
