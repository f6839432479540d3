#include "run_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "meta.h"
#include "port.h"
#include "retire.h"
#include "run_where.h"
#include "trace.h"

/* The model's warp handles as slots of SMs: a workgroup's are in one SM. */
typedef struct record_slot {
    uint8_t sm, index;
    bool launched; /* Ever */
    bool waits;    /* The warp waits at a barrier */
    uint32_t epoch, seq;
} record_slot;

enum { PAGE = 4096, NUM_ENTRIES = 32 /* Entries of each TLB, by page number */ };

typedef struct tlb {
    bool used; /* Since the last invalidation */
    struct {
        bool valid;
        uint64_t page;
    } entry[NUM_ENTRIES];
} tlb;

struct recorder {
    session *session;
    const karat_kernel *kernel;
    uint32_t num_sm, num_warp;
    record_slot *slots; /* Slots of all SMs, num_warp of each */
    uint64_t cycle;
    uint32_t reason; /* KARAT_BYE_* */
    karat_port *port;
    karat_host *host;
    tlb (*tlbs)[2];             /* With translation, of each SM: KARAT_TLB_INSTRUCTION, KARAT_TLB_DATA */
    karat_trace_writer *writer; /* NULL: no file */
    const run_strict *judge;    /* NULL: nobody judges the records of each step at once */
    bool ended;
};

/* --- Open --- */

/* SMs and slots for all workgroups that are resident at once. */
static bool size_device(recorder *r) {
    const session *s = r->session;
    const karat_config *config = karat_get_config(s->model);
    r->num_warp = config->max_warp < KARAT_PORT_SM_SLOTS ? config->max_warp : KARAT_PORT_SM_SLOTS;
    for (uint32_t i = 0; i < s->num_kernels; i++) {
        const karat_kernel *k = s->kernels[i];
        if (k->wg_size > KARAT_PORT_SM_SLOTS ||
            (uint64_t)karat_kernel_workgroups(k) * k->wg_size > KARAT_PORT_WARPS) {
            cli_error("%s: a recording holds workgroups of at most %d warps, and %d warps in all", k->name,
                      KARAT_PORT_SM_SLOTS, KARAT_PORT_WARPS);
            return false;
        }
        const uint32_t each = r->num_warp / k->wg_size, all = karat_kernel_workgroups(k);
        const uint32_t groups = all < config->max_workgroup ? all : config->max_workgroup;
        const uint32_t sms = (groups + each - 1) / each;
        r->num_sm = sms > r->num_sm ? sms : r->num_sm;
    }
    if (r->num_sm * r->num_warp <= KARAT_PORT_SLOTS)
        return true;
    cli_error("--record, --strict: expected at most %d warps resident at once (--resident, --warps), found "
              "%" PRIu32,
              KARAT_PORT_SLOTS, r->num_sm * r->num_warp);
    return false;
}

static karat_host *make_host(const recorder *r, karat_diag *diag) {
    const session *s = r->session;
    const karat_host_config config = {
        .kernels = s->kernels,
        .num_kernels = s->num_kernels,
        .num_sm = r->num_sm,
        .num_warp = r->num_warp,
        .num_thread = (uint32_t)s->options.threads,
        .lds_bytes = UINT32_MAX,
        .num_sgpr = UINT32_MAX,
        .num_vgpr = UINT32_MAX,
        .reg_granule = 1,
        .fills_lds = true,
        .starts_partial = true,
        .memory = karat_host_model(s->model),
        .paging = s->paging,
        .port = r->port,
    };
    return karat_host_create(&config, diag);
}

static void free_recorder(recorder *r) {
    karat_host_destroy(r->host);
    free(r->tlbs);
    karat_port_destroy(r->port);
    free(r->slots);
    free(r);
}

