/* A host that does what it must not, and then its threads: threads FILE. Four of them use two devices at
 * once, with kernels that end, kernels that go wrong, and calls that cannot be right; a device is closed
 * while another thread calls. For thread and address sanitizers, valgrind, and by itself. */
#include <karat_driver.h>

#include <elf.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 12 };

static uint32_t store, illegal, spin;
static const struct {
    const char *name;
    uint32_t *entry;
} kernels[] = {{"store", &store}, {"illegal", &illegal}, {"spin", &spin}};
static const char *path;

static void check(int good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "threads: FAILED: %s\n", what);
    exit(1);
}
#define CHECK(x) check(x, #x)

/* The addresses of the kernels. */
static void find_kernels(void) {
    static char file[1 << 16];
    FILE *f = fopen(path, "rb");
    Elf32_Ehdr head;
    CHECK(f && fread(file, 1, sizeof file, f) > sizeof head);
    fclose(f);
    memcpy(&head, file, sizeof head);
    for (uint32_t i = 0; i < head.e_shnum; i++) {
        Elf32_Shdr table, strings;
        memcpy(&table, file + head.e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB)
            continue;
        memcpy(&strings, file + head.e_shoff + table.sh_link * sizeof strings, sizeof strings);
        for (uint32_t at = 0; at < table.sh_size; at += sizeof(Elf32_Sym)) {
            Elf32_Sym symbol;
            memcpy(&symbol, file + table.sh_offset + at, sizeof symbol);
            const char *name = file + strings.sh_offset + symbol.st_name;
            for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++)
                if (strcmp(name, kernels[k].name) == 0)
                    *kernels[k].entry = symbol.st_value;
        }
    }
    CHECK(store && illegal && spin);
}

/* Start a kernel whose argument is that word. */
static int start(vt_device_h device, uint32_t entry, uint32_t word) {
    uint64_t args = 0, knl = 0;
    CHECK(vt_buf_alloc(device, 4, &args, 0, 0, 0) == 0 && vt_buf_alloc(device, 64, &knl, 0, 0, 0) == 0);
    const uint32_t words[16] = {entry, (uint32_t)args, 1, 8, 1, 1, 8, 1, 1};
    CHECK(vt_copy_to_dev(device, args, &word, 4, 0, 0) == 0 &&
          vt_copy_to_dev(device, knl, words, sizeof words, 0, 0) == 0);
    vt_kernel kernel = {.kernel_size = {1, 1, 1},
                        .wf_size = 8,
                        .wg_size = 1,
                        .metaDataBaseAddr = knl,
                        .sgprUsage = 32,
                        .vgprUsage = 32};
    const int result = vt_start(device, &kernel, 0);
    CHECK(vt_one_buf_free(device, 4, &args, 0, 0) == 0 && vt_one_buf_free(device, 64, &knl, 0, 0) == 0);
    return result;
}

/* Each call fails or each kernel does, and what comes after it does not. */
static void abuse(void) {
    vt_device_h device;
    uint64_t at = 0, more = 0;
    uint32_t value = 41;
    CHECK(vt_dev_open(&device) == 0 && vt_buf_alloc(device, 4, &at, 0, 0, 0) == 0);
    CHECK(start(device, store, (uint32_t)at) == -1); /* Without an image */
    CHECK(vt_upload_kernel_bytes(device, "no ELF file", 11, 0) == -1);
    CHECK(vt_upload_kernel_file(device, path, 0) == 0);
    CHECK(vt_copy_to_dev(device, at + 2, &value, 4, 0, 0) == -1);
    CHECK(vt_copy_to_dev(device, at, &value, 4, 0, 0) == 0);
    CHECK(vt_buf_alloc(device, 0x70000001, &more, 0, 0, 0) == -1);
    CHECK(start(device, spin, 0) == 0 && vt_ready_wait(device, 1000) == -1);
    CHECK(start(device, illegal, 0) == 0 && vt_finish_all_kernel(device, NULL) == -1);
    CHECK(start(device, store, (uint32_t)at) == 0 && vt_ready_wait(device, 1000) == 0);
    CHECK(vt_copy_from_dev(device, at, &value, 4, 0, 0) == 0 && value == 42);
    CHECK(vt_one_buf_free(device, 4, &at, 0, 0) == 0 && vt_one_buf_free(device, 4, &at, 0, 0) == -1);
    CHECK(start(device, store, (uint32_t)at) == 0 && vt_ready_wait(device, 1000) == -1); /* It was freed */
    CHECK(vt_buf_alloc(device, 8, &more, 0, 0, 0) == 0 && more != at); /* It is never freed */
    CHECK(vt_dev_close(device) == 0 && vt_dev_close(device) == -1);
    CHECK(vt_buf_alloc(device, 8, &more, 0, 0, 0) == -1);
}

static void *work(void *device) {
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t at;
        uint32_t value = 41;
        CHECK(vt_buf_alloc(device, 4, &at, 0, 0, 0) == 0 && vt_copy_to_dev(device, at, &value, 4, 0, 0) == 0);
        CHECK(start(device, store, (uint32_t)at) == 0);
        CHECK(vt_copy_from_dev(device, at, &value, 4, 0, 0) == 0 && value == 42);
        CHECK(vt_copy_from_dev(device, at, &value, 5, 0, 0) == -1);
        CHECK(start(device, illegal, 0) == 0);
        vt_ready_wait(device, 1000); /* It is open which thread it tells */
        CHECK(vt_one_buf_free(device, 4, &at, 0, 0) == 0);
    }
    return NULL;
}

static void *calls(void *device) {
    uint64_t at;
    while (vt_buf_alloc(device, 1, &at, 0, 0, 0) == 0)
        ;
    return NULL;
}

int main(int argc, char **argv) {
    vt_device_h devices[2], closed;
    pthread_t threads[THREADS], caller;
    CHECK(argc == 2);
    path = argv[1];
    find_kernels();
    abuse();
    for (int i = 0; i < 2; i++)
        CHECK(vt_dev_open(&devices[i]) == 0 && vt_upload_kernel_file(devices[i], path, 0) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, devices[i % 2]) == 0);
    CHECK(vt_dev_open(&closed) == 0);
    CHECK(pthread_create(&caller, NULL, calls, closed) == 0);
    CHECK(vt_dev_close(closed) == 0 && vt_dev_close(closed) == -1);
    pthread_join(caller, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(vt_dev_close(devices[0]) == 0 && vt_dev_close(devices[1]) == 0);
    puts("passed");
    return 0;
}
