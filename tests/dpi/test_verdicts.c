/* The checker's results for many broken runs: the verdict and the whole report, text and JSON, as they were reviewed and recorded.
 *
 * Every case is a stream of the synthetic core, drawn from a seed, with one edit in it, also drawn. Plain ones are legal as they are; of
 * the racing ones some are not, where the host writes unknown to the core, MEM claims an order that it has not, or the synthetic core has waited
 * between the step of its own model and the ISSUE (test_litmus has legal ones). The file of verdicts has a
 * line for each: the case, what was done to which record, the verdict, the instruction at fault, a hash of line, report and JSON, and
 * one of the same run judged in another way, where it was.
 * Each family has its first seeds; test_verdicts_chosen.h has others, each of which alone shows that some one change was made to the code.
 * Where reports change on purpose, write it anew and look at what differs:
 *
 *     test_verdicts --write verdicts.txt
 *     KARAT_VERDICTS="mixed 2000 500" test_verdicts --write FILE    # 500 other cases of a family, to choose from */
#include "judge.h"
#include "litmus.h"
#include "verdict_streams.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    MAX_LINE = 256,
    PLAIN_STREAMS = 48,
    RACING_STREAMS = 48,
    ATOMIC_STREAMS = 56,
    WORDS_STREAMS = 8,
    LITMUS_STREAMS = 480,
    DAMAGED_STREAMS = 48,
    SCALAR_STREAMS = 24,
    LEGAL_STREAMS = 72,
    CROWDED_STREAMS = 96,
    AGED_STREAMS = 48,
    NEAR_STREAMS = 64,
    EDITS = 10,
    NEAR_EDITS = 4,
    MAX_LINES = 4000
};

static const char *path;
static FILE *writing;
static bool choosing; /* cases that were chosen are running */
static char (*recorded)[MAX_LINE];
static size_t num_recorded;

/* --- Verdicts --- */

static uint64_t hash_of(karat_checker *c, char *line, size_t room) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    karat_checker_line(c, line, room);
    fprintf(out, "%s\n%" PRIu64 "\n", line, karat_checker_look_at(c));
    karat_checker_report(c, out);
    assert_true(karat_checker_report_json(c, out));
    fclose(out);
    const uint64_t hash = XXH3_64bits(text, size);
    free(text);
    return hash;
}

/* Events between, before that record: stores of others, as many as are remembered or more; and so many HOST writes to a word, which
 * change nothing, that a search for an order has no room. */
static struct {
    size_t at;
    uint32_t stores, writes;
    uint64_t addr;
} between;

static void put_between(karat_checker *c, const record *next) {
    age_log(c, between.stores);
    for (uint32_t n = 0; n < between.writes; n++) {
        record host = {.host = {.h = {.kind = KARAT_REC_HOST, .cycle = next->h.cycle}}};
        host.host.addr = between.addr + n % 3;
        host.host.length = n % 3 ? 4 - n % 3 : 1 + n % 4;
        karat_read(model_of(c), host.host.addr, host.host.data, host.host.length);
        karat_checker_record(c, &host, sizeof host.host);
    }
}

/* With what comes between, and with the rest of each list spoilt. */
static karat_checker *replay_spoilt(const stream *s, const karat_check_config *config) {
    karat_checker *c = karat_checker_create(config);
    assert_non_null(c);
    for (size_t i = 0; i < s->num && !is_done(c); i++) {
        if (between.at && i == between.at)
            put_between(c, &s->at[i]);
        if (is_done(c))
            break;
        const bool stops = karat_checker_record(c, &s->at[i], karat_rec_size(s->at[i].h.kind));
        assert_int_equal(stops, is_done(c));
        if (!i && !stops)
            guard_slots(c);
        spoil_rest(c, &s->at[i]);
    }
    return c;
}

/* The same judged in another way: going on after the first failure, or with what programs may not do as errors. */
static uint64_t hash_of_another(const stream *s, uint64_t tick, karat_check_config config, uint32_t way) {
    config.keep_going = way == 0;
    config.max_failures = way == 1 ? 8 : 1;
    config.strict =
        way == 2 ? KARAT_STRICT_REGISTERS | KARAT_STRICT_LANES | KARAT_STRICT_LDS | KARAT_STRICT_RACES : 0;
    if (way > 2)
        return 0;
    karat_checker *c = replay_spoilt(s, &config);
    const bool stops = tick && karat_checker_tick(c, tick);
    char line[1024];
    const uint64_t hash = hash_of(c, line, sizeof line) + stops;
    karat_checker_destroy(c);
    return hash;
}