static void say_hello(recorder *r) {
    const uint32_t mem =
        r->session->options.sv39 ? KARAT_PORT_BIT(ACCESS) | KARAT_PORT_BIT(TLB) : KARAT_PORT_BIT(MEM);
    karat_rec_hello h = {
        .h = {.kind = KARAT_REC_HELLO},
        .version = KARAT_PORT_VERSION,
        .stack_depth = KARAT_MAX_STACK,
        .num_sm = (uint8_t)r->num_sm,
        .num_warp = (uint8_t)r->num_warp,
        .num_thread = (uint8_t)r->session->options.threads,
        .mem_order = KARAT_ORDER_PERFORMED,
        .gives = KARAT_PORT_BIT(HELLO) | KARAT_PORT_BIT(LAUNCH) | KARAT_PORT_BIT(ISSUE) |
                 KARAT_PORT_BIT(READ) | KARAT_PORT_BIT(WRITE) | KARAT_PORT_BIT(AUDIT) | KARAT_PORT_BIT(SIMT) |
                 KARAT_PORT_BIT(CSR) | mem | KARAT_PORT_BIT(BARRIER) | KARAT_PORT_BIT(EXIT),
        .props = KARAT_PROP_COHERENT | KARAT_PROP_FLUSHED | KARAT_PROP_INTERLOCKED | KARAT_PROP_ASCENDING |
                 (r->session->options.sv39 ? KARAT_PROP_SV39 : 0u),
        .name = "model",
    };
    karat_port_receive(r->port, &h);
}

/* Those who get the records. False: *diag says why, or memory is short. */
static bool add_sinks(recorder *r, const char *path, run_strict *strict, karat_diag *diag) {
    char *meta = path ? session_meta(r->session) : NULL;
    if (meta)
        r->writer = karat_trace_create(path, meta, diag);
    free(meta);
    if (path && (!r->writer || !karat_port_add_sink(r->port, karat_trace_record, r->writer)))
        return false;
    r->judge = strict;
    return !strict || karat_port_add_sink(r->port, run_strict_record, strict);
}

recorder *recorder_open(session *s, const char *path, run_strict *strict) {
    recorder *r = calloc(1, sizeof *r);
    karat_diag diag = {.text = "not enough memory"};
    if (!r) {
        cli_error("%s", diag.text);
        return NULL;
    }
    r->session = s;
    if (!size_device(r)) {
        free_recorder(r);
        return NULL;
    }
    r->slots = calloc((size_t)r->num_sm * r->num_warp, sizeof *r->slots);
    r->port = karat_port_create(r->num_sm);
    for (uint32_t i = 0; r->slots && i < r->num_sm * r->num_warp; i++)
        r->slots[i] = (record_slot){.sm = (uint8_t)(i / r->num_warp), .index = (uint8_t)(i % r->num_warp)};
    r->tlbs = calloc(r->num_sm, sizeof *r->tlbs);
    if (r->port)
        r->host = make_host(r, &diag);
    if (!r->slots || !r->tlbs || !r->host || !add_sinks(r, path, strict, &diag)) {
        cli_error("%s", diag.text);
        free_recorder(r);
        return NULL;
    }
    say_hello(r);
    return r;
}

/* --- Records --- */

static record_slot *slot_of(const recorder *r, uint32_t handle) {
    const uint32_t wg_size = r->kernel->wg_size, each = r->num_warp / wg_size;
    const uint32_t group = handle / wg_size;
    return &r->slots[group / each * r->num_warp + group % each * wg_size + handle % wg_size];
}

static karat_rec_header header(const recorder *r, unsigned kind, const record_slot *slot) {
    return (karat_rec_header){
        .kind = (uint8_t)kind, .sm = slot->sm, .slot = slot->index, .epoch = slot->epoch, .cycle = r->cycle};
}

bool recorder_kernel(recorder *r, uint32_t index) {
    r->kernel = r->session->kernels[index];
    if (karat_host_before(r->host, r->cycle))
        return true;
    r->reason = KARAT_BYE_ABORT;
    cli_error("not enough memory");
    return false;
}

