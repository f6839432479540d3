/* CSRs: what instructions write to them, what the core holds in them, and CSRs as operands of what has
 * gone wrong. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

/* The contents of a CSR after the instruction issued last; of vtype some bits. */
static void audit_of_csr(void) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vsetvli", 0);
    record vl = record_at(&s, issue), vtype, at = record_at(&s, issue);
    vl.audit =
        (karat_rec_audit){.h = vl.h, .regno = 0xc20, .cls = KARAT_CSR, .mask = 0xffffffff, .data = {8}};
    vl.h.kind = KARAT_REC_AUDIT;
    vtype = vl;
    vtype.audit.regno = 0xc21;
    vtype.audit.data[0] = 0x11;
    vtype.audit.mask = 0x3f;
    stream_insert(&s, issue + 1, &vl);
    stream_insert(&s, issue + 1, &vtype);
    PASSES(&s);
    s.at[issue + 1].audit.data[0] = 0xd1; /* Bits that are not given say nothing */
    PASSES(&s);
    s.at[issue + 1].audit.data[0] = 0x10;
    FAILS(&s, CSR, &at);
    s.at[issue + 1].audit.data[0] = 0x11;
    s.at[issue + 2].audit.data[0] = 9;
    FAILS(&s, CSR, &at);
    s.at[issue + 2].audit.data[0] = 8;
    s.at[issue + 2].audit.regno = 0x7ff; /* No such CSR */
    FAILS(&s, AUDIT, &at);
    /* Going on after it: the bits that were given are the core's from there on, where such a register can
     * be written. */
    static const struct {
        uint16_t addr;
        uint32_t mask, by;
        bool taken;
    } csrs[] = {{0xc20, 0xffffffff, 12, true},
                {0x340, 0xff, 0x155, true},
                {0x340, 0xff00, 0x1234, true},
                {0xc21, 1, 1, false}};
    for (size_t i = 0; i < sizeof csrs / sizeof *csrs; i++) {
        karat_check_config config = judge_config();
        config.keep_going = true;
        scoped_checker *c = karat_checker_create(&config);
        for (size_t k = 0; k <= issue; k++)
            assert_false(karat_checker_record(c, &s.at[k], karat_rec_size(s.at[k].h.kind)));
        const uint32_t warp = warp_in(c, at.h.slot);
        uint32_t model, now;
        assert_int_equal(karat_csr_read(model_of(c), warp, csrs[i].addr, &model), KARAT_OK);
        record audit = vl;
        audit.audit.regno = csrs[i].addr;
        audit.audit.mask = csrs[i].mask;
        audit.audit.data[0] = model ^ csrs[i].by;
        audit.audit.data[1] = 0x1234567;
        for (int again = 0; again < 2; again++) {
            assert_int_equal(karat_checker_record(c, &audit, sizeof audit.audit), is_done(c));
            assert_false(is_done(c));
            assert_int_equal(num_mismatches(c), 1);
            assert_int_equal(num_excluded(c), !csrs[i].taken);
        }
        assert_int_equal(karat_csr_read(model_of(c), warp, csrs[i].addr, &now), KARAT_OK);
        assert_int_equal(now, csrs[i].taken ? model ^ (csrs[i].by & csrs[i].mask) : model);
    }
}

TEST(csr_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "csrrw", 0), csr = of(&s, issue, KARAT_REC_CSR, 0);
    ONCE(s.at[csr].csr.value ^= 2, CSR, &s.at[issue]);
    issue = issue_of(&s, 0, "vsetvli", 0), csr = of(&s, issue, KARAT_REC_CSR, 0);
    record vtype = record_at(&s, csr);
    vtype.csr.addr = 0xc21;
    vtype.csr.value = 0xd1;
    s.at[csr].csr.addr = 0xc20;
    s.at[csr].csr.value = 8;
    if (s.at[csr + 1].h.kind == KARAT_REC_CSR)
        stream_remove(&s, csr + 1);
    stream_insert(&s, csr, &vtype);
    PASSES(&s);
    s.at[csr].csr.value = 0xd0;
    FAILS(&s, CSR, &s.at[issue]);
    audit_of_csr();
}

