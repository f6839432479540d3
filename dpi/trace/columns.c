/* A block of records:
 *
 *    kinds    a byte for each entry, and zeros up to a multiple of 4
 *    columns  of each kind, in order of their numbers: of each of its words, and of the source of each of
 *      its rows, the difference to what was
 *             expected, for all records that are not ENTRY_SAME
 *    values   of rows whose source says so; and the cycle (2 words) of a TICK; an OBJECT's, its length (1)
 *      and its text
 *
 * A record of an instruction is expected to be like the last one of its kind at that pc, in any warp; a
 * slot remembers the pc of its last instructions. As many cycles are expected since the record before it
 * as the last time that these two followed each other. A row, a field with a value for each lane, is
 * expected to have the same source again: that last record, a register of the slot, or values of its own.
 * These are differences to the last record's, each less the one of the lane before, since lanes move
 * together; bytes of memory, which are of no lanes, come as they are. zstd finds what repeats in a column.
 *
 * No kind is known here but ISSUE, which says where an instruction is: what a kind has is in the generated
 * karat_rec_words_of[].
 *
 * Tables are small, and entries share places: that costs bytes and is never wrong, since both sides have
 * the same tables. */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "karat_rec_words.h"
#include "port.h"

enum {
    HEADER_WORDS = sizeof(karat_rec_header) / 4,
    SEQ = HEADER_WORDS, /* Of a kind that has it */
    LANES = KARAT_PORT_MAX_THREAD,
    NUM_SLOT = 1024, /* Powers of two, all of these */
    NUM_ISSUED = 64, /* Instructions of a slot that are remembered */
    NUM_FOLLOWER = 1 << 14,
    NUM_MODEL = 1 << 12,
    NUM_NAME = 1 << 10, /* Registers of a slot: class and number */
    NUM_REGISTER = 1 << 12,
    NUM_HOLDER = 1 << 14
};

/* Where a row comes from: 1 to its length are so many values of its own, and the rest as in the last
 * record. */
enum {
    FROM_LAST = 0,
    FROM_REGISTER =
        512 /* From here on a register, counted from the one that the record names; 0 in other lanes */
};

_Static_assert((int)KARAT_REC_KINDS <= (int)ENTRY_TICK, "entries have numbers of their own");
_Static_assert((int)MAX_WORDS <= (int)FROM_REGISTER, "a number of values is no register");

typedef struct model {
    uint32_t key; /* 0: none */
    uint32_t source[KARAT_REC_ROWS];
    uint32_t words[MAX_WORDS];
} model;

typedef struct slot_state {
    uint32_t epoch;
    uint32_t seq[KARAT_REC_KINDS]; /* Seq of the last record of each kind */
    uint32_t nth[KARAT_REC_KINDS]; /* Records of that kind and seq that came before the last one */
    uint32_t pc;                   /* Pc of the last ISSUE */
    uint32_t pcs[NUM_ISSUED];      /* Pcs of the last ISSUEs, by seq */
} slot_state;

/* A record, by its kind and the record before it. */
typedef struct follower {
    uint32_t first; /* Word */
    uint32_t step;  /* Cycles from that record to this one */
} follower;

/* The columns of a kind in a block: each has num words. */
typedef struct group {
    uint32_t at; /* Word of the block */
    uint32_t num, next;
} group;

struct columns {
    uint64_t cycle;
    uint32_t before; /* First word of the last record */
    follower followers[NUM_FOLLOWER];
    slot_state slots[NUM_SLOT];
    model models[NUM_MODEL];
    uint32_t registers[NUM_REGISTER][LANES];

    /* The block that is read. */
    const uint8_t *kinds;
    uint64_t entries, taken;
    group groups[KARAT_REC_KINDS];
    const uint32_t *words; /* All words of the block */
    size_t value, end;     /* Words from value to end are values that were not taken yet */

    /* The block that is written: entries, the differences of all records one after the other, and values. */
    uint16_t holders[NUM_HOLDER]; /* Of a value of the lowest lane: a register that may have it */
    uint64_t put;
    uint8_t put_kinds[COLUMNS_ROOM];
    uint32_t num_diffs, num_values;
    uint32_t diffs[COLUMNS_ROOM / 4], values[COLUMNS_ROOM / 4];
};

columns *karat_columns_create(void) {
    return calloc(1, sizeof(columns));
}

void karat_columns_destroy(columns *c) {
    free(c);
}

/* --- What is expected --- */

static inline uint32_t hash(uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca77u ^ (c + 1) * 0xc2b2ae3du;
    return (h ^ h >> 15) * 0x27d4eb2fu >> 5;
}

