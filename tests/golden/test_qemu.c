/* The model against QEMU's user mode emulation of riscv32: scalar register and immediate operations, Zfinx,
 * and every vector arithmetic row that Ventus leaves as V 1.0 defines it. vlen = 1024 makes 32 lanes of it.
 *
 * Usage: test_qemu GUEST [FILE]
 *   GUEST  the program that runs under the emulator
 *   FILE   gets the names of the rows that were executed
 * KARAT_QEMU_RISCV32 names the emulator (qemu-riscv32), KARAT_SEED repeats a run, KARAT_QEMU_SCALAR,
 * KARAT_QEMU_VECTOR and KARAT_QEMU_FLOAT (Zfinx) are the numbers of instructions. Exits with 77 (skipped)
 * where something is missing.
 *
 * Rows, and what of them is legal, come from the table. The host makes straight-line code that loads an
 * instruction's operands, executes it and stores its result; the guest runs it over several sets of operands.
 * The model gets the same operands through karat_adopt() and executes the same words. fcsr is compared after
 * every floating-point and vector instruction, vcsr after every vector one; flags that were set before must
 * stay. No CPU of the emulator has both V and Zfinx, so there are two guests.
 *
 * V 1.0 packs mask bits and Ventus gives each lane an element. So v0.t and carry-ins are loaded packed on one
 * side and as bit 0 of elements, under random bits, on the other; compares and carry-outs are unpacked; mask
 * logic is executed on all 1024 bits of the registers, with vl = 1024 at SEW 8. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp/f32_operands.h"
#include "qemu.h"
#include "qemu_batch.h"

#ifndef KARAT_TEST_SCALE
#define KARAT_TEST_SCALE 1
#endif

enum { LANES = 32, PASSES = 16, RECORDS = 24, SCALAR_RECORDS = 512 };
enum { IN = 30, OUT = 31, SCRATCH = 29, AVL = 28 }; /* registers that no operand is */
enum { MAX_ELEMENT = 2 * LANES };
enum { FFLAGS = 1, FRM, FCSR, VCSR = 15, DYN = 7 };

static const char vector_cpu[] = "rv32,v=true,vext_spec=v1.0,vlen=1024";
static const char zfinx_cpu[] = "rv32,f=false,d=false,zfinx=true";

static struct rng rng;

static uint32_t random_word(void) {
    return (uint32_t)(rng_next(&rng) >> 32);
}

/* Corners, their neighbours, single bits, runs of ones, small numbers, anything. */
static uint32_t integer(void) {
    static const uint32_t corners[] = {
        0,      1,      2,       31,         32,         0x7f,       0x80,       0xff,       0x7fff,
        0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xaaaaaaaa};
    uint64_t r = rng_next(&rng);
    uint32_t bits = (uint32_t)(r >> 32), n = (uint32_t)r >> 8 & 31;
    switch (r & 7) {
    case 0:
    case 1: return corners[bits % (sizeof corners / sizeof *corners)];
    case 2: return 1u << n;
    case 3: return ~0u << n;
    case 4: return (1u << n) - 1 + (bits & 1);
    case 5: return (uint32_t)((int32_t)bits >> n);
    default: return bits;
    }
}

/* --- What is compared --- */

typedef enum kind { LEFT_OUT, SCALAR, ZFINX, VECTOR, VECTOR_TO_MASK, MASK_LOGIC, NUM_KIND } kind;

