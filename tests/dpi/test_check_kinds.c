/* For every kind of failure: streams that must fail with exactly that kind, at the right place; beside each,
 * the nearest thing that is legal. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Copies of an ISSUE in case the stream is edited, and of the stream to be edited. */
#define BEGIN                                                                                                \
    stream s = fixture();                                                                                    \
    PASSES(&s)
#define AGAIN                                                                                                \
    stream_free(&s);                                                                                         \
    s = fixture()
#define END stream_free(&s)

static record take(const stream *s, size_t i) {
    return s->at[i];
}

/* --- The stream itself --- */

static void stream_kind(void) {
    karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    assert_true(karat_checker_record(c, NULL, 0)); /* nothing at all */
    assert_int_equal(karat_checker_verdict(c), KARAT_BAD_INPUT);
    karat_checker_destroy(c);
    BEGIN;
    s.at[0].hello.version = 2;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[5].h.kind = 77;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[5].h.kind = 0;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    stream_remove(&s, 0); /* no HELLO */
    FAILS(&s, STREAM, NULL);
    AGAIN;
    stream_insert(&s, 3, &s.at[0]);
    FAILS(&s, STREAM, NULL);
    AGAIN;
    size_t i = nth(&s, KARAT_REC_ISSUE, 9);
    s.at[i].h.cycle -= 1;
    s.at[i - 1].h.cycle += 1;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_BYE, 0)].bye.records = s.num; /* one too many */
    FAILS(&s, STREAM, NULL);
    s.at[nth(&s, KARAT_REC_BYE, 0)].bye.records = s.num - 1;
    PASSES(&s);
    stream_remove(&s, nth(&s, KARAT_REC_READ, 3)); /* legal in itself, but BYE has counted it */
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.index = 1;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.num_region++;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.wg_size = 4; /* more than the core's three slots */
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.grid[1] = 0;
    FAILS(&s, STREAM, NULL);
    for (int i = 0; i < 3; i++) /* whose product is 0 in 32 and in 64 bits */
        s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.grid[i] = i ? 0x80000000 : 4;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_HOST, 0)].host.length = 0;
    FAILS(&s, STREAM, NULL);
    s.at[nth(&s, KARAT_REC_HOST, 0)].host.length = 257;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_HOST, 0)].host.addr = 0x1000;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_REGION, 1)].region.base = 0x70000000; /* the LDS window */
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[0].hello.gives &= ~(1u << KARAT_REC_READ); /* and sends it */
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[0].hello.gives &=
        ~(1u << KARAT_REC_LAUNCH | 1u << KARAT_REC_ISSUE); /* made up from a log: named, no more */
    PASSES(&s);
    outcome made_up = judge(&s);
    assert_non_null(strstr(made_up.line, " unchecked=launch,issue,"));
    outcome_free(&made_up);
    AGAIN;
    s.at[nth(&s, KARAT_REC_MEM, 2)].mem.op = KARAT_MEM_AMO + 1;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_MEM, 2)].mem.space = KARAT_SPACE_PRIVATE + 1;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_READ, 2)].read.source = 4;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[0].hello.props = 64;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[0].hello.num_thread = 5;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[0].hello.num_sm = 0;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[0].hello.num_warp = 65;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    stream_free(&s);
    s = run_fixture(&o);
    PASSES(&s);
    s.at[0].hello.gives |=
        1u << KARAT_REC_AUDIT; /* what a register holds is known only where WRITEs are seen */
    FAILS(&s, STREAM, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_LAUNCH, 0)].h.epoch = 1;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    i = nth(&s, KARAT_REC_BARRIER, 0);
    s.at[i].barrier.action = 2;
    FAILS(&s, STREAM, NULL);
    AGAIN;
    i = nth(&s, KARAT_REC_ISSUE, 9); /* the host writes what it may write, and what it may not */
    record csr = {.hostcsr = {.h = s.at[i].h, .addr = 0x340, .value = 5}};
    csr.h.kind = KARAT_REC_HOSTCSR;
    stream_insert(&s, i, &csr);
    PASSES(&s);
    s.at[i].hostcsr.addr = 0x80b;
    s.at[i].hostcsr.value = 0; /* what nobody has asked for */
    FAILS(&s, PRINT_UNEXPECTED, &s.at[i]);
    s.at[i].hostcsr.addr = 0x800;
    FAILS(&s, STREAM, &s.at[i]);
    s.at[i].hostcsr.addr = 0x80b;
    s.at[i].h.slot = 3; /* the host's mistake */
    FAILS(&s, STREAM, NULL);
    AGAIN;
    record kernel = s.at[nth(&s, KARAT_REC_KERNEL, 0)]; /* while the one before runs */
    kernel.kernel.index = 1;
    kernel.kernel.num_region = 0;
    i = nth(&s, KARAT_REC_ISSUE, 9);
    kernel.h.cycle = s.at[i].h.cycle;
    record last = take(&s, i);
    for (size_t k = 0; k < i; k++) /* the first live slot's youngest instruction is named */
        if (s.at[k].h.kind == KARAT_REC_ISSUE && s.at[k].h.slot == 0)
            last = take(&s, k);
    stream_insert(&s, i, &kernel);
    FAILS(&s, EXIT_MISSING, &last);
    END;
}

/* What a core says of warps that are not there, it has done: none of these is the stream's mistake. */
static void stray_kind(void) {
    BEGIN;
    s.at[nth(&s, KARAT_REC_ISSUE, 3)].h.slot = 3;
    FAILS(&s, STRAY, NULL);
    AGAIN;
    stream_remove(&s, nth(&s, KARAT_REC_KERNEL, 0));
    FAILS(&s, STRAY, NULL); /* a core that begins by itself */
    AGAIN;
    static const uint8_t of_warps[] = {KARAT_REC_ISSUE, KARAT_REC_READ, KARAT_REC_WRITE,   KARAT_REC_SIMT,
                                       KARAT_REC_CSR,   KARAT_REC_MEM,  KARAT_REC_BARRIER, KARAT_REC_EXIT};
    for (size_t k = 0; k < sizeof of_warps; k++) {
        s.at[nth(&s, of_warps[k], 0)].h.sm = 1;
        FAILS(&s, STRAY, NULL);
        AGAIN;
    }
    s.at[nth(&s, KARAT_REC_LAUNCH, 0)].h.sm = 1;
    FAILS(&s, STRAY, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_LAUNCH, 0)].h.slot = 3;
    FAILS(&s, STRAY, NULL);
    AGAIN;
    s.at[nth(&s, KARAT_REC_ISSUE, 0)].h.slot = 2;
    FAILS(&s, STRAY, NULL);
    outcome o = judge(&s);
    assert_non_null(strstr(o.text, "issue in cycle "));
    assert_non_null(strstr(o.text, ": sm 0 slot 2 was never launched"));
    outcome_free(&o);
    AGAIN;
    size_t i = nth(&s, KARAT_REC_ISSUE, 9);
    record launch = s.at[nth(&s, KARAT_REC_LAUNCH, s.at[i].h.slot)];
    s.at[i].h.epoch = 1;
    FAILS(&s, STRAY, &launch); /* in the warp that is there */
    AGAIN;
    i = nth(&s, KARAT_REC_BARRIER, 0);
    while (s.at[i].barrier.action != KARAT_BARRIER_RELEASE)
        i = after(&s, i, KARAT_REC_BARRIER);
    s.at[i].barrier.warps |= 8;
    FAILS(&s, STRAY, NULL);
    AGAIN;
    s.at[i].h.sm = 1;
    FAILS(&s, STRAY, NULL);
    END;
}

/* A piece of memory before BYE. */
static void add_contents(stream *s, uint64_t addr, uint32_t length) {
    record r = {.contents = {.h = {.kind = KARAT_REC_CONTENTS}, .addr = addr, .length = length}};
    size_t end = s->num - 1;
    r.h.cycle = s->at[end].h.cycle;
    stream_insert(s, end, &r);
    s->at[end + 1].bye.records = 0;
}

