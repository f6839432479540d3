/* Fetch and decode of one step, through a cache of decoded steps. Without translation, a write to device
 * memory drops the entries that depend on these bytes (karat_stored()), so an entry holds as long as it is
 * there. With translation a write to a page table may change any address: the words are read from memory
 * every time and compared with the entry. */
#include "core.h"
#include "../exec/exec.h"
#include "row_lanes.h"

static const karat_semantic *const semantics[KARAT_ROWS] = {
#define ROW(id, mnemonic, match, mask, ops, sem, ...) &karat_sem_##sem,
#include "../isa/ventus.def"
#undef ROW
};

static void raise(uint16_t *max, uint32_t to) {
    if (to > *max)
        *max = (uint16_t)to;
}

/* Enter a register operand: which is bit s of pairs for source s, and bit 0 for the destination. */
static void use_register(karat_decoded *d, const karat_operand_kind *kind, uint32_t number, unsigned which) {
    const bool scalar = kind->cls == KARAT_CLASS_X;
    const karat_width wide = d->plan & PLAN_DOUBLED ? KARAT_W32 : KARAT_W64;
    const bool pairs = d->widths && karat_operand_is_pair(kind, wide);
    if (pairs) {
        d->pairs |= (uint8_t)(1u << which);
        d->odd_pair |= number & 1;
    }
    /* The pair of x0 is 0, and its second register is not used. */
    const uint32_t end = number + karat_operand_registers(kind);
    raise(scalar ? &d->max_x : &d->max_v, end);
    raise(scalar ? &d->pair_max_x : &d->pair_max_v, end + (pairs && !(scalar && number == 0)));
    if (!scalar)
        d->odd_v |= (uint16_t)number;
    d->wide_address |= kind->span == KARAT_SPAN_ADDRESS;
}

static void plan_operand(karat_decoded *d, uint8_t operand, int32_t value, int32_t third) {
    const karat_operand_def *def = &karat_operand_defs[operand];
    static const uint8_t which[] = {[KARAT_ROLE_SRC1] = 1, [KARAT_ROLE_SRC2] = 2, [KARAT_ROLE_SRC3] = 3};
    bool vector = def->info.cls == KARAT_CLASS_V;
    if (def->info.is_reg)
        use_register(d, &def->info, (uint32_t)value,
                     def->info.role == KARAT_ROLE_DEST ? 0 : which[def->info.role]);
    switch (def->info.role) {
    case KARAT_ROLE_DEST:
        d->rd = (uint16_t)value;
        d->plan |= vector ? PLAN_WV : PLAN_WX;
        if (def->info.is_read) {
            d->rs3 = (uint16_t)third;
            d->plan |= PLAN_V3;
            use_register(d, &def->info, (uint32_t)third, 3);
            d->deviated = value != third ? KARAT_DEV_THIRD_OPERAND_APART : 0;
        }
        break;
    case KARAT_ROLE_SRC1:
        d->rs1 = (uint16_t)value;
        d->plan |= vector ? PLAN_V1 : PLAN_X1;
        break;
    case KARAT_ROLE_SRC2:
        d->rs2 = (uint16_t)value;
        d->plan |= vector ? PLAN_V2 : PLAN_X2;
        break;
    case KARAT_ROLE_SRC3:
        d->rs3 = (uint16_t)value;
        d->plan |= vector ? PLAN_V3 : PLAN_X3;
        break;
    case KARAT_ROLE_VM:
        if (operand == KARAT_OP_V0)
            d->plan |= PLAN_V0;
        else if (!value)
            d->plan |= PLAN_MASKED;
        break;
    case KARAT_ROLE_IMM: d->imm[def->info.source] = value;
    }
}

/* Deviation: the immediate of that kind, of so many bits, is sign-extended. */
static void sign_immediate(karat_decoded *d, const karat_row *row, uint8_t operand, unsigned bits,
                           uint32_t deviation) {
    for (unsigned i = 0; i < row->num_operands; i++) {
        int32_t *imm = &d->imm[karat_operand_defs[row->operands[i]].info.source];
        if (row->operands[i] != operand || !(*imm >> (bits - 1) & 1))
            continue;
        *imm -= 1 << bits;
        d->deviated |= deviation;
    }
}

