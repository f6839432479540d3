/* `.metadata` and `.data` pairs: one 32-bit word in hex per line; every field of `.metadata` is a 64-bit
 * value, low word first. Blank lines and comments (// to the line's end) are accepted, and noted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

typedef struct reader {
    const load_file *file;
    karat_diag *diag;
    size_t at;
    uint32_t line;     /* Line of the word read last */
    uint32_t blank;    /* Lines without a word before it */
    uint32_t comments; /* Before it and on its line */
} reader;

/* Whether nothing but white space, and a comment, is left of a line. */
static bool is_empty(const char *text, size_t length, bool *comment) {
    const size_t space = strspn(text, " \t\r");
    *comment = space < length && strncmp(text + space, "//", 2) == 0;
    return *comment || space >= length;
}

/* The next line that is not empty, and its length; NULL: none is left. Comments and blank lines at the end do
 * not count. */
static const char *next_line(reader *r, size_t *length) {
    const load_file *f = r->file;
    uint32_t blank = 0, comments = 0;
    for (size_t at = r->at; at < f->size; at += *length + 1) {
        const char *text = (const char *)f->bytes + at, *end = memchr(text, '\n', f->size - at);
        bool comment;
        *length = end ? (size_t)(end - text) : f->size - at;
        if (!is_empty(text, *length, &comment)) {
            r->line += blank + comments + 1;
            r->blank += blank;
            r->comments += comments;
            r->at = at + *length + 1;
            return text;
        }
        blank += !comment;
        comments += comment;
    }
    return NULL;
}

/* Whether only empty lines are left. */
static bool at_end(const reader *r) {
    reader rest = *r;
    size_t length;
    return !next_line(&rest, &length);
}

/* The next line's word. what: the name of its field. */
static bool read_word(reader *r, const char *what, uint32_t *word) {
    const char *path = r->file->path;
    size_t length;
    bool comment = false;
    const char *text = next_line(r, &length);
    if (!text)
        return load_complain(r->diag, path, r->line + 1, "expected %s, found the end of the file", what);
    if (strspn(text, "0123456789abcdefABCDEF") != 8 ||
        !(length == 8 || (length == 9 && text[8] == '\r') ||
          (is_empty(text + 8, length - 8, &comment) && comment)))
        return load_complain(r->diag, path, r->line, "expected %s: a line of exactly 8 hex digits", what);
    r->comments += comment;
    *word = (uint32_t)strtoul(text, NULL, 16);
    return true;
}

/* Surplus words are accepted with a note; anything else is refused. */
static bool expect_end(reader *r, load_kernel *loaded, const char *after) {
    const uint32_t blank = r->blank, comments = r->comments, line = r->line + 1;
    uint32_t num = 0, word;
    if (comments)
        load_note(loaded, r->file->path, 0, "%" PRIu32 " comment%s ignored", comments,
                  comments == 1 ? "" : "s");
    if (blank)
        load_note(loaded, r->file->path, 0, "%" PRIu32 " blank line%s ignored", blank, blank == 1 ? "" : "s");
    for (; !at_end(r); num++)
        if (!read_word(r, "the end of the file or a spare word", &word))
            return false;
    if (num)
        load_note(loaded, r->file->path, 0, "%" PRIu32 " spare word%s after %s ignored (line %" PRIu32 ")",
                  num, num == 1 ? "" : "s", after, line);
    return true;
}

/* A 64-bit field of which only the low word may be used: the high one must be 0. */
static bool read_field(reader *r, const char *what, uint32_t *value) {
    uint32_t high;
    if (!read_word(r, what, value) || !read_word(r, what, &high))
        return false;
    if (high)
        return load_complain(r->diag, r->file->path, r->line, "expected 00000000, the high word of %s", what);
    return true;
}

static bool read_field_in(reader *r, const char *what, uint32_t low, uint32_t high, uint32_t *value) {
    if (!read_field(r, what, value))
        return false;
    if (*value < low || *value > high)
        return load_complain(r->diag, r->file->path, r->line - 1,
                             "expected %s from %" PRIu32 " to %" PRIu32 ", found %" PRIu32, what, low, high,
                             *value);
    return true;
}

/* The layouts of test benches over time. All except the first are recognised by their number of words
 * alone. */
typedef struct layout {
    const char *name;
    bool has_start;
    uint32_t extra; /* Fields between pdsBaseAddr and num_buffer */
} layout;
enum {
    FIXED = 14,
    /* Fields up to num_buffer */ ITEM_FIELDS =
        10 /* Dimensions, work-items of grid and workgroup, first ids */
};
static const layout layouts[] = {
    {NULL, true, 0},
    {"an older .metadata without start_addr, which is taken for 0x80000000", false, 0},
    {NULL, true, ITEM_FIELDS},
};