static void contents(void) {
    static const struct {
        uint64_t addr;
        uint32_t length, flushed;
        bool bad;
    } cases[] = {{DATA_BASE, 0, 1, true}, {DATA_BASE, 257, 1, true},   {DATA_BASE, 256, 0, false},
                 {0x100, 16, 1, true},    {DATA_BASE - 1, 2, 1, true}, {DATA_BASE - 1, 2, 0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BEGIN;
        s.at[0].hello.props = cases[i].flushed ? KARAT_PROP_FLUSHED : 0;
        add_contents(&s, cases[i].addr, cases[i].length);
        if (cases[i].bad)
            FAILS(&s, STREAM, NULL);
        else
            PASSES(&s); /* memory holds anything there */
        END;
    }
}

static void memory_kind(void) {
    contents();
    BEGIN;
    s.at[nth(&s, KARAT_REC_REGION, 1)].region.hash ^= 1;
    FAILS(&s, MEMORY, NULL);
    s.at[nth(&s, KARAT_REC_REGION, 1)].region.hash_valid = 0; /* not given: not compared */
    PASSES(&s);
    AGAIN;
    s.at[nth(&s, KARAT_REC_HOST, 0)].host.data[17] ^= 4;
    FAILS(&s, MEMORY, NULL);
    AGAIN;
    stream_remove(&s, nth(&s, KARAT_REC_HOST, 3));
    FAILS(&s, MEMORY, NULL);
    /* A second kernel finds what the first has left. */
    core_options o = fixture_options();
    o.kernels = 2;
    stream_free(&s);
    s = run_fixture(&o);
    PASSES(&s);
    size_t other = nth(&s, KARAT_REC_REGION, 4);
    s.at[other].region.hash ^= 1ull << 63;
    FAILS(&s, MEMORY, NULL);
    END;
}

/* The hardware's own number of a workgroup: any, but not that of another one on the same SM. */
static void wgid_is_unique(void) {
    core_options o = fixture_options();
    o.workgroups = 2;
    o.wg_size = 1;
    stream s = run_fixture(&o);
    size_t first = nth(&s, KARAT_REC_LAUNCH, 0), second = nth(&s, KARAT_REC_LAUNCH, 1);
    assert_true(second < nth(&s, KARAT_REC_EXIT, 0)); /* both are there at once */
    uint32_t own = s.at[second].launch.csr[KARAT_CSR_WGID];
    s.at[second].launch.csr[KARAT_CSR_WGID] = s.at[first].launch.csr[KARAT_CSR_WGID];
    FAILS(&s, LAUNCH, &s.at[second]);
    for (int n = 0; n < 2; n++) { /* whatever else is given */
        const uint32_t given = 1u << KARAT_CSR_WGID;
        s.at[first].launch.csr_given = s.at[second].launch.csr_given = n ? 0xfff & ~given : given;
        if (n)
            PASSES(&s);
        else
            FAILS(&s, LAUNCH, &s.at[second]);
    }
    s.at[first].launch.csr_given = s.at[second].launch.csr_given = 0xfff;
    s.at[second].launch.csr[KARAT_CSR_WGID] = own;
    PASSES(&s);
    END;
}

static void launch_kind(void) {
    wgid_is_unique();
    BEGIN;
    record at = take(&s, nth(&s, KARAT_REC_LAUNCH, 1));
    karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch;
#define WRONG(change, back)                                                                                  \
    change;                                                                                                  \
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 1)]);                                                  \
    back;                                                                                                    \
    PASSES(&s)
    WRONG(r->pc += 4, r->pc -= 4);
    WRONG(r->mask ^= 1, r->mask ^= 1);
    for (unsigned i = 0; i < 11; i++) {
        WRONG(r->csr[i] += 1, r->csr[i] -= 1); /* CSR_WGID, too: the workgroup's first warp said another */
    }
    WRONG(r->workgroup = 9, r->workgroup = 0);
    WRONG(r->warp = 2, r->warp = 1);
    WRONG(r->warp = 0, r->warp = 1); /* a second time */
    r->warp = 0;
    outcome twice = judge(&s);
    assert_non_null(strstr(twice.text, "workgroup 0 warp 0 is launched a second time"));
    outcome_free(&twice);
    r->warp = 1;
    WRONG(r->sgpr_base -= 1, r->sgpr_base += 1);
    WRONG(r->vgpr_base -= 255, r->vgpr_base += 255);
    WRONG(r->lds_base += 4, r->lds_base -= 4); /* one workgroup has one range */
    WRONG(r->lds_size += 4, r->lds_size -= 4);
#undef WRONG
    s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.lds_size = 1023; /* the kernel asks for more */
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 0)]);
    s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.lds_size = 1024;
    /* Nearest legal: not given; neighbouring ranges; the hardware's own number of the workgroup. */
    r->csr[KARAT_CSR_TID] += 1;
    r->csr_given &= ~1u;
    PASSES(&s);
    AGAIN;
    for (uint32_t i = 0; i < 2; i++)
        s.at[nth(&s, KARAT_REC_LAUNCH, i)].launch.csr[KARAT_CSR_WGID] = 77;
    PASSES(&s);
    s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.csr[KARAT_CSR_WGID] = 78;
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 1)]);
    AGAIN;
    for (uint32_t i = 0; i < 2; i++) { /* CSR_LDS follows the allocation */
        s.at[nth(&s, KARAT_REC_LAUNCH, i)].launch.lds_base = 64;
    }
    PASSES(&s);
    AGAIN;
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.sgprs = 64; /* as many as allocated; all of them are legal */
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.vgprs = 256;
    PASSES(&s);
    s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch.sgpr_size = 63;
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 1)]);
    s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch.sgpr_size = 64;
    s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch.vgpr_size = 255;
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 1)]);
    AGAIN;
    size_t exit = nth(&s, KARAT_REC_EXIT, 0); /* the slot's next launch while its warp is live */
    at = take(&s, exit);
    move(&s, nth(&s, KARAT_REC_LAUNCH, 2), exit);
    FAILS(&s, LAUNCH, &at);
    END;

    /* Two workgroups at a time on one SM: their LDS must not overlap; on two SMs, they may. */
    core_options o = fixture_options();
    o.num_warp = 4;
    s = run_fixture(&o);
    PASSES(&s);
    for (uint32_t i = 2; i < 4; i++)
        s.at[nth(&s, KARAT_REC_LAUNCH, i)].launch.lds_base = 1020;
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 2)]);
    for (uint32_t i = 2; i < 4; i++)
        s.at[nth(&s, KARAT_REC_LAUNCH, i)].launch.lds_base = 1024;
    PASSES(&s);
    stream_free(&s);

    /* A workgroup on two SMs; more workgroups begun than there are slots. */
    program p = {.num = 0};
    put0(&p, "endprg");
    o = core_default();
    o.num_sm = 2;
    o.num_warp = 2;
    o.workgroups = 5;
    s = run_program(&p, &o);
    PASSES(&s);
    size_t i = nth(&s, KARAT_REC_LAUNCH, 0);
    while (s.at[i].h.kind != KARAT_REC_LAUNCH || s.at[i].launch.workgroup != 0 || s.at[i].launch.warp != 1)
        i++;
    cut(&s, i + 1);
    assert_int_equal(s.at[i].h.slot, 1);
    s.at[i].h.sm ^= 1; /* its other warp is on the other SM */
    s.at[i].h.slot = 1;
    FAILS(&s, LAUNCH, &s.at[i]);
    stream_free(&s);
    o.num_sm = 1;
    o.workgroups = 5;
    s = run_program(&p, &o);
    PASSES(&s);
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 0) + 1);
    record launch = s.at[s.num - 1],
           issue = {.issue = {.h = launch.h, .pc = CODE_BASE, .word = 0x400b, .mask = 15}};
    record end = {.exit = {.h = launch.h}};
    issue.h.kind = KARAT_REC_ISSUE;
    end.h.kind = KARAT_REC_EXIT;
    for (uint32_t i = 0; i < 3; i++) { /* warp 0 of each workgroup comes and goes; their others never come */
        launch.h.epoch = issue.h.epoch = end.h.epoch = i;
        launch.launch.workgroup = launch.launch.csr[KARAT_CSR_WGID] = launch.launch.csr[KARAT_CSR_GDX] = i;
        launch.launch.csr[KARAT_CSR_PDS] = PRIVATE_BASE + i * 4 * 2 * 16;
        if (i)
            stream_add(&s, &launch, sizeof launch);
        if (i < 2) {
            stream_add(&s, &issue, sizeof issue);
            stream_add(&s, &end, sizeof end);
        }
    }
    FAILS(&s, LAUNCH, &s.at[s.num - 1]);
    stream_free(&s);
}

/* --- ISSUE --- */

static void issue_pc_kind(void) {
    BEGIN;
    size_t branch = issue_of(&s, 0, "bne", 0), next = after(&s, branch, KARAT_REC_ISSUE);
    record at = take(&s, branch); /* the instruction that went to the wrong place */
    s.at[next].issue.pc -= 4;
    FAILS(&s, ISSUE_PC, &at);
    AGAIN;
    size_t first = nth(&s, KARAT_REC_ISSUE, 0); /* none before it: the instruction itself */
    at = take(&s, first);
    s.at[first].issue.pc += 4;
    FAILS(&s, ISSUE_PC, &at);
    END;
}

static void issue_word_kind(void) {
    BEGIN;
    size_t i = issue_of(&s, 1, "vadd_vx", 2);
    s.at[i].issue.word ^= 1u << 7;
    record at = take(&s, i);
    at.issue.word ^= 1u << 7;
    FAILS(&s, ISSUE_WORD, &at);
    END;
}

static void issue_prefix_kind(void) {
    BEGIN;
    size_t i = 0;
    while (s.at[i].h.kind != KARAT_REC_ISSUE || s.at[i].issue.prefix_kind != KARAT_PREFIX_WORD)
        i++;
    record at = take(&s, i);
    s.at[i].issue.prefix ^= 1u << 20;
    FAILS(&s, ISSUE_PREFIX, &at);
    s.at[i] = at;
    s.at[i].issue.prefix_kind = KARAT_PREFIX_NONE;
    FAILS(&s, ISSUE_PREFIX, &at);
    s.at[i].issue.prefix_kind = KARAT_PREFIX_UNKNOWN;
    PASSES(&s);
    AGAIN;
    i = nth(&s, KARAT_REC_ISSUE, 4);
    s.at[i].issue.prefix_kind = KARAT_PREFIX_WORD; /* a prefix where there is none */
    FAILS(&s, ISSUE_PREFIX, &s.at[i]);
    s.at[i].issue.prefix = 0x0000200b;
    FAILS(&s, ISSUE_PREFIX, &s.at[i]);
    s.at[i].issue.prefix_kind = KARAT_PREFIX_NONE; /* the field says nothing then */
    PASSES(&s);
    END;
}

static void issue_mask_kind(void) {
    BEGIN;
    size_t i = issue_of(&s, 0, "vadd_vi", 0);
    s.at[i].issue.mask = 15; /* under divergence */
    FAILS(&s, ISSUE_MASK, &s.at[i]);
    END;
}

static void issue_seq_kind(void) {
    BEGIN;
    size_t i = issue_of(&s, 0, "vadd_vx", 2);
    record before = take(&s, issue_of(&s, 0, "bne", 0));
    s.at[i].issue.seq++;
    FAILS(&s, ISSUE_SEQ, &before);
    AGAIN;
    record again = before;
    again.h.cycle = s.at[i].h.cycle;
    stream_insert(&s, i, &again);
    FAILS(&s, ISSUE_SEQ, &before);
    END;
}

static void issue_ended_kind(void) {
    BEGIN;
    size_t exit = nth(&s, KARAT_REC_EXIT, 0), last = issue_of(&s, s.at[exit].h.slot, "endprg", 0);
    record at = take(&s, last), more = at;
    more.issue.seq++;
    more.issue.pc += 4;
    stream_insert(&s, exit + 1, &more); /* after EXIT */
    FAILS(&s, ISSUE_ENDED, &at);
    stream_remove(&s, exit + 1);
    stream_insert(&s, exit, &more); /* after ENDPRG */
    FAILS(&s, ISSUE_ENDED, &at);
    END;
}

