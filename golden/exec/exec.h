/* The context of one step's execution, and the macros in which semantics are written.
 *
 * The step has fetched the operands before a semantic runs and writes the results after it, so a definition
 * is usually one expression over
 *
 *     s1   source 1: vs1, rs1 or the immediate in its place
 *     s2   source 2: vs2, rs2 or the immediate in its place
 *     d    the third operand: rs3, vs3 or the old value of vd
 *     m    bit 0 of v0's element (carry-in, merge)
 *
 * Source 1 and 2 are those of the encoding: vsub.vv is s2 - s1, sub is s1 - s2. One definition serves every
 * width of the elements (karat_width). It is compiled once for each, with these names in scope:
 *
 *     BITS     8, 16, 32 or 64
 *     U, S     the unsigned and signed types of that width
 *     A        the type of s1, s2 and d: U, but uint32_t where that is narrower, so that arithmetic has no
 *              surprises; the values are zero-extended, and (S)s1 is the signed value
 *     UW, SW   unsigned and signed types of at least twice that width
 *
 * and the result is cut to U. In a 32-bit register, a narrower integer result is sign-extended, a binary16
 * one has ones above it. */
#ifndef KARAT_EXEC_H
#define KARAT_EXEC_H

#include "../core/core.h"

#define KARAT_MAX_ELEMENT (2 * KARAT_MAX_THREAD)
#define KARAT_MAX_RESULT  (KARAT_MAX_WRITE * KARAT_MAX_THREAD)

struct karat_exec {
    karat_model *model;
    karat_warp *warp;
    uint32_t warp_handle;
    const karat_decoded *insn;
    karat_commit *commit;
    karat_width width; /* Width of the elements */
    uint8_t pairs;     /* Operands that are pairs: bit s source s, bit 0 the destination */
    uint8_t words;     /* Registers that take a result: rd, rd + 1, ... */
    uint32_t n;        /* Elements: num_thread, or twice that for a group of two */
    /* As num_thread: from a lane's element to that in the next register of a group, pair or result */
    uint32_t stride;
    uint64_t active; /* Elements that are written: thread mask, vl, v0.t */
    uint32_t next_pc;
    karat_error_kind error;
    bool held;           /* The read port holds the step */
    bool no_write;       /* The semantic writes no register */
    uint64_t x1, x2, x3; /* Scalar sources */
    const uint32_t *v1, *v2, *v3, *v0;
    /* Result: scalar in r[0], its second word in r[stride]; of one vector register, in the place that it
     * takes */
    uint32_t *r;
    uint32_t result[KARAT_MAX_RESULT]; /* Where r is otherwise */
    uint32_t group[4]
                  [KARAT_MAX_ELEMENT]; /* Sources 0 to 3 of two registers that are not next to each other */
    uint32_t splat[KARAT_MAX_ELEMENT];
    uint32_t modified[3][KARAT_MAX_ELEMENT]; /* Sources 1 to 3 after ABS and NEG */
};

/* The instruction is illegal: no effect. */
static inline karat_error_kind karat_set_illegal(karat_exec *e, karat_illegal rule) {
    e->commit->error.illegal = rule;
    return e->error = KARAT_ERR_ILLEGAL;
}

/* Read a register as an operand, and enter it into the commit. The step does so for those that the
 * instruction names; these are for the further registers of addresses and wide accesses. */
uint32_t karat_read_x(karat_exec *e, unsigned source, unsigned part, uint32_t reg);
const uint32_t *karat_read_v(karat_exec *e, unsigned source, unsigned part, uint32_t reg);

#define ROW(id, mnemonic, match, mask, ops, sem, ...) extern const karat_semantic karat_sem_##sem;
#include "../isa/ventus.def"
#undef ROW

/* A number of lanes that the compiler knows becomes a few moves of vectors, without a loop and without a
 * call. */
