#include "stops.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *karat_stops_event(unsigned bit) {
    static const char *const words[] = {"diverge", "reconverge", "barrier", "release",
                                        "launch",  "end",        "error",   "mismatch"};
    return bit < sizeof words / sizeof *words ? words[bit] : NULL;
}

karat_stop *karat_stops_add(karat_stops *s, const karat_stop *stop) {
    uint32_t i = 0;
    while (i < s->num && s->at[i].number)
        i++;
    if (i == STOPS_MAX)
        return NULL;
    s->num = i == s->num ? i + 1 : s->num;
    s->at[i] = *stop;
    s->at[i].number = ++s->last;
    return &s->at[i];
}

bool karat_stops_remove(karat_stops *s, uint32_t number) {
    for (uint32_t i = 0; number && i < s->num; i++)
        if (s->at[i].number == number) {
            s->at[i].number = 0;
            while (s->num && !s->at[s->num - 1].number)
                s->num--;
            return true;
        }
    return false;
}

/* --- Text --- */

static bool number_of(const char *text, uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtoull(text, &end, 0);
    return !*end;
}

bool karat_stops_address(const machine_kernel *k, const char *text, uint64_t *addr, karat_diag *diag) {
    char name[256];
    uint64_t offset = 0;
    if (number_of(text, addr))
        return true;
    const char *plus = strrchr(text, '+');
    const size_t length = plus && number_of(plus + 1, &offset) ? (size_t)(plus - text) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    const karat_kernel *kernel = k->names.kernel;
    for (uint32_t i = 0; kernel && i < kernel->num_symbols; i++)
        if (strcmp(kernel->symbols[i].name, name) == 0) {
            *addr = kernel->symbols[i].addr + offset;
            return true;
        }
    snprintf(diag->text, sizeof diag->text, "'%.200s' is no address and no symbol%s", text,
             kernel && kernel->num_symbols ? "" : " (the kernel has no symbols)");
    return false;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The lowest address of a line; the code of a line that has none begins at the next line that has some. */
static bool line_address(const karat_lines *lines, const char *file, uint32_t line, uint32_t *addr) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < lines->num_lines; i++) {
        const karat_line *l = &lines->lines[i];
        if (l->line & KARAT_LINE_AFTER || l->line < line || l->line > best)
            continue;
        const char *name = lines->files[l->file];
        if (*file && strcmp(name, file) != 0 && strcmp(base_name(name), file) != 0)
            continue;
        if (l->line < best || l->addr < *addr)
            *addr = l->addr;
        best = l->line;
    }
    return best != UINT32_MAX;
}

bool karat_stops_location(const machine_kernel *k, const char *text, uint32_t *addr, karat_diag *diag) {
    uint64_t value;
    const char *colon = strrchr(text, ':');
    const char *number = colon ? colon + 1 : text;
    const bool is_line =
        number_of(number, &value) && strncmp(number, "0x", 2) != 0 && value < KARAT_LINE_AFTER;
    if (is_line) {
        char file[256];
        snprintf(file, sizeof file, "%.*s", colon ? (int)(colon - text) : 0, text);
        if (!k->names.lines)
            snprintf(diag->text, sizeof diag->text,
                     "'%.200s': the kernel has no source lines (assemble it with -g)", text);
        else if (!line_address(k->names.lines, file, (uint32_t)value, addr))
            snprintf(diag->text, sizeof diag->text, "'%.200s': no code is of that line or of a later one",
                     text);
        else
            return true;
        return false;
    }
    if (!karat_stops_address(k, text, &value, diag))
        return false;
    if (value > UINT32_MAX || value % 4) {
        snprintf(diag->text, sizeof diag->text,
                 "'%.200s' is no address of an instruction: a multiple of 4 below 2^32", text);
        return false;
    }
    *addr = (uint32_t)value;
    return true;
}

bool karat_stops_memory(const machine_kernel *k, const char *text, machine_place *place, karat_diag *diag) {
    static const struct {
        const char *word;
        machine_space space;
    } spaces[] = {{"global:", MACHINE_GLOBAL}, {"lds:", MACHINE_LDS}, {"private:", MACHINE_PRIVATE}};
    *place = (machine_place){0};
    const char *rest = text;
    unsigned lane;
    int length = 0;
    if (sscanf(text, "private[%u]:%n", &lane, &length) == 1 && length) {
        if (lane >= KARAT_MAX_THREAD) {
            snprintf(diag->text, sizeof diag->text, "'%.200s': expected a lane below %d", text,
                     KARAT_MAX_THREAD);
            return false;
        }
        *place = (machine_place){.space = MACHINE_PRIVATE, .lane = lane};
        rest += length;
    }
    for (unsigned i = 0; i < sizeof spaces / sizeof *spaces && rest == text; i++)
        if (strncmp(text, spaces[i].word, strlen(spaces[i].word)) == 0) {
            place->space = spaces[i].space;
            rest += strlen(spaces[i].word);
        }
    return karat_stops_address(k, rest, &place->addr, diag);
}

