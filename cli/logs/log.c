#include "log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BOOT_FIRST 0x1000u /* The simulator's boot ROM */
#define BOOT_LAST  0x1010u
#define ENDPRG     0x0000400bu
#define MAX_CORES  65536u

/* The state of one core while the log is read. */
typedef struct core_state {
    uint32_t run;              /* The current run of the core, or LOG_NONE */
    uint32_t runs;             /* Number of runs so far */
    bool boot, ended, trapped; /* The run has commits of the boot ROM, its ENDPRG, a trap */
    bool begun;                /* The run has commits after the boot ROM */
    uint32_t first_pc;         /* The pc of the first commit after the boot ROM */
    uint32_t line;             /* The line of its last commit */
    bool announced;            /* A disassembly line came: pc, word */
    uint32_t pc, word;
    uint32_t commits; /* Since that line */
} core_state;

/* Which commit the lines of SIMT state belong to. */
typedef enum owner { OWNER_NONE, OWNER_COMMIT, OWNER_PASSED_OVER } owner;

typedef struct log_reader {
    log_file *log;
    log_sink *sink;
    void *context;
    core_state *cores;
    uint32_t num_cores, num_runs;
    log_commit commit; /* The last one */
    bool pending;      /* The last commit is still to be given to the sink */
    bool sated;        /* The sink wants no more */
    owner owner;       /* Owner of lines that are of no core: the last commit line's */
    uint32_t depth;    /* Depth of the SIMT stack on the last commit line */
    unsigned part;  /* The part of its SIMT state that comes next on a line: 0 none, 1 mask, 2 npc, 3 depth */
    bool announces; /* The log has disassembly lines */
} log_reader;

static bool complain(log_reader *r, const char *expected) {
    return log_lines_refuse(&r->log->lines, r->log->lines.number, "%s", expected);
}

static core_state *core_at(log_reader *r, uint32_t core) {
    if (core >= r->num_cores) {
        const uint32_t num = core + 64;
        core_state *more = realloc(r->cores, num * sizeof *more);
        if (!more) {
            cli_error("not enough memory");
            return NULL;
        }
        for (uint32_t i = r->num_cores; i < num; i++)
            more[i] = (core_state){.run = LOG_NONE};
        r->cores = more;
        r->num_cores = num;
    }
    return &r->cores[core];
}

/* --- Commits --- */

static bool in_boot(uint32_t pc) {
    return pc >= BOOT_FIRST && pc <= BOOT_LAST;
}

static log_run *new_run(log_reader *r, uint32_t core) {
    log_file *log = r->log;
    core_state *s = &r->cores[core];
    if (r->num_runs == log->num_runs) { /* Other runs are known since the log was opened */
        if (!log_grow(&log->runs, log->num_runs, sizeof *log->runs))
            return NULL;
        log->runs[log->num_runs++] = (log_run){.core = core, .index = s->runs, .line = log->lines.number};
    }
    s->run = r->num_runs++;
    s->runs++;
    s->boot = s->ended = s->trapped = s->begun = false;
    return &log->runs[s->run];
}

/* In a log without boot ROM, a run begins where the pc is that of the start of the one before. */
static bool begins_again(const core_state *s, uint32_t pc) {
    return s->ended && !s->boot && s->begun && s->first_pc == pc;
}

/* Give the last commit to the sink, which is complete. */
static bool deliver(log_reader *r) {
    r->sated = r->pending && !r->sink(r->context, &r->commit);
    r->pending = false;
    return !r->sated;
}

/* The commit that was read last is the core's next in its run. */
static void keep_commit(log_reader *r, core_state *s) {
    r->commit.run = s->run;
    r->pending = true;
    if (!s->begun)
        s->first_pc = r->commit.pc;
    s->begun = true;
}

/* Put a commit into its run.  The boot ROM's, the exit stub's and those after a trap are passed over. */
static bool file_commit(log_reader *r, uint32_t core) {
    log_file *log = r->log;
    const log_commit *c = &r->commit;
    core_state *s = &r->cores[core];
    log_run *run = s->run == LOG_NONE ? NULL : &log->runs[s->run];
    if (c->pc == BOOT_FIRST || !run || begins_again(s, c->pc))
        run = new_run(r, core);
    if (!run)
        return false;
    r->owner = OWNER_PASSED_OVER;
    if (in_boot(c->pc)) {
        for (uint32_t i = 0; i < c->fields.num_x; i++) {
            run->x[c->fields.x[i].reg] = c->fields.x[i].value;
            run->x_given |= UINT64_C(1) << c->fields.x[i].reg;
        }
        s->boot = true;
        log->forms |= LOG_BOOT;
        return true;
    }
    if (s->trapped)
        return true;
    if (s->ended) /* Only the first core runs on, into the exit stub */
        return core == 0 || complain(r, "nothing more of this core after its ENDPRG");
    keep_commit(r, s);
    s->ended = c->word == ENDPRG;
    r->owner = OWNER_COMMIT;
    r->depth = c->fields.depth;
    return true;
}

