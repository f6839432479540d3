/* Decode, encode, and the extensions of prefixes. */
#include "isa.h"

#include <string.h>

#define NAME(with, id, name, features) name,
static const char *const profile_names[KARAT_NUM_PROFILE] = {KARAT_PROFILES(NAME, )};

const char *karat_profile_name(karat_profile profile) {
    return profile < KARAT_NUM_PROFILE ? profile_names[profile] : NULL;
}

const char *karat_profile_names(void) {
#define OR_NAME(with, id, name, features) " or " name
    static const char names[] = KARAT_PROFILES(OR_NAME, );
    return names + strlen(" or ");
}

bool karat_profile_has(karat_profile profile, karat_feature feature) {
#define FEATURES(with, id, name, features) features,
    static const uint32_t has[KARAT_NUM_PROFILE] = {KARAT_PROFILES(FEATURES, )};
    return profile < KARAT_NUM_PROFILE && has[profile] >> feature & 1;
}

bool karat_profile_find(const char *name, size_t size, karat_profile *profile) {
    for (unsigned p = 0; name && p < KARAT_NUM_PROFILE; p++)
        if (strlen(profile_names[p]) == size && memcmp(profile_names[p], name, size) == 0) {
            if (profile)
                *profile = (karat_profile)p;
            return true;
        }
    return false;
}

int karat_num_rows(void) {
    return KARAT_ROWS;
}

const karat_row *karat_row_info(int row) {
    return row >= 0 && row < KARAT_ROWS ? &karat_rows[row] : NULL;
}

const karat_operand_kind *karat_operand_info(uint8_t operand) {
    return operand < KARAT_OP_KINDS ? &karat_operand_defs[operand].info : NULL;
}

bool karat_row_is_legal(const karat_row *row, karat_profile profile) {
    return row && (row->profiles & ~row->left_out) >> profile & 1;
}

bool karat_row_uses_vtype(const karat_row *row) {
    if (!row)
        return false;
    const uint32_t opcode = row->match & 0x7f;
    return ((opcode == 0x57 || opcode == 0x07 || opcode == 0x27) && row->unit != KARAT_UNIT_CONFIG) ||
           row->profiles == SET_PUBLIC;
}

bool karat_row_is_single(const karat_row *row, karat_profile profile) {
    return karat_row_is_legal(row, profile) && karat_profile_has(profile, KARAT_FEATURE_PUBLIC) &&
           (row->profiles == SET_PUBLIC || row->left_out);
}

bool karat_row_crosses_lanes(const karat_row *row) {
    return row && (row->unit == KARAT_UNIT_TENSOR || (row->match & 0x7f) == 0x42);
}

karat_halves karat_row_halves(const karat_row *row) {
    const uint32_t opcode = row ? row->match & 0x7f : 0, funct3 = row ? row->match >> 12 & 7 : 0;
    if (opcode != 0x2a &&
        opcode != 0x5a) /* Special functions, of binary32 with funct3 0, and packed arithmetic */
        return KARAT_NO_HALVES;
    return (karat_halves)(KARAT_NO_HALVES + funct3 + (opcode == 0x5a));
}

bool karat_row_is_grouped(const karat_row *row) {
    return karat_row_uses_vtype(row) && !(row->owes & KARAT_OWES_X) && row->profiles != SET_PUBLIC;
}

int karat_find_row(const char *name) {
    for (int row = 0; name && row < KARAT_ROWS; row++)
        if (!strcmp(karat_rows[row].name, name) || !strcmp(karat_rows[row].mnemonic, name))
            return row;
    return KARAT_NO_ROW;
}

static int32_t sign_extend(uint32_t value, unsigned bits) {
    uint32_t sign = 1u << (bits - 1);
    return (int32_t)((value ^ sign) - sign);
}

static int32_t get_operand(const karat_operand_def *def, uint32_t word) {
    uint32_t value = 0;
    for (const karat_piece *p = def->pieces; p->width; p++)
        value |= ((word >> p->word_bit) & ((1u << p->width) - 1)) << p->value_bit;
    return def->info.is_signed ? sign_extend(value, def->info.bits) : (int32_t)value;
}

