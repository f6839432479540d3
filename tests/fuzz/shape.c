#include "shape.h"

#include <stdio.h>
#include <string.h>

#include "golden/prefix_spec.h"

enum { OP_LOAD = 0x03, OP_STORE = 0x23, OP_V12D = 0x2b, OP_AMO = 0x2f, OP_V = 0x57, OP_V12 = 0x7b };

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
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

/* The rows that profile public has alone, by their opcodes. */
static bool is_public(const karat_row *row) {
    const uint32_t opcode = row->match & 0x7f;
    return opcode == 0x0a || opcode == 0x2a || opcode == 0x42 || opcode == 0x5a || opcode == 0x72 ||
           opcode == 0x7a;
}

/* Registers of D and C (source -1 and 3), A and B of a matrix product, of others 1. */
static uint32_t registers_of(const karat_row *row, int source) {
    unsigned m, n, k;
    if (sscanf(row->mnemonic, "mma.m%un%uk%u", &m, &n, &k) != 3)
        return 1;
    return source == 1   ? m / 4
           : source == 2 ? n / 4
                         : m * n / (strstr(row->mnemonic, ".f16.f16.f16.f16") ? 64 : 32);
}

/* --- Registers --- */

/* The needs of a register operand. */
typedef struct use {
    bool vector, pair, group;
    uint32_t reg, words; /* A register after another one, where it is no pair */
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

/* Two widths: the destination has the larger one, or, where it narrows, source 2. */
static bool has_two_widths(compute kind) {
    return kind == WIDENING || kind == WIDENING_FP;
}

static bool narrows(const karat_row *row) {
    return starts(row->mnemonic, "vfncvt");
}

static bool operand_is_pair(const shape *s, const karat_row *row, compute kind, bool vector, int source) {
    const bool dest = source < 0 || source == 3;
    if (has_two_widths(kind)) {
        if (s->width != 32 || !vector)
            return false;
        if (narrows(row))
            return source == 2;
        return dest || (source == 2 && strstr(row->mnemonic, ".w")) ||
               (source == 1 && strstr(row->mnemonic, ".wv"));
    }
    return s->width == 64 && !(source < 0 && makes_mask(row));
}

/* --- Accesses --- */

/* The number that a prefix adds to the number of source 1, 2 or 3, or of the destination: 0. */
static int32_t extension_of(const karat_prefix *p, int field) {
    return field == 1 ? p->x1 : field == 2 ? p->x2 : field == 3 ? p->x3 : p->xd;
}

/* The register that an operand is, -1: none. */
static int32_t register_of(const karat_insn *insn, const karat_prefix *p, int operand, int field) {
    return operand < 0 ? -1 : insn->value[operand] | extension_of(p, field) << 5;
}

static void access_of(shape *s, const mirror_facts *f, const karat_prefix *p, const karat_insn *insn,
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
    if ((row->match & 0x7f) != OP_V || kind == NOTHING || kind == WORDS)
        return RESULT_ANY;
    const uint32_t bits = has_two_widths(kind) && !narrows(row) ? 2 * s->width : s->width;
    if (bits > 16)
        return RESULT_ANY;
    return makes_float(row) ? RESULT_BOXED : bits == 8 ? RESULT_SIGNED_8 : RESULT_SIGNED_16;
}

shape shape_of(karat_profile profile, const mirror_warp *w, uint32_t prefix, uint32_t word) {
    karat_insn insn;
    const mirror_facts *f = mirror_row(karat_decode(profile, word, &insn));
    shape s = {.width = 32, .words = 1};
    if (!f)
        return s;
    const karat_row *row = f->row;
    const bool accesses = row->owes & KARAT_OWES_MEM;
    const row_spec spec = spec_of(row);
    const compute kind = spec.computes;
    karat_prefix p = fields_of(prefix);
    s.bad_prefix = !spec_fits(&spec, &p);
    if (p.memory && !accesses) {
        s.is_void = true;
        p = (karat_prefix){.words = 1};
    }
    const bool own = f->own && row->unit != KARAT_UNIT_CONFIG;
    const bool vill = w->vtype >> 31;
    const bool newer = (row->profiles & 1) == 0 && profile == KARAT_PUBLIC && is_public(row);
    const bool widens = profile == KARAT_PUBLIC && has_two_widths(kind), single = newer || widens;
    const karat_width sew = widens ? KARAT_W16 : vill ? KARAT_W32 : (karat_width)(w->vtype >> 3 & 7);
    const bool groups = own && !single && mirror_lmul(w) == 2 && !(row->owes & KARAT_OWES_X);
    const int width = expect_width(kind, p.pair && !p.memory, sew);
    s.width = 8u << (width < 0 ? sew : (karat_width)width);
    s.illegal = ((own || single) && vill) || (single && mirror_lmul(w) == 2) || width < 0 ||
                (row->rounds && w->frm > 4);
    s.illegal |= groups && (s.width == 64 || (has_two_widths(kind) && s.width == 32));
    if (accesses)
        access_of(&s, f, &p, &insn, 1u << sew);
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
        use u = {.vector = o->cls == KARAT_CLASS_V, .words = registers_of(row, source)};
        u.reg = (uint32_t)register_of(&insn, &p, (int)i, source);
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
    return 0; /* The upper half of x0 */
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
