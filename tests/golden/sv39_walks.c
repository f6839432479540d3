/* Walks page tables for test_sv39.py: commands on standard input, a line each, numbers in hex; answers on
 * standard output.
 *
 *  map BASE SIZE           memory
 *  put ADDR VALUE...       entries from ADDR on
 *  walk PTBR VIRT USE      USE 0 fetch, 1 load, 2 store: "REASON LEVEL PHYS ENTRY_ADDR ENTRY", REASON 0: no
 *                          fault, and where there is none PHYS is also karat_translate()'s
 *  names                   the reasons' names, a line each
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karat/karat.h"

static void die(const char *text) {
    fprintf(stderr, "sv39_walks: %s\n", text);
    exit(2);
}

static uint64_t number(char **rest) {
    char *end;
    const uint64_t value = strtoull(*rest, &end, 16);
    if (end == *rest)
        die("expected a number");
    *rest = end;
    return value;
}

static void put(karat_model *model, char *rest) {
    for (uint64_t addr = number(&rest); *rest != '\n'; addr += 8) {
        const uint64_t value = number(&rest);
        uint8_t bytes[8];
        for (int i = 0; i < 8; i++)
            bytes[i] = (uint8_t)(value >> 8 * i);
        if (karat_write(model, addr, bytes, sizeof bytes) != KARAT_OK)
            die("an entry is not in memory");
    }
}

static void walk(const karat_model *model, char *rest) {
    const uint64_t ptbr = number(&rest), virt = number(&rest), use = number(&rest);
    karat_page_fault f;
    uint64_t phys = 0;
    const karat_status status = karat_translate(model, ptbr, virt, (karat_page_use)use, &phys, &f);
    if (status != KARAT_OK && status != KARAT_NOT_MAPPED)
        die("karat_translate() refuses its arguments");
    if ((status == KARAT_OK) != (f.reason == KARAT_FAULT_NONE) || f.virt != virt || f.use != use ||
        phys != (status == KARAT_OK ? f.phys : 0))
        die("karat_translate() and its fault disagree");
    printf("%d %d %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", f.reason, f.level, f.phys, f.entry_addr, f.entry);
}

int main(void) {
    static char line[1 << 16];
    karat_config config;
    karat_config_default(&config);
    config.max_warp = config.max_workgroup = 1;
    karat_model *model = karat_create(&config, NULL);
    if (!model)
        die("no memory");
    while (fgets(line, sizeof line, stdin)) {
        char *rest = strchr(line, ' ');
        if (strncmp(line, "map ", 4) == 0) {
            const uint64_t base = number(&rest);
            if (karat_map(model, base, number(&rest)) != KARAT_OK)
                die("memory cannot be mapped");
        } else if (strncmp(line, "put ", 4) == 0)
            put(model, rest);
        else if (strncmp(line, "walk ", 5) == 0)
            walk(model, rest);
        else if (strcmp(line, "names\n") == 0)
            for (int i = 0; i < KARAT_FAULT_REASONS; i++)
                puts(karat_fault_name((karat_fault_reason)i));
        else
            die("unknown command");
    }
    karat_destroy(model);
    return 0;
}
