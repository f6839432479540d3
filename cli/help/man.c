/* Manual pages, made of the same tables and texts as the help. */
#include "subcommands.h"

#include <ctype.h>
#include <string.h>

/* Text in a line of roff, up to length characters. */
static void put(FILE *out, const char *text, size_t length) {
    if (length && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '\\': fputs("\\e", out); break;
        case '-': fputs("\\-", out); break;
        default: fputc(text[i], out);
        }
}

static void put_text(FILE *out, const char *text) {
    put(out, text, strlen(text));
}

/* Lines of help: an indented one stands for itself. */
static void put_lines(FILE *out, const char *text, size_t length) {
    bool filled = true;
    for (const char *end = text + length; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const size_t line = (size_t)((newline ? newline : end) - text);
        const bool fill = !line || text[0] != ' ';
        if (fill != filled)
            fputs(fill ? ".fi\n" : ".nf\n", out);
        filled = fill;
        if (line)
            put(out, text, line);
        else
            fputs(".PP", out);
        fputc('\n', out);
        text += line + (newline != NULL);
    }
    if (!filled)
        fputs(".fi\n", out);
}

static void put_option(const struct argp_option *option, void *context) {
    FILE *out = context;
    if (!option->name) {
        fputs(".SS ", out);
        put_text(out, option->doc);
        fputc('\n', out);
        return;
    }
    const bool is_optional = option->flags & OPTION_ARG_OPTIONAL;
    fputs(".TP\n", out);
    if (option->key < 128 && isgraph(option->key))
        fprintf(out, "\\fB\\-%c\\fR, ", option->key);
    fputs("\\fB\\-\\-", out);
    put_text(out, option->name);
    fputs("\\fR", out);
    if (option->arg) {
        fputs(is_optional ? "[=\\fI" : "=\\fI", out);
        put_text(out, option->arg);
        fputs(is_optional ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    put_text(out, option->doc);
    fputc('\n', out);
}

/* One line for each form of the arguments. */
static void put_synopsis(FILE *out, const char *name, const char *forms) {
    do {
        const size_t length = strcspn(forms, "\n");
        fputs(".B ", out);
        put_text(out, name);
        fputs("\n[\\fIOPTION\\fR...] ", out);
        put(out, forms, length);
        fputs("\n", out);
        forms = forms[length] ? forms + length + 1 : NULL;
        if (forms)
            fputs(".br\n", out);
    } while (forms);
}

static void put_subcommands(FILE *out) {
    fputs(".SH SUBCOMMANDS\n", out);
    for (const cli_subcommand *s = cli_subcommands; s->name; s++) {
        fputs(".TP\n\\fBkarat\\-", out);
        put_text(out, s->name);
        fputs("\\fR(1)\n", out);
        put_text(out, s->summary);
        fputc('\n', out);
    }
}

void man_print(FILE *out, const cli_subcommand *subcommand) {
    const struct argp *argp = subcommand ? subcommand->argp : &cli_argp;
    const char *summary = subcommand ? subcommand->summary : "golden model of the Ventus RISC-V GPGPU";
    char page[64] = "karat", name[64] = "karat";
    if (subcommand) {
        snprintf(page, sizeof page, "karat-%s", subcommand->name);
        snprintf(name, sizeof name, "karat %s", subcommand->name);
    }
    fputs(".TH ", out);
    for (const char *letter = page; *letter; letter++)
        fputc(toupper((unsigned char)*letter), out);
    fprintf(out, " 1 \"\" \"karat %s\" \"Karat\"\n.SH NAME\n", karat_version());
    put_text(out, page);
    fputs(" \\- ", out);
    put_text(out, summary);
    fputs("\n.SH SYNOPSIS\n", out);
    put_synopsis(out, name, argp->args_doc ? argp->args_doc : "");
    fputs(".SH DESCRIPTION\n", out);
    const size_t before = strcspn(argp->doc, "\v");
    put_lines(out, argp->doc, before);
    if (argp->doc[before]) {
        fputs(".PP\n", out);
        put_lines(out, argp->doc + before + 1, strlen(argp->doc + before + 1));
    }
    if (!subcommand)
        put_subcommands(out);
    fputs(".SH OPTIONS\n", out);
    cli_each_option(argp, put_option, out);
    for (const struct argp_option *o = cli_builtin; o->name; o++)
        put_option(o, out);
    fputs(".SH SEE ALSO\n", out);
    fputs(subcommand ? "\\fBkarat\\fR(1)\n"
                     : "The guides in the folder docs of the sources, or of the package karat\\-doc.\n",
          out);
}
