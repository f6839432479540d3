/* The prediction of records.
 *
 * One pass over the words of a record, in ascending order, predicts each from the state and from the words before it. The writer notes
 * where a word is another; the reader adds the differences it finds to what is predicted. Then both enter the record into the state.
 *
 *  - A record of an instruction is like the last one of its kind of the instruction at that pc, in any warp. A slot remembers the pc of its last
 *    instructions.
 *  - Lanes move together: the difference in one lane is expected in the others.
 *  - The cycles from a record to the next one are those of the last time that these two kinds came together.
 *  - A READ and an AUDIT have what the last WRITE, READ or AUDIT of that register had. Which register a READ is of is learned for each pc.
 *
 * Values that cannot be predicted are stored as they are, where their differences would take as many bytes: to unpack them is one copy.
 *
 * The tables are small, and entries share places: that costs bytes and is never wrong, since both sides have the same tables. */
#include "predict.h"

#include "format.h"

#include <stdlib.h>
#include <string.h>

#include "port.h"

enum {
    HEADER_WORDS = sizeof(karat_rec_header) / 4,
    LANES = KARAT_PORT_MAX_THREAD,
    NUM_KIND = 32, /* a power of two */
    NUM_SLOT = 1024,
    NUM_CONTEXT = 1 << 15,
    NUM_MODEL = 1 << 11,
    NUM_REGISTER = 1 << 12,
    NUM_ISSUED = 32, /* of a slot: instructions that are remembered */
    NUM_FIELD = 5,   /* of an instruction: places of a register's number */
    NO_PLACE = INT32_MAX
};

/* What a pass over a record does. It is compiled for each. */
typedef enum mode {
    PACK,
    UNPACK,
    UNPACK_SAME /* all is as predicted: the most frequent records */
} mode;

/* What the code of a record says: these, and then how many of its other words are not as predicted. */
enum {
    FIRST_DIFFERS = 1, /* its first word, */
    CYCLE_DIFFERS = 2, /* its cycle is not as predicted: the first of its differences */
    HAS_RAW = 4,       /* the values in its lanes are in COLUMN_WIDE as they are */
    ONE_OTHER = 8,
    MOST_OTHERS = 31 /* in the code; more are in the next bytes */
};

#define WORD(record, field) (offsetof(karat_rec_##record, field) / 4)

/* One value for each lane. */
typedef struct lanes {
    uint16_t at, stride; /* words; stride 0: none */
} lanes;

typedef struct shape {
    bool has_seq;
    uint8_t mask;   /* word of the lanes' mask */
    uint16_t known; /* words of it that are remembered, the others are expected to be 0; 0: all */
    lanes lanes[3];
    uint8_t raw; /* 1 + which of the lanes may be raw; 0: none */
} shape;

static const shape shapes[NUM_KIND] = {
    [KARAT_REC_HOST] = {.known = WORD(host, data)},
    [KARAT_REC_CONTENTS] = {.known = WORD(contents, data)},
    [KARAT_REC_PRINT] = {.known = WORD(print, data)},
    [KARAT_REC_ISSUE] = {.has_seq = true},
    [KARAT_REC_READ] = {true, WORD(read, mask), WORD(read, data), {{WORD(read, data), 1}}, 1},
    [KARAT_REC_WRITE] = {true, WORD(write, mask), 0, {{WORD(write, data), 1}}, 1},
    [KARAT_REC_AUDIT] = {false, WORD(audit, mask), WORD(audit, data), {{WORD(audit, data), 1}}, 1},
    [KARAT_REC_SIMT] = {.has_seq = true},
    [KARAT_REC_CSR] = {.has_seq = true},
    [KARAT_REC_MEM] = {true, WORD(mem, mask), 0, {{WORD(mem, addr), 1}, {WORD(mem, data), 1}}, 2},
    [KARAT_REC_BARRIER] = {.has_seq = true},
    [KARAT_REC_ACCESS] = {true,
                          WORD(access, mask),
                          0,
                          {{WORD(access, virt), 2}, {WORD(access, phys), 2}, {WORD(access, data), 4}},
                          0},
    [KARAT_REC_PAIR] = {true, WORD(pair, mask), 0, {{WORD(pair, data), 2}}, 0},
    [KARAT_REC_TLB] = {.has_seq = true},
};

