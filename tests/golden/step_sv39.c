/* SV39 (docs/isa-notes.md, "Translation"): each rule by entries and addresses worked out by hand. */
#include "support.h"

#include "splitmix.h"

/* Bits of an entry. */
enum { V = 1, R = 2, W = 4, X = 8, U = 16, G = 32, A = 64, D = 128 };
#define RW       (V | R | W | A | D)
#define RWX      (RW | X)
#define TABLES   UINT64_C(0x100000000) /* Physical: table n is TABLES + 0x1000 * n; 0 is the root */
#define TABLE(n) (TABLES + 0x1000 * (uint64_t)(n))

/* The tables of open_space(): code is identical; VA is mapped on three levels, one at a time. */
enum { ROOT, CODE_1, CODE_0, DATA_1, DATA_0, UPPER_1, UPPER_0, OTHER_ROOT, OTHER_1, OTHER_0, NUM_TABLES };

#define VA      0x50203ab8u /* Page numbers 1, 0x81, 3; offsets 0xab8, 0x3ab8, 0x10203ab8 */
#define PAGE    0x50203000u
#define FRAME   (DATA + 0x5000)              /* Frame of its page: physical 0x90005ab8 */
#define MEGA    UINT64_C(0x120000000)        /* Frame of its 2 MiB: physical 0x120003ab8 */
#define GIGA    UINT64_C(0x140000000)        /* Frame of its 1 GiB: physical 0x150203ab8 */
#define MISSING UINT64_C(0xdeadbee000)       /* Physical, nowhere mapped */
#define UPPER   UINT64_C(0xffffffc000000000) /* The lowest address of the upper half: vpn 0x100, 0, 0 */

enum { X_ADDR = 5, X_DATA = 6, X_OLD = 7 };

static void put_entry(const rig *r, int table, unsigned index, uint64_t value) {
    uint8_t b[8];
    for (int i = 0; i < 8; i++)
        b[i] = (uint8_t)(value >> 8 * i);
    assert_int_equal(karat_write(r->model, TABLE(table) + 8 * index, b, 8), KARAT_OK);
}

static uint64_t entry(uint64_t phys, uint64_t bits) {
    return phys >> 12 << 10 | bits;
}

