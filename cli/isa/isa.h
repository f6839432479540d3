/* The output of `karat isa`: the common part of its formats. */
#ifndef KARAT_CLI_ISA_H
#define KARAT_CLI_ISA_H

#include "cli.h"

#include "karat/notes.h"

/* A field of an encoding: bits [high, low] of the word. */
typedef struct isa_field {
    uint8_t high, low;
    char text[40]; /* Fixed bits, or an operand's name, with the bits of its value where they are not all */
} isa_field;

/* The fields of a row, from bit 31 down.  Returns how many. */
int isa_fields(const karat_row *row, isa_field fields[32]);

/* Names of the row's profiles, of the completions it owes ("-": none), with a comma between them; of its unit
 * and compare policy. */
#define ISA_NAMES 64
const char *isa_profiles(const karat_row *row, char text[ISA_NAMES]);
const char *isa_owes(const karat_row *row, char text[ISA_NAMES]);
const char *isa_unit(const karat_row *row);
/* The profiles that leave the row out. */
const char *isa_left_out(const karat_row *row, char text[ISA_NAMES]);
/* The widths of its elements, "8, 16 or 32 bits by SEW, 64 by pair"; "-": it computes nothing. */
const char *isa_widths(const karat_row *row, char text[ISA_NAMES]);
/* Its operands of another width than that: "vd twice the width, vs1 a 64-bit address"; empty: none. */
#define ISA_SPANS 128
const char *isa_spans(const karat_row *row, char text[ISA_SPANS]);
const char *isa_policy(const karat_row *row);

/* Prints the notes as Markdown: the rows for which wanted[row] holds; the whole document where all is true.
 * False: not enough memory. */
bool isa_markdown(const bool *wanted, bool all);

#endif
