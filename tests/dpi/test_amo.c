/* AMOs: the order in which those of several warps may have been performed, and lanes of stores before
 * them. */
#include "judge.h"
#include "two_warps.h"

#include <string.h>

/* The report has the accesses considered. */
TEST(report_names_the_atomics) {
    mem_order = KARAT_ORDER_NONE;
    tells = TELLS_MEM;
    scene t = adders("amoadd_w");
    uint32_t first = take(&t, 0, "amoadd_w"), second = take(&t, 1, "amoadd_w");
    perform_as(&t, 1, second, KARAT_MEM_AMO, 0);
    perform_as(&t, 0, first, KARAT_MEM_AMO, 0);
    result(&t, 1, second, 6);
    result(&t, 0, first, 3);
    scoped_outcome o = finish(&t, &wrong_value);
    static const char *const lines[] = {
        "it returned 00000003: no order of the accesses to 0x90003000, which held 00000001 before them",
        "    workgroup 0 warp 0 seq ",
        "amoadd.w x26, x22, (x20), issued in cycle ",
        ", returned 00000003\n",
        ", returned 00000006",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(o.text, lines[i]))
            fail_msg("'%s' is not in\n%s", lines[i], o.text);
    tells = TELLS_DATA;
}

/* More words of atomics than there is room for at first. */
static void so_many_words(int32_t num) {
    program p = begin_program("lui 20 SHARED");
    put(&p, "addi", 22, 0, num);
    put_code(&p, "amoadd_w 18 22 20 0; addi 20 20 4; addi 22 22 -1; bne 22 0 -12; endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    scoped_stream s = run_program(&p, &o);
    for (uint8_t order = 0; order < 3; order++) {
        s.at[0].hello.mem_order = order;
        PASSES(&s);
    }
}

TEST(many_words) {
    static const int32_t nums[] = {127, 128, 129, 130, 256, 257, 600};
    for (size_t i = 0; i < sizeof nums / sizeof *nums; i++)
        so_many_words(nums[i]);
}

/* An AMO of a word whose order is searched, at the wrong place. */
TEST(amo_elsewhere) {
    static const wanted wrong_place = {"karat: MISMATCH (wrong memory address)", 0, 0, 0};
    mem_order = KARAT_ORDER_NONE;
    for (uint32_t off = 0; off < 8; off++) {
        const insn first[MAX_INSN] = {INSN("amoadd_w", 25, 21, 20, 0)}, none[MAX_INSN] = {{0}};
        scene t = two_parts(first, none);
        const uint32_t amo = take(&t, 0, "amoadd_w");
        t.warp[0].pending[amo].commit.mem.access[0].addr += off;
        perform(&t, 0, amo);
        result(&t, 0, amo, 1);
        if (off % 4) {
            scoped_outcome o = judge_scene(&t);
            assert_int_equal(o.verdict, KARAT_MISMATCH);
        } else {
            ends(&t, off ? &wrong_place : &pass);
        }
    }
}

/* Lanes of one store before an AMO, of a core that does not say in which order. */
TEST(lanes_before_an_amo) {
    mem_order = KARAT_ORDER_PERFORMED;
    for (int ascends = 0; ascends < 2; ascends++)
        for (int data = 0; data < 2; data++)
            for (uint32_t old = 0; old < 0x505; old += 0x101) {
                props = PROPS | (ascends ? KARAT_PROP_ASCENDING : 0);
                tells = data ? TELLS_DATA : TELLS_MEM;
                const insn first[MAX_INSN] = {INSN("vsw12_v", 9, 0, 8)};
                const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0), INSN("lw", 27, 0, 20)};
                scene t = two_parts(first, second);
                perform_lanes(&t, 0, take(&t, 0, "vsw12_v"));
                uint32_t amo = take(&t, 1, "amoadd_w");
                perform_as(&t, 1, amo, KARAT_MEM_AMO, old + 5);
                result(&t, 1, amo, old);
                uint32_t load = take(&t, 1, "lw");
                perform(&t, 1, load);
                result(&t, 1, load, old + 5);
                static const wanted wrong_data = {"karat: MISMATCH (wrong data stored)", 0, 0, 0};
                const bool right = ascends ? old == 0x303 : old < 0x404;
                scoped_outcome o = judge_scene(&t);
                const wanted *want = right ? &pass : data ? &wrong_data : &wrong_value;
                if (strncmp(o.line, want->line, strlen(want->line)) != 0)
                    fail_msg("%s\n%s\nold %x, expected %s", o.line, o.text, old, want->line);
                assert_int_equal(strstr(o.line, "amo-data") != NULL,
                                 !data); /* The verdict names what is not shown */
                assert_true(!right || (count_of(&o, "lane_race") != 0) == (old != 0x303));
                assert_true(!right || count_of(&o, "unordered") == 0); /* Memory follows */
            }
    props = PROPS;
    tells = TELLS_DATA;
}