static void issue_barrier_kind(void) {
    BEGIN;
    size_t barrier = issue_of(&s, 0, "barrier", 0);
    size_t release = barrier;
    while (s.at[release].h.kind != KARAT_REC_BARRIER || s.at[release].barrier.action != KARAT_BARRIER_RELEASE)
        release++;
    record at = take(&s, barrier), gone = take(&s, release);
    stream_remove(&s, release);
    size_t next = barrier;
    while (s.at[next].h.kind != KARAT_REC_ISSUE || s.at[next].h.cycle < gone.h.cycle)
        next++;
    at = take(&s, issue_of(&s, s.at[next].h.slot, "barrier", 0));
    FAILS(&s, ISSUE_BARRIER, &at);
    END;
    /* The same where the core does not say when it releases: the model knows who waits. */
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_BARRIER);
    s = run_fixture(&o);
    PASSES(&s);
    barrier = issue_of(&s, 0, "barrier", 0);
    at = take(&s, barrier);
    move(&s, after(&s, barrier, KARAT_REC_ISSUE), barrier + 1);
    FAILS(&s, ISSUE_BARRIER, &at);
    END;
}

/* --- Operands and registers --- */

static void read_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vmul_vv", 0), read = of(&s, issue, KARAT_REC_READ, 0);
    record at = take(&s, issue);
    s.at[read].read.data[2] ^= 1;
    FAILS(&s, READ, &at);
    s.at[read].read.mask = ~4u & 15; /* a lane that is not given is not compared */
    PASSES(&s);
    s.at[read].read.mask = 4;
    FAILS(&s, READ, &at);
    s.at[read].read.bits = 1;
    FAILS(&s, READ, &at);
    s.at[read].read.data[2] ^= 3;
    PASSES(&s);
    s.at[read].read.mask = 31; /* more lanes than there are */
    FAILS(&s, READ, &at);
    AGAIN;
    s.at[read].read.source = 3;
    FAILS(&s, READ, &at);
    s.at[0].hello.props |= KARAT_PROP_READS_MORE;
    PASSES(&s);
    s.at[read].read.source = 1; /* an operand that the instruction has is compared all the same */
    s.at[read].read.data[0] ^= 1;
    FAILS(&s, READ, &at);
    AGAIN;
    s.at[read].read.part = 1;
    FAILS(&s, READ, &at);
    AGAIN;
    s.at[read].read.cls = KARAT_X;
    FAILS(&s, READ, &at);
    AGAIN;
    size_t x0 = of(&s, issue_of(&s, 0, "addi", 0), KARAT_REC_READ, 0); /* x0 reads as 0 */
    at = take(&s, issue_of(&s, 0, "addi", 0));
    s.at[x0].read.data[0] = 1;
    FAILS(&s, READ, &at);
    AGAIN;
    s.at[read].read.seq -= 3; /* an instruction that has completed */
    uint32_t seq = s.at[read].read.seq;
    size_t named = 0;
    while (s.at[named].h.kind != KARAT_REC_ISSUE || s.at[named].h.slot != s.at[read].h.slot ||
           s.at[named].issue.seq != seq)
        named++;
    FAILS(&s, READ, &s.at[named]);
    END;
}

static void write_value_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "mul", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.data[0] ^= 1u << 31;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    AGAIN;
    issue = issue_of(&s, 1, "vlw12_v", 1), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.data[3] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    s.at[write].write.mask = 7; /* in two parts: the first is right, the second is wrong */
    record rest = take(&s, write);
    rest.write.mask = 8;
    stream_insert(&s, write + 1, &rest);
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    s.at[write + 1].write.data[3] ^= 1;
    PASSES(&s);
    s.at[write].write.data[0] ^= 1;
    s.at[write].write.match = s.at[write + 1].write.match =
        KARAT_MATCH_OTHER; /* and where the core gives no id */
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    AGAIN;
    issue = issue_of(&s, 0, "vle32_v", 0), write = of(&s, issue, KARAT_REC_WRITE, 1); /* second of a group */
    s.at[write].write.data[1] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    END;
    /* The report names the lanes, as many as fit. */
    core_options o = fixture_options();
    o.num_thread = 32;
    s = run_fixture(&o);
    PASSES(&s);
    issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    for (unsigned lane = 1; lane < 32; lane += 2)
        s.at[write].write.data[lane] = ~s.at[write].write.data[lane];
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    outcome out = judge(&s);
    assert_non_null(strstr(out.text, "lane  1  core "));
    assert_non_null(strstr(out.text, "lane 15  core "));
    assert_null(strstr(out.text, "lane 17  core "));
    assert_non_null(strstr(out.text, "xor ffffffff"));
    assert_non_null(strstr(out.text, "and 8 more lanes"));
    outcome_free(&out);
    END;
}

static void write_register_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "mul", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.regno = 14;
    FAILS(&s, WRITE_REGISTER, &s.at[issue]);
    s.at[write].write.regno = 5;
    s.at[write].write.cls = KARAT_V;
    FAILS(&s, WRITE_REGISTER, &s.at[issue]);
    s.at[write].write.cls = KARAT_X;
    s.at[write].write.regno = 64; /* no such register */
    FAILS(&s, WRITE_REGISTER, &s.at[issue]);
    AGAIN;
    size_t i = 0; /* the prefix is lost: v8 instead of v40 */
    while (s.at[i].h.kind != KARAT_REC_ISSUE || !s.at[i].issue.prefix)
        i++;
    s.at[of(&s, i, KARAT_REC_WRITE, 0)].write.regno = 8;
    FAILS(&s, WRITE_REGISTER, &s.at[i]);
    END;
}

static void write_lanes_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vadd_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    assert_int_equal(s.at[write].write.mask, 5); /* masked by v0 */
    s.at[write].write.mask = 7;
    FAILS(&s, WRITE_LANES, &s.at[issue]);
    s.at[write].write.mask = 15; /* the mask is ignored */
    FAILS(&s, WRITE_LANES, &s.at[issue]);
    s.at[write].write.mask = 10; /* or inverted */
    FAILS(&s, WRITE_LANES, &s.at[issue]);
    END;
}

static void write_unexpected_kind(void) {
    BEGIN;
    size_t store = issue_of(&s, 0, "vsw12_v", 0);
    record r = take(&s, of(&s, issue_of(&s, 0, "vadd_vv", 0), KARAT_REC_WRITE, 0));
    r.h.cycle = s.at[store].h.cycle;
    r.write.seq = s.at[store].issue.seq;
    stream_insert(&s, store + 1, &r);
    FAILS(&s, WRITE_UNEXPECTED, &s.at[store]); /* a store writes no register */
    s.at[store + 1].write.seq += 1;
    FAILS(&s, WRITE_UNEXPECTED, &r); /* not issued yet */
    s.at[store + 1].write.match = KARAT_MATCH_OTHER;
    FAILS(&s, WRITE_UNEXPECTED, &s.at[store]);
    s.at[store + 1].write.mask = 0; /* writes no lane: counted, no more */
    PASSES(&s);
    s.at[store + 1].write.mask = 1;
    s.at[store + 1].write.cls = KARAT_X;
    s.at[store + 1].write.regno = 0; /* x0 */
    PASSES(&s);
    END;
    /* An instruction without an active lane owes nothing. */
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vmv_v_i", 0, 0);
    put(&p, "vadd_vv", 8, 1, 1, 0);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.idle_writes = false;
    s = run_program(&p, &o);
    PASSES(&s);
    size_t issue = issue_of(&s, 0, "vadd_vv", 0);
    record all = take(&s, of(&s, issue_of(&s, 0, "vmv_v_i", 1), KARAT_REC_WRITE, 0));
    all.h.cycle = s.at[issue].h.cycle;
    all.write.seq = s.at[issue].issue.seq;
    all.write.regno = 8;
    stream_insert(&s, issue + 1, &all);
    FAILS(&s, WRITE_UNEXPECTED, &s.at[issue]);
    s.at[issue + 1].write.mask = 0;
    PASSES(&s);
    END;
}

static void write_duplicate_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "mul", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    stream_insert(&s, write, &s.at[write]);
    FAILS(&s, WRITE_DUPLICATE, &s.at[issue]);
    AGAIN;
    issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    record part = take(&s, write);
    part.write.mask = 4;
    stream_insert(&s, write, &part); /* one lane, then all */
    FAILS(&s, WRITE_DUPLICATE, &s.at[issue]);
    s.at[write + 1].write.mask = 11; /* the others: disjoint parts are legal */
    PASSES(&s);
    AGAIN;
    size_t later = after(&s, after(&s, write, KARAT_REC_ISSUE), KARAT_REC_ISSUE); /* long after it is done */
    record late = take(&s, write);
    late.h.cycle = s.at[later].h.cycle;
    stream_insert(&s, later, &late);
    FAILS(&s, WRITE_DUPLICATE, &s.at[issue]);
    END;
}

static void write_order_kind(void) {
    core_options o = fixture_options();
    o.gives &= ~(1u << KARAT_REC_READ);
    stream s = run_fixture(&o);
    size_t old = issue_of(&s, 0, "addi", 0), new = issue_of(&s, 0, "addi", 1);
    record at = take(&s, old);
    size_t first = of(&s, old, KARAT_REC_WRITE, 0), second = of(&s, new, KARAT_REC_WRITE, 0);
    move(&s, first, second); /* both pending, in order: legal */
    PASSES(&s);
    s.at[second - 1].write.match = KARAT_MATCH_OTHER; /* but then it must say which it is */
    FAILS(&s, WRITE_ORDER, &at);
    END;
    s = run_fixture(&o);
    move(&s, first, second + 1);
    FAILS(&s, WRITE_ORDER, &at);
    END;
    /* Lane by lane: v9 is written whole, then in its even lanes. */
    s = run_fixture(&o);
    old = issue_of(&s, 0, "vmul_vv", 0), new = issue_of(&s, 0, "vadd_vv", 0);
    at = take(&s, old);
    first = of(&s, old, KARAT_REC_WRITE, 0);
    record odd = take(&s, first), even = odd;
    odd.write.mask = 10;
    even.write.mask = 5;
    second = of(&s, new, KARAT_REC_WRITE, 0) - 1;
    stream_remove(&s, first);
    odd.h.cycle = even.h.cycle = s.at[second].h.cycle;
    stream_insert(&s, second + 1, &odd);
    stream_insert(&s, second, &even);
    PASSES(&s); /* the even ones before, the odd ones after */
    move(&s, second, second + 3);
    FAILS(&s, WRITE_ORDER, &at);
    END;
}

