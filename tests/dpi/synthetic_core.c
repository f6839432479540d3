#include "synthetic_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "karat/space.h"
#include "port.h"
#include "retire.h"

#define MAX_SLOT    32
#define MAX_EVENT   4096
#define MAX_CYCLE   2000000
#define MAX_KERNELS 4
#define MAX_FILLED  256

/* A record that is due later, and what it does to the core when it goes out. */
typedef struct event {
    uint64_t due, order;
    uint32_t slot;
    record r;
} event;

typedef struct core_slot {
    bool reserved;   /* For a warp that is to be launched */
    bool live;       /* Launched, EXIT not sent */
    bool ended;      /* ENDPRG has issued */
    bool waiting;    /* At a barrier */
    bool to_release; /* All have arrived at it */
    bool given;      /* Initial registers have been audited, or need not be */
    uint32_t epoch, launches, seq, group, workgroup, warp;
    uint32_t pending_writes, pending_mem, pending_control; /* Of this epoch */
    uint32_t busy_x[KARAT_NUM_X], busy_v[KARAT_NUM_V];     /* WRITE parts to come */
    uint64_t due_x[KARAT_NUM_X], due_v[KARAT_NUM_V];       /* Of the youngest of them */
    uint64_t due_mem;
    uint32_t x[KARAT_NUM_X], v[KARAT_NUM_V][KARAT_MAX_THREAD]; /* The register file */
    bool has_next; /* The model has stepped and ISSUE has not been sent */
    karat_commit next;
    karat_commit_values values; /* Of next */
    uint32_t next_vtype;
} core_slot;

typedef struct core_group {
    bool open, releasing;
    uint32_t workgroup, sm, launched, exited, arrived, stragglers;
} core_group;

typedef struct core {
    const core_options *o;
    core_counts *n;
    rng r;
    karat_model *model;
    karat_port *port;
    stream *out;
    karat_kernel kernel;
    uint64_t cycle, order;
    bool been_far;                   /* See core_options.far */
    karat_space *space[MAX_KERNELS]; /* sv39: of each kernel */
    struct {
        uint32_t sm, kind;
        uint64_t page;
    } filled[MAX_FILLED]; /* TLB entries of this kernel */
    uint32_t num_filled;
    bool faulted; /* An instruction has, at fault_cycle, in fault_slot */
    uint32_t fault_slot;
    uint64_t fault_cycle;
    core_group groups[MAX_SLOT];
    event *events; /* Room for MAX_EVENT */
    uint32_t num_events, num_exited, next_workgroup;
    core_slot slots[]; /* num_sm * num_warp */
} core;

static void expect(bool ok, const char *what) {
    if (ok)
        return;
    fprintf(stderr, "synthetic core: %s\n", what);
    abort();
}

static bool gives(const core *c, unsigned kind) {
    return c->o->gives >> kind & 1;
}

static uint32_t lanes_of(const core *c) {
    return 0xffffffffu >> (32 - c->o->num_thread);
}

static bool sink(void *context, const void *bytes, size_t size) {
    stream_add(context, bytes, size);
    return false;
}

static record make(const core *c, unsigned kind, uint32_t slot) {
    record r;
    memset(&r, 0, sizeof r);
    r.h.kind = (uint8_t)kind;
    r.h.sm = (uint8_t)(slot / c->o->num_warp);
    r.h.slot = (uint8_t)(slot % c->o->num_warp);
    r.h.epoch = c->slots[slot].epoch;
    r.h.cycle = c->cycle;
    return r;
}

static void probe(core *c, const record *r) {
    c->n->records++;
    karat_port_receive(c->port, r);
}

static void bench(core *c, record *r) {
    r->h.sm = r->h.slot = 0;
    r->h.epoch = 0;
    c->n->records++;
    karat_port_send(c->port, r);
}

/* --- Completions --- */

static uint64_t some_time(core *c, uint32_t bound) {
    return c->cycle + rng_below(&c->r, bound + 1);
}

static void later(core *c, uint64_t due, uint32_t slot, const record *r) {
    expect(c->num_events < MAX_EVENT, "too many events");
    c->events[c->num_events++] = (event){due, c->order++, slot, *r};
}

/* Each record goes out with the cycle in which it does. */
static void deliver(core *c, const event *e) {
    core_slot *s = &c->slots[e->slot];
    record r = e->r;
    r.h.cycle = c->cycle;
    bool now = r.h.epoch == s->epoch;
    switch (r.h.kind) {
    case KARAT_REC_PAIR:
        expect(now, "a write outlived its warp");
        for (uint32_t part = 0; part < 2; part++) {
            const uint32_t reg = r.pair.regno + part;
            s->pending_writes--;
            --*(r.pair.cls == KARAT_X ? &s->busy_x[reg] : &s->busy_v[reg]);
            for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
                if (r.pair.mask >> i & 1)
                    *(r.pair.cls == KARAT_X ? &s->x[reg] : &s->v[reg][i]) =
                        (uint32_t)(r.pair.data[i] >> 32 * part);
        }
        break;
    case KARAT_REC_WRITE:
        if (r.write.cls == KARAT_X && r.write.regno == 0) {
            c->n->x0 += gives(c, KARAT_REC_WRITE);
            break;
        }
        if (!r.write.mask) {
            c->n->empty += gives(c, KARAT_REC_WRITE);
            break;
        }
        expect(now, "a write outlived its warp");
        s->pending_writes--;
        if (r.write.cls == KARAT_X) {
            s->busy_x[r.write.regno]--;
            s->x[r.write.regno] = r.write.data[0];
        } else {
            s->busy_v[r.write.regno]--;
            for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
                if (r.write.mask >> i & 1)
                    s->v[r.write.regno][i] = r.write.data[i];
        }
        break;
    case KARAT_REC_MEM:
    case KARAT_REC_ACCESS:
        c->n->mem += gives(c, r.h.kind);
        c->n->mem_passed_wait += !now;
        s->pending_mem -= now;
        break;
    case KARAT_REC_SIMT:
        c->n->simt += gives(c, KARAT_REC_SIMT);
        s->pending_control--;
        break;
    case KARAT_REC_CSR:
        c->n->csr += gives(c, KARAT_REC_CSR);
        s->pending_control--;
        break;
    default: expect(false, "a completion of no kind that it sends later");
    }
    if (gives(c, r.h.kind))
        probe(c, &r);
}

