/* Operands in a commit: which registers the step read, which of their lanes decide what it did, and how many
 * elements there were. */
#include "support.h"

enum {
    E32M1 = 0x10,
    E32M2 = 0x11,
    UPPER = 4 /* Bit of an address's upper half under which the data is mapped again */
};

/* --- The registers --- */

/* Whether a source is a pair in an instruction of that width. */
static bool is_pair(const karat_row *row, const karat_source *source, karat_width width) {
    static const uint8_t roles[] = {KARAT_ROLE_VM, KARAT_ROLE_SRC1, KARAT_ROLE_SRC2, KARAT_ROLE_SRC3};
    for (unsigned i = 0; row->widths && i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        const bool is_it = kind->role == roles[source->source] || (source->source == 3 && kind->is_read);
        if (kind->is_reg && is_it && kind->cls == source->cls && karat_operand_is_pair(kind, width))
            return true;
    }
    return false;
}

/* The second register of a 64-bit address is read last. */
static bool has_wide_address(const karat_row *row) {
    for (unsigned i = 0; i < row->num_operands; i++)
        if (karat_operand_info(row->operands[i])->span == KARAT_SPAN_ADDRESS)
            return true;
    return false;
}

/* Registers from 4 on, all of them even, and immediates of 0. */
static uint32_t word_of(int row) {
    const karat_row *info = karat_row_info(row);
    int32_t value[KARAT_MAX_OPERAND] = {0};
    for (unsigned i = 0; i < info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(info->operands[i]);
        if (kind->is_reg && kind->bits)
            value[i] = 4 + 2 * (int32_t)i;
    }
    uint32_t word;
    assert_true(karat_encode(row, value, &word));
    return word;
}

/* Whether the commit's reads are those of karat_sources(), the second registers of groups and pairs after the
 * first. */
static void expect_sources(const rig *r, int row, uint32_t prefix, uint32_t word, uint32_t lmul) {
    const karat_profile profile = karat_get_config(r->model)->profile;
    const karat_row *info = karat_row_info(row);
    const karat_width width = (karat_width)karat_row_width(info, prefix, KARAT_W32);
    karat_source sources[KARAT_MAX_SOURCE];
    const uint32_t num = karat_sources(profile, 0, prefix, word, sources);
    const bool vector = karat_row_uses_vtype(info) || (info->owes & KARAT_OWES_V);
    const uint32_t parts = lmul == 2 && karat_row_is_grouped(info) ? 2 : 1;
    uint32_t at = 0;
    bool any_vector = false;
    for (uint32_t i = 0; i < num; i++) {
        const bool is_v = sources[i].cls == KARAT_CLASS_V;
        const uint32_t registers = is_pair(info, &sources[i], width) ? 2 : is_v ? parts : 1;
        any_vector |= is_v;
        for (uint32_t part = 0; part < registers; part++, at++) {
            const karat_reg_read *read = &r->commit.read[at];
            if (at >= r->commit.num_reads || read->source != sources[i].source ||
                read->cls != sources[i].cls || read->part != part || read->reg != sources[i].reg + part)
                fail_msg("%s, prefix 0x%08x, %u registers a group: read %u is not source %u, part %u",
                         info->name, prefix, lmul, at, sources[i].source, part);
        }
    }
    assert_int_equal(r->commit.num_reads, at + has_wide_address(info));
    if (r->commit.has_mem) /* At address 0 */
        assert_int_equal(r->commit.mem.space, strcmp(info->section, "4.2.7") ? KARAT_GLOBAL : KARAT_PRIVATE);
    if (r->commit.elements != (vector || any_vector ? parts * r->num_thread : 1))
        fail_msg("%s, %u registers a group: %u elements", info->name, lmul, r->commit.elements);
    if (r->commit.elements > 1 && r->commit.active >> r->commit.elements)
        fail_msg("%s, %u registers a group: elements 0x%llx are active", info->name, lmul,
                 (unsigned long long)r->commit.active);
}

