/* Rounding modes and flags. */
#include "dir.h"

/* 1.0, the integer 1, or 0 in each source and each lane: mostly no flag at all. */
static void ones(dir *d, const row_use *u) {
    static const uint32_t one[] = {
        0x3f800000, [KARAT_HALVES_F16] = 0x3c003c00, [KARAT_HALVES_BF16] = 0x3f803f80};
    const uint32_t values[] = {one[tables_halves(d, u)], 1, 0};
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
        prog_li(d->p, X_TABLE, values[i]);
        prog_add(d->p, "vmv.v.x", V_TABLE, X_TABLE);
        prog_add(d->p, "vmv.v.x", V_DEST, X_TABLE);
        insn x = blank(u);
        for (unsigned s = 1; s <= 3; s++)
            give(&x, u->source[s], u->source_v[s] ? V_TABLE : X_TABLE);
        give_dest(&x, u, false);
        give(&x, u->rm, 7);
        dir_put_result(d, u, &x, PROG_PLAIN);
    }
}

void part_rounding(dir *d, const row_use *u) {
    if (u->matrix) {
        matrix_rounding(d, u);
        return;
    }
    for (int32_t mode = 0; mode < 5; mode++) {
        prog_add(d->p, "csrrwi", 0, CSR_FRM, mode);
        ones(d, u);
        dir_add_flags(d, u);
        for (uint32_t variant = 0; variant < tables_sets(d, u); variant++) {
            tables_load(d, u, variant);
            if (u->rm < 0) {
                operands_put_all(d, u, PROG_PLAIN, true);
                continue;
            }
            const uint32_t from = d->p->num;
            operands_put_all(d, u, PROG_PLAIN, true);
            for (uint32_t i = from; i < d->p->num; i++) /* The instruction's own mode, or frm */
                if ((d->p->insn[i].word & u->info->mask) == u->info->match)
                    d->p->insn[i].word = (d->p->insn[i].word & ~0x7000u) | (uint32_t)(i % 3 ? mode : 7) << 12;
        }
    }
    prog_add(d->p, "csrrwi", 0, CSR_FRM, 0);
}

/* Each pair of values in one element alone, the first or one in the middle, and the flags that it raises. A
 * third source has several values with each pair. */
void part_raised(dir *d, const row_use *u) {
    enum { THIRDS = 3 };
    static const uint32_t tables[] = {0, VARIANTS, VARIANTS + 1, VARIANTS + 2};
    int8_t imm;
    for (uint32_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        tables_load(d, u, tables[t]);
        d->masked = operands_maskable(u) && t % 2 == 0;
        if (d->masked)
            shape_mask(d, SINGLE);
        else
            dir_set_length(d, 1);
        for (uint32_t i = 0; i < FP_CLASSES; i++)
            for (uint32_t k = 0; k < (operands_source(u, 2, &imm) ? FP_CLASSES : 1); k++)
                for (uint32_t third = 0; third < (operands_source(u, 3, &imm) ? THIRDS : 1); third++) {
                    const uint32_t class[4] = {0, i, k, i + k + 4 * third};
                    operands_put(d, u, PROG_PLAIN, class);
                    dir_add_flags(d, u);
                }
        d->masked = false;
        dir_set_length(d, 64);
        shape_mask(d, ALTERNATING);
    }
}
