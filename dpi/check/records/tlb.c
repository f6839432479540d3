/* TLB: entries that the core's TLBs take in, each compared with the model's tables at once, and those that
 * they drop.
 *
 * The model has no TLB.  A right entry may become wrong, by a change of the page tables or of PTBR, and
 * stay: so the newest entries are remembered, with the tables that they are of, for the report of an
 * access that one of them has led to a wrong place. */
#include "records.h"
#include "names.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NUM_ENTRIES = 4096 };

typedef struct entry {
    karat_rec_tlb r;
    uint64_t ptbr; /* Of the kernel that ran */
    uint32_t kernel;
    bool dropped;
    uint64_t dropped_cycle;
} entry;

struct tlb_log {
    entry at[NUM_ENTRIES]; /* Entry number n, of num ever, is at n % NUM_ENTRIES */
    uint64_t num;
};

static const char *tlb_name(unsigned tlb) {
    static const char *const names[] = {"instruction TLB", "data TLB", "shared TLB"};
    return names[tlb];
}

static bool covers(const karat_rec_tlb *fill, uint64_t virt) {
    return virt - fill->virt < karat_page_size(fill->level);
}

/* The newest entry of the SM's data TLB, or of the shared one, that covers that address, and leads to that
 * place (not NULL). */
static const entry *find_entry(const karat_checker *c, uint32_t sm, uint64_t virt, const uint64_t *phys) {
    const struct tlb_log *log = c->tlbs;
    for (uint64_t n = log ? log->num : 0; n > 0 && log->num - n < NUM_ENTRIES; n--) {
        const entry *e = &log->at[(n - 1) % NUM_ENTRIES];
        if (covers(&e->r, virt) && (!phys || virt - e->r.virt + e->r.phys == *phys) &&
            (e->r.tlb == KARAT_TLB_SHARED || (e->r.tlb == KARAT_TLB_DATA && e->r.h.sm == sm)))
            return e;
    }
    return NULL;
}

static void put_entry(const karat_checker *c, const entry *e, char *text, size_t size) {
    const karat_rec_tlb *r = &e->r;
    const uint64_t ptbr = c->kernel_desc.ptbr;
    karat_append(text, size,
                 "\nthe core's entry: 0x%" PRIx64 " to 0x%" PRIx64 ", level %u, asid %" PRIu32
                 ", %s, filled in cycle %" PRIu64 ", kernel %" PRIu32 ", ptbr 0x%" PRIx64,
                 r->virt, r->phys, r->level, r->asid, tlb_name(r->tlb), r->h.cycle, e->kernel, e->ptbr);
    if (e->dropped)
        karat_append(text, size, "; stale: invalidated in cycle %" PRIu64, e->dropped_cycle);
    else if (e->ptbr != ptbr)
        karat_append(text, size, "; stale: ptbr is 0x%" PRIx64 ", asid %" PRIu32 " now", ptbr,
                     c->kernel_desc.asid);
}

bool karat_fail_translation(karat_checker *c, const blame *x, uint64_t virt, uint64_t core, uint64_t model) {
    char text[1200] = "";
    const karat_mem *mem = &x->flight->commit.mem;
    page_walk walk;
    karat_walk_page(c->model, c->kernel_desc.ptbr, virt,
                    mem->op == KARAT_LOAD ? KARAT_USE_LOAD : KARAT_USE_STORE, &walk);
    if (!karat_is_lds(c, virt))
        karat_put_walk(&walk, text, sizeof text);
    else
        karat_append(text, sizeof text, "\naddresses in the LDS window are not translated");
    const entry *e = find_entry(c, x->slot->sm, virt, &core);
    e = e ? e : find_entry(c, x->slot->sm, virt, NULL);
    if (e)
        put_entry(c, e, text, sizeof text);
    blame with = *x;
    with.walk = karat_is_lds(c, virt) ? NULL : &walk;
    with.phys = &core;
    return karat_fail(c, &with, "lane %u at 0x%08" PRIx64 ": core 0x%08" PRIx64 "  model 0x%08" PRIx64 "%s",
                      (unsigned)__builtin_ctz(x->lanes), virt, core, model, text);
}

/* --- FILL --- */

/* Whether that is the entry which that walk finds. */
static bool is_entry(const karat_rec_tlb *r, const page_walk *w) {
    const uint64_t offsets = karat_page_size(w->end.level) - 1;
    return karat_found_leaf(w) && r->level == w->end.level && r->virt == (w->virt & ~offsets) &&
           r->phys == (w->phys & ~offsets) && r->entry == w->end.entry &&
           (!r->entry_addr || r->entry_addr == w->end.entry_addr);
}

