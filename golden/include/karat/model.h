/* The model itself: memory, workgroups, warps, and one step at a time.
 *
 * Invalid arguments are refused, here as in the library's other headers: for a NULL pointer (except where
 * NULL is allowed) and for a handle, register, operand or row out of range a function returns
 * KARAT_BAD_ARGUMENT, or the empty result of its comment (NULL, false, 0), and changes nothing. */
#ifndef KARAT_MODEL_H
#define KARAT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat/isa.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Layout and meaning of the structures in these headers. 2: karat_commit.width, karat_mem.words, hint and
 * wide_address, up to four registers written and four accesses a lane (profile v2.03); karat_kernel.profile,
 * karat_image.profile; translation: karat_config.translation, ptbr and asid of launches, karat_mem.virt,
 * karat_commit.fault. 3: karat_error.illegal. 4: karat_mem.shape, and karat_mem_access() in place of
 * karat_mem.access. 5: values of karat_reg_read and karat_reg_write, and karat_warp_view.v, are pointers to
 * the register file; karat_commit_keep(); another parameter of karat_read_port; karat_run_slice(),
 * karat_run_turns(). 6: karat_launch_desc.pds_size; work-items and private memory of karat_kernel; parameters
 * of karat_kernel_open(); KARAT_READ_KNOWN. */
#define KARAT_API_VERSION 1

#define KARAT_MAX_THREAD     32
#define KARAT_NUM_X          64
#define KARAT_NUM_V          256
#define KARAT_NUM_CUSTOM_CSR 13 /* 0x800 tid .. 0x80c rpc */
#define KARAT_CSR_BASE       0x800
#define KARAT_MAX_STACK      (2 * (KARAT_MAX_THREAD - 1))
#define KARAT_MAX_WRITE      8  /* Registers that one step may write: a matrix of 16 x 16 */
#define KARAT_MAX_READ       16 /* Register operands that one step may read: one, and two of 16 x 16 halves */
#define KARAT_MAX_ACCESS     (4 * KARAT_MAX_THREAD) /* Lane accesses of one step, of up to 4 bytes each */

/* Custom CSRs (section 3.2), as indices into karat_launch_desc.csr. */
enum {
    KARAT_CSR_TID,
    KARAT_CSR_NUMW,
    KARAT_CSR_NUMT,
    KARAT_CSR_KNL,
    KARAT_CSR_WGID,
    KARAT_CSR_WID,
    KARAT_CSR_LDS,
    KARAT_CSR_PDS,
    KARAT_CSR_GDX,
    KARAT_CSR_GDY,
    KARAT_CSR_GDZ,
    KARAT_CSR_PRINT,
    KARAT_CSR_RPC
};

typedef struct karat_model karat_model;

/* Which path of a divergent VBRANCH runs first (decisions, "Divergence"). */
typedef enum karat_simt_order { KARAT_SMALLER_FIRST, KARAT_IF_FIRST, KARAT_ELSE_FIRST } karat_simt_order;

/* The name of deviation 1 << bit (KARAT_DEV_*), as core descriptions and verdicts spell it: "vadd12-signed",
 * "simt-order", "machine-csrs", "third-operand-apart", "compare-immediate-signed", "usage-too-small",
 * "ended-warps-arrive", "prefix-last-wins", "packed-fma-twice", "bf16-nan-kept",
 * "diverged-warps-arrive". NULL where there is none: bits from 0 to the first NULL are all deviations. */
const char *karat_deviation_name(unsigned bit);
#define KARAT_NUM_DEVIATION 11

/* Translation of addresses: none, or SV39 with the page tables that each launch names (section 2.3, PTBR). */
typedef enum karat_translation { KARAT_TRANSLATION_NONE, KARAT_TRANSLATION_SV39 } karat_translation;

typedef struct karat_config {
    karat_profile profile;
    karat_translation translation;
    uint32_t num_thread;    /* Lanes per warp: 1, 2, 4, 8, 16 or 32 */
    uint32_t max_warp;      /* Warp handles: 0 .. max_warp - 1 */
    uint32_t max_workgroup; /* Workgroup handles: 0 .. max_workgroup - 1 */
    karat_simt_order simt_order;
    uint32_t deviations; /* KARAT_DEV_* */
    uint32_t lds_base;   /* LDS window: first byte, a multiple of 4096 */
    uint32_t lds_size;   /* Bytes of LDS, a multiple of 4096 */
    uint32_t lds_pool;   /* Bytes of LDS pages that all open workgroups may touch together */
} karat_config;

