#include "serial.h"

#include <stdlib.h>
#include <string.h>

typedef struct seen {
    uint64_t placed, broken;
    uint32_t value;
    bool used;
} seen;

struct mcm_search {
    uint32_t (*amo)(unsigned, uint32_t, uint32_t);
    uint32_t off; /* Bit i: rule i is switched off */
    const mcm_node *at;
    uint32_t num;
    uint64_t must;     /* Accesses that must be in the order */
    uint64_t may_fail; /* SCs that have not answered: what comes preds them does not wait for them */
    uint64_t preds[MCM_SEARCH_MAX]; /* As in at[], for all that this search adds */
    uint64_t succs[MCM_SEARCH_MAX]; /* Accesses that have this one among their preds */
    uint8_t guard[MCM_SEARCH_MAX];  /* SC: which bit of 'broken' is its reservation's */
    uint64_t guards;                /* Bits of reservations that exist from the start */
    bool reserves;                  /* Some reservation exists from the start */
    uint32_t nodes;
    uint8_t order[MCM_SEARCH_MAX];
    uint32_t num_order;
    uint32_t num_seen, seen_at[MCM_SEARCH_NODES];
    uint32_t num_fixed, num_taken;
    struct {
        uint64_t logged;
        uint32_t value;
    } fixed[2 * MCM_SEARCH_MAX];
    seen table[MCM_SEARCH_TABLE];
};

mcm_search *mcm_search_create(uint32_t (*amo)(unsigned, uint32_t, uint32_t), uint32_t off) {
    mcm_search *x = calloc(1, sizeof *x);
    if (x) {
        x->amo = amo;
        x->off = off;
    }
    return x;
}

void mcm_search_destroy(mcm_search *x) {
    free(x);
}

uint32_t mcm_search_steps(const mcm_search *x) {
    return x->nodes;
}

mcm_serial *mcm_serial_create(uint32_t value) {
    mcm_serial *s = calloc(1, sizeof *s);
    if (s)
        s->value = value;
    return s;
}

void mcm_serial_destroy(mcm_serial *s) {
    if (!s)
        return;
    free(s->at);
    free(s);
}

static uint64_t bit(uint32_t i) {
    return UINT64_C(1) << i;
}

static bool writes(const mcm_node *a) {
    return a->kind >= MCM_STORE;
}

/* Bits that an access has to do with. */
static uint32_t accessed_bits(const mcm_node *a) {
    return a->kind == MCM_STORE || a->kind == MCM_LOAD ? a->mask : 0xffffffffu;
}

/* Whether the program orders a before b: a warp's own order is one of each byte. */
static bool is_ordered(const mcm_node *a, const mcm_node *b, mcm_serial_before *before, const void *context) {
    return (a->at.uid != b->at.uid || accessed_bits(a) & accessed_bits(b)) && before(context, &a->at, &b->at);
}

/* The word's value after an access. */
static uint32_t value_after(const mcm_search *x, const mcm_node *a, uint32_t value) {
    switch (a->kind) {
    case MCM_STORE: return (value & ~a->mask) | (a->operand & a->mask);
    case MCM_SC: return a->operand;
    case MCM_AMO: return x->amo(a->amo, value, a->operand);
    default: return value;
    }
}

/* Whether an access may be performed where the word holds that value, and its reservation is broken. */
static bool applies(const mcm_search *x, const mcm_node *a, uint32_t value, bool broken) {
    switch (a->kind) {
    case MCM_LOAD: return ((value ^ a->old) & a->mask) == 0;
    case MCM_STORE: return true;
    case MCM_SC: return !broken || x->off >> MCM_RESERVATION & 1;
    default: return (!a->knows_old || a->old == value) && !((a->value ^ value_after(x, a, value)) & a->knows);
    }
}

/* --- The search --- */

/* The reservations that a write of access i breaks. */
static uint64_t breaks(const mcm_search *x, uint32_t i, uint64_t placed) {
    uint64_t broken = 0;
    for (uint64_t m = x->guards | placed; m; m &= m - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(m);
        const bool guard = x->guards >> k & 1 || x->at[k].kind == MCM_LR;
        if (guard && x->at[k].at.uid != x->at[i].at.uid)
            broken |= bit(k);
    }
    return broken;
}

