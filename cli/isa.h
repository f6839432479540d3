/* The output of `karat isa`: the common part of its formats. */
#ifndef KARAT_CLI_ISA_H
#define KARAT_CLI_ISA_H

#include "cli.h"

#include "karat/notes.h"

/* A field of an encoding: bits [high, low] of the word. */
typedef struct isa_field {
    uint8_t high, low;
    char text[40]; /* fixed bits, or an operand's name, with the bits of its value where they are not all */
} isa_field;

/* The fields of a row, from bit 31 down.  Returns how many. */
int isa_fields(const karat_row *row, isa_field fields[32]);

/* Names of the row's profiles, of the completions it owes ("-": none), with a comma between them; of its unit
 * and compare policy. */
#define ISA_NAMES 64
const char *isa_profiles(const karat_row *row, char text[ISA_NAMES]);
const char *isa_owes(const karat_row *row, char text[ISA_NAMES]);
const char *isa_unit(const karat_row *row);
const char *isa_policy(const karat_row *row);

/* Prints the notes as Markdown: the rows for which wanted[row] holds; the whole document where all is true. False: not enough memory. */
bool isa_markdown(const bool *wanted, bool all);

#endif
