/* The SIMT stack (section 4.2.1; decisions, "Divergence").
 *
 *  A divergent VBRANCH pushes R, where all its threads meet again, then the path that waits, and continues
 *  with the other:
 *
 *      before  ... | mask M
 *      after   ... | R = {rpc, rpc, M} | W = {rpc, first pc of the waiting path, its threads} | mask of the
 *              running path
 *
 *  JOIN at the top entry's rpc takes that entry's mask, jumps to its pc and pops it: first W runs, then R,
 *  whose pc is the JOIN itself, so that regions with one rpc unwind one after the other. */
#include "core.h"

static void fill(karat_commit *commit, karat_simt_kind kind, uint32_t next_pc) {
    commit->simt = (uint8_t)kind;
    commit->next_pc = next_pc;
}

static unsigned count(uint32_t mask) {
    unsigned n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

void karat_simt_branch(const karat_model *model, karat_warp *warp, uint32_t taken, uint32_t target,
                       karat_commit *commit) {
    uint32_t next = commit->pc + 4;
    uint32_t else_mask = warp->mask & taken, if_mask = warp->mask & ~taken;
    if (!else_mask || !if_mask) {
        /* With no active lane at all it falls through. */
        fill(commit, KARAT_SIMT_UNIFORM, else_mask ? target : next);
        return;
    }
    const karat_simt_order order = model->config.simt_order;
    const bool smaller_first = count(else_mask) <= count(if_mask),
               else_first = order == KARAT_SMALLER_FIRST ? smaller_first : order == KARAT_ELSE_FIRST;
    if (else_first != smaller_first)
        commit->deviated |= KARAT_DEV_SIMT_ORDER;
    uint32_t rpc = warp->csr[KARAT_CSR_RPC];
    /* The mask shrinks with every divergence, so the room never runs out: KARAT_MAX_STACK. */
    warp->stack[warp->depth++] = (karat_simt_entry){rpc, rpc, warp->mask};
    warp->stack[warp->depth++] =
        else_first ? (karat_simt_entry){rpc, next, if_mask} : (karat_simt_entry){rpc, target, else_mask};
    warp->mask = else_first ? else_mask : if_mask;
    fill(commit, KARAT_SIMT_DIVERGE, else_first ? target : next);
}

void karat_simt_join(karat_warp *warp, karat_commit *commit) {
    if (warp->depth && warp->stack[warp->depth - 1].rpc == commit->pc) {
        const karat_simt_entry *top = &warp->stack[--warp->depth];
        warp->mask = top->mask;
        fill(commit, KARAT_SIMT_POP, top->next);
        return;
    }
    fill(commit, KARAT_SIMT_PASS, commit->pc + 4);
}
