/* Parts of test_qemu64. Numbers of 64 bits are two words, the low one first, in the guest's input and
 * output. */
#include "qemu_case.h"

#include <stdio.h>
#include <string.h>

/* --- Random numbers --- */

static uint64_t cut(uint64_t value, karat_width width) {
    return width == KARAT_W64 ? value : value & ((UINT64_C(1) << (8u << width)) - 1);
}

static uint64_t extend(uint64_t value, karat_width width) {
    const uint64_t sign = UINT64_C(1) << ((8u << width) - 1);
    return (cut(value, width) ^ sign) - sign;
}

/* Corners of every width, their neighbours, single bits, runs of ones, small ones, anything. */
static uint64_t random_long(karat_width width) {
    const unsigned bits = 8u << width;
    const uint64_t r = rng_next(&rng), n = r >> 8 & (bits - 1), one = 1;
    switch (r & 15) {
    case 0: return one << (bits - 1);       /* The least, as a signed one */
    case 1: return (one << (bits - 1)) - 1; /* The greatest */
    case 2: return ~UINT64_C(0);
    case 3: return r >> 16 & 3;
    case 4: return one << n;
    case 5: return ~UINT64_C(0) << n;
    case 6: return (one << n) - 1;
    case 7: return (one << n) + (r >> 16 & 3) - 1;
    case 8: return extend(rng_next(&rng), width) >> n;
    case 9: return (uint64_t)((int64_t)extend(rng_next(&rng), width) >> n);
    case 10: return random_integer() | (uint64_t)random_integer() << 32;
    default: return rng_next(&rng);
    }
}

/* Bits of the fraction of binary16, binary32, binary64. */
static unsigned fraction_bits(karat_width width) {
    return width == KARAT_W16 ? 10 : width == KARAT_W32 ? 23 : 52;
}

/* A number of every class, mostly where something rounds, overflows or underflows. */
static uint64_t random_float(karat_width width) {
    const unsigned fraction = fraction_bits(width), bits = 8u << width;
    const uint64_t greatest = (UINT64_C(1) << (bits - 1 - fraction)) - 1, bias = greatest / 2,
                   r = rng_next(&rng);
    uint64_t exponent, f;
    switch (r & 15) {
    case 0: exponent = 0; break;
    case 1: exponent = 1; break;
    case 2: exponent = greatest; break;
    case 3: exponent = greatest - 1; break;
    case 4:
    case 5: exponent = bias; break;
    case 6: exponent = bias + fraction - 2 + (r >> 4 & 3); break;
    case 7: exponent = bias + bits - 3 + (r >> 4 & 3); break; /* Where integers end */
    case 8: exponent = bias - fraction - 3 + (r >> 4 & 3); break;
    case 9: exponent = bias / 2 + (r >> 4 & 3); break; /* Products underflow */
    case 10: exponent = bias + bias / 2 - 2 + (r >> 4 & 3); break;
    case 11:
    case 12: exponent = bias - 4 + (r >> 4 & 7); break;
    default: exponent = r >> 4 & greatest;
    }
    if (exponent > greatest)
        exponent = greatest;
    const uint64_t all = (UINT64_C(1) << fraction) - 1, n = (r >> 32) % fraction;
    switch (r >> 24 & 7) {
    case 0: f = 0; break;
    case 1: f = all; break;
    case 2: f = UINT64_C(1) << n; break;
    case 3: f = all << n & all; break;
    case 4: f = (UINT64_C(1) << n) - 1; break;
    case 5: f = r >> 40 & 3; break;
    default: f = rng_next(&rng) & all;
    }
    return (r >> 63) << (bits - 1) | exponent << fraction | f;
}

static uint64_t random_number(const test_case *t, karat_width width) {
    return t->fp && width != KARAT_W8 && rng_below(&rng, 8) ? random_float(width) : random_long(width);
}

/* A number next to that one, or of the other sign: cancellation, ties, equal operands. */
static uint64_t near(uint64_t value, karat_width width) {
    const uint64_t sign = UINT64_C(1) << ((8u << width) - 1), r = rng_next(&rng);
    value += r % 5 - 2;
    return r >> 8 & 1 ? value ^ sign : value;
}

