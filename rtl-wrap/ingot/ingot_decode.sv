// Decoder: one instruction, with its prefix where it has one.  Purely combinational.
//
// An illegal instruction issues and stops its warp.
//
// The rounding mode is resolved here. An instruction that writes frm holds the front end of its warp, so that
// frm_i has the value that the instruction must use.
module ingot_decode
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
(
  input  logic [31:0] pc_i,  // Address of the instruction itself
  input  logic [31:0] word_i,
  input  logic [31:0] prefix_i,
  input  logic        has_prefix_i,
  input  logic        error_i,  // The fetch failed
  input  logic        lmul2_i,  // The instructions of the V extension work on groups of two registers
  input  logic        vill_i,  // Where vtype is illegal: an instruction that depends on it is illegal
  input  logic [2:0]  frm_i,  // 5 to 7 are reserved: an instruction that rounds by frm is illegal
  output uop_t        uop_o
);

  localparam logic [6:0] OpLoad = 7'h03;
  localparam logic [6:0] OpLoadV = 7'h07;
  localparam logic [6:0] OpCustom0 = 7'h0b;
  localparam logic [6:0] OpFence = 7'h0f;
  localparam logic [11:0] CsrPrint = 12'h80b;
  localparam logic [6:0] OpImm = 7'h13;
  localparam logic [6:0] OpAuipc = 7'h17;
  localparam logic [6:0] OpStore = 7'h23;
  localparam logic [6:0] OpStoreV = 7'h27;
  localparam logic [6:0] OpPrivate = 7'h2b;
  localparam logic [6:0] OpAmo = 7'h2f;
  localparam logic [6:0] OpReg = 7'h33;
  localparam logic [6:0] OpLui = 7'h37;
  localparam logic [6:0] OpFmadd = 7'h43;
  localparam logic [6:0] OpFmsub = 7'h47;
  localparam logic [6:0] OpFnmsub = 7'h4b;
  localparam logic [6:0] OpFnmadd = 7'h4f;
  localparam logic [6:0] OpFp = 7'h53;
  localparam logic [6:0] OpVector = 7'h57;
  localparam logic [6:0] OpSimt = 7'h5b;
  localparam logic [6:0] OpBranch = 7'h63;
  localparam logic [6:0] OpJalr = 7'h67;
  localparam logic [6:0] OpJal = 7'h6f;
  localparam logic [6:0] OpSystem = 7'h73;
  localparam logic [6:0] OpMem12 = 7'h7b;

  // Register extensions (ISA manual, 4.2.2), and those for pairs (4.2.3). REGEXTI and REGPAIRI have no fields
  // x1 and x3.
  logic ext_imm, pair;
  logic [2:0] x3, x2, x1, xd;
  logic [5:0] imm_high;
  assign ext_imm = has_prefix_i && prefix_i[13:12] == 2'b11;
  assign pair = has_prefix_i && prefix_i[14];
  assign imm_high = prefix_i[31:26];
  always_comb begin
    x3 = '0;
    x2 = '0;
    x1 = '0;
    xd = '0;
    if (has_prefix_i) begin
      xd = prefix_i[22:20];
      if (ext_imm) begin
        // FAULT(regexti_x2, encoding): 3'b000
        x2 = prefix_i[25:23];
      end else begin
        x3 = prefix_i[31:29];
        // FAULT(regext_x2, encoding): 3'b000
        x2 = prefix_i[28:26];
        x1 = prefix_i[25:23];
      end
    end
  end

  // Five-bit immediates, which REGEXTI extends to eleven bits.
  logic [31:0] simm5, uimm5, shamt;
  // FAULT(simm5_sign, encoding): ext_imm ? {{21{prefix_i[31]}}, imm_high, word_i[19:15]}
  //     : {27'b0, word_i[19:15]}
  assign simm5 = ext_imm ? {{21{prefix_i[31]}}, imm_high, word_i[19:15]} : {{27{word_i[19]}}, word_i[19:15]};
  // FAULT(uimm5_not_extended, encoding): {27'b0, word_i[19:15]}
  assign uimm5 = ext_imm ? {21'b0, imm_high, word_i[19:15]} : {27'b0, word_i[19:15]};
  assign shamt = {27'b0, word_i[24:20]};

  logic [31:0] imm_i, imm_s, imm_b, imm_j, imm_u, imm_u12, imm_pl, imm_ps;
  assign imm_i = {{20{word_i[31]}}, word_i[31:20]};
  assign imm_s = {{20{word_i[31]}}, word_i[31:25], word_i[11:7]};
  assign imm_b = {{20{word_i[31]}}, word_i[7], word_i[30:25], word_i[11:8], 1'b0};
  assign imm_j = {{12{word_i[31]}}, word_i[19:12], word_i[20], word_i[30:21], 1'b0};
  assign imm_u = {word_i[31:12], 12'b0};
  // FAULT(vadd12_signed, encoding): {{20{word_i[31]}}, word_i[31:20]}
  assign imm_u12 = {20'b0, word_i[31:20]};
  assign imm_pl = {{21{word_i[30]}}, word_i[30:20]};
  assign imm_ps = {{21{word_i[30]}}, word_i[30:25], word_i[11:7]};

  logic [2:0] f3;
  logic [5:0] f6;
  logic [6:0] f7;
  logic vm;
  assign f3 = word_i[14:12];
  assign f6 = word_i[31:26];
  assign f7 = word_i[31:25];
  assign vm = word_i[25];

  logic rs1_zero, rd_zero;
  assign rs1_zero = {x1, word_i[19:15]} == '0;
  assign rd_zero = {xd, word_i[11:7]} == '0;

  // CSRs that exist, and those that an instruction may write.
  logic csr_exists, csr_read_only;
  always_comb begin
    csr_exists = 1'b1;
    csr_read_only = word_i[31:30] == 2'b11;
    case (word_i[31:20]) inside
      [12'h001 : 12'h003], [12'h008 : 12'h00a], 12'h00f, 12'h300, 12'h305, 12'h340: ;
      [12'h800 : 12'h80a]: csr_read_only = 1'b1;
      12'h80b, 12'h80c, [12'hc20 : 12'hc22]: ;
      default: csr_exists = 1'b0;
    endcase
  end

  // The rounding mode of a scalar instruction is in its word, where 7 means frm; that of a vector instruction
  // is frm.
  logic [2:0] scalar_rm;
  // FAULT(static_rm, rounding): frm_i
  assign scalar_rm = f3 == 3'd7 ? frm_i : f3;
  function automatic logic rm_reserved(logic [2:0] rm);
    return rm > 3'd4;
  endfunction
  function automatic rm_e rm_of(logic [2:0] rm);
    return rm_reserved(rm) ? RmRne : rm_e'(rm);
  endfunction

  logic illegal, has_imm5, pair_data_odd;
  logic [1:0] eew;
  uop_t u;

  always_comb begin
    illegal = 1'b0;
    has_imm5 = 1'b0;
    pair_data_odd = 1'b0;
    eew = 2'd2;
    u = '0;
    // The units refuse an instruction that does not choose its operation.
    u.alu.op = AluNone;
    u.mem.op = MemNone;
    u.csr.op = CsrNone;
    u.fp.fpu.op.kind = FmaNone;
    u.fp.fmisc = FmiscNone;
    u.pc = pc_i;
    u.word = word_i;
    u.prefix = has_prefix_i ? prefix_i : '0;
    u.has_prefix = has_prefix_i;
    u.rs1 = {x1, word_i[19:15]};
    u.rs2 = {x2, word_i[24:20]};
    // FAULT(regext_x3, encoding): {3'b000, word_i[11:7]}
    u.rs3 = {x3, word_i[11:7]};
    u.rd = {xd, word_i[11:7]};
    u.imm = imm_i;

    unique case (word_i[6:0])
      OpLui, OpAuipc: begin
        u.dest_unit = UnitAlu;
        u.alu.op = AluAdd;
        u.a_sel = word_i[5] ? AZero : APc;
        u.b_sel = BImm;
        u.imm = imm_u;
        u.write_x = 1'b1;
      end

      OpJal, OpJalr: begin
        u.dest_unit = UnitAlu;
        u.alu.op = AluAdd;
        u.a_sel = APc;
        u.b_sel = BFour;
        u.write_x = 1'b1;
        u.ctl.kind = word_i[3] ? CtlJal : CtlJalr;
        if (word_i[3]) u.imm = imm_j;
        else begin
          u.use1 = UseX;
          illegal = f3 != 3'b000;
        end
      end

      OpBranch: begin
        u.ctl.kind = CtlBranch;
        u.ctl.cond = f3;
        u.imm = imm_b;
        u.use1 = UseX;
        u.use2 = UseX;
        illegal = f3 inside {3'b010, 3'b011};
      end

      OpLoad, OpStore: begin
        u.dest_unit = UnitLsu;
        u.mem.mode = MemScalar;
        u.mem.op = word_i[5] ? MemStore : MemLoad;
        u.mem.width = f3[1:0];
        // FAULT(lbu_signed, encoding): f3[2] && f3[0]
        u.mem.is_unsigned = f3[2];
        u.use1 = UseX;
        if (word_i[5]) begin
          u.use2 = UseX;
          u.imm = imm_s;
          illegal = f3 > 3'b010;
        end else begin
          u.write_x = 1'b1;
          illegal = f3 inside {3'b011, 3'b110, 3'b111};
        end
      end

      OpImm, OpReg: begin
        u.dest_unit = UnitAlu;
        u.write_x = 1'b1;
        u.use1 = UseX;
        u.a_sel = ASrc1;
        u.b_sel = BImm;
        if (word_i[5]) begin
          u.use2 = UseX;
          u.b_sel = BSrc2;
        end
        unique case (f3)
          3'b000: u.alu.op = (word_i[5] && f7[5]) ? AluSub : AluAdd;
          3'b001: u.alu.op = AluSll;
          3'b010: u.alu.op = AluLt;
          3'b011: u.alu.op = AluLtu;
          3'b100: u.alu.op = AluXor;
          3'b101: u.alu.op = f7[5] ? AluSra : AluSrl;
          3'b110: u.alu.op = AluOr;
          3'b111: u.alu.op = AluAnd;
        endcase
        if (!word_i[5]) begin
          if (f3[1:0] == 2'b01) begin
            u.imm = shamt;
            has_imm5 = 1'b1;
            illegal = !(f7 == 7'h00 || (f7 == 7'h20 && f3[2]));
          end
        end else if (f7 == 7'h01) begin
          u.dest_unit = f3[2] ? UnitDiv : UnitMul;
          u.mul.high = f3[1:0] != 2'b00;
          u.mul.a_signed = f3[1:0] != 2'b11;
          u.mul.b_signed = f3[1:0] == 2'b01;
          u.div.is_signed = !f3[0];
          u.div.remainder = f3[1];
        end else begin
          illegal = !(f7 == 7'h00 || (f7 == 7'h20 && f3 inside {3'b000, 3'b101}));
        end
      end

      OpAmo: begin
        u.dest_unit = UnitLsu;
        u.mem.mode = MemScalar;
        u.mem.width = 2'd2;
        u.imm = '0;
        u.use1 = UseX;
        u.use2 = UseX;
        u.write_x = 1'b1;
        unique case (word_i[31:27])
          5'b00010: begin
            u.mem.op = MemLr;
            u.use2 = UseNone;
            illegal = word_i[24:20] != '0;
          end
          5'b00011: u.mem.op = MemSc;
          5'b00001: u.mem.op = MemAmoSwap;
          5'b00000: u.mem.op = MemAmoAdd;
          5'b00100: u.mem.op = MemAmoXor;
          5'b01100: u.mem.op = MemAmoAnd;
          5'b01000: u.mem.op = MemAmoOr;
          5'b10000: u.mem.op = MemAmoMin;
          5'b10100: u.mem.op = MemAmoMax;
          5'b11000: u.mem.op = MemAmoMinu;
          5'b11100: u.mem.op = MemAmoMaxu;
          default: illegal = 1'b1;
        endcase
        if (f3 != 3'b010) illegal = 1'b1;
      end

      // The LSU works in order: a fence only waits for the accesses in flight.
      OpFence: begin
        // FAULT(fence_waits_for_nothing, memory_order): u.drain_mem = 1'b0;
        u.drain_mem = 1'b1;
        illegal = f3 != 3'b000;
      end

      OpSystem: begin
        u.dest_unit = UnitCsr;
        u.ctl.kind = CtlCsr;
        u.write_x = 1'b1;
        u.csr.addr = word_i[31:20];
        u.csr.use_imm = f3[2];
        u.imm = uimm5;
        has_imm5 = f3[2];
        if (!f3[2]) u.use1 = UseX;
        unique case (f3[1:0])
          2'b01: u.csr.op = CsrWrite;
          2'b10: u.csr.op = CsrSet;
          2'b11: u.csr.op = CsrClear;
          default: illegal = 1'b1;
        endcase
        u.csr.write = f3[1:0] == 2'b01 || !(f3[2] ? uimm5 == '0 : rs1_zero);
        // Results set vxsat and fflags.
        // FAULT(fcsr_early, hazard): if (word_i[31:20] inside {CsrVxsat, CsrVcsr, CsrFflags})
        //     u.drain_regs = 1'b1;
        if (set_by_results(word_i[31:20])) u.drain_regs = 1'b1;
        if (word_i[31:20] == CsrPrint && u.csr.write) u.drain_mem = 1'b1;
        if (!csr_exists || (u.csr.write && csr_read_only)) illegal = 1'b1;
      end

      OpCustom0: begin
        unique case (f3)
          3'b000, 3'b001: begin  // vadd12.vi, vsub12.vi
            u.dest_unit = UnitAlu;
            u.alu.op = f3[0] ? AluSub : AluAdd;
            u.a_sel = ASrc1;
            u.b_sel = BImm;
            u.imm = imm_u12;
            u.use1 = UseV;
            u.write_v = 1'b1;
            u.is_vector = 1'b1;
          end
          3'b100: begin
            if (word_i == 32'h0000400b) begin
              u.ctl.kind = CtlExit;
              u.drain_all = 1'b1;
            end else if ((word_i & 32'hfdf07fff) == 32'h0400400b) begin
              // BARRIERSUB and scope 'work_item' are for one warp or one thread, which wait for nothing.
              // FAULT(scope_all_svm, encoding): if (!word_i[25] && !word_i[18]) u.ctl.kind = CtlBarrier;
              if (!word_i[25] && word_i[19:18] != 2'b01) u.ctl.kind = CtlBarrier;
              u.drain_mem = 1'b1;
            end else if (f6 == 6'b000011) begin  // vftta.vv
              u.dest_unit = UnitTensor;
              u.a_sel = ASrc2;
              u.is_vector = 1'b1;
              u.write_v = 1'b1;
              u.masked = !vm;
              u.use1 = UseV;
              u.use2 = UseV;
              u.use3 = UseV;
              u.fp.rm = rm_of(frm_i);
              illegal = rm_reserved(frm_i);
            end else begin
              illegal = 1'b1;
            end
          end
          3'b110: begin  // vfexp.v
            u.dest_unit = UnitSfu;
            u.a_sel = ASrc2;
            u.is_vector = 1'b1;
            u.write_v = 1'b1;
            u.masked = !vm;
            u.use2 = UseV;
            u.fp.rm = rm_of(frm_i);
            illegal = f6 != 6'b000010 || word_i[19:15] != '0 || rm_reserved(frm_i);
          end
          default: illegal = 1'b1;
        endcase
      end

      OpFmadd, OpFmsub, OpFnmsub, OpFnmadd: begin
        u.dest_unit = UnitFpu;
        u.write_x = 1'b1;
        u.use1 = UseX;
        u.use2 = UseX;
        u.use3 = UseX;
        u.rs3 = {x3, word_i[31:27]};
        u.a_sel = ASrc1;
        u.b_sel = BSrc2;
        u.fp.rm = rm_of(scalar_rm);
        u.fp.fpu.op.kind = FmaFma;
        u.fp.fpu.op.negate_product = word_i[3];
        // FAULT(fnmadd_signs, encoding): word_i[3] ^ word_i[2]
        u.fp.fpu.op.negate_addend = word_i[2];
        illegal = word_i[26:25] != 2'b00 || rm_reserved(scalar_rm);
      end

      OpFp: begin
        u.dest_unit = UnitFmisc;
        u.write_x = 1'b1;
        u.use1 = UseX;
        u.use2 = UseX;
        u.a_sel = ASrc1;
        u.b_sel = BSrc2;
        unique case (f7)
          7'h00, 7'h04, 7'h08: begin  // Instructions fadd, fsub, fmul
            u.dest_unit = UnitFpu;
            u.fp.rm = rm_of(scalar_rm);
            u.fp.fpu.op.kind = f7[3] ? FmaMul : FmaAdd;
            u.fp.fpu.op.negate_addend = f7[2];
            illegal = rm_reserved(scalar_rm);
          end
          7'h0c, 7'h2c: begin  // Instructions fdiv, fsqrt
            u.dest_unit = UnitFdiv;
            u.fp.rm = rm_of(scalar_rm);
            u.fp.fdiv.sqrt = f7[5];
            illegal = rm_reserved(scalar_rm);
            if (f7[5]) begin
              u.use2 = UseNone;
              if (word_i[24:20] != '0) illegal = 1'b1;
            end
          end
          7'h10: begin
            unique case (f3)
              3'b000: u.fp.fmisc = FmiscSgnj;
              3'b001: u.fp.fmisc = FmiscSgnjn;
              3'b010: u.fp.fmisc = FmiscSgnjx;
              default: illegal = 1'b1;
            endcase
          end
          7'h14: begin
            u.fp.fmisc = f3[0] ? FmiscMax : FmiscMin;
            illegal = f3[2:1] != '0;
          end
          7'h50: begin
            unique case (f3)
              3'b000: u.fp.fmisc = FmiscLe;
              3'b001: u.fp.fmisc = FmiscLt;
              3'b010: u.fp.fmisc = FmiscEq;
              default: illegal = 1'b1;
            endcase
          end
          7'h60, 7'h68: begin  // fcvt.w[u].s, fcvt.s.w[u]
            u.use2 = UseNone;
            u.fp.rm = rm_of(scalar_rm);
            if (f7[3]) u.fp.fmisc = word_i[20] ? FmiscFromUint : FmiscFromInt;
            else u.fp.fmisc = word_i[20] ? FmiscToUint : FmiscToInt;
            illegal = word_i[24:21] != '0 || rm_reserved(scalar_rm);
          end
          7'h70: begin
            u.use2 = UseNone;
            u.fp.fmisc = FmiscClass;
            illegal = word_i[24:20] != '0 || f3 != 3'b001;
          end
          default: illegal = 1'b1;
        endcase
      end

      OpSimt: begin
        unique case (f3)
          3'b010: begin
            u.ctl.kind = CtlJoin;
            illegal = word_i != 32'h0000205b;
          end
          3'b011: begin
            u.dest_unit = UnitCsr;
            u.ctl.kind = CtlCsr;
            u.csr.op = CsrSetrpc;
            u.use1 = UseX;
            u.write_x = 1'b1;
          end
          default: begin
            u.ctl.kind = CtlVbranch;
            u.ctl.cond = f3;
            u.imm = imm_b;
            u.use1 = UseV;
            u.use2 = UseV;
            u.is_vector = 1'b1;
          end
        endcase
      end

      OpMem12, OpPrivate: begin
        u.dest_unit = UnitLsu;
        u.is_vector = 1'b1;
        u.use1 = UseV;
        u.mem.is_unsigned = f3[2];
        u.mem.width = f3[1:0];
        if (word_i[6]) begin
          u.mem.mode = MemLane;
          u.mem.op = f3[1:0] == 2'b11 || f3 == 3'b110 ? MemStore : MemLoad;
          if (u.mem.op == MemStore) u.mem.width = f3 == 3'b110 ? 2'd2 : f3 == 3'b011 ? 2'd1 : 2'd0;
          u.imm = u.mem.op == MemStore ? imm_s : imm_i;
        end else begin
          u.mem.mode = MemPrivate;
          u.mem.op = word_i[31] ? MemStore : MemLoad;
          // FAULT(private_store_offset, encoding): imm_pl
          u.imm = word_i[31] ? imm_ps : imm_pl;
          illegal = word_i[31] ? f3 > 3'b010 : f3 inside {3'b011, 3'b110, 3'b111};
        end
        if (u.mem.op == MemStore) u.use2 = UseV;
        else u.write_v = 1'b1;
      end

      OpLoadV, OpStoreV: begin
        u.dest_unit = UnitLsu;
        u.is_vector = 1'b1;
        unique case (f3)
          3'b000: eew = 2'd0;
          3'b101: eew = 2'd1;
          3'b110: eew = 2'd2;
          default: illegal = 1'b1;
        endcase
        u.mem.width = eew;
        // FAULT(vle_signed, encoding): 1'b0
        u.mem.is_unsigned = 1'b1;
        u.mem.op = word_i[5] ? MemStore : MemLoad;
        u.mem.data_src3 = 1'b1;
        u.use1 = UseX;
        u.use3 = word_i[5] ? UseV : UseNone;
        u.write_v = !word_i[5];
        u.masked = !vm;
        unique case (word_i[27:26])
          2'b00: begin
            u.mem.mode = MemUnit;
            if (word_i[24:20] != '0) illegal = 1'b1;
          end
          2'b01, 2'b11: begin  // Indexed, ordered and unordered: lanes are ordered in both
            u.mem.mode = MemIndex;
            u.mem.index_width = eew;
            u.mem.width = 2'd2;
            u.use2 = UseV;
          end
          2'b10: begin
            u.mem.mode = MemStride;
            u.use2 = UseX;
          end
        endcase
        if (word_i[31:28] != '0 || vill_i) illegal = 1'b1;
      end

      OpVector: begin
        u.dest_unit = UnitAlu;
        u.is_vector = 1'b1;
        u.write_v = 1'b1;
        u.masked = !vm;
        u.a_sel = ASrc2;
        u.b_sel = BSrc1;
        u.use2 = UseV;
        unique case (f3)
          3'b000, 3'b001, 3'b010: u.use1 = UseV;
          3'b100, 3'b101, 3'b110: u.use1 = UseX;
          3'b011: begin
            u.b_sel = BImm;
            u.imm = simm5;
            has_imm5 = 1'b1;
          end
          default: ;
        endcase

        if (f3 == 3'b111) begin  // Instructions vsetvli, vsetivli, vsetvl
          u.dest_unit = UnitCsr;
          u.is_vector = 1'b0;
          u.write_v = 1'b0;
          u.write_x = 1'b1;
          u.masked = 1'b0;
          u.use2 = UseNone;
          u.ctl.kind = CtlCsr;
          u.csr.op = CsrVset;
          u.csr.addr = {1'b0, word_i[30:20]};
          u.csr.max_vl = rs1_zero && !rd_zero;
          // FAULT(vset_rd_not_extended, encoding): {u.csr.max_vl, u.csr.keep_vl} =
          //     {rs1_zero && word_i[11:7] != 5'd0, rs1_zero && word_i[11:7] == 5'd0};
          u.csr.keep_vl = rs1_zero && rd_zero;
          if (word_i[31:30] == 2'b11) begin
            u.csr.use_imm = 1'b1;
            u.csr.addr = {2'b0, word_i[29:20]};
            u.csr.max_vl = 1'b0;
            u.csr.keep_vl = 1'b0;
            u.imm = uimm5;
            has_imm5 = 1'b1;
          end else begin
            u.use1 = UseX;
            if (word_i[31]) begin
              u.csr.type_src2 = 1'b1;
              u.use2 = UseX;
              illegal = f7 != 7'h40;
            end
          end
        end else if (f3 inside {3'b000, 3'b100, 3'b011}) begin  // OPIVV, OPIVX, OPIVI
          unique case (f6)
            6'b000000: u.alu.op = AluAdd;
            6'b000010: u.alu.op = AluSub;
            6'b000011: u.alu.op = AluRsub;
            6'b000100: u.alu.op = AluMinu;
            6'b000101: u.alu.op = AluMin;
            6'b000110: u.alu.op = AluMaxu;
            6'b000111: u.alu.op = AluMax;
            6'b001001: u.alu.op = AluAnd;
            6'b001010: u.alu.op = AluOr;
            6'b001011: u.alu.op = AluXor;
            6'b010000: u.alu.op = AluAdc;
            6'b010001: u.alu.op = AluMadc;
            6'b010010: u.alu.op = AluSbc;
            6'b010011: u.alu.op = AluMsbc;
            6'b010111: u.alu.op = vm ? AluMove : AluMerge;
            6'b011000: u.alu.op = AluEq;
            6'b011001: u.alu.op = AluNe;
            6'b011010: u.alu.op = AluLtu;
            6'b011011: u.alu.op = AluLt;
            6'b011100: u.alu.op = AluLeu;
            6'b011101: u.alu.op = AluLe;
            6'b011110: u.alu.op = AluGtu;
            6'b011111: u.alu.op = AluGt;
            6'b100000: u.alu.op = AluSaddu;
            6'b100001: u.alu.op = AluSadd;
            6'b100010: u.alu.op = AluSsubu;
            6'b100011: u.alu.op = AluSsub;
            6'b100101: u.alu.op = AluSll;
            6'b100111: begin  // Instruction vsmul
              u.dest_unit = UnitMul;
              u.mul.fraction = 1'b1;
              u.mul.a_signed = 1'b1;
              u.mul.b_signed = 1'b1;
            end
            6'b101000: u.alu.op = AluSrl;
            6'b101001: u.alu.op = AluSra;
            6'b101010: u.alu.op = AluSsrl;
            6'b101011: u.alu.op = AluSsra;
            default: illegal = 1'b1;
          endcase
          // Not every operation has all three forms.
          unique case (f3)
            3'b000: if (f6 inside {6'b000011, 6'b011110, 6'b011111}) illegal = 1'b1;
            3'b011:
            if (f6 inside {6'b000010, 6'b000100, 6'b000101, 6'b000110, 6'b000111, 6'b010010, 6'b010011,
                           6'b011010, 6'b011011, 6'b100010, 6'b100011, 6'b100111})
              illegal = 1'b1;
            default: ;
          endcase
          // FAULT(compare_signed, encoding): simm5
          if (f3 == 3'b011 && f6 inside {6'b011100, 6'b011110}) u.imm = uimm5;
          if (f3 == 3'b011 && f6 inside {6'b100101, [6'b101000 : 6'b101011]}) u.imm = uimm5;
          if (f6 inside {6'b010000, 6'b010001, 6'b010010, 6'b010011, 6'b010111}) begin
            u.alu.carry = !vm;
            // FAULT(merge_masked, mask): !vm
            u.masked = 1'b0;
            if (vm && !f6[0]) illegal = 1'b1;  // The rows vadc and vsbc always have a carry
            if (f6 == 6'b010111 && vm) begin  // vmv.v.*
              u.use2 = UseNone;
              if (word_i[24:20] != '0) illegal = 1'b1;
            end
          end
        end else if (f3 inside {3'b010, 3'b110}) begin  // OPMVV, OPMVX
          unique case (f6) inside
            6'b010000: begin
              u.use1 = UseNone;
              u.use2 = UseNone;
              if (!vm) illegal = 1'b1;
              if (f3[2]) begin  // vmv.s.x is vmv.v.x
                u.alu.op = AluMove;
                u.use1 = UseX;
                if (word_i[24:20] != '0) illegal = 1'b1;
              end else begin  // vmv.x.s
                u.alu.op = AluPick;
                u.use2 = UseV;
                u.write_v = 1'b0;
                u.write_x = 1'b1;
                if (word_i[19:15] != '0) illegal = 1'b1;
              end
            end
            [6'b001000 : 6'b001011]: begin
              unique case (f6[1:0])
                2'b00: u.alu.op = AluAaddu;
                2'b01: u.alu.op = AluAadd;
                2'b10: u.alu.op = AluAsubu;
                2'b11: u.alu.op = AluAsub;
              endcase
            end
            6'b010100: begin  // vid.v
              u.alu.op = AluElement;
              u.use1 = UseNone;
              u.use2 = UseNone;
              if (f3[2] || word_i[24:15] != 10'b00000_10001) illegal = 1'b1;
            end
            [6'b011000 : 6'b011111]: begin  // Mask logic: whole elements
              if (f3[2] || !vm) illegal = 1'b1;
              unique case (f6[2:0])
                3'b000: u.alu.op = AluAndn;
                3'b001: u.alu.op = AluAnd;
                3'b010: u.alu.op = AluOr;
                3'b011: u.alu.op = AluXor;
                3'b100: u.alu.op = AluOrn;
                3'b101: u.alu.op = AluNand;
                3'b110: u.alu.op = AluNor;
                3'b111: u.alu.op = AluXnor;
              endcase
            end
            [6'b100000 : 6'b100011]: begin
              u.dest_unit = UnitDiv;
              u.div.is_signed = f6[0];
              u.div.remainder = f6[1];
            end
            [6'b100100 : 6'b100111]: begin
              u.dest_unit = UnitMul;
              u.mul.high = f6[1:0] != 2'b01;
              u.mul.a_signed = f6[1];
              // FAULT(vmulhsu_signs, encoding): f6[1]
              u.mul.b_signed = f6[1:0] == 2'b11;
            end
            6'b101001, 6'b101011, 6'b101101, 6'b101111: begin  // Instructions vmadd, vnmsub, vmacc, vnmsac
              u.dest_unit = UnitMul;
              u.use3 = UseV;
              u.mul.add = 1'b1;
              u.mul.negate = f6[1];
              u.mul.times_src3 = !f6[2];
            end
            default: illegal = 1'b1;
          endcase
        end else begin  // OPFVV, OPFVF
          u.dest_unit = UnitFmisc;
          u.fp.rm = rm_of(frm_i);
          unique case (f6) inside
            6'b000000, 6'b000010, 6'b100111: begin  // Instructions vfadd, vfsub, vfrsub
              u.dest_unit = UnitFpu;
              u.fp.fpu.op.kind = FmaAdd;
              // FAULT(vfrsub_sign, encoding): 1'b0
              u.fp.fpu.op.negate_product = f6[0];
              u.fp.fpu.op.negate_addend = f6[1] && !f6[0];
              if (f6[0] && !f3[2]) illegal = 1'b1;
            end
            6'b000100: u.fp.fmisc = FmiscMin;
            6'b000110: u.fp.fmisc = FmiscMax;
            6'b001000: u.fp.fmisc = FmiscSgnj;
            6'b001001: u.fp.fmisc = FmiscSgnjn;
            6'b001010: u.fp.fmisc = FmiscSgnjx;
            6'b010000: begin
              u.dest_unit = UnitAlu;
              u.use1 = UseNone;
              u.use2 = UseNone;
              if (!vm) illegal = 1'b1;
              if (f3[2]) begin  // vfmv.s.f is vfmv.v.f
                u.alu.op = AluMove;
                u.use1 = UseX;
                if (word_i[24:20] != '0) illegal = 1'b1;
              end else begin  // vfmv.f.s
                u.alu.op = AluPick;
                u.use2 = UseV;
                u.write_v = 1'b0;
                u.write_x = 1'b1;
                if (word_i[19:15] != '0) illegal = 1'b1;
              end
            end
            6'b010111: begin  // vfmerge.vfm, vfmv.v.f
              u.dest_unit = UnitAlu;
              u.alu.op = vm ? AluMove : AluMerge;
              u.alu.carry = !vm;
              u.masked = 1'b0;
              if (vm) begin
                u.use2 = UseNone;
                if (word_i[24:20] != '0) illegal = 1'b1;
              end
              if (!f3[2]) illegal = 1'b1;
            end
            6'b010010: begin  // Conversions
              u.use1 = UseNone;
              unique case (word_i[19:15])
                5'b00000, 5'b00110: u.fp.fmisc = FmiscToUint;
                5'b00001, 5'b00111: u.fp.fmisc = FmiscToInt;
                5'b00010: u.fp.fmisc = FmiscFromUint;
                5'b00011: u.fp.fmisc = FmiscFromInt;
                default: illegal = 1'b1;
              endcase
              // FAULT(rtz_by_frm, rounding): u.fp.rm = rm_of(frm_i);
              if (word_i[17]) u.fp.rm = RmRtz;
              if (f3[2]) illegal = 1'b1;
            end
            6'b010011: begin
              u.use1 = UseNone;
              unique case (word_i[19:15])
                5'b00000: begin
                  u.dest_unit = UnitFdiv;
                  u.fp.fdiv.sqrt = 1'b1;
                end
                5'b00100: u.fp.fmisc = FmiscRsqrt7;
                5'b00101: u.fp.fmisc = FmiscRec7;
                5'b10000: u.fp.fmisc = FmiscClass;
                default: illegal = 1'b1;
              endcase
              if (f3[2]) illegal = 1'b1;
            end
            6'b011000: u.fp.fmisc = FmiscEq;
            6'b011001: u.fp.fmisc = FmiscLe;
            6'b011011: u.fp.fmisc = FmiscLt;
            6'b011100: u.fp.fmisc = FmiscNe;
            6'b011101: begin
              u.fp.fmisc = FmiscGt;
              if (!f3[2]) illegal = 1'b1;
            end
            6'b011111: begin
              u.fp.fmisc = FmiscGe;
              if (!f3[2]) illegal = 1'b1;
            end
            6'b100000, 6'b100001: begin  // Instructions vfdiv, vfrdiv
              u.dest_unit = UnitFdiv;
              u.fp.fdiv.reverse = f6[0];
              if (f6[0] && !f3[2]) illegal = 1'b1;
            end
            6'b100100: begin
              u.dest_unit = UnitFpu;
              u.fp.fpu.op.kind = FmaMul;
            end
            // Instructions vfmadd, vfnmadd, vfmsub, vfnmsub, then the same for vfmacc
            [6'b101000 : 6'b101111]: begin
              u.dest_unit = UnitFpu;
              u.use3 = UseV;
              u.fp.fpu.op.kind = FmaFma;
              u.fp.fpu.op.negate_product = f6[0];
              // FAULT(vfnmacc_signs, encoding): f6[1]
              u.fp.fpu.op.negate_addend = f6[1] ^ f6[0];
              u.fp.fpu.times_src3 = !f6[2];
            end
            default: illegal = 1'b1;
          endcase
          if (rm_reserved(frm_i)) illegal = 1'b1;
        end
        if (vill_i && f3 != 3'b111) illegal = 1'b1;
      end

      default: illegal = 1'b1;
    endcase

    // A third operand that is also the vector destination: x3 is ignored.
    // FAULT(third_apart, encoding): {x3, word_i[11:7]}
    if (u.write_v) u.rs3 = {xd, word_i[11:7]};

    // Register numbers of groups are even.  An instruction that writes a scalar does not use groups.
    // FAULT(custom_on_groups, encoding): lmul2_i && u.is_vector && !u.write_x && u.ctl.kind == CtlNone
    u.two_parts = lmul2_i && word_i[6:0] inside {OpVector, OpLoadV, OpStoreV} && u.is_vector && !u.write_x;
    if (u.two_parts && ((u.use1 == UseV && u.rs1[0]) || (u.use2 == UseV && u.rs2[0]) ||
                        (u.use3 == UseV && u.rs3[0]) || (u.write_v && u.rd[0])))
      illegal = 1'b1;

    // Within a warp only loads may overtake, and only other loads.
    // FAULT(amo_overtaken, memory_order): u.mem.op == MemStore
    u.mem.ordered = u.mem.op != MemLoad;

    // Pairs: 64-bit addresses, two words. LR, SC and AMOs move one word. Under LMUL 2 the next register is
    // part of the group.
    if (pair) begin
      if (u.dest_unit != UnitLsu) illegal = 1'b1;
      u.mem.base_pair = !u.rs1[0];
      if (u.mem.op == MemLoad) pair_data_odd = u.rd[0];
      else pair_data_odd = u.mem.data_src3 ? u.rs3[0] : u.rs2[0];
      u.mem.data_pair = u.mem.width == 2'd2 && u.mem.op inside {MemLoad, MemStore} && !pair_data_odd;
      if (u.mem.data_pair && u.two_parts) illegal = 1'b1;
    end

    // A prefix must not extend fields that the instruction does not have.
    if ((x1 != '0 && u.use1 == UseNone) || (x2 != '0 && u.use2 == UseNone) ||
        (x3 != '0 && u.use3 == UseNone) || (xd != '0 && !u.write_x && !u.write_v) ||
        (ext_imm && imm_high != '0 && !has_imm5))
      illegal = 1'b1;

    u.use_v0 = u.masked || u.alu.carry;

    // Scalar register numbers have six bits. A write of x0 is dropped, with two exceptions: the upper word of
    // a pair goes to x1, and the scoreboard must track an instruction that raises flags.
    if ((u.use1 == UseX && u.rs1[7:6] != '0) || (u.use2 == UseX && u.rs2[7:6] != '0) ||
        (u.use3 == UseX && u.rs3[7:6] != '0) || (u.write_x && u.rd[7:6] != '0))
      illegal = 1'b1;
    if (u.write_x) begin
      if (u.rd == '0 && !u.mem.data_pair && !is_fp_unit(u.dest_unit)) begin
        u.write_x = 1'b0;
        if (u.dest_unit inside {UnitAlu, UnitMul, UnitDiv}) u.dest_unit = UnitNone;
      end
    end

    if (illegal || error_i) begin
      u.dest_unit = UnitNone;
      u.ctl.kind = CtlIllegal;
      u.use1 = UseNone;
      u.use2 = UseNone;
      u.use3 = UseNone;
      u.use_v0 = 1'b0;
      u.two_parts = 1'b0;
      u.masked = 1'b0;
      u.write_x = 1'b0;
      u.write_v = 1'b0;
      u.drain_mem = 1'b0;
      u.drain_regs = 1'b0;
      u.drain_all = 1'b0;
      if (error_i) u.word = '0;
    end
  end

  assign uop_o = u;

endmodule