static uint32_t word_at(const rig *r, uint64_t phys) {
    uint8_t b[4];
    assert_int_equal(karat_read(r->model, phys, b, 4), KARAT_OK);
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_word(const rig *r, uint64_t phys, uint32_t value) {
    uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    assert_int_equal(karat_write(r->model, phys, b, 4), KARAT_OK);
}

/* The path to VA's page, or to a superpage around it, on that level: 0, 1 or 2. */
static void map_va(const rig *r, int level, uint64_t leaf) {
    put_entry(r, ROOT, 1, level == 2 ? leaf : entry(TABLE(DATA_1), V));
    put_entry(r, DATA_1, 0x81, level == 1 ? leaf : entry(TABLE(DATA_0), V));
    put_entry(r, DATA_0, 3, level == 0 ? leaf : 0);
}

static void open_space(rig *r, karat_profile profile) {
    karat_config config;
    karat_config_default(&config);
    config.profile = profile;
    config.translation = KARAT_TRANSLATION_SV39;
    config.num_thread = 4;
    config.max_warp = 8;
    config.max_workgroup = 4;
    config.lds_pool = 1u << 20;
    rig_open_config(r, &config);
    assert_int_equal(karat_map(r->model, TABLES, 0x1000 * NUM_TABLES), KARAT_OK);
    assert_int_equal(karat_map(r->model, MEGA, 0x4000), KARAT_OK);
    assert_int_equal(karat_map(r->model, GIGA + 0x10203000, 0x1000), KARAT_OK);
    put_entry(r, ROOT, 2, entry(TABLE(CODE_1), V)); /* 0x80000000: vpn 2, 0, 0 */
    put_entry(r, CODE_1, 0, entry(TABLE(CODE_0), V));
    for (unsigned i = 0; i < 16; i++)
        put_entry(r, CODE_0, i, entry(CODE + 0x1000 * i, RWX));
    map_va(r, 0, entry(FRAME, RW));
    r->desc.ptbr = TABLE(ROOT);
    r->desc.asid = 7;
    launch(r);
}

/* --- Faults --- */

#define NONE        KARAT_FAULT_NONE
#define NO_READ     KARAT_FAULT_NOT_READABLE
#define NO_WRITE    KARAT_FAULT_NOT_WRITABLE
#define NO_EXECUTE  KARAT_FAULT_NOT_EXECUTABLE
#define NO_ACCESSED KARAT_FAULT_NOT_ACCESSED
#define NO_DIRTY    KARAT_FAULT_NOT_DIRTY

/* Every instruction that accesses VA, and by which permission. */
static const struct {
    const char *name;
    int32_t op[KARAT_MAX_OPERAND];
    karat_page_use use;
} accesses[] = {
    {"lw", {X_OLD, 0, X_ADDR}, KARAT_USE_LOAD},
    {"lbu", {X_OLD, 0, X_ADDR}, KARAT_USE_LOAD},
    {"lr.w", {X_OLD, X_ADDR, 2}, KARAT_USE_LOAD},
    {"vle32.v", {1, X_ADDR, 1}, KARAT_USE_LOAD},
    {"vlw12.v", {1, 0, 2}, KARAT_USE_LOAD},
    {"sw", {X_DATA, 0, X_ADDR}, KARAT_USE_STORE},
    {"sb", {X_DATA, 0, X_ADDR}, KARAT_USE_STORE},
    {"sc.w", {X_OLD, X_DATA, X_ADDR, 1}, KARAT_USE_STORE},
    {"amoadd.w", {X_OLD, X_DATA, X_ADDR, 3}, KARAT_USE_STORE},
    {"amoswap.w", {0, X_DATA, X_ADDR, 0}, KARAT_USE_STORE},
    {"vse32.v", {1, X_ADDR, 1}, KARAT_USE_STORE},
    {"vsw12.v", {1, 0, 2}, KARAT_USE_STORE},
};
enum { NUM_ACCESSES = sizeof accesses / sizeof *accesses };

static void set_addresses(rig *r) {
    set_x(r, X_ADDR, VA);
    set_x(r, X_DATA, 0x11223344);
    ramp_v(r, 2, VA, 4);
}

static void expect_fault(const rig *r, const karat_page_fault *f, const char *what) {
    const karat_page_fault *got = &r->commit.fault;
    if (got->reason != f->reason || got->use != f->use || got->level != f->level || got->virt != f->virt ||
        got->phys != f->phys || got->entry_addr != f->entry_addr || got->entry != f->entry)
        fail_msg(
            "%s: %s, use %d level %d virt %llx phys %llx entry %llx at %llx; expected %s, use %d level %d "
            "virt %llx phys %llx entry %llx at %llx",
            what, karat_fault_name(got->reason), got->use, got->level, (unsigned long long)got->virt,
            (unsigned long long)got->phys, (unsigned long long)got->entry,
            (unsigned long long)got->entry_addr, karat_fault_name(f->reason), f->use, f->level,
            (unsigned long long)f->virt, (unsigned long long)f->phys, (unsigned long long)f->entry,
            (unsigned long long)f->entry_addr);
}

/* Fetch the instruction at VA; the launch is put back afterwards. */
static karat_status fetch_va(rig *r) {
    r->desc.pc = VA;
    launch(r);
    const karat_status status = step_warp(r, 0);
    r->desc.pc = CODE;
    return status;
}

/* Every access of that use faults as *f says, with nothing changed. */
static void fault_each(rig *r, karat_page_use use, karat_page_fault *f) {
    f->use = use;
    for (int i = 0; i < NUM_ACCESSES; i++) {
        if (accesses[i].use != use)
            continue;
        set_addresses(r);
        fail_word(r, assemble(accesses[i].name, accesses[i].op), KARAT_ERR_PAGE);
        expect_fault(r, f, accesses[i].name);
        assert_int_equal(r->commit.error.addr, VA);
        assert_int_equal(r->commit.error.lane, 0);
    }
    if (use != KARAT_USE_FETCH)
        return;
    assert_int_equal(fetch_va(r), KARAT_PROGRAM_ERROR);
    assert_int_equal(r->commit.error.kind, KARAT_ERR_PAGE);
    assert_int_equal(r->commit.error.pc, VA);
    assert_int_equal(r->commit.error.lane, -1);
    assert_int_equal(r->commit.row, KARAT_NO_ROW);
    expect_fault(r, f, "fetch");
    launch(r);
}

/* No access of that use faults. */
static void pass_each(rig *r, karat_page_use use) {
    for (int i = 0; i < NUM_ACCESSES; i++)
        if (accesses[i].use == use) {
            launch(r);
            set_addresses(r);
            do_word(r, assemble(accesses[i].name, accesses[i].op));
        }
    if (use == KARAT_USE_FETCH) {
        assert_int_equal(fetch_va(r), KARAT_OK);
        launch(r);
    }
}

/* Where each level's entry for VA is, and the physical address of VA by a leaf there. */
static const uint64_t entry_addr[] = {TABLE(DATA_0) + 0x18, TABLE(DATA_1) + 0x408, TABLE(ROOT) + 8};
static const uint64_t va_phys[] = {UINT64_C(0x90005ab8), UINT64_C(0x120003ab8), UINT64_C(0x150203ab8)};
static const uint64_t frame[] = {FRAME, MEGA, GIGA};

/* A leaf with those bits on each level: the faults of fetches, of loads, and of stores and AMOs. */
static void try_leaf(rig *r, uint64_t bits, karat_fault_reason fetch, karat_fault_reason load,
                     karat_fault_reason store) {
    const karat_fault_reason reasons[] = {fetch, load, store};
    for (int level = 0; level < 3; level++) {
        const uint64_t leaf = entry(frame[level], bits);
        map_va(r, level, leaf);
        for (karat_page_use use = KARAT_USE_FETCH; use <= KARAT_USE_STORE; use++) {
            karat_page_fault f = {.reason = reasons[use],
                                  .level = (uint8_t)level,
                                  .virt = VA,
                                  .phys = va_phys[level],
                                  .entry_addr = entry_addr[level],
                                  .entry = leaf};
            put_word(r, va_phys[level], OP("addi", 1, 0, 0));
            if (f.reason == NONE)
                pass_each(r, use);
            else
                fault_each(r, use, &f);
        }
    }
}

TEST(permissions) {
    RIG(r, open_space, KARAT_V202);
    try_leaf(&r, RWX, NONE, NONE, NONE);
    try_leaf(&r, RWX | U | G | 0x300, NONE, NONE, NONE); /* Bits that nobody looks at: U, G, and software's */
    try_leaf(&r, RW, NO_EXECUTE, NONE, NONE);
    try_leaf(&r, V | R | A | D, NO_EXECUTE, NONE, NO_WRITE);
    try_leaf(&r, V | R | X | A | D, NONE, NONE, NO_WRITE);
    try_leaf(&r, V | X | A | D, NONE, NO_READ, NO_WRITE);
    try_leaf(&r, RWX & ~(uint64_t)D, NONE, NONE, NO_DIRTY);
    try_leaf(&r, RWX & ~(uint64_t)A, NO_ACCESSED, NO_ACCESSED, NO_ACCESSED);
    try_leaf(&r, RWX & ~(uint64_t)(A | D), NO_ACCESSED, NO_ACCESSED, NO_ACCESSED);
    try_leaf(&r, RW & ~(uint64_t)A, NO_EXECUTE, NO_ACCESSED, NO_ACCESSED); /* Permissions come first */
    try_leaf(&r, V | R, NO_EXECUTE, NO_ACCESSED, NO_WRITE);
}

/* A leaf whose physical address is not mapped, or in the LDS window: the access is, the translation is not,
 * an error. */
TEST(frames_out_of_memory) {
    static const uint64_t places[] = {MISSING, LDS};
    RIG(r, open_space, KARAT_V202);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        map_va(&r, 0, entry(places[k], RWX));
        for (int i = 0; i < NUM_ACCESSES; i++) {
            set_addresses(&r);
            fail_word(&r, assemble(accesses[i].name, accesses[i].op), KARAT_ERR_UNMAPPED);
            assert_int_equal(r.commit.error.addr, VA);
            assert_int_equal(r.commit.error.lane, 0);
        }
        assert_int_equal(fetch_va(&r), KARAT_PROGRAM_ERROR);
        assert_int_equal(r.commit.error.kind, KARAT_ERR_FETCH);
        assert_int_equal(r.commit.error.pc, VA);
        launch(&r);
    }
    /* Alignment comes before translation. */
    map_va(&r, 0, 0);
    set_x(&r, X_ADDR, VA + 1);
    FAIL(&r, KARAT_ERR_MISALIGNED, "lh", X_OLD, 0, X_ADDR);
    assert_int_equal(r.commit.error.addr, VA + 1);
    r.desc.pc = VA + 2;
    launch(&r);
    assert_int_equal(step_warp(&r, 0), KARAT_PROGRAM_ERROR);
    assert_int_equal(r.commit.error.kind, KARAT_ERR_FETCH);
}

