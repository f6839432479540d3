#include "log.h"

#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BOOT_FIRST 0x1000u /* the simulator's boot ROM */
#define BOOT_LAST  0x1010u
#define ENDPRG     0x0000400bu
#define MAX_CORES  1024u

/* --- Fields --- */

/* x5 0x........ , or f7 0xffffffff........ , which is x7 */
static bool take_x(text_cursor *c, log_fields *f, bool is_float) {
    log_x *x = &f->x[f->num_x];
    uint64_t value;
    if (f->num_x == LOG_MAX_WRITE || !text_number(c, &x->reg) || x->reg >= KARAT_NUM_X ||
        !text_ends(*c->at) || !text_take(c, "0x") || !text_hex(c, is_float ? 16 : 8, &value) ||
        (is_float && value >> 32 != UINT32_MAX))
        return false;
    x->value = (uint32_t)value;
    f->num_x++;
    return true;
}

/* v1 MASK 0xVALUE VALUE ..., the highest lane first */
static bool take_v(text_cursor *c, log_fields *f, uint32_t lanes) {
    log_v *v = &f->v[f->num_v];
    if (f->num_v == LOG_MAX_WRITE || !text_number(c, &v->reg) || v->reg >= KARAT_NUM_V ||
        !text_hex32(c, &v->mask))
        return false;
    for (uint32_t lane = lanes; lane-- > 0;)
        if (!(lane == lanes - 1 ? text_0x32(c, &v->value[lane]) : text_hex32(c, &v->value[lane])))
            return false;
    f->num_v++;
    return true;
}

/* c768_mstatus 0x........ */
static bool take_csr(text_cursor *c, log_fields *f) {
    log_csr *csr = &f->csr[f->num_csr];
    if (f->num_csr == LOG_MAX_CSR || !text_number(c, &csr->csr) || csr->csr > 0xfff || *c->at++ != '_')
        return false;
    size_t length = strcspn(c->at, " \t");
    if (!length || length >= sizeof csr->name)
        return false;
    memcpy(csr->name, c->at, length);
    csr->name[length] = 0;
    c->at += length;
    if (!text_0x32(c, &csr->value))
        return false;
    f->num_csr++;
    return true;
}

/* A power of two up to that. */
static bool take_power(text_cursor *c, uint32_t least, uint32_t most, uint32_t *value) {
    return text_number(c, value) && text_ends(*c->at) && *value >= least && *value <= most &&
           !(*value & (*value - 1));
}

/* e32 m1 l8 */
static bool take_config(text_cursor *c, log_fields *f) {
    if (f->has_config || !take_power(c, 8, 64, &f->sew) || !text_take(c, "m") ||
        !take_power(c, 1, 8, &f->lmul) || !text_take(c, "l") || !text_number(c, &f->vl) || !text_ends(*c->at))
        return false;
    f->has_config = true;
    return true;
}

/* mem 0xADDR, and for a store 0xDATA */
static bool take_mem(text_cursor *c, log_fields *f) {
    log_access *a = &f->mem[f->num_mem];
    if (f->num_mem == sizeof f->mem / sizeof *f->mem || !text_0x32(c, &a->addr))
        return false;
    text_cursor ahead = *c;
    a->stored = 0;
    a->value = 0;
    if (text_take(&ahead, "0x")) {
        /* as many digits as bytes were stored */
        size_t digits = strcspn(ahead.at, " \t");
        uint64_t value;
        if ((digits != 2 && digits != 4 && digits != 8) || !text_hex(&ahead, (int)digits, &value))
            return false;
        a->value = (uint32_t)value;
        a->stored = (uint8_t)(digits / 2);
        *c = ahead;
    }
    f->num_mem++;
    return true;
}

/* current mask: ........ current npc: ........ stack size: N */
static bool take_simt(text_cursor *c, log_fields *f) {
    if (f->has_simt || !text_hex32(c, &f->mask) || !text_take(c, "current npc:") || !text_hex32(c, &f->npc) ||
        !text_take(c, "stack size:"))
        return false;
    text_skip(c);
    f->has_simt = true;
    return text_number(c, &f->depth) && text_ends(*c->at);
}

static bool take_field(text_cursor *c, log_fields *f, uint32_t lanes) {
    if (text_take(c, "current mask:"))
        return take_simt(c, f);
    if (text_take(c, "mem "))
        return take_mem(c, f);
    if (text_take(c, "x"))
        return take_x(c, f, false);
    if (text_take(c, "f"))
        return take_x(c, f, true);
    if (text_take(c, "v"))
        return take_v(c, f, lanes);
    if (text_take(c, "c"))
        return take_csr(c, f);
    if (text_take(c, "e"))
        return take_config(c, f);
    return false;
}

