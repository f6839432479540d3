// The ports of the whole public Verilog Ventus (GPGPU_top): the host's, which takes workgroups, and the
// memory after its second-level cache.
//
//   session's workgroup  --> host_req, under an id of its own  --> the core's dispatcher;   host_rsp -->
//                        workgroup done
//   out_a (lines: Get, Put)  --> memory, in the order of the requests;  traffic --> out_d, in any order
//
// The core flushes its caches when a workgroup ends, and answers the host when that is over.
#pragma once

#include "../ventus/common.hpp"

#include <deque>

class Adapter {
  public:
    static constexpr unsigned kResetCycles = 2;

    static CoreInfo core() { return ventus::core_info("ventus_gpgpu"); }

    Adapter(Session &session, Vkarat_dut &top) : session_(session), top_(top), memory_(session) {
        current_ = this;
    }

    void clock(bool level) { top_.clk = level; }

    void reset(bool active) {
        top_.rst_n = !active;
        top_.host_req_valid_i = 0;
        top_.host_rsp_ready_i = 1;
        top_.out_a_ready_i = 0;
        top_.out_d_valid_i = 0;
        top_.out_d_size_i = 0;
        top_.out_d_param_i = 0;
    }

    void drive() {
        drive_dispatch();
        drive_memory();
    }

    Edge edge() {
        Edge edge{};
        const uint64_t now = session_.cycle();
        if (top_.host_req_valid_i && top_.host_req_ready_o) {
            edge.accepted = true;
            next_request_ = now + kRequestPace;
        }
        if (top_.out_a_valid_o && top_.out_a_ready_i)
            memory_.request(top_.out_a_opcode_o, top_.out_a_address_o, top_.out_a_source_o, top_.out_a_mask_o,
                            top_.out_a_data_o, edge);
        if (top_.host_rsp_valid_o && top_.host_rsp_ready_i) {
            flushed_ = ended_.size();
            settled_ = now + kFlushSettle;
        }
        end_workgroup(now, edge);
        if (top_.out_d_valid_i && top_.out_d_ready_o)
            memory_.taken();
        memory_.tick();
        return edge;
    }

    bool idle() const { return memory_.idle() && ended_.empty(); }

    // From the probe: the dispatcher says that the workgroup of this id has ended; its caches are flushed
    // next.
    static void done(uint32_t id) { current_->ended_.push_back({id, current_->session_.cycle()}); }

  private:
    // The port's ready does not say that the request is taken: one that comes while the core still stores the
    // last is lost, and its fields are read one cycle after its valid. So a request is valid for one cycle,
    // its fields stay, and the next comes later.
    static constexpr uint64_t kRequestPace = 8;
    static constexpr uint64_t kFlushLimit = 1000000, kFlushSettle = 64; // Cycles
    static constexpr uint32_t kIds = 1u << ventus::Params::WG_ID_BITS;
    static_assert(ventus::Params::NUM_L2 == 1, "one memory port");

    struct Ended {
        uint32_t id;
        uint64_t cycle;
    };

    // --- Dispatch ---

    void drive_dispatch() {
        const karat_workgroup *offer = session_.offer();
        top_.host_req_valid_i = offer && session_.cycle() >= next_request_;
        if (!top_.host_req_valid_i)
            return;
        if (!offered_ || *offered_ != offer->index) {
            do
                id_ = (id_ + 1) % kIds;
            while (index_of_[id_]);
            offered_ = offer->index;
            index_of_[id_] = offer->index;
            running_.add(ventus::Running::sized(*offer));
            const ventus::Workgroup &group = *ventus::Running::find(offer->index);
            const karat_workgroup &wg = group.wg;
            top_.host_req_wg_id_i = id_;
            top_.host_req_num_wf_i = wg.warps;
            top_.host_req_wf_size_i = wg.threads;
            top_.host_req_start_pc_i = wg.pc;
            top_.host_req_kernel_size_3d_i = wg.csr[KARAT_CSR_GDZ] << 2 * kGridBits |
                                             wg.csr[KARAT_CSR_GDY] << kGridBits | wg.csr[KARAT_CSR_GDX];
            top_.host_req_pds_baseaddr_i = wg.csr[KARAT_CSR_PDS];
            top_.host_req_csr_knl_i = wg.csr[KARAT_CSR_KNL];
            top_.host_req_vgpr_size_total_i = group.vgprs * wg.warps;
            top_.host_req_sgpr_size_total_i = group.sgprs * wg.warps;
            top_.host_req_lds_size_total_i = group.lds_size;
            top_.host_req_gds_size_total_i = 0;
            top_.host_req_vgpr_size_per_wf_i = group.vgprs;
            top_.host_req_sgpr_size_per_wf_i = group.sgprs;
            top_.host_req_gds_baseaddr_i = wg.index;
        }
    }

    // One each cycle, when the flush after it is over and its last lines have come to memory.
    void end_workgroup(uint64_t now, Edge &edge) {
        if (ended_.empty())
            return;
        const Ended first = ended_.front();
        if (first.id >= kIds || !index_of_[first.id]) {
            edge.objection = "the core says that a workgroup has ended which was not dispatched";
            return;
        }
        if (!flushed_ || now < settled_) {
            if (now - first.cycle == kFlushLimit)
                edge.objection = "the core does not answer the host after the end of a workgroup";
            return;
        }
        edge.done = true;
        edge.done_index = *index_of_[first.id];
        running_.remove(edge.done_index);
        index_of_[first.id].reset();
        ended_.pop_front();
        flushed_--;
        if (offered_ == edge.done_index)
            offered_.reset();
    }

    // --- Memory ---

    void drive_memory() {
        top_.out_a_ready_i = memory_.ready();
        top_.out_d_valid_i = memory_.answers();
        if (!top_.out_d_valid_i)
            return;
        top_.out_d_opcode_i = memory_.kind();
        top_.out_d_source_i = memory_.source();
        memory_.drive_data(top_.out_d_data_i);
    }

    static constexpr uint32_t kGridBits = ventus::Params::GRID_BITS;

    Session &session_;
    Vkarat_dut &top_;
    ventus::LineMemory memory_;

    ventus::Running running_;
    std::vector<std::optional<uint32_t>> index_of_ =
        std::vector<std::optional<uint32_t>>(kIds); // Workgroup of each id that is in use
    uint32_t id_ = kIds - 1;                        // Given last
    std::optional<uint32_t> offered_;               // The last whose request is, or was, at the port
    uint64_t next_request_ = 0;

    std::deque<Ended> ended_; // Ended, and not yet reported
    size_t flushed_ = 0;      // How many of ended_, from its front, were flushed
    uint64_t settled_ = 0;

    static inline Adapter *current_ = nullptr;
};

// Called by the probes.
extern "C" unsigned karat_ventus_sm(const char *path) {
    return ventus::index_in(path, "A1[") * ventus::Params::NUM_SM_IN_CLUSTER + ventus::index_in(path, "A2[");
}
extern "C" void karat_ventus_done(unsigned id) {
    Adapter::done(id);
}
