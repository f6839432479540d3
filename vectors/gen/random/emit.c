/* An instruction of any row with drawn operands, and the instructions that the structure of a program
 * needs. */
#include "gen.h"

/* --- Operands --- */

static int32_t immediate(gen *g, const karat_operand_kind *kind, uint32_t width) {
    const uint32_t all = width < 32 ? (1u << width) - 1 : UINT32_MAX;
    const uint32_t choice = draw_below(g, 6);
    const uint32_t raw = choice == 0   ? 0
                         : choice == 1 ? 1
                         : choice == 2 ? all
                         : choice == 3 ? 1u << (width - 1)
                                       : draw_bits(g, width);
    return kind->is_signed ? (int32_t)(raw << (32 - width)) >> (32 - width) : (int32_t)raw;
}

/* A random value of an operand that the caller does not give. */
static int32_t any_value(gen *g, const row_use *u, uint32_t operand, bool pair) {
    const karat_operand_kind *kind = karat_operand_info(u->info->operands[operand]);
    if (kind->is_reg && kind->role != KARAT_ROLE_IGNORED)
        return (int32_t)(kind->cls == KARAT_CLASS_X ? reg_scalar(g, pair)
                                                    : reg_vector(g, u->grouped && g->lmul == 2, pair));
    if (kind->role == KARAT_ROLE_VM)
        return kind->bits ? draw_chance(g, 65) : 0;
    if ((int8_t)operand == u->rm) {
        const int32_t mode = draw_between(g, 0, 5);
        return mode == 5 ? 7 : mode;
    }
    return kind->bits ? immediate(g, kind, kind->bits) : 0;
}

/* --- Instructions --- */

/* Register vd is also the third operand: x3 is ignored, and may name another register of the pool, preferably
 * one whose result is still under way. */
static int32_t draw_third(gen *g, uint32_t vd) {
    uint32_t same[KARAT_NUM_V / 32];
    const uint32_t num = reg_same_low(g, vd, same);
    uint32_t third = num && draw_chance(g, 60) ? same[draw_below(g, num)] : vd & 31;
    for (uint32_t i = 0; i < num; i++)
        if (same[i] == g->last_v && draw_chance(g, 40))
            third = same[i];
    return (int32_t)third;
}

/* Of v2.03, PREFIX and PREFIXI say the same as REGEXT and REGEXTI, and more. */
static prog_prefix draw_same(gen *g, const row_use *u, prog_prefix prefix) {
    const prog_prefix same = prefix + PROG_PREFIX - PROG_REGEXT;
    return wide_is_known(g) && u->takes_prefix[same] && draw_chance(g, 35) ? same : prefix;
}

/* With wants a register number needs an extension; narrow: the two registers that REGEXTI and REGPAIRI cannot
 * extend need none; wide: an immediate may become wider. */
static prog_prefix draw_prefix(gen *g, const row_use *u, bool pair, bool wants, bool narrow, bool wide) {
    if (pair)
        return narrow && draw_chance(g, 20) ? PROG_REGPAIRI : PROG_REGPAIR;
    if (narrow && u->takes_prefix[PROG_REGEXTI] &&
        (draw_chance(g, 4) || (wants && draw_chance(g, 30)) || (wide && draw_chance(g, 15))))
        return draw_same(g, u, PROG_REGEXTI);
    return wants || (u->takes_prefix[PROG_REGEXT] && draw_chance(g, 4)) ? draw_same(g, u, PROG_REGEXT)
                                                                        : PROG_PLAIN;
}

int32_t emit_as(gen *g, const row_use *u, const values *v, prog_prefix prefix, prog_fields fields,
                int32_t apart) {
    const int32_t at = prog_put_with(g->p, u->row, v->at, prefix, fields, apart);
    if (at == PROG_NONE)
        prog_fail(g->p, "instruction %u: %s cannot be encoded", (unsigned)g->p->num, u->info->name);
    if (u->dest >= 0 && (u->dest_x ? reg_in_x : reg_in_v)(g, (uint32_t)v->at[u->dest]))
        *(u->dest_x ? &g->last_x : &g->last_v) = (uint32_t)v->at[u->dest];
    return at;
}

int32_t emit(gen *g, const row_use *u, bool pair, values v) {
    uint32_t ext[4] = {0};
    emit_rest(g, u, pair && u->bytes == 4, false, &v);
    for (unsigned s = 1; s <= 3; s++)
        ext[s] = u->source[s] >= 0 ? (uint32_t)v.at[u->source[s]] >> 5 : 0;
    const uint32_t extd = u->dest >= 0 ? (uint32_t)v.at[u->dest] >> 5 : 0;
    int32_t apart = PROG_NONE;
    if (u->dest_read) {
        apart = draw_third(g, (uint32_t)v.at[u->dest]);
        ext[3] = (uint32_t)apart >> 5;
    }
    const bool wide = u->wide >= 0 && !(v.fixed >> u->wide & 1);
    const prog_prefix prefix =
        draw_prefix(g, u, pair, ext[1] | ext[2] | ext[3] | extd, !ext[1] && !ext[3], wide);
    if (prog_prefix_info(g->p, prefix).has_imm && wide && !(v.set >> u->wide & 1))
        v.at[u->wide] = immediate(g, karat_operand_info(u->info->operands[u->wide]), 11);
    return emit_as(g, u, &v, prefix, (prog_fields){0}, apart);
}

