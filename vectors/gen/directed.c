#include "directed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers. All programs are one warp; tables of values are loaded anew where an instruction may have hit them. */
enum {
    X_DATA = 1, /* base of the tables */
    X_RPC = 2,
    X_TEMP = 3,
    X_SCRATCH = 4, /* where results of setting up go */
    X_DEST = 5,
    X_TABLE = 8, /* values by class */
    X_LDS = 20,
    X_ADDRESS = 30, /* even; x31 is 0, so that it is an address behind REGPAIR, too */
    X_TABLE_HIGH = 40,
    X_DEST_HIGH = 50,
    V_ZERO = 1,
    V_PATTERN = 2,
    V_ADDRESS = 3, /* of the tables, lane by lane */
    V_DEST = 4,
    V_SPLAT = 6,
    V_TABLE = 8,
    V_LANES = 24, /* addresses of memory accesses */
    V_INDEX = 26,
    V_TABLE_HIGH = 72,
    V_DEST_HIGH = 100
};

enum {
    INT_CLASSES = 8,
    FP_CLASSES = 10,
    LANES = 32, /* words of a table's row, whatever the device has */
    ROW_BYTES = 4 * LANES,
    VARIANTS = 4, /* sets of FP values */
    TABLE_BYTES = 16 * ROW_BYTES,
    PATTERNS = (1 + VARIANTS), /* number of the table that holds the patterns */
    AREA = 8192,               /* behind the tables: where memory instructions go */
    ROWS_EACH = 6              /* of a program */
};

typedef enum shape { FULL, SINGLE, ALTERNATING, OTHER, EMPTY, NUM_SHAPE } shape;

typedef enum part {
    PART_OPERANDS,
    PART_NUMBERS,
    PART_ROUNDING,
    PART_MEMORY,
    PART_CSR,
    PART_CONFIG,
    PART_CONTROL,
    NUM_PART
} part;

