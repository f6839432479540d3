#include "stops.h"

#include <ctype.h>
#include <errno.h>
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

void karat_stops_also(stop_reason *reason, const stop_reason *further) {
    const uint32_t number = further->stop;
    bool known = !number || number == reason->stop;
    for (uint32_t i = 0; i < reason->num_also; i++)
        known |= reason->also[i] == number;
    if (!known && reason->num_also < STOPS_ALSO)
        reason->also[reason->num_also++] = number;
    for (uint32_t i = 0; i < further->num_also; i++)
        karat_stops_also(reason, &(stop_reason){.stop = further->also[i]});
}

static bool has_stop(const stop_reason *reason, uint32_t number) {
    bool has = reason->stop == number;
    for (uint32_t i = 0; i < reason->num_also; i++)
        has |= reason->also[i] == number;
    return has;
}

void karat_stops_spend(karat_stops *s, const stop_reason *reason) {
    for (uint32_t i = s->num; i-- > 0;)
        if (s->at[i].number && s->at[i].once && has_stop(reason, s->at[i].number))
            karat_stops_remove(s, s->at[i].number);
}

/* --- Text --- */

bool karat_stops_number(const char *text, uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return !*end && !errno;
}

bool karat_stops_value(const char *text, unsigned bits, uint64_t *value) {
    const bool negative = *text == '-';
    if (!karat_stops_number(text + negative, value) || (*value - (negative && *value)) >> (bits - negative))
        return false;
    *value = negative ? 0 - *value : *value;
    return true;
}

/* A number, or a symbol with or without +OFFSET. */
static bool address(const machine_kernel *k, const char *text, uint64_t *addr, karat_diag *diag) {
    char name[256];
    uint64_t offset = 0;
    if (karat_stops_number(text, addr))
        return true;
    const char *plus = strrchr(text, '+');
    const size_t length =
        plus && karat_stops_number(plus + 1, &offset) ? (size_t)(plus - text) : strlen(text);
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
        karat_stops_number(number, &value) && strncmp(number, "0x", 2) != 0 && value < KARAT_LINE_AFTER;
    if (is_line) {
        char file[256];
        snprintf(file, sizeof file, "%.*s", colon ? (int)(colon - text) : 0, text);
        if (!value)
            snprintf(diag->text, sizeof diag->text,
                     "'%.200s': expected a line from 1 on, or an address as 0x...", text);
        else if (!k->names.lines)
            snprintf(diag->text, sizeof diag->text,
                     "'%.200s': the kernel has no source lines (assemble it with -g)", text);
        else if (!line_address(k->names.lines, file, (uint32_t)value, addr))
            snprintf(diag->text, sizeof diag->text, "'%.200s': no code is of that line or of a later one",
                     text);
        else
            return true;
        return false;
    }
    if (!address(k, text, &value, diag))
        return false;
    if (value > UINT32_MAX || value % 4) {
        snprintf(diag->text, sizeof diag->text,
                 "'%.200s' is no address of an instruction: a multiple of 4 below 2^32", text);
        return false;
    }
    *addr = (uint32_t)value;
    return true;
}

bool karat_stops_lane(const machine_kernel *k, const char *text, uint64_t lane, karat_diag *diag) {
    const uint32_t num = k->num_thread ? k->num_thread : KARAT_MAX_THREAD;
    if (lane >= num)
        snprintf(diag->text, sizeof diag->text,
                 "'%.200s': the warp has no lane %" PRIu64 ", only 0 to %" PRIu32, text, lane, num - 1);
    return lane < num;
}

bool karat_stops_memory(const machine_kernel *k, const char *text, machine_place *place, karat_diag *diag) {
    unsigned lane;
    int length = 0;
    if (strncmp(text, "global:", 7) == 0) {
        *place = (machine_place){.space = MACHINE_GLOBAL};
        length = 7;
    } else if (strncmp(text, "lds:", 4) == 0) {
        *place = (machine_place){.space = MACHINE_LDS};
        length = 4;
    } else if (sscanf(text, "private[%u]:%n", &lane, &length) == 1 && length) {
        *place = (machine_place){.space = MACHINE_PRIVATE, .lane = lane};
        if (!karat_stops_lane(k, text, lane, diag))
            return false;
    } else if (strchr(text, '[')) {
        machine_register reg;
        uint32_t lanes;
        if (karat_stops_register(k, text, &reg, &lanes, diag))
            snprintf(diag->text, sizeof diag->text, "'%.200s' is a register, no memory", text);
        return false;
    }
    return address(k, text + length, &place->addr, diag);
}

