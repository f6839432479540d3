/* Random numbers, rows, and values of operands. */
#include "gen.h"

#include "splitmix.h"

/* --- Numbers and rows --- */

uint32_t draw_below(gen *g, uint32_t bound) {
    return bound ? karat_random_below(&g->r.state, bound) : 0;
}

bool draw_chance(gen *g, uint32_t percent) {
    return draw_below(g, 100) < percent;
}

int32_t draw_between(gen *g, int32_t low, int32_t high) {
    return low + (int32_t)draw_below(g, (uint32_t)(high - low) + 1);
}

uint32_t draw_bits(gen *g, uint32_t n) {
    return (uint32_t)(karat_random(&g->r.state) >> (64 - n));
}

int32_t draw_multiple(gen *g, int32_t low, int32_t high, int32_t size) {
    const int32_t first = low >= 0 ? (low + size - 1) / size : -(-low / size),
                  last = high >= 0 ? high / size : -((-high + size - 1) / size);
    return draw_between(g, first, last) * size;
}

int32_t draw_offset(gen *g, int32_t low, int32_t high, int32_t size) {
    const int32_t near_by = g->spot[draw_below(g, SPOTS)], spot = near_by + draw_multiple(g, 0, 7, size);
    return draw_chance(g, 50) && spot >= low && spot <= high ? spot : draw_multiple(g, low, high, size);
}

int32_t draw_apart(gen *g, uint32_t most) {
    uint32_t power = 1;
    while (power * 2 <= most && draw_chance(g, 70))
        power *= 2;
    return draw_chance(g, 60) ? (int32_t)power : draw_between(g, 0, (int32_t)most);
}

const row_use *draw_row(gen *g, row_list list) {
    return list.at[draw_below(g, list.num)];
}

const row_use *draw_row_of(gen *g, uint32_t unit) {
    const row_use *u;
    do
        u = draw_row(g, g->table->units[unit]);
    while (u->pairs /* random/wide.c has those */ || (u->single && g->lmul != 1));
    return u;
}

uint32_t draw_csr(gen *g) {
    uint32_t csr;
    do
        csr = draw_below(g, 4096);
    while (!karat_csr_name(csr));
    return csr;
}

/* --- Integers --- */

/* Mostly the numbers furthest from 0: sums and products of those saturate. */
static uint32_t corner(gen *g) {
    static const uint32_t corners[] = {0,          1,          2,          3,          0x7fffffff,
                                       0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x55555555,
                                       0xaaaaaaaa, 0x00008000, 0x7ffffffe, 0x0000ffff, 0x7fff8000};
    return draw_chance(g, 35) ? 0x7fffffffu + draw_chance(g, 67)
                              : corners[draw_below(g, sizeof corners / sizeof *corners)];
}

/* --- Floating point --- */

/* A binary32 of a class of its own, of either sign. */
static uint32_t special_class(gen *g) {
    static const uint32_t classes[] = {0,          0,          0x7f800000, 0x7f800000,
                                       0x7fc00000, 0x7f800001, 0x00000001, 0x3f800000};
    uint32_t of;
    do
        of = draw_below(g, sizeof classes / sizeof *classes);
    while (!(g->classes >> of & 1));
    return draw_bits(g, 1) << 31 | classes[of];
}

/* A number of any class, or one at the edge of a class, where results overflow, underflow or are halfway. */
static uint32_t special(gen *g) {
    static const uint32_t edges[] = {0x3f800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0x00800000, 0x00ffffff,
                                     0x007fffff, 0x00800001, 0x01000000, 0x7f7fffff, 0x7f000000, 0x33800000,
                                     0x34000000, 0x4b000000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000,
                                     0x3fc00000, 0x5f800000, 0x1f800000, 0x42b17218, 0x42aeac50};
    if (draw_chance(g, 50))
        return special_class(g);
    const uint32_t sign = draw_bits(g, 1) << 31;
    return sign | edges[draw_below(g, sizeof edges / sizeof *edges)];
}

/* A binary32 with few digits, whose exponent is near those of others. */
static uint32_t near_number(gen *g) {
    const uint32_t fraction = draw_chance(g, 50)   ? draw_bits(g, 4) << 19
                              : draw_chance(g, 50) ? draw_bits(g, 3)
                                                   : draw_bits(g, 23);
    const uint32_t sign = draw_bits(g, 1) << 31;
    return sign | (uint32_t)draw_between(g, 120, 134) << 23 | fraction;
}

/* That 24-bit significand times two to the power, sometimes off by some units in the last place; of either
 * sign. */
