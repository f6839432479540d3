/* Kernel files: loading, listing, line tables, and a few steps of what was loaded.
 *
 * An input is a byte that says which kind of file, and the file; .metadata and .data are parted by a byte of
 * 0xff. */
#include <string.h>

#include "subcommands.h"
#include "hostile.h"
#include "karat/lines.h"

enum { LARGE = 1 << 24 }; /* Bytes that a kernel maps: the model is run with no more */

static void load(const char *path) {
    karat_diag diag = {""};
    karat_kernel *k = karat_kernel_load(path, NULL, &diag);
    MUST(k || (*diag.text && !strchr(diag.text, '\n')));
    if (!k)
        return;
    uint64_t mapped = 0;
    for (uint32_t i = 0; i < karat_kernel_num_regions(k); i++) {
        uint64_t base, size;
        karat_kernel_region(k, i, KARAT_MAX_THREAD, &base, &size);
        mapped = size > LARGE || mapped > LARGE ? UINT64_MAX : mapped + size;
    }
    uint32_t offset;
    karat_kernel_symbol(k, k->start_addr, &offset);
    const bool runs = mapped <= LARGE && karat_kernel_workgroups(k) <= 64;
    karat_kernel_free(k);
    if (runs)
        hostile_run(cmd_run, "run", "--max-steps", "64", "--trace", path, (char *)NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    const uint8_t kind = (uint8_t)take(&in, 1) % 4;
    const char *path;
    if (kind == 0) {
        path = hostile_file("kernel.elf", in.at, in.left);
        load(path);
        karat_lines *lines = karat_lines_load(path);
        const char *source;
        uint32_t line;
        if (lines && lines->num_lines)
            karat_lines_find(lines, lines->lines[0].addr, &source, &line);
        karat_lines_free(lines);
    } else if (kind == 1) {
        const uint8_t *mark = in.left ? memchr(in.at, 0xff, in.left) : NULL;
        const size_t first = mark ? (size_t)(mark - in.at) : in.left;
        path = hostile_file("kernel.metadata", in.at, first);
        hostile_file("kernel.data", in.at + first + (mark != NULL), in.left - first - (mark != NULL));
        load(path);
    } else {
        path = hostile_file(kind == 2 ? "words" : "lone.data", in.at, in.left);
    }
    if (kind == 3)
        hostile_run(cmd_disasm, "disasm", "--pc", "0x1000", path, (char *)NULL);
    else
        hostile_run(cmd_disasm, "disasm", path, (char *)NULL);
    return 0;
}
