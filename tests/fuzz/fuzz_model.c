/* Random instruction words on random state.  Every step is checked against the mirror's rules, and everything
 * that it did goes into a hash, so that builds of different compilers can be compared.
 *
 * The words come in cases, each with a model, warps and memory of its own, made from the seed and the case's
 * number alone: any number of threads gives the same hash, and --case repeats one.  Exits with 0 where
 * nothing was found, 1 where a rule was broken or a row came too seldom, 2 for usage. */
#include <argp.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "gen.h"

enum {
    CASE_WORDS = 4096,
    MAX_JOBS = 64,
    MAX_FAILURES = 32,
    WIDTHS = 6,
    ORDERS = 3,
    BIG_GROUP = 1 << 20, /* A workgroup that takes new warps without end */
    FOLD_WORDS = 2048
};

typedef struct options {
    uint64_t words, seed, min_count;
    int64_t only_case;
    unsigned jobs;
    unsigned profiles; /* Bit p: karat_profile p */
    bool counts, min_given;
} options;

typedef struct failure {
    const char *rule;
    uint64_t index, step, times;
    char text[512];
} failure;

typedef struct totals {
    uint64_t executed[GEN_MAX_ROWS], completed[GEN_MAX_ROWS];
    uint64_t words, prefixes, diverged, setup, again, fetch_errors, launches, restored;
    uint64_t source[GEN_SOURCES], errors[KARAT_ERR_KINDS];
    failure failures[MAX_FAILURES];
    unsigned num_failures;
} totals;

/* Shared by all workers; constant but for next. */
typedef struct campaign {
    options opt;
    gen gen;
    uint64_t num_cases;
    uint64_t *digests[KARAT_NUM_PROFILE]; /* By profile */
    int vbranch[16];                      /* Rows */
    unsigned num_vbranch;
    int jalr, vsetvli, barrier, sw, sc;
    atomic_uint_fast64_t next;
} campaign;

typedef struct worker {
    campaign *run;
    karat_model *models[WIDTHS][KARAT_NUM_PROFILE][ORDERS];
    mirror mirror;
    karat_commit commit;
    struct rng rng;
    XXH3_state_t *hash;
    uint64_t index, step;
    karat_profile profile;            /* Of the case */
    totals totals[KARAT_NUM_PROFILE]; /* By profile */
    uint32_t fold[FOLD_WORDS];
    const char *trouble; /* Why the worker gave up */
} worker;

/* --- The hash --- */

static uint32_t *fold_reads(uint32_t *p, const karat_commit *c, uint32_t num_thread) {
    for (uint32_t i = 0; i < c->num_reads; i++) {
        const karat_reg_read *r = &c->read[i];
        uint32_t n = r->cls == KARAT_CLASS_V ? num_thread : 1;
        *p++ = (uint32_t)r->source | (uint32_t)r->cls << 8 | (uint32_t)r->part << 12 | (uint32_t)r->reg << 16;
        memcpy(p, r->value, n * sizeof *p);
        p += n;
    }
    return p;
}

static uint32_t *fold_writes(uint32_t *p, const karat_commit *c, uint32_t num_thread) {
    for (uint32_t i = 0; i < c->num_writes; i++) {
        const karat_reg_write *r = &c->write[i];
        uint32_t n = r->cls == KARAT_CLASS_V ? num_thread : 1;
        *p++ = (uint32_t)r->cls << 16 | r->reg;
        *p++ = r->mask;
        memcpy(p, r->value, n * sizeof *p);
        memcpy(p + n, r->old, n * sizeof *p);
        p += 2 * n;
    }
    return p;
}

static uint32_t *fold_memory(uint32_t *p, const karat_mem *mem) {
    *p++ = (uint32_t)mem->op | (uint32_t)mem->space << 8 | (uint32_t)mem->amo << 16 |
           (uint32_t)mem->succeeded << 24;
    *p++ = mem->old;
    *p++ = mem->num;
    for (uint32_t i = 0; i < mem->num; i++) {
        const karat_access a = karat_mem_access(mem, i);
        *p++ = (uint32_t)a.addr;
        *p++ = (uint32_t)(a.addr >> 32);
        *p++ = a.value;
        *p++ = (uint32_t)a.lane | (uint32_t)a.bytes << 8 | (uint32_t)a.reg << 16;
    }
    return p;
}

