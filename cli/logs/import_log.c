/* Format log: the register log of an instruction-set simulator.  It names every instruction, so that nothing
 * is made up but the thread mask at issue, which follows from the masks that the log shows, and the lanes of
 * accesses. */
#include "import.h"
#include "log.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINES_EACH 1000000u /* A log's lines begin at a multiple of this */

#define CSR_FFLAGS  0x001u
#define CSR_VSTART  0x008u
#define CSR_MSTATUS 0x300u
#define CSR_VL      0xc20u
#define CSR_VTYPE   0xc21u

/* Fields of vtype. */
#define VTYPE_VILL 0x80000000u
#define VTYPE_SEW  0x00000038u
#define VTYPE_LMUL 0x00000007u

/* An instruction of a line. */
typedef struct log_insn {
    bool given;
    uint32_t pc, word;
} log_insn;

/* A warp's life as far as it has been read. */
typedef struct life {
    const log_run *run;
    import_slot *slot;     /* NULL: not launched */
    uint32_t mask, depth;  /* Mask and depth as the log last showed them */
    log_insn prefix, last; /* The line before, where it is a prefix; the last instruction */
    bool alone;            /* The log does not have all warps of its workgroup */
    bool over;             /* No more lines of it are used */
} life;

typedef struct parsed {
    log_file log;
    uint32_t lanes;
    life *lives; /* The life of each run */
} parsed;

/* --- Reading --- */

/* Lives of workgroups of which the log does not have all warps. */
static void find_alone(parsed *p, const karat_kernel *kernel) {
    uint32_t *warps = cli_alloc(karat_kernel_workgroups(kernel) * sizeof *warps);
    for (uint32_t i = 0; i < p->log.num_runs; i++)
        warps[p->log.runs[i].workgroup]++;
    for (uint32_t i = 0; i < p->log.num_runs; i++)
        p->lives[i].alone = warps[p->log.runs[i].workgroup] < kernel->wg_size;
    free(warps);
}

static bool open_one(importer *imp, parsed *p, log_lines *lines, karat_kernel *kernel) {
    const uint32_t threads = (uint32_t)imp->session.options.threads;
    p->lanes = karat_kernel_wf_size(kernel, threads);
    const bool good = log_open(&p->log, lines, p->lanes);
    *lines = (log_lines){0};
    if (!good)
        return false;
    if (!p->log.num_commits) {
        cli_error("%s: expected commits after the boot ROM's, found none", p->log.lines.path);
        return false;
    }
    p->lives = cli_alloc(p->log.num_runs * sizeof *p->lives);
    for (uint32_t i = 0; i < p->log.num_runs; i++)
        p->lives[i].run = &p->log.runs[i];
    if (!log_assign(&p->log, kernel, threads))
        return false;
    find_alone(p, kernel);
    log_find_private(&p->log, kernel, threads);
    log_say(&p->log);
    if (p->log.forms & LOG_NO_SIMT)
        imp->withheld |= KARAT_PORT_BIT(SIMT);
    return true;
}

static bool open_logs(importer *imp) {
    const session *s = &imp->session;
    parsed *p = imp->parsed = cli_alloc(imp->num_logs * sizeof *p);
    imp->num_sm = imp->num_warp = 1;
    for (uint32_t i = 0; i < imp->num_logs; i++) {
        karat_kernel *k = s->kernels[i];
        if (k->wg_size > 64) {
            cli_error("%s: expected workgroups of at most 64 warps, found %" PRIu32, k->name, k->wg_size);
            return false;
        }
        if (k->wg_size > imp->num_warp)
            imp->num_warp = k->wg_size;
        if (!open_one(imp, &p[i], &imp->lines[i], k))
            return false;
        /* Where core N counts through all workgroups, they are all under way at once: an SM for each. */
        if (p[i].log.forms & LOG_THROUGH && karat_kernel_workgroups(k) > imp->num_sm)
            imp->num_sm = karat_kernel_workgroups(k);
    }
    return true;
}

