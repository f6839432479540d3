/* A kernel on a core: the harness that KARAT_CORE names runs it in lockstep, as a process of its own, and
 * hands over the memory that it leaves. */
#include "device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 64, OWN_WORDS = 5 /* Arguments that are added, and the end */, NO_HARNESS = 127 };

/* --- The process --- */

/* Texts of the kernel go to standard output, as they do from the model; all else that the harness prints is
 * for its user. */
static void pass_on(FILE *from) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, from) > 0) {
        const char *text = strncmp(line, "print wg=", 9) == 0 ? strstr(line, ": ") : NULL;
        fputs(text ? text + 2 : line, text ? stdout : stderr);
    }
    fflush(stdout);
    free(line);
}

/* The harness's exit status; -1: it did not run to its end, and an error was reported. */
static int run_harness(char *const argv[]) {
    int ends[2], status = -1;
    if (pipe(ends) != 0) {
        driver_say("KARAT_CORE: %s: %s", argv[0], strerror(errno));
        return -1;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0 && !close(ends[0]) && !close(ends[1]))
            execvp(argv[0], argv);
        _exit(NO_HARNESS);
    }
    const bool error = pid < 0;
    close(ends[1]);
    FILE *out = error ? NULL : fdopen(ends[0], "r");
    if (out) {
        pass_on(out);
        fclose(out);
    } else {
        close(ends[0]);
    }
    if (error)
        driver_say("KARAT_CORE: %s: cannot be run: %s", argv[0], strerror(errno));
    else if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        driver_say("KARAT_CORE: %s: ended by a signal", argv[0]);
    else if (WEXITSTATUS(status) == NO_HARNESS)
        driver_say("KARAT_CORE: %s: cannot be run", argv[0]);
    else
        return WEXITSTATUS(status);
    return -1;
}

/* --- Memory --- */

/* Everything that is not in the file is 0. */
static void clear_memory(karat_model *model) {
    static const uint8_t zeros[DEVICE_PAGE];
    for (uint64_t at = 0; karat_next_written_page(model, &at, UINT32_MAX); at += DEVICE_PAGE)
        karat_write(model, at, zeros, sizeof zeros);
}

/* False: the file is not there, or is no memory's. */
static bool take_memory(karat_model *model, const char *path) {
    uint8_t entry[8 + DEVICE_PAGE];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    clear_memory(model);
    size_t got;
    while ((got = fread(entry, 1, sizeof entry, file)) == sizeof entry) {
        uint64_t addr = 0;
        for (unsigned i = 0; i < 8; i++)
            addr |= (uint64_t)entry[i] << 8 * i;
        karat_write(model, addr, entry + 8, DEVICE_PAGE); /* The harness may map more: of that nobody knows */
    }
    const bool good = !got && !ferror(file);
    fclose(file);
    return good;
}

/* --- A kernel --- */

/* "ARGUMENT=VALUE"; NULL: memory is short. */
static char *argument(const char *name, const char *value) {
    const size_t size = strlen(name) + strlen(value) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s", name, value);
    return text;
}

bool core_run(device *d, const char *kernel, const core_files *files) {
    char *words = strdup(d->core), *argv[MAX_WORDS + OWN_WORDS] = {0}, *rest = words;
    char *own[] = {argument("+kernel=", files->metadata), argument("+record=", files->recording),
                   argument("+memory=", files->memory),
                   d->strict_words ? argument("+strict=", d->strict_words) : NULL};
    const bool complete = words && own[0] && own[1] && own[2] && (own[3] || !d->strict_words);
    unsigned num = 0;
    for (char *word; complete && num < MAX_WORDS && (word = strtok_r(rest, " ", &rest));)
        argv[num++] = word;
    for (unsigned i = 0; complete && i < sizeof own / sizeof *own; i++)
        if (own[i])
            argv[num++] = own[i];
    if (!complete)
        driver_say("vt_start: not enough memory");
    const int status = complete ? run_harness(argv) : -1;
    bool good = status == 0;
    if (status > 0)
        driver_say("%s: the core's run ended with status %d: again by %s +kernel=%s, and its recording is %s",
                   kernel, status, d->core, files->metadata, files->recording);
    if (status >= 0 && !take_memory(d->model, files->memory) && good) {
        driver_say("%s: %s: expected the memory that the core's run has left", kernel, files->memory);
        good = false;
    }
    unlink(files->memory);
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        free(own[i]);
    free(words);
    return good;
}
