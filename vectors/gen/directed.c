#include "directed.h"

#include "hazard.h"
#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers. All programs are one warp; tables of values are loaded anew where an instruction may have hit them. */
enum {
    X_DATA = 1, /* where hazard.h's instructions go */
    X_RPC = 2,
    X_TEMP = 3,
    X_SCRATCH = 4, /* where results of setting up go */
    X_DEST = 5,
    X_TABLE = 8, /* values by class */
    X_SUM = 18,  /* of all results, which is stored at the end */
    X_LDS = 20,
    X_ADDRESS = 30, /* even; x31 is 0, so that it is an address behind REGPAIR, too */
    X_TABLE_HIGH = 40,
    X_DEST_HIGH = 50,
    /* Vector registers are even: each may be a group of two. v0 and v1 are the mask. */
    V_ADDRESS = 2, /* of the tables, lane by lane */
    V_DEST = 4,
    V_SPLAT = 6,
    V_TABLE = 8,
    V_LANES = 28, /* addresses of memory accesses; v29 is 0, so that they are, too, behind REGPAIR */
    V_INDEX = 30,
    V_PATTERN = 64,
    V_ZERO = 66,
    V_TABLE_HIGH = 72,
    V_DEST_HIGH = 100,
    V_SUM = 110
};

enum {
    INT_CLASSES = 8,
    FP_CLASSES = 10,
    LANES = 32, /* words of a table's row, whatever the device has */
    ROW_BYTES = 4 * LANES,
    VARIANTS = 4, /* sets of FP values by class */
    BORDERS = 3,  /* and those at the borders of range and precision */
    TABLE_BYTES = 16 * ROW_BYTES,
    PATTERNS = (1 + VARIANTS + BORDERS),        /* number of the table that holds the patterns */
    AREA = 16384,                               /* behind the tables: where memory instructions go */
    SUMS = (PATTERNS + 1) * TABLE_BYTES + AREA, /* and behind that, where the sums go */
    LDS_BYTES = 8192,
    PDS_BYTES = 8192
};

typedef enum shape { FULL, SINGLE, ALTERNATING, OTHER, EMPTY, NUM_SHAPE } shape;

typedef struct dir {
    const row_table *table;
    const directed_params *params;
    prog *p;
    uint32_t classes; /* of the table that is loaded */
    uint32_t apart;   /* registers from one class to the next: LMUL */
    bool masked;      /* by v0.t */
    const row_use *vlw12, *vmv_v_v, *vmv_v_x, *vbeq;
} dir;

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

/* Values whose sums, products, quotients, conversions and powers overflow, underflow, or are inexact in the last place; and such as lie
 * halfway between two results. The last ones have results that rounding makes normal. */
static const uint32_t fp_borders[BORDERS][FP_CLASSES] = {
    {0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800001, 0x42b17218, 0xc2aeac50, 0x3f800001, 0x33800001,
     0x1f800000, 0x5f800001},
    {0x3f800000, 0xbf800000, 0x33800000, 0xb3800000, 0x3f800001, 0x3fc00000, 0x3f000000, 0x40200000,
     0x00000001, 0x01000001},
    {0x33800001, 0x007fffff, 0x3f7ffffe, 0x00800000, 0x3f800001, 0x807fffff, 0x80800000, 0x3f7fffff,
     0x00800001, 0xb3000000}};

/* Table 0: integers; then those of FP values. */
static const uint32_t *table_values(uint32_t table) {
    return !table ? int_values : table <= VARIANTS ? fp_values[table - 1] : fp_borders[table - 1 - VARIANTS];
}

/* --- Instructions --- */

typedef struct insn {
    int32_t value[KARAT_MAX_OPERAND];
    int32_t apart; /* {x3, vd} of a tied third operand: prog_put() */
} insn;

static void give(insn *x, int8_t operand, int64_t value) {
    if (operand >= 0)
        x->value[operand] = (int32_t)value;
}

static insn blank(const row_use *u) {
    insn x = {{0}, PROG_NONE};
    give(&x, u->vm, 1);
    return x;
}

/* One that v0.t may mask. */
static insn masked(const dir *d, const row_use *u) {
    insn x = blank(u);
    give(&x, u->vm, !d->masked);
    return x;
}

/* Append it where it can be encoded so. */
static bool put(dir *d, const row_use *u, const insn *x, prog_prefix prefix) {
    return !d->p->failed && prog_put(d->p, u->row, x->value, prefix, x->apart) != PROG_NONE;
}

/* A core without the retire port has to show what it has computed: the result is added to a sum, lane by lane. */
static void add_up(dir *d, const row_use *u, const insn *x) {
    if (u->dest < 0)
        return;
    const int32_t result = x->value[u->dest];
    if (u->dest_x)
        prog_add(d->p, "add", X_SUM, X_SUM, result);
    else
        prog_add(d->p, "vadd.vv", V_SUM, V_SUM, result, 1);
}

/* Such an instruction, and its result. */
static bool put_result(dir *d, const row_use *u, const insn *x, prog_prefix prefix) {
    if (!put(d, u, x, prefix))
        return false;
    add_up(d, u, x);
    return true;
}

/* The flags so far; then there are none. */
static void add_flags(dir *d) {
    prog_add(d->p, "csrrwi", X_SCRATCH, 1, 0);
    prog_add(d->p, "add", X_SUM, X_SUM, X_SCRATCH);
}

/* vreg = addresses of words one behind the other, from X_TEMP on. */
static void set_words(dir *d, uint32_t reg) {
    prog_add(d->p, "vid.v", reg, 1);
    prog_add(d->p, "vsll.vi", reg, reg, 2, 1);
    prog_add(d->p, "vadd.vx", reg, reg, X_TEMP, 1);
}

