/* Format chisel (import_chisel.c): lines of the log, warps, steps. */
#ifndef KARAT_CHISEL_H
#define KARAT_CHISEL_H

#include "import.h"
#include "slot_lives.h"
#include "text.h"

#define CHISEL_AHEAD 4096 /* Instructions between two lines of a warp */
#define CHISEL_STEPS 256  /* Steps of a warp that may still print something */

typedef enum line_kind {
    LINE_X,
    LINE_V,
    LINE_MEM_X,
    LINE_MEM_V,
    LINE_FIN,
    LINE_JUMP,
    LINE_VBRANCH,
    LINE_JOIN,
    LINE_SETRPC,
    LINE_BARRIER,
    LINE_ENDPRG
} line_kind;

typedef struct chisel_line {
    uint32_t line, sm, warp, pc, word;
    uint8_t kind;
    bool store;            /* Memory access */
    bool sums;             /* Vector access: BASE+OFFSET of each lane; the bases are after the sums */
    uint32_t taken, op;    /* Jump?, pop, 0 or 1; the operation, which is not used */
    uint32_t reg, mask;    /* Register; mask of a write, a store, a branch's outcome */
    uint32_t target;       /* Target of a branch; value of a scalar write; data of a scalar store */
    uint32_t base, offset; /* Scalar access */
    uint32_t
        values; /* First of chisel_log.values: a vector's lanes; a vector store's addresses after its data */
    uint32_t next; /* The next line of the slot, or NO_LINE */
} chisel_line;
#define NO_LINE UINT32_MAX

/* The meaning of BASE+OFFSET of a vector access: the address itself; operands of the address; or only the
 * base counts. */
typedef enum sum_form { SUM_ADDRESS, SUM_PARTS, SUM_BASE } sum_form;

/* An instruction that was stepped, and its lines so far. */
typedef struct chisel_step {
    uint32_t seq, epoch, pc, word;
    uint32_t num_writes;
    uint8_t cls[KARAT_MAX_WRITE];
    uint16_t reg[KARAT_MAX_WRITE];
    bool wrote[KARAT_MAX_WRITE], accessed, jumped, showed; /* A vbranch or join showed */
    bool has_mem, ended;
    uint8_t owes; /* KARAT_OWES_* of its row */
    uint8_t unit;
    uint8_t form;                     /* The sum_form of a vector access */
    uint32_t parts[KARAT_MAX_THREAD]; /* The sum, or the base, that the core is to print */
    bool popped; /* The stack was popped, as it showed last, with the mask and target below */
    uint32_t mask, target;
    uint32_t link; /* A jump's, as it was written */
    karat_mem mem;
} chisel_step;

/* A warp slot. */
typedef struct chisel_slot {
    uint32_t first, last; /* The first and last of its lines, or NO_LINE */
    bool lost;            /* A line fits nothing: the rest is of no use */
    chisel_step *steps;   /* The last CHISEL_STEPS */
    uint64_t num_steps;   /* Steps ever */
    uint32_t life;        /* First of the slot's in chisel_log.lives that has not begun, or NO_LINE */
    uint64_t next_access; /* Number of the first step after the last whose access was printed */
    bool says_pc, says_mask;
    uint32_t pc, mask; /* The next pc and mask, as printed by the instruction before */
} chisel_slot;

/* The lines of a slot up to an ENDPRG: a warp's life. Late lines of the warp before may count as a life
 * without identification. */
typedef struct chisel_life {
    uint32_t first, last; /* Lines */
    uint32_t next;        /* The next life of the slot, or NO_LINE */
    reported_csrs reported;
} chisel_life;

/* A warp of the kernel begun last. */
typedef enum warp_use {
    WARP_FREE,
    WARP_MAYBE, /* Warp of some life; it might be another's as well */
    WARP_SURE,  /* Warp of a life whose identification permits no other */
    WARP_STARTED
} warp_use;

typedef struct chisel_group {
    bool has_lds, has_wgid;
    uint32_t lds, wgid; /* Values that its warps have read */
} chisel_group;

typedef struct chisel_log {
    log_lines text;
    chisel_line *lines;
    uint32_t num_lines;
    uint32_t *values;
    uint32_t num_values;
    uint32_t threads;
    chisel_slot *slots;
    /* Of the kernel begun last: lives, where they are, how warps are used, workgroups. */
    chisel_life *lives;
    slot_life *places;
    uint32_t num_lives;
    uint8_t *use;
    chisel_group *groups;
    karat_rec_issue *pending;  /* Room for a search */
    chisel_step *ahead;        /* The steps of a search */
    bool lost;                 /* Some slot is */
    uint64_t placed, by_order; /* Warps; and those that more than one warp of the grid fits */
} chisel_log;

/* --- chisel_lines.c --- */

/* The line has what the core prints, from there on: after a time, or text of another program, perhaps. */
bool chisel_begins(const char *line, text_cursor *at);

/* Take the lines of p->text apart.  False: an error was reported. */
bool chisel_read(chisel_log *p);

/* --- chisel_warps.c --- */

/* The session's next kernel begins with that line: its lives, and which warps they are. */
bool chisel_begin_kernel(importer *imp, chisel_log *p, uint32_t line);
/* The warp that begins with that line in the slot. */
bool chisel_launch(importer *imp, chisel_log *p, import_slot *slot, chisel_slot *sl, uint32_t line);

#endif
