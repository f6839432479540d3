/* Operands that the warp never wrote, of a core that leaves registers as they are and says in READs what it
 * used: each step is exact all the same, and each use is counted. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

static core_options undefined_options(void) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.regs = KARAT_REGS_UNKNOWN;
    o.audit_percent = 0;
    o.uncounted = true;
    return o;
}

/* v0, v6 and up, x13 and up are not written. */
static program begun(void) {
    program p = {.num = 0};
    put_prologue(&p);
    p.num--; /* its last instruction writes v0 */
    return p;
}

/* Judged with and without READ and AUDIT: with READ it passes with these counts, AUDIT or not, and the result is
 * compared. Without READ: data passes, what decides is a program error. */
static void expect_uses(const program *body, int64_t undefined, int64_t adopted, bool decides) {
    program p = *body;
    put0(&p, "endprg");
    for (unsigned k = 0; k < 4; k++) {
        core_options o = undefined_options();
        o.audit_percent = 50;
        bool reads = !(k & 1);
        if (!reads)
            o.gives &= ~(1u << KARAT_REC_READ);
        if (k & 2)
            o.gives &= ~(1u << KARAT_REC_AUDIT);
        stream s = run_program(&p, &o);
        outcome out = judge(&s);
        karat_verdict want = reads || !decides ? KARAT_PASS : KARAT_VERDICT_PROGRAM_ERROR;
        bool told = !(k & 2) && out.verdict == KARAT_PASS; /* an AUDIT before the use serves as well */
        if ((out.verdict != want && !told) ||
            (reads && (count_of(&out, "undefined") != undefined || count_of(&out, "adopted") != adopted)))
            fail_msg("READ %d AUDIT %d: not so:\n%s\n%s", reads, !(k & 2), out.line, out.text);
        outcome_free(&out);
        stream_free(&s);
    }
}

static void every_kind_of_operand(void **state) {
    (void)state;
    program p;
#define CASE(undefined, adopted, decides, ...)                                                               \
    do {                                                                                                     \
        p = begun();                                                                                         \
        __VA_ARGS__;                                                                                         \
        expect_uses(&p, undefined, adopted, decides);                                                        \
    } while (0)
    CASE(1, 1, false, put(&p, "add", 13, 20, 6));
    CASE(2, 2, false, put(&p, "add", 13, 20, 21));
    CASE(1, 1, false, put(&p, "add", 13, 20, 20), put(&p, "add", 14, 20, 13)); /* once for the register */
    CASE(1, 1, false, put(&p, "vadd_vv", 8, 23, 23, 1), put(&p, "vadd_vv", 8, 8, 23, 1));
    CASE(1, 1, false, put(&p, "vmacc_vv", 21, 1, 2, 1)); /* the destination as third source */
    CASE(1, 1, false, put(&p, "vmv_x_s", 13, 21));
    CASE(1, 1, true, put(&p, "vadd_vv", 8, 1, 1, 0));                           /* a mask */
    CASE(1, 1, false, put(&p, "vmerge_vvm", 8, 1, 2, 0));                       /* v0 as an operand */
    CASE(1, 1, false, put(&p, "regext", 0, 0, 0, 1), put(&p, "addi", 31, 0, 1), /* x63 is not v0 */
         put(&p, "vmerge_vvm", 8, 1, 2, 0));
    CASE(1, 1, true, put(&p, "beq", 20, 0, 4));
    CASE(1, 1, true, put(&p, "csrrw", 13, 0x340, 20), put(&p, "csrrs", 14, 0x340, 0));
    CASE(2, 2, true, put(&p, "auipc", 5, 0), put(&p, "setrpc", 0, 5, 16), put(&p, "vblt", 20, 21, 8),
         put(&p, "vadd_vi", 8, 1, 1, 1), put0(&p, "join")); /* lane by lane, most likely divergent */
    CASE(1, 1, true, put(&p, "vsetivli", 0, 1, 0xd0), put(&p, "vlse32_v", 8, 10, 20, 1)); /* a stride */
    CASE(1, 1, true, put(&p, "vsetivli", 0, 1, 0xd0), put(&p, "vsse32_v", 1, 10, 20, 1));
    CASE(1, 1, false, put(&p, "sw", 20, 512, 10), put(&p, "lw", 13, 512, 10));
    CASE(1, 1, false, put(&p, "vsw12_v", 20, 0, 3), put(&p, "vlw12_v", 8, 0, 3));
    /* Pairs: each register is an operand. */
    CASE(2, 2, false, put(&p, "addi", 23, 10, 512), put(&p, "regpair", 0, 0, 0, 0), put(&p, "sw", 20, 0, 23),
         put(&p, "lw", 13, 4, 23));
    /* Groups: as well; and a mask of two registers. */
    CASE(4, 4, false, put(&p, "vsetvli", 13, 0, 0xd1), put(&p, "vadd_vv", 8, 20, 22, 1));
    CASE(1, 1, true, put(&p, "vsetvli", 13, 0, 0xd1), put(&p, "vadd_vv", 8, 2, 2, 0)); /* v1 is written */
    /* A pair's halves are those of each lane. */
    CASE(2, 2, false, put(&p, "vadd_vv", 24, 3, 2, 1), put(&p, "vmv_v_i", 25, 0),
         put(&p, "regpair", 0, 0, 0, 0), put(&p, "vsw12_v", 20, 0, 24));
    /* What one register of a group depends on: the same of each operand, in registers of any number. */
    CASE(1, 1, false, put(&p, "vadd_vv", 9, 23, 1, 1));
    CASE(1, 1, false, put(&p, "vadd_vv", 9, 1, 23, 1));
    CASE(2, 2, false, put(&p, "vsetvli", 13, 0, 0xd1), put(&p, "vse32_v", 20, 10, 1));
    CASE(1, 1, false, put(&p, "vsetivli", 0, 4, 0xd1), put(&p, "vse32_v", 20, 10, 1));
    CASE(2, 2, false, put(&p, "vsetivli", 0, 5, 0xd1), put(&p, "vse32_v", 20, 10, 1));
    CASE(2, 2, false, put(&p, "vsetvli", 13, 0, 0xd1), put(&p, "vadd_vv", 8, 2, 22, 1),
         put(&p, "vadd_vv", 10, 22, 2, 1));
    CASE(1, 1, false, put(&p, "vsetvli", 13, 0, 0xd1), put(&p, "vmv_v_i", 22, 1),
         put(&p, "vsetvli", 13, 0, 0xd0), put(&p, "vmv_v_v", 22, 24), put(&p, "vsetvli", 13, 0, 0xd1),
         put(&p, "vadd_vv", 8, 22, 22, 1));
    /* A tensor's results depend on all lanes of its operands, whatever vl is. */
    CASE(1, 1, false, put(&p, "vsetivli", 0, 2, 0xd0), put(&p, "vmv_v_i", 22, 1),
         put(&p, "vsetvli", 13, 0, 0xd0), put(&p, "vmv_v_i", 23, 1), put(&p, "vmv_v_i", 24, 1),
         put(&p, "vsetivli", 0, 2, 0xd0), put(&p, "vftta_vv", 23, 22, 24, 1));
    CASE(0, 0, false, put(&p, "vmv_v_i", 20, 1), put(&p, "vsetivli", 0, 1, 0xd0), put(&p, "vmv_v_i", 21, 1),
         put(&p, "vsetivli", 0, 5, 0xd1), put(&p, "vadd_vv", 8, 20, 20, 1));
    /* The second registers are no operands where vl ends before them. */
    CASE(2, 2, false, put(&p, "vsetivli", 0, 3, 0xd1), put(&p, "vadd_vv", 8, 20, 22, 1));
    /* What an instruction does not use is no operand: lanes masked off, or beyond vl. */
    CASE(0, 0, false, put(&p, "vmseq_vi", 0, 1, 2, 1), put(&p, "vadd_vv", 22, 1, 1, 0),
         put(&p, "vadd_vv", 24, 22, 22, 0), put(&p, "vsw12_v", 1, 0, 3));
    CASE(0, 0, false, put(&p, "vsetivli", 0, 2, 0xd0), put(&p, "vadd_vv", 22, 1, 1, 1),
         put(&p, "vadd_vv", 24, 22, 22, 1), put(&p, "vmv_v_i", 0, 1), put(&p, "vadd_vv", 25, 24, 24, 0));
    /* A use of lanes that were not written, in a register of which others were. */
    CASE(1, 1, false, put(&p, "vmseq_vi", 0, 1, 2, 1), put(&p, "vadd_vv", 22, 1, 1, 0),
         put(&p, "vadd_vv", 24, 22, 22, 1));
}

