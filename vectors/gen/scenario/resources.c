/* Registers and local memory that limit how many workgroups fit. */
#include "scene.h"

/* Workgroups that need so many registers and so much local memory that few of them fit. */
void play_resources(scene *s) {
    s->p->launch.lds = 24 * 1024;
    s->p->launch.sgprs = 32;
    s->p->launch.vgprs = 120;
    prog_add(s->p, "vmv.v.x", 119, X_GROUP);
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, 119, 1);
    prog_add(s->p, "vmv.v.x", 117, X_WARP);
    prog_add(s->p, "vmacc.vv", 117, V_LANE, 119, 1);
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, 117, 1);
    prog_add(s->p, "andi", X_COUNT, X_GROUP, 3);
    scene_delay(s);
}

/* Workgroups of one warp with as many registers as there are, in numbers that are rounded up. */
void play_registers(scene *s) {
    s->p->launch.sgprs = 45;
    s->p->launch.vgprs = 249;
    prog_add(s->p, "vmv.v.x", 248, X_GROUP);
    prog_add(s->p, "addi", 44, X_GROUP, 3);
    prog_add(s->p, "andi", X_COUNT, X_GROUP, 7);
    prog_add(s->p, "slli", X_COUNT, X_COUNT, 2);
    scene_delay(s);
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, 248, 1);
    prog_add(s->p, "add", X_RESULT, X_RESULT, 44);
    prog_add(s->p, "addi", 42, X_GROUP, 1);
    prog_add(s->p, "addi", 43, X_GROUP, 2);
    const row_use *u = row_named(s->table, "sw"); /* Two registers at once */
    int32_t value[KARAT_MAX_OPERAND] = {0};
    value[u->source[1]] = X_BASE;
    value[u->source[2]] = 42;
    value[u->offset] = WORK;
    if (prog_put(s->p, u->row, value, scene_prefix(s, KARAT_PREFIX_DEFAULT, 2), PROG_NONE) == PROG_NONE)
        prog_fail(s->p, "a pair cannot be stored");
}

/* X_LDS = the warp's own words in its half of local memory */
static void set_half(scene *s) {
    prog *p = s->p;
    prog_add(p, "csrrs", X_LDS, CSR_LDS, 0);
    prog_add(p, "andi", X_TEMP, X_WARP, 1);
    prog_add(p, "slli", X_TEMP, X_TEMP, 13);
    prog_add(p, "add", X_LDS, X_LDS, X_TEMP);
    prog_add(p, "slli", X_TEMP, X_WARP, 2);
    prog_add(p, "add", X_LDS, X_LDS, X_TEMP);
}

/* Each page of the warp's half of local memory is 0; then the warp stores there. One workgroup in four uses
 * the first page only. */
void play_local_memory(scene *s) {
    enum { BYTES = 16 * 1024 + 400, PAGES = 8, LOCAL_PAGE = 1024 };
    prog *p = s->p;
    p->launch.lds = BYTES;
    set_half(s);
    prog_add(p, "addi", X_COUNT, 0, 1);
    prog_add(p, "andi", X_TEMP, X_GROUP, 3);
    const int32_t one = prog_add(p, "beq", X_TEMP, 0, 0);
    prog_add(p, "addi", X_COUNT, 0, PAGES);
    scene_here(s, one);
    prog_add(p, "addi", HAZARD_X, X_LDS, 0);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "lw", X_TEMP, 0, HAZARD_X);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
    prog_add(p, "lw", X_TEMP, LOCAL_PAGE - 64, HAZARD_X);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
    prog_add(p, "addi", X_TEMP, X_COUNT, 7);
    prog_add(p, "sw", X_TEMP, 0, HAZARD_X);
    prog_add(p, "sw", X_TEMP, LOCAL_PAGE - 64, HAZARD_X);
    prog_add(p, "addi", HAZARD_X, HAZARD_X, LOCAL_PAGE);
    prog_add(p, "addi", X_COUNT, X_COUNT, -1);
    prog_lead(p, prog_add(p, "bne", X_COUNT, 0, 0), top);
    prog_add(p, "andi", X_TEMP, X_GROUP, 3);
    const int32_t first_only = prog_add(p, "beq", X_TEMP, 0, 0);
    prog_li(p, X_TEMP, PAGES * LOCAL_PAGE); /* These bytes come after the halves */
    prog_add(p, "csrrs", HAZARD_X, CSR_LDS, 0);
    prog_add(p, "add", HAZARD_X, HAZARD_X, X_TEMP);
    prog_add(p, "add", HAZARD_X, HAZARD_X, X_TEMP);
    prog_add(p, "slli", X_TEMP, X_WARP, 2);
    prog_add(p, "add", HAZARD_X, HAZARD_X, X_TEMP);
    prog_add(p, "sw", X_COUNT, 0, HAZARD_X);
    scene_here(s, first_only);
    prog_add(p, "andi", X_COUNT, X_GROUP, 7); /* Meanwhile others begin and end */
    prog_add(p, "slli", X_COUNT, X_COUNT, 3);
    scene_delay(s);
    prog_add(p, "lw", X_TEMP, 0, X_LDS);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
}

/* Short workgroups that take all local memory again and again, and end at all distances from the first
 * accesses of the others to a page; some end without one. */
void play_lds_turnover(scene *s) {
    enum { PAGES = 16, LOCAL_PAGE = 1024 };
    prog *p = s->p;
    p->launch.lds = PAGES * LOCAL_PAGE;
    prog_add(p, "andi", X_COUNT, X_GROUP, 3);
    const int32_t none = prog_add(p, "beq", X_COUNT, 0, 0);
    prog_li(p, X_COUNT, PAGES);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "sw", X_COUNT, 0, X_LDS);
    prog_add(p, "addi", X_LDS, X_LDS, LOCAL_PAGE);
    prog_add(p, "addi", X_COUNT, X_COUNT, -1);
    prog_lead(p, prog_add(p, "bne", X_COUNT, 0, 0), top);
    prog_add(p, "lw", X_TEMP, -LOCAL_PAGE, X_LDS);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
    scene_here(s, none);
    prog_add(p, "andi", X_COUNT, X_GROUP, 15);
    scene_delay(s);
}
