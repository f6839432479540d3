/* The positions of a deterministic run, in both directions: snapshots are processes.
 *
 *  1. karat_timeline_start() forks. The first process becomes the supervisor: it waits, and the call
 *     returns there when the run is over. The second one is the run.
 *  2. The run calls karat_timeline_pass() after each event. Its position is the number of events so far.
 *  3. Now and then karat_timeline_pass() forks. The parent sleeps and is the snapshot of that position;
 *     the child is the run from then on. A process shares the memory that it has not written to with its
 *     parent, so that a snapshot costs what the run changes after it.
 *  4. karat_timeline_seek() ends the run and wakes a snapshot, which forks again: its child comes out of
 *     karat_timeline_pass() and is the run from then on. Events after it are those of the first time,
 *     since the run is deterministic.
 *
 * Everything that must not go back with the run is in a block of memory that all processes share.
 * Descriptors must be open before the start. Files that the run reads are put back to where they were, but
 * for standard input, which is the front end's. Whatever becomes of the supervisor, the other processes
 * end with it. The signal that wakes a snapshot, SIGUSR1, is blocked from the start on. */
#ifndef KARAT_TIMELINE_H
#define KARAT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct karat_timeline {
    struct timeline_common *common;
    void *shared;            /* The block */
    size_t size;             /* Of the mapping */
    uint64_t position, next; /* Events so far, and at the next snapshot */
    int wake;                /* A signalfd: a snapshot sleeps on it */
    int life
        /* The supervisor has the second end, everybody else the first: readable when the supervisor has
         * gone, for poll() */
        [2];
} karat_timeline;

/* Snapshots at most, 2 to 64, and a block of size bytes, all 0, which every process of the run shares.
 * When there is no room for another snapshot, or all of them could need more than half of the memory that
 * was available at first, every other one ends, and the events from one to the next are doubled. NULL:
 * errno. */
karat_timeline *karat_timeline_create(unsigned snapshots, uint64_t first_interval, size_t size);
void karat_timeline_destroy(karat_timeline *timeline);

/* True in the run. False in the supervisor, once the run is over: *status is that of karat_timeline_end(),
 * or -1 where the run ended without it, or no process could be made. */
bool karat_timeline_start(karat_timeline *timeline, int *status);

/* The run is over: ends the process. */
_Noreturn void karat_timeline_end(karat_timeline *timeline, int status);

/* An event has taken place. True in a process that has been woken here: what it knew of the event was
 * known before. */
bool karat_timeline_pass(karat_timeline *timeline);

/* The newest snapshot at or before that position; its own position. */
uint64_t karat_timeline_before(const karat_timeline *timeline, uint64_t position);
/* Continue from that snapshot: does not return. The caller has left in the shared block what is to be done
 * from there. */
_Noreturn void karat_timeline_seek(karat_timeline *timeline, uint64_t position);

/* The run will be another one after this position: the snapshots of later ones end. */
void karat_timeline_forget(karat_timeline *timeline);

/* Snapshots that there are, and events from one to the next, for a status line. */
unsigned karat_timeline_snapshots(const karat_timeline *timeline, uint64_t *interval);

#endif
