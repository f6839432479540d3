// The ports of one SM of the public Ventus (sm_wrapper): dispatch warp by warp, as its CTA scheduler does it,
// and the memory after its first-level caches.
//
//   session's workgroup  --> warps with a tag and bases of their own  --> cta_req;   cta_rsp --> workgroup
//                        done
//   mem_req (lines: Get, Put, Flush)  --> memory, in the order of the requests;  traffic --> mem_rsp, in any
//                                     order
//
// The data cache writes back: before the last workgroup of a kernel is said to be done, the caches are
// flushed, as they are at the end of every workgroup in the whole GPGPU.
#pragma once

#include "common.hpp"

namespace ventus {

// Rows of a register file, or bytes of local memory: the first range that is free.
class Pool {
  public:
    Pool(uint32_t size, uint32_t granule) : granule_(granule), taken_(size / granule) {}

    std::optional<uint32_t> find(uint32_t size) const {
        const uint32_t need = Running::round(size, granule_) / granule_;
        for (uint32_t at = 0, run = 0; at < taken_.size(); at++) {
            run = taken_[at] ? 0 : run + 1;
            if (run == need)
                return (at + 1 - need) * granule_;
        }
        return std::nullopt;
    }
    void mark(uint32_t base, uint32_t size, bool taken) {
        std::fill_n(taken_.begin() + base / granule_, Running::round(size, granule_) / granule_, taken);
    }

  private:
    uint32_t granule_;
    std::vector<bool> taken_;
};

// Where one that runs is: its slot, local memory, registers of all its warps, in their order; and its warps.
struct Place {
    Workgroup group;
    uint32_t slot, lds_base, sgpr_base, vgpr_base;
    uint32_t sent, ended; // Warps
};

} // namespace ventus

