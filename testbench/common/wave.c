#include "wave.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "any.h"
#include "args.h"
#include "retire.h"
#include "staged_file.h"
#include "array.h"

/* --- The warp --- */

void karat_wave_warp_begin(karat_wave_warp *w, const karat_checker *checker, uint32_t sm, uint32_t slot,
                           uint32_t num_thread) {
    karat_warp_view view;
    memset(w, 0, sizeof *w);
    w->sm = sm;
    w->slot = slot;
    w->num_thread = num_thread;
    w->changed = true;
    if (!karat_checker_view(checker, sm, slot, &view))
        return; /* The warp is launched later */
    w->pc = view.pc;
    w->mask = view.mask;
    memcpy(w->x, view.x, sizeof w->x);
    for (uint32_t r = 0; r < KARAT_NUM_V; r++)
        memcpy(w->v[r], view.v[r], num_thread * sizeof *w->v[r]);
}

static void set(karat_wave_warp *w, const karat_rec_write *r) {
    if (r->cls == KARAT_X && r->regno < KARAT_NUM_X && r->mask)
        w->x[r->regno] = r->data[0];
    for (uint32_t l = 0; r->cls == KARAT_V && r->regno < KARAT_NUM_V && l < w->num_thread; l++)
        if (r->mask >> l & 1)
            w->v[r->regno][l] = r->data[l];
}

bool karat_wave_warp_record(void *warp, const void *record, size_t size) {
    karat_wave_warp *w = warp;
    const karat_any *r = record;
    (void)size;
    if (r->h.sm != w->sm || r->h.slot != w->slot)
        return false;
    if (r->h.kind == KARAT_REC_ISSUE) {
        w->seq = r->issue.seq;
        w->pc = r->issue.pc;
        w->word = r->issue.word;
        w->mask = r->issue.mask;
        w->changed = true;
    }
    karat_rec_write shown;
    for (unsigned part = 0; karat_retire_shown(record, part, &shown); part++) {
        set(w, &shown);
        w->changed = true;
    }
    return false;
}

/* --- Save files --- */

typedef struct signal {
    char *path, *range;
    bool probe;
    uint32_t name; /* Which of the names given it has; their number where none */
    size_t at;     /* In the waveform's order */
} signal;

typedef struct signals {
    const karat_wave_state *state;
    signal *at;
    size_t num;
    uint32_t sm, probes; /* The SM, and probes seen so far */
    char *probe;         /* Scope of the last one, with a '.' after it */
    bool no_memory;
} signals;

/* The probe of an SM is an instance that has "probe" in its name, and they come in the order of the SMs. */
static bool is_of_probe(signals *s, const char *path) {
    const char *name = strrchr(path, '.');
    if (!name)
        return false;
    const char *last = name;
    while (last > path && last[-1] != '.')
        last--;
    const size_t length = (size_t)(name - path) + 1;
    if (s->probe && strlen(s->probe) == length && !strncmp(s->probe, path, length))
        return s->probes == s->sm + 1;
    const char *word = strstr(last, "probe");
    if (!word || word > name)
        return false;
    free(s->probe);
    s->probe = strndup(path, length);
    s->no_memory |= !s->probe;
    return s->probes++ == s->sm;
}

/* The first name that is the signal's, or that of a scope or an array that it is in. The scope of the model,
 * which the harness names, is no part of it. */
static uint32_t find_name(const karat_wave_state *state, const char *path) {
    const char *own = strchr(path, '.');
    uint32_t i = 0;
    for (; i < state->num_names; i++) {
        const size_t length = strlen(state->names[i]);
        if (own && !strncmp(own + 1, state->names[i], length) && strchr(".[(", own[1 + length]))
            break; /* The end of a text is found as well */
    }
    return i;
}

static int by_name(const void *one, const void *other) {
    const signal *a = one, *b = other;
    return a->name != b->name ? (a->name > b->name) - (a->name < b->name) : (a->at > b->at) - (a->at < b->at);
}

