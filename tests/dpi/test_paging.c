/* Translation: addresses against the model's walks, TLB entries against its tables, page faults on both
 * sides, aliases. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static core_options translated(core_options o, uint64_t layout) {
    o.sv39 = true;
    o.layout = layout;
    o.gives = GIVES_SV39;
    o.uncounted = true;
    o.audit_percent = 0;
    return o;
}

static stream translated_fixture(uint32_t kernels) {
    core_options o = translated(fixture_options(), 5);
    o.kernels = kernels;
    return run_fixture(&o);
}

/* Legal runs of a core with any options, on any layout of memory. */
TEST(legal) {
    uint64_t fills = 0;
    for (uint64_t seed = 1; seed <= share_of(60); seed++) {
        rng r = {seed * 77};
        program p = {.num = 0};
        put_everything(&p, &r, 8, seed & 1);
        core_options o = core_random(seed);
        const uint32_t given = o.gives;
        core_counts n;
        stream s;
        o.sv39 = true;
        o.layout =
            4 * seed + 1; /* None with superpages that hold more than a range: streams would have all of it */
        o.gives = (given & ~(1u << KARAT_REC_MEM)) | (seed % 3 ? 1u << KARAT_REC_TLB : 0);
        if (given >> KARAT_REC_MEM & 1)
            o.gives |= seed % 5 ? 1u << KARAT_REC_ACCESS : 1u << KARAT_REC_MEM;
        if (given >> KARAT_REC_WRITE & 1 && seed & 1)
            o.gives |= 1u << KARAT_REC_PAIR;
        core_run(&p, &o, &s, &n);
        scoped_outcome out = judge(&s);
        if (out.verdict != KARAT_PASS)
            fail_msg("seed %" PRIu64 ": %s\n%s", seed, out.line, out.text);
        assert_int_equal(count_of(&out, "mem"), n.mem);
        assert_int_equal(count_of(&out, "x"), n.x);
        assert_int_equal(count_of(&out, "v"), n.v);
        assert_int_equal(!!strstr(out.line, "tlb"), !(seed % 3));
        fills += n.fills;
        stream_free(&s);
    }
    assert_true(fills > 0);
}

/* --- Addresses --- */

static int64_t walk_steps(const outcome *o) {
    json_t *walk = json_object_get(json_object_get(o->json, "failure"), "walk");
    return walk ? (int64_t)json_array_size(json_object_get(walk, "steps")) : -1;
}

static uint64_t hex_of(const outcome *o, const char *name) {
    const char *text = json_string_value(json_object_get(json_object_get(o->json, "failure"), name));
    assert_non_null(text);
    return strtoull(text, NULL, 16);
}

TEST(wrong_physical) {
    static const char *const rows[] = {"vlw12_v", "vsw12_v", "sw", "lh"};
    scoped_stream s = translated_fixture(1);
    PASSES(&s);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const size_t issue = issue_of(&s, 0, rows[k], 0), access = of(&s, issue, KARAT_REC_ACCESS, 0);
        karat_rec_access *a = &s.at[access].access;
        const uint64_t right = a->phys[0];
        a->phys[0] ^= 0x1000;
        FAILS(&s, MEM_TRANSLATION, &s.at[issue]);
        scoped_outcome o = judge(&s);
        char text[120];
        snprintf(text, sizeof text, "lane 0 at 0x%08" PRIx64 ": core 0x%08" PRIx64 "  model 0x%08" PRIx64,
                 a->virt[0], a->phys[0], right);
        assert_non_null(strstr(o.text, text));
        assert_non_null(strstr(o.text, "the model's walk, from 0x"));
        assert_non_null(strstr(o.text, ", a table"));
        assert_non_null(strstr(o.text, "the core's entry: 0x"));
        assert_null(strstr(o.text, "stale"));
        assert_int_equal(walk_steps(&o), 3);
        assert_int_equal(hex_of(&o, "virt"), a->virt[0]);
        assert_int_equal(hex_of(&o, "phys"), a->phys[0]);
        a->phys[0] = right + 4; /* In the page */
        FAILS(&s, MEM_TRANSLATION, &s.at[issue]);
        a->phys[0] = right;
    }
    /* A lane that has nothing to do here, and one whose address is another altogether. */
    const size_t issue = issue_of(&s, 0, "vlw12_v", 0), access = of(&s, issue, KARAT_REC_ACCESS, 0);
    karat_rec_access *a = &s.at[access].access;
    a->virt[1] += 64;
    a->phys[1] += 64;
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
    SAYS(&s, MEM_ADDRESS, "lane 1: core 0x90000044  model 0x90000004 (4 bytes)");
    a->phys[1] -= 64; /* The address is what is wrong, wherever it leads to */
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
}

