/* Notes on the instruction table: chapters, decisions, definitions and syntax. */
#include "karat/notes.h"

#include <stdio.h>
#include <string.h>

#include "definitions.h"
#include "isa.h"

/* --- Selectors of decisions.def and chapters.def --- */

/* Whether a part of "4.1; v1.0-11.4" is that section, or one below it. */
static bool in_section(const karat_row *row, const char *section) {
    size_t length = strlen(section);
    for (const char *part = row->section; *part; part += strcspn(part, ";"), part += strspn(part, "; "))
        if (strncmp(part, section, length) == 0 && !(part[length] && strchr("0123456789", part[length])))
            return true;
    return false;
}

static bool uses(const karat_row *row, uint8_t kind) {
    for (unsigned i = 0; i < row->num_operands; i++)
        if (row->operands[i] == kind)
            return true;
    return false;
}

static bool has_ext5(const karat_row *row) {
    for (unsigned i = 0; i < row->num_operands; i++)
        if (karat_operand_defs[row->operands[i]].ext5)
            return true;
    return false;
}

/* Vector opcodes: arithmetic, loads, stores (V 1.0, chapter 5). */
static bool is_vector(const karat_row *row) {
    uint32_t opcode = row->match & 0x7fu;
    return opcode == 0x57 || opcode == 0x07 || opcode == 0x27;
}

/* A custom row that fixes the field of rd at zero: it has no other use for it. */
static bool has_zeroes(const karat_row *row) {
    uint32_t opcode = row->match & 0x7fu, rd = 0x1fu << 7;
    return (opcode == 0x0b || opcode == 0x5b) && (row->mask & rd) == rd && !(row->match & rd);
}

/* The selectors' words for row, whose number is number. All but ILLEGAL, SOME and IS imply that it is not
 * left out. */
#define ILLEGAL      (row->illegal)
#define LIVE         (!row->illegal)
#define IS(id)       (number == KARAT_ROW_##id)
#define SOME         (row->profiles != SET_ALL)
#define SECTION(s)   (LIVE && in_section(row, s))
#define UNIT(u)      (LIVE && row->unit == KARAT_UNIT_##u)
#define OWES(o)      (LIVE && row->owes & KARAT_OWES_##o)
#define POLICY(p)    (LIVE && row->policy == KARAT_##p)
#define USES(kind)   (LIVE && uses(row, KARAT_OP_##kind))
#define OPCODE(code) (LIVE && (row->match & 0x7fu) == (code))
#define EXT5         (LIVE && has_ext5(row))
#define ROUNDS       (LIVE && row->rounds)
#define ZEROES       (LIVE && has_zeroes(row))
#define FLOAT        (LIVE && karat_row_is_float(row))
#define NARROW       (LIVE && karat_row_follows_sew(row))
#define BY_PAIR      (LIVE && row->widths >> KARAT_W64 & 1)
#define VEXT         (LIVE && is_vector(row))

/* --- Decisions --- */

enum {
    REACH_ROWS = KARAT_REACH_ROWS,
    REACH_EVERY = KARAT_REACH_EVERY,
    REACH_MACHINE = KARAT_REACH_MACHINE,
    REACH_LATER = KARAT_REACH_LATER
};

static const karat_decision decisions[] = {
#define DECISION(id, page, reach, text, selector)  {#id, #page, text, (karat_reach)REACH_##reach, false},
#define DEVIATION(id, page, reach, text, selector) {#id, #page, text, (karat_reach)REACH_##reach, true},
#include "decisions.def"
#undef DECISION
#undef DEVIATION
};
enum { DECISIONS = sizeof decisions / sizeof *decisions };

int karat_num_decisions(void) {
    return DECISIONS;
}

const karat_decision *karat_decision_info(int decision) {
    return decision >= 0 && decision < DECISIONS ? &decisions[decision] : NULL;
}

bool karat_decision_concerns(int decision, int number) {
    const karat_row *row = karat_row_info(number);
    int i = 0;
    if (!row)
        return false;
#define DECISION(id, page, reach, text, selector)                                                            \
    if (decision == i++)                                                                                     \
        return (selector);
#define DEVIATION(id, page, reach, text, selector)                                                           \
    if (decision == i++)                                                                                     \
        return (selector);
#include "decisions.def"
#undef DECISION
#undef DEVIATION
    return false;
}

/* --- Chapters --- */

static const karat_chapter chapters[] = {
#define CHAPTER(id, title, text, selector) {#id, title, text},
#include "chapters.def"
#undef CHAPTER
};
enum { CHAPTERS = sizeof chapters / sizeof *chapters };

int karat_num_chapters(void) {
    return CHAPTERS;
}

const karat_chapter *karat_chapter_info(int chapter) {
    return chapter >= 0 && chapter < CHAPTERS ? &chapters[chapter] : NULL;
}

int karat_row_chapter(int number) {
    const karat_row *row = karat_row_info(number);
    int i = 0;
    if (!row)
        return -1;
#define CHAPTER(id, title, text, selector)                                                                   \
    if (selector)                                                                                            \
        return i;                                                                                            \
    i++;
#include "chapters.def"
#undef CHAPTER
    return -1;
}

/* --- Definitions and syntax --- */

static const char *const semantics[KARAT_ROWS] = {
#define ROW(id, mnemonic, match, mask, ops, sem, ...) #sem,
#include "ventus.def"
#undef ROW
};

karat_row_text karat_row_definition(int row) {
    karat_row_text text = {0};
    if (!karat_row_info(row))
        return text;
    text.semantic = semantics[row];
    for (const karat_definition *d = karat_definitions; d->semantic; d++)
        if (strcmp(d->semantic, text.semantic) == 0) {
            text.text = d->text;
            text.kind = d->kind;
            text.file = d->file;
        }
    return text;
}

void karat_row_syntax(int number, char *text, size_t size) {
    const karat_row *row = karat_row_info(number);
    const char *separator = " ";
    bool closes = false;
    size_t n = 0;
    size = text ? size : 0;
    if (size)
        text[0] = 0;
#define PUT(...)                                                                                             \
    do {                                                                                                     \
        int length = snprintf(text + n, size - n, __VA_ARGS__);                                              \
        if (length < 0 || (size_t)length >= size - n)                                                        \
            return;                                                                                          \
        n += (size_t)length;                                                                                 \
    } while (0)
    if (!row || !size)
        return;
    PUT("%s", row->mnemonic);
    for (unsigned i = 0; i < row->num_operands; i++)
        if (karat_operand_defs[row->operands[i]].syntax == KARAT_SYN_ORDER)
            PUT("[.%s]", karat_operand_defs[row->operands[i]].info.name);
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_def *def = &karat_operand_defs[row->operands[i]];
        const char *name = def->info.name;
        switch (def->syntax) {
        case KARAT_SYN_HIDDEN:
        case KARAT_SYN_ORDER: continue;
        case KARAT_SYN_MASK: PUT("[%sv0.t]", separator); break;
        case KARAT_SYN_BASE: PUT("%s(%s)", separator, name); break;
        case KARAT_SYN_OFFSET: PUT("%s%s(", separator, name); break;
        default: PUT("%s%s%s", separator, name, closes ? ")" : ""); break;
        }
        closes = def->syntax == KARAT_SYN_OFFSET;
        separator = closes ? "" : ", ";
    }
#undef PUT
}
