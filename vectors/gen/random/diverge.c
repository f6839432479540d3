/* Divergence: VBRANCH, JOIN, SETRPC. */
#include "gen.h"

/* --- Parts --- */

/* Two vector registers to compare: often some lanes differ and others do not. */
static values condition(gen *g, const row_use *u) {
    values v = none();
    if (g->lmul != 1 || draw_chance(g, 40))
        return v;
    const uint32_t reg = reg_vector(g, false, false), source = reg_vector(g, false, false);
    insn_vector_i(g, ROW(g, vand_vi), reg, source, draw_chance(g, 67) ? 1 : 3);
    give_2(&v, u, reg);
    give_1(&v, u, g->zero);
    return v;
}

/* Set CSR_RPC to a later place: prog_lead() of the returned instruction names it. */
static int32_t reconverge(gen *g) {
    const int32_t place = prog_la(g->p, g->rpc);
    if (draw_chance(g, 20))
        insn_put(g, ROW(g, csrrw), 0, g->rpc, 0, CSR_RPC);
    else
        insn_put(g, ROW(g, setrpc), draw_chance(g, 20) ? g->rpc : 0, g->rpc, 0, 0);
    return place;
}

static const row_use *any_vbranch(gen *g) {
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_SIMT);
    while (u->source[2] < 0);
    return u;
}

/* JOIN without a prefix: others lead there. */
static void put_join(gen *g) {
    const values v = none();
    emit_as(g, ROW(g, join), &v, PROG_PLAIN, (prog_fields){0}, PROG_NONE);
}

/* The threads meet here. */
static void meet(gen *g, int32_t place) {
    emit_lead_here(g, place);
    put_join(g);
}

/* --- Kinds --- */

/* A SETRPC that no divergence uses. */
void kind_setrpc(gen *g, const context *c) {
    (void)c;
    emit_any(g, ROW(g, setrpc));
}

/* JOINs where nothing reconverges. Of four consecutive ones, one has the same place in a cache line as the next place where threads
 * meet. */
void kind_join(gen *g, const context *c) {
    (void)c;
    for (uint32_t n = draw_chance(g, 60) ? 4 : 1 + draw_below(g, 3); n--;)
        put_join(g);
}

/* VBRANCH, one path or two, JOIN. */
void kind_diamond(gen *g, const context *c) {
    static const uint32_t sizes[] = {10, 6, 4, 3, 2};
    const uint32_t lmul = g->lmul, size = sizes[c->arms < 4 ? c->arms : 4];
    const row_use *u = any_vbranch(g);
    context in = block_inner(g, c);
    in.vset = flow_keeps(g, c);
    const values condition_values = condition(g, u);
    const int32_t place = reconverge(g), other = !condition_values.set && wide_is_known(g)
                                                     ? wide_branch(g, u)
                                                     : emit_branch(g, u, condition_values);
    if (in.vset)
        vset_lmul(g, lmul, draw_chance(g, 50)); /* the other path may have run before */
    if (draw_chance(g, 20))
        kind_join(g, c);
    block_fill(g, draw_below(g, size + 1), in);
    if (draw_chance(g, 75)) {
        const int32_t to_join = insn_jal(g, 0);
        emit_lead_here(g, other);
        if (in.vset)
            vset_lmul(g, lmul, draw_chance(g, 50));
        block_fill(g, draw_below(g, size + 1), in);
        emit_lead_here(g, to_join);
    } else
        emit_lead_here(g, other);
    meet(g, place);
    if (in.vset)
        vset_lmul(g, lmul, draw_chance(g, 50));
}

/* A loop whose trips differ by thread. */
void kind_diverge_loop(gen *g, const context *c) {
    if (c->arms > 1)
        return;
    static const int32_t trips[] = {1, 3, 7};
    const uint32_t counter = g->vcounter[c->arms];
    vset_lmul(g, 1, true); /* VBRANCH ignores vl: every thread has to count */
    const uint32_t source = reg_vector(g, false, false);
    insn_vector_i(g, ROW(g, vand_vi), counter, source, trips[draw_below(g, 3)]);
    const int32_t top = (int32_t)g->p->num, place = reconverge(g);
    const int32_t done = insn_put(g, ROW(g, vbeq), 0, g->zero, counter, 0);
    context in = block_inner(g, c);
    in.vset = false;
    in.loops = 2;
    block_fill(g, draw_below(g, 6), in);
    insn_vector_i(g, ROW(g, vadd_vi), counter, counter, -1);
    prog_lead(g->p, insn_jal(g, 0), top);
    emit_lead_here(g, done);
    meet(g, place);
}
