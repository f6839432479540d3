/* What the reports of karat cov share. */
#ifndef KARAT_CLI_COV_REPORT_H
#define KARAT_CLI_COV_REPORT_H

#include "cov.h"
#include "cov_rank.h"

double cov_percent(karat_cov_sum s);

/* The rules that exclude bins of a group, with the number of bins of each. */
typedef struct cov_reason {
    const char *text;
    uint64_t bins;
} cov_reason;
enum { COV_MAX_REASON = 64 };
uint32_t cov_reasons(const karat_cov *cov, uint32_t group, cov_reason reasons[COV_MAX_REASON]);

/* One page, self-contained. ranks NULL: without the table of files. False: it could not be written, or memory is short. */
bool cov_html(FILE *f, const karat_cov *cov, const cov_ranks *ranks);

#endif
