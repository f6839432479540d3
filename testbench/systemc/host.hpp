// The host as a SystemC module: sends workgroups to the core's dispatch port, prints for warps, places
// kernels in memory through a TLM-2.0 socket (debug transport, so that it takes no simulated time), and ends
// the simulation.
#pragma once

#include <functional>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "pins.hpp"
#include "session.hpp"

class KaratHost : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<KaratHost> memory{"memory"};
    sc_core::sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};
    sc_core::sc_in<bool> idle_i{"idle_i"};         // The bridge's: stores and loads are all answered
    INGOT_HOST_PINS(INGOT_OUT_PORT, INGOT_IN_PORT) // Named as on the core, whose inputs are driven here

    // Maps [base, base + size), or returns whether it is memory.
    using Map = std::function<bool(uint64_t base, uint64_t size)>;
    KaratHost(sc_core::sc_module_name name, Session &session, Map map);

    // Called with every range of memory that the host has written.
    void tell_writes(std::function<void(uint64_t addr, uint64_t size)> told) { told_ = std::move(told); }

  private:
    void sample();
    void act();
    bool write(uint64_t addr, const void *bytes, size_t size);
    bool debug(tlm::tlm_command command, uint64_t addr, void *bytes, size_t size);

    Session &session_;
    const Map map_;
    std::function<void(uint64_t addr, uint64_t size)> told_;
    Edge edge_{};
    sc_core::sc_event sampled_;
};
