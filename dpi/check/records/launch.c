/* LAUNCH: where it runs.  The core is not believed: every launch is compared with the kernel. */
#include "records.h"
#include "names.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size) {
    return a_size && b_size && a < (uint64_t)b + b_size && b < (uint64_t)a + a_size;
}

static bool fail_registers(karat_checker *c, const blame *x, const char *which, uint32_t base, uint32_t size,
                           const slot *other, uint32_t other_base, uint32_t other_size) {
    return overlap(base, size, other_base, other_size) &&
           karat_fail(c, x,
                      "%s registers %" PRIu32 "+%" PRIu32 " overlap those of live slot %u (%" PRIu32
                      "+%" PRIu32 ")",
                      which, base, size, other->index, other_base, other_size);
}

/* Physical registers and LDS of live warps and workgroups on an SM are disjoint, and as large as the
 * kernel wants. */
static bool check_ranges(karat_checker *c, const slot *s, const group *g, const karat_rec_launch *r) {
    const blame *x = BLAME(FAIL_LAUNCH, s, NULL, r);
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *o = &c->slots[i];
        const karat_rec_launch *l = &o->launch;
        if (o->live && o->sm == s->sm && /* Slot s itself is not yet */
            (fail_registers(c, x, "scalar", r->sgpr_base, r->sgpr_size, o, l->sgpr_base, l->sgpr_size) ||
             fail_registers(c, x, "vector", r->vgpr_base, r->vgpr_size, o, l->vgpr_base, l->vgpr_size)))
            return true;
    }
    for (uint32_t i = 0; i < c->num_groups; i++) {
        const group *o = &c->groups[i];
        if (o != g && o->open && o->sm == s->sm &&
            overlap(r->lds_base, r->lds_size, o->lds_base, o->lds_size))
            return karat_fail(c, x,
                              "LDS 0x%" PRIx32 "+0x%" PRIx32 " overlaps that of live workgroup %" PRIu32
                              " (0x%" PRIx32 "+0x%" PRIx32 ")",
                              r->lds_base, r->lds_size, o->workgroup, o->lds_base, o->lds_size);
    }
    if (g->launched && (r->lds_base != g->lds_base || r->lds_size != g->lds_size))
        return karat_fail(c, x,
                          "LDS 0x%" PRIx32 "+0x%" PRIx32 "; another warp of the workgroup has 0x%" PRIx32
                          "+0x%" PRIx32,
                          r->lds_base, r->lds_size, g->lds_base, g->lds_size);
    if (r->lds_size && c->kernel.lds_size > r->lds_size)
        return karat_fail(c, x, "0x%" PRIx32 " bytes of LDS allocated; the kernel asks for 0x%" PRIx32,
                          r->lds_size, c->kernel.lds_size);
    if (r->sgpr_size && c->kernel.sgprs > r->sgpr_size)
        return karat_fail(c, x, "%" PRIu32 " scalar registers allocated; the kernel uses %u", r->sgpr_size,
                          c->kernel.sgprs);
    return r->vgpr_size && c->kernel.vgprs > r->vgpr_size &&
           karat_fail(c, x, "%" PRIu32 " vector registers allocated; the kernel uses %u", r->vgpr_size,
                      c->kernel.vgprs);
}

/* The group of that workgroup, or a free one; NULL: there is none. */
static group *find_group(karat_checker *c, uint32_t workgroup) {
    group *free = NULL;
    for (uint32_t i = c->num_groups; i-- > 0;) {
        group *g = &c->groups[i];
        if (g->open && g->workgroup == workgroup)
            return g;
        free = g->open ? free : g;
    }
    return free;
}

/* Where private memory goes by slot: the base that the workgroup has; the first warp's, if that is a slot of
 * no other one's, else the first such. */
static uint32_t find_slot_base(const karat_checker *c, const group *g, uint32_t got) {
    uint32_t first = 0;
    bool found = false;
    if (g->launched)
        return g->pds_csr;
    for (uint32_t i = 0; i < c->kernel_desc.pds_slots; i++) {
        const uint32_t base = karat_kernel_pds(&c->kernel_desc, c->hello.num_thread, i);
        bool taken = false;
        for (uint32_t k = 0; k < c->num_groups; k++)
            taken |= &c->groups[k] != g && c->groups[k].open && c->groups[k].pds_csr == base;
        if (!taken && base == got)
            return got;
        if (!taken && !found)
            first = base;
        found |= !taken;
    }
    return first;
}

/* CSRs: the core's values against what the kernel says. CSR_WGID is the hardware's own number of the
 * workgroup (section 2.3) and CSR_LDS may be moved by the allocation: for those two the core's value is
 * taken, and must be one per workgroup; to go on beyond another, that one's too. CSR_PDS is that of a slot
 * where private memory goes by slot. */