#define KARAT_AT_NUM_THREAD(num_thread, act)                                                                 \
    switch (num_thread) {                                                                                    \
    case 32: act(32); break;                                                                                 \
    case 16: act(16); break;                                                                                 \
    case 8: act(8); break;                                                                                   \
    case 4: act(4); break;                                                                                   \
    default: act(num_thread); break;                                                                         \
    }

__extension__ typedef __int128 karat_i128;
__extension__ typedef unsigned __int128 karat_u128;

/* The types of a width, as the head of a function's body. */
#define TYPES_8                                                                                              \
    typedef uint8_t U;                                                                                       \
    typedef int8_t S;                                                                                        \
    typedef uint32_t A, UW;                                                                                  \
    typedef int32_t SW;                                                                                      \
    enum { BITS = 8 };
#define TYPES_16                                                                                             \
    typedef uint16_t U;                                                                                      \
    typedef int16_t S;                                                                                       \
    typedef uint32_t A, UW;                                                                                  \
    typedef int32_t SW;                                                                                      \
    enum { BITS = 16 };
#define TYPES_32                                                                                             \
    typedef uint32_t U, A;                                                                                   \
    typedef int32_t S;                                                                                       \
    typedef uint64_t UW;                                                                                     \
    typedef int64_t SW;                                                                                      \
    enum { BITS = 32 };
#define TYPES_64                                                                                             \
    typedef uint64_t U, A;                                                                                   \
    typedef int64_t S;                                                                                       \
    typedef karat_u128 UW;                                                                                   \
    typedef karat_i128 SW;                                                                                   \
    enum { BITS = 64 };
#define TYPES(bits)                                                                                          \
    TYPES_##bits typedef A unused_a;                                                                         \
    typedef S unused_s;                                                                                      \
    typedef UW unused_uw;                                                                                    \
    typedef SW unused_sw;                                                                                    \
    (void)(unused_a)0, (void)(unused_s)0, (void)(unused_uw)0, (void)(unused_sw)0, (void)(U)BITS;

/* Element i of registers from v on, zero-extended, and a result of that width at element i of r. */
#define GET_8(v, i, stride)        ((uint8_t)(v)[i])
#define GET_16(v, i, stride)       ((uint16_t)(v)[i])
#define GET_32(v, i, stride)       ((v)[i])
#define GET_64(v, i, stride)       ((v)[i] | (uint64_t)(v)[(i) + (stride)] << 32)
#define PUT_8(r, i, stride, x)     ((r)[i] = (uint32_t)(int8_t)(x))
#define PUT_16(r, i, stride, x)    ((r)[i] = (uint32_t)(int16_t)(x))
#define PUT_32(r, i, stride, x)    ((r)[i] = (uint32_t)(x))
#define PUT_64(r, i, stride, x)    karat_put64((r) + (i), stride, (uint64_t)(x))
#define PUT_FP_16(r, i, stride, x) ((r)[i] = 0xffff0000u | (uint16_t)(x))
#define PUT_FP_32                  PUT_32
#define PUT_FP_64                  PUT_64
static inline void karat_put64(uint32_t *r, uint32_t stride, uint64_t value) {
    r[0] = (uint32_t)value;
    r[stride] = (uint32_t)(value >> 32);
}