/* Lanes of one store, all or some at once, to places and of sizes drawn at random; then an AMO of another
 * warp, with an old value drawn from what they may have left or near it. Each byte is that of any lane
 * that was among the last to write it (of an ascending core: the highest of them), or what was there
 * before. */
TEST(amo_behind_any_lanes) {
    static const char *const store[] = {"vsb12_v", "vsh12_v", "vsw12_v"};
    static const char *const amo[] = {"amoadd_w", "amoxor_w", "amoand_w", "amomaxu_w", "amoswap_w"};
    const uint32_t num = share_of(5) < 5 ? 120 : 1000;
    mem_order = KARAT_ORDER_PERFORMED;
    uint32_t passed = 0;
    for (uint32_t draw = 0; draw < num + (num == 120 ? 2 : 0); draw++) {
        const uint32_t seed = draw < num    ? draw
                              : draw == num ? 294
                                            : 259; /* Bytes of unlike numbers of lanes */
        rng r = {seed * 7919 + 3};
        const uint32_t size = rng_below(&r, 4) % 3, which = rng_below(&r, 5);
        const bool ascends = rng_chance(&r, 25), reported = rng_chance(&r, 70),
                   two = !ascends && rng_chance(&r, 40);
        const int32_t factor = (int32_t)rng_below(&r, 8), flip = (int32_t)rng_below(&r, 4);
        const int32_t of = (int32_t)rng_below(&r, 0x80000), more = (int32_t)rng_below(&r, 2048);
        const uint32_t first_lanes = two ? 1 + rng_below(&r, 14) : 15;
        props = PROPS | (ascends ? KARAT_PROP_ASCENDING : 0);
        tells = reported ? TELLS_DATA : TELLS_MEM;
        const insn first[MAX_INSN] = {
            INSN("addi", 25, 0, factor),    INSN("vmul_vx", 8, 1, 25, 1),
            INSN("vxor_vi", 8, 8, flip, 1), INSN("vand_vi", 8, 8, 4 - (1 << size), 1),
            INSN("vadd_vx", 8, 8, 20, 1),   INSN("lui", 26, of),
            INSN("addi", 26, 26, more),     INSN("vmul_vx", 9, 1, 26, 1),
            INSN("vadd_vx", 9, 9, 26, 1),   INSN(store[size], 9, 0, 8)};
        const insn second[MAX_INSN] = {INSN("lui", 22, (int32_t)rng_below(&r, 0x1000) << 8),
                                       INSN(amo[which], 26, 22, 20, 0), INSN("lw", 27, 0, 20)};
        scene t = two_parts(first, second);
        const uint32_t n = take(&t, 0, store[size]);
        const karat_mem *m = &t.warp[0].pending[n].commit.mem;
        uint8_t may[4][4];
        uint32_t num_may[4] = {1, 1, 1, 1};
        for (uint32_t b = 0; b < 4; b++)
            may[b][0] = b == 0; /* There before */
        for (uint32_t part = 0; part < 1u + two; part++) {
            const uint32_t lanes = part ? 15 & ~first_lanes : first_lanes;
            perform_some(&t, 0, n, lanes);
            for (uint32_t b = 0; b < 4; b++) {
                uint32_t found = 0;
                for (uint32_t k = 0; k < 4; k++) {
                    const uint32_t at = (uint32_t)karat_mem_access(m, k).addr - SHARED;
                    if (!(lanes >> k & 1) || b - at >= 1u << size)
                        continue;
                    found = ascends ? 0 : found;
                    may[b][found++] = (uint8_t)(karat_mem_access(m, k).value >> 8 * (b - at));
                }
                num_may[b] = found ? found : num_may[b];
            }
        }
        const uint32_t a = take(&t, 1, amo[which]);
        const karat_commit *commit = &t.warp[1].pending[a].commit;
        uint32_t operand = 0, old = 0;
        for (uint32_t i = 0; i < commit->num_reads; i++)
            if (commit->read[i].source == 2)
                operand = commit->read[i].value[0];
        for (uint32_t b = 0; b < 4; b++)
            old |= (uint32_t)may[b][rng_below(&r, num_may[b])] << 8 * b;
        if (rng_chance(&r, 30)) /* A value that another lane has written, or none has */
            old ^= rng_chance(&r, 50)
                       ? 1u << rng_below(&r, 32)
                       : (old ^ karat_mem_access(m, rng_below(&r, 4)).value) & 0xffu << 8 * rng_below(&r, 4);
        static const uint8_t funct[] = {0x00, 0x04, 0x0c, 0x1c, 0x01};
        uint32_t says = karat_amo_result(funct[which], old, operand);
        if (reported && rng_chance(&r, 10))
            says ^= 1u << rng_below(&r, 32);
        bool legal = true, sayable = false;
        for (uint32_t b = 0; b < 4; b++) {
            bool some = false;
            for (uint32_t k = 0; k < num_may[b]; k++)
                some |= may[b][k] == (uint8_t)(old >> 8 * b);
            legal &= some;
        }
        const uint32_t words = num_may[0] * num_may[1] * num_may[2] * num_may[3];
        for (uint32_t w = 0; w < words; w++) {
            uint32_t value = 0, rest = w;
            for (uint32_t b = 0; b < 4; b++, rest /= num_may[b - 1])
                value |= (uint32_t)may[b][rest % num_may[b]] << 8 * b;
            sayable |= karat_amo_result(funct[which], value, operand) == says;
        }
        perform_as(&t, 1, a, KARAT_MEM_AMO, says);
        result(&t, 1, a, old);
        const uint32_t load = take(&t, 1, "lw"), left = karat_amo_result(funct[which], old, operand);
        perform(&t, 1, load);
        result(&t, 1, load, left);
        t.left = left;
        t.mask = UINT32_MAX;
        scoped_outcome o = judge_scene(&t);
        const bool right = legal && (!reported || says == left);
        const char *want = right                  ? "karat: PASS "
                           : reported && !sayable ? "karat: MISMATCH (wrong data stored)"
                                                  : "karat: MISMATCH (wrong value written)";
        if (strncmp(o.line, want, strlen(want)) != 0)
            fail_msg("seed %u: %s\n%s\nold %x, written %x, expected %s", seed, o.line, o.text, old, says,
                     want);
        passed += right;
    }
    assert_in_range(passed, num / 3, num - num / 10);
    props = PROPS;
    tells = TELLS_DATA;
}

