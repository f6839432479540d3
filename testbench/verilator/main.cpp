// Runs kernels on a Verilated ingot in lockstep with the golden model.
//
//   host and memory models  <-- ports -->  core  -- probe, DPI -->  retire port  -->  checker
//
// This file only moves values between the core and the models each clock cycle; common/session.hpp does the
// rest.
#include "Vingot.h"
#include "verilated.h"
#include "verilated_fst_c.h"

#include "ingot_core.hpp"
#include "memory.h"
#include "session.hpp"
#include "traffic.h"

#include <cstdint>
#include <memory>
#include <type_traits>

namespace {

// Words of a port, whatever type Verilator has given it: an integer up to 64 bits, an array beyond.
template <class Port> uint32_t get_word(const Port &port, unsigned word) {
    if constexpr (std::is_integral_v<Port>)
        return static_cast<uint32_t>(static_cast<uint64_t>(port) >> 32 * word);
    else
        return port[word];
}
template <class Port> void set_word(Port &port, unsigned word, uint32_t value) {
    port[word] = value;
}

using Ram = Handle<karat_ram, karat_ram_destroy>;

// The host's way to the memory model.
bool map(void *ram, uint64_t base, uint64_t size) {
    return karat_ram_map(static_cast<karat_ram *>(ram), base, size);
}
bool read(void *ram, uint64_t addr, void *bytes, size_t size) {
    return karat_ram_read(static_cast<karat_ram *>(ram), addr, bytes, size);
}
bool write(void *ram, uint64_t addr, const void *bytes, size_t size) {
    return karat_ram_write(static_cast<karat_ram *>(ram), addr, bytes, size);
}

constexpr uint32_t kNumThread = INGOT_NUM_THREAD;

class Harness {
  public:
    explicit Harness(Session &session)
        : session_(session), memory_(karat_ram_create()), traffic_(session.make_traffic()) {
        if (!memory_)
            Session::fail("out of memory");
        session.connect({memory_.get(), map, read, write});
        std::vector<const char *> plusargs = session.plusargs();
        context_.commandArgs(static_cast<int>(plusargs.size()), plusargs.data());
        context_.randReset(session.args().init);
        context_.randSeed(session.random_seed());
        context_.assertOn(!session.args().no_assert);
        const char *trace = session.args().trace;
        if (trace)
            context_.traceEverOn(true);
        core_ = std::make_unique<Vingot>(&context_);
        core_->print_ready_i = 1; // the host takes the text in the cycle in which the core shows it
        if (trace) {
            core_->trace(&trace_, 99);
            trace_.open(trace);
            if (!trace_.isOpen())
                Session::fail(std::string(trace) + ": cannot be written");
        }
    }

    ~Harness() { core_->final(); }

    void run() {
        reset();
        while (!clock_cycle()) {
        }
        if (trace_.isOpen())
            trace_.close();
    }

  private:
    void half_cycle(bool clk) {
        const uint64_t cycle = session_.cycle();
        context_.time(2 * cycle + clk);
        core_->clk_i = clk;
        core_->eval();
        if (out_of_reset_ && trace_.isOpen() && session_.traces(cycle))
            trace_.dump(2 * cycle + clk);
    }

    void reset() {
        core_->rst_ni = 1;
        half_cycle(false);
        core_->rst_ni = 0; // an edge, for the asynchronous reset
        for (int i = 0; i < 2; i++) {
            half_cycle(false);
            half_cycle(true);
        }
        core_->clk_i = 0;
        core_->rst_ni = 1;
        out_of_reset_ = true;
    }

    // True: the run is over.
    bool clock_cycle() {
        drive_dispatch();
        drive_memory();
        half_cycle(false);

        // What the core does at this clock edge.
        Edge edge{};
        edge.accepted = core_->wg_valid_i && core_->wg_ready_o;
        edge.done = core_->wg_done_o;
        edge.done_index = core_->wg_done_index_o;
        edge.print = core_->print_valid_o;
        edge.print_sm = core_->print_sm_o;
        edge.print_slot = core_->print_warp_o;
        if (core_->imem_req_valid_o && core_->imem_req_ready_i)
            take_fetch();
        if (core_->dmem_req_valid_o && core_->dmem_req_ready_i)
            take_data();
        karat_traffic_tick(traffic_.get());
        half_cycle(true);
        return session_.after_edge(edge, karat_traffic_idle(traffic_.get()));
    }

