/* Records as such: sizes, fields out of range, warps and cores that are not there, and gaps of what a core
 * provides. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

TEST(stream_kind) {
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    assert_true(karat_checker_record(c, NULL, 0)); /* Nothing at all */
    assert_int_equal(karat_checker_verdict(c), KARAT_BAD_INPUT);
    karat_checker_destroy(c);
    FIXTURE;
    s.at[0].hello.version = KARAT_PORT_VERSION + 1;
    s.at[0].hello.gives = UINT32_MAX; /* Whatever that may mean there */
    SAYS(&s, STREAM, "record stream version 2; this checker reads version 1");
    FIXTURE_AGAIN;
    s.at[0].hello.version = 0;
    SAYS(&s, STREAM, "record stream version 0; this checker reads version 1");
    FIXTURE_AGAIN;
    ONCE(s.at[5].h.kind = 77, STREAM, NULL);
    ONCE(s.at[5].h.kind = 0, STREAM, NULL);
    ONCE(stream_remove(&s, 0), STREAM, NULL); /* No HELLO */
    ONCE(stream_insert(&s, 3, &s.at[0]), STREAM, NULL);
    size_t i = nth(&s, KARAT_REC_ISSUE, 9);
    s.at[i].h.cycle -= 1;
    s.at[i - 1].h.cycle += 1;
    FAILS(&s, STREAM, NULL);
    FIXTURE_AGAIN;
    s.at[nth(&s, KARAT_REC_BYE, 0)].bye.records = s.num; /* One too many */
    FAILS(&s, STREAM, NULL);
    s.at[nth(&s, KARAT_REC_BYE, 0)].bye.records = s.num - 1;
    PASSES(&s);
    ONCE(stream_remove(&s, nth(&s, KARAT_REC_READ, 3)), STREAM,
         NULL); /* Legal in itself, but BYE has counted it */
    ONCE(s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.index = 1, STREAM, NULL);
    ONCE(s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.num_region++, STREAM, NULL);
    ONCE(s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.wg_size = 4, STREAM,
         NULL); /* More than the core's three slots */
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.grid[1] = 0;
    FAILS(&s, STREAM, NULL);
    for (int i = 0; i < 3; i++) /* Whose product is 0 in 32 and in 64 bits */
        s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.grid[i] = i ? 0x80000000 : 4;
    FAILS(&s, STREAM, NULL);
    FIXTURE_AGAIN;
    s.at[nth(&s, KARAT_REC_HOST, 0)].host.length = 0;
    FAILS(&s, STREAM, NULL);
    ONCE(s.at[nth(&s, KARAT_REC_HOST, 0)].host.length = 257, STREAM, NULL);
    ONCE(s.at[nth(&s, KARAT_REC_HOST, 0)].host.addr = 0x1000, STREAM, NULL);
    ONCE(s.at[nth(&s, KARAT_REC_REGION, 1)].region.base = 0x70000000, STREAM, NULL); /* The LDS window */
    ONCE(s.at[0].hello.gives &= ~(1u << KARAT_REC_READ), STREAM,
         NULL); /* A record that HELLO does not give is sent */
    s.at[0].hello.gives &=
        ~(1u << KARAT_REC_LAUNCH | 1u << KARAT_REC_ISSUE); /* Made up from a log: named, no more */
    PASSES(&s);
    scoped_outcome made_up = judge(&s);
    assert_non_null(strstr(made_up.line, " unchecked=launch,issue,"));
    FIXTURE_AGAIN;
    ONCE(s.at[nth(&s, KARAT_REC_MEM, 2)].mem.op = KARAT_MEM_AMO + 1, STREAM, NULL);
    ONCE(s.at[nth(&s, KARAT_REC_MEM, 2)].mem.space = KARAT_SPACE_PRIVATE + 1, STREAM, NULL);
    ONCE(s.at[nth(&s, KARAT_REC_READ, 2)].read.source = 4, STREAM, NULL);
    ONCE(s.at[0].hello.props = 128, STREAM, NULL);
    ONCE(s.at[0].hello.num_thread = 5, STREAM, NULL);
    ONCE(s.at[0].hello.num_sm = 0, STREAM, NULL);
    ONCE(s.at[0].hello.num_warp = 65, STREAM, NULL);
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    stream_free(&s);
    s = run_fixture(&o);
    PASSES(&s);
    s.at[0].hello.gives |=
        1u << KARAT_REC_AUDIT; /* A register's contents are known only where WRITEs are seen */
    FAILS(&s, STREAM, NULL);
    FIXTURE_AGAIN;
    ONCE(s.at[nth(&s, KARAT_REC_LAUNCH, 0)].h.epoch = 1, STREAM, NULL);
    i = nth(&s, KARAT_REC_BARRIER, 0);
    ONCE(s.at[i].barrier.action = 2, STREAM, NULL);
    i = nth(&s, KARAT_REC_ISSUE, 9); /* The host writes what it may write, and what it may not */
    record csr = {.hostcsr = {.h = s.at[i].h, .addr = 0x340, .value = 5}};
    csr.h.kind = KARAT_REC_HOSTCSR;
    stream_insert(&s, i, &csr);
    PASSES(&s);
    s.at[i].hostcsr.addr = 0x80b;
    s.at[i].hostcsr.value = 0; /* No print was asked for */
    FAILS(&s, PRINT_UNEXPECTED, &s.at[i]);
    s.at[i].hostcsr.addr = 0x800;
    FAILS(&s, STREAM, &s.at[i]);
    s.at[i].hostcsr.addr = 0x80b;
    s.at[i].h.slot = 3; /* The host's mistake */
    FAILS(&s, STREAM, NULL);
    FIXTURE_AGAIN;
    record kernel = s.at[nth(&s, KARAT_REC_KERNEL, 0)]; /* While the one before runs */
    kernel.kernel.index = 1;
    kernel.kernel.num_region = 0;
    i = nth(&s, KARAT_REC_ISSUE, 9);
    kernel.h.cycle = s.at[i].h.cycle;
    record last = record_at(&s, i);
    for (size_t k = 0; k < i; k++) /* The first live slot's youngest instruction is named */
        if (s.at[k].h.kind == KARAT_REC_ISSUE && s.at[k].h.slot == 0)
            last = record_at(&s, k);
    stream_insert(&s, i, &kernel);
    FAILS(&s, EXIT_MISSING, &last);
}