/* Every row, in v2.03 by pair as well. */
TEST(every_row_reads_its_sources) {
    for (karat_profile profile = KARAT_V202; profile <= KARAT_V203; profile++) {
        scoped_rig r;
        (profile == KARAT_V202 ? rig_open : rig_open_v203)(&r, 4);
        assert_int_equal(karat_map(r.model, 0, MAPPED), KARAT_OK); /* Where registers of zeros point to */
        unsigned paired = 0;
        for (uint32_t lmul = 1; lmul <= 2; lmul++)
            for (int row = 0; row < karat_num_rows(); row++)
                for (unsigned pair = 0; pair <= (profile == KARAT_V203); pair++) {
                    const karat_row *info = karat_row_info(row);
                    const uint32_t prefix = pair ? PAIRED : 0, word = word_of(row);
                    if (!karat_row_is_legal(info, profile) || info->unit == KARAT_UNIT_PREFIX ||
                        (pair && !karat_prefix_fits(row, prefix)))
                        continue;
                    launch(&r);
                    set_word(&r, CODE, OP("vsetivli", 0, 8, lmul == 2 ? E32M2 : E32M1));
                    assert_int_equal(step_warp(&r, 0), KARAT_OK);
                    set_word(&r, CODE + 4, pair ? prefix : word);
                    set_word(&r, CODE + 8, word);
                    rows_pause();
                    const karat_status status = step_warp(&r, 0);
                    rows_resume();
                    if (status != KARAT_OK)
                        continue; /* Illegal instructions have tests of their own */
                    expect_sources(&r, row, prefix, word, lmul);
                    paired += pair;
                }
        assert_true(profile == KARAT_V202 || paired > 200);
    }
}

/* --- Their lanes --- */

/* A port that flips one bit of one lane of the nth register that is read. */
typedef struct flip {
    uint32_t read, lane, bit, num_thread;
} flip;

static karat_read_answer flip_bit(void *context, uint32_t warp, const karat_commit *commit,
                                  uint32_t value[KARAT_MAX_THREAD]) {
    const flip *f = context;
    (void)warp;
    if (commit->num_reads - 1 != f->read)
        return KARAT_READ_KEEP;
    const karat_reg_read *read = &commit->read[f->read];
    memcpy(value, read->value, (read->cls == KARAT_CLASS_X ? 1 : f->num_thread) * sizeof *value);
    value[f->lane] ^= f->bit;
    return KARAT_READ_CHANGED;
}

/* One step of an instruction from a warp that is always the same. */
typedef struct sample {
    const char *name;
    int32_t operand[KARAT_MAX_OPERAND];
    uint32_t prefix; /* 0: none */
    bool grouped;    /* Legal for two registers, too */
    bool v203;
} sample;

enum {
    REGPAIR = 0x0000500b,
    BY_PAIR = 0x00080002,
    WORDS_2 = 0x0000000e,
    WORDS_3 = 0x00000016,
    WORDS_2_WIDE = 0x0008000e
};

static const sample samples[] = {
    {"vadd.vv", {12, 2, 4, 0}, 0, true, false},
    {"vadd.vv", {12, 2, 4, 1}, 0, true, false},
    {"vsub.vx", {12, 2, 6, 0}, 0, true, false},
    {"vmacc.vv", {12, 2, 4, 0}, 0, true, false},
    {"vadc.vvm", {12, 2, 4}, 0, true, false},
    {"vmv.x.s", {6, 14}, 0, false, false},
    {"vadd12.vi", {12, 2, 77}, 0, false, false},
    {"vbeq", {2, 3, 64}, 0, false, false},
    {"vlw12.v", {12, 0, 8}, 0, false, false},
    {"vsw12.v", {2, 0, 8}, 0, false, false},
    {"vle32.v", {12, 5, 0}, 0, true, false},
    {"vse32.v", {2, 5, 0}, 0, true, false},
    {"vluxei32.v", {12, 5, 10, 0}, 0, true, false},
    {"vlw12.v", {12, 0, 8}, REGPAIR, false, false},
    {"vlw12.v", {13, 0, 8}, REGPAIR, false, false},
    {"vsw12.v", {2, 0, 15}, REGPAIR, false, false},
    {"vsw12.v", {3, 0, 8}, REGPAIR, false, false},
    {"vse32.v", {2, 5, 0}, REGPAIR, false, false},
    {"add", {6, 5, 7}, 0, false, false},
    {"vadd.vv", {12, 2, 4, 0}, BY_PAIR, false, true},
    {"vadd.vx", {12, 2, 6, 0}, BY_PAIR, false, true},
    {"vmacc.vv", {12, 2, 4, 1}, BY_PAIR, false, true},
    {"vadc.vvm", {12, 2, 4}, BY_PAIR, false, true},
    {"vadd12.vi", {12, 2, 77}, BY_PAIR, false, true},
    {"add", {6, 4, 8}, BY_PAIR, false, true},
    {"addw", {6, 4, 8}, 0, false, true},
    {"vwadd.vv", {12, 2, 4, 0}, 0, false, true},
    {"vwsub.wv", {12, 2, 4, 1}, 0, false, true},
    {"vwmacc.vx", {12, 6, 4, 0}, 0, false, true},
    {"vlw12.v", {20, 0, 8}, WORDS_3, false, true},
    {"vsw12.v", {2, 0, 8}, WORDS_3, false, true},
    {"vlw12.v", {20, 0, 8}, WORDS_2_WIDE, false, true},
    {"vlw12d.v", {20, 0, 8}, 0, false, true},
    {"vsw12d.v", {2, 0, 8}, WORDS_2, false, true},
    {"vse32.v", {2, 5, 0}, WORDS_2, false, true},
};