static void write_missing_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    record at = take(&s, issue);
    s.at[write].write.mask = 11; /* a lane is left over when the slot's next warp comes */
    FAILS(&s, WRITE_MISSING, &at);
    stream_remove(&s, write);
    FAILS(&s, WRITE_MISSING, &at);
    AGAIN;
    record late =
        take(&s, write); /* after the slot's next LAUNCH it is too late, and LAUNCH is where that shows */
    size_t next = nth(&s, KARAT_REC_LAUNCH, 2);
    late.h.cycle = s.at[next].h.cycle;
    stream_insert(&s, next + 1, &late);
    stream_remove(&s, write);
    FAILS(&s, WRITE_MISSING, &at);
    AGAIN;
    size_t launch = nth(&s, KARAT_REC_LAUNCH, 2); /* before the slot's next LAUNCH: legal; after it: not */
    issue = issue_of(&s, s.at[launch].h.slot, "vmul_vv", 0);
    at = take(&s, issue);
    write = of(&s, issue, KARAT_REC_WRITE, 0);
    /* Nothing audits or writes that register again but vadd.vv, whose WRITE comes behind it. */
    size_t again = of(&s, issue_of(&s, s.at[launch].h.slot, "vadd_vv", 0), KARAT_REC_WRITE, 0);
    record over = take(&s, again);
    stream_remove(&s, again);
    move(&s, write, launch - 1);
    over.h.cycle = s.at[launch - 2].h.cycle;
    stream_insert(&s, launch - 1, &over);
    PASSES(&s);
    END;
    /* A core that waits for pending writes: at the ISSUE of the instruction that reads the register, or writes it. */
    s = fixture();
    s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
    PASSES(&s);
    static const char *const pairs[][2] = {{"vand_vi", "vmseq_vi"}, {"vmul_vv", "vadd_vv"}};
    for (int i = 0; i < 2; i++) {
        issue = issue_of(&s, 0, pairs[i][0], 0);
        at = take(&s, issue);
        move(&s, of(&s, issue, KARAT_REC_WRITE, 0), issue_of(&s, 0, pairs[i][1], 0) + 1);
        FAILS(&s, WRITE_MISSING, &at);
        AGAIN;
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
    }
    END;
    /* The last warp: at BYE. */
    s = fixture();
    issue = issue_of(&s, 2, "vle32_v", 0);
    at = take(&s, issue);
    stream_remove(&s, of(&s, issue, KARAT_REC_WRITE, 1));
    FAILS(&s, WRITE_MISSING, &at);
    END;
}

static record audit_of(const stream *s, size_t write) {
    record r = {
        .audit = {.h = s->at[write].h, .regno = s->at[write].write.regno, .cls = s->at[write].write.cls}};
    r.h.kind = KARAT_REC_AUDIT;
    r.audit.mask = r.audit.cls == KARAT_X ? 1 : 15;
    memcpy(r.audit.data, s->at[write].write.data, sizeof r.audit.data);
    return r;
}

/* A WRITE of no lane, and the register has changed: its instruction is at fault, unless the one before it may be, whose
 * result no AUDIT has shown, or nobody has said whose that WRITE was, or it was of another register. */
static void audit_behind_an_empty_write(void) {
    for (int how = 0; how < 4; how++) {
        const bool seen = how != 0, named = how == 1;
        BEGIN;
        size_t issue = issue_of(&s, 0, "vand_vi", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
        size_t next = after(&s, write, KARAT_REC_ISSUE);
        record audit = audit_of(&s, write), empty = take(&s, write), at = take(&s, named ? next : issue);
        empty.write.mask = 0;
        empty.write.seq = s.at[next].issue.seq;
        empty.write.cls = how == 3 ? KARAT_X : KARAT_V; /* x6 is not v6 */
        empty.write.match = how == 2 ? KARAT_MATCH_OTHER : KARAT_MATCH_SEQ;
        empty.h.cycle = audit.h.cycle = s.at[next].h.cycle;
        stream_insert(&s, next + 1, &audit);
        stream_insert(&s, next + 1, &empty);
        stream_insert(&s, next + 1, &audit);
        for (size_t i = s.num; i-- > write && !seen;) /* AUDITs of that register before the empty WRITE */
            if (i <= next + 1 && s.at[i].h.kind == KARAT_REC_AUDIT && s.at[i].audit.cls == audit.audit.cls &&
                s.at[i].audit.regno == audit.audit.regno) {
                stream_remove(&s, i);
                next -= i <= next;
            }
        PASSES(&s);
        size_t last = next + (seen ? 3 : 2);
        assert_int_equal(s.at[last].h.kind, KARAT_REC_AUDIT);
        s.at[last].audit.data[3] ^= 1;
        FAILS(&s, AUDIT, &at);
        outcome o = judge(&s);
        assert_non_null(strstr(o.text, named ? "was of no lane" : "which wrote v6 right"));
        outcome_free(&o);
        END;
    }
}

static void audit_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    record at = take(&s, issue), audit = audit_of(&s, write);
    stream_insert(&s, write + 1, &audit);
    PASSES(&s);
    s.at[write + 1].audit.data[3] ^= 1;
    FAILS(&s, AUDIT, &at);
    AGAIN;
    memset(audit.audit.data, 0, sizeof audit.audit.data);
    stream_insert(&s, write, &audit); /* the write is pending: its old value is right, */
    PASSES(&s);
    memcpy(s.at[write].audit.data, s.at[write + 1].write.data, sizeof audit.audit.data);
    record warp = take(&s, write);
    FAILS(&s, AUDIT,
          &warp); /* its new value is not; nothing has landed there yet, so no instruction is named */
    AGAIN;
    record part = take(&s, write); /* two lanes have landed, two have not */
    part.write.mask = 3;
    s.at[write].write.mask = 12;
    audit.audit.data[0] = part.write.data[0];
    audit.audit.data[1] = part.write.data[1];
    stream_insert(&s, write, &audit);
    stream_insert(&s, write, &part);
    PASSES(&s);
    AGAIN;
    audit.audit = (karat_rec_audit){.h = audit.h, .mask = 1}; /* x0 */
    stream_insert(&s, write, &audit);
    PASSES(&s);
    s.at[write].audit.data[0] = 1;
    FAILS(&s, AUDIT, &warp);
    s.at[write].audit.data[0] = 0;
    s.at[write].audit.mask = 3;
    FAILS(&s, AUDIT, &warp);
    s.at[write].audit.mask = 1;
    s.at[write].audit.regno = 64;
    FAILS(&s, AUDIT, &warp);
    END;
    audit_behind_an_empty_write();
    /* A LAUNCH whose registers AUDIT gives: all but x0, which is 0 whatever it says. */
    core_options o = fixture_options();
    o.regs = KARAT_REGS_AUDIT;
    s = run_fixture(&o);
    PASSES(&s);
    warp = take(&s, nth(&s, KARAT_REC_AUDIT, 0));
    assert_int_equal(warp.audit.regno, 0);
    s.at[nth(&s, KARAT_REC_AUDIT, 0)].audit.data[0] = 1;
    FAILS(&s, AUDIT, &warp);
    END;
}

/* --- SIMT and CSR --- */

static void simt_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vblt", 0), simt = of(&s, issue, KARAT_REC_SIMT, 0);
    karat_rec_simt good = s.at[simt].simt;
    record at = take(&s, issue);
    assert_int_equal(good.depth, 2);
#define WRONG(change)                                                                                        \
    s.at[simt].simt = good;                                                                                  \
    change;                                                                                                  \
    FAILS(&s, SIMT, &at)
    WRONG(s.at[simt].simt.mask ^= 15); /* the other path first */
    WRONG(s.at[simt].simt.next_pc += 4);
    WRONG(s.at[simt].simt.depth = 1);
    WRONG(s.at[simt].simt.top_rpc += 4);
    WRONG(s.at[simt].simt.top_next += 4);
    WRONG(s.at[simt].simt.top_mask ^= 1);
#undef WRONG
    s.at[simt].simt.top_valid = 0; /* the entry is not given */
    PASSES(&s);
    AGAIN;
    issue = issue_of(&s, 0, "vbeq", 0), simt = of(&s, issue, KARAT_REC_SIMT, 0);
    s.at[simt].simt.top_valid = 1; /* an entry of an empty stack */
    FAILS(&s, SIMT, &s.at[issue]);
    END;
}

static void simt_unexpected_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "join", 0), simt = of(&s, issue, KARAT_REC_SIMT, 0);
    stream_insert(&s, simt, &s.at[simt]);
    FAILS(&s, SIMT_UNEXPECTED, &s.at[issue]);
    s.at[simt + 1].simt.seq += 50;
    record warp = take(&s, simt);
    FAILS(&s, SIMT_UNEXPECTED, &warp);
    AGAIN;
    issue = issue_of(&s, 0, "setrpc", 0);
    record r = take(&s, simt);
    r.h = s.at[issue].h;
    r.h.kind = KARAT_REC_SIMT;
    r.simt.seq = s.at[issue].issue.seq;
    stream_insert(&s, issue + 1, &r);
    FAILS(&s, SIMT_UNEXPECTED, &s.at[issue]);
    END;
}

static void simt_missing_kind(void) {
    BEGIN;
    for (uint32_t slot = 0; slot <= 2;
         slot += 2) { /* a uniform one, too; found at the next LAUNCH, or at BYE */
        size_t issue = issue_of(&s, slot, "vbeq", 0);
        record at = take(&s, issue);
        stream_remove(&s, of(&s, issue, KARAT_REC_SIMT, 0));
        FAILS(&s, SIMT_MISSING, &at);
        AGAIN;
    }
    END;
}

