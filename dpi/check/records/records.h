/* Shared by the files of the checker: the handlers of records, one file for a kind, and
 * what several of these need. */
#ifndef KARAT_CHECK_RECORDS_H
#define KARAT_CHECK_RECORDS_H

#include "any.h"
#include "checker.h"

/* Before any of the handlers: a record of this version that may come at this place of the stream
 * (stream.c). True after a failure. */
bool karat_check_form(karat_checker *c, const void *record, size_t size);
/* Where some warps wait, or are not compared, now or any more: true where the record has been dealt with,
 * and goes to no handler. */
bool karat_bypass_handlers(karat_checker *c, const void *record);
/* Any of them. */
bool karat_dispatch_record(karat_checker *c, const void *record);

/* karat_check_issue(c, r) and so on: true where a verdict stands. */
#define HANDLER(name, NAME, kind, bytes) bool karat_check_##name(karat_checker *c, const karat_rec_##name *r);
KARAT_REC_EACH(HANDLER)
#undef HANDLER

/* ISSUE: take the step of that ISSUE; *waits: not yet, its READs have to come first. */
bool karat_take_step(karat_checker *c, slot *s, const karat_rec_issue *r, bool *waits);
/* Under keep_going, of a core that waits for pending writes: those that this instruction's operands wait
 * for do not come. The core's READs then report what it uses instead. */
void karat_check_pending_operands(karat_checker *c, slot *s, const karat_commit *user);

/* WRITE: who has written what it says, or NULL; *ambiguous: the core names no instruction, and several
 * could be meant. */
flight *karat_writer(const slot *s, const karat_rec_write *r, bool *ambiguous);

/* CSR: write it in the model alone, as HOSTCSR says; compare the one that an AUDIT reports. */
bool karat_write_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r);
bool karat_audit_csr(karat_checker *c, slot *s, const karat_rec_audit *r);
bool karat_audit_stack(karat_checker *c, slot *s, const karat_rec_audit *r);

/* BARRIER, EXIT: warps of its workgroup that have arrived at the barrier that a warp waits at, or is to
 * arrive at next. */
uint32_t karat_arrived(const karat_checker *c, const slot *s);
/* The warp has ended: at EXIT, or at its ENDPRG where the core provides no EXIT. */
void karat_end_warp(karat_checker *c, slot *s);

/* --- Memory as the test bench has laid it out, and what it holds at a kernel's end (contents.c) --- */

void karat_sparse_hashes_free(sparse_hashes *x);
/* Memory against the hashes of the last REGION records, when no store is pending any more. True where they
 * differ. */
bool karat_check_memory(karat_checker *c, const char *when);
/* Whether the REGIONs that came hash every page which any has mapped; at the end of the stream, for it
 * joins them, and their hashes are lost. */
bool karat_is_all_hashed(karat_checker *c);

/* --- Whose a record is (slot.c) --- */

/* The slot of a record, or NULL after a failure: slot number out of range, never launched, or another epoch.
 * acts: the record is of something that the warp does: not of what its registers hold, nor of a result that
 * is none. */
static inline slot *karat_slot_of(karat_checker *c, const karat_rec_header *h, bool acts) {
    slot *s = karat_slot_at(c, h);
    if (!s || !s->launched ||
        (h->epoch != s->epoch &&
         !(h->epoch < s->epoch && karat_is_mem(h->kind)))) /* Only a MEM may be late */
        return karat_fail_stray(c, s, h);
    if (acts)
        s->last_event = h->cycle;
    return s;
}

/* --- Values, lane by lane (report/lane_values.c has the table) --- */

/* The bits of an operand that a READ reports. */
static inline uint32_t karat_read_bits(const karat_rec_read *r) {
    return r->bits && r->bits < 32 ? (1u << r->bits) - 1 : 0xffffffffu;
}

/* The lanes that a register of that class has. */
static inline uint32_t karat_lanes_of(const karat_checker *c, unsigned cls) {
    return cls == KARAT_CLASS_X ? 1 : karat_all_lanes(c);
}

static inline void karat_copy_lanes(uint32_t *to, const uint32_t *from, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1)
        to[__builtin_ctz(lanes)] = from[__builtin_ctz(lanes)];
}

