/* META and END as JSON. */
#include "meta.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define MAX_RERUN (1 << 20)
#define MAX_LDS   (1 << 28) /* Bytes of its window, and of its pool */

/* --- Making --- */

/* Line tables are left out where there are none. */
static void set_lines(json_t *object, const karat_lines *lines) {
    json_t *files = json_array(), *rows = json_array();
    for (uint32_t i = 0; i < lines->num_files; i++)
        json_array_append_new(files, json_string(lines->files[i]));
    for (uint32_t i = 0; i < lines->num_lines; i++) {
        const karat_line *l = &lines->lines[i];
        json_array_append_new(
            rows, json_pack("[I, I, I]", (json_int_t)l->addr, (json_int_t)l->file, (json_int_t)l->line));
    }
    json_object_set_new(object, "files", files);
    json_object_set_new(object, "lines", rows);
}

static json_t *json_kernel(const karat_kernel *kernel) {
    json_t *symbols = json_array(), *buffers = json_array();
    for (uint32_t i = 0; i < kernel->num_buffers; i++)
        json_array_append_new(buffers, json_pack("[I, I]", (json_int_t)kernel->buffers[i].base,
                                                 (json_int_t)kernel->buffers[i].alloc_size));
    for (uint32_t i = 0; i < kernel->num_symbols; i++) {
        const karat_symbol *s = &kernel->symbols[i];
        json_array_append_new(symbols,
                              json_pack("[s, I, I]", s->name, (json_int_t)s->addr, (json_int_t)s->size));
    }
    return json_pack("{s:s, s:o, s:o}", "name", kernel->name, "buffers", buffers, "symbols", symbols);
}

