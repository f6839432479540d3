#include "warp_places.h"
#include "array.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* --- Loops --- */

static bool has_period(const uint32_t *pc, uint32_t num, uint32_t period, uint32_t *turns) {
    uint32_t same = 0;
    while (same + period < num && pc[num - 1 - same] == pc[num - 1 - same - period])
        same++;
    *turns = 1 + same / period;
    return same >= period;
}

karat_loop karat_loop_of(const uint32_t *pc, uint32_t num) {
    karat_loop loop = {0};
    for (uint32_t period = 1; 2 * period <= num && !loop.turns; period++) {
        uint32_t turns;
        if (has_period(pc, num, period, &turns))
            loop = (karat_loop){.turns = turns, .length = period};
    }
    for (uint32_t back = 1; back < num && !loop.turns; back++)
        if (pc[num - 1 - back] == pc[num - 1])
            loop = (karat_loop){.turns = 1, .length = back};
    for (uint32_t i = 0; i < loop.length; i++) {
        const uint32_t at = pc[num - 1 - i];
        loop.first = !i || at < loop.first ? at : loop.first;
        loop.last = at > loop.last ? at : loop.last;
    }
    return loop;
}

karat_loop karat_loop_of_trail(const uint32_t ring[KARAT_TRAIL], uint64_t num) {
    uint32_t pc[KARAT_TRAIL];
    const uint32_t kept = num < KARAT_TRAIL ? (uint32_t)num : KARAT_TRAIL;
    for (uint32_t i = 0; i < kept; i++)
        pc[i] = ring[(num - kept + i) % KARAT_TRAIL];
    return karat_loop_of(pc, kept);
}

/* --- Places --- */

void karat_places_free(karat_places *p) {
    for (uint32_t i = 0; i < p->num; i++)
        free(p->at[i].waits);
    free(p->at);
    *p = (karat_places){0};
}