static void put_long(uint32_t *to, uint64_t value) {
    to[0] = (uint32_t)value;
    to[1] = (uint32_t)(value >> 32);
}

static uint64_t get_long(const uint32_t *from) {
    return from[0] | (uint64_t)from[1] << 32;
}

/* --- Registers --- */

/* Width of an operand's elements. */
static karat_width operand_width(const test_case *t, const karat_operand_kind *o) {
    return o->span == KARAT_SPAN_TWICE ? t->width + 1 : t->width;
}

static bool is_wide(const test_case *t) {
    for (unsigned i = 0; i < t->row->num_operands; i++)
        if (karat_operand_info(t->row->operands[i])->span == KARAT_SPAN_TWICE)
            return true;
    return false;
}

/* Whether registers from a and b on, two each, overlap. */
static bool overlap(unsigned a, unsigned b) {
    return a / 2 == b / 2;
}

/* A scalar pair of the even ones; V 1.0 does not let operands of different widths, and masks, overlap the
 * others. */
void choose_wide_registers(test_case *t) {
    const bool apart = is_wide(t) || t->kind == VECTOR_TO_MASK;
    unsigned taken[KARAT_MAX_OPERAND], num = 0;
    const bool is_vector_row = t->kind == VECTOR || t->kind == VECTOR_TO_MASK;
    const bool has_pairs = t->width == KARAT_W64 || (is_wide(t) && t->width == KARAT_W32);
    t->lmul = is_vector_row && !has_pairs && rng_below(&rng, 4) == 0 ? 2 : 1;
    for (unsigned i = 0; i < t->row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(t->row->operands[i]);
        if (!o->is_reg)
            continue;
        const bool is_vector = o->cls == KARAT_CLASS_V;
        const bool even = karat_operand_is_pair(o, t->width) || (is_vector && t->lmul == 2);
        unsigned number;
        bool again;
        do {
            number = rng_below(&rng, is_vector ? 32 : WIDE_BASE) & (even ? ~1u : ~0u);
            /* In an f register x0 would be no boxed number. */
            if (!is_vector && number == 0 && t->row->rounds && t->width != KARAT_W64)
                number = 2;
            again = is_vector && t->masked && number < 2; /* Mask bits, packed on one side only */
            for (unsigned k = 0; k < num && is_vector && apart; k++)
                again = again || overlap(number, taken[k]);
        } while (again);
        if (is_vector)
            taken[num++] = number;
        t->insn.value[i] = (int32_t)number;
        take_register(t, o, number);
    }
}

/* --- Words --- */

static bool has_amount(const test_case *t) {
    for (unsigned i = 0; i < t->row->num_operands; i++)
        if (strcmp(karat_operand_info(t->row->operands[i])->name, "shamt") == 0)
            return true;
    return false;
}

/* The prefix of the model's word: pair, and bit 5 of a scalar shift amount. Rows of 64 bits need none. */
static uint32_t prefix_of(const test_case *t) {
    const bool always = t->row->widths == 1 << KARAT_W64;
    const int32_t pair = !always || rng_below(&rng, 2);
    if (t->width != KARAT_W64)
        return 0;
    if (has_amount(t)) {
        const int32_t high = (int32_t)rng_below(&rng, 64);
        return pair ? OP("prefixi", high, 0, 0, 1, 0, 0) : regexti((unsigned)high, 0, 0);
    }
    return pair ? OP("prefix", 0, 0, 0, 0, 1, 0, 0) : 0;
}

/* Rows of the kind of vwadd.wv. */
static bool has_two_wide_sources(const test_case *t) {
    for (unsigned i = 0; i < t->row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(t->row->operands[i]);
        if (o->role == KARAT_ROLE_SRC1 && o->span == KARAT_SPAN_TWICE)
            return true;
    }
    return false;
}

