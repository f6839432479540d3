/* Many mismatches in one run: what is taken from the core, what is listed once, and what excludes its
 * warp. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

/* Four warps of two workgroups, three threads each; from the sw on, nothing depends on what came before
 * but where it says so. */
static stream four_warps(void) {
    program p = begin_program("lui 20 SHARED; slli 22 7 2; add 20 20 22; csrrwi 0 1 3; xori 21 0 5; "
                              "sw 21 0 20; lw 26 0 20; ori 28 26 64; vmv_v_i 9 3; vadd_vi 10 1 5 1; "
                              "vfmul_vv 11 1 1 1; barrier 0; xori 29 0 7; endprg");
    core_options o = core_default();
    o.wf_size = 3;
    o.uncounted = true;
    o.audit_percent = 80;
    stream s = run_program(&p, &o);
    PASSES(&s);
    return s;
}

/* The first record of that kind of the nth instruction of that row in that slot. */
static record *record_of(stream *s, uint32_t slot, const char *row, uint32_t n, unsigned kind) {
    return &s->at[of(s, issue_of(s, slot, row, n), kind, 0)];
}

/* From record i on, the AUDITs of that register in that slot have these lanes' bits flipped. */
static void spoil_audits(stream *s, size_t i, uint32_t slot, unsigned cls, unsigned reg, uint32_t flip,
                         uint32_t lanes) {
    for (; i < s->num; i++) {
        karat_rec_audit *r = &s->at[i].audit;
        if (r->h.kind == KARAT_REC_AUDIT && r->h.slot == slot && r->cls == cls && r->regno == reg)
            for (uint32_t lane = 0; lane < 4; lane++)
                r->data[lane] ^= lanes >> lane & 1 ? flip : 0;
    }
}

/* The nth result of that row is wrong, and stays so. */
static void spoil(stream *s, uint32_t slot, const char *row, uint32_t n, uint32_t flip, uint32_t lanes) {
    const size_t at = of(s, issue_of(s, slot, row, n), KARAT_REC_WRITE, 0);
    karat_rec_write *w = &s->at[at].write;
    for (uint32_t lane = 0; lane < 4; lane++)
        w->data[lane] ^= lanes >> lane & 1 ? flip : 0;
    spoil_audits(s, at, slot, w->cls, w->regno, flip, lanes);
}

static outcome judge_on(const stream *s, karat_verdict verdict, int64_t mismatches, size_t defects) {
    karat_check_config config = judge_config();
    config.keep_going = true;
    outcome o = conclude(replay(s, &config));
    keep(&o);
    assert_int_equal(o.verdict, verdict);
    char words[64];
    snprintf(words, sizeof words, " mismatches=%d defects=%zu ", (int)mismatches, defects);
    if (!strstr(o.line, words))
        fail_msg("%s: expected %s\n%s", o.line, words,
                 strstr(o.text, "  defects") ? strstr(o.text, "  defects") : o.text);
    assert_int_equal(json_integer_value(json_object_get(o.json, "mismatches")), mismatches);
    assert_int_equal(json_array_size(json_object_get(o.json, "defects")), defects);
    return o;
}

/* There is a defect of that signature, that often; the report has a line that says so. */
static void is_listed(const outcome *o, int64_t count, const char *signature) {
    const json_t *list = json_object_get(o->json, "defects"), *d = NULL;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "signature")), signature) == 0)
            d = json_array_get(list, i);
    if (!d)
        fail_msg("no '%s'\n%s", signature, strstr(o->text, "  defects"));
    assert_int_equal(json_integer_value(json_object_get(d, "count")), count);
    char words[256];
    snprintf(words, sizeof words, " %d x %s; first in workgroup ", (int)count, signature);
    assert_non_null(strstr(o->text, words));
    const json_t *core = json_object_get(d, "core"), *model = json_object_get(d, "model");
    if (core && (!json_object_get(d, "differs") || json_equal(core, model)))
        fail_msg("%s: no values", signature);
}

TEST(nothing_is_wrong) {
    scoped_stream s = four_warps();
    scoped_outcome o = judge_on(&s, KARAT_PASS, 0, 0);
}

/* A wrong result is the register's value from there on, and one of the others' is another mismatch of the
 * same signature. */
