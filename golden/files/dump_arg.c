#include "dump_arg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "staged_file.h"

bool karat_dump_arg_parse(const char *text, karat_dump_arg *dump) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    const unsigned long long arg = strtoull(text, &end, 10);
    dump->arg = (uint32_t)arg;
    dump->path = *end == ':' ? end + 1 : NULL;
    return !errno && arg <= UINT32_MAX && (dump->path ? *dump->path != 0 : *end == 0);
}

bool karat_dump_arg_check(const karat_dump_arg *dump, const karat_launch_spec *launch, karat_diag *diag) {
    if (dump->arg >= launch->num_args)
        snprintf(diag->text, sizeof diag->text,
                 "expected one of the %" PRIu32 " arguments of the launch, found %" PRIu32, launch->num_args,
                 dump->arg);
    else if (launch->args[dump->arg].kind != KARAT_ARG_BUFFER &&
             launch->args[dump->arg].kind != KARAT_ARG_FILE)
        snprintf(diag->text, sizeof diag->text,
                 "expected an argument that is a buffer or a file, found %" PRIu32 ", which is %s", dump->arg,
                 launch->args[dump->arg].kind == KARAT_ARG_LOCAL ? "local memory" : "a value");
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

static bool put_file(const char *path, const uint8_t *bytes, size_t size, karat_diag *diag) {
    karat_staged_file w;
    if (!karat_staged_begin(&w, path, diag))
        return false;
    fwrite(bytes, 1, size, w.file);
    return karat_staged_end(&w, diag);
}

bool karat_dump_arg_write(const karat_dump_arg *dump, const karat_launch_spec *launch, karat_dump_read read,
                          const void *context, karat_diag *diag) {
    const karat_arg *arg = &launch->args[dump->arg];
    uint8_t *bytes = malloc(arg->size);
    bool good = false;
    if (!bytes)
        snprintf(diag->text, sizeof diag->text, "not enough memory");
    else if (!read(context, arg->addr, bytes, arg->size))
        snprintf(diag->text, sizeof diag->text, "argument %" PRIu32 " at 0x%08" PRIx32 " was never placed",
                 dump->arg, arg->addr);
    else if (dump->path)
        good = put_file(dump->path, bytes, arg->size, diag);
    else {
        put_hex(arg, bytes);
        good = true;
    }
    free(bytes);
    return good;
}
