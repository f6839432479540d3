#include "args.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

const char *const usage =
    "usage: karat-<core> +kernel=FILE[,FILE...] [option ...]\n"
    "Runs kernels on a Verilated core in lockstep with Karat's golden model.\n"
    "  +kernel=FILE[,FILE...]  .metadata (its .data beside it) or ELF files, run in order on one memory\n"
    "  +seed=N                 seed of memory latency and back-pressure (1)\n"
    "  +latency=MIN[:MAX]      memory latency in cycles (4:20)\n"
    "  +stall=PERCENT          cycles in which a memory port refuses requests (10)\n"
    "  +init=zero|one|random   bits that no reset sets, at the start (random, from the seed)\n"
    "  +max-cycles=N           stop after N cycles: verdict INCOMPLETE (no limit)\n"
    "  +hang=N                 cycles without progress of a warp that make a HANG (100000); looked at\n"
    "                          every 1024 cycles\n"
    "  +trace=FILE             write a waveform (FST); +trace-from=N, +trace-to=N: only those cycles\n"
    "  +record=FILE            record the run, for `karat check`\n"
    "  +json=FILE              write verdict and report as JSON\n"
    "  +fault=NAME             switch on a built-in fault; +faults lists them\n"
    "  +no-read, +no-audit     the probe leaves READ or AUDIT records out\n"
    "  +no-check               no records at all, to time the core alone: verdict INCOMPLETE\n"
    "  +no-assert              the core's own assertions are off: what the checker finds by itself\n"
    "  +go-on                  do not stop at a verdict, but at the program's end or at +max-cycles, which "
    "it wants: a\n"
    "                          recording then holds the whole run\n"
    "  +quiet                  print the verdict line only\n"
    "  +help                   this text\n"
    "Exit status: 0 PASS, 1 MISMATCH, 2 bad input or usage, 3 HANG, 4 PROGRAM ERROR, 5 INCOMPLETE.\n";

namespace {

bool parse_number(const std::string &text, uint64_t limit, uint64_t &value) {
    if (text.empty() || text[0] < '0' || text[0] > '9')
        return false;
    char *end = nullptr;
    errno = 0;
    value = std::strtoull(text.c_str(), &end, 0);
    return !errno && !*end && value <= limit;
}

bool parse_number(const std::string &text, uint32_t &value) {
    uint64_t wide;
    if (!parse_number(text, UINT32_MAX, wide))
        return false;
    value = static_cast<uint32_t>(wide);
    return true;
}

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    for (size_t at = 0;;) {
        size_t next = text.find(separator, at);
        parts.push_back(text.substr(at, next - at));
        if (next == std::string::npos)
            return parts;
        at = next + 1;
    }
}

bool starts_with(const char *text, const char *prefix) {
    return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

} // namespace

bool Args::parse(int argc, char **argv, std::string &error) {
    for (int i = 1; i < argc; i++) {
        std::string arg = argv[i];
        size_t equals = arg.find('=');
        std::string name = arg.substr(0, equals);
        bool has_value = equals != std::string::npos;
        std::string value = has_value ? arg.substr(equals + 1) : "";
        bool ok = has_value;
        if (name == "+kernel") {
            for (const std::string &file : split(value, ',')) {
                ok = ok && !file.empty();
                kernels.push_back(file);
            }
        } else if (name == "+seed") {
            ok = ok && parse_number(value, UINT64_MAX, seed);
        } else if (name == "+latency") {
            std::vector<std::string> parts = split(value, ':');
            ok = ok && parts.size() <= 2 && parse_number(parts.front(), latency_min) &&
                 parse_number(parts.back(), latency_max) && latency_min >= 1 && latency_min <= latency_max;
        } else if (name == "+stall") {
            ok = ok && parse_number(value, stall_percent) && stall_percent <= 99;
        } else if (name == "+init") {
            init = value == "zero" ? 0 : value == "one" ? 1 : 2;
            ok = ok && (init < 2 || value == "random");
        } else if (name == "+trace") {
            trace = value;
            ok = ok && !value.empty();
        } else if (name == "+trace-from") {
            ok = ok && parse_number(value, UINT64_MAX, trace_from);
        } else if (name == "+trace-to") {
            ok = ok && parse_number(value, UINT64_MAX, trace_to);
        } else if (name == "+fault") {
            fault = value;
            ok = ok && !value.empty();
        } else if (name == "+max-cycles") {
            ok = ok && parse_number(value, UINT64_MAX, max_cycles) && max_cycles > 0;
        } else if (name == "+hang") {
            ok = ok && parse_number(value, UINT64_MAX, hang) && hang > 0;
        } else if (name == "+record") {
            record = value;
            ok = ok && !value.empty();
        } else if (name == "+json") {
            json = value;
            ok = ok && !value.empty();
        } else if (arg == "--help" || arg == "-h") {
            help = true;
        } else if (name == "+quiet" || name == "+help" || name == "+faults" || name == "+no-read" ||
                   name == "+no-audit" || name == "+no-check" || name == "+no-assert" || name == "+go-on") {
            ok = !has_value;
            quiet |= name == "+quiet";
            no_check |= name == "+no-check";
            no_assert |= name == "+no-assert";
            go_on |= name == "+go-on";
            help |= name == "+help";
            list_faults |= name == "+faults";
        } else {
            error = "unknown argument '" + arg + "' (+help lists them)";
            return false;
        }
        if (!ok) {
            error = "bad argument '" + arg + "' (+help says what it takes)";
            return false;
        }
    }
    if (kernels.empty() && !help && !list_faults) {
        error = "no kernel given: +kernel=FILE (+help lists the arguments)";
        return false;
    }
    if (go_on && !max_cycles) {
        error = "+go-on wants +max-cycles=N: a core that has failed may never come to an end";
        return false;
    }
    return true;
}

// A word that the shell takes apart is quoted.
static std::string quoted(const std::string &word) {
    if (word.find_first_of(" \t'\"\\$&;|<>()*?[]`!#~") == std::string::npos)
        return word;
    std::string text = "'";
    for (char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string Args::rerun(int argc, char **argv, uint64_t cycle) {
    const uint64_t before = 200, after = 20;
    std::string command = argv[0];
    for (int i = 1; i < argc; i++)
        if (!starts_with(argv[i], "+trace") && !starts_with(argv[i], "+record="))
            command += " " + quoted(argv[i]);
    uint64_t from = cycle > before ? cycle - before : 0;
    return command + " +trace=karat.fst +trace-from=" + std::to_string(from) +
           " +trace-to=" + std::to_string(cycle + after);
}
