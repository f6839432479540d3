#include "bridge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "names.h"

/* --- The memory model's side --- */

static void image_load(void *checker, const mcm_place *at, void *bytes, size_t size) {
    const karat_checker *c = checker;
    if (at->lds)
        karat_lds_read(c->model, at->group, at->addr, bytes, size);
    else
        karat_read(c->model, at->addr, bytes, size);
}

static void image_store(void *checker, const mcm_place *at, const void *bytes, size_t size) {
    karat_checker *c = checker;
    if (at->lds)
        karat_lds_write(c->model, at->group, at->addr, bytes, size);
    else
        karat_write(c->model, at->addr, bytes, size);
}

static bool is_unreported(void *checker, const mcm_event *e, uint64_t addr) {
    const karat_checker *c = checker;
    const karat_access byte = {.addr = addr, .bytes = 1};
    return c->unreported_stored &&
           (karat_is_in(c->unreported_memory, addr) || karat_stores_unreported(c, &c->slots[e->warp], &byte));
}

bool karat_bridge_create(karat_checker *c) {
    const karat_rec_hello *h = &c->hello;
    const mcm_core core = {
        .num_warp = c->num_slots,
        /* The two registers of a group, or the words of a wide access. */
        .num_part =
            (karat_profile_has(c->config.model.profile, KARAT_FEATURE_PREFIX) ? 4 : 2) * h->num_thread,
        .reports = karat_gives(c, KARAT_REC_MEM),
        .reports_order = h->mem_order == KARAT_ORDER_PERFORMED && karat_gives(c, KARAT_REC_MEM),
        .coherent = h->props & KARAT_PROP_COHERENT,
        .ascending = h->props & KARAT_PROP_ASCENDING,
        .answers = karat_gives(c, KARAT_REC_WRITE),
        .finds_races = c->config.strict & KARAT_STRICT_ORDER,
        .lds_base = c->config.model.lds_base,
        .lds_size = c->config.model.lds_size};
    const mcm_env env = {c, image_load, image_store, karat_amo_result, is_unreported};
    c->mcm = mcm_create(&core, &env);
    if (core.finds_races)
        c->possible_races = calloc(NUM_POSSIBLE_RACES, sizeof *c->possible_races);
    return c->mcm && (!core.finds_races || c->possible_races);
}

void karat_bridge_destroy(karat_checker *c) {
    mcm_destroy(c->mcm);
    free(c->possible_races);
}

void karat_bridge_kernel(karat_checker *c, bool known) {
    mcm_kernel(c->mcm, c->kernel.wg_size, c->num_expected, known);
    c->num_possible_races = 0;
}

void karat_bridge_launch(karat_checker *c, const slot *s) {
    mcm_launch(c->mcm, s->handle, s->workgroup * c->kernel.wg_size + s->warp);
}

void karat_bridge_released(karat_checker *c, const slot *s) {
    mcm_released(c->mcm, s->handle);
}

void karat_bridge_warp_ended(karat_checker *c, const slot *s) {
    mcm_end(c->mcm, s->handle);
}

void karat_bridge_ignore_warp(karat_checker *c, const slot *s) {
    mcm_ignore_warp(c->mcm, s->handle);
}

bool karat_bridge_raced(const karat_checker *c) {
    return c->mcm && mcm_raced(c->mcm);
}

/* --- Steps --- */

static uint32_t operand_of(const karat_commit *m) {
    for (uint32_t i = 0; i < m->num_reads; i++)
        if (m->read[i].source == 2)
            return m->read[i].value[0];
    return 0;
}

static bool is_sc(const flight *f) {
    return f->commit.mem.amo == KARAT_AMO_SC; /* It is 0 of what is not atomic */
}

static mcm_kind kind_of(const karat_commit *m, bool atomic) {
    switch (m->mem.op) {
    case KARAT_LOAD: return atomic ? MCM_LR : MCM_LOAD;
    case KARAT_STORE: return MCM_STORE;
    case KARAT_AMO: break;
    }
    return m->mem.amo == KARAT_AMO_SC ? MCM_SC : MCM_AMO;
}