/* Records of warps that are not there are the core's fault: none of these is the stream's mistake. */
TEST(stray_kind) {
    FIXTURE;
    ONCE(s.at[nth(&s, KARAT_REC_ISSUE, 3)].h.slot = 3, STRAY, NULL);
    ONCE(stream_remove(&s, nth(&s, KARAT_REC_KERNEL, 0)), STRAY, NULL); /* A core that begins by itself */
    static const uint8_t of_warps[] = {KARAT_REC_ISSUE, KARAT_REC_READ, KARAT_REC_WRITE,   KARAT_REC_SIMT,
                                       KARAT_REC_CSR,   KARAT_REC_MEM,  KARAT_REC_BARRIER, KARAT_REC_EXIT};
    for (size_t k = 0; k < sizeof of_warps; k++) {
        ONCE(s.at[nth(&s, of_warps[k], 0)].h.sm = 1, STRAY, NULL);
    }
    ONCE(s.at[nth(&s, KARAT_REC_LAUNCH, 0)].h.sm = 1, STRAY, NULL);
    ONCE(s.at[nth(&s, KARAT_REC_LAUNCH, 0)].h.slot = 3, STRAY, NULL);
    s.at[nth(&s, KARAT_REC_ISSUE, 0)].h.slot = 2;
    FAILS(&s, STRAY, NULL);
    scoped_outcome o = judge(&s);
    assert_non_null(strstr(o.text, "issue in cycle "));
    assert_non_null(strstr(o.text, ": sm 0 slot 2 was never launched"));
    FIXTURE_AGAIN;
    size_t i = nth(&s, KARAT_REC_ISSUE, 9);
    record launch = s.at[nth(&s, KARAT_REC_LAUNCH, s.at[i].h.slot)];
    ONCE(s.at[i].h.epoch = 1, STRAY, &launch); /* In the warp that is there */
    i = nth(&s, KARAT_REC_BARRIER, 0);
    while (s.at[i].barrier.action != KARAT_BARRIER_RELEASE)
        i = after(&s, i, KARAT_REC_BARRIER);
    ONCE(s.at[i].barrier.warps |= 8, STRAY, NULL);
    s.at[i].h.sm = 1;
    FAILS(&s, STRAY, NULL);
}

