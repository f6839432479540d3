// Runs kernels on ingot in lockstep with the golden model, in any simulator with DPI-C: karat-ingot's command
// line (+help), verdicts and reports, and for the same seed its cycles. docs/simulators.md has the command
// lines.
//
// Plusargs of its own:
//   +finish     end by $finish, and not by C's exit(): for simulators that do not take that well.
//               scripts/sv_run then makes an exit status of the verdict line
//   +trace=...  is a VCD file here
module karat_ingot_sv
  import karat_sv_pkg::*;
#(
  parameter int unsigned NUM_SM = 1,
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned PROFILE = 202,
  parameter int unsigned MMU = 0,
  // Defaults of ingot itself, which the host has to know
  parameter int unsigned NUM_LDS_PAGE = 64,
  parameter int unsigned NUM_SGPR_ROW = 64 * NUM_WARP,
  parameter int unsigned NUM_VGPR_ROW = NUM_WARP <= 4 ? 256 * NUM_WARP : NUM_WARP <= 8 ? 1024
      : 128 * NUM_WARP,
  localparam int unsigned SmW = ingot_pkg::index_width(NUM_SM),
  localparam int unsigned WarpW = ingot_pkg::index_width(NUM_WARP),
  localparam int unsigned IdW = SmW + 2,  // Four requests of an SM on their way
  localparam int unsigned PaddrW = MMU != 0 ? 64 : 32
);

  logic clk, rst_n;
  karat_sv_workgroup_t wg;
  logic wg_valid, wg_ready, wg_done;
  logic [31:0] wg_done_index;
  logic print_valid;
  logic [SmW-1:0] print_sm;
  logic [WarpW-1:0] print_warp;
  logic imem_req_valid, imem_req_ready;
  logic [IdW-1:0] imem_req_id;
  logic [PaddrW-1:0] imem_req_addr;
  logic imem_rsp_valid;
  logic [IdW-1:0] imem_rsp_id;
  logic [KaratSvLineWords-1:0][31:0] imem_rsp_data;
  logic imem_rsp_error;
  logic dmem_req_valid, dmem_req_ready;
  logic [IdW-1:0] dmem_req_id;
  logic [3:0] dmem_req_op;
  logic [SmW+WarpW-1:0] dmem_req_warp;
  logic [NUM_THREAD-1:0] dmem_req_lanes;
  logic [NUM_THREAD-1:0][PaddrW-1:0] dmem_req_addr;
  logic [NUM_THREAD-1:0][3:0] dmem_req_be;
  logic [NUM_THREAD-1:0][31:0] dmem_req_data;
  logic dmem_rsp_valid;
  logic [IdW-1:0] dmem_rsp_id;
  logic dmem_rsp_error;
  logic [NUM_THREAD-1:0][31:0] dmem_rsp_data;
  logic dmem_performed_valid;
  logic [IdW-1:0] dmem_performed_id;
  logic [31:0] dmem_performed_data;
  logic ptw_req_valid, ptw_req_ready;
  logic [1:0] ptw_req_id;
  logic [63:0] ptw_req_addr;
  logic ptw_rsp_valid;
  logic [1:0] ptw_rsp_id;
  logic [63:0] ptw_rsp_data;
  logic ptw_rsp_error;
  logic fault_valid;

  ingot #(
    .NUM_SM      (NUM_SM),
    .NUM_WARP    (NUM_WARP),
    .NUM_THREAD  (NUM_THREAD),
    .PROFILE     (PROFILE),
    .MMU         (MMU),
    .NUM_LDS_PAGE(NUM_LDS_PAGE),
    .NUM_SGPR_ROW(NUM_SGPR_ROW),
    .NUM_VGPR_ROW(NUM_VGPR_ROW)
  ) u_ingot (
    .clk_i           (clk),
    .rst_ni          (rst_n),
    .wg_valid_i      (wg_valid),
    .wg_ready_o      (wg_ready),
    .wg_index_i      (wg.index),
    .wg_warps_i      (wg.warps),
    .wg_threads_i    (wg.threads),
    .wg_starts_i     (wg.starts),
    .wg_local_x_i    (wg.local_x),
    .wg_local_y_i    (wg.local_y),
    .wg_local_z_i    (wg.local_z),
    .wg_items_x_i    (wg.items_x),
    .wg_items_y_i    (wg.items_y),
    .wg_offset_x_i   (wg.offset_x),
    .wg_offset_y_i   (wg.offset_y),
    .wg_offset_z_i   (wg.offset_z),
    .wg_live_x_i     (wg.live_x),
    .wg_live_y_i     (wg.live_y),
    .wg_live_z_i     (wg.live_z),
    .wg_pc_i         (wg.pc),
    .wg_knl_i        (wg.knl),
    .wg_wgid_i       (wg.wgid),
    .wg_lds_i        (wg.lds),
    .wg_pds_i        (wg.pds),
    .wg_gdx_i        (wg.gdx),
    .wg_gdy_i        (wg.gdy),
    .wg_gdz_i        (wg.gdz),
    .wg_lds_size_i   (wg.lds_size),
    .wg_sgprs_i      (wg.sgprs),
    .wg_vgprs_i      (wg.vgprs),
    .wg_translate_i  (wg.translate[0]),
    .wg_ptbr_i       (wg.ptbr),
    .wg_asid_i       (wg.asid[15:0]),
    .wg_invalidate_i (wg.invalidate[0]),
    .wg_done_o       (wg_done),
    .wg_done_index_o (wg_done_index),
    .print_valid_o   (print_valid),
    .print_ready_i   (1'b1),  // The host takes the text in the cycle in which the core shows it
    .print_sm_o      (print_sm),
    .print_warp_o    (print_warp),
    .imem_req_valid_o(imem_req_valid),
    .imem_req_ready_i(imem_req_ready),
    .imem_req_id_o   (imem_req_id),
    .imem_req_addr_o (imem_req_addr),
    .imem_rsp_valid_i(imem_rsp_valid),
    .imem_rsp_id_i   (imem_rsp_id),
    .imem_rsp_data_i (imem_rsp_data),
    .imem_rsp_error_i(imem_rsp_error),
    .dmem_req_valid_o(dmem_req_valid),
    .dmem_req_ready_i(dmem_req_ready),
    .dmem_req_id_o   (dmem_req_id),
    .dmem_req_op_o   (dmem_req_op),
    .dmem_req_warp_o (dmem_req_warp),
    .dmem_req_lanes_o(dmem_req_lanes),
    .dmem_req_addr_o (dmem_req_addr),
    .dmem_req_be_o   (dmem_req_be),
    .dmem_req_data_o (dmem_req_data),
    .dmem_rsp_valid_i(dmem_rsp_valid),
    .dmem_rsp_id_i   (dmem_rsp_id),
    .dmem_rsp_error_i(dmem_rsp_error),
    .dmem_rsp_data_i (dmem_rsp_data),
    .dmem_performed_valid_i(dmem_performed_valid),
    .dmem_performed_id_i   (dmem_performed_id),
    .dmem_performed_data_i (dmem_performed_data),
    .ptw_req_valid_o (ptw_req_valid),
    .ptw_req_ready_i (ptw_req_ready),
    .ptw_req_id_o    (ptw_req_id),
    .ptw_req_addr_o  (ptw_req_addr),
    .ptw_rsp_valid_i (ptw_rsp_valid),
    .ptw_rsp_id_i    (ptw_rsp_id),
    .ptw_rsp_data_i  (ptw_rsp_data),
    .ptw_rsp_error_i (ptw_rsp_error),
    .fault_valid_o   (fault_valid)
  );

  // --- Ports -----------------------------------------------------------------------------------------------

  task automatic drive();
    karat_sv_workgroup_t offered;
    // Wider than the core's own.
    /* verilator lint_off UNUSEDSIGNAL */
    int unsigned id;
    bit [KaratSvLanes-1:0][31:0] words;
    /* verilator lint_on UNUSEDSIGNAL */
    bit error;
    bit [KaratSvLineWords-1:0][31:0] line;
    int unsigned word;
    longint unsigned entry;
    wg_valid = karat_sv_offer(offered);
    if (wg_valid) wg = offered;
    imem_req_ready = karat_sv_ready(KaratSvFetch);
    dmem_req_ready = karat_sv_ready(KaratSvData);
    ptw_req_ready = karat_sv_ready(KaratSvWalk);
    imem_rsp_valid = karat_sv_fetch_answer(id, error, line);
    if (imem_rsp_valid) begin
      imem_rsp_id = IdW'(id);
      imem_rsp_error = error;
      imem_rsp_data = line;
    end
    dmem_performed_valid = karat_sv_data_performed(id, word);
    if (dmem_performed_valid) begin
      dmem_performed_id = IdW'(id);
      dmem_performed_data = word;
    end
    dmem_rsp_valid = karat_sv_data_answer(id, error, words);
    if (dmem_rsp_valid) begin
      dmem_rsp_id = IdW'(id);
      dmem_rsp_error = error;
      dmem_rsp_data = words[NUM_THREAD-1:0];
    end
    ptw_rsp_valid = karat_sv_walk_answer(id, error, entry);
    if (ptw_rsp_valid) begin
      ptw_rsp_id = 2'(id);
      ptw_rsp_error = error;
      ptw_rsp_data = entry;
    end
  endtask

  task automatic request();
    bit [KaratSvLanes-1:0][31:0] addr, addr_hi;
    if (imem_req_valid && imem_req_ready) karat_sv_fetch_request(32'(imem_req_id), 64'(imem_req_addr));
    if (dmem_req_valid && dmem_req_ready) begin
      addr = '0;
      addr_hi = '0;
      for (int unsigned lane = 0; lane < NUM_THREAD; lane++)
        {addr_hi[lane], addr[lane]} = 64'(dmem_req_addr[lane]);
      karat_sv_data_request(32'(dmem_req_id), 32'(dmem_req_warp), 32'(dmem_req_op),
                            KaratSvLanes'(dmem_req_lanes), addr, addr_hi, (KaratSvLanes * 4)'(dmem_req_be),
                            (KaratSvLanes * 32)'(dmem_req_data));
    end
    if (ptw_req_valid && ptw_req_ready) karat_sv_walk_request(32'(ptw_req_id), ptw_req_addr);
    karat_sv_tick();
  endtask

  // --- Run -------------------------------------------------------------------------------------------------

  longint unsigned cycle;  // Rising edges since reset
  longint unsigned trace_from, trace_to;
  string trace_file;
  bit trace;

  task automatic trace_begin();
    trace = $value$plusargs("trace=%s", trace_file) != 0;
    if ($value$plusargs("trace-from=%d", trace_from) == 0) trace_from = 0;
    if ($value$plusargs("trace-to=%d", trace_to) == 0) trace_to = '1;
    if (trace) $dumpfile(trace_file);
  endtask

  task automatic trace_cycle();
    if (!trace) return;
    if (cycle == trace_from) $dumpvars(0, karat_ingot_sv);
    if (cycle != 0 && cycle - 64'd1 == trace_to) $dumpoff;
  endtask

  task automatic reset();
    clk = 1'b0;
    rst_n = 1'b1;
    wg_valid = 1'b0;
    wg = '0;
    imem_req_ready = 1'b0;
    imem_rsp_valid = 1'b0;
    imem_rsp_id = '0;
    imem_rsp_error = 1'b0;
    imem_rsp_data = '0;
    dmem_req_ready = 1'b0;
    dmem_rsp_valid = 1'b0;
    dmem_rsp_id = '0;
    dmem_rsp_error = 1'b0;
    dmem_rsp_data = '0;
    dmem_performed_valid = 1'b0;
    dmem_performed_id = '0;
    dmem_performed_data = '0;
    ptw_req_ready = 1'b0;
    ptw_rsp_valid = 1'b0;
    ptw_rsp_id = '0;
    ptw_rsp_data = '0;
    ptw_rsp_error = 1'b0;
    #1 rst_n = 1'b0;  // An edge, for the asynchronous reset
    repeat (2) begin
      #1 clk = 1'b1;
      #1 clk = 1'b0;
    end
    #1 rst_n = 1'b1;
  endtask

  // The steps of a cycle are separate in time: the order of processes within a time step does not matter.
  task automatic run();
    bit accepted, done, print, over;
    int unsigned done_index, sm, slot;
    over = 1'b0;
    while (!over) begin
      trace_cycle();
      clk = 1'b0;
      drive();
      #1;
      accepted = wg_valid && wg_ready;
      done = wg_done;
      done_index = wg_done_index;
      print = print_valid;
      // Where there are four states: an X would count as 0.
      if ($isunknown({wg_ready, wg_done, print_valid, imem_req_valid, dmem_req_valid, ptw_req_valid,
                      fault_valid})) begin
        karat_sv_object("an output of the core that begins a handshake is X or Z");
      end
      sm = 32'(print_sm);
      slot = 32'(print_warp);
      if (fault_valid) karat_sv_page_fault();
      request();
      #1 clk = 1'b1;
      #1 over = karat_sv_after_edge(accepted, done, done_index, print, sm, slot);
      cycle++;
    end
  endtask

  int status;

  initial begin
    cycle = 0;
    karat_sv_arguments();
`ifdef KARAT_FAULTS
    for (int unsigned i = 1; i <= karat_fault_pkg::NumFault; i++) karat_sv_fault(karat_fault_pkg::name(i));
`endif
    if (MMU != 0) karat_sv_translates();
    karat_sv_starts_partial();
    status = karat_sv_open(NUM_SM, NUM_WARP, NUM_THREAD, NUM_LDS_PAGE << 10, NUM_SGPR_ROW, NUM_VGPR_ROW,
                           ingot_pkg::RegGranule);
    if (status == KaratSvRuns) begin
`ifdef KARAT_FAULTS
      for (int unsigned i = 1; i <= karat_fault_pkg::NumFault; i++)
        if (karat_sv_fault_given(karat_fault_pkg::name(i))) karat_fault_pkg::on[i] = 1'b1;
`endif
      trace_begin();
      reset();
      run();
      status = karat_sv_finish();
    end
    if ($test$plusargs("finish") == 0) karat_sv_exit(status);
    $finish;
  end

endmodule