/* The page tables are others now, or have changed. */
static void invalidate(recorder *r) {
    for (uint32_t sm = 0; sm < r->num_sm; sm++)
        for (unsigned kind = 0; kind < 2; kind++) {
            tlb *t = &r->tlbs[sm][kind];
            const karat_rec_tlb all = {
                .h = {.kind = KARAT_REC_TLB, .sm = (uint8_t)sm, .cycle = r->cycle},
                .action = KARAT_TLB_INVALIDATE,
                .tlb = (uint8_t)kind,
                .level = KARAT_LEVEL_ALL,
                .asid = KARAT_ASID_ALL,
            };
            if (t->used)
                karat_port_receive(r->port, &all);
            *t = (tlb){0};
        }
}

bool recorder_placed(recorder *r) {
    const bool good = karat_host_after(r->host, r->cycle);
    invalidate(r);
    return good;
}

void recorder_launch(recorder *r, const karat_sched_warp *warp, const karat_launch_desc *desc) {
    const uint32_t handle = warp->handle;
    record_slot *slot = slot_of(r, handle);
    slot->epoch += slot->launched;
    slot->launched = true;
    slot->waits = false;
    slot->seq = 0;
    karat_rec_launch l = {
        .h = header(r, KARAT_REC_LAUNCH, slot), .workgroup = warp->workgroup, .warp = warp->warp};
    karat_retire_launch(desc, &l);
    l.sgpr_base = slot->index * KARAT_NUM_X;
    l.sgpr_size = KARAT_NUM_X;
    l.vgpr_base = slot->index * KARAT_NUM_V;
    l.vgpr_size = KARAT_NUM_V;
    l.lds_base = handle / r->kernel->wg_size * r->kernel->lds_size;
    l.lds_size = r->kernel->lds_size;
    l.regs = KARAT_REGS_UNKNOWN; /* Their contents at the launch must not be relied on */
    karat_port_receive(r->port, &l);
}

static uint32_t all_lanes(const recorder *r) {
    return 0xffffffffu >> (32 - karat_get_config(r->session->model)->num_thread);
}

/* One access of each lane in each; those of one address space. */
static void put_mem(recorder *r, const record_slot *slot, uint32_t seq, const karat_mem *mem) {
    const karat_config *config = karat_get_config(r->session->model);
    karat_rec_mem m = {0};
    uint64_t stored = UINT64_MAX; /* The page that the host was told of */
    for (uint32_t k = 0; k < mem->num; k++) {
        const karat_access a = karat_mem_access(mem, k);
        const uint32_t space = karat_retire_space(config, mem, a.addr);
        if (m.mask && (m.mask >> a.lane & 1 || m.space != space || m.addr_hi != a.addr >> 32)) {
            karat_port_receive(r->port, &m);
            m.mask = 0;
        }
        if (!m.mask) {
            m = (karat_rec_mem){.h = header(r, KARAT_REC_MEM, slot)};
            karat_retire_mem(mem, seq, space, &m);
        }
        karat_retire_bytes(&m, mem, &a, 0, a.bytes, 0);
        if (mem->op != KARAT_LOAD && a.addr <= UINT32_MAX && a.addr / PAGE != stored) {
            karat_host_stored(r->host, a.addr);
            stored = a.addr / PAGE;
        }
    }
    if (m.mask)
        karat_port_receive(r->port, &m);
}

/* An access with translation; consecutive words of a lane are one. */
static void put_accesses(recorder *r, const record_slot *slot, uint32_t seq, const karat_mem *mem) {
    const karat_config *config = karat_get_config(r->session->model);
    karat_rec_access m = {0};
    for (uint32_t k = 0; k < mem->num; k++) {
        const uint32_t space = karat_retire_space(config, mem, karat_mem_access(mem, k).addr),
                       bytes = karat_mem_access(mem, k).bytes;
        if (m.mask && m.space == space && karat_retire_wide(mem, k, 0, bytes, true, &m))
            continue;
        if (m.mask)
            karat_port_receive(r->port, &m);
        m = (karat_rec_access){.h = header(r, KARAT_REC_ACCESS, slot)};
        karat_retire_access(mem, seq, space, &m);
        karat_retire_wide(mem, k, 0, bytes, true, &m);
    }
    if (m.mask)
        karat_port_receive(r->port, &m);
}

