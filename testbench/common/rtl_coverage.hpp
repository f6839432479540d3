// RTL coverage (+rtl-coverage), for the harnesses of Verilator's models: the counters that Verilator has
// built in, at the end of the run and in chosen cycles.
#pragma once

#include "verilated.h"
#include "verilated_cov.h"

#include <cstdint>
#include <string>

#include "session.hpp"

// The core, with whether Verilator has built counters in.
inline CoreInfo with_coverage(CoreInfo core) {
    core.counts_rtl = VM_COVERAGE;
    return core;
}

class RtlCoverage {
  public:
    RtlCoverage(const Session &session, VerilatedContext &context)
        : args_(session.args()), context_(context) {
#if !VM_COVERAGE
        if (args_.rtl_coverage)
            Session::fail(
                "+rtl-coverage: this core was built without coverage (karat_add_core(... COVERAGE line))");
#endif
    }

    // Before each clock cycle.
    void at(uint64_t cycle) {
        if (next_ < args_.num_rtl_cycles && cycle >= args_.rtl_cycles[next_])
            write(std::string(args_.rtl_coverage) + "." + std::to_string(args_.rtl_cycles[next_++]));
    }

    // At the end; cycles that the run did not reach have the counters of the end.
    void finish() {
        while (next_ < args_.num_rtl_cycles)
            at(UINT64_MAX);
        if (args_.rtl_coverage)
            write(args_.rtl_coverage);
    }

  private:
    void write(const std::string &path) {
        Session::write_lines(path, [this]([[maybe_unused]] const char *next) {
#if VM_COVERAGE
            context_.coveragep()->write(next);
#endif
        });
    }

    const Args &args_;
    [[maybe_unused]] VerilatedContext &context_;
    uint32_t next_ = 0; // Of rtl_cycles
};
