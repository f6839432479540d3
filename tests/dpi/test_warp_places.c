/* Where the warps are when a run has not come to its end: in the report, and in its JSON. */
#include "judge.h"
#include "warp_places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Loops --- */

static void expect_loop(const uint32_t *pc, uint32_t num, uint32_t turns, uint32_t length, uint32_t first,
                        uint32_t last) {
    const karat_loop l = karat_loop_of(pc, num);
    if (l.turns != turns || l.length != length || l.first != first || l.last != last)
        fail_msg("%u turns of %u, 0x%x to 0x%x", l.turns, l.length, l.first, l.last);
}

TEST(loops) {
    static const uint32_t straight[] = {0, 4, 8, 12}, one[] = {8, 8}, lead[] = {0, 4, 20, 8, 20, 8, 20, 8},
                          inner[] = {0, 4, 8, 4, 8, 12, 0, 4, 8, 4, 8, 12}, once[] = {40, 4, 8, 12, 4},
                          part[] = {4, 8, 12, 16, 4, 8, 12};
    expect_loop(NULL, 0, 0, 0, 0, 0);
    expect_loop(straight, 1, 0, 0, 0, 0);
    expect_loop(straight, 4, 0, 0, 0, 0);
    expect_loop(one, 2, 2, 1, 8, 8);
    expect_loop(lead, 8, 3, 2, 8, 20);
    expect_loop(inner, 12, 2, 6, 0, 12); /* Not the loop in it: that was left */
    expect_loop(inner, 5, 2, 2, 4, 8);
    expect_loop(once, 5, 1, 3, 4, 12);
    expect_loop(part, 7, 1, 4, 4, 16); /* Not two whole turns */
    uint32_t ring[KARAT_TRAIL];
    for (uint32_t i = 0; i < KARAT_TRAIL; i++)
        ring[(1000 + i) % KARAT_TRAIL] = 4 * (i % 5);
    const karat_loop l = karat_loop_of_trail(ring, 1000 + KARAT_TRAIL);
    assert_true(l.turns == KARAT_TRAIL / 5 && l.length == 5 && l.first == 0 && l.last == 16);
    ring[0] = ring[1] = 7;
    assert_int_equal(karat_loop_of_trail(ring, 2).turns, 2);
    assert_int_equal(karat_loop_of_trail(ring, 1).turns, 0);
}

/* --- Many warps --- */

static void add_warp(karat_places *p, uint32_t workgroup, uint32_t warp, uint32_t pc, bool at_barrier) {
    karat_config config;
    karat_config_default(&config);
    karat_model *model = karat_create(&config, NULL);
    const karat_warp_view view = {.live = true, .waiting = at_barrier, .pc = pc, .mask = 0xf};
    karat_warp_place *w = karat_places_add(p, model, &view, NULL);
    assert_non_null(w);
    w->workgroup = workgroup;
    w->warp = warp;
    karat_destroy(model);
}

static char *text_of(const karat_places *p, uint32_t lines) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const karat_naming names = {NULL, NULL, KARAT_V202};
    karat_places_put(out, p, &names, "", "", lines);
    fclose(out);
    return text;
}

static void expect_places(const karat_places *p, uint32_t lines, const char *want) {
    char *text = text_of(p, lines);
    assert_string_equal(text, want);
    free(text);
}

/* Those in the same place are one block, wherever they stand in the list, and what is too much is counted. */
TEST(one_screen) {
    karat_places p = {.wg_size = 8};
    static const uint8_t order[] = {6, 3, 7, 0, 1, 2, 5};
    for (size_t i = 0; i < sizeof order; i++)
        add_warp(&p, 3, order[i], order[i] == 5 ? 0x200 : 0x100, order[i] < 5);
    karat_places_sort(&p);
    const char *all = "workgroup 3 warps 0-3: 0x00000100  (no memory there), mask 0000000f, stack empty\n"
                      "  waits at a barrier: of workgroup 3 warps 0-3 arrived, warps 4-7 missing\n"
                      "workgroup 3 warp 5: 0x00000200  (no memory there), mask 0000000f, stack empty\n"
                      "workgroup 3 warps 6-7: 0x00000100  (no memory there), mask 0000000f, stack empty\n";
    assert_int_equal(karat_places_lines(&p), 4);
    expect_places(&p, 4, all);
    expect_places(&p, 3,
                  "workgroup 3 warps 0-3: 0x00000100  (no memory there), mask 0000000f, stack empty\n"
                  "  waits at a barrier: of workgroup 3 warps 0-3 arrived, warps 4-7 missing\n"
                  "and 3 more warps in 2 other places\n");
    expect_places(&p, 1, "and 7 more warps in 3 other places\n");
    add_warp(&p, 4, 1, 0x200, false);
    karat_places_sort(&p);
    char *text = text_of(&p, 24);
    assert_non_null(strstr(text, "\n2 warps, the first of them workgroup 3 warp 5: 0x00000200"));
    free(text);
    karat_places_free(&p);
    expect_places(&p, 24, "");
}

