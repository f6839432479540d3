#include "random.h"

#include <stdlib.h>
#include <string.h>

/* What operands have in common that are likely to meet in one instruction: nothing; products at the border of a range; the ranges of
 * integers; corners of integers; numbers with all digits. Special are zeros, infinities and NaNs. */
typedef enum theme {
    THEME_ANY,
    THEME_SPECIAL,
    THEME_PRODUCTS,
    THEME_LIMITS,
    THEME_CORNERS,
    THEME_DIGITS,
    NUM_THEMES
} theme;

enum {
    LANES_BYTES = 128,
    REGION = RANDOM_REGION, /* of device memory; its base register points at the middle */
    LDS_REGION = 1024,      /* and of local memory */
    FULL_LDS = 65536,       /* that devices have */
    FULL_VGPRS = 128,       /* of a warp where that many are to be there */
    LEAST_VGPRS = 64,       /* that a warp needs */
    MOST_VGPRS = 1024,      /* of a workgroup, where nothing else is asked for */
    MOST_LDS = 24576,       /* of a workgroup whose warps' regions are further apart */
    PDS = 2560,             /* bytes of private memory a thread; as many again for the workgroup behind */
    SHARED = 32,      /* bytes that all warps share, in device memory and in each workgroup's local memory */
    PART = 672,       /* bytes of a theme's operands, which nobody stores to */
    PART_APART = 256, /* of them: how far apart the warps' beginnings are at most */
    TABLE_MIDDLE = NUM_THEMES * PART / 2,
    TABLE = NUM_THEMES * PART + LANES_BYTES,
    KNL = 64,   /* what CSR_KNL names: an empty print buffer */
    EDGE = 128, /* of code at the end of data */
    PAGE = 4096,
    GRANULE = 16, /* devices round numbers of registers up, to no more than a multiple of this */
    SHORT = 800,  /* instructions of a program that may have many workgroups */
    MAX_X = 24,   /* registers that all instructions may use */
    MAX_V = 48,
    MOST_UNWRITTEN = 12,
    FEW_LENGTH = 400, /* instructions of a program that has few of them */
    LONG = 2000,      /* of one that has many */
    FRESH = 3,        /* of these, what the table's operands are in */
    PARTS =
        3, /* of a triple of THEME_PRODUCTS and THEME_SPECIAL: two factors, and what their product is added to */
    TRIPLE = 4 * PARTS,
    SPOTS = 4,
    FAVOURITES = 8, /* rows of a program that are in it more often; those of the next seed are others */
    MOST_LEAVE = 3,
    MOST_ARMS = 5,
    MOST_REGION =
        300, /* instructions that a branch leads over, about: twice as many words, of the 1,024 that it can */
    MOST_FUNCTIONS = 8
};

enum {
    CSR_FFLAGS = 1,
    CSR_FRM,
    CSR_FCSR,
    CSR_VXSAT = 9,
    CSR_VXRM,
    CSR_VCSR = 15,
    CSR_GDX = 0x808,
    CSR_PRINT = 0x80b
};

typedef enum space {
    GLOBAL,
    LDS,
    NEIGHBOUR,
    LDS_NEIGHBOUR,
    SHARED_GLOBAL,
    SHARED_LDS,
    PRIVATE,
    NUM_SPACE
} space;

/* Where in a program: what may stand there. */
typedef struct context {
    bool uniform; /* all warps come here equally often, with all threads: barriers may */
    bool vset;    /* vl and vtype may change */
    bool stores;
    uint32_t arms; /* divergent regions around */
    uint32_t loops;
    uint32_t calls;
    uint32_t end; /* instruction from which on nothing is begun; 0: none */
} context;

typedef struct rng {
    uint64_t state;
} rng;

typedef struct values {
    int32_t at[KARAT_MAX_OPERAND];
    uint32_t set, fixed; /* bits: given by the caller; fixed: no prefix may change it */
} values;

/* Rows that the structure of programs is made of. */
#define NAMED(DO)                                                                                            \
    DO(addi)                                                                                                 \
    DO(add)                                                                                                  \
    DO(sub)                                                                                                  \
    DO(slli)                                                                                                 \
    DO(srli)                                                                                                 \
    DO(mul)                                                                                                  \
    DO(remu)                                                                                                 \
    DO(lui)                                                                                                  \
    DO(auipc)                                                                                                \
    DO(jal)                                                                                                  \
    DO(jalr)                                                                                                 \
    DO(bne)                                                                                                  \
    DO(beq)                                                                                                  \
    DO(csrrs)                                                                                                \
    DO(csrrw)                                                                                                \
    DO(csrrwi)                                                                                               \
    DO(lw)                                                                                                   \
    DO(sw)                                                                                                   \
    DO(xor)                                                                                                  \
    DO(vid_v)                                                                                                \
    DO(vmul_vx)                                                                                              \
    DO(vadd_vx)                                                                                              \
    DO(vmv_v_i)                                                                                              \
    DO(vmv_v_x)                                                                                              \
    DO(vand_vx)                                                                                              \
    DO(vand_vi)                                                                                              \
    DO(vadd_vi)                                                                                              \
    DO(vlw12_v)                                                                                              \
    DO(vsw12_v)                                                                                              \
    DO(vadd12_vi)                                                                                            \
    DO(vmv_x_s)                                                                                              \
    DO(vxor_vv)                                                                                              \
    DO(vadd_vv)                                                                                              \
    DO(setrpc)                                                                                               \
    DO(join)                                                                                                 \
    DO(barrier)                                                                                              \
    DO(endprg)                                                                                               \
    DO(vbeq)                                                                                                 \
    DO(lr_w)                                                                                                 \
    DO(sc_w)                                                                                                 \
    DO(vmerge_vvm)                                                                                           \
    DO(vsetvli)                                                                                              \
    DO(andi)                                                                                                 \
    DO(lb)                                                                                                   \
    DO(sltu)                                                                                                 \
    DO(and)

typedef struct gen {
    const random_params *params;
    const row_table *table;
    prog *p;
    rng r;
    struct {
#define DO(name) const row_use *name;
        NAMED(DO)
#undef DO
    } row;
    uint32_t weight[RANDOM_NUM_KINDS];
    uint32_t warps, groups, threads, max_vgprs, num_x, num_v, lmul;
    uint32_t base[NUM_SPACE], address_pair, address, stride, sink, mask_global, mask_lds, counter[3], link[2],
        rpc;
    uint32_t fold, vfold;                              /* the signature so far */
    uint32_t vbase[3][2], index[2], zero, vcounter[3]; /* vbase: of GLOBAL, LDS, and private in the third */
    uint32_t table_base, vtable;                       /* in the table of operands */
    int32_t of_one,
        of_both; /* exponents in THEME_PRODUCTS: of one factor, and of its product with the other one */
    uint32_t significand; /* of that factor */
    bool many_products;   /* each triple has its own of these */
    bool invalid;         /* a triple of THEME_SPECIAL: zero, infinity, NaN */
    uint32_t classes;     /* THEME_SPECIAL: bits, which of them there are */
    uint32_t vmixed;      /* addresses in device memory and in local memory */
    uint32_t vbelow; /* of 64 bits, in private memory: of the workgroup before where there is one; 0: none */
    uint32_t unwritten[MOST_UNWRITTEN], num_unwritten; /* two vector registers each that nobody writes */
    uint32_t next_unwritten, unread;                   /* unread: two for what comes of them */
    uint32_t x[MAX_X], v[MAX_V], x_hot[6], v_hot[8], num_pool_x, num_pool_v;
    int32_t spot[SPOTS];       /* offsets that many accesses are at */
    uint32_t lds_apart;        /* bytes of local memory from one warp's region to the next one's */
    int32_t leave[MOST_LEAVE]; /* JALs to the end */
    uint32_t num_leave, dead;  /* dead: words that never run */
    struct function {
        int32_t at;
        uint32_t lmul, arms;
    } functions[MOST_FUNCTIONS]; /* that more calls may come to */
    uint32_t num_functions;
    int32_t endprg;          /* that stands before the rest; PROG_NONE: it is the last */
    uint32_t edge;           /* address of the function at the end of memory */
    uint32_t last_x, last_v; /* what was written last, where others may read it */
    uint32_t fresh_x[FRESH], fresh_v[FRESH], next_fresh; /* what came from the table of operands last */
    uint32_t plain_weight[KARAT_NUM_UNIT], plain_sum;
    const row_use *favourite[FAVOURITES];
} gen;

/* --- Random numbers (splitmix64) ---
 *
 * No expression draws twice in an order that C leaves open (both sides of an operator, two arguments): the compiler would decide
 * which program a seed is. */

