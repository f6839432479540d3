/* Stimulus that programs of compilers do not have: ignored and reserved bits, parts of words of local memory,
 * numbers at the ends of the range in one lane alone, CSRs that another warp has written. */
#include "scene.h"

#include <string.h>

/* Append an instruction of that row on registers of each class for its sources; no mask. */
static void put_row(scene *s, const row_use *u, int32_t dest, const int32_t x[4], const int32_t v[4]) {
    int32_t value[KARAT_MAX_OPERAND] = {0};
    for (unsigned i = 1; i < 4; i++)
        if (u->source[i] >= 0)
            value[u->source[i]] = u->source_v[i] ? v[i] : x[i];
    if (u->dest >= 0)
        value[u->dest] = dest;
    if (u->vm >= 0)
        value[u->vm] = 1;
    if (prog_put(s->p, u->row, value, PROG_PLAIN, PROG_NONE) == PROG_NONE)
        prog_fail(s->p, "%s cannot be encoded", u->info->name);
}

static void fold_scalar(scene *s, int32_t reg) {
    prog_add(s->p, "slli", X_TEMP, X_RESULT, 1); /* The order of the results counts */
    prog_add(s->p, "add", X_RESULT, X_TEMP, reg);
}

/* --- Ignored and reserved bits --- */

/* Targets of JALR with bit 0 set, by the register, by the offset, and by both together. */
static void odd_targets(scene *s) {
    static const int32_t parts[][2] = {{1, 0}, {0, 1}, {3, -2}, {-4, 5}};
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const int32_t place = prog_la(s->p, X_RPC);
        prog_add(s->p, "addi", X_RPC, X_RPC, parts[i][0]);
        prog_add(s->p, "jalr", HAZARD_X, parts[i][1], X_RPC);
        prog_word(s->p, 0);
        scene_here(s, place);
        prog_add(s->p, "addi", X_RESULT, X_RESULT, (int32_t)i + 1);
    }
}

static bool is_shift(const row_use *u) {
    const char *name = u->info->name;
    return !u->pairs && u->dest >= 0 && (strstr(name, "sll") || strstr(name, "srl") || strstr(name, "sra")) &&
           u->source[u->dest_x ? 2 : 1] >= 0;
}

/* Each shift by a register whose bits above the amount are set. */
static void wide_amounts(scene *s) {
    static const uint32_t amounts[] = {32, 33, 63, 0x80000001, 0xffffffe0, 0xffffffff, 0x00000107};
    static const int32_t x_scalar[4] = {0, HAZARD_X, HAZARD_X + 1, 0}, x_vector[4] = {0, HAZARD_X + 1, 0, 0},
                         v[4] = {0, HAZARD_V + 1, HAZARD_V, 0};
    prog *p = s->p;
    prog_li(p, HAZARD_X, 0x9234567b);
    prog_add(p, "vadd.vx", HAZARD_V, V_LANE, HAZARD_X, 1);
    for (uint32_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        prog_li(p, HAZARD_X + 1, amounts[i]);
        prog_add(p, "vmv.v.x", HAZARD_V + 1, HAZARD_X + 1);
        for (int row = 0; row < karat_num_rows(); row++) {
            const row_use *u = &s->table->use[row];
            if (!u->info || !is_shift(u))
                continue;
            put_row(s, u, u->dest_x ? HAZARD_X + 2 : HAZARD_V + 2, u->dest_x ? x_scalar : x_vector, v);
            if (u->dest_x)
                fold_scalar(s, HAZARD_X + 2);
            else
                prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + 2, 1);
        }
    }
}

/* The next CSR that a program may write; but for vstart, which is always 0, and CSR_PRINT, which asks the
 * host. */
static bool next_csr(uint32_t *csr) {
    while (++*csr < 4096)
        if (karat_csr_name(*csr) && !csr_is_fixed(*csr) && *csr != CSR_VSTART && *csr != CSR_PRINT)
            return true;
    return false;
}

