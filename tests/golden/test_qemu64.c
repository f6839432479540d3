/* Profile v2.03 against QEMU's user mode emulation of riscv64: elements of 8, 16, 32 and 64 bits, the last by
 * pair. vlen = 1024 and SEW / LMUL = 32 make 32 lanes of V 1.0 at each width; groups of two registers, where
 * they are legal, are twice LMUL.
 *
 * Usage: test_qemu64 GUEST [ROWS]  the program that runs under the emulator; a file for the names of the rows
 *                                  that were compared
 * KARAT_QEMU_RISCV64 names the emulator (qemu-riscv64), KARAT_SEED repeats a run. The numbers of
 * instructions: KARAT_QEMU64_SCALAR, _BRANCH (and auipc), _AMO, _VECTOR, _FLOAT (Zdinx). KARAT_QEMU_ROWS=1
 * prints how often each row was compared. Exits with 77 (skipped) where something is missing.
 *
 * Rows and widths come from the table; an item is a row at one of the widths that it computes on. The guest
 * executes the word that does there what the row does here (guest_word() in qemu_wide.c):
 *   - by pair the same word of RV64, with the format D, and of V 1.0 at e64;
 *   - the word rows of RV64I have 64 bits here: the instructions without W;
 *   - AMO*.D and the others of RV64A move 32 bits here: those of RV32A;
 *   - vwadd.wv and its kin have two wide sources here: vadd.vv and vsub.vv at twice SEW.
 * QEMU 7.2 has no Zvfh by name, and executes e16 all the same: its helpers are those of the other formats, by
 * SoftFloat.
 *
 * Sources hold anything above SEW bits, and what is above them in results is checked: a sign, or ones for
 * binary16. Elements that are not written keep all of their bits.
 *
 * What is NOT compared, each by a fact of the table (kind_of() below); the test prints the items:
 *   - rows that test_qemu has: those of 32 bits that v2.02 has as well, except vector ones, which follow SEW
 *     here;
 *   - rows that only the ISA manual defines, or that it changes, and loads and stores: in test_step and
 *     tests/fuzz. */
#include "qemu_case.h"

#include <stdio.h>
#include <string.h>

static const char vector_cpu[] = "rv64,v=true,vext_spec=v1.0,vlen=1024";
static const char zdinx_cpu[] = "rv64,f=false,d=false,zdinx=true,zfinx=true";

static kind kind_of(const karat_row *row, karat_width width, const char **reason) {
    const uint32_t opcode = row->match & 0x7f;
    if (!karat_row_is_legal(row, KARAT_V203))
        return LEFT_OUT; /* As test_qemu says */
    if (row->unit == KARAT_UNIT_AMO && strstr(row->section, "rv64a"))
        return width == KARAT_W32 ? AMO : LEFT_OUT;
    if (!(row->widths ? row->widths >> width & 1 : width == KARAT_W32))
        return LEFT_OUT;
    if (!is_specified(row))
        *reason = "Ventus' own, or changed by it";
    else if (!row->widths)
        *reason = "computes nothing";
    else if (width == KARAT_W32 && (opcode != 0x57 || vector_kind(row) == MASK_LOGIC))
        *reason = "in test_qemu";
    if (*reason)
        return LEFT_OUT;
    if (row->unit == KARAT_UNIT_BRANCH || opcode == 0x17 /* An auipc */)
        return BRANCH;
    if (opcode == 0x57)
        return vector_kind(row);
    return (opcode & 0x73) == 0x43 || opcode == 0x53 ? ZFINX : SCALAR;
}

static const part *const parts[NUM_KIND] = {
    [SCALAR] = &wide_scalar_part, [BRANCH] = &wide_branch_part,         [AMO] = &wide_amo_part,
    [VECTOR] = &wide_vector_part, [VECTOR_TO_MASK] = &wide_vector_part, [ZFINX] = &wide_scalar_part,
};

static const group groups[] = {
    {"scalar, 64 bits", SCALAR, SCALAR}, {"branch and auipc, 64 bits", BRANCH, BRANCH},
    {"A at 64-bit addresses", AMO, AMO}, {"vector arithmetic", VECTOR, VECTOR_TO_MASK},
    {"Zfinx, 64 bits", ZFINX, ZFINX},    {NULL, LEFT_OUT, LEFT_OUT}};

static const suite rows_of_v203 = {KARAT_V203, kind_of, choose_wide_registers, parts, groups};

int main(int argc, char **argv) {
    if (argc > 2)
        remove(argv[2]); /* Left by an earlier run */
    if (argc < 2 || !qemu_can_run(argv[1]))
        return QEMU_SKIPPED;
    /* QEMU has V 1.0's reading. */
    if (!run_begin(&rows_of_v203, KARAT_DEV_COMPARE_IMMEDIATE_SIGNED) ||
        karat_map(model, WIDE_WINDOW, 4 * MAX_DATA) != KARAT_OK)
        return 1;
    struct qemu guest = qemu_start(vector_cpu, argv[1]);
    run(&guest, SCALAR, SCALAR, "KARAT_QEMU64_SCALAR", 300000);
    run(&guest, BRANCH, BRANCH, "KARAT_QEMU64_BRANCH", 50000);
    run(&guest, AMO, AMO, "KARAT_QEMU64_AMO", 50000);
    run(&guest, VECTOR, VECTOR_TO_MASK, "KARAT_QEMU64_VECTOR", 250000);
    int status = qemu_stop(&guest);
    if (status == 0) {
        guest = qemu_start(zdinx_cpu, argv[1]);
        run(&guest, ZFINX, ZFINX, "KARAT_QEMU64_FLOAT", 300000);
        status = qemu_stop(&guest);
    }
    return run_end(status, argc > 2 ? argv[2] : NULL);
}
