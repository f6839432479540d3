#include "cover.h"

#include "hazard.h"
#include "scenario.h"

#include <string.h>

enum { MAX_WARPS = 4096, FEWER = 5 };

karat_cov *cover_start(karat_profile profile, uint32_t num_thread) {
    return karat_cov_create(profile, num_thread, MAX_WARPS);
}

/* --- The parts of a bin --- */

/* The name of a bin's point on that axis; "": its group has no such axis. */
static const char *point(const karat_cov *cov, const cover_bin *bin, const char *axis) {
    for (uint32_t i = 0; i < karat_cov_group_info(bin->group)->num_axes; i++)
        if (strcmp(karat_cov_axis_name(bin->group, i), axis) == 0)
            return karat_cov_point_name(cov, bin->group, bin->at, i);
    return "";
}

static bool is(const karat_cov *cov, const cover_bin *bin, const char *axis, const char *name) {
    return strcmp(point(cov, bin, axis), name) == 0;
}

static bool in_group(const cover_bin *bin, const char *name) {
    return strcmp(karat_cov_group_info(bin->group)->name, name) == 0;
}

/* The position of a name in a list that ends with NULL; its length where it is not there. */
static uint32_t position(const char *name, const char *const *list) {
    uint32_t i = 0;
    while (list[i] && strcmp(list[i], name) != 0)
        i++;
    return i;
}

static uint32_t warps_of(const karat_cov *cov, const cover_bin *bin) {
    static const char *const names[] = {"1", "2", "3..4", "5..8", NULL};
    static const uint8_t warps[] = {1, 2, 4, 8, 12};
    return warps[position(point(cov, bin, "warps"), names)];
}

/* Threads of a warp; 0: all. Private memory is interleaved by as many words as a workgroup has threads. */
static uint32_t threads_of(const karat_cov *cov, const cover_bin *bin, uint32_t num_thread) {
    const bool fewer = is(cov, bin, "threads", "fewer") ||
                       (is(cov, bin, "space", "private") && !is(cov, bin, "pattern", "one access") &&
                        !is(cov, bin, "pattern", "no conflict"));
    return !fewer || num_thread < 2 ? 0 : num_thread > FEWER ? FEWER : num_thread - 1;
}

/* --- Programs by row --- */

static const char *const row_groups[] = {"instruction", "operand", "pair",  "rounding", "number",
                                         "csr",         "config",  "width", "value",    "raised",
                                         "changed",     "setting", "half",  "shuffle",  NULL};

static directed_part part_of(const karat_cov *cov, const cover_bin *bin, const row_use *u) {
    static const char *const by_width[] = {"width", "value", "raised", "changed", NULL};
    const bool wide = by_width[position(karat_cov_group_info(bin->group)->name, by_width)];
    if (row_is_memory(u) && is(cov, bin, "prefix", "pre_m"))
        return PART_LONG;
    const bool at_0 =
        is(cov, bin, "operand", "1") && is(cov, bin, "number", "0"); /* A row with x0 as a base */
    if (at_0 && directed_is_about(PART_LONG, u))
        return PART_LONG;
    if (in_group(bin, "number"))
        return u->pairs ? PART_PAIRS : PART_NUMBERS;
    if ((wide || u->pairs) && directed_is_about(PART_WIDTHS, u))
        return PART_WIDTHS;
    if (in_group(bin, "rounding"))
        return PART_ROUNDING;
    switch (u->info->unit) {
    case KARAT_UNIT_MEM:
    case KARAT_UNIT_AMO: return PART_MEMORY;
    case KARAT_UNIT_CSR: return PART_CSR;
    case KARAT_UNIT_CONFIG: return PART_CONFIG;
    case KARAT_UNIT_SIMT:
    case KARAT_UNIT_SYNC: return PART_CONTROL;
    case KARAT_UNIT_BRANCH: return u->source[2] < 0 ? PART_CONTROL : PART_OPERANDS;
    default: return PART_OPERANDS;
    }
}

/* Rows whose accesses can be such. */
static bool accesses(const karat_cov *cov, const cover_bin *bin, const row_use *u) {
    static const char *const widths[] = {"1", "2", "4", "8", NULL};
    static const uint8_t bytes[] = {1, 2, 4, 4};
    const char *op = point(cov, bin, "access");
    if (!u->info)
        return false;
    if (strcmp(op, "load") && strcmp(op, "store"))
        return u->info->unit == KARAT_UNIT_AMO;
    return u->info->unit == KARAT_UNIT_MEM && u->stores == (strcmp(op, "store") == 0) &&
           u->private == is(cov, bin, "space", "private") &&
           u->bytes == bytes[position(point(cov, bin, "width"), widths)];
}

/* Rows whose accesses after PRE_M_* have the bin's form. */
static bool has_form(const karat_cov *cov, const cover_bin *bin, const row_use *u) {
    if (!u->info || !row_is_memory(u) || u->bytes != 4)
        return false;
    const char *form = u->info->unit == KARAT_UNIT_AMO ? "atomic"
                       : u->source_v[1]                ? "lane"
                       : u->offset >= 0                ? "scalar"
                       : u->index_bytes                ? "indexed"
                       : u->source[2] >= 0             ? "strided"
                                                       : "unit";
    return is(cov, bin, "form", "no access") ||
           (is(cov, bin, "form", form) &&
            (is(cov, bin, "form", "atomic") || u->stores == is(cov, bin, "direction", "store")));
}

