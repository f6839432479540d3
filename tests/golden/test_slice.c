/* The decode cache, and slices, on random programs that write to their own code: several warps, barriers,
 * atomics, LDS, divergence.
 *   - Each step against the same step of a model that was restored from a snapshot before it and has decoded
 *     nothing yet.
 *   - Slices of random lengths against single steps on another model: the state after each, which steps a
 *     slice may hide, where it has to end, the registers that it reports as written, and its trail.
 * KARAT_SLICES is how many programs are run, KARAT_SEED repeats a run. */
#include "support.h"

#include "fp/operands.h"

#ifndef KARAT_TEST_SCALE
#define KARAT_TEST_SCALE 1
#endif

enum { WARPS = 3, LANES = 4, SIZE = 0x1000, TRAIL = 16, MAX_STEPS = 60, E32M1 = 0x10, E32M2 = 0x11 };
enum { PRINT = 0x80b };
/* Addresses, a stride and offsets are in x1 to x5 and v1 to v6, which are no destinations. */
enum {
    X_DATA = 1,
    X_CODE,
    X_LDS,
    X_OTHER,
    X_STRIDE,
    FREE_X = 8,
    V_DATA = 1,
    V_CODE = 3,
    V_OFFSET = 6,
    FREE_V = 8
};

static struct rng rng;
static karat_profile profile;
static int legal[1024];
static uint32_t num_legal;
static bool
    calm; /* Of four steps three are of a kind that no other warp sees, and all warps begin at one place */

static void find_legal(void) {
    num_legal = 0;
    for (int row = 0; row < karat_num_rows(); row++)
        if (karat_row_is_legal(karat_row_info(row), profile))
            legal[num_legal++] = row;
}

static int32_t random_register(const karat_row *row, const karat_operand_kind *kind, bool accesses) {
    const bool vector = kind->cls == KARAT_CLASS_V;
    if (kind->role == KARAT_ROLE_DEST)
        return (int32_t)((vector ? FREE_V : FREE_X) + rng_below(&rng, 8));
    if ((accesses || strcmp(row->mnemonic, "jalr") == 0) && kind->role == KARAT_ROLE_SRC1)
        return !accesses                       ? X_CODE
               : strstr(row->section, "4.2.7") ? V_OFFSET
                                               : (int32_t)(1 + rng_below(&rng, 4));
    if (accesses && kind->role == KARAT_ROLE_SRC2 &&
        (strstr(row->name, "xei") || strncmp(row->name + 2, "se", 2) == 0))
        return vector ? V_OFFSET : X_STRIDE;
    return (int32_t)rng_below(&rng, 16);
}

static int32_t random_immediate(const karat_row *row, const karat_operand_kind *kind, bool accesses) {
    static const uint16_t csrs[] = {0x001, 0x002, 0x003, 0x009, 0x00a, 0x340,
                                    0x800, 0x805, 0x80b, 0x80c, 0xc20, 0xc21};
    if (row->unit == KARAT_UNIT_CSR && kind->bits == 12)
        return csrs[rng_below(&rng, sizeof csrs / sizeof *csrs)];
    if (row->unit == KARAT_UNIT_CONFIG && kind->bits >= 10)
        return rng_below(&rng, 8) ? E32M1 + (int32_t)rng_below(&rng, 2) : (int32_t)rng_below(&rng, 32);
    if (row->unit == KARAT_UNIT_BRANCH || row->unit == KARAT_UNIT_SIMT)
        return 4 * ((int32_t)rng_below(&rng, 24) - 8);
    if (accesses)
        return 4 * ((int32_t)rng_below(&rng, 32) - 16);
    return (int32_t)rng_below(&rng, 1u << (kind->bits < 12 ? kind->bits : 12)) -
           (kind->is_signed ? 1 << (kind->bits < 12 ? kind->bits - 1 : 11) : 0);
}

