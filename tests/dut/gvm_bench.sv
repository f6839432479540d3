// The verification modules of the Chisel Ventus (rtl-wrap/ventus_chisel/ventus_gvm.sv) alone, for
// gvm_bench.cpp to drive.
module gvm_bench
  import ventus_params::*;
(
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic [NUM_WARP-1:0][NUM_THREAD-1:0] thread_masks_i,
  input logic                              launch_i,
  input logic [31:0]                       launch_wg_i,
  input logic [31:0]                       launch_warp_i,
  input logic [31:0]                       launch_slot_i,
  input logic [31:0]                       launch_lds_i,
  input logic [31:0]                       launch_threads_i,
  input logic [NUM_WARP-1:0]               dispatch_i,
  input logic [NUM_WARP-1:0][31:0]         dispatch_pc_i,
  input logic [NUM_WARP-1:0][31:0]         dispatch_word_i,
  input logic [NUM_WARP-1:0][31:0]         dispatch_id_i,
  input logic [NUM_WARP-1:0]               dispatch_prefix_i,
  input logic                              x_i,
  input logic [31:0]                       x_data_i,
  input logic [31:0]                       x_reg_i,
  input logic [31:0]                       x_slot_i,
  input logic [31:0]                       x_id_i,
  input logic                              v_i,
  input logic [NUM_THREAD-1:0][31:0]       v_data_i,
  input logic [31:0]                       v_reg_i,
  input logic [31:0]                       v_slot_i,
  input logic [31:0]                       v_id_i,
  input logic [NUM_THREAD-1:0]             v_mask_i
);
  logic [NUM_WARP-1:0][31:0] slots;
  logic                      x_q;
  logic [31:0]               x_data_q, x_reg_q, x_slot_q, x_id_q;

  always_comb for (int w = 0; w < NUM_WARP; w++) slots[w] = 32'(w);

  // The core's build for GVM reports scalar writes one cycle late, vectors and launches at once.
  always_ff @(posedge clk_i) begin
    x_q      <= x_i;
    x_data_q <= x_data_i;
    x_reg_q  <= x_reg_i;
    x_slot_q <= x_slot_i;
    x_id_q   <= x_id_i;
  end

  gvm_bench_masks simt_stack (.thread_masks_i);

  GvmDutCta2Warp u_launch (
    .io_clock(clk_i), .io_reset(!rst_ni), .io_warp_req_fire(launch_i), .io_software_wg_id(launch_wg_i),
    .io_software_warp_id(launch_warp_i), .io_sm_id('0), .io_hardware_warp_id(launch_slot_i),
    .io_sgpr_base(64 * launch_slot_i), .io_vgpr_base(256 * launch_slot_i), .io_wg_slot_id_in_warp_sche('0),
    .io_lds_base(launch_lds_i), .io_rtl_num_thread(launch_threads_i)
  );
  GvmDutInsnDispatch u_dispatch (
    .io_clock(clk_i), .io_reset(!rst_ni), .io_dispatch_fire(dispatch_i), .io_sm_id('0),
    .io_hardware_warp_id(slots),
    .io_pc(dispatch_pc_i), .io_instr(dispatch_word_i), .io_dispatch_id(dispatch_id_i),
    .io_is_extended(dispatch_prefix_i)
  );
  GvmDutXRegWriteback u_x (
    .io_clock(clk_i), .io_reset(!rst_ni), .io_fire(x_q), .io_sm_id('0), .io_rd(x_data_q),
    .io_is_scalar_wb(1'b1), .io_reg_idx(x_reg_q),
    .io_hardware_warp_id(x_slot_q), .io_pc('0), .io_inst('0), .io_dispatch_id(x_id_q)
  );
  GvmDutVRegWriteback u_v (
    .io_clock(clk_i), .io_reset(!rst_ni), .io_fire(v_i), .io_sm_id('0), .io_rd(v_data_i),
    .io_is_vector_wb(1'b1), .io_reg_idx(v_reg_i),
    .io_hardware_warp_id(v_slot_i), .io_pc('0), .io_inst('0), .io_dispatch_id(v_id_i), .io_wvd_mask(v_mask_i)
  );
  // The model's registers are 0 at a launch.
  GvmDutWarpXRegInit u_x_init (
    .io_clock(clk_i), .io_reset(!rst_ni), .io_fire(launch_i), .io_sm_id('0),
    .io_hardware_warp_id(launch_slot_i), .io_xregs('0)
  );
  GvmDutWarpVRegInit u_v_init (
    .io_clock(clk_i), .io_reset(!rst_ni), .io_fire(launch_i), .io_sm_id('0),
    .io_hardware_warp_id(launch_slot_i), .io_vregs('0)
  );
endmodule

// Thread masks under the names that the core has.
module gvm_bench_masks
  import ventus_params::*;
(
  input logic [NUM_WARP-1:0][NUM_THREAD-1:0] thread_masks_i
);
  logic [NUM_THREAD-1:0] thread_masks_0, thread_masks_1, thread_masks_2, thread_masks_3;
  logic [NUM_THREAD-1:0] thread_masks_4, thread_masks_5, thread_masks_6, thread_masks_7;
  assign {thread_masks_7, thread_masks_6, thread_masks_5, thread_masks_4, thread_masks_3, thread_masks_2,
          thread_masks_1, thread_masks_0} = thread_masks_i;
endmodule
