/* The lockstep checker: legal streams pass and are counted exactly, hangs are found and waiting is not one,
 * every kind of failure (test_check_kinds.c), every field of every record (test_check_mutation.c). */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NUM_SEEDS 400

/* --- Legal streams --- */

static void random_program(program *p, uint64_t seed) {
    rng r = {seed};
    *p = (program){.num = 0};
    const bool barriers = rng_chance(&r, 70);
    put_everything(p, &r, 13 + rng_below(&r, 6), barriers);
}

static void expected_unchecked(const core_options *o, char *text, size_t size) {
    static const unsigned kinds[] = {KARAT_REC_READ, KARAT_REC_WRITE, KARAT_REC_AUDIT,   KARAT_REC_SIMT,
                                     KARAT_REC_CSR,  KARAT_REC_MEM,   KARAT_REC_BARRIER, KARAT_REC_EXIT};
    size_t used = (size_t)snprintf(text, size, " unchecked=");
    const char *separator = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!(o->gives >> kinds[i] & 1)) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", separator, karat_rec_name(kinds[i]));
            separator = ",";
        }
    /* The core tells no order of its accesses, and not that they all are in memory at the end. */
    const struct {
        bool missing;
        const char *word;
    } gaps[] = {{(o->gives >> KARAT_REC_MEM & 1) != 0, "mem-order"},
                {(o->write_match == KARAT_MATCH_OTHER && o->gives >> KARAT_REC_WRITE & 1) ||
                     (o->mem_match == KARAT_MATCH_OTHER && o->gives >> KARAT_REC_MEM & 1),
                 "seq"},
                {o->prefix_unknown, "prefix"},
                {o->space_unknown && o->gives >> KARAT_REC_MEM & 1, "space"},
                {o->csr_unknown, "launch-csr"},
                {!o->allocation, "ranges"},
                {true, "final-memory"}};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (gaps[i].missing) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", separator, gaps[i].word);
            separator = ",";
        }
    snprintf(text + used, size - used, " ");
}

static void expect_counts(uint64_t seed, const outcome *o, const core_counts *n,
                          const core_options *options) {
    char line[1024], unchecked[200], want[1024];
    expected_unchecked(options, unchecked, sizeof unchecked);
    snprintf(want, sizeof want,
             "karat: PASS core=synthetic program=program warps=%" PRIu64 " instructions=%" PRIu64
             " x=%" PRIu64 " v=%" PRIu64 " simt=%" PRIu64 " mem=%" PRIu64 " csr=%" PRIu64 " barrier=%" PRIu64
             " exit=%" PRIu64 " read=%" PRIu64 " audit=%" PRIu64 "%s",
             n->warps, n->instructions, n->x, n->v, n->simt, n->mem, n->csr, n->arrive + n->release, n->exits,
             n->read, n->audit, unchecked);
    snprintf(line, sizeof line, "%.*s", (int)strlen(want), o->line);
    if (strcmp(line, want) != 0)
        fail_msg("seed %" PRIu64 ":\n%s\nexpected\n%s\n%s", seed, o->line, want, o->text);
    snprintf(want, sizeof want, " cycles=%" PRIu64, n->cycle);
    assert_non_null(strstr(o->line, want));
    assert_int_equal(count_of(o, "x0"), n->x0);
    assert_int_equal(count_of(o, "empty"), n->empty);
    assert_int_equal(count_of(o, "arrive"), n->arrive);
    assert_int_equal(count_of(o, "release"), n->release);
    assert_int_equal(count_of(o, "records"), n->records);
    assert_int_equal(count_of(o, "deep"), 0);
    assert_int_equal(count_of(o, "lds_unwritten"), n->lds_unwritten);
    assert_int_equal(count_of(o, "skipped_prefix"), n->skipped_prefix);
    if (options->regs !=
        KARAT_REGS_UNKNOWN) /* values adopted late may differ from lane to lane in one model only */
        assert_int_equal(count_of(o, "lanes_differ"), n->lanes_differ);
    if (options->regs != KARAT_REGS_UNKNOWN) {
        assert_int_equal(count_of(o, "adopted"), 0);
        assert_int_equal(count_of(o, "undefined"), 0);
    }
}

