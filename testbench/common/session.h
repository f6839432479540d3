/* A lockstep run, for any simulator of the core: kernels, host, retire port, checker, recording, verdict.
 *
 *  1. karat_session_create() loads the kernels that the command line names.
 *  2. karat_session_connect() gives it device memory. The core's records reach the checker through the retire
 *     port from here on.
 *  3. Each clock cycle the harness drives the dispatch port with karat_session_offer(), and after the rising
 *     edge, when the core's records of that edge are in, reports its events to karat_session_after_edge(),
 *     until that returns that the run is over.
 *  4. karat_session_finish() prints report and verdict.
 *
 * A function that fails leaves one line in karat_session_error(), which the harness prints before it ends
 * with KARAT_BAD_INPUT.
 */
#ifndef KARAT_TESTBENCH_SESSION_H
#define KARAT_TESTBENCH_SESSION_H

#include "args.h"
#include "core_desc.h"
#include "host.h"
#include "traffic.h"
#include "wave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karat_session karat_session;

/* A fault that +fault=NAME switches on. */
typedef struct karat_core_fault {
    const char *name, *kind, *file;
    int line;
} karat_core_fault;

/* The facts about the core that the session needs. */
typedef struct karat_core_info {
    uint32_t num_sm, num_warp, num_thread, lds_bytes; /* Warps and bytes of each SM */
    uint32_t num_sgpr, num_vgpr, reg_granule;         /* Rows of an SM's register files */
    const char *description; /* JSON (core_desc.h) where +core names no other; NULL: all as in the model */
    bool has_faults;
    const karat_core_fault *faults;
    uint32_t num_faults;
    bool translates;     /* The core has an MMU, which +sv39 requires */
    bool starts_partial; /* The core takes workgroups some of whose threads do not start */
    bool counts_rtl;     /* The core was built with RTL coverage, for +rtl-coverage */
} karat_core_info;

/* All pointers must outlive the session. */
typedef struct karat_session_config {
    const char *name; /* Name of the harness, before its own lines */
    const char *wave; /* File that the report's rerun command writes a waveform to */
    int argc;
    char *const *argv;
    const karat_args *args; /* Read from argv */
    /* +trace is written by the simulator, and not by the harness, until the process ends */
    bool simulator_traces;
    /* The harness calls karat_session_snapshot() and can then begin a waveform, whose signals this lists;
     * NULL: it cannot. */
    karat_wave_signals *signals;
    uint64_t wave_scale; /* Units of the waveform's time in a cycle */
    karat_core_info core;
} karat_session_config;

/* The core's events at a rising edge. */
typedef struct karat_edge {
    bool accepted; /* The workgroup on offer */
    bool done;     /* The workgroup done_index has ended */
    uint32_t done_index;
    bool print; /* The warp in that slot has written CSR_PRINT */
    uint32_t print_sm, print_slot;
    bool fault; /* A warp has met a page fault and has stopped */
    const char
        *objection; /* A fault of the core found by the simulator, e.g. a failed assertion; NULL: none */
} karat_edge;

typedef enum karat_session_state {
    KARAT_SESSION_RUNS,
    KARAT_SESSION_OVER,
    KARAT_SESSION_FAILED
} karat_session_state;

/* Of +describe: one line of JSON to standard output. core: without "karat-". */
void karat_core_describe(const char *core, const karat_core_info *info);

/* For rtl-wrap/port/karat_wave.sv: a disassembled instruction, blank-padded, as a packed vector of
 * SystemVerilog (first character in the highest byte). profile: its name; prefix: 0 where there is none. */
#define KARAT_WAVE_CHARS 48
#pragma GCC visibility push(default) /* Interface of libkarat_sv */
void karat_wave_text(const char *profile, uint32_t pc, uint32_t prefix, uint32_t word,
                     uint32_t text[KARAT_WAVE_CHARS / 4]);
#pragma GCC visibility pop

/* Returns NULL with one line in *error, for the caller to free (NULL: memory is short). */
karat_session *karat_session_create(const karat_session_config *config, char **error);
void karat_session_destroy(karat_session *session);

const char *karat_session_error(const karat_session *session);

/* Latency and back-pressure of the command line; NULL: memory is short. */
karat_traffic *karat_session_traffic(const karat_session *session);

/* Memory must outlive karat_session_finish(), which still reads it. */
bool karat_session_connect(karat_session *session, const karat_host_memory *memory);

/* Rising edges since reset. */
uint64_t karat_session_cycle(const karat_session *session);

/* The workgroup that waits to be dispatched; NULL: none. */
const karat_workgroup *karat_session_offer(const karat_session *session);

/* +wave-window: to be called before each clock cycle, by a process that has one thread of its own making.
 * True once, in another process, which runs a stretch again for its waveform: the harness begins the waveform
 * now, and goes on as before; karat_session_finish() does not return there. Cycles of the waveform are *from
 * to *to. */
bool karat_session_snapshot(karat_session *session, uint64_t *from, uint64_t *to);
/* There: the warp at fault, as its records show it after each cycle; NULL: there is none. */
karat_wave_warp *karat_session_wave_warp(karat_session *session);

/* The file for the waveform: karat_session_finish() renames it to the name of +trace; it must be closed
 * before. NULL: no waveform (with +wave-window, before karat_session_snapshot() was true), or the simulator
 * writes it. */
const char *karat_session_trace(const karat_session *session);
/* Not all of it could be written: karat_session_finish() fails, and there is none. */
void karat_session_trace_broken(karat_session *session);

/* A rising edge is over. memory_idle: the core's memory ports have no request on its way. */
karat_session_state karat_session_after_edge(karat_session *session, const karat_edge *edge,
                                             bool memory_idle);

/* The test bench itself has found the core wrong. */
void karat_session_object(karat_session *session, const char *what);

/* Memory has performed that request, and may have stored: karat_host_stored(), where a host is connected. A
 * load's is none of its business. */
void karat_session_performed(karat_session *session, const karat_ram_req *req);

/* An access of the core found no memory: the first is reported at the end. */
void karat_session_bad_access(karat_session *session, bool store, uint32_t lane, uint64_t addr);

/* Print verdict and report, write the JSON file, once, at the end; *verdict is the exit status. */
bool karat_session_finish(karat_session *session, karat_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
