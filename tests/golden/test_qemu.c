/* The model against QEMU's user mode emulation of riscv32: every row that Ventus leaves as the RISC-V
 * specification defines it. vlen = 1024 makes 32 lanes of V 1.0.
 *
 * Usage: test_qemu GUEST [FILE]
 *   GUEST  the program that runs under the emulator
 *   FILE   gets the names of the rows that were executed
 * KARAT_QEMU_RISCV32 names the emulator (qemu-riscv32), KARAT_SEED repeats a run. The numbers of
 * instructions: KARAT_QEMU_SCALAR (register and immediate operations, M), _CONTROL (branches, jumps, CSRs,
 * vset*), _MEMORY (scalar loads and stores, A), _VECTOR (arithmetic), _VECTOR_MEMORY, _FLOAT (Zfinx).
 * KARAT_QEMU_ROWS=1 prints how often each row was compared. Exits with 77 (skipped) where something is
 * missing.
 *
 * Rows, and what of them is legal, come from the table. The host makes straight-line code that loads an
 * instruction's operands, executes it and stores its result; the guest runs it over several sets of operands.
 * The model gets the same operands through karat_adopt() and executes the same words. fcsr is compared after
 * every floating-point and vector instruction, vcsr after every vector one, the memory around an access after
 * it; flags that were set before must stay. No CPU of the emulator has both V and Zfinx, so there are two
 * guests.
 *
 * V 1.0 packs mask bits and Ventus gives each lane an element. So v0.t and carry-ins are loaded packed on one
 * side and as bit 0 of elements, under random bits, on the other; compares and carry-outs are unpacked; mask
 * logic is executed on all 1024 bits of the registers, with vl = 1024 at SEW 8. Elements of 8 and 16 bits in
 * memory accesses are packed in the same way (qemu_memory.c).
 *
 * NOT compared, each by a fact of the table (kind_of() below); the test prints the rows:
 *   - rows that the ISA leaves out: they are illegal here (step_vector.c);
 *   - rows that only the ISA manual defines, or that it changes: their section names no chapter of the RISC-V
 *     specification. They are Ventus' own instructions, and vmv.x.s, vmv.s.x, vfmv.f.s and vfmv.s.f, which
 *     work on every active lane;
 *   - rows of the other profile;
 *   - rows that owe nothing and do not branch: FENCE only orders.
 * And of compared rows: CSRs that a user program has not on both sides, vset* of settings that V 1.0 has and
 * Ventus has not (it sets vill), reserved rounding modes, misaligned accesses, SC after the warp's own store
 * to the reserved word. */
#include "qemu_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "qemu.h"

#ifndef KARAT_TEST_SCALE
#define KARAT_TEST_SCALE 1
#endif

enum { PASSES = 16, MAX_CASES = 512, MAX_ROWS = 4096, ROOM = 2048 /* words that one case may need */ };

static const char vector_cpu[] = "rv32,v=true,vext_spec=v1.0,vlen=1024";
static const char zfinx_cpu[] = "rv32,f=false,d=false,zfinx=true";

struct rng rng;

uint32_t random_word(void) {
    return (uint32_t)(rng_next(&rng) >> 32);
}