/* Everything in the commit that has a meaning; arrays up to their counts. */
static void fold_commit(worker *k, karat_status status) {
    const karat_commit *c = &k->commit;
    const karat_row *row = karat_row_info(c->row);
    uint32_t *p = k->fold, num_thread = k->mirror.config->num_thread;
    const uint32_t head[] = {
        status,
        c->pc,
        c->word,
        c->prefix,
        c->next_pc,
        row ? row->match : 0, /* Row numbers change with the table */
        c->mask_before,
        c->mask_after,
        c->deviated,
        c->warnings,
        (uint32_t)c->simt | (uint32_t)c->barrier << 8 | (uint32_t)c->ended << 16 |
            (uint32_t)c->csr_written << 24,
        (uint32_t)c->flags_raised | (uint32_t)c->vxsat_raised << 8 | (uint32_t)c->depth << 16,
        c->top.rpc,
        c->top.next,
        c->top.mask,
        c->csr,
        c->csr_value,
        c->csr_old,
        c->num_reads,
        c->num_writes,
        c->has_mem,
        c->error.kind,
        c->error.pc,
        (uint32_t)c->error.lane,
        (uint32_t)c->error.addr,
        (uint32_t)(c->error.addr >> 32),
    };
    memcpy(p, head, sizeof head);
    p += sizeof head / sizeof *head;
    p = fold_reads(p, c, num_thread);
    p = fold_writes(p, c, num_thread);
    if (c->has_mem)
        p = fold_memory(p, &c->mem);
    if (k->profile == KARAT_V203)
        *p++ = (uint32_t)c->width | (uint32_t)c->mem.words << 8 | (uint32_t)c->mem.hint << 16 |
               (uint32_t)c->mem.wide_address << 24;
    XXH3_64bits_update(k->hash, k->fold, (size_t)(p - k->fold) * sizeof *p);
}

static void fold_state(worker *k) {
    size_t size;
    const uint8_t *bytes = mirror_snapshot(&k->mirror, &size);
    if (bytes)
        XXH3_64bits_update(k->hash, bytes, size);
}

/* --- One step --- */

static void note_failure(worker *k, uint32_t warp) {
    totals *t = &k->totals[k->profile];
    const karat_commit *c = &k->commit;
    failure *f = t->failures;
    while (f < t->failures + t->num_failures && strcmp(f->rule, k->mirror.failed) != 0)
        f++;
    if (f == t->failures + MAX_FAILURES)
        return;
    if (f == t->failures + t->num_failures) {
        char text[160];
        const karat_config *config = k->mirror.config;
        karat_disassemble(config->profile, c->pc, c->prefix, c->word, text, sizeof text);
        *f = (failure){.rule = k->mirror.failed, .index = k->index, .step = k->step};
        snprintf(f->text, sizeof f->text,
                 "%s\n  case %" PRIu64 " step %" PRIu64 ", %s, %u threads, warp %u: %08x %08x  %s",
                 k->mirror.detail, k->index, k->step, karat_profile_name(config->profile), config->num_thread,
                 warp, c->prefix, c->word, text);
        t->num_failures++;
    }
    f->times++;
}

static void trace(const worker *k, uint32_t warp, karat_status status) {
    char text[160];
    const karat_commit *c = &k->commit;
    if (status != KARAT_OK && status != KARAT_PROGRAM_ERROR) {
        printf("%6" PRIu64 " warp %u status %d\n", k->step, warp, status);
        return;
    }
    karat_disassemble(k->mirror.config->profile, c->pc, c->prefix, c->word, text, sizeof text);
    printf("%6" PRIu64 " warp %u %08x  %08x %08x  %08x -> %08x %u  %s%s%s\n", k->step, warp, c->pc, c->prefix,
           c->word, c->mask_before, c->mask_after, c->depth, text, status == KARAT_OK ? "" : "  ! ",
           status == KARAT_OK ? "" : karat_error_name(c->error.kind));
}

/* Returns false where a rule was broken: the case is over. */
static bool step(worker *k, uint32_t warp, karat_status *status) {
    *status = mirror_step(&k->mirror, warp, &k->commit);
    k->step++;
    if (k->run->opt.only_case >= 0)
        trace(k, warp, *status);
    if (k->mirror.failed) {
        note_failure(k, warp);
        return false;
    }
    if (*status == KARAT_OK || *status == KARAT_PROGRAM_ERROR)
        fold_commit(k, *status);
    else
        XXH3_64bits_update(k->hash, status, sizeof *status);
    return true;
}

/* Put a word, after its prefix where there is one, where the warp fetches next.  Returns false where nothing
 * is mapped there. */
static bool place(worker *k, uint32_t warp, uint32_t prefix, uint32_t word) {
    uint32_t pc = k->mirror.warps[warp].pc;
    if (pc & 3)
        return false;
    if (prefix) {
        if (!mirror_is_mapped(pc, 4))
            return false;
        mirror_store(&k->mirror, pc, prefix, 4);
        pc += 4;
    }
    if (!mirror_is_mapped(pc, 4))
        return false;
    mirror_store(&k->mirror, pc, word, 4);
    return true;
}