typedef struct scene {
    uint32_t vl, mask;
    bool grouped;
    uint32_t v[KARAT_NUM_V * KARAT_MAX_THREAD], x[KARAT_NUM_X];
} scene;

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void draw(const rig *r, scene *s, bool grouped, uint32_t *seed) {
    const uint32_t n = r->num_thread;
    s->grouped = grouped;
    s->vl = next(seed) % (n * (grouped ? 2 : 1) + 1);
    s->mask = next(seed) % 4 ? next(seed) & r->all : r->all;
    for (uint32_t i = 0; i < KARAT_NUM_V * n; i++)
        s->v[i] = next(seed);
    memcpy(s->v + 3 * n, s->v + 2 * n, n * sizeof *s->v); /* Equal until one of them changes */
    for (uint32_t lane = 0; lane < n; lane++) {
        s->v[8 * n + lane] = s->v[15 * n + lane] = DATA + 16 * lane; /* Indices are v10 and v11 */
        s->v[14 * n + lane] = 1;
        s->v[9 * n + lane] = 0; /* Upper half of v8 */
        for (uint32_t part = 0; part < 2; part++)
            s->v[(10 + part) * n + lane] = 16 * (lane + part * n);
    }
    s->x[5] = DATA;
    s->x[6] = 99;
}

/* The step that follows vset. */
static void act(rig *r, const scene *s, const sample *k, flip *f) {
    r->desc.v = s->v;
    r->desc.x = s->x;
    r->desc.mask = s->mask;
    karat_set_read_port(r->model, NULL, NULL);
    launch(r);
    DO(r, "vsetivli", 0, 1, s->grouped ? E32M2 : E32M1);
    assert_int_equal(karat_adopt_vl(r->model, 0, s->vl), KARAT_OK);
    if (f)
        karat_set_read_port(r->model, flip_bit, f);
    do_prefixed(r, k->prefix, assemble(k->name, k->operand));
}

/* Whether two steps did the same. */
static bool same_step(const karat_commit *a, const karat_commit *b) {
    bool same = a->num_writes == b->num_writes && a->mem.num == b->mem.num && a->next_pc == b->next_pc &&
                a->mask_after == b->mask_after && a->warnings == b->warnings;
    for (uint32_t i = 0; same && i < a->num_writes; i++) {
        same = a->write[i].reg == b->write[i].reg && a->write[i].mask == b->write[i].mask;
        for (uint32_t lane = 0; same && lane < KARAT_MAX_THREAD; lane++)
            same = !(a->write[i].mask >> lane & 1) || a->write[i].value[lane] == b->write[i].value[lane];
    }
    for (uint32_t i = 0; same && i < a->mem.num; i++)
        same = karat_mem_access(&a->mem, i).addr == karat_mem_access(&b->mem, i).addr &&
               karat_mem_access(&a->mem, i).value == karat_mem_access(&b->mem, i).value &&
               karat_mem_access(&a->mem, i).lane == karat_mem_access(&b->mem, i).lane;
    return same;
}

/* In each of these instructions any change of an operand shows: the lanes that decide what the step did are
 * those in which another value does something else. */
