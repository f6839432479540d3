/* Around the drawn instructions: the layout of memory, the first instructions, the signature, the end of a
 * warp. */
#include "gen.h"

#include <stdlib.h>

/* --- Layout --- */

enum {
    KNL = 64,   /* CSR_KNL points here: the metadata buffer, with an empty print buffer */
    EDGE = 128, /* Bytes of code at the end of data */
    PAGE = 4096
};

uint32_t layout_table(const gen *g) {
    return PROG_DATA + g->warps * g->groups * REGION;
}

uint32_t layout_shared(const gen *g) {
    return layout_table(g) + TABLE + KNL;
}

uint32_t layout_wide(const gen *g) {
    return layout_shared(g) + SHARED;
}

static void put_word(gen *g, uint32_t at, uint32_t word) {
    for (uint32_t k = 0; k < 4; k++)
        g->p->data[at + k] = (uint8_t)(word >> 8 * k);
}

/* Above 16 bits: NaN boxing, or anything. */
static void put_wide(gen *g) {
    const uint32_t table = layout_wide(g) - PROG_DATA;
    for (uint32_t i = 0; i < WIDE; i += 8) {
        const bool narrow = i >= WIDE_NARROW;
        const uint64_t value = operand_of_width(g, narrow ? KARAT_W16 : KARAT_W64);
        const uint32_t above = draw_chance(g, 50) ? 0xffff : draw_bits(g, 16);
        put_word(g, table + i, (uint32_t)value | (narrow ? above << 16 : 0));
        put_word(g, table + i + 4, narrow ? draw_bits(g, 32) : (uint32_t)(value >> 32));
    }
}

void layout_make(gen *g) {
    const uint32_t used = layout_wide(g) + (wide_is_known(g) ? WIDE : 0) - PROG_DATA,
                   size = (used + EDGE + PAGE - 1) / PAGE * PAGE;
    if (!(g->p->data = malloc(size))) {
        prog_fail(g->p, "out of memory");
        return;
    }
    g->p->data_size = size;
    operand_begin(g);
    const uint32_t table = layout_table(g) - PROG_DATA;
    for (uint32_t i = 0; i < size; i += 4) {
        const uint32_t word = i >= table + TABLE ? 0
                              : i >= table
                                  ? operand_of_theme(g, (i - table) / PART % NUM_THEMES, (i - table) / 4)
                              : draw_chance(g, 30) ? operand_any(g)
                                                   : draw_bits(g, 32);
        put_word(g, i, word);
    }
    if (wide_is_known(g))
        put_wide(g);
}

void layout_sizes(gen *g) {
    const struct prog_launch *l = &g->p->launch;
    const uint32_t buffer = l->knl - PROG_DATA;
    for (uint32_t d = 0; d < 3; d++) {
        put_word(g, buffer + 4 * (3 + d), l->local[0] ? l->items[d] : draw_bits(g, 16));
        put_word(g, buffer + 4 * (6 + d), l->local[0] ? l->local[d] : draw_below(g, 9));
        put_word(g, buffer + 4 * (9 + d), draw_bits(g, 32));
    }
}

enum { REGION_SHIFT = 13 };
_Static_assert(REGION == 1 << REGION_SHIFT, "shifts make regions");

/* --- The first instructions: addresses of memory --- */

/* Base registers of the warp's regions and of the next warp's. Afterwards counter[2] holds CSR_LDS. */
static void set_bases(gen *g) {
    const uint32_t temp = g->address, temp2 = g->stride, *base = g->base;
    insn_csr_read(g, temp, CSR_GDX);
    insn_csr_read(g, temp2, CSR_NUMW);
    emit_3(g, ROW(g, mul), temp, temp, (int32_t)temp2);
    insn_csr_read(g, g->sink, CSR_WID);
    const uint32_t local = g->counter[2], region = g->counter[1], bytes = g->counter[0],
                   warp[] = {g->sink, base[NEIGHBOUR]};
    const uint32_t others = g->warps > 1 ? 2 : 1;
    insn_csr_read(g, local, CSR_LDS);
    if (others > 1) {
        emit_3(g, ROW(g, addi), base[NEIGHBOUR], g->sink, 1);
        emit_3(g, ROW(g, remu), base[NEIGHBOUR], base[NEIGHBOUR], (int32_t)temp2);
    }
    prog_li(g->p, region, g->lds_apart);
    for (uint32_t i = 0; i < others; i++)
        emit_3(g, ROW(g, mul), i ? base[LDS_NEIGHBOUR] : base[LDS], warp[i], (int32_t)region);
    prog_li(g->p, region, g->lds_apart - LDS_REGION / 2);
    emit_3(g, ROW(g, add), region, region, (int32_t)local);
    prog_li(g->p, bytes, PROG_DATA + REGION / 2);
    for (uint32_t i = 0; i < others; i++) {
        const uint32_t global = i ? base[NEIGHBOUR] : base[GLOBAL], lds = i ? base[LDS_NEIGHBOUR] : base[LDS];
        emit_3(g, ROW(g, add), lds, lds, (int32_t)region);
        emit_3(g, ROW(g, add), global, warp[i], (int32_t)temp);
        emit_3(g, ROW(g, slli), global, global, REGION_SHIFT);
        emit_3(g, ROW(g, add), global, global, (int32_t)bytes);
    }
}

