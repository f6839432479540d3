/* REGPAIR and REGPAIRI: 64-bit addresses and data in pairs of registers (section 4.2.3; decisions,
 * "Prefixes"). */
#include "step.h"

static void open_high(rig *r, uint32_t num_thread) {
    rig_open(r, num_thread);
    map_high(r);
    launch(r);
}

#define PAIR regpair(0, 0, 0, 0)

/* x8 and x9 hold an address. */
static void set_base(rig *r, uint64_t addr) {
    set_x(r, 8, (uint32_t)addr);
    set_x(r, 9, (uint32_t)(addr >> 32));
}

static void scalar_loads_and_stores(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    set_base(&r, HIGH + 0x100);
    set_word(&r, HIGH + 0x108, 0x89abcdef);
    set_word(&r, HIGH + 0x10c, 0x01234567);
    do_prefixed(&r, PAIR, OP("lw", 10, 8, 8)); /* even: both words */
    assert_int_equal(get_x(&r, 10), 0x89abcdef);
    assert_int_equal(get_x(&r, 11), 0x01234567);
    const karat_commit *c = &r.commit;
    assert_int_equal(c->num_writes, 2);
    assert_int_equal(c->write[0].reg, 10);
    assert_int_equal(c->write[1].reg, 11);
    assert_int_equal(c->mem.num, 2);
    assert_int_equal(karat_mem_access(&c->mem, 1).addr - HIGH, 0x10c);
    assert_int_equal(karat_mem_access(&c->mem, 1).reg, 1);
    assert_int_equal(c->num_reads, 2);
    assert_int_equal(c->read[1].reg, 9);
    assert_int_equal(c->read[1].part, 1);
    assert_int_equal(c->read[1].source, 1);
    do_prefixed(&r, PAIR, OP("lw", 13, 8, 8)); /* odd data: one word */
    assert_int_equal(get_x(&r, 13), 0x89abcdef);
    assert_int_equal(get_x(&r, 14), 0);
    assert_int_equal(r.commit.num_writes, 1);
    /* Narrower ones never pair their data. */
    do_prefixed(&r, PAIR, OP("lb", 12, 11, 8));
    assert_int_equal(get_x(&r, 12), 0xffffff89);
    assert_int_equal(get_x(&r, 13), 0x89abcdef);
    do_prefixed(&r, PAIR, OP("lhu", 14, 10, 8));
    assert_int_equal(get_x(&r, 14), 0x89ab);
    assert_int_equal(get_x(&r, 15), 0);
    set_x(&r, 16, 0x11111111);
    set_x(&r, 17, 0x22222222);
    do_prefixed(&r, PAIR, OP("sw", 16, -8, 8));
    assert_int_equal(get_word(&r, HIGH + 0xf8), 0x11111111);
    assert_int_equal(get_word(&r, HIGH + 0xfc), 0x22222222);
    do_prefixed(&r, PAIR, OP("sw", 17, -16, 8));
    assert_int_equal(get_word(&r, HIGH + 0xf0), 0x22222222);
    assert_int_equal(get_word(&r, HIGH + 0xf4), 0);
    do_prefixed(&r, PAIR, OP("sb", 16, -20, 8));
    assert_int_equal(get_word(&r, HIGH + 0xec), 0x11);
    /* An odd base is a 32-bit address. */
    set_x(&r, 7, DATA + 0x40);
    set_word(&r, DATA + 0x3c, 77);
    set_word(&r, DATA + 0x40, 78);
    do_prefixed(&r, PAIR, OP("lw", 18, -4, 7));
    assert_int_equal(get_x(&r, 18), 77);
    assert_int_equal(get_x(&r, 19), 78);
    assert_int_equal(r.commit.num_reads, 1);
    set_x(&r, 7, 4); /* and stays one below zero */
    fail_prefixed(&r, PAIR, OP("lw", 18, -8, 7), KARAT_ERR_UNMAPPED);
    assert_true(r.commit.error.addr == 0xfffffffc);
    set_base(&r, 4);
    fail_prefixed(&r, PAIR, OP("lw", 18, -8, 8), KARAT_ERR_UNMAPPED);
    assert_true(r.commit.error.addr == 0xfffffffffffffffc);
    rig_close(&r);
}

