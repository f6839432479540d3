/* Memory accesses of v2.03: PRE_M_*, the loads and stores of the D forms, LD and SD, and the A extension at 64-bit addresses. */
#include "step.h"

enum { DEFAULT, GLOBAL, PRIVATE, LOCAL };

/* PRE_M_* by its bits: 31:20 extensions, 19 pair, 18:15 hint, 14:9 zero, 8:3 {00, space, words - 1}, 2:0 110. */
static uint32_t pre_m(unsigned space, unsigned words, unsigned pair, unsigned hint) {
    return pair << 19 | hint << 15 | space << 5 | (words - 1) << 3 | 6;
}

static uint32_t pre_m_ext(unsigned words, unsigned x3, unsigned x2, unsigned x1, unsigned xd) {
    return (x3 << 9 | x2 << 6 | x1 << 3 | xd) << 20 | pre_m(DEFAULT, words, 0, 0);
}

/* Words of a memory area: word i is first + i. */
static void fill(rig *r, uint64_t addr, uint32_t num, uint32_t first) {
    for (uint32_t i = 0; i < num; i++)
        set_word(r, addr + 4 * i, first + i);
}

static void words(void **unused) {
    (void)unused;
    static const char *const names[] = {
        "pre_m_32",         "pre_m_64",         "pre_m_96",         "pre_m_128",
        "pre_m_global_32",  "pre_m_global_64",  "pre_m_global_96",  "pre_m_global_128",
        "pre_m_private_32", "pre_m_private_64", "pre_m_private_96", "pre_m_private_128",
        "pre_m_local_32",   "pre_m_local_64",   "pre_m_local_96",   "pre_m_local_128"};
    rig r;
    rig_open_v203(&r, 4);
    for (unsigned i = 0; i < 16; i++) {
        const uint32_t word = pre_m(i / 4, i % 4 + 1, 1, 9) | 0x12300000;
        assert_int_equal(karat_decode(KARAT_V203, word, NULL), karat_find_row(names[i]));
        const karat_prefix p = karat_prefix_of(word);
        assert_true(p.memory && p.pair);
        assert_int_equal(p.space, i / 4);
        assert_int_equal(p.words, i % 4 + 1);
        assert_int_equal(p.hint, 9);
        assert_int_equal(p.x3 << 9 | p.x2 << 6 | p.x1 << 3 | p.xd, 0x123);
        /* A word that each moves: private and local memory are mapped at 0 here. */
        set_x(&r, 5, i / 4 < PRIVATE ? DATA : 0x100);
        r.desc.csr[KARAT_CSR_PDS] = DATA;
        r.desc.csr[KARAT_CSR_LDS] = LDS;
        launch(&r);
        set_x(&r, 5, i / 4 < PRIVATE ? DATA : 0x100);
        for (uint32_t k = 0; k < 4; k++)
            set_x(&r, 10 + k, 100 + k);
        do_prefixed(&r, pre_m(i / 4, i % 4 + 1, 0, 0), OP("sw", 10, 0, 5));
        assert_int_equal(r.commit.mem.words, i % 4 + 1);
        assert_int_equal(r.commit.mem.num, i % 4 + 1);
        do_prefixed(&r, pre_m(i / 4, i % 4 + 1, 0, 0), OP("lw", 20, 0, 5));
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(get_x(&r, 20 + k), k <= i % 4 ? 100 + k : 0);
    }
    assert_false(karat_is_prefix(KARAT_V203, 0x00000206)); /* bit 9 */
    assert_false(karat_is_prefix(KARAT_V203, 0x00004006)); /* bit 14 */
    assert_false(karat_is_prefix(KARAT_V203, 0x00000086)); /* bit 7: OPCODE6 starts with 00 */
    assert_false(karat_is_prefix(KARAT_V202, 0x00000006));
    rig_close(&r);
}

static void scalar_words(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    fill(&r, DATA + 0x100, 8, 0x1000);
    set_x(&r, 5, DATA + 0x104);
    for (unsigned reg = 10; reg < 16; reg++)
        set_x(&r, reg, 9);
    do_prefixed(&r, pre_m(DEFAULT, 3, 0, 5),
                OP("lw", 11, -4, 5)); /* odd data registers are as good as even ones */
    static const uint32_t loaded[] = {9, 0x1000, 0x1001, 0x1002, 9, 9};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(get_x(&r, 10 + i), loaded[i]);
    const karat_commit *c = &r.commit;
    assert_int_equal(c->width, 32);
    assert_int_equal(c->num_reads, 1);
    assert_int_equal(c->num_writes, 3);
    assert_true(c->has_mem);
    assert_int_equal(c->mem.op, KARAT_LOAD);
    assert_int_equal(c->mem.words, 3);
    assert_int_equal(c->mem.hint, 5);
    assert_int_equal(c->mem.wide_address, 0);
    assert_int_equal(c->mem.space, KARAT_GLOBAL);
    assert_int_equal(c->mem.num, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(c->write[i].reg, 11 + i);
        assert_int_equal(c->write[i].old[0], 9);
        assert_int_equal(karat_mem_access(&c->mem, i).addr, DATA + 0x100 + 4 * i);
        assert_int_equal(karat_mem_access(&c->mem, i).value, 0x1000 + i);
        assert_int_equal(karat_mem_access(&c->mem, i).bytes, 4);
        assert_int_equal(karat_mem_access(&c->mem, i).lane, 0);
        assert_int_equal(karat_mem_access(&c->mem, i).reg, i);
    }
    /* The first word of a load to x0 is lost. */
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("lw", 0, 0, 5));
    assert_int_equal(get_x(&r, 0), 0);
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(get_x(&r, i), 0x1001 + i);
    assert_int_equal(r.commit.num_writes, 3);
    assert_int_equal(r.commit.mem.num, 4);
    /* Stores take x0 as 0. */
    set_x(&r, 1, 0x55);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 15), OP("sw", 0, 0x20, 5));
    assert_int_equal(get_word(&r, DATA + 0x124), 0);
    assert_int_equal(get_word(&r, DATA + 0x128), 0x55);
    assert_int_equal(c->num_reads, 3);
    assert_int_equal(c->read[0].reg, 5);
    assert_int_equal(c->read[1].reg, 0);
    assert_int_equal(c->read[2].reg, 1);
    assert_int_equal(c->read[2].source, 2);
    assert_int_equal(c->read[2].part, 1);
    assert_int_equal(c->mem.hint, 15);
    assert_int_equal(karat_mem_access(&c->mem, 1).old, 0);
    /* Register extensions; a base that a load overwrites. */
    set_x(&r, 37, DATA + 0x100);
    do_prefixed(&r, pre_m_ext(2, 0, 0, 1, 1), OP("lw", 4, 0, 5));
    assert_int_equal(get_x(&r, 36), 0x1000);
    assert_int_equal(get_x(&r, 37), 0x1001);
    /* Narrower accesses move what they always do. */
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 3), OP("lhu", 10, 4, 5));
    assert_int_equal(get_x(&r, 10), 0x1002);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.mem.num, 1);
    assert_int_equal(r.commit.mem.words, 1);
    assert_int_equal(r.commit.mem.hint, 3);
    do_prefixed(&r, pre_m(GLOBAL, 4, 0, 0), OP("sb", 1, 0x30, 5));
    assert_int_equal(get_word(&r, DATA + 0x134), 0x55);
    assert_int_equal(r.commit.mem.num, 1);
    rig_close(&r);
}

