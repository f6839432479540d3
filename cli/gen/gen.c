/* Command karat gen: test vectors. */
#include "gen.h"
#include "subcommands.h"
#include "interrupt.h"
#include "progress.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_SEED = 256,
    OPT_COUNT,
    OPT_LENGTH,
    OPT_WARPS,
    OPT_THREADS,
    OPT_WORKGROUPS,
    OPT_VGPRS,
    OPT_WF_SIZE,
    OPT_RACES,
    OPT_PARTIAL,
    OPT_WEIGHTS,
    OPT_KINDS,
    OPT_ONLY,
    OPT_SCENARIO,
    OPT_ROW,
    OPT_UNIT,
    OPT_DEPTH,
    OPT_LIST,
    OPT_COMMITS,
    OPT_SIGNATURE,
    OPT_PROFILE,
    OPT_JSON
};

enum { RANDOM, DIRECTED, PAGES, COVER, AGAIN, COMPARE, MUTATE, NUM_ACTIONS };

/* The kinds of vectors, and their input files. */
static const struct {
    const char *name;
    uint32_t num_files;
    const char *files;
} actions[NUM_ACTIONS] = {{"random", 0, "no file"},
                          {"directed", 0, "no file"},
                          {"pages", 0, "no file"},
                          {"cover", 1, "a file of karat cov report --format=json"},
                          {"again", 1, "the manifest.json of a vector"},
                          {"compare", 2, "a vector's folder and a core's memory"},
                          {"mutate", 2, "two programs"}};

/* Groups of options, by the kinds that take them. */
enum {
    GROUP_RANDOM,
    GROUP_SEED,
    GROUP_DIRECTED,
    GROUP_NAMED,
    GROUP_MAKE,
    GROUP_ALL,
    GROUP_COMPARE,
    NUM_GROUPS
};

typedef struct gen_options {
    uint32_t action; /* NUM_ACTIONS: none yet */
    const char *weights, *out, *only, *scenario, *row, *unit;
    char *file[2];
    uint32_t num_files;
    bool kinds, list, signature;
    recipe recipe;
    const char *given[NUM_GROUPS]; /* An option of each group */
    uint64_t count, length, warps, threads, workgroups, vgprs, wf_size, depth;
} gen_options;

static const struct argp_option options[] = {
    {"seed", OPT_SEED, "N", 0, "Seed of the first vector (1)", GROUP_SEED},
    {"count", OPT_COUNT, "N", 0, "How many vectors, with seeds one after the other (1)", GROUP_SEED},
    {"length", OPT_LENGTH, "N", 0, "Instructions, about (10000)", GROUP_RANDOM},
    {"warps", OPT_WARPS, "N", 0,
     "Warps of a workgroup, 1 to 32 (random: drawn, up to 8; scenarios: their own)", GROUP_MAKE},
    {"threads", OPT_THREADS, "N", 0, "Threads per warp of the device: 1, 2, 4, 8, 16 or 32 (32)", GROUP_MAKE},
    {"workgroups", OPT_WORKGROUPS, "N", 0, "Workgroups, 1 to 64 (drawn)", GROUP_RANDOM},
    {"vgprs", OPT_VGPRS, "N", 0,
     "Vector registers that a workgroup of the device can have (1024, or 64 for each of --warps); "
     "65536: any number, and launches do not state it",
     GROUP_RANDOM},
    {"wf-size", OPT_WF_SIZE, "N", 0, "Threads of a warp in the launch (drawn: mostly all)", GROUP_RANDOM},
    {"races", OPT_RACES, NULL, 0, "Let the warps race on a few words", GROUP_RANDOM},
    {"partial", OPT_PARTIAL, NULL, 0, "Leave some threads without a work-item", GROUP_RANDOM},
    {"weights", OPT_WEIGHTS, "FILE", 0, "Weights of the parts of programs, as JSON (see --kinds)",
     GROUP_RANDOM},
    {"kinds", OPT_KINDS, NULL, 0,
     "Print the weights that apply without --weights, as such a file, with their meanings", GROUP_ALL},
    {"only", OPT_ONLY, "TEXT", 0, "Directed, pages: only programs whose name has TEXT in it", GROUP_NAMED},
    {"scenario", OPT_SCENARIO, "NAME", 0, "Directed: this scenario only", GROUP_DIRECTED},
    {"row", OPT_ROW, "NAME", 0, "Directed: this instruction only, named as karat isa does", GROUP_DIRECTED},
    {"unit", OPT_UNIT, "NAME", 0, "Directed: the instructions of this unit only, each for itself",
     GROUP_DIRECTED},
    {"depth", OPT_DEPTH, "N", 0, "Of scenarios that have one: depth or length (its own)", GROUP_DIRECTED},
    {"list", OPT_LIST, NULL, 0,
     "Print the names of the directed set, with a description of each scenario; pages: those", GROUP_ALL},
    {"commits", OPT_COMMITS, NULL, 0,
     "Also write the effects of every step, as karat run --trace prints them", GROUP_MAKE},
    CLI_PROFILE_OPTION(OPT_PROFILE, "ISA profile (the first)", GROUP_MAKE),
    {"signature", OPT_SIGNATURE, NULL, 0, "Compare: the warps' signatures alone", GROUP_COMPARE},
    {"output", 'o', "FOLDER", 0, "Where the vectors go: a folder for each", GROUP_ALL},
    RESULTS_OPTION(OPT_JSON, GROUP_ALL),
    {0},
};

