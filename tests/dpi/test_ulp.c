/* Results of an approximating unit: a bound in ulp, declared by the core, counted where it is used, and no
 * wider than it says. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* e^lane, and a sum of it: what comes after must be computed from the core's number. */
static stream exp_stream_of(bool reads, bool audits) {
    program p = begin_program("vfcvt_f_x_v 8 1 1; vfexp_v 9 8 1; vadd_vi 10 9 1 1; endprg");
    core_options o = fixture_options();
    if (!reads)
        o.gives &= ~(1u << KARAT_REC_READ);
    if (!audits)
        o.audit_percent = 0;
    return run_program(&p, &o);
}

static stream exp_stream(void) {
    return exp_stream_of(true, true);
}

static outcome judge_bounded(const stream *s) {
    karat_check_config config = bounded_config();
    return conclude(replay(s, &config));
}

static void expect(const stream *s, const char *line, int64_t uses) {
    scoped_outcome o = judge_bounded(s);
    if (strncmp(o.line, line, strlen(line)) != 0)
        fail_msg("%s\n%s\nexpected %s", o.line, o.text, line);
    assert_int_equal(count_of(&o, "ulp"), uses);
}

/* Add to one lane of what a WRITE of e^x says, and of what is made of it. */
static void nudge(stream *s, uint32_t by, bool dependents) {
    size_t issue = issue_of(s, 0, "vfexp_v", 0), sum = issue_of(s, 0, "vadd_vi", 0);
    s->at[of(s, issue, KARAT_REC_WRITE, 0)].write.data[2] += by;
    if (!dependents)
        return;
    if (s->at[nth(s, KARAT_REC_HELLO, 0)].hello.gives >> KARAT_REC_READ & 1)
        s->at[of(s, sum, KARAT_REC_READ, 0)].read.data[2] += by;
    s->at[of(s, sum, KARAT_REC_WRITE, 0)].write.data[2] += by;
}

TEST(within_bound) {
    for (int by = -2; by <= 2; by++) {
        scoped_stream s = exp_stream();
        nudge(&s, (uint32_t)by, true);
        expect(&s, "karat: PASS ", by ? 1 : 0);
    }
}

TEST(beyond_bound) {
    for (int by = -3; by <= 3; by += 6) {
        scoped_stream s = exp_stream();
        nudge(&s, (uint32_t)by, true);
        expect(&s, "karat: MISMATCH (wrong value written)", 0);
    }
    scoped_stream s = exp_stream(); /* The sign is no neighbour */
    nudge(&s, 1u << 31, true);
    expect(&s, "karat: MISMATCH (wrong value written)", 0);
}

