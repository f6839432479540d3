#include "debugger.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SNAPSHOTS = 24,
    INTERVAL = 65536, /* Events from one to the next, at first */
    LOOK = 4096       /* Events from one look at the user's interruption to the next */
};

karat_debugger *karat_debugger_create(const karat_debug_config *config) {
    karat_debugger *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->config = *config;
    d->front = config->client < 0 ? &karat_prompt_front : &karat_gdb_front;
    d->timeline =
        karat_timeline_create(config->snapshots ? config->snapshots : SNAPSHOTS, INTERVAL, sizeof *d->shared);
    d->machine = karat_machine_create(config->num_warp);
    if (!d->timeline || !d->machine) {
        karat_debugger_destroy(d);
        return NULL;
    }
    d->shared = d->timeline->shared;
    return d;
}

void karat_debugger_destroy(karat_debugger *d) {
    if (!d)
        return;
    if (d->config.client >= 0)
        close(d->config.client);
    karat_timeline_destroy(d->timeline);
    karat_machine_destroy(d->machine);
    free(d);
}

/* --- Going --- */

static void go_to(karat_debugger *d, uint64_t goal, const stop_reason *reason) {
    debug_shared *s = d->shared;
    s->mode = MODE_GO;
    s->goal = goal;
    s->reason = *reason;
    if (goal < d->timeline->position || karat_timeline_before(d->timeline, goal) > d->timeline->position)
        karat_timeline_seek(d->timeline, goal);
}

/* Look for stops in the events that end at high, down to the snapshot before it. */
static void scan(karat_debugger *d, uint64_t high) {
    debug_shared *s = d->shared;
    if (!high) {
        go_to(d, 0, &(stop_reason){.kind = REASON_BEGIN});
        return;
    }
    s->mode = MODE_SCAN;
    s->reason = (stop_reason){.kind = REASON_BEGIN};
    s->high = high;
    s->low = karat_timeline_before(d->timeline, high - 1);
    karat_timeline_seek(d->timeline, s->low);
}

static void end_scan(karat_debugger *d) {
    const stop_reason reason = d->shared->reason;
    if (reason.kind == REASON_STOP)
        go_to(d, d->shared->found, &reason);
    else
        scan(d, d->shared->low);
}

/* A further reason at one place: the one that is told, or beside it. */
static void add_reason(stop_reason *reason, const stop_reason *further, bool replaces) {
    const stop_reason other = replaces ? *reason : *further;
    if (replaces)
        *reason = *further;
    karat_stops_also(reason, &other);
}

/* A watchpoint's place is before the event at position, unless the front end takes that step by itself. */
static void note_found(const karat_debugger *d, uint64_t position, const stop_reason *reason) {
    debug_shared *s = d->shared;
    const bool near = reason->before && d->front->steps_over;
    const uint64_t place = reason->before && !near ? position - 1 : position;
    if (place > s->from || (place == s->from && !near) || (s->reason.kind == REASON_STOP && s->found > place))
        return;
    if (s->reason.kind == REASON_STOP && s->found == place)
        add_reason(&s->reason, reason,
                   !near); /* Stepping back from here, the front end is told (end_step_back()) */
    else
        s->reason = *reason;
    s->found = place;
}

/* Steps that the thread of MODE_STEP and MODE_BACK has taken. */
static uint64_t steps_of(const karat_debugger *d, uint32_t thread, uint32_t lane) {
    const machine_warp *w = karat_machine_thread(d->machine, thread);
    return thread == KARAT_ANY_THREAD ? d->machine->steps
           : !w                       ? 0
           : lane                     ? w->lane_steps[lane - 1]
                                      : w->steps;
}

static void step_back(karat_debugger *d, uint32_t thread, uint32_t lane, uint64_t count) {
    debug_shared *s = d->shared;
    const uint64_t taken = steps_of(d, thread, lane);
    if (count > taken) {
        go_to(d, 0, &(stop_reason){.kind = REASON_BEGIN});
        return;
    }
    s->mode = MODE_BACK;
    s->from = d->timeline->position;
    s->thread = thread;
    s->step_lane = lane;
    s->steps = taken - count + 1;
    s->low = karat_timeline_before(d->timeline, d->timeline->position - 1);
    karat_timeline_seek(d->timeline, s->low);
}

