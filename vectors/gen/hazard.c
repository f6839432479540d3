#include "hazard.h"

enum {
    X_BASE = 1,
    X_TEMP = 3,
    X_FIRST = 4, /* Operands that are nobody's */
    X_SECOND = 5,
    X_SINK = 6,
    X_VTYPE = 7,
    X_STRIDE = 8,
    X_FILL = 9,
    X_LENGTH = 10,
    V_LANES = 1, /* Addresses of device memory */
    V_FIRST = 4,
    V_SECOND = 5,
    V_SINK = 6,
    V_OFFSETS = 7, /* Offsets of private memory; indices */
    E32 = 0x10,
    MSCRATCH = 0x340
};

void hazard_begin(prog *p) {
    prog_li(p, X_FIRST, 0x40490fdb);
    prog_li(p, X_SECOND, 3);
    prog_li(p, X_SINK, 0);
    prog_li(p, X_VTYPE, E32);
    prog_li(p, X_STRIDE, 4);
    prog_li(p, X_FILL, 0);
    prog_li(p, X_LENGTH, 64);
    prog_add(p, "vsetvli", X_SINK, X_LENGTH, E32);
    prog_add(p, "vid.v", V_OFFSETS, 1);
    prog_add(p, "vsll.vi", V_OFFSETS, V_OFFSETS, 2, 1);
    prog_add(p, "vadd.vx", V_LANES, V_OFFSETS, X_BASE, 1);
    prog_add(p, "vmv.v.x", V_FIRST, X_FIRST);
    prog_add(p, "vmv.v.x", V_SECOND, X_SECOND);
    prog_add(p, "vmv.v.i", V_SINK, 0);
    prog_add(p, "vid.v", 0, 1);
    if (p->launch.pds < HAZARD_PDS)
        p->launch.pds = HAZARD_PDS;
}

/* The source that is data and not an address or a setting; -1: none of that class. */
static int8_t data_source(const row_use *u, uint32_t cls) {
    const karat_unit unit = u->info->unit;
    /* Of every other matrix product B, else A. */
    for (unsigned s = u->matrix && u->row % 2 ? 2 : 1; s <= 3; s++) {
        if (u->source[s] < 0 || u->source_v[s] != (cls == KARAT_CLASS_V) || row_is_splat(u))
            continue;
        if (unit == KARAT_UNIT_MEM && !(u->stores && s == (u->source[3] >= 0 ? 3 : 2)))
            continue;
        if ((unit == KARAT_UNIT_AMO && s != 2) || (unit == KARAT_UNIT_CONFIG && s != 1) ||
            (unit == KARAT_UNIT_BRANCH && u->dest >= 0))
            continue;
        return u->source[s];
    }
    return -1;
}

static void give(int32_t *value, int8_t operand, int32_t number) {
    if (operand >= 0)
        value[operand] = number;
}

/* The register, or the first of the matrix that has it; other vector registers that matrices may use begin at
 * an aligned one, too. */
static int32_t first_of(const row_use *u, unsigned operand, int32_t reg) {
    return reg / u->registers[operand] * u->registers[operand];
}

/* Operands that do nothing of note. */
static void fill(const row_use *u, int32_t value[KARAT_MAX_OPERAND]) {
    for (unsigned s = 1; s <= 3; s++)
        give(value, u->source[s],
             u->source_v[s] ? first_of(u, s, s == 1 ? V_FIRST : V_SECOND) : (s == 1 ? X_FIRST : X_SECOND));
    if (row_is_memory(u)) {
        give(value, u->source[1], !u->source_v[1] ? X_BASE : u->private ? V_OFFSETS : V_LANES);
        if (u->info->unit == KARAT_UNIT_MEM && (!u->stores || u->source[3] >= 0))
            give(value, u->source[2], u->source_v[2] ? V_OFFSETS : X_STRIDE);
    }
    if (u->info->unit == KARAT_UNIT_CONFIG) {
        give(value, u->source[1], X_LENGTH);
        give(value, u->source[2], X_VTYPE);
    }
    if (u->info->unit == KARAT_UNIT_SIMT && u->source[2] >= 0)
        give(value, u->source[1], value[u->source[2]]);
    give(value, u->dest, u->dest_x ? X_SINK : u->matrix ? HAZARD_V : V_SINK);
    give(value, u->vm, 1);
    give(value, u->csr, MSCRATCH);
    give(value, u->vtype, E32);
    give(value, u->avl, 31);
    give(value, u->target, 4);
}

typedef bool fits(const row_use *u, uint32_t cls);

/* But JALR, which wants an address. */
static bool writes(const row_use *u, uint32_t cls) {
    return !u->pairs && u->dest >= 0 && u->dest_x == (cls == KARAT_CLASS_X) &&
           (u->info->unit != KARAT_UNIT_BRANCH || u->target >= 0);
}

static bool reads(const row_use *u, uint32_t cls) {
    return !u->pairs && data_source(u, cls) >= 0;
}