/* Of halves (profile public) each is a number: the units of one do not count for the other. */
TEST(bounds_of_halves) {
    static const struct {
        const char *mnemonic, *code;
        int high, low;
        bool within;
    } cases[] = {
        {"vex2.approx.f16x2", "vex2_approx_f16x2", 2, -2, true},
        {"vex2.approx.f16x2", "vex2_approx_f16x2", 0, 3, false},
        {"vex2.approx.f16x2", "vex2_approx_f16x2", -3, 0, false},
        {"vex2.approx.bf16x2", "vex2_approx_bf16x2", -1, 2, true},
        {"vex2.approx.bf16x2", "vex2_approx_bf16x2", 0, -3, false},
        {"vex2.approx.f32", "vex2_approx_f32", 0, 2, true},
        {"vex2.approx.f32", "vex2_approx_f32", 1, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char code[100];
        snprintf(code, sizeof code, "vfcvt_f_x_v 8 1 1; %s 9 8 1; endprg", cases[i].code);
        program p = begin_program(code);
        core_options o = fixture_options();
        o.profile = KARAT_PUBLIC;
        o.audit_percent = 0;
        scoped_stream s = run_program(&p, &o);
        s.at[of(&s, issue_of(&s, 0, cases[i].code, 0), KARAT_REC_WRITE, 0)].write.data[2] +=
            ((uint32_t)cases[i].high << 16) + (uint32_t)cases[i].low;
        const karat_ulp_bound bounds[] = {{cases[i].mnemonic, 2}};
        karat_check_config config = judge_config();
        config.model.profile = KARAT_PUBLIC;
        config.bounds = bounds;
        config.num_bounds = 1;
        scoped_outcome judged = conclude(replay(&s, &config));
        if ((judged.verdict == KARAT_PASS) != cases[i].within)
            fail_msg("%s by %d, %d: %s", cases[i].mnemonic, cases[i].high, cases[i].low, judged.line);
        assert_int_equal(count_of(&judged, "ulp"), cases[i].within);
    }
}

/* --- Matrix products: the distance is that from the exact sum --- */

/* A is 1, B is 1, C is 2^24: eight times 1 is lost, one by one; not in the exact sum, 2^24 + 8, whose last
 * place is 2. */
static stream sum_stream(bool halves, uint32_t gives) {
    program p = begin_program("lui 20 260096; lui 21 309248; vmv_v_x 8 20; vmv_v_x 9 20; vmv_v_x 12 20; "
                              "vmv_v_x 13 20; vmv_v_x 16 21; vmv_v_x 17 21");
    if (halves) /* 1 is 3c00, 2^11 is 6800, of which the last place is 2: the sum is 2^11 + 8 in both ways */
        put_code(&p, "lui 20 245764; addi 20 20 -1024; lui 21 425991; addi 21 21 -2048; vmv_v_x 8 20; "
                     "vmv_v_x 9 20; vmv_v_x 12 20; vmv_v_x 13 20; vmv_v_x 16 21; "
                     "mma_m8n8k8_row_col_f16_f16_f16_f16 16 8 12");
    else
        put_code(&p, "mma_m8n8k8_row_col_f32_tf32_tf32_f32 16 8 12");
    put_code(&p, "vadd_vi 20 16 1 1; endprg");
    core_options o = fixture_options();
    o.profile = KARAT_PUBLIC;
    o.num_thread = 32;
    o.audit_percent = 0;
    o.gives &= gives;
    return run_program(&p, &o);
}

static outcome judge_sum(bool halves, uint32_t by, uint32_t bound, uint32_t gives) {
    static const char *const rows[] = {"mma_m8n8k8_row_col_f32_tf32_tf32_f32",
                                       "mma_m8n8k8_row_col_f16_f16_f16_f16"};
    karat_ulp_bound bounds[] = {{"mma", bound}};
    karat_check_config config = judge_config();
    config.model.profile = KARAT_PUBLIC;
    config.bounds = bounds;
    config.num_bounds = 1;
    scoped_stream s = sum_stream(halves, gives);
    if (gives >> KARAT_REC_WRITE & 1) {
        const size_t issue = issue_of(&s, 0, rows[halves], 0), next = issue_of(&s, 0, "vadd_vi", 0);
        s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[2] += by;
        s.at[of(&s, next, KARAT_REC_READ, 0)].read.data[2] += by;
        s.at[of(&s, next, KARAT_REC_WRITE, 0)].write.data[2] += by;
    }
    return conclude(replay(&s, &config));
}

TEST(bound_of_sums) {
    for (int by = -2; by <= 10; by++) {
        scoped_outcome o = judge_sum(false, (uint32_t)by, 4, ~0u);
        const bool within = by >= 0 && by <= 8; /* The model is 4 units below the sum */
        if ((o.verdict == KARAT_PASS) != within)
            fail_msg("by %d: %s", by, o.line);
        assert_int_equal(count_of(&o, "ulp"), by && within);
        char text[200];
        const int hundredths = by < 0 ? 400 - 50 * by : 100 * abs(by - 4); /* Below 2^24 a last place is 1 */
        snprintf(
            text, sizeof text,
            "lane  2: exact sum 0x1.000008p+24; distance of the core %d.%02d units, of the model 4.00 units",
            hundredths / 100, hundredths % 100);
        assert_int_equal(strstr(o.text, text) != NULL, !within);
        assert_int_equal(strstr(o.text, "permits 4 units") != NULL, !within);
    }
    scoped_outcome exact =
        judge_sum(false, 4, 0, ~0u); /* Without a bound the model's order is the only one */
    assert_int_equal(exact.verdict, KARAT_MISMATCH);
    assert_non_null(strstr(exact.text, "distance of the core 0.00 units, of the model 4.00 units"));
}

TEST(bound_of_sums_in_halves) {
    for (int high = -3; high <= 3; high++)
        for (int low = -3; low <= 3; low++) {
            scoped_outcome o = judge_sum(true, ((uint32_t)high << 16) + (uint32_t)low, 2, ~0u);
            assert_int_equal(o.verdict == KARAT_PASS, abs(high) <= 2 && abs(low) <= 2);
        }
    scoped_outcome o = judge_sum(true, 3 << 16, 2, ~0u);
    assert_non_null(strstr(o.text, "exact sum 0x1.01p+11, 0x1.01p+11; distance of the core 3.00 units, of "
                                   "the model 0.00 units"));
}

/* Operands are kept until the WRITE, so that it has to come. */
TEST(bound_of_sums_needs_write) {
    const uint32_t gives = ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    scoped_outcome bounded = judge_sum(false, 0, 4, gives), exact = judge_sum(false, 0, 0, gives);
    assert_int_equal(bounded.verdict, KARAT_BAD_INPUT);
    assert_non_null(strstr(bounded.text, "the description has a bound of mma, which needs write"));
    assert_int_equal(exact.verdict, KARAT_PASS);
}

/* The core's number is in the register from then on: going back to the model's is wrong. */
TEST(value_is_taken) {
    scoped_stream s = exp_stream();
    nudge(&s, 1, false);
    expect(&s, "karat: MISMATCH (wrong operand read)", 1);
    size_t sum = issue_of(&s, 0, "vadd_vi", 0);
    s.at[of(&s, sum, KARAT_REC_READ, 0)].read.data[2] += 1;
    expect(&s, "karat: MISMATCH (wrong value written)", 1);
}

/* The core's unit hands its result to the next instruction before it is in the register file. */
static stream bypassed(bool reads, uint32_t by) {
    stream s = exp_stream_of(reads, false);
    nudge(&s, by, true);
    size_t sum = issue_of(&s, 0, "vadd_vi", 0),
           write = of(&s, issue_of(&s, 0, "vfexp_v", 0), KARAT_REC_WRITE, 0);
    assert_true(write < sum);
    move(&s, write, reads ? of(&s, sum, KARAT_REC_READ, 0) + 1 : sum + 1);
    return s;
}

static size_t read_of_sum(const stream *s) {
    return of(s, issue_of(s, 0, "vadd_vi", 0), KARAT_REC_READ, 0);
}

static size_t write_of_exp(const stream *s) {
    return of(s, issue_of(s, 0, "vfexp_v", 0), KARAT_REC_WRITE, 0);
}

TEST(read_before_its_write) {
    for (int with = 0; with < 4; with++)
        for (int by = -2; by <= 2; by++) {
            const bool reads = with & 1, audits = with & 2;
            scoped_stream s = bypassed(reads, (uint32_t)by);
            s.at[nth(&s, KARAT_REC_HELLO, 0)].hello.gives &= audits ? ~0u : ~(1u << KARAT_REC_AUDIT);
            scoped_outcome o = judge_bounded(&s);
            assert_int_equal(o.verdict, KARAT_PASS);
            assert_int_equal(count_of(&o, "ulp"), by != 0);
            assert_int_equal(count_of(&o, "adopted"), 0); /* The step waited for the number */
        }
    for (int by = -3; by <= 3; by += 6) {
        scoped_stream s = bypassed(true, (uint32_t)by);
        expect(&s, "karat: MISMATCH (wrong operand read)", 0);
        stream_free(&s);
        s = bypassed(false, (uint32_t)by);
        expect(&s, "karat: MISMATCH (wrong value written)", 0);
    }
}

/* v9 has the powers of v8, but in lane 2 what v8 has. */
static void put_masked_power(program *p) {
    put_prologue(p);
    put_code(p, "vfcvt_f_x_v 8 1 1; vmv_v_v 9 8; vmsne_vi 0 1 2 1; vfexp_v 9 8 0");
}

/* A lane that the mask leaves out is exact, before the WRITE as after it. */
TEST(not_of_idle_lanes) {
    program p = {.num = 0};
    put_masked_power(&p);
    put_code(&p, "vadd_vi 10 9 1 1; endprg");
    core_options o = fixture_options();
    o.audit_percent = 0;
    for (uint32_t lane = 1; lane < 3; lane++)
        for (int early = 0; early < 2; early++) {
            scoped_stream s = run_program(&p, &o);
            const size_t sum = issue_of(&s, 0, "vadd_vi", 0), write = write_of_exp(&s);
            s.at[write].write.data[lane] += lane == 1;
            s.at[of(&s, sum, KARAT_REC_READ, 0)].read.data[lane]++;
            s.at[of(&s, sum, KARAT_REC_WRITE, 0)].write.data[lane]++;
            if (early)
                move(&s, write, of(&s, sum, KARAT_REC_READ, 0) + 1);
            expect(&s, lane == 1 ? "karat: PASS " : "karat: MISMATCH (wrong operand read)", lane == 1);
        }
    /* So an AUDIT of it is compared at once. */
    scoped_stream s = run_program(&p, &o);
    const size_t write = write_of_exp(&s), exp = issue_of(&s, 0, "vfexp_v", 0);
    record audit = {.audit = {.h = s.at[exp].h, .regno = 9, .cls = KARAT_V, .mask = 4}};
    audit.h.kind = KARAT_REC_AUDIT;
    audit.audit.data[2] = s.at[of(&s, issue_of(&s, 0, "vadd_vi", 0), KARAT_REC_READ, 0)].read.data[2];
    assert_true(write > exp);
    stream_insert(&s, exp + 1, &audit);
    expect(&s, "karat: PASS ", 0);
    s.at[exp + 1].audit.data[2]++;
    expect(&s, "karat: MISMATCH (", 0);
}

/* Whichever record came first, the other agrees with it exactly. */
TEST(reported_once) {
    for (int by = -3; by <= 1; by++) { /* Each but by 0 within the model's bound, or not */
        if (!by)
            continue;
        scoped_stream s = bypassed(true, 1);
        s.at[write_of_exp(&s)].write.data[2] += (uint32_t)by;
        expect(&s, "karat: MISMATCH (wrong value written)", 0);
        stream_free(&s);
        s = exp_stream();
        nudge(&s, 1, true);
        s.at[read_of_sum(&s)].read.data[2] += (uint32_t)by;
        expect(&s, "karat: MISMATCH (wrong operand read)", 1);
    }
    /* Of a READ that came twice, the second. */
    scoped_stream s = bypassed(true, 1);
    record again = s.at[read_of_sum(&s)];
    again.read.data[2]--;
    stream_insert(&s, read_of_sum(&s) + 1, &again);
    expect(&s, "karat: MISMATCH (wrong operand read)", 0);
}

/* A READ of some bits reports no result: the WRITE may say another within the bound. */
TEST(some_bits_tell_nothing) {
    for (int by = -2; by <= 2; by++) {
        scoped_stream s = bypassed(true, (uint32_t)by);
        karat_rec_read *read = &s.at[read_of_sum(&s)].read;
        read->bits = 16;
        for (uint32_t lane = 0; lane < 4; lane++)
            read->data[lane] ^= 0x55550000; /* Not given */
        expect(&s, "karat: PASS ", by ? 1 : 0);
    }
}

/* --- Without WRITE --- */

/* Two programs in one: the power is stored, and a sum of it as well. */
static stream unwritten_stream(bool reads, bool mem) {
    program p = begin_program("vfcvt_f_x_v 8 1 1; vfexp_v 9 8 1; vsw12_v 9 0 3; vadd_vi 10 9 1 1; "
                              "vsw12_v 10 64 3; vsw12_v 9 128 3; endprg");
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    o.gives &= reads ? ~0u : ~(1u << KARAT_REC_READ);
    o.gives &= mem ? ~0u : ~(1u << KARAT_REC_MEM);
    return run_program(&p, &o);
}

/* Store number n, of three, of lane 2 of slot 0: READ and MEM of its data. */
static void nudge_store(stream *s, uint32_t n, uint32_t by) {
    const uint32_t gives = s->at[nth(s, KARAT_REC_HELLO, 0)].hello.gives;
    const size_t store = issue_of(s, 0, "vsw12_v", n);
    for (size_t i = store; i < s->num; i++) {
        record *r = &s->at[i];
        if (r->h.slot != 0 || r->h.epoch != s->at[store].h.epoch || seq_of(r) != s->at[store].issue.seq)
            continue;
        if (r->h.kind == KARAT_REC_READ && gives >> KARAT_REC_READ & 1 && r->read.source == 2)
            r->read.data[2] += by;
        if (r->h.kind == KARAT_REC_MEM && r->mem.mask & 4)
            r->mem.data[2] += by;
    }
}

static void nudge_all(stream *s, uint32_t by) {
    for (uint32_t n = 0; n < 3; n++)
        nudge_store(s, n, by);
    if (s->at[nth(s, KARAT_REC_HELLO, 0)].hello.gives >> KARAT_REC_READ & 1)
        s->at[read_of_sum(s)].read.data[2] += by;
}

/* The first READ of it reports it, or the first store. */
TEST(reported_without_write) {
    for (int with = 1; with < 4; with++)
        for (int by = -3; by <= 3; by++) {
            const bool reads = with & 1, mem = with & 2;
            scoped_stream s = unwritten_stream(reads, mem);
            nudge_all(&s, (uint32_t)by);
            if (by >= -2 && by <= 2)
                expect(&s, "karat: PASS ", by != 0);
            else
                expect(&s,
                       reads ? "karat: MISMATCH (wrong operand read)" : "karat: MISMATCH (wrong data stored)",
                       0);
            if (mem && !reads && by == 1) { /* Counted once, however many lanes */
                scoped_stream two = stream_copy(&s);
                for (uint32_t n = 0; n < 3; n++)
                    two.at[of(&two, issue_of(&two, 0, "vsw12_v", n), KARAT_REC_MEM, 0)].mem.data[3]++;
                expect(&two, "karat: PASS ", 1);
            }
            if (by && by >= -2 && by <= 2) { /* It has come: the next one has the same */
                nudge_store(&s, 2, (uint32_t)-by);
                expect(&s,
                       reads ? "karat: MISMATCH (wrong operand read)" : "karat: MISMATCH (wrong data stored)",
                       1);
            }
        }
    /* A value computed from it before any record is taken from its store's MEM: without READ there is no
     * better source. */
    for (int told = 0; told < 2; told++) {
        program p = begin_program("vfexp_v 9 1 1");
        put(&p, "vsw12_v", told ? 9 : 1, 64, 3);
        put_code(&p, "vadd_vi 10 9 1 1; vsw12_v 10 0 3; endprg");
        core_options options = fixture_options();
        options.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_READ);
        scoped_stream s = run_program(&p, &options);
        nudge_store(&s, 1, 12345);
        scoped_outcome o = judge_bounded(&s);
        assert_int_equal(o.verdict, told ? KARAT_MISMATCH : KARAT_PASS);
        assert_int_equal(count_of(&o, "adopted"), !told);
        assert_int_equal(count_of(&o, "undefined"), 0);
    }
}

