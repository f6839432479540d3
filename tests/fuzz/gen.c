#include "gen.h"

#include <string.h>

static uint32_t pool_value(struct rng *rng) {
    uint32_t word = rng_word(rng);
    switch (rng_below(rng, 16)) {
    case 0:
    case 1: return word & 31;
    case 2: return 0u - (word & 15);
    case 3: return (1u << (word & 31)) - (word >> 30 & 1);
    case 4: return (word & 1 ? 0x80000000u : 0x7fffffffu) + (word >> 8 & 3) - 1;
    case 5: return word & 1;
    case 6: return gen_address(rng);
    case 7:
    case 8:
    case 9: return word;
    default: return random_operand(rng);
    }
}

uint32_t gen_address(struct rng *rng) {
    uint32_t word = rng_word(rng), addr;
    switch (rng_below(rng, 32)) {
    case 0: addr = MIRROR_DATA + 4 * MIRROR_PAGE - (word & 0x7f); break;
    case 1: addr = MIRROR_LDS_BASE + (word & 0xff) - 0x80; break;
    case 2: addr = MIRROR_LDS_BASE + MIRROR_LDS_SIZE + (word & 0xff) - 0x80; break;
    case 3: addr = word & 0x1fff; break;
    case 4: addr = 0u - (word & 0x1fff); break;
    case 5: addr = MIRROR_CODE + (word & 0x1fff); break;
    case 6: addr = MIRROR_LDS_BASE + (word & (MIRROR_LDS_SIZE - 1)); break;
    case 7: addr = word; break;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12: addr = MIRROR_LDS_BASE + (word & 0x7ff); break;
    default: addr = MIRROR_DATA + (word & (4 * MIRROR_PAGE - 1)); break;
    }
    return rng_chance(rng, 31, 32) ? addr & ~3u : addr;
}

static bool is_prefix(const karat_row *row) {
    return row->unit == KARAT_UNIT_PREFIX;
}

/* The CSRs that exist, and those that may be written, as the model itself has them. */
static const char *find_csrs(gen *g) {
    karat_config config;
    karat_config_default(&config);
    config.lds_pool = config.lds_size = MIRROR_PAGE;
    config.max_warp = config.max_workgroup = 1;
    karat_model *model = karat_create(&config, NULL);
    const karat_launch_desc desc = {.mask = 1};
    if (!model || karat_workgroup_open(model, 0, 1) != KARAT_OK ||
        karat_launch(model, 0, &desc) != KARAT_OK) {
        karat_destroy(model);
        return "no model to ask for its CSRs";
    }
    for (uint32_t csr = 0; csr < 4096; csr++) {
        uint32_t value;
        if (karat_csr_read(model, 0, csr, &value) != KARAT_OK || g->num_csrs == GEN_MAX_CSR)
            continue;
        g->csrs[g->num_csrs++] = (uint16_t)csr;
        if (karat_csr_write(model, 0, csr, value) == KARAT_OK)
            g->writable[g->num_writable++] = (uint16_t)csr;
    }
    karat_destroy(model);
    return g->num_writable ? NULL : "no CSR may be written";
}

const char *gen_init(gen *g, uint64_t seed) {
    struct rng rng = {seed ^ 0x706f6f6c};
    memset(g, 0, sizeof *g);
    if (!mirror_init())
        return "the table has more rows than MIRROR_MAX_ROWS";
    for (int row = 0; row < karat_num_rows(); row++)
        for (int profile = KARAT_V202; profile < KARAT_NUM_PROFILE; profile++) {
            const karat_row *info = karat_row_info(row);
            if (!(info->profiles >> profile & 1))
                continue;
            if (is_prefix(info))
                g->prefixes[profile][g->num_prefixes[profile]++] = (uint16_t)row;
            else if (!karat_row_is_legal(info, (karat_profile)profile))
                g->left_out[profile][g->num_left_out[profile]++] = (uint16_t)row;
            else
                g->rows[profile][g->num_rows[profile]++] = (uint16_t)row;
        }
    for (uint32_t i = 0; i < GEN_POOL; i++)
        g->pool[i] = pool_value(&rng);
    return find_csrs(g);
}

/* --- Words --- */