static int find(karat_profile profile, uint32_t word) {
    uint32_t key = KARAT_INDEX_KEY(word);
    if (profile >= KARAT_NUM_PROFILE)
        return KARAT_NO_ROW;
    for (unsigned i = karat_index[key]; i < karat_index[key + 1]; i++) {
        const karat_row *row = &karat_rows[karat_index_rows[i]];
        if ((word & row->mask) == row->match && (row->profiles >> profile & 1))
            return karat_index_rows[i];
    }
    return KARAT_NO_ROW;
}

/* The prefix that has the word, in any profile: prefixes do not overlap. */
static int find_prefix(uint32_t word) {
    uint32_t key = KARAT_INDEX_KEY(word);
    for (unsigned i = karat_index[key]; i < karat_index[key + 1]; i++) {
        const karat_row *row = &karat_rows[karat_index_rows[i]];
        if (row->unit == KARAT_UNIT_PREFIX && (word & row->mask) == row->match)
            return karat_index_rows[i];
    }
    return KARAT_NO_ROW;
}

int karat_decode(karat_profile profile, uint32_t word, karat_insn *insn) {
    int row = find(profile, word);
    if (!insn)
        return row;
    insn->row = row;
    insn->word = word;
    insn->prefix = 0;
    if (row == KARAT_NO_ROW)
        return row;
    for (unsigned i = 0; i < karat_rows[row].num_operands; i++)
        insn->value[i] = get_operand(&karat_operand_defs[karat_rows[row].operands[i]], word);
    return row;
}

static bool fits(const karat_operand_kind *kind, int32_t value) {
    if (kind->bits == 0)
        return true;
    if ((uint32_t)value & ((1u << kind->shift) - 1))
        return false;
    if (kind->is_signed)
        return value == sign_extend((uint32_t)value & ((1u << kind->bits) - 1), kind->bits);
    return (uint32_t)value >> kind->bits == 0;
}

bool karat_encode(int row, const int32_t value[KARAT_MAX_OPERAND], uint32_t *word) {
    const karat_row *info = karat_row_info(row);
    if (!info || !word || (!value && info->num_operands))
        return false;
    uint32_t w = info->match;
    for (unsigned i = 0; i < info->num_operands; i++) {
        const karat_operand_def *def = &karat_operand_defs[info->operands[i]];
        if (!fits(&def->info, value[i]))
            return false;
        for (const karat_piece *p = def->pieces; p->width; p++)
            w |= (((uint32_t)value[i] >> p->value_bit) & ((1u << p->width) - 1)) << p->word_bit;
    }
    *word = w;
    return true;
}

bool karat_is_prefix(karat_profile profile, uint32_t word) {
    int row = find(profile, word);
    return row != KARAT_NO_ROW && karat_rows[row].unit == KARAT_UNIT_PREFIX;
}

bool karat_row_is_float(const karat_row *row) {
    return row && (row->unit == KARAT_UNIT_FP || row->unit == KARAT_UNIT_FDIV ||
                   row->unit == KARAT_UNIT_SFU || row->unit == KARAT_UNIT_TENSOR);
}

bool karat_row_follows_sew(const karat_row *row) {
    return row && row->widths & (1 << KARAT_W8 | 1 << KARAT_W16);
}

int karat_row_width(const karat_row *row, uint32_t prefix, karat_width sew) {
    if (!row)
        return -1;
    const karat_prefix p = karat_prefix_of(prefix);
    karat_width width = KARAT_W32;
    if (row->widths == 1 << KARAT_W64 || (p.pair && !p.memory))
        width = KARAT_W64;
    else if (karat_row_follows_sew(row))
        width = sew;
    return row->widths >> width & 1 || (!row->widths && width == KARAT_W32) ? (int)width : -1;
}

unsigned karat_operand_registers(const karat_operand_kind *operand) {
    const unsigned span = operand && operand->is_reg ? operand->span : KARAT_SPAN_OWN;
    return span >= KARAT_SPAN_TWO ? 2u << (span - KARAT_SPAN_TWO) : 1;
}

