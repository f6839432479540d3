// Decoder of profiles v2.02 and public.  Purely combinational.
//
// Public has the instructions of v2.02 and further ones. As ingot_decode203 does it, a further one is
// rewritten as one of v2.02 with the same fields, which ingot_decode decodes, and what it does is put in the
// place of what that one does. vm has no effect: it is 1 in what ingot_decode sees.
module ingot_decode_public
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned PROFILE = 202
) (
  input  logic [31:0] pc_i,  // Ports as in ingot_decode
  input  logic [31:0] word_i,
  input  logic [31:0] prefix_i,
  input  logic        has_prefix_i,
  input  logic        error_i,
  input  logic        lmul2_i,
  input  logic        vill_i,
  input  logic [2:0]  frm_i,
  input  logic        full_i,  // All lanes of a warp of 32 are active: a matrix product is legal
  output uop_t        uop_o
);

  localparam features_t Has = features_of(PROFILE);

  logic [31:0] word;
  uop_t named;
  ingot_decode u_decode (
    .pc_i,
    .word_i(word),
    .prefix_i,
    .has_prefix_i,
    .error_i,
    .lmul2_i,
    .vill_i,
    .frm_i,
    .uop_o (named)
  );

  if (Has.toolchain) begin : gen_public
    localparam logic [6:0] OpMatrix = 7'h0a;
    localparam logic [6:0] OpSpecial = 7'h2a;
    localparam logic [6:0] OpShuffle = 7'h42;
    localparam logic [6:0] OpVector = 7'h57;
    localparam logic [6:0] OpPacked = 7'h5a;
    localparam logic [6:0] OpLaneCsr = 7'h72;
    localparam logic [6:0] OpConvert = 7'h7a;

    // Rows of v2.02 with the same fields.
    localparam logic [31:0] OneImmediate = 32'h96003057;  // vsll.vi
    localparam logic [31:0] NoSource = 32'h5208a057;  // vid.v
    localparam logic [31:0] OneSource = 32'h4e001057;  // vfsqrt.v
    localparam logic [31:0] TwoSources = 32'h02001057;  // vfadd.vv
    localparam logic [31:0] ThreeSources = 32'hb2001057;  // vfmacc.vv

    logic [6:0] opcode;
    logic [2:0] f3;
    logic [5:0] f6;
    assign opcode = word_i[6:0];
    assign f3 = word_i[14:12];
    assign f6 = word_i[31:26];

    // CSRs that csrr.v reads: those of v2.02, and ids of lanes.
    logic csr_known;
    always_comb begin
      /* verilator lint_off UNUSEDSIGNAL */
      logic [31:0] value;
      /* verilator lint_on UNUSEDSIGNAL */
      value = csr_read('0, word_i[31:20], '0, csr_known);
      if (is_lane_csr(word_i[31:20])) csr_known = 1'b1;
    end

    logic long_lane;  // REGEXTI extends an immediate, but no lane number
    assign long_lane = has_prefix_i && prefix_i[13:12] == 2'b11 && prefix_i[31:26] != '0;
    logic is_new;
    logic widens;  // vfwcvt.f.f.v, which has no counterpart in v2.02
    assign widens = word_i[17:15] == 3'b100;
    logic [31:0] vd, vs2, vs1;  // The fields in their places
    assign vd = {20'b0, word_i[11:7], 7'b0};
    assign vs2 = {7'b0, word_i[24:20], 20'b0};
    assign vs1 = {12'b0, word_i[19:15], 15'b0};
    always_comb begin
      word = word_i;
      is_new = 1'b0;
      unique case (opcode)
        OpShuffle:
        if (f3 == 3'b001 && f6[5:2] == 4'b0010) begin
          is_new = 1'b1;
          word = OneImmediate | vd | vs2 | vs1;
        end
        OpLaneCsr:
        if (f3 == 3'b010 && vs1 == '0 && csr_known) begin
          is_new = 1'b1;
          word = NoSource | vd;
        end
        OpConvert:
        if (f3 == 3'b000 && f6[5:2] == '0 && vs1 == '0) begin
          is_new = 1'b1;
          word = OneSource | vd | vs2;
        end
        OpSpecial:
        if (f6 <= 6'(SpecialSilu) && vs1 == '0 &&
            (f3 == 3'b000 ||
             (f3 < 3'b011 && !(special_e'(f6[3:0]) inside {SpecialLg2, SpecialSin, SpecialCos})))) begin
          is_new = 1'b1;
          word = OneSource | vd | vs2;
        end
        OpMatrix:
        // Bfloat16 and tf32 are for binary32 alone, and tf32 for K = 8.
        if (word_i[31:30] == '0 && word_i[29:28] != 2'b11 && (word_i[28] || word_i[12]) &&
            (word_i[29:28] != 2'b00 || word_i[27])) begin
          is_new = 1'b1;
          word = ThreeSources | vd | vs2 | vs1;
        end
        OpPacked:
        if (f3[2:1] == '0 && f6[5:2] == '0 && f6[1:0] != 2'b11) begin
          is_new = 1'b1;
          word = (f6[1] ? ThreeSources : TwoSources) | vd | vs2 | vs1;
        end
        OpVector:
        if (f3 == 3'b001 && f6 == 6'b010010 && word_i[19:18] == 2'b01 && word_i[17:15] != 3'b101) begin
          is_new = 1'b1;
          word[18] = 1'b0;
          if (widens) word = {word_i[31:20], 5'b00001, word_i[14:0]};
        end
        default: ;
      endcase
    end

    matrix_ctrl_t matrix;
    always_comb begin
      matrix.m16 = word_i[25];
      matrix.n16 = word_i[26];
      matrix.k8 = word_i[27];
      matrix.a_by_column = word_i[14];
      matrix.b_by_row = word_i[13];
      matrix.half = !word_i[12];
      matrix.kind = matrix_type_e'(word_i[29:28]);
      // C has 64, 128 or 256 elements.
      matrix.last_word = {matrix.m16 && matrix.n16, matrix.m16 || matrix.n16, 1'b1};
      if (matrix.half) matrix.last_word >>= 1;
    end

    uop_t u;
    always_comb begin
      u = named;
      u.word = error_i ? '0 : word_i;
      if (is_new && named.ctl.kind != CtlIllegal) begin
        unique case (opcode)
          OpShuffle: begin
            u.alu.op = AluMove;
            unique case (f6[1:0])
              2'b00: u.toolchain.shuffle = ShuffleXor;
              2'b01: u.toolchain.shuffle = ShuffleIndex;
              2'b10: u.toolchain.shuffle = ShuffleUp;
              2'b11: u.toolchain.shuffle = ShuffleDown;
            endcase
          end
          OpLaneCsr: begin
            u.dest_unit = UnitCsr;
            u.ctl.kind = CtlCsr;
            u.csr.op = CsrSet;
            u.csr.addr = word_i[31:20];
            // Results set vxsat and fflags.
            // FAULT(csrr_v_early, hazard): 1'b0
            u.drain_regs = set_by_results(word_i[31:20]);
          end
          OpConvert: begin
            u.dest_unit = UnitHalf;
            unique case (f6[1:0])
              2'b00: u.toolchain.half = '{kind: FmaNone, from: FormatF16, to: FormatF32};
              2'b01: u.toolchain.half = '{kind: FmaNone, from: FormatF32, to: FormatF16};
              2'b10: u.toolchain.half = '{kind: FmaNone, from: FormatBf16, to: FormatF32};
              2'b11: u.toolchain.half = '{kind: FmaNone, from: FormatF32, to: FormatBf16};
            endcase
          end
          OpSpecial: begin
            u.dest_unit = UnitSpecial;
            u.toolchain.special.func = special_e'(f6[3:0]);
            u.toolchain.special.format = f3[1] ? FormatBf16 : f3[0] ? FormatF16 : FormatF32;
          end
          OpMatrix: begin
            u.dest_unit = UnitMatrix;
            u.toolchain.matrix = matrix;
            u.more.extra[0] = matrix.last_word;
            u.more.extra[1] = matrix.m16 ? 3'd3 : 3'd1;
            u.more.extra[2] = matrix.n16 ? 3'd3 : 3'd1;
            // FAULT(matrix_c_first_register, lost_event): 3'd0
            u.more.extra[3] = matrix.last_word;
            u.more.passes = u.more.extra[1] | u.more.extra[2] | u.more.extra[3];
          end
          OpPacked: begin
            u.dest_unit = UnitHalf;
            u.toolchain.half.from = f3[0] ? FormatBf16 : FormatF16;
            u.toolchain.half.to = u.toolchain.half.from;
            unique case (f6[1:0])
              2'b00: u.toolchain.half.kind = FmaAdd;
              2'b01: u.toolchain.half.kind = FmaMul;
              default: u.toolchain.half.kind = FmaFma;
            endcase
          end
          OpVector: begin
            if (widens) begin
              u.dest_unit = UnitHalf;
              u.toolchain.half = '{kind: FmaNone, from: FormatF16, to: FormatF32};
            end else if (word_i[17:16] == 2'b01) begin
              // FAULT(widen_unsigned, arithmetic): ExtendUnsigned
              u.toolchain.extend = word_i[15] ? ExtendSigned : ExtendUnsigned;
            end else begin
              u.toolchain.extend = ExtendFloat;
            end
          end
          default: ;
        endcase
        // Groups of registers are for the instructions of the V extension alone.
        if (lmul2_i || (opcode == OpMatrix && !full_i) || (opcode == OpShuffle && long_lane)) begin
          u = '0;
          u.pc = pc_i;
          u.word = word_i;
          u.prefix = has_prefix_i ? prefix_i : '0;
          u.has_prefix = has_prefix_i;
          u.ctl.kind = CtlIllegal;
        end
      end
    end
    assign uop_o = u;
  end else begin : gen_v202
    logic unused_full;
    assign unused_full = full_i;
    assign word = word_i;
    assign uop_o = named;
  end

endmodule
