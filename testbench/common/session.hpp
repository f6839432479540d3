// A lockstep run, whatever simulates the core: command line, kernels, host, retire port, checker, verdict.
//
//  1. Session(argc, argv, core) takes the command line and loads the kernels; it ends the process where there
//  is
//     nothing to run (+help, bad input).
//  2. connect() gives it device memory. The core's records reach the checker through the retire port from
//  here on.
//  3. Each clock cycle the harness drives the dispatch port with offer(), and after the rising edge, when the
//  core's
//     records of that edge are in, tells after_edge() what happened at it, until that says that the run is
//     over.
//  4. finish() prints the verdict and returns the exit status.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "args.hpp"
#include "core_desc.h"
#include "host.h"
#include "port.h"
#include "trace.h"
#include "traffic.h"

template <class T, void (*Destroy)(T *)> struct Deleter {
    void operator()(T *object) const { Destroy(object); }
};
// Owns an object of the C interfaces.
template <class T, void (*Destroy)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Destroy>>;
using Description = Handle<karat_core_desc, karat_core_desc_free>;
using Traffic = Handle<karat_traffic, karat_traffic_destroy>;

// What the session has to know of the core; ingot_core.hpp has ingot's.
struct CoreInfo {
    uint32_t num_sm, num_warp, num_thread, lds_bytes; // warps and bytes of each SM
    uint32_t num_sgpr, num_vgpr, reg_granule;         // rows of an SM's register files
    const char *description;                          // JSON (core_desc.h), where +core names no other
    struct Fault {
        const char *name, *kind, *file;
        int line;
    };
    bool has_faults;
    std::vector<Fault> faults; // that +fault=NAME switches on
};

// What the core did at a rising edge.
struct Edge {
    bool accepted = false; // the workgroup on offer
    bool done = false;     // the workgroup done_index has ended
    uint32_t done_index = 0;
    bool print = false; // the warp in that slot has written CSR_PRINT
    uint32_t print_sm = 0, print_slot = 0;
};

class Session {
  public:
    Session(int argc, char **argv, const CoreInfo &core);
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    // Ends the process with one line and the status of bad input.
    [[noreturn]] static void fail(const std::string &message);

    const Args &args() const { return args_; }
    uint64_t cycle() const { return cycle_; } // rising edges since reset
    // For Verilator's random start-up state: nothing may depend on it.
    int random_seed() const { return static_cast<int>(args_.seed % INT32_MAX) + 1; }
    // What the core reads as plusargs (+fault=, +no-read, ...): the arguments, with the seed as the number that was understood.
    std::vector<const char *> plusargs() const { return plusargs_; }
    // Whether a waveform of that cycle is asked for.
    bool traces(uint64_t cycle) const {
        return !args_.trace.empty() && cycle >= args_.trace_from && cycle <= args_.trace_to;
    }

    // Latency and back-pressure as the command line says.
    Traffic make_traffic() const;

    // Memory must outlive the session's last after_edge().
    void connect(const karat_host_memory &memory);

    // The workgroup that waits to be dispatched; nullptr: none.
    const karat_workgroup *offer() const { return karat_host_offer(host_.get()); }

    // A rising edge is over. memory_idle: the core's memory ports have no request on its way. True: the run
    // is over.
    bool after_edge(const Edge &edge, bool memory_idle);

    // The test bench itself has found the core wrong.
    void object(const std::string &what);

    // An access of the core's found no memory: the first is told at the end.
    void bad_access(bool store, uint32_t lane, uint32_t addr);

    // A failed assertion in the core, from the simulator; the first one counts. vl_stop.cpp takes Verilator's
    // here.
    static void assertion_failed(const std::string &text);

    // Prints verdict and report, writes the JSON file; returns the exit status. Once, at the end.
    karat_verdict finish();

  private:
    void check_fault(const CoreInfo &core) const;
    void load_kernels();
    void load_description();
    void create_checker();
    void check_json() const;
    void set_plusargs();
    void set_rerun();
    void show_progress();
    void end_recording();
    void write_json();

    Args args_;
    std::string seed_arg_;
    std::vector<const char *> plusargs_;
    const int argc_;
    char **const argv_;
    const CoreInfo core_;
    std::vector<karat_kernel *> kernels_;
    std::vector<const karat_kernel *> kernel_list_;
    std::vector<karat_lines *> lines_; // nullptr: that kernel has none
    std::vector<const karat_lines *> line_list_;
    std::string program_;
    Description description_;
    std::vector<char> rerun_;
    Handle<karat_port, karat_port_destroy> port_;
    Handle<karat_checker, karat_checker_destroy> checker_;
    Handle<karat_host, karat_host_destroy> host_;
    karat_trace_writer *recording_ = nullptr; // +record
    uint64_t cycle_ = 0;
    uint64_t end_ = UINT64_MAX; // cycle to stop in
    uint32_t bye_reason_ = KARAT_BYE_DONE;
    bool objected_ = false;
    bool progress_shown_ = false;
    struct {
        bool any, store;
        uint64_t cycle;
        uint32_t lane, addr;
    } bad_access_{};
};
