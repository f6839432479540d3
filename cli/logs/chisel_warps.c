/* The warps in the slots of a Chisel log, and their initial state. */
#include "chisel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Ahead in the log --- */

/* Notes the CSR that the warp of the line reports with it. */
static void note_csr(const chisel_line *l, reported_csrs *t) {
    if (l->kind == LINE_X && l->reg)
        import_reported(t, l->word, l->target);
}

/* The CSRs that the warp reports from that line on, the one taken last.  False: an error was reported. */
static bool find_csrs(chisel_log *p, const chisel_line *first, reported_csrs *t) {
    const log_place end = p->text.end;
    chisel_line l;
    *t = (reported_csrs){0};
    bool more = log_lines_go(&p->text, p->text.begin);
    while (more && chisel_next(p, &l)) {
        if (l.sm != first->sm || l.warp != first->warp)
            continue;
        note_csr(&l, t);
        more = l.kind != LINE_ENDPRG && l.line != p->last[l.sm][l.warp];
    }
    return !p->text.failed && log_lines_go(&p->text, end);
}

/* A life begins in the slot with that line.  NULL: an error was reported. */
static chisel_life *new_life(chisel_log *p, chisel_slot *sl, const chisel_line *l) {
    if (!log_grow(&p->lives, p->num_lives, sizeof *p->lives))
        return NULL;
    chisel_life *life = &p->lives[p->num_lives];
    *(sl->youngest == CHISEL_NONE ? &sl->life : &p->lives[sl->youngest].next) = p->num_lives;
    sl->youngest = p->num_lives++;
    *life = (chisel_life){.sm = l->sm, .first = l->line, .next = CHISEL_NONE, .told = CHISEL_NONE};
    return life;
}

/* Lives while they are looked for. */
typedef struct survey {
    uint64_t ended, wanted; /* When so many have ended, no other begins, and none is longer */
    uint32_t open;          /* Those that go on */
} survey;

/* False: an error was reported. */
static bool survey_line(chisel_log *p, chisel_slot *sl, const chisel_line *l, survey *s) {
    chisel_life *life = sl->youngest == CHISEL_NONE ? NULL : &p->lives[sl->youngest];
    const bool grows = l->kind != LINE_FIN && s->ended < s->wanted;
    if (grows && (!life || life->ended)) {
        life = new_life(p, sl, l);
        s->open++;
        if (!life)
            return false;
    }
    if (!life || life->ended)
        return true;
    if (grows)
        life->last = l->line;
    note_csr(l, &life->reported);
    if (life->reported.given && life->told == CHISEL_NONE)
        life->told = l->line;
    life->ended = l->kind == LINE_ENDPRG;
    s->ended += life->ended;
    s->open -= life->ended || l->line == p->last[l->sm][l->warp];
    return true;
}

/* The lives from the line on that was taken last, until as many have ended as the kernel has warps.  False:
 * an error was reported. */
static bool find_lives(importer *imp, chisel_log *p) {
    const log_place end = p->text.end;
    survey s = {.wanted = imp->expected};
    chisel_line l;
    for (uint32_t i = 0; i < imp->num_sm * imp->num_warp; i++)
        p->slots[i].life = p->slots[i].youngest = CHISEL_NONE;
    p->num_lives = 0;
    bool good = log_lines_go(&p->text, p->text.begin);
    while (good && (s.open || s.ended < s.wanted) && chisel_next(p, &l))
        good = survey_line(p, &p->slots[l.sm * imp->num_warp + l.warp], &l, &s);
    return good && !p->text.failed && log_lines_go(&p->text, end);
}

/* --- Which warps they are --- */

static bool life_fits_group(const void *context, uint32_t life, uint32_t workgroup) {
    const importer *imp = context;
    const chisel_log *p = imp->parsed;
    return import_fits(&p->lives[life].reported, KARAT_REPORTED_GROUP, import_current(imp), p->threads,
                       workgroup, 0);
}

static void put_label(slot_life *l, unsigned i, const reported_csrs *t, unsigned csr) {
    l->labelled |= (uint8_t)((t->given >> csr & 1) << i);
    l->label[i] = t->csr[csr];
}