static uint64_t next64(rng *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(gen *g, uint32_t bound) {
    return bound ? (uint32_t)((next64(&g->r) >> 32) * bound >> 32) : 0;
}

static bool chance(gen *g, uint32_t percent) {
    return below(g, 100) < percent;
}

static int32_t between(gen *g, int32_t low, int32_t high) {
    return low + (int32_t)below(g, (uint32_t)(high - low) + 1);
}

static uint32_t bits(gen *g, uint32_t n) {
    return (uint32_t)(next64(&g->r) >> (64 - n));
}

static const row_use *pick(gen *g, row_list list) {
    return list.at[below(g, list.num)];
}

/* Mostly what is furthest from 0: where sums and products saturate. */
static uint32_t corner(gen *g) {
    static const uint32_t corners[] = {0,          1,          2,          3,          0x7fffffff,
                                       0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x55555555,
                                       0xaaaaaaaa, 0x00008000, 0x7ffffffe, 0x0000ffff, 0x7fff8000};
    return chance(g, 35) ? 0x7fffffffu + chance(g, 67) : corners[below(g, sizeof corners / sizeof *corners)];
}

/* Binary32 of a class of its own; of either sign. */
static uint32_t special_class(gen *g) {
    static const uint32_t classes[] = {0,          0,          0x7f800000, 0x7f800000,
                                       0x7fc00000, 0x7f800001, 0x00000001, 0x3f800000};
    uint32_t of;
    do
        of = below(g, sizeof classes / sizeof *classes);
    while (!(g->classes >> of & 1));
    return bits(g, 1) << 31 | classes[of];
}

/* Such a one, or at the edge of a class, where results overflow, underflow and are halfway. */
static uint32_t special(gen *g) {
    static const uint32_t edges[] = {0x3f800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0x00800000, 0x00ffffff,
                                     0x007fffff, 0x00800001, 0x01000000, 0x7f7fffff, 0x7f000000, 0x33800000,
                                     0x34000000, 0x4b000000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000,
                                     0x3fc00000, 0x5f800000, 0x1f800000, 0x42b17218, 0x42aeac50};
    if (chance(g, 50))
        return special_class(g);
    const uint32_t sign = bits(g, 1) << 31;
    return sign | edges[below(g, sizeof edges / sizeof *edges)];
}

/* A binary32 with few digits, whose exponent is near that of others. */
static uint32_t near_number(gen *g) {
    const uint32_t fraction = chance(g, 50) ? bits(g, 4) << 19 : chance(g, 50) ? bits(g, 3) : bits(g, 23);
    const uint32_t sign = bits(g, 1) << 31;
    return sign | (uint32_t)between(g, 120, 134) << 23 | fraction;
}

/* That significand, of 24 bits, times two to the power, give or take some units in the last place; of either sign. */
static uint32_t near(gen *g, uint32_t significand, int32_t exponent) {
    const uint32_t number = exponent < -149   ? 0
                            : exponent < -126 ? significand >> (-126 - exponent)
                            : exponent > 127  ? 0x7f800000
                                              : ((uint32_t)(exponent + 126) << 23) + significand;
    const int32_t off = chance(g, 80) ? 0 : between(g, -2, 2);
    const uint32_t magnitude = number || off >= 0 ? number + (uint32_t)off : 0;
    return (uint32_t)chance(g, 30) << 31 | magnitude;
}

static uint32_t near_power(gen *g, int32_t exponent) {
    return near(g, 1u << 23, exponent);
}

/* What is just in the range of an integer, or just not, the first powers more than others; the same of what has an exponential. */
static uint32_t near_limit(gen *g) {
    static const uint32_t limits[] = {0x4effffff, 0x4f000000, 0x4f000001, 0x4f7fffff, 0x4f800000, 0x3f000000,
                                      0x3f000001, 0x3effffff, 0x3f7fffff, 0x3fc00000, 0x40200000, 0x4b800001,
                                      0x7fffffff, 0x80000000, 0xffffffff, 0x01000001, 0x7fffff80, 0x7fffffc0,
                                      0x42b17217, 0x42b17218, 0x42b17219, 0x42b20000, 0x42aeac50, 0x42cff1b4,
                                      0x42cff1b5, 0x43000000};
    /* What has an exponential near 1. */
    const uint32_t exponent = (uint32_t)between(g, 102, 122), fraction = bits(g, 3),
                   shift = chance(g, 50) ? 20 : 0,
                   magnitude = chance(g, 25)   ? exponent << 23 | fraction << shift
                               : chance(g, 10) ? 0x4f000000
                                               : limits[below(g, sizeof limits / sizeof *limits)];
    return magnitude ^ (uint32_t)chance(g, 40) << 31;
}

/* What instructions work on: mostly what goes well with others. */
static uint32_t operand(gen *g) {
    switch (below(g, 8)) {
    case 0: return corner(g);
    case 1:
    case 2:
    case 3:
    case 4: return special(g);
    case 5:
    case 6: return near_number(g);
    default: return chance(g, 50) ? (uint32_t)between(g, -20, 40) : bits(g, 32);
    }
}

/* Some triples have powers of two; the others' factors have all digits, and so do what their products lack to a power. Of those at the
 * smallest normal number, many lack between a quarter and a half of a unit in the last place that numbers below have: such a product is
 * tiny or not by the rounding mode alone. */
static void draw_products(gen *g) {
    static const int32_t borders[] = {-126, -126, -126, -126, -126, -126, -150, -150, -149, 127, 128, 0};
    g->of_both = borders[below(g, sizeof borders / sizeof *borders)];
    g->of_one =
        g->of_both ? between(g, 1, 60) : between(g, -30, 30); /* so that the other one is a number, too */
    if (g->of_both < 0)
        g->of_one = -g->of_one;
    g->significand = 1u << 23;
    if (chance(g, 75)) {
        const bool lacks = g->of_both == -126 && chance(g, 60);
        uint64_t rest;
        uint32_t tries = 0;
        do {
            g->significand = 1u << 23 | bits(g, 23);
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
    default: /* the product, or what it is added to */
        if (chance(g, 25))
            return bits(g, 1) << 31;
        return near_power(g, chance(g, 15)       ? g->of_both
                             : g->of_both < -100 ? -126
                             : chance(g, 50)     ? 0
                                                 : g->of_both - 24);
    }
}

/* Of any class; in some triples zero, infinity, and what their product, which is invalid, is added to: mostly a quiet NaN, which hides that. */
static uint32_t special_part(gen *g, uint32_t part) {
    if (part == 0)
        g->invalid = chance(g, 25);
    if (!g->invalid || (part == 2 && chance(g, 40)))
        return special_class(g);
    return bits(g, 1) << 31 | (part == 0 ? 0 : part == 1 ? 0x7f800000 : 0x7fc00000);
}

/* A binary32 with all digits, from 2^-8 to 2^6: nothing special is in its exponential or its sums. */
static uint32_t digits(gen *g) {
    const uint32_t fraction = bits(g, 23), exponent = (uint32_t)between(g, 119, 132);
    return (uint32_t)chance(g, 50) << 31 | exponent << 23 | fraction;
}

/* That word of a theme's. */
static uint32_t operand_of(gen *g, theme t, uint32_t word) {
    switch (t) {
    case THEME_SPECIAL: return special_part(g, word % PARTS);
    case THEME_PRODUCTS:
        if (word % PARTS == 0 && g->many_products)
            draw_products(g);
        return product(g, word % PARTS);
    case THEME_LIMITS: return near_limit(g);
    case THEME_CORNERS: return corner(g);
    case THEME_DIGITS: return digits(g);
    default: return operand(g);
    }
}

/* A random multiple of size from low up to high. */
static int32_t at_multiple(gen *g, int32_t low, int32_t high, int32_t size) {
    const int32_t first = low >= 0 ? (low + size - 1) / size : -(-low / size),
                  last = high >= 0 ? high / size : -((-high + size - 1) / size);
    return between(g, first, last) * size;
}

/* A random multiple of size from low up to high, often one of a few places. */
static int32_t offset_in(gen *g, int32_t low, int32_t high, int32_t size) {
    const int32_t near_by = g->spot[below(g, SPOTS)], spot = near_by + at_multiple(g, 0, 7, size);
    return chance(g, 50) && spot >= low && spot <= high ? spot : at_multiple(g, low, high, size);
}

/* --- Registers --- */

typedef struct pool {
    bool free[KARAT_NUM_V];
    uint32_t num;
} pool;

typedef enum parity { ANY, ODD, PAIR } parity;

/* 0: there is none. */
static uint32_t take_if(gen *g, pool *from, parity kind) {
    uint32_t fits[KARAT_NUM_V], num = 0;
    for (uint32_t i = 0; i < from->num; i++)
        if (from->free[i] && (kind != ODD || i % 2) &&
            (kind != PAIR || (i % 2 == 0 && i + 1 < from->num && from->free[i + 1])))
            fits[num++] = i;
    if (!num)
        return 0;
    const uint32_t reg = fits[below(g, num)];
    from->free[reg] = false;
    if (kind == PAIR)
        from->free[reg + 1] = false;
    return reg;
}

static uint32_t take(gen *g, pool *from, parity kind) {
    const uint32_t reg = take_if(g, from, kind);
    if (!reg)
        prog_fail(g->p, "too few registers");
    return reg;
}

static bool in_v(const gen *g, uint32_t reg) {
    for (uint32_t i = 0; i < g->num_pool_v; i++)
        if (g->v[i] == reg)
            return true;
    return false;
}

static bool in_x(const gen *g, uint32_t reg) {
    for (uint32_t i = 0; i < g->num_pool_x; i++)
        if (g->x[i] == reg)
            return true;
    return false;
}

static void choose_registers(gen *g) {
    static const uint32_t numbers[] = {64, 96, 128, 160, 256, 256};
    g->num_x = (uint32_t)between(g, 48, 64);
    do
        g->num_v = chance(g, 50) ? numbers[below(g, 6)] : (uint32_t)between(g, 64, KARAT_NUM_V);
    while ((g->num_v + GRANULE - 1) / GRANULE * GRANULE > g->max_vgprs); /* devices round them up */
    pool x = {.num = g->num_x}, v = {.num = g->num_v};
    for (uint32_t i = 1; i < x.num; i++)
        x.free[i] = true;
    for (uint32_t i = 2; i < v.num; i++)
        v.free[i] = true;
    /* An even register before REGPAIR is the low half of an address: its upper half is kept 0. */
    g->address_pair = take(g, &x, PAIR);
    for (uint32_t s = GLOBAL; s < PRIVATE; s++)
        if (g->warps == 1 && (s == NEIGHBOUR || s == LDS_NEIGHBOUR))
            g->base[s] = g->base[s == NEIGHBOUR ? GLOBAL : LDS];
        else if (s < SHARED_GLOBAL || g->params->races)
            g->base[s] = take(g, &x, ODD);
    g->address = take(g, &x, ODD);
    g->table_base = take(g, &x, ODD);
    uint32_t *const others[] = {&g->stride,     &g->sink,       &g->mask_global, &g->mask_lds,
                                &g->counter[0], &g->counter[1], &g->counter[2],  &g->link[0],
                                &g->link[1],    &g->rpc,        &g->fold};
    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++)
        *others[i] = take(g, &x, ANY);
    for (uint32_t i = 0; i < 3; i++) {
        g->vbase[i][0] = take(g, &v, PAIR);
        g->vbase[i][1] = take(g, &v, ODD);
    }
    for (uint32_t i = 0; i < 2; i++)
        g->index[i] = take(g, &v, PAIR);
    g->zero = take(g, &v, ANY);
    g->vfold = take(g, &v, ANY);
    g->vtable = take(g, &v, ANY);
    g->vmixed = take(g, &v, ODD);
    for (uint32_t i = 0; i < 3; i++)
        g->vcounter[i] = take(g, &v, ANY);
    if (g->groups > 1 && chance(g, 40))
        g->vbelow = take(g, &v, PAIR);
    /* Short programs are not to be mostly beginning and end. */
    const bool few = g->params->length < FEW_LENGTH || chance(g, 50);
    const uint32_t most_x = (uint32_t)between(g, 6, few ? MAX_X / 2 : MAX_X),
                   pairs = (uint32_t)between(g, 3, few ? 5 : 10), others_v = few ? 6 : 8;
    while (g->num_pool_x + 1 < most_x) {
        /* The first is odd: one that can stand before REGPAIR is always there. */
        const bool pair = g->num_pool_x && chance(g, 35);
        const uint32_t reg = take_if(g, &x, !g->num_pool_x ? ODD : pair ? PAIR : ANY);
        if (!reg && !pair)
            break;
        if (reg)
            g->x[g->num_pool_x++] = reg;
        if (reg && pair)
            g->x[g->num_pool_x++] = reg + 1;
    }
    bool used[KARAT_NUM_V] = {true, true};
    for (uint32_t i = 0; i < pairs; i++) {
        const uint32_t reg = take(g, &v, PAIR);
        used[reg] = used[reg + 1] = true;
    }
    for (uint32_t i = 0; i < others_v; i++) { /* numbers that differ in the extension alone */
        uint32_t reg;
        do
            reg = below(g, g->num_v);
        while (!used[reg]);
        reg = (reg + 32 * (1 + below(g, 7))) % KARAT_NUM_V;
        if (reg < g->num_v && v.free[reg])
            used[reg] = true;
    }
    for (uint32_t i = 0; i < KARAT_NUM_V && g->num_pool_v < MAX_V; i++)
        if (used[i])
            g->v[g->num_pool_v++] = i;
    if (g->params->races && chance(g, 40)) {
        for (uint32_t i = 0; i < g->num_v; i++)
            v.free[i] = v.free[i] && !used[i];
        g->unread = take_if(g, &v, PAIR);
        for (uint32_t reg; g->num_unwritten < MOST_UNWRITTEN && (reg = take_if(g, &v, PAIR)) != 0;)
            g->unwritten[g->num_unwritten++] = reg;
    }
    for (uint32_t i = 0; i < 6; i++)
        g->x_hot[i] = i == 5 && in_x(g, g->x_hot[4] + 1) ? g->x_hot[4] + 1 : g->x[below(g, g->num_pool_x)];
    for (uint32_t i = 0; i < FRESH; i++) {
        g->fresh_x[i] = g->x[below(g, g->num_pool_x)];
        g->fresh_v[i] = g->v[below(g, g->num_pool_v)];
    }
    g->v_hot[0] = 0;
    for (uint32_t i = 1; i < 8; i++)
        g->v_hot[i] = g->v[below(g, g->num_pool_v)];
}

/* A scalar register; pair: one whose upper half may be read or written with it. */
static uint32_t scalar(gen *g, bool pair) {
    if (pair && g->last_x % 2 && in_x(g, g->last_x - 1) && chance(g, 40))
        return g->last_x - 1;
    for (;;) {
        const uint32_t reg = !pair && chance(g, 6)        ? 0
                             : g->last_x && chance(g, 22) ? g->last_x
                             : chance(g, 60)              ? g->x_hot[below(g, 6)]
                                                          : g->x[below(g, g->num_pool_x)];
        if (!pair || reg % 2 || in_x(g, reg + 1))
            return reg;
    }
}

static uint32_t vector(gen *g, bool group, bool pair) {
    if (pair && g->last_v % 2 && in_v(g, g->last_v - 1) && chance(g, 40))
        return g->last_v - 1;
    for (uint32_t tries = 0; tries < 64; tries++) {
        const uint32_t reg = chance(g, 22)   ? g->last_v
                             : chance(g, 60) ? g->v_hot[below(g, 8)]
                                             : g->v[below(g, g->num_pool_v)];
        if (group ? reg % 2 == 0 && in_v(g, reg + 1) : !pair || reg % 2 || in_v(g, reg + 1))
            return reg;
    }
    return group ? 0 : 1;
}

/* One of those that differ from that one in the extension alone, or itself. */
static uint32_t twin(gen *g, uint32_t reg) {
    uint32_t same[MAX_V], num = 0;
    for (uint32_t i = 0; i < g->num_pool_v; i++)
        if ((g->v[i] & 31) == (reg & 31))
            same[num++] = g->v[i];
    return num ? same[below(g, num)] : reg;
}

/* --- Instructions --- */

static void give(values *v, int8_t operand, int32_t value) {
    if (operand < 0)
        return;
    v->at[operand] = value;
    v->set |= 1u << operand;
}

/* An immediate that no prefix may make wider. */
static void give_fixed(values *v, int8_t operand, int32_t value) {
    give(v, operand, value);
    if (operand >= 0)
        v->fixed |= 1u << operand;
}

static void give_rd(values *v, const row_use *u, uint32_t reg) {
    give(v, u->dest, (int32_t)reg);
}
static void give_1(values *v, const row_use *u, uint32_t reg) {
    give(v, u->source[1], (int32_t)reg);
}
static void give_2(values *v, const row_use *u, uint32_t reg) {
    give(v, u->source[2], (int32_t)reg);
}

static int32_t immediate(gen *g, const karat_operand_kind *kind, uint32_t width) {
    const uint32_t all = width < 32 ? (1u << width) - 1 : UINT32_MAX;
    const uint32_t choice = below(g, 6);
    const uint32_t raw = choice == 0   ? 0
                         : choice == 1 ? 1
                         : choice == 2 ? all
                         : choice == 3 ? 1u << (width - 1)
                                       : bits(g, width);
    return kind->is_signed ? (int32_t)(raw << (32 - width)) >> (32 - width) : (int32_t)raw;
}

/* A random value of an operand that the caller leaves open. */
static int32_t any_value(gen *g, const row_use *u, uint32_t operand, bool pair) {
    const karat_operand_kind *kind = karat_operand_info(u->info->operands[operand]);
    if (kind->is_reg && kind->role != KARAT_ROLE_IGNORED)
        return (int32_t)(kind->cls == KARAT_CLASS_X ? scalar(g, pair)
                                                    : vector(g, u->grouped && g->lmul == 2, pair));
    if (kind->role == KARAT_ROLE_VM)
        return kind->bits ? chance(g, 65) : 0;
    if ((int8_t)operand == u->rm) {
        const int32_t mode = between(g, 0, 5);
        return mode == 5 ? 7 : mode;
    }
    return kind->bits ? immediate(g, kind, kind->bits) : 0;
}

/* Append an instruction, behind a prefix where its registers need one or by chance. Returns its number. */
static int32_t put(gen *g, const row_use *u, bool pair, values v) {
    const bool data_pair = pair && u->bytes == 4;
    uint32_t ext[4] = {0}, extd = 0;
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        if (!(v.set >> i & 1))
            v.at[i] = any_value(g, u, i, data_pair);
    }
    for (unsigned s = 1; s <= 3; s++)
        ext[s] = u->source[s] >= 0 ? (uint32_t)v.at[u->source[s]] >> 5 : 0;
    int32_t apart = PROG_NONE;
    bool wants = ext[1] | ext[2] | ext[3];
    if (u->dest >= 0) {
        extd = (uint32_t)v.at[u->dest] >> 5;
        wants |= extd != 0;
    }
    if (u->dest_read) { /* vd is also the third operand: x3 is ignored, and may name another register of the pool */
        uint32_t same[KARAT_NUM_V / 32], num = 0;
        for (uint32_t i = 0; i < g->num_pool_v; i++)
            if ((g->v[i] & 31) == ((uint32_t)v.at[u->dest] & 31))
                same[num++] = g->v[i];
        apart = num && chance(g, 60) ? (int32_t)same[below(g, num)] : v.at[u->dest] & 31;
        for (uint32_t i = 0; i < num; i++) /* the last register written, or one whose result is on its way */
            if (same[i] == g->last_v && chance(g, 40))
                apart = (int32_t)same[i];
        ext[3] = (uint32_t)apart >> 5;
        wants |= ext[3] != 0;
    }
    const bool narrow = !ext[1] && !ext[3];
    const bool wide = u->wide >= 0 && !(v.fixed >> u->wide & 1);
    prog_prefix prefix = PROG_PLAIN;
    if (pair)
        prefix = narrow && chance(g, 20) ? PROG_REGPAIRI : PROG_REGPAIR;
    else if (narrow && u->takes_prefix[PROG_REGEXTI] &&
             (chance(g, 4) || (wants && chance(g, 30)) || (wide && chance(g, 15))))
        prefix = PROG_REGEXTI;
    else if (wants || (u->takes_prefix[PROG_REGEXT] && chance(g, 4)))
        prefix = PROG_REGEXT;
    if (prefix == PROG_REGEXTI && wide && !(v.set >> u->wide & 1))
        v.at[u->wide] = immediate(g, karat_operand_info(u->info->operands[u->wide]), 11);
    const int32_t at = prog_put(g->p, u->row, v.at, prefix, apart);
    if (at == PROG_NONE && !g->p->failed)
        prog_fail(g->p, "instruction %u: %s cannot be encoded", (unsigned)g->p->num, u->info->name);
    if (u->dest >= 0 && (u->dest_x ? in_x : in_v)(g, (uint32_t)v.at[u->dest]))
        *(u->dest_x ? &g->last_x : &g->last_v) = (uint32_t)v.at[u->dest];
    return at;
}

static values none(void) {
    return (values){{0}, 0, 0};
}

