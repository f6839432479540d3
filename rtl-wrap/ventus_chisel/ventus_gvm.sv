// Records from the verification modules that builds of the Chisel Ventus for GVM have (RTL_GVM_ENABLED):
// modules of the same names and ports, to be compiled in place of those. They show launches, the instructions
// that leave the instruction buffer, and register writes, each with the number of its dispatch; README.md
// says what they do not show.
//
// Each module keeps what it sees in a cycle; at the falling edge all of it is sent in the order of the port.
/* verilator lint_off BLKSEQ */
package ventus_gvm;
  import karat_port_pkg::*;
  import ventus_params::*;

  import "DPI-C" function void karat_ventus_workgroup(input int unsigned index, output int unsigned known,
                                                      output int unsigned sgprs, output int unsigned vgprs,
                                                      output int unsigned lds);
  import "DPI-C" function int unsigned karat_ventus_pc(input int unsigned index);

  localparam bit [31:0] Gives = 1 << KARAT_REC_HELLO | 1 << KARAT_REC_LAUNCH | 1 << KARAT_REC_ISSUE |
      1 << KARAT_REC_WRITE |
      1 << KARAT_REC_AUDIT;

  // Of each slot: its launches, the number of the last instruction dispatched, and the first of this launch
  // and of the last.
  localparam int unsigned Slots = NUM_SM * NUM_WARP;
  int unsigned epochs[Slots], last_id[Slots], first_id[Slots], before_id[Slots], workgroups[Slots];
  bit launched[Slots];  // Nothing has been dispatched yet: the first number may be any

  // Of this cycle, with the number of the dispatch in place of seq, and without epoch and cycle.
  karat_write_t writes[$];
  karat_issue_t issues[$];
  karat_launch_t launches[$];
  karat_audit_t audits[$];
  bit hello;
  longint unsigned cycle;

  function automatic karat_header_t header(int unsigned kind, int unsigned sm, int unsigned slot);
    return karat_header(kind, sm, slot, 0, 0);
  endfunction

  typedef logic [$clog2(Slots)-1:0] slot_t;
  function automatic slot_t slot_of(karat_header_t h);
    return slot_t'(32'(h.sm) * NUM_WARP + 32'(h.slot));
  endfunction

  // An instruction of the slot's last owner may still write.
  function automatic karat_header_t header_of(karat_header_t h, logic [31:0] id);
    karat_header_t r;
    r = h;
    r.cycle = cycle;
    r.epoch = epochs[slot_of(h)] - (id >= first_id[slot_of(h)] ? 1 : 2);
    return r;
  endfunction

  function automatic logic [31:0] seq_of(karat_header_t h, logic [31:0] id);
    return id - (id >= first_id[slot_of(h)] ? first_id[slot_of(h)] : before_id[slot_of(h)]);
  endfunction

  function automatic void send_hello();
    karat_hello_t r;
    r = '0;
    r.h = karat_header(KARAT_REC_HELLO, 0, 0, 0, cycle);
    r.version = 16'(KaratPortVersion);
    r.stack_depth = 16'(STACK_DEPTH);
    r.num_sm = 8'(NUM_SM);
    r.num_warp = 8'(NUM_WARP);
    r.num_thread = 8'(NUM_THREAD);
    r.gives = Gives;
    r.props = KARAT_PROP_FLUSHED | KARAT_PROP_INTERLOCKED;
    r.name = karat_name(CORE_NAME);
    karat_port_hello(r);
  endfunction

  function automatic void send_launch(karat_launch_t r);
    int unsigned known, sgprs, vgprs, lds;
    slot_t slot;
    slot = slot_of(r.h);
    before_id[slot] = first_id[slot];
    first_id[slot] = last_id[slot] + 1;
    launched[slot] = 1'b1;
    workgroups[slot] = r.workgroup;
    r.h.epoch = epochs[slot];
    r.h.cycle = cycle;
    epochs[slot]++;
    r.pc = karat_ventus_pc(r.workgroup);
    karat_ventus_workgroup(r.workgroup, known, sgprs, vgprs, lds);
    r.workgroup = known;
    r.sgpr_size = sgprs;
    r.vgpr_size = vgprs;
    r.lds_size = lds;
    karat_port_launch(r);
  endfunction

  // Registers beyond the warp's own belong to others.
  function automatic void send_audit(karat_audit_t r);
    int unsigned known, sgprs, vgprs, lds;
    karat_ventus_workgroup(workgroups[slot_of(r.h)], known, sgprs, vgprs, lds);
    if (32'(r.regno) >= (r.cls == 8'(KARAT_X) ? sgprs : vgprs)) return;
    r.h.epoch = epochs[slot_of(r.h)] - 1;
    r.h.cycle = cycle;
    karat_port_audit(r);
  endfunction

  function automatic void flush();
    karat_write_t w;
    karat_issue_t i;
    if (!hello) send_hello();
    hello = 1'b1;
    while (writes.size() != 0) begin
      w = writes.pop_front();
      w.h = header_of(w.h, w.seq);
      w.seq = seq_of(w.h, w.seq);
      karat_port_write(w);
    end
    while (issues.size() != 0) begin
      i = issues.pop_front();
      last_id[slot_of(i.h)] = i.seq;
      if (launched[slot_of(i.h)]) first_id[slot_of(i.h)] = i.seq;
      launched[slot_of(i.h)] = 1'b0;
      i.h = header_of(i.h, i.seq);
      i.seq = seq_of(i.h, i.seq);
      karat_port_issue(i);
    end
    while (launches.size() != 0) send_launch(launches.pop_front());
    while (audits.size() != 0) send_audit(audits.pop_front());
  endfunction