static void lane_words(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    fill(&r, DATA, 64, 0);
    ramp_v(&r, 2, DATA, 32);
    for (unsigned reg = 3; reg < 8; reg++)
        splat_v(&r, reg, 99);
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("vlw12.v", 3, 4, 2));
    for (unsigned w = 0; w < 4; w++)
        EXPECT_V(&r, 3 + w, 1 + w, 9 + w, 17 + w, 25 + w);
    EXPECT_V(&r, 7, 99, 99, 99, 99);
    const karat_commit *c = &r.commit;
    assert_int_equal(c->num_writes, 4);
    assert_int_equal(c->mem.num, 16);
    for (unsigned i = 0; i < 16; i++) { /* a lane's words one after the other, lane by lane */
        assert_int_equal(karat_mem_access(&c->mem, i).lane, i / 4);
        assert_int_equal(karat_mem_access(&c->mem, i).reg, i % 4);
        assert_int_equal(karat_mem_access(&c->mem, i).addr, DATA + 32 * (i / 4) + 4 + 4 * (i % 4));
    }
    /* Stores of active lanes; overlapping ones leave the higher lane's words. */
    splat_v(&r, 2, DATA + 0x200);
    for (unsigned reg = 3; reg < 7; reg++)
        ramp_v(&r, reg, 16 * reg, 1);
    narrow(&r, 0x6);
    do_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("vsw12.v", 3, 0, 2));
    assert_int_equal(get_word(&r, DATA + 0x200), 50);
    assert_int_equal(get_word(&r, DATA + 0x204), 66);
    assert_int_equal(get_word(&r, DATA + 0x208), 82);
    assert_int_equal(get_word(&r, DATA + 0x20c), 0);
    assert_int_equal(r.commit.mem.num, 6);
    assert_int_equal(c->num_reads, 4);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(c->read[1 + i].source, 2);
        assert_int_equal(c->read[1 + i].part, i);
        assert_int_equal(c->read[1 + i].reg, 3 + i);
        assert_int_equal(karat_read_lanes(r.model, 0, c, 1 + i), 6);
    }
    assert_int_equal(karat_mem_access(&c->mem, 3).old, 49); /* lane 1's */
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vlw12.v", 8, 4, 2));
    EXPECT_V(&r, 8, 0, 66, 66, 0);
    EXPECT_V(&r, 9, 0, 82, 82, 0);
    assert_int_equal(r.commit.write[1].mask, 6);
    /* Bytes and halves, sign-extended. */
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("vlb12.v", 8, 0, 2));
    EXPECT_V(&r, 8, 0, 50, 50, 0);
    assert_int_equal(r.commit.num_writes, 1);
    rig_close(&r);
}

static void v_extension_words(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    fill(&r, DATA, 64, 0);
    set_x(&r, 5, DATA);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vle32.v", 3, 5, 1)); /* elements are 8 bytes apart */
    EXPECT_V(&r, 3, 0, 2, 4, 6);
    EXPECT_V(&r, 4, 1, 3, 5, 7);
    do_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("vle32.v", 3, 5, 1)); /* 12 bytes */
    EXPECT_V(&r, 3, 0, 3, 6, 9);
    EXPECT_V(&r, 5, 2, 5, 8, 11);
    set_x(&r, 6, 20);
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("vlse32.v", 3, 5, 6, 1));
    EXPECT_V(&r, 3, 0, 5, 10, 15);
    EXPECT_V(&r, 6, 3, 8, 13, 18);
    static const uint32_t index[] = {40, 4, 0x10, 0};
    set_v(&r, 2, index);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vluxei32.v", 3, 5, 2, 1));
    EXPECT_V(&r, 3, 10, 1, 4, 0);
    EXPECT_V(&r, 4, 11, 2, 5, 1);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vloxei8.v", 3, 5, 2, 1));
    EXPECT_V(&r, 4, 11, 2, 5, 1);
    /* Stores: the data is vs3 and the registers that follow. */
    ramp_v(&r, 3, 100, 1);
    ramp_v(&r, 4, 200, 1);
    set_x(&r, 5, DATA + 0x200);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vse32.v", 3, 5, 1));
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(get_word(&r, DATA + 0x200 + 4 * i), (i & 1 ? 200 : 100) + i / 2);
    assert_int_equal(r.commit.read[2].source, 3);
    assert_int_equal(r.commit.read[2].reg, 4);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vsse32.v", 3, 5, 6, 1));
    assert_int_equal(get_word(&r, DATA + 0x214), 101);
    assert_int_equal(get_word(&r, DATA + 0x218), 201);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vsuxei32.v", 3, 5, 2, 1));
    assert_int_equal(get_word(&r, DATA + 0x228), 100);
    assert_int_equal(get_word(&r, DATA + 0x22c), 200);
    /* v0.t masks lanes, vl limits them. */
    static const uint32_t m[] = {1, 0, 1, 1};
    set_v(&r, 0, m);
    splat_v(&r, 8, 9);
    splat_v(&r, 9, 9);
    assert_int_equal(karat_adopt_vl(r.model, 0, 3), KARAT_OK);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vle32.v", 8, 5, 0));
    assert_int_equal(r.commit.mem.num, 4);
    assert_int_equal(r.commit.write[0].mask, 5);
    assert_int_equal(r.commit.write[1].mask, 5);
    assert_int_equal(get_v(&r, 9)[1], 9);
    /* Narrower elements: unchanged; indexed ones have SEW bits, and are wide with SEW 32 alone. */
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("vle16.v", 8, 5, 1));
    assert_int_equal(karat_mem_access(&r.commit.mem, 1).addr, DATA + 0x202);
    assert_int_equal(r.commit.num_writes, 1);
    DO(&r, "vsetvli", 0, 0, 0x08);
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("vluxei32.v", 8, 5, 2, 1));
    assert_int_equal(karat_mem_access(&r.commit.mem, 0).bytes, 2);
    assert_int_equal(r.commit.num_writes, 1);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vle32.v", 8, 5, 1)); /* 32 bits whatever SEW is */
    assert_int_equal(r.commit.num_writes, 2);
    rig_close(&r);
}

