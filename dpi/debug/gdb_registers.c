/* The registers as gdb numbers them, and their description. */
#include "gdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BASE_X = 32, /* Registers of RISC-V's own feature: x0 to x31, then pc */
    NUM_BASE = BASE_X + 1,
    MORE_X = KARAT_NUM_X - BASE_X,
    FIRST_V = NUM_BASE + MORE_X,
    FIRST_STATE = FIRST_V + KARAT_NUM_V,
    FIRST_CSR = FIRST_STATE + MACHINE_LANE - MACHINE_MASK + 1,
    CSR_ADDR = 4096
};

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
        return (machine_register){MACHINE_MASK + (i - FIRST_STATE), 0};
    csrs(list);
    return (machine_register){MACHINE_CSR, list[i - FIRST_CSR]};
}

/* A feature of these registers; lanes: of a vector register. */
static void put_feature(FILE *out, const char *name, const char *types, unsigned first, unsigned end,
                        uint32_t lanes) {
    fprintf(out, "<feature name=\"%s\">\n%s", name, types);
    for (unsigned i = first; i < end; i++) {
        const machine_register reg = karat_gdb_register(i);
        char text[32];
        karat_machine_register_name(reg, text);
        fprintf(out, "<reg name=\"%s\" bitsize=\"%" PRIu32 "\" regnum=\"%u\" type=\"%s\" group=\"%s\"/>\n",
                text, reg.cls == MACHINE_V ? 32 * lanes : 32, i,
                reg.cls == MACHINE_V ? "lanes"
                : reg.cls == MACHINE_PC || reg.cls == MACHINE_TOP_RPC || reg.cls == MACHINE_TOP_NEXT
                    ? "code_ptr"
                    : "uint32",
                reg.cls == MACHINE_V     ? "vector"
                : reg.cls == MACHINE_CSR ? "csr"
                                         : "general");
    }
    fputs("</feature>\n", out);
}

/* No operating system: as on Linux, gdb would step by breakpoints, at the next instructions of the
 * branches that it knows. */
char *karat_gdb_target_xml(uint32_t lanes) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    char types[512];
    snprintf(types, sizeof types,
             "<vector id=\"lanes_u\" type=\"uint32\" count=\"%" PRIu32
             "\"/>\n<vector id=\"lanes_i\" type=\"int32\" count=\"%" PRIu32
             "\"/>\n<vector id=\"lanes_f\" type=\"ieee_single\" count=\"%" PRIu32 "\"/>\n"
             "<union id=\"lanes\"><field name=\"u\" type=\"lanes_u\"/><field name=\"i\" type=\"lanes_i\"/>"
             "<field name=\"f\" type=\"lanes_f\"/></union>\n",
             lanes, lanes, lanes);
    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
          "<architecture>riscv:rv32</architecture>\n<osabi>none</osabi>\n",
          out);
    put_feature(out, "org.gnu.gdb.riscv.cpu", "", 0, NUM_BASE, lanes);
    put_feature(out, "org.karat.scalar", "", NUM_BASE, FIRST_V, lanes);
    put_feature(out, "org.karat.vector", types, FIRST_V, FIRST_STATE, lanes);
    put_feature(out, "org.karat.warp", "", FIRST_STATE, FIRST_CSR, lanes);
    put_feature(out, "org.karat.csr", "", FIRST_CSR, karat_gdb_num_register(), lanes);
    fputs("</target>\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