static void legal_streams_pass(void **state) {
    (void)state;
    core_counts all = {0};
    int64_t adopted = 0;
    uint32_t never_given = 0;
    const uint32_t num = share_of(NUM_SEEDS), some = num == NUM_SEEDS ? num / 4 : 0;
    for (uint64_t seed = 0; seed < num; seed++) {
        core_options o = core_random(seed);
        program p;
        stream s;
        core_counts n;
        random_program(&p, seed);
        core_run(&p, &o, &s, &n);
        outcome out = judge(&s);
        expect_counts(seed, &out, &n, &o);
        adopted += count_of(&out, "adopted");
        outcome_free(&out);
        stream_free(&s);
        all.late_mem += n.late_mem;
        all.early_exit += n.early_exit;
        all.x0 += n.x0;
        all.empty += n.empty;
        all.release += n.release;
        all.lanes_differ += n.lanes_differ;
        all.lds_unwritten += n.lds_unwritten;
        all.skipped_prefix += n.skipped_prefix;
        never_given |= GIVES_ALL & ~o.gives;
    }
    /* The options have met what they are there for. */
    assert_true(all.late_mem >= some && all.early_exit >= some && all.x0 >= some && all.empty >= some &&
                all.release >= some);
    assert_true(adopted >= some && (!some || (all.lanes_differ && all.lds_unwritten && all.skipped_prefix)));
    if (num == NUM_SEEDS)
        assert_int_equal(never_given | 1u << KARAT_REC_HELLO | 1u << KARAT_REC_LAUNCH | 1u << KARAT_REC_ISSUE,
                         GIVES_ALL);
}

/* What a record has in lanes that it does not give is nothing. */
static void lanes_not_given_do_not_matter(void **state) {
    (void)state;
    static const karat_ulp_bound bounds[] = {{"vfexp.v", 2}};
    karat_check_config config = judge_config();
    config.bounds = bounds;
    config.num_bounds = 1;
    for (uint64_t seed = 0; seed < share_of(NUM_SEEDS / 8); seed++) {
        core_options o = core_random(seed);
        o.split = true;
        program p;
        random_program(&p, seed);
        stream s = run_program(&p, &o);
        outcome was = conclude(replay(&s, &config));
        uint32_t noise = 0x9e3779b9u;
        for (size_t i = 0; i < s.num; i++) {
            record *r = &s.at[i];
            uint32_t given = 0xffffffffu, *data = NULL;
            switch (r->h.kind) {
            case KARAT_REC_READ: given = r->read.mask, data = r->read.data; break;
            case KARAT_REC_WRITE: given = r->write.mask, data = r->write.data; break;
            case KARAT_REC_AUDIT: given = r->audit.mask, data = r->audit.data; break;
            case KARAT_REC_MEM: given = r->mem.mask, data = r->mem.data; break;
            default: break;
            }
            for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++) {
                if (given >> lane & 1)
                    continue;
                data[lane] = noise = noise * 1664525u + 1013904223u;
                if (r->h.kind != KARAT_REC_MEM)
                    continue;
                r->mem.addr[lane] = noise * 3;
                r->mem.bytes[lane / 2] ^= (uint8_t)((noise >> 8 & 15) << lane % 2 * 4);
            }
        }
        outcome is = conclude(replay(&s, &config));
        assert_int_equal(was.verdict, KARAT_PASS);
        assert_string_equal(is.line, was.line);
        outcome_free(&was);
        outcome_free(&is);
        stream_free(&s);
    }
}

static void same_options_same_stream(void **state) {
    (void)state;
    core_options o = core_random(5);
    program p;
    stream a, b;
    random_program(&p, 5);
    core_run(&p, &o, &a, NULL);
    core_run(&p, &o, &b, NULL);
    assert_int_equal(a.num, b.num);
    assert_memory_equal(a.at, b.at, a.num * sizeof *a.at);
    stream_free(&a);
    stream_free(&b);
}

/* A core that uses more of its SIMT stack than it has is counted. */
static void deep_stack_is_counted(void **state) {
    (void)state;
    stream s = fixture();
    s.at[0].hello.stack_depth = 1;
    outcome o = judge(&s);
    assert_int_equal(o.verdict, KARAT_PASS);
    assert_true(count_of(&o, "deep") > 0);
    assert_non_null(strstr(o.line, " stack-overflow="));
    outcome_free(&o);
    for (uint16_t depth = 0; depth <= 2; depth += 2) { /* 0: nobody knows */
        s.at[0].hello.stack_depth = depth;
        o = judge(&s);
        assert_int_equal(count_of(&o, "deep"), 0);
        outcome_free(&o);
    }
    stream_free(&s);
}

/* What a core says of itself is printed, whatever the bytes are. */
static void any_name_can_be_printed(void **state) {
    (void)state;
    stream s = fixture();
    memset(s.at[0].hello.name, 0xff, sizeof s.at[0].hello.name);
    memcpy(s.at[0].hello.name, "a b\n\"", 5);
    outcome o = judge(&s);
    assert_int_equal(strncmp(o.line, "karat: PASS core=a?b?\"??", 24), 0);
    outcome_free(&o);
    stream_free(&s);
}

