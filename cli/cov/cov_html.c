/* Command karat cov report --format=html: one page without anything from elsewhere (coverage.html). All
 * bins are in it, as two bits each, and the page makes matrix and holes of them in the browser: written out,
 * the names of a hundred thousand holes would take ten megabytes. */
#include "cov_report.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "embed.h"

/* Names of the points of an axis, given points of the first two axes. */
static json_t *names_at(const karat_cov *cov, uint32_t g, uint32_t axis, uint32_t first, uint32_t second) {
    uint32_t at[KARAT_COV_AXES] = {first, second};
    json_t *names = json_array();
    for (at[axis] = 0; at[axis] < karat_cov_axis_size(cov, g, axis); at[axis]++)
        json_array_append_new(names, json_string(karat_cov_point_name(cov, g, at, axis)));
    return names;
}

json_t *cov_page_axis(const karat_cov *cov, uint32_t g, uint32_t axis) {
    const uint32_t firsts = axis > 0 ? karat_cov_axis_size(cov, g, 0) : 1,
                   seconds = axis > 1 ? karat_cov_axis_size(cov, g, 1) : 1, num = firsts * seconds;
    json_t *sets = json_array();
    char *which = cli_alloc(num);
    for (uint32_t i = 0; i < num; i++) {
        json_t *names = names_at(cov, g, axis, i / seconds, i % seconds);
        size_t set = 0;
        while (set < json_array_size(sets) && !json_equal(json_array_get(sets, set), names))
            set++;
        if (set == json_array_size(sets))
            json_array_append(sets, names);
        which[i] = (char)('0' + set); /* A handful of sets: there are two kinds of classes, and four widths */
        json_decref(names);
    }
    json_t *one = json_pack("{s:s, s:i, s:o}", "name", karat_cov_axis_name(g, axis), "size",
                            (int)karat_cov_axis_size(cov, g, axis), "names", sets);
    if (json_array_size(sets) > 1)
        json_object_set_new(one, "which", json_stringn(which, num));
    free(which);
    return one;
}

enum { HOLE, HIT, EXCLUDED };

json_t *cov_page_states(const karat_cov *cov, uint32_t g) {
    const uint32_t bins = karat_cov_bins(cov, g), length = (bins + 2) / 3;
    uint8_t *states = cli_alloc(length);
    char *text = cli_alloc(length);
    for (uint32_t i = 0; i < bins; i++) {
        const unsigned state = karat_cov_hits(cov, g, i)       ? HIT
                               : karat_cov_excluded(cov, g, i) ? EXCLUDED
                                                               : HOLE;
        states[i / 3] |= (uint8_t)(state << 2 * (i % 3));
        text[i / 3] = (char)('?' + states[i / 3]);
    }
    json_t *json = json_stringn(text, length);
    free(states);
    free(text);
    return json;
}

/* No "<" in a script: only strings can have it. */
static int put_script(const char *text, size_t size, void *file) {
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<' ? fputs("\\u003c", file) == EOF : fputc(text[i], file) == EOF)
            return -1;
    return 0;
}

/* The rest of the page is written up to that mark; the rest after it. */
static const char *put_until(FILE *f, const char *page, const char *mark) {
    const char *at = strstr(page, mark);
    fwrite(page, 1, (size_t)(at - page), f);
    return at + strlen(mark);
}

bool cov_page(FILE *f, const karat_cov *cov, const json_t *report) {
    const char *rest = put_until(f, page_coverage_html, "@TEXT@");
    cov_text(f, cov, 0);
    rest = put_until(f, rest, "@DATA@");
    const bool ok = json_dump_callback(report, put_script, f, JSON_COMPACT) == 0;
    fputs(rest, f);
    return ok && !ferror(f);
}
