/* The last value that is legal and the first that is not; what comes too early, too late or from the wrong one; and that the
 * report says which it was. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

#include <xxhash.h>

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

/* One warp, whose records BYE does not count. */
static core_options one_warp(void) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.uncounted = true;
    return o;
}

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
    cut(&s, kernel + 1);
    next.h.cycle = s.at[kernel].h.cycle;
    stream_insert(&s, kernel + 1, &next); /* no warp was launched */
    FAILS(&s, EXIT_MISSING, NULL);
    stream_free(&s);
}

/* A BARRIER arrives, or releases somebody. */
static void barriers_of_nobody(void **state) {
    (void)state;
    stream s = fixture();
    size_t i = nth(&s, KARAT_REC_BARRIER, 0);
    while (s.at[i].h.kind != KARAT_REC_BARRIER || s.at[i].barrier.action != KARAT_BARRIER_RELEASE)
        i++;
    const karat_rec_barrier was = s.at[i].barrier;
    s.at[i].barrier.warps = 0;
    FAILS(&s, STREAM, NULL);
    s.at[i].barrier = was;
    s.at[i].barrier.action = 7;
    FAILS(&s, STREAM, NULL);
    s.at[i].barrier.warps |= 8; /* of slots that are not there, and yet no release */
    FAILS(&s, STREAM, NULL);
    stream_free(&s);
}

/* Without configuration: the model's own, and every field is set. */
static void default_configuration(void **state) {
    (void)state;
    karat_check_config config;
    karat_config model;
    memset(&config, 0xa5, sizeof config);
    memset(&model, 0, sizeof model);
    karat_check_config_default(&config);
    karat_config_default(&model);
    assert_int_equal(config.model.num_thread, model.num_thread);
    assert_int_equal(config.model.lds_base, model.lds_base);
    assert_int_equal(config.model.lds_size, model.lds_size);
    assert_int_equal(config.model.max_warp, model.max_warp);
    assert_int_equal(config.model.profile, model.profile);
    assert_true(config.hang_cycles == 100000 && config.max_failures == 1 && !config.strict && !config.watch);
}

/* A younger write lands first: the register holds what it wrote, and the older one is at fault, when it comes. */
static void younger_write_lands_first(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vadd_vx", 9, 1, 7, 1);
    put(&p, "vmv_v_i", 9, 9);
    put0(&p, "endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    stream s = run_program(&p, &o);
    PASSES(&s);
    const size_t older = issue_of(&s, 0, "vadd_vx", 2), younger = issue_of(&s, 0, "vmv_v_i", 1);
    const size_t landed = of(&s, younger, KARAT_REC_WRITE, 0);
    const record write = s.at[landed];
    record audit = {.audit = {.h = write.h, .cls = KARAT_V, .regno = 9, .mask = 15}};
    audit.h.kind = KARAT_REC_AUDIT;
    memcpy(audit.audit.data, write.write.data, sizeof audit.audit.data);
    record late = s.at[of(&s, older, KARAT_REC_WRITE, 0)];
    late.h.cycle = write.h.cycle;
    stream_insert(&s, landed + 1, &audit);
    stream_insert(&s, landed + 2, &late);
    size_t at = of(&s, older, KARAT_REC_WRITE, 0);
    stream_remove(&s, at);
    while (s.at[at].h.kind != KARAT_REC_WRITE ||
           s.at[at].write.regno != 9) /* what v9 held before, nobody has asked */
        if (s.at[at].h.kind == KARAT_REC_AUDIT)
            stream_remove(&s, at);
        else
            at++;
    SAYS(&s, WRITE_ORDER, "v9: seq 16 lands after a younger instruction in lanes 0000000f");
    stream_free(&s);
}

/* A store of one kernel that is performed in the next. */
static void store_in_the_next_kernel(void **state) {
    (void)state;
    core_options o = fixture_options();
    o.kernels = 2;
    stream s = run_fixture(&o);
    PASSES(&s);
    const size_t kernel = nth(&s, KARAT_REC_KERNEL, 1);
    size_t store = kernel;
    while (s.at[store].h.kind != KARAT_REC_MEM || s.at[store].mem.op != KARAT_MEM_STORE)
        store--;
    move(&s, store, kernel + 1);
    SAYS(&s, MEM_MISSING, "the next kernel starts; the core still owes");
    stream_free(&s);
}

/* A store behind a BARRIER and one of the other warp before it, both performed when their slots have other warps. */
static void barrier_of_an_earlier_warp(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "bne", 7, 0, 8); /* warp 0 before it, */
    put(&p, "sw", 7, 0, 10);
    put(&p, "barrier", 0);
    put(&p, "beq", 7, 0, 8); /* warp 1 behind it */
    put(&p, "sw", 7, 4, 10);
    put0(&p, "endprg");
    core_options o = core_default();
    o.num_warp = 2;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    for (uint32_t late = 0; late < 2; late++) { /* the older store */
        stream s = run_program(&p, &o);
        s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
        PASSES(&s);
        const size_t older = of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0);
        move(&s, older, nth(&s, KARAT_REC_LAUNCH, 3) + 1);
        const size_t younger = of(&s, issue_of(&s, 1, "sw", 0), KARAT_REC_MEM, 0);
        move(&s, younger, nth(&s, KARAT_REC_LAUNCH, 3) + (late ? 1 : 2));
        if (late)
            SAYS(&s, MEM_ORDER, "which a BARRIER puts before it");
        else
            PASSES(&s);
        stream_free(&s);
    }
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
    stream_remove(&s, end + 1);
    const size_t gone = after(&s, end, KARAT_REC_EXIT);
    again.h.cycle = s.at[gone].h.cycle;
    stream_insert(&s, gone + 1, &again);
    SAYS(&s, ISSUE_ENDED, "after EXIT");
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

/* Only vset* writes vtype besides the CSR that it names, whatever the value is. */
static void vtype_of_others(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "csrrwi", 0, 0x002, 1);
    put0(&p, "endprg");
    core_options o = fixture_options();
    stream s = run_program(&p, &o);
    const size_t csr = of(&s, issue_of(&s, 0, "csrrwi", 0), KARAT_REC_CSR, 0);
    s.at[csr].csr.addr = 0xc21;
    s.at[csr].csr.value = 2 << 3; /* as at the launch */
    FAILS(&s, CSR_UNEXPECTED, &s.at[issue_of(&s, 0, "csrrwi", 0)]);
    stream_free(&s);
}

/* Sixty-four failures in a row have to take longer than a hang, from the first one's cycle on. */
static void scs_that_fail_for_long(void **state) {
    (void)state;
    enum { TIMES = 64 };
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "addi", 16, 0, TIMES + 1);
    put(&p, "lr_w", 14, 10, 0);
    put(&p, "sc_w", 13, 14, 10, 0);
    put(&p, "addi", 16, 16, -1);
    put(&p, "bne", 16, 0, -12);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    o.uncounted = true;
    for (uint64_t more = 0; more < 2; more++) {
        stream s = run_program(&p, &o);
        size_t first = 0, last = 0;
        for (uint32_t n = 0; n < TIMES; n++) {
            const size_t issue = issue_of(&s, 0, "sc_w", n);
            stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
            last = of(&s, issue, KARAT_REC_WRITE, 0);
            first = n ? first : last;
            s.at[last].write.data[0] = 1;
        }
        const uint64_t takes = s.at[last].h.cycle - s.at[first].h.cycle;
        assert_true(takes < HANG_CYCLES);
        for (size_t i = last; i < s.num; i++)
            s.at[i].h.cycle += HANG_CYCLES + more - takes;
        if (more)
            SAYS(&s, HANG, " the SC has failed 64 times though nothing else was written to its word");
        else
            PASSES(&s);
        stream_free(&s);
    }
}

/* Forty failures on each side of an SC that stores, or at each of two places, are not eighty; at one place, with none that stores, they are. */
static void scs_that_fail_in_parts(void **state) {
    (void)state;
    enum { TIMES = 40 };
    for (int places = 1; places <= 2; places++)
        for (int stores = 0; stores < 2; stores++) {
            program p = {.num = 0};
            put_prologue(&p);
            for (int n = 0; n < places; n++) {
                put(&p, "addi", 16, 0, places == 2 ? TIMES : 2 * TIMES + 1);
                put(&p, "lr_w", 14, 10, 0);
                put(&p, "sc_w", 13, 14, 10, 0);
                put(&p, "addi", 16, 16, -1);
                put(&p, "bne", 16, 0, -12);
            }
            put0(&p, "endprg");
            core_options o = fixture_options();
            o.workgroups = o.wg_size = 1;
            o.gives &= ~(1u << KARAT_REC_AUDIT);
            o.uncounted = true;
            stream s = run_program(&p, &o);
            size_t last = 0;
            const uint32_t num = places == 2 ? 2 * TIMES : 2 * TIMES + 1;
            for (uint32_t n = 0; n < num; n++) {
                if (stores && n == TIMES)
                    continue;
                const size_t issue = issue_of(&s, 0, "sc_w", n);
                stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
                last = of(&s, issue, KARAT_REC_WRITE, 0);
                s.at[last].write.data[0] = 1;
            }
            for (size_t i = last; i < s.num; i++)
                s.at[i].h.cycle += 2 * HANG_CYCLES;
            if (places == 1 && !stores)
                SAYS(&s, HANG, "times though nothing else was written to its word");
            else
                PASSES(&s);
            stream_free(&s);
        }
}

static void launched(void *context, const karat_model *model, uint32_t warp, const karat_launch_desc *desc,
                     uint32_t warps) {
    uint64_t *count = context;
    karat_warp_view view;
    assert_int_equal(karat_view(model, warp, &view), KARAT_OK);
    assert_int_equal(view.pc, desc->pc);
    assert_int_equal(warps, 2);
    count[0]++;
}

static void stepped(void *context, const karat_model *model, uint32_t warp, const karat_commit *commit) {
    uint64_t *count = context;
    karat_warp_view view;
    assert_int_equal(karat_view(model, warp, &view), KARAT_OK);
    assert_true(view.pc == commit->next_pc || !view.live);
    count[1]++;
}

/* Who watches hears of every launch and every instruction. */
static void watched(void **state) {
    (void)state;
    uint64_t count[2] = {0};
    const karat_check_watch watch = {count, launched, stepped};
    karat_check_config config = judge_config();
    config.watch = &watch;
    stream s = fixture();
    assert_int_equal(s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.wg_size, 2);
    outcome o = conclude(replay(&s, &config));
    assert_int_equal(o.verdict, KARAT_PASS);
    assert_int_equal(count[0], count_of(&o, "warps"));
    assert_int_equal(count[1], count_of(&o, "instructions"));
    assert_true(count[0] > 1 && count[1] > 100);
    outcome_free(&o);
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
    record audit = {.audit = {.h = s.at[issue].h, .regno = KARAT_NUM_V, .cls = KARAT_V, .mask = 1}};
    audit.h.kind = KARAT_REC_AUDIT;
    stream_insert(&s, issue, &audit);
    SAYS(&s, AUDIT, "class 1 register 256 does not exist");
    s.at[issue].audit.cls = KARAT_X;
    s.at[issue].audit.regno = KARAT_NUM_X;
    SAYS(&s, AUDIT, "class 0 register 64 does not exist");
    stream_free(&s);
}

