/* Part of test_qemu: scalar register and immediate operations, Zfinx, vector arithmetic. */
#include "qemu_case.h"

#include <stdio.h>
#include <string.h>

/* A floating-point instruction's: integers, too, for conversions. */
static uint32_t number(const test_case *t) {
    return t->fp && rng_below(&rng, 8) ? random_operand(&rng) : random_integer();
}

static void choose_nothing(test_case *t) {
    (void)t;
}

static void compare_result(const test_case *t, const uint32_t *in, uint32_t expected) {
    expect(t, "register", t->rd, get_scalar(t->rd), expected, in);
    if (commit.num_writes != (t->rd != 0) || (t->rd && commit.write[0].value[0] != expected))
        report(t, "commit's register", t->rd, commit.write[0].value[0], expected, in);
}

/* Emits vle32.v or vse32.v of a group at IN or OUT, which moves on behind it. */
void emit_vector(bool load, unsigned reg, uint32_t lmul) {
    int32_t pointer = load ? IN : OUT;
    emit(load ? OP("vle32.v", (int32_t)reg, pointer, 1) : OP("vse32.v", (int32_t)reg, pointer, 1));
    EMIT("addi", pointer, pointer, (int32_t)(128 * lmul));
}

/* --- Scalar integer --- */

static void emit_scalar(test_case *t) {
    EMIT("lw", (int32_t)t->rs1, 0, IN);
    EMIT("lw", (int32_t)t->rs2, 4, IN);
    EMIT("addi", IN, IN, 8);
    emit(t->word);
    EMIT("sw", (int32_t)t->rd, 0, OUT);
    EMIT("addi", OUT, OUT, 4);
    place(t->word);
    header->in_words += 2;
    header->out_words += 1;
}

static void scalar_operands(uint32_t *in, const test_case *t) {
    in[0] = number(t);
    in[1] = number(t);
}

static bool compare_scalar(const test_case *t, const uint32_t *in, const uint32_t *out) {
    set_scalar(t->rs1, in[0]);
    set_scalar(t->rs2, in[1]);
    if (!step_model(t))
        return false;
    compare_result(t, in, out[0]);
    return true;
}

const part scalar_part = {choose_nothing, emit_scalar, scalar_operands, compare_scalar, NULL};

/* --- Zfinx --- */

/* Reserved rounding modes are illegal: in test_step. */
static void choose_rounding(test_case *t) {
    uint32_t rm = rng_below(&rng, 8);
    set_operand(t, "rm", rm < 5 ? (int32_t)rm : DYN);
}

static void emit_zfinx(test_case *t) {
    EMIT("lw", (int32_t)t->rs1, 0, IN);
    EMIT("lw", (int32_t)t->rs2, 4, IN);
    EMIT("lw", (int32_t)t->rs3, 8, IN);
    EMIT("addi", IN, IN, 12);
    emit_flags(t);
    emit(t->word);
    EMIT("sw", (int32_t)t->rd, 0, OUT);
    EMIT("csrrs", SCRATCH, FCSR, 0);
    EMIT("sw", SCRATCH, 4, OUT);
    EMIT("addi", OUT, OUT, 8);
    place(t->word);
    header->in_words += 3;
    header->out_words += 2;
}

static void zfinx_operands(uint32_t *in, const test_case *t) {
    for (unsigned i = 0; i < 3; i++)
        in[i] = number(t);
    if (rng_below(&rng, 4))
        random_operands(&rng, in); /* Related */
}

static bool compare_zfinx(const test_case *t, const uint32_t *in, const uint32_t *out) {
    set_scalar(t->rs1, in[0]);
    set_scalar(t->rs2, in[1]);
    set_scalar(t->rs3, in[2]);
    karat_csr_write(model, 0, FCSR, t->frm << 5 | t->fflags);
    if (!step_model(t))
        return false;
    compare_result(t, in, out[0]);
    expect(t, "fcsr", 0, get_csr_value(FCSR), out[1], in);
    expect(t, "commit's flags", 0, commit.flags_raised | t->fflags, out[1] & 31, in);
    return true;
}

const part zfinx_part = {choose_rounding, emit_zfinx, zfinx_operands, compare_zfinx, NULL};

/* --- Vectors --- */

/* The scalar operand's register; x1 where there is none. */
static unsigned scalar_source(const test_case *t) {
    return t->x1 ? t->rs1 : 1;
}

/* QEMU 7.2 dies (assertion in decode_save_opc) on an instruction with a rounding mode of its own,
 * vfcvt.rtz.*, unless the translation block that it is in has looked at frm before. So a vfsgnj of a register
 * with itself, which changes nothing, stands before it on the same page: blocks end with the page. */
static void emit_frm_check(const test_case *t) {
    const uint32_t page_words = 1024, nop = OP("addi", 0, 0, 0);
    if (header->code_words % page_words == page_words - 1)
        emit(nop);
    EMIT("vfsgnj.vv", (int32_t)t->rd, (int32_t)t->rd, (int32_t)t->rd, 1);
}

