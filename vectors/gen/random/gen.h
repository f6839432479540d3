/* Random programs: the state of one, and what each part of random/ does for the others. random_make() owns
 * the state, on its stack; all parts read and change it. It points to the parameters, the table and the
 * program of random_make()'s caller, and owns no other memory. */
#ifndef KARAT_RANDOM_GEN_H
#define KARAT_RANDOM_GEN_H

#include "../random.h"

/* Operands of a theme are likely to have an effect together in one instruction. */
typedef enum theme {
    THEME_ANY,
    THEME_SPECIAL,  /* Zeros, infinities, NaNs */
    THEME_PRODUCTS, /* Products at the border of a range */
    THEME_LIMITS,   /* Floating point at the limits of the integers */
    THEME_CORNERS,  /* Corners of integers */
    THEME_DIGITS,   /* Numbers with all digits */
    NUM_THEMES
} theme;

/* THEME_PRODUCTS and THEME_SPECIAL have triples: two factors, and the number that their product is added
 * to. */
enum { PARTS = 3, TRIPLE = 4 * PARTS };

/* Device memory is the warps' regions, the table of operands, the words that all warps share, and the
 * function at the end. */
enum {
    LANES_BYTES = 128,
    REGION = RANDOM_REGION, /* Bytes of device memory; its base register points at the middle */
    LDS_REGION = 1024,      /* Bytes of local memory */
    PDS = 2560,             /* Bytes of private memory per thread; as many again for the next workgroup */
    SHARED = 32,      /* Bytes that all warps share, in device memory and in each workgroup's local memory */
    PART = 672,       /* Bytes of a theme's operands; nothing stores to them */
    PART_APART = 256, /* The warps begin at different places of a part, at most so far apart */
    TABLE_MIDDLE = NUM_THEMES * PART / 2,
    TABLE = NUM_THEMES * PART + LANES_BYTES,
    WIDE_VALUES = 96, /* Values, with as many as lanes after them */
    WIDE_NARROW =
        8 * (WIDE_VALUES + LANES_BYTES / 4), /* Place of those of 16 bits; before them are those of 64 bits */
    WIDE = 2 * WIDE_NARROW
};

enum {
    MAX_X = 24, /* Registers that all instructions may use */
    MAX_V = 48,
    HOT_X = 6, /* Some of them, which are used more often */
    HOT_V = 8,
    MOST_UNWRITTEN = 12,
    FRESH = 3, /* Registers that hold operands loaded from the table */
    SPOTS = 4,
    FAVOURITES = 8,     /* Rows that the program uses more often; the next seed has others */
    JAL_LENGTH = 50000, /* Instructions of a program, with prefixes, over all of which a JAL reaches */
    MOST_LEAVE = 3,
    MOST_FUNCTIONS = 8,
    FEW_LENGTH = 400 /* Instructions of a short program */
};

/* Memory that a base register points to. */
typedef enum space {
    GLOBAL, /* The warp's own region of device memory */
    LDS,
    NEIGHBOUR, /* The next warp's regions, which this warp reads only between barriers */
    LDS_NEIGHBOUR,
    SHARED_GLOBAL, /* Words that all warps use (with races) */
    SHARED_LDS,
    PRIVATE,
    NUM_SPACE
} space;

typedef struct rng {
    uint64_t state;
} rng;