static error_t take(const char *option, const char *arg, uint64_t least, uint64_t most, uint64_t *value) {
    if (cli_number(arg, most, value) && *value >= least)
        return 0;
    return cli_bad_option("--%s: expected %" PRIu64 " to %" PRIu64 ", found '%s'", option, least, most, arg);
}

static error_t take_argument(gen_options *o, char *arg) {
    if (o->action == NUM_ACTIONS) {
        for (o->action = 0; o->action < NUM_ACTIONS; o->action++)
            if (strcmp(arg, actions[o->action].name) == 0)
                return 0;
        return cli_bad_option("expected random, directed, pages, cover, again, compare or mutate, found '%s'",
                              arg);
    }
    if (o->num_files == actions[o->action].num_files)
        return cli_bad_option("%s: unexpected argument '%s'", actions[o->action].name, arg);
    o->file[o->num_files++] = arg;
    return 0;
}

static void note_option(gen_options *o, int key) {
    for (uint32_t i = 0; options[i].name; i++)
        if (options[i].key == key)
            o->given[options[i].group] = options[i].name;
}

static error_t is_complete(const gen_options *o) {
    static const uint8_t actions_of[NUM_GROUPS] = {[GROUP_RANDOM] = RANDOM,
                                                   [GROUP_SEED] = RANDOM,
                                                   [GROUP_DIRECTED] = DIRECTED,
                                                   [GROUP_NAMED] = DIRECTED,
                                                   [GROUP_COMPARE] = COMPARE};
    if (o->kinds || o->list)
        return 0;
    if (o->action == NUM_ACTIONS)
        return cli_bad_option("expected random, directed, pages, cover, again, compare or mutate");
    if (o->num_files < actions[o->action].num_files)
        return cli_bad_option("%s: expected %s", actions[o->action].name, actions[o->action].files);
    for (uint32_t group = 0; group < NUM_GROUPS; group++)
        if (o->given[group] && group != GROUP_ALL && group != GROUP_MAKE && o->action != actions_of[group] &&
            !(group == GROUP_NAMED && o->action == PAGES) && !(group == GROUP_SEED && o->action == MUTATE))
            return cli_bad_option("--%s goes with %s", o->given[group], actions[actions_of[group]].name);
    if (o->given[GROUP_MAKE] && (o->action == AGAIN || o->action == COMPARE))
        return cli_bad_option("--%s goes with random, directed, pages, cover or mutate",
                              o->given[GROUP_MAKE]);
    if (o->row && o->unit)
        return cli_bad_option("expected --row or --unit, found both");
    if ((o->row || o->unit) && (o->scenario || o->only || o->depth))
        return cli_bad_option("--%s goes with the whole set or a scenario, not with --%s",
                              o->scenario ? "scenario"
                              : o->only   ? "only"
                                          : "depth",
                              o->row ? "row" : "unit");
    return o->out || o->action == COMPARE
               ? 0
               : cli_bad_option("%s: expected --output=FOLDER", actions[o->action].name);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    gen_options *o = state->input;
    note_option(o, key);
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case OPT_SEED: return take("seed", arg, 0, INT64_MAX - 1000000, &o->recipe.random.seed);
    case OPT_COUNT: return take("count", arg, 1, 1000000, &o->count);
    case OPT_LENGTH: return take("length", arg, 1, GEN_MAX_LENGTH, &o->length);
    case OPT_WARPS: return take("warps", arg, 1, GEN_MAX_WARPS, &o->warps);
    case OPT_THREADS: return cli_threads(arg, &o->threads);
    case OPT_WORKGROUPS: return take("workgroups", arg, 1, GEN_MAX_WORKGROUPS, &o->workgroups);
    case OPT_VGPRS: return take("vgprs", arg, 64, GEN_MAX_VGPRS, &o->vgprs);
    case OPT_WF_SIZE: return take("wf-size", arg, 1, KARAT_MAX_THREAD, &o->wf_size);
    case OPT_RACES: o->recipe.random.races = true; return 0;
    case OPT_PARTIAL: o->recipe.random.partial = true; return 0;
    case OPT_WEIGHTS: o->weights = arg; return 0;
    case OPT_KINDS: o->kinds = true; return 0;
    case OPT_ONLY: o->only = arg; return 0;
    case OPT_SCENARIO: o->scenario = arg; return 0;
    case OPT_ROW: o->row = arg; return 0;
    case OPT_UNIT: o->unit = arg; return 0;
    case OPT_DEPTH: return take("depth", arg, 1, DIRECTED_MAX_DEPTH, &o->depth);
    case OPT_LIST: o->list = true; return 0;
    case OPT_COMMITS: o->recipe.commits = true; return 0;
    case OPT_SIGNATURE: o->signature = true; return 0;
    case OPT_JSON: results_as_json(); return 0;
    case OPT_PROFILE: return cli_profile(arg, &o->recipe.profile);
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_ARG: return take_argument(o, arg);
    case ARGP_KEY_END: return is_complete(o);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_gen_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "random\ndirected\npages\ncover HOLES\nagain MANIFEST\ncompare VECTOR MEMORY\nmutate "
                "PROGRAM OTHER",
    .doc = "Make test vectors: random programs; the directed set, with every instruction, the corners of its "
           "operands, and named "
           "scenarios; programs about address translation, with a page fault of each kind; programs that aim "
           "at holes in coverage (HOLES: the output of karat cov report "
           "--format=json); or again one of which only the manifest is left. Or compare the memory that a "
           "core has left (as "
           "$writememh writes it, in words) "
           "with what a vector expects. Or change a program by chance, with parts of another one, into "
           "FOLDER/mutant-SEED.elf: programs "
           "that run on the model.\v"
           "A vector is a folder: program.elf, program.metadata with program.data, program.hex ($readmemh), "
           "program.lst (assembly), expected.hex (the memory that the model leaves), signature.hex (random: "
           "what each warp has "
           "folded its registers into) and manifest.json, from which it can be made again.",
};

