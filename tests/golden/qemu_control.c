/* Part of test_qemu: branches, jumps and auipc; CSRs; vset*. */
#include "qemu_case.h"

/* --- Branches and what else depends on the pc ---
 *
 * Guest and model run at different addresses, so link registers and auipc are compared as distances from a
 * label, and jalr gets a base that is relative to the pc. Every target is a few instructions ahead; those in
 * between count that they were executed. That other offsets are decoded right is test_disasm's. */

enum { AUIPC = 0x17, JALR = 0x67 };

static bool is(const test_case *t, unsigned opcode) {
    return (t->word & 0x7f) == opcode;
}

static void choose_branch(test_case *t) {
    t->fillers = 1 + rng_below(&rng, 4);
    int32_t distance = 4 + 4 * (int32_t)t->fillers;
    set_operand(t, "target12", distance);
    set_operand(t, "target20", distance);
    if ((t->row->match & 0x7f) == JALR) {
        set_operand(t, "offset12", distance + 4 + (int32_t)rng_below(&rng, 2)); /* Bit 0 does not count */
        if (t->rs1 == 0)
            set_operand(t, "rs1", (int32_t)(t->rs1 = 1 + rng_below(&rng, AVL - 1)));
    }
}

static void emit_branch(test_case *t) {
    EMIT("lw", (int32_t)t->rs1, 0, IN);
    EMIT("lw", (int32_t)t->rs2, 4, IN);
    EMIT("addi", IN, IN, 8);
    EMIT("addi", SCRATCH, 0, 0);
    if (is(t, JALR))
        EMIT("auipc", (int32_t)t->rs1, 0);
    emit(t->word);
    place(t->word);
    for (unsigned i = 0; i < t->fillers; i++) {
        EMIT("addi", SCRATCH, SCRATCH, 1);
        place(OP("addi", 0, 0, 0));
    }
    EMIT("auipc", AVL, 0);
    EMIT("sw", SCRATCH, 0, OUT);
    EMIT("sub", SCRATCH, (int32_t)t->rd, AVL);
    EMIT("sw", SCRATCH, 4, OUT);
    EMIT("addi", OUT, OUT, 8);
    header->in_words += 2;
    header->out_words += 2;
}

static void two_operands(uint32_t *in, const test_case *t) {
    (void)t;
    in[0] = random_integer();
    in[1] = rng_below(&rng, 3) ? random_integer() : in[0] + rng_below(&rng, 3) - 1;
}

static bool compare_branch(const test_case *t, const uint32_t *in, const uint32_t *out) {
    karat_warp_view view;
    karat_view(model, 0, &view);
    const uint32_t pc = view.pc, target = pc + 4 + 4 * t->fillers;
    set_scalar(t->rs1, in[0]);
    set_scalar(t->rs2, in[1]);
    if (is(t, JALR))
        set_scalar(t->rs1, pc - 4);
    if (!step_model(t))
        return false;
    /* The instructions that the guest ran between the branch and its target. */
    if (out[0] != 0 && out[0] != t->fillers)
        report(t, "guest's fillers", 0, 0, out[0], in);
    expect(t, "next pc less pc", 0, commit.next_pc - pc, out[0] ? 4 : target - pc, in);
    if (t->rd)
        expect(t, "register less target", t->rd, get_scalar(t->rd) - target, out[1], in);
    if (commit.num_writes != (t->rd != 0))
        report(t, "writes", 0, commit.num_writes, t->rd != 0, in);
    for (karat_view(model, 0, &view); view.pc != target; karat_view(model, 0, &view))
        if (!step_model(t))
            return false;
    return true;
}

const part branch_part = {choose_branch, emit_branch, two_operands, compare_branch, NULL};

/* --- CSRs: those that a user program has on both sides --- */

enum { CUSTOM = 0x800, READ_ONLY = 3, VSTART = 8, VXSAT, VXRM };

