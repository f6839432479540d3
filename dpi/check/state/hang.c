/* The passing of time: what must come and does not. */
#include "records.h"
#include "names.h"

#include <inttypes.h>
#include <string.h>
#include <stdio.h>

/* Whether a warp waits at a barrier for others of its workgroup: it is not to blame for that. *missing: how
 * many. */
static bool waits_for_others(const karat_checker *c, const slot *s, uint32_t *missing) {
    if (!s->at_barrier) {
        karat_warp_view view = {0};
        if (!karat_gives(c, KARAT_REC_BARRIER))
            karat_view(c->model, s->handle, &view); /* Only the model knows */
        *missing = 1;
        return view.waiting;
    }
    const uint32_t there = karat_arrived(c, s);
    *missing = there < c->groups[s->wg].warps ? c->groups[s->wg].warps - there : 0;
    return *missing != 0;
}

static const flight *oldest_pending(const slot *s) {
    const flight *f = s->oldest;
    while (f && (f->epoch != s->epoch || !karat_flight_is_pending(f)))
        f = f->next;
    return f;
}

/* The instruction in flight with a pending write of that register.  Those of an earlier epoch have none. */
static const flight *writer_of(const slot *s, const karat_source *r) {
    uint32_t i;
    const flight *f = karat_next_writer(s->oldest, r->cls, r->reg, &i);
    while (f && !f->pending_write[i])
        f = karat_next_writer(f->next, r->cls, r->reg, &i);
    return f;
}

/* The reason why an instruction with something pending waits: of one whose result comes from memory, that
 * memory has not performed, or that it has. */
static void describe_pending(const karat_checker *c, const flight *f, char *text, size_t size) {
    char pending[160], memory[160];
    karat_flight_first_pending(f, pending, sizeof pending);
    snprintf(text, size, "%s waits for %s",
             karat_commit_text(c->config.model.profile, f->seq, &f->commit).text, pending);
    if (!f->commit.has_mem || !karat_flight_expects_write(f) || !karat_gives(c, KARAT_REC_MEM))
        return;
    if (!f->mem_bytes) {
        karat_append(text, size, "; its memory accesses were performed, the last in cycle %" PRIu64,
                     f->mem_cycle);
        return;
    }
    karat_flight_memory(f, memory, sizeof memory);
    karat_append(text, size, ", and memory for %s", memory);
}

/* The instruction that a warp has not issued yet, and which of its registers it has to wait for. */
static void describe_next(const karat_checker *c, const slot *s, char *text, size_t size) {
    const karat_profile profile = c->config.model.profile;
    karat_warp_view view = {0};
    uint32_t word, prefix;
    karat_view(c->model, s->handle, &view);
    if (!karat_fetch_insn(c->model, view.ptbr, &view.pc, &prefix, &word)) {
        snprintf(text, size, "seq %" PRIu32 " at 0x%08" PRIx32 ", where there is no memory", s->next_seq,
                 view.pc);
        return;
    }
    snprintf(text, size, "%s", karat_step_text(profile, s->next_seq, view.pc, prefix, word).text);
    karat_source named[KARAT_MAX_SOURCE + 1];
    uint32_t num = karat_sources(profile, c->config.model.deviations, prefix, word, named), i = 0;
    num += karat_destination(profile, prefix, word, &named[num]);
    const flight *f = NULL;
    while (!f && i < num)
        f = writer_of(s, &named[i++]);
    if (f)
        karat_append(text, size, ", which waits for %s of seq %" PRIu32,
                     karat_register_name(named[i - 1].cls, named[i - 1].reg).text, f->seq);
    else if (karat_gives(c, KARAT_REC_WRITE))
        karat_append(text, size, ", whose registers have no write pending");
}

bool karat_is_at_barrier(const karat_checker *c, const slot *s) {
    uint32_t missing;
    return s->at_barrier || waits_for_others(c, s, &missing);
}

bool karat_describe_wait(const karat_checker *c, const slot *s, char *what, size_t size) {
    uint32_t missing;
    if (waits_for_others(c, s, &missing)) {
        snprintf(what, size, "waits at a barrier for %s%" PRIu32 " of its workgroup's %" PRIu32 " warps",
                 s->at_barrier ? "" : "at least ", missing, c->groups[s->wg].warps);
        return true;
    }
    if (s->at_barrier) {
        snprintf(what, size, "waits to be released from a barrier at which all have arrived");
        return true;
    }
    const flight *pending = oldest_pending(s);
    const bool more = !s->youngest || !s->youngest->commit.ended;
    char next[200] = "";
    if (more)
        describe_next(c, s, next, sizeof next);
    if (pending) {
        describe_pending(c, pending, what, size);
        karat_append(what, size, "%s%s", more ? "; next is " : "", next);
    } else {
        snprintf(what, size, "has nothing pending and could issue %s", next);
    }
    return pending != NULL;
}

/* The reason why a warp waits, in one line with the warp, after what text holds.  False where it does not
 * fit, and text is as it was. */
static bool add_wait(const karat_checker *c, const slot *s, char *text, size_t size) {
    char what[700], line[900];
    karat_describe_wait(c, s, what, sizeof what);
    snprintf(line, sizeof line, "%s (sm %u slot %u, last heard of in cycle %" PRIu64 "): %s",
             karat_warp_name(s->workgroup, s->warp).text, s->sm, s->index, s->last_event, what);
    if (strlen(text) + strlen(line) + 2 > size)
        return false;
    karat_append(text, size, "%s%s", text[0] ? "\n" : "", line);
    return true;
}

