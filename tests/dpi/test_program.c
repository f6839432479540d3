/* Programs that do something undefined or forbidden. */
#include "judge.h"

#include <string.h>

/* The core would do something undefined: its stream up to there, and the ISSUE of that instruction. */
static stream erring(const program *p, const core_options *o, uint32_t word_index) {
    program legal = *p;
    legal.num = word_index;
    put0(&legal, "endprg");
    stream s = run_program(&legal, o);
    /* The memory of both models is to hold the real program. */
    for (size_t i = 0; i < s.num; i++) {
        if (s.at[i].h.kind == KARAT_REC_REGION)
            s.at[i].region.hash_valid = 0;
        if (s.at[i].h.kind == KARAT_REC_HOST && s.at[i].host.addr == CODE_BASE) {
            s.at[i].host.length = 4 * p->num;
            memcpy(s.at[i].host.data, p->word, 4 * p->num);
        }
    }
    size_t end = issue_of(&s, 0, "endprg", 0);
    s.at[end].issue.word = p->word[word_index];
    cut(&s, end + 1);
    return s;
}

TEST(program_kind) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    static const struct {
        const char *what;
        uint32_t word;
    } errors[] = {
        {"illegal instruction: no instruction of this profile has this word", 0xffffffff},
        {"illegal instruction: no such CSR", 0xc0002073},                           /* Csrr x0, cycle */
        {"misaligned access: lane 0, address 0x90000002", 0x00252283},              /* Lw x5, 2(x10) */
        {"access to an unmapped address: lane 0, address 0x00000000", 0x00002283}}; /* Lw x5, 0(x0) */
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        program p = begin_program("");
        p.word[p.num++] = errors[i].word;
        scoped_stream s = erring(&p, &o, p.num - 1);
        FAILS(&s, PROGRAM, &s.at[s.num - 1]);
        scoped_outcome out = judge(&s);
        assert_non_null(strstr(out.text, errors[i].what));
        assert_null(strstr(out.text, "lane -1"));
    }
    /* A vector instruction where vtype is illegal: it reads nothing, and would have read v1. */
    program p = begin_program("vsetivli 0 4 0x2d0; vadd_vv 8 1 1 1");
    scoped_stream s = erring(&p, &o, p.num - 1);
    FAILS(&s, PROGRAM, &s.at[s.num - 1]);
    scoped_outcome out = judge(&s);
    assert_non_null(strstr(out.text, "  producer  v1   seq 11  "));
    assert_non_null(strstr(out.text, "illegal instruction: vill is set in vtype"));
    outcome_free(&out);
    stream_free(&s);

    /* A scalar register that there is none of: nothing is said of who has written it. */
    p.num = 0;
    put_prologue(&p);
    put_code(&p, "regext 0 0 4 0; addi 5 20 1");
    s = erring(&p, &o, p.num - 2);
    record *issue = &s.at[s.num - 1];
    issue->issue.pc += 4;
    issue->issue.prefix = issue->issue.word;
    issue->issue.prefix_kind = KARAT_PREFIX_WORD;
    issue->issue.word = p.word[p.num - 1];
    FAILS(&s, PROGRAM, issue);
    out = judge(&s);
    assert_non_null(strstr(out.text, "addi x5, x148, 1"));
    assert_null(strstr(out.text, "  producer"));
    stream_free(&s);

    p.num = 0; /* A jump to where nothing is mapped */
    put_code(&p, "jalr 0 0x100 0; endprg");
    program legal = p;
    put_jump(&legal, 0, 1);
    s = run_program(&legal, &o);
    for (size_t i = 0; i < s.num; i++) {
        if (s.at[i].h.kind == KARAT_REC_REGION)
            s.at[i].region.hash_valid = 0;
        if (s.at[i].h.kind == KARAT_REC_HOST && s.at[i].host.addr == CODE_BASE)
            memcpy(s.at[i].host.data, p.word, 4 * p.num);
        if (s.at[i].h.kind == KARAT_REC_ISSUE && s.at[i].issue.seq == 0)
            s.at[i].issue.word = p.word[0];
    }
    size_t reads = nth(&s, KARAT_REC_ISSUE, 1);
    s.at[reads].issue.pc = 0x100;
    record there = record_at(&s, reads);
    there.issue.word = 0; /* The model has read no word there, so none is compared */
    FAILS(&s, PROGRAM, &there);
}

