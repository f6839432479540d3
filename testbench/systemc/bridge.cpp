#include "bridge.hpp"

using namespace sc_core;

namespace {

// Words of a pin: an integer, or a bit vector of whole words.
uint32_t get_word(uint64_t pin, unsigned word) {
    return static_cast<uint32_t>(pin >> 32 * word);
}
uint32_t get_word(const sc_dt::sc_bv_base &pin, unsigned word) {
    return pin.get_word(static_cast<int>(word));
}
template <class Bits> Bits from_words(const uint32_t *words) {
    Bits bits;
    for (int i = 0; i < bits.size(); i++)
        bits.set_word(i, words[i]);
    return bits;
}

uint32_t from_bytes(const unsigned char *bytes) {
    return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

} // namespace

KaratBridge::KaratBridge(sc_module_name name, Session &session)
    : sc_module(name), session_(session), traffic_(session.make_traffic()) {
    SC_HAS_PROCESS(KaratBridge);
    SC_METHOD(sample);
    sensitive << clk_i.pos();
    dont_initialize();
    SC_THREAD(serve);
}

// Rising edge: requests that the core has made, in the order of the ports, as everywhere (traffic.h).
void KaratBridge::sample() {
    if (!rst_ni)
        return;
    if (imem_req_valid_o && imem_req_ready_i) {
        request_.id = imem_req_id_o;
        request_.addr[0] = imem_req_addr_o;
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_FETCH, &request_);
    }
    if (dmem_req_valid_o && dmem_req_ready_i) {
        const LaneAddrBits &addr = dmem_req_addr_o.read();
        const EnableBits &enable = dmem_req_be_o.read();
        const LaneBits &data = dmem_req_data_o.read();
        request_.id = dmem_req_id_o;
        request_.requester = dmem_req_warp_o;
        request_.op = static_cast<uint8_t>(dmem_req_op_o.read());
        request_.lanes = dmem_req_lanes_o;
        for (unsigned lane = 0; lane < kNumThread; lane++) {
            request_.addr[lane] = get_word(addr, kAddrWords * lane);
            if (kMmu)
                request_.addr[lane] |= static_cast<uint64_t>(get_word(addr, kAddrWords * lane + 1)) << 32;
            request_.be[lane] = get_word(enable, lane / 8) >> lane % 8 * 4 & 15;
            request_.data[lane] = get_word(data, lane);
        }
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_DATA, &request_);
    }
    if (ptw_req_valid_o && ptw_req_ready_i) {
        request_.id = ptw_req_id_o;
        request_.addr[0] = ptw_req_addr_o;
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_WALK, &request_);
    }
    if (!serving_)
        karat_traffic_tick(traffic_.get());
    idle_o = !serving_ && karat_traffic_idle(traffic_.get());
}

// Falling edge: the core's inputs of the next cycle.
void KaratBridge::serve() {
    for (;;) {
        wait(clk_i.negedge_event());
        if (!rst_ni)
            continue;
        // During a transaction that takes time the core sees these.
        imem_req_ready_i = false;
        dmem_req_ready_i = false;
        ptw_req_ready_i = false;
        imem_rsp_valid_i = false;
        dmem_rsp_valid_i = false;
        dmem_performed_valid_i = false;
        ptw_rsp_valid_i = false;
        serving_ = true;
        const sc_time start = sc_time_stamp();
        karat_ram_rsp *rsp, *performed;
        while (const karat_ram_req *req = karat_traffic_perform(traffic_.get(), KARAT_TRAFFIC_FETCH, &rsp))
            perform_words(fetch, *req, KARAT_RAM_LINE_WORDS, *rsp);
        const karat_ram_req *data_req = karat_traffic_perform(traffic_.get(), KARAT_TRAFFIC_DATA, &performed);
        if (data_req)
            perform_data(*data_req, *performed);
        while (const karat_ram_req *req = karat_traffic_perform(traffic_.get(), KARAT_TRAFFIC_WALK, &rsp))
            perform_words(data, *req, 2, *rsp);
        if (sc_time_stamp() != start)
            wait(clk_i.negedge_event());
        serving_ = false;
        imem_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_FETCH);
        dmem_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_DATA);
        ptw_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_WALK);
        if (data_req && !performed->error) {
            dmem_performed_valid_i = true;
            dmem_performed_id_i = performed->id;
            dmem_performed_data_i = performed->data[0];
        }
        answer();
    }
}