/* The word that does in the guest what the case's word does here. */
static uint32_t guest_word(const test_case *t) {
    const uint32_t opcode = t->word & 0x7f;
    if (has_two_wide_sources(t)) {
        const bool subtracts = t->word >> 27 & 1;
        return (t->word & 0x03ff8fff) | (subtracts ? 0x08000000 : 0);
    }
    if (opcode == 0x1b || opcode == 0x3b || opcode == 0x13) {
        const uint32_t bit5 = has_amount(t) ? t->prefix >> 26 & 1 : 0;
        return (t->word & ~UINT32_C(8)) | bit5 << 25;
    }
    if (t->kind == ZFINX) {
        const uint32_t funct5 = t->word >> 27,
                       conversion = opcode == 0x53 && (funct5 == 0x18 || funct5 == 0x1a);
        return t->word | 1u << 25 | conversion << 21; /* D; L and LU */
    }
    return t->word;
}

static void choose_prefix(test_case *t) {
    t->prefix = prefix_of(t);
    if (t->kind == ZFINX) {
        uint32_t rm = rng_below(&rng, 8);
        set_operand(t, "rm", rm < 5 ? (int32_t)rm : DYN); /* Reserved ones are illegal: in test_step */
    }
}

static void place_case(const test_case *t) {
    if (t->prefix)
        place(t->prefix);
    place(t->word);
}

static void emit_load(unsigned reg, int32_t offset) {
    EMIT("ld", (int32_t)reg, offset, IN);
}

static void set_long(unsigned reg, uint64_t value) {
    set_scalar(reg, (uint32_t)value);
    if (reg)
        set_scalar(reg + 1, (uint32_t)(value >> 32));
}

static uint64_t get_scalar_long(unsigned reg) {
    return reg ? get_scalar(reg) | (uint64_t)get_scalar(reg + 1) << 32 : 0;
}

/* The result, in the model's registers and in the commit. */
static void compare_result(const test_case *t, const uint32_t *in, uint64_t expected) {
    expect(t, "register", t->rd, get_scalar_long(t->rd), expected, in);
    expect(t, "number of writes to", t->rd, commit.num_writes, t->rd ? 2 : 0, in);
    if (commit.num_writes == 2)
        expect(t, "commit's register", t->rd,
               commit.write[0].value[0] | (uint64_t)commit.write[1].value[0] << 32, expected, in);
}

/* --- Scalar: integer, and Zdinx --- */

static void emit_scalar(test_case *t) {
    emit_load(t->rs1, 0);
    emit_load(t->rs2, 8);
    emit_load(t->rs3, 16);
    EMIT("addi", IN, IN, 24);
    if (t->fp)
        emit_flags(t);
    emit(guest_word(t));
    EMIT("sd", (int32_t)t->rd, 0, OUT);
    if (t->fp)
        EMIT("csrrs", SCRATCH, FCSR, 0);
    EMIT("sd", SCRATCH, 8, OUT);
    EMIT("addi", OUT, OUT, 16);
    place_case(t);
    header->in_words += 6;
    header->out_words += 4;
}

static void scalar_operands(uint32_t *in, const test_case *t) {
    uint64_t value = random_number(t, KARAT_W64);
    for (unsigned i = 0; i < 3; i++) {
        put_long(in + 2 * i, value);
        value = rng_below(&rng, 4) ? random_number(t, KARAT_W64) : near(value, KARAT_W64);
    }
}

static void adopt_scalars(const test_case *t, const uint32_t *in) {
    set_scalar(1, random_word()); /* No part of the pair of x0 */
    set_long(t->rs1, get_long(in));
    set_long(t->rs2, get_long(in + 2));
    set_long(t->rs3, get_long(in + 4));
}

static bool compare_scalar(const test_case *t, const uint32_t *in, const uint32_t *out) {
    adopt_scalars(t, in);
    if (t->fp)
        karat_csr_write(model, 0, FCSR, t->frm << 5 | t->fflags);
    if (!step_model(t))
        return false;
    compare_result(t, in, get_long(out));
    if (t->fp) {
        expect(t, "fcsr", 0, get_csr_value(FCSR), out[2], in);
        expect(t, "commit's flags", 0, commit.flags_raised | t->fflags, out[2] & 31, in);
    }
    return true;
}

