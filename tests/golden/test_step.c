/* Directed tests of the model's step: expected values are derived by hand from the ISA manual and
 * docs/isa-notes.md.
 *
 * Usage: test_step [FILE]  FILE gets the names of the rows that were executed. */
#include "support.h"

int main(int argc, char **argv) {
    int failed = run_suite("step", NULL, NULL);
    if (argc == 2)
        failed += rows_save(argv[1]);
    return failed != 0;
}
