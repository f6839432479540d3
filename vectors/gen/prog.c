#include "prog.h"

#include "array.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void prog_init(prog *p, karat_profile profile) {
    *p = (prog){.profile = profile, .num_prefix = 1, .launch = {.grid = {1, 1, 1}, .warps = 1}};
    p->prefix_row[PROG_PLAIN] = KARAT_NO_ROW;
    for (unsigned memory = 0; memory < 2; memory++) {
        for (int row = 0; row < karat_num_rows() && p->num_prefix < PROG_AUTO; row++) {
            const karat_row *info = karat_row_info(row);
            if (info->unit != KARAT_UNIT_PREFIX || !karat_row_is_legal(info, profile))
                continue;
            const karat_prefix says = karat_prefix_of(info->match);
            if ((says.memory || says.regpair) == memory)
                p->prefix_row[p->num_prefix++] = row;
        }
        if (!memory)
            p->num_general = p->num_prefix;
    }
}

void prog_free(prog *p) {
    free(p->insn);
    free(p->data);
    *p = (prog){0};
}

void prog_fail(prog *p, const char *format, ...) {
    if (p->failed)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(p->why, sizeof p->why, format, args);
    va_end(args);
    p->failed = true;
}

/* --- Adding instructions --- */

static int32_t append(prog *p, prog_insn insn) {
    if (!p->failed && !karat_grow(&p->insn, p->num, sizeof insn))
        prog_fail(p, "out of memory");
    if (p->failed)
        return PROG_NONE;
    p->insn[p->num] = insn;
    return (int32_t)p->num++;
}

bool prog_copy(prog *to, const prog *from) {
    *to = *from;
    to->insn = NULL;
    to->num = 0;
    to->data = malloc(from->data_size ? from->data_size : 1);
    for (uint32_t i = 0; i < from->num; i++)
        append(to, from->insn[i]);
    if (!to->data || to->num != from->num) {
        prog_free(to);
        return false;
    }
    if (from->data_size)
        memcpy(to->data, from->data, from->data_size);
    return true;
}

int32_t prog_word(prog *p, uint32_t word) {
    return append(p, (prog_insn){.word = word, .target = PROG_NONE, .high = PROG_NONE, .data = true});
}

/* Which bits a prefix has for each operand of a row, and what is left in the word. */
typedef struct split {
    int32_t low[KARAT_MAX_OPERAND];
    uint32_t x1, x2, x3, xd, imm;
    bool wide; /* An immediate needs more than its five bits */
} split;

static bool split_values(const karat_row *row, const int32_t value[KARAT_MAX_OPERAND], int32_t apart,
                         bool extend_imm, split *s) {
    *s = (split){0};
    for (uint32_t i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        s->low[i] = value[i];
        if (kind->is_reg) {
            const uint32_t limit = kind->cls == KARAT_CLASS_X ? KARAT_NUM_X : KARAT_NUM_V,
                           high = (uint32_t)value[i] >> 5;
            if (value[i] < 0 || (uint32_t)value[i] >= limit)
                return false;
            s->low[i] = value[i] & 31;
            switch (kind->role) {
            case KARAT_ROLE_DEST:
                s->xd = high;
                if (!kind->is_read || apart == PROG_NONE)
                    break;
                if ((apart ^ value[i]) & 31)
                    return false;
                s->x3 = (uint32_t)apart >> 5;
                break;
            case KARAT_ROLE_SRC1: s->x1 = high; break;
            case KARAT_ROLE_SRC2: s->x2 = high; break;
            case KARAT_ROLE_SRC3: s->x3 = high; break;
            default: break;
            }
        } else if (kind->extends && extend_imm) {
            const int32_t least = kind->is_signed ? -1024 : 0, most = kind->is_signed ? 1023 : 2047;
            if (value[i] < least || value[i] > most)
                return false;
            s->imm = (uint32_t)value[i] >> 5 & 63;
            s->low[i] = value[i] & 31;
            if (kind->is_signed && s->low[i] > 15)
                s->low[i] -= 32;
        }
    }
    return true;
}

karat_prefix prog_prefix_info(const prog *p, prog_prefix prefix) {
    const bool is_one = prefix != PROG_PLAIN && prefix < p->num_prefix;
    return karat_prefix_of(is_one ? karat_row_info(p->prefix_row[prefix])->match : 0);
}

