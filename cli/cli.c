#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *command = "karat";

void cli_set_name(const char *name) {
    command = name;
}

/* Names in it may hold anything; the message is one line. */
static void say(const char *format, va_list args) {
    char text[4096], quoted[4096];
    vsnprintf(text, sizeof text, format, args);
    karat_quote(text, quoted, sizeof quoted);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", command, quoted);
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

bool cli_parse(const struct argp *argp, int argc, char **argv, void *input) {
    error_t error = argp_parse(argp, argc, argv, 0, NULL, input);
    if (error == ENOMEM)
        cli_error("not enough memory");
    return error == 0; /* getopt or the parser has reported the error */
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

bool cli_word(const char *text, uint32_t *word) {
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    size_t length = strlen(text);
    if (!length || length > 8 || text[strspn(text, "0123456789abcdefABCDEF")])
        return false;
    *word = (uint32_t)strtoul(text, NULL, 16);
    return true;
}

bool cli_profile(const char *text, karat_profile *profile) {
    return karat_profile_find(text, strlen(text), profile);
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
    return good;
}
