/* Command karat disasm: words, a text file of words, a kernel's code, or the code of any ELF file. */
#include "subcommands.h"
#include "input.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "karat/image.h"

enum { OPT_PC = 256, OPT_PROFILE, OPT_JSON };

typedef struct disasm_options {
    bool has_profile;
    karat_profile profile;
    bool has_pc;
    uint32_t pc;
    char **words;
    int num_words;
    const char *file;
} disasm_options;

static const struct argp_option options[] = {
    {"pc", OPT_PC, "ADDR", 0, "Address of the first word (default: 0)", 0},
    CLI_PROFILE_OPTION(OPT_PROFILE, "ISA profile (the one that the file names, or the first)", 0),
    RESULTS_OPTION(OPT_JSON, 0),
    {0},
};

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
    case OPT_PROFILE: o->has_profile = true; return cli_profile(arg, &o->profile);
    case OPT_JSON: results_as_json(); return 0;
    case ARGP_KEY_ARGS:
        o->words = state->argv + state->next;
        o->num_words = state->argc - state->next;
        if (o->num_words == 1 && !cli_word(o->words[0], &word)) {
            o->file = o->words[0];
            return 0;
        }
        for (int i = 0; i < o->num_words; i++)
            if (!cli_word(o->words[i], &word))
                return cli_bad_option("expected words of up to 8 hex digits or one file, found '%s'",
                                      o->words[i]);
        return 0;
    case ARGP_KEY_NO_ARGS: return cli_bad_option("expected words or a file");
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_disasm_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "WORD...\nFILE\n-",
    .doc =
        "Disassemble words (hex) or the code in a file ('-': standard input; packed by gzip or zstd, too), a "
        "prefix and its instruction "
        "on one line.\v"
        "FILE is one of\n"
        "  an ELF32 file for RISC-V, linked or not: its executable sections, or executable segments where "
        "it has no such section\n"
        "  NAME.metadata: the code of the kernel, from NAME.data\n"
        "  NAME.data: the same, by the NAME.metadata in the same folder; with --pc, the words that it holds\n"
        "  any other: text, words in hex, as for $readmemh, too; '#' and '//' begin a comment, '/* */' is "
        "one; "
        "'ADDR:' before the words of a line sets where they are, '@ADDR' the same in words\n"
        "\n"
        "A word that is not an instruction is shown as .4byte. A place that a jump to the middle of a prefix "
        "and "
        "its instruction reaches is listed once more. In a relocatable object '# SYMBOL' names what the "
        "linker "
        "fills in; after a word that is not an instruction here, but is one elsewhere, it shows that "
        "instruction.\n"
        "An argument that reads as a word is one: write the name of such a file as './NAME'.",
};

/* --- Listing --- */

/* Bytes at an address; with an image, those of its part `code`, for labels. */
typedef struct listing {
    karat_profile profile;
    const uint8_t *data;
    uint32_t size, addr;
    const karat_image *image;
    uint32_t code, label; /* The next label to print */
    bool named;           /* The file names its profile: nothing else is meant by its words */
    json_t *lines;        /* Where they go; NULL: they are printed */
} listing;

/* Names come from the file. */
static void put_name(const char *name) {
    char text[64];
    char *quoted = karat_quote(name, text, sizeof text) < sizeof text ? text : karat_quoted(name);
    fputs(quoted ? quoted : text, stdout);
    if (quoted != text)
        free(quoted);
}