static uint32_t near(gen *g, uint32_t significand, int32_t exponent) {
    const uint32_t number = exponent < -149   ? 0
                            : exponent < -126 ? significand >> (-126 - exponent)
                            : exponent > 127  ? 0x7f800000
                                              : ((uint32_t)(exponent + 126) << 23) + significand;
    const int32_t off = draw_chance(g, 80) ? 0 : draw_between(g, -2, 2);
    const uint32_t magnitude = number || off >= 0 ? number + (uint32_t)off : 0;
    return (uint32_t)draw_chance(g, 30) << 31 | magnitude;
}

static uint32_t near_power(gen *g, int32_t exponent) {
    return near(g, 1u << 23, exponent);
}

/* A number just inside the range of an integer, or just outside, mostly the first powers; or such a number
 * for the exponential. */
static uint32_t near_limit(gen *g) {
    static const uint32_t limits[] = {0x4effffff, 0x4f000000, 0x4f000001, 0x4f7fffff, 0x4f800000, 0x3f000000,
                                      0x3f000001, 0x3effffff, 0x3f7fffff, 0x3fc00000, 0x40200000, 0x4b800001,
                                      0x7fffffff, 0x80000000, 0xffffffff, 0x01000001, 0x7fffff80, 0x7fffffc0,
                                      0x42b17217, 0x42b17218, 0x42b17219, 0x42b20000, 0x42aeac50, 0x42cff1b4,
                                      0x42cff1b5, 0x43000000};
    /* Numbers whose exponential is near 1. */
    const uint32_t exponent = (uint32_t)draw_between(g, 102, 122), fraction = draw_bits(g, 3),
                   shift = draw_chance(g, 50) ? 20 : 0,
                   magnitude = draw_chance(g, 25)   ? exponent << 23 | fraction << shift
                               : draw_chance(g, 10) ? 0x4f000000
                                                    : limits[draw_below(g, sizeof limits / sizeof *limits)];
    return magnitude ^ (uint32_t)draw_chance(g, 40) << 31;
}

/* A binary32 with all digits, from 2^-8 to 2^6: neither its exponential nor its sums are special. */
static uint32_t digits(gen *g) {
    const uint32_t fraction = draw_bits(g, 23), exponent = (uint32_t)draw_between(g, 119, 132);
    return (uint32_t)draw_chance(g, 50) << 31 | exponent << 23 | fraction;
}

/* --- Triples --- */

/* Some triples are powers of two. In the others both factors have all digits, and their product is a little
 * less than a power. At the smallest normal number, many products are below it by a quarter to a half of a
 * unit in the last place of the numbers there: the rounding mode alone decides whether such a product is
 * tiny. */
static void draw_products(gen *g) {
    static const int32_t borders[] = {-126, -126, -126, -126, -126, -126, -150, -150, -149, 127, 128, 0};
    g->of_both = borders[draw_below(g, sizeof borders / sizeof *borders)];
    g->of_one = g->of_both ? draw_between(g, 1, 60)
                           : draw_between(g, -30, 30); /* The other one has to be a number, too */
    if (g->of_both < 0)
        g->of_one = -g->of_one;
    g->significand = 1u << 23;
    if (draw_chance(g, 75)) {
        const bool lacks = g->of_both == -126 && draw_chance(g, 60);
        uint64_t rest;
        uint32_t tries = 0;
        do {
            g->significand = 1u << 23 | draw_bits(g, 23);
            rest = (UINT64_C(1) << 47) % g->significand;
        } while (lacks && (rest <= 1u << 22 || rest >= 1u << 23) && ++tries < 32);
    }
}

static uint32_t product(gen *g, uint32_t part) {
    const bool power = g->significand == 1u << 23;
    const uint32_t rest = power ? g->significand : (uint32_t)((UINT64_C(1) << 47) / g->significand);
    switch (part) {
    case 0: return near(g, g->significand, g->of_one);
    case 1: return near(g, rest, g->of_both - g->of_one - !power);
    default: /* The product, or the number that it is added to */
        if (draw_chance(g, 25))
            return draw_bits(g, 1) << 31;
        return near_power(g, draw_chance(g, 15)   ? g->of_both
                             : g->of_both < -100  ? -126
                             : draw_chance(g, 50) ? 0
                                                  : g->of_both - 24);
    }
}

/* A number of any class. Some triples are zero, infinity and an addend: an invalid product, which a quiet NaN
 * as addend mostly hides. */
