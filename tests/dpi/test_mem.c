/* MEM: address, space, data and bytes of accesses; those that are missing, and those that no instruction
 * expects. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

TEST(mem_data_kind) {
    FIXTURE;
    static const char *const stores[] = {"vsw12_v", "vsb12_v", "sw", "vsw_v", "vse32_v"};
    for (size_t k = 0; k < sizeof stores / sizeof *stores; k++) {
        size_t issue = issue_of(&s, 1, stores[k], 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
        ONCE(s.at[mem].mem.data[0] ^= 0x40, MEM_DATA, &s.at[issue]);
    }
    size_t issue = issue_of(&s, 1, "vsb12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.data[0] ^= 0x4000; /* A byte that is not stored */
    PASSES(&s);
}

TEST(mem_address_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.addr[1] ^= 64;
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
    scoped_outcome o = judge(&s);
    assert_non_null(strstr(o.text, "lane 1: core 0x90000044  model 0x90000004"));
    s.at[mem].mem.addr[1] ^= 64;
    s.at[mem].mem.addr_hi = 1;
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
    s.at[mem].mem.addr_hi = 0;
    PASSES(&s);
    issue = issue_of(&s, 0, "lh", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.bytes[0] = 7; /* Three bytes of a half-word */
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
}

TEST(mem_space_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.space = KARAT_SPACE_LDS;
    FAILS(&s, MEM_SPACE, &s.at[issue]);
    const uint32_t all = s.at[mem].mem.mask;
    s.at[mem].mem.mask = 4;
    scoped_outcome out = judge(&s);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(out.json, "failure"), "lanes")), 4);
    s.at[mem].mem.mask = all;
    s.at[mem].mem.space = KARAT_SPACE_UNKNOWN;
    PASSES(&s);
    FIXTURE_AGAIN;
    issue = issue_of(&s, 0, "vlw12_v", 1), mem = of(&s, issue, KARAT_REC_MEM, 0); /* LDS */
    s.at[mem].mem.space = KARAT_SPACE_GLOBAL;
    FAILS(&s, MEM_SPACE, &s.at[issue]);
    FIXTURE_AGAIN;
    issue = issue_of(&s, 0, "vsw_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.space = KARAT_SPACE_GLOBAL;
    FAILS(&s, MEM_SPACE, &s.at[issue]);
}

TEST(mem_duplicate_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vsw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    stream_insert(&s, mem, &s.at[mem]);
    FAILS(&s, MEM_DUPLICATE, &s.at[issue]);
    s.at[mem].mem.mask = 1; /* In pieces, lane 0 twice */
    FAILS(&s, MEM_DUPLICATE, &s.at[issue]);
    s.at[mem + 1].mem.mask = 14;
    PASSES(&s);
    s.at[mem].mem.mask = 15; /* Bytes: the low half of each lane, then the high half, overlapping and not */
    s.at[mem + 1].mem.mask = 15;
    memset(s.at[mem].mem.bytes, 0x33, 2);
    memset(s.at[mem + 1].mem.bytes, 0xee, 2);
    FAILS(&s, MEM_DUPLICATE, &s.at[issue]);
    memset(s.at[mem + 1].mem.bytes, 0xcc, 2);
    PASSES(&s);
    stream_free(&s);
    /* LMUL 2 with stride 0: a lane stores twice to one address, in one piece each, in any order; but not
     * thrice. */
    program p = begin_program("vsetvli 17 0 0xd1; vid_v 8 1; vsse32_v 8 10 0 1; endprg");
    core_options o = fixture_options();
    s = run_program(&p, &o);
    PASSES(&s);
    issue = issue_of(&s, 0, "vsse32_v", 0);
    mem = of(&s, issue, KARAT_REC_MEM, 0);
    size_t second = of(&s, issue, KARAT_REC_MEM, 1);
    move(&s, second, mem);
    PASSES(&s);
    record at = record_at(&s, issue);
    stream_insert(&s, second + 1, &s.at[second]);
    FAILS(&s, MEM_DUPLICATE, &at);
    stream_remove(&s, second + 1);
    s.at[mem] = s.at[second]; /* The first half's data twice */
    FAILS(&s, MEM_DATA, &at);
    stream_free(&s);
    /* The accesses by v0.t of elements 0, 2, 3 and 7 alone: the lane's second access is the model's last. */
    p = (program){.num = 0};
    put_prologue(&p);
    put_code(&p, "vsetvli 17 0 0xd1; vid_v 8 1; addi 5 0 0x8d; vmv_v_x 0 5; vsrl_vv 0 0 8 1; "
                 "vsse32_v 8 10 0 0; endprg");
    s = run_program(&p, &o);
    PASSES(&s);
    at = s.at[issue_of(&s, 0, "vsse32_v", 0)];
    second = of(&s, issue_of(&s, 0, "vsse32_v", 0), KARAT_REC_MEM, 1);
    stream_insert(&s, second + 1, &s.at[second]);
    FAILS(&s, MEM_DUPLICATE, &at);
}