/* Whether that state was met before; else it is from now on. */
static bool was_seen(mcm_search *x, uint64_t placed, uint64_t broken, uint32_t value) {
    uint64_t h = (placed * UINT64_C(0x9e3779b97f4a7c15)) ^ (broken * UINT64_C(0xc2b2ae3d27d4eb4f)) ^ value;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(h >> 32) & (MCM_SEARCH_TABLE - 1);
    for (; x->table[i].used; i = (i + 1) & (MCM_SEARCH_TABLE - 1))
        if (x->table[i].placed == placed && x->table[i].broken == broken && x->table[i].value == value)
            return true;
    x->table[i] = (seen){placed, broken, value, true};
    x->seen_at[x->num_seen++] = i;
    return false;
}

/* Accesses of which nothing is known, that do the same, and are before the same others: one stands for
 * all. Those that have to be in the order are tried first. */
static bool are_interchangeable(const mcm_search *x, uint32_t i, uint32_t k) {
    const mcm_node *a = &x->at[i], *b = &x->at[k];
    return !x->reserves && a->kind == b->kind && a->amo == b->amo && a->operand == b->operand &&
           a->mask == b->mask && x->succs[i] == x->succs[k] && !a->knows_old && !b->knows_old && !a->knows &&
           !b->knows;
}

static bool find_from(mcm_search *x, uint64_t placed, uint64_t broken, uint32_t value);

/* Go on with access i, and without the SCs before it that are not placed. *idle: whether it changes
 * nothing wherever it can stand; as it was where it cannot stand here. */
static bool place_next(mcm_search *x, uint32_t i, uint64_t placed, uint64_t broken, uint32_t value,
                       bool *idle) {
    const mcm_node *a = &x->at[i];
    const uint32_t next = value_after(x, a, value);
    if (!applies(x, a, value, broken >> x->guard[i] & 1)) /* SCs alone have a guard, and look at it */
        return false;
    const uint64_t failing = x->preds[i] & x->may_fail & ~placed;
    *idle = next == value && (a->knows_old || a->kind == MCM_LOAD) && !(x->reserves && a->kind != MCM_LOAD) &&
            !failing;
    if (writes(a) && x->reserves)
        broken |= breaks(x, i, placed);
    x->order[x->num_order++] = (uint8_t)i;
    if (find_from(x, placed | bit(i) | failing, broken, next))
        return true;
    x->num_order--;
    return false;
}

/* An order of the accesses preds those that are placed. */
static bool find_from(mcm_search *x, uint64_t placed, uint64_t broken, uint32_t value) {
    if (!(x->must & ~placed))
        return true;
    if (x->nodes == MCM_SEARCH_NODES || was_seen(x, placed, broken, value))
        return false;
    x->nodes++;
    uint64_t ready = 0;
    for (uint32_t i = 0; i < x->num; i++)
        if (!(placed >> i & 1) && !(x->preds[i] & ~placed & ~x->may_fail))
            ready |= bit(i);
    bool idle = false;
    uint64_t tried = 0;
    for (int last = 0; last < 2; last++) /* Those that have to be in the order come first */
        for (uint64_t m = ready & (last ? ~x->must : x->must); m; m &= m - 1) {
            const uint32_t i = (uint32_t)__builtin_ctzll(m);
            bool twice = false;
            for (uint64_t t = tried; t && !twice; t &= t - 1)
                twice = are_interchangeable(x, (uint32_t)__builtin_ctzll(t), i);
            if (twice)
                continue;
            if (place_next(x, i, placed, broken, value, &idle))
                return true;
            if (idle)
                /* It changes nothing wherever it stands, and can come at once: so in every order */
                return false;
            tried |= bit(i);
        }
    return false;
}

static const mcm_guard *fixed_reservation(const mcm_serial *s, const mcm_node *sc) {
    for (uint32_t i = 0; i < MCM_NUM_GUARD && i < s->num_reservation; i++)
        if (s->reservation[i].uid == sc->at.uid && s->reservation[i].step == sc->reserved_by)
            return &s->reservation[i];
    return NULL;
}