typedef struct gen {
    const random_params *params;
    const row_table *table;
    prog *p;
    rng r;

    /* The launch (random.c) */
    uint32_t warps, groups, threads, max_vgprs;
    uint32_t lds_apart; /* Bytes of local memory from one warp's region to the next one's */

    /* Weights (random.c): of the kinds, of the units in "plain", and their sum */
    uint32_t weight[RANDOM_NUM_KINDS], plain_weight[KARAT_NUM_UNIT], plain_sum;
    const row_use *favourite[FAVOURITES];
    int32_t spot[SPOTS]; /* Offsets of many accesses */

    /* Registers with a fixed use (registers.c) */
    uint32_t num_x, num_v; /* Registers that a warp has */
    uint32_t base[NUM_SPACE];
    uint32_t address, address_pair,
        stride;                     /* Addresses and strides of one access; the pair's upper half is 0 */
    uint32_t sink;                  /* Results that nothing reads */
    uint32_t mask_global, mask_lds; /* Bits of an offset in a region */
    uint32_t counter[3], link[2];   /* Registers of loops and calls, by depth */
    uint32_t rpc;
    uint32_t vbase[3][2]; /* Vector addresses: of GLOBAL, LDS and private memory */
    uint32_t index[2];    /* Pairs of vector registers: indices of 32 bits and of less */
    uint32_t zero, vcounter[3];
    uint32_t vmixed; /* Vector addresses: some lanes in device memory, others in local memory */
    uint32_t vlocal; /* 64-bit ones of local memory, from CSR_LDS on, local_below too low; v2.03 */
    uint32_t vwide;  /* Addresses in the table of values by width; v2.03 */
    /* Registers of the pools one after the other, the first even: four in v2.03; eight for a matrix */
    uint32_t run_x, run_v;
    uint32_t local_below; /* Offsets in local memory are added to vlocal by 64-bit arithmetic that passes 0 */
    uint32_t index_above; /* Bits of 32-bit indices above those of an offset: bases are as much lower,
                             below 0; v2.03 */
    uint32_t vbelow;      /* 64-bit addresses of private memory (of the workgroup before, if any); 0: none */
    uint32_t table_base, vtable; /* Addresses in the table of operands */
    uint32_t fold, vfold;        /* The signature so far */
    /* Even vector registers, two each. Nothing writes the unwritten ones; their values go to unread alone. */
    uint32_t unwritten[MOST_UNWRITTEN], num_unwritten, next_unwritten, unread;

    /* Registers that all instructions may use (registers.c) */
    uint32_t x[MAX_X], v[MAX_V], x_hot[HOT_X], v_hot[HOT_V], num_pool_x, num_pool_v;
    uint32_t last_x, last_v; /* The registers written last */
    uint32_t fresh_x[FRESH], fresh_v[FRESH],
        next_fresh; /* The registers loaded last from the table of operands */

    uint32_t lmul, sew; /* Settings in effect at this place; sew: karat_width */

    /* Operands (draw.c). In THEME_PRODUCTS: exponents of one factor and of the product, and that factor's
     * significand. */
    int32_t of_one, of_both;
    uint32_t significand;
    bool many_products; /* Each triple draws its own */
    bool invalid;       /* THEME_SPECIAL: this triple is zero, infinity, NaN */
    uint32_t classes;   /* THEME_SPECIAL: bit i: class i is in use */

    /* Control flow (flow.c) */
    int32_t leave[MOST_LEAVE]; /* Jumps to the end */
    uint32_t num_leave, dead;  /* Number of words that never run */
    struct function {
        int32_t at;
        uint32_t lmul, arms;
    } functions[MOST_FUNCTIONS]; /* Functions for later calls */
    uint32_t num_functions;
    uint32_t edge;  /* Address of the function at the end of memory */
    int32_t endprg; /* The ENDPRG at the beginning; PROG_NONE: the last instruction is the only one */
} gen;

/* A place in the program. */
typedef struct context {
    bool uniform;  /* All warps come here equally often, with all threads: barriers may stand here */
    bool vset;     /* Settings vl and vtype may change */
    bool stores;   /* Memory may change */
    uint32_t arms; /* Divergent regions around this place */
    uint32_t loops;
    uint32_t calls;
    uint32_t end; /* Nothing begins at this instruction or later; 0: no limit */
} context;

/* --- draw.c: random numbers (splitmix64), simple choices, values of operands ---
 *
 * Their state is gen.r, which random_make() seeds. No expression may draw twice in an order that C leaves
 * open (both sides of an operator, two arguments of a call): the compiler would then decide which program a
 * seed names. */

