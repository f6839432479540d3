/* The parts of a report beyond the comparison that failed: the producers of the values, as far as the
 * records show, and the source lines. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Producers --- */

static void expect(const outcome *o, const char *text) {
    if (!strstr(o->text, text))
        fail_msg("no '%s' in\n%s", text, o->text);
}

static void expect_not(const outcome *o, const char *text) {
    if (strstr(o->text, text))
        fail_msg("'%s' in\n%s", text, o->text);
}

static const json_t *cause_of(const outcome *o) {
    const json_t *cause = json_object_get(json_object_get(o->json, "failure"), "cause");
    assert_non_null(cause);
    return cause;
}

/* The instructions one of which went wrong have these seqs; open: or older ones. */
static void expect_suspects(const outcome *o, bool open, const uint32_t *seqs, size_t num) {
    const json_t *suspects = json_object_get(cause_of(o), "suspects");
    bool same = json_array_size(suspects) == num;
    for (size_t i = 0; same && i < num; i++)
        same = json_integer_value(json_array_get(suspects, i)) == seqs[i];
    if (!same || json_is_true(json_object_get(cause_of(o), "open")) != open)
        fail_msg("other suspects:\n%s", o->text);
}
#define SUSPECTS(o, ...)                                                                                     \
    expect_suspects(o, false, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* Remove the nth READ of that instruction. */
static void drop_read(stream *s, size_t issue, uint32_t n) {
    stream_remove(s, of(s, issue, KARAT_REC_READ, n));
}

static core_options one_warp(void) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.audit_percent = 0;
    o.uncounted = true;
    return o;
}

/* One warp. seq 16: x13 = 5; 17: v8 = lane + 5; 20: v9 = v8 * v8; 21: in even lanes v9 = 2 * v8; 22: v9 is
 * stored. */
static stream chain(uint32_t gives) {
    program p = begin_program("addi 13 0 5; vadd_vx 8 1 13 1; vand_vi 6 1 1 1; vmseq_vi 0 6 0 1; "
                              "vmul_vv 9 8 8 1; vadd_vv 9 8 8 0; vsw12_v 9 0 3; vadd_vv 10 8 9 1; endprg");
    core_options o = one_warp();
    o.gives = gives;
    return run_program(&p, &o);
}

/* The checker's word on it, once that much of the record was changed. */
static outcome wrong_lane(stream *s, size_t record, uint32_t lane) {
    if (s->at[record].h.kind == KARAT_REC_MEM)
        s->at[record].mem.data[lane] ^= 0x40;
    else if (s->at[record].h.kind == KARAT_REC_READ)
        s->at[record].read.data[lane] ^= 0x40;
    else
        s->at[record].write.data[lane] ^= 0x40;
    outcome o = judge(s);
    assert_int_equal(o.verdict, KARAT_MISMATCH);
    keep(&o);
    return o;
}

#define NO_READ  (GIVES_ALL & ~(1u << KARAT_REC_READ))
#define NO_WRITE (GIVES_ALL & ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT))
#define ONLY_MEM (NO_WRITE & ~(1u << KARAT_REC_READ))

/* A wrong result: of that instruction where it has read what is right; else of its reading as well. */
TEST(wrong_result) {
    scoped_stream s = chain(GIVES_ALL);
    size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    scoped_outcome o = wrong_lane(&s, of(&s, issue, KARAT_REC_WRITE, 0), 3);
    expect(&o,
           "  producer  v8   seq 17  0x80000044  vadd.vx v8, v1, x13  00000008 in lane 3, written right\n");
    expect(&o, "  cause     seq 20 itself: it read its operands right\n");
    SUSPECTS(&o, 20);
    outcome_free(&o);
    stream_free(&s);

    s = chain(NO_READ);
    issue = issue_of(&s, 0, "vmul_vv", 0);
    o = wrong_lane(&s, of(&s, issue, KARAT_REC_WRITE, 0), 3);
    expect(&o, "  cause     seq 20 itself, or its read of v8, which held the right value\n");
    SUSPECTS(&o, 20);
    outcome_free(&o);
    stream_free(&s);

    s = fixture(); /* Of a load, memory may be to blame */
    o = wrong_lane(&s, of(&s, issue_of(&s, 0, "vlw12_v", 0), KARAT_REC_WRITE, 0), 0);
    expect(&o, " itself or the value that memory returned: it read its operands right\n");
    outcome_free(&o);
    stream_free(&s);

    s = fixture(); /* No register is read */
    o = wrong_lane(&s, of(&s, issue_of(&s, 0, "auipc", 0), KARAT_REC_WRITE, 0), 0);
    expect(&o, " itself: it reads no register\n");
    expect_not(&o, "\n  producer");
}

