/* Branches, jumps, calls and loops with scalar conditions; divergence by VBRANCH, JOIN and SETRPC. */
#include "gen.h"

#include <stdlib.h>

/* --- Branches --- */

bool flow_keeps(gen *g, const context *c) {
    return c->vset && draw_chance(g, 30);
}

/* A branch over a few instructions. */
void kind_skip(gen *g, const context *c) {
    const uint32_t lmul = g->lmul;
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_BRANCH);
    while (u->source[2] < 0);
    context in = block_inner(g, c);
    in.vset = flow_keeps(g, c);
    in.loops = 2;
    const int32_t around =
        wide_is_known(g) && draw_chance(g, 60) ? wide_branch(g, u) : emit_branch(g, u, none());
    block_fill(g, 1 + draw_below(g, 6), in);
    emit_lead_here(g, around);
    if (in.vset)
        vset_lmul(g, lmul, draw_chance(g, 50));
}

/* The code of one way of kind_part(): instructions of the unit, or others. */
static void put_way(gen *g, bool fp, bool saturating, uint32_t unit, context in) {
    switch (saturating ? 2 : draw_below(g, 5)) {
    case 0:
    case 1: probe_stream(g, fp); break;
    case 2:
    case 3: probe_repeat(g, unit, fp ? THEME_DIGITS : THEME_CORNERS); break;
    default: block_fill(g, 1 + draw_below(g, 8), in); break;
    }
}

/* Some of the warps, by their number, go one way and the others another way, at the same time where they may
 * meet. */
void kind_part(gen *g, const context *c) {
    static const int32_t masks[] = {1, 1, 2, 3};
    if (c->uniform && draw_chance(g, 70))
        insn_barrier(g);
    context in = block_inner(g, c);
    in.vset = false;
    in.loops = 2;
    const bool fp = draw_chance(g, 50);
    insn_csr_read(g, g->address, CSR_WID);
    emit_3(g, ROW(g, andi), g->address, g->address, masks[draw_below(g, 4)]);
    const int32_t other = insn_branch_zero(g, ROW(g, beq), g->address);
    const uint32_t swapped = draw_below(g, 2);
    const bool saturating =
        !fp && draw_chance(g, 60) && g->plain_weight[KARAT_UNIT_ALU] && g->plain_weight[KARAT_UNIT_MUL];
    const uint32_t units[] = {fp ? KARAT_UNIT_FP : KARAT_UNIT_ALU, fp ? KARAT_UNIT_SFU : KARAT_UNIT_MUL};
    int32_t out = PROG_NONE;
    for (uint32_t way = 0; way < 2; way++) {
        if (draw_chance(g, 60))
            probe_mode(g, fp);
        if (saturating && way != swapped)
            probe_saturate(g, KARAT_UNIT_MUL);
        else
            put_way(g, fp, saturating, units[way ^ swapped], in);
        if (way == 0) {
            out = insn_jal(g, 0);
            emit_lead_here(g, other);
        }
    }
    emit_lead_here(g, out);
}

/* --- Jumps --- */

/* Words that never run. Some are so many that the next instruction has the same place in a cache as the jump,
 * or the next one. */
static void dead_words(gen *g, const context *c) {
    static const uint32_t words[] = {64, 256, 1024, 1024};
    const bool far = !c->arms && !c->loops && !c->calls && draw_chance(g, 40);
    uint32_t n = far ? words[draw_below(g, 4)] : draw_below(g, 4);
    n -= far ? draw_below(g, 6) : 0;
    for (g->dead += n; n--;)
        prog_word(g->p, far ? 0 : draw_bits(g, 32));
}

/* JAL or JALR over words that never run. */
void kind_jump(gen *g, const context *c) {
    if (draw_chance(g, 50)) {
        const int32_t around = insn_jal(g, reg_scalar(g, false));
        dead_words(g, c);
        emit_lead_here(g, around);
        return;
    }
    const int32_t place = prog_la(g->p, g->address);
    insn_jalr(g, reg_scalar(g, false), g->address);
    dead_words(g, c);
    emit_lead_here(g, place);
}

/* The target is the instruction after some words that never run; JALR clears bit 0 of it. */
void kind_odd_jump(gen *g, const context *c) {
    const int32_t place = prog_la(g->p, g->address), part = draw_chance(g, 50);
    emit_3(g, ROW(g, addi), g->address, g->address, part);
    insn_put(g, ROW(g, jalr), reg_scalar(g, false), g->address, 0, !part);
    dead_words(g, c);
    emit_lead_here(g, place);
}

/* --- Calls --- */

/* Call an earlier function; false: none is right for this place. */
static bool call_again(gen *g, const context *c) {
    if (!g->num_functions || c->calls)
        return false;
    const struct function f = g->functions[draw_below(g, g->num_functions)];
    if (f.lmul != g->lmul || f.arms < c->arms)
        return false;
    prog_lead(g->p, insn_far_jump(g, g->link[0]), f.at);
    return true;
}

