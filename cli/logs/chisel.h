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
    /* Rows of values by lane: a vector, then a vector store's addresses; after sums, the bases */
    uint32_t num_rows, rows[3][KARAT_MAX_THREAD];
} chisel_line;
#define CHISEL_NONE UINT32_MAX /* No line, life or warp */
#define CHISEL_SM   255
#define CHISEL_WARP 64

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
    bool lost;            /* A line fits nothing: the rest is of no use */
    chisel_step *steps;   /* The last CHISEL_STEPS */
    uint64_t num_steps;   /* Steps ever */
    uint32_t life;        /* First of the slot's in chisel_log.lives that may begin, or CHISEL_NONE */
    uint32_t youngest;    /* Last of the slot's in chisel_log.lives, or CHISEL_NONE */
    uint64_t next_access; /* Number of the first step after the last whose access was printed */
    bool says_pc, says_mask;
    uint32_t pc, mask; /* The next pc and mask, as printed by the instruction before */
} chisel_slot;

/* The lines of a slot up to an ENDPRG: a warp's life. Late lines of the warp before may count as a life
 * without identification. */
typedef struct chisel_life {
    uint32_t sm;
    uint32_t first, last; /* Lines: their numbers */
    uint32_t next;        /* The next life of the slot, or CHISEL_NONE */
    bool ended;           /* By an ENDPRG */
    uint32_t told;        /* The first line that reported is of, or CHISEL_NONE */
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
    uint32_t threads;
    uint32_t last[CHISEL_SM][CHISEL_WARP]; /* The number of each slot's last line; 0: it has none */
    uint32_t end;                          /* The number of the last line of all; 0: still to be found */
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

/* Take the lines of p->text apart, all of them, once.  False: an error was reported. */
bool chisel_check(chisel_log *p);
/* The next line of the core, of those that were found to be right.  False: there is none, or an error was
 * reported (p->text.failed). */
bool chisel_next(chisel_log *p, chisel_line *line);

/* --- chisel_warps.c --- */

/* The session's next kernel begins with the line that was taken last, or the log's first: its lives, and
 * which warps they are, are looked up ahead of it.  False: an error was reported. */
bool chisel_begin_kernel(importer *imp, chisel_log *p);
/* The warp that begins with that line, the one taken last, in the slot.  False: an error was reported. */
bool chisel_launch(importer *imp, chisel_log *p, import_slot *slot, chisel_slot *sl, const chisel_line *line);

#endif
