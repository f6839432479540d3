/* Tables of operands in memory: values of each class, and values around the borders of formats. */
#include "dir.h"

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

/* Table 0: integers; then the FP tables. */
static const uint32_t *table_values(uint32_t table) {
    return !table ? int_values : table <= VARIANTS ? fp_values[table - 1] : fp_borders[table - 1 - VARIANTS];
}

void tables_make(dir *d) {
    prog *p = d->p;
    p->data_size = SUMS + 2 * ROW_BYTES;
    if (!(p->data = calloc(1, p->data_size))) {
        prog_fail(p, "out of memory");
        return;
    }
    for (uint32_t table = 0; table <= VARIANTS + BORDERS; table++) {
        const uint32_t n = table ? FP_CLASSES : INT_CLASSES, *values = table_values(table);
        for (uint32_t row = 0; row < n; row++)
            for (uint32_t lane = 0; lane < LANES; lane++)
                for (uint32_t b = 0; b < 4; b++)
                    p->data[table * TABLE_BYTES + row * ROW_BYTES + 4 * lane + b] =
                        (uint8_t)(values[(row + lane) % n] >> 8 * b);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint8_t *at = p->data + PATTERNS * TABLE_BYTES + 4 * lane;
        at[SINGLE * ROW_BYTES] = lane == d->params->num_thread / 2;
        at[ALTERNATING * ROW_BYTES] = lane % 2 == 0;
        at[OTHER * ROW_BYTES] = lane % 4 != 1;
    }
}

void tables_vector(dir *d, uint32_t reg, uint32_t table, uint32_t row) {
    prog_li(d->p, X_TEMP, PROG_DATA + table * TABLE_BYTES + row * ROW_BYTES);
    dir_set_words(d, V_ADDRESS);
    prog_add(d->p, "vlw12.v", reg, 0, V_ADDRESS);
}

void tables_load(dir *d, bool fp, uint32_t variant) {
    const uint32_t *values = table_values(fp ? 1 + variant : 0);
    d->classes = fp ? FP_CLASSES : INT_CLASSES;
    for (uint32_t i = 0; i < d->classes; i++) {
        for (uint32_t part = 0; part < d->apart; part++) {
            const uint32_t table = fp ? 1 + variant : 0, row = (i + 3 * part) % d->classes;
            tables_vector(d, V_TABLE + d->apart * i + part, table, row);
            tables_vector(d, V_TABLE_HIGH + d->apart * i + part, table, row);
        }
        prog_li(d->p, X_TABLE + i, values[i]);
        prog_li(d->p, X_TABLE_HIGH + i, values[i]);
    }
}