static void load_vector(dir *d, uint32_t reg, uint32_t table, uint32_t row) {
    insn x = blank(d->vlw12);
    give(&x, d->vlw12->dest, reg);
    give(&x, d->vlw12->source[1], V_ADDRESS);
    prog_li(d->p, X_TEMP, PROG_DATA + table * TABLE_BYTES + row * ROW_BYTES);
    set_words(d, V_ADDRESS);
    if (!put(d, d->vlw12, &x, PROG_AUTO))
        prog_fail(d->p, "a table cannot be loaded");
}

static void load_tables(dir *d, bool fp, uint32_t variant) {
    const uint32_t *values = table_values(fp ? 1 + variant : 0);
    d->classes = fp ? FP_CLASSES : INT_CLASSES;
    for (uint32_t i = 0; i < d->classes; i++) {
        for (uint32_t part = 0; part < d->apart; part++) {
            const uint32_t table = fp ? 1 + variant : 0, row = (i + 3 * part) % d->classes;
            load_vector(d, V_TABLE + d->apart * i + part, table, row);
            load_vector(d, V_TABLE_HIGH + d->apart * i + part, table, row);
        }
        prog_li(d->p, X_TABLE + i, values[i]);
        prog_li(d->p, X_TABLE_HIGH + i, values[i]);
    }
}

static void set_length(dir *d, int32_t length) {
    prog_add(d->p, "addi", X_TEMP, 0, length);
    prog_add(d->p, "vsetvli", X_SCRATCH, X_TEMP, d->apart == 2 ? 0x11 : 0x10);
}

/* --- Shapes of active threads --- */

typedef struct region {
    shape shape;
    int32_t place, skip;
} region;

/* A shape of a group's elements that few threads cannot make, but vl can: all elements but the last. */
static bool is_by_length(const dir *d, shape s) {
    const uint32_t lanes = d->params->num_thread;
    return d->apart == 2 && ((lanes == 1 && s == SINGLE) || (lanes == 2 && s == OTHER));
}

static region enter(dir *d, shape s) {
    region r = {s, PROG_NONE, PROG_NONE};
    if (s == EMPTY)
        set_length(d, 0);
    if (is_by_length(d, s))
        set_length(d, 2 * (int32_t)d->params->num_thread - 1);
    if (s == FULL || s == EMPTY || is_by_length(d, s))
        return r;
    load_vector(d, V_PATTERN, PATTERNS, s);
    prog_add(d->p, "vmv.v.i", V_ZERO, 0);
    r.place = prog_la(d->p, X_RPC);
    prog_add(d->p, "setrpc", 0, X_RPC, 0);
    insn x = blank(d->vbeq);
    give(&x, d->vbeq->source[2], V_PATTERN);
    give(&x, d->vbeq->source[1], V_ZERO);
    if (put(d, d->vbeq, &x, PROG_AUTO))
        r.skip = (int32_t)d->p->num - 1;
    return r;
}

static void leave(dir *d, region r) {
    if (r.shape == EMPTY || is_by_length(d, r.shape))
        set_length(d, 64);
    if (r.skip == PROG_NONE)
        return;
    prog_lead(d->p, r.skip, (int32_t)d->p->num);
    prog_lead(d->p, r.place, (int32_t)d->p->num);
    prog_add(d->p, "join");
}

/* v0.t: that pattern in each half of a group; EMPTY: nobody. */
static void set_mask(dir *d, shape s) {
    for (uint32_t reg = 0; reg < d->apart; reg++)
        load_vector(d, reg, PATTERNS, s);
}

/* --- Operands by class --- */

static bool has_source(const row_use *u, unsigned s, int8_t *imm) {
    *imm = -1;
    for (uint32_t i = 0; i < u->info->num_operands; i++)
        if (karat_operand_info(u->info->operands[i])->source == s &&
            karat_operand_info(u->info->operands[i])->role == KARAT_ROLE_IMM)
            *imm = (int8_t)i;
    return u->source[s] >= 0 || *imm >= 0 || (s == 3 && u->dest_read);
}

/* An immediate of that class; false where it has none. */
static bool immediate(const karat_operand_kind *kind, bool wide, uint32_t class, int64_t *value) {
    const uint32_t bits = kind->extends && wide ? 11 : kind->bits;
    const int64_t least = kind->is_signed ? -(INT64_C(1) << (bits - 1)) : 0,
                  most = kind->is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    const int64_t values[INT_CLASSES] = {0, 1, -1, most, least, 2, most > 9 ? 9 : most - 1, -2};
    *value = values[class % INT_CLASSES];
    return *value >= least && *value <= most;
}

