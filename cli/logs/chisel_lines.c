/* The lines of a Chisel log, taken apart. */
#include "chisel.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Parts of a line: each is taken from the cursor, or the cursor is of no more use. --- */

static bool take_decimal(text_cursor *c, uint32_t most, uint32_t *value) {
    text_skip(c);
    return text_number(c, value) && *value <= most && text_ends(*c->at);
}

static bool take_word(chisel_log *p, text_cursor *c, chisel_line *l) {
    return p && text_hex32(c, &l->target);
}

static bool take_pc(chisel_log *p, text_cursor *c, chisel_line *l) {
    return p && text_0x32(c, &l->target);
}

/* A binary digit for each lane, the highest first. */
static bool take_mask(chisel_log *p, text_cursor *c, chisel_line *l) {
    text_skip(c);
    l->mask = 0;
    for (uint32_t i = 0; i < p->threads; i++, c->at++) {
        if (*c->at != '0' && *c->at != '1')
            return false;
        l->mask = l->mask << 1 | (uint32_t)(*c->at - '0');
    }
    return text_ends(*c->at);
}

/* A value for each lane, the highest first. */
static bool take_lanes(chisel_log *p, text_cursor *c, chisel_line *l) {
    for (uint32_t lane = p->threads; lane-- > 0;)
        if (!text_hex32(c, &l->rows[l->num_rows][lane]))
            return false;
    l->num_rows++;
    return true;
}

/* BASE+OFFSET */
static bool take_operands(text_cursor *c, uint32_t *base, uint32_t *offset) {
    char *plus = strchr(c->at, '+');
    if (!plus)
        return false;
    *plus = ' ';
    const bool good = text_hex32(c, base) && text_hex32(c, offset);
    *plus = '+';
    return good;
}

static bool take_sum(chisel_log *p, text_cursor *c, chisel_line *l) {
    (void)p;
    return take_operands(c, &l->base, &l->offset);
}

/* The address of each lane, the highest first: the sums, and then the bases where they are printed. */
static bool take_addresses(chisel_log *p, text_cursor *c, chisel_line *l) {
    text_skip(c);
    if (c->at[strcspn(c->at, "+ \t")] != '+')
        return take_lanes(p, c, l);
    l->sums = true;
    for (uint32_t lane = p->threads; lane-- > 0;) {
        uint32_t base, offset;
        if (!take_operands(c, &base, &offset))
            return false;
        l->rows[l->num_rows][lane] = base + offset;
        l->rows[l->num_rows + 1][lane] = base;
    }
    l->num_rows += 2;
    return true;
}

static const struct {
    char letter;
    uint32_t most; /* Largest decimal number, where there is no take */
    size_t field;  /* The place of its uint32_t in the line */
    bool (*take)(chisel_log *, text_cursor *, chisel_line *);
    const char *expected;
} parts[] = {
    /* Registers' numbers stand after x or v with or without a blank */
    {'x', KARAT_NUM_X - 1, offsetof(chisel_line, reg), NULL, "a scalar register's number, 0 to 63"},
    {'v', KARAT_NUM_V - 1, offsetof(chisel_line, reg), NULL, "a vector register's number, 0 to 255"},
    {'o', UINT32_MAX, offsetof(chisel_line, op), NULL, "the operation's number"},
    {'f', 1, offsetof(chisel_line, taken), NULL, "0 or 1"},
    {'w', 0, 0, take_word, "a word of 8 hex digits"},
    {'p', 0, 0, take_pc, "the pc, 0x and 8 hex digits"},
    {'m', 0, 0, take_mask, "a mask with a binary digit for each lane (--threads says how many)"},
    {'l', 0, 0, take_lanes, "a value of 8 hex digits for each lane"},
    {'s', 0, 0, take_sum, "the address as BASE+OFFSET, 8 hex digits each"},
    {'a', 0, 0, take_addresses, "an address of 8 hex digits for each lane, or BASE+OFFSET of each"},
};

/* --- Lines --- */