static bool in_both(uint32_t csr) {
    bool user = (csr >> 8 & 3) == 0, custom = csr >> 8 == CUSTOM >> 8;
    return karat_csr_name(csr) && user && !custom;
}

static bool writes(const test_case *t) {
    bool replaces = (t->row->match >> 12 & 3) == 1; /* For csrrw and csrrwi; the others set and clear */
    return replaces || (t->word >> 15 & 31) != 0;
}

/* QEMU 7.2 keeps what is written to vxrm, vxsat and vcsr beyond their fields, which are read as 0 by the
 * specification (and in the model: step_params.c). So what is written there has to fit. */
static uint32_t written_bits(uint32_t csr) {
    switch (csr) {
    case VXSAT: return 1;
    case VXRM: return 3;
    case VCSR: return 7;
    default: return ~0u;
    }
}

static uint32_t csr_of(const test_case *t) {
    return t->word >> 20;
}

/* A read-only one is only read, and vstart can only be 0. */
static void choose_csr(test_case *t) {
    bool replaces = (t->row->match >> 12 & 3) == 1;
    uint32_t csr;
    do
        csr = rng_below(&rng, 4096);
    while (!in_both(csr) || (replaces && csr >> 10 == READ_ONLY));
    set_operand(t, "csr", (int32_t)csr);
    if (csr >> 10 == READ_ONLY || csr == VSTART) {
        set_operand(t, "rs1", 0);
        set_operand(t, "zimm", 0);
        t->rs1 = 0;
    } else {
        set_operand(t, "zimm", (int32_t)(random_word() & 31 & written_bits(csr)));
    }
}

static void emit_csr(test_case *t) {
    EMIT("lw", SCRATCH, 0, IN);
    EMIT("csrrw", 0, FCSR, SCRATCH);
    EMIT("lw", SCRATCH, 4, IN);
    EMIT("csrrw", 0, VCSR, SCRATCH);
    EMIT("lw", AVL, 8, IN);
    EMIT("vsetvli", SCRATCH, AVL, vtype_of(t->lmul));
    EMIT("lw", (int32_t)t->rs1, 12, IN);
    EMIT("addi", IN, IN, 16);
    emit(t->word);
    EMIT("sw", (int32_t)t->rd, 0, OUT);
    static const int32_t after[] = {FCSR, VCSR, VL, VTYPE};
    for (int32_t i = 0; i < 4; i++) {
        EMIT("csrrs", SCRATCH, after[i], 0);
        EMIT("sw", SCRATCH, 4 + 4 * i, OUT);
    }
    EMIT("addi", OUT, OUT, 20);
    place(OP("vsetvli", SCRATCH, AVL, vtype_of(t->lmul)));
    place(t->word);
    header->in_words += 4;
    header->out_words += 5;
}

static void csr_operands(uint32_t *in, const test_case *t) {
    in[0] = random_word() & 0xff;
    in[1] = random_word() & 7;
    in[2] = rng_below(&rng, LANES * t->lmul + 8);
    in[3] = random_integer() & written_bits(csr_of(t));
}

static bool compare_csr(const test_case *t, const uint32_t *in, const uint32_t *out) {
    karat_csr_write(model, 0, FCSR, in[0]);
    karat_csr_write(model, 0, VCSR, in[1]);
    set_scalar(AVL, in[2]);
    if (!step_model(t))
        return false;
    set_scalar(t->rs1, in[3]);
    if (!step_model(t))
        return false;
    expect(t, "register", t->rd, get_scalar(t->rd), out[0], in);
    expect(t, "writes", 0, commit.num_writes, t->rd != 0, in);
    expect(t, "commit's write", 0, commit.csr_written, writes(t), in);
    expect(t, "fcsr", 0, get_csr_value(FCSR), out[1], in);
    expect(t, "vcsr", 0, get_csr_value(VCSR), out[2], in);
    expect(t, "vl", 0, get_csr_value(VL), out[3], in);
    expect(t, "vtype", 0, get_csr_value(VTYPE), out[4], in);
    return true;
}

