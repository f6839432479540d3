/* Command karat cov: the coverage of the programs of several runs (vectors/cov). */
#include "subcommands.h"
#include "cov_rank.h"
#include "cov_report.h"
#include "input.h"
#include "python_part.h"
#include "staged_file.h"
#include "array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_FORMAT = 256, OPT_JSON, OPT_HOLES, OPT_HITS, OPT_MIN, OPT_RTL };
typedef enum action { REPORT, RANK, MERGE, NUM_ACTIONS } action;
static const char *const actions[] = {"report", "rank", "merge"};
typedef enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_HTML } format;

typedef struct cov_options {
    format format;
    uint64_t holes; /* Most holes of a group that are listed */
    bool hits, rtl;
    action action;
    const char *out;
    double least; /* Percent; 0: none is asked for */
    char **files;
    uint32_t num_files;
} cov_options;

static const struct argp_option options[] = {
    {"format", OPT_FORMAT, "F", 0, "text (default), json, or, of a report, html: one self-contained page", 0},
    {"json", OPT_JSON, NULL, 0, "The same as --format=json", 0},
    {"holes", OPT_HOLES, "N", 0,
     "List at most N bins of each group that no run has reached (default: 0; JSON and HTML: all)", 0},
    {"hits", OPT_HITS, NULL, 0, "JSON: also list the bins that were reached, with their numbers of hits", 0},
    {"rtl", OPT_RTL, NULL, 0,
     "The files are of +rtl-coverage: branches (and bits) of the core, by source file", 0},
    {"output", 'o', "FILE", 0, "Write to FILE; merge needs it, and may name one of its inputs", 0},
    {"min", OPT_MIN, "PERCENT", 0, "Status 1 where less than that is covered", 0},
    {0},
};

/* 99 or 99.5: strtod() alone takes signs, exponents and names of numbers, too. */
static bool take_percent(const char *text, double *percent) {
    static const char digits[] = "0123456789";
    const size_t whole = strspn(text, digits), places = text[whole] ? strspn(text + whole + 1, digits) : 0;
    if (!whole || (text[whole] && (text[whole] != '.' || !places || text[whole + 1 + places])))
        return false;
    *percent = strtod(text, NULL);
    return *percent <= 100;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    static const char *const formats[] = {"text", "json", "html"};
    cov_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case OPT_FORMAT:
        for (unsigned i = 0; i < 3; i++)
            if (strcmp(arg, formats[i]) == 0) {
                o->format = (format)i;
                return 0;
            }
        return cli_bad_option("--format: expected text, json or html, found '%s'", arg);
    case OPT_JSON: o->format = FORMAT_JSON; return 0;
    case OPT_HOLES:
        return cli_number(arg, UINT32_MAX, &o->holes)
                   ? 0
                   : cli_bad_option("--holes: expected a number, found '%s'", arg);
    case OPT_HITS: o->hits = true; return 0;
    case OPT_RTL: o->rtl = true; return 0;
    case OPT_MIN:
        return take_percent(arg, &o->least)
                   ? 0
                   : cli_bad_option("--min: expected a percentage, 0 to 100, such as 99.5, found '%s'", arg);
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_ARG: {
        if (o->action == NUM_ACTIONS) {
            for (o->action = 0; o->action < NUM_ACTIONS; o->action++)
                if (strcmp(arg, actions[o->action]) == 0)
                    return 0;
            return cli_bad_option("expected report, rank or merge, found '%s'", arg);
        }
        if (!karat_grow(&o->files, o->num_files, sizeof *o->files))
            return ENOMEM;
        o->files[o->num_files++] = arg;
        return 0;
    }
    case ARGP_KEY_END:
        if (!o->num_files)
            return cli_bad_option("expected report, rank or merge, and files of coverage");
        if (o->action == MERGE && !o->out)
            return cli_bad_option("merge: expected --output=FILE");
        if (o->action == RANK && o->format == FORMAT_HTML)
            return cli_bad_option("rank: expected text or json; the page of report has the ranks");
        if (o->hits && o->format != FORMAT_JSON)
            return cli_bad_option("--hits: expected --format=json");
        if (o->hits && o->rtl)
            return cli_bad_option("--hits: expected no --rtl, too");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_cov_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "report|rank|merge FILE...",
    .doc = "Report the coverage of all runs that wrote FILE... (--coverage=FILE), rank the files by what "
           "each adds to those before "
           "it, or merge them. With --rtl the files are of the core's own branches (+rtl-coverage=FILE).\v"
           "A FILE may be packed by gzip or zstd, or - for standard input. "
           "A bin is covered, not yet covered (a hole), or excluded by a rule, with the reason why no "
           "program can reach "
           "it.",
};