/* A JOIN that shows what its VBRANCH has pushed wrong: that one is to blame. */
static void wrong_entry_under_a_join(void **state) {
    (void)state;
    uint32_t num = 0;
    stream s = fixture();
    const uint32_t word = s.at[issue_of(&s, 0, "join", 0)].issue.word;
    bool emptied = false;
    size_t launch[4] = {0};
    for (size_t i = 0; i < s.num; i++) { /* whichever warp it is of */
        const record *r = &s.at[i];
        if (r->h.kind == KARAT_REC_LAUNCH)
            launch[r->h.slot] = i;
        if (r->h.kind != KARAT_REC_ISSUE || r->issue.word != word)
            continue;
        karat_rec_simt *simt = &s.at[of(&s, i, KARAT_REC_SIMT, 0)].simt;
        const karat_rec_launch *of_warp = &s.at[launch[r->h.slot]].launch;
        char where[60];
        snprintf(where, sizeof where, "workgroup %u warp %u ", of_warp->workgroup, of_warp->warp);
        if (!simt->depth) {
            const record at = *r;
            simt->top_valid = 1; /* there is none, and nobody has pushed it */
            FAILS(&s, SIMT, &at);
            simt->top_valid = 0;
            emptied = true;
            continue;
        }
        simt->top_next ^= 4;
        SAYS(&s, SIMT, where);
        simt->top_next ^= 4;
        num += of_warp->workgroup != 0;
    }
    assert_true(num && emptied);
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

static int64_t lanes_of(const stream *s) {
    outcome o = judge(s);
    const int64_t lanes = json_integer_value(json_object_get(json_object_get(o.json, "failure"), "lanes"));
    outcome_free(&o);
    return lanes;
}

/* Of a core's name 31 characters count; all that can be printed stays. */
static void names_of_cores(void **state) {
    (void)state;
    stream s = fixture();
    memset(s.at[0].hello.name, '!', sizeof s.at[0].hello.name);
    s.at[0].hello.name[1] = '~';
    s.at[0].hello.name[2] = 0x7f;
    s.at[0].hello.name[3] = ' ';
    outcome o = judge(&s);
    assert_non_null(strstr(o.line, " core=!~?\?!!!!!!!!!!!!!!!!!!!!!!!!!!! program="));
    outcome_free(&o);
    stream_free(&s);
}

/* What the core's bytes are at the end, while a store is under way and when none is. */
static void contents_at_the_end(void **state) {
    (void)state;
    stream s = fixture();
    s.at[0].hello.props = KARAT_PROP_FLUSHED;
    const size_t store = issue_of(&s, 0, "sw", 0), mem = of(&s, store, KARAT_REC_MEM, 0);
    const uint32_t addr = s.at[mem].mem.addr[0];
    record r = {.contents = {.h = s.at[s.num - 1].h, .addr = addr, .length = 4}};
    r.h.kind = KARAT_REC_CONTENTS;
    memcpy(r.contents.data, s.at[mem].mem.data, 4);
    const size_t at = s.num - 1;
    stream_insert(&s, at, &r);
    PASSES(&s);
    static const uint8_t wrong[] = {1, 2, 4, 8, 3, 9, 15};
    for (size_t i = 0; i < sizeof wrong; i++) {
        char said[80];
        for (uint32_t k = 0; k < 4; k++)
            s.at[at].contents.data[k] = (uint8_t)(r.contents.data[k] ^ (wrong[i] >> k & 1 ? 0x41 : 0));
        const uint32_t first = (uint32_t)__builtin_ctz(wrong[i]), core = s.at[at].contents.data[first];
        snprintf(said, sizeof said, "byte 0x%08x: core %02x  model %02x  xor 41, and %d more in the 4 bytes",
                 addr + first, core, core ^ 0x41, __builtin_popcount(wrong[i]) - 1);
        SAYS(&s, MEMORY, said);
    }
    /* A load is missing: memory is compared all the same. */
    const size_t load = of(&s, issue_of(&s, 0, "lh", 0), KARAT_REC_MEM, 0);
    const record was = s.at[load];
    s.at[at].contents.data[0] = (uint8_t)~r.contents.data[0];
    stream_remove(&s, load);
    FAILS(&s, MEMORY, NULL);
    stream_insert(&s, load, &was);
    /* The store is missing: that is found, and not what memory holds. */
    record missing = s.at[store];
    stream_remove(&s, mem);
    FAILS(&s, MEM_MISSING, &missing);
    s.at[at - 1].contents.data[0] ^= 1;
    stream_free(&s);
}

/* An AMO has stored, and its result is missing: memory is compared all the same. */
static void contents_behind_an_amo(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "amoadd_w", 13, 7, 10, 0);
    put0(&p, "endprg");
    core_options o = one_warp();
    stream s = run_program(&p, &o);
    s.at[0].hello.props |= KARAT_PROP_FLUSHED;
    const size_t amo = issue_of(&s, 0, "amoadd_w", 0);
    const karat_rec_mem *mem = &s.at[of(&s, amo, KARAT_REC_MEM, 0)].mem;
    record r = {.contents = {.h = s.at[s.num - 1].h, .addr = mem->addr[0], .length = 4}};
    r.h.kind = KARAT_REC_CONTENTS;
    memcpy(r.contents.data, mem->data, 4);
    stream_remove(&s, of(&s, amo, KARAT_REC_WRITE, 0));
    stream_insert(&s, s.num - 1, &r);
    record at = s.at[amo];
    FAILS(&s, WRITE_MISSING, &at);
    s.at[s.num - 2].contents.data[3] ^= 1;
    FAILS(&s, MEMORY, NULL);
    stream_free(&s);
}

/* Of an AMO that shows no data nothing is compared, in one piece or in two. */
static void amo_without_data(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "amoadd_w", 13, 7, 10, 0);
    put0(&p, "endprg");
    core_options o = one_warp();
    for (int pieces = 1; pieces <= 2; pieces++) {
        stream s = run_program(&p, &o);
        record at = s.at[issue_of(&s, 0, "amoadd_w", 0)];
        const size_t mem = of(&s, issue_of(&s, 0, "amoadd_w", 0), KARAT_REC_MEM, 0);
        assert_int_equal(s.at[mem].mem.bytes[0], 15);
        if (pieces == 2) {
            s.at[mem].mem.bytes[0] = 3;
            const record low = s.at[mem];
            stream_insert(&s, mem, &low);
            s.at[mem].mem.bytes[0] = 12;
        }
        PASSES(&s);
        for (int n = 0; n < pieces; n++)
            s.at[mem + (size_t)n].mem.data[0] ^= 0x01010101;
        FAILS(&s, MEM_DATA, &at);
        for (int n = 0; n < pieces; n++)
            s.at[mem + (size_t)n].mem.no_data = 1;
        PASSES(&s);
        stream_free(&s);
    }
}

/* What no kernel has left is no kernel's: CONTENTS come behind one. */
static void contents_before_a_kernel(void **state) {
    (void)state;
    stream s = fixture();
    const size_t kernel = nth(&s, KARAT_REC_KERNEL, 0);
    record r = {.contents = {.h = s.at[kernel].h, .addr = DATA_BASE, .length = 4}};
    r.h.kind = KARAT_REC_CONTENTS;
    stream_insert(&s, kernel, &r);
    FAILS(&s, STREAM, NULL);
    stream_free(&s);
}

/* REGIONs before BYE are compared where the core says that all has been written back. */
static void regions_at_the_end(void **state) {
    (void)state;
    for (uint32_t flushed = 0; flushed < 2; flushed++) {
        stream s = fixture();
        s.at[0].hello.props = flushed ? KARAT_PROP_FLUSHED : 0;
        record r = s.at[nth(&s, KARAT_REC_REGION, 1)];
        r.h.cycle = s.at[s.num - 1].h.cycle;
        assert_true(r.region.hash_valid); /* of memory before the kernel, which has stored there */
        stream_insert(&s, s.num - 1, &r);
        if (flushed)
            SAYS(&s, MEMORY, "after kernel 0: region 0x90000000");
        else
            PASSES(&s);
        stream_free(&s);
    }
}

/* A core of 64 warps: a release may name the last. */
static void sixty_four_warps(void **state) {
    (void)state;
    stream s = fixture();
    s.at[0].hello.num_warp = 64;
    PASSES(&s);
    const size_t i = nth(&s, KARAT_REC_BARRIER, 2);
    assert_int_equal(s.at[i].barrier.action, KARAT_BARRIER_RELEASE);
    s.at[i].barrier.warps |= UINT64_C(1) << 63;
    SAYS(&s, BARRIER_UNEXPECTED, "slot 63 is released and waits at no barrier");
    s.at[0].hello.num_warp = 63;
    SAYS(&s, STRAY, "BARRIER releases warps 8000000000000003 of sm 0; HELLO says 1 SMs of 63 slots");
    stream_free(&s);
}

/* Ranges of no size are nowhere. */
static void empty_ranges(void **state) {
    (void)state;
    stream s = fixture();
    const uint32_t base = s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.vgpr_base;
    karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch;
    const karat_rec_launch was = *r;
    r->vgpr_base = base + 1;
    SAYS(&s, LAUNCH, "vector registers");
    r->vgpr_size = 0;
    PASSES(&s);
    *r = was;
    karat_rec_launch *other = &s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch;
    other->vgpr_base = r->vgpr_base + 1;
    SAYS(&s, LAUNCH, "vector registers");
    other->vgpr_size = 0;
    PASSES(&s);
    stream_free(&s);
}

/* A LAUNCH that leaves out one of its ranges is a gap; local memory that the kernel has not is none. */
static void left_out_ranges(void **state) {
    (void)state;
    static const char gap[] = ",ranges";
    for (int lds = 0; lds < 2; lds++)
        for (uint32_t left_out = 0; left_out < 4; left_out++) {
            stream s = fixture();
            record *kernel = &s.at[nth(&s, KARAT_REC_KERNEL, 0)];
            for (uint32_t n = 0; n < 4; n++) {
                karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, n)].launch;
                r->sgpr_size = n == 3 && left_out == 1 ? 0 : r->sgpr_size;
                r->vgpr_size = n == 3 && left_out == 2 ? 0 : r->vgpr_size;
                if (!lds || (n == 3 && left_out == 3))
                    r->lds_base = r->lds_size = 0;
                if (!lds)
                    r->csr_given &= (uint16_t) ~(1u << KARAT_CSR_LDS);
            }
            if (!lds)
                kernel->kernel.lds_size = 0;
            outcome o = judge(&s);
            assert_int_equal(strstr(o.line, gap) != NULL, left_out == 3 ? lds : left_out != 0);
            outcome_free(&o);
            stream_free(&s);
        }
}

/* CSR_LDS: what the kernel says, or that much behind the allocation's base; one for the workgroup. */
static void lds_csr(void **state) {
    (void)state;
    stream s = fixture();
    for (uint32_t n = 0; n < 4; n++) {
        karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, n)].launch;
        const karat_rec_launch was = *r;
        assert_true(r->csr_given >> KARAT_CSR_LDS & 1 && r->lds_size);
        r->csr[KARAT_CSR_LDS] += 4;
        SAYS(&s, LAUNCH, "CSR lds is 0x7");
        r->csr[KARAT_CSR_LDS] = was.csr[KARAT_CSR_LDS] - 2 * was.lds_base - 4;
        SAYS(&s, LAUNCH, "; the kernel gives 0x7");
        *r = was;
        r->csr[KARAT_CSR_LDS] += 64; /* a base without a range is none */
        r->lds_base += 64;
        r->lds_size = 0;
        FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, n)]);
        *r = was;
    }
    /* It is moved with the allocation, for every warp of the workgroup. */
    for (uint32_t n = 0; n < s.num; n++)
        if (s.at[n].h.kind == KARAT_REC_LAUNCH) {
            s.at[n].launch.lds_base += 0x4000;
            s.at[n].launch.csr[KARAT_CSR_LDS] += s.at[n].launch.lds_base;
        }
    karat_checker *c = replay(&s, NULL);
    assert_int_not_equal(c->failure.kind, FAIL_LAUNCH);
    karat_checker_destroy(c);
    stream_free(&s);
}

/* mstatus is taken of a launch that gives it, of no other. */
static void mstatus_of_a_launch(void **state) {
    (void)state;
    program p = {.num = 0};
    put(&p, "csrrs", 13, 0x300, 0);
    put0(&p, "endprg");
    core_options o = core_default();
    o.uncounted = true;
    o.workgroups = o.wg_size = 1;
    stream s = run_program(&p, &o);
    PASSES(&s);
    karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch;
    assert_true(r->csr_given >> KARAT_LAUNCH_MSTATUS & 1 && r->mstatus);
    r->csr_given &= (uint16_t) ~(1u << KARAT_LAUNCH_MSTATUS);
    SAYS(&s, WRITE_VALUE, "csrrs");
    stream_free(&s);
}

/* The hardware's number of a workgroup is its own on an SM, where it is given. */
static void wgids(void **state) {
    (void)state;
    core_options o = fixture_options();
    o.own_wgid = true;
    o.workgroups = 2;
    o.wg_size = 1;
    o.num_warp = 2;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    program p = {.num = 0};
    put_prologue(&p);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    karat_rec_launch *r[2] = {&s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch,
                              &s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch};
    assert_true(nth(&s, KARAT_REC_LAUNCH, 1) < nth(&s, KARAT_REC_EXIT, 0));
    PASSES(&s);
    const uint32_t first = r[0]->csr[KARAT_CSR_WGID];
    r[1]->csr[KARAT_CSR_WGID] = first;
    SAYS(&s, LAUNCH, ", as that of workgroup 0, which runs on this SM too");
    for (uint32_t given = 0; given < 3; given++) { /* by one of them, or none */
        for (uint32_t n = 0; n < 2; n++) {
            r[n]->csr_given &= ~(1u << KARAT_CSR_WGID);
            r[n]->csr_given |= (uint32_t)(given == n) << KARAT_CSR_WGID;
            r[n]->csr[KARAT_CSR_WGID] = n; /* as the kernel would number them */
        }
        r[1]->csr[KARAT_CSR_WGID] = 0;
        karat_checker *c = replay(&s, NULL);
        assert_int_not_equal(c->failure.kind, FAIL_LAUNCH);
        karat_checker_destroy(c);
    }
    stream_free(&s);
}

/* What decides is a result's own lane: of an SC 0 or 1, of an AUDIT the lanes that it gives. */
static void results_and_lanes(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lr_w", 15, 10, 0);
    put(&p, "sc_w", 16, 7, 10, 0);
    put(&p, "addi", 13, 16, 5);
    put0(&p, "endprg");
    core_options o = one_warp();
    o.audit_percent = 0;
    stream s = run_program(&p, &o);
    PASSES(&s);
    const size_t sc = issue_of(&s, 0, "sc_w", 0);
    record *r = &s.at[of(&s, sc, KARAT_REC_WRITE, 0)];
    r->write.data[0] = 5;
    FAILS(&s, WRITE_VALUE, &s.at[sc]);
    assert_int_equal(lanes_of(&s), 1);
    r->write.data[0] = 0;
    record audit = {.audit = {.h = s.at[s.num - 3].h, .regno = 13, .cls = KARAT_X}};
    audit.h.kind = KARAT_REC_AUDIT;
    for (unsigned cls = KARAT_X; cls <= KARAT_V; cls++) /* of no lane */
        for (unsigned data = 0; data < 2; data++) {
            audit.audit.cls = (uint8_t)cls;
            audit.audit.data[0] = data;
            stream_insert(&s, s.num - 3, &audit);
            PASSES(&s);
        }
    audit.audit.mask = 1;
    audit.audit.cls = 3;
    stream_insert(&s, s.num - 3, &audit);
    SAYS(&s, AUDIT, "class 3 register 13 does not exist");
    s.at[s.num - 4].h.kind = KARAT_REC_WRITE;
    s.at[s.num - 4].write = (karat_rec_write){.h = s.at[s.num - 4].h, .cls = 2, .regno = 13, .mask = 1};
    SAYS(&s, WRITE_REGISTER, "class 2 register 13 does not exist");
    stream_free(&s);
}

