#include "launch_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "whole.h"

enum { OPT_LAUNCH = 1024 };

static const struct argp_option options[] = {
#define OPTION(id, name, form, what, text) {name, OPT_LAUNCH + KARAT_LAUNCH_##id, form, 0, text, 3},
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

bool launch_dump_parse(const char *text, launch_dump *dump) {
    uint64_t arg;
    char digits[16];
    const size_t length = strcspn(text, ":");
    if (length < sizeof digits) {
        memcpy(digits, text, length);
        digits[length] = 0;
        dump->path = text[length] ? text + length + 1 : NULL;
        if (cli_number(digits, UINT32_MAX, &arg) && (!dump->path || *dump->path)) {
            dump->arg = (uint32_t)arg;
            return true;
        }
    }
    cli_error("--dump-arg: expected N or N:FILE, N the number of an argument from 0 on, found '%s'", text);
    return false;
}

bool launch_dump_check(const launch_dump *dump, const karat_launch_spec *launch) {
    if (dump->arg >= launch->num_args)
        cli_error("--dump-arg: expected one of the %" PRIu32 " arguments that --arg gives, found %" PRIu32,
                  launch->num_args, dump->arg);
    else if (launch->args[dump->arg].kind != KARAT_ARG_BUFFER &&
             launch->args[dump->arg].kind != KARAT_ARG_FILE)
        cli_error("--dump-arg: expected an argument that is a buffer or a file, found %" PRIu32
                  ", which is %s",
                  dump->arg, launch->args[dump->arg].kind == KARAT_ARG_LOCAL ? "local memory" : "a value");
    else
        return true;
    return false;
}

static void put_hex(const karat_arg *arg, const uint8_t *bytes) {
    for (uint32_t at = 0; at < arg->size; at += 16) {
        printf("0x%08" PRIx32 ":", arg->addr + at);
        for (uint32_t i = at; i < at + 16 && i < arg->size; i += 4) {
            uint32_t word = 0;
            const uint32_t left = arg->size - i < 4 ? arg->size - i : 4;
            for (uint32_t k = 0; k < left; k++)
                word |= (uint32_t)bytes[i + k] << 8 * k;
            printf(" %0*" PRIx32, (int)(2 * left), word);
        }
        putchar('\n');
    }
}

static bool put_file(const char *path, const uint8_t *bytes, size_t size) {
    karat_whole w;
    karat_diag diag;
    if (!karat_whole_begin(&w, path, &diag)) {
        cli_error("%s", diag.text);
        return false;
    }
    fwrite(bytes, 1, size, w.file);
    if (karat_whole_end(&w, &diag))
        return true;
    cli_error("%s", diag.text);
    return false;
}

bool launch_dump_write(const launch_dump *dump, const karat_launch_spec *launch, const karat_model *model) {
    const karat_arg *arg = &launch->args[dump->arg];
    uint8_t *bytes = malloc(arg->size);
    bool good = false;
    if (!bytes)
        cli_error("not enough memory");
    else if (karat_read(model, arg->addr, bytes, arg->size) != KARAT_OK)
        cli_error("--dump-arg: argument %" PRIu32 " at 0x%08" PRIx32 " was never placed", dump->arg,
                  arg->addr);
    else if (dump->path)
        good = put_file(dump->path, bytes, arg->size);
    else {
        put_hex(arg, bytes);
        good = true;
    }
    free(bytes);
    return good;
}