/* What a CSR holds behind the instruction issued last; of vtype some bits. */
static void audit_of_csr(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vsetvli", 0);
    record vl = take(&s, issue), vtype, at = take(&s, issue);
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
    s.at[issue + 1].audit.data[0] = 0xd1; /* bits that are not given say nothing */
    PASSES(&s);
    s.at[issue + 1].audit.data[0] = 0x10;
    FAILS(&s, CSR, &at);
    s.at[issue + 1].audit.data[0] = 0x11;
    s.at[issue + 2].audit.data[0] = 9;
    FAILS(&s, CSR, &at);
    s.at[issue + 2].audit.data[0] = 8;
    s.at[issue + 2].audit.regno = 0x7ff; /* no such CSR */
    FAILS(&s, AUDIT, &at);
    /* Going on behind it: the bits that were given are the core's from there on, where such a register can be written. */
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
        karat_checker *c = karat_checker_create(&config);
        for (size_t k = 0; k <= issue; k++)
            assert_false(karat_checker_record(c, &s.at[k], karat_rec_size(s.at[k].h.kind)));
        const slot *slot = &c->slots[at.h.slot];
        uint32_t model, now;
        assert_int_equal(karat_csr_read(c->model, slot->handle, csrs[i].addr, &model), KARAT_OK);
        record audit = vl;
        audit.audit.regno = csrs[i].addr;
        audit.audit.mask = csrs[i].mask;
        audit.audit.data[0] = model ^ csrs[i].by;
        audit.audit.data[1] = 0x1234567;
        for (int again = 0; again < 2; again++) {
            assert_int_equal(karat_checker_record(c, &audit, sizeof audit.audit), c->done);
            assert_false(c->done);
            assert_int_equal(c->num_mismatches, 1);
            assert_int_equal(slot->frozen, !csrs[i].taken);
        }
        assert_int_equal(karat_csr_read(c->model, slot->handle, csrs[i].addr, &now), KARAT_OK);
        assert_int_equal(now, csrs[i].taken ? model ^ (csrs[i].by & csrs[i].mask) : model);
        karat_checker_destroy(c);
    }
    END;
}

static void csr_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "csrrw", 0), csr = of(&s, issue, KARAT_REC_CSR, 0);
    s.at[csr].csr.value ^= 2;
    FAILS(&s, CSR, &s.at[issue]);
    AGAIN;
    issue = issue_of(&s, 0, "vsetvli", 0), csr = of(&s, issue, KARAT_REC_CSR, 0);
    record vtype = take(&s, csr);
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
    END;
    audit_of_csr();
}

static void csr_unexpected_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "csrrw", 0), csr = of(&s, issue, KARAT_REC_CSR, 0);
    stream_insert(&s, csr, &s.at[csr]); /* twice */
    FAILS(&s, CSR_UNEXPECTED, &s.at[issue]);
    AGAIN;
    s.at[csr].csr.addr = 0x80c;
    FAILS(&s, CSR_UNEXPECTED, &s.at[issue]);
    AGAIN;
    issue = issue_of(&s, 0, "csrrs", 0); /* reads, and does not write */
    record r = take(&s, csr);
    r.h = s.at[issue].h;
    r.h.kind = KARAT_REC_CSR;
    r.csr.seq = s.at[issue].issue.seq;
    r.csr.addr = 0x808;
    stream_insert(&s, issue + 1, &r);
    FAILS(&s, CSR_UNEXPECTED, &s.at[issue]);
    outcome o = judge(&s);
    assert_non_null(strstr(o.text, ", which writes none"));
    outcome_free(&o);
    AGAIN;
    issue = issue_of(&s, 0, "vsetvli", 1), csr = of(&s, issue, KARAT_REC_CSR, 0);
    r = take(&s, csr);
    r.csr.addr = 0xc21;
    r.csr.value = 0xd0;
    while (s.at[csr].h.kind == KARAT_REC_CSR && s.at[csr].csr.addr == 0xc21)
        stream_remove(&s, csr);
    stream_insert(&s, csr, &r);
    stream_insert(&s, csr, &r); /* vtype may be added, once */
    FAILS(&s, CSR_UNEXPECTED, &s.at[issue]);
    END;
}

static void csr_missing_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "setrpc", 0);
    record at = take(&s, issue);
    stream_remove(&s, of(&s, issue, KARAT_REC_CSR, 0));
    FAILS(&s, CSR_MISSING, &at);
    END;
}

/* --- Memory --- */

static void mem_data_kind(void) {
    BEGIN;
    static const char *const stores[] = {"vsw12_v", "vsb12_v", "sw", "vsw_v", "vse32_v"};
    for (size_t k = 0; k < sizeof stores / sizeof *stores; k++) {
        size_t issue = issue_of(&s, 1, stores[k], 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
        s.at[mem].mem.data[0] ^= 0x40;
        FAILS(&s, MEM_DATA, &s.at[issue]);
        AGAIN;
    }
    size_t issue = issue_of(&s, 1, "vsb12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.data[0] ^= 0x4000; /* a byte that is not stored */
    PASSES(&s);
    END;
}

static void mem_address_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.addr[1] ^= 64;
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
    outcome o = judge(&s);
    assert_non_null(strstr(o.text, "lane 1: core 0x90000044  model 0x90000004"));
    outcome_free(&o);
    s.at[mem].mem.addr[1] ^= 64;
    s.at[mem].mem.addr_hi = 1;
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
    s.at[mem].mem.addr_hi = 0;
    PASSES(&s);
    issue = issue_of(&s, 0, "lh", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.bytes[0] = 7; /* three bytes of a half-word */
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
    END;
}

static void mem_lanes_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "sw", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.mask = 3;
    s.at[mem].mem.addr[1] = s.at[mem].mem.addr[0];
    s.at[mem].mem.bytes[0] = 0xff;
    FAILS(&s, MEM_LANES, &s.at[issue]);
    s.at[mem].mem.bytes[0] = 0x0f; /* in the mask, without a byte */
    FAILS(&s, MEM_LANES, &s.at[issue]);
    END;
}

static void mem_space_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.space = KARAT_SPACE_LDS;
    FAILS(&s, MEM_SPACE, &s.at[issue]);
    const uint32_t all = s.at[mem].mem.mask;
    s.at[mem].mem.mask = 4;
    outcome out = judge(&s);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(out.json, "failure"), "lanes")), 4);
    outcome_free(&out);
    s.at[mem].mem.mask = all;
    s.at[mem].mem.space = KARAT_SPACE_UNKNOWN;
    PASSES(&s);
    AGAIN;
    issue = issue_of(&s, 0, "vlw12_v", 1), mem = of(&s, issue, KARAT_REC_MEM, 0); /* LDS */
    s.at[mem].mem.space = KARAT_SPACE_GLOBAL;
    FAILS(&s, MEM_SPACE, &s.at[issue]);
    AGAIN;
    issue = issue_of(&s, 0, "vsw_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    s.at[mem].mem.space = KARAT_SPACE_GLOBAL;
    FAILS(&s, MEM_SPACE, &s.at[issue]);
    END;
}

static void mem_duplicate_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vsw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    stream_insert(&s, mem, &s.at[mem]);
    FAILS(&s, MEM_DUPLICATE, &s.at[issue]);
    s.at[mem].mem.mask = 1; /* in pieces, lane 0 twice */
    FAILS(&s, MEM_DUPLICATE, &s.at[issue]);
    s.at[mem + 1].mem.mask = 14;
    PASSES(&s);
    s.at[mem].mem.mask = 15; /* bytes: the low half of each lane, then the high half, overlapping and not */
    s.at[mem + 1].mem.mask = 15;
    memset(s.at[mem].mem.bytes, 0x33, 2);
    memset(s.at[mem + 1].mem.bytes, 0xee, 2);
    FAILS(&s, MEM_DUPLICATE, &s.at[issue]);
    memset(s.at[mem + 1].mem.bytes, 0xcc, 2);
    PASSES(&s);
    END;
    /* LMUL 2 with stride 0: a lane stores twice to one address, in one piece each, in any order; but not
     * thrice. */
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vsetvli", 17, 0, 0xd1);
    put(&p, "vid_v", 8, 1);
    put(&p, "vsse32_v", 8, 10, 0, 1);
    put0(&p, "endprg");
    core_options o = fixture_options();
    s = run_program(&p, &o);
    PASSES(&s);
    issue = issue_of(&s, 0, "vsse32_v", 0);
    mem = of(&s, issue, KARAT_REC_MEM, 0);
    size_t second = of(&s, issue, KARAT_REC_MEM, 1);
    move(&s, second, mem);
    PASSES(&s);
    record at = take(&s, issue);
    stream_insert(&s, second + 1, &s.at[second]);
    FAILS(&s, MEM_DUPLICATE, &at);
    stream_remove(&s, second + 1);
    s.at[mem] = s.at[second]; /* the first half's data twice */
    FAILS(&s, MEM_DATA, &at);
    END;
    /* The same by v0.t of elements 0, 2, 3 and 7 alone: the lane's second access is the model's last. */
    p = (program){.num = 0};
    put_prologue(&p);
    put(&p, "vsetvli", 17, 0, 0xd1);
    put(&p, "vid_v", 8, 1);
    put(&p, "addi", 5, 0, 0x8d);
    put(&p, "vmv_v_x", 0, 5);
    put(&p, "vsrl_vv", 0, 0, 8, 1);
    put(&p, "vsse32_v", 8, 10, 0, 0);
    put0(&p, "endprg");
    s = run_program(&p, &o);
    PASSES(&s);
    at = s.at[issue_of(&s, 0, "vsse32_v", 0)];
    second = of(&s, issue_of(&s, 0, "vsse32_v", 0), KARAT_REC_MEM, 1);
    stream_insert(&s, second + 1, &s.at[second]);
    FAILS(&s, MEM_DUPLICATE, &at);
    END;
}