/* The instruction with a class of value in each source; vectors: in lane 0, the others follow. */
static void put_classes(dir *d, const row_use *u, prog_prefix prefix, const uint32_t class[4]) {
    const bool high = prefix == PROG_REGEXT || prefix == PROG_REGPAIR,
               high_imm = prefix == PROG_REGEXTI || prefix == PROG_REGPAIRI;
    const bool splat = u->dest_x && (u->source_v[1] || u->source_v[2]);
    insn x = masked(d, u);
    for (unsigned s = 1; s <= 3; s++) {
        int8_t imm;
        if (!has_source(u, s, &imm))
            continue;
        const uint32_t at = class[s] % d->classes;
        const bool upper = high || (high_imm && s == 2);
        if (imm >= 0) {
            int64_t value = 0;
            for (uint32_t k = 0; k < INT_CLASSES && !immediate(karat_operand_info(u->info->operands[imm]),
                                                               high_imm, at + k, &value);
                 k++)
                ;
            give(&x, imm, value);
        } else if (u->source[s] < 0) { /* the destination is read */
            insn copy = blank(d->vmv_v_v);
            give(&copy, d->vmv_v_v->dest, high || high_imm ? V_DEST_HIGH : V_DEST);
            give(&copy, d->vmv_v_v->source[1], V_TABLE + d->apart * at);
            put(d, d->vmv_v_v, &copy, PROG_AUTO);
        } else if (u->source_v[s] && splat) {
            insn copy = blank(d->vmv_v_x);
            give(&copy, d->vmv_v_x->dest, V_SPLAT);
            give(&copy, d->vmv_v_x->source[1], X_TABLE + at);
            put(d, d->vmv_v_x, &copy, PROG_PLAIN);
            give(&x, u->source[s], V_SPLAT);
        } else if (u->source_v[s])
            give(&x, u->source[s], (upper ? V_TABLE_HIGH : V_TABLE) + d->apart * at);
        else
            give(&x, u->source[s], (upper ? X_TABLE_HIGH : X_TABLE) + at);
    }
    if (u->dest >= 0)
        give(&x, u->dest,
             u->dest_x ? (high || high_imm ? X_DEST_HIGH : X_DEST)
                       : (high || high_imm ? V_DEST_HIGH : V_DEST));
    if (splat) /* another value than it reads: it stays where nobody is active */
        prog_li(d->p, high || high_imm ? X_DEST_HIGH : X_DEST, 0x555);
    give(&x, u->rm, class[1] % 5);
    if (u->target >= 0)
        give(&x, u->target, 4); /* taken or not, the next one is next */
    put_result(d, u, &x, prefix);
}

static bool is_vector(const row_use *u, unsigned s) {
    return u->source_v[s] || (s == 3 && u->dest_read);
}

/* All pairs of classes of the first two sources, with as few instructions as the lanes allow; else each class once. */
static void put_all_classes(dir *d, const row_use *u, prog_prefix prefix, bool pairs) {
    unsigned first = 1, second;
    int8_t imm;
    while (first <= 3 && !has_source(u, first, &imm))
        first++;
    for (second = first + 1; second <= 3 && !has_source(u, second, &imm); second++)
        ;
    const uint32_t n = d->classes, lanes = d->params->num_thread < n ? d->params->num_thread : n;
    const bool splat = u->dest_x && (u->source_v[1] || u->source_v[2]);
    if (!pairs || second > 3) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t class[4] = {0, i, 3 * i + 1, 7 * i + 2};
            put_classes(d, u, prefix, class);
        }
        return;
    }
    const uint32_t step = is_vector(u, first) && !splat ? lanes : 1,
                   step2 = !is_vector(u, first) && is_vector(u, second) && !splat ? lanes : 1;
    for (uint32_t i = 0; i < n; i += step)
        for (uint32_t k = 0; k < n; k += step2) {
            uint32_t class[4] = {0, i + k, i + 3 * k, i + 3 * k + 2};
            class[first] = i;
            class[second] = step > 1 ? i + k : k;
            put_classes(d, u, prefix, class);
        }
}

static bool is_operand_unit(const row_use *u) {
    switch (u->info->unit) {
    case KARAT_UNIT_ALU:
    case KARAT_UNIT_MUL:
    case KARAT_UNIT_DIV:
    case KARAT_UNIT_FP:
    case KARAT_UNIT_FDIV:
    case KARAT_UNIT_SFU:
    case KARAT_UNIT_TENSOR: return true;
    case KARAT_UNIT_BRANCH: return u->source[2] >= 0;
    default: return false;
    }
}

static bool is_fp(const row_use *u) {
    return u->info->unit == KARAT_UNIT_FP || u->info->unit == KARAT_UNIT_FDIV ||
           u->info->unit == KARAT_UNIT_SFU || u->info->unit == KARAT_UNIT_TENSOR;
}

/* v0.t on: each pattern, and none at all. */
static void operands_masked(dir *d, const row_use *u) {
    if (u->vm < 0 || !karat_operand_info(u->info->operands[u->vm])->bits)
        return;
    d->masked = true;
    for (shape s = SINGLE; s < NUM_SHAPE; s++) {
        set_mask(d, s);
        for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++)
            if (u->takes_prefix[prefix])
                put_all_classes(d, u, prefix, false);
    }
    d->masked = false;
    set_mask(d, ALTERNATING);
}

static void operands(dir *d, const row_use *u) {
    bool vector = u->dest >= 0 && !u->dest_x;
    for (unsigned s = 1; s <= 3; s++)
        vector |= u->source_v[s];
    for (shape s = FULL; s < NUM_SHAPE; s++) {
        if (s == EMPTY && !vector)
            continue;
        for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++) {
            if (!u->takes_prefix[prefix])
                continue;
            const region r = enter(d, s);
            put_all_classes(d, u, prefix, s == FULL && prefix == PROG_PLAIN);
            leave(d, r);
        }
    }
    operands_masked(d, u);
}

/* --- Register numbers --- */

