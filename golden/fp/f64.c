/* The format binary64. */
#include "fp/f64_round.h"

#include "fp/root.h"

#include "fp/arith.h"
#include "fp/misc.h"
