/* The META block of a recording, for a verdict and a report equal to those of the live run: the checker's
 * configuration, and the kernels' names, symbols and source lines. */
#ifndef KARAT_TRACE_META_H
#define KARAT_TRACE_META_H

#include <stdio.h>

#include "check.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The configuration as META's text; NULL where memory is short. The caller frees it. rerun_room: bytes
 * that the rerun command will take at most, its NUL counted; it comes with END. */
char *karat_trace_meta_make(const karat_check_config *config, size_t rerun_room);

/* Parts of a command that runs the same again: a word, quoted where the shell would take it apart; at the
 * end, the waveform around a cycle. */
void karat_trace_put_word(FILE *out, const char *word);
void karat_trace_put_window(FILE *out, const char *wave, uint64_t cycle);

/* The reverse. config points into memory of this object; its rerun is empty until END has been read. */
typedef struct karat_trace_setup {
    karat_check_config config;
    char *rerun;
    size_t rerun_room;
    char *more;
    bool replaced; /* Rerun is not that of END */
} karat_trace_setup;

/* Returns NULL with one line in *diag where the text is not META's. */
karat_trace_setup *karat_trace_setup_make(const char *meta, karat_diag *diag);
void karat_trace_setup_free(karat_trace_setup *setup);

/* Further options of the judgement, which the rerun command must contain. False: memory is short. */
bool karat_trace_setup_add(karat_trace_setup *setup, const char *more);
/* Only this command repeats the judgement, in place of that of END. False: memory is short. */
bool karat_trace_setup_replace(karat_trace_setup *setup, const char *command);
/* Once END has been read: its command, with the cycles of the waveform. False: memory is short. */
bool karat_trace_setup_look_at(karat_trace_setup *setup, uint64_t cycle);

/* The END block as text, and its contents. */
char *karat_trace_end_make(const char *rerun);
bool karat_trace_end_take(karat_trace_setup *setup, const char *end, karat_diag *diag);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