/* A word of the profile: mostly one that runs. */
static uint32_t random_word(void) {
    for (;;) {
        const int number = legal[rng_below(&rng, num_legal)];
        const karat_row *row = karat_row_info(number);
        const bool accesses = row->owes & KARAT_OWES_MEM;
        if (row->owes & (KARAT_OWES_EXIT | KARAT_OWES_BARRIER) && rng_below(&rng, 8))
            continue;
        if (calm &&
            (accesses || row->unit == KARAT_UNIT_PREFIX || row->unit == KARAT_UNIT_CONFIG ||
             row->unit == KARAT_UNIT_CSR || row->unit == KARAT_UNIT_SIMT) &&
            rng_below(&rng, 4))
            continue;
        if (row->unit == KARAT_UNIT_PREFIX)
            return row->match | (rng_below(&rng, 2) ? (uint32_t)rng_next(&rng) & ~row->mask & 0x11111111 : 0);
        int32_t value[KARAT_MAX_OPERAND] = {0};
        for (unsigned i = 0; i < row->num_operands; i++) {
            const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
            value[i] = kind->is_reg                   ? random_register(row, kind, accesses)
                       : kind->role == KARAT_ROLE_IMM ? random_immediate(row, kind, accesses)
                       : kind->role == KARAT_ROLE_VM  ? rng_below(&rng, 4) != 0
                                                      : 0;
        }
        uint32_t word;
        if (karat_encode(number, value, &word))
            return word;
    }
}

static karat_model *make_model(void) {
    karat_config config;
    karat_config_default(&config);
    config.profile = profile;
    config.num_thread = LANES;
    config.max_warp = WARPS;
    config.max_workgroup = 1;
    config.lds_size = config.lds_pool = 0x4000;
    config.simt_order = (karat_simt_order)rng_below(&rng, 3);
    config.deviations = rng_below(&rng, 2) ? 0 : rng_below(&rng, 1 << KARAT_NUM_DEVIATION);
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    assert_int_equal(karat_map(model, CODE, SIZE), KARAT_OK);
    assert_int_equal(karat_map(model, DATA, SIZE), KARAT_OK);
    return model;
}

/* Launch all warps at random places, on several models alike. */
static void launch_all(karat_model *const *models, unsigned num) {
    uint32_t x[KARAT_NUM_X] = {0}, v[KARAT_NUM_V * LANES];
    for (unsigned i = 0; i < KARAT_NUM_X; i++)
        x[i] = rng_below(&rng, 2) ? random_word() : rng_below(&rng, 64);
    for (unsigned i = 0; i < KARAT_NUM_V * LANES; i++)
        v[i] = rng_below(&rng, 2) ? random_word() : rng_below(&rng, 4) * 0x3f800000;
    for (uint32_t addr = CODE; addr < CODE + SIZE;
         addr += 4) { /* The last programs have left mostly no code there */
        const uint32_t word = random_word();
        for (unsigned m = 0; m < num; m++)
            assert_int_equal(karat_write(models[m], addr, &word, sizeof word), KARAT_OK);
    }
    const uint32_t code = CODE + 0x400 + 4 * rng_below(&rng, 64);
    const uint32_t place[] = {0, DATA + 0x800, code, LDS + 0x100,
                              rng_below(&rng, 2) ? code + 16 : DATA + 0x7fc};
    for (unsigned k = 1; k < 5; k++) {
        x[k] = place[k];
        for (uint32_t i = 0; i < LANES; i++)
            v[k * LANES + i] =
                place[k] + (k == V_CODE ? code - place[k] : 0) + 4 * (k % 2 ? i : rng_below(&rng, 16));
    }
    x[X_STRIDE] = 4 * rng_below(&rng, 4) - 4;
    for (uint32_t i = 0; i < LANES; i++)
        v[V_OFFSET * LANES + i] = 4 * rng_below(&rng, 16);
    uint32_t pc[WARPS];
    const uint32_t rpc = code + 4 * rng_below(&rng, 32);
    for (uint32_t w = 0; w < WARPS; w++)
        pc[w] = w && calm ? pc[0] : code + 4 * rng_below(&rng, 16);
    const uint32_t lds = rng_below(&rng, 2) * 0x180, usage = rng_below(&rng, 8) ? 0 : 14;
    for (unsigned m = 0; m < num; m++) {
        karat_workgroup_close(models[m], 0);
        assert_int_equal(karat_workgroup_open(models[m], 0, WARPS), KARAT_OK);
        for (uint32_t w = 0; w < WARPS; w++) {
            karat_launch_desc desc = {.pc = pc[w],
                                      .mask = (1u << LANES) - 1,
                                      .lds_size = lds,
                                      .sgprs = usage,
                                      .vgprs = usage,
                                      .x = x,
                                      .v = v};
            desc.csr[KARAT_CSR_NUMW] = WARPS;
            desc.csr[KARAT_CSR_NUMT] = LANES;
            desc.csr[KARAT_CSR_WID] = w;
            desc.csr[KARAT_CSR_LDS] = LDS;
            desc.csr[KARAT_CSR_PDS] = DATA + 0x800;
            desc.csr[KARAT_CSR_RPC] = rpc;
            assert_int_equal(karat_launch(models[m], w, &desc), KARAT_OK);
        }
    }
}