static bool check_csrs(karat_checker *c, const slot *s, const group *g, const karat_rec_launch *r,
                       karat_launch_desc *desc) {
    const blame *x = BLAME(FAIL_LAUNCH, s, NULL, r, .may_go_on = true);
    for (uint32_t i = 0; r->csr_given >> KARAT_CSR_WGID & 1 && i < c->num_groups; i++) {
        const group *o = &c->groups[i];
        if (o == g || !o->open || o->sm != r->h.sm || !o->wgid_given || o->wgid != r->csr[KARAT_CSR_WGID])
            continue;
        if (karat_fail(c, x,
                       "CSR wgid is 0x%08" PRIx32 ", as that of workgroup %" PRIu32
                       ", which runs on this SM too",
                       o->wgid, o->workgroup))
            return true;
        break;
    }
    if (c->kernel_desc.pds_slots)
        desc->csr[KARAT_CSR_PDS] = find_slot_base(c, g, r->csr[KARAT_CSR_PDS]);
    for (unsigned i = 0; i < 11; i++) {
        if (!(r->csr_given >> i & 1))
            continue;
        uint32_t want = desc->csr[i];
        const uint32_t got = r->csr[i];
        if (g->launched && (i == KARAT_CSR_WGID || i == KARAT_CSR_LDS))
            want = i == KARAT_CSR_WGID ? g->wgid : g->lds_csr;
        else if (i == KARAT_CSR_WGID || (i == KARAT_CSR_LDS && got == want + r->lds_base && r->lds_size))
            want = got;
        desc->csr[i] = got;
        const char *layout = i != KARAT_CSR_PDS              ? ""
                             : !c->kernel_desc.pds_slots     ? " (private memory by workgroup)"
                             : c->kernel_desc.pds_slots == 1 ? " (private memory: one base for all)"
                                                             : " (private memory by resident slot)";
        if (got != want &&
            karat_fail(c, x, "CSR %s is 0x%08" PRIx32 "; the kernel requires 0x%08" PRIx32 "%s",
                       karat_csr_name(KARAT_CSR_BASE + i), got, want, layout))
            return true;
    }
    return false;
}

/* Debts of the slot's last warp that may not outlive it: all but memory accesses. (It has ended: it has
 * come to all its barriers.) */
static bool check_last_owner(karat_checker *c, slot *s) {
    for (flight *f = s->oldest, *next; f; f = next) {
        next = f->next;
        if (!karat_flight_expects_write(f) && !f->pending_simt && !f->pending_csr)
            continue;
        if (karat_fail_missing(c, s, f, true, "the slot is launched again;"))
            return true;
        memset(f->pending_write, 0, sizeof f->pending_write);
        f->pending_simt = f->pending_csr = false;
        karat_flight_complete(c, s, f);
    }
    return s->launched && karat_print_missing(c, s, "the slot is launched again");
}

/* The slot is the new warp's.  Memory accesses of earlier epochs may still come. */
static void clear_slot(karat_checker *c, slot *s, const karat_rec_launch *r) {
    flight *last = s->youngest;
    s->youngest = NULL;
    if (last)
        karat_flight_complete(c, s, last);
    const slot old = {
        .sm = s->sm, .index = s->index, .handle = s->handle, .oldest = s->oldest, .waiting = s->waiting};
    memcpy(s, &old, offsetof(slot, pushed));
    s->epoch = r->h.epoch;
    s->launched = true;
    s->workgroup = r->workgroup;
    s->warp = r->warp;
    s->last_event = c->last_event = r->h.cycle;
    s->launch = *r;
}

/* The workgroup that the warp belongs to, which its first one opens. True after a failure. */
static bool enter_group(karat_checker *c, const slot *s, const karat_rec_launch *r, group **of) {
    const blame *x = BLAME(FAIL_LAUNCH, s, NULL, r);
    const uint32_t workgroups = karat_kernel_workgroups(&c->kernel_desc);
    const phrase name = karat_warp_name(r->workgroup, r->warp);
    if (r->workgroup >= workgroups || r->warp >= c->kernel.wg_size)
        return karat_fail(c, x, "%s; the grid has %" PRIu32 " workgroups of %" PRIu32 " warps", name.text,
                          workgroups, c->kernel.wg_size);
    if (!karat_kernel_mask(&c->kernel_desc, c->hello.num_thread, r->workgroup, r->warp))
        return karat_fail(c, x, "%s is launched; all of its threads are outside of the work-items",
                          name.text);
    uint8_t *started = &c->started[(size_t)r->workgroup * c->kernel.wg_size + r->warp];
    if (*started)
        return karat_fail(c, x, "%s is launched a second time", name.text);
    *started = 1;
    group *g = *of = find_group(c, r->workgroup);
    if (!g)
        return karat_fail(
            c, x, "workgroup %" PRIu32 " begins while %" PRIu32 " others are under way: more than warp slots",
            r->workgroup, c->num_groups);
    if (!g->open) {
        *g = (group){.open = true,
                     .workgroup = r->workgroup,
                     .sm = r->h.sm,
                     .warps = karat_kernel_group_warps(&c->kernel_desc, c->hello.num_thread, r->workgroup)};
        if (karat_kernel_open(&c->kernel_desc, c->model, (uint32_t)(g - c->groups), r->workgroup) != KARAT_OK)
            return karat_fail(c, BLAME(FAIL_STREAM, s),
                              "the first contents of its workgroup's LDS do not fit the model's");
    }
    return g->sm != r->h.sm &&
           karat_fail(c, x, "workgroup %" PRIu32 " already runs on sm %" PRIu32, r->workgroup, g->sm);
}

