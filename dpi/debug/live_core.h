/* The model beside a core: the run that the debugger follows is the core's records, in the order in which
 * the checker takes them. An event is a record after the first LAUNCH, which is position 0. */
#ifndef KARAT_DEBUG_LIVE_CORE_H
#define KARAT_DEBUG_LIVE_CORE_H

#include "check.h"
#include "open.h"

typedef struct karat_live_core karat_live_core;

/* NULL: memory is short. config: of the checker, with the names of its kernels; what it points to must
 * outlive the result. */
karat_live_core *karat_live_core_create(const karat_check_config *config);
void karat_live_core_destroy(karat_live_core *live);
/* For the checker's config.watch. It must not move. */
const karat_check_watch *karat_live_core_watch(karat_live_core *live);
/* For the debugger: num_warp, source, report and its context. */
karat_debug_config karat_live_core_config(karat_live_core *live, const char *source);
/* The checker that is created with that watch, and the debugger, which has been started: before the first
 * record. */
void karat_live_core_begin(karat_live_core *live, karat_checker *checker, karat_debugger *debugger);

/* A sink of the retire port, in place of karat_checker_record(); context: the karat_live_core. */
bool karat_live_core_record(void *live, const void *record, size_t size);
/* The stream is over. */
_Noreturn void karat_live_core_end(karat_live_core *live);

#endif