/* Of a store's lanes only those that hold such a number, and only those that the record is of. */
TEST(reported_lane_by_lane) {
    program p = {.num = 0};
    put_masked_power(&p);
    put_code(&p, "vmv_v_i 0 1; vsw12_v 9 0 3; endprg");
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_READ);
    o.split = false;
    scoped_stream s = run_program(&p, &o);
    const size_t mem = of(&s, issue_of(&s, 0, "vsw12_v", 0), KARAT_REC_MEM, 0);
    assert_int_equal(s.at[mem].mem.mask, 15);
    for (uint32_t lane = 0; lane < 4; lane++) {
        scoped_stream nudged = stream_copy(&s);
        nudged.at[mem].mem.data[lane]++;
        expect(&nudged, lane == 2 ? "karat: MISMATCH (wrong data stored)" : "karat: PASS ", lane != 2);
        record rest = nudged.at[mem]; /* A lane that is not in a piece's mask is not there */
        nudged.at[mem].mem.mask = 15 & ~(1u << lane);
        nudged.at[mem].mem.data[lane] = 12345;
        rest.mem.mask = 1u << lane;
        for (uint32_t other = 0; other < 4; other++)
            rest.mem.data[other] += other != lane;
        stream_insert(&nudged, mem + 1, &rest);
        expect(&nudged, lane == 2 ? "karat: MISMATCH (wrong data stored)" : "karat: PASS ", lane != 2);
    }
}

