/* Tables of operands in memory: values of each class, and values around the borders of formats. */
#include "dir.h"

#include "splitmix.h"

#include <stdlib.h>

static const uint32_t int_values[INT_CLASSES] = {0,          1,  0xffffffff, 0x7fffffff,
                                                 0x80000000, 37, 0x12345678, 0xfedcba98};
/* By class: +0 -0, subnormals, normals, infinities, NaNs. Normals: around 1; large; small; odd fractions. */
static const uint32_t fp_values[VARIANTS][FP_CLASSES] = {
    {0, 0x80000000, 0x00000001, 0x807fffff, 0x3f800000, 0xc0490fdb, 0x7f800000, 0xff800000, 0x7fc00000,
     0x7f800001},
    {0, 0x80000000, 0x007fffff, 0x80000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0xffc12345,
     0xffbfffff},
    {0, 0x80000000, 0x00400000, 0x80400001, 0x00800000, 0x80800001, 0x7f800000, 0xff800000, 0x7fffffff,
     0xff800001},
    {0, 0x80000000, 0x00000003, 0x80000002, 0x4b000001, 0xbf7fffff, 0x7f800000, 0xff800000, 0x7fc00001,
     0x7fbfffff}};

/* Values whose sums, products, quotients, conversions and powers overflow, underflow, are inexact in the last
 * place, or are halfway between two results. In the last set, rounding makes results normal. */
static const uint32_t fp_borders[BORDERS][FP_CLASSES] = {
    {0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800001, 0x42b17218, 0xc2aeac50, 0x3f800001, 0x33800001,
     0x1f800000, 0x5f800001},
    {0x3f800000, 0xbf800000, 0x33800000, 0xb3800000, 0x3f800001, 0x3fc00000, 0x3f000000, 0x40200000,
     0x00000001, 0x01000001},
    {0x33800001, 0x007fffff, 0x3f7ffffe, 0x00800000, 0x3f800001, 0x807fffff, 0x80800000, 0x3f7fffff,
     0x00800001, 0xb3000000}};

static uint64_t ones(uint32_t bits) {
    return (UINT64_C(1) << bits) - 1;
}

uint64_t tables_number(uint32_t fraction, uint32_t bits, uint32_t class, uint32_t set) {
    const uint64_t sign = UINT64_C(1) << (bits - 1), all = ones(fraction),
                   one = ones(bits - 2 - fraction) << fraction, inf = ones(bits - 1 - fraction) << fraction,
                   quiet = UINT64_C(1) << (fraction - 1), least = all + 1;
    const uint64_t normals[][2] = {{one, one + least + all / 3},
                                   {inf - 1, inf - 1 - least},
                                   {least, one - ((uint64_t)fraction << fraction) + 1}},
                   tiny[][2] = {{1, all}, {all, 1}, {quiet, quiet + 1}};
    const uint64_t values[FP_CLASSES] = {
        0,   sign,       tiny[set][0],      sign | tiny[set][1],      normals[set][0], sign | normals[set][1],
        inf, sign | inf, inf | quiet | set, inf | (set ? all / 4 : 1)};
    return values[class];
}

static uint32_t half_of_class(karat_halves halves, uint32_t class, uint32_t set) {
    return (uint32_t)tables_number(halves == KARAT_HALVES_F16 ? 10 : 7, 16, class % FP_CLASSES,
                                   set % HALVES_SETS);
}

/* A number whose magnitude is from 2^-4 to 2^4. */
static uint32_t finite(uint64_t *state, uint32_t fraction, uint32_t bits) {
    const uint32_t sign = karat_random_below(state, 2),
                   exponent = (uint32_t)ones(bits - 2 - fraction) - 4 + karat_random_below(state, 8);
    return sign << (bits - 1) | exponent << fraction | karat_random_below(state, 1u << fraction);
}

/* The word of a lane. Table 0: integers; then FP by class, the patterns, halves by class, in both halves of
 * each lane other ones; numbers that all differ. */
