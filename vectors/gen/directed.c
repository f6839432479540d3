#include "directed/dir.h"

#include "scenario.h"

#include <stdio.h>

/* --- Parts --- */

static bool has_registers(const row_use *u) {
    return u->dest >= 0 || u->source[1] >= 0 || u->source[2] >= 0 || u->source[3] >= 0;
}

static bool is_fp(const row_use *u) {
    return unit_is_fp(u->info->unit);
}

/* Flags of one element alone. */
static bool is_by_element(const row_use *u) {
    return is_fp(u) && !u->matrix;
}

static bool has_groups(const row_use *u) {
    return u->grouped && !u->single && (operands_unit(u) || u->info->unit == KARAT_UNIT_MEM);
}

static bool has_csr(const row_use *u) {
    return u->csr >= 0;
}

static bool has_vtype(const row_use *u) {
    return u->info->unit == KARAT_UNIT_CONFIG;
}

static bool is_control(const row_use *u) {
    return (u->info->unit == KARAT_UNIT_BRANCH && u->source[2] < 0) || u->info->unit == KARAT_UNIT_SIMT ||
           u->info->unit == KARAT_UNIT_SYNC;
}

/* Rows of v2.03, which alone have these prefixes. */
static bool has_widths(const row_use *u) {
    return u->takes_prefix[PROG_PRE_M] && u->info->widths &&
           (operands_unit(u) || u->info->unit == KARAT_UNIT_SIMT);
}

static bool has_pairs(const row_use *u) {
    return u->pairs;
}

static bool has_long(const row_use *u) {
    return u->takes_prefix[PROG_PRE_M] && row_is_memory(u);
}

/* The part's name, whether it is about a row, and the function that appends its instructions. */
static const struct part {
    const char *name;
    bool (*is_about)(const row_use *u);
    void (*put)(dir *d, const row_use *u);
} parts[NUM_PART] = {[PART_OPERANDS] = {"operands", operands_unit, part_operands},
                     [PART_GROUPS] = {"groups", has_groups, part_groups},
                     [PART_NUMBERS] = {"numbers", has_registers, part_numbers},
                     [PART_ROUNDING] = {"rounding", is_fp, part_rounding},
                     [PART_RAISED] = {"raised", is_by_element, part_raised},
                     [PART_MEMORY] = {"memory", row_is_memory, part_memory},
                     [PART_CSR] = {"csr", has_csr, part_csr},
                     [PART_CONFIG] = {"config", has_vtype, part_config},
                     [PART_CONTROL] = {"control", is_control, part_control},
                     [PART_WIDTHS] = {"widths", has_widths, part_widths},
                     [PART_PAIRS] = {"pairs", has_pairs, part_pairs},
                     [PART_LONG] = {"long", has_long, part_long}};

bool directed_is_about(directed_part part, const row_use *u) {
    return u->info && u->info->unit != KARAT_UNIT_PREFIX && parts[part].is_about(u) &&
           (!u->pairs || part >= PART_WIDTHS || part == PART_MEMORY); /* These have pairs of registers */
}

const char *directed_part_name(directed_part part) {
    return parts[part].name;
}

/* --- Begin and end --- */

/* Write the registers that an instruction may read before anything else has written them. */
static void set_up(dir *d) {
    static const uint8_t vectors[] = {V_DEST,          V_DEST + 1, V_SPLAT,  V_DEST_HIGH,
                                      V_DEST_HIGH + 1, V_SUM,      V_SUM + 1};
    dir_set_length(d, 64);
    shape_mask(d, ALTERNATING);
    tables_vector(d, 1, PATTERNS, ALTERNATING);
    for (uint32_t i = 0; i < sizeof vectors; i++)
        prog_add(d->p, "vmv.v.i", vectors[i], 0);
    prog_add(d->p, "addi", X_ADDRESS + 1, 0, 0);
    prog_add(d->p, "addi", X_SUM, 0, 0);
}

static void store_sums(dir *d) {
    dir_set_length(d, 64);
    prog_add(d->p, "vadd.vv", V_SUM, V_SUM, V_SUM + 1,
             1); /* Second registers of groups are counted as well */
    prog_li(d->p, X_TEMP, PROG_DATA + SUMS);
    dir_set_words(d, V_ADDRESS);
    prog_add(d->p, "vsw12.v", V_SUM, 0, V_ADDRESS);
    prog_add(d->p, "sw", X_SUM, ROW_BYTES, X_TEMP);
}

/* --- The set --- */

static uint32_t num_rows(const row_table *table, directed_part part) {
    uint32_t rows = 0;
    for (int row = 0; row < karat_num_rows(); row++)
        rows += directed_is_about(part, &table->use[row]);
    return rows;
}

/* The part of a program, and the program's number there; NUM_PART: it is a scenario. */
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
    snprintf(name, DIRECTED_NAME, "%s-%02u-%s", parts[part].name, (unsigned)at, list[0]->info->name);
    return NULL;
}

uint32_t directed_rows_of(const row_table *table, uint32_t index, const row_use *list[DIRECTED_ROWS]) {
    uint32_t at;
    const directed_part part = part_of(table, index, &at);
    return part == NUM_PART ? 0 : rows_of(table, part, at, list);
}

bool directed_rows(const row_table *table, const directed_params *params, directed_part part,
                   const row_use *const *list, uint32_t num, prog *p) {
    dir d = {.table = table, .params = params, .p = p, .apart = 1};
    const uint32_t threads = params->threads ? params->threads : params->num_thread;
    prog_init(p, table->profile);
    tables_make(&d);
    p->launch.threads = params->threads;
    prog_li(p, X_DATA, PROG_DATA + AREA_AT + AREA / 2);
    set_up(&d);
    for (uint32_t i = 0; i < num; i++) {
        if (!directed_is_about(part, list[i]) || list[i]->threads > threads)
            continue; /* Illegal there */
        tables_load(&d, list[i], 0);
        parts[part].put(&d, list[i]);
    }
    store_sums(&d);
    /* The last instruction with each of its prefixes in turn. */
    const int32_t none[KARAT_MAX_OPERAND] = {0};
    prog_put(p, ROW_endprg, none, p->num % p->num_general, PROG_NONE);
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
