#include "layout.h"

#include "draw.h"

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

void layout_make(gen *g) {
    const uint32_t size = (layout_shared(g) - PROG_DATA + SHARED + EDGE + PAGE - 1) / PAGE * PAGE;
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
        for (uint32_t k = 0; k < 4; k++)
            g->p->data[i + k] = (uint8_t)(word >> 8 * k);
    }
}