static bool issue(karat_checker *c, const slot *s, flight *f) {
    const karat_commit *m = &f->commit;
    const bool atomic = karat_row_info(m->row)->unit == KARAT_UNIT_AMO;
    mcm_event *e = &f->event;
    e->warp = s->handle;
    e->group = s->wg;
    e->kind = kind_of(m, atomic);
    e->amo = m->mem.amo;
    e->acquires = atomic && m->word >> 26 & 1;
    e->releases = atomic && m->word >> 25 & 1;
    e->unreported = f->result.unreported != 0;
    e->is_private = m->mem.space == KARAT_PRIVATE;
    e->answers = m->num_writes && karat_gives(c, KARAT_REC_WRITE);
    e->stores_in_image = m->mem.succeeded;
    e->operand = atomic ? operand_of(m) : 0;
    e->num = m->mem.num;
    e->name = (mcm_name){f->seq, m->pc, m->word, m->prefix, f->cycle};
    e->part = f->part;
    for (uint32_t k = 0; k < (e->kind == MCM_SC ? 1 : e->num);
         k++) { /* An SC that fails says what it would write */
        const karat_access *a = &m->mem.access[k];
        e->part[k] =
            (mcm_part){.addr = a->addr, .old = a->old, .value = a->value, .bytes = a->bytes, .lane = a->lane};
    }
    return mcm_issue(c->mcm, e);
}

bool karat_bridge_step(karat_checker *c, slot *s, flight *f) {
    const karat_commit *m = &f->commit;
    f->reordered = false;
    f->event.at = mcm_step(c->mcm, s->handle);
    f->event.searched = f->event.write_reported = false;
    if (m->barrier && !m->ended)
        mcm_barrier(c->mcm, s->handle);
    if (m->row == c->fence_row)
        mcm_fence(c->mcm, s->handle, &f->event.at, m->word >> 24 & MCM_ALL, m->word >> 20 & MCM_ALL,
                  m->word >> 28 == 0, m->pc);
    return !m->has_mem || issue(c, s, f);
}

/* --- Results --- */

static void take_result(karat_checker *c, slot *s, flight *f, uint32_t value) {
    if (!f->commit.num_writes)
        return;
    const uint32_t lanes[KARAT_MAX_THREAD] = {value};
    f->changed |= f->used[0] && f->commit.write[0].value[0] != value;
    f->values.value[0][0] = value;
    karat_adopt_value(c, s, f, KARAT_CLASS_X, f->commit.write[0].reg, 1, lanes);
}

static void count_reordered(karat_checker *c, flight *f) {
    c->counts.reordered += !f->reordered;
    f->reordered = true;
}

/* An atomic has written that value. */
static void take_written(karat_checker *c, flight *f, uint32_t value) {
    if (f->commit.mem.access[0].value != value)
        count_reordered(c, f);
    f->commit.mem.access[0].value = value;
}

static void take_returned(karat_checker *c, slot *s, flight *f, const mcm_atomic *x) {
    if (f->commit.write[0].value[0] != x->old)
        count_reordered(c, f);
    if (f->commit.mem.op != KARAT_LOAD)
        take_written(c, f, x->value);
    f->commit.mem.old = x->old;
    take_result(c, s, f, x->old);
}

/* Something of f can be called neither right nor wrong: no PASS any more. */
static void unjudged(karat_checker *c, const slot *s, const flight *f, const char *why) {
    if (!c->counts.unjudged++)
        snprintf(c->unjudged, sizeof c->unjudged,
                 "workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " at 0x%08" PRIx32 ": %s",
                 s->workgroup, s->warp, f->seq, f->commit.pc, why);
}

void karat_unjudged_memory(karat_checker *c, uint64_t addr, const char *why) {
    if (!c->counts.unjudged++)
        snprintf(c->unjudged, sizeof c->unjudged, "memory at 0x%08" PRIx64 ": %s", addr, why);
}

