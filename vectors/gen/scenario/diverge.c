/* Divergence: nested, one-sided and uniform, and trees of it of many shapes. */
#include "scene.h"

/* --- Regular shapes --- */

/* One thread leaves at each level, the rest goes deeper; each level has its own reconvergence point. */
void play_nested(scene *s) {
    enum { MOST = 64 };
    int32_t place[MOST], other[MOST];
    const uint32_t levels = s->depth ? s->depth : scene_threads(s);
    for (uint32_t i = 0; i < levels; i++) {
        place[i] = scene_set_rpc(s);
        other[i] = scene_part_with(s, i);
        scene_add(s, 1);
    }
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_LANE, 1);
    for (uint32_t i = levels; i-- > 0;) {
        scene_here(s, other[i]);
        scene_here(s, place[i]);
        prog_add(s->p, "join");
        scene_add(s, 3);
    }
}

/* Like the scene before, with one reconvergence point for all levels: its JOIN takes one entry after the
 * other. */
void play_join_chain(scene *s) {
    enum { MOST = 64 };
    int32_t other[MOST];
    const uint32_t levels = s->depth ? s->depth : scene_threads(s);
    const int32_t place = scene_set_rpc(s);
    for (uint32_t i = 0; i < levels; i++) {
        other[i] = scene_part_with(s, i);
        scene_add(s, 1);
    }
    for (uint32_t i = 0; i < levels; i++)
        scene_here(s, other[i]);
    scene_here(s, place);
    prog_add(s->p, "join");
    scene_add(s, 3);
}

/* Halves of halves: both paths diverge again, down to level 0. */
static void tree(scene *s, uint32_t level) {
    if (level == 0) {
        prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_LANE, 1);
        return;
    }
    const int32_t place = scene_set_rpc(s);
    prog_li(s->p, X_TEMP, 1u << (level - 1));
    prog_add(s->p, "vand.vx", V_OTHER, V_LANE, X_TEMP, 1);
    const int32_t other = prog_add(s->p, "vbne", V_OTHER, V_ZERO, 0);
    scene_add(s, 1);
    tree(s, level - 1);
    const int32_t out = prog_add(s->p, "jal", 0, 0);
    scene_here(s, other);
    scene_add(s, 2);
    tree(s, level - 1);
    scene_here(s, out);
    scene_here(s, place);
    prog_add(s->p, "join");
}

void play_halves(scene *s) {
    uint32_t levels = s->depth;
    if (!levels)
        while (1u << levels < scene_threads(s))
            levels++;
    tree(s, levels < 6 ? levels : 6);
}

/* Each thread in turn against all others, as the threads that branch and as those that do not. */
void play_comb(scene *s) {
    for (uint32_t i = 0; i < scene_threads(s); i++) {
        const int32_t place = scene_set_rpc(s);
        prog_li(s->p, X_TEMP, i);
        prog_add(s->p, "vmv.v.x", V_OTHER, X_TEMP);
        const int32_t other = prog_add(s->p, i % 2 ? "vbeq" : "vbne", V_LANE, V_OTHER, 0);
        scene_add(s, 1);
        const int32_t out = prog_add(s->p, "jal", 0, 0);
        scene_here(s, other);
        scene_add(s, 5);
        scene_here(s, out);
        scene_here(s, place);
        prog_add(s->p, "join");
    }
}

/* A loop that each thread leaves one trip later than its neighbour. */
void play_staggered(scene *s) {
    prog_li(s->p, X_TEMP, s->depth ? s->depth : scene_threads(s));
    prog_add(s->p, "vminu.vx", V_COUNT, V_LANE, X_TEMP, 1);
    const int32_t top = (int32_t)s->p->num, place = scene_set_rpc(s),
                  done = prog_add(s->p, "vbeq", V_COUNT, V_ZERO, 0);
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_COUNT, 1);
    prog_add(s->p, "vadd.vi", V_COUNT, V_COUNT, -1, 1);
    prog_lead(s->p, prog_add(s->p, "jal", 0, 0), top);
    scene_here(s, done);
    scene_here(s, place);
    prog_add(s->p, "join");
}

/* Each VBRANCH with the same outcome for all threads; then a JOIN without an entry for it. */
static void all_alike(scene *s) {
    static const char *const names[] = {"vbeq", "vbne", "vblt", "vbge", "vbltu", "vbgeu"};
    for (uint32_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        const int32_t place = scene_set_rpc(s),
                      other = prog_add(s->p, names[i / 2], i % 2 ? V_OTHER : V_ZERO, V_ZERO, 0);
        scene_add(s, (int32_t)i);
        scene_here(s, other);
        scene_add(s, 1);
        scene_here(s, place);
        prog_add(s->p, "join");
    }
}

