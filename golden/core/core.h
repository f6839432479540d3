/* Private state of the model: memory, workgroups, warps, and the decoded instruction. */
#ifndef KARAT_CORE_H
#define KARAT_CORE_H

#include "../exec/level.h"
#include "../isa/isa.h"
#include "../mem/mem.h"
#include "karat/model.h"

typedef struct karat_exec karat_exec;
typedef struct karat_decoded karat_decoded;
typedef void karat_run(karat_exec *e);
/* Takes a step whose commit karat_step() has begun. */
typedef karat_status karat_take(karat_exec *e, const karat_decoded *d);

/* A semantic: one definition, as a function per karat_width of the elements; NULL where it has no meaning.
 * at: the same for the levels of the processor, from the lowest, where it is compiled for them. */
typedef struct karat_semantic karat_semantic;
struct karat_semantic {
    karat_run *run[4];
    const karat_semantic *at[KARAT_NUM_LEVEL];
};

/* Operands and results of an instruction, so that the step can fetch operands without knowing the
 * instruction. */
enum {
    PLAN_X1 = 1 << 0, /* Reads rs1 (scalar) */
    PLAN_X2 = 1 << 1,
    PLAN_X3 = 1 << 2,
    PLAN_V1 = 1 << 3, /* Reads vs1 */
    PLAN_V2 = 1 << 4,
    PLAN_V3 = 1 << 5,       /* Reads vs3, or the destination as third operand */
    PLAN_WX = 1 << 6,       /* Writes rd */
    PLAN_WV = 1 << 7,       /* Writes vd */
    PLAN_MASKED = 1 << 8,   /* Where vm = 0, v0.t masks. */
    PLAN_V0 = 1 << 9,       /* As carry or merge, v0 is an operand. */
    PLAN_VTYPE = 1 << 10,   /* A row of the V extension: depends on vtype */
    PLAN_GROUP = 1 << 11,   /* Works on register groups where LMUL is 2 */
    PLAN_SPLAT1 = 1 << 12,  /* Source 1 is a scalar or immediate for every lane */
    PLAN_FP = 1 << 13,      /* Vector floating point: frm must be valid */
    PLAN_REGPAIR = 1 << 14, /* After REGPAIR or REGPAIRI: even registers are pairs */
    PLAN_LONG =
        1 << 15,        /* A memory access that is more than one word at a 32-bit address as its row has it */
    PLAN_SEW = 1 << 16, /* The width of its elements follows vtype's SEW */
    PLAN_DOUBLED = 1 << 17,  /* Some operands have twice that width */
    PLAN_MODIFIED = 1 << 18, /* ABS or NEG of a prefix act on sources */
    PLAN_WIDTH = 1 << 19,    /* Not all of its operands are known to have 32 bits: v2.03's widths and pairs */
    PLAN_APART = 1 << 20,    /* Some operand has no 32 bits, even where SEW is 32 */
    PLAN_SINGLE = 1 << 21,   /* Illegal where LMUL is 2 */
    /* Decoding found an error, a deviation, a tensor product, or a word before it that looks like a prefix */
    PLAN_RARE = 1 << 22,
    PLAN_OPERANDS =
        PLAN_X1 | PLAN_X2 | PLAN_X3 | PLAN_V1 | PLAN_V2 | PLAN_V3 | PLAN_MASKED | PLAN_V0 | PLAN_SPLAT1
};

/* How a slice executes it where nobody looks at the commit. */
enum {
    SLICE_WHOLE,  /* By karat_step() */
    SLICE_SCALAR, /* Only rd results, from scalar operands, and nothing else happens */
    SLICE_JUMP,   /* As SLICE_SCALAR, and the next pc */
    SLICE_ACCESS, /* As SLICE_SCALAR, by an access to memory */
    /* A vector register of operands, and flags, without errors; where the warp's settings are the usual
     * ones */
    SLICE_VECTOR,
    SLICE_MOVE, /* As SLICE_VECTOR, or nothing, by accesses to memory */
    SLICE_ANY   /* Without commit of operands and registers written */
};

/* Steps that follow one another in the decode cache, without prefixes, up to a jump or a step that a slice
 * cannot take. What it says holds while the cache has that generation. */
typedef struct karat_block {
    uint64_t generation;                /* 0: none */
    uint64_t reads_x;                   /* Scalar registers that it reads before it writes them as a whole */
    uint64_t writes_x;                  /* Registers that it writes if it is executed to its end */
    uint64_t names_v[KARAT_NUM_V / 64]; /* Vector registers that it names */
    /* The slice in which it was found that all registers that it names are within the usage, and written */
    uint64_t known;
    uint16_t num; /* Steps */
    /* So many steps from the first on see and change the warp's own registers alone, and cannot fail */
    uint16_t own;
    uint16_t max_x, max_v; /* One more than the highest register named */
} karat_block;

