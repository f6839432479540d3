/* Memory accesses of v2.03 at the ports, their errors and warnings, and PRE_M_* before other instructions.
 * Addresses, widths and data of every access: tests/fuzz. */
#include "support.h"

enum { DEFAULT, GLOBAL, PRIVATE, LOCAL };

/* PRE_M_* by its bits: 31:20 extensions, 19 pair, 18:15 hint, 14:9 zero, 8:3 {00, space, words - 1}, 2:0
 * 110. */
static uint32_t pre_m(unsigned space, unsigned words, unsigned pair, unsigned hint) {
    return pair << 19 | hint << 15 | space << 5 | (words - 1) << 3 | 6;
}

static uint32_t pre_m_ext(unsigned words, unsigned x3, unsigned x2, unsigned x1, unsigned xd) {
    return (x3 << 9 | x2 << 6 | x1 << 3 | xd) << 20 | pre_m(DEFAULT, words, 0, 0);
}

/* An error at any word leaves everything unchanged. */
TEST(errors) {
    RIG(r, rig_open_v203, 4);
    static uint32_t x[KARAT_NUM_X], v[KARAT_NUM_V * 4];
    for (uint32_t i = 0; i < KARAT_NUM_V * 4; i++)
        v[i] = 0x11110000 + i;
    x[5] = DATA + MAPPED - 8;
    x[6] = DATA + 2;
    x[7] = -12u;
    for (uint32_t lane = 0; lane < 4; lane++) {
        v[4 * 2 + lane] = DATA + MAPPED - 4 * (6 - lane); /* Lane 3's fourth word is beyond the end */
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
}

/* Reservations on any of the words, and LDS that the launch does not declare. */
TEST(reservations_and_warnings) {
    RIG(r, rig_open_v203, 4);
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
    do_prefixed(&r, pre_m(LOCAL, 3, 0, 0), OP("sw", 10, 0, 5)); /* The third word */
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_BEYOND);
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
TEST(read_port) {
    for (unsigned held = 0; held < 5; held++) {
        RIG(r, rig_open_v203, 4);
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
        assert_int_equal(a.asked, 5); /* For vs1, vs2, the upper half of vs1, two more words */
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(get_word(&r, HIGH + 4 * i), 5 + i);
        karat_set_read_port(r.model, NULL, NULL);
    }
}

static void supply(void *context, uint32_t warp, karat_mem *mem) {
    (void)warp;
    *(uint32_t *)context = mem->num;
    for (uint32_t i = 0; i < mem->num; i++)
        mem->access[i].value = 0x100 * karat_mem_access(mem, i).lane + karat_mem_access(mem, i).reg;
}

/* A memory port has all words at once, and may replace each. */
TEST(memory_port) {
    scoped_rig r;
    uint32_t num = 0;
    rig_open_v203(&r, 4);
    karat_set_mem_port(r.model, supply, &num);
    ramp_v(&r, 2, DATA, 16);
    do_prefixed(&r, pre_m(DEFAULT, 3, 0, 0), OP("vlw12.v", 4, 0, 2));
    assert_int_equal(num, 12);
    EXPECT_V(&r, 4, 0, 0x100, 0x200, 0x300);
    EXPECT_V(&r, 6, 2, 0x102, 0x202, 0x302);
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

TEST(access_bytes) {
    for (unsigned profile = KARAT_V202; profile <= KARAT_V203; profile++) {
        scoped_rig r;
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
    }
}