/* Profile v2.02, 32 threads, 32 warps, 32 workgroups, smaller-first, window 0x70000000 + 256 MiB, pool 64
 * MiB. */
void karat_config_default(karat_config *config);

/* Result of a call. */
typedef enum karat_status {
    KARAT_OK = 0,
    KARAT_WAITING, /* Step: the warp waits at a barrier; nothing happened */
    KARAT_HELD,    /* Step: the read port holds it; nothing happened */
    KARAT_ENDED,   /* Step: the warp has ended, was stopped, or was never launched; nothing happened */
    /* Step: see commit->error; registers and memory are unchanged, the warp is stopped */
    KARAT_PROGRAM_ERROR,
    KARAT_BAD_ARGUMENT,
    KARAT_NO_MEMORY,
    KARAT_NOT_MAPPED,
    KARAT_BAD_SNAPSHOT, /* Restore: not a snapshot, of another version, damaged, or inconsistent */
    KARAT_NO_LEVEL      /* Create, restore, set_level: the machine has no level of that name */
} karat_status;

/* Program errors: actions of the program that the ISA leaves undefined or forbids. */
typedef enum karat_error_kind {
    KARAT_ERR_NONE = 0,
    KARAT_ERR_ILLEGAL,  /* No instruction, or one that is illegal in this state */
    KARAT_ERR_LEFT_OUT, /* An instruction that the ISA leaves out by name */
    KARAT_ERR_FETCH,    /* The pc is misaligned or not mapped */
    KARAT_ERR_MISALIGNED,
    KARAT_ERR_UNMAPPED,
    KARAT_ERR_PREFIX,       /* Prefix before an instruction that it does not fit */
    KARAT_ERR_REGISTER,     /* Register number at or beyond the launch's usage, or above 63 for a scalar */
    KARAT_ERR_DIVERGED_END, /* ENDPRG under divergence */
    KARAT_ERR_DIVERGED_BARRIER, /* BARRIER under divergence */
    KARAT_ERR_BARRIER_EXIT, /* A warp ended while others of its workgroup wait, or arrived after one had ended
                             */
    KARAT_ERR_LDS_POOL,     /* More LDS touched than karat_config.lds_pool */
    KARAT_ERR_PAGE,         /* Page fault: see karat_commit.fault */
    KARAT_ERR_LANES_DIFFER, /* vmv.x.s, vfmv.f.s with differing lanes: flagged, and the warp continues */
    KARAT_ERR_TWO_PREFIXES, /* Prefix before a prefix */
    KARAT_ERR_KINDS
} karat_error_kind;
/* The name of a kind, such as "misaligned access". */
const char *karat_error_name(karat_error_kind kind);

/* Why an instruction is illegal (KARAT_ERR_ILLEGAL). */
typedef enum karat_illegal {
    KARAT_ILLEGAL_NONE,
    KARAT_ILLEGAL_WORD,       /* No instruction of the profile has this word */
    KARAT_ILLEGAL_VILL,       /* The vtype is one that does not exist */
    KARAT_ILLEGAL_ROUNDING,   /* The rounding mode, frm's or rm's, is reserved */
    KARAT_ILLEGAL_WIDTH,      /* No form for elements of SEW bits */
    KARAT_ILLEGAL_ODD_PAIR,   /* A 64-bit value in a pair whose first register is odd */
    KARAT_ILLEGAL_PAIR_GROUP, /* Elements of 64 bits, or several words a lane, with LMUL 2 */
    KARAT_ILLEGAL_ODD_GROUP,  /* LMUL 2 and a vector register with an odd number */
    KARAT_ILLEGAL_ODD_BASE,   /* A 64-bit address in a pair whose first register is odd */
    KARAT_ILLEGAL_CSR,        /* No such CSR */
    KARAT_ILLEGAL_CSR_WRITE,  /* A CSR that cannot be written */
    KARAT_ILLEGAL_VSTART,     /* Another value than 0 for vstart */
    KARAT_ILLEGAL_THREADS,    /* Warps have fewer threads than it needs */
    KARAT_ILLEGAL_LANES,      /* All lanes must be active */
    KARAT_ILLEGAL_LMUL,       /* LMUL 2, and no form for groups */
    KARAT_ILLEGALS
} karat_illegal;
/* The rule in words, such as "LMUL 2 needs even vector registers". */
const char *karat_illegal_name(karat_illegal rule);

