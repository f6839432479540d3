#include "mutate.h"

#include "splitmix.h"

#include <string.h>

enum {
    CHANGES = 6, /* Of one program, at most */
    TRIES = 8,   /* Of one change, which may not fit where it was drawn */
    SHORT = 8,   /* Instructions of a span of the program's own, and of another one */
    LONG = 32,
    MOST = 20000 /* Instructions of a program that may still grow */
};

typedef struct maker {
    prog *p;
    const prog *other;
    const row_table *table;
    uint32_t max_warps;
    uint64_t *state;
} maker;

static uint32_t below(maker *m, uint32_t n) {
    return karat_random_below(m->state, n);
}

static uint32_t corner(maker *m) {
    static const uint32_t corners[] = {0,          1,          0xffffffff, 0x80000000,
                                       0x7fffffff, 0x7f800000, 0x7fc00000, 0x00800000,
                                       0x007fffff, 0x3f800000, 0x7f7fffff, 0x00000001};
    const uint32_t sign = below(m, 2) << 31;
    return below(m, 4) ? corners[below(m, sizeof corners / sizeof *corners)] ^ sign
                       : (uint32_t)karat_random(m->state);
}

/* Whether its immediate is an address, or a part of one. */
static bool leads(const prog *p, uint32_t at) {
    bool found = p->insn[at].target != PROG_NONE || p->insn[at].data;
    for (uint32_t i = 0; i < p->num && !found; i++)
        found = p->insn[i].high == (int32_t)at;
    return found;
}

/* Put it in the place of an instruction, whose target stays. */
static bool put(maker *m, uint32_t at, const karat_insn *x, prog_prefix prefix, prog_fields fields,
                int32_t apart) {
    prog_insn with;
    if (!prog_encode(m->p, x->row, x->value, prefix, fields, apart, &with))
        return false;
    m->p->insn[at].word = with.word;
    m->p->insn[at].prefix = with.prefix;
    return true;
}

static bool put_alike(maker *m, uint32_t at, const karat_insn *x, int32_t apart) {
    const uint32_t word = m->p->insn[at].prefix;
    return put(m, at, x, word ? prog_prefix_number(m->p, word) : PROG_AUTO, prog_prefix_fields(word), apart);
}

/* --- Instructions --- */

static bool same_operands(const karat_row *a, const karat_row *b) {
    return a != b && a->num_operands == b->num_operands && a->unit != KARAT_UNIT_BRANCH &&
           b->unit != KARAT_UNIT_BRANCH && memcmp(a->operands, b->operands, a->num_operands) == 0;
}

static bool change_row(maker *m) {
    karat_insn x;
    int32_t apart;
    const uint32_t at = below(m, m->p->num), num = (uint32_t)karat_num_rows(), from = below(m, num);
    const karat_row *row = leads(m->p, at) ? NULL : prog_decode(m->p, at, &x, &apart);
    for (uint32_t i = 0; row && i < num; i++) {
        x.row = (int)((from + i) % num);
        const karat_row *info = m->table->use[x.row].info;
        if (info && same_operands(row, info) && put_alike(m, at, &x, apart))
            return true;
    }
    return false;
}

/* A register of that class that some instruction of the program names. */
static bool draw_register(maker *m, uint32_t cls, int32_t *reg) {
    for (uint32_t i = 0; i < TRIES; i++) {
        karat_insn x;
        const karat_row *row = prog_decode(m->p, below(m, m->p->num), &x, NULL);
        const uint32_t k = row && row->num_operands ? below(m, row->num_operands) : 0;
        const karat_operand_kind *kind =
            row && row->num_operands ? karat_operand_info(row->operands[k]) : NULL;
        if (kind && kind->is_reg && kind->cls == cls) {
            *reg = x.value[k];
            return true;
        }
    }
    return false;
}

static int32_t draw_immediate(maker *m, const karat_operand_kind *kind) {
    const uint32_t bits = kind->extends && below(m, 2) ? 11 : kind->bits;
    const int32_t most = (int32_t)((UINT32_C(1) << (bits - kind->is_signed)) - 1),
                  least = kind->is_signed ? -most - 1 : 0;
    const int32_t corners[] = {0, 1, most, least, kind->is_signed ? -1 : most - 1};
    const uint32_t which = below(m, 8);
    return (which < 5 ? corners[which] : least + (int32_t)below(m, UINT32_C(1) << bits)) *
           (INT32_C(1) << kind->shift);
}

