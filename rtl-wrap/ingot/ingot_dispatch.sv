// Takes workgroups from the host, launches their warps into free slots, one a cycle, and reports the end of
// each workgroup. Several workgroups are resident at once. A workgroup is taken when all of it fits: warp
// slots, rows of both register files, local memory. The registers of its warps are consecutive in one range
// of each file. The range is returned when the last warp of the workgroup has ended; a warp ends when all its
// writes are done.
module ingot_dispatch
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_LDS_PAGE = 64,
  parameter int unsigned NUM_SGPR_ROW = 512,
  parameter int unsigned NUM_VGPR_ROW = 1024,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned CountW = $clog2(NUM_WARP + 1),
  localparam int unsigned ThreadW = index_width(NUM_THREAD),
  localparam int unsigned PageW = $clog2(NUM_LDS_PAGE + 1),
  localparam int unsigned SgprW = index_width(NUM_SGPR_ROW),
  localparam int unsigned VgprW = index_width(NUM_VGPR_ROW)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  // Host
  input  logic                            wg_shown_i,  // A workgroup is offered: ready means that it fits
  input  logic                            wg_valid_i,  // The workgroup is taken
  output logic                            wg_ready_o,
  input  workgroup_t                      wg_i,
  output logic                            wg_done_o,
  output logic [31:0]                     wg_done_index_o,
  // Warps
  output logic                            launch_o,
  output logic [WarpW-1:0]                launch_warp_o,
  output logic [31:0]                     launch_wid_o,
  output workgroup_t                      launch_wg_o,
  output logic                            take_o,  // A workgroup begins with its first warp
  output logic                            warp_done_o,  // This warp is launched or left out: the next follows
  output logic [NUM_THREAD-1:0]           launch_mask_o,
  output logic [NUM_WARP-1:0]             live_o,
  output logic [NUM_WARP-1:0][WarpW-1:0]  wg_slot_o,  // Workgroup slot of each warp slot
  output logic [NUM_WARP-1:0][CountW-1:0] wg_warps_o,  // Warps of the workgroup in each workgroup slot
  // The slot has a fetch in flight and cannot be reused yet
  input  logic [NUM_WARP-1:0]             fetching_i,
  input  logic                            exit_i,
  input  logic [WarpW-1:0]                exit_warp_i,
  // Registers of each warp slot: first row and number of rows
  output logic [NUM_WARP-1:0][SgprW-1:0]  sgpr_base_o,
  output logic [NUM_WARP-1:0][6:0]        sgprs_o,
  output logic [NUM_WARP-1:0][VgprW-1:0]  vgpr_base_o,
  output logic [NUM_WARP-1:0][8:0]        vgprs_o,
  // Local memory
  input  logic [PageW-1:0]                lds_available_i,  // Pages that are neither in use nor reserved
  output logic                            lds_reserve_o,
  output logic [WarpW-1:0]                lds_reserve_slot_o,
  output logic [PageW-1:0]                lds_reserve_pages_o,
  output logic                            free_o,
  output logic [WarpW-1:0]                free_slot_o
);

  if (NUM_SGPR_ROW < NumX || NUM_SGPR_ROW > NumX * NUM_WARP) begin : g_bad_num_sgpr_row
    $error("NUM_SGPR_ROW must be 64 to 64 a warp slot");
  end
  if (NUM_VGPR_ROW < NumV || NUM_VGPR_ROW > NumV * NUM_WARP) begin : g_bad_num_vgpr_row
    $error("NUM_VGPR_ROW must be 256 to 256 a warp slot");
  end

  logic [NUM_WARP-1:0] live_q;
  logic [NUM_WARP-1:0][WarpW-1:0] slot_q;  // Workgroup slot of each warp slot
  logic [NUM_WARP-1:0][CountW-1:0] warps_q;  // Warps of the workgroup in each workgroup slot
  logic [NUM_WARP-1:0][CountW-1:0] left_q;  // Warps that have not ended; 0: the workgroup slot is free
  logic [NUM_WARP-1:0][31:0] index_q;

  // The workgroup that is being launched.
  logic launching_q;
  workgroup_t wg_q;
  logic [WarpW-1:0] wg_slot_q;
  logic [31:0] wid_q, started_q;

  // Free slots.
  logic warp_free, wg_free;
  logic [WarpW-1:0] free_warp, free_wg;
  logic [31:0] free_warps;
  always_comb begin
    warp_free = 1'b0;
    free_warp = '0;
    wg_free = 1'b0;
    free_wg = '0;
    free_warps = 32'($countones(~live_q));
    for (int w = int'(NUM_WARP) - 1; w >= 0; w--) begin
      if (!live_q[w] && !fetching_i[w]) begin
        warp_free = 1'b1;
        free_warp = WarpW'(w);
      end
      if (left_q[w] == '0) begin
        wg_free = 1'b1;
        free_wg = WarpW'(w);
      end
    end
  end

  logic [31:0] pages;
  // FAULT(lds_size_rounded_down, resource_limit): wg_i.lds_size >> 10
  assign pages = (wg_i.lds_size + 32'd1023) >> 10;

  logic take, sgprs_fit, vgprs_fit;
  assign wg_ready_o = !launching_q && wg_free && free_warps >= wg_i.starts && sgprs_fit && vgprs_fit &&
                      pages <= 32'(lds_available_i);
  assign take = wg_valid_i && wg_ready_o;

  // Registers.
  logic [31:0] sgprs, vgprs;
  logic [SgprW-1:0] sgpr_place;
  logic [VgprW-1:0] vgpr_place;
  assign sgprs = registers(wg_i.sgprs, NumX);
  assign vgprs = registers(wg_i.vgprs, NumV);

  ingot_alloc #(
    .NUM_SLOT(NUM_WARP),
    .NUM_ROW (NUM_SGPR_ROW)
  ) u_sgprs (
    .clk_i,
    .rst_ni,
    .valid_i    (wg_shown_i),
    .rows_i     (wg_i.starts * sgprs),
    .fits_o     (sgprs_fit),
    .base_o     (sgpr_place),
    .take_i     (take),
    .slot_i     (free_wg),
    // FAULT(freed_at_first_exit, timing): exit_taken && left_q[exit_slot] == warps_q[exit_slot]
    .free_i     (free_o),
    .free_slot_i(exit_slot)
  );

  ingot_alloc #(
    .NUM_SLOT(NUM_WARP),
    .NUM_ROW (NUM_VGPR_ROW)
  ) u_vgprs (
    .clk_i,
    .rst_ni,
    .valid_i    (wg_shown_i),
    .rows_i     (wg_i.starts * vgprs),
    .fits_o     (vgprs_fit),
    .base_o     (vgpr_place),
    .take_i     (take),
    .slot_i     (free_wg),
    .free_i     (free_o),
    .free_slot_i(exit_slot)
  );

  // The registers of the next warp, and those of each slot.
  logic [SgprW-1:0] sgpr_next_q;
  logic [VgprW-1:0] vgpr_next_q;
  logic [6:0] sgprs_q;  // For each warp of the workgroup that is being launched
  logic [8:0] vgprs_q;
  logic [NUM_WARP-1:0][SgprW-1:0] sgpr_base_q;
  logic [NUM_WARP-1:0][6:0] sgpr_size_q;
  logic [NUM_WARP-1:0][VgprW-1:0] vgpr_base_q;
  logic [NUM_WARP-1:0][8:0] vgpr_size_q;
  assign sgpr_base_o = sgpr_base_q;
  assign sgprs_o = sgpr_size_q;
  assign vgpr_base_o = vgpr_base_q;
  assign vgprs_o = vgpr_size_q;

  always_ff @(posedge clk_i) begin
    if (take) begin
      sgpr_next_q <= sgpr_place;
      vgpr_next_q <= vgpr_place;
      sgprs_q <= 7'(sgprs);
      vgprs_q <= 9'(vgprs);
    end
    if (launch_o) begin
      sgpr_base_q[free_warp] <= sgpr_next_q;
      sgpr_size_q[free_warp] <= sgprs_q;
      sgpr_next_q <= sgpr_next_q + SgprW'(sgprs_q);
      vgpr_base_q[free_warp] <= vgpr_next_q;
      vgpr_size_q[free_warp] <= vgprs_q;
      // FAULT(next_base_one_short, resource_limit): vgpr_next_q + VgprW'(vgprs_q) - 1'b1
      vgpr_next_q <= vgpr_next_q + VgprW'(vgprs_q);
    end
  end

  // Threads of the next warp. Where some of the workgroup do not start, they are found one a cycle; a warp
  // without any is left out.
  logic partial;
  logic [NUM_THREAD-1:0] mask_q;
  logic [ThreadW-1:0] thread_q;
  logic found_q;  // mask_q has all threads of the warp
  logic [31:0] x_q, y_q, z_q;  // Work-item of the next thread
  logic row_ends, plane_ends, no_thread, warp_done;
  assign partial = wg_q.live_x != '0;
  // FAULT(partial_by_row, operand): x_q + 32'd1 == wg_q.live_x
  assign row_ends = x_q + 32'd1 == wg_q.local_x;
  assign plane_ends = row_ends && y_q + 32'd1 == wg_q.local_y;
  assign no_thread = partial && found_q && mask_q == '0;
  assign warp_done = launch_o || (launching_q && no_thread);

  always_ff @(posedge clk_i) begin
    if (take || warp_done) begin
      mask_q <= '0;
      thread_q <= '0;
      found_q <= 1'b0;
    end else if (launching_q && !found_q) begin
      // FAULT(partial_ragged_lane, operand): x_q < wg_q.local_x && y_q < wg_q.live_y && z_q < wg_q.live_z
      mask_q[thread_q] <= x_q < wg_q.live_x && y_q < wg_q.live_y && z_q < wg_q.live_z;
      thread_q <= thread_q + 1'b1;
      found_q <= 32'(thread_q) + 32'd1 == wg_q.threads;
    end
    if (take) begin
      x_q <= '0;
      y_q <= '0;
      z_q <= '0;
    end else if (launching_q && !warp_done && !found_q) begin
      x_q <= row_ends ? '0 : x_q + 32'd1;
      if (row_ends) y_q <= plane_ends ? '0 : y_q + 32'd1;
      if (plane_ends) z_q <= z_q + 32'd1;
    end
  end

  assign launch_o = launching_q && warp_free && (!partial || (found_q && !no_thread));
  assign launch_warp_o = free_warp;
  // FAULT(dispatch_wid, misrouted): (wg_q.warps > 32'd2 && wid_q == 32'd2) ? 32'd1 : wid_q
  assign launch_wid_o = wid_q;
  assign launch_wg_o = wg_q;
  assign take_o = take;
  assign warp_done_o = warp_done;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) launch_mask_o[l] = partial ? mask_q[l] : 32'(l) < wg_q.threads;
  end

  assign live_o = live_q;
  assign wg_slot_o = slot_q;
  assign wg_warps_o = warps_q;

  logic exit_taken;
  logic [WarpW-1:0] exit_slot;
  assign exit_slot = slot_q[exit_warp_i];
  // FAULT(exit_last_slot, lost_event): exit_i && exit_warp_i != WarpW'(NUM_WARP - 1)
  assign exit_taken = exit_i;
  assign free_o = exit_taken && left_q[exit_slot] == CountW'(1);
  assign free_slot_o = exit_slot;

  assign lds_reserve_o = take;
  assign lds_reserve_slot_o = free_wg;
  assign lds_reserve_pages_o = PageW'(pages);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q <= '0;
      slot_q <= '0;
      warps_q <= '0;
      left_q <= '0;
      index_q <= '0;
      launching_q <= 1'b0;
      wg_q <= '0;
      wg_slot_q <= '0;
      wid_q <= '0;
      started_q <= '0;
      wg_done_o <= 1'b0;
      wg_done_index_o <= '0;
    end else begin
      // FAULT(done_never, lost_event): 1'b0
      wg_done_o <= free_o;
      // FAULT(done_index, misrouted): index_q[exit_slot] + 32'd1
      wg_done_index_o <= index_q[exit_slot];
      if (take) begin
        launching_q <= 1'b1;
        wg_q <= wg_i;
        wg_slot_q <= free_wg;
        wid_q <= '0;
        started_q <= '0;
        warps_q[free_wg] <= CountW'(wg_i.starts);
        left_q[free_wg] <= CountW'(wg_i.starts);
        index_q[free_wg] <= wg_i.index;
      end
      if (exit_taken) begin
        live_q[exit_warp_i] <= 1'b0;
        left_q[exit_slot] <= left_q[exit_slot] - 1'b1;
      end
      if (launch_o) begin
        live_q[free_warp] <= 1'b1;
        slot_q[free_warp] <= wg_slot_q;
        started_q <= started_q + 32'd1;
        if (started_q + 32'd1 == wg_q.starts) launching_q <= 1'b0;
      end
      if (warp_done) wid_q <= wid_q + 32'd1;
    end
  end

  AssertExitLive :
  assert property (@(posedge clk_i) disable iff (!rst_ni) exit_i |-> live_q[exit_warp_i]);
  AssertWorkgroupFits :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   wg_valid_i |-> wg_i.starts >= 1 && wg_i.starts <= wg_i.warps && wg_i.starts <= NUM_WARP &&
                       wg_i.threads <= NUM_THREAD &&
                                  sgprs <= NumX && wg_i.starts * sgprs <= NUM_SGPR_ROW &&
                                  vgprs <= NumV && wg_i.starts * vgprs <= NUM_VGPR_ROW);

endmodule
