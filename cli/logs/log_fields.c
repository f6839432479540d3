/* The fields of a register log's commit line. */
#include "log.h"

#include <string.h>

/* 8 hex digits, or 16 with the upper ones a sign or zero. */
static bool take_digits(text_cursor *c, uint32_t *value, uint32_t *forms) {
    uint64_t wide;
    text_cursor ahead = *c;
    if (text_hex32(&ahead, value)) {
        *c = ahead;
        return true;
    }
    if (!text_hex(c, 16, &wide) || (wide >> 32 && wide >> 32 != UINT32_MAX))
        return false;
    *value = (uint32_t)wide;
    *forms |= LOG_WIDE;
    return true;
}

bool log_take_value(text_cursor *c, uint32_t *value, uint32_t *forms) {
    return text_take(c, "0x") && take_digits(c, value, forms);
}

bool log_take_part(text_cursor *c, const char *name, uint32_t *value) {
    uint32_t forms = 0;
    if (!text_take(c, name))
        return false;
    if (strcmp(name, "stack size:") != 0)
        return take_digits(c, value, &forms);
    text_skip(c);
    const int digits = (int)strspn(c->at, TEXT_HEX_DIGITS);
    uint64_t depth;
    if (!digits || digits > 8 || !text_hex(c, digits, &depth))
        return false;
    *value = (uint32_t)depth;
    return true;
}

/* Form: x5 0x........ , or f7 0xffffffff........ , which is x7 */
static bool take_x_or_f(text_cursor *c, log_fields *f, bool is_float) {
    log_x *x = &f->x[f->num_x];
    uint64_t value;
    if (f->num_x == LOG_MAX_WRITE || !text_number(c, &x->reg) || x->reg >= KARAT_NUM_X || !text_ends(*c->at))
        return false;
    text_cursor boxed = *c;
    if (is_float && text_take(&boxed, "0x") && text_hex(&boxed, 16, &value)) {
        if (value >> 32 != UINT32_MAX)
            return false;
        x->value = (uint32_t)value;
        *c = boxed;
    } else if (!log_take_value(c, &x->value, &f->forms)) {
        return false;
    }
    f->num_x++;
    return true;
}

static bool take_x(text_cursor *c, log_fields *f) {
    return take_x_or_f(c, f, false);
}

static bool take_f(text_cursor *c, log_fields *f) {
    return take_x_or_f(c, f, true);
}

static uint32_t hex8(const char *digits) {
    uint32_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 4 | (uint32_t)(digits[i] <= '9' ? digits[i] - '0' : (digits[i] | 0x20) - 'a' + 10);
    return value;
}

/* 0x and the register, the highest word first: in one number, or in words.  It has at least as many words as
 * lanes. */
static bool take_words(text_cursor *c, log_fields *f, log_v *v) {
    uint32_t words = 0, numbers = 0;
    uint32_t last[KARAT_MAX_THREAD]; /* The last ones: a ring */
    if (!text_take(c, "0x"))
        return false;
    for (;; numbers++) {
        const size_t digits = strspn(c->at, TEXT_HEX_DIGITS);
        if (!digits || digits % 8 || !text_ends(c->at[digits]))
            break;
        for (size_t i = 0; i < digits; i += 8)
            last[words++ % KARAT_MAX_THREAD] = hex8(c->at + i);
        c->at += digits;
        text_skip(c);
    }
    if (words < f->log->lanes || (f->log->words && words != f->log->words))
        return false;
    for (uint32_t lane = 0; lane < f->log->lanes; lane++)
        v->value[lane] = last[(words - 1 - lane) % KARAT_MAX_THREAD];
    f->forms |= numbers == 1 && words > 1 ? LOG_V_NUMBER : LOG_V_WORDS;
    f->num_words = words;
    return true;
}

/* Form: v1 MASK 0xVALUE VALUE ...; older logs have no mask. */
static bool take_v(text_cursor *c, log_fields *f) {
    log_v *v = &f->v[f->num_v];
    if (f->num_v == LOG_MAX_WRITE || !text_number(c, &v->reg) || v->reg >= KARAT_NUM_V || !text_ends(*c->at))
        return false;
    text_cursor ahead = *c;
    v->mask = 0;
    v->has_mask = !text_take(&ahead, "0x");
    if (v->has_mask && !text_hex32(c, &v->mask))
        return false;
    f->forms |= v->has_mask ? LOG_V_MASK : LOG_V_BARE;
    if (!take_words(c, f, v))
        return false;
    f->num_v++;
    return true;
}