bool karat_stops_register(const char *text, machine_register *reg, uint32_t *lanes, karat_diag *diag) {
    char name[32];
    unsigned lane;
    int length = 0;
    const char *bracket = strchr(text, '[');
    const size_t size = bracket ? (size_t)(bracket - text) : strlen(text);
    *lanes = 0xffffffffu;
    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1),
             text[0] == '$' ? text + 1 : text);
    if (text[0] == '$' && size && size <= sizeof name)
        name[size - 1] = 0;
    if (!karat_machine_register(name, reg)) {
        snprintf(
            diag->text, sizeof diag->text,
            "'%.200s' is no register: expected x0 to x63, v0 to v255, pc, mask, simt_depth, or a CSR's name",
            text);
        return false;
    }
    if (!bracket)
        return true;
    if (sscanf(bracket, "[%u]%n", &lane, &length) != 1 || bracket[length] || !length ||
        lane >= KARAT_MAX_THREAD || reg->cls != MACHINE_V) {
        snprintf(diag->text, sizeof diag->text, "'%.200s': expected a lane of a vector register, v3[LANE]",
                 text);
        return false;
    }
    *lanes = 1u << lane;
    return true;
}

/* One term, without blanks. */
static bool parse_term(const machine_kernel *k, const char *text, stop_term *term, karat_diag *diag) {
    static const struct {
        const char *text;
        int how;
    } signs[] = {{"==", TERM_EQUAL}, {"!=", TERM_OTHER}, {"<=", TERM_AT_MOST}, {">=", TERM_AT_LEAST},
                 {"<", TERM_LESS},   {">", TERM_MORE},   {"=", TERM_EQUAL}};
    const size_t size = strcspn(text, "=!<>");
    char name[64];
    uint64_t value;
    uint32_t lanes;
    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), text);
    for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t length = strlen(signs[i].text);
        if (strncmp(text + size, signs[i].text, length) != 0)
            continue;
        if (!karat_stops_address(k, text + size + length, &value, diag))
            return false;
        *term = (stop_term){.how = (int)signs[i].how, .value = (uint32_t)value, .of = TERM_REGISTER};
        if (strcmp(name, "workgroup") == 0 || strcmp(name, "wg") == 0)
            term->of = TERM_WORKGROUP;
        else if (strcmp(name, "warp") == 0)
            term->of = TERM_WARP;
        else if (strcmp(name, "thread") == 0)
            term->of = TERM_THREAD;
        else if (!karat_stops_register(name, &term->reg, &lanes, diag))
            return false;
        else if (term->reg.cls == MACHINE_V && lanes == 0xffffffffu) {
            snprintf(diag->text, sizeof diag->text, "'%.200s': expected a lane, %s[LANE]", text, name);
            return false;
        } else
            term->lane = lanes == 0xffffffffu ? 0 : (uint32_t)__builtin_ctz(lanes);
        return true;
    }
    snprintf(diag->text, sizeof diag->text, "'%.200s': expected a comparison, such as x5==3 or warp=1", text);
    return false;
}

bool karat_stops_condition(const machine_kernel *k, const char *text, karat_stop *stop, karat_diag *diag) {
    char copy[STOPS_TEXT], *save = NULL;
    if (strlen(text) >= sizeof copy) {
        snprintf(diag->text, sizeof diag->text, "the condition is too long: expected at most %d characters",
                 STOPS_TEXT - 1);
        return false;
    }
    strcpy(copy, text);
    for (char *word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        if (strcmp(word, "and") == 0 || strcmp(word, "&&") == 0)
            continue;
        if (stop->num_terms == STOPS_TERMS) {
            snprintf(diag->text, sizeof diag->text, "expected at most %d terms in a condition", STOPS_TERMS);
            return false;
        }
        if (!parse_term(k, word, &stop->term[stop->num_terms++], diag))
            return false;
    }
    return true;
}

/* --- Events --- */