/* --- Stores of what no record has reported that are under way, made by hand --- */

/* A younger store to the same place is compared as ever, and its data stay there. */
TEST(stored_behind_it) {
    program p = begin_program("vfexp_v 9 1 1; vsw12_v 9 0 3; vsw12_v 1 0 3; vlw12_v 10 0 3; "
                              "vsw12_v 10 64 3; endprg");
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_READ);
    for (uint32_t wrong = 0; wrong < 3; wrong++) {
        scoped_stream s = run_program(&p, &o);
        const size_t mem = of(&s, issue_of(&s, 0, "vsw12_v", 0), KARAT_REC_MEM, 0);
        s.at[mem].mem.data[2]++;
        move(&s, mem, issue_of(&s, 0, "vsw12_v", 1) + 1);
        if (wrong)
            s.at[of(&s, issue_of(&s, 0, "vsw12_v", wrong), KARAT_REC_MEM, 0)].mem.data[2]++;
        expect(&s, wrong ? "karat: MISMATCH (wrong data stored)" : "karat: PASS ", 1);
    }
}

/* A decision by a number that no record reports is not judged; by a reported one it is. */
TEST(decided_without_write) {
    for (int what = 0; what < 5; what++)
        for (int reads = 0; reads < 2; reads++) {
            program p = begin_program("vmv_v_i 9 0");
            put(&p, "vfexp_v", 9, 1, 1); /* 1.0 */
            switch (what) {
            case 0: put(&p, "vbne", 9, 3, 4); break;
            case 1: put(&p, "vadd_vi", 10, 9, 0, 1), put(&p, "vbne", 10, 3, 4); break;
            case 2: put(&p, "vmv_v_v", 0, 9), put(&p, "vadd_vi", 12, 1, 1, 0); break;
            case 3: put(&p, "vmv_x_s", 13, 9), put(&p, "csrrw", 0, 0x340, 13); break;
            default: /* An address */
                put_code(&p, "vsub_vv 10 9 3 1; vsub_vv 10 9 10 1; vlw12_v 11 0 10");
                break;
            }
            put0(&p, "endprg");
            core_options o = fixture_options();
            o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
            o.gives &= reads ? ~0u : ~(1u << KARAT_REC_READ);
            scoped_stream s = run_program(&p, &o);
            expect(&s, reads ? "karat: PASS " : "karat: INCOMPLETE (ended early)", 0);
        }
}

