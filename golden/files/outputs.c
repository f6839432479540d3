/* POSIX has no realpath() without its XSI extension. */
#define _XOPEN_SOURCE 700
#include "outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "staged_file.h"
#include "array.h"

enum { MAX_LINKS = 40 }; /* As the kernel has it */

/* --- The file that a path names --- */

/* Folder and last part of a path; the folder's real path. False: errno. */
static bool split(const char *path, char *folder, char *last) {
    char text[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!*name || strlen(path) >= sizeof text || strlen(name) > NAME_MAX) {
        errno = *name ? ENAMETOOLONG : *path ? EISDIR : ENOENT;
        return false;
    }
    snprintf(text, sizeof text, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    snprintf(last, NAME_MAX + 1, "%s", name);
    return realpath(text, folder) != NULL;
}

/* /proc/self/fd/N: a file that this process has open, and has no name by which it could be replaced. */
static int open_file_of(const char *folder, const char *last) {
    char own[64], self[64];
    char *end;
    const long fd = strtol(last, &end, 10);
    snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
    snprintf(self, sizeof self, "/proc/%ld/task/%ld/fd", (long)getpid(), (long)getpid());
    const bool is = (!strcmp(folder, own) || !strcmp(folder, self)) && !*end && end != last;
    return is && fd >= 0 && fd <= INT_MAX ? (int)fd : -1;
}

bool karat_target_find(karat_target *t, const char *path) {
    char at[2 * PATH_MAX], folder[PATH_MAX], last[NAME_MAX + 1], link[PATH_MAX];
    struct stat status;
    *t = (karat_target){.fd = -1};
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(at, path);
    for (int links = 0;; links++) {
        if (!split(at, folder, last))
            return false;
        if (snprintf(at, sizeof at, "%s/%s", strcmp(folder, "/") ? folder : "", last) >= PATH_MAX ||
            links == MAX_LINKS) {
            errno = links == MAX_LINKS ? ELOOP : ENAMETOOLONG;
            return false;
        }
        t->fd = open_file_of(folder, last);
        const ssize_t length = t->fd < 0 ? readlink(at, link, sizeof link - 1) : -1;
        if (length < 0)
            break;
        link[length] = 0;
        if (link[0] == '/')
            strcpy(at, link);
        else
            snprintf(at, sizeof at, "%s/%s", folder, link);
    }
    t->there = t->fd >= 0 ? !fstat(t->fd, &status) : !stat(at, &status);
    t->plain = t->fd < 0 && (!t->there || S_ISREG(status.st_mode));
    t->path = strdup(at);
    errno = ENOMEM;
    return t->path != NULL;
}

/* --- Inputs and outputs --- */

struct karat_output_name {
    const char *path;
    char *own; /* As path, where it is to be freed */
    enum { READ, WRITTEN, TEXT, CONTINUED, UPDATED } use;
    karat_target target; /* Only of outputs */
    struct stat status;  /* Only of existing files */
    bool there;
};

static void add(karat_outputs *o, const char *path, char *own, int use) {
    if (!path)
        return;
    if (!karat_grow(&o->names, o->num, sizeof *o->names)) {
        o->no_memory = true;
        free(own);
        return;
    }
    o->names[o->num++] = (struct karat_output_name){.path = path, .own = own, .use = use};
}

void karat_outputs_read(karat_outputs *o, const char *path) {
    add(o, path, NULL, READ);
}

void karat_outputs_read_kernel(karat_outputs *o, const char *path) {
    char *data = path ? karat_data_name(path) : NULL;
    o->no_memory |= path && !data;
    karat_outputs_read(o, path);
    add(o, data, data, READ);
}

void karat_outputs_write(karat_outputs *o, const char *path) {
    add(o, path, NULL, WRITTEN);
}

void karat_outputs_text(karat_outputs *o, const char *path) {
    add(o, path, NULL, TEXT);
}

void karat_outputs_continue(karat_outputs *o, const char *path) {
    add(o, path, NULL, CONTINUED);
}

void karat_outputs_update(karat_outputs *o, const char *path) {
    add(o, path, NULL, UPDATED);
}

/* Whether an existing file is an ELF file or a recording. */
static bool is_input(const char *path) {
    static const char *const magic[] = {"\x7f"
                                        "ELF",
                                        "KARATTR"};
    char begin[8] = "";
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    const size_t got = fread(begin, 1, sizeof begin - 1, file);
    fclose(file);
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (got >= strlen(magic[i]) && !memcmp(begin, magic[i], strlen(magic[i])))
            return true;
    return false;
}

static bool find(struct karat_output_name *n, karat_diag *diag) {
    bool good = true;
    if (n->use == READ) {
        n->there = !stat(n->path, &n->status);
        return true;
    }
    errno = 0;
    if ((good = karat_target_find(&n->target, n->path))) {
        n->there = !stat(n->target.path, &n->status);
        char *slash = strrchr(n->target.path, '/');
        if (n->there && S_ISDIR(n->status.st_mode)) {
            errno = EISDIR;
            good = false;
        } else if (n->there) {
            good = n->target.fd >= 0 || !access(n->target.path, W_OK);
        }
        if (good && n->target.plain) { /* The file is replaced, so its folder is written to as well */
            *slash = 0;
            good = !access(slash == n->target.path ? "/" : n->target.path, W_OK | X_OK);
            *slash = '/';
        }
    }
    if (!good)
        snprintf(diag->text, sizeof diag->text, "%.300s: cannot be written: %s", n->path, strerror(errno));
    return good;
}

/* Devices and pipes take from several. */
static bool same_file(const struct karat_output_name *out, const struct karat_output_name *n) {
    if (out->there && n->there)
        return S_ISREG(out->status.st_mode) && out->status.st_dev == n->status.st_dev &&
               out->status.st_ino == n->status.st_ino;
    if (n->use == READ || out->there || n->there)
        return false; /* A missing file cannot be read */
    return !strcmp(out->target.path, n->target.path);
}

static bool check(karat_outputs *o, karat_diag *diag) {
    for (size_t i = 0; i < o->num; i++)
        if (!find(&o->names[i], diag))
            return false;
    for (size_t i = 0; i < o->num; i++)
        for (size_t k = 0; k < o->num && o->names[i].use != READ; k++)
            if (k != i && same_file(&o->names[i], &o->names[k])) {
                if (o->names[i].use == UPDATED && o->names[k].use == READ) {
                    o->names[i].use = CONTINUED;
                    continue;
                }
                snprintf(diag->text, sizeof diag->text, "%.300s: named as an output and for another purpose",
                         o->names[i].path);
                return false;
            }
    for (size_t i = 0; i < o->num; i++) {
        const struct karat_output_name *n = &o->names[i];
        if (n->use == TEXT && n->there && S_ISREG(n->status.st_mode) && is_input(n->target.path)) {
            snprintf(diag->text, sizeof diag->text,
                     "%.300s: a program or a recording, which text would replace: expected another name for "
                     "the output",
                     n->path);
            return false;
        }
    }
    return true;
}

bool karat_outputs_begin(karat_outputs *o, karat_diag *diag) {
    bool good = !o->no_memory;
    if (!good)
        snprintf(diag->text, sizeof diag->text, "not enough memory");
    good = good && check(o, diag);
    for (size_t i = 0; good && i < o->num; i++) {
        const struct karat_output_name *n = &o->names[i];
        if (n->use == READ || n->use == CONTINUED || !n->target.plain || !n->there || !unlink(n->target.path))
            continue;
        snprintf(diag->text, sizeof diag->text, "%.300s: cannot be written: %s", n->path, strerror(errno));
        good = false;
    }
    for (size_t i = 0; i < o->num; i++) {
        free(o->names[i].own);
        free(o->names[i].target.path);
    }
    free(o->names);
    *o = (karat_outputs){0};
    if (good)
        karat_staged_guard();
    return good;
}