/* A core that waits for the registers of an instruction: for each that it names, and for no other. */
static void interlocked_by_each_operand(void **state) {
    (void)state;
    static const struct {
        const char *row;
        int32_t operands[4], num;
        bool names; /* x13 */
    } users[] = {{"add", {14, 13, 5}, 3, true}, {"add", {14, 5, 13}, 3, true},
                 {"add", {13, 5, 5}, 3, true},  {"add", {14, 5, 5}, 3, false},
                 {"vmv_v_x", {8, 13}, 2, true}, {"vadd_vv", {13, 13, 13, 1}, 4, false}};
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "add", 5, 0, 0);
        put(&p, "vadd_vv", 13, 1, 1, 1);
        put(&p, "mul", 13, 7, 7);
        put_row(&p, users[i].row, users[i].operands, (size_t)users[i].num);
        put0(&p, "endprg");
        core_options o = one_warp();
        o.audit_percent = 0;
        o.gives &= ~(1u << KARAT_REC_READ);
        o.max_delay = 9;
        stream s = run_program(&p, &o);
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
        PASSES(&s);
        const size_t mul = issue_of(&s, ANY, "mul", 1), next = after(&s, mul, KARAT_REC_ISSUE);
        record at = s.at[mul];
        move(&s, of(&s, mul, KARAT_REC_WRITE, 0), next + 1);
        if (users[i].names)
            FAILS(&s, WRITE_MISSING, &at);
        else
            PASSES(&s);
        stream_free(&s);
    }
}

/* A group's second register is waited for like the first, by who reads it and by who writes it. */
static void interlocked_by_a_second_register(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 4; n++) {
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "vsetvli", 13, 0, 0xd1);
        put(&p, "vmv_v_i", 8, 3);
        if (n < 2)
            put(&p, "vadd_vv", 12, 8, 8, 1);
        else
            put(&p, "vadd_vv", 8, 12, 12, 1);
        put0(&p, "endprg");
        core_options o = one_warp();
        o.audit_percent = 0;
        stream s = run_program(&p, &o);
        const size_t issue = issue_of(&s, ANY, "vmv_v_i", 1), user = issue_of(&s, ANY, "vadd_vv", 0);
        record at = s.at[issue];
        move(&s, of(&s, issue, KARAT_REC_WRITE, n % 2), of(&s, user, KARAT_REC_WRITE, 1) + 1);
        if (n < 2)
            PASSES(&s);
        else
            FAILS(&s, WRITE_ORDER, &at);
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
        FAILS(&s, WRITE_MISSING, &at);
        stream_free(&s);
    }
}

/* What a core that interlocks has issued is told with its own pc; and an ISSUE that is wrong by itself is that first. */
static void interlocked_behind_an_issue(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "mul", 13, 7, 7);
    put(&p, "beq", 13, 0, 8);
    put(&p, "addi", 14, 0, 1);
    put0(&p, "endprg");
    for (uint32_t regs = KARAT_REGS_CLEARED; regs <= KARAT_REGS_UNKNOWN; regs++) {
        core_options o = one_warp();
        o.regs = regs;
        o.audit_percent = 0;
        stream s = run_program(&p, &o);
        const size_t mul = issue_of(&s, ANY, "mul", 1);
        size_t user = issue_of(&s, ANY, "beq", 0);
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
        move(&s, of(&s, mul, KARAT_REC_WRITE, 0), of(&s, user, KARAT_REC_READ, 1) + 1);
        user = issue_of(&s, ANY, "beq", 0);
        char insn[96], said[128];
        karat_disassemble(KARAT_V202, s.at[user].issue.pc, 0, s.at[user].issue.word, insn, sizeof insn);
        snprintf(said, sizeof said, " 0x%08x %s, which uses it,", s.at[user].issue.pc, insn);
        SAYS(&s, WRITE_MISSING, said);
        s.at[user].issue.mask ^= 1;
        record at = s.at[user];
        FAILS(&s, ISSUE_MASK, &at);
        stream_free(&s);
    }
}

/* A wrong operand of which some lanes were written and others are owed: whoever owes them, of that register and no other. */
static void operand_in_parts(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vsetvli", 13, 0, 0xd1);
    put(&p, "vmv_v_i", 8, 3);
    put(&p, "vadd_vv", 12, 8, 8, 1);
    put(&p, "addi", 9, 0, 5);
    put(&p, "sub", 14, 9, 0);
    put0(&p, "endprg");
    core_options o = one_warp();
    o.audit_percent = 0;
    stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, ANY, "vmv_v_i", 1), write = of(&s, issue, KARAT_REC_WRITE, 1);
    assert_int_equal(s.at[write].write.regno, 9);
    record owing = s.at[issue], rest = s.at[write];
    s.at[write].write.mask = 8;
    rest.write.mask = 7;
    rest.h.cycle = s.at[nth(&s, KARAT_REC_EXIT, 0)].h.cycle;
    stream_insert(&s, nth(&s, KARAT_REC_EXIT, 0), &rest);
    PASSES(&s);
    size_t user = issue_of(&s, ANY, "vadd_vv", 0);
    for (uint32_t n = 0; n < 4; n++) {
        karat_rec_read *r = &s.at[of(&s, user, KARAT_REC_READ, n)].read;
        r->data[2] ^= 1;
        record at = r->part ? owing : s.at[user];
        if (r->part) {
            FAILS(&s, WRITE_MISSING, &at);
            SAYS(&s, WRITE_MISSING, "lane  2  core 00000002  model 00000003  xor 00000001");
        } else {
            FAILS(&s, READ, &at);
        }
        r->data[2] ^= 1;
        r->data[2] ^= 1u << 31; /* the highest bit is none of 31 */
        r->bits = 31;
        PASSES(&s);
        r->bits = 0;
        r->data[2] ^= 1u << 31;
    }
    user = issue_of(&s, ANY, "sub", 0); /* x9 is not v9 */
    s.at[of(&s, user, KARAT_REC_READ, 0)].read.data[0] ^= 1;
    record at = s.at[user];
    FAILS(&s, READ, &at);
    s.at[of(&s, user, KARAT_REC_READ, 0)].read.mask = 0; /* it says nothing of it */
    PASSES(&s);
    stream_free(&s);
}

/* Paths within a path, of eight lanes: 3 to 7 wait while 0 runs, then 1 and 2. Each JOIN that shows a wrong entry leads to the
 * VBRANCH that has pushed it, the inner one behind a prefix. */
static void entries_of_nested_branches(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vadd_vi", 6, 1, 5, 1);
    put(&p, "vsrl_vi", 6, 6, 3, 1); /* lanes from 3 on */
    put(&p, "vadd_vi", 7, 1, 7, 1);
    put(&p, "regext", 0, 0, 0, 1);
    put(&p, "vsrl_vi", 7, 7, 3, 1); /* v39: lanes from 1 on */
    put(&p, "vmv_v_i", 10, 0);
    put(&p, "auipc", 5, 0);
    put(&p, "addi", 5, 5, 4 * 11);
    put(&p, "setrpc", 0, 5, 0);
    put(&p, "vbne", 6, 10, 4 * 8);
    put(&p, "auipc", 5, 0);
    put(&p, "addi", 5, 5, 4 * 6);
    put(&p, "setrpc", 0, 5, 0);
    put(&p, "regext", 0, 1, 0, 0);
    put(&p, "vbne", 7, 10, 8);
    put(&p, "vadd_vi", 8, 1, 1, 1);
    put0(&p, "join"); /* inner */
    put0(&p, "join"); /* outer */
    put0(&p, "endprg");
    core_options o = core_default();
    o.wg_size = o.num_warp = 1;
    o.workgroups = 2; /* one behind the other, in one slot */
    o.num_thread = 8;
    o.uncounted = true;
    stream s = run_program(&p, &o);
    PASSES(&s);
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t n = k % 2;
        uint32_t joins = 0, branches = 0; /* of the first warp */
        while (k > 1 && !s.at[issue_of(&s, 0, "join", joins)].h.epoch)
            joins++;
        while (k > 1 && !s.at[issue_of(&s, 0, "vbne", branches)].h.epoch)
            branches++;
        const size_t join = issue_of(&s, 0, "join", joins + n),
                     branch = issue_of(&s, 0, "vbne", branches + 1 - n);
        record *r = &s.at[of(&s, join, KARAT_REC_SIMT, 0)];
        const record was = *r;
        assert_int_equal(r->simt.depth, 3 - n);
        r->simt.top_mask ^= 0x10;
        FAILS(&s, SIMT, &s.at[branch]);
        char said[100];
        snprintf(said, sizeof said, "\n  at        0x%08x  %s, v10, 0x", s.at[branch].issue.pc,
                 n ? "vbne v6" : "vbne v39");
        SAYS(&s, SIMT, said);
        snprintf(said, sizeof said, "issued in cycle %llu)", (unsigned long long)s.at[branch].h.cycle);
        SAYS(&s, SIMT, said);
        r->simt.mask ^= 0x21;
        FAILS(&s, SIMT, &s.at[join]);
        assert_int_equal(lanes_of(&s), 0x21);
        *r = was;
    }
    stream_free(&s);
}

/* Of many lanes that differ eight are shown. */
static void many_lanes(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vadd_vi", 8, 1, 1, 1);
    put0(&p, "endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.num_thread = 16;
    o.uncounted = true;
    stream s = run_program(&p, &o);
    const size_t write = of(&s, issue_of(&s, 0, "vadd_vi", 0), KARAT_REC_WRITE, 0);
    for (uint32_t n = 1; n <= 16; n++) {
        s.at[write].write.data[n - 1] ^= 2;
        outcome out = judge(&s);
        char said[40];
        snprintf(said, sizeof said, n == 16 ? "and %u more lanes" : "lane %2u  core",
                 n < 8     ? n - 1
                 : n == 16 ? 8
                           : 7);
        assert_non_null(strstr(out.text, said));
        assert_null(strstr(out.text, "lane  8  core"));
        assert_int_equal(strstr(out.text, " more lanes\n") != NULL, n > 8);
        outcome_free(&out);
    }
    stream_free(&s);
}

/* Each byte of what a store stores, and no other, must be right. */
static void each_bit_stored(void **state) {
    (void)state;
    static const char *const rows[] = {"sb", "sh", "sw"};
    program p = {.num = 0};
    put_prologue(&p);
    for (size_t i = 0; i < 3; i++)
        put(&p, rows[i], 7, 512 + 4 * (int32_t)i, 10);
    put0(&p, "endprg");
    core_options o = one_warp();
    stream s = run_program(&p, &o);
    for (size_t i = 0; i < 3; i++) {
        const size_t issue = issue_of(&s, 0, rows[i], 0);
        karat_rec_mem *r = &s.at[of(&s, issue, KARAT_REC_MEM, 0)].mem;
        for (uint32_t bit = 0; bit < 32; bit += 1 + (bit % 8 == 2) * 4) { /* 0, 1, 2, 7, 8, ... */
            r->data[0] ^= 1u << bit;
            if (bit < 8u << i)
                FAILS(&s, MEM_DATA, &s.at[issue]);
            else
                PASSES(&s);
            r->data[0] ^= 1u << bit;
        }
    }
    stream_free(&s);
}

/* Each register has a state of its own. */
static void states_of_registers(void **state) {
    (void)state;
    static slot s;
    for (unsigned i = 0; i < KARAT_NUM_X + KARAT_NUM_V; i++) {
        register_state *r = karat_register(&s, i < KARAT_NUM_X ? KARAT_CLASS_X : KARAT_CLASS_V,
                                           i < KARAT_NUM_X ? i : i - KARAT_NUM_X);
        assert_true(r >= s.regs && r < s.regs + KARAT_NUM_X + KARAT_NUM_V && !r->landed);
        r->landed = true;
    }
}

/* The test bench may object later than the last record, and earlier; and cut the stream. */
static void told_by_the_bench(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        stream s = fixture();
        cut(&s, s.num / 2);
        const uint64_t last = s.at[s.num - 1].h.cycle;
        karat_checker *c = replay(&s, NULL);
        if (how == 2)
            karat_checker_cut(c, "the simulator died");
        else
            assert_true(karat_checker_object(c, how ? last + 7 : last - 3, "an assertion"));
        assert_true(karat_checker_object(c, 0, "too late"));
        outcome o = conclude(c);
        char found[40];
        snprintf(found, sizeof found, " cycles=%llu", (unsigned long long)(how == 1 ? last + 7 : last));
        assert_int_equal(o.verdict, how == 2 ? KARAT_INCOMPLETE : KARAT_MISMATCH);
        assert_non_null(strstr(o.text, how == 2 ? "the simulator died" : "an assertion"));
        assert_non_null(strstr(o.line, found));
        outcome_free(&o);
        stream_free(&s);
    }
}

