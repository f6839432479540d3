/* Profile v2.03: instructions with prefixes, on elements of every width and addresses of 64 bits. */
#include "gen.h"

enum { MOST_WORDS = 4, LEAST_PRIVATE = 256 };

bool wide_is_known(const gen *g) {
    return karat_profile_has(g->table->profile, KARAT_FEATURE_PREFIX);
}

/* --- Registers --- */

/* The first of some registers of the pool, one after the other; even: of an even number. x0 is one where a
 * pair of it is meant. */
static uint32_t first_of(gen *g, bool is_v, uint32_t num, bool even) {
    if (!is_v && num == 2 && even && draw_chance(g, 6))
        return 0;
    for (uint32_t tries = 0; tries < 64; tries++) {
        const uint32_t reg = is_v ? reg_vector(g, num > 1 && even, false) : reg_scalar(g, false);
        uint32_t have = 1;
        while (have < num && (is_v ? reg_in_v : reg_in_x)(g, reg + have))
            have++;
        if (have == num && !(even && reg % 2) && (reg || is_v))
            return reg;
    }
    return is_v ? g->run_v : g->run_x;
}

/* Operands that the caller does not give. words: that a memory access moves; 0: it is none. */
static void draw_registers(gen *g, const row_use *u, karat_width width, uint32_t words, values *v) {
    const bool group = u->grouped && g->lmul == 2;
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(u->info->operands[i]);
        if (v->set >> i & 1 || !kind->is_reg || kind->role == KARAT_ROLE_IGNORED)
            continue;
        const bool is_v = kind->cls == KARAT_CLASS_V;
        if (words > 1)
            give(v, (int8_t)i, (int32_t)first_of(g, is_v, words, false));
        else if (karat_operand_is_pair(kind, width))
            give(v, (int8_t)i, (int32_t)first_of(g, is_v, 2, true));
        else
            give(v, (int8_t)i, (int32_t)(is_v ? reg_vector(g, group, false) : reg_scalar(g, false)));
    }
}

/* --- Instructions --- */

/* A prefix that computes, or none. *fields: what of them was drawn. */
static prog_prefix draw_modifiers(gen *g, const row_use *u, bool pair, bool narrow, prog_fields *fields) {
    uint32_t sources = 0;
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(u->info->operands[i]);
        sources |= kind->role >= KARAT_ROLE_SRC1 && kind->role <= KARAT_ROLE_SRC3
                       ? 1u << (kind->role - KARAT_ROLE_SRC1)
                   : kind->is_read ? 4u
                                   : kind->source;
    }
    if (!u->info->widths)
        sources = 0;
    *fields = (prog_fields){.pair = pair};
    if (draw_chance(g, 35))
        fields->abs = (uint8_t)(draw_bits(g, 3) & sources);
    if (draw_chance(g, 35))
        fields->neg = (uint8_t)(draw_chance(g, 30) ? fields->abs : draw_bits(g, 3) & sources);
    if (!pair && !fields->abs && !fields->neg && draw_chance(g, 80))
        return PROG_PLAIN;
    return narrow && draw_chance(g, 40) ? PROG_PREFIXI : PROG_PREFIX;
}

static bool has_extension(const row_use *u, const values *v, unsigned first, unsigned last) {
    bool has = false;
    for (unsigned s = first; s <= last; s++)
        has |= s ? u->source[s] >= 0 && v->at[u->source[s]] > 31 : u->dest >= 0 && v->at[u->dest] > 31;
    return has;
}

/* --- Values --- */

static prog_prefix two_words(const gen *g) {
    prog_prefix prefix = PROG_PRE_M;
    karat_prefix says = prog_prefix_info(g->p, prefix);
    while (says.words != 2 || says.space != KARAT_PREFIX_DEFAULT)
        says = prog_prefix_info(g->p, ++prefix);
    return prefix;
}

static void load_scalar(gen *g, karat_width width, uint32_t reg) {
    const uint64_t value = operand_of_width(g, width);
    const uint32_t above = width < KARAT_W32 ? draw_bits(g, 32) << (8u << width) : 0;
    if (!reg)
        return;
    prog_li(g->p, reg, (uint32_t)value | above);
    if (width == KARAT_W64)
        prog_li(g->p, reg + 1, (uint32_t)(value >> 32));
}

