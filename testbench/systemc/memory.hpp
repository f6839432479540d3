// Device memory as a TLM-2.0 target, loosely timed: sparse bytes, read and written without simulated time.
// Unmapped addresses answer TLM_ADDRESS_ERROR_RESPONSE. A socket each for the core's two ports and for the
// host; all reach the same bytes.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "memory.h"
#include "session.hpp"

class KaratMemory : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<KaratMemory> fetch{"fetch"}, data{"data"}, host{"host"};

    explicit KaratMemory(sc_core::sc_module_name name);

    // As karat_ram_map().
    bool map(uint64_t base, uint64_t size) { return karat_ram_map(ram_.get(), base, size); }

  private:
    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned transport_dbg(tlm::tlm_generic_payload &payload);
    bool access(tlm::tlm_generic_payload &payload);

    Handle<karat_ram, karat_ram_destroy> ram_;
};