/* All bits of each CSR, and each reserved bit of frm and vxrm alone; then what it was. */
static void reserved_csr_bits(scene *s) {
    static const uint32_t values[] = {0xffffffff, 0x80000000, 0xfffffff8, 0x00000100};
    for (uint32_t csr = 0; next_csr(&csr);) {
        prog_add(s->p, "csrrs", HAZARD_X, csr, 0);
        for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
            prog_li(s->p, HAZARD_X + 1, values[i]);
            prog_add(s->p, "csrrw", HAZARD_X + 2, csr, HAZARD_X + 1);
            prog_add(s->p, "csrrs", HAZARD_X + 2, csr, 0);
            fold_scalar(s, HAZARD_X + 2);
        }
        prog_add(s->p, "csrrw", 0, csr, HAZARD_X);
    }
}

/* VSETVL with reserved bits of vtype and lengths that are no power of two; vl and vtype are read. */
static void odd_vtypes(scene *s) {
    static const uint32_t vtypes[] = {0x10,       0x50,       0x90, 0xd0, 0x110,
                                      0x80000010, 0xffffffff, 0x14, 0x38, 0x10010},
                          lengths[] = {0, 1, 3, 7, 0x80000001, 0xffffffff};
    prog *p = s->p;
    for (uint32_t i = 0; i < sizeof vtypes / sizeof *vtypes; i++)
        for (uint32_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            prog_li(p, HAZARD_X, lengths[k]);
            prog_li(p, HAZARD_X + 1, vtypes[i]);
            prog_add(p, "vsetvl", HAZARD_X + 2, HAZARD_X, HAZARD_X + 1);
            fold_scalar(s, HAZARD_X + 2);
            prog_add(p, "csrrs", HAZARD_X + 2, CSR_VL, 0);
            fold_scalar(s, HAZARD_X + 2);
            prog_add(p, "csrrs", HAZARD_X + 2, CSR_VTYPE, 0);
            fold_scalar(s, HAZARD_X + 2);
        }
    prog_add(p, "addi", X_COUNT, 0, 64); /* More than VLMAX */
    prog_add(p, "vsetvli", 0, X_COUNT, 0x10);
}

void play_ignored_bits(scene *s) {
    odd_targets(s);
    wide_amounts(s);
    reserved_csr_bits(s);
    odd_vtypes(s);
}

/* --- Parts of words --- */

/* Bytes and halves of local memory: a store to one part, then loads of the others by the same lane, by other
 * lanes and other banks, and by a scalar. */
void play_sub_words(scene *s) {
    static const char *const loads[] = {"vlb12.v", "vlbu12.v", "vlh12.v", "vlhu12.v", "vlw12.v"};
    static const int32_t bytes[] = {1, 1, 2, 2, 4};
    prog *p = s->p;
    prog_add(p, "vsll.vi", V_PLACE, V_LANE, 2, 1);
    prog_add(p, "vxor.vi", V_COUNT, V_PLACE, 4, 1); /* The neighbour's word, in another bank */
    prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_LDS, 1);
    prog_add(p, "vadd.vx", V_COUNT, V_COUNT, X_LDS, 1);
    for (int32_t part = 0; part < 6; part++) { /* Four bytes, two halves */
        const bool half = part >= 4;
        const int32_t at = half ? 2 * (part - 4) : part;
        prog_li(p, HAZARD_X, 0x80f1a2c3u + (uint32_t)part);
        prog_add(p, "vadd.vx", HAZARD_V, V_SUM, HAZARD_X, 1);
        prog_add(p, "vsw12.v", HAZARD_V, 0, V_PLACE);
        prog_add(p, "vsw12.v", V_ZERO, 0, V_COUNT); /* The neighbour's word is whole before */
        prog_add(p, "vsw12.v", HAZARD_V, 0, V_PLACE);
        prog_add(p, half ? "vsh12.v" : "vsb12.v", V_LANE, at, V_PLACE);
        for (uint32_t k = 0; k < sizeof loads / sizeof *loads; k++)
            for (int32_t byte = 0; byte < 4; byte += bytes[k])
                for (int32_t other = 0; other < 2; other++) {
                    prog_add(p, loads[k], V_OTHER, byte, other ? V_COUNT : V_PLACE);
                    prog_add(p, "vsll.vi", V_SUM, V_SUM, 1, 1);
                    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
                }
        prog_add(p, half ? "sh" : "sb", X_RESULT, at, X_LDS);
        for (int32_t byte = 0; byte < 4; byte++) {
            prog_add(p, "lbu", HAZARD_X + 1, byte, X_LDS);
            fold_scalar(s, HAZARD_X + 1);
        }
    }
}

/* --- Ends of the range --- */

