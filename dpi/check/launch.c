/* HELLO, REGION, HOST, KERNEL, LAUNCH: what runs where.  The core is not believed: every launch is compared
 * with the kernel. */
#include "state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MAX_LOCALS 65536u /* HOST records for the LDS of one kernel */

bool karat_check_hello(karat_checker *c, const karat_rec_hello *r) {
    if (c->hello_seen)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL, "a second HELLO");
    if (r->version != KARAT_PORT_VERSION)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "record stream version %u; this checker knows version %d", r->version,
                          KARAT_PORT_VERSION);
    karat_config *m = &c->config.model;
    m->num_thread = r->num_thread;
    m->max_warp = (uint32_t)r->num_sm * r->num_warp;
    m->max_workgroup = m->max_warp;
    karat_status status = KARAT_BAD_ARGUMENT;
    if (r->num_warp <= KARAT_PORT_SM_SLOTS && m->max_warp <= KARAT_PORT_SLOTS)
        c->model = karat_create(m, &status);
    if (!c->model && status == KARAT_NO_MEMORY)
        return karat_no_memory(c, NULL);
    if (!c->model)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HELLO of %u SMs, %u warps, %u threads: out of range", r->num_sm, r->num_warp,
                          r->num_thread);
    c->hello_seen = true;
    c->hello = *r;
    c->hello.name[sizeof c->hello.name - 1] = 0;
    for (uint8_t *ch = c->hello.name; *ch; ch++)
        if (*ch <= ' ' || *ch > '~')
            *ch = '?'; /* the verdict line is words, and JSON is UTF-8 */
    if (c->config.core && strcmp(c->config.core, (const char *)c->hello.name) != 0)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HELLO is of core %s; the description is of core %s", c->hello.name,
                          c->config.core);
    if (karat_gives(c, KARAT_REC_AUDIT) && !karat_gives(c, KARAT_REC_WRITE))
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HELLO gives audit and not write: what a register holds cannot be told");
    c->num_slots = c->num_groups = m->max_warp;
    c->slots = calloc(c->num_slots, sizeof *c->slots);
    c->groups = calloc(c->num_groups, sizeof *c->groups);
    c->order = karat_order_create(r->num_thread);
    if (!c->slots || !c->groups || !c->order)
        return karat_no_memory(c, NULL);
    if (c->config.strict & KARAT_STRICT_ORDER) {
        if (r->mem_order != KARAT_ORDER_PERFORMED || !karat_gives(c, KARAT_REC_MEM))
            return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                              "%s cannot be errors: the core does not give MEM in the order of performance",
                              c->config.strict & KARAT_STRICT_RACES ? "races" : "flags");
        if (!(c->races = karat_races_create()) || !(c->flags = karat_flags_create()))
            return karat_no_memory(c, NULL);
    }
    if (c->config.strict & KARAT_STRICT_SCALARS &&
        !(c->scalars = karat_scalars_create(c->num_slots, r->num_thread)))
        return karat_no_memory(c, NULL);
    for (uint32_t i = 0; i < c->num_slots; i++) {
        c->slots[i].handle = i;
        c->slots[i].sm = i / r->num_warp;
        c->slots[i].index = i % r->num_warp;
    }
    return false;
}

/* Pages that a REGION would map. */
static uint64_t new_pages(const karat_checker *c, const karat_rec_region *r) {
    uint64_t num = r->size / 4096;
    for (uint64_t addr = r->base; karat_next_page(c->model, &addr) && addr - r->base < r->size;
         addr += 4096) {
        num--;
        if (addr == UINT64_MAX - 4095)
            break; /* behind it comes the first of all: again this one, where there is no other */
    }
    return num;
}

