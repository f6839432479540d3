/* The DPI-C functions of karat_port_pkg.  A packed record arrives as an array of 32-bit words, least
 * significant first: on a little-endian host, the record's bytes. */
#include "port.h"

static karat_port *attached;

void karat_port_attach(karat_port *port) {
    attached = port;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the retire port hands records over as they are in memory: little-endian hosts only"
#endif

/* Declared here and not with svdpi.h, so that one library serves every simulator: svBitVecVal is a uint32_t.
 */
#define DEFINE(name, NAME, kind, size)                                                                       \
    void karat_port_##name(const uint32_t *record);                                                          \
    void karat_port_##name(const uint32_t *record) {                                                         \
        if (attached)                                                                                        \
            karat_port_hold(attached, record, size);                                                         \
    }
#pragma GCC visibility push(default)
KARAT_REC_EACH(DEFINE)
#pragma GCC visibility pop
