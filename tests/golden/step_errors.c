/* Program errors: every memory access of the table, at every width, in every lane; prefixes; divergence;
 * several warps. fail_word() compares all state, registers to LDS, before and after. */
#include "step.h"

enum { E32M1 = 0x10, E32M2 = 0x11 };

/* --- Accesses --- */

typedef enum form { SCALAR_FORM, LANE_FORM, PRIVATE_FORM, UNIT_FORM, STRIDED_FORM, INDEXED_FORM } form;

typedef struct access_row {
    const karat_row *row;
    form form;
    uint32_t bytes; /* of one access */
    bool can_mask;  /* has a vm bit */
    uint32_t word;  /* base x1 or v4, stride x2, index v4, data or destination v2 or x3; v0.t where it can */
} access_row;

enum { BASE = 1, STRIDE = 2, DATA_X = 3, DATA_V = 2, VECTOR = 4 };

static access_row access_of(const karat_row *row) {
    access_row a = {.row = row, .form = SCALAR_FORM};
    const uint32_t opcode = row->match & 0x7f, funct3 = row->match >> 12 & 7;
    const bool v = opcode == 0x07 || opcode == 0x27;
    karat_insn insn = {0};
    karat_decode(KARAT_V202, row->match, &insn);
    bool v1 = false, v2 = false, x2 = false;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(row->operands[i]);
        const bool vector = o->is_reg && o->cls == KARAT_CLASS_V;
        switch (o->role) {
        case KARAT_ROLE_DEST:
        case KARAT_ROLE_SRC3: insn.value[i] = vector ? DATA_V : DATA_X; break;
        case KARAT_ROLE_SRC1:
            v1 = vector;
            insn.value[i] = vector ? VECTOR : BASE;
            break;
        case KARAT_ROLE_SRC2:
            v2 = vector;
            x2 = !vector;
            insn.value[i] = v ? (vector ? VECTOR : STRIDE) : (vector ? DATA_V : DATA_X);
            break;
        case KARAT_ROLE_VM: a.can_mask = true; break;
        default: break;
        }
    }
    karat_encode(karat_find_row(row->name), insn.value, &a.word);
    if (v) {
        a.form = v2 ? INDEXED_FORM : x2 ? STRIDED_FORM : UNIT_FORM;
        a.bytes = a.form == INDEXED_FORM ? 4 : funct3 == 0 ? 1 : funct3 == 5 ? 2 : 4;
    } else {
        a.form = opcode == 0x2b ? PRIVATE_FORM : v1 ? LANE_FORM : SCALAR_FORM;
        /* The width is the mnemonic's letter: lb, vlhu12.v, amoadd.w. */
        const char *m = row->mnemonic;
        a.bytes = row->unit == KARAT_UNIT_AMO                     ? 4
                  : strpbrk(m + 1 + (*m == 'v'), "bhw")[0] == 'b' ? 1
                  : strpbrk(m + 1 + (*m == 'v'), "bhw")[0] == 'h' ? 2
                                                                  : 4;
    }
    return a;
}

static void set_element(rig *r, unsigned reg, uint32_t i, uint32_t value) {
    uint32_t lanes[KARAT_MAX_THREAD] = {0};
    lanes[i % r->num_thread] = value;
    assert_int_equal(
        karat_adopt(r->model, 0, KARAT_CLASS_V, reg + i / r->num_thread, 1u << i % r->num_thread, lanes),
        KARAT_OK);
}

/* Operands with which elements below bad are good and element bad is off by off bytes, or after the end of
 * what is mapped (off == 0). Returns the bad address. Elements above bad are as bad. */
