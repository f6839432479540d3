#include "shape.h"

#include <string.h>

enum {
    OP_LOAD = 0x03,
    OP_VLOAD = 0x07,
    OP_CUSTOM = 0x0b,
    OP_IMM = 0x13,
    OP_AUIPC = 0x17,
    OP_IMM_32 = 0x1b,
    OP_STORE = 0x23,
    OP_VSTORE = 0x27,
    OP_V12D = 0x2b,
    OP_AMO = 0x2f,
    OP_REG = 0x33,
    OP_LUI = 0x37,
    OP_REG_32 = 0x3b,
    OP_FP = 0x53,
    OP_V = 0x57,
    OP_VBRANCH = 0x5b,
    OP_BRANCH = 0x63,
    OP_V12 = 0x7b
};

typedef enum compute {
    COMPUTES_NOT, /* accesses, jumps, CSRs, synchronisation */
    COMPUTES,     /* on 32 bits, or 64 by pair */
    ON_WORDS,     /* on 32 bits: mask logic, VFEXP, VFTTA */
    ON_PAIRS,     /* on 64 bits: the word rows of RV64I */
    WIDENS,       /* two widths, the destination has the larger one */
    NARROWS       /* two widths, source 2 has the larger one */
} compute;

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

static compute compute_of(const karat_row *row) {
    const char *name = row->mnemonic;
    const uint32_t opcode = row->match & 0x7f, funct3 = row->match >> 12 & 7;
    switch (opcode) {
    case OP_IMM:
    case OP_AUIPC:
    case OP_REG:
    case OP_LUI:
    case OP_FP:
    case OP_BRANCH:
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f: return COMPUTES;
    case OP_IMM_32:
    case OP_REG_32: return ON_PAIRS;
    case OP_VBRANCH: return funct3 == 2 || funct3 == 3 ? COMPUTES_NOT : COMPUTES;
    case OP_CUSTOM:
        if (row->unit == KARAT_UNIT_SFU || row->unit == KARAT_UNIT_TENSOR)
            return ON_WORDS;
        return funct3 < 2 ? COMPUTES : COMPUTES_NOT;
    case OP_V: break;
    default: return COMPUTES_NOT;
    }
    if (funct3 == 7)
        return COMPUTES_NOT; /* vset* */
    if (starts(name, "vw") || starts(name, "vfw"))
        return WIDENS;
    if (starts(name, "vfncvt"))
        return NARROWS;
    return strstr(name, ".mm") ? ON_WORDS : COMPUTES;
}

/* Compares, and carries out of vmadc and vmsbc. */
static bool makes_mask(const karat_row *row) {
    return (row->match & 0x7f) == OP_V && !strstr(row->mnemonic, ".mm") &&
           (starts(row->mnemonic, "vms") || starts(row->mnemonic, "vmf") || starts(row->mnemonic, "vmadc"));
}

static bool computes_float(const karat_row *row) {
    const uint32_t opcode = row->match & 0x7f, funct3 = row->match >> 12 & 7;
    return opcode == OP_V && (funct3 == 1 || funct3 == 5);
}

/* Whether the result is a floating-point number. */
static bool makes_float(const karat_row *row) {
    const char *name = row->mnemonic;
    return computes_float(row) && !makes_mask(row) && !strstr(name, ".x.f") && !strstr(name, ".xu.f") &&
           !starts(name, "vfclass");
}

/* --- The prefix --- */

/* Its fields, by the documents' tables of bits. */
typedef struct fields {
    uint32_t x[4]; /* x[0]: the destination's */
    uint32_t imm, abs, neg, words, space, hint;
    bool has_imm, pair, regpair, memory;
} fields;

static fields fields_of(uint32_t prefix) {
    fields f = {.words = 1};
    if (!prefix)
        return f;
    const bool modifies = (prefix & 0x7) == 2;
    f.memory = (prefix & 0x7) == 6;
    f.has_imm = !f.memory && (modifies ? prefix >> 3 & 1 : (prefix >> 12 & 3) == 3);
    f.x[0] = prefix >> 20 & 7;
    if (f.has_imm) {
        f.imm = prefix >> 26 & 63;
        f.x[2] = prefix >> 23 & 7;
    } else {
        f.x[1] = prefix >> 23 & 7;
        f.x[2] = prefix >> 26 & 7;
        f.x[3] = prefix >> 29 & 7;
    }
    f.pair = (modifies || f.memory) && prefix >> 19 & 1;
    f.regpair = !modifies && !f.memory && prefix >> 14 & 1;
    if (modifies) {
        f.abs = prefix >> 16 & 7;
        f.neg = prefix >> 13 & 7;
    }
    if (f.memory) {
        f.hint = prefix >> 15 & 15;
        f.words = (prefix >> 3 & 3) + 1;
        f.space = prefix >> 5 & 3;
    }
    return f;
}