static void numbers(dir *d, const row_use *u) {
    if (!is_operand_unit(u)) {
        hazard_numbers(d->p, u);
        load_tables(d, false, 0);
        return;
    }
    static const uint32_t v_numbers[] = {0, 20, 31, 32, 40, 63, 64, 255},
                          x_numbers[] = {0, 22, 31, 32, 33, 63};
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(u->info->operands[i]);
        if (!kind->is_reg || kind->role == KARAT_ROLE_IGNORED)
            continue;
        const bool v = kind->cls == KARAT_CLASS_V;
        for (uint32_t k = 0; k < (v ? 8u : 6u); k++) {
            const uint32_t n = v ? v_numbers[k] : x_numbers[k];
            insn x = blank(u);
            for (unsigned s = 1; s <= 3; s++)
                give(&x, u->source[s], u->source_v[s] ? V_TABLE : X_TABLE);
            if (u->dest >= 0)
                give(&x, u->dest, u->dest_x ? X_DEST : V_DEST);
            const bool splat = u->dest_x && (u->source_v[1] || u->source_v[2]);
            if (v) {
                insn copy = blank(d->vmv_v_x);
                give(&copy, d->vmv_v_x->dest, n);
                give(&copy, d->vmv_v_x->source[1], X_TABLE + 1);
                put(d, d->vmv_v_x, &copy, PROG_AUTO);
                if (splat) {
                    give(&copy, d->vmv_v_x->dest, V_TABLE);
                    put(d, d->vmv_v_x, &copy, PROG_AUTO);
                }
            } else
                prog_add(d->p, "addi", n, X_TABLE + 1, 0);
            if (splat && !v)
                prog_add(d->p, "vmv.v.x", V_TABLE, X_TABLE + 1);
            give(&x, (int8_t)i, n);
            if (u->target >= 0)
                give(&x, u->target, 4);
            if (kind->is_read) {
                x.apart =
                    (int32_t)(n & 31) + (n >> 5 == 1 ? 64 : 32); /* x3 names another, which is not read */
                insn copy = blank(d->vmv_v_x);
                give(&copy, d->vmv_v_x->dest, x.apart);
                give(&copy, d->vmv_v_x->source[1], X_TABLE + 2);
                put(d, d->vmv_v_x, &copy, PROG_AUTO);
                put_result(d, u, &x, PROG_REGEXT);
                x.apart = PROG_NONE;
            }
            put_result(d, u, &x, PROG_AUTO);
        }
    }
    load_tables(d, is_fp(u), 0);
}

/* --- Rounding --- */

/* 1.0, the integer 1, or 0 in each source and each lane: mostly no flag at all. */
static void ones(dir *d, const row_use *u) {
    static const uint32_t values[] = {0x3f800000, 1, 0};
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
        prog_li(d->p, X_TABLE, values[i]);
        prog_add(d->p, "vmv.v.x", V_TABLE, X_TABLE);
        prog_add(d->p, "vmv.v.x", V_DEST, X_TABLE);
        insn x = blank(u);
        for (unsigned s = 1; s <= 3; s++)
            give(&x, u->source[s], u->source_v[s] ? V_TABLE : X_TABLE);
        give(&x, u->dest, u->dest_x ? X_DEST : V_DEST);
        give(&x, u->rm, 7);
        put_result(d, u, &x, PROG_PLAIN);
    }
}

static void rounding(dir *d, const row_use *u) {
    for (int32_t mode = 0; mode < 5; mode++) {
        prog_add(d->p, "csrrwi", 0, 2, mode);
        ones(d, u);
        add_flags(d);
        for (uint32_t variant = 0; variant < VARIANTS + BORDERS; variant++) {
            load_tables(d, true, variant);
            if (u->rm < 0) {
                put_all_classes(d, u, PROG_PLAIN, true);
                continue;
            }
            const uint32_t from = d->p->num;
            put_all_classes(d, u, PROG_PLAIN, true);
            for (uint32_t i = from; i < d->p->num; i++) /* by the instruction's own mode, or frm */
                if ((d->p->insn[i].word & u->info->mask) == u->info->match)
                    d->p->insn[i].word = (d->p->insn[i].word & ~0x7000u) | (uint32_t)(i % 3 ? mode : 7) << 12;
        }
    }
    prog_add(d->p, "csrrwi", 0, 2, 0);
}

/* Each pair of values in one element alone, the first one or one in the middle, and the flags that it raises; a third source has several values with each pair. */
static void raised(dir *d, const row_use *u) {
    enum { THIRDS = 3 };
    static const uint32_t tables[] = {0, VARIANTS, VARIANTS + 1, VARIANTS + 2};
    const bool maskable = u->vm >= 0 && karat_operand_info(u->info->operands[u->vm])->bits;
    int8_t imm;
    for (uint32_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        load_tables(d, true, tables[t]);
        d->masked = maskable && t % 2 == 0;
        if (d->masked)
            set_mask(d, SINGLE);
        else
            set_length(d, 1);
        for (uint32_t i = 0; i < FP_CLASSES; i++)
            for (uint32_t k = 0; k < (has_source(u, 2, &imm) ? FP_CLASSES : 1); k++)
                for (uint32_t third = 0; third < (has_source(u, 3, &imm) ? THIRDS : 1); third++) {
                    const uint32_t class[4] = {0, i, k, i + k + 4 * third};
                    put_classes(d, u, PROG_PLAIN, class);
                    add_flags(d);
                }
        d->masked = false;
        set_length(d, 64);
        set_mask(d, ALTERNATING);
    }
}

/* --- Memory --- */

/* X_ADDRESS = a place in the middle of that space's area, and an offset. */
static void set_address(dir *d, karat_mem_space space, int32_t offset) {
    switch (space) {
    case KARAT_GLOBAL:
        prog_li(d->p, X_ADDRESS, PROG_DATA + (PATTERNS + 1) * TABLE_BYTES + AREA / 2 + (uint32_t)offset);
        break;
    case KARAT_LDS:
        prog_add(d->p, "csrrs", X_ADDRESS, 0x806, 0);
        prog_li(d->p, X_TEMP, LDS_BYTES / 2 + (uint32_t)offset);
        prog_add(d->p, "add", X_ADDRESS, X_ADDRESS, X_TEMP);
        break;
    case KARAT_PRIVATE: prog_li(d->p, X_ADDRESS, PDS_BYTES / 2 + (uint32_t)offset); break;
    }
}

