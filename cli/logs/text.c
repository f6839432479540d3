#include "text.h"

#include <string.h>

void text_skip(text_cursor *c) {
    while (*c->at == ' ' || *c->at == '\t') /* Mostly one: faster than strspn() */
        c->at++;
}

bool text_at_end(text_cursor *c) {
    text_skip(c);
    return !*c->at;
}

bool text_take(text_cursor *c, const char *text) {
    text_skip(c);
    size_t length = strlen(text);
    if (strncmp(c->at, text, length) != 0)
        return false;
    c->at += length;
    return true;
}

bool text_ends(char c) {
    return !c || c == ' ' || c == '\t' || c == ')';
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    const int letter = c | 0x20; /* Letters of both cases */
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool text_hex(text_cursor *c, int digits, uint64_t *value) {
    text_skip(c);
    uint64_t v = 0;
    for (int i = 0; i < digits; i++) {
        int d = digit_of(c->at[i]);
        if (d < 0)
            return false;
        v = v << 4 | (uint64_t)d;
    }
    if (!text_ends(c->at[digits]))
        return false;
    c->at += digits;
    *value = v;
    return true;
}

bool text_hex32(text_cursor *c, uint32_t *value) {
    uint64_t v;
    if (!text_hex(c, 8, &v))
        return false;
    *value = (uint32_t)v;
    return true;
}

bool text_0x32(text_cursor *c, uint32_t *value) {
    return (text_take(c, "0x") || text_take(c, "0X")) && text_hex32(c, value);
}

bool text_number(text_cursor *c, uint32_t *value) {
    uint64_t v = 0;
    const char *from = c->at;
    while (*c->at >= '0' && *c->at <= '9' && v < UINT32_MAX)
        v = 10 * v + (uint64_t)(*c->at++ - '0');
    *value = (uint32_t)v;
    return c->at != from && v < UINT32_MAX;
}