/* A result of what nobody has written is taken; a younger instruction has written the register in the model, which holds it until that
 * one's WRITE lands. */
static void believed_under_a_younger_write(void **state) {
    (void)state;
    for (int scalar = 0; scalar < 2; scalar++)
        for (uint32_t wrong = 0; wrong < 3; wrong++) {
            program p = {.num = 0};
            put_prologue(&p);
            if (scalar) {
                put(&p, "add", 13, 30, 7);
                put(&p, "addi", 13, 7, 77);
            } else {
                put(&p, "vadd_vv", 30, 30, 1, 1); /* of itself: nobody knows */
                put(&p, "vadd_vi", 30, 1, 3, 1);
            }
            put0(&p, "endprg");
            core_options o = core_default();
            o.workgroups = o.wg_size = 1;
            o.regs = KARAT_REGS_UNKNOWN;
            o.gives &= ~(1u << KARAT_REC_READ);
            o.uncounted = true;
            o.audit_percent = 0;
            stream s = run_program(&p, &o);
            PASSES(&s);
            const uint32_t seq = s.at[issue_of(&s, 0, "endprg", 0)].issue.seq;
            size_t young = 0, write;
            while (s.at[young].h.kind != KARAT_REC_ISSUE || s.at[young].issue.seq != seq - 1)
                young++;
            for (write = 0; s.at[write].h.kind != KARAT_REC_WRITE || s.at[write].write.seq != seq - 2;
                 write++)
                ;
            record audit = {.audit = {.h = s.at[young].h,
                                      .cls = s.at[write].write.cls,
                                      .regno = s.at[write].write.regno}};
            audit.h.kind = KARAT_REC_AUDIT;
            audit.audit.mask = s.at[write].write.mask;
            memcpy(audit.audit.data, s.at[write].write.data, sizeof audit.audit.data);
            audit.audit.data[wrong && !scalar ? wrong : 0] ^= wrong ? 2 : 0;
            stream_insert(&s, young + 1, &audit); /* before the younger one's WRITE, and behind: */
            move(&s, write, young + 1);
            if (wrong)
                SAYS(&s, AUDIT, "xor 00000002");
            else
                PASSES(&s);
            stream_free(&s);
        }
}

/* Which store a wrong load may have missed: one of device memory by any warp, of local memory by a warp of its workgroup, that was
 * issued before it and shares a byte, and that came later or not yet. */
static bool names_store(karat_checker *c, flight *store, flight *load, uint32_t wg, bool settled) {
    char text[400];
    slot *other = &c->slots[1];
    assert_true(other->launched);
    const uint32_t kept = wg ? NUM_SETTLED - 1 : 0; /* the first or the last */
    other->wg = wg;
    if (settled)
        other->settled[kept] = store;
    else
        other->oldest = store;
    karat_late_store(c, &c->slots[0], load, text, sizeof text);
    const bool named = strstr(text, " stores there, issued in cycle 5, and ") != NULL;
    assert_int_equal(named, text[0] != 0);
    if (named)
        assert_non_null(strstr(text, store->mem_bytes ? ", and has not been performed yet"
                                                      : ", and was performed in cycle 9"));
    if (named && store->commit.word)
        assert_non_null(strstr(text, " 0x80000010 sw x37, 0(x6)  {regext} stores there"));
    other->oldest = other->settled[kept] = NULL;
    return named;
}

static void late_stores(void **state) {
    (void)state;
    static flight store, load;
    stream s = fixture();
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 1) + 1);
    karat_checker *c = replay(&s, NULL);
    static const struct {
        uint32_t store_at, store_bytes, load_at, load_bytes;
        bool share;
    } places[] = {{0, 4, 0, 4, true},  {0, 1, 0, 4, true}, {3, 1, 0, 4, true},  {4, 1, 0, 4, false},
                  {4, 1, 5, 1, false}, {4, 2, 5, 1, true}, {6, 2, 4, 2, false}, {4, 4, 7, 1, true}};
    for (size_t i = 0; i < 32 * sizeof places / sizeof *places; i++) {
        const bool lds = i & 1, same_group = i & 2, settled = i & 4, pending = i & 8, early = i & 16;
        memset(&store, 0, sizeof store);
        memset(&load, 0, sizeof load);
        store.commit.has_mem = load.commit.has_mem = true;
        store.commit.mem.op = KARAT_STORE;
        store.commit.mem.space = load.commit.mem.space = lds ? KARAT_LDS : KARAT_GLOBAL;
        store.commit.mem.num = load.commit.mem.num = 2; /* the second ones meet */
        store.commit.mem.access[0] = (karat_access){.addr = 0x100, .bytes = 4};
        load.commit.mem.access[0] = (karat_access){.addr = 0x200, .bytes = 4};
        store.commit.mem.access[1] = (karat_access){.addr = 0x300 + places[i / 32].store_at,
                                                    .bytes = (uint8_t)places[i / 32].store_bytes};
        load.commit.mem.access[1] = (karat_access){.addr = 0x300 + places[i / 32].load_at,
                                                   .bytes = (uint8_t)places[i / 32].load_bytes};
        store.commit.mem.access[2] = load.commit.mem.access[1]; /* none of theirs */
        load.commit.mem.access[2] = store.commit.mem.access[1];
        store.cycle = load.cycle = 5;
        store.mem_bytes = pending;
        store.mem_cycle = pending ? 0 : 9;
        load.mem_cycle = early ? 10 : 9;
        const bool want = places[i / 32].share && (!lds || same_group) && (pending || !early);
        if (names_store(c, &store, &load, same_group ? 0 : 2, settled) != want)
            fail_msg("case %zu: %s", i, want ? "not named" : "named");
    }
    memset(&load.commit.mem, 0, sizeof load.commit.mem);
    load.commit.mem = store.commit.mem;
    load.commit.mem.op = KARAT_LOAD;
    store.commit.mem.space = load.commit.mem.space = KARAT_GLOBAL;
    store.mem_bytes = 1;
    assert_true(names_store(c, &store, &load, 2, false));
    static flight first; /* of two slots that have one, the first */
    first = store;
    store.seq = 77;
    c->slots[0].oldest = &first;
    c->slots[1].oldest = &store;
    c->slots[0].wg = c->slots[1].wg;
    for (first.seq = 33; first.seq <= 34; first.seq++) {
        char text[400];
        karat_late_store(c, &c->slots[0], &load, text, sizeof text);
        assert_non_null(strstr(text, first.seq == 33 ? " seq 33 " : " seq 77 "));
        first.cycle = 6;
    }
    c->slots[1].oldest = NULL;
    first.cycle = 5; /* of a warp's, what is under way */
    first.seq = 33;
    c->slots[0].settled[0] = &store;
    char both[400];
    karat_late_store(c, &c->slots[0], &load, both, sizeof both);
    assert_non_null(strstr(both, " seq 33 "));
    c->slots[0].oldest = c->slots[0].settled[0] = NULL;
    store.commit.pc = 0x80000010;
    store.commit.prefix = 0x0400200b; /* the second source is 32 higher */
    store.commit.word = 0x00532023;
    assert_true(names_store(c, &store, &load, 2, false));
    const uint32_t given = c->hello.gives;
    c->hello.gives &= ~(1u << KARAT_REC_MEM);
    assert_false(names_store(c, &store, &load, 2, false));
    c->hello.gives = 1u << KARAT_REC_MEM;
    assert_true(names_store(c, &store, &load, 2, false));
    c->hello.gives = given;
    store.cycle = 6; /* younger */
    assert_false(names_store(c, &store, &load, 2, false));
    store.cycle = 5;
    store.commit.mem.op = KARAT_LOAD;
    assert_false(names_store(c, &store, &load, 2, false));
    store.commit.mem.op = KARAT_STORE;
    load.commit.mem.op = KARAT_AMO;
    assert_false(names_store(c, &store, &load, 2, false));
    load.commit.mem.op = KARAT_LOAD;
    load.commit.has_mem = false;
    assert_false(names_store(c, &store, &load, 2, false));
    karat_checker_destroy(c);
    stream_free(&s);
}

/* Behind a wrong address a warp goes on only where a load or store has something left to perform. */
static void nothing_left_to_go_elsewhere(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "amoadd_w", 13, 7, 10, 0);
    put(&p, "lw", 14, 512, 10);
    put0(&p, "endprg");
    core_options o = one_warp();
    o.audit_percent = 0;
    for (uint32_t n = 0; n < 4;
         n++) { /* an AMO's, a load's, and a load's once more, behind a right one or a wrong one */
        stream s = run_program(&p, &o);
        const size_t issue = issue_of(&s, 0, n ? "lw" : "amoadd_w", 0);
        move(&s, of(&s, issue, KARAT_REC_WRITE, 0), of(&s, issue, KARAT_REC_MEM, 0) + 1);
        size_t mem = of(&s, issue, KARAT_REC_MEM, 0);
        const uint32_t model = s.at[mem].mem.addr[0];
        s.at[mem].mem.addr[0] += n == 3 ? 0x2000 : 0;
        if (n >= 2) {
            record again = s.at[mem];
            stream_insert(&s, mem + 1, &again);
            mem++;
        }
        assert_true(mem < of(&s, issue, KARAT_REC_WRITE, 0));
        s.at[mem].mem.addr[0] += 0x1000;
        karat_check_config config = judge_config();
        config.keep_going = true;
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i <= mem; i++)
            assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
        assert_int_equal(c->num_mismatches, n == 3 ? 2 : 1);
        assert_int_equal(c->num_frozen, n != 1);
        char text[80];
        snprintf(text, sizeof text, "lane 0: core 0x%08x  model 0x%08x (4 bytes)",
                 model + (n == 3 ? 0x2000 : 0x1000), model);
        assert_string_equal(c->failure.detail, text); /* the first */
        karat_checker_destroy(c);
        stream_free(&s);
    }
}

/* That an operand was read as it is, is remembered as long as its instruction is. */
static void late_reads_of_the_past(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "addi", 13, 7, 77);
    for (uint32_t i = 0; i < NUM_HISTORY + 3; i++)
        put(&p, "addi", 14, 6, 1);
    put0(&p, "endprg");
    core_options o = one_warp();
    o.audit_percent = 0;
    for (uint32_t behind = NUM_HISTORY - 2; behind <= NUM_HISTORY; behind++) {
        stream s = run_program(&p, &o);
        size_t first = 0;
        while (s.at[first].h.kind != KARAT_REC_ISSUE ||
               s.at[first].issue.pc != CODE_BASE + 4 * (p.num - NUM_HISTORY - 5))
            first++;
        const uint32_t seq = s.at[first].issue.seq;
        size_t last = first;
        for (uint32_t n = 0; n < behind; n++)
            last = after(&s, last, KARAT_REC_ISSUE);
        move(&s, of(&s, first, KARAT_REC_WRITE, 0), last + 1);
        move(&s, of(&s, first, KARAT_REC_READ, 0), last--);
        karat_check_config config = judge_config();
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i < last; i++)
            assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
        const slot *slot = &c->slots[0];
        assert_int_equal(slot->num_history, seq + behind + 1);
        assert_int_equal(s.at[last - 1].h.kind, KARAT_REC_ISSUE);
        assert_int_equal(slot->history[seq % NUM_HISTORY].read_alike, 0);
        assert_false(karat_checker_record(c, &s.at[last], karat_rec_size(s.at[last].h.kind)));
        assert_int_equal(slot->history[seq % NUM_HISTORY].read_alike, behind < NUM_HISTORY);
        karat_checker_destroy(c);
        stream_free(&s);
    }
}

/* An AUDIT may tell what registers hold in the beginning. */
static void registers_by_audit(void **state) {
    (void)state;
    core_options o = fixture_options();
    o.regs = KARAT_REGS_AUDIT;
    stream s = run_fixture(&o);
    PASSES(&s);
    stream_free(&s);
}

/* Behind a wrong AUDIT what it says is there, until the write that is owed lands: the same once more is right. */
static void audited_twice(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 3; n++) { /* a group's first and second register, or v9 before an x9 */
        program p = {.num = 0};
        put_prologue(&p);
        if (n < 2) {
            put(&p, "vsetvli", 13, 0, 0xd1);
            put(&p, "vmv_v_i", 8, 3);
        } else
            put(&p, "addi", 9, 0, 3);
        put(&p, "addi", 14, 0, 1);
        put0(&p, "endprg");
        core_options o = one_warp();
        o.audit_percent = 0;
        stream s = run_program(&p, &o);
        size_t from = 0;
        for (size_t i = 0; i < s.num; i++)
            if (s.at[i].h.kind == KARAT_REC_ISSUE && s.at[i].issue.pc == CODE_BASE + 4 * (p.num - 3))
                from = i;
        record audit = {.audit = {.h = s.at[from].h, .regno = n ? 9 : 8, .cls = KARAT_V, .mask = 0xf}};
        audit.h.kind = KARAT_REC_AUDIT;
        memset(audit.audit.data, 0x5a, sizeof audit.audit.data);
        stream_insert(&s, from + 1, &audit);
        stream_insert(&s, from + 1, &audit);
        karat_check_config config = judge_config();
        config.keep_going = true;
        karat_checker *c = replay(&s, &config);
        assert_int_equal(c->num_mismatches, 1);
        karat_checker_destroy(c);
        stream_free(&s);
    }
}

