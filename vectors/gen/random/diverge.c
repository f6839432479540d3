/* Divergence: VBRANCH, JOIN, SETRPC. */
#include "block.h"
#include "draw.h"
#include "flow.h"
#include "insn.h"
#include "registers.h"
#include "vset.h"
#include "wide.h"

/* --- Parts --- */

/* Two vector registers to compare: often some lanes differ and others do not. */
static values condition(gen *g, const row_use *u) {
    values v = none();
    if (g->lmul != 1 || draw_chance(g, 40))
        return v;
    const uint32_t reg = reg_vector(g, false, false), source = reg_vector(g, false, false);
    insn_vector_i(g, g->row.vand_vi, reg, source, draw_chance(g, 67) ? 1 : 3);
    give_2(&v, u, reg);
    give_1(&v, u, g->zero);
    return v;
}

/* Set CSR_RPC to a later place: prog_lead() of the returned instruction names it. */
static int32_t reconverge(gen *g) {
    const int32_t place = prog_la(g->p, g->rpc);
    values v = none();
    if (draw_chance(g, 20)) {
        give_rd(&v, g->row.csrrw, 0);
        give(&v, g->row.csrrw->csr, CSR_RPC);
        give_1(&v, g->row.csrrw, g->rpc);
        emit(g, g->row.csrrw, false, v);
        return place;
    }
    give_rd(&v, g->row.setrpc, draw_chance(g, 20) ? g->rpc : 0);
    give_1(&v, g->row.setrpc, g->rpc);
    give_immediate(&v, g->row.setrpc, 0);
    emit(g, g->row.setrpc, false, v);
    return place;
}

static const row_use *any_vbranch(gen *g) {
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_SIMT);
    while (u->source[2] < 0);
    return u;
}

/* The threads meet here. */
static void put_join(gen *g, int32_t place) {
    emit_lead_here(g, place);
    emit_bare(g, g->row.join, none());
}

/* --- Kinds --- */

/* A SETRPC that no divergence uses. */
void kind_setrpc(gen *g, const context *c) {
    (void)c;
    emit_any(g, g->row.setrpc);
}

/* JOINs where nothing reconverges. Of four consecutive ones, one has the same place in a cache line as the next place where threads
 * meet. */
void kind_join(gen *g, const context *c) {
    (void)c;
    for (uint32_t n = draw_chance(g, 60) ? 4 : 1 + draw_below(g, 3); n--;)
        emit_bare(g, g->row.join, none());
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
    put_join(g, place);
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
    insn_vector_i(g, g->row.vand_vi, counter, source, trips[draw_below(g, 3)]);
    const int32_t top = (int32_t)g->p->num, place = reconverge(g);
    values v = none();
    give_2(&v, g->row.vbeq, counter);
    give_1(&v, g->row.vbeq, g->zero);
    const int32_t done = emit_branch(g, g->row.vbeq, v);
    context in = block_inner(g, c);
    in.vset = false;
    in.loops = 2;
    block_fill(g, draw_below(g, 6), in);
    insn_vector_i(g, g->row.vadd_vi, counter, counter, -1);
    prog_lead(g->p, insn_jal(g, 0), top);
    emit_lead_here(g, done);
    put_join(g, place);
}
