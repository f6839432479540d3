/* Private to golden/fp: chooses binary64 for the templates, see common.h. */
#ifndef KARAT_FP_F64_ROUND_H
#define KARAT_FP_F64_ROUND_H

#include "fp/common.h"
#include "fp/f64.h"

#undef FP_NAME
#undef FP_BITS
#undef FP_FRAC_BITS
#undef FP_TYPE
#undef FP_WORD
#undef FP_WIDE
#define FP_NAME      f64
#define FP_BITS      64
#define FP_FRAC_BITS 52
#define FP_TYPE      uint64_t
#define FP_WORD      uint64_t
#define FP_WIDE      fp_uint128
#include "fp/format.h"

#endif