TEST(csr_unexpected_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "csrrw", 0), csr = of(&s, issue, KARAT_REC_CSR, 0);
    ONCE(stream_insert(&s, csr, &s.at[csr]), CSR_UNEXPECTED, &s.at[issue]); /* Twice */
    ONCE(s.at[csr].csr.addr = 0x80c, CSR_UNEXPECTED, &s.at[issue]);
    issue = issue_of(&s, 0, "csrrs", 0); /* Reads, and does not write */
    record r = record_at(&s, csr);
    r.h = s.at[issue].h;
    r.h.kind = KARAT_REC_CSR;
    r.csr.seq = s.at[issue].issue.seq;
    r.csr.addr = 0x808;
    stream_insert(&s, issue + 1, &r);
    FAILS(&s, CSR_UNEXPECTED, &s.at[issue]);
    scoped_outcome o = judge(&s);
    assert_non_null(strstr(o.text, ", which writes none"));
    FIXTURE_AGAIN;
    issue = issue_of(&s, 0, "vsetvli", 1), csr = of(&s, issue, KARAT_REC_CSR, 0);
    r = record_at(&s, csr);
    r.csr.addr = 0xc21;
    r.csr.value = 0xd0;
    while (s.at[csr].h.kind == KARAT_REC_CSR && s.at[csr].csr.addr == 0xc21)
        stream_remove(&s, csr);
    stream_insert(&s, csr, &r);
    stream_insert(&s, csr, &r); /* Vtype may be added, once */
    FAILS(&s, CSR_UNEXPECTED, &s.at[issue]);
}

TEST(csr_missing_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "setrpc", 0);
    record at = record_at(&s, issue);
    stream_remove(&s, of(&s, issue, KARAT_REC_CSR, 0));
    FAILS(&s, CSR_MISSING, &at);
}

/* Only vset* writes vtype besides the CSR that it names, whatever the value is. */
TEST(vtype_of_others) {
    program p = begin_program("csrrwi 0 0x002 1; endprg");
    core_options o = fixture_options();
    scoped_stream s = run_program(&p, &o);
    const size_t csr = of(&s, issue_of(&s, 0, "csrrwi", 0), KARAT_REC_CSR, 0);
    s.at[csr].csr.addr = 0xc21;
    s.at[csr].csr.value = 2 << 3; /* As at the launch */
    FAILS(&s, CSR_UNEXPECTED, &s.at[issue_of(&s, 0, "csrrwi", 0)]);
}

/* Every instruction that sets a CSR on the side, and every CSR that reads some of it: it is suspected with
 * the reader of that CSR, and with no other. */
TEST(who_sets_which_csr) {
    enum { FFLAGS = 1, FRM = 2, VXSAT = 4, VXRM = 8, VTYPE = 16, RPC = 32 };
    static const struct {
        const char *row;
        int32_t operands[4];
        unsigned sets;
    } setters[] = {
        {"fadd_s", {12, 7, 7, 0}, FFLAGS},
        {"fdiv_s", {12, 7, 7, 0}, FFLAGS},
        {"vfexp_v", {9, 1, 1}, FFLAGS},
        {"vftta_vv", {9, 1, 1, 1}, FFLAGS},
        {"vsadd_vv", {9, 1, 1, 1}, VXSAT},
        {"vsaddu_vv", {9, 1, 1, 1}, VXSAT},
        {"vssub_vv", {9, 1, 1, 1}, VXSAT},
        {"vssubu_vv", {9, 1, 1, 1}, VXSAT},
        {"vsmul_vv", {9, 1, 1, 1}, VXSAT},
        {"vadd_vv", {9, 1, 1, 1}, 0},
        {"csrrwi", {0, 0x001, 1}, FFLAGS},
        {"csrrwi", {0, 0x002, 1}, FRM},
        {"csrrsi", {0, 0x003, 1}, FFLAGS | FRM},
        {"csrrwi", {0, 0x009, 1}, VXSAT},
        {"csrrci", {0, 0x00a, 1}, VXRM},
        {"csrrwi", {0, 0x00f, 1}, VXSAT | VXRM},
        {"csrrsi", {12, 0x002, 0}, 0},
        {"vsetivli", {12, 4, 0xd0}, VTYPE},
        {"setrpc", {0, 5, 16}, RPC},
    };
    static const struct {
        int32_t csr;
        unsigned of;
    } readers[] = {{0x001, FFLAGS},       {0x002, FRM}, {0x003, FFLAGS | FRM}, {0x009, VXSAT}, {0x00a, VXRM},
                   {0x00f, VXSAT | VXRM}, {0x80c, RPC}, {0xc20, VTYPE},        {0xc21, VTYPE}, {0x800, 0}};
    core_options o = core_default();
    o.wg_size = o.workgroups = 1;
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++)
        for (size_t k = 0; k < sizeof readers / sizeof *readers; k++) {
            program p = begin_program("vmv_v_i 9 0; auipc 5 0");
            const uint32_t first = p.num, second = first + 1, read = first + 3;
            const bool replaces = strncmp(setters[i].row, "csrrw", 5) == 0 ||
                                  strcmp(setters[i].row, "vsetivli") == 0 ||
                                  strcmp(setters[i].row, "setrpc") == 0;
            size_t num = strcmp(setters[i].row, "vfexp_v") == 0 || strncmp(setters[i].row, "csr", 3) == 0 ||
                                 strcmp(setters[i].row, "vsetivli") == 0 ||
                                 strcmp(setters[i].row, "setrpc") == 0
                             ? 3
                             : 4;
            put_row(&p, setters[i].row, setters[i].operands, num);
            put_row(&p, setters[i].row, setters[i].operands, num);
            put(&p, "addi", 14, 0, 1);
            put(&p, "csrrs", 13, readers[k].csr, 0);
            put0(&p, "endprg");
            scoped_stream s = run_program(&p, &o);
            for (size_t n = 0; n < s.num; n++)
                if (s.at[n].h.kind == KARAT_REC_WRITE && s.at[n].write.seq == read)
                    s.at[n].write.data[0] ^= 1;
            const unsigned shared = setters[i].sets & readers[k].of;
            char cause[64];
            if (!shared)
                snprintf(cause, sizeof cause, "\n  cause     seq %u itself", read);
            else if (replaces)
                snprintf(cause, sizeof cause, "\n  cause     seq %u or %u:", second, read);
            else
                snprintf(cause, sizeof cause, "\n  cause     seq %u, %u or %u:", first, second, read);
            scoped_outcome out = judge(&s);
            if (!strstr(out.text, cause))
                fail_msg("%s, CSR 0x%03x:\n%s", setters[i].row, (unsigned)readers[k].csr, out.text);
        }
}

