/* Coverage files: {"karat-coverage": 1, "profile", "devices", "table", "runs", "steps", "points": [[runs,
 * steps, bins hit], ...], "hits": {group: [bin, hits, bin, hits, ...]}}, and "sv39": true with the groups of
 * translation. "devices" is the sum of their threads per warp; "table" is a hash of what bins mean:
 * instructions, groups, axes. */
#include "private.h"
#include "staged_file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { VERSION = 1 };

static void table_hash(const karat_cov *cov, char text[17]) {
    XXH3_state_t *state = XXH3_createState();
    uint64_t hash = 0;
    if (state && XXH3_64bits_reset(state) != XXH_ERROR) {
        KARAT_COV_EACH_GROUP(cov, g) {
            const karat_cov_group *group = karat_cov_group_info(g);
            XXH3_64bits_update(state, group->name, strlen(group->name) + 1);
            for (uint32_t i = 0; i < group->num_axes; i++) {
                const uint32_t size = karat_cov_axis_size(cov, g, i);
                for (uint32_t k = 0; k < size; k++) {
                    uint32_t at[KARAT_COV_AXES] = {0};
                    at[i] = k;
                    const char *name = karat_cov_point_name(cov, g, at, i);
                    XXH3_64bits_update(state, name, strlen(name) + 1);
                }
            }
        }
        hash = XXH3_64bits_digest(state);
    }
    XXH3_freeState(state);
    snprintf(text, 17, "%016" PRIx64, hash);
}

bool karat_cov_save(const karat_cov *cov, const char *path, karat_diag *diag) {
    json_t *hits = json_object(), *points = json_array();
    KARAT_COV_EACH_GROUP(cov, g) {
        json_t *list = json_array();
        for (uint32_t i = 0; i < cov->bins[g]; i++)
            if (cov->hits[g][i]) {
                json_array_append_new(list, json_integer(i));
                json_array_append_new(list, json_integer(cov->hits[g][i]));
            }
        json_object_set_new(hits, karat_cov_group_info(g)->name, list);
    }
    for (uint32_t i = 0; i < cov->num_points; i++)
        json_array_append_new(points,
                              json_pack("[I, I, I]", (json_int_t)cov->points[i].runs,
                                        (json_int_t)cov->points[i].steps, (json_int_t)cov->points[i].hit));
    char table[17];
    table_hash(cov, table);
    json_t *all =
        json_pack("{s:i, s:i, s:i, s:s, s:I, s:I, s:o, s:o}", "karat-coverage", VERSION, "profile",
                  (int)cov->profile, "devices", (int)cov->devices, "table", table, "runs",
                  (json_int_t)cov->runs, "steps", (json_int_t)cov->steps, "points", points, "hits", hits);
    if (all && cov->translates)
        json_object_set_new(all, "sv39", json_true());
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    karat_staged_file w;
    bool ok = text != NULL;
    if (!ok)
        snprintf(diag->text, sizeof diag->text, "%s: out of memory", path);
    if (ok && (ok = karat_staged_begin(&w, path, diag))) {
        fputs(text, w.file);
        putc('\n', w.file);
        ok = karat_staged_end(&w, diag);
    }
    free(text);
    return ok;
}

static bool take_hits(karat_cov *cov, const json_t *hits) {
    KARAT_COV_EACH_GROUP(cov, g) {
        const json_t *list = json_object_get(hits, karat_cov_group_info(g)->name);
        const size_t size = json_array_size(list);
        if (!json_is_array(list) || size % 2)
            return false;
        for (size_t i = 0; i < size; i += 2) {
            const json_t *bin = json_array_get(list, i), *num = json_array_get(list, i + 1);
            if (!json_is_integer(bin) || !json_is_integer(num) || json_integer_value(bin) < 0 ||
                json_integer_value(bin) >= cov->bins[g] || json_integer_value(num) < 1 ||
                json_integer_value(num) > UINT32_MAX || cov->hits[g][json_integer_value(bin)])
                return false;
            cov_add(cov, g, (uint32_t)json_integer_value(bin), (uint32_t)json_integer_value(num));
        }
    }
    return true;
}

static bool take_points(karat_cov *cov, const json_t *points) {
    for (size_t i = 0; i < json_array_size(points); i++) {
        json_int_t runs, steps, hit;
        if (json_unpack((json_t *)json_array_get(points, i), "[I, I, I!]", &runs, &steps, &hit) || runs < 0 ||
            steps < 0 || hit < 0 ||
            !cov_add_point(cov, (karat_cov_point){(uint64_t)runs, (uint64_t)steps, (uint64_t)hit}))
            return false;
    }
    return json_is_array(points);
}

/* It takes over all, which is what the file has. NULL where that is no JSON: error says why. */
static karat_cov *take_file(json_t *all, const json_error_t *error, const char *path, uint32_t max_warp,
                            karat_diag *diag) {
    if (!all) {
        snprintf(diag->text, sizeof diag->text,
                 "%s: no coverage file, as --coverage=FILE writes it: line %d is not JSON", path,
                 error->line);
        return NULL;
    }
    int version, profile, devices;
    json_int_t runs, steps;
    const char *table;
    json_t *points, *hits;
    karat_cov *cov = NULL;
    const char *why = NULL;
    char other[64];
    if (json_unpack(all, "{s:i}", "karat-coverage", &version)) {
        why = "no coverage file";
    } else if (version != VERSION) {
        snprintf(other, sizeof other, "coverage of version %d; this karat reads version %d", version,
                 VERSION);
        why = other;
    } else if (json_unpack(all, "{s:i, s:i, s:s, s:I, s:I, s:o, s:o}", "profile", &profile, "devices",
                           &devices, "table", &table, "runs", &runs, "steps", &steps, "points", &points,
                           "hits", &hits) ||
               runs < 0 || steps < 0) {
        why = "damaged";
    } else if (profile < 0 || profile >= KARAT_NUM_PROFILE || devices < 1 ||
               devices >= 2 * KARAT_MAX_THREAD) {
        why = "no such device";
    } else if (!(cov = karat_cov_create((karat_profile)profile, (uint32_t)devices & -(uint32_t)devices,
                                        max_warp)) ||
               (json_is_true(json_object_get(all, "sv39")) && !karat_cov_translate(cov))) {
        why = "out of memory";
    } else {
        char expected[17];
        table_hash(cov, expected);
        if (strcmp(table, expected) != 0)
            why = "made for another table of instructions or groups";
        else if (!take_hits(cov, hits) || !take_points(cov, points))
            why = "damaged";
        cov->devices = (uint32_t)devices;
        cov->runs = (uint64_t)runs;
        cov->steps = (uint64_t)steps;
    }
    json_decref(all);
    if (!why)
        return cov;
    snprintf(diag->text, sizeof diag->text, "%s: %s", path, why);
    karat_cov_destroy(cov);
    return NULL;
}

karat_cov *karat_cov_load(const char *path, uint32_t max_warp, karat_diag *diag) {
    json_error_t error;
    errno = 0;
    json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!all && error.line < 1) {
        snprintf(diag->text, sizeof diag->text, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    return take_file(all, &error, path, max_warp, diag);
}

karat_cov *karat_cov_parse(const char *text, size_t size, const char *name, uint32_t max_warp,
                           karat_diag *diag) {
    json_error_t error;
    return take_file(json_loadb(text, size, JSON_REJECT_DUPLICATES, &error), &error, name, max_warp, diag);
}
