/* Divergence (section 4.2.1), CSRs, synchronisation and task control (section 4.2.4). */
#include "exec.h"

VBRANCH(vbeq, s2 == s1)
VBRANCH(vbne, s2 != s1)
VBRANCH(vblt, (S)s2 < (S)s1)
VBRANCH(vbge, (S)s2 >= (S)s1)
VBRANCH(vbltu, s2 < s1)
VBRANCH(vbgeu, s2 >= s1)

void karat_vbranch(karat_exec *e, uint32_t taken) {
    karat_simt_branch(e->model, e->warp, taken, e->commit->pc + (uint32_t)e->insn->imm[0], e->commit);
    e->next_pc = e->commit->next_pc;
}

/* At the top entry's rpc: take its mask, jump to its next pc and pop it; otherwise continue at the next
 * instruction. */
SEMANTIC(join) {
    karat_simt_join(e->warp, e->commit);
    e->next_pc = e->commit->next_pc;
}

enum { CSR_VSTART = 0x008 };

static void write_csr(karat_exec *e, uint32_t csr, uint32_t old, uint32_t value) {
    if (!karat_csr_set(e->warp, csr, value)) {
        karat_set_illegal(e, csr == CSR_VSTART ? KARAT_ILLEGAL_VSTART : KARAT_ILLEGAL_CSR_WRITE);
        return;
    }
    e->commit->csr_written = 1;
    e->commit->csr = csr;
    e->commit->csr_old = old;
    karat_csr_get(e->model, e->warp, csr, &e->commit->csr_value);
    e->commit->deviated |= karat_csr_deviates(e->model, e->warp, csr);
}

/* rd = CSR_RPC = s1 + s2. */
SEMANTIC(setrpc) {
    e->r[0] = (uint32_t)(e->x1 + e->x2);
    write_csr(e, KARAT_CSR_BASE + KARAT_CSR_RPC, e->warp->csr[KARAT_CSR_RPC], e->r[0]);
}

static void csr_op(karat_exec *e, char op) {
    uint32_t csr = (uint32_t)e->insn->imm[0], old, s1 = (uint32_t)e->x1;
    if (!karat_csr_get(e->model, e->warp, csr, &old)) {
        karat_set_illegal(e, KARAT_ILLEGAL_CSR);
        return;
    }
    e->r[0] = old;
    e->commit->deviated |= karat_csr_deviates(e->model, e->warp, csr);
    /* A csrrs or csrrc with x0, and their immediate forms with 0, do not write at all (Zicsr, chapter
     * 9.1). */
    uint32_t field = e->insn->plan & PLAN_X1 ? e->insn->rs1 : s1;
    if (op == 'w')
        write_csr(e, csr, old, s1);
    else if (field)
        write_csr(e, csr, old, op == 's' ? old | s1 : old & ~s1);
}

/* rd = CSR; CSR = s1. */
SEMANTIC(csrrw) {
    csr_op(e, 'w');
}

/* rd = CSR; CSR |= s1, unless that is x0 or 0. */
SEMANTIC(csrrs) {
    csr_op(e, 's');
}

/* rd = CSR; CSR &= ~s1, unless that is x0 or 0. */
SEMANTIC(csrrc) {
    csr_op(e, 'c');
}

/* Wait until all warps of the workgroup have arrived; scope 'work_item' waits for nothing. */
SEMANTIC(barrier) {
    /* Scope 01 is one work-item: nothing to wait for. */
    if ((e->insn->imm[0] >> 3 & 3) != 1)
        e->error = karat_barrier_arrive(e->model, e->warp, e->commit);
}

/* Synchronises the threads of one warp, which run in step anyway. */
SEMANTIC(barriersub) {
    (void)e;
}

/* The warp ends; its stack has to be empty and its mask the initial one. */
SEMANTIC(endprg) {
    e->error = karat_warp_end(e->model, e->warp, e->commit);
}

/* A prefix is fetched together with the next instruction; one that another prefix takes the place of
 * (prefix-last-wins) has no effect. */
SEMANTIC(prefix) {
    (void)e;
}
