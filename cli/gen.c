/* karat gen: test vectors. */
#include "directed.h"
#include "output.h"
#include "random.h"
#include "sched.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    OPT_SEED = 256,
    OPT_COUNT,
    OPT_LENGTH,
    OPT_WARPS,
    OPT_THREADS,
    OPT_WORKGROUPS,
    OPT_VGPRS,
    OPT_RACES,
    OPT_WEIGHTS,
    OPT_KINDS,
    OPT_ONLY
};

#define MAX_PATH_TEXT 4096

/* A vector: all that its manifest says. */
typedef struct recipe {
    bool directed;
    uint32_t index;       /* of the directed set */
    random_params random; /* num_thread goes for both */
} recipe;

typedef struct gen_options {
    const char *action, *weights, *out, *manifest, *only;
    uint64_t count;
    bool kinds;
    recipe recipe;
    uint64_t length, warps, threads, workgroups, vgprs;
} gen_options;

static const struct argp_option options[] = {
    {"seed", OPT_SEED, "N", 0, "Seed of the first vector (1)", 0},
    {"count", OPT_COUNT, "N", 0, "How many vectors, with seeds one after the other (1)", 0},
    {"length", OPT_LENGTH, "N", 0, "Instructions, about (10000)", 0},
    {"warps", OPT_WARPS, "N", 0, "Warps of a workgroup, 1 to 32 (drawn, up to 8)", 0},
    {"threads", OPT_THREADS, "N", 0, "Threads per warp of the device: 1, 2, 4, 8, 16 or 32 (32)", 0},
    {"workgroups", OPT_WORKGROUPS, "N", 0, "Workgroups, 1 to 64 (drawn)", 0},
    {"vgprs", OPT_VGPRS, "N", 0,
     "Vector registers that a workgroup of the device can have (256 for each warp)", 0},
    {"races", OPT_RACES, NULL, 0, "Let the warps race on a few words", 0},
    {"weights", OPT_WEIGHTS, "FILE", 0, "What programs are made of, as JSON (see --kinds)", 0},
    {"kinds", OPT_KINDS, NULL, 0,
     "Print the weights that apply without --weights, as such a file, and what they are", 0},
    {"only", OPT_ONLY, "TEXT", 0, "Directed: only programs whose name has TEXT in it", 0},
    {"output", 'o', "FOLDER", 0, "Where the vectors go: a folder for each", 0},
    {0},
};

