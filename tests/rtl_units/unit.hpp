// Shared by the test benches of ingot's arithmetic units: options, counting, and the proof that a bench can
// fail.
//
// A bench is a function that drives one Verilated unit and compares it with golden/fp until it has made so
// many cases, or has found a difference.  It runs once on the unit as it is; with --faults once for every
// fault marker in the unit's own files as well, each of which it has to find.
#ifndef KARAT_TESTS_RTL_UNITS_UNIT_HPP
#define KARAT_TESTS_RTL_UNITS_UNIT_HPP

#include "verilated.h"

#include "fp/f32.h"
#include "karat_faults.h"
#include "unit_config.hpp"
#include "../fp/f32_operands.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

struct Options {
    uint64_t cases = 0; // 0: the bench's default
    uint64_t seed = 0;
    bool faults = false;
    bool full = false; // Every operand there is, where a bench knows how
};

// One run of a bench.
class Run {
  public:
    Run(const Options &options, const char *fault) : options_(options) {
        rng.state = options.seed;
        context.randReset(2); // Registers start with random values
        context.randSeed(static_cast<int>(options.seed % 0x7fffffff) + 1);
        context.assertOn(true);
        const std::string plusarg = std::string("+fault=") + (fault ? fault : "");
        const char *argv[] = {UNIT_NAME, plusarg.c_str()};
        context.commandArgs(2, argv);
        current = this;
    }
    ~Run() { current = nullptr; }

    const Options &options() const { return options_; }
    uint64_t cases() const { return cases_; }
    bool failed() const { return !failure_.empty(); }
    const std::string &failure() const { return failure_; }

    // One more comparison is about to be made. False when it is time to stop.
    bool more(uint64_t wanted) const { return !failed() && cases_ < wanted; }
    void count() { cases_++; }

    // The first difference is kept.
    __attribute__((format(printf, 2, 3))) void fail(const char *format, ...) {
        if (failed())
            return;
        char text[512];
        va_list list;
        va_start(list, format);
        std::vsnprintf(text, sizeof text, format, list);
        va_end(list);
        failure_ = text;
    }

    struct rng rng {};
    VerilatedContext context;
    std::string note; // Figures worth printing after a run without a difference

    static inline Run *current = nullptr;

  private:
    const Options &options_;
    uint64_t cases_ = 0;
    std::string failure_;
};

// Verilator calls this for a failed assertion, after printing it.
void vl_stop(const char *file, int line, const char *scope) {
    if (Run::current)
        Run::current->fail("assertion failed: %s:%d in %s", file, line, scope);
}

// ---- values ----

struct Result {
    uint32_t value;
    uint32_t flags;
};

// As a port, fp_result_t has its flags above the value.
inline Result result_of(uint64_t port) {
    return {static_cast<uint32_t>(port), static_cast<uint32_t>(port >> 32)};
}

inline bool operator==(const Result &a, const Result &b) {
    return a.value == b.value && a.flags == b.flags;
}

inline const char *rm_name(unsigned rm) {
    static const char *const names[] = {"rne", "rtz", "rdn", "rup", "rmm"};
    return rm < 5 ? names[rm] : "reserved";
}

template <class Model> void clock_edge(Model &model) {
    model.clk_i = 1;
    model.eval();
    model.clk_i = 0;
    model.eval();
}

// ---- the command ----

inline bool listed(const char *list, const char *wanted) {
    std::istringstream names(list);
    for (std::string name; names >> name;)
        if (name == wanted)
            return true;
    return false;
}

// Whether this bench has to find a marker: those of UNIT_FILES without UNIT_EXCEPT, and UNIT_ALSO, which are
// lists with blanks between.
inline bool own_fault(const karat_fault &fault) {
    return listed(UNIT_ALSO, fault.name) ||
           (listed(UNIT_FILES, fault.file) && !listed(UNIT_EXCEPT, fault.name));
}

inline bool find_faults(const Options &options, void (*bench)(Run &)) {
    unsigned found = 0, missed = 0;
    std::istringstream names(UNIT_FILES);
    for (std::string name; names >> name;) {
        unsigned markers = 0;
        for (const karat_fault &fault : karat_faults)
            markers += name == fault.file;
        if (markers < 2) {
            std::printf("%s: %u markers, where there should be two at least\n", name.c_str(), markers);
            missed++;
        }
    }
    for (const karat_fault &fault : karat_faults) {
        if (!own_fault(fault))
            continue;
        Run run(options, fault.name);
        bench(run);
        if (run.failed()) {
            found++;
            std::printf("  %-22s found in case %-9" PRIu64 " %s\n", fault.name, run.cases(),
                        run.failure().c_str());
        } else {
            missed++;
            std::printf("  %-22s NOT FOUND in %" PRIu64 " cases (%s:%d: %s)\n", fault.name, run.cases(),
                        fault.file, fault.line, fault.faulty);
        }
    }
    std::printf("%s: %u faults found, %u problems\n", UNIT_NAME, found, missed);
    return missed == 0;
}

inline uint64_t number(const char *text, const char *option) {
    char *end;
    uint64_t value = std::strtoull(text, &end, 0);
    if (*text == '\0' || *end != '\0') {
        std::fprintf(stderr, "%s: %s wants a number, not '%s'\n", UNIT_NAME, option, text);
        std::exit(2);
    }
    return value;
}

inline int unit_main(int argc, char **argv, uint64_t default_cases, void (*bench)(Run &)) {
    Options options;
    options.cases = default_cases;
    for (int i = 1; i < argc; i++) {
        if (!std::strcmp(argv[i], "--faults")) {
            options.faults = true;
        } else if (!std::strcmp(argv[i], "--full")) {
            options.full = true;
        } else if (!std::strcmp(argv[i], "--cases") && i + 1 < argc) {
            options.cases = number(argv[++i], "--cases");
        } else {
            std::fprintf(stderr, "usage: %s [--cases N] [--faults] [--full]; KARAT_SEED=N repeats a run\n",
                         argv[0]);
            return 2;
        }
    }
    options.seed = test_seed();

    bool good;
    {
        Run run(options, nullptr);
        bench(run);
        good = !run.failed() && run.cases() > 0;
        if (good)
            std::printf("%s: %" PRIu64 " cases equal%s%s\n", UNIT_NAME, run.cases(),
                        run.note.empty() ? "" : "; ", run.note.c_str());
        else
            std::printf("%s: case %" PRIu64 ": %s\n", UNIT_NAME, run.cases(), run.failure().c_str());
    }
    if (options.faults)
        good = find_faults(options, bench) && good;
    return good ? 0 : 1;
}

#endif