static bool setup_step(worker *k, uint32_t warp, uint32_t word) {
    karat_status status;
    if (!place(k, warp, 0, word))
        return true;
    k->totals[k->profile].setup++;
    return step(k, warp, &status);
}

/* --- Launch --- */

static const uint32_t *from_pool(worker *k, uint32_t n) {
    return k->run->gen.pool + rng_below(&k->rng, GEN_POOL - n + 1);
}

static uint32_t group_of(uint32_t warp) {
    return warp < 2 ? 0 : warp == 2 ? 1 : 2;
}

static void open_group(worker *k, uint32_t group) {
    mirror_open(&k->mirror, group, group == 0 ? BIG_GROUP : group == 1 ? 1 : MIRROR_WARPS - 3);
}

/* Some VBRANCHes that split the warp. */
static bool diverge(worker *k, uint32_t warp) {
    campaign *run = k->run;
    for (uint32_t level = 1 + rng_below(&k->rng, 5) / 2; level > 0; level--) {
        uint32_t bits[KARAT_MAX_THREAD], ones[KARAT_MAX_THREAD], word;
        uint32_t split = rng_word(&k->rng);
        for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++) {
            bits[i] = split >> i & 1;
            ones[i] = 1;
        }
        mirror_adopt(&k->mirror, warp, KARAT_CLASS_V, 2, bits);
        mirror_adopt(&k->mirror, warp, KARAT_CLASS_V, 3, ones);
        int row = run->vbranch[rng_below(&k->rng, run->num_vbranch)];
        int32_t target = 4 * ((int32_t)rng_below(&k->rng, 32) - 16);
        const int32_t operands[KARAT_MAX_OPERAND] = {2, 3, target};
        if (!karat_encode(row, operands, &word) || !setup_step(k, warp, word))
            return false;
        if (!k->mirror.warps[warp].live)
            break;
    }
    return true;
}

/* Settings vl and vtype other than those of the launch: VLMAX or less, m1 or m2, sometimes vill. */
static bool configure(worker *k, uint32_t warp) {
    uint32_t lmul = rng_below(&k->rng, 2), vlmax = k->mirror.config->num_thread << lmul, word;
    uint32_t vtype = rng_chance(&k->rng, 1, 16) ? rng_word(&k->rng) & 0x7ff : 0x10 | lmul;
    if (k->profile == KARAT_V203 && (vtype & ~7u) == 0x10)
        vtype = rng_below(&k->rng, 3) << 3 | lmul;
    uint32_t avl[KARAT_MAX_THREAD] = {rng_chance(&k->rng, 1, 2) ? vlmax : rng_below(&k->rng, vlmax + 2)};
    mirror_adopt(&k->mirror, warp, KARAT_CLASS_X, 5, avl);
    const int32_t operands[KARAT_MAX_OPERAND] = {0, 5, (int32_t)vtype};
    return karat_encode(k->run->vsetvli, operands, &word) && setup_step(k, warp, word);
}

/* A warp in random state; in some cases that it reaches by its own steps. */
static bool launch(worker *k, uint32_t warp) {
    struct rng *rng = &k->rng;
    mirror *m = &k->mirror;
    uint32_t num_thread = m->config->num_thread, lanes = 0xffffffffu >> (32 - num_thread);
    karat_launch_desc desc = {.workgroup = group_of(warp), .mask = lanes};
    desc.pc = MIRROR_CODE + 512 + (rng_word(rng) & 0x1bfc);
    if (rng_chance(rng, 1, 64))
        desc.pc = gen_address(rng) | (desc.pc >> 3 & 2);
    if (rng_chance(rng, 1, 4))
        desc.mask &= rng_word(rng);
    if (rng_chance(rng, 1, 64))
        desc.mask = 0;
    if (rng_chance(rng, 1, 4))
        desc.sgprs = 8 + rng_below(rng, KARAT_NUM_X - 7);
    if (rng_chance(rng, 1, 4))
        desc.vgprs = 8 + rng_below(rng, KARAT_NUM_V - 7);
    memcpy(desc.csr, from_pool(k, KARAT_NUM_CUSTOM_CSR), sizeof desc.csr);
    desc.csr[KARAT_CSR_NUMW] = 1 + rng_below(rng, 4);
    desc.csr[KARAT_CSR_NUMT] = num_thread;
    desc.csr[KARAT_CSR_WID] = rng_below(rng, desc.csr[KARAT_CSR_NUMW]);
    desc.csr[KARAT_CSR_LDS] = MIRROR_LDS_BASE + (rng_word(rng) & 0x3fc);
    desc.csr[KARAT_CSR_PDS] = rng_chance(rng, 1, 16) ? gen_address(rng) : MIRROR_DATA;
    desc.csr[KARAT_CSR_RPC] = MIRROR_CODE + (rng_word(rng) & 0x1ffc);
    desc.x = from_pool(k, KARAT_NUM_X);
    desc.v = from_pool(k, KARAT_NUM_V * num_thread);
    mirror_launch(m, warp, &desc);
    k->totals[k->profile].launches++;
    uint32_t r = rng_word(rng);
    uint32_t frm = (r & 15) == 0 ? 5 + rng_below(rng, 3) : r & 16 ? rng_below(rng, 5) : 0;
    mirror_csr(m, warp, 0x003, frm << 5 | (r >> 8 & r >> 16 & 31));
    mirror_csr(m, warp, 0x00f, r >> 24 & 7);
    if (r >> 29 & 1)
        for (uint32_t csr = 0; csr < 3; csr++) {
            static const uint32_t machine[3] = {0x300, 0x305, 0x340};
            mirror_csr(m, warp, machine[csr], *from_pool(k, 1));
        }
    if (m->failed)
        return false;
    if (r >> 30 & 1 && !configure(k, warp))
        return false;
    return rng_below(rng, 16) >= 11 || diverge(k, warp);
}

