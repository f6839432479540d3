// The pins of ingot with the types of Verilator's SystemC model, once for all users: the core, the modules
// connected to it, and the signals in between. IN and OUT are as the core sees them.
#pragma once

#include <cstdint>
#include <type_traits>

#include <systemc>

#include "memory.h"

constexpr unsigned kNumSm = KARAT_PARAM_NUM_SM;
constexpr unsigned kNumWarp = KARAT_PARAM_NUM_WARP;
constexpr unsigned kNumThread = KARAT_PARAM_NUM_THREAD;
constexpr bool kMmu = KARAT_PARAM_MMU;

// A pin of that many bits.
template <unsigned Bits>
using PinBits = std::conditional_t<
    Bits == 1, bool,
    std::conditional_t<Bits <= 32, uint32_t, std::conditional_t<Bits <= 64, uint64_t, sc_dt::sc_bv<Bits>>>>;

constexpr unsigned index_width(unsigned values) {
    unsigned bits = 1;
    while (1u << bits < values)
        bits++;
    return bits;
}

using SmBits = PinBits<index_width(kNumSm)>;     // An SM
using SlotBits = PinBits<index_width(kNumWarp)>; // A warp of it
using LineBits = PinBits<32 * KARAT_RAM_LINE_WORDS>;
using LaneBits = PinBits<32 * kNumThread>;    // A word a lane
constexpr unsigned kAddrWords = kMmu ? 2 : 1; // Words of a physical address
using AddrBits = PinBits<32 * kAddrWords>;
using LaneAddrBits = PinBits<32 * kAddrWords * kNumThread>;
using EnableBits = PinBits<4 * kNumThread>; // A bit a byte of them

// Workgroups, printing and page faults: the host's side.
#define INGOT_HOST_PINS(IN, OUT)                                                                             \
    IN(bool, wg_valid_i)                                                                                     \
    OUT(bool, wg_ready_o)                                                                                    \
    IN(uint32_t, wg_index_i)                                                                                 \
    IN(uint32_t, wg_warps_i)                                                                                 \
    IN(uint32_t, wg_threads_i)                                                                               \
    IN(uint32_t, wg_starts_i)                                                                                \
    IN(uint32_t, wg_local_x_i)                                                                               \
    IN(uint32_t, wg_local_y_i)                                                                               \
    IN(uint32_t, wg_local_z_i)                                                                               \
    IN(uint32_t, wg_items_x_i)                                                                               \
    IN(uint32_t, wg_items_y_i)                                                                               \
    IN(uint32_t, wg_offset_x_i)                                                                              \
    IN(uint32_t, wg_offset_y_i)                                                                              \
    IN(uint32_t, wg_offset_z_i)                                                                              \
    IN(uint32_t, wg_live_x_i)                                                                                \
    IN(uint32_t, wg_live_y_i)                                                                                \
    IN(uint32_t, wg_live_z_i)                                                                                \
    IN(uint32_t, wg_pc_i)                                                                                    \
    IN(uint32_t, wg_knl_i)                                                                                   \
    IN(uint32_t, wg_wgid_i)                                                                                  \
    IN(uint32_t, wg_lds_i)                                                                                   \
    IN(uint32_t, wg_pds_i)                                                                                   \
    IN(uint32_t, wg_gdx_i)                                                                                   \
    IN(uint32_t, wg_gdy_i)                                                                                   \
    IN(uint32_t, wg_gdz_i)                                                                                   \
    IN(uint32_t, wg_lds_size_i)                                                                              \
    IN(uint32_t, wg_sgprs_i)                                                                                 \
    IN(uint32_t, wg_vgprs_i)                                                                                 \
    IN(bool, wg_translate_i)                                                                                 \
    IN(uint64_t, wg_ptbr_i)                                                                                  \
    IN(uint32_t, wg_asid_i)                                                                                  \
    IN(bool, wg_invalidate_i)                                                                                \
    OUT(bool, wg_done_o)                                                                                     \
    OUT(uint32_t, wg_done_index_o)                                                                           \
    OUT(bool, print_valid_o)                                                                                 \
    IN(bool, print_ready_i)                                                                                  \
    OUT(SmBits, print_sm_o)                                                                                  \
    OUT(SlotBits, print_warp_o)                                                                              \
    OUT(bool, fault_valid_o)

// Instruction and data memory and page tables: the bridge's side.
#define INGOT_MEMORY_PINS(IN, OUT)                                                                           \
    OUT(bool, imem_req_valid_o)                                                                              \
    IN(bool, imem_req_ready_i)                                                                               \
    OUT(uint32_t, imem_req_id_o)                                                                             \
    OUT(AddrBits, imem_req_addr_o)                                                                           \
    IN(bool, imem_rsp_valid_i)                                                                               \
    IN(uint32_t, imem_rsp_id_i)                                                                              \
    IN(LineBits, imem_rsp_data_i)                                                                            \
    IN(bool, imem_rsp_error_i)                                                                               \
    OUT(bool, dmem_req_valid_o)                                                                              \
    IN(bool, dmem_req_ready_i)                                                                               \
    OUT(uint32_t, dmem_req_id_o)                                                                             \
    OUT(uint32_t, dmem_req_op_o)                                                                             \
    OUT(uint32_t, dmem_req_warp_o)                                                                           \
    OUT(uint32_t, dmem_req_lanes_o)                                                                          \
    OUT(LaneAddrBits, dmem_req_addr_o)                                                                       \
    OUT(EnableBits, dmem_req_be_o)                                                                           \
    OUT(LaneBits, dmem_req_data_o)                                                                           \
    IN(bool, dmem_rsp_valid_i)                                                                               \
    IN(uint32_t, dmem_rsp_id_i)                                                                              \
    IN(bool, dmem_rsp_error_i)                                                                               \
    IN(LaneBits, dmem_rsp_data_i)                                                                            \
    IN(bool, dmem_performed_valid_i)                                                                         \
    IN(uint32_t, dmem_performed_id_i)                                                                        \
    IN(uint32_t, dmem_performed_data_i)                                                                      \
    OUT(bool, ptw_req_valid_o)                                                                               \
    IN(bool, ptw_req_ready_i)                                                                                \
    OUT(uint32_t, ptw_req_id_o)                                                                              \
    OUT(uint64_t, ptw_req_addr_o)                                                                            \
    IN(bool, ptw_rsp_valid_i)                                                                                \
    IN(uint32_t, ptw_rsp_id_i)                                                                               \
    IN(uint64_t, ptw_rsp_data_i)                                                                             \
    IN(bool, ptw_rsp_error_i)

#define INGOT_IN_PORT(type, name)  sc_core::sc_in<type> name{#name};
#define INGOT_OUT_PORT(type, name) sc_core::sc_out<type> name{#name};
#define INGOT_SIGNAL(type, name)   sc_core::sc_signal<type> name{#name};

// One signal a pin, and the connection of a module's ports of the same names.
struct KaratPins {
    INGOT_HOST_PINS(INGOT_SIGNAL, INGOT_SIGNAL)
    INGOT_MEMORY_PINS(INGOT_SIGNAL, INGOT_SIGNAL)

#define INGOT_BIND(type, name) module.name(name);
    template <class Module> void connect_host(Module &module) {
        INGOT_HOST_PINS(INGOT_BIND, INGOT_BIND)
    }
    template <class Module> void connect_memory(Module &module) {
        INGOT_MEMORY_PINS(INGOT_BIND, INGOT_BIND)
    }
    template <class Module> void connect(Module &core) {
        connect_host(core);
        connect_memory(core);
    }
#undef INGOT_BIND
};
