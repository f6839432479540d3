/* CSRs, vl and vtype. */
#include "dir.h"

#include <string.h>

/* --- CSRs --- */

/* Each CSR: reads, and writes with several values. */
static void csrs(dir *d, const row_use *u, uint32_t csr) {
    static const uint32_t registers[] = {0, X_TABLE, X_TABLE + 1, X_TABLE + 2, X_TABLE + 5};
    const bool fixed = csr_is_fixed(csr) || karat_lane_csr_name(csr);
    if (fixed && row_swaps_csr(u))
        return;
    const bool zero =
        csr == CSR_VSTART || csr == CSR_PRINT; /* CSR vstart is always 0; printing needs a host */
    const bool clears = zero && strncmp(u->info->name, "csrrc", 5) == 0; /* It has to leave 0 */
    for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++)
        for (uint32_t k = 0; k < (fixed ? 1u : zero ? 4u : 10u); k++) {
            if (!u->takes_prefix[prefix])
                continue;
            if (!fixed && !zero) /* The row then sets bits, or clears them */
                prog_add(d->p, "csrrwi", 0, (int32_t)csr, (int32_t)(k + 1) % 2);
            insn x = blank(u);
            give(&x, u->csr, csr);
            give_dest(&x, u, prefix != PROG_PLAIN);
            give(&x, u->source[1], registers[k / 2]);
            if (u->wide >= 0) {
                int64_t value = 0;
                if (k && !zero &&
                    !operands_immediate(karat_operand_info(u->info->operands[u->wide]),
                                        prog_prefix_info(d->p, prefix).has_imm, k / 2, &value))
                    continue;
                give(&x, u->wide, clears ? k : value);
            }
            dir_put(d, u, &x, prefix);
        }
    if (csr == CSR_FRM || csr == CSR_FCSR)
        prog_add(d->p, "csrrwi", 0, CSR_FRM, 0); /* A mode that exists */
}

/* A CSR takes each class of value; mscratch keeps all bits. */
static void csr_classes(dir *d, const row_use *u) {
    for (shape s = FULL; s < (operands_vector(u) ? NUM_SHAPE : EMPTY); s++) {
        const region r = shape_enter(d, s);
        for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++)
            for (uint32_t k = 0; u->takes_prefix[prefix] && k < d->classes; k++) {
                insn x = blank(u);
                int64_t value = 0;
                give(&x, u->csr, CSR_MSCRATCH);
                give(&x, u->dest, X_DEST);
                give(&x, u->source[1],
                     (prefix != PROG_PLAIN && !prog_prefix_info(d->p, prefix).has_imm ? X_TABLE_HIGH
                                                                                      : X_TABLE) +
                         k);
                if (u->wide >= 0 && !operands_immediate(karat_operand_info(u->info->operands[u->wide]),
                                                        prog_prefix_info(d->p, prefix).has_imm, k, &value))
                    continue;
                give(&x, u->wide, value);
                dir_put(d, u, &x, prefix);
            }
        shape_leave(d, r);
    }
}

void part_csr(dir *d, const row_use *u) {
    if (!u->dest_x) /* CSRs of lanes are made of the words there, any numbers */
        d->p->launch.knl = PROG_DATA;
    for (uint32_t csr = 0; csr < 4096; csr++)
        if (karat_csr_name(csr) || (!u->dest_x && karat_lane_csr_name(csr)))
            csrs(d, u, csr);
    csr_classes(d, u);
}

/* --- Vector settings --- */

/* Registers x0, and x32, whose low bits are also 0, as destination and as length: x0 alone keeps vl, or asks
 * for the maximum. */
static void config_zero(dir *d, const row_use *u) {
    static const int32_t registers[] = {0, 32, X_DEST};
    enum { NUM = sizeof registers / sizeof *registers };
    for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++)
        for (uint32_t k = 0; u->takes_prefix[prefix] && k < NUM * NUM; k++) {
            if (u->source[1] < 0 && k >= NUM)
                continue; /* Its length is an immediate */
            insn x = blank(u);
            dir_set_length(d, 3);
            prog_li(d->p, 32, 2);
            prog_li(d->p, X_DEST, 1);
            prog_li(d->p, X_TEMP, 0x10);
            give(&x, u->dest, registers[k % NUM]);
            give(&x, u->source[1], registers[k / NUM]);
            give(&x, u->source[2], X_TEMP);
            give(&x, u->vtype, 0x10);
            give(&x, u->avl, 2);
            if (!dir_put_result(d, u, &x, prefix))
                continue; /* The prefix does not extend that register */
            prog_add(d->p, "csrrs", X_SCRATCH, CSR_VL, 0);
            prog_add(d->p, "add", X_SUM, X_SUM, X_SCRATCH);
        }
    dir_set_length(d, 64);
}

/* All vtypes and lengths, under every shape and prefix. */
static void config(dir *d, const row_use *u) {
    static const uint32_t vtypes[] = {0x10, 0x11, 0xd0, 0xd1, 0, 8, 0x18, 0x12, 0x17, 0x100, 1, 9};
    const uint32_t lanes = d->params->num_thread,
                   num = karat_profile_has(d->table->profile, KARAT_FEATURE_WIDTHS)
                             ? 12 /* Settings e8 and e16 with m2 */
                             : 10;
    const uint32_t lengths[] = {
        0, 1, lanes > 2 ? lanes - 1 : 1, lanes, lanes + 1, 2 * lanes - 1, 2 * lanes, 0xffffffff};
    for (shape s = FULL; s < EMPTY; s++) {
        region r = shape_enter(d, s);
        for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++) {
            if (prefix &&
                d->p->num_general > PROG_PREFIX) { /* If all had it, VBRANCH would not reach the end */
                shape_leave(d, r);
                dir_set_length(d, 64);
                r = shape_enter(d, s);
            }
            for (uint32_t k = 0; u->takes_prefix[prefix] && k < 8 * num; k++) {
                const uint32_t length = lengths[k % 8], vtype = vtypes[k / 8];
                insn x = blank(u);
                give_dest(&x, u, prefix != PROG_PLAIN);
                give(&x, u->vtype, vtype);
                give(&x, u->avl, length & (prog_prefix_info(d->p, prefix).has_imm ? 0x7ff : 31));
                if (u->source[1] >= 0) {
                    prog_li(d->p, X_TEMP, length);
                    give(&x, u->source[1], X_TEMP);
                }
                if (u->source[2] >= 0) {
                    prog_li(d->p, X_SCRATCH, vtype);
                    give(&x, u->source[2], X_SCRATCH);
                }
                dir_put(d, u, &x, prefix);
            }
        }
        if (d->p->num_general > PROG_PREFIX) {
            shape_leave(d, r);
            dir_set_length(d, 64);
            r = shape_enter(d, s);
        }
        for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++) /* Each class of value */
            if (u->takes_prefix[prefix])
                operands_put_all(d, u, prefix, s == FULL && prefix == PROG_PLAIN);
        dir_set_length(d, 64);
        shape_leave(d, r);
    }
}

void part_config(dir *d, const row_use *u) {
    config(d, u);
    config_zero(d, u);
}
