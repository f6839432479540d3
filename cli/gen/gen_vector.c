/* A vector's folder: its program in all forms, and the model's results. */
#include "gen.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "results.h"
#include "trace_text.h"
#include "staged_file.h"
#include "array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { MAX_PATH_TEXT = 4096, MAX_STEPS = 200000000 };

static const char *const file_names[] = {"program.elf",   "program.metadata", "program.data",
                                         "program.hex",   "program.lst",      "expected.hex",
                                         "signature.hex", "commits.txt",      "manifest.json"};
enum {
    FILE_ELF,
    FILE_METADATA,
    FILE_DATA,
    FILE_HEX,
    FILE_LISTING,
    FILE_EXPECTED,
    FILE_SIGNATURE,
    FILE_COMMITS,
    FILE_MANIFEST,
    NUM_FILES
};

static const unsigned hashed[GEN_NUM_HASH] = {FILE_ELF, FILE_EXPECTED, FILE_SIGNATURE};

/* --- Folders --- */

typedef struct folder {
    char name[MAX_PATH_TEXT - 32];
} folder;

static const char *file_in(const folder *f, unsigned file, char path[MAX_PATH_TEXT]) {
    snprintf(path, MAX_PATH_TEXT, "%s/%s", f->name, file_names[file]);
    return path;
}

static bool make_folder(const char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    cli_error("%s: cannot be made: %s", path, strerror(errno));
    return false;
}

/* If the process ends early, the contents of the folder are removed. */
static bool make_folder_temporary(const folder *f, bool is_temporary) {
    char path[MAX_PATH_TEXT];
    bool ok = true;
    for (unsigned i = 0; i < NUM_FILES; i++) {
        const char *name = file_in(f, i, path);
        if (is_temporary)
            ok = ok && karat_temporary_add(name);
        else
            karat_temporary_remove(name);
    }
    if (!ok)
        cli_error("not enough memory");
    return ok;
}

/* Remove a vector's folder; one that holds other files stays. */
static bool remove_folder(const folder *f) {
    char path[MAX_PATH_TEXT];
    struct stat status;
    if (stat(f->name, &status))
        return errno == ENOENT || errno == ENOTDIR;
    for (unsigned i = 0; i < NUM_FILES; i++)
        unlink(file_in(f, i, path));
    return rmdir(f->name) == 0 || errno == ENOENT;
}

/* --- The model's results --- */

typedef struct watcher {
    const session *session;
    const char *name; /* The vector's name */
    FILE *commits;    /* NULL: not wanted */
    karat_cov *cov;
} watcher;

static bool on_commit(void *context, const karat_sched_warp *warp, const karat_commit *commit) {
    const watcher *w = context;
    if (w->commits)
        trace_step(w->commits, w->session, w->name, warp, commit);
    if (w->cov)
        karat_cov_step(w->cov, w->session->model, warp->handle, commit);
    return true;
}

static void on_launch(void *context, const karat_sched_warp *warp, karat_launch_desc *desc) {
    const watcher *w = context;
    if (w->cov)
        karat_cov_launch(w->cov, warp->handle, desc, w->session->kernels[0]->wg_size);
}

static bool write_memory(const session *s, const recipe *r, const prog *p, const folder *f) {
    char path[MAX_PATH_TEXT];
    karat_diag diag;
    if (r->kind == GEN_RANDOM && r->random.races)
        return true; /* It is the core's timing that decides */
    bool ok = output_memory(s->model, PROG_DATA, p->data_size, 0, 1, file_in(f, FILE_EXPECTED, path), &diag);
    if (ok && r->kind == GEN_RANDOM)
        ok = output_memory(s->model, PROG_DATA + RANDOM_SIGNATURE_AT, 4 * RANDOM_SIGNATURE_WORDS,
                           RANDOM_REGION, p->launch.warps * p->launch.grid[0],
                           file_in(f, FILE_SIGNATURE, path), &diag);
    if (!ok)
        cli_error("%s", diag.text);
    return ok;
}