/* Which warps the kernel's lives are, of the whole log: a slot without identification so far must not take a
 * warp that another one is identified as later. */
static bool place_kernel(importer *imp, chisel_log *p) {
    const karat_kernel *k = import_current(imp);
    for (uint32_t i = 0; i < p->num_lives; i++) {
        const chisel_life *life = &p->lives[i];
        slot_life *l = &p->places[i];
        *l = (slot_life){.sm = life->sm};
        for (uint32_t warp = 0; warp < k->wg_size; warp++)
            l->warps |= (uint64_t)import_fits(&life->reported, KARAT_REPORTED_WARP, k, p->threads, 0, warp)
                        << warp;
        put_label(l, 0, &life->reported, KARAT_CSR_LDS);
        put_label(l, 1, &life->reported, KARAT_CSR_WGID);
    }
    if (!assign_slot_lives(p->places, p->num_lives, karat_kernel_workgroups(k), k->wg_size, life_fits_group,
                           imp))
        return false;
    for (uint32_t i = 0; i < p->num_lives; i++) {
        const slot_life *l = &p->places[i];
        if (l->warp == SLOT_LIFE_NONE)
            continue;
        chisel_group *g = &p->groups[l->workgroup];
        p->use[(size_t)l->workgroup * k->wg_size + l->warp] = l->sure ? WARP_SURE : WARP_MAYBE;
        if (l->labelled & 1) {
            g->has_lds = true;
            g->lds = l->label[0];
        }
        if (l->labelled & 2) {
            g->has_wgid = true;
            g->wgid = l->label[1];
        }
    }
    return true;
}

/* Another SM runs warps of that workgroup. */
static bool runs_elsewhere(const importer *imp, uint32_t workgroup, uint32_t sm) {
    for (uint32_t i = 0; i < imp->num_sm * imp->num_warp; i++)
        if (imp->groups[i].open && imp->groups[i].workgroup == workgroup && imp->groups[i].sm != sm)
            return true;
    return false;
}

/* The warp of that number in the grid. */
static bool fits_both(const reported_csrs *t, const karat_kernel *k, uint32_t threads, uint32_t i) {
    return import_fits(t, KARAT_REPORTED_WARP | KARAT_REPORTED_GROUP, k, threads, i / k->wg_size,
                       i % k->wg_size);
}

/* For a life without a place: the first warp of the grid, used no more often, that fits its reads. */
static uint32_t first_warp(const importer *imp, const chisel_log *p, const import_slot *slot,
                           const reported_csrs *t, warp_use most) {
    const karat_kernel *k = import_current(imp);
    for (uint32_t i = 0; i < imp->numbers; i++) {
        if (p->use[i] > most || runs_elsewhere(imp, i / k->wg_size, slot->sm))
            continue;
        if (!t || fits_both(t, k, p->threads, i))
            return i;
    }
    return CHISEL_NONE;
}

/* Whether the identification of a life permits other warps. */
static bool has_others(const importer *imp, const chisel_log *p, uint32_t who, const reported_csrs *t) {
    const karat_kernel *k = import_current(imp);
    for (uint32_t i = 0; i < imp->numbers; i++) {
        if (i != who && p->use[i] < WARP_SURE && fits_both(t, k, p->threads, i))
            return true;
    }
    return false;
}

/* The warp that begins with the slot's first life that may begin, or without one. */
static uint32_t who_begins(importer *imp, chisel_log *p, const import_slot *slot, const chisel_slot *sl,
                           const reported_csrs *t) {
    const slot_life *l = sl->life == CHISEL_NONE ? NULL : &p->places[sl->life];
    if (l && l->warp != SLOT_LIFE_NONE && !runs_elsewhere(imp, l->workgroup, slot->sm)) {
        const uint32_t who = l->workgroup * import_current(imp)->wg_size + l->warp;
        if (p->use[who] != WARP_STARTED) {
            p->by_order += !l->sure && has_others(imp, p, who, t);
            return who;
        }
    }
    /* Its identification contradicts that of others: the checker must report it. */
    uint32_t who = first_warp(imp, p, slot, t, WARP_FREE);
    if (who == CHISEL_NONE)
        who = first_warp(imp, p, slot, NULL, WARP_FREE);
    return who == CHISEL_NONE ? first_warp(imp, p, slot, NULL, WARP_SURE) : who;
}

