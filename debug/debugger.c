#include "debugger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SNAPSHOTS = 24,
    INTERVAL = 65536,
    STEPS = 1024, /* of a thread that are remembered while going back */
    LOOK = 4096   /* events from one look at the user's interruption to the next */
};

typedef enum mode {
    MODE_STOPPED,
    MODE_CONTINUE,
    MODE_STEP, /* until `thread` has taken `steps` in all, or has ended */
    MODE_GO,   /* to `goal`, where `reason` is that of the stop */
    MODE_SCAN  /* over (low, high], for the last place before `from` */
} mode;

/* In shared memory: it does not go back with the run. */
typedef struct common {
    mode mode;
    uint32_t thread;          /* MODE_STEP, MODE_SCAN for the steps of one: else 0 */
    uint64_t steps;           /* MODE_STEP: of that thread; MODE_SCAN for steps: how many more to go back */
    uint64_t goal;            /* MODE_GO */
    uint64_t from, low, high; /* MODE_SCAN */
    uint64_t num, last;       /* places found, at most `last`; those before the last STEPS are forgotten */
    uint64_t found[STEPS];
    stop_reason reason; /* MODE_GO: for the stop; MODE_SCAN: of found */
    uint64_t furthest;  /* the run has been there */
    uint32_t selected;  /* thread */
    karat_stops stops;
} common;

struct karat_debugger {
    karat_debug_config config;
    karat_timeline *timeline;
    common *common;
    karat_machine *machine;
    karat_front front;
    bool hit; /* in this event: */
    stop_reason reason;
    bool near;         /* the stop is on the near side of this event: karat_front.steps_over */
    uint32_t stepped;  /* thread that took the last step of this event; 0: none */
    uint32_t launched; /* launches before this event */
    const char *ended;
    int status;
};

karat_debugger *karat_debugger_create(const karat_debug_config *config) {
    karat_debugger *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->config = *config;
    const size_t own = (sizeof *d->common + 63) & ~(size_t)63;
    d->timeline =
        karat_timeline_create(config->snapshots ? config->snapshots : SNAPSHOTS,
                              config->interval ? config->interval : INTERVAL, own + config->shared_size);
    d->machine = karat_machine_create(config->num_warp);
    if (!d->timeline || !d->machine) {
        karat_debugger_destroy(d);
        return NULL;
    }
    d->common = karat_timeline_shared(d->timeline);
    return d;
}

void karat_debugger_destroy(karat_debugger *d) {
    if (!d)
        return;
    karat_timeline_destroy(d->timeline);
    karat_machine_destroy(d->machine);
    free(d);
}

void *karat_debugger_shared(const karat_debugger *d) {
    return (uint8_t *)d->common + ((sizeof *d->common + 63) & ~(size_t)63);
}

/* --- Going --- */

/* Continue from the newest snapshot at or before that position. Does not return. */
static _Noreturn void seek(karat_debugger *d, uint64_t position) {
    karat_timeline_seek(d->timeline, position);
}

static void go_to(karat_debugger *d, uint64_t goal, const stop_reason *reason) {
    common *c = d->common;
    const uint64_t now = karat_timeline_position(d->timeline);
    c->mode = MODE_GO;
    c->goal = goal;
    c->reason = *reason;
    if (goal < now || karat_timeline_before(d->timeline, goal) > now)
        seek(d, goal);
}

/* Look through the events that end at high, down to the snapshot before it. */
static _Noreturn void scan(karat_debugger *d, uint64_t high) {
    common *c = d->common;
    c->mode = MODE_SCAN;
    c->num = 0;
    c->high = high;
    c->low = karat_timeline_before(d->timeline, high - 1);
    seek(d, c->low);
}

static void go_back(karat_debugger *d, uint64_t now) {
    common *c = d->common;
    c->from = now;
    c->last = UINT64_MAX;
    if (now)
        scan(d, now);
    go_to(d, 0, &(stop_reason){.kind = REASON_BEGIN});
}

/* All of (low, high] has been looked through. */
static void end_scan(karat_debugger *d) {
    common *c = d->common;
    const uint64_t known = c->num < STEPS ? c->num : STEPS, wanted = c->thread ? c->steps : 1;
    if (wanted <= known) {
        const stop_reason reason = c->reason;
        go_to(d, c->found[(c->num - wanted) % STEPS], &reason);
        return;
    }
    if (wanted <= c->num) { /* once more, up to that place */
        c->last = c->num - wanted + 1;
        c->steps = 1;
        scan(d, c->high);
    }
    c->steps -= c->thread ? c->num : 0;
    if (c->low)
        scan(d, c->low);
    go_to(d, 0, &(stop_reason){.kind = REASON_BEGIN});
}