static uint32_t aim(rig *r, const access_row *a, uint32_t lmul, uint32_t bad, uint32_t off) {
    const uint32_t n = r->num_thread, num = n * lmul, end = DATA + MAPPED;
    r->desc.csr[KARAT_CSR_PDS] = DATA;
    launch(r);
    for (unsigned part = 0; part < lmul; part++)
        ramp_v(r, DATA_V + part, 0x01020304 + part, 0x01010101);
    set_x(r, DATA_X, 0xcafe1234);
    if (lmul == 2)
        DO(r, "vsetvli", 31, 0, E32M2);
    /* Masked off: what unit-stride and strided accesses cannot have good below a misaligned element. */
    const bool all_off = off && (a->form == UNIT_FORM || a->form == STRIDED_FORM);
    for (uint32_t i = 0; i < num; i++)
        set_element(r, 0, i, !all_off || i >= bad ? 0xffffffff : 0xfffffffe);
    uint32_t addr = 0;
    switch (a->form) {
    case SCALAR_FORM: set_x(r, BASE, addr = off ? DATA + off : end); break;
    case UNIT_FORM:
    case STRIDED_FORM:
        set_x(r, STRIDE, a->bytes);
        set_x(r, BASE, off ? DATA + 0x100 + off : end - bad * a->bytes);
        addr = off ? DATA + 0x100 + off + bad * a->bytes : end;
        break;
    case INDEXED_FORM: {
        /* An index of 8 bits reaches 252: the base is near the end. */
        const uint32_t base = end - 128;
        set_x(r, BASE, base);
        for (uint32_t i = 0; i < num; i++)
            set_element(r, VECTOR, i,
                        i < bad ? 4 * (i % 32)
                        : off   ? 4 * (i % 32) + off
                                : 128 + 4 * (i - bad) % 128);
        addr = off ? base + 4 * (bad % 32) + off : end;
        break;
    }
    case LANE_FORM:
        for (uint32_t i = 0; i < num; i++)
            set_element(r, VECTOR, i,
                        i < bad ? DATA + 4 * i
                        : off   ? DATA + 4 * i + off
                                : end + 4 * (i - bad));
        addr = off ? DATA + 4 * bad + off : end;
        break;
    case PRIVATE_FORM:
        /* csr_pds + (a & ~3) * threads + thread * 4 + (a & 3) */
        for (uint32_t i = 0; i < num; i++)
            set_element(r, VECTOR, i, i < bad ? 4 : off ? off : MAPPED / n);
        addr = DATA + (off ? off : MAPPED) + 4 * bad;
        break;
    }
    return addr;
}

static unsigned bad_accesses_of(rig *r, const access_row *a) {
    const uint32_t n = r->num_thread;
    const bool groups = a->form == UNIT_FORM || a->form == STRIDED_FORM || a->form == INDEXED_FORM;
    unsigned num = 0;
    for (uint32_t lmul = 1; lmul <= (groups ? 2u : 1u); lmul++) {
        const uint32_t elements = a->form == SCALAR_FORM ? 1 : n * lmul;
        /* The first, the last, both sides of the border between two registers, and one inside. */
        const uint32_t at[] = {0, n / 2, n - 1, n, n + n / 2, 2 * n - 1};
        for (unsigned k = 0; k < sizeof at / sizeof *at; k++)
            for (uint32_t off = 0; off < a->bytes && at[k] < elements; off++) {
                const uint32_t addr = aim(r, a, lmul, at[k], off);
                fail_word(r, a->word, off ? KARAT_ERR_MISALIGNED : KARAT_ERR_UNMAPPED);
                if (r->commit.error.lane != (int32_t)(at[k] % n) || r->commit.error.addr != addr)
                    fail_msg(
                        "%s, %u threads, lmul %u, element %u off by %u: lane %d, address 0x%08x; expected "
                        "0x%08x",
                        a->row->mnemonic, n, lmul, at[k], off, r->commit.error.lane,
                        (uint32_t)r->commit.error.addr, addr);
                assert_true(r->commit.has_mem);
                assert_string_equal(karat_row_info(r->commit.row)->name, a->row->name);
                num++;
            }
        /* The same operands without the bad element are no error. */
        if (a->can_mask && elements > 1) {
            aim(r, a, lmul, elements - 1, 0);
            set_element(r, 0, elements - 1, 0xfffffffe);
            do_word(r, a->word);
            assert_int_equal(r->commit.mem.num, elements - 1);
        }
    }
    return num;
}

static void bad_accesses(void **unused) {
    (void)unused;
    static const uint32_t sizes[] = {1, 4, 32};
    unsigned rows = 0, cases = 0;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        rig r;
        rig_open(&r, sizes[s]);
        for (int i = 0; i < karat_num_rows(); i++) {
            const karat_row *row = karat_row_info(i);
            if (!(row->owes & KARAT_OWES_MEM) || !karat_row_is_legal(row, KARAT_V202))
                continue;
            access_row a = access_of(row);
            cases += bad_accesses_of(&r, &a);
            rows++;
        }
        rig_close(&r);
    }
    printf("%u rows of accesses, %u bad accesses\n", rows / 3, cases);
    assert_true(rows >= 3 * 48);
}

/* --- Prefixes --- */