/* A record that says less than its kind could is named. */
TEST(gaps_are_named) {
    enum { MEM_ORDER, SEQ, PREFIX, SPACE, TOP, LAUNCH_CSR, RANGES, FINAL_MEMORY, NONE };
    static const char *const words[] = {"mem-order", "seq",        "prefix", "space",
                                        "top",       "launch-csr", "ranges", "final-memory"};
    for (unsigned gap = MEM_ORDER; gap <= NONE;
         gap++) { /* NONE: nothing is left out but memory at the end; amo-data: test_amo.c */
        FIXTURE;
        s.at[0].hello.mem_order = gap == MEM_ORDER ? KARAT_ORDER_REQUEST : KARAT_ORDER_PERFORMED;
        if (gap == SEQ)
            s.at[nth(&s, KARAT_REC_WRITE, 0)].write.match = KARAT_MATCH_OTHER;
        if (gap == PREFIX)
            s.at[nth(&s, KARAT_REC_ISSUE, 3)].issue.prefix_kind = KARAT_PREFIX_UNKNOWN;
        if (gap == SPACE)
            s.at[nth(&s, KARAT_REC_MEM, 5)].mem.space = KARAT_SPACE_UNKNOWN;
        if (gap == TOP)
            for (size_t i = 0; i < s.num; i++)
                if (s.at[i].h.kind == KARAT_REC_SIMT)
                    s.at[i].simt.top_valid = 0;
        if (gap == LAUNCH_CSR)
            s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.csr_given &= ~4u;
        if (gap == RANGES)
            s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.vgpr_size = 0;
        const bool other = gap < FINAL_MEMORY;
        if (!other) /* The core says that it gives READ, and does not */
            for (size_t i = s.num; i-- > 0;)
                if (s.at[i].h.kind == KARAT_REC_READ)
                    stream_remove(&s, i);
        scoped_outcome o = judge(&s);
        char want[80]; /* No AUDIT has come either */
        snprintf(want, sizeof want, " unchecked=%saudit,%s%sfinal-memory ", other ? "" : "read,",
                 other ? words[gap] : "", other ? "," : "");
        if (o.verdict != KARAT_PASS || !strstr(o.line, want))
            fail_msg("expected%s: %s\n%s", want, o.line, o.text);
    }
}

/* The core's own texts are printed, whatever the bytes are. */
TEST(any_name_can_be_printed) {
    scoped_stream s = fixture();
    memset(s.at[0].hello.name, 0xff, sizeof s.at[0].hello.name);
    memcpy(s.at[0].hello.name, "a b\n\"", 5);
    scoped_outcome o = judge(&s);
    assert_int_equal(strncmp(o.line, "karat: PASS core=a?b?\"??", 24), 0);
}

/* A core that declares fewer record kinds is still checked by the others. */
TEST(kinds_not_given_do_not_hide_others) {
    static const unsigned kinds[] = {KARAT_REC_READ, KARAT_REC_AUDIT,   KARAT_REC_SIMT, KARAT_REC_CSR,
                                     KARAT_REC_MEM,  KARAT_REC_BARRIER, KARAT_REC_EXIT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        core_options o = fixture_options();
        o.gives &= ~(1u << kinds[i]);
        scoped_stream s = run_fixture(&o);
        PASSES(&s);
        size_t issue = issue_of(&s, 0, "vlw12_v", 0);
        s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[1] ^= 8;
        FAILS(&s, WRITE_VALUE, &s.at[issue]);
    }
}

