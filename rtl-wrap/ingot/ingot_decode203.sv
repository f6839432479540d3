// Decoder of profile v2.03.  Purely combinational.
//
// It rewrites an instruction of v2.03 as one of v2.02 with the same fields, which ingot_decode decodes, and
// adds the rest: width of the elements, further registers of each operand, changes of sign, and how memory is
// accessed. A prefix becomes the REGEXT or REGEXTI with the same register extensions.
module ingot_decode203
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
(
  input  logic [31:0] pc_i,  // Ports as in ingot_decode
  input  logic [31:0] word_i,
  input  logic [31:0] prefix_i,
  input  logic        has_prefix_i,
  input  logic        error_i,
  input  logic        lmul2_i,
  input  logic        vill_i,
  input  width_e      sew_i,
  input  logic [2:0]  frm_i,
  output uop_t        uop_o
);

  localparam logic [6:0] OpLoad = 7'h03;
  localparam logic [6:0] OpLoadV = 7'h07;
  localparam logic [6:0] OpCustom0 = 7'h0b;
  localparam logic [6:0] OpImm = 7'h13;
  localparam logic [6:0] OpAuipc = 7'h17;
  localparam logic [6:0] OpImmW = 7'h1b;
  localparam logic [6:0] OpStore = 7'h23;
  localparam logic [6:0] OpStoreV = 7'h27;
  localparam logic [6:0] OpMem12D = 7'h2b;
  localparam logic [6:0] OpAmo = 7'h2f;
  localparam logic [6:0] OpReg = 7'h33;
  localparam logic [6:0] OpLui = 7'h37;
  localparam logic [6:0] OpRegW = 7'h3b;
  localparam logic [6:0] OpFp = 7'h53;
  localparam logic [6:0] OpVector = 7'h57;
  localparam logic [6:0] OpSimt = 7'h5b;
  localparam logic [6:0] OpBranch = 7'h63;
  localparam logic [6:0] OpMem12 = 7'h7b;

  logic [6:0] opcode;
  logic [2:0] f3;
  logic [5:0] f6;
  assign opcode = word_i[6:0];
  assign f3 = word_i[14:12];
  assign f6 = word_i[31:26];

  // --- Prefixes --------------------------------------------------------------------------------------------

  logic access, memory_prefix, compute_prefix, ext_imm, pair;
  assign access = opcode inside {OpLoad, OpStore, OpLoadV, OpStoreV, OpMem12, OpMem12D, OpAmo};
  // PRE_M_*: without effect unless before an access
  assign memory_prefix = has_prefix_i && prefix_i[2:0] == 3'b110;
  assign compute_prefix = has_prefix_i && prefix_i[2:0] == 3'b010;  // PREFIX, PREFIXI
  assign pair = compute_prefix && prefix_i[19];
  // FAULT(prefixi_as_prefix, encoding): !compute_prefix && has_prefix_i && !memory_prefix && prefix_i[12]
  assign ext_imm = compute_prefix ? prefix_i[3] : has_prefix_i && !memory_prefix && prefix_i[12];

  logic [31:0] prefix;
  always_comb begin
    prefix = prefix_i;
    // FAULT(pair_no_extension, encoding): {pair ? 12'b0 : prefix_i[31:20], ext_imm ? 20'h0300b : 20'h0200b}
    if (memory_prefix || compute_prefix) prefix = {prefix_i[31:20], ext_imm ? 20'h0300b : 20'h0200b};
  end

  // --- The instruction of v2.02 ----------------------------------------------------------------------------

  // Widening and narrowing rows. wide_*: operands of twice the width; signed_*: extension of the sources of
  // vw*.
  logic doubled, wide_dest, signed1, signed2, refused;
  logic [2:0] twice;
  logic wide_base;  // The base is always a pair
  logic [31:0] word;
  always_comb begin
    word = word_i;
    doubled = 1'b0;
    wide_dest = 1'b0;
    twice = '0;
    signed1 = 1'b0;
    signed2 = 1'b0;
    wide_base = 1'b0;
    refused = 1'b0;
    unique case (opcode)
      OpImmW, OpRegW: begin
        word[6:0] = opcode == OpImmW ? OpImm : OpReg;
        refused = !(f3 inside {3'b000, 3'b001, 3'b101}) || (opcode == OpRegW && word_i[31:25] == 7'h01);
      end
      OpLoad, OpStore, OpAmo: begin
        if (f3 == 3'b011) begin
          word[14:12] = 3'b010;
          wide_base = 1'b1;
        end
      end
      OpMem12D: begin
        word[6:0] = OpMem12;
        wide_base = 1'b1;
      end
      OpVector: begin
        if (f3 inside {3'b010, 3'b110} && f6[5:4] == 2'b11) begin  // Instruction vw*
          doubled = 1'b1;
          wide_dest = 1'b1;
          signed1 = f6[0];
          signed2 = f6[0];
          unique case (f6[3:2])
            2'b00, 2'b01: begin  // Instructions vwadd, vwsub; .w
              word[31:26] = {4'b0000, f6[1], 1'b0};
              word[14:12] = {f3[2], 2'b00};
              // FAULT(vw_wx_wide_scalar, encoding): {1'b0, f6[2], f6[2]}
              twice = {1'b0, f6[2], f6[2] && !f3[2]};
            end
            2'b10: begin
              word[31:26] = 6'b100101;
              // FAULT(vwmulsu_signs, encoding): f6[0]
              signed2 = f6[1];
              refused = f6[1:0] == 2'b01;
            end
            2'b11: begin
              word[31:26] = 6'b101101;
              twice = 3'b100;
              // FAULT(vwmaccus_signs, encoding): f6[0]
              signed2 = f6[1:0] inside {2'b01, 2'b10};
              refused = f6[1:0] == 2'b10 && !f3[2];
            end
          endcase
        end
        // Instructions vfwcvt, vfncvt
        if (f3 == 3'b001 && f6 == 6'b010010 && word_i[19:18] inside {2'b01, 2'b10}) begin
          doubled = 1'b1;
          wide_dest = word_i[18];
          twice = {1'b0, word_i[19], 1'b0};
          word[19:18] = 2'b00;
          if (word_i[17:16] == 2'b10) word[17:15] = 3'b001;  // Between formats
          refused = word_i[17:15] == 3'b101 && word_i[18];  // Only narrowing rounds to odd
        end
      end
      default: ;
    endcase
  end

  uop_t named;
  ingot_decode u_decode (
    .pc_i,
    .word_i      (word),
    .prefix_i    (prefix),
    // FAULT(void_prefix_extends, encoding): has_prefix_i
    .has_prefix_i(has_prefix_i && !(memory_prefix && !access)),
    .error_i,
    .lmul2_i,
    .vill_i,
    .frm_i,
    .uop_o       (named)
  );

  // --- What is added ---------------------------------------------------------------------------------------

  // How the width of the elements is found.
  typedef enum logic [2:0] {
    Plain,  // No computation
    Word,  // 32
    Pair,  // 32, or 64 after a prefix with pair
    Sew,  // By vtype, or 64 after a prefix with pair
    Doubled,  // By vtype, with operands of twice that
    Double  // 64
  } widths_e;
  widths_e widths;
  logic is_float, not_byte, mask_dest;
  always_comb begin
    widths = Plain;
    is_float = 1'b0;
    not_byte = 1'b0;
    mask_dest = 1'b0;
    unique case (opcode)
      OpImm, OpReg, OpLui, OpAuipc, OpBranch: widths = Pair;
      7'h43, 7'h47, 7'h4b, 7'h4f, OpFp: begin
        widths = Pair;
        is_float = 1'b1;
      end
      // FAULT(word_rows_32_bits, encoding): Pair
      OpImmW, OpRegW: widths = Double;
      OpSimt: widths = f3 inside {3'b010, 3'b011} ? Plain : Pair;
      OpCustom0: begin
        if (f3[2:1] == 2'b00) widths = Pair;
        else if (f3 == 3'b110 || (f3 == 3'b100 && f6 == 6'b000011)) begin
          widths = Word;
          is_float = 1'b1;
        end
      end
      OpVector: begin
        if (f3 == 3'b010 && f6[5:3] == 3'b011) widths = Word;
        else if (f3 != 3'b111) widths = doubled ? Doubled : Sew;
        is_float = f3[1:0] == 2'b01;
        // Conversions of a byte to binary16 and back exist.
        not_byte = is_float && !(doubled && (wide_dest ? word_i[17:16] == 2'b01 : word_i[17] == word_i[16]));
        mask_dest = f3[1:0] == 2'b01 ? f6 inside {[6'b011000 : 6'b011111]} :
                    !f3[1] || f3 == 3'b011 ? f6 inside {6'b010001, 6'b010011, [6'b011000 : 6'b011111]} : 1'b0;
      end
      default: ;
    endcase
  end

  logic [5:0] imm_high;
  assign imm_high = prefix_i[31:26];

  logic illegal, negate;
  logic [2:0] abs, neg;  // Fields of the prefix
  logic [3:1] has_source;
  logic [3:0] pairs;  // Operands that are pairs of registers
  width_e width;
  uop_t u;
  always_comb begin
    u = named;
    u.word = error_i ? '0 : word_i;
    u.prefix = has_prefix_i ? prefix_i : '0;
    u.has_prefix = has_prefix_i;
    illegal = refused || (pair && widths inside {Plain, Word, Doubled});

    // An immediate stands in the place of a source.
    has_source[1] = named.use1 != UseNone || (opcode == OpVector && named.b_sel == BImm);
    has_source[2] = named.use2 != UseNone || (opcode != OpVector && named.b_sel == BImm);
    has_source[3] = named.use3 != UseNone;
    // FAULT(abs_lost_beside_neg, encoding): compute_prefix && prefix_i[15:13] == '0 ? prefix_i[18:16] : '0
    abs = compute_prefix ? prefix_i[18:16] : '0;
    // FAULT(neg_lost_with_pair, encoding): compute_prefix && !pair ? prefix_i[15:13] : '0
    neg = compute_prefix ? prefix_i[15:13] : '0;
    if (((abs | neg) & ~(widths == Plain ? 3'b000 : has_source)) != '0) illegal = 1'b1;

    // The immediate of lui and auipc is changed before it is shifted, and is never negative.
    negate = neg[1];
    if (opcode inside {OpLui, OpAuipc}) begin
      // FAULT(lui_not_negated, encoding): if (1'b0) u.imm = -named.imm;
      if (negate) u.imm = -named.imm;
      abs = '0;
      neg = '0;
    end
    // A shift amount of six bits.
    // FAULT(pair_shift_five_bits, encoding): {27'b0, word_i[24:20]}
    if (opcode inside {OpImm, OpImmW} && f3[1:0] == 2'b01 && ext_imm) u.imm = {21'b0, imm_high,
        word_i[24:20]};

    width = W32;
    if (widths inside {Sew, Doubled}) width = sew_i;
    if (pair || widths == Double) width = W64;
    if (not_byte && width == W8) illegal = 1'b1;
    pairs = '0;
    if (width == W64) begin
      // FAULT(pair_of_mask, encoding): {has_source, 1'b1}
      pairs = {has_source, !mask_dest};
    end else if (doubled && width == W32) begin
      pairs = {twice, wide_dest};
    end
    if (named.use1 == UseNone) pairs[1] = 1'b0;
    if (named.use2 == UseNone) pairs[2] = 1'b0;
    if (named.use3 == UseNone) pairs[3] = 1'b0;
    if (!named.write_x && !named.write_v) pairs[0] = 1'b0;
    if ((pairs[1] && named.rs1[0]) || (pairs[2] && named.rs2[0]) || (pairs[3] && named.rs3[0]) ||
        (pairs[0] && named.rd[0]))
      illegal = 1'b1;
    // Under LMUL 2 the next register is part of the group.
    if (pairs != '0 && named.two_parts) illegal = 1'b1;

    u.more.unit = named.dest_unit;
    u.more.width = width;
    u.more.result = doubled && wide_dest ? width_e'(width + 2'd1) : width;
    u.more.twice = twice;
    u.more.abs = abs;
    u.more.neg = neg;
    u.more.is_float = is_float;
    // FAULT(round_odd_ignored, rounding): 1'b0
    u.more.round_odd = doubled && is_float && word_i[17:15] == 3'b101;
    if (doubled && !is_float) begin
      u.mul.a_signed = signed2;
      u.mul.b_signed = signed1;
    end
    if (doubled && is_float && word_i[17:16] == 2'b10) u.fp.fmisc = FmiscConvert;
    // The pair of x0 is x0 alone.
    // FAULT(pair_x0_reads_x1, operand): {2'b0, pairs[1]}
    u.more.extra[1] = {2'b0, pairs[1] && !(named.use1 == UseX && named.rs1 == '0)};
    u.more.extra[2] = {2'b0, pairs[2] && !(named.use2 == UseX && named.rs2 == '0)};
    u.more.extra[3] = {2'b0, pairs[3] && !(named.use3 == UseX && named.rs3 == '0)};
    // FAULT(pair_x0_writes_x1, doubled_event): {2'b0, pairs[0]}
    u.more.extra[0] = {2'b0, pairs[0] && !(named.write_x && named.rd == '0)};
    if ((width != W32 || doubled) &&
        named.dest_unit inside {UnitAlu, UnitMul, UnitDiv, UnitFpu, UnitFdiv, UnitFmisc} &&
        widths inside {Pair, Sew, Doubled, Double})
      u.dest_unit = UnitWide;

    // Memory.
    if (access) begin
      // FAULT(index_not_sew, lanes_bytes): named.mem.width
      if (named.mem.mode == MemIndex) u.mem.width = sew_i;
      // FAULT(hint_as_pair, encoding): wide_base || (memory_prefix && prefix_i[17])
      u.mem.base_pair = wide_base || (memory_prefix && prefix_i[19]);
      if (u.mem.base_pair && named.rs1[0]) illegal = 1'b1;
      if (memory_prefix) begin
        // FAULT(space_vector_only, address): named.is_vector ? space_e'(prefix_i[6:5]) : SpaceDefault
        u.more.space = space_e'(prefix_i[6:5]);
        // FAULT(narrow_words, encoding): if (named.mem.op inside {MemLoad, MemStore})
        //     u.more.words = prefix_i[4:3];
        if (u.mem.width == 2'd2 && named.mem.op inside {MemLoad, MemStore}) u.more.words = prefix_i[4:3];
      end
      if (u.more.words != '0) begin
        if (named.two_parts) illegal = 1'b1;
        if (named.mem.op == MemStore) u.more.extra[named.mem.data_src3 ? 3 : 2] = 3'(u.more.words);
        else begin
          u.more.extra[0] = 3'(u.more.words);
          // The first word may be lost in x0; the others are not.
          // FAULT(words_lost_with_x0, lost_event): named.write_x
          if (!named.is_vector) u.write_x = 1'b1;
        end
      end
    end

    // All registers of the sources are read, one each pass.
    u.more.passes = u.more.extra[1] | u.more.extra[2] | u.more.extra[3];

    if (named.ctl.kind == CtlIllegal) u.more = '0;
    else if (illegal) begin
      u = '0;
      u.pc = pc_i;
      u.word = word_i;
      u.prefix = has_prefix_i ? prefix_i : '0;
      u.has_prefix = has_prefix_i;
      u.ctl.kind = CtlIllegal;
    end
  end

  assign uop_o = u;

endmodule