static void put_writes(recorder *r, const record_slot *slot, uint32_t seq, const karat_commit *c) {
    const uint32_t threads = karat_get_config(r->session->model)->num_thread;
    for (uint32_t i = 0; i < c->num_writes; i++) {
        karat_rec_write w = {.h = header(r, KARAT_REC_WRITE, slot)};
        karat_retire_write(&c->write[i], seq, c->write[i].mask, &w);
        karat_port_receive(r->port, &w);
    }
    for (uint32_t i = 0; i < c->num_writes; i++) {
        const karat_reg_write *w = &c->write[i];
        const bool scalar = w->cls == KARAT_CLASS_X;
        karat_rec_audit a = {.h = header(r, KARAT_REC_AUDIT, slot),
                             .cls = w->cls,
                             .regno = w->reg,
                             .mask = scalar ? 1 : all_lanes(r)};
        memcpy(a.data, w->value, (scalar ? 1 : threads) * sizeof *a.data);
        karat_port_receive(r->port, &a);
    }
}

/* A release of all of that handle's workgroup that wait. */
static void put_release(recorder *r, uint32_t handle) {
    karat_rec_barrier b = {.h = header(r, KARAT_REC_BARRIER, slot_of(r, handle)),
                           .action = KARAT_BARRIER_RELEASE};
    const uint32_t wg_size = r->kernel->wg_size;
    for (uint32_t warp = 0; warp < wg_size; warp++) {
        record_slot *slot = slot_of(r, handle / wg_size * wg_size + warp);
        b.warps |= (uint64_t)slot->waits << slot->index;
        slot->waits = false;
    }
    b.h.slot = 0;
    b.h.epoch = 0;
    karat_port_receive(r->port, &b);
}

/* FILL, where the TLB has no entry for that virtual address. */
static void use_tlb(recorder *r, const karat_rec_header *of, unsigned kind, uint64_t virt) {
    const karat_config *config = karat_get_config(r->session->model);
    const uint64_t page = virt / PAGE;
    tlb *t = &r->tlbs[of->sm][kind];
    if (virt - config->lds_base < config->lds_size ||
        (t->entry[page % NUM_ENTRIES].valid && t->entry[page % NUM_ENTRIES].page == page))
        return;
    karat_rec_tlb fill = {.h = *of, .tlb = (uint8_t)kind, .asid = r->kernel->asid};
    fill.h.slot = 0;
    fill.h.epoch = 0;
    if (!karat_retire_fill(r->session->model, r->kernel->ptbr, virt, &fill))
        return;
    karat_port_receive(r->port, &fill);
    t->used = t->entry[page % NUM_ENTRIES].valid = true;
    t->entry[page % NUM_ENTRIES].page = page;
}

/* The TLB entries that a step uses. */
static void put_fills(recorder *r, const record_slot *slot, const karat_commit *c) {
    const karat_rec_header h = header(r, KARAT_REC_TLB, slot);
    if (c->prefix)
        use_tlb(r, &h, KARAT_TLB_INSTRUCTION, c->pc - 4);
    use_tlb(r, &h, KARAT_TLB_INSTRUCTION, c->pc);
    for (uint32_t k = 0; c->has_mem && k < c->mem.num; k++)
        use_tlb(r, &h, KARAT_TLB_DATA, c->mem.virt[k]);
}

static void put_issue(recorder *r, const record_slot *slot, uint32_t seq, const karat_commit *c) {
    karat_rec_issue issue = {.h = header(r, KARAT_REC_ISSUE, slot)};
    karat_retire_issue(c, seq, &issue);
    karat_port_receive(r->port, &issue);
    for (uint32_t i = 0; i < c->num_reads; i++) {
        karat_rec_read read = {.h = header(r, KARAT_REC_READ, slot)};
        karat_retire_read(c, seq, i, all_lanes(r), &read);
        karat_port_receive(r->port, &read);
    }
}

