/* Allocations that are counted, and one of them fails: for a program linked with --wrap of malloc, calloc, realloc and free. */
#ifndef KARAT_TESTS_NO_MEMORY_H
#define KARAT_TESTS_NO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

static long live;    /* allocated and not freed */
static long fail_at; /* the allocation that fails, counted from 1; 0: none does */

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

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : counted(__real_malloc(size));
}
void *__wrap_calloc(size_t num, size_t size) {
    return fails() ? NULL : counted(__real_calloc(num, size));
}
void *__wrap_realloc(void *p, size_t size) {
    if (fails())
        return NULL;
    void *moved = __real_realloc(p, size);
    live += !p && moved;
    return moved;
}
void __wrap_free(void *p) {
    live -= p != NULL;
    __real_free(p);
}

#endif