static void dangling_prefixes(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    unsigned num = 0;
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *prefix = karat_row_info(i);
        if (prefix->unit != KARAT_UNIT_PREFIX || !(prefix->profiles >> KARAT_V202 & 1))
            continue;
        num++;
        /* Before another prefix, before no instruction, before one that is left out. */
        for (int k = 0; k < karat_num_rows(); k++) {
            const karat_row *next = karat_row_info(k);
            if (next->unit == KARAT_UNIT_PREFIX && next->profiles >> KARAT_V202 & 1) {
                fail_prefixed(&r, prefix->match, next->match, KARAT_ERR_PREFIX);
                assert_int_equal(r.commit.error.pc, CODE + 4);
                assert_int_equal(r.commit.error.lane, -1);
                assert_int_equal(r.commit.prefix, prefix->match);
            }
            if (next->left_out >> KARAT_V202 & 1)
                fail_prefixed(&r, prefix->match, next->match, KARAT_ERR_LEFT_OUT);
        }
        fail_prefixed(&r, prefix->match, 0xffffffff, KARAT_ERR_ILLEGAL);
        /* As the last mapped word: nothing follows. The step begins at the prefix. */
        r.desc.pc = CODE + MAPPED - 4;
        launch(&r);
        fail_word(&r, prefix->match, KARAT_ERR_FETCH);
        assert_int_equal(r.commit.error.pc, CODE + MAPPED - 4);
        r.desc.pc = CODE;
        launch(&r);
    }
    assert_int_equal(num, 4); /* REGEXT, REGEXTI, REGPAIR, REGPAIRI */
    rig_close(&r);
}

/* --- Divergence at the end and at a barrier --- */

static void divergence_at_the_end(void **unused) {
    (void)unused;
    for (uint32_t n = 2; n <= KARAT_MAX_THREAD; n *= 2)
        for (int order = KARAT_SMALLER_FIRST; order <= KARAT_ELSE_FIRST; order++) {
            karat_config config;
            karat_config_default(&config);
            config.num_thread = n;
            config.max_warp = 1;
            config.max_workgroup = 1;
            config.simt_order = (karat_simt_order)order;
            config.lds_pool = 4096;
            rig r;
            rig_open_config(&r, &config);
            static const char *const names[] = {"endprg", "barrier"};
            static const karat_error_kind kinds[] = {KARAT_ERR_DIVERGED_END, KARAT_ERR_DIVERGED_BARRIER};
            for (unsigned k = 0; k < 2; k++) {
                narrow(&r, 1u << (n - 1));
                uint32_t pc = pc_of(&r);
                do_word(&r, OP("barriersub", 0));
                fail_word(&r, OP(names[k], 0), kinds[k]);
                assert_int_equal(r.commit.error.pc, pc + 4);
                assert_int_equal(r.commit.error.lane, -1);
                assert_int_equal(r.commit.depth, 2);
                narrow(&r, r.all >> n / 2); /* a tie */
                fail_word(&r, OP(names[k], 0), kinds[k]);
            }
            do_word(&r, OP("endprg", 0));
            rig_close(&r);
        }
}

/* --- One of several warps --- */

static void other_warps_go_on(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    launch_warps(&r, 4);
    set_word(&r, CODE, OP("csrrs", 5, 0x805, 0)); /* CSR_WID */
    set_word(&r, CODE + 4, OP("addi", 5, 5, -2));
    set_word(&r, CODE + 8, OP("beq", 5, 0, 8)); /* warp 2 jumps */
    set_word(&r, CODE + 12, OP("endprg", 0));
    set_word(&r, CODE + 16, OP("lw", 6, 1, 5));
    for (unsigned step = 0; step < 4; step++)
        for (uint32_t i = 0; i < 4; i++) {
            karat_status status = step_warp(&r, i);
            if (i != 2 || step < 3) {
                assert_int_equal(status, KARAT_OK);
                continue;
            }
            assert_int_equal(status, KARAT_PROGRAM_ERROR);
            assert_int_equal(r.commit.error.kind, KARAT_ERR_MISALIGNED);
            assert_int_equal(r.commit.error.pc, CODE + 16);
            assert_int_equal(r.commit.error.addr, 1);
            assert_int_equal(r.commit.error.lane, 0);
            assert_int_equal(r.commit.error.warp, 2);
        }
    for (uint32_t i = 0; i < 4; i++) {
        karat_warp_view view;
        assert_int_equal(karat_view(r.model, i, &view), KARAT_OK);
        assert_false(view.live);
        assert_int_equal(view.stopped, i == 2);
        assert_int_equal(step_warp(&r, i), KARAT_ENDED);
    }
    rig_close(&r);
}

int errors_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_accesses),
        cmocka_unit_test(dangling_prefixes),
        cmocka_unit_test(divergence_at_the_end),
        cmocka_unit_test(other_warps_go_on),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