/* A number from 0 to bound - 1; 0 where bound is 0. */
uint32_t draw_below(gen *g, uint32_t bound);
/* True in so many of 100 cases. */
bool draw_chance(gen *g, uint32_t percent);
/* A number from low to high, both included. */
int32_t draw_between(gen *g, int32_t low, int32_t high);
/* A number of n bits, 1 to 32. */
uint32_t draw_bits(gen *g, uint32_t n);
/* A multiple of size from low to high. */
int32_t draw_multiple(gen *g, int32_t low, int32_t high, int32_t size);
/* Like draw_multiple(), often near one of the few offsets (gen.spot) that many accesses of the program
 * use. */
int32_t draw_offset(gen *g, int32_t low, int32_t high, int32_t size);
/* A distance in words from lane to lane, up to most: often a power of two. */
int32_t draw_apart(gen *g, uint32_t most);
/* A row of the list; a row of a unit; the number of a CSR that exists. */
const row_use *draw_row(gen *g, row_list list);
const row_use *draw_row_of(gen *g, uint32_t unit);
uint32_t draw_csr(gen *g);

/* Values that instructions work on, by themes. */

/* Draw the numbers that the themes of this program have in common. */
void operand_begin(gen *g);
/* A value of any theme, mostly one that goes well with others. */
uint32_t operand_any(gen *g);
/* A value of that width, an integer's corner or a floating-point number, special or such that results round,
 * overflow or are tiny. Its other bits are 0. */
uint64_t operand_of_width(gen *g, karat_width width);
/* The value for that word of the theme's part of the table; words are made in order. */
uint32_t operand_of_theme(gen *g, theme t, uint32_t word);

/* --- frame.c: memory, whose prog.data belongs to the program; the first and the last instructions --- */

/* Addresses of the table of operands, of the shared words, and of a table of v2.03: 64-bit values, then
 * 16-bit ones, eight bytes apart. */
uint32_t layout_table(const gen *g);
uint32_t layout_shared(const gen *g);
uint32_t layout_wide(const gen *g);
/* Allocate and fill device memory; where memory is short, the program has failed. */
void layout_make(gen *g);
/* For csrr.v: sizes and ids in the metadata buffer, those of the launch where it has some. */
void layout_sizes(gen *g);
/* Write all registers that the rest of the program reads. */
void begin_program(gen *g);
/* Add some results to the signature, the last ones among them: later instructions may overwrite them. */
void end_fold_some(gen *g);
/* Fold all registers into the signature and store it: vector registers thread by thread, scalar registers
 * into one word. */
void end_signature(gen *g);
/* End the warp, with results and stores under way and settings that differ from those at launch: the next
 * warp in the slot must not see them. */
void end_warp(gen *g);

/* --- registers.c: those with a fixed use, and the pools that instructions draw from --- */

/* Choose all registers of the program. Too few: the program has failed. */
void reg_choose(gen *g);
/* Whether the register is in the pool. */
bool reg_in_x(const gen *g, uint32_t reg);
bool reg_in_v(const gen *g, uint32_t reg);
/* A register of the pool, or x0; often one written last, or one of a few. pair: the next register may be used
 * with it. */
uint32_t reg_scalar(gen *g, bool pair);
/* With group: the first register of a group of two. */
uint32_t reg_vector(gen *g, bool group, bool pair);
/* Vector registers of the pool whose numbers differ from reg in the extension alone, reg among them; returns
 * how many. */
uint32_t reg_same_low(const gen *g, uint32_t reg, uint32_t list[KARAT_NUM_V / 32]);
/* The first of so many registers of the pool one after the other, as many as a matrix may have. */
uint32_t reg_run(gen *g, uint32_t num);
/* One of these, or reg where there is none. */
uint32_t reg_twin(gen *g, uint32_t reg);
/* Whether the instruction may have that register as an operand under the current LMUL: groups begin at even
 * numbers. */
