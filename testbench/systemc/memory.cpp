#include "memory.hpp"

#include <algorithm>
#include <vector>

using namespace sc_core;
using tlm::tlm_generic_payload;

KaratMemory::KaratMemory(sc_module_name name) : sc_module(name), ram_(karat_ram_create()) {
    if (!ram_)
        Session::fail("out of memory");
    for (auto *socket : {&fetch, &data, &host}) {
        socket->register_b_transport(this, &KaratMemory::b_transport);
        socket->register_transport_dbg(this, &KaratMemory::transport_dbg);
    }
}

// All or nothing. Byte enables as the standard has them: the pattern repeats over the data.
bool KaratMemory::access(tlm_generic_payload &payload) {
    const uint64_t addr = payload.get_address();
    unsigned char *const bytes = payload.get_data_ptr();
    const size_t size = payload.get_data_length();
    const unsigned char *const enable = payload.get_byte_enable_ptr();
    if (!enable)
        return payload.is_write() ? karat_ram_write(ram_.get(), addr, bytes, size)
                                  : karat_ram_read(ram_.get(), addr, bytes, size);
    std::vector<unsigned char> now(size);
    if (!karat_ram_read(ram_.get(), addr, now.data(), size))
        return false;
    for (size_t i = 0; i < size; i++)
        if (enable[i % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED)
            (payload.is_write() ? now[i] : bytes[i]) = payload.is_write() ? bytes[i] : now[i];
    return !payload.is_write() || karat_ram_write(ram_.get(), addr, now.data(), size);
}

void KaratMemory::b_transport(tlm_generic_payload &payload, sc_time &) {
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND)
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    else if (payload.get_streaming_width() < payload.get_data_length())
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    else
        payload.set_response_status(access(payload) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned KaratMemory::transport_dbg(tlm_generic_payload &payload) {
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND || !access(payload))
        return 0;
    return payload.get_data_length();
}
