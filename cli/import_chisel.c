/* Format chisel: what the Chisel Ventus core prints.  A line names the warp slot, pc and word of its instruction:
 *
 *    sm S warp W 0xPC 0xWORD x R VALUE                            scalar writeback
 *    sm S warp W 0xPC 0xWORD v R MASK VALUE...                    vector writeback
 *    sm S warp W 0xPC 0xWORD lsu.r x R op N @ BASE+OFFSET         scalar load
 *    sm S warp W 0xPC 0xWORD lsu.w x R op N DATA @ BASE+OFFSET    scalar store
 *    sm S warp W 0xPC 0xWORD lsu.r v R op N @ ADDR...             vector load
 *    sm S warp W 0xPC 0xWORD lsu.w v R op N mask MASK DATA... @ ADDR...
 *                                                                 older cores: BASE+OFFSET instead of each ADDR
 *    sm S warp W 0xPC 0xWORD lsu.w fin                            a store was acknowledged
 *    sm S warp W 0xPC 0xWORD Jump? J TARGET                       branch, and VBRANCH and JOIN that fetch anew
 *    sm S warp W 0xPC 0xWORD vbranch current mask and npc: MASK 0xPC
 *    sm S warp W 0xPC 0xWORD join mask and npc: MASK 0xPC pop stack ? P
 *    sm S warp W 0xPC 0xWORD setrpc 0xPC
 *    sm S warp W 0xPC 0xWORD barrier | endprg
 *    sm S warp W PC 0xWORD simt MASK                              older cores, and nothing at all: only read
 *
 * Older cores leave "sm S" out; registers may stand with or without a blank.  Masks have a binary digit for each lane, and
 * masks and vectors have the highest lane first.  Lines that begin otherwise are the test bench's.
 *
 * Instructions complete out of order, some print nothing, and no line says that a warp was launched or what it is.  So the
 * model steps along: a line belongs to the oldest instruction at its pc and word that has not printed it yet, stepping on
 * to where there is one.  What the model steps over becomes ISSUE, which HELLO says that the core does not give; where
 * the instruction before has printed its outcome, pc and mask are the printed ones. */
#include "import.h"
#include "place.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_AHEAD 4096 /* instructions between two lines of a warp */
#define MAX_STEPS 256  /* of a warp that may still print something */

typedef enum line_kind {
    LINE_X,
    LINE_V,
    LINE_MEM_X,
    LINE_MEM_V,
    LINE_FIN,
    LINE_JUMP,
    LINE_VBRANCH,
    LINE_JOIN,
    LINE_SETRPC,
    LINE_BARRIER,
    LINE_ENDPRG
} line_kind;

typedef struct chisel_line {
    uint32_t line, sm, warp, pc, word;
    uint8_t kind;
    bool taken;            /* Jump?, pop */
    bool store;            /* memory access */
    bool sums;             /* vector access: BASE+OFFSET of each lane, whose bases stand after the sums */
    uint32_t reg, mask;    /* mask: of a write, a store, a branch's outcome */
    uint32_t target;       /* of a branch; value of a scalar write; data of a scalar store */
    uint32_t base, offset; /* scalar access */
    uint32_t
        values;    /* first of parsed.values: a vector's lanes; a vector store's addresses behind its data */
    uint32_t next; /* of the same slot, or NO_LINE */
} chisel_line;
#define NO_LINE UINT32_MAX

/* What a core prints of a vector access as BASE+OFFSET: the address itself; what the address is made of; or only the base counts. */
typedef enum sum_form { SUM_ADDRESS, SUM_PARTS, SUM_BASE } sum_form;

/* An instruction that was stepped, and what it has printed. */
typedef struct step {
    uint32_t seq, epoch, pc, word;
    uint32_t num_writes;
    uint8_t cls[KARAT_MAX_WRITE];
    uint16_t reg[KARAT_MAX_WRITE];
    bool wrote[KARAT_MAX_WRITE], accessed, jumped, showed; /* showed: vbranch or join */
    bool has_mem, ended;
    uint8_t owes; /* KARAT_OWES_* of its row */
    uint8_t unit;
    uint8_t form;                     /* sum_form of a vector access */
    uint32_t parts[KARAT_MAX_THREAD]; /* the sum, or the base, that the core is to print */
    bool popped;                      /* as it showed last: */
    uint32_t mask, target;
    uint32_t link; /* a jump's, as it was written */
    karat_mem mem;
} step;

/* A warp slot. */
typedef struct slot_lines {
    uint32_t first, last; /* its lines, or NO_LINE */
    bool lost;            /* a line fits nothing: what follows is of no use */
    step *steps;          /* the last MAX_STEPS */
    uint64_t num_steps;   /* ever */
    uint32_t life;        /* its first in parsed.lives that has not begun, or NO_LINE */
    uint64_t next_access; /* number of the first step after the last whose access was printed */
    bool says_pc, says_mask;
    uint32_t pc, mask; /* what the next instruction is, as the one before has printed */
} slot_lines;

/* What a warp has read of the CSRs that tell who it is, up to its ENDPRG. */
typedef struct told_csrs {
    uint32_t given; /* bit i: csr[i]; bit KARAT_LAUNCH_MSTATUS: mstatus */
    uint32_t csr[KARAT_CSR_GDZ + 1], mstatus;
} told_csrs;

/* What is printed in a slot up to an ENDPRG: a warp's life.  What the warp before is late with may be taken for a life
 * of which nothing is told. */
typedef struct chisel_life {
    uint32_t first, last; /* lines */
    uint32_t next;        /* of the same slot, or NO_LINE */
    told_csrs told;
} chisel_life;

/* A warp of the kernel begun last. */
typedef enum warp_use {
    WARP_FREE,
    WARP_MAYBE, /* some life's, that might be another's as well */
    WARP_SURE,  /* the life's that tells so */
    WARP_STARTED
} warp_use;

typedef struct chisel_group {
    bool has_lds, has_wgid;
    uint32_t lds, wgid; /* as its warps have read them */
} chisel_group;

