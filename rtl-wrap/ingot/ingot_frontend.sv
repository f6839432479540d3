// The first stages of the pipeline: instruction cache, line buffers of the warps, and decode into one slot
// for each warp.
module ingot_frontend
  import ingot_pkg::*;
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_ICACHE_SET = 16,
  parameter int unsigned NUM_MISS = 4,  // Instruction memory requests in flight
  parameter int unsigned PROFILE = 202,
  parameter int unsigned MMU = 0,
  localparam int unsigned PaddrW = MMU != 0 ? 64 : 32,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned MissW = index_width(NUM_MISS)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Launch
  input  logic                       launch_i,
  input  logic [WarpW-1:0]           launch_warp_i,
  input  logic [31:0]                launch_pc_i,
  input  logic [NUM_WARP-1:0]        live_i,
  output logic [NUM_WARP-1:0]        fetching_o,  // The warp slot has a fetch in flight
  input  logic                       flush_i,  // All lines of the instruction cache become invalid
  // address space, and TLB entries that become invalid
  input  address_space_t             space_i,
  input  invalidate_t                invalidate_i,
  // State of each warp that decode depends on
  input  logic [NUM_WARP-1:0]        vill_i,
  input  logic [NUM_WARP-1:0]        lmul2_i,
  input  logic [NUM_WARP-1:0][1:0]   sew_i,
  input  logic [NUM_WARP-1:0][2:0]   frm_i,
  input  logic [NUM_WARP-1:0]        full_i,
  input  logic [NUM_WARP-1:0][6:0]   sgprs_i,  // Registers that the warp has
  input  logic [NUM_WARP-1:0][8:0]   vgprs_i,
  // Issue: the next instruction of each warp
  output logic [NUM_WARP-1:0][31:0]  pc_o,
  output logic [NUM_WARP-1:0]        valid_o,
  output uop_t                       uop_o[NUM_WARP],
  output found_t                     fault_o[NUM_WARP],  // Cause of a CtlPageFault, whose pc is the address
  input  logic                       issue_i,
  input  logic [WarpW-1:0]           issue_warp_i,
  input  logic                       issue_more_i,  // The instruction stays in its slot, for its second part
  // control flow: as in ingot_front
  input  logic                       jump_i,
  input  logic [WarpW-1:0]           jump_warp_i,
  input  logic [31:0]                jump_pc_i,
  input  logic                       jump_wait_i,
  input  logic [NUM_WARP-1:0]        release_i,
  input  logic                       stop_i,
  input  logic [WarpW-1:0]           stop_warp_i,
  // Instruction memory
  output logic                       imem_req_valid_o,
  input  logic                       imem_req_ready_i,
  output logic [MissW-1:0]           imem_req_id_o,
  output logic [PaddrW-1:0]          imem_req_addr_o,
  input  logic                       imem_rsp_valid_i,
  input  logic [MissW-1:0]           imem_rsp_id_i,
  input  logic [LineWords-1:0][31:0] imem_rsp_data_i,
  input  logic                       imem_rsp_error_i,
  // Second-level TLB
  output logic                       tlb_req_valid_o,
  input  logic                       tlb_req_ready_i,
  output walk_t                      tlb_req_o,
  input  logic                       tlb_rsp_valid_i,
  input  found_t                     tlb_rsp_i,
  output filled_t                    tlb_filled_o  // For the probe
);

  logic req_valid, req_ready, rsp_valid, rsp_error;
  logic [WarpW-1:0] req_warp, rsp_warp;
  logic [31:0] req_addr;
  logic [LineWords-1:0][31:0] rsp_data;

  // The cache has virtual addresses.  It keeps no line of another kernel's address space (see flush_i).
  logic line_req_valid, line_req_ready, line_rsp_valid, line_rsp_error;
  logic [MissW-1:0] line_req_id, line_rsp_id;
  logic [31:0] line_req_addr;
  found_t line_fault;

  ingot_icache #(
    .NUM_WARP(NUM_WARP),
    .NUM_SET (NUM_ICACHE_SET),
    .NUM_MISS(NUM_MISS)
  ) u_icache (
    .clk_i,
    .rst_ni,
    .flush_i,
    .req_valid_i    (req_valid),
    .req_ready_o    (req_ready),
    .req_warp_i     (req_warp),
    .req_addr_i     (req_addr),
    .rsp_valid_o    (rsp_valid),
    .rsp_warp_o     (rsp_warp),
    .rsp_data_o     (rsp_data),
    .rsp_error_o    (rsp_error),
    .mem_req_valid_o(line_req_valid),
    .mem_req_ready_i(line_req_ready),
    .mem_req_id_o   (line_req_id),
    .mem_req_addr_o (line_req_addr),
    .mem_rsp_valid_i(line_rsp_valid),
    .mem_rsp_id_i   (line_rsp_id),
    .mem_rsp_data_i (imem_rsp_data_i),
    .mem_rsp_error_i(line_rsp_error)
  );

  if (MMU != 0) begin : gen_mmu
    ingot_fetch_pages #(
      .NUM_MISS(NUM_MISS)
    ) u_pages (
      .clk_i,
      .rst_ni,
      .space_i,
      .invalidate_i,
      .req_valid_i    (line_req_valid),
      .req_ready_o    (line_req_ready),
      .req_id_i       (line_req_id),
      .req_addr_i     (line_req_addr),
      .rsp_valid_o    (line_rsp_valid),
      .rsp_id_o       (line_rsp_id),
      .rsp_error_o    (line_rsp_error),
      .rsp_fault_o    (line_fault),
      .mem_req_valid_o(imem_req_valid_o),
      .mem_req_ready_i(imem_req_ready_i),
      .mem_req_id_o   (imem_req_id_o),
      .mem_req_addr_o (imem_req_addr_o),
      .mem_rsp_valid_i(imem_rsp_valid_i),
      .mem_rsp_id_i   (imem_rsp_id_i),
      .mem_rsp_error_i(imem_rsp_error_i),
      .tlb_req_valid_o,
      .tlb_req_ready_i,
      .tlb_req_o,
      .tlb_rsp_valid_i,
      .tlb_rsp_i,
      .filled_o       (tlb_filled_o)
    );
  end else begin : gen_no_mmu
    logic unused_mmu;
    assign unused_mmu = &{1'b0, space_i, invalidate_i, tlb_req_ready_i, tlb_rsp_valid_i, tlb_rsp_i};
    assign imem_req_valid_o = line_req_valid;
    assign line_req_ready = imem_req_ready_i;
    assign imem_req_id_o = line_req_id;
    assign imem_req_addr_o = line_req_addr;
    assign line_rsp_valid = imem_rsp_valid_i;
    assign line_rsp_id = imem_rsp_id_i;
    assign line_rsp_error = imem_rsp_error_i;
    assign line_fault = '0;
    assign tlb_req_valid_o = 1'b0;
    assign tlb_req_o = '0;
    assign tlb_filled_o = '0;
  end

  logic [NUM_WARP-1:0] avail0, avail1;
  logic [WarpW-1:0] sel;
  logic [31:0] word0, word1;
  logic error0, error1;
  found_t fault0, fault1;

  ingot_fetch #(
    .NUM_WARP(NUM_WARP),
    .MMU     (MMU)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .live_i,
    .pc_i       (pc_o),
    .launch_i,
    .launch_warp_i,
    .busy_o     (fetching_o),
    .avail0_o   (avail0),
    .avail1_o   (avail1),
    .sel_i      (sel),
    .word0_o    (word0),
    .word1_o    (word1),
    .error0_o   (error0),
    .error1_o   (error1),
    .fault0_o   (fault0),
    .fault1_o   (fault1),
    .req_valid_o(req_valid),
    .req_ready_i(req_ready),
    .req_warp_o (req_warp),
    .req_addr_o (req_addr),
    .rsp_valid_i(rsp_valid),
    .rsp_warp_i (rsp_warp),
    .rsp_data_i (rsp_data),
    .rsp_error_i(rsp_error),
    .rsp_fault_i(line_fault)
  );

  ingot_front #(
    .NUM_WARP(NUM_WARP),
    .PROFILE (PROFILE),
    .MMU     (MMU)
  ) u_front (
    .clk_i,
    .rst_ni,
    .launch_i,
    .launch_warp_i,
    .launch_pc_i,
    .live_i,
    .pc_o,
    .avail0_i(avail0),
    .avail1_i(avail1),
    .sel_o   (sel),
    .word0_i (word0),
    .word1_i (word1),
    .error0_i(error0),
    .error1_i(error1),
    .fault0_i(fault0),
    .fault1_i(fault1),
    .vill_i,
    .lmul2_i,
    .sew_i,
    .frm_i,
    .full_i,
    .sgprs_i,
    .vgprs_i,
    .valid_o,
    .uop_o,
    .fault_o,
    .issue_i,
    .issue_warp_i,
    .issue_more_i,
    .jump_i,
    .jump_warp_i,
    .jump_pc_i,
    .jump_wait_i,
    .release_i,
    .stop_i,
    .stop_warp_i
  );

endmodule
