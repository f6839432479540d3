/* The private headers of the checker, for tests that look inside it. */
#ifndef INSIDE_H
#define INSIDE_H

#include "judge.h"

#include "order.h"
#include "state.h"

#endif
