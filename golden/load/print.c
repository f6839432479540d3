/* Printing (section 3.2; decisions, "Registers, CSRs, launch"). */
#include "karat/kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
    PRINT_ADDR = 48,
    PRINT_SIZE = 52
}; /* words of what CSR_KNL names: the print buffer's address and bytes */

static bool read_word(const karat_print_memory *memory, uint64_t addr, uint32_t *word) {
    uint8_t b[4];
    if (!memory->read(memory->context, addr, b, sizeof b))
        return false;
    *word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

/* Byte by byte: the size is the program's word, and only as much may be there as the text takes. */
static karat_status take(const karat_print_memory *memory, uint32_t addr, uint32_t size, char **text,
                         size_t *length) {
    size_t room = 0;
    while (*length < size) {
        char c;
        if (!memory->read(memory->context, (uint64_t)addr + *length, &c, 1))
            return KARAT_NOT_MAPPED;
        if (!c)
            break;
        if (*length == room) {
            room = room ? room * 2 : 256;
            char *more = realloc(*text, room);
            if (!more)
                return KARAT_NO_MEMORY;
            *text = more;
        }
        (*text)[(*length)++] = c;
    }
    return KARAT_OK;
}

karat_status karat_print_take(const karat_print_memory *memory, uint32_t knl, char **text, size_t *length) {
    uint32_t addr, size;
    if (!memory || !memory->read || !memory->write || !text || !length)
        return KARAT_BAD_ARGUMENT;
    *text = NULL;
    *length = 0;
    if (!read_word(memory, (uint64_t)knl + PRINT_ADDR, &addr) ||
        !read_word(memory, (uint64_t)knl + PRINT_SIZE, &size))
        return KARAT_NOT_MAPPED;
    karat_status status = take(memory, addr, size, text, length);
    if (status == KARAT_OK && size && !memory->write(memory->context, addr, "", 1))
        status = KARAT_NOT_MAPPED;
    if (status != KARAT_OK) {
        free(*text);
        *text = NULL;
        *length = 0;
    }
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
