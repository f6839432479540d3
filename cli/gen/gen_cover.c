/* Command karat gen cover: vectors for coverage holes. */
#include "gen.h"
#include "interrupt.h"
#include "progress.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_group(const json_t *name) {
    uint32_t i = 0;
    while (json_is_string(name) && i < karat_cov_num_groups() &&
           strcmp(karat_cov_group_info(i)->name, json_string_value(name)) != 0)
        i++;
    return json_is_string(name) && i < karat_cov_num_groups();
}

/* The number of holes; false: it is no such report, and an error was reported. */
static bool count_holes(const json_t *groups, const char *path, uint32_t *num) {
    size_t g;
    json_t *group;
    *num = 0;
    if (!json_is_array(groups)) {
        cli_error("%s: expected the output of karat cov report --format=json", path);
        return false;
    }
    json_array_foreach((json_t *)groups, g, group) {
        const json_t *holes = json_object_get(group, "holes");
        if (!json_is_object(group)) {
            cli_error("%s: group %zu: expected an object", path, g);
            return false;
        }
        if (!is_group(json_object_get(group, "name"))) {
            cli_error("%s: group %zu: \"name\": expected the name of a group of the coverage model", path, g);
            return false;
        }
        if (!json_is_array(holes)) {
            cli_error("%s: group %zu: \"holes\": expected an array of bins", path, g);
            return false;
        }
        *num += (uint32_t)json_array_size(holes);
    }
    return true;
}

/* The holes of a report, in the order of the programs that they need; NULL: an error was reported. */
static cover_bin *load_holes(const char *path, const karat_cov *cov, uint32_t *num) {
    json_t *all = gen_load_json(path);
    const json_t *groups = json_object_get(all, "groups");
    size_t g, h;
    json_t *group, *hole;
    uint32_t room;
    *num = 0;
    if (!all)
        return NULL;
    if (!count_holes(groups, path, &room)) {
        json_decref(all);
        return NULL;
    }
    cover_bin *bins = malloc((room + 1) * sizeof *bins);
    bool ok = bins != NULL;
    if (!ok)
        cli_error("%s: not enough memory", path);
    json_array_foreach((json_t *)groups, g, group) {
        const json_t *name = json_object_get(group, "name");
        json_array_foreach(json_object_get(group, "holes"), h, hole) {
            json_t *names = json_array();
            json_array_append(names, (json_t *)name);
            json_array_extend(names, hole);
            if (ok && !(ok = gen_take_bin(names, cov, &bins[*num])))
                cli_error("%s: group %zu: hole %zu is not a bin of the coverage model", path, g, h);
            *num += ok;
            json_decref(names);
        }
    }
    json_decref(all);
    if (ok)
        return bins;
    free(bins);
    return NULL;
}

static json_t *bin_json(const karat_cov *cov, const cover_bin *bin, const char *why) {
    json_t *names = json_object();
    for (uint32_t i = 0; i < karat_cov_group_info(bin->group)->num_axes; i++)
        json_object_set_new(names, karat_cov_axis_name(bin->group, i),
                            json_string(karat_cov_point_name(cov, bin->group, bin->at, i)));
    return json_pack("{s:s, s:o, s:s}", "group", karat_cov_group_info(bin->group)->name, "bin", names, "why",
                     why);
}

static void print_bin(const karat_cov *cov, const cover_bin *bin, const char *why) {
    printf("not reached: %s:", karat_cov_group_info(bin->group)->name);
    for (uint32_t i = 0; i < karat_cov_group_info(bin->group)->num_axes; i++)
        printf(" %s=%s", karat_cov_axis_name(bin->group, i),
               karat_cov_point_name(cov, bin->group, bin->at, i));
    printf(": %s\n", why);
}

static bool is_reached(const karat_cov *cov, const cover_bin *bin) {
    return karat_cov_hits(cov, bin->group, karat_cov_bin(cov, bin->group, bin->at)) != 0;
}

/* Aim at the first bins without a program so far that need the same kind of program. */
static bool aim(const row_table *table, recipe *r, const cover_bin *bins, uint32_t num, bool *done,
                const char *out, karat_cov *cov) {
    cover_bin list[COVER_BINS];
    uint32_t kind = 0, count = 0;
    for (uint32_t i = 0; i < num && count < COVER_BINS; i++) {
        if (done[i])
            continue;
        if (!count)
            kind = cover_kind(table, cov, &bins[i]);
        if (cover_kind(table, cov, &bins[i]) != kind)
            continue;
        done[i] = true;
        if (!is_reached(cov, &bins[i]) &&
            !karat_cov_excluded(cov, bins[i].group, karat_cov_bin(cov, bins[i].group, bins[i].at)))
            list[count++] = bins[i];
    }
    if (!count)
        return true;
    r->bins = list;
    r->num_bins = count;
    r->index++;
    return gen_write(table, r, out, cov);
}

static bool any_left(const bool *done, uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        if (!done[i])
            return true;
    return false;
}

/* Which were reached, and why not the others. NULL: it was printed as text. */
static json_t *report(const karat_cov *cov, const cover_bin *bins, uint32_t num, uint32_t vectors) {
    uint32_t reached = 0, excluded = 0;
    json_t *list = results_are_json() ? json_array() : NULL;
    for (uint32_t i = 0; i < num; i++) {
        const char *why =
            karat_cov_excluded(cov, bins[i].group, karat_cov_bin(cov, bins[i].group, bins[i].at));
        if (is_reached(cov, &bins[i]))
            reached++;
        else {
            const char *reason = why ? why : cover_tried(&bins[i]);
            if (list)
                json_array_append_new(list, bin_json(cov, &bins[i], reason));
            else
                print_bin(cov, &bins[i], reason);
            excluded += why != NULL;
        }
    }
    if (list)
        return json_pack("{s:I, s:I, s:I, s:o}", "holes", (json_int_t)num, "reached", (json_int_t)reached,
                         "excluded", (json_int_t)excluded, "not_reached", list);
    printf("%" PRIu32 " holes, %" PRIu32 " vectors: %" PRIu32 " reached, %" PRIu32
           " that this device cannot reach, %" PRIu32 " left\n",
           num, vectors, reached, excluded, num - reached - excluded);
    return NULL;
}

int gen_cover(const row_table *table, const recipe *device, const char *holes, const char *out) {
    recipe r = *device;
    uint32_t num = 0;
    karat_cov *cov = cover_start(r.profile, r.device.num_thread);
    if (!cov)
        cli_error("not enough memory");
    cover_bin *bins = cov ? load_holes(holes, cov, &num) : NULL;
    bool *done = calloc(num + 1, sizeof *done), ok = bins && done;
    r.kind = GEN_COVER;
    r.index = 0;
    while (ok && any_left(done, num))
        ok = aim(table, &r, bins, num, done, out, cov);
    karat_progress_hide();
    json_t *cover = bins && (ok || karat_interrupted()) ? report(cov, bins, num, r.index) : NULL;
    free(done);
    free(bins);
    karat_cov_destroy(cov);
    return gen_report(ok, cover);
}
