/* The table of karat check --records, for adapters that promise more than they give, and runs that a verdict
 * cut short. */
#include "tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

/* The output of cli_tally_print(); the caller frees it. */
static char *printed(const cli_tally *tally) {
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    const int terminal = dup(1);
    assert_true(terminal >= 0 && dup2(fileno(file), 1) == 1);
    cli_tally_print(tally);
    fflush(stdout);
    assert_int_equal(dup2(terminal, 1), 1);
    close(terminal);
    const long size = ftell(file);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

/* Whether the line of that kind ends so. */
static bool line_ends(const char *text, const char *kind, const char *end) {
    char name[16];
    snprintf(name, sizeof name, "\n  %s ", kind);
    const char *line = strstr(text, name);
    assert_non_null(line);
    const char *last = strchr(line + 1, '\n');
    assert_non_null(last);
    return (size_t)(last - line) > strlen(end) && strncmp(last - strlen(end), end, strlen(end)) == 0;
}

/* One HELLO that promises them all, one VBRANCH with its ISSUE. */
static cli_tally begin(uint32_t gives) {
    cli_tally tally = {0};
    const karat_rec_hello hello = {.h = {.kind = KARAT_REC_HELLO}, .gives = gives};
    const karat_rec_issue issue = {.h = {.kind = KARAT_REC_ISSUE}};
    const karat_commit commit = {.simt = KARAT_SIMT_DIVERGE};
    cli_tally_record(&tally, &hello);
    cli_tally_record(&tally, &issue);
    cli_tally_step(&tally, NULL, 0, &commit);
    return tally;
}

TEST(a_kind_that_never_came) {
    const cli_tally tally = begin(1u << KARAT_REC_ISSUE | 1u << KARAT_REC_SIMT | 1u << KARAT_REC_BARRIER);
    char *text = printed(&tally);
    assert_true(line_ends(text, "simt", "  NEVER CAME"));
    assert_true(line_ends(text, "issue", " 1"));
    assert_true(line_ends(text, "barrier", "nothing shown: the program has none"));
    assert_null(strstr(text, "the verdict came first"));
    free(text);
}

TEST(a_kind_that_is_not_given) {
    const cli_tally tally = begin(1u << KARAT_REC_ISSUE);
    char *text = printed(&tally);
    assert_true(line_ends(text, "simt", "  not provided: not checked"));
    assert_null(strstr(text, "NEVER CAME"));
    free(text);
}

TEST(a_verdict_before_the_end) {
    cli_tally tally = begin(1u << KARAT_REC_ISSUE | 1u << KARAT_REC_SIMT | 1u << KARAT_REC_BARRIER);
    const karat_rec_issue issue = {.h = {.kind = KARAT_REC_ISSUE}};
    const karat_rec_simt simt = {.h = {.kind = KARAT_REC_SIMT}};
    cli_tally_record(&tally, &issue);
    cli_tally_record(&tally, &simt);
    char *text = printed(&tally);
    assert_true(line_ends(text, "simt", " 1"));
    assert_true(line_ends(text, "barrier", "nothing shown: none until the verdict"));
    assert_non_null(strstr(text, "\n  the verdict came first"));
    free(text);
}

/* An ACCESS is a MEM, and a PAIR a WRITE: one of the two is enough, whichever HELLO lists. */
TEST(kinds_for_the_same) {
    cli_tally tally = {0};
    const karat_rec_hello hello = {.h = {.kind = KARAT_REC_HELLO},
                                   .version = KARAT_PORT_VERSION,
                                   .gives = 1u << KARAT_REC_ACCESS | 1u << KARAT_REC_WRITE |
                                            1u << KARAT_REC_PAIR | 1u << KARAT_REC_TLB};
    const karat_commit commit = {.has_mem = true, .mem = {.num = 1}, .num_writes = 2};
    const karat_rec_header pair = {.kind = KARAT_REC_PAIR}, tlb = {.kind = KARAT_REC_TLB};
    cli_tally_record(&tally, &hello);
    cli_tally_step(&tally, NULL, 0, &commit);
    char *text = printed(&tally);
    assert_true(line_ends(text, "access", "  NEVER CAME"));
    assert_true(line_ends(text, "write", "  NEVER CAME"));
    assert_true(line_ends(text, "pair", "  NEVER CAME"));
    assert_true(line_ends(text, "mem", " 1"));
    assert_true(line_ends(text, "tlb", "nothing shown: the program has none"));
    assert_non_null(strstr(text, "\n  paging    test bench"));
    free(text);
    cli_tally_record(&tally, &pair);
    cli_tally_record(&tally, &tlb);
    text = printed(&tally);
    assert_true(line_ends(text, "write", " 1"));
    assert_true(line_ends(text, "tlb", " 0"));
    free(text);
}

RUN_TESTS("tally")