/* An answer to an atomic: true after a failure, of that kind. */
static bool judge_atomic(karat_checker *c, const slot *s, const flight *f, const mcm_atomic *x,
                         failure_kind kind, const void *r, uint32_t told) {
    if (x->answer.is == MCM_UNKNOWN)
        unjudged(c, s, f, "too many accesses of other warps to that word are under way");
    if (x->answer.is != MCM_FORBIDDEN)
        return false;
    char text[1600] = ""; /* Of 7 lines */
    karat_list_considered(c, x, text, sizeof text);
    return karat_fail(c, BLAME(kind, s, f, r, .lanes = kind == FAIL_WRITE_VALUE),
                      "%s %08" PRIx32 ": no order of the accesses to 0x%08" PRIx64 ", which held %08" PRIx32
                      " before them, leads to that; considered:%s",
                      kind == FAIL_WRITE_VALUE ? "it returned" : "it wrote", told, x->word, x->before, text);
}

/* --- SCs --- */

bool karat_bridge_may_store(const karat_checker *c, const flight *f) {
    return is_sc(f) && !f->commit.mem.succeeded && f->event.reserved_by && !f->event.answers &&
           karat_gives(c, KARAT_REC_MEM);
}

static bool fail_sc(karat_checker *c, slot *s, const flight *f, mcm_sc_answer answer, const void *r) {
    reasons why = {0};
    karat_bridge_explain_sc(c, f, &why);
    return karat_fail(c, BLAME(FAIL_MEM_UNEXPECTED, s, f, r, .rules = why.rules), "the SC has stored; %s%s",
                      answer == MCM_SC_NO_RESERVATION ? "the warp has no reservation on that word"
                                                      : "that word has been written since its LR",
                      why.text);
}

/* An SC reports that it has stored. True after a failure. */
static bool sc_stored(karat_checker *c, slot *s, flight *f, const void *r) {
    karat_mem *m = &f->commit.mem;
    mcm_sc_answer answer = mcm_sc_may_store(c->mcm, &f->event);
    if (answer == MCM_SC_DEAD)
        return false;
    if (answer != MCM_SC_STORES)
        return fail_sc(c, s, f, answer, r);
    mcm_atomic found;
    const bool failed = !m->succeeded; /* In the model */
    answer = mcm_sc_stored(c->mcm, &f->event, &found);
    if (failed) {
        m->succeeded = 1;
        m->num = 1; /* The access that it would make is there already */
        m->access[0].old = f->part[0].old;
        if (karat_gives(c, KARAT_REC_MEM)) {
            f->mem_left[0] = 15;
            f->mem_bytes = 4;
        }
        take_result(c, s, f, 0);
        c->counts.reordered++;
    }
    return answer == MCM_SC_BROKEN ? fail_sc(c, s, f, answer, r)
                                   : judge_atomic(c, s, f, &found, FAIL_MEM_UNEXPECTED, r, f->event.operand);
}

/* The core's SC has failed, and the model's has not: it has failed in the model, too. False where f is no
 * such SC. */
static bool sc_failed(karat_checker *c, slot *s, flight *f) {
    karat_mem *m = &f->commit.mem;
    if (!is_sc(f) || !m->succeeded || (karat_gives(c, KARAT_REC_MEM) && f->mem_left[0] != 15))
        return false;
    m->succeeded = 0;
    m->num = 0;
    f->mem_bytes = 0;
    mcm_sc_failed(c->mcm, &f->event);
    take_result(c, s, f, 1);
    c->counts.sc_failed++;
    return true;
}

bool karat_bridge_sc_given_up(karat_checker *c, slot *s, flight *f) {
    if (!is_sc(f) || f->event.answers || !sc_failed(c, s, f))
        return false;
    karat_flight_complete(c, s, f);
    return true;
}

/* --- Performed accesses --- */

void karat_bridge_mem_record(karat_checker *c) {
    mcm_reported(c->mcm);
}

