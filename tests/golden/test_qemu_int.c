/* The model against QEMU's user mode emulation of riscv32: scalar register and immediate operations, and
 * every vector arithmetic row that Ventus leaves as V 1.0 defines it. vlen = 1024 makes 32 lanes of it.
 *
 * Usage: test_qemu_int GUEST [FILE]
 *   GUEST  the program that runs under the emulator
 *   FILE   gets the names of the rows that were executed
 * KARAT_QEMU_RISCV32 names the emulator (qemu-riscv32), KARAT_SEED repeats a run, KARAT_INT_SCALAR and
 * KARAT_INT_VECTOR are the numbers of instructions. Exits with 77 (skipped) where something is missing.
 *
 * Rows, and what of them is legal, come from the table. The host makes straight-line code that loads an
 * instruction's operands, executes it and stores its result; the guest runs it over several sets of operands.
 * The model gets the same operands through karat_adopt() and executes the same words.
 *
 * V 1.0 packs mask bits and Ventus gives each lane an element. So v0.t and carry-ins are loaded packed on one
 * side and as bit 0 of elements, under random bits, on the other; compares and carry-outs are unpacked; mask
 * logic is executed on all 1024 bits of the registers, with vl = 1024 at SEW 8. */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fp/f32_operands.h"
#include "int_qemu.h"

#ifndef KARAT_TEST_SCALE
#define KARAT_TEST_SCALE 1
#endif

enum { SKIPPED = 77, NO_EMULATOR = 127 };
enum { LANES = 32, PASSES = 16, RECORDS = 24, SCALAR_RECORDS = 512 };
enum { IN = 30, OUT = 31, GOT_VL = 29, AVL = 28 }; /* registers that no operand is */
enum { MAX_ELEMENT = 2 * LANES };

static const char cpu[] = "rv32,v=true,vext_spec=v1.0,vlen=1024";

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

typedef enum kind { LEFT_OUT, SCALAR, VECTOR, VECTOR_TO_MASK, MASK_LOGIC } kind;

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
    unsigned rd, rs1, rs2; /* as encoded; 0 also where there is none */
    bool x1, x2;           /* reads a scalar */
    bool v1, v2;           /* reads a vector */
    bool masked;           /* by v0.t, or v0 is an operand */
    bool fp_scalar;        /* the scalar operand is an f register in V 1.0 */
    uint32_t lmul, frm;
    uint32_t in, out; /* first words in a pass */
} test_case;

static int32_t random_number(const test_case *t, const karat_operand_kind *o) {
    if (o->cls == KARAT_CLASS_V) {
        /* v0 holds mask bits, packed on one side only. */
        uint32_t number = rng_below(&rng, 32 / t->lmul) * t->lmul;
        return (int32_t)(number == 0 && t->masked ? 2 : number);
    }
    return (int32_t)rng_below(&rng, t->kind == SCALAR ? IN : AVL);
}

