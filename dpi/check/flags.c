/* Flags of plain accesses, where races are looked for: words by which one warp orders what it did before another's with FENCEs and
 * loads and stores alone.
 *
 * A store behind a FENCE releases what is before the FENCE; a load of another warp that reads its value, with a FENCE
 * behind it, acquires that. What lies before the one FENCE is then ordered before what lies behind the other, as by an atomic instruction's
 * .rl and .aq (order.c, which knows the words of atomic instructions only). The accesses to the flag itself are not ordered: they are
 * synchronisation, and no race of data (races.c). */
#include "order.h"

#include <stdlib.h>
#include <string.h>

enum { NUM_AWAITING = 64, ALL_ACCESSES = KARAT_READS | KARAT_WRITES };

typedef struct flag_word {
    karat_word word;   /* of it: place, used, and the releases of its value */
    bool synchronises; /* some warp has acquired one */
} flag_word;

/* A warp has read a word's release, and no FENCE of it has come since. */
typedef struct awaiting {
    uint32_t uid;
    place at;
} awaiting;

struct karat_flags {
    flag_word *words; /* a hash table of those that a release was ever stored to */
    uint32_t room, used;
    awaiting awaiting[NUM_AWAITING];
    uint32_t num_awaiting;
};

karat_flags *karat_flags_create(void) {
    karat_flags *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->room = 64;
    g->words = calloc(g->room, sizeof *g->words);
    if (g->words)
        return g;
    free(g);
    return NULL;
}

void karat_flags_destroy(karat_flags *g) {
    if (g)
        free(g->words);
    free(g);
}

void karat_flags_kernel(karat_flags *g) {
    memset(g->words, 0, g->room * sizeof *g->words);
    g->used = g->num_awaiting = 0;
}

static flag_word *bucket(const karat_flags *g, const place *p) {
    uint32_t i = hash_of_place(p) & (g->room - 1);
    while (g->words[i].word.used &&
           (g->words[i].word.at.addr != p->addr || g->words[i].word.at.lds != p->lds))
        i = (i + 1) & (g->room - 1);
    return &g->words[i];
}

/* That word, or NULL. */
static flag_word *find(const karat_flags *g, place p) {
    p = word_at(p);
    flag_word *w = bucket(g, &p);
    return w->word.used ? w : NULL;
}

/* The same, made where it is not there; NULL: out of memory. */
static flag_word *enter(karat_flags *g, place p) {
    p = word_at(p);
    if (2 * (g->used + 1) > g->room) {
        const karat_flags old = *g;
        g->words = calloc(2 * (size_t)old.room, sizeof *g->words);
        if (!g->words) {
            g->words = old.words;
            return NULL;
        }
        g->room = 2 * old.room;
        for (uint32_t i = 0; i < old.room; i++)
            if (old.words[i].word.used)
                *bucket(g, &old.words[i].word.at) = old.words[i];
        free(old.words);
    }
    flag_word *w = bucket(g, &p);
    g->used += !w->word.used;
    w->word.used = true;
    w->word.at = p;
    return w;
}

/* A write is performed: the moments up to which what its warp did is released with it. Each FENCE that covers a kind of access which no
 * later one does; beyond those that are remembered all is taken to be. Their number, at most two. */
static uint32_t releases_of(const slot *s, const flight *f, karat_moment moment[2]) {
    uint32_t num = 0;
    uint8_t covered = 0;
    if (f->releases) {
        moment[0] = f->at;
        return 1;
    }
    for (uint32_t n = f->num_fence; n > 0 && covered != ALL_ACCESSES; n--) {
        if (s->num_fence - (n - 1) > KARAT_NUM_FENCE) {
            if (num)
                moment[num - 1].before = ALL_ACCESSES;
            break;
        }
        const karat_fence *fence = &s->fence[(n - 1) % KARAT_NUM_FENCE];
        if (fence->at.uid != f->at.uid)
            break;
        if (!(fence->at.behind & KARAT_WRITES) || !(fence->at.before & ~covered))
            continue;
        covered |= fence->at.before;
        moment[num++] = fence->at;
    }
    return num;
}