static bool change_operand(maker *m) {
    karat_insn x;
    int32_t apart;
    const uint32_t at = below(m, m->p->num);
    const karat_row *row = prog_decode(m->p, at, &x, &apart);
    if (!row || !row->num_operands)
        return false;
    const uint32_t i = below(m, row->num_operands);
    const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
    if (kind->is_reg) {
        if (!draw_register(m, kind->cls, &x.value[i]))
            return false;
    } else if (kind->role == KARAT_ROLE_VM)
        x.value[i] ^= 1;
    else if (kind->role == KARAT_ROLE_IMM && kind->bits && kind->bits < 31 && !leads(m->p, at))
        x.value[i] = draw_immediate(m, kind);
    else
        return false;
    return put_alike(m, at, &x, kind->is_reg && kind->is_read ? PROG_NONE : apart);
}

static bool change_prefix(maker *m) {
    karat_insn x;
    int32_t apart;
    const uint32_t at = below(m, m->p->num), bits = (uint32_t)karat_random(m->state);
    if (!prog_decode(m->p, at, &x, &apart))
        return false;
    const prog_fields fields = {bits & bits >> 1 & 1, bits >> 2 & bits >> 5 & 7, bits >> 8 & bits >> 11 & 7,
                                bits >> 14 & bits >> 15 & 1};
    return put(m, at, &x, below(m, m->p->num_prefix), fields, apart);
}

/* A bit of the word that leaves it an instruction: often one that the ISA ignores. */
static bool change_bit(maker *m) {
    karat_insn x;
    const uint32_t at = below(m, m->p->num), before = m->p->insn[at].word;
    if (leads(m->p, at))
        return false;
    m->p->insn[at].word ^= UINT32_C(1) << below(m, 32);
    const karat_row *row = prog_decode(m->p, at, &x, NULL);
    if (row && row->unit != KARAT_UNIT_BRANCH && m->table->use[x.row].info)
        return true;
    m->p->insn[at].word = before;
    return false;
}

static bool exchange(maker *m) {
    const uint32_t at = below(m, m->p->num);
    if (at + 1 >= m->p->num || leads(m->p, at) || leads(m->p, at + 1))
        return false;
    const prog_insn first = m->p->insn[at];
    m->p->insn[at] = m->p->insn[at + 1];
    m->p->insn[at + 1] = first;
    return true;
}

/* --- Spans --- */

static bool graft(maker *m, const prog *from, uint32_t most) {
    const uint32_t first = below(m, from->num), left = from->num - first,
                   num = 1 + below(m, left < most ? left : most);
    return m->p->num < MOST && prog_insert(m->p, below(m, m->p->num), from, first, num);
}

static bool repeat(maker *m) {
    prog own;
    if (!prog_copy(&own, m->p)) {
        prog_fail(m->p, "out of memory");
        return false;
    }
    const bool good = graft(m, &own, SHORT);
    prog_free(&own);
    return good;
}

static bool take(maker *m) {
    return graft(m, m->other, LONG);
}

static bool drop(maker *m) {
    const uint32_t first = below(m, m->p->num), num = 1 + below(m, SHORT);
    if (first + num >= m->p->num)
        return false;
    prog_remove(m->p, first, first + num);
    return true;
}

/* --- Data and the launch --- */

static bool change_data(maker *m) {
    if (m->p->data_size < 4)
        return false;
    for (uint32_t n = 1 + below(m, SHORT); n > 0; n--) {
        const uint32_t at = 4 * below(m, m->p->data_size / 4);
        const bool own = at + 4 > m->other->data_size || below(m, 2);
        const uint32_t value = corner(m);
        memcpy(m->p->data + at, own ? (const uint8_t *)&value : m->other->data + at, 4);
    }
    return true;
}

static bool change_launch(maker *m) {
    struct prog_launch *l = &m->p->launch;
    if (below(m, 2))
        l->grid[0] = 1 + below(m, 2 * l->grid[0]);
    else
        l->warps = 1 + below(m, m->max_warps);
    return true;
}

static bool (*const changes[])(maker *) = {
    change_row, change_row, change_operand, change_operand, change_prefix, change_bit,  exchange,
    repeat,     take,       take,           drop,           change_data,   change_data, change_launch};

bool mutate(prog *p, const prog *other, const row_table *table, uint32_t max_warps, uint64_t *state) {
    maker m = {p, other, table, max_warps, state};
    for (uint32_t n = 1 + below(&m, CHANGES); n > 0 && !p->failed; n--)
        for (uint32_t i = 0; i < TRIES && !changes[below(&m, sizeof changes / sizeof *changes)](&m); i++)
            ;
    return !p->failed;
}
