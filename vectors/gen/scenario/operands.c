/* Operands that are late or unusual: masks, third operands, flags, addresses of 64 bits, wide immediates. */
#include "scene.h"

/* Groups of two with masks that differ by element and by warp, written just before by a slow instruction;
 * elements that are masked off would saturate. */
void play_group_masks(scene *s) {
    enum { MASK = 0, ONE = HAZARD_V, VALUE = HAZARD_V + 2, DONE = HAZARD_V + 4, NEXT = HAZARD_V + 6 };
    prog *p = s->p;
    prog_add(p, "addi", X_COUNT, 0, 64); /* More than VLMAX */
    prog_add(p, "vsetvli", 0, X_COUNT, 0x11);
    prog_add(p, "vmv.v.i", ONE, 1);
    for (int32_t i = 0; i < 6; i++) {
        prog_add(p, "vid.v", NEXT, 1); /* (element + warp + i) / 2 in v0 and v1: bit 0 is the mask */
        prog_add(p, "vadd.vx", NEXT, NEXT, X_WARP, 1);
        prog_add(p, "vadd.vi", NEXT, NEXT, i, 1);
        prog_add(p, "vsrl.vi", NEXT, NEXT, i % 2, 1);
        prog_add(p, "vand.vi", VALUE, NEXT, 1, 1); /* The largest number where the mask is 0, else 0 */
        prog_add(p, "vadd.vi", VALUE, VALUE, -1, 1);
        prog_add(p, "vsrl.vi", VALUE, VALUE, 1, 1);
        prog_add(p, "csrrwi", 0, CSR_VXSAT, 0);
        prog_add(p, "vdivu.vv", MASK, NEXT, ONE, 1);
        if (i % 3 == 0)
            prog_add(p, "vmerge.vvm", DONE, VALUE, NEXT);
        else if (i % 3 == 1)
            prog_add(p, "vadc.vvm", DONE, VALUE, NEXT);
        else
            prog_add(p, "vadd.vv", DONE, NEXT, NEXT, 0);
        prog_add(p, "vsadd.vv", DONE, VALUE, VALUE, 0);
        prog_add(p, "csrrs", X_TEMP, CSR_VXSAT, 0);
        prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        prog_add(p, "vxor.vv", NEXT, NEXT, DONE, 1);
        prog_add(p, "vdivu.vv", MASK, NEXT, ONE, 1); /* The mask is under way, too */
        prog_add(p, "vmerge.vvm", NEXT, DONE, VALUE);
        prog_add(p, "vadd.vv", DONE, DONE, NEXT, 0);
    }
    prog_add(p, "vsetvli", 0, X_COUNT, 0x10);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, DONE, 1);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, DONE + 1, 1);
}

/* Mask v0 is under way while it is the mask of a merge, or a carry. */
void play_late_masks(scene *s) {
    enum { MASK = 0, ONE = HAZARD_V, VALUE, DONE, NEXT };
    prog *p = s->p;
    prog_add(p, "vmv.v.i", ONE, 1);
    prog_add(p, "vadd.vx", NEXT, V_LANE, X_WARP, 1);
    for (int32_t i = 0; i < 8; i++) {
        prog_add(p, "vadd.vi", NEXT, NEXT, i, 1);
        prog_add(p, "vmv.v.i", VALUE, 2 * i, 1);
        prog_add(p, i % 2 ? "vmul.vv" : "vdivu.vv", MASK, NEXT, ONE, 1);
        if (i % 4 < 2)
            prog_add(p, "vmerge.vvm", DONE, VALUE, NEXT);
        else
            prog_add(p, "vadc.vvm", DONE, VALUE, NEXT);
        prog_add(p, "vxor.vv", V_SUM, V_SUM, DONE, 1);
    }
}

/* A result that is under way as the third operand; flags that are under way, read from each CSR that holds
 * them. */
void play_late_scalars(scene *s) {
    enum { A = HAZARD_X, B, C, D };
    static const int32_t csrs[] = {CSR_FFLAGS, CSR_FCSR, CSR_FFLAGS, CSR_FCSR};
    prog *p = s->p;
    prog_li(p, A, 0x40490fdb);
    prog_li(p, B, 0x3fb504f3);
    for (int32_t i = 0; i < 8; i++) {
        prog_add(p, "csrrwi", 0, CSR_FFLAGS, 0);
        prog_add(p, i % 2 ? "fdiv.s" : "fmul.s", C, A, B, 7);
        if (i < 4)
            prog_add(p, "fmadd.s", D, A, B, C, 7);
        prog_add(p, "csrrs", X_TEMP, csrs[i % 4], 0);
        prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        prog_add(p, "xor", X_RESULT, X_RESULT, i < 4 ? D : C);
        prog_add(p, "sw", C, 64, X_BASE);
        prog_add(p, "lw", C, 64, X_BASE);
        prog_add(p, "fnmsub.s", A, A, B, C, 7);
        prog_add(p, "addi", B, B, 3);
    }
}

/* Append an instruction with that prefix; operands in the order of the row. */
static void put_prefixed(scene *s, const char *name, prog_prefix prefix, int32_t a, int32_t b, int32_t c) {
    const int32_t value[KARAT_MAX_OPERAND] = {a, b, c, 1};
    if (prog_put(s->p, row_named(s->table, name)->row, value, prefix, PROG_NONE) == PROG_NONE)
        prog_fail(s->p, "%s cannot have that prefix", name);
}

/* Pairs as addresses with negative offsets; immediates after REGEXTI together with registers from 32 on. */
void play_prefixes(scene *s) {
    enum { LOW = HAZARD_X, HIGH, X_HERE, V_HERE = 50 };
    prog *p = s->p;
    prog_add(p, "addi", HIGH, 0, 0);
    prog_add(p, "vadd.vx", V_HERE, V_LANE, X_WARP, 1);
    for (int32_t i = 0; i < 4; i++) {
        prog_add(p, "addi", LOW, X_BASE, WORK + 64 * i);
        prog_add(p, "sw", X_BASE, WORK - 60, X_BASE);
        put_prefixed(s, "lw", scene_prefix(s, KARAT_PREFIX_DEFAULT, 2), X_HERE, -60 * i, LOW);
        prog_add(p, "xor", X_RESULT, X_RESULT, X_HERE);
        put_prefixed(s, "vadd.vi", PROG_REGEXTI, V_HERE - 8 + i, V_HERE, 100 * i - 150);
        prog_add(p, "vxor.vv", V_SUM, V_SUM, V_HERE - 8 + i, 1);
    }
}