prog_prefix prog_prefix_number(const prog *p, uint32_t word) {
    karat_insn head;
    if (word && karat_decode(p->profile, word, &head) != KARAT_NO_ROW)
        for (prog_prefix k = PROG_REGEXT; k < p->num_prefix; k++)
            if (p->prefix_row[k] == head.row)
                return k;
    return PROG_AUTO;
}

prog_fields prog_prefix_fields(uint32_t word) {
    const karat_prefix says = karat_prefix_of(word);
    return (prog_fields){says.pair, says.abs, says.neg, says.hint};
}

/* The word of a prefix. */
static bool encode_prefix(const prog *p, prog_prefix prefix, const split *s, prog_fields fields,
                          uint32_t *word) {
    const struct {
        const char *name;
        uint32_t value;
    } all[] = {{"x3", s->x3},       {"x2", s->x2},       {"x1", s->x1},
               {"xd", s->xd},       {"imm10_5", s->imm}, {"pair", fields.pair},
               {"abs", fields.abs}, {"neg", fields.neg}, {"hint", fields.hint}};
    const karat_row *info = karat_row_info(p->prefix_row[prefix]);
    int32_t value[KARAT_MAX_OPERAND] = {0};
    for (uint32_t k = 0; k < sizeof all / sizeof *all; k++) {
        bool has = false;
        for (uint32_t i = 0; i < info->num_operands; i++)
            if (strcmp(karat_operand_info(info->operands[i])->name, all[k].name) == 0) {
                value[i] = (int32_t)all[k].value;
                has = true;
            }
        if (all[k].value && !has)
            return false;
    }
    return karat_encode(p->prefix_row[prefix], value, word);
}

int32_t prog_put(prog *p, int row, const int32_t value[KARAT_MAX_OPERAND], prog_prefix prefix,
                 int32_t apart) {
    return prog_put_with(p, row, value, prefix, (prog_fields){0}, apart);
}

bool prog_encode(const prog *p, int row, const int32_t value[KARAT_MAX_OPERAND], prog_prefix prefix,
                 prog_fields fields, int32_t apart, prog_insn *insn) {
    const karat_row *info = karat_row_info(row);
    split s;
    *insn = (prog_insn){.target = PROG_NONE, .high = PROG_NONE};
    const bool imm = prog_prefix_info(p, prefix).has_imm;
    if (!info || !split_values(info, value, apart, imm, &s) || !karat_encode(row, s.low, &insn->word))
        return false;
    if (prefix == PROG_AUTO)
        prefix = s.x1 | s.x2 | s.x3 | s.xd ? PROG_REGEXT : PROG_PLAIN;
    if (prefix == PROG_PLAIN)
        return !(s.x1 | s.x2 | s.x3 | s.xd);
    return prefix < p->num_prefix && encode_prefix(p, prefix, &s, fields, &insn->prefix) &&
           karat_prefix_fits(row, insn->prefix);
}

int32_t prog_put_with(prog *p, int row, const int32_t value[KARAT_MAX_OPERAND], prog_prefix prefix,
                      prog_fields fields, int32_t apart) {
    prog_insn insn;
    return prog_encode(p, row, value, prefix, fields, apart, &insn) ? append(p, insn) : PROG_NONE;
}

int32_t prog_add(prog *p, const char *name, ...) {
    const int row = karat_find_row(name);
    const karat_row *info = karat_row_info(row);
    int32_t value[KARAT_MAX_OPERAND] = {0};
    va_list args;
    va_start(args, name);
    for (uint32_t i = 0; info && i < info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(info->operands[i]);
        if (kind->role == KARAT_ROLE_IGNORED)
            value[i] = kind->written;
        else if (kind->bits)
            value[i] = va_arg(args, int32_t);
    }
    va_end(args);
    const int32_t at = p->failed ? PROG_NONE : prog_put(p, row, value, PROG_AUTO, PROG_NONE);
    if (at == PROG_NONE)
        prog_fail(p, "instruction %" PRIu32 ": %s cannot be encoded", p->num, name);
    return at;
}

void prog_lead(prog *p, int32_t insn, int32_t target) {
    if (!p->failed && insn >= 0 && (uint32_t)insn < p->num)
        p->insn[insn].target = target;
}

