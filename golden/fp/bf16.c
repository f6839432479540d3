/* bfloat16. */
#include "fp/bf16_round.h"

#include "fp/root.h"

#include "fp/arith.h"