bool karat_stops_register(const machine_kernel *k, const char *text, machine_register *reg, uint32_t *lanes,
                          karat_diag *diag) {
    char name[32];
    unsigned lane;
    int length = 0;
    const char *bracket = strchr(text, '[');
    const size_t size = bracket ? (size_t)(bracket - text) : strlen(text);
    *lanes = STOPS_ALL_LANES;
    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), text);
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
        reg->cls != MACHINE_V) {
        snprintf(diag->text, sizeof diag->text, "'%.200s': expected a lane of a vector register, v3[LANE]",
                 text);
        return false;
    }
    if (!karat_stops_lane(k, text, lane, diag))
        return false;
    *lanes = 1u << lane;
    return true;
}

/* One term, without blanks. */
static bool parse_term(const machine_kernel *k, const char *text, stop_term *term, karat_diag *diag) {
    static const struct {
        const char *text;
        int how;
    } signs[] = {{"==", TERM_EQUAL},
                 {"!=", TERM_LESS | TERM_MORE},
                 {"<=", TERM_LESS | TERM_EQUAL},
                 {">=", TERM_MORE | TERM_EQUAL},
                 {"<", TERM_LESS},
                 {">", TERM_MORE},
                 {"=", TERM_EQUAL}};
    const size_t size = strcspn(text, "=!<>");
    char name[64];
    uint64_t value;
    uint32_t lanes;
    unsigned i = 0;
    while (i < sizeof signs / sizeof *signs &&
           strncmp(text + size, signs[i].text, strlen(signs[i].text)) != 0)
        i++;
    if (i == sizeof signs / sizeof *signs) {
        snprintf(diag->text, sizeof diag->text, "'%.200s': expected a comparison, such as x5==3 or warp=1",
                 text);
        return false;
    }
    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), text);
    const char *right = text + size + strlen(signs[i].text);
    if ((!karat_stops_value(right, 32, &value) && !address(k, right, &value, diag)) ||
        !karat_stops_register(k, strcmp(name, "wg") == 0 ? "workgroup" : name, &term->reg, &lanes, diag))
        return false;
    if (term->reg.cls == MACHINE_V && lanes == STOPS_ALL_LANES) {
        snprintf(diag->text, sizeof diag->text, "'%.200s': expected a lane, %s[LANE]", text, name);
        return false;
    }
    if (term->reg.cls == MACHINE_LANE && signs[i].how != TERM_EQUAL) {
        snprintf(diag->text, sizeof diag->text, "'%.200s': expected lane=NUMBER: that lane runs", text);
        return false;
    }
    if (term->reg.cls == MACHINE_LANE && !karat_stops_lane(k, text, value, diag))
        return false;
    const bool negative = *right == '-', is_order = strchr("<>", text[size]);
    if (negative ? is_order : value > UINT32_MAX) {
        snprintf(diag->text, sizeof diag->text, "'%.200s': expected a value %s", text,
                 negative ? "from 0 on: comparisons are unsigned" : "below 2^32");
        return false;
    }
    term->lane = lanes == STOPS_ALL_LANES ? 0 : (uint32_t)__builtin_ctz(lanes);
    term->value = (uint32_t)value;
    term->how = signs[i].how;
    return true;
}