/* v = lane * stride, and X_ADDRESS where 'based'. */
static void set_lanes(dir *d, uint32_t v, int32_t stride, bool based) {
    prog_add(d->p, "vid.v", v, 1);
    prog_li(d->p, X_TEMP, (uint32_t)stride);
    prog_add(d->p, "vmul.vx", v, v, X_TEMP, 1);
    if (based)
        prog_add(d->p, "vadd.vx", v, v, X_ADDRESS, 1);
}

/* The access itself, from X_ADDRESS on, lanes 'stride' bytes apart where the instruction lets them. */
static void put_access(dir *d, const row_use *u, prog_prefix prefix, uint32_t class, int32_t stride) {
    insn x = masked(d, u);
    if (u->source_v[1])
        give(&x, u->source[1], V_LANES);
    else
        give(&x, u->source[1], X_ADDRESS);
    const unsigned data = u->source[3] >= 0 ? 3 : 2;
    for (unsigned s = 2; s <= 3; s++)
        if (s == data && (u->stores || u->info->unit == KARAT_UNIT_AMO))
            give(&x, u->source[s],
                 u->source_v[s] ? V_TABLE + d->apart * (class % d->classes) : X_TABLE + class % d->classes);
        else if (u->source[s] >= 0 && u->source_v[s])
            give(&x, u->source[s], V_INDEX);
        else if (u->source[s] >= 0) {
            prog_li(d->p, X_SCRATCH, (uint32_t)stride);
            give(&x, u->source[s], X_SCRATCH);
        }
    const bool high = prefix == PROG_REGEXT || prefix == PROG_REGEXTI;
    if (u->dest >= 0)
        give(&x, u->dest, u->dest_x ? (high ? X_DEST_HIGH : X_DEST) : (high ? V_DEST_HIGH : V_DEST));
    put_result(d, u, &x, prefix);
}

static int32_t stride(const dir *d, uint32_t k) {
    const int32_t lanes = (int32_t)d->params->num_thread,
                  strides[] = {4, 0, 8, 16, (d->apart == 2 && lanes > 1 ? 2 : 4) * lanes};
    return d->params->threads ? 4 * (int32_t)k : strides[k];
}

static void memory(dir *d, const row_use *u) {
    const bool amo = u->info->unit == KARAT_UNIT_AMO, scalar = !u->source_v[1] && (u->offset >= 0 || amo);
    /* Private memory is interleaved by the workgroup's threads: where they are few, any stride may conflict. */
    const uint32_t num_strides = scalar ? 1 : d->params->threads ? 16 : 5;
    d->p->launch.lds = LDS_BYTES;
    d->p->launch.pds = PDS_BYTES;
    if (d->apart == 1)
        prog_add(d->p, "vmv.v.i", V_LANES + 1, 0);
    for (karat_mem_space space = KARAT_GLOBAL; space <= KARAT_PRIVATE; space++) {
        if (u->private != (space == KARAT_PRIVATE))
            continue;
        for (prog_prefix prefix = PROG_PLAIN; prefix < PROG_AUTO; prefix++) {
            if (!u->takes_prefix[prefix] || (prefix >= PROG_REGPAIR && d->apart == 2 && u->bytes == 4))
                continue;
            for (shape s = FULL; s < NUM_SHAPE; s++) {
                if (s == EMPTY && scalar)
                    continue;
                set_address(d, space, 0);
                set_lanes(d, V_LANES, 4, true);
                set_lanes(d, V_INDEX, 4, false);
                const region r = enter(d, s);
                const bool data = u->stores || amo;
                for (uint32_t class = 0; class < (data ? d->classes : 1); class ++)
                    put_access(d, u, prefix, class, 4);
                d->masked = u->vm >= 0;
                if (d->masked && s == FULL)
                    put_access(d, u, prefix, 0, 4);
                d->masked = false;
                leave(d, r);
            }
            if (prefix != PROG_PLAIN && prefix != PROG_REGPAIR)
                continue;
            for (uint32_t k = 0; k <= num_strides; k++) /* the last with one lane alone */
                for (int32_t byte = 0; byte < 4 && (!scalar || !k); byte += u->bytes) {
                    const int32_t apart = k < num_strides ? stride(d, k) : 4;
                    set_address(d, space, byte);
                    set_lanes(d, V_LANES, apart, true);
                    set_lanes(d, V_INDEX, apart & (u->index_bytes == 1 ? 127 : -1), false);
                    const region r = enter(d, k < num_strides ? FULL : SINGLE);
                    put_access(d, u, prefix, (uint32_t)byte + 2 * k, apart);
                    leave(d, r);
                }
        }
    }
}

/* LR and SC in all ways to go on. */
static void reservations(dir *d) {
    for (karat_mem_space space = KARAT_GLOBAL; space <= KARAT_LDS; space++) {
        set_address(d, space, 0);
        prog_add(d->p, "sc.w", X_DEST, X_TABLE, X_ADDRESS, 0);
        prog_add(d->p, "lr.w", X_DEST, X_ADDRESS, 0);
        prog_add(d->p, "sc.w", X_DEST, X_TABLE + 1, X_ADDRESS, 0);
        prog_add(d->p, "sc.w", X_DEST, X_TABLE + 2, X_ADDRESS, 3);
    }
}

/* --- Groups of two registers --- */