static void groups(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    for (unsigned words = 1; words <= 4; words++)
        for (unsigned scalar = 0; scalar < 2; scalar++) {
            DO(&r, "vsetvli", 0, 0, 0x11);
            set_x(&r, 5, DATA);
            if (scalar)
                do_prefixed(&r, pre_m(DEFAULT, words, 0, 0), OP("lw", 6, 0, 5));
            else if (words > 1)
                fail_prefixed(&r, pre_m(DEFAULT, words, 0, 0), OP("vle32.v", 4, 5, 1), KARAT_ERR_ILLEGAL);
            else
                do_prefixed(&r, pre_m(DEFAULT, words, 0, 0), OP("vle32.v", 4, 5, 1));
        }
    DO(&r, "vsetvli", 1, 0, 0x11); /* narrower ones, and rows of Ventus' own, which have no groups */
    set_x(&r, 5, DATA);
    splat_v(&r, 2, DATA);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vle8.v", 4, 5, 1));
    assert_int_equal(r.commit.mem.num, 8);
    assert_int_equal(karat_mem_access(&r.commit.mem, 7).addr, DATA + 7);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vlw12.v", 4, 0, 2));
    assert_int_equal(r.commit.mem.num, 8);
    rig_close(&r);
}

static void wide_addresses(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    map_high(&r);
    fill(&r, HIGH, 64, 0x700);
    set_x64(&r, 4, HIGH + 8);
    do_prefixed(&r, pre_m(DEFAULT, 2, 1, 0), OP("lw", 7, -4, 4));
    assert_int_equal(get_x(&r, 7), 0x701);
    assert_int_equal(get_x(&r, 8), 0x702);
    const karat_commit *c = &r.commit;
    assert_int_equal(c->mem.wide_address, 1);
    assert_int_equal(c->mem.words, 2);
    assert_true(karat_mem_access(&c->mem, 1).addr == HIGH + 8);
    assert_int_equal(c->num_reads, 2);
    assert_int_equal(c->read[1].reg, 5);
    assert_int_equal(c->read[1].source, 1);
    assert_int_equal(c->read[1].part, 1);
    do_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("sb", 7, 0, 4));
    assert_int_equal(get_word(&r, HIGH + 8), 0x701);
    splat_v64(&r, 2, HIGH + 16);
    do_prefixed(&r, pre_m(GLOBAL, 1, 1, 0), OP("vlw12.v", 7, 0, 2));
    EXPECT_V(&r, 7, 0x704, 0x704, 0x704, 0x704);
    set_x64(&r, 4, HIGH + 32);
    do_prefixed(&r, pre_m(DEFAULT, 2, 1, 0), OP("vle32.v", 7, 4, 1));
    EXPECT_V(&r, 8, 0x709, 0x70b, 0x70d, 0x70f);
    /* A stride is signed, an index is not; both are added in 64 bits. */
    set_x(&r, 9, -4u);
    do_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("vlse32.v", 7, 4, 9, 1));
    EXPECT_V(&r, 7, 0x708, 0x707, 0x706, 0x705);
    set_x64(&r, 4, HIGH + 32 - 0xfffffff0);
    splat_v(&r, 3, 0xfffffff0);
    do_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("vluxei32.v", 7, 4, 3, 1));
    EXPECT_V(&r, 7, 0x708, 0x708, 0x708, 0x708);
    set_x64(&r, 4, HIGH + 12);
    set_x(&r, 9, 3);
    do_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("amoadd.w", 8, 9, 4, 0));
    assert_int_equal(get_x(&r, 8), 0x703);
    assert_int_equal(get_word(&r, HIGH + 12), 0x706);
    assert_int_equal(r.commit.mem.wide_address, 1);
    /* The pair of x0 is address 0; an odd base is illegal. */
    assert_int_equal(karat_map(r.model, 0, 4096), KARAT_OK);
    set_word(&r, 8, 0x1234);
    set_x(&r, 1, 5);
    do_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("lw", 10, 8, 0));
    assert_int_equal(get_x(&r, 10), 0x1234);
    assert_int_equal(r.commit.num_reads, 1);
    fail_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("lw", 10, 0, 5), KARAT_ERR_ILLEGAL);
    fail_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("vlw12.v", 10, 0, 3), KARAT_ERR_ILLEGAL);
    fail_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("vle8.v", 10, 3, 1), KARAT_ERR_ILLEGAL);
    ILLEGAL_BY(&r, ODD_BASE);
    fail_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("sb", 10, 0, 5), KARAT_ERR_ILLEGAL);
    fail_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("amoadd.w", 10, 9, 5, 0), KARAT_ERR_ILLEGAL);
    /* 32-bit addresses wrap, 64-bit ones are above and below. */
    set_x64(&r, 4, 4);
    fail_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("lw", 10, -8, 4), KARAT_ERR_UNMAPPED);
    assert_true(r.commit.error.addr == 0xfffffffffffffffc);
    set_x64(&r, 4, 0xfffffffc);
    do_prefixed(&r, pre_m(DEFAULT, 1, 0, 0), OP("lw", 10, 12, 4));
    assert_int_equal(get_x(&r, 10), 0x1234);
    set_x64(&r, 4, 0xfffffffc);
    fail_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("lw", 10, 12, 4), KARAT_ERR_UNMAPPED);
    assert_true(r.commit.error.addr == 0x100000008);
    rig_close(&r);
}

