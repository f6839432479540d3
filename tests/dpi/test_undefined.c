/* Operands that the warp never wrote, of a core that leaves registers as they are and says in READs what it
 * used: each step is exact anyway, and each use is counted. */
#include "judge.h"

#include <string.h>

/* Judged with and without READ and AUDIT: with READ it passes with these counts, AUDIT or not, and the
 * result is compared. Without READ: data passes, what decides is a program error. */
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
        scoped_stream s = run_program(&p, &o);
        scoped_outcome out = judge(&s);
        karat_verdict want = reads || !decides ? KARAT_PASS : KARAT_VERDICT_PROGRAM_ERROR;
        bool told = !(k & 2) && out.verdict == KARAT_PASS; /* An AUDIT before the use serves as well */
        if ((out.verdict != want && !told) ||
            (reads && (count_of(&out, "undefined") != undefined || count_of(&out, "adopted") != adopted)))
            fail_msg("READ %d AUDIT %d: not so:\n%s\n%s", reads, !(k & 2), out.line, out.text);
    }
}

TEST(every_kind_of_operand) {
    program p;
#define CASE(undefined, adopted, decides, ...)                                                               \
    do {                                                                                                     \
        p = unwritten_program();                                                                             \
        __VA_ARGS__;                                                                                         \
        expect_uses(&p, undefined, adopted, decides);                                                        \
    } while (0)
    CASE(1, 1, false, put(&p, "add", 13, 20, 6));
    CASE(2, 2, false, put(&p, "add", 13, 20, 21));
    CASE(1, 1, false, put(&p, "add", 13, 20, 20), put(&p, "add", 14, 20, 13)); /* Once for the register */
    CASE(1, 1, false, put(&p, "vadd_vv", 8, 23, 23, 1), put(&p, "vadd_vv", 8, 8, 23, 1));
    /* The result is the same for any value. */
    CASE(0, 0, false, put(&p, "vxor_vv", 23, 23, 23, 1), put(&p, "vsub_vv", 22, 22, 22, 1));
    CASE(0, 0, false, put(&p, "vand_vx", 23, 23, 0, 1), put(&p, "vadd_vv", 8, 23, 23, 1));
    CASE(0, 0, false, put(&p, "andi", 20, 20, 0), put(&p, "mul", 21, 21, 0), put(&p, "add", 13, 20, 21));
    CASE(0, 0, false, put(&p, "beq", 20, 20, 4), put(&p, "vmul_vx", 23, 23, 0, 1));
    CASE(1, 1, false, put(&p, "vor_vv", 23, 23, 23, 1));
    CASE(1, 1, false, put(&p, "vxor_vv", 23, 23, 1, 1));
    CASE(1, 1, false, put(&p, "vmacc_vv", 21, 1, 2, 1)); /* The destination as third source */
    CASE(1, 1, false, put(&p, "vmv_x_s", 13, 21));
    CASE(1, 1, true, put(&p, "vadd_vv", 8, 1, 1, 0));                           /* A mask */
    CASE(1, 1, false, put(&p, "vmerge_vvm", 8, 1, 2, 0));                       /* v0 as an operand */
    CASE(1, 1, false, put(&p, "regext", 0, 0, 0, 1), put(&p, "addi", 31, 0, 1), /* x63 is not v0 */
         put(&p, "vmerge_vvm", 8, 1, 2, 0));
    CASE(1, 1, true, put(&p, "beq", 20, 0, 4));
    CASE(1, 1, true, put(&p, "csrrw", 13, 0x340, 20), put(&p, "csrrs", 14, 0x340, 0));
    CASE(2, 2, true, put(&p, "auipc", 5, 0), put(&p, "setrpc", 0, 5, 16), put(&p, "vblt", 20, 21, 8),
         put(&p, "vadd_vi", 8, 1, 1, 1), put0(&p, "join")); /* Lane by lane, most likely divergent */
    CASE(1, 1, true, put(&p, "vsetivli", 0, 1, 0xd0), put(&p, "vlse32_v", 8, 10, 20, 1)); /* A stride */
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
    /* The dependences of one register of a group: the same of each operand, in registers of any number. */
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
    /* Unused lanes are no operands: lanes masked off, or beyond vl. */
    CASE(0, 0, false, put(&p, "vmseq_vi", 0, 1, 2, 1), put(&p, "vadd_vv", 22, 1, 1, 0),
         put(&p, "vadd_vv", 24, 22, 22, 0), put(&p, "vsw12_v", 1, 0, 3));
    CASE(0, 0, false, put(&p, "vsetivli", 0, 2, 0xd0), put(&p, "vadd_vv", 22, 1, 1, 1),
         put(&p, "vadd_vv", 24, 22, 22, 1), put(&p, "vmv_v_i", 0, 1), put(&p, "vadd_vv", 25, 24, 24, 0));
    /* A use of lanes that were not written, in a register of which others were. */
    CASE(1, 1, false, put(&p, "vmseq_vi", 0, 1, 2, 1), put(&p, "vadd_vv", 22, 1, 1, 0),
         put(&p, "vadd_vv", 24, 22, 22, 1));
}