void emit_rest(gen *g, const row_use *u, bool pair, bool wide, values *v) {
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        if (v->set >> i & 1)
            continue;
        const karat_operand_kind *kind = karat_operand_info(u->info->operands[i]);
        v->at[i] = wide && kind->extends ? immediate(g, kind, 11) : any_value(g, u, i, pair);
    }
}

void emit_any(gen *g, const row_use *u) {
    emit(g, u, false, none());
}

void emit_3(gen *g, const row_use *u, uint32_t rd, uint32_t rs1, int32_t last) {
    values v = none();
    give_fixed(&v, 0, (int32_t)rd);
    give_fixed(&v, 1, (int32_t)rs1);
    give_fixed(&v, 2, last);
    emit(g, u, false, v);
}

int32_t emit_branch(gen *g, const row_use *u, values v) {
    give(&v, u->target, 0);
    return emit(g, u, false, v);
}

void emit_lead_here(gen *g, int32_t insn) {
    prog_lead(g->p, insn, (int32_t)g->p->num);
}

/* --- With given operands --- */

int32_t insn_put(gen *g, const row_use *u, uint32_t rd, uint32_t first, uint32_t second, int32_t imm) {
    values v = none();
    give_rd(&v, u, rd);
    give_1(&v, u, first);
    give_2(&v, u, second);
    give(&v, u->vm, 1);
    for (uint32_t i = 0; i < u->info->num_operands; i++)
        if (karat_operand_info(u->info->operands[i])->role == KARAT_ROLE_IMM)
            give_fixed(&v, (int8_t)i, imm);
    return emit(g, u, false, v);
}

void insn_csr_set(gen *g, uint32_t csr, int32_t value) {
    values v = none();
    give_rd(&v, ROW(g, csrrwi), 0);
    give(&v, ROW(g, csrrwi)->csr, (int32_t)csr);
    give_fixed(&v, ROW(g, csrrwi)->wide, value);
    emit(g, ROW(g, csrrwi), false, v);
}

void insn_csr(gen *g, const row_use *u, uint32_t csr, int32_t source) {
    const bool fixed = csr_is_fixed(csr), swaps = row_swaps_csr(u), prints = csr == CSR_PRINT;
    const bool zero = fixed || csr == CSR_VSTART || (prints && !swaps);
    if (fixed && swaps)
        return;
    values v = none();
    give(&v, u->csr, (int32_t)csr);
    if (source != PROG_NONE)
        give_1(&v, u, (uint32_t)source);
    if (zero && u->source[1] >= 0)
        give_1(&v, u, 0);
    if (zero && u->wide >= 0)
        give_fixed(&v, u->wide, 0);
    /* The host's time of printing, and numbers that the dispatcher chooses: nothing may depend on them. No
     * vector register is for such results. */
    if (prints || csr == CSR_WGID || csr == CSR_LDS || csr == CSR_PDS) {
        if (!u->dest_x)
            return;
        give_rd(&v, u, g->sink);
    }
    emit(g, u, false, v);
    if (!zero && (csr == CSR_FRM || csr == CSR_FCSR)) /* A mode that exists */
        insn_csr_set(g, CSR_FRM, draw_between(g, 0, 4));
}

void insn_barrier(gen *g) {
    static const int32_t scopes[] = {0, 2, 3};
    const int32_t scope = scopes[draw_below(g, 3)];
    insn_put(g, ROW(g, barrier), 0, 0, 0, scope << 3 | (int32_t)draw_bits(g, 3));
}

void insn_addresses(gen *g, uint32_t reg, uint32_t lane, uint32_t start, int32_t apart) {
    emit_3(g, ROW(g, addi), g->stride, 0, 4 * apart);
    insn_vector(g, ROW(g, vmul_vx), reg, lane, g->stride);
    insn_vector(g, ROW(g, vadd_vx), reg, reg, start);
}

void insn_index(gen *g, bool all, uint32_t reg, uint32_t from) {
    if (!all)
        prog_li(g->p, g->address, 0xffff07fc);
    insn_vector(g, ROW(g, vand_vx), reg, from, all ? g->mask_global : g->address);
    if (all && g->index_above) {
        prog_li(g->p, g->address, g->index_above);
        insn_vector(g, ROW(g, vor_vx), reg, reg, g->address);
    }
}

void insn_below_index(gen *g, uint32_t reg) {
    if (!g->index_above)
        return;
    prog_li(g->p, g->sink, g->index_above);
    emit_3(g, ROW(g, sub), reg, reg, (int32_t)g->sink);
}

void insn_splat(gen *g, const row_use *u, uint32_t from) {
    const uint32_t reg = reg_vector(g, g->lmul == 2, false);
    insn_vmv_x(g, reg, from);
    values v = none();
    for (unsigned s = 1; s <= 3; s++)
        if (u->source_v[s])
            give(&v, u->source[s], (int32_t)reg);
    emit(g, u, false, v);
}