/* The LDS window is not translated. */
TEST(window) {
    scoped_stream s = translated_fixture(1);
    const size_t issue = issue_of(&s, 0, "vlw12_v", 1), access = of(&s, issue, KARAT_REC_ACCESS, 0);
    assert_int_equal(s.at[access].access.space, KARAT_SPACE_LDS);
    s.at[access].access.phys[0] ^= 0x1000;
    SAYS(&s, MEM_TRANSLATION, "addresses in the LDS window are not translated");
    scoped_outcome o = judge(&s);
    assert_int_equal(walk_steps(&o), -1);
}

/* MEM of a core that translates: physical. */
TEST(plain_mem) {
    core_options o = translated(fixture_options(), 5);
    o.gives = GIVES_ALL & ~(1u << KARAT_REC_AUDIT);
    scoped_stream s = run_fixture(&o);
    PASSES(&s);
    const size_t issue = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.addr[1] = DATA_BASE + 4; /* Its virtual address */
    s.at[mem].mem.addr_hi = 0;
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
}

/* --- TLBs --- */

static size_t nth_tlb(const stream *s, unsigned action, unsigned tlb, uint32_t kernel, uint32_t n) {
    uint32_t kernels = 0;
    for (size_t i = 0; i < s->num; i++) {
        kernels += s->at[i].h.kind == KARAT_REC_KERNEL;
        if (s->at[i].h.kind == KARAT_REC_TLB && s->at[i].tlb.action == action && s->at[i].tlb.tlb == tlb &&
            kernels == kernel + 1 && n-- == 0)
            return i;
    }
    fail_msg("no such TLB");
    return 0;
}

TEST(wrong_fill) {
    scoped_stream s = translated_fixture(2);
    PASSES(&s);
    const size_t at = nth_tlb(&s, KARAT_TLB_FILL, KARAT_TLB_DATA, 1, 0);
    karat_rec_tlb *fill = &s.at[at].tlb;
    const karat_rec_tlb was = *fill;
    fill->phys ^= 0x1000;
    FAILS(&s, TLB_FILL, NULL);
    SAYS(&s, TLB_FILL, "the model's walk, from 0x");
    *fill = was;
    fill->entry ^= 4; /* W */
    FAILS(&s, TLB_FILL, NULL);
    *fill = was;
    fill->entry_addr += 8;
    FAILS(&s, TLB_FILL, NULL);
    fill->entry_addr = 0; /* Not known */
    PASSES(&s);
    *fill = was;
    fill->level = 1;
    FAILS(&s, TLB_FILL, NULL);
    *fill = was;
    fill->virt += 0x10000000; /* Nothing is mapped there */
    FAILS(&s, TLB_FILL, NULL);
    *fill = was;
    fill->asid += 100;
    SAYS(&s, TLB_FILL, " is of no kernel; this kernel's is ");
    /* The tables of the kernel before, under this one's ASID: the walk was under way when PTBR changed. */
    *fill = s.at[nth_tlb(&s, KARAT_TLB_FILL, KARAT_TLB_DATA, 0, 0)].tlb;
    fill->h.cycle = was.h.cycle;
    PASSES(&s);
    fill->asid = was.asid;
    SAYS(&s, TLB_FILL, "the entry is right for kernel 0, ptbr 0x");
    SAYS(&s, TLB_FILL, "the walk was begun for that one");
}

