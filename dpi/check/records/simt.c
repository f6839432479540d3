/* SIMT: masks, pcs and the stack, as branches and joins leave them. */
#include "records.h"
#include "names.h"

#include <inttypes.h>

/* A JOIN shows an entry for the first time, and it is wrong: the VBRANCH that pushed it is at fault.
 * *branch becomes what is remembered of that instruction. */
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

/* When all that the warp has issued is done, the core's stack must equal the model's: the words of one
 * entry that mask names, the depth and the thread mask. */
bool karat_audit_stack(karat_checker *c, slot *s, const karat_rec_audit *r) {
    enum { RPC, NEXT, MASK, DEPTH, THREADS, WORDS, OF_ENTRY = 1 << RPC | 1 << NEXT | 1 << MASK };
    static const char *const names[WORDS] = {"rpc", "next pc", "mask", "depth", "thread mask"};
    const flight *f = s->issued ? karat_flight_recent(s, s->epoch, s->next_seq - 1) : NULL;
    karat_warp_view view;
    karat_view(c->model, s->handle, &view);
    const bool has_entry = r->regno < view.depth;
    const karat_simt_entry e = has_entry ? view.stack[view.depth - 1 - r->regno] : (karat_simt_entry){0};
    const uint32_t model[WORDS] = {e.rpc, e.next, e.mask, view.depth, view.mask};
    uint32_t different = has_entry ? 0 : r->mask & OF_ENTRY;
    if (r->mask >> WORDS)
        return karat_fail(c, BLAME(FAIL_AUDIT, s, f, r), "words %08" PRIx32 ": an entry has %d", r->mask,
                          WORDS);
    for (unsigned i = 0; i < WORDS; i++)
        different |= (uint32_t)(r->mask >> i & 1 && r->data[i] != model[i]) << i;
    if (!different) {
        if (has_entry)
            s->pushed[view.depth - 1 - r->regno].shown |= (r->mask & OF_ENTRY) == OF_ENTRY;
        c->counts.simt++;
        return false;
    }
    char text[320] = "";
    for (unsigned i = 0; i < WORDS; i++)
        if (different >> i & 1)
            karat_append(text, sizeof text, "\n  %-11s core %08" PRIx32 "  model %08" PRIx32, names[i],
                         r->data[i], model[i]);
    return karat_fail(
        c, BLAME(FAIL_SIMT, s, f, r, .lanes = different >> THREADS & 1 ? r->data[THREADS] ^ view.mask : 0),
        "SIMT stack, entry %u from the top%s%s", r->regno, has_entry ? "" : ", which the model does not have",
        text);
}

bool karat_check_simt(karat_checker *c, const karat_rec_simt *r) {
    karat_note_gap(c, GAP_TOP, r->depth && !r->top_valid);
    slot *s = karat_slot_of(c, &r->h, true);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (!f || !f->pending_simt)
        return karat_fail(c, BLAME(FAIL_SIMT_UNEXPECTED, s, f, r),
                          "seq %" PRIu32 " expects no SIMT outcome%s", r->seq,
                          f && f->commit.simt ? " any more" : "");
    const karat_commit *m = &f->commit;
    const bool top_differs = r->top_valid && (!m->depth || r->top_rpc != m->top.rpc ||
                                              r->top_next != m->top.next || r->top_mask != m->top.mask);
    const bool rest_differs = r->mask != m->mask_after || r->next_pc != m->next_pc || r->depth != m->depth;
    const bool entry_alone =
        !rest_differs && m->depth && m->simt == KARAT_SIMT_POP && !s->pushed[m->depth - 1].shown;
    flight branch;
    if (top_differs && entry_alone)
        blame_entry(c, s, f, &branch);
    if (rest_differs || top_differs)
        return karat_fail(
            c, BLAME(FAIL_SIMT, s, entry_alone ? &branch : f, r, .lanes = r->mask ^ m->mask_after),
            "outcome of seq %" PRIu32 "%s\n"
            "         mask     next pc     depth  top: rpc    next        mask\n"
            "  core   %08" PRIx32 " 0x%08" PRIx32 "  %-5u  0x%08" PRIx32 "  0x%08" PRIx32 "  %08" PRIx32
            "%s\n"
            "  model  %08" PRIx32 " 0x%08" PRIx32 "  %-5u  0x%08" PRIx32 "  0x%08" PRIx32 "  %08" PRIx32,
            f->seq, entry_alone ? ", a JOIN that shows the entry pushed here for the first time" : "",
            r->mask, r->next_pc, r->depth, r->top_rpc, r->top_next, r->top_mask,
            r->top_valid ? "" : " (not provided)", m->mask_after, m->next_pc, m->depth, m->top.rpc,
            m->top.next, m->top.mask);
    f->pending_simt = false;
    c->counts.simt++;
    karat_flight_complete(c, s, f);
    return false;
}