/* Base registers of the words that all warps share. The words in local memory become 0. */
static void set_shared(gen *g) {
    const uint32_t temp = g->address, local = g->counter[2], *base = g->base;
    prog_li(g->p, base[SHARED_GLOBAL], layout_shared(g));
    prog_li(g->p, temp, g->warps * g->lds_apart);
    emit_3(g, ROW(g, add), base[SHARED_LDS], local, (int32_t)temp);
    for (int32_t offset = 0; offset < SHARED; offset += 4)
        insn_sw(g, 0, base[SHARED_LDS], offset);
    insn_barrier(g);
}

/* Store into every part of the local memory between the warps' regions. */
static void touch_local(gen *g) {
    enum { STEP = 1024 };
    const uint32_t num = (g->lds_apart - LDS_REGION) / STEP;
    if (draw_chance(g, 75))
        insn_sw(g, 0, g->base[LDS], LDS_REGION / 2 - 4);
    if (!num || draw_chance(g, 25))
        return;
    emit_3(g, ROW(g, addi), g->address, g->base[LDS], -LDS_REGION / 2 - 4);
    prog_li(g->p, g->counter[0], num);
    const int32_t top = (int32_t)g->p->num;
    insn_sw(g, 0, g->address, 0);
    insn_sw(g, 0, g->address, -STEP / 2);
    emit_3(g, ROW(g, addi), g->address, g->address, -STEP);
    emit_3(g, ROW(g, addi), g->counter[0], g->counter[0], -1);
    prog_lead(g->p, insn_branch_zero(g, ROW(g, bne), g->counter[0]), top);
}

/* --- The first instructions: vector addresses --- */

/* Addresses of private memory: the first workgroup's own; for the others, the memory of the workgroup before,
 * if it has some for them, below their own. */
static void set_below(gen *g) {
    insn_csr_read(g, g->address, CSR_GDX);
    emit_3(g, ROW(g, sltu), g->address, 0, (int32_t)g->address);
    emit_3(g, ROW(g, sub), g->counter[0], 0, (int32_t)g->address);
    prog_li(g->p, g->counter[1], (uint32_t)-PDS);
    emit_3(g, ROW(g, and), g->counter[1], g->counter[1], (int32_t)g->counter[0]);
    emit_3(g, ROW(g, addi), g->counter[1], g->counter[1], 1024);
    insn_addresses(g, g->vbelow, g->vcounter[0], g->counter[1], draw_apart(g, 4));
    insn_vmv_x(g, g->vbelow + 1, g->counter[0]);
}

/* Addresses in the table of operands: each warp begins at another place. */
static void set_table(gen *g) {
    const uint32_t temp = g->address, temp2 = g->stride;
    emit_3(g, ROW(g, srli), temp2, g->base[GLOBAL], REGION_SHIFT);
    emit_3(g, ROW(g, andi), temp2, temp2, 3);
    prog_li(g->p, temp, PART_APART / 3 / TRIPLE * TRIPLE);
    emit_3(g, ROW(g, mul), temp2, temp2, (int32_t)temp);
    prog_li(g->p, temp, layout_table(g) + TABLE_MIDDLE);
    emit_3(g, ROW(g, add), g->table_base, temp, (int32_t)temp2);
    insn_addresses(g, g->vtable, g->vcounter[0], g->table_base, 1);
}

/* Vector addresses of v2.03. */
static void set_wide(gen *g) {
    const uint32_t temp = g->address, lane = g->vcounter[0], *own = g->vbase[2], lost = wide_lost_bits(g);
    insn_csr_read(g, g->sink, CSR_LDS);
    emit_3(g, ROW(g, addi), temp, g->base[LDS], -256);
    emit_3(g, ROW(g, sub), temp, temp, (int32_t)g->sink);
    emit_3(g, ROW(g, addi), temp, temp, -(int32_t)g->local_below);
    insn_addresses(g, g->vlocal, lane, temp, draw_apart(g, 128 / g->params->num_thread));
    insn_vector_i(g, ROW(g, vsra_vi), g->vlocal + 1, g->vlocal, 31);
    prog_li(g->p, temp, layout_wide(g));
    insn_addresses(g, g->vwide, lane, temp, 2);
    if (!lost || draw_chance(g, 30))
        return;
    /* Bits of addresses of private memory that the multiplication by the number of threads loses. */
    insn_vlw12(g, own[0] + 1, g->vbase[GLOBAL][0], 4 * draw_between(g, -512, 508));
    insn_vector_i(g, ROW(g, vsll_vi), own[0] + 1, own[0] + 1, 32 - (int32_t)lost);
    insn_vector(g, ROW(g, vor_vv), own[1], own[1], own[0] + 1);
}

