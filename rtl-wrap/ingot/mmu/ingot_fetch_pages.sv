// Translates the fetches of an SM, between its instruction cache, whose addresses are virtual, and the fetch
// port. A fetch of a page that faults goes no further: the cache gets an error, with the fault.
//
// A kernel without translation, and the LDS window, in which no instruction is, have physical addresses.
module ingot_fetch_pages
  import ingot_pkg::*;
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_MISS = 4,
  parameter int unsigned NUM_ENTRY = 4,  // Entries of the TLB
  localparam int unsigned MissW = index_width(NUM_MISS)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  address_space_t             space_i,
  input  invalidate_t                invalidate_i,
  // Instruction cache
  input  logic                       req_valid_i,
  output logic                       req_ready_o,
  input  logic [MissW-1:0]           req_id_i,
  input  logic [31:0]                req_addr_i,
  output logic                       rsp_valid_o,
  output logic [MissW-1:0]           rsp_id_o,
  output logic                       rsp_error_o,
  output found_t                     rsp_fault_o,  // PageFine: an error is none of translation
  // instruction memory; its data goes to the cache
  output logic                       mem_req_valid_o,
  input  logic                       mem_req_ready_i,
  output logic [MissW-1:0]           mem_req_id_o,
  output logic [63:0]                mem_req_addr_o,
  input  logic                       mem_rsp_valid_i,
  input  logic [MissW-1:0]           mem_rsp_id_i,
  input  logic                       mem_rsp_error_i,
  // Second-level TLB
  output logic                       tlb_req_valid_o,
  input  logic                       tlb_req_ready_i,
  output walk_t                      tlb_req_o,
  input  logic                       tlb_rsp_valid_i,
  input  found_t                     tlb_rsp_i,
  // For the probe
  output filled_t                    filled_o
);

  // A request at the port, and a fault that waits for a cycle without a response of memory.
  logic out_q, failed_q;
  logic [MissW-1:0] out_id_q, failed_id_q;
  logic [63:0] out_addr_q;
  found_t fault_q;

  logic physical, ready, hit, fault;
  logic [FrameW-1:0] frame;
  found_t found;
  assign physical = !space_i.translate || req_addr_i[31:28] == LdsWindow;
  assign ready = (!out_q || mem_req_ready_i) && !failed_q;

  ingot_tlb #(
    .NUM_ENTRY(NUM_ENTRY)
  ) u_tlb (
    .clk_i,
    .rst_ni,
    .invalidate_i,
    .valid_i    (req_valid_i && ready && !physical),
    .page_i     ({32'b0, req_addr_i[31:12]}),
    // FAULT(fetch_as_load, permission): PageLoad
    .use_i      (PageFetch),
    .asid_i     (space_i.asid),
    .root_i     (space_i.root),
    .hit_o      (hit),
    .frame_o    (frame),
    .fault_o    (fault),
    .found_o    (found),
    .req_valid_o(tlb_req_valid_o),
    .req_ready_i(tlb_req_ready_i),
    .req_o      (tlb_req_o),
    .rsp_valid_i(tlb_rsp_valid_i),
    .rsp_i      (tlb_rsp_i),
    .filled_o
  );

  logic go;
  assign go = req_valid_i && ready && (physical || hit);
  assign req_ready_o = go || fault;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_q <= 1'b0;
      failed_q <= 1'b0;
    end else begin
      out_q <= go || (out_q && !mem_req_ready_i);
      failed_q <= fault || (failed_q && mem_rsp_valid_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (go) begin
      out_id_q <= req_id_i;
      // FAULT(fetch_upper_bits, address): physical ? {32'b0, req_addr_i}
      //     : {26'b0, frame[25:0], req_addr_i[11:0]}
      out_addr_q <= physical ? {32'b0, req_addr_i} : {8'b0, frame, req_addr_i[11:0]};
    end
    if (fault) begin
      failed_id_q <= req_id_i;
      fault_q <= found;
    end
  end

  assign mem_req_valid_o = out_q;
  assign mem_req_id_o = out_id_q;
  assign mem_req_addr_o = out_addr_q;

  assign rsp_valid_o = mem_rsp_valid_i || failed_q;
  assign rsp_id_o = mem_rsp_valid_i ? mem_rsp_id_i : failed_id_q;
  // FAULT(fetch_fault_lost, lost_event): mem_rsp_valid_i && mem_rsp_error_i
  assign rsp_error_o = mem_rsp_valid_i ? mem_rsp_error_i : failed_q;
  always_comb begin
    rsp_fault_o = fault_q;
    if (mem_rsp_valid_i) rsp_fault_o.reason = PageFine;
  end

endmodule