/* A function, next to the way and called once or twice; or an earlier one. */
void kind_call(gen *g, const context *c) {
    if (c->calls == 2 || (draw_chance(g, 50) && call_again(g, c)))
        return;
    const uint32_t link = g->link[c->calls], lmul = g->lmul;
    const int32_t around = insn_jal(g, 0), function = (int32_t)g->p->num;
    context in = *c;
    in.calls++;
    in.vset = false;
    in.uniform = false;
    in.loops = 2;
    block_fill(g, 1 + draw_below(g, 8), in);
    insn_jalr(g, 0, link);
    g->lmul = lmul;
    if (in.calls == 1 && c->stores && g->num_functions < MOST_FUNCTIONS)
        g->functions[g->num_functions++] = (struct function){function, lmul, c->arms};
    emit_lead_here(g, around);
    for (uint32_t n = 1 + draw_below(g, 2); n--;)
        prog_lead(g->p, insn_jal(g, link), function);
}

void flow_make_edge(gen *g) {
    prog *const p = g->p;
    prog edge;
    uint32_t num = 0;
    prog_init(&edge, p->profile);
    g->p = &edge;
    for (uint32_t n = draw_below(g, 6); n--;) {
        const row_use *u = draw_row_of(g, KARAT_UNIT_ALU);
        if (!u->own) /* Callers may have any vtype */
            emit_any(g, u);
    }
    insn_jalr(g, 0, g->link[0]);
    g->p = p;
    uint32_t *const words = prog_link(&edge, &num);
    if (!words)
        prog_fail(p, "%s", edge.why);
    for (uint32_t i = 0; i < num && words; i++)
        for (uint32_t k = 0; k < 4; k++)
            p->data[p->data_size - 4 * (num - i) + k] = (uint8_t)(words[i] >> 8 * k);
    g->edge = PROG_DATA + p->data_size - 4 * num;
    free(words);
    prog_free(&edge);
}

/* A call of the function at the end of memory, by all warps at once where they may meet. */
void kind_edge(gen *g, const context *c) {
    prog_li(g->p, g->address, g->edge);
    if (c->uniform && draw_chance(g, 70))
        insn_barrier(g);
    insn_jalr(g, g->link[0], g->address);
}

/* --- Loops --- */

/* A bounded loop with a scalar counter. */
void kind_loop(gen *g, const context *c) {
    enum { REACH = 400 }; /* Instructions that a branch back leads over, at most */
    const uint32_t counter = g->counter[c->loops], lmul = g->lmul;
    emit_3(g, ROW(g, addi), counter, 0, draw_between(g, 1, c->loops ? 5 : 8));
    const int32_t top = (int32_t)g->p->num;
    context in = *c;
    in.vset = c->vset && draw_chance(g, 50);
    in.loops++;
    if (in.vset)
        vset_lmul(g, lmul, draw_chance(g, 50));
    block_fill(g, 3 + draw_below(g, 12), in);
    emit_3(g, ROW(g, addi), counter, counter, -1);
    const bool is_near = g->p->num - (uint32_t)top < REACH;
    const int32_t out = insn_branch_zero(g, is_near ? ROW(g, bne) : ROW(g, beq), counter);
    if (is_near) {
        prog_lead(g->p, out, top);
        return;
    }
    prog_lead(g->p, insn_jal(g, 0), top);
    emit_lead_here(g, out);
}

/* --- Workgroups that end early --- */

/* A branch of some workgroups; BNE: those whose number has one of the mask's bits set. */
static int32_t branch_by_group(gen *g, const row_use *u, int32_t mask) {
    insn_csr_read(g, g->address, CSR_GDX);
    emit_3(g, ROW(g, andi), g->address, g->address, mask);
    return insn_branch_zero(g, u, g->address);
}

int32_t flow_leave_at_once(gen *g) {
    static const int32_t masks[] = {1, 3, 7, 7};
    if (draw_chance(g, 70)) {
        const int32_t late = branch_by_group(g, draw_chance(g, 50) ? ROW(g, beq) : ROW(g, bne), 1);
        for (uint32_t n = 1 + draw_below(g, 6); n--;)
            emit_3(g, ROW(g, addi), g->address, g->address, 1);
        emit_lead_here(g, late);
    }
    return branch_by_group(g, ROW(g, beq), masks[draw_below(g, 4)]);
}

/* Some workgroups go to the end. */
void kind_leave(gen *g, const context *c) {
    (void)c;
    static const int32_t masks[] = {1, 3, 3, 7};
    const int32_t stay = branch_by_group(g, ROW(g, bne), masks[draw_below(g, 4)]);
    g->leave[g->num_leave++] = insn_far_jump(g, 0);
    emit_lead_here(g, stay);
}

/* --- Divergence --- */

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

/* A SETRPC that no divergence uses. */
void kind_setrpc(gen *g, const context *c) {
    (void)c;
    emit_any(g, ROW(g, setrpc));
}

/* JOINs where nothing reconverges. Of four consecutive ones, one has the same place in a cache line as the
 * next place where threads meet. */
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
        vset_lmul(g, lmul, draw_chance(g, 50)); /* The other path may have run before */
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
