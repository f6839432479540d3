/* More accesses to one word than a search for an order takes, and no order that explains them. */
#include "judge.h"
#include "two_warps.h"

#include <stdio.h>
#include <string.h>

/* The accesses for which no order was found: the host's writes, too, and the number of those not shown. */
TEST(report_lists_all_kinds) {
    mem_order = KARAT_ORDER_NONE;
    tells = TELLS_NOTHING;
    for (uint8_t hosts = 1; hosts < 8; hosts++) {
        const insn first[MAX_INSN] = {INSN("regext", 0, 0, 0, 1), INSN("amoadd_w", 25, 22, 20, 0)};
        const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 21, 20, 0)};
        scene t = two_parts(first, second);
        take(&t, 0, "regext");
        for (uint8_t n = 0; n < hosts; n++)
            say_host(&t, SHARED, &n, 1);
        uint32_t amo = take(&t, 1, "amoadd_w");
        result(&t, 1, amo, 4711);
        scoped_outcome o = finish(&t, &wrong_value);
        uint32_t named = 0;
        for (const char *at = o.text; (at = strstr(at, "\n                the host, in cycle ")); at++)
            named++;
        char more[40];
        snprintf(more, sizeof more, "and %u more\n", hosts + 2u - 6u);
        /* An AMO, the host's writes and an AMO: of these the first six. */
        if (named != (hosts < 5 ? hosts : 5u) ||
            !strstr(o.text, "x57, x22, (x20)  {regext}, issued in cycle ") ||
            (strstr(o.text, " more\n") != NULL) != (hosts > 4) || (hosts > 4 && !strstr(o.text, more)))
            fail_msg("%u: %s", hosts, o.text);
    }
    tells = TELLS_DATA;
}

/* More accesses to one word than a search takes: nothing is claimed of an AMO, a load and memory at the
 * end, and the report says which was the first. */
TEST(nothing_is_claimed) {
    static const char *const texts[] = {
        "results could not be judged, the first of workgroup 0 warp 0 seq ",
        "too many accesses of other warps to that word are under way",
        "results could not be judged, the first of workgroup 0 warp 1 seq ",
        "too many accesses of other warps to a word that it loads are under way",
        "the first of memory at 0x90003000: ",
        "too many accesses of several warps to that word",
    };
    mem_order = KARAT_ORDER_NONE;
    tells = TELLS_NOTHING;
    for (int which = 0; which < 3; which++) {
        const insn first[MAX_INSN] = {INSN("amoadd_w", 25, 22, 20, 0)};
        const insn second[MAX_INSN] = {INSN("lbu", 27, 0, 20)};
        scene t = two_parts(first, second);
        uint32_t amo = take(&t, 0, "amoadd_w");
        uint32_t load = which == 1 ? take(&t, 1, "lbu") : 0;
        if (which == 2)
            result(&t, 0, amo, 1);
        for (uint8_t n = 0; n < 70; n++)
            say_host(&t, SHARED, &n, 1);
        result(&t, 1, which == 1 ? load : take(&t, 1, "lbu"), which == 1 ? 200 : 69);
        if (which != 2)
            result(&t, 0, amo, which == 0 ? 0x12345 : 1);
        t.left = 200;
        t.mask = which == 2 ? 0xff : 0;
        scoped_outcome o = judge_scene(&t);
        if (o.verdict != KARAT_INCOMPLETE || !strstr(o.text, texts[2 * which]) ||
            !strstr(o.text, texts[2 * which + 1]))
            fail_msg("%d: %s\n%s", which, o.line, o.text);
        assert_true(count_of(&o, "unjudged") > 0 && count_of(&o, "unjudged") < 4);
    }
    tells = TELLS_DATA;
}

/* Of accesses that are issued when there are more than a search takes, nothing is claimed either: what an
 * AMO has written, and whether an SC has stored. */
TEST(nothing_is_claimed_of_later_ones) {
    mem_order = KARAT_ORDER_NONE;
    for (int data_first = 0; data_first < 2; data_first++)
        for (int sc = 0; sc < 2; sc++) {
            const insn first[MAX_INSN] = {INSN("amoadd_w", 25, 22, 20, 0)};
            const insn amos[MAX_INSN] = {INSN("amoadd_w", 27, 22, 20, 0)};
            const insn pair[MAX_INSN] = {INSN("lr_w", 27, 20, 0), INSN("sc_w", 28, 22, 20, 0)};
            const insn *second = sc ? pair : amos;
            scene t = two_parts(first, second);
            const uint32_t amo = take(&t, 0, "amoadd_w");
            for (uint8_t n = 0; n < 70; n++)
                say_host(&t, SHARED, &n, 1);
            uint32_t late = take(&t, 1, second[0].row);
            if (sc) {
                perform(&t, 1, late);
                result(&t, 1, late, 69);
                late = take(&t, 1, "sc_w");
            }
            if (!data_first)
                result(&t, 1, late, sc ? 0 : 0x4711);
            perform_as(&t, 1, late, KARAT_MEM_AMO, sc ? 5 : 0x4716);
            if (data_first)
                result(&t, 1, late, sc ? 0 : 0x4711);
            perform_as(&t, 0, amo, KARAT_MEM_AMO, 6);
            result(&t, 0, amo, 1);
            t.left = 200;
            t.mask = 0;
            scoped_outcome o = judge_scene(&t);
            if (o.verdict != KARAT_INCOMPLETE || !count_of(&o, "unjudged"))
                fail_msg("data first %d, sc %d: %s\n%s", data_first, sc, o.line, o.text);
        }
}

RUN_TESTS("search")