void prog_page(prog *p, const char *format, ...) {
    char text[KARAT_PAGE_TEXT];
    karat_diag diag;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (p->num_pages == PROG_PAGES)
        prog_fail(p, "too many changes of pages");
    else if (!karat_page_parse(text, strlen(text), &p->pages[p->num_pages++], &diag))
        prog_fail(p, "%.*s", (int)sizeof p->why - 1, diag.text);
}

void prog_li(prog *p, uint32_t reg, uint32_t value) {
    const int32_t low = (int32_t)(value << 20) >> 20;
    const uint32_t high = (value - (uint32_t)low) >> 12;
    if (high)
        prog_add(p, "lui", (int32_t)reg, (int32_t)high);
    if (low || !high)
        prog_add(p, "addi", (int32_t)reg, high ? (int32_t)reg : 0, low);
}

int32_t prog_la(prog *p, uint32_t reg) {
    const int32_t high = prog_add(p, "auipc", (int32_t)reg, 0),
                  low = prog_add(p, "addi", (int32_t)reg, (int32_t)reg, 0);
    if (low != PROG_NONE)
        p->insn[low].high = high;
    return low;
}

/* --- Changing it --- */

void prog_remove(prog *p, uint32_t first, uint32_t last) {
    const uint32_t removed = last - first;
    uint32_t n = first;
    for (uint32_t i = last; i < p->num; i++)
        p->insn[n++] = p->insn[i];
    p->num = n;
    for (uint32_t i = 0; i < n; i++) {
        prog_insn *insn = &p->insn[i];
        if (insn->target >= (int32_t)last)
            insn->target -= (int32_t)removed;
        else if (insn->target > (int32_t)first)
            insn->target = (int32_t)first; /* The instruction after the gap */
        if (insn->high >= (int32_t)last)
            insn->high -= (int32_t)removed;
        else if (insn->high >= (int32_t)first)
            insn->high = insn->target = PROG_NONE; /* Half an address is a number */
    }
}

bool prog_insert(prog *p, uint32_t at, const prog *from, uint32_t first, uint32_t num) {
    const uint32_t before = p->num;
    for (uint32_t i = 0; i < num; i++)
        append(p, from->insn[first + i]);
    if (p->failed)
        return false;
    memmove(p->insn + at + num, p->insn + at, (before - at) * sizeof *p->insn);
    memcpy(p->insn + at, from->insn + first, num * sizeof *p->insn);
    for (uint32_t i = 0; i < p->num; i++) {
        prog_insn *insn = &p->insn[i];
        if (i - at >= num) { /* Of the program itself */
            insn->target += insn->target > (int32_t)at ? (int32_t)num : 0;
            insn->high += insn->high >= (int32_t)at ? (int32_t)num : 0;
            continue;
        }
        const int32_t base = (int32_t)first, end = base + (int32_t)num;
        if (insn->high != PROG_NONE && insn->high < base)
            insn->high = insn->target = PROG_NONE;
        if (insn->high != PROG_NONE)
            insn->high += (int32_t)at - base;
        if (insn->target != PROG_NONE) /* A way out of it leads to its end */
            insn->target = (int32_t)at +
                           (insn->target >= base && insn->target < end ? insn->target - base : (int32_t)num);
    }
    return true;
}

/* --- Words --- */

/* The immediate that a target decides: that of a branch, or the last one of the instruction that completes an
 * address. */
static int target_operand(const karat_row *row) {
    for (uint32_t i = row->num_operands; i-- > 0;) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (kind->role == KARAT_ROLE_IMM && strcmp(kind->name, "rm") != 0)
            return (int)i;
    }
    return PROG_NONE;
}

static bool put_immediate(prog *p, const prog_insn *insn, int64_t value, uint32_t *word) {
    karat_insn x;
    int operand = PROG_NONE;
    if (karat_decode(p->profile, insn->word, &x) != KARAT_NO_ROW)
        operand = target_operand(karat_row_info(x.row));
    if (operand != PROG_NONE && value >= INT32_MIN && value <= INT32_MAX) {
        x.value[operand] = (int32_t)value;
        if (karat_encode(x.row, x.value, word))
            return true;
    }
    prog_fail(p, "instruction %td: its target is out of reach", insn - p->insn);
    return false;
}

