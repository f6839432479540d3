/* Matrix products, in all lanes of the warp, on groups of registers of the pool: other instructions write the
 * operands and read the results. */
#include "gen.h"

bool matrix_is_usable(const gen *g) {
    return g->table->matrices.num && g->params->unit[KARAT_UNIT_TENSOR] && !g->params->partial &&
           !g->threads && g->params->num_thread >= KARAT_MATRIX_THREADS;
}

/* Let the matrix have finite numbers below 2 alone, in each format: a NaN or infinity reaches a row or a
 * column of the result. mask: the register that has 0xbfffbfff, without the highest bit of the exponents. */
static void tame(gen *g, uint32_t first, uint32_t num, uint32_t mask) {
    for (uint32_t i = 0; i < num; i++)
        insn_vector(g, ROW(g, vand_vx), first + i, first + i, mask);
}

/* A product, often one whose C is the result before: then *last is that row, and the registers stay. */
static void put(gen *g, const row_use **last, uint32_t *result) {
    const row_use *u = *last;
    values v = none();
    if (!u || !draw_chance(g, 40)) {
        *last = u = draw_row(g, g->table->matrices);
        *result = reg_run(g, u->registers[0]);
    }
    const uint32_t a = reg_run(g, u->registers[1]),
                   b = draw_chance(g, 10) && u->registers[1] == u->registers[2] ? a
                                                                                : reg_run(g, u->registers[2]);
    if (draw_chance(g, 70)) {
        const uint32_t mask = g->stride;
        prog_li(g->p, mask, 0xbfffbfff);
        tame(g, a, u->registers[1], mask);
        tame(g, b, u->registers[2], mask);
        if (draw_chance(g, 60))
            tame(g, *result, u->registers[0], mask);
    }
    give_1(&v, u, a);
    give_2(&v, u, b);
    give_rd(&v, u, *result);
    emit(g, u, false, v);
    g->last_v = *result + draw_below(g, u->registers[0]); /* Any of them may be the one that is read next */
}

/* Other instructions stand between them; none of these changes vl or vtype. */
void kind_matrix(gen *g, const context *c) {
    const row_use *last = NULL;
    uint32_t result = 0;
    vset_lmul(g, 1, true);
    for (uint32_t n = 1 + draw_below(g, 4); n--;) {
        put(g, &last, &result);
        for (uint32_t more = draw_chance(g, 60) ? draw_below(g, 4) : 0; more--;)
            if (g->plain_sum)
                kind_plain(g, c);
    }
}
