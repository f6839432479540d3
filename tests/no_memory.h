/* Allocations that are counted, and one of them fails, or that end where a page begins that nobody may touch:
 * for a program linked with --wrap of malloc, calloc, realloc and free. */
#ifndef KARAT_TESTS_NO_MEMORY_H
#define KARAT_TESTS_NO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static long live;    /* Allocated and not freed */
static long fail_at; /* The allocation that fails, counted from 1; 0: none does */
static bool guarded; /* New blocks end where they say: one byte further on is a crash */

void *__real_malloc(size_t size);
void *__real_calloc(size_t num, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static bool fails(void) {
    return fail_at > 0 && --fail_at == 0;
}

static void *counted(void *p) {
    live += p != NULL;
    return p;
}

/* The guarded blocks that are live. */
enum { GUARDED = 4096, GUARD = 4096 };
static struct block { uint8_t *p, *base, *end; } blocks[GUARDED];
static uint32_t num_blocks;

static void *guarded_alloc(size_t size, int fill) {
    const size_t room = (size + GUARD - 1) / GUARD * GUARD;
    void *base;
    if (num_blocks == GUARDED || posix_memalign(&base, GUARD, room + GUARD))
        return NULL;
    struct block *b = &blocks[num_blocks++];
    *b = (struct block){(uint8_t *)base + (room - size), base, (uint8_t *)base + room};
    memset(b->p, fill, size);
    mprotect(b->end, GUARD, PROT_NONE);
    return b->p;
}

static struct block *find_block(const void *p) {
    for (uint32_t i = num_blocks; i-- > 0;)
        if (blocks[i].p == p)
            return &blocks[i];
    return NULL;
}

static void drop_block(struct block *b) {
    mprotect(b->end, GUARD, PROT_READ | PROT_WRITE);
    __real_free(b->base);
    *b = blocks[--num_blocks];
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : counted(guarded ? guarded_alloc(size, 0xa5) : __real_malloc(size));
}
void *__wrap_calloc(size_t num, size_t size) {
    return fails() ? NULL : counted(guarded ? guarded_alloc(num * size, 0) : __real_calloc(num, size));
}
void *__wrap_realloc(void *p, size_t size) {
    if (fails())
        return NULL;
    struct block *b = p ? find_block(p) : NULL;
    if (b || (!p && guarded)) {
        void *moved = guarded_alloc(size, 0xa5);
        const size_t old = b ? (size_t)(b->end - b->p) : 0;
        if (moved && b) {
            memcpy(moved, p, old < size ? old : size);
            drop_block(find_block(p));
        }
        live += !p && moved;
        return moved;
    }
    void *moved = __real_realloc(p, size);
    live += !p && moved;
    return moved;
}
void __wrap_free(void *p) {
    struct block *b = p ? find_block(p) : NULL;
    live -= p != NULL;
    if (b)
        drop_block(b);
    else
        __real_free(p);
}

#endif