static uint32_t table_word(const dir *d, uint32_t table, uint32_t row, uint32_t lane) {
    if (!table)
        return int_values[(row + lane) % INT_CLASSES];
    if (table <= VARIANTS)
        return fp_values[table - 1][(row + lane) % FP_CLASSES];
    if (table < PATTERNS)
        return fp_borders[table - 1 - VARIANTS][(row + lane) % FP_CLASSES];
    if (table == PATTERNS)
        return row == SINGLE        ? lane == d->params->num_thread / 2
               : row == ALTERNATING ? lane % 2 == 0
                                    : row == OTHER && lane % 4 != 1;
    if (table < FINITE) {
        const uint32_t at = table - HALVES, set = at % HALVES_SETS;
        const karat_halves halves = (karat_halves)(KARAT_HALVES_F16 + at / HALVES_SETS);
        return half_of_class(halves, row + lane, set) |
               half_of_class(halves, row + lane + FP_CLASSES / 2, set + 1) << 16;
    }
    uint64_t state = (table * TABLE_ROWS + row) * LANES + lane;
    if (table == FINITE + KARAT_NO_HALVES)
        return finite(&state, 23, 32);
    const uint32_t fraction = table == FINITE + KARAT_HALVES_F16 ? 10 : 7, low = finite(&state, fraction, 16);
    return low | finite(&state, fraction, 16) << 16;
}

/* Rows that a table has. */
static uint32_t num_rows(uint32_t table) {
    return !table ? INT_CLASSES : table == PATTERNS ? NUM_SHAPE : table < FINITE ? FP_CLASSES : TABLE_ROWS;
}

static uint32_t table_at(uint32_t table) {
    return table <= PATTERNS ? table * TABLE_BYTES : SUMS + 2 * ROW_BYTES + (table - HALVES) * TABLE_BYTES;
}

void tables_make(dir *d) {
    prog *p = d->p;
    const uint32_t tables = karat_profile_has(p->profile, KARAT_FEATURE_PUBLIC) ? NUM_TABLES : HALVES;
    p->data_size = tables > HALVES ? table_at(tables) : SUMS + 2 * ROW_BYTES;
    if (!(p->data = calloc(1, p->data_size))) {
        prog_fail(p, "out of memory");
        return;
    }
    for (uint32_t table = 0; table < tables; table++)
        for (uint32_t row = 0; row < num_rows(table); row++)
            for (uint32_t lane = 0; lane < LANES; lane++)
                for (uint32_t b = 0; b < 4; b++)
                    p->data[table_at(table) + row * ROW_BYTES + 4 * lane + b] =
                        (uint8_t)(table_word(d, table, row, lane) >> 8 * b);
}

void tables_vector(dir *d, uint32_t reg, uint32_t table, uint32_t row) {
    prog_li(d->p, X_TEMP, PROG_DATA + table_at(table) + row * ROW_BYTES);
    dir_set_words(d, V_ADDRESS);
    prog_add(d->p, "vlw12.v", reg, 0, V_ADDRESS);
}

karat_halves tables_halves(const dir *d, const row_use *u) {
    karat_halves halves = KARAT_NO_HALVES;
    bool both;
    for (unsigned s = 1; s <= 3 && halves == KARAT_NO_HALVES; s++)
        halves = karat_source_halves(u->info, d->table->profile, s, &both);
    return halves;
}

uint32_t tables_sets(const dir *d, const row_use *u) {
    return tables_halves(d, u) == KARAT_NO_HALVES ? VARIANTS + BORDERS : HALVES_SETS;
}

uint32_t tables_of_classes(karat_halves halves, uint32_t variant) {
    return halves == KARAT_NO_HALVES
               ? 1 + variant
               : HALVES + HALVES_SETS * (halves - KARAT_HALVES_F16) + variant % HALVES_SETS;
}

void tables_load(dir *d, const row_use *u, uint32_t variant) {
    const bool fp = u && unit_is_fp(u->info->unit);
    const uint32_t table = fp ? tables_of_classes(tables_halves(d, u), variant) : 0;
    d->classes = fp ? FP_CLASSES : INT_CLASSES;
    for (uint32_t i = 0; i < d->classes; i++) {
        for (uint32_t part = 0; part < d->apart; part++) {
            const uint32_t row = (i + 3 * part) % d->classes;
            tables_vector(d, V_TABLE + d->apart * i + part, table, row);
            tables_vector(d, V_TABLE_HIGH + d->apart * i + part, table, row);
        }
        prog_li(d->p, X_TABLE + i, table_word(d, table, i, 0));
        prog_li(d->p, X_TABLE_HIGH + i, table_word(d, table, i, 0));
    }
}