/* An immediate, CSR number or register number that means something, most of the time. */
static int32_t operand_value(const gen *g, struct rng *rng, const mirror_warp *w, mirror_kind kind,
                             bool is_203, int32_t value) {
    if (kind == MIRROR_PLAIN || rng_chance(rng, 1, 16))
        return value;
    switch (kind) {
    case MIRROR_X: return w->sgprs < 32 ? value % (int32_t)w->sgprs : value;
    case MIRROR_V:
        if (w->vgprs < 32)
            value %= (int32_t)w->vgprs;
        return mirror_lmul(w) == 2 ? value & ~1 : value;
    case MIRROR_CSR:
        return rng_chance(rng, 1, 4) ? g->csrs[rng_below(rng, g->num_csrs)]
                                     : g->writable[rng_below(rng, g->num_writable)];
    case MIRROR_VTYPE: return (int32_t)((is_203 ? rng_below(rng, 3) << 3 : 0x10u) | (rng_word(rng) & 0xc1u));
    case MIRROR_TARGET: return ((int32_t)(rng_word(rng) & 0x7f) - 0x40) * 4;
    default: return value;
    }
}

/* A word of that row, operands random; insn: the same taken apart. */
static uint32_t row_word(const gen *g, struct rng *rng, const mirror *m, uint32_t warp, int row,
                         karat_insn *insn) {
    const mirror_facts *f = mirror_row(row);
    karat_decode(m->config->profile, f->row->match | (rng_word(rng) & ~f->row->mask), insn);
    for (unsigned i = 0; i < f->row->num_operands; i++)
        insn->value[i] = operand_value(g, rng, &m->warps[warp], (mirror_kind)f->kind[i],
                                       m->config->profile == KARAT_V203, insn->value[i]);
    karat_encode(row, insn->value, &insn->word);
    return insn->word;
}

/* Leave no extension for what is not there. */
static void fit_extensions(struct rng *rng, const mirror_facts *f, const mirror_facts *p, karat_insn *insn) {
    for (int source = 1; source <= 3; source++) {
        if (p->extension[source] < 0)
            continue;
        int32_t *value = &insn->value[p->extension[source]];
        if (f->source[source] < 0)
            /* The third operand of a multiply-add is its destination: x3 may be anything. */
            *value = source == 3 && f->vector_dest && rng_chance(rng, 1, 4) ? *value : 0;
        else if (!f->vector[source])
            *value &= 1;
    }
    if (p->extension[0] >= 0)
        insn->value[p->extension[0]] &= f->vector_dest ? 7 : f->dest >= 0 ? 1 : 0;
    for (unsigned i = 0; i < p->row->num_operands; i++)
        if (p->kind[i] == MIRROR_IMM && !f->has_imm5)
            insn->value[i] = 0;
}

/* A row of a prefix, mostly one that the instruction takes. */
static int prefix_row(const gen *g, struct rng *rng, karat_profile profile, const mirror_facts *f) {
    const uint32_t n = g->num_prefixes[profile];
    const bool accesses = f && f->row->owes & KARAT_OWES_MEM;
    int row = g->prefixes[profile][rng_below(rng, n)];
    if (profile == KARAT_V203) {
        const bool memory = accesses ? rng_chance(rng, 3, 4) : rng_chance(rng, 1, 16);
        while (mirror_row(row)->memory != memory)
            row = g->prefixes[profile][rng_below(rng, n)];
    } else if (f && !accesses && mirror_row(row)->pair) {
        /* Pairs are for memory accesses only: draw once more before anything else. */
        row = g->prefixes[profile][rng_below(rng, n)];
    }
    return row;
}

/* A pair, ABS and NEG of PREFIX, where the instruction has them. */
static uint32_t fit_modifiers(const mirror_facts *f, uint32_t prefix) {
    enum { PAIR = 19, ABS = 16, NEG = 13 };
    uint32_t sources = 0;
    for (unsigned i = 0; i < f->row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(f->row->operands[i]);
        if (kind->role >= KARAT_ROLE_SRC1 && kind->role <= KARAT_ROLE_SRC3)
            sources |= 1u << (kind->role - KARAT_ROLE_SRC1);
        else if (kind->is_read)
            sources |= 4;
    }
    if (!f->row->widths)
        sources = 0;
    if (!(f->row->widths >> KARAT_W64 & 1))
        prefix &= ~(1u << PAIR);
    return prefix & ~((7 & ~sources) << ABS | (7 & ~sources) << NEG);
}

