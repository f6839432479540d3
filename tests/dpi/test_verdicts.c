/* The verdicts on streams of the synthetic core that are broken, or that nothing but a whole run breaks:
 * verdicts.txt has a line for each,
 *
 *     plain.0.2 1292 issue left out: MISMATCH (SIMT outcome that no instruction expects) at 0x800000b8 seq 43
 *
 * with the family, the seed and the edit that draw it (verdict_streams.h), what the edit did, the verdict
 * and the instruction at fault. A name may end in how it is judged: +continue (with the number of
 * mismatches), +eight (so many failures are wanted), +strict. Plain streams are legal as they are; of the
 * racing ones some are not (test_litmus has legal ones). After an intended change write them anew, and
 * review what differs; to choose others, draw some:
 *
 *     test_verdicts --write verdicts.txt
 *     test_verdicts --draw mixed 2000 500 */
#include "verdict_streams.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 256, MAX_LINES = 4000 };

typedef enum way { ONCE, CONTINUE, EIGHT, STRICT, NUM_WAYS } way;
static const char *const ways[] = {
    [ONCE] = "", [CONTINUE] = "+continue", [EIGHT] = "+eight", [STRICT] = "+strict"};

/* With what comes between, and with the rest of each list spoilt. */
static karat_checker *replay_spoilt(const drawn *d, const karat_check_config *config) {
    karat_checker *c = karat_checker_create(config);
    assert_non_null(c);
    for (size_t i = 0; i < d->s.num && !is_done(c); i++) {
        if (d->at && i == d->at)
            put_between(d, c);
        if (is_done(c))
            break;
        const bool stops = feed(c, &d->s.at[i]);
        assert_int_equal(stops, is_done(c));
        if (!i && !stops)
            guard_slots(c);
        spoil_rest(c, &d->s.at[i]);
    }
    return c;
}

/* Where the failure is of an instruction: which. */
static void put_insn_at_fault(const karat_checker *c, FILE *out) {
    json_t *report = json_of(c);
    const json_t *failure = json_object_get(report, "failure"),
                 *insn = json_object_get(failure, "instruction");
    if (insn)
        fprintf(out, " at 0x%08" PRIx32 " seq %" PRIu32,
                (uint32_t)json_integer_value(json_object_get(insn, "pc")),
                (uint32_t)json_integer_value(json_object_get(json_object_get(failure, "where"), "seq")));
    json_decref(report);
}

/* The line of that stream, judged in that way. */
static void judge_drawn(const char *name, const drawn *d, way how, char text[MAX_LINE]) {
    karat_check_config config = bounded_config();
    config.keep_going = how == CONTINUE;
    config.max_failures = how == EIGHT ? 8 : 1;
    if (how == STRICT)
        config.strict = KARAT_STRICT_REGISTERS | KARAT_STRICT_LANES | KARAT_STRICT_LDS | KARAT_STRICT_RACES;
    scoped_checker *c = replay_spoilt(d, &config);
    if (d->tick)
        karat_checker_tick(c, d->tick);
    char line[1024];
    karat_checker_line(c, line, sizeof line);
    line[strcspn(line, "\n")] = 0;
    char *counts = strstr(line, " core=");
    if (counts)
        *counts = 0;
    FILE *out = fmemopen(text, MAX_LINE, "w");
    assert_non_null(out);
    fprintf(out, "%s %s: %.100s", name, d->done, line + strlen("karat: "));
    put_insn_at_fault(c, out);
    if (how == CONTINUE || how == EIGHT)
        fprintf(out, ", %" PRIu64 " mismatches, %" PRIu32 " failed", num_mismatches(c), num_failed(c));
    fclose(out);
}

/* --- The file --- */

static char (*recorded)[MAX_LINE];
static size_t num_recorded;

static bool read_recorded(const char *path) {
    FILE *in = fopen(path, "r");
    recorded = calloc(MAX_LINES, sizeof *recorded);
    while (in && recorded && num_recorded < MAX_LINES && fgets(recorded[num_recorded], MAX_LINE, in))
        recorded[num_recorded][strcspn(recorded[num_recorded], "\n")] = 0, num_recorded++;
    if (in)
        fclose(in);
    return num_recorded > 0;
}

/* The line as it is now. */
static void judge_again(const char *line, char text[MAX_LINE]) {
    char name[64];
    const size_t length = strcspn(line, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    way how = ONCE;
    const char *plus = strchr(name, '+');
    for (unsigned k = CONTINUE; k < NUM_WAYS; k++)
        if (plus && strcmp(plus, ways[k]) == 0)
            how = (way)k;
    drawn d = draw_named(name);
    judge_drawn(name, &d, how, text);
    stream_free(&d.s);
}

/* All of one family. */
static void verdicts_of(void **state) {
    const char *family = *state;
    char text[MAX_LINE];
    for (size_t i = 0; i < num_recorded; i++)
        if (strncmp(recorded[i], family, strlen(family)) == 0) {
            judge_again(recorded[i], text);
            assert_string_equal(text, recorded[i]);
        }
}

static int write_anew(const char *path) {
    char text[MAX_LINE];
    FILE *out = fopen(path, "w");
    if (out)
        setvbuf(out, NULL, _IOLBF, 0); /* Up to a crash */
    for (size_t i = 0; out && i < num_recorded; i++) {
        judge_again(recorded[i], text);
        fprintf(out, "%s\n", text);
    }
    return !out || fclose(out) != 0;
}

static int draw_some(const char *family, uint64_t first, uint64_t num) {
    char name[64], text[MAX_LINE];
    setvbuf(stdout, NULL, _IOLBF, 0); /* Up to a crash */
    for (uint64_t seed = first; seed < first + num; seed++)
        for (uint32_t edit = 0; edit <= num_edits(family); edit++) {
            snprintf(name, sizeof name, num_edits(family) ? "%s.%" PRIu64 ".%" PRIu32 : "%s.%" PRIu64, family,
                     seed, edit);
            drawn d = draw_named(name);
            const size_t end = strlen(name);
            for (unsigned how = 0; how < NUM_WAYS; how++) {
                snprintf(name + end, sizeof name - end, "%s", ways[how]);
                judge_drawn(name, &d, (way)how, text);
                puts(text);
            }
            stream_free(&d.s);
        }
    return 0;
}

int main(int argc, char **argv) {
    mallopt(M_PERTURB, 85); /* Nothing may depend on what malloc() gives */
    if (argc == 5 && strcmp(argv[1], "--draw") == 0)
        return draw_some(argv[2], strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0));
    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[1], "--write") != 0)) {
        fprintf(stderr,
                "usage: test_verdicts [--write] FILE\n       test_verdicts --draw FAMILY FIRST NUM\n");
        return 2;
    }
    if (!read_recorded(argv[argc - 1])) {
        fprintf(stderr, "test_verdicts: %s: cannot be read\n", argv[argc - 1]);
        return 2;
    }
    if (argc == 3)
        return write_anew(argv[2]);
    struct CMUnitTest list[NUM_FAMILIES];
    for (unsigned k = 0; k < NUM_FAMILIES; k++)
        list[k] = (struct CMUnitTest){
            .name = families[k], .test_func = verdicts_of, .initial_state = (void *)families[k]};
    const int failed = _cmocka_run_group_tests("recorded verdicts", list, NUM_FAMILIES, NULL, NULL);
    free(recorded);
    return failed;
}
