/* Arithmetic on values from the table of operands, with its flags folded into the signature. */
#include "gen.h"

#include <string.h>

/* --- Rows --- */

static bool saturates(const row_use *u) {
    return strncmp(u->info->name, "vsadd", 5) == 0 || strncmp(u->info->name, "vssub", 5) == 0 ||
           strncmp(u->info->name, "vsmul", 5) == 0;
}

/* Converts from floating point to integers or back. */
static bool converts(const row_use *u) {
    return strstr(u->info->name, "cvt") != NULL;
}

static bool is_exponential(const row_use *u) {
    return strstr(u->info->name, "exp") != NULL;
}

/* Multiplies floating point without an addition. */
static bool only_multiplies(const row_use *u) {
    return strstr(u->info->name, "mul") != NULL;
}

static bool multiplies(const row_use *u) {
    static const char *const parts[] = {"mul", "madd", "msub", "macc", "msac"};
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(u->info->name, parts[i]))
            return true;
    return false;
}

/* A row of the unit; for some themes mostly a row that they suit. */
static const row_use *row_for(gen *g, uint32_t unit, theme t) {
    bool (*const is_for)(const row_use *) =
        t == THEME_CORNERS && (unit == KARAT_UNIT_ALU || unit == KARAT_UNIT_MUL) ? saturates
        : unit == KARAT_UNIT_FP && t == THEME_LIMITS                             ? converts
        : unit == KARAT_UNIT_SFU && t == THEME_DIGITS && draw_chance(g, 50)      ? is_exponential
        : unit == KARAT_UNIT_FP && t == THEME_PRODUCTS && draw_chance(g, 45)     ? only_multiplies
        : unit == KARAT_UNIT_FP && (t == THEME_PRODUCTS || (t == THEME_SPECIAL && draw_chance(g, 70)))
            ? multiplies
            : NULL;
    const bool any = !is_for || draw_chance(g, 40);
    const row_use *u = g->favourite[draw_below(g, FAVOURITES)];
    if (any && u->info->unit == unit && draw_chance(g, 50))
        return u;
    do
        u = draw_row_of(g, unit);
    while (!any && !is_for(u));
    return u;
}

/* A row of the unit that is no splat. */
static const row_use *row_apart(gen *g, uint32_t unit, theme t) {
    const row_use *u;
    do
        u = row_for(g, unit, t);
    while (row_is_splat(u));
    return u;
}

/* --- Operands --- */

/* The place of an operand in the theme's part of the table. Operands loaded one after the other are mostly
 * different parts of a triple, in all lanes and for all warps. */
static int32_t table_word(gen *g, theme t, uint32_t part) {
    const int32_t low = (int32_t)t * PART - TABLE_MIDDLE, high = low + PART - PART_APART;
    if (draw_chance(g, 20))
        return draw_multiple(g, low, high, 4);
    return draw_multiple(g, low, high - TRIPLE, TRIPLE) + 4 * (int32_t)part;
}

static void load_x(gen *g, uint32_t reg, int32_t offset) {
    insn_lw(g, reg, g->table_base, offset);
}

/* Load a scalar and a vector register from the theme's part of the table. same: all lanes hold the scalar's
 * value; triple: the place of a triple, or PROG_NONE. */
static void load_fresh(gen *g, theme t, bool same, int32_t triple) {
    const uint32_t at = g->next_fresh++ % FRESH;
    g->fresh_x[at] = g->x[draw_below(g, g->num_pool_x)];
    g->fresh_v[at] = reg_vector(g, g->lmul == 2, false);
    load_x(g, g->fresh_x[at], triple == PROG_NONE ? table_word(g, t, at) : triple + 4 * (int32_t)at);
    if (same)
        insn_vmv_x(g, g->fresh_v[at], g->fresh_x[at]);
    else
        insn_vlw12(g, g->fresh_v[at], g->vtable,
                   triple == PROG_NONE ? table_word(g, t, at) : triple + 4 * (int32_t)at);
    if (draw_chance(g, 15)) /* Another one, which may still be under way at its use */
        load_x(g, g->fresh_x[at], table_word(g, t, at));
}

/* Load so many operands, in so many percent of cases the same in all lanes: then all flags come from one set
 * of operands. */