/* Lanes of mask in which two values of a register of that class differ in these bits. */
static inline uint32_t karat_differing(const karat_checker *c, unsigned cls, const uint32_t *a,
                                       const uint32_t *b, uint32_t mask, uint32_t bits) {
    typedef uint32_t lanes4 __attribute__((vector_size(16), aligned(4), may_alias));
    lanes4 any = {0};
    uint32_t different = 0, i = 0;
    if (cls == KARAT_CLASS_X)
        return mask && (a[0] ^ b[0]) & bits;
    for (; i + 4 <= c->hello.num_thread; i += 4)
        any |= *(const lanes4 *)(a + i) ^ *(const lanes4 *)(b + i);
    if (i && !((any[0] | any[1] | any[2] | any[3]) & bits))
        return 0; /* Nearly always: not a branch for each lane */
    for (uint32_t m = mask; m; m &= m - 1)
        if ((a[__builtin_ctz(m)] ^ b[__builtin_ctz(m)]) & bits)
            different |= m & -m;
    return different;
}

/* The differences in the lanes of a fault, as a table of at most eight: lane, core, model, xor. */
void karat_table(char *text, size_t size, const blame *x, const uint32_t *core, const uint32_t *model);
/* A register's value is wrong. more: what is to be said besides; may be empty. */
bool karat_fail_values(karat_checker *c, const blame *x, const uint32_t *core, const uint32_t *model,
                       const char *more);

/* --- Accesses to memory, as MEM and the model have them (mem.c) --- */

/* The instruction in flight that accesses memory as that MEM says: the one named, or the oldest with such
 * an access pending; or NULL. */
flight *karat_accessing(const slot *s, const karat_rec_mem *r);
/* A MEM, or the first part of an ACCESS, has come: *of becomes the instruction that it is of. True after a
 * failure. */
bool karat_begin_mem(karat_checker *c, slot *s, const karat_rec_mem *r, flight **of);
/* Parts that a MEM leaves out, or an ACCESS, which has these fields, too. */
static inline void karat_note_mem_gaps(karat_checker *c, const karat_rec_mem *r) {
    karat_note_gap(c, GAP_SEQ, r->match != KARAT_MATCH_SEQ);
    karat_note_gap(c, GAP_SPACE, r->space == KARAT_SPACE_UNKNOWN);
    karat_note_gap(c, GAP_AMO_DATA, r->no_data != 0);
}
/* Its lanes are compared, and performed. True after a failure. */
bool karat_check_lanes(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r);
/* Whether a store to one of these bytes is under way with what no record has reported: its MEM will. */
bool karat_stores_unreported(const karat_checker *c, const slot *s, const karat_access *a);
/* Where a load got a wrong value: a store to one of its bytes that was issued before it, and that the core
 * performed after it or not yet, in words; of several warps' stores, of the first slot's; empty where
 * there is none. */
void karat_late_store(const karat_checker *c, const slot *s, const flight *load, char *text, size_t size);

/* Whether two accesses have a byte in common. */
static inline bool karat_accesses_overlap(const karat_access *a, const karat_access *b) {
    return a->addr < b->addr + b->bytes && b->addr < a->addr + a->bytes;
}

/* Where a lane's bytes are, and which: bit i: byte i. */
static inline uint64_t karat_addr_of(const karat_rec_mem *r, uint32_t lane) {
    return (uint64_t)r->addr_hi << 32 | r->addr[lane];
}

static inline uint32_t karat_bytes_of(const karat_rec_mem *r, uint32_t lane) {
    return r->bytes[lane / 2] >> (lane % 2 * 4) & 15;
}

/* --- Steps that wait for their READs (wait_for_reads.c) --- */

/* The commit is as far as the step has come. */
bool karat_wait_for_reads(karat_checker *c, slot *s, const karat_rec_issue *r, const karat_commit *commit);
/* No step of that slot waits any more. */
void karat_stop_waiting(karat_checker *c, slot *s);
/* The operand's READ, which has come before the step; NULL: not yet. */
const karat_rec_read *karat_waiting_read(const slot *s, const karat_reg_read *read);
/* A record while some step waits; s: of the warp that it is about, or NULL. True where it has been dealt
 * with. */
bool karat_intercept(karat_checker *c, slot *s, const karat_any *r);
/* Take the steps that have waited too long, or all. */
bool karat_take_waiting_steps(karat_checker *c, uint64_t cycle, bool all);

/* --- Warps that are not compared any more, and memory that may not be right (excluded.c) --- */

/* Freeze the warp of a failure that was just counted, and go on; false: nothing goes on. f and record may
 * be NULL. */
bool karat_exclude_warp(karat_checker *c, const slot *s, const flight *f, const void *record);
/* A record about an excluded warp, or (RUN) about all: it has been dealt with, true. */
bool karat_excluded_record(karat_checker *c, const karat_any *r);
/* Sets of bytes: those that may hold what is not right (c->tainted_memory, with config.keep_going), and
 * those that hold what no record has reported (c->unreported_memory). False: memory is short. */