/* What a row is for this test; LEFT_OUT with a reason. */
static kind kind_of(const karat_row *row, const char **reason) {
    uint32_t opcode = row->match & 0x7f, funct3 = row->match >> 12 & 7, funct6 = row->match >> 26;
    *reason = NULL;
    if (row->illegal)
        *reason = "not in the ISA";
    else if (opcode == 0x17)
        *reason = "depends on the pc";
    else if (row->unit == KARAT_UNIT_CSR)
        *reason = "other CSRs than a user program's";
    else if (row->unit == KARAT_UNIT_BRANCH || row->unit == KARAT_UNIT_MEM || row->unit == KARAT_UNIT_AMO)
        *reason = "control flow and memory, in test_step";
    else if (row->unit == KARAT_UNIT_CONFIG)
        *reason = "VLMAX and vill are Ventus' own; vsetvli sets the vl of every case";
    else if (opcode == 0x0b || opcode == 0x2b || opcode == 0x5b || opcode == 0x7b || opcode == 0x0f)
        *reason = "QEMU does not know it, or it does nothing";
    else if (strcmp(row->name, "vmv_x_s") == 0 || strcmp(row->name, "vmv_s_x") == 0 ||
             strcmp(row->name, "vfmv_f_s") == 0 || strcmp(row->name, "vfmv_s_f") == 0)
        *reason = "Ventus changes it: every active lane (section 4.1)";
    else if (opcode == 0x13 || opcode == 0x33 || opcode == 0x37)
        return SCALAR;
    else if ((opcode & 0x73) == 0x43 || opcode == 0x53)
        return ZFINX;
    else if (opcode == 0x57) {
        if (funct3 == 2 && funct6 >> 3 == 3)
            return MASK_LOGIC;
        bool carry_out = (funct3 == 0 || funct3 == 3 || funct3 == 4) && (funct6 == 0x11 || funct6 == 0x13);
        bool compare = funct3 != 2 && funct3 != 6 && funct6 >> 3 == 3;
        return carry_out || compare ? VECTOR_TO_MASK : VECTOR;
    } else
        *reason = "tested elsewhere";
    return LEFT_OUT;
}

typedef struct test_case {
    const karat_row *row;
    kind kind;
    uint32_t word;
    unsigned rd, rs1, rs2, rs3; /* as encoded; 0 also where there is none */
    bool x1;                    /* reads a scalar */
    bool v1, v2;                /* reads a vector */
    bool masked;                /* by v0.t, or v0 is an operand */
    bool skips;                 /* elements whose bit of v0.t is 0 */
    bool fp_scalar;             /* the scalar operand is an f register in V 1.0 */
    bool fp;                    /* operands are floating-point numbers, mostly */
    uint32_t lmul;
    uint32_t frm, fflags, vcsr; /* before it */
    uint32_t in, out;           /* first words in a pass */
} test_case;

static int32_t random_number(const test_case *t, const karat_operand_kind *o) {
    if (o->cls == KARAT_CLASS_V) {
        /* v0 holds mask bits, packed on one side only. */
        uint32_t number = rng_below(&rng, 32 / t->lmul) * t->lmul;
        return (int32_t)(number == 0 && t->masked ? 2 : number);
    }
    return (int32_t)rng_below(&rng, t->kind == SCALAR || t->kind == ZFINX ? IN : AVL);
}

static test_case random_case(const int *rows, unsigned num) {
    int index = rows[rng_below(&rng, num)];
    const karat_row *row = karat_row_info(index);
    const char *reason;
    test_case t = {.row = row, .kind = kind_of(row, &reason), .frm = rng_below(&rng, 5)};
    karat_insn insn;
    karat_decode(KARAT_V202, row->match | (random_word() & ~row->mask), &insn);
    t.fp = row->rounds || t.kind == ZFINX;
    t.fflags = rng_below(&rng, 8) ? 0 : random_word() & 31;
    t.vcsr = rng_below(&rng, 4) << 1 | !rng_below(&rng, 8); /* vxrm, vxsat */
    t.lmul = t.kind == VECTOR || t.kind == VECTOR_TO_MASK ? 1 + (rng_below(&rng, 4) == 0) : 1;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(row->operands[i]);
        if (o->role == KARAT_ROLE_VM) {
            t.skips = o->bits && !insn.value[i];
            t.masked = o->bits == 0 || t.skips;
        } else if (strcmp(o->name, "rm") == 0) {
            uint32_t rm = rng_below(&rng, 8); /* reserved ones are illegal: in test_step */
            insn.value[i] = rm < 5 ? (int32_t)rm : DYN;
        }
    }
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(row->operands[i]);
        if (!o->is_reg)
            continue;
        int32_t number = insn.value[i] = random_number(&t, o);
        bool vector = o->cls == KARAT_CLASS_V;
        switch (o->role) {
        case KARAT_ROLE_DEST: t.rd = (unsigned)number; break;
        case KARAT_ROLE_SRC1:
            t.rs1 = (unsigned)number;
            *(vector ? &t.v1 : &t.x1) = true;
            t.fp_scalar = !vector && row->rounds;
            break;
        case KARAT_ROLE_SRC2:
            t.rs2 = (unsigned)number;
            t.v2 = vector;
            break;
        default: t.rs3 = (unsigned)number; break;
        }
    }
    if (!karat_encode(index, insn.value, &t.word))
        abort();
    return t;
}

/* --- Code and operands of a batch --- */

