/* The meaning of words that are instructions only elsewhere. */
#include "isa.h"

enum { P_V202 = 1 << KARAT_V202, P_V203 = 1 << KARAT_V203, P_BOTH = P_V202 | P_V203 };

static const karat_known known[] = {
#define KNOWN(name, of, match, mask, profiles) {name, of, match, mask, P_##profiles, false},
#define BLOCK(name, of, match, mask, profiles) {name, of, match, mask, P_##profiles, true},
#include "elsewhere.def"
#undef KNOWN
#undef BLOCK
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

size_t karat_elsewhere(karat_profile profile, uint32_t word, char *buffer, size_t size) {
    text t = {buffer, size, 0};
    karat_insn insn;
    const int row = karat_decode(profile, word, &insn);
    put(&t, "");
    if (row != KARAT_NO_ROW) {
        if (karat_rows[row].illegal) {
            put_one(&t, karat_rows[row].mnemonic, "RISC-V, left out here (section ");
            put(&t, karat_rows[row].section);
            put(&t, ")");
        }
        return t.length;
    }
    const karat_profile other = profile == KARAT_V202 ? KARAT_V203 : KARAT_V202;
    const int there = karat_decode(other, word, &insn);
    if (there != KARAT_NO_ROW)
        put_one(&t, karat_rows[there].mnemonic, other == KARAT_V203 ? "profile v2.03" : "profile v2.02");
    for (int i = 0; i < karat_num_known(); i++) {
        if ((word & known[i].mask) != known[i].match || !(known[i].profiles >> profile & 1))
            continue;
        put_one(&t, known[i].name, known[i].of);
        if (known[i].mask == 0xffffffff)
            break;
    }
    return t.length;
}
