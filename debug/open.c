#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Start gdb on that port. A pipe says why it has not started; the start of gdb closes it. */
static bool start_gdb(uint16_t port, const char *elf, karat_diag *diag) {
    char target[64];
    snprintf(target, sizeof target, "target remote localhost:%u", port);
    int why[2], error = 0;
    if (pipe2(why, O_CLOEXEC)) {
        snprintf(diag->text, sizeof diag->text, "gdb cannot be started: %s", strerror(errno));
        return false;
    }
    const pid_t pid = fork();
    if (!pid) {
        execlp("gdb-multiarch", "gdb-multiarch", "-q", "-ex", target, elf, (char *)NULL);
        error = errno;
        _exit(write(why[1], &error, sizeof error) != sizeof error);
    }
    error = pid < 0 ? errno : 0;
    close(why[1]);
    ssize_t got = 0;
    while (pid > 0 && (got = read(why[0], &error, sizeof error)) < 0 && errno == EINTR)
        ;
    close(why[0]);
    if (!error)
        return true;
    if (pid > 0)
        waitpid(pid, NULL, 0);
    snprintf(diag->text, sizeof diag->text,
             "gdb-multiarch cannot be started: %s (Debian: apt install gdb-multiarch)", strerror(error));
    return false;
}

/* The one client. */
static bool wait_for_client(karat_debug_session *s, const karat_debug_options *o, const char *elf,
                            karat_diag *diag) {
    uint16_t port = o->port;
    const int fd = karat_gdb_listen(&port, o->socket, o->everywhere, diag);
    if (fd < 0)
        return false;
    if (o->socket && !(s->path = strdup(o->socket))) {
        snprintf(diag->text, sizeof diag->text, "not enough memory");
        close(fd);
        return false;
    }
    if (o->gdb) {
        signal(SIGINT, SIG_IGN); /* of the terminal: gdb's */
        if (!start_gdb(port, elf, diag)) {
            close(fd);
            return false;
        }
    } else {
        const char *file = elf ? elf : "FILE";
        o->socket ? printf("waiting for: gdb-multiarch %s -ex 'target remote %s'\n", file, o->socket)
                  : printf("waiting for: gdb-multiarch %s -ex 'target remote localhost:%u'\n", file, port);
        fflush(stdout);
    }
    while ((s->gdb.client = accept(fd, NULL, NULL)) < 0 && errno == EINTR)
        ;
    close(fd);
    if (s->gdb.client < 0)
        snprintf(diag->text, sizeof diag->text, "gdb does not come: %s", strerror(errno));
    return s->gdb.client >= 0;
}

bool karat_debug_open(karat_debug_session *s, const karat_debug_options *o, const karat_debug_config *rest,
                      const char *elf, karat_diag *diag) {
    *s = (karat_debug_session){.prompt = {o->batch, stdout}, .gdb = {-1}};
    const bool by_gdb = o->gdb || o->serve || o->socket;
    karat_debug_config config = *rest;
    config.snapshots = o->snapshots;
    config.shared_size = by_gdb ? karat_gdb_shared_size() : karat_prompt_shared_size();
    if (by_gdb && !wait_for_client(s, o, elf, diag))
        return false;
    s->debugger = karat_debugger_create(&config);
    if (!s->debugger)
        snprintf(diag->text, sizeof diag->text, "not enough memory");
    s->front = by_gdb ? karat_gdb_front(&s->gdb) : karat_prompt_front(&s->prompt);
    return s->debugger != NULL;
}

void karat_debug_close(karat_debug_session *s) {
    karat_debugger_destroy(s->debugger);
    if (s->gdb.client >= 0)
        close(s->gdb.client);
    if (s->path)
        unlink(s->path);
    free(s->path);
}
