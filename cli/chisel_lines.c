/* The lines of a Chisel log, taken apart. */
#include "chisel.h"
#include "input.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool chisel_complain(chisel_log *p, const chisel_line *l, const char *expected) {
    p->cut = l->line == p->unended;
    if (!p->cut && p->partial) {
        p->stopped = l->line;
        snprintf(p->expected, sizeof p->expected, "%s", expected);
    } else if (!p->cut)
        cli_error("%s:%" PRIu32 ": expected %s", p->path, l->line, expected);
    return false;
}

bool chisel_grow(void **array, uint32_t num, uint32_t *room, size_t size) {
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

static bool room_for_lanes(chisel_log *p, uint32_t num) {
    void *values = p->values;
    const bool good =
        chisel_grow(&values, p->num_values + num * p->threads, &p->room_values, sizeof *p->values);
    p->values = values;
    return good;
}

/* A value for each lane, the highest first. */
static bool take_lanes(chisel_log *p, text_cursor *c, chisel_line *l) {
    if (!room_for_lanes(p, 1))
        return false;
    for (uint32_t lane = p->threads; lane-- > 0;)
        if (!text_hex32(c, &p->values[p->num_values + lane]))
            return chisel_complain(p, l, "a value of 8 hex digits for each lane");
    p->num_values += p->threads;
    return true;
}

static bool take_register(chisel_log *p, text_cursor *c, chisel_line *l, bool vector) {
    if (take_decimal(c, &l->reg) && l->reg < (vector ? KARAT_NUM_V : KARAT_NUM_X) && text_ends(*c->at))
        return true;
    return chisel_complain(
        p, l, vector ? "a vector register's number, 0 to 255" : "a scalar register's number, 0 to 63");
}

static bool take_mask_of(chisel_log *p, text_cursor *c, chisel_line *l) {
    char expected[100];
    snprintf(expected, sizeof expected, "a mask of %" PRIu32 " binary digits (--threads says how many)",
             p->threads);
    return take_mask(c, p->threads, &l->mask) || chisel_complain(p, l, expected);
}

/* BASE+OFFSET */
static bool take_sum(text_cursor *c, uint32_t *base, uint32_t *offset) {
    char *plus = strchr(c->at, '+');
    if (!plus)
        return false;
    char *at = (char *)c->at; /* in chisel_log.text */
    at[plus - c->at] = ' ';
    return text_hex32(c, base) && text_hex32(c, offset);
}

/* The address of each lane, the highest first: the sums, and then the bases where they are printed. */
static bool take_addresses(chisel_log *p, text_cursor *c, chisel_line *l) {
    text_skip(c);
    if (c->at[strcspn(c->at, "+ \t")] != '+')
        return take_lanes(p, c, l);
    if (!room_for_lanes(p, 2))
        return false;
    l->sums = true;
    for (uint32_t lane = p->threads; lane-- > 0;) {
        uint32_t base, offset;
        if (!take_sum(c, &base, &offset))
            return chisel_complain(p, l, "an address of each lane as BASE+OFFSET, 8 hex digits each");
        p->values[p->num_values + lane] = base + offset;
        p->values[p->num_values + p->threads + lane] = base;
    }
    p->num_values += 2 * p->threads;
    return true;
}

static bool take_access(chisel_log *p, text_cursor *c, chisel_line *l) {
    uint32_t op;
    l->store = c->at[-1] == 'w';
    if (l->store && text_take(c, "fin")) {
        l->kind = LINE_FIN;
        return true;
    }
    bool vector = text_take(c, "v");
    l->kind = vector ? LINE_MEM_V : LINE_MEM_X;
    if (!vector && !text_take(c, "x"))
        return chisel_complain(p, l, "the register, x or v, or 'fin'");
    if (!take_register(p, c, l, vector))
        return false;
    if (!text_take(c, "op") || !take_decimal(c, &op))
        return chisel_complain(p, l, "'op N'");
    l->values = p->num_values;
    if (vector && l->store &&
        ((!text_take(c, "mask") && !chisel_complain(p, l, "'mask'")) || !take_mask_of(p, c, l) ||
         !take_lanes(p, c, l)))
        return false;
    if (!vector && l->store && !text_hex32(c, &l->target))
        return chisel_complain(p, l, "the data, 8 hex digits");
    if (!text_take(c, "@"))
        return chisel_complain(p, l, "'@'");
    if (vector)
        return take_addresses(p, c, l);
    return take_sum(c, &l->base, &l->offset) ||
           chisel_complain(p, l, "the address as BASE+OFFSET, 8 hex digits each");
}

static bool take_jump(chisel_log *p, text_cursor *c, chisel_line *l) {
    uint32_t taken;
    l->kind = LINE_JUMP;
    if (!take_decimal(c, &taken) || taken > 1 || !text_hex32(c, &l->target))
        return chisel_complain(p, l, "'Jump? 0 TARGET' or 'Jump? 1 TARGET'");
    l->taken = taken != 0;
    return true;
}

static bool take_outcome(chisel_log *p, text_cursor *c, chisel_line *l) {
    if (!take_mask_of(p, c, l))
        return false;
    return text_0x32(c, &l->target) || chisel_complain(p, l, "the next pc, 0x and 8 hex digits");
}

/* The part after the word. */
static bool take_rest(chisel_log *p, text_cursor *c, chisel_line *l) {
    if (text_take(c, "lsu.r") || text_take(c, "lsu.w"))
        return take_access(p, c, l);
    if (text_take(c, "Jump?"))
        return take_jump(p, c, l);
    if (text_take(c, "vbranch")) {
        l->kind = LINE_VBRANCH;
        return (text_take(c, "current mask and npc:") || chisel_complain(p, l, "'current mask and npc:'")) &&
               take_outcome(p, c, l);
    }
    if (text_take(c, "join")) {
        uint32_t pop;
        l->kind = LINE_JOIN;
        if ((!text_take(c, "mask and npc:") && !chisel_complain(p, l, "'mask and npc:'")) ||
            !take_outcome(p, c, l))
            return false;
        if (!text_take(c, "pop stack ?") || !take_decimal(c, &pop) || pop > 1)
            return chisel_complain(p, l, "'pop stack ? 0' or 'pop stack ? 1'");
        l->taken = pop != 0;
        return true;
    }
    if (text_take(c, "setrpc")) {
        l->kind = LINE_SETRPC;
        return text_0x32(c, &l->target) || chisel_complain(p, l, "the pc, 0x and 8 hex digits");
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
               (text_hex32(c, &l->target) || chisel_complain(p, l, "the value written, 8 hex digits"));
    }
    if (text_take(c, "v")) {
        l->kind = LINE_V;
        l->values = p->num_values;
        return take_register(p, c, l, true) && take_mask_of(p, c, l) && take_lanes(p, c, l);
    }
    return chisel_complain(
        p, l,
        "the effect of the instruction: x, v, lsu.r, lsu.w, Jump?, vbranch, join, setrpc, barrier or endprg");
}

static bool read_line(chisel_log *p, const char *text, uint32_t number) {
    text_cursor c = {text};
    chisel_line l = {.line = number, .next = NO_LINE};
    bool has_sm = text_take(&c, "sm ");
    if (!has_sm && !text_take(&c, "warp "))
        return true; /* the test bench's */
    if (has_sm && (!take_decimal(&c, &l.sm) || l.sm > 254 || !text_take(&c, "warp ")))
        return chisel_complain(p, &l, "'sm S warp W'");
    if (!take_decimal(&c, &l.warp) || l.warp > 63)
        return chisel_complain(p, &l, "a warp slot's number, 0 to 63");
    if (text_take(&c, "undefined"))
        return true; /* decoded, not issued: where it is, the next line shows */
    text_cursor ahead = c;
    if (text_hex32(&ahead, &l.pc) && text_0x32(&ahead, &l.word) && text_take(&ahead, "simt"))
        return true; /* a mask on its way to the stack */
    if (!text_0x32(&c, &l.pc) || !text_0x32(&c, &l.word))
        return chisel_complain(p, &l, "'0xPC 0xWORD'");
    if (text_at_end(&c))
        return true; /* older cores: something has completed */
    if (!take_rest(p, &c, &l))
        return false;
    if (!text_at_end(&c))
        return chisel_complain(p, &l, "the end of the line");
    void *lines = p->lines;
    bool good = chisel_grow(&lines, p->num_lines + 1, &p->room_lines, sizeof *p->lines);
    p->lines = lines;
    if (good)
        p->lines[p->num_lines++] = l;
    return good;
}

bool chisel_read(chisel_log *p) {
    size_t size;
    uint32_t number = 0;
    p->text = input_read(p->path, &size);
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