static double percent(karat_cov_sum s) {
    return s.bins > s.excluded ? 100.0 * (double)s.hit / (double)(s.bins - s.excluded) : 100.0;
}

/* The rules that exclude bins of a group, with the number of bins of each. */
static json_t *excluded_by(const karat_cov *cov, uint32_t group) {
    json_t *rules = json_object();
    for (uint32_t i = 0; i < karat_cov_bins(cov, group); i++) {
        const char *why = karat_cov_excluded(cov, group, i);
        json_t *bins = why ? json_object_get(rules, why) : NULL;
        if (bins)
            json_integer_set(bins, json_integer_value(bins) + 1);
        else if (why)
            json_object_set_new(rules, why, json_integer(1));
    }
    return rules;
}

/* "instruction=vadd_vv prefix=none mask=full" */
static void print_bin(FILE *f, const karat_cov *cov, uint32_t group, uint32_t bin) {
    uint32_t at[KARAT_COV_AXES];
    karat_cov_at(cov, group, bin, at);
    for (uint32_t i = 0; i < karat_cov_group_info(group)->num_axes; i++)
        fprintf(f, "%s%s=%s", i ? " " : "", karat_cov_axis_name(group, i),
                karat_cov_point_name(cov, group, at, i));
}

/* --- Text --- */

/* The curve, from point to point twice as many steps; and its end. */
static void text_curve(FILE *f, const karat_cov *cov) {
    const karat_cov_point *points;
    const uint32_t num = karat_cov_points(cov, &points);
    uint64_t next = 0;
    for (uint32_t i = 0; i < num; i++)
        if (points[i].steps >= next || i + 1 == num) {
            fprintf(f, "after %8" PRIu64 " runs, %10" PRIu64 " steps: %8" PRIu64 " bins hit\n",
                    points[i].runs, points[i].steps, points[i].hit);
            next = 2 * points[i].steps;
        }
}

static void text_sum(FILE *f, const char *name, karat_cov_sum s) {
    fprintf(f, "%-12s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %7.2f %%\n", name, s.bins,
            s.excluded, s.hit, s.bins - s.excluded - s.hit, percent(s));
}

void cov_text(FILE *f, const karat_cov *cov, uint64_t holes) {
    fprintf(f, "%-12s %8s %8s %8s %8s %9s\n", "group", "bins", "excluded", "hit", "holes", "covered");
    KARAT_COV_EACH_GROUP(cov, g)
    text_sum(f, karat_cov_group_info(g)->name, karat_cov_sum_of(cov, g));
    text_sum(f, "all", karat_cov_sum_all(cov));
    fprintf(f, "%" PRIu64 " runs, %" PRIu64 " steps\n", karat_cov_runs(cov), karat_cov_steps(cov));
    text_curve(f, cov);
    KARAT_COV_EACH_GROUP(cov, g) {
        json_t *rules = excluded_by(cov, g), *bins;
        const char *rule;
        json_object_foreach(rules, rule, bins)
            fprintf(f, "excluded %8" PRIu64 " of %s: %s\n", (uint64_t)json_integer_value(bins),
                    karat_cov_group_info(g)->name, rule);
        json_decref(rules);
    }
    KARAT_COV_EACH_GROUP(cov, g) {
        uint64_t left = holes;
        for (uint32_t i = 0; left && i < karat_cov_bins(cov, g); i++) {
            if (karat_cov_hits(cov, g, i) || karat_cov_excluded(cov, g, i))
                continue;
            fprintf(f, "hole %s: ", karat_cov_group_info(g)->name);
            print_bin(f, cov, g, i);
            fputc('\n', f);
            left--;
        }
    }
    if (karat_cov_contradictions(cov))
        fprintf(f, "%" PRIu64 " bins were hit that a rule excludes: the rule is wrong\n",
                karat_cov_contradictions(cov));
}

/* --- JSON --- */

static json_t *json_sum(karat_cov_sum s) {
    return json_pack("{s:I, s:I, s:I, s:f}", "bins", (json_int_t)s.bins, "excluded", (json_int_t)s.excluded,
                     "hit", (json_int_t)s.hit, "percent", percent(s));
}

/* The names of its points. */
static json_t *json_bin(const karat_cov *cov, uint32_t g, uint32_t bin) {
    uint32_t at[KARAT_COV_AXES];
    karat_cov_at(cov, g, bin, at);
    json_t *names = json_array();
    for (uint32_t k = 0; k < karat_cov_group_info(g)->num_axes; k++)
        json_array_append_new(names, json_string(karat_cov_point_name(cov, g, at, k)));
    return names;
}

