/* Command karat isa: the instruction table. */
#include "isa.h"
#include "subcommands.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_JSON = 256, OPT_MARKDOWN, OPT_PROFILE, OPT_DECISIONS, OPT_ELSEWHERE };

typedef struct isa_options {
    enum { TEXT, JSON, MARKDOWN } format;
    bool decisions;
    unsigned profiles; /* List rows of any of these bits */
    char **names;      /* Names of instructions, or their words */
    int num_names;
    bool known;
} isa_options;

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "text (default), json or markdown", 0},
    {"json", OPT_JSON, NULL, 0, "The same as --format=json", 0},
    {"markdown", OPT_MARKDOWN, NULL, 0, "The same as --format=markdown", 0},
    CLI_PROFILE_OPTION(OPT_PROFILE, "only rows of that ISA profile", 0),
    {"decisions", OPT_DECISIONS, NULL, 0,
     "The decisions on questions that the ISA documents leave open, with the rows that each concerns", 0},
    {"elsewhere", OPT_ELSEWHERE, NULL, 0,
     "The encodings that are not instructions here, but known elsewhere: F, RV64, compressed code, newer "
     "Ventus "
     "code and the like",
     0},
    {0},
};

/* A word, and not the name of an instruction that reads as one (add). */
static bool is_word(const char *name, uint32_t *word) {
    return karat_find_row(name) == KARAT_NO_ROW && cli_word(name, word);
}

/* The row that a name or a word is of in those profiles, or KARAT_NO_ROW. */
static int row_of(const isa_options *o, const char *name) {
    uint32_t word;
    karat_insn insn;
    int row = karat_find_row(name);
    if (is_word(name, &word))
        for (unsigned p = 0; row == KARAT_NO_ROW && p < KARAT_NUM_PROFILE; p++)
            row = o->profiles >> p & 1 ? karat_decode(p, word, &insn) : KARAT_NO_ROW;
    return row;
}

static error_t unknown_name(const char *name) {
    const char *near = cli_near_instruction(name);
    if (near)
        return cli_bad_option("there is no instruction '%s': did you mean '%s'?", name, near);
    return cli_bad_option("'%s' is neither the name of an instruction nor a word of up to 8 hex digits",
                          name);
}

