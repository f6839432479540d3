/* A file that is whole or not there: until its end it is written under a name of its own beside it, which
 * goes away where the command fails, exits, or is ended by a signal. A symbolic link stays one: the file that
 * it names is replaced. A device or a pipe, of which nothing can be taken back, gets all at the end, from
 * memory. */
#ifndef KARAT_STAGED_FILE_H
#define KARAT_STAGED_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "karat/karat.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karat_staged_file {
    FILE *file; /* To write to */
    const char *path;
    char *real; /* The file that path names */
    char *next; /* Name of the file until it is whole; NULL: in memory */
    char *text;
    size_t size;
    int fd;       /* An open file of this process to write to; -1: none */
    bool no_sync; /* For the caller to set: not to wait until it is on the disk */
} karat_staged_file;

/* False with one line in *diag: it cannot be written; then none of the others is for calling. */
bool karat_staged_begin(karat_staged_file *w, const char *path, karat_diag *diag);
/* For callers that open files themselves: 'next' is the name to write to, and 'file' is NULL. A regular file
 * only. */
bool karat_staged_reserve(karat_staged_file *w, const char *path, karat_diag *diag);
/* Now it is there. False with one line in *diag, and it is not: something could not be written. */
bool karat_staged_end(karat_staged_file *w, karat_diag *diag);
/* Nothing results from it. */
void karat_staged_drop(karat_staged_file *w);

/* --- Temporary files of a process that ends early --- */

/* Files, and folders that are empty then, go away at exit() and at signals that end the process
 * where nothing else catches them. False: there are too many, or memory is short. */
bool karat_temporary_add(const char *path);
void karat_temporary_remove(const char *path);
/* A new file, or folder, of a name that ends with XXXXXX, which is replaced; with the permissions that new
 * ones have, and temporary from the start. The file's descriptor, or 0; -1: errno. */
int karat_temporary_make(char *path, bool is_folder);
/* Removes them now, for another end of the process; may be called in a signal handler. */
void karat_temporary_remove_all(void);
/* Removes them, then does the default action of that signal; may be called in a signal handler. */
void karat_temporary_at_signal(int signal);
/* Whether that signal is caught by these functions alone. */
bool karat_temporary_catches(int signal);
/* Catch signals that have no other handler; a file that exceeds a size limit is a write error, not a signal.
 * One call is enough, and all of the above make it. */
void karat_staged_guard(void);

#ifdef __cplusplus
}
#endif
#endif
