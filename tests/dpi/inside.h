/* The private headers of the checker, for tests that look inside it. */
#ifndef INSIDE_H
#define INSIDE_H

#include "judge.h"

#include "any.h"
#include "checker.h"
#include "compare.h"
#include "faults.h"
#include "freeze.h"
#include "held.h"
#include "memory.h"
#include "model.h"
#include "producers.h"
#include "records.h"
#include "ulp.h"
#include "words.h"

#endif
