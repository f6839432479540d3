/* The page tables of a kernel, for walkers in other languages: space_tables SEED|- FILE THREADS. Prints the
 * root, then each table: its address, and the entries other than 0 with their numbers; numbers in hex. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karat/karat.h"

static bool print_table(void *context, uint64_t phys, uint64_t size, bool is_table) {
    uint64_t entry[512];
    (void)size;
    if (!is_table)
        return true;
    if (karat_read(context, phys, entry, sizeof entry) != KARAT_OK)
        return false;
    printf("%" PRIx64, phys);
    for (unsigned i = 0; i < 512; i++)
        if (entry[i])
            printf(" %x=%" PRIx64, i, entry[i]);
    putchar('\n');
    return true;
}

int main(int argc, char **argv) {
    karat_diag diag;
    karat_config config;
    karat_config_default(&config);
    config.translation = KARAT_TRANSLATION_SV39;
    config.num_thread = argc == 4 ? (uint32_t)atoi(argv[3]) : 0;
    config.lds_pool = 4096;
    karat_kernel *kernel = argc == 4 ? karat_kernel_load(argv[2], NULL, &diag) : NULL;
    karat_model *model = kernel ? karat_create(&config, NULL) : NULL;
    const uint64_t seed = model ? strtoull(argv[1], NULL, 0) : 0;
    karat_space *space = model ? karat_space_create(model, *argv[1] == '-' ? NULL : &seed, NULL) : NULL;
    bool good = space && karat_space_place(space, kernel) == KARAT_OK;
    if (good) {
        printf("%" PRIx64 "\n", karat_space_ptbr(space));
        good = karat_space_each(space, print_table, model);
    }
    karat_space_destroy(space);
    karat_destroy(model);
    karat_kernel_free(kernel);
    return !good;
}
