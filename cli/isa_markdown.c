/* karat isa --markdown: the ISA notes, docs/isa.md. */
#include "isa.h"

#include <inttypes.h>
#include <string.h>

/* Text for a cell of a table. */
static void put_cell(const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text);
    }
}

static void put_link(const karat_decision *d) {
    printf("[%s](%s#%s)", d->id, d->page, d->id);
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

static void put_row_decisions(int row) {
    const char *separator = "";
    for (int i = 0; i < karat_num_decisions(); i++) {
        const karat_decision *d = karat_decision_info(i);
        if (d->reach != KARAT_REACH_ROWS || !karat_decision_concerns(i, row) ||
            at_head(karat_row_chapter(row), i))
            continue;
        fputs(separator, stdout);
        if (d->is_deviation)
            fputs("deviation ", stdout);
        put_link(d);
        separator = ", ";
    }
}

static void put_definition(int number) {
    karat_row_text d = karat_row_definition(number);
    if (!d.text)
        return;
    bool is_code = strcmp(d.kind, "comment") != 0 && strcmp(d.kind, "macro") != 0;
    if (is_code)
        putchar('`');
    put_cell(d.text);
    if (is_code)
        putchar('`');
    printf(" ([%s](../golden/exec/%s))", d.file, d.file);
}

static void put_row(int number) {
    const karat_row *row = karat_row_info(number);
    char syntax[128], names[ISA_NAMES];
    isa_field fields[32];
    int num = isa_fields(row, fields);
    karat_row_syntax(number, syntax, sizeof syntax);
    printf("| <a id=\"%s\"></a>`%s` | `", row->name, syntax);
    for (int i = 0; i < num; i++)
        printf("%s%s", i ? " " : "", fields[i].text);
    printf("`<br>%08" PRIx32 " / %08" PRIx32 " | ", row->match, row->mask);
    if (!row->illegal) {
        put_definition(number);
        printf(" | %s | %s | %s | ", isa_owes(row, names), isa_unit(row), isa_policy(row));
    }
    printf("%s | %s | ", isa_profiles(row, names), row->section);
    put_row_decisions(number);
    puts(" |");
}

static void put_chapter(int number, const bool *wanted) {
    const karat_chapter *chapter = karat_chapter_info(number);
    int rows = 0, illegal = 0, here = 0;
    for (int row = 0; row < karat_num_rows(); row++)
        if (karat_row_chapter(row) == number) {
            rows++;
            here += wanted[row];
            illegal += karat_row_info(row)->illegal;
        }
    if (!here)
        return;
    printf("\n<a id=\"chapter-%s\"></a>\n## %s\n\n%d rows.%s%s\n", chapter ? chapter->id : "others",
           chapter ? chapter->title : "Others", rows, chapter && *chapter->text ? " " : "",
           chapter ? chapter->text : "");
    const char *before = "\nFor all of them:\n\n";
    for (int i = 0; i < karat_num_decisions(); i++) {
        const karat_decision *d = karat_decision_info(i);
        if (!at_head(number, i))
            continue;
        printf("%s- %s", before, d->is_deviation ? "deviation " : "");
        put_link(d);
        printf(": %s\n", d->text);
        before = "";
    }
    if (illegal == rows)
        puts("\n| instruction | encoding, 31 to 0; match / mask | profiles | section | further decisions |\n"
             "|---|---|---|---|---|");
    else
        puts("\n| instruction | encoding, 31 to 0; match / mask | definition | owes | unit | compared "
             "| profiles | section | further decisions |\n|---|---|---|---|---|---|---|---|---|");
    for (int row = 0; row < karat_num_rows(); row++)
        if (wanted[row] && karat_row_chapter(row) == number)
            put_row(row);
}

/* The rows that a decision concerns: whole chapters by their titles. */
static void put_concerned(int decision) {
    const char *separator = "";
    for (int chapter = 0; chapter < karat_num_chapters(); chapter++) {
        const karat_chapter *c = karat_chapter_info(chapter);
        int rows, concerned;
        count(chapter, decision, &rows, &concerned);
        if (!concerned)
            continue;
        if (rows == concerned || concerned > 12) {
            printf("%s", separator);
            if (rows != concerned)
                printf("%d of ", concerned);
            printf("[%s](#chapter-%s)", c->title, c->id);
            separator = ", ";
            continue;
        }
        for (int row = 0; row < karat_num_rows(); row++)
            if (karat_row_chapter(row) == chapter && karat_decision_concerns(decision, row)) {
                printf("%s[%s](#%s)", separator, karat_row_info(row)->mnemonic, karat_row_info(row)->name);
                separator = ", ";
            }
    }
}

static void put_decisions(void) {
    static const char *const reaches[] = {
        [KARAT_REACH_EVERY] = "every instruction",
        [KARAT_REACH_MACHINE] = "launch, host or memory: no instruction",
        [KARAT_REACH_LATER] = "instructions that the table does not have yet",
    };
    puts(
        "\n<a id=\"all-decisions\"></a>\n## Decisions and deviations\n\n"
        "[decisions.md](decisions.md) settles what the ISA documents leave open, "
        "[isa-notes.md](isa-notes.md) "
        "what building the model showed to be open still. A deviation is what a core does otherwise, under a "
        "name: a run counts its uses, and none is the default.\n\n"
        "| decision | in short | concerns |\n|---|---|---|");
    for (int i = 0; i < karat_num_decisions(); i++) {
        const karat_decision *d = karat_decision_info(i);
        printf("| %s", d->is_deviation ? "deviation " : "");
        put_link(d);
        printf(" | ");
        put_cell(d->text);
        printf(" | ");
        if (d->reach == KARAT_REACH_ROWS)
            put_concerned(i);
        else
            fputs(reaches[d->reach], stdout);
        puts(" |");
    }
}

static void put_csrs(void) {
    puts("\n<a id=\"csrs\"></a>\n## CSRs\n\nAny other number is an illegal instruction "
         "([csrs](decisions.md#csrs)).\n\n| number | name |\n|---|---|");
    for (uint32_t csr = 0; csr < 4096; csr++)
        if (karat_csr_name(csr))
            printf("| 0x%03" PRIx32 " | %s |\n", csr, karat_csr_name(csr));
}

static void put_contents(void) {
    puts("# The instruction table\n\n"
         "Generated by `karat isa --markdown` from `golden/isa/ventus.def`, `decisions.def`, `chapters.def` "
         "and "
         "the definitions in `golden/exec`; do not edit. `cmake --build build/release --target docs` writes "
         "it "
         "anew, and the test `cli.isa_docs` says when that is due. `karat isa NAME` says all of it about one "
         "instruction.\n\n"
         "- *encoding*: fixed bits, and operands where their bits are; a word w is the instruction when "
         "(w & mask) == match.\n"
         "- *definition*: as the model has it. `s1` is vs1, rs1 or the immediate in its place, `s2` vs2 or "
         "rs2 "
         "likewise, `d` the third operand (rs3, vs3, or vd's old value), `m` bit 0 of v0's element; `i` "
         "counts "
         "elements, that is lanes.\n"
         "- *owes*: the completions that the checker must see after the instruction's issue: `x`, `v` "
         "register "
         "writes, `mem` accesses, `simt` outcome, `csr`, `barrier`, `exit`.\n"
         "- *compared*: `exact` bit for bit; `ulp` so unless the core's description gives a bound.\n"
         "- *section*: 4.x of the Ventus ISA manual v2.02; rv32i, rv32m, rv32a, zicsr, zfinx: the chapter of "
         "the RISC-V unprivileged specification; v1.0-N: chapter N of the V extension 1.0.\n"
         "- *further decisions*: beside those at the head of the chapter.\n\n"
         "For every instruction:\n");
    for (int i = 0; i < karat_num_decisions(); i++)
        if (karat_decision_info(i)->reach == KARAT_REACH_EVERY) {
            printf("- ");
            put_link(karat_decision_info(i));
            printf(": %s\n", karat_decision_info(i)->text);
        }
    printf("\n%d rows:\n\n", karat_num_rows());
    for (int i = 0; i < karat_num_chapters(); i++)
        printf("- [%s](#chapter-%s)\n", karat_chapter_info(i)->title, karat_chapter_info(i)->id);
    puts("- [Decisions and deviations](#all-decisions)\n- [CSRs](#csrs)");
}

void isa_markdown(const bool *wanted, bool all) {
    if (all)
        put_contents();
    for (int chapter = -1; chapter < karat_num_chapters(); chapter++) /* -1: rows that no chapter has */
        put_chapter(chapter, wanted);
    if (all) {
        put_decisions();
        put_csrs();
    }
}