bool log_parse(const log_file *log, const log_commit *commit, uint32_t lanes, log_fields *f) {
    text_cursor c = {commit->fields};
    f->num_x = f->num_v = f->num_csr = f->num_mem = 0;
    f->has_config = f->has_simt = false;
    f->depth = 0;
    while (!text_at_end(&c)) {
        text_cursor from = c;
        if (!take_field(&c, f, lanes)) {
            cli_error("%s:%" PRIu32 ": expected a field of a register log at '%.40s'", log->path,
                      commit->line, from.at);
            return false;
        }
    }
    if (f->depth != commit->num_stack) {
        cli_error("%s:%" PRIu32 ": expected %" PRIu32 " SIMT stack lines after it, found %" PRIu32, log->path,
                  commit->line, f->depth, commit->num_stack);
        return false;
    }
    return true;
}

/* --- Lines --- */

/* What is known of one core while the log is read. */
typedef struct core_state {
    uint32_t last;  /* its last commit in this run, or LOG_NONE */
    uint32_t run;   /* its current run, or LOG_NONE */
    uint32_t runs;  /* so far */
    bool announced; /* a disassembly line came: pc, word */
    uint32_t pc, word;
    uint32_t commits; /* since that line */
} core_state;

typedef struct log_reader {
    log_file *log;
    core_state *cores;
    uint32_t line;
    uint32_t room_commits, room_stack, room_runs;
} log_reader;

static bool complain(const log_reader *r, const char *expected) {
    cli_error("%s:%" PRIu32 ": expected %s", r->log->path, r->line, expected);
    return false;
}

/* Room for one more element of an array. */
static bool grow(void **array, uint32_t num, uint32_t *room, size_t size) {
    if (num < *room)
        return true;
    uint32_t more = *room ? 2 * *room : 1024;
    void *bigger = realloc(*array, more * size);
    if (!bigger) {
        cli_error("not enough memory");
        return false;
    }
    *array = bigger;
    *room = more;
    return true;
}

static bool in_boot(uint32_t pc) {
    return pc >= BOOT_FIRST && pc <= BOOT_LAST;
}

static log_run *new_run(log_reader *r, uint32_t core) {
    log_file *log = r->log;
    void *runs = log->runs;
    bool good = grow(&runs, log->num_runs, &r->room_runs, sizeof *log->runs);
    log->runs = runs;
    if (!good)
        return NULL;
    core_state *s = &r->cores[core];
    s->run = log->num_runs++;
    s->last = LOG_NONE;
    log_run *run = &log->runs[s->run];
    *run = (log_run){.core = core, .index = s->runs++, .line = r->line, .first = LOG_NONE};
    return run;
}

/* Put a commit into its run.  The boot ROM's and the exit stub's are only counted. */
static bool file_commit(log_reader *r, uint32_t core) {
    log_file *log = r->log;
    log_commit *c = &log->commits[log->num_commits];
    core_state *s = &r->cores[core];
    log_run *run = s->run == LOG_NONE ? NULL : &log->runs[s->run];
    if (c->pc == BOOT_FIRST || !run)
        run = new_run(r, core);
    if (!run)
        return false;
    if (in_boot(c->pc)) {
        log_fields f;
        c->num_stack = 0;
        if (!log_parse(log, c, 1, &f))
            return false;
        for (uint32_t i = 0; i < f.num_x; i++) {
            run->x[f.x[i].reg] = f.x[i].value;
            run->x_given |= UINT64_C(1) << f.x[i].reg;
        }
        run->boot++;
        return true;
    }
    if (run->ended) {
        /* Only the first core runs on, into the exit stub. */
        if (core != 0)
            return complain(r, "nothing more of this core after its ENDPRG");
        run->stub++;
        return true;
    }
    if (s->last == LOG_NONE)
        run->first = log->num_commits;
    else
        log->commits[s->last].next = log->num_commits;
    s->last = log->num_commits++;
    run->ended = c->word == ENDPRG;
    return true;
}

/* core N: 3 0xPC (0xWORD) fields */
static bool read_commit(log_reader *r, uint32_t core, text_cursor *c, uint32_t pc, uint32_t word) {
    log_file *log = r->log;
    core_state *s = &r->cores[core];
    if (!s->announced || s->pc != pc || s->word != word)
        return complain(r, "this instruction's disassembly line before its commit line");
    s->commits++;
    void *commits = log->commits;
    bool good = grow(&commits, log->num_commits, &r->room_commits, sizeof *log->commits);
    log->commits = commits;
    if (!good)
        return false;
    log->commits[log->num_commits] = (log_commit){
        .core = core,
        .line = r->line,
        .pc = pc,
        .word = word,
        .fields = c->at,
        .stack = log->num_stack,
        .next = LOG_NONE,
    };
    return file_commit(r, core);
}

