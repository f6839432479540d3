/* Completion of the command in shells: a script (completion/) and, in place of its @TABLE@, what the command
 * knows of itself. */
#include "subcommands.h"

#include <ctype.h>
#include <string.h>

#include "embed.h"

typedef struct writer {
    FILE *out;
    const char *subcommand;
} writer;

/* The first words of a description, within quotes of a shell: what follows is in the help. */
static void put_summary(FILE *out, const char *text) {
    size_t length = 0;
    while (text[length] && !strchr(";(:", text[length]) && strncmp(text + length, ". ", 2) != 0)
        length++;
    while (length && strchr(". ", text[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++)
        fprintf(out, text[i] == '\'' ? "'\\''" : "%c", text[i]);
}

/* SUBCOMMAND:--NAME:LETTER:KIND:ARGUMENT:SUMMARY. KIND is "=" where it has an argument, "?" where that is
 * optional, else empty. */
static void put_option(const struct argp_option *option, void *context) {
    const writer *w = context;
    if (!option->name)
        return;
    const bool is_optional = option->flags & OPTION_ARG_OPTIONAL;
    fprintf(w->out, "\n%s:--%s:", w->subcommand, option->name);
    if (option->key < 128 && isalnum(option->key))
        fputc(option->key, w->out);
    fputs(!option->arg ? "::" : is_optional ? ":?:" : ":=:", w->out);
    for (const char *c = option->arg; c && *c; c++)
        fputc(strchr("[]:", *c) ? ' ' : *c, w->out);
    fputc(':', w->out);
    put_summary(w->out, option->doc);
}

/* SUBCOMMAND:WORD::::SUMMARY, of the words that the first argument may be: "report|merge FILE..." has two; or
 * the subcommands. */
static void put_words(const writer *w, const char *form) {
    if (strstr(form, "SUBCOMMAND"))
        for (const cli_subcommand *s = cli_subcommands; s->name; s++) {
            fprintf(w->out, "\n%s:%s::::", w->subcommand, s->name);
            put_summary(w->out, s->summary);
        }
    while (*form) {
        const size_t length = strspn(form, "abcdefghijklmnopqrstuvwxyz-");
        if (length > 1 && strchr("|\n ", form[length])) /* The terminating zero counts as well */
            fprintf(w->out, "\n%s:%.*s::::", w->subcommand, (int)length, form);
        form += form[length] == '|' ? length + 1 : strcspn(form, "\n");
        form += *form == '\n';
    }
}

void completion_put(FILE *out, const char *subcommand, const struct argp *argp) {
    writer w = {out, subcommand};
    cli_each_option(argp, put_option, &w);
    for (const struct argp_option *o = cli_builtin; o->name; o++)
        put_option(o, &w);
    put_words(&w, argp->args_doc ? argp->args_doc : "");
}

bool completion_print(FILE *out, const char *shell) {
    static const struct {
        const char *shell, *script;
    } scripts[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    static const char mark[] = "@TABLE@";
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(scripts[i].shell, shell) == 0) {
            const char *script = scripts[i].script, *at = strstr(script, mark);
            fwrite(script, 1, (size_t)(at - script), out);
            completion_put(out, "", &cli_argp);
            for (const cli_subcommand *s = cli_subcommands; s->name; s++)
                completion_put(out, s->name, s->argp);
            fputs(at + sizeof mark - 1, out);
            return true;
        }
    return false;
}