uint32_t prog_address(const prog *p, uint32_t insn) {
    uint32_t addr = PROG_CODE;
    for (uint32_t i = 0; i < insn && i < p->num; i++)
        addr += p->insn[i].prefix ? 8 : 4;
    return addr;
}

uint32_t *prog_link(prog *p, uint32_t *num) {
    uint32_t *words = malloc((2 * p->num + 1) * sizeof *words), *at = malloc((p->num + 1) * sizeof *at);
    uint32_t n = 0;
    if (!words || !at)
        prog_fail(p, "out of memory");
    for (uint32_t i = 0; !p->failed && i <= p->num; i++) {
        at[i] = n;
        if (i < p->num)
            n += p->insn[i].prefix ? 2 : 1;
    }
    *num = n;
    n = 0;
    for (uint32_t i = 0; !p->failed && i < p->num; i++) {
        const prog_insn *insn = &p->insn[i];
        if (insn->prefix)
            words[n++] = insn->prefix;
        words[n++] = insn->word;
        if (insn->target == PROG_NONE)
            continue;
        /* A pc is that of the instruction itself, after its prefix. */
        const int64_t to = 4 * (int64_t)at[insn->target];
        if (insn->high == PROG_NONE) {
            put_immediate(p, insn, to - 4 * ((int64_t)n - 1), &words[n - 1]);
            continue;
        }
        const prog_insn *high = &p->insn[insn->high];
        const uint32_t high_at = at[insn->high] + (high->prefix ? 1 : 0);
        const int64_t offset = to - 4 * (int64_t)high_at,
                      low = (int64_t)((int32_t)((uint32_t)offset << 20) >> 20);
        put_immediate(p, high, (offset - low) >> 12 & 0xfffff, &words[high_at]);
        put_immediate(p, insn, low, &words[n - 1]);
    }
    free(at);
    if (!p->failed)
        return words;
    free(words);
    return NULL;
}

/* --- Taking it apart --- */

const karat_row *prog_decode(const prog *p, uint32_t at, karat_insn *insn, int32_t *apart) {
    const prog_insn *of = &p->insn[at];
    return of->data ? NULL
                    : karat_row_info(karat_decode_prefixed(p->profile, of->prefix, of->word, insn, apart));
}