static void remove_fills(stream *s, uint32_t kernel) {
    uint32_t kernels = 0;
    for (size_t i = 0; i < s->num; i++) {
        kernels += s->at[i].h.kind == KARAT_REC_KERNEL;
        if (s->at[i].h.kind == KARAT_REC_TLB && kernels == kernel + 1)
            stream_remove(s, i--);
    }
}

/* An access by an entry that should be gone. */
TEST(stale) {
    scoped_stream s = translated_fixture(2);
    remove_fills(&s, 1);
    PASSES(&s);
    const size_t kernel = nth(&s, KARAT_REC_KERNEL, 1);
    size_t issue = kernel;
    while (s.at[issue].h.kind != KARAT_REC_ACCESS || s.at[issue].access.space == KARAT_SPACE_LDS)
        issue++;
    s.at[issue].access.phys[__builtin_ctz(s.at[issue].access.mask)] ^= 0x1000;
    SAYS(&s, MEM_TRANSLATION, "kernel 0, ptbr 0x");
    SAYS(&s, MEM_TRANSLATION, "; stale: ptbr is 0x");
    record gone;
    memset(&gone, 0, sizeof gone);
    gone.tlb = (karat_rec_tlb){.h = {.kind = KARAT_REC_TLB, .cycle = s.at[kernel].h.cycle},
                               .action = KARAT_TLB_INVALIDATE,
                               .tlb = KARAT_TLB_DATA,
                               .level = KARAT_LEVEL_ALL,
                               .asid = KARAT_ASID_ALL};
    stream_insert(&s, kernel + 1, &gone);
    char text[80];
    snprintf(text, sizeof text, "; stale: invalidated in cycle %" PRIu64, s.at[kernel].h.cycle);
    SAYS(&s, MEM_TRANSLATION, text);
    /* Of another TLB, address space or page: not that entry. */
    record *r = &s.at[kernel + 1];
    r->tlb.tlb = KARAT_TLB_INSTRUCTION;
    SAYS(&s, MEM_TRANSLATION, "; stale: ptbr is 0x");
    *r = gone;
    r->tlb.asid = 0x12345678;
    SAYS(&s, MEM_TRANSLATION, "; stale: ptbr is 0x");
    *r = gone;
    r->tlb.level = 0;
    r->tlb.virt = CODE_BASE;
    SAYS(&s, MEM_TRANSLATION, "; stale: ptbr is 0x");
    r->tlb.virt = DATA_BASE + 0x123;
    SAYS(&s, MEM_TRANSLATION, text);
}

/* --- Page faults --- */

/* Loads from where nothing is mapped, and goes on; another warp works. */
static stream faulting(const char *row, core_options *o) {
    program p = begin_program("addi 13 0 7");
    put(&p, "bne", 7, 0, 8); /* Warp 0 alone */
    put(&p, row, 14, 0, 0);  /* At address 0 */
    put_code(&p, "addi 15 13 1; addi 15 15 1; vadd_vi 8 1 1 1; vadd_vi 8 8 1 1; endprg");
    return run_program(&p, o);
}

static core_options faulting_options(uint32_t delay) {
    core_options o = translated(one_workgroup_options(2), 9);
    o.fault_delay = delay;
    return o;
}

static size_t fault_of(const stream *s) {
    for (size_t i = 0; i < s->num; i++)
        if (s->at[i].h.kind == KARAT_REC_TLB && s->at[i].tlb.action == KARAT_TLB_FAULT)
            return i;
    fail_msg("no fault");
    return 0;
}

