#include "support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 4096, MAX_CSR = 64, LDS_LOOKED_AT = 3 * 4096, NUM_WORKGROUP = 4 };

static bool executed[MAX_ROWS], paused;

void rows_executed(int row) {
    if (row >= 0 && row < MAX_ROWS && !paused)
        executed[row] = true;
}

void rows_pause(void) {
    paused = true;
}

void rows_resume(void) {
    paused = false;
}

int rows_save(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return 1;
    }
    for (int row = 0; row < karat_num_rows(); row++)
        if (executed[row])
            fprintf(file, "%s\n", karat_row_info(row)->name);
    return fclose(file) != 0;
}

uint32_t assemble(const char *name, const int32_t value[KARAT_MAX_OPERAND]) {
    uint32_t word = 0;
    int row = karat_find_row(name);
    if (row == KARAT_NO_ROW)
        fail_msg("the table has no row '%s'", name);
    if (!karat_encode(row, value, &word))
        fail_msg("an operand of '%s' does not fit", name);
    return word;
}

uint32_t regext(unsigned x3, unsigned x2, unsigned x1, unsigned xd) {
    return (x3 << 9 | x2 << 6 | x1 << 3 | xd) << 20 | 0x200b;
}

uint32_t regexti(unsigned imm_10_5, unsigned x2, unsigned xd) {
    return (imm_10_5 << 6 | x2 << 3 | xd) << 20 | 0x300b;
}

uint32_t regpair(unsigned x3, unsigned x2, unsigned x1, unsigned xd) {
    return regext(x3, x2, x1, xd) ^ 0x200b ^ 0x500b;
}

uint32_t regpairi(unsigned imm_10_5, unsigned x2, unsigned xd) {
    return regexti(imm_10_5, x2, xd) ^ 0x300b ^ 0x700b;
}

uint32_t modified(unsigned pair, unsigned abs, unsigned neg) {
    return OP("prefix", 0, 0, 0, 0, (int32_t)pair, (int32_t)abs, (int32_t)neg);
}

void rig_open_config(rig *r, const karat_config *config) {
    karat_status status;
    memset(r, 0, sizeof *r);
    r->model = karat_create(config, &status);
    assert_non_null(r->model);
    assert_int_equal(status, KARAT_OK);
    r->num_thread = config->num_thread;
    r->all = 0xffffffffu >> (32 - config->num_thread);
    assert_int_equal(karat_map(r->model, CODE, MAPPED), KARAT_OK);
    assert_int_equal(karat_map(r->model, DATA, MAPPED), KARAT_OK);
    r->desc = (karat_launch_desc){.pc = CODE, .mask = r->all};
    r->desc.csr[KARAT_CSR_NUMW] = 1;
    r->desc.csr[KARAT_CSR_NUMT] = config->num_thread;
    launch(r);
}

void rig_open_deviating(rig *r, karat_profile profile, uint32_t num_thread, uint32_t deviations) {
    karat_config config;
    karat_config_default(&config);
    config.profile = profile;
    config.num_thread = num_thread;
    config.deviations = deviations;
    config.max_warp = 8;
    config.max_workgroup = NUM_WORKGROUP;
    config.lds_pool = 1u << 20;
    rig_open_config(r, &config);
}

void rig_open(rig *r, uint32_t num_thread) {
    rig_open_deviating(r, KARAT_V202, num_thread, 0);
}

void rig_open_v203(rig *r, uint32_t num_thread) {
    rig_open_deviating(r, KARAT_V203, num_thread, 0);
}

/* Whatever the test has stored: a page that does not count as written is zero. */
static void check_written(const karat_model *model) {
    static const uint8_t zeros[4096];
    uint64_t addr = 0;
    for (const uint8_t *page; (page = karat_next_page(model, &addr)); addr += 4096) {
        uint64_t written = addr;
        if (!karat_next_written_page(model, &written, addr))
            assert_memory_equal(page, zeros, sizeof zeros);
        if (addr == UINT64_MAX - 4095)
            break;
    }
}