/* Where the failure is of an instruction: which. */
static void insn_at_fault(const karat_checker *c, char *text, size_t size) {
    json_t *report = json_of(c);
    const json_t *failure = json_object_get(report, "failure");
    const json_t *insn = json_object_get(failure, "instruction");
    if (insn)
        snprintf(text, size, " at 0x%08" PRIx32 " seq %" PRIu32,
                 (uint32_t)json_integer_value(json_object_get(insn, "pc")),
                 (uint32_t)json_integer_value(json_object_get(json_object_get(failure, "where"), "seq")));
    json_decref(report);
}

static void conclude_case(const char *name, const char *done, const stream *s, uint64_t tick, uint32_t way) {
    karat_check_config config = bounded_config();
    mallopt(M_PERTURB, way == 1 ? 85 : 0); /* nothing may depend on what malloc() gives; it takes time */
    karat_checker *c = replay_spoilt(s, &config);
    if (tick)
        karat_checker_tick(c, tick);
    char line[1024], text[MAX_LINE], at[40] = "";
    const uint64_t hash = hash_of(c, line, sizeof line);
    char *verdict = strstr(line, " core=");
    if (verdict)
        *verdict = 0;
    insn_at_fault(c, at, sizeof at);
    karat_checker_destroy(c);
    snprintf(text, sizeof text, "%s %s: %.100s%s %016" PRIx64 " %016" PRIx64, name, done,
             line + strlen("karat: "), at, hash, hash_of_another(s, tick, config, way));
    if (writing) {
        fprintf(writing, "%s\n", text);
        return;
    }
    const size_t prefix = strlen(name) + 1;
    static size_t next; /* most come in the order of the file */
    for (size_t i = 0; i < num_recorded; i++, next++)
        if (strncmp(recorded[next % num_recorded], text, prefix) == 0) {
            assert_string_equal(text, recorded[next++ % num_recorded]);
            return;
        }
    fail_msg("%s is not in %s", name, path);
}

static uint32_t num_atomics(const litmus *l, uint32_t *num_sc) {
    uint32_t num = 0;
    *num_sc = 0;
    for (uint32_t w = 0; w < l->num_warp; w++)
        for (uint32_t i = 0; i < l->warp[w].num; i++) {
            num += op_is_atomic(&l->warp[w].at[i]);
            *num_sc += l->warp[w].at[i].kind == OP_SC;
        }
    return num;
}

/* Tiny programs whose accesses are too many, or forgotten. */
static void run_long_plays(uint64_t first, uint64_t num, enum family of) {
    for (uint64_t seed = first; seed < first + num; seed++) {
        rng r = {seed * 7919 + 14 + of};
        litmus l;
        play p;
        char name[40], done[40];
        uint32_t num_sc = 0;
        bool fits;
        do {
            litmus_draw(&l, &r);
            fits = of == AGED ? l.mem_order != KARAT_ORDER_PERFORMED || rng_chance(&r, 60)
                              : l.mem_order != KARAT_ORDER_PERFORMED && num_atomics(&l, &num_sc) > 2;
            if (!fits)
                litmus_free(&l);
        } while (!fits);
        const wrong what = rng_chance(&r, 60) ? WRONG_NOTHING : (wrong)rng_below(&r, NUM_WRONG);
        litmus_play(&l, &p, &r, what);
        if (of == AGED && seed % 2) /* caches may hold what was there before */
            p.s.at[0].hello.props &= ~(uint32_t)KARAT_PROP_COHERENT;
        between.at = p.at[rng_below(&r, p.num)].record;
        if (of == CROWDED && seed % 4 == 1 && !num_sc) { /* results are not reported */
            p.s.at[0].hello.gives &= ~(1u << KARAT_REC_WRITE);
            for (size_t i = p.s.num; i-- > 0;)
                if (p.s.at[i].h.kind == KARAT_REC_WRITE) {
                    stream_remove(&p.s, i);
                    between.at -= between.at > i;
                }
        }
        between.stores = of == AGED ? remembered.accesses - rng_below(&r, 12) : 0;
        between.writes = of == CROWDED ? 45 + rng_below(&r, 40) : 0;
        between.addr = LITMUS_BASE + 4 * rng_below(&r, 2);
        snprintf(name, sizeof name, "%s.%" PRIu64, of == CROWDED ? "crowded" : "aged", seed);
        snprintf(done, sizeof done, "wrong %u", (unsigned)what);
        conclude_case(name, done, &p.s, 0, of == CROWDED ? seed % 3 : 3);
        between.at = 0;
        stream_free(&p.s);
        litmus_free(&l);
    }
}