enum { SEQ = HEADER_WORDS }; /* of every record that has one */
_Static_assert((int)KARAT_REC_PAGING < NUM_KIND, "every kind has a shape");
_Static_assert(WORD(issue, seq) == SEQ && WORD(read, seq) == SEQ && WORD(write, seq) == SEQ &&
                   WORD(simt, seq) == SEQ && WORD(csr, seq) == SEQ && WORD(mem, seq) == SEQ &&
                   WORD(barrier, seq) == SEQ && WORD(access, seq) == SEQ && WORD(pair, seq) == SEQ &&
                   WORD(tlb, seq) == SEQ,
               "seq is the first word");

/* The last record of a key. */
typedef struct model {
    uint8_t field; /* READ: where the instruction has the register's number */
    uint32_t words[MAX_WORDS];
} model;

typedef struct issued {
    uint32_t seq, pc, word, prefix;
} issued;

typedef struct slot_state {
    uint32_t epoch, mask;
    uint32_t from;          /* of the next ISSUE: the pc before it, or 1 + the pc that a SIMT has named */
    uint32_t about;         /* pc of the instruction of the last record */
    uint32_t last_seq;      /* of ISSUEs */
    uint32_t seq[NUM_KIND]; /* of the last record, */
    uint32_t nth[NUM_KIND]; /* and how many of the same kind and seq came before it */
    issued issued[NUM_ISSUED];
} slot_state;

/* A record, by its kind and the record before it. */
typedef struct context {
    uint32_t first; /* word */
    uint32_t step;  /* cycles from that record to this one */
} context;

struct predictor {
    uint64_t cycle;
    uint32_t before; /* kind and slot of the last record */
    context contexts[NUM_CONTEXT];
    slot_state slots[NUM_SLOT];
    uint32_t keys[NUM_MODEL]; /* of models, 0: none; apart, since most are only looked at for these */
    model models[NUM_MODEL];
    uint32_t registers[NUM_REGISTER][LANES];
};

predictor *karat_predictor_create(void) {
    return calloc(1, sizeof(predictor));
}

void karat_predictor_destroy(predictor *p) {
    free(p);
}

/* --- Differences --- */

typedef struct pass {
    column *columns;
    uint32_t last; /* place of the last difference, 1 + */
    uint32_t next; /* reads: of the next one */
    uint32_t num;  /* reads: that are left; else that were noted */
    uint32_t code; /* HAS_RAW and so on */
    bool bad;
} pass;

static void put(column *c, uint8_t byte) {
    c->at[c->used++] = byte;
}

static void put_long(column *c, uint32_t value) { /* at most 2 x 255 */
    if (value >= PLAIN_BYTE)
        put(c, PLAIN_BYTE);
    put(c, (uint8_t)(value >= PLAIN_BYTE ? value - PLAIN_BYTE : value));
}

/* Whether the column has so many bytes is looked at after the record. */
static inline uint32_t get(pass *x, enum trace_column which) {
    column *c = &x->columns[which];
    return c->at[c->used++];
}

static inline uint32_t get_long(pass *x, enum trace_column which) {
    const uint32_t first = get(x, which);
    return first < PLAIN_BYTE ? first : first + get(x, which);
}

static inline void find_next(pass *x) {
    if (!x->num) {
        x->next = NO_PLACE;
        return;
    }
    x->next = x->last + get_long(x, COLUMN_PLACES);
    x->num--;
}

/* A difference of 1 to 4 bytes. */
static inline uint32_t get_wide(pass *x, uint32_t bytes) {
    column *c = &x->columns[COLUMN_WIDE];
    if (bytes > 4) {
        x->bad = true;
        return 0;
    }
    const uint8_t *at = c->at + c->used;
    c->used += bytes;
    const uint32_t word = /* one load */
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return word & UINT32_MAX >> (32 - 8 * bytes);
}