bool karat_check_region(karat_checker *c, const karat_rec_region *r) {
    if ((r->base | r->size) % 4096)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "REGION 0x%" PRIx64 " of 0x%" PRIx64
                          " bytes; whole pages of 4096 bytes are possible",
                          r->base, r->size);
    const uint64_t pages = c->num_pages + new_pages(c, r);
    if (pages > KARAT_PORT_PAGES || c->num_regions == KARAT_PORT_PAGES)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "REGION 0x%" PRIx64 " of 0x%" PRIx64 " bytes: with the %" PRIu64
                          " pages and %" PRIu32 " REGIONs before it, more than the %d that are possible",
                          r->base, r->size, c->num_pages, c->num_regions, KARAT_PORT_PAGES);
    const karat_status status = karat_map(c->model, r->base, r->size);
    if (status == KARAT_NO_MEMORY)
        return karat_no_memory(c, NULL);
    if (status != KARAT_OK)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "REGION 0x%" PRIx64 " of 0x%" PRIx64 " bytes cannot be mapped", r->base, r->size);
    c->num_pages = pages;
    if (c->num_regions == c->room_regions) {
        uint32_t room = c->room_regions ? 2 * c->room_regions : 16;
        region *regions = realloc(c->regions, room * sizeof *regions);
        if (!regions)
            return karat_no_memory(c, NULL);
        c->regions = regions;
        c->room_regions = room;
    }
    c->regions[c->num_regions++] = (region){r->base, r->size, r->hash, r->hash_valid};
    return false;
}

/* What the next kernel's workgroups find in their LDS. */
static bool note_local(karat_checker *c, const karat_rec_host *r) {
    if (c->num_exited != c->num_expected)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HOST writes 0x%" PRIx64 ", in the LDS window, while a kernel runs", r->addr);
    c->kernel_desc.num_locals = 0; /* of the kernel before */
    if (r->length > c->config.model.lds_size - (r->addr - c->config.model.lds_base))
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HOST writes 0x%" PRIx64 " and beyond the LDS window", r->addr);
    if (c->num_locals == MAX_LOCALS)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HOST writes 0x%" PRIx64 ": at most %u bytes of LDS are possible", r->addr,
                          (unsigned)(MAX_LOCALS * sizeof r->data));
    if (c->num_locals == c->room_locals) {
        const uint32_t room = c->room_locals ? 2 * c->room_locals : 16;
        karat_buffer *locals = realloc(c->locals, room * sizeof *locals);
        if (locals)
            c->locals = locals;
        uint8_t(*bytes)[sizeof r->data] = locals ? realloc(c->local_bytes, room * sizeof *bytes) : NULL;
        if (!bytes)
            return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL, "out of memory");
        c->local_bytes = bytes;
        c->room_locals = room;
    }
    memcpy(c->local_bytes[c->num_locals], r->data, r->length);
    c->locals[c->num_locals++] = (karat_buffer){.base = (uint32_t)r->addr, .size = r->length};
    return false;
}

bool karat_check_host(karat_checker *c, const karat_rec_host *r) {
    if (r->length == 0 || r->length > sizeof r->data)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HOST of %" PRIu32 " bytes; 1 to %zu are possible", r->length, sizeof r->data);
    if (r->addr >= c->config.model.lds_base && r->addr - c->config.model.lds_base < c->config.model.lds_size)
        return note_local(c, r);
    karat_order_host(c, r->addr, r->data, r->length);
    if (karat_write(c->model, r->addr, r->data, r->length) != KARAT_OK)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL, "HOST writes 0x%" PRIx64 ", which no REGION maps",
                          r->addr);
    return false;
}

bool karat_write_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r) {
    if (karat_csr_write(c->model, s->handle, r->addr, r->value) != KARAT_OK)
        return karat_fail(c, FAIL_STREAM, s, NULL, NULL,
                          "HOSTCSR writes CSR 0x%" PRIx32 ", which cannot be written", r->addr);
    return false;
}

bool karat_check_hostcsr(karat_checker *c, const karat_rec_hostcsr *r) {
    slot *s = karat_slot_of(c, &r->h);
    return !s || karat_write_hostcsr(c, s, r) || karat_print_hostcsr(c, s, r);
}

