#include "host.hpp"

using namespace sc_core;

KaratHost::KaratHost(sc_module_name name, Session &session, Map map)
    : sc_module(name), session_(session), map_(std::move(map)) {
    SC_HAS_PROCESS(KaratHost);
    SC_METHOD(sample);
    sensitive << clk_i.pos();
    dont_initialize();
    SC_METHOD(act);
    sensitive << sampled_;
    dont_initialize();
    print_ready_i.initialize(true); // The text is read in the cycle in which the core shows it
    karat_host_memory memory{};
    memory.bytes.context = this;
    memory.bytes.map = [](void *host, uint64_t base, uint64_t size) {
        return static_cast<KaratHost *>(host)->map_(base, size) ? KARAT_OK : KARAT_NO_MEMORY;
    };
    memory.bytes.read = [](void *host, uint64_t addr, void *bytes, size_t size) {
        auto *self = static_cast<KaratHost *>(host);
        return self->debug(tlm::TLM_READ_COMMAND, addr, bytes, size) ? KARAT_OK : KARAT_NOT_MAPPED;
    };
    memory.bytes.write = [](void *host, uint64_t addr, const void *bytes, size_t size) {
        return static_cast<KaratHost *>(host)->write(addr, bytes, size) ? KARAT_OK : KARAT_NOT_MAPPED;
    };
    session_.connect(memory);
}

void KaratHost::sample() {
    if (!rst_ni)
        return;
    edge_.accepted = wg_valid_i && wg_ready_o;
    edge_.done = wg_done_o;
    edge_.done_index = wg_done_index_o;
    edge_.print = print_valid_o;
    edge_.print_sm = print_sm_o;
    edge_.print_slot = print_warp_o;
    edge_.fault = fault_valid_o;
    sampled_.notify(SC_ZERO_TIME);
}

// One delta cycle after the edge: the core's records of it are in, and nothing of the next cycle has
// happened.
void KaratHost::act() {
    if (session_.after_edge(edge_, idle_i))
        sc_stop();
    const karat_workgroup *wg = session_.offer();
    wg_valid_i = wg != nullptr;
    if (!wg)
        return;
    wg_index_i = wg->index;
    wg_warps_i = wg->warps;
    wg_threads_i = wg->threads;
    wg_starts_i = wg->starts;
    wg_local_x_i = wg->local[0];
    wg_local_y_i = wg->local[1];
    wg_local_z_i = wg->local[2];
    wg_items_x_i = wg->items[0];
    wg_items_y_i = wg->items[1];
    wg_offset_x_i = wg->offset[0];
    wg_offset_y_i = wg->offset[1];
    wg_offset_z_i = wg->offset[2];
    wg_live_x_i = wg->live[0];
    wg_live_y_i = wg->live[1];
    wg_live_z_i = wg->live[2];
    wg_pc_i = wg->pc;
    wg_knl_i = wg->csr[KARAT_CSR_KNL];
    wg_wgid_i = wg->csr[KARAT_CSR_WGID];
    wg_lds_i = wg->csr[KARAT_CSR_LDS];
    wg_pds_i = wg->csr[KARAT_CSR_PDS];
    wg_gdx_i = wg->csr[KARAT_CSR_GDX];
    wg_gdy_i = wg->csr[KARAT_CSR_GDY];
    wg_gdz_i = wg->csr[KARAT_CSR_GDZ];
    wg_lds_size_i = wg->lds_size;
    wg_sgprs_i = wg->sgprs;
    wg_vgprs_i = wg->vgprs;
    wg_translate_i = wg->translate;
    wg_ptbr_i = wg->ptbr;
    wg_asid_i = wg->asid;
    wg_invalidate_i = wg->invalidate;
}

bool KaratHost::write(uint64_t addr, const void *bytes, size_t size) {
    if (!debug(tlm::TLM_WRITE_COMMAND, addr, const_cast<void *>(bytes), size))
        return false;
    if (told_)
        told_(addr, size);
    return true;
}

// False where a byte is not memory. A target may transfer less than requested.
bool KaratHost::debug(tlm::tlm_command command, uint64_t addr, void *bytes, size_t size) {
    if (!size)
        return true;
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(addr);
    payload.set_data_ptr(static_cast<unsigned char *>(bytes));
    payload.set_data_length(static_cast<unsigned>(size));
    payload.set_streaming_width(static_cast<unsigned>(size));
    return memory->transport_dbg(payload) == size;
}
