// The unit of profile v2.03 for elements of other than 32 bits: 64 bits in pairs of registers, 8 and 16 bits
// by SEW, and operations with operands of two widths. One operation at a time, all lanes in parallel; an
// operation is done when its slowest active lane is done. A result of 64 bits is offered in two parts, the
// low one first; flags come with the last.
module ingot_wide
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
  import ingot_wide_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        ready_o,
  input  logic                        reserve_i,
  // Operation
  input  logic                        valid_i,
  input  logic [WarpW-1:0]            warp_i,
  input  dest_t                       dest_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  uop_t                        uop_i,  // Most fields are for other modules
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [1:0]                  vxrm_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0]       carry_i,
  input  logic [NUM_THREAD-1:0][63:0] a_i,  // Sign-extended
  input  logic [NUM_THREAD-1:0][63:0] b_i,
  input  logic [NUM_THREAD-1:0][63:0] c_i,
  output logic                        saturated_o,  // In an active lane of the operation that is done
  output logic [WarpW-1:0]            saturated_warp_o,  // The warp of that operation
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  output fflags_t                     fflags_o  // Of the active lanes
);

  /* verilator lint_off UNUSEDSIGNAL */
  more_t more;  // Some fields are for other modules
  /* verilator lint_on UNUSEDSIGNAL */
  logic is_int, number, pick;
  assign more = uop_i.more;
  assign is_int = more.unit inside {UnitAlu, UnitMul, UnitDiv};
  // The result is a floating-point number.
  assign number = more.unit inside {UnitFpu, UnitFdiv} || (more.unit == UnitAlu && more.is_float) ||
                  (more.unit == UnitFmisc &&
                   uop_i.fp.fmisc inside {[FmiscMin : FmiscSgnjx], FmiscFromInt, FmiscFromUint, FmiscRec7,
                                          FmiscRsqrt7, FmiscConvert});
  assign pick = more.unit == UnitAlu && uop_i.alu.op == AluPick;

  logic busy_q;  // From issue until the result is taken
  logic running_q;  // From the operation until the result is offered
  logic offered_q;
  logic second_q;  // The high part is next
  logic is_int_q, number_q, pair_q;
  width_e width_q;
  logic [WarpW-1:0] warp_q;
  dest_t dest_q;
  logic [NUM_THREAD-1:0] mask_q;
  logic [NUM_THREAD-1:0] int_done, fp_done, int_saturated;
  logic [NUM_THREAD-1:0][63:0] int_value;
  wide_result_t [NUM_THREAD-1:0] fp_result;

  // A scalar result of the highest active lane.
  logic [63:0] picked;
  always_comb begin
    picked = '0;
    if (valid_i && pick) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) if (active_i[l]) picked = a_i[l];
    end
  end

  for (genvar l = 0; l < int'(NUM_THREAD); l++) begin : gen_lane
    ingot_wide_int u_int (
      .clk_i,
      .rst_ni,
      .start_i    (valid_i && is_int && (pick ? l == 0 : active_i[l])),
      .unit_i     (more.unit),
      .alu_i      (uop_i.alu.op),
      .mul_i      (uop_i.mul),
      .div_i      (uop_i.div),
      .width_i    (more.result),
      .width_a_i  (more.twice[1] ? width_e'(more.width + 2'd1) : more.width),
      .width_b_i  (more.twice[0] ? width_e'(more.width + 2'd1) : more.width),
      .vxrm_i,
      // FAULT(wide_carry_lane, misrouted): uop_i.alu.carry && carry_i[(l + 1) % NUM_THREAD]
      .carry_i    (uop_i.alu.carry && carry_i[l]),
      // FAULT(wide_vid_part, operand): 32'(l)
      .element_i  (32'(l) + (uop_i.part ? 32'(NUM_THREAD) : '0)),
      .a_i        (pick ? picked : int_a[l]),
      .b_i        (int_b[l]),
      .c_i        (c_i[l]),
      .done_o     (int_done[l]),
      .saturated_o(int_saturated[l]),
      .value_o    (int_value[l])
    );
    ingot_wide_fp u_fp (
      .clk_i,
      .rst_ni,
      .start_i    (valid_i && !is_int && active_i[l]),
      .unit_i     (more.unit),
      .ctrl_i     (uop_i.fp),
      .round_odd_i(more.round_odd),
      // FAULT(narrow_source_width, encoding): more.width
      .width_i    (more.twice[1] ? width_e'(more.width + 2'd1) : more.width),
      .result_i   (more.result),
      .a_i        (a_i[l]),
      .b_i        (b_i[l]),
      .c_i        (c_i[l]),
      .done_o     (fp_done[l]),
      .result_o   (fp_result[l])
    );
  end

  // Widening sums: sources of the narrow width are unsigned or signed.
  logic [NUM_THREAD-1:0][63:0] int_a, int_b;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      int_a[l] = a_i[l];
      int_b[l] = b_i[l];
      if (more.unit == UnitAlu && more.result != more.width) begin
        // FAULT(vwaddu_signed, arithmetic): a_i[l]
        if (!uop_i.mul.a_signed && !more.twice[1]) int_a[l] = zero_extend(more.width, a_i[l]);
        if (!uop_i.mul.b_signed && !more.twice[0]) int_b[l] = zero_extend(more.width, b_i[l]);
      end
    end
  end

  logic finished;
  // FAULT(wide_done_lane0, timing): running_q && int_done[0] && fp_done[0]
  assign finished = running_q && int_done == '1 && fp_done == '1;
  assign ready_o = !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      running_q <= 1'b0;
      offered_q <= 1'b0;
      second_q <= 1'b0;
    end else begin
      if (reserve_i) busy_q <= 1'b1;
      if (valid_i) running_q <= 1'b1;
      else if (finished) running_q <= 1'b0;
      if (finished) offered_q <= 1'b1;
      if (valid_o && ready_i) begin
        second_q <= pair_q && !second_q;
        if (!pair_q || second_q) begin
          offered_q <= 1'b0;
          busy_q <= 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp_q <= warp_i;
      dest_q <= dest_i;
      mask_q <= pick ? NUM_THREAD'(|active_i) : active_i;
      is_int_q <= is_int;
      // FAULT(half_move_not_boxed, special_value): number && !is_int
      number_q <= number;
      width_q <= more.result;
      // FAULT(pair_high_lost, lost_event): more.passes != '0
      pair_q <= more.extra[0] != '0;
    end
  end

  assign valid_o = offered_q;
  assign warp_o = warp_q;
  // FAULT(pair_high_unmasked, mask): second_q && dest_q.is_v ? '1 : mask_q
  assign mask_o = mask_q;
  always_comb begin
    dest_o = dest_q;
    // FAULT(pair_high_to_even, misrouted): dest_q.rd[0]
    dest_o.rd[0] = dest_q.rd[0] || second_q;
    fflags_o = '0;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      logic [63:0] value;
      value = is_int_q ? int_value[l] : fp_result[l].value;
      // An integer is sign-extended, a binary16 has ones above it.
      // FAULT(sew8_result_unsigned, arithmetic): width_q == W8 ? zero_extend(width_q, value)
      //     : sign_extend(width_q, value)
      if (!number_q) value = sign_extend(width_q, value);
      // FAULT(half_not_boxed, special_value): '0
      else if (width_q == W16) value[31:16] = '1;
      // FAULT(wide_halves, lanes_bytes): value[31:0]
      data_o[l] = second_q ? value[63:32] : value[31:0];
      // FAULT(wide_stale_flags, mask): if (!is_int_q && second_q == pair_q) fflags_o |= fp_result[l].flags;
      if (!is_int_q && mask_q[l] && second_q == pair_q) fflags_o |= fp_result[l].flags;
    end
  end

  // FAULT(wide_vxsat_unmasked, mask): finished && is_int_q && int_saturated != '0
  assign saturated_o = finished && is_int_q && (int_saturated & mask_q) != '0;
  assign saturated_warp_o = warp_q;

  AssertOneAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> busy_q && !running_q && !offered_q);
  // A result is offered until it is taken.
  AssertHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i |=> valid_o && $stable(data_o));

endmodule