/* A byte stored at a wrong address: of its line and the model's, and of no other, others may load what is not right. */
static void lines_of_a_wrong_address(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "sb", 7, 512, 10);
    put0(&p, "endprg");
    core_options o = one_warp();
    stream s = run_program(&p, &o);
    const size_t mem = of(&s, issue_of(&s, 0, "sb", 0), KARAT_REC_MEM, 0);
    for (uint32_t at = 0; at < 64; at += 21) {
        s.at[mem].mem.addr[0] = DATA_BASE + 0x2000 + at;
        karat_check_config config = judge_config();
        config.keep_going = true;
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; i <= mem; i++)
            assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
        uint32_t lines = 0;
        for (uint32_t i = 0; i < (1 << 16) / 8; i++)
            lines += (uint32_t)__builtin_popcount(c->touched[i]);
        assert_int_equal(lines, 2);
        karat_checker_destroy(c);
    }
    stream_free(&s);
}

/* Under LMUL 2 a lane may store to one byte twice. Where the second of these has been performed and a value comes that is neither's,
 * it is the first's, and wrong. */
static void stored_twice(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vmv_v_i", 8, 3);
    put(&p, "vmv_v_i", 9, 5);
    put(&p, "vsetivli", 0, 5, 0xd1);
    put(&p, "vsse32_v", 8, 10, 0, 1); /* all to one word */
    put0(&p, "endprg");
    core_options o = one_warp();
    stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, 0, "vsse32_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    PASSES(&s);
    assert_int_equal(s.at[mem].mem.mask, 0xf);
    const size_t second = of(&s, issue, KARAT_REC_MEM, 1);
    assert_int_equal(s.at[second].mem.mask, 1);
    move(&s, second, mem);
    s.at[mem + 1].mem.data[0] ^= 0x40;
    FAILS(&s, MEM_DATA, &s.at[issue]);
    stream_free(&s);
}

/* A wrong operand, where the write of its register came in part: of a lane that is owed, that part is missing; of another, or where
 * only the access is owed, the operand is wrong. */
static void part_of_an_operand(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vlw12_v", 8, 0, 3);
    put(&p, "vadd_vv", 9, 8, 1, 1);
    put0(&p, "endprg");
    core_options o = one_warp();
    o.audit_percent = 0;
    for (int part = 0; part < 2; part++)
        for (uint32_t lane = 0; lane < 4; lane++) {
            stream s = run_program(&p, &o);
            const size_t load = issue_of(&s, ANY, "vlw12_v", 0), add = issue_of(&s, ANY, "vadd_vv", 0);
            record at = s.at[part && lane > 1 ? load : add];
            record *r = &s.at[of(&s, add, KARAT_REC_READ, 0)];
            if (r->read.source != 2)
                r = &s.at[of(&s, add, KARAT_REC_READ, 1)];
            r->read.data[lane] ^= 1;
            if (part)
                s.at[of(&s, load, KARAT_REC_WRITE, 0)].write.mask = 3;
            else
                stream_remove(&s, of(&s, load, KARAT_REC_MEM, 0));
            if (part && lane > 1)
                FAILS(&s, WRITE_MISSING, &at);
            else
                FAILS(&s, READ, &at);
            stream_free(&s);
        }
}

/* Twenty warps that hang: sixteen lines, and how many more there are. */
static void many_hang(void **state) {
    (void)state;
    for (uint32_t num = 15; num <= 20; num++) {
        program p = {.num = 0};
        put_prologue(&p);
        put0(&p, "endprg");
        core_options o = core_default();
        o.num_warp = 20;
        o.workgroups = num;
        o.wg_size = 1;
        o.uncounted = true;
        stream s = run_program(&p, &o);
        cut(&s, nth(&s, KARAT_REC_EXIT, 0));
        karat_checker *c = replay(&s, NULL);
        assert_true(karat_checker_tick(c, s.at[s.num - 1].h.cycle + HANG_CYCLES + 1));
        uint32_t lines = 1;
        for (const char *t = c->failure.detail; *t; t++)
            lines += *t == '\n';
        char more[40];
        snprintf(more, sizeof more, "\nand %u more live warps", num - 16);
        assert_int_equal(lines, num <= 16 ? num : 17);
        assert_int_equal(strstr(c->failure.detail, more) != NULL, num > 16);
        outcome out = conclude(c);
        outcome_free(&out);
        stream_free(&s);
    }
}

/* Each space has its name. */
static void names_of_spaces(void **state) {
    (void)state;
    static const char *const names[] = {NULL, "core global", "core lds", "core private"};
    for (int lds = 0; lds < 2; lds++) {
        stream s = fixture();
        const size_t store = issue_of(&s, 0, "vsw12_v", lds);
        karat_rec_mem *r = &s.at[of(&s, store, KARAT_REC_MEM, 0)].mem;
        assert_int_equal(r->space, lds ? KARAT_SPACE_LDS : KARAT_SPACE_GLOBAL);
        for (uint8_t space = 0; space < sizeof names / sizeof *names; space++) {
            r->space = space;
            if (space == KARAT_SPACE_UNKNOWN || space == (lds ? KARAT_SPACE_LDS : KARAT_SPACE_GLOBAL)) {
                PASSES(&s);
                continue;
            }
            char said[60];
            snprintf(said, sizeof said, ": %s  model %s", names[space], lds ? "lds" : "global");
            SAYS(&s, MEM_SPACE, said);
            assert_int_equal(lanes_of(&s), 1);
        }
        stream_free(&s);
    }
}

/* Private memory is at plain addresses: a core that has it in its window of local memory may say so, of what is in the window. */
static void private_in_lds(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vmv_v_i", 6, 0);
    put(&p, "vsw_v", 1, 4, 6);
    put0(&p, "endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    stream s = run_program(&p, &o);
    const size_t mem = of(&s, issue_of(&s, ANY, "vsw_v", 0), KARAT_REC_MEM, 0);
    const uint32_t first = s.at[mem].mem.addr[0], last = s.at[mem].mem.addr[3];
    assert_true(first < last && s.at[mem].mem.space == KARAT_SPACE_PRIVATE);
    const struct {
        uint32_t base, size;
        bool inside;
    } windows[] = {{first, last - first + 1, true}, {first, last - first, false}, {first + 1, 0x1000, false},
                   {first - 64, 0x1000, true},      {first - 64, 64, false},      {last + 4, 0x1000, false}};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
        for (uint8_t space = KARAT_SPACE_UNKNOWN; space <= KARAT_SPACE_PRIVATE; space++) {
            karat_check_config config = judge_config();
            karat_checker *c = karat_checker_create(&config);
            for (size_t i = 0; i < mem; i++)
                assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
            c->config.model.lds_base = windows[w].base;
            c->config.model.lds_size = windows[w].size;
            record r = s.at[mem];
            r.mem.space = space;
            const bool good = space == KARAT_SPACE_UNKNOWN || space == KARAT_SPACE_PRIVATE ||
                              (space == KARAT_SPACE_LDS && windows[w].inside);
            assert_int_equal(karat_checker_record(c, &r, sizeof r.mem), !good);
            assert_int_equal(c->failure.kind, good ? FAIL_NONE : FAIL_MEM_SPACE);
            karat_checker_destroy(c);
        }
    stream_free(&s);
}

/* What nobody has written is stored by several lanes to the same bytes: memory holds the highest lane's, in whatever order they
 * come; and beside each other, each its own. */
static void unknown_values_over_each_other(void **state) {
    (void)state;
    for (int stride = -4; stride <= 4; stride += 4)
        for (int pieces = 0; pieces < 3; pieces++) {
            program p = {.num = 0};
            put_prologue(&p);
            put(&p, "addi", 12, 10, 64);
            put(&p, "addi", 13, 0, stride);
            put(&p, "vsse32_v", 30, 12, 13, 1);
            put(&p, "vlse32_v", 21, 12, 13, 1);
            put0(&p, "endprg");
            core_options o = core_default();
            o.workgroups = o.wg_size = 1;
            o.regs = KARAT_REGS_UNKNOWN;
            o.gives &= ~(1u << KARAT_REC_READ);
            o.uncounted = true;
            o.audit_percent = 0;
            stream s = run_program(&p, &o);
            const size_t issue = issue_of(&s, ANY, "vsse32_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
            for (uint32_t lane = 0; lane < 4; lane++)
                assert_int_not_equal(s.at[mem].mem.data[lane], s.at[mem].mem.data[(lane + 1) % 4]);
            record first = s.at[mem];
            size_t others = mem;
            for (uint32_t m = pieces == 0 ? 0 : pieces == 1 ? 8 : 10; m; m &= m - 1) {
                first.mem.mask = m & -m;
                s.at[others].mem.mask &= ~first.mem.mask;
                stream_insert(&s, others++, &first);
            }
            outcome out = judge(&s);
            if (out.verdict != KARAT_PASS)
                fail_msg("stride %d, pieces %d: %s\n%s", stride, pieces, out.line, out.text);
            assert_int_equal(count_of(&out, "adopted"), 1);
            outcome_free(&out);
            const size_t load = issue_of(&s, ANY, "vlse32_v", 0), write = of(&s, load, KARAT_REC_WRITE, 0);
            for (uint32_t lane = 0; lane < 4; lane++) {
                s.at[write].write.data[lane] ^= 1u << 8 * lane;
                FAILS(&s, WRITE_VALUE, &s.at[load]);
                s.at[write].write.data[lane] ^= 1u << 8 * lane;
            }
            stream_free(&s);
        }
}

/* An SC that has failed in the model, and of which MEM tells all the same: which of those that are remembered, and where it takes its
 * place again among what is under way. */
static void failed_scs_come_back(void **state) {
    (void)state;
    static flight sc[NUM_FAILED_SC], others[3];
    stream s = fixture();
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 1) + 1);
    static const struct {
        uint32_t op, match, seq, epoch, found; /* found: number; 99: none */
    } cases[] = {{KARAT_MEM_AMO, KARAT_MATCH_SEQ, 10, 0, 0},    {KARAT_MEM_AMO, KARAT_MATCH_SEQ, 13, 0, 3},
                 {KARAT_MEM_AMO, KARAT_MATCH_SEQ, 17, 0, 7},    {KARAT_MEM_AMO, KARAT_MATCH_SEQ, 18, 0, 99},
                 {KARAT_MEM_AMO, KARAT_MATCH_SEQ, 15, 0, 99},   {KARAT_MEM_STORE, KARAT_MATCH_SEQ, 13, 0, 99},
                 {KARAT_MEM_LOAD, KARAT_MATCH_SEQ, 13, 0, 99},  {KARAT_MEM_AMO, KARAT_MATCH_OTHER, 0, 0, 0},
                 {KARAT_MEM_STORE, KARAT_MATCH_OTHER, 0, 0, 99}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karat_checker *c = replay(&s, NULL);
        slot *slot = &c->slots[0];
        memset(sc, 0, sizeof sc);
        memset(others, 0, sizeof others);
        for (uint32_t k = 0; k < NUM_FAILED_SC; k++) {
            slot->failed_sc[k] = k == 6 ? NULL : &sc[k];
            sc[k].seq = 10 + k;
            sc[k].epoch = k == 5;
            sc[k].at.step = 2 * k;
        }
        for (uint32_t k = 0; k < 3; k++) {
            others[k].at.step = 3 + 4 * k;
            others[k].seq = 1000 + k;
            others[k].next = k < 2 ? &others[k + 1] : NULL;
        }
        slot->oldest = &others[0];
        slot->in_flight = 3;
        slot->next_seq = 18;
        record r = {.mem = {.h = s.at[s.num - 1].h}};
        r.h.kind = KARAT_REC_MEM;
        r.h.slot = 0;
        r.h.epoch = cases[i].epoch;
        r.mem.op = (uint8_t)cases[i].op;
        r.mem.match = (uint8_t)cases[i].match;
        r.mem.seq = cases[i].seq;
        r.mem.mask = 1;
        assert_true(karat_checker_record(c, &r, karat_rec_size(KARAT_REC_MEM))); /* these access nothing */
        assert_int_equal(c->failure.kind, FAIL_MEM_UNEXPECTED);
        const bool found = cases[i].found != 99;
        assert_int_equal(strstr(c->failure.detail, ", which accesses no memory") != NULL, found);
        assert_int_equal(strstr(c->failure.detail, ", which has completed") != NULL,
                         !found && cases[i].seq < 18);
        assert_int_equal(c->failure.has_insn, found);
        assert_int_equal(slot->in_flight, 3 + found);
        for (uint32_t k = 0; k < NUM_FAILED_SC; k++)
            assert_true(slot->failed_sc[k] == (k == 6 || k == cases[i].found ? NULL : &sc[k]));
        uint32_t num = 0, there = 0;
        for (const flight *f = slot->oldest; f; f = f->next, num++) {
            there += found && f == &sc[cases[i].found];
            assert_true(!f->next || f->next->at.step > f->at.step);
        }
        assert_int_equal(num, 3 + found);
        assert_int_equal(there, found);
        slot->oldest = NULL;
        memset(slot->failed_sc, 0, sizeof slot->failed_sc);
        karat_checker_destroy(c);
    }
    stream_free(&s);
}