/* The report says where: the place, the register, and how often. */
static void places_are_told(void **state) {
    (void)state;
    core_options o = undefined_options();
    o.workgroups = 3;
    program p = begun();
    uint32_t at = HERE(&p);
    put(&p, "add", 13, 20, 6);
    put(&p, "vadd_vv", 8, 1, 23, 1);
    put(&p, "vadd_vv", 8, 1, 23, 1);
    put(&p, "vadd_vx", 8, 22, 22, 1); /* of either class */
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    json_t *uses = json_object_get(out.json, "undefined");
    assert_int_equal(json_array_size(uses), 4);
    static const struct {
        uint32_t offset, reg;
        const char *cls;
    } want[] = {{0, 20, "x"}, {4, 23, "v"}, {12, 22, "x"}, {12, 22, "v"}};
    for (size_t i = 0; i < 4; i++) {
        json_t *use = json_array_get(uses, i);
        assert_int_equal(json_integer_value(json_object_get(use, "pc")), at + want[i].offset);
        assert_string_equal(json_string_value(json_object_get(use, "class")), want[i].cls);
        assert_int_equal(json_integer_value(json_object_get(use, "register")), want[i].reg);
        assert_int_equal(json_integer_value(json_object_get(use, "uses")), 3);
        assert_int_equal(json_integer_value(json_object_get(use, "kernel")), 0);
    }
    outcome_free(&out);
    stream_free(&s);
    /* More places than are kept are counted all the same. */
    p = begun();
    for (int i = 0; i < 60; i++) { /* v64 to v123 */
        put(&p, "regext", 0, 2 + i / 32, 0, 0);
        put(&p, "vadd_vx", 8, i % 32, 6, 1);
    }
    put0(&p, "endprg");
    o.workgroups = 1;
    s = run_program(&p, &o);
    out = judge(&s);
    assert_int_equal(count_of(&out, "undefined"), 60);
    assert_int_equal(json_array_size(json_object_get(out.json, "undefined")), NUM_UNDEFINED_USE);
    outcome_free(&out);
    stream_free(&s);
}

/* Flip a bit of that READ (or WRITE): it must fail with that kind. */
static void flipped(stream *s, size_t issue, unsigned kind, uint32_t n, failure_kind failure) {
    record *r = &s->at[of(s, issue, kind, n)];
    uint32_t lane = (kind == KARAT_REC_READ ? r->read.cls : r->write.cls) == KARAT_V ? 3 : 0;
    uint32_t *word = kind == KARAT_REC_READ ? &r->read.data[lane] : &r->write.data[lane];
    *word ^= 0x10;
    check_fails(__FILE__, __LINE__, s, 0, failure, &s->at[issue]);
    *word ^= 0x10;
    PASSES(s);
}

/* Nothing is taken on trust but the first READ of a register: results are compared, and further READs. */
static void adopted_once(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "add", 13, 20, 6);
    put(&p, "sub", 14, 20, 6);
    put(&p, "vadd_vv", 8, 21, 1, 1);
    put(&p, "vsub_vv", 9, 21, 1, 1);
    put(&p, "vmul_vv", 9, 23, 23, 1);
    put(&p, "vmacc_vv", 24, 1, 2, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    PASSES(&s);
    /* The READ that is believed shows in the result, */
    flipped(&s, issue_of(&s, 0, "add", 3), KARAT_REC_READ, 0, FAIL_WRITE_VALUE);
    flipped(&s, issue_of(&s, 0, "add", 3), KARAT_REC_WRITE, 0, FAIL_WRITE_VALUE);
    flipped(&s, issue_of(&s, 0, "vadd_vv", 0), KARAT_REC_WRITE, 0, FAIL_WRITE_VALUE);
    flipped(&s, issue_of(&s, 0, "vmacc_vv", 0), KARAT_REC_WRITE, 0, FAIL_WRITE_VALUE);
    /* a defined operand beside it is compared as ever, */
    flipped(&s, issue_of(&s, 0, "add", 3), KARAT_REC_READ, 1, FAIL_READ);
    /* and so is the register when it is read again, by another instruction or by the same. */
    flipped(&s, issue_of(&s, 0, "sub", 0), KARAT_REC_READ, 0, FAIL_READ);
    size_t issue = issue_of(&s, 0, "vsub_vv", 0);
    uint32_t n = s.at[of(&s, issue, KARAT_REC_READ, 0)].read.source == 2 ? 0 : 1;
    flipped(&s, issue, KARAT_REC_READ, n, FAIL_READ);
    flipped(&s, issue_of(&s, 0, "vmul_vv", 0), KARAT_REC_READ, 1, FAIL_READ);
    stream_free(&s);
}

/* The second register of a group is read cycles after ISSUE, and the first part's result comes before: the step
 * waits, with what else the warp says. */
static void later_part(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "vsetvli", 13, 0, 0xd1);
    put(&p, "vadd_vv", 8, 20, 22, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    size_t issue = issue_of(&s, 0, "vadd_vv", 0), last = of(&s, issue, KARAT_REC_WRITE, 1), reads = 0;
    for (size_t i = issue + 1; i < last;) { /* the second part's to just before its result */
        if (s.at[i].h.kind == KARAT_REC_READ && s.at[i].read.part == 1 && reads < 2) {
            move(&s, i, last);
            last = of(&s, issue, KARAT_REC_WRITE, 1);
            reads++;
        } else
            i++;
    }
    assert_int_equal(reads, 2);
    assert_int_equal(s.at[last - 1].read.part, 1);
    assert_true(of(&s, issue, KARAT_REC_WRITE, 0) < last - 2);
    PASSES(&s);
    outcome out = judge(&s);
    assert_int_equal(count_of(&out, "undefined"), 4);
    assert_int_equal(count_of(&out, "adopted"), 4);
    outcome_free(&out);
    flipped(&s, issue, KARAT_REC_WRITE, 0, FAIL_WRITE_VALUE);
    flipped(&s, issue, KARAT_REC_WRITE, 1, FAIL_WRITE_VALUE);
    stream_free(&s);
}