/* A wrong operand: between a write that was right and the reading; or before. */
TEST(wrong_operand) {
    stream s = chain(GIVES_ALL);
    size_t add = issue_of(&s, 0, "vadd_vx", 2), mul = issue_of(&s, 0, "vmul_vv", 0);
    assert_int_equal(s.at[add].issue.seq, 17);
    scoped_outcome o = wrong_lane(&s, of(&s, mul, KARAT_REC_READ, 0), 2);
    expect(&o, "v8   seq 17  0x80000044  vadd.vx v8, v1, x13  00000007 in lane 2, written right\n");
    expect(&o, "  cause     between the write of v8 by seq 17, which was right, and its read by seq 20\n");
    assert_int_equal(json_array_size(json_object_get(cause_of(&o), "suspects")), 0);
    outcome_free(&o);

    /* An AUDIT has seen it in the register; one of other lanes has not. */
    size_t write = of(&s, add, KARAT_REC_WRITE, 0);
    record audit = {.audit = {.h = s.at[write].h, .cls = KARAT_V, .regno = 8, .mask = 4}};
    audit.h.kind = KARAT_REC_AUDIT;
    memcpy(audit.audit.data, s.at[write].write.data, sizeof audit.audit.data);
    stream_insert(&s, write + 1, &audit);
    o = judge(&s);
    expect(&o, "  cause     the read by seq 20: seq 17 wrote v8 right, and an AUDIT showed it there\n");
    keep(&o);
    outcome_free(&o);
    s.at[write + 1].audit.mask = 2;
    o = judge(&s);
    expect(&o, "  cause     between the write of v8 by seq 17,");
    outcome_free(&o);
    stream_free(&s);

    /* It was forwarded: the producer's own result is in doubt, and its operands are not. */
    s = chain(GIVES_ALL);
    move(&s, of(&s, add, KARAT_REC_WRITE, 0), after(&s, of(&s, mul, KARAT_REC_READ, 1), KARAT_REC_WRITE));
    PASSES(&s);
    mul = issue_of(&s, 0, "vmul_vv", 0);
    size_t second = of(&s, mul, KARAT_REC_READ, 1);
    o = wrong_lane(&s, second, 2); /* Of the same register: the other operand's shows that it was right */
    expect(&o, "  cause     the read by seq 20: another READ of v8 was right\n");
    outcome_free(&o);
    s.at[second].read.data[2] ^= 0x40;
    o = wrong_lane(&s, of(&s, mul, KARAT_REC_READ, 0), 2);
    expect(&o, "vadd.vx v8, v1, x13  00000007 in lane 2, not written yet\n");
    expect(&o, "              v1   seq 11  0x8000002c  vid.v v1  00000002 in lane 2, written right\n");
    expect(&o, "  cause     seq 17, or the path of v8 to seq 20: it was read before it was written\n");
    SUSPECTS(&o, 17);
    stream_free(&s);
}

/* A core that says nothing of registers: all that leads to the wrong value is in doubt, to the very first
 * one. */
TEST(nothing_compared) {
    scoped_stream s = chain(ONLY_MEM);
    PASSES(&s);
    size_t mem = of(&s, issue_of(&s, 0, "vsw12_v", 0), KARAT_REC_MEM, 0);
    scoped_outcome o = wrong_lane(&s, mem, 1); /* An odd lane: the multiplication's */
    expect(&o, "            v9   seq 20  0x80000050  vmul.vv v9, v8, v8  00000024 in lane 1, not compared\n");
    expect(&o,
           "              v8   seq 17  0x80000044  vadd.vx v8, v1, x13  00000006 in lane 1, not compared\n");
    expect(&o, "                x13  seq 16 ");
    SUSPECTS(&o, 11, 16, 17, 20, 22);
    expect(&o, "  cause     seq 11, 16, 17, 20 or 22: the inputs of seq 11 were right, ");
    outcome_free(&o);
    stream_free(&s);

    s = chain(ONLY_MEM);
    o = wrong_lane(&s, mem, 2); /* An even one */
    expect(
        &o,
        "            v9   seq 21  0x80000054  vadd.vv v9, v8, v8, v0.t  0000000e in lane 2, not compared\n");
    expect_not(&o, "vmul.vv v9, v8, v8  0");
}