static const layout *layout_of(const reader *from) {
    uint32_t words[2 * (FIXED + ITEM_FIELDS)], num = 0, word;
    reader r = *from;
    r.diag = NULL;
    for (; !at_end(&r); num++) {
        if (!read_word(&r, "", &word))
            return &layouts[0];
        if (num < sizeof words / sizeof *words)
            words[num] = word;
    }
    for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const uint32_t fixed = FIXED - !layouts[i].has_start + layouts[i].extra;
        if (num >= 2 * fixed && words[2 * fixed - 2] && words[2 * fixed - 2] <= LOAD_MAX_BUFFERS &&
            !words[2 * fixed - 1] && num == 2 * (fixed + 3 * words[2 * fixed - 2]))
            return &layouts[i];
    }
    return &layouts[0];
}

/* Work-items. Those that cannot be are not used: no back end has looked at them once. */
static bool read_items(reader *r, load_kernel *loaded) {
    karat_kernel *k = &loaded->kernel;
    uint32_t field[ITEM_FIELDS];
    const char *wrong;
    for (int i = 0; i < ITEM_FIELDS; i++)
        if (!read_field(r, "a field of the work-items (dimensions, global and local sizes, offsets)",
                        &field[i]))
            return false;
    for (int i = 0; i < 3; i++) {
        k->global[i] = field[1 + i];
        k->local[i] = field[4 + i];
        k->offset[i] = field[7 + i];
    }
    if ((wrong = karat_kernel_wrong_items(k)) == NULL)
        return true;
    load_note(loaded, r->file->path, 0,
              "work-items (dimensions, global and local sizes, offsets) ignored: expected %s", wrong);
    for (int i = 0; i < 3; i++)
        k->global[i] = k->local[i] = k->offset[i] = 0;
    return true;
}

static bool read_header(reader *r, load_kernel *loaded) {
    karat_kernel *k = &loaded->kernel;
    const layout *l = layout_of(r);
    uint32_t ignored;
    if (l->name)
        load_note(loaded, r->file->path, 0, "%s", l->name);
    k->start_addr = LOAD_METADATA_START;
    if (l->has_start && !read_field(r, "start_addr", &k->start_addr))
        return false;
    if (k->start_addr % 4)
        return load_complain(r->diag, r->file->path, r->line - 1,
                             "expected start_addr to be a multiple of 4");
    /* The kernel_id: any 64-bit value */
    if (!read_word(r, "kernel_id", &ignored) || !read_word(r, "kernel_id", &ignored))
        return false;
    uint64_t groups = 1;
    static const char *const axes[3] = {"kernel_size[0]", "kernel_size[1]", "kernel_size[2]"};
    for (int i = 0; i < 3; i++) {
        if (!read_field_in(r, axes[i], 1, UINT32_MAX, &k->grid[i]))
            return false;
        groups *= k->grid[i];
        if (groups > UINT32_MAX)
            return load_complain(r->diag, r->file->path, r->line - 1,
                                 "expected fewer than 2^32 workgroups in kernel_size");
    }
    bool good = read_field_in(r, "wf_size", 1, KARAT_MAX_THREAD, &k->wf_size) &&
                read_field_in(r, "wg_size", 1, LOAD_MAX_WARPS, &k->wg_size) &&
                read_field(r, "metaDataBaseAddr", &k->knl) && read_field(r, "ldsSize", &k->lds_size) &&
                read_field(r, "pdsSize", &k->pds_size) &&
                read_field_in(r, "sgprUsage", 0, KARAT_NUM_X, &k->sgprs) &&
                read_field_in(r, "vgprUsage", 0, KARAT_NUM_V, &k->vgprs) &&
                read_field(r, "pdsBaseAddr", &k->pds_base);
    return good && (!l->extra || read_items(r, loaded)) &&
           read_field_in(r, "num_buffer", 1, LOAD_MAX_BUFFERS, &k->num_buffers);
}

