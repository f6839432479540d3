#include "packet.h"

#include <stdint.h>
#include <string.h>

enum { INTERRUPT = 3, ESCAPE = '}', ESCAPED = 0x20, TAIL = 3 /* '#' and two digits */ };

static void drop(karat_packets *p, size_t size) {
    memmove(p->bytes, p->bytes + size, p->used - size);
    p->used -= size;
}

static int digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Contents of a packet of so many bytes between '$' and '#'. */
static bool unescape(const char *bytes, size_t size, char *text, size_t *length) {
    *length = 0;
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        if (c == ESCAPE && i + 1 < size)
            c = (char)(bytes[++i] ^ ESCAPED);
        if (*length == PACKET_SIZE)
            return false;
        text[(*length)++] = c;
    }
    text[*length] = 0;
    return true;
}

packet_kind karat_packets_take(karat_packets *p, char text[PACKET_SIZE + 1], size_t *length) {
    while (p->used && p->bytes[0] != '$') {
        const char first = p->bytes[0];
        drop(p, 1);
        if (first == INTERRUPT)
            return PACKET_INTERRUPT;
    }
    const char *end = p->used ? memchr(p->bytes, '#', p->used) : NULL;
    const size_t size = end ? (size_t)(end - p->bytes) : 0; /* With '$' */
    if (!end || p->used < size + TAIL) {
        if (p->used < sizeof p->bytes)
            return PACKET_NONE;
        p->used = 1; /* It does not end: the rest of it is dropped as it comes */
        p->too_long = true;
        return PACKET_NONE;
    }
    uint8_t sum = 0;
    for (size_t i = 1; i < size; i++)
        sum += (uint8_t)p->bytes[i];
    const int high = digit(end[1]), low = digit(end[2]);
    bool good = high >= 0 && low >= 0 && sum == (high << 4 | low) && !p->too_long;
    good = good && unescape(p->bytes + 1, size - 1, text, length);
    p->too_long = false;
    drop(p, size + TAIL);
    return good ? PACKET_CONTENTS : PACKET_REFUSED;
}

size_t karat_packet_make(const char *contents, size_t length, char packet[PACKET_ROOM]) {
    static const char digits[] = "0123456789abcdef";
    uint8_t sum = 0;
    size_t used = 0;
    packet[used++] = '$';
    for (size_t i = 0; i < length && i < PACKET_SIZE; i++) {
        char c = contents[i];
        if (c == '$' || c == '#' || c == ESCAPE || c == '*') {
            packet[used++] = ESCAPE;
            sum += ESCAPE;
            c = (char)(c ^ ESCAPED);
        }
        packet[used++] = c;
        sum += (uint8_t)c;
    }
    packet[used++] = '#';
    packet[used++] = digits[sum >> 4];
    packet[used++] = digits[sum & 15];
    return used;
}
