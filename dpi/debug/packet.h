/* Packets of gdb's remote protocol (GDB manual, "Overview" of appendix E): taking them out of a stream of bytes, and making them. Knows no
 * descriptors and no meaning. */
#ifndef KARAT_DEBUG_PACKET_H
#define KARAT_DEBUG_PACKET_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PACKET_SIZE = 16384,              /* bytes of a packet's contents, both ways */
    PACKET_ROOM = 2 * PACKET_SIZE + 4 /* of one as it is sent: all escaped */
};

/* Bytes that have come and are not taken yet. Zeros: none. */
typedef struct karat_packets {
    size_t used;
    bool too_long;           /* a packet is being dropped */
    char bytes[PACKET_ROOM]; /* room for more after those that are used */
} karat_packets;

typedef enum packet_kind {
    PACKET_NONE,      /* more bytes are needed */
    PACKET_CONTENTS,  /* text has the contents */
    PACKET_INTERRUPT, /* the byte 3: the user wants the run to stop */
    PACKET_REFUSED    /* a wrong checksum, or too long: to be asked for again */
} packet_kind;

/* Take the next one. text: its contents, without escapes, and a NUL after them; *length without it. Acknowledgements are dropped: the
 * connection loses no bytes. */
packet_kind karat_packets_take(karat_packets *packets, char text[PACKET_SIZE + 1], size_t *length);

/* Make a packet. Returns its length. length: at most PACKET_SIZE. */
size_t karat_packet_make(const char *contents, size_t length, char packet[PACKET_ROOM]);

#endif
