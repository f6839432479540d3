/* Private things of the checker that are used here:
 *
 *   functions: karat_check_form(), karat_dispatch_record(), karat_bypass_handlers(); karat_failure_name(),
 *     FAILURES; karat_flight_new(), _drop(),
 *     _owes(); karat_is_in(); mcm_log_entry(), mcm_log_evict(), mcm_ring_at(), mcm_ring_add(),
 *       mcm_find_word()
 *   of karat_checker: counts, done, failure, free_flights, groups, hello, model, num_failed, num_excluded,
 *     num_groups, num_waiting_steps,
 *     num_mismatches, num_slots, mcm, slots
 *   types and sizes: failure, flight, group, slot, mcm_event, mcm_ring, mcm_word; NUM_HISTORY and the
 *     other sizes in `remembered` */
#include "inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

karat_check_config judge_config(void) {
    karat_check_config config;
    karat_check_config_default(&config);
    config.model = core_model_config();
    config.hang_cycles = HANG_CYCLES;
    config.program = "program";
    config.rerun = "again";
    return config;
}

karat_check_config bounded_config(void) {
    static const karat_ulp_bound bounds[] = {{"vfexp.v", 2}};
    karat_check_config config = judge_config();
    config.bounds = bounds;
    config.num_bounds = 1;
    return config;
}

uint32_t share_of(uint32_t num) {
    const char *percent = getenv("KARAT_CHECK_SHARE");
    const unsigned long share = percent ? strtoul(percent, NULL, 10) : 100;
    return share < 100 ? 1 + (uint32_t)(num * share / 100) : num;
}

/* A slot and a group after the last, which nobody may look at. */
void guard_slots(karat_checker *c) {
    c->slots = realloc(c->slots, (c->num_slots + 1) * sizeof *c->slots);
    c->groups = realloc(c->groups, (c->num_groups + 1) * sizeof *c->groups);
    assert_true(c->slots && c->groups);
    memset(&c->slots[c->num_slots], 0xa5, sizeof *c->slots);
    memset(&c->groups[c->num_groups], 0xa5, sizeof *c->groups);
}

/* Parts after those of an entry of the log, and its next entry, are nothing: they must not matter,
 * whatever they look like. */
static void spoil_log(karat_checker *c, flight *f) {
    mcm_ring *r = &c->mcm->log.writes;
    mcm_event *own = mcm_log_entry(c->mcm, &f->event);
    if (own && own->num && own->num < r->room_part) {
        own->part[own->num] = own->part[0];
        own->part[own->num].performed = 0;
        own->part[own->num].value = ~own->part[0].value;
    }
    if (f->commit.has_mem && r->num - r->first < MCM_NUM_LOG) {
        mcm_event *none = mcm_ring_at(r, r->num);
        mcm_part *part = r->part + (r->num & r->mask) * r->room_part;
        *none = f->event;
        none->part = part;
        none->at.uid ^= 1;
        for (uint32_t k = 0; k < none->num; k++) {
            part[k] = f->part[k];
            part[k].value ^= 0x5a5a5a5a;
        }
    }
}

/* After an ISSUE: what follows the last of an instruction's operands, results and accesses is nothing,
 * whatever it looks like: here like the first of them, pending. */