static void load_lanes(gen *g, karat_width width, uint32_t reg) {
    const int32_t place = 8 * (int32_t)draw_below(g, WIDE_VALUES);
    if (width != KARAT_W64) {
        insn_vlw12(g, reg, g->vwide, WIDE_NARROW + place);
        return;
    }
    values v = none();
    const row_use *u = ROW(g, vlw12_v);
    give_rd(&v, u, reg);
    give_1(&v, u, g->vwide);
    give(&v, u->offset, place);
    give(&v, u->vm, 1);
    emit_as(g, u, &v, two_words(g), (prog_fields){0}, PROG_NONE);
}

/* Load the sources of an instruction of that width with values that are special there. */
static void load_sources(gen *g, const row_use *u, karat_width width, const values *v) {
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(u->info->operands[i]);
        const bool source = (kind->role >= KARAT_ROLE_SRC1 && kind->role <= KARAT_ROLE_SRC3) || kind->is_read;
        if (!kind->is_reg || !source || kind->span == KARAT_SPAN_MASK || draw_chance(g, 25))
            continue;
        const karat_width own = width + (kind->span == KARAT_SPAN_TWICE);
        (kind->cls == KARAT_CLASS_V ? load_lanes : load_scalar)(g, own, (uint32_t)v->at[i]);
    }
}

/* --- Arithmetic --- */

/* Returns its number. */
static int32_t plain_of(gen *g, const row_use *u) {
    const uint32_t only = 1u << KARAT_W64;
    const bool can_pair = u->info->widths & only && !(u->grouped && g->lmul == 2),
               pair = can_pair && u->info->widths != only && draw_chance(g, 45);
    const karat_width width = pair || u->info->widths == only  ? KARAT_W64
                              : karat_row_follows_sew(u->info) ? (karat_width)g->sew
                                                               : KARAT_W32;
    if (u->info->widths ? !(u->info->widths >> width & 1) : pair)
        return PROG_NONE;
    bool pairs = false;
    for (uint32_t i = 0; i < u->info->num_operands; i++)
        pairs |= karat_operand_is_pair(karat_operand_info(u->info->operands[i]), width);
    if (pairs && u->grouped && g->lmul == 2)
        return PROG_NONE;
    values v = none();
    prog_fields fields;
    draw_registers(g, u, width, 0, &v);
    give(&v, u->target, 0);
    if (draw_chance(g, width == KARAT_W32 && !pairs ? 5 : 40))
        load_sources(g, u, width, &v);
    const bool extended = has_extension(u, &v, 0, 3),
               narrow = !has_extension(u, &v, 1, 1) && !has_extension(u, &v, 3, 3);
    prog_prefix prefix = draw_modifiers(g, u, pair, narrow, &fields);
    if (prefix == PROG_PLAIN && !extended && u->info->owes &&
        draw_chance(g, 5)) { /* Such a prefix has no effect */
        prefix = PROG_PRE_M + draw_below(g, g->table->num_prefix - PROG_PRE_M);
        fields.pair = (uint8_t)draw_bits(g, 1);
        fields.hint = (uint8_t)draw_bits(g, 4);
    } else if (prefix == PROG_PLAIN && (extended || draw_chance(g, 5)))
        prefix = narrow && draw_chance(g, 30) ? PROG_REGEXTI : PROG_REGEXT;
    emit_rest(g, u, false, prog_prefix_info(g->p, prefix).has_imm, &v);
    return emit_as(g, u, &v, prefix, fields, PROG_NONE);
}

int32_t wide_branch(gen *g, const row_use *u) {
    return plain_of(g, u);
}

void wide_plain(gen *g) {
    const row_use *u = draw_row(g, g->table->units[plain_unit(g)]);
    if (!row_is_splat(u))
        plain_of(g, u);
    else if (g->sew == KARAT_W32)
        insn_splat(g, u, reg_scalar(g, false));
}

/* --- Memory --- */

uint32_t wide_lost_bits(const gen *g) {
    uint32_t threads = g->warps * (g->threads ? g->threads : g->params->num_thread), bits = 0;
    while (threads % 2 == 0) {
        threads /= 2;
        bits++;
    }
    return bits;
}