static void take(void *context, const char *path, const char *range) {
    signals *s = context;
    const bool probe = is_of_probe(s, path);
    const uint32_t name = find_name(s->state, path);
    if (!probe && name == s->state->num_names &&
        strncmp(path, KARAT_WAVE_SCOPE ".", sizeof KARAT_WAVE_SCOPE) != 0)
        return;
    char *own = karat_grow(&s->at, s->num, sizeof *s->at) ? strdup(path) : NULL,
         *own_range = own ? strdup(range) : NULL;
    if (!own_range) {
        free(own);
        s->no_memory = true;
        return;
    }
    s->at[s->num] = (signal){own, own_range, probe, name, s->num};
    s->num++;
}

static void drop(signals *s) {
    for (size_t i = 0; i < s->num; i++) {
        free(s->at[i].path);
        free(s->at[i].range);
    }
    free(s->at);
    free(s->probe);
}

/* Whether it is a register of the warp. */
static bool is_register(const signal *s) {
    const char *name = s->path + sizeof KARAT_WAVE_SCOPE;
    return !s->probe && (*name == 'x' || *name == 'v') && name[1] >= '0' && name[1] <= '9';
}

/* Whether the instruction at fault reads or writes it. */
static bool is_operand(const karat_commit *c, const signal *s) {
    if (!c || !is_register(s))
        return false;
    const char *name = s->path + sizeof KARAT_WAVE_SCOPE;
    const unsigned cls = *name == 'x' ? KARAT_X : KARAT_V, reg = (unsigned)atoi(name + 1);
    for (uint32_t i = 0; i < c->num_reads; i++)
        if (c->read[i].cls == cls && c->read[i].reg == reg)
            return true;
    for (uint32_t i = 0; i < c->num_writes; i++)
        if (c->write[i].cls == cls && c->write[i].reg == reg)
            return true;
    return false;
}

/* The groups of a view, in order; the first is there where names are given. */
enum { NAMED, WARP, OPERANDS, PROBE, REGISTERS, GROUPS };
static const char *const titles[GROUPS] = {"named signals", "warp at fault",
                                           "registers of the instruction at fault", "probe", "registers"};

static unsigned first_group(const karat_wave_state *state) {
    return state->num_names ? NAMED : WARP;
}

/* With names, these and the warp are what is looked for. */
static bool is_closed(const karat_wave_state *state, unsigned group) {
    return group == REGISTERS || (group == PROBE && state->num_names);
}

static unsigned group_of(const karat_wave_state *state, const signal *s) {
    return s->name < state->num_names            ? NAMED
           : s->probe                            ? PROBE
           : is_operand(state->place->commit, s) ? OPERANDS
           : is_register(s)                      ? REGISTERS
                                                 : WARP;
}

/* Cycles that are marked. */
enum { ISSUE, COMPLETION, VERDICT, MARKS };
static const char *const marks[MARKS] = {"issue", "completion", "verdict"};

static bool find_mark(const karat_wave_state *state, unsigned mark, uint64_t *time) {
    const karat_check_place *p = state->place;
    const bool known = mark == ISSUE ? p->commit != NULL : mark == COMPLETION ? p->has_record : true;
    const uint64_t cycle = mark == ISSUE ? p->issued : mark == COMPLETION ? p->recorded : p->found;
    *time = cycle * state->scale;
    return known && cycle >= state->from && cycle <= state->to;
}

/* The mark that the cursor is at: the first. */
static bool find_cursor(const karat_wave_state *state, uint64_t *time) {
    for (unsigned m = 0; m < MARKS; m++)
        if (find_mark(state, m, time))
            return true;
    return false;
}

static void put_plain(FILE *f, const char *path, size_t length) {
    for (size_t i = 0; i < length; i++)
        fputc(path[i] == KARAT_WAVE_DOT ? '.' : path[i], f);
}