static void set_addresses(gen *g) {
    const uint32_t temp = g->address, lane = g->vcounter[0], *base = g->base;
    insn_vid(g, lane);
    for (uint32_t i = 0; i < 2; i++) {
        insn_addresses(g, g->vbase[GLOBAL][i], lane, base[GLOBAL], draw_apart(g, 15));
        emit_3(g, ROW(g, addi), temp, base[LDS], -256);
        insn_addresses(g, g->vbase[LDS][i], lane, temp, draw_apart(g, 128 / g->params->num_thread));
        emit_3(g, ROW(g, addi), temp, 0, 1024);
        insn_addresses(g, g->vbase[2][i], lane, temp, draw_apart(g, 4));
    }
    set_table(g);
    for (uint32_t i = 0; i < 3; i++)
        insn_vzero(g, g->vbase[i][0] + 1);
    if (wide_is_known(g))
        set_wide(g);
    insn_addresses(g, g->vmixed, lane, base[GLOBAL], draw_apart(g, 8));
    if (g->vbelow)
        set_below(g);
}

/* --- The first instructions: values --- */

static void print_at_once(gen *g) {
    const uint32_t most = g->warps * g->groups < 8 ? 9 : 22;
    for (uint32_t n = draw_chance(g, 45) ? 2 + draw_below(g, most) : 0; n--;) /* All warps print at once */
        insn_csr_set(g, CSR_PRINT, draw_between(g, 1, 31));
}

static void set_modes(gen *g) {
    for (uint32_t n = draw_below(g, 4); n--;) /* CSRs as the launch has left them */
        insn_csr(g, ROW(g, csrrs), draw_csr(g), 0);
    if (draw_chance(g, 60)) /* Results differ most often in the directed modes */
        insn_csr_set(g, CSR_FRM, draw_chance(g, 60) ? draw_between(g, 2, 3) : draw_between(g, 1, 4));
}

/* The scalar pool: constants, operands, and zeros from local memory. */
static void set_x(gen *g) {
    for (uint32_t i = 0; i < g->num_pool_x; i++) {
        if (draw_chance(g, 50)) {
            prog_li(g->p, g->x[i], operand_any(g));
            continue;
        }
        if (draw_chance(g, 25))
            insn_lw(g, g->x[i], g->base[LDS], draw_offset(g, -256, 248, 4));
        else
            insn_lw(g, g->x[i], g->table_base,
                    4 * draw_between(g, -TABLE_MIDDLE / 4, (TABLE_MIDDLE - PART_APART) / 4));
    }
}

static void set_v(gen *g) {
    insn_vzero(g, g->zero);
    insn_vzero(g, g->vfold);
    emit_3(g, ROW(g, addi), g->fold, 0, 0);
    for (uint32_t i = 0; i < 3; i++)
        insn_vzero(g, g->vcounter[i]);
    for (uint32_t i = 0; i < g->num_pool_v; i++)
        insn_vlw12(g, g->v[i], g->vbase[GLOBAL][0], 4 * draw_between(g, -512, 508));
    for (uint32_t n = 2 + draw_below(g, 4); n--;) { /* Local memory there is 0 */
        const uint32_t data = g->v[draw_below(g, g->num_pool_v)], at = g->vbase[LDS][draw_below(g, 2)];
        insn_vsw12(g, data, at, draw_offset(g, -256, 248, 4));
    }
    for (uint32_t i = 0; i < 4; i++) {
        insn_vlw12(g, g->index[i / 2] + i % 2, g->vbase[GLOBAL][0], 4 * draw_between(g, -512, 508));
        insn_index(g, i < 2, g->index[i / 2] + i % 2, g->index[i / 2] + i % 2);
    }
}

void begin_program(gen *g) {
    print_at_once(g);
    set_bases(g);
    if (g->params->races)
        set_shared(g);
    touch_local(g);
    emit_3(g, ROW(g, addi), g->address_pair, 0, 0);
    emit_3(g, ROW(g, addi), g->address_pair + 1, 0, 0);
    prog_li(g->p, g->mask_global, 0x7fc);
    prog_li(g->p, g->mask_lds, 0x1fc);
    set_modes(g);
    set_addresses(g);
    set_x(g);
    set_v(g);
}

/* --- The end --- */

/* Set vfold to vfold op reg. */
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
        prog_lead(g->p, insn_far_jump(g, 0), g->endprg);
}