static bool any_live(const karat_model *model) {
    for (uint32_t w = 0; w < WARPS; w++) {
        karat_warp_view view;
        karat_view(model, w, &view);
        if (view.live && !view.waiting)
            return true;
    }
    return false;
}

static void *saved(const karat_model *model, size_t *size) {
    *size = karat_save_size(model);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(karat_save(model, bytes, *size), KARAT_OK);
    return bytes;
}

static void expect_same_state(const karat_model *a, const karat_model *b) {
    size_t size_a, size_b;
    void *bytes_a = saved(a, &size_a), *bytes_b = saved(b, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}

/* The fields that both commits have, whichever way the step was taken. */
static void expect_same_step(const karat_commit *a, const karat_commit *b) {
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->word, b->word);
    assert_int_equal(a->prefix, b->prefix);
    assert_int_equal(a->row, b->row);
    assert_int_equal(a->next_pc, b->next_pc);
    assert_int_equal(a->mask_after, b->mask_after);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->warnings, b->warnings);
    assert_int_equal(a->deviated, b->deviated);
    assert_int_equal(a->barrier, b->barrier);
    assert_int_equal(a->ended, b->ended);
    assert_memory_equal(&a->flagged, &b->flagged, sizeof a->flagged);
}

/* A is of a step that was taken without the effects that b has: none of them is there, but a write of
 * CSR_PRINT. */
static void expect_no_effects(const karat_commit *a, const karat_commit *b) {
    const bool prints = b->csr_written && b->csr == KARAT_CSR_BASE + KARAT_CSR_PRINT;
    expect_same_step(a, b);
    assert_int_equal(a->csr_written, prints);
    if (prints)
        assert_int_equal(a->csr_value, b->csr_value);
    assert_int_equal(a->active | a->mask_before | a->width | a->elements, 0);
    assert_int_equal(a->simt | a->flags_raised | a->vxsat_raised, 0);
    assert_int_equal(a->num_reads | a->num_writes | a->mem.num | (uint32_t)a->has_mem, 0);
    assert_int_equal(a->error.kind, KARAT_ERR_NONE);
}

static void expect_same_effects(const karat_commit *a, const karat_commit *b) {
    expect_same_step(a, b);
    assert_int_equal(a->simt, b->simt);
    assert_int_equal(a->csr_written, b->csr_written);
    assert_memory_equal(&a->error, &b->error, sizeof a->error);
    assert_int_equal(a->num_reads, b->num_reads);
    assert_int_equal(a->num_writes, b->num_writes);
    assert_int_equal(a->has_mem, b->has_mem);
    assert_int_equal(a->mem.num, b->mem.num);
    for (uint32_t i = 0; i < a->mem.num; i++) {
        const karat_access one = karat_mem_access(&a->mem, i), other = karat_mem_access(&b->mem, i);
        assert_true(one.addr == other.addr && one.value == other.value && one.old == other.old);
    }
}

/* Host writes to code, too. */
static void write_code(karat_model *const *models, unsigned num) {
    const uint32_t addr = CODE + 0x400 + rng_below(&rng, 256), size = 1 + rng_below(&rng, 8);
    const uint32_t words[2] = {random_word(), random_word()};
    for (unsigned m = 0; m < num; m++)
        assert_int_equal(karat_write(models[m], addr, words, size), KARAT_OK);
}

static uint64_t num_programs(void) {
    return env_number("KARAT_SLICES", 12 / KARAT_TEST_SCALE);
}