/* Each vector instruction of floating point; one lane, each in turn, has a number of the lowest or of the
 * highest binade, the others ordinary ones. Products by one keep it there as a result. */
void play_binades(scene *s) {
    static const uint32_t ends[] = {0x00800000, 0x80ffffff, 0x7f000000, 0xff7fffff};
    static const uint8_t of_fp[] = {KARAT_UNIT_FP, KARAT_UNIT_FDIV, KARAT_UNIT_SFU};
    enum { ONE = HAZARD_V, NUMBER = HAZARD_V + 1, END, RESULT };
    static const int32_t x[4] = {0, HAZARD_X, HAZARD_X, HAZARD_X}, v[4] = {0, ONE, NUMBER, ONE};
    prog *p = s->p;
    prog_li(p, HAZARD_X, 0x3f800000);
    prog_add(p, "vmv.v.x", ONE, HAZARD_X);
    prog_add(p, "addi", X_COUNT, 0, 0);
    prog_li(p, HAZARD_X + 1, scene_threads(s));
    const int32_t top = (int32_t)p->num;
    for (uint32_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        prog_li(p, X_TEMP, ends[i]);
        prog_add(p, "vmv.v.x", END, X_TEMP);
        prog_add(p, "vmseq.vx", 0, V_LANE, X_COUNT, 1);
        prog_add(p, "vmerge.vvm", NUMBER, ONE, END);
        for (uint32_t unit = 0; unit < sizeof of_fp; unit++)
            for (uint32_t k = 0; k < s->table->units[of_fp[unit]].num; k++) {
                const row_use *u = s->table->units[of_fp[unit]].at[k];
                if (u->pairs || u->dest < 0 || u->dest_x || u->single)
                    continue;
                prog_add(p, "vmv.v.v", RESULT, ONE);
                put_row(s, u, RESULT, x, v);
                prog_add(p, "vxor.vv", V_SUM, V_SUM, RESULT, 1);
            }
    }
    prog_add(p, "addi", X_COUNT, X_COUNT, 1);
    const int32_t done = prog_add(p, "beq", X_COUNT, HAZARD_X + 1, 0);
    prog_lead(p, prog_add(p, "jal", 0, 0), top);
    scene_here(s, done);
    prog_add(p, "csrrs", X_TEMP, CSR_FFLAGS, 0);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
}

/* --- CSRs of other warps --- */

/* Each CSR, vl and vtype: one warp writes it, all meet, and all read their own; then it is what it was. */
void play_csr_exchange(scene *s) {
    prog *p = s->p;
    prog_add(p, "addi", HAZARD_X + 1, 0, 5);
    prog_add(p, "addi", HAZARD_X + 4, 0, 0); /* The warp that writes */
    for (uint32_t csr = 0; next_csr(&csr);) {
        prog_add(p, "csrrs", HAZARD_X, csr, 0);
        const int32_t other = prog_add(p, "bne", X_WARP, HAZARD_X + 4, 0);
        prog_add(p, "csrrw", 0, csr, HAZARD_X + 1);
        scene_here(s, other);
        prog_add(p, "barrier", 0);
        prog_add(p, "csrrs", HAZARD_X + 2, csr, 0);
        fold_scalar(s, HAZARD_X + 2);
        prog_add(p, "barrier", 0);
        prog_add(p, "csrrw", 0, csr, HAZARD_X);
        prog_add(p, "addi", HAZARD_X + 4, HAZARD_X + 4, 1);
        prog_add(p, "remu", HAZARD_X + 4, HAZARD_X + 4, X_WARPS);
    }
    prog_add(p, "addi", X_COUNT, 0, 64); /* More than VLMAX */
    const int32_t other = prog_add(p, "bne", X_WARP, 0, 0);
    prog_add(p, "addi", X_TEMP, 0, 1);
    prog_add(p, "vsetvli", 0, X_TEMP, 0x11);
    scene_here(s, other);
    prog_add(p, "barrier", 0);
    prog_add(p, "csrrs", HAZARD_X + 2, CSR_VL, 0);
    prog_add(p, "csrrs", HAZARD_X + 3, CSR_VTYPE, 0);
    fold_scalar(s, HAZARD_X + 2);
    fold_scalar(s, HAZARD_X + 3);
    prog_add(p, "vsetvli", 0, X_COUNT, 0x10);
}
