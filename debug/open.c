#include "open.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gdb.h"

/* gdb takes this process, so that the command ends as it does; the run goes on in a child, which ends with it. */
static bool become_gdb(uint16_t port, const char *elf, karat_diag *diag) {
    char target[64];
    snprintf(target, sizeof target, "target remote localhost:%u", port);
    fflush(NULL);
    const pid_t parent = getpid(), pid = fork();
    if (!pid) {
        signal(SIGINT, SIG_IGN); /* of the terminal: gdb's */
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
            _exit(0);
        return true;
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
        printf("waiting for: gdb-multiarch %s -ex 'target remote localhost:%u'\n", file, port);
    fflush(stdout);
    int client = -1;
    if (!o->gdb || become_gdb(port, elf, diag)) {
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
    config.client = -1;
    if ((o->gdb || o->serve || o->socket) && (config.client = wait_for_client(o, elf, diag)) < 0)
        return NULL;
    karat_debugger *d = karat_debugger_create(&config);
    if (!d)
        snprintf(diag->text, sizeof diag->text, "not enough memory");
    return d;
}
