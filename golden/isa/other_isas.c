/* The meaning of words that are instructions only elsewhere. */
#include "isa.h"

static const karat_known known[] = {
#define KNOWN(name, of, match, mask, set)   {name, of, match, mask, SET_##set, false, false},
#define BLOCK(name, of, match, mask, set)   {name, of, match, mask, SET_##set, true, false},
#define OVERLAP(name, of, match, mask, set) {name, of, match, mask, SET_##set, false, true},
#include "other_isas.def"
#undef KNOWN
#undef BLOCK
#undef OVERLAP
};

int karat_num_known(void) {
    return (int)(sizeof known / sizeof *known);
}

const karat_known *karat_known_info(int i) {
    return i >= 0 && i < karat_num_known() ? &known[i] : NULL;
}

/* A text that grows, as snprintf() writes it. */
typedef struct text {
    char *at;
    size_t size, length;
} text;

static void put(text *t, const char *string) {
    for (; *string; string++, t->length++)
        if (t->length + 1 < t->size)
            t->at[t->length] = *string;
    if (t->size)
        t->at[t->length < t->size ? t->length : t->size - 1] = 0;
}

static void put_one(text *t, const char *name, const char *of) {
    put(t, t->length ? ", or " : "");
    put(t, name);
    put(t, " of ");
    put(t, of);
}

/* An instruction of that profile. */
static void put_there(text *t, const karat_row *row, karat_profile there) {
    put_one(t, row->mnemonic, "profile ");
    put(t, karat_profile_name(there));
}

/* A row that the profile leaves out. */
static void put_left_out(text *t, const karat_row *row) {
    karat_profile there = 0;
    while (there < KARAT_NUM_PROFILE && !karat_row_is_legal(row, there))
        there++;
    if (there < KARAT_NUM_PROFILE)
        put_there(t, row, there);
    else
        put_one(t, row->mnemonic, "RISC-V");
    put(t, ", left out here (section ");
    put(t, row->section);
    put(t, ")");
}

/* The rows that name a word of that profile: those of overlaps alone, or all. */
static void put_known(text *t, karat_profile profile, uint32_t word, bool overlaps) {
    for (int i = 0; i < karat_num_known(); i++) {
        if ((word & known[i].mask) != known[i].match || !(known[i].profiles >> profile & 1) ||
            (overlaps && !known[i].overlaps))
            continue;
        put_one(t, known[i].name, known[i].of);
        if (known[i].mask == 0xffffffff)
            break;
    }
}

size_t karat_elsewhere(karat_profile profile, uint32_t word, char *buffer, size_t size) {
    text t = {buffer, buffer ? size : 0, 0};
    karat_insn insn;
    const int row = karat_decode(profile, word, &insn);
    put(&t, "");
    if (row != KARAT_NO_ROW) {
        if (!karat_row_is_legal(&karat_rows[row], profile))
            put_left_out(&t, &karat_rows[row]);
        return t.length;
    }
    for (karat_profile there = 0; there < KARAT_NUM_PROFILE; there++) {
        const int other = karat_decode(there, word, &insn);
        if (other != KARAT_NO_ROW)
            put_there(&t, &karat_rows[other], there);
    }
    put_known(&t, profile, word, false);
    return t.length;
}

size_t karat_overlap(karat_profile profile, uint32_t word, char *buffer, size_t size) {
    text t = {buffer, buffer ? size : 0, 0};
    karat_insn insn;
    const int row = karat_decode(profile, word, &insn);
    put(&t, "");
    if (row != KARAT_NO_ROW && karat_row_is_legal(&karat_rows[row], profile))
        put_known(&t, profile, word, true);
    return t.length;
}
