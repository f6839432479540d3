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
#include <string.h>

static const char vector_cpu[] = "rv32,v=true,vext_spec=v1.0,vlen=1024";
static const char zfinx_cpu[] = "rv32,f=false,d=false,zfinx=true";

static kind kind_of(const karat_row *row, karat_width width, const char **reason) {
    uint32_t opcode = row->match & 0x7f;
    if (width != KARAT_W32)
        return LEFT_OUT;
    if (row->illegal)
        *reason = "not in the ISA";
    else if (!is_specified(row))
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
    if (opcode == 0x17) /* An auipc */
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

static unsigned random_number(const test_case *t, const karat_operand_kind *o) {
    if (o->cls != KARAT_CLASS_V)
        return rng_below(&rng, AVL);
    /* Here v0 holds mask bits, packed on one side only. */
    unsigned number = rng_below(&rng, 32 / t->lmul) * t->lmul;
    return number == 0 && t->masked ? 2 : number;
}

static void choose_registers(test_case *t) {
    t->lmul = t->kind == MASK_LOGIC ? 1 : 1 + (rng_below(&rng, 4) == 0);
    for (unsigned i = 0; i < t->row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(t->row->operands[i]);
        if (!o->is_reg)
            continue;
        const unsigned number = random_number(t, o);
        t->insn.value[i] = (int32_t)number;
        take_register(t, o, number);
    }
}

static const group groups[] = {{"scalar", SCALAR, SCALAR},
                               {"branch, jump, CSR and vset*", BRANCH, CONFIG},
                               {"scalar memory", MEMORY, MEMORY},
                               {"A", AMO, AMO},
                               {"Zfinx", ZFINX, ZFINX},
                               {"vector arithmetic", VECTOR, MASK_LOGIC},
                               {"vector memory", VECTOR_MEMORY, VECTOR_MEMORY},
                               {NULL, LEFT_OUT, LEFT_OUT}};

static const suite rows_of_v202 = {KARAT_V202, kind_of, choose_registers, parts, groups};

int main(int argc, char **argv) {
    if (argc > 2)
        remove(argv[2]); /* Left by an earlier run */
    if (argc < 2 || !qemu_can_run(argv[1]))
        return QEMU_SKIPPED;
    /* QEMU has V 1.0's reading. */
    if (!run_begin(&rows_of_v202, KARAT_DEV_COMPARE_IMMEDIATE_SIGNED) ||
        karat_map(model, MODEL_WINDOW, 1 << 12) != KARAT_OK)
        return 1;
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
    return run_end(status, argc > 2 ? argv[2] : NULL);
}
