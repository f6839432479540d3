#include "shrink.h"

#include <stdlib.h>
#include <string.h>

typedef struct shrinker {
    prog *best;
    const shrink_hooks *hooks;
    bool stop, found; /* found: this round has made it smaller */
} shrinker;

/* Take the candidate where it still fails; it is freed in any case. Returns whether it was taken. */
static bool try(shrinker *s, prog *candidate) {
    const bool fails = !s->stop && s->hooks->fails(s->hooks->context, candidate);
    if (!fails) {
        prog_free(candidate);
        return false;
    }
    prog_free(s->best);
    *s->best = *candidate;
    s->found = true;
    if (!s->hooks->smaller(s->hooks->context, s->best))
        s->stop = true;
    return true;
}

static bool copy(shrinker *s, prog *to) {
    if (s->stop || !prog_copy(to, s->best)) {
        s->stop = true;
        return false;
    }
    return true;
}

/* --- The launch --- */

/* The smallest value from 1 (or 'none': what stands for all) up that still fails, by halving. */
static void reduce_number(shrinker *s, size_t offset) {
    for (uint32_t to = 1;;) {
        uint32_t *const now = (uint32_t *)(void *)((char *)&s->best->launch + offset);
        if (to >= *now)
            return;
        prog c;
        if (!copy(s, &c))
            return;
        *(uint32_t *)(void *)((char *)&c.launch + offset) = to;
        if (try(s, &c))
            return;
        const uint32_t half = to + (*now - to + 1) / 2;
        to = half > to ? half : to + 1;
    }
}

static void reduce_launch(shrinker *s) {
    for (unsigned i = 0; i < 3; i++)
        reduce_number(s, offsetof(struct prog_launch, grid) + i * sizeof(uint32_t));
    reduce_number(s, offsetof(struct prog_launch, warps));
    prog c;
    for (uint32_t threads = 1; !s->best->launch.threads && threads <= 2 && copy(s, &c); threads *= 2) {
        c.launch.threads = threads;
        try(s, &c);
    }
    reduce_number(s, offsetof(struct prog_launch, threads));
}

/* --- Instructions --- */

/* Without those instructions from first to before last that are not in keep (NULL: all of them). */
static bool without(const prog *from, prog *to, uint32_t first, uint32_t last) {
    if (!prog_copy(to, from))
        return false;
    const uint32_t gone = last - first;
    uint32_t n = first;
    for (uint32_t i = last; i < from->num; i++)
        to->insn[n++] = from->insn[i];
    to->num = n;
    for (uint32_t i = 0; i < n; i++) {
        prog_insn *insn = &to->insn[i];
        if (insn->target >= (int32_t)last)
            insn->target -= (int32_t)gone;
        else if (insn->target > (int32_t)first)
            insn->target = (int32_t)first; /* what comes behind the gap */
        if (insn->high >= (int32_t)last)
            insn->high -= (int32_t)gone;
        else if (insn->high >= (int32_t)first)
            insn->high = insn->target = PROG_NONE; /* half an address is a number */
    }
    return true;
}

static void remove_instructions(shrinker *s) {
    uint32_t size = 1;
    while (size < s->best->num)
        size *= 2;
    for (; size && !s->stop; size /= 2)
        for (uint32_t last = s->best->num;
             last > 0 && !s->stop;) { /* from the end: results before their causes */
            const uint32_t first = last > size ? last - size : 0;
            prog c;
            if (last - first == s->best->num) { /* nothing is no program */
                last = first;
                continue;
            }
            if (!without(s->best, &c, first, last)) {
                s->stop = true;
                return;
            }
            try(s, &c);
            last = first;
        }
}

/* --- Operands --- */

/* The instruction with another value of an operand, or without its prefix; false where that cannot be encoded. */
static bool change(prog *p, uint32_t at, const karat_insn *insn, int32_t third, bool plain) {
    prog with;
    prog_init(&with, p->profile);
    const uint32_t word = insn->prefix;
    prog_prefix prefix = PROG_PLAIN;
    karat_insn head;
    if (word && !plain && karat_decode(p->profile, word, &head) != KARAT_NO_ROW)
        for (unsigned k = PROG_REGEXT; k < PROG_AUTO; k++)
            if (p->prefix_row[k] == head.row)
                prefix = (prog_prefix)k;
    const bool ok = prog_put(&with, insn->row, insn->value, prefix, third) != PROG_NONE;
    if (ok) {
        p->insn[at].word = with.insn[0].word;
        p->insn[at].prefix = with.insn[0].prefix;
    }
    prog_free(&with);
    return ok;
}

static bool try_value(shrinker *s, uint32_t at, uint32_t operand, int32_t value, bool plain) {
    prog c;
    karat_insn insn;
    int32_t third;
    if (!copy(s, &c))
        return false;
    const prog_insn *old = &c.insn[at];
    if (karat_decode_prefixed(c.profile, old->prefix, old->word, &insn, &third) == KARAT_NO_ROW) {
        prog_free(&c);
        return false;
    }
    if (operand < KARAT_MAX_OPERAND) {
        if (insn.value[operand] == value) {
            prog_free(&c);
            return true;
        }
        insn.value[operand] = value;
    }
    if (!change(&c, at, &insn, third, plain)) {
        prog_free(&c);
        return false;
    }
    return try(s, &c);
}

static void simplify(shrinker *s, uint32_t at) {
    const prog_insn *insn = &s->best->insn[at];
    karat_insn x;
    if (insn->data ||
        karat_decode_prefixed(s->best->profile, insn->prefix, insn->word, &x, NULL) == KARAT_NO_ROW)
        return;
    if (insn->prefix)
        try_value(s, at, KARAT_MAX_OPERAND, 0, true);
    const karat_row *row = karat_row_info(x.row);
    for (uint32_t i = 0; i < row->num_operands && !s->stop; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        const bool leads = s->best->insn[at].target != PROG_NONE && kind->role == KARAT_ROLE_IMM;
        if (kind->role == KARAT_ROLE_VM && kind->bits)
            try_value(s, at, i, 1, false);
        else if (kind->role == KARAT_ROLE_IMM && !leads && strcmp(kind->name, "csr") != 0)
            if (!try_value(s, at, i, 0, false))
                try_value(s, at, i, 1, false);
    }
}

/* --- Data --- */

static void clear_data(shrinker *s, uint32_t first, uint32_t last) {
    bool zero = true;
    for (uint32_t i = first; i < last && zero; i++)
        zero = !s->best->data[i];
    prog c;
    if (zero || !copy(s, &c))
        return;
    memset(c.data + first, 0, last - first);
    if (try(s, &c) || last - first <= 1024)
        return;
    const uint32_t middle = first + (last - first) / 2 / 4 * 4;
    clear_data(s, first, middle);
    clear_data(s, middle, last);
}

bool shrink(prog *p, const shrink_hooks *hooks) {
    shrinker s = {.best = p, .hooks = hooks, .found = true};
    while (s.found && !s.stop) {
        s.found = false;
        reduce_launch(&s);
        remove_instructions(&s);
        for (uint32_t i = 0; i < p->num && !s.stop; i++)
            simplify(&s, i);
    }
    if (p->data_size)
        clear_data(&s, 0, p->data_size);
    return !s.stop;
}