/* The last record of that kind at that pc; all 0 where it is not known. */
static FOR_EACH_USE model *model_of(columns *c, uint32_t kind, uint32_t pc, uint32_t nth) {
    const uint32_t key = hash(kind, pc, nth) + 1;
    model *m = &c->models[key % NUM_MODEL];
    if (m->key != key) {
        memset(m, 0, offsetof(model, words) + karat_rec_words_of[kind].words * sizeof *m->words);
        m->key = key;
    }
    return m;
}

/* One word and what is expected there, which it becomes for the next one. */
static FOR_EACH_USE void pass(bool packs, uint32_t *diff, uint32_t *word, uint32_t *expected) {
    if (packs)
        *diff = *word - *expected;
    else
        *word = *expected + *diff;
    *expected = *word;
}

/* --- Rows --- */

/* Whose row it is. */
typedef struct owner {
    uint32_t slot, mask;
    uint32_t name; /* Of the register that the record names; 0: none */
} owner;

static FOR_EACH_USE uint32_t *register_of(columns *c, uint32_t slot, uint32_t name) {
    return c->registers[hash(slot, name % NUM_NAME, 0) % NUM_REGISTER];
}

static FOR_EACH_USE void copy_lanes(uint32_t *to, const uint32_t *from, uint32_t mask) {
    if (!(mask & (mask + 1))) { /* The lowest lanes, as nearly always */
        memcpy(to, from, mask ? (size_t)(32 - __builtin_clz(mask)) * sizeof *to : 0);
        return;
    }
    for (; mask; mask &= mask - 1)
        to[__builtin_ctz(mask)] = from[__builtin_ctz(mask)];
}

static FOR_EACH_USE bool get_row(columns *c, const owner *o, uint32_t source, uint32_t *row, uint32_t num) {
    if (source >= FROM_REGISTER && num == LANES) {
        memset(row, 0, LANES * sizeof *row);
        copy_lanes(row, register_of(c, o->slot, o->name + source - FROM_REGISTER), o->mask);
        return true;
    }
    if (source > num || source > c->end - c->value)
        return false;
    uint32_t more = 0;
    for (uint32_t i = 0; i < source; i++)
        row[i] = o->mask ? row[i] + (more += c->words[c->value + i]) : c->words[c->value + i];
    c->value += source;
    return true;
}

static bool is_from(columns *c, const owner *o, uint32_t source, const uint32_t *row) {
    uint32_t would[LANES] = {0};
    copy_lanes(would, register_of(c, o->slot, o->name + source - FROM_REGISTER), o->mask);
    return memcmp(would, row, sizeof would) == 0;
}

static uint16_t *holder_of(columns *c, const owner *o, const uint32_t *row) {
    return &c->holders[hash(o->slot, row[__builtin_ctz(o->mask)], 1) % NUM_HOLDER];
}

/* The source of a row, of which the last one had that source; its values are noted. */
static uint32_t put_row(columns *c, const owner *o, uint32_t before, const uint32_t *row,
                        const uint32_t *last, uint32_t num) {
    const bool may = num == LANES && o->mask;
    if (may && before >= FROM_REGISTER && is_from(c, o, before, row))
        return before;
    uint32_t differ = num;
    while (differ && row[differ - 1] == last[differ - 1])
        differ--;
    if (!differ)
        return FROM_LAST;
    if (may && is_from(c, o, FROM_REGISTER, row)) /* An AUDIT of what is known */
        return FROM_REGISTER;
    const uint32_t source = may ? FROM_REGISTER + (*holder_of(c, o, row) - o->name) % NUM_NAME : 0;
    if (may && is_from(c, o, source, row))
        return source;
    uint32_t count = 1, more = 0; /* Few different counts: they are a column */
    while (count < differ)
        count *= 2;
    count = count < num ? count : num;
    for (uint32_t i = 0; i < count; i++) {
        c->values[c->num_values++] = o->mask ? row[i] - last[i] - more : row[i];
        more = row[i] - last[i];
    }
    return count;
}

static FOR_EACH_USE bool pass_row(columns *c, bool packs, const owner *o, uint32_t *diff, uint32_t *source,
                                  uint32_t *row, uint32_t *last, uint32_t num) {
    uint32_t from = packs ? put_row(c, o, *source, row, last, num) : 0;
    pass(packs, diff, &from, source);
    if (packs) {
        memcpy(last, row, num * sizeof *row);
        return true;
    }
    const bool good = get_row(c, o, from, last, num);
    memcpy(row, last, num * sizeof *row);
    return good;
}

/* --- Records --- */

/* Whatever the kind: diff has a word for each that is in no row, and for the source of each row, in the
 * order of the record. False: there is no such record. */
