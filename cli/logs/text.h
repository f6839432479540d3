/* Taking lines of text apart. */
#ifndef KARAT_TEXT_H
#define KARAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text_cursor {
    const char *at;
} text_cursor;

#define TEXT_HEX_DIGITS "0123456789abcdefABCDEF"

/* Each of these skips blanks first.  False: the cursor is of no more use. */
void text_skip(text_cursor *c);
bool text_at_end(text_cursor *c);
/* That text, as a whole token or, where it ends in a blank or a bracket, literally. */
bool text_take(text_cursor *c, const char *text);
/* Exactly that many hex digits, and then the end of the token. */
bool text_hex(text_cursor *c, int digits, uint64_t *value);
bool text_hex32(text_cursor *c, uint32_t *value);
bool text_0x32(text_cursor *c, uint32_t *value);

/* A decimal number at the cursor, up to the first character that is no digit. */
bool text_number(text_cursor *c, uint32_t *value);
/* That byte ends a token. */
bool text_ends(char c);

#endif