/* No record reports what was stored: memory is not judged there, and only there; nor is what is loaded
 * from it. */
TEST(memory_in_doubt) {
    static const struct {
        uint32_t offset;
        int by;
        const char *line;
    } cases[] = {{8, 0, "karat: PASS "},
                 {8, 2, "karat: INCOMPLETE (ended early)"},
                 {0x100, 0, "karat: PASS "},
                 {0x100, 2, "karat: MISMATCH (device memory differs)"}};
    scoped_stream s = unwritten_stream(false, false);
    for (size_t i = 0; i < s.num; i++)
        if (s.at[i].h.kind == KARAT_REC_HELLO)
            s.at[i].hello.props |= KARAT_PROP_FLUSHED;
    karat_check_config config = bounded_config();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scoped_stream told = stream_copy(&s);
        const size_t bye = told.num - 1;
        karat_checker *c = replay(&told, &config); /* The model's bytes there */
        record r = {.contents = {.h = {.kind = KARAT_REC_CONTENTS, .cycle = told.at[bye].h.cycle},
                                 .addr = DATA_BASE + cases[i].offset,
                                 .length = 4}};
        assert_int_equal(karat_read(model_of(c), r.contents.addr, r.contents.data, 4), KARAT_OK);
        karat_checker_destroy(c);
        r.contents.data[0] += (uint8_t)cases[i].by;
        stream_insert(&told, bye, &r);
        expect(&told, cases[i].line, 0);
    }
    /* Bytes of which some are in doubt: these are taken, and the first one is named. */
    const uint64_t end = DATA_BASE + 0x80;
    for (int wrong = 0; wrong < 3; wrong++) {
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i + 1 < s.num; i++)
            assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
        record r = {.contents = {.h = {.kind = KARAT_REC_CONTENTS, .cycle = s.at[s.num - 1].h.cycle},
                                 .addr = end + 64 - 9,
                                 .length = 20}};
        assert_int_equal(karat_read(model_of(c), r.contents.addr, r.contents.data, 20), KARAT_OK);
        const uint8_t before = r.contents.data[3];
        r.contents.data[2] ^= 0xff;
        r.contents.data[wrong == 1 ? 8 : 4] ^= 0xff;
        r.contents.data[10] ^= wrong == 2 ? 1 : 0; /* Of another line, which is not in doubt */
        assert_int_equal(karat_checker_record(c, &r, sizeof r.contents), wrong == 2);
        uint8_t after[20];
        assert_int_equal(karat_read(model_of(c), r.contents.addr, after, 20), KARAT_OK);
        if (wrong < 2)
            assert_memory_equal(after, r.contents.data, 20);
        assert_int_equal(after[3], before);
        char text[60];
        snprintf(text, sizeof text,
                 "0x%08llx: ", (unsigned long long)r.contents.addr + (wrong == 2 ? 10 : 2));
        if (wrong < 2)
            assert_true(feed(c, &s.at[s.num - 1]));
        scoped_outcome o = conclude(c);
        if (!strstr(o.text, text))
            fail_msg("no '%s' in\n%s", text, o.text);
        assert_int_equal(o.verdict, wrong == 2 ? KARAT_MISMATCH : KARAT_INCOMPLETE);
    }
    /* Of a region of which only a hash is known it cannot be known whether it is that. */
    for (int doubt = 0; doubt < 2; doubt++) {
        program p = begin_program("");
        put(&p, doubt ? "vfexp_v" : "vfcvt_f_x_v", 9, 1, 1);
        put_code(&p, "vsw12_v 9 0 3; endprg");
        core_options o = fixture_options();
        o.kernels = 2;
        o.gives &=
            ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_READ | 1u << KARAT_REC_MEM);
        scoped_stream two = run_program(&p, &o);
        expect(&two, "karat: PASS ", 0);
        size_t region = nth(&two, KARAT_REC_KERNEL, 1);
        while (two.at[region].h.kind != KARAT_REC_REGION || !two.at[region].region.hash_valid)
            region--;
        two.at[region].region.hash ^= 1;
        expect(&two, doubt ? "karat: INCOMPLETE (" : "karat: MISMATCH (device memory differs)", 0);
    }
    for (uint32_t lane = 0; lane < 4; lane++) { /* One lane alone is in doubt; each has a line of its own */
        program p = begin_program("vmv_v_i 9 5");
        put(&p, "vmseq_vi", 0, 1, (int32_t)lane, 1);
        put_code(&p, "vfexp_v 9 1 0; addi 22 0 64; vmv_v_i 0 1; vsse32_v 9 10 22 1; endprg");
        core_options o = fixture_options();
        o.gives &=
            ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_READ | 1u << KARAT_REC_MEM);
        scoped_stream strided = run_program(&p, &o);
        scoped_checker *c = replay(&strided, &config);
        for (uint32_t n = 0; n < 4; n++)
            assert_int_equal(is_doubted(c, DATA_BASE + 64 * n), n == lane);
    }
    for (int doubt = 0; doubt < 2; doubt++)
        for (int same = 0; same < 2; same++) {
            program p = begin_program("vmv_v_i 9 0");
            put(&p, doubt ? "vfexp_v" : "vfcvt_f_x_v", 9, 1, 1);
            put(&p, "vsw12_v", 9, 0, 3);
            put(&p, "vlw12_v", 10, same ? 0 : 256, 3);
            put_code(&p, "vbne 10 3 4; endprg");
            core_options o = fixture_options();
            o.gives &=
                ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_READ | 1u << KARAT_REC_MEM);
            scoped_stream loaded = run_program(&p, &o);
            expect(&loaded, doubt && same ? "karat: INCOMPLETE (ended early)" : "karat: PASS ", 0);
        }
}