typedef struct batch {
    struct header header;
    uint32_t code[MAX_CODE], in[MAX_DATA];
    unsigned num_cases;
    test_case cases[SCALAR_RECORDS];
    uint32_t out[MAX_DATA];
} batch;

static batch b;

static void emit(uint32_t word) {
    b.code[b.header.code_words++] = word;
}
#define EMIT(...) emit(OP(__VA_ARGS__))

/* The scalar operand's register; x1 where there is none. */
static unsigned scalar_source(const test_case *t) {
    return t->x1 ? t->rs1 : 1;
}

static int32_t vtype(uint32_t lmul) {
    return lmul == 2 ? 0x11 : 0x10; /* e32; tail and mask undisturbed */
}

/* vle32.v or vse32.v at a pointer that moves on behind the group. */
static void emit_vector(bool load, unsigned reg, uint32_t lmul) {
    int32_t pointer = load ? IN : OUT;
    emit(load ? OP("vle32.v", (int32_t)reg, pointer, 1) : OP("vse32.v", (int32_t)reg, pointer, 1));
    EMIT("addi", pointer, pointer, (int32_t)(128 * lmul));
}

static void emit_scalar_case(const test_case *t) {
    EMIT("lw", (int32_t)t->rs1, 0, IN);
    EMIT("lw", (int32_t)t->rs2, 4, IN);
    EMIT("addi", IN, IN, 8);
    emit(t->word);
    EMIT("sw", (int32_t)t->rd, 0, OUT);
    EMIT("addi", OUT, OUT, 4);
    b.header.in_words += 2;
    b.header.out_words += 1;
}

static void emit_flags(const test_case *t) {
    EMIT("csrrwi", 0, FRM, (int32_t)t->frm);
    EMIT("csrrwi", 0, FFLAGS, (int32_t)t->fflags);
}

static void emit_zfinx_case(const test_case *t) {
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
    b.header.in_words += 3;
    b.header.out_words += 2;
}

/* QEMU 7.2 dies (assertion in decode_save_opc) on an instruction with a rounding mode of its own,
 * vfcvt.rtz.*, unless the translation block that it is in has looked at frm before. So a vfsgnj of a register
 * with itself, which changes nothing, stands before it on the same page: blocks end with the page. */
static void emit_frm_check(const test_case *t) {
    const uint32_t page_words = 1024, nop = OP("addi", 0, 0, 0);
    if (b.header.code_words % page_words == page_words - 1)
        emit(nop);
    EMIT("vfsgnj.vv", (int32_t)t->rd, (int32_t)t->rd, (int32_t)t->rd, 1);
}

static void emit_vector_case(const test_case *t) {
    const uint32_t vlm = 0x02b00007, fmv_w_x = 0xf0000053; /* rows that Ventus does not have */
    uint32_t group = LANES * t->lmul;
    EMIT("lw", (int32_t)scalar_source(t), 0, IN);
    EMIT("lw", AVL, 4, IN);
    EMIT("addi", IN, IN, 8);
    if (t->fp_scalar)
        emit(fmv_w_x | t->rs1 << 15 | t->rs1 << 7);
    EMIT("vsetvli", SCRATCH, 0, vtype(t->lmul));
    emit_vector(true, t->rd, t->lmul);
    emit_vector(true, t->v1 ? t->rs1 : t->rd, t->lmul);
    emit_vector(true, t->v2 ? t->rs2 : t->rd, t->lmul);
    if (t->masked)
        emit(vlm | IN << 15);
    EMIT("addi", IN, IN, 8);
    emit_flags(t);
    EMIT("csrrwi", 0, VCSR, (int32_t)t->vcsr);
    EMIT("vsetvli", SCRATCH, AVL, vtype(t->lmul));
    EMIT("sw", SCRATCH, 0, OUT);
    if (t->kind == MASK_LOGIC)
        EMIT("vsetvli", SCRATCH, 0, 0x03); /* e8, m8: all bits of a register */
    if (t->row->rounds)
        emit_frm_check(t);
    emit(t->word);
    EMIT("csrrs", SCRATCH, FCSR, 0);
    EMIT("sw", SCRATCH, 4, OUT);
    EMIT("csrrs", SCRATCH, VCSR, 0);
    EMIT("sw", SCRATCH, 8, OUT);
    EMIT("addi", OUT, OUT, 12);
    EMIT("vsetvli", SCRATCH, 0, vtype(t->lmul));
    emit_vector(false, t->rd, t->lmul);
    b.header.in_words += 2 + 3 * group + 2;
    b.header.out_words += 3 + group;
}