static error_t take(const char *option, const char *arg, uint64_t least, uint64_t most, uint64_t *value) {
    if (cli_number(arg, most, value) && *value >= least)
        return 0;
    return cli_bad_option("--%s: expected %" PRIu64 " to %" PRIu64 ", found '%s'", option, least, most, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    gen_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case OPT_SEED: return take("seed", arg, 0, UINT64_MAX, &o->recipe.random.seed);
    case OPT_COUNT: return take("count", arg, 1, 1000000, &o->count);
    case OPT_LENGTH: return take("length", arg, 1, 1000000, &o->length);
    case OPT_WARPS: return take("warps", arg, 1, 32, &o->warps);
    case OPT_THREADS:
        if (!cli_number(arg, KARAT_MAX_THREAD, &o->threads) || !o->threads || o->threads & (o->threads - 1))
            return cli_bad_option("--threads: expected 1, 2, 4, 8, 16 or 32, found '%s'", arg);
        return 0;
    case OPT_WORKGROUPS: return take("workgroups", arg, 1, 64, &o->workgroups);
    case OPT_VGPRS: return take("vgprs", arg, 64, 65536, &o->vgprs);
    case OPT_RACES: o->recipe.random.races = true; return 0;
    case OPT_WEIGHTS: o->weights = arg; return 0;
    case OPT_KINDS: o->kinds = true; return 0;
    case OPT_ONLY: o->only = arg; return 0;
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_ARG:
        if (!o->action) {
            o->action = arg;
            return strcmp(arg, "random") == 0 || strcmp(arg, "directed") == 0 || strcmp(arg, "again") == 0
                       ? 0
                       : cli_bad_option("expected random, directed or again, found '%s'", arg);
        }
        if (strcmp(o->action, "again") == 0 && !o->manifest) {
            o->manifest = arg;
            return 0;
        }
        return cli_bad_option("unexpected argument '%s'", arg);
    case ARGP_KEY_END:
        if (o->kinds)
            return 0;
        if (!o->action || !o->out)
            return cli_bad_option("expected random, directed or again, and --output=FOLDER");
        if (strcmp(o->action, "again") == 0 && !o->manifest)
            return cli_bad_option("again: expected the manifest.json of a vector");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "random | directed | again MANIFEST",
    .doc =
        "Make test vectors: random programs; the directed set, with every instruction and the corners of its "
        "operands; or one of "
        "which only the manifest is left, again.\v"
        "A vector is a folder: program.elf, program.metadata with program.data, program.hex ($readmemh), "
        "program.lst (assembly), "
        "expected.hex (the memory that the model leaves) and manifest.json, from which it can be made again.",
};

/* --- Weights --- */

static json_t *weights_json(const random_params *p) {
    json_t *kinds = json_object(), *units = json_object();
    for (uint32_t i = 0; i < RANDOM_NUM_KINDS; i++)
        json_object_set_new(kinds, random_kind_name(i), json_integer(p->weight[i]));
    for (uint32_t i = 0; i < KARAT_NUM_UNIT; i++)
        if (p->unit[i])
            json_object_set_new(units, karat_unit_name(i), json_integer(p->unit[i]));
    return json_pack("{s:o, s:o}", "kinds", kinds, "units", units);
}

static bool take_weight(const json_t *value, uint32_t *weight) {
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > 1000000)
        return false;
    *weight = (uint32_t)json_integer_value(value);
    return true;
}

static bool take_weights(const json_t *all, random_params *p, const char *path) {
    const char *name;
    json_t *value;
    const json_t *kinds = json_object_get(all, "kinds"), *units = json_object_get(all, "units");
    if (!json_is_object(all) || (kinds && !json_is_object(kinds)) || (units && !json_is_object(units))) {
        cli_error("%s: expected an object with \"kinds\" and \"units\", both objects", path);
        return false;
    }
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
    if (units)
        memset(p->unit, 0, sizeof p->unit);
    json_object_foreach((json_t *)units, name, value) {
        static const unsigned usable = 1u << KARAT_UNIT_ALU | 1u << KARAT_UNIT_MUL | 1u << KARAT_UNIT_DIV |
                                       1u << KARAT_UNIT_FP | 1u << KARAT_UNIT_FDIV | 1u << KARAT_UNIT_SFU |
                                       1u << KARAT_UNIT_TENSOR;
        uint32_t i = 0;
        while (karat_unit_name(i) && strcmp(karat_unit_name(i), name) != 0)
            i++;
        if (!karat_unit_name(i) || !(usable >> i & 1) || !take_weight(value, &p->unit[i])) {
            cli_error("%s: units: \"%s\": expected alu, mul, div, fp, fdiv, sfu or tensor, and a number",
                      path, name);
            return false;
        }
    }
    return true;
}

static json_t *load_json(const char *path) {
    json_error_t error;
    json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!all)
        cli_error("%s:%d: %s", path, error.line, error.text);
    return all;
}