static void mem_unexpected_kind(void) {
    BEGIN;
    size_t load = issue_of(&s, 0, "vlw12_v", 0), mem = of(&s, load, KARAT_REC_MEM, 0);
    record r = take(&s, mem);
    s.at[mem].mem.op = KARAT_MEM_STORE;
    FAILS(&s, MEM_UNEXPECTED, &s.at[load]);
    s.at[mem] = r;
    r.mem.seq++;
    stream_insert(&s, mem, &r); /* an instruction that has not been issued */
    FAILS(&s, MEM_UNEXPECTED, &r);
    AGAIN;
    size_t issue = issue_of(&s, 0, "vmul_vv", 0);
    r.h.cycle = s.at[issue].h.cycle;
    r.mem.seq = s.at[issue].issue.seq;
    stream_insert(&s, issue + 1, &r);
    FAILS(&s, MEM_UNEXPECTED, &s.at[issue]);
    s.at[issue + 1].mem.match = KARAT_MATCH_OTHER; /* by order: nothing owes a load */
    FAILS(&s, MEM_UNEXPECTED, &r);
    AGAIN;
    size_t later = after(&s, after(&s, mem, KARAT_REC_ISSUE), KARAT_REC_ISSUE);
    r = take(&s, mem);
    r.h.cycle = s.at[later].h.cycle;
    stream_insert(&s, later, &r); /* one that has completed */
    FAILS(&s, MEM_UNEXPECTED, &s.at[load]);
    END;
}

static void mem_missing_kind(void) {
    BEGIN;
    size_t issue = issue_of(&s, 0, "vsw12_v", 0), mem = of(&s, issue, KARAT_REC_MEM, 0);
    record at = take(&s, issue);
    s.at[mem].mem.bytes[1] = 0xf7; /* one byte of lane 2: found at BYE, in the warp that the slot held then */
    FAILS(&s, MEM_MISSING, &at);
    AGAIN;
    stream_remove(&s, mem);
    FAILS(&s, MEM_MISSING, &at);
    AGAIN;
    size_t launch = nth(&s, KARAT_REC_LAUNCH, 2); /* after EXIT, and after the slot's next LAUNCH: legal */
    assert_int_equal(s.at[launch].h.slot, 0);
    size_t exit = after(&s, issue, KARAT_REC_EXIT);
    move(&s, mem, exit + 1);
    PASSES(&s);
    move(&s, exit, launch + 3);
    PASSES(&s);
    move(&s, launch + 2, s.num - 1);
    PASSES(&s);
    END;
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
        END;
    }
    issue = issue_of(&s, s.at[nth(&s, KARAT_REC_LAUNCH, 0)].h.slot, "vsw12_v", 0);
    at = take(&s, issue);
    stream_remove(&s, of(&s, issue, KARAT_REC_MEM, 0));
    FAILS(&s, MEM_MISSING, &at);
    END;
}

/* --- Barriers and the end --- */

static size_t release_after(const stream *s, size_t i) {
    while (s->at[i].h.kind != KARAT_REC_BARRIER || s->at[i].barrier.action != KARAT_BARRIER_RELEASE)
        i++;
    return i;
}

/* Many barriers one after the other: each is released when all have come to it, not before. */
static void barrier_after_barrier(void) {
    program p = {.num = 0};
    for (int i = 0; i < 6; i++)
        put(&p, "barrier", 0);
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.workgroups = 1;
    o.wg_size = o.num_warp = 3;
    stream s = run_program(&p, &o);
    PASSES(&s);
    END;
    for (uint32_t i = 0; i < 6; i++) {
        s = run_program(&p, &o);
        size_t last = 0;
        for (uint32_t slot = 0; slot < 3; slot++) {
            size_t arrive = of(&s, issue_of(&s, slot, "barrier", i), KARAT_REC_BARRIER, 0);
            last = arrive > last ? arrive : last;
        }
        size_t release = last;
        while (s.at[release].barrier.action != KARAT_BARRIER_RELEASE ||
               s.at[release].h.kind != KARAT_REC_BARRIER)
            release++;
        uint32_t early = s.at[last].h.slot ? 0 : 1;
        record at = take(&s, issue_of(&s, early, "barrier", i)), r = take(&s, release);
        r.h.cycle = s.at[last].h.cycle;
        r.barrier.warps = 1u << early;
        stream_insert(&s, last, &r);
        FAILS(&s, BARRIER_EARLY, &at);
        END;
    }
    o.release_singly = true; /* and the first come again while the last wait to be let go */
    o.max_delay = 3;
    for (o.seed = 1; o.seed < 30; o.seed++) {
        s = run_program(&p, &o);
        PASSES(&s);
        END;
    }
}

static void barrier_early_kind(void) {
    barrier_after_barrier();
    BEGIN;
    size_t first = nth(&s, KARAT_REC_BARRIER, 0), release = release_after(&s, first);
    record early = take(&s, release), at = take(&s, issue_of(&s, s.at[first].h.slot, "barrier", 0));
    early.h.cycle = s.at[first].h.cycle;
    early.barrier.warps = 1u << s.at[first].h.slot;
    stream_insert(&s, first + 1, &early);
    FAILS(&s, BARRIER_EARLY, &at);
    AGAIN;
    record half = take(&s, release); /* one by one: legal */
    half.barrier.warps = 1;
    s.at[release].barrier.warps = 2;
    stream_insert(&s, release, &half);
    PASSES(&s);
    /* Warp 0 is released, comes to the next barrier and is released from it, all before warp 1 has been let
     * go. */
    stream early_bird = stream_copy(&s);
    cut(&early_bird, release + 1);
    size_t arrive = of(&s, issue_of(&s, 0, "barrier", 1), KARAT_REC_BARRIER, 0);
    for (size_t i = release + 2; i <= arrive; i++)
        if (s.at[i].h.slot == 0)
            stream_add(&early_bird, &s.at[i], sizeof s.at[i]);
    at = take(&s, issue_of(&s, 0, "barrier", 1));
    half.h.cycle = s.at[arrive].h.cycle;
    stream_add(&early_bird, &half, sizeof half);
    FAILS(&early_bird, BARRIER_EARLY, &at);
    stream_free(&early_bird);
    END;
}

static void barrier_unexpected_kind(void) {
    BEGIN;
    size_t arrive = nth(&s, KARAT_REC_BARRIER, 0), issue = issue_of(&s, s.at[arrive].h.slot, "barrier", 0);
    stream_insert(&s, arrive, &s.at[arrive]);
    FAILS(&s, BARRIER_UNEXPECTED, &s.at[issue]);
    AGAIN;
    size_t release = release_after(&s, arrive);
    record warp = take(&s, nth(&s, KARAT_REC_LAUNCH, 0));
    stream_insert(&s, release, &s.at[release]);
    FAILS(&s, BARRIER_UNEXPECTED, &warp);
    AGAIN;
    size_t load = issue_of(&s, 0, "vlw12_v", 0);
    record r = take(&s, arrive);
    r.h = s.at[load].h;
    r.h.kind = KARAT_REC_BARRIER;
    r.barrier.seq = s.at[load].issue.seq;
    stream_insert(&s, load + 1, &r);
    FAILS(&s, BARRIER_UNEXPECTED, &s.at[load]);
    END;
}

static void barrier_missing_kind(void) {
    BEGIN;
    for (size_t i = s.num; i-- > 0;) /* a core whose BARRIER does nothing at all */
        if (s.at[i].h.kind == KARAT_REC_BARRIER)
            stream_remove(&s, i);
    size_t last = issue_of(&s, 1, "barrier", 0), first = issue_of(&s, 0, "barrier", 0);
    record at = take(&s, after(&s, last, KARAT_REC_ISSUE) < after(&s, first, KARAT_REC_ISSUE) ? last : first);
    FAILS(&s, BARRIER_MISSING, &at);
    END;
}

static void exit_unexpected_kind(void) {
    BEGIN;
    size_t exit = nth(&s, KARAT_REC_EXIT, 0);
    record early = take(&s, exit);
    size_t issue = issue_of(&s, early.h.slot, "vmul_vv", 0);
    early.h.cycle = s.at[issue].h.cycle;
    stream_insert(&s, issue + 1, &early);
    FAILS(&s, EXIT_UNEXPECTED, &s.at[issue]);
    AGAIN;
    stream_insert(&s, exit, &s.at[exit]);
    FAILS(&s, EXIT_UNEXPECTED, &s.at[issue_of(&s, early.h.slot, "endprg", 0)]);
    END;
}

static void exit_missing_kind(void) {
    BEGIN;
    size_t exit = nth(&s, KARAT_REC_EXIT, 3);
    record at = take(&s, issue_of(&s, ANY, "endprg", 3));
    assert_int_equal(at.h.slot, s.at[exit].h.slot);
    stream_remove(&s, exit);
    FAILS(&s, EXIT_MISSING, &at); /* the test bench says that all is done */
    s.at[s.num - 1].bye.reason = KARAT_BYE_CYCLE_LIMIT;
    FAILS(&s, INCOMPLETE, NULL);
    AGAIN;
    exit = nth(&s, KARAT_REC_EXIT, 0); /* earlier, its slot's next LAUNCH finds it first */
    stream_remove(&s, exit);
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 0)]);
    END;
}

/* --- The program, time, and too little --- */

/* The core would do something undefined: its stream up to there, and the ISSUE of that instruction. */
static stream erring(const program *p, const core_options *o, uint32_t word_index) {
    program legal = *p;
    legal.num = word_index;
    put0(&legal, "endprg");
    stream s = run_program(&legal, o);
    /* The memory of both models is to hold the real program. */
    for (size_t i = 0; i < s.num; i++) {
        if (s.at[i].h.kind == KARAT_REC_REGION)
            s.at[i].region.hash_valid = 0;
        if (s.at[i].h.kind == KARAT_REC_HOST && s.at[i].host.addr == CODE_BASE) {
            s.at[i].host.length = 4 * p->num;
            memcpy(s.at[i].host.data, p->word, 4 * p->num);
        }
    }
    size_t end = issue_of(&s, 0, "endprg", 0);
    s.at[end].issue.word = p->word[word_index];
    cut(&s, end + 1);
    return s;
}