/* The parts of the plan that the row and the prefix determine. */
static void plan_row(karat_decoded *d, const karat_row *row, karat_profile profile) {
    d->plan |= (karat_row_uses_vtype(row) ? PLAN_VTYPE : 0) | (karat_row_is_grouped(row) ? PLAN_GROUP : 0) |
               (row->rounds ? PLAN_FP : 0) | (d->prefixed.regpair ? PLAN_REGPAIR : 0) |
               (d->prefixed.abs | d->prefixed.neg ? PLAN_MODIFIED : 0) |
               (karat_row_is_single(row, profile) ? PLAN_SINGLE : 0) |
               (karat_row_follows_sew(row) && d->width != KARAT_W64 ? PLAN_SEW : 0);
    for (unsigned i = 0; i < row->num_operands; i++)
        if (karat_operand_defs[row->operands[i]].info.span == KARAT_SPAN_TWICE)
            d->plan |= PLAN_DOUBLED;
}

/* The reads of scalars come first. */
static void plan_reads(karat_decoded *d) {
    const uint16_t reg[] = {d->rs1, d->rs2, d->rs3};
    uint32_t num = 0;
    for (unsigned k = 0; k < 6; k++)
        if (d->plan & PLAN_X1 << k) {
            d->known[num] = (uint16_t)(k < 3 ? 0 : KARAT_NUM_X) + reg[k % 3];
            d->read[num++] = (karat_reg_read){.source = (uint8_t)(k % 3 + 1),
                                              .cls = k < 3 ? KARAT_CLASS_X : KARAT_CLASS_V,
                                              .reg = reg[k % 3]};
        }
    while (num < 3)
        d->known[num++] = KARAT_NUM_X + KARAT_NUM_V;
}

static void plan_slice(karat_decoded *d, const karat_row *row) {
    if (karat_row_is_matrix(row) || d->error || d->deviated || d->max_x > KARAT_NUM_X || !d->run ||
        d->width == KARAT_W64 || !(d->widths >> KARAT_W32 & 1) ||
        d->plan & (PLAN_REGPAIR | PLAN_LONG | PLAN_DOUBLED | PLAN_MODIFIED) ||
        row->owes & (KARAT_OWES_BARRIER | KARAT_OWES_EXIT))
        return;
    d->reads_x = (d->plan & PLAN_X1 ? UINT64_C(1) << d->rs1 : 0) |
                 (d->plan & PLAN_X2 ? UINT64_C(1) << d->rs2 : 0) |
                 (d->plan & PLAN_X3 ? UINT64_C(1) << d->rs3 : 0);
    d->slice = SLICE_ANY;
    if (d->max_v) {
        /* A tensor row or one of CSRs may be illegal. */
        if (row->owes == KARAT_OWES_V && row->unit != KARAT_UNIT_TENSOR && row->unit != KARAT_UNIT_CSR)
            d->slice = SLICE_VECTOR;
        else if (!(row->owes & ~(KARAT_OWES_V | KARAT_OWES_MEM)))
            d->slice = SLICE_MOVE;
        return;
    }
    if (row->unit == KARAT_UNIT_BRANCH)
        d->slice = SLICE_JUMP;
    else if (row->unit == KARAT_UNIT_ALU || row->unit == KARAT_UNIT_MUL || row->unit == KARAT_UNIT_DIV)
        d->slice = SLICE_SCALAR;
    else if (row->owes & KARAT_OWES_MEM)
        d->slice = SLICE_ACCESS;
}

