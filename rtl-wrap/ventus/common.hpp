// Shared by the adapters of the public Ventus, Verilog and Chisel, at the level of one SM and of the whole
// GPGPU: which workgroups run, and memory that takes lines.
#pragma once

#include "Vkarat_dut.h"
#include "Vkarat_dut__Dpi.h"
#include "Vkarat_dut_ventus_params.h"

#include "karat_adapter.hpp"
#include "karat_description.hpp"
#include "traffic.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ventus {

using Params = Vkarat_dut_ventus_params;

inline CoreInfo core_info(const char *name) {
    return {name,
            Params::NUM_SM,
            Params::NUM_WARP,
            Params::NUM_THREAD,
            Params::LDS_BYTES,
            Params::NUM_SGPR,
            Params::NUM_VGPR,
            Params::NUM_BANK,
            karat_description,
            false,
            {}};
}

// A workgroup that runs, with what was set aside for it: local memory, and registers of each warp.
struct Workgroup {
    karat_workgroup wg;
    uint32_t lds_size, sgprs, vgprs;
};

// Workgroups that run. The core has no name for a workgroup that is its own while it runs: its index travels
// as the base of global data share, which an SM takes and does not use.
class Running {
  public:
    static constexpr uint32_t kLdsGranule = Params::LDS_BYTES / Params::NUM_BLOCK;

    Running() { current_ = this; }

    // Nothing asked for is all registers of a warp, and the smallest piece of local memory.
    static Workgroup sized(const karat_workgroup &wg) {
        return {wg, round(std::max(wg.lds_size, 1u), kLdsGranule),
                round(wg.sgprs ? wg.sgprs : KARAT_NUM_X, Params::NUM_BANK),
                round(wg.vgprs ? wg.vgprs : KARAT_NUM_V, Params::NUM_BANK)};
    }
    static uint32_t round(uint32_t size, uint32_t granule) {
        return (size + granule - 1) / granule * granule;
    }

    void add(const Workgroup &group) { groups_.push_back(group); }
    void remove(uint32_t index) {
        groups_.erase(std::remove_if(groups_.begin(), groups_.end(),
                                     [index](const auto &g) { return g.wg.index == index; }),
                      groups_.end());
    }
    size_t size() const { return groups_.size(); }

    // For the probe; nullptr: none of that index runs.
    static const Workgroup *find(uint32_t index) {
        for (const auto &group : current_->groups_)
            if (group.wg.index == index)
                return &group;
        return nullptr;
    }

  private:
    std::vector<Workgroup> groups_;
    static inline const Running *current_ = nullptr;
};

// TileLink's operations, as the core numbers them.
enum Request : uint8_t { kPutFull = 0, kPutPart = 1, kGet = 4, kFlush = 5 };
enum Answer : uint8_t { kAck = 0, kAckData = 1, kHintAck = 2 };

// Device memory that performs lines.
class Lines {
  public:
    explicit Lines(Session &session) : session_(session), memory_(session) {}

    // A line of the words that the mask, one bit for each byte, names: all of them where it is loaded.
    template <class Mask, class Data>
    static karat_ram_req line(bool store, uint32_t addr, const Mask &mask, const Data &data) {
        karat_ram_req line{};
        line.op = store ? KARAT_RAM_STORE : KARAT_RAM_LOAD;
        for (unsigned i = 0; i < Params::LINE_WORDS; i++) {
            line.addr[i] = addr + 4 * i;
            line.be[i] = get_word(mask, i / 8) >> i % 8 * 4 & 15;
            line.data[i] = get_word(data, i);
            if (!store || line.be[i])
                line.lanes |= 1u << i;
        }
        return line;
    }

    // All of the window of local memory is mapped, and this core reaches it as any other memory. What the
    // caches read where nothing is, and no program asked for, is 0.
    void perform(karat_ram_req &line) {
        if (line.addr[0] >= kLdsWindow && line.addr[0] < kLdsWindowEnd &&
            !karat_ram_map(memory_.get(), line.addr[0], 4))
            Session::fail("out of memory");
        karat_ram_rsp rsp;
        karat_ram_perform_lanes(memory_.get(), &line, &rsp);
        session_.performed(line);
        if (rsp.error && karat_ram_stores(line.op))
            session_.bad_access(true, 0, line.addr[rsp.error_lane]);
        std::copy_n(rsp.data, Params::LINE_WORDS, line.data);
    }

    // At a port.
    template <class Port> static void drive_data(Port &port, const karat_ram_req &line) {
        for (unsigned i = 0; i < Params::LINE_WORDS; i++)
            set_word(port, i, line.data[i]);
    }

  private:
    static constexpr uint32_t kLdsWindow = 0x70000000, kLdsWindowEnd = 0x80000000;

    Session &session_;
    DeviceMemory memory_;
};

// A memory port of lines: Get, Put, Flush, performed in the order of the requests; the answers overtake each
// other.
class LineMemory {
  public:
    explicit LineMemory(Session &session) : lines_(session), traffic_(session.make_traffic()) {}

    // The inputs to drive: called once a cycle while the clock is low.
    bool ready() const { return karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_DATA); }
    bool answers() {
        if (!answer_)
            if (const karat_ram_req *due = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_DATA))
                answer_ = *due;
        return answer_.has_value();
    }
    // The answer at the port.
    Answer kind() const { return static_cast<Answer>(answer_->id >> 16); }
    uint32_t source() const { return answer_->id & 0xffff; }
    uint32_t addr() const { return answer_->addr[0]; }
    template <class Port> void drive_data(Port &port) const { Lines::drive_data(port, *answer_); }

    // At the edge: the core takes the answer; it hands over a request.
    void taken() { answer_.reset(); }
    template <class Mask, class Data>
    void request(unsigned op, uint32_t addr, uint32_t source, const Mask &mask, const Data &data,
                 Edge &edge) {
        const bool put = op == kPutFull || op == kPutPart;
        karat_ram_req line = Lines::line(put, addr, mask, data);
        Answer kind = put ? kAck : kAckData;
        if (op == kFlush)
            kind = kHintAck;
        else if (put || op == kGet)
            lines_.perform(line);
        else
            edge.objection = "a memory request of a kind that this core was not known to make";
        line.id = source | static_cast<uint32_t>(kind) << 16;
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_DATA, &line);
    }
    void tick() { karat_traffic_tick(traffic_.get()); }

    bool idle() const { return karat_traffic_idle(traffic_.get()) && !answer_; }

  private:
    Lines lines_;
    Traffic traffic_;
    std::optional<karat_ram_req> answer_; // At the port until the core takes it
};

// The number that follows a name in a hierarchical path; 0: nothing.
inline uint32_t index_in(const std::string &path, const std::string &name) {
    const size_t at = path.find("." + name);
    return at == std::string::npos
               ? 0
               : static_cast<uint32_t>(std::strtoul(&path[at + name.size() + 1], nullptr, 10));
}

} // namespace ventus

// Called by the probes.
extern "C" unsigned karat_ventus_pc(unsigned index) {
    const ventus::Workgroup *group = ventus::Running::find(index);
    return group ? static_cast<unsigned>(group->wg.pc) : 0;
}
extern "C" void karat_ventus_workgroup(unsigned index, unsigned *known, unsigned *sgprs, unsigned *vgprs,
                                       unsigned *lds) {
    const ventus::Workgroup *group = ventus::Running::find(index);
    *known = group ? index : UINT32_MAX;
    *sgprs = group ? group->sgprs : 0;
    *vgprs = group ? group->vgprs : 0;
    *lds = group ? group->lds_size : 0;
}
