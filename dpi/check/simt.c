/* SIMT: masks, pcs and the stack, as branches and joins leave them. */
#include "records.h"

#include <inttypes.h>

/* A JOIN shows an entry for the first time, and it is wrong: the VBRANCH that pushed it is at fault.  *branch becomes what is remembered
 * of that instruction. */
static void blame_entry(const karat_checker *c, const slot *s, const flight *f, flight *branch) {
    const pusher *p = &s->pushed[f->commit.depth - 1];
    karat_insn insn;
    *branch = (flight){
        .epoch = f->epoch, .seq = p->seq, .workgroup = f->workgroup, .warp = f->warp, .cycle = p->cycle};
    branch->commit.pc = p->pc;
    branch->commit.word = p->word;
    branch->commit.prefix = p->prefix;
    branch->commit.row = karat_decode(c->config.model.profile, p->word, &insn);
    branch->commit.mask_before = branch->commit.mask_after = p->mask;
}

bool karat_check_simt(karat_checker *c, const karat_rec_simt *r) {
    karat_note_gap(c, GAP_TOP, r->depth && !r->top_valid);
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (!f || !f->owes_simt)
        return karat_fail(c, FAULT(FAIL_SIMT_UNEXPECTED, s, f, r), "seq %" PRIu32 " owes no SIMT outcome%s",
                          r->seq, f && f->commit.simt ? " any more" : "");
    const karat_commit *m = &f->commit;
    const bool top_differs = r->top_valid && (!m->depth || r->top_rpc != m->top.rpc ||
                                              r->top_next != m->top.next || r->top_mask != m->top.mask);
    const bool rest_differs = r->mask != m->mask_after || r->next_pc != m->next_pc || r->depth != m->depth;
    const bool entry_alone = !rest_differs && m->depth && m->simt == KARAT_SIMT_POP;
    flight branch;
    if (top_differs && entry_alone)
        blame_entry(c, s, f, &branch);
    if (rest_differs || top_differs)
        return karat_fail(
            c, FAULT(FAIL_SIMT, s, entry_alone ? &branch : f, r, .lanes = r->mask ^ m->mask_after),
            "outcome of seq %" PRIu32 "%s\n"
            "         mask     next pc     depth  top: rpc    next        mask\n"
            "  core   %08" PRIx32 " 0x%08" PRIx32 "  %-5u  0x%08" PRIx32 "  0x%08" PRIx32 "  %08" PRIx32
            "%s\n"
            "  model  %08" PRIx32 " 0x%08" PRIx32 "  %-5u  0x%08" PRIx32 "  0x%08" PRIx32 "  %08" PRIx32,
            f->seq, entry_alone ? ", a JOIN that shows the entry pushed here for the first time" : "",
            r->mask, r->next_pc, r->depth, r->top_rpc, r->top_next, r->top_mask,
            r->top_valid ? "" : " (not provided)", m->mask_after, m->next_pc, m->depth, m->top.rpc,
            m->top.next, m->top.mask);
    f->owes_simt = false;
    c->counts.simt++;
    karat_flight_settle(c, s, f);
    return false;
}