void karat_bridge_in_pieces(flight *f, uint32_t k) {
    mcm_in_pieces(&f->event, k);
}

bool karat_bridge_performed(karat_checker *c, slot *s, flight *f, mcm_parts accesses,
                            const karat_rec_mem *r) {
    mcm_violation wrong;
    const bool right =
        mcm_performed(c->mcm, &f->event, accesses, !f->mem_bytes, c->cycle, &wrong, &c->counts.lane_race);
    if (wrong.no_memory)
        return karat_no_memory(c, s);
    if (!right)
        return karat_fail_violation(c, s, f, r, &wrong);
    return c->config.strict & KARAT_STRICT_ORDER && !f->mem_bytes && karat_find_races(c, s, f);
}

void karat_bridge_adopt_byte(karat_checker *c, flight *f, uint32_t k, uint32_t bit) {
    mcm_adopt_byte(c->mcm, &f->event, k, bit, f->commit.mem.access[k].value);
}

/* The bytes of an AMO's word that a record reports, as bits, and their value. */
static uint32_t amo_bits(const flight *f, const karat_rec_mem *r, uint32_t *value) {
    const uint32_t from =
        r->addr[0] - (uint32_t)f->commit.mem.access[0].addr; /* A wrong place is found later */
    uint32_t bits = 0;
    *value = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (r->bytes[0] >> i & 1 && from + i < 4) { /* Lane 0: an AMO is scalar */
            bits |= 0xffu << 8 * (from + i);
            *value |= (r->data[0] >> 8 * i & 0xff) << 8 * (from + i);
        }
    return bits;
}

/* An AMO of a word whose order is searched says what it has written, some bytes of it, or that it was
 * performed. */
static bool searched_amo(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r) {
    uint32_t value;
    const uint32_t bits = amo_bits(f, r, &value);
    const mcm_atomic x =
        mcm_amo_wrote(c->mcm, &f->event, !r->no_data, value, bits, !karat_flight_expects_write(f));
    if (x.answer.is == MCM_FORBIDDEN && x.answer.alone && f->commit.mem.access[0].value != x.value)
        return false; /* No other access is there: no order to speak of */
    if (judge_atomic(c, s, f, &x, FAIL_MEM_DATA, r, x.value))
        return true;
    take_written(c, f, x.value);
    return false;
}

bool karat_bridge_atomic(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r) {
    karat_mem *m = &f->commit.mem;
    if (is_sc(f))
        return sc_stored(c, s, f, r);
    if (mcm_is_searched(c->mcm, &f->event))
        return searched_amo(c, s, f, r);
    const mcm_atomic x =
        mcm_amo_performed(c->mcm, &f->event, m->old, !r->no_data, r->data[m->access[0].lane]);
    c->counts.lane_race += x.answer.lanes;
    if (x.old == m->old) /* The value written then is right, too */
        return false;
    m->old = x.old;
    m->access[0].value = x.value;
    take_result(c, s, f, x.old);
    c->counts.reordered++;
    return false;
}

/* --- Returned values --- */

bool karat_bridge_returned(karat_checker *c, slot *s, flight *f, const karat_rec_write *r) {
    const uint32_t value = r->data[0];
    if (!mcm_is_searched(c->mcm, &f->event))
        return false;
    if (is_sc(f)) {
        if (value == 0)
            return sc_stored(c, s, f, r);
        if (value != 1)
            return false;
        const mcm_atomic x = mcm_sc_answered_failed(c->mcm, &f->event);
        return judge_atomic(c, s, f, &x, FAIL_WRITE_VALUE, r, value);
    }
    const bool final = f->commit.mem.op == KARAT_LOAD || !f->mem_bytes;
    const mcm_atomic x = mcm_returned(c->mcm, &f->event, value, final);
    if (x.answer.is == MCM_FORBIDDEN && x.answer.alone && f->commit.write[0].value[0] != value)
        return false; /* No other access is there: no order to speak of */
    if (judge_atomic(c, s, f, &x, FAIL_WRITE_VALUE, r, value))
        return true;
    take_returned(c, s, f, &x);
    return false;
}