TEST(both_fault) {
    static const char *const rows[] = {"lw", "sw", "lbu", "sh"};
    for (size_t k = 0; k < 8; k++) {
        core_options o = faulting_options(k < 4 ? 0 : 8);
        scoped_stream s = faulting(rows[k % 4], &o);
        const size_t fault = fault_of(&s), issue = issue_of(&s, 0, rows[k % 4], 0);
        FAILS(&s, PROGRAM, &s.at[issue]);
        SAYS(&s, PROGRAM, "the core reports the same fault");
        SAYS(&s, PROGRAM, "page fault: entry is not valid: lane 0, ");
        karat_rec_tlb *r = &s.at[fault].tlb;
        const karat_rec_tlb was = *r;
        r->reason = KARAT_PAGE_UNKNOWN;
        FAILS(&s, PROGRAM, &s.at[issue]);
        r->entry_addr = r->entry = r->level = 0;
        FAILS(&s, PROGRAM, &s.at[issue]);
        *r = was;
        r->reason = KARAT_PAGE_NOT_WRITABLE;
        FAILS(&s, PAGE_FAULT, &s.at[issue]);
        SAYS(&s, PAGE_FAULT, "the core's reason: page is not writable");
        *r = was;
        r->virt = 4;
        FAILS(&s, PAGE_FAULT, &s.at[issue]);
        SAYS(&s, PAGE_FAULT, "the core's address is 0x00000004");
        *r = was;
        r->access ^= KARAT_ACCESS_LOAD ^ KARAT_ACCESS_STORE;
        FAILS(&s, PAGE_FAULT, &s.at[issue]);
        *r = was;
        r->entry ^= 2;
        FAILS(&s, PAGE_FAULT, &s.at[issue]);
        *r = was;
        r->level = (uint8_t)((r->level + 1) % 3);
        FAILS(&s, PAGE_FAULT, &s.at[issue]);
    }
    core_options o = faulting_options(0); /* Of a core that does not show its faults, the model's is enough */
    o.gives &= ~(1u << KARAT_REC_TLB);
    scoped_stream s = faulting("lw", &o);
    FAILS(&s, PROGRAM, &s.at[issue_of(&s, 0, "lw", 0)]);
}

/* The core does not fault: what shows it. */
TEST(fault_missing) {
    core_options o = faulting_options(12);
    scoped_stream s = faulting("lw", &o);
    const size_t fault = fault_of(&s), issue = issue_of(&s, 0, "lw", 0);
    const record cause = s.at[issue];
    record shows = s.at[fault];
    stream_remove(&s, fault);
    assert_int_equal(s.at[s.num - 1].h.kind, KARAT_REC_BYE);
    FAILS(&s, PROGRAM, &cause); /* The run has ended early */
    SAYS(&s, PROGRAM, "before the core could report it");
    s.at[s.num - 1].bye.reason = KARAT_BYE_CYCLE_LIMIT;
    FAILS(&s, PROGRAM, &cause);
    s.at[s.num - 1].bye.reason = KARAT_BYE_DONE;
    FAILS(&s, PAGE_FAULT_MISSING, &cause);
    SAYS(&s, PAGE_FAULT_MISSING, "the core does not fault: the stream has ended");
    const size_t end = s.num - 1;
    const record bye = s.at[end];
    s.num--;
    FAILS_AT(&s, cause.h.cycle + HANG_CYCLES + 1, PAGE_FAULT_MISSING, &cause);
    stream_add(&s, &bye, sizeof(karat_rec_bye));

    memset(&shows, 0, sizeof shows);
    shows.access =
        (karat_rec_access){.h = cause.h, .seq = cause.issue.seq, .mask = 1, .space = KARAT_SPACE_GLOBAL};
    shows.h.kind = KARAT_REC_ACCESS;
    shows.h.cycle = bye.h.cycle;
    shows.access.bytes[0] = 15;
    stream_insert(&s, end, &shows);
    FAILS(&s, PAGE_FAULT_MISSING, &cause);
    SAYS(&s, PAGE_FAULT_MISSING, "it has performed the access");
    s.at[end].access.seq++; /* A younger one's is nobody's business */
    FAILS(&s, PAGE_FAULT_MISSING, &cause);
    SAYS(&s, PAGE_FAULT_MISSING, "the stream has ended");

    memset(&shows, 0, sizeof shows);
    shows.write = (karat_rec_write){.h = cause.h, .seq = cause.issue.seq, .mask = 1, .regno = 14};
    shows.h.kind = KARAT_REC_WRITE;
    shows.h.cycle = bye.h.cycle;
    s.at[end] = shows;
    FAILS(&s, PAGE_FAULT_MISSING, &cause);
    SAYS(&s, PAGE_FAULT_MISSING, "it has written the instruction's result");
    s.at[end].write.mask = 0;
    SAYS(&s, PAGE_FAULT_MISSING, "the stream has ended");
    s.at[end].h.kind = KARAT_REC_EXIT;
    FAILS(&s, PAGE_FAULT_MISSING, &cause);
    SAYS(&s, PAGE_FAULT_MISSING, "the warp has ended");
}