static void note_found(const karat_debugger *d, uint64_t position, const stop_reason *reason) {
    common *c = d->common;
    if (c->num == c->last || position > c->from ||
        (position == c->from && !(reason->before && d->front.steps_over)))
        return;
    c->found[c->num++ % STEPS] = position;
    c->reason = *reason;
}

/* Whether the orders of the front end let the run go on by itself; else they have led elsewhere. */
static void obey(karat_debugger *d, const karat_resume *r) {
    common *c = d->common;
    const uint64_t now = karat_timeline_position(d->timeline);
    uint32_t handle;
    switch (r->how) {
    case RESUME_CONTINUE: c->mode = MODE_CONTINUE; break;
    case RESUME_STEP:
        c->mode = MODE_STEP;
        c->thread = r->thread;
        c->steps = karat_machine_find(d->machine, r->thread, &handle)
                       ? karat_machine_warp(d->machine, handle)->steps + (r->count ? r->count : 1)
                       : 0;
        break;
    case RESUME_REVERSE:
        c->thread = 0;
        go_back(d, now);
        break;
    case RESUME_REVERSE_STEP:
        c->thread = r->thread;
        c->steps = r->count ? r->count : 1;
        go_back(d, now);
        break;
    case RESUME_GO_TO: go_to(d, r->position, &(stop_reason){.kind = REASON_ARRIVED}); break;
    case RESUME_QUIT: karat_timeline_end(d->timeline, r->count ? (int)r->count : d->ended ? d->status : 0);
    }
}

/* The run has stopped here. Returns when it is to go on from here. */
static void stop(karat_debugger *d, const stop_reason *why) {
    common *c = d->common;
    const stop_reason reason = *why;
    c->mode = MODE_STOPPED;
    for (uint32_t i = 0; i < c->stops.num; i++)
        if (c->stops.at[i].once && c->stops.at[i].number == reason.stop)
            karat_stops_remove(&c->stops, reason.stop);
    c->selected = reason.thread ? reason.thread : c->selected;
    karat_debugger_select(d, c->selected);
    karat_resume resume = {0};
    d->front.next(d->front.context, d, &reason, &resume);
    obey(d, &resume);
}

/* Where a run that goes somewhere has arrived. */
static void arrive(karat_debugger *d) {
    common *c = d->common;
    while ((c->mode == MODE_GO && karat_timeline_position(d->timeline) == c->goal) ||
           (c->mode == MODE_SCAN && karat_timeline_position(d->timeline) == c->high)) {
        if (c->mode == MODE_SCAN)
            end_scan(d);
        else
            stop(d, &c->reason);
    }
}

bool karat_debugger_start(karat_debugger *d, const karat_front *front, int *status) {
    d->front = *front;
    if (!karat_timeline_start(d->timeline, status))
        return false;
    return true;
}

/* --- Reports of the run --- */

void karat_debugger_kernel(karat_debugger *d, const machine_kernel *kernel) {
    karat_machine_kernel(d->machine, kernel);
}

/* The first in an event counts. */
static void hit(karat_debugger *d, const stop_reason *reason) {
    if (!d->hit)
        d->reason = *reason;
    d->hit = true;
}

machine_warp *karat_debugger_launch(karat_debugger *d, const karat_model *model, uint32_t handle,
                                    uint32_t workgroup, uint32_t warp, const karat_launch_desc *desc) {
    return karat_machine_launch(d->machine, model, handle, workgroup, warp, desc);
}

void karat_debugger_step(karat_debugger *d, uint32_t handle, const karat_commit *commit) {
    stop_reason reason;
    karat_machine_step(d->machine, handle, commit, karat_timeline_position(d->timeline) + 1);
    d->stepped = karat_machine_warp(d->machine, handle)->thread;
    if (karat_stops_step(&d->common->stops, d->machine, handle, commit, &reason))
        hit(d, &reason);
}

void karat_debugger_record(karat_debugger *d, uint32_t handle, const void *record) {
    karat_machine_record(d->machine, handle, record);
}

void karat_debugger_mismatch(karat_debugger *d, uint32_t handle, const char *text) {
    stop_reason reason = {.kind = REASON_STOP, .of = STOP_CATCH, .caught = CATCH_MISMATCH};
    karat_stops_event_is(&d->common->stops, d->machine, handle, CATCH_MISMATCH, &reason);
    reason.thread = karat_machine_warp(d->machine, handle)->thread;
    snprintf(reason.text, sizeof reason.text, "%s", text);
    hit(d, &reason);
}