static void plan_write(core *c, uint32_t slot, const karat_reg_write *w) {
    core_slot *s = &c->slots[slot];
    record r = make(c, KARAT_REC_WRITE, slot);
    r.write.match = (uint8_t)c->o->write_match;
    r.write.seq = c->o->write_match == KARAT_MATCH_SEQ ? s->seq : 0;
    uint64_t *last = w->cls == KARAT_CLASS_X ? &s->due_x[w->reg] : &s->due_v[w->reg];
    uint32_t *busy = w->cls == KARAT_CLASS_X ? &s->busy_x[w->reg] : &s->busy_v[w->reg];
    uint32_t left = w->mask;
    uint64_t latest = *last;
    while (left) {
        uint32_t part = c->o->split && rng_chance(&c->r, 50) ? left & rng_next(&c->r) : left;
        if (!part)
            continue;
        karat_retire_write(w, r.write.seq, part, &r.write);
        uint64_t due = some_time(c, c->o->max_delay);
        due = due < *last ? *last : due; /* Never before an older write of that register */
        latest = due > latest ? due : latest;
        later(c, due, slot, &r);
        ++*busy;
        s->pending_writes++;
        left &= ~part;
    }
    *last = latest;
    if (w->cls == KARAT_CLASS_X)
        c->n->x += gives(c, KARAT_REC_WRITE);
    else
        c->n->v += gives(c, KARAT_REC_WRITE);
}

/* Both results at once. */
static void plan_pair(core *c, uint32_t slot, const karat_reg_write *w) {
    core_slot *s = &c->slots[slot];
    record r = make(c, KARAT_REC_PAIR, slot);
    const bool scalar = w->cls == KARAT_CLASS_X;
    uint64_t *last = scalar ? &s->due_x[w->reg] : &s->due_v[w->reg], due = some_time(c, c->o->max_delay);
    uint32_t *busy = scalar ? &s->busy_x[w->reg] : &s->busy_v[w->reg];
    r.pair.match = (uint8_t)c->o->write_match;
    karat_retire_pair(&w[0], &w[1], c->o->write_match == KARAT_MATCH_SEQ ? s->seq : 0, w->mask, &r.pair);
    for (uint32_t part = 0; part < 2; part++) {
        due = due < last[part] ? last[part] : due;
        busy[part]++;
        s->pending_writes++;
    }
    last[0] = last[1] = due;
    later(c, due, slot, &r);
    c->n->x += 2 * scalar;
    c->n->v += 2 * !scalar;
}

/* A piece of MEM: at most one range of bytes for each lane, all in one space. */
static uint32_t space_of(const core *c, const karat_mem *mem, uint64_t addr) {
    const karat_config *m = karat_get_config(c->model);
    if (c->o->space_unknown)
        return KARAT_SPACE_UNKNOWN;
    return karat_retire_space(m, mem, addr);
}

static void add_bytes(core *c, record *pieces, uint32_t *num, const record *blank, const karat_mem *mem,
                      uint32_t index, uint32_t first, uint32_t count) {
    const karat_access access = karat_mem_access(mem, index), *a = &access;
    uint32_t space = space_of(c, mem, a->addr), k = c->o->split ? rng_below(&c->r, *num + 1) : 0;
    while (k < *num && (pieces[k].mem.mask >> a->lane & 1 || pieces[k].mem.space != space))
        k++;
    expect(k < 2 * KARAT_MAX_ACCESS, "too many pieces");
    if (k == *num) {
        pieces[k] = *blank;
        pieces[k].mem.space = (uint8_t)space;
        ++*num;
    }
    if (blank->h.kind == KARAT_REC_ACCESS) {
        expect(karat_retire_wide(mem, index, first, count, c->o->sv39, &pieces[k].access),
               "an ACCESS has no room");
        return;
    }
    karat_rec_mem *m = &pieces[k].mem;
    /* Bytes can be said in two ways: from their own address, or from that of their word. */
    const bool by_word = c->o->split && rng_chance(&c->r, 50);
    karat_retire_bytes(m, mem, a, first, count, by_word ? (a->addr + first) & 3 : 0);
}

static void plan_mem(core *c, uint32_t slot, const karat_mem *mem) {
    core_slot *s = &c->slots[slot];
    record pieces[2 * KARAT_MAX_ACCESS],
        blank = make(c, gives(c, KARAT_REC_ACCESS) ? KARAT_REC_ACCESS : KARAT_REC_MEM, slot);
    uint32_t num = 0;
    blank.mem.match = (uint8_t)c->o->mem_match;
    karat_retire_mem(mem, c->o->mem_match == KARAT_MATCH_SEQ ? s->seq : 0, KARAT_SPACE_UNKNOWN, &blank.mem);
    for (uint32_t k = 0; k < mem->num; k++) {
        const uint32_t bytes = karat_mem_access(mem, k).bytes;
        uint32_t first = c->o->split && rng_chance(&c->r, 25) ? rng_below(&c->r, bytes) : 0;
        if (first)
            add_bytes(c, pieces, &num, &blank, mem, k, 0, first);
        add_bytes(c, pieces, &num, &blank, mem, k, first, bytes - first);
    }
    for (uint32_t k = 0; k < num; k++) {
        uint64_t due = some_time(c, c->o->max_mem_delay);
        if (c->o->mem_match == KARAT_MATCH_OTHER)
            s->due_mem = due = due < s->due_mem ? s->due_mem : due;
        later(c, due, slot, &pieces[k]);
        s->pending_mem++;
    }
}