static int print_kinds(const random_params *p) {
    json_t *all = weights_json(p);
    json_dumpf(all, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(all);
    for (uint32_t i = 0; random_kind_name(i); i++)
        fprintf(stderr, "%-14s %s\n", random_kind_name(i), random_kind_about(i));
    return CLI_OK;
}

/* --- Manifests --- */

static json_t *manifest_json(const recipe *r, const char *name) {
    const random_params *p = &r->random;
    json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:i}", "tool", "karat " KARAT_VERSION, "kind",
                            r->directed ? "directed" : "random", "name", name, "isa", "v2.02", "threads",
                            (int)p->num_thread);
    json_t *more = r->directed ? json_pack("{s:i}", "index", (int)r->index)
                               : json_pack("{s:I, s:i, s:i, s:i, s:i, s:b, s:o}", "seed", (json_int_t)p->seed,
                                           "length", (int)p->length, "warps", (int)p->warps, "vgprs",
                                           (int)p->max_vgprs, "workgroups", (int)p->workgroups, "races",
                                           p->races, "weights", weights_json(p));
    if (all && more)
        json_object_update(all, more);
    json_decref(more);
    return all;
}

static bool take_random(const json_t *all, random_params *p, const char *path) {
    json_int_t seed;
    int length = 0, warps = 0, vgprs = 0, workgroups = 0, races = 0;
    json_t *weights;
    if (json_unpack((json_t *)all, "{s:I, s:i, s:i, s:i, s:i, s:b, s:o}", "seed", &seed, "length", &length,
                    "warps", &warps, "vgprs", &vgprs, "workgroups", &workgroups, "races", &races, "weights",
                    &weights) ||
        length < 1 || length > 1000000 || warps < 0 || warps > 32 || vgprs < 0 || vgprs > 65536 ||
        workgroups < 0 || workgroups > 64) {
        cli_error("%s: no manifest of a random vector", path);
        return false;
    }
    p->seed = (uint64_t)seed;
    p->length = (uint32_t)length;
    p->warps = (uint32_t)warps;
    p->workgroups = (uint32_t)workgroups;
    p->max_vgprs = (uint32_t)vgprs;
    p->races = races;
    return take_weights(weights, p, path);
}

static bool take_manifest(const char *path, const row_table *table, recipe *r) {
    json_t *all = load_json(path);
    const char *tool, *kind;
    int threads, index = 0;
    if (!all)
        return false;
    bool ok = json_unpack(all, "{s:s, s:s, s:i}", "tool", &tool, "kind", &kind, "threads", &threads) == 0 &&
              threads >= 1 && threads <= KARAT_MAX_THREAD && !(threads & (threads - 1));
    if (!ok)
        cli_error("%s: no manifest of a vector", path);
    else if (strcmp(tool, "karat " KARAT_VERSION) != 0) {
        cli_error("%s: made by %s; this is karat " KARAT_VERSION ", whose programs may differ", path, tool);
        ok = false;
    } else {
        r->random.num_thread = (uint32_t)threads;
        r->directed = strcmp(kind, "directed") == 0;
        if (!r->directed)
            ok = take_random(all, &r->random, path);
        else if (json_unpack(all, "{s:i}", "index", &index) || index < 0 ||
                 (uint32_t)index >= directed_num(table)) {
            cli_error("%s: no manifest of a directed vector", path);
            ok = false;
        }
        r->index = (uint32_t)index;
    }
    json_decref(all);
    return ok;
}

/* --- Vectors --- */

static bool make_folder(const char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    cli_error("%s: cannot be made: %s", path, strerror(errno));
    return false;
}

/* What the model leaves in memory; false: one line has been said. */
static bool write_expected(char *elf, const random_params *params, uint32_t bytes, const char *path) {
    session s = {0};
    session_options run = {.threads = params->num_thread, .max_steps = 1000000000};
    sched_result *r = malloc(sizeof *r);
    char text[SCHED_TEXT_SIZE];
    karat_diag diag;
    bool ok = r && (run.files = malloc(sizeof *run.files));
    if (ok) {
        run.files[0] = elf;
        run.num_files = 1;
        ok = session_open(&s, &run);
        if (ok) {
            sched_run(&s, s.kernels[0], NULL, r);
            ok = r->end == SCHED_DONE;
            if (!ok)
                cli_error("%s", sched_describe(&s, s.kernels[0], r, text));
            else if (!(ok = output_memory(s.model, PROG_DATA, bytes, path, &diag)))
                cli_error("%s", diag.text);
        }
        session_close(&s);
    }
    free(r);
    return ok;
}