static void put_any(gen *g, const row_use *u) {
    put(g, u, false, none());
}

/* rd, rs1, immediate or rs2: the last operand. */
static void put3(gen *g, const row_use *u, uint32_t rd, uint32_t rs1, int32_t last) {
    values v = none();
    give_fixed(&v, 0, (int32_t)rd);
    give_fixed(&v, 1, (int32_t)rs1);
    give_fixed(&v, 2, last);
    put(g, u, false, v);
}

/* Without a prefix: others jump here, or it is a place that is counted on. */
static int32_t put_bare(gen *g, const row_use *u, values v) {
    const int32_t at = prog_put(g->p, u->row, v.at, PROG_AUTO, PROG_NONE);
    if (at == PROG_NONE && !g->p->failed)
        prog_fail(g->p, "instruction %u: %s cannot be encoded", (unsigned)g->p->num, u->info->name);
    return at;
}

static void li(gen *g, uint32_t reg, uint32_t value) {
    prog_li(g->p, reg, value);
}

static void csr_read(gen *g, uint32_t reg, const char *name) {
    values v = none();
    for (uint32_t csr = 0; csr < 4096; csr++)
        if (karat_csr_name(csr) && strcmp(karat_csr_name(csr), name) == 0)
            give(&v, g->row.csrrs->csr, (int32_t)csr);
    give_rd(&v, g->row.csrrs, reg);
    give_1(&v, g->row.csrrs, 0);
    put(g, g->row.csrrs, false, v);
}

static uint32_t csr_number(gen *g) {
    uint32_t csr;
    do
        csr = below(g, 4096);
    while (!karat_csr_name(csr));
    return csr;
}

/* An access to that CSR, where the instruction may; the source is any where it is PROG_NONE. */
static void put_csr(gen *g, const row_use *u, uint32_t csr, int32_t source) {
    const char *name = karat_csr_name(csr);
    const bool fixed = csr >> 10 == 3 || (csr >= 0x800 && csr <= 0x80a),
               swaps = strncmp(u->info->name, "csrrw", 5) == 0, prints = strcmp(name, "print") == 0;
    const bool zero = fixed || strcmp(name, "vstart") == 0 || (prints && !swaps);
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
    if (prints || strcmp(name, "wgid") == 0 || strcmp(name, "lds") == 0 || strcmp(name, "pds") == 0)
        give_rd(
            &v, u,
            g->sink); /* when the host prints, and the dispatcher's own numbers: nothing may depend on them */
    put(g, u, false, v);
    if (!zero && (strcmp(name, "frm") == 0 || strcmp(name, "fcsr") == 0)) {
        v = none();
        give_rd(&v, g->row.csrrwi, 0);
        give(&v, g->row.csrrwi->csr, 2);
        give_fixed(&v, g->row.csrrwi->wide, between(g, 0, 4));
        put(g, g->row.csrrwi, false, v);
    }
}

/* csrrwi x0, csr, value */
static void csr_set(gen *g, uint32_t csr, int32_t value) {
    values v = none();
    give_rd(&v, g->row.csrrwi, 0);
    give(&v, g->row.csrrwi->csr, (int32_t)csr);
    give_fixed(&v, g->row.csrrwi->wide, value);
    put(g, g->row.csrrwi, false, v);
}

/* A branch whose target comes later: prog_lead() names it. */
static int32_t branch(gen *g, const row_use *u, values v) {
    give(&v, u->target, 0);
    return put(g, u, false, v);
}

static int32_t jal(gen *g, uint32_t rd) {
    values v = none();
    give_rd(&v, g->row.jal, rd);
    return branch(g, g->row.jal, v);
}

static void bind(gen *g, int32_t insn) {
    prog_lead(g->p, insn, (int32_t)g->p->num);
}

/* --- Begin and end --- */

/* Words from lane to lane, up to most: often a power of two. */
static int32_t apart(gen *g, uint32_t most) {
    uint32_t power = 1;
    while (power * 2 <= most && chance(g, 70))
        power *= 2;
    return chance(g, 60) ? (int32_t)power : between(g, 0, (int32_t)most);
}

static void put_vid(gen *g, uint32_t reg) {
    values v = none();
    give_rd(&v, g->row.vid_v, reg);
    give(&v, g->row.vid_v->vm, 1);
    put(g, g->row.vid_v, false, v);
}

/* Vector addresses: lanes, whose numbers are in that register, apart by so many words. */
static void put_vbase(gen *g, uint32_t reg, uint32_t lane, uint32_t start, int32_t apart) {
    put3(g, g->row.addi, g->stride, 0, 4 * apart);
    const row_use *const rows[] = {g->row.vmul_vx, g->row.vadd_vx};
    const uint32_t scalars[] = {g->stride, start};
    for (uint32_t i = 0; i < 2; i++) {
        values v = none();
        give_rd(&v, rows[i], reg);
        give_2(&v, rows[i], i ? reg : lane);
        give_1(&v, rows[i], scalars[i]);
        give(&v, rows[i]->vm, 1);
        put(g, rows[i], false, v);
    }
}

static void put_vmv_i(gen *g, uint32_t reg) {
    values v = none();
    const row_use *u = g->row.vmv_v_i;
    give_rd(&v, u, reg);
    give_fixed(&v, u->wide, 0);
    give(&v, u->vm, 1);
    put(g, u, false, v);
}

static void vlw12(gen *g, uint32_t reg, uint32_t base, int32_t offset) {
    values v = none();
    give_rd(&v, g->row.vlw12_v, reg);
    give(&v, g->row.vlw12_v->offset, offset);
    give_1(&v, g->row.vlw12_v, base);
    give(&v, g->row.vlw12_v->vm, 1);
    put(g, g->row.vlw12_v, false, v);
}

static void vsw12(gen *g, uint32_t reg, int32_t offset) {
    values v = none();
    give_2(&v, g->row.vsw12_v, reg);
    give(&v, g->row.vsw12_v->offset, offset);
    give_1(&v, g->row.vsw12_v, g->vbase[GLOBAL][0]);
    give(&v, g->row.vsw12_v->vm, 1);
    put(g, g->row.vsw12_v, false, v);
}

static void put_sw(gen *g, uint32_t data, uint32_t base, int32_t offset) {
    values v = none();
    give_2(&v, g->row.sw, data);
    give_1(&v, g->row.sw, base);
    give(&v, g->row.sw->offset, offset);
    put(g, g->row.sw, false, v);
}

/* One that waits: of any scope but 'work_item'. */
static void put_barrier(gen *g) {
    static const int32_t scopes[] = {0, 2, 3};
    values v = none();
    const int32_t scope = scopes[below(g, 3)];
    give_fixed(&v, 0, scope << 3 | (int32_t)bits(g, 3));
    put(g, g->row.barrier, false, v);
}

/* reg = an index made of from's bits: of all 32, or of the lower half, whatever the upper one is. */
static void mask_index(gen *g, bool all, uint32_t reg, uint32_t from) {
    values v = none();
    if (!all)
        li(g, g->address, 0xffff07fc);
    give_rd(&v, g->row.vand_vx, reg);
    give_2(&v, g->row.vand_vx, from);
    give_1(&v, g->row.vand_vx, all ? g->mask_global : g->address);
    give(&v, g->row.vand_vx->vm, 1);
    put(g, g->row.vand_vx, false, v);
}

/* Store into every part of the local memory between the warps' regions. */
static void touch_local(gen *g) {
    enum { STEP = 1024 };
    const uint32_t num = (g->lds_apart - LDS_REGION) / STEP;
    if (chance(g, 75))
        put_sw(g, 0, g->base[LDS], LDS_REGION / 2 - 4);
    if (!num || chance(g, 25))
        return;
    put3(g, g->row.addi, g->address, g->base[LDS], -LDS_REGION / 2 - 4);
    li(g, g->counter[0], num);
    const int32_t top = (int32_t)g->p->num;
    put_sw(g, 0, g->address, 0);
    put_sw(g, 0, g->address, -STEP / 2);
    put3(g, g->row.addi, g->address, g->address, -STEP);
    put3(g, g->row.addi, g->counter[0], g->counter[0], -1);
    values v = none();
    give_1(&v, g->row.bne, g->counter[0]);
    give_2(&v, g->row.bne, 0);
    prog_lead(g->p, branch(g, g->row.bne, v), top);
}

/* Where the operands are. */
static uint32_t table_at(const gen *g) {
    return PROG_DATA + g->warps * g->groups * REGION;
}

static uint32_t shared_at(const gen *g) {
    return table_at(g) + TABLE + KNL;
}

/* Addresses of private memory: of the first workgroup's own; of the others', below theirs, where the one before has some for them. */
static void set_below(gen *g) {
    values v = none();
    csr_read(g, g->address, "gdx");
    give_rd(&v, g->row.sltu, g->address);
    give_1(&v, g->row.sltu, 0);
    give_2(&v, g->row.sltu, g->address);
    put(g, g->row.sltu, false, v);
    put3(g, g->row.sub, g->counter[0], 0, (int32_t)g->address);
    li(g, g->counter[1], (uint32_t)-PDS);
    v = none();
    give_rd(&v, g->row.and, g->counter[1]);
    give_1(&v, g->row.and, g->counter[1]);
    give_2(&v, g->row.and, g->counter[0]);
    put(g, g->row.and, false, v);
    put3(g, g->row.addi, g->counter[1], g->counter[1], 1024);
    put_vbase(g, g->vbelow, g->vcounter[0], g->counter[1], apart(g, 4));
    v = none();
    give_rd(&v, g->row.vmv_v_x, g->vbelow + 1);
    give_1(&v, g->row.vmv_v_x, g->counter[0]);
    put(g, g->row.vmv_v_x, false, v);
}

static void begin(gen *g) {
    const uint32_t temp = g->address, temp2 = g->stride, *base = g->base;
    for (uint32_t n = chance(g, 45) ? 2 + below(g, g->warps * g->groups < 8 ? 9 : 22) : 0;
         n--;) /* all warps at once */
        csr_set(g, CSR_PRINT, between(g, 1, 31));
    csr_read(g, temp, "gdx");
    csr_read(g, temp2, "numw");
    put3(g, g->row.mul, temp, temp, (int32_t)temp2);
    csr_read(g, g->sink, "wid");
    const uint32_t local = g->counter[2], region = g->counter[1], bytes = g->counter[0],
                   warp[] = {g->sink, base[NEIGHBOUR]};
    const uint32_t others = g->warps > 1 ? 2 : 1;
    csr_read(g, local, "lds");
    if (others > 1) {
        put3(g, g->row.addi, base[NEIGHBOUR], g->sink, 1);
        put3(g, g->row.remu, base[NEIGHBOUR], base[NEIGHBOUR], (int32_t)temp2);
    }
    li(g, region, g->lds_apart);
    for (uint32_t i = 0; i < others; i++)
        put3(g, g->row.mul, i ? base[LDS_NEIGHBOUR] : base[LDS], warp[i], (int32_t)region);
    li(g, region, g->lds_apart - LDS_REGION / 2);
    put3(g, g->row.add, region, region, (int32_t)local);
    li(g, bytes, PROG_DATA + REGION / 2);
    for (uint32_t i = 0; i < others; i++) {
        const uint32_t global = i ? base[NEIGHBOUR] : base[GLOBAL], lds = i ? base[LDS_NEIGHBOUR] : base[LDS];
        put3(g, g->row.add, lds, lds, (int32_t)region);
        put3(g, g->row.add, global, warp[i], (int32_t)temp);
        put3(g, g->row.slli, global, global, 13); /* REGION */
        put3(g, g->row.add, global, global, (int32_t)bytes);
    }
    if (g->params->races) {
        li(g, base[SHARED_GLOBAL], shared_at(g));
        li(g, temp, g->warps * g->lds_apart);
        put3(g, g->row.add, base[SHARED_LDS], local, (int32_t)temp);
        for (int32_t offset = 0; offset < SHARED; offset += 4)
            put_sw(g, 0, base[SHARED_LDS], offset);
        put_barrier(g);
    }
    touch_local(g);
    put3(g, g->row.addi, g->address_pair, 0, 0);
    put3(g, g->row.addi, g->address_pair + 1, 0, 0);
    li(g, g->mask_global, 0x7fc);
    li(g, g->mask_lds, 0x1fc);
    for (uint32_t n = below(g, 4); n--;) /* as the launch has left them */
        put_csr(g, g->row.csrrs, csr_number(g), 0);
    if (chance(g, 60)) /* directed ones are where results differ most often */
        csr_set(g, CSR_FRM, chance(g, 60) ? between(g, 2, 3) : between(g, 1, 4));
    const uint32_t lane = g->vcounter[0];
    put_vid(g, lane);
    for (uint32_t i = 0; i < 2; i++) {
        put_vbase(g, g->vbase[GLOBAL][i], lane, base[GLOBAL], apart(g, 15));
        put3(g, g->row.addi, temp, base[LDS], -256);
        put_vbase(g, g->vbase[LDS][i], lane, temp, apart(g, 128 / g->params->num_thread));
        put3(g, g->row.addi, temp, 0, 1024);
        put_vbase(g, g->vbase[2][i], lane, temp, apart(g, 4));
    }
    put3(g, g->row.srli, temp2, base[GLOBAL], 13); /* REGION: each warp's operands begin elsewhere */
    put3(g, g->row.andi, temp2, temp2, 3);
    li(g, temp, PART_APART / 3 / TRIPLE * TRIPLE);
    put3(g, g->row.mul, temp2, temp2, (int32_t)temp);
    li(g, temp, table_at(g) + TABLE_MIDDLE);
    put3(g, g->row.add, g->table_base, temp, (int32_t)temp2);
    put_vbase(g, g->vtable, lane, g->table_base, 1);
    for (uint32_t i = 0; i < 3; i++)
        put_vmv_i(g, g->vbase[i][0] + 1);
    put_vbase(g, g->vmixed, lane, base[GLOBAL], apart(g, 8));
    if (g->vbelow)
        set_below(g);
    for (uint32_t i = 0; i < g->num_pool_x; i++)
        if (chance(g, 50))
            li(g, g->x[i], operand(g));
        else { /* of the operands, or from local memory, which is 0 */
            const bool local_x = chance(g, 25);
            values v = none();
            give_rd(&v, g->row.lw, g->x[i]);
            give_1(&v, g->row.lw, local_x ? base[LDS] : g->table_base);
            give(&v, g->row.lw->offset,
                 local_x ? offset_in(g, -256, 248, 4)
                         : 4 * between(g, -TABLE_MIDDLE / 4, (TABLE_MIDDLE - PART_APART) / 4));
            put(g, g->row.lw, false, v);
        }
    put_vmv_i(g, g->zero);
    put_vmv_i(g, g->vfold);
    put3(g, g->row.addi, g->fold, 0, 0);
    for (uint32_t i = 0; i < 3; i++)
        put_vmv_i(g, g->vcounter[i]);
    for (uint32_t i = 0; i < g->num_pool_v; i++)
        vlw12(g, g->v[i], g->vbase[GLOBAL][0], 4 * between(g, -512, 508));
    for (uint32_t n = 2 + below(g, 4); n--;) { /* local memory, in which all is 0 */
        values v = none();
        give_2(&v, g->row.vsw12_v, g->v[below(g, g->num_pool_v)]);
        give_1(&v, g->row.vsw12_v, g->vbase[LDS][below(g, 2)]);
        give(&v, g->row.vsw12_v->offset, offset_in(g, -256, 248, 4));
        give(&v, g->row.vsw12_v->vm, 1);
        put(g, g->row.vsw12_v, false, v);
    }
    for (uint32_t i = 0; i < 4; i++) {
        vlw12(g, g->index[i / 2] + i % 2, g->vbase[GLOBAL][0], 4 * between(g, -512, 508));
        mask_index(g, i < 2, g->index[i / 2] + i % 2, g->index[i / 2] + i % 2);
    }
}

