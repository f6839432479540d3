#include "core.hpp"

#include "Vingot.h"

#include "fst.hpp"
#include "rtl_coverage.hpp"

#include <utility>

using namespace sc_core;

KaratCore::KaratCore(sc_module_name name, Session &session)
    : sc_module(name), session_(session), context_(std::make_unique<VerilatedContext>()) {
    std::vector<const char *> plusargs = session.plusargs();
    context_->commandArgs(static_cast<int>(plusargs.size()), plusargs.data());
    context_->randReset(session.args().init);
    context_->randSeed(session.random_seed());
    context_->assertOn(false); // Before the reset, registers have any value: no assertion holds
    coverage_ = std::make_unique<RtlCoverage>(session, *context_);
    const bool may_trace = session.args().trace || session.args().wave_window;
    context_->traceEverOn(may_trace);
    Verilated::threadContextp(context_.get()); // A SystemC model takes its context from there
    model_ = std::make_unique<Vingot>("ingot");
    model_->clk_i(clk_i);
    model_->rst_ni(rst_ni);
#define BIND(type, pin) model_->pin(pin);
    INGOT_HOST_PINS(BIND, BIND)
    INGOT_MEMORY_PINS(BIND, BIND)
#undef BIND
    SC_HAS_PROCESS(KaratCore);
    SC_METHOD(start_assertions);
    sensitive << rst_ni.pos();
    dont_initialize();
    if (!may_trace && !session.args().rtl_coverage)
        return;
    SC_METHOD(edge);
    sensitive << clk_i;
    dont_initialize();
    SC_METHOD(dump);
    sensitive << settled_;
    dont_initialize();
}

KaratCore::~KaratCore() {
    model_->final();
}

CoreInfo KaratCore::describe(CoreInfo core) {
    return with_coverage(std::move(core));
}

bool KaratCore::list_signals(const char *file, karat_wave_each *each, void *context) {
    return ::list_signals(file, each, context);
}

void KaratCore::start_of_simulation() {
    if (session_.trace_file() && !open_wave())
        Session::fail(std::string(session_.args().trace) + ": cannot be written");
}

bool KaratCore::open_wave() {
    wave_ = std::make_unique<VerilatedFstC>();
    model_->trace(wave_.get(), 99);
    if (session_.wave_warp()) {
        warp_signals_ = std::make_unique<WarpSignals>();
        warp_signals_->warp = session_.wave_warp();
        warp_signals_->add_to(*wave_);
    }
    set_wave_time(*wave_);
    wave_->open(session_.trace_file());
    return wave_->isOpen();
}

void KaratCore::end_of_simulation() {
    if (wave_)
        session_.close_trace([this] { wave_->close(); });
    coverage_->finish();
}

void KaratCore::start_assertions() {
    context_->assertOn(!session_.args().no_assert);
}

// All delta cycles of an edge are over before the shortest time.
void KaratCore::edge() {
    settled_.notify(sc_get_time_resolution());
}

// At the times of the Verilator harness.
void KaratCore::dump() {
    if (!out_of_reset_ && (!rst_ni || clk_i)) // Reset may end right after a rising edge
        return;
    out_of_reset_ = true;
    if (!clk_i)
        coverage_->at(wave_cycle_);
    // SystemC's threads are none of the system, and come along into a snapshot; Verilator's do not.
    if (!clk_i && model_->threads() <= 1 && session_.snapshot())
        open_wave();
    if (wave_ && session_.traces(wave_cycle_))
        wave_->dump(wave_time(wave_cycle_, clk_i));
    wave_cycle_ += clk_i;
}
