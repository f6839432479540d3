/* The definitions of the semantics, as text: made at build time by gen_definitions.py from golden/exec. */
#ifndef KARAT_DEFINITIONS_H
#define KARAT_DEFINITIONS_H

typedef struct karat_definition {
    const char *semantic; /* NULL: end */
    const char *text, *kind, *file;
} karat_definition;

extern const karat_definition karat_definitions[];

#endif
