/* Private to golden/fp: chooses bfloat16 for the templates, see common.h. */
#ifndef KARAT_FP_BF16_ROUND_H
#define KARAT_FP_BF16_ROUND_H

#include "fp/common.h"
#include "fp/bf16.h"

#undef FP_NAME
#undef FP_BITS
#undef FP_FRAC_BITS
#undef FP_TYPE
#undef FP_WORD
#undef FP_WIDE
#define FP_NAME      bf16
#define FP_BITS      16
#define FP_FRAC_BITS 7
#define FP_TYPE      uint16_t
#define FP_WORD      uint32_t
#define FP_WIDE      uint32_t
#include "fp/format.h"

#endif
