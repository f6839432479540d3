#include "subcommands.h"

#include <stdlib.h>
#include <string.h>

#include "karat_port.h"
#include "closest_name.h"

#define ROW(id, name, summary) {name, summary, cmd_##id, &cmd_##id##_argp},
const cli_subcommand cli_subcommands[] = {CLI_SUBCOMMANDS(ROW){0}};
#undef ROW

const cli_subcommand *cli_subcommand_find(const char *name) {
    karat_closest_name near = {.word = name, .length = strlen(name)};
    for (const cli_subcommand *s = cli_subcommands; s->name; s++) {
        if (strcmp(s->name, name) == 0)
            return s;
        karat_closest_offer(&near, s->name);
    }
    if (near.name)
        cli_error("unknown subcommand '%s': did you mean '%s'?", name, near.name);
    else
        cli_error("unknown subcommand '%s' (see 'karat --help')", name);
    return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    int *index = state->input;
    (void)arg;
    if (key == ARGP_KEY_INIT)
        cli_one_line(state);
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    *index = state->next - 1;
    state->next = state->argc; /* The rest is the subcommand's */
    return 0;
}

/* The list of subcommands, before the text that follows the options. */
static char *list_subcommands(int key, const char *text, void *input) {
    (void)input;
    char *all = NULL;
    size_t size;
    FILE *out = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&all, &size) : NULL;
    if (!out)
        return (char *)text;
    fputs("Subcommands:\n", out);
    for (const cli_subcommand *s = cli_subcommands; s->name; s++)
        fprintf(out, "  %-12s %s\n", s->name, s->summary);
    fprintf(out, "\n%s", text);
    fclose(out);
    return all; /* It is argp that frees it */
}

const struct argp cli_argp = {
    .parser = parse,
    .args_doc = "SUBCOMMAND [ARGUMENT...]",
    .doc = "Karat, a golden model for the Ventus RISC-V GPGPU.\v"
           "'karat help SUBCOMMAND' says more. Exit status: 0 as it should be, 1 mismatch, 2 bad input or "
           "usage, 3 hang, 4 program error, 5 incomplete.",
    .help_filter = list_subcommands,
};

void cli_print_version(FILE *out, struct argp_state *state) {
    (void)state;
    fprintf(out, "karat %s\ncommit %s\nAPI %u, profiles", karat_version(), cli_commit, karat_api_version());
    for (karat_profile p = 0; p < KARAT_NUM_PROFILE; p++)
        fprintf(out, " %s", karat_profile_name(p));
    fprintf(out, ", retire port %d\nlevels", KARAT_PORT_VERSION);
    const char *level = karat_level(NULL), *name;
    for (unsigned i = 0; (name = karat_level_name(i)); i++)
        fprintf(out, " %s", name);
    fprintf(out, ", in use %s\n", level ? level : "none: KARAT_LEVEL names none of these");
}
