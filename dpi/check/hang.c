/* The passing of time: what must come and does not. */
#include "hang.h"
#include "held.h"
#include "words.h"

#include <inttypes.h>
#include <string.h>
#include <stdio.h>

/* A line more; false where it does not fit, and text is as it was. */
static bool append(char *text, size_t size, const char *line) {
    if (strlen(text) + strlen(line) + 2 > size)
        return false;
    karat_append(text, size, "%s%s", text[0] ? "\n" : "", line);
    return true;
}

/* Whether a warp waits at a barrier for others of its workgroup: it is not to blame for that. *missing: how
 * many. */
static bool waits_for_others(const karat_checker *c, const slot *s, uint32_t *missing) {
    const group *g = &c->groups[s->wg];
    if (!s->at_barrier) {
        karat_warp_view view = {0};
        if (!karat_gives(c, KARAT_REC_BARRIER))
            karat_view(c->model, s->handle, &view); /* only the model knows */
        *missing = 1;
        return view.waiting;
    }
    uint32_t there = s->generation != g->generation ? g->arrived_next : g->arrived;
    if (c->config.model.deviations & KARAT_DEV_ENDED_WARPS_ARRIVE)
        there += g->ended;
    *missing = there < c->kernel.wg_size ? c->kernel.wg_size - there : 0;
    return *missing != 0;
}

static const flight *oldest_owing(const slot *s) {
    const flight *f = s->oldest;
    while (f && (f->epoch != s->epoch || !karat_flight_owes(f)))
        f = f->next;
    return f;
}

/* The instruction in flight that owes a write of that register. */
static const flight *writer_of(const slot *s, const karat_source *r) {
    for (const flight *f = s->oldest; f; f = f->next)
        for (uint32_t i = 0; i < f->commit.num_writes; i++) /* those of an earlier epoch owe none */
            if (f->owes_write[i] && f->commit.write[i].cls == r->cls && f->commit.write[i].reg == r->reg)
                return f;
    return NULL;
}

/* What an instruction that owes something waits for: of one whose result comes from memory, that memory has not performed,
 * or that it has. */
static void describe_owing(const karat_checker *c, const flight *f, char *text, size_t size) {
    char insn[64], debt[160], memory[160] = "";
    karat_disassemble(c->config.model.profile, f->commit.pc, f->commit.prefix, f->commit.word, insn,
                      sizeof insn);
    karat_flight_debt(f, debt, sizeof debt);
    if (f->commit.has_mem && karat_flight_owes_write(f) && karat_gives(c, KARAT_REC_MEM)) {
        if (f->mem_bytes)
            karat_flight_memory(f, memory, sizeof memory);
        else
            snprintf(memory, sizeof memory, "its memory accesses were performed, the last in cycle %" PRIu64,
                     f->mem_cycle);
    }
    snprintf(text, size, "seq %" PRIu32 " 0x%08" PRIx32 " %s waits for %s%s%s", f->seq, f->commit.pc, insn,
             debt, memory[0] ? f->mem_bytes ? ", and memory for " : "; " : "", memory);
}

/* The instruction that a warp has not issued yet, and which of its registers it has to wait for. */
static void describe_next(const karat_checker *c, const slot *s, char *text, size_t size) {
    const karat_profile profile = c->config.model.profile;
    karat_warp_view view = {0};
    uint32_t word, prefix = 0;
    karat_view(c->model, s->handle, &view);
    if (!karat_code_word(c->model, view.pc, &word)) {
        snprintf(text, size, "seq %" PRIu32 " at 0x%08" PRIx32 ", where no memory is", s->next_seq, view.pc);
        return;
    }
    if (karat_is_prefix(profile, word) && karat_code_word(c->model, view.pc + 4, &prefix)) {
        const uint32_t second = prefix;
        prefix = word;
        word = second;
        view.pc += 4;
    }
    char insn[64];
    karat_disassemble(profile, view.pc, prefix, word, insn, sizeof insn);
    karat_source named[KARAT_MAX_SOURCE + 1];
    uint32_t num = karat_sources(profile, c->config.model.deviations, prefix, word, named);
    num += karat_destination(profile, prefix, word, &named[num]);
    for (uint32_t i = 0; i < num; i++) {
        const flight *f = writer_of(s, &named[i]);
        if (!f)
            continue;
        snprintf(text, size, "seq %" PRIu32 " 0x%08" PRIx32 " %s, which waits for %c%u of seq %" PRIu32,
                 s->next_seq, view.pc, insn, named[i].cls == KARAT_CLASS_X ? 'x' : 'v', named[i].reg, f->seq);
        return;
    }
    snprintf(text, size, "seq %" PRIu32 " 0x%08" PRIx32 " %s%s", s->next_seq, view.pc, insn,
             karat_gives(c, KARAT_REC_WRITE) ? ", whose registers nobody owes" : "");
}

bool karat_is_at_barrier(const karat_checker *c, const slot *s) {
    uint32_t missing;
    return s->at_barrier || waits_for_others(c, s, &missing);
}

bool karat_describe_wait(const karat_checker *c, const slot *s, char *what, size_t size) {
    uint32_t missing;
    if (waits_for_others(c, s, &missing)) {
        snprintf(what, size, "waits at a barrier for %s%" PRIu32 " of its workgroup's %" PRIu32 " warps",
                 s->at_barrier ? "" : "at least ", missing, c->kernel.wg_size);
        return true;
    }
    if (s->at_barrier) {
        snprintf(what, size, "waits to be released from a barrier at which all have arrived");
        return true;
    }
    const flight *owing = oldest_owing(s);
    const bool more = !s->youngest || !s->youngest->commit.ended;
    char next[200] = "";
    if (more)
        describe_next(c, s, next, sizeof next);
    if (owing) {
        describe_owing(c, owing, what, size);
        karat_append(what, size, "%s%s", more ? "; next is " : "", next);
    } else {
        snprintf(what, size, "owes nothing and could issue %s", next);
    }
    return owing != NULL;
}