/* Until the core has found it: younger instructions of the warp are not looked at, all else is. */
TEST(until_then) {
    core_options o = faulting_options(30);
    scoped_stream s = faulting("lw", &o);
    size_t fault = fault_of(&s);
    const size_t issue = issue_of(&s, 0, "lw", 0);
    const record cause = s.at[issue];
    for (uint32_t n = 1; n <= 2; n++) {
        record next = cause;
        next.h.cycle = s.at[fault].h.cycle;
        next.issue.seq += n;
        next.issue.pc += 4 * n;
        next.issue.word = 0x13;
        stream_insert(&s, fault++, &next);
        memset(&next, 0, sizeof next);
        next.write = (karat_rec_write){.h = cause.h, .seq = cause.issue.seq + n, .mask = 1, .regno = 15};
        next.h.kind = KARAT_REC_WRITE;
        next.h.cycle = s.at[fault].h.cycle;
        stream_insert(&s, fault++, &next);
    }
    FAILS(&s, PROGRAM, &cause);
    SAYS(&s, PROGRAM, "the core reports the same fault");
    /* Another warp's result, and that of an older instruction. */
    const size_t other = issue_of(&s, 1, "vadd_vi", 1), result = of(&s, other, KARAT_REC_WRITE, 0);
    assert_true(result > issue && result < fault);
    s.at[result].write.data[0] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[other]);
    s.at[result].write.data[0] ^= 1;
    const size_t older = issue_of(&s, 0, "addi", 0), write = of(&s, older, KARAT_REC_WRITE, 0);
    record late = s.at[write];
    late.h.cycle = s.at[fault].h.cycle;
    late.write.data[0] ^= 1;
    stream_remove(&s, write);
    stream_insert(&s, fault - 1, &late);
    FAILS(&s, WRITE_VALUE, &s.at[older]);
}

/* The core faults and the model does not. */
TEST(fault_unexpected) {
    scoped_stream s = translated_fixture(1);
    const size_t issue = issue_of(&s, 0, "vlw12_v", 0);
    record fault;
    memset(&fault, 0, sizeof fault);
    fault.tlb = (karat_rec_tlb){.h = s.at[issue].h,
                                .seq = s.at[issue].issue.seq,
                                .action = KARAT_TLB_FAULT,
                                .tlb = KARAT_TLB_DATA,
                                .access = KARAT_ACCESS_LOAD,
                                .reason = KARAT_PAGE_NOT_READABLE,
                                .virt = DATA_BASE};
    fault.h.kind = KARAT_REC_TLB;
    stream_insert(&s, issue + 1, &fault);
    FAILS(&s, PAGE_FAULT_UNEXPECTED, &s.at[issue]);
    SAYS(&s, PAGE_FAULT_UNEXPECTED, "load of 0x90000000: core page is not readable");
    SAYS(&s, PAGE_FAULT_UNEXPECTED, "the model's walk");
    s.at[issue + 1].tlb.virt = 0; /* The address is wrong */
    FAILS(&s, PAGE_FAULT_UNEXPECTED, &s.at[issue]);
    SAYS(&s, PAGE_FAULT_UNEXPECTED, "the instruction accesses other addresses");
    s.at[issue + 1].tlb.seq += 100;
    SAYS(&s, PAGE_FAULT_UNEXPECTED, "was not issued");
    s.at[issue + 1].tlb.seq = s.at[issue].issue.seq + 1; /* Of the next fetch */
    s.at[issue + 1].tlb.access = KARAT_ACCESS_FETCH;
    s.at[issue + 1].tlb.virt = s.at[issue].issue.pc + 4;
    FAILS(&s, PAGE_FAULT_UNEXPECTED, &s.at[issue + 1]);
    s.at[issue + 1].tlb.seq++;
    FAILS(&s, PAGE_FAULT_UNEXPECTED, &s.at[issue + 1]);
}