void spoil_rest(karat_checker *c, const record *r) {
    if (r->h.kind != KARAT_REC_ISSUE || r->h.sm >= c->hello.num_sm || r->h.slot >= c->hello.num_warp)
        return;
    flight *f = c->slots[r->h.sm * c->hello.num_warp + r->h.slot].youngest;
    if (!f)
        return;
    karat_commit *m = &f->commit;
    const uint32_t writes = m->num_writes, reads = m->num_reads, accesses = m->mem.num;
    if (writes && writes < KARAT_MAX_WRITE) {
        m->write[writes] = m->write[0];
        m->write[writes].value = m->write[writes].old =
            memset(f->values.value[writes], 0xa5, sizeof f->values.value[writes]);
        m->write[writes].mask = 0xffffffff;
        f->pending_write[writes] = 0x7fffffff;
        f->overtaken[writes] = f->unknown_old[writes] = f->approximate[writes] = 0;
    }
    if (reads && reads < KARAT_MAX_READ) {
        m->read[reads] = m->read[0];
        m->read[reads].source = 3;
        f->unknown_read[reads] = 0xffffffff;
    }
    if (accesses && accesses < KARAT_MAX_ACCESS) {
        m->mem.access[accesses] = m->mem.access[accesses - 1];
        m->mem.access[accesses].addr &= ~UINT64_C(0xff);
        m->mem.access[accesses].bytes = 0xff; /* Some of its neighbours' */
        f->part[accesses] = (mcm_part){.addr = m->mem.access[accesses].addr, .bytes = 0xff};
        f->mem_left[accesses] = 15;
    }
    spoil_log(c, f);
}

void shorten_log(karat_checker *c, uint64_t kept) {
    const mcm_ring *r = &c->mcm->log.writes;
    if (r->num - r->first > kept)
        mcm_log_evict(c->mcm, r->num - kept);
}

void age_log(karat_checker *c, uint32_t num) {
    mcm_part part;
    const mcm_event none = {.num = 0, .part = &part};
    for (; num; num--) {
        shorten_log(c, MCM_NUM_LOG - 1);
        mcm_ring_add(&c->mcm->log.writes, &none);
    }
}

bool feed(karat_checker *c, const record *r) {
    return karat_checker_record(c, r, karat_rec_size(r->h.kind));
}

karat_checker *replay(const stream *s, const karat_check_config *config) {
    karat_check_config own = judge_config();
    karat_checker *c = karat_checker_create(config ? config : &own);
    assert_non_null(c);
    for (size_t i = 0; i < s->num && !c->done; i++) {
        const bool stops = karat_checker_record(c, &s->at[i], karat_rec_size(s->at[i].h.kind));
        assert_int_equal(stops, c->done);
        if (!i && !stops)
            guard_slots(c);
        if (i % 8 == s->num % 8) /* It takes time */
            spoil_rest(c, &s->at[i]);
    }
    return c;
}

/* The handlers are called one by one, as by karat_checker_record(): each kind's own function says whether
 * it has failed. */
static karat_checker *replay_by_kind(const stream *s) {
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    assert_non_null(c);
    flight *made = karat_flight_new(c, &(slot){0}, 0, 0); /* A field that nobody sets in a new one shows */
    karat_flight_drop(c, made);
    for (flight *f = c->free_flights, *next; f; f = next) {
        next = f->next;
        memset(f, 0xa5, sizeof *f);
        f->next = next;
    }
    for (size_t i = 0; i < s->num && !c->done; i++) {
        const record *r = &s->at[i];
        const size_t size = karat_rec_size(r->h.kind);
        bool stops = karat_check_form(c, r, size);
        if (!stops)
            stops = karat_bypass_handlers(c, r) ? c->done : karat_dispatch_record(c, r);
        assert_int_equal(stops, c->done);
        c->counts.records++;
        if (!i && !stops)
            guard_slots(c);
        spoil_rest(c, r);
    }
    return c;
}

/* Every flight is in one place: under way and owing something, or its warp's youngest; kept for reports;
 * or free. They are made 64 at a time. */
static void check_flights(const karat_checker *c) {
    uint32_t num = 0;
    for (const flight *f = c->free_flights; f; f = f->next)
        num++;
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *s = &c->slots[i];
        uint32_t under_way = 0;
        for (const flight *f = s->oldest; f; f = f->next, under_way++) {
            assert_true(f == s->youngest || karat_flight_is_pending(f));
            assert_true(!f->next || f->next->event.at.step > f->event.at.step);
        }
        assert_int_equal(under_way, s->in_flight);
        num += under_way + (s->fault != NULL);
        for (uint32_t k = 0; k < NUM_COMPLETED; k++)
            num += s->completed[k] != NULL;
        for (uint32_t k = 0; k < NUM_FAILED_SC; k++)
            num += s->failed_sc[k] != NULL;
    }
    assert_int_equal(num % 64, 0);
    assert_int_equal(c->num_waiting_steps, 0);
}

