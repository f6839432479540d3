/* Memory: private memory, conflicts of lanes, addresses far apart, fences. */
#include "scene.h"

/* V_PLACE = the base in that register + lane * bytes */
static void spread(scene *s, uint32_t base, int32_t bytes) {
    prog_li(s->p, X_TEMP, (uint32_t)bytes);
    prog_add(s->p, "vmul.vx", V_PLACE, V_LANE, X_TEMP, 1);
    prog_add(s->p, "vadd.vx", V_PLACE, V_PLACE, (int32_t)base, 1);
}

/* --- Private memory --- */

/* Stores and loads of each width at V_PLACE: by pairs, and by single registers where the upper half is 0. */
static void private_accesses(scene *s, bool far) {
    static const char *const stores[] = {"vsw.v", "vsh.v", "vsb.v"}, *const loads[] = {"vlw.v", "vlh.v",
                                                                                       "vlbu.v"};
    static const int32_t offsets[] = {0, 2, 3};
    prog *p = s->p;
    for (int32_t i = 0; i < 3; i++) {
        scene_put_access(s, stores[i], HAZARD_V, offsets[i], 2);
        scene_put_access(s, loads[i], HAZARD_V + 2, offsets[i], 2);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, HAZARD_V + 2, 1);
        if (!far) {
            scene_put_access(s, stores[i], V_SUM, offsets[i], 1);
            scene_put_access(s, loads[i], V_OTHER, offsets[i], 1);
            prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
        }
    }
}

/* Private memory from its beginning to its end, also by 64-bit addresses. Those of the first workgroup begin
 * at 0. Those of the others are below 0, in the memory of the workgroup before, which does not use that
 * half. */
void play_private_memory(scene *s) {
    enum { HALF = 1024 };
    static const int32_t places[] = {0, 4, HALF / 2, HALF - 16};
    prog *p = s->p;
    p->launch.pds = 2 * HALF;
    scene_clear_registers(s);
    prog_add(p, "sltu", X_COUNT, 0, X_GROUP);
    prog_add(p, "sub", X_COUNT, 0, X_COUNT);
    for (uint32_t at = 0; at < sizeof places / sizeof *places; at++) {
        prog_li(p, X_TEMP, (uint32_t)-HALF);
        prog_add(p, "and", X_TEMP, X_TEMP, X_COUNT);
        prog_add(p, "addi", X_TEMP, X_TEMP, places[at]);
        for (int32_t far = 0; far < 2; far++) {
            prog_add(p, "vmv.v.x", V_PLACE + 1, X_COUNT);
            prog_add(p, "vmv.v.x", V_PLACE, X_TEMP);
            if (!far) {
                prog_add(p, "vand.vi", V_PLACE + 1, V_PLACE + 1, 0, 1);
                prog_li(p, HAZARD_X, HALF - 1);
                prog_add(p, "vand.vx", V_PLACE, V_PLACE, HAZARD_X, 1);
            }
            prog_add(p, "vand.vi", V_OTHER, V_LANE, 1, 1); /* Lanes at one word and at the next one */
            prog_add(p, "vsll.vi", V_OTHER, V_OTHER, 2, 1);
            prog_add(p, "vadd.vv", V_PLACE, V_PLACE, V_OTHER, 1);
            private_accesses(s, far);
        }
    }
}

/* --- Order --- */

/* One to four loads and stores under way; a FENCE; loads and stores of other lines. */
void play_fences(scene *s) {
    prog *p = s->p;
    static const int32_t sets[][2] = {{15, 15}, {2, 2}, {3, 1}, {1, 2}};
    scene_clear_registers(s);
    prog_add(p, "sw", X_WARP, 64, X_LDS);
    for (int32_t round = 0; round < 16; round++) {
        const int32_t *set = sets[round % 4];
        for (int32_t i = 0; i <= round / 4; i++)
            if (round % 3 == 2)
                prog_add(p, "sw", X_WARP, WORK + 64 * i, X_BASE);
            else
                prog_add(p, "lw", HAZARD_X + i, WORK + 64 * i, X_BASE);
        if (round % 2)
            prog_add(p, "vlw12.v", HAZARD_V, WORK, V_ADDRESS);
        prog_add(p, "fence", set[0], set[1]);
        prog_add(p, "lw", HAZARD_X + 4, WORK + 256, X_BASE);
        prog_add(p, "sw", X_WARP, WORK + 300, X_BASE);
        prog_add(p, "lw", HAZARD_X + 5, 64, X_LDS);
        for (int32_t i = 0; i < 6; i++)
            prog_add(p, "add", X_RESULT, X_RESULT, HAZARD_X + i);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, HAZARD_V, 1);
    }
}