static void close_logs(importer *imp) {
    parsed *p = imp->parsed;
    for (uint32_t i = 0; i < imp->num_logs; i++) {
        free(p[i].lives);
        log_close(&p[i].log);
    }
    free(p);
}

/* --- Launches --- */

/* The log begins another warp in the slot while the model's has not ended, which is behind: nothing is said
 * of that one. */
static bool is_behind(importer *imp, const parsed *p, life *l, const import_slot *slot) {
    if (!slot->launched || slot->ended)
        return false;
    l->over = imp->gave_up = true;
    results_note("%s:%" PRIu32 ": nothing of workgroup %" PRIu32 " warp %" PRIu32
                 ": the warp before it has not ended on the model",
                 p->log.lines.path, l->run->line, l->run->workgroup, l->run->warp);
    return true;
}

static bool launch(importer *imp, const parsed *p, life *l) {
    const uint32_t sm = p->log.forms & LOG_THROUGH ? l->run->workgroup : 0;
    import_slot *slot = &imp->slots[sm * imp->num_warp + l->run->warp];
    if (is_behind(imp, p, l, slot))
        return true;
    karat_launch_desc desc;
    karat_kernel_launch(import_current(imp), (uint32_t)imp->session.options.threads, l->run->workgroup,
                        l->run->warp, &desc);
    desc.x = l->run->x;
    karat_rec_launch r = {.regs = KARAT_REGS_AUDIT};
    if (import_current(imp)->pds_slots && l->run->reported.given >> KARAT_CSR_PDS & 1) {
        desc.csr[KARAT_CSR_PDS] = r.csr[KARAT_CSR_PDS] = l->run->reported.csr[KARAT_CSR_PDS];
        r.csr_given = 1u << KARAT_CSR_PDS;
    }
    if (!import_launch(imp, slot, l->run->workgroup, l->run->warp, &desc, &r))
        return false;
    l->slot = slot;
    l->mask = desc.mask;
    for (uint32_t reg = 1; reg < KARAT_NUM_X; reg++)
        if (l->run->x_given >> reg & 1) {
            karat_rec_audit a = {.h = import_header(imp, KARAT_REC_AUDIT, slot),
                                 .regno = (uint16_t)reg,
                                 .cls = KARAT_X,
                                 .mask = 1};
            a.data[0] = l->run->x[reg];
            import_put(imp, &a);
        }
    return true;
}

/* --- The effects of an instruction --- */

static void put_x(importer *imp, const import_slot *slot, uint32_t seq, const log_x *x) {
    karat_rec_write r = {.h = import_header(imp, KARAT_REC_WRITE, slot),
                         .seq = seq,
                         .cls = KARAT_X,
                         .regno = (uint16_t)x->reg,
                         .mask = 1};
    r.data[0] = x->value;
    import_put(imp, &r);
}

/* The log shows the whole register and the thread mask, not the lanes that v0.t or vl leave out: those that
 * the model writes are the WRITE, and the register as a whole is an AUDIT. */
static void put_v(importer *imp, const import_slot *slot, uint32_t seq, const log_v *v, uint32_t mask,
                  const karat_commit *model, uint32_t lanes) {
    karat_rec_write r = {.h = import_header(imp, KARAT_REC_WRITE, slot),
                         .seq = seq,
                         .cls = KARAT_V,
                         .regno = (uint16_t)v->reg,
                         .mask = mask};
    for (uint32_t i = 0; model && i < model->num_writes; i++)
        if (model->write[i].cls == KARAT_CLASS_V && model->write[i].reg == v->reg)
            r.mask &= model->write[i].mask;
    memcpy(r.data, v->value, lanes * sizeof *r.data);
    import_put(imp, &r);
    karat_rec_audit a = {.h = import_header(imp, KARAT_REC_AUDIT, slot),
                         .regno = (uint16_t)v->reg,
                         .cls = KARAT_V,
                         .mask = 0xffffffffu >> (32 - lanes)};
    memcpy(a.data, v->value, lanes * sizeof *a.data);
    import_put(imp, &a);
}