/* A core that declares fewer record kinds is still checked by the others. */
static void kinds_not_given_do_not_hide_others(void **state) {
    (void)state;
    static const unsigned kinds[] = {KARAT_REC_READ, KARAT_REC_AUDIT,   KARAT_REC_SIMT, KARAT_REC_CSR,
                                     KARAT_REC_MEM,  KARAT_REC_BARRIER, KARAT_REC_EXIT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        core_options o = fixture_options();
        o.gives &= ~(1u << kinds[i]);
        stream s = run_fixture(&o);
        PASSES(&s);
        size_t issue = issue_of(&s, 0, "vlw12_v", 0);
        s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[1] ^= 8;
        FAILS(&s, WRITE_VALUE, &s.at[issue]);
        stream_free(&s);
    }
}

/* --- The report --- */

static void report_says_what_led_to_it(void **state) {
    (void)state;
    stream s = fixture();
    size_t issue = issue_of(&s, 0, "vadd_vx", 2);
    s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[1] ^= 0x10;
    outcome o = judge(&s);
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
    issue = issue_of(&s, 1, "vsb12_v", 0); /* of a store, the accesses */
    stream_free(&s);
    s = fixture();
    s.at[of(&s, issue, KARAT_REC_MEM, 0)].mem.data[2] ^= 0x10;
    o = judge(&s);
    assert_non_null(strstr(o.text, "\n  memory    lane  0 store 1 bytes at 0x90000402: 00000005\n"));
    outcome_free(&o);
    stream_free(&s);
}

/* A CSR that was read wrong: the instructions that can have set it since it was last known are suspected, too. */
static void csr_set_on_the_side(void **state) {
    (void)state;
    static const struct {
        int reader; /* of the csrrs below */
        const char *cause;
    } cases[] = {
        {0,
         "seq 16, 17 or 18: the last reads fflags, the others can have set it since the launch, as can that"},
        {1, "seq 20 or 22: the last reads fflags, the others can have set it since seq 18, where it was last "
            "read or "
            "written"},
        {2, "seq 23 itself, or the launch: no other can have made fcsr wrong"}, /* its frm */
        {3, "seq 24 or 26: the last reads vxsat, the others can have set it since seq 24, where it was last "
            "read or "
            "written"},
        {4, "seq 27 itself: no instruction can have set frm since seq 23, where it was last read or written"},
    };
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vfadd_vv", 9, 1, 1, 1);
    put(&p, "fadd_s", 12, 7, 7, 0);
    put(&p, "csrrs", 13, 0x001, 0);
    put(&p, "addi", 14, 0, 1);
    put(&p, "vfmul_vv", 9, 1, 1, 1);
    put(&p, "addi", 14, 14, 1);
    put(&p, "csrrs", 15, 0x001, 0);
    put(&p, "csrrs", 16, 0x003, 0);
    put(&p, "csrrwi", 0, 0x009, 0);
    put(&p, "addi", 14, 14, 1);
    put(&p, "csrrs", 17, 0x009, 0);
    put(&p, "csrrs", 18, 0x002, 0);
    put0(&p, "endprg");
    core_options o = core_default();
    o.wg_size = o.workgroups = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stream s = run_program(&p, &o);
        uint32_t seen = 0;
        for (size_t k = 0; k < s.num; k++)
            if (s.at[k].h.kind == KARAT_REC_WRITE && s.at[k].write.cls == KARAT_X &&
                (s.at[k].write.regno == 13 || s.at[k].write.regno >= 15) && s.at[k].write.regno <= 18 &&
                seen++ == (uint32_t)cases[i].reader)
                s.at[k].write.data[0] ^= 1;
        outcome out = judge(&s);
        if (!strstr(out.text, cases[i].cause))
            fail_msg("no '%s' in\n%s", cases[i].cause, out.text);
        outcome_free(&out);
        stream_free(&s);
    }
}

/* Every instruction that sets a CSR on the side, and every CSR that reads some of it: it is suspected with the reader of that
 * CSR, and with no other. */
static void who_sets_which_csr(void **state) {
    (void)state;
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
            program p = {.num = 0};
            put_prologue(&p);
            put(&p, "vmv_v_i", 9, 0);
            put(&p, "auipc", 5, 0);
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
            stream s = run_program(&p, &o);
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
            outcome out = judge(&s);
            if (!strstr(out.text, cause))
                fail_msg("%s, CSR 0x%03x:\n%s", setters[i].row, (unsigned)readers[k].csr, out.text);
            outcome_free(&out);
            stream_free(&s);
        }
}

/* That cause, where the result that the last instruction but ENDPRG has written is wrong, or its CSR. late: the write of the one before comes behind
 * that. */