/* The TLB entry for an address that an instruction uses, the first time. */
static void fill(core *c, uint32_t slot, unsigned kind, uint64_t virt) {
    const karat_config *config = karat_get_config(c->model);
    const uint32_t sm = slot / c->o->num_warp;
    uint32_t i = 0;
    if (!c->o->sv39 || !gives(c, KARAT_REC_TLB) || virt - config->lds_base < config->lds_size)
        return;
    while (i < c->num_filled &&
           (c->filled[i].sm != sm || c->filled[i].kind != kind || c->filled[i].page != virt >> 12))
        i++;
    if (i < c->num_filled)
        return;
    record r = make(c, KARAT_REC_TLB, slot);
    r.h.slot = 0;
    r.h.epoch = 0;
    r.tlb.tlb = (uint8_t)kind;
    r.tlb.asid = c->kernel.asid;
    expect(karat_retire_fill(c->model, c->kernel.ptbr, virt, &r.tlb) && c->num_filled < MAX_FILLED, "a page");
    c->filled[c->num_filled].sm = sm;
    c->filled[c->num_filled].kind = kind;
    c->filled[c->num_filled++].page = virt >> 12;
    probe(c, &r);
    c->n->fills++;
}

static void plan_completions(core *c, uint32_t slot) {
    core_slot *s = &c->slots[slot];
    const karat_commit *m = &s->next;
    const karat_row *row = karat_row_info(m->row);
    if (gives(c, KARAT_REC_PAIR) && m->num_writes == 2 && m->write[0].mask == m->write[1].mask &&
        m->write[0].cls == m->write[1].cls && m->write[0].reg + 1 == m->write[1].reg)
        plan_pair(c, slot, m->write);
    else
        for (uint32_t i = 0; i < m->num_writes; i++)
            plan_write(c, slot, &m->write[i]);
    for (uint32_t i = 0; m->has_mem && i < m->mem.num; i++)
        fill(c, slot, KARAT_TLB_DATA, m->mem.virt[i]);
    if (m->has_mem)
        plan_mem(c, slot, &m->mem);
    if (m->simt) {
        record r = make(c, KARAT_REC_SIMT, slot);
        karat_retire_simt(m, s->seq, &r.simt);
        later(c, some_time(c, c->o->max_delay), slot, &r);
        s->pending_control++;
    }
    if (m->csr_written) {
        record r = make(c, KARAT_REC_CSR, slot);
        uint64_t due = some_time(c, c->o->max_delay);
        r.csr.seq = s->seq;
        if (m->csr == 0xc20 && rng_chance(&c->r, 50)) {
            r.csr.addr = 0xc21;
            r.csr.value = s->next_vtype;
            later(c, due, slot, &r);
            s->pending_control++;
        }
        karat_retire_csr(m, s->seq, &r.csr);
        later(c, due, slot, &r);
        s->pending_control++;
    }
    if (c->o->idle_writes && row->owes & KARAT_OWES_X && !m->num_writes) {
        record r = make(c, KARAT_REC_WRITE, slot);
        r.write.seq = s->seq;
        r.write.match = (uint8_t)c->o->write_match;
        r.write.mask = 1;
        r.write.data[0] = rng_next(&c->r);
        later(c, c->cycle, slot, &r);
    }
    if (c->o->idle_writes && row->owes & KARAT_OWES_V && !m->num_writes) {
        record r = make(c, KARAT_REC_WRITE, slot);
        r.write.seq = s->seq;
        r.write.match = (uint8_t)c->o->write_match;
        r.write.cls = KARAT_V;
        r.write.regno = 9;
        later(c, c->cycle, slot, &r);
    }
    if (m->ended)
        s->ended = true;
    if (m->barrier)
        s->waiting = true;
}

/* --- One cycle of one SM --- */

static void deliver_due(core *c, uint32_t sm) {
    for (;;) {
        uint32_t best = c->num_events;
        for (uint32_t i = 0; i < c->num_events; i++) {
            const event *e = &c->events[i];
            if (e->due > c->cycle || e->slot / c->o->num_warp != sm)
                continue;
            if (best == c->num_events || e->due < c->events[best].due ||
                (e->due == c->events[best].due && e->order < c->events[best].order))
                best = i;
        }
        if (best == c->num_events)
            return;
        event e = c->events[best];
        c->events[best] = c->events[--c->num_events];
        deliver(c, &e);
    }
}

static void audit(core *c, uint32_t slot, unsigned cls, unsigned reg, bool counted) {
    const core_slot *s = &c->slots[slot];
    record r = make(c, KARAT_REC_AUDIT, slot);
    r.audit.cls = (uint8_t)cls;
    r.audit.regno = (uint16_t)reg;
    r.audit.mask = cls == KARAT_X ? 1 : lanes_of(c);
    if (cls == KARAT_X)
        r.audit.data[0] = s->x[reg];
    else
        memcpy(r.audit.data, s->v[reg], c->o->num_thread * sizeof *r.audit.data);
    probe(c, &r);
    c->n->audit += counted;
}

