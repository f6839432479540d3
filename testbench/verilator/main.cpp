// Runs kernels on a Verilated core in lockstep with the golden model.
//
//   host and memory models  <-- adapter -->  core  -- probe, DPI -->  retire port  -->  checker
//
// This file clocks the core.  The core's adapter (karat_adapter.hpp) moves values between its pins and the models;
// common/session.hpp does the rest.
#include "Vkarat_dut.h"
#include "verilated.h"
#include "verilated_fst_c.h"

#include "karat_dut_adapter.hpp" // the adapter's adapter.hpp
#include "session.hpp"

#include <memory>
#include <string>
#include <vector>

namespace {

// Lists the signals of a waveform, by the library that is part of Verilator's writer.
bool list_signals(const char *file, karat_wave_each *each, void *context) {
    void *const reader = fstReaderOpen(file);
    if (!reader)
        return false;
    std::vector<std::string> scopes{""};
    while (const fstHier *const h = fstReaderIterateHier(reader)) {
        if (h->htyp == FST_HT_SCOPE) {
            scopes.push_back(scopes.back() + h->u.scope.name + ".");
        } else if (h->htyp == FST_HT_UPSCOPE && scopes.size() > 1) {
            scopes.pop_back();
        } else if (h->htyp == FST_HT_VAR && h->u.var.typ != FST_VT_VCD_PARAMETER) {
            const std::string name = h->u.var.name;
            const size_t space = name.find(' '); // before the range
            each(context, (scopes.back() + name.substr(0, space)).c_str(),
                 space == std::string::npos ? "" : name.c_str() + space + 1);
        }
    }
    fstReaderClose(reader);
    return true;
}

// The registers of the warp at fault, and its instruction, as signals of their own. v registers have lane 0 in their lowest word.
struct WarpSignals {
    karat_wave_warp *warp = nullptr;
    uint32_t base = 0; // code of the first signal

    void add_to(VerilatedFstC &trace) {
        trace.spTrace()->addInitCb(declare, this);
        trace.spTrace()->addFullCb(dump<true>, this);
        trace.spTrace()->addChgCb(dump<false>, this);
    }

  private:
    // Code, name and words of each signal.
    template <class Each> void each_signal(const Each &each) const {
        uint32_t code = base;
        const auto put = [&](const std::string &name, const uint32_t *words, uint32_t num) {
            each(code, name, words, num);
            code += num;
        };
        put("seq", &warp->seq, 1);
        put("pc", &warp->pc, 1);
        put("word", &warp->word, 1);
        put("mask", &warp->mask, 1);
        for (uint32_t r = 0; r < KARAT_NUM_X; r++)
            put("x" + std::to_string(r), &warp->x[r], 1);
        for (uint32_t r = 0; r < KARAT_NUM_V; r++)
            put("v" + std::to_string(r), warp->v[r], warp->num_thread);
    }

    static void declare(void *self, VerilatedFst *trace, uint32_t code) {
        auto *const s = static_cast<WarpSignals *>(self);
        s->base = code;
        trace->pushNamePrefix(KARAT_WAVE_SCOPE " ");
        s->each_signal([&](uint32_t c, const std::string &name, const uint32_t *, uint32_t words) {
            trace->declArray(c, name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1,
                             static_cast<int>(32 * words) - 1, 0);
        });
        trace->popNamePrefix();
    }

    template <bool Full> static void dump(void *self, VerilatedFst::Buffer *buffer) {
        const auto *const s = static_cast<const WarpSignals *>(self);
        if (!Full && !s->warp->changed)
            return;
        s->each_signal([&](uint32_t c, const std::string &, const uint32_t *words, uint32_t num) {
            if (Full)
                buffer->fullWData(buffer->oldp(c), words, static_cast<int>(32 * num));
            else
                buffer->chgWData(buffer->oldp(c), words, static_cast<int>(32 * num));
        });
        s->warp->changed = false;
    }
};

class Harness {
  public:
    explicit Harness(Session &session) : session_(session) {
        std::vector<const char *> plusargs = session.plusargs();
        context_.commandArgs(static_cast<int>(plusargs.size()), plusargs.data());
        context_.randReset(session.args().init);
        context_.randSeed(session.random_seed());
        context_.assertOn(!session.args().no_assert);
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
            if (forks && session_.snapshot()) {
                warp_signals_.warp = session_.wave_warp();
                open_trace();
            }
        } while (!clock_cycle());
        if (trace_.isOpen())
            session_.close_trace([this] { trace_.close(); });
    }

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
        adapter_->reset(true); // an edge, for an asynchronous reset
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
    WarpSignals warp_signals_; // declared before the waveform that reads it
    VerilatedFstC trace_;
    std::unique_ptr<Vkarat_dut> top_;
    std::unique_ptr<Adapter> adapter_; // declared before its core
    bool out_of_reset_ = false;
};

} // namespace

int main(int argc, char **argv) {
    Session session(argc, argv, Adapter::core(), list_signals);
    Harness harness(session);
    harness.run();
    return session.finish(); // it still reads memory
}