/* READs that never come: the warp goes on, and its result is adopted. */
static void read_missing(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "vadd_vv", 8, 20, 1, 1);
    put(&p, "vsub_vv", 9, 8, 1, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    size_t issue = issue_of(&s, 0, "vadd_vv", 0);
    for (size_t i = issue + 1; i < s.num;)
        if (s.at[i].h.kind == KARAT_REC_READ && s.at[i].read.seq == s.at[issue].issue.seq)
            stream_remove(&s, i);
        else
            i++;
    PASSES(&s);
    /* From then on the result is compared. */
    flipped(&s, issue_of(&s, 0, "vsub_vv", 0), KARAT_REC_WRITE, 0, FAIL_WRITE_VALUE);
    /* A wrong instruction is found all the same. */
    record right = s.at[issue];
    s.at[issue].issue.pc += 4;
    FAILS(&s, ISSUE_PC, &right);
    stream_free(&s);
    /* The stream ends, or nothing more comes, while the step waits. */
    s = run_program(&p, &o);
    cut(&s, issue_of(&s, 0, "vadd_vv", 0) + 1);
    s.at[s.num - 1].issue.mask ^= 1;
    FAILS_AT(&s, s.at[s.num - 1].h.cycle + 100000, ISSUE_MASK, &s.at[s.num - 1]);
    stream_free(&s);
}

/* What AUDIT tells is no use of it, and is compared from then on; the use is counted when it comes. */
static void audit_tells(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "vmseq_vi", 0, 1, 2, 1);
    put(&p, "vadd_vv", 22, 1, 1, 0); /* lane 2 alone is written */
    put(&p, "vmv_v_x", 9, 7);
    uint32_t use = p.num;
    put(&p, "vsub_vv", 24, 22, 22, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    size_t write = of(&s, issue_of(&s, 0, "vadd_vv", 0), KARAT_REC_WRITE, 0);
    size_t read = of(&s, issue_of(&s, 0, "vsub_vv", 0), KARAT_REC_READ, 0);
    assert_int_equal(s.at[write].write.mask, 4);
    assert_int_equal(s.at[read].read.data[2], s.at[write].write.data[2]);
    record audit = {.audit = {.h = s.at[write].h, .regno = 22, .cls = KARAT_V, .mask = 0xf}};
    audit.h.kind = KARAT_REC_AUDIT;
    memcpy(audit.audit.data, s.at[read].read.data, sizeof audit.audit.data);
    stream_insert(&s, write + 1, &audit);
    stream_insert(&s, write + 2, &audit);
    outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "audit"), 2);
    assert_int_equal(count_of(&out, "undefined"), 1);
    assert_int_equal(count_of(&out, "adopted"), 1);
    outcome_free(&out);
    for (uint32_t lane = 0; lane < 4; lane++) {
        s.at[write + 2].audit.data[lane] ^= 1;
        FAILS(&s, AUDIT, &s.at[issue_of(&s, 0, "vadd_vv", 0)]);
        s.at[write + 1].audit.data[lane] ^= 1; /* both the same: the READ tells otherwise */
        if (lane != 2)
            FAILS(&s, READ, &s.at[issue_of(&s, 0, "vsub_vv", 0)]);
        s.at[write + 1].audit.data[lane] ^= 1;
        s.at[write + 2].audit.data[lane] ^= 1;
    }
    stream_free(&s);
    /* Without the use. */
    p.num = use;
    put0(&p, "endprg");
    s = run_program(&p, &o);
    stream_insert(&s, write + 1, &audit);
    out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "undefined"), 0);
    assert_int_equal(count_of(&out, "adopted"), 0);
    outcome_free(&out);
    stream_free(&s);
}

/* The last lane of 32 is one like the others. */
static void thirty_two_lanes(void **state) {
    (void)state;
    for (uint32_t lane = 0; lane < 32; lane += 31) {
        program p = begun();
        put(&p, "vmv_v_i", 8, 1);
        put(&p, "vmsne_vi", 0, 1, lane ? -1 : 0, 1); /* all lanes, or all but the first */
        put(&p, "addi", 13, 0, 31);
        if (lane)
            put(&p, "vmsne_vx", 0, 1, 13, 1); /* all but the last */
        put(&p, "vadd_vv", 22, 8, 8, 0);
        put(&p, "vadd_vv", 23, 22, 8, 1);
        put0(&p, "endprg");
        core_options o = undefined_options();
        o.num_thread = 32;
        stream s = run_program(&p, &o);
        outcome out = judge(&s);
        assert_int_equal(out.verdict, KARAT_PASS);
        assert_int_equal(count_of(&out, "undefined"), 1);
        assert_int_equal(count_of(&out, "adopted"), 1);
        outcome_free(&out);
        stream_free(&s);
    }
}

/* A READ may give some bits of a register: these are compared, and what the register holds is not told by them. */
static void some_bits(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "vadd_vv", 8, 21, 1, 1);
    put(&p, "vsub_vv", 9, 21, 1, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    const size_t add = issue_of(&s, 0, "vadd_vv", 0);
    size_t read = of(&s, add, KARAT_REC_READ, 0);
    if (s.at[read].read.source != 2)
        read = of(&s, add, KARAT_REC_READ, 1);
    assert_int_equal(s.at[read].read.source, 2);
    for (uint8_t bits = 0; bits <= 32; bits++) {
        s.at[read].read.bits = bits;
        outcome out = judge(&s);
        /* All of them, or the operand stays unknown and the result is taken. */
        assert_int_equal(out.verdict, KARAT_PASS);
        assert_int_equal(count_of(&out, "adopted"), bits && bits < 32 ? 2 : 1);
        outcome_free(&out);
    }
    s.at[read].read.bits = 32;
    flipped(&s, add, KARAT_REC_WRITE, 0, FAIL_WRITE_VALUE);
    stream_free(&s);
    /* v0 as a mask: its lowest bit decides, and that alone is told. */
    p = begun();
    put(&p, "vadd_vv", 8, 1, 1, 0);
    put(&p, "vadd_vv", 9, 1, 1, 0);
    put(&p, "vsub_vv", 10, 0, 1, 1);
    put0(&p, "endprg");
    s = run_program(&p, &o);
    outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "undefined"), 1);
    outcome_free(&out);
    size_t mask = 0;
    for (size_t i = 0; !mask; i++)
        if (s.at[i].h.kind == KARAT_REC_READ && s.at[i].read.source == 0)
            mask = i;
    s.at[mask].read.bits = 1;
    PASSES(&s);
    s.at[mask].read.data[1] ^= 2; /* says nothing */
    PASSES(&s);
    s.at[mask].read.data[1] ^= 3;
    out = judge(&s);
    assert_int_equal(out.verdict, KARAT_MISMATCH);
    outcome_free(&out);
    stream_free(&s);
}

/* Several warps of several SMs, whose steps wait at the same time for what is read and written late: what the core did is what
 * is counted. */