/* x0 is the low word of a pair like any other: it reads 0, and what is loaded there is lost. */
static void pairs_with_x0(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    set_x(&r, 1, (uint32_t)(HIGH >> 32));
    set_word(&r, HIGH + 4, 42);
    set_word(&r, HIGH + 8, 43);
    do_prefixed(&r, PAIR, OP("lw", 0, 4, 0));
    assert_int_equal(get_x(&r, 0), 0);
    assert_int_equal(get_x(&r, 1), 43);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.write[0].reg, 1);
    rig_close(&r);
}

static void vector_forms(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    uint32_t high[4], low[4];
    for (uint32_t i = 0; i < 4; i++) {
        low[i] = 0x200 + 16 * i;
        high[i] = (uint32_t)(HIGH >> 32);
        for (uint32_t w = 0; w < 4; w++)
            set_word(&r, HIGH + 0x200 + 16 * i + 4 * w, 0x1000 * i + w);
    }
    set_v(&r, 2, low);
    set_v(&r, 3, high);
    do_prefixed(&r, PAIR, OP("vlw12.v", 4, 4, 2)); /* each lane's base is a pair */
    EXPECT_V(&r, 4, 1, 0x1001, 0x2001, 0x3001);
    EXPECT_V(&r, 5, 2, 0x1002, 0x2002, 0x3002);
    assert_int_equal(r.commit.mem.num, 8); /* lane by lane, low word first */
    assert_int_equal(karat_mem_access(&r.commit.mem, 1).lane, 0);
    assert_int_equal(karat_mem_access(&r.commit.mem, 1).reg, 1);
    assert_int_equal(karat_mem_access(&r.commit.mem, 2).lane, 1);
    do_prefixed(&r, PAIR, OP("vlw12.v", 7, 4, 2));
    EXPECT_V(&r, 7, 1, 0x1001, 0x2001, 0x3001);
    EXPECT_V(&r, 8, 0, 0, 0, 0);
    do_prefixed(&r, PAIR, OP("vlhu12.v", 8, 4, 2));
    EXPECT_V(&r, 8, 1, 0x1001, 0x2001, 0x3001);
    EXPECT_V(&r, 9, 0, 0, 0, 0);
    narrow(&r, 0x6);
    do_prefixed(&r, PAIR, OP("vsw12.v", 4, 0x100, 2));
    assert_int_equal(get_word(&r, HIGH + 0x300), 0);
    assert_int_equal(get_word(&r, HIGH + 0x310), 0x1001);
    assert_int_equal(get_word(&r, HIGH + 0x314), 0x1002);
    assert_int_equal(get_word(&r, HIGH + 0x324), 0x2002);
    do_prefixed(&r, PAIR, OP("vlw12.v", 10, 8, 2));
    EXPECT_V(&r, 10, 0, 0x1002, 0x2002, 0);
    EXPECT_V(&r, 11, 0, 0x1003, 0x2003, 0);
    assert_int_equal(r.commit.num_writes, 2);
    assert_int_equal(r.commit.write[0].mask, 0x6);
    assert_int_equal(r.commit.write[1].mask, 0x6);
    rig_close(&r);
}

