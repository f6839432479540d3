// The ports of one SM of the public Verilog Ventus (sm_wrapper): dispatch warp by warp, as its CTA scheduler does it, and the
// memory behind its first-level caches.
//
//   session's workgroup  --> warps with a tag and bases of their own  --> cta_req;   cta_rsp --> workgroup done
//   mem_req (lines: Get, Put, Flush)  --> memory, in the order of the requests;  traffic --> mem_rsp, in any order
//
// The data cache writes back: before the last workgroup of a kernel is said to be done, the caches are flushed, as
// they are at the end of every workgroup in the whole GPGPU.
#pragma once

#include "Vkarat_dut.h"
#include "Vkarat_dut__Dpi.h"
#include "Vkarat_dut_ventus_params.h"

#include "karat_adapter.hpp"
#include "karat_description.hpp"
#include "traffic.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ventus {

using Params = Vkarat_dut_ventus_params;

// TileLink's operations, as the core numbers them.
enum Request : uint8_t { kPutFull = 0, kPutPart = 1, kGet = 4, kFlush = 5 };
enum Answer : uint8_t { kAck = 0, kAckData = 1, kHintAck = 2 };

// Rows of a register file, or bytes of local memory: the first range that is free.
class Pool {
  public:
    Pool(uint32_t size, uint32_t granule) : granule_(granule), taken_(size / granule) {}

    uint32_t round(uint32_t size) const { return (size + granule_ - 1) / granule_ * granule_; }

    std::optional<uint32_t> find(uint32_t size) const {
        const uint32_t need = round(size) / granule_;
        for (uint32_t at = 0, run = 0; at < taken_.size(); at++) {
            run = taken_[at] ? 0 : run + 1;
            if (run == need)
                return (at + 1 - need) * granule_;
        }
        return std::nullopt;
    }
    void mark(uint32_t base, uint32_t size, bool taken) {
        std::fill_n(taken_.begin() + base / granule_, round(size) / granule_, taken);
    }

  private:
    uint32_t granule_;
    std::vector<bool> taken_;
};

// One that runs, with what was set aside for it: local memory, registers of all its warps, in their order.
struct Workgroup {
    karat_workgroup wg;
    uint32_t slot, lds_base, lds_size;
    uint32_t sgprs, vgprs; // of each warp
    uint32_t sgpr_base, vgpr_base;
    uint32_t sent, ended; // warps
};

} // namespace ventus

class Adapter {
  public:
    static constexpr unsigned kResetCycles = 2;

    static CoreInfo core() {
        using P = ventus::Params;
        return {"ventus",          P::NUM_SM,   P::NUM_WARP, P::NUM_THREAD,
                P::LDS_BYTES,      P::NUM_SGPR, P::NUM_VGPR, P::NUM_BANK,
                karat_description, false,       {}};
    }

