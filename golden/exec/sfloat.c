/* Zfinx: scalar floating point in the x registers, binary32, or binary64 in pairs (v2.03). */
#include "exec.h"

#include "fp/fp.h"

/* The instruction's rounding mode, 7 standing for frm's; a reserved one is an illegal instruction.
 * Instructions without the field have 0 there and do not round. */
static bool rounding(karat_exec *e, unsigned *rm) {
    uint32_t field = (uint32_t)e->insn->imm[0];
    *rm = field == 7 ? e->warp->frm : field;
    if (*rm > KARAT_RMM)
        karat_set_illegal(e, KARAT_ILLEGAL_ROUNDING);
    return *rm <= KARAT_RMM;
}

#define SCALAR_FP_AT(name, bits, expr)                                                                       \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        U s1 = (U)e->x1, s2 = (U)e->x2, d = (U)e->x3;                                                        \
        uint32_t flags = 0;                                                                                  \
        unsigned rm;                                                                                         \
        (void)s2, (void)d;                                                                                   \
        if (!rounding(e, &rm))                                                                               \
            return;                                                                                          \
        PUT_##bits(e->r, 0, e->stride, expr);                                                                \
        e->commit->flags_raised |= (uint8_t)flags;                                                           \
    }
#define SCALAR_FP(name, expr)                                                                                \
    SCALAR_FP_AT(name, 32, expr)                                                                             \
    SCALAR_FP_AT(name, 64, expr)                                                                             \
    KARAT_SEMANTIC(name, NULL, NULL, name##_32, name##_64)

SCALAR_FP(fadd, karat_fp(s1, add)(s1, s2, rm, &flags))
SCALAR_FP(fsub, karat_fp(s1, sub)(s1, s2, rm, &flags))
SCALAR_FP(fmul, karat_fp(s1, mul)(s1, s2, rm, &flags))
SCALAR_FP(fdiv, karat_fp(s1, div)(s1, s2, rm, &flags))
SCALAR_FP(fsqrt, karat_fp(s1, sqrt)(s1, rm, &flags))
SCALAR_FP(fmadd, karat_fp(s1, fma)(s1, s2, d, rm, &flags))
SCALAR_FP(fmsub, karat_fp(s1, fma)(s1, s2, karat_fp_neg(d), rm, &flags))
SCALAR_FP(fnmsub, karat_fp(s1, fma)(karat_fp_neg(s1), s2, d, rm, &flags))
SCALAR_FP(fnmadd, karat_fp(s1, fma)(karat_fp_neg(s1), s2, karat_fp_neg(d), rm, &flags))
SCALAR_FP(fmin, karat_fp(s1, min)(s1, s2, &flags))
SCALAR_FP(fmax, karat_fp(s1, max)(s1, s2, &flags))
SCALAR_FP(feq, karat_fp(s1, eq)(s1, s2, &flags))
SCALAR_FP(flt, karat_fp(s1, lt)(s1, s2, &flags))
SCALAR_FP(fle, karat_fp(s1, le)(s1, s2, &flags))
SCALAR_FP(fcvt_w, karat_fp(s1, to_int)(s1, BITS, true, rm, &flags))
SCALAR_FP(fcvt_wu, karat_fp(s1, to_int)(s1, BITS, false, rm, &flags))
SCALAR_FP(fcvt_s_w, karat_fp(s1, from_int)((uint64_t)(int64_t)(S)s1, true, rm, &flags))
SCALAR_FP(fcvt_s_wu, karat_fp(s1, from_int)(s1, false, rm, &flags))

SCALAR(fsgnj, karat_fp(s1, sgnj)(s1, s2))
SCALAR(fsgnjn, karat_fp(s1, sgnjn)(s1, s2))
SCALAR(fsgnjx, karat_fp(s1, sgnjx)(s1, s2))
SCALAR(fclass, karat_fp(s1, class)(s1))