TEST(values_are_taken) {
    scoped_stream s = four_warps();
    for (uint32_t slot = 0; slot < 4; slot++)
        spoil(&s, slot, "ori", 0, 0x10, 1);
    spoil(&s, 2, "xori", 1, 0x10, 1);
    scoped_outcome o = judge_on(&s, KARAT_MISMATCH, 5, 2);
    is_listed(&o, 4, "wrong value written, ori (positive), positive, one bit");
    const json_t *first = json_array_get(json_object_get(o.json, "defects"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "core")), 0x55);
    assert_int_equal(json_integer_value(json_object_get(first, "model")), 0x45);
    is_listed(&o, 1, "wrong value written, xori (zero), positive, one bit");
    assert_int_equal(count_of(&o, "exits"), 4); /* All went on to their ends */
}

TEST(lanes_tell_defects_apart) {
    scoped_stream s = four_warps();
    spoil(&s, 0, "vadd_vi", 0, 1, 2);
    spoil(&s, 1, "vadd_vi", 0, 1, 6);
    spoil(&s, 2, "vadd_vi", 0, 1, 7);
    spoil(&s, 3, "vadd_vi", 0, 1, 4);
    spoil(&s, 0, "vfmul_vv", 0, 1, 1);
    spoil(&s, 1, "vfmul_vv", 0, 1, 2);
    scoped_outcome o = judge_on(&s, KARAT_MISMATCH, 6, 5);
    is_listed(&o, 2, "wrong value written, vadd.vi (positive), one lane, positive, one bit");
    is_listed(&o, 1, "wrong value written, vfmul.vv (zero, zero), one lane, subnormal for zero");
    is_listed(&o, 1, "wrong value written, vadd.vi (positive), some lanes, positive, one bit");
    is_listed(&o, 1, "wrong value written, vfmul.vv (subnormal, subnormal), one lane, subnormal for zero");
    is_listed(&o, 1, "wrong value written, vadd.vi (zero), every active lane, positive, one bit");
}

/* A mask may have lanes that do not exist: what nobody has is of no class. */
TEST(lanes_that_do_not_exist) {
    scoped_stream s = four_warps();
    for (uint32_t slot = 0; slot < 4; slot++)
        record_of(&s, slot, "vadd_vi", 0, KARAT_REC_WRITE)->write.mask |= slot < 2 ? 0x10 : 0x80000000u;
    scoped_outcome o = judge_on(&s, KARAT_MISMATCH, 4, 1);
    is_listed(&o, 4, "wrong lanes written, vadd.vi (zero), one lane");
}

/* Classes of operands and of results. */
TEST(classes_of_operands) {
    static const struct {
        uint32_t value;
        const char *integer,
            *real; /* Of the operand; and how bit 1 of its successor by xor, and of its square, differs */
        const char *other_integer, *other_real;
    } of[] = {{0, "zero", "zero", "positive, one bit", "subnormal for zero"},
              {1, "positive", "subnormal", "positive for zero", "subnormal for zero"},
              {0x7fffffffu, "largest", "qnan", "positive, one bit", "qnan, one bit"},
              {0x7ffffffeu, "positive", "qnan", "positive for largest", "qnan, one bit"},
              {0x80000000u, "smallest", "zero", "negative, one bit", "subnormal for zero"},
              {0x80000001u, "negative", "subnormal", "negative for smallest", "subnormal for zero"},
              {0xffffffffu, "negative", "qnan", "negative, one bit", "qnan, one bit"},
              {0x7f800000u, "positive", "inf", "positive, one bit", "snan for inf"},
              {0x7f800001u, "positive", "snan", "positive, one bit", "qnan, one bit"},
              {0x7fbfffffu, "positive", "snan", "positive, one bit", "qnan, one bit"},
              {0x7fc00000u, "positive", "qnan", "positive, one bit", "qnan, one bit"},
              {0x007fffffu, "positive", "subnormal", "positive, one bit", "subnormal for zero"},
              {0x00800000u, "positive", "normal", "positive, one bit", "subnormal for zero"},
              {0x20000000u, "positive", "normal", "positive, one bit", "lowest binade, one bit"},
              {0x3f800000u, "positive", "normal", "positive, one bit", "normal, one bit"},
              {0x5f400000u, "positive", "normal", "positive, one bit", "highest binade, one bit"},
              {0x7f7fffffu, "positive", "normal", "positive, one bit", "snan for inf"}};
    enum { NUM = sizeof of / sizeof *of };
    program p = begin_program("");
    for (uint32_t i = 0; i < NUM; i++) {
        put(&p, "lui", 20, (int32_t)((of[i].value + 0x800) >> 12 & 0xfffff));
        put(&p, "addi", 20, 20, (int32_t)(of[i].value << 20) >> 20);
        put_code(&p, "xori 21 20 1; vmv_v_x 9 20; vfmul_vv 11 9 9 1");
    }
    put0(&p, "endprg");
    core_options o = core_default();
    o.workgroups = 1;
    o.wg_size = 1;
    o.uncounted = true;
    o.audit_percent = 0;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    scoped_stream s = run_program(&p, &o);
    for (uint32_t i = 0; i < NUM; i++) {
        char signature[120];
        scoped_stream wrong = stream_copy(&s);
        record_of(&wrong, 0, "xori", i, KARAT_REC_WRITE)->write.data[0] ^= 2;
        record_of(&wrong, 0, "vfmul_vv", i, KARAT_REC_WRITE)->write.data[1] ^= 2;
        scoped_outcome out = judge_on(&wrong, KARAT_MISMATCH, 2, 2);
        snprintf(signature, sizeof signature, "wrong value written, xori (%s), %s", of[i].integer,
                 of[i].other_integer);
        is_listed(&out, 1, signature);
        snprintf(signature, sizeof signature, "wrong value written, vfmul.vv (%s, %s), one lane, %s",
                 of[i].real, of[i].real, of[i].other_real);
        is_listed(&out, 1, signature);
    }
}

