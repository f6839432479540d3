/* The context of one step's execution, and the macros in which semantics are written.
 *
 * A semantic is a function karat_sem_<name>(karat_exec *e). The step has fetched the operands before it runs and writes
 * the results after it, so a definition is usually one expression over
 *
 *     s1   source 1: vs1, rs1 or the immediate in its place
 *     s2   source 2: vs2, rs2 or the immediate in its place
 *     d    the third operand: rs3, vs3 or the old value of vd
 *     m    bit 0 of v0's element (carry-in, merge)
 *
 * as uint32_t. Source 1 and 2 are those of the encoding: vsub.vv is s2 - s1, sub is s1 - s2. */
#ifndef KARAT_EXEC_H
#define KARAT_EXEC_H

#include "../core/core.h"

#define KARAT_MAX_ELEMENT (2 * KARAT_MAX_THREAD)

struct karat_exec {
    karat_model *model;
    karat_warp *warp;
    uint32_t warp_handle;
    const karat_decoded *insn;
    karat_commit *commit;
    uint32_t n;      /* elements: num_thread, or twice that for a group of two */
    uint64_t active; /* elements that are written: thread mask, vl, v0.t */
    uint32_t next_pc;
    karat_error_kind error;
    bool held;           /* the read port holds the step */
    bool no_write;       /* the semantic writes no register */
    bool pair;           /* a result of two words goes to rd and rd + 1 */
    uint32_t x1, x2, x3; /* scalar sources */
    const uint32_t *v1, *v2, *v3, *v0;
    uint32_t r[KARAT_MAX_ELEMENT]; /* result: scalar in r[0] */
    uint32_t splat[KARAT_MAX_ELEMENT];
};

/* Read a register as an operand, and enter it into the commit. The step does so for those that the
 * instruction names; these are for the upper halves of pairs. */
uint32_t karat_read_x(karat_exec *e, unsigned source, unsigned part, uint32_t reg);
const uint32_t *karat_read_v(karat_exec *e, unsigned source, unsigned part, uint32_t reg);

#define ROW(id, mnemonic, match, mask, ops, sem, ...) karat_semantic karat_sem_##sem;
#include "../isa/ventus.def"
#undef ROW

/* rd = expression of s1 and s2. */
#define SCALAR(name, expr)                                                                                   \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        uint32_t s1 = e->x1, s2 = e->x2;                                                                     \
        (void)s1, (void)s2;                                                                                  \
        e->r[0] = (uint32_t)(expr);                                                                          \
    }

/* Each element of vd = expression of s1, s2 and d.  All elements are computed, masked-off ones too: integer
 * arithmetic has no side effects, and a loop without conditions is a vector loop. */
#define ELEMENTS(name, expr)                                                                                 \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        const uint32_t *v1 = e->v1, *v2 = e->v2, *v3 = e->v3;                                                \
        uint32_t *restrict r = e->r;                                                                         \
        uint32_t n = e->n;                                                                                   \
        for (uint32_t i = 0; i < n; i++) {                                                                   \
            uint32_t s1 = v1[i], s2 = v2[i], d = v3[i];                                                      \
            (void)s1, (void)s2, (void)d;                                                                     \
            r[i] = (uint32_t)(expr);                                                                         \
        }                                                                                                    \
    }

/* The same with m. */
#define ELEMENTS_M(name, expr)                                                                               \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            uint32_t s1 = e->v1[i], s2 = e->v2[i], m = e->v0[i] & 1u;                                        \
            e->r[i] = (uint32_t)(expr);                                                                      \
        }                                                                                                    \
    }

/* Floating point: only active elements are computed, since only they raise flags. rm and flags are in scope.
 */
#define ELEMENTS_FP(name, expr)                                                                              \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        unsigned rm = e->warp->frm;                                                                          \
        uint32_t flags = 0;                                                                                  \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            uint32_t s1 = e->v1[i], s2 = e->v2[i], d = e->v3[i];                                             \
            (void)s1, (void)s2, (void)d, (void)rm;                                                           \
            if (e->active >> i & 1)                                                                          \
                e->r[i] = (expr);                                                                            \
        }                                                                                                    \
        e->commit->flags_raised |= (uint8_t)flags;                                                           \
    }

/* Conditional branch of the warp. */
#define BRANCH(name, cond)                                                                                   \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        uint32_t s1 = e->x1, s2 = e->x2;                                                                     \
        if (cond)                                                                                            \
            e->next_pc = e->commit->pc + (uint32_t)e->insn->imm[0];                                          \
    }

/* Divergent branch of the active threads. */
#define VBRANCH(name, cond)                                                                                  \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        uint32_t taken = 0;                                                                                  \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            uint32_t s1 = e->v1[i], s2 = e->v2[i];                                                           \
            taken |= (uint32_t)(cond) << i;                                                                  \
        }                                                                                                    \
        karat_vbranch(e, taken);                                                                             \
    }
void karat_vbranch(karat_exec *e, uint32_t taken);

/* Arithmetic shift right of a two's-complement number, defined for every compiler. */
static inline uint32_t karat_sra(uint32_t value, uint32_t amount) {
    uint32_t sign = value >> 31 ? ~(0xffffffffu >> amount) : 0;
    return value >> amount | sign;
}

/* Division as the M extension defines it: by zero and overflow included. */
static inline uint32_t karat_divu(uint32_t a, uint32_t b) {
    return b ? a / b : 0xffffffffu;
}
static inline uint32_t karat_remu(uint32_t a, uint32_t b) {
    return b ? a % b : a;
}
static inline uint32_t karat_div(uint32_t a, uint32_t b) {
    if (b == 0)
        return 0xffffffffu;
    return a == 0x80000000u && b == 0xffffffffu ? a : (uint32_t)((int32_t)a / (int32_t)b);
}
static inline uint32_t karat_rem(uint32_t a, uint32_t b) {
    if (b == 0)
        return a;
    return a == 0x80000000u && b == 0xffffffffu ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
}

/* High half of the 64-bit product. */
static inline uint32_t karat_mulhu(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b >> 32);
}
static inline uint32_t karat_mulh(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}
static inline uint32_t karat_mulhsu(uint32_t a, uint32_t b) { /* a signed, b unsigned */
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int64_t)b) >> 32);
}

#endif