static void spaces(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    map_high(&r);
    /* Workgroup of 2 warps of 4 threads; this is warp 1: thread_idx 4 to 7. */
    r.desc.csr[KARAT_CSR_PDS] = DATA + 0x1000;
    r.desc.csr[KARAT_CSR_LDS] = LDS + 0x100;
    launch_warps(&r, 2);
    set_word(&r, CODE, 0);
    /* Warp 0: thread_idx 0 to 3 of 8. */
    set_x(&r, 5, 0x40);
    set_x(&r, 10, 0x11);
    set_x(&r, 11, 0x22);
    do_prefixed(&r, pre_m(PRIVATE, 2, 0, 0), OP("sw", 10, 4, 5)); /* a = 0x44, then 0x48: of thread 0 */
    assert_int_equal(r.commit.mem.space, KARAT_PRIVATE);
    assert_int_equal(get_word(&r, DATA + 0x1000 + 0x44 * 8), 0x11);
    assert_int_equal(get_word(&r, DATA + 0x1000 + 0x48 * 8), 0x22);
    ramp_v(&r, 2, 0x44, 0);
    do_prefixed(&r, pre_m(PRIVATE, 2, 0, 0), OP("vlw12.v", 3, 0, 2));
    EXPECT_V(&r, 3, 0x11, 0, 0, 0);
    EXPECT_V(&r, 4, 0x22, 0, 0, 0);
    assert_int_equal(karat_mem_access(&r.commit.mem, 2).addr, DATA + 0x1000 + 0x44 * 8 + 4);
    splat_v(&r, 2, 0x41);
    ramp_v(&r, 3, 0xa0, 1);
    do_prefixed(&r, pre_m(PRIVATE, 1, 0, 0), OP("vsb12.v", 3, 1, 2)); /* a = 0x42: byte 2 of a word */
    assert_int_equal(get_word(&r, DATA + 0x1000 + 0x40 * 8 + 12), 0xa30000);
    set_x(&r, 6, 0x60);
    ramp_v(&r, 3, 0xb0, 1);
    do_prefixed(&r, pre_m(PRIVATE, 1, 0, 0), OP("vse32.v", 3, 6, 1)); /* a = 0x60 + 4 * lane */
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(get_word(&r, DATA + 0x1000 + (0x60 + 4 * i) * 8 + 4 * i), 0xb0 + i);
    set_x(&r, 7, 5);
    do_prefixed(&r, pre_m(PRIVATE, 1, 0, 0), OP("amoadd.w", 8, 7, 6, 0));
    assert_int_equal(get_x(&r, 8), 0xb0);
    assert_int_equal(get_word(&r, DATA + 0x1000 + 0x60 * 8), 0xb5);
    assert_int_equal(r.commit.mem.space, KARAT_PRIVATE);
    do_prefixed(&r, pre_m(PRIVATE, 1, 0, 0), OP("lhu", 8, 0, 6));
    assert_int_equal(get_x(&r, 8), 0xb5);
    /* Local: CSR_LDS is added. */
    do_prefixed(&r, pre_m(LOCAL, 2, 0, 0), OP("sw", 10, 0, 5));
    assert_int_equal(r.commit.mem.space, KARAT_LDS);
    assert_int_equal(karat_mem_access(&r.commit.mem, 1).addr, LDS + 0x144);
    uint8_t byte;
    assert_int_equal(karat_lds_read(r.model, 0, LDS + 0x144, &byte, 1), KARAT_OK);
    assert_int_equal(byte, 0x22);
    ramp_v(&r, 2, 0x40, 4);
    do_prefixed(&r, pre_m(LOCAL, 1, 0, 0), OP("vlw12.v", 4, 0, 2));
    EXPECT_V(&r, 4, 0x11, 0x22, 0, 0);
    do_prefixed(&r, pre_m(LOCAL, 1, 0, 0), OP("amoswap.w", 8, 11, 5, 0));
    assert_int_equal(get_x(&r, 8), 0x11);
    /* Default and global: the address itself. */
    set_x(&r, 5, DATA + 0x40);
    do_prefixed(&r, pre_m(GLOBAL, 1, 0, 0), OP("sw", 11, 0, 5));
    assert_int_equal(get_word(&r, DATA + 0x40), 0x22);
    assert_int_equal(r.commit.mem.space, KARAT_GLOBAL);
    set_x(&r, 5, LDS + 0x140);
    do_prefixed(&r, pre_m(GLOBAL, 1, 0, 0), OP("lw", 8, 4, 5)); /* the window is there by its addresses */
    assert_int_equal(get_x(&r, 8), 0x22);
    assert_int_equal(r.commit.mem.space, KARAT_LDS);
    /* Of the D forms, and in 64 bits: csr_pds and csr_lds are added to that. */
    set_x64(&r, 4, 0x40);
    do_prefixed(&r, pre_m(LOCAL, 1, 0, 0), OP("ld", 8, 4, 4));
    assert_int_equal(get_x(&r, 8), 0x22);
    set_x64(&r, 4, HIGH - LDS - 0x100);
    set_word(&r, HIGH + 4, 0x99);
    do_prefixed(&r, pre_m(LOCAL, 1, 1, 0), OP("lw", 8, 4, 4));
    assert_int_equal(get_x(&r, 8), 0x99);
    splat_v64(&r, 2, 0x44);
    do_prefixed(&r, pre_m(PRIVATE, 1, 0, 0), OP("vlw12d.v", 4, 0, 2));
    EXPECT_V(&r, 4, 0x11, 0, 0, 0);
    /* thread_idx is CSR_WID * num_thread + lane. */
    r.desc.csr[KARAT_CSR_WID] = 1;
    launch(&r);
    set_x(&r, 5, 8);
    set_x(&r, 10, 0x77);
    do_prefixed(&r, pre_m(PRIVATE, 1, 0, 0), OP("sw", 10, 0, 5));
    assert_int_equal(get_word(&r, DATA + 0x1000 + 8 * 4 + 4 * 4), 0x77);
    rig_close(&r);
}