static void audit_some(core *c, uint32_t sm) {
    for (uint32_t i = 0; i < c->o->num_warp; i++) {
        uint32_t slot = sm * c->o->num_warp + i;
        core_slot *s = &c->slots[slot];
        if (!s->live)
            continue;
        if (!s->given) {
            for (unsigned reg = 0; reg < KARAT_NUM_X; reg++)
                audit(c, slot, KARAT_X, reg, reg == 0); /* x0 is compared, the others are taken */
            for (unsigned reg = 0; reg < KARAT_NUM_V; reg++)
                audit(c, slot, KARAT_V, reg, false);
            s->given = true;
        }
        if (gives(c, KARAT_REC_AUDIT) && (s->seq || c->o->regs != KARAT_REGS_AUDIT) &&
            rng_chance(&c->r, c->o->audit_percent)) {
            bool v = rng_chance(&c->r, 60);
            audit(c, slot, v, v ? rng_below(&c->r, 20) : rng_below(&c->r, 21), true);
        }
    }
}

/* The results of a unit that approximates. Numbers about 0 and beyond the largest stay as they are. */
static void add_noise(core *c, uint32_t slot, const karat_commit *m) {
    const karat_reg_write *w = &m->write[0];
    if (!c->o->noise || m->row != karat_find_row("vfexp.v") || !m->num_writes)
        return;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        uint32_t *value = &c->slots[slot].values.value[0][__builtin_ctz(left)];
        const uint32_t by = rng_below(&c->r, 2 * c->o->noise + 1);
        if ((*value & 0x7fffffff) <= c->o->noise || (*value & 0x7fffffff) >= 0x7f800000 - c->o->noise)
            continue;
        const bool far = c->o->far && !c->been_far;
        c->been_far |= far;
        *value += far ? c->o->noise : by - c->o->noise;
    }
    karat_adopt(c->model, slot, w->cls, w->reg, w->mask, w->value);
}

/* Step the model in advance, to know what the next instruction needs. */
static bool look_ahead(core *c, uint32_t slot) {
    core_slot *s = &c->slots[slot];
    if (s->has_next)
        return true;
    karat_status status = karat_step(c->model, slot, &s->next);
    if (status == KARAT_WAITING)
        return false;
    const bool page = status == KARAT_PROGRAM_ERROR && s->next.error.kind == KARAT_ERR_PAGE;
    if (page && s->next.fault.use == KARAT_USE_FETCH) {
        c->faulted = true; /* It is not issued */
        c->fault_slot = slot;
        c->fault_cycle = c->cycle;
        return false;
    }
    if (page)
        return s->has_next = true;
    if (status != KARAT_OK)
        fprintf(stderr, "pc 0x%x word %08x: %s\n", s->next.pc, s->next.word,
                karat_error_name(s->next.error.kind));
    expect(status == KARAT_OK, "the program does not run");
    karat_csr_read(c->model, slot, 0xc21, &s->next_vtype);
    karat_commit_keep(c->model, &s->next, &s->values);
    add_noise(c, slot, &s->next);
    return s->has_next = true;
}

static bool is_stalled(const core *c, const core_slot *s) {
    const karat_commit *m = &s->next;
    bool strict = !c->o->forwards;
    if (s->pending_control)
        return true;
    for (uint32_t i = 0; strict && i < m->num_reads; i++)
        if (m->read[i].cls == KARAT_CLASS_X ? s->busy_x[m->read[i].reg] : s->busy_v[m->read[i].reg])
            return true;
    for (uint32_t i = 0; (strict || c->o->write_match == KARAT_MATCH_OTHER) && i < m->num_writes; i++)
        if (m->write[i].cls == KARAT_CLASS_X ? s->busy_x[m->write[i].reg] : s->busy_v[m->write[i].reg])
            return true;
    return m->barrier && s->pending_mem; /* Accesses before a barrier are performed before it */
}

static void send_reads(core *c, uint32_t slot) {
    core_slot *s = &c->slots[slot];
    for (uint32_t i = 0; i < s->next.num_reads; i++) {
        const karat_reg_read *read = &s->next.read[i];
        record r = make(c, KARAT_REC_READ, slot);
        karat_retire_read(&s->next, s->seq, i, s->next.mask_before, &r.read);
        r.read.bits = read->source == 0 && rng_chance(&c->r, 50);
        const uint32_t *file = read->cls == KARAT_CLASS_X ? &s->x[read->reg] : s->v[read->reg];
        for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
            if (r.read.mask >> lane & 1) {
                uint32_t value = c->o->forwards ? read->value[lane] : file[lane];
                expect(value == read->value[lane], "the register file is wrong");
                r.read.data[lane] = r.read.bits ? value & 1 : value;
            }
        probe(c, &r);
        c->n->read++;
    }
}

static void issue(core *c, uint32_t slot) {
    core_slot *s = &c->slots[slot];
    const karat_commit *m = &s->next;
    if (m->prefix)
        fill(c, slot, KARAT_TLB_INSTRUCTION, m->pc - 4);
    fill(c, slot, KARAT_TLB_INSTRUCTION, m->pc);
    record r = make(c, KARAT_REC_ISSUE, slot);
    karat_retire_issue(m, s->seq, &r.issue);
    if (c->o->prefix_unknown) {
        r.issue.prefix_kind = KARAT_PREFIX_UNKNOWN;
        r.issue.prefix = 0;
    }
    probe(c, &r);
    c->n->instructions++;
    c->n->lanes_differ += (m->warnings & KARAT_WARN_LANES_DIFFER) != 0;
    c->n->lds_unwritten += (m->warnings & KARAT_WARN_LDS_UNWRITTEN) != 0;
    c->n->skipped_prefix += (m->warnings & KARAT_WARN_SKIPPED_PREFIX) != 0;
    if (gives(c, KARAT_REC_READ))
        send_reads(c, slot);
    if (m->error.kind) { /* A page fault: nothing comes of it */
        s->waiting = c->faulted = true;
        c->fault_slot = slot;
        c->fault_cycle = c->cycle + c->o->fault_delay;
        s->has_next = false;
        return;
    }
    plan_completions(c, slot);
    if (m->barrier) {
        c->groups[s->group].arrived++;
        if (gives(c, KARAT_REC_BARRIER)) {
            record a = make(c, KARAT_REC_BARRIER, slot);
            a.barrier.seq = s->seq;
            a.barrier.action = KARAT_BARRIER_ARRIVE;
            probe(c, &a);
            c->n->arrive++;
        }
    }
    s->has_next = false;
    s->seq++;
}