/* Make that warp able to step.  A workgroup that can take no new warp, or all of whose live warps wait, is
 * opened anew with all its warps. */
static bool revive(worker *k, uint32_t warp) {
    const mirror_warp *w = &k->mirror.warps[warp];
    uint32_t group = group_of(warp);
    if (w->live && !w->waiting)
        return true;
    if (group == 0 && !w->live)
        return launch(k, warp);
    open_group(k, group);
    for (uint32_t i = 0; i < MIRROR_WARPS; i++)
        if (group_of(i) == group && !launch(k, i))
            return false;
    return true;
}

/* --- A case --- */

static karat_model **model_of(worker *k, unsigned width, karat_profile profile, karat_simt_order order) {
    karat_model **model = &k->models[width][profile][order];
    if (*model)
        return model;
    karat_config config;
    karat_config_default(&config);
    config.profile = profile;
    config.num_thread = 1u << width;
    config.simt_order = order;
    config.deviations = order == KARAT_IF_FIRST ? KARAT_DEV_VADD12_SIGNED : 0;
    config.max_warp = MIRROR_WARPS;
    config.max_workgroup = MIRROR_GROUPS;
    config.lds_base = MIRROR_LDS_BASE;
    config.lds_size = MIRROR_LDS_SIZE;
    config.lds_pool = MIRROR_LDS_POOL;
    *model = karat_create(&config, NULL);
    for (int i = 0; *model && i < MIRROR_REGIONS; i++)
        if (karat_map(*model, mirror_regions[i].base, mirror_regions[i].size) != KARAT_OK)
            return NULL;
    return *model ? model : NULL;
}

/* Choose the next warp: mostly the same one, and in a workgroup that cannot be refilled one that can step. */
static uint32_t next_warp(worker *k, uint32_t warp) {
    const mirror_warp *w = k->mirror.warps;
    if (rng_chance(&k->rng, 1, 8))
        warp = rng_below(&k->rng, MIRROR_WARPS);
    if (group_of(warp) == 2 && (!w[warp].live || w[warp].waiting))
        for (uint32_t i = 3; i < MIRROR_WARPS; i++)
            if (w[i].live && !w[i].waiting)
                return i;
    return warp;
}

/* A warp that can step: that one or another. */
static uint32_t any_warp(worker *k, uint32_t warp) {
    uint32_t other = rng_below(&k->rng, MIRROR_WARPS);
    const mirror_warp *w = &k->mirror.warps[other];
    return w->live && !w->waiting ? other : warp;
}

/* After an LR: perhaps a store to its word, by this warp or another, and an SC or two. */
static bool meet(worker *k, uint32_t warp) {
    const uint32_t addr[KARAT_MAX_THREAD] = {(uint32_t)k->mirror.warps[warp].reserved_addr};
    static const int32_t store[KARAT_MAX_OPERAND] = {6, 0, 5}, conditional[KARAT_MAX_OPERAND] = {7, 6, 5};
    uint32_t plan = rng_word(&k->rng), sw, sc;
    if (!karat_encode(k->run->sw, store, &sw) || !karat_encode(k->run->sc, conditional, &sc))
        return false;
    if (plan & 1) {
        uint32_t by = plan & 2 ? any_warp(k, warp) : warp;
        mirror_adopt(&k->mirror, by, KARAT_CLASS_X, 5, addr);
        if (!setup_step(k, by, sw))
            return false;
    }
    for (uint32_t n = 1 + (plan >> 2 & 1); n > 0 && k->mirror.warps[warp].live; n--) {
        mirror_adopt(&k->mirror, warp, KARAT_CLASS_X, 5, addr);
        if (!setup_step(k, warp, sc))
            return false;
    }
    return true;
}