uint32_t random_integer(void) {
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

/* --- Compared rows --- */

static kind vector_kind(const karat_row *row) {
    uint32_t funct3 = row->match >> 12 & 7, funct6 = row->match >> 26;
    if (funct3 == 2 && funct6 >> 3 == 3)
        return MASK_LOGIC;
    bool carry_out = (funct3 == 0 || funct3 == 3 || funct3 == 4) && (funct6 == 0x11 || funct6 == 0x13);
    bool compare = funct3 != 2 && funct3 != 6 && funct6 >> 3 == 3;
    return carry_out || compare ? VECTOR_TO_MASK : VECTOR;
}

/* The kind of a row in this test; LEFT_OUT with a reason. */
static kind kind_of(const karat_row *row, const char **reason) {
    static const char *const chapters[] = {"rv32i", "rv32m", "rv32a", "zicsr", "zfinx", "v1.0"};
    bool specified = false;
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        specified = specified || strstr(row->section, chapters[i]);
    uint32_t opcode = row->match & 0x7f;
    *reason = NULL;
    if (row->illegal)
        *reason = "not in the ISA";
    else if (!specified)
        *reason = "Ventus' own, or changed by it";
    else if (!karat_row_is_legal(row, KARAT_V202))
        *reason = "not in profile v2.02";
    else if (row->owes == 0 && row->unit != KARAT_UNIT_BRANCH)
        *reason = "has no result";
    if (*reason)
        return LEFT_OUT;
    switch ((karat_unit)row->unit) {
    case KARAT_UNIT_BRANCH: return BRANCH;
    case KARAT_UNIT_CSR: return CSR;
    case KARAT_UNIT_CONFIG: return CONFIG;
    case KARAT_UNIT_MEM: return opcode == 0x07 || opcode == 0x27 ? VECTOR_MEMORY : MEMORY;
    case KARAT_UNIT_AMO: return AMO;
    default: break;
    }
    if (opcode == 0x17) /* auipc */
        return BRANCH;
    if (opcode == 0x57)
        return vector_kind(row);
    return (opcode & 0x73) == 0x43 || opcode == 0x53 ? ZFINX : SCALAR;
}

static const part *const parts[NUM_KIND] = {
    [SCALAR] = &scalar_part,
    [BRANCH] = &branch_part,
    [CSR] = &csr_part,
    [CONFIG] = &config_part,
    [MEMORY] = &memory_part,
    [AMO] = &amo_part,
    [VECTOR] = &vector_part,
    [VECTOR_TO_MASK] = &vector_part,
    [MASK_LOGIC] = &vector_part,
    [ZFINX] = &zfinx_part,
    [VECTOR_MEMORY] = &vector_memory_part,
};

/* --- Cases --- */

void set_operand(test_case *t, const char *name, int32_t value) {
    for (unsigned i = 0; i < t->row->num_operands; i++)
        if (strcmp(karat_operand_info(t->row->operands[i])->name, name) == 0)
            t->insn.value[i] = value;
}

static unsigned random_number(const test_case *t, const karat_operand_kind *o) {
    if (o->cls != KARAT_CLASS_V)
        return rng_below(&rng, AVL);
    /* v0 holds mask bits, packed on one side only. */
    unsigned number = rng_below(&rng, 32 / t->lmul) * t->lmul;
    return number == 0 && t->masked ? 2 : number;
}

static void choose_register(test_case *t, const karat_operand_kind *o, int32_t *value) {
    unsigned number = random_number(t, o);
    bool is_vector = o->cls == KARAT_CLASS_V;
    *value = (int32_t)number;
    switch (o->role) {
    case KARAT_ROLE_DEST: t->rd = number; break;
    case KARAT_ROLE_SRC1:
        t->rs1 = number;
        *(is_vector ? &t->v1 : &t->x1) = true;
        t->fp_scalar = !is_vector && t->row->rounds;
        break;
    case KARAT_ROLE_SRC2:
        t->rs2 = number;
        t->v2 = is_vector;
        break;
    default: t->rs3 = number; break;
    }
}

static void make_case(test_case *t, int index) {
    const karat_row *row = karat_row_info(index);
    const char *reason;
    *t = (test_case){.row = row, .index = index, .kind = kind_of(row, &reason), .frm = rng_below(&rng, 5)};
    karat_decode(KARAT_V202, row->match | (random_word() & ~row->mask), &t->insn);
    t->fp = row->rounds || t->kind == ZFINX;
    t->fflags = rng_below(&rng, 8) ? 0 : random_word() & 31;
    t->vcsr = rng_below(&rng, 4) << 1; /* vxrm */
    t->vcsr |= !rng_below(&rng, 8);    /* vxsat */
    t->lmul = t->kind == MASK_LOGIC ? 1 : 1 + (rng_below(&rng, 4) == 0);
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(row->operands[i]);
        if (o->role == KARAT_ROLE_VM) {
            t->skips = o->bits && !t->insn.value[i];
            t->masked = o->bits == 0 || t->skips;
        }
    }
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(row->operands[i]);
        if (o->is_reg)
            choose_register(t, o, &t->insn.value[i]);
    }
    parts[t->kind]->choose(t);
    if (!karat_encode(index, t->insn.value, &t->word))
        abort();
}