/* Whether every field of the prefix has something to act on. */
static bool prefix_fits(const mirror_facts *f, const fields *p, compute kind) {
    uint32_t modified = 0;
    bool tied = false, extends = false;
    for (unsigned i = 0; i < f->row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(f->row->operands[i]);
        if (o->role == KARAT_ROLE_IMM && o->source)
            modified |= 1u << (o->source - 1);
        tied |= o->is_read;
        extends |= o->extends;
    }
    for (int source = 1; source <= 3; source++)
        if (f->source[source] >= 0)
            modified |= 1u << (source - 1);
    modified |= tied ? 4 : 0;
    for (int source = 1; source <= 3; source++)
        if (p->x[source] && f->source[source] < 0 && !(source == 3 && tied))
            return false;
    if ((p->x[0] && f->dest < 0) || (p->imm && !extends))
        return false;
    if ((p->abs | p->neg) & ~(kind == COMPUTES_NOT ? 0 : modified))
        return false;
    if (p->regpair && !(f->row->owes & KARAT_OWES_MEM))
        return false;
    return !p->pair || p->memory || kind == COMPUTES || kind == ON_PAIRS;
}

/* --- Registers --- */

/* What a register operand needs. */
typedef struct use {
    bool vector, pair, group;
    uint32_t reg, words; /* a register after another one, where it is no pair */
} use;

static void enter_use(shape *s, const mirror_warp *w, int source, use u) {
    const uint32_t all = u.vector ? KARAT_NUM_V : KARAT_NUM_X, usage = u.vector ? w->vgprs : w->sgprs;
    const bool zero_pair = u.pair && !u.vector && u.reg == 0;
    const uint32_t n = zero_pair ? 1 : u.group || u.pair ? 2 : u.words;
    s->illegal |= (u.pair || u.group) && u.reg & 1;
    s->beyond |= u.reg + n > usage || u.reg + n > all;
    if (source < 0) {
        s->dest_words = u.group ? 1 : n;
        if (zero_pair)
            s->dest_words = 0;
        return;
    }
    for (uint32_t part = 0; part < n && s->num_reads < KARAT_MAX_READ; part++)
        s->read[s->num_reads++] = (shape_read){(uint8_t)source, u.vector ? KARAT_CLASS_V : KARAT_CLASS_X,
                                               (uint8_t)part, (uint16_t)(u.reg + part)};
}

static bool operand_is_pair(const shape *s, const karat_row *row, compute kind, bool vector, int source) {
    const bool dest = source < 0 || source == 3;
    if (kind == WIDENS || kind == NARROWS) {
        if (s->width != 32 || !vector)
            return false;
        if (kind == NARROWS)
            return source == 2;
        return dest || (source == 2 && strstr(row->mnemonic, ".w")) ||
               (source == 1 && strstr(row->mnemonic, ".wv"));
    }
    return s->width == 64 && !(source < 0 && makes_mask(row));
}

/* --- Accesses --- */

/* The register that an operand is, -1: none. */
static int32_t register_of(const karat_insn *insn, const fields *p, int operand, int field) {
    return operand < 0 ? -1 : insn->value[operand] | (int32_t)p->x[field] << 5;
}