/* Programs that mix all that warps can race by, each broken or not, with the log of writes as it is or nearly full. */
static void run_mixed(uint64_t from, uint64_t num) {
    for (uint64_t seed = from; seed < from + num; seed++) {
        rng r = {seed + 177};
        char name[40], done[80] = "as it is";
        uint64_t tick = 0;
        stream s = mixed_stream(seed);
        const uint32_t first = (uint32_t)nth(&s, KARAT_REC_KERNEL, 0) + 1;
        if (rng_chance(&r, 60))
            edit(&s, &r, true, done, &tick);
        if (rng_chance(&r, 30) && s.num > first) {
            between.at = first + rng_below(&r, (uint32_t)s.num - first);
            between.stores = remembered.accesses - rng_below(&r, 30);
        }
        snprintf(name, sizeof name, "mixed.%" PRIu64, seed);
        conclude_case(name, done, &s, tick, seed % 4);
        between.at = between.stores = 0;
        stream_free(&s);
    }
}

/* Where a part of the random cases is wanted, two of three of those that there are most of; none that was chosen. */
static bool is_left_out(uint64_t number) {
    return share_of(5) < 5 && !choosing && !writing && number % 3;
}

/* Tiny programs, played right and wrong (litmus.h says of each whether it may pass). */
static void run_plays(uint64_t first, uint64_t num) {
    for (uint64_t seed = first; seed < first + num; seed++) {
        if (is_left_out(seed / 3)) /* all ways to judge stay */
            continue;
        rng r = {seed * 7919 + 13};
        litmus l;
        play p;
        char name[40], done[40];
        litmus_draw(&l, &r);
        const wrong what = (wrong)rng_below(&r, NUM_WRONG);
        litmus_play(&l, &p, &r, what);
        snprintf(name, sizeof name, "litmus.%" PRIu64, seed);
        snprintf(done, sizeof done, "wrong %u", (unsigned)what);
        conclude_case(name, done, &p.s, 0, seed % 3);
        stream_free(&p.s);
        litmus_free(&l);
    }
}

static void run_streams(const char *group, uint64_t first, uint64_t num, enum family of) {
    if (of == LITMUS) {
        run_plays(first, num);
        return;
    }
    if (of == CROWDED || of == AGED) {
        run_long_plays(first, num, of);
        return;
    }
    if (of == MIXED) {
        run_mixed(first, num);
        return;
    }
    for (uint64_t seed = first; seed < first + num; seed++) {
        if (of == LEGAL && is_left_out(seed))
            continue;
        stream s = of == LEGAL                    ? plain_stream(seed + 1000)
                   : of == NEAR                   ? near_stream(seed)
                   : of == PLAIN || of == DAMAGED ? plain_stream(seed)
                                                  : racing_stream(seed, of);
        rng r = {seed + 77};
        char name[40], done[80];
        if (of == DAMAGED) {
            snprintf(name, sizeof name, "%s.%" PRIu64, group, seed);
            snprintf(done, sizeof done, "%" PRIu32 " bits", damage(&s, &r));
            conclude_case(name, done, &s, 0, 0);
            stream_free(&s);
            continue;
        }
        snprintf(name, sizeof name, "%s.%" PRIu64 ".0", group, seed);
        conclude_case(name, "as it is", &s, 0, 2);
        const uint32_t edits = of == WORDS                   ? 2
                               : of == NEAR                  ? NEAR_EDITS
                               : of == SCALAR || of == LEGAL ? 0
                                                             : EDITS;
        for (uint32_t k = 1; k <= edits; k++) {
            uint64_t tick;
            stream copy = stream_copy(&s);
            edit(&copy, &r, of != PLAIN && of != NEAR, done, &tick);
            snprintf(name, sizeof name, "%s.%" PRIu64 ".%" PRIu32, group, seed, k);
            if (of == WORDS || !is_left_out(seed / 4 + k))
                conclude_case(name, done, &copy, tick, (seed + k) % 4);
            stream_free(&copy);
        }
        stream_free(&s);
    }
}

static const struct {
    enum family of;
    const char *name;
} families[] = {{PLAIN, "plain"},     {RACING, "racing"},   {ATOMIC, "atomic"}, {WORDS, "words"},
                {LITMUS, "litmus"},   {DAMAGED, "damaged"}, {SCALAR, "scalar"}, {LEGAL, "legal"},
                {CROWDED, "crowded"}, {AGED, "aged"},       {NEAR, "near"},     {MIXED, "mixed"}};

/* Cases of any family that show single changes of the code which no other case shows. */
static const struct {
    enum family of;
    uint32_t seed;
} chosen[] = {
#include "test_verdicts_chosen.h"
};