void rig_close(rig *r) {
    check_written(r->model);
    karat_destroy(r->model);
    r->model = NULL;
}

void launch_warps(rig *r, uint32_t num_warp) {
    karat_workgroup_close(r->model, 0);
    assert_int_equal(karat_workgroup_open(r->model, 0, num_warp), KARAT_OK);
    for (uint32_t i = 0; i < num_warp; i++) {
        karat_launch_desc desc = r->desc;
        desc.csr[KARAT_CSR_WID] += i;
        desc.csr[KARAT_CSR_NUMW] = num_warp;
        assert_int_equal(karat_launch(r->model, i, &desc), KARAT_OK);
    }
}

void launch(rig *r) {
    launch_warps(r, 1);
}

karat_status step_warp(rig *r, uint32_t warp) {
    /* A field that a step forgets to fill in shows up. */
    memset(&r->commit, 0xa5, sizeof r->commit);
    r->commit.mem.access[0].addr = karat_get_config(r->model)->lds_base;
    karat_status status = karat_step(r->model, warp, &r->commit);
    if (status == KARAT_OK) {
        rows_executed(r->commit.row);
        if (r->commit.prefix) {
            karat_insn prefix;
            rows_executed(karat_decode(karat_get_config(r->model)->profile, r->commit.prefix, &prefix));
        }
    }
    return status;
}

static void place(rig *r, uint32_t prefix, uint32_t word) {
    uint32_t pc = pc_of(r);
    if (prefix) {
        set_word(r, pc, prefix);
        pc += 4;
    }
    set_word(r, pc, word);
}

void do_prefixed(rig *r, uint32_t prefix, uint32_t word) {
    place(r, prefix, word);
    karat_status status = step_warp(r, 0);
    if (status != KARAT_OK) {
        char text[80];
        karat_disassemble(karat_get_config(r->model)->profile, r->commit.pc, prefix, word, text, sizeof text);
        fail_msg("%s: status %d, %s", text, status, karat_error_name(r->commit.error.kind));
    }
}

void do_word(rig *r, uint32_t word) {
    do_prefixed(r, 0, word);
}

/* --- State, and whether it changed --- */

static karat_warp_view view(const rig *r) {
    karat_warp_view v;
    assert_int_equal(karat_view(r->model, 0, &v), KARAT_OK);
    return v;
}

uint32_t pc_of(const rig *r) {
    return view(r).pc;
}
uint32_t mask_of(const rig *r) {
    return view(r).mask;
}
uint32_t depth_of(const rig *r) {
    return view(r).depth;
}
uint32_t get_x(const rig *r, unsigned reg) {
    return view(r).x[reg];
}
const uint32_t *get_v(const rig *r, unsigned reg) {
    return view(r).v[reg];
}

void set_x(rig *r, unsigned reg, uint32_t value) {
    const uint32_t lanes[KARAT_MAX_THREAD] = {value};
    assert_int_equal(karat_adopt(r->model, 0, KARAT_CLASS_X, reg, 1, lanes), KARAT_OK);
}

void set_v(rig *r, unsigned reg, const uint32_t *value) {
    assert_int_equal(karat_adopt(r->model, 0, KARAT_CLASS_V, reg, r->all, value), KARAT_OK);
}

void ramp_v(rig *r, unsigned reg, uint32_t first, uint32_t by) {
    uint32_t value[KARAT_MAX_THREAD];
    for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
        value[i] = first + i * by;
    set_v(r, reg, value);
}

void splat_v(rig *r, unsigned reg, uint32_t value) {
    ramp_v(r, reg, value, 0);
}

uint32_t get_csr(const rig *r, uint32_t csr) {
    uint32_t value;
    assert_int_equal(karat_csr_read(r->model, 0, csr, &value), KARAT_OK);
    return value;
}

