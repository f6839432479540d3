/* A line about the progress of a command, on standard error where that is a terminal, over the line before:
 * from half a second on. */
#ifndef KARAT_PROGRESS_H
#define KARAT_PROGRESS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* At the start of the command: the time counts from here. */
void karat_progress_begin(void);
/* Whether a line is due. */
bool karat_progress_due(void);
void karat_progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Before any other output, and at the end. */
void karat_progress_hide(void);

#ifdef __cplusplus
}
#endif
#endif