/* Of a page, with "states" in place of holes and hits. */
static json_t *json_group(const cov_options *o, const karat_cov *cov, uint32_t g) {
    const karat_cov_group *group = karat_cov_group_info(g);
    const bool of_page = o->format == FORMAT_HTML;
    json_t *one = json_sum(karat_cov_sum_of(cov, g)), *holes = json_array(), *hits = json_array(),
           *axes = json_array();
    for (uint32_t i = 0; i < group->num_axes; i++)
        json_array_append_new(axes,
                              of_page ? cov_page_axis(cov, g, i) : json_string(karat_cov_axis_name(g, i)));
    for (uint32_t i = 0; !of_page && i < karat_cov_bins(cov, g); i++) {
        const uint64_t times = karat_cov_hits(cov, g, i);
        if (times && o->hits)
            json_array_append_new(hits, json_pack("[o, I]", json_bin(cov, g, i), (json_int_t)times));
        else if (!times && !karat_cov_excluded(cov, g, i))
            json_array_append_new(holes, json_bin(cov, g, i));
    }
    json_object_set_new(one, "name", json_string(group->name));
    json_object_set_new(one, "about", json_string(group->about));
    json_object_set_new(one, "axes", axes);
    json_object_set_new(one, "excluded_by", excluded_by(cov, g));
    if (of_page)
        json_object_set_new(one, "states", cov_page_states(cov, g));
    else
        json_object_set(one, "holes", holes);
    if (o->hits)
        json_object_set(one, "hits", hits);
    json_decref(holes);
    json_decref(hits);
    return one;
}

static json_t *json_report(const cov_options *o, const karat_cov *cov) {
    json_t *groups = json_array(), *curve = json_array();
    KARAT_COV_EACH_GROUP(cov, g)
    json_array_append_new(groups, json_group(o, cov, g));
    const karat_cov_point *points;
    const uint32_t num = karat_cov_points(cov, &points);
    for (uint32_t i = 0; i < num; i++)
        json_array_append_new(curve, json_pack("[I, I, I]", (json_int_t)points[i].runs,
                                               (json_int_t)points[i].steps, (json_int_t)points[i].hit));
    return json_pack("{s:I, s:I, s:o, s:o, s:o}", "runs", (json_int_t)karat_cov_runs(cov), "steps",
                     (json_int_t)karat_cov_steps(cov), "all", json_sum(karat_cov_sum_all(cov)), "groups",
                     groups, "curve", curve);
}

/* --- What each file adds --- */

static void rank_text(FILE *f, const karat_cov *cov, const cov_ranks *ranks) {
    const karat_cov_sum all = karat_cov_sum_all(cov);
    fprintf(f, "%8s %8s %9s %8s  file\n", "adds", "hit", "covered", "alone");
    for (uint32_t i = 0; i < ranks->num; i++) {
        const cov_rank *r = &ranks->files[i];
        fprintf(f, "%8" PRIu64 " %8" PRIu64 " %7.2f %% %8" PRIu64 "  %s\n", r->added, r->total,
                percent((karat_cov_sum){all.bins, all.excluded, r->total}), r->hit, r->path);
    }
}

static json_t *json_ranks(const cov_ranks *ranks) {
    json_t *files = json_array();
    for (uint32_t i = 0; i < ranks->num; i++) {
        const cov_rank *r = &ranks->files[i];
        json_array_append_new(files,
                              json_pack("{s:s, s:I, s:I, s:I}", "file", r->path, "adds", (json_int_t)r->added,
                                        "hit", (json_int_t)r->total, "alone", (json_int_t)r->hit));
    }
    return files;
}