/* The word in brackets: 8 hex digits, or 4 of an instruction of 16 bits. */
static bool take_word(text_cursor *c, uint32_t *word, bool *is_short) {
    uint64_t value;
    if (!text_take(c, "(") || !text_take(c, "0x"))
        return false;
    const int digits = (int)strcspn(c->at, ")");
    if ((digits != 4 && digits != 8) || !text_hex(c, digits, &value))
        return false;
    *word = (uint32_t)value;
    *is_short = digits == 4;
    return *c->at++ == ')';
}

/* The next commit; the one before is complete. */
static bool new_commit(log_reader *r, uint32_t pc, uint32_t word) {
    if (!deliver(r))
        return false;
    log_commit *c = &r->commit;
    c->line = r->log->lines.number;
    c->pc = pc;
    c->word = word;
    c->is_trap = c->has_block = false;
    c->num_stack = 0;
    return log_take_fields(r->log, &(text_cursor){""}, &c->fields);
}

/* Form: core N: 3 0xPC (0xWORD) fields */
static bool read_commit(log_reader *r, uint32_t core, text_cursor *c, uint32_t pc, uint32_t word,
                        bool is_short) {
    log_file *log = r->log;
    core_state *s = &r->cores[core];
    if (r->announces && (!s->announced || s->pc != pc || (is_short ? s->word & 0xffff : s->word) != word))
        return complain(r, "this instruction's disassembly line before its commit line");
    log->forms |= r->announces ? 0 : LOG_COMMITS_ONLY;
    s->commits++;
    s->line = log->lines.number;
    if (!new_commit(r, pc, word))
        return false;
    log_fields *f = &r->commit.fields;
    if (!log_take_fields(log, c, f))
        return log_lines_refuse(&log->lines, log->lines.number, "a field of a register log at '%.40s'",
                                c->at);
    if (f->num_words)
        log->words = f->num_words;
    log->forms |= f->forms | (is_short ? LOG_SHORT_WORDS : 0);
    return file_commit(r, core);
}

/* --- Traps --- */

/* Form: exception NAME, epc 0xPC.  A vector access that has begun is logged before it as if it had been done:
 * it has not. */
static bool read_trap(log_reader *r, uint32_t core, text_cursor *c) {
    log_file *log = r->log;
    core_state *s = &r->cores[core];
    log_trap trap = {.line = log->lines.number};
    uint32_t forms = 0;
    text_skip(c);
    const size_t length = strcspn(c->at, ",");
    snprintf(trap.name, sizeof trap.name, "%.*s", (int)length, c->at);
    c->at += length;
    if (!length || !text_take(c, ", epc") || !log_take_value(c, &trap.pc, &forms) || !text_at_end(c))
        return complain(r, "'exception NAME, epc 0xPC'");
    if (s->run == LOG_NONE && !new_run(r, core))
        return false;
    log_run *run = &log->runs[s->run];
    if (s->ended || s->trapped)
        return true;
    s->trapped = true;
    if (!run->trap.line)
        run->trap = trap;
    log->forms |= LOG_TRAPS;
    log_commit *last = &r->commit;
    const bool has_begun = r->pending && last->run == s->run && last->pc == trap.pc && last->line == s->line;
    if (!has_begun && !new_commit(r, trap.pc, s->word))
        return false;
    last->is_trap = true;
    if (!has_begun)
        keep_commit(r, s);
    return true;
}

/* Form: tval 0xVALUE */
static bool read_trap_value(log_reader *r, uint32_t core, text_cursor *c) {
    uint32_t value, forms = 0;
    if (!log_take_value(c, &value, &forms) || !text_at_end(c))
        return complain(r, "'tval 0xVALUE'");
    log_run *run = r->cores[core].run == LOG_NONE ? NULL : &r->log->runs[r->cores[core].run];
    if (run && run->trap.line && !run->trap.has_value) {
        run->trap.has_value = true;
        run->trap.value = value;
    }
    return true;
}

/* --- SIMT state --- */

/* [r_pc] A [else_pc] B [else_mask] C, of the commit line before it */
static bool read_stack(log_reader *r, text_cursor *c) {
    log_commit *commit = &r->commit;
    if (!log_grow(&commit->stack, commit->num_stack, sizeof *commit->stack))
        return false;
    karat_simt_entry *l = &commit->stack[commit->num_stack];
    if (!log_take_part(c, "[r_pc]", &l->rpc) || !log_take_part(c, "[else_pc]", &l->next) ||
        !log_take_part(c, "[else_mask]", &l->mask) || !text_at_end(c))
        return complain(r, "'[r_pc] A [else_pc] B [else_mask] C'");
    if (r->owner == OWNER_PASSED_OVER)
        return true;
    if (r->owner == OWNER_NONE || commit->num_stack == r->depth)
        return complain(r, "a commit line before SIMT stack entries");
    commit->num_stack++;
    return true;
}