/* --- KERNEL --- */

/* The bytes of a region in the model, hashed as the test bench does. */
static bool hash_region(const karat_model *model, const region *r, uint64_t *hash) {
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return false;
    XXH3_64bits_reset(state);
    for (uint64_t addr = r->base; addr < r->base + r->size; addr += 4096) {
        uint64_t page = addr; /* it is there: REGION has mapped it */
        XXH3_64bits_update(state, karat_next_page(model, &page), 4096);
    }
    *hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return true;
}

/* A store that is still on its way is in the model's memory and not yet in the test bench's. */
static bool has_pending_store(karat_checker *c) {
    bool pending = false;
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (flight *f = c->slots[i].oldest, *next; f; f = next) {
            next = f->next;
            pending |= f->mem_bytes && f->commit.mem.op != KARAT_LOAD &&
                       !karat_order_sc_given_up(c, &c->slots[i], f);
        }
    return pending;
}

static int compare_regions(const void *a, const void *b) {
    const region *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

bool karat_is_all_hashed(karat_checker *c) {
    bool valid = true;
    uint64_t pages = 0, end = 0;
    qsort(c->regions, c->num_regions, sizeof *c->regions, compare_regions);
    for (uint32_t i = 0; i < c->num_regions; i++) {
        const region *r = &c->regions[i];
        const uint64_t last = r->base + r->size, from = r->base > end ? r->base : end;
        valid &= r->hash_valid != 0;
        pages += last > from ? (last - from) / 4096 : 0;
        end = last > end ? last : end;
    }
    return valid && pages == c->num_pages;
}

bool karat_check_memory(karat_checker *c, const char *when) {
    for (uint32_t i = 0; i < c->num_regions; i++) {
        const region *r = &c->regions[i];
        uint64_t hash;
        if (!r->hash_valid)
            continue;
        if (!hash_region(c->model, r, &hash))
            return karat_no_memory(c, NULL);
        if (hash != r->hash)
            return karat_fail(c, c->doubted ? FAIL_INCOMPLETE : FAIL_MEMORY, NULL, NULL, NULL,
                              "%s %" PRIu32 ": region 0x%" PRIx64 " of 0x%" PRIx64
                              " bytes: the test bench's memory has hash %016" PRIx64
                              ", the model's %016" PRIx64
                              ": an earlier store went wrong, or a HOST record is missing",
                              when, c->kernel.index, r->base, r->size, r->hash, hash);
    }
    return false;
}

bool karat_check_contents(karat_checker *c, const karat_rec_contents *r) {
    uint8_t model[sizeof r->data];
    if (r->length == 0 || r->length > sizeof r->data)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "CONTENTS of %" PRIu32 " bytes; 1 to %zu are possible", r->length, sizeof r->data);
    const bool pending = has_pending_store(c); /* first: SCs that have failed have stored in the model */
    if (!c->kernel_seen || karat_read(c->model, r->addr, model, r->length) != KARAT_OK)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL, "CONTENTS of 0x%" PRIx64 ", which no REGION maps",
                          r->addr);
    if (!(c->hello.props & KARAT_PROP_FLUSHED) || pending)
        return false; /* what is missing is found by itself */
    bool other = false;
    for (uint32_t i = 0; i < r->length; i++) {
        char text[400];
        if (model[i] == r->data[i] && !karat_order_never_left(c, r->addr + i, r->data[i]))
            continue;
        if (karat_order_left(c, r->addr + i, r->data[i], text, sizeof text)) {
            karat_write(c->model, r->addr + i, &r->data[i], 1);
            c->counts.lane_race += c->lane_raced;
            other |= !c->lane_raced;
            continue;
        }
        if (karat_is_doubted(c, r->addr + i)) {
            karat_write(c->model, r->addr + i, &r->data[i], 1);
            karat_unjudged_memory(c, r->addr + i, "what was stored there is told by no record");
            continue;
        }
        uint32_t differ = 0;
        for (uint32_t k = i; k < r->length; k++)
            differ += model[k] != r->data[k];
        return karat_fail(c, FAIL_MEMORY, NULL, NULL, NULL,
                          "after kernel %" PRIu32 ": byte 0x%08" PRIx64
                          ": core %02x  model %02x  xor %02x, and %" PRIu32 " more in the %" PRIu32
                          " bytes from 0x%08" PRIx64 " on%s",
                          c->kernel.index, r->addr + i, r->data[i], model[i], r->data[i] ^ model[i],
                          differ - 1, r->length, r->addr, text);
    }
    c->counts.unordered += other;
    return false;
}

