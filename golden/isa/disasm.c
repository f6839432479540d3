/* Disassembly: the table's operands in assembly order, in LLVM's spelling with numeric register names and no
 * aliases. */
#include "isa.h"

typedef struct text {
    char *at;
    size_t left;
} text;

static void put(text *t, const char *string) {
    for (; *string && t->left > 1; t->left--)
        *t->at++ = *string++;
    if (t->left)
        *t->at = 0;
}

/* A number in that base with at least so many digits: listings have millions of them, so without printf(). */
static void put_number(text *t, uint32_t value, unsigned base, unsigned digits) {
    char string[12], *at = string + sizeof string - 1;
    *at = 0;
    for (unsigned n = 0; n < digits || value; n++, value /= base)
        *--at = "0123456789abcdef"[value % base];
    put(t, at);
}

static void put_hex(text *t, uint32_t value, unsigned digits) {
    put(t, "0x");
    put_number(t, value, 16, digits);
}

static void put_decimal(text *t, int32_t value) {
    put(t, value < 0 ? "-" : "");
    put_number(t, value < 0 ? 0 - (uint32_t)value : (uint32_t)value, 10, 1);
}

#define NOT_NAMED(number, name, id)
#define NAMED(number, name, id)                                                                              \
    case number: return name;

const char *karat_csr_name(uint32_t csr) {
    switch (csr) {
#define CSR      NAMED
#define LANE_CSR NOT_NAMED
#include "csr.def"
#undef CSR
#undef LANE_CSR
    default: return NULL;
    }
}

const char *karat_lane_csr_name(uint32_t csr) {
    switch (csr) {
#define CSR      NOT_NAMED
#define LANE_CSR NAMED
#include "csr.def"
#undef CSR
#undef LANE_CSR
    default: return NULL;
    }
}

static void put_vtype(text *t, uint32_t vtype, unsigned bits) {
    static const char *const lmul[8] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
    unsigned sew = vtype >> 3 & 7;
    if (sew > 3 || !lmul[vtype & 7] || vtype >> 8) {
        put_number(t, vtype & ((1u << bits) - 1), 10, 1);
        return;
    }
    put(t, "e");
    put_number(t, 8u << sew, 10, 1);
    put(t, ", ");
    put(t, lmul[vtype & 7]);
    put(t, vtype >> 6 & 1 ? ", ta" : ", tu");
    put(t, vtype >> 7 & 1 ? ", ma" : ", mu");
}

static void put_rounding(text *t, uint32_t rm) {
    static const char *const names[8] = {"rne", "rtz", "rdn", "rup", "rmm", NULL, NULL, "dyn"};
    if (names[rm & 7])
        put(t, names[rm & 7]);
    else
        put_number(t, rm, 10, 1);
}

static void put_fence_set(text *t, uint32_t set) {
    if (!set)
        put(t, "0");
    for (int bit = 3; bit >= 0; bit--)
        if (set >> bit & 1)
            put(t, (const char[]){"wroi"[bit], 0});
}

/* The acquire and release bits of an AMO, a suffix of its mnemonic. */
static void put_order(text *t, const karat_insn *insn) {
    static const char *const suffix[4] = {"", ".rl", ".aq", ".aqrl"};
    const karat_row *row = &karat_rows[insn->row];
    for (unsigned i = 0; i < row->num_operands; i++)
        if (karat_operand_defs[row->operands[i]].syntax == KARAT_SYN_ORDER)
            put(t, suffix[insn->value[i] & 3]);
}

