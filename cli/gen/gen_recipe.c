/* Weights and manifests. */
#include "gen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

json_t *gen_load_json(const char *path) {
    json_error_t error;
    json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!all && error.line < 0)
        cli_error("%s", error.text);
    else if (!all)
        cli_error("%s:%d: expected JSON: %s", path, error.line, error.text);
    return all;
}

/* The first key of an object that is none of these; NULL: there is none. */
static const char *other_key(const json_t *object, const char *const *known) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        uint32_t i = 0;
        while (known[i] && strcmp(known[i], name) != 0)
            i++;
        if (!known[i])
            return name;
    }
    return NULL;
}

enum { HASH_TEXT = 17 };

/* --- Weights --- */

json_t *gen_weights(const random_params *p) {
    json_t *kinds = json_object(), *units = json_object();
    for (uint32_t i = 0; i < RANDOM_NUM_KINDS; i++)
        json_object_set_new(kinds, random_kind_name(i), json_integer(p->weight[i]));
    for (uint32_t i = 0; i < KARAT_NUM_UNIT; i++)
        if (p->unit[i])
            json_object_set_new(units, karat_unit_name(i), json_integer(p->unit[i]));
    return json_pack("{s:o, s:o, s:i}", "kinds", kinds, "units", units, "vary", (int)p->vary);
}

static bool take_weight(const json_t *value, uint32_t *weight) {
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > 1000000)
        return false;
    *weight = (uint32_t)json_integer_value(value);
    return true;
}

static bool take_kinds(const json_t *kinds, random_params *p, const char *path) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)kinds, name, value) {
        uint32_t i = 0;
        while (random_kind_name(i) && strcmp(random_kind_name(i), name) != 0)
            i++;
        if (!random_kind_name(i) || !take_weight(value, &p->weight[i])) {
            cli_error("%s: kinds: \"%s\": %s", path, name,
                      random_kind_name(i) ? "expected a number from 0 to 1000000"
                                          : "no such kind (see 'karat gen --kinds')");
            return false;
        }
    }
    return true;
}

static bool take_units(const json_t *units, random_params *p, const char *path) {
    static const unsigned usable = 1u << KARAT_UNIT_ALU | 1u << KARAT_UNIT_MUL | 1u << KARAT_UNIT_DIV |
                                   1u << KARAT_UNIT_FP | 1u << KARAT_UNIT_FDIV | 1u << KARAT_UNIT_SFU |
                                   1u << KARAT_UNIT_TENSOR;
    const char *name;
    json_t *value;
    memset(p->unit, 0, sizeof p->unit);
    json_object_foreach((json_t *)units, name, value) {
        uint32_t i = 0;
        while (karat_unit_name(i) && strcmp(karat_unit_name(i), name) != 0)
            i++;
        if (!karat_unit_name(i) || !(usable >> i & 1) || !take_weight(value, &p->unit[i])) {
            cli_error("%s: units: \"%s\": expected alu, mul, div, fp, fdiv, sfu or tensor, and a number from "
                      "0 to 1000000",
                      path, name);
            return false;
        }
    }
    return true;
}

bool gen_take_weights(const json_t *all, random_params *p, const char *path) {
    static const char *const known[] = {"kinds", "units", "vary", NULL};
    const json_t *kinds = json_object_get(all, "kinds"), *units = json_object_get(all, "units"),
                 *vary = json_object_get(all, "vary");
    if (!json_is_object(all) || (kinds && !json_is_object(kinds)) || (units && !json_is_object(units))) {
        cli_error("%s: expected an object with \"kinds\" and \"units\", both objects", path);
        return false;
    }
    if (other_key(all, known)) {
        cli_error("%s: \"%s\": expected \"kinds\", \"units\" or \"vary\"", path, other_key(all, known));
        return false;
    }
    if (vary && (!take_weight(vary, &p->vary) || p->vary > 100)) {
        cli_error("%s: \"vary\": expected a percentage", path);
        return false;
    }
    return take_kinds(kinds, p, path) && (!units || take_units(units, p, path));
}

/* --- Manifests --- */

/* The place of the results of a core without a retire port. */
static json_t *signature_json(const random_params *p, const prog *program) {
    if (p->races)
        return json_null();
    return json_pack("{s:I, s:i, s:i, s:i}", "at", (json_int_t)(PROG_DATA + RANDOM_SIGNATURE_AT), "words",
                     RANDOM_SIGNATURE_WORDS, "apart", RANDOM_REGION, "warps",
                     (int)(program->launch.warps * program->launch.grid[0]));
}

