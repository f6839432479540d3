/* Warps and workgroups: slots, barriers, settings that one warp leaves to the next. */
#include "scene.h"

/* --- Slots --- */

/* Workgroups of different lengths, far more than there are slots: each slot's registers, stack and CSRs are
 * used again. */
void play_slots(scene *s) {
    prog_add(s->p, "andi", X_COUNT, X_GROUP, 7);
    prog_add(s->p, "add", X_COUNT, X_COUNT, X_WARP);
    scene_delay(s);
    const int32_t place = scene_set_rpc(s);
    const int32_t other = scene_part_with(s, 1);
    prog_add(s->p, "csrrwi", 0, CSR_FRM, 3); /* The next warp must find 0 */
    scene_add(s, 7);
    scene_here(s, other);
    scene_here(s, place);
    prog_add(s->p, "join");
    prog_add(s->p, "csrrs", X_TEMP, CSR_FRM, 0);
    prog_add(s->p, "add", X_RESULT, X_RESULT, X_TEMP);
}

/* Workgroups end with loads, stores and slow results under way. The next ones find local memory 0, and no
 * late result in their registers. */
void play_exits(scene *s) {
    prog *p = s->p;
    prog_add(p, "vsll.vi", V_PLACE, V_LANE, 2, 1);
    prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_LDS, 1);
    prog_add(p, "vlw12.v", V_OTHER, 0, V_PLACE);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_add(p, "lw", X_RESULT, WORK, X_LDS);
    prog_add(p, "vsw12.v", V_SUM, 0, V_ADDRESS);
    prog_add(p, "sw", X_RESULT, 128, X_BASE);
    prog_add(p, "addi", X_TEMP, 0, -1);
    prog_add(p, "vmv.v.x", V_COUNT, X_TEMP);
    prog_add(p, "andi", X_COUNT, X_GROUP, 3);
    for (int32_t kind = 0; kind < 3; kind++) {
        prog_add(p, "addi", X_COUNT, X_COUNT, -1);
        const int32_t other = prog_add(p, "bne", X_COUNT, 0, 0);
        prog_add(p, "lw", HAZARD_X, WORK, X_BASE);
        prog_add(p, "vlw12.v", HAZARD_V, WORK, V_ADDRESS);
        if (kind == 0) {
            prog_add(p, "vsw12.v", V_COUNT, 0, V_PLACE);
            prog_add(p, "sw", X_TEMP, WORK, X_LDS);
        } else if (kind == 1) {
            prog_add(p, "vsw12.v", V_COUNT, 0, V_PLACE);
            prog_add(p, "vsw12.v", V_COUNT, WORK, V_ADDRESS);
        } else {
            prog_add(p, "vdiv.vv", V_SUM, V_COUNT, V_LANE, 1);
            prog_add(p, "div", X_RESULT, X_TEMP, X_GROUP);
            prog_add(p, "fdiv.s", X_LDS, X_TEMP, X_GROUP, 0);
        }
        prog_add(p, "endprg");
        scene_here(s, other);
    }
}

/* Most workgroups have nothing to do: they end cycle by cycle, on several SMs at once. The others have fewer
 * vector registers than scalar ones, and use the last scalar register. */
void play_ends(scene *s) {
    s->p->launch.sgprs = KARAT_NUM_X;
    s->p->launch.vgprs = HAZARD_V + 8;
    prog_add(s->p, "andi", X_TEMP, X_GROUP, 7);
    const int32_t stay = prog_add(s->p, "beq", X_TEMP, 0, 0);
    prog_add(s->p, "endprg");
    scene_here(s, stay);
    prog_add(s->p, "addi", KARAT_NUM_X - 1, X_GROUP, 5);
    prog_add(s->p, "add", X_RESULT, X_RESULT, KARAT_NUM_X - 1);
    scene_add(s, 7);
}

/* Warps that end with other settings than they began with; the next one in the slot must not see them. */
void play_settings(scene *s) {
    static const int32_t vtypes[] = {0x10, 0x11, 0x300};
    prog *p = s->p;
    for (int32_t i = 0; i < 3; i++) {
        prog_add(p, "addi", X_TEMP, 0, i);
        prog_add(p, "andi", X_COUNT, X_GROUP, 3);
        const int32_t other = prog_add(p, "bne", X_COUNT, X_TEMP, 0);
        prog_add(p, "addi", X_COUNT, 0, 1);
        prog_add(p, "vsetvli", 0, X_COUNT, vtypes[i]);
        prog_add(p, "csrrwi", 0, CSR_FRM, 1 + i);
        prog_add(p, "csrrwi", 0, CSR_VXRM, 1 + i);
        scene_here(s, other);
    }
}