static void program_kind(void) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    static const struct {
        const char *what;
        uint32_t word;
    } errors[] = {
        {"illegal instruction", 0xffffffff},
        {"illegal instruction", 0xc0002073},                                        /* csrr x0, cycle */
        {"misaligned access: lane 0, address 0x90000002", 0x00252283},              /* lw x5, 2(x10) */
        {"access to an unmapped address: lane 0, address 0x00000000", 0x00002283}}; /* lw x5, 0(x0) */
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        program p = {.num = 0};
        put_prologue(&p);
        p.word[p.num++] = errors[i].word;
        stream s = erring(&p, &o, p.num - 1);
        FAILS(&s, PROGRAM, &s.at[s.num - 1]);
        outcome out = judge(&s);
        assert_non_null(strstr(out.text, errors[i].what));
        assert_null(strstr(out.text, "lane -1"));
        outcome_free(&out);
        stream_free(&s);
    }
    /* A vector instruction where vtype is illegal: it reads nothing, and would have read v1. */
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vsetivli", 0, 4, 0x2d0);
    put(&p, "vadd_vv", 8, 1, 1, 1);
    stream s = erring(&p, &o, p.num - 1);
    FAILS(&s, PROGRAM, &s.at[s.num - 1]);
    outcome out = judge(&s);
    assert_non_null(strstr(out.text, "  producer  v1   seq 11  "));
    outcome_free(&out);
    stream_free(&s);

    /* A scalar register that there is none of: nothing is said of who has written it. */
    p.num = 0;
    put_prologue(&p);
    put(&p, "regext", 0, 0, 4, 0);
    put(&p, "addi", 5, 20, 1);
    s = erring(&p, &o, p.num - 2);
    record *issue = &s.at[s.num - 1];
    issue->issue.pc += 4;
    issue->issue.prefix = issue->issue.word;
    issue->issue.prefix_kind = KARAT_PREFIX_WORD;
    issue->issue.word = p.word[p.num - 1];
    FAILS(&s, PROGRAM, issue);
    out = judge(&s);
    assert_non_null(strstr(out.text, "addi x5, x148, 1"));
    assert_null(strstr(out.text, "  producer"));
    outcome_free(&out);
    stream_free(&s);

    p.num = 0; /* a jump to where nothing is mapped */
    put(&p, "jalr", 0, 0x100, 0);
    put0(&p, "endprg");
    program legal = p;
    put_jump(&legal, 0, 1);
    s = run_program(&legal, &o);
    for (size_t i = 0; i < s.num; i++) {
        if (s.at[i].h.kind == KARAT_REC_REGION)
            s.at[i].region.hash_valid = 0;
        if (s.at[i].h.kind == KARAT_REC_HOST && s.at[i].host.addr == CODE_BASE)
            memcpy(s.at[i].host.data, p.word, 4 * p.num);
        if (s.at[i].h.kind == KARAT_REC_ISSUE && s.at[i].issue.seq == 0)
            s.at[i].issue.word = p.word[0];
    }
    size_t reads = nth(&s, KARAT_REC_ISSUE, 1);
    s.at[reads].issue.pc = 0x100;
    record there = take(&s, reads);
    there.issue.word = 0; /* the model has read no word there, so none is compared */
    FAILS(&s, PROGRAM, &there);
    stream_free(&s);
}

static void undefined_kind(void) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.regs = KARAT_REGS_UNKNOWN;
    o.audit_percent = 0;
    o.uncounted = true;
    o.gives &= ~(1u << KARAT_REC_READ); /* with READs the values are known: test_check_undefined.c */
    program p = {.num = 0};
    put_prologue(&p);
    uint32_t start = p.num;
    /* What decides: a branch, an address, a CSR, a mask. */
    put(&p, "beq", 20, 0, 4);
    put(&p, "lw", 13, 0, 20);
    put(&p, "vlw12_v", 8, 0, 20);
    put(&p, "csrrw", 13, 0x80b, 20);
    put(&p, "vbeq", 20, 1, 4);
    put(&p, "vadd_vv", 8, 1, 1, 0); /* v0: see below */
    for (uint32_t i = start; i < p.num; i++) {
        program one = p;
        one.word[start] = p.word[i];
        one.num = start + 1;
        one.word[start - 1] =
            p.word[start - 2]; /* without its last instruction, the prologue leaves v0 alone */
        stream s = erring(&one, &o, start);
        FAILS(&s, UNDEFINED, &s.at[s.num - 1]);
        stream_free(&s);
    }
    /* The core's value as data is adopted. */
    p.num = start - 1; /* v0 is not written */
    put(&p, "add", 13, 20, 6);
    put(&p, "vadd_vv", 8, 20, 1, 1);
    put(&p, "vadd_vx", 9, 8, 13, 1);
    put(&p, "vmerge_vvm", 12, 8, 1, 0); /* v0 is data here */
    put(&p, "vmseq_vi", 0, 1, 0, 1);
    put(&p, "vadd_vv", 22, 1, 1, 0); /* lane 0 is written, */
    put(&p, "vmv_x_s", 14, 22);      /* and the highest lane is what this takes */
    put(&p, "vsw12_v", 21, 0, 3);
    put(&p, "vlw12_v", 10, 0, 3);
    put(&p, "vadd_vv", 11, 10, 1, 1);
    put0(&p, "endprg");
    stream s = run_program(&p, &o);
    outcome out = judge(&s);
    assert_int_equal(out.verdict, KARAT_PASS);
    assert_int_equal(count_of(&out, "undefined"),
                     5); /* what depends on them in turn has the core's values by then */
    assert_int_equal(count_of(&out, "adopted"), 5);
    outcome_free(&out);
    /* Once adopted it is compared: where the undefined value reappears, it must be the same. */
    size_t issue = issue_of(&s, 0, "vadd_vx", 2), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.data[1] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    stream_free(&s);
    s = run_program(&p, &o);
    issue = issue_of(&s, 0, "vlw12_v", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    s.at[write].write.data[2] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    stream_free(&s);
    /* By AUDIT: the first one is believed, the next must say the same; so it is while a write of the register
     * is pending, and after it in the lanes that it leaves alone. */
    s = run_program(&p, &o);
    write = of(&s, issue_of(&s, 0, "add", 3), KARAT_REC_WRITE, 0);
    record audit = {.audit = {.h = s.at[write].h, .regno = 13, .mask = 1, .data = {77}}}, again = audit;
    audit.h.kind = again.h.kind = KARAT_REC_AUDIT;
    again.audit.data[0] = 78;
    for (size_t k = 0; k < 2; k++) { /* with the write pending; and long before it */
        size_t place = k ? nth(&s, KARAT_REC_ISSUE, 1) : write;
        audit.h.cycle = again.h.cycle = s.at[place].h.cycle;
        stream_insert(&s, place, &audit);
        stream_insert(&s, place, &audit);
        outcome o1 = judge(&s);
        assert_int_equal(o1.verdict, KARAT_PASS);
        outcome_free(&o1);
        s.at[place] = again;
        FAILS(&s, AUDIT, &again);
        stream_remove(&s, place);
        stream_remove(&s, place);
    }
    stream_free(&s);
}

/* All warps have ended, and neither BYE nor a further KERNEL comes: the core has not said that it is done. */
static void end_not_told(void) {
    BEGIN;
    cut(&s, s.num - 1);
    uint64_t last = 0;
    for (size_t i = 0; i < s.num; i++)
        if (s.at[i].h.kind == KARAT_REC_EXIT)
            last = s.at[i].h.cycle;
    karat_checker *c = replay(&s, NULL);
    assert_false(karat_checker_tick(c, last + HANG_CYCLES));
    assert_int_equal(karat_checker_verdict(c), KARAT_INCOMPLETE);
    karat_checker_destroy(c);
    FAILS_AT(&s, last + HANG_CYCLES + 1, HANG, NULL);
    AGAIN;
    s.at[s.num - 1].h.cycle +=
        2 * HANG_CYCLES; /* told late, but told: nothing is wrong with the core's work */
    PASSES(&s);
    END;
}

