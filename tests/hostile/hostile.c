#include "hostile.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "karat/karat.h"

enum { MAX_NAMES = 16, MAX_PATH = 200 };

/* A model with little LDS: thousands are made, and the sanitizer has to mark all of it each time. */
void __real_karat_config_default(karat_config *config);
void __wrap_karat_config_default(karat_config *config);

void __wrap_karat_config_default(karat_config *config) {
    __real_karat_config_default(config);
    config->lds_size = config->lds_pool = 0x10000;
}

static char folder[MAX_PATH];
static struct { char name[40], path[MAX_PATH + 40]; } files[MAX_NAMES];
static size_t num_files;

uint64_t take(input *in, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && in->left; i++, in->left--)
        value |= (uint64_t)*in->at++ << 8 * i;
    return value;
}

_Noreturn void hostile_broken(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    abort();
}

static void remove_files(void) {
    for (size_t i = 0; i < num_files; i++)
        remove(files[i].path);
    rmdir(folder);
}

static void make_folder(void) {
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/karat-hostile-XXXXXX", where ? where : "/tmp");
    MUST(mkdtemp(folder));
    atexit(remove_files);
}

const char *hostile_path(const char *name) {
    if (!*folder)
        make_folder();
    for (size_t i = 0; i < num_files; i++)
        if (strcmp(files[i].name, name) == 0)
            return files[i].path;
    MUST(num_files < MAX_NAMES && strlen(name) < sizeof files->name);
    snprintf(files[num_files].name, sizeof files->name, "%s", name);
    snprintf(files[num_files].path, sizeof files->path, "%s/%s", folder, name);
    return files[num_files++].path;
}

const char *hostile_file(const char *name, const void *bytes, size_t size) {
    const char *path = hostile_path(name);
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(bytes, 1, size, file) == size);
    MUST(fclose(file) == 0);
    return path;
}

int hostile_run(subcommand *run, ...) {
    char *argv[16], *word;
    int argc = 0;
    va_list args;
    va_start(args, run);
    while ((word = va_arg(args, char *)) != NULL) {
        MUST(argc < 15);
        argv[argc++] = word;
    }
    va_end(args);
    argv[argc] = NULL;
    int status = run(argc, argv);
    fflush(stdout);
    MUST(status >= 0 && status <= 5);
    return status;
}