static void exit_warps(core *c, uint32_t sm) {
    for (uint32_t i = 0; i < c->o->num_warp; i++) {
        uint32_t slot = sm * c->o->num_warp + i;
        core_slot *s = &c->slots[slot];
        if (!s->live || !s->ended || s->pending_control || rng_chance(&c->r, c->o->max_delay ? 60 : 0))
            continue;
        s->live = false;
        c->n->early_exit += s->pending_writes || s->pending_mem;
        c->num_exited++;
        if (gives(c, KARAT_REC_EXIT)) {
            record r = make(c, KARAT_REC_EXIT, slot);
            probe(c, &r);
            c->n->exits++;
        }
        core_group *g = &c->groups[s->group];
        if (++g->exited == c->o->wg_size) {
            karat_workgroup_close(c->model, s->group);
            g->open = false;
        }
    }
}

static void release_barriers(core *c, uint32_t sm) {
    for (uint32_t k = 0; k < MAX_SLOT; k++) {
        core_group *g = &c->groups[k];
        if (!g->open || g->sm != sm)
            continue;
        if (!g->releasing && g->arrived == c->o->wg_size && !rng_chance(&c->r, c->o->max_delay ? 60 : 0)) {
            g->releasing = true;
            g->stragglers = c->o->wg_size;
            g->arrived = 0;
            /* Who comes again before the last has been released, comes to the next barrier. */
            for (uint32_t i = 0; i < c->o->num_warp; i++) {
                core_slot *s = &c->slots[sm * c->o->num_warp + i];
                if (s->live && s->group == k)
                    s->to_release = true;
            }
        }
        if (!g->releasing)
            continue;
        record r = make(c, KARAT_REC_BARRIER, sm * c->o->num_warp);
        r.h.slot = 0;
        r.h.epoch = 0;
        r.barrier.action = KARAT_BARRIER_RELEASE;
        for (uint32_t i = 0; i < c->o->num_warp; i++) {
            core_slot *s = &c->slots[sm * c->o->num_warp + i];
            if (!s->live || s->group != k || !s->to_release || (c->o->release_singly && r.barrier.warps))
                continue;
            if (c->o->release_singly && rng_chance(&c->r, 40))
                continue;
            r.barrier.warps |= 1ull << i;
            s->waiting = false;
            s->to_release = false;
            g->stragglers--;
            c->n->release += gives(c, KARAT_REC_BARRIER);
        }
        if (r.barrier.warps && gives(c, KARAT_REC_BARRIER))
            probe(c, &r);
        if (!g->stragglers)
            g->releasing = false;
    }
}

static void launch_warps(core *c, uint32_t sm) {
    for (uint32_t i = 0; i < c->o->num_warp; i++) {
        uint32_t slot = sm * c->o->num_warp + i;
        core_slot *s = &c->slots[slot];
        if (!s->reserved || rng_chance(&c->r, c->o->max_delay ? 50 : 0))
            continue;
        core_group *g = &c->groups[s->group];
        const uint32_t group = s->group, workgroup = s->workgroup, warp = s->warp, launches = s->launches;
        memset(s, 0, sizeof *s);
        s->live = true;
        s->group = group;
        s->workgroup = workgroup;
        s->warp = warp;
        s->epoch = launches;
        s->launches = launches + 1;
        s->given = c->o->regs != KARAT_REGS_AUDIT;
        if (c->o->regs != KARAT_REGS_CLEARED) {
            for (unsigned reg = 1; reg < KARAT_NUM_X; reg++)
                s->x[reg] = rng_next(&c->r);
            for (unsigned reg = 0; reg < KARAT_NUM_V; reg++)
                for (uint32_t lane = 0; lane < c->o->num_thread; lane++)
                    s->v[reg][lane] = rng_next(&c->r);
        }
        karat_launch_desc desc;
        karat_kernel_launch(&c->kernel, c->o->num_thread, s->workgroup, s->warp, &desc);
        desc.workgroup = s->group;
        if (c->o->own_wgid)
            desc.csr[KARAT_CSR_WGID] = 0x100 + s->group;
        uint32_t v[KARAT_NUM_V * KARAT_MAX_THREAD];
        for (unsigned reg = 0; reg < KARAT_NUM_V; reg++)
            memcpy(v + reg * c->o->num_thread, s->v[reg], c->o->num_thread * sizeof *v);
        desc.x = s->x;
        desc.v = v;
        expect(karat_launch(c->model, slot, &desc) == KARAT_OK, "launch refused");

        record r = make(c, KARAT_REC_LAUNCH, slot);
        r.launch.workgroup = s->workgroup;
        r.launch.warp = s->warp;
        if (c->o->csr_unknown) {
            r.launch.pc = desc.pc;
            r.launch.mask = desc.mask;
        } else {
            karat_retire_launch(&desc, &r.launch);
            r.launch.csr_given |= 1u << KARAT_LAUNCH_MSTATUS;
            r.launch.mstatus = rng_next(&c->r);
            karat_csr_write(c->model, slot, 0x300, r.launch.mstatus);
        }
        if (c->o->allocation) {
            r.launch.sgpr_base = i * 64;
            r.launch.sgpr_size = 64;
            r.launch.vgpr_base = i * 256;
            r.launch.vgpr_size = 256;
            r.launch.lds_base = s->group * 4096;
            r.launch.lds_size = c->o->lds_size;
        }
        r.launch.regs = c->o->regs;
        probe(c, &r);
        c->n->warps++;
        g->launched++;
    }
}