static bool is_product(const cover_bin *bin, const row_use *u) {
    const karat_product product = karat_product_of(u->info->match);
    return bin->at[0] == product.shape && bin->at[1] == product.types && bin->at[2] == product.layouts;
}

static void add_row(const row_use **list, uint32_t *num, const row_use *u) {
    for (uint32_t i = 0; i < *num; i++)
        if (list[i] == u)
            return;
    if (*num < COVER_BINS)
        list[(*num)++] = u;
}

static bool make_rows(const row_table *table, const directed_params *params, const karat_cov *cov,
                      const cover_bin *bins, uint32_t num, prog *p) {
    const row_use *list[COVER_BINS];
    uint32_t rows = 0;
    const bool memory = in_group(bins, "memory");
    if (memory || in_group(bins, "access")) {
        for (uint32_t i = 0; i < num; i++)
            for (int row = 0; row < karat_num_rows(); row++)
                if ((memory ? accesses : has_form)(cov, &bins[i], &table->use[row]))
                    add_row(list, &rows, &table->use[row]);
        return directed_rows(table, params, memory ? PART_MEMORY : PART_LONG, list, rows, p);
    }
    for (uint32_t i = 0; i < num; i++)
        if (!in_group(bins, "mma"))
            add_row(list, &rows, &table->use[karat_cov_row(cov, bins[i].at[0])]);
        else
            for (uint32_t k = 0; k < table->matrices.num; k++)
                if (is_product(&bins[i], table->matrices.at[k]))
                    add_row(list, &rows, table->matrices.at[k]);
    if (!rows)
        prog_fail(p, "no row of this profile");
    return directed_rows(table, params, part_of(cov, bins, list[0]), list, rows, p);
}

/* --- The others --- */

static uint32_t unit_named(const char *name) {
    uint32_t unit = 0;
    while (karat_unit_name(unit) && strcmp(karat_unit_name(unit), name) != 0)
        unit++;
    return unit;
}

static bool make_hazards(const row_table *table, const directed_params *params, const karat_cov *cov,
                         const cover_bin *bins, uint32_t num, prog *p) {
    static const char *const kinds[] = {"RAW", "WAW", NULL}, *const distances[] = {"1", "2", "3..4", NULL};
    static const uint8_t apart[] = {1, 2, 3, 5};
    scenario_hazard list[COVER_BINS];
    for (uint32_t i = 0; i < num; i++)
        list[i] = (scenario_hazard){unit_named(point(cov, &bins[i], "older")),
                                    unit_named(point(cov, &bins[i], "younger")),
                                    position(point(cov, &bins[i], "hazard"), kinds),
                                    is(cov, &bins[i], "registers", "v") ? KARAT_CLASS_V : KARAT_CLASS_X,
                                    apart[position(point(cov, &bins[i], "distance"), distances)]};
    return scenario_hazards(table, params, list, num, p);
}

/* --- All --- */

uint32_t cover_kind(const row_table *table, const karat_cov *cov, const cover_bin *bin) {
    uint32_t kind = bin->group, more = 0;
    if (in_group(bin, "barrier") || in_group(bin, "launch"))
        more = warps_of(cov, bin);
    else if (position(karat_cov_group_info(bin->group)->name, row_groups) <
             sizeof row_groups / sizeof *row_groups - 1)
        more = 1 + bin->at[0] / 4 * NUM_PART /* A few rows each, of one unit mostly */
               + part_of(cov, bin, &table->use[karat_cov_row(cov, bin->at[0])]);
    return kind | more << 8 | (threads_of(cov, bin, KARAT_MAX_THREAD) != 0) << 7;
}

bool cover_make(const row_table *table, const directed_params *params, const karat_cov *cov,
                const cover_bin *bins, uint32_t num, prog *p) {
    directed_params device = *params;
    device.threads = threads_of(cov, bins, params->num_thread);
    if (num > COVER_BINS)
        num = COVER_BINS;
    prog_init(p, table->profile);
    if (in_group(bins, "hazard"))
        return make_hazards(table, &device, cov, bins, num, p);
    if (in_group(bins, "simt"))
        return scenario_forest(table, &device, bins[0].at[0] * 64 + bins[0].at[1] * 8 + bins[0].at[2] + 2, p);
    if (in_group(bins, "barrier") || in_group(bins, "launch")) {
        device.warps = warps_of(cov, bins);
        return scenario_make(table, &device, scenario_find(in_group(bins, "launch") ? "slots" : "barriers"),
                             p);
    }
    return make_rows(table, &device, cov, bins, num, p);
}

const char *cover_tried(const cover_bin *bin) {
    static const char *const groups[] = {"rounding", "memory", "simt", "hazard", "barrier", "launch", NULL};
    static const char *const tried[] = {
        "none was found among operands of all classes and at the borders of range and precision, in that "
        "mode",
        "none was found among strides, offsets and prefixes of instructions that access so",
        "none was found among trees of divergence that deep",
        "none was found among six instructions of each of these units so far apart",
        "none was found among delays of that many warps",
        "a launch of that many warps was tried, and did not reach it",
        "none was found among that row's instructions with each class of operand, prefix, mask and register "
        "number"};
    return tried[position(karat_cov_group_info(bin->group)->name, groups)];
}