/* --- Accesses --- */

static void expect_access(const rig *r, uint32_t k, uint64_t virt, uint64_t phys) {
    assert_true(k < r->commit.mem.num);
    if (r->commit.mem.virt[k] != virt || karat_mem_access(&r->commit.mem, k).addr != phys)
        fail_msg("access %u: %llx at %llx; expected %llx at %llx", k,
                 (unsigned long long)r->commit.mem.virt[k],
                 (unsigned long long)karat_mem_access(&r->commit.mem, k).addr, (unsigned long long)virt,
                 (unsigned long long)phys);
}

/* On each level the whole offset is the virtual address's, and access and memory are at the physical one. */
TEST(superpages) {
    RIG(r, open_space, KARAT_V202);
    for (int level = 0; level < 3; level++) {
        map_va(&r, level, entry(frame[level], RW));
        put_word(&r, va_phys[level], 0x01020300u + (uint32_t)level);
        set_addresses(&r);
        DO(&r, "lw", X_OLD, 0, X_ADDR);
        assert_int_equal(get_x(&r, X_OLD), 0x01020300u + (uint32_t)level);
        assert_int_equal(r.commit.mem.num, 1);
        assert_int_equal(r.commit.mem.space, KARAT_GLOBAL);
        expect_access(&r, 0, VA, va_phys[level]);
        DO(&r, "sw", X_DATA, 4, X_ADDR);
        expect_access(&r, 0, VA + 4, va_phys[level] + 4);
        assert_int_equal(word_at(&r, va_phys[level] + 4), 0x11223344);
        DO(&r, "amoadd.w", X_OLD, X_DATA, X_ADDR, 0);
        expect_access(&r, 0, VA, va_phys[level]);
        assert_int_equal(get_x(&r, X_OLD), 0x01020300u + (uint32_t)level);
        assert_int_equal(word_at(&r, va_phys[level]), 0x12243644u + (uint32_t)level);
        DO(&r, "lbu", X_OLD, 3, X_ADDR);
        assert_int_equal(get_x(&r, X_OLD), 0x12);
        expect_access(&r, 0, VA + 3, va_phys[level] + 3);
    }
}

/* Lanes of one instruction on several pages, which are not neighbours in memory. */
TEST(lanes_on_several_pages) {
    RIG(r, open_space, KARAT_V202);
    put_entry(&r, DATA_0, 4, entry(DATA + 0x2000, RW)); /* After VA's page comes one that is before it */
    set_x(&r, X_ADDR, PAGE + 0xff8);
    set_v(&r, 1, (const uint32_t[KARAT_MAX_THREAD]){10, 11, 12, 13});
    DO(&r, "vse32.v", 1, X_ADDR, 1);
    expect_access(&r, 0, PAGE + 0xff8, FRAME + 0xff8);
    expect_access(&r, 1, PAGE + 0xffc, FRAME + 0xffc);
    expect_access(&r, 2, PAGE + 0x1000, DATA + 0x2000);
    expect_access(&r, 3, PAGE + 0x1004, DATA + 0x2004);
    assert_int_equal(word_at(&r, FRAME + 0xffc), 11);
    assert_int_equal(word_at(&r, DATA + 0x2000), 12);
    DO(&r, "vle32.v", 3, X_ADDR, 1);
    EXPECT_V(&r, 3, 10, 11, 12, 13);
    /* To and fro between them. */
    set_v(&r, 2,
          (const uint32_t[KARAT_MAX_THREAD]){PAGE + 0x1004, PAGE + 0xff8, PAGE + 0x1000, PAGE + 0xffc});
    DO(&r, "vlw12.v", 4, 0, 2);
    EXPECT_V(&r, 4, 13, 10, 12, 11);
    /* LMUL 2: eight elements, two on the second page. */
    DO(&r, "vsetvli", X_OLD, 0, 0xd1);
    set_x(&r, X_ADDR, PAGE + 0xfe8);
    DO(&r, "vle32.v", 6, X_ADDR, 1);
    EXPECT_V(&r, 6, 0, 0, 0, 0);
    EXPECT_V(&r, 7, 10, 11, 12, 13);
    expect_access(&r, 7, PAGE + 0x1004, DATA + 0x2004);
    DO(&r, "vsetvli", X_OLD, 0, 0xd0);
    /* The lowest lane on a page that is not mapped is reported; those before it have stored nothing. */
    put_entry(&r, DATA_0, 4, 0);
    set_x(&r, X_ADDR, PAGE + 0xff8);
    splat_v(&r, 1, 99);
    FAIL(&r, KARAT_ERR_PAGE, "vse32.v", 1, X_ADDR, 1);
    assert_int_equal(r.commit.error.lane, 2);
    assert_int_equal(r.commit.error.addr, PAGE + 0x1000);
    assert_int_equal(r.commit.fault.virt, PAGE + 0x1000);
    assert_int_equal(r.commit.fault.entry_addr, TABLE(DATA_0) + 0x20);
    /* Lanes that are not active do not fault. */
    set_x(&r, X_ADDR, PAGE + 0xff8);
    narrow(&r, 2);
    DO(&r, "vle32.v", 3, X_ADDR, 1);
    assert_int_equal(r.commit.mem.num, 1);
    expect_access(&r, 0, PAGE + 0xffc, FRAME + 0xffc);
}

