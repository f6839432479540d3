#include "launch_argp.h"

#include <inttypes.h>

enum { OPT_LAUNCH = 1024 };

static const struct argp_option options[] = {
#define OPTION(id, name, plusarg, form, what, text) {name, OPT_LAUNCH + KARAT_LAUNCH_##id, form, 0, text, 3},
    KARAT_LAUNCH_OPTIONS(OPTION)
#undef OPTION
        {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    karat_launch_spec *spec = state->input;
    karat_diag diag;
    if (key == ARGP_KEY_END)
        return karat_launch_check(spec, &diag) ? 0 : cli_bad_option("--kernel: %s", diag.text);
    if (key < OPT_LAUNCH || key >= OPT_LAUNCH + KARAT_LAUNCH_NUM_OPTION)
        return ARGP_ERR_UNKNOWN;
    if (karat_launch_take(spec, (karat_launch_option)(key - OPT_LAUNCH), arg, &diag))
        return 0;
    return cli_bad_option("--%s: %s", options[key - OPT_LAUNCH].name, diag.text);
}

const struct argp launch_argp = {.options = options, .parser = parse};

karat_kernel *launch_load(const char *path, karat_launch_spec *launch, uint32_t num_files, uint64_t threads) {
    karat_diag diag;
    if (launch->given && num_files != 1) {
        cli_error("--kernel: expected one file to launch, found %" PRIu32
                  " (karat launch makes a file of each launch)",
                  num_files);
        return NULL;
    }
    launch->threads = threads ? (uint32_t)threads : KARAT_MAX_THREAD;
    karat_kernel *kernel = launch->given ? karat_kernel_load_launched(path, launch, &diag)
                                         : karat_kernel_load(path, NULL, &diag);
    if (!kernel)
        cli_error("%s", diag.text);
    else if (kernel->note)
        cli_error("note: %s", kernel->note);
    return kernel;
}

/* --- Buffers at the end --- */

bool launch_dump_parse(const char *text, karat_dump_arg *dump) {
    if (karat_dump_arg_parse(text, dump))
        return true;
    cli_error("--dump-arg: expected " KARAT_DUMP_ARG_EXPECTED ", found '%s'", text);
    return false;
}

bool launch_dump_check(const karat_dump_arg *dump, const karat_launch_spec *launch) {
    karat_diag diag;
    if (karat_dump_arg_check(dump, launch, &diag))
        return true;
    cli_error("--dump-arg: %s", diag.text);
    return false;
}

bool launch_dump_write(const karat_dump_arg *dump, const karat_launch_spec *launch, karat_dump_read read,
                       const void *context) {
    karat_diag diag;
    if (karat_dump_arg_write(dump, launch, read, context, &diag))
        return true;
    cli_error("--dump-arg: %s", diag.text);
    return false;
}