// At most one answer of each port.
void KaratBridge::answer() {
    if (const karat_ram_req *req = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_FETCH)) {
        const karat_ram_rsp &rsp = *karat_traffic_answer(req);
        imem_rsp_valid_i = true;
        imem_rsp_id_i = rsp.id;
        imem_rsp_error_i = rsp.error;
        imem_rsp_data_i = from_words<LineBits>(rsp.data);
    }
    if (const karat_ram_req *req = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_DATA)) {
        const karat_ram_rsp &rsp = *karat_traffic_answer(req);
        if (rsp.error)
            session_.bad_access(karat_ram_stores(req->op), rsp.error_lane, req->addr[rsp.error_lane]);
        dmem_rsp_valid_i = true;
        dmem_rsp_id_i = rsp.id;
        dmem_rsp_error_i = rsp.error;
        dmem_rsp_data_i = from_words<LaneBits>(rsp.data);
    }
    if (const karat_ram_req *req = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_WALK)) {
        const karat_ram_rsp &rsp = *karat_traffic_answer(req);
        ptw_rsp_valid_i = true;
        ptw_rsp_id_i = rsp.id;
        ptw_rsp_error_i = rsp.error;
        ptw_rsp_data_i = rsp.data[0] | static_cast<uint64_t>(rsp.data[1]) << 32;
    }
}

// False where the target answers with an error.
template <class Socket>
bool KaratBridge::transport(Socket &socket, bool write, uint64_t addr, void *bytes, unsigned size,
                            unsigned char *enable) {
    payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload_.set_address(addr);
    payload_.set_data_ptr(static_cast<unsigned char *>(bytes));
    payload_.set_data_length(size);
    payload_.set_streaming_width(size);
    payload_.set_byte_enable_ptr(enable);
    payload_.set_byte_enable_length(enable ? size : 0);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_time delay = SC_ZERO_TIME;
    socket->b_transport(payload_, delay);
    if (delay != SC_ZERO_TIME)
        wait(delay);
    return payload_.is_response_ok();
}

// A line or an entry: words from a multiple of their size on.
template <class Socket>
void KaratBridge::perform_words(Socket &socket, const karat_ram_req &req, unsigned words,
                                karat_ram_rsp &rsp) {
    unsigned char bytes[4 * KARAT_RAM_LINE_WORDS];
    rsp = {};
    rsp.id = req.id;
    rsp.error =
        !transport(socket, false, req.addr[0] & ~(uint64_t{4} * words - 1), bytes, 4 * words, nullptr);
    if (!rsp.error)
        for (unsigned i = 0; i < words; i++)
            rsp.data[i] = from_bytes(bytes + 4 * i);
}

// False where the target answers with an error.
bool KaratBridge::perform_lane(const karat_ram_req &req, unsigned lane, karat_ram_rsp &rsp) {
    const uint64_t addr = req.addr[lane] & ~uint64_t{3};
    unsigned char word[4] = {};
    // A load takes whole words, for any bytes of them. An SC that fails reads as well: unmapped memory is an
    // error.
    if (req.op != KARAT_RAM_STORE && !transport(data, false, addr, word, sizeof word, nullptr))
        return false;
    const karat_word done = karat_word_perform(&reserved_, &req, lane, from_bytes(word));
    rsp.data[lane] = done.answer;
    if (!done.store)
        return true;
    unsigned char enable[4];
    for (unsigned b = 0; b < 4; b++) {
        word[b] = static_cast<unsigned char>(done.value >> 8 * b);
        enable[b] = req.be[lane] >> b & 1 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    return transport(data, true, addr, word, sizeof word, req.be[lane] != 15 ? enable : nullptr);
}

void KaratBridge::perform_data(const karat_ram_req &req, karat_ram_rsp &rsp) {
    session_.performed(req);
    rsp = {};
    rsp.id = req.id;
    for (unsigned lane = 0; lane < kNumThread && !rsp.error; lane++)
        if (req.lanes >> lane & 1 && !perform_lane(req, lane, rsp)) {
            rsp.error = true;
            rsp.error_lane = lane;
        }
}
