#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "closest_name.h"
#include "progress.h"

static const char *command = "karat";
static char first_error[4096];

void cli_set_name(const char *name) {
    command = name;
}

/* Names in it may hold anything; the message is one line. */
static void say(const char *format, va_list args) {
    char text[4096], quoted[4096];
    vsnprintf(text, sizeof text, format, args);
    karat_quote(text, quoted, sizeof quoted);
    if (!*first_error)
        memcpy(first_error, quoted, sizeof first_error);
    karat_progress_hide();
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", command, quoted);
}

const char *cli_first_error(void) {
    return *first_error ? first_error : NULL;
}

void cli_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

error_t cli_bad_option(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    return EINVAL;
}

void cli_one_line(struct argp_state *state) {
    state->err_stream = NULL;
}

/* --- Options --- */

const struct argp_option cli_builtin[] = {{"help", '?', NULL, 0, "Give this help list", 0},
                                          {"usage", 1, NULL, 0, "Give a short usage message", 0},
                                          {"version", 'V', NULL, 0, "Print program version", 0},
                                          {0}};

void cli_each_option(const struct argp *argp, void (*each)(const struct argp_option *option, void *context),
                     void *context) {
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
        each(o, context);
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        if (c->header) {
            const struct argp_option header = {.doc = c->header};
            each(&header, context);
        }
        cli_each_option(c->argp, each, context);
    }
}

typedef struct search {
    karat_closest_name near; /* The word is a long option without its dashes and value */
    int key;                 /* A short option; 0: there is a word */
    const struct argp_option *found;
} search;

static void try_option(const struct argp_option *option, void *context) {
    search *s = context;
    if (!option->name)
        return;
    if (s->key) {
        if (option->key == s->key)
            s->found = option;
        return;
    }
    karat_closest_offer(&s->near, option->name);
    /* Abbreviations are allowed; getopt reports those that are not unique. */
    if (strncmp(option->name, s->near.word, s->near.length) == 0 &&
        (!s->found || strlen(option->name) == s->near.length))
        s->found = option;
}

static void search_option(const struct argp *argp, search *s) {
    cli_each_option(argp, try_option, s);
    for (const struct argp_option *o = cli_builtin; o->name; o++)
        try_option(o, s);
}

static bool wants_value(const struct argp_option *option) {
    return option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* Whether the argument after these short options is the last one's value. */
static bool short_wants_next(const struct argp *argp, const char *letters) {
    for (; *letters; letters++) {
        search s = {.key = *letters};
        search_option(argp, &s);
        if (s.found && s.found->arg)
            return !letters[1] && wants_value(s.found);
    }
    return false;
}

/* False: a long option that there is not, which is reported with the nearest one. getopt reports all other
 * errors. */
static bool know_options(const struct argp *argp, int argc, char **argv, bool first) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *arg = argv[i];
        if (arg[0] != '-' || !arg[1]) {
            if (first)
                break;
            continue;
        }
        if (arg[1] != '-') {
            i += short_wants_next(argp, arg + 1);
            continue;
        }
        search s = {.near = {.word = arg + 2, .length = strcspn(arg + 2, "=")}};
        search_option(argp, &s);
        if (!s.found && s.near.name)
            cli_error("unrecognized option '%.*s': did you mean '--%s'?", (int)s.near.length + 2, arg,
                      s.near.name);
        else if (!s.found)
            cli_error("unrecognized option '%.*s' (see '%s --help')", (int)s.near.length + 2, arg, command);
        if (!s.found)
            return false;
        i += wants_value(s.found) && !arg[2 + s.near.length];
    }
    return true;
}

static bool parse_options(const struct argp *argp, int argc, char **argv, bool first, void *input) {
    if (!know_options(argp, argc, argv, first))
        return false;
    error_t error = argp_parse(argp, argc, argv, first ? ARGP_IN_ORDER : 0, NULL, input);
    if (error == ENOMEM)
        cli_error("not enough memory");
    return error == 0; /* The parser, or getopt, has reported the error */
}

bool cli_parse(const struct argp *argp, int argc, char **argv, void *input) {
    return parse_options(argp, argc, argv, false, input);
}

bool cli_parse_first(const struct argp *argp, int argc, char **argv, void *input) {
    return parse_options(argp, argc, argv, true, input);
}

void *cli_alloc(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (memory)
        return memory;
    cli_error("not enough memory");
    exit(CLI_BAD_INPUT);
}

bool cli_number(const char *text, uint64_t max, uint64_t *value) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
        return false;
    errno = 0;
    *value = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0 && *value <= max;
}