/* That cause, where the result that the last instruction but ENDPRG has written is wrong, or its CSR.
 * late: the write of the one before comes after that. */
static void expect_csr_cause(program *p, unsigned kind, bool late, const char *cause) {
    put0(p, "endprg");
    core_options o = core_default();
    o.wg_size = o.workgroups = 1;
    o.audit_percent = 0;
    scoped_stream s = run_program(p, &o);
    size_t wrong = 0, before = 0;
    for (size_t i = 0; i < s.num; i++) {
        if (s.at[i].h.kind == KARAT_REC_ISSUE && s.at[i].issue.seq == p->num - 2)
            wrong = of(&s, i, kind, 0);
        if (s.at[i].h.kind == KARAT_REC_WRITE && s.at[i].write.seq == p->num - 3)
            before = i;
    }
    if (kind == KARAT_REC_CSR)
        s.at[wrong].csr.value ^= 1;
    else
        s.at[wrong].write.data[0] ^= 1;
    if (late)
        move(&s, before, wrong + 1);
    scoped_outcome out = judge(&s);
    if (!strstr(out.text, cause))
        fail_msg("no '%s' in\n%s", cause, out.text);
}

/* A reading whose result is still to come has shown nothing; what has replaced it is as good as the
 * launch, however long ago that was; and a CSR that is written wrong has nothing to do with what it held. */
TEST(what_shows_a_csr) {
    for (int late = 0; late < 2; late++) {
        program p = begin_program("vfadd_vv 9 1 1 1; csrrs 13 0x001 0; csrrs 14 0x001 0");
        expect_csr_cause(
            &p, KARAT_REC_WRITE, late,
            late ? "\n  cause     seq 16 or 18: the last one reads fflags, the others may have set it "
                   "since the launch, and so may that one"
                 : "\n  cause     seq 18 itself: no instruction can have set fflags since seq 17");
    }
    program p = begin_program("");
    for (unsigned i = 0; i < remembered.instructions; i++)
        put(&p, "addi", 14, 14, 1);
    put_code(&p, "csrrwi 0 0x002 1; csrrs 13 0x002 0");
    expect_csr_cause(
        &p, KARAT_REC_WRITE, false,
        "\n  cause     seq 80 or 81: the last one reads frm, the others may have set it since seq "
        "80, where it was last read or written\n");
    p = (program){.num = 0};
    put_prologue(&p);
    put(&p, "csrrwi", 13, 0x002, 1);
    expect_csr_cause(&p, KARAT_REC_CSR, false, "\n  cause     seq 16 itself: it reads no register\n");
}

/* Of very many suspects the youngest are named, as many as there is room for. */
TEST(many_set_a_csr) {
    program p = begin_program("");
    for (unsigned i = 0; i < remembered.instructions + 6; i++)
        put(&p, "fadd_s", 12, 7, 7, 0);
    const uint32_t read = p.num;
    put(&p, "csrrs", 13, 0x001, 0);
    char cause[160];
    snprintf(cause, sizeof cause,
             "\n  cause     one of %d instructions from seq %u to seq %u, which reads fflags, or an earlier "
             "instruction",
             remembered.suspects, read - remembered.suspects + 1, read);
    expect_csr_cause(&p, KARAT_REC_WRITE, false, cause);
}

static core_options one_warp(void) {
    core_options o = core_default();
    o.wg_size = o.workgroups = 1;
    o.audit_percent = 0;
    return o;
}

