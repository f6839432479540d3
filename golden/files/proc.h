/* Numbers that the kernel reports of processes and of the machine. */
#ifndef KARAT_PROC_H
#define KARAT_PROC_H

#include <stdint.h>

/* The bytes of a line "NAME: N kB" of a file in /proc; 0: there is none. */
uint64_t karat_proc_bytes(const char *path, const char *name);

#endif
