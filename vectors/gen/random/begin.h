/* The first instructions of a random program: addresses, operands, settings. Only random.c uses it. */
#ifndef KARAT_RANDOM_BEGIN_H
#define KARAT_RANDOM_BEGIN_H

#include "gen.h"

/* Write all registers that the rest of the program reads. */
void begin_program(gen *g);

#endif