/* KARAT_POWERS=FIRST: other seeds than the usual ones. */
static uint64_t many_from(void) {
    const char *first = getenv("KARAT_POWERS");
    return first ? strtoull(first, NULL, 10) : 0;
}

/* Random programs of a core whose numbers are within its bound, or one of them is not, whatever it gives. */
TEST(random_powers) {
    const uint32_t num = share_of(300);
    uint32_t passed = 0, not_judged = 0, used = 0, read = 0, found = 0;
    for (uint32_t n = 1; n <= num; n++) {
        /* An older result comes after a younger one's step; narrow stores over wide ones; AUDITs before a
         * WRITE; lanes that store twice. */
        static const uint64_t chosen[] = {1275, 2026, 30, 48, 193, 196};
        const uint64_t seed = n <= 6 ? chosen[n - 1] : many_from() + n;
        rng r = {seed};
        program p = {.num = 0};
        put_approximate(&p, &r, 2 + rng_below(&r, 10), rng_chance(&r, 30));
        core_options o = core_random(seed);
        o.lds_size = 0x1000;
        o.noise = 2;
        o.regs = KARAT_REGS_CLEARED;
        if (!rng_chance(&r, 25))
            o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
        if (rng_chance(&r, 30))
            o.gives &= ~(1u << KARAT_REC_READ);
        if (rng_chance(&r, 30))
            o.gives &= ~(1u << KARAT_REC_MEM);
        if (o.gives >> KARAT_REC_MEM & 1)
            o.kernels = 1; /* Memory between two has stores whose MEM is still to come */
        const bool written = o.gives >> KARAT_REC_WRITE & 1, reads = o.gives >> KARAT_REC_READ & 1;
        scoped_stream s = run_program(&p, &o);
        scoped_outcome out = judge_bounded(&s);
        const bool may_give_up =
            !reads && !(written && o.gives >> KARAT_REC_MEM & 1) && out.verdict == KARAT_INCOMPLETE;
        if (out.verdict != KARAT_PASS && !may_give_up) {
            fputs(out.text, stderr);
            fail_msg("seed %" PRIu64 ": %s", seed, out.line);
        }
        passed += out.verdict == KARAT_PASS;
        not_judged += out.verdict != KARAT_PASS;
        used += count_of(&out, "ulp") > 0;
        outcome_free(&out);
        stream_free(&s);
        if (written || !reads)
            continue;
        o.noise = 3;
        o.far = true;
        s = run_program(&p, &o);
        out = judge_bounded(&s);
        read++;
        found += out.verdict == KARAT_MISMATCH;
    }
    assert_true(passed >= num / 2 && used >= num / 2);
    if (num == 300)
        assert_true(not_judged > 5);
    assert_true(found * 10 >= read * 9 && read);
}