static uint32_t word_at(const listing *l, uint32_t at) {
    const uint8_t *p = l->data + at;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Print the labels up to addr. */
static void put_labels(listing *l, uint32_t addr) {
    const karat_image *image = l->image;
    while (image && l->label < image->num_labels && image->labels[l->label].code == l->code &&
           image->labels[l->label].addr <= addr) {
        const karat_label *label = &image->labels[l->label++];
        if (l->lines) {
            json_array_append_new(l->lines, json_pack("{s:o, s:o}", "address", json_integer(label->addr),
                                                      "label", results_name(label->name)));
            continue;
        }
        put_name(label->name);
        if (label->addr == addr)
            puts(":");
        else
            printf(": # 0x%08" PRIx32 "\n", label->addr);
    }
}

/* Whether a label is at exactly that address; earlier ones have been printed. */
static bool label_at(const listing *l, uint32_t addr) {
    const karat_image *image = l->image;
    return image && l->label < image->num_labels && image->labels[l->label].code == l->code &&
           image->labels[l->label].addr == addr;
}

/* The address that an instruction jumps to; false where it names none. */
static bool target_of(karat_profile profile, uint32_t pc, uint32_t word, uint32_t *target) {
    karat_insn insn;
    int number = karat_decode(profile, word, &insn);
    const karat_row *row = karat_row_info(number);
    for (unsigned i = 0; row && i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (strncmp(kind->name, "target", 6) != 0)
            continue;
        *target = pc + (uint32_t)insn.value[i];
        return true;
    }
    return false;
}

/* Symbols of the file that an instruction refers to. */
typedef struct meaning {
    const karat_fixup *fixup; /* The linker fills in its symbol; NULL: nothing to fill in */
    const karat_label *label; /* The last symbol up to the target of its jump; NULL: unknown */
    uint32_t target, offset;
} meaning;

static meaning mean(const listing *l, uint32_t pc, uint32_t word) {
    meaning m = {.fixup = l->image ? karat_image_fixup(l->image, l->code, pc) : NULL};
    if (l->image && !m.fixup && target_of(l->profile, pc, word, &m.target))
        m.label = karat_image_label(l->image, l->code, m.target, &m.offset);
    return m;
}

/* An instruction's notes on encodings that are others elsewhere, with the words that come before each in
 * text; at most three. */
typedef struct notes {
    unsigned num;
    const char *before[3];
    char text[3][CLI_KNOWN_SIZE];
} notes;

static void add_note(notes *n, bool there, const char *before) {
    n->before[n->num] = before;
    n->num += there;
}

static void make_notes(const listing *l, uint32_t prefix, uint32_t word, bool fixup, notes *n) {
    n->num = 0;
    if (!fixup && word)
        add_note(n, karat_elsewhere(l->profile, word, n->text[n->num], CLI_KNOWN_SIZE), "");
    if (!l->named) {
        add_note(n, karat_overlap(l->profile, prefix, n->text[n->num], CLI_KNOWN_SIZE), "prefix also ");
        add_note(n, karat_overlap(l->profile, word, n->text[n->num], CLI_KNOWN_SIZE), "also ");
    }
}

static json_t *insn_json(const listing *l, uint32_t pc, uint32_t prefix, uint32_t word) {
    char text[CLI_INSN_SIZE];
    const meaning m = mean(l, pc, word);
    notes n;
    karat_disassemble(l->profile, pc, prefix, word, text, sizeof text);
    make_notes(l, prefix, word, m.fixup, &n);
    json_t *o = json_pack("{s:o, s:o, s:s}", "address", json_integer(prefix ? pc - 4 : pc), "word",
                          json_integer(word), "text", text);
    if (prefix)
        json_object_set_new(o, "prefix", json_integer(prefix));
    if (m.label)
        json_object_set_new(o, "target",
                            json_pack("{s:o, s:o, s:I}", "address", json_integer(m.target), "symbol",
                                      results_name(m.label->name), "offset", (json_int_t)m.offset));
    if (m.fixup)
        json_object_set_new(o, "fixup",
                            json_pack("{s:o, s:I}", "symbol", results_name(m.fixup->symbol), "addend",
                                      (json_int_t)m.fixup->addend));
    for (unsigned i = 0; i < n.num; i++) {
        if (!i)
            json_object_set_new(o, "notes", json_array());
        json_array_append_new(json_object_get(o, "notes"), json_sprintf("%s%s", n.before[i], n.text[i]));
    }
    return o;
}

/* One instruction, with the name of its jump target, or of the symbol that the linker fills in. */
static void put_insn(const listing *l, uint32_t pc, uint32_t prefix, uint32_t word) {
    char insn[CLI_INSN_SIZE], address[16];
    const char *tail = cli_insn(l->profile, pc, prefix, word, insn);
    const meaning m = mean(l, pc, word);
    const karat_fixup *fixup = m.fixup;
    notes n;
    if (l->lines) {
        json_array_append_new(l->lines, insn_json(l, pc, prefix, word));
        return;
    }
    printf("0x%08" PRIx32 ": ", prefix ? pc - 4 : pc);
    if (m.label) {
        snprintf(address, sizeof address, "0x%08" PRIx32, m.target);
        char *at = strstr(insn, address);
        if (at) {
            at += strlen(address);
            printf("%.*s <", (int)(at - insn), insn);
            put_name(m.label->name);
            printf(m.offset ? "+0x%" PRIx32 ">" : ">", m.offset);
            tail = at;
        }
    }
    fputs(tail, stdout);
    make_notes(l, prefix, word, fixup, &n);
    for (unsigned i = 0; i < n.num; i++)
        printf("  # %s%s", n.before[i], n.text[i]);
    if (fixup) {
        fputs("  # ", stdout);
        put_name(fixup->symbol);
        if (fixup->addend)
            printf("%c0x%" PRIx32, fixup->addend < 0 ? '-' : '+',
                   fixup->addend < 0 ? 0 - (uint32_t)fixup->addend : (uint32_t)fixup->addend);
    }
    putchar('\n');
}

/* Bytes that are no whole, aligned word. */
static void put_bytes(listing *l, uint32_t at, uint32_t num) {
    put_labels(l, l->addr + at);
    if (l->lines) {
        json_t *bytes = json_array();
        for (uint32_t i = 0; i < num; i++)
            json_array_append_new(bytes, json_integer(l->data[at + i]));
        json_array_append_new(l->lines,
                              json_pack("{s:o, s:o}", "address", json_integer(l->addr + at), "bytes", bytes));
        return;
    }
    printf("0x%08" PRIx32 ": ", l->addr + at);
    for (uint32_t i = 0; i < num; i++)
        printf("%s0x%02x", i ? ", " : " .byte ", l->data[at + i]);
    putchar('\n');
}

static json_t *parts; /* The parts of the results */

/* The code of a section, a segment, a buffer, or words: its heading is printed by the caller, where it has
 * one. name: NULL where there is none. */
static void list(listing *l, const char *kind, const char *name) {
    if (results_are_json()) {
        parts = parts ? parts : json_array();
        l->lines = json_array();
        json_array_append_new(parts, json_pack("{s:s, s:o, s:o, s:I, s:s, s:o}", "kind", kind, "name",
                                               name ? results_name(name) : json_null(), "address",
                                               json_integer(l->addr), "bytes", (json_int_t)l->size, "profile",
                                               karat_profile_name(l->profile), "lines", l->lines));
    }
    uint32_t at = (4 - l->addr % 4) % 4; /* Instructions are aligned */
    if (at > l->size)
        at = l->size;
    if (at)
        put_bytes(l, 0, at);
    while (l->size - at >= 4) {
        uint32_t pc = l->addr + at, word = word_at(l, at);
        put_labels(l, pc);
        bool pair = karat_is_prefix(l->profile, word) && l->size - at >= 8 &&
                    !karat_is_prefix(l->profile, word_at(l, at + 4));
        if (pair)
            put_insn(l, pc + 4, word, word_at(l, at + 4));
        else
            put_insn(l, pc, 0, word);
        /* With a label between the two, a jump to it runs the instruction without the prefix. */
        at += pair && !label_at(l, pc + 4) ? 8 : 4;
    }
    if (at < l->size)
        put_bytes(l, at, l->size - at);
}

/* --- Files --- */

/* The profile of a listing: the file's, or that of the options. False: they differ. */
static bool take_profile(const disasm_options *o, const char *path, bool named, karat_profile profile,
                         karat_profile *of) {
    *of = o->has_profile ? o->profile : profile;
    if (!named || *of == profile)
        return true;
    cli_error("%s: its code is for profile %s of the ISA; --profile: %s", path, karat_profile_name(profile),
              karat_profile_name(*of));
    return false;
}

static int list_image(const disasm_options *o, const char *path, const uint8_t *bytes, size_t size) {
    karat_diag diag;
    karat_image *image = karat_image_read(path, bytes, size, &diag);
    if (!image) {
        cli_error("%s", diag.text);
        return CLI_BAD_INPUT;
    }
    if (image->compressed)
        results_note("# the file declares compressed instructions, which the ISA does not have");
    listing l = {.image = image, .named = image->names_profile};
    if (!take_profile(o, path, image->names_profile, image->profile, &l.profile)) {
        karat_image_free(image);
        return CLI_BAD_INPUT;
    }
    for (l.code = 0; l.code < image->num_codes; l.code++) {
        const karat_code *code = &image->codes[l.code];
        l.data = code->data;
        l.size = code->size;
        l.addr = code->addr;
        while (l.label < image->num_labels && image->labels[l.label].code < l.code)
            l.label++;
        if (!results_are_json()) {
            printf("%s%s", l.code ? "\n" : "", code->name ? "section " : "segment");
            if (code->name)
                put_name(code->name);
            printf(": 0x%08" PRIx32 ", %" PRIu32 " bytes\n", code->addr, code->size);
        }
        list(&l, code->name ? "section" : "segment", code->name);
    }
    karat_image_free(image);
    return CLI_OK;
}

static int list_kernel(const disasm_options *o, const char *path, const char *data_path) {
    karat_diag diag;
    karat_kernel *kernel = karat_kernel_load(path, data_path, &diag);
    if (!kernel) {
        cli_error("%s", diag.text);
        return CLI_BAD_INPUT;
    }
    const karat_buffer *b = kernel->buffers; /* The one with the code: the loader has made sure of it */
    while (kernel->start_addr < b->base || kernel->start_addr - b->base >= b->alloc_size)
        b++;
    listing l = {.data = b->data, .size = b->size, .addr = b->base, .named = kernel->names_profile};
    const bool good = take_profile(o, path, kernel->names_profile, kernel->profile, &l.profile);
    if (good) {
        if (!results_are_json())
            printf("buffer: 0x%08" PRIx32 ", %" PRIu32 " bytes\n", b->base, b->size);
        list(&l, "buffer", NULL);
    }
    karat_kernel_free(kernel);
    return good ? CLI_OK : CLI_BAD_INPUT;
}

static int list_text(const disasm_options *o, const char *path, const uint8_t *bytes, size_t size) {
    karat_diag diag;
    karat_image *image = karat_image_read_words(path, bytes, size, o->pc, &diag);
    if (!image) {
        cli_error("%s", diag.text);
        return CLI_BAD_INPUT;
    }
    for (uint32_t i = 0; i < image->num_codes; i++)
        list(&(listing){.profile = o->profile,
                        .data = image->codes[i].data,
                        .size = image->codes[i].size,
                        .addr = image->codes[i].addr},
             "words", NULL);
    karat_image_free(image);
    return CLI_OK;
}

/* Whether a file's name ends like that. */
static bool ends_with(const char *name, const char *suffix) {
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && strcmp(name + length - end, suffix) == 0;
}

#define DATA     ".data"
#define METADATA ".metadata"

/* A `.data` file has no addresses: they are in the `.metadata` file beside it. */
static int list_data(const disasm_options *o) {
    size_t stem = strlen(o->file) - strlen(DATA);
    char *path = cli_alloc(stem + sizeof METADATA);
    memcpy(path, o->file, stem);
    memcpy(path + stem, METADATA, sizeof METADATA);
    FILE *beside = fopen(path, "rb");
    int status = CLI_BAD_INPUT;
    if (beside) {
        fclose(beside);
        status = list_kernel(o, path, o->file);
    } else {
        cli_error(
            "%s: no %s in its folder defines which of its words are code, and where (--pc ADDR lists all its "
            "words)",
            o->file, path);
    }
    free(path);
    return status;
}

static int list_file(const disasm_options *o) {
    const char *path = input_name(o->file);
    size_t size;
    uint8_t *bytes = (uint8_t *)input_read(o->file, &size);
    if (!bytes)
        return CLI_BAD_INPUT;
    int status;
    bool is_elf = karat_is_elf(bytes, size), is_metadata = ends_with(path, METADATA);
    if (o->has_pc && (is_elf || is_metadata)) {
        cli_error("--pc: %s has addresses of its own", path);
        status = CLI_BAD_INPUT;
    } else if (is_elf) {
        status = list_image(o, path, bytes, size);
    } else if (is_metadata) {
        status = list_kernel(o, path, NULL);
    } else if (ends_with(path, DATA) && !o->has_pc) {
        status = list_data(o);
    } else {
        status = list_text(o, path, bytes, size);
    }
    free(bytes);
    return status;
}

static int list_words(const disasm_options *o) {
    uint8_t *bytes = cli_alloc((size_t)o->num_words * 4);
    for (int i = 0; i < o->num_words; i++) {
        uint32_t word = 0;
        cli_word(o->words[i], &word);
        for (int byte = 0; byte < 4; byte++)
            bytes[4 * i + byte] = (uint8_t)(word >> 8 * byte);
    }
    list(&(listing){.profile = o->profile, .data = bytes, .size = 4 * (uint32_t)o->num_words, .addr = o->pc},
         "words", NULL);
    free(bytes);
    return CLI_OK;
}

int cmd_disasm(int argc, char **argv) {
    disasm_options o = {0};
    if (!cli_parse(&cmd_disasm_argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    int status = o.file ? list_file(&o) : list_words(&o);
    if (results_are_json() && status == CLI_OK &&
        !results_put(json_pack("{s:o}", "parts", parts ? parts : json_array())))
        status = CLI_BAD_INPUT;
    return status;
}