static bool holds(const karat_machine *t, uint32_t handle, const stop_term *term) {
    const machine_warp *w = karat_machine_warp(t, handle);
    uint32_t value[KARAT_MAX_THREAD] = {0};
    switch (term->of) {
    case TERM_WORKGROUP: value[0] = w->workgroup; break;
    case TERM_WARP: value[0] = w->warp; break;
    case TERM_THREAD: value[0] = w->thread; break;
    case TERM_REGISTER:
        if (karat_machine_read_register(t, handle, term->reg, value) <= term->lane)
            return false;
    }
    const uint32_t v = value[term->of == TERM_REGISTER ? term->lane : 0];
    switch (term->how) {
    case TERM_EQUAL: return v == term->value;
    case TERM_OTHER: return v != term->value;
    case TERM_LESS: return v < term->value;
    case TERM_MORE: return v > term->value;
    case TERM_AT_MOST: return v <= term->value;
    case TERM_AT_LEAST: return v >= term->value;
    }
    return false;
}

static bool all_hold(const karat_machine *t, uint32_t handle, const karat_stop *stop) {
    for (uint32_t i = 0; i < stop->num_terms; i++)
        if (!holds(t, handle, &stop->term[i]))
            return false;
    return true;
}

static uint32_t caught_by(const karat_commit *c) {
    uint32_t caught = 0;
    caught |= c->simt == KARAT_SIMT_DIVERGE ? CATCH_DIVERGE : 0;
    caught |= c->simt == KARAT_SIMT_POP ? CATCH_RECONVERGE : 0;
    caught |= c->barrier && !c->ended ? CATCH_BARRIER : 0;
    caught |= c->barrier >= 2 ? CATCH_RELEASE : 0;
    caught |= c->ended ? CATCH_END : 0;
    caught |= c->error.kind ? CATCH_ERROR : 0;
    return caught;
}

static void fill(stop_reason *reason, const karat_stop *stop, const karat_machine *t, uint32_t handle) {
    *reason = (stop_reason){.kind = REASON_STOP,
                            .stop = stop->number,
                            .of = stop->kind,
                            .thread = karat_machine_warp(t, handle)->thread};
    memcpy(reason->name, stop->text, sizeof reason->name);
}

/* The access is to a byte of these that the watchpoint is for; `watch` wants it changed. */
static bool touches(const karat_stop *stop, const karat_access *a, uint64_t addr, uint64_t first,
                    uint64_t size) {
    for (unsigned b = 0; b < a->bytes; b++)
        if (addr + b - first < size && (stop->kind != STOP_WATCH || (a->old ^ a->value) >> 8 * b & 255))
            return true;
    return false;
}

/* Access k of the commit is to the memory of that watchpoint. */
static bool meets(const karat_stop *stop, const karat_machine *t, uint32_t handle, const karat_commit *c,
                  uint32_t k) {
    const karat_model *model = karat_machine_model(t);
    const karat_config *config = karat_get_config(model);
    const karat_access a = karat_mem_access(&c->mem, k);
    const machine_warp *w = karat_machine_warp(t, handle);
    const uint64_t addr = config->translation == KARAT_TRANSLATION_NONE ? a.addr : c->mem.virt[k];
    uint64_t first = stop->place.addr;
    const bool lds = addr - config->lds_base < config->lds_size;
    if (stop->place.space == MACHINE_PRIVATE) {
        /* words of a thread are apart: each byte is looked at by itself */
        for (uint64_t at = stop->place.addr; at < stop->place.addr + stop->size; at++)
            if (stop->thread == w->thread &&
                karat_private_address(model, handle, stop->place.lane, at, &first) == KARAT_OK &&
                touches(stop, &a, addr, first, 1))
                return true;
        return false;
    }
    if (lds != (stop->place.space == MACHINE_LDS) && stop->place.space != MACHINE_AUTO)
        return false;
    if (lds && stop->workgroup != w->workgroup)
        return false;
    return touches(stop, &a, addr, first, stop->size);
}

static bool is_access(const karat_stop *stop, const karat_machine *t, uint32_t handle, const karat_commit *c,
                      stop_reason *reason) {
    const bool stores = c->mem.op == KARAT_STORE || (c->mem.op == KARAT_AMO && c->mem.num),
               loads = c->mem.op != KARAT_STORE;
    if (!c->has_mem || !(stop->kind == STOP_WATCH ? stores : stop->kind == STOP_READ_WATCH ? loads : true))
        return false;
    for (uint32_t k = 0; k < c->mem.num; k++) {
        const karat_access a = karat_mem_access(&c->mem, k);
        if (!meets(stop, t, handle, c, k))
            continue;
        const uint64_t addr = karat_get_config(karat_machine_model(t))->translation == KARAT_TRANSLATION_NONE
                                  ? a.addr
                                  : c->mem.virt[k];
        fill(reason, stop, t, handle);
        reason->addr = stop->place.addr;
        if (stores)
            snprintf(reason->text, sizeof reason->text,
                     "lane %u: %" PRIu32 " bytes at 0x%08" PRIx64 ": old 0x%08" PRIx32 "  new 0x%08" PRIx32,
                     a.lane, (uint32_t)a.bytes, addr, a.old, a.value);
        else
            snprintf(reason->text, sizeof reason->text,
                     "lane %u: loads %" PRIu32 " bytes at 0x%08" PRIx64 ": 0x%08" PRIx32, a.lane,
                     (uint32_t)a.bytes, addr, a.value);
        return true;
    }
    return false;
}

