// Types that the modules of ingot share. They do not depend on the parameters of the core; ingot_sm has the
// structures that do, and passes them on as type parameters.
package ingot_pkg;

  import ingot_fp_pkg::*;

  localparam int unsigned MaxWarp = 16;
  localparam int unsigned NumX = 64;  // Scalar registers per warp
  localparam int unsigned NumV = 256;  // Vector registers per warp
  localparam int unsigned RegGranule = 8;  // Registers are allocated to warps in multiples of this
  localparam int unsigned LineWords = 4;  // Instruction words per fetch

  localparam logic [3:0] LdsWindow = 4'h7;  // Addresses 0x7xxxxxxx are the workgroup's local memory

  // Width of an index into n things; at least one bit.
  function automatic int unsigned index_width(int unsigned n);
    return n > 1 ? $clog2(n) : 1;
  endfunction

  // Registers that a warp is given: as many as its kernel uses (0: all), in whole granules.
  function automatic logic [31:0] registers(logic [31:0] used, int unsigned all);
    // FAULT(granule_rounds_down, resource_limit): used == '0 ? all : used / RegGranule * RegGranule
    return used == '0 ? all : (used + RegGranule - 1) / RegGranule * RegGranule;
  endfunction

  // The features of a profile of the ISA that the core asks for.
  typedef struct packed {
    logic [63:0] name;  // Name of the profile; '0: there is no such profile
    logic regpair;  // REGPAIR and REGPAIRI
    logic prefix;  // PREFIX, PREFIXI and PRE_M_*: further registers of operands, several words, spaces
    logic widths;  // Elements of 8 and 16 bits by SEW; those and pairs have a unit of their own, ingot_wide
    logic passes;  // Instructions that issue once for each register of their sources
    logic toolchain;  // Profile public: shuffles, CSRs of lanes, 16-bit floats, special functions, matrices
  } features_t;

  // A row for each value of the parameter PROFILE.
  function automatic features_t features_of(int unsigned profile);
    unique case (profile)
      202: return '{name: "v2.02", regpair: 1'b1, default: '0};
      203: return '{name: "v2.03", prefix: 1'b1, widths: 1'b1, passes: 1'b1, default: '0};
      2026: return '{name: "public", regpair: 1'b1, passes: 1'b1, toolchain: 1'b1, default: '0};
      default: return '0;
    endcase
  endfunction

  // Identity of an instruction. It goes with every operation, so that the probe can name the instruction at
  // writeback.
  typedef struct packed {
    logic [31:0] epoch;  // Launches of this warp slot before this one
    logic [31:0] seq;  // Instructions that this launch issued before this one
  } tag_t;

  // The unit that produces an instruction's result; UnitNone for those without one.
  typedef enum logic [3:0] {
    UnitNone,
    UnitAlu,
    UnitMul,
    UnitDiv,
    UnitLsu,
    UnitCsr,
    UnitFpu,
    UnitFdiv,
    UnitFmisc,
    UnitSfu,
    UnitTensor,
    UnitWide,  // Elements of other than 32 bits
    UnitHalf,  // 16-bit floats of profile public
    UnitSpecial,
    UnitMatrix
  } unit_e;

  // The units that raise flags, even for an instruction that writes x0.
  function automatic logic is_fp_unit(unit_e unit);
    return unit >= UnitFpu;
  endfunction

  // Indices of the same units, without UnitNone, in vectors with one element for each unit.
  localparam int unsigned ResAlu = 0;
  localparam int unsigned ResMul = 1;
  localparam int unsigned ResDiv = 2;
  localparam int unsigned ResLsu = 3;
  localparam int unsigned ResCsr = 4;
  localparam int unsigned ResFpu = 5;  // This unit and those after it raise flags
  localparam int unsigned ResFdiv = 6;
  localparam int unsigned ResFmisc = 7;
  localparam int unsigned ResSfu = 8;
  localparam int unsigned ResTensor = 9;
  localparam int unsigned NumUnit = 10;
  localparam int unsigned ResWide = 10;  // A core with other widths has this one as well
  // A core of profile public has these.
  localparam int unsigned ResHalf = 10;
  localparam int unsigned ResSpecial = 11;
  localparam int unsigned ResMatrix = 12;
  localparam int unsigned NumUnitPublic = 13;

  localparam int unsigned MatrixThreads = 32;  // Lanes of a core that has matrix products

  // Where a register operand comes from.
  typedef enum logic [1:0] {
    UseNone,
    UseX,
    UseV
  } use_e;

  // The two operands that the arithmetic units see: a op b.
  typedef enum logic [1:0] {
    ASrc1,
    ASrc2,
    APc,
    AZero
  } a_sel_e;
  typedef enum logic [1:0] {
    BSrc1,
    BSrc2,
    BImm,
    BFour
  } b_sel_e;

  typedef enum logic [5:0] {
    AluAdd,
    AluSub,
    AluRsub,
    AluAnd,
    AluOr,
    AluXor,
    AluSll,
    AluSrl,
    AluSra,
    AluMin,
    AluMinu,
    AluMax,
    AluMaxu,
    AluEq,
    AluNe,
    AluLt,
    AluLtu,
    AluLe,
    AluLeu,
    AluGt,
    AluGtu,
    AluAdc,  // A + b + carry
    AluSbc,  // A - b - borrow
    AluMadc,  // Carry out of a + b + carry
    AluMsbc,  // Borrow out of a - b - borrow
    AluMerge,  // Carry ? b : a
    AluMove,  // Result b
    AluAndn,
    AluOrn,
    AluNand,
    AluNor,
    AluXnor,
    AluSaddu,  // Saturating
    AluSadd,
    AluSsubu,
    AluSsub,
    AluAaddu,  // Averaging, rounded by vxrm
    AluAadd,
    AluAsubu,
    AluAsub,
    AluSsrl,  // Scaling shifts, rounded by vxrm
    AluSsra,
    AluElement,  // The element's number
    AluPick,  // A of the highest active lane, as a scalar
    AluNone  // The decoder's: no operation was chosen, here and below
  } alu_op_e;

  typedef struct packed {
    alu_op_e op;
    logic carry;  // The carry (or merge select) is v0; otherwise it is 0
  } alu_ctrl_t;

  typedef struct packed {
    logic high;  // Upper half of the product
    logic a_signed;
    logic b_signed;
    logic add;  // Multiply-add: addend plus product, or minus product
    logic negate;
    logic fraction;  // For vsmul, the product of two fractions, rounded by vxrm, saturated
    logic times_src3;  // Computes b * src3 + src2 (vmadd) instead of b * src2 + src3 (vmacc)
  } mul_ctrl_t;

  typedef struct packed {
    logic is_signed;
    logic remainder;
  } div_ctrl_t;

  // Operation code of the data memory port.  The response to an SC is 0 where it succeeded.
  typedef enum logic [3:0] {
    MemLoad,
    MemStore,
    MemLr,
    MemSc,
    MemAmoSwap,
    MemAmoAdd,
    MemAmoXor,
    MemAmoAnd,
    MemAmoOr,
    MemAmoMin,
    MemAmoMax,
    MemAmoMinu,
    MemAmoMaxu,
    MemNone
  } mem_op_e;

  function automatic logic is_amo(mem_op_e op);
    return op inside {[MemAmoSwap : MemAmoMaxu]};
  endfunction

  // The value that an AMO writes to memory.
  function automatic logic [31:0] amo_result(mem_op_e op, logic [31:0] old, logic [31:0] operand);
    unique case (op)
      MemAmoSwap: return operand;
      MemAmoAdd: return old + operand;
      MemAmoXor: return old ^ operand;
      MemAmoAnd: return old & operand;
      MemAmoOr: return old | operand;
      MemAmoMin: return $signed(old) < $signed(operand) ? old : operand;
      MemAmoMax: return $signed(old) < $signed(operand) ? operand : old;
      MemAmoMinu: return old < operand ? old : operand;
      MemAmoMaxu: return old < operand ? operand : old;
      default: begin
        assert (1'b0);
        return '0;
      end
    endcase
  endfunction

  // The address of word k of a lane.  Without a 64-bit base addresses wrap at 32 bits.
  function automatic logic [63:0] word_address(logic [63:0] addr, logic [31:0] step, logic [31:0] k,
                                               logic wide);
    logic [63:0] sum;
    sum = addr + 64'(step) * 64'(k);
    return wide ? sum : {32'b0, sum[31:0]};
  endfunction

  // Whether a virtual address is in local memory.
  function automatic logic in_window(logic [63:28] addr);
    return addr == 36'(LdsWindow);
  endfunction

  // How a memory instruction computes the address of each lane.
  typedef enum logic [2:0] {
    MemScalar,  // At rs1 + imm, once
    MemLane,  // At vs1 + imm
    MemPrivate,  // At vs1 + imm, interleaved by thread
    MemUnit,  // At rs1 + element * bytes
    MemStride,  // At rs1 + element * rs2
    MemIndex  // At rs1 + low bits of vs2
  } mem_mode_e;

  typedef struct packed {
    mem_op_e op;
    logic ordered;  // Keeps its order with all accesses of its warp: true of all but plain loads
    logic [1:0] width;  // As log2 of the bytes
    logic is_unsigned;  // Narrow loads: zero-extend
    mem_mode_e mode;
    logic [1:0] index_width;  // As log2 of the bytes of an index
    logic data_src3;  // Store data is in vs3; otherwise in rs2 or vs2
    logic base_pair;  // 64-bit base: the upper half is in the next register
    logic data_pair;  // Two words: the upper one is in the next register
  } mem_ctrl_t;

  typedef enum logic [2:0] {
    CsrWrite,
    CsrSet,
    CsrClear,
    CsrVset,  // The rows vsetvli, vsetivli, vsetvl
    CsrSetrpc,
    CsrNone
  } csr_op_e;

  typedef struct packed {
    csr_op_e op;
    logic use_imm;  // The operand is an immediate (csrrwi, vsetivli)
    logic write;  // False for csrrs and csrrc with x0
    logic [11:0] addr;
    logic keep_vl;  // A vset with rs1 = x0 and rd = x0
    logic max_vl;  // A vset with rs1 = x0 and rd not x0
    logic type_src2;  // A vsetvl: vtype is in rs2
  } csr_ctrl_t;

  // Effect of an instruction on the control flow of its warp. All but CtlNone hold the front end of the warp
  // until the instruction is resolved.
  typedef enum logic [3:0] {
    CtlNone,
    CtlBranch,
    CtlJal,
    CtlJalr,
    CtlVbranch,
    CtlJoin,
    CtlBarrier,
    CtlExit,
    CtlIllegal,
    // A fetch that may not be executed: issues when the warp's accesses are done, as no instruction
    CtlPageFault,
    CtlCsr  // Continues at the next instruction after the CSR unit has executed this one
  } ctl_e;

  typedef struct packed {
    ctl_e kind;
    logic [2:0] cond;  // The funct3 of a branch
  } ctl_ctrl_t;

  // Width of an element.
  typedef enum logic [1:0] {
    W8,
    W16,
    W32,
    W64
  } width_e;

  // Address space of an access (prefixes PRE_M_*).
  typedef enum logic [1:0] {
    SpaceDefault,
    SpaceGlobal,
    SpacePrivate,
    SpaceLocal
  } space_e;

  // The part of a decoded instruction that widths, prefixes and passes have; 0 in a core without them.
  typedef struct packed {
    unit_e unit;  // UnitWide executes an operation of this unit
    width_e width;  // Width of the elements
    width_e result;  // Width of the result
    logic [2:0] twice;  // Bit s - 1: source s has twice the width
    logic [3:0][2:0] extra;  // Registers after the first one: [0] of the destination, [s] of source s
    // The instruction issues so many times more, with the next register of each source that has extra ones
    logic [2:0] passes;
    logic [2:0] pass;
    // Bit s - 1 of abs and neg is of source s, whose magnitude is taken, and then the negative.
    logic [2:0] abs;
    logic [2:0] neg;
    logic is_float;  // The operations abs and neg change the sign bit
    logic round_odd;
    logic [1:0] words;  // Words of an access of each lane, after the first
    space_e space;
  } more_t;

  // The lane whose operand a shuffle takes, by the lane's own number and an immediate.
  typedef enum logic [2:0] {
    ShuffleNone,  // No shuffle
    ShuffleXor,
    ShuffleIndex,  // The immediate
    ShuffleUp,  // Minus
    ShuffleDown  // Plus
  } shuffle_e;

  // How operand a becomes one of 32 bits.
  typedef enum logic [1:0] {
    ExtendNone,
    ExtendFloat,  // Of a binary16
    ExtendSigned,  // Of 16 bits
    ExtendUnsigned
  } extend_e;

  // The part of a decoded instruction that profile public has; 0 in a core without it.
  typedef struct packed {
    shuffle_e shuffle;
    extend_e extend;
    half_ctrl_t half;
    special_ctrl_t special;
    matrix_ctrl_t matrix;
  } toolchain_t;

  // A decoded instruction.
  typedef struct packed {
    logic [31:0] pc;
    logic [31:0] word;
    logic [31:0] prefix;
    logic has_prefix;

    unit_e dest_unit;
    a_sel_e a_sel;
    b_sel_e b_sel;
    logic [31:0] imm;
    alu_ctrl_t alu;
    mul_ctrl_t mul;
    div_ctrl_t div;
    mem_ctrl_t mem;
    csr_ctrl_t csr;
    ctl_ctrl_t ctl;
    fp_ctrl_t fp;

    use_e use1;
    use_e use2;
    use_e use3;
    logic use_v0;
    logic [7:0] rs1;
    logic [7:0] rs2;
    logic [7:0] rs3;
    logic [7:0] rd;
    logic write_x;  // True for x0 as well where the instruction raises flags: for the scoreboard
    logic write_v;

    logic is_vector;  // Executes under thread mask and vl
    logic two_parts;  // LMUL 2: issues once for each register of its groups
    logic part;  // This is the second part, with the second register of each group
    logic masked;  // With v0.t, v0 masks lanes
    logic drain_mem;  // Waits until the memory accesses of the warp are done
    logic drain_regs;  // Waits until the results of the warp are written
    logic drain_all;  // Waits for both
    more_t more;
    toolchain_t toolchain;
  } uop_t;

  // Destination of a result.
  typedef struct packed {
    tag_t tag;
    logic is_v;
    logic [7:0] rd;
  } dest_t;

  // One entry of a SIMT stack (ISA manual, 4.2.1).
  typedef struct packed {
    logic [31:0] rpc;
    logic [31:0] next;
    logic [31:0] mask;
  } simt_entry_t;

  // A workgroup as the host presents it.
  typedef struct packed {
    logic [31:0] index;  // Linear index in the grid
    logic [31:0] warps;
    logic [31:0] threads;
    logic [31:0] starts;  // Warps with a thread that starts
    logic [31:0] local_x;  // Work-items; live: those that start, x 0: all
    logic [31:0] local_y;
    logic [31:0] local_z;
    logic [31:0] items_x;  // Of the grid
    logic [31:0] items_y;
    logic [31:0] offset_x;  // The first global id
    logic [31:0] offset_y;
    logic [31:0] offset_z;
    logic [31:0] live_x;
    logic [31:0] live_y;
    logic [31:0] live_z;  // Per warp
    logic [31:0] pc;
    logic [31:0] knl;
    logic [31:0] wgid;
    logic [31:0] lds;
    logic [31:0] pds;
    logic [31:0] gdx;
    logic [31:0] gdy;
    logic [31:0] gdz;
    logic [31:0] lds_size;
    logic [31:0] sgprs;  // Registers that each warp uses; 0: all
    logic [31:0] vgprs;
  } workgroup_t;

  // The CSRs of one warp.
  typedef struct packed {
    logic [31:0] tid;
    logic [31:0] numw;
    logic [31:0] numt;
    logic [31:0] knl;
    logic [31:0] wgid;
    logic [31:0] wid;
    logic [31:0] lds;
    logic [31:0] pds;
    logic [31:0] gdx;
    logic [31:0] gdy;
    logic [31:0] gdz;
    logic [31:0] print;
    logic [31:0] rpc;
    fflags_t fflags;
    logic [2:0] frm;
    logic vxsat;
    logic [1:0] vxrm;
    logic vill;
    logic [7:0] vtype;
    logic [6:0] vl;
    logic [31:0] mstatus;
    logic [31:0] mtvec;
    logic [31:0] mscratch;
  } csrs_t;

  localparam logic [11:0] CsrFflags = 12'h001;
  localparam logic [11:0] CsrFcsr = 12'h003;
  localparam logic [11:0] CsrVxsat = 12'h009;
  localparam logic [11:0] CsrVcsr = 12'h00f;

  // Whether results of other instructions set that CSR.
  function automatic logic set_by_results(logic [11:0] addr);
    return addr inside {CsrVxsat, CsrVcsr, CsrFflags, CsrFcsr};
  endfunction

  // Whether that CSR has a value of each lane (profile public): csrr.v alone reads it.
  function automatic logic is_lane_csr(logic [11:0] addr);
    return addr inside {[12'h80d : 12'h813]};
  endfunction

  // The rounding increment by vxrm for a number whose lowest bits are dropped (V 1.0, 3.8). odd: the lowest
  // bit that is kept; half: the highest bit that is dropped; below: the OR of the other dropped bits.
  function automatic logic round_up(logic [1:0] vxrm, logic odd, logic half, logic below);
    unique case (vxrm)
      2'd0: return half;
      // FAULT(rne_ties_up, rounding): half
      2'd1: return half && (below || odd);
      2'd2: return 1'b0;
      2'd3: return !odd && (half || below);
    endcase
  endfunction

  // The value of a CSR as an instruction reads it. known: there is such a CSR; who reads it asserts that.
  function automatic logic [31:0] csr_read(csrs_t c, logic [11:0] addr, logic [31:0] vlenb,
                                           output logic known);
    known = 1'b1;
    unique case (addr)
      12'h001: return {27'b0, c.fflags};
      12'h002: return {29'b0, c.frm};
      12'h003: return {24'b0, c.frm, c.fflags};
      12'h008: return '0;  // CSR vstart
      12'h009: return {31'b0, c.vxsat};
      12'h00a: return {30'b0, c.vxrm};
      12'h00f: return {29'b0, c.vxrm, c.vxsat};
      12'h300: return c.mstatus;
      12'h305: return c.mtvec;
      12'h340: return c.mscratch;
      12'h800: return c.tid;
      12'h801: return c.numw;
      12'h802: return c.numt;
      12'h803: return c.knl;
      12'h804: return c.wgid;
      12'h805: return c.wid;
      12'h806: return c.lds;
      12'h807: return c.pds;
      12'h808: return c.gdx;
      12'h809: return c.gdy;
      12'h80a: return c.gdz;
      12'h80b: return c.print;
      12'h80c: return c.rpc;
      12'hc20: return {25'b0, c.vl};
      12'hc21: return {c.vill, 23'b0, c.vtype};
      12'hc22: return vlenb;
      default: begin
        known = 1'b0;
        return '0;
      end
    endcase
  endfunction

endpackage