/* Who watches over the reservation of each SC. Returns those that are broken from the start. */
static uint64_t set_guards(mcm_search *x, const mcm_serial *s) {
    uint64_t broken = 0;
    x->guards = 0;
    x->reserves = false;
    for (uint32_t i = 0; i < s->num; i++) {
        const mcm_node *a = &x->at[i];
        x->reserves |= a->kind == MCM_LR || a->kind == MCM_SC;
        if (a->kind != MCM_SC)
            continue;
        uint32_t lr = 0;
        while (lr < s->num && !(s->at[lr].at.uid == a->at.uid && s->at[lr].at.step == a->reserved_by))
            lr++;
        x->guard[i] = (uint8_t)(lr < s->num ? lr : i);
        if (lr < s->num)
            continue;
        const mcm_guard *r = fixed_reservation(s, a);
        x->guards |= bit(i);
        if (!a->reserved_by || (r && r->broken))
            broken |= bit(i);
    }
    return broken;
}

/* Forget the states that the last search has met. */
static void forget_states(mcm_search *x) {
    while (x->num_seen)
        x->table[x->seen_at[--x->num_seen]].used = false;
    x->nodes = 0;
    x->num_order = 0;
}

/* Load: one more that is no access of the word yet, or NULL.  first: the order has to begin with that
 * access, where it is not negative. */
static mcm_verdict search(const mcm_serial *s, mcm_search *x, const mcm_node *all, uint32_t num, int first) {
    forget_states(x);
    x->at = all;
    x->num = num;
    x->must = x->may_fail = 0;
    memset(x->succs, 0, sizeof x->succs);
    for (uint32_t i = 0; i < num; i++) {
        x->preds[i] = all[i].preds;
        if (all[i].answered)
            x->must |= bit(i);
        else if (all[i].kind == MCM_SC)
            x->may_fail |= bit(i);
        for (uint64_t m = all[i].preds; m; m &= m - 1)
            x->succs[__builtin_ctzll(m)] |= bit(i);
    }
    const uint64_t broken = set_guards(x, s);
    bool idle, found;
    if (first < 0)
        found = find_from(x, 0, broken, s->value);
    else
        found = place_next(x, (uint32_t)first, 0, broken, s->value, &idle);
    return found ? MCM_ALLOWED : x->nodes == MCM_SEARCH_NODES ? MCM_UNKNOWN : MCM_FORBIDDEN;
}

/* A search that finds nothing proves nothing where accesses are missing. */
static mcm_verdict judge(const mcm_serial *s, mcm_search *x, const mcm_node *all, uint32_t num) {
    if (s->lost)
        return MCM_UNKNOWN;
    const mcm_verdict found = search(s, x, all, num, -1);
    return found == MCM_FORBIDDEN && s->guessed ? MCM_UNKNOWN : found;
}

static mcm_verdict find_order(mcm_serial *s, mcm_search *x) {
    const mcm_verdict found = judge(s, x, s->at, s->num);
    if (found == MCM_ALLOWED) {
        memcpy(s->order, x->order, x->num_order);
        s->num_order = x->num_order;
    }
    return found;
}

/* --- Finished accesses --- */

static void squeeze(uint64_t *set, uint32_t i) {
    const uint64_t low = bit(i) - 1;
    *set = (*set & low) | (*set >> 1 & ~low);
}

static void take_out(mcm_serial *s, uint32_t i) {
    s->num--;
    memmove(s->at + i, s->at + i + 1, (s->num - i) * sizeof *s->at);
    for (uint32_t k = 0; k < s->num; k++)
        squeeze(&s->at[k].preds, i);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < s->num_order; k++)
        if (s->order[k] != i)
            s->order[kept++] = (uint8_t)(s->order[k] - (s->order[k] > i));
    s->num_order = kept;
}

/* Access i is the first: an SC that it comes preds has failed. */
static void fix(mcm_serial *s, mcm_search *x, uint32_t i) {
    const mcm_node a = s->at[i];
    for (uint32_t k = i; k-- > 0;)
        if (a.preds >> k & 1 && s->at[k].kind == MCM_SC && !s->at[k].answered) {
            take_out(s, k);
            i--;
        }
    s->value = value_after(x, &a, s->value);
    if (x->num_fixed < 2 * MCM_SEARCH_MAX) {
        x->fixed[x->num_fixed].logged = a.logged;
        x->fixed[x->num_fixed++].value = s->value;
    }
    if (writes(&a))
        for (uint32_t k = 0; k < MCM_NUM_GUARD; k++)
            s->reservation[k].broken |= s->reservation[k].uid != a.at.uid;
    if (a.kind == MCM_LR)
        s->reservation[s->num_reservation++ % MCM_NUM_GUARD] = (mcm_guard){a.at.uid, a.at.step, false};
    take_out(s, i);
}