static bool changes(const karat_stop *stop, const karat_machine *t, uint32_t handle, const karat_commit *c,
                    stop_reason *reason) {
    if (stop->thread && stop->thread != karat_machine_warp(t, handle)->thread)
        return false;
    const unsigned cls = stop->reg.cls == MACHINE_X ? KARAT_CLASS_X : KARAT_CLASS_V;
    for (uint32_t i = 0; i < c->num_writes; i++) {
        const karat_reg_write *w = &c->write[i];
        if (stop->reg.cls > MACHINE_V || w->cls != cls || w->reg != stop->reg.number)
            continue;
        for (uint32_t m = w->mask & (cls == KARAT_CLASS_X ? 1 : stop->lanes); m; m &= m - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(m);
            if (w->value[lane] == w->old[lane])
                continue;
            fill(reason, stop, t, handle);
            snprintf(reason->text, sizeof reason->text, "lane %u: old 0x%08" PRIx32 "  new 0x%08" PRIx32,
                     lane, w->old[lane], w->value[lane]);
            return true;
        }
    }
    if (stop->reg.cls == MACHINE_CSR && c->csr_written && c->csr == stop->reg.number &&
        c->csr_value != c->csr_old) {
        fill(reason, stop, t, handle);
        snprintf(reason->text, sizeof reason->text, "old 0x%08" PRIx32 "  new 0x%08" PRIx32, c->csr_old,
                 c->csr_value);
        return true;
    }
    if (stop->reg.cls == MACHINE_MASK && c->mask_before != c->mask_after) {
        fill(reason, stop, t, handle);
        snprintf(reason->text, sizeof reason->text, "old %08" PRIx32 "  new %08" PRIx32, c->mask_before,
                 c->mask_after);
        return true;
    }
    return false;
}

static bool is_hit(const karat_stop *stop, const karat_machine *t, uint32_t handle, const karat_commit *c,
                   uint32_t caught, stop_reason *reason) {
    karat_warp_view view;
    bool hit = false;
    switch (stop->kind) {
    case STOP_BREAK:
        hit = (c ? c->next_pc == stop->addr && !c->ended && !c->error.kind
                 : caught & CATCH_LAUNCH && karat_machine_view(t, handle, &view) && view.pc == stop->addr);
        break;
    case STOP_CATCH: hit = stop->caught & caught; break;
    case STOP_REGISTER:
        if (!c || !changes(stop, t, handle, c, reason) || !all_hold(t, handle, stop))
            return false;
        return reason->before = true;
    default:
        if (!c || !is_access(stop, t, handle, c, reason) || !all_hold(t, handle, stop))
            return false;
        return reason->before = true;
    }
    if (!hit || !all_hold(t, handle, stop))
        return false;
    fill(reason, stop, t, handle);
    reason->caught = stop->caught & caught;
    return true;
}

static bool find(karat_stops *s, const karat_machine *t, uint32_t handle, const karat_commit *c,
                 uint32_t caught, stop_reason *reason) {
    for (uint32_t i = 0; i < s->num; i++)
        if (s->at[i].number && is_hit(&s->at[i], t, handle, c, caught, reason)) {
            if (!s->at[i].lifted)
                return true;
            if (s->num_passed < STOPS_PASSED)
                s->passed[s->num_passed++] = (stop_passed){reason->thread, s->at[i].addr};
        }
    return false;
}

bool karat_stops_step(karat_stops *s, const karat_machine *t, uint32_t handle, const karat_commit *c,
                      stop_reason *reason) {
    return s->num && find(s, t, handle, c, caught_by(c), reason);
}

bool karat_stops_event_is(karat_stops *s, const karat_machine *t, uint32_t handle, uint32_t caught,
                          stop_reason *reason) {
    return s->num && find(s, t, handle, NULL, caught, reason);
}