    void drive_dispatch() {
        const karat_workgroup *wg = session_.offer();
        core_->wg_valid_i = wg != nullptr;
        if (!wg)
            return;
        core_->wg_index_i = wg->index;
        core_->wg_warps_i = wg->warps;
        core_->wg_threads_i = wg->threads;
        core_->wg_pc_i = wg->pc;
        core_->wg_knl_i = wg->csr[KARAT_CSR_KNL];
        core_->wg_wgid_i = wg->csr[KARAT_CSR_WGID];
        core_->wg_lds_i = wg->csr[KARAT_CSR_LDS];
        core_->wg_pds_i = wg->csr[KARAT_CSR_PDS];
        core_->wg_gdx_i = wg->csr[KARAT_CSR_GDX];
        core_->wg_gdy_i = wg->csr[KARAT_CSR_GDY];
        core_->wg_gdz_i = wg->csr[KARAT_CSR_GDZ];
        core_->wg_lds_size_i = wg->lds_size;
        core_->wg_sgprs_i = wg->sgprs;
        core_->wg_vgprs_i = wg->vgprs;
    }

    void drive_memory() {
        core_->imem_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_FETCH);
        core_->dmem_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_DATA);
        const karat_ram_req *req = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_FETCH);
        core_->imem_rsp_valid_i = req != nullptr;
        karat_ram_rsp rsp;
        if (req) {
            karat_ram_perform_line(memory_.get(), req, &rsp);
            core_->imem_rsp_id_i = rsp.id;
            core_->imem_rsp_error_i = rsp.error;
            for (unsigned i = 0; i < KARAT_RAM_LINE_WORDS; i++)
                set_word(core_->imem_rsp_data_i, i, rsp.data[i]);
        }
        req = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_DATA);
        core_->dmem_rsp_valid_i = req != nullptr;
        if (req) {
            karat_ram_perform_lanes(memory_.get(), req, &rsp);
            if (rsp.error)
                session_.bad_access(karat_ram_stores(req->op), rsp.error_lane, req->addr[rsp.error_lane]);
            core_->dmem_rsp_id_i = rsp.id;
            core_->dmem_rsp_error_i = rsp.error;
            for (unsigned lane = 0; lane < kNumThread; lane++)
                set_word(core_->dmem_rsp_data_i, lane, rsp.data[lane]);
        }
    }

    void take_fetch() {
        request_.id = core_->imem_req_id_o;
        request_.addr[0] = core_->imem_req_addr_o;
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_FETCH, &request_);
    }

    void take_data() {
        request_.id = core_->dmem_req_id_o;
        request_.requester = core_->dmem_req_warp_o;
        request_.op = core_->dmem_req_op_o;
        request_.lanes = core_->dmem_req_lanes_o;
        for (unsigned lane = 0; lane < kNumThread; lane++) {
            request_.addr[lane] = get_word(core_->dmem_req_addr_o, lane);
            request_.be[lane] = get_word(core_->dmem_req_be_o, lane / 8) >> lane % 8 * 4 & 15;
            request_.data[lane] = get_word(core_->dmem_req_data_o, lane);
        }
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_DATA, &request_);
    }

    Session &session_;
    Ram memory_;
    Traffic traffic_;
    VerilatedContext context_;
    VerilatedFstC trace_;
    std::unique_ptr<Vingot> core_;
    karat_ram_req request_{};
    bool out_of_reset_ = false;
};

} // namespace

int main(int argc, char **argv) {
    Session session(argc, argv, ingot_core());
    Harness harness(session);
    harness.run();
    return session.finish(); // which still reads memory
}
