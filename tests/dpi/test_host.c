/* HOST: what the host writes while warps run. */
#include "judge.h"
#include "two_warps.h"
#include "scene.h"

#include <string.h>

/* The host writes while warps run: where it stands in the stream, for loads and for AMOs. */
TEST(host_writes) {
    for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_PERFORMED; mem_order++)
        for (uint32_t value = 5; value <= 10; value++) {
            scene t = adders("amoadd_w"); /* The word holds 1; AMOs of 5 and 6 */
            uint32_t amo = take(&t, 0, "amoadd_w");
            perform(&t, 0, amo);
            result(&t, 0, amo, 1);
            record r = make_record(0, KARAT_REC_HOST, 0);
            r.host.addr = SHARED;
            r.host.length = 1;
            r.host.data[0] = 3; /* 6 before */
            karat_write(t.model, SHARED, r.host.data, 1);
            add(&t, &r);
            amo = take(&t, 1, "amoadd_w");
            perform(&t, 1, amo);
            result(&t, 1, amo, 3);
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            for (uint32_t warp = 0; warp < 2; warp++) {
                uint32_t load = take(&t, warp, "lw");
                perform(&t, warp, load);
                result(&t, warp, load, value);
            }
            ends(&t, value == 9 ? &pass : &wrong_value);
        }
}

static void host_between_amos(void) {
    static const uint8_t bytes[] = {0x22, 0x33, 0x44, 0x55};
    const uint32_t right[2] = {0x44332206, 0x55}; /* Values that the second finds in each word */
    for (uint32_t word = 0; word < 2; word++)
        for (uint32_t wrong = 0; wrong < 5; wrong++) {
            const int32_t at = word ? 23 : 20;
            const insn first[MAX_INSN] = {INSN("amoadd_w", 25, 22, 20, 0)};
            const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 21, at, 0), INSN("lw", 27, 0, at)};
            scene t = two_parts(first, second);
            uint32_t amo = take(&t, 0, "amoadd_w");
            perform_as(&t, 0, amo, KARAT_MEM_AMO, 6);
            result(&t, 0, amo, 1);
            say_host(&t, SHARED + 1, bytes, 4);
            const uint32_t old = right[word] ^ (wrong ? 1u << 8 * (wrong - 1) : 0);
            amo = take(&t, 1, "amoadd_w");
            perform_as(&t, 1, amo, KARAT_MEM_AMO, old + 1);
            result(&t, 1, amo, old);
            uint32_t load = take(&t, 1, "lw");
            perform(&t, 1, load);
            result(&t, 1, load, old + 1);
            scoped_outcome o = judge_scene(&t);
            if (o.verdict != (wrong ? KARAT_MISMATCH : KARAT_PASS))
                fail_msg("order %u, tells %d, word %u, wrong %u: %s\n%s", mem_order, (int)tells, word, wrong,
                         o.line, o.text);
        }
}

TEST(host_and_amos) {
    with_less(host_between_amos);
}

/* A load that races with a store, and is after what the host has written: what may be there, and what the
 * report says. */
TEST(report_names_the_host) {
    static const uint8_t byte = 9;
    for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_PERFORMED; mem_order++)
        for (uint32_t value = 0; value < 12; value++) {
            const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20)}, second[MAX_INSN] = {INSN("lw", 27, 0, 20)};
            scene t = two_parts(first, second);
            say_host(&t, SHARED, &byte, 1);
            uint32_t load = take(&t, 1, "lw"), store = take(&t, 0, "sw");
            perform(&t, 1, load);
            perform(&t, 0, store);
            result(&t, 1, load, value);
            scoped_outcome o = judge_scene(&t);
            const bool right = value == 9 || (value == 5 && mem_order != KARAT_ORDER_PERFORMED);
            assert_int_equal(o.verdict, right ? KARAT_PASS : KARAT_MISMATCH);
            if (!right && !strstr(o.text, "    09  the host, in cycle "))
                fail_msg("%s", o.text);
            if (!right && !strstr(o.text, "    01  workgroup 0 warp 0 seq "))
                fail_msg("%s", o.text);
        }
}

RUN_TESTS("host")