/* The thread of MODE_STEP has taken its steps, or has ended. */
static bool has_stepped(const karat_debugger *d) {
    const common *c = d->common;
    uint32_t handle;
    return !karat_machine_find(d->machine, c->thread, &handle) ||
           karat_machine_warp(d->machine, handle)->steps >= c->steps;
}

/* The warps that were launched in this event. */
static void look_at_launches(karat_debugger *d) {
    const uint32_t before = d->launched;
    stop_reason reason;
    d->launched = karat_machine_launched(d->machine);
    for (uint32_t thread = before + 1, handle; thread <= d->launched; thread++)
        if (karat_machine_find(d->machine, thread, &handle) &&
            karat_stops_event_is(&d->common->stops, d->machine, handle, CATCH_LAUNCH, &reason))
            hit(d, &reason);
}

/* By the user, while the run goes somewhere. */
static bool is_interrupted(karat_debugger *d, uint64_t position) {
    if (position % LOOK || !d->front.interrupted || !d->front.interrupted(d->front.context, d))
        return false;
    d->reason = (stop_reason){.kind = REASON_INTERRUPT};
    return true;
}

/* Whether the run has to stop after this event, which will have that position. */
static bool stops_here(karat_debugger *d, uint64_t position) {
    common *c = d->common;
    switch (c->mode) {
    case MODE_CONTINUE:
    case MODE_STEP:
        d->near = d->hit && d->reason.before && d->front.steps_over;
        d->reason.before = false;
        if (d->hit)
            return true;
        d->reason = (stop_reason){.kind = REASON_STEP, .thread = c->thread};
        if (c->mode == MODE_STEP && has_stepped(d))
            return true;
        return is_interrupted(d, position);
    case MODE_SCAN:
        if (position > c->low && d->hit && !c->thread)
            note_found(d, d->reason.before && !d->front.steps_over ? position - 1 : position, &d->reason);
        if (position > c->low && d->stepped && (c->thread == d->stepped || c->thread == KARAT_ANY_THREAD))
            note_found(d, position - 1, &(stop_reason){.kind = REASON_STEP, .thread = d->stepped});
        return is_interrupted(d, position);
    case MODE_GO: return is_interrupted(d, position);
    default: return false;
    }
}

void karat_debugger_event(karat_debugger *d) {
    common *c = d->common;
    const uint64_t position = karat_timeline_position(d->timeline) + 1;
    look_at_launches(d);
    d->near = false;
    const bool stops = stops_here(d, position);
    d->hit = false;
    d->stepped = 0;
    const bool woken = karat_timeline_pass(d->timeline);
    c->furthest = position > c->furthest ? position : c->furthest;
    if (stops && !woken && d->near)
        go_to(d, position - 1, &d->reason);
    else if (stops && !woken)
        stop(d, &d->reason);
    arrive(d);
}

void karat_debugger_begin(karat_debugger *d) {
    const stop_reason start = {.kind = REASON_START};
    d->launched = karat_machine_launched(d->machine);
    if (d->common->mode == MODE_STOPPED)
        stop(d, &start);
    arrive(d);
}

_Noreturn void karat_debugger_end(karat_debugger *d, int status, const char *text) {
    d->ended = text;
    d->status = status;
    for (;;) {
        if (d->common->mode == MODE_SCAN)
            end_scan(d);
        stop(d, &(stop_reason){.kind = REASON_END});
    }
}

bool karat_debugger_is_replay(const karat_debugger *d) {
    return karat_timeline_position(d->timeline) < d->common->furthest;
}

/* --- For front ends --- */

karat_machine *karat_debugger_machine(const karat_debugger *d) {
    return d->machine;
}

karat_stops *karat_debugger_stops(const karat_debugger *d) {
    return &d->common->stops;
}

const karat_debug_config *karat_debugger_config(const karat_debugger *d) {
    return &d->config;
}

uint64_t karat_debugger_position(const karat_debugger *d) {
    return karat_timeline_position(d->timeline);
}

const karat_timeline *karat_debugger_timeline(const karat_debugger *d) {
    return d->timeline;
}

uint32_t karat_debugger_thread(const karat_debugger *d) {
    return d->common->selected;
}

/* That one, or the first that is live. */
void karat_debugger_select(karat_debugger *d, uint32_t thread) {
    uint32_t handle;
    d->common->selected = thread;
    if (karat_machine_find(d->machine, thread, &handle))
        return;
    d->common->selected = 0;
    for (uint32_t i = 0; i < karat_machine_num_warp(d->machine); i++) {
        const machine_warp *w = karat_machine_warp(d->machine, i);
        if (w->thread && !w->ended && (!d->common->selected || w->thread < d->common->selected))
            d->common->selected = w->thread;
    }
}

const char *karat_debugger_ended(const karat_debugger *d) {
    return d->ended;
}