/* The log of accesses fits its room, and accesses marked as performed are. */
static void check_log(const karat_mcm *m) {
    const mcm_ring *r = &m->log.writes;
    assert_true(r->num >= r->first && r->num - r->first <= MCM_NUM_LOG);
    assert_true(m->log.pending <= r->num && 4 * m->words.table.used <= 3 * m->words.table.room);
    for (uint64_t n = r->first; n < r->num; n++) {
        const mcm_event *e = mcm_ring_at(r, n);
        assert_true(e->num <= r->room_part);
        for (uint32_t k = 0; k < e->num; k++) {
            assert_true(e->low <= e->part[k].addr && e->part[k].addr + e->part[k].bytes <= e->high);
            assert_true(n >= m->log.pending || e->sc_failed || e->part[k].performed);
            assert_true(e->part[k].performed <= m->reported && e->part[k].coherence <= m->log.num_coherence);
        }
    }
    uint32_t used = 0;
    for (const mcm_word *w; (w = mcm_table_next(&m->words.table, &used));)
        assert_true(w->releases.num <= MCM_NUM_RELEASE && mcm_find_word(m, w->at.place) == w);
}

void keep(const outcome *o) {
    static unsigned number;
    const char *folder = getenv("KARAT_REPORTS");
    if (!folder)
        return;
    char path[1000];
    snprintf(path, sizeof path, "%s/%06u.json", folder, number++);
    assert_int_equal(json_dump_file(o->json, path, JSON_INDENT(2)), 0);
}

#define KEPT 3 /* Of each kind */

/* Whatever has failed, in however many lanes: the report fits a screen, but for a list of defects. */
static void check_report(const outcome *o, failure_kind kind) {
    static unsigned kept[FAIL_KINDS];
    unsigned lines = 0;
    for (const char *c = o->text; *c; c++)
        lines += *c == '\n';
    if (lines > 24 + json_array_size(json_object_get(o->json, "defects")))
        fail_msg("%u lines:\n%s", lines, o->text);
    if (kept[kind]++ < KEPT)
        keep(o);
}

json_t *json_of(const karat_checker *c) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(karat_checker_report_json(c, out));
    fclose(out);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    return json;
}

outcome conclude(karat_checker *c) {
    outcome o = {.verdict = karat_checker_verdict(c)};
    size_t size;
    if (o.verdict == KARAT_PASS)
        check_flights(c);
    if (c->mcm)
        check_log(c->mcm);
    karat_checker_line(c, o.line, sizeof o.line);
    FILE *out = open_memstream(&o.text, &size);
    assert_non_null(out);
    karat_checker_report(c, out);
    fclose(out);
    o.json = json_of(c);
    check_report(&o, c->failure.kind);
    karat_checker_destroy(c);
    return o;
}

outcome judge(const stream *s) {
    return conclude(replay(s, NULL));
}

void checker_free(karat_checker **c) {
    karat_checker_destroy(*c);
}

void outcome_free(outcome *o) {
    free(o->text);
    json_decref(o->json);
    o->text = NULL;
    o->json = NULL;
}

int64_t count_of(const outcome *o, const char *name) {
    json_t *count = json_object_get(json_object_get(o->json, "counts"), name);
    assert_non_null(count);
    return json_integer_value(count);
}

/* --- Expected results --- */

#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            print_error("%s:%d: not so: %s\n%s\n%s\n", file, line, #condition, o.line, o.text);              \
            _fail(file, line);                                                                               \
        }                                                                                                    \
    } while (0)

static const char *const kinds[] = {
#define DO(id, verdict, flags, shown, text) [FAIL_##id] = #id,
    FAILURES(DO)
#undef DO
        [FAIL_NONE] = "NONE"};

static failure_kind kind_named(const char *name) {
    for (unsigned kind = 0; kind < FAIL_KINDS; kind++)
        if (strcmp(kinds[kind], name) == 0)
            return (failure_kind)kind;
    fail_msg("no such kind of failure: %s", name);
    return FAIL_NONE;
}