static void make_code(const int *rows, unsigned num, unsigned records) {
    b.header = (struct header){.passes = PASSES};
    b.num_cases = records;
    for (unsigned i = 0; i < records; i++) {
        test_case *t = &b.cases[i];
        *t = random_case(rows, num);
        t->in = b.header.in_words;
        t->out = b.header.out_words;
        switch (t->kind) {
        case SCALAR: emit_scalar_case(t); break;
        case ZFINX: emit_zfinx_case(t); break;
        default: emit_vector_case(t); break;
        }
    }
}

/* A floating-point instruction's: integers, too, for conversions. */
static uint32_t number(const test_case *t) {
    return t->fp && rng_below(&rng, 8) ? random_operand(&rng) : integer();
}

static void make_operands(uint32_t *in, const test_case *t) {
    uint32_t group = LANES * t->lmul;
    in[0] = number(t);
    if (t->kind == SCALAR || t->kind == ZFINX)
        in[1] = number(t);
    if (t->kind == ZFINX) {
        in[2] = number(t);
        if (rng_below(&rng, 4))
            random_operands(&rng, in); /* related */
    }
    if (t->kind == SCALAR || t->kind == ZFINX)
        return;
    uint32_t vl = rng_below(&rng, 4) ? 2 * group : rng_below(&rng, group + 2);
    in[1] = t->kind == MASK_LOGIC ? LANES : vl;
    uint32_t *v = in + 2;
    for (uint32_t i = 0; i < 3 * group; i++)
        v[i] = number(t);
    for (uint32_t i = 0; i < group; i++) { /* equal and neighbouring operands */
        uint64_t r = rng_next(&rng);
        if (r % 8 == 0)
            v[2 * group + i] = v[group + i] + (uint32_t)(r >> 32) % 3 - 1;
    }
    if (t->fp) /* related operands: cancellation, ties, overflow */
        for (uint32_t i = 0; i < group; i += 2) {
            uint32_t x[3];
            random_operands(&rng, x);
            v[i] = x[0], v[group + i] = x[1], v[2 * group + i] = x[2];
        }
    v[3 * group] = random_word();
    v[3 * group + 1] = random_word();
}

/* The guest reads a whole batch before it writes anything, so this cannot deadlock. */
static bool exchange(struct qemu *guest) {
    const struct header *h = &b.header;
    return qemu_send(guest, h, sizeof *h) && qemu_send(guest, b.code, 4 * h->code_words) &&
           qemu_send(guest, b.in, 4 * h->in_words * h->passes) &&
           qemu_receive(guest, b.out, 4 * h->out_words * h->passes);
}

/* --- The model on the same cases --- */

static karat_model *model;
static karat_commit commit;
static uint64_t compared[NUM_KIND], differences;

static void adopt_v(unsigned reg, uint32_t lmul, const uint32_t *value) {
    for (uint32_t part = 0; part < lmul; part++)
        karat_adopt(model, 0, KARAT_CLASS_V, reg + part, ~0u, value + LANES * part);
}

static bool step_model(const test_case *t) {
    if (karat_step(model, 0, &commit) == KARAT_OK) {
        rows_executed(commit.row);
        return true;
    }
    printf("%s: the model says %s\n", t->row->mnemonic, karat_error_name(commit.error.kind));
    differences++;
    return false;
}

static void set_scalar(unsigned reg, uint32_t value) {
    const uint32_t lanes[KARAT_MAX_THREAD] = {value};
    karat_adopt(model, 0, KARAT_CLASS_X, reg, 1, lanes);
}

static void report(const test_case *t, const char *what, unsigned element, uint32_t got, uint32_t expected,
                   const uint32_t *in) {
    if (differences++ >= 20)
        return;
    char text[80];
    karat_disassemble(KARAT_V202, 0, 0, t->word, text, sizeof text);
    printf("%s (lmul %u, frm %u, fflags 0x%02x, vcsr %u): %s %u is 0x%08x, QEMU says 0x%08x; scalar 0x%08x",
           text, t->lmul, t->frm, t->fflags, t->vcsr, what, element, got, expected, in[0]);
    uint32_t group = LANES * t->lmul, at = 2 + element % group;
    if (t->kind == SCALAR)
        printf(", second 0x%08x\n", in[1]);
    else if (t->kind == ZFINX)
        printf(", second 0x%08x, third 0x%08x\n", in[1], in[2]);
    else
        printf(", vd 0x%08x, vs1 0x%08x, vs2 0x%08x\n", in[at], in[at + group], in[at + 2 * group]);
}