/* The record of that kind of instruction number seq is changed; the cause begins so. */
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
    scoped_stream s = run_program(p, o);
    bool found = false;
    for (size_t i = 0; i < s.num && !found; i++)
        if (s.at[i].h.kind == KARAT_REC_ISSUE && s.at[i].issue.seq == seq) {
            spoil(&s.at[of(&s, i, kind, 0)], bits);
            found = true;
        }
    assert_true(found);
    snprintf(text, sizeof text, "\n  cause     %s", cause);
    scoped_outcome out = judge(&s);
    if (!strstr(out.text, text))
        fail_msg("no '%s' in\n%s", cause, out.text);
}

/* Csrrc inverts what it should clear: it has read the old value right, and so it or the next reader is at
 * fault, and not who wrote it before. */
TEST(read_and_set) {
    core_options o = one_warp();
    program p = begin_program("csrrwi 0 0x340 5");
    const uint32_t sets = p.num;
    put_code(&p, "csrrci 12 0x340 2; addi 14 0 1");
    const uint32_t reads = p.num;
    put_code(&p, "csrrs 13 0x340 0; sw 13 512 10; endprg");
    char cause[160];
    for (int without_csr = 0; without_csr < 2; without_csr++) {
        o.gives &= ~(without_csr ? 1u << KARAT_REC_CSR : 0);
        snprintf(
            cause, sizeof cause,
            "seq %u or %u: the last one reads mscratch, the others may have set it since seq %u, where it "
            "was last "
            "read or written\n",
            sets, reads, sets);
        expect_cause(&p, &o, reads, KARAT_REC_WRITE, spoil_value, 2, cause);
    }
    /* Of a core without WRITE nothing has shown what was read, but a READ that was equal. */
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    scoped_stream s = run_program(&p, &o);
    for (int read = 0; read < 2; read++) {
        const size_t store = issue_of(&s, 0, "sw", 0);
        for (size_t i = store; s.at[i].h.kind != KARAT_REC_MEM; i++)
            if (s.at[i].h.kind == KARAT_REC_READ && s.at[i].read.source == 2)
                s.at[i].read.data[0] ^= 2;
        scoped_outcome out = judge(&s);
        snprintf(cause, sizeof cause, "\n  cause     seq %u, %u or %u, or the path of x13 to seq %u",
                 sets - 1, sets, reads, reads + 1);
        if (!strstr(out.text, cause) || !strstr(out.text, "    mscratch seq "))
            fail_msg("no '%s' in\n%s", cause, out.text);
        break;
    }
}

/* The source of a wrong value: of a core without WRITE, the operands of who has set it. */
TEST(set_to_what_was_wrong) {
    core_options o = one_warp();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_CSR | 1u << KARAT_REC_READ);
    program p = begin_program("");
    const uint32_t first = p.num;
    put_code(&p, "addi 14 0 5; csrrw 0 0x340 14; csrrs 13 0x340 0; sw 13 512 10; endprg");
    scoped_stream s = run_program(&p, &o);
    s.at[of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0)].mem.data[0] ^= 1;
    scoped_outcome out = judge(&s);
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
}

/* CSRs that an instruction depends on without naming them: where what differs can come of them. */
TEST(implied) {
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
         false}, /* Its own mode */
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
        program p = begin_program("vadd_vi 8 1 9 1; vmv_v_i 9 0; auipc 5 0");
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

/* x32 is not x0: csrrs with it writes. The record of that write is missing, and the next instruction reads
 * the CSR wrong. */
TEST(write_from_x32) {
    const core_options o = one_warp();
    const program p =
        begin_program("regext 0 0 0 1; addi 0 0 5; regext 0 0 1 0; csrrs 12 0x340 0; addi 14 0 1; "
                      "csrrs 13 0x340 0; endprg");
    char cause[240];
    for (int missing = 0; missing < 2; missing++) {
        scoped_stream s = run_program(&p, &o);
        size_t sets = issue_of(&s, 0, "csrrs", 4), reads = issue_of(&s, 0, "csrrs", 5);
        const uint32_t set = s.at[sets].issue.seq, read = s.at[reads].issue.seq;
        s.at[of(&s, reads, KARAT_REC_WRITE, 0)].write.data[0] = 0;
        if (missing)
            stream_remove(&s, of(&s, sets, KARAT_REC_CSR, 0));
        snprintf(cause, sizeof cause,
                 "\n  cause     seq %u or %u: the last one reads mscratch, the others may have set it since "
                 "seq %u, "
                 "where it was last read or written",
                 set, read, set);
        if (missing)
            snprintf(cause + strlen(cause), sizeof cause - strlen(cause),
                     "; the core has not reported the write of mscratch by seq %u\n", set);
        scoped_outcome out = judge(&s);
        if (!strstr(out.text, cause))
            fail_msg("no '%s' in\n%s", cause, out.text);
    }
}

RUN_TESTS("csr")