/* SIMT state on lines of its own: current mask: M, current npc: P, stack size: N. */
static bool read_block(log_reader *r, text_cursor *c) {
    static const char *const names[] = {"current mask:", "current npc:", "stack size:"};
    log_file *log = r->log;
    log_fields *f = &r->commit.fields;
    uint32_t *const values[] = {&f->mask, &f->npc, &f->depth};
    if (r->owner == OWNER_NONE || r->part == 3 || r->depth)
        return complain(r, "a commit line before its SIMT state");
    if (!log_take_part(c, names[r->part], values[r->part]) || !text_at_end(c))
        return log_lines_refuse(&log->lines, log->lines.number, "'%s' and its value", names[r->part]);
    if (++r->part == 3 && r->owner == OWNER_COMMIT) {
        r->commit.has_block = f->has_simt = true;
        r->depth = f->depth;
        log->forms |= LOG_SIMT_BLOCKS;
    }
    return true;
}

/* The lines of the last commit are complete. */
static bool end_commit(log_reader *r) {
    const bool owned = r->owner == OWNER_COMMIT;
    const log_commit *c = &r->commit;
    if (owned && (r->part == 1 || r->part == 2))
        return complain(r, r->part == 1 ? "'current npc:' and its value" : "'stack size:' and its value");
    if (owned && c->num_stack != r->depth)
        return log_lines_refuse(&r->log->lines, c->line,
                                "%" PRIu32 " SIMT stack lines after it, found %" PRIu32, r->depth,
                                c->num_stack);
    r->owner = OWNER_NONE;
    r->part = 0;
    r->depth = 0;
    return true;
}

/* --- Lines --- */

static bool read_executed(log_reader *r, uint32_t core, text_cursor *c) {
    const core_state *s = &r->cores[core];
    uint32_t count;
    text_skip(c);
    if (!text_number(c, &count) || !text_take(c, "times") || !text_at_end(c))
        return complain(r, "'Executed N times'");
    if (!s->announced || count != s->commits)
        return log_lines_refuse(&r->log->lines, r->log->lines.number,
                                "%" PRIu32 " commit lines before it, found %" PRIu32, count, s->commits);
    return true;
}

/* The symbol that begins here. */
static bool read_symbol(log_reader *r, uint32_t core, text_cursor *c) {
    (void)r, (void)core, (void)c;
    return true;
}

/* 0xPC (0xWORD) disassembly, or after the privilege its commit */
static bool read_insn(log_reader *r, uint32_t core, text_cursor *c) {
    core_state *s = &r->cores[core];
    uint32_t pc, word;
    bool is_short;
    text_skip(c);
    const bool commit = c->at[0] >= '0' && c->at[0] <= '3' && c->at[1] == ' ';
    c->at += commit;
    if (!log_take_value(c, &pc, &r->log->forms) || !take_word(c, &word, &is_short))
        return complain(r, "'0xPC (0xWORD)'");
    if (commit)
        return read_commit(r, core, c, pc, word, is_short);
    if (r->log->forms & LOG_COMMITS_ONLY)
        return complain(r, "no disassembly line: there were none before");
    r->announces = s->announced = true;
    s->pc = pc;
    s->word = word;
    s->commits = 0;
    return true;
}

static bool read_core_line(log_reader *r, text_cursor *c) {
    static const struct {
        const char *word;
        bool (*read)(log_reader *, uint32_t, text_cursor *);
    } forms[] = {{"Executed", read_executed},
                 {">>>>", read_symbol},
                 {"exception", read_trap},
                 {"tval", read_trap_value},
                 {"", read_insn}};
    uint32_t core;
    size_t i = 0;
    if (!end_commit(r))
        return false;
    text_skip(c);
    if (!text_number(c, &core) || core >= MAX_CORES || !text_take(c, ":"))
        return complain(r, "'core N:'");
    if (!core_at(r, core))
        return false;
    while (!text_take(c, forms[i].word))
        i++;
    return forms[i].read(r, core, c);
}

/* Form: core N: 0x, or core N: 3 0x */
static bool begins_core(text_cursor c) {
    uint32_t number;
    if (!text_take(&c, "core"))
        return false;
    text_skip(&c);
    if (!text_number(&c, &number) || !text_take(&c, ":"))
        return false;
    text_skip(&c);
    c.at += *c.at >= '0' && *c.at <= '3' && c.at[1] == ' ';
    return text_take(&c, "0x");
}