/* The loads, or the stores, in the log's order, which is that of the lanes. (For a line of another
 * instruction than the model's, which the checker will report, nothing is known.) */
static void put_accesses(importer *imp, const life *l, uint32_t seq, const log_fields *f,
                         const karat_mem *mem, unsigned op) {
    uint32_t used = 0, num = 0;
    karat_rec_mem r;
    for (uint32_t i = 0; i < f->num_mem; i++)
        num += !f->mem[i].stored == (op == KARAT_MEM_LOAD);
    import_mem(imp, l->slot, seq, op, &r);
    for (uint32_t i = 0; i < f->num_mem; i++) {
        const log_access *a = &f->mem[i];
        if (!a->stored != (op == KARAT_MEM_LOAD))
            continue;
        /* Too many or too few of them: in the order of the active lanes, so that the checker sees which. */
        const bool fits = mem && num == mem->num;
        const uint32_t bytes = a->stored ? a->stored : mem && mem->num ? karat_mem_access(mem, 0).bytes : 4;
        uint32_t lane = fits ? karat_mem_access(mem, used).lane : 0, skip = used;
        for (uint32_t m = l->mask; !fits && m; m &= m - 1) {
            lane = (uint32_t)__builtin_ctz(m);
            if (!skip--)
                break;
        }
        used++;
        if (r.mask >> lane & 1) {
            import_put(imp, &r);
            import_mem(imp, l->slot, seq, op, &r);
        }
        import_mem_lane(&r, lane, a->addr, a->value, bytes);
    }
    if (r.mask)
        import_put(imp, &r);
}

/* An access with data is a store. The log has both halves of an AMO, MEM its written value. */
static void put_mem(importer *imp, const life *l, uint32_t seq, const log_fields *f,
                    const karat_commit *model) {
    const karat_mem *mem = model && model->has_mem ? &model->mem : NULL;
    const bool amo = mem && mem->op == KARAT_AMO;
    put_accesses(imp, l, seq, f, mem, amo ? KARAT_MEM_AMO : KARAT_MEM_STORE);
    if (!amo)
        put_accesses(imp, l, seq, f, mem, KARAT_MEM_LOAD);
}

/* The register mstatus is the simulator's platform's: it has fields that keep a value of their own, and
 * vector and floating-point instructions mark it. So what the log shows of it is a write of the host. */
static void set_mstatus(importer *imp, const import_slot *slot, uint32_t value) {
    const karat_rec_hostcsr r = {
        .h = import_header(imp, KARAT_REC_HOSTCSR, slot), .addr = CSR_MSTATUS, .value = value};
    import_put(imp, &r);
    karat_csr_write(imp->model, slot->handle, CSR_MSTATUS, value);
}

/* The program's own write counts with its own value. */
static void put_mstatus(importer *imp, const import_slot *slot, uint32_t seq, uint32_t value,
                        const karat_commit *model) {
    karat_rec_csr w = {.h = import_header(imp, KARAT_REC_CSR, slot), .seq = seq, .addr = CSR_MSTATUS};
    if (model && model->csr_written && model->csr == CSR_MSTATUS) {
        w.value = model->csr_value;
        import_put(imp, &w);
    }
    set_mstatus(imp, slot, value);
}

/* The contents of a CSR that the instruction does not write itself. */
static void put_held(importer *imp, const import_slot *slot, uint32_t csr, uint32_t bits, uint32_t value) {
    karat_rec_audit r = {.h = import_header(imp, KARAT_REC_AUDIT, slot),
                         .regno = (uint16_t)csr,
                         .cls = KARAT_CSR,
                         .mask = bits};
    r.data[0] = value;
    import_put(imp, &r);
}

