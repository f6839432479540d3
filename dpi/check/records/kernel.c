/* KERNEL: what runs; ITEMS: of which work-items; PAGING: its address space. What the one before has left in
 * memory: contents.c. */
#include "records.h"

#include <inttypes.h>
#include <stdlib.h>

/* Completions of the last kernel that are still pending. Returns true after a failure. */
static bool check_previous(karat_checker *c) {
    if (c->num_exited == c->num_expected) /* 0 of 0 before the first kernel */
        return karat_check_all_complete(c, "the next kernel starts");
    /* The test bench starts a kernel when the core says that the one before is done. */
    const slot *live = NULL;
    for (uint32_t i = 0; i < c->num_slots && !live; i++)
        if (c->slots[i].live)
            live = &c->slots[i];
    return karat_fail(c, BLAME(FAIL_EXIT_MISSING, live, live ? live->youngest : NULL),
                      "the next kernel starts while %" PRIu64 " of %" PRIu64
                      " warps of this one have not ended (%" PRIu64 " were launched)",
                      c->num_expected - c->num_exited, c->num_expected, c->num_started);
}

static void take_items(karat_checker *c) {
    for (int i = 0; i < 3; i++) {
        c->kernel_desc.local[i] = c->items.group_items[i];
        c->kernel_desc.global[i] = c->items.grid_items[i];
        c->kernel_desc.offset[i] = c->items.first_id[i];
    }
}

bool karat_check_items(karat_checker *c, const karat_rec_items *r) {
    if (c->items_seen)
        return karat_fail(c, BLAME(FAIL_STREAM), "a second ITEMS before KERNEL");
    c->items = *r;
    c->items_seen = true;
    return false;
}

bool karat_check_kernel(karat_checker *c, const karat_rec_kernel *r) {
    uint32_t expected_index = c->kernel_seen ? c->kernel.index + 1 : 0;
    if (r->index != expected_index)
        return karat_fail(c, BLAME(FAIL_STREAM), "KERNEL %" PRIu32 " where %" PRIu32 " was expected",
                          r->index, expected_index);
    if (check_previous(c) || karat_bridge_end(c))
        return true;
    uint64_t workgroups = (uint64_t)r->grid[0] * r->grid[1];
    if (workgroups <= UINT32_MAX)
        workgroups *= r->grid[2];
    if (workgroups > KARAT_PORT_WARPS || workgroups * r->wg_size > KARAT_PORT_WARPS)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "KERNEL of %" PRIu64 " workgroups of %" PRIu32 " warps; %d warps are possible",
                          workgroups, r->wg_size, KARAT_PORT_WARPS);
    if (!workgroups || !r->wg_size || r->wg_size > c->hello.num_warp || !r->wf_size ||
        r->wf_size > c->hello.num_thread || r->sgprs > KARAT_NUM_X || r->vgprs > KARAT_NUM_V)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "KERNEL of %" PRIu64 " workgroups of %" PRIu32 " warps of %" PRIu32
                          " threads does not fit a core of %u warps of %u threads",
                          workgroups, r->wg_size, r->wf_size, c->hello.num_warp, c->hello.num_thread);
    if (r->num_region != c->num_regions)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "KERNEL names %" PRIu32 " regions; %" PRIu32 " REGION records came", r->num_region,
                          c->num_regions);
    if (karat_translates(c) && !c->paging_seen)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "KERNEL without a PAGING; HELLO says that the core translates addresses");
    c->paging_seen = false;
    if (!c->items_seen)
        c->items = (karat_rec_items){0};
    c->items_seen = false;
    bool known = c->hello.props & KARAT_PROP_FLUSHED && c->num_regions;
    for (uint32_t i = 0; i < c->num_regions; i++)
        known &= c->regions[i].hash_valid;
    c->kernel = *r;
    c->kernel_seen = true;
    c->usual = (c->hello.gives | KARAT_RECS_REQUIRED) &
               ~(KARAT_RECS_OF_BENCH | KARAT_PORT_BIT(HELLO) | KARAT_PORT_BIT(ACCESS));
    if (karat_check_memory(c, "before kernel"))
        return true;
    c->mem_passed_wait &= !known;
    c->num_regions = 0;
    c->num_started = c->num_exited = 0;
    free(c->started);
    c->started = calloc((size_t)(workgroups * r->wg_size), 1);
    if (!c->started)
        return karat_no_memory(c, NULL);
    c->last_event = r->h.cycle;
    c->kernel_desc = (karat_kernel){
        .start_addr = r->pc,
        .grid = {r->grid[0], r->grid[1], r->grid[2]},
        .wf_size = r->wf_size,
        .wg_size = r->wg_size,
        .knl = r->knl,
        .lds_base = r->lds_base,
        .lds_size = r->lds_size,
        .pds_base = r->pds_base,
        .pds_size = r->pds_size,
        .sgprs = r->sgprs,
        .vgprs = r->vgprs,
        .ptbr = c->paging.ptbr,
        .asid = c->paging.asid,
        .num_locals = c->num_locals,
        .locals = c->locals,
        .pds_slots = c->items.pds_slots,
    };
    take_items(c);
    const char *wrong = karat_kernel_wrong_items(&c->kernel_desc);
    if (wrong)
        return karat_fail(c, BLAME(FAIL_STREAM), "ITEMS: expected %s", wrong);
    c->num_expected = karat_kernel_warps(&c->kernel_desc, c->hello.num_thread);
    karat_bridge_kernel(c, known);
    c->spaces[r->index % NUM_SPACES] = (address_space){r->index, c->paging.asid, c->paging.ptbr};
    for (uint32_t i = 0; i < c->num_locals; i++)
        c->locals[i].data = c->local_bytes[i];
    c->num_locals = 0; /* The next kernel's begin anew: HOST records come when this one has ended */
    return false;
}

bool karat_check_paging(karat_checker *c, const karat_rec_paging *r) {
    if (!karat_translates(c))
        return karat_fail(c, BLAME(FAIL_STREAM), "PAGING; HELLO says that the core does not translate");
    if (c->paging_seen)
        return karat_fail(c, BLAME(FAIL_STREAM), "a second PAGING before KERNEL");
    if (r->ptbr & 0xfff)
        return karat_fail(c, BLAME(FAIL_STREAM), "PAGING: ptbr 0x%" PRIx64 " is not a multiple of 4096",
                          r->ptbr);
    c->paging = *r;
    c->paging_seen = true;
    return false;
}