/* What is left over from the kernel before. Returns true after a failure. */
static bool check_previous(karat_checker *c) {
    if (c->num_exited == c->num_expected) /* or none came before */
        return karat_check_debts(c, "the next kernel starts");
    /* The test bench starts a kernel when the core says that the one before is done. */
    const slot *live = NULL;
    for (uint32_t i = 0; i < c->num_slots && !live; i++)
        if (c->slots[i].live)
            live = &c->slots[i];
    return karat_fail(c, FAIL_EXIT_MISSING, live, live ? live->youngest : NULL, NULL,
                      "the next kernel starts while %" PRIu64 " of %" PRIu64
                      " warps of this one have not ended (%" PRIu64 " were launched)",
                      c->num_expected - c->num_exited, c->num_expected, c->num_started);
}

bool karat_check_kernel(karat_checker *c, const karat_rec_kernel *r) {
    uint32_t expected_index = c->kernel_seen ? c->kernel.index + 1 : 0;
    if (r->index != expected_index)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "KERNEL %" PRIu32 " where %" PRIu32 " was expected", r->index, expected_index);
    if (check_previous(c) || (c->races && karat_races_end(c)))
        return true;
    uint64_t workgroups = (uint64_t)r->grid[0] * r->grid[1];
    if (workgroups <= UINT32_MAX)
        workgroups *= r->grid[2];
    if (workgroups > KARAT_PORT_WARPS || workgroups * r->wg_size > KARAT_PORT_WARPS)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "KERNEL of %" PRIu64 " workgroups of %" PRIu32 " warps; %d warps are possible",
                          workgroups, r->wg_size, KARAT_PORT_WARPS);
    if (!workgroups || !r->wg_size || r->wg_size > c->hello.num_warp || !r->wf_size ||
        r->wf_size > c->hello.num_thread || r->sgprs > KARAT_NUM_X || r->vgprs > KARAT_NUM_V)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "KERNEL of %" PRIu64 " workgroups of %" PRIu32 " warps of %" PRIu32
                          " threads does not fit a core of %u warps of %u threads",
                          workgroups, r->wg_size, r->wf_size, c->hello.num_warp, c->hello.num_thread);
    if (r->num_region != c->num_regions)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "KERNEL names %" PRIu32 " regions; %" PRIu32 " REGION records came", r->num_region,
                          c->num_regions);
    bool known = c->hello.props & KARAT_PROP_FLUSHED && c->num_regions;
    for (uint32_t i = 0; i < c->num_regions; i++)
        known &= c->regions[i].hash_valid;
    karat_order_kernel(c, known);
    c->kernel = *r;
    c->kernel_seen = true;
    if (karat_check_memory(c, "before kernel"))
        return true;
    c->late_mem &= !known;
    c->raced &= !known; /* memory is the model's, and the new warps have nothing else of the old ones */
    c->num_regions = 0;
    if (c->races) {
        karat_races_kernel(c->races);
        karat_flags_kernel(c->flags);
    }
    c->num_expected = workgroups * r->wg_size;
    c->num_started = c->num_exited = 0;
    free(c->started);
    c->started = calloc((size_t)c->num_expected, 1);
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
        .num_locals = c->num_locals,
        .locals = c->locals,
    };
    for (uint32_t i = 0; i < c->num_locals; i++)
        c->locals[i].data = c->local_bytes[i];
    c->num_locals = 0; /* the next kernel's begin anew: HOST records come when this one has ended */
    return false;
}

