/* Command karat isa --markdown: the page of the instruction table. */
#include "isa.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 145 /* Columns; links and anchors are never broken and may reach beyond */

/* Prints text with its lines wrapped. An entry of a list begins with "- ", its further lines with two
 * spaces. */
static void print_wrapped(const char *text) {
    for (const char *end; *text; text = end + (*end == '\n')) {
        end = text + strcspn(text, "\n");
        const char *indent = strncmp(text, "- ", 2) == 0 || strncmp(text, "  ", 2) == 0 ? "  " : "";
        size_t column = strspn(text, " ");
        printf("%.*s", (int)column, text);
        text += column;
        for (bool first = true; text < end; first = false) {
            const char *word = text + strcspn(text, " \n");
            if (*word == ' ' && strncmp(text, "<a ", 3) == 0) /* A newline after "<a" would hide the anchor */
                word += 1 + strcspn(word + 1, " \n");
            const size_t length = (size_t)(word - text);
            if (!first && column + 1 + length > WIDTH)
                column = (size_t)printf("\n%s", indent) - 1;
            else if (!first)
                column += (size_t)printf(" ");
            column += (size_t)printf("%.*s", (int)length, text);
            text = word + (word < end);
        }
        putchar('\n');
    }
}

static void put_link(FILE *out, const karat_decision *d) {
    fprintf(out, "[%s](%s#%s)", d->id, d->page, d->id);
}

/* How many rows a chapter has, and how many of them a decision concerns. */
static void count(int chapter, int decision, int *rows, int *concerned) {
    *rows = *concerned = 0;
    for (int row = 0; row < karat_num_rows(); row++)
        if (karat_row_chapter(row) == chapter) {
            ++*rows;
            *concerned += karat_decision_concerns(decision, row);
        }
}

/* Whether the head of a chapter names a decision, for all of its rows. */
static bool at_head(int chapter, int decision) {
    int rows, concerned;
    count(chapter, decision, &rows, &concerned);
    return rows > 1 && concerned == rows && karat_decision_info(decision)->reach == KARAT_REACH_ROWS;
}

static void put_row_decisions(FILE *out, int row) {
    const char *separator = "; ";
    for (int i = 0; i < karat_num_decisions(); i++) {
        const karat_decision *d = karat_decision_info(i);
        if (d->reach != KARAT_REACH_ROWS || !karat_decision_concerns(i, row) ||
            at_head(karat_row_chapter(row), i))
            continue;
        fputs(separator, out);
        if (d->is_deviation)
            fputs("deviation ", out);
        put_link(out, d);
        separator = ", ";
    }
}

static void put_definition(FILE *out, int number) {
    karat_row_text d = karat_row_definition(number);
    if (!d.text)
        return;
    bool is_code = strcmp(d.kind, "comment") != 0 && strcmp(d.kind, "macro") != 0;
    if (is_code)
        putc('`', out);
    fputs(d.text, out);
    if (is_code)
        putc('`', out);
    fprintf(out, " ([%s](../golden/exec/%s))", d.file, d.file);
}

static void put_row(FILE *out, int number) {
    const karat_row *row = karat_row_info(number);
    char syntax[128], names[ISA_NAMES], spans[ISA_SPANS];
    isa_field fields[32];
    int num = isa_fields(row, fields);
    karat_row_syntax(number, syntax, sizeof syntax);
    fprintf(out, "- <a id=\"%s\"></a>`%s`", row->name, syntax);
    if (!row->illegal) {
        fputs(": ", out);
        put_definition(out, number);
    }
    fputs("<br>\n  `", out);
    for (int i = 0; i < num; i++)
        fprintf(out, "%s%s", i ? " " : "", fields[i].text);
    fprintf(out, "`, %08" PRIx32 " / %08" PRIx32, row->match, row->mask);
    if (!row->illegal)
        fprintf(out, "; %s; %s; %s", isa_owes(row, names), isa_unit(row), isa_policy(row));
    if (!row->illegal && row->widths)
        fprintf(out, "; %s", isa_widths(row, names));
    if (!row->illegal && *isa_spans(row, spans))
        fprintf(out, "; %s", spans);
    fprintf(out, "; %s", isa_profiles(row, names));
    if (row->left_out && !row->illegal)
        fprintf(out, ", left out in %s", isa_left_out(row, names));
    fprintf(out, "; %s", row->section);
    put_row_decisions(out, number);
    putc('\n', out);
}

