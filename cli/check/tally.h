/* The records of a recording by kind, beside the number that its program calls for: shows whether a core's
 * adapter is complete (karat check --records). */
#ifndef KARAT_CLI_TALLY_H
#define KARAT_CLI_TALLY_H

#include "check.h"

typedef struct cli_tally {
    karat_rec_hello hello;
    uint64_t came[KARAT_REC_KINDS];     /* Records */
    uint64_t expected[KARAT_REC_KINDS]; /* Instructions, as the model runs them, that call for one */
    const karat_check_watch *next;      /* A further observer; NULL: none */
} cli_tally;

/* A record of the stream. */
void cli_tally_record(cli_tally *tally, const void *record);
/* A karat_check_watch, with the tally as context. */
void cli_tally_launch(void *tally, const karat_model *model, uint32_t warp, const karat_launch_desc *desc,
                      uint32_t warps);
void cli_tally_step(void *tally, const karat_model *model, uint32_t warp, const karat_commit *commit);
/* The table, on stdout. */
void cli_tally_print(const cli_tally *tally);

#endif