/* The rows of the unit, then matrices. */
static const row_use *candidate(const hazards *h, karat_unit unit, uint32_t i) {
    const row_list *list = &h->table->units[unit], *more = &h->table->matrices;
    return i < list->num ? list->at[i] : i - list->num < more->num ? more->at[i - list->num] : NULL;
}

static const row_use *find(const hazards *h, karat_unit unit, uint32_t cls, fits *good, uint32_t variant) {
    uint32_t num = 0;
    const row_use *u;
    for (uint32_t pass = 0; pass < 2; pass++) { /* Count them, then take one */
        for (uint32_t i = 0; (u = candidate(h, unit, i)) != NULL; i++)
            if (u->info->unit == unit && u->threads <= h->threads && good(u, cls)) {
                if (pass && !variant--)
                    return u;
                num += !pass;
            }
        if (!num)
            break;
        variant %= num;
    }
    return NULL;
}

static bool put_with(const hazards *h, karat_unit unit, uint32_t cls, int32_t reg, uint32_t variant,
                     bool reading) {
    const row_use *u = find(h, unit, cls, reading ? reads : writes, variant);
    int32_t value[KARAT_MAX_OPERAND] = {0};
    if (!u)
        return false;
    fill(u, value);
    const int8_t operand = reading ? data_source(u, cls) : u->dest;
    give(value, operand, first_of(u, !reading ? 0 : operand == u->source[1] ? 1 : 2, reg));
    if (reading && unit == KARAT_UNIT_SIMT)
        give(value, u->source[2], reg);
    return prog_put(h->p, u->row, value, PROG_AUTO, PROG_NONE) != PROG_NONE;
}

bool hazard_write(const hazards *h, karat_unit unit, uint32_t cls, int32_t reg, uint32_t variant) {
    return put_with(h, unit, cls, reg, variant, false);
}

bool hazard_read(const hazards *h, karat_unit unit, uint32_t cls, int32_t reg, uint32_t variant) {
    return put_with(h, unit, cls, reg, variant, true);
}

bool hazard_put(const hazards *h, karat_unit older, karat_unit younger, hazard_kind kind, uint32_t cls,
                uint32_t distance, uint32_t variant) {
    const int32_t reg = (cls == KARAT_CLASS_X ? HAZARD_X : HAZARD_V) + (int32_t)(variant % 8);
    if (!find(h, older, cls, kind == HAZARD_WAR ? reads : writes, 0) ||
        !find(h, younger, cls, kind == HAZARD_RAW ? reads : writes, 0))
        return false;
    (kind == HAZARD_WAR ? hazard_read : hazard_write)(h, older, cls, reg, variant);
    for (uint32_t i = 1; i < distance; i++)
        prog_add(h->p, "addi", X_FILL, X_FILL, 1);
    (kind == HAZARD_RAW ? hazard_read : hazard_write)(h, younger, cls, reg, variant / 3);
    if (older == KARAT_UNIT_CONFIG || younger == KARAT_UNIT_CONFIG)
        prog_add(h->p, "vsetvli", X_SINK, X_LENGTH, E32);
    return true;
}

static void put_number(prog *p, const row_use *u, uint32_t operand, bool is_v, int32_t n) {
    int32_t value[KARAT_MAX_OPERAND] = {0};
    fill(u, value);
    if ((int8_t)operand != u->dest) {
        if (u->info->unit == KARAT_UNIT_BRANCH && u->dest >= 0) { /* JALR */
            const int32_t place = prog_la(p, (uint32_t)n);
            prog_lead(p, place, (int32_t)p->num + 1);
        } else if (is_v)
            prog_add(p, "vadd.vi", n, value[operand], 0, 1);
        else
            prog_add(p, "addi", n, value[operand], 0);
    } else if (u->info->unit == KARAT_UNIT_BRANCH && u->target < 0) {
        const int32_t place = prog_la(p, X_TEMP);
        prog_lead(p, place, (int32_t)p->num + 1);
        value[u->source[1]] = X_TEMP;
    }
    value[operand] = n;
    prog_put(p, u->row, value, PROG_AUTO, PROG_NONE);
    if (u->info->unit == KARAT_UNIT_CONFIG)
        prog_add(p, "vsetvli", X_SINK, X_LENGTH, E32);
}

void hazard_numbers(prog *p, const row_use *u) {
    static const uint8_t v_numbers[] = {0, 20, 31, 32, 40, 63, 64, 255},
                         x_numbers[] = {0, 22, 31, 32, 33, 63};
    hazard_begin(p);
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(u->info->operands[i]);
        if (!kind->is_reg || kind->role == KARAT_ROLE_IGNORED)
            continue;
        const bool is_v = kind->cls == KARAT_CLASS_V;
        for (uint32_t k = 0; k < (is_v ? sizeof v_numbers : sizeof x_numbers); k++)
            /* Register x0 is no address; but a stride or a vtype it may be. */
            if (is_v || x_numbers[k] || (int8_t)i == u->dest || (int8_t)i == u->source[2] ||
                data_source(u, KARAT_CLASS_X) == (int8_t)i)
                put_number(p, u, i, is_v, is_v ? v_numbers[k] : x_numbers[k]);
    }
}