TEST(cache) {
    static karat_commit a, b;
    uint64_t steps = 0, code_stores = 0;
    /* Few programs can by chance do little: then there are more of them. */
    for (uint64_t k = 0; k < num_programs() || (k < 4 * num_programs() && code_stores <= 4 * num_programs());
         k++) {
        profile = k & 1 ? KARAT_V203 : KARAT_V202;
        find_legal();
        karat_model *model = make_model();
        for (unsigned round = 0; round < 10; round++) {
            launch_all(&model, 1);
            for (unsigned n = 0; n < MAX_STEPS && any_live(model); n++) {
                const uint32_t w = rng_below(&rng, WARPS);
                size_t size;
                void *bytes = saved(model, &size);
                karat_model *fresh = karat_restore(bytes, size, NULL);
                free(bytes);
                assert_non_null(fresh);
                const karat_status status = karat_step(model, w, &a);
                assert_int_equal(karat_step(fresh, w, &b), status);
                if (status == KARAT_OK || status == KARAT_PROGRAM_ERROR)
                    expect_same_effects(&a, &b);
                steps += status == KARAT_OK;
                for (uint32_t i = 0;
                     status == KARAT_OK && a.has_mem && a.mem.op != KARAT_LOAD && i < a.mem.num; i++)
                    code_stores += karat_mem_access(&a.mem, i).addr - CODE < SIZE;
                karat_destroy(fresh);
                if (!rng_below(&rng, 16))
                    write_code(&model, 1);
            }
        }
        karat_destroy(model);
    }
    printf("cache: %llu steps, %llu accesses that wrote to code\n", (unsigned long long)steps,
           (unsigned long long)code_stores);
    assert_true(steps > 40 * num_programs() && code_stores > 4 * num_programs());
}

/* A loop of two jumps, and the word before the second one, which has been decoded long before that word
 * becomes a prefix. */
TEST(word_before) {
    static karat_commit commit;
    profile = KARAT_V202;
    find_legal();
    karat_model *model = make_model();
    const uint32_t there = OP("jal", 0, 16), back = OP("jal", 0, -16), prefix = regext(0, 0, 0, 0),
                   other = OP("add", 8, 8, 8);
    launch_all(&model, 1);
    karat_warp_view view;
    karat_view(model, 0, &view);
    const uint32_t pc = view.pc;
    assert_int_equal(karat_write(model, pc, &there, 4), KARAT_OK);
    assert_int_equal(karat_write(model, pc + 16, &back, 4), KARAT_OK);
    for (unsigned i = 0; i < 12; i++) {
        assert_int_equal(karat_write(model, pc + 12, i % 3 ? &prefix : &other, 4), KARAT_OK);
        for (unsigned jump = 0; jump < 2; jump++) {
            karat_slice slice = {.max = 1};
            assert_int_equal(
                i < 6 ? karat_step(model, 0, &commit) : karat_run_slice(model, 0, &slice, &commit), KARAT_OK);
            if (jump)
                assert_int_equal(commit.warnings & KARAT_WARN_SKIPPED_PREFIX,
                                 i % 3 ? KARAT_WARN_SKIPPED_PREFIX : 0);
        }
    }
    karat_destroy(model);
}

/* The registers of each warp that are written, by single steps. */
typedef struct written {
    uint32_t lanes[KARAT_NUM_V];
    karat_reg_set set;
} written;

static void enter(written *w, const karat_commit *c) {
    for (uint32_t i = 0; i < c->num_writes; i++) {
        const uint16_t reg = c->write[i].reg;
        if (c->write[i].cls == KARAT_CLASS_X)
            w->set.x |= UINT64_C(1) << reg;
        else if ((w->lanes[reg] |= c->write[i].mask) == (1u << LANES) - 1)
            w->set.v[reg / 64] |= UINT64_C(1) << reg % 64;
    }
}

static bool has(const karat_reg_set *set, unsigned cls, unsigned reg) {
    return (cls == KARAT_CLASS_X ? set->x >> reg : set->v[reg / 64] >> reg % 64) & 1;
}

/* May a slice hide this step? */
static bool is_hidden(const written *before, const karat_commit *c) {
    bool all = true;
    for (uint32_t i = 0; i < c->num_reads; i++)
        all = all && has(&before->set, c->read[i].cls, c->read[i].reg);
    for (uint32_t i = 0; i < c->num_writes; i++)
        all = all && (c->write[i].cls == KARAT_CLASS_X || c->write[i].mask == (1u << LANES) - 1 ||
                      has(&before->set, KARAT_CLASS_V, c->write[i].reg));
    return all && !c->barrier && !c->ended;
}

