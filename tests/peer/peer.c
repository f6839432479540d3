#include "peer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"

/* GVM's list of scalar instructions. It leaves out andi, ori, mulh*, div*, rem*, loads narrower than a word,
 * atomics, all scalar floating point, vsetvl and vsetivli, and moves from vector registers. */
static const char *const listed_scalar[] = {
    "lui",  "auipc", "jal", "jalr",  "addi",  "slti",  "sltiu",  "xori",   "slli",   "srli",
    "srai", "add",   "sub", "sll",   "slt",   "sltu",  "xor",    "srl",    "sra",    "or",
    "and",  "mul",   "lw",  "csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci", "vsetvli"};
/* Of the instructions that write vectors it leaves out these. */
static const char *const unlisted_vector[] = {"vsbc.vvm", "vsbc.vxm"};
/* Of those with a name in vf it compares these exactly. */
static const char *const exact_vector[] = {"vfrsub.vf", "vfmv.v.f", "vfmv.s.f"};

enum { WAITS = 1, COMPARED = 2, TOLERANT = 4, BARRIER = 8, END = 16 };
#define TOLERANCE 1e-3f
enum { NUM_WAITS = 256 };
#define MAX_TAIL                                                                                             \
    1000000 /* Steps of a warp after its ENDPRG's issue: more are a loop that the core did not take */

/* An instruction that was issued and has not retired, or not been compared. */
typedef struct pending {
    struct pending *next;
    uint32_t seq, pc, word;
    uint8_t rules; /* WAITS ... */
    bool prefixed, done, retired, core_told, model_told;
    karat_rec_write core;
    uint32_t num; /* Number of registers that the reference has written */
    karat_reg_write model[KARAT_MAX_WRITE];
    karat_commit_values values; /* Values of the model */
} pending;

/* The reference's result: of a group or pair that of the register which the core wrote first. */
static const karat_reg_write *result(const pending *e) {
    for (uint32_t i = 0; i < e->num; i++)
        if (e->model[i].reg == e->core.regno)
            return &e->model[i];
    return &e->model[0];
}

typedef struct queue {
    pending *first, **end;
    uint32_t num;          /* Number of them */
    bool over;             /* ENDPRG was issued; the reference has to come to its end */
    uint32_t left;         /* Steps that it may take until then */
    bool waits[NUM_WAITS]; /* By seq: a scalar instruction that waits for its completion */
} queue;

struct karat_peer {
    karat_checker *setup; /* The reference is its model and slots: no record but those of set-up goes there */
    uint8_t *rules;       /* By row */
    queue *queues;        /* By slot */
    uint64_t issued;
    karat_peer_result result;
};