static void rows_of_the_v_extension(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    for (uint32_t i = 0; i < 32; i++)
        set_word(&r, HIGH + 0x400 + 4 * i, i);
    set_base(&r, HIGH + 0x400);
    do_prefixed(&r, PAIR, OP("vle32.v", 4, 8, 1)); /* elements of 64 bits */
    EXPECT_V(&r, 4, 0, 2, 4, 6);
    EXPECT_V(&r, 5, 1, 3, 5, 7);
    do_prefixed(&r, PAIR, OP("vle32.v", 7, 8, 1));
    EXPECT_V(&r, 7, 0, 1, 2, 3);
    do_prefixed(&r, PAIR, OP("vle8.v", 8, 8, 1));
    EXPECT_V(&r, 8, 0, 0, 0, 0);
    EXPECT_V(&r, 9, 0, 0, 0, 0);
    set_x(&r, 12, (uint32_t)-16); /* a stride is 32 bits wide and signed */
    set_base(&r, HIGH + 0x440);
    do_prefixed(&r, PAIR, OP("vlse32.v", 4, 8, 12, 1));
    EXPECT_V(&r, 4, 16, 12, 8, 4);
    EXPECT_V(&r, 5, 17, 13, 9, 5);
    set_base(&r, HIGH + 0x400);
    const uint32_t index[4] = {0x10, 0x08, 0x40, 0x10c};
    set_v(&r, 2, index);
    do_prefixed(&r, PAIR, OP("vluxei8.v", 4, 8, 2, 1)); /* an index of 8 bits, data of 32 */
    EXPECT_V(&r, 4, 4, 2, 16, 3);
    EXPECT_V(&r, 5, 5, 3, 17, 4);
    set_base(&r, HIGH + 0x380);
    const uint32_t far[4] = {0xc0, 0x80, 0xc8, 0x1cc}; /* all of the 8 bits */
    set_v(&r, 2, far);
    do_prefixed(&r, PAIR, OP("vluxei8.v", 4, 8, 2, 1));
    EXPECT_V(&r, 4, 16, 0, 18, 19);
    set_base(&r, HIGH + 0x400);
    const uint32_t a[4] = {10, 11, 12, 13}, b[4] = {20, 21, 22, 23};
    set_v(&r, 4, a);
    set_v(&r, 5, b);
    const uint32_t mask[4] = {1, 0, 1, 0};
    set_v(&r, 0, mask);
    set_base(&r, HIGH + 0x800);
    do_prefixed(&r, PAIR, OP("vse32.v", 4, 8, 0));
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(get_word(&r, HIGH + 0x800 + 8 * i), mask[i] ? a[i] : 0);
        assert_int_equal(get_word(&r, HIGH + 0x804 + 8 * i), mask[i] ? b[i] : 0);
    }
    /* A group's registers would be those of the pair. Where the data is narrower there is no pair. */
    DO(&r, "vsetvli", 31, 0, 2 << 3 | 1);
    set_base(&r, HIGH + 0x400);
    do_prefixed(&r, PAIR, OP("vle16.v", 4, 8, 1));
    EXPECT_V(&r, 5, 2, 0, 3, 0);
    set_base(&r, HIGH + 0x400);
    fail_prefixed(&r, PAIR, OP("vle32.v", 4, 8, 1), KARAT_ERR_ILLEGAL);
    ILLEGAL_BY(&r, PAIR_GROUP);
    rig_close(&r);
}