/* Let a warp of the workgroup that has a real barrier wait at it, if one can. */
static bool wait_at_barrier(worker *k) {
    static const int32_t flags[KARAT_MAX_OPERAND] = {0};
    uint32_t word;
    for (uint32_t i = 3; i < MIRROR_WARPS; i++) {
        const mirror_warp *w = &k->mirror.warps[i];
        if (w->live && !w->waiting && !w->depth && w->mask == w->initial_mask)
            return karat_encode(k->run->barrier, flags, &word) && setup_step(k, i, word);
    }
    return true;
}

/* One drawn word. Returns false where a rule was broken. */
static bool draw_and_step(worker *k, uint32_t warp) {
    totals *t = &k->totals[k->profile];
    mirror *m = &k->mirror;
    mirror_warp *w = &m->warps[warp];
    karat_status status;
    gen_insn insn = gen_draw(&k->run->gen, &k->rng, m, warp);
    const karat_row *row = karat_row_info(insn.row);
    /* A JOIN means something where the two paths meet: go there. */
    if (row && row->owes & KARAT_OWES_SIMT && row->num_operands == 0 && w->depth &&
        rng_chance(&k->rng, 1, 2)) {
        uint32_t word;
        const uint32_t to[KARAT_MAX_THREAD] = {w->stack[w->depth - 1].rpc};
        const int32_t operands[KARAT_MAX_OPERAND] = {0, 0, 5};
        mirror_adopt(m, warp, KARAT_CLASS_X, 5, to);
        if (!karat_encode(k->run->jalr, operands, &word) || !setup_step(k, warp, word))
            return false;
        if (!w->live)
            return true;
        insn.prefix = 0;
    }
    bool diverged = w->depth || w->mask != w->initial_mask;
    m->refuse = rng_chance(&k->rng, 1, 4);
    bool placed = place(k, warp, insn.prefix, insn.word);
    if (!step(k, warp, &status))
        return false;
    const karat_commit *c = &k->commit;
    if (status == KARAT_PROGRAM_ERROR)
        t->errors[c->error.kind]++;
    if (!placed || (status == KARAT_PROGRAM_ERROR && c->error.kind == KARAT_ERR_FETCH)) {
        t->fetch_errors++;
        return true;
    }
    t->words++;
    t->source[insn.source]++;
    t->diverged += diverged;
    if (c->row != KARAT_NO_ROW) {
        t->executed[c->row]++;
        t->completed[c->row] += status == KARAT_OK;
    }
    if (c->prefix) {
        karat_insn decoded;
        int prefix = karat_decode(m->config->profile, c->prefix, &decoded);
        t->prefixes++;
        t->executed[prefix]++;
        t->completed[prefix] += status == KARAT_OK;
    }
    bool reserved = status == KARAT_OK && c->has_mem && c->mem.amo == KARAT_AMO_LR;
    return !reserved || w->reserved_addr >> 32 || rng_chance(&k->rng, 1, 4) || meet(k, warp);
}

