/* The prediction of records.
 *
 * One pass over the words of a record, in ascending order, predicts each from the state and from the words before it. The writer notes
 * where a word is another; the reader adds the differences it finds to what is predicted. Then both enter the record into the state.
 *
 *  - A record of an instruction is like the last one of its kind of the instruction at that pc, in any warp. A slot remembers the pc of its last
 *    instructions.
 *  - Lanes move together: the difference in one lane is expected in the others.
 *  - A READ and an AUDIT have what the last WRITE, READ or AUDIT of that register had. Which register a READ is of is learned for each pc.
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
    NUM_CONTEXT = 1 << 14,
    NUM_MODEL = 1 << 11,
    NUM_REGISTER = 1 << 12,
    NUM_ISSUED = 32, /* of a slot: instructions that are remembered */
    NUM_FIELD = 5,   /* of an instruction: places of a register's number */
    NO_PLACE = INT32_MAX
};

#define WORD(record, field) (offsetof(karat_rec_##record, field) / 4)

/* One value for each lane. */
typedef struct lanes {
    uint16_t at, stride; /* words; stride 0: none */
} lanes;

typedef struct shape {
    bool has_seq;
    uint8_t mask;   /* word of the lanes' mask */
    uint16_t known; /* words of it that are remembered; 0: all */
    lanes lanes[3];
} shape;