typedef struct parsed {
    char *text;
    const char *path;
    chisel_line *lines;
    uint32_t num_lines, room_lines;
    uint32_t unended; /* number of the last line, where no newline ends it */
    bool cut;         /* that one does not say anything whole */
    bool partial;     /* the first line that is not understood ends the log: */
    uint32_t stopped; /* that line, or 0 */
    char expected[128];
    uint32_t *values;
    uint32_t num_values, room_values;
    uint32_t threads;
    slot_lines *slots;
    /* Of the kernel begun last: lives, where they are, how warps are used, workgroups. */
    chisel_life *lives;
    place_life *places;
    uint32_t num_lives, room_lives;
    uint8_t *use;
    chisel_group *groups;
    karat_rec_issue *pending;  /* of a search */
    step *ahead;               /* the same steps */
    bool lost;                 /* some slot is */
    uint64_t placed, by_order; /* warps; those that more than one warp of the grid fits */
} parsed;

/* --- Reading --- */

static bool complain(parsed *p, const chisel_line *l, const char *expected) {
    p->cut = l->line == p->unended;
    if (!p->cut && p->partial) {
        p->stopped = l->line;
        snprintf(p->expected, sizeof p->expected, "%s", expected);
    } else if (!p->cut)
        cli_error("%s:%" PRIu32 ": expected %s", p->path, l->line, expected);
    return false;
}

static bool grow(void **array, uint32_t num, uint32_t *room, size_t size) {
    if (num <= *room)
        return true;
    uint32_t more = num < UINT32_MAX / 4 ? 2 * num + 1024 : 0;
    void *bigger = more ? realloc(*array, more * size) : NULL;
    if (!bigger) {
        cli_error("not enough memory");
        return false;
    }
    *array = bigger;
    *room = more;
    return true;
}

static bool take_decimal(text_cursor *c, uint32_t *value) {
    text_skip(c);
    return text_number(c, value);
}

/* A binary digit for each lane, the highest first. */
static bool take_mask(text_cursor *c, uint32_t threads, uint32_t *mask) {
    text_skip(c);
    *mask = 0;
    for (uint32_t i = 0; i < threads; i++, c->at++) {
        if (*c->at != '0' && *c->at != '1')
            return false;
        *mask = *mask << 1 | (uint32_t)(*c->at - '0');
    }
    return text_ends(*c->at);
}

static bool room_for_lanes(parsed *p, uint32_t num) {
    void *values = p->values;
    const bool good = grow(&values, p->num_values + num * p->threads, &p->room_values, sizeof *p->values);
    p->values = values;
    return good;
}

/* A value for each lane, the highest first. */
static bool take_lanes(parsed *p, text_cursor *c, chisel_line *l) {
    if (!room_for_lanes(p, 1))
        return false;
    for (uint32_t lane = p->threads; lane-- > 0;)
        if (!text_hex32(c, &p->values[p->num_values + lane]))
            return complain(p, l, "a value of 8 hex digits for each lane");
    p->num_values += p->threads;
    return true;
}

static bool take_register(parsed *p, text_cursor *c, chisel_line *l, bool vector) {
    if (take_decimal(c, &l->reg) && l->reg < (vector ? KARAT_NUM_V : KARAT_NUM_X) && text_ends(*c->at))
        return true;
    return complain(p, l,
                    vector ? "a vector register's number, 0 to 255" : "a scalar register's number, 0 to 63");
}

static bool take_mask_of(parsed *p, text_cursor *c, chisel_line *l) {
    char expected[100];
    snprintf(expected, sizeof expected, "a mask of %" PRIu32 " binary digits (--threads says how many)",
             p->threads);
    return take_mask(c, p->threads, &l->mask) || complain(p, l, expected);
}

/* BASE+OFFSET */
static bool take_sum(text_cursor *c, uint32_t *base, uint32_t *offset) {
    char *plus = strchr(c->at, '+');
    if (!plus)
        return false;
    char *at = (char *)c->at; /* in parsed.text */
    at[plus - c->at] = ' ';
    return text_hex32(c, base) && text_hex32(c, offset);
}

/* The address of each lane, the highest first: the sums, and then the bases where they are printed. */
static bool take_addresses(parsed *p, text_cursor *c, chisel_line *l) {
    text_skip(c);
    if (c->at[strcspn(c->at, "+ \t")] != '+')
        return take_lanes(p, c, l);
    if (!room_for_lanes(p, 2))
        return false;
    l->sums = true;
    for (uint32_t lane = p->threads; lane-- > 0;) {
        uint32_t base, offset;
        if (!take_sum(c, &base, &offset))
            return complain(p, l, "an address of each lane as BASE+OFFSET, 8 hex digits each");
        p->values[p->num_values + lane] = base + offset;
        p->values[p->num_values + p->threads + lane] = base;
    }
    p->num_values += 2 * p->threads;
    return true;
}

static bool take_access(parsed *p, text_cursor *c, chisel_line *l) {
    uint32_t op;
    l->store = c->at[-1] == 'w';
    if (l->store && text_take(c, "fin")) {
        l->kind = LINE_FIN;
        return true;
    }
    bool vector = text_take(c, "v");
    l->kind = vector ? LINE_MEM_V : LINE_MEM_X;
    if (!vector && !text_take(c, "x"))
        return complain(p, l, "the register, x or v, or 'fin'");
    if (!take_register(p, c, l, vector))
        return false;
    if (!text_take(c, "op") || !take_decimal(c, &op))
        return complain(p, l, "'op N'");
    l->values = p->num_values;
    if (vector && l->store &&
        ((!text_take(c, "mask") && !complain(p, l, "'mask'")) || !take_mask_of(p, c, l) ||
         !take_lanes(p, c, l)))
        return false;
    if (!vector && l->store && !text_hex32(c, &l->target))
        return complain(p, l, "the data, 8 hex digits");
    if (!text_take(c, "@"))
        return complain(p, l, "'@'");
    if (vector)
        return take_addresses(p, c, l);
    return take_sum(c, &l->base, &l->offset) ||
           complain(p, l, "the address as BASE+OFFSET, 8 hex digits each");
}

static bool take_jump(parsed *p, text_cursor *c, chisel_line *l) {
    uint32_t taken;
    l->kind = LINE_JUMP;
    if (!take_decimal(c, &taken) || taken > 1 || !text_hex32(c, &l->target))
        return complain(p, l, "'Jump? 0 TARGET' or 'Jump? 1 TARGET'");
    l->taken = taken != 0;
    return true;
}

static bool take_outcome(parsed *p, text_cursor *c, chisel_line *l) {
    if (!take_mask_of(p, c, l))
        return false;
    return text_0x32(c, &l->target) || complain(p, l, "the next pc, 0x and 8 hex digits");
}