typedef struct dir {
    const row_table *table;
    const directed_params *params;
    prog *p;
    uint32_t classes; /* of the table that is loaded */
    const row_use *vlw12, *vmv_v_v, *vmv_v_x, *vbeq, *setrpc, *join, *vsetvli;
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

/* --- Instructions --- */

typedef struct insn {
    int32_t value[KARAT_MAX_OPERAND];
    int32_t third;
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

/* Append it where it can be encoded so. */
static bool put(dir *d, const row_use *u, const insn *x, prog_prefix prefix) {
    return !d->p->failed && prog_put(d->p, u->row, x->value, prefix, x->third) != PROG_NONE;
}

static void load_vector(dir *d, uint32_t reg, uint32_t table, uint32_t row) {
    insn x = blank(d->vlw12);
    give(&x, d->vlw12->dest, reg);
    give(&x, d->vlw12->source[1], V_ADDRESS);
    prog_li(d->p, X_TEMP, PROG_DATA + table * TABLE_BYTES + row * ROW_BYTES);
    prog_add(d->p, "vid.v", V_ADDRESS, 1);
    prog_add(d->p, "vsll.vi", V_ADDRESS, V_ADDRESS, 2, 1);
    prog_add(d->p, "vadd.vx", V_ADDRESS, V_ADDRESS, X_TEMP, 1);
    if (!put(d, d->vlw12, &x, PROG_AUTO))
        prog_fail(d->p, "a table cannot be loaded");
}

static void load_tables(dir *d, bool fp, uint32_t variant) {
    const uint32_t *values = fp ? fp_values[variant] : int_values;
    d->classes = fp ? FP_CLASSES : INT_CLASSES;
    for (uint32_t i = 0; i < d->classes; i++) {
        load_vector(d, V_TABLE + i, fp ? 1 + variant : 0, i);
        load_vector(d, V_TABLE_HIGH + i, fp ? 1 + variant : 0, i);
        prog_li(d->p, X_TABLE + i, values[i]);
        prog_li(d->p, X_TABLE_HIGH + i, values[i]);
    }
}

static void set_length(dir *d, int32_t length) {
    prog_add(d->p, "addi", X_TEMP, 0, length);
    prog_add(d->p, "vsetvli", X_SCRATCH, X_TEMP, 0x10);
}

/* --- Shapes of active threads --- */

typedef struct region {
    shape shape;
    int32_t place, skip;
} region;

static region enter(dir *d, shape s) {
    region r = {s, PROG_NONE, PROG_NONE};
    if (s == EMPTY)
        set_length(d, 0);
    if (s == FULL || s == EMPTY)
        return r;
    load_vector(d, V_PATTERN, PATTERNS, s);
    prog_add(d->p, "vmv.v.i", V_ZERO, 0);
    r.place = prog_la(d->p, X_RPC);
    prog_add(d->p, "setrpc", 0, X_RPC, 0);
    insn x = blank(d->vbeq);
    give(&x, d->vbeq->source[2], V_PATTERN);
    give(&x, d->vbeq->source[1], V_ZERO);
    if (put(d, d->vbeq, &x, PROG_PLAIN))
        r.skip = (int32_t)d->p->num - 1;
    return r;
}

static void leave(dir *d, region r) {
    if (r.shape == EMPTY)
        set_length(d, 64);
    if (r.skip == PROG_NONE)
        return;
    prog_lead(d->p, r.skip, (int32_t)d->p->num);
    prog_lead(d->p, r.place, (int32_t)d->p->num);
    prog_add(d->p, "join");
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
    insn x = blank(u);
    for (unsigned s = 1; s <= 3; s++) {
        int8_t imm;
        if (!has_source(u, s, &imm))
            continue;
        const uint32_t at = class[s] % d->classes;
        const bool upper = high || (high_imm && s == 2);
        if (imm >= 0) {
            int64_t value;
            if (!immediate(karat_operand_info(u->info->operands[imm]), high_imm, at, &value))
                return;
            give(&x, imm, value);
        } else if (u->source[s] < 0) { /* the destination is read */
            insn copy = blank(d->vmv_v_v);
            give(&copy, d->vmv_v_v->dest, high || high_imm ? V_DEST_HIGH : V_DEST);
            give(&copy, d->vmv_v_v->source[1], V_TABLE + at);
            put(d, d->vmv_v_v, &copy, PROG_AUTO);
            if (high_imm)
                x.third = V_DEST_HIGH & 31; /* REGEXTI has no extension for it */
        } else if (u->source_v[s] && splat) {
            insn copy = blank(d->vmv_v_x);
            give(&copy, d->vmv_v_x->dest, V_SPLAT);
            give(&copy, d->vmv_v_x->source[1], X_TABLE + at);
            put(d, d->vmv_v_x, &copy, PROG_PLAIN);
            give(&x, u->source[s], V_SPLAT);
        } else if (u->source_v[s])
            give(&x, u->source[s], (upper ? V_TABLE_HIGH : V_TABLE) + at);
        else
            give(&x, u->source[s], (upper ? X_TABLE_HIGH : X_TABLE) + at);
    }
    if (u->dest >= 0)
        give(&x, u->dest,
             u->dest_x ? (high || high_imm ? X_DEST_HIGH : X_DEST)
                       : (high || high_imm ? V_DEST_HIGH : V_DEST));
    give(&x, u->rm, class[1] % 5);
    if (u->target >= 0)
        give(&x, u->target, 4); /* taken or not, the next one is next */
    put(d, u, &x, prefix);
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
            if (u->info->unit == KARAT_UNIT_TENSOR && s != FULL && s != EMPTY)
                ; /* it takes what lanes hold that do not take part: the tables' */
            put_all_classes(d, u, prefix, s == FULL && prefix == PROG_PLAIN);
            leave(d, r);
        }
    }
}

/* --- Register numbers --- */

static void numbers(dir *d, const row_use *u) {
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
                x.third = (int32_t)(n & 31) + 32; /* and another where it is read */
                insn copy = blank(d->vmv_v_x);
                give(&copy, d->vmv_v_x->dest, x.third);
                give(&copy, d->vmv_v_x->source[1], X_TABLE + 2);
                put(d, d->vmv_v_x, &copy, PROG_AUTO);
                put(d, u, &x, PROG_REGEXT);
                x.third = PROG_NONE;
            }
            put(d, u, &x, PROG_AUTO);
        }
    }
    load_tables(d, is_fp(u), 0);
}

