/* Legal streams of the synthetic core, for fuzzers that change them. */
#ifndef HOSTILE_LEGAL_H
#define HOSTILE_LEGAL_H

#include "synthetic_core.h"

/* One of 64, and from 192 on one of 64 with translation; made when first asked for, it lives as long as the
 * process. */
const stream *legal_stream(uint8_t which);

#endif
