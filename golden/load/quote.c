#include "karat/quote.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character that begins there, and its number; 0: there is none. The NUL at the end
 * continues none. */
static unsigned character(const unsigned char *at, uint32_t *number) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned length = at[0] < 0x80             ? 1
                            : (at[0] & 0xe0) == 0xc0 ? 2
                            : (at[0] & 0xf0) == 0xe0 ? 3
                            : (at[0] & 0xf8) == 0xf0 ? 4
                                                     : 0;
    if (length < 2) {
        *number = at[0];
        return length;
    }
    *number = at[0] & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        *number = *number << 6 | (at[i] & 0x3f);
    }
    const bool is =
        *number >= least[length] && *number <= 0x10ffff && !(*number >= 0xd800 && *number < 0xe000);
    return is ? length : 0;
}

static bool stays(uint32_t number) {
    return number >= ' ' && !(number >= 0x7f && number < 0xa0) && number != 0x2028 && number != 0x2029;
}

size_t karat_quote(const char *name, char *text, size_t size) {
    const unsigned char *at = (const unsigned char *)name;
    size_t whole = 0, used = 0;
    while (*at) {
        uint32_t number;
        const unsigned length = character(at, &number), bytes = length ? length : 1;
        const bool plain = length && stays(number);
        const size_t room = plain ? bytes : 4 * bytes;
        if (used == whole && whole + room < size) {
            for (unsigned i = 0; i < bytes; i++)
                if (plain) {
                    text[used++] = (char)at[i];
                } else {
                    text[used++] = '\\';
                    text[used++] = 'x';
                    text[used++] = "0123456789abcdef"[at[i] >> 4];
                    text[used++] = "0123456789abcdef"[at[i] & 15];
                }
        }
        whole += room;
        at += bytes;
    }
    if (size)
        text[used] = 0;
    return whole;
}

char *karat_quoted(const char *name) {
    const size_t size = karat_quote(name, NULL, 0) + 1;
    char *text = malloc(size);
    if (text)
        karat_quote(name, text, size);
    return text;
}
