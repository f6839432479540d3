#include "open.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gdb.h"

/* False: the process at the other end of the pipe, which is gdb, has ended, and no client waits at the
 * socket. */
static bool await_client(int fd, int life) {
    struct pollfd wait[2] = {{fd, POLLIN, 0}, {life, POLLIN, 0}};
    while (poll(wait, 2, -1) < 0 && errno == EINTR)
        ;
    close(life);
    return wait[0].revents & POLLIN;
}

/* Gdb takes this process, so that the command ends as it does; the run goes on in a child, which ends with
 * it. */
static bool become_gdb(int fd, uint16_t port, const char *elf, karat_diag *diag) {
    char target[64];
    int life[2];
    snprintf(target, sizeof target, "target remote 127.0.0.1:%u", port);
    fflush(NULL);
    const pid_t parent = getpid();
    const pid_t pid = pipe(life) ? -1 : fork();
    if (!pid) {
        signal(SIGINT, SIG_IGN); /* Of the terminal: gdb's */
        close(life[1]);
        if (await_client(fd, life[0]) && !prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent)
            return true;
        fputs("karat: gdb has ended without a connection to the run\n", stderr);
        fflush(stderr);
        _exit(0);
    }
    if (pid > 0)
        execlp("gdb-multiarch", "gdb-multiarch", "-q", "-ex", target, elf, (char *)NULL);
    snprintf(diag->text, sizeof diag->text,
             "gdb-multiarch cannot be started: %s (Debian: apt install gdb-multiarch)", strerror(errno));
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return false;
}

/* The one client; -1: there is none. */
static int wait_for_client(const karat_debug_options *o, const char *elf, karat_diag *diag) {
    uint16_t port = o->port;
    const char *file = elf ? elf : "FILE";
    const int fd = karat_gdb_listen(&port, o->socket, o->everywhere, diag);
    if (fd < 0)
        return -1;
    if (o->socket)
        printf("waiting for: gdb-multiarch %s -ex 'target remote %s'\n", file, o->socket);
    else if (!o->gdb)
        printf("waiting for: gdb-multiarch %s -ex 'target remote 127.0.0.1:%u'\n", file, port);
    int client = -1;
    if (!karat_debugger_flush()) {
        clearerr(stdout); /* It is told here */
        snprintf(diag->text, sizeof diag->text, "standard output: cannot be written");
    } else if (!o->gdb || become_gdb(fd, port, elf, diag)) {
        while ((client = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) < 0 && errno == EINTR)
            ;
        if (client < 0)
            snprintf(diag->text, sizeof diag->text, "gdb does not come: %s", strerror(errno));
    }
    if (o->socket)
        unlink(o->socket);
    close(fd);
    return client;
}

karat_debugger *karat_debug_open(const karat_debug_options *o, const karat_debug_config *rest,
                                 const char *elf, karat_diag *diag) {
    karat_debug_config config = *rest;
    config.snapshots = o->snapshots;
    config.batch = o->batch;
    config.lanes = o->lanes;
    config.client = -1;
    if ((o->gdb || o->serve || o->socket) && (config.client = wait_for_client(o, elf, diag)) < 0)
        return NULL;
    karat_debugger *d = karat_debugger_create(&config);
    if (!d)
        snprintf(diag->text, sizeof diag->text, "not enough memory");
    return d;
}
