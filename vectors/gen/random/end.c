#include "gen.h"

/* vfold = vfold op reg */
static void fold_vector(gen *g, const row_use *u, uint32_t reg) {
    insn_vector(g, u, g->vfold, g->vfold, reg);
}

void end_fold_some(gen *g) {
    const uint32_t x[] = {g->last_x, g->x_hot[draw_below(g, HOT_X)]},
                   v[] = {g->last_v, g->v_hot[draw_below(g, HOT_V)]};
    for (uint32_t i = 0; i < 2; i++) {
        emit_3(g, ROW(g, add), g->fold, g->fold, (int32_t)x[i]);
        if (g->lmul == 1)
            fold_vector(g, ROW(g, vadd_vv), v[i]);
    }
}

void end_signature(gen *g) {
    vset_lmul(g, 1, true);
    for (uint32_t i = 0; i < g->num_pool_v; i++)
        fold_vector(g, ROW(g, vxor_vv), g->v[i]);
    insn_vid(g, g->vcounter[0]);
    insn_addresses(g, g->vbase[GLOBAL][0], g->vcounter[0], g->base[GLOBAL], 1);
    insn_vsw12(g, g->vfold, g->vbase[GLOBAL][0], -2048);
    for (uint32_t i = 0; i < g->num_pool_x; i++)
        emit_3(g, ROW(g, xor), g->fold, g->fold, (int32_t)g->x[i]);
    insn_sw(g, g->fold, g->base[GLOBAL], -2048 + 4 * 32);
}

/* Stores to local memory that wait for loads: the next workgroup there must find 0. */
static void late_stores(gen *g) {
    for (uint32_t n = draw_below(g, 4); n--;)
        memory_scalar(g, ROW(g, lw), false, GLOBAL, none());
    for (uint32_t n = 1 + draw_below(g, 3); n--;)
        if (draw_chance(g, 50))
            memory_scalar(g, ROW(g, sw), false, LDS, none());
        else {
            values v = none();
            give_1(&v, ROW(g, vsw12_v), g->vbase[LDS][draw_below(g, 2)]);
            give(&v, ROW(g, vsw12_v)->offset, draw_offset(g, -256, 248, 4));
            emit(g, ROW(g, vsw12_v), false, v);
        }
}

void end_warp(gen *g) {
    static const uint8_t slow[] = {KARAT_UNIT_DIV, KARAT_UNIT_FDIV, KARAT_UNIT_SFU, KARAT_UNIT_FP};
    const context c = {.arms = 3, .loops = 2, .calls = 2};
    block_fill(g, draw_below(g, 4), c);
    if (draw_chance(g, 40))
        late_stores(g);
    if (draw_chance(g, 30))
        insn_sw(g, g->fold, g->base[GLOBAL], 4 * draw_between(g, 0, 511));
    const uint32_t unit = slow[draw_below(g, sizeof slow)];
    const row_use *late = draw_row_of(g, unit);
    if (draw_chance(g, 50) && g->plain_weight[unit] && !row_is_splat(late))
        emit_any(g, late);
    if (draw_chance(g, 50))
        insn_csr_set(g, CSR_FRM, draw_between(g, 0, 4));
    if (draw_chance(g, 50)) {
        const uint32_t vtype = draw_chance(g, 50) ? 0x10 : 0x300;
        vset_put(g, draw_row_of(g, KARAT_UNIT_CONFIG), vtype, false);
    }
    if (g->endprg == PROG_NONE)
        emit_any(g, ROW(g, endprg));
    else
        prog_lead(g->p, insn_jal(g, 0), g->endprg);
}