/* Records after the first failure change nothing, even where the caller continues. */
TEST(first_failure_stands) {
    scoped_stream s = fixture();
    size_t issue = issue_of(&s, 0, "vadd_vx", 2);
    s.at[of(&s, issue, KARAT_REC_WRITE, 0)].write.data[1] ^= 0x10;
    s.at[of(&s, issue_of(&s, 0, "sw", 0), KARAT_REC_MEM, 0)].mem.data[0] ^= 1;
    scoped_outcome first = judge(&s);
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    bool stopped = false;
    for (size_t i = 0; i < s.num; i++) {
        bool stop = karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
        assert_true(stop || !stopped);
        stopped = stop;
    }
    assert_true(karat_checker_tick(c, 1000000));
    scoped_outcome all = conclude(c);
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
}

TEST(wrong_sizes) {
    scoped_stream s = fixture();
    for (size_t i = 0; i < s.num; i += 7)
        for (int delta = -1; delta <= 1; delta += 2) {
            scoped_stream head = stream_copy(&s);
            cut(&head, i);
            scoped_checker *c = replay(&head, NULL);
            assert_true(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind) + (size_t)delta));
            assert_int_equal(karat_checker_verdict(c), KARAT_BAD_INPUT);
        }
    karat_check_config config = judge_config();
    for (size_t size = 0; size <= sizeof(karat_rec_header); size++) {
        karat_checker *c = karat_checker_create(&config);
        assert_true(karat_checker_record(c, &s.at[0], size));
        assert_int_equal(karat_checker_verdict(c), KARAT_BAD_INPUT);
        scoped_outcome o = conclude(c); /* Of nothing at all */
    }
    scoped_outcome o = conclude(karat_checker_create(&config));
    assert_int_equal(o.verdict, KARAT_INCOMPLETE);
}

TEST(cores_out_of_range) {
    scoped_stream s = fixture();
    s.at[0].hello.num_warp = 65;
    SAYS(&s, STREAM, "HELLO of 1 SMs, 65 warps, 4 threads: out of range");
    s.at[0].hello.num_warp = 0;
    SAYS(&s, STREAM, "HELLO of 1 SMs, 0 warps, 4 threads: out of range");
}

/* How large the model is comes from HELLO alone. */
TEST(size_of_the_model) {
    scoped_stream s = fixture();
    karat_check_config config = judge_config();
    config.model.num_thread = 1;
    config.model.max_warp = config.model.max_workgroup = 1;
    scoped_outcome o = conclude(replay(&s, &config));
    assert_int_equal(o.verdict, KARAT_PASS);
}