bool karat_operand_is_pair(const karat_operand_kind *operand, karat_width width) {
    if (!operand || !operand->is_reg)
        return false;
    switch (operand->span) {
    case KARAT_SPAN_OWN: return width == KARAT_W64;
    case KARAT_SPAN_TWICE: return width == KARAT_W32;
    default: return operand->span == KARAT_SPAN_ADDRESS;
    }
}

karat_prefix karat_prefix_of(uint32_t word) {
    karat_prefix p = {.words = 1};
    const int row = word ? find_prefix(word) : KARAT_NO_ROW;
    if (row == KARAT_NO_ROW)
        return p;
    for (unsigned i = 0; i < karat_rows[row].num_operands; i++) {
        const uint8_t kind = karat_rows[row].operands[i];
        const uint8_t value = (uint8_t)get_operand(&karat_operand_defs[kind], word);
        switch (kind) {
        case KARAT_OP_EXT3: p.x3 = value; break;
        case KARAT_OP_EXT2:
        case KARAT_OP_EXTI2: p.x2 = value; break;
        case KARAT_OP_EXT1: p.x1 = value; break;
        case KARAT_OP_EXTD: p.xd = value; break;
        case KARAT_OP_EXTIMM:
            p.imm = value;
            p.has_imm = true;
            break;
        case KARAT_OP_PAIR: p.pair = value; break;
        case KARAT_OP_ABS: p.abs = value; break;
        case KARAT_OP_NEG: p.neg = value; break;
        case KARAT_OP_HINT: /* PRE_M_* alone has one; its match holds space and width */
            p.hint = value;
            p.memory = true;
            p.space = word >> 5 & 3;
            p.words = (uint8_t)((word >> 3 & 3) + 1);
            break;
        default: break;
        }
    }
    p.regpair = row == KARAT_ROW_regpair || row == KARAT_ROW_regpairi;
    return p;
}

bool karat_extend(karat_insn *insn, const karat_prefix *ext, int32_t *apart) {
    static const karat_prefix none = {.words = 1};
    const karat_row *row = &karat_rows[insn->row];
    const bool access = row->owes & KARAT_OWES_MEM;
    if (ext->memory && !access)
        ext = &none;
    karat_prefix left = *ext; /* Bits that no operand has used yet */
    unsigned sources = 0;     /* Sources of the instruction, as bits of abs and neg */
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_def *def = &karat_operand_defs[row->operands[i]];
        int32_t *value = &insn->value[i];
        switch (def->info.role) {
        case KARAT_ROLE_DEST:
            /* A destination that is also the third operand is read and written at {xd, vd}: x3 is ignored. */
            if (def->info.is_read) {
                *apart = *value | ext->x3 << 5;
                left.x3 = 0;
                sources |= 4;
            }
            *value |= ext->xd << 5;
            left.xd = 0;
            break;
        case KARAT_ROLE_SRC1:
            *value |= ext->x1 << 5;
            left.x1 = 0;
            sources |= 1;
            break;
        case KARAT_ROLE_SRC2:
            *value |= ext->x2 << 5;
            left.x2 = 0;
            sources |= 2;
            break;
        case KARAT_ROLE_SRC3:
            *value |= ext->x3 << 5;
            left.x3 = 0;
            sources |= 4;
            break;
        case KARAT_ROLE_IMM:
            sources |= def->info.source; /* 1 and 2 are the bits of sources 1 and 2, too */
            if (def->ext5 && ext->has_imm) {
                uint32_t wide = ((uint32_t)*value & 31u) | (uint32_t)ext->imm << 5;
                *value = def->info.is_signed ? sign_extend(wide, 11) : (int32_t)wide;
                left.imm = 0;
            }
            break;
        default: break;
        }
    }
    if (!row->widths)
        sources = 0;
    const bool computes = !ext->memory && ext->pair;
    return !(left.x3 | left.x2 | left.x1 | left.xd | left.imm) && !((ext->abs | ext->neg) & ~sources) &&
           (!ext->regpair || access) && (!computes || row->widths >> KARAT_W64 & 1);
}

