/* Floating point and fixed point: flags, rounding modes, and all of some functions' tables. */
#include "scene.h"

#include <string.h>

/* --- Flags --- */

/* Results of two units that raise flags, more and more instructions apart, of one warp and of several. */
void play_flags(scene *s) {
    prog *p = s->p;
    prog_li(p, HAZARD_X, 0x40490fdb);
    prog_li(p, HAZARD_X + 1, 3);
    prog_add(p, "vmv.v.x", HAZARD_V, HAZARD_X);
    prog_add(p, "vmv.v.x", HAZARD_V + 1, HAZARD_X + 1);
    prog_li(p, X_TEMP, 0x80000000);
    prog_add(p, "vmv.v.x", V_OTHER, X_TEMP);
    prog_add(p, "andi", HAZARD_X + 3, X_WARP, 1);
    prog_add(p, "addi", HAZARD_X + 4, 0, 0);
    for (int32_t kind = 0; kind < 5; kind++)
        for (int32_t between = 0; between < 10; between++) {
            prog_add(p, "csrrwi", 0, kind < 3 ? CSR_FFLAGS : CSR_VXSAT, 0);
            if (kind < 2)
                prog_add(p, "fdiv.s", HAZARD_X + 2, HAZARD_X, 0, 0);
            else if (kind == 2)
                prog_add(p, "fadd.s", 0, HAZARD_X, HAZARD_X + 1, 0);
            else if (kind == 3)
                prog_add(p, "vsmul.vv", HAZARD_V + 2, V_OTHER, V_OTHER, 1);
            else { /* Odd warps in one unit, even ones in the other */
                const int32_t odd = prog_add(p, "bne", HAZARD_X + 3, 0, 0);
                prog_add(p, "vsadd.vv", HAZARD_V + 2, V_OTHER, V_OTHER, 1);
                const int32_t out = prog_add(p, "jal", 0, 0);
                scene_here(s, odd);
                prog_add(p, "vsmul.vv", HAZARD_V + 2, V_OTHER, V_OTHER, 1);
                scene_here(s, out);
            }
            for (int32_t i = 0; i < between; i++)
                prog_add(p, "addi", HAZARD_X + 4, HAZARD_X + 4, 1);
            for (int32_t i = 0; i < 30 && kind == 0; i++)
                prog_add(p, "vfadd.vv", HAZARD_V + 2 + i % 4, HAZARD_V, HAZARD_V + 1, 1);
            if (kind == 1)
                prog_add(p, "csrrs", HAZARD_X + 5, CSR_WID, 0);
            prog_add(p, "csrrs", X_TEMP, kind < 3 ? CSR_FFLAGS : CSR_VXSAT, 0);
            prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        }
}

/* Flags of a vector result and of a scalar result that arrive together; the two raise different flags. */
void play_two_flags(scene *s) {
    enum { NAN_X = HAZARD_X, MOST_X, PI_X, RESULT_X, FILL_X, NAN_V = HAZARD_V, MOST_V, PI_V, RESULT_V };
    prog *p = s->p;
    prog_li(p, NAN_X, 0x7f800001); /* Signaling */
    prog_li(p, MOST_X, 0x7f7fffff);
    prog_li(p, PI_X, 0x40490fdb);
    prog_li(p, FILL_X, 0);
    prog_add(p, "vmv.v.x", NAN_V, NAN_X);
    prog_add(p, "vmv.v.x", MOST_V, MOST_X);
    prog_add(p, "vmv.v.x", PI_V, PI_X);
    for (int32_t kind = 0; kind < 4; kind++)
        for (int32_t between = 0; between < 12; between++) {
            prog_add(p, "csrrwi", 0, CSR_FFLAGS, 0);
            switch (kind) {
            case 0: prog_add(p, "vfmul.vv", RESULT_V, PI_V, PI_V, 1); break;
            case 1: prog_add(p, "fmul.s", RESULT_X, PI_X, PI_X, 0); break;
            case 2: prog_add(p, "vfdiv.vv", RESULT_V, PI_V, MOST_V, 1); break;
            default: prog_add(p, "fdiv.s", RESULT_X, PI_X, MOST_X, 0); break;
            }
            for (int32_t i = 0; i < (kind < 2 ? between : 2 * between); i++)
                prog_add(p, "addi", FILL_X, FILL_X, 1);
            switch (kind) {
            case 0: prog_add(p, "fcvt.w.s", RESULT_X, NAN_X, 0); break;
            case 1: prog_add(p, "vfmin.vv", RESULT_V, NAN_V, PI_V, 1); break;
            case 2: prog_add(p, "fadd.s", RESULT_X, MOST_X, MOST_X, 0); break;
            default: prog_add(p, "vfadd.vv", RESULT_V, MOST_V, MOST_V, 1); break;
            }
            prog_add(p, "csrrs", X_TEMP, CSR_FFLAGS, 0);
            prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        }
}