/* What comes behind the word. */
static bool take_rest(parsed *p, text_cursor *c, chisel_line *l) {
    if (text_take(c, "lsu.r") || text_take(c, "lsu.w"))
        return take_access(p, c, l);
    if (text_take(c, "Jump?"))
        return take_jump(p, c, l);
    if (text_take(c, "vbranch")) {
        l->kind = LINE_VBRANCH;
        return (text_take(c, "current mask and npc:") || complain(p, l, "'current mask and npc:'")) &&
               take_outcome(p, c, l);
    }
    if (text_take(c, "join")) {
        uint32_t pop;
        l->kind = LINE_JOIN;
        if ((!text_take(c, "mask and npc:") && !complain(p, l, "'mask and npc:'")) || !take_outcome(p, c, l))
            return false;
        if (!text_take(c, "pop stack ?") || !take_decimal(c, &pop) || pop > 1)
            return complain(p, l, "'pop stack ? 0' or 'pop stack ? 1'");
        l->taken = pop != 0;
        return true;
    }
    if (text_take(c, "setrpc")) {
        l->kind = LINE_SETRPC;
        return text_0x32(c, &l->target) || complain(p, l, "the pc, 0x and 8 hex digits");
    }
    if (text_take(c, "barrier")) {
        l->kind = LINE_BARRIER;
        return true;
    }
    if (text_take(c, "endprg")) {
        l->kind = LINE_ENDPRG;
        return true;
    }
    if (text_take(c, "x")) {
        l->kind = LINE_X;
        return take_register(p, c, l, false) &&
               (text_hex32(c, &l->target) || complain(p, l, "the value written, 8 hex digits"));
    }
    if (text_take(c, "v")) {
        l->kind = LINE_V;
        l->values = p->num_values;
        return take_register(p, c, l, true) && take_mask_of(p, c, l) && take_lanes(p, c, l);
    }
    return complain(
        p, l,
        "what the instruction did: x, v, lsu.r, lsu.w, Jump?, vbranch, join, setrpc, barrier or endprg");
}

static bool read_line(parsed *p, const char *text, uint32_t number) {
    text_cursor c = {text};
    chisel_line l = {.line = number, .next = NO_LINE};
    bool has_sm = text_take(&c, "sm ");
    if (!has_sm && !text_take(&c, "warp "))
        return true; /* the test bench's */
    if (has_sm && (!take_decimal(&c, &l.sm) || l.sm > 254 || !text_take(&c, "warp ")))
        return complain(p, &l, "'sm S warp W'");
    if (!take_decimal(&c, &l.warp) || l.warp > 63)
        return complain(p, &l, "a warp slot's number, 0 to 63");
    if (text_take(&c, "undefined"))
        return true; /* decoded, not issued: where it is, the next line shows */
    text_cursor ahead = c;
    if (text_hex32(&ahead, &l.pc) && text_0x32(&ahead, &l.word) && text_take(&ahead, "simt"))
        return true; /* a mask on its way to the stack */
    if (!text_0x32(&c, &l.pc) || !text_0x32(&c, &l.word))
        return complain(p, &l, "'0xPC 0xWORD'");
    if (text_at_end(&c))
        return true; /* older cores: something has completed */
    if (!take_rest(p, &c, &l))
        return false;
    if (!text_at_end(&c))
        return complain(p, &l, "the end of the line");
    void *lines = p->lines;
    bool good = grow(&lines, p->num_lines + 1, &p->room_lines, sizeof *p->lines);
    p->lines = lines;
    if (good)
        p->lines[p->num_lines++] = l;
    return good;
}

static bool read_lines(parsed *p) {
    size_t size;
    uint32_t number = 0;
    p->text = text_read(p->path, &size);
    if (!p->text)
        return false;
    if (memchr(p->text, 0, size)) {
        cli_error("%s: expected text", p->path);
        return false;
    }
    for (char *line = p->text; line < p->text + size;) {
        char *end = line + strcspn(line, "\n");
        number++;
        p->unended = *end ? 0 : number;
        *end = 0;
        if (end > line && end[-1] == '\r')
            end[-1] = 0;
        const bool good = read_line(p, line, number);
        if (!good && p->stopped)
            break;
        if (!good && !p->cut)
            return false;
        line = end + 1;
    }
    p->unended = 0;
    p->partial = false;
    if (p->num_lines)
        return true;
    cli_error("%s: expected lines 'sm S warp W 0xPC 0xWORD ...', found none", p->path);
    return false;
}

static bool open_chisel(importer *imp) {
    const session *s = imp->session;
    parsed *p = imp->parsed = calloc(1, sizeof *p);
    if (!p) {
        cli_error("not enough memory");
        return false;
    }
    p->path = imp->logs[0];
    p->threads = (uint32_t)s->options.threads;
    p->partial = imp->partial;
    if (!read_lines(p))
        return false;
    imp->num_sm = imp->num_warp = 1;
    for (uint32_t i = 0; i < s->num_kernels; i++)
        if (s->kernels[i]->wg_size > imp->num_warp)
            imp->num_warp = s->kernels[i]->wg_size;
    for (uint32_t i = 0; i < p->num_lines; i++) {
        if (p->lines[i].sm >= imp->num_sm)
            imp->num_sm = p->lines[i].sm + 1;
        if (p->lines[i].warp >= imp->num_warp)
            imp->num_warp = p->lines[i].warp + 1;
    }
    if (imp->num_warp > 64) {
        cli_error("expected workgroups of at most 64 warps, found %" PRIu32, imp->num_warp);
        return false;
    }
    const uint32_t num = imp->num_sm * imp->num_warp;
    p->slots = calloc(num, sizeof *p->slots);
    p->pending = calloc(MAX_AHEAD, sizeof *p->pending);
    p->ahead = calloc(MAX_AHEAD, sizeof *p->ahead);
    bool good = p->slots && p->pending && p->ahead;
    for (uint32_t i = 0; good && i < num; i++)
        p->slots[i].first = p->slots[i].last = NO_LINE;
    for (uint32_t i = 0; good && i < p->num_lines; i++) {
        slot_lines *sl = &p->slots[p->lines[i].sm * imp->num_warp + p->lines[i].warp];
        *(sl->first == NO_LINE ? &sl->first : &p->lines[sl->last].next) = i;
        sl->last = i;
        if (!sl->steps)
            good = (sl->steps = calloc(MAX_STEPS, sizeof *sl->steps)) != NULL;
    }
    if (!good)
        cli_error("not enough memory");
    return good;
}