static void put_chapter(FILE *out, int number, const bool *wanted) {
    const karat_chapter *chapter = karat_chapter_info(number);
    int rows = 0, here = 0;
    for (int row = 0; row < karat_num_rows(); row++)
        if (karat_row_chapter(row) == number) {
            rows++;
            here += wanted[row];
        }
    if (!here)
        return;
    fprintf(out, "\n<a id=\"chapter-%s\"></a>\n## %s\n\n%d rows.%s%s\n", chapter ? chapter->id : "others",
            chapter ? chapter->title : "Others", rows, chapter && *chapter->text ? " " : "",
            chapter ? chapter->text : "");
    const char *before = "\nFor all of them:\n\n";
    for (int i = 0; i < karat_num_decisions(); i++) {
        const karat_decision *d = karat_decision_info(i);
        if (!at_head(number, i))
            continue;
        fprintf(out, "%s- %s", before, d->is_deviation ? "deviation " : "");
        put_link(out, d);
        fprintf(out, ": %s\n", d->text);
        before = "";
    }
    putc('\n', out);
    for (int row = 0; row < karat_num_rows(); row++)
        if (wanted[row] && karat_row_chapter(row) == number)
            put_row(out, row);
}

/* The rows that a decision concerns: whole chapters by their titles. */
static void put_concerned(FILE *out, int decision) {
    const char *separator = "";
    for (int chapter = 0; chapter < karat_num_chapters(); chapter++) {
        const karat_chapter *c = karat_chapter_info(chapter);
        int rows, concerned;
        count(chapter, decision, &rows, &concerned);
        if (!concerned)
            continue;
        if (rows == concerned || concerned > 12) {
            fprintf(out, "%s", separator);
            if (rows != concerned)
                fprintf(out, "%d of ", concerned);
            fprintf(out, "[%s](#chapter-%s)", c->title, c->id);
            separator = ", ";
            continue;
        }
        for (int row = 0; row < karat_num_rows(); row++)
            if (karat_row_chapter(row) == chapter && karat_decision_concerns(decision, row)) {
                fprintf(out, "%s[%s](#%s)", separator, karat_row_info(row)->mnemonic,
                        karat_row_info(row)->name);
                separator = ", ";
            }
    }
}

static void put_decisions(FILE *out) {
    static const char *const reaches[] = {
        [KARAT_REACH_EVERY] = "every instruction",
        [KARAT_REACH_MACHINE] = "launch, host or memory: no instruction",
        [KARAT_REACH_LATER] = "instructions that the table does not have yet",
    };
    fputs("\n<a id=\"all-decisions\"></a>\n## Decisions and deviations\n\n"
          "[decisions.md](decisions.md) settles the gaps of the ISA documents, [isa-notes.md](isa-notes.md) "
          "further questions that "
          "arose when the model was built. A deviation is a named difference of a core: a run counts its "
          "uses, and none is the "
          "default. Each is followed by the instructions that it concerns.\n\n",
          out);
    for (int i = 0; i < karat_num_decisions(); i++) {
        const karat_decision *d = karat_decision_info(i);
        fprintf(out, "- %s", d->is_deviation ? "deviation " : "");
        put_link(out, d);
        fprintf(out, ": %s<br>\n  ", d->text);
        if (d->reach == KARAT_REACH_ROWS)
            put_concerned(out, i);
        else
            fputs(reaches[d->reach], out);
        putc('\n', out);
    }
}