static void put_gtkwave(FILE *f, const karat_wave_state *state, const signals *s) {
    enum {
        HEX = 0x22,
        BIT = 0x28,
        COMMENT = 0x200,
        OPEN = 0x800200,
        CLOSED = 0xc00200,
        END = 0x1000200,
        END_CLOSED = 0x1401200
    };
    uint64_t time = 0;
    fprintf(f, "[*] Karat\n[dumpfile] \"%s\"\n[timestart] %" PRIu64 "\n[size] 1600 900\n[pos] -1 -1\n",
            state->wave, state->from * state->scale);
    fprintf(f, "*-4.000000 %" PRId64, find_cursor(state, &time) ? (int64_t)time : (int64_t)-1);
    for (unsigned m = 0; m < 26; m++)
        fprintf(f, " %" PRId64, m < MARKS && find_mark(state, m, &time) ? (int64_t)time : (int64_t)-1);
    fputc('\n', f);
    for (unsigned m = 0; m < MARKS; m++)
        if (find_mark(state, m, &time))
            fprintf(f, "[markername] %c%s\n", 'A' + (char)m, marks[m]);
    for (unsigned group = first_group(state); group < GROUPS; group++) {
        const bool closed = is_closed(state, group);
        fprintf(f, "@%x\n-%s\n", closed ? CLOSED : OPEN, titles[group]);
        for (size_t i = 0; i < s->num; i++)
            if (group_of(state, &s->at[i]) == group) {
                fprintf(f, "@%x\n", *s->at[i].range ? HEX : BIT);
                put_plain(f, s->at[i].path, strlen(s->at[i].path));
                fprintf(f, "%s\n", s->at[i].range);
            }
        fprintf(f, "@%x\n-%s\n", closed ? END_CLOSED : END, titles[group]);
    }
}

/* Of Rust's object notation. */
static void put_text(FILE *f, const char *text, size_t length) {
    fputc('"', f);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            fputc('\\', f);
        put_plain(f, &text[i], 1);
    }
    fputc('"', f);
}

static void put_number(FILE *f, uint64_t n) {
    fprintf(f, n ? "(1, [%" PRIu32 : "(0, [", (uint32_t)n);
    if (n >> 32)
        fprintf(f, ", %" PRIu32, (uint32_t)(n >> 32));
    fputs("])", f);
}

static void put_surfer_signal(FILE *f, const signal *s) {
    fputs("Variable((variable_ref: (path: (strs: [", f);
    const char *part = s->path, *dot;
    for (; (dot = strchr(part, '.')) != NULL; part = dot + 1) {
        put_text(f, part, (size_t)(dot - part));
        fputs(", ", f);
    }
    fputs("], id: None), name: ", f);
    put_text(f, part, strlen(part));
    fputs(", id: None, index: None), color: None, background_color: None, display_name: ", f);
    put_text(f, part, strlen(part));
    fputs(", display_name_type: Unique, manual_name: None, format: ", f);
    fputs(*s->range ? "Some(\"Hexadecimal\")" : "None", f);
    fputs(", field_formats: [], height_scaling_factor: None, analog: None))", f);
}

