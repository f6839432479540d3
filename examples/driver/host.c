/* A host of the vt_* interface: host FILE runs the kernel saxpy of an ELF file, and compares its results with
 * its own. The calls are those of the public OpenCL runtime, in its order. */
#include <karat_driver.h>

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16 /* Of a warp, at most */, WARPS = 2, ITEMS = 128, PDS = 256 };

/* The metadata buffer, which CSR_KNL names. */
enum { ENTRY, ARGS, DIMENSIONS, GLOBAL, LOCAL = GLOBAL + 3, OFFSET = LOCAL + 3, WORDS = 16 };

static void must(int result, const char *call) {
    if (result == 0)
        return;
    fprintf(stderr, "host: %s has failed\n", call);
    exit(1);
}
#define MUST(call) must(call, #call)

/* The address of a symbol; 0: there is none. */
static uint32_t find(const char *path, const char *name) {
    static char file[1 << 20];
    FILE *f = fopen(path, "rb");
    const size_t size = f ? fread(file, 1, sizeof file, f) : 0;
    uint32_t found = 0;
    Elf32_Ehdr head;
    if (f)
        fclose(f);
    if (size < sizeof head)
        return 0;
    memcpy(&head, file, sizeof head);
    for (uint32_t i = 0; i < head.e_shnum && head.e_shoff + (i + 1) * sizeof(Elf32_Shdr) <= size; i++) {
        Elf32_Shdr table, strings;
        memcpy(&table, file + head.e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= head.e_shnum)
            continue;
        memcpy(&strings, file + head.e_shoff + table.sh_link * sizeof strings, sizeof strings);
        for (uint32_t at = 0; at < table.sh_size; at += sizeof(Elf32_Sym)) {
            Elf32_Sym symbol;
            memcpy(&symbol, file + table.sh_offset + at, sizeof symbol);
            if (strcmp(file + strings.sh_offset + symbol.st_name, name) == 0)
                found = symbol.st_value;
        }
    }
    return found;
}

static uint64_t buffer(vt_device_h device, const void *contents, uint64_t size) {
    uint64_t addr;
    MUST(vt_buf_alloc(device, size, &addr, 0, 0, 0));
    if (contents)
        MUST(vt_copy_to_dev(device, addr, contents, size, 0, 0));
    return addr;
}

int main(int argc, char **argv) {
    const float a = 2.5f;
    static float x[ITEMS], y[ITEMS], result[ITEMS];
    const uint32_t entry = argc == 2 ? find(argv[1], "saxpy") : 0;
    if (!entry) {
        fprintf(stderr, "host: expected an ELF file with the kernel saxpy\n");
        return 2;
    }
    for (int i = 0; i < ITEMS; i++) {
        x[i] = (float)i;
        y[i] = (float)(ITEMS - i);
    }
    vt_device_h device;
    MUST(vt_dev_open(&device));
    uint64_t threads;
    MUST(vt_dev_caps(&device, VT_CAPS_MAX_THREADS, &threads));
    if (threads > THREADS)
        threads = THREADS;
    const uint64_t at_x = buffer(device, x, sizeof x), at_y = buffer(device, y, sizeof y);
    uint32_t args[3] = {0, (uint32_t)at_x, (uint32_t)at_y};
    memcpy(args, &a, sizeof a);
    const uint64_t at_args = buffer(device, args, sizeof args);
    MUST(vt_upload_kernel_file(device, argv[1], 0));
    const uint64_t private_size = (uint64_t)PDS * ITEMS, at_private = buffer(device, NULL, private_size);
    const uint32_t local = (uint32_t)threads * WARPS;
    const uint32_t words[WORDS] = {
        [ENTRY] = entry,  [ARGS] = (uint32_t)at_args, [DIMENSIONS] = 1, [GLOBAL] = ITEMS,
        [GLOBAL + 1] = 1, [GLOBAL + 2] = 1,           [LOCAL] = local,  [LOCAL + 1] = 1,
        [LOCAL + 2] = 1};
    uint64_t at_words = buffer(device, words, sizeof words);
    vt_kernel kernel = {.kernel_size = {ITEMS / local, 1, 1},
                        .wf_size = threads,
                        .wg_size = WARPS,
                        .metaDataBaseAddr = at_words,
                        .ldsSize = 0x1000,
                        .pdsSize = PDS,
                        .sgprUsage = 32,
                        .vgprUsage = 32,
                        .pdsBaseAddr = at_private};
    MUST(vt_start(device, &kernel, 0));
    MUST(vt_ready_wait(device, 1000));
    MUST(vt_one_buf_free(device, sizeof words, &at_words, 0, 0));
    MUST(vt_copy_from_dev(device, at_y, result, sizeof result, 0, 0));
    MUST(vt_dev_close(device));
    int wrong = 0;
    for (int i = 0; i < ITEMS; i++)
        wrong += result[i] != a * x[i] + y[i];
    printf("saxpy: %d of %d results are wrong\n", wrong, ITEMS);
    return wrong != 0;
}