static const shape shapes[NUM_KIND] = {
    [KARAT_REC_HOST] = {.known = WORD(host, data)},
    [KARAT_REC_CONTENTS] = {.known = WORD(contents, data)},
    [KARAT_REC_PRINT] = {.known = WORD(print, data)},
    [KARAT_REC_ISSUE] = {.has_seq = true},
    [KARAT_REC_READ] = {true, WORD(read, mask), 0, {{WORD(read, data), 1}}},
    [KARAT_REC_WRITE] = {true, WORD(write, mask), 0, {{WORD(write, data), 1}}},
    [KARAT_REC_AUDIT] = {false, WORD(audit, mask), 0, {{WORD(audit, data), 1}}},
    [KARAT_REC_SIMT] = {.has_seq = true},
    [KARAT_REC_CSR] = {.has_seq = true},
    [KARAT_REC_MEM] = {true, WORD(mem, mask), 0, {{WORD(mem, addr), 1}, {WORD(mem, data), 1}}},
    [KARAT_REC_BARRIER] = {.has_seq = true},
    [KARAT_REC_ACCESS] = {true,
                          WORD(access, mask),
                          0,
                          {{WORD(access, virt), 2}, {WORD(access, phys), 2}, {WORD(access, data), 4}}},
    [KARAT_REC_PAIR] = {true, WORD(pair, mask), 0, {{WORD(pair, data), 2}}},
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

struct predictor {
    uint64_t cycle;
    uint32_t before;               /* kind and slot of the last record */
    uint32_t context[NUM_CONTEXT]; /* first word of a record, by its kind and the record before it */
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

/* The pass over a record. What it is made of is compiled for each direction and for the frequent kinds of records. */
typedef struct pass {
    column *columns;
    uint32_t last; /* place of the last difference, 1 + */
    uint32_t next; /* reads: of the next one */
    uint32_t num;  /* reads: that are left; else that were noted */
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

static inline uint32_t get(pass *x, enum trace_column which) {
    column *c = &x->columns[which];
    if (c->used == c->size) {
        x->bad = true;
        return 0;
    }
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
    const size_t left = c->size - c->used;
    if (bytes > 4 || left < bytes) {
        x->bad = true;
        return 0;
    }
    const uint8_t *at = c->at + c->used;
    c->used += bytes;
    if (left < 4)
        return (uint32_t)get_le(at, bytes);
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

static OUT_OF_LINE void note_difference(pass *x, uint32_t place, uint32_t difference) {
    const uint32_t z = difference << 1 ^ (0 - (difference >> 31));
    put_long(&x->columns[COLUMN_PLACES], place - x->last);
    x->last = place + 1;
    x->num++;
    if (z < SMALL_BYTES) {
        put(&x->columns[COLUMN_SMALL], (uint8_t)z);
        return;
    }
    const uint32_t bytes = (39 - (uint32_t)__builtin_clz(z)) / 8;
    put(&x->columns[COLUMN_SMALL], (uint8_t)(SMALL_BYTES + bytes - 1));
    for (uint32_t i = 0; i < bytes; i++)
        put(&x->columns[COLUMN_WIDE], (uint8_t)(z >> 8 * i));
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
static FOR_EACH_USE void pass_word(pass *x, bool reads, uint32_t *words, uint32_t place, uint32_t predicted) {
    if (reads) {
        words[place] = predicted;
        if (place == x->next)
            take_difference(x, words);
    } else if (words[place] != predicted) {
        note_difference(x, place, words[place] - predicted);
    }
}

/* Words of which none depends on another. Those that are read are as predicted. */
static FOR_EACH_USE void pass_words(pass *x, bool reads, uint32_t *words, uint32_t from, uint32_t to,
                                    const uint32_t *predicted) {
    while (reads && x->next < to)
        take_difference(x, words);
    for (uint32_t i = from; i < to && !reads; i++)
        pass_word(x, false, words, i, predicted[i]);
}

static uint32_t num_lanes(uint32_t mask) {
    return mask ? 32 - (uint32_t)__builtin_clz(mask) : 0;
}

static bool is_dense(uint32_t mask) { /* the lowest lanes, as nearly always */
    return !(mask & (mask + 1));
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
static FOR_EACH_USE void pass_lanes(pass *x, bool reads, uint32_t *words, const lanes *l, uint32_t mask,
                                    const uint32_t *like) {
    const uint32_t end = l->at + LANES * l->stride, on = num_lanes(mask);
    uint32_t more = 0, i = l->at;
    if (reads && l->stride == 1 && is_dense(mask)) {
        if (x->next < l->at + on)
            take_moving(x, words, l->at + on, like);
        pass_words(x, true, words, l->at, end, like);
        return;
    }
    for (uint32_t lane = 0; lane < on && (more || !reads || x->next < end); lane++) {
        const bool moves = mask >> lane & 1;
        pass_word(x, reads, words, i, like[i] + (moves ? more : 0));
        more = moves ? words[i] - like[i] : more;
        i++;
        for (uint32_t k = 1; k < l->stride; k++, i++)
            pass_word(x, reads, words, i, like[i]);
    }
    pass_words(x, reads, words, i, end, like);
}

/* --- State --- */

static uint32_t hash(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca77u ^ (c + 1) * 0xc2b2ae3du;
    return (h ^ h >> 15) * 0x27d4eb2fu;
}

static uint32_t *register_of(predictor *p, uint32_t slot, uint32_t cls, uint32_t reg) {
    return p->registers[hash(slot, cls, reg) >> 7 & (NUM_REGISTER - 1)];
}

static uint32_t model_of(uint32_t key) {
    return key >> 5 & (NUM_MODEL - 1);
}

static uint32_t key_of(uint32_t kind, uint32_t pc, uint32_t nth) {
    return hash(kind, pc, nth) | 1;
}

static bool is_known(predictor *p, uint32_t key) {
    return p->keys[model_of(key)] == key;
}

static const issued *find_issued(const slot_state *s, uint32_t seq) {
    static const issued none;
    const issued *i = &s->issued[seq % NUM_ISSUED];
    return i->seq == seq ? i : &none;
}

/* The seq of the next record of that kind: one more of the same, or of the next instruction of which there was one before. */
static uint32_t next_seq(predictor *p, const slot_state *s, uint32_t kind) {
    const uint32_t last = s->seq[kind];
    if (is_known(p, key_of(kind, find_issued(s, last)->pc, s->nth[kind] + 1)))
        return last;
    for (uint32_t seq = s->last_seq - last < NUM_ISSUED ? last + 1 : s->last_seq; seq < s->last_seq; seq++)
        if (is_known(p, key_of(kind, find_issued(s, seq)->pc, 0)))
            return seq;
    return s->last_seq;
}

/* The number of the register in that field of an instruction. */
static uint32_t field_of(const issued *i, unsigned field) {
    static const uint8_t at[NUM_FIELD] = {0, 15, 20, 27, 7}, more[NUM_FIELD] = {0, 23, 26, 29, 20};
    return field ? (i->word >> at[field] & 31) | (i->prefix >> more[field] & 7) << 5 : 0;
}

static bool same_lanes(const uint32_t *a, const uint32_t *b, uint32_t mask) {
    if (is_dense(mask))
        return memcmp(a, b, num_lanes(mask) * sizeof *a) == 0;
    for (; mask; mask &= mask - 1)
        if (a[__builtin_ctz(mask)] != b[__builtin_ctz(mask)])
            return false;
    return true;
}

static void take_lanes(uint32_t *reg, const uint32_t *values, uint32_t mask) {
    if (is_dense(mask)) {
        memcpy(reg, values, num_lanes(mask) * sizeof *reg);
        return;
    }
    for (; mask; mask &= mask - 1)
        reg[__builtin_ctz(mask)] = values[__builtin_ctz(mask)];
}

/* --- Records --- */

/* Lanes that a register has; the others are as in the record before. Returns whether all are as predicted. */
static FOR_EACH_USE bool pass_register(pass *x, bool reads, uint32_t *words, const shape *k,
                                       const uint32_t *reg, const uint32_t *like) {
    const uint32_t at = k->lanes[0].at, mask = words[k->mask], before = reads ? x->next : x->num;
    uint32_t predicted[MAX_WORDS];
    if (reads) {
        take_lanes(words + at, reg, mask);
    } else {
        memcpy(predicted + at, like + at, LANES * sizeof *words);
        take_lanes(predicted + at, reg, mask);
    }
    pass_words(x, reads, words, at, at + LANES, predicted);
    return before == (reads ? x->next : x->num);
}

static FOR_EACH_USE void pass_issue(pass *x, bool reads, uint32_t *words, slot_state *s, const model *m,
                                    bool known) {
    const uint32_t *like = m->words;
    pass_word(x, reads, words, WORD(issue, pc),
              known         ? like[WORD(issue, pc)]
              : s->from & 1 ? s->from - 1
                            : s->from + 4);
    pass_words(x, reads, words, WORD(issue, word), WORD(issue, mask), like);
    pass_word(x, reads, words, WORD(issue, mask), s->mask);
    pass_words(x, reads, words, WORD(issue, mask) + 1, sizeof(karat_rec_issue) / 4, like);
    const uint32_t seq = words[SEQ];
    s->mask = words[WORD(issue, mask)];
    s->from = s->about = words[WORD(issue, pc)] & ~1u;
    s->last_seq = seq;
    s->issued[seq % NUM_ISSUED] =
        (issued){seq, s->from, words[WORD(issue, word)], words[WORD(issue, prefix)]};
}

/* Whatever its kind is. */
static FOR_EACH_USE void pass_body(pass *x, bool reads, uint32_t *words, uint32_t from, uint32_t num,
                                   const shape *k, const uint32_t *like) {
    for (unsigned i = 0; i < 3 && k->lanes[i].stride; i++) {
        pass_words(x, reads, words, from, k->lanes[i].at, like);
        pass_lanes(x, reads, words, &k->lanes[i], words[k->mask], like);
        from = k->lanes[i].at + LANES * k->lanes[i].stride;
    }
    pass_words(x, reads, words, from, num, like);
}

static FOR_EACH_USE void pass_read(predictor *p, pass *x, bool reads, uint32_t *words, uint32_t slot,
                                   const issued *i, model *m, bool known) {
    const shape *k = &shapes[KARAT_REC_READ];
    const uint32_t at = k->lanes[0].at;
    pass_words(x, reads, words, SEQ + 1, at, m->words);
    const uint32_t source = words[SEQ + 1] & 255, cls = words[SEQ + 1] >> 8 & 255,
                   part = words[SEQ + 1] >> 16 & 255, mask = words[k->mask];
    unsigned field = known ? m->field : source < NUM_FIELD ? source : 0;
    m->field = (uint8_t)field;
    if (pass_register(x, reads, words, k, register_of(p, slot, cls, field_of(i, field) + part), m->words))
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

/* kind, sm, slot, epoch and cycle. Returns the slot's number. */
static FOR_EACH_USE uint32_t pass_header(predictor *p, pass *x, bool reads, uint32_t *words, uint32_t kind) {
    uint32_t *context = &p->context[hash(kind, p->before, 0) & (NUM_CONTEXT - 1)];
    pass_word(x, reads, words, 0, *context ? *context : (p->before & ~255u) | kind);
    *context = p->before = words[0];
    const uint32_t slot = (words[0] >> 8 & 255) * KARAT_PORT_SM_SLOTS + (words[0] >> 16 & 255);
    slot_state *s = &p->slots[slot % NUM_SLOT];
    pass_word(x, reads, words, 1, s->epoch);
    if (words[1] != s->epoch) {
        memset(s, 0, sizeof *s);
        s->epoch = words[1];
    }
    const uint32_t low = (uint32_t)p->cycle;
    pass_word(x, reads, words, 2, low);
    pass_word(x, reads, words, 3, (uint32_t)(p->cycle >> 32) + (words[2] < low));
    p->cycle = (uint64_t)words[3] << 32 | words[2];
    return slot;
}

/* By parts that a compiler moves through registers: a string instruction, as it takes for a whole record, costs more. */
static FOR_EACH_USE void copy_words(uint32_t *to, const uint32_t *from, uint32_t num) {
    enum { PART = 16 };
    uint32_t i = 0;
    for (; num - i >= PART; i += PART)
        memcpy(to + i, from + i, PART * sizeof *to);
    memcpy(to + i, from + i, (num - i) * sizeof *to);
}

static FOR_EACH_USE void pass_record(predictor *p, pass *x, bool reads, uint32_t kind, uint32_t num,
                                     uint32_t *words) {
    const shape *k = &shapes[kind];
    const uint32_t slot = pass_header(p, x, reads, words, kind);
    slot_state *s = &p->slots[slot % NUM_SLOT];
    uint32_t from = HEADER_WORDS, nth = 0;
    const issued *i = find_issued(s, 0);
    if (kind == KARAT_REC_ISSUE) {
        pass_word(x, reads, words, SEQ, s->issued[s->last_seq % NUM_ISSUED].pc ? s->last_seq + 1 : 0);
        s->about = s->from;
    } else if (k->has_seq) {
        pass_word(x, reads, words, SEQ, next_seq(p, s, kind));
        i = find_issued(s, words[SEQ]);
        s->about = i->pc;
        nth = s->nth[kind] = s->seq[kind] == words[SEQ] ? s->nth[kind] + 1 : 0;
        s->seq[kind] = words[SEQ];
    }
    from += k->has_seq;
    const uint32_t key = key_of(kind, s->about, nth);
    model *m = &p->models[model_of(key)];
    const bool known = is_known(p, key);
    if (!known) {
        memset(m, 0, sizeof *m);
        p->keys[model_of(key)] = key;
    }
    if (reads)
        copy_words(words + from, m->words + from, num - from);
    uint32_t *reg;
    switch (kind) {
    case KARAT_REC_ISSUE: pass_issue(x, reads, words, s, m, known); break;
    case KARAT_REC_READ: pass_read(p, x, reads, words, slot, i, m, known); break;
    case KARAT_REC_AUDIT:
        pass_words(x, reads, words, from, k->lanes[0].at, m->words);
        reg = register_of(p, slot, words[from] >> 16 & 255, words[from] & 0xffff);
        if (!pass_register(x, reads, words, k, reg, m->words))
            take_lanes(reg, words + k->lanes[0].at, words[k->mask]);
        break;
    default: pass_body(x, reads, words, from, num, k, m->words); break;
    }
    if (kind == KARAT_REC_WRITE)
        take_lanes(register_of(p, slot, words[SEQ + 1] >> 8 & 255, words[SEQ + 1] >> 16),
                   words + k->lanes[0].at, words[k->mask]);
    if (kind == KARAT_REC_SIMT) {
        s->mask = words[WORD(simt, mask)];
        s->from = words[WORD(simt, next_pc)] | 1;
    }
    copy_words(m->words + HEADER_WORDS, words + HEADER_WORDS, (k->known ? k->known : num) - HEADER_WORDS);
}

static FOR_EACH_USE void pass_kind(predictor *p, pass *x, bool reads, uint32_t kind, uint32_t *words) {
#define FREQUENT(name, of)                                                                                   \
    case KARAT_REC_##name:                                                                                   \
        pass_record(p, x, reads, KARAT_REC_##name, sizeof(karat_rec_##of) / 4, words);                       \
        break
    switch (kind) {
        FREQUENT(ISSUE, issue);
        FREQUENT(READ, read);
        FREQUENT(WRITE, write);
        FREQUENT(AUDIT, audit);
        FREQUENT(MEM, mem);
    default: pass_record(p, x, reads, kind, (uint32_t)karat_rec_size((uint8_t)kind) / 4, words); break;
    }
#undef FREQUENT
}

void karat_predict_pack(predictor *p, column *to, uint8_t kind, uint32_t *words) {
    pass x = {.columns = to, .next = NO_PLACE};
    put(&to[COLUMN_KINDS], kind);
    pass_kind(p, &x, false, kind, words);
    put_long(&to[COLUMN_COUNTS], x.num);
}

bool karat_predict_unpack(predictor *p, column *from, uint8_t kind, uint32_t *words) {
    pass x = {.columns = from};
    if (!karat_rec_size(kind))
        return false;
    x.num = get_long(&x, COLUMN_COUNTS);
    find_next(&x);
    pass_kind(p, &x, true, kind, words);
    return !x.bad && x.next == NO_PLACE && (words[0] & 255) == kind;
}