/* Its target bins, or those of them that it misses. */
static json_t *bins_json(const recipe *r, const karat_cov *cov, bool missed) {
    json_t *bins = json_array();
    for (uint32_t i = 0; i < r->num_bins; i++) {
        const cover_bin *bin = &r->bins[i];
        if (missed && karat_cov_hits(cov, bin->group, karat_cov_bin(cov, bin->group, bin->at)))
            continue;
        json_t *names = json_array();
        json_array_append_new(names, json_string(karat_cov_group_info(bin->group)->name));
        for (uint32_t k = 0; k < karat_cov_group_info(bin->group)->num_axes; k++)
            json_array_append_new(names, json_string(karat_cov_point_name(cov, bin->group, bin->at, k)));
        json_array_append_new(bins, names);
    }
    return bins;
}

/* The rows that a directed program is about; a scenario: none. */
static json_t *rows_json(const recipe *r, const row_table *table) {
    const row_use *list[DIRECTED_ROWS];
    json_t *rows = json_array();
    for (uint32_t i = 0, num = directed_rows_of(table, r->index, list); i < num; i++)
        json_array_append_new(rows, json_string(list[i]->info->name));
    return rows;
}

static json_t *pages_json(const prog *program) {
    json_t *pages = json_array();
    for (uint32_t i = 0; i < program->num_pages; i++) {
        char text[KARAT_PAGE_TEXT];
        karat_page_text(&program->pages[i], text);
        json_array_append_new(pages, json_string(text));
    }
    return pages;
}

/* The page fault that the program ends with; null: none. */
static json_t *fault_json(const prog_fault *fault) {
    static const char *const uses[] = {"fetch", "load", "store"};
    char virt[24];
    if (fault->reason == KARAT_FAULT_NONE)
        return json_null();
    snprintf(virt, sizeof virt, "0x%" PRIx64, fault->virt);
    return json_pack("{s:s, s:s, s:i, s:s}", "reason", karat_fault_name(fault->reason), "use",
                     uses[fault->use], "level", fault->level, "virt", virt);
}

karat_cov *gen_pages_cov(const recipe *r) {
    karat_cov *cov = cover_start(r->profile, r->device.num_thread);
    if (cov && karat_cov_translate(cov))
        return cov;
    cli_error("not enough memory");
    karat_cov_destroy(cov);
    return NULL;
}

static const char *const hashed[GEN_NUM_HASH] = {"program.elf", "expected.hex", "signature.hex"};

static json_t *hashes_json(const uint64_t hashes[GEN_NUM_HASH]) {
    json_t *all = json_object();
    for (unsigned i = 0; i < GEN_NUM_HASH; i++) {
        char text[HASH_TEXT];
        snprintf(text, sizeof text, "%016" PRIx64, hashes[i]);
        if (hashes[i])
            json_object_set_new(all, hashed[i], json_string(text));
    }
    return all;
}

json_t *gen_manifest(const recipe *r, const row_table *table, const prog *program, const karat_cov *cov,
                     const char *name, const uint64_t hashes[GEN_NUM_HASH]) {
    static const char *const kinds[] = {"random", "directed", "row", "cover", "pages"};
    const random_params *p = &r->random;
    json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:o}", "tool", "karat " KARAT_VERSION, "kind",
                            kinds[r->kind], "name", name, "isa", karat_profile_name(r->profile), "threads",
                            (int)r->device.num_thread, "commits", r->commits, "xxh3", hashes_json(hashes)),
           *more = NULL;
    switch (r->kind) {
    case GEN_RANDOM:
        more = json_pack("{s:I, s:i, s:i, s:i, s:i, s:i, s:b, s:o, s:o}", "seed", (json_int_t)p->seed,
                         "length", (int)p->length, "warps", (int)p->warps, "vgprs", (int)p->max_vgprs,
                         "workgroups", (int)p->workgroups, "wf_size", (int)p->threads, "races", p->races,
                         "weights", gen_weights(p), "signature", signature_json(p, program));
        if (more && p->partial)
            json_object_set_new(more, "partial", json_true());
        break;
    case GEN_DIRECTED:
        more = json_pack("{s:i, s:i, s:i, s:o}", "index", (int)r->index, "depth", (int)r->device.depth,
                         "warps", (int)r->device.warps, "rows", rows_json(r, table));
        break;
    case GEN_ROW:
        more = json_pack("{s:s, s:s}", "row", karat_row_info(r->row)->name, "part",
                         directed_part_name(r->index));
        break;
    case GEN_PAGES:
        more = json_pack("{s:i, s:o, s:o}", "index", (int)r->index, "pages", pages_json(program), "fault",
                         fault_json(&program->fault));
        break;
    case GEN_COVER:
        more = json_pack("{s:i, s:o, s:o}", "index", (int)r->index, "for", bins_json(r, cov, false), "missed",
                         bins_json(r, cov, true));
        break;
    }
    if (all && more)
        json_object_update(all, more);
    json_decref(more);
    return all;
}