/* The three arrays that end the file, and their consistency. */
static bool read_buffers(reader *r, load_kernel *loaded) {
    const char *path = r->file->path;
    uint32_t num = loaded->kernel.num_buffers;
    uint32_t base_line = r->line + 1;
    karat_buffer *b = loaded->buffers = calloc(num, sizeof *b);
    if (!b)
        return load_complain(r->diag, path, 0, "not enough memory");
    for (uint32_t i = 0; i < num; i++)
        if (!read_field(r, "buffer_base", &b[i].base))
            return false;
    for (uint32_t i = 0; i < num; i++)
        if (!read_field(r, "buffer_size", &b[i].size))
            return false;
    for (uint32_t i = 0; i < num; i++) {
        if (!read_field(r, "buffer_allocsize", &b[i].alloc_size))
            return false;
        b[i].number = i;
        if (b[i].size > b[i].alloc_size) {
            load_note(loaded, path, 0,
                      "buffer %" PRIu32 " (base 0x%08" PRIx32 "): buffer_allocsize %#" PRIx32
                      " is taken for %#" PRIx32 ", its buffer_size",
                      i, b[i].base, b[i].alloc_size, b[i].size);
            b[i].alloc_size = b[i].size;
        }
        if ((uint64_t)b[i].base + b[i].alloc_size > (uint64_t)UINT32_MAX + 1)
            return load_complain(r->diag, path, r->line - 1,
                                 "expected buffer %" PRIu32 " (base 0x%08" PRIx32
                                 ") to end within the 32-bit address space",
                                 i, b[i].base);
    }
    if (!expect_end(r, loaded, "the last buffer_allocsize"))
        return false;
    uint32_t first = 0, second = 0;
    bool no_memory;
    if (load_overlap(b, num, &first, &second, &no_memory))
        return load_complain(r->diag, path, base_line + 2 * second,
                             "expected buffer %" PRIu32 " (base 0x%08" PRIx32
                             ") not to overlap buffer %" PRIu32 " (base 0x%08" PRIx32 ")",
                             second, b[second].base, first, b[first].base);
    if (no_memory)
        return load_complain(r->diag, path, 0, "not enough memory");
    loaded->kernel.buffers = b;
    return true;
}

/* The `.data` file: every buffer's words, one buffer after the other. */
static bool read_data(load_kernel *loaded, const char *path, karat_diag *diag) {
    load_file file;
    if (!load_read(&file, path, diag))
        return false;
    reader r = {.file = &file, .diag = diag};
    /* A word takes at least 8 characters of the file, so this is room for all of them. */
    uint8_t *to = loaded->bytes = malloc(file.size / 2 + 4);
    bool good = to != NULL;
    if (!good)
        load_complain(diag, path, 0, "not enough memory");
    for (uint32_t i = 0; good && i < loaded->kernel.num_buffers; i++) {
        karat_buffer *b = &loaded->buffers[i];
        char what[96];
        snprintf(what, sizeof what, "buffer %" PRIu32 " (base 0x%08" PRIx32 ", %" PRIu32 " bytes)", i,
                 b->base, b->size);
        b->data = to;
        for (uint64_t at = 0; good && at < b->size; at += 4) {
            uint32_t word;
            good = read_word(&r, what, &word);
            for (int byte = 0; good && byte < 4; byte++)
                *to++ = (uint8_t)(word >> 8 * byte);
        }
    }
    good = good && expect_end(&r, loaded, "the last buffer's words");
    free(file.bytes);
    return good;
}

char *karat_data_name(const char *path) {
    if (!path)
        return NULL;
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    char *name = malloc(stem + sizeof ".data");
    if (name) {
        memcpy(name, path, stem);
        memcpy(name + stem, ".data", sizeof ".data");
    }
    return name;
}

/* Buffers inside the LDS window are kept apart from those in device memory. False: one lies across the
 * window's edge. */
static bool part_locals(load_kernel *loaded, const char *path, karat_diag *diag) {
    karat_kernel *k = &loaded->kernel;
    loaded->locals = calloc(k->num_buffers, sizeof *loaded->locals);
    if (!loaded->locals)
        return load_complain(diag, path, 0, "not enough memory");
    const uint32_t num = k->num_buffers;
    k->num_buffers = 0;
    for (uint32_t i = 0; i < num; i++) {
        const karat_buffer b = loaded->buffers[i];
        const uint64_t end = (uint64_t)b.base + b.alloc_size, window = (uint64_t)k->lds_base + LOAD_LDS_SIZE;
        const bool meets = b.base < window && end > k->lds_base;
        if (!meets) {
            loaded->buffers[k->num_buffers++] = b;
            continue;
        }
        if (b.base < k->lds_base || end > window)
            return load_complain(diag, path, 0,
                                 "expected buffer %" PRIu32 " (base 0x%08" PRIx32 ", 0x%" PRIx32
                                 " bytes) to lie inside the LDS window or outside of it (0x%08" PRIx32
                                 " to 0x%08" PRIx64 ")",
                                 b.number, b.base, b.alloc_size, k->lds_base, window - 1);
        loaded->locals[k->num_locals++] = b;
    }
    k->locals = loaded->locals;
    return true;
}

