// Runs kernels on a Verilated core in lockstep with the golden model.
//
//   host and memory models  <-- adapter -->  core  -- probe, DPI -->  retire port  -->  checker
//
// This file clocks the core. The core's adapter (karat_adapter.hpp) moves values between its pins and the
// models; common/session.hpp does the rest.
#include "Vkarat_dut.h"
#include "verilated.h"

#include "fst.hpp"
#include "karat_dut_adapter.hpp" // The adapter's adapter.hpp
#include "rtl_coverage.hpp"
#include "session.hpp"

#include <memory>
#include <string>
#include <vector>

namespace {

class Harness {
  public:
    explicit Harness(Session &session) : session_(session), coverage_(session, context_) {
        std::vector<const char *> plusargs = session.plusargs();
        context_.commandArgs(static_cast<int>(plusargs.size()), plusargs.data());
        context_.randReset(session.args().init);
        context_.randSeed(session.random_seed());
        context_.assertOn(false); // Registers have any value before the reset
        if (session.args().trace || session.args().wave_window)
            context_.traceEverOn(true);
        top_ = std::make_unique<Vkarat_dut>(&context_);
        adapter_ = std::make_unique<Adapter>(session, *top_);
        if (session.trace_file() && !open_trace())
            Session::fail(std::string(session.args().trace) + ": cannot be written");
    }

    ~Harness() { top_->final(); }

    void run() {
        reset();
        // Threads do not come along into a snapshot.
        const bool forks = top_->threads() <= 1;
        do {
            coverage_.at(session_.cycle());
            if (forks && session_.snapshot()) {
                warp_signals_.warp = session_.wave_warp();
                open_trace();
            }
        } while (!clock_cycle());
        if (trace_.isOpen())
            session_.close_trace([this] { trace_.close(); });
    }

    void write_coverage() { coverage_.finish(); }

  private:
    bool open_trace() {
        top_->trace(&trace_, 99);
        if (warp_signals_.warp)
            warp_signals_.add_to(trace_);
        set_wave_time(trace_);
        trace_.open(session_.trace_file());
        return trace_.isOpen();
    }

    void half_cycle(bool clk) {
        const uint64_t cycle = session_.cycle();
        const uint64_t time = wave_time(cycle, clk);
        context_.time(time);
        adapter_->clock(clk);
        top_->eval();
        if (out_of_reset_ && trace_.isOpen() && session_.traces(cycle))
            trace_.dump(time);
    }

    void reset() {
        adapter_->reset(false);
        half_cycle(false);
        adapter_->reset(true); // An edge, for an asynchronous reset
        context_.assertOn(!session_.args().no_assert);
        for (unsigned i = 0; i < Adapter::kResetCycles; i++) {
            half_cycle(false);
            half_cycle(true);
        }
        adapter_->clock(false);
        adapter_->reset(false);
        out_of_reset_ = true;
    }

    // True: the run is over.
    bool clock_cycle() {
        adapter_->drive();
        half_cycle(false);
        const Edge edge = adapter_->edge();
        half_cycle(true);
        return session_.after_edge(edge, adapter_->idle());
    }

    Session &session_;
    VerilatedContext context_;
    RtlCoverage coverage_;
    WarpSignals warp_signals_; // Declared before the waveform that reads it
    VerilatedFstC trace_;
    std::unique_ptr<Vkarat_dut> top_;
    std::unique_ptr<Adapter> adapter_; // Declared before its core
    bool out_of_reset_ = false;
};

} // namespace

int main(int argc, char **argv) {
    Session session(argc, argv, with_coverage(Adapter::core()), list_signals);
    Harness harness(session);
    harness.run();
    const karat_verdict verdict = session.finish(); // It still reads memory
    harness.write_coverage();
    return verdict;
}