bool karat_bridge_read_before_write(karat_checker *c, slot *s, flight *f, uint32_t value) {
    if (!mcm_is_searched(c->mcm, &f->event))
        return false;
    if (is_sc(f))
        return value == 0 && !sc_stored(c, s, f, NULL);
    const mcm_atomic x = mcm_returned(c->mcm, &f->event, value, false);
    if (x.answer.is == MCM_FORBIDDEN || judge_atomic(c, s, f, &x, FAIL_WRITE_VALUE, NULL, value))
        return false;
    take_returned(c, s, f, &x);
    return true;
}

/* --- Loads --- */

static const char *unknown_text(mcm_reason reason) {
    switch (reason) {
    case MCM_TOO_MANY: return "too many accesses of other warps to a word that it loads are under way";
    case MCM_UNREPORTED:
        return "it may have loaded a value that another warp stores from a register never written";
    default: return "writes that it may have read are no longer remembered";
    }
}

static void note_unknown(karat_checker *c, const slot *s, const flight *f, const mcm_answer *x) {
    for (uint32_t i = 0; i < x->num_unknown; i++)
        unjudged(c, s, f, unknown_text(x->reason));
}

/* An AMO has returned another value than the model's, where the order is reported. */
static bool amo_found(karat_checker *c, slot *s, flight *f, uint32_t value, bool *by_lanes) {
    karat_mem *m = &f->commit.mem;
    uint32_t written;
    const mcm_answer x = mcm_amo_found(c->mcm, &f->event, m->old, value, &written);
    note_unknown(c, s, f, &x);
    if (x.is == MCM_FORBIDDEN)
        return false;
    *by_lanes = x.lanes;
    m->old = f->values.value[0][0] = value;
    m->access[0].value = written;
    return true;
}

/* The lane's result, as the access has it: without the extension, which has to be right. */
static bool unextend(const karat_mem *m, const karat_access *a, uint32_t value, uint32_t *got) {
    const unsigned unused = 32 - 8 * a->bytes;
    *got = value << unused >> unused;
    return value == (m->sign_extends && unused ? (uint32_t)((int32_t)(*got << unused) >> unused) : *got);
}

/* The instruction whose store a load's byte has to come from, the newest of several; NULL: none, or the
 * host. */
static const karat_row *producer_of(const karat_checker *c, const mcm_answer *x) {
    uint32_t i = 0;
    while (i < x->num && x->witness[i].why != MCM_LEGAL)
        i++;
    const mcm_event *e = i < x->num ? x->witness[i].event : NULL;
    karat_insn insn;
    return e && e->at.uid != MCM_HOST_UID
               ? karat_row_info(karat_decode(c->config.model.profile, e->name.word, &insn))
               : NULL;
}

/* A load's result number i in these lanes: those in which the core's value is legal, which the commit
 * takes. */
static uint32_t loaded(karat_checker *c, slot *s, flight *f, uint32_t i, uint32_t lanes,
                       const uint32_t *value, bool *by_lanes, reasons *why) {
    karat_mem *m = &f->commit.mem;
    const karat_reg_write *w = &f->commit.write[i];
    uint32_t legal = 0;
    karat_source first = {.reg = w->reg};
    karat_destination(c->config.model.profile, f->commit.prefix, f->commit.word, &first);
    const unsigned part = w->reg - first.reg; /* Of a group, a pair, or consecutive registers */
    for (uint32_t k = 0; k < m->num; k++) {
        karat_access *a = &m->access[k];
        uint32_t got;
        if (!(lanes >> a->lane & 1) || a->reg != part)
            continue;
        if (!unextend(m, a, value[a->lane], &got))
            break;
        const mcm_answer x = mcm_loaded(c->mcm, &f->event, k, got, by_lanes);
        note_unknown(c, s, f, &x);
        if (x.is == MCM_FORBIDDEN) {
            if (x.num) /* Others write there */
                karat_append(why->text, sizeof why->text,
                             "\n  byte 0x%08" PRIx64 ": %02x in the core; considered:", x.addr, x.value);
            karat_list_witnesses(c, &x, why);
            why->producer = why->producer ? why->producer : producer_of(c, &x);
            break;
        }
        a->value = f->part[k].value = got;
        f->values.value[i][a->lane] = value[a->lane];
        legal |= 1u << a->lane;
    }
    return legal;
}