/* The oldest has answered for good, and all others come preds it. */
static bool is_oldest_first(const mcm_serial *s) {
    bool first = s->num && s->at[0].answered && s->at[0].no_more_answers;
    for (uint32_t k = 1; k < s->num && first; k++)
        first = s->at[k].preds & bit(0);
    return first;
}

/* The one that every order begins with, or num. */
static uint32_t always_first(mcm_serial *s, mcm_search *x) {
    if (!s->num_order)
        return s->num;
    const uint32_t i = s->order[0];
    if (!s->at[i].no_more_answers)
        return s->num;
    uint64_t may_fail = 0;
    for (uint32_t k = 0; k < s->num; k++)
        if (s->at[k].kind == MCM_SC && !s->at[k].answered)
            may_fail |= bit(k);
    for (uint32_t k = 0; k < s->num; k++)
        if (k != i && !(s->at[k].preds & ~may_fail) && search(s, x, s->at, s->num, (int)k) != MCM_FORBIDDEN)
            return s->num;
    return i;
}

/* SCs that cannot store any more, whoever says so. */
static void drop_broken(mcm_serial *s) {
    for (uint32_t i = s->num; i > 0; i--) {
        const mcm_node *a = &s->at[i - 1];
        const mcm_guard *r = a->kind == MCM_SC && !a->answered ? fixed_reservation(s, a) : NULL;
        if (r && r->broken)
            take_out(s, i - 1);
    }
}

static void fix_beginning(mcm_serial *s, mcm_search *x) {
    uint32_t i;
    while (is_oldest_first(s))
        fix(s, x, 0);
    while (s->num > MCM_SEARCH_MAX / 2 && (i = always_first(s, x)) < s->num)
        fix(s, x, i);
    drop_broken(s);
}

/* Room for one more. */
static void fix_by_guess(mcm_serial *s, mcm_search *x) {
    for (uint32_t n = 0; n < s->num_order + s->num; n++) { /* Those of the order that was found come first */
        const uint32_t i = n < s->num_order ? s->order[n] : n - s->num_order;
        if (s->at[i].no_more_answers && !s->at[i].preds) {
            s->guessed = true;
            fix(s, x, i);
            return;
        }
    }
    for (uint32_t i = 0; i < s->num; i++)
        if (s->at[i].kind == MCM_SC && !s->at[i].answered) {
            s->guessed = true; /* That it has failed */
            take_out(s, i);
            return;
        }
    s->lost = true;
}

bool mcm_serial_next_fixed(mcm_search *x, uint64_t *logged, uint32_t *value) {
    if (x->num_taken == x->num_fixed) {
        x->num_taken = x->num_fixed = 0;
        return false;
    }
    *logged = x->fixed[x->num_taken].logged;
    *value = x->fixed[x->num_taken++].value;
    return true;
}

/* --- Events --- */

bool mcm_serial_issue(mcm_serial *s, mcm_search *x, const mcm_node *a, mcm_serial_before *before,
                      const void *context) {
    if (s->num == MCM_SEARCH_MAX - 1)
        fix_beginning(s, x);
    if (s->num == MCM_SEARCH_MAX - 1)
        fix_by_guess(s, x);
    if (s->lost)
        return true;
    if (s->num == s->room) {
        uint32_t room = s->room ? 2 * s->room : 4;
        mcm_node *more = realloc(s->at, room * sizeof *more);
        if (!more)
            return false;
        s->at = more;
        s->room = room;
    }
    mcm_node *added = &s->at[s->num];
    *added = *a;
    for (uint32_t i = 0; i < s->num; i++)
        if ((s->at[i].answered && !(x->off >> MCM_ANSWERED & 1)) || is_ordered(&s->at[i], a, before, context))
            added->preds |= bit(i);
    s->num++;
    return true;
}

mcm_node *mcm_serial_find(const mcm_serial *s, const mcm_moment *at) {
    for (uint32_t i = 0; i < s->num; i++)
        if (s->at[i].at.step == at->step) /* No two have the same */
            return &s->at[i];
    return NULL;
}