/* Step number `steps` was taken: in the event just over, or before the snapshot that was woken. */
static void end_step_back(karat_debugger *d) {
    debug_shared *s = d->shared;
    const uint64_t position = d->timeline->position;
    if (d->near && position == s->from) {
        go_to(d, position, &d->reason);
        return;
    }
    if (position > s->low) {
        go_to(d, position - 1,
              &(stop_reason){.kind = REASON_STEP, .thread = d->machine->stepped, .lane = s->step_lane});
        return;
    }
    s->low = karat_timeline_before(d->timeline, position - 1);
    karat_timeline_seek(d->timeline, s->low);
}

/* Ends the process: with that status where all output has gone out. */
static _Noreturn void end_run(karat_debugger *d, int status) {
    if (!karat_debugger_flush()) {
        struct pollfd out = {.fd = STDOUT_FILENO};
        const bool unread = poll(&out, 1, 0) > 0 && out.revents & POLLERR;
        if (!unread)
            fputs("karat: standard output: cannot be written\n", stderr);
        status = unread ? 128 + SIGPIPE : 2; /* As the shell names the end of a command by a signal */
    }
    karat_timeline_end(d->timeline, status);
}

/* The orders of the front end. Returns when the run is to go on from here, or has arrived. */
static void obey(karat_debugger *d, const karat_resume *r) {
    debug_shared *s = d->shared;
    const uint64_t count = r->count ? r->count : 1;
    switch (r->how) {
    case RESUME_CONTINUE: s->mode = MODE_CONTINUE; break;
    case RESUME_STEP:
        s->mode = MODE_STEP;
        s->thread = r->thread;
        s->step_lane = r->lane;
        s->steps = steps_of(d, r->thread, r->lane) + count;
        break;
    case RESUME_REVERSE:
        s->from = d->timeline->position;
        scan(d, s->from);
        break;
    case RESUME_REVERSE_STEP: step_back(d, r->thread, r->lane, count); break;
    case RESUME_GO_TO: go_to(d, r->count, &(stop_reason){.kind = REASON_ARRIVED}); break;
    case RESUME_QUIT: end_run(d, r->count ? (int)r->count : d->ended ? d->status : 0);
    }
}

/* The run goes another way from here: nothing after this position has been yet. */
static void branch(karat_debugger *d) {
    karat_timeline_forget(d->timeline);
    d->shared->furthest = d->timeline->position;
}

/* The run has stopped here. Returns when it is to go on from here. */
static void stop(karat_debugger *d, const stop_reason *why) {
    debug_shared *s = d->shared;
    const stop_reason reason = *why;
    karat_resume resume = {0};
    s->mode = MODE_STOPPED;
    karat_stops_spend(&s->stops, &reason);
    s->writes.dropped = karat_writes_drop(&s->writes, d->timeline->position);
    if (s->writes.dropped)
        branch(d);
    karat_debugger_select(d, reason.thread ? reason.thread : s->selected);
    d->front->next(d, &reason, &resume);
    obey(d, &resume);
}

/* Where a run that goes somewhere has arrived. */
static void arrive(karat_debugger *d) {
    const debug_shared *s = d->shared;
    for (;;) {
        if (s->mode == MODE_GO && d->timeline->position == s->goal)
            stop(d, &s->reason);
        else if (s->mode == MODE_SCAN && d->timeline->position == s->high)
            end_scan(d);
        else if (s->mode == MODE_BACK && steps_of(d, s->thread, s->step_lane) >= s->steps)
            end_step_back(d);
        else
            return;
    }
}

bool karat_debugger_start(karat_debugger *d, int *status) {
    if (d->front->begin)
        d->front->begin();
    if (!karat_timeline_start(d->timeline, status))
        return false;
    signal(SIGPIPE, SIG_IGN); /* karat_debugger_flush() tells it */
    return true;
}

bool karat_debugger_flush(void) {
    return !fflush(stdout) && !ferror(stdout);
}

/* --- Reports of the run --- */

/* Going forward, the first in an event counts, and first of all watchpoints: where the front end steps
 * over them, their place is before it. */
static void hit(karat_debugger *d, const stop_reason *reason) {
    if (d->shared->mode == MODE_SCAN)
        note_found(d, d->timeline->position + 1, reason);
    else if (!d->hit)
        d->reason = *reason;
    else
        add_reason(&d->reason, reason, reason->before && !d->reason.before);
    d->hit = true;
}