/* Where MEM's order is not known. A store before the first atomic of a word, by the same warp: another
 * warp's atomic may have come before it anyway. */
static void atomic_before_an_older_store(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20), INSN("amoadd_w", 25, 21, 20, 0)};
    const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 21, 20, 0)};
    scene t = two_parts(first, second);
    perform(&t, 0, take(&t, 0, "sw"));
    uint32_t a = take(&t, 0, "amoadd_w"), b = take(&t, 1, "amoadd_w");
    perform_as(&t, 1, b, KARAT_MEM_AMO, 2);
    result(&t, 1, b, 1);
    perform_as(&t, 0, a, KARAT_MEM_AMO, 6);
    result(&t, 0, a, 5);
    static const wanted reordered = {"karat: PASS ", 0, 1, 0};
    ends(&t, &reordered);
}

/* A load gets nothing of its own warp's later AMO; nor what that shows not to have been there, though the
 * model has it. */
static void load_before_an_amo(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    for (uint32_t value = 0; value < 8; value++)
        for (int stored = 0; stored < 2; stored++) {
            const insn first[MAX_INSN] = {INSN("lw", 25, 0, 20), INSN("amoadd_w", 26, 22, 20, 0)};
            const insn second[MAX_INSN] = {INSN("sw", 22, 0, 20)};
            scene t = two_parts(first, second);
            if (stored)
                perform(&t, 1, take(&t, 1, "sw"));
            uint32_t load = take(&t, 0, "lw"), amo = take(&t, 0, "amoadd_w");
            perform(&t, 0, load);
            perform_as(&t, 0, amo, KARAT_MEM_AMO, 6);
            result(&t, 0, amo, 1);
            result(&t, 0, load, value);
            if (!stored)
                perform(&t, 1, take(&t, 1, "sw"));
            scoped_outcome o = judge_scene(&t);
            if (o.verdict != (value == 1 ? KARAT_PASS : KARAT_MISMATCH))
                fail_msg("value %u, stored %d: %s\n%s", value, stored, o.line, o.text);
        }
}

