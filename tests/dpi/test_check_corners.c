/* The last value that is legal and the first that is not; what comes too early, too late or from the wrong one; and that the
 * report says which it was. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

static void fails_saying(const char *file, int line, const stream *s, failure_kind kind, const char *text) {
    outcome o = judge(s);
    const char *name = json_string_value(json_object_get(json_object_get(o.json, "failure"), "kind"));
    if (!name || strcmp(name, karat_failure_name(kind)) != 0 || !strstr(o.text, text)) {
        print_error("%s:%d: not %s with '%s':\n%s\n%s\n", file, line, karat_failure_name(kind), text, o.line,
                    o.text);
        _fail(file, line);
    }
    outcome_free(&o);
}
#define SAYS(s, kind, text) fails_saying(__FILE__, __LINE__, s, FAIL_##kind, text)

static stream without_allocation(void) {
    core_options o = fixture_options();
    o.allocation = false;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    return run_fixture(&o);
}

static void kernels_that_do_not_fit(void **state) {
    (void)state;
    stream s = without_allocation();
    karat_rec_kernel *k = &s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel;
    const karat_rec_kernel was = *k;
    PASSES(&s);
    k->vgprs = KARAT_NUM_V;
    k->sgprs = KARAT_NUM_X;
    PASSES(&s);
#define REFUSED(change)                                                                                      \
    do {                                                                                                     \
        *k = was;                                                                                            \
        change;                                                                                              \
        SAYS(&s, STREAM, "does not fit a core of 3 warps of 4 threads");                                     \
    } while (0)
    REFUSED(k->vgprs = KARAT_NUM_V + 1);
    REFUSED(k->sgprs = KARAT_NUM_X + 1);
    REFUSED(k->wg_size = 0);
    REFUSED(k->wg_size = 4);
    REFUSED(k->wf_size = 0);
    REFUSED(k->wf_size = 5);
    REFUSED(k->grid[0] = 0);
    REFUSED(k->grid[1] = 0);
    REFUSED(k->grid[2] = 0);
    *k = was;
    k->grid[0] = (1u << 23) + 1;
    k->grid[1] = k->grid[2] = 1;
    k->grid[1] = 1u << 10;
    SAYS(&s, STREAM, "KERNEL of 8589935616 workgroups of 2 warps; 16777216 warps are possible");
    k->grid[1] = 1;
    SAYS(&s, STREAM, "KERNEL of 8388609 workgroups of 2 warps; 16777216 warps are possible");
    k->grid[0] = 1u << 23; /* fits, and its warps do not end */
    SAYS(&s, INCOMPLETE, "4 of 16777216 warps of kernel 0 have ended");
    stream_free(&s);
}

static void cores_out_of_range(void **state) {
    (void)state;
    stream s = fixture();
    s.at[0].hello.num_warp = 65;
    SAYS(&s, STREAM, "HELLO of 1 SMs, 65 warps, 4 threads: out of range");
    s.at[0].hello.num_warp = 0;
    SAYS(&s, STREAM, "HELLO of 1 SMs, 0 warps, 4 threads: out of range");
    stream_free(&s);
}

/* How large the model is comes from HELLO alone. */
static void size_of_the_model(void **state) {
    (void)state;
    stream s = fixture();
    karat_check_config config = judge_config();
    config.model.num_thread = 1;
    config.model.max_warp = config.model.max_workgroup = 1;
    outcome o = conclude(replay(&s, &config));
    assert_int_equal(o.verdict, KARAT_PASS);
    outcome_free(&o);
    stream_free(&s);
}

static void next_kernel_too_early(void **state) {
    (void)state;
    stream s = fixture();
    size_t kernel = nth(&s, KARAT_REC_KERNEL, 0), issue = nth(&s, KARAT_REC_ISSUE, 20);
    record next = s.at[kernel];
    next.kernel.index = 1;
    next.kernel.num_region = 0;
    next.h.cycle = s.at[issue].h.cycle;
    stream_insert(&s, issue, &next);
    SAYS(&s, EXIT_MISSING, "the next kernel starts while");
    stream_free(&s);
}

static void every_csr_of_a_launch(void **state) {
    (void)state;
    stream s = fixture();
    karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch;
    for (unsigned i = 0; i < 11; i++) {
        if (!(r->csr_given >> i & 1) || i == KARAT_CSR_WGID)
            continue;
        r->csr[i] ^= 1u << 20;
        SAYS(&s, LAUNCH, "CSR ");
        r->csr[i] ^= 1u << 20;
    }
    assert_true(r->lds_size);
    r->lds_base += 4;
    SAYS(&s, LAUNCH, "another warp of the workgroup has");
    stream_free(&s);
}