bool chisel_begin_kernel(importer *imp, chisel_log *p) {
    if (!import_kernel(imp) || !find_lives(imp, p))
        return false;
    const karat_kernel *k = import_current(imp);
    free(p->places);
    free(p->use);
    free(p->groups);
    p->places = calloc(p->num_lives ? p->num_lives : 1, sizeof *p->places);
    p->use = calloc((size_t)imp->numbers, sizeof *p->use);
    p->groups = calloc(karat_kernel_workgroups(k), sizeof *p->groups);
    for (uint32_t i = 0; p->use && i < imp->numbers; i++)
        if (!karat_kernel_mask(k, p->threads, i / k->wg_size, i % k->wg_size))
            p->use[i] = WARP_STARTED; /* It never does */
    const bool good = p->places && p->use && p->groups && place_kernel(imp, p);
    if (!good)
        cli_error("not enough memory");
    return good;
}

/* The hardware's own: the workgroup's number and where its local memory is, which count for all of its warps
 * where one has read them; mstatus. */
static void give_csrs(const chisel_group *g, const karat_kernel *k, reported_csrs *t, karat_launch_desc *desc,
                      karat_rec_launch *r) {
    if (g->has_lds && !(t->given >> KARAT_CSR_LDS & 1)) {
        t->given |= 1u << KARAT_CSR_LDS;
        t->csr[KARAT_CSR_LDS] = g->lds;
    }
    if (g->has_wgid && !(t->given >> KARAT_CSR_WGID & 1)) {
        t->given |= 1u << KARAT_CSR_WGID;
        t->csr[KARAT_CSR_WGID] = g->wgid;
    }
    r->mstatus = t->mstatus;
    r->csr_given = t->given & (1u << KARAT_CSR_WGID | 1u << KARAT_CSR_LDS | 1u << KARAT_LAUNCH_MSTATUS);
    if (t->given >> KARAT_CSR_WGID & 1)
        desc->csr[KARAT_CSR_WGID] = r->csr[KARAT_CSR_WGID] = t->csr[KARAT_CSR_WGID];
    if (t->given >> KARAT_CSR_LDS & 1) {
        r->csr[KARAT_CSR_LDS] = t->csr[KARAT_CSR_LDS];
        r->lds_base = t->csr[KARAT_CSR_LDS] - desc->csr[KARAT_CSR_LDS];
        r->lds_size = k->lds_size;
        desc->csr[KARAT_CSR_LDS] = t->csr[KARAT_CSR_LDS];
    }
}

bool chisel_launch(importer *imp, chisel_log *p, import_slot *slot, chisel_slot *sl,
                   const chisel_line *line) {
    const karat_kernel *k = import_current(imp);
    while (sl->life != CHISEL_NONE && p->lives[sl->life].last < line->line)
        sl->life = p->lives[sl->life].next;
    const chisel_life *life = sl->life == CHISEL_NONE ? NULL : &p->lives[sl->life];
    reported_csrs t;
    if (life && life->told >= line->line)
        t = life->reported;
    else if (!find_csrs(p, line, &t))
        return false; /* Lines of the warp before it may count as the life's */
    const uint32_t who = who_begins(imp, p, slot, sl, &t);
    if (who == CHISEL_NONE)
        return log_lines_refuse(&p->text, line->line,
                                "a line of a warp that is under way: the workgroups left run on other SMs");
    p->use[who] = WARP_STARTED;
    p->placed++;
    karat_launch_desc desc;
    karat_kernel_launch(k, p->threads, who / k->wg_size, who % k->wg_size, &desc);
    karat_rec_launch r = {.regs = KARAT_REGS_UNKNOWN};
    give_csrs(&p->groups[who / k->wg_size], k, &t, &desc, &r);
    sl->says_pc = sl->says_mask = false;
    return import_launch(imp, slot, who / k->wg_size, who % k->wg_size, &desc, &r);
}
