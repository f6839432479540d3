/* karat disasm: words, or the code of a kernel. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_PC = 256, OPT_PROFILE };

typedef struct disasm_options {
    karat_profile profile;
    bool has_pc;
    uint32_t pc;
    char **words;
    int num_words;
    const char *file;
} disasm_options;

static const struct argp_option options[] = {
    {"pc", OPT_PC, "ADDR", 0, "Address of the first word (default: 0)", 0},
    {"profile", OPT_PROFILE, "P", 0, "ISA profile: v2.02 (default) or v2.03", 0},
    {0},
};

/* A word in hex, with or without 0x. */
static bool word_of(const char *text, uint32_t *word) {
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    size_t length = strlen(text);
    if (!length || length > 8 || text[strspn(text, "0123456789abcdefABCDEF")])
        return false;
    *word = (uint32_t)strtoul(text, NULL, 16);
    return true;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    disasm_options *o = state->input;
    uint64_t value;
    uint32_t word;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case OPT_PC:
        if (!cli_number(arg, UINT32_MAX, &value) || value % 4)
            return cli_bad_option("--pc: expected a 32-bit address, a multiple of 4, found '%s'", arg);
        o->has_pc = true;
        o->pc = (uint32_t)value;
        return 0;
    case OPT_PROFILE:
        if (!cli_profile(arg, &o->profile))
            return cli_bad_option("--profile: expected v2.02 or v2.03, found '%s'", arg);
        return 0;
    case ARGP_KEY_ARGS:
        o->words = state->argv + state->next;
        o->num_words = state->argc - state->next;
        if (o->num_words == 1 && !word_of(o->words[0], &word)) {
            o->file = o->words[0];
            if (o->has_pc)
                return cli_bad_option("--pc: a file says its own addresses");
            return 0;
        }
        for (int i = 0; i < o->num_words; i++)
            if (!word_of(o->words[i], &word))
                return cli_bad_option("expected words of up to 8 hex digits or one file, found '%s'",
                                      o->words[i]);
        return 0;
    case ARGP_KEY_NO_ARGS: return cli_bad_option("expected words or a file");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "WORD...\nFILE",
    .doc = "Disassemble words (hex), or the code of a kernel (.metadata or ELF), a prefix and its "
           "instruction on one "
           "line.\vAn argument that reads as a word is one: give a file of such a name as './NAME'.",
};

typedef struct code {
    const uint32_t *words;
    uint32_t num, pc;
    const karat_kernel *kernel; /* for symbols, or NULL */
} code;

static void list(const disasm_options *o, const code *c) {
    char insn[CLI_INSN_SIZE];
    for (uint32_t i = 0; i < c->num; i++) {
        uint32_t pc = c->pc + 4 * i, offset;
        const karat_symbol *symbol = c->kernel ? karat_kernel_symbol(c->kernel, pc, &offset) : NULL;
        if (symbol && !offset)
            printf("%s:\n", symbol->name);
        printf("0x%08" PRIx32 ": ", pc);
        bool pair = karat_is_prefix(o->profile, c->words[i]) && i + 1 < c->num &&
                    !karat_is_prefix(o->profile, c->words[i + 1]);
        if (pair)
            i++;
        puts(cli_insn(o->profile, c->pc + 4 * i, pair ? c->words[i - 1] : 0, c->words[i], insn));
    }
}

static int list_file(const disasm_options *o) {
    karat_diag diag;
    karat_kernel *kernel = karat_kernel_load(o->file, NULL, &diag);
    if (!kernel) {
        cli_error("%s", diag.text);
        return CLI_BAD_INPUT;
    }
    const karat_buffer *b = kernel->buffers; /* the one with the code: the loader has made sure of it */
    while (kernel->start_addr < b->base || kernel->start_addr - b->base >= b->alloc_size)
        b++;
    uint32_t skip = (4 - b->base % 4) % 4; /* instructions are aligned */
    uint32_t num = b->size > skip ? (b->size - skip) / 4 : 0;
    uint32_t *words = malloc(num * sizeof *words + 1);
    if (words) {
        for (uint32_t i = 0; i < num; i++) {
            const uint8_t *p = b->data + skip + 4 * i;
            words[i] = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        }
        list(o, &(code){words, num, b->base + skip, kernel});
    } else {
        cli_error("not enough memory");
    }
    int status = words ? CLI_OK : CLI_BAD_INPUT;
    free(words);
    karat_kernel_free(kernel);
    return status;
}

int cmd_disasm(int argc, char **argv) {
    disasm_options o = {0};
    if (!cli_parse(&argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    if (o.file)
        return list_file(&o);
    uint32_t *words = malloc((size_t)o.num_words * sizeof *words);
    if (!words) {
        cli_error("not enough memory");
        return CLI_BAD_INPUT;
    }
    for (int i = 0; i < o.num_words; i++)
        word_of(o.words[i], &words[i]);
    list(&o, &(code){words, (uint32_t)o.num_words, o.pc, NULL});
    free(words);
    return CLI_OK;
}
