/* Directed tests of the model's step: expected values are derived by hand from the ISA manual and
 * docs/isa-notes.md.
 *
 * Usage: test_step [FILE]  FILE gets the names of the rows that were executed. */
#include "step.h"

int main(int argc, char **argv) {
    int failed = simt_group() + csr_group() + prefix_group() + vector_group() + float_group() +
                 memory_group() + sync_group() + atomic_group() + tensor_group() + snapshot_group() +
                 params_group() + operands_group() + reads_group() + v203_prefix_group() +
                 v203_memory_group() + v203_widths_group() + sv39_group();
    if (argc == 2)
        failed += rows_save(argv[1]);
    return failed != 0;
}