static void access_of(shape *s, const mirror_facts *f, const fields *p, const karat_insn *insn,
                      uint32_t sew_bytes) {
    const uint32_t word = insn->word, opcode = word & 0x7f, funct3 = word >> 12 & 7, mop = word >> 26 & 3;
    static const uint8_t lane_stores[8] = {[3] = 2, [6] = 4, [7] = 1};
    const uint32_t eew = funct3 == 0 ? 1 : funct3 == 5 ? 2 : 4;
    s->is_store = f->dest < 0;
    s->is_signed = (opcode == OP_LOAD || opcode == OP_V12 || opcode == OP_V12D) && !(funct3 & 4);
    s->data_source = 2;
    switch (opcode) {
    case OP_LOAD:
    case OP_STORE:
        s->form = FORM_SCALAR;
        s->bytes = funct3 == 3 ? 4 : 1u << (funct3 & 3);
        break;
    case OP_AMO:
        s->form = FORM_SCALAR;
        s->bytes = 4;
        break;
    case OP_V12:
    case OP_V12D:
        s->form = FORM_LANE;
        s->bytes = s->is_store && !f->private ? lane_stores[funct3] : 1u << (funct3 & 3);
        break;
    default:
        s->form = mop == 0 ? FORM_UNIT : mop == 2 ? FORM_STRIDED : FORM_INDEXED;
        s->bytes = s->form == FORM_INDEXED ? sew_bytes : eew;
        s->index_bytes = eew;
        s->data_source = 3;
        break;
    }
    const bool d_form = (opcode == OP_V12D && !f->private) ||
                        (funct3 == 3 && (opcode == OP_LOAD || opcode == OP_STORE || opcode == OP_AMO));
    const bool pairs_data = s->bytes == 4 && opcode != OP_AMO;
    const int data = s->is_store ? s->data_source : 0;
    s->wide = (p->memory && p->pair) || d_form;
    s->words = pairs_data ? p->words : 1;
    if (p->regpair) {
        s->wide = !(register_of(insn, p, f->source[1], 1) & 1);
        s->words = pairs_data && !(register_of(insn, p, data ? f->source[data] : f->dest, data) & 1) ? 2 : 1;
    }
    s->space = (uint8_t)(f->private ? KARAT_PREFIX_PRIVATE : p->space);
    s->hint = p->hint;
}

static shape_result result_of(const shape *s, const karat_row *row, compute kind) {
    if (makes_mask(row))
        return RESULT_MASK;
    if ((row->match & 0x7f) != OP_V || kind == COMPUTES_NOT || kind == ON_WORDS)
        return RESULT_ANY;
    const uint32_t bits = kind == WIDENS ? 2 * s->width : s->width;
    if (bits > 16)
        return RESULT_ANY;
    return makes_float(row) ? RESULT_BOXED : bits == 8 ? RESULT_SIGNED_8 : RESULT_SIGNED_16;
}

static bool exists_at(const karat_row *row, compute kind, uint32_t width) {
    if (width != 8 || !computes_float(row))
        return true;
    const char *name = row->mnemonic;
    /* Conversions between 8-bit integers and binary16. */
    return (kind == WIDENS && strstr(name, ".f.x")) ||
           (kind == NARROWS && (strstr(name, ".x.f") || strstr(name, ".xu.f")));
}

