/* Interruption of a run: SIGINT or SIGTERM makes it stop and report its results so far. */
#ifndef KARAT_INTERRUPT_H
#define KARAT_INTERRUPT_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the first of these signals is only noted; one that comes a second or more after it ends the
 * process, as without this call. A signal that was ignored at the start of the process (nohup, a shell's
 * background) stays ignored. */
void karat_interrupt_catch(void);

/* The signal that has come; 0: none. */
int karat_interrupted(void);
/* Its name, "SIGINT" or "SIGTERM"; "" where none has come. */
const char *karat_interrupt_name(void);

#ifdef __cplusplus
}
#endif
#endif