/* A prefix that fits the instruction, most of the time.  f: NULL where it is no instruction. */
static uint32_t prefix_word(const gen *g, struct rng *rng, const mirror *m, const mirror_facts *f,
                            karat_insn *insn) {
    const karat_profile profile = m->config->profile;
    const mirror_facts *p = mirror_row(prefix_row(g, rng, profile, f));
    karat_decode(profile, p->row->match | (rng_word(rng) & ~p->row->mask), insn);
    if (!f || rng_chance(rng, 1, 16))
        return insn->word;
    fit_extensions(rng, f, p, insn);
    karat_encode(insn->row, insn->value, &insn->word);
    if (profile == KARAT_V203 && !p->memory && (insn->word & 7) == 2)
        insn->word = fit_modifiers(f, insn->word);
    return insn->word;
}

/* Even registers where the instruction takes pairs, most of the time. */
static void make_even(struct rng *rng, const mirror_warp *w, const mirror_facts *f, uint32_t prefix,
                      karat_insn *insn) {
    const karat_prefix p = karat_prefix_of(prefix);
    const karat_width sew = w->vtype >> 31 ? KARAT_W32 : (karat_width)(w->vtype >> 3 & 3);
    const int width = karat_row_width(f->row, prefix, sew);
    if (width < 0 || rng_chance(rng, 1, 16))
        return;
    for (unsigned i = 0; i < f->row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(f->row->operands[i]);
        const bool base = p.memory && p.pair && (int)i == f->source[1];
        if (base || karat_operand_is_pair(kind, (karat_width)width))
            insn->value[i] &= ~1;
    }
    karat_encode(insn->row, insn->value, &insn->word);
}

/* --- Register values --- */

/* An instruction as drawn, taken apart. */
typedef struct drawn {
    const mirror_facts *f, *p; /* Facts of the instruction and of its prefix; NULL: there is none */
    karat_insn insn, prefix;
} drawn;

/* The number of that source register, extension included. */
static uint32_t register_of(const drawn *d, int source) {
    uint32_t reg = (uint32_t)d->insn.value[d->f->source[source]];
    if (d->p && d->p->extension[source] >= 0)
        reg |= (uint32_t)d->prefix.value[d->p->extension[source]] << 5;
    return reg & (d->f->vector[source] ? KARAT_NUM_V - 1 : KARAT_NUM_X - 1);
}

static void give(mirror *m, uint32_t warp, bool vector, uint32_t reg, const uint32_t *value) {
    mirror_adopt(m, warp, vector ? KARAT_CLASS_V : KARAT_CLASS_X, reg, value);
}

/* Per lane: addr + lane * by, or addr for all. */
static void give_ramp(mirror *m, uint32_t warp, bool vector, uint32_t reg, uint32_t first, uint32_t by) {
    uint32_t value[KARAT_MAX_THREAD];
    for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
        value[i] = first + i * by;
    mirror_adopt(m, warp, vector ? KARAT_CLASS_V : KARAT_CLASS_X, reg, value);
}

