// The ports of the whole Chisel Ventus in its team's simulation top (GPGPU_SimTop): the host's, which takes
// workgroups, and the memory after its second-level cache, which that top gives fixed delays.
//
//   session's workgroup  --> host_req, under its index as id  --> the core's dispatcher;   host_rsp -->
//                        workgroup done
//   mem.rd, mem.wr (lines)  --> memory, in the cycle of the request
//
// The core flushes its caches when a workgroup has ended, and no port shows when that is over: the last
// workgroup of a kernel is done when the memory port has been idle for long enough.
#pragma once

#include "../ventus/common.hpp"

#include <array>
#include <deque>

class Adapter {
  public:
    static constexpr unsigned kResetCycles = 2;

    static CoreInfo core() { return ventus::core_info("ventus_chisel"); }

    Adapter(Session &session, Vkarat_dut &top) : session_(session), top_(top), lines_(session) {
        all_.fill(UINT32_MAX);
    }

    void clock(bool level) { top_.clock = level; }

    void reset(bool active) {
        top_.reset = active;
        top_.io_host_req_valid = 0;
        top_.io_host_rsp_ready = 1;
    }

    void drive() {
        const karat_workgroup *offer = session_.offer();
        top_.io_host_req_valid = offer && session_.cycle() >= kFirst;
        if (!offer || offered_ == offer->index)
            return;
        offered_ = offer->index;
        const ventus::Workgroup group = ventus::Running::sized(*offer);
        running_.add(group);
        const karat_workgroup &wg = group.wg;
        top_.io_host_req_bits_host_wg_id = wg.index;
        top_.io_host_req_bits_host_num_wf = wg.warps;
        top_.io_host_req_bits_host_wf_size = wg.threads;
        top_.io_host_req_bits_host_start_pc = wg.pc;
        top_.io_host_req_bits_host_kernel_size_3d_0 = wg.csr[KARAT_CSR_GDX];
        top_.io_host_req_bits_host_kernel_size_3d_1 = wg.csr[KARAT_CSR_GDY];
        top_.io_host_req_bits_host_kernel_size_3d_2 = wg.csr[KARAT_CSR_GDZ];
        top_.io_host_req_bits_host_csr_knl = wg.csr[KARAT_CSR_KNL];
        top_.io_host_req_bits_host_vgpr_size_total = group.vgprs * wg.warps;
        top_.io_host_req_bits_host_sgpr_size_total = group.sgprs * wg.warps;
        top_.io_host_req_bits_host_lds_size_total = group.lds_size;
        top_.io_host_req_bits_host_vgpr_size_per_wf = group.vgprs;
        top_.io_host_req_bits_host_sgpr_size_per_wf = group.sgprs;
        top_.io_host_req_bits_host_pds_size_per_wf = 0; // CSR_PDS is that of the workgroup
        top_.io_host_req_bits_host_pds_baseaddr = wg.csr[KARAT_CSR_PDS];
        top_.io_host_req_bits_host_gds_baseaddr = 0;
        top_.io_host_req_bits_host_gds_size_total = 0;
        top_.io_host_req_bits_host_asid = 0;
    }

    Edge edge() {
        Edge edge{};
        const uint64_t now = session_.cycle();
        if (top_.io_host_req_valid && top_.io_host_req_ready)
            edge.accepted = true;
        if (top_.io_mem_rd_en || top_.io_mem_wr_en) {
            access();
            busy_ = now;
        }
        if (top_.io_host_rsp_valid && top_.io_host_rsp_ready) {
            ended_.push_back(top_.io_host_rsp_bits_inflight_wg_buffer_host_wf_done_wg_id);
            busy_ = now;
        }
        end_workgroup(now, edge);
        return edge;
    }

    bool idle() const { return ended_.empty(); }

  private:
    static constexpr uint64_t kFirst = 8; // Cycle; the program counters stay in reset for five cycles more
    // Cycles: longer than the caches look for dirty lines between two that they write, shorter than
    // +hang=4000.
    static constexpr uint64_t kSettle = 2048;

    // The core takes the line read at this edge.
    void access() {
        karat_ram_req line = top_.io_mem_wr_en ? ventus::Lines::line(true, top_.io_mem_wr_addr,
                                                                     top_.io_mem_wr_mask, top_.io_mem_wr_data)
                                               : ventus::Lines::line(false, top_.io_mem_rd_addr, all_, all_);
        lines_.perform(line);
        if (top_.io_mem_rd_en)
            ventus::Lines::drive_data(top_.io_mem_rd_data, line);
    }

    void end_workgroup(uint64_t now, Edge &edge) {
        if (ended_.empty())
            return;
        const uint32_t index = ended_.front();
        if (!ventus::Running::find(index)) {
            edge.objection = "the core says that a workgroup has ended which was not dispatched";
            return;
        }
        // Last of the kernel, as far as is known here
        const bool last = running_.size() == 1 && !session_.offer();
        if (last && now - busy_ < kSettle)
            return;
        edge.done = true;
        edge.done_index = index;
        running_.remove(index);
        ended_.pop_front();
        if (offered_ == index)
            offered_.reset();
    }

    Session &session_;
    Vkarat_dut &top_;
    ventus::Lines lines_;
    ventus::Running running_;
    std::array<uint32_t, ventus::Params::LINE_WORDS> all_;
    std::optional<uint32_t> offered_; // The last whose request is, or was, at the port
    std::deque<uint32_t> ended_;      // Workgroups, not yet reported
    uint64_t busy_ = 0;               // Cycle of the last access to memory, or end
};

// Called by the probe: of SM_wrapper, SM_wrapper_1 and so on.
extern "C" unsigned karat_ventus_sm(const char *path) {
    return ventus::index_in(path, "SM_wrapper_");
}