/* --- Rounding modes --- */

/* Four results of each instruction in the warp's own mode; odd rounds change the mode right after them. */
static void in_own_mode(scene *s, int32_t round) {
    static const char *const names[] = {"vsmul.vv", "vaadd.vv", "vssra.vv",
                                        "vfmul.vv", "vfadd.vv", "vfdiv.vv"};
    prog *p = s->p;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (int32_t k = 0; k < 4; k++)
            if (names[i][1] == 'f')
                prog_add(p, names[i], HAZARD_V + 2 + k, HAZARD_V + k % 2, HAZARD_V + 1 - k % 2, 1);
            else
                prog_add(p, names[i], HAZARD_V + 2 + k, HAZARD_V + 1 - k % 2, HAZARD_V + k % 2, 1);
        if (round % 2)
            prog_add(p, "csrrwi", 0, i < 3 ? CSR_VXRM : CSR_FRM, (int32_t)(round + (int32_t)i) % 4);
        for (int32_t k = 0; k < 4; k++)
            prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + 2 + k, 1);
    }
}

/* Long instructions of some warps, short ones of the others. */
static void long_and_short(scene *s, int32_t round) {
    prog *p = s->p;
    prog_add(p, "andi", X_TEMP, X_WARP, 1);
    const int32_t others = prog_add(p, "beq", X_TEMP, 0, 0);
    for (int32_t k = 0; k < 4; k++)
        prog_add(p, "vfexp.v", HAZARD_V + 2 + k, HAZARD_V + 6 + k % 2, 1);
    prog_add(p, "csrrwi", 0, CSR_FRM, round % 4);
    const int32_t join = prog_add(p, "jal", 0, 0);
    scene_here(s, others);
    for (int32_t k = 0; k < 24; k++)
        prog_add(p, k % 2 ? "vfadd.vv" : "vfmul.vv", HAZARD_V + 2 + k % 4, HAZARD_V, HAZARD_V + 1, 1);
    scene_here(s, join);
    for (int32_t k = 0; k < 4; k++)
        prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + 2 + k, 1);
}

/* Warps with different rounding modes in the same units at once; then each changes its mode while its own
 * results are under way. */
void play_modes(scene *s) {
    /* An odd fraction and a number with many digits; numbers whose exponentials are near 1: a unit that is
     * nearly right has those right in its own mode alone. */
    static const struct {
        int32_t reg;
        uint32_t first;
    } values[] = {{0, 0x3fb504f3}, {1, 0x400fffff}, {6, 0x36fffffe}, {7, 0xb6fffffe}};
    prog *p = s->p;
    scene_clear_registers(s);
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
        prog_li(p, X_TEMP, values[i].first);
        prog_add(p, "vadd.vx", HAZARD_V + values[i].reg, V_LANE, X_TEMP, 1);
    }
    prog_add(p, "andi", X_COUNT, X_WARP, 3);
    for (int32_t round = 0; round < 4; round++) {
        prog_add(p, "csrrw", 0, CSR_VXRM, X_COUNT);
        prog_add(p, "csrrw", 0, CSR_FRM, X_COUNT);
        in_own_mode(s, round);
        long_and_short(s, round);
        prog_add(p, "addi", X_COUNT, X_COUNT, 1);
        prog_add(p, "andi", X_COUNT, X_COUNT, 3);
    }
}

/* --- Tables --- */

/* Exponentials from near 1/4 to near 4 in steps of about 1/370: they reach all parts of a table or
 * polynomial. */