static inline uint32_t get_difference(pass *x) {
    uint32_t z = get(x, COLUMN_SMALL);
    if (z >= SMALL_BYTES)
        z = get_wide(x, z - SMALL_BYTES + 1);
    return z >> 1 ^ (0 - (z & 1));
}

static void put_difference(pass *x, uint32_t difference) {
    const uint32_t z = difference << 1 ^ (0 - (difference >> 31));
    if (z < SMALL_BYTES) {
        put(&x->columns[COLUMN_SMALL], (uint8_t)z);
        return;
    }
    const uint32_t bytes = (39 - (uint32_t)__builtin_clz(z)) / 8;
    put(&x->columns[COLUMN_SMALL], (uint8_t)(SMALL_BYTES + bytes - 1));
    for (uint32_t i = 0; i < bytes; i++)
        put(&x->columns[COLUMN_WIDE], (uint8_t)(z >> 8 * i));
}

static OUT_OF_LINE void note_difference(pass *x, uint32_t place, uint32_t difference) {
    put_long(&x->columns[COLUMN_PLACES], place - x->last);
    x->last = place + 1;
    x->num++;
    put_difference(x, difference);
}

/* The next difference is of that word, which is as predicted. */
static FOR_EACH_USE void take_next(pass *x, uint32_t *words) {
    const uint32_t place = x->next;
    words[place] += get_difference(x);
    x->last = place + 1;
    find_next(x);
}

static OUT_OF_LINE void take_difference(pass *x, uint32_t *words) {
    take_next(x, words);
}

/* One word, after all before it. */
static FOR_EACH_USE void pass_word(pass *x, mode how, uint32_t *words, uint32_t place, uint32_t predicted) {
    if (how != PACK) {
        words[place] = predicted;
        if (how != UNPACK_SAME && place == x->next)
            take_difference(x, words);
    } else if (words[place] != predicted) {
        note_difference(x, place, words[place] - predicted);
    }
}

/* A word whose difference the code of the record names. */
static FOR_EACH_USE void pass_named(pass *x, mode how, uint32_t name, uint32_t *words, uint32_t place,
                                    uint32_t predicted) {
    if (how != PACK) {
        words[place] = predicted;
        if (how != UNPACK_SAME && x->code & name)
            words[place] += get_difference(x);
    } else if (words[place] != predicted) {
        x->code |= name;
        put_difference(x, words[place] - predicted);
    }
}

/* Words of which none depends on another. Those that are read are as predicted. */
static FOR_EACH_USE void pass_words(pass *x, mode how, uint32_t *words, uint32_t from, uint32_t to,
                                    const uint32_t *predicted) {
    while (how != PACK && how != UNPACK_SAME && x->next < to)
        take_difference(x, words);
    for (uint32_t i = from; i < to && how == PACK; i++)
        pass_word(x, how, words, i, predicted[i]);
}

static uint32_t num_lanes(uint32_t mask) {
    return mask ? 32 - (uint32_t)__builtin_clz(mask) : 0;
}

static bool is_dense(uint32_t mask) { /* the lowest lanes, as nearly always */
    return !(mask & (mask + 1));
}

static bool same_lanes(const uint32_t *a, const uint32_t *b, uint32_t mask) {
    if (is_dense(mask))
        return memcmp(a, b, num_lanes(mask) * sizeof *a) == 0;
    for (; mask; mask &= mask - 1)
        if (a[__builtin_ctz(mask)] != b[__builtin_ctz(mask)])
            return false;
    return true;
}

/* A few words: a call of memcpy() costs more. from: of any alignment. */
static FOR_EACH_USE void copy_few(uint32_t *to, const void *from, uint32_t num) {
    const uint8_t *at = from;
    for (; num >= 4; num -= 4, to += 4, at += 16)
        memcpy(to, at, 16);
    if (num & 2) {
        memcpy(to, at, 8);
        to += 2;
        at += 8;
    }
    if (num & 1)
        memcpy(to, at, 4);
}