static void many_wait(void **state) {
    (void)state;
    const uint32_t num = share_of(200) < 12 ? 12 : share_of(200);
    uint64_t most = 0;
    for (uint64_t seed = 0; seed < num; seed++) {
        rng r = {seed};
        program p = begun();
        for (uint32_t n = 0; n < 20; n++) {
            const int32_t vd = 8 + (int32_t)rng_below(&r, 16), v1 = 8 + (int32_t)rng_below(&r, 16),
                          xd = 13 + (int32_t)rng_below(&r, 12), x1 = 13 + (int32_t)rng_below(&r, 12);
            switch (rng_below(&r, 7)) {
            case 5: put(&p, "barrier", 0); break;
            case 0: put(&p, "add", xd, x1, 6); break;
            case 1: put(&p, "vadd_vx", vd, v1, x1, 1); break;
            case 2: put(&p, "vmv_x_s", xd, v1); break;
            case 3: put(&p, "sw", x1, 512, 10); break;
            case 4: put(&p, "vsw12_v", v1, 0, 3); break;
            default: put(&p, "vmacc_vv", vd, v1, 1, 1);
            }
        }
        put0(&p, "endprg");
        core_options o = undefined_options();
        o.seed = seed;
        o.num_sm = 1 + seed % 2;
        o.workgroups = 3;
        o.wg_size = 2;
        o.num_warp = 2 + 2 * rng_below(&r, 2);
        o.max_delay = rng_below(&r, 12);
        o.max_mem_delay = rng_below(&r, 40);
        o.forwards = rng_chance(&r, 50);
        o.split = rng_chance(&r, 50);
        stream s;
        core_counts counts;
        core_run(&p, &o, &s, &counts);
        /* READs come later: no later than the next ISSUE of their warp, or its result. */
        for (size_t i = s.num; i-- > 0;) {
            size_t to = i + 1, last = i + 1 + rng_below(&r, 9);
            if (s.at[i].h.kind != KARAT_REC_READ || rng_chance(&r, 30))
                continue;
            while (to < last && to + 1 < s.num && s.at[to].h.kind != KARAT_REC_BYE &&
                   (s.at[to].h.slot != s.at[i].h.slot || s.at[to].h.sm != s.at[i].h.sm ||
                    s.at[to].h.kind == KARAT_REC_READ))
                to++;
            if (to > i + 1)
                move(&s, i, to);
        }
        karat_check_config config = judge_config();
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i < s.num; i++) {
            const bool stops = karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
            assert_int_equal(stops, c->done);
            most = c->num_holding > most ? c->num_holding : most;
        }
        outcome out = conclude(c);
        if (out.verdict != KARAT_PASS)
            fail_msg("seed %u: %s\n%s", (unsigned)seed, out.line, out.text);
        assert_int_equal(count_of(&out, "instructions"), counts.instructions);
        assert_int_equal(count_of(&out, "x"), counts.x);
        assert_int_equal(count_of(&out, "v"), counts.v);
        assert_int_equal(count_of(&out, "read"), counts.read);
        assert_int_equal(count_of(&out, "mem"), counts.mem);
        outcome_free(&out);
        stream_free(&s);
    }
    assert_true(most > 1);
}

/* What comes while a step waits, and is of no warp, of none that there is, or of another. */
static void between(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "vadd_vv", 8, 20, 1, 1);
    put(&p, "vsub_vv", 9, 8, 1, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, 0, "vadd_vv", 0);
    static const struct { unsigned sm, slot; } nowhere[] = {{1, 0}, {0, 4}, {1, 4}, {255, 255}};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        record r = s.at[issue];
        r.h.sm = (uint8_t)nowhere[i].sm;
        r.h.slot = (uint8_t)nowhere[i].slot;
        stream_insert(&s, issue + 1, &r);
        FAILS(&s, STRAY, NULL);
        r.h.kind = KARAT_REC_EXIT;
        s.at[issue + 1] = r;
        FAILS(&s, STRAY, NULL);
        stream_remove(&s, issue + 1);
    }
    PASSES(&s);
    record host = s.at[nth(&s, KARAT_REC_HOST, 0)];
    host.h.cycle = s.at[issue].h.cycle;
    host.host.addr = 0x1000;
    stream_insert(&s, issue + 1, &host);
    FAILS(&s, STREAM, NULL);
    s.at[issue + 1].host.addr = DATA_BASE + 0x2000;
    PASSES(&s);
    stream_remove(&s, issue + 1);
    record end_of_warp = s.at[nth(&s, KARAT_REC_EXIT, 0)];
    end_of_warp.h.cycle = s.at[issue].h.cycle;
    stream_insert(&s, issue + 1, &end_of_warp);
    FAILS(&s, EXIT_UNEXPECTED, &s.at[issue]);
    stream_remove(&s, issue + 1);
    /* More than can wait: the step is taken, and all of them are compared. */
    record audit = {.audit = {.h = s.at[issue].h, .mask = 1}};
    audit.h.kind = KARAT_REC_AUDIT;
    for (unsigned i = 1; i <= 300; i++) {
        stream_insert(&s, issue + 1, &audit);
        if (i % 100 && (i < 30 || i > 36))
            continue;
        outcome many = judge(&s);
        assert_int_equal(many.verdict, i < 33 ? KARAT_PASS : many.verdict);
        assert_int_equal(count_of(&many, "audit"), i);
        s.at[issue + i].audit.data[0] = 1;
        FAILS(&s, AUDIT, &s.at[nth(&s, KARAT_REC_LAUNCH, 0)]);
        s.at[issue + i].audit.data[0] = 0;
        outcome_free(&many);
    }
    while (s.at[issue + 1].h.kind == KARAT_REC_AUDIT)
        stream_remove(&s, issue + 1);
    /* More READs than an instruction has, of an operand that is known. */
    size_t known = of(&s, issue, KARAT_REC_READ, 0);
    if (s.at[known].read.source != 1)
        known = of(&s, issue, KARAT_REC_READ, 1);
    record read = s.at[known];
    assert_int_equal(read.read.source, 1);
    for (unsigned i = 0; i < 300; i++)
        stream_insert(&s, issue + 1, &read);
    PASSES(&s);
    s.at[issue + 299].read.data[0] ^= 1;
    FAILS(&s, READ, &s.at[issue]);
    for (unsigned i = 0; i < 300; i++)
        stream_remove(&s, issue + 1);
    /* The stream's end takes the step as it is: what is wrong with it is found, and else what is missing. */
    for (unsigned kind = 0; kind < 3; kind++) {
        static const uint8_t ends[] = {KARAT_REC_BYE, KARAT_REC_CONTENTS, KARAT_REC_KERNEL};
        stream copy = stream_copy(&s);
        cut(&copy, issue + 1);
        record end;
        memset(&end, 0, sizeof end);
        end.h.kind = ends[kind];
        end.h.cycle = s.at[issue].h.cycle;
        if (kind == 0)
            end.bye.reason = KARAT_BYE_ABORT;
        else if (kind == 2)
            end.kernel.index = 1;
        stream_add(&copy, &end, karat_rec_size(ends[kind]));
        copy.at[issue].issue.mask ^= 1;
        FAILS(&copy, ISSUE_MASK, &copy.at[issue]);
        copy.at[issue].issue.mask ^= 1;
        outcome out = judge(&copy);
        assert_int_equal(out.verdict, kind == 0   ? KARAT_INCOMPLETE
                                      : kind == 1 ? KARAT_BAD_INPUT
                                                  : KARAT_MISMATCH);
        assert_int_equal(count_of(&out, "instructions"), s.at[issue].issue.seq + 1);
        outcome_free(&out);
        stream_free(&copy);
    }
    stream_free(&s);
}

/* A READ of that source of the other class is of no operand: where the core may read more, it says nothing. */
static void read_of_another_class(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "add", 13, 20, 6);
    put(&p, "vadd_vv", 8, 20, 1, 1);
    put0(&p, "endprg");
    static const char *const rows[] = {"add", "vadd_vv"};
    for (size_t i = 0; i < 2; i++)
        for (uint32_t n = 0; n < 2; n++) {
            stream s = run_program(&p, &o);
            const size_t issue = issue_of(&s, 0, rows[i], i ? 0 : 3),
                         first = of(&s, issue, KARAT_REC_READ, 0);
            assert_int_equal(s.at[issue].issue.pc, CODE_BASE + 4 * (p.num - 3 + i));
            record other = s.at[of(&s, issue, KARAT_REC_READ, n)];
            other.read.cls = i ? KARAT_X : KARAT_V;
            other.read.mask = 1;
            other.read.data[0] ^= 0x100;
            stream_insert(&s, first, &other);
            FAILS(&s, READ, &s.at[issue]);
            s.at[nth(&s, KARAT_REC_HELLO, 0)].hello.props |= KARAT_PROP_READS_MORE;
            PASSES(&s);
            stream_free(&s);
        }
}