TEST(mem_unexpected_kind) {
    FIXTURE;
    size_t load = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, load, KARAT_REC_MEM, 0);
    record r = record_at(&s, mem);
    s.at[mem].mem.op = KARAT_MEM_STORE;
    FAILS(&s, MEM_UNEXPECTED, &s.at[load]);
    s.at[mem] = r;
    r.mem.seq++;
    stream_insert(&s, mem, &r); /* An instruction that has not been issued */
    FAILS(&s, MEM_UNEXPECTED, &r);
    FIXTURE_AGAIN;
    size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    r.h.cycle = s.at[issue].h.cycle;
    r.mem.seq = s.at[issue].issue.seq;
    stream_insert(&s, issue + 1, &r);
    FAILS(&s, MEM_UNEXPECTED, &s.at[issue]);
    ONCE(s.at[issue + 1].mem.match = KARAT_MATCH_OTHER, MEM_UNEXPECTED,
         &r); /* By order: nothing expects a load */
    size_t later = after(&s, after(&s, mem, KARAT_REC_ISSUE), KARAT_REC_ISSUE);
    r = record_at(&s, mem);
    r.h.cycle = s.at[later].h.cycle;
    stream_insert(&s, later, &r); /* One that has completed */
    FAILS(&s, MEM_UNEXPECTED, &s.at[load]);
}

TEST(mem_missing_kind) {
    FIXTURE;
    size_t issue = issue_of(&s, 0, "vsw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    record at = record_at(&s, issue);
    ONCE(s.at[mem].mem.bytes[1] = 0xf7, MEM_MISSING,
         &at); /* One byte of lane 2: found at BYE, in the warp that the slot held then */
    ONCE(stream_remove(&s, mem), MEM_MISSING, &at);
    size_t launch = nth(&s, KARAT_REC_LAUNCH, 2); /* After EXIT, and after the slot's next LAUNCH: legal */
    assert_int_equal(s.at[launch].h.slot, 0);
    size_t exit = after(&s, issue, KARAT_REC_EXIT);
    move(&s, mem, exit + 1);
    PASSES(&s);
    move(&s, exit, launch + 3);
    PASSES(&s);
    move(&s, launch + 2, s.num - 1);
    PASSES(&s);
    stream_free(&s);
    /* Whose it was is said, not who has the slot now. */
    core_options o = fixture_options();
    o.num_warp = 2;
    o.max_delay = 1;
    for (o.seed = 1;; o.seed++) {
        s = run_fixture(&o);
        size_t first = nth(&s, KARAT_REC_LAUNCH, 0), second = after(&s, first, KARAT_REC_EXIT);
        while (s.at[second].h.kind != KARAT_REC_LAUNCH || s.at[second].h.slot != s.at[first].h.slot)
            second++;
        if (s.at[second].launch.warp != s.at[first].launch.warp)
            break;
        stream_free(&s);
    }
    issue = issue_of(&s, s.at[nth(&s, KARAT_REC_LAUNCH, 0)].h.slot, "vsw12_v", 0);
    at = record_at(&s, issue);
    stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
    FAILS(&s, MEM_MISSING, &at);
}

/* A store of one kernel that is performed in the next. */
TEST(store_in_the_next_kernel) {
    core_options o = fixture_options();
    o.kernels = 2;
    scoped_stream s = run_fixture(&o);
    PASSES(&s);
    const size_t kernel = nth(&s, KARAT_REC_KERNEL, 1);
    size_t store = kernel;
    while (s.at[store].h.kind != KARAT_REC_MEM || s.at[store].mem.op != KARAT_MEM_STORE)
        store--;
    move(&s, store, kernel + 1);
    SAYS(&s, MEM_MISSING, "the next kernel starts; still pending is");
}

/* Bytes of a lane that do not belong to a piece are shown as nothing. */
TEST(data_of_a_piece) {
    scoped_stream s = fixture();
    size_t store = issue_of(&s, 0, "sw", 0), mem = of(&s, store, KARAT_REC_MEM, 0);
    s.at[mem].mem.bytes[0] = 6;
    s.at[mem].mem.data[0] = 0x11223344;
    SAYS(&s, MEM_DATA, "core 00223300");
}

/* Each space has its name. */
TEST(names_of_spaces) {
    static const char *const names[] = {NULL, "core global", "core lds", "core private"};
    for (int lds = 0; lds < 2; lds++) {
        scoped_stream s = fixture();
        const size_t store = issue_of(&s, 0, "vsw12_v", lds);
        karat_rec_mem *r = &s.at[of(&s, store, KARAT_REC_MEM, 0)].mem;
        assert_int_equal(r->space, lds ? KARAT_SPACE_LDS : KARAT_SPACE_GLOBAL);
        for (uint8_t space = 0; space < sizeof names / sizeof *names; space++) {
            r->space = space;
            if (space == KARAT_SPACE_UNKNOWN || space == (lds ? KARAT_SPACE_LDS : KARAT_SPACE_GLOBAL)) {
                PASSES(&s);
                continue;
            }
            char text[60];
            snprintf(text, sizeof text, ": %s  model %s", names[space], lds ? "lds" : "global");
            SAYS(&s, MEM_SPACE, text);
            assert_int_equal(lanes_of(&s), 1);
        }
    }
}

RUN_TESTS("mem")