/* --- Code and operands of a batch --- */

static struct {
    struct header header;
    uint32_t code[MAX_CODE], in[MAX_DATA];
    unsigned num_cases, num_placed;
    test_case cases[MAX_CASES];
    uint32_t placed[MAX_CODE]; /* the model's code */
    uint32_t out[MAX_DATA];
} b;

struct header *header = &b.header;

void emit(uint32_t word) {
    b.code[b.header.code_words++] = word;
}

void place(uint32_t word) {
    b.placed[b.num_placed++] = word;
}

void emit_vector(bool load, unsigned reg, uint32_t lmul) {
    int32_t pointer = load ? IN : OUT;
    emit(load ? OP("vle32.v", (int32_t)reg, pointer, 1) : OP("vse32.v", (int32_t)reg, pointer, 1));
    EMIT("addi", pointer, pointer, (int32_t)(128 * lmul));
}

void emit_mask(const test_case *t) {
    if (t->masked)
        emit(0x02b00007 | IN << 15);
    EMIT("addi", IN, IN, 8);
}

static bool has_room(void) {
    return b.num_cases < MAX_CASES && b.header.code_words + ROOM / 8 < MAX_CODE &&
           (b.header.in_words + ROOM) * PASSES < MAX_DATA && (b.header.out_words + ROOM) * PASSES < MAX_DATA;
}

/* Rows in turn, so that each is compared as often as the others. */
static void make_batch(const int *rows, unsigned num, unsigned *next, uint64_t wanted) {
    b.header = (struct header){.passes = PASSES};
    b.num_cases = b.num_placed = 0;
    while (has_room() && (uint64_t)b.num_cases * PASSES < wanted) {
        test_case *t = &b.cases[b.num_cases++];
        make_case(t, rows[(*next)++ % num]);
        t->in = b.header.in_words;
        t->out = b.header.out_words;
        parts[t->kind]->emit(t);
    }
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned i = 0; i < b.num_cases; i++)
            parts[b.cases[i].kind]->operands(b.in + pass * b.header.in_words + b.cases[i].in, &b.cases[i]);
}

/* The guest reads a whole batch before it writes anything, so this cannot deadlock. */
static bool exchange(struct qemu *guest) {
    const struct header *h = &b.header;
    return qemu_send(guest, h, sizeof *h) && qemu_send(guest, b.code, 4 * h->code_words) &&
           qemu_send(guest, b.in, 4 * h->in_words * h->passes) &&
           qemu_receive(guest, b.out, 4 * h->out_words * h->passes);
}

/* --- The model on the same cases --- */

karat_model *model;
karat_commit commit;
static uint64_t compared[MAX_ROWS], elements[MAX_ROWS], differences;

bool step_model(const test_case *t) {
    if (karat_step(model, 0, &commit) == KARAT_OK) {
        rows_executed(commit.row);
        return true;
    }
    printf("%s: the model says %s\n", t->row->mnemonic, karat_error_name(commit.error.kind));
    differences++;
    return false;
}

void set_scalar(unsigned reg, uint32_t value) {
    const uint32_t lanes[KARAT_MAX_THREAD] = {value};
    karat_adopt(model, 0, KARAT_CLASS_X, reg, 1, lanes);
}

uint32_t get_scalar(unsigned reg) {
    karat_warp_view view;
    karat_view(model, 0, &view);
    return view.x[reg];
}