/* --- LAUNCH --- */

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size) {
    return a_size && b_size && a < (uint64_t)b + b_size && b < (uint64_t)a + a_size;
}

/* Physical registers and LDS of live warps and workgroups on an SM are disjoint. */
static bool check_ranges(karat_checker *c, const slot *s, const group *g, const karat_rec_launch *r) {
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *o = &c->slots[i];
        if (!o->live || o->sm != s->sm) /* s itself is not yet */
            continue;
        if (overlap(r->sgpr_base, r->sgpr_size, o->launch.sgpr_base, o->launch.sgpr_size))
            return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                              "scalar registers %" PRIu32 "+%" PRIu32
                              " overlap those of live slot %u (%" PRIu32 "+%" PRIu32 ")",
                              r->sgpr_base, r->sgpr_size, o->index, o->launch.sgpr_base, o->launch.sgpr_size);
        if (overlap(r->vgpr_base, r->vgpr_size, o->launch.vgpr_base, o->launch.vgpr_size))
            return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                              "vector registers %" PRIu32 "+%" PRIu32
                              " overlap those of live slot %u (%" PRIu32 "+%" PRIu32 ")",
                              r->vgpr_base, r->vgpr_size, o->index, o->launch.vgpr_base, o->launch.vgpr_size);
    }
    for (uint32_t i = 0; i < c->num_groups; i++) {
        const group *o = &c->groups[i];
        if (o != g && o->open && o->sm == s->sm &&
            overlap(r->lds_base, r->lds_size, o->lds_base, o->lds_size))
            return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                              "LDS 0x%" PRIx32 "+0x%" PRIx32 " overlaps that of live workgroup %" PRIu32
                              " (0x%" PRIx32 "+0x%" PRIx32 ")",
                              r->lds_base, r->lds_size, o->workgroup, o->lds_base, o->lds_size);
    }
    if (g->launched && (r->lds_base != g->lds_base || r->lds_size != g->lds_size))
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "LDS 0x%" PRIx32 "+0x%" PRIx32 "; another warp of the workgroup has 0x%" PRIx32
                          "+0x%" PRIx32,
                          r->lds_base, r->lds_size, g->lds_base, g->lds_size);
    if (r->lds_size && c->kernel.lds_size > r->lds_size)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "0x%" PRIx32 " bytes of LDS allocated; the kernel asks for 0x%" PRIx32, r->lds_size,
                          c->kernel.lds_size);
    if (r->sgpr_size && c->kernel.sgprs > r->sgpr_size)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "%" PRIu32 " scalar registers allocated; the kernel uses %u", r->sgpr_size,
                          c->kernel.sgprs);
    if (r->vgpr_size && c->kernel.vgprs > r->vgpr_size)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "%" PRIu32 " vector registers allocated; the kernel uses %u", r->vgpr_size,
                          c->kernel.vgprs);
    return false;
}

/* The group of that workgroup on that SM, or a free one. */
static group *find_group(karat_checker *c, uint32_t workgroup) {
    for (uint32_t i = 0; i < c->num_groups; i++)
        if (c->groups[i].open && c->groups[i].workgroup == workgroup)
            return &c->groups[i];
    for (uint32_t i = 0; i < c->num_groups; i++)
        if (!c->groups[i].open)
            return &c->groups[i];
    return NULL;
}

/* CSRs: the core's values against what the kernel says.  CSR_WGID is the hardware's own number of the
 * workgroup (section 2.3) and CSR_LDS may be moved by the allocation: for those two the core's value is
 * taken, and must be one per workgroup; to go on beyond another, that one's too. */