/* Whatever works on groups, under LMUL 2: all elements, some threads, some mask bits, and vl within the second register. */
static void groups(dir *d, const row_use *u) {
    d->apart = 2;
    set_length(d, 64);
    load_tables(d, is_fp(u), 0);
    if (u->info->unit == KARAT_UNIT_MEM)
        memory(d, u);
    else {
        operands(d, u);
        set_length(d, (int32_t)d->params->num_thread + 1);
        put_all_classes(d, u, PROG_PLAIN, false);
    }
    d->apart = 1;
    set_length(d, 64);
}

/* --- CSRs and vector settings --- */

static void csrs(dir *d, const row_use *u) {
    static const uint32_t registers[] = {0, X_TABLE, X_TABLE + 1, X_TABLE + 2, X_TABLE + 5};
    for (uint32_t csr = 0; csr < 4096; csr++) {
        if (!karat_csr_name(csr))
            continue;
        const bool fixed = csr >> 10 == 3 || (csr >= 0x800 && csr <= 0x80a),
                   swaps = strncmp(u->info->name, "csrrw", 5) == 0;
        if (fixed && swaps)
            continue;
        const bool zero = csr == 8 || csr == 0x80b; /* all that vstart takes; printing wants a host */
        const bool clears = zero && strncmp(u->info->name, "csrrc", 5) == 0; /* and so leaves 0 */
        for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++)
            for (uint32_t k = 0; k < (fixed ? 1u : zero ? 4u : 10u); k++) {
                if (!u->takes_prefix[prefix])
                    continue;
                if (!fixed && !zero) /* so that it sets something, or clears it */
                    prog_add(d->p, "csrrwi", 0, (int32_t)csr, (int32_t)(k + 1) % 2);
                insn x = blank(u);
                give(&x, u->csr, csr);
                give(&x, u->dest, prefix == PROG_PLAIN ? X_DEST : X_DEST_HIGH);
                give(&x, u->source[1], registers[k / 2]);
                if (u->wide >= 0) {
                    int64_t value = 0;
                    if (k && !zero &&
                        !immediate(karat_operand_info(u->info->operands[u->wide]), prefix == PROG_REGEXTI,
                                   k / 2, &value))
                        continue;
                    give(&x, u->wide, clears ? k : value);
                }
                put(d, u, &x, prefix);
            }
        if (csr == 2 || csr == 3)
            prog_add(d->p, "csrrwi", 0, 2, 0); /* frm: a mode that there is */
    }
}

/* CSRs take each class of value; mscratch keeps it. */
static void csr_classes(dir *d, const row_use *u) {
    for (shape s = FULL; s < EMPTY; s++) {
        const region r = enter(d, s);
        for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++)
            for (uint32_t k = 0; u->takes_prefix[prefix] && k < d->classes; k++) {
                insn x = blank(u);
                int64_t value = 0;
                give(&x, u->csr, 0x340);
                give(&x, u->dest, X_DEST);
                give(&x, u->source[1], (prefix == PROG_REGEXT ? X_TABLE_HIGH : X_TABLE) + k);
                if (u->wide >= 0 && !immediate(karat_operand_info(u->info->operands[u->wide]),
                                               prefix == PROG_REGEXTI, k, &value))
                    continue;
                give(&x, u->wide, value);
                put(d, u, &x, prefix);
            }
        leave(d, r);
    }
}

/* x0, and numbers that are 0 but for their extension, as destination and as length: what is x0 keeps vl or wants all of it. */
static void config_zero(dir *d, const row_use *u) {
    static const int32_t registers[] = {0, 32, X_DEST};
    enum { NUM = sizeof registers / sizeof *registers };
    for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++)
        for (uint32_t k = 0; u->takes_prefix[prefix] && k < NUM * NUM; k++) {
            if (u->source[1] < 0 && k >= NUM)
                continue; /* its length is an immediate */
            insn x = blank(u);
            set_length(d, 3);
            prog_li(d->p, 32, 2);
            prog_li(d->p, X_DEST, 1);
            prog_li(d->p, X_TEMP, 0x10);
            give(&x, u->dest, registers[k % NUM]);
            give(&x, u->source[1], registers[k / NUM]);
            give(&x, u->source[2], X_TEMP);
            give(&x, u->vtype, 0x10);
            give(&x, u->avl, 2);
            if (!put_result(d, u, &x, prefix))
                continue;                                 /* that register is out of the prefix's reach */
            prog_add(d->p, "csrrs", X_SCRATCH, 0xc20, 0); /* vl */
            prog_add(d->p, "add", X_SUM, X_SUM, X_SCRATCH);
        }
    set_length(d, 64);
}

static void config(dir *d, const row_use *u) {
    static const uint32_t vtypes[] = {0x10, 0x11, 0xd0, 0xd1, 0, 8, 0x18, 0x12, 0x17, 0x100};
    const uint32_t lanes = d->params->num_thread;
    const uint32_t lengths[] = {
        0, 1, lanes > 2 ? lanes - 1 : 1, lanes, lanes + 1, 2 * lanes - 1, 2 * lanes, 0xffffffff};
    for (shape s = FULL; s < EMPTY; s++) {
        const region r = enter(d, s);
        for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++)
            for (uint32_t k = 0; u->takes_prefix[prefix] && k < 8 * 10; k++) {
                const uint32_t length = lengths[k % 8], vtype = vtypes[k / 8];
                insn x = blank(u);
                give(&x, u->dest, prefix == PROG_PLAIN ? X_DEST : X_DEST_HIGH);
                give(&x, u->vtype, vtype);
                give(&x, u->avl, length & (prefix == PROG_REGEXTI ? 0x7ff : 31));
                if (u->source[1] >= 0) {
                    prog_li(d->p, X_TEMP, length);
                    give(&x, u->source[1], X_TEMP);
                }
                if (u->source[2] >= 0) {
                    prog_li(d->p, X_SCRATCH, vtype);
                    give(&x, u->source[2], X_SCRATCH);
                }
                put(d, u, &x, prefix);
            }
        for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++) /* and each class of value */
            if (u->takes_prefix[prefix])
                put_all_classes(d, u, prefix, s == FULL && prefix == PROG_PLAIN);
        set_length(d, 64);
        leave(d, r);
    }
}