void expect_v(const rig *r, unsigned reg, const uint32_t *expected, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (get_v(r, reg + i / r->num_thread)[i % r->num_thread] != expected[i])
            fail_msg("v%u element %u: 0x%08x, expected 0x%08x", reg, i,
                     get_v(r, reg + i / r->num_thread)[i % r->num_thread], expected[i]);
}

uint64_t get_x64(const rig *r, unsigned reg) {
    return get_x(r, reg) | (uint64_t)get_x(r, reg + 1) << 32;
}

void set_x64(rig *r, unsigned reg, uint64_t value) {
    set_x(r, reg, (uint32_t)value);
    set_x(r, reg + 1, (uint32_t)(value >> 32));
}

void set_v64(rig *r, unsigned reg, const uint64_t *value) {
    uint32_t low[KARAT_MAX_THREAD] = {0}, high[KARAT_MAX_THREAD] = {0};
    for (uint32_t i = 0; i < r->num_thread; i++) {
        low[i] = (uint32_t)value[i];
        high[i] = (uint32_t)(value[i] >> 32);
    }
    set_v(r, reg, low);
    set_v(r, reg + 1, high);
}

void splat_v64(rig *r, unsigned reg, uint64_t value) {
    splat_v(r, reg, (uint32_t)value);
    splat_v(r, reg + 1, (uint32_t)(value >> 32));
}

void expect_v64(const rig *r, unsigned reg, const uint64_t *expected, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        const uint64_t is = get_v(r, reg)[i] | (uint64_t)get_v(r, reg + 1)[i] << 32;
        if (is != expected[i])
            fail_msg("v%u lane %u: 0x%016llx, expected 0x%016llx", reg, i, (unsigned long long)is,
                     (unsigned long long)expected[i]);
    }
}

void map_high(rig *r) {
    assert_int_equal(karat_map(r->model, HIGH, MAPPED), KARAT_OK);
}