const part wide_scalar_part = {choose_prefix, emit_scalar, scalar_operands, compare_scalar, NULL};

/* --- Branches and auipc --- */

static bool is_auipc(const test_case *t) {
    return (t->row->match & 0x7f) == 0x17;
}

static void choose_branch(test_case *t) {
    choose_prefix(t);
    set_operand(t, "target12", 8);
}

/* An auipc leaves rd less pc, a branch 0 where it was taken, and 1 where not. */
static void emit_branch(test_case *t) {
    emit_load(t->rs1, 0);
    emit_load(t->rs2, 8);
    EMIT("addi", IN, IN, 16);
    if (is_auipc(t)) {
        emit(guest_word(t));
        EMIT("auipc", SCRATCH, 0);
        EMIT("sub", SCRATCH, (int32_t)t->rd, SCRATCH);
        EMIT("addi", SCRATCH, SCRATCH, 4);
    } else {
        EMIT("addi", SCRATCH, 0, 0);
        emit(guest_word(t));
        EMIT("addi", SCRATCH, 0, 1);
    }
    EMIT("sd", SCRATCH, 0, OUT);
    EMIT("addi", OUT, OUT, 8);
    place_case(t);
    if (!is_auipc(t))
        place(OP("addi", 0, 0, 0));
    header->in_words += 4;
    header->out_words += 2;
}

static void branch_operands(uint32_t *in, const test_case *t) {
    uint64_t value = random_number(t, KARAT_W64);
    put_long(in, value);
    put_long(in + 2, rng_below(&rng, 2) ? random_number(t, KARAT_W64) : near(value, KARAT_W64));
}

static bool compare_branch(const test_case *t, const uint32_t *in, const uint32_t *out) {
    set_scalar(1, random_word());
    set_long(t->rs1, get_long(in));
    set_long(t->rs2, get_long(in + 2));
    if (!step_model(t))
        return false;
    if (is_auipc(t)) {
        if (t->rd)
            compare_result(t, in, get_long(out) + commit.pc);
        return true;
    }
    const bool taken = commit.next_pc != commit.pc + 4;
    expect(t, "next pc", 0, commit.next_pc - commit.pc, out[0] ? 4 : 8, in);
    return taken || step_model(t);
}

const part wide_branch_part = {choose_branch, emit_branch, branch_operands, compare_branch, NULL};

/* --- A: 32 bits at a 64-bit address --- */

static void choose_amo(test_case *t) {
    set_operand(t, "base", WIDE_BASE);
    t->before = rng_below(&rng, 4) != 0; /* Whether SC has a reservation */
}

static void emit_amo(test_case *t) {
    const bool sc = t->word >> 27 == KARAT_AMO_SC;
    emit_load(t->rs2, 0);
    emit_load(SCRATCH, 8);
    EMIT("addi", IN, IN, 16);
    EMIT("sd", SCRATCH, 0, OUT);
    if (sc && t->before)
        EMIT("lr.w", SCRATCH, OUT, 0);
    emit((t->word & ~UINT32_C(0x000f9000)) | UINT32_C(0x2000) | OUT << 15);
    EMIT("sd", (int32_t)t->rd, 8, OUT);
    EMIT("addi", OUT, OUT, 16);
    if (sc && t->before)
        place(OP("lr.d", SCRATCH, WIDE_BASE, 0));
    place(t->word);
    header->in_words += 4;
    header->out_words += 4;
}

static void amo_operands(uint32_t *in, const test_case *t) {
    (void)t;
    put_long(in, random_integer() | (uint64_t)random_word() << 32);
    put_long(in + 2, rng_below(&rng, 4) ? random_integer() : in[0]);
}