error_t cli_threads(const char *arg, uint64_t *threads) {
    return cli_number(arg, KARAT_MAX_THREAD, threads) && *threads && !(*threads & (*threads - 1))
               ? 0
               : cli_bad_option("--threads: expected 1, 2, 4, 8, 16 or 32, found '%s'", arg);
}

bool cli_word(const char *text, uint32_t *word) {
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    size_t length = strlen(text);
    if (!length || length > 8 || text[strspn(text, "0123456789abcdefABCDEF")])
        return false;
    *word = (uint32_t)strtoul(text, NULL, 16);
    return true;
}

error_t cli_profile(const char *text, karat_profile *profile) {
    return karat_profile_find(text, strlen(text), profile)
               ? 0
               : cli_bad_option("--profile: expected %s, found '%s'", karat_profile_names(), text);
}

error_t cli_one_trace(int key, const char *arg, const char **file) {
    if (key == ARGP_KEY_END)
        return *file ? 0 : cli_bad_option("expected a trace file");
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (*file)
        return cli_bad_option("%s: one trace at a time", arg);
    *file = arg;
    return 0;
}

const char *cli_near_instruction(const char *name) {
    karat_closest_name near = {.word = name, .length = strlen(name)};
    for (int row = 0; row < karat_num_rows(); row++)
        karat_closest_offer(&near, karat_row_info(row)->mnemonic);
    return near.name;
}

const char *cli_place(const karat_kernel *kernel, uint32_t pc, char text[CLI_PLACE_SIZE]) {
    uint32_t offset = 0;
    const karat_symbol *symbol = karat_kernel_symbol(kernel, pc, &offset);
    if (!symbol)
        snprintf(text, CLI_PLACE_SIZE, "0x%08x", (unsigned)pc);
    else if (offset)
        snprintf(text, CLI_PLACE_SIZE, "0x%08x <%.200s+0x%x>", (unsigned)pc, symbol->name, (unsigned)offset);
    else
        snprintf(text, CLI_PLACE_SIZE, "0x%08x <%.200s>", (unsigned)pc, symbol->name);
    return text;
}

bool cli_find_place(const karat_kernel *k, const char *text, uint32_t *first, uint32_t *last) {
    uint64_t addr;
    if (cli_number(text, UINT32_MAX, &addr)) {
        *first = *last = (uint32_t)addr;
        return true;
    }
    for (uint32_t i = 0; i < k->num_symbols; i++) {
        if (strcmp(k->symbols[i].name, text) != 0)
            continue;
        *first = k->symbols[i].addr;
        *last = *first + k->symbols[i].size - 1;
        if (k->symbols[i].size)
            return true;
        *last = UINT32_MAX; /* A label: up to the next one */
        for (uint32_t n = k->num_symbols; n-- > 0 && k->symbols[n].addr > *first;)
            *last = k->symbols[n].addr - 1;
        return true;
    }
    return false;
}

const char *cli_insn(karat_profile profile, uint32_t pc, uint32_t prefix, uint32_t word,
                     char text[CLI_INSN_SIZE]) {
    int n = prefix ? snprintf(text, CLI_INSN_SIZE, "%08x %08x  ", (unsigned)prefix, (unsigned)word)
                   : snprintf(text, CLI_INSN_SIZE, "%08x  ", (unsigned)word);
    karat_disassemble(profile, pc, prefix, word, text + n, CLI_INSN_SIZE - (size_t)n);
    return text;
}

const char *cli_status_name(karat_status status) {
    switch (status) {
    case KARAT_OK: return "ok";
    case KARAT_WAITING: return "the warp waits";
    case KARAT_HELD: return "the step is held";
    case KARAT_ENDED: return "the warp has ended";
    case KARAT_PROGRAM_ERROR: return "program error";
    case KARAT_BAD_ARGUMENT: return "outside what can be mapped or made";
    case KARAT_NO_MEMORY: return "not enough memory";
    case KARAT_NOT_MAPPED: return "not mapped";
    case KARAT_BAD_SNAPSHOT: return "not a sound snapshot";
    case KARAT_NO_LEVEL: return "KARAT_LEVEL names no level of this machine (see 'karat --version')";
    }
    return "unknown status";
}

bool cli_begin_outputs(karat_outputs *outputs) {
    karat_diag diag;
    const bool good = karat_outputs_begin(outputs, &diag);
    if (!good)
        cli_error("%s", diag.text);
    return good;
}

bool cli_close_output(FILE *stream, const char *path) {
    bool good = !ferror(stream);
    errno = 0;
    if (stream == stdout ? fflush(stream) : fclose(stream))
        good = false;
    if (!good)
        cli_error("%s: cannot be written%s%s", path, errno ? ": " : "", errno ? strerror(errno) : "");
    if (stream == stdout)
        clearerr(stdout); /* The error was reported */
    return good;
}
