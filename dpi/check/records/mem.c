/* MEM: the pieces of one instruction together cover the model's (lane, byte) accesses exactly once, with its
 * data. */
#include "records.h"
#include "names.h"

#include <inttypes.h>
#include <string.h>
#include <stdio.h>

/* An SC that has failed in the model and that had nothing more pending. */
static flight *find_failed_sc(slot *s, const karat_rec_mem *r) {
    for (uint32_t i = 0; r->op == KARAT_MEM_AMO && i < NUM_FAILED_SC; i++) {
        flight *f = s->failed_sc[i];
        if (!f || f->epoch != r->h.epoch || (r->match == KARAT_MATCH_SEQ && f->seq != r->seq))
            continue;
        s->failed_sc[i] = NULL;
        karat_flight_revive(s, f);
        return f;
    }
    return NULL;
}

flight *karat_accessing(const slot *s, const karat_rec_mem *r) {
    if (r->match == KARAT_MATCH_SEQ)
        return karat_flight_find(s, r->h.epoch, r->seq);
    for (flight *f = s->oldest; f; f = f->next)
        if (f->epoch == r->h.epoch && f->mem_bytes && f->commit.mem.op == r->op)
            return f;
    return NULL;
}

static flight *find_access(slot *s, const karat_rec_mem *r) {
    flight *found = karat_accessing(s, r);
    return found ? found : find_failed_sc(s, r);
}

static uint8_t space_of(const karat_checker *c, const flight *f, uint64_t addr) {
    if (f->commit.mem.space == KARAT_PRIVATE)
        return KARAT_SPACE_PRIVATE;
    return karat_is_lds(c, addr) ? KARAT_SPACE_LDS : KARAT_SPACE_GLOBAL;
}

/* Whether it was there that the access was; one to private memory is at a plain address, which may be
 * local memory's. */
static bool is_space(const karat_checker *c, const flight *f, uint64_t addr, unsigned space) {
    return space == KARAT_SPACE_UNKNOWN || space == space_of(c, f, addr) ||
           (space == KARAT_SPACE_LDS && karat_is_lds(c, addr));
}

static const char *
space_name(unsigned space) { /* Of a record that has been looked through, or of an access */
    static const char *const names[] = {"unknown", "global", "lds", "private"};
    return names[space];
}

/* The model's access of that lane that holds that byte; NULL where there is none.  *any: the lane accesses
 * something.  Under LMUL 2 a lane may access one byte twice: one not performed yet comes before one that has
 * been, and of two stores the one with that value comes first. */
static const karat_access *access_of(const flight *f, uint32_t lane, uint64_t addr, uint8_t byte,
                                     uint32_t *hint, bool *any) {
    const karat_mem *mem = &f->commit.mem;
    const karat_access *found = NULL;
    unsigned best = 0;
    const uint32_t first = *hint;
    for (uint32_t n = 0; n < mem->num && best < 3; n++) {
        uint32_t k = (first + n) % mem->num;
        const karat_access *a = &mem->access[k];
        if (a->lane != lane)
            continue;
        *any = true;
        if (addr - a->addr >= a->bytes)
            continue;
        uint32_t bit = (uint32_t)(addr - a->addr);
        bool equal = mem->op == KARAT_LOAD || (uint8_t)(a->value >> 8 * bit) == byte;
        unsigned rank = !(f->mem_left[k] >> bit & 1) ? 1 : equal ? 3 : 2;
        if (rank <= best)
            continue;
        best = rank;
        found = a;
        *hint = k;
    }
    return found;
}

static const char *op_name(unsigned op) {
    return op == KARAT_MEM_LOAD ? "load" : op == KARAT_MEM_STORE ? "store" : "AMO";
}

/* Data stored where the model has stored nothing. */
static void adopt_byte(karat_checker *c, const slot *s, const flight *f, uint64_t addr, uint8_t byte) {
    if (space_of(c, f, addr) == KARAT_SPACE_LDS)
        karat_lds_write(c->model, s->wg, addr, &byte, 1);
    else
        karat_write(c->model, addr, &byte, 1);
}

/* Byte number bit of access k is what the core has stored: of an operand that no record has reported, or a
 * wrong one. */