static bool compare_amo(const test_case *t, const uint32_t *in, const uint32_t *out) {
    const uint64_t addr = WIDE_WINDOW + 4 * t->out;
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(in[2 + i / 4] >> 8 * (i % 4));
    karat_write(model, addr, bytes, sizeof bytes);
    set_scalar(t->rs2, in[0]);
    set_long(WIDE_BASE, addr);
    if (t->word >> 27 == KARAT_AMO_SC && t->before && !step_model(t))
        return false;
    if (!step_model(t))
        return false;
    karat_read(model, addr, bytes, sizeof bytes);
    for (unsigned i = 0; i < 8; i++)
        expect(t, "byte", i, bytes[i], out[i / 4] >> 8 * (i % 4) & 0xff, in);
    expect(t, "register", t->rd, get_scalar(t->rd), out[2], in);
    return true;
}

const part wide_amo_part = {choose_amo, emit_amo, amo_operands, compare_amo, NULL};

/* --- Vectors --- */

/* Operands of the guest: packed by the width of their elements. */
typedef struct layout {
    karat_width vd, v1, v2;
    bool mask; /* The result is a mask: one register */
} layout;

static layout layout_of(const test_case *t) {
    layout l = {t->width, t->width, t->width, t->kind == VECTOR_TO_MASK};
    for (unsigned i = 0; i < t->row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(t->row->operands[i]);
        if (!o->is_reg || o->cls != KARAT_CLASS_V)
            continue;
        *(o->role == KARAT_ROLE_DEST   ? &l.vd
          : o->role == KARAT_ROLE_SRC1 ? &l.v1
                                       : &l.v2) = operand_width(t, o);
    }
    if (l.mask)
        l.vd = KARAT_W32;
    return l;
}

static uint32_t num_elements(const test_case *t) {
    return LANES * t->lmul;
}

/* Words of a packed operand. */
static uint32_t words(const test_case *t, karat_width width) {
    return num_elements(t) * (8u << width) / 32;
}

/* The types e8 mf4, e16 mf2, e32 m1, e64 m2, or twice these: tail and mask undisturbed. */
static int32_t guest_vtype(const test_case *t, karat_width width) {
    static const int32_t vtype[2][4] = {{0x06, 0x0f, 0x10, 0x19}, {0x07, 0x08, 0x11, 0x1a}};
    return vtype[t->lmul - 1][width];
}

/* Emits vle or vse of 8, 16, 32 or 64 bits at IN or OUT, which moves on. */
static void emit_packed(const test_case *t, bool load, unsigned reg, karat_width width) {
    static const uint32_t funct3[] = {0, 5, 6, 7};
    const uint32_t pointer = load ? IN : OUT;
    emit((load ? 0x02000007 : 0x02000027) | funct3[width] << 12 | pointer << 15 | reg << 7);
    EMIT("addi", (int32_t)pointer, (int32_t)pointer, (int32_t)(4 * words(t, width)));
}

/* QEMU 7.2 dies on an instruction with a rounding mode of its own unless the translation block has looked at
 * frm before (see qemu_arith.c): so does this addition of zeros, which changes nothing. */
static void emit_frm_check(void) {
    const uint32_t page_words = 1024, f31 = 31;
    if (header->code_words % page_words == page_words - 1)
        EMIT("addi", 0, 0, 0);
    emit(0x00000053 | f31 << 20 | f31 << 15 | DYN << 12 | f31 << 7); /* An fadd.s */
}

static unsigned scalar_source(const test_case *t) {
    return t->x1 ? t->rs1 : 2;
}

static void choose_vector(test_case *t) {
    t->prefix = prefix_of(t);
}