uint32_t get_csr_value(uint32_t csr) {
    uint32_t value = 0;
    karat_csr_read(model, 0, csr, &value);
    return value;
}

void adopt_v(unsigned reg, uint32_t lmul, const uint32_t *value) {
    for (uint32_t part = 0; part < lmul; part++)
        karat_adopt(model, 0, KARAT_CLASS_V, reg + part, ~0u, value + LANES * part);
}

void adopt_mask(uint32_t lmul, const uint32_t *packed) {
    uint32_t mask[MAX_ELEMENT];
    for (uint32_t i = 0; i < LANES * lmul; i++)
        mask[i] = (random_word() & ~1u) | (packed[i / 32] >> i % 32 & 1);
    adopt_v(0, lmul, mask);
}

const uint32_t *vector(unsigned reg) {
    karat_warp_view view;
    karat_view(model, 0, &view);
    return view.v + LANES * reg;
}

void report(const test_case *t, const char *what, unsigned element, uint32_t got, uint32_t expected,
            const uint32_t *in) {
    if (differences++ >= 20)
        return;
    char text[80];
    karat_disassemble(KARAT_V202, 0, 0, t->word, text, sizeof text);
    printf("%s (lmul %u, frm %u, fflags 0x%02x, vcsr %u): %s %u is 0x%08x, QEMU says 0x%08x; input", text,
           t->lmul, t->frm, t->fflags, t->vcsr, what, element, got, expected);
    if (t->kind == VECTOR || t->kind == VECTOR_TO_MASK || t->kind == MASK_LOGIC) {
        uint32_t group = LANES * t->lmul, at = 2 + element % group;
        printf(": scalar 0x%08x, vd 0x%08x, vs1 0x%08x, vs2 0x%08x\n", in[0], in[at], in[at + group],
               in[at + 2 * group]);
        return;
    }
    uint32_t end = t - b.cases + 1 < b.num_cases ? t[1].in : b.header.in_words;
    for (uint32_t i = 0; i < 6 && i < end - t->in; i++)
        printf(" 0x%08x", in[i]);
    putchar('\n');
}

void expect(const test_case *t, const char *what, unsigned element, uint32_t got, uint32_t expected,
            const uint32_t *in) {
    if (got != expected)
        report(t, what, element, got, expected, in);
}

void count_elements(const test_case *t, uint32_t num) {
    elements[t->index] += num;
}