/* READs of an older instruction that come while a step waits for its own are not its own. */
static void older_reads(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "vadd_vv", 9, 2, 1, 1);
    put(&p, "vsub_vv", 8, 20, 21, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    const size_t older = issue_of(&s, 0, "vadd_vv", 0);
    const size_t younger = issue_of(&s, 0, "vsub_vv", 0);
    move(&s, of(&s, older, KARAT_REC_WRITE, 0), of(&s, younger, KARAT_REC_READ, 1) + 1);
    for (uint32_t n = 0; n < 2; n++)
        move(&s, of(&s, older, KARAT_REC_READ, 0), issue_of(&s, 0, "vsub_vv", 0) + 1);
    PASSES(&s);
    s.at[of(&s, older, KARAT_REC_READ, 0)].read.data[1] ^= 4;
    FAILS(&s, READ, &s.at[older]);
    stream_free(&s);
}

/* A step that waits for READs is no hang as long as they come. */
static void waiting_for_reads(void **state) {
    (void)state;
    core_options o = undefined_options();
    program p = begun();
    put(&p, "vadd_vv", 8, 20, 21, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, 0, "vadd_vv", 0), read = of(&s, issue, KARAT_REC_READ, 0);
    assert_true(of(&s, issue, KARAT_REC_READ, 1) == read + 1);
    const uint64_t start = s.at[issue].h.cycle;
    for (size_t i = read; i < s.num; i++)
        s.at[i].h.cycle += HANG_CYCLES;
    for (size_t i = read + 1; i < s.num; i++)
        s.at[i].h.cycle += HANG_CYCLES;
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    for (size_t i = 0; i < s.num; i++) {
        if (i == read + 1) /* the first has come in time */
            assert_false(karat_checker_tick(c, start + 2 * HANG_CYCLES));
        karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
    }
    outcome out = conclude(c);
    assert_int_equal(out.verdict, KARAT_PASS);
    outcome_free(&out);
    stream_free(&s);
}

/* --- What comes while a step waits, record by record --- */

/* A checker behind the ISSUE of the vadd_vv in that slot, which waits for its READs; the number of that record. */
static karat_checker *held_at(const stream *s, uint32_t slot, const karat_check_config *config,
                              size_t *issue) {
    karat_checker *c = karat_checker_create(config);
    assert_non_null(c);
    *issue = issue_of(s, slot, "vadd_vv", 0);
    for (size_t i = 0; i <= *issue; i++)
        assert_false(karat_checker_record(c, &s->at[i], karat_rec_size(s->at[i].h.kind)));
    assert_int_equal(c->num_holding, 1);
    assert_true(c->slots[slot].holding);
    return c;
}

static bool tell(karat_checker *c, const record *r) {
    return karat_checker_record(c, r, karat_rec_size(r->h.kind));
}

/* Two workgroups of one warp, in slots 0 and 1; what waits is an instruction with an operand that was never written. */
static stream two_warps(uint64_t first_cycle) {
    program p = begun();
    put(&p, "sw", 7, 512, 10);
    put(&p, "addi", 13, 7, 5);
    put(&p, "vadd_vv", 8, 20, 1, 1);
    put(&p, "barrier", 0);
    put(&p, "vsub_vv", 9, 8, 1, 1);
    put0(&p, "endprg");
    core_options o = undefined_options();
    o.workgroups = o.num_warp = 2;
    stream s = run_program(&p, &o);
    for (size_t i = 0; i < s.num; i++)
        s.at[i].h.cycle += first_cycle;
    return s;
}

/* A MEM of an instruction before the one that waits is of that one, and now; one that may be of what waits, waits. What is wrong behind
 * it is said where the stream is cut. */
static void older_accesses(void **state) {
    (void)state;
    const karat_check_config config = judge_config();
    stream s = two_warps(0);
    for (uint32_t slot = 0; slot < 2; slot++)
        for (uint32_t n = 0; n < 5; n++) {
            size_t issue = issue_of(&s, slot, "sw", 0);
            stream late = stream_copy(&s);
            const size_t mem = of(&late, issue, KARAT_REC_MEM, 0);
            record store = late.at[mem];
            stream_remove(&late, mem);
            karat_checker *c = held_at(&late, slot, &config, &issue);
            const uint64_t mems = c->counts.mem;
            store.h.cycle = late.at[issue].h.cycle;
            store.mem.match = n == 1 || n == 2 ? KARAT_MATCH_OTHER : KARAT_MATCH_SEQ;
            if (n == 2) /* nobody owes a load */
                store.mem.op = KARAT_MEM_LOAD;
            if (n == 3)
                store.mem.seq = late.at[issue].issue.seq;
            if (n == 4) /* wrong at once */
                store.mem.data[0] ^= 1;
            assert_int_equal(tell(c, &store), n == 4);
            assert_int_equal(c->counts.mem, mems + (n < 2 || n == 4));
            assert_int_equal(c->num_holding, 1);
            if (n == 4)
                assert_int_equal(c->failure.kind, FAIL_MEM_DATA);
            if (n != 4) {
                assert_int_equal(c->failure.kind, FAIL_NONE);
                karat_checker_cut(c, "the simulator died");
                assert_int_equal(c->num_holding, 0);
                assert_int_equal(c->failure.kind, n < 2 ? FAIL_INCOMPLETE : FAIL_MEM_UNEXPECTED);
            }
            karat_checker_destroy(c);
            stream_free(&late);
        }
    stream_free(&s);
}