static void close_chisel(importer *imp) {
    parsed *p = imp->parsed;
    for (uint32_t i = 0; p && p->slots && i < imp->num_sm * imp->num_warp; i++)
        free(p->slots[i].steps);
    if (p) {
        free(p->text);
        free(p->lines);
        free(p->values);
        free(p->slots);
        free(p->lives);
        free(p->places);
        free(p->use);
        free(p->groups);
        free(p->pending);
        free(p->ahead);
    }
    free(p);
}

/* --- Launches --- */

static void find_csrs(const parsed *p, uint32_t from, told_csrs *t) {
    *t = (told_csrs){0};
    for (uint32_t i = from; i != NO_LINE; i = p->lines[i].next) {
        const chisel_line *l = &p->lines[i];
        const int32_t csr = import_csr_read(l->word);
        const uint32_t index = (uint32_t)csr - KARAT_CSR_BASE;
        if (l->kind == LINE_ENDPRG)
            return;
        if (csr < 0 || l->kind != LINE_X || !l->reg)
            continue;
        if (csr == 0x300 && !(t->given >> KARAT_LAUNCH_MSTATUS & 1)) {
            t->given |= 1u << KARAT_LAUNCH_MSTATUS;
            t->mstatus = l->target;
        } else if (index <= KARAT_CSR_GDZ && !(t->given >> index & 1)) {
            t->given |= 1u << index;
            t->csr[index] = l->target;
        }
    }
}

/* What is told of who it is does not go against that warp: of the number in its workgroup, of its workgroup. */
static bool agrees(const told_csrs *t, const karat_launch_desc *desc, const uint8_t *who, size_t num) {
    for (size_t i = 0; i < num; i++)
        if (t->given >> who[i] & 1 && t->csr[who[i]] != desc->csr[who[i]])
            return false;
    return true;
}

static bool fits_warp(const told_csrs *t, const karat_launch_desc *desc) {
    static const uint8_t who[] = {KARAT_CSR_TID, KARAT_CSR_WID};
    return agrees(t, desc, who, sizeof who);
}

static bool fits_group(const told_csrs *t, const karat_launch_desc *desc) {
    static const uint8_t who[] = {KARAT_CSR_PDS, KARAT_CSR_GDX, KARAT_CSR_GDY, KARAT_CSR_GDZ};
    return agrees(t, desc, who, sizeof who);
}

static bool life_fits_group(const void *context, uint32_t life, uint32_t workgroup) {
    const importer *imp = context;
    const parsed *p = imp->parsed;
    karat_launch_desc desc;
    karat_kernel_launch(import_current(imp), p->threads, workgroup, 0, &desc);
    return fits_group(&p->lives[life].told, &desc);
}

/* The lives that begin with that line or behind it, up to where as many have ended as the kernel has warps. */
static bool find_lives(importer *imp, parsed *p, uint32_t from) {
    const uint32_t num_slots = imp->num_sm * imp->num_warp;
    uint64_t ended = 0;
    uint32_t *latest = calloc(num_slots, sizeof *latest); /* life of the slot */
    bool good = latest != NULL;
    if (!good)
        cli_error("not enough memory");
    for (uint32_t i = 0; good && i < num_slots; i++)
        p->slots[i].life = latest[i] = NO_LINE;
    p->num_lives = 0;
    for (uint32_t i = from; good && i < p->num_lines && ended < imp->expected; i++) {
        const chisel_line *l = &p->lines[i];
        const uint32_t at = l->sm * imp->num_warp + l->warp;
        if (l->kind == LINE_FIN)
            continue;
        uint32_t last = latest[at];
        if (last == NO_LINE || p->lines[p->lives[last].last].kind == LINE_ENDPRG) {
            void *lives = p->lives;
            good = grow(&lives, p->num_lives + 1, &p->room_lives, sizeof *p->lives);
            p->lives = lives;
            if (!good)
                break;
            *(last == NO_LINE ? &p->slots[at].life : &p->lives[last].next) = p->num_lives;
            last = latest[at] = p->num_lives++;
            p->lives[last] = (chisel_life){.first = i, .next = NO_LINE};
            find_csrs(p, i, &p->lives[last].told);
        }
        p->lives[last].last = i;
        ended += l->kind == LINE_ENDPRG;
    }
    free(latest);
    return good;
}

static void put_label(place_life *l, unsigned i, const told_csrs *t, unsigned csr) {
    l->labelled |= (uint8_t)((t->given >> csr & 1) << i);
    l->label[i] = t->csr[csr];
}

/* Which warps the kernel's lives are, of the whole log: a slot that has not told yet must not take a warp that another tells
 * to be later on. */
static bool place_kernel(importer *imp, parsed *p) {
    const karat_kernel *k = import_current(imp);
    for (uint32_t i = 0; i < p->num_lives; i++) {
        const chisel_life *life = &p->lives[i];
        place_life *l = &p->places[i];
        *l = (place_life){.sm = p->lines[life->first].sm};
        for (uint32_t warp = 0; warp < k->wg_size; warp++) {
            karat_launch_desc desc;
            karat_kernel_launch(k, p->threads, 0, warp, &desc);
            l->warps |= (uint64_t)fits_warp(&life->told, &desc) << warp;
        }
        put_label(l, 0, &life->told, KARAT_CSR_LDS);
        put_label(l, 1, &life->told, KARAT_CSR_WGID);
    }
    if (!place_lives(p->places, p->num_lives, karat_kernel_workgroups(k), k->wg_size, life_fits_group, imp))
        return false;
    for (uint32_t i = 0; i < p->num_lives; i++) {
        const place_life *l = &p->places[i];
        if (l->warp == PLACE_NONE)
            continue;
        chisel_group *g = &p->groups[l->workgroup];
        p->use[(size_t)l->workgroup * k->wg_size + l->warp] = l->sure ? WARP_SURE : WARP_MAYBE;
        if (l->labelled & 1) {
            g->has_lds = true;
            g->lds = l->label[0];
        }
        if (l->labelled & 2) {
            g->has_wgid = true;
            g->wgid = l->label[1];
        }
    }
    return true;
}

/* Another SM runs warps of that workgroup. */
static bool runs_elsewhere(const importer *imp, uint32_t workgroup, uint32_t sm) {
    for (uint32_t i = 0; i < imp->num_sm * imp->num_warp; i++)
        if (imp->groups[i].open && imp->groups[i].workgroup == workgroup && imp->groups[i].sm != sm)
            return true;
    return false;
}