/* The same from bytes that are little-endian on every host. */
static FOR_EACH_USE void copy_raw(uint32_t *to, const uint8_t *from, uint32_t num) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    copy_few(to, from, num);
#else
    for (uint32_t i = 0; i < num; i++)
        to[i] = (uint32_t)get_le(from + (size_t)4 * i, 4);
#endif
}

static FOR_EACH_USE void take_lanes(uint32_t *reg, const uint32_t *values, uint32_t mask) {
    if (is_dense(mask)) {
        copy_few(reg, values, num_lanes(mask));
        return;
    }
    for (; mask; mask &= mask - 1)
        reg[__builtin_ctz(mask)] = values[__builtin_ctz(mask)];
}

/* The lowest lanes, one word each, of which the next difference is in one: they are like those of the record before. */
static OUT_OF_LINE void take_moving(pass *x, uint32_t *words, uint32_t end, const uint32_t *like) {
    uint32_t more = 0;
    for (uint32_t i = x->next; i < end; i++) {
        words[i] += more;
        if (i == x->next)
            take_next(x, words);
        more = words[i] - like[i];
        if (!more)
            i = (x->next < end ? x->next : end) - 1;
    }
}

/* A value for each lane, like those of a record before: a difference goes for the lanes after it, too. Those that are read are like them. */
static FOR_EACH_USE void pass_lanes(pass *x, mode how, uint32_t *words, const lanes *l, uint32_t mask,
                                    const uint32_t *like) {
    const uint32_t end = l->at + LANES * l->stride, on = num_lanes(mask);
    uint32_t more = 0, i = l->at;
    if (how == UNPACK_SAME)
        return;
    if (how != PACK && l->stride == 1 && is_dense(mask)) {
        if (x->next < l->at + on)
            take_moving(x, words, l->at + on, like);
        pass_words(x, how, words, l->at, end, like);
        return;
    }
    for (uint32_t lane = 0; lane < on && (more || how == PACK || x->next < end); lane++) {
        const bool moves = mask >> lane & 1;
        pass_word(x, how, words, i, like[i] + (moves ? more : 0));
        more = moves ? words[i] - like[i] : more;
        i++;
        for (uint32_t k = 1; k < l->stride; k++, i++)
            pass_word(x, how, words, i, like[i]);
    }
    pass_words(x, how, words, i, end, like);
}

/* --- Raw values --- */

/* Where the columns were. */
typedef struct mark {
    uint32_t last, num;
    size_t used[NUM_COLUMN];
} mark;

static mark mark_of(const pass *x) {
    mark m = {.last = x->last, .num = x->num};
    for (unsigned i = 0; i < NUM_COLUMN; i++)
        m.used[i] = x->columns[i].used;
    return m;
}

/* Packing: the lanes that were packed since that mark are made raw where that takes no more bytes. */
static OUT_OF_LINE bool put_raw(pass *x, const mark *before, uint32_t *words, uint32_t at, uint32_t mask,
                                const uint32_t *like) {
    const size_t raw = (size_t)4 * (unsigned)__builtin_popcount(mask);
    size_t bytes = 0;
    for (unsigned i = COLUMN_SMALL; i < NUM_COLUMN; i++)
        bytes += x->columns[i].used - before->used[i];
    if (!mask || bytes < raw)
        return false;
    x->last = before->last;
    x->num = before->num;
    for (unsigned i = 0; i < NUM_COLUMN; i++)
        x->columns[i].used = before->used[i];
    x->code |= HAS_RAW;
    column *c = &x->columns[COLUMN_WIDE];
    uint32_t predicted[MAX_WORDS];
    memcpy(predicted + at, like + at, LANES * sizeof *words);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t place = at + (uint32_t)__builtin_ctz(m);
        predicted[place] = words[place];
        put_le(c->at + c->used, words[place], 4);
        c->used += 4;
    }
    pass_words(x, PACK, words, at, at + LANES, predicted);
    return true;
}

