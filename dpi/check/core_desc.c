/* Core descriptions are JSON, of which every key and value is checked.  jansson says no lines of what it
 * has parsed: they are looked up in the text again, where something is wrong. */
#include "core_desc.h"
#include "array.h"
#include "names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define MAX_SIZE (1u << 20) /* Of a description */
enum { ROOM = MAX_SIZE + 1 };
enum { NOWHERE = -1 }; /* A key that is not there */
enum { SECTION = -1 }; /* No key: what is at hand itself, before its first one */
#define SHOWN 64       /* Characters of a name in a message */

typedef struct description {
    karat_core_desc public;
    json_t *root; /* Owns every text */
} description;

typedef struct parser {
    description *d;
    const char *text, *name;
    size_t size;
    int section;                     /* Number of the key at hand, or NOWHERE */
    unsigned order, order_deviation; /* Lines of simt_order, of simt-order; 0: it is not there */
    karat_diag *diag;
} parser;

/* The line of a key of the top object, or of the object under that key where key is not SECTION; 1 where
 * there is none. Keys have numbers from 0; a colon that is in no text follows a key. An array is wrong, so
 * the search ends there. */
static unsigned line_of(const parser *p, int section, int key) {
    unsigned line = 1, line_of_text = 1, depth = 0;
    int at = -1, below = SECTION;
    bool in_text = false;
    for (size_t i = 0; i < p->size; i++) {
        const char c = p->text[i];
        line += c == '\n';
        if (c == '"') {
            in_text = !in_text;
            line_of_text = line;
        } else if (in_text) {
            i += c == '\\';
        } else if (c == '{') {
            depth++;
        } else if (c == '}') {
            depth--;
        } else if (c == ':') {
            at += depth == 1;
            below += depth == 2 && at == section;
            if (at == section && below == key)
                return line_of_text;
        }
    }
    return 1;
}

__attribute__((format(printf, 3, 4))) static bool wrong_line(parser *p, unsigned line, const char *format,
                                                             ...) {
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(p->diag->text, sizeof p->diag->text, "%.180s:%u: %s", p->name, line, what);
    return false;
}

/* Of that key of the section at hand, or of SECTION. */
#define wrong(p, key, ...) wrong_line(p, line_of(p, (p)->section, key), __VA_ARGS__)

/* A text of the file on one line. */
static const char *shown(const char *text, char out[SHOWN]) {
    snprintf(out, SHOWN, "%s", text);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return out;
}

static const char *type_name(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a text";
    case JSON_INTEGER: return "a whole number";
    case JSON_REAL: return "a fraction";
    case JSON_NULL: return "null";
    default: return "true or false";
    }
}

/* --- Fields --- */

static bool take_core(parser *p, json_t *value) {
    const char *core = json_string_value(value);
    const size_t most = sizeof((karat_rec_hello *)0)->name - 1;
    bool good = core && *core && strlen(core) <= most;
    for (const char *c = core; good && *c; c++)
        good = *c > ' ' && *c <= '~';
    p->d->public.core = core;
    return good ||
           wrong(p, SECTION, "\"core\": expected the name in the core's HELLO, 1 to %zu printable characters",
                 most);
}

static bool take_bound(parser *p, int key, const char *name, json_t *ulp) {
    char text[SHOWN];
    karat_core_desc *d = &p->d->public;
    const int row = karat_find_row(name);
    const bool sums = strcmp(name, KARAT_BOUND_OF_SUMS) == 0;
    if (row == KARAT_NO_ROW && !sums)
        return wrong(p, key, "\"ulp\": unknown instruction '%s' (karat isa lists them)", shown(name, text));
    if (!sums && karat_row_info(row)->policy == KARAT_SUM)
        return wrong(p, key, "\"ulp\": expected \"%s\", the bound of all matrix products, found %s",
                     KARAT_BOUND_OF_SUMS, shown(name, text));
    if (!sums && karat_row_info(row)->policy != KARAT_ULP)
        return wrong(p, key, "\"ulp\": %s does not approximate: it is compared exactly", shown(name, text));
    for (uint32_t i = 0; i < d->num_bounds && !sums; i++)
        if (karat_find_row(d->bounds[i].row) == row)
            return wrong(p, key, "\"ulp\": %s is the instruction %s, which has a bound already",
                         shown(name, text), d->bounds[i].row);
    if (!json_is_integer(ulp) || json_integer_value(ulp) < 0 || json_integer_value(ulp) > KARAT_MAX_ULP)
        return wrong(p, key, "\"ulp\" of %s: expected a whole number from 0 to %u%s%s", shown(name, text),
                     KARAT_MAX_ULP, json_is_integer(ulp) ? "" : ", found ",
                     json_is_integer(ulp) ? "" : type_name(ulp));
    if (!karat_grow(&d->bounds, d->num_bounds, sizeof *d->bounds))
        return wrong(p, SECTION, "out of memory");
    d->bounds[d->num_bounds++] = (karat_ulp_bound){name, (uint32_t)json_integer_value(ulp)};
    return true;
}