static void issue_after_endprg(void **state) {
    (void)state;
    stream s = fixture();
    size_t end = issue_of(&s, 0, "endprg", 0);
    record again = s.at[end];
    again.issue.seq++;
    again.issue.pc += 4;
    stream_insert(&s, end + 1, &again);
    SAYS(&s, ISSUE_ENDED, "after ENDPRG");
    stream_free(&s);
}

/* A core that says it waits for pending writes: others may be pending, those of the instruction's registers not. */
static void interlocked(void **state) {
    (void)state;
    for (int forwards = 0; forwards < 2; forwards++) {
        core_options o = fixture_options();
        o.max_delay = 9;
        o.forwards = forwards != 0;
        stream s = run_fixture(&o);
        PASSES(&s);
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
        if (forwards)
            SAYS(&s, WRITE_MISSING, "is still owed where seq");
        else
            PASSES(&s);
        stream_free(&s);
    }
}

/* An SC may fail without need, and many may; one that is tried again and again has to store some time. */
static void scs_that_never_store(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "addi", 16, 0, 70);
    put(&p, "lr_w", 14, 10, 0);
    put(&p, "sc_w", 13, 14, 10, 0);
    put(&p, "addi", 16, 16, -1);
    put(&p, "bne", 16, 0, -12);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    stream s = run_program(&p, &o);
    PASSES(&s);
    for (size_t i = 0; i < s.num; i++)
        s.at[i].h.cycle *= 40;
    for (uint32_t n = 0; n < 70; n++) {
        size_t issue = issue_of(&s, 0, "sc_w", n);
        s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[0] = 1;
        stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
    }
    s.at[s.num - 1].bye.records = 0;
    SAYS(&s, HANG, " the SC has failed 64 times though nothing else was written to its word");
    for (size_t i = 0; i < s.num; i++)
        s.at[i].h.cycle /= 40;
    PASSES(&s); /* not as long as a hang takes */
    stream_free(&s);
}

static void older_write_lands_last(void **state) {
    (void)state;
    stream s = fixture();
    size_t first = issue_of(&s, 0, "addi", 0), second = issue_of(&s, 0, "addi", 1);
    assert_true(first < second);
    move(&s, of(&s, first, KARAT_REC_WRITE, 0), of(&s, second, KARAT_REC_WRITE, 0) + 1);
    SAYS(&s, WRITE_ORDER, "lands after a younger instruction in lanes 00000001");
    stream_free(&s);
}

static void registers_that_are_not_there(void **state) {
    (void)state;
    stream s = fixture();
    size_t issue = issue_of(&s, 0, "addi", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.regno = KARAT_NUM_X;
    SAYS(&s, WRITE_REGISTER, "class 0 register 64 does not exist");
    s.at[write].write.regno = 30;
    SAYS(&s, WRITE_REGISTER, "x30 is written; the instruction writes x13");
    s.at[write].write.cls = KARAT_V;
    SAYS(&s, WRITE_REGISTER, "v30 is written; the instruction writes x13");
    s.at[write].write.regno = KARAT_NUM_V;
    SAYS(&s, WRITE_REGISTER, "class 1 register 256 does not exist");
    stream_free(&s);
    s = fixture();
    issue = issue_of(&s, 0, "vadd_vv", 0);
    write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.regno = KARAT_NUM_V - 1;
    SAYS(&s, WRITE_REGISTER, "v255 is written; the instruction writes v9");
    stream_free(&s);
}

/* A JOIN that shows what its VBRANCH has pushed wrong: that one is to blame. */
static void wrong_entry_under_a_join(void **state) {
    (void)state;
    stream s = fixture();
    size_t join = issue_of(&s, 0, "join", 0), branch = issue_of(&s, 0, "vblt", 0);
    size_t simt = of(&s, join, KARAT_REC_SIMT, 0);
    assert_true(s.at[simt].simt.depth && s.at[simt].simt.top_valid);
    s.at[simt].simt.top_next ^= 4;
    record at = s.at[branch];
    FAILS(&s, SIMT, &at);
    SAYS(&s, SIMT, "a JOIN that shows the entry pushed here for the first time");
    s.at[simt].simt.mask ^= 1; /* and more than that is wrong: the JOIN */
    at = s.at[join];
    FAILS(&s, SIMT, &at);
    stream_free(&s);
}

/* A wrong load where another warp has not done anything yet. */
static void load_beside_an_idle_warp(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lw", 13, 256, 10);
    put0(&p, "endprg");
    core_options o = fixture_options();
    stream s = run_program(&p, &o);
    for (size_t i = s.num; i-- > 0;)
        if (s.at[i].h.slot == 1 && s.at[i].h.kind != KARAT_REC_LAUNCH && GIVES_ALL >> s.at[i].h.kind & 1)
            stream_remove(&s, i);
    s.at[of(&s, issue_of(&s, 0, "lw", 0), KARAT_REC_WRITE, 0)].write.data[0] ^= 8;
    SAYS(&s, WRITE_VALUE, "xor 00000008");
    stream_free(&s);
}

#define SHARED (DATA_BASE + 0x3000)

/* Warp 1 stores to a shared word (or its lowest byte), later than both warps have loaded it; then warp 0 loads it again. */
static stream store_and_load(const char *store) {
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&p, "lw", 15, 0, 20);
    put(&p, "barrier", 0);
    put(&p, "beq", 7, 0, 8);
    put(&p, store, 7, 0, 20);
    for (unsigned i = 0; i < 6; i++)
        put(&p, "addi", 16, 16, 1);
    put(&p, "lw", 13, 0, 20);
    put(&p, "addi", 13, 0, 7);
    put(&p, "add", 14, 13, 0);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.workgroups = 1;
    o.gives &= ~(1u << KARAT_REC_READ);
    stream s = run_program(&p, &o);
    assert_true(issue_of(&s, 1, store, 0) < issue_of(&s, 0, "lw", 1));
    return s;
}