/* Whether it ended as it should: by its last instruction, or by that page fault. */
static bool ended_right(const karat_sched_result *result, const prog_fault *fault) {
    const karat_page_fault *f = &result->commit.fault;
    if (fault->reason == KARAT_FAULT_NONE)
        return result->end == KARAT_SCHED_DONE;
    return result->end == KARAT_SCHED_PROGRAM_ERROR && result->commit.error.kind == KARAT_ERR_PAGE &&
           f->reason == fault->reason && f->use == fault->use && f->level == fault->level &&
           f->virt == fault->virt;
}

/* Run the folder's program; the model has to end it without an error, or with the page fault that it is
 * about. */
static bool run_program(const recipe *r, const prog *p, const folder *f, const char *name, karat_cov *cov) {
    session s = {0};
    session_options run = {
        .has_profile = true, .profile = r->profile, .threads = r->device.num_thread, .max_steps = MAX_STEPS};
    char text[SCHED_TEXT_SIZE], elf[MAX_PATH_TEXT], commits[MAX_PATH_TEXT];
    watcher w = {&s, name, NULL, cov};
    bool ok = (run.files = malloc(sizeof *run.files)) != NULL;
    if (!ok)
        cli_error("not enough memory");
    if (ok && r->commits && !(w.commits = fopen(file_in(f, FILE_COMMITS, commits), "w"))) {
        cli_error("%s: cannot be opened: %s", commits, strerror(errno));
        ok = false;
    }
    if (ok) {
        file_in(f, FILE_ELF, elf);
        run.files[0] = elf;
        run.num_files = 1;
        ok = session_open(&s, &run);
    }
    if (ok) {
        const session_hooks hooks = {
            .sched = {.context = &w, .launch = on_launch, .commit = w.commits || cov ? on_commit : NULL}};
        const karat_sched_result *result = session_run(&s, s.kernels[0], &hooks);
        ok = ended_right(result, &p->fault);
        if (!ok && !karat_interrupted())
            cli_error("%s: the generator's fault: %s", name,
                      session_describe(&s, s.kernels[0], result, text));
        ok = ok && write_memory(&s, r, p, f);
    }
    if (w.commits && !cli_close_output(w.commits, commits))
        ok = false;
    session_close(&s);
    return ok;
}

/* --- Vectors --- */

static bool make_pages(const row_table *table, const recipe *r, prog *p, char name[DIRECTED_NAME]) {
    karat_cov *cov = gen_pages_cov(r);
    prog_init(p, r->profile);
    if (!cov)
        return false;
    pages_about(cov, r->index, name);
    const bool ok = pages_make(table, &r->device, cov, r->index, p);
    if (!ok)
        cli_error("%s: %s", name, p->why);
    karat_cov_destroy(cov);
    return ok;
}

static bool make_program(const row_table *table, const recipe *r, const karat_cov *cov, prog *p,
                         char name[DIRECTED_NAME]) {
    bool ok = false;
    switch (r->kind) {
    case GEN_RANDOM:
        snprintf(name, DIRECTED_NAME, "random-%" PRIu64, r->random.seed);
        ok = random_make(table, &r->random, p);
        break;
    case GEN_DIRECTED:
        directed_about(table, r->index, name);
        ok = directed_make(table, &r->device, r->index, p);
        break;
    case GEN_ROW: {
        const row_use *u = &table->use[r->row];
        snprintf(name, DIRECTED_NAME, "%s-%s", directed_part_name(r->index), u->info->name);
        ok = directed_rows(table, &r->device, r->index, &u, 1, p);
        break;
    }
    case GEN_COVER:
        snprintf(name, DIRECTED_NAME, "cover-%" PRIu32, r->index);
        ok = cover_make(table, &r->device, cov, r->bins, r->num_bins, p);
        break;
    case GEN_PAGES: return make_pages(table, r, p, name);
    }
    if (!ok)
        cli_error("%s: %s", name, p->why);
    return ok;
}

static bool write_files(prog *p, const recipe *r, const folder *f) {
    char path[MAX_PATH_TEXT], data[MAX_PATH_TEXT];
    karat_diag diag;
    if (output_elf(p, file_in(f, FILE_ELF, path), &diag) &&
        output_metadata(p, r->device.num_thread, file_in(f, FILE_METADATA, path), file_in(f, FILE_DATA, data),
                        &diag) &&
        output_hex(p, file_in(f, FILE_HEX, path), &diag) &&
        output_listing(p, file_in(f, FILE_LISTING, path), &diag))
        return true;
    cli_error("%s", diag.text);
    return false;
}