/* Take the next workgroup where an SM has room for all its warps. */
static void dispatch(core *c, uint32_t sm) {
    uint32_t room[MAX_SLOT], num = 0, group = 0;
    if (c->next_workgroup == c->o->workgroups)
        return;
    for (uint32_t i = 0; i < c->o->num_warp; i++) {
        const core_slot *s = &c->slots[sm * c->o->num_warp + i];
        if (!s->live && !s->reserved && !s->pending_writes && !s->pending_control)
            room[num++] = sm * c->o->num_warp + i;
    }
    if (num < c->o->wg_size)
        return;
    while (c->groups[group].open)
        group++;
    c->groups[group] = (core_group){.open = true, .workgroup = c->next_workgroup, .sm = sm};
    expect(karat_kernel_open(&c->kernel, c->model, group, c->next_workgroup) == KARAT_OK,
           "workgroup refused");
    for (uint32_t warp = 0; warp < c->o->wg_size; warp++) {
        uint32_t pick = c->o->max_delay ? rng_below(&c->r, num) : 0;
        core_slot *s = &c->slots[room[pick]];
        for (--num; pick < num; pick++)
            room[pick] = room[pick + 1];
        s->reserved = true;
        s->group = group;
        s->workgroup = c->next_workgroup;
        s->warp = warp;
    }
    c->next_workgroup++;
}

static void one_cycle(core *c, uint32_t sm) {
    deliver_due(c, sm);
    audit_some(c, sm);
    uint32_t start = rng_below(&c->r, c->o->num_warp);
    for (uint32_t n = 0; n < c->o->num_warp; n++) {
        uint32_t slot = sm * c->o->num_warp + (start + n) % c->o->num_warp;
        core_slot *s = &c->slots[slot];
        if (!s->live || s->ended || s->waiting || !s->given || !look_ahead(c, slot) ||
            is_stalled(c, &c->slots[slot]))
            continue;
        issue(c, slot);
        break;
    }
    if (!c->o->max_delay || !c->o->max_mem_delay)
        deliver_due(c, sm);
    release_barriers(c, sm);
    exit_warps(c, sm);
    dispatch(c, sm);
    launch_warps(c, sm);
}

/* --- The test bench --- */

static void say_host(core *c, uint64_t addr, const void *bytes, uint32_t size) {
    const uint8_t *from = bytes;
    while (size) {
        record r = make(c, KARAT_REC_HOST, 0);
        r.host.addr = addr;
        r.host.length = size < sizeof r.host.data ? size : (uint32_t)sizeof r.host.data;
        memcpy(r.host.data, from, r.host.length);
        addr += r.host.length;
        from += r.host.length;
        size -= r.host.length;
        bench(c, &r);
    }
}

static void host_write(core *c, uint32_t addr, const void *bytes, uint32_t size) {
    expect(karat_write(c->model, addr, bytes, size) == KARAT_OK, "host write");
    say_host(c, addr, bytes, size);
}

static uint64_t hash_of(const core *c, uint64_t base, uint64_t size) {
    uint8_t *bytes = malloc(size);
    expect(bytes && karat_read(c->model, base, bytes, size) == KARAT_OK, "hash");
    uint64_t hash = XXH3_64bits(bytes, size);
    free(bytes);
    return hash;
}

/* All memory with translation: tables and pages. Returns the number of REGIONs. */
static uint32_t say_memory(core *c) {
    uint64_t addr = 0;
    uint32_t num = 0;
    for (const uint8_t *page; (page = karat_next_page(c->model, &addr)); addr += 4096, num++) {
        record r = make(c, KARAT_REC_REGION, 0);
        r.region.base = addr;
        r.region.size = 4096;
        r.region.hash = hash_of(c, addr, 4096);
        r.region.hash_valid = 1;
        bench(c, &r);
    }
    addr = 0;
    for (const uint8_t *page; (page = karat_next_page(c->model, &addr)); addr += 4096)
        say_host(c, addr, page, 4096);
    return num;
}

/* The address space of a kernel, with what it finds in memory. */
static void start_space(core *c, const program *p, uint32_t index, const uint8_t *data, size_t size) {
    expect(index < MAX_KERNELS, "kernels");
    karat_space *space = index ? karat_space_create_after(c->space[index - 1], NULL)
                               : karat_space_create(c->model, &c->o->layout, NULL);
    c->space[index] = space;
    expect(space && karat_space_map(space, CODE_BASE, 4 * MAX_CODE, true) == KARAT_OK &&
               karat_space_map(space, DATA_BASE, DATA_SIZE, false) == KARAT_OK &&
               karat_space_map(space, PRIVATE_BASE, PRIVATE_SIZE, false) == KARAT_OK,
           "address space");
    const karat_page_change alias = {
        .virt = ALIAS_BASE, .to = SHARED, .words = 1u << KARAT_CHANGE_ALIAS, .level = 0};
    karat_diag diag = {0};
    if (karat_space_change(space, &alias, &diag) != KARAT_OK)
        fprintf(stderr, "%s\n", diag.text);
    expect(!diag.text[0], "alias");
    if (!index)
        expect(karat_space_write(space, CODE_BASE, p->word, 4 * p->num) == KARAT_OK &&
                   karat_space_write(space, DATA_BASE, data, size) == KARAT_OK,
               "host write");
    c->num_filled = 0;
}

