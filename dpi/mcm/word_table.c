#include "word_table.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { FIRST_ROOM = 256 };

static mcm_entry *entry_at(const mcm_table *t, uint32_t i) {
    return (mcm_entry *)(void *)((char *)t->at + (size_t)i * t->size);
}

/* Its entry, or the free one where it belongs. */
static mcm_entry *bucket(const mcm_table *t, const mcm_place *p) {
    uint32_t i = mcm_hash(p) & (t->room - 1);
    while (entry_at(t, i)->used && !mcm_same_place(&entry_at(t, i)->place, p))
        i = (i + 1) & (t->room - 1);
    return entry_at(t, i);
}

void *mcm_table_find(const mcm_table *t, const mcm_place *p) {
    mcm_entry *e = t->used ? bucket(t, p) : NULL;
    return e && e->used ? e : NULL;
}

static bool grow(mcm_table *t) {
    mcm_table more = *t;
    more.room = t->room ? 2 * t->room : FIRST_ROOM;
    more.at = more.room > t->max ? NULL : calloc(more.room, t->size);
    if (!more.at)
        return false;
    uint32_t i = 0;
    for (mcm_entry *e; (e = mcm_table_next(t, &i));)
        memcpy(bucket(&more, &e->place), e, t->size);
    free(t->at);
    *t = more;
    return true;
}

void *mcm_table_enter(mcm_table *t, const mcm_place *p) {
    if (4 * (t->used + 1) > 3 * t->room && !grow(t))
        return NULL;
    mcm_entry *e = bucket(t, p);
    t->used += !e->used;
    *e = (mcm_entry){*p, true};
    return e;
}

void *mcm_table_next(const mcm_table *t, uint32_t *i) {
    while (*i < t->room && !entry_at(t, *i)->used)
        ++*i;
    return *i < t->room ? entry_at(t, (*i)++) : NULL;
}

void mcm_table_clear(mcm_table *t) {
    free(t->at);
    t->at = NULL;
    t->room = t->used = 0;
}
