/* Text files of words in hex, as Verilog's $readmemh has them: comments of C and C++, and '#' to the line's
 * end; '@ADDR', an address in words, and 'ADDR:' before a line's words, one in bytes; '_' within digits. */
#include "karat/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

typedef struct reader {
    const char *path, *at, *end;
    uint32_t line;
    karat_diag *diag;
    load_words *words;
} reader;

bool karat_is_words(const char *path) {
    static const char *const suffixes[] = {".vmem", ".hex", ".mem"};
    const size_t length = path ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t size = strlen(suffixes[i]);
        if (length > size && strcmp(path + length - size, suffixes[i]) == 0)
            return true;
    }
    return false;
}

/* --- Tokens --- */

/* Past a comment that begins here.  False: none does. */
static bool skip_comment(reader *r) {
    const size_t left = (size_t)(r->end - r->at);
    const bool in_c = left > 1 && memcmp(r->at, "/*", 2) == 0;
    if (!in_c && *r->at != '#' && !(left > 1 && memcmp(r->at, "//", 2) == 0))
        return false;
    r->at += in_c ? 2 : 0;
    while (r->at < r->end && (in_c ? r->end - r->at > 1 && memcmp(r->at, "*/", 2) != 0 : *r->at != '\n'))
        r->line += *r->at++ == '\n';
    r->at += in_c && r->end - r->at > 1 ? 2 : in_c && r->at < r->end;
    return true;
}

/* The next token, after white space and comments: its length, 0 at the end.  *first: of its line. */
static size_t next_token(reader *r, bool *first) {
    while (r->at < r->end) {
        if (skip_comment(r))
            continue;
        if (!*r->at || !strchr(" \t\r\n_", *r->at))
            break;
        *first |= *r->at == '\n';
        r->line += *r->at++ == '\n';
    }
    size_t length = 0;
    while (r->at + length < r->end && (!r->at[length] || !strchr(" \t\r\n#/", r->at[length])))
        length++;
    return length ? length : r->at < r->end;
}

/* The token is shown short, and without a NUL. */
static bool complain(const reader *r, const char *expected, size_t length) {
    char token[32];
    const size_t n = length < 28 ? length : 28;
    for (size_t i = 0; i < n; i++)
        token[i] = r->at[i] ? r->at[i] : '?';
    memcpy(token + n, n < length ? "..." : "", n < length ? 4 : 1);
    return load_complain(r->diag, r->path, r->line, "expected %s, found '%s'", expected, token);
}

/* Up to 8 hex digits, with '_' between them and 0x before. */
static bool take_number(const char *from, size_t length, uint32_t *value) {
    char digits[16];
    size_t num = 0;
    for (size_t i = 0; i < length; i++) {
        if (num == sizeof digits - 1 || !from[i])
            return false;
        digits[num] = from[i];
        num += from[i] != '_';
    }
    digits[num] = '\0';
    const char *text = digits + (num > 1 && digits[0] == '0' && (digits[1] | 0x20) == 'x' ? 2 : 0);
    num = strlen(text);
    *value = (uint32_t)strtoul(text, NULL, 16);
    return num && num <= 8 && strspn(text, "0123456789abcdefABCDEF") == num;
}

/* --- Parts --- */

/* The words that follow are at that address. */
static bool begin_part(reader *r, uint64_t addr, size_t length) {
    load_words *w = r->words;
    const karat_code *last = &w->parts[w->num - 1];
    if (addr > UINT32_MAX || addr % 4)
        return complain(r, "an address that is a multiple of 4", length);
    if ((uint64_t)last->addr + last->size == addr)
        return true;
    w->num += last->size != 0; /* One without a word is none */
    w->parts[w->num - 1] = (karat_code){.addr = (uint32_t)addr, .data = last->data + last->size};
    return true;
}

static bool add_word(reader *r, uint32_t value, size_t length) {
    karat_code *part = &r->words->parts[r->words->num - 1];
    if ((uint64_t)part->addr + part->size + 4 > (uint64_t)UINT32_MAX + 1)
        return complain(r, "words within the 32-bit address space", length);
    uint8_t *to = r->words->bytes + (part->data - r->words->bytes) + part->size;
    for (int byte = 0; byte < 4; byte++)
        to[byte] = (uint8_t)(value >> 8 * byte);
    part->size += 4;
    return true;
}