static bool release(karat_checker *c, const slot *s, const flight *f, place p) {
    karat_moment moment[2];
    const uint32_t num = releases_of(s, f, moment);
    flag_word *w = num ? enter(c->flags, p) : find(c->flags, p);
    if (!w)
        return !num;
    if (f->commit.mem.op != KARAT_AMO)
        w->word.num_release = 0;
    for (uint32_t i = 0; i < num; i++)
        karat_order_add_release(c, &w->word, &moment[i]);
    return true;
}

/* Whether what an access reads is ordered before what its warp does behind a FENCE, or the access itself, already. */
static bool acquires_now(const slot *s, const flight *f) {
    for (uint32_t n = f->num_fence; n < s->num_fence; n++) {
        const karat_fence *fence = &s->fence[n % KARAT_NUM_FENCE];
        if (s->num_fence - n > KARAT_NUM_FENCE ||
            (fence->at.uid == f->at.uid && fence->at.before & KARAT_READS))
            return true;
    }
    return f->acquires;
}

/* Its warp's next FENCE will. Where there is no more room, the oldest one counts as if it had come. */
static void await(karat_flags *g, const flight *f, const place *at) {
    if (g->num_awaiting == NUM_AWAITING) {
        flag_word *w = find(g, g->awaiting[0].at);
        if (w)
            w->synchronises = true;
        memmove(g->awaiting, g->awaiting + 1, --g->num_awaiting * sizeof *g->awaiting);
    }
    g->awaiting[g->num_awaiting++] = (awaiting){f->at.uid, *at};
}

static bool is_among(const karat_word *w, const karat_moment *release) {
    for (uint32_t i = 0; w && i < w->num_release; i++)
        if (w->release[i].uid == release->uid && w->release[i].step == release->step)
            return true;
    return false;
}

/* An access reads a word: what was released with its value, and is not ordered before it otherwise. */
static void acquire(karat_checker *c, slot *s, const flight *f, place p) {
    flag_word *w = find(c->flags, p);
    karat_word fresh = {.num_release = 0};
    bool any = false;
    for (uint32_t i = 0; w && i < w->word.num_release; i++) {
        const karat_moment *from = &w->word.release[i];
        const bool known = is_among(karat_order_find_word(c->order, p), from); /* order.c has entered it */
        if (from->uid == f->at.uid || (!known && karat_order_before(c, from, &f->at)))
            continue;
        any = true;
        if (!known)
            fresh.release[fresh.num_release++] = *from;
    }
    if (!any)
        return;
    karat_order_acquire(c, s, f, &fresh);
    if (acquires_now(s, f))
        w->synchronises = true;
    else if (f->epoch == s->epoch)
        await(c->flags, f, &w->word.at);
}

void karat_flags_fence(karat_flags *g, uint32_t uid) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->num_awaiting; i++) {
        flag_word *w = find(g, g->awaiting[i].at);
        if (g->awaiting[i].uid != uid)
            g->awaiting[kept++] = g->awaiting[i];
        else if (w)
            w->synchronises = true;
    }
    g->num_awaiting = kept;
}

bool karat_flags_performed(karat_checker *c, slot *s, const flight *f, uint64_t accesses) {
    const karat_mem *m = &f->commit.mem;
    for (; accesses; accesses &= accesses - 1) {
        const place p = place_of(c, s, f, m->access[__builtin_ctzll(accesses)].addr);
        if (is_over(s, f, &p))
            continue;
        if (m->op != KARAT_STORE)
            acquire(c, s, f, p);
        if (m->op != KARAT_LOAD && !release(c, s, f, p))
            return karat_fail(c, FAIL_STREAM, s, NULL, NULL, "out of memory");
    }
    return false;
}

bool karat_flags_released(const karat_flags *g, uint64_t addr, uint32_t lds) {
    return find(g, (place){addr, lds, 0}) != NULL;
}

bool karat_flags_synchronises(const karat_flags *g, uint64_t addr, uint32_t lds) {
    const flag_word *w = find(g, (place){addr, lds, 0});
    return w && w->synchronises;
}