/* Without configuration: the model's own, and every field is set. */
TEST(default_configuration) {
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
TEST(watched) {
    uint64_t count[2] = {0};
    const karat_check_watch watch = {count, launched, stepped};
    karat_check_config config = judge_config();
    config.watch = &watch;
    scoped_stream s = fixture();
    assert_int_equal(s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.wg_size, 2);
    scoped_outcome o = conclude(replay(&s, &config));
    assert_int_equal(o.verdict, KARAT_PASS);
    assert_int_equal(count[0], count_of(&o, "warps"));
    assert_int_equal(count[1], count_of(&o, "instructions"));
    assert_true(count[0] > 1 && count[1] > 100);
}

/* Of a core's name 31 characters count; all that can be printed stays. */
TEST(names_of_cores) {
    scoped_stream s = fixture();
    memset(s.at[0].hello.name, '!', sizeof s.at[0].hello.name);
    s.at[0].hello.name[1] = '~';
    s.at[0].hello.name[2] = 0x7f;
    s.at[0].hello.name[3] = ' ';
    scoped_outcome o = judge(&s);
    assert_non_null(strstr(o.line, " core=!~?\?!!!!!!!!!!!!!!!!!!!!!!!!!!! program="));
}

/* A warp or a workgroup just after the last of the grid, and an arrival of nobody. */
TEST(just_behind_the_last) {
    scoped_stream s = fixture();
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
    s.at[arrive].h.slot = 2; /* Never launched by then */
    FAILS(&s, STRAY, NULL);
}

/* A MEM of no lane says nothing, and is counted. */
TEST(mem_of_no_lane) {
    scoped_stream s = fixture();
    const size_t mem = nth(&s, KARAT_REC_MEM, 0);
    record none = s.at[mem];
    none.mem.mask = 0;
    scoped_outcome out = judge(&s);
    const int64_t was = count_of(&out, "empty"), mems = count_of(&out, "mem");
    outcome_free(&out);
    stream_insert(&s, mem, &none);
    PASSES(&s);
    out = judge(&s);
    assert_int_equal(count_of(&out, "empty"), was + 1);
    assert_int_equal(count_of(&out, "mem"), mems);
}

/* Only MEM may come under an epoch that is over. */
TEST(records_of_an_earlier_epoch) {
    static const uint8_t kinds[] = {KARAT_REC_WRITE, KARAT_REC_READ, KARAT_REC_ISSUE, KARAT_REC_SIMT,
                                    KARAT_REC_EXIT};
    scoped_stream s = fixture();
    for (size_t k = 0; k < sizeof kinds; k++) {
        size_t i = nth(&s, KARAT_REC_LAUNCH, 0);
        while (s.at[i].h.kind != KARAT_REC_LAUNCH || s.at[i].h.epoch != 1)
            i++;
        const uint8_t slot = s.at[i].h.slot;
        while (s.at[i].h.kind != kinds[k] || s.at[i].h.slot != slot || s.at[i].h.epoch != 1)
            i++;
        const record was = s.at[i];
        s.at[i].h.epoch = 0;
        scoped_outcome out = judge(&s);
        assert_int_equal(out.verdict, KARAT_MISMATCH);
        assert_non_null(strstr(out.line, text_of_kind("STRAY")));
        assert_non_null(strstr(out.text, ": epoch 0; the slot is in epoch 1"));
        s.at[i] = was;
    }
}

/* The last value of each field that the port defines, and the first that it does not; also: of a MEM or
 * ACCESS its operation, of a TLB the action. */
TEST(fields_out_of_range) {
    enum { HELLO_GOOD = 1u << KARAT_REC_LAUNCH };
#define FIELD(rec, REC, field, good, bad, also)                                                              \
    {                                                                                                        \
        KARAT_REC_##REC, offsetof(karat_rec_##rec, field), sizeof(((karat_rec_##rec *)0)->field), good, bad, \
            also, #field                                                                                     \
    }
    static const struct {
        unsigned kind;
        size_t offset, size;
        uint32_t good, bad;
        unsigned also;
        const char *name;
    } fields[] = {
        FIELD(header, HELLO, flags, 0, 1, 0),
        FIELD(header, EXIT, flags, 0, 0x80, 0),
        FIELD(hello, HELLO, mem_order, KARAT_ORDER_PERFORMED, KARAT_ORDER_PERFORMED + 1, 0),
        FIELD(hello, HELLO, gives, (1u << KARAT_REC_KINDS) - 2, 1u << KARAT_REC_KINDS, 0),
        FIELD(hello, HELLO, gives, HELLO_GOOD, HELLO_GOOD | 1, 0),
        FIELD(hello, HELLO, props, KARAT_PROP_COHERENT, 128, 0),
        FIELD(hello, HELLO, props, KARAT_PROP_PRINTS, 160, 0),
        FIELD(hello, HELLO, props, KARAT_PROP_INTERLOCKED, 1u << 31, 0),
        FIELD(hello, HELLO, props, KARAT_PROP_ASCENDING, 129, 0),
        FIELD(hello, HELLO, props, KARAT_PROP_READS_MORE, 144, 0),
        FIELD(hello, HELLO, props, KARAT_PROP_SV39, 192, 0),
        FIELD(launch, LAUNCH, csr_given, 0xfff, 0x1000, 0),
        FIELD(launch, LAUNCH, regs, KARAT_REGS_UNKNOWN, KARAT_REGS_UNKNOWN + 1, 0),
        FIELD(issue, ISSUE, prefix_kind, KARAT_PREFIX_UNKNOWN, KARAT_PREFIX_UNKNOWN + 1, 0),
        FIELD(read, READ, bits, 32, 33, 0),
        FIELD(write, WRITE, match, KARAT_MATCH_OTHER, KARAT_MATCH_OTHER + 1, 0),
        FIELD(simt, SIMT, top_valid, 1, 2, 0),
        FIELD(mem, MEM, match, KARAT_MATCH_OTHER, KARAT_MATCH_OTHER + 1, KARAT_MEM_LOAD),
        FIELD(mem, MEM, no_data, 1, 2, KARAT_MEM_AMO),
        FIELD(mem, MEM, no_data, 0, 1, KARAT_MEM_STORE),
        FIELD(mem, MEM, no_data, 0, 1, KARAT_MEM_LOAD),
        FIELD(access, ACCESS, match, KARAT_MATCH_OTHER, KARAT_MATCH_OTHER + 1, KARAT_MEM_LOAD),
        FIELD(access, ACCESS, op, KARAT_MEM_AMO, KARAT_MEM_AMO + 1, KARAT_MEM_LOAD),
        FIELD(access, ACCESS, space, KARAT_SPACE_PRIVATE, KARAT_SPACE_PRIVATE + 1, KARAT_MEM_LOAD),
        FIELD(access, ACCESS, no_data, 1, 2, KARAT_MEM_AMO),
        FIELD(access, ACCESS, no_data, 0, 1, KARAT_MEM_STORE),
        FIELD(pair, PAIR, match, KARAT_MATCH_OTHER, KARAT_MATCH_OTHER + 1, 0),
        FIELD(tlb, TLB, action, KARAT_TLB_FAULT, KARAT_TLB_FAULT + 1, 0),
        FIELD(tlb, TLB, tlb, KARAT_TLB_SHARED, KARAT_TLB_SHARED + 1, KARAT_TLB_FILL),
        FIELD(tlb, TLB, level, 2, 3, KARAT_TLB_FILL),
        FIELD(tlb, TLB, level, 2, 3, KARAT_TLB_FAULT),
        FIELD(tlb, TLB, level, KARAT_LEVEL_ALL, KARAT_LEVEL_ALL + 1, KARAT_TLB_INVALIDATE),
        FIELD(tlb, TLB, access, KARAT_ACCESS_STORE, KARAT_ACCESS_STORE + 1, KARAT_TLB_FAULT),
        FIELD(tlb, TLB, reason, KARAT_PAGE_NOT_DIRTY, KARAT_PAGE_NOT_DIRTY + 1, KARAT_TLB_FAULT),
    };
    scoped_stream s = fixture();
    cut(&s, nth(&s, KARAT_REC_KERNEL, 0) + 1);
    for (size_t i = 0; i < 2 * sizeof fields / sizeof *fields; i++) {
        const bool bad = i & 1;
        record r;
        memset(&r, 0, sizeof r);
        r.h.kind = (uint8_t)fields[i / 2].kind;
        r.h.cycle = s.at[s.num - 1].h.cycle;
        const unsigned also = fields[i / 2].also;
        if (r.h.kind == KARAT_REC_MEM || r.h.kind == KARAT_REC_ACCESS)
            r.mem.op = (uint8_t)also;
        if (r.h.kind == KARAT_REC_HELLO)
            r.hello.version = KARAT_PORT_VERSION;
        if (r.h.kind == KARAT_REC_TLB)
            r.tlb.action = (uint8_t)also;
        const uint32_t value = bad ? fields[i / 2].bad : fields[i / 2].good;
        memcpy((uint8_t *)&r + fields[i / 2].offset, &value, fields[i / 2].size); /* Little endian */
        scoped_checker *c = replay(&s, NULL);
        char said[80];
        snprintf(said, sizeof said, "record %zu: %s: field %s is out of range", s.num,
                 karat_rec_name(r.h.kind), fields[i / 2].name);
        karat_checker_record(c, &r, karat_rec_size(r.h.kind)); /* Some are wrong in another way as well */
        if ((strcmp(detail_of(c), said) == 0) != bad)
            fail_msg("%s %s: %s", bad ? "taken:" : "refused:", said, detail_of(c));
    }
}

RUN_TESTS("stream")
