/* Gdb's remote protocol: a front end of the debugger (debugger.h), for one client.
 *
 * A thread of gdb is a launch of a warp, and all kernels are one process. Registers: x0 to x63, pc, v0 to
 * v255 as vectors of lanes, mask, the SIMT stack's depth and top entry, and the CSRs. Registers and memory
 * can be written to (writes.h), but for pc, mask and the SIMT stack. */
#ifndef KARAT_DEBUG_GDB_H
#define KARAT_DEBUG_GDB_H

#include "debugger.h"

/* A listening socket: on the loopback interface at that port (0: any, and then *port is it), or a Unix
 * socket at that path. -1 with one line in *diag. */
int karat_gdb_listen(uint16_t *port, const char *path, bool everywhere, karat_diag *diag);

/* Carry out one packet and make the answer: for the front end, and for tests. True: the run goes on, by
 * *resume; the answer comes when it stops, but for one that is there already. */
bool karat_gdb_packet(karat_debugger *debugger, const char *packet, size_t length,
                      char answer[PACKET_SIZE + 1], size_t *answered, karat_resume *resume);

/* The description of registers (target.xml) for that number of lanes, for the caller to free; NULL: memory
 * is short. */
char *karat_gdb_target_xml(uint32_t lanes);
/* Number of registers, and the one with gdb's number i. */
unsigned karat_gdb_num_register(void);
machine_register karat_gdb_register(unsigned i);

#endif
