/* The format binary16. */
#include "fp/f16_round.h"

#include "fp/root.h"

#include "fp/arith.h"
#include "fp/misc.h"
