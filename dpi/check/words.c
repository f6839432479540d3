#include "words.h"
#include "checker.h"

#include <stdarg.h>
#include <string.h>
#include <stdio.h>

void karat_append(char *text, size_t size, const char *format, ...) {
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

void karat_commit_text(const karat_checker *c, const karat_commit *m, char *text, size_t size) {
    karat_disassemble(c->config.model.profile, m->pc, m->prefix, m->word, text, size);
}