static void decode(const karat_model *model, karat_decoded *d) {
    karat_insn insn;
    int32_t apart = 0;
    d->row = (int16_t)karat_decode(model->config.profile, d->word, &insn);
    if (d->row == KARAT_NO_ROW) {
        d->error = KARAT_ERR_ILLEGAL;
        return;
    }
    const karat_row *row = &karat_rows[d->row];
    d->semantic = semantics[d->row];
    if (model->level && d->semantic->at[model->level - 1])
        d->semantic = d->semantic->at[model->level - 1];
    d->run = d->semantic->run[KARAT_W32];
    if (row->left_out >> model->config.profile & 1) {
        d->error = KARAT_ERR_LEFT_OUT;
        return;
    }
    d->prefixed = karat_prefix_of(d->prefix);
    if (row->unit == KARAT_UNIT_PREFIX) {
        d->error = d->prefix ? KARAT_ERR_TWO_PREFIXES : KARAT_ERR_NONE;
        d->deviated = KARAT_DEV_PREFIX_LAST_WINS;
    } else if (!karat_extend(&insn, &d->prefixed, &apart)) {
        d->error = KARAT_ERR_PREFIX;
    }
    d->widths = row->widths;
    const int width = karat_row_width(row, d->prefix, KARAT_W32);
    d->width = width < 0 ? KARAT_W32 : (uint8_t)width;
    plan_row(d, row, model->config.profile);
    /* Without widths the operands that are not twice as wide have 16 bits, and SEW is 32. */
    if (d->plan & PLAN_DOUBLED && !karat_profile_has(model->config.profile, KARAT_FEATURE_WIDTHS)) {
        d->width = KARAT_W16;
        d->plan &= ~PLAN_SEW;
    }
    const bool is_apart = model->config.deviations & KARAT_DEV_THIRD_OPERAND_APART;
    for (unsigned i = 0; i < row->num_operands; i++)
        plan_operand(d, row->operands[i], insn.value[i], is_apart ? apart : insn.value[i]);
    if (d->width == KARAT_W64 || d->plan & PLAN_DOUBLED ||
        (d->plan & PLAN_SEW && karat_profile_has(model->config.profile, KARAT_FEATURE_WIDTHS)))
        d->plan |= PLAN_WIDTH;
    if (!d->widths)
        d->widths = 1u << KARAT_W32; /* No computation: the width that they all have */
    if (d->width != KARAT_W32 || d->plan & PLAN_DOUBLED || !(d->widths >> KARAT_W32 & 1))
        d->plan |= PLAN_APART;
    if (model->config.deviations & KARAT_DEV_COMPARE_IMMEDIATE_SIGNED)
        sign_immediate(d, row, KARAT_OP_UCMP5, d->prefixed.has_imm ? 11 : 5,
                       KARAT_DEV_COMPARE_IMMEDIATE_SIGNED);
    if (model->config.deviations & KARAT_DEV_VADD12_SIGNED)
        sign_immediate(d, row, KARAT_OP_UIMM12, 12, KARAT_DEV_VADD12_SIGNED);
    const uint32_t opcode = d->word & 0x7f;
    if (opcode == 0x57 && !(d->plan & PLAN_V1))
        d->plan |= PLAN_SPLAT1;
    if (row->owes & KARAT_OWES_MEM && (d->wide_address || d->prefixed.regpair || d->prefixed.memory))
        d->plan |= PLAN_LONG;
    /* Deviations of values show in the commit. */
    if (row->profiles != SET_PUBLIC ||
        !(model->config.deviations & (KARAT_DEV_PACKED_FMA_TWICE | KARAT_DEV_BF16_NAN_KEPT)))
        plan_slice(d, row);
}

/* The word at an address of that warp. False with *error, and for a page fault *fault. */
static bool fetch_word(const karat_model *model, const karat_warp *warp, uint32_t pc, uint32_t *word,
                       karat_error_kind *error, karat_page_fault *fault) {
    uint64_t phys;
    karat_page_fault found;
    const uint8_t *page = karat_warp_page(model, warp, pc, KARAT_USE_FETCH, &phys, &found);
    if (!page) {
        *error = found.reason ? KARAT_ERR_PAGE : KARAT_ERR_FETCH;
        if (found.reason)
            *fault = found;
        return false;
    }
    *word = karat_get(page + (pc & (KARAT_PAGE - 1)), 4);
    return true;
}

bool karat_follows_prefix(const karat_model *model, const karat_warp *warp) {
    const uint32_t before = warp->pc - 4;
    uint64_t phys;
    karat_page_fault fault;
    const uint8_t *page = karat_warp_page(model, warp, before, KARAT_USE_FETCH, &phys, &fault);
    return page && karat_is_prefix(model->config.profile, karat_get(page + (before & (KARAT_PAGE - 1)), 4));
}

/* The entry depends on memory from the word before it on, of a prefix alone up to the word behind it;
 * addresses wrap around. */
static void keep(karat_model *model, const karat_warp *warp, karat_decoded *d) {
    d->after_prefix = karat_follows_prefix(model, warp);
    const bool wraps = d->pc < 4 || (uint32_t)(d->pc + 4) < d->pc;
    const uint64_t first = wraps ? 0 : d->pc - 4, end = wraps ? UINT64_C(1) << 32 : (uint64_t)d->pc + 8;
    if (first < model->code_first)
        model->code_first = first;
    if (end > model->code_end)
        model->code_end = end;
}