/* Those lanes again. The others are as in the record before. */
static FOR_EACH_USE void take_raw(pass *x, uint32_t *words, uint32_t at, uint32_t mask) {
    column *c = &x->columns[COLUMN_WIDE];
    const uint8_t *from = c->at + c->used;
    const uint32_t num = is_dense(mask) ? num_lanes(mask) : (uint32_t)__builtin_popcount(mask);
    c->used += (size_t)4 * num;
    if (is_dense(mask))
        copy_raw(words + at, from, num);
    else
        for (; mask; mask &= mask - 1, from += 4)
            copy_raw(&words[at + (uint32_t)__builtin_ctz(mask)], from, 1);
    pass_words(x, UNPACK, words, at, at + LANES, NULL);
}

/* --- State --- */

static uint32_t hash(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca77u ^ (c + 1) * 0xc2b2ae3du;
    return (h ^ h >> 15) * 0x27d4eb2fu;
}

static uint32_t *register_of(predictor *p, uint32_t slot, uint32_t cls, uint32_t reg) {
    return p->registers[hash(slot, cls, reg) >> 7 & (NUM_REGISTER - 1)];
}

static uint32_t key_of(uint32_t kind, uint32_t pc, uint32_t nth) {
    return hash(kind, pc, nth) | 1;
}

/* Where the model of a key may be: there, or in the place beside it. */
static uint32_t first_place(uint32_t key) {
    return key >> 5 & (NUM_MODEL - 1);
}

static bool is_known(const predictor *p, uint32_t key) {
    const uint32_t at = first_place(key);
    return p->keys[at] == key || p->keys[at ^ 1] == key;
}

/* The model of a key. known: it was there before; else it is all 0. */
static FOR_EACH_USE model *model_of(predictor *p, uint32_t key, bool *known) {
    uint32_t at = first_place(key);
    *known = is_known(p, key);
    if (*known)
        return &p->models[p->keys[at] == key ? at : at ^ 1];
    at ^= p->keys[at] && !p->keys[at ^ 1];
    memset(&p->models[at], 0, sizeof *p->models);
    p->keys[at] = key;
    return &p->models[at];
}

static const issued *find_issued(const slot_state *s, uint32_t seq) {
    static const issued none;
    const issued *i = &s->issued[seq % NUM_ISSUED];
    return i->seq == seq ? i : &none;
}

/* Which record of a kind is expected next. */
typedef struct expected {
    uint32_t seq, nth, key;
    const issued *of; /* its instruction */
} expected;

static FOR_EACH_USE expected expect(const slot_state *s, uint32_t kind, uint32_t seq, uint32_t nth) {
    const issued *i = find_issued(s, seq);
    return (expected){seq, nth, key_of(kind, i->pc, nth), i};
}

/* That of an instruction. */
static FOR_EACH_USE expected record_of(const slot_state *s, uint32_t kind, uint32_t seq) {
    return expect(s, kind, seq, s->seq[kind] == seq ? s->nth[kind] + 1 : 0);
}

/* One more of the same, or of the next instruction of which there was one before. */
static FOR_EACH_USE expected next_record(const predictor *p, const slot_state *s, uint32_t kind) {
    const uint32_t last = s->seq[kind];
    expected e = expect(s, kind, last, s->nth[kind] + 1);
    if (is_known(p, e.key))
        return e;
    for (uint32_t seq = s->last_seq - last < NUM_ISSUED ? last + 1 : s->last_seq; seq < s->last_seq; seq++) {
        e = expect(s, kind, seq, 0);
        if (is_known(p, e.key))
            return e;
    }
    return record_of(s, kind, s->last_seq);
}

/* The number of the register in that field of an instruction. */
static uint32_t field_of(const issued *i, unsigned field) {
    static const uint8_t at[NUM_FIELD] = {0, 15, 20, 27, 7}, more[NUM_FIELD] = {0, 23, 26, 29, 20};
    return field ? (i->word >> at[field] & 31) | (i->prefix >> more[field] & 7) << 5 : 0;
}

