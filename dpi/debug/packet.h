/* Packets of gdb's remote protocol (GDB manual, "Overview" of appendix E): taking them out of a stream of
 * bytes, and making them. Knows no descriptors and no meaning. */
#ifndef KARAT_DEBUG_PACKET_H
#define KARAT_DEBUG_PACKET_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PACKET_SIZE = 16384,              /* Bytes of a packet's contents, both ways */
    PACKET_ROOM = 2 * PACKET_SIZE + 4 /* Of one as it is sent: all escaped */
};

/* Bytes that have come and are not taken yet. Zeros: none. */
typedef struct karat_packets {
    size_t used;
    bool too_long;           /* A packet is being dropped */
    char bytes[PACKET_ROOM]; /* Room for more after those that are used */
} karat_packets;

typedef enum packet_kind {
    PACKET_NONE,      /* More bytes are needed */
    PACKET_CONTENTS,  /* Text has the contents */
    PACKET_INTERRUPT, /* The byte 3: the user wants the run to stop */
    PACKET_REFUSED    /* A wrong checksum, or too long: to be asked for again */
} packet_kind;

/* Take the next one. text: its contents, without escapes, and a NUL after them; *length without it.
 * Acknowledgements are dropped: the connection loses no bytes. */
packet_kind karat_packets_take(karat_packets *packets, char text[PACKET_SIZE + 1], size_t *length);

/* Make a packet. Returns its length. length: at most PACKET_SIZE. */
size_t karat_packet_make(const char *contents, size_t length, char packet[PACKET_ROOM]);

#endif