/* Page faults. The rules are those of the privileged specification's Sv39 as far as a core without privilege
 * modes has them: entries must be valid, without reserved bits, superpages aligned; R, W and X permit loads,
 * stores and AMOs, and fetches; an entry with A clear faults, and so does a store or AMO to one with D clear:
 * nobody sets them. U and G are not looked at. The LDS window is not translated; CSR_PDS and everything else
 * is virtual. Tables are read as they are at the access: the model has no TLB, so an ASID has no effect in
 * it. */
typedef enum karat_page_use {
    KARAT_USE_FETCH,
    KARAT_USE_LOAD,
    KARAT_USE_STORE
} karat_page_use; /* AMO, SC: STORE */
typedef enum karat_fault_reason {
    KARAT_FAULT_NONE,
    KARAT_FAULT_NOT_CANONICAL, /* Bits 63 to 39 of the address differ from bit 38 */
    KARAT_FAULT_NO_TABLE,      /* The entry is outside mapped memory */
    KARAT_FAULT_INVALID,       /* V is clear, or W is set without R */
    KARAT_FAULT_RESERVED, /* A reserved bit is set; A, D and U are reserved where the entry names a table */
    KARAT_FAULT_NO_LEAF,  /* The last level's entry names a table */
    KARAT_FAULT_MISALIGNED_SUPERPAGE,
    KARAT_FAULT_NOT_READABLE,
    KARAT_FAULT_NOT_WRITABLE,
    KARAT_FAULT_NOT_EXECUTABLE,
    KARAT_FAULT_NOT_ACCESSED, /* A is clear */
    KARAT_FAULT_NOT_DIRTY,    /* D is clear, for a store */
    KARAT_FAULT_REASONS
} karat_fault_reason;
const char *karat_fault_name(karat_fault_reason reason); /* Such as "page is not writable" */

typedef struct karat_page_fault {
    karat_fault_reason reason;
    karat_page_use use;
    uint8_t level; /* Level of the entry that failed: 2 1 GiB, 1 2 MiB, 0 4 KiB */
    uint64_t virt; /* Address that was translated */
    /* Where a leaf was found, and its superpage is aligned: the physical address that it gives; else 0 */
    uint64_t phys;
    uint64_t entry_addr; /* Physical address of the entry; 0 for an address that is not canonical */
    uint64_t entry;      /* The entry's value; 0 where it could not be read */
} karat_page_fault;

typedef struct karat_error {
    karat_error_kind kind;
    karat_illegal illegal; /* Rule of KARAT_ERR_ILLEGAL */
    uint32_t warp;         /* Handle */
    uint32_t pc;
    int32_t lane;  /* -1: not of one lane */
    uint64_t addr; /* Address of the access, if it is one */
} karat_error;

/* Warnings a step may raise (bits of karat_commit.warnings). */
enum {
    KARAT_WARN_LANES_DIFFER =
        1, /* A vmv.x.s with differing lanes: undefined, the highest active lane was taken */
    KARAT_WARN_LDS_UNWRITTEN = 2,  /* LDS bytes read that the workgroup never wrote: 0 */
    KARAT_WARN_SKIPPED_PREFIX = 4, /* Jumped to the instruction after a prefix-like word */
    KARAT_WARN_LDS_BEYOND = 8,     /* LDS accessed outside of the launch's declaration */
    KARAT_WARN_PDS_BEYOND = 16     /* Private memory accessed beyond the launch's size */
};

/* Name of a warning by its bit's number, e.g. "lanes-differ"; NULL where there is none. */
const char *karat_warning_name(unsigned bit);
#define KARAT_NUM_WARNING 5

/* A register operand as the step used it. Its value, and those of karat_reg_write, are num_thread words, or
 * one of a scalar, which belong to the model: they are right until the warp's next karat_step(),
 * karat_run_slice(), turn of karat_run_turns(), karat_launch() or adoption, and as long as the model is
 * there. karat_commit_keep() copies them. */
typedef struct karat_reg_read {
    uint8_t source; /* 1, 2, 3: rs1/vs1, rs2/vs2, rs3/vs3/old vd; 0: v0 as mask */
    uint8_t cls;    /* KARAT_CLASS_* */
    uint8_t part;   /* Register within an LMUL 2 group, a pair or consecutive registers */
    uint16_t reg;
    const uint32_t *value; /* A scalar: value[0] */
} karat_reg_read;

/* One register written.  Lanes outside mask keep their value; value[] and old[] are right for every lane. */
typedef struct karat_reg_write {
    uint8_t cls;
    uint16_t reg;
    uint32_t mask; /* Lanes written; bit 0 for a scalar */
    const uint32_t *value;
    const uint32_t *old;
} karat_reg_write;