int karat_decode_prefixed(karat_profile profile, uint32_t prefix, uint32_t word, karat_insn *insn,
                          int32_t *apart) {
    int32_t number = 0;
    karat_insn own;
    insn = insn ? insn : &own;
    if (karat_decode(profile, word, insn) == KARAT_NO_ROW)
        return KARAT_NO_ROW;
    const karat_prefix ext = karat_prefix_of(prefix);
    insn->prefix = prefix;
    if (!karat_extend(insn, &ext, &number))
        return insn->row = KARAT_NO_ROW;
    if (apart)
        *apart = number;
    return insn->row;
}

bool karat_prefix_fits(int row, uint32_t prefix) {
    karat_insn insn = {.row = row};
    int32_t apart;
    if (row < 0 || row >= KARAT_ROWS || karat_rows[row].unit == KARAT_UNIT_PREFIX)
        return false;
    const karat_prefix ext = karat_prefix_of(prefix);
    return karat_extend(&insn, &ext, &apart);
}

const char *karat_unit_name(unsigned unit) {
    static const char *const names[KARAT_NUM_UNIT] = {"alu",    "mul",  "div",  "branch", "csr",
                                                      "mem",    "amo",  "fp",   "fdiv",   "sfu",
                                                      "tensor", "simt", "sync", "config", "prefix"};
    return unit < KARAT_NUM_UNIT ? names[unit] : NULL;
}

/* The row of a word with its registers extended.  *apart: as karat_extend() has it, -1 without a prefix. */
static const karat_row *decode_extended(karat_profile profile, uint32_t prefix, uint32_t word,
                                        karat_insn *insn, int32_t *apart) {
    *apart = -1;
    if (karat_decode(profile, word, insn) == KARAT_NO_ROW)
        return NULL;
    if (prefix && karat_is_prefix(profile, prefix)) {
        karat_prefix ext = karat_prefix_of(prefix);
        karat_extend(insn, &ext, apart);
    }
    return &karat_rows[insn->row];
}

bool karat_destination(karat_profile profile, uint32_t prefix, uint32_t word, karat_source *destination) {
    karat_insn insn;
    int32_t apart;
    const karat_row *row = decode_extended(profile, prefix, word, &insn, &apart);
    for (unsigned i = 0; row && i < row->num_operands; i++) {
        const karat_operand_kind *kind = &karat_operand_defs[row->operands[i]].info;
        if (kind->role != KARAT_ROLE_DEST)
            continue;
        if (destination)
            *destination = (karat_source){.cls = kind->cls, .reg = (uint16_t)insn.value[i]};
        return true;
    }
    return false;
}

uint32_t karat_sources(karat_profile profile, uint32_t deviations, uint32_t prefix, uint32_t word,
                       karat_source sources[KARAT_MAX_SOURCE]) {
    karat_insn insn;
    int32_t apart;
    const karat_row *row = decode_extended(profile, prefix, word, &insn, &apart);
    const bool is_apart = deviations & KARAT_DEV_THIRD_OPERAND_APART;
    if (!row || !sources)
        return 0;
    bool reads[2][4] = {{false}};
    uint16_t reg[2][4] = {{0}};
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = &karat_operand_defs[row->operands[i]].info;
        unsigned source = kind->role == KARAT_ROLE_SRC1                    ? 1
                          : kind->role == KARAT_ROLE_SRC2                  ? 2
                          : kind->role == KARAT_ROLE_SRC3 || kind->is_read ? 3
                                                                           : 0;
        if (source) {
            reads[kind->cls][source] = true;
            reg[kind->cls][source] =
                (uint16_t)(is_apart && kind->is_read && apart >= 0 ? apart : insn.value[i]);
        } else if (kind->role == KARAT_ROLE_VM && (kind->bits == 0 || insn.value[i] == 0)) {
            reads[KARAT_CLASS_V][0] = true;
        }
    }
    uint32_t num = 0;
    for (unsigned cls = KARAT_CLASS_X; cls <= KARAT_CLASS_V; cls++)
        for (unsigned i = 1; i <= 4; i++) /* The mask v0 comes last */
            if (reads[cls][i & 3])
                sources[num++] = (karat_source){(uint8_t)(i & 3), (uint8_t)cls, reg[cls][i & 3]};
    return num;
}