static void emit_arithmetic(test_case *t) {
    const uint32_t fmv_w_x = 0xf0000053; /* A row that Ventus does not have */
    uint32_t group = LANES * t->lmul;
    EMIT("lw", (int32_t)scalar_source(t), 0, IN);
    EMIT("lw", AVL, 4, IN);
    EMIT("addi", IN, IN, 8);
    if (t->fp_scalar)
        emit(fmv_w_x | t->rs1 << 15 | t->rs1 << 7);
    EMIT("vsetvli", SCRATCH, 0, vtype_of(t->lmul));
    emit_vector(true, t->rd, t->lmul);
    emit_vector(true, t->v1 ? t->rs1 : t->rd, t->lmul);
    emit_vector(true, t->v2 ? t->rs2 : t->rd, t->lmul);
    emit_mask(t);
    emit_flags(t);
    EMIT("csrrwi", 0, VCSR, (int32_t)t->vcsr);
    EMIT("vsetvli", SCRATCH, AVL, vtype_of(t->lmul));
    EMIT("sw", SCRATCH, 0, OUT);
    if (t->kind == MASK_LOGIC)
        EMIT("vsetvli", SCRATCH, 0, 0x03); /* Type e8, m8: all bits of a register */
    if (t->row->rounds)
        emit_frm_check(t);
    emit(t->word);
    EMIT("csrrs", SCRATCH, FCSR, 0);
    EMIT("sw", SCRATCH, 4, OUT);
    EMIT("csrrs", SCRATCH, VCSR, 0);
    EMIT("sw", SCRATCH, 8, OUT);
    EMIT("addi", OUT, OUT, 12);
    EMIT("vsetvli", SCRATCH, 0, vtype_of(t->lmul));
    emit_vector(false, t->rd, t->lmul);
    place(OP("vsetvli", SCRATCH, AVL, vtype_of(t->lmul)));
    place(t->word);
    header->in_words += 2 + 3 * group + 2;
    header->out_words += 3 + group;
}

static void arithmetic_operands(uint32_t *in, const test_case *t) {
    uint32_t group = LANES * t->lmul;
    in[0] = number(t);
    uint32_t vl = rng_below(&rng, 4) ? 2 * group : rng_below(&rng, group + 2);
    in[1] = t->kind == MASK_LOGIC ? LANES : vl;
    uint32_t *v = in + 2;
    for (uint32_t i = 0; i < 3 * group; i++)
        v[i] = number(t);
    for (uint32_t i = 0; i < group; i++) { /* Equal and neighbouring operands */
        uint64_t r = rng_next(&rng);
        if (r % 8 == 0)
            v[2 * group + i] = v[group + i] + (uint32_t)(r >> 32) % 3 - 1;
    }
    if (t->fp) /* Related operands: cancellation, ties, overflow */
        for (uint32_t i = 0; i < group; i += 2) {
            uint32_t x[3];
            random_operands(&rng, x);
            v[i] = x[0], v[group + i] = x[1], v[2 * group + i] = x[2];
        }
    v[3 * group] = random_word();
    v[3 * group + 1] = random_word();
}

static bool compare_arithmetic(const test_case *t, const uint32_t *in, const uint32_t *out) {
    uint32_t group = LANES * t->lmul;
    const uint32_t *v = in + 2, *packed = v + 3 * group;
    uint32_t old[MAX_ELEMENT];
    set_scalar(scalar_source(t), in[0]);
    set_scalar(AVL, in[1]);
    adopt_v(t->rd, t->lmul, v);
    adopt_v(t->v1 ? t->rs1 : t->rd, t->lmul, v + group);
    adopt_v(t->v2 ? t->rs2 : t->rd, t->lmul, v + 2 * group);
    if (t->masked)
        adopt_mask(t->lmul, packed);
    karat_csr_write(model, 0, FCSR, t->frm << 5 | t->fflags);
    karat_csr_write(model, 0, VCSR, t->vcsr);
    if (!step_model(t)) /* The vsetvli */
        return false;
    expect(t, "vl", 0, commit.write[0].value[0], out[0], in);
    memcpy(old, vector(t->rd), group * sizeof *old);
    if (!step_model(t))
        return false;
    expect(t, "fcsr", 0, get_csr_value(FCSR), out[1], in);
    expect(t, "vcsr", 0, get_csr_value(VCSR), out[2], in);
    const uint32_t *now = vector(t->rd), *result = out + 3;
    uint32_t written = 0;
    for (uint32_t i = 0; i < group; i++) {
        uint32_t expected = result[i];
        bool active = i < out[0] && (!t->skips || packed[i / 32] >> i % 32 & 1);
        if (t->kind == VECTOR_TO_MASK)
            expected = active ? result[i / 32] >> i % 32 & 1 : old[i];
        written += active;
        expect(t, "element", i, now[i], expected, in);
    }
    count_elements(t, written);
    return true;
}

static void describe_arithmetic(const test_case *t, unsigned element, const uint32_t *in) {
    uint32_t group = LANES * t->lmul, at = 2 + element % group;
    printf(": scalar 0x%08x, vd 0x%08x, vs1 0x%08x, vs2 0x%08x\n", in[0], in[at], in[at + group],
           in[at + 2 * group]);
}

const part vector_part = {choose_nothing, emit_arithmetic, arithmetic_operands, compare_arithmetic,
                          describe_arithmetic};