static void compare_csr(const test_case *t, const char *name, uint32_t csr, uint32_t expected,
                        const uint32_t *in) {
    uint32_t value = 0;
    karat_csr_read(model, 0, csr, &value);
    if (value != expected)
        report(t, name, 0, value, expected, in);
}

static bool compare_scalar(const test_case *t, const uint32_t *in, const uint32_t *out) {
    set_scalar(t->rs1, in[0]);
    set_scalar(t->rs2, in[1]);
    if (t->kind == ZFINX) {
        set_scalar(t->rs3, in[2]);
        karat_csr_write(model, 0, FCSR, t->frm << 5 | t->fflags);
    }
    if (!step_model(t))
        return false;
    karat_warp_view view;
    karat_view(model, 0, &view);
    if (view.x[t->rd] != out[0])
        report(t, "register", t->rd, view.x[t->rd], out[0], in);
    if (commit.num_writes != (t->rd != 0) || (t->rd && commit.write[0].value[0] != out[0]))
        report(t, "commit's register", t->rd, commit.write[0].value[0], out[0], in);
    if (t->kind == ZFINX) {
        compare_csr(t, "fcsr", FCSR, out[1], in);
        if ((commit.flags_raised | t->fflags) != (out[1] & 31))
            report(t, "commit's flags", 0, commit.flags_raised | t->fflags, out[1] & 31, in);
    }
    return true;
}

static bool compare_vector(const test_case *t, const uint32_t *in, const uint32_t *out) {
    uint32_t group = LANES * t->lmul;
    const uint32_t *v = in + 2, *packed = v + 3 * group;
    uint32_t old[MAX_ELEMENT], mask[MAX_ELEMENT];
    set_scalar(scalar_source(t), in[0]);
    set_scalar(AVL, in[1]);
    adopt_v(t->rd, t->lmul, v);
    adopt_v(t->v1 ? t->rs1 : t->rd, t->lmul, v + group);
    adopt_v(t->v2 ? t->rs2 : t->rd, t->lmul, v + 2 * group);
    if (t->masked) {
        for (uint32_t i = 0; i < group; i++)
            mask[i] = (random_word() & ~1u) | (packed[i / 32] >> i % 32 & 1);
        adopt_v(0, t->lmul, mask);
    }
    karat_csr_write(model, 0, FCSR, t->frm << 5 | t->fflags);
    karat_csr_write(model, 0, VCSR, t->vcsr);
    if (!step_model(t)) /* vsetvli */
        return false;
    if (commit.write[0].value[0] != out[0])
        report(t, "vl", 0, commit.write[0].value[0], out[0], in);
    karat_warp_view view;
    karat_view(model, 0, &view);
    memcpy(old, view.v + LANES * t->rd, group * sizeof *old);
    if (!step_model(t))
        return false;
    compare_csr(t, "fcsr", FCSR, out[1], in);
    compare_csr(t, "vcsr", VCSR, out[2], in);
    const uint32_t *now = view.v + LANES * t->rd, *result = out + 3;
    for (uint32_t i = 0; i < group; i++) {
        uint32_t expected = result[i];
        if (t->kind == VECTOR_TO_MASK) {
            bool written = i < out[0] && (!t->skips || packed[i / 32] >> i % 32 & 1);
            expected = written ? result[i / 32] >> i % 32 & 1 : old[i];
        }
        if (now[i] != expected)
            report(t, "element", i, now[i], expected, in);
    }
    return true;
}