/* --- Control flow --- */

/* VBRANCH with each class of value, from full and from part of the threads; JOIN with and without an entry. */
static void vbranches(dir *d, const row_use *u) {
    for (shape s = FULL; s < EMPTY; s++)
        for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++) {
            if (!u->takes_prefix[prefix])
                continue;
            const region r = enter(d, s);
            const uint32_t n = d->classes, lanes = d->params->num_thread < n ? d->params->num_thread : n;
            const bool pairs = s == FULL && prefix == PROG_PLAIN;
            for (uint32_t i = 0; i < n; i += pairs ? lanes : n)
                for (uint32_t k = 0; k < n; k++) {
                    const bool upper = prefix == PROG_REGEXT;
                    insn x = blank(u);
                    give(&x, u->source[1], (upper ? V_TABLE_HIGH : V_TABLE) + (pairs ? i : (3 * k + 1) % n));
                    give(&x, u->source[2],
                         (upper || prefix == PROG_REGEXTI ? V_TABLE_HIGH : V_TABLE) + (i + k) % n);
                    const int32_t place = prog_la(d->p, X_RPC);
                    prog_add(d->p, "setrpc", 0, X_RPC, 0);
                    if (put(d, u, &x, prefix))
                        prog_lead(d->p, (int32_t)d->p->num - 1, (int32_t)d->p->num + 1);
                    prog_add(d->p, "addi", X_SCRATCH, 0, 1);
                    prog_lead(d->p, place, (int32_t)d->p->num);
                    prog_add(d->p, "join");
                }
            leave(d, r);
        }
}

/* Jumps, and instructions without operands that are data, under every shape. */
static void plain_control(dir *d, const row_use *u) {
    const bool ends = u->info->owes & (KARAT_OWES_EXIT | KARAT_OWES_BARRIER);
    if (u->info->owes & KARAT_OWES_EXIT)
        return; /* each program ends with it */
    for (shape s = FULL; s < (ends ? SINGLE : EMPTY); s++)
        for (prog_prefix prefix = PROG_PLAIN; prefix <= PROG_REGEXTI; prefix++)
            for (uint32_t k = 0; u->takes_prefix[prefix] && k < 2; k++) {
                const region r = enter(d, s);
                insn x = blank(u);
                int8_t imm;
                const int32_t high = prefix != PROG_PLAIN;
                give(&x, u->dest, high ? X_DEST_HIGH : X_DEST);
                if (strcmp(u->info->name, "jalr") == 0) {
                    const int32_t place = prog_la(d->p, high && prefix == PROG_REGEXT ? X_DEST_HIGH : X_TEMP);
                    give(&x, u->source[1], high && prefix == PROG_REGEXT ? X_DEST_HIGH : X_TEMP);
                    put(d, u, &x, prefix);
                    prog_lead(d->p, place, (int32_t)d->p->num);
                } else if (u->target >= 0) {
                    if (put(d, u, &x, prefix))
                        prog_lead(d->p, (int32_t)d->p->num - 1, (int32_t)d->p->num);
                } else if (has_source(u, 2, &imm))
                    put_all_classes(d, u, prefix, k == 0);
                else
                    put(d, u, &x, prefix);
                leave(d, r);
            }
}

/* --- The set --- */

static bool has_registers(const row_use *u) {
    return u->dest >= 0 || u->source[1] >= 0 || u->source[2] >= 0 || u->source[3] >= 0;
}

bool directed_is_about(directed_part part, const row_use *u) {
    if (!u->info || u->info->unit == KARAT_UNIT_PREFIX)
        return false;
    switch (part) {
    case PART_OPERANDS: return is_operand_unit(u);
    case PART_NUMBERS: return has_registers(u);
    case PART_GROUPS: return u->grouped && (is_operand_unit(u) || u->info->unit == KARAT_UNIT_MEM);
    case PART_ROUNDING:
    case PART_RAISED: return is_fp(u);
    case PART_MEMORY: return u->info->unit == KARAT_UNIT_MEM || u->info->unit == KARAT_UNIT_AMO;
    case PART_CSR: return u->info->unit == KARAT_UNIT_CSR;
    case PART_CONFIG: return u->info->unit == KARAT_UNIT_CONFIG;
    case PART_CONTROL:
        return (u->info->unit == KARAT_UNIT_BRANCH && u->source[2] < 0) || u->info->unit == KARAT_UNIT_SIMT ||
               u->info->unit == KARAT_UNIT_SYNC;
    default: return false;
    }
}

static const char *const part_names[NUM_PART] = {"operands", "groups", "numbers", "rounding", "raised",
                                                 "memory",   "csr",    "config",  "control"};

const char *directed_part_name(directed_part part) {
    return part_names[part];
}