/* Eight warps, each a workgroup: what is wrong with the last one, or between it and the one before, is found as with any other. */
static void the_last_of_all(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "sw", 7, 512, 10);
    put(&p, "addi", 13, 7, 5);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.num_warp = o.workgroups = 8;
    o.wg_size = 1;
    o.lds_size = 0x100;
    stream s = run_program(&p, &o);
    PASSES(&s);
    const size_t launch = nth(&s, KARAT_REC_LAUNCH, 7);
    assert_true(launch < nth(&s, KARAT_REC_EXIT, 0)); /* all at the same time */
    for (uint32_t n = 0; n < 7; n++) {
        const karat_rec_launch *other = &s.at[nth(&s, KARAT_REC_LAUNCH, n)].launch;
        record *r = &s.at[launch];
        const record was = *r;
        char said[60];
        r->launch.csr[KARAT_CSR_WGID] = other->csr[KARAT_CSR_WGID];
        snprintf(said, sizeof said, "as that of workgroup %u, ", other->workgroup);
        SAYS(&s, LAUNCH, said);
        *r = was;
        r->launch.lds_base = other->lds_base;
        snprintf(said, sizeof said, "that of live workgroup %u (", other->workgroup);
        SAYS(&s, LAUNCH, said);
        *r = was;
        r->launch.vgpr_base = other->vgpr_base;
        snprintf(said, sizeof said, "overlap those of live slot %u (", other->h.slot);
        SAYS(&s, LAUNCH, said);
        *r = was;
        r->launch.sgpr_base = other->sgpr_base;
        SAYS(&s, LAUNCH, said);
        *r = was;
    }
    for (uint32_t n = 0; n < 8; n++) { /* something of one of them is missing */
        const uint8_t slot = s.at[nth(&s, KARAT_REC_LAUNCH, n)].h.slot;
        const size_t store = issue_of(&s, slot, "sw", 0), mem = of(&s, store, KARAT_REC_MEM, 0);
        record at = s.at[store];
        stream copy = stream_copy(&s);
        record r = {.contents = {.h = s.at[s.num - 1].h, .addr = s.at[mem].mem.addr[0], .length = 4}};
        r.h.kind = KARAT_REC_CONTENTS;
        copy.at[0].hello.props = KARAT_PROP_FLUSHED;
        stream_insert(&copy, s.num - 1, &r);
        for (uint32_t i = 0; i < 4; i++)
            copy.at[s.num - 1].contents.data[i] = 0x5a; /* what was there */
        SAYS(&copy, MEMORY, "core 5a");
        stream_remove(&copy, mem);
        FAILS(&copy, MEM_MISSING, &at);
        copy.at[copy.num - 1].bye.reason = KARAT_BYE_CYCLE_LIMIT;
        FAILS(&copy, INCOMPLETE, NULL); /* it may come yet */
        cut(&copy, copy.num - 2);
        FAILS_AT(&copy, copy.at[copy.num - 1].h.cycle + HANG_CYCLES + 1, MEM_MISSING, &at);
        stream_free(&copy);
        copy = stream_copy(&s); /* its end */
        size_t exit = 0;
        while (copy.at[exit].h.kind != KARAT_REC_EXIT || copy.at[exit].h.slot != slot)
            exit++;
        stream_remove(&copy, exit);
        cut(&copy, copy.num - 1);
        at = copy.at[issue_of(&copy, slot, "endprg", 0)];
        FAILS_AT(&copy, copy.at[copy.num - 1].h.cycle + HANG_CYCLES + 1, HANG, &at);
        record next = copy.at[nth(&copy, KARAT_REC_KERNEL, 0)];
        next.kernel.index = 1;
        next.kernel.num_region = 0;
        next.h.cycle = copy.at[copy.num - 1].h.cycle;
        stream_add(&copy, &next, sizeof next.kernel);
        FAILS(&copy, EXIT_MISSING, &at);
        stream_free(&copy);
    }
    stream_free(&s);
}

/* Flights that are remembered are of one owner of the slot. */
static void flights_of_an_epoch(void **state) {
    (void)state;
    static slot s;
    static flight f[3];
    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < 3; i++) {
        f[i].epoch = i;
        f[i].seq = 5;
    }
    s.oldest = &f[1];
    s.settled[NUM_SETTLED - 1] = &f[0];
    for (uint32_t epoch = 0; epoch < 3; epoch++) {
        assert_true(karat_flight_find(&s, epoch, 5) == (epoch == 1 ? &f[1] : NULL));
        assert_true(karat_flight_recent(&s, epoch, 5) == (epoch < 2 ? &f[epoch] : NULL));
        assert_null(karat_flight_recent(&s, epoch, 4));
    }
}

/* Of two registers that an instruction writes, the one that is still owed is named. */
static void second_register(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vsetvli", 13, 0, 0xd1);
    put(&p, "vmv_v_i", 8, 3);
    put0(&p, "endprg");
    core_options o = one_warp();
    o.audit_percent = 0;
    stream s = run_program(&p, &o);
    const size_t issue = issue_of(&s, ANY, "vmv_v_i", 1);
    for (uint32_t n = 0; n < 2; n++) {
        record *r = &s.at[of(&s, issue, KARAT_REC_WRITE, n)];
        const uint16_t was = r->write.regno;
        r->write.regno = 30;
        SAYS(&s, WRITE_REGISTER,
             n ? "v30 is written; the instruction writes v9" : "v30 is written; the instruction writes v8");
        r->write.regno = was;
    }
    /* Something has become of the second one. */
    const size_t write = of(&s, issue, KARAT_REC_WRITE, 1);
    record wrong = {.audit = {.h = s.at[write].h, .cls = KARAT_V, .regno = 9, .mask = 15}};
    wrong.h.kind = KARAT_REC_AUDIT;
    size_t behind = nth(&s, KARAT_REC_EXIT, 0);
    wrong.h.cycle = s.at[behind].h.cycle;
    for (uint32_t lane = 0; lane < 4; lane++)
        wrong.audit.data[lane] = 3 + (lane == 2);
    stream_insert(&s, behind, &wrong);
    SAYS(&s, AUDIT, "which wrote v9 right: another write has hit it, or it was not kept");
    stream_free(&s);
}

/* What could not be judged is no PASS. */
static void not_judged(void **state) {
    (void)state;
    stream s = fixture();
    const record bye = s.at[s.num - 1];
    cut(&s, s.num - 1);
    karat_checker *c = replay(&s, NULL);
    c->counts.unjudged = 2;
    snprintf(c->unjudged, sizeof c->unjudged, "a test");
    assert_true(karat_check_record(c, &bye));
    outcome o = conclude(c);
    assert_int_equal(o.verdict, KARAT_INCOMPLETE);
    assert_non_null(strstr(o.text, "2 results could not be judged, the first of a test\n"));
    outcome_free(&o);
    stream_free(&s);
}

/* A wrong pc behind a JOIN: of the JOIN where nothing has shown where it goes to; else of whoever fetches. */
static void pc_behind_a_join(void **state) {
    (void)state;
    for (int gives = 0; gives < 2; gives++) {
        core_options o = fixture_options();
        if (!gives)
            o.gives &= ~(1u << KARAT_REC_SIMT);
        stream s = run_fixture(&o);
        const size_t join = issue_of(&s, 0, "join", 0), next = after(&s, join, KARAT_REC_ISSUE);
        record right = s.at[next], at = s.at[gives ? next : join];
        s.at[next].issue.pc ^= 0x40;
        FAILS(&s, ISSUE_PC, &at);
        s.at[next] = right;
        const size_t second =
            after(&s, nth(&s, KARAT_REC_ISSUE, 0), KARAT_REC_ISSUE); /* of the prologue: no branch */
        right = s.at[second];
        s.at[second].issue.pc ^= 0x40;
        FAILS(&s, ISSUE_PC, &right);
        s.at[second] = right;
        if (gives) { /* its outcome comes later */
            move(&s, of(&s, join, KARAT_REC_SIMT, 0), next + 1);
            PASSES(&s);
            s.at[next - 1].issue.pc ^= 0x40;
            at = s.at[join];
            FAILS(&s, ISSUE_PC, &at);
        }
        stream_free(&s);
    }
}

/* The same where some lanes ran: those have given the scalar, and who wrote the others does not matter. */
static void walk_through_some_lanes(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vand_vi", 6, 1, 1, 1);
    put(&p, "vmv_v_i", 10, 0);
    put(&p, "vmv_v_i", 8, 5);
    put(&p, "vmseq_vi", 0, 6, 0, 1);
    put(&p, "vadd_vv", 8, 1, 1, 0); /* even lanes */
    put(&p, "auipc", 5, 0);
    put(&p, "setrpc", 0, 5, 4 * 6);
    put(&p, "vbne", 6, 10, 12);
    put(&p, "vadd_vi", 9, 1, 1, 1);
    put(&p, "jal", 0, 8);
    put(&p, "vmv_x_s", 14, 8); /* odd ones */
    put0(&p, "join");
    put(&p, "sw", 14, 512, 10);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    stream s = run_program(&p, &o);
    PASSES(&s);
    s.at[of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0)].mem.data[0] ^= 1;
    SAYS(&s, MEM_DATA, "vmv.x.s x14, v8  00000005");
    SAYS(&s, MEM_DATA, "vmv.v.i v8, 5   lane 1, not compared");
    stream_free(&s);
}

/* --- What a hang's report says that each warp waits for --- */

/* The stream up to record i, then nothing: the words of the hang, which hold that text; or that it holds it not. */
static void hangs_saying(const char *file, int line, const stream *s, size_t i, bool says, const char *text) {
    stream copy = stream_copy(s);
    cut(&copy, i);
    karat_checker *c = replay(&copy, NULL);
    const bool stops = karat_checker_tick(c, copy.at[copy.num - 1].h.cycle + HANG_CYCLES + 1);
    if (!stops || c->failure.kind != FAIL_HANG || (strstr(c->failure.detail, text) != NULL) != says) {
        print_error("%s:%d: %s'%s':\n%s\n", file, line, says ? "not " : "", text, c->failure.detail);
        _fail(file, line);
    }
    karat_checker_destroy(c);
    stream_free(&copy);
}
#define HANGS(s, i, text)     hangs_saying(__FILE__, __LINE__, s, i, true, text)
#define HANGS_NOT(s, i, text) hangs_saying(__FILE__, __LINE__, s, i, false, text)

static core_options hang_options(uint32_t wg_size) {
    core_options o = core_default();
    o.workgroups = 1;
    o.wg_size = wg_size;
    o.audit_percent = 0;
    o.uncounted = true;
    return o;
}

/* Of a load that owes its result: whether memory has performed it, where MEM tells that. */
static void load_hangs(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        const bool mem = k & 1, barrier = k & 2;
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "vlw12_v", 10, 0, 3);
        put(&p, "vadd_vv", 11, 10, 1, 1);
        put0(&p, "endprg");
        core_options o = hang_options(1);
        o.gives &= ~(mem ? 0 : 1u << KARAT_REC_MEM) & ~(barrier ? 0 : 1u << KARAT_REC_BARRIER);
        stream s = run_program(&p, &o);
        const size_t load = issue_of(&s, 0, "vlw12_v", 0);
        char text[200];
        snprintf(text, sizeof text, "vlw12.v v10, 0(v3) waits for the write of v10, lanes 0000000f%s",
                 mem ? ", and memory for 16 bytes of its memory accesses, lanes 0000000f, first lane 0 at 0x9"
                     : "; next is seq ");
        HANGS(&s, load + 1, text);
        HANGS(&s, load + 1, "vadd.vv v11, v10, v1, which waits for v10 of seq ");
        if (mem) {
            stream_remove(&s, of(&s, load, KARAT_REC_WRITE, 0));
            const size_t performed = of(&s, load, KARAT_REC_MEM, 0);
            snprintf(text, sizeof text,
                     "lanes 0000000f; its memory accesses were performed, the last in cycle %llu; next is ",
                     (unsigned long long)s.at[performed].h.cycle);
            HANGS(&s, performed + 1, text);
        } else
            HANGS_NOT(&s, load + 1, "memory");
        stream_free(&s);
    }
}