endpackage

module GvmDutCta2Warp
  import karat_port_pkg::*;
  import ventus_gvm::*;
(
  input logic        io_clock,
  input logic        io_reset,
  input logic        io_warp_req_fire,
  input logic [31:0] io_software_wg_id,
  input logic [31:0] io_software_warp_id,
  input logic [31:0] io_sm_id,
  input logic [31:0] io_hardware_warp_id,
  input logic [31:0] io_sgpr_base,
  input logic [31:0] io_vgpr_base,
  input logic [31:0] io_wg_slot_id_in_warp_sche,
  input logic [31:0] io_lds_base,
  input logic [31:0] io_rtl_num_thread
);
  always_ff @(posedge io_clock) begin
    if (!io_reset && io_warp_req_fire) begin
      karat_launch_t r;
      r = '0;
      r.h = header(KARAT_REC_LAUNCH, io_sm_id, io_hardware_warp_id);
      r.workgroup = io_software_wg_id;
      r.warp = io_software_warp_id;
      r.mask = 32'((64'd1 << io_rtl_num_thread) - 1);
      r.csr[2] = io_rtl_num_thread;
      r.csr[4] = io_software_wg_id;
      r.csr[5] = io_software_warp_id;
      r.csr[6] = io_lds_base;
      r.csr_given = 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6;
      r.sgpr_base = io_sgpr_base;
      r.vgpr_base = io_vgpr_base;
      r.lds_base = io_lds_base & 32'h0fff_ffff;
      r.regs = KARAT_REGS_UNKNOWN;
      launches.push_back(r);
    end
  end
endmodule

module GvmDutInsnDispatch
  import karat_port_pkg::*;
  import ventus_params::*;
  import ventus_gvm::*;
(
  input logic                       io_clock,
  input logic                       io_reset,
  input logic [NUM_WARP-1:0]        io_dispatch_fire,
  input logic [NUM_WARP-1:0][31:0]  io_sm_id,
  input logic [NUM_WARP-1:0][31:0]  io_hardware_warp_id,
  input logic [NUM_WARP-1:0][31:0]  io_pc,
  input logic [NUM_WARP-1:0][31:0]  io_instr,
  input logic [NUM_WARP-1:0][31:0]  io_dispatch_id,
  input logic [NUM_WARP-1:0]        io_is_extended
);
  logic [NUM_THREAD-1:0] thread_masks[NUM_WARP];

