#include "prefix_spec.h"

#include <string.h>

static compute computes(const karat_row *row) {
    const uint32_t funct3 = bits_of(row->match, 14, 12), funct6 = bits_of(row->match, 31, 26);
    const uint32_t unary = bits_of(row->match, 19, 15);
    if (row->illegal)
        return NOTHING;
    switch (row->match & 0x7f) {
    case 0x13: /* Integer, scalar */
    case 0x33:
    case 0x17:
    case 0x37:
    case 0x63:
    case 0x43: /* Floating point, scalar */
    case 0x47:
    case 0x4b:
    case 0x4f:
    case 0x53: return BY_PAIR;
    case 0x1b:
    case 0x3b: return ALWAYS_64;
    case 0x0b: return funct3 <= 1 ? BY_PAIR : funct6 == 2 || (funct6 == 3 && funct3 == 4) ? WORDS : NOTHING;
    case 0x5b: return funct3 == 2 || funct3 == 3 ? NOTHING : BY_PAIR;
    case 0x57: break;
    case 0x0a: /* Profile public: matrix products, special functions, shuffles, packed floats, conversions */
    case 0x2a:
    case 0x42:
    case 0x5a:
    case 0x7a: return WORDS;
    default: return NOTHING;
    }
    if (funct3 == 7) /* A vset* */
        return NOTHING;
    if (funct3 == 2 && funct6 >> 3 == 3) /* Mask logic */
        return WORDS;
    if ((funct3 == 2 || funct3 == 6) && funct6 >> 4 == 3)
        return WIDENING;
    if (funct3 == 1 && funct6 == 0x12 && unary >> 3) {
        /* Integers of 8 bits on the narrow side: vfwcvt.f.x(u).v and vfncvt.(rtz.)x(u).f.w. */
        const bool bytes = unary >> 1 == 5 || unary >> 1 == 8 || unary >> 1 == 11;
        return bytes ? WIDENING : WIDENING_FP;
    }
    return funct3 == 1 || funct3 == 5 ? BY_SEW_FP : BY_SEW;
}

/* The source in whose place an immediate stands, as a bit of ABS and NEG: those of I- and U-types, shifts and
 * VADD12 in the second's, the five bits at 19:15 in the first's. */
static unsigned source_of_immediate(const karat_operand_kind *kind) {
    if (strcmp(kind->name, "simm5") == 0 || strcmp(kind->name, "uimm5") == 0 ||
        strcmp(kind->name, "lane") == 0)
        return 1;
    return strcmp(kind->name, "imm12") == 0 || strcmp(kind->name, "uimm12") == 0 ||
                   strcmp(kind->name, "uimm20") == 0 || strcmp(kind->name, "shamt") == 0
               ? 2
               : 0;
}

/* Destination 0, sources 1 to 3; -1: no register. */
static int field_of(const karat_operand_kind *kind) {
    switch (kind->role) {
    case KARAT_ROLE_DEST: return 0;
    case KARAT_ROLE_SRC1: return 1;
    case KARAT_ROLE_SRC2: return 2;
    case KARAT_ROLE_SRC3: return 3;
    default: return -1;
    }
}

row_spec spec_of(const karat_row *row) {
    row_spec spec = {.computes = computes(row)};
    spec.accesses_memory = !row->illegal && (row->unit == KARAT_UNIT_MEM || row->unit == KARAT_UNIT_AMO);
    for (unsigned k = 0; k < row->num_operands; k++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[k]);
        const int field = field_of(kind);
        if (field >= 0)
            spec.has_field[field] = true;
        if (field > 0)
            spec.sources |= 1u << (field - 1);
        if (kind->is_read)
            spec.reads_vd = spec.has_field[3] = true;
        spec.sources |= kind->is_read ? 4 : source_of_immediate(kind);
        spec.has_imm5 |= kind->role == KARAT_ROLE_IMM && kind->extends;
    }
    if (spec.computes == NOTHING)
        spec.sources = 0;
    return spec;
}

