/* Arrays that grow one by one: those of the loaders here, and of dpi, vectors, common, testbench and cli. Not
 * installed. */
#ifndef KARAT_ARRAY_H
#define KARAT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element of size bytes in *array (of a pointer's type, NULL at first), which has num of
 * them and has grown by this alone: what there is room for follows from num. The array is for free(). False:
 * memory is short, and the array is as it was. */
static inline bool karat_grow(void *array, size_t num, size_t size) {
    enum { FIRST = 16 };
    void *old, *more;
    if (num && (num < FIRST || num & (num - 1)))
        return true;
    memcpy(&old, array, sizeof old);
    if (num > SIZE_MAX / 2 / size || !(more = realloc(old, (num ? 2 * num : FIRST) * size)))
        return false;
    memcpy(array, &more, sizeof more);
    return true;
}

#endif