// In kFirst are the cycles after reset before the first warp.
template <unsigned kFirst> class OneSm {
  public:
    static constexpr unsigned kResetCycles = 2;

    OneSm(Session &session, Vkarat_dut &top) : session_(session), top_(top), memory_(session) {}

    void clock(bool level) { top_.clk = level; }

    void reset(bool active) {
        top_.rst_n = !active;
        top_.cta_req_valid_i = 0;
        top_.cta_rsp_ready_i = 1;
        top_.cache_invalid_i = 0;
        top_.mem_rsp_valid_i = 0;
        top_.mem_req_ready_i = 0;
    }

    void drive() {
        if (!sending_)
            admit();
        drive_dispatch();
        drive_memory();
        top_.cache_invalid_i = flush_ == Flush::kAsk;
    }

    Edge edge() {
        Edge edge{};
        edge.accepted = admitted_;
        admitted_ = false;
        if (top_.cta_req_valid_i && top_.cta_req_ready_o && ++sending_->sent == sending_->group.wg.warps)
            sending_ = nullptr;
        if (top_.mem_req_valid_o && top_.mem_req_ready_i)
            memory_.request(top_.mem_req_a_opcode_o, top_.mem_req_a_addr_o, top_.mem_req_a_source_o,
                            top_.mem_req_a_mask_o, top_.mem_req_a_data_o, edge);
        if (top_.cta_rsp_valid_o && top_.cta_rsp_ready_i)
            end_warp(top_.cta_rsp_cu2dispatch_wf_tag_done_o, edge);
        step_flush(edge);
        if (top_.mem_rsp_valid_i && top_.mem_rsp_ready_o)
            memory_.taken();
        memory_.tick();
        return edge;
    }

    bool idle() const { return memory_.idle() && flush_ == Flush::kNone; }

  private:
    // Asked for; the cache writes back and says so; its answer is on the way through the core.
    enum class Flush { kNone, kAsk, kWait, kSettle };

    static constexpr uint64_t kFlushLimit = 1000000, kFlushSettle = 16; // Cycles

    // --- Dispatch ---

    // Takes the workgroup on offer where there is room for all of it.
    void admit() {
        const karat_workgroup *offer = session_.offer();
        if (!offer || session_.cycle() < kFirst || flush_ != Flush::kNone ||
            live_ + offer->warps > ventus::Params::NUM_WARP)
            return;
        ventus::Place place{};
        place.group = ventus::Running::sized(*offer);
        const auto slot = slots_.find(1), lds = lds_.find(place.group.lds_size);
        const auto sgpr = sgprs_.find(place.group.sgprs * offer->warps),
                   vgpr = vgprs_.find(place.group.vgprs * offer->warps);
        if (!slot || !lds || !sgpr || !vgpr)
            return;
        place.slot = *slot;
        place.lds_base = *lds;
        place.sgpr_base = *sgpr;
        place.vgpr_base = *vgpr;
        set_aside(place, true);
        live_ += offer->warps;
        running_.add(place.group);
        places_.push_back(std::make_unique<ventus::Place>(place));
        sending_ = places_.back().get();
        admitted_ = true;
    }

    void set_aside(const ventus::Place &place, bool taken) {
        slots_.mark(place.slot, 1, taken);
        lds_.mark(place.lds_base, place.group.lds_size, taken);
        sgprs_.mark(place.sgpr_base, place.group.sgprs * place.group.wg.warps, taken);
        vgprs_.mark(place.vgpr_base, place.group.vgprs * place.group.wg.warps, taken);
    }

    void drive_dispatch() {
        top_.cta_req_valid_i = sending_ != nullptr;
        if (!sending_)
            return;
        const ventus::Place &place = *sending_;
        const karat_workgroup &wg = place.group.wg;
        top_.cta_req_dispatch2cu_wg_wf_count_i = wg.warps;
        top_.cta_req_dispatch2cu_wf_size_dispatch_i = wg.threads;
        top_.cta_req_dispatch2cu_sgpr_base_dispatch_i = place.sgpr_base + place.sent * place.group.sgprs;
        top_.cta_req_dispatch2cu_vgpr_base_dispatch_i = place.vgpr_base + place.sent * place.group.vgprs;
        top_.cta_req_dispatch2cu_wf_tag_dispatch_i = place.slot << ventus::Params::TAG_WARP_BITS | place.sent;
        top_.cta_req_dispatch2cu_lds_base_dispatch_i = place.lds_base;
        top_.cta_req_dispatch2cu_start_pc_dispatch_i = wg.pc;
        top_.cta_req_dispatch2cu_pds_base_dispatch_i = wg.csr[KARAT_CSR_PDS];
        top_.cta_req_dispatch2cu_gds_base_dispatch_i = wg.index;
        top_.cta_req_dispatch2cu_csr_knl_dispatch_i = wg.csr[KARAT_CSR_KNL];
        top_.cta_req_dispatch2cu_wgid_x_dispatch_i = wg.csr[KARAT_CSR_GDX];
        top_.cta_req_dispatch2cu_wgid_y_dispatch_i = wg.csr[KARAT_CSR_GDY];
        top_.cta_req_dispatch2cu_wgid_z_dispatch_i = wg.csr[KARAT_CSR_GDZ];
        top_.cta_req_dispatch2cu_wg_id_i = wg.csr[KARAT_CSR_WGID];
    }

    void end_warp(uint32_t tag, Edge &edge) {
        const uint32_t slot = tag >> ventus::Params::TAG_WARP_BITS;
        const auto at = std::find_if(places_.begin(), places_.end(),
                                     [slot](const auto &place) { return place->slot == slot; });
        if (at == places_.end() || (*at)->ended == (*at)->sent) {
            edge.objection = "the core says that a warp has ended which was not dispatched";
            return;
        }
        if (++(*at)->ended < (*at)->group.wg.warps)
            return;
        const ventus::Place place = **at;
        set_aside(place, false);
        live_ -= place.group.wg.warps;
        running_.remove(place.group.wg.index);
        places_.erase(at);
        if (places_.empty() && !session_.offer()) { // The kernel's last, as far as is known here
            flush_ = Flush::kAsk;
            flush_since_ = session_.cycle();
            last_ = place.group.wg.index;
            return;
        }
        edge.done = true;
        edge.done_index = place.group.wg.index;
    }

    void step_flush(Edge &edge) {
        const uint64_t since = session_.cycle() - flush_since_;
        const bool answered =
            top_.mem_rsp_valid_i && top_.mem_rsp_ready_o && memory_.kind() == ventus::kHintAck;
        switch (flush_) {
        case Flush::kNone: break;
        case Flush::kAsk: flush_ = since ? Flush::kWait : Flush::kAsk; break;
        case Flush::kWait:
            if (answered) {
                flush_ = Flush::kSettle;
                flush_since_ = session_.cycle();
            } else if (since == kFlushLimit)
                edge.objection = "the data cache does not flush at the end of the kernel";
            break;
        case Flush::kSettle:
            if (since < kFlushSettle)
                break;
            flush_ = Flush::kNone;
            edge.done = true;
            edge.done_index = last_;
            break;
        }
    }

    // --- Memory ---

    void drive_memory() {
        top_.mem_req_ready_i = memory_.ready();
        top_.mem_rsp_valid_i = memory_.answers();
        if (!top_.mem_rsp_valid_i)
            return;
        top_.mem_rsp_d_opcode_i = memory_.kind();
        top_.mem_rsp_d_source_i = memory_.source();
        top_.mem_rsp_d_addr_i = memory_.addr();
        memory_.drive_data(top_.mem_rsp_d_data_i);
    }

    Session &session_;
    Vkarat_dut &top_;
    ventus::LineMemory memory_;

    ventus::Pool slots_{ventus::Params::NUM_BLOCK, 1};
    ventus::Pool lds_{ventus::Params::LDS_BYTES, ventus::Running::kLdsGranule};
    ventus::Pool sgprs_{ventus::Params::NUM_SGPR, ventus::Params::NUM_BANK};
    ventus::Pool vgprs_{ventus::Params::NUM_VGPR, ventus::Params::NUM_BANK};
    ventus::Running running_;
    std::vector<std::unique_ptr<ventus::Place>> places_;
    ventus::Place *sending_ = nullptr;
    bool admitted_ = false; // In this cycle
    uint32_t live_ = 0;     // Warps, those to be sent included

    Flush flush_ = Flush::kNone;
    uint64_t flush_since_ = 0;
    uint32_t last_ = 0; // Workgroup that is done when the caches are flushed
};

// Called by the probe.
extern "C" unsigned karat_ventus_sm(const char *) {
    return 0;
}