static void vset(gen *g, uint32_t lmul, bool full);

/* vfold = vfold op reg */
static void fold_vector(gen *g, const row_use *u, uint32_t reg) {
    values v = none();
    give_rd(&v, u, g->vfold);
    give_1(&v, u, reg);
    give_2(&v, u, g->vfold);
    give(&v, u->vm, 1);
    put(g, u, false, v);
}

/* Some of what has been computed so far, what came last among it, goes into the signature: it may be overwritten before the end. */
static void fold_some(gen *g) {
    const uint32_t x[] = {g->last_x, g->x_hot[below(g, 6)]}, v[] = {g->last_v, g->v_hot[below(g, 8)]};
    for (uint32_t i = 0; i < 2; i++) {
        put3(g, g->row.add, g->fold, g->fold, (int32_t)x[i]);
        if (g->lmul == 1)
            fold_vector(g, g->row.vadd_vv, v[i]);
    }
}

/* Each warp folds its registers into a signature: its vector registers thread by thread, its scalar registers into one word. */
static void end(gen *g) {
    vset(g, 1, true);
    for (uint32_t i = 0; i < g->num_pool_v; i++)
        fold_vector(g, g->row.vxor_vv, g->v[i]);
    put_vid(g, g->vcounter[0]);
    put_vbase(g, g->vbase[GLOBAL][0], g->vcounter[0], g->base[GLOBAL], 1);
    vsw12(g, g->vfold, -2048);
    for (uint32_t i = 0; i < g->num_pool_x; i++)
        put3(g, g->row.xor, g->fold, g->fold, (int32_t)g->x[i]);
    put_sw(g, g->fold, g->base[GLOBAL], -2048 + 4 * 32);
}

/* --- Straight lines --- */

static bool is_splat(const row_use *u) {
    return u->dest_x && (u->source_v[1] || u->source_v[2]);
}

/* One for which all lanes have to hold the same: what that scalar register has. */
static void splat(gen *g, const row_use *u, uint32_t from) {
    const uint32_t reg = vector(g, g->lmul == 2, false);
    values v = none();
    give_rd(&v, g->row.vmv_v_x, reg);
    give_1(&v, g->row.vmv_v_x, from);
    put(g, g->row.vmv_v_x, false, v);
    v = none();
    for (unsigned s = 1; s <= 3; s++)
        if (u->source_v[s])
            give(&v, u->source[s], (int32_t)reg);
    put(g, u, false, v);
}

static uint32_t weighted_unit(gen *g) {
    uint32_t at = below(g, g->plain_sum), unit = 0;
    while (at >= g->plain_weight[unit])
        at -= g->plain_weight[unit++];
    return unit;
}

static void any_plain(gen *g) {
    const row_use *u =
        chance(g, 15) ? g->favourite[below(g, FAVOURITES)] : pick(g, g->table->units[weighted_unit(g)]);
    if (is_splat(u))
        splat(g, u, scalar(g, false));
    else
        put_any(g, u);
}

static void any_csr(gen *g) {
    const uint32_t csr = csr_number(g);
    put_csr(g, pick(g, g->table->units[KARAT_UNIT_CSR]), csr, PROG_NONE);
}

/* One write behind the other, often of all warps at once; and whether the host has taken them. */
static void print(gen *g, const context *c) {
    if (c->uniform && chance(g, 40))
        put_barrier(g);
    for (uint32_t n = 1 + below(g, 6); n--;)
        if (chance(g, 60))
            csr_set(g, CSR_PRINT, between(g, 1, 31));
        else
            put_csr(g, pick(g, g->table->units[KARAT_UNIT_CSR]), CSR_PRINT, PROG_NONE);
    for (uint32_t n = chance(g, 40) ? 1 + below(g, 8) : 0; n--;) {
        any_plain(g);
        if (chance(g, 30))
            put_csr(g, g->row.csrrs, CSR_PRINT, 0);
    }
}

static bool is_fp(uint32_t unit) {
    return unit == KARAT_UNIT_FP || unit == KARAT_UNIT_FDIV || unit == KARAT_UNIT_SFU ||
           unit == KARAT_UNIT_TENSOR;
}

/* Half of them alike, whatever their weights. */
static uint32_t any_unit(gen *g) {
    uint32_t unit = weighted_unit(g);
    while (chance(g, 50)) {
        unit = below(g, KARAT_NUM_UNIT);
        if (g->plain_weight[unit])
            break;
        unit = weighted_unit(g);
    }
    return unit;
}

/* Whether the instruction can have that register: groups begin at even numbers. */
static bool fits(const gen *g, const row_use *u, bool is_v, uint32_t reg) {
    return !is_v || !u->grouped || g->lmul == 1 || (reg % 2 == 0 && in_v(g, reg + 1));
}

static bool saturates(const row_use *u) {
    return strncmp(u->info->name, "vsadd", 5) == 0 || strncmp(u->info->name, "vssub", 5) == 0 ||
           strncmp(u->info->name, "vsmul", 5) == 0;
}

/* From floating point to integers or back. */
static bool converts(const row_use *u) {
    return strstr(u->info->name, "cvt") != NULL;
}

static bool is_exponential(const row_use *u) {
    return strstr(u->info->name, "exp") != NULL;
}

/* In floating point; without an addition. */
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

/* A row of the unit: of some themes mostly one that they are for. */
static const row_use *row_for(gen *g, uint32_t unit, theme t) {
    bool (*const is_for)(const row_use *) =
        t == THEME_CORNERS && (unit == KARAT_UNIT_ALU || unit == KARAT_UNIT_MUL) ? saturates
        : unit == KARAT_UNIT_FP && t == THEME_LIMITS                             ? converts
        : unit == KARAT_UNIT_SFU && t == THEME_DIGITS && chance(g, 50)           ? is_exponential
        : unit == KARAT_UNIT_FP && t == THEME_PRODUCTS && chance(g, 45)          ? only_multiplies
        : unit == KARAT_UNIT_FP && (t == THEME_PRODUCTS || (t == THEME_SPECIAL && chance(g, 70))) ? multiplies
                                                                                                  : NULL;
    const bool any = !is_for || chance(g, 40);
    const row_use *u = g->favourite[below(g, FAVOURITES)];
    if (any && u->info->unit == unit && chance(g, 50))
        return u;
    do
        u = pick(g, g->table->units[unit]);
    while (!any && !is_for(u));
    return u;
}

/* Where an operand is in the theme's part of the table: operands loaded one after the other are mostly different parts of a product, in
 * all lanes and for all warps, which begin elsewhere in turn. */
static int32_t table_word(gen *g, theme t, uint32_t part) {
    const int32_t low = (int32_t)t * PART - TABLE_MIDDLE, high = low + PART - PART_APART;
    if (chance(g, 20))
        return at_multiple(g, low, high, 4);
    return at_multiple(g, low, high - TRIPLE, TRIPLE) + 4 * (int32_t)part;
}

static void load_x(gen *g, uint32_t reg, int32_t offset) {
    values from = none();
    give_rd(&from, g->row.lw, reg);
    give_1(&from, g->row.lw, g->table_base);
    give(&from, g->row.lw->offset, offset);
    put(g, g->row.lw, false, from);
}

/* That instruction, mostly on the operands that have come from the table last: so many. */
static void put_on(gen *g, const row_use *u, uint32_t loaded) {
    const bool triple = loaded == FRESH;
    values given = none();
    if (is_splat(u)) {
        splat(g, u, g->fresh_x[below(g, FRESH)]);
        return;
    }
    const uint32_t first = below(g, loaded), newest = g->next_fresh + FRESH - 1;
    const bool alike = chance(g, 8);
    for (unsigned s = 1; s <= 3; s++) { /* mostly another one for each */
        const uint32_t back = alike           ? first
                              : chance(g, 85) ? (first + s) % loaded
                                              : below(g, FRESH),
                       from = (newest - back) % FRESH;
        const uint32_t reg = (u->source_v[s] ? g->fresh_v : g->fresh_x)[from];
        if (u->source[s] >= 0 && chance(g, 85) && fits(g, u, u->source_v[s], reg))
            give(&given, u->source[s], (int32_t)reg);
    }
    const uint32_t reg =
        chance(g, triple ? 10 : 30) ? twin(g, g->last_v) : g->fresh_v[(newest - first) % FRESH];
    if (u->dest_read && chance(g, triple ? 85 : 50) && fits(g, u, true, reg))
        give(&given, u->dest, (int32_t)reg);
    if (u->source[3] >= 0 && !u->source_v[3] && chance(g, 60)) {
        if (chance(g, 50)) /* it is still on its way */
            load_x(g, g->fresh_x[(newest - first) % FRESH], table_word(g, THEME_DIGITS, 0));
        if (g->last_x)
            give(&given, u->source[3], (int32_t)g->last_x);
    }
    if (u->dest >= 0 && u->dest_x && chance(g, 15))
        give(&given, u->dest, 0);
    put(g, u, false, given);
}

/* A scalar and a vector register from the theme's part of the table, at the warp's own place. triple: where the first of three words
 * is that belong together, or PROG_NONE. */
static void load_fresh(gen *g, theme t, bool same, int32_t triple) {
    const uint32_t at = g->next_fresh++ % FRESH;
    g->fresh_x[at] = g->x[below(g, g->num_pool_x)];
    g->fresh_v[at] = vector(g, g->lmul == 2, false);
    load_x(g, g->fresh_x[at], triple == PROG_NONE ? table_word(g, t, at) : triple + 4 * (int32_t)at);
    if (!same)
        vlw12(g, g->fresh_v[at], g->vtable,
              triple == PROG_NONE ? table_word(g, t, at) : triple + 4 * (int32_t)at);
    else {
        values all = none();
        give_rd(&all, g->row.vmv_v_x, g->fresh_v[at]);
        give_1(&all, g->row.vmv_v_x, g->fresh_x[at]);
        put(g, g->row.vmv_v_x, false, all);
    }
    if (chance(g, 15)) /* another one, which may still be on its way when it is wanted */
        load_x(g, g->fresh_x[at], table_word(g, t, at));
}

/* So many. Those of some are the same in all lanes: no flags but those that one of them raises. */
static void load_same(gen *g, theme t, uint32_t num, uint32_t percent) {
    const bool triples = t == THEME_PRODUCTS || t == THEME_SPECIAL, same = chance(g, percent);
    const int32_t first = (int32_t)t * PART - TABLE_MIDDLE,
                  triple = triples && chance(g, 75)
                               ? first + TRIPLE * (int32_t)below(g, (PART - PART_APART) / TRIPLE)
                               : PROG_NONE;
    while (num--)
        load_fresh(g, t, chance(g, 85) ? same : !same, triple);
}

static void load_operands(gen *g, theme t, uint32_t num) {
    load_same(g, t, num, t == THEME_PRODUCTS || t == THEME_SPECIAL ? 55 : 18);
}

/* A rounding mode: the same for all warps, or not. */
static void new_mode(gen *g, bool fp) {
    const uint32_t csr = fp ? CSR_FRM : CSR_VXRM;
    if (chance(g, 60)) {
        csr_set(g, csr,
                fp && chance(g, 50) ? between(g, 2, 3) : between(g, 0, fp ? 4 : 3)); /* 2, 3: directed */
        return;
    }
    csr_read(g, g->stride, "wid");
    put3(g, g->row.addi, g->stride, g->stride, between(g, 0, 3));
    put3(g, g->row.andi, g->stride, g->stride, 3);
    put_csr(g, g->row.csrrw, csr, (int32_t)g->stride);
}

/* The flags of floating point, or the saturation flag, are cleared; or read. */
static void clear_flags(gen *g, bool fp) {
    csr_set(g, fp ? CSR_FFLAGS : CSR_VXSAT, 0);
}

static void read_flags(gen *g, bool fp) {
    put_csr(g, g->row.csrrs, fp ? CSR_FFLAGS : CSR_VXSAT, 0);
}

/* That instruction on operands that have been loaded; its result goes where it is in nobody's way. */
static void put_apart(gen *g, const row_use *u, uint32_t operands) {
    values given = none();
    const bool alike = chance(g, 25); /* squares */
    for (unsigned s = 1; s <= 3; s++) {
        const uint32_t reg = (u->source_v[s] ? g->fresh_v : g->fresh_x)[(operands + (alike ? 1 : s)) % FRESH];
        if (u->source[s] >= 0 && fits(g, u, u->source_v[s], reg))
            give(&given, u->source[s], (int32_t)reg);
    }
    if (chance(g, 70))
        give(&given, u->vm, 1);
    const uint32_t third = g->fresh_v[(operands + 3) % FRESH];
    if (u->dest_read && chance(g, 60) && fits(g, u, true, third)) {
        give(&given, u->dest, (int32_t)third);
        put(g, u, false, given);
        return;
    }
    for (uint32_t tries = 0; tries < 16 && u->dest >= 0; tries++) {
        const uint32_t reg = u->dest_x ? g->x[below(g, g->num_pool_x)] : g->v[below(g, g->num_pool_v)];
        bool others = reg == (u->dest_x ? g->last_x : g->last_v) || !fits(g, u, !u->dest_x, reg);
        for (uint32_t i = 0; i < FRESH; i++)
            others |= (u->dest_x ? g->fresh_x : g->fresh_v)[i] >> 1 == reg >> 1;
        if (!others) {
            give(&given, u->dest, (int32_t)reg);
            break;
        }
    }
    put(g, u, false, given);
}

/* A row of the unit that is no splat. */
static const row_use *row_apart(gen *g, uint32_t unit, theme t) {
    const row_use *u;
    do
        u = row_for(g, unit, t);
    while (is_splat(u));
    return u;
}

/* A result that takes long, and behind it many of another instruction that do not wait for it: some are written at the same time. Both
 * raise flags, mostly others. */