const karat_decoded *karat_fetch_any(karat_model *model, const karat_warp *warp, karat_error_kind *error,
                                     karat_page_fault *fault) {
    const uint32_t pc = warp->pc;
    uint32_t word, second = 0;
    if (pc & 3) {
        *error = KARAT_ERR_FETCH;
        return NULL;
    }
    if (!fetch_word(model, warp, pc, &word, error, fault))
        return NULL;
    const bool translates = model->config.translation != KARAT_TRANSLATION_NONE;
    karat_decoded *d = karat_cached(model, pc);
    if (translates && d->semantic && d->at == (d->prefix ? pc + 4 : pc) &&
        (d->prefix ? d->prefix == word && fetch_word(model, warp, pc + 4, &second, error, fault) &&
                         d->word == second
                   : d->word == word && karat_rows[d->row].unit != KARAT_UNIT_PREFIX))
        return d;
    uint32_t prefix = 0;
    if (karat_is_prefix(model->config.profile, word)) {
        if (!fetch_word(model, warp, pc + 4, &second, error, fault))
            return NULL;
        if (!(model->config.deviations & KARAT_DEV_PREFIX_LAST_WINS) ||
            !karat_is_prefix(model->config.profile, second)) {
            prefix = word;
            word = second;
        }
    }
    const uint32_t at = prefix ? pc + 4 : pc;
    *d = (karat_decoded){.pc = pc, .at = at, .word = word, .prefix = prefix, .next = at + 4};
    decode(model, d);
    plan_reads(d);
    model->generation++;
    if (translates)
        karat_drop_cached(model, d, pc);
    else
        keep(model, warp, d);
    if (d->error || d->deviated || d->after_prefix || karat_rows[d->row].unit == KARAT_UNIT_TENSOR)
        d->plan |= PLAN_RARE;
    d->elements = d->max_v ? model->config.num_thread : 1;
    d->take = karat_take_of(d->plan);
    return d;
}

static void name_vector(karat_block *block, unsigned plan, unsigned bits, uint32_t reg) {
    if (plan & bits)
        block->names_v[reg / 64] |= UINT64_C(1) << reg % 64;
}

const karat_block *karat_find_block(const karat_model *model, karat_decoded *d) {
    karat_block *block = &d->block;
    *block = (karat_block){.generation = model->generation};
    const karat_decoded *const end = model->cache + KARAT_CACHE_SIZE;
    uint32_t pc = d->pc;
    for (const karat_decoded *next = d; next < end && next->pc == pc && next->slice && !next->prefix;
         next++, pc += 4) {
        block->reads_x |= next->reads_x & ~block->writes_x;
        /* Other steps may write no register where no lane is active. */
        if (next->slice <= SLICE_ACCESS && next->rd)
            block->writes_x |= UINT64_C(1) << next->rd;
        name_vector(block, next->plan, PLAN_V1, next->rs1);
        name_vector(block, next->plan, PLAN_V2, next->rs2);
        name_vector(block, next->plan, PLAN_V3, next->rs3);
        name_vector(block, next->plan, PLAN_MASKED | PLAN_V0, 0);
        name_vector(block, next->plan, PLAN_WV, next->rd);
        raise(&block->max_v, next->max_v);
        raise(&block->max_x, next->max_x);
        if (block->own == block->num &&
            (next->slice == SLICE_SCALAR || next->slice == SLICE_JUMP || next->slice == SLICE_VECTOR))
            block->own++;
        block->num++;
        if (next->slice == SLICE_JUMP)
            break;
    }
    return block;
}

void karat_drop_all_code(karat_model *model) {
    for (uint32_t i = 0; i < KARAT_CACHE_SIZE; i++)
        karat_drop_cached(model, &model->cache[i], i << 2);
    model->code_first = UINT64_MAX;
    model->code_end = 0;
}

void karat_drop_code(karat_model *model, uint64_t addr, uint64_t bytes) {
    const uint64_t from = (addr > model->code_first ? addr : model->code_first) & ~UINT64_C(3),
                   end = addr + bytes < model->code_end ? addr + bytes : model->code_end;
    if (end - from > 4 * KARAT_CACHE_SIZE) {
        karat_drop_all_code(model);
        return;
    }
    /* A step that begins one word earlier may be a prefix and this word; one that begins one word later knows
     * whether this word looks like a prefix. */
    for (uint64_t word = from; word < end; word += 4)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t pc = (uint32_t)word + 4 * k - 4;
            karat_decoded *d = karat_cached(model, pc);
            if (d->pc == pc)
                karat_drop_cached(model, d, pc);
        }
}