static void take_byte(karat_checker *c, flight *f, uint32_t k, uint32_t bit, uint8_t byte) {
    karat_access *a = &f->commit.mem.access[k];
    a->value = (a->value & ~(0xffu << 8 * bit)) | (uint32_t)byte << 8 * bit;
    karat_bridge_adopt_byte(c, f, k, bit);
}

/* A lane's data for a report: bytes that do not belong to the piece are nothing. */
static uint32_t stored_bytes(const karat_rec_mem *r, uint32_t lane) {
    uint32_t data = r->data[lane];
    for (uint32_t i = 0; i < 4; i++)
        if (!(karat_bytes_of(r, lane) >> i & 1))
            data &= ~(0xffu << 8 * i);
    return data;
}

/* After a wrong address: a byte of access k went to addr. That byte has the stored data now, and the
 * model's own place is in doubt like what is loaded; so is what others load from either. */
static bool go_elsewhere(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r, uint32_t k,
                         uint64_t addr, uint8_t byte) {
    f->kept_mem = true;
    if (!karat_put_in(&c->tainted_memory, addr, 1) ||
        !karat_put_in(&c->tainted_memory, f->commit.mem.access[k].addr, f->commit.mem.access[k].bytes))
        return karat_no_memory(c, NULL);
    if (f->commit.mem.op == KARAT_LOAD)
        f->result.unreported = 0xffffffffu;
    else
        adopt_byte(c, s, f, addr, byte);
    f->mem_left[k] &= (uint8_t)(f->mem_left[k] - 1);
    f->mem_bytes--;
    return !f->mem_left[k] && karat_bridge_performed(c, s, f, (mcm_parts){k, 1}, r);
}

/* Whether a lane's bytes in a record are all of that access. */
static bool covers(const karat_rec_mem *r, uint32_t lane, const karat_access *a) {
    const uint64_t before = a->addr - karat_addr_of(r, lane);
    const uint32_t all = (1u << a->bytes) - 1;
    return before < 4 && (karat_bytes_of(r, lane) >> before & all) == all;
}

/* The lane accesses another address than the model: so does access k of it, the first that has not been
 * performed. */
static bool wrong_address(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r, uint32_t lane,
                          uint64_t addr, uint8_t byte) {
    const karat_mem *mem = &f->commit.mem;
    uint32_t k = mem->num;
    for (uint32_t n = 0; n < mem->num; n++)
        if (mem->access[n].lane == lane && (k == mem->num || f->mem_left[n]))
            k = n;
    if (!(f->kept_mem && f->mem_left[k]) && /* Else it is of the same mismatch */
        karat_fail(c,
                   BLAME(FAIL_MEM_ADDRESS, s, f, r, .lanes = 1u << lane,
                         .may_go_on = mem->op != KARAT_AMO && f->mem_left[k]),
                   "lane %" PRIu32 ": core 0x%08" PRIx64 "  model 0x%08" PRIx64 " (%u bytes)", lane, addr,
                   mem->access[k].addr, mem->access[0].bytes))
        return true;
    return go_elsewhere(c, s, f, r, k, addr, byte);
}

/* The core's value of an access: all of it where the record has it, else the model's with that byte of the
 * core. */
static uint32_t stored_value(const karat_rec_mem *r, uint32_t lane, const karat_access *a, uint32_t bit,
                             uint8_t core) {
    const uint64_t before = a->addr - karat_addr_of(r, lane);
    return covers(r, lane, a) ? r->data[lane] >> 8 * before & (0xffffffffu >> (32 - 8 * a->bytes))
                              : (a->value & ~(0xffu << 8 * bit)) | (uint32_t)core << 8 * bit;
}