static void stream(gen *g, bool fp) {
    static const uint8_t slow_fp[] = {KARAT_UNIT_FDIV, KARAT_UNIT_FDIV, KARAT_UNIT_SFU, KARAT_UNIT_FP},
                         slow_int[] = {KARAT_UNIT_MUL, KARAT_UNIT_ALU, KARAT_UNIT_DIV},
                         fast_int[] = {KARAT_UNIT_ALU, KARAT_UNIT_MUL};
    const uint32_t slow_unit = fp ? slow_fp[below(g, sizeof slow_fp)] : slow_int[below(g, sizeof slow_int)],
                   fast_unit = fp ? KARAT_UNIT_FP : fast_int[below(g, sizeof fast_int)];
    if (!g->plain_weight[slow_unit] || !g->plain_weight[fast_unit])
        return;
    const theme of_slow = fp ? THEME_SPECIAL : THEME_CORNERS, of_fast = fp ? THEME_DIGITS : THEME_CORNERS,
                rounds = fp ? THEME_PRODUCTS : THEME_CORNERS; /* rows that mostly raise flags */
    const row_use *slow = row_apart(g, slow_unit, of_slow), *fast = row_apart(g, fast_unit, rounds);
    const bool scalar = chance(g, 70); /* raises what the others, of vectors, do not */
    for (uint32_t tries = 0; tries < 8 && scalar && !slow->dest_x; tries++)
        slow = row_apart(g, slow_unit, of_slow);
    for (uint32_t tries = 0; tries < 8 && slow->dest_x == fast->dest_x; tries++)
        fast = row_apart(g, fast_unit, rounds);
    load_operands(g, of_fast, 1);
    const uint32_t operands = g->next_fresh % FRESH;
    load_operands(g, of_slow, 2);
    for (uint32_t times = 1 + below(g, 3); times--;) {
        clear_flags(g, fp);
        put_apart(g, slow, operands + below(g, FRESH));
        for (uint32_t n = 3 + below(g, 10); n--;)
            put_apart(g, fast, operands + 1 + below(g, FRESH));
        read_flags(g, fp);
    }
}

/* One instruction and its flags, again and again; of triples one that multiplies, with other operands and in other modes. */
static void repeat(gen *g, uint32_t unit, theme t) {
    const bool fp = is_fp(unit), triples = t == THEME_PRODUCTS || t == THEME_SPECIAL;
    if (!g->plain_weight[unit])
        return;
    const bool one = t == THEME_PRODUCTS && chance(g, 40); /* rounding */
    const row_use *u;
    do
        u = row_apart(g, unit, t);
    while (triples && !(one ? only_multiplies(u) : multiplies(u)));
    const uint32_t mode = fp ? 60 : 20;
    load_same(g, t, FRESH, triples ? 90 : 18);
    if (one)
        csr_set(g, CSR_FRM, between(g, 2, 3));
    else if (chance(g, mode))
        new_mode(g, fp);
    for (uint32_t n = 2 + below(g, 5); n--;) {
        if (!chance(g, 20))
            clear_flags(g, fp);
        put_apart(g, u, chance(g, 50) ? 2 : below(g, FRESH)); /* 2: the triple's factors are multiplied */
        read_flags(g, fp);
        if (n && triples && chance(g, 40))
            load_same(g, t, FRESH, 90);
        if (n && triples && !one && chance(g, mode))
            new_mode(g, fp);
    }
}

/* The rounding mode changes while a result that minds it is being computed. */
static void change_mode(gen *g) {
    load_operands(g, THEME_DIGITS, 1);
    for (uint32_t n = 1 + below(g, 3); n--;) {
        put_apart(g, row_apart(g, KARAT_UNIT_SFU, THEME_DIGITS), g->next_fresh);
        csr_set(g, CSR_FRM, between(g, 0, 4));
    }
}

/* Instructions that saturate, with no other reads or writes of the flag between them than others' warps do. */
static void saturate(gen *g, uint32_t unit) {
    const row_use *u;
    do
        u = row_apart(g, unit, THEME_CORNERS);
    while (!saturates(u));
    load_operands(g, THEME_CORNERS, FRESH);
    for (uint32_t n = 8 + below(g, 12); n--;)
        put_apart(g, u, below(g, FRESH));
}

/* A few instructions on operands from the table, of which each warp has others; often in a rounding mode of their own. Then the
 * flags that they have raised. */
static void probe(gen *g) {
    uint32_t unit = any_unit(g);
    const bool fp = is_fp(unit);
    if (chance(g, 8)) {
        stream(g, fp);
        return;
    }
    if (unit == KARAT_UNIT_FP && chance(g, 22)) {
        repeat(g, unit, chance(g, 65) ? THEME_PRODUCTS : THEME_SPECIAL);
        return;
    }
    if (unit == KARAT_UNIT_SFU && chance(g, 20)) {
        change_mode(g);
        return;
    }
    const uint32_t flags = fp              ? (chance(g, 70) ? CSR_FFLAGS : CSR_FCSR)
                           : chance(g, 80) ? CSR_VXSAT
                                           : CSR_VCSR;
    static const theme of_fp[] = {THEME_ANY,      THEME_DIGITS,   THEME_SPECIAL,
                                  THEME_SPECIAL,  THEME_PRODUCTS, THEME_PRODUCTS,
                                  THEME_PRODUCTS, THEME_LIMITS,   THEME_LIMITS},
                       of_sfu[] = {THEME_DIGITS, THEME_DIGITS, THEME_LIMITS, THEME_LIMITS, THEME_SPECIAL};
    const theme t = unit == KARAT_UNIT_SFU && chance(g, 70) ? of_sfu[below(g, sizeof of_sfu / sizeof *of_sfu)]
                    : fp                                    ? of_fp[below(g, sizeof of_fp / sizeof *of_fp)]
                    : chance(g, 60)                         ? THEME_CORNERS
                                                            : THEME_ANY;
    const uint32_t loaded = t == THEME_PRODUCTS || t == THEME_SPECIAL     ? FRESH
                            : unit == KARAT_UNIT_SFU || t == THEME_LIMITS ? 1 + chance(g, 40)
                                                                          : 2;
    load_operands(g, t, loaded);
    if (chance(g, t == THEME_PRODUCTS ? 75 : 30))
        new_mode(g, fp);
    if (chance(g, 75))
        clear_flags(g, fp);
    const bool pairs = chance(g, 30); /* of two instructions in turn, whose results meet */
    const row_use *two[2] = {NULL, NULL};
    for (uint32_t i = 0, n = pairs ? 3 + below(g, 6) : chance(g, 40) ? 1 : 1 + below(g, 6); i < n; i++) {
        const row_use *u = pairs && two[i % 2] ? two[i % 2] : row_for(g, unit, t);
        two[i % 2] = u;
        put_on(g, u, loaded);
        if (!pairs && chance(g, u->info->unit == KARAT_UNIT_SFU ? 40 : 20)) /* it may still be at work */
            new_mode(g, fp);
        if (!pairs && chance(g, 10))
            put_csr(g, g->row.csrrs, csr_number(g), 0);
        do
            unit = any_unit(g);
        while (is_fp(unit) != fp);
    }
    if (chance(g, fp ? 90 : 60))
        put_csr(g, pick(g, g->table->units[KARAT_UNIT_CSR]), flags, PROG_NONE);
}

static void configure(gen *g, const row_use *u, uint32_t vtype, bool full) {
    values v = none();
    if (u->avl >= 0 && full)
        u = g->row.vsetvli; /* five bits, or eleven behind REGEXTI: 31 may be fewer than all elements */
    give(&v, u->vtype, (int32_t)vtype);
    if (u->avl >= 0)
        give(&v, u->avl, (int32_t)bits(g, 5));
    if (u->source[1] >= 0 && (full || chance(g, 60))) {
        static const int32_t all[] = {64, 65, 2047, -1};
        put3(g, g->row.addi, g->address, 0, full ? all[below(g, 4)] : between(g, 0, 40));
        give_1(&v, u, g->address);
    }
    if (u->source[2] >= 0) {
        put3(g, g->row.addi, g->stride, 0, (int32_t)vtype);
        give_2(&v, u, g->stride);
    }
    put(g, u, false, v);
}

/* Set vl and vtype: a legal vtype of that LMUL. */
static void vset(gen *g, uint32_t lmul, bool full) {
    const uint32_t vtype = 2u << 3 | (lmul - 1) | bits(g, 2) << 6;
    configure(g, pick(g, g->table->units[KARAT_UNIT_CONFIG]), vtype, full);
    g->lmul = lmul;
}

static void any_vset(gen *g) {
    const uint32_t lmul = 1 + (below(g, 3) == 0);
    vset(g, lmul, chance(g, lmul == 2 ? 60 : 40));
    if (lmul == 2 && chance(g, 20)) /* numbers that no load gives */
        put_vid(g, vector(g, true, false));
}

/* An unsupported setting: vl = 0, and what does not depend on vtype. */
static void vill(gen *g) {
    const uint32_t lmul = g->lmul;
    uint32_t vtype = below(g, 66);
    vtype = vtype == 64 ? 0x100 : vtype == 65 ? 0x3ff : vtype == 0x10 || vtype == 0x11 ? 0x12 : vtype;
    const bool full = chance(g, 50);
    configure(g, pick(g, g->table->units[KARAT_UNIT_CONFIG]), vtype, full);
    for (uint32_t n = below(g, 5); n--;) {
        static const uint8_t units[] = {KARAT_UNIT_ALU, KARAT_UNIT_MUL, KARAT_UNIT_DIV};
        const row_use *u = pick(g, g->table->units[units[below(g, 3)]]);
        if (!u->own)
            put_any(g, u);
    }
    vset(g, lmul, chance(g, 50));
}

static void new_addresses(gen *g) {
    const uint32_t which = below(g, 6); /* 3: indices; from 4 on: of lanes in one memory and in the other */
    values v = none();
    if (which == 3) {
        const bool all = chance(g, 50);
        mask_index(g, all, g->index[!all], vector(g, false, false));
        return;
    }
    if (which > 3) {
        give_rd(&v, g->row.vmerge_vvm, g->vmixed);
        give_2(&v, g->row.vmerge_vvm, g->vbase[GLOBAL][below(g, 2)]);
        give_1(&v, g->row.vmerge_vvm, g->vbase[LDS][below(g, 2)]);
        put(g, g->row.vmerge_vvm, false, v);
        return;
    }
    const uint32_t mask = which == GLOBAL ? g->mask_global : g->mask_lds, reg = g->vbase[which][1];
    give_rd(&v, g->row.vand_vx, reg);
    give_2(&v, g->row.vand_vx, vector(g, false, false));
    give_1(&v, g->row.vand_vx, mask);
    give(&v, g->row.vand_vx->vm, 1);
    put(g, g->row.vand_vx, false, v);
    uint32_t start = g->base[GLOBAL];
    if (which == LDS) {
        put3(g, g->row.addi, g->address, g->base[LDS], -256);
        start = g->address;
    }
    if (which == GLOBAL || which == LDS) {
        v = none();
        give_rd(&v, g->row.vadd_vx, reg);
        give_2(&v, g->row.vadd_vx, reg);
        give_1(&v, g->row.vadd_vx, start);
        give(&v, g->row.vadd_vx->vm, 1);
        put(g, g->row.vadd_vx, false, v);
    } else if (which == 2) {
        values w = none();
        const row_use *u = g->row.vadd12_vi;
        give_rd(&w, u, reg);
        give_1(&w, u, reg);
        for (uint32_t i = 0; i < u->info->num_operands; i++)
            if (karat_operand_info(u->info->operands[i])->role == KARAT_ROLE_IMM)
                give(&w, (int8_t)i, 1024);
        give(&w, u->vm, 1);
        put(g, u, false, w);
    }
}

/* --- Memory --- */

static void lane_memory(gen *g, const row_use *u, bool pair, values v) {
    static const int32_t low[] = {-2048, -256, -1024}, high[] = {2032, 248, 1016};
    const uint32_t which = u->private ? 2 : below(g, 2);
    give_1(&v, u,
           which == LDS && chance(g, 20)                      ? g->vmixed
           : u->private && pair && g->vbelow && chance(g, 50) ? g->vbelow
                                                              : g->vbase[which][below(g, 2)]);
    give(&v, u->offset, offset_in(g, low[which], high[which], u->bytes));
    put(g, u, pair, v);
}

/* A register that holds an address of that space. */
static uint32_t base_address(gen *g, space s, int32_t low, int32_t high, int32_t size, bool pair) {
    const uint32_t reg = pair && chance(g, 60) ? g->address_pair : g->address;
    put3(g, g->row.addi, reg, g->base[s],
         offset_in(g, low < -2048 ? -2048 : low, high > 2047 ? 2047 : high, size));
    return reg;
}

static bool is_lds(space s) {
    return s == LDS || s == LDS_NEIGHBOUR || s == SHARED_LDS;
}

/* A vector load or store whose lanes are so many bytes apart as a scalar register says. */
static bool has_stride(const row_use *u) {
    return u->offset < 0 && !u->source_v[1] && u->source[2] >= 0 && !u->source_v[2];
}

static void scalar_memory(gen *g, const row_use *u, bool pair, space s, values v) {
    const int32_t half = is_lds(s) ? LDS_REGION / 2 : 2048;
    int32_t offset = offset_in(g, -half, half - 8, u->bytes);
    uint32_t base = g->base[s]; /* odd: 32 bits, behind REGPAIR as well */
    if (pair && chance(g, 60)) {
        base = base_address(g, s, -256, 240, 4, true);
        offset = at_multiple(g, -256, 240, u->bytes);
    }
    give_1(&v, u, base);
    give(&v, u->offset, offset);
    put(g, u, pair, v);
}

static void element_memory(gen *g, const row_use *u, bool pair, space s, values v) {
    const bool lds = is_lds(s);
    const int32_t half = (lds ? LDS_REGION : REGION) / 2, lanes = 32 * (int32_t)(u->own ? g->lmul : 1),
                  size = u->bytes, width = pair && size == 4 ? 8 : size;
    int32_t low = -half, high = half - lanes * width;
    if (has_stride(u)) {
        const int32_t widest = lds ? 4 : 28, stride = at_multiple(g, -widest, widest, size);
        put3(g, g->row.addi, g->stride, 0, stride);
        give_2(&v, u, g->stride);
        low = -half + (stride < 0 ? -stride : 0) * (lanes - 1);
        high = half - 8 - (stride > 0 ? stride : 0) * (lanes - 1);
    } else if (u->source[2] >= 0 && u->index_bytes) {
        if (lds && u->index_bytes != 1)
            return;
        give_2(&v, u, g->index[u->index_bytes < 4]);
        high = half - 8 - (u->index_bytes == 1 ? 252 : 0x7fc);
    }
    give_1(&v, u, base_address(g, s, low, high, size, pair));
    put(g, u, pair, v);
}