/* SEW, LMUL and vl, which the log repeats at every vector instruction. It shows only a part of vtype. */
static void put_config(importer *imp, const import_slot *slot, const log_fields *f) {
    const uint32_t sew = (uint32_t)__builtin_ctz(f->sew) - 3;
    const uint32_t lmul =
        f->fraction ? 8 - (uint32_t)__builtin_ctz(f->fraction) : (uint32_t)__builtin_ctz(f->lmul);
    put_held(imp, slot, CSR_VTYPE, VTYPE_VILL | VTYPE_SEW | VTYPE_LMUL, sew << 3 | lmul);
    put_held(imp, slot, CSR_VL, UINT32_MAX, f->vl);
}

/* The log repeats vstart at every vector instruction, and the flags where arithmetic raises some: flags that
 * it does not show are not raised. */
static void put_csr(importer *imp, const import_slot *slot, uint32_t seq, const log_fields *f,
                    const karat_commit *model) {
    bool flags = !model || !model->flags_raised;
    for (uint32_t i = 0; i < f->num_csr; i++) {
        const uint32_t csr = f->csr[i].csr;
        flags |= csr == CSR_FFLAGS;
        const bool own =
            model && model->csr_written && (csr == model->csr || (model->csr == CSR_VL && csr == CSR_VTYPE));
        if (csr == CSR_MSTATUS) {
            put_mstatus(imp, slot, seq, f->csr[i].value, model);
            continue;
        }
        if (!own && (csr == CSR_VSTART || csr == CSR_FFLAGS)) {
            put_held(imp, slot, csr, UINT32_MAX, f->csr[i].value);
            continue;
        }
        karat_rec_csr r = {
            .h = import_header(imp, KARAT_REC_CSR, slot), .seq = seq, .addr = csr, .value = f->csr[i].value};
        import_put(imp, &r);
    }
    if (!flags)
        put_held(imp, slot, CSR_FFLAGS, model->flags_raised, 0);
}

/* An entry of the stack, with depth and mask. */
static void put_entry(importer *imp, const parsed *p, const import_slot *slot, const log_commit *line,
                      const log_fields *f, uint32_t index) {
    karat_rec_audit r = {.h = import_header(imp, KARAT_REC_AUDIT, slot),
                         .regno = (uint16_t)index,
                         .cls = KARAT_STACK,
                         .mask = index < f->depth ? 0x1f : 0x18};
    if (index < f->depth) {
        const karat_simt_entry *e = log_entry(&p->log, line, index);
        r.data[0] = e->rpc;
        r.data[1] = e->next;
        r.data[2] = e->mask;
    }
    r.data[3] = f->depth;
    r.data[4] = f->mask;
    import_put(imp, &r);
}

/* The next pc is stale at a JOIN that does not pop: there it is the model's, and the next line shows where
 * the warp goes on. Where the model has none, and of SETRPC, which has no outcome, all is the contents of the
 * stack; else what is below the top. */
static void put_simt(importer *imp, const parsed *p, life *l, uint32_t seq, const log_commit *line,
                     const karat_commit *model, bool outcome) {
    const log_fields *f = &line->fields;
    const bool stale = f->depth == l->depth && (line->word & 0x707f) == 0x205b;
    l->mask = f->mask;
    l->depth = f->depth;
    outcome &= !stale || model;
    if (outcome) {
        karat_rec_simt r = {
            .h = import_header(imp, KARAT_REC_SIMT, l->slot),
            .seq = seq,
            .mask = f->mask,
            .next_pc = stale ? model->next_pc : f->npc,
            .depth = (uint16_t)f->depth,
            .top_valid = f->depth != 0,
        };
        if (f->depth) {
            const karat_simt_entry *top = log_entry(&p->log, line, 0);
            r.top_rpc = top->rpc;
            r.top_next = top->next;
            r.top_mask = top->mask;
        }
        import_put(imp, &r);
    }
    for (uint32_t i = outcome; i < f->depth || !i; i++)
        put_entry(imp, p, l->slot, line, f, i);
}

