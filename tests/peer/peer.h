/* The verdict of another comparison: the rules by which GVM, the co-simulation of the public Ventus core,
 * judges a run, over Karat's record stream. For the table of scripts/peer_table only: a measure, not a
 * checker.
 *
 * GVM's rules, as its published sources have them:
 *
 *  1. An instruction is noted when it is issued, under a number that counts a warp's dispatches; its
 *     writeback has the same number. Of listed scalar instructions, SETRPC, barriers and ENDPRG it waits for
 *     the completion; all others count as done with the next of those.
 *  2. An instruction done in order retires: pc is compared (a difference ends the run), and the reference
 *     steps.
 *  3. The results of listed instructions are compared: of a scalar the register's number and value, but
 *     neither where it is x0 nor where mstatus is accessed; of a vector the lanes written and their values,
 *     not the register. Listed floating-point results may differ by 1e-3 + 1e-3 * |reference|, a NaN by
 *     anything; the reference takes what differs by no more. A difference is an error; the run goes on.
 *  4. A scalar write under a number that no unfinished instruction has is an error; a vector write is
 *     ignored.
 *  5. A warp is forgotten when its ENDPRG is issued: later writes are ignored.
 *  6. An instruction of 1 that is done before the barrier in front of it is an error. The warps of a
 *     workgroup that are launched on two SMs, or with two bases of local memory, end the run.
 *  7. Nothing else is compared: no memory, store, branch, mask, SIMT stack, CSR, operand, exit.
 *
 * It also logs an error for a scalar write of an instruction that is not listed, in a run without a fault as
 * well: that says nothing, and is left out. Where this stays in doubt it favours GVM: the reference runs a
 * warp to its end at ENDPRG, as GVM should, so that other warps see its stores; a slot or a workgroup's warp
 * launched twice counts as found.
 */
#ifndef KARAT_PEER_H
#define KARAT_PEER_H

#include "check.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karat_peer karat_peer;

typedef struct karat_peer_result {
    uint64_t compared; /* Results */
    uint64_t errors;   /* 0: the run is right, by those rules */
    uint64_t cycle;    /* Cycle of the first error */
    uint64_t issued;   /* Instructions issued until then, of all warps */
    char first[200];   /* The first error, in a line */
    bool lost; /* The reference could not follow the stream to its end, and nothing was compared from there */
} karat_peer_result;

/* The configuration is the checker's; num_thread and more come from HELLO.  NULL: out of memory. */
karat_peer *karat_peer_create(const karat_check_config *config);
void karat_peer_destroy(karat_peer *peer);

/* A karat_port_sink (context: the karat_peer) that never asks to stop. */
bool karat_peer_record(void *peer, const void *record, size_t size);

/* The outcome so far. It belongs to the peer. */
const karat_peer_result *karat_peer_outcome(const karat_peer *peer);

#ifdef __cplusplus
}
#endif
#endif