/* A pair to store, to whose upper half a result is on its way. */
static void give_late_pair(gen *g, const row_use *store, values *v) {
    const uint32_t source = store->source[3] >= 0 ? 3 : 2;
    const bool is_v = store->source_v[source];
    uint32_t pairs[MAX_X + MAX_V], num = 0;
    for (uint32_t i = 0; i < (is_v ? g->num_pool_v : g->num_pool_x); i++) {
        const uint32_t low = (is_v ? g->v : g->x)[i];
        if (low % 2 == 0 && (is_v ? in_v : in_x)(g, low + 1))
            pairs[num++] = low;
    }
    const row_use *u = NULL;
    for (uint32_t tries = 0; tries < 16 && (!u || u->dest < 0 || u->dest_x == is_v || is_splat(u)); tries++)
        u = pick(g, g->table->units[any_unit(g)]);
    if (!num || g->lmul != 1 || u->dest < 0 || u->dest_x == is_v || is_splat(u))
        return;
    const uint32_t low = pairs[below(g, num)];
    values result = none();
    give_rd(&result, u, low + 1);
    put(g, u, false, result);
    give(v, store->source[source], (int32_t)low);
}

/* pair: of registers, where it may be. */
static void put_memory(gen *g, const row_use *u, bool pair, const context *c) {
    if (u->stores && !c->stores)
        return;
    pair = pair && u->takes_prefix[PROG_REGPAIR] && !(u->own && g->lmul == 2 && u->bytes == 4);
    values v = none();
    if (u->stores && pair && u->bytes == 4 && chance(g, 40))
        give_late_pair(g, u, &v);
    if (u->source_v[1]) {
        lane_memory(g, u, pair, v);
        return;
    }
    space s = chance(g, 67) ? GLOBAL : LDS;
    if (!c->stores && c->uniform && chance(g, 70))
        s = chance(g, 50) ? NEIGHBOUR : LDS_NEIGHBOUR;
    if (u->offset >= 0)
        scalar_memory(g, u, pair, s, v);
    else
        element_memory(g, u, pair, s, v);
}

/* Accesses one behind the other, all of one kind or two. */
static void burst(gen *g, const context *c) {
    const row_use *rows[2];
    const bool pair = chance(g, 50);
    for (uint32_t i = 0; i < 2; i++)
        do
            rows[i] = pick(g, g->table->units[KARAT_UNIT_MEM]);
        while ((rows[i]->stores && !c->stores) ||
               (pair && (rows[i]->bytes != 4 || !rows[i]->takes_prefix[PROG_REGPAIR])));
    for (uint32_t n = 2 + below(g, 5); n--;)
        put_memory(g, rows[below(g, 2)], pair, c);
}

/* Two elements that are in different memories, a stride of hundreds of megabytes apart. */
static void far_elements(gen *g, const context *c) {
    const uint32_t lmul = g->lmul;
    const row_use *u;
    do
        u = pick(g, g->table->units[KARAT_UNIT_MEM]);
    while (!has_stride(u) || (u->stores && !c->stores));
    values v = none();
    put3(g, g->row.addi, g->address, 0, between(g, 1, 2));
    give_1(&v, g->row.vsetvli, g->address);
    give(&v, g->row.vsetvli->vtype, 2 << 3);
    put(g, g->row.vsetvli, false, v);
    g->lmul = 1;
    const bool down = chance(g, 50);
    const space from = down ? GLOBAL : LDS, to = down ? LDS : GLOBAL;
    base_address(g, from, -128, 120, u->bytes, false);
    put3(g, g->row.sub, g->stride, g->base[to], (int32_t)g->base[from]);
    put3(g, g->row.addi, g->stride, g->stride, at_multiple(g, -256, 256, u->bytes));
    v = none();
    give_1(&v, u, g->address);
    give_2(&v, u, g->stride);
    put(g, u, false, v);
    vset(g, lmul, chance(g, 60));
}

static void any_memory(gen *g, const context *c) {
    const bool pair = chance(g, 35);
    put_memory(g, pick(g, g->table->units[KARAT_UNIT_MEM]), pair, c);
}

static void put_atomic(gen *g, const row_use *u, uint32_t base, bool pair) {
    values v = none();
    give_1(&v, u, base);
    put(g, u, pair, v);
}

static void any_atomic(gen *g) {
    const row_use *u = chance(g, 30) ? g->row.lr_w : pick(g, g->table->units[KARAT_UNIT_AMO]);
    const bool pair = chance(g, 15) && u->takes_prefix[PROG_REGPAIR];
    const space s = chance(g, 50) ? GLOBAL : LDS;
    const int32_t half = (s == GLOBAL ? REGION : LDS_REGION) / 2;
    const uint32_t base = base_address(g, s, -half, half - 8, 4, pair);
    put_atomic(g, u, base, pair);
    if (u->source[2] >= 0)
        return;
    for (uint32_t n = below(g, 3); n--;) /* LR: mostly its SC, too */
        any_plain(g);
    if (chance(g, 35)) { /* one that fails at another word, or at the neighbour's in that place */
        put3(g, g->row.sub, g->stride, base, (int32_t)g->base[s]);
        put3(g, g->row.add, g->stride, g->stride, (int32_t)g->base[s == GLOBAL ? NEIGHBOUR : LDS_NEIGHBOUR]);
        put_atomic(g, g->row.sc_w, chance(g, 50) ? g->stride : g->base[s], false);
        return;
    }
    for (uint32_t n = chance(g, 80) ? 1 + chance(g, 25) : 0; n--;) /* the second one has to fail */
        put_atomic(g, g->row.sc_w, base, pair);
}

/* Lanes at any of the words that all warps use. */
static void race_lanes(gen *g, space s) {
    const uint32_t reg = vector(g, g->lmul == 2, false);
    const row_use *u;
    do
        u = pick(g, g->table->units[KARAT_UNIT_MEM]);
    while (!u->index_bytes || (!u->stores && chance(g, 50)));
    li(g, g->address, SHARED - 4);
    values v = none();
    give_rd(&v, g->row.vand_vx, reg);
    give_2(&v, g->row.vand_vx, vector(g, g->lmul == 2, false));
    give_1(&v, g->row.vand_vx, g->address);
    give(&v, g->row.vand_vx->vm, 1);
    put(g, g->row.vand_vx, false, v);
    v = none();
    give_1(&v, u, g->base[s]);
    give_2(&v, u, reg);
    put(g, u, false, v);
}

/* Lanes at words one behind the other, or at one word all, which the second register of a group has again. first: from the first word
 * on. */
static void race_stride(gen *g, space s, bool first) {
    const row_use *u;
    do
        u = pick(g, g->table->units[KARAT_UNIT_MEM]);
    while (!has_stride(u) || (u->stores && chance(g, 50)));
    const int32_t size = u->bytes, lanes = (int32_t)(g->params->num_thread * g->lmul),
                  widest = lanes > 1 ? (SHARED - size) / (lanes - 1) : 4,
                  stride = chance(g, 60) ? 0 : at_multiple(g, 0, widest, size);
    put3(g, g->row.addi, g->stride, 0, stride);
    put3(g, g->row.addi, g->address, g->base[s],
         first           ? 0
         : chance(g, 50) ? at_multiple(g, 0, 4, size)
                         : at_multiple(g, 0, SHARED - size - stride * (lanes - 1), size));
    values v = none();
    give_1(&v, u, g->address);
    give_2(&v, u, g->stride);
    put(g, u, false, v);
}

/* Of registers that nobody has written, into those that nothing else reads. What they hold is known from their first use on. */
static void use_unwritten(gen *g) {
    const uint32_t reg = g->unwritten[g->next_unwritten++ % g->num_unwritten];
    values v = none();
    give_rd(&v, g->row.vxor_vv, g->unread);
    give_1(&v, g->row.vxor_vv, reg);
    give_2(&v, g->row.vxor_vv, chance(g, 50) ? reg : vector(g, g->lmul == 2, false));
    put(g, g->row.vxor_vv, false, v);
}

/* Reservations of one word that follow each other: where there is none any more, SCs fail. */
static void race_reservations(gen *g, space s) {
    put3(g, g->row.addi, g->address, g->base[s], 0);
    for (uint32_t n = 3 + below(g, 8); n--;) {
        put_atomic(g, g->row.lr_w, g->address, false);
        for (uint32_t i = 1 + below(g, 3); i--;)
            put_atomic(g, g->row.sc_w, g->address, false);
    }
}

/* Loads of groups, of which other warps' atomics may come between the first register and the second. */
static void race_groups(gen *g, space s, const context *c) {
    const uint32_t lmul = g->lmul;
    if (c->vset)
        vset(g, 2, true);
    if (c->uniform && chance(g, 50))
        put_barrier(g);
    for (uint32_t n = 2 + below(g, 5); n--;) {
        put_atomic(g, pick(g, g->table->units[KARAT_UNIT_AMO]), g->base[s], false);
        if (chance(g, 80))
            race_stride(g, s, chance(g, 75));
        if (g->num_unwritten && chance(g, 70))
            use_unwritten(g);
    }
    if (c->vset)
        vset(g, lmul, chance(g, 50));
}

/* An access to words that all warps use, two of them more than others. */
static void race(gen *g, const context *c) {
    const space s = chance(g, 50) ? SHARED_GLOBAL : SHARED_LDS;
    if (chance(g, 12)) {
        race_groups(g, s, c);
        return;
    }
    if (g->num_unwritten && chance(g, 10))
        use_unwritten(g);
    if (chance(g, 20)) {
        race_lanes(g, s);
        return;
    }
    if (chance(g, 15)) {
        race_stride(g, s, false);
        return;
    }
    if (chance(g, 10)) {
        race_reservations(g, s);
        return;
    }
    if (chance(g, 25)) {
        const row_use *u;
        do
            u = pick(g, g->table->units[KARAT_UNIT_MEM]);
        while (u->source_v[1] || u->offset < 0);
        values v = none();
        give_1(&v, u, g->base[s]);
        give(&v, u->offset, at_multiple(g, 0, SHARED - 8, u->bytes));
        put(g, u, false, v);
        return;
    }
    const row_use *u = chance(g, 40) ? g->row.lr_w : pick(g, g->table->units[KARAT_UNIT_AMO]);
    put3(g, g->row.addi, g->address, g->base[s],
         chance(g, 50) ? at_multiple(g, 0, 4, 4) : at_multiple(g, 0, SHARED - 4, 4));
    const uint32_t base = g->address;
    if (u->source[2] < 0 && chance(g, 30)) /* where another warp is between its LR and its SC */
        put_atomic(g, pick(g, g->table->units[KARAT_UNIT_AMO]), base, false);
    if (chance(g, 80)) /* else SC alone */
        put_atomic(g, u, base, false);
    if (u->source[2] >= 0)
        return;
    for (uint32_t n = chance(g, 70) ? below(g, 6) : 0; n--;) /* in which others may store to it */
        any_plain(g);
    for (uint32_t n = chance(g, 90) ? 1 + chance(g, 40) : 0; n--;)
        put_atomic(g, g->row.sc_w, base, false);
}

/* --- Control flow --- */

static void block(gen *g, uint32_t items, context c);

static context inner(const gen *g, const context *c) {
    context in = *c;
    if (!in.arms++)
        in.end = g->p->num + MOST_REGION;
    in.uniform = false;
    return in;
}

/* Whether a region that may not run may change vl and vtype; then they are set anew behind it. */
static bool keeps(gen *g, const context *c) {
    return c->vset && chance(g, 30);
}

/* A branch over a few instructions. */
static void skip(gen *g, const context *c) {
    const uint32_t lmul = g->lmul;
    const row_use *u;
    do
        u = pick(g, g->table->units[KARAT_UNIT_BRANCH]);
    while (u->source[2] < 0);
    context in = inner(g, c);
    in.vset = keeps(g, c);
    in.loops = 2;
    const int32_t around = branch(g, u, none());
    block(g, 1 + below(g, 6), in);
    bind(g, around);
    if (in.vset)
        vset(g, lmul, chance(g, 50));
}

/* Half of the warps, by their number, go one way and the others another one, at once where they may meet. */
static void part(gen *g, const context *c) {
    static const int32_t masks[] = {1, 1, 2, 3};
    if (c->uniform && chance(g, 70))
        put_barrier(g);
    context in = inner(g, c);
    in.vset = false;
    in.loops = 2;
    const bool fp = chance(g, 50);
    csr_read(g, g->address, "wid");
    put3(g, g->row.andi, g->address, g->address, masks[below(g, 4)]);
    values v = none();
    give_1(&v, g->row.beq, g->address);
    give_2(&v, g->row.beq, 0);
    const int32_t other = branch(g, g->row.beq, v);
    int32_t out = PROG_NONE;
    const uint32_t swapped = below(g, 2);
    const bool saturating =
        !fp && chance(g, 60) && g->plain_weight[KARAT_UNIT_ALU] && g->plain_weight[KARAT_UNIT_MUL];
    for (uint32_t way = 0; way < 2; way++) {
        if (chance(g, 60))
            new_mode(g, fp);
        const uint32_t units[] = {fp ? KARAT_UNIT_FP : KARAT_UNIT_ALU, fp ? KARAT_UNIT_SFU : KARAT_UNIT_MUL};
        if (saturating && way != swapped)
            saturate(g, KARAT_UNIT_MUL);
        else
            switch (saturating ? 2 : below(g, 5)) {
            case 0:
            case 1: stream(g, fp); break;
            case 2:
            case 3: repeat(g, units[way ^ swapped], fp ? THEME_DIGITS : THEME_CORNERS); break;
            default: block(g, 1 + below(g, 8), in); break;
            }
        if (way == 0) {
            out = jal(g, 0);
            bind(g, other);
        }
    }
    bind(g, out);
}

/* Some are so many that what comes then has the place in a cache that the jump has, or one beside it. */
static void dead_words(gen *g, const context *c) {
    static const uint32_t words[] = {64, 256, 1024, 1024};
    const bool far = !c->arms && !c->loops && !c->calls && chance(g, 40);
    uint32_t n = far ? words[below(g, 4)] : below(g, 4);
    n -= far ? below(g, 6) : 0;
    for (g->dead += n; n--;)
        prog_word(g->p, far ? 0 : bits(g, 32));
}

/* JAL or JALR over words that never run. */
static void jump(gen *g, const context *c) {
    if (chance(g, 50)) {
        const int32_t around = jal(g, scalar(g, false));
        dead_words(g, c);
        bind(g, around);
        return;
    }
    const int32_t place = prog_la(g->p, g->address);
    values v = none();
    give_1(&v, g->row.jalr, g->address);
    give(&v, g->row.jalr->offset, 0);
    put(g, g->row.jalr, false, v);
    dead_words(g, c);
    bind(g, place);
}

static void put_return(gen *g, uint32_t link) {
    values v = none();
    give_rd(&v, g->row.jalr, 0);
    give_1(&v, g->row.jalr, link);
    give(&v, g->row.jalr->offset, 0);
    put(g, g->row.jalr, false, v);
}