static int find_deviation(const char *name) {
    for (unsigned i = 0; karat_deviation_name(i); i++)
        if (strcmp(karat_deviation_name(i), name) == 0)
            return (int)i;
    return NOWHERE;
}

static bool unknown_deviation(parser *p, int key, const char *name) {
    char text[SHOWN], known[200] = "";
    for (unsigned i = 0; karat_deviation_name(i); i++)
        karat_append(known, sizeof known, "%s%s", i ? ", " : "", karat_deviation_name(i));
    return wrong(p, key, "unknown deviation '%s': expected one of %s", shown(name, text), known);
}

static bool says_something(const json_t *value) {
    const char *text = json_string_value(value);
    return text && text[strspn(text, " \t\r\n")];
}

/* A text, or an object of four: what the core does, what the ISA says, where it was seen, and what it is. */
static bool take_reason(parser *p, int key, const char *name, const json_t *why, bool *bug) {
    static const char *const fields[][2] = {
        {"core", "what the core does"}, {"isa", "what the ISA says"}, {"seen", "where it was seen"}};
    if (!json_is_object(why))
        return says_something(why) || wrong(p, key, "deviation %s: expected why the core does so, found %s",
                                            name, json_is_string(why) ? "nothing" : type_name(why));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!says_something(json_object_get(why, fields[i][0])))
            return wrong(p, key, "deviation %s: expected \"%s\": %s", name, fields[i][0], fields[i][1]);
    const char *is = json_string_value(json_object_get(why, "is"));
    *bug = is && strcmp(is, "bug") == 0;
    if (!is || (strcmp(is, "design") != 0 && !*bug))
        return wrong(p, key, "deviation %s: expected \"is\": \"design\" or \"bug\"", name);
    return json_object_size(why) == 4 ||
           wrong(p, key, "deviation %s: expected core, isa, seen and is alone", name);
}

static bool take_deviation(parser *p, int key, const char *name, json_t *why) {
    const int bit = find_deviation(name);
    bool bug = false;
    if (bit == NOWHERE)
        return unknown_deviation(p, key, name);
    if (!take_reason(p, key, name, why, &bug))
        return false;
    p->d->public.deviations |= 1u << bit;
    p->d->public.bugs |= (uint32_t)bug << bit;
    if (1u << bit == KARAT_DEV_SIMT_ORDER)
        p->order_deviation = line_of(p, p->section, key);
    return true;
}

/* Units of floating point, which a core may be built without. Nothing is judged by it: generators of
 * programs leave them out. */
static bool take_absent(parser *p, int key, const char *name, json_t *why) {
    static const char *const units[] = {"fp", "fdiv", "sfu", "tensor"};
    char text[SHOWN];
    size_t i = 0;
    while (i < sizeof units / sizeof *units && strcmp(units[i], name) != 0)
        i++;
    if (i == sizeof units / sizeof *units)
        return wrong(p, key, "\"absent\": unknown unit '%s': expected fp, fdiv, sfu or tensor",
                     shown(name, text));
    return says_something(why) || wrong(p, key, "\"absent\": expected why the core is without %s, found %s",
                                        name, json_is_string(why) ? "nothing" : type_name(why));
}

/* A bug that is known: its name in the verdict line, and the signatures of its mismatches. */
static bool take_known(parser *p, int key, const char *name, json_t *pattern) {
    enum { LONGEST = 31 };
    char text[SHOWN];
    karat_core_desc *d = &p->d->public;
    bool good = *name && strlen(name) <= LONGEST;
    for (const char *c = name; good && *c; c++)
        good = *c > ' ' && *c <= '~';
    if (!good)
        return wrong(p, key, "\"known\": '%s': expected a name of 1 to %d printable characters",
                     shown(name, text), LONGEST);
    const char *why = karat_known_bug_wrong(json_string_value(pattern));
    if (why)
        return wrong(p, key, "\"known\": %s: %s, as in \"wrong value written, vfdiv.v*\"", name, why);
    if (d->num_known == KARAT_MAX_KNOWN)
        return wrong(p, key, "\"known\": expected at most %d known bugs", KARAT_MAX_KNOWN);
    if (!karat_grow(&d->known, d->num_known, sizeof *d->known))
        return wrong(p, SECTION, "out of memory");
    d->known[d->num_known++] = (karat_known_bug){name, json_string_value(pattern)};
    return true;
}

static bool take_simt_order(parser *p, json_t *value) {
    const char *order = json_string_value(value);
    p->order = line_of(p, p->section, SECTION);
    if (order && strcmp(order, "if-first") == 0)
        p->d->public.simt_order = KARAT_IF_FIRST;
    else if (order && strcmp(order, "else-first") == 0)
        p->d->public.simt_order = KARAT_ELSE_FIRST;
    else
        return wrong(p, SECTION, "\"simt_order\": expected \"if-first\" or \"else-first\"");
    return true;
}

static bool take_profile(parser *p, json_t *value) {
    const char *name = json_string_value(value);
    p->d->public.has_profile = karat_profile_find(name, name ? strlen(name) : 0, &p->d->public.profile);
    return p->d->public.has_profile || wrong(p, SECTION, "\"profile\": expected %s", karat_profile_names());
}