static bool is_of_note(const karat_commit *c) {
    return c->warnings || c->deviated || c->flagged.kind || (c->csr_written && c->csr == PRINT);
}

typedef struct counts {
    uint64_t steps, hidden, slices, whole, until, notes, errors;
} counts;

typedef struct run {
    karat_model *single, *sliced;
    written known[WARPS];
    uint32_t trail[WARPS][TRAIL], own[WARPS][TRAIL];
    uint64_t num_trail[WARPS];
    counts *counts;
} run;

static void take_slice(run *r, uint32_t w) {
    static karat_commit a, b;
    karat_warp_view view;
    uint32_t until_x[KARAT_NUM_X];
    karat_view(r->single, w, &view);
    memcpy(until_x, view.x, sizeof until_x);
    written *known = &r->known[w];
    karat_reg_set set = known->set;
    const bool all = rng_below(&rng, 4) == 0, until = rng_below(&rng, 2);
    karat_slice slice = {.max = 1 + rng_below(&rng, 12),
                         .written = all ? NULL : &set,
                         .until_x = until ? until_x : NULL,
                         .until_pc = view.pc + 4 * rng_below(&rng, 4),
                         .trail = r->trail[w],
                         .trail_size = TRAIL,
                         .num_trail = r->num_trail[w]};
    const karat_status status = karat_run_slice(r->sliced, w, &slice, &b);
    assert_true(slice.steps <= slice.max && (slice.steps || status != KARAT_OK));
    written before = *known;
    if (all)
        memset(&before.set, 0xff, sizeof before.set);
    bool reached = false, noted = false;
    for (uint64_t i = 0; i < slice.steps; i++) {
        before.set = all ? before.set : known->set;
        assert_int_equal(karat_step(r->single, w, &a), KARAT_OK);
        r->own[w][r->num_trail[w]++ % TRAIL] = a.pc;
        noted = is_of_note(&a);
        karat_view(r->single, w, &view);
        reached = until && a.pc == slice.until_pc && memcmp(view.x, until_x, sizeof until_x) == 0;
        if (i + 1 < slice.steps || !slice.whole || status != KARAT_OK)
            assert_true(is_hidden(&before, &a));
        if (i + 1 < slice.steps || status != KARAT_OK)
            assert_false(noted || reached);
        enter(known, &a);
    }
    if (status != KARAT_OK) {
        assert_int_equal(karat_step(r->single, w, &a), status);
    } else {
        slice.whole ? expect_same_effects(&a, &b) : expect_no_effects(&b, &a);
        assert_true(slice.steps == slice.max || slice.whole || noted || reached);
    }
    if (status == KARAT_PROGRAM_ERROR)
        expect_same_effects(&a, &b);
    if (!all && slice.whole && status == KARAT_OK)
        enter(known, &b), set = known->set; /* The caller's part */
    if (!all)
        assert_memory_equal(&set, &known->set, sizeof set);
    assert_int_equal(slice.num_trail, r->num_trail[w]);
    assert_memory_equal(r->trail[w], r->own[w], sizeof r->own[w]);
    expect_same_state(r->single, r->sliced);
    counts *c = r->counts;
    c->steps += slice.steps;
    c->hidden += slice.steps - (slice.whole && status == KARAT_OK);
    c->slices++;
    c->whole += slice.whole;
    c->until += reached;
    c->notes += noted && !slice.whole;
    c->errors += status == KARAT_PROGRAM_ERROR;
}