static bool write_vector(const row_table *table, const recipe *r, const char *only, const char *out) {
    char name[DIRECTED_NAME], folder[MAX_PATH_TEXT - 32], path[MAX_PATH_TEXT], other[MAX_PATH_TEXT];
    const random_params *params = &r->random;
    const directed_params directed = {params->num_thread};
    prog p;
    karat_diag diag = {""};
    bool ok =
        r->directed ? directed_make(table, &directed, r->index, &p, name) : random_make(table, params, &p);
    if (!r->directed)
        snprintf(name, sizeof name, "random-%" PRIu64, params->seed);
    if (!ok)
        cli_error("%s: %s", name, p.why);
    if (ok && only && !strstr(name, only)) {
        prog_free(&p);
        return true;
    }
    if (ok && snprintf(folder, sizeof folder, "%s/%s", out, name) >= (int)sizeof folder) {
        cli_error("%s: the name is too long", out);
        ok = false;
    }
    ok = ok && make_folder(folder);
    if (ok) {
        snprintf(path, sizeof path, "%s/program.metadata", folder);
        snprintf(other, sizeof other, "%s/program.data", folder);
        ok = output_metadata(&p, params->num_thread, path, other, &diag);
        snprintf(path, sizeof path, "%s/program.hex", folder);
        ok = ok && output_hex(&p, path, &diag);
        snprintf(path, sizeof path, "%s/program.lst", folder);
        ok = ok && output_listing(&p, path, &diag);
        snprintf(path, sizeof path, "%s/program.elf", folder);
        ok = ok && output_elf(&p, path, &diag);
        if (!ok)
            cli_error("%s", diag.text);
    }
    snprintf(other, sizeof other, "%s/expected.hex", folder);
    ok = ok && write_expected(path, params, p.data_size, other);
    if (ok) {
        json_t *manifest = manifest_json(r, name);
        snprintf(path, sizeof path, "%s/manifest.json", folder);
        ok = manifest && json_dump_file(manifest, path, JSON_INDENT(2)) == 0;
        if (!ok)
            cli_error("%s: cannot be written", path);
        json_decref(manifest);
    }
    prog_free(&p);
    return ok;
}

static int run(gen_options *o) {
    random_params *p = &o->recipe.random;
    p->length = (uint32_t)o->length;
    p->num_thread = (uint32_t)o->threads;
    p->warps = (uint32_t)o->warps;
    p->workgroups = (uint32_t)o->workgroups;
    p->max_vgprs = (uint32_t)o->vgprs;
    if (o->kinds)
        return print_kinds(p);
    if (o->weights) {
        json_t *all = load_json(o->weights);
        const bool ok = all && take_weights(all, p, o->weights);
        json_decref(all);
        if (!ok)
            return CLI_BAD_INPUT;
    }
    row_table *table = row_table_create(KARAT_V202);
    if (!table) {
        cli_error("not enough memory");
        return CLI_BAD_INPUT;
    }
    recipe *r = &o->recipe;
    bool ok = (!o->manifest || take_manifest(o->manifest, table, r)) && make_folder(o->out);
    if (strcmp(o->action, "directed") == 0) {
        r->directed = true;
        for (r->index = 0; ok && r->index < directed_num(table); r->index++)
            ok = write_vector(table, r, o->only, o->out);
    } else
        for (uint64_t i = 0; ok && i < o->count; i++, p->seed++)
            ok = write_vector(table, r, NULL, o->out);
    row_table_free(table);
    return ok ? CLI_OK : CLI_BAD_INPUT;
}

int cmd_gen(int argc, char **argv) {
    gen_options o = {.count = 1};
    random_defaults(&o.recipe.random);
    o.recipe.random.seed = 1;
    o.length = o.recipe.random.length;
    o.threads = o.recipe.random.num_thread;
    return cli_parse(&argp, argc, argv, &o) ? run(&o) : CLI_BAD_INPUT;
}