/* The warp that has hung longest, or NULL.  A warp that waits at a barrier for others that have not come is
 * not to blame. */
static const slot *find_hung(const karat_checker *c, uint64_t cycle) {
    const slot *hung = NULL;
    uint32_t missing;
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *s = &c->slots[i];
        if (s->live && !s->fault && cycle - s->last_event > c->config.hang_cycles &&
            !waits_for_others(c, s, &missing) && (!hung || s->last_event < hung->last_event))
            hung = s;
    }
    return hung;
}

/* In *hung: the warp at fault; NULL: none is. */
static bool fail_hang(karat_checker *c, const slot *hung, uint64_t cycle) {
    char text[sizeof c->failure.detail - 200] = "";
    uint32_t shown = 0, more = 0;
    if (hung)
        add_wait(c, hung, text, sizeof text);
    else
        karat_append(text, sizeof text,
                     "no warp can go on, and %" PRIu64 " of %" PRIu64 " warps were never launched",
                     c->num_expected - c->num_started, c->num_expected);
    for (uint32_t i = 0; i < c->num_slots; i++)
        if (c->slots[i].live && &c->slots[i] != hung) {
            const bool fits =
                shown < 15 && add_wait(c, &c->slots[i], text, sizeof text - 40); /* For how many more */
            shown += fits;
            more += !fits;
        }
    if (more)
        karat_append(text, sizeof text, "\nand %" PRIu32 " more live warps", more);
    const flight *pending = hung ? oldest_pending(hung) : NULL;
    c->cycle = cycle;
    karat_fail(c, BLAME(FAIL_HANG, hung, hung && !pending ? hung->youngest : pending), "%s", text);
    c->failure.look_at = hung ? hung->last_event : c->last_event;
    c->failure.missing = pending            ? karat_flight_first_pending(pending, text, sizeof text)
                         : !hung            ? FAIL_LAUNCH
                         : hung->at_barrier ? FAIL_BARRIER_MISSING
                                            : FAIL_HANG;
    return true;
}

/* The first flight that has something pending and was issued before that cycle; an SC that may have failed
 * has nothing pending. */
static flight *find_overdue(karat_checker *c, uint64_t cycle, slot **of) {
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (flight *f = c->slots[i].oldest, *next; f; f = next) {
            next = f->next;
            *of = &c->slots[i];
            if (f->cycle < cycle && karat_flight_is_pending(f) && !karat_bridge_sc_given_up(c, *of, f))
                return f;
        }
    return NULL;
}

/* A pending completion that is older than the bound while its warp runs on: the completion is lost. */
static bool check_overdue(karat_checker *c, uint64_t cycle) {
    slot *s;
    const flight *f = find_overdue(c, cycle > c->config.hang_cycles ? cycle - c->config.hang_cycles : 0, &s);
    return f && karat_fail_missing(c, s, f, false, "issued in cycle %" PRIu64 "; %" PRIu64 " cycles later",
                                   f->cycle, cycle - f->cycle);
}

bool karat_check_all_complete(karat_checker *c, const char *when) {
    slot *s;
    const flight *f = find_overdue(c, UINT64_MAX, &s);
    if (f)
        return karat_fail_missing(c, s, f, false, "%s;", when);
    for (uint32_t i = 0; i < c->num_slots; i++)
        if (karat_print_missing(c, &c->slots[i], when))
            return true;
    return false;
}

/* All warps have ended, and the core has not reported it to the test bench: no KERNEL and no BYE comes. */
static bool check_kernel_end(karat_checker *c, uint64_t cycle) {
    if (cycle - c->last_event <= c->config.hang_cycles)
        return false;
    c->cycle = cycle;
    karat_fail(c, BLAME(FAIL_HANG),
               "all %" PRIu64 " warps of kernel %" PRIu32 " have ended, the last in cycle %" PRIu64
               "; the core does not say that it is done",
               c->num_expected, c->kernel.index, c->last_event);
    c->failure.look_at = c->last_event;
    return true;
}

/* The last cycle in which any warp was heard of. */
static uint64_t last_sign(const karat_checker *c) {
    uint64_t last = c->last_event;
    for (uint32_t i = 0; i < c->num_slots; i++)
        if (c->slots[i].last_event > last)
            last = c->slots[i].last_event;
    return last;
}

bool karat_check_time(karat_checker *c, uint64_t cycle, bool at_end) {
    if (c->done)
        return true;
    if (cycle < c->cycle)
        cycle = c->cycle; /* Records of later cycles have come */
    if (!c->kernel_seen)
        return false;
    if (c->num_faulting && karat_fault_lost(c, cycle))
        return true;
    if (karat_take_waiting_steps(c, cycle, at_end) || c->num_excluded) {
        /* Who waits may wait for an excluded warp. */
        c->done |= c->config.keep_going && cycle - last_sign(c) > c->config.hang_cycles;
        return c->done;
    }
    if (c->num_exited == c->num_expected)
        return check_overdue(c, cycle) || (!at_end && check_kernel_end(c, cycle));
    const slot *hung = find_hung(c, cycle);
    /* No warp is live, or all wait at barriers for warps that were never launched: another would have been
     * heard of. */
    if (hung || cycle - last_sign(c) > c->config.hang_cycles)
        return fail_hang(c, hung, cycle);
    return check_overdue(c, cycle);
}

bool karat_checker_tick(karat_checker *c, uint64_t cycle) {
    return !c || karat_check_time(c, cycle, false);
}