static mcm_verdict answered(mcm_serial *s, mcm_search *x, mcm_node *a, bool final) {
    a->answered = true;
    a->no_more_answers |= final;
    const mcm_verdict found = find_order(s, x);
    if (found == MCM_ALLOWED)
        fix_beginning(s, x);
    return found;
}

mcm_verdict mcm_serial_returned(mcm_serial *s, mcm_search *x, mcm_node *a, uint32_t old, bool final) {
    a->knows_old = true;
    a->old = old;
    return answered(s, x, a, final);
}

mcm_verdict mcm_serial_wrote(mcm_serial *s, mcm_search *x, mcm_node *a, uint32_t value, uint32_t bits,
                             bool final) {
    a->knows |= bits;
    a->value = (a->value & ~bits) | (value & bits);
    return answered(s, x, a, final);
}

mcm_verdict mcm_serial_failed(mcm_serial *s, mcm_search *x, mcm_node *a) {
    take_out(s, (uint32_t)(a - s->at));
    return find_order(s, x);
}

/* All accesses, and after them one more: a load that has got those bits. */
static mcm_node *copy_with_load(const mcm_serial *s, mcm_node all[MCM_SEARCH_MAX], uint32_t mask,
                                uint32_t value) {
    if (s->num)
        memcpy(all, s->at, s->num * sizeof *all);
    all[s->num] = (mcm_node){.kind = MCM_LOAD, .mask = mask, .old = value, .answered = true};
    return &all[s->num];
}

mcm_verdict mcm_serial_loaded(const mcm_serial *s, mcm_search *x, const mcm_moment *at, uint32_t mask,
                              uint32_t value, mcm_serial_before *before, const void *context) {
    mcm_node all[MCM_SEARCH_MAX], *load = copy_with_load(s, all, mask, value);
    load->at = *at;
    for (uint32_t i = 0; i < s->num; i++) {
        if (is_ordered(&all[i], load, before, context))
            load->preds |= bit(i);
        if (is_ordered(load, &all[i], before, context))
            all[i].preds |= bit(s->num);
    }
    return judge(s, x, all, s->num + 1);
}

mcm_verdict mcm_serial_left(const mcm_serial *s, mcm_search *x, uint32_t mask, uint32_t value) {
    mcm_node all[MCM_SEARCH_MAX], *load = copy_with_load(s, all, mask, value);
    for (uint32_t i = 0; i < s->num; i++) {
        if (all[i].kind != MCM_SC)
            all[i].answered = true;
        else if (!all[i].no_more_answers)
            all[i].reserved_by = 0; /* It would have said that it has stored */
    }
    load->preds = bit(s->num) - 1;
    return judge(s, x, all, s->num + 1);
}

void mcm_serial_restart(mcm_serial *s, uint32_t value) {
    for (uint32_t i = s->num; i > 0; i--) {
        mcm_node *a = &s->at[i - 1];
        if (a->answered && a->no_more_answers) {
            take_out(s, i - 1);
            continue;
        }
        a->answered = a->knows_old = false;
        a->knows = 0;
    }
    s->num_order = 0;
    s->value = value;
    s->guessed = true;
}

/* Whether the order that was found has broken the reservation of an SC that is not in it. */
static bool is_broken(const mcm_serial *s, const mcm_node *sc) {
    const mcm_guard *r = fixed_reservation(s, sc);
    bool reserved = r && !r->broken;
    for (uint32_t n = 0; n < s->num_order; n++) {
        const mcm_node *a = &s->at[s->order[n]];
        if (a->at.uid == sc->at.uid && a->at.step == sc->reserved_by)
            reserved = true;
        else if (writes(a) && a->at.uid != sc->at.uid)
            reserved = false;
    }
    return !reserved;
}

uint32_t mcm_serial_final(mcm_serial *s, const mcm_search *x) {
    uint32_t value = s->value;
    uint64_t placed = 0;
    for (uint32_t n = 0; n < s->num_order; n++) {
        placed |= bit(s->order[n]) |
                  s->at[s->order[n]].preds; /* Those that come before it are in the order, or have failed */
        value = value_after(x, &s->at[s->order[n]], value);
    }
    for (uint32_t i = 0; i < s->num; i++)
        if (!(placed >> i & 1) &&
            (s->at[i].kind != MCM_SC || (s->at[i].stores_in_image && !is_broken(s, &s->at[i]))))
            value = value_after(x, &s->at[i], value);
    return value;
}