bool karat_bridge_other_order(karat_checker *c, slot *s, flight *f, uint32_t i, const uint32_t *value,
                              uint32_t lanes, uint32_t doubtful, reasons *why) {
    const karat_reg_write *w = &f->commit.write[i];
    if (w->cls == KARAT_CLASS_X && value[0] == 1 && sc_failed(c, s, f))
        return true;
    uint32_t legal = 0;
    bool by_lanes = false;
    if (f->commit.mem.op == KARAT_AMO && !is_sc(f))
        legal = amo_found(c, s, f, value[0], &by_lanes);
    else if (f->commit.has_mem && f->commit.mem.op == KARAT_LOAD && !f->event.searched)
        legal = loaded(c, s, f, i, lanes | doubtful, value, &by_lanes, why);
    if (legal != (lanes | doubtful))
        return false;
    if (!lanes)
        return true;
    karat_adopt_value(c, s, f, w->cls, w->reg, lanes, value);
    f->changed |= (lanes & f->used[i]) != 0;
    if (by_lanes)
        c->counts.lane_race++;
    else
        c->counts.unordered++;
    return true;
}

bool karat_bridge_may_differ(const karat_checker *c, const flight *f) {
    return f->commit.has_mem && mcm_may_differ(c->mcm, &f->event);
}

uint32_t karat_bridge_doubt(const karat_checker *c, const flight *f) {
    return f->commit.has_mem ? mcm_doubtful(c->mcm, &f->event) : 0;
}

/* --- The host, and memory at the end --- */

/* Accesses of warps may be under way. */
static bool is_running(const karat_checker *c) {
    if (c->num_exited < c->num_expected)
        return true;
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (const flight *f = c->slots[i].oldest; f; f = f->next)
            if (f->mem_bytes)
                return true;
    return false;
}

void karat_bridge_host_writes(karat_checker *c, uint64_t addr, const uint8_t *bytes, uint32_t size) {
    if (c->kernel_seen)
        mcm_host_write(c->mcm, addr, bytes, size, is_running(c), c->cycle);
}

mcm_moment karat_bridge_host_reads(karat_checker *c, const mcm_moment *asked) {
    return mcm_host_reads(c->mcm, asked, is_running(c));
}

bool karat_bridge_host_read(karat_checker *c, const mcm_moment *now, uint64_t addr, uint8_t value,
                            reasons *why) {
    const mcm_answer x = mcm_host_read(c->mcm, now, addr, value);
    if (x.is != MCM_FORBIDDEN || karat_is_in(c->unreported_memory, addr))
        return true;
    karat_list_witnesses(c, &x, why);
    return false;
}

bool karat_bridge_never_left(const karat_checker *c, uint64_t addr, uint8_t value) {
    return mcm_never_left(c->mcm, addr, value);
}

bool karat_bridge_left(karat_checker *c, uint64_t addr, uint8_t value, bool *lanes, char *text, size_t size) {
    const mcm_answer x = mcm_left(c->mcm, addr, value);
    text[0] = 0;
    *lanes = x.lanes;
    if (x.is == MCM_UNKNOWN)
        karat_unjudged_memory(c, addr,
                              x.reason == MCM_TOO_MANY
                                  ? "too many accesses of several warps to that word"
                                  : "stores of several warps to it may no longer be remembered");
    if (x.is != MCM_FORBIDDEN)
        return true;
    if (x.num) {
        snprintf(text, size, "; last written in the model by:");
        karat_put_witness(c, &x.witness[0], text, size);
    }
    return false;
}