/* Of a life that has no place: the first warp of the grid, used no more than that, that fits what it reads. */
static uint32_t first_warp(const importer *imp, const parsed *p, const import_slot *slot, const told_csrs *t,
                           warp_use most) {
    const karat_kernel *k = import_current(imp);
    for (uint32_t i = 0; i < imp->expected; i++) {
        karat_launch_desc desc;
        if (p->use[i] > most || runs_elsewhere(imp, i / k->wg_size, slot->sm))
            continue;
        karat_kernel_launch(k, p->threads, i / k->wg_size, i % k->wg_size, &desc);
        if (!t || (fits_warp(t, &desc) && fits_group(t, &desc)))
            return i;
    }
    return NO_LINE;
}

/* Whether what a life tells leaves other warps that could be it. */
static bool has_others(const importer *imp, const parsed *p, uint32_t who, const told_csrs *t) {
    const karat_kernel *k = import_current(imp);
    for (uint32_t i = 0; i < imp->expected; i++) {
        karat_launch_desc desc;
        if (i == who || p->use[i] >= WARP_SURE)
            continue;
        karat_kernel_launch(k, p->threads, i / k->wg_size, i % k->wg_size, &desc);
        if (fits_warp(t, &desc) && fits_group(t, &desc))
            return true;
    }
    return false;
}

/* The warp that begins with that line. */
static uint32_t who_begins(importer *imp, parsed *p, const import_slot *slot, slot_lines *sl, uint32_t line,
                           const told_csrs *t) {
    while (sl->life != NO_LINE && p->lives[sl->life].last < line)
        sl->life = p->lives[sl->life].next;
    const place_life *l = sl->life == NO_LINE ? NULL : &p->places[sl->life];
    if (l && l->warp != PLACE_NONE && !runs_elsewhere(imp, l->workgroup, slot->sm)) {
        const uint32_t who = l->workgroup * import_current(imp)->wg_size + l->warp;
        if (p->use[who] != WARP_STARTED) {
            p->by_order += !l->sure && has_others(imp, p, who, t);
            return who;
        }
    }
    /* What it tells goes against what others tell: the checker is to see that. */
    uint32_t who = first_warp(imp, p, slot, t, WARP_FREE);
    if (who == NO_LINE)
        who = first_warp(imp, p, slot, NULL, WARP_FREE);
    return who == NO_LINE ? first_warp(imp, p, slot, NULL, WARP_SURE) : who;
}

static bool begin_kernel(importer *imp, parsed *p, uint32_t line) {
    if (!import_kernel(imp) || !find_lives(imp, p, line))
        return false;
    free(p->places);
    free(p->use);
    free(p->groups);
    p->places = calloc(p->num_lives ? p->num_lives : 1, sizeof *p->places);
    p->use = calloc((size_t)imp->expected, sizeof *p->use);
    p->groups = calloc(karat_kernel_workgroups(import_current(imp)), sizeof *p->groups);
    const bool good = p->places && p->use && p->groups && place_kernel(imp, p);
    if (!good)
        cli_error("not enough memory");
    return good;
}

/* The hardware's own: the workgroup's number and where its local memory is, which count for all of its warps where one has
 * read them; mstatus. */
static void give_csrs(const chisel_group *g, const karat_kernel *k, told_csrs *t, karat_launch_desc *desc,
                      karat_rec_launch *r) {
    if (g->has_lds && !(t->given >> KARAT_CSR_LDS & 1)) {
        t->given |= 1u << KARAT_CSR_LDS;
        t->csr[KARAT_CSR_LDS] = g->lds;
    }
    if (g->has_wgid && !(t->given >> KARAT_CSR_WGID & 1)) {
        t->given |= 1u << KARAT_CSR_WGID;
        t->csr[KARAT_CSR_WGID] = g->wgid;
    }
    r->mstatus = t->mstatus;
    r->csr_given = t->given & (1u << KARAT_CSR_WGID | 1u << KARAT_CSR_LDS | 1u << KARAT_LAUNCH_MSTATUS);
    if (t->given >> KARAT_CSR_WGID & 1)
        desc->csr[KARAT_CSR_WGID] = r->csr[KARAT_CSR_WGID] = t->csr[KARAT_CSR_WGID];
    if (t->given >> KARAT_CSR_LDS & 1) {
        r->csr[KARAT_CSR_LDS] = t->csr[KARAT_CSR_LDS];
        r->lds_base = t->csr[KARAT_CSR_LDS] - desc->csr[KARAT_CSR_LDS];
        r->lds_size = k->lds_size;
        desc->csr[KARAT_CSR_LDS] = t->csr[KARAT_CSR_LDS];
    }
}

static bool launch(importer *imp, parsed *p, import_slot *slot, slot_lines *sl, uint32_t line) {
    const karat_kernel *k = import_current(imp);
    told_csrs t;
    find_csrs(p, line, &t);
    uint32_t who = who_begins(imp, p, slot, sl, line, &t);
    if (who == NO_LINE)
        return complain(p, &p->lines[line],
                        "a line of a warp that is under way: the workgroups left run on other SMs");
    p->use[who] = WARP_STARTED;
    p->placed++;
    karat_launch_desc desc;
    karat_kernel_launch(k, p->threads, who / k->wg_size, who % k->wg_size, &desc);
    karat_rec_launch r = {.regs = KARAT_REGS_UNKNOWN};
    give_csrs(&p->groups[who / k->wg_size], k, &t, &desc, &r);
    sl->says_pc = sl->says_mask = false;
    return import_launch(imp, slot, who / k->wg_size, who % k->wg_size, &desc, &r);
}

/* --- Steps --- */

static step *step_at(const slot_lines *sl, uint64_t n) {
    return &sl->steps[n % MAX_STEPS];
}

