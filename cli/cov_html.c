/* karat cov report --format=html: one page without anything from elsewhere. All bins are in it, as two bits each, and page/coverage.js
 * makes matrix and holes of them in the browser: written out, the names of a hundred thousand holes would take ten megabytes. */
#include "cov_report.h"
#include "embed.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

double cov_percent(karat_cov_sum s) {
    return s.bins > s.excluded ? 100.0 * (double)s.hit / (double)(s.bins - s.excluded) : 100.0;
}

uint32_t cov_reasons(const karat_cov *cov, uint32_t group, cov_reason reasons[COV_MAX_REASON]) {
    uint32_t num = 0;
    for (uint32_t i = 0; i < karat_cov_bins(cov, group); i++) {
        const char *why = karat_cov_excluded(cov, group, i);
        uint32_t k = 0;
        while (why && k < num && strcmp(reasons[k].text, why) != 0)
            k++;
        if (!why || k == COV_MAX_REASON)
            continue;
        if (k == num)
            reasons[num++] = (cov_reason){why, 0};
        reasons[k].bins++;
    }
    return num;
}

static void html_text(FILE *f, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        default: fputc(*text, f);
        }
}

/* Over instructions, not seconds: files have no times, so that equal runs have equal files. */
static void html_curve(FILE *f, const karat_cov *cov) {
    const karat_cov_point *points;
    const uint32_t num = karat_cov_points(cov, &points);
    const karat_cov_sum all = karat_cov_sum_all(cov);
    if (!num || !points[num - 1].steps)
        return;
    const double left = 70, top = 10, width = 600, height = 200, steps = (double)points[num - 1].steps,
                 bins = (double)(all.bins - all.excluded);
    fprintf(f,
            "<h2>Bins hit over instructions executed</h2><svg viewBox='0 0 %g %g' width='%g' height='%g' "
            "font-size='12'><rect x='%g' y='%g' width='%g' height='%g' fill='#8882'/><polyline fill='none' "
            "stroke='#28d' stroke-width='2' points='%g,%g",
            left + width + 10, top + height + 40, left + width + 10, top + height + 40, left, top, width,
            height, left, top + height);
    for (uint32_t i = 0; i < num; i++)
        fprintf(f, " %.1f,%.1f", left + width * (double)points[i].steps / steps,
                top + height * (1 - (double)points[i].hit / bins));
    fprintf(
        f,
        "'/><g text-anchor='end'><text x='%g' y='%g'>%" PRIu64 "</text><text x='%g' y='%g'>bins hit</text>"
        "<text x='%g' y='%g'>0</text><text x='%g' y='%g'>%" PRIu64 "</text></g>"
        "<text x='%g' y='%g'>0</text><text x='%g' y='%g' text-anchor='middle'>instructions executed</text>"
        "</svg><p>A point for each of %" PRIu32
        " runs and merges, in their order; top: all bins that can be reached.</p>\n",
        left - 5, top + 10, all.bins - all.excluded, left - 5, top + height / 2, left - 5, top + height,
        left + width, top + height + 18, points[num - 1].steps, left, top + height + 18, left + width / 2,
        top + height + 34, num);
}

/* --- The bins, as JSON --- */

/* Names of the points of an axis, given points of the first two axes. */
static json_t *names_at(const karat_cov *cov, uint32_t g, uint32_t axis, uint32_t first, uint32_t second) {
    uint32_t at[KARAT_COV_AXES] = {first, second};
    json_t *names = json_array();
    for (at[axis] = 0; at[axis] < karat_cov_axis_size(cov, g, axis); at[axis]++)
        json_array_append_new(names, json_string(karat_cov_point_name(cov, g, at, axis)));
    return names;
}

enum { MAX_SETS = 10 }; /* a digit for each */