/* --- Lines --- */

static const karat_row *row_of(const importer *imp, uint32_t word) {
    karat_insn insn;
    int row = karat_decode(imp->session.options.profile, word, &insn);
    return row == KARAT_NO_ROW ? NULL : karat_row_info(row);
}

static void put_issue(importer *imp, const life *l, uint32_t seq, uint32_t pc, uint32_t word, uint32_t mask) {
    const karat_rec_issue r = {
        .h = import_header(imp, KARAT_REC_ISSUE, l->slot),
        .seq = seq,
        .pc = pc,
        .word = word,
        .prefix = l->prefix.word,
        .prefix_kind = l->prefix.given ? KARAT_PREFIX_WORD : KARAT_PREFIX_NONE,
        .mask = mask,
    };
    import_put(imp, &r);
}

static void put_exit(importer *imp, const life *l) {
    const karat_rec_exit r = {.h = import_header(imp, KARAT_REC_EXIT, l->slot)};
    import_put(imp, &r);
}

/* A trap is the issue of an instruction that is an error.  Where it is none, the warp has ended all the
 * same. */
static void put_trap(importer *imp, const parsed *p, life *l, const log_commit *line) {
    const log_trap *trap = &l->run->trap;
    char value[32] = "";
    const karat_status status = import_step(imp, l->slot);
    const bool stepped = status == KARAT_OK || status == KARAT_PROGRAM_ERROR;
    put_issue(imp, l, l->slot->seq++, line->pc, stepped ? imp->commit.word : line->word, l->mask);
    if (status == KARAT_OK)
        put_exit(imp, l);
    l->over = true;
    if (trap->has_value)
        snprintf(value, sizeof value, ", tval 0x%08" PRIx32, trap->value);
    results_note("%s:%" PRIu32 ": workgroup %" PRIu32 " warp %" PRIu32 " ends in %s at pc 0x%08" PRIx32 "%s",
                 p->log.lines.path, trap->line, l->run->workgroup, l->run->warp, trap->name, trap->pc, value);
}

static void put_line(importer *imp, const parsed *p, life *l, const log_commit *line, const karat_row *row) {
    const log_fields *f = &line->fields;
    const uint32_t seq = l->slot->seq++;
    if (import_csr_read(line->word) == (int32_t)CSR_MSTATUS && f->num_x == 1)
        set_mstatus(imp, l->slot, f->x[0].value);
    const karat_commit *model = import_step(imp, l->slot) == KARAT_OK ? &imp->commit : NULL;
    if (p->log.forms & LOG_NO_SIMT && model)
        l->mask = model->mask_before;
    const uint32_t mask = f->num_v && f->v[0].has_mask ? f->v[0].mask : l->mask;
    put_issue(imp, l, seq, line->pc, line->word, mask);
    for (uint32_t i = 0; i < f->num_x; i++)
        put_x(imp, l->slot, seq, &f->x[i]);
    for (uint32_t i = 0; i < f->num_v; i++)
        put_v(imp, l->slot, seq, &f->v[i], f->v[i].has_mask ? f->v[i].mask : mask, model, p->lanes);
    put_mem(imp, l, seq, f, model);
    put_csr(imp, l->slot, seq, f, model);
    if (f->has_config)
        put_config(imp, l->slot, f);
    if (f->has_simt)
        put_simt(imp, p, l, seq, line, model, !row || row->owes & KARAT_OWES_SIMT);
    if (row && row->owes & KARAT_OWES_EXIT)
        put_exit(imp, l);
}

/* Nothing but the instruction is on the line. */
static bool is_bare(const log_fields *f) {
    return !(f->num_x || f->num_v || f->num_csr || f->num_mem || f->has_config || f->has_simt);
}

/* A prefix that is none of the next line's, which may be another prefix (prefix-last-wins): it is an
 * instruction as the log has it. */
