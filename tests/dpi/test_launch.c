/* KERNEL and LAUNCH: grids, workgroups, CSRs, and ranges of registers and local memory. */
#include "judge.h"

#include <string.h>

/* The hardware's own number of a workgroup: any, but not that of another one on the same SM. */
static void wgid_is_unique(void) {
    core_options o = fixture_options();
    o.workgroups = 2;
    o.wg_size = 1;
    scoped_stream s = run_fixture(&o);
    size_t first = nth(&s, KARAT_REC_LAUNCH, 0), second = nth(&s, KARAT_REC_LAUNCH, 1);
    assert_true(second < nth(&s, KARAT_REC_EXIT, 0)); /* Both are there at once */
    uint32_t own = s.at[second].launch.csr[KARAT_CSR_WGID];
    s.at[second].launch.csr[KARAT_CSR_WGID] = s.at[first].launch.csr[KARAT_CSR_WGID];
    FAILS(&s, LAUNCH, &s.at[second]);
    for (int n = 0; n < 2; n++) { /* Whatever else is given */
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
}

TEST(launch_kind) {
    wgid_is_unique();
    FIXTURE;
    record at = record_at(&s, nth(&s, KARAT_REC_LAUNCH, 1));
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
    WRONG(r->warp = 0, r->warp = 1); /* A second time */
    r->warp = 0;
    scoped_outcome twice = judge(&s);
    assert_non_null(strstr(twice.text, "workgroup 0 warp 0 is launched a second time"));
    r->warp = 1;
    WRONG(r->sgpr_base -= 1, r->sgpr_base += 1);
    WRONG(r->vgpr_base -= 255, r->vgpr_base += 255);
    WRONG(r->lds_base += 4, r->lds_base -= 4); /* One workgroup has one range */
    WRONG(r->lds_size += 4, r->lds_size -= 4);
#undef WRONG
    s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.lds_size = 1023; /* The kernel asks for more */
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 0)]);
    s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.lds_size = 1024;
    /* Nearest legal: not given; neighbouring ranges; the hardware's own number of the workgroup. */
    r->csr[KARAT_CSR_TID] += 1;
    r->csr_given &= ~1u;
    PASSES(&s);
    FIXTURE_AGAIN;
    for (uint32_t i = 0; i < 2; i++)
        s.at[nth(&s, KARAT_REC_LAUNCH, i)].launch.csr[KARAT_CSR_WGID] = 77;
    PASSES(&s);
    ONCE(s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.csr[KARAT_CSR_WGID] = 78, LAUNCH,
         &s.at[nth(&s, KARAT_REC_LAUNCH, 1)]);
    for (uint32_t i = 0; i < 2; i++) { /* CSR_LDS follows the allocation */
        s.at[nth(&s, KARAT_REC_LAUNCH, i)].launch.lds_base = 64;
    }
    PASSES(&s);
    FIXTURE_AGAIN;
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.sgprs = 64; /* As many as allocated; all of them are legal */
    s.at[nth(&s, KARAT_REC_KERNEL, 0)].kernel.vgprs = 256;
    PASSES(&s);
    s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch.sgpr_size = 63;
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 1)]);
    s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch.sgpr_size = 64;
    s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch.vgpr_size = 255;
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, 1)]);
    FIXTURE_AGAIN;
    size_t exit = nth(&s, KARAT_REC_EXIT, 0); /* The slot's next launch while its warp is live */
    at = record_at(&s, exit);
    move(&s, nth(&s, KARAT_REC_LAUNCH, 2), exit);
    FAILS(&s, LAUNCH, &at);
    stream_free(&s);

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
    s.at[i].h.sm ^= 1; /* Its other warp is on the other SM */
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
    for (uint32_t i = 0; i < 3; i++) { /* Warp 0 of each workgroup comes and goes; their others never come */
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
}

static stream without_allocation(void) {
    core_options o = fixture_options();
    o.allocation = false;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    return run_fixture(&o);
}

TEST(kernels_that_do_not_fit) {
    scoped_stream s = without_allocation();
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
    k->grid[0] = 1u << 23; /* Fits, and its warps do not end */
    SAYS(&s, INCOMPLETE, "4 of 16777216 warps of kernel 0 have ended");
}

TEST(next_kernel_too_early) {
    scoped_stream s = fixture();
    size_t kernel = nth(&s, KARAT_REC_KERNEL, 0), issue = nth(&s, KARAT_REC_ISSUE, 20);
    record next = s.at[kernel];
    next.kernel.index = 1;
    next.kernel.num_region = 0;
    next.h.cycle = s.at[issue].h.cycle;
    stream_insert(&s, issue, &next);
    SAYS(&s, EXIT_MISSING, "the next kernel starts while");
    cut(&s, kernel + 1);
    next.h.cycle = s.at[kernel].h.cycle;
    stream_insert(&s, kernel + 1, &next); /* No warp was launched */
    FAILS(&s, EXIT_MISSING, NULL);
}

/* Ranges of no size are nowhere. */
TEST(empty_ranges) {
    scoped_stream s = fixture();
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
}

/* A LAUNCH that leaves out one of its ranges is a gap; local memory that the kernel has not is none. */
TEST(left_out_ranges) {
    static const char gap[] = ",ranges";
    for (int lds = 0; lds < 2; lds++)
        for (uint32_t left_out = 0; left_out < 4; left_out++) {
            scoped_stream s = fixture();
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
            scoped_outcome o = judge(&s);
            assert_int_equal(strstr(o.line, gap) != NULL, left_out == 3 ? lds : left_out != 0);
        }
}