/* A function that is there; false: none fits here. */
static bool call_again(gen *g, const context *c) {
    if (!g->num_functions || c->calls)
        return false;
    const struct function f = g->functions[below(g, g->num_functions)];
    if (f.lmul != g->lmul || f.arms < c->arms)
        return false;
    prog_lead(g->p, jal(g, g->link[0]), f.at);
    return true;
}

/* A function, put beside the way and called once or twice, or one of those before. */
static void call(gen *g, context c) {
    if (c.calls == 2 || (chance(g, 50) && call_again(g, &c)))
        return;
    const uint32_t link = g->link[c.calls++], lmul = g->lmul;
    const int32_t around = jal(g, 0), function = (int32_t)g->p->num;
    context in = c;
    in.vset = false;
    in.uniform = false;
    in.loops = 2;
    block(g, 1 + below(g, 8), in);
    put_return(g, link);
    g->lmul = lmul;
    if (c.calls == 1 && c.stores && g->num_functions < MOST_FUNCTIONS)
        g->functions[g->num_functions++] = (struct function){function, lmul, c.arms};
    bind(g, around);
    for (uint32_t n = 1 + below(g, 2); n--;)
        prog_lead(g->p, jal(g, link), function);
}

/* A function in the last words of device memory, behind which nothing is mapped; what is fetched ahead of it is not there. */
static void make_edge(gen *g) {
    prog *const p = g->p;
    prog edge;
    uint32_t num = 0;
    prog_init(&edge, p->profile);
    g->p = &edge;
    for (uint32_t n = below(g, 6); n--;) {
        const row_use *u = pick(g, g->table->units[KARAT_UNIT_ALU]);
        if (!u->own) /* under any vtype */
            put_any(g, u);
    }
    put_return(g, g->link[0]);
    g->p = p;
    uint32_t *const words = prog_link(&edge, &num);
    if (!words)
        prog_fail(p, "%s", edge.why);
    for (uint32_t i = 0; i < num && words; i++)
        for (uint32_t k = 0; k < 4; k++)
            p->data[p->data_size - 4 * (num - i) + k] = (uint8_t)(words[i] >> 8 * k);
    g->edge = PROG_DATA + p->data_size - 4 * num;
    free(words);
    prog_free(&edge);
}

/* A call of it, of all warps at once where they may meet. */
static void call_edge(gen *g, const context *c) {
    li(g, g->address, g->edge);
    if (c->uniform && chance(g, 70))
        put_barrier(g);
    values v = none();
    give_rd(&v, g->row.jalr, g->link[0]);
    give_1(&v, g->row.jalr, g->address);
    give(&v, g->row.jalr->offset, 0);
    put(g, g->row.jalr, false, v);
}

/* A bounded loop with a scalar counter. */
static void loop(gen *g, context c) {
    const uint32_t counter = g->counter[c.loops], lmul = g->lmul;
    put3(g, g->row.addi, counter, 0, between(g, 1, c.loops ? 5 : 8));
    const int32_t top = (int32_t)g->p->num;
    context in = c;
    in.vset = c.vset && chance(g, 50);
    in.loops++;
    if (in.vset)
        vset(g, lmul, chance(g, 50));
    block(g, 3 + below(g, 12), in);
    put3(g, g->row.addi, counter, counter, -1);
    values v = none();
    const bool near = g->p->num - (uint32_t)top < 400;
    const row_use *u = near ? g->row.bne : g->row.beq;
    give_1(&v, u, counter);
    give_2(&v, u, 0);
    const int32_t out = branch(g, u, v);
    if (near) {
        prog_lead(g->p, out, top);
        return;
    }
    prog_lead(g->p, jal(g, 0), top);
    bind(g, out);
}

/* Two vector registers to compare: often some lanes differ and some do not. */
static values condition(gen *g, const row_use *u) {
    values v = none();
    if (g->lmul != 1 || chance(g, 40))
        return v;
    const uint32_t reg = vector(g, false, false);
    values a = none();
    give_rd(&a, g->row.vand_vi, reg);
    give_2(&a, g->row.vand_vi, vector(g, false, false));
    give_fixed(&a, g->row.vand_vi->wide, chance(g, 67) ? 1 : 3);
    give(&a, g->row.vand_vi->vm, 1);
    put(g, g->row.vand_vi, false, a);
    give_2(&v, u, reg);
    give_1(&v, u, g->zero);
    return v;
}

/* Set CSR_RPC to a place that comes later: prog_lead() names it. */
static int32_t reconverge(gen *g) {
    const int32_t place = prog_la(g->p, g->rpc);
    values v = none();
    if (chance(g, 20)) {
        give_rd(&v, g->row.csrrw, 0);
        give(&v, g->row.csrrw->csr, 0x80c);
        give_1(&v, g->row.csrrw, g->rpc);
        put(g, g->row.csrrw, false, v);
        return place;
    }
    give_rd(&v, g->row.setrpc, chance(g, 20) ? g->rpc : 0);
    give_1(&v, g->row.setrpc, g->rpc);
    for (uint32_t i = 0; i < g->row.setrpc->info->num_operands; i++)
        if (karat_operand_info(g->row.setrpc->info->operands[i])->role == KARAT_ROLE_IMM)
            give(&v, (int8_t)i, 0);
    put(g, g->row.setrpc, false, v);
    return place;
}

static const row_use *any_vbranch(gen *g) {
    const row_use *u;
    do
        u = pick(g, g->table->units[KARAT_UNIT_SIMT]);
    while (u->source[2] < 0);
    return u;
}

/* Of four JOINs one behind the other, one is at the same place in a line as where the lanes meet. */
static void stray_joins(gen *g) {
    for (uint32_t n = chance(g, 60) ? 4 : 1 + below(g, 3); n--;)
        put_bare(g, g->row.join, none());
}

static void diamond(gen *g, const context *c) {
    static const uint32_t sizes[] = {10, 6, 4, 3, 2};
    const uint32_t lmul = g->lmul, size = sizes[c->arms < 4 ? c->arms : 4];
    const row_use *u = any_vbranch(g);
    context in = inner(g, c);
    in.vset = keeps(g, c);
    const values condition_values = condition(g, u);
    const int32_t place = reconverge(g), other = branch(g, u, condition_values);
    if (in.vset)
        vset(g, lmul, chance(g, 50)); /* the other path may have run before */
    if (chance(g, 20))
        stray_joins(g);
    block(g, below(g, size + 1), in);
    if (chance(g, 75)) {
        const int32_t to_join = jal(g, 0);
        bind(g, other);
        if (in.vset)
            vset(g, lmul, chance(g, 50));
        block(g, below(g, size + 1), in);
        bind(g, to_join);
    } else
        bind(g, other);
    bind(g, place);
    put_bare(g, g->row.join, none());
    if (in.vset)
        vset(g, lmul, chance(g, 50));
}

/* A loop whose trips differ by thread. */
static void diverge_loop(gen *g, const context *c) {
    if (c->arms > 1)
        return;
    static const int32_t trips[] = {1, 3, 7};
    const uint32_t counter = g->vcounter[c->arms];
    vset(g, 1, true); /* VBRANCH does not care for vl: every thread has to count */
    values v = none();
    give_rd(&v, g->row.vand_vi, counter);
    give_2(&v, g->row.vand_vi, vector(g, false, false));
    give_fixed(&v, g->row.vand_vi->wide, trips[below(g, 3)]);
    give(&v, g->row.vand_vi->vm, 1);
    put(g, g->row.vand_vi, false, v);
    const int32_t top = (int32_t)g->p->num, place = reconverge(g);
    v = none();
    give_2(&v, g->row.vbeq, counter);
    give_1(&v, g->row.vbeq, g->zero);
    const int32_t done = branch(g, g->row.vbeq, v);
    context in = inner(g, c);
    in.vset = false;
    in.loops = 2;
    block(g, below(g, 6), in);
    v = none();
    give_rd(&v, g->row.vadd_vi, counter);
    give_2(&v, g->row.vadd_vi, counter);
    give_fixed(&v, g->row.vadd_vi->wide, -1);
    give(&v, g->row.vadd_vi->vm, 1);
    put(g, g->row.vadd_vi, false, v);
    prog_lead(g->p, jal(g, 0), top);
    bind(g, done);
    bind(g, place);
    put_bare(g, g->row.join, none());
}

/* Scalar accesses one behind the other, or any. */
static void some_memory(gen *g, const context *c) {
    if (chance(g, 30)) {
        any_memory(g, c);
        return;
    }
    const space s = chance(g, 80) ? GLOBAL : LDS;
    for (uint32_t n = 1 + below(g, 3); n--;) {
        const row_use *u;
        do
            u = pick(g, g->table->units[KARAT_UNIT_MEM]);
        while (u->source_v[1] || u->offset < 0 || (u->stores && !c->stores));
        scalar_memory(g, u, false, s, none());
    }
}

/* An instruction that memory accesses before it and behind it mind. */
static void between_memory(gen *g, const row_use *u, values v, const context *c) {
    if (chance(g, 80))
        some_memory(g, c);
    put(g, u, false, v);
    if (chance(g, 80))
        some_memory(g, c);
}

/* What orders memory for the warp alone; most of these order all of it. */
static void fence(gen *g, const context *c) {
    const row_use *u;
    do
        u = pick(g, g->table->units[KARAT_UNIT_SYNC]);
    while (u->info->owes);
    values v = none();
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const char *name = karat_operand_info(u->info->operands[i])->name;
        if ((strcmp(name, "pred") == 0 || strcmp(name, "succ") == 0) && chance(g, 75))
            give(&v, (int8_t)i, 15);
        if (strcmp(name, "fm") == 0 && chance(g, 75))
            give(&v, (int8_t)i, 0);
    }
    if (chance(g, 30)) {
        between_memory(g, u, v, c);
        return;
    }
    for (uint32_t n = 1 + below(g, 3); n--;)
        scalar_memory(g, g->row.lw, false, GLOBAL, none());
    put(g, u, false, v);
    scalar_memory(g, chance(g, 70) ? g->row.lw : g->row.lb, false, GLOBAL, none());
}

/* Between two barriers nobody stores, and warps read what their neighbours have written. */
static void neighbour(gen *g, const context *c) {
    context in = *c;
    in.stores = in.vset = false;
    in.loops = 2;
    in.arms = 3;
    if (chance(g, 50))
        any_memory(g, c);
    put_barrier(g);
    block(g, 2 + below(g, 7), in);
    if (chance(g, 50))
        any_memory(g, &in);
    put_barrier(g);
    if (chance(g, 50))
        any_memory(g, c);
}

/* One element after the other, often of some lanes only; the word at base is one of them, in any lane. */
static void store_around(gen *g, uint32_t base) {
    const row_use *u;
    do
        u = pick(g, g->table->units[KARAT_UNIT_MEM]);
    while (!u->stores || u->source_v[1] || u->source_v[2] || u->source[2] >= 0 || u->offset >= 0);
    put3(g, g->row.addi, g->stride, base, -4 * (int32_t)below(g, g->params->num_thread));
    values v = none();
    give_1(&v, u, g->stride);
    if (chance(g, 60))
        give(&v, u->vm, 0);
    put(g, u, false, v);
}

/* LR of a word of the warp's own, between two barriers a store of the warp before there or near it, and SC. */
static void reserve(gen *g) {
    const bool local = chance(g, 50);
    const int32_t half = local ? LDS_REGION / 2 : 2048;
    const int32_t at = at_multiple(g, LANES_BYTES - half, half - 3 * LANES_BYTES, 4);
    const uint32_t own = g->base[local ? LDS : GLOBAL], other = g->base[local ? LDS_NEIGHBOUR : NEIGHBOUR];
    put3(g, g->row.addi, g->address, own, at);
    put_atomic(g, g->row.lr_w, g->address, false);
    put_barrier(g);
    put3(g, g->row.addi, g->address, other, at + (chance(g, 50) ? 0 : 4 * between(g, -2, 2)));
    if (chance(g, 60))
        store_around(g, g->address);
    else
        put_atomic(g, pick(g, g->table->units[KARAT_UNIT_AMO]), g->address, false);
    put_barrier(g);
    put3(g, g->row.addi, g->address, own, at);
    put_atomic(g, g->row.sc_w, g->address, false);
}

/* A branch of some workgroups; bne: those in whose number one of the mask's bits is set. */
static int32_t branch_by_group(gen *g, const row_use *u, int32_t mask) {
    csr_read(g, g->address, "gdx");
    put3(g, g->row.andi, g->address, g->address, mask);
    values v = none();
    give_1(&v, u, g->address);
    give_2(&v, u, 0);
    return branch(g, u, v);
}

/* Workgroups that end with their first instructions: those whose branch, which is returned, is not taken. Some are a few
 * instructions behind the others: then they end at the same time as those that began later. */
static int32_t leave_at_once(gen *g) {
    static const int32_t masks[] = {1, 3, 7, 7};
    if (chance(g, 70)) {
        const int32_t late = branch_by_group(g, chance(g, 50) ? g->row.beq : g->row.bne, 1);
        for (uint32_t n = 1 + below(g, 6); n--;)
            put3(g, g->row.addi, g->address, g->address, 1);
        bind(g, late);
    }
    return branch_by_group(g, g->row.beq, masks[below(g, 4)]);
}

/* Some workgroups go to the end. */
static void leave(gen *g) {
    static const int32_t masks[] = {1, 3, 3, 7};
    const int32_t stay = branch_by_group(g, g->row.bne, masks[below(g, 4)]);
    g->leave[g->num_leave++] = jal(g, 0);
    bind(g, stay);
}

/* --- Blocks --- */

/* Not so early that of a long program nothing is run. */
static bool may_leave(const gen *g) {
    return g->params->length < LONG || g->p->num / (g->num_leave + 1) >= g->params->length / (MOST_LEAVE + 1);
}

static bool allowed(const gen *g, uint32_t kind, const context *c) {
    switch (kind) {
    case RANDOM_atomic: return c->stores;
    case RANDOM_race: return c->stores && g->params->races;
    case RANDOM_vset:
    case RANDOM_far:
    case RANDOM_vill: return c->vset;
    case RANDOM_diverge_loop: return c->vset && c->arms <= 1;
    case RANDOM_addresses: return g->lmul == 1;
    case RANDOM_skip:
    case RANDOM_part: return c->arms < MOST_ARMS;
    case RANDOM_diamond: return c->arms < 3;
    case RANDOM_loop: return c->loops < 2 && c->arms < 2;
    case RANDOM_call: return c->calls < 2;
    case RANDOM_edge: return !c->calls;
    case RANDOM_barrier: return c->uniform;
    case RANDOM_neighbour:
    case RANDOM_reserve: return c->uniform && c->stores;
    case RANDOM_leave:
        return g->groups > 1 && c->uniform && c->stores && g->num_leave < MOST_LEAVE && may_leave(g);
    default: return true;
    }
}