typedef struct access {
    karat_prefix says;
    space s;
    bool small; /* Few bytes are there: in local and in private memory */
    uint32_t words;
} access;

/* Set x[reg] to the address of an access, low to high bytes from the middle of the warp's region of global or
 * local memory, or of the thread's private memory; is_pair: with its upper half in the next register. Returns
 * what the access's own offset has to add, where it has one: then addresses of 64 bits and of 32 bits may
 * pass 0. */
static int32_t set_address(gen *g, uint32_t reg, bool is_pair, const access *a, bool has_offset, int32_t low,
                           int32_t high) {
    const bool private = a->says.space == KARAT_PREFIX_PRIVATE, local = a->says.space == KARAT_PREFIX_LOCAL;
    const int32_t apart = has_offset && (private || local) && draw_chance(g, 40) ? WIDE_BELOW : 0,
                  below = draw_chance(g, 50) ? apart : -apart;
    if (private) {
        const int32_t at = LDS_REGION / 2 + LEAST_PRIVATE + draw_multiple(g, low, high, 4) - below;
        const uint32_t bits = wide_lost_bits(g), any = draw_bits(g, 32),
                       lost = bits && draw_chance(g, 50) ? any << (32 - bits) : 0;
        prog_li(g->p, reg, (uint32_t)at + (is_pair ? 0 : lost));
        if (is_pair)
            prog_li(g->p, reg + 1, (at < 0 ? UINT32_MAX : 0) + lost);
        return below;
    }
    emit_3(g, ROW(g, addi), reg, g->base[a->s],
           draw_multiple(g, low < -2048 ? -2048 : low, high > 2044 ? 2044 : high, 4));
    if (local) {
        insn_csr_read(g, g->sink, CSR_LDS);
        emit_3(g, ROW(g, sub), reg, reg, (int32_t)g->sink);
        if (below)
            emit_3(g, ROW(g, addi), reg, reg, -below);
        if (is_pair)
            emit_3(g, ROW(g, srai), reg + 1, reg, 31);
    }
    return below;
}

/* A vector register with an address for each lane. */
static uint32_t lane_addresses(gen *g, const access *a, bool is_pair) {
    switch (a->says.space) {
    case KARAT_PREFIX_LOCAL: return g->vlocal;
    case KARAT_PREFIX_PRIVATE:
        if (is_pair)
            return g->vbelow && draw_chance(g, 40) ? g->vbelow : g->vbase[2][0];
        return g->vbase[2][draw_below(g, 2)];
    default: return g->vbase[a->s][0];
    }
}

/* False: the row's indices are too large there. */
static bool give_elements(gen *g, const row_use *u, const access *a, values *v, int32_t *low, int32_t *high) {
    const int32_t half = (a->small ? LDS_REGION : 4096) / 2, width = 4 * (int32_t)a->words,
                  lanes = 32 * (int32_t)g->lmul;
    *low = -half;
    *high = half - lanes * width;
    if (memory_has_stride(u)) {
        const int32_t widest = a->small ? 4 : 28, stride = draw_multiple(g, -widest, widest, 4);
        emit_3(g, ROW(g, addi), g->stride, 0, stride);
        give_2(v, u, g->stride);
        *low = -half + (stride < 0 ? -stride : 0) * (lanes - 1);
        *high = half - width - (stride > 0 ? stride : 0) * (lanes - 1);
    } else if (u->index_bytes) {
        if (a->small && u->index_bytes != 1)
            return false;
        give_2(v, u, g->index[u->index_bytes < 4]);
        *high = half - width - (u->index_bytes == 1 ? 252 : 0x7fc);
    }
    return *high >= *low;
}

/* An SC to the address of that LR. */
static void store_conditional(gen *g, const row_use *lr, prog_prefix prefix, prog_fields fields,
                              uint32_t reg) {
    const bool is_d =
        karat_operand_info(lr->info->operands[(unsigned)lr->source[1]])->span == KARAT_SPAN_ADDRESS;
    const row_use *u = is_d ? ROW(g, sc_d) : ROW(g, sc_w);
    for (uint32_t n = draw_below(g, 3); n--;)
        wide_plain(g);
    for (uint32_t n = draw_chance(g, 80) ? 1 + draw_chance(g, 25) : 0; n--;) { /* The second one must fail */
        values v = none();
        give_1(&v, u, reg);
        draw_registers(g, u, KARAT_W32, 1, &v);
        emit_rest(g, u, false, false, &v);
        emit_as(g, u, &v, prefix, fields, PROG_NONE);
    }
}