static void no_record_of_the_warp(void **state) {
    (void)state;
    const karat_check_config config = judge_config();
    stream s = two_warps(0);
    for (uint32_t slot = 0; slot < 2; slot++) {
        size_t issue;
        karat_checker *c = held_at(&s, slot, &config, &issue);
        const uint32_t regions = c->num_regions;
        record host = {.host = {.h = s.at[issue].h, .addr = DATA_BASE + 0x2000, .length = 1, .data = {0x77}}};
        host.h.kind = KARAT_REC_HOST;
        record region = {.region = {.h = s.at[issue].h, .base = 0xa0000000, .size = 4096}};
        region.h.kind = KARAT_REC_REGION;
        assert_false(tell(c, &host) || tell(c, &region));
        uint8_t byte = 0;
        assert_int_equal(karat_read(c->model, host.host.addr, &byte, 1), KARAT_OK);
        assert_int_equal(byte, 0x77); /* they are done at once: other warps may see them */
        assert_int_equal(c->num_regions, regions + 1);
        assert_int_equal(c->num_holding, 1);
        karat_checker_destroy(c);
    }
    /* All of the second warp up to its barrier, then the first up to the step that waits; the second is released and ends. */
    stream mixed = {0};
    const size_t first = issue_of(&s, 0, "vadd_vv", 0), barrier = issue_of(&s, 1, "barrier", 0);
    const size_t arrive = of(&s, barrier, KARAT_REC_BARRIER, 0), launch = nth(&s, KARAT_REC_LAUNCH, 1);
    static const struct {
        bool head;
        uint8_t slot;
        int from, to;
    } parts[] = {{true, 0, 0, 0}, {false, 1, 0, 1}, {false, 0, 0, 2}, {false, 1, 1, 9}, {false, 0, 2, 9}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (size_t i = 0; i < s.num; i++) {
            const record *r = &s.at[i];
            const bool release = r->h.kind == KARAT_REC_BARRIER && r->barrier.action == KARAT_BARRIER_RELEASE;
            const uint8_t whose = release ? (uint8_t)(r->barrier.warps == 2) : r->h.slot;
            const int part = i <= launch ? -1 : whose ? (i <= arrive ? 0 : 1) : (i <= first ? 0 : 2);
            if (r->h.kind == KARAT_REC_BYE ||
                (parts[k].head ? part >= 0
                               : part < parts[k].from || part >= parts[k].to || whose != parts[k].slot))
                continue;
            stream_add(&mixed, r, karat_rec_size(r->h.kind));
        }
    stream_add(&mixed, &s.at[s.num - 1], sizeof s.at[0].bye);
    assert_int_equal(mixed.num, s.num);
    for (size_t i = 0; i < mixed.num; i++)
        mixed.at[i].h.cycle = i;
    PASSES(&mixed);
    stream_free(&mixed);
    stream_free(&s);
}

/* What tells that the warp goes on ends the waiting at once, and what is wrong is found then. */
static void the_warp_goes_on(void **state) {
    (void)state;
    const karat_check_config config = judge_config();
    stream s = two_warps(0);
    static const uint8_t kinds[] = {KARAT_REC_EXIT, KARAT_REC_LAUNCH, KARAT_REC_ISSUE};
    for (uint32_t n = 0; n < 6; n++) {
        const uint32_t slot = n / 3;
        size_t issue;
        karat_checker *c = held_at(&s, slot, &config, &issue);
        const uint64_t instructions = c->counts.instructions;
        record r = s.at[issue];
        if (kinds[n % 3] == KARAT_REC_LAUNCH)
            r = s.at[nth(&s, KARAT_REC_LAUNCH, slot)];
        r.h.kind = kinds[n % 3];
        r.h.cycle = s.at[issue].h.cycle;
        assert_true(tell(c, &r)); /* an ISSUE of the same seq again */
        assert_int_equal(c->num_holding, 0);
        assert_int_equal(c->counts.instructions, instructions + 1);
        assert_int_equal(c->failure.kind, n % 3 == 0   ? FAIL_EXIT_UNEXPECTED
                                          : n % 3 == 1 ? FAIL_LAUNCH
                                                       : FAIL_ISSUE_SEQ);
        karat_checker_destroy(c);
    }
    stream_free(&s);
}

/* Records of the warp wait, in order, but for an AUDIT and the MEM of an older instruction; a READ of another epoch is none of its, and is refused before the step is taken. */
static void records_wait(void **state) {
    (void)state;
    const karat_check_config config = judge_config();
    stream s = two_warps(0);
    for (uint32_t slot = 0; slot < 2; slot++) {
        size_t issue = issue_of(&s, slot, "sw", 0);
        stream late = stream_copy(&s);
        const size_t mem = of(&late, issue, KARAT_REC_MEM, 0);
        const record store = late.at[mem];
        stream_remove(&late, mem);
        karat_checker *c = held_at(&late, slot, &config, &issue);
        const uint64_t mems = c->counts.mem, audits = c->counts.audit;
        record r = store;
        r.h.cycle = late.at[issue].h.cycle;
        assert_false(tell(c, &r));
        record audit = {.audit = {.h = r.h, .mask = 1}};
        audit.h.kind = KARAT_REC_AUDIT;
        assert_false(tell(c, &audit));
        assert_int_equal(c->counts.mem, mems + 1);
        assert_int_equal(c->counts.audit, audits + 1); /* of what is there now */
        record flags = audit;                          /* of what is there behind the step */
        flags.audit.cls = KARAT_CSR;
        flags.audit.regno = 0x001;
        flags.audit.mask = 0x1f;
        flags.h.cycle += 9;
        const uint64_t csrs = c->counts.csr;
        assert_false(tell(c, &flags));
        assert_int_equal(c->slots[slot].last_event, flags.h.cycle); /* it is heard of */
        assert_int_equal(c->counts.csr, csrs);
        assert_int_equal(c->num_holding, 1);
        for (size_t i = issue + 1; c->num_holding; i++)
            if (late.at[i].h.kind == KARAT_REC_READ && late.at[i].h.slot == slot) {
                record read = late.at[i];
                read.h.cycle = flags.h.cycle;
                assert_false(tell(c, &read));
            }
        assert_int_equal(c->counts.mem, mems + 1);
        assert_int_equal(c->counts.audit, audits + 1);
        assert_int_equal(c->counts.csr, csrs + 1);
        karat_checker_destroy(c);
        c = held_at(&s, slot, &config, &issue); /* the warp is heard of meanwhile: it does not hang */
        flags.h.cycle = s.at[issue].h.cycle + HANG_CYCLES;
        assert_false(tell(c, &flags));
        c->slots[1 - slot].last_event = flags.h.cycle;
        assert_false(karat_checker_tick(c, flags.h.cycle + HANG_CYCLES));
        assert_int_equal(c->num_holding, 1);
        karat_checker_destroy(c);
        c = held_at(&late, slot, &config, &issue);
        const uint64_t instructions = c->counts.instructions;
        record read = late.at[of(&late, issue, KARAT_REC_READ, 0)];
        read.h.epoch = 1;
        assert_true(tell(c, &read));
        assert_int_equal(c->failure.kind, FAIL_STRAY);
        assert_int_equal(c->counts.instructions, instructions);
        karat_checker_destroy(c);
        stream_free(&late);
    }
    stream_free(&s);
}

/* An AUDIT of lane 0 of a register, as the model has it now: whether it is compared at once. */
static bool audited_at_once(karat_checker *c, const record *like, unsigned cls, unsigned reg) {
    karat_warp_view view;
    karat_view(c->model, c->slots[like->h.slot].handle, &view);
    record audit = {.audit = {.h = like->h, .cls = (uint8_t)cls, .regno = (uint16_t)reg, .mask = 1}};
    audit.h.kind = KARAT_REC_AUDIT;
    audit.audit.data[0] = cls == KARAT_X ? view.x[reg] : view.v[reg * c->hello.num_thread];
    const uint64_t audits = c->counts.audit;
    assert_false(tell(c, &audit));
    assert_true(c->counts.audit - audits <= 1);
    return c->counts.audit > audits;
}

/* What an AUDIT shows was there before the step that waits, unless a WRITE of the same register waits as well. */
static void audits_beside_a_result(void **state) {
    (void)state;
    static const struct {
        unsigned cls, reg;
    } of_reg[] = {{KARAT_V, 8}, {KARAT_V, 9}, {KARAT_X, 8}, {KARAT_V, 2}, {KARAT_V, KARAT_SPACE_GLOBAL}};
    static const char *const waiting[] = {"", "r", "m", "mr", "rm", "o", "om", "mo"};
    const karat_check_config config = judge_config();
    program p = begun();
    put(&p, "sw", 7, 512, 10);
    put(&p, "vadd_vv", 8, 20, 1, 1);
    put(&p, "vsub_vv", 9, 21, 1, 1);
    put0(&p, "endprg");
    const core_options o = undefined_options();
    stream s = run_program(&p, &o);
    size_t issue = issue_of(&s, 0, "sw", 0);
    const record store = s.at[of(&s, issue, KARAT_REC_MEM, 0)];
    assert_int_equal(store.mem.op, KARAT_V); /* of a MEM that is taken for a WRITE */
    stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
    issue = issue_of(&s, 0, "vadd_vv", 0);
    const record read = s.at[of(&s, issue, KARAT_REC_READ, 0)],
                 result = s.at[of(&s, issue, KARAT_REC_WRITE, 0)];
    for (size_t w = 0; w < sizeof waiting / sizeof *waiting; w++)
        for (size_t k = 0; k < sizeof of_reg / sizeof *of_reg; k++) {
            karat_checker *c = held_at(&s, 0, &config, &issue);
            bool waits = false;
            for (const char *at = waiting[w]; *at; at++) {
                record r = *at == 'm' ? store : result;
                r.h.cycle = s.at[issue].h.cycle;
                r.write.cls =
                    *at == 'o' ? KARAT_X : r.write.cls; /* of the other class: it would be wrong in the end */
                assert_false(tell(c, &r));
                waits |= *at == 'r' && of_reg[k].cls == KARAT_V && of_reg[k].reg == 8;
                waits |= *at == 'o' && of_reg[k].cls == KARAT_X && of_reg[k].reg == 8;
            }
            if (audited_at_once(c, &s.at[issue], of_reg[k].cls, of_reg[k].reg) == waits)
                fail_msg("'%s' before an AUDIT of %u, %u", waiting[w], of_reg[k].cls, of_reg[k].reg);
            karat_checker_destroy(c);
        }
    /* What waited behind an earlier step waits no more. */
    karat_checker *c = held_at(&s, 0, &config, &issue);
    const record next[] = {result, read, s.at[issue_of(&s, 0, "vsub_vv", 0)]};
    for (size_t i = 0; i < 3; i++) {
        record r = next[i];
        r.h.cycle = next[2].h.cycle;
        assert_int_equal(c->num_holding, 1);
        assert_false(tell(c, &r));
    }
    assert_int_equal(c->num_holding, 1);
    assert_true(audited_at_once(c, &next[2], KARAT_V, 8));
    karat_checker_destroy(c);
    stream_free(&s);
}

/* A scalar result of a vector depends on all lanes of it: on the last one, which alone was never written. */
static void scalar_of_one_lane(void **state) {
    (void)state;
    program p = begun();
    put(&p, "vsetivli", 0, 3, 0xd0);
    put(&p, "vmv_v_i", 20, 5);
    put(&p, "vsetvli", 12, 0, 0xd0);
    put(&p, "vmv_x_s", 13, 20);
    put(&p, "addi", 14, 13, 1);
    put0(&p, "endprg");
    core_options o = undefined_options();
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT);
    stream s = run_program(&p, &o);
    outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "undefined"), 1);
    assert_int_equal(count_of(&out, "adopted"), 1);
    outcome_free(&out);
    const record *result = &s.at[of(&s, issue_of(&s, 0, "vmv_x_s", 0), KARAT_REC_WRITE, 0)];
    for (int told = 0; told < 2;
         told++) { /* x13 is not known, nor written, until its WRITE says what it is */
        karat_checker *c = karat_checker_create(&(karat_check_config){.model = judge_config().model});
        assert_non_null(c);
        for (const record *r = s.at; r < result + told; r++)
            assert_false(tell(c, r));
        assert_int_equal(karat_register(&c->slots[0], KARAT_CLASS_X, 13)->written, told);
        karat_checker_destroy(c);
    }
    stream_free(&s);
}

