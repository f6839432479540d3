/* Snapshots of a run, from which a stretch of it is run again: processes that sleep.
 *
 *  1. Every so many cycles karat_snapshots_pass() forks. The child is the snapshot: it sleeps. The parent is
 *     the run, and remains the process that was started. The two newest snapshots live; a process shares the
 *     memory that it has not written to with its parent.
 *  2. karat_snapshots_wake() gives a snapshot an order, which karat_snapshots_pass() returns in the child,
 *     and waits for its end.
 *  3. A snapshot ends with its parent, in whatever way that ends, and takes no signal of the terminal.
 *
 * A debugger's timeline (dpi/debug/timeline.h) goes back many times, and its run moves from process to
 * process. Here the run must stay in its process, since its files, threads and exit status do, and one step
 * back is enough.
 */
#ifndef KARAT_TESTBENCH_SNAPSHOTS_H
#define KARAT_TESTBENCH_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct karat_snapshots karat_snapshots;

enum { KARAT_SNAPSHOTS_ORDER = 64 }; /* Bytes of an order, at most */

/* NULL: memory is short. */
karat_snapshots *karat_snapshots_create(uint64_t interval);
/* Ends them all; nothing in a snapshot that was woken, where the list is its parent's. */
void karat_snapshots_destroy(karat_snapshots *snapshots);

/* The next cycle for which karat_snapshots_pass() has work. */
uint64_t karat_snapshots_next(const karat_snapshots *snapshots);
/* Take a snapshot of that cycle. False in the run. True in a snapshot that has been woken, with the order's
 * size bytes. Where no process can be made, or memory would not suffice for another, there is one less. */
bool karat_snapshots_pass(karat_snapshots *snapshots, uint64_t cycle, void *order, size_t size);

/* Wake the newest snapshot at or before that cycle, or else the oldest, if it is at or before the cycle last,
 * and wait until it ends; *from: its cycle. Its exit status; -1: there is none, or it ended by a signal; or
 * stop() has become true, and it was ended. */
int karat_snapshots_wake(karat_snapshots *snapshots, uint64_t cycle, uint64_t last, const void *order,
                         size_t size, int (*stop)(void), uint64_t *from);

#endif