/* The semantic of that name, of its functions for elements of 8, 16, 32 and 64 bits. */
#ifdef KARAT_LEVELS
#define KARAT_SEMANTIC(name, ...)                                                                            \
    extern const karat_semantic karat_sem_##name##_v2, karat_sem_##name##_v3, karat_sem_##name##_v4;         \
    const karat_semantic karat_sem_##name = {                                                                \
        {__VA_ARGS__}, {&karat_sem_##name##_v2, &karat_sem_##name##_v3, &karat_sem_##name##_v4}};
#else
#define KARAT_SEMANTIC(name, ...)                                                                            \
    const karat_semantic KARAT_LEVEL(karat_sem_##name) = {{__VA_ARGS__}, {NULL}};
#endif

/* A semantic that is a function without a width: SEMANTIC(name) { ... e ... } */
#define SEMANTIC(name)                                                                                       \
    static void name##_run(karat_exec *e);                                                                   \
    KARAT_SEMANTIC(name, NULL, NULL, name##_run, NULL)                                                       \
    static void name##_run(karat_exec *e)

/* Sets rd = expression of s1, s2 and d, on 32 bits or a pair. */
#define SCALAR_AT(name, bits, expr)                                                                          \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        A s1 = (A)e->x1, s2 = (A)e->x2, d = (A)e->x3;                                                        \
        (void)s1, (void)s2, (void)d;                                                                         \
        PUT_##bits(e->r, 0, e->stride, (U)(expr));                                                           \
    }
#define SCALAR(name, expr)                                                                                   \
    SCALAR_AT(name, 32, expr)                                                                                \
    SCALAR_AT(name, 64, expr)                                                                                \
    KARAT_SEMANTIC(name, NULL, NULL, name##_32, name##_64)

/* Each element of vd = expression of s1, s2 and d.  All elements are computed, masked-off ones too: integer
 * arithmetic has no side effects, and a loop without conditions is a vector loop. */
#define ELEMENTS_AT(name, bits, expr)                                                                        \
    static inline __attribute__((always_inline)) void name##_all_##bits(                                     \
        const karat_exec *e, uint32_t *restrict r, const uint32_t n) {                                       \
        TYPES(bits)                                                                                          \
        const uint32_t *v1 = e->v1, *v2 = e->v2, *v3 = e->v3;                                                \
        const uint32_t stride = e->stride;                                                                   \
        (void)stride;                                                                                        \
        for (uint32_t i = 0; i < n; i++) {                                                                   \
            A s1 = GET_##bits(v1, i, stride), s2 = GET_##bits(v2, i, stride), d = GET_##bits(v3, i, stride); \
            (void)s1, (void)s2, (void)d;                                                                     \
            PUT_##bits(r, i, stride, (U)(expr));                                                             \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_##bits(karat_exec *e) {                                                               \
        switch (bits == 32 ? e->n : 0) { /* Loops of a known length */                                       \
        case 32: name##_all_##bits(e, e->r, 32); break;                                                      \
        case 8: name##_all_##bits(e, e->r, 8); break;                                                        \
        case 4: name##_all_##bits(e, e->r, 4); break;                                                        \
        default: name##_all_##bits(e, e->r, e->n); break;                                                    \
        }                                                                                                    \
    }
#define AT_ALL_WIDTHS(name, macro, expr)                                                                     \
    macro(name, 8, expr) macro(name, 16, expr) macro(name, 32, expr) macro(name, 64, expr)                   \
        KARAT_SEMANTIC(name, name##_8, name##_16, name##_32, name##_64)
#define ELEMENTS(name, expr) AT_ALL_WIDTHS(name, ELEMENTS_AT, expr)

/* As ELEMENTS, on 32-bit elements, or 64-bit ones by pair. */
#define ELEMENTS_PAIR(name, expr)                                                                            \
    ELEMENTS_AT(name, 32, expr)                                                                              \
    ELEMENTS_AT(name, 64, expr)                                                                              \
    KARAT_SEMANTIC(name, NULL, NULL, name##_32, name##_64)

/* As ELEMENTS, on 32-bit elements whatever vtype says. */
#define ELEMENTS_WORD(name, expr)                                                                            \
    ELEMENTS_AT(name, 32, expr)                                                                              \
    KARAT_SEMANTIC(name, NULL, NULL, name##_32, NULL)

/* As ELEMENTS, with m. */
#define ELEMENTS_M_AT(name, bits, expr)                                                                      \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            A s1 = GET_##bits(e->v1, i, e->stride), s2 = GET_##bits(e->v2, i, e->stride);                    \
            uint32_t m = e->v0[i] & 1u;                                                                      \
            PUT_##bits(e->r, i, e->stride, (U)(expr));                                                       \
        }                                                                                                    \
    }
#define ELEMENTS_M(name, expr) AT_ALL_WIDTHS(name, ELEMENTS_M_AT, expr)

/* Widening: each element of vd, of twice the width, = expression of s1, s2 and d; s1 and s2 have bits1 and
 * bits2 bits, d twice the width. (S)s1 is the signed value of a source of the width. One of twice the width
 * is zero-extended in UW; the result is cut to twice the width. */
#define WIDENING_AT(name, bits, wide, bits2, bits1, expr)                                                    \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            UW s1 = GET_##bits1(e->v1, i, e->stride), s2 = GET_##bits2(e->v2, i, e->stride);                 \
            UW d = GET_##wide(e->v3, i, e->stride);                                                          \
            (void)d;                                                                                         \
            PUT_##wide(e->r, i, e->stride, expr);                                                            \
        }                                                                                                    \
    }
#define WIDENING_END(name) KARAT_SEMANTIC(name, name##_8, name##_16, name##_32, NULL)
#define WIDENING(name, expr)                                                                                 \
    WIDENING_AT(name, 8, 16, 8, 8, expr)                                                                     \
    WIDENING_AT(name, 16, 32, 16, 16, expr)                                                                  \
    WIDENING_AT(name, 32, 64, 32, 32, expr)                                                                  \
    WIDENING_END(name)
#define WIDENING_WV(name, expr)                                                                              \
    WIDENING_AT(name, 8, 16, 16, 16, expr)                                                                   \
    WIDENING_AT(name, 16, 32, 32, 32, expr)                                                                  \
    WIDENING_AT(name, 32, 64, 64, 64, expr)                                                                  \
    WIDENING_END(name)
#define WIDENING_WX(name, expr)                                                                              \
    WIDENING_AT(name, 8, 16, 16, 8, expr)                                                                    \
    WIDENING_AT(name, 16, 32, 32, 16, expr)                                                                  \
    WIDENING_AT(name, 32, 64, 64, 32, expr)                                                                  \
    WIDENING_END(name)

/* Floating point: only active elements are computed, since only they raise flags. rm and flags are in scope,
 * and s1, s2 and d have the type U, by which karat_fp() selects the format. to: PUT_FP for a number, PUT for
 * an integer or a mask. left: an expression of the elements that are still to be computed, after it has
 * computed others. */
#define ELEMENTS_FP_LEFT(name, bits, to, left, expr)                                                         \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        unsigned rm = e->warp->frm;                                                                          \
        uint32_t flags = 0;                                                                                  \
        for (uint64_t todo = left; todo; todo &= todo - 1) {                                                 \
            const uint32_t i = (uint32_t)__builtin_ctzll(todo);                                              \
            U s1 = GET_##bits(e->v1, i, e->stride), s2 = GET_##bits(e->v2, i, e->stride),                    \
              d = GET_##bits(e->v3, i, e->stride);                                                           \
            (void)s1, (void)s2, (void)d, (void)rm;                                                           \
            to##_##bits(e->r, i, e->stride, expr);                                                           \
        }                                                                                                    \
        e->commit->flags_raised |= (uint8_t)flags;                                                           \
    }
#define ELEMENTS_FP_AT(name, bits, to, expr) ELEMENTS_FP_LEFT(name, bits, to, e->active, expr)
#define AT_FLOAT_WIDTHS(name, to, expr)                                                                      \
    ELEMENTS_FP_AT(name, 16, to, expr)                                                                       \
    ELEMENTS_FP_AT(name, 32, to, expr)                                                                       \
    ELEMENTS_FP_AT(name, 64, to, expr)                                                                       \
    KARAT_SEMANTIC(name, NULL, name##_16, name##_32, name##_64)
#define ELEMENTS_FP(name, expr)     AT_FLOAT_WIDTHS(name, PUT_FP, expr)
#define ELEMENTS_FP_INT(name, expr) AT_FLOAT_WIDTHS(name, PUT, expr)
/* As AT_FLOAT_WIDTHS; lanes computes many elements at once. */
#define AT_FLOAT_WIDTHS_LANES(name, to, lanes, expr)                                                         \
    ELEMENTS_FP_LEFT(name, 16, to, lanes, expr)                                                              \
    ELEMENTS_FP_LEFT(name, 32, to, lanes, expr)                                                              \
    ELEMENTS_FP_LEFT(name, 64, to, lanes, expr)                                                              \
    KARAT_SEMANTIC(name, NULL, name##_16, name##_32, name##_64)
#define ELEMENTS_FP_LANES(name, lanes, expr)     AT_FLOAT_WIDTHS_LANES(name, PUT_FP, lanes, expr)
#define ELEMENTS_FP_INT_LANES(name, lanes, expr) AT_FLOAT_WIDTHS_LANES(name, PUT, lanes, expr)

/* Numbers as bits: nothing is rounded and no flag raised. All elements are computed, as in ELEMENTS. */
#define ELEMENTS_FP_BITS_AT(name, bits, expr)                                                                \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            U s1 = (U)GET_##bits(e->v1, i, e->stride), s2 = (U)GET_##bits(e->v2, i, e->stride);              \
            (void)s1, (void)s2;                                                                              \
            PUT_FP_##bits(e->r, i, e->stride, expr);                                                         \
        }                                                                                                    \
    }
#define ELEMENTS_FP_BITS(name, expr)                                                                         \
    ELEMENTS_FP_BITS_AT(name, 16, expr)                                                                      \
    ELEMENTS_FP_BITS_AT(name, 32, expr)                                                                      \
    ELEMENTS_FP_BITS_AT(name, 64, expr)                                                                      \
    KARAT_SEMANTIC(name, NULL, name##_16, name##_32, name##_64)

/* Conditional branch of the warp. */
#define BRANCH_AT(name, bits, cond)                                                                          \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        A s1 = (A)e->x1, s2 = (A)e->x2;                                                                      \
        if (cond)                                                                                            \
            e->next_pc = e->commit->pc + (uint32_t)e->insn->imm[0];                                          \
    }
#define BRANCH(name, cond)                                                                                   \
    BRANCH_AT(name, 32, cond)                                                                                \
    BRANCH_AT(name, 64, cond)                                                                                \
    KARAT_SEMANTIC(name, NULL, NULL, name##_32, name##_64)

/* Divergent branch of the active threads. */
#define VBRANCH_AT(name, bits, cond)                                                                         \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        uint32_t taken = 0;                                                                                  \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            A s1 = GET_##bits(e->v1, i, e->stride), s2 = GET_##bits(e->v2, i, e->stride);                    \
            taken |= (uint32_t)(cond) << i;                                                                  \
        }                                                                                                    \
        karat_vbranch(e, taken);                                                                             \
    }
