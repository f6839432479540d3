/* The protocol between the host and the guests of the qemu tests. A batch is a header, code, and the
 * input of every pass over that code; the answer is the output of every pass.
 *
 * The code finds its input at x30 and its output at x31, moves both on itself, and may change every other
 * register. */
#ifndef KARAT_TESTS_GOLDEN_QEMU_BATCH_H
#define KARAT_TESTS_GOLDEN_QEMU_BATCH_H

#include <stdint.h>

struct header {
    uint32_t code_words, passes;
    uint32_t in_words, out_words; /* Words of one pass */
};

enum { MAX_CODE = 8192, MAX_DATA = 1 << 18 }; /* Words of code, and of all passes' input and output */

#endif
