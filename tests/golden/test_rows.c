/* Every row of the table is executed by some test of this folder.
 *
 * Usage: test_rows FILE... files of row names, as test_step, test_qemu and test_qemu64 leave them. A row that
 * none names fails the test. Left out are rows that are known by name only, and illegal: they have no
 * execution; and prefixes and loads and stores, of which tests/fuzz checks registers, addresses, widths and
 * data, of each row often.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "karat/isa.h"

enum { MAX_ROWS = 4096, SKIPPED = 77 };

static bool executed[MAX_ROWS];

static bool load(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    char name[80];
    while (fscanf(file, "%79s", name) == 1) {
        int row = karat_find_row(name);
        if (row >= 0 && row < MAX_ROWS)
            executed[row] = true;
    }
    fclose(file);
    return true;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!load(argv[i])) {
            printf("skipped: no %s (the test that writes it did not run to its end)\n", argv[i]);
            return SKIPPED;
        }
    int never = 0, num = 0, left_out = 0, fuzzed = 0;
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        if (row->illegal) {
            printf("%s: left out of the ISA by name (section %s)\n", row->mnemonic, row->section);
            left_out++;
        } else if (row->unit == KARAT_UNIT_MEM || row->unit == KARAT_UNIT_PREFIX) {
            fuzzed++;
        } else if (executed[i]) {
            num++;
        } else {
            printf("%s: never executed by a test\n", row->mnemonic);
            never++;
        }
    }
    printf("%d rows executed, %d never, %d left to tests/fuzz, %d left out\n", num, never, fuzzed, left_out);
    return never != 0 || num == 0;
}