static bool is_in(const char *name, const char *const *list, size_t num) {
    for (size_t i = 0; i < num; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}
#define IN(name, list) is_in(name, list, sizeof(list) / sizeof *(list))

static uint8_t rules_of(const karat_row *row) {
    const char *name = row->mnemonic;
    if (strcmp(name, "endprg") == 0)
        return END | WAITS;
    if (strncmp(name, "barrier", 7) == 0)
        return BARRIER | WAITS;
    if (strcmp(name, "setrpc") == 0)
        return WAITS;
    if (IN(name, listed_scalar))
        return WAITS | COMPARED;
    if (!(row->owes & KARAT_OWES_V) || IN(name, unlisted_vector))
        return 0;
    return strncmp(name, "vf", 2) == 0 && !IN(name, exact_vector) ? COMPARED | TOLERANT : COMPARED;
}

karat_peer *karat_peer_create(const karat_check_config *config) {
    karat_peer *p = config ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->setup = karat_checker_create(config);
    p->rules = malloc((size_t)karat_num_rows());
    if (!p->setup || !p->rules) {
        karat_peer_destroy(p);
        return NULL;
    }
    for (int row = 0; row < karat_num_rows(); row++)
        p->rules[row] = rules_of(karat_row_info(row));
    return p;
}

static void forget(queue *q) {
    while (q->first) {
        pending *next = q->first->next;
        free(q->first);
        q->first = next;
    }
    q->end = &q->first;
    q->num = 0;
}

void karat_peer_destroy(karat_peer *p) {
    if (!p)
        return;
    for (uint32_t i = 0; p->queues && i < p->setup->num_slots; i++)
        forget(&p->queues[i]);
    karat_checker_destroy(p->setup);
    free(p->queues);
    free(p->rules);
    free(p);
}

const karat_peer_result *karat_peer_outcome(const karat_peer *p) {
    return p ? &p->result : NULL;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
error(karat_peer *p, const slot *s, const pending *e, const char *format, ...) {
    karat_peer_result *r = &p->result;
    if (r->errors++)
        return;
    r->cycle = p->setup->cycle;
    r->issued = p->issued;
    int used = snprintf(r->first, sizeof r->first,
                        "workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " 0x%08" PRIx32 ": ",
                        s->workgroup, s->warp, e ? e->seq : s->next_seq, e ? e->pc : 0);
    va_list args;
    va_start(args, format);
    vsnprintf(r->first + used, sizeof r->first - (size_t)used, format, args);
    va_end(args);
}

/* --- Comparison --- */

static float as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* As GVM writes it, so that a NaN on either side is no error. */
static bool too_far(uint32_t core, uint32_t model) {
    float a = as_float(core), b = as_float(model);
    return fabsf(a - b) > TOLERANCE + TOLERANCE * fabsf(b);
}

static void compare(karat_peer *p, const slot *s, const pending *e) {
    const karat_rec_write *core = &e->core;
    const karat_reg_write *model = result(e);
    p->result.compared++;
    if (core->cls != model->cls) {
        error(p, s, e, "a %s register is written; the reference writes a %s one",
              core->cls ? "vector" : "scalar", model->cls ? "vector" : "scalar");
    } else if (model->cls == KARAT_CLASS_X) {
        if (core->regno != model->reg || core->data[0] != model->value[0])
            error(p, s, e, "x%u = %08" PRIx32 "; the reference: x%u = %08" PRIx32, core->regno, core->data[0],
                  model->reg, model->value[0]);
    } else if (core->mask != model->mask) {
        error(p, s, e, "lanes %08" PRIx32 " are written; the reference: %08" PRIx32, core->mask, model->mask);
    } else {
        for (uint32_t m = core->mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uint32_t a = core->data[lane], b = model->value[lane];
            if (e->rules & TOLERANT ? too_far(a, b) : a != b) {
                error(p, s, e, "v%u lane %u = %08" PRIx32 "; the reference: %08" PRIx32, core->regno, lane, a,
                      b);
                return;
            }
        }
    }
}

/* The reference takes floating-point results that differ, all within the tolerance. */
static void take(karat_peer *p, const slot *s, const pending *e) {
    const karat_reg_write *model = result(e);
    if (!(e->rules & TOLERANT) || e->core.cls != KARAT_CLASS_V || model->cls != KARAT_CLASS_V)
        return;
    for (uint32_t m = e->core.mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        float a = as_float(e->core.data[lane]), b = as_float(model->value[lane]);
        if (e->core.data[lane] != model->value[lane] && !(fabsf(a - b) <= TOLERANCE + TOLERANCE * fabsf(b)))
            return;
    }
    karat_adopt(p->setup->model, s->handle, KARAT_CLASS_V, e->core.regno, e->core.mask, e->core.data);
}

static void settle(karat_peer *p, const slot *s, queue *q) {
    for (pending **link = &q->first; *link;) {
        pending *e = *link;
        bool compared = !(e->rules & COMPARED);
        if (!compared && e->core_told && e->model_told) {
            compare(p, s, e);
            e->rules &= (uint8_t)~COMPARED;
            compared = true;
        }
        if (!compared || !e->retired) {
            link = &e->next;
            continue;
        }
        *link = e->next;
        if (!*link)
            q->end = link;
        q->num--;
        free(e);
    }
}

/* --- The reference --- */

/* Where it cannot follow: no more is compared. */
static void lose(karat_peer *p) {
    p->result.lost = true;
}

/* Step over one instruction that retires. Returns false where the reference waits for other warps. */
static bool step(karat_peer *p, const slot *s, pending *e) {
    karat_commit commit;
    karat_warp_view view;
    karat_view(p->setup->model, s->handle, &view);
    if (view.waiting)
        return false;
    const uint32_t pc = view.pc + (e->prefixed ? 4 : 0);
    if (!view.live || pc != e->pc) {
        error(p, s, e, "pc; the reference is at 0x%08" PRIx32, pc);
        lose(p);
        return false;
    }
    if (karat_step(p->setup->model, s->handle, &commit) != KARAT_OK) {
        lose(p); /* A program error, as all that follows may be */
        return false;
    }
    e->retired = true;
    e->num = commit.num_writes;
    e->model_told = e->num != 0;
    karat_commit_keep(p->setup->model, &commit, &e->values);
    memcpy(e->model, commit.write, e->num * sizeof *e->model);
    if (!commit.num_writes)
        e->rules &= (uint8_t)~COMPARED; /* Of x0, or of no lane */
    if (e->core_told && e->model_told)
        take(p, s, e);
    return true;
}

/* The instructions done in order: up to the last one with a completion, where none after a missing one has
 * completed. */
static void retire(karat_peer *p, const slot *s, queue *q) {
    pending *last = NULL, *e = q->first;
    bool barrier = false;
    for (; e && !barrier && (e->done || !(e->rules & WAITS)); e = e->next)
        if (e->rules & WAITS) {
            last = e;
            barrier = e->rules & BARRIER && !e->retired;
        }
    for (; e && !barrier; e = e->next)
        if (e->rules & WAITS && e->done)
            return;
    for (e = q->first; last && e && !p->result.lost; e = e->next) {
        if (!e->retired && !step(p, s, e))
            break;
        if (e == last)
            break;
    }
    settle(p, s, q);
}

/* After an ENDPRG: the reference goes on to its own. */
static void run_out(karat_peer *p, const slot *s, queue *q) {
    karat_commit commit;
    while (q->over && q->left) {
        karat_status status = karat_step(p->setup->model, s->handle, &commit);
        if (status == KARAT_WAITING)
            return;
        q->left--;
        if (status != KARAT_OK || commit.ended)
            q->left = 0;
    }
}

static void go_on(karat_peer *p) {
    const karat_checker *c = p->setup;
    for (uint32_t i = 0; i < c->num_slots && !p->result.lost; i++) {
        if (!c->slots[i].live)
            continue;
        if (p->queues[i].over)
            run_out(p, &c->slots[i], &p->queues[i]);
        else
            retire(p, &c->slots[i], &p->queues[i]);
    }
}

/* --- Records --- */

static slot *slot_of(const karat_peer *p, const karat_rec_header *h) {
    const karat_checker *c = p->setup;
    if (h->sm >= c->hello.num_sm || h->slot >= c->hello.num_warp)
        return NULL;
    slot *s = &c->slots[h->sm * c->hello.num_warp + h->slot];
    return s->live && s->epoch == h->epoch ? s : NULL;
}

static void issue(karat_peer *p, const karat_rec_issue *r) {
    slot *s = slot_of(p, &r->h);
    if (!s)
        return;
    queue *q = &p->queues[s - p->setup->slots];
    if (q->over)
        return;
    karat_insn insn;
    int row = karat_decode(p->setup->config.model.profile, r->word, &insn);
    pending *e = q->num < KARAT_PORT_IN_FLIGHT ? calloc(1, sizeof *e) : NULL;
    if (!e) {
        lose(p);
        return;
    }
    p->issued++;
    s->next_seq = r->seq + 1;
    e->seq = r->seq;
    e->pc = r->pc;
    e->word = r->word;
    e->prefixed = r->prefix_kind == KARAT_PREFIX_WORD;
    e->rules = row == KARAT_NO_ROW ? 0 : p->rules[row];
    bool scalar = row != KARAT_NO_ROW && karat_row_info(row)->owes & KARAT_OWES_X;
    bool x0 = scalar && (r->word >> 7 & 31) == 0;
    bool mstatus = (r->word & 0x7f) == 0x73 && r->word >> 20 == 0x300;
    if (x0 || mstatus)
        e->rules &= (uint8_t)~COMPARED;
    e->done = x0 && !e->prefixed;                                              /* No write comes */
    q->waits[r->seq % NUM_WAITS] = scalar && e->rules & WAITS && !e->prefixed; /* A pair has two writes */
    *q->end = e;
    q->end = &e->next;
    q->num++;
    if (e->rules & END) {
        forget(q);
        q->over = true;
        q->left = MAX_TAIL;
    }
}

static void write_back(karat_peer *p, const karat_rec_write *r) {
    slot *s = slot_of(p, &r->h);
    if (!s || (r->cls == KARAT_X && r->regno == 0) || !r->mask)
        return;
    queue *q = &p->queues[s - p->setup->slots];
    if (q->over)
        return;
    pending *e = q->first;
    while (e && (r->match != KARAT_MATCH_SEQ || e->seq != r->seq))
        e = e->next;
    if (r->cls == KARAT_X && q->waits[r->seq % NUM_WAITS] && (!e || e->done)) {
        error(p, s, e, "x%u is written under seq %" PRIu32 ", which waits for nothing", r->regno, r->seq);
        return;
    }
    if (!e || e->core_told)
        return;
    e->done = true;
    e->core = *r;
    e->core_told = true;
}

/* A warp's barrier is done.  What is issued after it and waits for a completion must not be done yet. */
static void pass(karat_peer *p, const slot *s, queue *q) {
    const pending *barrier = NULL, *e;
    for (pending *each = q->first; each; each = each->next)
        if (each->rules & BARRIER && !each->done) {
            each->done = true;
            barrier = each;
        }
    for (e = barrier; e; e = e->next)
        if (e != barrier && e->rules & WAITS && e->done) {
            error(p, s, e, "is done before the barrier at 0x%08" PRIx32, barrier->pc);
            return;
        }
}

static void release(karat_peer *p, const karat_rec_barrier *r) {
    if (r->action != KARAT_BARRIER_RELEASE || r->h.sm >= p->setup->hello.num_sm)
        return;
    for (uint32_t i = 0; i < p->setup->hello.num_warp; i++)
        if (r->warps >> i & 1) {
            const uint32_t at = r->h.sm * p->setup->hello.num_warp + i;
            pass(p, &p->setup->slots[at], &p->queues[at]);
        }
}

/* The warps of a workgroup are on one SM and have one base of local memory: GVM ends the run where they are
 * not. */
static void bind(karat_peer *p, const karat_rec_launch *r) {
    const karat_checker *c = p->setup;
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *s = &c->slots[i];
        if (!s->live || s->workgroup != r->workgroup)
            continue;
        const karat_rec_launch *other = &s->launch;
        if (other->h.sm != r->h.sm || (other->lds_size && r->lds_size && other->lds_base != r->lds_base)) {
            error(p, s, NULL,
                  "warp %" PRIu32 " is launched on SM %u with local memory from 0x%" PRIx32 "; warp %" PRIu32
                  " is on SM %u, from 0x%" PRIx32,
                  r->warp, (unsigned)r->h.sm, r->lds_base, other->warp, (unsigned)other->h.sm,
                  other->lds_base);
            return;
        }
    }
}

static void launch(karat_peer *p, const karat_rec_launch *r) {
    karat_checker *c = p->setup;
    if (r->h.sm < c->hello.num_sm && r->h.slot < c->hello.num_warp) {
        uint32_t i = r->h.sm * c->hello.num_warp + r->h.slot;
        slot *s = &c->slots[i];
        bool again = r->workgroup < karat_kernel_workgroups(&c->kernel_desc) && r->warp < c->kernel.wg_size &&
                     c->started[(size_t)r->workgroup * c->kernel.wg_size + r->warp];
        if (s->live || again)
            error(p, s, NULL, "workgroup %" PRIu32 " warp %" PRIu32 " is launched %s", r->workgroup, r->warp,
                  again ? "a second time" : "in a slot that is live");
        forget(&p->queues[i]);
        p->queues[i].over = false;
        bind(p, r);
    }
    if (karat_check_launch(c, r)) {
        lose(p);
        return;
    }
    karat_set_read_port(c->model, NULL, NULL);
}

static void leave(karat_peer *p, const karat_rec_exit *r) {
    slot *s = slot_of(p, &r->h);
    if (!s)
        return;
    queue *q = &p->queues[s - p->setup->slots];
    run_out(p, s, q);
    karat_warp_view view;
    if (karat_view(p->setup->model, s->handle, &view) == KARAT_OK && view.live)
        lose(p); /* The reference has not come to its end */
    forget(q);
    karat_end_warp(p->setup, s);
}

static void set_up(karat_peer *p, const void *record) {
    karat_checker *c = p->setup;
    const karat_rec_header *h = record;
    switch (h->kind) {
    case KARAT_REC_HELLO:
        if (karat_check_hello(c, record) || !(p->queues = calloc(c->num_slots, sizeof *p->queues))) {
            lose(p);
            return;
        }
        for (uint32_t i = 0; i < c->num_slots; i++)
            p->queues[i].end = &p->queues[i].first;
        return;
    case KARAT_REC_REGION: {
        karat_rec_region r = *(const karat_rec_region *)record;
        r.hash_valid = 0; /* Memory is not compared */
        if (karat_check_region(c, &r))
            lose(p);
        return;
    }
    case KARAT_REC_HOST: p->result.lost |= karat_check_host(c, record); return;
    case KARAT_REC_HOSTCSR:
        p->result.lost |= slot_of(p, h) && karat_write_hostcsr(c, slot_of(p, h), record);
        return;
    case KARAT_REC_ITEMS: p->result.lost |= karat_check_items(c, record); return;
    case KARAT_REC_PAGING: p->result.lost |= karat_check_paging(c, record); return;
    case KARAT_REC_KERNEL: p->result.lost |= karat_check_kernel(c, record); return;
    default: return;
    }
}

bool karat_peer_record(void *context, const void *record, size_t size) {
    karat_peer *p = context;
    const karat_rec_header *h = record;
    if (!p)
        return false;
    if (!p->result.lost && karat_check_form(p->setup, record, size))
        lose(p);
    if (p->result.lost)
        return false;
    switch (h->kind) {
    case KARAT_REC_LAUNCH: launch(p, record); break;
    case KARAT_REC_ISSUE: issue(p, record); break;
    case KARAT_REC_WRITE: write_back(p, record); break;
    case KARAT_REC_BARRIER: release(p, record); break;
    case KARAT_REC_EXIT: leave(p, record); break;
    default: set_up(p, record); return false;
    }
    if (p->queues && !p->result.lost)
        go_on(p);
    return false;
}