/* A load does not return the value of another's AMO that has found this warp's later AMO's. */
static void load_before_two_amos(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    static const uint32_t values[] = {1, 6, 7, 9};
    for (size_t i = 0; i < 2 * sizeof values / sizeof *values; i++) {
        const bool behind = i & 1; /* The other is issued after the first one's answer: both are fixed */
        const uint32_t value = values[i / 2];
        const insn first[MAX_INSN] = {INSN("lw", 25, 0, 20), INSN("amoadd_w", 26, 22, 20, 0)};
        const insn second[MAX_INSN] = {INSN("amoadd_w", 27, 21, 20, 0)};
        scene t = two_parts(first, second);
        const uint32_t load = take(&t, 0, "lw"), amo = take(&t, 0, "amoadd_w");
        uint32_t other = behind ? 0 : take(&t, 1, "amoadd_w");
        perform(&t, 0, load);
        perform_as(&t, 0, amo, KARAT_MEM_AMO, 6);
        if (behind) {
            result(&t, 0, amo, 1);
            other = take(&t, 1, "amoadd_w");
        }
        perform_as(&t, 1, other, KARAT_MEM_AMO, 7);
        if (!behind)
            result(&t, 0, amo, 1);
        result(&t, 1, other, 6);
        result(&t, 0, load, value);
        ends(&t, value == 1 ? &pass : &wrong_value);
    }
}

/* The order of a warp's accesses is one of each byte: a load of one byte may come after a store to
 * another. */
static void load_behind_another_byte(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    const insn first[MAX_INSN] = {INSN("lbu", 25, 0, 20), INSN("sb", 22, 1, 20)};
    const insn second[MAX_INSN] = {INSN("amoswap_w", 26, 22, 20, 0)};
    scene t = two_parts(first, second);
    uint32_t load = take(&t, 0, "lbu"), store = take(&t, 0, "sb"), amo = take(&t, 1, "amoswap_w");
    perform(&t, 0, store);
    perform(&t, 1, amo);
    result(&t, 1, amo, 0x501);
    perform(&t, 0, load);
    result(&t, 0, load, 5);
    ends(&t, &unordered);
}

/* Lanes of one store around an AMO, and the load after it: the lanes are in ascending order where the core
 * says so. */
static void lanes_around_an_amo(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    for (int ascends = 0; ascends < 2; ascends++)
        for (uint32_t value = 0; value < 0x404; value += 0x101) {
            props = PROPS | (ascends ? KARAT_PROP_ASCENDING : 0);
            const insn first[MAX_INSN] = {INSN("vsw12_v", 9, 0, 8)};
            const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 0, 20, 0), INSN("lw", 27, 0, 20)};
            scene t = two_parts(first, second);
            uint32_t store = take(&t, 0, "vsw12_v"), amo = take(&t, 1, "amoadd_w");
            if (tells != TELLS_NOTHING)
                perform_lanes(&t, 0, store);
            perform_as(&t, 1, amo, KARAT_MEM_AMO, 0x101);
            result(&t, 1, amo, 0x101);
            uint32_t load = take(&t, 1, "lw");
            perform(&t, 1, load);
            result(&t, 1, load, value);
            scoped_outcome o = judge_scene(&t);
            if (o.verdict != (value || !ascends ? KARAT_PASS : KARAT_MISMATCH))
                fail_msg("ascending %d, value %x: %s\n%s", ascends, value, o.line, o.text);
        }
    props = PROPS;
}

TEST(orders_that_mem_does_not_tell) {
    with_less(atomic_before_an_older_store);
    with_less(load_before_an_amo);
    with_less(load_before_two_amos);
    with_less(load_behind_another_byte);
    with_less(lanes_around_an_amo);
}

RUN_TESTS("amo")