void wide_memory(gen *g, const context *c) {
    const bool atomic = draw_chance(g, 20);
    const row_use *u = draw_row(g, g->table->units[atomic ? KARAT_UNIT_AMO : KARAT_UNIT_MEM]);
    if ((u->stores || atomic) && !c->stores)
        return;
    const prog_prefix prefix =
        draw_chance(g, 75) ? PROG_PRE_M + draw_below(g, g->table->num_prefix - PROG_PRE_M) : PROG_AUTO;
    access a = {.says = prog_prefix_info(g->p, prefix), .words = 1};
    if (u->bytes == 4 && !atomic && (!u->index_bytes || g->sew == KARAT_W32))
        a.words = a.says.words;
    if (a.words > 1 && u->grouped && g->lmul == 2)
        return;
    const prog_fields fields = {.pair = prefix != PROG_AUTO && draw_chance(g, 40),
                                .hint = prefix != PROG_AUTO ? (uint8_t)draw_bits(g, 4) : 0};
    const karat_operand_kind *base = karat_operand_info(u->info->operands[(unsigned)u->source[1]]);
    const bool is_pair = fields.pair || base->span == KARAT_SPAN_ADDRESS;
    a.s = a.says.space == KARAT_PREFIX_LOCAL || (a.says.space != KARAT_PREFIX_PRIVATE && draw_chance(g, 33))
              ? LDS
              : GLOBAL;
    a.small = a.s == LDS || a.says.space == KARAT_PREFIX_PRIVATE;
    values v = none();
    uint32_t reg = 0;
    if (u->source_v[1]) {
        const int32_t most = a.small ? 232 : 2000,
                      below = a.says.space == KARAT_PREFIX_LOCAL ? (int32_t)g->local_below : 0;
        give_1(&v, u, lane_addresses(g, &a, is_pair));
        give(&v, u->offset,
             below + draw_multiple(g, a.says.space == KARAT_PREFIX_PRIVATE ? 0 : -most, most, u->bytes));
    } else {
        int32_t low = -256, high = 240;
        reg = is_pair ? g->address_pair : g->address;
        if (!atomic && u->offset < 0 && !give_elements(g, u, &a, &v, &low, &high))
            return;
        const int32_t below = set_address(g, reg, is_pair, &a, u->offset >= 0 && !atomic, low, high);
        if (u->index_bytes == 4) {
            insn_below_index(g, reg);
            if (is_pair && g->index_above)
                emit_3(g, ROW(g, addi), reg + 1, 0, -1);
        }
        give_1(&v, u, reg);
        give(&v, u->offset, below + draw_multiple(g, -240, 240, u->bytes));
    }
    draw_registers(g, u, KARAT_W32, a.words, &v);
    emit_rest(g, u, false, false, &v);
    emit_as(g, u, &v, prefix, fields, PROG_NONE);
    if (atomic && u->source[2] < 0) /* LR: mostly its SC, too */
        store_conditional(g, u, prefix, fields, reg);
    if (is_pair && reg)
        emit_3(g, ROW(g, addi), reg + 1, 0, 0);
}

/* --- Widths --- */

void wide_section(gen *g, const context *c) {
    const uint32_t lmul = g->lmul, sew = draw_below(g, 4) ? draw_below(g, 2) : (uint32_t)KARAT_W32;
    g->lmul = 1 + (draw_below(g, 3) == 0);
    vset_put(g, draw_row_of(g, KARAT_UNIT_CONFIG), sew << 3 | (g->lmul - 1) | draw_bits(g, 2) << 6,
             draw_chance(g, 60));
    g->sew = sew;
    for (uint32_t n = 4 + draw_below(g, 16); n--;)
        if (draw_chance(g, 80))
            wide_plain(g);
        else
            wide_memory(g, c);
    g->sew = KARAT_W32;
    vset_lmul(g, lmul, draw_chance(g, 50));
}