bool karat_stops_condition(const machine_kernel *k, const char *text, karat_stop *stop, karat_diag *diag) {
    char copy[STOPS_TEXT], *save = NULL;
    if (strlen(text) >= sizeof copy) {
        snprintf(diag->text, sizeof diag->text, "the condition is too long: expected at most %d characters",
                 STOPS_TEXT - 1);
        return false;
    }
    strcpy(copy, text);
    bool wants_term = true; /* Terms and "and" take turns */
    for (char *word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        const bool joins = strcmp(word, "and") == 0 || strcmp(word, "&&") == 0;
        if (joins == wants_term) {
            snprintf(diag->text, sizeof diag->text, "'%.200s': expected TERM and TERM and so on", text);
            return false;
        }
        wants_term = joins;
        if (joins)
            continue;
        if (stop->num_terms == STOPS_TERMS) {
            snprintf(diag->text, sizeof diag->text, "expected at most %d terms in a condition", STOPS_TERMS);
            return false;
        }
        if (!parse_term(k, word, &stop->term[stop->num_terms++], diag))
            return false;
    }
    if (wants_term)
        snprintf(diag->text, sizeof diag->text, "'%.200s': expected a term at the end", text);
    return !wants_term;
}

/* --- Events --- */

static bool runs(const karat_machine *t, const machine_warp *w, uint32_t lane) {
    karat_warp_view view;
    return lane < KARAT_MAX_THREAD && karat_machine_view(t, w, &view) && view.mask >> lane & 1;
}

static bool all_hold(const karat_machine *t, const machine_warp *w, const karat_stop *stop) {
    for (uint32_t i = 0; i < stop->num_terms; i++) {
        const stop_term *term = &stop->term[i];
        uint32_t value[KARAT_MAX_THREAD];
        if (term->reg.cls == MACHINE_LANE) {
            if (!runs(t, w, term->value))
                return false;
            continue;
        }
        if (karat_machine_read_register(t, w, term->reg, value) <= term->lane)
            return false;
        const uint32_t v = value[term->lane];
        if (!(term->how & (v < term->value ? TERM_LESS : v == term->value ? TERM_EQUAL : TERM_MORE)))
            return false;
    }
    return true;
}

uint32_t karat_stops_caught(const karat_commit *c) {
    return (c->simt == KARAT_SIMT_DIVERGE ? CATCH_DIVERGE : 0) |
           (c->simt == KARAT_SIMT_POP ? CATCH_RECONVERGE : 0) |
           (c->barrier && !c->ended ? CATCH_BARRIER : 0) | (c->barrier >= 2 ? CATCH_RELEASE : 0) |
           (c->ended ? CATCH_END : 0) | (c->error.kind ? CATCH_ERROR : 0);
}

/* The access is to a byte of these that the watchpoint is for; `watch` wants it changed. */
static bool touches(const karat_stop *stop, const karat_access *a, uint64_t addr, uint64_t first,
                    uint64_t size) {
    for (unsigned b = 0; b < a->bytes; b++)
        if (addr + b - first < size && (stop->kind != STOP_WATCH || (a->old ^ a->value) >> 8 * b & 255))
            return true;
    return false;
}

/* The access is to the memory of that watchpoint. */
static bool meets(const karat_stop *stop, const karat_machine *t, const machine_warp *w,
                  const karat_access *a, uint64_t addr) {
    const karat_config *config = karat_get_config(t->model);
    uint64_t first = stop->place.addr;
    const bool lds = addr - config->lds_base < config->lds_size;
    if (stop->place.space == MACHINE_PRIVATE) {
        /* Words of a thread are apart: each byte is looked at by itself */
        for (uint64_t at = stop->place.addr; at < stop->place.addr + stop->size; at++)
            if (stop->thread == w->thread &&
                karat_private_address(t->model, w->handle, stop->place.lane, at, &first) == KARAT_OK &&
                touches(stop, a, addr, first, 1))
                return true;
        return false;
    }
    return (lds == (stop->place.space == MACHINE_LDS) || stop->place.space == MACHINE_AUTO) &&
           (!lds || stop->workgroup == w->workgroup) && touches(stop, a, addr, first, stop->size);
}