/* Before anything but an access: no effect at all. */
static void void_before_others(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_x(&r, 2, 5);
    set_x(&r, 3, 6);
    const uint32_t prefix = pre_m_ext(4, 7, 7, 7, 7) | 1u << 19 | 15u << 15;
    do_prefixed(&r, prefix, OP("add", 5, 3, 2)); /* odd, not extended */
    assert_int_equal(get_x(&r, 5), 11);
    assert_int_equal(r.commit.pc, CODE + 4); /* one step */
    assert_int_equal(r.commit.prefix, prefix);
    assert_int_equal(r.commit.next_pc, CODE + 8);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.width, 32);
    assert_int_equal(r.commit.mem.hint, 0);
    assert_false(r.commit.has_mem);
    splat_v(&r, 1, 3);
    do_prefixed(&r, prefix, OP("vadd.vi", 3, 1, 4, 1));
    EXPECT_V(&r, 3, 7, 7, 7, 7);
    do_prefixed(&r, prefix, OP("fadd.s", 5, 0, 0, 0));
    do_prefixed(&r, prefix, OP("csrrwi", 5, 0x340, 3));
    do_prefixed(&r, prefix, OP("jal", 1, 8));
    assert_int_equal(r.commit.next_pc, r.commit.pc + 8);
    do_prefixed(&r, prefix, OP("fence", 0));
    do_prefixed(&r, prefix, OP("vwadd.vv", 4, 1, 1, 1));
    EXPECT_V64(&r, 4, 6, 6, 6, 6);
    do_prefixed(&r, prefix, OP("vsetivli", 5, 2, 0x10));
    assert_int_equal(get_x(&r, 5), 2);
    do_prefixed(&r, prefix, OP("barrier", 0));
    fail_prefixed(&r, prefix, OP("ecall", 0), KARAT_ERR_LEFT_OUT);
    fail_prefixed(&r, prefix, OP("addw", 3, 2, 4), KARAT_ERR_ILLEGAL); /* odd as without it */
    ILLEGAL_BY(&r, ODD_PAIR);
    /* Fields that an access does not have do not fit, as after REGEXT. */
    fail_prefixed(&r, pre_m_ext(1, 1, 0, 0, 0), OP("lw", 1, 0, 5), KARAT_ERR_PREFIX);
    fail_prefixed(&r, pre_m_ext(1, 0, 1, 0, 0), OP("lw", 1, 0, 5), KARAT_ERR_PREFIX);
    fail_prefixed(&r, pre_m_ext(1, 0, 0, 0, 1), OP("sw", 1, 0, 5), KARAT_ERR_PREFIX);
    rig_close(&r);
}

static void d_forms(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    map_high(&r);
    set_word(&r, HIGH + 0x20, 0x8899aabb);
    static const uint64_t base[] = {HIGH + 0x20, HIGH + 0x22, DATA, HIGH + 0x7ff - 0x800 + 1};
    set_v64(&r, 2, base);
    set_word(&r, DATA, 0x44332211);
    set_word(&r, HIGH, 0x80000001);
    DO(&r, "vlb12d.v", 5, 0, 2);
    EXPECT_V(&r, 5, 0xffffffbb, 0xffffff99, 0x11, 1);
    assert_int_equal(r.commit.mem.wide_address, 1);
    assert_int_equal(r.commit.mem.words, 1);
    assert_int_equal(r.commit.mem.sign_extends, 1);
    assert_int_equal(r.commit.num_reads, 2);
    assert_int_equal(r.commit.read[1].reg, 3);
    assert_int_equal(r.commit.read[1].part, 1);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.width, 32);
    DO(&r, "vlh12d.v", 5, 0, 2);
    EXPECT_V(&r, 5, 0xffffaabb, 0xffff8899, 0x2211, 1);
    DO(&r, "vlbu12d.v", 5, 1, 2);
    EXPECT_V(&r, 5, 0xaa, 0x88, 0x22, 0);
    DO(&r, "vlhu12d.v", 5, 0, 2);
    EXPECT_V(&r, 5, 0xaabb, 0x8899, 0x2211, 1);
    splat_v64(&r, 2, HIGH + 0x820);
    DO(&r, "vlw12d.v", 5, -0x800, 2);
    EXPECT_V(&r, 5, 0x8899aabb, 0x8899aabb, 0x8899aabb, 0x8899aabb);
    splat_v64(&r, 2, HIGH + 0x100);
    ramp_v(&r, 7, 0x01030304, 1);
    DO(&r, "vsw12d.v", 7, 4, 2);
    assert_int_equal(get_word(&r, HIGH + 0x104), 0x01030307);
    DO(&r, "vsh12d.v", 7, 8, 2);
    assert_int_equal(get_word(&r, HIGH + 0x108), 0x0307);
    assert_int_equal(karat_mem_access(&r.commit.mem, 3).value, 0x0307);
    DO(&r, "vsb12d.v", 7, 13, 2);
    assert_int_equal(karat_mem_access(&r.commit.mem, 3).value, 0x07);
    assert_int_equal(get_word(&r, HIGH + 0x10c), 0x0700);
    assert_int_equal(r.commit.num_reads, 3); /* vs1, vs2, the upper half of vs1 */
    /* With words of PRE_M_*; pair changes nothing. */
    splat_v64(&r, 2, HIGH + 0x200);
    ramp_v(&r, 8, 0x20, 1);
    do_prefixed(&r, pre_m(DEFAULT, 2, 1, 0), OP("vsw12d.v", 7, 0, 2));
    assert_int_equal(get_word(&r, HIGH + 0x204), 0x23);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vlw12d.v", 9, 0, 2));
    EXPECT_V(&r, 10, 0x23, 0x23, 0x23, 0x23);
    do_prefixed(&r, regext(0, 0, 0, 1), OP("vlw12d.v", 9, 4, 2));
    EXPECT_V(&r, 41, 0x23, 0x23, 0x23, 0x23);
    static const char *const loads[] = {"vlb12d.v",  "vlh12d.v", "vlw12d.v", "vlbu12d.v",
                                        "vlhu12d.v", "vsw12d.v", "vsh12d.v", "vsb12d.v"};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        FAIL(&r, KARAT_ERR_ILLEGAL, loads[i], 5, 0, 3);
    rig_close(&r);
}