/* Without WRITE, READs are the evidence: the walk ends at the first instruction that read all its operands
 * right. */
TEST(reads_end_the_walk) {
    scoped_stream s = chain(NO_WRITE);
    PASSES(&s);
    size_t store = issue_of(&s, 0, "vsw12_v", 0), mul = issue_of(&s, 0, "vmul_vv", 0);
    scoped_outcome o = wrong_lane(&s, of(&s, store, KARAT_REC_MEM, 0), 1);
    expect(&o, " itself: it read its operands right\n");
    SUSPECTS(&o, 22);
    outcome_free(&o);

    for (uint32_t i = 0; s.at[of(&s, store, KARAT_REC_READ, i)].read.cls;
         i++) /* Which of them is not known */
        if (s.at[of(&s, store, KARAT_REC_READ, i)].read.source == 3 ||
            s.at[of(&s, store, KARAT_REC_READ, i)].read.source == 2) {
            drop_read(&s, store, i);
            break;
        }
    o = judge(&s);
    expect(&o, "seq 20 or 22: the inputs of seq 20 were right, and its effects were not compared\n");
    SUSPECTS(&o, 20, 22);
    keep(&o);
    outcome_free(&o);

    /* The multiplication's own READs do not show its operands, but another's READ of v8 does. */
    drop_read(&s, mul, 0);
    drop_read(&s, mul, 0);
    o = judge(&s);
    expect(&o, "vadd.vx v8, v1, x13  00000006 in lane 1, read right\n");
    SUSPECTS(&o, 20, 22);
    keep(&o);
    outcome_free(&o);

    /* Without that READ the addition may be wrong, whose operands were read right. */
    size_t even = issue_of(&s, 0, "vadd_vv", 0);
    for (size_t i = s.num; i-- > 0;)
        if (s.at[i].h.kind == KARAT_REC_READ && s.at[i].read.seq == s.at[even].issue.seq)
            stream_remove(&s, i);
    o = judge(&s);
    SUSPECTS(&o, 17, 20, 22);
    outcome_free(&o);

    /* A wrong operand: its producer, or the way from there. */
    stream_free(&s);
    s = chain(NO_WRITE);
    o = wrong_lane(&s, of(&s, mul, KARAT_REC_READ, 0), 1);
    expect(&o,
           "  cause     seq 17, or the path of v8 to seq 20: the core does not report the value written\n");
    SUSPECTS(&o, 17);
}

/* Long ago: beyond the history the last writer of each register is known, unless it wrote other lanes. */
TEST(long_ago) {
    for (int masked = 0; masked < 2; masked++) {
        program p = begin_program("vand_vi 6 1 1 1; vmseq_vi 0 6 0 1; addi 13 0 5; vadd_vx 8 1 13 1");
        if (masked)
            put(&p, "vadd_vx", 8, 1, 13, 0); /* Even lanes */
        put(&p, "regext", 0, 0, 0, 1);
        put(&p, "vadd_vv", 9, 1, 1, 1); /* v41 */
        for (uint32_t i = 0; i < 2 * remembered.instructions; i++)
            put(&p, "addi", 14, 14, 1);
        put_code(&p, "vmul_vv 10 8 20 1; regext 0 1 0 0; vadd_vv 10 9 8 1; endprg");
        const core_options o = one_warp();
        scoped_stream s = run_program(&p, &o);
        size_t mul = issue_of(&s, 0, "vmul_vv", 0), read = of(&s, mul, KARAT_REC_READ, 0);
        if (s.at[read].read.data[1] != 6)
            read = of(&s, mul, KARAT_REC_READ, 1);
        scoped_outcome out = wrong_lane(&s, read, 1);
        expect(&out, "  producer  v20  as at the launch  00000000 in lane 1\n");
        if (masked) {
            expect(&out, "            v8   written too long ago  00000006 in lane 1\n");
            expect(&out, ", or an instruction that wrote v8 too long ago to be remembered\n");
        } else {
            expect(&out,
                   "            v8   seq 19  0x8000004c  vadd.vx v8, v1, x13  00000006 in lane 1, written "
                   "right\n");
        }
    }
}

