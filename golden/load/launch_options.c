/* The options that describe a launch, for every command line that has them. */
#include "karat/launch.h"
#include "array.h"
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number up to the text's end, or to that character. */
static bool number(const char *text, char last, uint64_t max, uint32_t *value, const char **end) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *stop;
    errno = 0;
    const unsigned long long n = strtoull(text, &stop, 0);
    *value = (uint32_t)n;
    *end = stop;
    return !errno && n <= max && (*stop == 0 || *stop == last);
}

static bool whole(const char *text, uint64_t max, uint32_t *value) {
    const char *end;
    return number(text, 0, max, value, &end);
}

static bool take_shape(const char *text, uint32_t least, uint32_t size[3], uint32_t *dims) {
    uint32_t num = 0;
    size[0] = size[1] = size[2] = least;
    for (const char *end = text - 1; num < 3; num++) {
        if (!number(end + 1, ',', UINT32_MAX, &size[num], &end) || size[num] < least)
            return false;
        if (!*end) {
            *dims = num + 1;
            return true;
        }
    }
    return false;
}

static bool take_word(const char *text, uint32_t *word) {
    const bool negative = *text == '-';
    if (!whole(text + negative, negative ? UINT64_C(1) << 31 : UINT32_MAX, word))
        return false;
    if (negative)
        *word = 0u - *word;
    return true;
}

static bool take_float(const char *text, uint32_t *word) {
    char *end;
    const float value = strtof(text, &end);
    memcpy(word, &value, sizeof *word);
    return *text && end != text && !*end && !strchr(" \t\n\r\f\v", *text);
}

static bool take_argument(karat_launch_spec *spec, const char *text) {
    karat_arg arg = {.size = 4};
    if (strncmp(text, "buffer:", 7) == 0) {
        arg.kind = KARAT_ARG_BUFFER;
        if (!whole(text + 7, UINT32_MAX, &arg.size) || !arg.size)
            return false;
    } else if (strncmp(text, "local:", 6) == 0) {
        arg.kind = KARAT_ARG_LOCAL;
        if (!whole(text + 6, UINT32_MAX, &arg.size) || !arg.size)
            return false;
    } else if (strncmp(text, "file:", 5) == 0 && text[5]) {
        arg.kind = KARAT_ARG_FILE;
        arg.path = text + 5;
        arg.size = 0;
    } else {
        arg.kind = KARAT_ARG_WORD;
        if (!(strncmp(text, "u32:", 4) == 0 && take_word(text + 4, &arg.word)) &&
            !(strncmp(text, "f32:", 4) == 0 && take_float(text + 4, &arg.word)))
            return false;
    }
    if (!karat_grow(&spec->args, spec->num_args, sizeof *spec->args))
        return false;
    spec->args[spec->num_args++] = arg;
    return true;
}

static bool take_size(const char *text, uint32_t max, uint32_t *value, bool *has) {
    *has = true;
    return whole(text, max, value);
}

static bool take(karat_launch_spec *spec, karat_launch_option option, const char *value) {
    bool has = false;
    uint32_t dims;
    switch (option) {
    case KARAT_LAUNCH_KERNEL: spec->kernel = value; return *value;
    case KARAT_LAUNCH_GRID: return take_shape(value, 1, spec->grid, &spec->grid_dims);
    case KARAT_LAUNCH_WORKGROUP: return take_shape(value, 1, spec->local, &spec->local_dims);
    case KARAT_LAUNCH_ITEMS: return take_shape(value, 1, spec->items, &spec->items_dims);
    case KARAT_LAUNCH_OFFSET: return take_shape(value, 0, spec->offset, &dims);
    case KARAT_LAUNCH_SLOTS: return take_size(value, LOAD_MAX_SLOTS, &spec->slots, &has);
    case KARAT_LAUNCH_ARG: return take_argument(spec, value);
    case KARAT_LAUNCH_BASE:
        return take_size(value, UINT32_MAX, &spec->base, &spec->has_base) && spec->base % 4096 == 0;
    case KARAT_LAUNCH_LDS: return take_size(value, UINT32_MAX, &spec->lds, &spec->has_lds);
    case KARAT_LAUNCH_PDS: return take_size(value, UINT32_MAX, &spec->pds, &spec->has_pds);
    case KARAT_LAUNCH_SGPRS: return take_size(value, KARAT_NUM_X, &spec->sgprs, &spec->has_sgprs);
    case KARAT_LAUNCH_VGPRS: return take_size(value, KARAT_NUM_V, &spec->vgprs, &spec->has_vgprs);
    case KARAT_LAUNCH_PRINT: return take_size(value, UINT32_MAX, &spec->print, &has);
    default: return false;
    }
}

bool karat_launch_take(karat_launch_spec *spec, karat_launch_option option, const char *value,
                       karat_diag *diag) {
    static const char *const expected[KARAT_LAUNCH_NUM_OPTION] = {
#define EXPECTED(id, name, plusarg, form, what, text) [KARAT_LAUNCH_##id] = what,
        KARAT_LAUNCH_OPTIONS(EXPECTED)
#undef EXPECTED
    };
    spec->given = true;
    if (take(spec, option, value))
        return true;
    snprintf(diag->text, sizeof diag->text, "expected %s, found '%s'", expected[option], value);
    return false;
}

bool karat_launch_check(const karat_launch_spec *spec, karat_diag *diag) {
    if (!spec->given || spec->kernel)
        return true;
    snprintf(diag->text, sizeof diag->text,
             "expected the kernel's symbol too, as other options describe a launch");
    return false;
}

void karat_launch_spec_free(karat_launch_spec *spec) {
    free(spec->args);
    spec->args = NULL;
    spec->num_args = 0;
}
