// From the core's memory pins to TLM-2.0: the core's ports become two initiator sockets, loosely timed. Page
// tables are read through the one for data, eight bytes a transaction.
//
// A fetched line is one transaction of 16 bytes, a data access one transaction of a word for each active lane
// in ascending order, with byte enables: any target serves them. Latency and back-pressure are of the
// session's command line (+latency, +stall), and the same cycle for cycle as in the Verilator harness. An
// access is performed (b_transport) at a drawn moment between request and answer, data accesses one a cycle,
// and the core's probe is told: the checker relies on the order of performance. A target may take time on top
// of that, by waiting or by its delay: meanwhile all ports refuse requests and answer nothing.
//
// LR, SC and AMOs are made here of a read and a write, for targets that do not know them, and reservations
// are kept here. The core's accesses do not come between the two, since the bridge performs one after the
// other, and host_writes() reports the host's writes. Another initiator's writes neither wait nor end a
// reservation: a platform whose cores do atomics on the same words needs more than this.
//
// An access of which some lane finds no memory is answered with an error; the lanes before it have been
// performed.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "atomics.h"
#include "pins.hpp"
#include "session.hpp"
#include "traffic.h"

class KaratBridge : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<KaratBridge> fetch{"fetch"}, data{"data"};
    sc_core::sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};
    sc_core::sc_out<bool> idle_o{"idle_o"};          // No request was under way at the last rising edge
    INGOT_MEMORY_PINS(INGOT_OUT_PORT, INGOT_IN_PORT) // Named as on the core, whose inputs are driven here

    KaratBridge(sc_core::sc_module_name name, Session &session);

    // Ends reservations on words that the host writes.
    void host_writes(uint64_t addr, uint64_t size) { karat_reservations_break(&reserved_, addr, size); }

  private:
    void sample();
    void serve();
    template <class Socket>
    bool transport(Socket &socket, bool write, uint64_t addr, void *bytes, unsigned size,
                   unsigned char *enable);
    template <class Socket>
    void perform_words(Socket &socket, const karat_ram_req &req, unsigned words, karat_ram_rsp &rsp);
    bool perform_lane(const karat_ram_req &req, unsigned lane, karat_ram_rsp &rsp);
    void perform_data(const karat_ram_req &req, karat_ram_rsp &rsp);
    void answer();

    Session &session_;
    Traffic traffic_;
    karat_ram_req request_{};
    karat_reservations reserved_{};
    tlm::tlm_generic_payload payload_;
    bool serving_ = false;
};