/* --- Records --- */

/* Lanes that a register has; the others are as in the record before. Returns whether all are as predicted. */
static FOR_EACH_USE bool pass_register(pass *x, mode how, uint32_t *words, const shape *k,
                                       const uint32_t *reg, const uint32_t *like) {
    const uint32_t at = k->lanes[0].at, mask = words[k->mask];
    if (how == UNPACK && x->code & HAS_RAW) {
        take_raw(x, words, at, mask);
        return false;
    }
    if (how != PACK) {
        const uint32_t before = x->next;
        take_lanes(words + at, reg, mask);
        pass_words(x, how, words, at, at + LANES, NULL);
        return how == UNPACK_SAME || before == x->next;
    }
    const mark before = mark_of(x);
    uint32_t predicted[MAX_WORDS];
    memcpy(predicted + at, like + at, LANES * sizeof *words);
    take_lanes(predicted + at, reg, mask);
    pass_words(x, how, words, at, at + LANES, predicted);
    return !put_raw(x, &before, words, at, mask, like) && x->num == before.num;
}

static FOR_EACH_USE void pass_issue(pass *x, mode how, uint32_t *words, slot_state *s, const model *m,
                                    bool known) {
    const uint32_t *like = m->words;
    pass_word(x, how, words, WORD(issue, pc),
              known         ? like[WORD(issue, pc)]
              : s->from & 1 ? s->from - 1
                            : s->from + 4);
    pass_words(x, how, words, WORD(issue, word), WORD(issue, mask), like);
    pass_word(x, how, words, WORD(issue, mask), s->mask);
    pass_words(x, how, words, WORD(issue, mask) + 1, sizeof(karat_rec_issue) / 4, like);
    const uint32_t seq = words[SEQ];
    s->mask = words[WORD(issue, mask)];
    s->from = s->about = words[WORD(issue, pc)] & ~1u;
    s->last_seq = seq;
    s->issued[seq % NUM_ISSUED] =
        (issued){seq, s->from, words[WORD(issue, word)], words[WORD(issue, prefix)]};
}

/* One of the lanes of a record. */
static FOR_EACH_USE void pass_values(pass *x, mode how, uint32_t *words, const shape *k, unsigned which,
                                     const uint32_t *like) {
    const lanes *l = &k->lanes[which];
    const uint32_t mask = words[k->mask];
    const bool may = k->raw == which + 1;
    if (may && how == UNPACK && x->code & HAS_RAW) {
        take_raw(x, words, l->at, mask);
        return;
    }
    const mark before = may && how == PACK ? mark_of(x) : (mark){0};
    pass_lanes(x, how, words, l, mask, like);
    if (may && how == PACK)
        put_raw(x, &before, words, l->at, mask, like);
}

/* Whatever its kind is. */
static FOR_EACH_USE void pass_body(pass *x, mode how, uint32_t *words, uint32_t from, uint32_t num,
                                   const shape *k, const uint32_t *like) {
    for (unsigned i = 0; i < 3 && k->lanes[i].stride; i++) {
        pass_words(x, how, words, from, k->lanes[i].at, like);
        pass_values(x, how, words, k, i, like);
        from = k->lanes[i].at + LANES * k->lanes[i].stride;
    }
    pass_words(x, how, words, from, num, like);
}