/* A value that the core has, and the model cannot: the history has it from its WRITE on, and says whose it
 * is. */
TEST(history_has_the_value_that_was_taken) {
    core_options o = undefined_options();
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT);
    program p = unwritten_program();
    put(&p, "sub", 13, 20, 6);
    put(&p, "xori", 14, 6, 5);
    put0(&p, "endprg");
    scoped_stream s = run_program(&p, &o);
    const size_t sub = of(&s, issue_of(&s, 0, "sub", 0), KARAT_REC_WRITE, 0);
    s.at[sub].write.data[0] = 0x1234567;
    s.at[of(&s, issue_of(&s, 0, "xori", 0), KARAT_REC_WRITE, 0)].write.data[0] ^= 1;
    scoped_outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_MISMATCH);
    assert_non_null(strstr(out.text, "x13=01234567, taken from the core\n"));
    const char *wrong = strstr(out.text, "  xori x14, x6, 5  ");
    wrong = wrong ? strstr(wrong, "x14=") : NULL;
    assert_non_null(wrong);
    assert_int_equal(strcspn(wrong, ",\n"), strlen("x14=00000000"));
    assert_int_equal(wrong[strlen("x14=00000000")], '\n');
}

/* The report says where: the place, the register, and how often. */
TEST(places_are_reported) {
    core_options o = undefined_options();
    o.workgroups = 3;
    program p = unwritten_program();
    uint32_t at = HERE(&p);
    put_code(&p, "add 13 20 6; vadd_vv 8 1 23 1; vadd_vv 8 1 23 1");
    put(&p, "vadd_vx", 8, 22, 22, 1); /* Of either class */
    put0(&p, "endprg");
    scoped_stream s = run_program(&p, &o);
    scoped_outcome out = judge(&s);
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
    /* More places than are kept are counted anyway. */
    p = unwritten_program();
    for (int i = 0; i < 60; i++) { /* v64 to v123 */
        put(&p, "regext", 0, 2 + i / 32, 0, 0);
        put(&p, "vadd_vx", 8, i % 32, 6, 1);
    }
    put0(&p, "endprg");
    o.workgroups = 1;
    s = run_program(&p, &o);
    out = judge(&s);
    assert_int_equal(count_of(&out, "undefined"), 60);
    assert_int_equal(json_array_size(json_object_get(out.json, "undefined")), remembered.undefined_uses);
}