static void emit_vector_case(test_case *t) {
    const uint32_t fmv_d_x = 0xf2000053;
    const layout l = layout_of(t);
    emit_load(scalar_source(t), 0);
    EMIT("lw", AVL, 8, IN);
    EMIT("addi", IN, IN, 16);
    if (t->fp_scalar)
        emit(fmv_d_x | t->rs1 << 15 | t->rs1 << 7);
    EMIT("vsetvli", SCRATCH, 0, guest_vtype(t, t->width));
    emit_packed(t, true, t->rd, l.vd);
    emit_packed(t, true, t->v1 ? t->rs1 : t->rd, t->v1 ? l.v1 : l.vd);
    emit_packed(t, true, t->v2 ? t->rs2 : t->rd, t->v2 ? l.v2 : l.vd);
    emit_mask(t);
    emit_flags(t);
    EMIT("csrrwi", 0, VCSR, (int32_t)t->vcsr);
    EMIT("vsetvli", SCRATCH, AVL, guest_vtype(t, has_two_wide_sources(t) ? t->width + 1 : t->width));
    EMIT("sw", SCRATCH, 0, OUT);
    if (t->row->rounds)
        emit_frm_check();
    emit(guest_word(t));
    EMIT("csrrs", SCRATCH, FCSR, 0);
    EMIT("sw", SCRATCH, 4, OUT);
    EMIT("csrrs", SCRATCH, VCSR, 0);
    EMIT("sw", SCRATCH, 8, OUT);
    EMIT("addi", OUT, OUT, 16);
    EMIT("vsetvli", SCRATCH, 0, guest_vtype(t, t->width));
    emit_packed(t, false, t->rd, l.vd);
    /* Of elements by pair vtype says nothing. */
    const int32_t sew = t->width == KARAT_W64 ? (int32_t)rng_below(&rng, 3) : (int32_t)t->width;
    place(OP("vsetvli", SCRATCH, AVL, sew << 3 | (int32_t)(t->lmul - 1)));
    place_case(t);
    header->in_words +=
        4 + words(t, l.vd) + words(t, t->v1 ? l.v1 : l.vd) + words(t, t->v2 ? l.v2 : l.vd) + 2;
    header->out_words += 4 + words(t, l.vd);
}

static void put_packed(uint32_t *to, karat_width width, unsigned i, uint64_t value) {
    const unsigned bits = 8u << width;
    if (width == KARAT_W64) {
        put_long(to + 2 * i, value);
        return;
    }
    uint32_t *word = &to[i * bits / 32];
    const unsigned shift = i * bits % 32;
    *word = (*word & ~((uint32_t)cut(~UINT64_C(0), width) << shift)) | (uint32_t)cut(value, width) << shift;
}

static uint64_t get_packed(const uint32_t *from, karat_width width, unsigned i) {
    const unsigned bits = 8u << width;
    return width == KARAT_W64 ? get_long(from + 2 * i) : cut(from[i * bits / 32] >> i * bits % 32, width);
}

/* Where the packed operands of a case are in its input. */
typedef struct packed {
    uint32_t vd, v1, v2, mask;
    layout l;
} packed;

static packed packed_of(const test_case *t) {
    packed p = {.vd = 4, .l = layout_of(t)};
    if (!t->v1)
        p.l.v1 = p.l.vd;
    if (!t->v2)
        p.l.v2 = p.l.vd;
    p.v1 = p.vd + words(t, p.l.vd);
    p.v2 = p.v1 + words(t, p.l.v1);
    p.mask = p.v2 + words(t, p.l.v2);
    return p;
}

static void vector_operands(uint32_t *in, const test_case *t) {
    const packed p = packed_of(t);
    uint64_t scalar = random_number(t, t->width);
    if (t->fp_scalar && t->width != KARAT_W64) /* Boxed for the f register; the model has the low bits */
        scalar = cut(scalar, t->width) | ~cut(~UINT64_C(0), t->width);
    put_long(in, scalar);
    in[2] = rng_below(&rng, 4) ? 2 * num_elements(t) : rng_below(&rng, num_elements(t) + 2);
    in[3] = 0;
    for (unsigned i = 0; i < num_elements(t); i++) {
        const uint64_t value = random_number(t, p.l.v2);
        put_packed(in + p.v2, p.l.v2, i, value);
        put_packed(in + p.v1, p.l.v1, i, rng_below(&rng, 4) ? random_number(t, p.l.v1) : near(value, p.l.v2));
        put_packed(in + p.vd, p.l.vd, i, rng_below(&rng, 4) ? random_number(t, p.l.vd) : near(value, p.l.v2));
    }
    in[p.mask] = random_word();
    in[p.mask + 1] = random_word();
}

