#include "scene.h"

#include <stdio.h>
#include <string.h>
#include <stdlib.h>

enum {
    KNL = 2048, /* An empty print buffer in the shared memory */
    PAGE = 4096
};

/* --- Begin and end --- */

void scene_launch(scene *s, uint32_t groups, uint32_t warps) {
    prog *p = s->p;
    p->launch.grid[0] = groups;
    p->launch.warps = s->params->warps ? s->params->warps : warps;
    p->launch.lds = p->launch.warps * REGION + SHARED;
    p->launch.vgprs = 64; /* Eight warps fit then where there are few */
    p->launch.knl = PROG_DATA + KNL;
}

void scene_begin(scene *s) {
    prog *p = s->p;
    prog_add(p, "csrrs", X_WARP, CSR_WID, 0);
    prog_add(p, "csrrs", X_WARPS, CSR_NUMW, 0);
    prog_add(p, "csrrs", X_GROUP, CSR_GDX, 0);
    prog_add(p, "csrrs", X_LDS, CSR_LDS, 0);
    prog_add(p, "mul", X_BASE, X_GROUP, X_WARPS);
    prog_add(p, "add", X_BASE, X_BASE, X_WARP);
    prog_add(p, "slli", X_BASE, X_BASE, 10); /* REGION */
    prog_li(p, X_SHARED, PROG_DATA);
    prog_li(p, X_TEMP, PROG_DATA + SHARED);
    prog_add(p, "add", X_BASE, X_BASE, X_TEMP);
    prog_add(p, "slli", X_TEMP, X_WARP, 10);
    prog_add(p, "add", X_LDS, X_LDS, X_TEMP);
    prog_li(p, X_RESULT, 0);
    hazard_begin(p);
    prog_add(p, "vid.v", V_LANE, 1);
    prog_add(p, "vsll.vi", V_ADDRESS, V_LANE, 2, 1);
    prog_add(p, "vadd.vx", V_ADDRESS, V_ADDRESS, X_BASE, 1);
    prog_add(p, "vadd.vx", V_SUM, V_LANE, X_WARP, 1);
    prog_add(p, "vmv.v.i", V_ZERO, 0);
}

static void end(scene *s) {
    prog *p = s->p;
    prog_add(p, "vsw12.v", V_SUM, 0, V_ADDRESS);
    prog_add(p, "sw", X_RESULT, 128, X_BASE);
    prog_add(p, "endprg");
}

uint32_t scene_data_size(const scene *s) {
    const uint32_t size = SHARED + s->p->launch.grid[0] * s->p->launch.warps * REGION + s->more;
    return (size + PAGE - 1) / PAGE * PAGE;
}

uint32_t scene_threads(const scene *s) {
    return s->params->num_thread;
}

hazards scene_hazards(const scene *s) {
    return (hazards){s->table, s->p, s->params->threads ? s->params->threads : s->params->num_thread};
}

void scene_clear_registers(scene *s) {
    for (int32_t i = 0; i < 8; i++) {
        prog_add(s->p, "addi", HAZARD_X + i, X_WARP, i);
        prog_add(s->p, "vadd.vi", HAZARD_V + i, V_LANE, i, 1);
    }
}

void scene_fold_registers(scene *s) {
    for (int32_t i = 0; i < 8; i++) {
        prog_add(s->p, "xor", X_RESULT, X_RESULT, HAZARD_X + i);
        prog_add(s->p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + i, 1);
    }
}

bool scene_finish(scene *s) {
    prog *p = s->p;
    end(s);
    if (!p->launch.threads)
        p->launch.threads = s->params->threads;
    p->data_size = scene_data_size(s);
    if (!(p->data = calloc(1, p->data_size)))
        prog_fail(p, "out of memory");
    for (uint32_t i = SHARED; !p->failed && i < p->data_size; i++)
        p->data[i] = (uint8_t)(i * 167 >> 3);
    const int32_t back[KARAT_MAX_OPERAND] = {0, 0, X_RPC}; /* A jalr x0, 0(X_RPC) for play_memory_end() */
    uint32_t word;
    if (!p->failed && karat_encode(ROW_jalr, back, &word))
        for (uint32_t i = 0; i < 4; i++)
            p->data[p->data_size - 4 + i] = (uint8_t)(word >> 8 * i);
    return !p->failed;
}

/* --- Instructions --- */

int32_t scene_set_rpc(scene *s) {
    const int32_t place = prog_la(s->p, X_RPC);
    prog_add(s->p, "setrpc", 0, X_RPC, 0);
    return place;
}

void scene_here(scene *s, int32_t insn) {
    prog_lead(s->p, insn, (int32_t)s->p->num);
}

int32_t scene_part_with(scene *s, uint32_t lane) {
    prog_li(s->p, X_TEMP, lane);
    prog_add(s->p, "vmv.v.x", V_OTHER, X_TEMP);
    return prog_add(s->p, "vbeq", V_LANE, V_OTHER, 0);
}

void scene_add(scene *s, int32_t amount) {
    prog_add(s->p, "vadd.vi", V_SUM, V_SUM, amount, 1);
}

void scene_delay(scene *s) {
    const int32_t top = (int32_t)s->p->num, done = prog_add(s->p, "beq", X_COUNT, 0, 0);
    prog_add(s->p, "addi", X_COUNT, X_COUNT, -1);
    prog_add(s->p, "addi", X_RESULT, X_RESULT, 1);
    prog_lead(s->p, prog_add(s->p, "jal", 0, 0), top);
    scene_here(s, done);
}

prog_prefix scene_prefix(const scene *s, karat_prefix_space space, uint32_t words) {
    if (!karat_profile_has(s->p->profile, KARAT_FEATURE_PREFIX))
        return words > 1 ? PROG_REGPAIR : PROG_PLAIN;
    prog_prefix prefix = PROG_PRE_M;
    while (prog_prefix_info(s->p, prefix).space != space || prog_prefix_info(s->p, prefix).words != words)
        prefix++;
    return prefix;
}

void scene_put_access(scene *s, const char *name, int32_t reg, int32_t offset, uint32_t words) {
    char public[16];
    const row_use *u = row_named(s->table, name);
    const bool is_private = !u; /* There is a prefix instead of such rows */
    if (is_private) {
        snprintf(public, sizeof public, "%.*s12.v", (int)strcspn(name, "."), name);
        u = row_named(s->table, public);
    }
    const prog_prefix prefix =
        scene_prefix(s, is_private ? KARAT_PREFIX_PRIVATE : KARAT_PREFIX_DEFAULT, words);
    const prog_fields fields = {.pair = words > 1 && karat_profile_has(s->p->profile, KARAT_FEATURE_PREFIX)};
    int32_t value[KARAT_MAX_OPERAND] = {0};
    value[u->source[1]] = V_PLACE;
    value[u->stores ? u->source[u->source[3] >= 0 ? 3 : 2] : u->dest] = reg;
    value[u->offset] = offset;
    if (prog_put_with(s->p, u->row, value, prefix, fields, PROG_NONE) == PROG_NONE)
        prog_fail(s->p, "%s cannot have that prefix", name);
}
