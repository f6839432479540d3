/* Private to golden/fp: chooses binary32 for the templates, see common.h. */
#ifndef KARAT_FP_F32_ROUND_H
#define KARAT_FP_F32_ROUND_H

#include "fp/common.h"
#include "fp/f32.h"

#undef FP_NAME
#undef FP_BITS
#undef FP_FRAC_BITS
#undef FP_TYPE
#undef FP_WORD
#undef FP_WIDE
#define FP_NAME      f32
#define FP_BITS      32
#define FP_FRAC_BITS 23
#define FP_TYPE      uint32_t
#define FP_WORD      uint32_t
#define FP_WIDE      uint64_t
#include "fp/format.h"

/* 2^(j/128) times 2^62, rounded to nearest; here for the test that computes it again. */
extern const uint64_t f32_exp2_table[128];

#endif