static void expect_csr_cause(program *p, unsigned kind, bool late, const char *cause) {
    put0(p, "endprg");
    core_options o = core_default();
    o.wg_size = o.workgroups = 1;
    o.audit_percent = 0;
    stream s = run_program(p, &o);
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
    outcome out = judge(&s);
    if (!strstr(out.text, cause))
        fail_msg("no '%s' in\n%s", cause, out.text);
    outcome_free(&out);
    stream_free(&s);
}

/* A reading whose result is still to come has shown nothing; what has replaced it is as good as the launch, however long ago that was; and a CSR that is written
 * wrong has nothing to do with what it held. */
static void what_shows_a_csr(void **state) {
    (void)state;
    for (int late = 0; late < 2; late++) {
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "vfadd_vv", 9, 1, 1, 1);
        put(&p, "csrrs", 13, 0x001, 0);
        put(&p, "csrrs", 14, 0x001, 0);
        expect_csr_cause(
            &p, KARAT_REC_WRITE, late,
            late ? "\n  cause     seq 16 or 18: the last reads fflags, the others can have set it "
                   "since the launch, as can that"
                 : "\n  cause     seq 18 itself: no instruction can have set fflags since seq 17");
    }
    program p = {.num = 0};
    put_prologue(&p);
    for (unsigned i = 0; i < NUM_HISTORY; i++)
        put(&p, "addi", 14, 14, 1);
    put(&p, "csrrwi", 0, 0x002, 1);
    put(&p, "csrrs", 13, 0x002, 0);
    expect_csr_cause(&p, KARAT_REC_WRITE, false,
                     "\n  cause     seq 80 or 81: the last reads frm, the others can have set it since seq "
                     "80, where it was last read or written\n");
    p = (program){.num = 0};
    put_prologue(&p);
    put(&p, "csrrwi", 13, 0x002, 1);
    expect_csr_cause(&p, KARAT_REC_CSR, false, "\n  cause     seq 16 itself: it reads no register\n");
}

/* Of very many suspects the youngest are named, as many as there is room for. */
static void many_set_a_csr(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    for (unsigned i = 0; i < NUM_HISTORY + 6; i++)
        put(&p, "fadd_s", 12, 7, 7, 0);
    const uint32_t read = p.num;
    put(&p, "csrrs", 13, 0x001, 0);
    char cause[160];
    snprintf(
        cause, sizeof cause,
        "\n  cause     one of %d instructions from seq %u to seq %u, which reads fflags, or an instruction "
        "further back",
        NUM_PRODUCERS, read - NUM_PRODUCERS + 1, read);
    expect_csr_cause(&p, KARAT_REC_WRITE, false, cause);
}

/* Who says nothing else waits for 100,000 cycles. */
static void default_patience(void **state) {
    (void)state;
    stream s = fixture();
    cut(&s, issue_of(&s, 0, "vadd_vx", 2));
    karat_check_config config = judge_config();
    karat_check_config usual;
    karat_check_config_default(&usual);
    config.hang_cycles = usual.hang_cycles;
    karat_checker *c = replay(&s, &config);
    const uint64_t last = s.at[s.num - 1].h.cycle;
    assert_false(karat_checker_tick(c, 100000));
    assert_true(karat_checker_tick(c, last + 100001));
    assert_int_equal(karat_checker_verdict(c), KARAT_HANG);
    karat_checker_destroy(c);
    stream_free(&s);
}

/* What comes after the first failure changes nothing, even where the caller goes on. */
static void first_failure_stands(void **state) {
    (void)state;
    stream s = fixture();
    size_t issue = issue_of(&s, 0, "vadd_vx", 2);
    s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[1] ^= 0x10;
    s.at[of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0)].mem.data[0] ^= 1;
    outcome first = judge(&s);
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    bool stopped = false;
    for (size_t i = 0; i < s.num; i++) {
        bool stop = karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
        assert_true(stop || !stopped);
        stopped = stop;
    }
    assert_true(karat_checker_tick(c, 1000000));
    outcome all = conclude(c);
    assert_string_equal(all.line, first.line);
    assert_string_equal(all.text, first.text);
    assert_true(json_equal(all.json, first.json));
    /* The core's record is in the JSON, byte by byte. */
    const record *r = &s.at[of(&s, issue, KARAT_REC_WRITE, 0)];
    const json_t *said = json_object_get(json_object_get(all.json, "failure"), "record");
    const char *bytes = json_string_value(json_object_get(said, "bytes"));
    assert_string_equal(json_string_value(json_object_get(said, "kind")), "write");
    assert_int_equal(strlen(bytes), 2 * karat_rec_size(KARAT_REC_WRITE));
    for (size_t i = 0; i < karat_rec_size(KARAT_REC_WRITE); i++) {
        unsigned byte;
        assert_int_equal(sscanf(bytes + 2 * i, "%2x", &byte), 1);
        assert_int_equal(byte, ((const uint8_t *)r)[i]);
    }
    outcome_free(&first);
    outcome_free(&all);
    stream_free(&s);
}