static FOR_EACH_USE bool pass_record(columns *c, bool packs, uint32_t kind, uint32_t *words, uint32_t *diff) {
    const karat_rec_words *k = &karat_rec_words_of[kind];
    follower *f = &c->followers[hash(c->before, kind, 2) % NUM_FOLLOWER];
    pass(packs, diff++, &words[0], &f->first);
    if ((words[0] & 255) != kind)
        return false;
    const uint32_t slot = (words[0] >> 8 & 255) * KARAT_PORT_SM_SLOTS + (words[0] >> 16 & 255);
    slot_state *s = &c->slots[slot % NUM_SLOT];
    pass(packs, diff, &words[1], &s->epoch);
    if (*diff++) {
        memset(s, 0, sizeof *s);
        s->epoch = words[1];
    }
    uint32_t low = (uint32_t)c->cycle + f->step, high = (uint32_t)(c->cycle >> 32);
    pass(packs, diff++, &words[2], &low);
    f->step = low - (uint32_t)c->cycle;
    high += low < (uint32_t)c->cycle;
    pass(packs, diff++, &words[3], &high);
    c->cycle = (uint64_t)high << 32 | low;
    c->before = words[0];
    uint32_t at = HEADER_WORDS, pc = s->pc, nth = 0;
    if (k->has_seq) {
        s->seq[kind] += kind == KARAT_REC_ISSUE;
        pass(packs, diff, &words[at++], &s->seq[kind]);
        if (kind != KARAT_REC_ISSUE) {
            nth = s->nth[kind] = *diff ? 0 : s->nth[kind] + 1;
            pc = s->pcs[words[SEQ] % NUM_ISSUED];
        }
        diff++;
    }
    model *m = model_of(c, kind, pc, nth);
    owner o = {.slot = slot};
    for (uint32_t r = 0;; r++) {
        for (const uint32_t end = r < k->num_rows ? k->rows[r].at : k->words; at < end; at++)
            pass(packs, diff++, &words[at], &m->words[at]);
        if (r == k->num_rows)
            break;
        if (!r) {
            const uint8_t *bytes = (const uint8_t *)words;
            o.mask = k->mask ? words[k->mask] : 0;
            o.name = k->regno ? (uint32_t)bytes[k->cls] << 8 | bytes[k->regno]
                              : 0; /* Classes X and V have no more */
        }
        if (!pass_row(c, packs, &o, diff++, &m->source[r], words + at, m->words + at, k->rows[r].words))
            return false;
        at += k->rows[r].words;
    }
    if (kind == KARAT_REC_ISSUE) {
        s->pc = words[offsetof(karat_rec_issue, pc) / 4];
        s->pcs[words[SEQ] % NUM_ISSUED] = s->pc;
    }
    if (k->regno && k->rows[0].words == LANES && o.mask) {
        const uint32_t *row = words + k->rows[0].at;
        copy_lanes(register_of(c, slot, o.name), row, o.mask);
        if (packs)
            *holder_of(c, &o, row) = (uint16_t)(o.name % NUM_NAME);
    }
    return true;
}

static FOR_EACH_USE uint32_t width_of(uint32_t kind) {
    return (uint32_t)karat_rec_words_of[kind].others + karat_rec_words_of[kind].num_rows;
}

/* --- Writing --- */

static FOR_EACH_USE void put_record(columns *c, uint32_t kind, uint32_t *words) {
    const uint32_t width = width_of(kind);
    uint32_t *diff = c->diffs + c->num_diffs, any = 0;
    pass_record(c, true, kind, words, diff);
    for (uint32_t i = 0; i < width; i++)
        any |= diff[i];
    c->put_kinds[c->put++] = (uint8_t)(any ? kind : kind | ENTRY_SAME);
    c->num_diffs += any ? width : 0;
}

void karat_columns_put(columns *c, uint32_t *words) {
    switch (words[0] & 255) { /* Compiled for each: its layout is constant there */
#define CASE(name, NAME, kind, size)                                                                         \
    case kind: put_record(c, kind, words); break;
        KARAT_REC_EACH(CASE)
#undef CASE
    default: break;
    }
}

void karat_columns_put_event(columns *c, uint8_t kind, uint64_t cycle, const void *text, size_t length) {
    c->put_kinds[c->put++] = kind;
    uint32_t *value = c->values + c->num_values;
    *value++ = (uint32_t)cycle;
    *value++ = (uint32_t)(cycle >> 32);
    if (kind == ENTRY_BENCH_ERROR) {
        *value++ = (uint32_t)length;
        value[length / 4] = 0;
        memcpy(value, text, length);
        value += (length + 3) / 4;
    }
    c->num_values = (uint32_t)(value - c->values);
}

static size_t round_up(size_t size) {
    return (size + 3) & ~(size_t)3;
}

