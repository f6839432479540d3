// The command line of karat-<core>: +name=value arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct Args {
    std::vector<std::string> kernels;
    uint64_t seed = 1;
    uint32_t latency_min = 4, latency_max = 20;
    uint32_t stall_percent = 10;
    int init = 2; // as VerilatedContext::randReset() takes it
    std::string trace;
    uint64_t trace_from = 0, trace_to = UINT64_MAX;
    std::string fault;
    uint64_t max_cycles = 0; // 0: no limit
    uint64_t hang = 100000;
    std::string record;
    std::string json;
    bool quiet = false;
    bool no_check = false;
    bool go_on = false;
    bool no_assert = false;
    bool help = false;
    bool list_faults = false;

    // Returns false with one line in error.
    bool parse(int argc, char **argv, std::string &error);

    // The same command with a waveform around that cycle.
    static std::string rerun(int argc, char **argv, uint64_t cycle);
};

extern const char *const usage;
