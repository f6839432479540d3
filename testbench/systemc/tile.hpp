// A Karat-checked ingot as one module: clock, reset, and three TLM-2.0 initiator sockets.
//
//   KaratHost --dispatch, print pins--> KaratCore --memory pins--> KaratBridge --> fetch, data
//       |                                   '-- probe, DPI --> the session's retire port and checker
//       '--> host (debug transport only)
//
// All three sockets have to reach the same memory: loosely timed targets, or any that answer b_transport.
// When the command line's kernels have ended, or the checker has found a fault, it calls sc_stop().
#pragma once

#include <systemc>
#include <tlm>

#include "bridge.hpp"
#include "core.hpp"
#include "host.hpp"
#include "pins.hpp"
#include "session.hpp"

class KaratTile : public sc_core::sc_module {
  public:
    sc_core::sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};
    tlm::tlm_initiator_socket<> fetch{"fetch"}, data{"data"}, host{"host"};

    // The session must outlive the tile. map: see KaratHost.
    KaratTile(sc_core::sc_module_name name, Session &session, KaratHost::Map map)
        : sc_module(name), core_("core", session), bridge_("bridge", session),
          host_("dispatcher", session, std::move(map)) {
        core_.clk_i(clk_i);
        core_.rst_ni(rst_ni);
        pins_.connect(core_);
        bridge_.clk_i(clk_i);
        bridge_.rst_ni(rst_ni);
        bridge_.idle_o(idle_);
        bridge_.fetch.bind(fetch);
        bridge_.data.bind(data);
        pins_.connect_memory(bridge_);
        host_.clk_i(clk_i);
        host_.rst_ni(rst_ni);
        host_.idle_i(idle_);
        host_.memory.bind(host);
        pins_.connect_host(host_);
        host_.tell_writes([this](uint64_t addr, uint64_t size) { bridge_.host_writes(addr, size); });
    }

  private:
    KaratPins pins_;
    sc_core::sc_signal<bool> idle_{"idle"};
    KaratCore core_;
    KaratBridge bridge_;
    KaratHost host_;
};