/* As Surfer 0.6 writes it. Items are numbered in the order in which they are shown. */
static void put_surfer(FILE *f, const karat_wave_state *state, const signals *s) {
    uint64_t time;
    unsigned item = 0;
    char *items = NULL;
    size_t size;
    FILE *list = open_memstream(&items, &size);
    if (!list)
        return;
    fputs("(\n  waves: Some((\n    source: File(", f);
    put_text(f, state->wave, strlen(state->wave));
    fputs("),\n    format: Fst,\n    active_scope: None,\n    displayed_items: {\n", f);
    for (unsigned m = 0; m < MARKS; m++)
        if (find_mark(state, m, &time)) {
            fprintf(
                f,
                "      (%u): Marker((color: None, background_color: None, name: Some(\"%s\"), idx: %u)),\n",
                ++item, marks[m], m);
            fprintf(list, "      (item_ref: (%u), level: 0, unfolded: true, selected: false),\n", item);
        }
    for (unsigned group = first_group(state); group < GROUPS; group++) {
        const unsigned title = ++item;
        fprintf(list, "      (item_ref: (%u), level: 0, unfolded: %s, selected: false),\n", title,
                is_closed(state, group) ? "false" : "true");
        for (size_t i = 0; i < s->num; i++)
            if (group_of(state, &s->at[i]) == group) {
                fprintf(f, "      (%u): ", ++item);
                put_surfer_signal(f, &s->at[i]);
                fputs(",\n", f);
                fprintf(list, "      (item_ref: (%u), level: 1, unfolded: true, selected: false),\n", item);
            }
        fprintf(f, "      (%u): Group((name: \"%s\", color: None, background_color: None, content: [", title,
                titles[group]);
        for (unsigned i = title + 1; i <= item; i++)
            fprintf(f, "(%u), ", i);
        fprintf(f, "], is_open: %s)),\n", is_closed(state, group) ? "false" : "true");
    }
    fclose(list);
    fprintf(f, "    },\n    items_tree: (items: [\n%s    ]),\n    display_item_ref_counter: %u,\n", items,
            item + 1);
    free(items);
    fputs("    viewports: [(curr_left: (0.0), curr_right: (1.0), target_left: (0.0), target_right: (1.0), "
          "move_start_left: (0.0), move_start_right: (1.0), move_duration: None, move_strategy: Instant)],\n "
          "   cursor: ",
          f);
    if (find_cursor(state, &time)) {
        fputs("Some(", f);
        put_number(f, time);
        fputs("),\n", f);
    } else {
        fputs("None,\n", f);
    }
    fputs("    markers: {", f);
    for (unsigned m = 0; m < MARKS; m++)
        if (find_mark(state, m, &time)) {
            fprintf(f, "%u: ", m);
            put_number(f, time);
            fputs(", ", f);
        }
    fputs("},\n    focused_item: None,\n    focused_transaction: (None, None),\n    "
          "default_variable_name_type: Unique,\n"
          "    scroll_offset: 0.0,\n    display_variable_indices: true,\n    graphics: {},\n  )),\n"
          "  drag_started: false,\n  drag_source_idx: None,\n  drag_target_idx: None,\n  previous_waves: "
          "None,\n"
          "  count: None,\n  blacklisted_translators: [],\n  show_about: false,\n  show_keys: false,\n"
          "  show_gestures: false,\n  show_quick_start: false,\n  show_license: false,\n  show_performance: "
          "false,\n"
          "  show_logs: false,\n  show_cursor_window: false,\n  wanted_timeunit: None,\n  "
          "time_string_format: None,\n"
          "  show_url_entry: false,\n  variable_name_filter_focused: false,\n  variable_filter: (\n"
          "    name_filter_type: Contain,\n    name_filter_str: \"\",\n    name_filter_case_insensitive: "
          "true,\n"
          "    include_inputs: true,\n    include_outputs: true,\n    include_inouts: true,\n    "
          "include_others: true,\n"
          "    group_by_direction: false,\n  ),\n)\n",
          f);
}

char *karat_wave_save_name(const char *wave, karat_wave_form form) {
    static const char *const ends[KARAT_WAVE_FORMS] = {".gtkw", ".surf.ron"};
    const size_t length = strlen(wave);
    const bool fst = length > 4 && !strcmp(wave + length - 4, ".fst") && wave[length - 5] != '/';
    return karat_format("%.*s%s", (int)(fst ? length - 4 : length), wave, ends[form]);
}

bool karat_wave_save(const karat_wave_state *state, const char *path, karat_wave_form form,
                     karat_diag *diag) {
    signals s = {.state = state, .sm = state->place->sm};
    karat_staged_file file;
    const bool found = state->signals(state->wave, take, &s) && !s.no_memory;
    if (!found)
        snprintf(diag->text, sizeof diag->text, "%.300s: its signals cannot be read", state->wave);
    if (s.num)
        qsort(s.at, s.num, sizeof *s.at, by_name);
    bool good = found && karat_staged_begin(&file, path, diag);
    if (good) {
        if (form == KARAT_WAVE_GTKWAVE)
            put_gtkwave(file.file, state, &s);
        else
            put_surfer(file.file, state, &s);
        good = karat_staged_end(&file, diag);
    }
    drop(&s);
    return good;
}
