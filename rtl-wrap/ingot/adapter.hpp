// The core ingot in the Verilator harness: its ports, and the host and memory models after them.
#pragma once

#include "Vkarat_dut.h"

#include "ingot_core.hpp"
#include "karat_adapter.hpp"
#include "traffic.h"

class Adapter {
  public:
    static constexpr unsigned kResetCycles = 2;

    static CoreInfo core() { return ingot_core(); }

    Adapter(Session &session, Vkarat_dut &top)
        : session_(session), top_(top), memory_(session), traffic_(session.make_traffic()) {
        top_.print_ready_i = 1; // The host takes the text in the cycle in which the core shows it
    }

    void clock(bool level) { top_.clk_i = level; }
    void reset(bool active) { top_.rst_ni = !active; }

    void drive() {
        drive_dispatch();
        drive_memory();
    }

    Edge edge() {
        Edge edge{};
        edge.accepted = top_.wg_valid_i && top_.wg_ready_o;
        edge.done = top_.wg_done_o;
        edge.done_index = top_.wg_done_index_o;
        edge.print = top_.print_valid_o;
        edge.print_sm = top_.print_sm_o;
        edge.print_slot = top_.print_warp_o;
        edge.fault = top_.fault_valid_o;
        if (top_.imem_req_valid_o && top_.imem_req_ready_i)
            take_fetch();
        if (top_.dmem_req_valid_o && top_.dmem_req_ready_i)
            take_data();
        if (kMmu && top_.ptw_req_valid_o && top_.ptw_req_ready_i)
            take_walk();
        karat_traffic_tick(traffic_.get());
        return edge;
    }

    bool idle() const { return karat_traffic_idle(traffic_.get()); }

  private:
    static constexpr uint32_t kNumThread = KARAT_PARAM_NUM_THREAD;
    static constexpr bool kMmu = KARAT_PARAM_MMU;

    void drive_dispatch() {
        const karat_workgroup *wg = session_.offer();
        top_.wg_valid_i = wg != nullptr;
        if (!wg)
            return;
        top_.wg_index_i = wg->index;
        top_.wg_warps_i = wg->warps;
        top_.wg_threads_i = wg->threads;
        top_.wg_starts_i = wg->starts;
        top_.wg_local_x_i = wg->local[0];
        top_.wg_local_y_i = wg->local[1];
        top_.wg_local_z_i = wg->local[2];
        top_.wg_items_x_i = wg->items[0];
        top_.wg_items_y_i = wg->items[1];
        top_.wg_offset_x_i = wg->offset[0];
        top_.wg_offset_y_i = wg->offset[1];
        top_.wg_offset_z_i = wg->offset[2];
        top_.wg_live_x_i = wg->live[0];
        top_.wg_live_y_i = wg->live[1];
        top_.wg_live_z_i = wg->live[2];
        top_.wg_pc_i = wg->pc;
        top_.wg_knl_i = wg->csr[KARAT_CSR_KNL];
        top_.wg_wgid_i = wg->csr[KARAT_CSR_WGID];
        top_.wg_lds_i = wg->csr[KARAT_CSR_LDS];
        top_.wg_pds_i = wg->csr[KARAT_CSR_PDS];
        top_.wg_gdx_i = wg->csr[KARAT_CSR_GDX];
        top_.wg_gdy_i = wg->csr[KARAT_CSR_GDY];
        top_.wg_gdz_i = wg->csr[KARAT_CSR_GDZ];
        top_.wg_lds_size_i = wg->lds_size;
        top_.wg_sgprs_i = wg->sgprs;
        top_.wg_vgprs_i = wg->vgprs;
        top_.wg_translate_i = wg->translate;
        top_.wg_ptbr_i = wg->ptbr;
        top_.wg_asid_i = wg->asid;
        top_.wg_invalidate_i = wg->invalidate;
    }

    void drive_memory() {
        drive_fetch();
        drive_data();
        if (kMmu)
            drive_walk();
    }