static FOR_EACH_USE void pass_read(predictor *p, pass *x, mode how, uint32_t *words, uint32_t slot,
                                   const issued *i, model *m, bool known) {
    const shape *k = &shapes[KARAT_REC_READ];
    const uint32_t at = k->lanes[0].at;
    pass_words(x, how, words, SEQ + 1, at, m->words);
    const uint32_t source = words[SEQ + 1] & 255, cls = words[SEQ + 1] >> 8 & 255,
                   part = words[SEQ + 1] >> 16 & 255, mask = words[k->mask];
    unsigned field = known ? m->field : source < NUM_FIELD ? source : 0;
    m->field = (uint8_t)field;
    if (pass_register(x, how, words, k, register_of(p, slot, cls, field_of(i, field) + part), m->words))
        return;
    unsigned tries = 0;
    while (tries < NUM_FIELD &&
           !same_lanes(register_of(p, slot, cls, field_of(i, (field + tries) % NUM_FIELD) + part), words + at,
                       mask))
        tries++;
    if (tries == NUM_FIELD) /* the register's value is known from now on */
        take_lanes(register_of(p, slot, cls, field_of(i, field) + part), words + at, mask);
    m->field = (uint8_t)((field + tries) % NUM_FIELD);
}

/* The context of a record of that kind. The contexts of a slot are together, so that few lines of the cache have all that are in use. */
static FOR_EACH_USE context *context_of(predictor *p, uint32_t kind) {
    const uint32_t before = p->before, row = (before >> 16 & 255) + 5 * (before >> 8 & 255);
    return &p->contexts[((row * NUM_KIND + before % NUM_KIND) * NUM_KIND + kind) & (NUM_CONTEXT - 1)];
}

/* kind, sm, slot, epoch and cycle. Returns the slot's number. */
static FOR_EACH_USE uint32_t pass_header(predictor *p, pass *x, mode how, uint32_t *words, uint32_t kind) {
    context *c = context_of(p, kind);
    pass_named(x, how, FIRST_DIFFERS, words, 0, c->first ? c->first : (p->before & ~255u) | kind);
    c->first = p->before = words[0];
    const uint32_t slot = (words[0] >> 8 & 255) * KARAT_PORT_SM_SLOTS + (words[0] >> 16 & 255);
    slot_state *s = &p->slots[slot % NUM_SLOT];
    const uint32_t low = (uint32_t)p->cycle;
    pass_named(x, how, CYCLE_DIFFERS, words, 2, low + c->step);
    pass_word(x, how, words, 1, s->epoch);
    if (words[1] != s->epoch) {
        memset(s, 0, sizeof *s);
        s->epoch = words[1];
    }
    pass_word(x, how, words, 3, (uint32_t)(p->cycle >> 32) + (words[2] < low));
    c->step = words[2] - low;
    p->cycle = (uint64_t)words[3] << 32 | words[2];
    return slot;
}

/* By parts that a compiler moves through registers: a string instruction, as it takes for a whole record, costs more. */
static FOR_EACH_USE void copy_words(uint32_t *to, const uint32_t *from, uint32_t num) {
    enum { PART = 16 };
    uint32_t i = 0;
    for (; num - i >= PART; i += PART)
        memcpy(to + i, from + i, PART * sizeof *to);
    copy_few(to + i, from + i, num - i);
}