/* The other warp's store comes late: of the byte that is wrong nobody says anything, but the report tells of the store. */
static void store_comes_late(void **state) {
    (void)state;
    stream s = store_and_load("sb");
    PASSES(&s);
    size_t load = issue_of(&s, 0, "lw", 1);
    s.at[of(&s, load, KARAT_REC_WRITE, 0)].write.data[0] ^= 1u << 31;
    move(&s, of(&s, issue_of(&s, 1, "sb", 0), KARAT_REC_MEM, 0), of(&s, load, KARAT_REC_WRITE, 0) + 1);
    SAYS(&s, WRITE_VALUE, "warp 1 seq 20 0x80000050 sb x7, 0(x20) stores there");
    SAYS(&s, WRITE_VALUE, "has not been performed yet");
    stream_free(&s);
}

/* A load's result, as of another order, lands when a younger instruction has written the register in the model. */
static void other_result_lands_late(void **state) {
    (void)state;
    stream s = store_and_load("sw");
    PASSES(&s);
    size_t first = issue_of(&s, 0, "lw", 0), load = issue_of(&s, 0, "lw", 1);
    s.at[of(&s, load, KARAT_REC_WRITE, 0)].write.data[0] =
        s.at[of(&s, first, KARAT_REC_WRITE, 0)].write.data[0];
    const uint32_t seq = s.at[load].issue.seq;
    size_t young = load + 1;
    while (s.at[young].h.kind != KARAT_REC_ISSUE || s.at[young].h.slot != 0 ||
           s.at[young].issue.seq != seq + 1)
        young++;
    move(&s, of(&s, load, KARAT_REC_WRITE, 0), young + 1);
    outcome o = judge(&s);
    assert_int_equal(o.verdict, KARAT_PASS);
    assert_int_equal(count_of(&o, "unordered"), 1);
    outcome_free(&o);
    stream_free(&s);
}

/* Bytes of a lane that do not belong to a piece are shown as nothing. */
static void data_of_a_piece(void **state) {
    (void)state;
    stream s = fixture();
    size_t store = issue_of(&s, 0, "sw", 0), mem = of(&s, store, KARAT_REC_MEM, 0);
    s.at[mem].mem.bytes[0] = 6;
    s.at[mem].mem.data[0] = 0x11223344;
    SAYS(&s, MEM_DATA, "core 00223300");
    stream_free(&s);
}

/* An access by a lane that makes none, to where another one's goes. */
static void access_by_the_lane_before(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vand_vi", 6, 1, 1, 1);
    put(&p, "vmseq_vi", 0, 6, 0, 1);
    put(&p, "vlse32_v", 20, 10, 0, 0); /* even lanes, the same word */
    put0(&p, "endprg");
    core_options o = fixture_options();
    stream s = run_program(&p, &o);
    PASSES(&s);
    karat_rec_mem *r = &s.at[of(&s, issue_of(&s, 0, "vlse32_v", 0), KARAT_REC_MEM, 0)].mem;
    assert_int_equal(r->mask, 5);
    r->mask = 3;
    r->addr[1] = r->addr[2];
    r->bytes[0] = 0xff;
    SAYS(&s, MEM_LANES, "lane 1 accesses");
    outcome out = judge(&s);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(out.json, "failure"), "lanes")), 2);
    outcome_free(&out);
    stream_free(&s);
}