static void ld_and_sd(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    map_high(&r);
    set_word(&r, HIGH + 8, 0x89abcdef);
    set_word(&r, HIGH + 12, 0x5555);
    set_x64(&r, 6, HIGH + 16);
    set_x(&r, 10, 1);
    DO(&r, "ld", 9, -8, 6); /* 32 bits, of one register that may be odd */
    assert_int_equal(get_x(&r, 9), 0x89abcdef);
    assert_int_equal(get_x(&r, 10), 1);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.mem.num, 1);
    assert_int_equal(karat_mem_access(&r.commit.mem, 0).bytes, 4);
    assert_int_equal(r.commit.mem.wide_address, 1);
    assert_int_equal(r.commit.num_reads, 2);
    assert_int_equal(r.commit.width, 32);
    set_x(&r, 9, 0x77);
    DO(&r, "sd", 9, 4, 6);
    assert_int_equal(get_word(&r, HIGH + 20), 0x77);
    assert_int_equal(get_word(&r, HIGH + 24), 0);
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("ld", 11, -8, 6));
    assert_int_equal(get_x(&r, 12), 0x5555);
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("sd", 9, 0, 6));
    assert_int_equal(get_word(&r, HIGH + 16), 0x77);
    assert_int_equal(get_word(&r, HIGH + 28), 0x5555);
    set_x64(&r, 6, HIGH + 10);
    FAIL(&r, KARAT_ERR_MISALIGNED, "ld", 9, 0, 6); /* address 0: aligned, not mapped after the launch */
    rig_close(&r);
}