/* "names": the sets of names; "which": a digit for each point of the axes before (at most two), left out where there is one set. */
static json_t *json_axis(const karat_cov *cov, uint32_t g, uint32_t axis) {
    const uint32_t firsts = axis > 0 ? karat_cov_axis_size(cov, g, 0) : 1,
                   seconds = axis > 1 ? karat_cov_axis_size(cov, g, 1) : 1;
    json_t *sets = json_array(), *one = json_pack("{s:s, s:i}", "name", karat_cov_axis_name(g, axis), "size",
                                                  (int)karat_cov_axis_size(cov, g, axis));
    char *which = malloc((size_t)firsts * seconds + 1);
    bool ok = which && sets && one;
    for (uint32_t i = 0; ok && i < firsts * seconds; i++) {
        json_t *names = names_at(cov, g, axis, i / seconds, i % seconds);
        size_t set = 0;
        while (set < json_array_size(sets) && !json_equal(json_array_get(sets, set), names))
            set++;
        ok = set < MAX_SETS && (set < json_array_size(sets) || json_array_append(sets, names) == 0);
        which[i] = (char)('0' + set);
        json_decref(names);
    }
    if (ok && json_array_size(sets) > 1)
        ok = json_object_set_new(one, "which", json_stringn(which, (size_t)firsts * seconds)) == 0;
    free(which);
    if (ok && json_object_set(one, "names", sets) == 0) {
        json_decref(sets);
        return one;
    }
    json_decref(sets);
    json_decref(one);
    return NULL;
}

enum { HOLE, HIT, EXCLUDED };

/* Two bits for each bin, the first one lowest, in Base64. */
static json_t *json_states(const karat_cov *cov, uint32_t g) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bins = karat_cov_bins(cov, g);
    const size_t bytes = (bins + 3) / 4, triples = (bytes + 2) / 3;
    uint8_t *states = calloc(triples, 3);
    char *text = malloc(4 * triples);
    for (uint32_t i = 0; states && i < bins; i++) {
        const unsigned state = karat_cov_hits(cov, g, i)       ? HIT
                               : karat_cov_excluded(cov, g, i) ? EXCLUDED
                                                               : HOLE;
        states[i / 4] |= (uint8_t)(state << 2 * (i % 4));
    }
    for (size_t i = 0; states && text && i < triples; i++) {
        const uint32_t word =
            (uint32_t)states[3 * i] << 16 | (uint32_t)states[3 * i + 1] << 8 | states[3 * i + 2];
        for (unsigned k = 0; k < 4; k++)
            text[4 * i + k] = digits[word >> (18 - 6 * k) & 63];
    }
    json_t *json = states && text ? json_stringn(text, 4 * triples) : NULL;
    free(states);
    free(text);
    return json;
}

static json_t *json_bins(const karat_cov *cov) {
    json_t *groups = json_array();
    bool ok = groups != NULL;
    KARAT_COV_EACH_GROUP(cov, g) {
        json_t *axes = json_array();
        for (uint32_t k = 0; k < karat_cov_group_info(g)->num_axes; k++)
            ok &= json_array_append_new(axes, json_axis(cov, g, k)) == 0;
        json_t *one = json_pack("{s:s, s:o, s:o}", "name", karat_cov_group_info(g)->name, "axes", axes,
                                "states", json_states(cov, g));
        ok &= json_array_append_new(groups, one) == 0;
    }
    if (ok)
        return groups;
    json_decref(groups);
    return NULL;
}

/* No "<" in a script: only strings can have it. */
static int put_script(const char *text, size_t size, void *file) {
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<' ? fputs("\\u003c", file) == EOF : fputc(text[i], file) == EOF)
            return -1;
    return 0;
}

/* --- The page --- */

enum { MAX_FILES = 500 }; /* rows of the table of files */

static void html_files(FILE *f, const karat_cov *cov, const cov_ranks *ranks) {
    const karat_cov_sum all = karat_cov_sum_all(cov);
    fputs("<h2 id='files'>What each file adds</h2><p>In the order in which each adds the most bins to those "
          "before it.</p>\n"
          "<div class='scroll'><table class='files'><tr><th></th><th>adds</th><th>bins hit so "
          "far</th><th>covered so far</th>"
          "<th>hit by it alone</th><th>file</th></tr>\n",
          f);
    uint32_t i = 0;
    for (; i < ranks->num && i < MAX_FILES && ranks->files[i].added; i++) {
        const cov_rank *file = &ranks->files[i];
        fprintf(f,
                "<tr><td>%" PRIu32 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%.2f %%</td><td>%" PRIu64
                "</td><td>",
                i + 1, file->added, file->total,
                cov_percent((karat_cov_sum){all.bins, all.excluded, file->total}), file->hit);
        html_text(f, file->path);
        fputs("</td></tr>\n", f);
    }
    fputs("</table></div>\n", f);
    if (i < ranks->num)
        fprintf(f, "<p>%" PRIu32 " more files add %" PRIu64 " bins.</p>\n", ranks->num - i,
                ranks->files[ranks->num - 1].total - (i ? ranks->files[i - 1].total : 0));
}