/* What a vector access prints as BASE+OFFSET: its operands, which are its address unless it is private, or of lanes side by side. */
static void note_parts(const importer *imp, const karat_commit *k, step *s) {
    karat_insn insn;
    const karat_row *row = karat_row_info(karat_decode(imp->session->options.profile, k->word, &insn));
    const karat_reg_read *base = NULL, *second = NULL;
    uint32_t offset = 0;
    bool has_offset = false;
    for (uint32_t i = 0; i < k->num_reads; i++) {
        if (k->read[i].part == 0 && k->read[i].source == 1)
            base = &k->read[i];
        else if (k->read[i].part == 0 && k->read[i].source == 2)
            second = &k->read[i];
    }
    for (uint32_t i = 0; row && i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (kind->is_reg || kind->bits < 2)
            continue;
        has_offset = true;
        offset = (uint32_t)insn.value[i];
    }
    if (!base)
        return;
    const bool indexed = base->cls == KARAT_CLASS_X && second && second->cls == KARAT_CLASS_V && !has_offset;
    if (indexed || (base->cls == KARAT_CLASS_V && k->mem.space != KARAT_PRIVATE))
        return; /* SUM_ADDRESS */
    s->form = has_offset ? SUM_PARTS : SUM_BASE;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
        s->parts[lane] = base->value[base->cls == KARAT_CLASS_X ? 0 : lane] + offset;
}

/* The model takes a step: what it is, and its ISSUE.  False: it cannot. */
static bool take_step(importer *imp, import_slot *slot, slot_lines *sl, step *s, karat_rec_issue *r) {
    karat_status status = import_step(imp, slot);
    const karat_commit *k = &imp->commit;
    if (status != KARAT_OK && status != KARAT_PROGRAM_ERROR)
        return false;
    const uint32_t fetched = k->prefix ? k->pc - 4 : k->pc;
    *r = (karat_rec_issue){
        .h = import_header(imp, KARAT_REC_ISSUE, slot),
        .seq = slot->seq,
        .pc = sl->says_pc ? k->pc + (sl->pc - fetched) : k->pc,
        .word = k->word,
        .prefix_kind = KARAT_PREFIX_UNKNOWN,
        .mask = sl->says_mask ? sl->mask : k->mask_before,
    };
    sl->says_pc = sl->says_mask = false;
    *s = (step){.seq = slot->seq++, .epoch = slot->epoch, .pc = k->pc, .word = k->word};
    if (status != KARAT_OK || k->row == KARAT_NO_ROW)
        return true;
    const karat_row *row = karat_row_info(k->row);
    s->owes = row->owes;
    s->unit = row->unit;
    s->ended = k->ended;
    s->has_mem = k->has_mem;
    if (k->has_mem)
        s->mem = k->mem;
    if (k->has_mem)
        note_parts(imp, k, s);
    s->num_writes = k->num_writes;
    for (uint32_t i = 0; i < k->num_writes; i++) {
        s->cls[i] = k->write[i].cls;
        s->reg[i] = k->write[i].reg;
    }
    return true;
}

/* Whether a step may still print that line; exact: a write of that very register. */
static bool prints(const step *s, const chisel_line *l, bool exact) {
    if (s->pc != l->pc || s->word != l->word)
        return false;
    const bool simt = s->owes & KARAT_OWES_SIMT;
    switch (l->kind) {
    case LINE_X:
        if (!l->reg)
            return true; /* jumps and CSR instructions do write x0 */
        /* fall through */
    case LINE_V:
        for (uint32_t i = 0; i < s->num_writes; i++)
            if (!s->wrote[i] &&
                (!exact || (s->reg[i] == l->reg && (s->cls[i] == KARAT_CLASS_V) == (l->kind == LINE_V))))
                return true;
        return l->kind == LINE_V && !l->mask && !exact; /* no lane: nothing is written */
    case LINE_MEM_X:
    case LINE_MEM_V: return s->has_mem && !s->accessed;
    case LINE_JUMP: return !s->jumped && (s->unit == KARAT_UNIT_BRANCH || simt);
    case LINE_VBRANCH: return simt && !s->jumped && !s->showed;
    /* In every cycle in which it waits; and in the last of them perhaps behind its Jump? */
    case LINE_JOIN: return simt && !(s->jumped && s->showed);
    case LINE_BARRIER: return s->owes & KARAT_OWES_BARRIER;
    case LINE_ENDPRG: return s->ended;
    default: return true;
    }
}

/* A warp prints a branch's lines, a barrier's and its end before it issues anything else. */
static bool of_youngest(const chisel_line *l) {
    return l->kind >= LINE_JUMP;
}

static step *find_printed(slot_lines *sl, uint32_t epoch, const chisel_line *l, bool exact) {
    const uint64_t num = sl->num_steps, oldest = num > MAX_STEPS ? num - MAX_STEPS : 0;
    for (uint64_t n = of_youngest(l) && num ? num - 1 : oldest; n < num; n++) {
        step *s = step_at(sl, n);
        if (s->epoch == epoch && prints(s, l, exact))
            return s;
    }
    return NULL;
}

/* The address of a lane that the line says; of a lane, the model's access of it (NULL: it has none). */
static uint32_t address_of(const parsed *p, const step *s, const chisel_line *l, uint32_t lane,
                           const karat_access *model) {
    if (l->kind == LINE_MEM_X)
        return l->base + (s->mem.amo || s->mem.op == KARAT_AMO ? 0 : l->offset);
    const uint32_t *addr = p->values + l->values + (l->store ? p->threads : 0);
    if (!l->sums || s->form == SUM_ADDRESS || !model)
        return addr[lane];
    const uint32_t printed = s->form == SUM_PARTS ? addr[lane] : addr[p->threads + lane];
    return (uint32_t)model->addr + (printed - s->parts[lane]);
}

/* The line says the addresses that the model has; with data, what is stored, too. */
static bool is_access(const parsed *p, const step *s, const chisel_line *l, bool data) {
    const bool vector = l->kind == LINE_MEM_V;
    for (uint32_t i = 0; i < s->mem.num; i++) {
        const karat_access *m = &s->mem.access[i];
        const uint32_t shown = vector ? p->values[l->values + m->lane] : l->target;
        const uint32_t bits = m->bytes < 4 ? (1u << 8 * m->bytes) - 1 : UINT32_MAX;
        if (address_of(p, s, l, m->lane, m) != (uint32_t)m->addr)
            return false;
        if (data && l->store && s->mem.op == KARAT_STORE && ((shown ^ m->value) & bits))
            return false;
    }
    return true;
}

/* Instructions that an access could be of. */
typedef struct candidates {
    step *fits;            /* one whose addresses, and data, it has */
    step *next, *late;     /* the first that is younger, and older, than all whose access was printed */
    uint32_t nexts, lates; /* how many there are */
} candidates;

/* Which instruction an access is of.  The load-store unit need not take a warp's accesses in program order: one may wait for its
 * operands while a younger one goes on.  So of several it is that whose addresses it has; where it has none of theirs, the one
 * that is next in program order.  Accesses may come when the slot has its next warp. */