static karat_verdict verdict_for(failure_kind kind) {
    switch (kind) {
    case FAIL_NONE: return KARAT_PASS;
    case FAIL_STREAM:
    case FAIL_NO_MEMORY: return KARAT_BAD_INPUT;
    case FAIL_PROGRAM:
    case FAIL_UNDEFINED: return KARAT_VERDICT_PROGRAM_ERROR;
    case FAIL_HANG: return KARAT_HANG;
    case FAIL_NOTHING:
    case FAIL_INCOMPLETE: return KARAT_INCOMPLETE;
    default: return KARAT_MISMATCH;
    }
}

static int64_t number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static bool is_text(const json_t *object, const char *key, const char *text) {
    const char *value = json_string_value(json_object_get(object, key));
    return value && strcmp(value, text) == 0;
}

void check_fails(const char *file, int line, const stream *s, uint64_t tick, const char *name,
                 const record *at) {
    const failure_kind kind = kind_named(name);
    static const char *const words[] = {"PASS", "MISMATCH",      "BAD INPUT",
                                        "HANG", "PROGRAM ERROR", "INCOMPLETE"};
    static const int statuses[] = {0, 1, 2, 3, 4, 5}; /* The exit status is part of the contract */
    karat_verdict verdict = verdict_for(kind);
    karat_checker *c = replay_by_kind(s);
    if (tick)
        assert_true(karat_checker_tick(c, tick));
    outcome o = conclude(c);
    char want[200];
    EXPECT((int)o.verdict == statuses[verdict]);
    snprintf(want, sizeof want, "karat: %s (%s) ", words[verdict], karat_failure_name(kind));
    EXPECT(strncmp(o.line, want, strlen(want)) == 0);
    snprintf(want, sizeof want, "karat: %s: %s\n", words[verdict], karat_failure_name(kind));
    EXPECT(strncmp(o.text, want, strlen(want)) == 0);
    EXPECT(strstr(o.text, "\n  rerun     again\n"));
    const json_t *failure = json_object_get(o.json, "failure");
    EXPECT(number(o.json, "status") == statuses[verdict]);
    EXPECT(is_text(o.json, "verdict", words[verdict]));
    EXPECT(is_text(o.json, "line", o.line));
    EXPECT(is_text(failure, "kind", karat_failure_name(kind)));
    const json_t *where = json_object_get(failure, "where");
    const json_t *insn = json_object_get(failure, "instruction");
    EXPECT((at != NULL) == (where != NULL));
    if (at) {
        const karat_rec_launch *launch = NULL;
        for (size_t i = 0; i < s->num; i++)
            if (s->at[i].h.kind == KARAT_REC_LAUNCH && s->at[i].h.sm == at->h.sm &&
                s->at[i].h.slot == at->h.slot && s->at[i].h.epoch == at->h.epoch)
                launch = &s->at[i].launch;
        EXPECT(launch);
        snprintf(want, sizeof want,
                 "\n  where     workgroup %" PRIu32 " warp %" PRIu32 " (sm %u slot %u epoch %" PRIu32 ")",
                 launch->workgroup, launch->warp, at->h.sm, at->h.slot, at->h.epoch);
        EXPECT(strstr(o.text, want));
        EXPECT(number(where, "workgroup") == launch->workgroup && number(where, "warp") == launch->warp);
        EXPECT(number(where, "sm") == at->h.sm && number(where, "slot") == at->h.slot);
        EXPECT(number(where, "epoch") == at->h.epoch);
    }
    if (at && at->h.kind == KARAT_REC_ISSUE) {
        snprintf(want, sizeof want, ") seq %" PRIu32 ", found in cycle ", at->issue.seq);
        EXPECT(strstr(o.text, want));
        snprintf(want, sizeof want, "\n  at        0x%08" PRIx32 "  ", at->issue.pc);
        EXPECT(strstr(o.text, want));
        EXPECT(number(where, "seq") == at->issue.seq);
        EXPECT(number(insn, "pc") == at->issue.pc && number(insn, "word") == at->issue.word);
    } else {
        EXPECT(!insn);
    }
    outcome_free(&o);
}