/* The byte that is stored is another than the model's. */
static bool other_data(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r, uint32_t lane,
                       uint32_t k, uint32_t bit, uint8_t core) {
    const karat_access *a = &f->commit.mem.access[k];
    if (f->result.unreported >> lane & 1 || f->kept_mem) {
        c->counts.adopted +=
            !f->adopted_mem && !f->kept_mem && !f->approximated; /* Once for the instruction */
        f->adopted_mem = true;
    } else if (karat_fail(c,
                          BLAME(FAIL_MEM_DATA, s, f, r, .lanes = 1u << lane, .may_go_on = true,
                                .value = {true, lane, a->value, stored_value(r, lane, a, bit, core), NULL}),
                          "lane %" PRIu32 " byte 0x%08" PRIx64
                          ": core %02x  model %02x (the lane's data: core %08" PRIx32 "  model %08" PRIx32
                          ", %u bytes)",
                          lane, a->addr + bit, core, (uint8_t)(a->value >> 8 * bit), stored_bytes(r, lane),
                          a->value, a->bytes)) {
        return true;
    } else {
        f->kept_mem = true; /* The instruction's other bytes are of the same mismatch */
    }
    take_byte(c, f, k, bit, core);
    return false;
}

static bool check_byte(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r, uint32_t lane,
                       uint32_t i, uint32_t *hint) {
    const uint64_t addr = karat_addr_of(r, lane) + i;
    const uint8_t core = (uint8_t)(r->data[lane] >> 8 * i);
    karat_mem *mem = &f->commit.mem;
    bool any = false;
    const karat_access *a = access_of(f, lane, addr, core, hint, &any);
    if (!a && !any)
        return karat_fail(c, BLAME(FAIL_MEM_LANES, s, f, r, .lanes = 1u << lane),
                          "lane %" PRIu32 " accesses 0x%08" PRIx64 "; in the model it accesses nothing", lane,
                          addr);
    if (!a)
        return wrong_address(c, s, f, r, lane, addr, core);
    const uint32_t k = (uint32_t)(a - mem->access), bit = (uint32_t)(addr - a->addr);
    if (!is_space(c, f, a->addr, r->space))
        return karat_fail(c, BLAME(FAIL_MEM_SPACE, s, f, r, .lanes = 1u << lane),
                          "lane %" PRIu32 " at 0x%08" PRIx64 ": core %s  model %s", lane, addr,
                          space_name(r->space), space_name(space_of(c, f, a->addr)));
    if (!(f->mem_left[k] >> bit & 1))
        return karat_fail(c, BLAME(FAIL_MEM_DUPLICATE, s, f, r), "lane %" PRIu32 " byte 0x%08" PRIx64, lane,
                          addr);
    if (mem->op != KARAT_LOAD && !r->no_data && core != (uint8_t)(a->value >> 8 * bit) &&
        other_data(c, s, f, r, lane, k, bit, core))
        return true;
    f->mem_left[k] &= (uint8_t) ~(1u << bit);
    f->mem_bytes--;
    if (f->mem_left[k])
        return false;
    if (karat_bridge_performed(c, s, f, (mcm_parts){k, 1}, r))
        return true;
    if (mem->op == KARAT_LOAD && !covers(r, lane, a))
        karat_bridge_in_pieces(f, k); /* In pieces, at several times */
    return false;
}

/* Bits of a lane's data that have to be the model's. */
static uint32_t compared_bits(const karat_mem *mem, const karat_rec_mem *r, uint32_t bytes) {
    return mem->op == KARAT_LOAD || r->no_data ? 0 : bytes == 4 ? 0xffffffffu : (1u << 8 * bytes) - 1;
}

/* Whether a lane's bytes in a record are all of access k, which nothing has performed yet, with the
 * model's data in these bits. */
static inline bool is_equal(const flight *f, const karat_rec_mem *r, uint32_t lane, uint32_t k,
                            uint32_t compared) {
    const karat_access *a = &f->commit.mem.access[k];
    const uint32_t full = (1u << a->bytes) - 1;
    return a->lane == lane && f->mem_left[k] == full && karat_bytes_of(r, lane) == full &&
           a->addr == karat_addr_of(r, lane) && !((r->data[lane] ^ a->value) & compared);
}

/* Lanes compared where the model's accesses have a shape. All are in one page, and so in one space. */
static bool whole_shape(const karat_checker *c, flight *f, const karat_rec_mem *r) {
    const karat_mem *mem = &f->commit.mem;
    const uint32_t full = (1u << mem->bytes) - 1, compared = compared_bits(mem, r, mem->bytes);
    if (r->mask != mem->lanes || r->addr_hi != (uint32_t)(mem->base >> 32) ||
        (r->space != KARAT_SPACE_UNKNOWN && r->space != space_of(c, f, mem->base)))
        return false;
    uint32_t differ = 0;
    for (uint32_t left = mem->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        differ |= (r->addr[lane] ^ ((uint32_t)mem->base + lane * (uint32_t)mem->stride)) |
                  (karat_bytes_of(r, lane) ^ full) | ((r->data[lane] ^ mem->lane_value[lane]) & compared);
    }
    return !differ;
}

