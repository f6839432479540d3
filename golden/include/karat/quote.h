/* Names from outside, of files, symbols and sections, as text that can stand in a line of a message, a report
 * or a verdict. */
#ifndef KARAT_QUOTE_H
#define KARAT_QUOTE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Control characters, separators of lines and of paragraphs, and bytes that are not UTF-8 (RFC 3629) become
 * \xNN; all else stays. The result is UTF-8, of one line, and quoting it again does not change it. As
 * snprintf(): cut to size, and the length of the whole is returned. A cut is at the end of a character. */
size_t karat_quote(const char *name, char *text, size_t size);
/* As karat_quote(), in text for the caller to free; NULL: memory is short. */
char *karat_quoted(const char *name);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
