/* Shared by test_qemu and test_qemu64: a case is one instruction with its operands, a batch is many of them.
 * A part (arithmetic, control, memory) emits the guest's code of a case, makes its operands, and compares
 * what the guest answers with the model. */
#ifndef KARAT_TESTS_GOLDEN_QEMU_CASE_H
#define KARAT_TESTS_GOLDEN_QEMU_CASE_H

#include "support.h"

#include "fp/f32_operands.h"
#include "qemu.h"
#include "qemu_batch.h"

enum { LANES = 32, MAX_ELEMENT = 2 * LANES };
enum { IN = 30, OUT = 31, SCRATCH = 29, AVL = 28 }; /* Registers that no operand is */
enum { FFLAGS = 1, FRM, FCSR, VCSR = 15, VL = 0xc20, VTYPE, DYN = 7 };
enum { E32M1 = 0x10, E32M2 = 0x11 }; /* Values of vtype; tail and mask undisturbed */

typedef enum kind {
    LEFT_OUT,
    SCALAR,
    BRANCH,
    CSR,
    CONFIG,
    MEMORY,
    AMO,
    VECTOR,
    VECTOR_TO_MASK,
    MASK_LOGIC,
    VECTOR_MEMORY,
    ZFINX,
    NUM_KIND
} kind;

typedef struct test_case {
    const karat_row *row;
    int item;          /* The row at that width */
    karat_width width; /* Width of its elements */
    kind kind;
    uint32_t prefix, word;
    karat_insn insn;            /* Operands of the row */
    unsigned rd, rs1, rs2, rs3; /* As encoded; 0 also where there is none */
    bool x1;                    /* Reads a scalar */
    bool v1, v2;                /* Reads a vector */
    bool masked;                /* By v0.t, or v0 is an operand */
    bool skips;                 /* Elements whose bit of v0.t is 0 */
    bool fp_scalar;             /* The scalar operand is an f register in V 1.0 */
    bool fp;                    /* Operands are floating-point numbers, mostly */
    uint32_t lmul;
    uint32_t frm, fflags, vcsr; /* Before it */
    uint32_t in, out;           /* First words in a pass */
    unsigned fillers;           /* BRANCH: instructions that it may jump over */
    int32_t base;               /* MEMORY, AMO: rs1 less the address of the case's window */
    unsigned before;            /* AMO: what is reserved before it, see qemu_memory.c */
} test_case;

/* --- For every part: random numbers, code, the model --- */

extern struct rng rng;
uint32_t random_word(void);
/* Corners, their neighbours, single bits, runs of ones, small ones, anything. */
uint32_t random_integer(void);

/* The guest's code. in_words and out_words of the batch are what a pass has so far: a part adds its own. */
extern struct header *header;
void emit(uint32_t word);
void emit_flags(const test_case *t); /* Stores frm and fflags */
#define EMIT(...) emit(OP(__VA_ARGS__))
/* The model's code: only these words are executed there, one after the other. */
void place(uint32_t word);

/* Set an operand of the instruction by the name of its kind, where it has one. */
void set_operand(test_case *t, const char *name, int32_t value);
/* Enter the number of a register operand into the case. */
void take_register(test_case *t, const karat_operand_kind *o, unsigned number);

/* VECTOR, VECTOR_TO_MASK or MASK_LOGIC, of the major opcode OP-V. */
kind vector_kind(const karat_row *row);
/* Whether a chapter of the RISC-V specification defines it. */
bool is_specified(const karat_row *row);

/* The model, its last commit and its memory for the windows of MEMORY, AMO and VECTOR_MEMORY cases. */
#define MODEL_WINDOW 0x90000000u
#define WIDE_WINDOW  0x590000000ull /* Window of test_qemu64 */
extern karat_model *model;
extern karat_commit commit;
/* One step; false, and a difference, where the model says that it is an error. */
bool step_model(const test_case *t);
void set_scalar(unsigned reg, uint32_t value);
uint32_t get_scalar(unsigned reg);
uint32_t get_csr_value(uint32_t csr);
void adopt_v(unsigned reg, uint32_t lmul, const uint32_t *value);
const uint32_t *vector(unsigned reg); /* Until the next step */

/* A difference: says so, with the instruction and the first words of its input. */
void report(const test_case *t, const char *what, unsigned element, uint64_t got, uint64_t expected,
            const uint32_t *in);
/* Calls report() where the two differ. */
void expect(const test_case *t, const char *what, unsigned element, uint64_t got, uint64_t expected,
            const uint32_t *in);
/* Count elements compared. */
void count_elements(const test_case *t, uint32_t num);

/* Sets v0 of the model: bit i of packed as bit 0 of element i, under random bits. */
void adopt_mask(uint32_t lmul, const uint32_t *packed);
/* Emits vle32.v or vse32.v of a group at IN or OUT, which moves on after it. */
void emit_vector(bool load, unsigned reg, uint32_t lmul);
/* Emits vlm.v v0 at IN, which moves on by two words: a row that Ventus does not have. */
void emit_mask(const test_case *t);

static inline int32_t vtype_of(uint32_t lmul) {
    return lmul == 2 ? E32M2 : E32M1;
}

/* --- The parts, and all of them --- */

typedef struct part {
    /* Choose what random numbers leave open and may not be just anything; before the word is encoded. */
    void (*choose)(test_case *t);
    void (*emit)(test_case *t);
    void (*operands)(uint32_t *in, const test_case *t);
    /* Both step the model over the case's words; false where it stopped. */
    bool (*compare)(const test_case *t, const uint32_t *in, const uint32_t *out);
    /* The part of the input that is of interest in a report; NULL: its first words. */
    void (*describe)(const test_case *t, unsigned element, const uint32_t *in);
} part;

typedef struct group {
    const char *name;
    kind first, last;
} group;

/* The comparisons of a test. */
typedef struct suite {
    karat_profile profile;
    /* The kind of a row at a width; LEFT_OUT with a reason, or with none where that is no item of the
     * test. */
    kind (*kind_of)(const karat_row *row, karat_width width, const char **reason);
    void (*choose_registers)(test_case *t);
    const part *const *parts; /* By kind */
    const group *groups;      /* For figures; the last one has no name */
} suite;

/* The model and the seed; says which items are left out. False where that fails. */
bool run_begin(const suite *s, uint32_t deviations);
/* Instructions of the kinds from first to last, until that many are compared or one stops the model. */
void run(struct qemu *guest, kind first, kind last, const char *count, uint64_t fallback);
/* Figures; the test's exit code. status: of the guests; rows_file: gets the names of the rows that were
 * executed; may be NULL. */
int run_end(int status, const char *rows_file);

extern const part scalar_part, zfinx_part, vector_part;      /* In qemu_arith.c */
extern const part branch_part, csr_part, config_part;        /* In qemu_control.c */
extern const part memory_part, amo_part, vector_memory_part; /* In qemu_memory.c */

/* Parts of test_qemu64, in qemu_wide.c. */
enum { WIDE_BASE = 26 }; /* Holds the address of an AMO; no operand is there or above */
void choose_wide_registers(test_case *t);
extern const part wide_scalar_part, wide_branch_part, wide_amo_part, wide_vector_part;

#endif