bool reg_fits(const gen *g, const row_use *u, bool is_v, uint32_t reg);

/* --- emit.c: an instruction of any row; operands that the caller does not give are drawn --- */

/* Operands that the caller gives. */
typedef struct values {
    int32_t at[KARAT_MAX_OPERAND];
    uint32_t set, fixed; /* Bits: given by the caller; fixed: no prefix may make it wider */
} values;

static inline values none(void) {
    return (values){{0}, 0, 0};
}

/* Nothing happens where the row does not have the operand (operand < 0). */
static inline void give(values *v, int8_t operand, int32_t value) {
    if (operand < 0)
        return;
    v->at[operand] = value;
    v->set |= 1u << operand;
}

/* An immediate that no prefix may make wider. */
static inline void give_fixed(values *v, int8_t operand, int32_t value) {
    give(v, operand, value);
    if (operand >= 0)
        v->fixed |= 1u << operand;
}

/* The destination, the first source, the second one. */
static inline void give_rd(values *v, const row_use *u, uint32_t reg) {
    give(v, u->dest, (int32_t)reg);
}
static inline void give_1(values *v, const row_use *u, uint32_t reg) {
    give(v, u->source[1], (int32_t)reg);
}
static inline void give_2(values *v, const row_use *u, uint32_t reg) {
    give(v, u->source[2], (int32_t)reg);
}

/* Append the instruction after a prefix, where its registers need one or by chance. pair: REGPAIR or
 * REGPAIRI. Returns its number. */
int32_t emit(gen *g, const row_use *u, bool pair, values v);
/* Draw the operands that v does not give. pair: the registers after theirs may be used with them; wide:
 * immediates may have eleven bits. */
void emit_rest(gen *g, const row_use *u, bool pair, bool wide, values *v);
/* With all operands drawn. */
void emit_any(gen *g, const row_use *u);
/* With the operands rd, rs1, and an immediate or rs2. */
void emit_3(gen *g, const row_use *u, uint32_t rd, uint32_t rs1, int32_t last);
/* With that prefix and its fields, or REGEXT where a register wants it; operands that v does not give are 0.
 * apart: as prog_put() has it. */
int32_t emit_as(gen *g, const row_use *u, const values *v, prog_prefix prefix, prog_fields fields,
                int32_t apart);
/* A branch or jump; prog_lead() or emit_lead_here() names its target later. */
int32_t emit_branch(gen *g, const row_use *u, values v);
/* The target of that branch is the next instruction. */
void emit_lead_here(gen *g, int32_t insn);

/* Instructions with the operands that the structure of a program needs; vector instructions are unmasked. */

/* With these operands, as far as the row has them; imm: each immediate, which no prefix makes wider. Returns
 * its number. */
