/* Vector single precision: IEEE 754 binary32, canonical NaN, rounding by frm (decisions, "Vector results").
 */
#include "exec.h"

#include "../fp/f32.h"

#define NEG(a) ((a) ^ KARAT_F32_SIGN)

ELEMENTS_FP(vfadd, karat_f32_add(s2, s1, rm, &flags))
ELEMENTS_FP(vfsub, karat_f32_sub(s2, s1, rm, &flags))
ELEMENTS_FP(vfmul, karat_f32_mul(s2, s1, rm, &flags))
ELEMENTS_FP(vfdiv, karat_f32_div(s2, s1, rm, &flags))
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