static void put_kind(gen *g, uint32_t kind, const context *c) {
    switch (kind) {
    case RANDOM_plain: any_plain(g); break;
    case RANDOM_probe: probe(g); break;
    case RANDOM_memory: any_memory(g, c); break;
    case RANDOM_atomic: any_atomic(g); break;
    case RANDOM_race: race(g, c); break;
    case RANDOM_burst: burst(g, c); break;
    case RANDOM_far: far_elements(g, c); break;
    case RANDOM_csr: any_csr(g); break;
    case RANDOM_print: print(g, c); break;
    case RANDOM_sync: fence(g, c); break;
    case RANDOM_splat: splat(g, g->row.vmv_x_s, scalar(g, false)); break;
    case RANDOM_setrpc: put_any(g, g->row.setrpc); break;
    case RANDOM_join: stray_joins(g); break;
    case RANDOM_vset: any_vset(g); break;
    case RANDOM_vill: vill(g); break;
    case RANDOM_addresses: new_addresses(g); break;
    case RANDOM_skip: skip(g, c); break;
    case RANDOM_part: part(g, c); break;
    case RANDOM_jump: jump(g, c); break;
    case RANDOM_call: call(g, *c); break;
    case RANDOM_edge: call_edge(g, c); break;
    case RANDOM_loop: loop(g, *c); break;
    case RANDOM_diamond: diamond(g, c); break;
    case RANDOM_diverge_loop: diverge_loop(g, c); break;
    case RANDOM_barrier: between_memory(g, g->row.barrier, none(), c); break;
    case RANDOM_neighbour: neighbour(g, c); break;
    case RANDOM_reserve: reserve(g); break;
    case RANDOM_leave: leave(g); break;
    }
}

static uint32_t weight_of(const gen *g, const context *c) {
    uint32_t sum = 0;
    for (uint32_t kind = 0; kind < RANDOM_NUM_KINDS; kind++)
        sum += allowed(g, kind, c) ? g->weight[kind] : 0;
    return sum;
}

static void put_item(gen *g, const context *c) {
    const uint32_t sum = weight_of(g, c);
    uint32_t at = below(g, sum);
    for (uint32_t kind = 0; kind < RANDOM_NUM_KINDS && sum; kind++) {
        const uint32_t weight = allowed(g, kind, c) ? g->weight[kind] : 0;
        if (at < weight) {
            put_kind(g, kind, c);
            return;
        }
        at -= weight;
    }
}

static void block(gen *g, uint32_t items, context c) {
    while (items-- && !g->p->failed && (!c.end || g->p->num < c.end))
        put_item(g, &c);
}

/* Stores to local memory that wait for loads: the next workgroup there has to find 0. */
static void late_stores(gen *g) {
    for (uint32_t n = below(g, 4); n--;)
        scalar_memory(g, g->row.lw, false, GLOBAL, none());
    for (uint32_t n = 1 + below(g, 3); n--;)
        if (chance(g, 50))
            scalar_memory(g, g->row.sw, false, LDS, none());
        else {
            values v = none();
            give_1(&v, g->row.vsw12_v, g->vbase[LDS][below(g, 2)]);
            give(&v, g->row.vsw12_v->offset, offset_in(g, -256, 248, 4));
            put(g, g->row.vsw12_v, false, v);
        }
}

/* What the next warp in the slot may not find: results on their way, other settings than there are at launch. */
static void last_words(gen *g) {
    const context c = {.arms = 3, .loops = 2, .calls = 2};
    block(g, below(g, 4), c);
    if (chance(g, 40))
        late_stores(g);
    if (chance(g, 30))
        put_sw(g, g->fold, g->base[GLOBAL], 4 * between(g, 0, 511));
    static const uint8_t slow[] = {KARAT_UNIT_DIV, KARAT_UNIT_FDIV, KARAT_UNIT_SFU, KARAT_UNIT_FP};
    const uint32_t unit = slow[below(g, sizeof slow)];
    const row_use *late = pick(g, g->table->units[unit]);
    if (chance(g, 50) && g->plain_weight[unit] && !is_splat(late))
        put_any(g, late);
    if (chance(g, 50))
        csr_set(g, CSR_FRM, between(g, 0, 4));
    if (chance(g, 50)) {
        const uint32_t vtype = chance(g, 50) ? 0x10 : 0x300;
        configure(g, pick(g, g->table->units[KARAT_UNIT_CONFIG]), vtype, false);
    }
    if (g->endprg == PROG_NONE)
        put_any(g, g->row.endprg);
    else
        prog_lead(g->p, jal(g, 0), g->endprg);
}

/* --- Parameters --- */

void random_defaults(random_params *params) {
    *params = (random_params){.length = 10000,
                              .num_thread = 32,
                              .max_warps = 8,
                              .vary = 60,
                              .weight = {
#define DO(name, weight, about) weight,
                                  RANDOM_KINDS(DO)
#undef DO
                              }};
    static const uint8_t units[] = {KARAT_UNIT_ALU,  KARAT_UNIT_MUL, KARAT_UNIT_DIV,   KARAT_UNIT_FP,
                                    KARAT_UNIT_FDIV, KARAT_UNIT_SFU, KARAT_UNIT_TENSOR};
    static const uint32_t weights[] = {20, 6, 3, 11, 2, 5, 2};
    for (uint32_t i = 0; i < sizeof units; i++)
        params->unit[units[i]] = weights[i];
}

const char *random_kind_name(uint32_t kind) {
    static const char *const names[] = {
#define DO(name, weight, about) #name,
        RANDOM_KINDS(DO)
#undef DO
    };
    return kind < RANDOM_NUM_KINDS ? names[kind] : NULL;
}

const char *random_kind_about(uint32_t kind) {
    static const char *const texts[] = {
#define DO(name, weight, about) about,
        RANDOM_KINDS(DO)
#undef DO
    };
    return kind < RANDOM_NUM_KINDS ? texts[kind] : NULL;
}

static void make_data(gen *g) {
    const uint32_t size = (shared_at(g) - PROG_DATA + SHARED + EDGE + PAGE - 1) / PAGE * PAGE;
    if (!(g->p->data = malloc(size))) {
        prog_fail(g->p, "out of memory");
        return;
    }
    g->p->data_size = size;
    const uint32_t table = table_at(g) - PROG_DATA;
    draw_products(g);
    g->many_products = chance(g, 75);
    /* What some classes hide others show: all of them, without signalling NaNs, or any. */
    g->classes = chance(g, 40) ? 0xff : chance(g, 50) ? 0x1f : 0;
    if (!g->classes) {
        g->classes = 1u << below(g, 8);
        g->classes |= bits(g, 8);
    }
    for (uint32_t i = 0; i < size; i += 4) {
        const uint32_t word = i >= table + TABLE ? 0
                              : i >= table ? operand_of(g, (i - table) / PART % NUM_THEMES, (i - table) / 4)
                              : chance(g, 30) ? operand(g)
                                              : bits(g, 32);
        for (uint32_t k = 0; k < 4; k++)
            g->p->data[i + k] = (uint8_t)(word >> 8 * k);
    }
}

/* Whether others stand within it. */
static bool is_region(uint32_t kind) {
    switch (kind) {
    case RANDOM_skip:
    case RANDOM_part:
    case RANDOM_call:
    case RANDOM_loop:
    case RANDOM_diamond:
    case RANDOM_diverge_loop:
    case RANDOM_neighbour: return true;
    default: return false;
    }
}

/* Much or little of it, or as it was: what is rare in most programs is frequent in some. */
static uint32_t varied(gen *g, bool much, uint32_t weight) {
    static const uint32_t sixteenths[] = {1, 4, 16, 16, 32, 64, 128};
    return weight * sixteenths[below(g, much ? 7 : 5)];
}

static void draw_weights(gen *g) {
    const random_params *params = g->params;
    const bool vary = chance(g, params->vary);
    for (uint32_t kind = 0; kind < RANDOM_NUM_KINDS; kind++)
        g->weight[kind] =
            vary ? varied(g, !is_region(kind), params->weight[kind]) : 16 * params->weight[kind];
    for (uint32_t unit = 0; unit < KARAT_NUM_UNIT; unit++) {
        const bool usable = unit != KARAT_UNIT_TENSOR || (params->num_thread >= 4 && !g->threads);
        g->plain_weight[unit] = !usable ? 0
                                : vary  ? varied(g, true, params->unit[unit])
                                        : 16 * params->unit[unit];
        g->plain_sum += g->plain_weight[unit];
    }
}

/* All rows of the units in use have their turn, from seed to seed. */
static void choose_favourites(gen *g) {
    enum { STEP = 7919 }; /* a prime, so that neighbours in the table are not together */
    uint32_t num = 0;
    for (uint32_t unit = 0; unit < KARAT_NUM_UNIT; unit++)
        num += g->plain_weight[unit] ? g->table->units[unit].num : 0;
    for (uint32_t i = 0; i < FAVOURITES; i++) {
        const uint64_t turn = g->params->seed % num * FAVOURITES + i + g->params->num_thread;
        uint32_t at = (uint32_t)(turn * STEP % num), unit = 0;
        while (!g->plain_weight[unit] || at >= g->table->units[unit].num)
            at -= g->plain_weight[unit] ? g->table->units[unit].num : 0, unit++;
        g->favourite[i] = g->table->units[unit].at[at];
    }
}

bool random_make(const row_table *table, const random_params *params, prog *p) {
    gen g = {.params = params, .table = table, .p = p, .lmul = 1};
    g.r.state = params->seed * UINT64_C(0xd1342543de82ef95) + params->num_thread;
    prog_init(p, table->profile);
#define DO(name) g.row.name = row_named(table, #name);
    NAMED(DO)
#undef DO
    const uint32_t room = params->max_vgprs ? params->max_vgprs : MOST_VGPRS,
                   fit = room / LEAST_VGPRS < params->max_warps ? room / LEAST_VGPRS : params->max_warps,
                   most = chance(&g, 55) && fit > 3 ? 3 : fit;
    const bool many =
        params->warps < 2 && params->length <= SHORT && chance(&g, params->length < FEW_LENGTH ? 15 : 6);
    g.warps = params->warps ? params->warps : many ? 1 : 1 + below(&g, most);
    g.groups = params->workgroups ? params->workgroups
               : many             ? 16 + below(&g, 25)
               : chance(&g, 25)   ? 1 + below(&g, g.warps > 2 ? 4 : 12)
                                  : 1 + below(&g, 1 + 6 / g.warps);
    if (params->races && !params->workgroups && g.groups == 1)
        g.groups += chance(&g, 60);
    uint32_t others =
        0; /* units but tensor, which fewer threads cannot use: it would read lanes that the warp does not have */
    for (uint32_t unit = 0; unit < KARAT_NUM_UNIT; unit++)
        others += unit == KARAT_UNIT_TENSOR ? 0 : params->unit[unit];
    g.threads = params->threads             ? params->threads
                : chance(&g, 85) || !others ? 0
                                            : 1 + below(&g, params->num_thread);
    if (g.threads == params->num_thread)
        g.threads = 0;
    g.lds_apart = LDS_REGION;
    if (chance(&g, 60) && g.warps * LDS_REGION < MOST_LDS)
        g.lds_apart += 4 * below(&g, (MOST_LDS / g.warps - LDS_REGION) / 4);
    const bool full = g.warps < 3 && chance(&g, 30);
    if (full) { /* workgroups that have just a bit more than their share, where so many are there at once */
        const uint32_t parts = g.warps == 1 && chance(&g, 50) ? 8 : 4;
        g.lds_apart = (FULL_LDS / parts + 8 * (1 + below(&g, 31))) / g.warps;
        if (!params->workgroups && g.groups < parts)
            g.groups = parts + below(&g, parts);
    } else if (chance(&g, 30))
        g.lds_apart = g.lds_apart / LDS_REGION * LDS_REGION;
    for (uint32_t i = 0; i < SPOTS; i++)
        g.spot[i] = at_multiple(&g, -240, 232, 8);
    g.max_vgprs = room / g.warps;
    if (!params->max_vgprs && g.max_vgprs < LEAST_VGPRS) /* more warps than those registers are for */
        g.max_vgprs = LEAST_VGPRS;
    if (full && g.max_vgprs > FULL_VGPRS)
        g.max_vgprs = FULL_VGPRS;
    draw_weights(&g);
    if (!g.plain_sum)
        prog_fail(p, "the weights leave no unit to use");
    if (g.max_vgprs < LEAST_VGPRS)
        prog_fail(p, "%u vector registers for a warp: expected %u or more", (unsigned)g.max_vgprs,
                  (unsigned)LEAST_VGPRS);
    if (p->failed)
        return false;
    choose_favourites(&g);
    choose_registers(&g);
    make_data(&g);
    if (!p->failed)
        make_edge(&g);
    const bool early = chance(&g, many || params->length < FEW_LENGTH ? 40 : 10),
               end_first = !early && chance(&g, 30), endprg_first = early || (!end_first && chance(&g, 30));
    int32_t end_at = 0, main_at = PROG_NONE;
    g.endprg = PROG_NONE;
    if (end_first || endprg_first) { /* a warp that ends has its last fetches where the next one begins */
        main_at = early ? leave_at_once(&g) : jal(&g, 0);
        end_at = (int32_t)p->num;
        if (end_first) {
            end(&g);
            last_words(&g);
        } else
            put_any(&g, g.row.endprg);
        bind(&g, main_at);
        if (endprg_first)
            g.endprg = end_at;
    }
    begin(&g);
    if (params->races && g.weight[RANDOM_race] &&
        chance(&g, 50)) /* while workgroups that began together are side by side */
        race_reservations(&g, SHARED_GLOBAL);
    const context top = {.uniform = true, .vset = true, .stores = true};
    if (!weight_of(&g, &top))
        prog_fail(p, "the weights leave nothing to make programs of");
    while (!p->failed && p->num < params->length + g.dead) {
        const uint32_t num = p->num;
        put_item(&g, &top);
        if (p->num == num && !weight_of(&g, &top))
            prog_fail(p, "the weights leave nothing to go on with");
        if (chance(&g, 10))
            fold_some(&g);
    }
    if (end_first)
        prog_lead(p, jal(&g, 0), end_at);
    else {
        end_at = (int32_t)p->num;
        end(&g);
        last_words(&g);
    }
    for (uint32_t i = 0; i < g.num_leave; i++)
        prog_lead(p, g.leave[i], end_at);
    /* Where registers count, the launch often says how many there are. */
    const bool limit = g.max_vgprs < KARAT_NUM_V ||
                       (params->max_vgprs && params->max_vgprs < RANDOM_ANY_VGPRS && chance(&g, 50));
    p->launch = (struct prog_launch){.grid = {g.groups, 1, 1},
                                     .warps = g.warps,
                                     .threads = g.threads,
                                     .knl = table_at(&g) + TABLE,
                                     .lds = g.warps * g.lds_apart + (params->races ? SHARED : 0),
                                     .pds = g.vbelow ? 2 * PDS : PDS,
                                     .sgprs = limit ? g.num_x : 0,
                                     .vgprs = limit ? g.num_v : 0};
    return !p->failed;
}