int32_t insn_put(gen *g, const row_use *u, uint32_t rd, uint32_t first, uint32_t second, int32_t imm);
static inline void insn_csr_read(gen *g, uint32_t reg, uint32_t csr) {
    insn_put(g, ROW(g, csrrs), reg, 0, 0, (int32_t)csr);
}
static inline void insn_lw(gen *g, uint32_t reg, uint32_t base, int32_t offset) {
    insn_put(g, ROW(g, lw), reg, base, 0, offset);
}
static inline void insn_sw(gen *g, uint32_t data, uint32_t base, int32_t offset) {
    insn_put(g, ROW(g, sw), 0, base, data, offset);
}
static inline int32_t insn_jal(gen *g, uint32_t rd) {
    return insn_put(g, ROW(g, jal), rd, 0, 0, 0);
}
static inline void insn_jalr(gen *g, uint32_t rd, uint32_t base) {
    insn_put(g, ROW(g, jalr), rd, base, 0, 0);
}
/* A jump to anywhere in the program; returns the instruction to lead there. */
static inline int32_t insn_far_jump(gen *g, uint32_t rd) {
    if (g->params->length <= JAL_LENGTH)
        return insn_jal(g, rd);
    const int32_t place = prog_la(g->p, g->address);
    insn_jalr(g, rd, g->address);
    return place;
}
/* BEQ or BNE of that register and x0. */
static inline int32_t insn_branch_zero(gen *g, const row_use *u, uint32_t reg) {
    return insn_put(g, u, 0, reg, 0, 0);
}
/* Set rd to second op first, as v and v, or v and x. */
static inline void insn_vector(gen *g, const row_use *u, uint32_t rd, uint32_t second, uint32_t first) {
    insn_put(g, u, rd, first, second, 0);
}
/* Set rd to source op value. */
static inline void insn_vector_i(gen *g, const row_use *u, uint32_t rd, uint32_t source, int32_t value) {
    insn_put(g, u, rd, 0, source, value);
}
/* Set rd to an x register, in all lanes. */
static inline void insn_vmv_x(gen *g, uint32_t rd, uint32_t from) {
    insn_put(g, ROW(g, vmv_v_x), rd, from, 0, 0);
}
static inline void insn_vzero(gen *g, uint32_t rd) {
    insn_put(g, ROW(g, vmv_v_i), rd, 0, 0, 0);
}
static inline void insn_vid(gen *g, uint32_t rd) {
    insn_put(g, ROW(g, vid_v), rd, 0, 0, 0);
}
static inline void insn_vlw12(gen *g, uint32_t reg, uint32_t base, int32_t offset) {
    insn_put(g, ROW(g, vlw12_v), reg, base, 0, offset);
}
static inline void insn_vsw12(gen *g, uint32_t reg, uint32_t base, int32_t offset) {
    insn_put(g, ROW(g, vsw12_v), 0, base, reg, offset);
}

/* Append csrrwi x0, csr, value. */
void insn_csr_set(gen *g, uint32_t csr, int32_t value);
/* An access of row u to that CSR, unless the CSR forbids it; source PROG_NONE: any. Results that may differ
 * from run to run go to gen.sink. */
void insn_csr(gen *g, const row_use *u, uint32_t csr, int32_t source);
/* One that waits: of any scope but 'work_item'. */
void insn_barrier(gen *g);
/* Vector addresses: from scalar register start on, the lanes, whose numbers are in vector register lane, so
 * many words apart. */
void insn_addresses(gen *g, uint32_t reg, uint32_t lane, uint32_t start, int32_t apart);
/* Set reg to an index made of the bits of from. all: bits for 32-bit indices; else for 16-bit ones, with any
 * upper half. */
void insn_index(gen *g, bool all, uint32_t reg, uint32_t from);
/* Set x[reg] to a base for 32-bit indices, where it was the address of index 0. */
void insn_below_index(gen *g, uint32_t reg);
/* A reduction to a scalar register, for which all lanes must hold the same value: that of scalar register
 * from. */
void insn_splat(gen *g, const row_use *u, uint32_t from);

/* --- block.c: which kind of item comes next, and where which kind may stand ---
 *
 * A new kind is a line in RANDOM_KINDS (random.h) and a function kind_NAME() in the file of its subject. It
 * has a line in may_stand() (block.c) where it may not stand everywhere, and one in block_is_region() where
 * it has other items inside. */

/* Append an item of that kind: kind_plain() and so on, one for each kind. */
#define DO(name, weight, about) void kind_##name(gen *g, const context *c);
RANDOM_KINDS(DO)
#undef DO

/* Whether a kind has other items inside. */
bool block_is_region(uint32_t kind);
/* Append so many items. */
void block_fill(gen *g, uint32_t items, context c);
/* Append one item, if any may stand here. */
void block_item(gen *g, const context *c);
/* The sum of the weights of all kinds that may stand here. */
uint32_t block_weight(const gen *g, const context *c);
/* The context within a region that some threads or warps do not enter. */
context block_inner(const gen *g, const context *c);

