/* Profile v2.03: each width of an instruction's elements, ABS and NEG, accesses after PRE_M_*. */
#include "dir.h"

enum {
    CLASSES = FP_CLASSES,
    SETS = 4,          /* Sets of values by class */
    X_FIRST = 10,      /* Pairs with the scalar sources: x10, x12, x14 */
    V_FIRST = V_TABLE, /* Pairs of registers by class: of sources as wide as the elements */
    V_TWICE = 72,      /* First of the sources twice as wide */
    X_ROW_DEST = 16,   /* Pairs */
    V_ROW_DEST = V_DEST,
    LONG_BYTES = 8192 /* Bytes of local and of private memory */
};

/* --- Values --- */

static uint64_t ones(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t int_value(karat_width width, uint32_t class, uint32_t set) {
    const uint64_t all = ones(8u << width), top = all / 2 + 1;
    const uint64_t values[INT_CLASSES] = {0,   1,       all,           top - 1,
                                          top, 5 + set, top / 3 + set, all - top / 5 - set};
    return values[class % INT_CLASSES];
}

static uint64_t value_of(const row_use *u, karat_width width, uint32_t class, uint32_t set) {
    const bool fp =
        karat_row_is_float(u->info) && width != KARAT_W8 && set < SETS - 1; /* The last shape: integers */
    static const uint8_t fractions[] = {[KARAT_W16] = 10, [KARAT_W32] = 23, [KARAT_W64] = 52};
    return fp ? tables_number(fractions[width], 8u << width, class % FP_CLASSES, set)
              : int_value(width, class, set);
}

static void li_pair(dir *d, uint32_t reg, uint64_t value) {
    prog_li(d->p, reg, (uint32_t)value);
    prog_li(d->p, reg + 1, (uint32_t)(value >> 32));
}

/* The registers with values by class; under SEW 32. */
static void load_classes(dir *d, const row_use *u, uint32_t first, karat_width width, uint32_t set) {
    for (uint32_t class = 0; class < CLASSES; class ++) {
        li_pair(d, X_FIRST, value_of(u, width, class, set));
        for (uint32_t half = 0; half < 2; half++)
            prog_add(d->p, "vmv.v.x", first + 2 * class + half, X_FIRST + half);
    }
}

/* --- An instruction --- */

typedef struct wide {
    karat_width width;
    uint32_t set;
    bool pair;          /* The prefix makes it a pair */
    prog_prefix prefix; /* Where neither that nor ABS and NEG want one */
} wide;

static const karat_operand_kind *kind_of(const row_use *u, int8_t operand) {
    return karat_operand_info(u->info->operands[(unsigned)operand]);
}

static uint32_t vector_of(const row_use *u, int8_t operand, uint32_t class) {
    return (kind_of(u, operand)->span == KARAT_SPAN_TWICE ? V_TWICE : V_FIRST) + 2 * (class % CLASSES);
}

/* A source's register below 32, which needs no prefix. */
static uint32_t source_of(dir *d, const row_use *u, unsigned s, uint32_t class) {
    const uint32_t reg = vector_of(u, u->source[s], class), low = s == 1 ? V_LANES : V_INDEX;
    if (reg < 32)
        return reg;
    for (uint32_t half = 0; half < 2; half++)
        prog_add(d->p, "vadd12.vi", low + half, reg + half, 0);
    return low;
}

/* Register vd's old value. Custom rows do not depend on vtype. */
static void give_old(dir *d, const row_use *u, uint32_t class) {
    for (uint32_t half = 0; half < 2; half++)
        prog_add(d->p, "vadd12.vi", V_ROW_DEST + half, vector_of(u, u->dest, class) + half, 0);
}

static void put(dir *d, const row_use *u, const wide *w, const uint32_t class[4], int32_t mode,
                prog_fields fields) {
    insn x = masked(d, u);
    for (unsigned s = 1; s <= 3; s++) {
        int8_t imm;
        if (!operands_source(u, s, &imm))
            continue;
        if (imm >= 0)
            give(
                &x, imm,
                operands_any_immediate(kind_of(u, imm), prog_prefix_info(d->p, w->prefix).has_imm, class[s]));
        else if (u->source[s] < 0)
            give_old(d, u, class[s]);
        else if (u->source_v[s])
            give(&x, u->source[s], source_of(d, u, s, class[s]));
        else {
            const bool twice = kind_of(u, u->source[s])->span == KARAT_SPAN_TWICE;
            const uint32_t reg = X_FIRST + 2 * (s - 1);
            li_pair(d, reg, value_of(u, w->width + twice, class[s], w -> set));
            give(&x, u->source[s], reg);
        }
    }
    give(&x, u->dest, u->dest_x ? X_ROW_DEST : V_ROW_DEST);
    give(&x, u->rm, mode);
    give(&x, u->target, 4);
    fields.pair = w->pair;
    const prog_prefix prefix = fields.pair || fields.abs || fields.neg ? PROG_PREFIX : w->prefix;
    if (prog_put_with(d->p, u->row, x.value, prefix, fields, PROG_NONE) == PROG_NONE || u->dest < 0)
        return;
    const bool is_pair = karat_operand_is_pair(kind_of(u, u->dest), w->width);
    for (uint32_t half = 0; half <= is_pair; half++)
        dir_sum(d, u, x.value[u->dest] + half);
}

static void set_sew(dir *d, karat_width sew) {
    prog_add(d->p, "vsetvli", 0, 0, (int32_t)sew << 3); /* Keeps vl */
}

/* All classes of each source, and all pairs of those of the first two. */
static void put_classes(dir *d, const row_use *u, const wide *w, int32_t mode, bool pairs) {
    int8_t imm;
    unsigned first = 1;
    while (first < 3 && !operands_source(u, first, &imm))
        first++;
    const bool has_second = first < 3 && operands_source(u, first + 1, &imm);
    for (uint32_t i = 0; i < CLASSES; i++)
        for (uint32_t k = 0; k < (pairs && has_second ? CLASSES : 1); k++) {
            uint32_t class[4] = {0, i + k, i + 3 * k, i + 3 * k + 2};
            class[first] = i;
            if (!pairs)
                class[2] = class[3] = i;
            else if (first < 3)
                class[first + 1] = k;
            put(d, u, w, class, mode, (prog_fields){0});
            dir_add_flags(d, u); /* All lanes have the same operands */
        }
}

static void changes(dir *d, const row_use *u, const wide *w) {
    for (uint32_t change = 1; change < 4; change++)
        for (uint32_t s = 0; s < 3; s++)
            for (uint32_t i = 0; i < CLASSES; i += 2) {
                const uint32_t class[4] = {0, i + 3, i + 5, i + 4};
                put(d, u, w, class, 0,
                    (prog_fields){.abs = (uint8_t)((change & 1) << s), .neg = (uint8_t)((change >> 1) << s)});
            }
}

static void width(dir *d, const row_use *u, const wide *w) {
    const bool sew = karat_row_follows_sew(u->info) && !w->pair, fp = unit_is_fp(u->info->unit);
    load_classes(d, u, V_FIRST, w->width, w->set);
    if (w->width < KARAT_W64)
        load_classes(d, u, V_TWICE, w->width + 1, w->set);
    for (shape s = FULL; s < (w->set ? SINGLE : operands_vector(u) ? NUM_SHAPE : EMPTY); s++) {
        const region r = shape_enter(d, s);
        if (sew)
            set_sew(d, w->width);
        for (int32_t mode = 0; mode < (fp && s == FULL ? 5 : 1); mode++) {
            if (mode)
                prog_add(d->p, "csrrwi", 0, CSR_FRM, mode);
            put_classes(d, u, w, mode, s == FULL);
        }
        if (fp)
            prog_add(d->p, "csrrwi", 0, CSR_FRM, 0);
        if (s == FULL && !w->set)
            changes(d, u, w);
        for (prog_prefix prefix = PROG_PLAIN; u->pairs && !w->set && prefix < d->p->num_general; prefix++)
            if (u->takes_prefix[prefix]) { /* Because part_operands() leaves these rows out */
                wide other = *w;
                other.prefix = prefix;
                put_classes(d, u, &other, 0, false);
            }
        if (sew)
            set_sew(d, KARAT_W32);
        shape_leave(d, r);
    }
    if (w->set || !operands_maskable(u))
        return;
    shape_mask(d, EMPTY); /* No lane raises a flag */
    d->masked = true;
    if (sew)
        set_sew(d, w->width);
    put_classes(d, u, w, 0, false);
    if (sew)
        set_sew(d, KARAT_W32);
    d->masked = false;
    shape_mask(d, ALTERNATING);
}

void part_widths(dir *d, const row_use *u) {
    for (karat_width w = KARAT_W8; w <= KARAT_W64; w++)
        for (uint32_t set = 0; set < (unit_is_fp(u->info->unit) ? SETS : 1u); set++)
            if (u->info->widths >> w & 1) {
                const wide now = {w, set, w == KARAT_W64 && u->info->widths != 1 << KARAT_W64, PROG_AUTO};
                width(d, u, &now);
            }
    tables_load(d, u, 0);
}

/* --- Register numbers, memory --- */

/* Set x30 and x31 to an address for that space, as the prefix has it. */
static void set_address(dir *d, uint32_t space) {
    const bool local = space == KARAT_PREFIX_LOCAL || space == KARAT_PREFIX_PRIVATE;
    prog_li(d->p, X_ADDRESS, local ? LONG_BYTES / 2 : PROG_DATA + AREA_AT + AREA / 2);
    prog_li(d->p, X_ADDRESS + 1, 0);
}

/* A base in register n: the address that an access of the part has. */
static void put_base(dir *d, bool v, uint32_t n) {
    for (uint32_t half = 0; half < 2; half++)
        if (v)
            prog_add(d->p, "vadd12.vi", n + half, V_LANES + half, 0);
        else
            prog_add(d->p, "addi", n + half, X_ADDRESS + half, 0);
}

/* Values in register n and the next one, for an operand that is read. x31 is part of the address, and 0. */
static void put_values(dir *d, bool v, uint32_t n) {
    for (uint32_t half = 0; half < 2; half++)
        if (v && n + half < KARAT_NUM_V)
            prog_add(d->p, "vadd12.vi", n + half, V_FIRST + 2 + half, 0);
        else if (!v && n && n != X_ADDRESS + 1 && n + half < KARAT_NUM_X)
            prog_add(d->p, "addi", n + half, X_TABLE + 2 + half, 0);
}

/* Numbers of the registers of rows that have pairs: those are even. Those with SEW also have others under
 * SEW 16. */
void part_pairs(dir *d, const row_use *u) {
    static const uint32_t v_numbers[] = {0, 20, 32, 40, 64, 31, 63, 255},
                          x_numbers[] = {0, 22, 32, 34, 31, 33, 63};
    const bool memory = !operands_unit(u);
    set_address(d, KARAT_PREFIX_DEFAULT);
    prog_add(d->p, "vmv.v.x", V_LANES, X_ADDRESS);
    prog_add(d->p, "vmv.v.i", V_LANES + 1, 0);
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(u->info->operands[i]);
        const bool v = kind->cls == KARAT_CLASS_V, base = memory && kind->role == KARAT_ROLE_SRC1;
        for (uint32_t k = 0; kind->is_reg && kind->role != KARAT_ROLE_IGNORED && k < (v ? 8u : 7u); k++) {
            const uint32_t n = v ? v_numbers[k] : x_numbers[k];
            if (((base || !memory) && n % 2) || (base && !v && !n))
                continue;
            insn x = blank(u);
            set_address(d, KARAT_PREFIX_DEFAULT); /* The last destination may have been its register */
            for (unsigned s = 1; s <= 3; s++)
                give(&x, u->source[s], (u->source_v[s] ? V_FIRST : X_FIRST) + 2 * s);
            if (memory)
                give(&x, u->source[1], u->source_v[1] ? V_LANES : X_ADDRESS);
            give(&x, u->dest, u->dest_x ? X_ROW_DEST : V_ROW_DEST);
            if (base)
                put_base(d, v, n);
            else if (kind->role != KARAT_ROLE_DEST || kind->is_read)
                put_values(d, v, n);
            give(&x, (int8_t)i, n);
            dir_put(d, u, &x, PROG_AUTO);
        }
    }
    if (!karat_row_follows_sew(u->info))
        return;
    dir_set_length(d, 64);
    set_sew(d, KARAT_W16);
    operands_numbers(d, u);
    set_sew(d, KARAT_W32);
    tables_load(d, u, 0);
}