/* However many there are, it takes no time worth mentioning: 65536 of 64 places. */
TEST(very_many) {
    karat_places p = {.wg_size = 32};
    const karat_warp_place blank = {.mask = 1};
    p.at = malloc((1 << 16) * sizeof *p.at);
    p.num = 1 << 16;
    for (uint32_t i = 0; i < p.num; i++) {
        p.at[i] = blank;
        p.at[i].workgroup = i / 32;
        p.at[i].warp = i % 32;
        p.at[i].pc = 4 * (i % 64);
        p.at[i].at_barrier = true;
    }
    karat_places_sort(&p);
    assert_int_equal(karat_places_lines(&p), 128);
    char *text = text_of(&p, 24);
    uint32_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_in_range(lines, 23, 24);
    assert_non_null(strstr(text, "and 54272 more warps in 53 other places\n"));
    free(text);
    const karat_naming names = {NULL, NULL, KARAT_V202};
    json_t *json = karat_places_json(&p, &names);
    assert_int_equal(json_array_size(json), 1 << 16);
    json_decref(json);
    karat_places_free(&p);
}

/* --- Runs --- */

/* A warp goes round a loop a thousand times, the other waits for it: cut while that is so. */
static stream spinning(uint32_t *loop, uint32_t *barrier) {
    program p = begin_program("bne 7 0 16; addi 12 0 1000");
    *loop = HERE(&p);
    put_code(&p, "addi 12 12 -1; bne 12 0 -4");
    *barrier = HERE(&p);
    put_code(&p, "barrier 0; endprg");
    core_options o = core_default();
    o.workgroups = 1;
    o.uncounted = true;
    stream s = run_program(&p, &o);
    cut(&s, s.num / 2);
    return s;
}

static void end_by(stream *s, uint32_t reason) {
    record bye = {0};
    bye.h.kind = KARAT_REC_BYE;
    bye.h.cycle = s->at[s->num - 1].h.cycle + 1;
    bye.bye.reason = reason;
    stream_add(s, &bye, sizeof bye.bye);
}

static const json_t *warp_of(const outcome *o, size_t i) {
    return json_array_get(json_object_get(json_object_get(o->json, "failure"), "warps"), i);
}

static void expect_integer(const json_t *object, const char *key, uint64_t value) {
    const json_t *found = json_object_get(object, key);
    if (!json_is_integer(found) || (uint64_t)json_integer_value(found) != value)
        fail_msg("%s is not %" PRIu64, key, value);
}

static void expect_text(const outcome *o, const char *text) {
    if (!strstr(o->text, text))
        fail_msg("no '%s' in\n%s", text, o->text);
}

static const karat_symbol symbols[] = {
    {"begin", CODE_BASE, 68}, {"spin", CODE_BASE + 72, 8}, {"meet", CODE_BASE + 80, 8}};
static const karat_line rows[] = {{CODE_BASE, 0, 3}, {CODE_BASE + 72, 0, 17}, {CODE_BASE + 80, 0, 21}};
static const char *const files[] = {"src/spin.c"};