void play_uniform(scene *s) {
    prog_add(s->p, "vmv.v.i", V_OTHER, -1);
    all_alike(s);
    const int32_t place = scene_set_rpc(s);
    prog_add(s->p, "vand.vi", V_COUNT, V_LANE, 1, 1);
    const int32_t other = prog_add(s->p, "vbne", V_COUNT, V_ZERO, 0);
    all_alike(s); /* Their reconvergence points differ from that of the stack's top */
    const int32_t out = prog_add(s->p, "jal", 0, 0);
    scene_here(s, other);
    all_alike(s);
    scene_here(s, out);
    scene_here(s, place);
    prog_add(s->p, "join");
}

/* --- Random shapes --- */

/* A tree whose branches the seed decides: one thread, a run of threads, every other thread or a random set
 * takes them, as far as these are active; sometimes both paths go on. Between them are VBRANCHes that no
 * thread or every thread takes. */
static void grow(scene *s, uint64_t *seed, uint32_t levels) {
    prog *p = s->p;
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t random = (uint32_t)(*seed >> 33), all = scene_threads(s);
    prog_add(p, "vbne", V_ZERO, V_ZERO, 4);
    scene_here(s, prog_add(p, "vbeq", V_ZERO, V_ZERO, 0));
    prog_add(p, "join");
    if (!levels)
        return;
    const int32_t place = scene_set_rpc(s);
    prog_li(p, X_TEMP, random % all);
    switch (random >> 8 & 3) {
    case 0: prog_add(p, "vmseq.vx", V_OTHER, V_LANE, X_TEMP, 1); break;
    case 1: prog_add(p, "vmsltu.vx", V_OTHER, V_LANE, X_TEMP, 1); break;
    case 2: prog_add(p, "vand.vi", V_OTHER, V_LANE, 1, 1); break;
    default:
        prog_li(p, X_TEMP, random);
        prog_add(p, "vmv.v.x", V_OTHER, X_TEMP);
        prog_add(p, "vsrl.vv", V_OTHER, V_OTHER, V_LANE, 1);
        prog_add(p, "vand.vi", V_OTHER, V_OTHER, 1, 1);
        break;
    }
    const int32_t other = prog_add(p, random >> 10 & 1 ? "vbne" : "vbeq", V_OTHER, V_ZERO, 0);
    scene_add(s, 1);
    grow(s, seed, levels - 1);
    const int32_t out = prog_add(p, "jal", 0, 0);
    scene_here(s, other);
    scene_add(s, 2);
    if (levels < 4 && random >> 11 & 1)
        grow(s, seed, levels - 1);
    scene_here(s, out);
    scene_here(s, place);
    prog_add(p, "join");
    grow(s, seed, 0);
}

/* Threads leave one after the other until, at that depth, only those of the set are left; then a small tree
 * grows. */
static void peel(scene *s, uint64_t *seed, uint32_t set, uint32_t levels) {
    enum { MOST = 32 };
    prog *p = s->p;
    int32_t place[MOST], other[MOST];
    uint32_t lane = 0;
    for (uint32_t i = 0; i < levels; i++, lane++) {
        while (set >> lane % 32 & 1)
            lane++;
        place[i] = scene_set_rpc(s);
        if (i + 1 < levels)
            other[i] = scene_part_with(s, lane);
        else { /* All the others at once */
            prog_li(p, X_TEMP, set);
            prog_add(p, "vmv.v.x", V_OTHER, X_TEMP);
            prog_add(p, "vsrl.vv", V_OTHER, V_OTHER, V_LANE, 1);
            prog_add(p, "vand.vi", V_OTHER, V_OTHER, 1, 1);
            other[i] = prog_add(p, "vbeq", V_OTHER, V_ZERO, 0);
        }
    }
    grow(s, seed, 2);
    for (uint32_t i = levels; i-- > 0;) {
        scene_here(s, other[i]);
        scene_here(s, place[i]);
        prog_add(p, "join");
        scene_add(s, 3);
    }
}

void diverge_forest(scene *s, uint64_t seed) {
    static const uint32_t sets[] = {0x55555555, 0xaaaaaaaa, 0x00000001, 0x0000000b};
    static const uint8_t levels[] = {1, 2, 3, 4, 5, 7, 10, 16};
    for (uint32_t i = 0; i < 16; i++)
        grow(s, &seed, 1 + i);
    for (uint32_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (uint32_t k = 0; k < sizeof levels; k++) {
            const uint32_t set = sets[i] & UINT32_MAX >> (32 - scene_threads(s));
            if (levels[k] + (uint32_t)__builtin_popcount(set) <= scene_threads(s))
                peel(s, &seed, set, levels[k]);
        }
}

void play_forest(scene *s) {
    diverge_forest(s, 1);
}