static int print_kinds(const random_params *p) {
    json_t *all = gen_weights(p);
    if (results_are_json()) {
        json_t *kinds = json_array();
        for (uint32_t i = 0; random_kind_name(i); i++)
            json_array_append_new(
                kinds, json_pack("{s:s, s:s}", "name", random_kind_name(i), "about", random_kind_about(i)));
        return results_put(json_pack("{s:o, s:o}", "weights", all, "kinds", kinds)) ? CLI_OK : CLI_BAD_INPUT;
    }
    json_dumpf(all, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(all);
    for (uint32_t i = 0; random_kind_name(i); i++)
        fprintf(stderr, "%-14s %s\n", random_kind_name(i), random_kind_about(i));
    return CLI_OK;
}

/* Goes to *list as JSON; list NULL: it is printed. */
static void put_name(json_t *list, const char *name, const char *about) {
    if (list)
        json_array_append_new(list, json_pack("{s:s, s:s?}", "name", name, "about", about));
    else if (about)
        printf("%-20s %s\n", name, about);
    else
        puts(name);
}

static int put_list(json_t *list) {
    return !list || results_put(json_pack("{s:o}", "programs", list)) ? CLI_OK : CLI_BAD_INPUT;
}

static int print_list(const row_table *table) {
    char name[DIRECTED_NAME];
    json_t *list = results_are_json() ? json_array() : NULL;
    for (uint32_t i = 0; i < directed_num(table); i++) {
        const char *about = directed_about(table, i, name);
        put_name(list, name, about);
    }
    return put_list(list);
}

static bool make_directed(const row_table *table, const gen_options *o, recipe *r) {
    char name[DIRECTED_NAME];
    bool found = false, ok = true;
    r->kind = GEN_DIRECTED;
    for (r->index = 0; ok && r->index < directed_num(table); r->index++) {
        const bool is_scenario = directed_about(table, r->index, name);
        if ((o->scenario && !(is_scenario && strcmp(name, o->scenario) == 0)) ||
            (o->only && !strstr(name, o->only)))
            continue;
        found = true;
        ok = gen_write(table, r, o->out, NULL);
    }
    if (!found)
        cli_error("no such program: '%s' (see 'karat gen --list')", o->scenario ? o->scenario : o->only);
    return ok && found;
}

/* The programs about pages. */
static bool make_pages(const row_table *table, const gen_options *o, recipe *r) {
    char name[DIRECTED_NAME];
    karat_cov *cov = gen_pages_cov(r);
    bool found = false, ok = cov != NULL;
    r->kind = GEN_PAGES;
    for (r->index = 0; ok && r->index < pages_num(cov); r->index++) {
        pages_about(cov, r->index, name);
        if (o->only && !strstr(name, o->only))
            continue;
        found = true;
        ok = gen_write(table, r, o->out, NULL);
    }
    karat_cov_destroy(cov);
    if (ok && !found)
        cli_error("no such program: '%s' (see 'karat gen pages --list')", o->only);
    return ok && found;
}

static int print_pages(const recipe *r) {
    char name[DIRECTED_NAME];
    karat_cov *cov = gen_pages_cov(r);
    if (!cov)
        return CLI_BAD_INPUT;
    json_t *list = results_are_json() ? json_array() : NULL;
    for (uint32_t i = 0; i < pages_num(cov); i++) {
        const char *about = pages_about(cov, i, name);
        put_name(list, name, about);
    }
    karat_cov_destroy(cov);
    return put_list(list);
}

/* All that the directed set has for single instructions. */
static bool make_rows(const row_table *table, const gen_options *o, recipe *r) {
    bool found = false, ok = true;
    r->kind = GEN_ROW;
    for (r->row = 0; ok && r->row < karat_num_rows(); r->row++) {
        const row_use *u = &table->use[r->row];
        if (!u->info ||
            (o->row && strcmp(u->info->name, o->row) != 0 && strcmp(u->info->mnemonic, o->row) != 0) ||
            (o->unit && strcmp(karat_unit_name(u->info->unit), o->unit) != 0))
            continue;
        for (r->index = 0; ok && r->index < NUM_PART; r->index++)
            if (directed_is_about(r->index, u)) {
                found = true;
                ok = gen_write(table, r, o->out, NULL);
            }
    }
    const char *near = o->row && karat_find_row(o->row) == KARAT_NO_ROW ? cli_near_instruction(o->row) : NULL;
    if (!found && near)
        cli_error("there is no instruction '%s': did you mean '%s'?", o->row, near);
    else if (!found)
        cli_error("no programs can be made for %s '%s' (see 'karat isa')", o->row ? "instruction" : "unit",
                  o->row ? o->row : o->unit);
    return ok && found;
}

static bool make_again(const row_table *table, const gen_options *o, recipe *r) {
    cover_bin *bins = NULL;
    karat_cov *names = NULL;
    bool ok = gen_take_manifest(o->file[0], table, r, &bins);
    r->manifest = o->file[0];
    if (ok && r->kind == GEN_COVER)
        ok = (names = cover_start(r->profile, r->device.num_thread)) != NULL;
    ok = ok && gen_write(table, r, o->out, names);
    karat_cov_destroy(names);
    free(bins);
    return ok;
}

static int run(gen_options *o, const row_table *table) {
    recipe *r = &o->recipe;
    random_params *p = &r->random;
    bool ok = true;
    if (o->list)
        return o->action == PAGES ? print_pages(r) : print_list(table);
    karat_interrupt_catch();
    switch (o->action) {
    case RANDOM:
        for (uint64_t i = 0; ok && i < o->count; i++, p->seed++)
            ok = gen_write(table, r, o->out, NULL);
        break;
    case DIRECTED: ok = (o->row || o->unit ? make_rows : make_directed)(table, o, r); break;
    case PAGES: ok = make_pages(table, o, r); break;
    case COVER: return gen_cover(table, r, o->file[0], o->out);
    case AGAIN: ok = make_again(table, o, r); break;
    case MUTATE: return gen_mutate(table, r, o->file, o->count, o->out);
    case COMPARE: return gen_compare(o->file[0], o->file[1], o->signature);
    default: break;
    }
    return gen_report(ok, NULL);
}

static bool take_options(gen_options *o) {
    random_params *p = &o->recipe.random;
    p->length = (uint32_t)o->length;
    p->num_thread = o->recipe.device.num_thread = (uint32_t)o->threads;
    p->warps = (uint32_t)o->warps;
    p->workgroups = (uint32_t)o->workgroups;
    p->max_vgprs = (uint32_t)o->vgprs;
    p->threads = (uint32_t)o->wf_size;
    if (o->wf_size > o->threads) {
        cli_error("--wf-size: expected 1 to %" PRIu64 ", as many as --threads", o->threads);
        return false;
    }
    o->recipe.device.depth = (uint32_t)o->depth;
    o->recipe.device.warps = (uint32_t)o->warps;
    if (!o->weights)
        return true;
    json_t *all = gen_load_json(o->weights);
    const bool ok = all && gen_take_weights(all, p, o->weights);
    json_decref(all);
    return ok;
}

int cmd_gen(int argc, char **argv) {
    gen_options o = {.count = 1, .action = NUM_ACTIONS};
    random_defaults(&o.recipe.random);
    o.recipe.random.seed = 1;
    o.length = o.recipe.random.length;
    o.threads = o.recipe.random.num_thread;
    if (!cli_parse(&cmd_gen_argp, argc, argv, &o) || !take_options(&o))
        return CLI_BAD_INPUT;
    if (o.kinds)
        return print_kinds(&o.recipe.random);
    if (o.action == AGAIN && !gen_take_profile(o.file[0], &o.recipe.profile))
        return CLI_BAD_INPUT;
    row_table *table = row_table_create(o.recipe.profile);
    if (!table) {
        cli_error("not enough memory");
        return CLI_BAD_INPUT;
    }
    const int status = run(&o, table);
    row_table_free(table);
    return status;
}