TEST(slices) {
    counts c = {0};
    for (uint64_t k = 0; k < 3 * num_programs(); k++) {
        profile = k & 1 ? KARAT_V203 : KARAT_V202;
        find_legal();
        karat_model *first = make_model();
        size_t size;
        void *bytes = saved(first, &size);
        run r = {.single = first, .sliced = karat_restore(bytes, size, NULL), .counts = &c};
        free(bytes);
        assert_non_null(r.sliced);
        karat_model *const both[] = {r.single, r.sliced};
        for (unsigned round = 0; round < 20; round++) {
            launch_all(both, 2);
            for (uint32_t w = 0; w < WARPS; w++) {
                memset(&r.known[w], 0, sizeof r.known[w]);
                r.known[w].set.x = rng_below(&rng, 2) ? ~UINT64_C(0) : 1;
                for (unsigned i = 0; r.known[w].set.x != 1 && i < 4; i++)
                    r.known[w].set.v[i] = ~UINT64_C(0);
            }
            for (unsigned n = 0; n < MAX_STEPS / 4 && any_live(r.single); n++) {
                take_slice(&r, rng_below(&rng, WARPS));
                if (!rng_below(&rng, 16))
                    write_code(both, 2);
            }
        }
        karat_destroy(r.single);
        karat_destroy(r.sliced);
    }
    printf("slices: %llu of %llu steps, %llu without their commits, %llu whole, %llu to a mark, %llu of "
           "note, %llu errors\n",
           (unsigned long long)c.slices, (unsigned long long)c.steps, (unsigned long long)c.hidden,
           (unsigned long long)c.whole, (unsigned long long)c.until, (unsigned long long)c.notes,
           (unsigned long long)c.errors);
    assert_true(2 * c.hidden > c.steps && c.steps > 100 * num_programs() && c.whole && c.until && c.notes &&
                c.errors);
}

/* Turns of one step against single steps of the same warps. */
TEST(turns) {
    static karat_commit a, b;
    uint64_t steps = 0, calls = 0, errors = 0, until = 0;
    for (uint64_t k = 0; k < 3 * num_programs(); k++) {
        profile = k & 1 ? KARAT_V203 : KARAT_V202;
        find_legal();
        karat_model *single = make_model();
        size_t size;
        void *bytes = saved(single, &size);
        karat_model *const both[] = {single, karat_restore(bytes, size, NULL)};
        free(bytes);
        assert_non_null(both[1]);
        for (unsigned round = 0; round < 20; round++) {
            calm = round % 2;
            launch_all(both, 2);
            written known[WARPS] = {0};
            uint32_t trail[WARPS][TRAIL] = {0}, own[WARPS][TRAIL] = {0};
            uint64_t num_own[WARPS] = {0};
            karat_slice slice[WARPS];
            for (uint32_t w = 0; w < WARPS; w++) {
                memset(&known[w].set, 0xff, sizeof known[w].set);
                if (w == WARPS - 1) /* Scalars that were not written */
                    known[w].set.x = 0xff;
                slice[w] = (karat_slice){
                    .written = w ? &known[w].set : NULL, .trail = trail[w], .trail_size = TRAIL};
            }
            written expected[WARPS];
            memcpy(expected, known, sizeof expected);
            for (unsigned n = 0; n < MAX_STEPS / 4 && any_live(single); n++) {
                karat_turn turn[WARPS];
                uint32_t num = 0;
                for (uint32_t w = 0; w < WARPS; w++) {
                    karat_warp_view view;
                    karat_view(single, w, &view);
                    if (view.live && !view.waiting)
                        turn[num++] = (karat_turn){w, &slice[w]};
                }
                uint32_t at = rng_below(&rng, calm ? 2 : num) % num, next = at, last = at,
                         until_x[KARAT_NUM_X];
                /* The mark of one warp: the scalars that it has now. */
                const uint32_t marked = rng_below(&rng, num);
                karat_slice *mark = &slice[turn[marked].warp];
                karat_warp_view view;
                karat_view(single, turn[marked].warp, &view);
                memcpy(until_x, view.x, sizeof until_x);
                mark->until_x = rng_below(&rng, 2) ? until_x : NULL;
                mark->until_pc = view.pc + 4 * rng_below(&rng, 8);
                uint64_t taken;
                const uint64_t max = 1 + rng_below(&rng, 30);
                const karat_status status = karat_run_turns(both[1], turn, num, &at, max, &taken, &b);
                bool noted = false, reached = false, hidden = true;
                for (uint64_t i = 0; i < taken; i++, next = (next + 1) % num) {
                    assert_false(noted || reached);
                    last = next;
                    const uint32_t w = turn[next].warp;
                    assert_int_equal(karat_step(single, w, &a), KARAT_OK);
                    own[w][num_own[w]++ % TRAIL] = a.pc;
                    hidden = is_hidden(&expected[w], &a);
                    assert_true(hidden || i + 1 == taken);
                    enter(&expected[w], &a);
                    noted = is_of_note(&a) || a.barrier || a.ended;
                    karat_view(single, w, &view);
                    reached = next == marked && mark->until_x && a.pc == mark->until_pc &&
                              memcmp(view.x, until_x, sizeof until_x) == 0;
                }
                mark->until_x = NULL;
                until += reached;
                if (status != KARAT_OK) {
                    last = next;
                    assert_int_equal(karat_step(single, turn[next].warp, &a), status);
                } else {
                    slice[turn[at].warp].whole ? expect_same_effects(&a, &b) : expect_no_effects(&b, &a);
                    assert_true(taken == max || noted || reached || slice[turn[at].warp].whole);
                }
                if (status == KARAT_OK && slice[turn[at].warp].whole)
                    known[turn[at].warp].set = expected[turn[at].warp].set; /* The caller's part */
                else
                    assert_true(hidden);
                for (uint32_t w = 0; w < WARPS; w++) {
                    assert_memory_equal(&known[w].set, &expected[w].set, sizeof known[w].set);
                    assert_int_equal(slice[w].num_trail, num_own[w]);
                    assert_memory_equal(trail[w], own[w], sizeof own[w]);
                }
                assert_int_equal(at, last);
                expect_same_state(both[0], both[1]);
                steps += taken;
                calls++;
                errors += status == KARAT_PROGRAM_ERROR;
                if (!rng_below(&rng, 16))
                    write_code(both, 2);
            }
            uint64_t sum = 0;
            for (uint32_t w = 0; w < WARPS; w++) {
                sum += slice[w].num_trail;
                assert_int_equal(slice[w].steps, slice[w].num_trail);
            }
            assert_true(sum <= steps);
        }
        karat_destroy(both[0]);
        karat_destroy(both[1]);
    }
    calm = false;
    printf("turns: %llu steps in %llu calls, %llu to a mark, %llu errors\n", (unsigned long long)steps,
           (unsigned long long)calls, (unsigned long long)until, (unsigned long long)errors);
    assert_true(steps > calls && until && errors);
}