TEST(lanes_that_decide) {
    static const uint32_t sizes[] = {1, 2, 4, 32};
    static scene s;
    static karat_commit plain;
    static karat_commit_values values;
    uint32_t seed = 1;
    for (unsigned turn = 0; turn < 2 * sizeof sizes / sizeof *sizes; turn++) {
        const bool v203 = turn & 1;
        scoped_rig r;
        (v203 ? rig_open_v203 : rig_open)(&r, sizes[turn / 2]);
        assert_int_equal(karat_map(r.model, ((uint64_t)UPPER << 32) + DATA, MAPPED), KARAT_OK);
        for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
            for (unsigned round = 0; round < (r.num_thread == 32 ? 2 : 8); round++) {
                const sample *k = &samples[i];
                if (k->v203 != v203)
                    break;
                draw(&r, &s, k->grouped && round & 1, &seed);
                act(&r, &s, k, NULL);
                plain = r.commit;
                karat_commit_keep(r.model, &plain, &values);
                uint32_t lanes[KARAT_MAX_READ];
                for (uint32_t read = 0; read < plain.num_reads; read++)
                    lanes[read] = karat_read_lanes(r.model, 0, &plain, read);
                for (uint32_t read = 0; read < plain.num_reads; read++) {
                    const bool scalar = plain.read[read].cls == KARAT_CLASS_X;
                    for (uint32_t lane = 0; lane < (scalar ? 1 : r.num_thread); lane++) {
                        flip f = {read, lane, plain.read[read].source ? 4 : 1, r.num_thread};
                        act(&r, &s, k, &f);
                        const bool decides = !same_step(&plain, &r.commit);
                        if (scalar ? lanes[read] != 1 : decides != (lanes[read] >> lane & 1))
                            fail_msg("%s, %u threads, mask 0x%x, vl %u, grouped %d: lane %u of read %u "
                                     "decides: %d; lanes 0x%x",
                                     k->name, r.num_thread, s.mask, s.vl, s.grouped, lane, read, decides,
                                     lanes[read]);
                    }
                    assert_int_equal(lanes[read] & ~(scalar ? 1 : r.all), 0);
                }
            }
    }
}

/* Registers v2, v3, x4 and x9 may hold anything: the step is the same, and says that no lane of them
 * decides. */
TEST(lanes_that_never_decide) {
    static const sample without[] = {
        {"xor", {6, 4, 4}, 0, false, false},
        {"sub", {6, 4, 4}, 0, false, false},
        {"slt", {6, 4, 4}, 0, false, false},
        {"sltu", {6, 4, 0}, 0, false, false},
        {"sltiu", {6, 4, 0}, 0, false, false},
        {"andi", {6, 4, 0}, 0, false, false},
        {"and", {6, 0, 4}, 0, false, false},
        {"mul", {6, 4, 0}, 0, false, false},
        {"mulhsu", {6, 0, 4}, 0, false, false},
        {"beq", {4, 4, 64}, 0, false, false},
        {"bgeu", {4, 0, 64}, 0, false, false},
        {"vxor.vv", {12, 2, 2, 1}, 0, true, false},
        {"vsub.vv", {12, 2, 2, 1}, 0, true, false},
        {"vmseq.vv", {12, 2, 2, 1}, 0, true, false},
        {"vmslt.vv", {12, 2, 2, 1}, 0, true, false},
        {"vmul.vx", {12, 2, 0, 1}, 0, true, false},
        {"vand.vx", {12, 2, 0, 1}, 0, true, false},
        {"vand.vi", {12, 2, 0, 1}, 0, true, false},
        {"vminu.vx", {12, 2, 0, 1}, 0, true, false},
        {"vmsltu.vx", {12, 2, 0, 1}, 0, true, false},
        {"vbltu", {2, 2, 64}, 0, false, false},
        {"xor", {6, 4, 4}, BY_PAIR, false, true},
        {"mul", {6, 4, 0}, BY_PAIR, false, true},
        {"subw", {6, 4, 4}, 0, false, true},
        {"vsub.vv", {12, 2, 2, 1}, BY_PAIR, false, true},
        {"vmul.vx", {12, 2, 0, 1}, BY_PAIR, false, true},
    };
    static scene s;
    static karat_commit plain;
    static karat_commit_values values;
    uint32_t seed = 1;
    for (unsigned turn = 0; turn < 2; turn++) {
        scoped_rig r;
        (turn ? rig_open_v203 : rig_open)(&r, 4);
        for (size_t i = 0; i < 8 * sizeof without / sizeof *without; i++) {
            const sample *k = &without[i / 8];
            if (k->v203 != turn)
                continue;
            draw(&r, &s, k->grouped && i & 1, &seed);
            s.x[0] = 0;
            act(&r, &s, k, NULL);
            plain = r.commit;
            karat_commit_keep(r.model, &plain, &values);
            for (uint32_t read = 0; read < plain.num_reads; read++)
                if (plain.read[read].cls == KARAT_CLASS_V || plain.read[read].reg)
                    if (karat_read_lanes(r.model, 0, &plain, read))
                        fail_msg("%s: read %u decides", k->name, read);
            for (uint32_t at = 2 * r.num_thread; at < 4 * r.num_thread; at++)
                s.v[at] = next(&seed);
            s.x[4] = next(&seed);
            s.x[5] = next(&seed);
            act(&r, &s, k, NULL);
            if (!same_step(&plain, &r.commit))
                fail_msg("%s: depends on the register", k->name);
        }
    }
}