static void run_chosen(size_t part) {
    choosing = true;
    for (size_t i = part; i < sizeof chosen / sizeof *chosen; i += 8)
        for (size_t k = 0; k < sizeof families / sizeof *families; k++)
            if (families[k].of == chosen[i].of)
                run_streams(families[k].name, chosen[i].seed, 1, chosen[i].of);
    choosing = false;
}

/* KARAT_VERDICTS="FAMILY FIRST NUM": write these cases instead, to choose from. False: nothing of the kind. */
static bool write_candidates(void) {
    const char *text = getenv("KARAT_VERDICTS");
    char name[16];
    uint64_t first, num;
    if (!text || sscanf(text, "%15s %" SCNu64 " %" SCNu64, name, &first, &num) != 3)
        return false;
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (strcmp(families[k].name, name) == 0)
            run_streams(name, first, num, families[k].of);
    return true;
}

#define PART(kind, GROUP, n)                                                                                 \
    static void kind##_##n(void **state) {                                                                   \
        (void)state;                                                                                         \
        run_streams(#kind, n *(GROUP##_STREAMS / 8), GROUP##_STREAMS / 8, GROUP);                            \
    }
#define PARTS(kind, GROUP)                                                                                   \
    PART(kind, GROUP, 0)                                                                                     \
    PART(kind, GROUP, 1)                                                                                     \
    PART(kind, GROUP, 2)                                                                                     \
    PART(kind, GROUP, 3)                                                                                     \
    PART(kind, GROUP, 4)                                                                                     \
    PART(kind, GROUP, 5)                                                                                     \
    PART(kind, GROUP, 6)                                                                                     \
    PART(kind, GROUP, 7)
PARTS(damaged, DAMAGED)
PARTS(scalar, SCALAR)
PARTS(legal, LEGAL)
PARTS(plain, PLAIN)
PARTS(racing, RACING)
PARTS(atomic, ATOMIC)
PARTS(words, WORDS)
PARTS(litmus, LITMUS)
PARTS(crowded, CROWDED)
PARTS(aged, AGED)
PARTS(near, NEAR)
#define CHOSEN(n)                                                                                            \
    static void chosen_##n(void **state) {                                                                   \
        (void)state;                                                                                         \
        run_chosen(n);                                                                                       \
    }
#define ALL_CHOSEN CHOSEN(0) CHOSEN(1) CHOSEN(2) CHOSEN(3) CHOSEN(4) CHOSEN(5) CHOSEN(6) CHOSEN(7)
ALL_CHOSEN
#define ALL_OF(kind)                                                                                         \
    cmocka_unit_test(kind##_0), cmocka_unit_test(kind##_1), cmocka_unit_test(kind##_2),                      \
        cmocka_unit_test(kind##_3), cmocka_unit_test(kind##_4), cmocka_unit_test(kind##_5),                  \
        cmocka_unit_test(kind##_6), cmocka_unit_test(kind##_7)

static bool read_recorded(void) {
    FILE *in = fopen(path, "r");
    recorded = calloc(MAX_LINES, sizeof *recorded);
    while (in && recorded && num_recorded < MAX_LINES && fgets(recorded[num_recorded], MAX_LINE, in))
        recorded[num_recorded][strcspn(recorded[num_recorded], "\n")] = 0, num_recorded++;
    if (in)
        fclose(in);
    return num_recorded > 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest list[] = {ALL_OF(plain),   ALL_OF(racing),  ALL_OF(atomic), ALL_OF(words),
                                      ALL_OF(litmus),  ALL_OF(damaged), ALL_OF(scalar), ALL_OF(legal),
                                      ALL_OF(crowded), ALL_OF(aged),    ALL_OF(near),   ALL_OF(chosen)};
    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[1], "--write") != 0)) {
        fprintf(stderr, "usage: test_verdicts [--write] FILE\n");
        return 2;
    }
    path = argv[argc - 1];
    if (argc == 3)
        writing = fopen(path, "w");
    if (argc == 3 ? !writing : !read_recorded()) {
        fprintf(stderr, "test_verdicts: %s: cannot be %s\n", path, argc == 3 ? "written" : "read");
        return 2;
    }
    if (writing)
        setvbuf(writing, NULL, _IOLBF, 0); /* up to a crash */
    if (writing && write_candidates())
        return fclose(writing) != 0;
    int failed = _cmocka_run_group_tests("recorded verdicts", list, sizeof list / sizeof *list, NULL, NULL);
    free(recorded);
    return writing && fclose(writing) != 0 ? 1 : failed;
}