/* The output of report or rank. ranks NULL: there is one file. */
static bool put(FILE *f, const cov_options *o, const karat_cov *cov, const cov_ranks *ranks) {
    if (o->format == FORMAT_TEXT) {
        if (o->action == RANK)
            rank_text(f, cov, ranks);
        else
            cov_text(f, cov, o->holes);
        return true;
    }
    json_t *all =
        o->action == RANK ? json_pack("{s:o}", "all", json_sum(karat_cov_sum_all(cov))) : json_report(o, cov);
    if (ranks)
        json_object_set_new(all, "files", json_ranks(ranks));
    const bool ok = o->format == FORMAT_HTML
                        ? cov_page(f, cov, all)
                        : json_dumpf(all, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF;
    json_decref(all);
    return ok;
}

static int report(const cov_options *o, const karat_cov *cov, const cov_ranks *ranks) {
    karat_staged_file w = {.file = stdout};
    karat_diag diag;
    if (o->out && !karat_staged_begin(&w, o->out, &diag)) {
        cli_error("%s", diag.text);
        return CLI_BAD_INPUT;
    }
    const bool all = put(w.file, o, cov, ranks), failed = ferror(w.file);
    if (!all && !failed) {
        cli_error("not enough memory");
        if (o->out)
            karat_staged_drop(&w);
        return CLI_BAD_INPUT;
    }
    if (o->out && !karat_staged_end(&w, &diag)) {
        cli_error("%s", diag.text);
        return CLI_BAD_INPUT;
    }
    if (failed) /* Of standard output main() says so */
        return CLI_BAD_INPUT;
    if (karat_cov_contradictions(cov)) {
        cli_error("bins were hit that a rule excludes");
        return CLI_BAD_INPUT;
    }
    return percent(karat_cov_sum_all(cov)) < o->least ? CLI_MISMATCH : CLI_OK;
}

/* False: an error was reported. */
static bool begin_output(const cov_options *o) {
    karat_outputs outputs = {0};
    if (o->action == MERGE)
        karat_outputs_update(&outputs, o->out); /* Runs are added to the existing file */
    else
        karat_outputs_write(&outputs, o->out);
    for (uint32_t i = 0; i < o->num_files; i++)
        if (strcmp(o->files[i], "-") != 0)
            karat_outputs_read(&outputs, o->files[i]);
    return cli_begin_outputs(&outputs);
}

/* NULL: an error was reported. */
static karat_cov *load(const char *path) {
    size_t size;
    karat_diag diag;
    char *text = input_read(path, &size);
    if (!text)
        return NULL;
    karat_cov *cov = karat_cov_parse(text, size, input_name(path), 1, &diag);
    if (!cov)
        cli_error("%s", diag.text);
    free(text);
    return cov;
}

/* The file into *all, and into the ranks where they are asked for; false: an error was reported. */
static bool add_file(const cov_options *o, uint32_t index, karat_cov **all, cov_ranks *ranks) {
    const char *path = o->files[index];
    karat_cov *one = load(path);
    if (!one)
        return false;
    const bool ranked =
        o->action == RANK || (o->action == REPORT && o->format == FORMAT_HTML && o->num_files > 1);
    bool ok = !ranked || cov_ranks_add(ranks, path, one);
    if (!ok)
        cli_error("not enough memory");
    if (!*all) {
        *all = one;
        return ok;
    }
    if (ok && !(ok = karat_cov_merge(*all, one)))
        cli_error("%s: its profile of the ISA is not that of %s", path, o->files[0]);
    karat_cov_destroy(one);
    return ok;
}

static int run(const cov_options *o) {
    karat_diag diag;
    karat_cov *all = NULL;
    cov_ranks ranks = {0};
    if (!begin_output(o))
        return CLI_BAD_INPUT;
    int status = CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < o->num_files; i++)
        if (!add_file(o, i, &all, &ranks))
            status = CLI_BAD_INPUT;
    cov_ranks_sort(&ranks);
    if (status == CLI_OK && o->action != MERGE)
        status = report(o, all, ranks.num ? &ranks : NULL);
    else if (status == CLI_OK && !karat_cov_save(all, o->out, &diag)) {
        cli_error("%s", diag.text);
        status = CLI_BAD_INPUT;
    }
    cov_ranks_free(&ranks);
    karat_cov_destroy(all);
    return status;
}

/* Counters of RTL are a matter of cli/rtl. */
static int run_rtl(const cov_options *o) {
    static const char *const formats[] = {"text", "json", "html"};
    static char words[NUM_ACTIONS][8] = {"report", "rank", "merge"};
    char number[32];
    cli_python h = {0};
    if (!begin_output(o))
        return CLI_BAD_INPUT;
    bool good =
        !cli_python_option(&h, "format", formats[o->format]) && !cli_python_word(&h, words[o->action]);
    snprintf(number, sizeof number, "%" PRIu64, o->holes);
    good = good && !cli_python_option(&h, "holes", number);
    snprintf(number, sizeof number, "%g", o->least);
    good = good && !cli_python_option(&h, "min", number) &&
           (!o->out || !cli_python_option(&h, "output", o->out));
    for (uint32_t i = 0; good && i < o->num_files; i++)
        good = !cli_python_word(&h, o->files[i]);
    if (!good)
        cli_error("not enough memory");
    return cli_python_start(&h, good ? "rtl" : NULL);
}

int cmd_cov(int argc, char **argv) {
    cov_options o = {.action = NUM_ACTIONS};
    int status = CLI_BAD_INPUT;
    if (cli_parse(&cmd_cov_argp, argc, argv, &o))
        status = o.rtl ? run_rtl(&o) : run(&o);
    free(o.files);
    return status;
}