typedef enum karat_mem_op { KARAT_LOAD, KARAT_STORE, KARAT_AMO } karat_mem_op;
typedef enum karat_mem_space { KARAT_GLOBAL = 1, KARAT_LDS, KARAT_PRIVATE } karat_mem_space;

/* One lane's access. */
typedef struct karat_access {
    uint64_t addr;  /* Physical, where there is translation: see karat_mem.virt */
    uint32_t value; /* Loads: bytes read, zero-extended; stores: bytes stored; AMO: the value written */
    uint32_t old;   /* Stores, AMO: the bytes that memory held before this access, zero-extended */
    uint8_t lane;
    uint8_t bytes; /* 1, 2 or 4 */
    uint8_t reg;   /* Register within the group, pair or consecutive registers that it feeds or drains */
} karat_access;

/* The shape of a step's accesses. */
typedef enum karat_shape {
    KARAT_SHAPE_EACH,   /* Lane by lane, or no accesses */
    KARAT_SHAPE_UNIT,   /* One after the other in memory */
    KARAT_SHAPE_SAME,   /* All at one address */
    KARAT_SHAPE_STRIDED /* Another constant distance */
} karat_shape;

/* The values of karat_mem.amo, as far as users need to distinguish them. LR is a KARAT_LOAD; SC is a
 * KARAT_AMO, and so are the others. */
enum { KARAT_AMO_LR = 2, KARAT_AMO_SC = 3 };

/* The memory side of a step, and the request to a memory port. */
typedef struct karat_mem {
    uint8_t op;    /* A karat_mem_op */
    uint8_t space; /* The karat_mem_space of the first access: LDS window or not, private by instruction */
    uint8_t amo;   /* A extension: funct5 of the instruction (KARAT_AMO_*); 0 for other loads and stores */
    uint8_t succeeded;    /* SC: 1 when it stored */
    uint8_t sign_extends; /* Load: 1 when the results are the sign-extended bytes */
    uint8_t words;        /* 32-bit words that each lane moves, 1 to 4; narrower accesses: 1 */
    uint8_t hint;         /* PRE_M_*: cache hint, of no effect (v2.03) */
    uint8_t wide_address; /* 1: the address is a 64-bit register pair */
    uint32_t old;         /* AMO: the contents of memory before */
    uint32_t num; /* Accesses used, ascending lanes (all of part 0 of a group, then all of part 1; the words
                     of a lane one after the other, lane by lane); 0 for an SC that failed */
    /* Other shapes than lane by lane have one access in each lane of lanes, of so many bytes, at base plus
     * lane times stride; lane_value and lane_old, by lane, are its value and, of a store, what memory held
     * before. access[] is not filled in: karat_mem_access() has the accesses of every shape. All lie in one
     * page of device memory or of LDS, and base is its physical address. */
    uint8_t shape; /* A karat_shape */
    uint8_t bytes;
    uint32_t lanes;
    int32_t stride;
    uint64_t base;
    uint32_t lane_value[KARAT_MAX_THREAD], lane_old[KARAT_MAX_THREAD];
    karat_access access[KARAT_MAX_ACCESS]; /* Lane by lane */
    uint64_t virt
        [KARAT_MAX_ACCESS]; /* With translation: the address before it, of each access; else not filled in */
} karat_mem;

/* One of the accesses, from 0 on, whatever their shape. All 0 where there is none of that number. */
karat_access karat_mem_access(const karat_mem *mem, uint32_t index);
/* Enter the accesses lane by lane into access[], for callers that change them. */
void karat_mem_spread(karat_mem *mem);

/* One SIMT stack entry (section 4.2.1). */
typedef struct karat_simt_entry {
    uint32_t rpc, next, mask;
} karat_simt_entry;

typedef enum karat_simt_kind {
    KARAT_SIMT_NONE,    /* The step was no VBRANCH and no JOIN */
    KARAT_SIMT_UNIFORM, /* VBRANCH, all active threads one way */
    KARAT_SIMT_DIVERGE, /* VBRANCH, two entries pushed */
    KARAT_SIMT_POP,     /* JOIN that popped */
    KARAT_SIMT_PASS     /* JOIN without a pop */
} karat_simt_kind;

/* All effects of one step. Filled anew by every karat_step() that returns KARAT_OK, KARAT_PROGRAM_ERROR or
 * KARAT_HELD, and as it was after any other; arrays beyond their counts are not touched. For copies of it,
 * see karat_reg_read. */
