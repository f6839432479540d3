/* The tests of a program: TEST(name) { ... } is one, and RUN_TESTS("suite"), once, runs them in the order in
 * which they stand in the files. There is no list that one could be missing from. */
#ifndef SUITE_H
#define SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* One list for all files of a program. */
enum { SUITE_MAX = 160 };
__attribute__((weak)) struct CMUnitTest suite_tests[SUITE_MAX];
__attribute__((weak)) size_t suite_num;

static inline void suite_add(const char *name, CMUnitTestFunction test) {
    if (suite_num == SUITE_MAX)
        abort();
    suite_tests[suite_num++] = (struct CMUnitTest){.name = name, .test_func = test};
}

#define TEST(NAME)                                                                                           \
    static void NAME(void **suite_state);                                                                    \
    __attribute__((constructor)) static void suite_##NAME(void) {                                            \
        suite_add(#NAME, NAME);                                                                              \
    }                                                                                                        \
    static void NAME(void **suite_state __attribute__((unused)))

/* For a main() of one's own. before and after: fixtures of the whole suite. */
static inline int run_suite(const char *name, CMFixtureFunction before, CMFixtureFunction after) {
    return _cmocka_run_group_tests(name, suite_tests, suite_num, before, after);
}

#define RUN_TESTS_BETWEEN(suite, before, after)                                                              \
    int main(void) {                                                                                         \
        return run_suite(suite, before, after);                                                              \
    }
#define RUN_TESTS(suite) RUN_TESTS_BETWEEN(suite, NULL, NULL)

#endif