static bool compare_batch(void) {
    static const uint32_t base = 0x80000000u;
    static uint8_t bytes[4 * MAX_CODE];
    for (unsigned i = 0; i < 4 * b.num_placed; i++)
        bytes[i] = (uint8_t)(b.placed[i / 4] >> 8 * (i % 4));
    karat_write(model, base, bytes, 4 * b.num_placed);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        karat_launch_desc desc = {.pc = base, .mask = ~0u};
        karat_workgroup_close(model, 0);
        if (karat_workgroup_open(model, 0, 1) != KARAT_OK || karat_launch(model, 0, &desc) != KARAT_OK)
            return false;
        const uint32_t *in = b.in + pass * b.header.in_words, *out = b.out + pass * b.header.out_words;
        for (unsigned i = 0; i < b.num_cases; i++) {
            const test_case *t = &b.cases[i];
            if (!parts[t->kind]->compare(t, in + t->in, out + t->out))
                return false; /* the warp has stopped */
            compared[t->index]++;
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
static void run(struct qemu *guest, kind first, kind last, const char *count, uint64_t fallback) {
    static int rows[MAX_ROWS];
    const uint64_t target = env_number(count, fallback / KARAT_TEST_SCALE);
    unsigned num = 0;
    const char *reason;
    for (int i = 0; i < karat_num_rows(); i++) {
        kind k = kind_of(karat_row_info(i), &reason);
        if (k >= first && k <= last)
            rows[num++] = i;
    }
    unsigned next = num ? rng_below(&rng, num) : 0;
    for (uint64_t done = 0; num && done < target; done += (uint64_t)PASSES * b.num_cases) {
        make_batch(rows, num, &next, target - done);
        if (!exchange(guest) || !compare_batch())
            return;
    }
}

/* The compared rows; rows that should have been and were not are failures. */
static void summarize(double seconds) {
    static const struct {
        const char *name;
        kind first, last;
    } groups[] = {{"scalar", SCALAR, SCALAR},
                  {"branch, jump, CSR and vset*", BRANCH, CONFIG},
                  {"scalar memory", MEMORY, MEMORY},
                  {"A", AMO, AMO},
                  {"Zfinx", ZFINX, ZFINX},
                  {"vector arithmetic", VECTOR, MASK_LOGIC},
                  {"vector memory", VECTOR_MEMORY, VECTOR_MEMORY}};
    const bool each = env_number("KARAT_QEMU_ROWS", 0) != 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        uint64_t sum = 0, sum_elements = 0, least = UINT64_MAX;
        unsigned rows = 0, never = 0;
        const char *reason;
        for (int i = 0; i < karat_num_rows(); i++) {
            kind k = kind_of(karat_row_info(i), &reason);
            if (k < groups[g].first || k > groups[g].last)
                continue;
            rows++;
            sum += compared[i];
            sum_elements += elements[i];
            least = compared[i] < least ? compared[i] : least;
            never += compared[i] == 0;
            if (each)
                printf("  %-20s %10llu %12llu\n", karat_row_info(i)->mnemonic,
                       (unsigned long long)compared[i], (unsigned long long)elements[i]);
        }
        printf("%s: %llu instructions of %u rows, each at least %llu times", groups[g].name,
               (unsigned long long)sum, rows, (unsigned long long)(rows ? least : 0));
        if (sum_elements)
            printf("; %llu element results", (unsigned long long)sum_elements);
        putchar('\n');
        if (never && sum) { /* a count of 0 leaves a group out */
            printf("%u of these rows were never compared\n", never);
            differences++;
        }
    }
    printf("%llu differences, %.0f s\n", (unsigned long long)differences, seconds);
}

int main(int argc, char **argv) {
    if (argc > 2)
        remove(argv[2]); /* of an earlier run */
    if (argc < 2 || !qemu_can_run(argv[1]))
        return QEMU_SKIPPED;
    rng.state = test_seed();
    karat_config config;
    karat_config_default(&config);
    config.deviations = KARAT_DEV_COMPARE_IMMEDIATE_SIGNED; /* QEMU has V 1.0's reading */
    model = karat_create(&config, NULL);
    if (!model || karat_num_rows() > MAX_ROWS || karat_map(model, 0x80000000u, 1 << 16) != KARAT_OK ||
        karat_map(model, MODEL_WINDOW, 1 << 12) != KARAT_OK)
        return 1;
    print_left_out();
    time_t begin = time(NULL);
    struct qemu guest = qemu_start(vector_cpu, argv[1]);
    run(&guest, SCALAR, SCALAR, "KARAT_QEMU_SCALAR", 1000000);
    run(&guest, BRANCH, CONFIG, "KARAT_QEMU_CONTROL", 200000);
    run(&guest, MEMORY, AMO, "KARAT_QEMU_MEMORY", 300000);
    run(&guest, VECTOR, MASK_LOGIC, "KARAT_QEMU_VECTOR", 500000);
    run(&guest, VECTOR_MEMORY, VECTOR_MEMORY, "KARAT_QEMU_VECTOR_MEMORY", 50000);
    int status = qemu_stop(&guest);
    if (status == 0) {
        guest = qemu_start(zfinx_cpu, argv[1]);
        run(&guest, ZFINX, ZFINX, "KARAT_QEMU_FLOAT", 500000);
        status = qemu_stop(&guest);
    }
    karat_destroy(model);
    if (status != 0)
        return status;
    summarize(difftime(time(NULL), begin));
    if (argc > 2 && differences == 0 && rows_save(argv[2]) != 0)
        return 1;
    return differences != 0;
}