/* [r_pc] A [else_pc] B [else_mask] C, of the commit line before it */
static bool read_stack(log_reader *r, text_cursor *c) {
    log_file *log = r->log;
    void *stack = log->stack;
    bool good = grow(&stack, log->num_stack, &r->room_stack, sizeof *log->stack);
    log->stack = stack;
    if (!good)
        return false;
    log_stack_line *l = &log->stack[log->num_stack];
    l->line = r->line;
    if (!text_hex32(c, &l->entry.rpc) || !text_take(c, "[else_pc]") || !text_hex32(c, &l->entry.next) ||
        !text_take(c, "[else_mask]") || !text_hex32(c, &l->entry.mask) || !text_at_end(c))
        return complain(r, "'[r_pc] A [else_pc] B [else_mask] C'");
    if (!log->num_commits ||
        log->commits[log->num_commits - 1].line + log->commits[log->num_commits - 1].num_stack + 1 != r->line)
        return complain(r, "a commit line before SIMT stack entries");
    log->commits[log->num_commits - 1].num_stack++;
    log->num_stack++;
    return true;
}

static bool read_core_line(log_reader *r, text_cursor *c) {
    uint32_t core, count, pc, word;
    text_skip(c);
    if (!text_number(c, &core) || core >= MAX_CORES || !text_take(c, ":"))
        return complain(r, "'core N:'");
    core_state *s = &r->cores[core];
    if (text_take(c, "Executed")) {
        text_skip(c);
        if (!text_number(c, &count) || !text_take(c, "times") || !text_at_end(c))
            return complain(r, "'Executed N times'");
        if (!s->announced || count != s->commits) {
            cli_error("%s:%" PRIu32 ": expected %" PRIu32 " commit lines before it, found %" PRIu32,
                      r->log->path, r->line, count, s->commits);
            return false;
        }
        return true;
    }
    bool commit = text_take(c, "3 ");
    if (!text_0x32(c, &pc) || !text_take(c, "(") || !text_0x32(c, &word) || *c->at++ != ')')
        return complain(r, "'0xPC (0xWORD)'");
    if (commit)
        return read_commit(r, core, c, pc, word);
    s->announced = true;
    s->pc = pc;
    s->word = word;
    s->commits = 0;
    return true;
}

static bool read_line(log_reader *r, char *line) {
    text_cursor c = {line};
    if (text_take(&c, "core"))
        return read_core_line(r, &c);
    if (text_take(&c, "[r_pc]"))
        return read_stack(r, &c);
    return text_at_end(&c) || complain(r, "a line of a register log");
}

/* --- Files --- */

/* A line that the log ends in and that no newline ends may lack fields, but for an ENDPRG, which has none. */
static bool is_whole(const char *line) {
    return strstr(line, "(0x0000400b)") != NULL;
}

/* The log ends among the SIMT stack lines of its last commit: that commit is not told, then. */
static void leave_out_cut(log_reader *r) {
    log_file *log = r->log;
    const uint32_t at = log->num_commits - 1;
    if (!log->num_commits || log->commits[at].line + log->commits[at].num_stack != r->line)
        return;
    static const char size[] = "stack size:";
    text_cursor c = {strstr(log->commits[at].fields, size)};
    uint32_t depth;
    if (!c.at)
        return;
    c.at += sizeof size - 1;
    text_skip(&c);
    if (!text_number(&c, &depth) || depth <= log->commits[at].num_stack)
        return;
    log->num_stack -= log->commits[at].num_stack;
    log->num_commits = at;
    for (uint32_t i = 0; i < at; i++)
        if (log->commits[i].next == at)
            log->commits[i].next = LOG_NONE;
    for (uint32_t i = 0; i < log->num_runs; i++)
        if (log->runs[i].first == at)
            log->runs[i].first = LOG_NONE;
}

bool log_open(log_file *log, const char *path) {
    size_t size;
    *log = (log_file){.path = path};
    log->text = text_read(path, &size);
    if (!log->text)
        return false;
    log_reader r = {.log = log, .cores = calloc(MAX_CORES, sizeof *r.cores)};
    bool good = r.cores != NULL;
    if (!good)
        cli_error("not enough memory");
    for (uint32_t i = 0; good && i < MAX_CORES; i++)
        r.cores[i].run = r.cores[i].last = LOG_NONE;
    if (good && memchr(log->text, 0, size)) {
        cli_error("%s: expected text", path);
        good = false;
    }
    char *line = log->text;
    while (good && line < log->text + size) {
        char *end = line + strcspn(line, "\n");
        if (!*end && !is_whole(line))
            break;
        *end = 0;
        if (end > line && end[-1] == '\r')
            end[-1] = 0;
        r.line++;
        good = read_line(&r, line);
        line = end + 1;
    }
    if (good)
        leave_out_cut(&r);
    free(r.cores);
    return good;
}

void log_close(log_file *log) {
    free(log->text);
    free(log->commits);
    free(log->stack);
    free(log->runs);
    *log = (log_file){0};
}

char *log_beside(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    char *name = malloc(stem + sizeof ".log");
    if (name) {
        memcpy(name, path, stem);
        memcpy(name + stem, ".log", sizeof ".log");
    }
    return name;
}
