/* Printing (section 3.2; decisions, "Registers, CSRs, launch"). */
#include "karat/kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
    PRINT_ADDR = 48,
    PRINT_SIZE = 52
}; /* Words of the block that CSR_KNL names: the print buffer's address and bytes */

static bool read_word(const karat_print_memory *memory, uint64_t addr, uint32_t *word) {
    uint8_t b[4];
    if (!memory->read(memory->context, addr, b, sizeof b))
        return false;
    *word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

/* Byte by byte: the size is the program's word, and only as much may be there as the text takes. */
static karat_status read_text(const karat_print_memory *memory, karat_print *print) {
    size_t room = 0;
    while (print->length < print->size) {
        char c;
        if (!memory->read(memory->context, (uint64_t)print->addr + print->length, &c, 1))
            return KARAT_NOT_MAPPED;
        if (!c)
            break;
        if (print->length == room) {
            room = room ? room * 2 : 256;
            char *more = realloc(print->text, room);
            if (!more) {
                free(print->text);
                print->text = NULL;
                print->length = 0;
                return KARAT_NO_MEMORY;
            }
            print->text = more;
        }
        print->text[print->length++] = c;
    }
    return KARAT_OK;
}

karat_status karat_print_read(const karat_print_memory *memory, uint32_t knl, karat_print *print) {
    uint32_t addr, size;
    if (!memory || !memory->read || !print)
        return KARAT_BAD_ARGUMENT;
    *print = (karat_print){0};
    if (!read_word(memory, (uint64_t)knl + PRINT_ADDR, &addr) ||
        !read_word(memory, (uint64_t)knl + PRINT_SIZE, &size))
        return KARAT_NOT_MAPPED;
    print->addr = addr;
    print->size = size;
    return read_text(memory, print);
}

karat_status karat_print_take(const karat_print_memory *memory, uint32_t knl, karat_print *print) {
    if (!memory || !memory->write)
        return KARAT_BAD_ARGUMENT;
    const karat_status status = karat_print_read(memory, knl, print);
    if (status == KARAT_OK && print->size && !memory->write(memory->context, print->addr, "", 1))
        return KARAT_NOT_MAPPED;
    return status;
}

const char *karat_print_line(const char **text, size_t *length, size_t *line) {
    const char *first = text ? *text : NULL;
    if (!first || !length || !line || !*length)
        return NULL;
    const char *end = memchr(first, '\n', *length);
    *line = end ? (size_t)(end - first) : *length;
    size_t used = end ? *line + 1 : *line;
    *text += used;
    *length -= used;
    return first;
}
