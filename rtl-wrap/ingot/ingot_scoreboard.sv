// The registers with a pending write. An instruction waits while one of its sources (RAW) or its destination
// (WAW) is pending. Sources are read at issue, so that there is no WAR hazard.
module ingot_scoreboard
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned PROFILE = 202,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                launch_i,
  input  logic [WarpW-1:0]    launch_warp_i,
  // The next instruction of each warp
  input  uop_t                uop_i[NUM_WARP],
  output logic [NUM_WARP-1:0] hazard_o,
  output logic [NUM_WARP-1:0] empty_o,
  // Issue
  input  logic                set_i,
  input  logic [WarpW-1:0]    set_warp_i,
  input  logic                set_v_i,
  input  logic [7:0]          set_reg_i,
  input  logic                set_pair_i,  // Set the next register, too
  input  logic [2:0]          set_extra_i,  // So many registers after it, too
  // writeback
  input  logic                clear_x_i,
  input  logic [WarpW-1:0]    clear_x_warp_i,
  input  logic [5:0]          clear_x_reg_i,
  input  logic                clear_v_i,
  input  logic [WarpW-1:0]    clear_v_warp_i,
  input  logic [7:0]          clear_v_reg_i
);

  localparam features_t Has = features_of(PROFILE);

  localparam int MaxExtra = Has.toolchain ? 7 : 3;  // Registers after the first one of an operand

  logic [NumX-1:0] x_q[NUM_WARP];
  logic [NumV-1:0] v_q[NUM_WARP];

  for (genvar w = 0; w < int'(NUM_WARP); w++) begin : g_warp
    logic raw1, raw2, raw3, raw_v0, waw_x, waw_v, raw_base, raw_data, waw_pair, store_pair;
    logic raw3_x, raw_group;
    logic [7:0] data_reg;

    // FAULT(raw_src3_scalar, hazard): 1'b0
    assign raw3_x = x_q[w][uop_i[w].rs3[5:0]];
    assign raw1 = (uop_i[w].use1 == UseX && x_q[w][uop_i[w].rs1[5:0]]) ||
                  (uop_i[w].use1 == UseV && v_q[w][uop_i[w].rs1]);
    assign raw2 = (uop_i[w].use2 == UseX && x_q[w][uop_i[w].rs2[5:0]]) ||
                  (uop_i[w].use2 == UseV && v_q[w][uop_i[w].rs2]);
    // FAULT(raw_src3, hazard): (uop_i[w].use3 == UseX && raw3_x) ||
    //     (uop_i[w].use3 == UseV && uop_i[w].write_v && v_q[w][uop_i[w].rs3])
    assign raw3 = (uop_i[w].use3 == UseX && raw3_x) || (uop_i[w].use3 == UseV && v_q[w][uop_i[w].rs3]);
    // FAULT(raw_v0, hazard): uop_i[w].masked && v_q[w][0]
    assign raw_v0 = uop_i[w].use_v0 && v_q[w][{7'b0, uop_i[w].part}];
    assign waw_x = uop_i[w].write_x && x_q[w][uop_i[w].rd[5:0]];
    // FAULT(waw_v, hazard): 1'b0
    assign waw_v = uop_i[w].write_v && v_q[w][uop_i[w].rd];
    // The upper registers of pairs.
    function automatic logic upper_pending(logic is_v, logic [7:0] regno);
      return is_v ? v_q[w][regno | 8'd1] : x_q[w][6'(regno | 8'd1)];
    endfunction
    assign data_reg = uop_i[w].mem.data_src3 ? uop_i[w].rs3 : uop_i[w].rs2;
    assign raw_base = uop_i[w].mem.base_pair && upper_pending(uop_i[w].use1 == UseV, uop_i[w].rs1);
    assign store_pair = uop_i[w].mem.data_pair && uop_i[w].mem.op == MemStore;
    // FAULT(raw_pair_data, hazard): 1'b0
    assign raw_data = store_pair && upper_pending(uop_i[w].is_vector, data_reg);
    assign waw_pair = uop_i[w].mem.data_pair && uop_i[w].mem.op == MemLoad &&
                      upper_pending(uop_i[w].is_vector, uop_i[w].rd);
    // An instruction on groups is one instruction. Its first part waits for the sources of the second part as
    // well, so that all its sources have been written when it issues.
    assign raw_group = uop_i[w].two_parts && !uop_i[w].part &&
                       ((uop_i[w].use1 == UseV && v_q[w][uop_i[w].rs1|8'd1]) ||
                        (uop_i[w].use2 == UseV && v_q[w][uop_i[w].rs2|8'd1]) ||
                        (uop_i[w].use3 == UseV && v_q[w][uop_i[w].rs3|8'd1]) ||
                        (uop_i[w].use_v0 && v_q[w][1]));
    // The further registers of operands, in the first pass for all.
    logic raw_waw_extra;
    if (Has.passes) begin : gen_extra
      function automatic logic extra_pending(logic is_v, logic [7:0] regno, logic [2:0] extra);
        logic pending;
        pending = 1'b0;
        for (int k = 1; k <= MaxExtra; k++) begin
          // FAULT(extra_last_untracked, hazard): if (k < int'(extra))
          //     pending |= is_v ? v_q[w][regno + 8'(k)] : x_q[w][6'(regno + 8'(k))];
          if (k <= int'(extra)) pending |= is_v ? v_q[w][regno + 8'(k)] : x_q[w][6'(regno + 8'(k))];
        end
        return pending;
      endfunction
      assign raw_waw_extra = uop_i[w].more.pass == '0 &&
                             (extra_pending(uop_i[w].use1 == UseV, uop_i[w].rs1, uop_i[w].more.extra[1]) ||
                              extra_pending(uop_i[w].use2 == UseV, uop_i[w].rs2, uop_i[w].more.extra[2]) ||
                              extra_pending(uop_i[w].use3 == UseV, uop_i[w].rs3, uop_i[w].more.extra[3]) ||
                              extra_pending(uop_i[w].write_v, uop_i[w].rd, uop_i[w].more.extra[0]));
    end else begin : gen_plain
      assign raw_waw_extra = 1'b0;
    end
    assign hazard_o[w] = raw_waw_extra || raw_group || raw1 || raw2 || raw3 || raw_v0 || waw_x || waw_v ||
        raw_base || raw_data || waw_pair;
    assign empty_o[w] = x_q[w] == '0 && v_q[w] == '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int w = 0; w < int'(NUM_WARP); w++) begin
        x_q[w] <= '0;
        v_q[w] <= '0;
      end
    end else begin
      if (clear_x_i) x_q[clear_x_warp_i][clear_x_reg_i] <= 1'b0;
      // FAULT(clear_v_alias, hazard): if (clear_v_i) for (int k = 0; k < 2; k++)
      //     v_q[clear_v_warp_i][clear_v_reg_i ^ 8'(32 * k)] <= 1'b0;
      if (clear_v_i) v_q[clear_v_warp_i][clear_v_reg_i] <= 1'b0;
      if (set_i && set_v_i) v_q[set_warp_i][set_reg_i] <= 1'b1;
      if (set_i && set_v_i && set_pair_i) v_q[set_warp_i][{set_reg_i[7:1], 1'b1}] <= 1'b1;
      // A write of x0 is pending for its flags, except as the lower half of a pair.
      // FAULT(x0_untracked, hazard): if (set_i && !set_v_i && set_reg_i != '0)
      //     x_q[set_warp_i][set_reg_i[5:0]] <= 1'b1;
      if (set_i && !set_v_i && !(set_pair_i && set_reg_i == '0)) x_q[set_warp_i][set_reg_i[5:0]] <= 1'b1;
      if (set_i && !set_v_i && set_pair_i) x_q[set_warp_i][{set_reg_i[5:1], 1'b1}] <= 1'b1;
      if (Has.passes && set_i) begin
        for (int k = 1; k <= MaxExtra; k++) begin
          if (k <= int'(set_extra_i) && set_v_i) v_q[set_warp_i][set_reg_i+8'(k)] <= 1'b1;
          if (k <= int'(set_extra_i) && !set_v_i) x_q[set_warp_i][6'(set_reg_i+8'(k))] <= 1'b1;
        end
        // The first of consecutive words is lost in x0.
        if (!set_v_i && set_extra_i != '0 && set_reg_i == '0) x_q[set_warp_i][0] <= 1'b0;
      end
      if (launch_i) begin
        x_q[launch_warp_i] <= '0;
        v_q[launch_warp_i] <= '0;
      end
    end
  end

  // A register has at most one pending write, except x0, whose writes only raise flags.
  logic again_x, again_pair, known_x, known_v;
  assign again_x = x_q[set_warp_i][set_reg_i[5:0]] && set_reg_i != '0;
  assign again_pair = x_q[set_warp_i][{set_reg_i[5:1], 1'b1}] && set_pair_i;
  assign known_x = x_q[clear_x_warp_i][clear_x_reg_i] || clear_x_reg_i == '0;
  assign known_v = v_q[clear_v_warp_i][clear_v_reg_i];

  AssertSetFree :
  assert property (@(posedge clk_i) disable iff (!rst_ni) set_i && !set_v_i |-> !again_x && !again_pair);
  AssertClearX :
  assert property (@(posedge clk_i) disable iff (!rst_ni) clear_x_i |-> known_x);
  AssertClearV :
  assert property (@(posedge clk_i) disable iff (!rst_ni) clear_v_i |-> known_v);
  AssertLaunchIdle :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   launch_i |-> !(set_i && set_warp_i == launch_warp_i));

endmodule