static bool take_number(const json_t *all, const char *key, uint64_t least, uint64_t most, const char *path,
                        uint64_t *value) {
    const json_t *number = json_object_get(all, key);
    *value = (uint64_t)json_integer_value(number);
    if (json_is_integer(number) && json_integer_value(number) >= 0 && *value >= least && *value <= most)
        return true;
    cli_error("%s: \"%s\": expected %" PRIu64 " to %" PRIu64, path, key, least, most);
    return false;
}

static bool take_random(const json_t *all, random_params *p, const char *path) {
    uint64_t length, warps, vgprs, workgroups, wf_size;
    const json_t *races = json_object_get(all, "races");
    if (!take_number(all, "seed", 0, INT64_MAX, path, &p->seed) ||
        !take_number(all, "length", 1, GEN_MAX_LENGTH, path, &length) ||
        !take_number(all, "warps", 0, GEN_MAX_WARPS, path, &warps) ||
        !take_number(all, "vgprs", 0, GEN_MAX_VGPRS, path, &vgprs) ||
        !take_number(all, "workgroups", 0, GEN_MAX_WORKGROUPS, path, &workgroups) ||
        !take_number(all, "wf_size", 0, p->num_thread, path, &wf_size))
        return false;
    if (!json_is_boolean(races)) {
        cli_error("%s: \"races\": expected true or false", path);
        return false;
    }
    p->length = (uint32_t)length;
    p->warps = (uint32_t)warps;
    p->workgroups = (uint32_t)workgroups;
    p->max_vgprs = (uint32_t)vgprs;
    p->threads = (uint32_t)wf_size;
    p->races = json_is_true(races);
    p->partial = json_is_true(json_object_get(all, "partial"));
    return gen_take_weights(json_object_get(all, "weights"), p, path);
}

bool gen_take_bin(const json_t *names, const karat_cov *cov, cover_bin *bin) {
    const char *group = json_string_value(json_array_get(names, 0));
    *bin = (cover_bin){0};
    while (group && bin->group < karat_cov_num_groups() &&
           strcmp(karat_cov_group_info(bin->group)->name, group) != 0)
        bin->group++;
    if (!group || bin->group == karat_cov_num_groups() ||
        json_array_size(names) != karat_cov_group_info(bin->group)->num_axes + 1)
        return false;
    for (uint32_t i = 0; i < karat_cov_group_info(bin->group)->num_axes; i++) {
        const char *name = json_string_value(json_array_get(names, i + 1));
        const uint32_t size = karat_cov_axis_size(cov, bin->group, i);
        while (name && bin->at[i] < size &&
               strcmp(karat_cov_point_name(cov, bin->group, bin->at, i), name) != 0)
            bin->at[i]++;
        if (!name || bin->at[i] == size)
            return false;
    }
    return true;
}

static bool take_bins(const json_t *all, recipe *r, cover_bin **bins, const char *path) {
    const json_t *list = json_object_get(all, "for");
    karat_cov *cov = karat_cov_create(r->profile, r->device.num_thread, 1);
    r->num_bins = (uint32_t)json_array_size(list);
    bool ok = cov && (r->bins = *bins = calloc(r->num_bins + 1, sizeof **bins));
    if (!ok)
        cli_error("not enough memory");
    for (uint32_t i = 0; ok && i < r->num_bins; i++)
        if (!(ok = gen_take_bin(json_array_get(list, i), cov, &(*bins)[i])))
            cli_error("%s: \"for\": entry %" PRIu32 " names no bin", path, i);
    if (ok && !(ok = r->num_bins))
        cli_error("%s: \"for\": expected an array of bins", path);
    karat_cov_destroy(cov);
    return ok;
}