TEST(refused) {
    profile = KARAT_V202;
    find_legal();
    karat_model *model = make_model();
    static karat_commit commit;
    uint32_t trail[4];
    karat_slice slice = {.max = 1};
    assert_int_equal(karat_run_slice(model, 0, &slice, &commit), KARAT_ENDED);
    launch_all(&model, 1);
    assert_int_equal(karat_run_slice(NULL, 0, &slice, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_slice(model, WARPS, &slice, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_slice(model, 0, NULL, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_slice(model, 0, &slice, NULL), KARAT_BAD_ARGUMENT);
    slice.max = 0;
    assert_int_equal(karat_run_slice(model, 0, &slice, &commit), KARAT_BAD_ARGUMENT);
    slice = (karat_slice){.max = 1, .trail = trail, .trail_size = 3};
    assert_int_equal(karat_run_slice(model, 0, &slice, &commit), KARAT_BAD_ARGUMENT);
    slice.trail_size = 2 * KARAT_MAX_TRAIL;
    assert_int_equal(karat_run_slice(model, 0, &slice, &commit), KARAT_BAD_ARGUMENT);
    slice.trail_size = 4;
    uint32_t at = 0;
    uint64_t steps;
    karat_turn turn = {0, &slice};
    assert_int_equal(karat_run_turns(NULL, &turn, 1, &at, 1, &steps, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_turns(model, NULL, 1, &at, 1, &steps, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_turns(model, &turn, 0, &at, 1, &steps, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_turns(model, &turn, 1, NULL, 1, &steps, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_turns(model, &turn, 1, &at, 0, &steps, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_turns(model, &turn, 1, &at, 1, NULL, &commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_run_turns(model, &turn, 1, &at, 1, &steps, NULL), KARAT_BAD_ARGUMENT);
    turn.warp = WARPS;
    assert_int_equal(karat_run_turns(model, &turn, 1, &at, 1, &steps, &commit), KARAT_BAD_ARGUMENT);
    turn = (karat_turn){0, NULL};
    assert_int_equal(karat_run_turns(model, &turn, 1, &at, 1, &steps, &commit), KARAT_BAD_ARGUMENT);
    karat_destroy(model);
}

int main(void) {
    rng.state = test_seed();
    return run_suite("slice", NULL, NULL);
}