/* A decoded step, as the decode cache holds it. */
struct karat_decoded {
    /* Where the fetch starts, of the prefix where there is one; one that karat_cached() maps elsewhere: not
     * in use */
    uint32_t pc;
    /* As a commit begins: address of the instruction itself, it and its prefix as fetched, 0: none; next */
    uint32_t at, word, prefix, next;
    bool after_prefix; /* Without translation: the word before the fetch looks like a prefix */
    uint8_t error;     /* The karat_error_kind that decoding found */
    uint8_t slice;     /* SLICE_* */
    uint64_t reads_x;  /* Scalar operands, bit by register; without the second registers of pairs */
    uint32_t deviated; /* KARAT_DEV_*: deviations that changed the decoding */
    int16_t row;
    uint32_t plan;
    uint16_t rd, rs1, rs2, rs3;
    uint16_t max_x; /* One more than the highest scalar register named */
    uint16_t max_v; /* One more than the highest vector register named, LMUL 1 */
    uint16_t odd_v; /* Bitwise or of the group registers' numbers: bit 0 set: not a legal group */
    uint8_t widths; /* As in karat_row */
    uint8_t width;  /* The karat_width of its elements, unless PLAN_SEW */
    /* Operands that are pairs where their elements have 64 bits: bit s source s, bit 0 the destination */
    uint8_t pairs;
    bool odd_pair;                   /* One of these is odd: illegal as a pair */
    uint16_t pair_max_x, pair_max_v; /* As max_x and max_v, with the second registers of pairs */
    karat_prefix prefixed;           /* Fields of the prefix */
    bool wide_address;               /* Source 1 is a 64-bit address in a pair */
    /* The commit's record of each operand in one 32-bit register, without its value */
    karat_reg_read read[3];
    uint16_t known[3]; /* Their places in the warp's known[]; the last one where it has not so many */
    int32_t imm[3];    /* 0: offset, target, CSR number, vtype; 1, 2: takes the place of that source */
    uint32_t elements; /* One register's, or 1 where it names no vector register */
    karat_take *take;  /* A step of the usual kind */
    karat_run *run;    /* On elements of 32 bits */
    const karat_semantic *semantic;
    karat_block block;
};

#define KARAT_CACHE_SIZE 4096 /* Decoded steps, direct mapped by pc */

#define KARAT_VTYPE_VILL (1u << 31)

/* The field vsew, which numbers widths as karat_width does. */
static inline uint8_t karat_vtype_sew(uint32_t vtype) {
    return vtype >> 3 & 7;
}

typedef struct karat_warp {
    bool live, waiting, stopped, jumped;
    bool reserved; /* LR's reservation is valid, on the word at reserved_addr */
    uint8_t lmul;  /* 1 or 2 */
    uint8_t sew;   /* The karat_width of vtype */
    uint8_t frm, fflags, vxrm, vxsat;
    uint32_t unusual; /* Bits of a plan with which a step is none of the usual kind: karat_set_usual() */
    uint32_t workgroup, mask, initial_mask,
        pc;        /* Here and not before mask: they would be loaded together, after a store of pc alone */
    uint64_t ptbr; /* With translation: the root page table */
    uint32_t asid;
    uint32_t sgprs, vgprs;
    uint32_t vl, vtype;
    uint64_t below_vl; /* Elements below vl */
    uint64_t reserved_addr;
    uint32_t mstatus, mtvec, mscratch;
    uint32_t lds_base, lds_size, local_base, local_size; /* LDS that the launch declares */
    uint32_t pds_size; /* Bytes of private memory of a thread that it declares */
    uint32_t csr[KARAT_NUM_CUSTOM_CSR];
    uint32_t depth;
    karat_simt_entry stack[KARAT_MAX_STACK];
    uint32_t x[KARAT_NUM_X];
    /* The scalars of the last commit. */
    uint32_t read_x[KARAT_MAX_READ], old_x[KARAT_MAX_WRITE];
    /* Where the vector registers are, num_thread words each. A step writes a register's new value to a spare
     * place and exchanges the two: so the old value stays, for the commit, until the next step. */
    uint32_t *v[KARAT_NUM_V], *spare[KARAT_MAX_WRITE];
    /* Registers that the read port need not be asked for, scalar ones first; the last is none, and true. */
    bool known[KARAT_NUM_X + KARAT_NUM_V + 1];
    uint32_t dirty_v; /* From this vector register on all are 0, as they were allocated: memory never used */
} karat_warp;

