/* Words of reports that several of them have. */
#ifndef KARAT_CHECK_WORDS_H
#define KARAT_CHECK_WORDS_H

#include "check.h"

/* More of a text that ends in its room; what does not fit is left out. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void karat_append(char *text, size_t size, const char *format, ...);

/* The instruction of a step. */
void karat_commit_text(const karat_checker *c, const karat_commit *m, char *text, size_t size);

#endif