static void atomics(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    map_high(&r);
    static const struct {
        const char *name;
        uint32_t result;
    } rows[] = {{"amoswap.d", 3}, {"amoadd.d", 0xfffffff8}, {"amoxor.d", 0xfffffff6},
                {"amoand.d", 1},  {"amoor.d", 0xfffffff7},  {"amomin.d", 0xfffffff5},
                {"amomax.d", 3},  {"amominu.d", 3},         {"amomaxu.d", 0xfffffff5}};
    set_x64(&r, 4, HIGH + 0x40);
    set_x(&r, 7, 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set_word(&r, HIGH + 0x40, 0xfffffff5);
        set_word(&r, HIGH + 0x44, 0x33);
        set_x(&r, 10, 1);
        do_word(&r, OP(rows[i].name, 9, 7, 4, 0));
        assert_int_equal(get_x(&r, 9), 0xfffffff5); /* 32 bits, nothing else */
        assert_int_equal(get_x(&r, 10), 1);
        assert_int_equal(get_word(&r, HIGH + 0x40), rows[i].result);
        assert_int_equal(get_word(&r, HIGH + 0x44), 0x33);
        assert_int_equal(r.commit.num_reads, 3);
        assert_int_equal(r.commit.num_writes, 1);
        assert_int_equal(r.commit.mem.num, 1);
        assert_int_equal(r.commit.mem.words, 1);
        assert_int_equal(r.commit.mem.wide_address, 1);
        do_prefixed(&r, pre_m(DEFAULT, 4, 0, 6),
                    OP(rows[i].name, 9, 7, 4, 0)); /* words are for other accesses */
        assert_int_equal(r.commit.num_writes, 1);
        assert_int_equal(r.commit.mem.num, 1);
        assert_int_equal(r.commit.mem.words, 1);
        assert_int_equal(r.commit.mem.hint, 6);
    }
    /* LR.D and SC.D reserve at 64-bit addresses: the same low half is another word. */
    DO(&r, "lr.d", 9, 4, 0);
    set_x64(&r, 12, (uint64_t)DATA);
    DO(&r, "sc.d", 11, 7, 12, 0);
    assert_int_equal(get_x(&r, 11), 1);
    DO(&r, "lr.d", 9, 4, 3);
    assert_int_equal(r.commit.mem.amo, KARAT_AMO_LR);
    DO(&r, "sc.d", 11, 7, 4, 3);
    assert_int_equal(get_x(&r, 11), 0);
    assert_int_equal(get_word(&r, HIGH + 0x40), 3);
    assert_int_equal(r.commit.mem.amo, KARAT_AMO_SC);
    assert_int_equal(r.commit.mem.succeeded, 1);
    /* LR.W and SC.D of one word. */
    DO(&r, "lr.w", 9, 12, 0);
    DO(&r, "sc.d", 11, 7, 12, 0);
    assert_int_equal(get_x(&r, 11), 0);
    FAIL(&r, KARAT_ERR_ILLEGAL, "lr.d", 9, 5, 0);
    FAIL(&r, KARAT_ERR_ILLEGAL, "sc.d", 9, 7, 5, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fail_word(&r, OP(rows[i].name, 9, 7, 5, 0), KARAT_ERR_ILLEGAL);
    FAIL(&r, KARAT_ERR_ILLEGAL, "ld", 9, 0, 5);
    FAIL(&r, KARAT_ERR_ILLEGAL, "sd", 9, 0, 5);
    rig_close(&r);
}

/* An error at any word leaves everything unchanged. */
static void errors(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    static uint32_t x[KARAT_NUM_X], v[KARAT_NUM_V * 4];
    for (uint32_t i = 0; i < KARAT_NUM_V * 4; i++)
        v[i] = 0x11110000 + i;
    x[5] = DATA + MAPPED - 8;
    x[6] = DATA + 2;
    x[7] = -12u;
    for (uint32_t lane = 0; lane < 4; lane++) {
        v[4 * 2 + lane] = DATA + MAPPED - 4 * (6 - lane); /* lane 3's fourth word is beyond the end */
        v[4 * 3 + lane] = DATA + (lane == 2 ? 2 : 0);
    }
    r.desc.x = x;
    r.desc.v = v;
    launch(&r);
    do_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("vsw12.v", 20, 0, 2));
    fail_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("vsw12.v", 24, 0, 2), KARAT_ERR_UNMAPPED);
    assert_int_equal(r.commit.error.lane, 3);
    assert_true(r.commit.error.addr == (uint64_t)DATA + MAPPED);
    fail_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("vlw12.v", 24, 0, 2), KARAT_ERR_UNMAPPED);
    fail_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("sw", 8, 0, 5), KARAT_ERR_UNMAPPED);
    fail_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("lw", 8, 0, 5), KARAT_ERR_UNMAPPED);
    assert_int_equal(r.commit.error.lane, 0);
    fail_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("lw", 8, 0, 6), KARAT_ERR_MISALIGNED);
    assert_true(r.commit.error.addr == DATA + 2);
    fail_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vsw12.v", 20, 0, 3), KARAT_ERR_MISALIGNED);
    assert_int_equal(r.commit.error.lane, 2);
    fail_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("vse32.v", 20, 5, 1), KARAT_ERR_UNMAPPED);
    assert_int_equal(r.commit.error.lane, 1);
    fail_prefixed(&r, pre_m(PRIVATE, 2, 0, 0), OP("sw", 20, 0, 7), KARAT_ERR_UNMAPPED);
    FAIL(&r, KARAT_ERR_UNMAPPED, "vsw12d.v", 20, 0, 2);
    FAIL(&r, KARAT_ERR_UNMAPPED, "ld", 8, 0, 10);
    FAIL(&r, KARAT_ERR_MISALIGNED, "ld", 8, 0, 6);
    /* 64 bits are aligned to 4 bytes. */
    do_prefixed(&r, pre_m(DEFAULT, 2, 0, 0), OP("lw", 8, -4, 5));
    /* Registers: of data, and of addresses. */
    r.desc.sgprs = 12;
    r.desc.vgprs = 24;
    launch(&r);
    do_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("lw", 8, -8, 5));
    fail_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("lw", 9, -8, 5), KARAT_ERR_REGISTER);
    fail_prefixed(&r, pre_m(DEFAULT, 4, 0, 0), OP("sw", 9, -8, 5), KARAT_ERR_REGISTER);
    do_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("vsw12.v", 21, 0, 2));
    fail_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("vsw12.v", 22, 0, 2), KARAT_ERR_REGISTER);
    fail_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("vlw12.v", 22, 0, 2), KARAT_ERR_REGISTER);
    r.desc.sgprs = 11;
    r.desc.vgprs = 23;
    launch(&r);
    FAIL(&r, KARAT_ERR_REGISTER, "ld", 1, 0, 10);
    FAIL(&r, KARAT_ERR_REGISTER, "amoadd.d", 1, 1, 10, 0);
    FAIL(&r, KARAT_ERR_REGISTER, "vlw12d.v", 1, 0, 22);
    fail_prefixed(&r, pre_m(DEFAULT, 1, 1, 0), OP("lw", 1, 0, 10), KARAT_ERR_REGISTER);
    /* The last registers of all. */
    r.desc.sgprs = r.desc.vgprs = 0;
    launch(&r);
    do_prefixed(&r, pre_m_ext(2, 0, 0, 0, 1), OP("lw", 30, 0, 5));
    fail_prefixed(&r, pre_m_ext(3, 0, 0, 0, 1), OP("lw", 30, -4, 5), KARAT_ERR_REGISTER);
    do_prefixed(&r, pre_m_ext(2, 0, 0, 0, 7), OP("vlw12.v", 30, 0, 2));
    fail_prefixed(&r, pre_m_ext(4, 0, 0, 0, 7), OP("vlw12.v", 30, 0, 2), KARAT_ERR_REGISTER);
    rig_close(&r);
}

/* Reservations on any of the words, and LDS that the launch does not declare. */
static void reservations_and_warnings(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    launch_warps(&r, 2);
    static uint32_t x[KARAT_NUM_X];
    for (uint32_t word = 0; word < 4; word++) {
        x[5] = DATA;
        x[6] = DATA + 4 * word;
        r.desc.x = x;
        launch_warps(&r, 2);
        set_word(&r, CODE, OP("lr.w", 7, 6, 0));
        set_word(&r, CODE + 4, OP("sc.w", 7, 6, 6, 0));
        assert_int_equal(step_warp(&r, 1), KARAT_OK);
        set_word(&r, CODE, pre_m(DEFAULT, 3, 0, 0));
        set_word(&r, CODE + 4, OP("sw", 10, 0, 5));
        assert_int_equal(step_warp(&r, 0), KARAT_OK);
        set_word(&r, CODE + 4, OP("sc.w", 7, 6, 6, 0));
        assert_int_equal(step_warp(&r, 1), KARAT_OK);
        assert_int_equal(r.commit.write[0].value[0], word < 3);
    }
    r.desc.csr[KARAT_CSR_LDS] = LDS + 0x100;
    r.desc.lds_size = 16;
    x[5] = 8;
    launch(&r);
    do_prefixed(&r, pre_m(LOCAL, 2, 0, 0), OP("lw", 10, 0, 5));
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    do_prefixed(&r, pre_m(LOCAL, 2, 0, 0), OP("sw", 10, 0, 5));
    assert_int_equal(r.commit.warnings, 0);
    do_prefixed(&r, pre_m(LOCAL, 3, 0, 0), OP("sw", 10, 0, 5)); /* the third word */
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_BEYOND);
    rig_close(&r);
}

/* --- The ports --- */

typedef struct ask {
    unsigned held, asked;
} ask;