/* Flip a bit of that READ (or WRITE): it must fail with that kind. */
static void flipped(stream *s, size_t issue, unsigned kind, uint32_t n, const char *failure) {
    record *r = &s->at[of(s, issue, kind, n)];
    uint32_t lane = (kind == KARAT_REC_READ ? r->read.cls : r->write.cls) == KARAT_V ? 3 : 0;
    uint32_t *word = kind == KARAT_REC_READ ? &r->read.data[lane] : &r->write.data[lane];
    *word ^= 0x10;
    check_fails(__FILE__, __LINE__, s, 0, failure, &s->at[issue]);
    *word ^= 0x10;
    PASSES(s);
}

/* Nothing is taken on trust but the first READ of a register: results are compared, and further READs. */
TEST(adopted_once) {
    core_options o = undefined_options();
    program p = unwritten_program();
    put_code(&p, "add 13 20 6; sub 14 20 6; vadd_vv 8 21 1 1; vsub_vv 9 21 1 1; vmul_vv 9 23 23 1; "
                 "vmacc_vv 24 1 2 1; endprg");
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    /* The READ that is believed shows in the result. */
    flipped(&s, issue_of(&s, 0, "add", 3), KARAT_REC_READ, 0, "WRITE_VALUE");
    flipped(&s, issue_of(&s, 0, "add", 3), KARAT_REC_WRITE, 0, "WRITE_VALUE");
    flipped(&s, issue_of(&s, 0, "vadd_vv", 0), KARAT_REC_WRITE, 0, "WRITE_VALUE");
    flipped(&s, issue_of(&s, 0, "vmacc_vv", 0), KARAT_REC_WRITE, 0, "WRITE_VALUE");
    /* A defined operand beside it is compared as ever. */
    flipped(&s, issue_of(&s, 0, "add", 3), KARAT_REC_READ, 1, "READ");
    /* The register is compared when it is read again, by another instruction or by the same. */
    flipped(&s, issue_of(&s, 0, "sub", 0), KARAT_REC_READ, 0, "READ");
    size_t issue = issue_of(&s, 0, "vsub_vv", 0);
    uint32_t n = s.at[of(&s, issue, KARAT_REC_READ, 0)].read.source == 2 ? 0 : 1;
    flipped(&s, issue, KARAT_REC_READ, n, "READ");
    flipped(&s, issue_of(&s, 0, "vmul_vv", 0), KARAT_REC_READ, 1, "READ");
}

/* The second register of a group is read cycles after ISSUE, and the first part's result comes before: the
 * step waits, with what else the warp says. */