static void say_paging(core *c, uint32_t index) {
    record r = make(c, KARAT_REC_PAGING, 0);
    r.paging.ptbr = c->kernel.ptbr = karat_space_ptbr(c->space[index]);
    r.paging.asid = c->kernel.asid = karat_space_asid(c->space[index]) + index;
    bench(c, &r);
}

static void start_kernel(core *c, const program *p, uint32_t index) {
    const uint32_t regions[][2] = {
        {CODE_BASE, 4 * MAX_CODE}, {DATA_BASE, DATA_SIZE}, {PRIVATE_BASE, PRIVATE_SIZE}};
    uint8_t data[2 * WARP_DATA];
    size_t num_regions = sizeof regions / sizeof *regions;
    const bool plain = !c->o->sv39;
    if (index == 0 && !plain)
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = (uint8_t)rng_next(&c->r);
    if (!plain) {
        start_space(c, p, index, data, sizeof data);
        num_regions = say_memory(c);
    }
    if (index == 0 && plain) {
        /* REGION comes before HOST, and its hash is of what the kernel will find: the bytes come first here.
         */
        for (size_t i = 0; i < num_regions; i++)
            expect(karat_map(c->model, regions[i][0], regions[i][1]) == KARAT_OK, "map");
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = (uint8_t)rng_next(&c->r);
        karat_write(c->model, CODE_BASE, p->word, 4 * p->num);
        karat_write(c->model, DATA_BASE, data, sizeof data);
    }
    for (size_t i = 0; plain && i < num_regions; i++) {
        record r = make(c, KARAT_REC_REGION, 0);
        r.region.base = regions[i][0];
        r.region.size = regions[i][1];
        r.region.hash = hash_of(c, r.region.base, r.region.size);
        r.region.hash_valid = 1;
        bench(c, &r);
    }
    if (index == 0 && plain) {
        host_write(c, CODE_BASE, p->word, 4 * p->num);
        host_write(c, DATA_BASE, data, sizeof data);
    }
    const uint32_t num_locals = index ? 0 : c->o->num_locals;
    for (uint32_t i = 0; i < num_locals; i++)
        say_host(c, c->o->locals[i].base, c->o->locals[i].data, c->o->locals[i].size);
    record r = make(c, KARAT_REC_KERNEL, 0);
    c->kernel = (karat_kernel){
        .name = "synthetic",
        .start_addr = CODE_BASE,
        .grid = {c->o->workgroups, 1, 1},
        .wf_size = c->o->wf_size ? c->o->wf_size : c->o->num_thread,
        .wg_size = c->o->wg_size,
        .knl = DATA_BASE,
        .lds_base = karat_get_config(c->model)->lds_base,
        .lds_size = c->o->lds_size,
        .pds_base = PRIVATE_BASE,
        .pds_size = 16,
        .num_locals = num_locals,
        .locals = c->o->locals,
    };
    if (!plain)
        say_paging(c, index);
    if (c->o->items) {
        const uint32_t threads = c->kernel.wf_size * c->kernel.wg_size;
        c->kernel.local[0] = threads;
        c->kernel.global[0] = threads * c->kernel.grid[0];
        for (int i = 1; i < 3; i++)
            c->kernel.local[i] = c->kernel.global[i] = 1;
        record items = make(c, KARAT_REC_ITEMS, 0);
        expect(karat_retire_items(&c->kernel, &items.items), "work-items");
        bench(c, &items);
    }
    karat_retire_kernel(&c->kernel, c->o->num_thread, index, (uint32_t)num_regions, &r.kernel);
    bench(c, &r);
    c->next_workgroup = c->num_exited = 0;
}

static void host_csr(core *c) {
    uint32_t slot = rng_below(&c->r, c->o->num_sm * c->o->num_warp);
    const core_slot *s = &c->slots[slot];
    if (!s->live || s->ended || s->has_next)
        return;
    record r = make(c, KARAT_REC_HOSTCSR, slot);
    r.hostcsr.addr = 0x80b;
    r.hostcsr.value = rng_next(&c->r);
    karat_csr_write(c->model, slot, r.hostcsr.addr, r.hostcsr.value);
    c->n->records++;
    karat_port_send(c->port, &r);
}

static void say_hello(core *c) {
    record r = make(c, KARAT_REC_HELLO, 0);
    r.hello.version = KARAT_PORT_VERSION;
    r.hello.stack_depth = KARAT_MAX_STACK;
    r.hello.num_sm = (uint8_t)c->o->num_sm;
    r.hello.num_warp = (uint8_t)c->o->num_warp;
    r.hello.num_thread = (uint8_t)c->o->num_thread;
    r.hello.mem_order = KARAT_ORDER_NONE;
    r.hello.gives = c->o->gives;
    r.hello.props = c->o->sv39 ? KARAT_PROP_SV39 : 0;
    memcpy(r.hello.name, "synthetic", sizeof "synthetic");
    probe(c, &r);
}

karat_config core_model_config(void) {
    karat_config config;
    karat_config_default(&config);
    config.lds_size = 0x10000; /* Small: thousands of models are made */
    config.lds_pool = 0x10000;
    return config;
}

/* The warp's page fault. */
static void say_fault(core *c) {
    core_slot *s = &c->slots[c->fault_slot];
    record r = make(c, KARAT_REC_TLB, c->fault_slot);
    karat_retire_fault(&s->next.fault, s->seq, &r.tlb);
    r.tlb.asid = c->kernel.asid;
    if (!gives(c, KARAT_REC_TLB))
        return;
    probe(c, &r);
    c->n->faults++;
}