static void html_groups(FILE *f, const karat_cov *cov) {
    fputs("<table><tr><th>group</th><th>bins</th><th>excluded</th><th>hit</th><th>holes</th><th>covered</"
          "th><th></th></tr>\n",
          f);
    KARAT_COV_EACH_GROUP(cov, g) {
        const karat_cov_sum s = karat_cov_sum_of(cov, g);
        fprintf(
            f,
            "<tr><td><a href='#g%" PRIu32 "'>%s</a></td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64
            "</td><td>%" PRIu64
            "</td><td>%.2f %%</td><td><div class='bar'><div style='width:%.0f%%'></div></div></td></tr>\n",
            g, karat_cov_group_info(g)->name, s.bins, s.excluded, s.hit, s.bins - s.excluded - s.hit,
            cov_percent(s), cov_percent(s));
    }
    fputs("</table>\n", f);
}

static void html_rules(FILE *f, const karat_cov *cov) {
    fputs("<h2>Groups and the rules that exclude</h2>\n", f);
    KARAT_COV_EACH_GROUP(cov, g) {
        const karat_cov_group *group = karat_cov_group_info(g);
        cov_reason reasons[COV_MAX_REASON];
        const uint32_t num = cov_reasons(cov, g, reasons);
        fprintf(f, "<h3 id='g%" PRIu32 "'>%s</h3><p>", g, group->name);
        html_text(f, group->about);
        fputs("</p><ul>\n", f);
        for (uint32_t k = 0; k < num; k++) {
            fprintf(f, "<li>%" PRIu64 " excluded: ", reasons[k].bins);
            html_text(f, reasons[k].text);
            fputs("</li>\n", f);
        }
        fputs("</ul>\n", f);
    }
}

bool cov_html(FILE *f, const karat_cov *cov, const cov_ranks *ranks) {
    const karat_cov_sum all = karat_cov_sum_all(cov);
    fprintf(
        f,
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
        "content='width=device-width'>"
        "<title>Karat: coverage</title><style>%s</style></head><body><h1>Coverage: %.2f %%</h1><p>%" PRIu64
        " of %" PRIu64 " bins that can be reached, by %" PRIu64 " steps; %" PRIu64
        " bins are excluded.</p>\n",
        page_coverage_css, cov_percent(all), all.hit, all.bins - all.excluded, karat_cov_steps(cov),
        all.excluded);
    html_groups(f, cov);
    fputs("<h2>Matrix</h2><p>Bins hit / bins that can be reached. A click on a heading sorts by the number "
          "of holes, a second one the other "
          "way; a click on a cell lists its holes.</p>\n"
          "<noscript><p>Matrix and holes need JavaScript.</p></noscript>"
          "<label>columns <select id='view'><option value=''>groups of instructions</option></select></label>"
          "<label>rows with <input id='find' placeholder='vfmacc'></label><span id='rows'></span>\n"
          "<div class='scroll'><table id='matrix'></table></div>\n"
          "<h2>Holes</h2><label>with <input id='hole' size='40' placeholder='operand: mask=full "
          "vfmacc'></label><span id='found'></span>\n"
          "<p>All words must occur; <kbd>operand:</kbd> is a group, <kbd>mask=full</kbd> a whole "
          "point.</p><div id='holes'></div>\n",
          f);
    if (ranks)
        html_files(f, cov, ranks);
    html_curve(f, cov);
    html_rules(f, cov);
    json_t *bins = json_bins(cov);
    fputs("<script type='application/json' id='data'>", f);
    const bool ok = bins && json_dump_callback(bins, put_script, f, JSON_COMPACT) == 0;
    json_decref(bins);
    fprintf(f, "</script><script>%s</script></body></html>\n", page_coverage_js);
    return ok && !ferror(f);
}