/* --- Barriers --- */

/* A warp stores, all meet, and it loads its neighbour's words. */
static void exchange(scene *s) {
    prog *p = s->p;
    prog_add(p, "vsw12.v", V_SUM, WORK, V_ADDRESS);
    prog_add(p, "barrier", 0);
    prog_add(p, "addi", X_TEMP, X_WARP, 1);
    prog_add(p, "remu", X_TEMP, X_TEMP, X_WARPS);
    prog_add(p, "sub", X_TEMP, X_TEMP, X_WARP);
    prog_add(p, "slli", X_TEMP, X_TEMP, 10);
    prog_add(p, "vadd.vx", V_PLACE, V_ADDRESS, X_TEMP, 1);
    prog_add(p, "vlw12.v", V_OTHER, WORK, V_PLACE);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_add(p, "barrier", 0);
}

void play_barriers(scene *s) {
    prog *p = s->p;
    static const int32_t steps[] = {0, 1, 3, 12, 40};
    for (uint32_t i = 0; i < 2 * sizeof steps / sizeof *steps; i++) {
        prog_add(p, "addi", X_COUNT, X_WARP, 0);
        if (i % 2) { /* The last warp comes first */
            prog_add(p, "sub", X_COUNT, X_WARPS, X_WARP);
            prog_add(p, "addi", X_COUNT, X_COUNT, -1);
        }
        prog_li(p, X_TEMP, (uint32_t)steps[i / 2]);
        prog_add(p, "mul", X_COUNT, X_COUNT, X_TEMP);
        scene_delay(s);
        exchange(s);
    }
}

/* All meet with loads under way that nothing else waits for; then one warp stores to the words that the
 * others have loaded. */
void play_barrier_loads(scene *s) {
    enum { WORDS = 512 }; /* Bytes from X_SHARED on */
    prog *p = s->p;
    scene_clear_registers(s);
    prog_add(p, "addi", X_COUNT, 0, 24);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "remu", X_TEMP, X_COUNT, X_WARPS);
    prog_add(p, "sub", X_TEMP, X_TEMP, X_WARP);
    prog_add(p, "sltu", X_TEMP, 0, X_TEMP); /* 0: this one stores */
    const int32_t stores = prog_add(p, "beq", X_TEMP, 0, 0);
    for (int32_t i = 0; i < 4; i++)
        prog_add(p, "lw", HAZARD_X + i, WORDS + 64 * i, X_SHARED);
    scene_here(s, stores);
    prog_add(p, "barrier", 0);
    const int32_t others = prog_add(p, "bne", X_TEMP, 0, 0);
    for (int32_t i = 4; i-- > 0;)
        prog_add(p, "sw", X_COUNT, WORDS + 64 * i, X_SHARED);
    scene_here(s, others);
    prog_add(p, "barrier", 24); /* Its scope is all_svm_devices */
    for (int32_t i = 0; i < 4; i++)
        prog_add(p, "add", X_RESULT, X_RESULT, HAZARD_X + i);
    prog_add(p, "addi", X_COUNT, X_COUNT, -1);
    prog_lead(p, prog_add(p, "bne", X_COUNT, 0, 0), top);
}

/* --- Others --- */

/* Fewer threads than lanes: the number of threads, and private memory, which is interleaved by it. */
void play_few_threads(scene *s) {
    prog *p = s->p;
    p->launch.threads = scene_threads(s) > 2 ? scene_threads(s) / 2 + 1 : 1;
    prog_add(p, "csrrs", X_TEMP, CSR_TID, 0);
    prog_add(p, "vadd.vx", V_SUM, V_SUM, X_TEMP, 1);
    prog_add(p, "vsll.vi", V_PLACE, V_LANE, 2, 1);
    for (int32_t i = 0; i < 4; i++) {
        scene_put_access(s, "vsw.v", V_SUM, 4 * i, 1);
        scene_put_access(s, "vlw.v", V_OTHER, 4 * i, 1);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    }
}

/* All write CSR_PRINT at once, and again before the host has served them. */
void play_prints(scene *s) {
    for (int32_t i = 0; i < 12; i++)
        prog_add(s->p, "csrrwi", 0, CSR_PRINT, 1 + i);
}