/* A jump to where nothing is mapped. */
TEST(fetch_fault) {
    program p = begin_program("lui 5 0x10000; jalr 0 0 5");
    core_options o = translated(one_warp_options(), 3);
    scoped_stream s = run_program(&p, &o);
    const size_t fault = fault_of(&s);
    const record was = s.at[fault];
    SAYS(&s, PROGRAM, "fetch of 0x10000000");
    SAYS(&s, PROGRAM, "the core reports the same fault");
    s.at[fault].tlb.virt += 4;
    SAYS(&s, PAGE_FAULT, "the core's address is 0x10000004");
    s.at[fault] = was;
    s.at[fault].tlb.seq--;
    SAYS(&s, PAGE_FAULT_UNEXPECTED, "fetch of 0x10000000");
    memset(&s.at[fault], 0, sizeof s.at[fault]);
    s.at[fault].issue =
        (karat_rec_issue){.h = was.h, .seq = was.tlb.seq, .pc = 0x10000000, .word = 0x13, .mask = 15};
    s.at[fault].h.kind = KARAT_REC_ISSUE;
    SAYS(&s, PAGE_FAULT_MISSING, "it has issued the instruction");
}

/* --- Aliases --- */

/* One warp stores by one address, and after a barrier the other loads by another one of the same page. */
TEST(aliases) {
    program p = begin_program("");
    put(&p, "lui", 20, SHARED >> 12);
    put(&p, "lui", 21, (int32_t)(ALIAS_BASE >> 12));
    put_code(&p, "addi 13 7 42; bne 7 0 8; sw 13 8 20; barrier 0; lw 14 8 21");
    put(&p, "sw", 14, 12, 21); /* A store to one's own page */
    put_code(&p, "lw 15 12 20; endprg");
    core_options o = translated(one_workgroup_options(2), 11);
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    s.at[0].hello.mem_order = KARAT_ORDER_PERFORMED;
    PASSES(&s);
    for (uint32_t slot = 0; slot < 2; slot++)
        for (uint32_t n = 0; n < 2; n++) {
            const size_t issue = issue_of(&s, slot, "lw", n), write = of(&s, issue, KARAT_REC_WRITE, 0),
                         access = of(&s, issue, KARAT_REC_ACCESS, 0);
            assert_int_equal(s.at[write].write.data[0], 42);
            s.at[write].write.data[0] = 0; /* The value that was there before */
            FAILS(&s, WRITE_VALUE, &s.at[issue]);
            s.at[write].write.data[0] = 42;
            s.at[access].access.virt[0] ^= SHARED ^ ALIAS_BASE; /* The right place by the wrong address */
            FAILS(&s, MEM_ADDRESS, &s.at[issue]);
            s.at[access].access.virt[0] ^= SHARED ^ ALIAS_BASE;
        }
}

/* --- The stream --- */

TEST(forms) {
    scoped_stream s = translated_fixture(1);
    const size_t paging = nth(&s, KARAT_REC_PAGING, 0);
    const record was = s.at[paging];
    stream_insert(&s, paging, &was);
    SAYS(&s, STREAM, "a second PAGING before KERNEL");
    stream_remove(&s, paging);
    s.at[paging].paging.ptbr += 8;
    SAYS(&s, STREAM, "is not a multiple of 4096");
    stream_remove(&s, paging);
    SAYS(&s, STREAM, "KERNEL without a PAGING");
    stream_insert(&s, paging, &was);
    s.at[0].hello.props = 0;
    SAYS(&s, STREAM, "HELLO lists tlb and not sv39 among the properties");
    s.at[0].hello.gives &= ~(1u << KARAT_REC_TLB);
    SAYS(&s, STREAM, "PAGING; HELLO says that the core does not translate");
}

RUN_TESTS("paging")