static error_t check_names(const isa_options *o) {
    uint32_t word;
    char names[ISA_NAMES];
    for (int i = 0; i < o->num_names; i++) {
        const int row = karat_find_row(o->names[i]);
        if (row == KARAT_NO_ROW && !cli_word(o->names[i], &word))
            return unknown_name(o->names[i]);
        if (row != KARAT_NO_ROW && !(karat_row_info(row)->profiles & o->profiles))
            return cli_bad_option("'%s' is in profile %s only", o->names[i],
                                  isa_profiles(karat_row_info(row), names));
        if (is_word(o->names[i], &word) && (o->format == MARKDOWN || o->decisions))
            return cli_bad_option("'%s': words go with text and JSON, without --decisions", o->names[i]);
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    static const char *const formats[] = {"text", "json", "markdown"};
    isa_options *o = state->input;
    karat_profile profile = KARAT_DEFAULT_PROFILE;
    error_t error;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case 'f':
        for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
            if (strcmp(arg, formats[i]) == 0) {
                o->format = i;
                return 0;
            }
        return cli_bad_option("--format: expected text, json or markdown, found '%s'", arg);
    case OPT_JSON: o->format = JSON; return 0;
    case OPT_MARKDOWN: o->format = MARKDOWN; return 0;
    case OPT_DECISIONS: o->decisions = true; return 0;
    case OPT_PROFILE:
        error = cli_profile(arg, &profile);
        o->profiles = 1u << profile;
        return error;
    case ARGP_KEY_ARGS:
        o->names = state->argv + state->next;
        o->num_names = state->argc - state->next;
        return 0;
    case OPT_ELSEWHERE: o->known = true; return 0;
    case ARGP_KEY_END:
        if (o->known && (o->num_names || o->decisions || o->format == MARKDOWN))
            return cli_bad_option("--elsewhere: as text or JSON, and all of it");
        if (check_names(o))
            return EINVAL;
        if (o->decisions && o->format == MARKDOWN)
            return cli_bad_option("--decisions: as text or JSON (the notes in Markdown have them, too)");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_isa_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[NAME|WORD...]",
    .doc = "List the rows of the instruction table, or print everything about the instructions named, or "
           "encoded by "
           "WORD (hex). For a word that is not "
           "an instruction, it prints where that word is one.\v"
           "Text is one line per instruction: name, match and mask, profiles, unit, compare policy, owed "
           "completions, operands, section; of named instructions it is all that is known, the decisions on "
           "the ISA documents among them. Markdown is a page of all of them.",
};

static const char *const span_names[] = {"own", "twice", "mask", "address", "two", "four", "eight"};
static const char *const span_texts[] = {"",
                                         "twice the width",
                                         "a mask",
                                         "a 64-bit address",
                                         "two registers",
                                         "four registers",
                                         "eight registers"};
static const char *const policy_names[] = {"exact", "ulp", "sum"};
static const char *const owes_names[] = {"x", "v", "simt", "mem", "csr", "barrier", "exit"};
static const char *const role_names[] = {"dest", "src1", "src2", "src3", "imm", "vm", "ignored"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *name_in(const char *const *names, size_t num, unsigned i) {
    return i < num ? names[i] : "unknown";
}

/* Names of the bits set, with a comma between them. */
static const char *bit_names(const char *const *names, size_t num, unsigned bits, char *text, size_t size) {
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < num; i++)
        if (bits >> i & 1 && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", names[i]);
    return text;
}

static const char *profile_bits(unsigned profiles, char text[ISA_NAMES]) {
#define NAME(with, id, name, features) name,
    static const char *const names[] = {KARAT_PROFILES(NAME, )};
    return bit_names(names, KARAT_NUM_PROFILE, profiles, text, ISA_NAMES);
}

const char *isa_profiles(const karat_row *row, char text[ISA_NAMES]) {
    return profile_bits(row->profiles, text);
}

const char *isa_left_out(const karat_row *row, char text[ISA_NAMES]) {
    return profile_bits(row->left_out, text);
}

const char *isa_widths(const karat_row *row, char text[ISA_NAMES]) {
    const bool by_sew = karat_row_follows_sew(row);
    const unsigned plain = by_sew ? row->widths & ~(1u << KARAT_W64) : row->widths;
    size_t n = 0;
    if (!plain)
        return strcpy(text, "-");
    for (unsigned w = KARAT_W8; w <= KARAT_W32; w++)
        if (plain >> w & 1) {
            const char *separator = !n ? "" : plain >> (w + 1) & 1 && w < KARAT_W32 ? ", " : " or ";
            n += (size_t)snprintf(text + n, ISA_NAMES - n, "%s%u", separator, 8u << w);
        }
    if (row->widths == 1u << KARAT_W64)
        n += (size_t)snprintf(text + n, ISA_NAMES - n, "64");
    n += (size_t)snprintf(text + n, ISA_NAMES - n, " bits%s", by_sew ? " by SEW" : "");
    if (n > 0 && row->widths >> KARAT_W64 & 1 && row->widths != 1u << KARAT_W64)
        snprintf(text + n, ISA_NAMES - n, ", 64 by pair");
    return text;
}

const char *isa_spans(const karat_row *row, char text[ISA_SPANS]) {
    size_t n = 0;
    text[0] = 0;
    for (unsigned i = 0; i < row->num_operands && n < ISA_SPANS; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (kind->is_reg && kind->span != KARAT_SPAN_OWN)
            n += (size_t)snprintf(text + n, ISA_SPANS - n, "%s%s %s", n ? ", " : "", kind->name,
                                  span_texts[kind->span]);
    }
    return text;
}

const char *isa_owes(const karat_row *row, char text[ISA_NAMES]) {
    bit_names(owes_names, COUNT(owes_names), row->owes, text, ISA_NAMES);
    return *text ? text : strcpy(text, "-");
}

const char *isa_unit(const karat_row *row) {
    return karat_unit_name(row->unit);
}

const char *isa_policy(const karat_row *row) {
    return name_in(policy_names, COUNT(policy_names), row->policy);
}

/* --- Encodings --- */

/* The operand of each bit of the word (-1: fixed), and the bit of its value: found by encoding one bit after
 * the other. */
static void find_bits(const karat_row *row, int8_t owner[32], uint8_t value_bit[32]) {
    int number = karat_find_row(row->name);
    memset(owner, -1, 32);
    memset(value_bit, 0, 32);
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        for (unsigned bit = 0; bit < kind->bits; bit++) {
            int32_t value[KARAT_MAX_OPERAND] = {0};
            uint32_t word;
            value[i] = bit + 1 == kind->bits && kind->is_signed ? -(INT32_C(1) << bit) : INT32_C(1) << bit;
            if (!karat_encode(number, value, &word))
                continue; /* Below the shift: not in the word */
            for (unsigned at = 0; at < 32; at++)
                if ((word ^ row->match) >> at & 1) {
                    owner[at] = (int8_t)i;
                    value_bit[at] = (uint8_t)bit;
                }
        }
    }
}

int isa_fields(const karat_row *row, isa_field fields[32]) {
    int8_t owner[32];
    uint8_t value_bit[32];
    int num = 0;
    find_bits(row, owner, value_bit);
    for (int high = 31, low; high >= 0; high = low - 1) {
        /* Fixed bits end where the fields of the base formats do. */
        for (low = high; low > 0 && owner[low - 1] == owner[high]; low--)
            if (owner[high] < 0 ? strchr("\x19\x14\x0f\x0c\x07", low) != NULL
                                : value_bit[low - 1] + 1 != value_bit[low])
                break;
        isa_field *f = &fields[num++];
        f->high = (uint8_t)high;
        f->low = (uint8_t)low;
        if (owner[high] < 0) {
            for (int bit = high; bit >= low; bit--)
                f->text[high - bit] = row->match >> bit & 1 ? '1' : '0';
            f->text[high - low + 1] = 0;
            continue;
        }
        const karat_operand_kind *kind = karat_operand_info(row->operands[owner[high]]);
        if (value_bit[high] + 1 == kind->bits && value_bit[low] == kind->shift)
            snprintf(f->text, sizeof f->text, "%s", kind->name);
        else if (high == low)
            snprintf(f->text, sizeof f->text, "%s[%u]", kind->name, value_bit[high]);
        else
            snprintf(f->text, sizeof f->text, "%s[%u:%u]", kind->name, value_bit[high], value_bit[low]);
    }
    return num;
}

/* --- Text --- */

static void print_row(const karat_row *row) {
    char profiles[ISA_NAMES], owes[ISA_NAMES], left_out[ISA_NAMES], operands[128] = "",
                                                                    out[ISA_NAMES + 16] = "";
    size_t n = 0;
    if (row->left_out)
        snprintf(out, sizeof out, row->illegal ? "(left out) " : "(left out in %s) ",
                 isa_left_out(row, left_out));
    for (unsigned i = 0; i < row->num_operands && n < sizeof operands; i++)
        n += (size_t)snprintf(operands + n, sizeof operands - n, "%s%s", i ? "," : "",
                              karat_operand_info(row->operands[i])->name);
    printf("%-16s %08" PRIx32 "/%08" PRIx32 " %-11s %-6s %-5s %-10s %-24s %s%s\n", row->mnemonic, row->match,
           row->mask, isa_profiles(row, profiles), isa_unit(row), isa_policy(row), isa_owes(row, owes),
           n ? operands : "-", out, row->section ? row->section : "");
}

/* One decision, or deviation, under its heading. */
static void print_concern(const karat_decision *d, const char **heading) {
    printf("  %-11s%-18s %s (%s)\n", *heading, d->id, d->text, d->page);
    *heading = "";
}

/* All about one row. */
static void print_card(int number) {
    const karat_row *row = karat_row_info(number);
    const karat_chapter *chapter = karat_chapter_info(karat_row_chapter(number));
    karat_row_text definition = karat_row_definition(number);
    char syntax[128], names[ISA_NAMES], spans[ISA_SPANS];
    isa_field fields[32];
    int num = isa_fields(row, fields);
    karat_row_syntax(number, syntax, sizeof syntax);
    printf("%s", syntax);
    if (row->left_out)
        printf(row->illegal ? "  (left out: an illegal instruction)"
                            : "  (left out in %s: an illegal instruction there)",
               isa_left_out(row, names));
    printf("\n  encoding   ");
    for (int i = 0; i < num; i++)
        printf("%s ", fields[i].text);
    printf(" %08" PRIx32 "/%08" PRIx32 "\n", row->match, row->mask);
    if (definition.text && !row->illegal)
        printf("  defined    %s (%s in golden/exec/%s)\n", definition.text, definition.semantic,
               definition.file);
    printf("  profiles   %s\n", isa_profiles(row, names));
    if (!row->illegal)
        printf("  owes       %s; unit %s, compared %s\n", isa_owes(row, names), isa_unit(row),
               isa_policy(row));
    if (!row->illegal && row->widths)
        printf("  widths     %s\n", isa_widths(row, names));
    if (!row->illegal && *isa_spans(row, spans))
        printf("  operands   %s\n", spans);
    printf("  section    %s%s%s\n", row->section, chapter ? ": " : "", chapter ? chapter->title : "");
    for (int deviation = 0; deviation < 2; deviation++) {
        const char *heading = deviation ? "deviations" : "decisions";
        for (int i = 0; i < karat_num_decisions(); i++)
            if (karat_decision_info(i)->is_deviation == deviation && karat_decision_concerns(i, number))
                print_concern(karat_decision_info(i), &heading);
    }
}

static const char *const reach_names[] = {"rows", "every", "machine", "later"};

static void print_decision(int i, const bool *wanted) {
    const karat_decision *d = karat_decision_info(i);
    printf("%s %s (docs/%s#%s)\n   ", d->is_deviation ? "deviation" : "decision ", d->id, d->page, d->id);
    printf(" %s\n   ", d->text);
    if (d->reach == KARAT_REACH_EVERY)
        printf(" concerns every instruction");
    else if (d->reach == KARAT_REACH_MACHINE)
        printf(" concerns launch, host or memory, no instruction");
    else if (d->reach == KARAT_REACH_LATER)
        printf(" concerns instructions that the table does not have yet");
    for (int row = 0; row < karat_num_rows() && d->reach == KARAT_REACH_ROWS; row++)
        if (wanted[row] && karat_decision_concerns(i, row))
            printf(" %s", karat_row_info(row)->mnemonic);
    putchar('\n');
}

/* --- JSON --- */

static json_t *bits_json(const char *const *names, size_t num, unsigned bits) {
    json_t *array = json_array();
    for (size_t i = 0; i < num; i++)
        if (bits >> i & 1)
            json_array_append_new(array, json_string(names[i]));
    return array;
}

static json_t *profiles_json(unsigned profiles) {
    json_t *array = json_array();
    for (unsigned p = 0; p < KARAT_NUM_PROFILE; p++)
        if (profiles >> p & 1)
            json_array_append_new(array, json_string(karat_profile_name(p)));
    return array;
}

static json_t *operand_json(const karat_operand_kind *kind) {
    json_t *o = json_pack("{s:s s:s s:i}", "name", kind->name, "role",
                          name_in(role_names, COUNT(role_names), kind->role), "bits", kind->bits);
    if (kind->is_reg) {
        json_object_set_new(o, "class", json_string(kind->cls == KARAT_CLASS_V ? "v" : "x"));
        json_object_set_new(o, "span", json_string(name_in(span_names, COUNT(span_names), kind->span)));
        if (kind->is_read)
            json_object_set_new(o, "read", json_true());
    } else if (kind->role == KARAT_ROLE_IMM) {
        json_object_set_new(o, "signed", json_boolean(kind->is_signed));
        json_object_set_new(o, "shift", json_integer(kind->shift));
        json_object_set_new(o, "extends", json_boolean(kind->extends));
    }
    return o;
}

static json_t *fields_json(const karat_row *row) {
    isa_field fields[32];
    int num = isa_fields(row, fields);
    json_t *array = json_array();
    for (int i = 0; i < num; i++)
        json_array_append_new(array, json_pack("{s:i s:i s:s}", "high", fields[i].high, "low", fields[i].low,
                                               "text", fields[i].text));
    return array;
}

/* The decisions or the deviations that concern a row. */
static json_t *concerns_json(int number, bool deviations) {
    json_t *array = json_array();
    for (int i = 0; i < karat_num_decisions(); i++)
        if (karat_decision_info(i)->is_deviation == deviations && karat_decision_concerns(i, number))
            json_array_append_new(array, json_string(karat_decision_info(i)->id));
    return array;
}

static json_t *row_json(int number) {
    const karat_row *row = karat_row_info(number);
    const karat_chapter *chapter = karat_chapter_info(karat_row_chapter(number));
    karat_row_text definition = karat_row_definition(number);
    char match[16], mask[16], syntax[128];
    snprintf(match, sizeof match, "0x%08" PRIx32, row->match);
    snprintf(mask, sizeof mask, "0x%08" PRIx32, row->mask);
    karat_row_syntax(number, syntax, sizeof syntax);
    json_t *operands = json_array(), *widths = json_array();
    for (unsigned w = KARAT_W8; w <= KARAT_W64; w++)
        if (row->widths >> w & 1)
            json_array_append_new(widths, json_integer(8 << w));
    for (unsigned i = 0; i < row->num_operands; i++)
        json_array_append_new(operands, operand_json(karat_operand_info(row->operands[i])));
    json_t *o = json_pack("{s:s s:s s:s s:s s:o s:s s:s s:o s:o s:b s:o s:o s:s?}", "name", row->name,
                          "mnemonic", row->mnemonic, "match", match, "mask", mask, "profiles",
                          profiles_json(row->profiles), "unit", isa_unit(row), "policy", isa_policy(row),
                          "owes", bits_json(owes_names, COUNT(owes_names), row->owes), "operands", operands,
                          "illegal", row->illegal, "left_out", profiles_json(row->left_out), "widths", widths,
                          "section", row->section);
    json_t *notes =
        json_pack("{s:s s:o s:s? s:s s:s? s:s? s:s? s:o s:o}", "syntax", syntax, "fields", fields_json(row),
                  "chapter", chapter ? chapter->id : NULL, "semantic", definition.semantic, "definition",
                  definition.text, "definition_kind", definition.kind, "file", definition.file, "decisions",
                  concerns_json(number, false), "deviations", concerns_json(number, true));
    json_object_update_missing(o, notes);
    json_decref(notes);
    return o;
}

static json_t *decision_json(int i, const bool *wanted) {
    const karat_decision *d = karat_decision_info(i);
    json_t *rows = json_array();
    for (int row = 0; row < karat_num_rows() && d->reach == KARAT_REACH_ROWS; row++)
        if (wanted[row] && karat_decision_concerns(i, row))
            json_array_append_new(rows, json_string(karat_row_info(row)->name));
    return json_pack("{s:s s:s s:s s:s s:b s:o}", "id", d->id, "page", d->page, "text", d->text, "reach",
                     name_in(reach_names, COUNT(reach_names), d->reach), "deviation", d->is_deviation, "rows",
                     rows);
}

static bool wants(const isa_options *o, const karat_row *row) {
    if (!(row->profiles & o->profiles))
        return false;
    for (int i = 0; i < o->num_names; i++)
        if (karat_row_info(row_of(o, o->names[i])) == row || strcmp(o->names[i], row->name) == 0 ||
            strcmp(o->names[i], row->mnemonic) == 0)
            return true;
    return o->num_names == 0;
}

/* Whether a decision is to be listed: it is, unless only rows are wanted that it does not concern. */
static bool wants_decision(int i, const bool *wanted, bool all) {
    for (int row = 0; row < karat_num_rows() && !all; row++)
        all = wanted[row] && karat_decision_concerns(i, row);
    return all;
}

static void json_words(const isa_options *o, json_t *array);

static bool print_json(const isa_options *o, const bool *wanted, bool all) {
    json_t *array = json_array();
    for (int i = 0; i < (o->decisions ? karat_num_decisions() : karat_num_rows()); i++)
        if (o->decisions && wants_decision(i, wanted, all))
            json_array_append_new(array, decision_json(i, wanted));
        else if (!o->decisions && wanted[i])
            json_array_append_new(array, row_json(i));
    json_words(o, array);
    bool good = json_dumpf(array, stdout, JSON_INDENT(2)) == 0;
    putchar('\n');
    json_decref(array);
    return good;
}

/* --- Words, and instructions elsewhere --- */

/* The meaning of each argument that is a word; for those that are no instruction this is everything. */
static void print_words(const isa_options *o) {
    for (int i = 0; i < o->num_names; i++) {
        uint32_t word;
        char text[CLI_KNOWN_SIZE], insn[CLI_INSN_SIZE];
        if (!is_word(o->names[i], &word))
            continue;
        for (unsigned p = 0; p < KARAT_NUM_PROFILE; p++)
            if (o->profiles >> p & 1) {
                const char *comment = karat_elsewhere(p, word, text, sizeof text) ? "  # "
                                      : karat_overlap(p, word, text, sizeof text) ? "  # also "
                                                                                  : "";
                karat_disassemble(p, 0, 0, word, insn, sizeof insn);
                printf("0x%08" PRIx32 " in %s: %s%s%s\n", word, karat_profile_name(p), insn, comment, text);
            }
    }
}

static void json_words(const isa_options *o, json_t *array) {
    for (int i = 0; i < o->num_names; i++) {
        uint32_t word;
        char text[CLI_KNOWN_SIZE], hex[16];
        if (!is_word(o->names[i], &word))
            continue;
        json_t *elsewhere = json_object(), *overlaps = json_object();
        for (unsigned p = 0; p < KARAT_NUM_PROFILE; p++) {
            if (!(o->profiles >> p & 1))
                continue;
            if (karat_elsewhere(p, word, text, sizeof text))
                json_object_set_new(elsewhere, karat_profile_name(p), json_string(text));
            if (karat_overlap(p, word, text, sizeof text))
                json_object_set_new(overlaps, karat_profile_name(p), json_string(text));
        }
        snprintf(hex, sizeof hex, "0x%08" PRIx32, word);
        json_array_append_new(
            array, json_pack("{s:s, s:o, s:o}", "word", hex, "elsewhere", elsewhere, "overlaps", overlaps));
    }
}

static bool list_known(const isa_options *o) {
    json_t *array = o->format == JSON ? json_array() : NULL;
    const karat_known *k;
    for (int i = 0; (k = karat_known_info(i)) != NULL; i++) {
        char profiles[ISA_NAMES], match[16], mask[16];
        if (!(k->profiles & o->profiles))
            continue;
        profile_bits(k->profiles, profiles);
        snprintf(match, sizeof match, "0x%08" PRIx32, k->match);
        snprintf(mask, sizeof mask, "0x%08" PRIx32, k->mask);
        if (!array)
            printf("%s/%s %-11s %s of %s\n", match + 2, mask + 2, profiles, k->name, k->of);
        else
            json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:b}", "name", k->name,
                                                   "of", k->of, "match", match, "mask", mask, "profiles",
                                                   profiles_json(k->profiles), "block", k->block, "overlaps",
                                                   k->overlaps));
    }
    const bool good = !array || json_dumpf(array, stdout, JSON_INDENT(2)) == 0;
    if (array)
        putchar('\n');
    json_decref(array);
    return good;
}

int cmd_isa(int argc, char **argv) {
    isa_options o = {.profiles = ~0u};
    if (!cli_parse(&cmd_isa_argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    if (o.known)
        return list_known(&o) ? CLI_OK : CLI_BAD_INPUT;
    bool *wanted = cli_alloc((size_t)karat_num_rows() * sizeof *wanted), all = true, good = true;
    for (int i = 0; i < karat_num_rows(); i++)
        all &= wanted[i] = wants(&o, karat_row_info(i));
    if (o.format == TEXT)
        print_words(&o);
    if (o.format == JSON)
        good = print_json(&o, wanted, all);
    else if (o.format == MARKDOWN)
        good = isa_markdown(wanted, all);
    else if (o.decisions)
        for (int i = 0; i < karat_num_decisions(); i++) {
            if (wants_decision(i, wanted, all))
                print_decision(i, wanted);
        }
    else
        for (int i = 0; i < karat_num_rows(); i++) {
            if (wanted[i] && o.num_names)
                print_card(i);
            else if (wanted[i])
                print_row(karat_row_info(i));
        }
    free(wanted);
    return good ? CLI_OK : CLI_BAD_INPUT;
}