uint32_t get_word(const rig *r, uint64_t addr) {
    uint8_t b[4];
    assert_int_equal(karat_read(r->model, addr, b, 4), KARAT_OK);
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void set_word(rig *r, uint64_t addr, uint32_t value) {
    uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    assert_int_equal(karat_write(r->model, addr, b, 4), KARAT_OK);
}

void narrow(rig *r, uint32_t mask) {
    uint32_t bits[KARAT_MAX_THREAD];
    for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
        bits[i] = mask >> i & 1;
    set_v(r, 254, bits);
    splat_v(r, 255, 1);
    /* The order decides which side runs: take the branch that leaves the wanted one running. */
    karat_simt_order order = karat_get_config(r->model)->simt_order;
    unsigned wanted = 0, others = 0;
    for (uint32_t i = 0; i < r->num_thread; i++)
        if (mask_of(r) >> i & 1)
            ++*(bits[i] ? &wanted : &others);
    if (order == KARAT_SMALLER_FIRST && wanted > others)
        fail_msg("smaller-first cannot run the larger side");
    bool else_first = order != KARAT_IF_FIRST;
    do_prefixed(r, regext(0, 7, 7, 0), OP(else_first ? "vbeq" : "vbne", 30, 31, 4));
    assert_int_equal(mask_of(r), mask);
}

typedef struct state {
    karat_warp_view view;
    uint32_t x[KARAT_NUM_X], v[KARAT_NUM_V * KARAT_MAX_THREAD];
    karat_simt_entry stack[KARAT_MAX_STACK];
    uint32_t csr[MAX_CSR];
    uint8_t memory[2 * MAPPED], lds[NUM_WORKGROUP][LDS_LOOKED_AT];
} state;

/* The CSRs that there are: their numbers, in any model. */
static uint32_t csrs(const rig *r, const uint32_t **number) {
    static uint32_t num, found[MAX_CSR];
    for (uint32_t csr = 0, value; !num && csr < 4096; csr++)
        if (karat_csr_read(r->model, 0, csr, &value) == KARAT_OK) {
            assert_true(num < MAX_CSR);
            found[num++] = csr;
        }
    *number = found;
    return num;
}

void show(const karat_model *model, const karat_commit *commit, shown *s) {
    memset(s, 0, sizeof *s);
    memcpy(&s->commit, commit, sizeof *commit);
    karat_commit_keep(model, &s->commit, &s->values);
    for (uint32_t i = 0; i < KARAT_MAX_READ; i++)
        s->commit.read[i].value = NULL;
    for (uint32_t i = 0; i < KARAT_MAX_WRITE; i++)
        s->commit.write[i].value = s->commit.write[i].old = NULL;
}

static void state_of(const rig *r, state *s) {
    const uint32_t *csr;
    memset(s, 0, sizeof *s);
    s->view = view(r);
    memcpy(s->x, s->view.x, sizeof s->x);
    for (unsigned reg = 0; reg < KARAT_NUM_V; reg++)
        memcpy(s->v + reg * r->num_thread, s->view.v[reg], r->num_thread * sizeof *s->v);
    memcpy(s->stack, s->view.stack, s->view.depth * sizeof *s->stack);
    for (uint32_t i = 0, num = csrs(r, &csr); i < num; i++)
        karat_csr_read(r->model, 0, csr[i], &s->csr[i]);
    assert_int_equal(karat_read(r->model, CODE, s->memory, MAPPED), KARAT_OK);
    assert_int_equal(karat_read(r->model, DATA, s->memory + MAPPED, MAPPED), KARAT_OK);
    for (uint32_t i = 0; i < NUM_WORKGROUP; i++)
        karat_lds_read(r->model, i, karat_get_config(r->model)->lds_base, s->lds[i], LDS_LOOKED_AT);
}

/* Quicker than assert_memory_equal(), which goes byte by byte. */
static void expect_same(const void *a, const void *b, size_t size) {
    if (memcmp(a, b, size) != 0)
        assert_memory_equal(a, b, size);
}

void fail_prefixed(rig *r, uint32_t prefix, uint32_t word, karat_error_kind kind) {
    place(r, prefix, word);
    static state was, is;
    const state *before = &was, *after = &is;
    state_of(r, &was);
    karat_status status = step_warp(r, 0);
    if (status != KARAT_PROGRAM_ERROR || r->commit.error.kind != kind) {
        char text[80];
        karat_disassemble(karat_get_config(r->model)->profile, r->commit.pc, prefix, word, text, sizeof text);
        fail_msg("%s: status %d, %s; expected %s", text, status, karat_error_name(r->commit.error.kind),
                 karat_error_name(kind));
    }
    state_of(r, &is);
    assert_false(after->view.live);
    assert_true(after->view.stopped);
    assert_int_equal(after->view.pc, before->view.pc);
    assert_int_equal(after->view.mask, before->view.mask);
    assert_int_equal(after->view.depth, before->view.depth);
    expect_same(after->x, before->x, sizeof after->x);
    expect_same(after->v, before->v, sizeof after->v);
    expect_same(after->stack, before->stack, sizeof after->stack);
    expect_same(after->csr, before->csr, sizeof after->csr);
    expect_same(after->memory, before->memory, sizeof after->memory);
    expect_same(after->lds, before->lds, sizeof after->lds);
    assert_int_equal(r->commit.num_writes, 0);
    assert_int_equal(r->commit.csr_written, 0);
    assert_int_equal(r->commit.flags_raised, 0);
    assert_int_equal(r->commit.vxsat_raised, 0);
    assert_int_equal(r->commit.mem.num, 0);
    assert_int_equal(r->commit.simt, KARAT_SIMT_NONE);
    assert_int_equal(r->commit.depth, before->view.depth);
    assert_int_equal(r->commit.mask_after, before->view.mask);
    assert_int_equal(r->commit.error.pc, r->commit.pc);
    assert_int_equal(r->commit.next_pc, r->commit.pc);
    karat_workgroup_close(r->model, 0);
    launch(r);
}

void fail_word(rig *r, uint32_t word, karat_error_kind kind) {
    fail_prefixed(r, 0, word, kind);
}