void check_passes(const char *file, int line, const stream *s) {
    outcome o = conclude(replay_by_kind(s));
    EXPECT(o.verdict == KARAT_PASS);
    EXPECT(o.text[0] == 0);
    EXPECT(strncmp(o.line, "karat: PASS core=synthetic program=program ", 43) == 0);
    EXPECT(!json_object_get(o.json, "failure"));
    outcome_free(&o);
}

void fails_saying(const char *file, int line, const stream *s, const char *kind, const char *text) {
    outcome o = judge(s);
    const char *name = json_string_value(json_object_get(json_object_get(o.json, "failure"), "kind"));
    if (!name || strcmp(name, text_of_kind(kind)) != 0 || !strstr(o.text, text)) {
        print_error("%s:%d: not %s with '%s':\n%s\n%s\n", file, line, text_of_kind(kind), text, o.line,
                    o.text);
        _fail(file, line);
    }
    outcome_free(&o);
}

int64_t lanes_of(const stream *s) {
    outcome o = judge(s);
    const int64_t lanes = json_integer_value(json_object_get(json_object_get(o.json, "failure"), "lanes"));
    outcome_free(&o);
    return lanes;
}

/* --- The checker's state during a run --- */

bool is_done(const karat_checker *c) {
    return c->done;
}

const char *kind_of(const karat_checker *c) {
    return kinds[c->failure.kind];
}

const char *nth_kind(uint32_t n) {
    return FAIL_NONE + 1 + n < FAIL_KINDS ? karat_failure_name((failure_kind)(FAIL_NONE + 1 + n)) : NULL;
}

const char *text_of_kind(const char *kind) {
    return karat_failure_name(kind_named(kind));
}

const char *detail_of(const karat_checker *c) {
    return c->failure.detail;
}

uint64_t count_in(const karat_checker *c, const char *name) {
    const outcome o = {.json = json_of(c)};
    const int64_t count = count_of(&o, name);
    json_decref(o.json);
    return (uint64_t)count;
}

bool is_unchecked(const karat_checker *c, const char *what) {
    char line[1024];
    karat_checker_line(c, line, sizeof line);
    const size_t length = strlen(what);
    const char *list = strstr(line, " unchecked=");
    for (const char *word = list ? list + strlen(" unchecked=") : ""; *word && *word != ' ';) {
        const size_t size = strcspn(word, ", ");
        if (size == length && strncmp(word, what, size) == 0)
            return true;
        word += size + (word[size] == ',');
    }
    return false;
}

uint32_t num_waiting(const karat_checker *c) {
    return c->num_waiting_steps;
}

uint64_t num_mismatches(const karat_checker *c) {
    return c->num_mismatches;
}

uint32_t num_failed(const karat_checker *c) {
    return c->num_failed;
}

uint32_t num_excluded(const karat_checker *c) {
    return c->num_excluded;
}

uint32_t num_owing(const karat_checker *c) {
    uint32_t num = 0;
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (const flight *f = c->slots[i].oldest; f && f != c->slots[i].youngest; f = f->next)
            num++;
    return num;
}

bool is_doubted(const karat_checker *c, uint64_t addr) {
    return karat_is_in(c->unreported_memory, addr);
}

karat_model *model_of(const karat_checker *c) {
    return c->model;
}

uint32_t warp_in(const karat_checker *c, uint32_t slot) {
    return c->slots[slot].handle;
}

const struct remembered remembered = {.instructions = NUM_HISTORY,
                                      .reservations = MCM_NUM_RESERVATION,
                                      .failed_scs = NUM_FAILED_SC,
                                      .fences = MCM_NUM_FENCE,
                                      .accesses = MCM_NUM_LOG,
                                      .acquired = MCM_NUM_ACQUIRED,
                                      .suspects = NUM_PRODUCERS,
                                      .undefined_uses = NUM_UNDEFINED_USE};
