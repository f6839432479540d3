// Makes an instruction illegal that names a register beyond those of its warp. To the ISA this is a program
// error. The warp issues the instruction and stops.
module ingot_bounds
  import ingot_pkg::*;
#(
  parameter int unsigned PROFILE = 202
) (
  input  uop_t       uop_i,
  input  logic [6:0] sgprs_i,  // Registers that the warp has
  input  logic [8:0] vgprs_i,
  output uop_t       uop_o
);

  localparam features_t Has = features_of(PROFILE);

  // The register, or the next one where it is used, is beyond those of the warp.
  function automatic logic beyond(logic is_v, logic [7:0] regno, logic both, logic [6:0] sgprs,
                                  logic [8:0] vgprs);
    logic [8:0] last;
    last = {1'b0, regno | {7'b0, both}};
    // FAULT(bounds_one_limit, resource_limit): last >= vgprs
    return is_v ? last >= vgprs : last >= {2'b0, sgprs};
  endfunction

  // The last of several consecutive registers is beyond them.
  function automatic logic after(logic is_v, logic [7:0] regno, logic [2:0] extra, logic [6:0] sgprs,
                                 logic [8:0] vgprs);
    logic [8:0] last;
    // FAULT(bounds_pair_edge, resource_limit): {1'b0, regno} + 9'(extra) + 9'(extra != '0)
    last = {1'b0, regno} + 9'(extra);
    return last >= (is_v ? vgprs : {2'b0, sgprs});
  endfunction

  logic group, store_pair, outside;
  always_comb begin
    group = uop_i.two_parts;
    store_pair = uop_i.mem.data_pair && uop_i.mem.op == MemStore;
    outside = 1'b0;
    if (uop_i.use1 != UseNone &&
        beyond(uop_i.use1 == UseV, uop_i.rs1, uop_i.mem.base_pair || (group && uop_i.use1 == UseV), sgprs_i,
               vgprs_i))
      outside = 1'b1;
    if (uop_i.use2 != UseNone &&
        beyond(uop_i.use2 == UseV, uop_i.rs2,
               (store_pair && !uop_i.mem.data_src3) || (group && uop_i.use2 == UseV), sgprs_i, vgprs_i))
      outside = 1'b1;
    if (uop_i.use3 != UseNone &&
        beyond(uop_i.use3 == UseV, uop_i.rs3,
               (store_pair && uop_i.mem.data_src3) || (group && uop_i.use3 == UseV), sgprs_i, vgprs_i))
      outside = 1'b1;
    if ((uop_i.write_x || uop_i.write_v) &&
        beyond(uop_i.write_v, uop_i.rd, uop_i.mem.data_pair || (group && uop_i.write_v), sgprs_i, vgprs_i))
      outside = 1'b1;

    // Pairs and consecutive registers.
    if (Has.passes) begin
      if (uop_i.use1 != UseNone && after(uop_i.use1 == UseV, uop_i.rs1, uop_i.more.extra[1], sgprs_i,
                                         vgprs_i))
        outside = 1'b1;
      if (uop_i.use2 != UseNone && after(uop_i.use2 == UseV, uop_i.rs2, uop_i.more.extra[2], sgprs_i,
                                         vgprs_i))
        outside = 1'b1;
      if (uop_i.use3 != UseNone && after(uop_i.use3 == UseV, uop_i.rs3, uop_i.more.extra[3], sgprs_i,
                                         vgprs_i))
        outside = 1'b1;
      if ((uop_i.write_x || uop_i.write_v) &&
          after(uop_i.write_v, uop_i.rd, uop_i.more.extra[0], sgprs_i, vgprs_i))
        outside = 1'b1;
    end

    uop_o = uop_i;
    if (outside) begin
      uop_o.dest_unit = UnitNone;
      uop_o.ctl.kind = CtlIllegal;
      uop_o.use1 = UseNone;
      uop_o.use2 = UseNone;
      uop_o.use3 = UseNone;
      uop_o.use_v0 = 1'b0;
      uop_o.write_x = 1'b0;
      uop_o.write_v = 1'b0;
      uop_o.mem.base_pair = 1'b0;
      uop_o.mem.data_pair = 1'b0;
      uop_o.two_parts = 1'b0;
      uop_o.masked = 1'b0;
      uop_o.drain_mem = 1'b0;
      uop_o.drain_regs = 1'b0;
      uop_o.drain_all = 1'b0;
      uop_o.more = '0;
    end
  end

endmodule
