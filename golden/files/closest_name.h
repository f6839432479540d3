/* The name that was meant by a word which is none of the names. */
#ifndef KARAT_CLOSEST_NAME_H
#define KARAT_CLOSEST_NAME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero it, set word and length, and offer all names. */
typedef struct karat_closest_name {
    const char *word;
    size_t length;
    const char *name; /* The nearest name so far; NULL: none is near */
    size_t edits;
} karat_closest_name;

/* A name is near where few of its characters are missing, added, wrong or exchanged. Of equally near names
 * the first counts. It must live as long as the answer is used. */
void karat_closest_offer(karat_closest_name *near, const char *name);

#ifdef __cplusplus
}
#endif
#endif
