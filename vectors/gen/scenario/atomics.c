/* AMOs, LR and SC of several warps. */
#include "scene.h"

/* All warps at a few words: sums and the like, whose last value does not depend on the order. The returned
 * values are not used. */
void play_atomics(scene *s) {
    static const char *const names[] = {"amoadd.w", "amoxor.w", "amoand.w",  "amoor.w",
                                        "amomin.w", "amomax.w", "amominu.w", "amomaxu.w"};
    prog *p = s->p;
    prog_add(p, "csrrs", X_TEMP, CSR_LDS, 0);
    prog_add(p, "slli", X_LDS, X_WARPS, 10);
    prog_add(p, "add", X_LDS, X_LDS, X_TEMP);                /* These words come after the warps' own */
    const int32_t around = prog_add(p, "bne", X_WARP, 0, 0); /* The first warp makes them 0 */
    for (int32_t i = 0; i <= 64; i += 4)
        prog_add(p, "sw", 0, i, X_LDS);
    scene_here(s, around);
    prog_add(p, "barrier", 0);
    prog_add(p, "slli", HAZARD_X, X_WARP, 3);
    prog_add(p, "addi", HAZARD_X, HAZARD_X, -9);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
            prog_add(p, "addi", X_TEMP, X_SHARED, (int32_t)(4 * i));
            prog_add(p, names[i], HAZARD_X + 1, HAZARD_X, X_TEMP, (int32_t)round);
            prog_add(p, "addi", X_TEMP, X_LDS, (int32_t)(4 * i));
            prog_add(p, names[i], 0, HAZARD_X, X_TEMP, (int32_t)round);
        }
    for (uint32_t i = 0; i < 2; i++) { /* Counts, by LR and SC */
        prog_add(p, "addi", X_TEMP, i ? X_LDS : X_SHARED, 64);
        const int32_t again = (int32_t)p->num;
        prog_add(p, "lr.w", HAZARD_X + 1, X_TEMP, 2);
        prog_add(p, "addi", HAZARD_X + 1, HAZARD_X + 1, 1);
        prog_add(p, "sc.w", HAZARD_X + 2, HAZARD_X + 1, X_TEMP, 1);
        prog_lead(p, prog_add(p, "bne", HAZARD_X + 2, 0, 0), again);
    }
    prog_add(p, "barrier", 0);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        prog_add(p, "lw", X_TEMP, (int32_t)(4 * i), X_LDS);
        prog_add(p, "xor", X_RESULT, X_RESULT, X_TEMP);
    }
}

/* --- Reservations --- */

/* The second warp's access to the word at 'place', or none. */
static void disturb(scene *s, int32_t way, int32_t place, int32_t value, int32_t result) {
    prog *p = s->p;
    switch (way) {
    case 0: break;
    case 1: prog_add(p, "sw", value, 0, place); break;
    case 2: prog_add(p, "vse32.v", V_SUM, X_TEMP, 0); break; /* The first thread takes no part */
    case 3: prog_add(p, "amoadd.w", result, value, place, 0); break;
    default: prog_add(p, "sc.w", result, value, place, 0); break;
    }
}

/* SC at another word. */
static void fail_elsewhere(scene *s, int32_t place, int32_t value, int32_t result) {
    prog_add(s->p, "addi", X_TEMP, place, REGION);
    prog_add(s->p, "sc.w", result, value, X_TEMP, 0);
    prog_add(s->p, "add", X_RESULT, X_RESULT, result);
}

/* A warp reserves a word; another one accesses it, in several ways, or does not; then comes SC, there and
 * elsewhere. */
void play_reserved(scene *s) {
    prog *p = s->p;
    const int32_t place = HAZARD_X, value = HAZARD_X + 1, result = HAZARD_X + 2;
    prog_add(p, "vmsne.vi", 0, V_LANE, 0, 1);
    for (int32_t round = 0; round < 10; round++) {
        if (round % 2) /* Local memory */
            prog_add(p, "csrrs", place, CSR_LDS, 0);
        else {
            prog_add(p, "slli", X_TEMP, X_WARP, 10); /* REGION */
            prog_add(p, "sub", place, X_BASE, X_TEMP);
        }
        prog_add(p, "addi", place, place, WORK);
        prog_add(p, "addi", value, X_WARP, round);
        const int32_t others = prog_add(p, "bne", X_WARP, 0, 0);
        prog_add(p, "sw", value, 0, place);
        prog_add(p, "lr.w", result, place, 0);
        scene_here(s, others);
        prog_add(p, "barrier", 0);
        prog_add(p, "addi", X_TEMP, X_WARP, -1);
        const int32_t not_second = prog_add(p, "bne", X_TEMP, 0, 0);
        prog_add(p, "addi", X_TEMP, place, -4);
        disturb(s, round / 2, place, value, result);
        scene_here(s, not_second);
        prog_add(p, "barrier", 0);
        const int32_t done = prog_add(p, "bne", X_WARP, 0, 0);
        if (round % 4 == 0) {
            fail_elsewhere(s, place, value, result);
            prog_add(p, "lr.w", result, place, 0);
        }
        for (int32_t i = 0; i < 2; i++) {
            prog_add(p, "sc.w", result, value, place, 0);
            prog_add(p, "add", X_RESULT, X_RESULT, result);
        }
        prog_add(p, "lr.w", result, place, 0);
        fail_elsewhere(s, place, value, result);
        scene_here(s, done);
        prog_add(p, "barrier", 0);
        prog_add(p, "lw", X_TEMP, 0, place);
        prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        prog_add(p, "barrier", 0);
    }
}