`include "ventus_masks.svh"

  always_ff @(posedge io_clock) begin
    for (int w = 0; w < NUM_WARP; w++) begin
      if (!io_reset && io_dispatch_fire[w]) begin
        karat_issue_t r;
        r = '0;
        r.h = header(KARAT_REC_ISSUE, io_sm_id[w], io_hardware_warp_id[w]);
        r.seq = io_dispatch_id[w];
        r.pc = io_pc[w];
        r.word = io_instr[w];
        r.mask = 32'(thread_masks[w]);
        r.prefix_kind = io_is_extended[w] ? KARAT_PREFIX_UNKNOWN : KARAT_PREFIX_NONE;
        issues.push_back(r);
      end
    end
  end

  // One of these modules, that of the first SM, counts the cycles and sends what all have seen.
  always_ff @(negedge io_clock) begin
    if (io_sm_id[0] == 0) begin
      if (!io_reset) flush();
      cycle = io_reset ? '0 : cycle + 1;
    end
  end
endmodule

module GvmDutXRegWriteback
  import karat_port_pkg::*;
  import ventus_gvm::*;
(
  input logic        io_clock,
  input logic        io_reset,
  input logic        io_fire,
  input logic [31:0] io_sm_id,
  input logic [31:0] io_rd,
  input logic        io_is_scalar_wb,
  input logic [31:0] io_reg_idx,
  input logic [31:0] io_hardware_warp_id,
  input logic [31:0] io_pc,
  input logic [31:0] io_inst,
  input logic [31:0] io_dispatch_id
);
  always_ff @(posedge io_clock) begin
    if (!io_reset && io_fire && io_is_scalar_wb && io_reg_idx != 0) begin
      karat_write_t r;
      r = '0;
      r.h = header(KARAT_REC_WRITE, io_sm_id, io_hardware_warp_id);
      r.seq = io_dispatch_id;
      r.match = 8'(KARAT_MATCH_SEQ);
      r.cls = 8'(KARAT_X);
      r.regno = 16'(io_reg_idx);
      r.mask = 32'd1;
      r.data[0] = io_rd;
      writes.push_back(r);
    end
  end
endmodule

module GvmDutVRegWriteback
  import karat_port_pkg::*;
  import ventus_params::*;
  import ventus_gvm::*;
(
  input logic                        io_clock,
  input logic                        io_reset,
  input logic                        io_fire,
  input logic [31:0]                 io_sm_id,
  input logic [NUM_THREAD-1:0][31:0] io_rd,
  input logic                        io_is_vector_wb,
  input logic [31:0]                 io_reg_idx,
  input logic [31:0]                 io_hardware_warp_id,
  input logic [31:0]                 io_pc,
  input logic [31:0]                 io_inst,
  input logic [31:0]                 io_dispatch_id,
  input logic [NUM_THREAD-1:0]       io_wvd_mask
);
  always_ff @(posedge io_clock) begin
    if (!io_reset && io_fire && io_is_vector_wb) begin
      karat_write_t r;
      r = '0;
      r.h = header(KARAT_REC_WRITE, io_sm_id, io_hardware_warp_id);
      r.seq = io_dispatch_id;
      r.match = 8'(KARAT_MATCH_SEQ);
      r.cls = 8'(KARAT_V);
      r.regno = 16'(io_reg_idx);
      r.mask = 32'(io_wvd_mask);
      r.data[NUM_THREAD-1:0] = io_rd;
      writes.push_back(r);
    end
  end
endmodule

// Registers as a warp finds them.
module GvmDutWarpXRegInit
  import karat_port_pkg::*;
  import ventus_params::*;
  import ventus_gvm::*;
(
  input logic                                io_clock,
  input logic                                io_reset,
  input logic                                io_fire,
  input logic [31:0]                         io_sm_id,
  input logic [31:0]                         io_hardware_warp_id,
  input logic [NUM_SGPR/NUM_WARP-1:0][31:0]  io_xregs
);
  always_ff @(posedge io_clock) begin
    if (!io_reset && io_fire) begin
      for (int i = 1; i < NUM_SGPR / NUM_WARP; i++) begin
        karat_audit_t r;
        r = '0;
        r.h = header(KARAT_REC_AUDIT, io_sm_id, io_hardware_warp_id);
        r.regno = 16'(i);
        r.cls = 8'(KARAT_X);
        r.mask = 32'd1;
        r.data[0] = io_xregs[i];
        audits.push_back(r);
      end
    end
  end
endmodule

module GvmDutWarpVRegInit
  import karat_port_pkg::*;
  import ventus_params::*;
  import ventus_gvm::*;
(
  input logic                                                 io_clock,
  input logic                                                 io_reset,
  input logic                                                 io_fire,
  input logic [31:0]                                          io_sm_id,
  input logic [31:0]                                          io_hardware_warp_id,
  input logic [NUM_VGPR/NUM_WARP-1:0][NUM_THREAD-1:0][31:0]   io_vregs
);
  always_ff @(posedge io_clock) begin
    if (!io_reset && io_fire) begin
      for (int i = 0; i < NUM_VGPR / NUM_WARP; i++) begin
        karat_audit_t r;
        r = '0;
        r.h = header(KARAT_REC_AUDIT, io_sm_id, io_hardware_warp_id);
        r.regno = 16'(i);
        r.cls = 8'(KARAT_V);
        r.mask = 32'({NUM_THREAD{1'b1}});
        r.data[NUM_THREAD-1:0] = io_vregs[i];
        audits.push_back(r);
      end
    end
  end
endmodule

// A release names neither its warps nor their arrivals: no record.
module GvmDutBarrierDone (
  input logic        io_clock,
  input logic        io_reset,
  input logic        io_bar_done_fire,
  input logic [31:0] io_sm_id,
  input logic [31:0] io_wg_slot_id,
  input logic [31:0] io_pc,
  input logic [31:0] io_inst,
  input logic [31:0] io_dispatch_id
);
endmodule
/* verilator lint_on BLKSEQ */