#define VBRANCH(name, cond)                                                                                  \
    VBRANCH_AT(name, 32, cond)                                                                               \
    VBRANCH_AT(name, 64, cond)                                                                               \
    KARAT_SEMANTIC(name, NULL, NULL, name##_32, name##_64)
void karat_vbranch(karat_exec *e, uint32_t taken);

/* The following are for definitions, on values of the types in scope. SRA: arithmetic shift right. */
#define SRA(value, amount) ((A)((S)(value) >> (amount)))
/* Division as the M extension defines it: by zero and overflow included. */
#define DIVU(a, b) ((b) ? (a) / (b) : (A)-1)
#define REMU(a, b) ((b) ? (a) % (b) : (a))
#define DIV(a, b)  ((b) == 0 ? (A)-1 : (S)(b) == -1 ? 0 - (a) : (A)((S)(a) / (S)(b)))
#define REM(a, b)  ((b) == 0 ? (a) : (S)(b) == -1 ? 0 : (A)((S)(a) % (S)(b)))
/* High half of the product of twice the width; MULHSU: a signed, b unsigned. */
#define MULHU(a, b)  ((U)((UW)(a) * (b) >> BITS))
#define MULH(a, b)   ((U)((SW)(S)(a) * (S)(b) >> BITS))
#define MULHSU(a, b) ((U)((SW)(S)(a) * (SW)(b) >> BITS))

#endif