/* Some bits of a mask that was never written are compared as they were taken. */
static void some_bits_of_a_mask(void **state) {
    (void)state;
    program p = begun();
    put(&p, "vadd_vv", 8, 1, 2, 0);
    put0(&p, "endprg");
    const core_options o = undefined_options();
    for (uint8_t bits = 1; bits < 9; bits++) {
        stream s = run_program(&p, &o);
        const size_t issue = issue_of(&s, 0, "vadd_vv", 0);
        for (uint32_t n = 0; n < 3; n++) {
            karat_rec_read *read = &s.at[of(&s, issue, KARAT_REC_READ, n)].read;
            if (read->source)
                continue;
            read->bits = bits;
            for (uint32_t lane = 0; lane < 4; lane++)
                read->data[lane] |= 0xfe; /* the lowest bit is the mask */
        }
        PASSES(&s);
        stream_free(&s);
    }
}

/* The result of an older instruction is taken at once: the step waits on where it still needs a READ, and where it was that result
 * that it needed it is taken. */
static void older_results(void **state) {
    (void)state;
    static const karat_ulp_bound bounds[] = {{"vfexp.v", 2}};
    karat_check_config config = judge_config();
    config.bounds = bounds;
    config.num_bounds = 1;
    for (int needed = 0; needed < 2; needed++) {
        program p = begun();
        put(&p, "vfexp_v", 9, 1, 1);
        put(&p, "vadd_vv", 8, needed ? 9 : 20, 1, 1);
        put0(&p, "endprg");
        core_options o = undefined_options();
        stream s = run_program(&p, &o);
        const size_t older = issue_of(&s, 0, "vfexp_v", 0), younger = issue_of(&s, 0, "vadd_vv", 0);
        const record write = s.at[of(&s, older, KARAT_REC_WRITE, 0)];
        stream_remove(&s, of(&s, older, KARAT_REC_WRITE, 0));
        size_t issue;
        karat_checker *c = held_at(&s, 0, &config, &issue);
        assert_int_equal(issue, younger - 1);
        const uint64_t instructions = c->counts.instructions, v = c->counts.v;
        record r = write;
        r.h.cycle = s.at[issue].h.cycle;
        assert_false(tell(c, &r));
        assert_int_equal(c->counts.v, v + 1);
        assert_int_equal(c->num_holding, !needed);
        assert_int_equal(c->counts.instructions, instructions + needed);
        stream_insert(&s, issue + 1, &r); /* and the step's own result is compared, not taken */
        s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[2] ^= 4;
        karat_checker_destroy(c);
        outcome out = conclude(replay(&s, &config));
        assert_int_equal(out.verdict, KARAT_MISMATCH);
        assert_non_null(strstr(out.line, karat_failure_name(FAIL_WRITE_VALUE)));
        outcome_free(&out);
        stream_free(&s);
    }
}

/* READs that take more than 4000 cycles do not come; till then the step waits, wherever the cycles begin, and in whatever slot. */
static void how_long_it_waits(void **state) {
    (void)state;
    karat_check_config config = judge_config();
    config.hang_cycles = 100000;
    for (uint64_t first = 0; first <= 1000000; first += 1000000) {
        stream s = two_warps(first);
        for (uint32_t slot = 0; slot < 2; slot++) {
            size_t issue;
            karat_checker *c = held_at(&s, slot, &config, &issue);
            const uint64_t start = s.at[issue].h.cycle, instructions = c->counts.instructions;
            static const uint64_t waits[] = {1, 3999, 4000, 4001};
            for (size_t i = 0; i < 4; i++) {
                assert_false(karat_checker_tick(c, start + waits[i]));
                assert_int_equal(c->num_holding, i < 3);
                assert_int_equal(c->counts.instructions, instructions + (i == 3));
            }
            karat_checker_destroy(c);
            /* A warp hangs while one waits. */
            stream copy = stream_copy(&s);
            cut(&copy, issue + 1);
            c = replay(&copy, NULL);
            assert_true(karat_checker_tick(c, start + HANG_CYCLES + 1));
            assert_int_equal(c->failure.kind, FAIL_HANG);
            assert_int_equal(c->num_holding, 0); /* the step is taken first, and what it owes is named */
            karat_checker_destroy(c);
            stream_free(&copy);
            /* The end comes in cycle 0, or later: the step is taken first, and what is wrong with it said. */
            for (int zero = 0; zero < 2; zero++) {
                static const uint8_t ends[] = {KARAT_REC_BYE, KARAT_REC_CONTENTS, KARAT_REC_KERNEL};
                for (size_t k = 0; k < 3; k++) {
                    copy = stream_copy(&s);
                    cut(&copy, issue + 1);
                    record end = {.contents = {.addr = DATA_BASE, .length = 4}};
                    if (ends[k] != KARAT_REC_CONTENTS)
                        memset(&end, 0, sizeof end);
                    end.h.kind = ends[k];
                    end.h.cycle = start;
                    if (ends[k] == KARAT_REC_BYE)
                        end.bye.reason = KARAT_BYE_ABORT;
                    stream_add(&copy, &end, karat_rec_size(ends[k]));
                    for (size_t i = 0; i < copy.num && zero; i++)
                        copy.at[i].h.cycle = 0;
                    copy.at[issue].issue.mask ^= 1;
                    FAILS(&copy, ISSUE_MASK, &copy.at[issue]);
                    stream_free(&copy);
                }
            }
        }
        stream_free(&s);
    }
}