/* --- Hangs --- */

static stream one_warp(void) {
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    return run_fixture(&o);
}

static uint64_t last_cycle(const stream *s) {
    return s->at[s->num - 1].h.cycle;
}

static void expect_text(const stream *s, uint64_t tick, const char *text) {
    karat_checker *c = replay(s, NULL);
    karat_checker_tick(c, tick);
    outcome o = conclude(c);
    if (!strstr(o.text, text))
        fail_msg("no '%s' in\n%s", text, o.text);
    outcome_free(&o);
}

static void expect_no_verdict(const stream *s, uint64_t tick) {
    karat_checker *c = replay(s, NULL);
    assert_false(karat_checker_tick(c, tick));
    assert_int_equal(karat_checker_verdict(c), KARAT_INCOMPLETE);
    karat_checker_destroy(c);
}

static void warp_that_owes(void **state) {
    (void)state;
    static const struct {
        const char *row;
        unsigned kind;
        const char *waits;
    } debts[] = {
        {"mul", KARAT_REC_WRITE, "waits for the write of x5"},
        {"vsw12_v", KARAT_REC_MEM,
         "waits for 16 bytes of its memory accesses, lanes 0000000f, first lane 0 at 0x9000"},
        {"vblt", KARAT_REC_SIMT, "waits for its SIMT outcome"},
        {"csrrw", KARAT_REC_CSR, "its write of CSR print"},
        {"barrier", KARAT_REC_BARRIER, "its arrival at the barrier"},
    };
    for (size_t i = 0; i < sizeof debts / sizeof *debts; i++) {
        stream s = one_warp();
        size_t issue = issue_of(&s, 0, debts[i].row, 0);
        record at = s.at[issue];
        cut(&s, of(&s, issue, debts[i].kind, 0));
        if (s.at[s.num - 1].h.kind == KARAT_REC_WRITE) /* csrrw: either comes first */
            at = s.at[issue];
        uint64_t cycle = last_cycle(&s);
        expect_no_verdict(&s, cycle + HANG_CYCLES); /* the bound itself is not too long */
        FAILS_AT(&s, cycle + HANG_CYCLES + 1, HANG, &at);
        expect_text(&s, cycle + HANG_CYCLES + 1, debts[i].waits);
        stream_free(&s);
    }
    stream s = one_warp(); /* the end of the warp */
    record at = s.at[issue_of(&s, 0, "endprg", 0)];
    cut(&s, nth(&s, KARAT_REC_EXIT, 0));
    FAILS_AT(&s, last_cycle(&s) + HANG_CYCLES + 1, HANG, &at);
    expect_text(&s, last_cycle(&s) + HANG_CYCLES + 1, "the end of the warp");
    stream_free(&s);
}

/* A load without an answer: which lanes memory has not served, and what the instruction behind it waits for, as source, as
 * destination and with a prefix before it. */
static void account_of_a_load(void **state) {
    (void)state;
    static const struct {
        const char *row;
        bool prefix;
        const char *next;
    } behind[] = {
        {"vadd_vi", false, "; next is seq 17 0x80000044 vadd.vi v11, v10, 3, which waits for v10 of seq 16"},
        {"vadd_vi", true,
         "; next is seq 17 0x80000048 vadd.vi v43, v10, 3  {regext}, which waits for v10 of seq 16"},
        {"vmv_v_i", false, "; next is seq 17 0x80000044 vmv.v.i v10, 3, which waits for v10 of seq 16"},
        {"addi", false, "; next is seq 17 0x80000044 addi x11, x10, 3, whose registers nobody owes"},
    };
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "vlw12_v", 10, 0, 3);
        if (behind[i].prefix)
            put(&p, "regext", 0, 0, 0, 1);
        if (strcmp(behind[i].row, "vmv_v_i") == 0)
            put(&p, "vmv_v_i", 10, 3);
        else if (strcmp(behind[i].row, "addi") == 0)
            put(&p, "addi", 11, 10, 3);
        else
            put(&p, "vadd_vi", 11, 10, 3, 1);
        put0(&p, "endprg");
        core_options o = fixture_options();
        o.workgroups = o.wg_size = 1;
        o.split = false;
        stream s = run_program(&p, &o);
        size_t issue = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
        char text[200];
        cut(&s, mem + 1);
        stream_remove(&s, of(&s, issue, KARAT_REC_WRITE, 0));
        mem = of(&s, issue, KARAT_REC_MEM, 0);
        uint64_t late = last_cycle(&s) + HANG_CYCLES + 1;
        snprintf(text, sizeof text,
                 " waits for the write of v10, lanes 0000000f; its memory accesses were performed, the last "
                 "in cycle %" PRIu64 "%s",
                 s.at[mem].h.cycle, behind[i].next);
        expect_text(&s, late, text);
        s.at[mem].mem.mask = 5;
        snprintf(
            text, sizeof text,
            ", and memory for 8 bytes of its memory accesses, lanes 0000000a, first lane 1 at 0x%08" PRIx32
            "%s",
            s.at[mem].mem.addr[1], behind[i].next);
        expect_text(&s, late, text);
        stream_free(&s);
    }
}