static candidates find_access(const parsed *p, const slot_lines *sl, const chisel_line *l) {
    const uint64_t num = sl->num_steps, oldest = num > MAX_STEPS ? num - MAX_STEPS : 0;
    candidates c = {0};
    step *fits = NULL;
    for (uint64_t n = oldest; n < num; n++) {
        step *s = step_at(sl, n);
        if (!prints(s, l, false))
            continue;
        const bool late = n < sl->next_access;
        if (!*(late ? &c.late : &c.next))
            *(late ? &c.late : &c.next) = s;
        ++*(late ? &c.lates : &c.nexts);
        if (!fits && is_access(p, s, l, false))
            fits = s;
        if (!c.fits && is_access(p, s, l, true))
            c.fits = s;
    }
    if (!c.fits)
        c.fits = fits;
    return c;
}

/* A JOIN prints in every cycle in which it waits, also after its Jump?; a branch may, too; and a jump that waits for its Jump? may write
 * the same link again. */
static bool is_repeated(const slot_lines *sl, uint32_t epoch, const chisel_line *l) {
    const step *s = sl->num_steps ? step_at(sl, sl->num_steps - 1) : NULL;
    if (!s || s->epoch != epoch || s->pc != l->pc || s->word != l->word)
        return false;
    if (l->kind == LINE_X)
        return s->unit == KARAT_UNIT_BRANCH && !s->jumped && s->num_writes == 1 && s->wrote[0] &&
               s->reg[0] == l->reg && s->link == l->target;
    return (l->kind == LINE_JOIN || l->kind == LINE_VBRANCH) && s->showed && s->popped == l->taken &&
           s->mask == l->mask && s->target == l->target;
}

/* An instruction of which the core need not print anything. */
static bool is_silent(const step *s) {
    return !s->num_writes && !s->has_mem && !s->ended;
}

/* A line that no instruction can print any more, of one that has printed such a line: a second write. */
static step *find_past(slot_lines *sl, uint32_t epoch, const chisel_line *l) {
    for (uint64_t n = sl->num_steps; n-- > 0 && sl->num_steps - n <= MAX_STEPS;) {
        step *s = step_at(sl, n);
        if (s->epoch == epoch && s->pc == l->pc && s->word == l->word)
            return l->kind <= LINE_V ? s : NULL;
    }
    return NULL;
}

/* Step the model on to an instruction that prints the line.  NULL: there is none; then it is late's, or, without one, the line
 * itself is the warp's next ISSUE, for the checker to say what is wrong with it. */
static step *step_on(importer *imp, parsed *p, import_slot *slot, slot_lines *sl, const chisel_line *l,
                     const step *late) {
    enum { SEARCHING, FOUND, WRONG_WORD, WRONG_PROGRAM } end = SEARCHING;
    const uint32_t first = slot->seq;
    uint32_t num = 0;
    bool silent = true; /* the core need not have printed anything of what lies between */
    while (end == SEARCHING && num < MAX_AHEAD &&
           take_step(imp, slot, sl, &p->ahead[num], &p->pending[num])) {
        const step *s = &p->ahead[num++];
        bool same = s->pc == l->pc && s->word == l->word;
        if (imp->commit.error.kind) {
            if (same || silent)
                end = WRONG_PROGRAM;
            break;
        }
        if (prints(s, l, false))
            end = FOUND;
        else if (silent && s->pc == l->pc && s->word != l->word)
            end = WRONG_WORD;
        silent = silent && is_silent(s);
    }
    if (end == WRONG_WORD)
        p->pending[num - 1].word = l->word;
    step *past = end == SEARCHING ? find_past(sl, slot->epoch, l) : NULL;
    for (uint32_t i = 0; end != SEARCHING && i < num; i++) {
        import_put(imp, &p->pending[i]);
        *step_at(sl, sl->num_steps++) = p->ahead[i];
    }
    if (end == FOUND)
        return step_at(sl, sl->num_steps - 1);
    sl->lost = p->lost = true;
    if (end == SEARCHING && !past && !late) {
        karat_rec_issue r =
            num ? p->pending[0] : (karat_rec_issue){.seq = first, .prefix_kind = KARAT_PREFIX_UNKNOWN};
        r.h = import_header(imp, KARAT_REC_ISSUE, slot);
        r.pc = l->pc;
        r.word = l->word;
        import_put(imp, &r);
    }
    return past;
}

/* --- What a line says --- */

/* The model follows the core: a load may have got another legal value, and registers start unknown. */
static void believe(importer *imp, const import_slot *slot, const slot_lines *sl, const step *s, unsigned cls,
                    const karat_rec_write *r) {
    if (s->epoch != slot->epoch || slot->ended)
        return;
    for (uint64_t n = sl->num_steps; n-- > 0 && step_at(sl, n) != s;)
        for (uint32_t i = 0; i < step_at(sl, n)->num_writes; i++)
            if (step_at(sl, n)->cls[i] == cls && step_at(sl, n)->reg[i] == r->regno)
                return;
    karat_adopt(imp->model, slot->handle, cls, r->regno, r->mask, r->data);
}

static void put_write(importer *imp, const parsed *p, const import_slot *slot, const slot_lines *sl, step *s,
                      const chisel_line *l) {
    const unsigned cls = l->kind == LINE_V ? KARAT_V : KARAT_X;
    karat_rec_write r = {.h = import_header(imp, KARAT_REC_WRITE, slot),
                         .seq = s->seq,
                         .cls = (uint8_t)cls,
                         .regno = (uint16_t)l->reg,
                         .mask = 1};
    r.h.epoch = s->epoch;
    if (cls == KARAT_V) {
        r.mask = l->mask;
        memcpy(r.data, p->values + l->values, p->threads * sizeof *r.data);
    } else {
        r.data[0] = l->target;
    }
    import_put(imp, &r);
    bool exact = false;
    for (uint32_t i = 0; i < s->num_writes && !exact; i++) {
        exact = s->cls[i] == cls && s->reg[i] == l->reg;
        if (exact)
            s->wrote[i] = true;
        if (exact && cls == KARAT_X)
            s->link = l->target;
    }
    if (exact)
        believe(imp, slot, sl, s, cls, &r);
}

