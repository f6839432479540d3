// The decoder of ingot, and what holds registers to the warp's own, with what test_decode.cpp looks at as
// plain ports.
module decode_top
  import ingot_pkg::*;
#(
  parameter int unsigned PROFILE = 202
) (
  input  logic [31:0] word_i,
  input  logic [31:0] prefix_i,
  input  logic        has_prefix_i,
  input  logic        lmul2_i,
  input  logic        vill_i,
  input  logic [1:0]  sew_i,
  input  logic [2:0]  frm_i,
  input  logic [6:0]  sgprs_i,
  input  logic [8:0]  vgprs_i,
  output logic        illegal_o
);

  /* verilator lint_off UNUSEDSIGNAL */
  uop_t named, uop;
  /* verilator lint_on UNUSEDSIGNAL */
  assign illegal_o = uop.ctl.kind == CtlIllegal;

  if (PROFILE == 203) begin : gen_v203
    ingot_decode203 u_decode (
      .pc_i   ('0),
      .word_i,
      .prefix_i,
      .has_prefix_i,
      .error_i('0),
      .lmul2_i,
      .vill_i,
      .sew_i  (width_e'(sew_i)),
      .frm_i,
      .uop_o  (named)
    );
  end else begin : gen_v202
    logic unused_sew;
    assign unused_sew = &{1'b0, sew_i};
    ingot_decode_public #(
      .PROFILE(PROFILE)
    ) u_decode (
      .pc_i   ('0),
      .word_i,
      .prefix_i,
      .has_prefix_i,
      .error_i('0),
      .lmul2_i,
      .vill_i,
      .frm_i,
      .full_i ('0),
      .uop_o  (named)
    );
  end

  ingot_bounds #(
    .PROFILE(PROFILE)
  ) u_bounds (
    .uop_i(named),
    .sgprs_i,
    .vgprs_i,
    .uop_o(uop)
  );

endmodule
