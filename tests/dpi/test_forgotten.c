/* Stores that race, and more stores after them than are remembered: what they may have left is legal
 * still, and nothing else is. */
#include "judge.h"

#include <string.h>

enum { RACED = 0, OWN = 64, COUNT = 12, FIRST = 5 }; /* Places after x20; what the first warp stores */

/* Loads of the bytes that the stores have raced for. */
static void put_loads(program *p) {
    put(p, "lhu", 27, RACED, 20);
    put(p, "lw", 26, OWN, 29);
    put0(p, "endprg");
}

static core_options options_of(uint32_t kernels) {
    core_options o = core_default();
    o.workgroups = 1;
    o.wg_size = 2;
    o.kernels = kernels;
    o.max_delay = 3;
    o.audit_percent = 0;
    o.regs = KARAT_REGS_UNKNOWN;
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_CONTENTS);
    return o;
}

/* The last load of that row returns that value. */
static void set_result(stream *s, const char *row, uint32_t n, uint32_t value) {
    record *r = &s->at[of(s, issue_of(s, 0, row, n), KARAT_REC_WRITE, 0)];
    r->write.data[0] = value;
}

/* Cores that do not report the order; that do, and have caches. */
static void tell(stream *s, uint32_t order, uint32_t props) {
    s->at[0].hello.mem_order = (uint8_t)order;
    s->at[0].hello.props = props;
}

/* Stores to one word that are forgotten but for the last so many, and then an AMO of it, the first: what
 * it finds is not called wrong where their order, or the AMO's, is open. */
static void expect_amo(const program *p, uint64_t kept, uint32_t found, uint32_t value, bool open) {
    const core_options o = options_of(1);
    scoped_stream s = run_program(p, &o);
    const size_t amo = issue_of(&s, ANY, "amoadd_w", 0);
    record *result = &s.at[of(&s, amo, KARAT_REC_WRITE, 0)], *stored = &s.at[of(&s, amo, KARAT_REC_MEM, 0)];
    for (uint32_t order = KARAT_ORDER_NONE; order <= KARAT_ORDER_REQUEST; order++)
        for (uint32_t k = 0; k < 2; k++) {
            tell(&s, order, 0);
            result->write.data[0] = stored->mem.data[0] = k ? value : found;
            const karat_check_config config = judge_config();
            karat_checker *c = karat_checker_create(&config);
            for (size_t i = 0; i < s.num; i++) {
                if (i == amo)
                    shorten_log(c, kept);
                karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
            }
            scoped_outcome done = conclude(c);
            if (done.verdict != (!k ? KARAT_PASS : open ? KARAT_INCOMPLETE : KARAT_MISMATCH))
                fail_msg("%x, open %u: %s\n%s", k ? value : found, open, done.line, done.text);
        }
}

static void put_amo(program *p) {
    put(p, "bne", 7, 0, 8);
    put0(p, "endprg"); /* Warp 1 alone */
    put_code(p, "amoadd_w 26 0 20 0; endprg");
}

TEST(amo_behind_them) {
    for (int32_t byte = 0; byte < 4; byte++)
        for (int ordered = 0; ordered < 2; ordered++) {
            program p = begin_program("lui 20 0x90003");
            put(&p, "addi", 22, 7, FIRST);
            if (ordered) { /* Warp 0 first */
                put(&p, "bne", 7, 0, 8);
                put(&p, "sb", 22, byte, 20);
                put_code(&p, "barrier 0; beq 7 0 8");
            }
            put(&p, "sb", 22, byte, 20);
            put(&p, "barrier", 0);
            put_amo(&p);
            expect_amo(&p, 0, (FIRST + 1u) << 8 * byte, (uint32_t)FIRST << 8 * byte, !ordered);
        }
    for (int how = 0; how < 3;
         how++) { /* Nothing between the store and the AMO; a barrier; another store of warp 1 before that */
        program p = begin_program("lui 20 0x90003");
        put(&p, "addi", 22, 7, FIRST);
        put(&p, "bne", 7, 0, 8);
        put(&p, "sw", 22, RACED, 20);
        put(&p, "beq", 7, 0, 4 * 64); /* Warp 0 is done long before */
        for (uint32_t i = 0; i < 62; i++)
            put(&p, "addi", 23, 23, 1);
        put(&p, how == 2 ? "sw" : "addi", 22, how == 2 ? RACED : 22, how == 2 ? 20 : 0);
        if (how)
            put(&p, "barrier", 0);
        put_amo(&p);
        expect_amo(&p, how == 2, how == 2 ? FIRST + 1 : FIRST, how == 2 ? FIRST : 0, how != 1);
    }
}

static void expect(const stream *s, bool passes, const char *what, uint32_t value) {
    scoped_outcome o = judge(s);
    if (o.verdict != (passes ? KARAT_PASS : KARAT_MISMATCH))
        fail_msg("%s, %u: %s\n%s", what, value, o.line, o.text);
    if (!passes)
        assert_non_null(strstr(o.line, "wrong value written"));
}

/* Values that stores of one kernel have left, loaded in the next one; stored once more before that; or
 * reported when the first has ended. */
TEST(in_the_next_kernel) {
    enum { LEFT, STORED, TOLD, NUM_HOW };
    for (int how = 0; how < NUM_HOW; how++) {
        program p = begin_program("lui 20 0x90003");
        put(&p, "addi", 29, 20, OWN);
        put(&p, "lw", 21, COUNT, 20);
        put(&p, "barrier", 0);
        put(&p, "addi", 22, 7, FIRST);
        put(&p, "bne", 21, 0, 8); /* Not in the first */
        put(&p, "sw", 22, RACED, 20);
        put_code(&p, "beq 21 0 12; bne 7 0 8");
        put(&p, "sw", how == STORED ? 22 : 0, how == STORED ? RACED : OWN, 20);
        put_code(&p, "addi 21 21 1; bne 7 0 8");
        put(&p, "sw", 21, COUNT, 20);
        put(&p, "barrier", 0);
        put_loads(&p);
        core_options o = options_of(2);
        scoped_stream s = run_program(&p, &o);
        tell(&s, KARAT_ORDER_NONE, how == TOLD ? KARAT_PROP_FLUSHED : 0);
        for (uint32_t value = FIRST - 1; value <= FIRST + 2; value++) {
            set_result(&s, "lhu", 1, value);
            const bool may = how == LEFT && value == FIRST;
            expect(&s, may || value == (how == STORED ? FIRST : FIRST + 1), "in the next", value);
        }
    }
}

RUN_TESTS("forgotten")