/* However it was ended. */
TEST(ended_early) {
    uint32_t loop, barrier;
    static const uint32_t reasons[] = {KARAT_BYE_CYCLE_LIMIT, KARAT_BYE_ABORT};
    static const char *const words[] = {"cycle limit: 0 of 2 warps", "the stream ended early: 0 of 2 warps"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        scoped_stream s = spinning(&loop, &barrier);
        const karat_kernel kernel = {.name = "spin", .num_symbols = 3, .symbols = symbols};
        const karat_lines lines = {1, 3, files, rows};
        const karat_kernel *kernels[] = {&kernel};
        const karat_lines *tables[] = {&lines};
        karat_check_config config = judge_config();
        config.kernels = kernels;
        config.lines = tables;
        config.num_kernels = 1;
        end_by(&s, reasons[i]);
        scoped_outcome o = conclude(replay(&s, &config));
        assert_int_equal(o.verdict, KARAT_INCOMPLETE);
        expect_text(&o, words[i]);
        expect_text(&o, "\n  warps     workgroup 0 warp 0 (sm 0 slot 0, last heard of in cycle ");
        expect_text(&o, "): spin.c:17 in spin  0x8000004");
        expect_text(&o, "\n              loops over 0x80000048 <spin+0x0> to 0x8000004c <spin+0x4>: 2 "
                        "instructions a turn, at "
                        "least 32 turns so far\n");
        expect_text(&o, "\n            workgroup 0 warp 1 (sm 0 slot 1, last heard of in cycle ");
        expect_text(&o, "): spin.c:21 in meet  0x80000050 <meet+0x0>  barrier 0, mask 0000000f, stack empty\n"
                        "              waits at a barrier: of workgroup 0 warp 1 arrived, warp 0 missing\n");
        assert_int_equal(loop, CODE_BASE + 72);
        assert_int_equal(barrier, CODE_BASE + 80);
        const json_t *first = warp_of(&o, 0), *second = warp_of(&o, 1);
        assert_null(warp_of(&o, 2));
        expect_integer(first, "warp", 0);
        expect_integer(first, "line", 17);
        expect_integer(json_object_get(first, "loop"), "first", loop);
        expect_integer(json_object_get(first, "loop"), "last", loop + 4);
        expect_integer(json_object_get(first, "loop"), "instructions", 2);
        assert_null(json_object_get(first, "barrier"));
        expect_integer(second, "pc", barrier);
        assert_string_equal(json_string_value(json_object_get(second, "symbol")), "meet");
        const json_t *at = json_object_get(second, "barrier");
        assert_int_equal(json_array_size(json_object_get(at, "arrived")), 1);
        assert_int_equal(json_integer_value(json_array_get(json_object_get(at, "arrived"), 0)), 1);
        assert_int_equal(json_array_size(json_object_get(at, "missing")), 1);
        assert_int_equal(json_integer_value(json_array_get(json_object_get(at, "missing"), 0)), 0);
    }
}

/* In the middle of a divergence, where a load's result never comes: the stack's top, and what it waits
 * for. */
TEST(hung_under_divergence) {
    program p = begin_program("auipc 12 0; setrpc 0 12 24; vmv_v_i 7 2; vblt 1 7 12; vlw12_v 8 0 3; "
                              "vadd_vi 9 8 1 1; join; endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.uncounted = true;
    scoped_stream s = run_program(&p, &o);
    const size_t load = issue_of(&s, 0, "vlw12_v", 0);
    stream_remove(&s, of(&s, load, KARAT_REC_WRITE, 0));
    cut(&s, load + 1);
    const uint64_t cycle = s.at[s.num - 1].h.cycle + HANG_CYCLES + 1;
    karat_checker *c = replay(&s, NULL);
    assert_true(karat_checker_tick(c, cycle));
    scoped_outcome out = conclude(c);
    assert_int_equal(out.verdict, KARAT_HANG);
    expect_text(&out, "  warps     workgroup 0 warp 0 (sm 0 slot 0, last heard of in cycle ");
    expect_text(&out, "  vadd.vi v9, v8, 1, mask 0000000c\n              stack of 1, on top: rpc 0x80000058 "
                      "next 0x80000058 mask 0000000f\n");
    expect_text(&out, " waits for the write of v8, lanes 0000000c");
    const json_t *w = warp_of(&out, 0);
    expect_integer(w, "depth", 1);
    expect_integer(json_object_get(w, "top"), "rpc", CODE_BASE + 88);
    assert_non_null(strstr(json_string_value(json_object_get(w, "waits")), "waits for the write of v8"));
    assert_null(json_object_get(w, "loop"));
}

RUN_TESTS("warp_places")