/* Without a declared bound, and in instructions without one, everything is exact. */
TEST(exact_elsewhere) {
    scoped_stream s = exp_stream();
    nudge(&s, 1, true);
    FAILS(&s, WRITE_VALUE, &s.at[issue_of(&s, 0, "vfexp_v", 0)]);
    stream_free(&s);
    s = exp_stream();
    size_t issue = issue_of(&s, 0, "vfcvt_f_x_v", 0);
    s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[1] += 1;
    expect(&s, "karat: MISMATCH (wrong value written)", 0);
}

TEST(bad_bounds) {
    static const karat_ulp_bound bad[][1] = {{{"vfadd.vv", 1}}, {{"nothing", 1}}, {{"vfexp.v", 65537}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        karat_check_config config = judge_config();
        config.bounds = bad[i];
        config.num_bounds = 1;
        assert_string_equal(karat_check_bad_bound(&config), bad[i][0].row);
        assert_null(karat_checker_create(&config));
    }
    karat_check_config config = bounded_config();
    assert_null(karat_check_bad_bound(&config));
    /* Each of several is looked at, and the last of those of a row counts. */
    static const karat_ulp_bound second[] = {{"vfexp.v", 1}, {"nothing", 1}},
                                 two[] = {{"vfexp.v", 1}, {"vfexp.v", 65536}};
    config.bounds = second;
    config.num_bounds = 2;
    assert_string_equal(karat_check_bad_bound(&config), "nothing");
    config.bounds = two;
    scoped_stream s = exp_stream();
    nudge(&s, 100, true);
    scoped_outcome o = conclude(replay(&s, &config));
    assert_int_equal(o.verdict, KARAT_PASS);
}

RUN_TESTS("ulp")