static void run_case(worker *k, karat_profile profile, uint64_t index, uint64_t words) {
    static const uint8_t widths[16] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5};
    static const uint8_t orders[8] = {0, 0, 0, 0, 0, 0, 1, 2};
    mirror *m = &k->mirror;
    struct rng mix = {k->run->opt.seed};
    k->rng.state = rng_next(&mix) ^ index * UINT64_C(0xd1342543de82ef95);
    rng_next(&k->rng);
    k->index = index;
    k->step = 0;
    k->profile = profile;
    /* One call of the generator in each expression: compilers evaluate arguments in different orders. */
    unsigned width = widths[rng_below(&k->rng, 16)];
    rng_next(&k->rng); /* Once the profile: the cases of a seed stay what they were */
    karat_simt_order order = (karat_simt_order)orders[rng_below(&k->rng, 8)];
    karat_model **model = model_of(k, width, profile, order);
    if (!model) {
        k->trouble = "cannot make a model";
        return;
    }
    XXH3_64bits_reset(k->hash);
    bool port = rng_chance(&k->rng, 1, 4);
    /* At some word the model is saved and another one made of that goes on. */
    uint64_t restore_at = rng_chance(&k->rng, 1, 2) ? rng_below(&k->rng, CASE_WORDS) : CASE_WORDS;
    void (*const set_port)(karat_model *, karat_mem_port *, void *) =
        restore_at % 2 ? karat_set_shape_port : karat_set_mem_port;
    set_port(*model, port ? mirror_port : NULL, m);
    m->has_port = port;
    mirror_begin(m, *model, (const uint8_t *)from_pool(k, MIRROR_MEMORY / 4));
    uint32_t warp = 0;
    bool good = true;
    for (uint32_t i = 0; i < MIRROR_GROUPS; i++)
        open_group(k, i);
    for (uint32_t i = 0; i < MIRROR_WARPS && good; i++)
        good = launch(k, i);
    uint64_t start = k->totals[k->profile].words, end = start + words;
    karat_status status;
    while (good && k->totals[k->profile].words < end) {
        if (k->totals[k->profile].words - start == restore_at) {
            restore_at = CASE_WORDS;
            if (rng_chance(&k->rng, 1, 2) && !wait_at_barrier(k)) {
                good = false;
                break;
            }
            mirror_restore(m);
            set_port(m->model, port ? mirror_port : NULL, m);
            k->totals[k->profile].restored++;
            if (m->failed) {
                note_failure(k, warp);
                good = false;
                break;
            }
        }
        warp = next_warp(k, warp);
        if (rng_chance(&k->rng, 1, 16)) {
            /* The existing instruction, if the warp can step at all. */
            k->totals[k->profile].again++;
            good = step(k, warp, &status);
        } else {
            good = revive(k, warp);
            if (good && m->warps[warp].live && !m->warps[warp].waiting)
                good = draw_and_step(k, warp);
        }
    }
    if (good) {
        mirror_compare(m);
        if (m->failed)
            note_failure(k, warp);
    }
    *model = m->model;
    fold_state(k);
    k->run->digests[profile][index] = XXH3_64bits_digest(k->hash);
}

/* With all profiles their cases take turns, on models of each that stay alive. */
static void *work(void *argument) {
    worker *k = argument;
    campaign *run = k->run;
    const options *opt = &run->opt;
    const uint64_t turns = (uint64_t)__builtin_popcount(opt->profiles);
    for (;;) {
        uint64_t turn = atomic_fetch_add(&run->next, 1), index = turn / turns;
        const karat_profile first = (karat_profile)__builtin_ctz(opt->profiles),
                            profile = turns > 1 ? (karat_profile)(turn % turns) : first;
        if (index >= (opt->only_case >= 0 ? 1 : run->num_cases) || k->trouble)
            return NULL;
        uint64_t left = opt->words - index * CASE_WORDS;
        if (opt->only_case >= 0)
            run_case(k, profile, (uint64_t)opt->only_case, CASE_WORDS);
        else
            run_case(k, profile, index, left < CASE_WORDS ? left : CASE_WORDS);
    }
}

/* --- The report --- */

static void add_totals(totals *to, const totals *from) {
    for (int i = 0; i < GEN_MAX_ROWS; i++) {
        to->executed[i] += from->executed[i];
        to->completed[i] += from->completed[i];
    }
    to->words += from->words;
    to->prefixes += from->prefixes;
    to->diverged += from->diverged;
    to->setup += from->setup;
    to->again += from->again;
    to->fetch_errors += from->fetch_errors;
    to->launches += from->launches;
    to->restored += from->restored;
    for (int i = 0; i < GEN_SOURCES; i++)
        to->source[i] += from->source[i];
    for (int i = 0; i < KARAT_ERR_KINDS; i++)
        to->errors[i] += from->errors[i];
    for (unsigned i = 0; i < from->num_failures; i++) {
        const failure *f = &from->failures[i];
        unsigned n = 0;
        while (n < to->num_failures && strcmp(to->failures[n].rule, f->rule) != 0)
            n++;
        if (n == MAX_FAILURES)
            continue;
        uint64_t times = n < to->num_failures ? to->failures[n].times : 0;
        if (n == to->num_failures || f->index < to->failures[n].index)
            to->failures[n] = *f;
        to->failures[n].times = times + f->times;
        to->num_failures += n == to->num_failures;
    }
}

static const totals *sorted_by;

static int by_count(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    uint64_t p = sorted_by->executed[x], q = sorted_by->executed[y];
    return p != q ? (p > q) - (p < q) : x - y;
}

/* Rows by how often they were executed, rarest first. */
static void print_counts(const totals *t, karat_profile profile) {
    static int order[GEN_MAX_ROWS];
    int n = 0;
    for (int i = 0; i < karat_num_rows(); i++)
        if (karat_row_info(i)->profiles >> profile & 1)
            order[n++] = i;
    sorted_by = t;
    qsort(order, (size_t)n, sizeof *order, by_count);
    printf("%12s %12s  row\n", "executed", "completed");
    for (int i = 0; i < n; i++)
        printf("%12" PRIu64 " %12" PRIu64 "  %s%s\n", t->executed[order[i]], t->completed[order[i]],
               karat_row_info(order[i])->mnemonic,
               karat_row_is_legal(karat_row_info(order[i]), profile) ? "" : "  (left out)");
}