typedef struct karat_commit {
    uint32_t pc; /* Address of the instruction itself */
    uint32_t word;
    uint32_t prefix; /* 0: none */
    uint32_t next_pc;
    int32_t row; /* KARAT_NO_ROW where the word is no instruction */
    uint32_t mask_before, mask_after;
    /* Elements that the instruction writes or accesses: thread mask, v0.t, vl; bit i: element i */
    uint64_t active;
    /* Bits of an element: 32; 8 or 16 by SEW; 64 by pair, or where the row always has pairs (v2.03) */
    uint8_t width;
    uint32_t elements; /* Number of elements: threads, twice as many for a group of two; 1 for a scalar */
    uint32_t deviated; /* KARAT_DEV_*: deviations that changed this step */
    uint32_t warnings; /* KARAT_WARN_* */

    uint8_t simt; /* A karat_simt_kind */
    /* 1: arrived at a workgroup barrier, 2: the last to arrive, so all were released; 3: the warp ended
     * (deviation ended-warps-arrive), so all were released */
    uint8_t barrier;
    uint8_t ended;        /* 1: the warp has ended */
    uint8_t csr_written;  /* 1: csr and csr_value hold */
    uint8_t flags_raised; /* The fflags bits that this step raised (already set ones included) */
    uint8_t vxsat_raised;
    uint16_t depth;       /* SIMT stack entries after */
    karat_simt_entry top; /* After; zeros where depth is 0 */
    uint32_t csr, csr_value, csr_old;
    /* KARAT_ERR_LANES_DIFFER: undefined, but the step was taken; lane: the lowest active one with another
     * value */
    karat_error flagged;
    karat_error error;
    uint32_t num_reads, num_writes;
    bool has_mem; /* The instruction is a memory access (num may be 0: no lane was active) */
    karat_mem mem;
    karat_reg_read read[KARAT_MAX_READ];
    karat_reg_write write[KARAT_MAX_WRITE];
    karat_page_fault fault; /* Filled in where error.kind is KARAT_ERR_PAGE */
} karat_commit;

/* The values of a commit's registers, for callers that keep them. */
typedef struct karat_commit_values {
    uint32_t read[KARAT_MAX_READ][KARAT_MAX_THREAD];
    uint32_t value[KARAT_MAX_WRITE][KARAT_MAX_THREAD], old[KARAT_MAX_WRITE][KARAT_MAX_THREAD];
} karat_commit_values;

/* Copy the values of a commit's registers while they are right, and let that commit, which may be a copy
 * itself, point to these: its read[i].value is values->read[i] from then on, and so on. */
void karat_commit_keep(const karat_model *model, karat_commit *commit, karat_commit_values *values);

/* How far another value of a lane of commit.write[write] of a matrix product (policy KARAT_SUM, profile
 * public) is from the exact sum of C and the products, by the operands of the commit: in hundredths of a
 * unit, rounded up; of two 16-bit results, the farther one's. A unit is the last place, in the format of
 * D, of the sum of the absolute values of C and all products. KARAT_SUM_FAR: farther than any bound, or no
 * such result. exact (may be NULL) becomes the sum in hexadecimal, as C has it, "..." behind 128 bits; or
 * the two, low half first. */
#define KARAT_SUM_TEXT 136
#define KARAT_SUM_FAR  0xffffffffffffffffu
uint64_t karat_sum_distance(const karat_commit *commit, uint32_t write, uint32_t lane, uint32_t value,
                            char exact[KARAT_SUM_TEXT]);

/* Make a model. Returns NULL for a bad configuration, lack of memory, or a bad KARAT_LEVEL; *status (may be
 * NULL) says which. */
karat_model *karat_create(const karat_config *config, karat_status *status);
void karat_destroy(karat_model *model);
const karat_config *karat_get_config(const karat_model *model);

/* --- Level of the host's processor --- */

/* Vector instructions are compiled for several levels of the host's processor. All give the same results;
 * they differ in speed alone. The levels of this machine by name, from the lowest: "portable", which every
 * host has, and of "x86-64-v2", "x86-64-v3" and "x86-64-v4" those that this machine has. NULL after the
 * last. */
const char *karat_level_name(unsigned index);

/* The level of a model; NULL: of a new one. That is the level that the environment variable KARAT_LEVEL
 * names, and the highest without it. Returns NULL where the machine has no such level: karat_create() reports
 * KARAT_NO_LEVEL then. */
const char *karat_level(const karat_model *model);