bool log_begins(const char *line, text_cursor *at) {
    text_cursor c = {line};
    *at = c;
    if (text_take(&c, "core"))
        return true;
    while ((at->at = strstr(at->at, "core")))
        if (begins_core(*at))
            return true;
        else
            at->at++;
    return false;
}

/* The part of a line of SIMT state, after text of another program perhaps. */
static bool find_simt(const char *line, text_cursor *at) {
    static const char *const begins[] = {"[r_pc]", "current mask:", "current npc:", "stack size:"};
    at->at = NULL;
    for (size_t i = 0; i < sizeof begins / sizeof *begins && !at->at; i++)
        at->at = strstr(line, begins[i]);
    return at->at;
}

static bool read_line(log_reader *r, const char *line) {
    text_cursor c = {line}, blank = c;
    const bool of_core = log_begins(line, &c), known = of_core || find_simt(line, &c);
    if (!known && text_at_end(&blank))
        return end_commit(r);
    const bool foreign = !known || c.at > line + strspn(line, " \t");
    if (foreign && !log_lines_foreign(&r->log->lines, "a line of a register log"))
        return false;
    if (!known)
        return true;
    if (of_core)
        return text_take(&c, "core") && read_core_line(r, &c);
    return *c.at == '[' ? read_stack(r, &c) : read_block(r, &c);
}

/* --- Files --- */

/* A line that the log ends in and that no newline ends may lack fields, but for an ENDPRG, which has none. */
static bool is_whole(const char *line) {
    return strstr(line, "(0x0000400b)") != NULL;
}

/* The log ends among the lines of SIMT state of its last commit: that commit is not used, then. */
static bool is_cut(const log_reader *r) {
    const log_commit *c = &r->commit;
    const bool no_block = r->log->forms & LOG_SIMT_BLOCKS && (c->word & 0x7f) == 0x5b && !c->has_block;
    return r->owner == OWNER_COMMIT && (no_block || r->part % 3 || c->num_stack < r->depth);
}

const karat_simt_entry *log_entry(const log_file *log, const log_commit *commit, uint32_t i) {
    const bool bottom_first = log->forms & LOG_BOTTOM_FIRST;
    return &commit->stack[bottom_first ? commit->num_stack - 1 - i : i];
}

bool log_read(log_file *log, log_sink *sink, void *context) {
    log_reader r = {.log = log, .sink = sink, .context = context};
    bool good = true;
    log_lines_again(&log->lines);
    for (char *line; good && (line = log_lines_next(&log->lines));)
        good = (log->lines.unended && !is_whole(line)) || read_line(&r, line);
    good = (good && !log->lines.failed) || log->lines.stopped;
    if (good && !r.sated && !is_cut(&r))
        good = deliver(&r);
    free(r.cores);
    free(r.commit.stack);
    return good;
}

/* Of all commits. */
typedef struct survey {
    log_file *log;
    uint64_t simt;                    /* Instructions that change the SIMT state */
    uint64_t top_first, bottom_first; /* Stacks that were printed so */
} survey;

/* The oldest entry of a stack has every lane that the others have, and once at least one more. */
static bool survey_commit(void *context, const log_commit *c) {
    survey *all = context;
    all->log->num_commits++;
    all->simt += !c->is_trap && (c->word & 0x7f) == 0x5b;
    log_run *run = &all->log->runs[c->run];
    if (c->fields.num_x == 1)
        import_reported(&run->reported, c->word, c->fields.x[0].value);
    if (!run->has_private && (c->word & 0x7f) == 0x2b && c->fields.num_mem) {
        run->has_private = true;
        run->private_pc = c->pc;
        run->private_addr = c->fields.mem[0].addr;
    }
    if (c->num_stack < 2)
        return true;
    const uint32_t first = c->stack[0].mask, last = c->stack[c->num_stack - 1].mask;
    all->top_first += first != last && !(first & ~last);
    all->bottom_first += first != last && !(last & ~first);
    return true;
}

bool log_open(log_file *log, const log_lines *lines, uint32_t lanes) {
    *log = (log_file){.lines = *lines, .lanes = lanes};
    survey all = {.log = log};
    if (!log_read(log, survey_commit, &all))
        return false;
    log->forms |= all.bottom_first > all.top_first ? LOG_BOTTOM_FIRST : 0;
    if (all.simt && !(log->forms & (LOG_SIMT_FIELDS | LOG_SIMT_BLOCKS)))
        log->forms |= LOG_NO_SIMT;
    return true;
}

void log_close(log_file *log) {
    log_lines_close(&log->lines);
    free(log->runs);
    *log = (log_file){0};
}