static karat_read_answer answer(void *context, uint32_t warp, const karat_commit *commit,
                                uint32_t value[KARAT_MAX_THREAD]) {
    ask *a = context;
    (void)warp, (void)value;
    a->asked++;
    return commit->num_reads - 1 == a->held ? KARAT_READ_HOLD : KARAT_READ_KEEP;
}

/* The upper half of an address and every word of data are asked for; a step that is held stores nothing. */
static void read_port(void **unused) {
    (void)unused;
    for (unsigned held = 0; held < 5; held++) {
        rig r;
        rig_open_v203(&r, 4);
        map_high(&r);
        splat_v64(&r, 2, HIGH);
        for (unsigned reg = 5; reg < 8; reg++)
            splat_v(&r, reg, reg);
        ask a = {held, 0};
        karat_set_read_port(r.model, answer, &a);
        set_word(&r, CODE, pre_m(DEFAULT, 3, 0, 0));
        set_word(&r, CODE + 4, OP("vsw12d.v", 5, 0, 2));
        assert_int_equal(step_warp(&r, 0), KARAT_HELD);
        assert_int_equal(pc_of(&r), CODE);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(get_word(&r, HIGH + 4 * i), 0);
        a = (ask){99, 0};
        assert_int_equal(step_warp(&r, 0), KARAT_OK);
        assert_int_equal(a.asked, 5); /* vs1, vs2, the upper half of vs1, two more words */
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(get_word(&r, HIGH + 4 * i), 5 + i);
        karat_set_read_port(r.model, NULL, NULL);
        rig_close(&r);
    }
}

static void supply(void *context, uint32_t warp, karat_mem *mem) {
    (void)warp;
    *(uint32_t *)context = mem->num;
    for (uint32_t i = 0; i < mem->num; i++)
        mem->access[i].value = 0x100 * karat_mem_access(mem, i).lane + karat_mem_access(mem, i).reg;
}

/* A memory port has all words at once, and may replace each. */
static void memory_port(void **unused) {
    (void)unused;
    rig r;
    uint32_t num = 0;
    rig_open_v203(&r, 4);
    karat_set_mem_port(r.model, supply, &num);
    ramp_v(&r, 2, DATA, 16);
    do_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("vlw12.v", 4, 0, 2));
    assert_int_equal(num, 12);
    EXPECT_V(&r, 4, 0, 0x100, 0x200, 0x300);
    EXPECT_V(&r, 6, 2, 0x102, 0x202, 0x302);
    rig_close(&r);
}

/* One access of a row: the bytes and the part of an index that the table names. */
static void try_row(rig *r, const karat_row *row, int32_t sew) {
    static const uint32_t index[] = {[1] = 0xffffff04, [2] = 0xffff0104, [4] = 0xfffff104};
    static const uint32_t offset[] = {[1] = 4, [2] = 0x104, [4] = -0xefcu};
    enum { X_BASE = 6, V_BASE = 6, V_INDEX = 8, REG = 10 };
    const uint32_t base = DATA + MAPPED / 2;
    int32_t value[KARAT_MAX_OPERAND] = {0};
    bool private = false;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        const bool v = kind->cls == KARAT_CLASS_V;
        value[i] = kind->role == KARAT_ROLE_VM                              ? 1
                   : !kind->is_reg                                          ? 0
                   : kind->role == KARAT_ROLE_SRC1                          ? v ? V_BASE : X_BASE
                   : v && kind->role == KARAT_ROLE_SRC2 && row->index_bytes ? V_INDEX
                                                                            : REG;
        private |= strncmp(kind->name, "offset11", 8) == 0;
    }
    r->desc.csr[KARAT_CSR_PDS] = base;
    launch(r);
    set_x(r, X_BASE, base);
    splat_v(r, V_BASE, private ? 0 : base);
    splat_v(r, V_BASE + 1, 0);
    splat_v(r, V_INDEX, index[row->index_bytes]);
    DO(r, "vsetvli", 31, 0, sew << 3);
    if (strncmp(row->name, "sc_", 3) == 0)
        DO(r, "lr.w", REG, X_BASE, 0);
    do_word(r, assemble(row->name, value));
    assert_true(r->commit.has_mem && r->commit.mem.num > 0);
    assert_int_equal(karat_mem_access(&r->commit.mem, 0).bytes,
                     row->access_bytes ? row->access_bytes : 1 << sew);
    assert_int_equal(karat_mem_access(&r->commit.mem, 0).addr, base + offset[row->index_bytes]);
}

static void access_bytes(void **unused) {
    (void)unused;
    for (unsigned profile = KARAT_V202; profile <= KARAT_V203; profile++) {
        rig r;
        (profile == KARAT_V202 ? rig_open : rig_open_v203)(&r, 4);
        for (int i = 0; i < karat_num_rows(); i++) {
            const karat_row *row = karat_row_info(i);
            const bool accesses = row->owes & KARAT_OWES_MEM;
            assert_int_equal(row->access_bytes || row->index_bytes, accesses);
            assert_false(row->access_bytes && row->index_bytes);
            for (int32_t sew = profile == KARAT_V202 ? 2 : 0; accesses && sew < 3; sew++)
                if (karat_row_is_legal(row, (karat_profile)profile))
                    try_row(&r, row, sew);
        }
        rig_close(&r);
    }
}

int v203_memory_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(scalar_words),
        cmocka_unit_test(lane_words),
        cmocka_unit_test(v_extension_words),
        cmocka_unit_test(groups),
        cmocka_unit_test(wide_addresses),
        cmocka_unit_test(spaces),
        cmocka_unit_test(void_before_others),
        cmocka_unit_test(d_forms),
        cmocka_unit_test(ld_and_sd),
        cmocka_unit_test(atomics),
        cmocka_unit_test(errors),
        cmocka_unit_test(reservations_and_warnings),
        cmocka_unit_test(read_port),
        cmocka_unit_test(memory_port),
        cmocka_unit_test(access_bytes),
    };
    return cmocka_run_group_tests_name("v2.03: memory", tests, NULL, NULL);
}