/* The rest of the next line, which begins so: *size characters. NULL: it does not. */
static const char *read_first_line(reader *r, const char *begin, size_t *size) {
    const load_file *f = r->file;
    const size_t length = strlen(begin);
    if (f->size - r->at < length || memcmp(f->bytes + r->at, begin, length) != 0)
        return NULL;
    const char *text = (const char *)f->bytes + r->at + length;
    *size = strcspn(text, "\r\n");
    r->line++;
    r->at += length + *size;
    r->at += strspn(text + *size, "\r");
    r->at += r->at < f->size && f->bytes[r->at] == '\n';
    return text;
}

/* First lines that name the ISA profile, and changes of page tables. False and a line: there is no such
 * profile or change. */
static bool read_first_lines(reader *r, load_kernel *loaded) {
    karat_kernel *k = &loaded->kernel;
    const load_file *f = r->file;
    size_t size;
    const char *text = read_first_line(r, KARAT_PROFILE_LINE, &size);
    const int shown = text && size < 16 ? (int)size : 16;
    k->names_profile = text != NULL;
    if (text && !karat_profile_find(text, size, &k->profile))
        return load_complain(r->diag, f->path, 1, "expected ISA profile %s, found '%.*s'",
                             karat_profile_names(), shown, text);
    while ((text = read_first_line(r, KARAT_PAGE_LINE, &size)) != NULL)
        if (!load_add_page(loaded, f->path, r->line, text, size, r->diag))
            return false;
    if ((text = read_first_line(r, KARAT_SLOTS_LINE, &size)) != NULL) {
        char *end;
        k->pds_slots = (uint32_t)strtoul(text, &end, 10);
        if (size > 5 || end != text + size || !k->pds_slots || karat_kernel_wrong_items(k))
            return load_complain(r->diag, f->path, r->line, "expected 1 to 65536 slots of private memory");
    }
    return true;
}

/* One line where private memory is not in one buffer: its address may be of use to nobody. */
static void note_private(load_kernel *loaded, const char *path) {
    const karat_kernel *k = &loaded->kernel;
    const uint64_t size = load_private_size(k, k->wf_size);
    const int32_t at = load_buffer_of(k, k->pds_base);
    if (!size)
        return;
    if (at < 0)
        load_note(loaded, path, 0, "private memory at 0x%08" PRIx32 " is in no buffer: it is not mapped",
                  k->pds_base);
    else if (size > k->buffers[at].alloc_size - (k->pds_base - k->buffers[at].base))
        load_note(loaded, path, 0,
                  "private memory, 0x%" PRIx64 " bytes at 0x%08" PRIx32 ", runs over buffer %" PRIu32
                  " (base 0x%08" PRIx32 ", 0x%" PRIx32 " bytes)",
                  size, k->pds_base, k->buffers[at].number, k->buffers[at].base, k->buffers[at].alloc_size);
}

bool load_metadata(load_kernel *loaded, const load_file *file, const char *data_path, karat_diag *diag) {
    reader r = {.file = file, .diag = diag};
    karat_kernel *k = &loaded->kernel;
    k->lds_base = LOAD_METADATA_LDS;
    if (!read_first_lines(&r, loaded) || !read_header(&r, loaded) || !read_buffers(&r, loaded))
        return false;
    int32_t code = load_buffer_of(k, k->start_addr);
    if (code < 0)
        return load_complain(diag, file->path, 1, "expected start_addr 0x%08" PRIx32 " to lie in a buffer",
                             k->start_addr);
    char *beside = data_path ? NULL : karat_data_name(file->path);
    if (!data_path && !beside)
        return load_complain(diag, file->path, 0, "not enough memory");
    bool good =
        read_data(loaded, data_path ? data_path : beside, diag) && part_locals(loaded, file->path, diag);
    free(beside);
    if (!good)
        return false;
    code = load_buffer_of(k, k->start_addr);
    if (code < 0)
        return load_complain(diag, file->path, 1,
                             "expected start_addr 0x%08" PRIx32 " to lie in a buffer of device memory",
                             k->start_addr);
    note_private(loaded, file->path);
    load_grow_code(loaded, (uint32_t)code, load_code_limit(k, (uint32_t)code));
    return true;
}