static bool check_csrs(karat_checker *c, const slot *s, const group *g, const karat_rec_launch *r,
                       karat_launch_desc *desc) {
    for (uint32_t i = 0; r->csr_given >> KARAT_CSR_WGID & 1 && i < c->num_groups; i++) {
        const group *o = &c->groups[i];
        if (o == g || !o->open || o->sm != r->h.sm || !o->wgid_given || o->wgid != r->csr[KARAT_CSR_WGID])
            continue;
        karat_keep(c, 0);
        karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                   "CSR wgid is 0x%08" PRIx32 ", as that of workgroup %" PRIu32 ", which runs on this SM too",
                   o->wgid, o->workgroup);
        if (!karat_kept(c))
            return true;
        break;
    }
    for (unsigned i = 0; i < 11; i++) {
        if (!(r->csr_given >> i & 1))
            continue;
        uint32_t want = desc->csr[i], got = r->csr[i];
        if (i == KARAT_CSR_WGID || (i == KARAT_CSR_LDS && got == want + r->lds_base && r->lds_size)) {
            desc->csr[i] = got;
            if (!g->launched)
                continue;
            want = i == KARAT_CSR_WGID ? g->wgid : g->lds_csr;
        }
        if (got == want)
            continue;
        karat_keep(c, 0);
        karat_fail(c, FAIL_LAUNCH, s, NULL, r, "CSR %s is 0x%08" PRIx32 "; the kernel gives 0x%08" PRIx32,
                   karat_csr_name(KARAT_CSR_BASE + i), got, want);
        if (!karat_kept(c))
            return true;
        desc->csr[i] = got;
    }
    return false;
}

/* Debts of the slot's last warp that may not outlive it: all but memory accesses. (It has ended: it has come to all its barriers.) */
static bool check_last_owner(karat_checker *c, slot *s) {
    for (flight *f = s->oldest, *next; f; f = next) {
        next = f->next;
        if (!karat_flight_owes_write(f) && !f->owes_simt && !f->owes_csr)
            continue;
        char debt[160];
        failure_kind kind = karat_flight_debt(f, debt, sizeof debt);
        karat_keep(c, 0);
        karat_fail(c, kind, s, f, NULL, "the slot is launched anew; the core still owes %s", debt);
        if (!karat_kept(c))
            return true;
        memset(f->owes_write, 0, sizeof f->owes_write);
        f->owes_simt = f->owes_csr = false;
        karat_flight_settle(c, s, f);
    }
    return false;
}

/* Give back what the slot's last warp has left, except memory accesses that may still come. */
static void clear_flights(karat_checker *c, slot *s) {
    flight *last = s->youngest;
    s->youngest = NULL;
    if (last)
        karat_flight_settle(c, s, last);
}