/* The stops that an event of that warp is; commit: of its step, or NULL. */
static void look(karat_debugger *d, const machine_warp *w, const karat_commit *commit, uint32_t caught) {
    stop_reason reason;
    for (uint32_t i = 0; karat_stops_next(&d->shared->stops, d->machine, w, commit, caught, &i, &reason);)
        hit(d, &reason);
}

void karat_debugger_step(karat_debugger *d, uint32_t handle, const karat_commit *commit) {
    karat_machine_step(d->machine, handle, commit, d->timeline->position + 1);
    look(d, &d->machine->warps[handle], commit, karat_stops_caught(commit));
}

void karat_debugger_mismatch(karat_debugger *d, uint32_t handle, const char *text) {
    stop_reason reason = {.kind = REASON_STOP, .of = STOP_CATCH, .caught = CATCH_MISMATCH};
    const machine_warp *w = &d->machine->warps[handle];
    uint32_t first = 0;
    karat_stops_next(&d->shared->stops, d->machine, w, NULL, CATCH_MISMATCH, &first, &reason);
    reason.thread = w->thread;
    snprintf(reason.text, sizeof reason.text, "%s", text);
    hit(d, &reason);
}

/* The user's, while the run goes somewhere. */
static bool is_interrupted(karat_debugger *d) {
    if ((d->timeline->position + 1) % LOOK || !d->front->interrupted(d))
        return false;
    d->reason = (stop_reason){.kind = REASON_INTERRUPT};
    return true;
}

/* The thread of MODE_STEP has taken its steps, or has ended. */
static bool has_stepped(karat_debugger *d) {
    const debug_shared *s = d->shared;
    if (s->mode != MODE_STEP ||
        (karat_machine_live(d->machine, s->thread) && steps_of(d, s->thread, s->step_lane) < s->steps))
        return false;
    d->reason = (stop_reason){.kind = REASON_STEP, .thread = s->thread, .lane = s->step_lane};
    return true;
}

void karat_debugger_event(karat_debugger *d) {
    debug_shared *s = d->shared;
    while (d->launched < d->machine->launched) {
        const machine_warp *w = karat_machine_live(d->machine, ++d->launched);
        if (w)
            look(d, w, NULL, CATCH_LAUNCH);
    }
    const bool goes = s->mode == MODE_CONTINUE || s->mode == MODE_STEP,
               near = d->hit && d->reason.before && d->front->steps_over,
               stops = (goes && (d->hit || has_stepped(d))) || is_interrupted(d);
    d->reason.before = false;
    d->hit = false;
    const bool woken = karat_timeline_pass(d->timeline);
    const uint64_t position = d->timeline->position;
    d->near = near && !woken;
    karat_writes_again(&s->writes, d->machine, position);
    s->furthest = position > s->furthest ? position : s->furthest;
    if (stops && !woken && near && goes)
        go_to(d, position - 1, &d->reason);
    else if (stops && !woken)
        stop(d, &d->reason);
    arrive(d);
}

void karat_debugger_begin(karat_debugger *d) {
    d->launched = d->machine->launched;
    karat_writes_again(&d->shared->writes, d->machine, d->timeline->position);
    if (d->shared->mode == MODE_STOPPED)
        stop(d, &(stop_reason){.kind = REASON_START});
    arrive(d);
}

_Noreturn void karat_debugger_end(karat_debugger *d, int status, const char *text) {
    d->ended = text;
    d->status = status;
    for (;;)
        stop(d, &(stop_reason){.kind = REASON_END});
}

bool karat_debugger_is_replay(const karat_debugger *d) {
    return d->timeline->position < d->shared->furthest;
}

bool karat_debugger_write(karat_debugger *d, debug_write write, const void *bytes, karat_diag *diag) {
    write.position = d->timeline->position;
    if (!karat_writes_make(&d->shared->writes, d->machine, &write, bytes, diag))
        return false;
    branch(d);
    return true;
}

void karat_debugger_select(karat_debugger *d, uint32_t thread) {
    const karat_machine *t = d->machine;
    const machine_warp *found = karat_machine_live(t, thread);
    for (uint32_t i = 0; (!found || found->thread != thread) && i < t->num_warp; i++) {
        const machine_warp *w = &t->warps[i];
        if (w->thread && !w->ended && (!found || w->thread < found->thread))
            found = w;
    }
    d->shared->selected = found ? found->thread : 0;
}