static void load_same(gen *g, theme t, uint32_t num, uint32_t percent) {
    const bool triples = t == THEME_PRODUCTS || t == THEME_SPECIAL, same = draw_chance(g, percent);
    const int32_t first = (int32_t)t * PART - TABLE_MIDDLE,
                  triple = triples && draw_chance(g, 75)
                               ? first + TRIPLE * (int32_t)draw_below(g, (PART - PART_APART) / TRIPLE)
                               : PROG_NONE;
    while (num--)
        load_fresh(g, t, draw_chance(g, 85) ? same : !same, triple);
}

static void load_operands(gen *g, theme t, uint32_t num) {
    load_same(g, t, num, t == THEME_PRODUCTS || t == THEME_SPECIAL ? 55 : 18);
}

/* --- Modes and flags --- */

void probe_mode(gen *g, bool fp) {
    const uint32_t csr = fp ? CSR_FRM : CSR_VXRM;
    if (draw_chance(g, 60)) {
        insn_csr_set(g, csr,
                     fp && draw_chance(g, 50) ? draw_between(g, 2, 3)
                                              : draw_between(g, 0, fp ? 4 : 3)); /* 2, 3: directed */
        return;
    }
    insn_csr_read(g, g->stride, CSR_WID);
    emit_3(g, ROW(g, addi), g->stride, g->stride, draw_between(g, 0, 3));
    emit_3(g, ROW(g, andi), g->stride, g->stride, 3);
    insn_csr(g, ROW(g, csrrw), csr, (int32_t)g->stride);
}

static void clear_flags(gen *g, bool fp) {
    insn_csr_set(g, fp ? CSR_FFLAGS : CSR_VXSAT, 0);
}

static void read_flags(gen *g, bool fp) {
    insn_csr(g, ROW(g, csrrs), fp ? CSR_FFLAGS : CSR_VXSAT, 0);
}

/* --- Sequences --- */

/* The instruction, mostly on the operands loaded last; so many were loaded. */
static void put_on(gen *g, const row_use *u, uint32_t loaded) {
    const bool triple = loaded == FRESH;
    values given = none();
    if (row_is_splat(u)) {
        insn_splat(g, u, g->fresh_x[draw_below(g, FRESH)]);
        return;
    }
    const uint32_t first = draw_below(g, loaded), newest = g->next_fresh + FRESH - 1;
    const bool squares = draw_chance(g, 8);
    for (unsigned s = 1; s <= 3; s++) { /* Mostly another one for each */
        const uint32_t back = squares              ? first
                              : draw_chance(g, 85) ? (first + s) % loaded
                                                   : draw_below(g, FRESH),
                       from = (newest - back) % FRESH;
        const uint32_t reg = (u->source_v[s] ? g->fresh_v : g->fresh_x)[from];
        if (u->source[s] >= 0 && draw_chance(g, 85) && reg_fits(g, u, u->source_v[s], reg))
            give(&given, u->source[s], (int32_t)reg);
    }
    const uint32_t reg =
        draw_chance(g, triple ? 10 : 30) ? reg_twin(g, g->last_v) : g->fresh_v[(newest - first) % FRESH];
    if (u->dest_read && draw_chance(g, triple ? 85 : 50) && reg_fits(g, u, true, reg))
        give(&given, u->dest, (int32_t)reg);
    if (u->source[3] >= 0 && !u->source_v[3] && draw_chance(g, 60)) {
        if (draw_chance(g, 50)) /* It is still on its way */
            load_x(g, g->fresh_x[(newest - first) % FRESH], table_word(g, THEME_DIGITS, 0));
        if (g->last_x)
            give(&given, u->source[3], (int32_t)g->last_x);
    }
    if (u->dest >= 0 && u->dest_x && draw_chance(g, 15))
        give(&given, u->dest, 0);
    emit(g, u, false, given);
}

/* The instruction on loaded operands; its result goes to a register that no other instruction of the sequence
 * uses. */