static void hang_kind(void) {
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    stream s = run_fixture(&o);
    size_t issue = issue_of(&s, 0, "vmul_vv", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    uint64_t cycle = s.at[issue].h.cycle;
    record at = take(&s, issue);
    cut(&s, write); /* it owes a write */
    FAILS_AT(&s, cycle + HANG_CYCLES + 5, HANG, &at);
    END;
    end_not_told();
}

static void bench_kind(void) {
    BEGIN;
    record bye = take(&s, s.num - 1);
    cut(&s, s.num - 1);
    karat_checker *c = replay(&s, NULL);
    assert_true(karat_checker_object(c, bye.h.cycle, "assertion failed: a.sv:7"));
    assert_true(karat_checker_record(c, &bye, sizeof bye.bye)); /* the verdict stands */
    outcome o = conclude(c);
    assert_int_equal(o.verdict, KARAT_MISMATCH);
    assert_non_null(strstr(o.text, "assertion failed: a.sv:7"));
    assert_non_null(strstr(o.line, karat_failure_name(FAIL_BENCH)));
    outcome_free(&o);
    c = replay(&s, NULL);
    assert_true(karat_checker_record(c, &bye, sizeof bye.bye));
    karat_checker_object(c, bye.h.cycle, "too late");
    assert_int_equal(karat_checker_verdict(c), KARAT_PASS); /* what stands is not changed */
    karat_checker_destroy(c);
    END;
}

static void incomplete_kind(void) {
    BEGIN;
    record bye = take(&s, s.num - 1);
    cut(&s, nth(&s, KARAT_REC_LAUNCH, 2));
    stream_add(&s, &bye, sizeof bye);
    s.at[s.num - 1].h.cycle = s.at[s.num - 2].h.cycle; /* the second workgroup never ran */
    FAILS(&s, INCOMPLETE, NULL);
    AGAIN;
    s.at[s.num - 1].bye.reason = KARAT_BYE_ABORT;
    FAILS(&s, INCOMPLETE, NULL);
    AGAIN;
    size_t store = nth(&s, KARAT_REC_MEM, 0); /* what a run that stops still owes is no error of the core's */
    for (size_t i = store + 1; i < s.num; i++)
        if (s.at[i].h.kind == KARAT_REC_MEM && s.at[i].mem.op == KARAT_MEM_STORE)
            store = i;
    record owing = take(&s, store);
    for (size_t i = 0; i < s.num; i++)
        if (s.at[i].h.kind == KARAT_REC_ISSUE && s.at[i].h.slot == owing.h.slot &&
            s.at[i].h.epoch == owing.h.epoch && s.at[i].issue.seq == owing.mem.seq)
            owing = take(&s, i);
    stream_remove(&s, store);
    FAILS(&s, MEM_MISSING, &owing);
    for (uint32_t reason = KARAT_BYE_CYCLE_LIMIT; reason <= KARAT_BYE_ABORT + 1; reason++) {
        s.at[s.num - 1].bye.reason = reason;
        FAILS(&s, INCOMPLETE, NULL);
    }
    AGAIN;
    s.at[s.num - 1].bye.reason = KARAT_BYE_CYCLE_LIMIT; /* nothing is owed, and yet */
    FAILS(&s, INCOMPLETE, NULL);
    AGAIN;
    cut(&s, 1);
    stream_add(&s, &bye, sizeof bye); /* no kernel */
    FAILS(&s, INCOMPLETE, NULL);
    END;
}

/* --- One test for each kind, and no kind without a test --- */

#define KIND(id, function) [FAIL_##id] = function
static void (*const tests[FAIL_KINDS])(void) = {
    KIND(STREAM, stream_kind),
    KIND(STRAY, stray_kind),
    KIND(LAUNCH, launch_kind),
    KIND(ISSUE_PC, issue_pc_kind),
    KIND(ISSUE_WORD, issue_word_kind),
    KIND(ISSUE_PREFIX, issue_prefix_kind),
    KIND(ISSUE_MASK, issue_mask_kind),
    KIND(ISSUE_SEQ, issue_seq_kind),
    KIND(ISSUE_ENDED, issue_ended_kind),
    KIND(ISSUE_BARRIER, issue_barrier_kind),
    KIND(READ, read_kind),
    KIND(WRITE_VALUE, write_value_kind),
    KIND(WRITE_REGISTER, write_register_kind),
    KIND(WRITE_LANES, write_lanes_kind),
    KIND(WRITE_UNEXPECTED, write_unexpected_kind),
    KIND(WRITE_DUPLICATE, write_duplicate_kind),
    KIND(WRITE_ORDER, write_order_kind),
    KIND(WRITE_MISSING, write_missing_kind),
    KIND(AUDIT, audit_kind),
    KIND(SIMT, simt_kind),
    KIND(SIMT_UNEXPECTED, simt_unexpected_kind),
    KIND(SIMT_MISSING, simt_missing_kind),
    KIND(CSR, csr_kind),
    KIND(CSR_UNEXPECTED, csr_unexpected_kind),
    KIND(CSR_MISSING, csr_missing_kind),
    KIND(MEM_DATA, mem_data_kind),
    KIND(MEM_ADDRESS, mem_address_kind),
    KIND(MEM_LANES, mem_lanes_kind),
    KIND(MEM_SPACE, mem_space_kind),
    KIND(MEM_DUPLICATE, mem_duplicate_kind),
    KIND(MEM_UNEXPECTED, mem_unexpected_kind),
    KIND(MEM_MISSING, mem_missing_kind),
    KIND(MEM_ORDER, mem_order_kind),
    KIND(PRINT, print_kind),
    KIND(PRINT_UNEXPECTED, print_unexpected_kind),
    KIND(PRINT_MISSING, print_missing_kind),
    KIND(BARRIER_EARLY, barrier_early_kind),
    KIND(BARRIER_UNEXPECTED, barrier_unexpected_kind),
    KIND(BARRIER_MISSING, barrier_missing_kind),
    KIND(EXIT_UNEXPECTED, exit_unexpected_kind),
    KIND(EXIT_MISSING, exit_missing_kind),
    KIND(MEMORY, memory_kind),
    KIND(PROGRAM, program_kind),
    KIND(UNDEFINED, undefined_kind),
    KIND(BENCH, bench_kind),
    KIND(HANG, hang_kind),
    KIND(INCOMPLETE, incomplete_kind),
};

/* A record that says less than its kind could is named. */
static void gaps_are_named(void **state) {
    (void)state;
    static const char *const words[NUM_GAP] = {
#define DO(gap, word) word,
        KARAT_GAPS(DO)
#undef DO
    };
    for (unsigned gap = 0; gap <= NUM_GAP; gap++) { /* NUM_GAP: nothing is left out but memory at the end */
        if (gap == GAP_AMO_DATA)
            continue; /* test_check_order.c */
        BEGIN;
        s.at[0].hello.mem_order = gap == GAP_MEM_ORDER ? KARAT_ORDER_REQUEST : KARAT_ORDER_PERFORMED;
        if (gap == GAP_SEQ)
            s.at[nth(&s, KARAT_REC_WRITE, 0)].write.match = KARAT_MATCH_OTHER;
        if (gap == GAP_PREFIX)
            s.at[nth(&s, KARAT_REC_ISSUE, 3)].issue.prefix_kind = KARAT_PREFIX_UNKNOWN;
        if (gap == GAP_SPACE)
            s.at[nth(&s, KARAT_REC_MEM, 5)].mem.space = KARAT_SPACE_UNKNOWN;
        if (gap == GAP_TOP)
            for (size_t i = 0; i < s.num; i++)
                if (s.at[i].h.kind == KARAT_REC_SIMT)
                    s.at[i].simt.top_valid = 0;
        if (gap == GAP_LAUNCH_CSR)
            s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.csr_given &= ~4u;
        if (gap == GAP_RANGES)
            s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.vgpr_size = 0;
        const bool other = gap < GAP_FINAL_MEMORY;
        if (!other) /* the core says that it gives READ, and does not */
            for (size_t i = s.num; i-- > 0;)
                if (s.at[i].h.kind == KARAT_REC_READ)
                    stream_remove(&s, i);
        outcome o = judge(&s);
        char want[80]; /* nor has it audited anything */
        snprintf(want, sizeof want, " unchecked=%saudit,%s%sfinal-memory ", other ? "" : "read,",
                 other ? words[gap] : "", other ? "," : "");
        if (o.verdict != KARAT_PASS || !strstr(o.line, want))
            fail_msg("expected%s: %s\n%s", want, o.line, o.text);
        outcome_free(&o);
        END;
    }
}

/* An instruction that completed long ago, of which a record comes: the report shows what the history has of it, and nothing that it
 * has not. */
static void named_by_its_record(void **state) {
    (void)state;
    static const struct {
        const char *row, *name;
        unsigned kind;
    } told[] = {{"vlw12_v", "vlw12.v", KARAT_REC_MEM},
                {"vlw12_v", "vlw12.v", KARAT_REC_WRITE},
                {"vlw12_v", "vlw12.v", KARAT_REC_READ},
                {"csrrw", "csrrw", KARAT_REC_CSR},
                {"vblt", "vblt", KARAT_REC_SIMT}}; /* which leaves another mask */
    for (uint32_t k = 0; k < sizeof told / sizeof *told; k++) {
        BEGIN;
        const size_t load = issue_of(&s, 0, told[k].row, 0), given = of(&s, load, told[k].kind, 0);
        size_t next = load + 1;
        while (s.at[next].h.kind != KARAT_REC_ISSUE || s.at[next].h.slot || s.at[next].h.sm)
            next++;
        const uint32_t mask_after = s.at[next].issue.mask;
        record again = take(&s, given);
        const record at = take(&s, load);
        uint32_t behind = 0, shown = 0;
        for (size_t i = load + 1; i < s.num; i++) {
            if (s.at[i].h.kind != KARAT_REC_ISSUE || s.at[i].h.slot != at.h.slot ||
                s.at[i].h.epoch != at.h.epoch)
                continue;
            behind = s.at[i].issue.seq - at.issue.seq;
            again.h.cycle = s.at[i].h.cycle;
            if (behind < 12)
                continue;
            stream_insert(&s, i + 1, &again);
            outcome o = judge(&s);
            stream_remove(&s, i + 1);
            const json_t *failure = json_object_get(o.json, "failure");
            const json_t *insn = json_object_get(failure, "instruction");
            assert_int_equal(o.verdict, KARAT_MISMATCH);
            assert_true(behind < NUM_HISTORY);
            char text[64];
            snprintf(text, sizeof text, "\n  at        0x%08" PRIx32 "  %s", at.issue.pc, told[k].name);
            assert_non_null(strstr(o.text, text));
            assert_null(strstr(o.text, "issued in cycle"));
            assert_int_equal(json_integer_value(json_object_get(insn, "pc")), at.issue.pc);
            assert_int_equal(json_integer_value(json_object_get(insn, "word")), at.issue.word);
            assert_int_equal(json_integer_value(json_object_get(insn, "mask_before")), at.issue.mask);
            assert_int_equal(json_integer_value(json_object_get(insn, "mask_after")), mask_after);
            assert_null(json_object_get(insn, "issue_cycle"));
            assert_int_equal(json_array_size(json_object_get(insn, "reads")), 0);
            assert_int_equal(json_integer_value(json_object_get(json_object_get(failure, "where"), "seq")),
                             at.issue.seq);
            shown++;
            outcome_free(&o);
        }
        assert_true(shown > 0);
        END;
    }
}

static void run_kind(void **state) {
    (*(void (*const *)(void)) * state)();
}

static void every_kind_has_a_test(void **state) {
    (void)state;
    for (int kind = FAIL_NONE + 1; kind < FAIL_KINDS; kind++)
        if (!tests[kind] && kind != FAIL_NO_MEMORY) /* test_dpi_no_memory.c */
            fail_msg("no test for: %s", karat_failure_name((failure_kind)kind));
}

int run_kind_tests(void) {
    struct CMUnitTest list[FAIL_KINDS + 2];
    size_t num = 0;
    list[num++] = (struct CMUnitTest)cmocka_unit_test(gaps_are_named);
    list[num++] = (struct CMUnitTest)cmocka_unit_test(every_kind_has_a_test);
    list[num++] = (struct CMUnitTest)cmocka_unit_test(named_by_its_record);
    for (int kind = FAIL_NONE + 1; kind < FAIL_KINDS; kind++)
        if (tests[kind])
            list[num++] = (struct CMUnitTest){karat_failure_name((failure_kind)kind), run_kind, NULL, NULL,
                                              (void *)(uintptr_t)&tests[kind]};
    return _cmocka_run_group_tests("every kind of failure", list, num, NULL, NULL);
}