/* The second of two registers is the one that the next instruction waits for; prefixes show, and where jumps go. */
static void next_one_hangs(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vsetvli", 13, 0, 0xd1);
    put(&p, "vmv_v_i", 8, 3);
    put(&p, "vsetvli", 13, 0, 0xd0);
    put(&p, "regext", 0, 0, 1, 1);
    put(&p, "vadd_vv", 8, 9, 1, 1);
    put(&p, "regext", 0, 0, 0, 1);
    put(&p, "vadd_vv", 9, 1, 1, 1);
    put(&p, "jal", 15, 4);
    put0(&p, "endprg");
    core_options o = hang_options(1);
    stream s = run_program(&p, &o);
    const size_t group = issue_of(&s, 0, "vmv_v_i", 1);
    stream owes = stream_copy(&s);
    for (uint32_t n = 0; n < 2; n++)
        stream_remove(&owes, of(&owes, group, KARAT_REC_WRITE, 0));
    size_t at = issue_of(&owes, 0, "vsetvli", 1);
    at = after(&owes, at, KARAT_REC_ISSUE);
    HANGS(&owes, at, "vmv.v.i v8, 3 waits for the write of v8, lanes 0000000f; next is seq ");
    HANGS(&owes, at, "vadd.vv v40, v9, v33  {regext}, which waits for v9 of seq ");
    stream_free(&owes);
    const size_t prefixed = issue_of(&s, 0, "vadd_vv", 0);
    HANGS(&s, prefixed + 1, "vadd.vv v40, v9, v33  {regext} waits for the write of v40, lanes 0000000f");
    size_t jump = issue_of(&s, 0, "jal", 0);
    char text[100];
    snprintf(text, sizeof text, " 0x%08x jal x15, 0x%08x", s.at[jump].issue.pc, s.at[jump].issue.pc + 4);
    HANGS(&s, jump + 1, text);
    const size_t idle = jump;
    snprintf(text, sizeof text, "owes nothing and could issue seq %u 0x%08x jal x15, ", s.at[jump].issue.seq,
             s.at[jump].issue.pc);
    HANGS(&s, idle, text);
    HANGS(&s, idle, ", whose registers nobody owes");
    stream_free(&s);
}

/* A warp that goes on where no memory is. */
static void hangs_in_the_void(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lui", 14, 0x4000);
    put(&p, "addi", 15, 0, 1);
    put0(&p, "endprg");
    core_options o = hang_options(1);
    stream s = run_program(&p, &o);
    const size_t end = issue_of(&s, 0, "endprg", 0);
    program jumps = {.num = 0};
    put(&jumps, "jalr", 0, 0, 14);
    for (size_t i = 0; i < s.num; i++) { /* in place of the end */
        if (s.at[i].h.kind == KARAT_REC_REGION)
            s.at[i].region.hash_valid = 0;
        if (s.at[i].h.kind == KARAT_REC_HOST && s.at[i].host.addr == CODE_BASE)
            memcpy(&s.at[i].host.data[4 * (p.num - 1)], &jumps.word[0], 4);
    }
    s.at[end].issue.word = jumps.word[0];
    char text[80];
    snprintf(text, sizeof text, "could issue seq %u at 0x04000000, where no memory is",
             s.at[end].issue.seq + 1);
    HANGS(&s, end + 1, text);
    stream_free(&s);
}

/* At a barrier, by BARRIER or by what the model knows; the next barrier while the others have still to leave the last. */
static void barriers_hang(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "barrier", 0);
    put(&p, "barrier", 0);
    put0(&p, "endprg");
    core_options o = hang_options(2);
    o.gives &= ~(1u << KARAT_REC_BARRIER);
    stream s = run_program(&p, &o);
    size_t first = issue_of(&s, 0, "barrier", 0), second = issue_of(&s, 1, "barrier", 0);
    const size_t last = first > second ? first : second;
    HANGS(&s, last, "waits at a barrier for at least 1 of its workgroup's 2 warps");
    HANGS(&s, last, "owes nothing and could issue seq ");
    stream_free(&s);
    o = hang_options(2);
    s = run_program(&p, &o);
    first = of(&s, issue_of(&s, 0, "barrier", 0), KARAT_REC_BARRIER, 0);
    second = of(&s, issue_of(&s, 1, "barrier", 0), KARAT_REC_BARRIER, 0);
    size_t release = first > second ? first : second;
    HANGS(&s, release, "waits at a barrier for 1 of its workgroup's 2 warps");
    while (s.at[release].h.kind != KARAT_REC_BARRIER || s.at[release].barrier.action != KARAT_BARRIER_RELEASE)
        release++;
    HANGS(&s, release, "waits to be released from a barrier at which all have arrived");
    /* Warp 0 is released alone, and comes to the next. */
    assert_int_equal(s.at[release].barrier.warps, 3);
    s.at[release].barrier.warps = 1;
    stream alone = stream_copy(&s);
    cut(&alone, release + 1);
    const size_t again = of(&s, issue_of(&s, 0, "barrier", 1), KARAT_REC_BARRIER, 0);
    for (size_t i = release + 1; i <= again; i++)
        if (s.at[i].h.slot == 0)
            stream_add(&alone, &s.at[i], karat_rec_size(s.at[i].h.kind));
    HANGS(&alone, alone.num, "workgroup 0 warp 1 (sm 0 slot 1");
    HANGS(&alone, alone.num, "waits to be released from a barrier at which all have arrived");
    HANGS(&alone, alone.num, "waits at a barrier for 1 of its workgroup's 2 warps");
    stream_free(&alone);
    stream_free(&s);
}

/* All that were launched wait for one that never was: as long as any of them was heard of, whichever slot it has, that is no hang. */
static void never_launched(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "barrier", 0);
    put0(&p, "endprg");
    core_options o = hang_options(3);
    stream s = run_program(&p, &o);
    for (uint8_t later = 0; later < 2; later++) {
        stream some = {0};
        uint64_t cycle = 0;
        for (int part = 0; part < 3; part++) /* what comes first, then one warp, then the other */
            for (size_t i = 0; i < s.num; i++) {
                const record *r = &s.at[i];
                const bool head = i < nth(&s, KARAT_REC_LAUNCH, 0);
                const bool release =
                    r->h.kind == KARAT_REC_BARRIER && r->barrier.action == KARAT_BARRIER_RELEASE;
                if (r->h.kind == KARAT_REC_BYE || release)
                    break;
                if (part == 0 ? !head : head || (r->h.slot == 0) != ((part == 1) == (later == 0)))
                    continue;
                if (part && r->h.slot > 1)
                    continue;
                stream_add(&some, r, karat_rec_size(r->h.kind));
                some.at[some.num - 1].h.cycle = cycle += part == 2 ? 3 : 1;
            }
        karat_checker *c = replay(&some, NULL);
        assert_int_equal(c->num_started, 2);
        assert_false(karat_checker_tick(c, cycle + HANG_CYCLES));
        assert_true(karat_checker_tick(c, cycle + HANG_CYCLES + 1));
        assert_int_equal(c->failure.kind, FAIL_HANG);
        assert_non_null(
            strstr(c->failure.detail, "no warp can go on, and 1 of 3 warps were never launched\n"));
        karat_checker_destroy(c);
        stream_free(&some);
    }
    stream_free(&s);
}

/* More than fits: whole lines, and how many are left out. */
static void much_hangs(void **state) {
    (void)state;
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vsetvli", 13, 0, 0xd1);
    put(&p, "addi", 12, 0, 4);
    put(&p, "regext", 0, 0, 0, 1);
    put(&p, "vlse32_v", 8, 10, 12, 1);
    put(&p, "regext", 0, 1, 1, 1);
    put(&p, "vadd_vv", 8, 8, 8, 1);
    put0(&p, "endprg");
    core_options o = hang_options(1);
    o.num_warp = o.workgroups = 16;
    stream s = run_program(&p, &o);
    size_t last = 0;
    for (uint32_t slot = 0; slot < 16; slot++) {
        const size_t at = issue_of(&s, slot, "vlse32_v", 0);
        last = at > last ? at : last;
    }
    stream some = {0};
    for (size_t i = 0; i <= last; i++) /* none goes on behind that load */
        if (s.at[i].h.slot >= 16 || s.at[i].h.kind == KARAT_REC_HELLO || i < nth(&s, KARAT_REC_LAUNCH, 0) ||
            i <= issue_of(&s, s.at[i].h.slot, "vlse32_v", 0))
            stream_add(&some, &s.at[i], karat_rec_size(s.at[i].h.kind));
    karat_checker *c = replay(&some, NULL);
    assert_true(karat_checker_tick(c, some.at[some.num - 1].h.cycle + HANG_CYCLES + 1));
    assert_int_equal(c->failure.kind, FAIL_HANG);
    uint32_t lines = 1;
    for (const char *t = c->failure.detail; *t; t++)
        lines += *t == '\n';
    char more[40];
    snprintf(more, sizeof more, "\nand %u more live warps", 16 - (lines - 1));
    const char *tail = strrchr(c->failure.detail, '\n');
    if (lines >= 16 || !tail || strcmp(tail, more) != 0)
        fail_msg("%u lines: %s", lines, c->failure.detail);
    outcome out = conclude(c);
    outcome_free(&out);
    stream_free(&some);
    stream_free(&s);
}

/* The bench gives up long after the last warp has ended: the core has not said that it is done. */
static void gives_up_late(void **state) {
    (void)state;
    stream s = fixture();
    record *bye = &s.at[s.num - 1];
    const uint64_t last = bye->h.cycle;
    bye->bye.reason = KARAT_BYE_CYCLE_LIMIT;
    FAILS(&s, INCOMPLETE, NULL);
    bye->h.cycle = last + 2 * HANG_CYCLES;
    FAILS(&s, HANG, NULL);
    bye->bye.reason = KARAT_BYE_DONE;
    PASSES(&s);
    stream_free(&s);
}

static uint64_t hash_in(karat_model *model, const karat_rec_region *r) {
    uint8_t *bytes = malloc(r->size);
    assert_non_null(bytes);
    assert_int_equal(karat_read(model, r->base, bytes, r->size), KARAT_OK);
    const uint64_t hash = XXH3_64bits(bytes, r->size);
    free(bytes);
    return hash;
}

/* Memory at the end counts as compared where each page that was mapped has a hash. */
static void every_region_has_a_hash(void **state) {
    (void)state;
    enum { FIRST = 1, SECOND = 2, IS_FLUSHED = 4, ALL_THREE = 8, LAST_FIRST = 16, TWICE = 32, NUM = 64 };
    for (uint32_t how = 0; how < NUM; how++) {
        stream s = fixture();
        const size_t first = nth(&s, KARAT_REC_REGION, 0);
        uint32_t mapped = 0;
        while (s.at[first + mapped].h.kind == KARAT_REC_REGION)
            mapped++;
        assert_true(mapped > 2);
        karat_checker *end = replay(&s, NULL);
        s.at[0].hello.props = how & IS_FLUSHED ? KARAT_PROP_FLUSHED : 0;
        const uint32_t given = how & ALL_THREE ? mapped : mapped - 1;
        for (uint32_t n = 0; n < given + (how & TWICE ? 1 : 0); n++) {
            const uint32_t which = n % given;
            record r = s.at[first + (how & LAST_FIRST ? given - 1 - which : which)];
            r.h.cycle = s.at[s.num - 1].h.cycle;
            r.region.hash_valid = n > 1 || (how >> n & 1);
            r.region.hash = hash_in(end->model, &r.region);
            stream_insert(&s, s.num - 1, &r);
        }
        karat_checker_destroy(end);
        PASSES(&s);
        karat_checker *c = replay(&s, NULL);
        assert_int_equal(c->gaps >> GAP_FINAL_MEMORY & 1, (how & (FIRST | SECOND | IS_FLUSHED | ALL_THREE)) !=
                                                              (FIRST | SECOND | IS_FLUSHED | ALL_THREE));
        karat_checker_destroy(c);
        stream_free(&s);
    }
}

/* A warp or a workgroup just behind the last of the grid, and an arrival of nobody. */
static void just_behind_the_last(void **state) {
    (void)state;
    stream s = fixture();
    const size_t launch = nth(&s, KARAT_REC_LAUNCH, 0);
    const record was = s.at[launch];
    const uint32_t workgroups = s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.grid[0];
    s.at[launch].launch.workgroup = workgroups;
    SAYS(&s, LAUNCH, "; the grid has 2 workgroups of 2 warps");
    s.at[launch] = was;
    s.at[launch].launch.warp = 2;
    SAYS(&s, LAUNCH, "; the grid has 2 workgroups of 2 warps");
    s.at[launch] = was;
    size_t arrive = nth(&s, KARAT_REC_BARRIER, 0);
    s.at[arrive].h.slot = 2; /* never launched by then */
    FAILS(&s, STRAY, NULL);
    stream_free(&s);
}