bool karat_put_in(uint8_t **set, uint64_t addr, uint32_t bytes);
bool karat_is_in(const uint8_t *set, uint64_t addr);
/* Instruction f is issued while warps are excluded, or memory suspect: note what it loads of theirs. */
void karat_note_excluded_use(karat_checker *c, slot *s, const flight *f);

/* --- Page faults: the model's, and the core's as TLB records show them (page_faults.c) --- */

/* The model's step of f ends with a page fault. Of a core that provides TLB it is kept as s->fault until
 * the core shows what it does. True. */
bool karat_page_fault_at(karat_checker *c, slot *s, flight *f);
/* TLB: FAULT. */
bool karat_check_fault(karat_checker *c, const karat_rec_tlb *r);
/* A record about a warp whose fault is not shown yet, or (RUN) about all: whether nothing more is to be
 * done with it. It is of a younger instruction of that warp, or it shows that the core has gone on, which
 * is a failure. */
bool karat_faulting_record(karat_checker *c, slot *s, const karat_any *r);
bool karat_faulting_end(karat_checker *c, const karat_any *r);
/* A slot has waited too long for its fault. True after that failure. */
bool karat_fault_lost(karat_checker *c, uint64_t cycle);
/* The run ends early: the program error that the model has found and the core has not shown, if there is
 * one. */
bool karat_unshown_fault(karat_checker *c);

/* --- Records that must come and do not (hang.c) --- */

/* Whether a warp waits at a barrier, as the core says, or as only the model knows. */
bool karat_is_at_barrier(const karat_checker *c, const slot *s);
/* The reason why a warp waits, in words; false: it waits for nothing, and could issue. */
bool karat_describe_wait(const karat_checker *c, const slot *s, char *text, size_t size);
/* It is that cycle now; at_end: BYE has come, so nothing waits for the core any more. True where a verdict
 * stands. */
bool karat_check_time(karat_checker *c, uint64_t cycle, bool at_end);
/* Completions still pending when a kernel has ended, as the stream or the next kernel shows. True where
 * anything is. */
bool karat_check_all_complete(karat_checker *c, const char *when);

/* --- Results of units that approximate (ulp.c) --- */

/* Take the bounds of the configuration; false where memory is short or one is bad. */
bool karat_make_bounds(karat_checker *c);
/* Whether sums of matrix products have a bound, which is applied at their WRITE alone: operands are kept
 * until then. */
bool karat_bounds_sums(const karat_checker *c);
/* A READ reports lanes of a register whose approximate result has not been written yet, as the core's
 * bypass may: take what is within the bound as that result. Returns those lanes. */
uint32_t karat_take_early_result(karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes,
                                 const uint32_t *value);
/* The youngest instruction in flight that writes some of these lanes, and which of its writes; NULL: none
 * does (use_before_write.c). */
flight *karat_youngest_writer(const slot *s, unsigned cls, unsigned reg, uint32_t lanes, uint32_t *index);
/* A store's MEM: its data that are approximate results are compared within their bound, the whole words. */
void karat_take_stored_result(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r);
/* Of these lanes, those whose number of binary32, or each of two halves, is at most ulp from the model's; by
 * the bound of a row. */
uint32_t karat_within_bound(const uint32_t *core, const uint32_t *model, uint32_t lanes, uint32_t ulp,
                            karat_halves halves);
uint32_t karat_within_bound_of(const karat_checker *c, int32_t row, const uint32_t *core,
                               const uint32_t *model, uint32_t lanes);
/* Of the lanes of an instruction's write i, those within its bound; of a matrix product, by the distance
 * from the exact sum. */
uint32_t karat_within_bound_of_result(const karat_checker *c, const flight *f, uint32_t i,
                                      const uint32_t *core, uint32_t lanes);
/* Of a matrix product, append the exact sums of lanes that differ, and the distances from them. */
void karat_explain_sums(const karat_checker *c, const flight *f, uint32_t i, const uint32_t *core,
                        uint32_t lanes, char *text, size_t size);

/* --- TLBs of the core, as TLB records show them, and physical addresses that they have led to (tlb.c) --- */

/* FAIL_MEM_TRANSLATION: the core has that physical address for that virtual one. Tells of the model's walk
 * and of the entry that the core has used. */
bool karat_fail_translation(karat_checker *c, const blame *x, uint64_t virt, uint64_t core, uint64_t model);

#endif