/* --- Lanes --- */

/* Each lane stores two registers, to words that overlap those of other lanes, near and far: the last lane's
 * stay. */
void play_overlaps(scene *s) {
    static const int32_t steps[] = {0, 1, 2, 3, 5, 7};
    prog *p = s->p;
    scene_clear_registers(s);
    for (uint32_t i = 0; i < 2 * sizeof steps / sizeof *steps; i++) {
        prog_li(p, X_TEMP, (uint32_t)steps[i / 2]);
        prog_add(p, "vmul.vx", V_OTHER, V_LANE, X_TEMP, 1);
        prog_add(p, "vand.vi", V_OTHER, V_OTHER, 7, 1); /* Words, as if shuffled */
        prog_add(p, "vsll.vi", V_OTHER, V_OTHER, 2, 1);
        prog_add(p, "vadd.vx", V_PLACE, V_OTHER, i % 2 ? X_LDS : X_BASE, 1);
        prog_add(p, "vmv.v.i", V_PLACE + 1, 0);
        scene_put_access(s, "vsw12.v", HAZARD_V, WORK, 2);
        scene_put_access(s, "vlw12.v", HAZARD_V + 2, WORK, 2);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, HAZARD_V + 2, 1);
        prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + 3, 1);
        prog_add(p, "vadd.vv", HAZARD_V, HAZARD_V, V_SUM, 1);
    }
}

/* Lanes so many words apart, in local memory. */
void play_banks(scene *s) {
    static const int32_t widths[] = {0, 1, 2, 3, 4, 7, 8, 16, 32};
    for (uint32_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if ((uint32_t)widths[i] * 4 * scene_threads(s) > REGION && i > 1)
            continue;
        spread(s, X_LDS, 4 * widths[i]);
        prog_add(s->p, "vsw12.v", V_SUM, 0, V_PLACE);
        prog_add(s->p, "vlw12.v", V_OTHER, 0, V_PLACE);
        prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
        prog_add(s->p, "vsb12.v", V_SUM, 1, V_PLACE);
        prog_add(s->p, "vlhu12.v", V_OTHER, 0, V_PLACE);
        prog_add(s->p, "vxor.vv", V_SUM, V_SUM, V_OTHER, 1);
    }
}

/* All lanes, some lanes, and half of the lanes at one address: stores, then loads of the word and of its
 * bytes. */
void play_same_address(scene *s) {
    for (uint32_t i = 0; i < 6; i++) {
        prog_add(s->p, "vsrl.vi", V_PLACE, V_LANE, (int32_t)(i < 3 ? 5 : i - 3), 1);
        prog_add(s->p, "vsll.vi", V_PLACE, V_PLACE, 2, 1);
        prog_add(s->p, "vadd.vx", V_PLACE, V_PLACE, i % 2 ? X_LDS : X_BASE, 1);
        prog_add(s->p, "vsw12.v", V_SUM, WORK, V_PLACE);
        prog_add(s->p, "vlw12.v", V_OTHER, WORK, V_PLACE);
        prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
        prog_add(s->p, "vsh12.v", V_LANE, WORK + 2, V_PLACE);
        prog_add(s->p, "vsb12.v", V_SUM, WORK, V_PLACE);
        prog_add(s->p, "vlw12.v", V_OTHER, WORK, V_PLACE);
        prog_add(s->p, "vxor.vv", V_SUM, V_SUM, V_OTHER, 1);
        prog_add(s->p, "lw", X_TEMP, WORK, i % 2 ? X_LDS : X_BASE);
        prog_add(s->p, "add", X_RESULT, X_RESULT, X_TEMP);
    }
}