/* Returns how many rows of that profile were executed, or completed, less often than min. */
static int report_minimum(const char *what, const uint64_t *counts, karat_profile profile, bool legal_only,
                          uint64_t min) {
    int lowest = -1, below = 0, rows = 0;
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        if (!(row->profiles >> profile & 1) || (legal_only && !karat_row_is_legal(row, profile)))
            continue;
        rows++;
        if (lowest < 0 || counts[i] < counts[lowest])
            lowest = i;
        if (counts[i] < min) {
            below++;
            fprintf(stderr, "fuzz_model: %s was %s %" PRIu64 " times, of %" PRIu64 " wanted\n",
                    karat_row_info(i)->mnemonic, what, counts[i], min);
        }
    }
    printf("%-10s %d rows, each at least %" PRIu64 " times (least: %s)\n", what, rows, counts[lowest],
           karat_row_info(lowest)->mnemonic);
    return below;
}

static double percent(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int report(const campaign *run, karat_profile profile, const totals *t) {
    const options *opt = &run->opt;
    printf("profile    %s\n", karat_profile_name(profile));
    printf("words      %" PRIu64 " in %" PRIu64 " cases: %.1f %% from rows, %.1f %% near a row, %.1f %% any; "
           "%.1f %% prefixed\n",
           t->words, run->num_cases, percent(t->source[GEN_ROW], t->words),
           percent(t->source[GEN_NEAR], t->words), percent(t->source[GEN_ANY], t->words),
           percent(t->prefixes, t->words));
    printf("state      %.1f %% diverged; %" PRIu64 " launches, %" PRIu64 " steps to set up, %" PRIu64
           " repeated, %" PRIu64 " not fetched, %" PRIu64 " models saved and restored\n",
           percent(t->diverged, t->words), t->launches, t->setup, t->again, t->fetch_errors, t->restored);
    for (int i = 1; i < KARAT_ERR_KINDS; i++)
        printf("errors     %10" PRIu64 "  %s\n", t->errors[i], karat_error_name((karat_error_kind)i));
    if (opt->counts)
        print_counts(t, profile);
    int bad = 0;
    if (opt->only_case < 0) {
        bad += report_minimum("executed", t->executed, profile, false, opt->min_count);
        bad += report_minimum("completed", t->completed, profile, true, opt->min_count);
        if (t->words >= 100000 && 2 * t->diverged < t->words) {
            fprintf(stderr, "fuzz_model: less than half of the words met a diverged warp\n");
            bad++;
        }
    }
    for (unsigned i = 0; i < t->num_failures; i++) {
        const failure *f = &t->failures[i];
        fprintf(stderr,
                "fuzz_model: broken %" PRIu64 " times: %s: %s\n  repeat: --profile %s --seed %" PRIu64
                " --case %" PRIu64 "\n",
                f->times, f->rule, f->text, karat_profile_name(profile), opt->seed, f->index);
        bad++;
    }
    XXH64_canonical_t *canonical = calloc(run->num_cases, sizeof *canonical);
    if (!canonical)
        return 1;
    for (uint64_t i = 0; i < run->num_cases; i++)
        XXH64_canonicalFromHash(&canonical[i], run->digests[profile][i]);
    printf("hash       %016" PRIx64 "\n", (uint64_t)XXH64(canonical, run->num_cases * sizeof *canonical, 0));
    free(canonical);
    return bad != 0;
}

/* --- Command line --- */

enum { OPT_CASE = 1000 };

static bool parse_profile(const char *text, unsigned *profiles) {
    karat_profile profile;
    *profiles = !strcmp(text, "all")                               ? (1 << KARAT_NUM_PROFILE) - 1
                : karat_profile_find(text, strlen(text), &profile) ? 1u << profile
                                                                   : 0;
    return *profiles;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    options *opt = state->input;
    uint64_t value = 0;
    if (text && key != 'p') {
        char *end;
        value = strtoull(text, &end, 0);
        if (*text < '0' || *text > '9' || *end)
            argp_error(state, "'%s' is not a number", text);
    }
    switch (key) {
    case 'n': opt->words = value; return 0;
    case 's': opt->seed = value; return 0;
    case 'm':
        opt->min_count = value;
        opt->min_given = true;
        return 0;
    case 'j':
        if (value < 1 || value > MAX_JOBS)
            argp_error(state, "--jobs is 1 to %d", MAX_JOBS);
        opt->jobs = (unsigned)value;
        return 0;
    case 'c': opt->counts = true; return 0;
    case 'p':
        if (!parse_profile(text, &opt->profiles))
            argp_error(state, "--profile is %s, or all of them", karat_profile_names());
        return 0;
    case OPT_CASE: opt->only_case = (int64_t)(value & INT64_MAX); return 0;
    case ARGP_KEY_END:
        if (opt->words < 1)
            argp_error(state, "--words is at least 1");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int run_jobs(campaign *run) {
    static totals sum[KARAT_NUM_PROFILE];
    worker *workers[MAX_JOBS] = {NULL};
    pthread_t threads[MAX_JOBS];
    const char *trouble = NULL;
    unsigned jobs = run->opt.only_case >= 0 ? 1 : run->opt.jobs, started = 0;
    for (; started < jobs && !trouble; started++) {
        worker *k = workers[started] = calloc(1, sizeof *k);
        if (k) {
            k->run = run;
            k->hash = XXH3_createState();
        }
        if (!k || !k->hash || pthread_create(&threads[started], NULL, work, k) != 0) {
            trouble = "cannot start a thread";
            break;
        }
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (workers[i]->trouble)
            trouble = workers[i]->trouble;
        for (int p = KARAT_V202; p < KARAT_NUM_PROFILE; p++)
            add_totals(&sum[p], &workers[i]->totals[p]);
    }
    for (unsigned i = 0; i < MAX_JOBS && workers[i]; i++) {
        for (size_t n = 0; n < sizeof workers[i]->models / sizeof(karat_model *); n++)
            karat_destroy((&workers[i]->models[0][0][0])[n]);
        XXH3_freeState(workers[i]->hash);
        mirror_free(&workers[i]->mirror);
        free(workers[i]);
    }
    if (trouble) {
        fprintf(stderr, "fuzz_model: %s\n", trouble);
        return 1;
    }
    int bad = 0;
    for (int p = KARAT_V202; p < KARAT_NUM_PROFILE; p++)
        if (run->opt.profiles >> p & 1)
            bad |= report(run, (karat_profile)p, &sum[p]);
    return bad;
}

int main(int argc, char **argv) {
    static const struct argp_option list[] = {
        {"words", 'n', "N", 0, "Instruction words to execute, prefixes not counted (1000000)", 0},
        {"profile", 'p', "P", 0, "A profile of the ISA, or all: N words of each in turn (the first one)", 0},
        {"seed", 's', "S", 0, "Seed (KARAT_SEED, or 1)", 0},
        {"jobs", 'j', "N", 0, "Threads (1); the hash does not depend on it", 0},
        {"counts", 'c', NULL, 0, "Print how often each row was executed and completed", 0},
        {"min-count", 'm', "N", 0, "Fail where a row came less often (words / 10000)", 0},
        {"case", OPT_CASE, "N", 0, "Run that case alone and print its steps", 0},
        {0},
    };
    const struct argp argp = {
        list, parse, NULL, "Random instruction words on random state, every step checked, all of it hashed.",
        NULL, NULL,  NULL};
    static campaign run;
    run.opt = (options){
        .words = 1000000, .seed = env_number("KARAT_SEED", 1), .only_case = -1, .jobs = 1, .profiles = 1};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &run.opt);
    if (!run.opt.min_given)
        run.opt.min_count = run.opt.words / 10000;
    const char *trouble = gen_init(&run.gen, run.opt.seed);
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        if (row->owes & KARAT_OWES_SIMT && row->num_operands == 3 && run.num_vbranch < 16)
            run.vbranch[run.num_vbranch++] = i;
    }
    run.jalr = karat_find_row("jalr");
    run.vsetvli = karat_find_row("vsetvli");
    run.barrier = karat_find_row("barrier");
    run.sw = karat_find_row("sw");
    run.sc = karat_find_row("sc.w");
    if (!run.num_vbranch || run.jalr == KARAT_NO_ROW || run.vsetvli == KARAT_NO_ROW ||
        run.barrier == KARAT_NO_ROW || run.sw == KARAT_NO_ROW || run.sc == KARAT_NO_ROW)
        trouble = "the table lacks what the fuzzer itself needs";
    run.num_cases = (run.opt.words + CASE_WORDS - 1) / CASE_WORDS;
    if (run.opt.only_case >= 0)
        run.num_cases = (uint64_t)run.opt.only_case + 1;
    for (int p = KARAT_V202; p < KARAT_NUM_PROFILE; p++)
        run.digests[p] = calloc(run.num_cases, sizeof *run.digests[p]);
    if (trouble || !run.digests[0] || !run.digests[1]) {
        fprintf(stderr, "fuzz_model: %s\n", trouble ? trouble : "no memory");
        return 1;
    }
    printf("seed       %" PRIu64 "\n", run.opt.seed);
    int status = run_jobs(&run);
    free(run.digests[0]);
    free(run.digests[1]);
    return status;
}
