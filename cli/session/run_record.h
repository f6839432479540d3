/* A run on the model as a recording of a core "model" that provides every kind of record: for `karat check`
 * and other readers of recordings. A cycle is a step. */
#ifndef KARAT_RUN_RECORD_H
#define KARAT_RUN_RECORD_H

#include "run_session.h"
#include "run_strict.h"

typedef struct recorder recorder;

/* path: NULL, no file is written. strict: gets the records at each step; NULL: it does not want them. Both
 * must outlive it. NULL: an error was reported. */
recorder *recorder_open(session *s, const char *path, run_strict *strict);

/* That kernel is about to run. False: an error was reported. */
bool recorder_kernel(recorder *r, uint32_t index);
/* Its memory has been laid out. False: out of memory. */
bool recorder_placed(recorder *r);
/* The hooks of session_run(). */
void recorder_launch(recorder *r, const karat_sched_warp *warp, const karat_launch_desc *desc);
void recorder_step(recorder *r, const karat_sched_warp *warp, const karat_commit *commit);
void recorder_host_write(recorder *r, uint64_t addr, const void *bytes, size_t size);
void recorder_host_csr(recorder *r, uint32_t handle, uint32_t csr, uint32_t value);
/* It has ended, or not. */
void recorder_end(recorder *r, const karat_sched_result *result);

/* There are no more kernels: the last record. It may be NULL. */
void recorder_bye(recorder *r);
/* Ends the record where recorder_bye() has not, writes the rest and frees it; it may be NULL. False: an
 * error was reported. */
bool recorder_close(recorder *r);

#endif
