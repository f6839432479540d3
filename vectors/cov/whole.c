#include "whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(const karat_whole *w, karat_diag *diag) {
    snprintf(diag->text, sizeof diag->text, "%s: cannot be written: %s", w->path,
             strerror(errno ? errno : EIO));
    return false;
}

static void begin_beside(karat_whole *w) {
    const size_t room = strlen(w->path) + sizeof ".new";
    w->next = malloc(room);
    errno = ENOMEM;
    if (!w->next)
        return;
    snprintf(w->next, room, "%s.new", w->path);
    w->file = fopen(w->next, "wb");
    if (w->file)
        return;
    free(w->next);
    w->next = NULL;
}

bool karat_whole_begin(karat_whole *w, const char *path, karat_diag *diag) {
    struct stat status;
    *w = (karat_whole){.path = path};
    if (stat(path, &status) || S_ISREG(status.st_mode))
        begin_beside(w);
    else if (S_ISDIR(status.st_mode))
        errno = EISDIR;
    else if (!access(path, W_OK))
        w->file = open_memstream(&w->text, &w->size);
    if (!w->file)
        return cannot(w, diag);
    errno = 0; /* what is said at the end is why a write has failed */
    return true;
}

static bool put_text(const karat_whole *w) {
    FILE *file = fopen(w->path, "wb");
    const bool ok = file && fwrite(w->text, 1, w->size, file) == w->size;
    return file && !fclose(file) && ok;
}

bool karat_whole_end(karat_whole *w, karat_diag *diag) {
    bool ok = !ferror(w->file);
    ok = !fclose(w->file) && ok && (w->next ? !rename(w->next, w->path) : put_text(w));
    if (!ok) {
        cannot(w, diag);
        if (w->next)
            remove(w->next);
    }
    free(w->next);
    free(w->text);
    return ok;
}

void karat_whole_drop(karat_whole *w) {
    fclose(w->file);
    if (w->next)
        remove(w->next);
    free(w->next);
    free(w->text);
}
