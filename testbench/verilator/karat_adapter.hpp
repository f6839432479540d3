// The interface between main.cpp and a core's adapter, and the common part of adapters.
//
// An adapter is a folder of rtl-wrap/ (or elsewhere): adapter.cmake lists the sources, adapter.hpp has the
// class Adapter, which moves values between the core's pins and the models of the test bench. It looks like
// this:
//
//   class Adapter {
//     public:
//       // The core's name and sizes.  Called once, before anything else.
//       static CoreInfo core();
//
//       // Makes the device memory, gives it to the session (session.connect()), and drives the inputs that
//       // never change. Session and top outlive the adapter.
//       Adapter(Session &session, Vkarat_dut &top);
//
//       void clock(bool level);  // The clock pin; main.cpp evaluates the core after it
//       void reset(bool active); // The reset pin, of either polarity
//       static constexpr unsigned kResetCycles = 2; // Cycles for which it is active
//
//       // The clock is low: the inputs of this cycle, of which none may depend on this cycle's outputs.
//       void drive();
//
//       // The outputs have settled, the rising edge comes next: what happens at it (session.h). Requests
//       // that the core hands over at this edge are taken here.
//       Edge edge();
//
//       // Whether no request is on its way in the test bench.  Asked after the rising edge.
//       bool idle() const;
//   };
//
// The Verilated top has the prefix Vkarat_dut, whatever its module is called.  Parameters that the build sets
// (KARAT_DUT_PARAMETERS) are macros KARAT_PARAM_<name>.
#pragma once

#include <cstdint>
#include <type_traits>

#include "memory.h"
#include "session.hpp"

// Words of a port, whatever type Verilator has given it: an integer up to 64 bits, an array beyond.
template <class Port> uint32_t get_word(const Port &port, unsigned word) {
    if constexpr (std::is_integral_v<Port>)
        return static_cast<uint32_t>(static_cast<uint64_t>(port) >> 32 * word);
    else
        return port[word];
}
template <class Port> void set_word(Port &port, unsigned word, uint32_t value) {
    if constexpr (std::is_integral_v<Port>) {
        const uint64_t others = static_cast<uint64_t>(port) & ~(uint64_t{UINT32_MAX} << 32 * word);
        port = static_cast<Port>(others | static_cast<uint64_t>(value) << 32 * word);
    } else {
        port[word] = value;
    }
}

// Device memory, as the session's host reaches it too.
class DeviceMemory {
  public:
    explicit DeviceMemory(Session &session) : ram_(karat_ram_create()) {
        if (!ram_)
            Session::fail("out of memory");
        session.connect(karat_host_ram(ram_.get()));
    }
    karat_ram *get() const { return ram_.get(); }

  private:
    Handle<karat_ram, karat_ram_destroy> ram_;
};