/* --- memory.c: loads and stores --- */

/* A vector load or store whose stride is in a scalar register. */
bool memory_has_stride(const row_use *u);
/* Write an address of that space, low to high bytes from its base, into a register, and return that. pair:
 * for REGPAIR. */
uint32_t memory_address(gen *g, space s, int32_t low, int32_t high, int32_t size, bool pair);
/* A scalar load or store. */
void memory_scalar(gen *g, const row_use *u, bool pair, space s, values v);

/* --- warps.c: AMOs, LR and SC, words that all warps share, barriers and fences --- */

/* At the address in scalar register base. pair: after REGPAIR. */
void atomic_put(gen *g, const row_use *u, uint32_t base, bool pair);
/* Reservations of one word, one after the other: an SC without a reservation fails. random.c begins some
 * programs with them. */
void race_reservations(gen *g, space s);

/* --- plain.c: single instructions: arithmetic, CSRs, printing; vl, vtype, and the vector addresses --- */

/* Set vl and vtype by row u of the unit CONFIG. full: all elements. */
void vset_put(gen *g, const row_use *u, uint32_t vtype, bool full);
/* By any row: a legal vtype of that LMUL. */
void vset_lmul(gen *g, uint32_t lmul, bool full);

/* A unit by the weights; each unit in use has one. */
uint32_t plain_unit(gen *g);
/* Like plain_unit(), but often all units in use with the same chance. */
uint32_t plain_any_unit(gen *g);

/* --- matrix.c: matrix products --- */

/* Whether device and launch permit them. */
bool matrix_is_usable(const gen *g);

/* --- probe.c: instructions on operands of a theme, and the flags that they raise --- */

/* A rounding mode: of floating point (fp) or of fixed point; the same for all warps, or not. */
void probe_mode(gen *g, bool fp);
/* A slow result, then many fast ones of another instruction that do not wait for it; some results arrive at
 * the same time. */
void probe_stream(gen *g, bool fp);
/* One instruction of the unit and its flags, again and again, with other operands and in other modes. */
void probe_repeat(gen *g, uint32_t unit, theme t);
/* Instructions of the unit that saturate; between them only other warps access the flag. */
void probe_saturate(gen *g, uint32_t unit);

/* --- wide.c: instructions of profile v2.03 with all that its prefixes and SEW do: widths, pairs of
 * registers, ABS and NEG, accesses of several words, of other spaces, at 64-bit addresses --- */

/* Whether the profile has them. */
bool wide_is_known(const gen *g);
/* Low addresses by an offset and a base that is lower, mostly below 0. */
enum { WIDE_BELOW = 1536 };
/* So many of the highest bits of an address of private memory have no effect. */
uint32_t wide_lost_bits(const gen *g);
/* A branch that goes by the values of any registers, often pairs; returns its number, for
 * emit_lead_here(). */
int32_t wide_branch(gen *g, const row_use *u);
/* An instruction of the arithmetic units, of any width that it has under the current SEW. */
void wide_plain(gen *g);
/* A load, a store or an atomic. */
void wide_memory(gen *g, const context *c);
/* Some of them under another SEW; then vtype as before. */
void wide_section(gen *g, const context *c);

/* --- flow.c: branches, jumps, calls and loops with scalar conditions; divergence --- */

/* Whether a region that may not run may change vl and vtype; then they are set again after it. */
bool flow_keeps(gen *g, const context *c);
/* Make the function in the last words of device memory; nothing is mapped after it, although a core may fetch
 * ahead of it. */
void flow_make_edge(gen *g);
/* Some workgroups end with their first instructions: those that do not take the returned branch. Some of them
 * are a few instructions late, and end at the same time as workgroups that began later. */
int32_t flow_leave_at_once(gen *g);

#endif
