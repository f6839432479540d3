/* Completion of the command in shells, made of the same tables as the help. */
#include "subcommands.h"

#include <ctype.h>
#include <string.h>

typedef struct writer {
    FILE *out;
    const char *subcommand;
    void (*option)(const struct writer *w, const struct argp_option *option);
} writer;

static void write_option(const struct argp_option *option, void *context) {
    const writer *w = context;
    if (option->name)
        w->option(w, option);
}

static void write_options(writer *w, const struct argp *argp) {
    cli_each_option(argp, write_option, w);
    for (const struct argp_option *o = cli_builtin; o->name; o++)
        w->option(w, o);
}

static bool has_letter(const struct argp_option *option) {
    return option->key < 128 && isalnum(option->key);
}

static bool takes_file(const struct argp_option *option) {
    return option->arg && (strstr(option->arg, "FILE") || strstr(option->arg, "FOLDER"));
}

/* The words that a subcommand's first argument may be, with a space after each: "report|merge FILE..." has two; or the subcommands. */
static void put_words(FILE *out, const struct argp *argp) {
    if (strstr(argp->args_doc, "SUBCOMMAND"))
        for (const cli_subcommand *s = cli_subcommands; s->name; s++)
            fprintf(out, "%s ", s->name);
    for (const char *form = argp->args_doc; *form;) {
        const size_t length = strspn(form, "abcdefghijklmnopqrstuvwxyz-");
        if (length > 1 && strchr("|\n ", form[length])) /* the terminating zero counts as well */
            fprintf(out, "%.*s ", (int)length, form);
        form += form[length] == '|' ? length + 1 : strcspn(form, "\n");
        form += *form == '\n';
    }
}

/* The first words of a description, within quotes of a shell: what follows is in the help. */
static void put_summary(FILE *out, const char *text, const char *escaped) {
    size_t length = 0;
    while (text[length] && !strchr(";(:", text[length]) && strncmp(text + length, ". ", 2) != 0)
        length++;
    if (length && text[length - 1] == '.')
        length--;
    while (length && text[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < length; i++) {
        if (strchr(escaped, text[i]))
            fputc('\\', out);
        if (text[i] == '\'')
            fputs("'\\''", out);
        else
            fputc(text[i], out);
    }
}

/* --- bash --- */

static void bash_option(const writer *w, const struct argp_option *option) {
    fprintf(w->out, "--%s%s ", option->name,
            option->arg && !(option->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
}

static void bash(FILE *out) {
    writer w = {.out = out, .option = bash_option};
    fputs("_karat() {\n"
          "  local cur=${COMP_WORDS[COMP_CWORD]} sub= options= words= i\n"
          "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "    case ${COMP_WORDS[i]} in -*) ;; *) sub=${COMP_WORDS[i]}; break ;; esac\n"
          "  done\n"
          "  case $sub in\n",
          out);
    for (const cli_subcommand *s = cli_subcommands; s->name; s++) {
        fprintf(out, "    %s) options='", s->name);
        write_options(&w, s->argp);
        fputs("' words='", out);
        put_words(out, s->argp);
        fputs("' ;;\n", out);
    }
    fputs("    '') options='", out);
    write_options(&w, &cli_argp);
    fputs("' words='", out);
    put_words(out, &cli_argp);
    fputs("' ;;\n"
          "  esac\n"
          "  [ \"$sub\" ] && [ $((COMP_CWORD - i)) -ne 1 ] && words=\n"
          "  case $cur in -*) words=$options ;; esac\n"
          "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "  case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
          "}\n"
          "complete -o bashdefault -o default -F _karat karat\n",
          out);
}

/* --- zsh --- */

static void zsh_option(const writer *w, const struct argp_option *option) {
    FILE *out = w->out;
    const bool is_optional = option->flags & OPTION_ARG_OPTIONAL;
    for (unsigned form = has_letter(option) ? 0 : 1; form < 2; form++) {
        if (form)
            fprintf(out, " \\\n        '--%s%s[", option->name, !option->arg ? "" : is_optional ? "=-" : "=");
        else
            fprintf(out, " \\\n        '-%c%s[", option->key, option->arg ? "+" : "");
        put_summary(out, option->doc, "[]\\");
        fputc(']', out);
        if (option->arg) {
            fputs(is_optional ? "::" : ":", out);
            for (const char *c = option->arg; *c; c++)
                fputc(strchr("[]:", *c) ? ' ' : *c, out);
            fputs(takes_file(option) ? ":_files" : ": ", out);
        }
        fputc('\'', out);
    }
}

static void zsh(FILE *out) {
    writer w = {.out = out, .option = zsh_option};
    fputs("#compdef karat\n"
          "_karat() {\n"
          "  local context state state_descr line\n"
          "  typeset -A opt_args\n"
          "  if (( CURRENT == 2 )); then\n"
          "    local -a subcommands=(\n",
          out);
    for (const cli_subcommand *s = cli_subcommands; s->name; s++) {
        fprintf(out, "      '%s:", s->name);
        put_summary(out, s->summary, "\\");
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _describe subcommand subcommands\n"
          "    _arguments",
          out);
    write_options(&w, &cli_argp);
    fputs("\n    return\n"
          "  fi\n"
          "  local sub=$words[2]\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $sub in\n",
          out);
    for (const cli_subcommand *s = cli_subcommands; s->name; s++) {
        fprintf(out, "    %s)\n      _arguments", s->name);
        write_options(&w, s->argp);
        fputs(" \\\n        '1: :{ local -a names=(", out);
        put_words(out, s->argp);
        fputs("); compadd -a names; _files }' '*: :_files' ;;\n", out);
    }
    fputs("  esac\n"
          "}\n"
          "if [ \"$funcstack[1]\" = _karat ]; then\n"
          "  _karat \"$@\"\n"
          "else\n"
          "  compdef _karat karat\n"
          "fi\n",
          out);
}

/* --- fish --- */

static void fish_option(const writer *w, const struct argp_option *option) {
    FILE *out = w->out;
    const bool is_optional = option->flags & OPTION_ARG_OPTIONAL;
    if (w->subcommand)
        fprintf(out, "complete -c karat -n '__fish_seen_subcommand_from %s' -l %s", w->subcommand,
                option->name);
    else
        fprintf(out, "complete -c karat -n __fish_use_subcommand -l %s", option->name);
    if (has_letter(option))
        fprintf(out, " -s %c", option->key);
    if (option->arg && !is_optional)
        fputs(takes_file(option) ? " -r -F" : " -x", out);
    fputs(" -d '", out);
    put_summary(out, option->doc, "\\");
    fputs("'\n", out);
}

static void fish(FILE *out) {
    writer w = {.out = out, .option = fish_option};
    for (const cli_subcommand *s = cli_subcommands; s->name; s++) {
        fprintf(out, "complete -c karat -n __fish_use_subcommand -f -a %s -d '", s->name);
        put_summary(out, s->summary, "\\");
        fputs("'\n", out);
    }
    write_options(&w, &cli_argp);
    for (const cli_subcommand *s = cli_subcommands; s->name; s++) {
        w.subcommand = s->name;
        write_options(&w, s->argp);
        fprintf(out, "complete -c karat -n '__fish_seen_subcommand_from %s' -a '", s->name);
        put_words(out, s->argp);
        fputs("'\n", out);
    }
}

bool completion_print(FILE *out, const char *shell) {
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(out);
            return true;
        }
    return false;
}
