/* karat isa: the instruction table. */
#include "cli.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_JSON = 256, OPT_PROFILE };

typedef struct isa_options {
    bool json;
    unsigned profiles; /* bits: list rows of any of them */
    char **names;
    int num_names;
} isa_options;

static const struct argp_option options[] = {
    {"json", OPT_JSON, NULL, 0, "As JSON", 0},
    {"profile", OPT_PROFILE, "P", 0, "Only rows of that ISA profile: v2.02 or v2.03", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    isa_options *o = state->input;
    karat_profile profile;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case OPT_JSON: o->json = true; return 0;
    case OPT_PROFILE:
        if (!cli_profile(arg, &profile))
            return cli_bad_option("--profile: expected v2.02 or v2.03, found '%s'", arg);
        o->profiles = 1u << profile;
        return 0;
    case ARGP_KEY_ARGS:
        o->names = state->argv + state->next;
        o->num_names = state->argc - state->next;
        for (int i = 0; i < o->num_names; i++)
            if (karat_find_row(o->names[i]) == KARAT_NO_ROW)
                return cli_bad_option("no instruction is called '%s'", o->names[i]);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[NAME...]",
    .doc = "List the rows of the instruction table, or those of the named instructions.",
};

static const char *const profile_names[] = {"v2.02", "v2.03"};
static const char *const unit_names[] = {"alu",  "mul", "div",    "branch", "csr",  "mem",    "amo",   "fp",
                                         "fdiv", "sfu", "tensor", "simt",   "sync", "config", "prefix"};
static const char *const policy_names[] = {"exact", "ulp"};
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

static void print_row(const karat_row *row) {
    char profiles[32], owes[64], operands[128] = "";
    size_t n = 0;
    for (unsigned i = 0; i < row->num_operands && n < sizeof operands; i++)
        n += (size_t)snprintf(operands + n, sizeof operands - n, "%s%s", i ? "," : "",
                              karat_operand_info(row->operands[i])->name);
    bit_names(profile_names, COUNT(profile_names), row->profiles, profiles, sizeof profiles);
    bit_names(owes_names, COUNT(owes_names), row->owes, owes, sizeof owes);
    printf("%-16s %08" PRIx32 "/%08" PRIx32 " %-11s %-6s %-5s %-10s %-24s %s%s\n", row->mnemonic, row->match,
           row->mask, profiles, name_in(unit_names, COUNT(unit_names), row->unit),
           name_in(policy_names, COUNT(policy_names), row->policy), *owes ? owes : "-", n ? operands : "-",
           row->illegal ? "(left out) " : "", row->section ? row->section : "");
}

static json_t *bits_json(const char *const *names, size_t num, unsigned bits) {
    json_t *array = json_array();
    for (size_t i = 0; i < num; i++)
        if (bits >> i & 1)
            json_array_append_new(array, json_string(names[i]));
    return array;
}

static json_t *operand_json(const karat_operand_kind *kind) {
    json_t *o = json_pack("{s:s s:s s:i}", "name", kind->name, "role",
                          name_in(role_names, COUNT(role_names), kind->role), "bits", kind->bits);
    if (kind->is_reg)
        json_object_set_new(o, "class", json_string(kind->cls == KARAT_CLASS_V ? "v" : "x"));
    else if (kind->role == KARAT_ROLE_IMM) {
        json_object_set_new(o, "signed", json_boolean(kind->is_signed));
        json_object_set_new(o, "shift", json_integer(kind->shift));
    }
    return o;
}

static json_t *row_json(const karat_row *row) {
    char match[16], mask[16];
    snprintf(match, sizeof match, "0x%08" PRIx32, row->match);
    snprintf(mask, sizeof mask, "0x%08" PRIx32, row->mask);
    json_t *operands = json_array();
    for (unsigned i = 0; i < row->num_operands; i++)
        json_array_append_new(operands, operand_json(karat_operand_info(row->operands[i])));
    return json_pack("{s:s s:s s:s s:s s:o s:s s:s s:o s:o s:b s:s?}", "name", row->name, "mnemonic",
                     row->mnemonic, "match", match, "mask", mask, "profiles",
                     bits_json(profile_names, COUNT(profile_names), row->profiles), "unit",
                     name_in(unit_names, COUNT(unit_names), row->unit), "policy",
                     name_in(policy_names, COUNT(policy_names), row->policy), "owes",
                     bits_json(owes_names, COUNT(owes_names), row->owes), "operands", operands, "illegal",
                     row->illegal, "section", row->section);
}

static bool wanted(const isa_options *o, const karat_row *row) {
    if (!(row->profiles & o->profiles))
        return false;
    for (int i = 0; i < o->num_names; i++)
        if (strcmp(o->names[i], row->name) == 0 || strcmp(o->names[i], row->mnemonic) == 0)
            return true;
    return o->num_names == 0;
}

int cmd_isa(int argc, char **argv) {
    isa_options o = {.profiles = ~0u};
    if (!cli_parse(&argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    json_t *all = o.json ? json_array() : NULL;
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        if (!wanted(&o, row))
            continue;
        if (o.json)
            json_array_append_new(all, row_json(row));
        else
            print_row(row);
    }
    if (!o.json)
        return CLI_OK;
    bool good = json_dumpf(all, stdout, JSON_INDENT(2)) == 0;
    putchar('\n');
    json_decref(all);
    return good ? CLI_OK : CLI_BAD_INPUT;
}