/* The launch is right: the model's warp begins. */
static bool begin(karat_checker *c, slot *s, group *g, const karat_rec_launch *r,
                  const karat_launch_desc *desc) {
    if (karat_launch(c->model, s->handle, desc) != KARAT_OK)
        return karat_fail(c, BLAME(FAIL_LAUNCH, s, NULL, r), "the model refuses this launch");
    if (r->csr_given >> KARAT_LAUNCH_MSTATUS & 1) /* The launch gives it (decisions, "Registers") */
        karat_csr_write(c->model, s->handle, 0x300, r->mstatus);
    g->wgid = desc->csr[KARAT_CSR_WGID];
    g->wgid_given = r->csr_given >> KARAT_CSR_WGID & 1;
    g->lds_csr = desc->csr[KARAT_CSR_LDS];
    g->pds_csr = desc->csr[KARAT_CSR_PDS];
    g->lds_base = r->lds_base;
    g->lds_size = r->lds_size;
    g->launched++;
    s->live = true;
    for (unsigned i = 0; r->regs != KARAT_REGS_CLEARED && i < KARAT_NUM_X + KARAT_NUM_V; i++) {
        const uint32_t lanes = karat_lanes_of(c, i < KARAT_NUM_X ? KARAT_CLASS_X : KARAT_CLASS_V);
        s->regs[i].is = (knowledge){.unwritten = lanes, .unreported = lanes};
    }
    karat_define(s, KARAT_CLASS_X, 0, 1);
    const bool forwards = !(c->hello.props & KARAT_PROP_INTERLOCKED) && karat_gives(c, KARAT_REC_WRITE);
    if (r->regs != KARAT_REGS_CLEARED || c->config.num_bounds || karat_takes_values(c) || forwards)
        karat_set_read_port(c->model, karat_check_operand, c);
    if (c->scalars)
        karat_scalars_launch(c->scalars, s->handle);
    if (c->config.watch)
        c->config.watch->launch(c->config.watch->context, c->model, s->handle, desc, c->kernel.wg_size);
    karat_bridge_launch(c, s);
    c->num_started++;
    c->counts.warps++;
    return false;
}

/* Parts that it leaves out; mstatus is not compared. */
static void note_gaps(karat_checker *c, const karat_rec_launch *r) {
    enum { ALL_CSRS = (1u << KARAT_LAUNCH_MSTATUS) - 1 };
    const bool gives = karat_gives(c, KARAT_REC_LAUNCH);
    karat_note_gap(c, GAP_LAUNCH_CSR, gives && (r->csr_given & ALL_CSRS) != ALL_CSRS);
    karat_note_gap(c, GAP_RANGES,
                   gives && !(r->sgpr_size && r->vgpr_size && (r->lds_size || !c->kernel.lds_size)));
}

bool karat_check_launch(karat_checker *c, const karat_rec_launch *r) {
    note_gaps(c, r);
    if (karat_check_slot(c, &r->h))
        return true;
    slot *s = karat_slot_at(c, &r->h);
    const uint32_t epoch = s->launched ? s->epoch + 1 : 0;
    if (s->live)
        return karat_fail(c, BLAME(FAIL_LAUNCH, s, NULL, r), "slot %u is live: %s has not ended", s->index,
                          karat_warp_name(s->workgroup, s->warp).text);
    if (r->h.epoch != epoch)
        return karat_fail(c, BLAME(FAIL_STREAM, NULL, NULL, r),
                          "LAUNCH with epoch %" PRIu32 " where %" PRIu32 " was expected", r->h.epoch, epoch);
    if (check_last_owner(c, s))
        return true;
    clear_slot(c, s, r);
    group *g = NULL;
    if (enter_group(c, s, r, &g))
        return true;
    karat_launch_desc desc;
    karat_kernel_launch(&c->kernel_desc, c->hello.num_thread, r->workgroup, r->warp, &desc);
    if (r->pc != desc.pc)
        return karat_fail(c, BLAME(FAIL_LAUNCH, s, NULL, r),
                          "pc is 0x%08" PRIx32 "; the kernel starts at 0x%08" PRIx32, r->pc, desc.pc);
    if (r->mask != desc.mask) {
        if (karat_fail(c, BLAME(FAIL_LAUNCH, s, NULL, r, .may_go_on = true),
                       "thread mask is %08" PRIx32 "; the kernel requires %08" PRIx32, r->mask, desc.mask))
            return true;
        desc.mask = r->mask & karat_all_lanes(c);
    }
    if (check_csrs(c, s, g, r, &desc) || check_ranges(c, s, g, r))
        return true;
    desc.workgroup = s->wg = (uint32_t)(g - c->groups);
    return begin(c, s, g, r, &desc);
}
