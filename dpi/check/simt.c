/* SIMT: masks, pcs and the stack, as branches and joins leave them. */
#include "records.h"

#include <inttypes.h>
#include <string.h>

/* A JOIN shows an entry for the first time, and it is wrong: the VBRANCH that pushed it is at fault.  Fills
 * *branch in with what is remembered of that instruction. */
static const flight *blame_entry(const karat_checker *c, const slot *s, const flight *f, flight *branch) {
    const pusher *p = &s->pushed[f->commit.depth - 1];
    karat_insn insn;
    memset(branch, 0, sizeof *branch);
    branch->epoch = f->epoch;
    branch->workgroup = f->workgroup;
    branch->warp = f->warp;
    branch->seq = p->seq;
    branch->cycle = p->cycle;
    branch->commit.pc = p->pc;
    branch->commit.word = p->word;
    branch->commit.prefix = p->prefix;
    branch->commit.row = karat_decode(c->config.model.profile, p->word, &insn);
    branch->commit.mask_before = branch->commit.mask_after = p->mask;
    return branch;
}

bool karat_check_simt(karat_checker *c, const karat_rec_simt *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (!f || !f->owes_simt)
        return karat_fail(c, FAIL_SIMT_UNEXPECTED, s, f, r, "seq %" PRIu32 " owes no SIMT outcome%s", r->seq,
                          f && f->commit.simt ? " any more" : "");
    const karat_commit *m = &f->commit;
    bool top_differs = r->top_valid && (!m->depth || r->top_rpc != m->top.rpc || r->top_next != m->top.next ||
                                        r->top_mask != m->top.mask);
    bool rest_differs = r->mask != m->mask_after || r->next_pc != m->next_pc || r->depth != m->depth;
    flight branch;
    const flight *at_fault = f;
    if (top_differs && !rest_differs && m->depth && m->simt == KARAT_SIMT_POP)
        at_fault = blame_entry(c, s, f, &branch);
    if (rest_differs || top_differs)
        return karat_fail(c, FAIL_SIMT, s, at_fault, r,
                          "outcome of seq %" PRIu32 "%s\n"
                          "         mask     next pc     depth  top: rpc    next        mask\n"
                          "  core   %08" PRIx32 " 0x%08" PRIx32 "  %-5u  0x%08" PRIx32 "  0x%08" PRIx32
                          "  %08" PRIx32 "%s\n"
                          "  model  %08" PRIx32 " 0x%08" PRIx32 "  %-5u  0x%08" PRIx32 "  0x%08" PRIx32
                          "  %08" PRIx32,
                          f->seq,
                          at_fault == f ? "" : ", a JOIN that shows the entry pushed here for the first time",
                          r->mask, r->next_pc, r->depth, r->top_rpc, r->top_next, r->top_mask,
                          r->top_valid ? "" : " (not given)", m->mask_after, m->next_pc, m->depth, m->top.rpc,
                          m->top.next, m->top.mask) &&
               karat_fail_in(c, r->mask ^ m->mask_after);
    f->owes_simt = false;
    c->counts.simt++;
    karat_flight_settle(c, s, f);
    return false;
}