/* An access of the slot's earlier warp waits for nobody. */
static void access_of_an_earlier_warp(void **state) {
    (void)state;
    program p = begun();
    put(&p, "sw", 7, 512, 10);
    put(&p, "vadd_vv", 8, 20, 1, 1);
    put0(&p, "endprg");
    core_options o = undefined_options();
    o.workgroups = 2;
    o.num_warp = 1;
    stream s = run_program(&p, &o);
    const size_t store = issue_of(&s, 0, "sw", 0), second = issue_of(&s, 0, "vadd_vv", 1);
    assert_int_equal(s.at[second].h.epoch, 1);
    move(&s, of(&s, store, KARAT_REC_MEM, 0), second + 1);
    PASSES(&s);
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    for (size_t i = 0; i < second; i++)
        assert_false(tell(c, &s.at[i]));
    assert_int_equal(c->num_holding, 1);
    const uint64_t mems = c->counts.mem;
    assert_int_equal(s.at[second].h.kind, KARAT_REC_MEM);
    assert_false(tell(c, &s.at[second]));
    assert_int_equal(c->counts.mem, mems + 1);
    assert_int_equal(c->num_holding, 1);
    karat_checker_destroy(c);
    stream_free(&s);
}

/* Lanes whose write was given up are lost until they are written again. */
static void lost_until_written(void **state) {
    (void)state;
    program p = begun();
    put(&p, "vmseq_vi", 0, 1, 2, 1);
    put(&p, "vadd_vv", 22, 1, 1, 0); /* lane 2 */
    put(&p, "vadd_vv", 22, 1, 1, 1);
    put0(&p, "endprg");
    core_options o = undefined_options();
    stream s = run_program(&p, &o);
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    const size_t first = issue_of(&s, 0, "vadd_vv", 0), second = issue_of(&s, 0, "vadd_vv", 1);
    for (size_t i = 0; i <= second; i++) {
        if (i == first)
            karat_forget(&c->slots[0], KARAT_CLASS_V, 22, 0xe);
        assert_false(tell(c, &s.at[i]));
        const uint32_t lost = i < first ? 0 : i < second ? 0xa : 0;
        assert_int_equal(karat_register(&c->slots[0], KARAT_CLASS_V, 22)->lost, lost);
    }
    karat_checker_destroy(c);
    stream_free(&s);
}

/* A load that races with the store of a register that nobody has written, where no record tells what that holds: it may have got
 * anything. Of a store of what is known it may not. */
static void load_of_the_unknown(void **state) {
    (void)state;
    for (int is_known = 0; is_known < 2; is_known++)
        for (int wrong = 0; wrong < 2; wrong++) {
            program p = begun();
            put(&p, "lui", 14, (int32_t)((DATA_BASE + 0x3000) >> 12));
            put(&p, "lw", 13, 0, 14);
            put(&p, "sw", is_known ? 7 : 20, 0, 14);
            for (int n = 0; n < 20; n++)
                put(&p, "addi", 15, 7, n);
            put0(&p, "endprg");
            core_options o = undefined_options();
            o.workgroups = o.num_warp = 2;
            o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_MEM | 1u << KARAT_REC_AUDIT);
            stream s = run_program(&p, &o);
            const size_t write = of(&s, issue_of(&s, 0, "lw", 0), KARAT_REC_WRITE, 0),
                         store = issue_of(&s, 1, "sw", 0);
            record late = s.at[write];
            assert_true(write < store);
            stream_remove(&s, write);
            late.h.cycle = s.at[store - 1].h.cycle;
            late.write.data[0] ^= wrong ? 0x12340000 : 0;
            stream_insert(&s, store, &late);
            outcome out = judge(&s);
            const karat_verdict want = !wrong ? KARAT_PASS : is_known ? KARAT_MISMATCH : KARAT_INCOMPLETE;
            if (out.verdict != want || (count_of(&out, "unjudged") > 0) != (want == KARAT_INCOMPLETE))
                fail_msg("known %d, wrong %d: %s\n%s", is_known, wrong, out.line, out.text);
            outcome_free(&out);
            stream_free(&s);
        }
}

/* Operands of many lanes whose READs come when the step has been taken without them: none of their lanes is compared. */
static void late_reads_of_many_lanes(void **state) {
    (void)state;
    program p = begun();
    put(&p, "vmacc_vv", 20, 21, 22, 1);
    put(&p, "addi", 13, 0, 5);
    put0(&p, "endprg");
    core_options o = undefined_options();
    o.num_thread = 32;
    stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, 0, "vmacc_vv", 0);
    size_t next = after(&s, issue, KARAT_REC_ISSUE);
    const size_t write = of(&s, issue, KARAT_REC_WRITE, 0);
    if (write < next) { /* the next one is issued first */
        move(&s, next, issue + 1);
        next = issue + 1;
    }
    for (uint32_t n = 0; n < 3; n++) {
        size_t read = issue + 1;
        while (read < next && s.at[read].h.kind != KARAT_REC_READ)
            read++;
        if (read < next) {
            move(&s, read, next + 1);
            next--;
        }
    }
    assert_true(of(&s, issue, KARAT_REC_READ, 2) > next);
    PASSES(&s);
    outcome out = judge(&s);
    assert_int_equal(count_of(&out, "undefined"), 3);
    outcome_free(&out);
    stream_free(&s);
}

int run_undefined_tests(void) {
    const struct CMUnitTest list[] = {
        cmocka_unit_test(every_kind_of_operand),
        cmocka_unit_test(places_are_told),
        cmocka_unit_test(adopted_once),
        cmocka_unit_test(later_part),
        cmocka_unit_test(read_missing),
        cmocka_unit_test(audit_tells),
        cmocka_unit_test(thirty_two_lanes),
        cmocka_unit_test(some_bits),
        cmocka_unit_test(many_wait),
        cmocka_unit_test(between),
        cmocka_unit_test(read_of_another_class),
        cmocka_unit_test(older_reads),
        cmocka_unit_test(waiting_for_reads),
        cmocka_unit_test(no_record_of_the_warp),
        cmocka_unit_test(the_warp_goes_on),
        cmocka_unit_test(records_wait),
        cmocka_unit_test(older_accesses),
        cmocka_unit_test(older_results),
        cmocka_unit_test(audits_beside_a_result),
        cmocka_unit_test(scalar_of_one_lane),
        cmocka_unit_test(some_bits_of_a_mask),
        cmocka_unit_test(how_long_it_waits),
        cmocka_unit_test(access_of_an_earlier_warp),
        cmocka_unit_test(lost_until_written),
        cmocka_unit_test(load_of_the_unknown),
        cmocka_unit_test(late_reads_of_many_lanes),
    };
    return _cmocka_run_group_tests("registers never written", list, sizeof list / sizeof *list, NULL, NULL);
}