/* --- Rounding --- */

static void rounding(dir *d, const row_use *u) {
    for (int32_t mode = 0; mode < 5; mode++) {
        prog_add(d->p, "csrrwi", 0, 2, mode);
        for (uint32_t variant = 0; variant < VARIANTS; variant++) {
            load_tables(d, true, variant);
            if (u->rm < 0) {
                put_all_classes(d, u, PROG_PLAIN, true);
                continue;
            }
            const uint32_t from = d->p->num;
            put_all_classes(d, u, PROG_PLAIN, true);
            for (uint32_t i = from; i < d->p->num; i++) /* by the instruction's own mode, or frm */
                d->p->insn[i].word = (d->p->insn[i].word & ~0x7000u) | (uint32_t)(i % 3 ? mode : 7) << 12;
        }
    }
    prog_add(d->p, "csrrwi", 0, 2, 0);
}

/* --- The set --- */

static bool belongs(const row_use *u, part part) {
    if (!u->info || u->info->unit == KARAT_UNIT_PREFIX)
        return false;
    switch (part) {
    case PART_OPERANDS:
    case PART_NUMBERS: return is_operand_unit(u);
    case PART_ROUNDING: return is_fp(u);
    default: return false;
    }
}

static const char *const part_names[NUM_PART] = {"operands", "numbers", "rounding", "memory",
                                                 "csr",      "config",  "control"};

static void make_data(dir *d) {
    prog *p = d->p;
    p->data_size = (PATTERNS + 1) * TABLE_BYTES + AREA;
    if (!(p->data = calloc(1, p->data_size))) {
        prog_fail(p, "out of memory");
        return;
    }
    for (uint32_t table = 0; table <= VARIANTS; table++) {
        const uint32_t n = table ? FP_CLASSES : INT_CLASSES,
                       *values = table ? fp_values[table - 1] : int_values;
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

uint32_t directed_num(const row_table *table) {
    uint32_t num = 0;
    for (part part = 0; part < NUM_PART; part++) {
        uint32_t rows = 0;
        for (int row = 0; row < karat_num_rows(); row++)
            rows += belongs(&table->use[row], part);
        num += (rows + ROWS_EACH - 1) / ROWS_EACH;
    }
    return num;
}

bool directed_make(const row_table *table, const directed_params *params, uint32_t index, prog *p,
                   char name[DIRECTED_NAME]) {
    dir d = {.table = table, .params = params, .p = p};
    prog_init(p, table->profile);
    d.vlw12 = row_named(table, "vlw12_v");
    d.vmv_v_v = row_named(table, "vmv_v_v");
    d.vmv_v_x = row_named(table, "vmv_v_x");
    d.vbeq = row_named(table, "vbeq");
    const row_use *list[ROWS_EACH];
    uint32_t num = 0, seen = 0, at = index;
    part part = 0;
    for (; part < NUM_PART; part++) {
        uint32_t rows = 0;
        for (int row = 0; row < karat_num_rows(); row++)
            rows += belongs(&table->use[row], part);
        const uint32_t programs = (rows + ROWS_EACH - 1) / ROWS_EACH;
        if (at < programs)
            break;
        at -= programs;
    }
    for (int row = 0; row < karat_num_rows() && num < ROWS_EACH; row++)
        if (belongs(&table->use[row], part) && seen++ >= at * ROWS_EACH)
            list[num++] = &table->use[row];
    snprintf(name, DIRECTED_NAME, "%s-%02u-%s", part_names[part], (unsigned)at, list[0]->info->name);
    make_data(&d);
    set_length(&d, 64);
    prog_add(p, "addi", X_ADDRESS + 1, 0, 0);
    for (uint32_t i = 0; i < num; i++) {
        load_tables(&d, is_fp(list[i]), 0);
        switch (part) {
        case PART_OPERANDS: operands(&d, list[i]); break;
        case PART_NUMBERS: numbers(&d, list[i]); break;
        case PART_ROUNDING: rounding(&d, list[i]); break;
        default: break;
        }
    }
    prog_add(p, "endprg");
    return !p->failed;
}