/* Form: sm S warp W 0xPC 0xWORD, and one of these: literal text, and % with a part's letter.  Older cores
 * leave "sm S" out; registers may stand with or without a blank.  Masks and vectors have the highest lane
 * first. */
static const struct {
    line_kind kind;
    bool store;
    const char *text;
} forms[] = {
    {LINE_MEM_X, false, "lsu.r x%x op %o @ %s"},
    {LINE_MEM_V, false, "lsu.r v%v op %o @ %a"},
    {LINE_FIN, true, "lsu.w fin"}, /* A store was acknowledged */
    {LINE_MEM_X, true, "lsu.w x%x op %o %w @ %s"},
    {LINE_MEM_V, true, "lsu.w v%v op %o mask %m %l @ %a"},
    {LINE_JUMP, false, "Jump? %f %w"}, /* Branch, and VBRANCH and JOIN that fetch anew */
    {LINE_VBRANCH, false, "vbranch current mask and npc: %m %p"},
    {LINE_JOIN, false, "join mask and npc: %m %p pop stack ? %f"},
    {LINE_SETRPC, false, "setrpc %p"},
    {LINE_BARRIER, false, "barrier"},
    {LINE_ENDPRG, false, "endprg"},
    {LINE_X, false, "x%x %w"}, /* Writebacks */
    {LINE_V, false, "v%v %m %l"},
};
enum { NUM_FORM = sizeof forms / sizeof *forms };

/* One token of a form: literal text up to a blank or %, or a part.  NULL, or what was expected. */
static const char *take_token(chisel_log *p, text_cursor *c, chisel_line *l, const char **form,
                              char literal[32]) {
    if (**form == '%') {
        const unsigned char letter = (unsigned char)(*form)[1];
        size_t i = 0;
        while (parts[i].letter != letter)
            i++;
        *form += 2;
        const bool good = parts[i].take
                              ? parts[i].take(p, c, l)
                              : take_decimal(c, parts[i].most, (uint32_t *)((char *)l + parts[i].field));
        return good ? NULL : parts[i].expected;
    }
    const size_t length = strcspn(*form, " %");
    snprintf(literal, 32, "'%.*s", (int)length, *form);
    const bool good = text_take(c, literal + 1);
    strcat(literal, "'");
    *form += length;
    return good ? NULL : literal;
}

/* The line's rest in that form: NULL, or what was expected at the cursor. */
static const char *take_form(chisel_log *p, text_cursor *c, chisel_line *l, unsigned form, char literal[32]) {
    const char *expected = NULL, *at = forms[form].text;
    l->kind = (uint8_t)forms[form].kind;
    l->store = forms[form].store;
    while (*at && !expected) {
        at += *at == ' ';
        expected = take_token(p, c, l, &at, literal);
    }
    return expected || text_at_end(c) ? expected : "the end of the line";
}

/* The part after the word, in the form of which most is there. */
static bool take_rest(chisel_log *p, const text_cursor *c, chisel_line *l) {
    char literal[32], expected[128] =
                          "the effect of the instruction: x, v, lsu.r, lsu.w, Jump?, vbranch, join, "
                          "setrpc, barrier or endprg";
    ptrdiff_t most = 0;
    for (unsigned form = 0; form < NUM_FORM; form++) {
        const char *text = forms[form].text;
        if (strncmp(c->at, text, strcspn(text, " %")) != 0)
            continue; /* It begins otherwise */
        chisel_line line = *l;
        text_cursor at = *c;
        const char *wrong = take_form(p, &at, &line, form, literal);
        if (!wrong) {
            *l = line;
            return true;
        }
        const size_t used = at.at - c->at == most && most ? strlen(expected) : 0;
        if (at.at - c->at > most || used)
            snprintf(expected + used, sizeof expected - used, "%s%s", used ? " or " : "", wrong);
        if (at.at - c->at > most)
            most = at.at - c->at;
    }
    return log_lines_refuse(&p->text, l->line, "%s", expected);
}

/* The line begins with "sm S".  After other text it needs "sm S warp W", or "warp W" of older cores, and what
 * the core prints next: other programs have such words, too. */