/* A register, a group or a pair, with anything above narrower elements. */
static void adopt_packed(const test_case *t, unsigned reg, karat_width width, const uint32_t *from) {
    uint32_t low[MAX_ELEMENT] = {0}, high[MAX_ELEMENT] = {0};
    for (unsigned i = 0; i < num_elements(t); i++) {
        const uint64_t value = get_packed(from, width, i);
        low[i] =
            (uint32_t)value | (width < KARAT_W32 ? random_word() & (uint32_t)~cut(~UINT64_C(0), width) : 0);
        high[i] = (uint32_t)(value >> 32);
    }
    adopt_v(reg, t->lmul, low);
    if (width == KARAT_W64)
        adopt_v(reg + 1, 1, high);
}

/* Whether a floating-point row's results are integers. */
static bool is_integer(const karat_row *row) {
    return !row->rounds || strstr(row->name, "_x_f") || strstr(row->name, "_xu_f") ||
           strcmp(row->name, "vfclass_v") == 0;
}

/* An element of a result as a register, or a pair, holds it. */
static uint64_t in_register(const test_case *t, karat_width width, uint64_t value) {
    if (width >= KARAT_W32)
        return value;
    return (uint32_t)(is_integer(t->row) ? extend(value, width) : value | 0xffff0000u);
}

static bool compare_vector(const test_case *t, const uint32_t *in, const uint32_t *out) {
    const packed p = packed_of(t);
    uint32_t old[MAX_ELEMENT];
    const uint64_t scalar = get_long(in);
    const unsigned source = scalar_source(t);
    set_scalar(source, (uint32_t)scalar);
    if (t->width == KARAT_W64)
        set_long(source, scalar);
    set_scalar(AVL, in[2]);
    adopt_packed(t, t->rd, p.l.vd, in + p.vd);
    adopt_packed(t, t->v1 ? t->rs1 : t->rd, p.l.v1, in + p.v1);
    adopt_packed(t, t->v2 ? t->rs2 : t->rd, p.l.v2, in + p.v2);
    if (t->masked)
        adopt_mask(t->lmul, in + p.mask);
    karat_csr_write(model, 0, FCSR, t->frm << 5 | t->fflags);
    karat_csr_write(model, 0, VCSR, t->vcsr);
    if (!step_model(t)) /* The vsetvli */
        return false;
    expect(t, "vl", 0, commit.write[0].value[0], out[0], in);
    const bool pair = p.l.vd == KARAT_W64;
    memcpy(old, vector(t->rd), (pair ? 2 * LANES : num_elements(t)) * sizeof *old);
    if (!step_model(t))
        return false;
    expect(t, "fcsr", 0, get_csr_value(FCSR), out[1], in);
    expect(t, "vcsr", 0, get_csr_value(VCSR), out[2], in);
    expect(t, "width", 0, commit.width, 8u << t->width, in);
    const uint32_t *now = vector(t->rd), *result = out + 4;
    uint32_t written = 0;
    for (uint32_t i = 0; i < num_elements(t); i++) {
        const bool active = i < out[0] && (!t->skips || in[p.mask + i / 32] >> i % 32 & 1);
        const uint64_t is = now[i] | (pair ? (uint64_t)now[i + LANES] << 32 : 0);
        uint64_t expected = old[i] | (pair ? (uint64_t)old[i + LANES] << 32 : 0);
        if (active)
            expected = p.l.mask ? result[i / 32] >> i % 32 & 1
                                : in_register(t, p.l.vd, get_packed(result, p.l.vd, i));
        written += active;
        expect(t, "element", i, is, expected, in);
    }
    count_elements(t, written);
    return true;
}

static void describe_vector(const test_case *t, unsigned element, const uint32_t *in) {
    const packed p = packed_of(t);
    const unsigned i = element % num_elements(t);
    printf(": scalar 0x%llx, vd 0x%llx, vs1 0x%llx, vs2 0x%llx\n", (unsigned long long)get_long(in),
           (unsigned long long)get_packed(in + p.vd, p.l.vd, i),
           (unsigned long long)get_packed(in + p.v1, p.l.v1, i),
           (unsigned long long)get_packed(in + p.v2, p.l.v2, i));
}

const part wide_vector_part = {choose_vector, emit_vector_case, vector_operands, compare_vector,
                               describe_vector};
