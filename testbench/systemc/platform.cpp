// An example: a Karat-checked ingot in a SystemC platform, with a bus and memories that know nothing of
// Karat. docs/simulators.md quotes its sc_main(); the tests run every program on it.
#include <cstdint>
#include <cstring>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "ingot_core.hpp"
#include "reset.hpp"
#include "session.hpp"
#include "tile.hpp"

using namespace sc_core;
using tlm::tlm_generic_payload;

namespace {

// A memory of fixed size whose accesses take time: writes wait, reads return a delay.
class Dram : public sc_module {
  public:
    tlm_utils::simple_target_socket<Dram> socket{"socket"};

    Dram(sc_module_name name, size_t size, sc_time latency)
        : sc_module(name), latency_(latency), bytes_(size) {
        socket.register_b_transport(this, &Dram::b_transport);
        socket.register_transport_dbg(this, &Dram::transport_dbg);
    }

    size_t size() const { return bytes_.size(); }

  private:
    void b_transport(tlm_generic_payload &payload, sc_time &delay) {
        if (payload.is_write())
            wait(latency_);
        else
            delay += latency_;
        payload.set_response_status(transport_dbg(payload) == payload.get_data_length()
                                        ? tlm::TLM_OK_RESPONSE
                                        : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }

    unsigned transport_dbg(tlm_generic_payload &payload) {
        const uint64_t addr = payload.get_address();
        const unsigned size = payload.get_data_length();
        if (addr > bytes_.size() || size > bytes_.size() - addr)
            return 0;
        const unsigned char *enable = payload.get_byte_enable_ptr();
        for (unsigned i = 0; i < size; i++) {
            if (enable && enable[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED)
                continue;
            if (payload.is_write())
                bytes_[addr + i] = payload.get_data_ptr()[i];
            else if (payload.is_read())
                payload.get_data_ptr()[i] = bytes_[addr + i];
        }
        return size;
    }

    const sc_time latency_;
    std::vector<uint8_t> bytes_;
};

// Any number of initiators, and targets by address.
class Bus : public sc_module {
  public:
    tlm_utils::multi_passthrough_target_socket<Bus> in{"in"};

    explicit Bus(sc_module_name name) : sc_module(name) {
        in.register_b_transport(this, &Bus::b_transport);
        in.register_transport_dbg(this, &Bus::transport_dbg);
    }

    void add(uint64_t base, Dram &memory) {
        out_.bind(memory.socket);
        ranges_.push_back({base, memory.size()});
    }

    // Whether all of it is memory.
    bool covers(uint64_t base, uint64_t size) const {
        const int range = find(base);
        return !size || (range >= 0 && size <= ranges_[range].size - (base - ranges_[range].base));
    }

  private:
    int find(uint64_t addr) const {
        for (size_t i = 0; i < ranges_.size(); i++)
            if (addr >= ranges_[i].base && addr - ranges_[i].base < ranges_[i].size)
                return static_cast<int>(i);
        return -1;
    }

    void b_transport(int, tlm_generic_payload &payload, sc_time &delay) {
        const uint64_t addr = payload.get_address();
        const int range = find(addr);
        if (range < 0) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        payload.set_address(addr - ranges_[range].base);
        out_[range]->b_transport(payload, delay);
        payload.set_address(addr);
    }

    unsigned transport_dbg(int, tlm_generic_payload &payload) {
        const uint64_t addr = payload.get_address();
        const int range = find(addr);
        if (range < 0)
            return 0;
        payload.set_address(addr - ranges_[range].base);
        const unsigned done = out_[range]->transport_dbg(payload);
        payload.set_address(addr);
        return done;
    }

    struct Range {
        uint64_t base, size;
    };
    tlm_utils::multi_passthrough_initiator_socket<Bus> out_{"out"};
    std::vector<Range> ranges_;
};

} // namespace

// docs/simulators.md: begin
int sc_main(int argc, char **argv) {
    Session session(argc, argv, ingot_core()); // +kernel=FILE and so on, as karat-ingot takes them

    sc_clock clk("clk", 10, SC_NS);
    sc_signal<bool> rst_n("rst_n");
    KaratReset reset("reset");
    Dram code("code", 1 << 24, sc_time(7, SC_NS));
    Dram data("data", 1 << 24, sc_time(25, SC_NS));
    Dram priv("private", 1 << 24, SC_ZERO_TIME);
    Bus bus("bus");
    bus.add(0x80000000, code);
    bus.add(0x90000000, data);
    bus.add(0xa0000000, priv);

    // The host asks whether an address range of a kernel is memory.
    KaratTile tile("tile", session, [&](uint64_t base, uint64_t size) { return bus.covers(base, size); });
    reset.clk_i(clk);
    reset.rst_no(rst_n);
    tile.clk_i(clk);
    tile.rst_ni(rst_n);
    tile.fetch.bind(bus.in);
    tile.data.bind(bus.in);
    tile.host.bind(bus.in);

    sc_start();
    return session.finish(); // Prints the verdict; its number is the exit status
}
// docs/simulators.md: end
