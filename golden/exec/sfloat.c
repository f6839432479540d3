/* Zfinx: scalar single precision in the x registers. */
#include "exec.h"

#include "../fp/f32.h"

#define NEG(a) ((a) ^ KARAT_F32_SIGN)

/* The instruction's rounding mode, 7 standing for frm's; a reserved one is an illegal instruction.
 * Instructions without the field have 0 there and do not round. */
static bool rounding(karat_exec *e, unsigned *rm) {
    uint32_t field = (uint32_t)e->insn->imm[0];
    *rm = field == 7 ? e->warp->frm : field;
    if (*rm > KARAT_RMM)
        e->error = KARAT_ERR_ILLEGAL;
    return *rm <= KARAT_RMM;
}

#define SCALAR_FP(name, expr)                                                                                \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        uint32_t s1 = e->x1, s2 = e->x2, s3 = e->x3, flags = 0;                                              \
        unsigned rm;                                                                                         \
        (void)s2, (void)s3;                                                                                  \
        if (!rounding(e, &rm))                                                                               \
            return;                                                                                          \
        e->r[0] = (uint32_t)(expr);                                                                          \
        e->commit->flags_raised |= (uint8_t)flags;                                                           \
    }

SCALAR_FP(fadd, karat_f32_add(s1, s2, rm, &flags))
SCALAR_FP(fsub, karat_f32_sub(s1, s2, rm, &flags))
SCALAR_FP(fmul, karat_f32_mul(s1, s2, rm, &flags))
SCALAR_FP(fdiv, karat_f32_div(s1, s2, rm, &flags))
SCALAR_FP(fsqrt, karat_f32_sqrt(s1, rm, &flags))
SCALAR_FP(fmadd, karat_f32_fma(s1, s2, s3, rm, &flags))
SCALAR_FP(fmsub, karat_f32_fma(s1, s2, NEG(s3), rm, &flags))
SCALAR_FP(fnmsub, karat_f32_fma(NEG(s1), s2, s3, rm, &flags))
SCALAR_FP(fnmadd, karat_f32_fma(NEG(s1), s2, NEG(s3), rm, &flags))
SCALAR_FP(fmin, karat_f32_min(s1, s2, &flags))
SCALAR_FP(fmax, karat_f32_max(s1, s2, &flags))
SCALAR_FP(feq, karat_f32_eq(s1, s2, &flags))
SCALAR_FP(flt, karat_f32_lt(s1, s2, &flags))
SCALAR_FP(fle, karat_f32_le(s1, s2, &flags))
SCALAR_FP(fcvt_w, karat_f32_to_i32(s1, rm, &flags))
SCALAR_FP(fcvt_wu, karat_f32_to_u32(s1, rm, &flags))
SCALAR_FP(fcvt_s_w, karat_f32_from_i32((int32_t)s1, rm, &flags))
SCALAR_FP(fcvt_s_wu, karat_f32_from_u32(s1, rm, &flags))

SCALAR(fsgnj, karat_f32_sgnj(s1, s2))
SCALAR(fsgnjn, karat_f32_sgnjn(s1, s2))
SCALAR(fsgnjx, karat_f32_sgnjx(s1, s2))
SCALAR(fclass, karat_f32_class(s1))
