/* The lives with most identification come first, each into the first workgroup that accepts it; where one
 * finds none, earlier ones are moved. Within a workgroup, lives and warps are a matching, computed anew for
 * each life that joins. */
#include "slot_lives.h"

#include <stdlib.h>
#include <string.h>

#define MAX_JOINS                                                                                            \
    (1u << 20) /* Joins tried after a first dead end; then the rest takes the remaining warps
                              * \ */

/* A life's turn. */
typedef struct turn {
    uint32_t life, groups, warps; /* Groups, warps: how many it may be of, and be */
} turn;

typedef struct placing {
    slot_life *lives;
    uint32_t num_groups, group_size;
    slot_life_fits *fits;
    const void *context;
    turn *turns; /* Turns in their order; of lives of which there is something to find */
    uint32_t num_turns;
    uint32_t *top;  /* The life of each workgroup that joined last, or SLOT_LIFE_NONE */
    uint32_t joins; /* Joins tried since the first dead end */
    bool stuck;     /* The search has met a dead end */
} placing;

/* --- One workgroup --- */

typedef struct matching {
    uint32_t num;
    uint32_t member[SLOT_LIFE_WARPS];
    uint64_t warps[SLOT_LIFE_WARPS]; /* Warps that the member may be */
    uint32_t owner[SLOT_LIFE_WARPS]; /* The member that is this warp */
    uint64_t taken;                  /* Warps that have an owner */
} matching;

/* The member gets a warp; others of the group may move. */
static bool match(matching *m, uint32_t member, uint64_t *seen) {
    for (uint64_t left; (left = m->warps[member] & ~*seen);) {
        const uint64_t open = left & ~m->taken;
        const uint32_t warp = (uint32_t)__builtin_ctzll(open ? open : left);
        *seen |= UINT64_C(1) << warp;
        if (open || match(m, m->owner[warp], seen)) {
            m->owner[warp] = member;
            m->taken |= UINT64_C(1) << warp;
            return true;
        }
    }
    return false;
}

static bool add_member(const placing *p, matching *m, uint32_t life) {
    uint64_t seen = 0;
    m->member[m->num] = life;
    m->warps[m->num] = p->lives[life].warps;
    return match(m, m->num++, &seen);
}

/* The members of a workgroup, those that joined first first. */
static void match_group(const placing *p, uint32_t group, matching *m) {
    uint32_t members[SLOT_LIFE_WARPS], num = 0;
    m->num = 0;
    m->taken = 0;
    for (uint32_t i = p->top[group]; i != SLOT_LIFE_NONE; i = p->lives[i].below)
        members[num++] = i;
    while (num)
        add_member(p, m, members[--num]);
}

static bool agree(const slot_life *a, const slot_life *b) {
    if (a->sm != b->sm)
        return false;
    for (uint32_t i = 0; i < SLOT_LIFE_LABELS; i++)
        if ((a->labelled & b->labelled) >> i & 1 && a->label[i] != b->label[i])
            return false;
    return true;
}

static bool joins(const placing *p, uint32_t group, uint32_t life) {
    uint32_t num = 0;
    for (uint32_t i = p->top[group]; i != SLOT_LIFE_NONE; i = p->lives[i].below, num++)
        if (!agree(&p->lives[i], &p->lives[life]))
            return false;
    if (num == p->group_size || !p->fits(p->context, life, group))
        return false;
    matching m;
    match_group(p, group, &m);
    return add_member(p, &m, life);
}

/* --- All --- */

/* Put the life into the next workgroup after its present one (SLOT_LIFE_NONE: from the first on). */
static bool place_next(placing *p, uint32_t life) {
    slot_life *l = &p->lives[life];
    uint32_t group = 0;
    if (l->workgroup != SLOT_LIFE_NONE) {
        group = l->workgroup + 1;
        p->top[l->workgroup] = l->below;
        l->workgroup = SLOT_LIFE_NONE;
    }
    for (; group < p->num_groups; group++) {
        p->joins += p->stuck;
        if (!joins(p, group, life))
            continue;
        l->workgroup = group;
        l->below = p->top[group];
        p->top[group] = life;
        return true;
    }
    return false;
}

static int by_what_is_told(const void *a, const void *b) {
    const turn *s = a, *t = b;
    if (s->groups != t->groups)
        return s->groups < t->groups ? -1 : 1;
    if (s->warps != t->warps)
        return s->warps < t->warps ? -1 : 1;
    return s->life < t->life ? -1 : s->life > t->life;
}

static void set_turns(placing *p, uint32_t num_lives) {
    for (uint32_t i = 0; i < num_lives; i++) {
        slot_life *l = &p->lives[i];
        turn t = {.life = i, .warps = (uint32_t)__builtin_popcountll(l->warps)};
        for (uint32_t group = 0; group < p->num_groups; group++)
            t.groups += p->fits(p->context, i, group);
        l->workgroup = l->warp = l->below = SLOT_LIFE_NONE;
        l->sure = t.groups == 1 && t.warps == 1;
        if (t.groups && t.warps)
            p->turns[p->num_turns++] = t;
    }
    qsort(p->turns, p->num_turns, sizeof *p->turns, by_what_is_told);
}

/* Place them all, or return the life that was reached last and found no place. */
static uint32_t place_all(placing *p) {
    uint32_t at = 0, furthest = 0;
    while (at < p->num_turns) {
        if (place_next(p, p->turns[at].life)) {
            at++;
            continue;
        }
        p->stuck = true;
        furthest = at > furthest ? at : furthest;
        if (!at || p->joins > MAX_JOINS)
            return furthest;
        at--;
    }
    return SLOT_LIFE_NONE;
}

static void clear(placing *p) {
    for (uint32_t i = 0; i < p->num_turns; i++)
        p->lives[p->turns[i].life].workgroup = SLOT_LIFE_NONE;
    for (uint32_t i = 0; i < p->num_groups; i++)
        p->top[i] = SLOT_LIFE_NONE;
}

static void place_turns(placing *p) {
    clear(p);
    for (uint32_t at; p->joins <= MAX_JOINS && (at = place_all(p)) != SLOT_LIFE_NONE;) {
        memmove(&p->turns[at], &p->turns[at + 1], (--p->num_turns - at) * sizeof *p->turns);
        clear(p);
        /* Too much to try: no more looks at those before. */
        for (uint32_t i = 0; p->joins > MAX_JOINS && i < p->num_turns; i++)
            place_next(p, p->turns[i].life);
    }
    for (uint32_t group = 0; group < p->num_groups; group++) {
        matching m;
        match_group(p, group, &m);
        for (uint64_t left = m.taken; left; left &= left - 1) {
            const uint32_t warp = (uint32_t)__builtin_ctzll(left);
            p->lives[m.member[m.owner[warp]]].warp = warp;
        }
    }
}

bool assign_slot_lives(slot_life *lives, uint32_t num_lives, uint32_t num_groups, uint32_t group_size,
                       slot_life_fits *fits, const void *context) {
    placing p = {.lives = lives,
                 .num_groups = num_groups,
                 .group_size = group_size,
                 .fits = fits,
                 .context = context,
                 .turns = calloc(num_lives ? num_lives : 1, sizeof *p.turns),
                 .top = calloc(num_groups ? num_groups : 1, sizeof *p.top)};
    const bool good = p.turns && p.top;
    if (good) {
        set_turns(&p, num_lives);
        place_turns(&p);
    }
    free(p.turns);
    free(p.top);
    return good;
}
