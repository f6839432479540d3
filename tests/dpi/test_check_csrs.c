/* CSRs as operands of what has gone wrong, and CSRs as the core holds them. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

static core_options one_warp(void) {
    core_options o = core_default();
    o.wg_size = o.workgroups = 1;
    o.audit_percent = 0;
    return o;
}

/* What the record of that kind of instruction number seq says is changed; the cause begins so. */
typedef void spoiler(record *r, uint32_t bits);

static void spoil_value(record *r, uint32_t bits) {
    r->write.data[0] += bits;
}
static void spoil_lanes(record *r, uint32_t bits) {
    r->write.mask ^= bits;
}
static void spoil_csr(record *r, uint32_t bits) {
    r->csr.value ^= bits;
}
static void spoil_rpc(record *r, uint32_t bits) {
    r->simt.top_rpc ^= bits;
}

static void expect_cause(const program *p, const core_options *o, uint32_t seq, unsigned kind, spoiler *spoil,
                         uint32_t bits, const char *cause) {
    char text[200];
    stream s = run_program(p, o);
    bool found = false;
    for (size_t i = 0; i < s.num && !found; i++)
        if (s.at[i].h.kind == KARAT_REC_ISSUE && s.at[i].issue.seq == seq) {
            spoil(&s.at[of(&s, i, kind, 0)], bits);
            found = true;
        }
    assert_true(found);
    snprintf(text, sizeof text, "\n  cause     %s", cause);
    outcome out = judge(&s);
    if (!strstr(out.text, text))
        fail_msg("no '%s' in\n%s", cause, out.text);
    outcome_free(&out);
    stream_free(&s);
}

/* Every CSR that keeps what is written, set by every kind of instruction that can: it is suspected with who reads that CSR, and with no other. */
static void every_csr(void **state) {
    (void)state;
    static const int32_t csrs[] = {0x002, 0x009, 0x00a, 0x300, 0x305, 0x340, 0x80b, 0x80c};
    static const char *const rows[] = {"csrrwi", "csrrsi", "csrrci"};
    const core_options o = one_warp();
    for (size_t i = 0; i < sizeof csrs / sizeof *csrs; i++)
        for (size_t k = 0; k < sizeof csrs / sizeof *csrs; k++)
            for (size_t n = 0; n < 3; n++) {
                program p = {.num = 0};
                put_prologue(&p);
                const uint32_t set = p.num, read = set + 2;
                put(&p, rows[n], 0, csrs[i], 1);
                put(&p, "addi", 14, 0, 1);
                put(&p, "csrrs", 13, csrs[k], 0);
                put0(&p, "endprg");
                char cause[80];
                if (i == k)
                    snprintf(cause, sizeof cause,
                             "seq %u or %u: the last reads %s, the others can have set it since %s", set,
                             read, karat_csr_name((uint32_t)csrs[k]), n ? "the launch" : "seq ");
                else
                    snprintf(cause, sizeof cause, "seq %u itself, or the launch", read);
                expect_cause(&p, &o, read, KARAT_REC_WRITE, spoil_value, 1, cause);
            }
}

/* csrrc inverts what it should clear: it has read the old value right, and so it or the next reader is at fault, and not who wrote it
 * before. */
static void read_and_set(void **state) {
    (void)state;
    core_options o = one_warp();
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "csrrwi", 0, 0x340, 5);
    const uint32_t sets = p.num;
    put(&p, "csrrci", 12, 0x340, 2);
    put(&p, "addi", 14, 0, 1);
    const uint32_t reads = p.num;
    put(&p, "csrrs", 13, 0x340, 0);
    put(&p, "sw", 13, 512, 10);
    put0(&p, "endprg");
    char cause[160];
    for (int without_csr = 0; without_csr < 2; without_csr++) {
        o.gives &= ~(without_csr ? 1u << KARAT_REC_CSR : 0);
        snprintf(cause, sizeof cause,
                 "seq %u or %u: the last reads mscratch, the others can have set it since seq %u, where it "
                 "was last "
                 "read or written\n",
                 sets, reads, sets);
        expect_cause(&p, &o, reads, KARAT_REC_WRITE, spoil_value, 2, cause);
    }
    /* Of a core without WRITE nothing has shown what was read, but a READ that was equal. */
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    stream s = run_program(&p, &o);
    for (int read = 0; read < 2; read++) {
        const size_t store = issue_of(&s, 0, "sw", 0);
        for (size_t i = store; s.at[i].h.kind != KARAT_REC_MEM; i++)
            if (s.at[i].h.kind == KARAT_REC_READ && s.at[i].read.source == 2)
                s.at[i].read.data[0] ^= 2;
        outcome out = judge(&s);
        snprintf(cause, sizeof cause, "\n  cause     seq %u, %u or %u, or the way of x13 to seq %u", sets - 1,
                 sets, reads, reads + 1);
        if (!strstr(out.text, cause) || !strstr(out.text, "    mscratch seq "))
            fail_msg("no '%s' in\n%s", cause, out.text);
        outcome_free(&out);
        break;
    }
    stream_free(&s);
}

