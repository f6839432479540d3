/* Divergence, jumps, barriers and fences. */
#include "dir.h"

#include <string.h>

/* VBRANCH with each class of value, of all threads and of some; JOIN with and without an entry for it. */
static void vbranches(dir *d, const row_use *u) {
    for (shape s = FULL; s < EMPTY; s++)
        for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++) {
            if (!u->takes_prefix[prefix])
                continue;
            const region r = shape_enter(d, s);
            const uint32_t n = d->classes, lanes = d->params->num_thread < n ? d->params->num_thread : n;
            const bool pairs = s == FULL && prefix == PROG_PLAIN;
            for (uint32_t i = 0; i < n; i += pairs ? lanes : n)
                for (uint32_t k = 0; k < n; k++) {
                    const bool imm = prog_prefix_info(d->p, prefix).has_imm,
                               upper = prefix != PROG_PLAIN && !imm;
                    insn x = blank(u);
                    give(&x, u->source[1], (upper ? V_TABLE_HIGH : V_TABLE) + (pairs ? i : (3 * k + 1) % n));
                    give(&x, u->source[2], (upper || imm ? V_TABLE_HIGH : V_TABLE) + (i + k) % n);
                    const int32_t place = prog_la(d->p, X_RPC);
                    prog_add(d->p, "setrpc", 0, X_RPC, 0);
                    if (dir_put(d, u, &x, prefix))
                        prog_lead(d->p, (int32_t)d->p->num - 1, (int32_t)d->p->num + 1);
                    prog_add(d->p, "addi", X_SCRATCH, 0, 1);
                    prog_lead(d->p, place, (int32_t)d->p->num);
                    prog_add(d->p, "join");
                }
            shape_leave(d, r);
        }
}

/* Jumps, and instructions without data operands, under every shape. */
static void plain_control(dir *d, const row_use *u) {
    const bool ends = u->info->owes & (KARAT_OWES_EXIT | KARAT_OWES_BARRIER);
    if (u->info->owes & KARAT_OWES_EXIT)
        return; /* Each program ends with it */
    for (shape s = FULL; s < (ends ? SINGLE : EMPTY); s++)
        for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++)
            for (uint32_t k = 0; u->takes_prefix[prefix] && k < 2; k++) {
                const region r = shape_enter(d, s);
                insn x = blank(u);
                int8_t imm;
                const int32_t high = prefix != PROG_PLAIN;
                give(&x, u->dest, high ? X_DEST_HIGH : X_DEST);
                if (strcmp(u->info->name, "jalr") == 0) {
                    const int32_t place =
                        prog_la(d->p, high && !prog_prefix_info(d->p, prefix).has_imm ? X_DEST_HIGH : X_TEMP);
                    give(&x, u->source[1],
                         high && !prog_prefix_info(d->p, prefix).has_imm ? X_DEST_HIGH : X_TEMP);
                    dir_put(d, u, &x, prefix);
                    prog_lead(d->p, place, (int32_t)d->p->num);
                } else if (u->target >= 0) {
                    if (dir_put(d, u, &x, prefix))
                        prog_lead(d->p, (int32_t)d->p->num - 1, (int32_t)d->p->num);
                } else if (operands_source(u, 2, &imm))
                    operands_put_all(d, u, prefix, k == 0);
                else
                    dir_put(d, u, &x, prefix);
                shape_leave(d, r);
            }
}

void part_control(dir *d, const row_use *u) {
    (u->info->unit == KARAT_UNIT_SIMT && u->source[2] >= 0 ? vbranches : plain_control)(d, u);
}