static bool begins_line(text_cursor c, bool after_text) {
    uint32_t value;
    const bool has_sm = text_take(&c, "sm ");
    text_skip(&c);
    if (has_sm && (!text_number(&c, &value) || !text_ends(*c.at)))
        return false;
    if (has_sm && !after_text)
        return true;
    if (!text_take(&c, "warp "))
        return false;
    text_skip(&c);
    if (!text_number(&c, &value) || !text_ends(*c.at))
        return false;
    text_cursor simt = c;
    return text_take(&c, "0x") || text_take(&c, "0X") || text_take(&c, "undefined") ||
           text_hex32(&simt, &value);
}

bool chisel_begins(const char *line, text_cursor *at) {
    const char *first = line + strspn(line, " \t");
    for (at->at = first; *at->at; at->at++)
        if (begins_line(*at, at->at > first))
            return true;
    return false;
}

/* Take that line apart, the one that was taken last; *is_core: it is a line of the core that counts, *l. */
static bool read_line(chisel_log *p, const char *text, chisel_line *l, bool *is_core) {
    const uint32_t number = p->text.number;
    text_cursor c, blank = {text};
    *l = (chisel_line){.line = number};
    *is_core = false;
    const bool known = chisel_begins(text, &c);
    if (!known && text_at_end(&blank))
        return true;
    const bool foreign = !known || c.at > text + strspn(text, " \t");
    if (foreign && !p->end && !log_lines_foreign(&p->text, "a line of the Chisel core"))
        return false; /* Printed by the test bench, or a time */
    if (!known)
        return true;
    const bool has_sm = text_take(&c, "sm ");
    if (has_sm ? !take_decimal(&c, CHISEL_SM - 1, &l->sm) || !text_take(&c, "warp ")
               : !text_take(&c, "warp "))
        return log_lines_refuse(&p->text, number, "'sm S warp W'");
    if (!take_decimal(&c, CHISEL_WARP - 1, &l->warp))
        return log_lines_refuse(&p->text, number, "a warp slot's number, 0 to 63");
    if (text_take(&c, "undefined"))
        return true; /* Decoded, not issued: where it is, the next line shows */
    text_cursor ahead = c;
    if (text_hex32(&ahead, &l->pc) && text_0x32(&ahead, &l->word) && text_take(&ahead, "simt"))
        return true; /* A mask on its way to the stack */
    if (!text_0x32(&c, &l->pc) || !text_0x32(&c, &l->word))
        return log_lines_refuse(&p->text, number, "'0xPC 0xWORD'");
    *is_core = !text_at_end(&c); /* Else something of an older core has completed */
    return !*is_core || take_rest(p, &c, l);
}

bool chisel_check(chisel_log *p) {
    log_lines *text = &p->text;
    const bool partial = text->rules.partial;
    bool good = true, is_core;
    chisel_line l;
    uint32_t end = 0;
    log_lines_again(text);
    for (char *line; good && (line = log_lines_next(text));) {
        text->rules.partial = partial || text->unended; /* It is cut off, and so nothing wrong */
        good = read_line(p, line, &l, &is_core);
        if (good && is_core)
            end = p->last[l.sm][l.warp] = l.line;
        if (text->unended && text->stopped) {
            text->stopped = 0;
            good = true;
        }
    }
    text->rules.partial = false; /* The rule is about the lines alone */
    if ((!good && !text->stopped) || text->failed)
        return false;
    p->end = end;
    if (end)
        return true;
    cli_error("%s: expected lines 'sm S warp W 0xPC 0xWORD ...', found none", text->path);
    return false;
}

bool chisel_next(chisel_log *p, chisel_line *l) {
    log_lines *text = &p->text;
    for (bool is_core = false; !is_core;) {
        if (text->number >= p->end)
            return false;
        const char *line = log_lines_next(text);
        if (!line && !text->failed)
            log_lines_fail(text, "it has changed meanwhile");
        if (!line || !read_line(p, line, l, &is_core)) {
            text->failed = true;
            return false;
        }
    }
    return true;
}