/* Private memory is interleaved by word: the second word is a stripe further on. */
static void private_memory(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    r.desc.csr[KARAT_CSR_PDS] = DATA;
    r.desc.csr[KARAT_CSR_WID] = 1;
    r.desc.csr[KARAT_CSR_NUMW] = 2;
    launch(&r); /* launch() sets NUMW to 1: four threads a stripe, this warp's after it */
    ramp_v(&r, 2, 0, 0);
    ramp_v(&r, 3, 0, 0);
    ramp_v(&r, 4, 100, 1);
    ramp_v(&r, 5, 200, 1);
    do_prefixed(&r, PAIR, OP("vsw.v", 4, 8, 2));
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(get_word(&r, DATA + 8 * 4 + (4 + i) * 4), 100 + i);
        assert_int_equal(get_word(&r, DATA + 12 * 4 + (4 + i) * 4), 200 + i);
    }
    do_prefixed(&r, PAIR, OP("vlw.v", 6, 8, 2));
    EXPECT_V(&r, 6, 100, 101, 102, 103);
    EXPECT_V(&r, 7, 200, 201, 202, 203);
    assert_int_equal(r.commit.mem.space, KARAT_PRIVATE);
    ramp_v(&r, 2, 16, 8); /* another address in each lane */
    do_prefixed(&r, PAIR, OP("vlw.v", 6, 8, 2));
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t i = k / 2, word = k % 2;
        assert_int_equal(karat_mem_access(&r.commit.mem, k).addr,
                         DATA + (8 + 16 + 8 * i + 4 * word) * 4 + (4 + i) * 4);
    }
    r.desc.csr[KARAT_CSR_PDS] = LDS; /* private anyway */
    launch(&r);
    ramp_v(&r, 2, 0, 0);
    ramp_v(&r, 3, 0, 0);
    do_prefixed(&r, PAIR, OP("vsw.v", 4, 8, 2));
    assert_int_equal(r.commit.mem.space, KARAT_PRIVATE);
    do_prefixed(&r, PAIR, OP("vlw.v", 6, 8, 2));
    assert_int_equal(r.commit.mem.space, KARAT_PRIVATE);
    r.desc.csr[KARAT_CSR_PDS] = DATA;
    launch(&r);
    ramp_v(&r, 2, 0, 0);
    ramp_v(&r, 3, 0, 0);
    ramp_v(&r, 4, 100, 1);
    ramp_v(&r, 5, 200, 1);
    /* Bytes and halves within a thread's word. */
    for (int32_t offset = 0; offset < 4; offset++) {
        do_prefixed(&r, PAIR, OP("vsb.v", 4, 32 + offset, 2));
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(karat_mem_access(&r.commit.mem, i).addr,
                             DATA + 32 * 4 + (4 + i) * 4 + (uint32_t)offset);
    }
    do_prefixed(&r, PAIR, OP("vlhu.v", 6, 34, 2));
    EXPECT_V(&r, 6, 100 * 0x101, 101 * 0x101, 102 * 0x101, 103 * 0x101);
    /* A kernel of three threads a warp on four lanes: the thread's number goes by CSR_NUMT. */
    r.desc.csr[KARAT_CSR_NUMT] = 3;
    r.desc.mask = 0x7;
    launch(&r);
    splat_v(&r, 2, 0);
    splat_v(&r, 3, 0);
    ramp_v(&r, 4, 300, 1);
    ramp_v(&r, 5, 400, 1);
    do_prefixed(&r, PAIR, OP("vsw.v", 4, 16, 2));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(get_word(&r, DATA + 16 * 3 + (3 + i) * 4), 300 + i);
        assert_int_equal(get_word(&r, DATA + 20 * 3 + (3 + i) * 4), 400 + i);
    }
    DO(&r, "vlw.v", 6, 20, 2);
    EXPECT_V(&r, 6, 400, 401, 402, 0);
    DO(&r, "vsw.v", 4, 32, 2);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(get_word(&r, DATA + 32 * 3 + (3 + i) * 4), 300 + i);
    rig_close(&r);
}

/* A lane that is not allowed ends it before any other has stored, or loaded. */
static void no_lane_before_an_error(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    for (uint32_t bad = 0; bad < 4; bad++)
        for (int unmapped = 0; unmapped < 2; unmapped++) {
            uint32_t addr[KARAT_MAX_THREAD] = {DATA, DATA + 16, DATA + 32, DATA + 48};
            addr[bad] = unmapped ? DATA - 8 : addr[bad] + 2;
            set_v(&r, 3, addr);
            ramp_v(&r, 4, 100, 1);
            ramp_v(&r, 5, 200, 1);
            fail_prefixed(&r, PAIR, OP("vsw12.v", 4, 0, 3),
                          unmapped ? KARAT_ERR_UNMAPPED : KARAT_ERR_MISALIGNED);
            assert_int_equal(r.commit.error.lane, bad);
            set_v(&r, 3, addr);
            fail_prefixed(&r, PAIR, OP("vlw12.v", 6, 0, 3),
                          unmapped ? KARAT_ERR_UNMAPPED : KARAT_ERR_MISALIGNED);
        }
    rig_close(&r);
}