/* A lane of a result is the core's where no record has reported an operand of that lane, and there alone. */
TEST(taken_in_its_lanes) {
    program p = begin_program("vand_vi 6 1 1 1; vmseq_vi 0 6 0 1");
    put(&p, "vadd_vx", 8, 1, 7, 0); /* Even lanes */
    put_code(&p, "vadd_vv 9 8 8 1; vadd_vv 10 9 1 1; endprg");
    core_options o = one_warp();
    o.regs = KARAT_REGS_UNKNOWN;
    o.gives = NO_READ;
    scoped_stream s = run_program(&p, &o);
    const size_t write = of(&s, issue_of(&s, 0, "vadd_vv", 1), KARAT_REC_WRITE, 0);
    assert_int_equal(s.at[write].write.regno, 10);
    for (uint32_t lane = 1; lane < 3; lane++) {
        char line[100];
        snprintf(line, sizeof line, " in lane %u, %s\n", lane,
                 lane & 1 ? "taken from the core" : "written right");
        scoped_outcome out = wrong_lane(&s, write, lane);
        const char *v9 = strstr(out.text, "  vadd.vv v9, v8, v8  ");
        assert_non_null(v9);
        if (!strstr(v9, line) || strchr(v9, '\n') != strstr(v9, line) + strlen(line) - 1)
            fail_msg("no '%s' in\n%s", line, out.text);
        s.at[write].write.data[lane] ^= 0x40;
    }
}

/* An AUDIT that has seen a younger instruction's result says nothing of the one before. */
TEST(audit_of_a_younger_write) {
    program p = begin_program("vadd_vx 8 1 7 1; vmul_vx 9 8 7 1; vadd_vv 8 1 1 1; endprg");
    const core_options o = one_warp();
    scoped_stream s = run_program(&p, &o);
    size_t younger = of(&s, issue_of(&s, 0, "vadd_vv", 0), KARAT_REC_WRITE, 0);
    record audit = {.audit = {.h = s.at[younger].h, .cls = KARAT_V, .regno = 8, .mask = 15}};
    audit.h.kind = KARAT_REC_AUDIT;
    memcpy(audit.audit.data, s.at[younger].write.data, sizeof audit.audit.data);
    stream_insert(&s, younger + 1, &audit);
    const size_t mul = issue_of(&s, 0, "vmul_vx", 0), scalar = of(&s, mul, KARAT_REC_READ, 0);
    const size_t late = s.at[scalar].read.cls ? scalar : of(&s, mul, KARAT_REC_READ, 1);
    move(&s, of(&s, mul, KARAT_REC_WRITE, 0), younger + 2); /* The WRITE comes late */
    move(&s, late, younger + 1); /* The WRITE's old place: two records before it are after it now */
    PASSES(&s);
    scoped_outcome out = wrong_lane(&s, younger, 2);
    expect(&out, "  cause     between the write of v8 by seq 16, which was right, and its read by seq 17\n");
}

/* A store of a warp that has ended is wrong: the stack that is there is its successor's. */
TEST(stack_of_another_warp) {
    program p = begin_program("vand_vi 6 1 1 1; sw 7 512 10; auipc 5 0; addi 5 5 20; setrpc 0 5 0; "
                              "vbne 6 1 8; vadd_vv 8 1 1 1; join; endprg");
    core_options o = one_warp();
    o.workgroups = 2; /* One after the other */
    o.num_warp = 1;
    scoped_stream s = run_program(&p, &o);
    const size_t mem = of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0);
    const size_t inside = issue_of(&s, 0, "vadd_vv", 1);
    assert_true(s.at[inside].h.epoch == 1 && s.at[mem].h.epoch == 0);
    move(&s, mem, inside);
    PASSES(&s);
    scoped_outcome out = wrong_lane(&s, inside - 1, 0);
    const json_t *failure = json_object_get(out.json, "failure");
    assert_int_equal(json_array_size(json_object_get(failure, "stack")), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(failure, "where"), "epoch")), 0);
}

