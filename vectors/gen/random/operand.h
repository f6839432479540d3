/* Values that instructions work on, by themes. Users: layout.c fills the table of operands with them, begin.c the registers,
 * probe.c loads a theme's part of the table. The state is in gen; there is no other memory. */
#ifndef KARAT_RANDOM_OPERAND_H
#define KARAT_RANDOM_OPERAND_H

#include "gen.h"

/* Operands of a theme are likely to have an effect together in one instruction. */
typedef enum theme {
    THEME_ANY,
    THEME_SPECIAL,  /* zeros, infinities, NaNs */
    THEME_PRODUCTS, /* products at the border of a range */
    THEME_LIMITS,   /* floating point at the limits of the integers */
    THEME_CORNERS,  /* corners of integers */
    THEME_DIGITS,   /* numbers with all digits */
    NUM_THEMES
} theme;

/* THEME_PRODUCTS and THEME_SPECIAL have triples: two factors, and the number that their product is added to. */
enum { PARTS = 3, TRIPLE = 4 * PARTS };

/* Draw the numbers that the themes of this program have in common. */
void operand_begin(gen *g);
/* A value of any theme, mostly one that goes well with others. */
uint32_t operand_any(gen *g);
/* A value of that width, an integer's corner or a floating-point number, special or such that results round, overflow or are tiny. Its other
 * bits are 0. */
uint64_t operand_of_width(gen *g, karat_width width);
/* The value for that word of the theme's part of the table; words are made in order. */
uint32_t operand_of_theme(gen *g, theme t, uint32_t word);

#endif
