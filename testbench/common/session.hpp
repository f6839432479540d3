// The C++ harnesses' session.h: it owns the objects of the C interfaces, and a failure ends the process with
// one line and the status of bad input.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "session.h"

template <class T, void (*Destroy)(T *)> struct Deleter {
    void operator()(T *object) const { Destroy(object); }
};
// Owns an object of the C interfaces.
template <class T, void (*Destroy)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Destroy>>;
using Traffic = Handle<karat_traffic, karat_traffic_destroy>;
using Args = karat_args;
using Edge = karat_edge;

// A karat_core_info with the memory that it points to, and the core's name: the harness is karat-<name>.
struct CoreInfo {
    std::string name;
    uint32_t num_sm, num_warp, num_thread, lds_bytes;
    uint32_t num_sgpr, num_vgpr, reg_granule;
    const char *description;
    bool has_faults;
    std::vector<karat_core_fault> faults;
    bool translates = false;     // The core has an MMU, which +sv39 requires
    bool starts_partial = false; // The core takes workgroups some of whose threads do not start
    bool counts_rtl = false;     // Set by with_coverage() of rtl_coverage.hpp
};

// Time in a waveform: 1 ns is a cycle. At time N are the signals of which the records of cycle N are made,
// and N.5 is its rising edge.
constexpr unsigned kWaveScale = 10; // Units of time in a cycle
inline uint64_t wave_time(uint64_t cycle, bool clk) {
    return kWaveScale * cycle + (clk ? kWaveScale / 2 : 0);
}
template <class Writer> void set_wave_time(Writer &writer) {
    writer.set_time_unit("1ns");
    writer.set_time_resolution("100ps");
}

class Session {
  public:
    // Takes the command line and loads the kernels; ends the process where there is nothing to run (+help,
    // bad input). signals: as in karat_session_config.
    Session(int argc, char **argv, const CoreInfo &core, karat_wave_signals *signals = nullptr);
    ~Session() { karat_args_free(&args_); }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    // Ends the process with one line and the status of bad input.
    [[noreturn]] static void fail(const std::string &message);

    const Args &args() const { return args_; }
    uint64_t cycle() const { return karat_session_cycle(session_.get()); } // Rising edges since reset
    // For Verilator's random start-up state: nothing may depend on it.
    int random_seed() const { return static_cast<int>(args_.seed % INT32_MAX) + 1; }
    // The core's plusargs (+fault=, +no-read, ...): the arguments, with the seed as a number and all faults
    // in one.
    std::vector<const char *> plusargs() const { return plusargs_; }
    // Whether the waveform, where there is one, has that cycle.
    bool traces(uint64_t cycle) const { return cycle >= trace_from_ && cycle <= trace_to_; }

    // +wave-window: before each cycle. True where the harness begins the waveform and goes on (session.h).
    bool snapshot() {
        return args_.wave_window && karat_session_snapshot(session_.get(), &trace_from_, &trace_to_);
    }
    // The warp at fault, as its records show it; nullptr: none.
    karat_wave_warp *wave_warp() const { return karat_session_wave_warp(session_.get()); }

    // The file for the waveform, and its end: it must be closed before finish(). Not called without a
    // waveform.
    const char *trace_file() const { return karat_session_trace(session_.get()); }
    template <class Close> void close_trace(const Close &close) {
        begin_closing();
        close();
        if (!closed_whole())
            karat_session_trace_broken(session_.get());
    }

    // A file of text that write() writes under the name that it is given; it is there when it is whole. A
    // library that does not say that a disk is full leaves one that ends within a line. Ends the process
    // where it cannot be written.
    static void write_lines(const std::string &path, const std::function<void(const char *)> &write);

    // Latency and back-pressure of the command line.
    Traffic make_traffic() const;

    // Memory must outlive finish().
    void connect(const karat_host_memory &memory);

    // The workgroup that waits to be dispatched; nullptr: none.
    const karat_workgroup *offer() const { return karat_session_offer(session_.get()); }

    // A rising edge is over. memory_idle: the core's memory ports have no request under way. True: the run is
    // over.
    bool after_edge(const Edge &edge, bool memory_idle);

    // Memory has performed that request, and may have stored.
    void performed(const karat_ram_req &req) { karat_session_performed(session_.get(), &req); }

    // An access of the core found no memory: the first is reported at the end.
    void bad_access(bool store, uint32_t lane, uint64_t addr) {
        karat_session_bad_access(session_.get(), store, lane, addr);
    }

    // A failed assertion in the core, from the simulator; the first one counts. vl_stop.cpp takes Verilator's
    // here.
    static void assertion_failed(const std::string &text);

    // Prints verdict and report, writes the JSON file; returns the exit status. Once, at the end.
    karat_verdict finish();

  private:
    static void begin_closing();
    static bool closed_whole();
    void list_faults() const;
    bool changes_pages() const;
    void set_plusargs(int argc, char **argv);

    const CoreInfo core_;
    Args args_{};
    uint64_t trace_from_, trace_to_;
    std::string seed_arg_, faults_arg_;
    std::vector<const char *> plusargs_;
    Handle<karat_session, karat_session_destroy> session_;
};