/* The instruction at that address; PROG_NONE: none begins there. */
static int32_t insn_at(const uint32_t *addr, uint32_t num, uint32_t wanted) {
    uint32_t low = 0, high = num;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (addr[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low <= num && addr[low] == wanted ? (int32_t)low : PROG_NONE;
}

/* The instruction that completes the AUIPC's address: the first after it that reads its register before
 * anything writes it. */
static int32_t completes(const prog *p, uint32_t from, int32_t reg) {
    for (uint32_t i = from + 1; i < p->num && i < from + 8; i++) {
        karat_insn x;
        const karat_row *row = prog_decode(p, i, &x, NULL);
        if (!row)
            return PROG_NONE;
        bool writes = false, offset = false;
        int32_t base = PROG_NONE;
        for (uint32_t k = 0; k < row->num_operands; k++) {
            const karat_operand_kind *kind = karat_operand_info(row->operands[k]);
            if (kind->is_reg && kind->cls == KARAT_CLASS_X) {
                if (kind->role == KARAT_ROLE_SRC1)
                    base = x.value[k];
                writes |= kind->role == KARAT_ROLE_DEST && x.value[k] == reg;
            }
            offset |= kind->role == KARAT_ROLE_IMM && kind->bits == 12 && kind->is_signed;
        }
        if (base == reg)
            return offset ? (int32_t)i : PROG_NONE;
        if (writes || row->unit == KARAT_UNIT_BRANCH || row->unit == KARAT_UNIT_SIMT)
            return PROG_NONE;
    }
    return PROG_NONE;
}

static void find_targets(prog *p, const uint32_t *addr) {
    const uint32_t end = addr[p->num];
    for (uint32_t i = 0; i < p->num; i++) {
        karat_insn x;
        prog_insn *insn = &p->insn[i];
        const karat_row *row = prog_decode(p, i, &x, NULL);
        if (!row)
            continue;
        const uint32_t pc = addr[i] + (insn->prefix ? 4 : 0);
        uint32_t to;
        if (strcmp(row->name, "auipc") == 0) {
            const int32_t low = completes(p, i, x.value[0]);
            karat_insn y;
            const karat_row *with = low == PROG_NONE ? NULL : prog_decode(p, (uint32_t)low, &y, NULL);
            if (!with)
                continue;
            to = pc + ((uint32_t)x.value[1] << 12) + (uint32_t)y.value[target_operand(with)];
            if (to - PROG_CODE > end - PROG_CODE ||
                (p->insn[low].target = insn_at(addr, p->num, to)) == PROG_NONE)
                continue; /* Data, which does not move */
            p->insn[low].high = (int32_t)i;
            continue;
        }
        const int operand = target_operand(row);
        if (operand == PROG_NONE || karat_operand_info(row->operands[operand])->shift != 1)
            continue;
        to = pc + (uint32_t)x.value[operand];
        insn->target = insn_at(addr, p->num, to);
        insn->data = insn->target == PROG_NONE; /* Words that never run are data */
    }
}

static void take_data(prog *p, const karat_buffer *buffer, const karat_buffer *code) {
    if (p->failed || buffer == code || !buffer->alloc_size || buffer->base == PROG_PDS)
        return;
    if (buffer->base != PROG_DATA || p->data) {
        prog_fail(p, "data at 0x%08" PRIx32 ": expected one buffer, at 0x%08x", buffer->base, PROG_DATA);
        return;
    }
    if (!(p->data = calloc(1, buffer->alloc_size))) {
        prog_fail(p, "out of memory");
        return;
    }
    memcpy(p->data, buffer->data, buffer->size);
    p->data_size = buffer->alloc_size;
}

bool prog_of_kernel(prog *p, karat_profile profile, const karat_kernel *kernel, karat_diag *diag) {
    prog_init(p, profile);
    const karat_buffer *code = NULL;
    for (uint32_t i = 0; i < kernel->num_buffers; i++)
        if (kernel->start_addr - kernel->buffers[i].base < kernel->buffers[i].size)
            code = &kernel->buffers[i];
    if (!code || kernel->start_addr != code->base || code->base != PROG_CODE) {
        snprintf(diag->text, sizeof diag->text, "%s: its code does not begin at 0x%08x", kernel->name,
                 PROG_CODE);
        return false;
    }
    const uint32_t num = code->size / 4;
    uint32_t *addr = malloc((num + 1) * sizeof *addr);
    if (!addr)
        prog_fail(p, "out of memory");
    for (uint32_t i = 0; !p->failed && i < num; i++) {
        uint32_t word[2] = {0};
        memcpy(word, code->data + 4 * i, i + 1 < num ? 8 : 4);
        karat_insn x;
        const bool prefix = karat_is_prefix(profile, word[0]) && i + 1 < num;
        prog_insn insn = {
            .word = word[prefix], .prefix = prefix ? word[0] : 0, .target = PROG_NONE, .high = PROG_NONE};
        insn.data = karat_decode_prefixed(profile, insn.prefix, insn.word, &x, NULL) == KARAT_NO_ROW;
        addr[p->num] = PROG_CODE + 4 * i;
        append(p, insn);
        i += prefix;
    }
    if (kernel->num_pages > PROG_PAGES)
        prog_fail(p, "too many changes of pages");
    else if (kernel->num_pages)
        memcpy(p->pages, kernel->pages, kernel->num_pages * sizeof *p->pages);
    p->num_pages = kernel->num_pages;
    if (!p->failed)
        addr[p->num] = PROG_CODE + 4 * num;
    p->launch = (struct prog_launch){.grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
                                     .warps = kernel->wg_size,
                                     .threads = kernel->wf_size,
                                     .knl = kernel->knl,
                                     .lds = kernel->lds_size,
                                     .pds = kernel->pds_size,
                                     .sgprs = kernel->sgprs,
                                     .vgprs = kernel->vgprs,
                                     .local = {kernel->local[0], kernel->local[1], kernel->local[2]},
                                     .items = {kernel->global[0], kernel->global[1], kernel->global[2]},
                                     .slots = kernel->pds_slots};
    for (uint32_t i = 0; i < kernel->num_buffers; i++)
        take_data(p, &kernel->buffers[i], code);
    const bool ok = !p->failed;
    if (ok)
        find_targets(p, addr);
    else
        snprintf(diag->text, sizeof diag->text, "%s: %s", kernel->name, p->why);
    free(addr);
    if (!ok)
        prog_free(p);
    return ok;
}