/* A's data is one word whatever its registers are: rd and rs2 need not agree. */
static void atomics_pair_the_address(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    set_base(&r, HIGH + 0x20);
    set_word(&r, HIGH + 0x20, 5);
    set_word(&r, HIGH + 0x24, 6);
    set_x(&r, 10, 100);
    do_prefixed(&r, PAIR, OP("amoadd.w", 12, 10, 8, 0));
    assert_int_equal(get_x(&r, 12), 5);
    assert_int_equal(get_x(&r, 13), 0);
    assert_int_equal(r.commit.num_reads, 3);
    assert_int_equal(r.commit.read[2].reg, 9); /* the upper half is of source 1, too */
    assert_int_equal(r.commit.read[2].source, 1);
    assert_int_equal(r.commit.read[2].part, 1);
    assert_int_equal(get_word(&r, HIGH + 0x20), 105);
    assert_int_equal(get_word(&r, HIGH + 0x24), 6);
    do_prefixed(&r, PAIR, OP("lr.w", 12, 8, 2)); /* aq and rl are no offset */
    do_prefixed(&r, PAIR, OP("sc.w", 13, 10, 8, 1));
    assert_int_equal(get_x(&r, 13), 0);
    assert_int_equal(get_word(&r, HIGH + 0x20), 100);
    rig_close(&r);
}

static void extends_as_well(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    set_x(&r, 40, 0x100);
    set_x(&r, 41, (uint32_t)(HIGH >> 32));
    set_word(&r, HIGH + 0x100, 1);
    set_word(&r, HIGH + 0x104, 2);
    do_prefixed(&r, regpair(0, 0, 1, 1), OP("lw", 10, 0, 8)); /* x42, x43 from x40, x41 */
    assert_int_equal(get_x(&r, 42), 1);
    assert_int_equal(get_x(&r, 43), 2);
    splat_v(&r, 2, DATA);
    do_prefixed(&r, regpairi(0, 0, 2), OP("vlw12.v", 3, 0, 2)); /* x1 is 0 under REGPAIRI: base v2 */
    fail_prefixed(&r, regpairi(1, 0, 0), OP("lw", 10, 0, 8), KARAT_ERR_PREFIX); /* no 5-bit immediate */
    rig_close(&r);
}