/* However much there is to say: text of one screen, and all of it in the JSON. */
TEST(much_to_say) {
    program p = begin_program("");
    for (int i = 0; i < 40; i++)
        put(&p, "vadd_vv", 8 + i % 5, 8 + (i + 4) % 5, 8 + (i + 3) % 5, 1);
    put_code(&p, "vmacc_vv 8 9 10 0; vsw12_v 8 0 3; endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.num_thread = 32;
    o.gives = ONLY_MEM;
    scoped_stream s = run_program(&p, &o);
    size_t mem = of(&s, issue_of(&s, 0, "vsw12_v", 0), KARAT_REC_MEM, 0);
    scoped_outcome out = wrong_lane(&s, mem, 19); /* Counts the lines, too */
    expect(&out, "  lanes 16 to 23");
    expect(&out, " more\n");
    const json_t *failure = json_object_get(out.json, "failure");
    assert_true(json_array_size(json_object_get(failure, "producers")) > 24);
    assert_true(json_is_true(json_object_get(cause_of(&out), "open")));
    assert_true(json_array_size(json_object_get(failure, "history")) > 40);
    const json_t *insn = json_object_get(failure, "instruction");
    assert_int_equal(json_array_size(json_object_get(insn, "memory")), 32);
    assert_int_equal(json_integer_value(json_object_get(failure, "lanes")), 1 << 19);
}

/* --- Source lines --- */

static karat_kernel *load_elf_kernel(program *p) {
    karat_diag diag;
    karat_kernel *kernel = karat_kernel_load(LINES_ELF, NULL, &diag);
    if (!kernel)
        fail_msg("%s", diag.text);
    assert_int_equal(kernel->buffers[0].base, CODE_BASE);
    p->num = kernel->buffers[0].size / 4;
    memcpy(p->word, kernel->buffers[0].data, kernel->buffers[0].size);
    return kernel;
}

/* The line of that file that says so. */
static unsigned line_that_says(const char *file, const char *text) {
    char path[1000], line[256];
    snprintf(path, sizeof path, "%s/%s", LINES_DIR, file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    unsigned number = 0;
    bool found = false;
    while (!found && fgets(line, sizeof line, in)) {
        number++;
        found = strstr(line, text);
    }
    fclose(in);
    assert_true(found);
    return number;
}

static stream lines_stream(const program *p) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    return run_program(p, &o);
}

static outcome judge_lines(const stream *s, const karat_kernel *kernel, const karat_lines *lines) {
    karat_check_config config = judge_config();
    config.kernels = &kernel;
    config.lines = &lines;
    config.num_kernels = 1;
    outcome o = conclude(replay(s, &config));
    keep(&o);
    return o;
}

static void expect_line(const outcome *o, const char *format, const char *file, const char *text) {
    char want[200];
    snprintf(want, sizeof want, format, line_that_says(file, text));
    expect(o, want);
}

TEST(lines_are_shown) {
    program p;
    karat_kernel *kernel = load_elf_kernel(&p);
    karat_lines *lines = karat_lines_load(LINES_ELF);
    assert_non_null(lines);
    stream s = lines_stream(&p);
    size_t spread = issue_of(&s, 0, "vadd_vx", 0);
    stream good = stream_copy(&s);
    s.at[of(&s, spread, KARAT_REC_WRITE, 0)].write.data[1] ^= 1;
    scoped_outcome o = judge_lines(&s, kernel, lines);
    expect_line(&o, "\n  at        lines.S:%u in spread  0x80000010 <spread+0x0>  vadd.vx v8, v1, x10  (",
                "lines.S", "here: spread");
    expect_line(&o, "  weigh.c:%u in weigh  ", "weigh.c", "here: weigh");
    const json_t *insn = json_object_get(json_object_get(o.json, "failure"), "instruction");
    const char *file = json_string_value(json_object_get(insn, "file"));
    assert_non_null(file);
    assert_string_equal(file + strlen(file) - 7, "lines.S");
    assert_int_equal(json_integer_value(json_object_get(insn, "line")),
                     line_that_says("lines.S", "here: spread"));
    outcome_free(&o);

    /* Where one unit's code ends and the next one's begins. */
    uint32_t offset, line;
    const char *name;
    uint32_t weigh = CODE_BASE;
    while (strcmp(karat_kernel_symbol(kernel, weigh, &offset)->name, "weigh") != 0)
        weigh += 4;
    assert_true(karat_lines_find(lines, weigh, &name, &line));
    assert_string_equal(name + strlen(name) - 7, "weigh.c");
    assert_true(karat_lines_find(lines, weigh - 4, &name, &line));
    assert_string_equal(name + strlen(name) - 7, "lines.S");

    /* The assembler makes no entry for .insn: the line is that of the instruction before it, and said so.
     * Of a pseudo-instruction's second word it is the same line. */
    uint32_t spread_at = CODE_BASE;
    while (strcmp(karat_kernel_symbol(kernel, spread_at, &offset)->name, "spread") != 0)
        spread_at += 4;
    assert_true(karat_lines_find(lines, spread_at + 8, &name, &line));
    assert_int_equal(line, line_that_says("lines.S", "here: the last"));
    assert_true(karat_lines_after(lines, spread_at + 8));
    assert_false(karat_lines_after(lines, spread_at + 4));
    for (uint32_t pc = CODE_BASE; pc < spread_at; pc += 4) { /* Vid.v, li, call */
        assert_true(karat_lines_find(lines, pc, &name, &line));
        assert_false(karat_lines_after(lines, pc));
    }
    assert_false(karat_lines_after(NULL, spread_at));
    size_t ended = issue_of(&good, 0, "endprg", 0);
    scoped_stream wrong_word = stream_copy(&good);
    wrong_word.at[ended].issue.word ^= 1u << 31;
    o = judge_lines(&wrong_word, kernel, lines);
    expect_line(&o, "\n  at        after lines.S:%u in spread  0x", "lines.S", "here: of a custom");
    insn = json_object_get(json_object_get(o.json, "failure"), "instruction");
    assert_true(json_is_true(json_object_get(insn, "after")));
    outcome_free(&o);
    /* So is that of a producer, and of the place where a warp is. */
    scoped_stream wrong_sum = stream_copy(&good);
    size_t sum = issue_of(&good, 0, "vadd_vv", 0);
    wrong_sum.at[of(&wrong_sum, sum, KARAT_REC_WRITE, 0)].write.data[0] ^= 1;
    o = judge_lines(&wrong_sum, kernel, lines);
    expect_line(&o, "  after lines.S:%u in spread  ", "lines.S", "here: the last");
    const json_t *producers = json_object_get(json_object_get(o.json, "failure"), "producers");
    assert_true(json_is_true(json_object_get(json_array_get(producers, 0), "after")));
    outcome_free(&o);
    scoped_stream ends = stream_copy(&good);
    cut(&ends, ended);
    record bye = {0};
    bye.h.kind = KARAT_REC_BYE;
    bye.h.cycle = ends.at[ends.num - 1].h.cycle + 1;
    bye.bye.reason = KARAT_BYE_ABORT;
    stream_add(&ends, &bye, sizeof bye.bye);
    o = judge_lines(&ends, kernel, lines);
    const json_t *warps = json_object_get(json_object_get(o.json, "failure"), "warps");
    assert_true(json_is_true(json_object_get(json_array_get(warps, 0), "after")));
    outcome_free(&o);

    /* Without the tables nothing is shown, and all else is the same. */
    o = judge_lines(&s, kernel, NULL);
    expect(&o, "\n  at        0x80000010 <spread+0x0>  vadd.vx v8, v1, x10  (");
    expect_not(&o, "lines.S");
    expect_not(&o, "weigh.c");
    outcome_free(&o);
    stream_free(&s);

    /* An inlined function's line is its own; the function that it is in is the one around it. */
    s = good;
    size_t mul = issue_of(&s, 0, "mul", 0);
    s.at[of(&s, mul, KARAT_REC_WRITE, 0)].write.data[0] ^= 1;
    o = judge_lines(&s, kernel, lines);
    expect_line(&o, "\n  at        weigh.c:%u in weigh  0x", "weigh.c", "here: twice");
    stream_free(&s);
    karat_lines_free(lines);
    karat_kernel_free(kernel);
}

/* Where the file has none, is none, or is not there. */
TEST(no_lines) {
    static const char *const files[] = {"/nowhere", "/dev/null", LINES_DIR, LINES_DIR "/lines.S"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_null(karat_lines_load(files[i]));
    karat_lines_free(NULL);
    static const karat_line rows[] = {{0x100, 0, 7}, {0x108, 0, 0}, {0x110, 1, 9}};
    static const char *const names[] = {"a.c", "b.c"};
    const karat_lines lines = {2, 3, names, rows};
    const char *file;
    uint32_t line;
    assert_false(karat_lines_find(&lines, 0xff, &file, &line));
    assert_true(karat_lines_find(&lines, 0x100, &file, &line) && line == 7 && strcmp(file, "a.c") == 0);
    assert_true(karat_lines_find(&lines, 0x107, &file, &line) && line == 7);
    assert_false(karat_lines_find(&lines, 0x108, &file, &line)); /* After the end of its code */
    assert_false(karat_lines_find(&lines, 0x10f, &file, &line));
    assert_true(karat_lines_find(&lines, 0x110, &file, &line) && line == 9 && strcmp(file, "b.c") == 0);
    assert_false(karat_lines_find(NULL, 0x100, &file, &line));
}

static char *read_file(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    *size = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

/* Sections whose names begin with .debug: the name table is the last string section, whose index the
 * header has. */
static bool is_debug(const char *elf, uint32_t section, uint32_t *offset, uint32_t *size) {
    uint32_t table, names, name;
    uint16_t num, index;
    memcpy(&table, elf + 32, 4);
    memcpy(&num, elf + 48, 2);
    memcpy(&index, elf + 50, 2);
    if (section >= num)
        return false;
    const char *header = elf + table + 40 * section;
    memcpy(&names, elf + table + 40 * index + 16, 4);
    memcpy(&name, header, 4);
    memcpy(offset, header + 16, 4);
    memcpy(size, header + 20, 4);
    return strncmp(elf + names + name, ".debug", 6) == 0 && *size;
}

/* A file's name that nobody can print is shown on one line, and in JSON, which is UTF-8. */
static void expect_strange_name(int fd, const char *path, const char *elf, size_t size) {
    char *bytes = malloc(size);
    memcpy(bytes, elf, size);
    for (size_t i = 0; i + 7 < size; i++)
        if (memcmp(bytes + i, "lines.S", 7) == 0)
            memcpy(bytes + i, "\xff\n\x80", 3);
    assert_int_equal(pwrite(fd, bytes, size, 0), (ssize_t)size);
    karat_lines *lines = karat_lines_load(path);
    const char *file;
    uint32_t line;
    assert_true(karat_lines_find(lines, CODE_BASE, &file, &line));
    assert_string_equal(file + strlen(file) - 16, "\\xff\\x0a\\x80es.S");
    karat_lines_free(lines);
    free(bytes);
}

/* Whatever the line tables hold, the verdict and its line are the same, and there is a report. */
TEST(damaged_tables) {
    program p;
    karat_kernel *kernel = load_elf_kernel(&p);
    scoped_stream s = lines_stream(&p);
    s.at[of(&s, issue_of(&s, 0, "vadd_vx", 0), KARAT_REC_WRITE, 0)].write.data[1] ^= 1;
    scoped_outcome whole = judge_lines(&s, kernel, NULL);
    char path[] = "karat_lines_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    size_t size;
    char *elf = read_file(LINES_ELF, &size), *bytes = malloc(size);
    rng r = {7};
    uint32_t sections = 0, none = 0, tried = 0;
    for (uint32_t section = 0; section < 40; section++) {
        uint32_t offset, length;
        if (!is_debug(elf, section, &offset, &length))
            continue;
        sections++;
        for (int i = 0; i < 60; i++) {
            memcpy(bytes, elf, size);
            if (i == 0)
                memset(bytes + offset, 0, length);
            else if (i == 1)
                memset(bytes + offset, 0xff, length);
            for (int k = 0; i > 1 && k < 1 + i % 4; k++) { /* A field near the beginning, or anywhere */
                const uint32_t at = rng_below(&r, i % 2 && length > 48 ? 48 : length);
                bytes[offset + at] = (char)rng_next(&r);
            }
            assert_int_equal(pwrite(fd, bytes, size, 0), (ssize_t)size);
            karat_lines *lines = karat_lines_load(path);
            karat_check_config config = judge_config();
            const karat_kernel *kernels = kernel;
            const karat_lines *list = lines;
            config.kernels = &kernels;
            config.lines = &list;
            config.num_kernels = 1;
            scoped_outcome o = conclude(replay(&s, &config));
            assert_int_equal(o.verdict, KARAT_MISMATCH);
            assert_string_equal(o.line, whole.line);
            expect(&o, "\n  cause     seq ");
            none += !lines;
            tried++;
            karat_lines_free(lines);
        }
    }
    assert_true(sections >= 4 && none > 10 && none < tried);
    expect_strange_name(fd, path, elf, size);
    close(fd);
    unlink(path);
    free(elf);
    free(bytes);
    karat_kernel_free(kernel);
}

TEST(report_says_what_led_to_it) {
    scoped_stream s = fixture();
    size_t issue = issue_of(&s, 0, "vadd_vx", 2);
    s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[1] ^= 0x10;
    scoped_outcome o = judge(&s);
    static const char *const lines[] = {
        "\n  at        0x80000054  vadd.vx v8, v1, x13  (word ",
        "lane  1  core 00000016  model 00000006  xor 00000010",
        "\n  mask      0000000f before, 0000000f after\n",
        "\n  operands  rs1    x13  00000005  core: the same\n",
        "vs2    v1   00000000 00000001 00000002 00000003  core: the same\n",
        "\n  producer  x13  seq 17  0x80000044  addi x13, x13, -2  00000005, written right\n",
        "            v1   seq 11  0x8000002c  vid.v v1  00000001 in lane 1, written right\n",
        "\n  cause     seq 20 itself: it read its operands right\n",
        "\n  stack     0 entries in the model\n",
        "                17  0x80000044  0000000f  addi x13, x13, -2                    x13=00000005\n",
        "           >    20  0x80000054  0000000f  vadd.vx v8, v1, x13                  v8=00000005..\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(o.text, lines[i]))
            fail_msg("no '%s' in\n%s", lines[i], o.text);
    outcome_free(&o);
    issue = issue_of(&s, 1, "vsb12_v", 0); /* Of a store, the accesses */
    stream_free(&s);
    s = fixture();
    s.at[of(&s, issue, KARAT_REC_MEM, 0)].mem.data[2] ^= 0x10;
    o = judge(&s);
    assert_non_null(strstr(o.text, "\n  memory    lane  0 store 1 bytes at 0x90000402: 00000005\n"));
}

/* An instruction that completed long ago, of which a record comes: the report shows what the history has
 * of it, and nothing that it has not. */
TEST(named_by_its_record) {
    static const struct {
        const char *row, *name;
        unsigned kind;
    } told[] = {{"vlw12_v", "vlw12.v", KARAT_REC_MEM},
                {"vlw12_v", "vlw12.v", KARAT_REC_WRITE},
                {"vlw12_v", "vlw12.v", KARAT_REC_READ},
                {"csrrw", "csrrw", KARAT_REC_CSR},
                {"vblt", "vblt", KARAT_REC_SIMT}}; /* This VBRANCH leaves another mask */
    for (uint32_t k = 0; k < sizeof told / sizeof *told; k++) {
        FIXTURE;
        const size_t load = issue_of(&s, 0, told[k].row, 0), given = of(&s, load, told[k].kind, 0);
        size_t next = load + 1;
        while (s.at[next].h.kind != KARAT_REC_ISSUE || s.at[next].h.slot || s.at[next].h.sm)
            next++;
        const uint32_t mask_after = s.at[next].issue.mask;
        record again = record_at(&s, given);
        const record at = record_at(&s, load);
        uint32_t behind = 0, shown = 0;
        for (size_t i = load + 1; i < s.num; i++) {
            if (s.at[i].h.kind != KARAT_REC_ISSUE || s.at[i].h.slot != at.h.slot ||
                s.at[i].h.epoch != at.h.epoch)
                continue;
            behind = s.at[i].issue.seq - at.issue.seq;
            again.h.cycle = s.at[i].h.cycle;
            if (behind < 12)
                continue;
            stream_insert(&s, i + 1, &again);
            scoped_outcome o = judge(&s);
            stream_remove(&s, i + 1);
            const json_t *failure = json_object_get(o.json, "failure");
            const json_t *insn = json_object_get(failure, "instruction");
            assert_int_equal(o.verdict, KARAT_MISMATCH);
            assert_true(behind < remembered.instructions);
            char text[64];
            snprintf(text, sizeof text, "\n  at        0x%08" PRIx32 "  %s", at.issue.pc, told[k].name);
            assert_non_null(strstr(o.text, text));
            assert_null(strstr(o.text, "issued in cycle"));
            assert_int_equal(json_integer_value(json_object_get(insn, "pc")), at.issue.pc);
            assert_int_equal(json_integer_value(json_object_get(insn, "word")), at.issue.word);
            assert_int_equal(json_integer_value(json_object_get(insn, "mask_before")), at.issue.mask);
            assert_int_equal(json_integer_value(json_object_get(insn, "mask_after")), mask_after);
            assert_null(json_object_get(insn, "issue_cycle"));
            assert_int_equal(json_array_size(json_object_get(insn, "reads")), 0);
            assert_int_equal(json_integer_value(json_object_get(json_object_get(failure, "where"), "seq")),
                             at.issue.seq);
            shown++;
        }
        assert_true(shown > 0);
    }
}

/* Every kind of failure is in the schema, of which test_report_schema.py wants a report for each. */
TEST(kinds_of_the_schema) {
    json_t *schema = json_load_file(REPORT_SCHEMA, 0, NULL);
    const json_t *kind = json_object_get(json_object_get(schema, "$defs"), "kind");
    const json_t *listed = json_object_get(kind, "enum");
    uint32_t num = 0;
    for (const char *name; (name = nth_kind(num)); num++) {
        bool found = false;
        for (size_t i = 0; i < json_array_size(listed); i++)
            found |= strcmp(json_string_value(json_array_get(listed, i)), name) == 0;
        if (!found)
            fail_msg("not in the schema: %s", name);
    }
    assert_int_equal(num, json_array_size(listed));
    json_decref(schema);
}

RUN_TESTS("report")