static void put_apart(gen *g, const row_use *u, uint32_t operands) {
    values given = none();
    const bool squares = draw_chance(g, 25);
    for (unsigned s = 1; s <= 3; s++) {
        const uint32_t reg =
            (u->source_v[s] ? g->fresh_v : g->fresh_x)[(operands + (squares ? 1 : s)) % FRESH];
        if (u->source[s] >= 0 && reg_fits(g, u, u->source_v[s], reg))
            give(&given, u->source[s], (int32_t)reg);
    }
    if (draw_chance(g, 70))
        give(&given, u->vm, 1);
    const uint32_t third = g->fresh_v[(operands + 3) % FRESH];
    if (u->dest_read && draw_chance(g, 60) && reg_fits(g, u, true, third)) {
        give(&given, u->dest, (int32_t)third);
        emit(g, u, false, given);
        return;
    }
    for (uint32_t tries = 0; tries < 16 && u->dest >= 0; tries++) {
        const uint32_t reg =
            u->dest_x ? g->x[draw_below(g, g->num_pool_x)] : g->v[draw_below(g, g->num_pool_v)];
        bool others = reg == (u->dest_x ? g->last_x : g->last_v) || !reg_fits(g, u, !u->dest_x, reg);
        for (uint32_t i = 0; i < FRESH; i++)
            others |= (u->dest_x ? g->fresh_x : g->fresh_v)[i] >> 1 == reg >> 1;
        if (!others) {
            give(&given, u->dest, (int32_t)reg);
            break;
        }
    }
    emit(g, u, false, given);
}

void probe_stream(gen *g, bool fp) {
    static const uint8_t slow_fp[] = {KARAT_UNIT_FDIV, KARAT_UNIT_FDIV, KARAT_UNIT_SFU, KARAT_UNIT_FP},
                         slow_int[] = {KARAT_UNIT_MUL, KARAT_UNIT_ALU, KARAT_UNIT_DIV},
                         fast_int[] = {KARAT_UNIT_ALU, KARAT_UNIT_MUL};
    const uint32_t slow_unit =
                       fp ? slow_fp[draw_below(g, sizeof slow_fp)] : slow_int[draw_below(g, sizeof slow_int)],
                   fast_unit = fp ? KARAT_UNIT_FP : fast_int[draw_below(g, sizeof fast_int)];
    if (!g->plain_weight[slow_unit] || !g->plain_weight[fast_unit])
        return;
    const theme of_slow = fp ? THEME_SPECIAL : THEME_CORNERS, of_fast = fp ? THEME_DIGITS : THEME_CORNERS,
                rounds = fp ? THEME_PRODUCTS : THEME_CORNERS; /* Used for rows that mostly raise flags */
    const row_use *slow = row_apart(g, slow_unit, of_slow), *fast = row_apart(g, fast_unit, rounds);
    const bool scalar_first = draw_chance(g, 70); /* Raises flags that the vector instructions do not raise */
    for (uint32_t tries = 0; tries < 8 && scalar_first && !slow->dest_x; tries++)
        slow = row_apart(g, slow_unit, of_slow);
    for (uint32_t tries = 0; tries < 8 && slow->dest_x == fast->dest_x; tries++)
        fast = row_apart(g, fast_unit, rounds);
    load_operands(g, of_fast, 1);
    const uint32_t operands = g->next_fresh % FRESH;
    load_operands(g, of_slow, 2);
    for (uint32_t times = 1 + draw_below(g, 3); times--;) {
        clear_flags(g, fp);
        put_apart(g, slow, operands + draw_below(g, FRESH));
        for (uint32_t n = 3 + draw_below(g, 10); n--;)
            put_apart(g, fast, operands + 1 + draw_below(g, FRESH));
        read_flags(g, fp);
    }
}

void probe_repeat(gen *g, uint32_t unit, theme t) {
    const bool fp = unit_is_fp(unit), triples = t == THEME_PRODUCTS || t == THEME_SPECIAL;
    if (!g->plain_weight[unit])
        return;
    const bool one = t == THEME_PRODUCTS && draw_chance(g, 40); /* Rounding */
    const row_use *u;
    do
        u = row_apart(g, unit, t);
    while (triples && !(one ? only_multiplies(u) : multiplies(u)));
    const uint32_t mode = fp ? 60 : 20;
    load_same(g, t, FRESH, triples ? 90 : 18);
    if (one)
        insn_csr_set(g, CSR_FRM, draw_between(g, 2, 3));
    else if (draw_chance(g, mode))
        probe_mode(g, fp);
    for (uint32_t n = 2 + draw_below(g, 5); n--;) {
        if (!draw_chance(g, 20))
            clear_flags(g, fp);
        put_apart(g, u,
                  draw_chance(g, 50) ? 2 : draw_below(g, FRESH)); /* 2: the triple's factors are multiplied */
        read_flags(g, fp);
        if (n && triples && draw_chance(g, 40))
            load_same(g, t, FRESH, 90);
        if (n && triples && !one && draw_chance(g, mode))
            probe_mode(g, fp);
    }
}