/* Base, index and stride of a memory access. */
static void give_address(struct rng *rng, mirror *m, uint32_t warp, const drawn *d) {
    const mirror_facts *r = d->f;
    uint32_t offset = r->offset < 0 ? 0 : (uint32_t)d->insn.value[r->offset];
    uint32_t base = register_of(d, 1);
    static const uint32_t steps[] = {0, 4, 4, 4, 8, 12, 0xfffffffcu, 1};
    uint32_t by = steps[rng_below(rng, sizeof steps / sizeof *steps)];
    const karat_prefix prefix = karat_prefix_of(d->p ? d->prefix.word : 0);
    const bool private = r->private || prefix.space == KARAT_PREFIX_PRIVATE;
    const bool wide = r->wide || (prefix.memory && prefix.pair);
    uint32_t addr = private                              ? rng_word(rng) & 0x7c
                    : prefix.space == KARAT_PREFIX_LOCAL ? rng_word(rng) & 0x7fc
                                                         : gen_address(rng);
    /* Some words that LR, SC and what breaks a reservation meet at. */
    if (r->row->unit == KARAT_UNIT_AMO ? rng_chance(rng, 3, 4) : !private && rng_chance(rng, 1, 8))
        addr = (rng_chance(rng, 1, 4) ? MIRROR_LDS_BASE : MIRROR_DATA) + 4 * rng_below(rng, 2);
    give_ramp(m, warp, r->vector[1], base, addr - offset, private ? by & 4 : by);
    /* The high half of a 64-bit address: 0, or 1 or 3 with the low half at the page that is mapped there. */
    if ((m->config->profile != KARAT_V203 ? d->p != NULL : wide) && !(base & 1)) {
        uint32_t high = rng_below(rng, 16);
        give_ramp(m, warp, r->vector[1], base + 1,
                  high < 2    ? 1
                  : high < 4  ? 3
                  : high < 15 ? 0
                              : rng_word(rng),
                  0);
        if (high < 4)
            give_ramp(m, warp, r->vector[1], base, rng_word(rng) & 0xffc, by);
    }
    /* Only the V extension's own accesses have an index or a stride in source 2; elsewhere it is data. */
    uint32_t opcode = d->insn.word & 0x7f;
    if (r->source[2] < 0 || (opcode != 0x07 && opcode != 0x27))
        return;
    uint32_t second = register_of(d, 2);
    if (!r->vector[2]) {
        if (second != base)
            give_ramp(m, warp, false, second, by, 0);
        return;
    }
    for (uint32_t part = 0; part < mirror_lmul(&m->warps[warp]) && second + part < KARAT_NUM_V; part++) {
        uint32_t index[KARAT_MAX_THREAD];
        for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
            index[i] = rng_word(rng) & 0xfc;
        give(m, warp, true, second + part, index);
    }
}

static void give_values(const gen *g, struct rng *rng, mirror *m, uint32_t warp, const drawn *d) {
    const mirror_facts *f = d->f;
    if (f->row->owes & KARAT_OWES_MEM && f->source[1] >= 0 && rng_chance(rng, 15, 16)) {
        give_address(rng, m, warp, d);
        return;
    }
    if (f->row->unit == KARAT_UNIT_BRANCH && f->offset >= 0 && rng_chance(rng, 15, 16)) { /* JALR */
        give_ramp(m, warp, false, register_of(d, 1),
                  MIRROR_CODE + (rng_word(rng) & 0x1ffc) - (uint32_t)d->insn.value[f->offset], 0);
        return;
    }
    for (int source = 1; source <= 3; source++)
        if (f->source[source] >= 0 && rng_chance(rng, 1, 4))
            give(m, warp, f->vector[source], register_of(d, source),
                 g->pool + rng_below(rng, GEN_POOL - KARAT_MAX_THREAD));
}

gen_insn gen_draw(const gen *g, struct rng *rng, mirror *m, uint32_t warp) {
    const karat_profile profile = m->config->profile;
    uint32_t kind = rng_below(rng, 16);
    gen_insn out = {.source = kind < 14 ? GEN_ROW : kind < 15 ? GEN_NEAR : GEN_ANY, .row = KARAT_NO_ROW};
    drawn d = {NULL, NULL, {.row = KARAT_NO_ROW}, {.row = KARAT_NO_ROW}};
    if (out.source == GEN_ANY) {
        out.word = rng_word(rng);
    } else {
        out.row = rng_chance(rng, 1, 6) && g->num_left_out[profile]
                      ? g->left_out[profile][rng_below(rng, g->num_left_out[profile])]
                      : g->rows[profile][rng_below(rng, g->num_rows[profile])];
        out.word = row_word(g, rng, m, warp, out.row, &d.insn);
    }
    if (out.source == GEN_NEAR)
        for (uint32_t flips = 1 + rng_below(rng, 3); flips > 0; flips--)
            out.word ^= 1u << rng_below(rng, 32);
    if (out.source != GEN_ROW)
        out.row = karat_decode(profile, out.word, &d.insn);
    d.f = mirror_row(out.row);
    if (profile == KARAT_V203 ? rng_chance(rng, 1, 2) : rng_chance(rng, 1, 3)) {
        out.prefix = prefix_word(g, rng, m, d.f, &d.prefix);
        d.p = mirror_row(d.prefix.row);
    }
    if (profile == KARAT_V203 && d.f && out.source == GEN_ROW) {
        make_even(rng, &m->warps[warp], d.f, out.prefix, &d.insn);
        out.word = d.insn.word;
    }
    if (d.f)
        give_values(g, rng, m, warp, &d);
    return out;
}