static void put_lone_prefix(importer *imp, const parsed *p, life *l) {
    const log_commit line = {.pc = l->prefix.pc, .word = l->prefix.word, .run = (uint32_t)(l - p->lives)};
    l->prefix = (log_insn){0};
    put_line(imp, p, l, &line, NULL);
}

/* A line of a warp: a prefix waits for its instruction, which follows it. */
static void put_commit(importer *imp, const parsed *p, life *l, const log_commit *line) {
    const karat_row *row = row_of(imp, line->word);
    const log_insn insn = {true, line->pc, line->word};
    const bool prefix = row && row->unit == KARAT_UNIT_PREFIX && is_bare(&line->fields);
    const bool last_wins = imp->session.options.deviations & KARAT_DEV_PREFIX_LAST_WINS;
    if (l->prefix.given && ((prefix && last_wins) || line->pc != l->prefix.pc + 4))
        put_lone_prefix(imp, p, l);
    if (line->is_trap) {
        put_trap(imp, p, l, line);
        return;
    }
    if (prefix && !l->prefix.given) {
        l->prefix = insn;
        return;
    }
    /* A warp that waits repeats its BARRIER. */
    const bool barrier = row && row->owes & KARAT_OWES_BARRIER;
    if (!(barrier && l->last.given && l->last.pc == line->pc))
        put_line(imp, p, l, line, row);
    l->prefix = (log_insn){0};
    l->last = insn;
    /* The missing warps decide whether it may continue. */
    if (l->alone && barrier) {
        l->over = true;
        results_note("%s:%" PRIu32 ": nothing more of workgroup %" PRIu32 " warp %" PRIu32
                     " after its BARRIER: the log does not have the workgroup's other warps",
                     p->log.lines.path, line->line, l->run->workgroup, l->run->warp);
    }
}

/* A log whose commits are imported. */
typedef struct reading {
    importer *imp;
    const parsed *parsed;
    uint64_t base; /* The cycle of its first line, less 1 */
} reading;

/* A log_sink. */
static bool take_commit(void *context, const log_commit *line) {
    const reading *at = context;
    importer *imp = at->imp;
    life *l = &at->parsed->lives[line->run];
    if (import_stops(imp))
        return false;
    if (l->over)
        return true;
    imp->cycle = at->base + line->line;
    if (!l->slot && !launch(imp, at->parsed, l))
        return false;
    if (!l->over)
        put_commit(imp, at->parsed, l, line);
    return true;
}

static bool put_log(importer *imp, parsed *p) {
    reading at = {imp, p, imp->cycle};
    if (!log_read(&p->log, take_commit, &at) && !imp->interrupted)
        return false;
    log_lines_say_stopped(&p->log.lines);
    return true;
}

static bool put_logs(importer *imp) {
    parsed *p = imp->parsed;
    for (uint32_t i = 0; i < imp->num_logs; i++) {
        imp->cycle = (imp->cycle + LINES_EACH - 1) / LINES_EACH * LINES_EACH;
        if (!import_kernel(imp) || !put_log(imp, &p[i]))
            return false;
        if (imp->ended != imp->expected)
            break; /* The log was cut off: the initial memory of later kernels is unknown */
    }
    return true;
}

static bool begins_log(const char *line) {
    text_cursor at;
    return log_begins(line, &at);
}

const import_format import_log = {
    .name = "log",
    .begins = begins_log,
    .gives = KARAT_PORT_BIT(HELLO) | KARAT_PORT_BIT(ISSUE) | KARAT_PORT_BIT(WRITE) | KARAT_PORT_BIT(AUDIT) |
             KARAT_PORT_BIT(SIMT) | KARAT_PORT_BIT(CSR) | KARAT_PORT_BIT(MEM) | KARAT_PORT_BIT(EXIT),
    .props = KARAT_PROP_COHERENT,
    .mem_order = KARAT_ORDER_PERFORMED, /* It runs one instruction after the other */
    .one_each = true,
    .open = open_logs,
    .run = put_logs,
    .close = close_logs,
};