typedef struct karat_workgroup {
    bool open;
    uint32_t num_warp, arrived, ended;
    uint32_t seen;                 /* Warps launched so far */
    uint32_t first_warp, end_warp; /* Their handles are from the first on and before the end */
} karat_workgroup;

struct karat_model {
    karat_config config;
    uint32_t lanes; /* All of a warp, as a mask */
    unsigned level; /* Index of karat_level_name() */
    karat_memory memory;
    karat_lds lds;
    struct karat_translation_kept *translations; /* With translation: KARAT_TRANSLATIONS of them */
    karat_workgroup *workgroups;
    karat_warp *warps;
    uint32_t *vregs;
    karat_mem_port *port;
    bool port_shapes; /* The port takes accesses by their shape */
    void *port_context;
    karat_read_port *read_port;
    void *read_context;
    uint32_t num_reserved; /* Warps that hold a reservation */
    karat_decoded *cache;
    karat_exec *exec;    /* Of karat_step(): see there */
    uint64_t generation; /* The cache's: another one where an entry has changed */
    uint64_t num_slices; /* Slices that have begun */
    uint64_t code_first,
        code_end; /* Addresses outside of [first, end) have no effect on the entries of the cache */
};

/* Whether that value of vtype is a setting of this ISA: e32 with m1 or m2, e8 and e16 as well where the
 * profile has widths; any other sets vill. */
static inline bool karat_vtype_is_legal(const karat_model *model, uint32_t vtype) {
    const uint8_t sew = karat_vtype_sew(vtype);
    return !(vtype >> 8) && (vtype & 7) <= 1 &&
           (sew == KARAT_W32 ||
            (sew < KARAT_W32 && karat_profile_has(model->config.profile, KARAT_FEATURE_WIDTHS)));
}

/* To be called where vl, vtype or frm has changed. */
static inline void karat_set_usual(karat_warp *warp) {
    warp->below_vl = warp->vl < 64 ? (UINT64_C(1) << warp->vl) - 1 : ~UINT64_C(0);
    warp->unusual = PLAN_APART | PLAN_MODIFIED | PLAN_LONG | PLAN_MASKED | PLAN_V0 | PLAN_RARE;
    if (warp->vtype & KARAT_VTYPE_VILL)
        warp->unusual |= PLAN_VTYPE;
    if (warp->lmul == 2)
        warp->unusual |= PLAN_GROUP | PLAN_SINGLE;
    if (warp->sew != KARAT_W32)
        warp->unusual |= PLAN_SEW;
    if (warp->frm > 4)
        warp->unusual |= PLAN_FP;
}

/* Words of a place for a vector register: functions that compute four lanes at once may write to those that
 * there are not. */
static inline uint32_t karat_place_words(const karat_model *model) {
    return model->config.num_thread < 4 ? 4 : model->config.num_thread;
}

/* With AddressSanitizer, use of a closed place is an error. */
#ifdef __SANITIZE_ADDRESS__
#define KARAT_SANITIZED
void __asan_poison_memory_region(const volatile void *at, size_t size);
void __asan_unpoison_memory_region(const volatile void *at, size_t size);
#define karat_close_place(model, place) __asan_poison_memory_region(place, 4 * karat_place_words(model))
#define karat_open_place(model, place)  __asan_unpoison_memory_region(place, 4 * karat_place_words(model))
#else
#define karat_open_place(model, place) ((void)0)
#endif

/* Put the vector registers to their first places. */
void karat_reset_places(karat_model *model, karat_warp *warp);

/* The level that KARAT_LEVEL in the environment names, or the highest one. */
karat_status karat_default_level(karat_model *model);

/* How a step of the usual kind is taken that has such a plan. */
karat_take *karat_take_of(uint32_t plan);

/* The decoded step at the warp's pc, which the cache does not have; NULL with *error set where it cannot be
 * fetched. For KARAT_ERR_PAGE, *fault is filled in. */
const karat_decoded *karat_fetch_any(karat_model *model, const karat_warp *warp, karat_error_kind *error,
                                     karat_page_fault *fault);

static inline karat_decoded *karat_cached(const karat_model *model, uint32_t pc) {
    return &model->cache[pc >> 2 & (KARAT_CACHE_SIZE - 1)];
}

/* An entry is not in use while its pc is one of another entry. */
static inline void karat_drop_cached(karat_model *model, karat_decoded *d, uint32_t pc) {
    d->pc = pc ^ 4;
    model->generation++;
}

/* The block that begins with that entry. */
const karat_block *karat_find_block(const karat_model *model, karat_decoded *d);
static inline const karat_block *karat_block_at(const karat_model *model, karat_decoded *d) {
    return d->block.generation == model->generation ? &d->block : karat_find_block(model, d);
}