/* The same in one line, with the warp. */
static void describe_wait(const karat_checker *c, const slot *s, char *line, size_t size) {
    char what[700];
    karat_describe_wait(c, s, what, sizeof what);
    snprintf(line, size,
             "workgroup %" PRIu32 " warp %" PRIu32 " (sm %u slot %u, last heard of in cycle %" PRIu64 "): %s",
             s->workgroup, s->warp, s->sm, s->index, s->last_event, what);
}

/* The warp that has hung longest, or NULL.  A warp that waits at a barrier for others that have not come is
 * not to blame. */
static const slot *find_hung(const karat_checker *c, uint64_t cycle) {
    const slot *hung = NULL;
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *s = &c->slots[i];
        uint32_t missing;
        if (!s->live || cycle - s->last_event <= c->config.hang_cycles || waits_for_others(c, s, &missing))
            continue;
        if (!hung || s->last_event < hung->last_event)
            hung = s;
    }
    return hung;
}

static bool fail_hang(karat_checker *c, const slot *hung, uint64_t cycle) {
    char text[sizeof c->failure.detail - 200] = "", line[900];
    uint32_t shown = 0, more = 0;
    if (hung) {
        describe_wait(c, hung, line, sizeof line);
        append(text, sizeof text, line);
    } else {
        snprintf(line, sizeof line,
                 "no warp can go on, and %" PRIu64 " of %" PRIu64 " warps were never launched",
                 c->num_expected - c->num_started, c->num_expected);
        append(text, sizeof text, line);
    }
    for (uint32_t i = 0; i < c->num_slots; i++)
        if (c->slots[i].live && &c->slots[i] != hung) {
            describe_wait(c, &c->slots[i], line, sizeof line);
            if (shown >= 15 || !append(text, sizeof text - 40, line)) /* and room for how many more */
                more++;
            else
                shown++;
        }
    if (more) {
        snprintf(line, sizeof line, "and %" PRIu32 " more live warps", more);
        append(text, sizeof text, line);
    }
    const flight *owing = hung ? oldest_owing(hung) : NULL;
    if (!owing && hung)
        owing = hung->youngest;
    c->cycle = cycle;
    karat_fail(c, FAIL_HANG, hung, owing, NULL, "%s", text);
    c->failure.look_at = hung ? hung->last_event : c->last_event;
    return true;
}

/* A debt that is older than the bound while its warp runs on: the completion is lost. */
static bool check_old_debts(karat_checker *c, uint64_t cycle) {
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (flight *f = c->slots[i].oldest, *next; f; f = next) {
            next = f->next;
            if (cycle - f->cycle > c->config.hang_cycles && karat_flight_owes(f) &&
                !karat_shared_sc_given_up(c, &c->slots[i], f)) {
                char debt[160];
                failure_kind kind = karat_flight_debt(f, debt, sizeof debt);
                return karat_fail(c, kind, &c->slots[i], f, NULL,
                                  "issued in cycle %" PRIu64 "; %" PRIu64
                                  " cycles later the core still owes %s",
                                  f->cycle, cycle - f->cycle, debt);
            }
        }
    return false;
}

/* All warps have ended, and the core has not told the test bench: no KERNEL and no BYE comes. */
static bool check_kernel_end(karat_checker *c, uint64_t cycle) {
    if (cycle - c->last_event <= c->config.hang_cycles)
        return false;
    c->cycle = cycle;
    karat_fail(c, FAIL_HANG, NULL, NULL, NULL,
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

/* at_end: BYE has come, so nobody waits for the core any more. */
bool karat_check_time(karat_checker *c, uint64_t cycle, bool at_end) {
    if (c->done)
        return true;
    if (cycle < c->cycle)
        cycle = c->cycle; /* records have told of later cycles */
    if (!c->kernel_seen)
        return false;
    if (karat_release_held(c, cycle, at_end) || c->num_frozen) {
        /* Who waits may wait for a frozen warp. */
        c->done |= c->config.keep_going && cycle - last_sign(c) > c->config.hang_cycles;
        return c->done;
    }
    if (c->num_exited == c->num_expected)
        return check_old_debts(c, cycle) || (!at_end && check_kernel_end(c, cycle));
    const slot *hung = find_hung(c, cycle);
    if (hung)
        return fail_hang(c, hung, cycle);
    /* No warp is live, or all wait at barriers for warps that were never launched: another would have been heard of. */
    if (cycle - last_sign(c) > c->config.hang_cycles)
        return fail_hang(c, NULL, cycle);
    return check_old_debts(c, cycle);
}

bool karat_checker_tick(karat_checker *c, uint64_t cycle) {
    return !c || karat_check_time(c, cycle, false);
}

bool karat_check_debts(karat_checker *c, const char *when) {
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (flight *f = c->slots[i].oldest, *next; f; f = next) {
            next = f->next;
            if (karat_flight_owes(f) && !karat_shared_sc_given_up(c, &c->slots[i], f)) {
                char debt[160];
                failure_kind kind = karat_flight_debt(f, debt, sizeof debt);
                return karat_fail(c, kind, &c->slots[i], f, NULL, "%s; the core still owes %s", when, debt);
            }
        }
    for (uint32_t i = 0; i < c->num_slots; i++)
        if (karat_print_missing(c, &c->slots[i], when))
            return true;
    return false;
}