/* Of that file; 0: it is missing, or an error was reported. */
static uint64_t hash_file(const folder *f, unsigned which) {
    char path[MAX_PATH_TEXT];
    uint8_t bytes[4096];
    FILE *file = fopen(file_in(f, which, path), "rb");
    if (!file && errno == ENOENT)
        return 0;
    XXH3_state_t *state = XXH3_createState();
    bool ok = state && file && XXH3_64bits_reset(state) != XXH_ERROR;
    for (size_t got; ok && (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        ok = XXH3_64bits_update(state, bytes, got) != XXH_ERROR;
    ok = ok && !ferror(file);
    const uint64_t hash = ok ? XXH3_64bits_digest(state) : 0;
    if (!ok)
        cli_error("%s: cannot be read", path);
    if (file)
        fclose(file);
    XXH3_freeState(state);
    return hash;
}

/* A manifest that has another one of program.elf is of another generator. */
static bool same_program(const recipe *r, const folder *f, const char *name) {
    const uint64_t hash = hash_file(f, FILE_ELF);
    if (hash && r->elf && hash != r->elf)
        cli_error(
            "%s: this version of karat makes another program of that manifest than the version that wrote it",
            name);
    return hash && (!r->elf || hash == r->elf);
}

static bool write_manifest(const row_table *table, const prog *p, const recipe *r, const karat_cov *cov,
                           const folder *f, const char *name) {
    char path[MAX_PATH_TEXT];
    uint64_t hashes[GEN_NUM_HASH];
    for (unsigned i = 0; i < GEN_NUM_HASH; i++)
        hashes[i] = hash_file(f, hashed[i]);
    json_t *manifest = gen_manifest(r, table, p, cov, name, hashes);
    const bool ok =
        manifest && json_dump_file(manifest, file_in(f, FILE_MANIFEST, path), JSON_INDENT(2)) == 0;
    if (!ok)
        cli_error("%s: cannot be written", path);
    json_decref(manifest);
    return ok;
}

/* Whether the folder's manifest is the one that it is to be made again from. */
static bool is_given(const recipe *r, const folder *f) {
    char path[MAX_PATH_TEXT];
    struct stat own, given;
    return r->manifest && !stat(r->manifest, &given) && !stat(file_in(f, FILE_MANIFEST, path), &own) &&
           own.st_dev == given.st_dev && own.st_ino == given.st_ino;
}

/* The vector's folder, and the one that becomes it: made anew. A folder of an earlier run is removed first,
 * unless it has this vector's manifest, which is an input. False: an error was reported. */
static bool make_folders(const recipe *r, const char *out, const char *name, folder *done, folder *next) {
    static const char beside[] = ".karat-XXXXXX";
    if (snprintf(done->name, sizeof done->name, "%s/%s", out, name) >= (int)sizeof done->name ||
        snprintf(next->name, sizeof next->name, "%s/%s", out, beside) >= (int)sizeof next->name) {
        cli_error("%s: the name is too long", out);
        return false;
    }
    if (!make_folder(out))
        return false;
    if (!is_given(r, done) && !remove_folder(done)) {
        cli_error("%s: cannot be replaced: %s", done->name, strerror(errno));
        return false;
    }
    if (karat_temporary_make(next->name, true) < 0) {
        cli_error("%s: cannot be made: %s", next->name, strerror(errno));
        return false;
    }
    return true;
}

static bool write_vector(const row_table *table, const recipe *r, prog *p, const folder *next,
                         const char *name, karat_cov *cov) {
    karat_cov *own =
        cov ? cover_start(r->profile, r->device.num_thread) : NULL; /* No warp was there before */
    bool ok = !cov || own;
    if (!ok)
        cli_error("not enough memory");
    ok = ok && write_files(p, r, next) && same_program(r, next, name) && run_program(r, p, next, name, own) &&
         write_manifest(table, p, r, own, next, name);
    if (ok && cov && !karat_cov_merge(cov, own)) {
        cli_error("not enough memory");
        ok = false;
    }
    karat_cov_destroy(own);
    return ok;
}

static json_t *written; /* Folders */
static uint64_t num_written;

bool gen_write(const row_table *table, const recipe *r, const char *out, karat_cov *cov) {
    char name[DIRECTED_NAME];
    folder done, next;
    prog p;
    if (karat_interrupted())
        return false;
    if (karat_progress_due())
        karat_progress_show("%" PRIu64 " vectors written", num_written);
    bool ok = make_program(table, r, cov, &p, name);
    if (ok && (ok = make_folders(r, out, name, &done, &next))) {
        ok = make_folder_temporary(&next, true) && write_vector(table, r, &p, &next, name, cov);
        if (ok && (!remove_folder(&done) || rename(next.name, done.name) != 0)) {
            cli_error("%s: cannot be replaced: %s", done.name, strerror(errno));
            ok = false;
        }
        if (!ok)
            remove_folder(&next);
        make_folder_temporary(&next, false);
        karat_temporary_remove(next.name);
        num_written += ok;
        if (ok && results_are_json()) {
            written = written ? written : json_array();
            json_array_append_new(written, results_name(done.name));
        }
    }
    prog_free(&p);
    return ok;
}

int gen_report(bool ok, json_t *cover) {
    const int status = ok ? CLI_OK : karat_interrupted() ? CLI_INCOMPLETE : CLI_BAD_INPUT;
    karat_progress_hide();
    if (status == CLI_INCOMPLETE)
        cli_error("ended by %s after %" PRIu64 " vectors, which are whole", karat_interrupt_name(),
                  num_written);
    if (!results_are_json() || status == CLI_BAD_INPUT) {
        json_decref(cover);
        json_decref(written);
        return status;
    }
    json_t *all = json_pack("{s:o}", "vectors", written ? written : json_array());
    if (all && cover)
        json_object_set_new(all, "cover", cover);
    return results_put(all) ? status : CLI_BAD_INPUT;
}

/* --- A core's memory --- */

typedef struct words {
    FILE *file;
    const char *path;
    uint32_t line, addr; /* The line, and the address, of the next word */
} words;

typedef struct word {
    uint32_t addr, value, at; /* Word at of the file */
    bool unknown;             /* The word has an x or z in it */
} word;

/* The next word of a file for $readmemh: 1; its end: 0; no word: -1, and an error was reported. */
static int next_word(words *w, word *next) {
    char text[32];
    for (int c; (c = getc(w->file)) != EOF;) {
        uint32_t num = 0;
        if (c == '\n')
            w->line++;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
            continue;
        if (c == '/') { /* A comment */
            while ((c = getc(w->file)) != EOF && c != '\n')
                ;
            w->line++;
            continue;
        }
        for (; c != EOF && c != ' ' && c != '\n' && c != '\r' && c != '\t' && num + 1 < sizeof text;
             c = getc(w->file))
            text[num++] = (char)c;
        text[num] = 0;
        ungetc(c, w->file);
        char *end;
        next->unknown = text[0] != '@' && strpbrk(text, "xXzZ") != NULL;
        for (char *digit = text; next->unknown && *digit; digit++)
            if (strchr("xXzZ", *digit))
                *digit = '0';
        const unsigned long n = strtoul(text + (text[0] == '@'), &end, 16);
        if (*end || end == text || end == text + 1 - (text[0] != '@') || n > UINT32_MAX) {
            cli_error("%s:%" PRIu32 ": expected a word in hex, or @ and an address, found '%s'", w->path,
                      w->line, text);
            return -1;
        }
        if (text[0] == '@') {
            w->addr = (uint32_t)n;
            continue;
        }
        next->addr = w->addr++;
        next->value = (uint32_t)n;
        return 1;
    }
    return 0;
}

static int by_address(const void *a, const void *b) {
    const word *x = a, *y = b;
    const uint64_t a_key = (uint64_t)x->addr << 32 | x->at, b_key = (uint64_t)y->addr << 32 | y->at;
    return a_key < b_key ? -1 : a_key > b_key;
}

/* All words of the file, by address and then in its order; NULL: an error was reported. */
static word *load_words(const char *path, uint32_t *num) {
    words w = {.path = path, .line = 1, .file = fopen(path, "r")};
    word *all = NULL, one;
    int got = -1;
    *num = 0;
    if (!w.file)
        cli_error("%s: cannot be opened: %s", path, strerror(errno));
    while (w.file && (got = next_word(&w, &one)) == 1) {
        one.at = *num;
        if (!karat_grow(&all, *num, sizeof *all)) {
            cli_error("not enough memory");
            got = -1;
            break;
        }
        all[(*num)++] = one;
    }
    if (w.file)
        fclose(w.file);
    if (got == 0 && *num) {
        qsort(all, *num, sizeof *all, by_address);
        return all;
    }
    if (got == 0)
        cli_error("%s: no word in it", path);
    free(all);
    return NULL;
}

/* Whether the file is the one for which the manifest was written; else an error was reported. */
static bool is_as_written(const folder *f, unsigned of) {
    char path[MAX_PATH_TEXT];
    json_t *manifest = gen_load_json(file_in(f, FILE_MANIFEST, path));
    const uint64_t want = manifest ? gen_take_hash(manifest, of, path) : 0,
                   got = want ? hash_file(f, hashed[of]) : 0;
    json_decref(manifest);
    if (want && got != want)
        cli_error("%s: not as it was written with %s", file_in(f, hashed[of], path),
                  file_names[FILE_MANIFEST]);
    return want && got == want;
}

static bool put_compared(uint32_t num, uint32_t wrong, const word *want, const word *got) {
    json_t *first = wrong ? json_pack("{s:o, s:o, s:b, s:o}", "address", json_integer(4 * want->addr), "core",
                                      json_integer(got->value), "unknown", got->unknown, "model",
                                      json_integer(want->value))
                          : json_null();
    return results_put(json_pack("{s:s, s:I, s:I, s:o}", "verdict", wrong ? "MISMATCH" : "PASS", "words",
                                 (json_int_t)num, "wrong", (json_int_t)wrong, "first", first));
}

int gen_compare(const char *name, const char *dump, bool signature) {
    folder f;
    char path[MAX_PATH_TEXT];
    uint32_t num_want, num_got, wrong = 0, k = 0;
    word first_want = {0}, first_got = {0};
    snprintf(f.name, sizeof f.name, "%s", name);
    word *want = load_words(file_in(&f, signature ? FILE_SIGNATURE : FILE_EXPECTED, path), &num_want);
    if (want && !is_as_written(&f, signature ? GEN_HASH_SIGNATURE : GEN_HASH_EXPECTED)) {
        free(want);
        want = NULL;
    }
    word *got = want ? load_words(dump, &num_got) : NULL;
    bool whole = got != NULL;
    for (uint32_t i = 0; whole && i < num_want; i++) {
        while (k < num_got &&
               (got[k].addr < want[i].addr || (k + 1 < num_got && got[k + 1].addr == want[i].addr)))
            k++; /* The last of two values for a word counts, as with $readmemh */
        if (!(whole = k < num_got && got[k].addr == want[i].addr))
            cli_error("%s: the word at 0x%08" PRIx32 " is missing", dump, 4 * want[i].addr);
        else if ((got[k].value != want[i].value || got[k].unknown) && !wrong++) {
            first_want = want[i];
            first_got = got[k];
        }
    }
    if (whole && results_are_json())
        whole = put_compared(num_want, wrong, &first_want, &first_got);
    else if (wrong && whole)
        printf("karat gen: first wrong word: 0x%08" PRIx32 " core %08" PRIx32 "%s model %08" PRIx32 "\n",
               4 * first_want.addr, first_got.value, first_got.unknown ? " (x or z as 0)" : "",
               first_want.value);
    if (whole && !results_are_json())
        printf("karat gen: %s words=%" PRIu32 " wrong=%" PRIu32 "\n", wrong ? "MISMATCH" : "PASS", num_want,
               wrong);
    free(want);
    free(got);
    return !whole ? CLI_BAD_INPUT : wrong ? CLI_MISMATCH : CLI_OK;
}