/* Another level, at any time; NULL is the highest. */
karat_status karat_set_level(karat_model *model, const char *name);

/* --- Device memory --- */

/* Map [base, base + size), widened to whole 4 KiB pages; bytes newly mapped are 0, bytes already mapped keep
 * their value. Addresses have 64 bits, of which an access whose address is no pair of registers, and
 * without translation, reaches the lowest 4 GiB (section 4.2.3; v2.03). The LDS window cannot be mapped. */
karat_status karat_map(karat_model *model, uint64_t base, uint64_t size);
/* The reverse of the same pages; what they held is gone, and pages that are not mapped stay so.
 * KARAT_NO_MEMORY: nothing was unmapped. */
karat_status karat_unmap(karat_model *model, uint64_t base, uint64_t size);

/* Read or write device memory outside the LDS window; a write breaks the reservations on its words.
 * KARAT_NOT_MAPPED, without effect, where any byte is not mapped. */
karat_status karat_read(const karat_model *model, uint64_t addr, void *bytes, size_t size);
karat_status karat_write(karat_model *model, uint64_t addr, const void *bytes, size_t size);

/* Translate an address with the tables at ptbr, as an access would be (LDS window apart), in a model with or
 * without translation. KARAT_NOT_MAPPED for a page fault, which *fault (may be NULL) describes, with *phys
 * unchanged; without a fault it has the leaf's level, place and value. KARAT_BAD_ARGUMENT for a ptbr that is
 * no multiple of 4096. The physical address need not be mapped. */
karat_status karat_translate(const karat_model *model, uint64_t ptbr, uint64_t virt, karat_page_use use,
                             uint64_t *phys, karat_page_fault *fault);

/* The address, virtual where there is translation, of a byte of a thread's private memory (section 4.2.7):
 * addr as an instruction for private memory has it. By the CSRs of that warp, as they are now.
 * KARAT_BAD_ARGUMENT for a handle or lane beyond the configuration's. */
karat_status karat_private_address(const karat_model *model, uint32_t warp, uint32_t lane, uint64_t addr,
                                   uint64_t *virt);

/* Read or write a workgroup's LDS by window address. */
karat_status karat_lds_read(const karat_model *model, uint32_t workgroup, uint64_t addr, void *bytes,
                            size_t size);
karat_status karat_lds_write(karat_model *model, uint32_t workgroup, uint64_t addr, const void *bytes,
                             size_t size);

/* The lowest mapped page at or above *addr: its 4096 bytes, and its address in *addr; NULL, with *addr
 * unchanged, at the end. For walking and hashing memory. The bytes belong to the model. */
const uint8_t *karat_next_page(const karat_model *model, uint64_t *addr);
/* As karat_next_page(), of the pages up to that of last that were written since they were mapped. All others
 * hold zeros. */
const uint8_t *karat_next_written_page(const karat_model *model, uint64_t *addr, uint64_t last);

/* Source of the values of loads and AMOs, for callers whose values replace those of the model's own memory.
 * Called once per step, after every access was checked for alignment and mapping; all are lane by lane (for
 * shapes see karat_set_shape_port()). KARAT_LOAD, LR included: fill in access[].value. KARAT_AMO: set old to
 * the contents of memory; access[0].value is the operand, which the model replaces by the value that it
 * writes. SC with a valid reservation: clear succeeded to make it fail. Values written by stores, AMOs and
 * SCs always go to the model's own memory as well. NULL: the model's own memory. */
typedef void karat_mem_port(void *context, uint32_t warp, karat_mem *mem);
void karat_set_mem_port(karat_model *model, karat_mem_port *port, void *context);

/* Set a port that takes accesses by their shape: of a load with another shape than lane by lane,
 * base, stride, bytes and lanes say where it is, access[] is not filled in, and the port fills in
 * lane_value[] of these lanes with the bytes, zero-extended. Where it would rather have them lane by lane it
 * calls karat_mem_spread() and fills in access[].value. All other accesses are lane by lane, as for
 * karat_set_mem_port(), and so is a load from a page of LDS that nobody has stored to. A model has one port,
 * the last that was set. */
void karat_set_shape_port(karat_model *model, karat_mem_port *port, void *context);

/* The contents of memory after an AMO (karat_mem.amo, not LR): s1 is the contents before, s2 the operand (A
 * extension). */
uint32_t karat_amo_result(unsigned amo, uint32_t s1, uint32_t s2);

