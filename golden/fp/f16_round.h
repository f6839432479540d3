/* Private to golden/fp: chooses binary16 for the templates, see common.h. */
#ifndef KARAT_FP_F16_ROUND_H
#define KARAT_FP_F16_ROUND_H

#include "fp/common.h"
#include "fp/f16.h"

#undef FP_NAME
#undef FP_BITS
#undef FP_FRAC_BITS
#undef FP_TYPE
#undef FP_WORD
#undef FP_WIDE
#define FP_NAME      f16
#define FP_BITS      16
#define FP_FRAC_BITS 10
#define FP_TYPE      uint16_t
#define FP_WORD      uint32_t
#define FP_WIDE      uint32_t
#include "fp/format.h"

#endif