void play_exponentials(scene *s) {
    enum { VALUES = 1024 };
    prog *p = s->p;
    prog_li(p, X_TEMP, 0x3b31d3a3); /* A binary32: 0.0027134 */
    prog_li(p, X_COUNT, 0u - VALUES / 2);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "vadd.vx", V_OTHER, V_LANE, X_COUNT, 1);
    prog_add(p, "vfcvt.f.x.v", V_OTHER, V_OTHER, 1);
    prog_add(p, "vfmul.vf", V_OTHER, V_OTHER, X_TEMP, 1);
    prog_add(p, "vfexp.v", V_OTHER, V_OTHER, 1);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_add(p, "addi", X_COUNT, X_COUNT, (int32_t)scene_threads(s));
    prog_li(p, X_RPC, VALUES / 2);
    prog_lead(p, prog_add(p, "blt", X_COUNT, X_RPC, 0), top);
}

/* Estimates of numbers with any leading digits and exponents of both parities: all of their tables. */
void play_estimates(scene *s) {
    prog *p = s->p;
    prog_li(p, X_COUNT, 0x3f000000 >> 16);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "vadd.vx", V_OTHER, V_LANE, X_COUNT, 1);
    prog_add(p, "vsll.vi", V_OTHER, V_OTHER, 16, 1);
    prog_add(p, "vfrec7.v", V_COUNT, V_OTHER, 1);
    prog_add(p, "vfrsqrt7.v", V_OTHER, V_OTHER, 1);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, V_COUNT, 1);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_add(p, "addi", X_COUNT, X_COUNT, (int32_t)scene_threads(s));
    prog_li(p, X_RPC, 0x40000000 >> 16);
    prog_lead(p, prog_add(p, "blt", X_COUNT, X_RPC, 0), top);
}

/* --- Conversions --- */

/* A conversion of the value in X_TEMP, and the flags that it alone raises. */
static void convert(scene *s, const row_use *u) {
    prog *p = s->p;
    int32_t value[KARAT_MAX_OPERAND] = {0};
    for (unsigned i = 1; i <= 3; i++)
        if (u->source[i] >= 0)
            value[u->source[i]] = u->source_v[i] ? V_OTHER : X_TEMP;
    if (u->vm >= 0)
        value[u->vm] = 1;
    if (u->rm >= 0)
        value[u->rm] = 7;
    value[u->dest] = u->dest_x ? HAZARD_X : HAZARD_V;
    prog_add(p, "csrrwi", 0, CSR_FFLAGS, 0);
    if (prog_put(p, u->row, value, PROG_AUTO, PROG_NONE) == PROG_NONE)
        prog_fail(p, "%s cannot be encoded", u->info->name);
    prog_add(p, "csrrs", X_RPC, CSR_FFLAGS, 0);
    prog_add(p, "add", X_RESULT, X_RESULT, X_RPC);
    if (u->dest_x)
        prog_add(p, "xor", X_RESULT, X_RESULT, HAZARD_X);
    else
        prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V, 1);
}

/* Numbers at the ends of the integers' ranges, and just beyond; halves; in each mode. */
void play_conversions(scene *s) {
    static const uint32_t values[] = {0x4effffff, 0x4f000000, 0x4f000001, 0xcf000000, 0xcf000001, 0x4f7fffff,
                                      0x4f800000, 0x3effffff, 0x3f000000, 0xbf000000, 0xbf7fffff, 0xbf800000,
                                      0x3fc00000, 0x40200000, 0x4b7fffff, 0x01000001, 0x7fffffc0};
    const row_list rows = s->table->units[KARAT_UNIT_FP];
    for (int32_t mode = 0; mode < 5; mode++) {
        prog_add(s->p, "csrrwi", 0, CSR_FRM, mode);
        for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
            prog_li(s->p, X_TEMP, values[i]);
            prog_add(s->p, "vmv.v.x", V_OTHER, X_TEMP);
            for (uint32_t k = 0; k < rows.num; k++)
                if (!rows.at[k]->pairs && strstr(rows.at[k]->info->name, "cvt"))
                    convert(s, rows.at[k]);
        }
    }
}