/* The rounding mode changes while a result that depends on it is computed. */
static void change_mode(gen *g) {
    load_operands(g, THEME_DIGITS, 1);
    for (uint32_t n = 1 + draw_below(g, 3); n--;) {
        put_apart(g, row_apart(g, KARAT_UNIT_SFU, THEME_DIGITS), g->next_fresh);
        insn_csr_set(g, CSR_FRM, draw_between(g, 0, 4));
    }
}

void probe_saturate(gen *g, uint32_t unit) {
    const row_use *u;
    do
        u = row_apart(g, unit, THEME_CORNERS);
    while (!saturates(u));
    load_operands(g, THEME_CORNERS, FRESH);
    for (uint32_t n = 8 + draw_below(g, 12); n--;)
        put_apart(g, u, draw_below(g, FRESH));
}

static theme theme_for(gen *g, uint32_t unit) {
    static const theme of_fp[] = {THEME_ANY,      THEME_DIGITS,   THEME_SPECIAL,
                                  THEME_SPECIAL,  THEME_PRODUCTS, THEME_PRODUCTS,
                                  THEME_PRODUCTS, THEME_LIMITS,   THEME_LIMITS},
                       of_sfu[] = {THEME_DIGITS, THEME_DIGITS, THEME_LIMITS, THEME_LIMITS, THEME_SPECIAL};
    if (unit == KARAT_UNIT_SFU && draw_chance(g, 70))
        return of_sfu[draw_below(g, sizeof of_sfu / sizeof *of_sfu)];
    if (unit_is_fp(unit))
        return of_fp[draw_below(g, sizeof of_fp / sizeof *of_fp)];
    return draw_chance(g, 60) ? THEME_CORNERS : THEME_ANY;
}

/* A few instructions of units like this one, on operands of the theme. */
static void put_some(gen *g, uint32_t unit, theme t, uint32_t loaded) {
    const bool fp = unit_is_fp(unit),
               pairs = draw_chance(g, 30); /* Two instructions in turn, whose results meet */
    const row_use *two[2] = {NULL, NULL};
    for (uint32_t i = 0, n = pairs                ? 3 + draw_below(g, 6)
                             : draw_chance(g, 40) ? 1
                                                  : 1 + draw_below(g, 6);
         i < n; i++) {
        const row_use *u = pairs && two[i % 2] ? two[i % 2] : row_for(g, unit, t);
        two[i % 2] = u;
        put_on(g, u, loaded);
        if (!pairs &&
            draw_chance(g, u->info->unit == KARAT_UNIT_SFU ? 40 : 20)) /* The unit may still be busy */
            probe_mode(g, fp);
        if (!pairs && draw_chance(g, 10))
            insn_csr(g, ROW(g, csrrs), draw_csr(g), 0);
        do
            unit = plain_any_unit(g);
        while (unit_is_fp(unit) != fp);
    }
}

/* A few instructions on operands from the table, where each warp has others, often in a rounding mode of
 * their own; then their flags. */
void kind_probe(gen *g, const context *c) {
    (void)c;
    const uint32_t unit = plain_any_unit(g);
    const bool fp = unit_is_fp(unit);
    if (draw_chance(g, 8)) {
        probe_stream(g, fp);
        return;
    }
    if (unit == KARAT_UNIT_FP && draw_chance(g, 22)) {
        probe_repeat(g, unit, draw_chance(g, 65) ? THEME_PRODUCTS : THEME_SPECIAL);
        return;
    }
    if (unit == KARAT_UNIT_SFU && draw_chance(g, 20)) {
        change_mode(g);
        return;
    }
    const uint32_t flags = fp                   ? (draw_chance(g, 70) ? CSR_FFLAGS : CSR_FCSR)
                           : draw_chance(g, 80) ? CSR_VXSAT
                                                : CSR_VCSR;
    const theme t = theme_for(g, unit);
    const uint32_t loaded = t == THEME_PRODUCTS || t == THEME_SPECIAL     ? FRESH
                            : unit == KARAT_UNIT_SFU || t == THEME_LIMITS ? 1 + draw_chance(g, 40)
                                                                          : 2;
    load_operands(g, t, loaded);
    if (draw_chance(g, t == THEME_PRODUCTS ? 75 : 30))
        probe_mode(g, fp);
    if (draw_chance(g, 75))
        clear_flags(g, fp);
    put_some(g, unit, t, loaded);
    if (draw_chance(g, fp ? 90 : 60))
        insn_csr(g, draw_row_of(g, KARAT_UNIT_CSR), flags, PROG_NONE);
}