/* What a wrong value was set from: of a core without WRITE, the operands of who has set it. */
static void set_to_what_was_wrong(void **state) {
    (void)state;
    core_options o = one_warp();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_CSR | 1u << KARAT_REC_READ);
    program p = {.num = 0};
    put_prologue(&p);
    const uint32_t first = p.num;
    put(&p, "addi", 14, 0, 5);
    put(&p, "csrrw", 0, 0x340, 14);
    put(&p, "csrrs", 13, 0x340, 0);
    put(&p, "sw", 13, 512, 10);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    s.at[of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0)].mem.data[0] ^= 1;
    outcome out = judge(&s);
    char cause[80];
    snprintf(cause, sizeof cause, "\n  cause     seq %u, %u, %u or %u: ", first, first + 1, first + 2,
             first + 3);
    if (!strstr(out.text, cause))
        fail_msg("no '%s' in\n%s", cause, out.text);
    json_t *producers = json_object_get(json_object_get(out.json, "failure"), "producers"), *at;
    size_t i, found = 0;
    json_array_foreach(producers, i, at) {
        if (strcmp(json_string_value(json_object_get(at, "class")), "csr") != 0)
            continue;
        found++;
        assert_int_equal(json_integer_value(json_object_get(at, "register")), 0x340);
        assert_int_equal(json_integer_value(json_object_get(at, "seq")), first + 1);
        assert_int_equal(json_integer_value(json_object_get(at, "reader")), first + 2);
        assert_string_equal(json_string_value(json_object_get(at, "source")), "csr");
    }
    assert_int_equal(found, 1);
    outcome_free(&out);
    stream_free(&s);
}

/* CSRs that an instruction depends on without naming them: where what differs can come of them. */
static void implied(void **state) {
    (void)state;
    enum { NEAR = 1, FAR = 16 };
    static const struct {
        const char *set, *use;
        int32_t set_operands[3], operands[4];
        size_t num;
        unsigned kind;
        spoiler *spoil;
        uint32_t bits;
        bool both;
    } cases[] = {
        {"csrrwi", "vfadd_vv", {0, 0x002, 1}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, NEAR, true},
        {"csrrwi",
         "vfadd_vv",
         {0, 0x002, 1},
         {9, 8, 8, 1},
         4,
         KARAT_REC_WRITE,
         spoil_value,
         (uint32_t)-1,
         true},
        {"csrrwi", "vfadd_vv", {0, 0x002, 1}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, FAR, false},
        {"csrrwi", "vftta_vv", {0, 0x002, 1}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, FAR, true},
        {"csrrwi", "fadd_s", {0, 0x002, 1}, {12, 7, 7, 7}, 4, KARAT_REC_WRITE, spoil_value, NEAR, true},
        {"csrrwi",
         "fadd_s",
         {0, 0x002, 1},
         {12, 7, 7, 0},
         4,
         KARAT_REC_WRITE,
         spoil_value,
         NEAR,
         false}, /* its own mode */
        {"csrrwi", "fadd_s", {0, 0x003, 1}, {12, 7, 7, 7}, 4, KARAT_REC_WRITE, spoil_value, NEAR, true},
        {"csrrwi", "vadd_vv", {0, 0x002, 1}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, NEAR, false},
        {"csrrwi", "vfadd_vv", {0, 0x001, 1}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, NEAR, false},
        {"csrrwi", "vaadd_vv", {0, 0x00a, 1}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, NEAR, true},
        {"csrrwi", "vasubu_vv", {0, 0x00f, 1}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, NEAR, true},
        {"csrrwi", "vssrl_vi", {0, 0x00a, 1}, {9, 8, 3, 1}, 4, KARAT_REC_WRITE, spoil_value, NEAR, true},
        {"csrrwi", "vssra_vi", {0, 0x00a, 1}, {9, 8, 3, 1}, 4, KARAT_REC_WRITE, spoil_value, FAR, false},
        {"csrrwi", "vsmul_vv", {0, 0x00a, 1}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, NEAR, true},
        {"vsetivli", "vadd_vv", {0, 2, 0xd0}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_lanes, 4, true},
        {"vsetivli", "vadd_vv", {0, 2, 0xd0}, {9, 8, 8, 1}, 4, KARAT_REC_WRITE, spoil_value, 1, false},
        {"setrpc", "vbne", {0, 5, 20}, {1, 9, 8}, 3, KARAT_REC_SIMT, spoil_rpc, 4, true},
        {"csrrwi", "csrrsi", {0, 0x340, 1}, {0, 0x340, 2}, 3, KARAT_REC_CSR, spoil_csr, 1, true},
        {"csrrwi", "csrrci", {0, 0x002, 1}, {12, 0x002, 2}, 3, KARAT_REC_CSR, spoil_csr, 1, true},
        {"csrrwi", "csrrwi", {0, 0x340, 1}, {0, 0x340, 2}, 3, KARAT_REC_CSR, spoil_csr, 1, false},
    };
    const core_options o = one_warp();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "vadd_vi", 8, 1, 9, 1);
        put(&p, "vmv_v_i", 9, 0);
        put(&p, "auipc", 5, 0);
        const uint32_t set = p.num, use = set + 2;
        put_row(&p, cases[i].set, cases[i].set_operands, 3);
        put(&p, "addi", 14, 0, 1);
        put_row(&p, cases[i].use, cases[i].operands, cases[i].num);
        put(&p, "vadd_vi", 30, 30, 0, 1);
        put0(&p, cases[i].kind == KARAT_REC_SIMT ? "join" : "endprg");
        if (cases[i].kind == KARAT_REC_SIMT)
            put0(&p, "endprg");
        char cause[40];
        if (cases[i].both)
            snprintf(cause, sizeof cause, "seq %u or %u: ", set, use);
        else
            snprintf(cause, sizeof cause, "seq %u itself", use);
        expect_cause(&p, &o, use, cases[i].kind, cases[i].spoil, cases[i].bits, cause);
    }
}