/* Two virtual pages on one physical page. */
TEST(aliases) {
    RIG(r, open_space, KARAT_V202);
    put_entry(&r, DATA_0, 9, entry(FRAME, RW));
    set_x(&r, X_ADDR, PAGE);
    set_x(&r, X_DATA, 77);
    set_x(&r, 8, PAGE + 0x6000);
    DO(&r, "sw", X_DATA, 0x10, X_ADDR);
    DO(&r, "lw", X_OLD, 0x10, 8);
    assert_int_equal(get_x(&r, X_OLD), 77);
    /* Of two lanes on one word, the higher one's value stays, by whatever address. */
    set_v(&r, 2, (const uint32_t[KARAT_MAX_THREAD]){PAGE + 0x40, PAGE + 0x6040, PAGE + 0x44, PAGE + 0x6044});
    set_v(&r, 1, (const uint32_t[KARAT_MAX_THREAD]){1, 2, 3, 4});
    DO(&r, "vsw12.v", 1, 0, 2);
    assert_int_equal(word_at(&r, FRAME + 0x40), 2);
    assert_int_equal(word_at(&r, FRAME + 0x44), 4);
    assert_int_equal(karat_mem_access(&r.commit.mem, 1).old, 1);
    /* A reservation is on the word in memory: SC succeeds by another address, ... */
    set_x(&r, X_ADDR, PAGE + 0x10);
    set_x(&r, 8, PAGE + 0x6010);
    DO(&r, "lr.w", X_OLD, X_ADDR, 0);
    DO(&r, "sc.w", X_OLD, X_DATA, 8, 0);
    assert_true(r.commit.mem.succeeded);
    /* ... and another warp's store by another address breaks it. */
    launch_warps(&r, 2);
    for (uint32_t w = 0; w < 2; w++) {
        const uint32_t addr[KARAT_MAX_THREAD] = {PAGE + 0x10 + 0x6000 * w};
        assert_int_equal(karat_adopt(r.model, w, KARAT_CLASS_X, X_ADDR, 1, addr), KARAT_OK);
    }
    DO(&r, "lr.w", X_OLD, X_ADDR, 0);
    put_word(&r, CODE, OP("sw", 0, 0, X_ADDR));
    assert_int_equal(step_warp(&r, 1), KARAT_OK);
    DO(&r, "sc.w", X_OLD, X_DATA, X_ADDR, 0);
    assert_false(r.commit.mem.succeeded);
    assert_int_equal(word_at(&r, FRAME + 0x10), 0);
}

/* The window is not translated, whatever the tables have for it; what is not in it is, private memory too. */
TEST(lds_and_private_memory) {
    RIG(r, open_space, KARAT_V202);
    put_entry(&r, DATA_1, 0x180, entry(TABLE(OTHER_0), V)); /* 0x70000000: vpn 1, 0x180, 0 */
    put_entry(&r, OTHER_0, 0, entry(FRAME, RWX));
    put_word(&r, FRAME + 8, OP("addi", 1, 0, 5));
    set_x(&r, X_ADDR, LDS + 8);
    set_x(&r, X_DATA, 31);
    DO(&r, "sw", X_DATA, 0, X_ADDR);
    assert_int_equal(r.commit.mem.space, KARAT_LDS);
    expect_access(&r, 0, LDS + 8, LDS + 8);
    assert_int_equal(word_at(&r, FRAME + 8), OP("addi", 1, 0, 5));
    DO(&r, "lw", X_OLD, 0, X_ADDR);
    assert_int_equal(get_x(&r, X_OLD), 31);
    DO(&r, "amoadd.w", X_OLD, X_DATA, X_ADDR, 0);
    DO(&r, "lw", X_OLD, 0, X_ADDR);
    assert_int_equal(get_x(&r, X_OLD), 62);
    /* Lanes in it and outside of it. */
    set_v(&r, 2, (const uint32_t[KARAT_MAX_THREAD]){VA, LDS + 8, VA + 4, LDS + 8});
    put_word(&r, va_phys[0], 1);
    put_word(&r, va_phys[0] + 4, 2);
    DO(&r, "vlw12.v", 3, 0, 2);
    EXPECT_V(&r, 3, 1, 62, 2, 62);
    expect_access(&r, 2, VA + 4, va_phys[0] + 4);
    expect_access(&r, 3, LDS + 8, LDS + 8);
    r.desc.pc = LDS + 8; /* No instructions are there */
    launch(&r);
    assert_int_equal(step_warp(&r, 0), KARAT_PROGRAM_ERROR);
    assert_int_equal(r.commit.error.kind, KARAT_ERR_FETCH);
    r.desc.pc = CODE;
    /* CSR_PDS is virtual: word 1 of thread i is at CSR_PDS + 4 * 4 + 4 * i. */
    r.desc.csr[KARAT_CSR_PDS] = PAGE + 0xfe8;
    put_entry(&r, DATA_0, 4, entry(DATA + 0x2000, RW));
    launch(&r);
    splat_v(&r, 2, 4);
    ramp_v(&r, 1, 60, 1);
    DO(&r, "vsw.v", 1, 0, 2);
    assert_int_equal(r.commit.mem.space, KARAT_PRIVATE);
    expect_access(&r, 1, PAGE + 0xffc, FRAME + 0xffc);
    expect_access(&r, 2, PAGE + 0x1000, DATA + 0x2000);
    assert_int_equal(word_at(&r, DATA + 0x2004), 63);
    DO(&r, "vlw.v", 3, 0, 2);
    EXPECT_V(&r, 3, 60, 61, 62, 63);
    put_entry(&r, DATA_0, 4, 0);
    FAIL(&r, KARAT_ERR_PAGE, "vlw.v", 3, 0, 2);
    assert_int_equal(r.commit.error.lane, 2);
}

/* --- 64-bit addresses --- */

/* An address in x8 and x9. */
static void set_base(rig *r, uint64_t addr) {
    set_x(r, 8, (uint32_t)addr);
    set_x(r, 9, (uint32_t)(addr >> 32));
}

/* UPPER's page, and the highest page of the lower half, on FRAME. */
static void map_halves(const rig *r) {
    put_entry(r, ROOT, 0x100, entry(TABLE(UPPER_1), V));
    put_entry(r, ROOT, 0xff, entry(TABLE(UPPER_1), V));
    put_entry(r, UPPER_1, 0, entry(TABLE(UPPER_0), V));
    put_entry(r, UPPER_1, 0x1ff, entry(TABLE(UPPER_0), V));
    put_entry(r, UPPER_0, 0, entry(FRAME, RW));
    put_entry(r, UPPER_0, 0x1ff, entry(FRAME, RW));
}

static const uint64_t not_canonical[] = {
    UINT64_C(0x4000000000), /* The first after the lower half */
    UINT64_C(0xffffffbffffffffc), UINT64_C(0x8000000000),       UINT64_C(0x100000050203ab8),
    UINT64_C(0x8000000050203ab8), UINT64_C(0xffffff7fc0000000),
};