    Adapter(Session &session, Vkarat_dut &top)
        : session_(session), top_(top), memory_(session), traffic_(session.make_traffic()) {
        current_ = this;
    }

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
        if (top_.cta_req_valid_i && top_.cta_req_ready_o && ++sending_->sent == sending_->wg.warps)
            sending_ = nullptr;
        if (top_.mem_req_valid_o && top_.mem_req_ready_i)
            take_request(edge);
        if (top_.cta_rsp_valid_o && top_.cta_rsp_ready_i)
            end_warp(top_.cta_rsp_cu2dispatch_wf_tag_done_o, edge);
        step_flush(edge);
        if (top_.mem_rsp_valid_i && top_.mem_rsp_ready_o)
            answer_.reset();
        karat_traffic_tick(traffic_.get());
        return edge;
    }

    bool idle() const { return karat_traffic_idle(traffic_.get()) && !answer_ && flush_ == Flush::kNone; }

    // The running workgroup that has these CSRs, for the probe; nullptr: none.
    static const ventus::Workgroup *find(uint32_t gdx, uint32_t gdy, uint32_t gdz) {
        for (const auto &group : current_->running_)
            if (group->wg.csr[KARAT_CSR_GDX] == gdx && group->wg.csr[KARAT_CSR_GDY] == gdy &&
                group->wg.csr[KARAT_CSR_GDZ] == gdz)
                return group.get();
        return nullptr;
    }

  private:
    // Asked for; the cache writes back and says so; its answer is on the way through the core.
    enum class Flush { kNone, kAsk, kWait, kSettle };

    static constexpr uint32_t kLdsWindow = 0x70000000, kLdsWindowEnd = 0x80000000;
    static constexpr uint32_t kLdsGranule = ventus::Params::LDS_BYTES / ventus::Params::NUM_BLOCK;
    static constexpr uint64_t kFlushLimit = 1000000, kFlushSettle = 16; // cycles

    // --- Dispatch ---

    // Takes the workgroup on offer where there is room for all of it.
    void admit() {
        const karat_workgroup *offer = session_.offer();
        if (!offer || flush_ != Flush::kNone || live_ + offer->warps > ventus::Params::NUM_WARP)
            return;
        ventus::Workgroup group{};
        group.wg = *offer;
        group.lds_size = lds_.round(std::max(offer->lds_size, 1u));
        group.sgprs = sgprs_.round(offer->sgprs ? offer->sgprs : KARAT_NUM_X);
        group.vgprs = vgprs_.round(offer->vgprs ? offer->vgprs : KARAT_NUM_V);
        const auto slot = slots_.find(1), lds = lds_.find(group.lds_size);
        const auto sgpr = sgprs_.find(group.sgprs * offer->warps),
                   vgpr = vgprs_.find(group.vgprs * offer->warps);
        if (!slot || !lds || !sgpr || !vgpr)
            return;
        group.slot = *slot;
        group.lds_base = *lds;
        group.sgpr_base = *sgpr;
        group.vgpr_base = *vgpr;
        set_aside(group, true);
        live_ += offer->warps;
        running_.push_back(std::make_unique<ventus::Workgroup>(group));
        sending_ = running_.back().get();
        admitted_ = true;
    }

    void set_aside(const ventus::Workgroup &group, bool taken) {
        slots_.mark(group.slot, 1, taken);
        lds_.mark(group.lds_base, group.lds_size, taken);
        sgprs_.mark(group.sgpr_base, group.sgprs * group.wg.warps, taken);
        vgprs_.mark(group.vgpr_base, group.vgprs * group.wg.warps, taken);
    }

    void drive_dispatch() {
        top_.cta_req_valid_i = sending_ != nullptr;
        if (!sending_)
            return;
        const ventus::Workgroup &group = *sending_;
        const karat_workgroup &wg = group.wg;
        top_.cta_req_dispatch2cu_wg_wf_count_i = wg.warps;
        top_.cta_req_dispatch2cu_wf_size_dispatch_i = wg.threads;
        top_.cta_req_dispatch2cu_sgpr_base_dispatch_i = group.sgpr_base + group.sent * group.sgprs;
        top_.cta_req_dispatch2cu_vgpr_base_dispatch_i = group.vgpr_base + group.sent * group.vgprs;
        top_.cta_req_dispatch2cu_wf_tag_dispatch_i = group.slot << ventus::Params::TAG_WARP_BITS | group.sent;
        top_.cta_req_dispatch2cu_lds_base_dispatch_i = group.lds_base;
        top_.cta_req_dispatch2cu_start_pc_dispatch_i = wg.pc;
        top_.cta_req_dispatch2cu_pds_base_dispatch_i = wg.csr[KARAT_CSR_PDS];
        top_.cta_req_dispatch2cu_gds_base_dispatch_i = 0;
        top_.cta_req_dispatch2cu_csr_knl_dispatch_i = wg.csr[KARAT_CSR_KNL];
        top_.cta_req_dispatch2cu_wgid_x_dispatch_i = wg.csr[KARAT_CSR_GDX];
        top_.cta_req_dispatch2cu_wgid_y_dispatch_i = wg.csr[KARAT_CSR_GDY];
        top_.cta_req_dispatch2cu_wgid_z_dispatch_i = wg.csr[KARAT_CSR_GDZ];
        top_.cta_req_dispatch2cu_wg_id_i = wg.csr[KARAT_CSR_WGID];
    }

    void end_warp(uint32_t tag, Edge &edge) {
        const uint32_t slot = tag >> ventus::Params::TAG_WARP_BITS;
        const auto at = std::find_if(running_.begin(), running_.end(),
                                     [slot](const auto &group) { return group->slot == slot; });
        if (at == running_.end() || (*at)->ended == (*at)->sent) {
            edge.objection = "the core says that a warp has ended which was not dispatched";
            return;
        }
        if (++(*at)->ended < (*at)->wg.warps)
            return;
        const ventus::Workgroup group = **at;
        set_aside(group, false);
        live_ -= group.wg.warps;
        running_.erase(at);
        if (running_.empty() && !session_.offer()) { // the kernel's last, as far as is known here
            flush_ = Flush::kAsk;
            flush_since_ = session_.cycle();
            last_ = group.wg.index;
            return;
        }
        edge.done = true;
        edge.done_index = group.wg.index;
    }

    void step_flush(Edge &edge) {
        const uint64_t since = session_.cycle() - flush_since_;
        const bool answered =
            top_.mem_rsp_valid_i && top_.mem_rsp_ready_o && answer_kind() == ventus::kHintAck;
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

    ventus::Answer answer_kind() const { return static_cast<ventus::Answer>(answer_->id >> 16); }

    void drive_memory() {
        top_.mem_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_DATA);
        if (!answer_)
            if (const karat_ram_req *due = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_DATA))
                answer_ = *due;
        top_.mem_rsp_valid_i = answer_.has_value();
        if (!answer_)
            return;
        top_.mem_rsp_d_opcode_i = answer_kind();
        top_.mem_rsp_d_source_i = answer_->id & 0xffff;
        top_.mem_rsp_d_addr_i = answer_->addr[0];
        for (unsigned i = 0; i < ventus::Params::LINE_WORDS; i++)
            set_word(top_.mem_rsp_d_data_i, i, answer_->data[i]);
    }

    // Performs a request, so that what overtakes are the answers; traffic carries them.
    void take_request(Edge &edge) {
        const unsigned op = top_.mem_req_a_opcode_o;
        const bool put = op == ventus::kPutFull || op == ventus::kPutPart;
        karat_ram_req line{};
        line.op = put ? KARAT_RAM_STORE : KARAT_RAM_LOAD;
        for (unsigned i = 0; i < ventus::Params::LINE_WORDS; i++) {
            line.addr[i] = top_.mem_req_a_addr_o + 4 * i;
            line.be[i] = get_word(top_.mem_req_a_mask_o, i / 8) >> i % 8 * 4 & 15;
            line.data[i] = get_word(top_.mem_req_a_data_o, i);
            if (!put || line.be[i])
                line.lanes |= 1u << i;
        }
        uint32_t kind = put ? ventus::kAck : ventus::kAckData;
        if (op == ventus::kFlush)
            kind = ventus::kHintAck;
        else if (put || op == ventus::kGet)
            perform(line);
        else
            edge.objection = "a memory request of a kind that this core was not known to make";
        line.id = top_.mem_req_a_source_o | kind << 16;
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_DATA, &line);
    }

    // All of the window of local memory is mapped, and this core reaches it as any other memory. What the caches
    // read where nothing is, and no program asked for, is 0.
    void perform(karat_ram_req &line) {
        if (line.addr[0] >= kLdsWindow && line.addr[0] < kLdsWindowEnd &&
            !karat_ram_map(memory_.get(), line.addr[0], 4))
            Session::fail("out of memory");
        karat_ram_rsp rsp;
        karat_ram_perform_lanes(memory_.get(), &line, &rsp);
        if (rsp.error && karat_ram_stores(line.op))
            session_.bad_access(true, 0, line.addr[rsp.error_lane]);
        std::copy_n(rsp.data, ventus::Params::LINE_WORDS, line.data);
    }

    Session &session_;
    Vkarat_dut &top_;
    DeviceMemory memory_;
    Traffic traffic_;
    std::optional<karat_ram_req> answer_; // at the port until the core takes it

    ventus::Pool slots_{ventus::Params::NUM_BLOCK, 1}, lds_{ventus::Params::LDS_BYTES, kLdsGranule};
    ventus::Pool sgprs_{ventus::Params::NUM_SGPR, ventus::Params::NUM_BANK};
    ventus::Pool vgprs_{ventus::Params::NUM_VGPR, ventus::Params::NUM_BANK};
    std::vector<std::unique_ptr<ventus::Workgroup>> running_;
    ventus::Workgroup *sending_ = nullptr;
    bool admitted_ = false; // in this cycle
    uint32_t live_ = 0;     // warps, those to be sent included

    Flush flush_ = Flush::kNone;
    uint64_t flush_since_ = 0;
    uint32_t last_ = 0; // workgroup that is done when the caches are flushed

    static inline const Adapter *current_ = nullptr;
};

// Called by the probe.
extern "C" void karat_ventus_workgroup(unsigned gdx, unsigned gdy, unsigned gdz, unsigned *index,
                                       unsigned *sgprs, unsigned *vgprs, unsigned *lds) {
    const ventus::Workgroup *group = Adapter::find(gdx, gdy, gdz);
    *index = group ? group->wg.index : UINT32_MAX;
    *sgprs = group ? group->sgprs : 0;
    *vgprs = group ? group->vgprs : 0;
    *lds = group ? group->lds_size : 0;
}