/* The result of a wrong operand is up to the core. */
TEST(results_of_wrong_operands) {
    scoped_stream s = four_warps();
    record_of(&s, 1, "vadd_vi", 0, KARAT_REC_READ)->read.data[2] ^= 8;
    spoil(&s, 1, "vadd_vi", 0, 0x77, 5);
    scoped_outcome o = judge_on(&s, KARAT_MISMATCH, 1, 1);
    is_listed(&o, 1, "wrong operand read, vadd.vi (positive), one lane, positive, one bit, from vid.v");
    outcome_free(&o);
    /* A wrong address is not: the model has gone elsewhere. */
    record_of(&s, 0, "lw", 0, KARAT_REC_READ)->read.data[0] ^= 8;
    spoil(&s, 0, "ori", 0, 1, 1);
    o = judge_on(&s, KARAT_MISMATCH, 2, 2);
    is_listed(&o, 1, "wrong operand read, lw, one bit, from add");
}

/* A write that does not come, of a core that waits for it where the register is used: what the core reads
 * there is taken, and compared from then on; a write after it makes all well again. */
TEST(missing_writes_are_passed) {
    program p = begin_program("mul 13 7 7; addi 14 13 1; addi 15 13 2; vadd_vi 8 1 1 1; add 13 5 5; "
                              "vadd_vi 8 1 2 1; addi 16 13 3; endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.uncounted = true;
    for (uint32_t again = 0; again < 2; again++) {
        scoped_stream s = run_program(&p, &o);
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
        PASSES(&s);
        for (size_t i = 0; i < s.num; i++) /* Of those AUDITs only some would be wrong */
            if (s.at[i].h.kind == KARAT_REC_AUDIT)
                stream_remove(&s, i--);
        stream_remove(&s, of(&s, issue_of(&s, 0, "mul", 1), KARAT_REC_WRITE, 0));
        stream_remove(&s, of(&s, issue_of(&s, 0, "vadd_vi", 0), KARAT_REC_WRITE, 0));
        for (uint32_t n = 0; n < 2; n++) {
            const size_t at = issue_of(&s, 0, "addi", n);
            s.at[of(&s, at, KARAT_REC_READ, 0)].read.data[0] = 0x55 + again * n;
            s.at[of(&s, at, KARAT_REC_WRITE, 0)].write.data[0] = 0x56 + n + again * n;
        }
        scoped_outcome r = judge_on(&s, KARAT_MISMATCH, 2 + again, 2 + again);
        is_listed(&r, 1, "register write missing, mul (zero, zero)");
        is_listed(&r, 1, "register write missing, vadd.vi (zero), every active lane");
        if (again)
            is_listed(&r, 1, "wrong operand read, addi (positive), positive, low bits, from mul");
        assert_int_equal(count_of(&r, "exits"), 1);
    }
}

/* Stored data and CSRs have their values, too; of data that is not a whole word, at its place in it. */
TEST(values_of_stores_and_csrs) {
    program p = begin_program("addi 21 0 0x123; sh 21 2 10; sw 21 8 10; csrrw 0 0x340 21; endprg");
    core_options o = core_default();
    o.uncounted = true;
    o.workgroups = o.wg_size = 1;
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    record_of(&s, 0, "sh", 0, KARAT_REC_MEM)->mem.data[0] ^= 0x10;
    record_of(&s, 0, "sw", 0, KARAT_REC_MEM)->mem.data[0] ^= 0xff000000u;
    record_of(&s, 0, "csrrw", 0, KARAT_REC_CSR)->csr.value ^= 0x80000000u;
    static const struct {
        const char *signature;
        uint32_t core, model;
    } of[] = {{"wrong data stored, sh, one bit", 0x133, 0x123},
              {"wrong data stored, sw, high half", 0xff000123u, 0x123},
              {"wrong CSR value, csrrw, sign", 0x80000123u, 0x123}};
    scoped_outcome r = judge_on(&s, KARAT_MISMATCH, 3, 3);
    for (size_t i = 0; i < 3; i++) {
        is_listed(&r, 1, of[i].signature);
        const json_t *d = json_array_get(json_object_get(r.json, "defects"), i);
        assert_int_equal(json_integer_value(json_object_get(d, "core")), of[i].core);
        assert_int_equal(json_integer_value(json_object_get(d, "model")), of[i].model);
    }
}

/* Of a value that was loaded the signature has the store that it has to come from, by byte; of an operand its
 * last writer. */
TEST(producers_tell_defects_apart) {
    program p =
        begin_program("lui 20 SHARED; slli 22 7 4; add 20 20 22; sw 7 0 20; sb 7 1 20; lhu 26 0 20; "
                      "lhu 27 2 20; lw 28 8 20; vmv_v_i 9 3; vsw12_v 9 0 5; vsb12_v 9 1 5; vlw12_v 12 0 5; "
                      "endprg"); /* The vector ones in local memory */
    core_options o = core_default();
    o.uncounted = true;
    o.workgroups = o.wg_size = 1;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    spoil(&s, 0, "lhu", 0, 0x100, 1);
    spoil(&s, 0, "lhu", 1, 0x100, 1);
    spoil(&s, 0, "lw", 0, 0x100, 1);
    record_of(&s, 0, "slli", 1, KARAT_REC_READ)->read.data[0] ^= 4;
    spoil(&s, 0, "vlw12_v", 0, 0x100, 6);
    scoped_outcome r = judge_on(&s, KARAT_MISMATCH, 5, 5);
    is_listed(&r, 1, "wrong value written, vlw12.v, some lanes, one bit, from vsb12.v");
    is_listed(&r, 1, "wrong value written, lhu, one bit, from sb");
    is_listed(&r, 1, "wrong value written, lhu, one bit, from sw");
    is_listed(&r, 1, "wrong value written, lw, one bit"); /* Nobody has stored there */
}

/* A bug that the core's description lists is counted under its name, in every run; all else is a failure as
 * before. */
TEST(known_bugs) {
    static const karat_known_bug known[] = {{"ori-bit-4", "wrong value written, ori (positive), *one bit"},
                                            {"zeros", "wrong value written, vfmul.v* (zero, zero)*"},
                                            {"mask", "wrong thread mask at issue, vmv.v.i*"},
                                            /* Another that fits as well */
                                            {"again", "wrong value written, ori (pos*one bit"}};
    karat_check_config config = judge_config();
    config.known = known;
    config.num_known = sizeof known / sizeof *known;
    scoped_stream s = four_warps();
    for (uint32_t slot = 0; slot < 4; slot++)
        spoil(&s, slot, "ori", 0, 0x10, 1);
    for (int on = 0; on < 2; on++) {
        config.keep_going = on;
        scoped_outcome good = conclude(replay(&s, &config));
        keep(&good);
        assert_int_equal(good.verdict, KARAT_PASS);
        assert_non_null(strstr(good.line, " known:ori-bit-4=4 known:zeros=0 known:mask=0 known:again=4 "));
        const json_t *counts = json_object_get(good.json, "known");
        assert_int_equal(json_integer_value(json_object_get(counts, "ori-bit-4")), 4);
        assert_int_equal(json_integer_value(json_object_get(counts, "zeros")), 0);
    }
    /* Other bits of the same instruction, and other classes of operands. */
    spoil(&s, 1, "ori", 0, 0x21, 1);
    spoil(&s, 0, "vfmul_vv", 0, 1, 1);
    spoil(&s, 1, "vfmul_vv", 0, 1, 2);
    for (int on = 0; on < 2; on++) {
        config.keep_going = on;
        scoped_outcome bad = conclude(replay(&s, &config));
        assert_int_equal(bad.verdict, KARAT_MISMATCH);
        const json_t *counts = json_object_get(bad.json, "known");
        if (on) {
            assert_int_equal(json_integer_value(json_object_get(counts, "zeros")), 1);
            assert_non_null(strstr(bad.line, " mismatches=2 defects=2 "));
        }
        assert_string_equal(json_string_value(json_object_get(json_object_get(bad.json, "failure"), "kind")),
                            "wrong value written");
    }
    /* Where no value can be taken nothing is known. */
    scoped_stream masked = four_warps();
    masked.at[issue_of(&masked, 0, "vmv_v_i", 0)].issue.mask ^= 1;
    scoped_outcome out = conclude(replay(&masked, &config));
    assert_int_equal(out.verdict, KARAT_MISMATCH);
    assert_non_null(strstr(out.line, " known:mask=0 "));
}

/* A value that cannot be taken freezes its warp; the others go on, but for its neighbour after the
 * barrier. */
TEST(others_go_on) {
    scoped_stream s = four_warps();
    s.at[issue_of(&s, 0, "vmv_v_i", 0)].issue.mask ^= 1;
    for (uint32_t slot = 0; slot < 4; slot++)
        spoil(&s, slot, "vadd_vi", 0, 1, 1);
    scoped_outcome o = judge_on(&s, KARAT_MISMATCH, 4, 2);
    is_listed(&o, 1, "wrong thread mask at issue, vmv.v.i");
    is_listed(&o, 3, "wrong value written, vadd.vi (zero), one lane, positive, one bit");
    assert_int_equal(count_of(&o, "exits"), 2);
    outcome_free(&o);
    /* Who loads near what an excluded warp would have stored may be wrong because of that. */
    stream_free(&s);
    s = four_warps();
    const size_t first = issue_of(&s, ANY, "sw", 0);
    s.at[first].issue.mask ^= 1;
    for (uint32_t slot = 0; slot < 4; slot++)
        if (slot != s.at[first].h.slot)
            spoil(&s, slot, "ori", 0, 1, 1);
    o = judge_on(&s, KARAT_MISMATCH, 4, 2);
    assert_non_null(strstr(o.text, "; may follow: it has loaded 0x9000300"));
}

/* Completions of a warp still pending when its slot is launched again are dropped: the next one is
 * compared. */
TEST(last_owners_are_given_up) {
    program p = begin_program("mul 13 7 7; xori 14 0 5; endprg");
    core_options o = core_default();
    o.num_warp = o.wg_size = 1;
    o.workgroups = 2;
    o.uncounted = true;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    stream_remove(&s, of(&s, issue_of(&s, 0, "mul", 1), KARAT_REC_WRITE, 0));
    const size_t second = nth(&s, KARAT_REC_LAUNCH, 1);
    size_t wrong = second;
    while (s.at[wrong].h.kind != KARAT_REC_WRITE || s.at[wrong].write.regno != 14)
        wrong++;
    s.at[wrong].write.data[0] ^= 1;
    scoped_outcome r = judge_on(&s, KARAT_MISMATCH, 2, 2);
    is_listed(&r, 1, "register write missing, mul (zero, zero)");
    is_listed(&r, 1, "wrong value written, xori (zero), positive, one bit");
    assert_int_equal(count_of(&r, "exits"), 2);
    outcome_free(&r);
    stream_free(&s);
    /* Of a vector the lanes are not known; and the next kernel is compared as well. */
    p = (program){.num = 0};
    put_prologue(&p);
    put_code(&p, "vmv_v_i 13 5; csrrw 0 0x80b 7; vbeq 1 1 4; xori 14 0 5; endprg");
    o.kernels = 2;
    s = run_program(&p, &o);
    PASSES(&s);
    stream_remove(&s, of(&s, issue_of(&s, 0, "vmv_v_i", 0), KARAT_REC_WRITE, 0));
    stream_remove(&s, of(&s, issue_of(&s, 0, "csrrw", 0), KARAT_REC_CSR, 0));
    stream_remove(&s, of(&s, issue_of(&s, 0, "vbeq", 0), KARAT_REC_SIMT, 0));
    wrong = issue_of(&s, 0, "xori", 3);
    s.at[of(&s, wrong, KARAT_REC_WRITE, 0)].write.data[0] ^= 1;
    r = judge_on(&s, KARAT_MISMATCH, 4, 4);
    is_listed(&r, 1, "register write missing, vmv.v.i");
    is_listed(&r, 1, "wrong value written, xori (zero), positive, one bit");
    assert_int_equal(count_of(&r, "exits"), 4);
    karat_check_config config = judge_config();
    config.keep_going = true;
    scoped_checker *c = replay(&s, &config);
    assert_int_equal(num_owing(c), 0); /* Nothing is left of them */
}

/* One number for three workgroups: each launch is wrong once. */
TEST(wgids_are_taken) {
    program p = begin_program("endprg");
    core_options o = core_default();
    o.uncounted = true;
    o.workgroups = o.num_warp = 3;
    o.wg_size = 1;
    o.own_wgid = true;
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    assert_true(nth(&s, KARAT_REC_LAUNCH, 2) < nth(&s, KARAT_REC_EXIT, 0));
    for (uint32_t n = 0; n < 3; n++)
        s.at[nth(&s, KARAT_REC_LAUNCH, n)].launch.csr[KARAT_CSR_WGID] = 77;
    scoped_outcome r = judge_on(&s, KARAT_MISMATCH, 2, 1);
    is_listed(&r, 2, "wrong launch");
}

/* The first is reported as if it were alone, and one that is no mismatch ends all. */
TEST(the_first_and_the_last) {
    scoped_stream s = four_warps();
    spoil(&s, 3, "vadd_vi", 0, 1, 1);
    scoped_outcome one = judge(&s), all = judge_on(&s, KARAT_MISMATCH, 1, 1);
    assert_true(json_equal(json_object_get(one.json, "failure"), json_object_get(all.json, "failure")));
    outcome_free(&all);
    const size_t bad = issue_of(&s, 3, "vfmul_vv", 0);
    s.at[bad].issue.prefix_kind = 9;
    spoil(&s, 3, "vfmul_vv", 0, 1, 1);
    all = judge_on(&s, KARAT_MISMATCH, 1, 1);
    assert_true(count_of(&all, "exits") < 4);
    outcome_free(&all);
}

/* Beside a warp that has been given up, silence is the end: after the last record of any warp. Where only
 * the first failures are wanted nobody says so. */
TEST(silence_ends_it) {
    for (uint32_t slot = 0; slot < 4; slot++) {
        scoped_stream s = four_warps();
        s.at[issue_of(&s, 0, "vmv_v_i", 0)].issue.mask ^= 1;
        size_t last = issue_of(&s, slot, "vadd_vi", 0) + 1;
        const size_t wrong = issue_of(&s, 0, "vmv_v_i", 0) + 1;
        cut(&s, last > wrong ? last : wrong);
        const record end = s.at[s.num - 1];
        uint64_t heard = 0;
        for (size_t i = 0; i < s.num; i++) /* Nobody listens to that warp any more */
            if ((s.at[i].h.slot != 0 || i < wrong) && s.at[i].h.kind != KARAT_REC_AUDIT &&
                (s.at[i].h.kind != KARAT_REC_WRITE || s.at[i].write.mask))
                heard = s.at[i].h.cycle;
        for (int on = 0; on < 2; on++) {
            karat_check_config config = judge_config();
            config.keep_going = on;
            config.max_failures = on ? 1 : 2;
            scoped_checker *c = replay(&s, &config);
            assert_int_equal(num_excluded(c), 1);
            assert_false(karat_checker_tick(c, heard + HANG_CYCLES));
            assert_int_equal(karat_checker_tick(c, heard + HANG_CYCLES + 1), on);
            assert_string_equal(kind_of(c), "ISSUE_MASK");
        }
        assert_true(end.h.cycle >= heard);
    }
}

RUN_TESTS("defects")