void recorder_step(recorder *r, const karat_sched_warp *warp, const karat_commit *c) {
    const uint32_t handle = warp->handle;
    record_slot *slot = slot_of(r, handle);
    const uint32_t seq = slot->seq++;
    r->cycle++;
    if (r->session->options.sv39)
        put_fills(r, slot, c);
    put_issue(r, slot, seq, c);
    if (c->has_mem)
        (r->session->options.sv39 ? put_accesses : put_mem)(r, slot, seq, &c->mem);
    put_writes(r, slot, seq, c);
    if (c->simt != KARAT_SIMT_NONE) {
        karat_rec_simt s = {.h = header(r, KARAT_REC_SIMT, slot)};
        karat_retire_simt(c, seq, &s);
        karat_port_receive(r->port, &s);
    }
    if (c->csr_written) {
        karat_rec_csr s = {.h = header(r, KARAT_REC_CSR, slot)};
        karat_retire_csr(c, seq, &s);
        karat_port_receive(r->port, &s);
    }
    if (c->barrier && !c->ended) {
        karat_rec_barrier b = {
            .h = header(r, KARAT_REC_BARRIER, slot), .seq = seq, .action = KARAT_BARRIER_ARRIVE};
        karat_port_receive(r->port, &b);
        slot->waits = true;
    }
    if (c->barrier == 2)
        put_release(r, handle);
    if (c->ended) {
        karat_rec_exit e = {.h = header(r, KARAT_REC_EXIT, slot)};
        karat_port_receive(r->port, &e);
    }
    if (c->barrier && c->ended)
        put_release(r, handle);
    if (r->judge)
        karat_port_flush(r->port);
}

void recorder_host_write(recorder *r, uint64_t addr, const void *bytes, size_t size) {
    karat_host_wrote(r->host, addr, bytes, size, r->cycle);
}

void recorder_host_csr(recorder *r, uint32_t handle, uint32_t csr, uint32_t value) {
    const karat_rec_hostcsr h = {
        .h = header(r, KARAT_REC_HOSTCSR, slot_of(r, handle)), .addr = csr, .value = value};
    karat_port_send(r->port, &h);
}

void recorder_end(recorder *r, const karat_sched_result *result) {
    if (result->end == KARAT_SCHED_PROGRAM_ERROR) { /* The instruction that could not be taken */
        const uint32_t handle = result->commit.error.warp;
        const record_slot *slot = slot_of(r, handle);
        const karat_commit *c = &result->commit;
        const bool page = c->error.kind == KARAT_ERR_PAGE, fetch = page && c->fault.use == KARAT_USE_FETCH;
        r->cycle++;
        if (!fetch)
            put_issue(r, slot, slot->seq, c);
        if (page) {
            karat_rec_tlb fault = {.h = header(r, KARAT_REC_TLB, slot), .asid = r->kernel->asid};
            karat_retire_fault(&c->fault, slot->seq, &fault);
            karat_port_receive(r->port, &fault);
        }
    }
    if (result->end != KARAT_SCHED_DONE)
        r->reason = result->end == KARAT_SCHED_MAX_STEPS ? KARAT_BYE_CYCLE_LIMIT : KARAT_BYE_ABORT;
    for (const karat_workgroup *w; result->end == KARAT_SCHED_DONE && (w = karat_host_offer(r->host));) {
        const uint32_t index = w->index;
        karat_host_accepted(r->host);
        karat_host_workgroup_done(r->host, index);
    }
}

void recorder_bye(recorder *r) {
    if (!r || r->ended)
        return;
    r->ended = true;
    r->cycle++;
    karat_host_bye(r->host, r->cycle, r->reason);
}

bool recorder_close(recorder *r) {
    if (!r)
        return true;
    recorder_bye(r);
    if (!r->writer) {
        free_recorder(r);
        return true;
    }
    karat_diag diag = {.text = "not enough memory"};
    char *end = karat_trace_end_make(NULL);
    const bool good = karat_trace_close(r->writer, end ? end : "{}", &diag);
    if (!good || !end)
        cli_error("%s", diag.text);
    const bool whole = good && end;
    free(end);
    free_recorder(r);
    return whole;
}