/* The newest address space of a kernel with that ASID, or (asid NULL) whose tables have that entry; NULL:
 * none that is remembered. */
static const address_space *find_space(const karat_checker *c, const uint32_t *asid, const karat_rec_tlb *r) {
    for (uint32_t i = 0; i < NUM_SPACES && i <= c->kernel.index; i++) {
        const address_space *s = &c->spaces[(c->kernel.index - i) % NUM_SPACES];
        page_walk w;
        if (asid ? s->asid == *asid
                 : (karat_walk_page(c->model, s->ptbr, r->virt, KARAT_USE_LOAD, &w), is_entry(r, &w)))
            return s;
    }
    return NULL;
}

static bool fail_fill(karat_checker *c, const karat_rec_tlb *r, const address_space *of, const page_walk *w) {
    char text[1200] = "";
    karat_put_walk(w, text, sizeof text);
    const address_space *other = find_space(c, NULL, r);
    if (other && other != of)
        karat_append(text, sizeof text,
                     "\nthe entry is right for kernel %" PRIu32 ", ptbr 0x%" PRIx64 ", asid %" PRIu32
                     ": the walk was begun for that one",
                     other->kernel, other->ptbr, other->asid);
    return karat_fail(c, BLAME(FAIL_TLB_FILL, NULL, NULL, r, .walk = w, .phys = &r->phys, .may_go_on = true),
                      "%s of sm %u, asid %" PRIu32 ": 0x%" PRIx64 " to 0x%" PRIx64
                      ", level %u, entry 0x%016" PRIx64 " at 0x%" PRIx64 "%s",
                      tlb_name(r->tlb), r->h.sm, r->asid, r->virt, r->phys, r->level, r->entry, r->entry_addr,
                      text);
}

/* False: memory is short. */
static bool remember(karat_checker *c, const karat_rec_tlb *r, const address_space *of) {
    if (!c->tlbs && !(c->tlbs = calloc(1, sizeof *c->tlbs)))
        return false;
    c->tlbs->at[c->tlbs->num++ % NUM_ENTRIES] =
        (entry){.r = *r, .ptbr = of ? of->ptbr : c->kernel_desc.ptbr, .kernel = c->kernel.index};
    return true;
}

static bool check_fill(karat_checker *c, const karat_rec_tlb *r) {
    const address_space *of = find_space(c, &r->asid, r);
    if (!remember(c, r, of))
        return karat_no_memory(c, NULL);
    if (!of)
        return karat_fail(c, BLAME(FAIL_TLB_FILL, NULL, NULL, r, .may_go_on = true),
                          "%s of sm %u: asid %" PRIu32 " is of no kernel; this kernel's is %" PRIu32,
                          tlb_name(r->tlb), r->h.sm, r->asid, c->kernel_desc.asid);
    page_walk w;
    karat_walk_page(c->model, of->ptbr, r->virt, KARAT_USE_LOAD, &w);
    return !is_entry(r, &w) && fail_fill(c, r, of, &w);
}

/* --- INVALIDATE --- */

static void drop_entries(karat_checker *c, const karat_rec_tlb *r) {
    for (uint64_t n = 0; c->tlbs && n < c->tlbs->num && n < NUM_ENTRIES; n++) {
        entry *e = &c->tlbs->at[n];
        if (e->dropped || e->r.tlb != r->tlb || e->r.h.sm != r->h.sm ||
            (r->asid != KARAT_ASID_ALL && r->asid != e->r.asid) ||
            (r->level != KARAT_LEVEL_ALL && !covers(&e->r, r->virt)))
            continue;
        e->dropped = true;
        e->dropped_cycle = r->h.cycle;
    }
}

bool karat_check_tlb(karat_checker *c, const karat_rec_tlb *r) {
    if (r->h.sm >= c->hello.num_sm)
        return karat_fail(c, BLAME(FAIL_STRAY, NULL, NULL, r), "TLB of sm %u; HELLO says %u SMs", r->h.sm,
                          c->hello.num_sm);
    switch (r->action) {
    case KARAT_TLB_FILL: return check_fill(c, r);
    case KARAT_TLB_INVALIDATE: drop_entries(c, r); return false;
    default: return karat_check_fault(c, r);
    }
}