/* Bytes of device memory have been written: drop the entries of the cache that they are in. */
void karat_drop_code(karat_model *model, uint64_t addr, uint64_t bytes);
void karat_drop_all_code(karat_model *model);
static inline void karat_stored(karat_model *model, uint64_t addr, uint64_t bytes) {
    if (addr < model->code_end && addr + bytes > model->code_first)
        karat_drop_code(model, addr, bytes);
}

/* Where that lane's access of a shape is. */
static inline uint64_t karat_mem_lane_addr(const karat_mem *mem, uint32_t lane) {
    return mem->base + (uint64_t)((int64_t)lane * mem->stride);
}

/* Whether the word before the step at the warp's pc looks like a prefix. */
bool karat_follows_prefix(const karat_model *model, const karat_warp *warp);

/* Where a thread's word of private memory is (decisions, "Memory"): interleaved by word between the
 * workgroup's threads. */
static inline uint64_t karat_interleave(const karat_warp *warp, uint64_t addr, uint32_t lane) {
    const uint32_t *csr = warp->csr;
    const uint64_t threads = (uint64_t)csr[KARAT_CSR_NUMW] * csr[KARAT_CSR_NUMT];
    const uint64_t thread = (uint64_t)csr[KARAT_CSR_WID] * csr[KARAT_CSR_NUMT] + lane;
    return csr[KARAT_CSR_PDS] + (addr & ~UINT64_C(3)) * threads + thread * 4 + (addr & 3);
}

/* The page of an address of that warp, translated where the model translates (karat_sv39_page()); NULL where
 * it is not mapped (*fault without a reason) or faults. Addresses of the LDS window are not translated, and
 * not mapped here. */
uint8_t *karat_warp_page(const karat_model *model, const karat_warp *warp, uint64_t virt, karat_page_use use,
                         uint64_t *phys, karat_page_fault *fault);

/* SIMT stack (section 4.2.1): divergence and reconvergence. */
void karat_simt_branch(const karat_model *model, karat_warp *warp, uint32_t taken, uint32_t target,
                       karat_commit *commit);
void karat_simt_join(karat_warp *warp, karat_commit *commit);

/* CSR access by an instruction; false: illegal. */
bool karat_csr_get(const karat_model *model, const karat_warp *warp, uint32_t csr, uint32_t *value);
/* CSRs of lanes (profile public): ids of threads, by the sizes and offsets of the metadata buffer that
 * CSR_KNL names (section 2.2). Where it is not mapped, the error that is returned is described in *commit. */
bool karat_is_lane_csr(uint32_t csr);
karat_error_kind karat_lane_csr_get(const karat_model *model, const karat_warp *warp, uint32_t csr,
                                    uint32_t value[], karat_commit *commit);
/* KARAT_DEV_*: the deviation by which it reads otherwise than it was written; 0: none. */
uint32_t karat_csr_deviates(const karat_model *model, const karat_warp *warp, uint32_t csr);
bool karat_csr_set(karat_warp *warp, uint32_t csr, uint32_t value);

/* Whether registers with numbers below max_x and max_v are beyond the launch's usage, an error. Under
 * usage-too-small those that there are at all are none, and that is counted. */
static inline bool karat_beyond_usage(const karat_model *model, const karat_warp *warp, uint32_t max_x,
                                      uint32_t max_v, uint32_t *deviated) {
    if (max_x <= warp->sgprs && max_v <= warp->vgprs)
        return false;
    if (!(model->config.deviations & KARAT_DEV_USAGE_TOO_SMALL) || max_x > KARAT_NUM_X || max_v > KARAT_NUM_V)
        return true;
    *deviated |= KARAT_DEV_USAGE_TOO_SMALL;
    return false;
}

/* The warp of that handle is one of the workgroup's from now on. */
void karat_workgroup_enter(karat_workgroup *workgroup, uint32_t warp);

/* BARRIER and ENDPRG on behalf of a warp. KARAT_ERR_NONE where legal. */
karat_error_kind karat_barrier_arrive(karat_model *model, karat_warp *warp, karat_commit *commit);
karat_error_kind karat_warp_end(karat_model *model, karat_warp *warp, karat_commit *commit);

/* LR's reservations (decisions, "Memory"): set or clear that warp's, and clear those that a store to these
 * bytes breaks: by is the warp that stored, NULL for the host; workgroup is the owner of the LDS where the
 * bytes are in the window. */
void karat_reserve(karat_model *model, karat_warp *warp, uint64_t addr);
void karat_unreserve(karat_model *model, karat_warp *warp);
void karat_break_reservations(karat_model *model, const karat_warp *by, uint32_t workgroup, uint64_t addr,
                              uint64_t bytes);

#endif