static void put_csrs(FILE *out) {
    fputs("\n<a id=\"csrs\"></a>\n## CSRs\n\nAny other number is an illegal instruction "
          "([csrs](decisions.md#csrs)).\n\n| number | name |\n|---|---|\n",
          out);
    for (uint32_t csr = 0; csr < 4096; csr++)
        if (karat_csr_name(csr))
            fprintf(out, "| 0x%03" PRIx32 " | %s |\n", csr, karat_csr_name(csr));
        else if (karat_lane_csr_name(csr))
            fprintf(out, "| 0x%03" PRIx32 " | %s, by csrr.v alone (profile public) |\n", csr,
                    karat_lane_csr_name(csr));
}

static void put_contents(FILE *out) {
    fputs("# The instruction table\n\n"
          "Generated by `karat isa --markdown` from `golden/isa/ventus.def`, `decisions.def`, `chapters.def` "
          "and the definitions in "
          "`golden/exec`. `karat isa NAME` prints everything about one instruction.\n\n"
          "An entry has these parts, in this order:\n\n"
          "- *syntax*: *definition* in the model. `s1` is vs1, rs1 or the immediate in its place, `s2` vs2 "
          "or rs2 likewise, `d` the "
          "third operand (rs3, vs3, or vd's old value), `m` bit 0 of v0's element; `i` counts elements, that "
          "is lanes. One definition serves all widths: `U` and `S` are the unsigned and the signed integer "
          "of an element's width, `BITS` its "
          "number of bits, `UW` and `SW` integers of at least twice that. Operands have type `A`, which is "
          "`U` with at least 32 bits, or `UW` "
          "in widening rows.\n"
          "- *encoding*: fixed bits and operands, from bit 31 to bit 0; match / mask: a word w is the "
          "instruction when "
          "(w & mask) == match.\n"
          "- *owes*: the completions owed after the instruction's issue: `x`, `v` register writes, `mem` "
          "accesses, `simt` outcome, "
          "`csr`, `barrier`, `exit`.\n"
          "- *unit*: its class for coverage, generators and statistics.\n"
          "- *compared*: `exact` bit for bit; `ulp` so unless the core's description has a bound; "
          "`sum` so unless it has one of the distance from the exact sum.\n"
          "- *widths* of the elements that it computes on, where it computes: by vtype's SEW, and 64 bits, "
          "in register pairs, after a prefix "
          "with pair; operands of another width.\n"
          "- *profiles* that have it.\n"
          "- *section*: 4.x of the Ventus ISA manual v2.02; rv32i, rv32m, rv32a, zicsr, zfinx: the chapter "
          "of the RISC-V "
          "unprivileged specification; v1.0-N: chapter N of the V extension 1.0; v2.03-...: a chapter of the "
          "v2.03 draft.\n"
          "- *decisions* in addition to those at the head of the chapter.\n\n"
          "For every instruction:\n\n",
          out);
    for (int i = 0; i < karat_num_decisions(); i++)
        if (karat_decision_info(i)->reach == KARAT_REACH_EVERY) {
            fprintf(out, "- ");
            put_link(out, karat_decision_info(i));
            fprintf(out, ": %s\n", karat_decision_info(i)->text);
        }
    fprintf(out, "\n%d rows:\n\n", karat_num_rows());
    for (int i = 0; i < karat_num_chapters(); i++)
        fprintf(out, "- [%s](#chapter-%s)\n", karat_chapter_info(i)->title, karat_chapter_info(i)->id);
    fputs("- [Decisions and deviations](#all-decisions)\n- [CSRs](#csrs)\n", out);
}

bool isa_markdown(const bool *wanted, bool all) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    if (all)
        put_contents(out);
    for (int chapter = -1; chapter < karat_num_chapters(); chapter++) /* -1: rows that no chapter has */
        put_chapter(out, chapter, wanted);
    if (all) {
        put_decisions(out);
        put_csrs(out);
    }
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    if (good)
        print_wrapped(text);
    free(text);
    return good;
}