    void drive_fetch() {
        top_.imem_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_FETCH);
        karat_ram_rsp *rsp;
        while (const karat_ram_req *req = karat_traffic_perform(traffic_.get(), KARAT_TRAFFIC_FETCH, &rsp))
            karat_ram_perform_line(memory_.get(), req, rsp);
        const karat_ram_req *req = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_FETCH);
        top_.imem_rsp_valid_i = req != nullptr;
        if (!req)
            return;
        rsp = karat_traffic_answer(req);
        top_.imem_rsp_id_i = rsp->id;
        top_.imem_rsp_error_i = rsp->error;
        for (unsigned i = 0; i < KARAT_RAM_LINE_WORDS; i++)
            set_word(top_.imem_rsp_data_i, i, rsp->data[i]);
    }

    void drive_data() {
        top_.dmem_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_DATA);
        karat_ram_rsp *rsp;
        const karat_ram_req *req = karat_traffic_perform(traffic_.get(), KARAT_TRAFFIC_DATA, &rsp);
        if (req) {
            karat_ram_perform_lanes(memory_.get(), req, rsp);
            session_.performed(*req);
            top_.dmem_performed_id_i = rsp->id;
            top_.dmem_performed_data_i = rsp->data[0];
        }
        top_.dmem_performed_valid_i = req && !rsp->error;
        req = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_DATA);
        top_.dmem_rsp_valid_i = req != nullptr;
        if (!req)
            return;
        rsp = karat_traffic_answer(req);
        if (rsp->error)
            session_.bad_access(karat_ram_stores(req->op), rsp->error_lane, req->addr[rsp->error_lane]);
        top_.dmem_rsp_id_i = rsp->id;
        top_.dmem_rsp_error_i = rsp->error;
        for (unsigned lane = 0; lane < kNumThread; lane++)
            set_word(top_.dmem_rsp_data_i, lane, rsp->data[lane]);
    }

    void drive_walk() {
        top_.ptw_req_ready_i = karat_traffic_ready(traffic_.get(), KARAT_TRAFFIC_WALK);
        karat_ram_rsp *rsp;
        while (const karat_ram_req *req = karat_traffic_perform(traffic_.get(), KARAT_TRAFFIC_WALK, &rsp))
            karat_ram_perform_entry(memory_.get(), req, rsp);
        const karat_ram_req *req = karat_traffic_due(traffic_.get(), KARAT_TRAFFIC_WALK);
        top_.ptw_rsp_valid_i = req != nullptr;
        if (!req)
            return;
        rsp = karat_traffic_answer(req);
        top_.ptw_rsp_id_i = rsp->id;
        top_.ptw_rsp_error_i = rsp->error;
        set_word(top_.ptw_rsp_data_i, 0, rsp->data[0]);
        set_word(top_.ptw_rsp_data_i, 1, rsp->data[1]);
    }

    // A lane's address: 64 bits of a core with an MMU.
    uint64_t data_addr(unsigned lane) const {
        if (!kMmu)
            return get_word(top_.dmem_req_addr_o, lane);
        return get_word(top_.dmem_req_addr_o, 2 * lane) |
               static_cast<uint64_t>(get_word(top_.dmem_req_addr_o, 2 * lane + 1)) << 32;
    }

    void take_fetch() {
        request_.id = top_.imem_req_id_o;
        request_.addr[0] = top_.imem_req_addr_o;
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_FETCH, &request_);
    }

    void take_data() {
        request_.id = top_.dmem_req_id_o;
        request_.requester = top_.dmem_req_warp_o;
        request_.op = top_.dmem_req_op_o;
        request_.lanes = top_.dmem_req_lanes_o;
        for (unsigned lane = 0; lane < kNumThread; lane++) {
            request_.addr[lane] = data_addr(lane);
            request_.be[lane] = get_word(top_.dmem_req_be_o, lane / 8) >> lane % 8 * 4 & 15;
            request_.data[lane] = get_word(top_.dmem_req_data_o, lane);
        }
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_DATA, &request_);
    }

    void take_walk() {
        request_.id = top_.ptw_req_id_o;
        request_.addr[0] = top_.ptw_req_addr_o;
        karat_traffic_request(traffic_.get(), KARAT_TRAFFIC_WALK, &request_);
    }

    Session &session_;
    Vkarat_dut &top_;
    DeviceMemory memory_;
    Traffic traffic_;
    karat_ram_req request_{};
};