/* Source of the values of register operands, for callers (the checker) whose values replace those of the
 * model's own registers. Called for every register that the step reads, before anything is changed; these
 * fields of commit are valid: pc, words, row, mask_before, and the reads so far, the last of which is this
 * one. KARAT_READ_KEEP: the register as it is, after the port's adoptions, too. KARAT_READ_CHANGED: the port
 * has filled in value, and the register takes that, in every lane. KARAT_READ_HOLD: the step is not taken
 * yet; karat_step() returns KARAT_HELD. KARAT_READ_KNOWN: as KEEP, and it need not be called for that
 * register before karat_ask_again(), another port or the warp's launch: not for steps all of whose operands
 * are known. NULL: the model's own registers. */
typedef enum karat_read_answer {
    KARAT_READ_KEEP,
    KARAT_READ_CHANGED,
    KARAT_READ_HOLD,
    KARAT_READ_KNOWN
} karat_read_answer;
typedef karat_read_answer karat_read_port(void *context, uint32_t warp, const karat_commit *commit,
                                          uint32_t value[KARAT_MAX_THREAD]);
void karat_set_read_port(karat_model *model, karat_read_port *port, void *context);
void karat_ask_again(karat_model *model, uint32_t warp, unsigned cls, uint32_t reg);

/* --- Workgroups and warps --- */

/* Open a workgroup of num_warp warps: its LDS is empty, its barrier has no arrivals.  handle < max_workgroup,
 * not open. */
karat_status karat_workgroup_open(karat_model *model, uint32_t handle, uint32_t num_warp);
/* Close it: its LDS is dropped, its warps are no longer live. */
karat_status karat_workgroup_close(karat_model *model, uint32_t handle);

/* The launch of a warp (section 2.3). */
typedef struct karat_launch_desc {
    uint32_t workgroup; /* Handle of an open workgroup */
    uint32_t pc;
    uint32_t mask;         /* Threads; bits at or beyond num_thread must be 0 */
    uint32_t sgprs, vgprs; /* Registers that the program may use; 0: all */
    uint32_t lds_size;     /* Bytes of LDS from CSR_LDS on that the launch declares; 0: no declaration */
    uint32_t local_base, local_size; /* Further LDS that it declares: local buffers; size 0: none */
    uint32_t pds_size;               /* Bytes of private memory of a thread; 0: no declaration */
    uint32_t csr[KARAT_NUM_CUSTOM_CSR];
    uint64_t ptbr;     /* With translation: physical address of the root page table, a multiple of 4096 */
    uint32_t asid;     /* With translation: of no effect in the model */
    const uint32_t *x; /* KARAT_NUM_X initial values, or NULL: zeros */
    const uint32_t *v; /* KARAT_NUM_V * num_thread initial values, register by register, or NULL: zeros */
} karat_launch_desc;

/* Launch a warp under a handle (< max_warp) whose last warp has ended. The descriptor is copied; its x and v
 * must not be that last warp's own registers (karat_view()). */
karat_status karat_launch(karat_model *model, uint32_t warp, const karat_launch_desc *desc);

/* Execute one architectural step of that warp and report its effects in *commit. Allocates nothing. */
karat_status karat_step(karat_model *model, uint32_t warp, karat_commit *commit);

/* Registers of a warp, one bit each. */
typedef struct karat_reg_set {
    uint64_t x, v[KARAT_NUM_V / 64];
} karat_reg_set;

#define KARAT_MAX_TRAIL 64

/* A slice: steps of one warp of which the caller sees the last one alone. */
typedef struct karat_slice {
    uint64_t max; /* Steps at most, from 1 on */
    /* Registers all lanes of which are written. Further ones that the slice writes as a whole are entered; it
     * ends after an instruction that reads another, or writes a part of one. NULL: all are. */
    karat_reg_set *written;
    /* It ends after the instruction at until_pc where the scalar registers are these then (KARAT_NUM_X).
     * NULL: nowhere. */
    const uint32_t *until_x;
    uint32_t until_pc;
    /* The pcs of the warp's last steps, or NULL. It has a power of two of entries, up to KARAT_MAX_TRAIL.
     * num_trail counts the warp's steps from slice to slice: 0 before the first, and each step enters its pc
     * at num_trail modulo trail_size, and adds 1. */
    uint32_t *trail;
    uint32_t trail_size;
    uint64_t num_trail;
    /* Results */
    uint64_t steps; /* Taken */
    bool whole;     /* The commit has all effects of the last step */
} karat_slice;