shape shape_of(karat_profile profile, const mirror_warp *w, uint32_t prefix, uint32_t word) {
    karat_insn insn;
    const mirror_facts *f = mirror_row(karat_decode(profile, word, &insn));
    shape s = {.width = 32, .words = 1};
    if (!f)
        return s;
    const karat_row *row = f->row;
    const bool accesses = row->owes & KARAT_OWES_MEM;
    fields p = fields_of(prefix);
    if (p.memory && !accesses) {
        s.is_void = true;
        p = (fields){.words = 1};
    }
    const compute kind = compute_of(row);
    const bool own = f->own && row->unit != KARAT_UNIT_CONFIG;
    const bool vill = w->vtype >> 31;
    const uint32_t sew = vill ? 32 : 8u << (w->vtype >> 3 & 7);
    const bool groups = own && mirror_lmul(w) == 2 && !(row->owes & KARAT_OWES_X);
    s.bad_prefix = !prefix_fits(f, &p, kind);
    if (kind == ON_PAIRS || (kind == COMPUTES && p.pair))
        s.width = 64;
    else if ((row->match & 0x7f) == OP_V && kind != ON_WORDS && kind != COMPUTES_NOT)
        s.width = sew;
    s.illegal = (own && vill) || !exists_at(row, kind, s.width) || (row->rounds && w->frm > 4);
    const bool has_pairs = s.width == 64 || ((kind == WIDENS || kind == NARROWS) && s.width == 32);
    s.illegal |= groups && has_pairs;
    if (accesses)
        access_of(&s, f, &p, &insn, sew / 8);
    s.illegal |= groups && s.words > 1;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(row->operands[i]);
        const int source = o->role == KARAT_ROLE_SRC1   ? 1
                           : o->role == KARAT_ROLE_SRC2 ? 2
                           : o->role == KARAT_ROLE_SRC3 ? 3
                                                        : -1;
        if (o->role == KARAT_ROLE_VM && (o->bits == 0 || insn.value[i] == 0))
            enter_use(&s, w, 0, (use){true, false, groups, 0, 1});
        if (!o->is_reg || o->role == KARAT_ROLE_IGNORED)
            continue;
        use u = {.vector = o->cls == KARAT_CLASS_V, .words = 1};
        u.reg = (uint32_t)insn.value[i] | p.x[source < 0 ? 0 : source] << 5;
        u.group = groups && u.vector;
        u.pair = accesses ? source == 1 && s.wide : operand_is_pair(&s, row, kind, u.vector, source);
        if (u.pair && p.regpair) { /* x0 is a low word like any other */
            u.pair = false;
            u.words = 2;
        }
        if (accesses && (s.is_store ? source == s.data_source : source < 0))
            u.words = s.words;
        if (source < 0)
            s.dest = u.reg;
        enter_use(&s, w, source, u);
        if (o->is_read) {
            u.pair = operand_is_pair(&s, row, kind, u.vector, 3);
            enter_use(&s, w, 3, u);
        }
    }
    s.offset = f->offset < 0 ? 0 : insn.value[f->offset];
    s.result = result_of(&s, row, kind);
    return s;
}

uint32_t shape_extend(shape_result result, uint32_t value) {
    switch (result) {
    case RESULT_SIGNED_8: return (value & 0xff) | (value & 0x80 ? 0xffffff00u : 0);
    case RESULT_SIGNED_16: return (value & 0xffff) | (value & 0x8000 ? 0xffff0000u : 0);
    case RESULT_BOXED: return value | 0xffff0000u;
    case RESULT_MASK: return value & 1;
    default: return value;
    }
}

static uint32_t value_of(const karat_commit *c, int source, uint32_t part, uint32_t lane) {
    for (uint32_t i = 0; i < c->num_reads && i < KARAT_MAX_READ; i++)
        if (c->read[i].source == source && c->read[i].part == part)
            return c->read[i].value[c->read[i].cls == KARAT_CLASS_V ? lane : 0];
    return 0; /* the upper half of x0 */
}

uint64_t shape_source(const karat_commit *c, int source, bool wide, uint32_t lane) {
    return value_of(c, source, 0, lane) | (wide ? (uint64_t)value_of(c, source, 1, lane) << 32 : 0);
}

uint64_t shape_address(const shape *s, const mirror_warp *w, const karat_commit *c, uint32_t num_thread,
                       uint32_t i, uint32_t word) {
    const uint32_t lane = i % num_thread;
    uint64_t addr = shape_source(c, 1, s->wide, lane);
    addr += (uint64_t)s->offset;
    const uint32_t index = value_of(c, 2, i / num_thread, lane);
    if (s->form == FORM_UNIT)
        addr += (uint64_t)i * s->bytes * s->words;
    else if (s->form == FORM_STRIDED)
        addr += (uint64_t)i * (uint64_t)(int64_t)(int32_t)value_of(c, 2, 0, 0);
    else if (s->form == FORM_INDEXED)
        addr += s->index_bytes == 4 ? index : index & ((1u << 8 * s->index_bytes) - 1);
    addr += 4 * (uint64_t)word;
    if (!s->wide)
        addr &= 0xffffffffu;
    if (s->space == KARAT_PREFIX_LOCAL)
        addr += w->csr[KARAT_CSR_LDS];
    if (s->space == KARAT_PREFIX_PRIVATE) {
        const uint64_t threads = (uint64_t)w->csr[KARAT_CSR_NUMW] * w->csr[KARAT_CSR_NUMT];
        const uint64_t thread = (uint64_t)w->csr[KARAT_CSR_WID] * w->csr[KARAT_CSR_NUMT] + lane;
        addr = w->csr[KARAT_CSR_PDS] + addr / 4 * 4 * threads + 4 * thread + addr % 4;
    }
    return s->wide ? addr : addr & 0xffffffffu;
}