static void put_operand(text *t, const karat_operand_def *def, int32_t value, uint32_t pc, bool closes) {
    const char *name;
    switch (def->syntax) {
    case KARAT_SYN_REG:
        put(t, def->info.cls == KARAT_CLASS_V ? "v" : "x");
        put_decimal(t, value);
        break;
    case KARAT_SYN_FREG:
        put(t, "f");
        put_decimal(t, value);
        break;
    case KARAT_SYN_BASE:
        put(t, "(x");
        put_decimal(t, value);
        put(t, ")");
        break;
    case KARAT_SYN_OFFSET:
        put_decimal(t, value);
        put(t, "(");
        break;
    case KARAT_SYN_DEC: put_decimal(t, value); break;
    case KARAT_SYN_HEX: put_hex(t, (uint32_t)value, 1); break;
    case KARAT_SYN_ROUND: put_rounding(t, (uint32_t)value); break;
    case KARAT_SYN_TARGET: put_hex(t, pc + (uint32_t)value, 8); break;
    case KARAT_SYN_CSRNAME:
    case KARAT_SYN_LANECSR:
        name = karat_csr_name((uint32_t)value);
        if (!name && def->syntax == KARAT_SYN_LANECSR)
            name = karat_lane_csr_name((uint32_t)value);
        if (name)
            put(t, name);
        else
            put_hex(t, (uint32_t)value, 1);
        break;
    case KARAT_SYN_MASK: put(t, "v0.t"); break;
    case KARAT_SYN_CARRY: put(t, "v0"); break;
    case KARAT_SYN_VTYPE: put_vtype(t, (uint32_t)value, def->info.bits); break;
    case KARAT_SYN_FENCESET: put_fence_set(t, (uint32_t)value); break;
    default: break;
    }
    if (closes)
        put(t, ")");
}

static void put_insn(text *t, const karat_insn *insn, uint32_t pc) {
    const karat_row *row = &karat_rows[insn->row];
    put(t, row->mnemonic);
    put_order(t, insn);
    const char *separator = " ";
    bool closes = false;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_def *def = &karat_operand_defs[row->operands[i]];
        if (def->syntax == KARAT_SYN_HIDDEN || def->syntax == KARAT_SYN_ORDER ||
            (def->syntax == KARAT_SYN_MASK && insn->value[i]))
            continue;
        put(t, separator);
        put_operand(t, def, insn->value[i], pc, closes);
        closes = def->syntax == KARAT_SYN_OFFSET;
        separator = closes ? "" : ", ";
    }
}

/* The sources that abs or neg names: " abs(1,3)". */
static void put_sources(text *t, const char *name, unsigned sources) {
    const char *before = "(";
    if (!sources)
        return;
    put(t, " ");
    put(t, name);
    for (unsigned i = 0; i < 3; i++) {
        if (!(sources >> i & 1))
            continue;
        put(t, before);
        put_decimal(t, (int32_t)i + 1);
        before = ",";
    }
    put(t, ")");
}

/* The fields of a prefix that its instruction's operands do not show. */
static void put_prefix(text *t, karat_profile profile, uint32_t word, const karat_prefix *prefix) {
    karat_insn insn;
    put(t, "  {");
    put(t, karat_rows[karat_decode(profile, word, &insn)].mnemonic);
    put(t, prefix->pair ? " pair" : "");
    put_sources(t, "abs", prefix->abs);
    put_sources(t, "neg", prefix->neg);
    if (prefix->hint) {
        put(t, " hint(");
        put_decimal(t, prefix->hint);
        put(t, ")");
    }
}

int karat_disassemble(karat_profile profile, uint32_t pc, uint32_t prefix, uint32_t word, char *buffer,
                      size_t size) {
    size = buffer ? size : 0;
    text t = {buffer, size};
    karat_insn insn;
    if (size)
        buffer[0] = 0;
    if (karat_decode(profile, word, &insn) == KARAT_NO_ROW) {
        put(&t, ".4byte ");
        put_hex(&t, word, 8);
        return KARAT_NO_ROW;
    }
    if (prefix && karat_is_prefix(profile, prefix)) {
        karat_prefix ext = karat_prefix_of(prefix);
        int32_t apart;
        bool fits = karat_extend(&insn, &ext, &apart);
        put_insn(&t, &insn, pc);
        put_prefix(&t, profile, prefix, &ext);
        put(&t, fits ? "}" : ", does not fit}");
        return insn.row;
    }
    put_insn(&t, &insn, pc);
    return insn.row;
}