static void try_canonical(rig *r, uint32_t prefix) {
    static const uint64_t good[] = {UPPER, UPPER + 0xffc, UINT64_C(0x3ffffffffc), UINT64_C(0x3ffffff000)};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const uint64_t phys = FRAME + (good[i] & 0xfff);
        launch(r);
        put_word(r, phys, 40 + (uint32_t)i);
        set_base(r, good[i]);
        do_prefixed(r, prefix, OP("lw", X_OLD, 0, 8));
        assert_int_equal(get_x(r, X_OLD), 40 + i);
        assert_int_equal(r->commit.mem.wide_address, 1);
        expect_access(r, 0, good[i], phys);
        do_prefixed(r, prefix, OP("amoadd.w", X_OLD, X_OLD, 8, 0));
        assert_int_equal(word_at(r, phys), 80 + 2 * i);
        expect_access(r, 0, good[i], phys);
    }
    for (size_t i = 0; i < sizeof not_canonical / sizeof *not_canonical; i++)
        for (int store = 0; store < 2; store++) {
            const karat_page_fault f = {.reason = KARAT_FAULT_NOT_CANONICAL,
                                        .use = store ? KARAT_USE_STORE : KARAT_USE_LOAD,
                                        .level = 2,
                                        .virt = not_canonical[i]};
            set_base(r, not_canonical[i]);
            fail_prefixed(r, prefix, store ? OP("sw", X_DATA, 0, 8) : OP("lw", X_OLD, 0, 8), KARAT_ERR_PAGE);
            expect_fault(r, &f, "not canonical");
            assert_true(r->commit.error.addr == not_canonical[i]);
        }
}

TEST(wide_addresses) {
    rig r;
    open_space(&r, KARAT_V202);
    map_halves(&r);
    try_canonical(&r, regpair(0, 0, 0, 0));
    /* Two words, on two pages. */
    put_entry(&r, UPPER_0, 1, entry(DATA + 0x1000, RW));
    put_word(&r, FRAME + 0xffc, 5);
    put_word(&r, DATA + 0x1000, 6);
    set_base(&r, UPPER + 0xffc);
    do_prefixed(&r, regpair(0, 0, 0, 0), OP("lw", 10, 0, 8));
    assert_int_equal(get_x(&r, 10), 5);
    assert_int_equal(get_x(&r, 11), 6);
    expect_access(&r, 1, UPPER + 0x1000, DATA + 0x1000);
    rig_close(&r);
    open_space(&r, KARAT_V203);
    map_halves(&r);
    try_canonical(&r, OP("pre_m_32", 0, 0, 0, 0, 1, 0));
    /* The base of each lane is a pair; four words of each lane, of which one crosses the pages. */
    put_entry(&r, UPPER_0, 1, entry(DATA + 0x1000, RW));
    const uint64_t base = UPPER + 0xff8;
    for (uint32_t i = 0; i < 4; i++)
        put_word(&r, i < 2 ? FRAME + 0xff8 + 4 * i : DATA + 0x1000 + 4 * (i - 2), 70 + i);
    splat_v(&r, 8, (uint32_t)base);
    splat_v(&r, 9, (uint32_t)(base >> 32));
    DO(&r, "vlw12d.v", 3, 0, 8);
    EXPECT_V(&r, 3, 70, 70, 70, 70);
    expect_access(&r, 3, base, FRAME + 0xff8);
    do_prefixed(&r, OP("pre_m_128", 0, 0, 0, 0, 1, 0), OP("vlw12.v", 4, 0, 8));
    for (unsigned w = 0; w < 4; w++)
        EXPECT_V(&r, 4 + w, 70 + w, 70 + w, 70 + w, 70 + w);
    assert_int_equal(r.commit.mem.num, 16);
    expect_access(&r, 5, base + 4, FRAME + 0xffc);
    expect_access(&r, 6, base + 8, DATA + 0x1000);
    put_entry(&r, UPPER_0, 1, entry(DATA + 0x1000, RW & ~(uint64_t)D));
    splat_v(&r, 8, (uint32_t)base);
    splat_v(&r, 9, (uint32_t)(base >> 32));
    fail_prefixed(&r, OP("pre_m_128", 0, 0, 0, 0, 1, 0), OP("vsw12.v", 4, 0, 8), KARAT_ERR_PAGE);
    assert_int_equal(r.commit.fault.reason, NO_DIRTY);
    assert_true(r.commit.fault.virt == UPPER + 0x1000);
    assert_int_equal(r.commit.error.lane, 0);
    for (size_t i = 0; i < sizeof not_canonical / sizeof *not_canonical; i++) {
        splat_v(&r, 8, (uint32_t)not_canonical[i]);
        splat_v(&r, 9, (uint32_t)(not_canonical[i] >> 32));
        FAIL(&r, KARAT_ERR_PAGE, "vlw12d.v", 3, 0, 8);
        assert_int_equal(r.commit.fault.reason, KARAT_FAULT_NOT_CANONICAL);
    }
    rig_close(&r);
}

/* --- Fetch --- */

TEST(prefix_on_two_pages) {
    RIG(r, open_space, KARAT_V202);
    put_entry(&r, CODE_0, 1, entry(CODE + 0x7000, RWX));
    put_word(&r, CODE + 0xffc, regext(0, 0, 0, 1));
    put_word(&r, CODE + 0x7000, OP("vadd.vv", 1, 2, 3, 1));
    put_word(&r, CODE + 0x1000, 0);
    r.desc.pc = CODE + 0xffc;
    launch(&r);
    splat_v(&r, 2, 3);
    splat_v(&r, 3, 4);
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    assert_int_equal(r.commit.pc, CODE + 0x1000);
    assert_int_equal(r.commit.word, OP("vadd.vv", 1, 2, 3, 1));
    EXPECT_V(&r, 33, 7, 7, 7, 7);
    /* The second page's entry loses X, with the step in the decode cache. */
    const uint64_t leaf = entry(CODE + 0x7000, RW);
    put_entry(&r, CODE_0, 1, leaf);
    launch(&r);
    assert_int_equal(step_warp(&r, 0), KARAT_PROGRAM_ERROR);
    assert_int_equal(r.commit.error.kind, KARAT_ERR_PAGE);
    assert_int_equal(r.commit.error.pc, CODE + 0xffc);
    assert_int_equal(r.commit.num_writes, 0);
    const karat_page_fault f = {.reason = NO_EXECUTE,
                                .use = KARAT_USE_FETCH,
                                .level = 0,
                                .virt = CODE + 0x1000,
                                .phys = CODE + 0x7000,
                                .entry_addr = TABLE(CODE_0) + 8,
                                .entry = leaf};
    expect_fault(&r, &f, "second word");
    /* The first page has a fault of its own. */
    put_entry(&r, CODE_0, 1, entry(CODE + 0x7000, RWX));
    put_entry(&r, CODE_0, 0, 0);
    launch(&r);
    assert_int_equal(step_warp(&r, 0), KARAT_PROGRAM_ERROR);
    assert_int_equal(r.commit.fault.virt, CODE + 0xffc);
    assert_int_equal(r.commit.fault.reason, KARAT_FAULT_INVALID);
}

