/* Command karat launch: options and report; launch_write.c writes the files. */
#include "launch_argp.h"
#include "subcommands.h"

#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_THREADS = 512, OPT_PROFILE, OPT_JSON, OPT_INFO };

typedef struct launch_options {
    karat_launch_spec launch;
    uint64_t threads;
    bool has_profile;
    karat_profile profile;
    const char *file, *out;
    bool info;
} launch_options;

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "The .metadata file to write; its .data goes to the same folder", 1},
    {"threads", OPT_THREADS, "N", 0, "Threads of a warp: 1, 2, 4, 8, 16 or 32 (32)", 1},
    CLI_PROFILE_OPTION(OPT_PROFILE, "ISA profile that the .metadata names (the one that FILE names, or none)",
                       1),
    {"info", OPT_INFO, NULL, 0, "List the kernels of FILE with their needs, and write nothing", 1},
    RESULTS_OPTION(OPT_JSON, 1),
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    launch_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        cli_one_line(state);
        state->child_inputs[0] = &o->launch;
        return 0;
    case 'o': o->out = arg; return 0;
    case OPT_JSON: results_as_json(); return 0;
    case OPT_INFO: o->info = true; return 0;
    case OPT_THREADS: return cli_threads(arg, &o->threads);
    case OPT_PROFILE: o->has_profile = true; return cli_profile(arg, &o->profile);
    case ARGP_KEY_ARG:
        if (o->file)
            return cli_bad_option("expected one file, found '%s' too", arg);
        o->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->file)
            return cli_bad_option("expected a file to launch");
        if (o->info)
            return o->out || results_are_json()
                       ? cli_bad_option("--info: expected neither --output nor --json")
                       : 0;
        return o->out ? 0 : cli_bad_option("expected --output=FILE");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&launch_argp, 0, "Launch of an ELF file:", 3}, {0}};
const struct argp cmd_launch_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FILE",
    .doc =
        "Write the launch of an ELF file as .metadata and .data, for karat run, the harnesses, and other "
        "test benches (docs/run.md)."
        "\vWithout --kernel FILE itself describes its launch. Exit status: 0 written or listed, 2 bad input.",
    .children = children,
};

/* False: an error was reported. */
static bool begin_outputs(const launch_options *o, const char *data) {
    karat_outputs outputs = {0};
    karat_outputs_write(&outputs, o->out);
    karat_outputs_write(&outputs, data);
    karat_outputs_read_kernel(&outputs, o->file);
    for (uint32_t k = 0; k < o->launch.num_args; k++)
        karat_outputs_read(&outputs, o->launch.args[k].path);
    return cli_begin_outputs(&outputs);
}

/* Launches that a `.metadata` cannot express. */
static bool is_sayable(const karat_kernel *k, const char *file) {
    if (k->lds_base == 0x70000000 && k->num_buffers)
        return true;
    cli_error("%s: expected CSR_LDS 0x70000000, as every .metadata has it, found 0x%08" PRIx32, file,
              k->lds_base);
    return false;
}

/* The kernel names that profile, and no other one. */
static bool name_profile(karat_kernel *k, const launch_options *o) {
    const karat_kernel *const kernels[] = {k};
    karat_profile profile;
    karat_diag diag;
    if (!o->has_profile)
        return true;
    if (!karat_kernels_profile(kernels, 1, &o->profile, "--profile", &profile, &diag)) {
        cli_error("%s", diag.text);
        return false;
    }
    k->names_profile = true;
    k->profile = profile;
    return true;
}

static void print_arguments(const karat_launch_spec *spec) {
    for (uint32_t i = 0; i < spec->num_args; i++) {
        const karat_arg *arg = &spec->args[i];
        if (arg->kind != KARAT_ARG_WORD)
            printf("argument %" PRIu32 ": 0x%08" PRIx32 ", %" PRIu32 " bytes%s\n", i, arg->addr, arg->size,
                   arg->kind == KARAT_ARG_LOCAL ? " of local memory" : "");
    }
}

static bool put_json(const launch_options *o, const char *data) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < o->launch.num_args; i++) {
        const karat_arg *arg = &o->launch.args[i];
        if (arg->kind != KARAT_ARG_WORD)
            json_array_append_new(list, json_pack("{s:i, s:o, s:I, s:b}", "argument", (int)i, "address",
                                                  json_integer(arg->addr), "bytes", (json_int_t)arg->size,
                                                  "local", arg->kind == KARAT_ARG_LOCAL));
    }
    return results_put(json_pack("{s:o, s:o, s:o}", "metadata", results_name(o->out), "data",
                                 results_name(data), "buffers", list));
}

static void put_need(const char *name, uint64_t value) {
    if (value == KARAT_UNKNOWN)
        printf(" %s=unknown", name);
    else
        printf(" %s=%" PRIu64, name, value);
}

/* The kernels' needs, a line each. */
static int print_needs(const char *path) {
    karat_needs n;
    karat_diag diag;
    uint32_t num = 0;
    for (; karat_needs_read(path, num, &n, &diag); num++) {
        printf("%s:", n.kernel);
        put_need("vgprs", n.vgprs);
        put_need("sgprs", n.sgprs);
        put_need("lds", n.lds);
        put_need("pds", n.pds);
        put_need("lds-stack", n.lds_stack);
        put_need("pds-stack", n.pds_stack);
        printf(" (record of version %" PRIu32 ")\n", n.version);
    }
    if (!diag.text[0] && !num)
        snprintf(diag.text, sizeof diag.text,
                 "%.200s: expected a section .ventus.resource.KERNEL, found none", path);
    if (diag.text[0])
        cli_error("%s", diag.text);
    return diag.text[0] ? CLI_BAD_INPUT : CLI_OK;
}

static int launch(launch_options *o) {
    char *data = karat_data_name(o->out);
    karat_kernel *kernel = NULL;
    bool good = false;
    const size_t length = strlen(o->out), suffix = strlen(".metadata");
    if (!data)
        cli_error("not enough memory");
    else if (length <= suffix || strcmp(o->out + length - suffix, ".metadata") != 0)
        cli_error("--output: expected a name that ends in .metadata, found '%s'", o->out);
    else if (begin_outputs(o, data))
        kernel = launch_load(o->file, &o->launch, 1, o->threads);
    if (kernel && is_sayable(kernel, o->file) && name_profile(kernel, o))
        good = launch_write(kernel, o->launch.threads, o->out, data);
    if (good && results_are_json())
        good = put_json(o, data);
    else if (good)
        print_arguments(&o->launch);
    free(data);
    karat_kernel_free(kernel);
    return good ? CLI_OK : CLI_BAD_INPUT;
}

int cmd_launch(int argc, char **argv) {
    launch_options o = {0};
    int status = CLI_BAD_INPUT;
    if (cli_parse(&cmd_launch_argp, argc, argv, &o))
        status = o.info ? print_needs(o.file) : launch(&o);
    karat_launch_spec_free(&o.launch);
    return status;
}