static FOR_EACH_USE void pass_record(predictor *p, pass *x, mode how, uint32_t kind, uint32_t num,
                                     uint32_t *words) {
    const shape *k = &shapes[kind];
    const uint32_t slot = pass_header(p, x, how, words, kind);
    slot_state *s = &p->slots[slot % NUM_SLOT];
    const uint32_t from = HEADER_WORDS + k->has_seq, kept = k->known ? k->known : num;
    const issued *i = find_issued(s, 0);
    uint32_t key;
    if (kind == KARAT_REC_ISSUE || !k->has_seq) {
        if (kind == KARAT_REC_ISSUE) {
            pass_word(x, how, words, SEQ, s->issued[s->last_seq % NUM_ISSUED].pc ? s->last_seq + 1 : 0);
            s->about = s->from;
        }
        key = key_of(kind, s->about, 0);
    } else {
        expected e = next_record(p, s, kind);
        pass_word(x, how, words, SEQ, e.seq);
        if (how != UNPACK_SAME && words[SEQ] != e.seq)
            e = record_of(s, kind, words[SEQ]);
        i = e.of;
        key = e.key;
        s->about = i->pc;
        s->seq[kind] = e.seq;
        s->nth[kind] = e.nth;
    }
    bool known;
    model *m = model_of(p, key, &known);
    if (how != PACK) {
        copy_words(words + from, m->words + from, kept - from);
        memset(words + kept, 0, (num - kept) * sizeof *words);
    }
    uint32_t *reg;
    switch (kind) {
    case KARAT_REC_ISSUE: pass_issue(x, how, words, s, m, known); break;
    case KARAT_REC_READ: pass_read(p, x, how, words, slot, i, m, known); break;
    case KARAT_REC_AUDIT:
        pass_words(x, how, words, from, k->lanes[0].at, m->words);
        reg = register_of(p, slot, words[from] >> 16 & 255, words[from] & 0xffff);
        if (!pass_register(x, how, words, k, reg, m->words))
            take_lanes(reg, words + k->lanes[0].at, words[k->mask]);
        break;
    default: pass_body(x, how, words, from, num, k, m->words); break;
    }
    if (kind == KARAT_REC_WRITE)
        take_lanes(register_of(p, slot, words[SEQ + 1] >> 8 & 255, words[SEQ + 1] >> 16),
                   words + k->lanes[0].at, words[k->mask]);
    if (kind == KARAT_REC_SIMT) {
        s->mask = words[WORD(simt, mask)];
        s->from = words[WORD(simt, next_pc)] | 1;
    }
    copy_words(m->words + HEADER_WORDS, words + HEADER_WORDS, kept - HEADER_WORDS);
}

static FOR_EACH_USE void pass_kind(predictor *p, pass *x, mode how, uint32_t kind, uint32_t *words) {
#define FREQUENT(name, of)                                                                                   \
    case KARAT_REC_##name: pass_record(p, x, how, KARAT_REC_##name, sizeof(karat_rec_##of) / 4, words); break
    switch (kind) {
        FREQUENT(ISSUE, issue);
        FREQUENT(READ, read);
        FREQUENT(WRITE, write);
        FREQUENT(AUDIT, audit);
        FREQUENT(MEM, mem);
    default: pass_record(p, x, how, kind, (uint32_t)karat_rec_size((uint8_t)kind) / 4, words); break;
    }
#undef FREQUENT
}

void karat_predict_pack(predictor *p, column *to, uint8_t kind, uint32_t *words) {
    pass x = {.columns = to, .next = NO_PLACE};
    put(&to[COLUMN_KINDS], kind);
    pass_kind(p, &x, PACK, kind, words);
    const uint32_t others = x.num < MOST_OTHERS ? x.num : MOST_OTHERS;
    put(&to[COLUMN_CODES], (uint8_t)(x.code | others * ONE_OTHER));
    if (others == MOST_OTHERS)
        put_long(&to[COLUMN_CODES], x.num - MOST_OTHERS);
}

/* Whether a record was whole, and of that kind. */
static OUT_OF_LINE bool is_whole(const pass *x, const column *from) {
    for (unsigned i = 0; i < NUM_COLUMN; i++)
        if (from[i].used > from[i].size)
            return false;
    return !x->bad && x->next == NO_PLACE;
}

bool karat_predict_unpack(predictor *p, column *from, uint8_t kind, uint32_t *words) {
    pass x = {.columns = from, .next = NO_PLACE};
    if (!karat_rec_size(kind))
        return false;
    x.code = get(&x, COLUMN_CODES);
    if (!x.code) {
        pass_kind(p, &x, UNPACK_SAME, kind, words);
        return from[COLUMN_CODES].used <= from[COLUMN_CODES].size && (words[0] & 255) == kind;
    }
    if (x.code >= ONE_OTHER) {
        x.num = x.code / ONE_OTHER;
        if (x.num == MOST_OTHERS)
            x.num += get_long(&x, COLUMN_CODES);
        find_next(&x);
    }
    pass_kind(p, &x, UNPACK, kind, words);
    return is_whole(&x, from) && (words[0] & 255) == kind;
}
