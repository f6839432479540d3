/* The place of a run on the model: during the run, and after an early end. */
#ifndef KARAT_RUN_WHERE_H
#define KARAT_RUN_WHERE_H

#include "run_session.h"

struct json_t;

/* The source lines of a session's kernel: the caller's, for karat_lines_free(). NULL: it has none. */
karat_lines *session_lines(const session *s, const karat_kernel *kernel);

/* "0x80000010 <main+0x8> (vecadd.c:42)": as cli_place(), with the source line where it is known. */
const char *session_place(const session *s, const karat_kernel *kernel, uint32_t pc,
                          char text[CLI_PLACE_SIZE]);

/* Print where the warps are. Returns the same as JSON, the caller's. */
struct json_t *run_where(const session *s, const karat_kernel *kernel, const karat_places *places, FILE *out);

/* One line of progress (progress.h). */
void run_show_progress(const karat_kernel *kernel, const karat_sched_progress *progress);

#endif