TEST(later_part) {
    core_options o = undefined_options();
    program p = unwritten_program();
    put_code(&p, "vsetvli 13 0 0xd1; vadd_vv 8 20 22 1; endprg");
    scoped_stream s = run_program(&p, &o);
    size_t issue = issue_of(&s, 0, "vadd_vv", 0), last = of(&s, issue, KARAT_REC_WRITE, 1), reads = 0;
    for (size_t i = issue + 1; i < last;) { /* The second part's to just before its result */
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
    scoped_outcome out = judge(&s);
    assert_int_equal(count_of(&out, "undefined"), 4);
    assert_int_equal(count_of(&out, "adopted"), 4);
    flipped(&s, issue, KARAT_REC_WRITE, 0, "WRITE_VALUE");
    flipped(&s, issue, KARAT_REC_WRITE, 1, "WRITE_VALUE");
}

/* READs that never come: the warp goes on, and its result is adopted. */
TEST(read_missing) {
    core_options o = undefined_options();
    program p = unwritten_program();
    put_code(&p, "vadd_vv 8 20 1 1; vsub_vv 9 8 1 1; endprg");
    scoped_stream s = run_program(&p, &o);
    size_t issue = issue_of(&s, 0, "vadd_vv", 0);
    for (size_t i = issue + 1; i < s.num;)
        if (s.at[i].h.kind == KARAT_REC_READ && s.at[i].read.seq == s.at[issue].issue.seq)
            stream_remove(&s, i);
        else
            i++;
    PASSES(&s);
    /* From then on the result is compared. */
    flipped(&s, issue_of(&s, 0, "vsub_vv", 0), KARAT_REC_WRITE, 0, "WRITE_VALUE");
    /* A wrong instruction is found anyway. */
    record right = s.at[issue];
    s.at[issue].issue.pc += 4;
    FAILS(&s, ISSUE_PC, &right);
    stream_free(&s);
    /* The stream ends, or nothing more comes, while the step waits. */
    s = run_program(&p, &o);
    cut(&s, issue_of(&s, 0, "vadd_vv", 0) + 1);
    s.at[s.num - 1].issue.mask ^= 1;
    FAILS_AT(&s, s.at[s.num - 1].h.cycle + 100000, ISSUE_MASK, &s.at[s.num - 1]);
}

/* An AUDIT of a lane is no use of it, and the lane is compared from then on; the use is counted when it
 * comes. */
TEST(audit_tells) {
    core_options o = undefined_options();
    program p = unwritten_program();
    put(&p, "vmseq_vi", 0, 1, 2, 1);
    put(&p, "vadd_vv", 22, 1, 1, 0); /* Lane 2 alone is written */
    put(&p, "vmv_v_x", 9, 7);
    uint32_t use = p.num;
    put_code(&p, "vmul_vv 24 22 22 1; endprg");
    scoped_stream s = run_program(&p, &o);
    size_t write = of(&s, issue_of(&s, 0, "vadd_vv", 0), KARAT_REC_WRITE, 0);
    size_t read = of(&s, issue_of(&s, 0, "vmul_vv", 0), KARAT_REC_READ, 0);
    assert_int_equal(s.at[write].write.mask, 4);
    assert_int_equal(s.at[read].read.data[2], s.at[write].write.data[2]);
    record audit = {.audit = {.h = s.at[write].h, .regno = 22, .cls = KARAT_V, .mask = 0xf}};
    audit.h.kind = KARAT_REC_AUDIT;
    memcpy(audit.audit.data, s.at[read].read.data, sizeof audit.audit.data);
    stream_insert(&s, write + 1, &audit);
    stream_insert(&s, write + 2, &audit);
    scoped_outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "audit"), 2);
    assert_int_equal(count_of(&out, "undefined"), 1);
    assert_int_equal(count_of(&out, "adopted"), 1);
    outcome_free(&out);
    for (uint32_t lane = 0; lane < 4; lane++) {
        s.at[write + 2].audit.data[lane] ^= 1;
        FAILS(&s, AUDIT, &s.at[issue_of(&s, 0, "vadd_vv", 0)]);
        s.at[write + 1].audit.data[lane] ^= 1; /* Both the same: the READ reports otherwise */
        if (lane != 2)
            FAILS(&s, READ, &s.at[issue_of(&s, 0, "vmul_vv", 0)]);
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
}

/* A READ may report some bits of a register: these are compared, and what the register holds is not known
 * from them. */
TEST(some_bits) {
    core_options o = undefined_options();
    program p = unwritten_program();
    put_code(&p, "vadd_vv 8 21 1 1; vsub_vv 9 21 1 1; endprg");
    scoped_stream s = run_program(&p, &o);
    const size_t add = issue_of(&s, 0, "vadd_vv", 0);
    size_t read = of(&s, add, KARAT_REC_READ, 0);
    if (s.at[read].read.source != 2)
        read = of(&s, add, KARAT_REC_READ, 1);
    assert_int_equal(s.at[read].read.source, 2);
    for (uint8_t bits = 0; bits <= 32; bits++) {
        s.at[read].read.bits = bits;
        scoped_outcome out = judge(&s);
        /* All of them, or the operand stays unknown and the result is taken. */
        assert_int_equal(out.verdict, KARAT_PASS);
        assert_int_equal(count_of(&out, "adopted"), bits && bits < 32 ? 2 : 1);
    }
    s.at[read].read.bits = 32;
    flipped(&s, add, KARAT_REC_WRITE, 0, "WRITE_VALUE");
    stream_free(&s);
    /* v0 as a mask: its lowest bit decides, and that alone is reported. */
    p = unwritten_program();
    put_code(&p, "vadd_vv 8 1 1 0; vadd_vv 9 1 1 0; vsub_vv 10 0 1 1; endprg");
    s = run_program(&p, &o);
    scoped_outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "undefined"), 1);
    outcome_free(&out);
    size_t mask = 0;
    for (size_t i = 0; !mask; i++)
        if (s.at[i].h.kind == KARAT_REC_READ && s.at[i].read.source == 0)
            mask = i;
    s.at[mask].read.bits = 1;
    PASSES(&s);
    s.at[mask].read.data[1] ^= 2; /* Says nothing */
    PASSES(&s);
    s.at[mask].read.data[1] ^= 3;
    out = judge(&s);
    assert_int_equal(out.verdict, KARAT_MISMATCH);
}

