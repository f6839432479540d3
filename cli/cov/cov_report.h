/* Shared by the reports of karat cov. */
#ifndef KARAT_CLI_COV_REPORT_H
#define KARAT_CLI_COV_REPORT_H

#include <jansson.h>

#include "cov.h"

/* The report as text, with at most so many holes of each group. It has no names but those of Karat's own
 * tables. */
void cov_text(FILE *f, const karat_cov *cov, uint64_t holes);

/* --- The page --- */

/* An axis of a group. "names": the sets of its points' names; "which": a digit for each point of the axes
 * before (at most two), left out where there is one set. */
json_t *cov_page_axis(const karat_cov *cov, uint32_t group, uint32_t axis);
/* Two bits for each bin of a group, three bins to a character, the first one lowest; '?' is 0. */
json_t *cov_page_states(const karat_cov *cov, uint32_t group);
/* The page, self-contained, with the report, whose groups have these axes and "states". False: it could not
 * be written. */
bool cov_page(FILE *f, const karat_cov *cov, const json_t *report);

#endif