/* The most common case at once: one record of all that the instruction accesses, one access in each lane,
 * and all of it equal. Returns whether it was that case. */
static bool whole_instruction(const karat_checker *c, flight *f, const karat_rec_mem *r) {
    const karat_mem *mem = &f->commit.mem;
    const uint32_t num = mem->num;
    if (!num || num != (uint32_t)__builtin_popcount(r->mask))
        return false;
    const uint32_t bytes = mem->access[0].bytes;
    if (f->mem_bytes != num * bytes)
        return false;
    const uint32_t compared = compared_bits(mem, r, bytes);
    const bool space_known = r->space != KARAT_SPACE_UNKNOWN;
    uint32_t m = r->mask;
    const bool by_shape = f->shaped && whole_shape(c, f, r);
    for (uint32_t k = 0; k < num && !by_shape; k++, m &= m - 1) {
        const karat_access *a = &mem->access[k];
        if (a->bytes != bytes || !is_equal(f, r, (uint32_t)__builtin_ctz(m), k, compared) ||
            (space_known && r->space != space_of(c, f, a->addr)))
            return false;
    }
    memset(f->mem_left, 0, num * sizeof *f->mem_left);
    f->mem_bytes = 0;
    return true;
}

/* A lane's whole aligned access in one piece. Returns whether it was that case and equal. */
static bool whole_access(flight *f, const karat_rec_mem *r, uint32_t lane, uint32_t k) {
    const karat_mem *mem = &f->commit.mem;
    if (k >= mem->num || !is_equal(f, r, lane, k, compared_bits(mem, r, mem->access[k].bytes)))
        return false;
    f->mem_left[k] = 0;
    f->mem_bytes -= mem->access[k].bytes;
    return true;
}

static bool share_a_byte(const karat_mem *a, const karat_mem *b) {
    for (uint32_t i = 0; i < a->num; i++)
        for (uint32_t k = 0; k < b->num; k++)
            if (karat_accesses_overlap(&a->access[i], &b->access[k]))
                return true;
    return false;
}

bool karat_stores_unreported(const karat_checker *c, const slot *s, const karat_access *a) {
    const bool lds = karat_is_lds(c, a->addr);
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (const flight *f = c->slots[i].oldest; f && (!lds || c->slots[i].wg == s->wg); f = f->next)
            for (uint32_t k = 0; f->commit.mem.op == KARAT_STORE && f->mem_bytes && k < f->commit.mem.num;
                 k++)
                if (f->result.unreported >> f->commit.mem.access[k].lane & 1 && f->mem_left[k] &&
                    karat_accesses_overlap(&f->commit.mem.access[k], a))
                    return true;
    return false;
}

static bool is_late_store(const flight *store, const flight *load) {
    return store && store != load && store->commit.mem.op == KARAT_STORE && store->cycle <= load->cycle &&
           (store->mem_bytes || store->mem_cycle >= load->mem_cycle) &&
           share_a_byte(&store->commit.mem, &load->commit.mem);
}

/* One of that slot's. */
static const flight *find_late_store(const slot *s, const flight *load) {
    const flight *found = s->oldest;
    while (found && !is_late_store(found, load))
        found = found->next;
    for (uint32_t k = 0; !found && k < NUM_COMPLETED; k++)
        if (is_late_store(s->completed[k], load))
            found = s->completed[k];
    return found;
}