static void put_access(dir *d, const row_use *u, prog_prefix prefix, uint32_t class, prog_fields fields) {
    insn x = masked(d, u);
    const karat_prefix_space space = (karat_prefix_space)prog_prefix_info(d->p, prefix).space;
    const bool at_0 = class > 1 && (space == KARAT_PREFIX_PRIVATE || space == KARAT_PREFIX_LOCAL);
    const unsigned data = u->source[3] >= 0 ? 3 : 2;
    give(&x, u->source[1], u->source_v[1] ? V_LANES : at_0 ? 0 : X_ADDRESS);
    for (unsigned s = 2; s <= 3; s++)
        if (u->source[s] < 0)
            continue;
        else if (s == data && (u->stores || u->info->unit == KARAT_UNIT_AMO))
            give(&x, u->source[s], (u->source_v[s] ? V_TABLE : X_TABLE) + class % 4);
        else
            give(&x, u->source[s], u->source_v[s] ? V_INDEX : X_SCRATCH);
    give(&x, u->dest, u->dest_x ? 20 : 92); /* Four registers that nothing else uses */
    prog_put_with(d->p, u->row, x.value, prefix, fields, PROG_NONE);
}

void part_long(dir *d, const row_use *u) {
    d->p->launch.lds = LONG_BYTES;
    d->p->launch.pds = LONG_BYTES;
    for (uint32_t k = 0; k < 2 * (d->p->num_prefix - PROG_PRE_M);
         k++) { /* A prefix before no access has no effect */
        const int32_t value[KARAT_MAX_OPERAND] = {X_SUM, X_SUM, (int32_t)k};
        prog_put_with(d->p, ROW_addi, value, PROG_PRE_M + k / 2, (prog_fields){.pair = k & 1}, PROG_NONE);
    }
    for (prog_prefix prefix = PROG_PRE_M; prefix < d->p->num_prefix; prefix++)
        for (shape s = FULL; s < EMPTY; s++) {
            const karat_prefix says = prog_prefix_info(d->p, prefix);
            set_address(d, says.space);
            prog_add(d->p, "vid.v", V_INDEX, 1);
            prog_add(d->p, "vsll.vi", V_INDEX, V_INDEX, 2, 1);
            prog_add(d->p, "vadd.vx", V_LANES, V_INDEX, X_ADDRESS, 1);
            prog_add(d->p, "vmv.v.i", V_LANES + 1, 0);
            prog_li(d->p, X_SCRATCH, 16);
            const region r = shape_enter(d, s);
            for (uint32_t k = 0; k < 4; k++)
                put_access(d, u, prefix, k, (prog_fields){.pair = k & 1, .hint = (uint8_t)(4 * k + s)});
            shape_leave(d, r);
        }
}