/* A stride and 16-bit indices whose register has other bits above them. */
static void far_elements(scene *s) {
    enum { STRIDE = 0x10004 };
    prog *p = s->p;
    s->more = STRIDE + REGION;
    prog_li(p, X_TEMP, 0xabcd0000); /* Any upper half */
    prog_add(p, "vsll.vi", V_PLACE, V_LANE, 2, 1);
    prog_add(p, "vor.vx", V_PLACE, V_PLACE, X_TEMP, 1);
    prog_add(p, "vluxei16.v", V_OTHER, X_BASE, V_PLACE, 1);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_li(p, X_COUNT, 2);
    prog_add(p, "vsetvli", 0, X_COUNT, 0x10);
    prog_li(p, X_TEMP, STRIDE);
    prog_add(p, "addi", HAZARD_X, X_BASE, WORK);
    prog_add(p, "vsse32.v", V_SUM, HAZARD_X, X_TEMP, 1);
    prog_add(p, "vlse32.v", V_OTHER, HAZARD_X, X_TEMP, 1);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_li(p, X_COUNT, 64);
    prog_add(p, "vsetvli", 0, X_COUNT, 0x10);
}

/* Threads in local memory and others in device memory; rows of one bank apart; strides and indices of more
 * than 16 bits. */
void play_far_apart(scene *s) {
    prog *p = s->p;
    p->launch.lds = 8 * 32 * scene_threads(s) + 1024;
    prog_add(p, "csrrs", X_LDS, CSR_LDS, 0);
    spread(s, X_LDS, 4);
    prog_add(p, "vand.vi", 0, V_LANE, 1, 1);
    prog_add(p, "vmsne.vi", 0, 0, 0, 1);
    prog_add(p, "vmerge.vvm", V_PLACE, V_ADDRESS, V_PLACE);
    for (int32_t i = 0; i < 3; i++) {
        prog_add(p, "vsw12.v", V_SUM, WORK + 256 * (i - 1), V_PLACE);
        prog_add(p, "vlw12.v", V_OTHER, WORK + 256 * (i - 1), V_PLACE);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    }
    prog_li(p, X_TEMP, 8 * 4 * scene_threads(s)); /* Eight rows of all banks */
    prog_add(p, "vand.vi", V_OTHER, V_LANE, 7, 1);
    prog_add(p, "vmul.vx", V_PLACE, V_OTHER, X_TEMP, 1);
    prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_LDS, 1);
    prog_add(p, "vsw12.v", V_OTHER, 0, V_PLACE);
    prog_add(p, "vlw12.v", V_OTHER, 0, V_PLACE);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    far_elements(s);
}

/* Threads whose addresses in the window of local memory differ in one bit above the page: each bit in turn,
 * by vectors and by one thread alone. */
void play_lds_window(scene *s) {
    enum { PAGE_BITS = 10, WINDOW_BITS = 28 };
    prog *p = s->p;
    prog_add(p, "vand.vi", V_OTHER, V_LANE, 1, 1);
    for (int32_t bit = PAGE_BITS; bit < WINDOW_BITS; bit++) {
        prog_li(p, X_TEMP, 1u << bit);
        prog_add(p, "vmul.vx", V_PLACE, V_OTHER, X_TEMP, 1);
        prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_LDS, 1);
        prog_add(p, "vadd.vi", V_SUM, V_SUM, 1, 1); /* Another value than before */
        prog_add(p, "vsw12.v", V_SUM, 0, V_PLACE);
        prog_add(p, "vlw12.v", V_PLACE, 0, V_PLACE);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, V_PLACE, 1);
        prog_add(p, "add", HAZARD_X, X_LDS, X_TEMP);
        prog_add(p, "lw", X_TEMP, 0, X_LDS);
        prog_add(p, "sub", X_RESULT, X_RESULT, X_TEMP);
        prog_add(p, "lw", X_TEMP, 0, HAZARD_X);
        prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
    }
}