/* Take steps of that warp as karat_step() does, up to slice->max, and return the status of the last; one that
 * is not KARAT_OK was not taken and is not counted. It ends early after a step with a warning, a deviation or
 * a flagged error, one that writes CSR_PRINT, arrives at a barrier or ends the warp, and by the conditions in
 * *slice. *commit is that of the last step; where !slice->whole it has only pc, word, prefix, row, next_pc,
 * mask_after, depth, top, deviated, warnings, flagged, and a write of CSR_PRINT, and all else says that there
 * is none. A step whose instruction has not been decoded yet is whole, and ends the slice; so is every step
 * with memory or read ports, which see it, and with translation. Allocates nothing. */
karat_status karat_run_slice(karat_model *model, uint32_t warp, karat_slice *slice, karat_commit *commit);

/* Steps of several warps in turn, each as karat_run_slice() takes one: of turns[*at], and so on, and of
 * turns[0] after the last. It ends after max steps in all, after each step that would end a slice early, and
 * after each that is whole. *at is then whose step was the last, or was not taken: the turns go on with the
 * one after it, whose index the caller gives. *steps: how many were taken; each is added to its warp's
 * slice->steps, which the caller clears. slice->max has no meaning. The call ends at once, with KARAT_ENDED
 * or KARAT_WAITING, at the turn of a warp that cannot step: the caller takes that one out; and with
 * KARAT_BAD_ARGUMENT at a turn without a warp or slice. A call costs nothing for turns that it does not
 * reach. */
typedef struct karat_turn {
    uint32_t warp;
    karat_slice *slice; /* The warp's own */
} karat_turn;
karat_status karat_run_turns(karat_model *model, const karat_turn *turns, uint32_t num, uint32_t *at,
                             uint64_t max, uint64_t *steps, karat_commit *commit);

/* The lanes of operand commit->read[read] on whose values the step's results depend: those that it writes or
 * accesses where lanes are independent, else all active ones below vl, or all lanes (tensor). commit: the
 * commit of that warp's last step. A scalar: 1. 0 where the commit has no such operand, and where its value
 * does not matter (x ^ x, x - x, x < x, x & x0 and the like). */
uint32_t karat_read_lanes(const karat_model *model, uint32_t warp, const karat_commit *commit, uint32_t read);

/* Set lanes of a register to values of the caller in place of the model's (adoption). */
karat_status karat_adopt(karat_model *model, uint32_t warp, unsigned cls, unsigned reg, uint32_t mask,
                         const uint32_t value[KARAT_MAX_THREAD]);

/* Adopt vl: at most VLMAX of the warp's vtype, else KARAT_BAD_ARGUMENT. */
karat_status karat_adopt_vl(karat_model *model, uint32_t warp, uint32_t vl);

/* Read or write a CSR of a warp from outside, as the host does. KARAT_BAD_ARGUMENT for a warp that was never
 * launched, or an access that an instruction could not make. */
karat_status karat_csr_read(const karat_model *model, uint32_t warp, uint32_t csr, uint32_t *value);
karat_status karat_csr_write(karat_model *model, uint32_t warp, uint32_t csr, uint32_t value);

/* --- Snapshots --- */

/* Bytes that karat_save() needs at present. */
size_t karat_save_size(const karat_model *model);
/* Write the whole state (configuration, memory, LDS, workgroups, warps, reservations; not the memory port) to
 * a buffer of size bytes, which stays the caller's. KARAT_BAD_ARGUMENT, and nothing written, where it is too
 * small. Equal states have equal bytes on every host. */
karat_status karat_save(const karat_model *model, void *buffer, size_t size);
/* A new model in that state, without a memory port; the buffer is not needed afterwards. NULL where the
 * buffer is no sound snapshot of this version (KARAT_BAD_SNAPSHOT) or memory is short; *status (may be NULL)
 * says which. */
karat_model *karat_restore(const void *buffer, size_t size, karat_status *status);

/* A warp's state, for reports and invariants. Pointers belong to the model and hold until the next call that
 * changes it. */
typedef struct karat_warp_view {
    bool live, waiting, stopped; /* Where stopped, a program error ended it */
    uint32_t workgroup, pc, mask, initial_mask, depth;
    const uint32_t *x;             /* KARAT_NUM_X */
    const uint32_t *const *v;      /* KARAT_NUM_V, each num_thread */
    const karat_simt_entry *stack; /* Depth entries, bottom first */
    uint64_t ptbr;                 /* With translation: of its launch */
} karat_warp_view;
karat_status karat_view(const karat_model *model, uint32_t warp, karat_warp_view *view);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