/* Each kind of debt has its kind of failure and its words. */
static void each_debt(void **state) {
    (void)state;
    static flight f;
    char text[160];
#define OWES(set, kind, words)                                                                               \
    do {                                                                                                     \
        memset(&f, 0, sizeof f);                                                                             \
        assert_false(karat_flight_owes(&f));                                                                 \
        set;                                                                                                 \
        assert_true(karat_flight_owes(&f));                                                                  \
        assert_int_equal(karat_flight_debt(&f, text, sizeof text), FAIL_##kind);                             \
        assert_string_equal(text, words);                                                                    \
    } while (0)
    OWES(f.owes_simt = true, SIMT_MISSING, "its SIMT outcome");
    OWES((f.owes_csr = true, f.commit.csr = 0x80b), CSR_MISSING, "its write of CSR print");
    OWES(f.owes_arrive = true, BARRIER_MISSING, "its arrival at the barrier");
    OWES(f.owes_exit = true, EXIT_MISSING, "the end of the warp (EXIT)");
    OWES((f.commit.num_writes = 2, f.owes_write[1] = 6,
          f.commit.write[1] = (karat_reg_write){.cls = KARAT_CLASS_V, .reg = 77}),
         WRITE_MISSING, "the write of v77, lanes 00000006");
    OWES((f.commit.num_writes = 1, f.owes_write[0] = 1,
          f.commit.write[0] = (karat_reg_write){.cls = KARAT_CLASS_X, .reg = 63}),
         WRITE_MISSING, "the write of x63, lanes 00000001");
    OWES((f.commit.mem.num = 3, f.mem_bytes = 6, f.mem_left[1] = 15, f.mem_left[2] = 3,
          f.commit.mem.access[1] = (karat_access){.lane = 4, .addr = 0x90000010},
          f.commit.mem.access[2] = (karat_access){.lane = 9, .addr = 0x90000020}),
         MEM_MISSING, "6 bytes of its memory accesses, lanes 00000210, first lane 4 at 0x90000010");
}

/* A MEM of no lane says nothing, and is counted. */
static void mem_of_no_lane(void **state) {
    (void)state;
    stream s = fixture();
    const size_t mem = nth(&s, KARAT_REC_MEM, 0);
    record none = s.at[mem];
    none.mem.mask = 0;
    outcome out = judge(&s);
    const int64_t was = count_of(&out, "empty"), mems = count_of(&out, "mem");
    outcome_free(&out);
    stream_insert(&s, mem, &none);
    PASSES(&s);
    out = judge(&s);
    assert_int_equal(count_of(&out, "empty"), was + 1);
    assert_int_equal(count_of(&out, "mem"), mems);
    outcome_free(&out);
    stream_free(&s);
}

/* What a LAUNCH leaves out is a gap where the core gives LAUNCH, whatever else it gives; so of ISSUE. */
static void gaps_of_launches(void **state) {
    (void)state;
    for (uint32_t gives = 0; gives < 4; gives++) {
        core_options o = fixture_options();
        o.csr_unknown = o.prefix_unknown = true;
        o.allocation = false;
        o.gives &= ~(gives & 1 ? 0 : 1u << KARAT_REC_LAUNCH) & ~(gives & 2 ? 0 : 1u << KARAT_REC_ISSUE);
        stream s = run_fixture(&o);
        karat_checker *c = replay(&s, NULL);
        assert_int_equal(c->verdict, KARAT_PASS);
        assert_int_equal(c->gaps >> GAP_LAUNCH_CSR & 1, gives & 1);
        assert_int_equal(c->gaps >> GAP_RANGES & 1, gives & 1);
        assert_int_equal(c->gaps >> GAP_PREFIX & 1, gives >> 1);
        karat_checker_destroy(c);
        stream_free(&s);
    }
}

/* What a warp still owes, but for memory, when its slot is launched anew. */
static void owed_by_the_last_owner(void **state) {
    (void)state;
    static const struct {
        const char *row;
        uint8_t kind;
        failure_kind failure;
    } debts[] = {{"csrrw", KARAT_REC_CSR, FAIL_CSR_MISSING},
                 {"vbeq", KARAT_REC_SIMT, FAIL_SIMT_MISSING},
                 {"vmul_vv", KARAT_REC_WRITE, FAIL_WRITE_MISSING}};
    stream s = fixture();
    for (size_t k = 0; k < sizeof debts / sizeof *debts; k++) {
        stream copy = stream_copy(&s);
        size_t next = nth(&copy, KARAT_REC_LAUNCH, 0);
        while (copy.at[next].h.kind != KARAT_REC_LAUNCH || copy.at[next].h.epoch != 1)
            next++;
        const size_t issue = issue_of(&copy, copy.at[next].h.slot, debts[k].row, 0);
        const record at = copy.at[issue];
        assert_int_equal(at.h.epoch, 0);
        stream_remove(&copy, of(&copy, issue, debts[k].kind, 0));
        cut(&copy, next); /* the LAUNCH has moved there */
        check_fails(__FILE__, __LINE__, &copy, 0, debts[k].failure, &at);
        stream_free(&copy);
    }
    stream_free(&s);
}

/* Only MEM may come under an epoch that is over. */
static void records_of_an_earlier_epoch(void **state) {
    (void)state;
    static const uint8_t kinds[] = {KARAT_REC_WRITE, KARAT_REC_READ, KARAT_REC_ISSUE, KARAT_REC_SIMT,
                                    KARAT_REC_EXIT};
    stream s = fixture();
    for (size_t k = 0; k < sizeof kinds; k++) {
        size_t i = nth(&s, KARAT_REC_LAUNCH, 0);
        while (s.at[i].h.kind != KARAT_REC_LAUNCH || s.at[i].h.epoch != 1)
            i++;
        const uint8_t slot = s.at[i].h.slot;
        while (s.at[i].h.kind != kinds[k] || s.at[i].h.slot != slot || s.at[i].h.epoch != 1)
            i++;
        const record was = s.at[i];
        s.at[i].h.epoch = 0;
        outcome out = judge(&s);
        assert_int_equal(out.verdict, KARAT_MISMATCH);
        assert_non_null(strstr(out.line, karat_failure_name(FAIL_STRAY)));
        assert_non_null(strstr(out.text, ": epoch 0; the slot is in epoch 1"));
        outcome_free(&out);
        s.at[i] = was;
    }
    stream_free(&s);
}

/* A grid that goes on in any direction: what each launch's CSRs are. */
static void grids_of_three(void **state) {
    (void)state;
    static const uint32_t grids[][3] = {{6, 1, 1}, {1, 6, 1}, {1, 1, 6}, {2, 3, 1}, {1, 2, 3}, {3, 1, 2}};
    program p = {.num = 0};
    put(&p, "addi", 13, 0, 1);
    put0(&p, "endprg");
    core_options o = core_default();
    o.workgroups = 6;
    o.uncounted = true;
    stream s = run_program(&p, &o);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        for (size_t i = 0; i < s.num; i++) {
            if (s.at[i].h.kind == KARAT_REC_KERNEL)
                memcpy(s.at[i].kernel.grid, grids[g], sizeof grids[g]);
            if (s.at[i].h.kind != KARAT_REC_LAUNCH)
                continue;
            karat_rec_launch *r = &s.at[i].launch;
            const uint32_t x = r->workgroup % grids[g][0], rest = r->workgroup / grids[g][0];
            const uint32_t at[] = {x, rest % grids[g][1], rest / grids[g][1]};
            for (unsigned k = 0; k < 3; k++)
                r->csr[8 + k] = at[k]; /* gdx, gdy, gdz */
        }
        PASSES(&s);
        for (unsigned k = 0; k < 3; k++) {
            karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, 9)].launch;
            r->csr[8 + k] ^= 1;
            outcome out = judge(&s);
            assert_int_equal(out.verdict, KARAT_MISMATCH);
            assert_non_null(strstr(out.line, karat_failure_name(FAIL_LAUNCH)));
            outcome_free(&out);
            r->csr[8 + k] ^= 1;
        }
    }
    stream_free(&s);
}

/* An EXIT of a warp that has issued nothing. */
static void exit_at_once(void **state) {
    (void)state;
    stream s = fixture();
    const size_t launch = nth(&s, KARAT_REC_LAUNCH, 1);
    record end = {.exit = {.h = s.at[launch].h}};
    end.h.kind = KARAT_REC_EXIT;
    stream_insert(&s, launch + 1, &end);
    SAYS(&s, EXIT_UNEXPECTED, "its last instruction is no ENDPRG");
    stream_free(&s);
}

/* An SC that has no register, or of whose register no WRITE tells, and whose MEM never comes has failed: it is no debt, however long its warp goes on; nor where its workgroup's
 * memory has gone with it. */
static void scs_without_an_answer(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const int local = kind & 1, silent = kind & 2;
        program p = {.num = 0};
        put_prologue(&p);
        put(&p, "add", 20, 10, 0);
        if (local)
            put(&p, "csrrs", 20, 0x806, 0);
        put(&p, "lr_w", 14, 20, 0);
        put(&p, "sc_w", silent ? 15 : 0, 14, 20, 0);
        put(&p, "addi", 13, 0, 5);
        put(&p, "addi", 13, 13, 5);
        put0(&p, "endprg");
        core_options o = hang_options(1);
        o.num_warp = 1;
        o.workgroups = 2;
        if (silent)
            o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
        stream s = run_program(&p, &o);
        for (uint32_t order = 0; order < 3; order++) {
            stream copy = stream_copy(&s);
            copy.at[0].hello.mem_order = (uint8_t)order;
            PASSES(&copy);
            size_t sc = issue_of(&copy, 0, "sc_w", 0);
            stream_remove(&copy, of(&copy, sc, KARAT_REC_MEM, 0));
            outcome out = judge(&copy);
            assert_int_equal(out.verdict, KARAT_PASS);
            assert_int_equal(count_of(&out, "sc_failed"), 1);
            outcome_free(&out);
            /* The warp goes on much later. */
            sc = issue_of(&copy, 0, "addi", 2);
            for (size_t i = sc; i < copy.num; i++)
                copy.at[i].h.cycle += HANG_CYCLES - 5;
            cut(&copy, after(&copy, sc, KARAT_REC_ISSUE));
            karat_checker *c = replay(&copy, NULL);
            assert_false(karat_checker_tick(c, copy.at[copy.num - 1].h.cycle + 20));
            assert_int_equal(c->counts.sc_failed, 1);
            assert_int_equal(c->failure.kind, FAIL_NONE);
            karat_checker_destroy(c);
            stream_free(&copy);
        }
        stream_free(&s);
    }
}

int run_corner_tests(void) {
    const struct CMUnitTest list[] = {
        cmocka_unit_test(kernels_that_do_not_fit),
        cmocka_unit_test(barrier_of_an_earlier_warp),
        cmocka_unit_test(cores_out_of_range),
        cmocka_unit_test(size_of_the_model),
        cmocka_unit_test(next_kernel_too_early),
        cmocka_unit_test(barriers_of_nobody),
        cmocka_unit_test(default_configuration),
        cmocka_unit_test(younger_write_lands_first),
        cmocka_unit_test(store_in_the_next_kernel),
        cmocka_unit_test(every_csr_of_a_launch),
        cmocka_unit_test(issue_after_endprg),
        cmocka_unit_test(interlocked),
        cmocka_unit_test(scs_that_never_store),
        cmocka_unit_test(scs_that_fail_for_long),
        cmocka_unit_test(scs_that_fail_in_parts),
        cmocka_unit_test(watched),
        cmocka_unit_test(vtype_of_others),
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
        cmocka_unit_test(names_of_cores),
        cmocka_unit_test(contents_at_the_end),
        cmocka_unit_test(amo_without_data),
        cmocka_unit_test(contents_behind_an_amo),
        cmocka_unit_test(contents_before_a_kernel),
        cmocka_unit_test(regions_at_the_end),
        cmocka_unit_test(sixty_four_warps),
        cmocka_unit_test(empty_ranges),
        cmocka_unit_test(left_out_ranges),
        cmocka_unit_test(lds_csr),
        cmocka_unit_test(mstatus_of_a_launch),
        cmocka_unit_test(wgids),
        cmocka_unit_test(results_and_lanes),
        cmocka_unit_test(interlocked_by_each_operand),
        cmocka_unit_test(interlocked_by_a_second_register),
        cmocka_unit_test(interlocked_behind_an_issue),
        cmocka_unit_test(operand_in_parts),
        cmocka_unit_test(entries_of_nested_branches),
        cmocka_unit_test(many_lanes),
        cmocka_unit_test(each_bit_stored),
        cmocka_unit_test(states_of_registers),
        cmocka_unit_test(told_by_the_bench),
        cmocka_unit_test(believed_under_a_younger_write),
        cmocka_unit_test(late_stores),
        cmocka_unit_test(stored_twice),
        cmocka_unit_test(registers_by_audit),
        cmocka_unit_test(nothing_left_to_go_elsewhere),
        cmocka_unit_test(late_reads_of_the_past),
        cmocka_unit_test(audited_twice),
        cmocka_unit_test(lines_of_a_wrong_address),
        cmocka_unit_test(walk_through_some_lanes),
        cmocka_unit_test(pc_behind_a_join),
        cmocka_unit_test(the_last_of_all),
        cmocka_unit_test(flights_of_an_epoch),
        cmocka_unit_test(second_register),
        cmocka_unit_test(not_judged),
        cmocka_unit_test(failed_scs_come_back),
        cmocka_unit_test(part_of_an_operand),
        cmocka_unit_test(many_hang),
        cmocka_unit_test(names_of_spaces),
        cmocka_unit_test(private_in_lds),
        cmocka_unit_test(unknown_values_over_each_other),
        cmocka_unit_test(load_hangs),
        cmocka_unit_test(next_one_hangs),
        cmocka_unit_test(hangs_in_the_void),
        cmocka_unit_test(barriers_hang),
        cmocka_unit_test(never_launched),
        cmocka_unit_test(much_hangs),
        cmocka_unit_test(gives_up_late),
        cmocka_unit_test(every_region_has_a_hash),
        cmocka_unit_test(just_behind_the_last),
        cmocka_unit_test(each_debt),
        cmocka_unit_test(exit_at_once),
        cmocka_unit_test(records_of_an_earlier_epoch),
        cmocka_unit_test(owed_by_the_last_owner),
        cmocka_unit_test(grids_of_three),
        cmocka_unit_test(mem_of_no_lane),
        cmocka_unit_test(gaps_of_launches),
        cmocka_unit_test(scs_without_an_answer),
    };
    return _cmocka_run_group_tests("corners", list, sizeof list / sizeof *list, NULL, NULL);
}