/* A jump to the first word of a page, after one that cannot be fetched: there is no prefix to skip, and no
 * error. */
TEST(jump_after_unmapped_page) {
    RIG(r, open_space, KARAT_V202);
    put_entry(&r, CODE_0, 1, entry(CODE + 0x7000, RW));
    put_word(&r, CODE + 0x7ffc, regext(0, 0, 0, 1));
    put_word(&r, CODE, OP("jal", 0, 0x2000));
    put_word(&r, CODE + 0x2000, OP("addi", 1, 0, 9));
    for (int fetchable = 0; fetchable < 2; fetchable++) {
        put_entry(&r, CODE_0, 1, entry(CODE + 0x7000, fetchable ? RWX : RW));
        launch(&r);
        assert_int_equal(step_warp(&r, 0), KARAT_OK);
        assert_int_equal(step_warp(&r, 0), KARAT_OK);
        assert_int_equal(r.commit.warnings, fetchable ? KARAT_WARN_SKIPPED_PREFIX : 0);
        assert_int_equal(get_x(&r, 1), 9);
    }
}

/* Two warps at one pc in two address spaces, step by step: the decode cache keeps them apart. */
TEST(two_address_spaces) {
    RIG(r, open_space, KARAT_V202);
    put_entry(&r, OTHER_ROOT, 2, entry(TABLE(OTHER_1), V));
    put_entry(&r, OTHER_1, 0, entry(TABLE(OTHER_0), V));
    put_entry(&r, OTHER_0, 0, entry(CODE + 0x3000, RWX));
    const uint32_t code[2][4] = {
        {OP("addi", 1, 1, 1), regext(0, 0, 0, 0), OP("addi", 2, 2, 1), OP("jal", 0, -12)},
        {regext(0, 0, 0, 0), OP("addi", 1, 1, 16), OP("addi", 2, 2, 16), OP("jal", 0, -12)}};
    for (uint32_t i = 0; i < 4; i++) {
        put_word(&r, CODE + 4 * i, code[0][i]);
        put_word(&r, CODE + 0x3000 + 4 * i, code[1][i]);
    }
    karat_workgroup_close(r.model, 0);
    assert_int_equal(karat_workgroup_open(r.model, 0, 2), KARAT_OK);
    for (uint32_t w = 0; w < 2; w++) {
        karat_launch_desc desc = r.desc;
        desc.ptbr = TABLE(w ? OTHER_ROOT : ROOT);
        assert_int_equal(karat_launch(r.model, w, &desc), KARAT_OK);
    }
    for (uint32_t i = 0; i < 30; i++)
        for (uint32_t w = 0; w < 2; w++) {
            assert_int_equal(step_warp(&r, w), KARAT_OK);
            assert_int_equal(r.commit.row, karat_find_row(i % 3 == 2 ? "jal" : "addi"));
        }
    for (uint32_t w = 0; w < 2; w++) {
        karat_warp_view view;
        assert_int_equal(karat_view(r.model, w, &view), KARAT_OK);
        assert_int_equal(view.x[1], w ? 160 : 10);
        assert_int_equal(view.x[2], w ? 160 : 10);
    }
}

/* --- Changes of the tables --- */

/* The next access sees the new entry, whoever wrote it. */
TEST(tables_change) {
    RIG(r, open_space, KARAT_V202);
    put_word(&r, va_phys[0], 1);
    put_word(&r, DATA + 0x9ab8, 2);
    set_addresses(&r);
    DO(&r, "lw", X_OLD, 0, X_ADDR);
    assert_int_equal(get_x(&r, X_OLD), 1);
    put_entry(&r, DATA_0, 3, entry(DATA + 0x9000, RW)); /* By the host */
    DO(&r, "lw", X_OLD, 0, X_ADDR);
    assert_int_equal(get_x(&r, X_OLD), 2);
    /* By the program: the table itself is mapped at the next page. */
    put_entry(&r, DATA_0, 4, entry(TABLE(DATA_0), RW));
    set_x(&r, 8, PAGE + 0x1000);
    set_x(&r, X_DATA, (uint32_t)entry(FRAME, RW));
    DO(&r, "sw", X_DATA, 0x18, 8);
    DO(&r, "lw", X_OLD, 0, X_ADDR);
    assert_int_equal(get_x(&r, X_OLD), 1);
    /* Nobody sets A and D. */
    assert_int_equal(word_at(&r, entry_addr[0]), entry(FRAME, RW));
    put_entry(&r, DATA_0, 3, entry(FRAME, V | R | W | A));
    set_addresses(&r);
    DO(&r, "lw", X_OLD, 0, X_ADDR);
    FAIL(&r, KARAT_ERR_PAGE, "sw", X_DATA, 0, X_ADDR);
    assert_int_equal(r.commit.fault.reason, NO_DIRTY);
    assert_int_equal(word_at(&r, entry_addr[0]), (uint32_t)entry(FRAME, V | R | W | A));
}

/* --- Steps against walks, while tables change --- */

/* An entry of one of the tables of data: most of them lead on as tables do, and some anywhere. */
static void draw_entry(rig *r, uint64_t *random) {
    static const int tables[] = {ROOT, OTHER_ROOT, DATA_1, OTHER_1, DATA_0, OTHER_0};
    static const unsigned index[] = {1, 0x81, 3, 4};
    static const uint64_t bits[] = {
        V, RWX, RWX, RWX, RW, V | R | A | D, RW & ~(uint64_t)D, RW & ~(uint64_t)A};
    const uint32_t from = karat_random_below(random, 6), any = karat_random_below(random, 6);
    const bool leads_on = karat_random_below(random, 8) && from < 4;
    const uint64_t next = TABLE(tables[leads_on ? from / 2 * 2 + 2 + any % 2 : any]),
                   places[] = {FRAME, DATA + 0x2000, next, MEGA, MISSING, GIGA},
                   leaf = entry(places[karat_random_below(random, 6)], bits[karat_random_below(random, 8)]);
    put_entry(r, tables[from], index[karat_random_below(random, 4)],
              !karat_random_below(random, 32) ? karat_random(random)
              : leads_on                      ? entry(next, V)
                                              : leaf);
}

