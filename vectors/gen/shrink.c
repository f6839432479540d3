#include "shrink.h"

#include "rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct shrinker {
    prog *best;
    const shrink_hooks *hooks;
    bool stop, found; /* This round has made it smaller */
} shrinker;

/* Take the candidate where it still fails; it is freed in any case. Returns whether it was taken. */
static bool try(shrinker *s, prog *candidate) {
    const shrink_outcome outcome = s->stop ? SHRINK_STOP : s->hooks->fails(s->hooks->context, candidate);
    s->stop |= outcome == SHRINK_STOP;
    if (outcome != SHRINK_FAILS) {
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

/* Without the instructions from first to before last. */
static bool without(const prog *from, prog *to, uint32_t first, uint32_t last) {
    if (!prog_copy(to, from))
        return false;
    prog_remove(to, first, last);
    return true;
}

static void remove_instructions(shrinker *s) {
    uint32_t size = 1;
    while (size < s->best->num)
        size *= 2;
    for (; size && !s->stop; size /= 2)
        for (uint32_t last = s->best->num;
             last > 0 && !s->stop;) { /* It goes from the end: results before their causes */
            const uint32_t first = last > size ? last - size : 0;
            prog c;
            if (last - first == s->best->num) { /* Nothing is no program */
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

/* --- Control flow: what goes only together --- */

/* Two spans of instructions, the first before the second, either of which may be empty. */
typedef struct spans {
    uint32_t first[2], last[2];
} spans;

static void try_without(shrinker *s, spans removed) {
    prog one, c;
    if (s->stop || removed.last[1] > s->best->num)
        return;
    if (!without(s->best, &one, removed.first[1], removed.last[1])) {
        s->stop = true;
        return;
    }
    s->stop = !without(&one, &c, removed.first[0], removed.last[0]);
    prog_free(&one);
    if (!s->stop && c.num)
        try(s, &c);
    else if (!s->stop)
        prog_free(&c);
}

/* Whether it leads somewhere, or says where others do. */
static bool controls(const prog *p, uint32_t at) {
    karat_insn x;
    const karat_row *row = prog_decode(p, at, &x, NULL);
    return row && (row->unit == KARAT_UNIT_BRANCH || row->owes & (KARAT_OWES_SIMT | KARAT_OWES_CSR));
}

static bool pops(const prog *p, uint32_t at) {
    karat_insn x;
    return prog_decode(p, at, &x, NULL) && x.row == ROW_join;
}

/* The end of the warp in its place. */
static void end_here(shrinker *s, uint32_t at) {
    static const int32_t none[KARAT_MAX_OPERAND];
    prog_insn end;
    prog c;
    if (!prog_encode(s->best, ROW_endprg, none, PROG_PLAIN, (prog_fields){0}, PROG_NONE, &end) ||
        end.word == s->best->insn[at].word || !copy(s, &c))
        return;
    c.insn[at] = end;
    try(s, &c);
}

enum { FEW = 12 }; /* So many of them are tried by twos */

static void remove_control(shrinker *s) {
    for (uint32_t at = s->best->num; at-- > 0 && !s->stop;) {
        if (at >= s->best->num || !controls(s->best, at))
            continue;
        const int32_t target = s->best->insn[at].target;
        const uint32_t num = s->best->num;
        if (target == PROG_NONE || s->best->insn[at].high != PROG_NONE)
            continue;
        if (target > (int32_t)at + 1) { /* One way of a branch, or the other */
            uint32_t join = (uint32_t)target;
            while (join < num && !pops(s->best, join))
                join++;
            try_without(s, (spans){{at, at}, {at, (uint32_t)target}});
            if (s->best->num == num && join < num)
                try_without(s, (spans){{at, (uint32_t)target}, {at + 1, join}});
        }
        if (s->best->num == num)
            end_here(s, at);
    }
    uint32_t found[FEW], n = 0;
    for (uint32_t at = 0; at < s->best->num && n <= FEW; at++)
        if (controls(s->best, at) && n++ < FEW)
            found[n - 1] = at;
    for (uint32_t i = 0, num = s->best->num; n <= FEW && i < n; i++)
        for (uint32_t k = i + 1; k < n && s->best->num == num; k++)
            try_without(s, (spans){{found[i], found[k]}, {found[i] + 1, found[k] + 1}});
}

/* --- Operands --- */

/* The instruction with that value of an operand (KARAT_MAX_OPERAND: of none) and that prefix. */
static bool try_with(shrinker *s, uint32_t at, uint32_t operand, int32_t value, prog_prefix prefix,
                     prog_fields fields) {
    prog c;
    karat_insn x;
    prog_insn with;
    int32_t apart;
    if (s->stop || !prog_decode(s->best, at, &x, &apart))
        return false;
    if (operand < KARAT_MAX_OPERAND) {
        if (x.value[operand] == value)
            return true;
        x.value[operand] = value;
    }
    if (!prog_encode(s->best, x.row, x.value, prefix, fields, apart, &with) || !copy(s, &c))
        return false;
    c.insn[at].word = with.word;
    c.insn[at].prefix = with.prefix;
    return try(s, &c);
}

static bool try_value(shrinker *s, uint32_t at, uint32_t operand, int32_t value) {
    const uint32_t word = s->best->insn[at].prefix;
    return try_with(s, at, operand, value, prog_prefix_number(s->best, word), prog_prefix_fields(word));
}

/* No prefix; the simplest one; or fewer of its fields: 32 bits, no ABS or NEG, no hint. */
static void simplify_prefix(shrinker *s, uint32_t at) {
    const prog_fields none = {0}, fields = prog_prefix_fields(s->best->insn[at].prefix);
    const prog_prefix prefix = prog_prefix_number(s->best, s->best->insn[at].prefix);
    if (try_with(s, at, KARAT_MAX_OPERAND, 0, PROG_PLAIN, none) ||
        (prefix > PROG_REGEXT && try_with(s, at, KARAT_MAX_OPERAND, 0, PROG_AUTO, none)))
        return;
    const prog_fields fewer[] = {{0, fields.abs, fields.neg, fields.hint},
                                 {fields.pair, 0, fields.neg, fields.hint},
                                 {fields.pair, fields.abs, 0, fields.hint},
                                 {fields.pair, fields.abs, fields.neg, 0}};
    for (uint32_t i = 0; i < sizeof fewer / sizeof *fewer && !s->stop; i++)
        if (memcmp(&fewer[i], &fields, sizeof fields) != 0 &&
            try_with(s, at, KARAT_MAX_OPERAND, 0, prefix, fewer[i])) {
            simplify_prefix(s, at);
            return;
        }
    const karat_prefix now = prog_prefix_info(s->best, prefix);
    for (prog_prefix k = PROG_REGEXT; now.memory && k < prefix && !s->stop;
         k++) { /* Fewer words, another space */
        const karat_prefix other = prog_prefix_info(s->best, k);
        if (other.memory && other.words <= now.words && (other.space == now.space || !other.space) &&
            try_with(s, at, KARAT_MAX_OPERAND, 0, k, fields))
            return;
    }
}

static void simplify(shrinker *s, uint32_t at) {
    karat_insn x;
    const karat_row *row = prog_decode(s->best, at, &x, NULL);
    if (!row)
        return;
    if (s->best->insn[at].prefix)
        simplify_prefix(s, at);
    for (uint32_t i = 0; i < row->num_operands && !s->stop; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        const bool leads = s->best->insn[at].target != PROG_NONE && kind->role == KARAT_ROLE_IMM;
        if (kind->role == KARAT_ROLE_VM && kind->bits)
            try_value(s, at, i, 1);
        else if (kind->role == KARAT_ROLE_IMM && !leads && strcmp(kind->name, "csr") != 0)
            if (!try_value(s, at, i, 0))
                try_value(s, at, i, 1);
    }
}

/* --- Values --- */

enum { EARLIEST = 4 }; /* Registers that are tried for a source */

/* Operand values of a row with that destination, all else as simple as can be; immediates are k. */
static void simple_values(const karat_row *row, int32_t dest, int32_t k, int32_t value[KARAT_MAX_OPERAND]) {
    for (uint32_t i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        value[i] = kind->role == KARAT_ROLE_DEST  ? dest
                   : kind->role == KARAT_ROLE_VM  ? 1
                   : kind->role == KARAT_ROLE_IMM ? k
                                                  : 0;
    }
}

/* The number of an operand of that role; -1. */
static int32_t operand_of(const karat_row *row, karat_role role) {
    for (uint32_t i = 0; i < row->num_operands; i++)
        if (karat_operand_info(row->operands[i])->role == role)
            return (int32_t)i;
    return -1;
}

enum { CONSTANTS = 3 };

/* Put constant k of its class in the place of what the instruction computes: from simple to less so. False
 * where it computes nothing, or is that constant. */
static bool put_constant(prog *p, uint32_t at, unsigned k) {
    static const struct {
        const char *row;
        int32_t imm;
    } constants[2][CONSTANTS] = {{{"addi", 0}, {"addi", 1}, {"addi", -1}},
                                 {{"vmv_v_i", 0}, {"vmv_v_i", 1}, {"vid_v", 0}}};
    karat_insn x;
    const karat_row *row = prog_decode(p, at, &x, NULL);
    const int32_t dest = row ? operand_of(row, KARAT_ROLE_DEST) : -1;
    if (dest < 0 || row->unit == KARAT_UNIT_BRANCH)
        return false;
    const uint32_t cls = karat_operand_info(row->operands[dest])->cls;
    const int to = karat_find_row(constants[cls][k].row);
    int32_t value[KARAT_MAX_OPERAND];
    prog_insn put;
    simple_values(karat_row_info(to), x.value[dest], constants[cls][k].imm, value);
    if (!prog_encode(p, to, value, PROG_AUTO, (prog_fields){0}, PROG_NONE, &put) ||
        (put.word == p->insn[at].word && put.prefix == p->insn[at].prefix))
        return false;
    p->insn[at] = put;
    for (uint32_t i = 0; i < p->num; i++)
        if (p->insn[i].high == (int32_t)at)
            p->insn[i].high = p->insn[i].target = PROG_NONE;
    return true;
}

/* Then what it was computed from may go. */
static void make_constant(shrinker *s, uint32_t at) {
    prog c;
    for (unsigned k = 0; k < CONSTANTS && copy(s, &c); k++) {
        if (!put_constant(&c, at, k)) {
            prog_free(&c);
            return;
        }
        if (try(s, &c))
            return;
    }
}

/* The register that an instruction writes as its operand says; -1 where it is none of that class. */
static int32_t written(const prog *p, uint32_t at, uint32_t cls) {
    karat_insn x;
    const karat_row *row = prog_decode(p, at, &x, NULL);
    const int32_t dest = row ? operand_of(row, KARAT_ROLE_DEST) : -1;
    return dest >= 0 && karat_operand_info(row->operands[dest])->cls == cls ? x.value[dest] : -1;
}

/* The last instruction before that one that writes the register, plus 1; 0: none. */
static uint32_t last_writer(const prog *p, uint32_t at, uint32_t cls, int32_t reg) {
    if (cls == KARAT_CLASS_X && reg == 0)
        return 0;
    while (at > 0 && written(p, at - 1, cls) != reg)
        at--;
    return at;
}

static bool is_constant(shrinker *s, uint32_t at) {
    prog c;
    bool same = false;
    for (unsigned k = 0; k < CONSTANTS && !same && copy(s, &c); k++) {
        same = !put_constant(&c, at, k);
        prog_free(&c);
    }
    return same;
}

/* Try simpler values of two sources of one instruction at once, which go together. */
static void make_constants(shrinker *s, uint32_t at) {
    karat_source sources[KARAT_MAX_SOURCE];
    const prog_insn *insn = &s->best->insn[at];
    const uint32_t num =
        insn->data ? 0 : karat_sources(s->best->profile, 0, insn->prefix, insn->word, sources);
    if (num < 2)
        return;
    const uint32_t first = last_writer(s->best, at, sources[0].cls, sources[0].reg),
                   second = last_writer(s->best, at, sources[1].cls, sources[1].reg);
    if (!first || !second || first == second || (is_constant(s, first - 1) && is_constant(s, second - 1)))
        return;
    prog c;
    for (unsigned k = 0; k < CONSTANTS * CONSTANTS && copy(s, &c); k++) {
        put_constant(&c, first - 1, k / CONSTANTS);
        put_constant(&c, second - 1, k % CONSTANTS);
        if (try(s, &c))
            return;
    }
}

/* Registers that were written earlier in place of its sources, the earliest first: then what is between may
 * go. */
static void read_earlier(shrinker *s, uint32_t at) {
    karat_insn x;
    const karat_row *row = prog_decode(s->best, at, &x, NULL);
    for (uint32_t i = 0; row && i < row->num_operands && !s->stop; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (!kind->is_reg || kind->role == KARAT_ROLE_DEST || kind->role == KARAT_ROLE_IGNORED)
            continue;
        const uint32_t last = last_writer(s->best, at, kind->cls, x.value[i]);
        uint32_t left = EARLIEST;
        for (uint32_t k = 0; k + 1 < last && left && !s->stop; k++) {
            const int32_t reg = written(s->best, k, kind->cls);
            if (reg < 0 || last_writer(s->best, at, kind->cls, reg) != k + 1)
                continue;
            if (try_value(s, at, i, reg))
                break;
            left--;
        }
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
        remove_control(&s);
        for (uint32_t i = p->num; i-- > 0 && !s.stop;) {
            make_constant(&s, i);
            make_constants(&s, i);
            read_earlier(&s, i);
            simplify(&s, i);
        }
    }
    if (p->data_size)
        clear_data(&s, 0, p->data_size);
    return !s.stop;
}
