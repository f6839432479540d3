#include "gen.h"

#include <stdlib.h>

enum {
    KNL = 64,   /* CSR_KNL points here: an empty print buffer */
    EDGE = 128, /* of code at the end of data */
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