static void make_data(dir *d) {
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

/* Registers that an instruction may read before anything else has written them. */
static void set_up(dir *d) {
    static const uint8_t vectors[] = {V_DEST,          V_DEST + 1, V_SPLAT,  V_DEST_HIGH,
                                      V_DEST_HIGH + 1, V_SUM,      V_SUM + 1};
    set_length(d, 64);
    set_mask(d, ALTERNATING);
    load_vector(d, 1, PATTERNS, ALTERNATING);
    for (uint32_t i = 0; i < sizeof vectors; i++)
        prog_add(d->p, "vmv.v.i", vectors[i], 0);
    prog_add(d->p, "addi", X_ADDRESS + 1, 0, 0);
    prog_add(d->p, "addi", X_SUM, 0, 0);
}

static void store_sums(dir *d) {
    set_length(d, 64);
    prog_add(d->p, "vadd.vv", V_SUM, V_SUM, V_SUM + 1, 1); /* of second registers of groups, too */
    prog_li(d->p, X_TEMP, PROG_DATA + SUMS);
    set_words(d, V_ADDRESS);
    prog_add(d->p, "vsw12.v", V_SUM, 0, V_ADDRESS);
    prog_add(d->p, "sw", X_SUM, ROW_BYTES, X_TEMP);
}

static uint32_t num_rows(const row_table *table, directed_part part) {
    uint32_t rows = 0;
    for (int row = 0; row < karat_num_rows(); row++)
        rows += directed_is_about(part, &table->use[row]);
    return rows;
}

/* The part that a program belongs to, and its number there; NUM_PART: it is a scenario. */
static directed_part part_of(const row_table *table, uint32_t index, uint32_t *at) {
    directed_part part = 0;
    for (*at = index; part < NUM_PART; part++) {
        const uint32_t programs = (num_rows(table, part) + DIRECTED_ROWS - 1) / DIRECTED_ROWS;
        if (*at < programs)
            break;
        *at -= programs;
    }
    return part;
}

static uint32_t rows_of(const row_table *table, directed_part part, uint32_t at,
                        const row_use *list[DIRECTED_ROWS]) {
    uint32_t num = 0, seen = 0;
    for (int row = 0; row < karat_num_rows() && num < DIRECTED_ROWS; row++)
        if (directed_is_about(part, &table->use[row]) && seen++ >= at * DIRECTED_ROWS)
            list[num++] = &table->use[row];
    return num;
}

uint32_t directed_num(const row_table *table) {
    uint32_t num = scenario_num();
    for (directed_part part = 0; part < NUM_PART; part++)
        num += (num_rows(table, part) + DIRECTED_ROWS - 1) / DIRECTED_ROWS;
    return num;
}

const char *directed_about(const row_table *table, uint32_t index, char name[DIRECTED_NAME]) {
    const row_use *list[DIRECTED_ROWS];
    uint32_t at;
    const directed_part part = part_of(table, index, &at);
    if (part == NUM_PART)
        return scenario_about(at, name);
    rows_of(table, part, at, list);
    snprintf(name, DIRECTED_NAME, "%s-%02u-%s", part_names[part], (unsigned)at, list[0]->info->name);
    return NULL;
}

uint32_t directed_rows_of(const row_table *table, uint32_t index, const row_use *list[DIRECTED_ROWS]) {
    uint32_t at;
    const directed_part part = part_of(table, index, &at);
    return part == NUM_PART ? 0 : rows_of(table, part, at, list);
}

static void put_part(dir *d, directed_part part, const row_use *u) {
    switch (part) {
    case PART_OPERANDS: operands(d, u); break;
    case PART_GROUPS: groups(d, u); break;
    case PART_NUMBERS: numbers(d, u); break;
    case PART_ROUNDING: rounding(d, u); break;
    case PART_RAISED: raised(d, u); break;
    case PART_MEMORY:
        memory(d, u);
        if (u->info->unit == KARAT_UNIT_AMO)
            reservations(d);
        break;
    case PART_CSR:
        csrs(d, u);
        csr_classes(d, u);
        break;
    case PART_CONFIG:
        config(d, u);
        config_zero(d, u);
        break;
    case PART_CONTROL:
        (u->info->unit == KARAT_UNIT_SIMT && u->source[2] >= 0 ? vbranches : plain_control)(d, u);
        break;
    default: break;
    }
}

bool directed_rows(const row_table *table, const directed_params *params, directed_part part,
                   const row_use *const *list, uint32_t num, prog *p) {
    dir d = {.table = table, .params = params, .p = p, .apart = 1};
    prog_init(p, table->profile);
    d.vlw12 = row_named(table, "vlw12_v");
    d.vmv_v_v = row_named(table, "vmv_v_v");
    d.vmv_v_x = row_named(table, "vmv_v_x");
    d.vbeq = row_named(table, "vbeq");
    make_data(&d);
    p->launch.threads = params->threads;
    prog_li(p, X_DATA, PROG_DATA + (PATTERNS + 1) * TABLE_BYTES + AREA / 2);
    set_up(&d);
    for (uint32_t i = 0; i < num; i++) {
        if (!directed_is_about(part, list[i]) ||
            (list[i]->info->unit == KARAT_UNIT_TENSOR && params->num_thread < 4))
            continue; /* illegal there */
        load_tables(&d, is_fp(list[i]), 0);
        put_part(&d, part, list[i]);
    }
    store_sums(&d);
    /* The last instruction with each of its prefixes in turn. */
    const int32_t none[KARAT_MAX_OPERAND] = {0};
    prog_put(p, karat_find_row("endprg"), none, (prog_prefix)(p->num % (PROG_REGEXTI + 1)), PROG_NONE);
    return !p->failed;
}

bool directed_make(const row_table *table, const directed_params *params, uint32_t index, prog *p) {
    const row_use *list[DIRECTED_ROWS];
    uint32_t at;
    const directed_part part = part_of(table, index, &at);
    if (part != NUM_PART)
        return directed_rows(table, params, part, list, rows_of(table, part, at, list), p);
    prog_init(p, table->profile);
    return scenario_make(table, params, at, p);
}