/* The oldest debt is named, not the instruction that came last. */
static void warp_that_owes_of_old(void **state) {
    (void)state;
    stream s = one_warp();
    size_t issue = issue_of(&s, 0, "vsw12_v", 0);
    record at = s.at[issue];
    stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
    cut(&s, issue_of(&s, 0, "vmv_v_i", 1) + 1);
    FAILS_AT(&s, last_cycle(&s) + HANG_CYCLES + 1, HANG, &at);
    stream_free(&s);
}

static void warp_that_could_issue(void **state) {
    (void)state;
    stream s = one_warp();
    size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    record at = s.at[issue];
    cut(&s, after(&s, issue, KARAT_REC_ISSUE));
    uint64_t late = last_cycle(&s) + HANG_CYCLES + 1;
    FAILS_AT(&s, late, HANG, &at);
    expect_text(&s, late, "owes nothing and could issue seq ");
    char found[64];
    snprintf(found, sizeof found, ", found in cycle %" PRIu64 ",", late);
    expect_text(&s, late, found);
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 0) + 1); /* not even its first */
    FAILS_AT(&s, late, HANG, &s.at[s.num - 1]);
    stream_free(&s);
}

/* What its registers hold, a result that is none and an access to nothing bring a warp no further: it hangs all the same. A READ is of an
 * instruction. */
static void signs_of_no_life(void **state) {
    (void)state;
    stream s = one_warp();
    const size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    record r[5] = {[4] = s.at[of(&s, issue, KARAT_REC_READ, 0)]};
    cut(&s, after(&s, issue, KARAT_REC_ISSUE));
    for (uint32_t i = 0; i < 4; i++)
        r[i].h = s.at[s.num - 1].h;
    r[0].h.kind = KARAT_REC_AUDIT; /* x0 is 0 */
    r[0].audit.mask = 1;
    r[1].h.kind = KARAT_REC_WRITE; /* of x0 */
    r[1].write.mask = 1;
    r[2].h.kind = KARAT_REC_WRITE; /* of no lane */
    r[2].write.regno = 5;
    r[3].h.kind = KARAT_REC_MEM;
    const uint64_t last = last_cycle(&s);
    for (uint32_t i = 0; i < 5; i++) {
        karat_check_config config = judge_config();
        karat_checker *c = replay(&s, &config);
        r[i].h.cycle = last + HANG_CYCLES;
        assert_false(karat_checker_record(c, &r[i], karat_rec_size(r[i].h.kind)));
        assert_int_equal(karat_checker_tick(c, last + HANG_CYCLES + 1), i < 4);
        assert_int_equal(c->failure.kind, i < 4 ? FAIL_HANG : FAIL_NONE);
        karat_checker_destroy(c);
    }
    stream_free(&s);
}

/* One warp runs on, and another gets nothing: that one hangs. */
static void one_of_two_hangs(void **state) {
    (void)state;
    core_options o = fixture_options();
    o.workgroups = 2;
    o.wg_size = 1;
    stream s = run_fixture(&o);
    size_t stuck = issue_of(&s, 1, "vmul_vv", 0);
    record at = s.at[stuck];
    for (size_t i = s.num; i-- > stuck + 1;) {
        bool release = s.at[i].h.kind == KARAT_REC_BARRIER && s.at[i].barrier.warps == 2;
        if ((s.at[i].h.slot == 1 && s.at[i].h.cycle > at.h.cycle) || release)
            stream_remove(&s, i);
    }
    stream_remove(&s, s.num - 1);
    for (size_t i = stuck + 1; i < s.num; i++)
        if (s.at[i].h.cycle > at.h.cycle)
            s.at[i].h.cycle = at.h.cycle + 50 * (s.at[i].h.cycle - at.h.cycle);
    assert_true(last_cycle(&s) > at.h.cycle + HANG_CYCLES);
    FAILS_AT(&s, last_cycle(&s), HANG, &at);
    stream_free(&s);
}

static size_t release_of(const stream *s) {
    size_t i = nth(s, KARAT_REC_BARRIER, 0);
    while (s->at[i].h.kind != KARAT_REC_BARRIER || s->at[i].barrier.action != KARAT_BARRIER_RELEASE)
        i++;
    return i;
}