static void errors(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    /* Only before memory accesses. */
    static const char *const others[] = {"add", "vadd.vv", "vfmacc.vv", "vbeq", "fence", "csrrw", "jalr"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        fail_prefixed(&r, PAIR, OP(others[i], 0), KARAT_ERR_PREFIX);
    fail_prefixed(&r, PAIR, PAIR, KARAT_ERR_PREFIX);
    fail_prefixed(&r, PAIR, regext(0, 0, 0, 0), KARAT_ERR_PREFIX);
    fail_prefixed(&r, regext(0, 0, 0, 0), PAIR, KARAT_ERR_PREFIX);
    fail_prefixed(&r, regpairi(0, 0, 0), OP("vadd.vi", 0), KARAT_ERR_PREFIX);
    /* Words have to be aligned as such; both have to be mapped, or nothing happens. */
    set_base(&r, HIGH + 2);
    fail_prefixed(&r, PAIR, OP("lw", 10, 0, 8), KARAT_ERR_MISALIGNED);
    set_base(&r, HIGH + MAPPED - 4);
    fail_prefixed(&r, PAIR, OP("sw", 10, 0, 8), KARAT_ERR_UNMAPPED);
    assert_true(r.commit.error.addr == HIGH + MAPPED);
    assert_int_equal(r.commit.error.lane, 0);
    set_base(&r, HIGH + 0x1004);
    do_prefixed(&r, PAIR, OP("lw", 10, 0, 8)); /* a word's alignment is enough */
    /* The upper half has to be among the kernel's registers. */
    r.desc.sgprs = 11;
    r.desc.vgprs = 7;
    launch(&r);
    fail_prefixed(&r, PAIR, OP("lw", 10, 0, 8), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIR, OP("lw", 3, 0, 10), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIR, OP("sw", 10, 0, 3), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIR, OP("vlw12.v", 6, 0, 3), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIR, OP("vlw12.v", 3, 0, 6), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIR, OP("vsw12.v", 6, 0, 3), KARAT_ERR_REGISTER);
    /* Which is the last of its own class; of the other there are fewer. */
    for (uint32_t vectors = 0; vectors < 2; vectors++) {
        r.desc.sgprs = 12 - vectors;
        r.desc.vgprs = 11 + vectors;
        launch(&r);
        set_base(&r, HIGH);
        if (vectors) {
            splat_v(&r, 3, DATA);
            splat_v(&r, 10, 0x100);
            splat_v(&r, 11, (uint32_t)(HIGH >> 32));
            do_prefixed(&r, PAIR, OP("vsw12.v", 10, 0, 10));
            do_prefixed(&r, PAIR, OP("vlw12.v", 10, 0, 3));
        } else {
            set_x(&r, 10, 0x100);
            set_x(&r, 11, (uint32_t)(HIGH >> 32));
            do_prefixed(&r, PAIR, OP("sw", 10, 0, 10));
            do_prefixed(&r, PAIR, OP("lw", 10, 0, 10));
        }
    }
    rig_close(&r);
}

/* Memory beyond 4 GiB from outside, and its walk. */
static void memory_beyond(void **unused) {
    (void)unused;
    rig r;
    open_high(&r, 4);
    assert_int_equal(karat_map(r.model, UINT64_MAX - 4095, 4096), KARAT_OK);
    assert_int_equal(karat_map(r.model, HIGH - 0x2000, 0x4000), KARAT_OK); /* two pages are there already */
    assert_int_equal(karat_map(r.model, 0xfffff000, 0x2000), KARAT_OK);    /* on both sides of 4 GiB */
    char text[16];
    assert_int_equal(karat_write(r.model, 0xfffffffb, "0123456789", 11), KARAT_OK);
    assert_int_equal(karat_read(r.model, 0xfffffffb, text, 11), KARAT_OK);
    assert_string_equal(text, "0123456789");
    assert_int_equal(karat_write(r.model, UINT64_MAX - 1, "ab", 2), KARAT_OK);
    assert_int_equal(karat_write(r.model, UINT64_MAX - 1, "abc", 3), KARAT_NOT_MAPPED);
    assert_int_equal(karat_read(r.model, HIGH + MAPPED, text, 1), KARAT_NOT_MAPPED);
    uint64_t addr = 0xffffffff, expected[] = {0x100000000, HIGH - 0x2000, HIGH - 0x1000, HIGH};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, addr++) {
        assert_non_null(karat_next_page(r.model, &addr));
        assert_true(addr == expected[i]);
    }
    addr = HIGH + MAPPED;
    assert_non_null(karat_next_page(r.model, &addr));
    assert_true(addr == UINT64_MAX - 4095);
    addr++;
    assert_null(karat_next_page(r.model, &addr));
    rig_close(&r);
}

int pair_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_loads_and_stores),
        cmocka_unit_test(pairs_with_x0),
        cmocka_unit_test(vector_forms),
        cmocka_unit_test(rows_of_the_v_extension),
        cmocka_unit_test(private_memory),
        cmocka_unit_test(no_lane_before_an_error),
        cmocka_unit_test(atomics_pair_the_address),
        cmocka_unit_test(extends_as_well),
        cmocka_unit_test(errors),
        cmocka_unit_test(memory_beyond),
    };
    return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
