/* Included before every mutated file (mutate.py). */
#ifndef KARAT_TESTS_MUTATION_MUTANT_H
#define KARAT_TESTS_MUTATION_MUTANT_H

#define KARAT_MAX_MUTANT 32768

extern unsigned karat_mutant; /* The mutant that is switched on; 0: none */
extern unsigned char karat_reached[KARAT_MAX_MUTANT];

/* A function's place in the source is reached, whether or not its mutant is on. More mutants than there is
 * room for do not compile. */
#define KARAT_MUTANT(number)                                                                                 \
    (karat_reached[number] = sizeof(char[(number) < KARAT_MAX_MUTANT ? 1 : -1]), karat_mutant == (number))

#endif