static void barrier_never_released(void **state) {
    (void)state;
    stream s = fixture();
    size_t first = nth(&s, KARAT_REC_BARRIER, 0);
    record at = s.at[issue_of(&s, s.at[first].h.slot, "barrier", 0)];
    cut(&s, release_of(&s));
    uint64_t late = last_cycle(&s) + HANG_CYCLES + 1;
    FAILS_AT(&s, late, HANG, &at);
    expect_text(&s, late, "waits to be released from a barrier at which all have arrived");
    stream_free(&s);
}

/* A warp waits at a barrier for longer than the bound, while the other runs: no hang. */
static void waiting_is_no_hang(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++) {
        core_options o = fixture_options();
        o.workgroups = 1;
        if (!given)
            o.gives &= ~(1u << KARAT_REC_BARRIER);
        stream s = run_fixture(&o);
        size_t here = issue_of(&s, 0, "barrier", 0), there = issue_of(&s, 1, "barrier", 0);
        size_t from = here < there ? here : there, to = here < there ? there : here;
        uint32_t waiting = s.at[from].h.slot;
        /* The other one's last instructions before the barrier take their time. */
        for (size_t i = to; i < s.num; i++)
            s.at[i].h.cycle += 20 * HANG_CYCLES;
        karat_check_config config = judge_config();
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i < s.num; i++) {
            if (i == to) {
                size_t again =
                    to; /* a sign of life of the other warp: its last instruction reads once more */
                while (s.at[again].h.kind != KARAT_REC_READ || s.at[again].h.slot != s.at[to].h.slot ||
                       s.at[again].h.sm != s.at[to].h.sm)
                    again--;
                record touch = s.at[again];
                assert_int_equal(touch.read.seq + 1, s.at[to].issue.seq);
                for (uint64_t cycle = s.at[to - 1].h.cycle; cycle < s.at[to].h.cycle; cycle += HANG_CYCLES) {
                    touch.h.cycle = cycle;
                    assert_false(karat_checker_record(c, &touch, karat_rec_size(KARAT_REC_READ)));
                    assert_false(karat_checker_tick(c, cycle));
                }
            }
            karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
        }
        outcome out = conclude(c);
        assert_int_not_equal(waiting, s.at[to].h.slot);
        if (out.verdict != KARAT_PASS)
            fail_msg("%s\n%s", out.line, out.text);
        outcome_free(&out);
        stream_free(&s);
    }
}

static void never_launched(void **state) {
    (void)state;
    core_options o = fixture_options();
    o.num_warp = 2;
    stream s = run_fixture(&o);
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 2)); /* the second workgroup, the first having ended */
    FAILS_AT(&s, last_cycle(&s) + HANG_CYCLES + 1, HANG, NULL);
    expect_text(&s, last_cycle(&s) + HANG_CYCLES + 1, "2 of 4 warps were never launched");
    expect_no_verdict(&s, last_cycle(&s) + HANG_CYCLES);
    stream_free(&s);

    o.workgroups = 1; /* one warp of a workgroup: the other waits for it at a barrier */
    s = run_fixture(&o);
    for (size_t k = s.num; k-- > 0;)
        if (s.at[k].h.slot == 1)
            stream_remove(&s, k);
    cut(&s, nth(&s, KARAT_REC_BARRIER, 0) + 1);
    FAILS_AT(&s, last_cycle(&s) + HANG_CYCLES + 1, HANG, NULL);
    expect_text(&s, last_cycle(&s) + HANG_CYCLES + 1, "1 of 2 warps were never launched");
    expect_text(&s, last_cycle(&s) + HANG_CYCLES + 1,
                "waits at a barrier: of workgroup 0 warp 0 arrived, warp 1 missing");
    expect_no_verdict(&s, last_cycle(&s) + HANG_CYCLES);
    stream_free(&s);
}

/* A completion that is lost while its warp runs on is an error of its own kind, in time. */
static void lost_completion(void **state) {
    (void)state;
    stream s = one_warp();
    size_t issue = issue_of(&s, 0, "vlhu_v", 0);
    record at = s.at[issue];
    stream_remove(&s, of(&s, issue, KARAT_REC_WRITE, 0));
    for (size_t i = 0; i < s.num; i++)
        s.at[i].h.cycle *= 100;
    size_t more = issue;
    while (s.at[more].h.cycle <= at.h.cycle * 100 + HANG_CYCLES)
        more++;
    cut(&s, more);
    expect_no_verdict(&s, last_cycle(&s));
    FAILS_AT(&s, last_cycle(&s) + 100, WRITE_MISSING, &at);
    stream_free(&s);
}

