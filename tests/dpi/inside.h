/* The private headers of the checker, for tests that look inside it. */
#ifndef INSIDE_H
#define INSIDE_H

#include "judge.h"

#include "checker.h"
#include "model.h"
#include "report.h"
#include "records.h"
#include "names.h"

#endif