void karat_late_store(const karat_checker *c, const slot *s, const flight *load, char *text, size_t size) {
    const flight *f = NULL;
    text[0] = 0;
    if (!load->commit.has_mem || load->commit.mem.op != KARAT_LOAD || !karat_gives(c, KARAT_REC_MEM))
        return;
    for (uint32_t i = 0; !f && i < c->num_slots; i++)
        if (c->slots[i].launched && (load->commit.mem.space != KARAT_LDS || c->slots[i].wg == s->wg))
            f = find_late_store(&c->slots[i], load);
    if (!f)
        return;
    snprintf(text, size,
             "\nthe load was performed in cycle %" PRIu64 "; %s %s stores there, issued in cycle %" PRIu64
             ", and ",
             load->mem_cycle, karat_warp_name(f->workgroup, f->warp).text,
             karat_commit_text(c->config.model.profile, f->seq, &f->commit).text, f->cycle);
    if (f->mem_bytes)
        karat_append(text, size, "has not been performed yet");
    else
        karat_append(text, size, "was performed in cycle %" PRIu64, f->mem_cycle);
}

bool karat_begin_mem(karat_checker *c, slot *s, const karat_rec_mem *r, flight **of) {
    flight *f = *of = find_access(s, r);
    if (!f || !f->commit.has_mem)
        return karat_fail(c, BLAME(FAIL_MEM_UNEXPECTED, s, f, r), "%s under seq %" PRIu32 "%s",
                          op_name(r->op), r->seq,
                          f                      ? ", which accesses no memory"
                          : r->seq < s->next_seq ? ", which has completed"
                                                 : ", which was not issued");
    const karat_mem *mem = &f->commit.mem;
    if (r->op != mem->op)
        return karat_fail(c, BLAME(FAIL_MEM_UNEXPECTED, s, f, r), "%s; the instruction is a %s",
                          op_name(r->op), op_name(mem->op));
    c->counts.mem++;
    f->mem_cycle = r->h.cycle;
    karat_bridge_mem_record(c);
    return r->op == KARAT_MEM_AMO && karat_bridge_atomic(c, s, f, r);
}

bool karat_check_lanes(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r) {
    const karat_mem *mem = &f->commit.mem;
    if (f->ulp_lanes[0] | f->ulp_lanes[1] | f->ulp_lanes[2] | f->ulp_lanes[3])
        karat_take_stored_result(c, s, f, r);
    if (whole_instruction(c, f, r))
        return karat_bridge_performed(c, s, f, (mcm_parts){0, UINT64_MAX >> (64 - mem->num)}, r);
    uint32_t hint = 0, k = 0;
    mcm_parts whole = {0}; /* Accesses that the memory model does not know yet */
    for (uint32_t m = r->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m), bytes = karat_bytes_of(r, lane);
        if (!bytes)
            return karat_fail(c, BLAME(FAIL_MEM_LANES, s, f, r),
                              "lane %" PRIu32 " is in the mask and has no byte", lane);
        while (k < mem->num && mem->access[k].lane < lane)
            k++;
        while (k + 1 < mem->num && mem->access[k + 1].lane == lane &&
               mem->access[k].addr != karat_addr_of(r, lane))
            k++; /* Of several words of the lane */
        const bool space_known = r->space != KARAT_SPACE_UNKNOWN && k < mem->num;
        if ((!space_known || r->space == space_of(c, f, mem->access[k].addr)) &&
            whole_access(f, r, lane, k)) {
            if (whole.set && k - whole.first >= 64) {
                if (karat_bridge_performed(c, s, f, whole, r))
                    return true;
                whole.set = 0;
            }
            if (!whole.set)
                whole.first = k;
            whole.set |= UINT64_C(1) << (k - whole.first);
            continue;
        }
        if (whole.set && karat_bridge_performed(c, s, f, whole, r))
            return true;
        whole.set = 0;
        for (uint32_t i = 0; i < 4; i++)
            if (bytes >> i & 1 && check_byte(c, s, f, r, lane, i, &hint))
                return true;
    }
    return whole.set && karat_bridge_performed(c, s, f, whole, r);
}

bool karat_check_mem(karat_checker *c, const karat_rec_mem *r) {
    karat_note_mem_gaps(c, r);
    slot *s = karat_slot_of(c, &r->h, r->mask);
    if (!s)
        return true;
    if (r->mask == 0) {
        c->counts.empty++;
        return false;
    }
    flight *f = NULL;
    if (karat_begin_mem(c, s, r, &f) || karat_check_lanes(c, s, f, r))
        return true;
    karat_flight_complete(c, s, f);
    return false;
}