static bool code_word(const karat_model *model, uint64_t ptbr, uint32_t pc, uint32_t *word) {
    uint8_t b[4];
    uint64_t phys = pc;
    if (karat_get_config(model)->translation != KARAT_TRANSLATION_NONE &&
        karat_translate(model, ptbr, pc, KARAT_USE_FETCH, &phys, NULL) != KARAT_OK)
        return false;
    if (karat_read(model, phys, b, sizeof b) != KARAT_OK)
        return false;
    *word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

bool karat_fetch_insn(const karat_model *model, uint64_t ptbr, uint32_t *pc, uint32_t *prefix,
                      uint32_t *word) {
    const karat_profile profile = karat_get_config(model)->profile;
    uint32_t second;
    *prefix = *word = 0;
    if (!code_word(model, ptbr, *pc, word))
        return false;
    if (karat_is_prefix(profile, *word) && code_word(model, ptbr, *pc + 4, &second)) {
        *prefix = *word;
        *word = second;
        *pc += 4;
    }
    return true;
}

karat_warp_place *karat_places_add(karat_places *p, const karat_model *model, const karat_warp_view *view,
                                   const uint32_t *barrier_pc) {
    if (!karat_grow(&p->at, p->num, sizeof *p->at)) {
        p->lost = true;
        return NULL;
    }
    karat_warp_place *w = &p->at[p->num++];
    *w = (karat_warp_place){.pc = view->waiting && barrier_pc ? *barrier_pc : view->pc,
                            .mask = view->mask,
                            .depth = view->depth,
                            .at_barrier = view->waiting};
    if (view->depth)
        w->top = view->stack[view->depth - 1];
    w->fetched = karat_fetch_insn(model, view->ptbr, &w->pc, &w->prefix, &w->word);
    return w;
}

#define ORDER(a, b)                                                                                          \
    if ((a) != (b))                                                                                          \
    return (a) < (b) ? -1 : 1

/* By what makes one block enough for both; 0: in the same place. */
static int by_place(const karat_warp_place *a, const karat_warp_place *b) {
    ORDER(a->pc, b->pc);
    ORDER(a->mask, b->mask);
    ORDER(a->depth, b->depth);
    ORDER(a->at_barrier, b->at_barrier);
    ORDER(a->waits != NULL, b->waits != NULL);
    ORDER(a->loop.turns > 1, b->loop.turns > 1);
    ORDER(a->loop.length, b->loop.length);
    ORDER(a->loop.first, b->loop.first);
    ORDER(a->loop.last, b->loop.last);
    ORDER(a->top.rpc, b->top.rpc);
    ORDER(a->top.next, b->top.next);
    ORDER(a->top.mask, b->top.mask);
    return 0;
}

static int by_name(const void *a, const void *b) {
    const karat_warp_place *x = a, *y = b;
    ORDER(x->workgroup, y->workgroup);
    ORDER(x->warp, y->warp);
    return 0;
}

static int by_kind(const void *a, const void *b) {
    const karat_warp_place *x = *(karat_warp_place *const *)a, *y = *(karat_warp_place *const *)b;
    const int order = by_place(x, y);
    return order ? order : by_name(x, y);
}

void karat_places_sort(karat_places *p) {
    karat_warp_place **kinds = malloc((p->num + (size_t)1) * sizeof *kinds);
    if (p->num)
        qsort(p->at, p->num, sizeof *p->at, by_name);
    for (uint32_t i = 0; i < p->num; i++) {
        p->at[i].kind = i;
        if (kinds)
            kinds[i] = &p->at[i];
    }
    if (kinds)
        qsort(kinds, p->num, sizeof *kinds, by_kind);
    for (uint32_t i = 1; kinds && i < p->num; i++)
        if (!by_place(kinds[i - 1], kinds[i]))
            kinds[i]->kind = kinds[i - 1]->kind;
    free(kinds);
}

/* NULL: that warp is not live. */
static const karat_warp_place *find_warp(const karat_places *p, uint32_t workgroup, uint32_t warp) {
    const karat_warp_place key = {.workgroup = workgroup, .warp = warp};
    return p->num ? bsearch(&key, p->at, p->num, sizeof *p->at, by_name) : NULL;
}

/* --- Text --- */

void karat_put_line(FILE *out, const karat_naming *n, uint32_t pc) {
    const char *file;
    uint32_t line, offset;
    if (!n->lines || !karat_lines_find(n->lines, pc, &file, &line))
        return;
    const char *slash = strrchr(file, '/');
    const karat_symbol *symbol = n->kernel ? karat_kernel_symbol(n->kernel, pc, &offset) : NULL;
    fprintf(out, "%s%s:%" PRIu32 "%s%s  ", karat_lines_after(n->lines, pc) ? "after " : "",
            slash ? slash + 1 : file, line, symbol ? " in " : "", symbol ? symbol->name : "");
}

void karat_put_place(FILE *out, const karat_naming *n, uint32_t pc) {
    uint32_t offset;
    const karat_symbol *symbol = n->kernel ? karat_kernel_symbol(n->kernel, pc, &offset) : NULL;
    fprintf(out, "0x%08" PRIx32, pc);
    if (symbol)
        fprintf(out, " <%s+0x%" PRIx32 ">", symbol->name, offset);
}

/* A list of warps of a workgroup as ranges: "0-3,6". Of which: those at the barrier, those not, or alike
 * to one. */
typedef struct choice {
    const karat_places *places;
    uint32_t workgroup;
    const karat_warp_place *like; /* NULL: by at_barrier, where */
    bool arrived;                 /* Is what counts; who is not live has not */
} choice;

static bool is_chosen(const choice *c, uint32_t warp) {
    const karat_warp_place *w = find_warp(c->places, c->workgroup, warp);
    if (c->like)
        return w && w->kind == c->like->kind;
    return (w && w->at_barrier) == c->arrived;
}

/* Returns how many. */
static uint32_t put_ranges(FILE *out, const choice *c) {
    enum { MOST = 12 }; /* Ranges */
    uint32_t num = 0, ranges = 0;
    for (uint32_t warp = 0; warp < c->places->wg_size; warp++) {
        uint32_t end = warp;
        while (end < c->places->wg_size && is_chosen(c, end))
            end++;
        if (end == warp)
            continue;
        if (out && ranges < MOST)
            fprintf(out, end - warp > 1 ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, ranges ? "," : "", warp,
                    end - 1);
        else if (out && ranges == MOST)
            fputs(",...", out);
        ranges++;
        num += end - warp;
        warp = end;
    }
    return num;
}

static void put_warps(FILE *out, const choice *c) {
    const uint32_t num = put_ranges(NULL, c);
    fputs(num == 1 ? "warp " : "warps ", out);
    put_ranges(out, c);
}

/* Which warps a block is of. */
static void put_who(FILE *out, const karat_places *p, const karat_warp_place *w) {
    uint32_t num = 0, here = 0;
    for (uint32_t i = 0; i < p->num; i++)
        if (w->kind == p->at[i].kind) {
            num++;
            here += p->at[i].workgroup == w->workgroup;
        }
    const choice same = {p, w->workgroup, w, false};
    if (num > here)
        fprintf(out, "%" PRIu32 " warps, the first of them workgroup %" PRIu32 " warp %" PRIu32, num,
                w->workgroup, w->warp);
    else
        fprintf(out, "workgroup %" PRIu32 " ", w->workgroup), put_warps(out, &same);
    if (num == 1 && w->in_slot)
        fprintf(out, " (sm %" PRIu32 " slot %" PRIu32 ", last heard of in cycle %" PRIu64 ")", w->sm, w->slot,
                w->heard);
}

static void put_barrier(FILE *out, const karat_places *p, const karat_warp_place *w) {
    const choice arrived = {p, w->workgroup, NULL, true}, missing = {p, w->workgroup, NULL, false};
    const uint32_t num = put_ranges(NULL, &missing);
    fprintf(out, "waits at a barrier: of workgroup %" PRIu32 " ", w->workgroup);
    put_warps(out, &arrived);
    fputs(" arrived, ", out);
    if (num)
        put_warps(out, &missing);
    fputs(num ? " missing" : "none missing", out);
}

static void put_loop(FILE *out, const karat_loop *l, const karat_naming *n) {
    fputs(l->turns > 1 ? "loops over " : "has passed here before, in a loop over ", out);
    karat_put_place(out, n, l->first);
    if (l->last != l->first) {
        fputs(" to ", out);
        karat_put_place(out, n, l->last);
    }
    fprintf(out, ": %" PRIu32 " instruction%s", l->length, l->length == 1 ? "" : "s");
    if (l->turns > 1)
        fprintf(out, " a turn, at least %" PRIu32 " turns so far", l->turns);
}

static uint32_t lines_of(const karat_warp_place *w) {
    return 1 + (w->depth != 0) + w->at_barrier + (w->waits != NULL) + (w->loop.turns != 0 && !w->at_barrier);
}

uint32_t karat_places_lines(const karat_places *p) {
    uint32_t lines = p->lost;
    for (uint32_t i = 0; i < p->num; i++)
        if (p->at[i].kind == i)
            lines += lines_of(&p->at[i]);
    return lines;
}

static void put_block(FILE *out, const karat_places *p, const karat_warp_place *w, const karat_naming *n,
                      const char *indent) {
    char insn[96] = "(no memory there)";
    if (w->fetched)
        karat_disassemble(n->profile, w->pc, w->prefix, w->word, insn, sizeof insn);
    put_who(out, p, w);
    fputs(": ", out);
    karat_put_line(out, n, w->pc);
    karat_put_place(out, n, w->pc);
    fprintf(out, "  %s, mask %08" PRIx32 "%s\n", insn, w->mask, w->depth ? "" : ", stack empty");
    if (w->depth)
        fprintf(out,
                "%s  stack of %" PRIu32 ", on top: rpc 0x%08" PRIx32 " next 0x%08" PRIx32 " mask %08" PRIx32
                "\n",
                indent, w->depth, w->top.rpc, w->top.next, w->top.mask);
    if (w->at_barrier) {
        fprintf(out, "%s  ", indent);
        put_barrier(out, p, w);
        fputc('\n', out);
    }
    if (w->waits)
        fprintf(out, "%s  %s\n", indent, w->waits);
    if (w->loop.turns && !w->at_barrier) {
        fprintf(out, "%s  ", indent);
        put_loop(out, &w->loop, n);
        fputc('\n', out);
    }
}

void karat_places_put(FILE *out, const karat_places *p, const karat_naming *n, const char *first,
                      const char *indent, uint32_t num) {
    const bool all = karat_places_lines(p) <= num;
    uint32_t shown = 0, used = 0, places = 0, left = p->num;
    for (uint32_t i = 0; i < p->num; i++) {
        const karat_warp_place *w = &p->at[i];
        if (p->at[i].kind != i)
            continue;
        places++;
        if (shown + 1 != places || used + lines_of(w) + !all > num)
            continue;
        fputs(shown ? indent : first, out);
        put_block(out, p, w, n, indent);
        used += lines_of(w);
        shown++;
        for (uint32_t k = i; k < p->num; k++)
            left -= w->kind == p->at[k].kind;
    }
    if (left || p->lost)
        fprintf(out, "%sand %" PRIu32 " more warps in %" PRIu32 " other places%s\n", shown ? indent : first,
                left, places - shown, p->lost ? "; memory was short for some" : "");
}

/* --- JSON --- */

static json_t *json_warps(const choice *c) {
    json_t *list = json_array();
    for (uint32_t warp = 0; warp < c->places->wg_size; warp++)
        if (is_chosen(c, warp))
            json_array_append_new(list, json_integer(warp));
    return list;
}

void karat_json_names(json_t *object, const karat_naming *n, uint32_t pc) {
    uint32_t offset;
    const karat_symbol *symbol = n->kernel ? karat_kernel_symbol(n->kernel, pc, &offset) : NULL;
    if (symbol)
        json_object_update_new(object,
                               json_pack("{s:s, s:I}", "symbol", symbol->name, "offset", (json_int_t)offset));
    karat_json_line(object, n, pc);
}

void karat_json_line(json_t *object, const karat_naming *n, uint32_t pc) {
    uint32_t line;
    const char *file;
    if (!n->lines || !karat_lines_find(n->lines, pc, &file, &line))
        return;
    json_object_update_new(object, json_pack("{s:s, s:I}", "file", file, "line", (json_int_t)line));
    if (karat_lines_after(n->lines, pc))
        json_object_set_new(object, "after", json_true());
}

static json_t *json_place(const karat_places *p, const karat_warp_place *w, const karat_naming *n) {
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:I}", "workgroup", (json_int_t)w->workgroup, "warp",
                               (json_int_t)w->warp, "pc", (json_int_t)w->pc, "mask", (json_int_t)w->mask,
                               "depth", (json_int_t)w->depth);
    karat_json_names(object, n, w->pc);
    if (w->in_slot)
        json_object_update_new(object, json_pack("{s:I, s:I, s:I}", "sm", (json_int_t)w->sm, "slot",
                                                 (json_int_t)w->slot, "heard", (json_int_t)w->heard));
    if (w->fetched) {
        char insn[96];
        karat_disassemble(n->profile, w->pc, w->prefix, w->word, insn, sizeof insn);
        json_object_set_new(object, "text", json_string(insn));
    }
    if (w->depth)
        json_object_set_new(object, "top",
                            json_pack("{s:I, s:I, s:I}", "rpc", (json_int_t)w->top.rpc, "next",
                                      (json_int_t)w->top.next, "mask", (json_int_t)w->top.mask));
    if (w->at_barrier) {
        const choice arrived = {p, w->workgroup, NULL, true}, missing = {p, w->workgroup, NULL, false};
        json_object_set_new(
            object, "barrier",
            json_pack("{s:o, s:o}", "arrived", json_warps(&arrived), "missing", json_warps(&missing)));
    }
    if (w->waits)
        json_object_set_new(object, "waits", json_string(w->waits));
    if (w->loop.turns)
        json_object_set_new(object, "loop",
                            json_pack("{s:I, s:I, s:I, s:I}", "first", (json_int_t)w->loop.first, "last",
                                      (json_int_t)w->loop.last, "instructions", (json_int_t)w->loop.length,
                                      "turns", (json_int_t)w->loop.turns));
    return object;
}

json_t *karat_places_json(const karat_places *p, const karat_naming *n) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->num; i++)
        json_array_append_new(list, json_place(p, &p->at[i], n));
    return list;
}