/* --- What the core holds --- */

/* AUDITs of every CSR that there is, with every bit of the mask, behind all that the warp has issued: each bit of each that is given and
 * wrong fails, and of those that are not given none does. */
static void every_bit_of_an_audit(void **state) {
    (void)state;
    static const uint32_t masks[] = {0xffffffff, 0xffff0000, 0x0000ffff, 0x80000001, 0};
    core_options o = one_warp();
    o.uncounted = true;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lui", 12, (int32_t)0x89abd);
    put(&p, "addi", 12, 12, 0x6f);
    put(&p, "csrrw", 0, 0x340, 12);
    put(&p, "csrrw", 0, 0x305, 12);
    put(&p, "csrrw", 0, 0x300, 12);
    put(&p, "csrrwi", 0, 0x00f, 5);
    put(&p, "csrrwi", 0, 0x003, 17);
    put(&p, "vsetivli", 0, 3, 0xd0);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    const size_t end = nth(&s, KARAT_REC_EXIT, 0);
    uint32_t num = 0;
    for (uint32_t csr = 0; csr < 4096; csr++) {
        if (!karat_csr_name(csr))
            continue;
        record audit = s.at[end];
        audit.h.kind = KARAT_REC_AUDIT;
        memset((uint8_t *)&audit + sizeof audit.h, 0, sizeof audit - sizeof audit.h);
        audit.audit.cls = KARAT_CSR;
        audit.audit.regno = (uint16_t)csr;
        /* What it holds in the model, as a checker says where all of it is wrong. */
        uint32_t held = 0;
        for (uint32_t bit = 0; bit < 32; bit++) {
            stream t = stream_copy(&s);
            audit.audit.mask = 1u << bit;
            audit.audit.data[0] = 1u << bit;
            stream_insert(&t, end, &audit);
            outcome out = judge(&t);
            held |= (uint32_t)(out.verdict == KARAT_PASS) << bit;
            if (out.verdict != KARAT_PASS)
                assert_non_null(strstr(out.text, "karat: MISMATCH: wrong CSR value"));
            outcome_free(&out);
            stream_free(&t);
        }
        num++;
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
            for (uint32_t bit = 0; bit <= 32; bit++) { /* 32: none is wrong */
                stream t = stream_copy(&s);
                audit.audit.mask = masks[m];
                audit.audit.data[0] = held ^ (uint32_t)(UINT64_C(1) << bit);
                stream_insert(&t, end, &audit);
                karat_checker *c = replay(&t, NULL);
                const bool wrong = (masks[m] & UINT64_C(1) << bit) != 0;
                if ((karat_checker_verdict(c) == KARAT_MISMATCH) != wrong)
                    fail_msg("CSR 0x%03x mask %08x bit %u: %s", csr, masks[m], bit,
                             wrong ? "passes" : "fails");
                karat_checker_destroy(c);
                stream_free(&t);
            }
        if (csr == 0x340 || csr == 0x305 || csr == 0x300)
            assert_int_equal(held, 0x89abd06f);
    }
    assert_int_equal(num, 26);
    stream_free(&s);
}

int run_csr_tests(void) {
    const struct CMUnitTest list[] = {
        cmocka_unit_test(every_csr),
        cmocka_unit_test(read_and_set),
        cmocka_unit_test(set_to_what_was_wrong),
        cmocka_unit_test(implied),
        cmocka_unit_test(every_bit_of_an_audit),
    };
    return _cmocka_run_group_tests("CSRs", list, sizeof list / sizeof *list, NULL, NULL);
}