/* --- Records during a wait, one by one --- */

/* A load that races with the store of a register that no instruction has written, where no record reports
 * what that holds: it may have got anything. Of a store of what is known it may not. */
TEST(load_of_the_unknown) {
    for (int is_known = 0; is_known < 2; is_known++)
        for (int wrong = 0; wrong < 2; wrong++) {
            program p = unwritten_program();
            put(&p, "lui", 14, (int32_t)((DATA_BASE + 0x3000) >> 12));
            put(&p, "lw", 13, 0, 14);
            put(&p, "sw", is_known ? 7 : 20, 0, 14);
            for (int n = 0; n < 20; n++)
                put(&p, "addi", 15, 7, n);
            put0(&p, "endprg");
            core_options o = undefined_options();
            o.workgroups = o.num_warp = 2;
            o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_MEM | 1u << KARAT_REC_AUDIT);
            scoped_stream s = run_program(&p, &o);
            const size_t write = of(&s, issue_of(&s, 0, "lw", 0), KARAT_REC_WRITE, 0),
                         store = issue_of(&s, 1, "sw", 0);
            record late = s.at[write];
            assert_true(write < store);
            stream_remove(&s, write);
            late.h.cycle = s.at[store - 1].h.cycle;
            late.write.data[0] ^= wrong ? 0x12340000 : 0;
            stream_insert(&s, store, &late);
            scoped_outcome out = judge(&s);
            const karat_verdict want = !wrong ? KARAT_PASS : is_known ? KARAT_MISMATCH : KARAT_INCOMPLETE;
            if (out.verdict != want || (count_of(&out, "unjudged") > 0) != (want == KARAT_INCOMPLETE))
                fail_msg("known %d, wrong %d: %s\n%s", is_known, wrong, out.line, out.text);
        }
}

/* A register that no instruction has written is stored: memory, and local memory, hold what the core has
 * stored. */
TEST(unknown_values_stored) {
    program p = begin_program("");
    put(&p, "vsw12_v", 30, 0, 5); /* LDS */
    put_code(&p, "vsb12_v 31 1 5; vlw12_v 21 0 5; vsw12_v 29 0 3; vlw12_v 22 0 3; vadd_vv 23 21 22 1; "
                 "endprg");
    for (int reads = 0; reads < 2; reads++) {
        core_options o = core_default();
        o.regs = KARAT_REGS_UNKNOWN;
        o.uncounted = true;
        o.lds_size = 0x400;
        if (!reads)
            o.gives &= ~(1u << KARAT_REC_READ);
        scoped_stream s = run_program(&p, &o);
        scoped_outcome out = judge(&s);
        assert_int_equal(out.verdict, KARAT_PASS);
        assert_true(count_of(&out, "undefined") > 0);
        size_t load = issue_of(&s, 0, "vlw12_v", 0);
        s.at[of(&s, load, KARAT_REC_WRITE, 0)].write.data[2] ^= 1u << 31;
        SAYS(&s, WRITE_VALUE, "lane  2");
    }
}

RUN_TESTS("undefined")