static bool is_access(const karat_stop *stop, const karat_machine *t, const machine_warp *w,
                      const karat_commit *c, stop_reason *reason) {
    const bool stores = c->mem.op == KARAT_STORE || (c->mem.op == KARAT_AMO && c->mem.num),
               loads = c->mem.op != KARAT_STORE,
               translates = karat_get_config(t->model)->translation != KARAT_TRANSLATION_NONE;
    if (!c->has_mem || (stop->kind == STOP_WATCH && !stores) || (stop->kind == STOP_READ_WATCH && !loads))
        return false;
    for (uint32_t k = 0; k < c->mem.num; k++) {
        const karat_access a = karat_mem_access(&c->mem, k);
        const uint64_t addr = translates ? c->mem.virt[k] : a.addr;
        if (!meets(stop, t, w, &a, addr))
            continue;
        char *text = reason->text;
        reason->lane = a.lane + 1;
        const int used = snprintf(text, STOPS_TEXT, "lane %u: %s%u bytes at 0x%08" PRIx64, a.lane,
                                  stores ? "" : "loads ", a.bytes, addr);
        stores ? snprintf(text + used, STOPS_TEXT, ": old 0x%08" PRIx32 "  new 0x%08" PRIx32, a.old, a.value)
               : snprintf(text + used, STOPS_TEXT, ": 0x%08" PRIx32, a.value);
        return true;
    }
    return false;
}

static bool is_change(const karat_stop *stop, const machine_warp *w, const karat_commit *c,
                      stop_reason *reason) {
    char *text = reason->text;
    const machine_register reg = stop->reg;
    if (stop->thread && stop->thread != w->thread)
        return false;
    for (uint32_t i = 0; i < c->num_writes; i++) {
        const karat_reg_write *write = &c->write[i];
        if (write->cls != reg.cls || write->reg != reg.number)
            continue;
        for (uint32_t m = write->mask & (reg.cls == MACHINE_X ? 1 : stop->lanes); m; m &= m - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(m);
            if (write->value[lane] == write->old[lane])
                continue;
            reason->lane = reg.cls == MACHINE_V ? lane + 1 : 0;
            snprintf(text, STOPS_TEXT, "lane %u: old 0x%08" PRIx32 "  new 0x%08" PRIx32, lane,
                     write->old[lane], write->value[lane]);
            return true;
        }
    }
    if (reg.cls == MACHINE_CSR && c->csr_written && c->csr == reg.number && c->csr_value != c->csr_old)
        return snprintf(text, STOPS_TEXT, "old 0x%08" PRIx32 "  new 0x%08" PRIx32, c->csr_old, c->csr_value);
    if (reg.cls == MACHINE_MASK && c->mask_before != c->mask_after)
        return snprintf(text, STOPS_TEXT, "old %08" PRIx32 "  new %08" PRIx32, c->mask_before, c->mask_after);
    return false;
}

static bool is_hit(const karat_stop *stop, const karat_machine *t, const machine_warp *w,
                   const karat_commit *c, uint32_t caught, stop_reason *reason) {
    karat_warp_view view;
    switch (stop->kind) {
    case STOP_BREAK:
        return c ? c->next_pc == stop->addr && !c->ended && !c->error.kind
                 : caught & CATCH_LAUNCH && karat_machine_view(t, w, &view) && view.pc == stop->addr;
    case STOP_CATCH: return stop->caught & caught;
    case STOP_REGISTER: return c && is_change(stop, w, c, reason);
    default: return c && is_access(stop, t, w, c, reason);
    }
}

bool karat_stops_next(karat_stops *s, const karat_machine *t, const machine_warp *w, const karat_commit *c,
                      uint32_t caught, uint32_t *i, stop_reason *reason) {
    while (*i < s->num) {
        const karat_stop *stop = &s->at[(*i)++];
        stop_reason found = {.kind = REASON_STOP};
        if (!stop->number || !is_hit(stop, t, w, c, caught, &found) || !all_hold(t, w, stop))
            continue;
        if (stop->lifted) {
            if (s->num_passed < STOPS_PASSED) {
                s->passed[s->num_passed].thread = w->thread;
                s->passed[s->num_passed++].addr = stop->addr;
            }
            continue;
        }
        found.stop = stop->number;
        found.of = stop->kind;
        found.caught = stop->caught & caught;
        found.from_gdb = stop->from_gdb;
        found.thread = w->thread;
        found.addr = stop->place.addr;
        found.before = stop->kind != STOP_BREAK && stop->kind != STOP_CATCH;
        for (uint32_t k = 0; k < stop->num_terms; k++)
            if (stop->term[k].reg.cls == MACHINE_LANE)
                found.lane = stop->term[k].value + 1;
        memcpy(found.name, stop->text, sizeof found.name);
        *reason = found;
        return true;
    }
    return false;
}