size_t karat_columns_size(const columns *c) {
    return round_up(c->put) + sizeof(uint32_t) * ((size_t)c->num_diffs + c->num_values);
}

uint64_t karat_columns_entries(const columns *c) {
    return c->put;
}

/* Where the columns of each kind are, which follows from the entries. Returns the word after them;
 * SIZE_MAX: there is an entry of no kind. */
static size_t find_groups(group *groups, const uint8_t *kinds, uint64_t entries) {
    uint32_t num[256] = {0};
    size_t at = round_up(entries) / 4;
    for (uint64_t i = 0; i < entries; i++)
        num[kinds[i]]++;
    for (uint32_t i = 0; i < 256; i++) {
        if (num[i] && i != ENTRY_TICK && i != ENTRY_BENCH_ERROR && !karat_rec_size(i & ~(uint32_t)ENTRY_SAME))
            return SIZE_MAX;
    }
    for (uint32_t kind = 0; kind < KARAT_REC_KINDS; kind++) {
        groups[kind] = (group){.at = (uint32_t)at, .num = num[kind]};
        at += (size_t)num[kind] * width_of(kind);
    }
    return at;
}

void karat_columns_take(columns *c, uint8_t *raw) {
    uint32_t *words = (uint32_t *)raw;
    if (c->put)
        words[(c->put - 1) / 4] = 0;
    memcpy(raw, c->put_kinds, c->put);
    const size_t values = find_groups(c->groups, c->put_kinds, c->put);
    const uint32_t *diff = c->diffs;
    for (uint64_t i = 0; i < c->put; i++) {
        if (c->put_kinds[i] >= ENTRY_TICK)
            continue;
        group *g = &c->groups[c->put_kinds[i]];
        const uint32_t num = g->num, *end = diff + width_of(c->put_kinds[i]);
        for (uint32_t at = g->at + g->next++; diff < end; at += num)
            words[at] = *diff++;
    }
    memcpy(words + values, c->values, c->num_values * sizeof *c->values);
    c->put = c->num_diffs = c->num_values = 0;
}

/* --- Reading --- */

bool karat_columns_open(columns *c, const uint8_t *raw, size_t size, uint64_t entries) {
    c->kinds = raw;
    c->words = (const uint32_t *)raw;
    c->entries = c->taken = 0;
    c->value = c->end = size / 4;
    if (size % 4 || entries > size || (c->value = find_groups(c->groups, raw, entries)) > c->end)
        return false;
    c->entries = entries;
    return true;
}

uint64_t karat_columns_left(const columns *c) {
    return c->entries - c->taken;
}

static FOR_EACH_USE bool get_record(columns *c, bool same, uint32_t kind, uint32_t *words) {
    uint32_t diff[MAX_WORDS];
    const uint32_t width = width_of(kind);
    group *g = &c->groups[kind];
    uint32_t at = g->at + g->next;
    for (uint32_t i = 0; i < width; i++, at += g->num)
        diff[i] = same ? 0 : c->words[at];
    g->next += !same;
    return pass_record(c, false, kind, words, diff);
}

size_t karat_columns_get(columns *c, uint32_t *words) {
    switch (c->kinds[c->taken]) { /* As karat_columns_put() */
#define GET(same, kind, size)                                                                                \
    if (!get_record(c, same, kind, words))                                                                   \
        return 0;                                                                                            \
    c->taken++;                                                                                              \
    return size
#define CASES(name, NAME, kind, size)                                                                        \
    case kind: GET(false, kind, size);                                                                       \
    case kind | ENTRY_SAME: GET(true, kind, size);
        KARAT_REC_EACH(CASES)
#undef CASES
#undef GET
    default: return 0;
    }
}

static const uint32_t *take_values(columns *c, size_t num) {
    if (num > c->end - c->value)
        return NULL;
    c->value += num;
    return c->words + c->value - num;
}

bool karat_columns_get_event(columns *c, uint64_t *cycle, char *text, size_t *size) {
    const uint8_t kind = c->kinds[c->taken];
    const uint32_t *value = kind == ENTRY_TICK || kind == ENTRY_BENCH_ERROR ? take_values(c, 2) : NULL;
    if (!value)
        return false;
    *cycle = (uint64_t)value[1] << 32 | value[0];
    *size = 0;
    if (kind == ENTRY_BENCH_ERROR) {
        value = take_values(c, 1);
        const size_t length = value ? *value : 0;
        const uint32_t *from = value && length <= MAX_TEXT ? take_values(c, round_up(length) / 4) : NULL;
        if (!from)
            return false;
        memcpy(text, from, length);
        text[length] = 0;
        *size = length + 1;
    }
    c->taken++;
    return true;
}

bool karat_columns_empty(const columns *c) {
    return c->value == c->end;
}