/* Form: c768_mstatus 0x........ */
static bool take_csr(text_cursor *c, log_fields *f) {
    log_csr *csr = &f->csr[f->num_csr];
    if (f->num_csr == LOG_MAX_CSR || !text_number(c, &csr->csr) || csr->csr > 0xfff || *c->at++ != '_')
        return false;
    const size_t length = strcspn(c->at, " \t"); /* Length of the field's name */
    c->at += length;
    if (!length || !log_take_value(c, &csr->value, &f->forms))
        return false;
    f->num_csr++;
    return true;
}

/* A power of two up to that. */
static bool take_power(text_cursor *c, uint32_t least, uint32_t most, uint32_t *value) {
    return text_number(c, value) && text_ends(*c->at) && *value >= least && *value <= most &&
           !(*value & (*value - 1));
}

/* Form: e32 m1 l8, or e32 mf2 l8 */
static bool take_config(text_cursor *c, log_fields *f) {
    if (f->has_config || !take_power(c, 8, 64, &f->sew) || !text_take(c, "m"))
        return false;
    f->lmul = f->fraction = 0;
    const bool part = *c->at == 'f';
    c->at += part;
    if (!take_power(c, part ? 2 : 1, 8, part ? &f->fraction : &f->lmul) || !text_take(c, "l") ||
        !text_number(c, &f->vl) || !text_ends(*c->at))
        return false;
    f->has_config = true;
    return true;
}

/* Form: mem 0xADDR, and for a store 0xDATA: as many digits as bytes were stored, but a byte below 0x10 has
 * one. */
static bool take_mem(text_cursor *c, log_fields *f) {
    log_access *a = &f->mem[f->num_mem];
    if (f->num_mem == sizeof f->mem / sizeof *f->mem || !log_take_value(c, &a->addr, &f->forms))
        return false;
    text_cursor ahead = *c;
    a->stored = 0;
    a->value = 0;
    if (text_take(&ahead, "0x")) {
        const size_t digits = strcspn(ahead.at, " \t");
        uint64_t value;
        if ((digits != 1 && digits != 2 && digits != 4 && digits != 8) ||
            !text_hex(&ahead, (int)digits, &value))
            return false;
        if (digits == 1)
            f->forms |= LOG_NARROW_DATA;
        a->value = (uint32_t)value;
        a->stored = (uint8_t)((digits + 1) / 2);
        *c = ahead;
    }
    f->num_mem++;
    return true;
}

/* Form: current mask: ........ current npc: ........ stack size: N */
static bool take_simt(text_cursor *c, log_fields *f) {
    if (f->has_simt || !log_take_part(c, "", &f->mask) || !log_take_part(c, "current npc:", &f->npc) ||
        !log_take_part(c, "stack size:", &f->depth))
        return false;
    f->has_simt = true;
    f->forms |= LOG_SIMT_FIELDS;
    return true;
}

static bool take_field(text_cursor *c, log_fields *f) {
    static const struct {
        const char *begin;
        bool (*take)(text_cursor *, log_fields *);
    } fields[] = {{"current mask:", take_simt},
                  {"mem ", take_mem},
                  {"x", take_x},
                  {"f", take_f},
                  {"v", take_v},
                  {"c", take_csr},
                  {"e", take_config}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (text_take(c, fields[i].begin))
            return fields[i].take(c, f);
    return false;
}

bool log_take_fields(const log_file *log, text_cursor *c, log_fields *f) {
    f->log = log;
    f->num_x = f->num_v = f->num_csr = f->num_mem = f->num_words = 0;
    f->has_config = f->has_simt = false;
    f->depth = f->forms = 0;
    while (!text_at_end(c)) {
        const text_cursor from = *c;
        if (!take_field(c, f)) {
            *c = from;
            return false;
        }
    }
    return true;
}
