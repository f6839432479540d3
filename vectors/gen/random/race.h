/* Accesses to the words that all warps share, and registers that no instruction writes: programs with races. */
#ifndef KARAT_RANDOM_RACE_H
#define KARAT_RANDOM_RACE_H

#include "gen.h"

/* Reservations of one word, one after the other: an SC without a reservation fails. random.c begins some programs with them. */
void race_reservations(gen *g, space s);

#endif