/* A register that nobody has written is stored: memory, and local memory, hold what the core has stored. */
static void unknown_values_stored(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vsw12_v", 30, 0, 5); /* LDS */
    put(&p, "vsb12_v", 31, 1, 5);
    put(&p, "vlw12_v", 21, 0, 5);
    put(&p, "vsw12_v", 29, 0, 3);
    put(&p, "vlw12_v", 22, 0, 3);
    put(&p, "vadd_vv", 23, 21, 22, 1);
    put0(&p, "endprg");
    for (int reads = 0; reads < 2; reads++) {
        core_options o = core_default();
        o.regs = KARAT_REGS_UNKNOWN;
        o.uncounted = true;
        o.lds_size = 0x400;
        if (!reads)
            o.gives &= ~(1u << KARAT_REC_READ);
        stream s = run_program(&p, &o);
        outcome out = judge(&s);
        assert_int_equal(out.verdict, KARAT_PASS);
        assert_true(count_of(&out, "undefined") > 0);
        outcome_free(&out);
        size_t load = issue_of(&s, 0, "vlw12_v", 0);
        s.at[of(&s, load, KARAT_REC_WRITE, 0)].write.data[2] ^= 1u << 31;
        SAYS(&s, WRITE_VALUE, "lane  2");
        stream_free(&s);
    }
}

/* A scalar made of lanes: behind it the walk goes on with all lanes that ran. */
static void walk_through_lanes(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "addi", 13, 0, 5);
    put(&p, "vmv_v_x", 8, 13);
    put(&p, "vmv_x_s", 14, 8);
    put(&p, "sw", 14, 512, 10);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    stream s = run_program(&p, &o);
    PASSES(&s);
    s.at[of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0)].mem.data[0] ^= 1;
    SAYS(&s, MEM_DATA, "seq 18  0x80000048  vmv.x.s x14, v8  00000005");
    SAYS(&s, MEM_DATA, "seq 17  0x80000044  vmv.v.x v8, x13  00000005 in lane 0");
    SAYS(&s, MEM_DATA, "seq 16  0x80000040  addi x13, x0, 5  00000005");
    stream_free(&s);
}

/* What is older than the history says nothing of the instruction that has its place there now. */
static void forgotten_instruction(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "addi", 14, 0, 5);
    put(&p, "addi", 15, 0, 6);
    const uint32_t seq = p.num;
    put(&p, "add", 13, 14, 15);
    for (unsigned i = 0; i < NUM_HISTORY + 6; i++)
        put(&p, "add", 16, 14, 15);
    put(&p, "sw", 13, 512, 10);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    stream s = run_program(&p, &o);
    const size_t store = issue_of(&s, 0, "sw", 0);
    const uint32_t last = s.at[store].issue.seq;
    s.at[of(&s, store, KARAT_REC_MEM, 0)].mem.data[0] ^= 1;
    for (size_t i = s.num; i-- > 0;) /* nobody has seen what these two read */
        if (s.at[i].h.kind == KARAT_REC_READ && (s.at[i].read.seq == seq || s.at[i].read.seq == last))
            stream_remove(&s, i);
    outcome out = judge(&s);
    const json_t *producers = json_object_get(json_object_get(out.json, "failure"), "producers");
    size_t i, found = 0;
    json_t *at;
    json_array_foreach(producers, i, at) {
        if (json_integer_value(json_object_get(at, "reader")) != seq)
            continue;
        assert_string_equal(json_string_value(json_object_get(at, "read")), "not told");
        found++;
    }
    assert_int_equal(found, 2);
    outcome_free(&out);
    stream_free(&s);
}

int run_corner_tests(void) {
    const struct CMUnitTest list[] = {
        cmocka_unit_test(kernels_that_do_not_fit),
        cmocka_unit_test(cores_out_of_range),
        cmocka_unit_test(size_of_the_model),
        cmocka_unit_test(next_kernel_too_early),
        cmocka_unit_test(every_csr_of_a_launch),
        cmocka_unit_test(issue_after_endprg),
        cmocka_unit_test(interlocked),
        cmocka_unit_test(scs_that_never_store),
        cmocka_unit_test(older_write_lands_last),
        cmocka_unit_test(registers_that_are_not_there),
        cmocka_unit_test(wrong_entry_under_a_join),
        cmocka_unit_test(load_beside_an_idle_warp),
        cmocka_unit_test(data_of_a_piece),
        cmocka_unit_test(access_by_the_lane_before),
        cmocka_unit_test(unknown_values_stored),
        cmocka_unit_test(walk_through_lanes),
        cmocka_unit_test(store_comes_late),
        cmocka_unit_test(other_result_lands_late),
        cmocka_unit_test(forgotten_instruction),
    };
    return _cmocka_run_group_tests("corners", list, sizeof list / sizeof *list, NULL, NULL);
}