static void hang_at_bye(void **state) {
    (void)state;
    stream s = one_warp();
    size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    record at = s.at[issue], bye = s.at[s.num - 1];
    cut(&s, of(&s, issue, KARAT_REC_WRITE, 0));
    bye.h.cycle = last_cycle(&s) + HANG_CYCLES + 1;
    bye.bye.reason = KARAT_BYE_CYCLE_LIMIT;
    stream_add(&s, &bye, sizeof bye);
    FAILS(&s, HANG, &at);
    s.at[s.num - 1].h.cycle--; /* not yet */
    FAILS(&s, INCOMPLETE, NULL);
    stream_free(&s);
}

/* Time that the test bench tells before, or behind, the records. */
static void tick_at_any_time(void **state) {
    (void)state;
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    stream s = fixture();
    assert_false(karat_checker_tick(c, 1000000));
    for (size_t i = 0; i < s.num; i++) {
        bool begun = i > nth(&s, KARAT_REC_KERNEL, 0);
        assert_false(karat_checker_tick(c, begun ? 0 : 1000000));
        karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
    }
    assert_true(karat_checker_tick(c, 1000000)); /* the verdict stands */
    assert_int_equal(karat_checker_verdict(c), KARAT_PASS);
    assert_true(karat_checker_record(c, &s.at[3], karat_rec_size(s.at[3].h.kind)));
    assert_int_equal(karat_checker_verdict(c), KARAT_PASS);
    karat_checker_destroy(c);
    stream_free(&s);
}

/* --- Records as bytes --- */

static void wrong_sizes(void **state) {
    (void)state;
    stream s = fixture();
    for (size_t i = 0; i < s.num; i += 7)
        for (int delta = -1; delta <= 1; delta += 2) {
            stream head = stream_copy(&s);
            cut(&head, i);
            karat_checker *c = replay(&head, NULL);
            assert_true(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind) + (size_t)delta));
            assert_int_equal(karat_checker_verdict(c), KARAT_BAD_INPUT);
            karat_checker_destroy(c);
            stream_free(&head);
        }
    karat_check_config config = judge_config();
    for (size_t size = 0; size <= sizeof(karat_rec_header); size++) {
        karat_checker *c = karat_checker_create(&config);
        assert_true(karat_checker_record(c, &s.at[0], size));
        assert_int_equal(karat_checker_verdict(c), KARAT_BAD_INPUT);
        outcome o = conclude(c); /* of nothing at all */
        outcome_free(&o);
    }
    outcome o = conclude(karat_checker_create(&config));
    assert_int_equal(o.verdict, KARAT_INCOMPLETE);
    outcome_free(&o);
    stream_free(&s);
}

/* With the argument 'reports': only the tests that make every kind of failure and look into reports. */
int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "reports") == 0)
        return run_kind_tests() + run_report_tests() + run_places_tests() + run_freeze_tests() +
               run_defect_tests();
    const struct CMUnitTest list[] = {
        cmocka_unit_test(legal_streams_pass),
        cmocka_unit_test(lanes_not_given_do_not_matter),
        cmocka_unit_test(same_options_same_stream),
        cmocka_unit_test(deep_stack_is_counted),
        cmocka_unit_test(any_name_can_be_printed),
        cmocka_unit_test(kinds_not_given_do_not_hide_others),
        cmocka_unit_test(report_says_what_led_to_it),
        cmocka_unit_test(csr_set_on_the_side),
        cmocka_unit_test(who_sets_which_csr),
        cmocka_unit_test(what_shows_a_csr),
        cmocka_unit_test(many_set_a_csr),
        cmocka_unit_test(default_patience),
        cmocka_unit_test(first_failure_stands),
        cmocka_unit_test(warp_that_owes),
        cmocka_unit_test(account_of_a_load),
        cmocka_unit_test(warp_that_owes_of_old),
        cmocka_unit_test(warp_that_could_issue),
        cmocka_unit_test(one_of_two_hangs),
        cmocka_unit_test(barrier_never_released),
        cmocka_unit_test(waiting_is_no_hang),
        cmocka_unit_test(signs_of_no_life),
        cmocka_unit_test(never_launched),
        cmocka_unit_test(lost_completion),
        cmocka_unit_test(hang_at_bye),
        cmocka_unit_test(tick_at_any_time),
        cmocka_unit_test(wrong_sizes),
    };
    int failed = _cmocka_run_group_tests("the checker", list, sizeof list / sizeof *list, NULL, NULL);
    return failed + run_kind_tests() + run_report_tests() + run_places_tests() + run_undefined_tests() +
           run_mutation_tests() + run_ulp_tests() + run_early_tests() + run_limit_tests() +
           run_order_tests() + run_forgotten_tests() + run_freeze_tests() + run_defect_tests() +
           run_strict_tests() + run_flag_tests() + run_csr_tests() + run_sm_tests() + run_print_tests() +
           run_corner_tests() + run_walk_tests();
}