TEST(undefined_kind) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.regs = KARAT_REGS_UNKNOWN;
    o.audit_percent = 0;
    o.uncounted = true;
    o.gives &= ~(1u << KARAT_REC_READ); /* With READs the values are known: test_undefined.c */
    program p = begin_program("");
    uint32_t start = p.num;
    /* Deciding uses: a branch, an address, a CSR, a mask. */
    put_code(&p, "beq 20 0 4; lw 13 0 20; vlw12_v 8 0 20; csrrw 13 0x80b 20; vbeq 20 1 4");
    put(&p, "vadd_vv", 8, 1, 1, 0); /* v0: see below */
    for (uint32_t i = start; i < p.num; i++) {
        program one = p;
        one.word[start] = p.word[i];
        one.num = start + 1;
        one.word[start - 1] =
            p.word[start - 2]; /* Without its last instruction, the prologue leaves v0 alone */
        scoped_stream s = erring(&one, &o, start);
        FAILS(&s, UNDEFINED, &s.at[s.num - 1]);
    }
    /* The core's value as data is adopted. */
    p.num = start - 1; /* v0 is not written */
    put_code(&p, "add 13 20 6; vadd_vv 8 20 1 1; vadd_vx 9 8 13 1");
    put(&p, "vmerge_vvm", 12, 8, 1, 0); /* v0 is data here */
    put(&p, "vmseq_vi", 0, 1, 0, 1);
    put(&p, "vadd_vv", 22, 1, 1, 0); /* Lane 0 alone is written */
    put(&p, "vmv_x_s", 14, 22);      /* The highest lane is taken */
    put_code(&p, "vsw12_v 21 0 3; vlw12_v 10 0 3; vadd_vv 11 10 1 1; endprg");
    scoped_stream s = run_program(&p, &o);
    scoped_outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "undefined"),
                     5); /* Instructions that depend on these in turn have the core's values by then */
    assert_int_equal(count_of(&out, "adopted"), 5);
    /* Once adopted it is compared: where the undefined value reappears, it must be the same. */
    size_t issue = issue_of(&s, 0, "vadd_vx", 2), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.data[1] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    stream_free(&s);
    s = run_program(&p, &o);
    issue = issue_of(&s, 0, "vlw12_v", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.data[2] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    stream_free(&s);
    /* By AUDIT: the first one is believed, the next must say the same; so it is while a write of
     * the register is pending, and after it in the lanes that it leaves alone. */
    s = run_program(&p, &o);
    write = of(&s, issue_of(&s, 0, "add", 3), KARAT_REC_WRITE, 0);
    record audit = {.audit = {.h = s.at[write].h, .regno = 13, .mask = 1, .data = {77}}}, again = audit;
    audit.h.kind = again.h.kind = KARAT_REC_AUDIT;
    again.audit.data[0] = 78;
    for (size_t k = 0; k < 2; k++) { /* With the write pending; and long before it */
        size_t place = k ? nth(&s, KARAT_REC_ISSUE, 1) : write;
        audit.h.cycle = again.h.cycle = s.at[place].h.cycle;
        stream_insert(&s, place, &audit);
        stream_insert(&s, place, &audit);
        scoped_outcome o1 = judge(&s);
        assert_int_equal(o1.verdict, KARAT_PASS);
        s.at[place] = again;
        FAILS(&s, AUDIT, &again);
        stream_remove(&s, place);
        stream_remove(&s, place);
    }
}

RUN_TESTS("program")
