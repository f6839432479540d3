// Control and status registers of every warp: the custom ones (ISA manual, 3.2), vtype and vl, and the
// standard ones that are only storage. Executes the Zicsr instructions, the vset family and SETRPC in one
// cycle.
//
// fflags arrive with the results, from both ports of writeback. A CSR instruction on fflags waits until the
// results of its warp are written.
//
// vset* sets vill for any type other than e32 with m1 or m2; v2.03 has e8 and e16 as well.
module ingot_csr
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned PROFILE = 202,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Launch
  input  logic                        launch_i,
  input  logic [WarpW-1:0]            launch_warp_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  workgroup_t                  launch_wg_i,  // Some fields are in no CSR
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]                 launch_wid_i,
  // State of each warp that other modules use
  output logic [NUM_WARP-1:0]         vill_o,
  output logic [NUM_WARP-1:0]         lmul2_o,
  output logic [NUM_WARP-1:0][1:0]    sew_o,  // As log2 of the bytes
  output logic [NUM_WARP-1:0][2:0]    frm_o,
  output logic [NUM_WARP-1:0][6:0]    vl_o,
  input  logic [WarpW-1:0]            sel_i,  // The warp of the outputs below
  output logic [31:0]                 rpc_o,
  output logic [31:0]                 pds_o,
  output logic [31:0]                 lds_o,
  output logic [31:0]                 tid_o,
  output logic [31:0]                 wg_threads_o,  // Threads in the workgroup
  output logic [1:0]                  vxrm_o,
  // Saturation: sets vxsat of that warp
  input  logic                        alu_saturated_i,
  input  logic [WarpW-1:0]            alu_warp_i,
  input  logic                        mul_saturated_i,
  input  logic [WarpW-1:0]            mul_warp_i,
  input  logic                        wide_saturated_i,  // Profile v2.03
  input  logic [WarpW-1:0]            wide_warp_i,
  // Floating-point flags of the results that are written; 0 where nothing is written
  input  fflags_t                     x_fflags_i,
  input  logic [WarpW-1:0]            x_warp_i,
  input  fflags_t                     v_fflags_i,
  input  logic [WarpW-1:0]            v_warp_i,
  output logic [NUM_WARP-1:0]         printing_o,  // CSR_PRINT is not 0
  // printing: a warp whose CSR_PRINT is not 0; taking it sets CSR_PRINT to 0
  output logic                        print_valid_o,
  input  logic                        print_ready_i,
  output logic [WarpW-1:0]            print_warp_o,
  // Operation
  output logic                        ready_o,
  input  logic                        reserve_i,
  input  logic                        valid_i,
  input  logic [WarpW-1:0]            warp_i,
  input  dest_t                       dest_i,
  input  csr_ctrl_t                   ctrl_i,
  input  logic                        has_result_i,
  // Where the result is a vector, its lanes, and their values where the CSR has one of each lane
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic                        is_lane_csr_i,
  input  logic [NUM_THREAD-1:0][31:0] lane_csr_i,
  input  logic [31:0]                 imm_i,
  input  logic [31:0]                 src1_i,
  input  logic [31:0]                 src2_i,
  output logic                        illegal_o,  // The instruction writes an illegal value: the warp stops
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o
);

  localparam features_t Has = features_of(PROFILE);

  localparam logic [7:0] VtypeE32M1 = 8'h10;

  csrs_t csr_q[NUM_WARP];
  logic [31:0] wg_threads_q[NUM_WARP];
  csrs_t now, next;

  always_comb begin
    for (int w = 0; w < int'(NUM_WARP); w++) begin
      vill_o[w] = csr_q[w].vill;
      lmul2_o[w] = csr_q[w].vtype[0];
      sew_o[w] = Has.widths ? csr_q[w].vtype[4:3] : VtypeE32M1[4:3];
      // FAULT(frm_of_other_warp, misrouted): csr_q[sel_i].frm
      frm_o[w] = csr_q[w].frm;
      vl_o[w] = csr_q[w].vl;
    end
  end
  assign rpc_o = csr_q[sel_i].rpc;
  assign pds_o = csr_q[sel_i].pds;
  assign lds_o = csr_q[sel_i].lds;
  assign tid_o = csr_q[sel_i].tid;
  assign wg_threads_o = wg_threads_q[sel_i];
  assign vxrm_o = csr_q[sel_i].vxrm;

  assign now = csr_q[warp_i];

  always_comb begin
    print_valid_o = 1'b0;
    print_warp_o = '0;
    for (int w = int'(NUM_WARP) - 1; w >= 0; w--) begin
      printing_o[w] = csr_q[w].print != '0;
      if (printing_o[w]) begin
        print_valid_o = 1'b1;
        print_warp_o = WarpW'(w);
      end
    end
  end

  // Both ports may have flags for the same warp: then the warp gets v_sum.
  fflags_t x_sum, v_sum;
  always_comb begin
    x_sum = csr_q[x_warp_i].fflags | x_fflags_i;
    // FAULT(flags_not_sticky, lost_event): v_fflags_i
    v_sum = csr_q[v_warp_i].fflags | v_fflags_i;
    // FAULT(flags_two_ports, lost_event): v_sum = v_sum;
    if (x_warp_i == v_warp_i) v_sum |= x_fflags_i;
  end

  logic [31:0] old, operand, value, result;
  logic read_known, write_known;  // Whether there is such a CSR, where one is read or written
  always_comb begin
    old = '0;
    read_known = 1'b1;
    if (valid_i && ctrl_i.op inside {CsrWrite, CsrSet, CsrClear} && !is_lane_csr_i)
      old = csr_read(now, ctrl_i.addr, NUM_THREAD * 4, read_known);
  end

  assign operand = ctrl_i.use_imm ? imm_i : src1_i;
  always_comb begin
    unique case (ctrl_i.op)
      CsrSet: value = old | operand;
      // FAULT(csrrc_inverts, arithmetic): old ^ operand
      CsrClear: value = old & ~operand;
      CsrWrite: value = operand;
      default: value = '0;  // No value is written
    endcase
  end

  // For vset, the requested type and the resulting length.
  logic [31:0] vtype;
  logic type_ok;
  logic [31:0] avl, vl_max;
  assign vtype = ctrl_i.type_src2 ? src2_i : {20'b0, ctrl_i.addr};
  assign type_ok = vtype[31:8] == '0 && (vtype[5:1] == VtypeE32M1[5:1] ||
                                         (Has.widths && {vtype[5:4], vtype[2:1]} == '0));
  assign vl_max = NUM_THREAD << vtype[0];
  always_comb begin
    avl = operand;
    if (ctrl_i.max_vl) avl = vl_max;
    if (ctrl_i.keep_vl) avl = {25'b0, now.vl};
    // FAULT(vsetvl_unclamped, resource_limit): if (avl > 2 * vl_max) avl = vl_max;
    if (avl > vl_max) avl = vl_max;
    if (!type_ok) avl = '0;
  end

  always_comb begin
    next = now;
    result = old;
    illegal_o = 1'b0;
    write_known = 1'b1;
    unique case (ctrl_i.op)
      CsrVset: begin
        next.vill = !type_ok;
        next.vtype = type_ok ? vtype[7:0] : '0;
        next.vl = avl[6:0];
        result = avl;
      end
      CsrSetrpc: begin
        next.rpc = src1_i + imm_i;
        result = src1_i + imm_i;
      end
      CsrWrite, CsrSet, CsrClear: begin
        if (valid_i && ctrl_i.write) begin
          unique case (ctrl_i.addr)
            12'h001: next.fflags = value[4:0];
            12'h002: next.frm = value[2:0];
            // FAULT(fcsr_drops_frm, encoding): next.fflags = value[4:0];
            12'h003: {next.frm, next.fflags} = value[7:0];
            12'h008: illegal_o = valid_i && value != '0;
            12'h009: next.vxsat = value[0];
            12'h00a: next.vxrm = value[1:0];
            12'h00f: {next.vxrm, next.vxsat} = value[2:0];
            12'h300: next.mstatus = value;
            12'h305: next.mtvec = value;
            // FAULT(mscratch_prints, decode): {next.mscratch, next.print} = {2{value}};
            12'h340: next.mscratch = value;
            12'h80b: next.print = value;
            12'h80c: next.rpc = value;
            default: write_known = 1'b0;
          endcase
        end
      end
      default: ;  // AssertOperation
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int w = 0; w < int'(NUM_WARP); w++) csr_q[w] <= '0;
    end else begin
      if (valid_i) csr_q[warp_i] <= next;
      // FAULT(vxsat_two_units, lost_event): if (alu_saturated_i && !mul_saturated_i)
      //     csr_q[alu_warp_i].vxsat <= 1'b1;
      if (alu_saturated_i) csr_q[alu_warp_i].vxsat <= 1'b1;
      // FAULT(vsmul_vxsat, misrouted): if (mul_saturated_i) csr_q[warp_i].vxsat <= 1'b1;
      if (mul_saturated_i) csr_q[mul_warp_i].vxsat <= 1'b1;
      if (Has.widths && wide_saturated_i) csr_q[wide_warp_i].vxsat <= 1'b1;
      // FAULT(flags_beside_csr, lost_event): if (x_fflags_i != '0 && !valid_i)
      //     csr_q[x_warp_i].fflags <= x_sum;
      if (x_fflags_i != '0) csr_q[x_warp_i].fflags <= x_sum;
      if (v_fflags_i != '0) csr_q[v_warp_i].fflags <= v_sum;
      if (print_valid_o && print_ready_i) csr_q[print_warp_o].print <= '0;
      if (launch_i) begin
        csr_q[launch_warp_i] <= '{
          numw: launch_wg_i.warps,
          numt: launch_wg_i.threads,
          knl: launch_wg_i.knl,
          wgid: launch_wg_i.wgid,
          wid: launch_wid_i,
          lds: launch_wg_i.lds,
          pds: launch_wg_i.pds,
          gdx: launch_wg_i.gdx,
          gdy: launch_wg_i.gdy,
          gdz: launch_wg_i.gdz,
          vtype: VtypeE32M1,
          default: '0
        };
        // Separate statements, each for the fault marker above it.
        // FAULT(tid_by_num_thread, operand): launch_wid_i * NUM_THREAD
        csr_q[launch_warp_i].tid <= launch_wid_i * launch_wg_i.threads;
        // FAULT(frm_survives_launch, stale_state): csr_q[launch_warp_i].frm
        csr_q[launch_warp_i].frm <= '0;
        // FAULT(vill_survives_launch, stale_state): csr_q[launch_warp_i].vill
        csr_q[launch_warp_i].vill <= 1'b0;
        // FAULT(vl_survives_launch, stale_state): csr_q[launch_warp_i].numw == '0 ? 7'(NUM_THREAD)
        //     : csr_q[launch_warp_i].vl
        csr_q[launch_warp_i].vl <= 7'(NUM_THREAD);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // FAULT(wg_threads_by_num_thread, operand): launch_wg_i.warps * NUM_THREAD
    if (launch_i) wg_threads_q[launch_warp_i] <= launch_wg_i.warps * launch_wg_i.threads;
  end

  ingot_result_fifo #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .DEPTH     (2)
  ) u_results (
    .clk_i,
    .rst_ni,
    .ready_o,
    .reserve_i,
    .push_i(valid_i && has_result_i),
    .warp_i,
    .dest_i,
    // FAULT(csrr_v_all_lanes, mask): dest_i.is_v ? '1 : NUM_THREAD'(1)
    .mask_i(dest_i.is_v ? active_i : NUM_THREAD'(1)),
    .data_i(is_lane_csr_i ? lane_csr_i : {NUM_THREAD{result}}),
    .valid_o,
    .ready_i,
    .warp_o,
    .dest_o,
    .mask_o,
    .data_o
  );

  // A warp is launched only when no operation or flag of the last warp of its slot arrives.
  AssertLaunchIdle :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   launch_i |-> !(valid_i && warp_i == launch_warp_i) &&
                                !(x_fflags_i != '0 && x_warp_i == launch_warp_i) &&
                                !(v_fflags_i != '0 && v_warp_i == launch_warp_i) &&
                                !(alu_saturated_i && alu_warp_i == launch_warp_i) &&
                                !(mul_saturated_i && mul_warp_i == launch_warp_i));
  AssertScalarResult :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i && has_result_i && !Has.toolchain |-> !dest_i.is_v);

  AssertKnown :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> read_known && write_known);
  AssertOperation :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i |-> ctrl_i.op inside {[CsrWrite : CsrSetrpc]});

endmodule