static test_case random_case(const int *rows, unsigned num) {
    int index = rows[rng_below(&rng, num)];
    const karat_row *row = karat_row_info(index);
    const char *reason;
    test_case t = {.row = row, .kind = kind_of(row, &reason), .frm = rng_below(&rng, 5)};
    karat_insn insn;
    karat_decode(KARAT_V202, row->match | (random_word() & ~row->mask), &insn);
    t.lmul = t.kind == VECTOR || t.kind == VECTOR_TO_MASK ? 1 + (rng_below(&rng, 4) == 0) : 1;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(row->operands[i]);
        if (o->role == KARAT_ROLE_VM && (o->bits == 0 || !insn.value[i]))
            t.masked = true;
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
        default:
            t.rs2 = (unsigned)number;
            *(vector ? &t.v2 : &t.x2) = true;
            break;
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

static void emit_scalar_case(test_case *t) {
    EMIT("lw", (int32_t)t->rs1, 0, IN);
    EMIT("lw", (int32_t)t->rs2, 4, IN);
    EMIT("addi", IN, IN, 8);
    emit(t->word);
    EMIT("sw", (int32_t)t->rd, 0, OUT);
    EMIT("addi", OUT, OUT, 4);
    b.header.in_words += 2;
    b.header.out_words += 1;
}

static void emit_vector_case(test_case *t) {
    const uint32_t vlm = 0x02b00007, fmv_w_x = 0xf0000053; /* rows that Ventus does not have */
    uint32_t group = LANES * t->lmul;
    EMIT("lw", (int32_t)scalar_source(t), 0, IN);
    EMIT("lw", AVL, 4, IN);
    EMIT("addi", IN, IN, 8);
    if (t->fp_scalar)
        emit(fmv_w_x | t->rs1 << 15 | t->rs1 << 7);
    EMIT("vsetvli", GOT_VL, 0, vtype(t->lmul));
    emit_vector(true, t->rd, t->lmul);
    emit_vector(true, t->v1 ? t->rs1 : t->rd, t->lmul);
    emit_vector(true, t->v2 ? t->rs2 : t->rd, t->lmul);
    if (t->masked)
        emit(vlm | IN << 15);
    EMIT("addi", IN, IN, 8);
    EMIT("csrrwi", 0, 2, (int32_t)t->frm);
    EMIT("csrrwi", 0, 1, 0);
    EMIT("vsetvli", GOT_VL, AVL, vtype(t->lmul));
    EMIT("sw", GOT_VL, 0, OUT);
    if (t->kind == MASK_LOGIC)
        EMIT("vsetvli", GOT_VL, 0, 0x03); /* e8, m8: all bits of a register */
    emit(t->word);
    EMIT("csrrs", GOT_VL, 1, 0);
    EMIT("sw", GOT_VL, 4, OUT);
    EMIT("addi", OUT, OUT, 8);
    EMIT("vsetvli", GOT_VL, 0, vtype(t->lmul));
    emit_vector(false, t->rd, t->lmul);
    b.header.in_words += 2 + 3 * group + 2;
    b.header.out_words += 2 + group;
}

static void make_code(const int *rows, unsigned num, unsigned records) {
    b.header = (struct header){.passes = PASSES};
    b.num_cases = records;
    for (unsigned i = 0; i < records; i++) {
        test_case *t = &b.cases[i];
        *t = random_case(rows, num);
        t->in = b.header.in_words;
        t->out = b.header.out_words;
        if (t->kind == SCALAR)
            emit_scalar_case(t);
        else
            emit_vector_case(t);
    }
}

static void make_operands(uint32_t *in, const test_case *t) {
    uint32_t group = LANES * t->lmul;
    in[0] = t->row->rounds ? random_operand(&rng) : integer();
    if (t->kind == SCALAR) {
        in[1] = integer();
        return;
    }
    uint32_t vl = rng_below(&rng, 4) ? 2 * group : rng_below(&rng, group + 2);
    in[1] = t->kind == MASK_LOGIC ? LANES : vl;
    uint32_t *v = in + 2;
    for (uint32_t i = 0; i < 3 * group; i++)
        v[i] = t->row->rounds ? random_operand(&rng) : integer();
    for (uint32_t i = 0; i < group; i++) { /* equal and neighbouring operands */
        uint64_t r = rng_next(&rng);
        if (r % 8 == 0)
            v[2 * group + i] = v[group + i] + (uint32_t)(r >> 32) % 3 - 1;
    }
    if (t->row->rounds) /* related operands: cancellation, ties, overflow */
        for (uint32_t i = 0; i < group; i += 2) {
            uint32_t x[3];
            random_operands(&rng, x);
            v[i] = x[0], v[group + i] = x[1], v[2 * group + i] = x[2];
        }
    v[3 * group] = random_word();
    v[3 * group + 1] = random_word();
}

/* --- The guest --- */

struct guest {
    pid_t pid;
    int to, from;
};

static struct guest start_guest(const char *emulator, const char *program) {
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) {
        perror("pipe");
        exit(1);
    }
    pid_t pid = fork();
    if (pid < 0) {
        perror("fork");
        exit(1);
    }
    if (pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        execlp(emulator, emulator, "-cpu", cpu, program, (char *)NULL);
        _exit(NO_EMULATOR);
    }
    close(to[0]);
    close(from[1]);
    return (struct guest){pid, to[1], from[0]};
}

