#include "staged_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs.h"

/* --- Temporary files --- */

enum { MAX_TEMPORARY = 64 };

/* A process has one command under way, and its signals' handlers have no argument. */
static _Atomic(char *) temporary[MAX_TEMPORARY];
static pid_t owner; /* A child that has not begun its own program yet leaves them alone */
static bool guarded;

void karat_temporary_remove_all(void) {
    if (owner != getpid())
        return;
    for (int i = 0; i < MAX_TEMPORARY; i++) {
        const char *path = atomic_load(&temporary[i]);
        if (path)
            unlink(path);
    }
    for (int i = 0; i < MAX_TEMPORARY; i++) { /* Folders are empty now */
        const char *path =
            atomic_exchange(&temporary[i], NULL); /* Not freed: this may be a signal's handler */
        if (path)
            rmdir(path);
    }
}

static void on_signal(int number) {
    karat_temporary_remove_all();
    raise(
        number); /* The signal is held back until this returns, and has its own effect then (SA_RESETHAND) */
}

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGABRT, SIGBUS, SIGSEGV};

void karat_temporary_at_signal(int signal) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

bool karat_temporary_catches(int signal) {
    struct sigaction now;
    return !sigaction(signal, NULL, &now) && now.sa_handler == on_signal;
}

void karat_staged_guard(void) {
    struct sigaction now;
    if (guarded)
        return;
    guarded = true;
    owner = getpid();
    atexit(karat_temporary_remove_all);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (!sigaction(ending[i], NULL, &now) && now.sa_handler == SIG_DFL)
            karat_temporary_at_signal(ending[i]);
    if (!sigaction(SIGXFSZ, NULL, &now) && now.sa_handler == SIG_DFL)
        signal(SIGXFSZ, SIG_IGN);
}

bool karat_temporary_add(const char *path) {
    char *own = strdup(path);
    karat_staged_guard();
    for (int i = 0; own && i < MAX_TEMPORARY; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&temporary[i], &none, own))
            return true;
    }
    free(own);
    errno = ENOMEM;
    return false;
}

void karat_temporary_remove(const char *path) {
    for (int i = 0; i < MAX_TEMPORARY; i++) {
        char *one = atomic_load(&temporary[i]);
        if (!one || strcmp(one, path) != 0 || !atomic_compare_exchange_strong(&temporary[i], &one, NULL))
            continue;
        free(one);
        return;
    }
}

int karat_temporary_make(char *path, bool is_folder) {
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&held, ending[i]);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    int fd = is_folder ? (mkdtemp(path) ? 0 : -1) : mkstemp(path);
    const mode_t mask = umask(0);
    umask(mask);
    if (fd >= 0 &&
        (!karat_temporary_add(path) || (is_folder ? chmod(path, 0777 & ~mask) : fchmod(fd, 0666 & ~mask)))) {
        const int error = errno;
        karat_temporary_remove(path);
        if (is_folder) {
            rmdir(path);
        } else {
            close(fd);
            unlink(path);
        }
        errno = error;
        fd = -1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd;
}

/* --- Files --- */

static bool cannot(const karat_staged_file *w, karat_diag *diag) {
    snprintf(diag->text, sizeof diag->text, "%.300s: cannot be written: %s", w->path,
             strerror(errno ? errno : EIO));
    return false;
}

static void free_names(karat_staged_file *w) {
    if (w->next)
        karat_temporary_remove(w->next);
    free(w->next);
    free(w->real);
    free(w->text);
}

/* A new, empty file beside the real one, short of name, for the other may be as long as names can be. Its
 * descriptor; -1: errno. */
static int make_beside(karat_staged_file *w) {
    static const char name[] = ".karat-XXXXXX";
    const size_t folder = (size_t)(strrchr(w->real, '/') - w->real) + 1;
    w->next = malloc(folder + sizeof name);
    errno = ENOMEM;
    if (!w->next)
        return -1;
    memcpy(w->next, w->real, folder);
    memcpy(w->next + folder, name, sizeof name);
    const int fd = karat_temporary_make(w->next, false);
    if (fd < 0) {
        free(w->next);
        w->next = NULL;
    }
    return fd;
}

static bool find(karat_staged_file *w, const char *path, bool *plain, bool *there) {
    karat_target target;
    *w = (karat_staged_file){.path = path, .fd = -1};
    if (!karat_target_find(&target, path))
        return false;
    w->real = target.path;
    w->fd = target.fd;
    *plain = target.plain;
    *there = target.there;
    return true;
}

bool karat_staged_begin(karat_staged_file *w, const char *path, karat_diag *diag) {
    bool plain, there;
    struct stat status;
    if (!find(w, path, &plain, &there))
        return cannot(w, diag);
    if (plain) {
        const int fd = !there || !access(w->real, W_OK) ? make_beside(w) : -1;
        w->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
        if (fd >= 0 && !w->file)
            close(fd);
    } else if (!stat(w->real, &status) && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    } else if (w->fd >= 0 || !access(w->real, W_OK)) {
        w->file = open_memstream(&w->text, &w->size);
    }
    if (!w->file) {
        cannot(w, diag);
        if (w->next)
            unlink(w->next);
        free_names(w);
        return false;
    }
    errno = 0; /* The message at the end has the reason of the failed write */
    return true;
}

bool karat_staged_reserve(karat_staged_file *w, const char *path, karat_diag *diag) {
    bool plain, there;
    if (!find(w, path, &plain, &there))
        return cannot(w, diag);
    int fd = -1;
    if (!plain)
        snprintf(diag->text, sizeof diag->text, "%.300s: cannot be written: expected a regular file, or none",
                 path);
    else if ((fd = make_beside(w)) < 0)
        cannot(w, diag);
    if (fd < 0)
        free_names(w);
    else
        close(fd);
    return fd >= 0;
}

/* To the current end of the file, where it is an open file of this process. */
static bool put_text(const karat_staged_file *w) {
    fflush(stdout);
    const int fd = w->fd >= 0 ? dup(w->fd) : open(w->real, O_WRONLY | O_NOCTTY);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    const bool ok = file && fwrite(w->text, 1, w->size, file) == w->size;
    return file && !fclose(file) && ok;
}

/* Its bytes are on the disk before its name is: a name with nothing in it would be worse than none. */
static bool sync_file(const karat_staged_file *w) {
    const int fd = open(w->next, O_RDONLY);
    const bool ok = fd >= 0 && (!fsync(fd) || errno == EINVAL || errno == EROFS);
    return fd >= 0 && !close(fd) && ok;
}

bool karat_staged_end(karat_staged_file *w, karat_diag *diag) {
    bool ok = !w->file || !ferror(w->file);
    ok = (!w->file || !fclose(w->file)) && ok;
    ok = ok && (w->next ? (w->no_sync || sync_file(w)) && !rename(w->next, w->real) : put_text(w));
    if (!ok) {
        cannot(w, diag);
        if (w->next)
            unlink(w->next);
    }
    free_names(w);
    return ok;
}

void karat_staged_drop(karat_staged_file *w) {
    if (w->file)
        fclose(w->file);
    if (w->next)
        unlink(w->next);
    free_names(w);
}
