// The Verilated ingot as a SystemC module, with its probe: its records go to the retire port of the session.
//
// Everything happens at the rising edge of clk_i. Reset is asynchronous and active low: it must be low at the
// first rising edges, since the state is random before. Inputs may change at any other time: the test bench's
// change at falling edges and right after rising ones.
#pragma once

#include <memory>

#include <systemc>

#include "pins.hpp"
#include "session.hpp"

class Vingot;
class VerilatedContext;
class RtlCoverage;
class VerilatedFstC;
struct WarpSignals;

class KaratCore : public sc_core::sc_module {
  public:
    sc_core::sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};
    INGOT_HOST_PINS(INGOT_IN_PORT, INGOT_OUT_PORT)
    INGOT_MEMORY_PINS(INGOT_IN_PORT, INGOT_OUT_PORT)

    // The session has the core's plusargs, and the file for a waveform.
    KaratCore(sc_core::sc_module_name name, Session &session);
    ~KaratCore() override;

    // The core, with whether the model counts RTL coverage.
    static CoreInfo describe(CoreInfo core);
    // Of a waveform that was written (session.h).
    static bool list_signals(const char *file, karat_wave_each *each, void *context);

  private:
    void start_of_simulation() override;
    void end_of_simulation() override;
    void start_assertions();
    void edge();
    void dump();
    bool open_wave();

    Session &session_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<RtlCoverage> coverage_;
    std::unique_ptr<Vingot> model_;
    std::unique_ptr<WarpSignals> warp_signals_; // Declared before the waveform that reads it
    std::unique_ptr<VerilatedFstC> wave_;       // If requested
    sc_core::sc_event settled_;
    uint64_t wave_cycle_ = 0;
    bool out_of_reset_ = false;
};