/* An instruction at one of the addresses by which these entries are found. Its operands are set, and the
 * addresses of its lanes returned. */
static uint32_t draw_access(rig *r, uint64_t *random, int which, uint64_t virt[4]) {
    const uint32_t a = 1u << 30, b = karat_random_below(random, 2) ? 0x81u << 21 : 1u << 21,
                   page = a + b + ((3 + karat_random_below(random, 2)) << 12),
                   offset = karat_random_below(random, 4) ? 8 * karat_random_below(random, 512) : 0xff8,
                   addr = page + offset;
    const uint64_t stored = entry(TABLE(karat_random_below(random, NUM_TABLES)), V);
    const bool one = *accesses[which].name != 'v';
    uint32_t lanes[KARAT_MAX_THREAD] = {0};
    for (uint32_t i = 0; i < 4; i++) {
        lanes[i] = addr + 4 * i;
        if (strstr(accesses[which].name, "w12") && karat_random_below(random, 2))
            lanes[i] = page ^ (karat_random_below(random, 8) << 12); /* Of no shape */
        virt[i] = lanes[i];
    }
    launch(r);
    set_x(r, X_ADDR, addr);
    set_x(r, X_DATA, (uint32_t)stored);
    splat_v(r, 1, (uint32_t)stored);
    set_v(r, 2, lanes);
    return one ? 1 : 4;
}

/* The result of karat_translate() for these lanes, before the step: the number of lanes, or the first that
 * fails, with *fault. */
static uint32_t walk_lanes(const rig *r, const uint64_t virt[], uint32_t num, karat_page_use use,
                           uint64_t phys[], karat_page_fault *fault) {
    uint8_t byte;
    for (uint32_t i = 0; i < num; i++)
        if (karat_translate(r->model, r->desc.ptbr, virt[i], use, &phys[i], fault) != KARAT_OK ||
            karat_read(r->model, phys[i], &byte, 1) != KARAT_OK)
            return i;
    return num;
}

/* A model remembers walks (mem/sv39.c); karat_translate() does not. Every access of a step is where a walk at
 * that time leads, and every fault is that walk's, while the host and the program change tables, warps have
 * one root or another, and memory comes and goes. */
TEST(walks_that_are_kept) {
    RIG(r, open_space, KARAT_V202);
    const char *seed = getenv("KARAT_SEED");
    uint64_t random = seed ? strtoull(seed, NULL, 0) : 39;
    unsigned passed = 0, faulted = 0, unmapped = 0;
    print_message("KARAT_SEED=%llu\n", (unsigned long long)random);
    put_entry(&r, OTHER_ROOT, 2, entry(TABLE(CODE_1), V));
    for (int n = 0; n < 40000 / KARAT_TEST_SCALE; n++) {
        if (karat_random_below(&random, 3) == 0)
            draw_entry(&r, &random);
        put_entry(&r, ROOT, 2, entry(TABLE(CODE_1), V)); /* The program may have written there */
        put_entry(&r, OTHER_ROOT, 2, entry(TABLE(CODE_1), V));
        put_entry(&r, CODE_1, 0, entry(TABLE(CODE_0), V));
        const bool hidden = karat_random_below(&random, 32) == 0; /* The code */
        put_entry(&r, CODE_0, 0, entry(CODE, hidden ? RW : RWX));
        if (karat_random_below(&random, 64) == 0) {
            assert_int_equal(karat_unmap(r.model, MEGA, 0x4000), KARAT_OK);
            if (karat_random_below(&random, 2))
                assert_int_equal(karat_map(r.model, MEGA, 0x4000), KARAT_OK);
        }
        if (karat_random_below(&random, 16) == 0)
            assert_int_equal(karat_map(r.model, MEGA, 0x4000), KARAT_OK);
        r.desc.ptbr = karat_random_below(&random, 4) ? TABLE(ROOT) : TABLE(OTHER_ROOT);
        const int which = (int)karat_random_below(&random, NUM_ACCESSES);
        uint64_t virt[4], phys[4];
        karat_page_fault fault;
        const uint32_t lanes = draw_access(&r, &random, which, virt);
        put_word(&r, CODE, assemble(accesses[which].name, accesses[which].op));
        const uint32_t good = walk_lanes(&r, virt, lanes, accesses[which].use, phys, &fault);
        const karat_status status = step_warp(&r, 0);
        if (hidden) {
            assert_int_equal(status, KARAT_PROGRAM_ERROR);
            assert_int_equal(r.commit.error.kind, KARAT_ERR_PAGE);
            assert_int_equal(r.commit.fault.virt, CODE);
            assert_int_equal(r.commit.fault.reason, NO_EXECUTE);
            continue;
        }
        if (good == lanes) {
            assert_int_equal(status, KARAT_OK);
            for (uint32_t i = 0; i < r.commit.mem.num; i++) /* An SC fails and has none */
                expect_access(&r, i, virt[i], phys[i]);
            passed++;
            continue;
        }
        assert_int_equal(status, KARAT_PROGRAM_ERROR);
        assert_int_equal(r.commit.error.kind, fault.reason ? KARAT_ERR_PAGE : KARAT_ERR_UNMAPPED);
        assert_int_equal(r.commit.error.lane, good);
        assert_int_equal(r.commit.error.addr, virt[good]);
        if (fault.reason)
            expect_fault(&r, &fault, accesses[which].name);
        *(fault.reason ? &faulted : &unmapped) += 1;
    }
    if (passed < 4000 / KARAT_TEST_SCALE || faulted < 4000 / KARAT_TEST_SCALE ||
        unmapped < 100 / KARAT_TEST_SCALE)
        fail_msg("%u accesses passed, %u faulted, %u were unmapped", passed, faulted, unmapped);
}

/* A store that unmaps a page of its own later lanes: all lanes are translated before the first one stores. */
TEST(translation_comes_first) {
    RIG(r, open_space, KARAT_V202);
    put_entry(&r, DATA_0, 4, entry(TABLE(DATA_0), RW));
    set_v(&r, 2, (const uint32_t[KARAT_MAX_THREAD]){PAGE + 0x1018, PAGE + 0x101c, VA, VA + 4});
    set_v(&r, 1, (const uint32_t[KARAT_MAX_THREAD]){0, 0, 8, 9});
    DO(&r, "vsw12.v", 1, 0, 2);
    assert_int_equal(word_at(&r, va_phys[0] + 4), 9);
    set_addresses(&r);
    FAIL(&r, KARAT_ERR_PAGE, "lw", X_OLD, 0, X_ADDR);
    assert_int_equal(r.commit.fault.reason, KARAT_FAULT_INVALID);
}