static bool compare_batch(void) {
    static const uint32_t base = 0x80000000u;
    uint32_t words[2 * SCALAR_RECORDS];
    uint8_t bytes[sizeof words];
    unsigned num = 0;
    for (unsigned i = 0; i < b.num_cases; i++) {
        if (b.cases[i].kind >= VECTOR)
            words[num++] = OP("vsetvli", SCRATCH, AVL, vtype(b.cases[i].lmul));
        words[num++] = b.cases[i].word;
    }
    for (unsigned i = 0; i < 4 * num; i++)
        bytes[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    karat_write(model, base, bytes, 4 * num);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        karat_launch_desc desc = {.pc = base, .mask = ~0u};
        karat_workgroup_close(model, 0);
        if (karat_workgroup_open(model, 0, 1) != KARAT_OK || karat_launch(model, 0, &desc) != KARAT_OK)
            return false;
        const uint32_t *in = b.in + pass * b.header.in_words, *out = b.out + pass * b.header.out_words;
        for (unsigned i = 0; i < b.num_cases; i++) {
            const test_case *t = &b.cases[i];
            bool stepped = t->kind < VECTOR ? compare_scalar(t, in + t->in, out + t->out)
                                            : compare_vector(t, in + t->in, out + t->out);
            if (!stepped)
                return false; /* the warp has stopped */
            compared[t->kind]++;
        }
    }
    return true;
}

/* --- All of it --- */

/* Each reason once, with its rows. */
static void print_left_out(void) {
    const char *reason, *other, *printed[16];
    unsigned num = 0;
    for (int i = 0; i < karat_num_rows(); i++) {
        bool again = kind_of(karat_row_info(i), &reason) != LEFT_OUT;
        for (unsigned k = 0; k < num; k++)
            again = again || printed[k] == reason;
        if (again || num == sizeof printed / sizeof *printed)
            continue;
        printed[num++] = reason;
        printf("left out, %s:", reason);
        for (int k = i; k < karat_num_rows(); k++)
            if (kind_of(karat_row_info(k), &other) == LEFT_OUT && other == reason)
                printf(" %s", karat_row_info(k)->mnemonic);
        putchar('\n');
    }
}

/* Instructions of the kinds from first to last, until that many are compared or one stops the model. */
static void run(struct qemu *guest, kind first, kind last, uint64_t target) {
    static int rows[4096];
    unsigned num = 0;
    const char *reason;
    for (int i = 0; i < karat_num_rows() && num < sizeof rows / sizeof *rows; i++) {
        kind k = kind_of(karat_row_info(i), &reason);
        if (karat_row_info(i)->profiles >> KARAT_V202 & 1 && k >= first && k <= last)
            rows[num++] = i;
    }
    for (uint64_t done = 0; done < target;) {
        make_code(rows, num, first < VECTOR ? SCALAR_RECORDS : RECORDS);
        for (unsigned pass = 0; pass < PASSES; pass++)
            for (unsigned i = 0; i < b.num_cases; i++)
                make_operands(b.in + pass * b.header.in_words + b.cases[i].in, &b.cases[i]);
        if (!exchange(guest) || !compare_batch())
            return;
        done += (uint64_t)PASSES * b.num_cases;
    }
}

int main(int argc, char **argv) {
    if (argc > 2)
        remove(argv[2]); /* of an earlier run */
    if (argc < 2 || !qemu_can_run(argv[1]))
        return QEMU_SKIPPED;
    rng.state = test_seed();
    karat_config config;
    karat_config_default(&config);
    model = karat_create(&config, NULL);
    if (!model || karat_map(model, 0x80000000u, 1 << 16) != KARAT_OK)
        return 1;
    print_left_out();
    struct qemu guest = qemu_start(vector_cpu, argv[1]);
    run(&guest, SCALAR, SCALAR, env_number("KARAT_QEMU_SCALAR", 1000000 / KARAT_TEST_SCALE));
    run(&guest, VECTOR, MASK_LOGIC, env_number("KARAT_QEMU_VECTOR", 800000 / KARAT_TEST_SCALE));
    int status = qemu_stop(&guest);
    if (status == 0) {
        guest = qemu_start(zfinx_cpu, argv[1]);
        run(&guest, ZFINX, ZFINX, env_number("KARAT_QEMU_FLOAT", 500000 / KARAT_TEST_SCALE));
        status = qemu_stop(&guest);
    }
    karat_destroy(model);
    if (status != 0)
        return status;
    printf("compared: %llu scalar, %llu of Zfinx, %llu vector (%llu into a mask, %llu mask logic); "
           "%llu differences\n",
           (unsigned long long)compared[SCALAR], (unsigned long long)compared[ZFINX],
           (unsigned long long)(compared[VECTOR] + compared[VECTOR_TO_MASK] + compared[MASK_LOGIC]),
           (unsigned long long)compared[VECTOR_TO_MASK], (unsigned long long)compared[MASK_LOGIC],
           (unsigned long long)differences);
    if (argc > 2 && differences == 0 && rows_save(argv[2]) != 0)
        return 1;
    return differences != 0;
}