/* Their neighbours do. */
TEST(lanes_that_seem_not_to) {
    static const sample with[] = {
        {"or", {6, 4, 4}, 0, false, false},         {"sltu", {6, 0, 4}, 0, false, false},
        {"andi", {6, 4, 1}, 0, false, false},       {"xor", {6, 4, 0}, 0, false, false},
        {"vor.vv", {12, 2, 2, 1}, 0, true, false},  {"vrsub.vx", {12, 2, 0, 1}, 0, true, false},
        {"vmax.vx", {12, 2, 0, 1}, 0, true, false}, {"sub", {6, 4, 4}, BY_PAIR | 0x2000, false, true},
    };
    static scene s;
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        scoped_rig r;
        (with[i].v203 ? rig_open_v203 : rig_open)(&r, 4);
        draw(&r, &s, false, &seed);
        s.vl = 4;
        s.mask = 15;
        act(&r, &s, &with[i], NULL);
        bool decides = false;
        for (uint32_t read = 0; read < r.commit.num_reads; read++)
            decides |= r.commit.read[read].reg && karat_read_lanes(r.model, 0, &r.commit, read);
        if (!decides)
            fail_msg("%s: nothing decides", with[i].name);
    }
}

/* A product of matrices takes every lane there is; a step that fails may have looked at every active lane
 * below vl. */
TEST(lanes_of_all) {
    for (uint32_t n = 4; n <= KARAT_MAX_THREAD; n *= 2) {
        RIG(r, rig_open, n);
        r.desc.mask = 5;
        launch(&r);
        DO(&r, "vftta.vv", 3, 2, 1, 1);
        for (uint32_t read = 0; read < 3; read++)
            assert_int_equal(karat_read_lanes(r.model, 0, &r.commit, read), r.all);
        assert_int_equal(karat_adopt_vl(r.model, 0, n - 1), KARAT_OK);
        set_word(&r, CODE + 4, OP("vlw12.v", 3, 0, 1));
        assert_int_equal(step_warp(&r, 0), KARAT_PROGRAM_ERROR);
        assert_int_equal(karat_read_lanes(r.model, 0, &r.commit, 0), 5);
    }
}

/* --- The rest --- */

/* Arrays of a commit are not touched beyond their counts. */
TEST(arrays_end_where_they_say) {
    static const char *const names[] = {"add", "lui", "vadd.vv"};
    static karat_commit filled;
    memset(&filled, 0x5a, sizeof filled);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        RIG(r, rig_open, 4);
        set_word(&r, CODE, OP(names[i], 3, 2, 1, 1));
        r.commit = filled;
        assert_int_equal(karat_step(r.model, 0, &r.commit), KARAT_OK);
        const karat_commit *c = &r.commit;
        assert_memory_equal(c->mem.lane_value, filled.mem.lane_value, sizeof c->mem.lane_value);
        assert_memory_equal(c->mem.lane_old, filled.mem.lane_old, sizeof c->mem.lane_old);
        assert_memory_equal(c->mem.access, filled.mem.access, sizeof c->mem.access);
        assert_memory_equal(&c->read[c->num_reads], filled.read,
                            (KARAT_MAX_READ - c->num_reads) * sizeof *c->read);
        assert_memory_equal(&c->write[c->num_writes], filled.write,
                            (KARAT_MAX_WRITE - c->num_writes) * sizeof *c->write);
    }
}