static bool send_all(int fd, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t put = write(fd, at, size);
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static bool receive_all(int fd, void *bytes, size_t size) {
    for (char *at = bytes; size > 0;) {
        ssize_t got = read(fd, at, size);
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* The guest reads a whole batch before it writes anything, so this cannot deadlock. */
static bool exchange(const struct guest *g) {
    const struct header *h = &b.header;
    return send_all(g->to, h, sizeof *h) && send_all(g->to, b.code, 4 * h->code_words) &&
           send_all(g->to, b.in, 4 * h->in_words * h->passes) &&
           receive_all(g->from, b.out, 4 * h->out_words * h->passes);
}

/* --- The model on the same cases --- */

static karat_model *model;
static karat_commit commit;
static uint64_t compared[5], differences;

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
    printf("%s (lmul %u, frm %u): %s %u is 0x%08x, QEMU says 0x%08x; scalar 0x%08x", text, t->lmul, t->frm,
           what, element, got, expected, in[0]);
    if (t->kind == SCALAR)
        printf(", second 0x%08x\n", in[1]);
    else
        printf(", vd 0x%08x, vs1 0x%08x, vs2 0x%08x\n", in[2 + element % (LANES * t->lmul)],
               in[2 + LANES * t->lmul + element % (LANES * t->lmul)],
               in[2 + 2 * LANES * t->lmul + element % (LANES * t->lmul)]);
}

static bool compare_scalar(const test_case *t, const uint32_t *in, const uint32_t *out) {
    set_scalar(t->rs1, in[0]);
    set_scalar(t->rs2, in[1]);
    if (!step_model(t))
        return false;
    karat_warp_view view;
    karat_view(model, 0, &view);
    if (view.x[t->rd] != out[0])
        report(t, "register", t->rd, view.x[t->rd], out[0], in);
    if (commit.num_writes != (t->rd != 0) || (t->rd && commit.write[0].value[0] != out[0]))
        report(t, "commit's register", t->rd, commit.write[0].value[0], out[0], in);
    return true;
}

/* Elements that the model wrote, and what was there before. */
static uint64_t written(void) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < commit.num_writes; i++)
        mask |= (uint64_t)commit.write[i].mask << (LANES * (commit.write[i].reg & 1));
    return mask;
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
    karat_csr_write(model, 0, 1, 0);
    karat_csr_write(model, 0, 2, t->frm);
    if (!step_model(t)) /* vsetvli */
        return false;
    if (commit.write[0].value[0] != out[0])
        report(t, "vl", 0, commit.write[0].value[0], out[0], in);
    karat_warp_view view;
    karat_view(model, 0, &view);
    memcpy(old, view.v + LANES * t->rd, group * sizeof *old);
    if (!step_model(t))
        return false;
    uint32_t flags = 0;
    karat_csr_read(model, 0, 1, &flags);
    if (flags != out[1])
        report(t, "fflags", 0, flags, out[1], in);
    const uint32_t *now = view.v + LANES * t->rd;
    uint64_t wrote = t->lmul == 1 && commit.num_writes ? commit.write[0].mask : written();
    for (uint32_t i = 0; i < group; i++) {
        uint32_t expected = out[2 + i];
        if (t->kind == VECTOR_TO_MASK)
            expected = wrote >> i & 1 ? out[2 + i / 32] >> i % 32 & 1 : old[i];
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
        if (b.cases[i].kind != SCALAR)
            words[num++] = OP("vsetvli", GOT_VL, AVL, vtype(b.cases[i].lmul));
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
            bool stepped = t->kind == SCALAR ? compare_scalar(t, in + t->in, out + t->out)
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

/* False where the guest is gone. */
static bool run(const struct guest *guest, bool scalar, uint64_t target) {
    static int rows[4096];
    unsigned num = 0;
    const char *reason;
    for (int i = 0; i < karat_num_rows() && num < sizeof rows / sizeof *rows; i++) {
        kind k = kind_of(karat_row_info(i), &reason);
        if (karat_row_info(i)->profiles >> KARAT_V202 & 1 && k != LEFT_OUT && (k == SCALAR) == scalar)
            rows[num++] = i;
    }
    for (uint64_t done = 0; done < target;) {
        make_code(rows, num, scalar ? SCALAR_RECORDS : RECORDS);
        for (unsigned pass = 0; pass < PASSES; pass++)
            for (unsigned i = 0; i < b.num_cases; i++)
                make_operands(b.in + pass * b.header.in_words + b.cases[i].in, &b.cases[i]);
        if (!exchange(guest))
            return false;
        if (!compare_batch())
            return true;
        done += (uint64_t)PASSES * b.num_cases;
    }
    return true;
}

int main(int argc, char **argv) {
    if (argc > 2)
        remove(argv[2]); /* of an earlier run */
    if (argc < 2 || access(argv[1], R_OK) != 0) {
        printf("skipped: no riscv32 guest program (building it takes clang and lld)\n");
        return SKIPPED;
    }
    const char *emulator = getenv("KARAT_QEMU_RISCV32");
    if (!emulator || !*emulator)
        emulator = "qemu-riscv32";
    signal(SIGPIPE, SIG_IGN);
    rng.state = test_seed();
    karat_config config;
    karat_config_default(&config);
    model = karat_create(&config, NULL);
    if (!model || karat_map(model, 0x80000000u, 1 << 16) != KARAT_OK)
        return 1;
    print_left_out();
    fflush(stdout);
    struct guest guest = start_guest(emulator, argv[1]);
    bool lost = !run(&guest, true, env_number("KARAT_INT_SCALAR", 1000000 / KARAT_TEST_SCALE)) ||
                !run(&guest, false, env_number("KARAT_INT_VECTOR", 400000 / KARAT_TEST_SCALE));
    int status = 0;
    close(guest.to);
    close(guest.from);
    waitpid(guest.pid, &status, 0);
    karat_destroy(model);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_EMULATOR) {
        printf("skipped: cannot run %s (package qemu-user)\n", emulator);
        return SKIPPED;
    }
    if (lost || status != 0) {
        printf("the guest ended early, wait status %#x\n", (unsigned)status);
        return 1;
    }
    printf("compared: %llu scalar, %llu vector (%llu into a mask, %llu mask logic); %llu differences\n",
           (unsigned long long)compared[SCALAR],
           (unsigned long long)(compared[VECTOR] + compared[VECTOR_TO_MASK] + compared[MASK_LOGIC]),
           (unsigned long long)compared[VECTOR_TO_MASK], (unsigned long long)compared[MASK_LOGIC],
           (unsigned long long)differences);
    if (argc > 2 && differences == 0 && rows_save(argv[2]) != 0)
        return 1;
    return differences != 0;
}
