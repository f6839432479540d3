// Verilator (with VL_USER_FATAL) calls this for errors from which it cannot continue. Its own function
// flushes all waveforms first: where the waveform itself cannot be written, that waits for ever for a lock
// that the caller holds.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "verilated.h"

void vl_fatal(const char *file, int line, const char *scope, const char *text);

void vl_fatal(const char *file, int line, const char *, const char *text) {
    const std::string message = text, writes = "VerilatedVcd::bufferFlush: ", given = "+trace=";
    std::fflush(stdout);
    if (message.compare(0, writes.size(), writes) == 0) {
        std::string wave = Verilated::threadContextp()->commandArgsPlusMatch("trace=");
        wave.erase(0, given.size());
        std::fprintf(stderr, "karat-sv: %s: cannot be written: %s\n", wave.c_str(),
                     message.c_str() + writes.size());
        unlink(wave.c_str()); // The waveform ends anywhere
        _exit(2);             // KARAT_BAD_INPUT
    }
    if (file && *file)
        VL_PRINTF("%%Error: %s:%d: %s\n", file, line, text);
    else
        VL_PRINTF("%%Error: %s\n", text);
    Verilated::runFlushCallbacks();
    Verilated::runExitCallbacks();
    std::abort();
}