static uint32_t special_part(gen *g, uint32_t part) {
    if (part == 0)
        g->invalid = draw_chance(g, 25);
    if (!g->invalid || (part == 2 && draw_chance(g, 40)))
        return special_class(g);
    return draw_bits(g, 1) << 31 | (part == 0 ? 0 : part == 1 ? 0x7f800000 : 0x7fc00000);
}

void operand_begin(gen *g) {
    draw_products(g);
    g->many_products = draw_chance(g, 75);
    /* Some classes hide the effects of others: all classes, all but signaling NaNs, or a few. */
    g->classes = draw_chance(g, 40) ? 0xff : draw_chance(g, 50) ? 0x1f : 0;
    if (!g->classes) {
        g->classes = 1u << draw_below(g, 8);
        g->classes |= draw_bits(g, 8);
    }
}

/* --- By width --- */

static uint64_t ones(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t any_bits(gen *g, uint32_t bits) {
    const uint64_t high = draw_bits(g, 32);
    return (high << 32 | draw_bits(g, 32)) & ones(bits);
}

static uint64_t corner_of(gen *g, uint32_t bits) {
    const uint64_t all = ones(bits), top = all / 2 + 1;
    const uint64_t corners[] = {0,       1,       2,       3, top - 1,        top, top + 1, all,
                                all - 1, all / 3, top / 2, 7, all >> bits / 2};
    return corners[draw_below(g, sizeof corners / sizeof *corners)];
}

/* Of a format of so many bits, of which the fraction has that many. */
static uint64_t float_of(gen *g, uint32_t fraction, uint32_t bits) {
    const uint64_t least = UINT64_C(1) << fraction, digits = least - 1, bias = ones(bits - fraction - 2),
                   sign = draw_chance(g, 40) ? UINT64_C(1) << (bits - 1) : 0;
    const uint64_t infinity = (2 * bias + 1) << fraction;
    /* Zeros, subnormals, the normals at the borders, infinities, NaNs, one, and two powers that are limits of
     * integers. */
    const uint64_t special[] = {0,
                                0,
                                1,
                                digits,
                                digits / 2 + 1,
                                least,
                                least + 1,
                                infinity - 1,
                                infinity,
                                infinity,
                                infinity + digits / 2 + 1,
                                infinity + 1,
                                bias << fraction,
                                (bias << fraction) - 1,
                                (bias + 31 < 2 * bias ? bias + 31 : bias + 7) << fraction,
                                (bias + 63 < 2 * bias ? bias + 63 : bias + 15) << fraction};
    const uint64_t rest =
        draw_chance(g, 40) ? (uint64_t)draw_bits(g, 3) << (fraction - 3) : any_bits(g, fraction);
    const uint32_t power = draw_below(g, 5);
    switch (draw_below(g, 5)) {
    case 0:
    case 1: return sign | special[draw_below(g, sizeof special / sizeof *special)];
    case 2: /* Near one */ return sign | (bias + 2 * power - 4) << fraction | rest;
    case 3: /* Products and quotients of two are near the ends of the range */
        return sign | ((draw_chance(g, 50) ? bias / 2 : bias + bias / 2) + power - 2) << fraction | rest;
    default: /* Any number of the range of an integer */
        return sign |
               (bias + draw_below(g, fraction + 12 < bias ? fraction + 12 : (uint32_t)bias)) << fraction |
               rest;
    }
}

uint64_t operand_of_width(gen *g, karat_width width) {
    static const uint8_t fractions[] = {[KARAT_W16] = 10, [KARAT_W32] = 23, [KARAT_W64] = 52};
    const uint32_t bits = 8u << width;
    if (width != KARAT_W8 && draw_chance(g, 60))
        return float_of(g, fractions[width], bits);
    return draw_chance(g, 75) ? corner_of(g, bits) : any_bits(g, bits);
}

/* --- By theme --- */

uint32_t operand_any(gen *g) {
    switch (draw_below(g, 8)) {
    case 0: return corner(g);
    case 1:
    case 2:
    case 3:
    case 4: return special(g);
    case 5:
    case 6: return near_number(g);
    default: return draw_chance(g, 50) ? (uint32_t)draw_between(g, -20, 40) : draw_bits(g, 32);
    }
}

uint32_t operand_of_theme(gen *g, theme t, uint32_t word) {
    switch (t) {
    case THEME_SPECIAL: return special_part(g, word % PARTS);
    case THEME_PRODUCTS:
        if (word % PARTS == 0 && g->many_products)
            draw_products(g);
        return product(g, word % PARTS);
    case THEME_LIMITS: return near_limit(g);
    case THEME_CORNERS: return corner(g);
    case THEME_DIGITS: return digits(g);
    default: return operand_any(g);
    }
}