static bool read_parts(reader *r) {
    bool first = true, any = false;
    size_t length;
    for (; (length = next_token(r, &first)) > 0; r->at += length, first = false) {
        const bool in_words = r->at[0] == '@', is_addr = in_words || (first && r->at[length - 1] == ':');
        uint32_t value;
        if (!take_number(r->at + in_words, length - is_addr, &value))
            return complain(r, "words of up to 8 hex digits", length);
        if (is_addr ? !begin_part(r, in_words ? (uint64_t)value * 4 : value, length)
                    : !add_word(r, value, length))
            return false;
        any |= !is_addr;
    }
    load_words *w = r->words;
    w->num -= w->parts[w->num - 1].size == 0;
    return any || load_complain(r->diag, r->path, 0, "expected words of up to 8 hex digits, found none");
}

bool load_read_words(load_words *words, const char *path, const uint8_t *bytes, size_t size, uint32_t addr,
                     karat_diag *diag) {
    const size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* Of byte order */
    reader r = {.path = path,
                .at = (const char *)bytes + mark,
                .end = (const char *)bytes + size,
                .line = 1,
                .diag = diag,
                .words = words};
    /* A word takes at least two characters, the last one of the file one; so does an address. */
    *words =
        (load_words){.parts = malloc((size / 2 + 2) * sizeof *words->parts), .bytes = malloc(2 * size + 4)};
    if (!words->parts || !words->bytes)
        return load_complain(diag, path, 0, "not enough memory");
    words->parts[words->num++] = (karat_code){.addr = addr, .data = words->bytes};
    return read_parts(&r);
}

/* --- Kernels --- */

/* A buffer for each part. */
static bool take_parts(load_kernel *loaded, const load_words *words, const char *path, karat_diag *diag) {
    karat_kernel *k = &loaded->kernel;
    uint32_t first = 0, second = 0;
    bool no_memory = false;
    if (words->num > LOAD_MAX_BUFFERS)
        return load_complain(diag, path, 0, "expected at most %u ranges of words", LOAD_MAX_BUFFERS);
    k->buffers = loaded->buffers = calloc(words->num, sizeof *loaded->buffers);
    for (uint32_t i = 0; loaded->buffers && i < words->num; i++) {
        const karat_code *part = &words->parts[i];
        loaded->buffers[k->num_buffers++] = (karat_buffer){.base = part->addr,
                                                           .size = part->size,
                                                           .alloc_size = part->size,
                                                           .data = part->data,
                                                           .number = i};
    }
    if (load_overlap(k->buffers, k->num_buffers, &first, &second, &no_memory)) {
        const uint32_t a = k->buffers[first].base, b = k->buffers[second].base;
        return load_complain(diag, path, 0, "expected one word for each address, found two for 0x%08" PRIx32,
                             a > b ? a : b);
    }
    return (loaded->buffers && !no_memory) || load_complain(diag, path, 0, "not enough memory");
}

bool load_words_kernel(load_kernel *loaded, const load_file *file, karat_launch_spec *spec,
                       karat_diag *diag) {
    karat_kernel *k = &loaded->kernel;
    load_words words;
    const bool good =
        load_read_words(&words, file->path, file->bytes, file->size, LOAD_METADATA_START, diag) &&
        take_parts(loaded, &words, file->path, diag);
    loaded->bytes = words.bytes;
    free(words.parts);
    if (!good)
        return false;
    k->start_addr = k->buffers[0].base;
    k->lds_base = LOAD_METADATA_LDS;
    k->profile = KARAT_DEFAULT_PROFILE;
    if (spec) {
        elf_file none = {.path = file->path, .diag = diag, .header.e_entry = k->start_addr};
        return load_launch(&none, loaded, spec);
    }
    for (int i = 0; i < 3; i++)
        k->grid[i] = !loaded->is_image;
    k->wg_size = 1;
    k->maps_private = true;
    load_grow_code(loaded, 0, load_code_limit(k, 0));
    return true;
}