static const struct {
    const char *key;
    bool (*take)(parser *p, json_t *value); /* A text; NULL: an object, and */
    bool (*member)(parser *p, int key, const char *name, json_t *value);
    const char *members;
} fields[] = {{.key = "core", .take = take_core},
              {.key = "ulp", .member = take_bound, .members = "instructions and bounds"},
              {.key = "deviations", .member = take_deviation, .members = "names and reasons"},
              {.key = "simt_order", .take = take_simt_order},
              {.key = "absent", .member = take_absent, .members = "units and reasons"},
              {.key = "known", .member = take_known, .members = "names and signatures"},
              {.key = "profile", .take = take_profile}};

static bool take_all(parser *p) {
    char text[SHOWN];
    const char *key, *name;
    json_t *value, *member;
    p->section = NOWHERE;
    if (!json_is_object(p->d->root))
        return wrong(p, SECTION, "expected an object, found %s", type_name(p->d->root));
    json_object_foreach(p->d->root, key, value) {
        size_t i = 0;
        p->section++;
        while (i < sizeof fields / sizeof *fields && strcmp(fields[i].key, key) != 0)
            i++;
        if (i == sizeof fields / sizeof *fields)
            return wrong(
                p, SECTION,
                "unknown key '%s': expected core, profile, ulp, deviations, simt_order, absent or known",
                shown(key, text));
        if (fields[i].take && !fields[i].take(p, value))
            return false;
        if (fields[i].member && !json_is_object(value))
            return wrong(p, SECTION, "\"%s\": expected an object of %s, found %s", key, fields[i].members,
                         type_name(value));
        int number = 0;
        json_object_foreach(fields[i].member ? value : NULL, name, member) {
            if (!fields[i].member(p, number++, name, member))
                return false;
        }
    }
    if (!p->d->public.core)
        return wrong_line(p, 1, "expected \"core\", the name in the core's HELLO");
    if (p->order_deviation && !p->order)
        return wrong_line(p, p->order_deviation,
                          "deviation simt-order: expected \"simt_order\", which says what runs first");
    return !p->order || p->order_deviation ||
           wrong_line(p, p->order,
                      "\"simt_order\": expected the deviation simt-order in \"deviations\", and why");
}

/* --- Loading --- */

karat_core_desc *karat_core_desc_parse(const char *text, size_t size, const char *name, karat_diag *diag) {
    karat_diag unused;
    diag = diag ? diag : &unused;
    name = name ? name : "(no name)";
    size = text ? size : 0;
    description *d = calloc(1, sizeof *d);
    if (!d) {
        snprintf(diag->text, sizeof diag->text, "%.180s: out of memory", name);
        return NULL;
    }
    parser p = {.d = d, .text = text, .name = name, .size = size, .diag = diag};
    json_error_t error;
    char said[160];
    d->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!d->root) {
        /* The text near the error may have any bytes of the file. */
        snprintf(said, sizeof said, "%s", error.text);
        for (char *c = said; *c; c++)
            if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
                *c = '?';
        snprintf(diag->text, sizeof diag->text, "%.180s:%d: expected JSON: %s", name,
                 error.line > 0 ? error.line : 1, said);
    } else if (take_all(&p)) {
        return &d->public;
    }
    karat_core_desc_free(&d->public);
    return NULL;
}

karat_core_desc *karat_core_desc_load(const char *path, karat_diag *diag) {
    karat_diag unused;
    diag = diag ? diag : &unused;
    if (!path) {
        snprintf(diag->text, sizeof diag->text, "(no name): expected a file's name");
        return NULL;
    }
    karat_core_desc *desc = NULL;
    FILE *file = fopen(path, "rb");
    char *text = malloc(ROOM);
    size_t size = file && text ? fread(text, 1, ROOM, file) : 0;
    if (!file || ferror(file))
        snprintf(diag->text, sizeof diag->text, "%.180s: %s", path, strerror(errno));
    else if (!text)
        snprintf(diag->text, sizeof diag->text, "%.180s: out of memory", path);
    else if (size > MAX_SIZE)
        snprintf(diag->text, sizeof diag->text, "%.180s: expected at most %u bytes", path, MAX_SIZE);
    else
        desc = karat_core_desc_parse(text, size, path, diag);
    if (file)
        fclose(file);
    free(text);
    return desc;
}

void karat_core_desc_free(karat_core_desc *desc) {
    description *d = (description *)desc;
    if (!d)
        return;
    free(d->public.bounds);
    free(d->public.known);
    json_decref(d->root);
    free(d);
}

void karat_core_desc_use(const karat_core_desc *desc, karat_check_config *config) {
    if (!desc || !config)
        return;
    config->core = desc->core;
    config->bounds = desc->bounds;
    config->num_bounds = desc->num_bounds;
    config->model.deviations = desc->deviations;
    config->bugs = desc->bugs;
    config->known = desc->known;
    config->num_known = desc->num_known;
    config->model.simt_order = desc->simt_order;
}