/* One kernel; false where it has ended with a page fault. */
static bool run_kernel(core *c) {
    const core_options *o = c->o;
    while (c->num_exited < o->workgroups * o->wg_size || c->num_events) {
        expect(++c->cycle < MAX_CYCLE, "the program does not end");
        if (o->max_delay && rng_chance(&c->r, 5))
            c->cycle += rng_below(&c->r, 50);
        /* As a simulator: one SM's probe before another's, in any order. */
        uint32_t first = rng_below(&c->r, o->num_sm);
        for (uint32_t i = 0; i < o->num_sm; i++)
            one_cycle(c, (first + i) % o->num_sm);
        if (o->host_csr && rng_chance(&c->r, 10))
            host_csr(c);
        if (c->faulted && c->cycle >= c->fault_cycle) {
            say_fault(c);
            return false;
        }
    }
    return true;
}

void core_run(const program *p, const core_options *o, stream *out, core_counts *counts) {
    const uint32_t num_slots = o->num_sm * o->num_warp;
    expect(num_slots <= MAX_SLOT, "options");
    core *c = calloc(1, sizeof *c + num_slots * sizeof c->slots[0]);
    core_counts unused;
    expect(c && (c->events = malloc(MAX_EVENT * sizeof *c->events)), "out of memory");
    c->o = o;
    c->n = counts ? counts : &unused;
    *c->n = (core_counts){0};
    c->r.state = o->seed;
    c->out = out;
    *out = (stream){0};
    karat_config config = core_model_config();
    config.profile = o->profile;
    config.deviations = o->deviations;
    config.simt_order = o->simt_order;
    config.num_thread = o->num_thread;
    config.translation = o->sv39 ? KARAT_TRANSLATION_SV39 : KARAT_TRANSLATION_NONE;
    config.max_warp = num_slots;
    config.max_workgroup = MAX_SLOT;
    c->model = karat_create(&config, NULL);
    c->port = karat_port_create(o->num_sm);
    expect(c->model && c->port && karat_port_add_sink(c->port, sink, out), "out of memory");

    say_hello(c);
    for (uint32_t k = 0; k < o->kernels; k++) {
        start_kernel(c, p, k);
        const bool ended = run_kernel(c);
        karat_port_flush(c->port);
        if (!ended)
            break;
    }
    record bye = make(c, KARAT_REC_BYE, 0);
    bye.bye.reason = c->faulted ? KARAT_BYE_ABORT : KARAT_BYE_DONE;
    bench(c, &bye);
    if (o->uncounted)
        out->at[out->num - 1].bye.records = 0;
    c->n->cycle = c->cycle;
    karat_port_destroy(c->port);
    for (uint32_t k = 0; k < MAX_KERNELS; k++)
        karat_space_destroy(c->space[k]);
    karat_destroy(c->model);
    free(c->events);
    free(c);
}

core_options core_default(void) {
    return (core_options){
        .seed = 1,
        .num_sm = 1,
        .num_warp = 4,
        .num_thread = 4,
        .workgroups = 2,
        .wg_size = 2,
        .kernels = 1,
        .gives = GIVES_ALL,
        .audit_percent = 20,
        .lds_size = 1024,
    };
}

core_options core_random(uint64_t seed) {
    rng r = {seed * 7919 + 1};
    core_options o = core_default();
    o.seed = seed;
    o.num_sm = 1 + rng_below(&r, 3);
    o.wg_size = 1 + rng_below(&r, 4);
    o.num_warp = o.wg_size + rng_below(&r, 4);
    o.num_thread = 4u << rng_below(&r, 4);
    o.wf_size = rng_chance(&r, 25) ? 1 + rng_below(&r, o.num_thread) : 0;
    o.workgroups = 1 + rng_below(&r, 16 / o.wg_size);
    o.kernels = 1 + rng_below(&r, 2);
    o.write_match = rng_below(&r, 2);
    o.mem_match = rng_below(&r, 2);
    o.prefix_unknown = rng_chance(&r, 30);
    o.space_unknown = rng_chance(&r, 30);
    o.csr_unknown = rng_chance(&r, 30);
    o.regs = rng_below(&r, 3);
    o.max_delay = rng_chance(&r, 20) ? 0 : 1 + rng_below(&r, 30);
    o.max_mem_delay = o.max_delay ? rng_below(&r, 200) : 0;
    o.forwards = rng_chance(&r, 50);
    o.split = rng_chance(&r, 50);
    o.idle_writes = rng_chance(&r, 50);
    o.allocation = rng_chance(&r, 50);
    o.own_wgid = !o.csr_unknown && rng_chance(&r, 50);
    o.release_singly = rng_chance(&r, 50);
    o.host_csr = rng_chance(&r, 30);
    const uint32_t optional = o.gives & ~(KARAT_RECS_REQUIRED | 1u << KARAT_REC_HELLO);
    for (uint32_t left = optional; left; left &= left - 1)
        if (rng_chance(&r, 8))
            o.gives &= ~(left & -left);
    /* The contents of a register file are known only where its writes are seen, and a value adopted only
     * from a WRITE. */
    if (!(o.gives >> KARAT_REC_WRITE & 1)) {
        o.gives &= ~(1u << KARAT_REC_AUDIT);
        o.regs = KARAT_REGS_CLEARED;
    }
    if (!(o.gives >> KARAT_REC_AUDIT & 1) && o.regs == KARAT_REGS_AUDIT)
        o.regs = KARAT_REGS_CLEARED;
    if (!(o.gives >> KARAT_REC_MEM & 1) && o.regs == KARAT_REGS_UNKNOWN)
        o.regs = KARAT_REGS_CLEARED;
    return o;
}