bool karat_check_launch(karat_checker *c, const karat_rec_launch *r) {
    if (karat_check_slot(c, &r->h))
        return true;
    slot *s = &c->slots[r->h.sm * c->hello.num_warp + r->h.slot];
    if (s->live)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "slot %u is live: workgroup %" PRIu32 " warp %" PRIu32 " has not ended", s->index,
                          s->workgroup, s->warp);
    uint32_t epoch = s->launched ? s->epoch + 1 : 0;
    if (r->h.epoch != epoch)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, r,
                          "LAUNCH with epoch %" PRIu32 " where %" PRIu32 " was expected", r->h.epoch, epoch);
    if (check_last_owner(c, s) || (s->launched && karat_print_missing(c, s, "the slot is launched anew")))
        return true;
    clear_flights(c, s);

    const uint32_t index = s->index, sm = s->sm, handle = s->handle;
    struct held *held = s->held;
    flight *oldest = s->oldest;
    memset(s, 0, offsetof(slot, pushed));
    s->sm = sm;
    s->index = index;
    s->handle = handle;
    s->epoch = epoch;
    s->oldest = oldest; /* memory accesses of earlier epochs */
    s->held = held;
    s->launched = true;
    s->workgroup = r->workgroup;
    s->warp = r->warp;
    s->last_event = c->last_event = r->h.cycle;
    s->launch = *r;

    uint32_t workgroups = (uint32_t)(c->num_expected / c->kernel.wg_size);
    if (r->workgroup >= workgroups || r->warp >= c->kernel.wg_size)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "workgroup %" PRIu32 " warp %" PRIu32 "; the grid has %" PRIu32
                          " workgroups of %" PRIu32 " warps",
                          r->workgroup, r->warp, workgroups, c->kernel.wg_size);
    uint8_t *started = &c->started[(size_t)r->workgroup * c->kernel.wg_size + r->warp];
    if (*started)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "workgroup %" PRIu32 " warp %" PRIu32 " is launched a second time", r->workgroup,
                          r->warp);
    *started = 1;

    group *g = find_group(c, r->workgroup);
    if (!g)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "workgroup %" PRIu32 " begins while %" PRIu32
                          " others are under way: more than warp slots",
                          r->workgroup, c->num_groups);
    if (!g->open) {
        *g = (group){.open = true, .workgroup = r->workgroup, .sm = r->h.sm};
        if (karat_kernel_open(&c->kernel_desc, c->model, (uint32_t)(g - c->groups)) != KARAT_OK)
            return karat_fail(c, FAIL_STREAM, s, NULL, NULL,
                              "the first contents of its workgroup's LDS do not fit the model's");
    }
    if (g->sm != r->h.sm)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r, "workgroup %" PRIu32 " already runs on sm %" PRIu32,
                          r->workgroup, g->sm);

    karat_launch_desc desc;
    karat_kernel_launch(&c->kernel_desc, c->hello.num_thread, r->workgroup, r->warp, &desc);
    if (r->pc != desc.pc)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r,
                          "pc is 0x%08" PRIx32 "; the kernel starts at 0x%08" PRIx32, r->pc, desc.pc);
    if (r->mask != desc.mask) {
        karat_keep(c, 0);
        karat_fail(c, FAIL_LAUNCH, s, NULL, r, "thread mask is %08" PRIx32 "; the kernel gives %08" PRIx32,
                   r->mask, desc.mask);
        if (!karat_kept(c))
            return true;
        desc.mask = r->mask & karat_all_lanes(c);
    }
    if (check_csrs(c, s, g, r, &desc) || check_ranges(c, s, g, r))
        return true;
    s->wg = (uint32_t)(g - c->groups);
    desc.workgroup = s->wg;
    if (karat_launch(c->model, s->handle, &desc) != KARAT_OK)
        return karat_fail(c, FAIL_LAUNCH, s, NULL, r, "the model refuses this launch");
    if (r->csr_given >> KARAT_LAUNCH_MSTATUS & 1)
        karat_csr_write(c->model, s->handle, 0x300,
                        r->mstatus); /* the launch gives it (decisions, "Registers") */
    g->wgid = desc.csr[KARAT_CSR_WGID];
    g->wgid_given = r->csr_given >> KARAT_CSR_WGID & 1;
    g->lds_csr = desc.csr[KARAT_CSR_LDS];
    g->lds_base = r->lds_base;
    g->lds_size = r->lds_size;
    g->launched++;
    s->live = true;
    for (unsigned i = 0; r->regs == KARAT_REGS_CLEARED && i < KARAT_NUM_X + KARAT_NUM_V; i++)
        s->regs[i].known = s->regs[i].written = 0xffffffffu;
    karat_define(s, KARAT_CLASS_X, 0, 1);
    const bool forwards = !(c->hello.props & KARAT_PROP_INTERLOCKED) && karat_gives(c, KARAT_REC_WRITE);
    if (r->regs != KARAT_REGS_CLEARED || c->config.num_bounds || c->config.keep_going || forwards)
        karat_set_read_port(c->model, karat_check_operand, c);
    if (c->scalars)
        karat_scalars_launch(c->scalars, s->handle);
    if (c->config.watch)
        c->config.watch->launch(c->config.watch->context, c->model, s->handle, &desc, c->kernel.wg_size);
    c->num_started++;
    c->counts.warps++;
    return false;
}
