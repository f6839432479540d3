/* gdb's remote protocol: a front end of the debugger (debugger.h), for one client.
 *
 * A thread of gdb is a launch of a warp, an inferior is a kernel (multiprocess extension). Registers: x0 to x63, pc, v0 to v255 as vectors of
 * lanes, mask, the SIMT stack's depth and top entry, and the CSRs. Everything that would change the run is refused.
 */
#ifndef KARAT_DEBUG_GDB_H
#define KARAT_DEBUG_GDB_H

#include "debugger.h"
#include "packet.h"

typedef struct karat_gdb {
    int client; /* a connected socket */
} karat_gdb;

size_t karat_gdb_shared_size(void);
/* *gdb must outlive the run. The run ends when the client has gone. */
karat_front karat_gdb_front(karat_gdb *gdb);

/* A listening socket: on the loopback interface at that port (0: any, and then *port is it), or a Unix socket at that path. -1 with one
 * line in *diag. */
int karat_gdb_listen(uint16_t *port, const char *path, bool everywhere, karat_diag *diag);

/* Carry out one packet and make the answer: for the front end, and for tests. True: the run goes on, by *resume; there is no answer yet. */
typedef struct gdb_session gdb_session;
bool karat_gdb_packet(karat_debugger *debugger, gdb_session *session, const char *packet, size_t length,
                      char answer[PACKET_SIZE + 1], size_t *answered, karat_resume *resume);

/* What the client knows, in memory that does not go back with the run. */
struct gdb_session {
    bool no_ack, started, running;
    uint32_t thread; /* of 'Hg': for registers and memory */
    stop_reason reason;
    machine_space space; /* of addresses, by `monitor space` */
    uint32_t lane;
    karat_packets in;
};

/* The description of registers (target.xml) for that number of lanes, for the caller to free; NULL: memory is short. */
char *karat_gdb_target_xml(uint32_t lanes);
/* Number of registers, and the one with gdb's number i. */
unsigned karat_gdb_num_register(void);
machine_register karat_gdb_register(unsigned i);

#endif
