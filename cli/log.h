/* The register logs of the instruction-set simulator (format: README of the kernels folder). */
#ifndef KARAT_LOG_H
#define KARAT_LOG_H

#include "cli.h"

#define LOG_NONE UINT32_MAX

/* A commit line. */
typedef struct log_commit {
    uint32_t core, line, pc, word;
    const char *fields;        /* what follows the word, NUL terminated */
    uint32_t stack, num_stack; /* lines of SIMT stack entries that follow it, in log_file.stack */
    uint32_t next;             /* the same core's next commit in the same run, or LOG_NONE */
} log_commit;

typedef struct log_stack_line {
    uint32_t line;
    karat_simt_entry entry;
} log_stack_line;

/* One warp's life: from the boot ROM to its ENDPRG. */
typedef struct log_run {
    uint32_t core, index;    /* the core's index-th run */
    uint32_t line;           /* where it begins */
    uint32_t first;          /* commit behind the boot ROM, or LOG_NONE */
    bool ended;              /* ENDPRG was logged */
    uint32_t x[KARAT_NUM_X]; /* what the boot ROM has left in the registers, */
    uint64_t x_given;        /* and which of them it wrote (bits) */
    uint32_t boot, stub;     /* commits before first, and after ENDPRG */
} log_run;

typedef struct log_file {
    const char *path;
    char *text;
    log_commit *commits;
    uint32_t num_commits;
    log_stack_line *stack;
    uint32_t num_stack;
    log_run *runs;
    uint32_t num_runs;
} log_file;

#define LOG_MAX_WRITE 8
#define LOG_MAX_CSR   8

typedef struct log_x {
    uint32_t reg, value;
} log_x;
typedef struct log_v {
    uint32_t reg, mask;
    uint32_t value[KARAT_MAX_THREAD]; /* by lane */
} log_v;
typedef struct log_csr {
    uint32_t csr, value;
    char name[16];
} log_csr;
typedef struct log_access {
    uint32_t addr, value;
    uint8_t stored; /* bytes; 0: it has no data */
} log_access;

/* A commit line taken apart. */
typedef struct log_fields {
    uint32_t num_x, num_v, num_csr, num_mem;
    log_x x[LOG_MAX_WRITE];
    log_v v[LOG_MAX_WRITE];
    log_csr csr[LOG_MAX_CSR];
    log_access mem[2 * KARAT_MAX_ACCESS];
    bool has_config; /* sew, lmul, vl */
    uint32_t sew, lmul, vl;
    bool has_simt; /* mask, npc, depth, and the entries in log_file.stack */
    uint32_t mask, npc, depth;
} log_fields;

/* Read a log.  False: one line has been said.  log_close() in any case. */
bool log_open(log_file *log, const char *path);
void log_close(log_file *log);

/* Take a commit's fields apart; vectors have that many lanes.  False: one line has been said. */
bool log_parse(const log_file *log, const log_commit *commit, uint32_t lanes, log_fields *fields);

/* NAME.log beside a kernel's file: the caller's to free(). */
char *log_beside(const char *path);

#endif
