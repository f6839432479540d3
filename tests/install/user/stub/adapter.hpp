// The stub's pins. Its memory answers in the same cycle, so that nothing is ever under way.
#pragma once

#include "Vkarat_dut.h"

#include "karat_adapter.hpp"
#include "karat_description.hpp"

class Adapter {
  public:
    static constexpr unsigned kResetCycles = 2;

    static CoreInfo core() {
        return {
            "stub", 1, 1, 4, 0, 64, 256, 1, karat_description, true, {{"sum", "function", "stub.sv", 20}}};
    }

    Adapter(Session &session, Vkarat_dut &top) : session_(session), top_(top), memory_(session) {}

    void clock(bool level) { top_.clk_i = level; }
    void reset(bool active) { top_.rst_ni = !active; }

    void drive() {
        const karat_workgroup *wg = session_.offer();
        top_.wg_valid_i = wg != nullptr;
        if (wg)
            top_.wg_pc_i = wg->pc;
        uint32_t insn = 0;
        karat_ram_read(memory_.get(), top_.pc_o, &insn, sizeof insn);
        top_.insn_i = insn;
    }

    Edge edge() {
        Edge edge{};
        edge.accepted = top_.wg_valid_i && top_.wg_ready_o;
        edge.done = top_.wg_done_o;
        return edge;
    }

    bool idle() const { return true; }

  private:
    Session &session_;
    Vkarat_dut &top_;
    DeviceMemory memory_;
};