static bool take_row(const json_t *all, const row_table *table, recipe *r, const char *path) {
    const char *name = json_string_value(json_object_get(all, "row")),
               *part = json_string_value(json_object_get(all, "part"));
    const row_use *u = name ? row_named(table, name) : NULL;
    r->index = 0;
    while (part && r->index < NUM_PART && strcmp(directed_part_name(r->index), part) != 0)
        r->index++;
    if (u && part && r->index < NUM_PART && directed_is_about(r->index, u)) {
        r->row = u->row;
        return true;
    }
    cli_error("%s: \"row\" and \"part\": no such program", path);
    return false;
}

static bool take_kind(const json_t *all, const row_table *table, recipe *r, cover_bin **bins,
                      const char *path) {
    const char *kind = json_string_value(json_object_get(all, "kind"));
    uint64_t index = 0, depth, warps;
    if (kind && strcmp(kind, "random") == 0) {
        r->kind = GEN_RANDOM;
        return take_random(all, &r->random, path);
    }
    if (kind && strcmp(kind, "directed") == 0) {
        r->kind = GEN_DIRECTED;
        if (!take_number(all, "index", 0, directed_num(table) - 1, path, &index) ||
            !take_number(all, "depth", 0, DIRECTED_MAX_DEPTH, path, &depth) ||
            !take_number(all, "warps", 0, GEN_MAX_WARPS, path, &warps))
            return false;
        r->index = (uint32_t)index;
        r->device.depth = (uint32_t)depth;
        r->device.warps = (uint32_t)warps;
        return true;
    }
    if (kind && strcmp(kind, "pages") == 0) {
        karat_cov *cov = gen_pages_cov(r);
        const bool ok = cov && take_number(all, "index", 0, pages_num(cov) - 1, path, &index);
        karat_cov_destroy(cov);
        r->kind = GEN_PAGES;
        r->index = (uint32_t)index;
        return ok;
    }
    if (kind && strcmp(kind, "row") == 0) {
        r->kind = GEN_ROW;
        return take_row(all, table, r, path);
    }
    if (kind && strcmp(kind, "cover") == 0) {
        r->kind = GEN_COVER;
        if (!take_number(all, "index", 0, INT32_MAX, path, &index))
            return false;
        r->index = (uint32_t)index;
        return take_bins(all, r, bins, path);
    }
    cli_error("%s: \"kind\": expected random, directed, row, cover or pages", path);
    return false;
}

uint64_t gen_take_hash(const json_t *all, unsigned of, const char *path) {
    const char *text = json_string_value(json_object_get(json_object_get(all, "xxh3"), hashed[of]));
    char *end = NULL;
    const uint64_t hash = text && strlen(text) == HASH_TEXT - 1 ? strtoull(text, &end, 16) : 0;
    if (end && !*end && hash)
        return hash;
    cli_error("%s: \"xxh3\": expected the hash of %s, 16 hex digits", path, hashed[of]);
    return 0;
}

bool gen_take_profile(const char *path, karat_profile *profile) {
    json_t *all = gen_load_json(path);
    const json_t *name = json_object_get(all, "isa");
    const bool ok = !name || (json_is_string(name) &&
                              karat_profile_find(json_string_value(name), json_string_length(name), profile));
    if (!ok)
        cli_error("%s: \"isa\": expected %s", path, karat_profile_names());
    json_decref(all);
    return all && ok;
}

bool gen_take_manifest(const char *path, const row_table *table, recipe *r, cover_bin **bins) {
    json_t *all = gen_load_json(path);
    const char *tool = json_string_value(json_object_get(all, "tool"));
    uint64_t threads = 0;
    if (!all)
        return false;
    bool ok = false;
    if (!tool)
        cli_error("%s: not the manifest of a vector: \"tool\" is missing", path);
    else if (strcmp(tool, "karat " KARAT_VERSION) != 0)
        cli_error("%s: made by %s; this is karat " KARAT_VERSION ", whose programs may differ", path, tool);
    else
        ok = take_number(all, "threads", 1, KARAT_MAX_THREAD, path, &threads);
    if (ok && threads & (threads - 1)) {
        cli_error("%s: \"threads\": expected a power of two", path);
        ok = false;
    }
    r->device.num_thread = r->random.num_thread = (uint32_t)threads;
    r->commits = json_is_true(json_object_get(all, "commits"));
    ok = ok && take_kind(all, table, r, bins, path) && (r->elf = gen_take_hash(all, GEN_HASH_ELF, path));
    json_decref(all);
    return ok;
}