/* --- Snapshots, arguments --- */

TEST(snapshots) {
    RIG(r, open_space, KARAT_V202);
    const uint32_t code[] = {OP("lr.w", X_OLD, X_ADDR, 0), OP("sc.w", X_OLD, X_DATA, 8, 0),
                             OP("lw", X_OLD, 0, X_ADDR), OP("jal", 0, 0x10000)};
    for (uint32_t i = 0; i < 4; i++)
        put_word(&r, CODE + 4 * i, code[i]);
    put_entry(&r, DATA_0, 9, entry(FRAME, RW));
    put_word(&r, FRAME, 1); /* A page of zeros takes less room */
    set_addresses(&r);
    set_x(&r, 8, VA + 0x6000);
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    const size_t size = karat_save_size(r.model);
    void *bytes = test_malloc(size), *after[2];
    assert_int_equal(karat_save(r.model, bytes, size), KARAT_OK);
    karat_model *again = karat_restore(bytes, size, NULL);
    assert_non_null(again);
    assert_memory_equal(karat_get_config(again), karat_get_config(r.model), sizeof(karat_config));
    static karat_commit commits[2];
    for (int i = 0; i < 4; i++) {
        memset(commits, 0, sizeof commits);
        const karat_status status = karat_step(r.model, 0, &commits[0]);
        assert_int_equal(karat_step(again, 0, &commits[1]), status);
        static shown both[2];
        show(r.model, &commits[0], &both[0]);
        show(again, &commits[1], &both[1]);
        assert_memory_equal(&both[0], &both[1], sizeof *both);
        assert_int_equal(status, i < 3 ? KARAT_OK : KARAT_PROGRAM_ERROR);
        if (i == 0)
            assert_true(commits[1].mem.succeeded);
    }
    assert_int_equal(commits[1].error.kind, KARAT_ERR_PAGE);
    assert_int_equal(commits[1].fault.virt, CODE + 0x1000c);
    const karat_model *models[] = {r.model, again};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(karat_save_size(models[i]), size);
        after[i] = test_malloc(size);
        assert_int_equal(karat_save(models[i], after[i], size), KARAT_OK);
    }
    assert_memory_equal(after[0], after[1], size);
    for (int i = 0; i < 2; i++)
        test_free(after[i]);
    test_free(bytes);
    karat_destroy(again);
    /* PTBR and ASID are part of the state. */
    void *other[2];
    for (uint32_t i = 0; i < 2; i++) {
        r.desc.asid = 7 + i;
        launch(&r);
        other[i] = test_malloc(karat_save_size(r.model));
        assert_int_equal(karat_save(r.model, other[i], karat_save_size(r.model)), KARAT_OK);
    }
    assert_true(memcmp(other[0], other[1], karat_save_size(r.model)) != 0);
    for (uint32_t i = 0; i < 2; i++)
        test_free(other[i]);
}

TEST(translate_and_arguments) {
    rig r;
    open_space(&r, KARAT_V202);
    uint64_t phys = 1;
    karat_page_fault fault;
    assert_int_equal(karat_translate(r.model, TABLES, VA, KARAT_USE_LOAD, &phys, &fault), KARAT_OK);
    assert_int_equal(phys, va_phys[0]);
    assert_int_equal(fault.reason, NONE);
    assert_int_equal(karat_translate(r.model, TABLES, VA, KARAT_USE_LOAD, &phys, NULL), KARAT_OK);
    phys = 1;
    assert_int_equal(karat_translate(r.model, TABLES, VA, KARAT_USE_FETCH, &phys, &fault), KARAT_NOT_MAPPED);
    assert_int_equal(phys, 1);
    assert_int_equal(fault.reason, NO_EXECUTE);
    assert_int_equal(fault.phys, va_phys[0]);
    assert_int_equal(karat_translate(r.model, TABLES, VA, KARAT_USE_FETCH, &phys, NULL), KARAT_NOT_MAPPED);
    assert_int_equal(karat_translate(NULL, TABLES, VA, KARAT_USE_LOAD, &phys, &fault), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_translate(r.model, TABLES, VA, KARAT_USE_LOAD, NULL, &fault), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_translate(r.model, TABLES + 8, VA, KARAT_USE_LOAD, &phys, &fault),
                     KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_translate(r.model, TABLES, VA, (karat_page_use)3, &phys, &fault),
                     KARAT_BAD_ARGUMENT);
    assert_int_equal(phys, 1);
    /* A root that is not aligned cannot be launched with. */
    karat_launch_desc desc = r.desc;
    desc.ptbr = TABLES + 0x800;
    karat_workgroup_close(r.model, 0);
    assert_int_equal(karat_workgroup_open(r.model, 0, 1), KARAT_OK);
    assert_int_equal(karat_launch(r.model, 0, &desc), KARAT_BAD_ARGUMENT);
    /* Each reason has a name of its own, and nothing else has. */
    for (int i = 0; i < KARAT_FAULT_REASONS; i++)
        for (int k = 0; k <= i; k++)
            assert_int_equal(
                strcmp(karat_fault_name((karat_fault_reason)i), karat_fault_name((karat_fault_reason)k)) == 0,
                i == k);
    assert_string_equal(karat_fault_name(KARAT_FAULT_REASONS), "?");
    rig_close(&r);
    karat_config config;
    karat_config_default(&config);
    assert_int_equal(config.translation, KARAT_TRANSLATION_NONE);
    config.translation = (karat_translation)2;
    karat_status status;
    assert_null(karat_create(&config, &status));
    assert_int_equal(status, KARAT_BAD_ARGUMENT);
}

/* Without translation PTBR means nothing, and tables can be walked all the same. */
TEST(without_translation) {
    RIG(r, rig_open, 4);
    assert_int_equal(karat_map(r.model, TABLES, 0x1000 * NUM_TABLES), KARAT_OK);
    map_va(&r, 0, entry(FRAME, RW));
    r.desc.ptbr = 12345;
    launch(&r);
    set_x(&r, X_ADDR, FRAME);
    DO(&r, "lw", X_OLD, 0, X_ADDR);
    assert_int_equal(karat_mem_access(&r.commit.mem, 0).addr, FRAME);
    uint64_t phys = 0;
    assert_int_equal(karat_translate(r.model, TABLES, VA, KARAT_USE_STORE, &phys, NULL), KARAT_OK);
    assert_int_equal(phys, va_phys[0]);
}