karat_prefix fields_of(uint32_t word) {
    karat_prefix f = {.words = 1};
    const bool of_v202 = (word & 0xfefff) == 0x200b || (word & 0xfdfff) == 0x500b;
    const bool computing = (word & 0x1ff7) == 2, memory = (word & 0x7f87) == 6;
    if (!of_v202 && !computing && !memory)
        return f;
    f.has_imm = !memory && (computing ? word & 8 : (word & 0x3000) == 0x3000);
    f.xd = (uint8_t)bits_of(word, 22, 20);
    f.x1 = f.has_imm ? 0 : (uint8_t)bits_of(word, 25, 23);
    f.x2 = (uint8_t)(f.has_imm ? bits_of(word, 25, 23) : bits_of(word, 28, 26));
    f.x3 = f.has_imm ? 0 : (uint8_t)bits_of(word, 31, 29);
    f.imm = f.has_imm ? (uint8_t)bits_of(word, 31, 26) : 0;
    f.regpair = of_v202 && word & 0x4000;
    f.pair = !of_v202 && word & 0x80000;
    f.memory = memory;
    if (computing) {
        f.abs = (uint8_t)bits_of(word, 18, 16);
        f.neg = (uint8_t)bits_of(word, 15, 13);
    }
    if (memory) {
        f.hint = (uint8_t)bits_of(word, 18, 15);
        f.space = (uint8_t)bits_of(word, 6, 5);
        f.words = (uint8_t)(bits_of(word, 4, 3) + 1);
    }
    return f;
}

static bool is_void(const row_spec *spec, const karat_prefix *prefix) {
    return prefix->memory && !spec->accesses_memory;
}

bool spec_fits(const row_spec *spec, const karat_prefix *f) {
    if (is_void(spec, f))
        return true;
    /* Extensions of fields that the instruction does not have are 0. */
    if ((f->xd && !spec->has_field[0]) || (f->x1 && !spec->has_field[1]) || (f->x2 && !spec->has_field[2]) ||
        (f->x3 && !spec->has_field[3]) || (f->imm && !spec->has_imm5))
        return false;
    if (f->regpair && !spec->accesses_memory) /* Pairs of data, of what accesses memory */
        return false;
    const compute c = spec->computes;
    if (f->pair && !f->memory && (c == NOTHING || c == WORDS || c == WIDENING || c == WIDENING_FP))
        return false;
    return !((f->abs | f->neg) & ~spec->sources);
}

expected expect_behind(const row_spec *spec, const karat_row *row, karat_prefix f, const karat_insn *plain) {
    expected x = {.legal = spec_fits(spec, &f)};
    if (is_void(spec, &f))
        f = (karat_prefix){.words = 1};
    const uint32_t upper[4] = {f.xd, f.x1, f.x2, f.x3};
    bool reads[2][4] = {{false}}; /* By class and source; 0 is v0 */
    uint16_t number[2][4] = {{0}};
    for (unsigned k = 0; k < row->num_operands; k++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[k]);
        const int field = field_of(kind);
        int32_t value = plain->value[k];
        if (field >= 0)
            value += 32 * (int32_t)upper[field];
        if (field > 0) {
            reads[kind->cls][field] = true;
            number[kind->cls][field] = (uint16_t)value;
        }
        if (field == 0) {
            x.destination = (karat_source){.cls = kind->cls, .reg = (uint16_t)value};
            x.writes = true;
            /* The destination is also the third operand, whose own extension is ignored */
            if (kind->is_read) {
                x.apart = plain->value[k] + 32 * (int32_t)upper[3];
                reads[kind->cls][3] = true;
                number[kind->cls][3] = (uint16_t)value;
            }
        }
        if (kind->role == KARAT_ROLE_IMM && kind->extends && f.has_imm) {
            value = (int32_t)(32u * f.imm + (uint32_t)(plain->value[k] & 31));
            if (kind->is_signed && value >= 1024)
                value -= 2048;
        }
        if (kind->role == KARAT_ROLE_VM && !(kind->bits && plain->value[k]))
            reads[KARAT_CLASS_V][0] = true;
        x.value[k] = value;
    }
    for (unsigned cls = 0; cls < 2; cls++) /* Scalars first; v0 last */
        for (unsigned n = 0; n < 4; n++) {
            static const uint8_t order[] = {1, 2, 3, 0};
            if (reads[cls][order[n]])
                x.source[x.num_source++] = (karat_source){order[n], (uint8_t)cls, number[cls][order[n]]};
        }
    return x;
}

int expect_width(compute kind, bool pair, karat_width sew) {
    switch (kind) {
    case NOTHING:
    case WORDS: return pair ? -1 : KARAT_W32;
    case BY_PAIR: return pair ? KARAT_W64 : KARAT_W32;
    case ALWAYS_64: return KARAT_W64;
    case BY_SEW: return pair ? KARAT_W64 : (int)sew;
    case BY_SEW_FP: return pair ? KARAT_W64 : sew == KARAT_W8 ? -1 : (int)sew;
    case WIDENING: return pair ? -1 : (int)sew;
    default: return pair || sew == KARAT_W8 ? -1 : (int)sew;
    }
}
