/* The registers as gdb numbers them, and their description. */
#include "gdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BASE_X = 32, /* registers of RISC-V's own feature: x0 to x31, then pc */
    NUM_BASE = BASE_X + 1,
    MORE_X = KARAT_NUM_X - BASE_X,
    FIRST_V = NUM_BASE + MORE_X,
    FIRST_STATE = FIRST_V + KARAT_NUM_V
};

static const machine_class states[] = {MACHINE_MASK, MACHINE_DEPTH, MACHINE_TOP_RPC, MACHINE_TOP_NEXT,
                                       MACHINE_TOP_MASK};
enum { NUM_STATE = sizeof states / sizeof *states, FIRST_CSR = FIRST_STATE + NUM_STATE, CSR_ADDR = 4096 };

/* The addresses of the CSRs that have names, in ascending order. */
static unsigned csrs(uint16_t list[CSR_ADDR]) {
    unsigned num = 0;
    for (uint32_t addr = 0; addr < CSR_ADDR; addr++)
        if (karat_csr_name(addr))
            list[num++] = (uint16_t)addr;
    return num;
}

unsigned karat_gdb_num_register(void) {
    uint16_t list[CSR_ADDR];
    return FIRST_CSR + csrs(list);
}

machine_register karat_gdb_register(unsigned i) {
    uint16_t list[CSR_ADDR];
    if (i < BASE_X)
        return (machine_register){MACHINE_X, i};
    if (i == BASE_X)
        return (machine_register){MACHINE_PC, 0};
    if (i < FIRST_V)
        return (machine_register){MACHINE_X, i - NUM_BASE + BASE_X};
    if (i < FIRST_STATE)
        return (machine_register){MACHINE_V, i - FIRST_V};
    if (i < FIRST_CSR)
        return (machine_register){states[i - FIRST_STATE], 0};
    csrs(list);
    return (machine_register){MACHINE_CSR, list[i - FIRST_CSR]};
}

static void put_register(FILE *out, unsigned i, uint32_t bits, const char *type, const char *group) {
    char name[32];
    karat_machine_register_name(karat_gdb_register(i), name);
    fprintf(out, "<reg name=\"%s\" bitsize=\"%" PRIu32 "\" regnum=\"%u\" type=\"%s\"", name, bits, i, type);
    fprintf(out, group ? " group=\"%s\"/>\n" : "/>\n", group);
}

static const char *type_of(machine_class cls) {
    return cls == MACHINE_PC || cls == MACHINE_TOP_RPC || cls == MACHINE_TOP_NEXT ? "code_ptr" : "uint32";
}

/* No operating system: as on Linux, gdb would step by breakpoints, at the next instructions of the branches that it knows. */
char *karat_gdb_target_xml(uint32_t lanes) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
          "<architecture>riscv:rv32</architecture>\n<osabi>none</osabi>\n<feature "
          "name=\"org.gnu.gdb.riscv.cpu\">\n",
          out);
    for (unsigned i = 0; i < NUM_BASE; i++)
        put_register(out, i, 32, type_of(karat_gdb_register(i).cls), "general");
    fputs("</feature>\n<feature name=\"org.karat.scalar\">\n", out);
    for (unsigned i = NUM_BASE; i < FIRST_V; i++)
        put_register(out, i, 32, "uint32", "general");
    fprintf(out,
            "</feature>\n<feature name=\"org.karat.vector\">\n"
            "<vector id=\"lanes_u\" type=\"uint32\" count=\"%" PRIu32
            "\"/>\n<vector id=\"lanes_i\" type=\"int32\" count=\"%" PRIu32
            "\"/>\n<vector id=\"lanes_f\" type=\"ieee_single\" count=\"%" PRIu32 "\"/>\n"
            "<union id=\"lanes\"><field name=\"u\" type=\"lanes_u\"/><field name=\"i\" type=\"lanes_i\"/>"
            "<field name=\"f\" type=\"lanes_f\"/></union>\n",
            lanes, lanes, lanes);
    for (unsigned i = FIRST_V; i < FIRST_STATE; i++)
        put_register(out, i, 32 * lanes, "lanes", "vector");
    fputs("</feature>\n<feature name=\"org.karat.warp\">\n", out);
    for (unsigned i = FIRST_STATE; i < FIRST_CSR; i++)
        put_register(out, i, 32, type_of(karat_gdb_register(i).cls), "general");
    fputs("</feature>\n<feature name=\"org.karat.csr\">\n", out);
    for (unsigned i = FIRST_CSR; i < karat_gdb_num_register(); i++)
        put_register(out, i, 32, "uint32", "csr");
    fputs("</feature>\n</target>\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