char *karat_trace_meta_make(const karat_check_config *config, size_t rerun_room) {
    if (!config)
        return NULL;
    const karat_config *m = &config->model;
    json_t *kernels = json_array(), *bounds = json_array(), *known = json_array();
    for (uint32_t i = 0; config->kernels && i < config->num_kernels; i++) {
        json_t *kernel = json_kernel(config->kernels[i]);
        if (config->lines && config->lines[i])
            set_lines(kernel, config->lines[i]);
        json_array_append_new(kernels, kernel);
    }
    for (uint32_t i = 0; i < config->num_bounds; i++)
        json_array_append_new(bounds,
                              json_pack("[s, I]", config->bounds[i].row, (json_int_t)config->bounds[i].ulp));
    for (uint32_t i = 0; i < config->num_known; i++)
        json_array_append_new(known, json_pack("[s, s]", config->known[i].name, config->known[i].pattern));
    /* A seed has 64 bits, of which JSON's integers keep the sign: two's complement both ways. */
    json_t *root =
        json_pack("{s:{s:i, s:i, s:I, s:I, s:I, s:I}, s:s?, s:I, s:b, s:I, s:I, s:I, s:s?, s:b, s:I, s:I, "
                  "s:o, s:o, s:o}",
                  "model", "profile", (int)m->profile, "simt_order", (int)m->simt_order, "deviations",
                  (json_int_t)m->deviations, "lds_base", (json_int_t)m->lds_base, "lds_size",
                  (json_int_t)m->lds_size, "lds_pool", (json_int_t)m->lds_pool, "core", config->core,
                  "max_failures", (json_int_t)config->max_failures, "keep_going", config->keep_going,
                  "strict", (json_int_t)config->strict, "bugs", (json_int_t)config->bugs, "hang_cycles",
                  (json_int_t)config->hang_cycles, "program", config->program, "has_seed", config->has_seed,
                  "seed", (json_int_t)config->seed, "rerun_room", config->rerun ? (json_int_t)rerun_room : 0,
                  "bounds", bounds, "kernels", kernels, "known", known);
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

/* Characters that cannot be printed, in the form of bash and POSIX.1-2024. */
static void put_unshown(FILE *out, const char *word) {
    fputs("$'", out);
    for (; *word; word++)
        if (*word == '\'' || *word == '\\')
            fprintf(out, "\\%c", *word);
        else if (*word >= ' ' && *word <= '~')
            fputc(*word, out);
        else
            fprintf(out, "\\%03o", (unsigned)(unsigned char)*word);
    fputc('\'', out);
}

void karat_trace_put_word(FILE *out, const char *word) {
    if (!out || !word)
        return;
    if (karat_quote(word, NULL, 0) != strlen(word)) {
        put_unshown(out, word);
        return;
    }
    if (!strpbrk(word, " \t'\"\\$&;|<>()*?[]`!#~")) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

void karat_trace_put_window(FILE *out, const char *wave, uint64_t cycle) {
    const uint64_t before = 200, after = 20;
    if (!out || !wave)
        return;
    fprintf(out, " +trace=%s +trace-from=%" PRIu64 " +trace-to=%" PRIu64, wave,
            cycle > before ? cycle - before : 0, cycle + after);
}

char *karat_trace_end_make(const char *rerun) {
    json_t *root = json_pack("{s:s?}", "rerun", rerun);
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

/* --- Taking apart --- */

typedef struct setup {
    karat_trace_setup public;
    json_t *root; /* Owns every text */
    size_t num_kernels;
    karat_kernel *kernels;
    const karat_kernel **list;
    karat_symbol **symbols;
    karat_buffer **buffers;
    karat_lines *lines;
    const karat_lines **line_list; /* NULL: that kernel has none */
    const char ***files;
    karat_line **rows;
    karat_ulp_bound *bounds;
    karat_known_bug *known;
} setup;

/* Every text in it, so that it can be printed; false: memory is short. */
static bool quote_all(json_t *value) {
    const char *text = json_string_value(value), *key;
    json_t *one;
    size_t i;
    bool ok = true;
    if (text && karat_quote(text, NULL, 0) != strlen(text)) {
        char *quoted = karat_quoted(text);
        ok = quoted && !json_string_set(value, quoted);
        free(quoted);
    }
    json_object_foreach(value, key, one) ok = ok && quote_all(one);
    json_array_foreach(value, i, one) ok = ok && quote_all(one);
    return ok;
}

static bool u32(json_t *value, uint32_t *number) {
    json_int_t n = json_integer_value(value);
    *number = (uint32_t)n;
    return json_is_integer(value) && n >= 0 && n <= UINT32_MAX;
}

static const char *take_model(json_t *json, karat_config *m) {
    json_int_t profile, order, deviations, base, size, pool;
    if (json_unpack(json, "{s:I, s:I, s:I, s:I, s:I, s:I}", "profile", &profile, "simt_order", &order,
                    "deviations", &deviations, "lds_base", &base, "lds_size", &size, "lds_pool", &pool))
        return "model";
    if (profile < 0 || profile >= KARAT_NUM_PROFILE || order < 0 || order > KARAT_ELSE_FIRST ||
        deviations < 0 || deviations >> KARAT_NUM_DEVIATION || base < 0 || base > UINT32_MAX || size < 0 ||
        size > MAX_LDS || pool < 0 || pool > MAX_LDS)
        return "model";
    m->profile = (karat_profile)profile;
    m->simt_order = (karat_simt_order)order;
    m->deviations = (uint32_t)deviations;
    m->lds_base = (uint32_t)base;
    m->lds_size = (uint32_t)size;
    m->lds_pool = (uint32_t)pool;
    return NULL;
}

static const char *take_lines(setup *s, size_t i, json_t *kernel) {
    json_t *files = json_object_get(kernel, "files"), *rows = json_object_get(kernel, "lines");
    if (!files && !rows)
        return NULL;
    karat_lines *l = &s->lines[i];
    size_t num_files = json_array_size(files), num_rows = json_array_size(rows);
    if (!json_is_array(files) || !json_is_array(rows) || num_files > UINT32_MAX || num_rows > UINT32_MAX)
        return "lines";
    s->files[i] = calloc(num_files + 1, sizeof **s->files);
    s->rows[i] = calloc(num_rows + 1, sizeof **s->rows);
    if (!s->files[i] || !s->rows[i])
        return "lines (out of memory)";
    for (size_t j = 0; j < num_files; j++)
        if (!(s->files[i][j] = json_string_value(json_array_get(files, j))))
            return "files";
    for (size_t j = 0; j < num_rows; j++) {
        json_t *row = json_array_get(rows, j);
        karat_line *to = &s->rows[i][j];
        if (!u32(json_array_get(row, 0), &to->addr) || !u32(json_array_get(row, 1), &to->file) ||
            !u32(json_array_get(row, 2), &to->line) || (to->line && to->file >= num_files))
            return "lines";
    }
    *l = (karat_lines){(uint32_t)num_files, (uint32_t)num_rows, s->files[i], s->rows[i]};
    s->line_list[i] = l;
    return NULL;
}

static const char *take_kernels(setup *s, json_t *json) {
    size_t num = json_array_size(json);
    if (!json_is_array(json) || num > UINT32_MAX)
        return "kernels";
    s->kernels = calloc(num + 1, sizeof *s->kernels);
    s->list = calloc(num + 1, sizeof *s->list);
    s->symbols = calloc(num + 1, sizeof *s->symbols);
    s->buffers = calloc(num + 1, sizeof *s->buffers);
    s->lines = calloc(num + 1, sizeof *s->lines);
    s->line_list = calloc(num + 1, sizeof *s->line_list);
    s->files = calloc(num + 1, sizeof *s->files);
    s->rows = calloc(num + 1, sizeof *s->rows);
    if (!s->kernels || !s->list || !s->symbols || !s->buffers || !s->lines || !s->line_list || !s->files ||
        !s->rows)
        return "kernels (out of memory)";
    s->num_kernels = num;
    for (size_t i = 0; i < num; i++) {
        karat_kernel *k = &s->kernels[i];
        json_t *symbols, *buffers;
        if (json_unpack(json_array_get(json, i), "{s:s, s:o, s:o}", "name", &k->name, "buffers", &buffers,
                        "symbols", &symbols) ||
            !json_is_array(symbols) || json_array_size(symbols) > UINT32_MAX || !json_is_array(buffers) ||
            json_array_size(buffers) > UINT32_MAX)
            return "kernels";
        k->num_symbols = (uint32_t)json_array_size(symbols);
        k->num_buffers = (uint32_t)json_array_size(buffers);
        s->symbols[i] = calloc(k->num_symbols + (size_t)1, sizeof **s->symbols);
        s->buffers[i] = calloc(k->num_buffers + (size_t)1, sizeof **s->buffers);
        if (!s->symbols[i] || !s->buffers[i])
            return "kernels (out of memory)";
        for (size_t j = 0; j < k->num_buffers; j++) {
            json_t *buffer = json_array_get(buffers, j);
            if (!u32(json_array_get(buffer, 0), &s->buffers[i][j].base) ||
                !u32(json_array_get(buffer, 1), &s->buffers[i][j].alloc_size))
                return "buffers";
        }
        for (size_t j = 0; j < k->num_symbols; j++) {
            json_t *symbol = json_array_get(symbols, j);
            karat_symbol *to = &s->symbols[i][j];
            to->name = json_string_value(json_array_get(symbol, 0));
            if (!to->name || !u32(json_array_get(symbol, 1), &to->addr) ||
                !u32(json_array_get(symbol, 2), &to->size))
                return "symbols";
        }
        k->symbols = s->symbols[i];
        k->buffers = s->buffers[i];
        s->list[i] = k;
        const char *wrong = take_lines(s, i, json_array_get(json, i));
        if (wrong)
            return wrong;
    }
    s->public.config.kernels = s->list;
    s->public.config.lines = s->line_list;
    s->public.config.num_kernels = (uint32_t)num;
    return NULL;
}

static const char *take_bounds(setup *s, json_t *json) {
    size_t num = json_array_size(json);
    if (!json_is_array(json) || num > UINT32_MAX)
        return "bounds";
    s->bounds = calloc(num + 1, sizeof *s->bounds);
    if (!s->bounds)
        return "bounds (out of memory)";
    for (size_t i = 0; i < num; i++) {
        json_t *bound = json_array_get(json, i);
        s->bounds[i].row = json_string_value(json_array_get(bound, 0));
        if (!s->bounds[i].row || !u32(json_array_get(bound, 1), &s->bounds[i].ulp))
            return "bounds";
    }
    s->public.config.bounds = s->bounds;
    s->public.config.num_bounds = (uint32_t)num;
    return karat_check_bad_bound(&s->public.config) ? "bounds" : NULL;
}

static const char *take_known(setup *s, json_t *json) {
    const size_t num = json_array_size(json);
    if (!json_is_array(json) || num > UINT32_MAX)
        return "known";
    s->known = calloc(num + 1, sizeof *s->known);
    if (!s->known)
        return "known (out of memory)";
    for (size_t i = 0; i < num; i++) {
        const json_t *one = json_array_get(json, i);
        s->known[i].name = json_string_value(json_array_get(one, 0));
        s->known[i].pattern = json_string_value(json_array_get(one, 1));
        if (!s->known[i].name || !s->known[i].pattern)
            return "known";
    }
    s->public.config.known = s->known;
    s->public.config.num_known = (uint32_t)num;
    return NULL;
}

static const char *take_all(setup *s) {
    karat_check_config *config = &s->public.config;
    json_t *model, *core, *program, *bounds, *kernels, *known;
    json_int_t hang, failures, strict, seed, room, bugs;
    int has_seed, keep_going;
    if (json_unpack(s->root, "{s:o, s:o, s:I, s:b, s:I, s:I, s:I, s:o, s:b, s:I, s:I, s:o, s:o, s:o}",
                    "model", &model, "core", &core, "max_failures", &failures, "keep_going", &keep_going,
                    "bugs", &bugs, "strict", &strict, "hang_cycles", &hang, "program", &program, "has_seed",
                    &has_seed, "seed", &seed, "rerun_room", &room, "bounds", &bounds, "kernels", &kernels,
                    "known", &known))
        return "a field";
    if (!json_is_null(core) && !json_is_string(core))
        return "core";
    if (!json_is_null(program) && !json_is_string(program))
        return "program";
    config->hang_cycles = (uint64_t)hang;
    if (failures < 1 || failures > 1000)
        return "max_failures";
    config->max_failures = (uint32_t)failures;
    config->keep_going = keep_going;
    if (bugs < 0 || bugs >> KARAT_NUM_DEVIATION)
        return "bugs";
    config->bugs = (uint32_t)bugs;
    if (strict < 0 || strict > KARAT_STRICT_ALL)
        return "strict";
    config->strict = (uint32_t)strict;
    config->core = json_string_value(core);
    config->program = json_string_value(program);
    config->has_seed = has_seed;
    config->seed = (uint64_t)seed;
    if (room < 0 || room > MAX_RERUN)
        return "rerun_room";
    s->public.rerun_room = (size_t)room;
    if (room && !(s->public.rerun = calloc((size_t)room, 1)))
        return "rerun_room (out of memory)";
    config->rerun = s->public.rerun;
    const char *wrong = take_model(model, &config->model);
    if (!wrong)
        wrong = take_kernels(s, kernels);
    if (!wrong)
        wrong = take_bounds(s, bounds);
    return wrong ? wrong : take_known(s, known);
}

karat_trace_setup *karat_trace_setup_make(const char *meta, karat_diag *diag) {
    karat_diag unused;
    diag = diag ? diag : &unused;
    setup *s = calloc(1, sizeof *s);
    const char *wrong = "out of memory";
    if (s) {
        karat_check_config_default(&s->public.config);
        s->root = meta ? json_loads(meta, 0, NULL) : NULL;
        wrong = !s->root ? "no JSON" : !quote_all(s->root) ? "a text (out of memory)" : take_all(s);
    }
    if (!wrong)
        return &s->public;
    snprintf(diag->text, sizeof diag->text, "META block: %s is missing or wrong", wrong);
    karat_trace_setup_free(&s->public);
    return NULL;
}

void karat_trace_setup_free(karat_trace_setup *public) {
    setup *s = (setup *)public;
    if (!s)
        return;
    for (size_t i = 0; i < s->num_kernels; i++) {
        free(s->symbols[i]);
        free(s->buffers[i]);
        free(s->files[i]);
        free(s->rows[i]);
    }
    free(s->lines);
    free(s->line_list);
    free(s->files);
    free(s->rows);
    free(s->symbols);
    free(s->buffers);
    free(s->list);
    free(s->kernels);
    free(s->bounds);
    free(s->known);
    json_decref(s->root);
    free(s->public.rerun);
    free(s->public.more);
    free(s);
}

bool karat_trace_end_take(karat_trace_setup *public, const char *end, karat_diag *diag) {
    karat_diag unused;
    diag = diag ? diag : &unused;
    json_t *root = end && public ? json_loads(end, 0, NULL) : NULL, *rerun;
    bool ok = root && !json_unpack(root, "{s:o}", "rerun", &rerun);
    if (ok && json_is_string(rerun) && !public->replaced)
        karat_quote(json_string_value(rerun), public->rerun, public->rerun_room);
    json_decref(root);
    if (!ok)
        snprintf(diag->text, sizeof diag->text, "END block: no JSON, or rerun is missing");
    return ok;
}

bool karat_trace_setup_add(karat_trace_setup *public, const char *more) {
    enum { LONGER_CYCLES = 40 };
    if (!public || !more)
        return false;
    public->more = strdup(more);
    if (!public->rerun || !public->more)
        return public->more;
    public->rerun_room += strlen(more) + LONGER_CYCLES;
    char *rerun = calloc(public->rerun_room, 1);
    free(public->rerun);
    public->config.rerun = public->rerun = rerun;
    return rerun;
}

bool karat_trace_setup_replace(karat_trace_setup *public, const char *command) {
    if (!public || !command)
        return false;
    char *rerun = strdup(command);
    free(public->rerun);
    public->config.rerun = public->rerun = rerun;
    public->rerun_room = rerun ? strlen(rerun) + 1 : 0;
    public->replaced = true;
    return rerun;
}

bool karat_trace_setup_look_at(karat_trace_setup *public, uint64_t cycle) {
    static const char window[] = " +trace=", from[] = " +trace-from=";
    char *at = NULL, *text = NULL;
    if (!public)
        return false;
    for (char *next = public->replaced ? NULL : public->rerun; next && (next = strstr(next, window)); next++)
        at = next;
    char *end = at ? strstr(at, from) : NULL;
    if (!end)
        return true; /* None is known */
    size_t size;
    FILE *out = open_memstream(&text, &size);
    char *wave = strndup(at + strlen(window), (size_t)(end - at) - strlen(window));
    if (out && wave) {
        fprintf(out, "%.*s%s", (int)(at - public->rerun), public->rerun, public->more ? public->more : "");
        karat_trace_put_window(out, wave, cycle);
    }
    const bool good = out && !fclose(out) && wave;
    if (good)
        snprintf(public->rerun, public->rerun_room, "%s", text);
    free(text);
    free(wave);
    return good;
}
