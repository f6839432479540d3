/* Instructions on operands of a theme, and the flags that they raise. flow.c uses the sequences for warps that run different code. */
#ifndef KARAT_RANDOM_PROBE_H
#define KARAT_RANDOM_PROBE_H

#include "operand.h"

/* A rounding mode: of floating point (fp) or of fixed point; the same for all warps, or not. */
void probe_mode(gen *g, bool fp);
/* A slow result, then many fast ones of another instruction that do not wait for it; some results arrive at the same time. */
void probe_stream(gen *g, bool fp);
/* One instruction of the unit and its flags, again and again, with other operands and in other modes. */
void probe_repeat(gen *g, uint32_t unit, theme t);
/* Instructions of the unit that saturate; between them only other warps access the flag. */
void probe_saturate(gen *g, uint32_t unit);

#endif