/* CSR_LDS: what the kernel says, or that much after the allocation's base; one for the workgroup. */
TEST(lds_csr) {
    scoped_stream s = fixture();
    for (uint32_t n = 0; n < 4; n++) {
        karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, n)].launch;
        const karat_rec_launch was = *r;
        assert_true(r->csr_given >> KARAT_CSR_LDS & 1 && r->lds_size);
        r->csr[KARAT_CSR_LDS] += 4;
        SAYS(&s, LAUNCH, "CSR lds is 0x7");
        r->csr[KARAT_CSR_LDS] = was.csr[KARAT_CSR_LDS] - 2 * was.lds_base - 4;
        SAYS(&s, LAUNCH, "; the kernel requires 0x7");
        *r = was;
        r->csr[KARAT_CSR_LDS] += 64; /* A base without a range is none */
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
    scoped_checker *c = replay(&s, NULL);
    assert_string_not_equal(kind_of(c), "LAUNCH");
    /* A later warp has its workgroup's value, not the kernel's. */
    const karat_rec_launch *first = &s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch;
    uint32_t n = 1;
    while (s.at[nth(&s, KARAT_REC_LAUNCH, n)].launch.workgroup != first->workgroup)
        n++;
    karat_rec_launch *later = &s.at[nth(&s, KARAT_REC_LAUNCH, n)].launch;
    later->csr[KARAT_CSR_LDS] -= later->lds_base;
    SAYS(&s, LAUNCH, "CSR lds is 0x7");
    FAILS(&s, LAUNCH, &s.at[nth(&s, KARAT_REC_LAUNCH, n)]);
}

/* The hardware's number of a workgroup is its own on an SM, where it is given. */
TEST(wgids) {
    core_options o = fixture_options();
    o.own_wgid = true;
    o.workgroups = 2;
    o.wg_size = 1;
    o.num_warp = 2;
    o.gives &= ~(1u << KARAT_REC_AUDIT);
    program p = begin_program("endprg");
    scoped_stream s = run_program(&p, &o);
    karat_rec_launch *r[2] = {&s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch,
                              &s.at[nth(&s, KARAT_REC_LAUNCH, 1)].launch};
    assert_true(nth(&s, KARAT_REC_LAUNCH, 1) < nth(&s, KARAT_REC_EXIT, 0));
    PASSES(&s);
    const uint32_t first = r[0]->csr[KARAT_CSR_WGID];
    r[1]->csr[KARAT_CSR_WGID] = first;
    SAYS(&s, LAUNCH, ", as that of workgroup 0, which runs on this SM too");
    for (uint32_t given = 0; given < 3; given++) { /* By one of them, or none */
        for (uint32_t n = 0; n < 2; n++) {
            r[n]->csr_given &= ~(1u << KARAT_CSR_WGID);
            r[n]->csr_given |= (uint32_t)(given == n) << KARAT_CSR_WGID;
            r[n]->csr[KARAT_CSR_WGID] = n; /* As the kernel would number them */
        }
        r[1]->csr[KARAT_CSR_WGID] = 0;
        scoped_checker *c = replay(&s, NULL);
        assert_string_not_equal(kind_of(c), "LAUNCH");
    }
}

/* An omission in LAUNCH is a gap where the core provides LAUNCH, whatever else it provides; so of ISSUE. */
TEST(gaps_of_launches) {
    for (uint32_t gives = 0; gives < 4; gives++) {
        core_options o = fixture_options();
        o.csr_unknown = o.prefix_unknown = true;
        o.allocation = false;
        o.gives &= ~(gives & 1 ? 0 : 1u << KARAT_REC_LAUNCH) & ~(gives & 2 ? 0 : 1u << KARAT_REC_ISSUE);
        scoped_stream s = run_fixture(&o);
        scoped_checker *c = replay(&s, NULL);
        assert_int_equal(karat_checker_verdict(c), KARAT_PASS);
        assert_int_equal(is_unchecked(c, "launch-csr"), gives & 1);
        assert_int_equal(is_unchecked(c, "ranges"), gives & 1);
        assert_int_equal(is_unchecked(c, "prefix"), gives >> 1);
    }
}

/* A grid that goes on in any direction: what each launch's CSRs are. */
TEST(grids_of_three) {
    static const uint32_t grids[][3] = {{6, 1, 1}, {1, 6, 1}, {1, 1, 6}, {2, 3, 1}, {1, 2, 3}, {3, 1, 2}};
    program p = {.num = 0};
    put_code(&p, "addi 13 0 1; endprg");
    core_options o = core_default();
    o.workgroups = 6;
    o.uncounted = true;
    scoped_stream s = run_program(&p, &o);
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
                r->csr[8 + k] = at[k]; /* Gdx, gdy, gdz */
        }
        PASSES(&s);
        for (unsigned k = 0; k < 3; k++) {
            karat_rec_launch *r = &s.at[nth(&s, KARAT_REC_LAUNCH, 9)].launch;
            r->csr[8 + k] ^= 1;
            scoped_outcome out = judge(&s);
            assert_int_equal(out.verdict, KARAT_MISMATCH);
            assert_non_null(strstr(out.line, text_of_kind("LAUNCH")));
            r->csr[8 + k] ^= 1;
        }
    }
}

RUN_TESTS("launch")
