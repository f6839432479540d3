/* Vector single precision: IEEE 754 binary32, canonical NaN, rounding by frm (decisions, "Vector results").
 */
#include "exec.h"

#include "../fp/f32.h"

#define NEG(a) ((a) ^ KARAT_F32_SIGN)

ELEMENTS_FP(vfadd, karat_f32_add(s2, s1, rm, &flags))
ELEMENTS_FP(vfsub, karat_f32_sub(s2, s1, rm, &flags))
ELEMENTS_FP(vfmul, karat_f32_mul(s2, s1, rm, &flags))
ELEMENTS_FP(vfdiv, karat_f32_div(s2, s1, rm, &flags))
ELEMENTS_FP(vfrsub, karat_f32_sub(s1, s2, rm, &flags))
ELEMENTS_FP(vfrdiv, karat_f32_div(s1, s2, rm, &flags))
ELEMENTS_FP(vfmin, karat_f32_min(s2, s1, &flags))
ELEMENTS_FP(vfmax, karat_f32_max(s2, s1, &flags))
ELEMENTS_FP(vfsqrt, karat_f32_sqrt(s2, rm, &flags))

ELEMENTS(vfsgnj, karat_f32_sgnj(s2, s1))
ELEMENTS(vfsgnjn, karat_f32_sgnjn(s2, s1))
ELEMENTS(vfsgnjx, karat_f32_sgnjx(s2, s1))

ELEMENTS_FP(vfmadd, karat_f32_fma(s1, d, s2, rm, &flags))
ELEMENTS_FP(vfnmadd, karat_f32_fma(NEG(s1), d, NEG(s2), rm, &flags))
ELEMENTS_FP(vfmsub, karat_f32_fma(s1, d, NEG(s2), rm, &flags))
ELEMENTS_FP(vfnmsub, karat_f32_fma(NEG(s1), d, s2, rm, &flags))
ELEMENTS_FP(vfmacc, karat_f32_fma(s1, s2, d, rm, &flags))
ELEMENTS_FP(vfnmacc, karat_f32_fma(NEG(s1), s2, NEG(d), rm, &flags))
ELEMENTS_FP(vfmsac, karat_f32_fma(s1, s2, NEG(d), rm, &flags))
ELEMENTS_FP(vfnmsac, karat_f32_fma(NEG(s1), s2, d, rm, &flags))

ELEMENTS_FP(vmfeq, karat_f32_eq(s2, s1, &flags))
ELEMENTS_FP(vmfne, !karat_f32_eq(s2, s1, &flags))
ELEMENTS_FP(vmflt, karat_f32_lt(s2, s1, &flags))
ELEMENTS_FP(vmfle, karat_f32_le(s2, s1, &flags))
ELEMENTS_FP(vmfgt, karat_f32_lt(s1, s2, &flags))
ELEMENTS_FP(vmfge, karat_f32_le(s1, s2, &flags))
ELEMENTS(vfclass, karat_f32_class(s2))

ELEMENTS_FP(vfcvt_xu_f, karat_f32_to_u32(s2, rm, &flags))
ELEMENTS_FP(vfcvt_x_f, (uint32_t)karat_f32_to_i32(s2, rm, &flags))
ELEMENTS_FP(vfcvt_f_xu, karat_f32_from_u32(s2, rm, &flags))
ELEMENTS_FP(vfcvt_f_x, karat_f32_from_i32((int32_t)s2, rm, &flags))
ELEMENTS_FP(vfcvt_rtz_xu_f, karat_f32_to_u32(s2, KARAT_RTZ, &flags))
ELEMENTS_FP(vfcvt_rtz_x_f, (uint32_t)karat_f32_to_i32(s2, KARAT_RTZ, &flags))
ELEMENTS_FP(vfrsqrt7, karat_f32_rsqrt7(s2, &flags))
ELEMENTS_FP(vfrec7, karat_f32_rec7(s2, rm, &flags))