const part csr_part = {choose_csr, emit_csr, csr_operands, compare_csr, NULL};

/* --- vsetvli, vsetivli, vsetvl ---
 *
 * With vlen = 1024, SEW 32 and LMUL 1 or 2 have Ventus' VLMAX. Ventus sets vill for every other setting; V
 * 1.0 for some of them only, and those are compared: reserved LMUL or SEW, reserved bits, vill itself. */

static uint32_t random_vtype(unsigned bits) {
    uint32_t good = (uint32_t)(rng_below(&rng, 2) ? E32M1 : E32M2);
    good |= rng_below(&rng, 4) << 6;
    switch (rng_below(&rng, 8)) {
    case 0: return (good & ~7u) | 4;                                /* LMUL */
    case 1: return (good & ~0x38u) | (4 + rng_below(&rng, 4)) << 3; /* SEW */
    case 2: return good | 1u << (8 + rng_below(&rng, bits - 8));    /* Another bit */
    case 3: return bits == 32 ? 1u << 31 : good;
    default: return good;
    }
}

static void choose_config(test_case *t) {
    set_operand(t, "vtype11", (int32_t)random_vtype(11));
    set_operand(t, "vtype10", (int32_t)random_vtype(10));
    if (t->x1 && rng_below(&rng, 2)) /* Often x0 means something else */
        set_operand(t, "rs1", (int32_t)(t->rs1 = 0));
    if (rng_below(&rng, 3) == 0)
        set_operand(t, "rd", (int32_t)(t->rd = 0));
    if (t->rs2 == 0 || t->rs2 == t->rs1)
        set_operand(t, "rs2", (int32_t)(t->rs2 = t->rs1 == 1 ? 2 : 1));
}

static void emit_config(test_case *t) {
    EMIT("lw", AVL, 0, IN);
    EMIT("vsetvli", SCRATCH, AVL, vtype_of(t->lmul)); /* Sets vl before it */
    EMIT("lw", (int32_t)t->rs1, 4, IN);
    EMIT("lw", (int32_t)t->rs2, 8, IN);
    EMIT("addi", IN, IN, 12);
    emit(t->word);
    EMIT("sw", (int32_t)t->rd, 0, OUT);
    EMIT("csrrs", SCRATCH, VL, 0);
    EMIT("sw", SCRATCH, 4, OUT);
    EMIT("csrrs", SCRATCH, VTYPE, 0);
    EMIT("sw", SCRATCH, 8, OUT);
    EMIT("addi", OUT, OUT, 12);
    place(OP("vsetvli", SCRATCH, AVL, vtype_of(t->lmul)));
    place(t->word);
    header->in_words += 3;
    header->out_words += 3;
}

static void config_operands(uint32_t *in, const test_case *t) {
    in[0] = rng_below(&rng, LANES * t->lmul + 1);
    in[1] = rng_below(&rng, 4) ? rng_below(&rng, 3 * LANES) : random_integer();
    in[2] = random_vtype(32);
}

static bool compare_config(const test_case *t, const uint32_t *in, const uint32_t *out) {
    set_scalar(AVL, in[0]);
    if (!step_model(t))
        return false;
    set_scalar(t->rs1, in[1]);
    set_scalar(t->rs2, in[2]);
    if (!step_model(t))
        return false;
    expect(t, "register", t->rd, get_scalar(t->rd), out[0], in);
    expect(t, "writes", 0, commit.num_writes, t->rd != 0, in);
    expect(t, "vl", 0, get_csr_value(VL), out[1], in);
    expect(t, "vtype", 0, get_csr_value(VTYPE), out[2], in);
    return true;
}

const part config_part = {choose_config, emit_config, config_operands, compare_config, NULL};
