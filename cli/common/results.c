#include "results.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "progress.h"

static bool as_json;
static json_t *notes;

void results_as_json(void) {
    as_json = true;
}

bool results_are_json(void) {
    return as_json;
}

json_t *results_name(const char *name) {
    char *quoted = karat_quoted(name);
    json_t *text = quoted ? json_string(quoted) : NULL;
    free(quoted);
    return text;
}

void results_note(const char *format, ...) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    va_list args;
    if (!out)
        return;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    const bool whole = !fclose(out);
    karat_progress_hide();
    if (whole && as_json) {
        if (!notes)
            notes = json_array();
        json_array_append_new(notes, results_name(text));
    } else if (whole) {
        puts(text);
    }
    free(text);
}

bool results_put(json_t *all) {
    if (all) {
        const char *error = cli_first_error();
        json_object_set_new(all, "error", error ? json_string(error) : json_null());
        json_object_set_new(all, "notes", notes ? notes : json_array());
    }
    notes = NULL;
    char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    json_decref(all);
    if (!text) {
        cli_error("not enough memory");
        return false;
    }
    puts(text);
    free(text);
    return cli_close_output(stdout, "standard output");
}
