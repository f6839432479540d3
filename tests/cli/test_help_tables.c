/* Manual pages and completion of a subcommand whose parser says little of itself. */
#include "subcommands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct argp_option options[] = {
    {"depth", 'd', "N", 0, "How deep; 0: not at all", 0},
    {"log", 256, "FILE", OPTION_ARG_OPTIONAL, "Karat's log", 0},
    {0},
};

static void without_arguments(void **state) {
    (void)state;
    const struct argp argp = {.options = options, .doc = "Dive."};
    const cli_subcommand dive = {"dive", "look below", NULL, &argp};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    completion_put(out, dive.name, dive.argp);
    fputs("\n\n", out);
    man_print(out, &dive);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "\ndive:--depth:d:=:N:How deep\ndive:--log::?:FILE:Karat'\\''s log\n"));
    assert_non_null(
        strstr(text, ".SH SYNOPSIS\n.B karat dive\n[\\fIOPTION\\fR...] \n.SH DESCRIPTION\nDive.\n"));
    free(text);
}

/* "report|merge FILE..." has two words, and a placeholder is none. */
static void words_of_forms(void **state) {
    (void)state;
    const struct argp argp = {.args_doc = "report|merge FILE...\nlist\n-\nNAME", .doc = ""};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    completion_put(out, "dive", &argp);
    assert_int_equal(fclose(out), 0);
    const char *words = strstr(text, "\ndive:report");
    assert_non_null(words);
    assert_string_equal(words, "\ndive:report::::\ndive:merge::::\ndive:list::::");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_arguments), cmocka_unit_test(words_of_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