/* The core shows of an atomic access its operand, not what it writes; the address is the base alone. */
static void put_access(importer *imp, const parsed *p, const import_slot *slot, slot_lines *sl, step *s,
                       const chisel_line *l) {
    const karat_mem *m = &s->mem;
    karat_rec_mem r;
    s->accessed = true;
    for (uint64_t n = sl->num_steps; n-- > sl->next_access && sl->num_steps - n <= MAX_STEPS;)
        if (step_at(sl, n) == s)
            sl->next_access = n + 1;
    if (m->op == KARAT_AMO && !m->num)
        return; /* an SC that fails accesses nothing */
    import_mem(imp, slot, s->seq, NULL, l->store ? KARAT_MEM_STORE : KARAT_MEM_LOAD, &r);
    r.h.epoch = s->epoch;
    if (m->op == KARAT_AMO && l->store) {
        r.op = KARAT_MEM_AMO;
        r.no_data = 1;
    }
    const unsigned bytes = m->num ? m->access[0].bytes : 4;
    if (l->kind == LINE_MEM_X) {
        import_mem_lane(&r, 0, address_of(p, s, l, 0, NULL), l->target, bytes);
    } else {
        const uint32_t *data = p->values + l->values;
        uint32_t lanes = l->store ? l->mask : 0;
        for (uint32_t k = 0; !l->store && k < m->num; k++)
            lanes |= 1u << m->access[k].lane; /* a load's mask is not printed */
        for (uint32_t left = lanes; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            const karat_access *access = NULL;
            for (uint32_t k = 0; k < m->num && !access; k++)
                if (m->access[k].lane == lane)
                    access = &m->access[k];
            import_mem_lane(&r, lane, address_of(p, s, l, lane, access), l->store ? data[lane] : 0, bytes);
        }
    }
    import_put(imp, &r);
}

static void take_line(importer *imp, const parsed *p, const import_slot *slot, slot_lines *sl, step *s,
                      const chisel_line *l) {
    switch (l->kind) {
    case LINE_X:
    case LINE_V: put_write(imp, p, slot, sl, s, l); break;
    case LINE_MEM_X:
    case LINE_MEM_V: put_access(imp, p, slot, sl, s, l); break;
    case LINE_JUMP:
        s->jumped = true;
        sl->says_pc = true;
        sl->pc = l->taken ? l->target : l->pc + 4;
        break;
    case LINE_VBRANCH:
    case LINE_JOIN: /* without a pop mask and pc are nothing's */
        s->showed = true;
        s->popped = l->taken;
        s->mask = l->mask;
        s->target = l->target;
        if (l->kind == LINE_JOIN && !l->taken)
            break;
        sl->says_pc = sl->says_mask = true;
        sl->pc = l->target;
        sl->mask = l->mask;
        break;
    default: break;
    }
}

/* Nothing is claimed of the warp from here on. */
static bool lose(importer *imp, parsed *p, slot_lines *sl, const chisel_line *l, uint32_t open) {
    sl->lost = p->lost = imp->gave_up = true;
    printf("%s:%" PRIu32 ": nothing more of sm %" PRIu32 " warp %" PRIu32 ": of which of %" PRIu32
           " accesses at pc 0x%08" PRIx32 " this one is cannot be known\n",
           p->path, l->line, l->sm, l->warp, open, l->pc);
    return true;
}

static bool put_line(importer *imp, parsed *p, uint32_t number) {
    const chisel_line *l = &p->lines[number];
    const uint32_t at = l->sm * imp->num_warp + l->warp;
    import_slot *slot = &imp->slots[at];
    slot_lines *sl = &p->slots[at];
    imp->cycle = l->line;
    if (l->kind == LINE_FIN || sl->lost || is_repeated(sl, slot->epoch, l))
        return true;
    candidates c = {0};
    step *s = NULL;
    if (l->kind == LINE_MEM_X || l->kind == LINE_MEM_V) {
        c = find_access(p, sl, l);
        s = c.fits ? c.fits : c.nexts == 1 && !c.lates ? c.next : NULL;
        if (!s && c.nexts)
            return lose(imp, p, sl, l, c.nexts + c.lates);
    } else {
        s = find_printed(sl, slot->epoch, l, true);
        if (!s)
            s = find_printed(sl, slot->epoch, l, false);
    }
    if (!s && !c.lates && (!slot->launched || slot->ended)) {
        if (imp->launched == imp->expected && imp->ended == imp->expected) {
            if (imp->gave_up)
                return true;
            if (imp->next_kernel == imp->session->num_kernels)
                return complain(p, l, "nothing more: every warp of the kernels given has ended");
            if (!begin_kernel(imp, p, number))
                return false;
        }
        if (imp->launched < imp->expected && !launch(imp, p, slot, sl, number))
            return false;
        if (!slot->launched && p->lost)
            return true; /* the kernel before has not ended, as far as is known */
        if (!slot->launched)
            return complain(p, l, "a line of one of the kernel's warps, which have all begun");
    }
    if (!s)
        s = step_on(imp, p, slot, sl, l, c.late);
    if (c.lates && (s ? !is_access(p, s, l, false) : c.lates > 1))
        return lose(imp, p, sl, l, c.lates + (s != NULL));
    if (!s && c.late && prints(c.late, l, false))
        s = c.late; /* no younger one is of that pc: its addresses are wrong */
    if (s)
        take_line(imp, p, slot, sl, s, l);
    return true;
}

static bool put_lines(importer *imp) {
    parsed *p = imp->parsed;
    if (!begin_kernel(imp, p, 0))
        return false;
    for (uint32_t i = 0; i < p->num_lines; i++)
        if (!put_line(imp, p, i))
            return false;
    if (p->by_order)
        printf("%s: %" PRIu64 " of %" PRIu64 " warps are taken in the order in which they begin: what they "
               "read does not tell which they are\n",
               p->path, p->by_order, p->placed);
    if (p->stopped)
        printf("partial: %s:%" PRIu32 " is not understood (expected %s): the trace ends with line %" PRIu32
               "\n",
               p->path, p->stopped, p->expected, p->stopped - 1);
    return true;
}

#define GIVES(kind) (1u << KARAT_REC_##kind)
const import_format import_chisel = {
    .name = "chisel",
    .gives = GIVES(HELLO) | GIVES(WRITE) | GIVES(MEM),
    .props =
        KARAT_PROP_INTERLOCKED, /* its scoreboard holds an instruction back until its registers are written */
    .mem_order = KARAT_ORDER_REQUEST,
    .open = open_chisel,
    .run = put_lines,
    .close = close_chisel,
};
