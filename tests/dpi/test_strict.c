/* Undefined behaviour that is only counted, unless it is an error by policy: registers, lanes, local
 * memory. */
#include "judge.h"

#include <string.h>

static outcome judge_strict(const stream *s, uint32_t strict) {
    karat_check_config config = judge_config();
    config.strict = strict;
    return conclude(replay(s, &config));
}

/* A PASS that counts, but for that policy: PROGRAM ERROR at the row, with that text. */
static void strict_only(const stream *s, uint32_t policy, const char *count, const char *row,
                        const char *text) {
    for (uint32_t strict = 0; strict <= KARAT_STRICT_ALL; strict++) {
        if (strict & KARAT_STRICT_ORDER)
            continue; /* These cores do not provide MEM's order */
        scoped_outcome o = judge_strict(s, strict);
        if (strict & policy) {
            assert_int_equal(o.verdict, KARAT_VERDICT_PROGRAM_ERROR);
            assert_non_null(strstr(o.text, text));
            assert_non_null(strstr(o.line, text_of_kind("PROGRAM")));
            assert_non_null(strstr(o.text, row));
        } else {
            assert_int_equal(o.verdict, KARAT_PASS);
            if (count)
                assert_int_not_equal(count_of(&o, count), 0);
        }
    }
}

TEST(registers) {
    program p = begin_program("or 27 30 0; endprg");
    core_options o = core_default();
    o.regs = KARAT_REGS_UNKNOWN;
    scoped_stream s = run_program(&p, &o);
    strict_only(&s, KARAT_STRICT_REGISTERS, "undefined", "or x27, x30, x0",
                "it reads x30, which the warp never wrote");
}

TEST(lanes) {
    program p = begin_program("vid_v 9 1; vmv_x_s 27 9; endprg");
    core_options o = core_default();
    scoped_stream s = run_program(&p, &o);
    strict_only(&s, KARAT_STRICT_LANES, "lanes_differ", "vmv.x.s x27, v9",
                "lanes of the register that it moves differ");
    const size_t issue = issue_of(&s, 0, "vmv_x_s", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    /* The report says that lanes differ only where they do. */
    for (uint32_t differ = 0; differ < 2; differ++) {
        const size_t wrong = differ ? write : of(&s, issue_of(&s, 0, "vid_v", 0), KARAT_REC_WRITE, 0);
        s.at[wrong].write.data[0] ^= 1;
        scoped_outcome out = judge(&s);
        s.at[wrong].write.data[0] ^= 1;
        assert_int_equal(out.verdict, KARAT_MISMATCH);
        assert_true(!strstr(out.text, "its active lanes differ") == !differ);
    }
}

TEST(lds) {
    program p = begin_program("lw 27 64 11; endprg");
    core_options o = core_default();
    scoped_stream s = run_program(&p, &o);
    strict_only(&s, KARAT_STRICT_LDS, "lds_unwritten", "lw x27, 64(x11)",
                "local memory that nothing has written");
}

/* Local memory outside of what the launch declares; the prologue's x11 is CSR_LDS. */
TEST(lds_size) {
    program p = begin_program("sw 27 64 11; endprg");
    core_options o = core_default();
    o.lds_size = 64;
    scoped_stream s = run_program(&p, &o);
    strict_only(&s, KARAT_STRICT_LDS_SIZE, "lds_beyond", "sw x27, 64(x11)",
                "local memory that the launch does not declare");
    stream_free(&s);
    o.lds_size = 4096;
    s = run_program(&p, &o);
    scoped_outcome out = judge_strict(&s, KARAT_STRICT_LDS_SIZE);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "lds_beyond"), 0);
}

/* --- The same of a core that provides no WRITE: whether it cannot be known what some warp has read --- */

TEST(words) {
    uint32_t strict = 0;
    assert_true(karat_check_strict("lanes", &strict));
    assert_int_equal(strict, KARAT_STRICT_LANES);
    assert_true(karat_check_strict("races,registers,lds", &strict));
    assert_int_equal(strict, 15);
    char all[200] = "";
    const char *word;
    for (unsigned i = 0; (word = karat_check_strict_word(i)); i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", word);
    assert_string_equal(all, KARAT_STRICT_WORDS); /* The words in help texts and messages */
    static const char *const bad[] = {"", "lane", "lanes,", ",lanes", "lanesx", "races lds"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(karat_check_strict(bad[i], &strict));
}

RUN_TESTS("strict")
